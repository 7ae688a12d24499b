"""The server as devices of several users meet it, by peers that no one here
wrote: the library `websockets`, and curl."""

import asyncio
import base64
import json
import os
import re
import resource
import signal
import ssl
import subprocess
import time
import urllib.parse

from peers import SECONDS, Skip, TooLate, check, curl, group, hold, in_time
from peers import main, say_in, settle, test, word
import peers
import websockets


@test
async def test_hello__is_answered_by_welcome_and_a_snapshot(stage):
    server = stage.serve()
    ann = await stage.join(server, "ann")
    check(ann.welcome["user"] == "ann" and ann.welcome["mode"] == "snapshot")
    check(ann.changes["conversations"] == [] and not ann.changes["more"])
    check(ann.welcome["limits"]["frame_bytes"] == 65536)
    check(ann.socket.extensions == [], "permessage-deflate was negotiated")


@test
async def test_hello__resumes_with_what_changed_since(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    await group(stage, server, "g2", "ann", "bob")
    row = await word(ann, "g2")
    await ann.close()
    await say_in(bob, "g1", "later")
    again = await stage.join(
        server, "ann",
        hello={"incarnation": ann.welcome["incarnation"], "version": row["version"]},
    )
    check(again.welcome["mode"] == "resume", again.welcome)
    names = [each["id"] for each in again.changes["conversations"]]
    check(names == ["g1"], names)
    check(again.changes["conversations"][0]["unread"] == 4)


@test
async def test_hello__of_another_incarnation_is_a_snapshot(stage):
    server = stage.serve()
    await group(stage, server, "g1", "ann", "bob")
    again = await stage.join(server, "ann", hello={"incarnation": "x", "version": 999})
    check(again.welcome["mode"] == "snapshot")
    check(len(again.changes["conversations"]) == 1)


@test
async def test_read__moves_the_position_and_the_badge(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    check((await word(ann, "g1"))["unread"] == 3)
    ack = await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 2}])
    item = ack["items"][0]
    check(item["result"] == "ok" and item["unread"] == 1, item)
    check(item["read"] == {"epoch": 0, "seq": 2, "high": 0}, item)


@test
async def test_read__that_is_stale_is_answered_with_the_whole_word(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    ack = await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 1}])
    item = ack["items"][0]
    check(item["result"] == "stale" and item["read"]["seq"] == 3, item)
    check(item["last_seq"] == 3 and item["unread"] == 0 and "version" in item)


@test
async def test_read__above_the_last_seq_is_refused_and_fails_no_neighbour(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    ack = await ann.ask("read", items=[
        {"conv": "g1", "epoch": 0, "seq": 99},
        {"conv": "nowhere", "epoch": 0, "seq": 1},
        {"conv": "g1", "epoch": 7, "seq": 1},
        {"conv": "g1", "epoch": 0, "seq": 3},
    ])
    codes = [each.get("code", each["result"]) for each in ack["items"]]
    check(codes == ["seq_out_of_range", "not_found", "epoch_ahead", "ok"], codes)


@test
async def test_read__reaches_the_other_device(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    desktop = await stage.join(server, "ann")
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    position = await desktop.take({"t": "position", "conv": "g1"})
    check(position["read"]["seq"] == 3 and position["unread"] == 0, position)


@test
async def test_mark_unread__is_done_once_and_answered_again(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    mark = dict(op="x81", conv="g1", expected={"epoch": 0, "seq": 3}, target=1)
    first = (await ann.ask("mark_unread", **mark))["items"][0]
    check(first["read"] == {"epoch": 1, "seq": 1, "high": 3}, first)
    again = (await ann.ask("mark_unread", **mark))["items"][0]
    check(again["result"] == "ok" and again["read"] == first["read"], again)


@test
async def test_mark_unread__loses_against_a_concurrent_read(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    desktop = await stage.join(server, "ann")
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 2}])
    await desktop.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    ack = await ann.ask(
        "mark_unread", op="x1", conv="g1", expected={"epoch": 0, "seq": 2}, target=0)
    item = ack["items"][0]
    check(item["result"] == "refused" and item["code"] == "conflict", item)
    check(item["read"] == {"epoch": 0, "seq": 3, "high": 0}, item)


@test
async def test_read_all__spares_what_came_later(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    version = (await word(ann, "g1"))["version"]
    await say_in(bob, "g1", "later")
    ack = await ann.ask("read_all", as_of=version)
    check(ack["items"][0]["read"]["seq"] == 3, ack)
    check((await word(ann, "g1"))["unread"] == 1)


@test
async def test_receipts__come_to_the_sender_who_subscribed(stage):
    server = stage.serve("--window-ms", "50", "--peer-limit", "2")
    ann, bob, cyd = await group(stage, server, "g1", "ann", "bob", "cyd")
    first = await bob.ask("subscribe", conv="g1", **{"from": 1, "to": 3})
    check([row[:3] for row in first["rows"]] == [[1, 0, 2], [2, 0, 2], [3, 0, 2]], first)
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 2}])
    later = await bob.take({"t": "receipts", "conv": "g1"})
    check([row[:3] for row in later["rows"]] == [[1, 1, 2], [2, 1, 2]], later)
    await cyd.silence(0.3, "receipts")


