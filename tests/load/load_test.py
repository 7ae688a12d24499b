"""seen-load against a server that runs: what it counted is what the server
counted, what can't be run is refused in words, and it ends in any case.

Usage: load_test.py SEEN-SERVER SEEN-LOAD
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "server_net"))

from peers import PROGRAM, SCALE, SECONDS, Skip, check, curl, main, test  # noqa: E402

LOAD = sys.argv[2]
MS = 500  # of a short load
LIFTED = [
    word
    for name in ("reports", "requests", "lists")
    for word in (f"--{name}-per-second", "1000000", f"--{name}-burst", "1000000")
]


def serve(stage, *settings):
    return stage.serve(*LIFTED, *settings, db=stage.folder + "/db")


def at(server, *key):
    """How seen-load finds this server."""
    return ["--server", server.url("", "ws"), "--token-key", *(key or [server.key])]


async def start(stage, *arguments):
    return await asyncio.create_subprocess_exec(
        LOAD,
        *map(str, arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "TMPDIR": stage.folder},
    )


async def end(process, wait=6 * SECONDS):
    """Exit code, output and complaints; a load that hangs is a failure."""
    try:
        out, err = await asyncio.wait_for(process.communicate(), wait)
    except asyncio.TimeoutError:
        process.kill()
        raise AssertionError("seen-load hangs") from None
    check("Sanitizer" not in err.decode(), err.decode()[-3000:])
    return process.returncode, out.decode(), err.decode()


async def run(stage, *arguments):
    return await end(await start(stage, *arguments))


async def measure(stage, load, *arguments, ms=MS):
    """The figures of a load that went well."""
    code, out, err = await run(
        stage, load, "--json", "--duration-ms", ms, *arguments)
    check(code == 0 and err == "", code, err)
    told = json.loads(out)
    check(told["load"] == load, told)
    # Less than where nothing was said: five seconds.
    check(told["throughput"]["took_ms"] < max(ms + 1000, 5000), told["throughput"])
    for wait in told.values():
        if "p50_ms" in wait:
            in_order(wait)
    return told


def in_order(wait):
    steps = [wait[each] for each in ("p50_ms", "p95_ms", "p99_ms", "most_ms")]
    check(steps == sorted(steps), wait)
    check(wait["count"] == 0 or steps[0] > 0, wait)


async def metrics(server):
    _, page = await curl(server, "/metrics")
    return {
        name: float(value)
        for name, value in (
            line.rsplit(" ", 1) for line in page.splitlines() if line[0] != "#")
    }


async def rises(server, before, name):
    return (await metrics(server)).get(name, 0) - before.get(name, 0)


async def reports_agree(server, told):
    """All that was sent was taken, was new, and the server says so too."""
    done, counted = told["throughput"], await metrics(server)
    sent = done["reports_sent"]
    check(sent > 0 and done["reports_answered"] == sent, done)
    check(told["results"] == {"ok": sent} and told["errors"] == {}, told)
    check(counted["seen_reports_total"] == sent, sent, counted)
    check(counted["seen_reports_stale_total"] == 0, counted)
    check(counted["seen_reports_refused_total"] == 0, counted)
    check(counted["seen_read_above_audience"] == 0, counted)
    check(told["server"]["reports"] == sent, told["server"])
    # What is pushed after the last answer is not waited for.
    check(told["server"]["pushes"] >= done["pushes"], told)
    speed = (sent - told["backlog"]["not_answered"]) / done["took_ms"] * 1000
    check(abs(done["reports_per_second"] - speed) <= speed * 0.02 + 5, done, speed)


@test
async def test_reports__are_counted_as_the_server_counts_them(stage):
    server = serve(stage, "--window-ms", "250")
    told = await measure(
        stage, "reports", *at(server), "--users", 30, "--members", 10,
        "--conversations", 6, "--items", 5, "--messages", 200)
    await reports_agree(server, told)
    check(told["asked"]["window_ms"] == 250, told["asked"])
    check(told["asked"]["groups"] == 18, told["asked"])
    check(told["ack"]["count"] == told["merge"]["frames"], told)
    check(told["backlog"]["not_answered"] <= 30 * 4 * 5, told["backlog"])
    check(told["merge"]["reports_per_frame"] <= 5, told["merge"])


@test
async def test_reports__that_peers_are_told_of_are_counted(stage):
    """In groups of up to 50 each reader is told where the others are."""
    server = serve(stage, "--window-ms", "50")
    told = await measure(
        stage, "reports", *at(server), "--users", 6, "--members", 6,
        "--conversations", 2, "--items", 2, "--rate", 200)
    check(told["throughput"]["pushes"] > 0, told)
    check(told["results"].keys() == {"ok"} and told["errors"] == {}, told)


@test
async def test_reports__end_when_all_messages_are_read(stage):
    server = serve(stage)
    told = await measure(
        stage, "reports", *at(server), "--users", 4, "--members", 4,
        "--conversations", 3, "--items", 2, "--messages", 5, ms=60000)
    await reports_agree(server, told)
    check(told["throughput"]["reports_sent"] == 4 * 3 * 5, told)
    check(told["throughput"]["took_ms"] < 60000, told)
    check(told["backlog"]["not_answered"] == 0, told)


@test
async def test_durable__is_one_report_at_a_time(stage):
    server = serve(stage)
    told = await measure(
        stage, "durable", *at(server), "--users", 20, "--members", 7,
        "--conversations", 4, "--messages", 500)
    await reports_agree(server, told)
    sent = told["throughput"]["reports_sent"]
    check(told["ack"]["count"] == sent == told["merge"]["frames"], told)
    check(told["backlog"]["not_answered"] <= 20, told["backlog"])
    # At most 20 at once share a commit, and each has one.
    check(told["server"]["commits"] * 20 >= sent, told)


@test
async def test_receipts__are_told_and_merge(stage):
    server = serve(stage, "--window-ms", "100")
    told = await measure(
        stage, "receipts", *at(server), "--users", 40, "--members", 60,
        "--conversations", 2, "--messages", 30, "--subscribers", 3)
    await reports_agree(server, told)
    merge, done = told["merge"], told["throughput"]
    check(merge["subscriptions"] == 6, merge)
    check(told["told"]["count"] == done["reports_sent"], told["told"])
    # Once a window and subscription at most, with one more at each end.
    took = done["took_ms"] + told["backlog"]["drain_ms"]
    check(0 < merge["receipts_frames"] <= 6 * (took / 100 + 2), merge, took)
    check(merge["receipts_frames"] == done["pushes"], told)
    check(merge["receipts_rows"] >= merge["receipts_frames"], merge)
    ratio = done["reports_sent"] / (merge["receipts_frames"] / 3)
    check(abs(merge["reports_per_frame"] - ratio) < 0.01, merge, ratio)


@test
async def test_receipts__of_many_messages_take_many_subscriptions(stage):
    server = serve(stage, "--window-ms", "50")
    told = await measure(
        stage, "receipts", *at(server), "--users", 5, "--members", 5,
        "--conversations", 1, "--messages", 450, "--subscribers", 1)
    check(told["merge"]["subscriptions"] == 3, told["merge"])
    check(told["told"]["count"] == told["throughput"]["reports_sent"], told)


@test
async def test_queries__are_all_answered(stage):
    server = serve(stage)
    before = await metrics(server)
    told = await measure(
        stage, "queries", *at(server), "--users", 12, "--members", 30,
        "--conversations", 3, "--messages", 10)
    done = told["throughput"]["queries_answered"]
    counts = {kind: told[kind]["count"] for kind in ("count", "list", "subscribe")}
    check(min(counts.values()) > 0, counts)
    check(sum(counts.values()) == done == told["results"]["ok"], counts, done)
    check(done == told["throughput"]["queries_sent"], told)
    asked = await rises(server, before, "seen_lists_audited_total")
    check(asked == counts["count"] + counts["list"], asked, counts)
    # Each of the 12 has read at least the first message; 30 are not all.
    check(0 < told["answers"]["users_listed"] <= 30 * counts["list"], told)
    check(told["answers"]["rows_subscribed"] == 10 * counts["subscribe"], told)


@test
async def test_rate__says_how_many_are_sent(stage):
    server = serve(stage)
    for load in ("reports", "queries"):
        told = await measure(
            stage, load, *at(server), "--users", 20, "--members", 20,
            "--conversations", 2, "--rate", 200,
            *(["--items", 2] if load == "reports" else []))
        done = told["throughput"]
        acts = done.get("queries_sent") or told["merge"]["frames"]
        due = done["took_ms"] * 200 / 1000 + 1
        check(abs(acts + told["backlog"]["not_sent"] - due) <= 2, told)


@test
async def test_window__goes_on_to_the_server_that_is_started(stage):
    told = await measure(
        stage, "receipts", "--start", PROGRAM, "--window-ms", 70,
        "--users", 10, "--members", 10, "--conversations", 1)
    check(told["asked"]["window_ms"] == 70, told["asked"])


@test
async def test_limits__of_a_server_show_as_errors(stage):
    """Lists come 20 at once and 5 a second for a user."""
    told = await measure(
        stage, "queries", "--start", PROGRAM, "--usual-limits", "--users", 2,
        "--members", 5, "--conversations", 1, "--messages", 5,
        ms=MS if SCALE == 1 else 8 * MS)
    check(told["errors"].get("rate_limited", 0) > 0, told)
    check(told["results"]["ok"] > 0, told)


@test
async def test_start__leaves_nothing_and_says_where_it_ran(stage):
    code, out, err = await run(
        stage, "durable", "--start", PROGRAM, "--users", 5, "--messages", 100,
        "--duration-ms", 200)
    check(code == 0 and err == "", code, err)
    for word in ("cpu ", "cores ", "kernel ", "build ", "libwebsockets ",
                 "libcurl ", "libjwt ", "sqlite ", "synchronous=FULL",
                 "file system ", "window ms 1000", "p99 ms ", "drain ms "):
        check(word in out, word, "is not in", out)
    check(os.listdir(stage.folder) == [], os.listdir(stage.folder))


async def load_on(stage, server, load, *arguments):
    """A long load that has begun; it is to be ended from outside."""
    process = await start(
        stage, load, *at(server), "--json", "--duration-ms", 600000,
        "--users", 10, "--members", 10, "--conversations", 4,
        "--messages", 200, "--rate", 100, *arguments)
    name = "seen_reports_total" if load != "queries" else "seen_lists_audited_total"
    for _ in range(20 * SECONDS):
        if (await metrics(server))[name] > 20:
            return process
        check(process.returncode is None, load, "has ended")
        await asyncio.sleep(0.05)
    process.kill()
    raise AssertionError("no load came: " + str(await end(process)))


@test
async def test_interrupted__it_tells_what_it_has(stage):
    server = serve(stage)
    process = await load_on(stage, server, "durable")
    process.send_signal(signal.SIGINT)
    code, out, err = await end(process)
    check(code == 0 and err == "", code, err)
    told = json.loads(out)
    check(told["throughput"]["took_ms"] < 6 * SECONDS * 1000, told)
    await reports_agree(server, told)


@test
async def test_interrupted__the_server_that_it_started_ends(stage):
    process = await start(
        stage, "durable", "--start", PROGRAM, "--duration-ms", 600000)
    for _ in range(20 * SECONDS):
        if any("db-wal" in files for _, _, files in os.walk(stage.folder)):
            break
        await asyncio.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    code, _, err = await end(process)
    check(code in (0, 1), code, err)
    check(os.listdir(stage.folder) == [], os.listdir(stage.folder))


@test
async def test_lost__a_killed_server_ends_each_load_with_1(stage):
    for load in ("reports", "durable", "receipts", "queries"):
        server = serve(stage)
        process = await load_on(stage, server, load)
        server.kill()
        began = time.monotonic()
        code, out, err = await end(process, SECONDS)
        check(code == 1 and out == "", load, code, out)
        check("the server is lost: " in err, load, err)
        check(time.monotonic() - began < SECONDS, load)


@test
async def test_lost__a_server_that_falls_silent_ends_it_with_1(stage):
    for load in ("durable", "queries"):
        server = serve(stage)
        process = await load_on(stage, server, load, "--give-up-ms", 4000)
        server.process.send_signal(signal.SIGSTOP)
        code, _, err = await end(process, SECONDS)
        server.process.send_signal(signal.SIGCONT)
        check(code == 1 and "the server is lost: " in err, load, code, err)
        server.stop()


@test
async def test_lost__a_server_that_drains_ends_it_with_1(stage):
    server = serve(stage)
    process = await load_on(stage, server, "receipts")
    server.stop()
    code, _, err = await end(process, SECONDS)
    check(code == 1 and "closed with 1001" in err, code, err)


@test
async def test_lost__nobody_listens_or_the_key_is_another(stage):
    server = serve(stage)
    other = os.path.join(stage.folder, "other")
    with open(other, "w") as file:
        file.write("another secret of the tests, of no use elsewhere\n")
    code, _, err = await run(stage, "durable", *at(server, other))
    check(code == 1 and "closed with 4401" in err, code, err)
    server.stop()
    code, _, err = await run(stage, "durable", *at(server))
    check(code == 1 and "the server is lost: " in err, code, err)


@test
async def test_tls__sockets_and_requests_go_by_it(stage):
    cert, key = stage.folder + "/cert", stage.folder + "/tls"
    try:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days",
             "2", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", cert],
            check=True, capture_output=True)
    except FileNotFoundError:
        raise Skip("no openssl") from None
    server = serve(stage, "--tls-cert", cert, "--tls-key", key)
    small = ["--users", 3, "--members", 3, "--conversations", 2, "--messages", 5]
    told = await measure(stage, "queries", *at(server), "--insecure", *small)
    check(told["errors"] == {} and told["results"]["ok"] > 0, told)
    code, _, err = await run(stage, "queries", *at(server), *small)
    check(code == 1 and "the server is lost: " in err, code, err)


@test
async def test_options__that_are_wrong_end_it_with_2(stage):
    key = os.path.join(stage.folder, "short")
    with open(key, "w") as file:
        file.write("short")
    wrong = [
        ([], "which load?"),
        (["reports", "--start", PROGRAM, "--users", "no"], "--users takes a number"),
        (["durable", "--start", PROGRAM, "--items", "3"], "takes no --items"),
        (["durable", "--start", "/nowhere"], "--start /nowhere: No such file"),
        (["durable", "--start", "/bin/true"], "did not say where it listens"),
        (["durable", "--server", "ws://127.0.0.1:1", "--token-key", key],
         "token-key"),
        (["durable", "--server", "ws://127.0.0.1:1", "--token-key", "/nowhere"],
         "token-key /nowhere can't be read"),
    ]
    for arguments, words in wrong:
        code, out, err = await run(stage, *arguments)
        check(code == 2 and out == "", arguments, code, out)
        check(err.startswith("seen-load: ") and words in err, arguments, err)
    check(os.listdir(stage.folder) == ["short"], os.listdir(stage.folder))
    code, out, _ = await run(stage, "--help")
    check(code == 0 and "--subscribers" in out, code, out)


main()