@test
async def test_receipts__are_listed_by_http_for_the_sender_alone(stage):
    server = stage.serve()
    ann, bob, cyd = await group(stage, server, "g:1", "ann", "bob", "cyd")
    await ann.ask("read", items=[{"conv": "g:1", "epoch": 0, "seq": 3}])
    path = "/im/messages/g:1:3/read-receipts"
    status, answer = await curl(server, path + "?status=read", token=server.token("bob"))
    check(status == 200 and answer["users"] == ["ann"], status, answer)
    check((answer["read"], answer["audience"], answer["hidden"]) == (1, 2, 0), answer)
    status, answer = await curl(server, path + "?status=unread", token=server.token("bob"))
    check(answer["users"] == ["cyd"], answer)
    theirs = await curl(server, path, token=server.token("cyd"))
    missing = await curl(server, "/im/messages/none:3/read-receipts", token=server.token("cyd"))
    check(theirs == missing and theirs[0] == 404, theirs, missing)


@test
async def test_receipts__page_by_a_cursor(stage):
    server = stage.serve()
    users = ["ann", "bob"] + [f"u{number:02}" for number in range(25)]
    ann = await stage.join(server, "ann")
    await ann.ask("create", op="c", conv="g1", users=users[1:])
    await say_in(ann, "g1", "to all")
    path = "/im/messages/g1:1/read-receipts?status=unread&limit=10"
    token = server.token("ann")
    found, cursor = [], ""
    while cursor is not None:
        status, answer = await curl(server, path + "&cursor=" + cursor, token=token)
        check(status == 200, status, answer)
        found += answer["users"]
        cursor = answer["cursor"]
    check(found == sorted(users[1:]), found)


@test
async def test_receipts__page_by_a_cursor_of_long_names(stage):
    server = stage.serve()
    conv, me = "c" * 64, "a" * 64
    users = [f"{number:02}" + "u" * 62 for number in range(5)]
    ann = await stage.join(server, me)
    await ann.ask("create", op="c", conv=conv, users=users)
    await say_in(ann, conv, "to all")
    path = f"/im/messages/{conv}:1/read-receipts?status=delivered&limit=2"
    for user in users:
        theirs = await stage.join(server, user)
        await theirs.ask("delivered", items=[{"conv": conv, "seq": 1}])
    token, found, cursor = server.token(me), [], ""
    while cursor is not None and len(found) < 9:
        status, answer = await curl(server, path + "&cursor=" + cursor, token=token)
        check(status == 200, status, answer)
        found += answer["users"]
        cursor = answer["cursor"]
    check(found == users, found)


@test
async def test_peer__tells_the_other_in_a_direct_conversation(stage):
    server = stage.serve("--window-ms", "50")
    ann, bob = await group(stage, server, "d1", "ann", "bob", kind="direct")
    await ann.ask("read", items=[{"conv": "d1", "epoch": 0, "seq": 2}])
    peer = await bob.take({"t": "peer", "conv": "d1"})
    check(peer["items"][0]["user"] == "ann", peer)
    check(peer["items"][0]["read_seq"] == 2, peer)


@test
async def test_settings__without_receipts_nobody_learns_of_a_read(stage):
    server = stage.serve("--window-ms", "50")
    ann, bob = await group(stage, server, "d1", "ann", "bob", kind="direct")
    desktop = await stage.join(server, "ann")
    await ann.ask("settings", receipts=False)
    await settle(bob)
    await ann.ask("read", items=[{"conv": "d1", "epoch": 0, "seq": 3}])
    await desktop.take({"t": "position", "conv": "d1"})
    await bob.silence(0.4, "peer")


@test
async def test_history__falls_page_by_page(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob", said=7)
    found, before = [], None
    while True:
        more = {} if before is None else {"before": before}
        page = await ann.ask("history", conv="g1", limit=3, **more)
        found += [(each["seq"], each["body"]) for each in page["messages"]]
        if not page["more"]:
            break
        before = found[-1][0]
    check(found == [(n, f"g1 {n - 1}") for n in range(7, 0, -1)], found)


@test
async def test_poll__brings_what_a_socket_would_have(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    token = server.token("ann")
    status, frames = await curl(
        server, "/im/frames", token=token,
        body=[{"t": "hello", "id": 1, "device": "old"},
              {"t": "read", "id": 2, "items": [{"conv": "g1", "epoch": 0, "seq": 1}]}])
    kinds = [frame["t"] for frame in frames]
    check(status == 200 and kinds == ["welcome", "changes", "ack"], status, frames)
    name = frames[0]["connection"]
    began = time.monotonic()
    poll = await hold(server, f"/im/poll?connection={name}&wait=25000", token)
    check(not poll.done(), "the poll was not held")
    await say_in(bob, "g1", "new")
    status, frames = await poll
    check(time.monotonic() - began < 25, "the poll was held too long")
    check(any(each["t"] == "message" and each["body"] == "new" for each in frames), frames)
    status, frames = await curl(
        server, f"/im/frames?connection={name}", token=token,
        body=[{"t": "read", "id": 3, "items": [{"conv": "g1", "epoch": 0, "seq": 4}]}])
    check(frames[0]["t"] == "ack" and frames[0]["items"][0]["unread"] == 0, frames)
    began = time.monotonic()
    status, frames = await curl(server, f"/im/poll?connection={name}&wait=50", token=token)
    check((status, frames) == (200, []), status, frames)
    check(time.monotonic() - began < 25, "a poll of 50 ms was late")


@test
async def test_poll__a_second_one_takes_over(stage):
    server = stage.serve()
    token = server.token("ann")
    _, frames = await curl(server, "/im/frames", token=token,
                           body=[{"t": "hello", "id": 1, "device": "old"}])
    path = f"/im/poll?connection={frames[0]['connection']}&wait="
    began = time.monotonic()
    first = await hold(server, path + "25000", token)
    check(await curl(server, path + "50", token=token) == (200, []))
    check(await first == (200, []))
    check(time.monotonic() - began < 25, "the first one was held all its time")


@test
async def test_http__reads_and_counts(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    token = server.token("ann")
    status, totals = await curl(server, "/im/unread", token=token)
    check(status == 200 and totals["unread"] == 3, totals)
    status, ack = await curl(
        server, "/im/conversations/g1/read-cursor", token=token,
        body={"read_to_seq": 2, "device_id": "push", "client_event_id": "e1"})
    check(status == 200 and ack["items"][0]["unread"] == 1, status, ack)
    await ann.take({"t": "position", "conv": "g1"})
    status, page = await curl(server, "/im/conversations?after=0&limit=10", token=token)
    check(status == 200 and page["conversations"][0]["unread"] == 1, page)
    status, text = await curl(server, "/metrics")
    check(status == 200 and "seen_reports_total 1\n" in text, text)
    for name in ("read_above_audience", "position_above_last", "counts_drifted"):
        check(f"\nseen_{name} 0\n" in text, name)
    check((await curl(server, "/healthz"))[0] == 200)


@test
async def test_http__takes_what_clients_say_in_other_words(stage):
    server = stage.serve()
    token = server.token("ann")
    for words in (f"authorization: bearer {token}", f"Authorization:  BEARER   {token}"):
        check((await curl(server, "/im/unread", "-H", words))[0] == 200, words)
    # Java asks for HTTP/2 this way, and goes on without it.
    for words in (["--http2"], ["-H", "Connection: Upgrade", "-H", "Upgrade: h2c"]):
        check((await curl(server, "/im/unread", *words, token=token))[0] == 200, words)


@test
async def test_health__is_as_the_disk_is(stage):
    server = stage.serve("--db", stage.folder + "/db")
    ann = await stage.join(server, "ann")
    await ann.ask("create", op="c", conv="g1")
    endless = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    full = os.path.getsize(stage.folder + "/db-wal")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (full, endless[1]))
    answer = await ann.ask("send", op="m1", conv="g1", body="hello")
    check((answer["t"], answer["code"]) == ("error", "storage"), answer)
    status, answer = await curl(server, "/healthz")
    check((status, answer["code"]) == (503, "storage"), status, answer)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, endless)
    check(await curl(server, "/healthz") == (200, "ok\n"))
    await say_in(ann, "g1", "again")
    check(await curl(server, "/healthz") == (200, "ok\n"))


@test
async def test_http__keeps_its_connection_in_step(stage):
    server = stage.serve()
    token = server.token("ann")
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

    async def ask(method, path, body=None):
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        if body is not None:
            head += f"Content-Length: {len(body)}\r\n"
        writer.write((head + "\r\n" + (body or "")).encode())
        lines = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)).decode()
        length = int(lines.lower().split("content-length: ")[1].split("\r\n")[0])
        text = "" if method == "HEAD" else (await reader.readexactly(length)).decode()
        return int(lines.split(" ")[1]), length, text

    check(await ask("GET", "/healthz") == (200, 3, "ok\n"))
    check(await ask("HEAD", "/healthz") == (200, 3, ""))
    check((await ask("HEAD", "/im/nothing"))[::2] == (404, ""))
    hello = json.dumps([{"t": "hello", "id": 1, "device": "d"}])
    check((await ask("POST", "/im/frames", hello))[0] == 200)
    check((await ask("POST", "/im/frames", "{}"))[0] == 400)
    check((await ask("GET", "/im/conversations?after=&limit="))[0] == 200)
    # A body that nobody wants is no next request: it is read, or the end.
    for method in ("PUT", "DELETE"):
        check((await ask(method, "/im/unread", "GET /metrics HTTP/1.1\r\n\r\n"))[0] == 404)
        try:
            check(await ask("GET", "/healthz") == (200, 3, "ok\n"), method)
        except (asyncio.IncompleteReadError, ConnectionError):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.close()


@test
async def test_metrics__tell_how_long_a_badge_took_to_clear(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    version = (await word(ann, "g1"))["version"]
    known = {"incarnation": ann.welcome["incarnation"], "version": version}
    desktop = await stage.join(server, "ann")
    began = time.monotonic()
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 2}])
    await desktop.take({"t": "position", "unread": 1})
    back = await stage.join(server, "ann", hello=known)
    await back.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    await desktop.take({"t": "position", "unread": 0})
    await ann.take({"t": "position", "unread": 0})
    took = time.monotonic() - began
    _, text = await curl(server, "/metrics")
    value = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    check(value["seen_clear_seconds_count"] == "3", text)
    check(float(value["seen_clear_seconds_sum"]) < 3 * took, took, text)
    check(value["seen_resumes_total"] == "1", text)
    check(value["seen_resume_rows_behind_total"] == "1", text)
    check(value["seen_resume_reports_ahead_total"] == "1", text)
    check(value["seen_resume_reports_beyond_total"] == "0", text)


@test
async def test_metrics__are_prometheus_text(stage):
    server = stage.serve()
    await group(stage, server, "g1", "ann", "bob")
    _, text = await curl(server, "/metrics")
    types, seen = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            check(name not in types and kind in ("counter", "gauge", "histogram"), line)
            types[name] = kind
            continue
        if line.startswith("# HELP "):
            check(len(line.split()) > 3, line)
            continue
        sample = re.fullmatch(r'(seen_\w+?)(_bucket|_sum|_count)?(\{\w+="[^"]*"\})? (\S+)', line)
        check(sample, line)
        name, part, label, number = sample.groups()
        name = name if name in types else name + (part or "")
        check(name in types and (name, part, label) not in seen, line)
        seen[name, part, label] = float(number)
    for name in (each for each, kind in types.items() if kind == "histogram"):
        buckets = [number for key, number in seen.items() if key[:2] == (name, "_bucket")]
        check(buckets == sorted(buckets), name, buckets)
        check(buckets[-1] == seen[name, "_count", None], name, buckets)
    check(seen["seen_commit_seconds", "_count", None] ==
          seen["seen_commits_total", None, None] +
          seen["seen_commits_failed_total", None, None], text)
    page = open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../docs/server.md")).read()
    for name in re.findall(r"`(seen_\w+)`", page):
        check(name in types, name, "is in the documents alone")


@test
async def test_log__says_who_asked_for_readers_and_no_text(stage):
    server = stage.serve("--log-level", "debug")
    conv = 'g" answer=1 x="'
    ann, bob, cyd = await group(stage, server, conv, "ann", "bob", "cyd")
    await say_in(bob, conv, "a secret of theirs")
    path = f"/im/messages/{urllib.parse.quote(conv)}:4/read-receipts"
    await curl(server, path + "?status=read", token=server.token("bob"))
    await curl(server, path, token=server.token("cyd"))
    await curl(server, f"/im/conversations/{urllib.parse.quote(conv)}/read-cursor",
               token=server.token("ann"),
               body={"read_to_seq": 2, "device_id": "push", "client_event_id": "e17"})
    said = open(server.log).read()
    name = conv.replace('"', '\\"')
    lines = [line.split(" ", 1)[1] for line in said.splitlines()]
    for wanted in (
        f'info readers_asked user="bob" conv="{name}" seq=4 status=read answer=200',
        f'info readers_asked user="cyd" conv="{name}" seq=4 status=none answer=404',
        f'debug read_cursor user="ann" conv="{name}" device="push" event="e17" answer=200',
    ):
        check(wanted in lines, wanted, lines)
    check("secret of theirs" not in said, said)


@test
async def test_token__that_expires_closes_and_says_so(stage):
    server = stage.serve()

    async def outlive(seconds):
        peer = await stage.dial(server, server.token("ann", ttl=seconds))
        try:
            await peer.say("hello", device="d")
            await peer.take({"t": "welcome"})
        except websockets.ConnectionClosed:
            raise TooLate from None
        check((await peer.ended())[0] == 4401)

    await in_time(outlive, 2, 8, 30)


@test
async def test_token__may_be_signed_by_rsa(stage):
    private, public = stage.folder + "/private", stage.folder + "/public"
    openssl("genpkey", "-algorithm", "RSA", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    server = stage.serve(key=public)
    peer = await stage.dial(server, server.token("ann", key=private))
    await peer.say("hello", device="d")
    check((await peer.take({"t": "welcome"}))["user"] == "ann")


@test
async def test_token__may_be_signed_by_ed25519_where_the_library_can(stage):
    private, public = stage.folder + "/private", stage.folder + "/public"
    openssl("genpkey", "-algorithm", "ED25519", "-out", private)
    openssl("pkey", "-in", private, "-pubout", "-out", public)
    said = subprocess.run([peers.PROGRAM, "token", "--token-key", private, "--user", "ann"],
                          capture_output=True, text=True)
    if said.returncode != 0:
        check("this libjwt has no EdDSA" in said.stderr, said)
        said = subprocess.run([peers.PROGRAM, "--token-key", public, "--listen",
                               "127.0.0.1:0"], capture_output=True, text=True, timeout=SECONDS)
        check(said.returncode == 2 and "this libjwt has no EdDSA" in said.stderr, said)
        return
    server = stage.serve(key=public)
    head = json.loads(base64.urlsafe_b64decode(said.stdout.split(".")[0] + "=="))
    check(head["alg"] == "EdDSA", head)
    check((await curl(server, "/im/unread", token=said.stdout.strip()))[0] == 200)
    hs256 = stage.serve().token("ann")
    bent = said.stdout.strip()[:-6] + "AAAAAA"
    for token in (hs256, bent):
        check((await curl(server, "/im/unread", token=token))[0] == 401, token)


def openssl(*arguments):
    try:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True)
    except FileNotFoundError:
        raise Skip("no openssl") from None


@test
async def test_tls__serves_sockets_and_requests(stage):
    cert, key = stage.folder + "/cert", stage.folder + "/tls"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
            "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-keyout", key, "-out", cert)
    server = stage.serve("--tls-cert", cert, "--tls-key", key)
    trust = ssl.create_default_context(cafile=cert)
    peer = await stage.dial(server, server.token("ann"), ssl=trust)
    await peer.say("hello", device="d")
    await peer.take({"t": "welcome"})
    check((await curl(server, "/healthz"))[0] == 200)


@test
async def test_sigterm__takes_last_reports_and_says_goodbye(stage):
    async def report(drain_ms):
        db = f"{stage.folder}/{drain_ms}"
        server = stage.serve("--drain-ms", str(drain_ms), db=db)
        ann, bob = await group(stage, server, "g1", "ann", "bob")
        server.process.send_signal(signal.SIGTERM)
        await ann.take({"t": "report_now"})
        try:
            ack = await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
        except websockets.ConnectionClosed:
            raise TooLate from None
        check(ack["items"][0]["unread"] == 0, ack)
        check(await ann.ended() == (1001, "the server drains"))
        check(server.process.wait(SECONDS) == 0)
        return db

    server = stage.serve(db=await in_time(report, 500, 3000, 20000))
    again = await stage.join(server, "ann")
    check(again.changes["conversations"][0]["read"]["seq"] == 3, again.changes)


@test
async def test_sigterm__answers_a_poll_that_is_held(stage):
    async def poll(drain_ms):
        server = stage.serve("--drain-ms", str(drain_ms))
        token = server.token("ann")
        _, frames = await curl(server, "/im/frames", token=token,
                               body=[{"t": "hello", "id": 1, "device": "old"}])
        path = f"/im/poll?connection={frames[0]['connection']}&wait=30000"
        held = await hold(server, path, token)
        server.process.send_signal(signal.SIGTERM)
        check(await held == (200, [{"t": "report_now"}]), held)
        status, frames = await curl(server, path, token=token)
        if status == 0:
            raise TooLate
        check((status, frames) == (200, []), status, frames)
        check(server.process.wait(SECONDS) == 0)

    await in_time(poll, 1000, 5000, 25000)


@test
async def test_sigterm__drains_as_long_after_a_quiet_time(stage):
    server = stage.serve("--drain-ms", "700")
    await curl(server, "/im/frames", token=server.token("ann"),
               body=[{"t": "hello", "id": 1, "device": "d"}])
    await asyncio.sleep(0.9)  # the loop waits, for its next sweep
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    check(server.process.wait(SECONDS) == 0)
    check(time.monotonic() - began >= 0.7, time.monotonic() - began)


@test
async def test_sigterm__twice_ends_at_once(stage):
    server = stage.serve("--drain-ms", "60000")
    ann = await stage.join(server, "ann")
    server.process.send_signal(signal.SIGTERM)
    await ann.take({"t": "report_now"})
    server.process.send_signal(signal.SIGTERM)
    check(server.process.wait(SECONDS) == 0)


@test
async def test_tiers__are_as_configured(stage):
    server = stage.serve("--peer-limit", "2", "--roster-limit", "3", "--large-limit", "4",
                         "--window-ms", "50")
    ann, bob, cyd = await group(stage, server, "g1", "ann", "bob", "cyd")
    full = await ann.ask("add", op="a1", conv="g1", users=["dan"])
    check((full["t"], full["code"]) == ("error", "full"), full)
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    await bob.silence(0.3, "peer")
    roster = (await word(bob, "g1"))["roster"]
    check(len(roster) == 3 and all("read_seq" not in each for each in roster), roster)
    await bob.ask("create", op="d", conv="d1", kind="direct", users=["ann"])
    await say_in(bob, "d1", "hello")
    await ann.ask("read", items=[{"conv": "d1", "epoch": 0, "seq": 1}])
    peer = await bob.take({"t": "peer"})
    check(peer["items"][0]["read_seq"] == 1, peer)
    made = await ann.ask("create", op="l", conv="l1", kind="large",
                         users=["bob", "cyd", "dan"])
    check(made["t"] == "ack", made)
    full = await ann.ask("add", op="a2", conv="l1", users=["eve"])
    check((full["t"], full["code"]) == ("error", "full"), full)
    check("roster" not in await word(ann, "l1"))
    await say_in(ann, "l1", "to all")
    status, answer = await curl(server, "/im/messages/l1:1/read-receipts?status=unread",
                                token=server.token("ann"))
    check(status == 200 and answer["audience"] == 3 and "users" not in answer, answer)


@test
async def test_settings__hold_from_a_version_and_over_a_restart(stage):
    server = stage.serve(db=stage.folder + "/db")
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    before = (await word(ann, "g1"))["version"]
    check(ann.welcome["receipts"] is True)
    off = await ann.ask("settings", receipts=False)
    check(off["receipts"] is False and off["version"] > before, off)
    again = await ann.ask("settings", receipts=False)
    check(again["version"] == off["version"], off, again)
    server.stop()
    server = stage.serve(db=stage.folder + "/db")
    ann = await stage.join(server, "ann")
    check(ann.welcome["receipts"] is False)
    again = await ann.ask("settings", receipts=False)
    check(again["version"] == off["version"], off, again)


@test
async def test_start__a_new_database_is_soon_ready(stage):
    least = min(stage.serve("--db", f"{stage.folder}/{n}").ready_after for n in range(5))
    check(least < 5, "ready after", least)


@test
async def test_start__listens_on_its_address_alone(stage):
    server = stage.serve()
    try:
        lines = open("/proc/net/tcp").readlines() + open("/proc/net/tcp6").readlines()
    except OSError:
        raise Skip("no /proc/net/tcp") from None
    ours = [line.split()[1] for line in lines[1:]
            if line.split()[1].endswith(f":{server.port:04X}") and line.split()[3] == "0A"]
    check(ours == [f"0100007F:{server.port:04X}"], ours)


@test
async def test_start__says_what_is_wrong(stage):
    server = stage.serve()
    config = stage.folder + "/config"

    def complaint(*arguments, lines=None):
        with open(config, "w") as file:
            file.write(lines or "")
        done = subprocess.run([peers.PROGRAM, *arguments], capture_output=True,
                              text=True, timeout=SECONDS)
        check(done.returncode == 2, done)
        return done.stderr

    key = ["--token-key", server.key]
    wrong = ["--config", config]
    check("token-key is needed" in complaint())
    check("no option '--ports'" in complaint("--ports", "1"))
    check("needs a value" in complaint("--listen"))
    check("ADDRESS:PORT" in complaint("--listen", "8420", *key))
    check("number from" in complaint("--ping-ms", "soon", *key))
    check("can't listen on" in complaint("--listen", f"127.0.0.1:{server.port}", *key))
    check("go together" in complaint("--tls-cert", server.key, *key))
    check("tls-key /none can't be read"
          in complaint("--tls-cert", server.key, "--tls-key", "/none", *key))
    check("TLS files can't be used"
          in complaint("--tls-cert", server.key, "--tls-key", server.key,
                       "--listen", "127.0.0.1:0", *key))
    private = stage.folder + "/private"
    openssl("genpkey", "-algorithm", "RSA", "-out", private)
    check("is no public key" in complaint("--token-key", private))
    with open(stage.folder + "/short", "w") as file:
        file.write("too short\n")
    check("neither a secret" in complaint("--token-key", stage.folder + "/short"))
    check("config:1: the line is too long" in complaint(*wrong, lines="#" * 9000))
    check("can't be read" in complaint("--token-key", stage.folder + "/none"))
    check("can't be read" in complaint("--config", stage.folder + "/none"))
    check("config:2: there is no setting 'lisen'"
          in complaint(*wrong, lines="# a file\nlisen = x\n"))
    check("config:1: 'listen'" in complaint(*wrong, lines="listen\n"))
    check("db " in complaint("--db", stage.folder + "/no/folder", *key))
    stage.serve(db=stage.folder + "/db")
    check("another server has it" in complaint(
        "--db", stage.folder + "/db", "--listen", "127.0.0.1:0", *key))


@test
async def test_config__the_command_line_wins(stage):
    config = stage.folder + "/config"
    with open(config, "w") as file:
        file.write("peer-limit = 7\nroster-limit = 77\n")
    server = stage.serve("--peer-limit", "9", "--config", config)
    ann = await stage.join(server, "ann")
    limits = ann.welcome["limits"]
    check((limits["peer_limit"], limits["roster_limit"]) == (9, 77), limits)


@test
async def test_silence__is_met_by_a_ping_and_then_the_end(stage):
    server = stage.serve("--ping-ms", "500", "--give-up-ms", "3000")
    alive = await stage.join(server, "ann")
    deaf = await stage.join(server, "bob")
    deaf.socket.transport.pause_reading()
    end = time.monotonic() + SECONDS
    while "\nseen_connections 1\n" not in (await curl(server, "/metrics"))[1]:
        check(time.monotonic() < end, "who is deaf was not given up")
        await asyncio.sleep(0.1)
    await alive.ask("fetch", convs=["none"])
    deaf.socket.transport.resume_reading()
    check((await deaf.ended())[0] == 1006)


main()
