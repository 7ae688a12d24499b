"""Moderation by the program's own command, `seen-server admin`, as members on
sockets meet it."""

import asyncio
import subprocess

from peers import PROGRAM, Skip, check, curl, group, main
from peers import say_in, settle, test, word
import websockets


async def moderate(server, *act, token=None, **expected):
    """Runs the command; what it says, where it is refused."""
    token = token or server.token("root", "--admin")
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "admin", server.url(""), *act, "--token", token,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    said, _ = await process.communicate()
    check(process.returncode == expected.get("code", 0), act, process.returncode, said)
    return said.decode()


def needs_curl():
    said = subprocess.run([PROGRAM, "admin"], capture_output=True, text=True).stderr
    if "libcurl" in said:
        raise Skip("built without libcurl")


@test
async def test_approve__shows_what_waited_and_counts_it(stage):
    needs_curl()
    server = stage.serve()
    ann = await stage.join(server, "ann")
    bob, cyd = await stage.join(server, "bob"), await stage.join(server, "cyd")
    await ann.ask("create", op="c", conv="g1", moderated=True, users=["bob", "cyd"])
    await say_in(bob, "g1", "may I", mentions=["cyd"])
    waits = await cyd.take({"t": "message", "seq": 1})
    check(waits["hidden"] and "body" not in waits and "mentions" not in waits, waits)
    check((await word(cyd, "g1"))["unread"] == 0)
    await settle(cyd)
    await moderate(server, "approve", "--conv", "g1", "--seq", "1")
    row = (await cyd.take({"t": "changes"}))["conversations"][0]
    check(row["unread"] == 1 and row["uncountable"] == [], row)
    check(row["mentions"] == [{"seq": 1, "why": "me"}], row)
    page = await cyd.ask("history", conv="g1", limit=1)
    check(page["messages"][0]["body"] == "may I", page)
    status, counts = await curl(server, "/im/messages/g1:1/read-receipts",
                                token=server.token("bob"))
    check((status, counts["audience"]) == (200, 2), counts)
    await moderate(server, "approve", "--conv", "g1", "--seq", "1")
    check("not_found" in await moderate(
        server, "approve", "--conv", "g1", "--seq", "9", code=1))


@test
async def test_takedown__reaches_members_as_a_newer_word(stage):
    needs_curl()
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    version = (await word(ann, "g1"))["version"]
    await moderate(server, "takedown", "--conv", "g1", "--seq", "2", "--op", "t1")
    said = await ann.take({"t": "position", "conv": "g1"})
    check(said["unread"] == 2 and said["uncountable"] == [2], said)
    check(said["version"] > version and said["last_seq"] == 3, said)
    page = await ann.ask("history", conv="g1", limit=10)
    gone = [each for each in page["messages"] if each["seq"] == 2][0]
    check(gone["taken_down"] and "body" not in gone, gone)
    await moderate(server, "takedown", "--conv", "g1", "--seq", "2", "--op", "t1")
    check((await word(ann, "g1"))["version"] == said["version"], "it was done twice")
    reused = await moderate(server, "purge", "--conv", "g2", "--seq", "2", "--op", "t1", code=1)
    check("op_reused" in reused, reused)


@test
async def test_purge__raises_the_floor_and_takes_the_messages(stage):
    needs_curl()
    server = stage.serve(db=stage.folder + "/db")
    ann, bob = await group(stage, server, "g1", "ann", "bob", said=5)
    await moderate(server, "purge", "--conv", "g1", "--seq", "3")
    said = await ann.take({"t": "position", "conv": "g1"})
    check((said["floor"], said["unread"], said["last_seq"]) == (3, 2, 5), said)
    page = await ann.ask("history", conv="g1", limit=10)
    check([each["seq"] for each in page["messages"]] == [5, 4], page)
    check((await curl(server, "/im/messages/g1:3/read-receipts",
                      token=server.token("bob")))[0] == 404)
    server.stop()
    server = stage.serve(db=stage.folder + "/db")
    again = await stage.join(server, "ann")
    check(again.changes["conversations"][0]["floor"] == 3, again.changes)


@test
async def test_disable__closes_and_keeps_out_until_enabled(stage):
    needs_curl()
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    await moderate(server, "disable", "--user", "ann")
    check((await ann.ended())[0] == 4403)
    token = server.token("ann")
    for path in ("/im/unread", "/im/conversations", "/im/messages/g1:1/read-receipts"):
        status, answer = await curl(server, path, token=token)
        check((status, answer["code"]) == (403, "disabled"), path, status, answer)
    status, answer = await curl(server, "/im/conversations/g1/read-cursor",
                                token=token, body={"read_to_seq": 1})
    check((status, answer["code"]) == (403, "disabled"), status, answer)
    peer = await stage.dial(server, token)
    await peer.say("hello", device="d")
    check((await peer.take({"t": "error"}))["code"] == "disabled")
    check((await peer.ended())[0] == 4403)
    item = await say_in(bob, "g1", "to nobody")
    path = f"/im/messages/g1:{item['seq']}/read-receipts"
    check((await curl(server, path, token=server.token("bob")))[1]["audience"] == 0)
    await moderate(server, "enable", "--user", "ann")
    ann = await stage.join(server, "ann")
    item = await say_in(bob, "g1", "to ann")
    path = f"/im/messages/g1:{item['seq']}/read-receipts"
    check((await curl(server, path, token=server.token("bob")))[1]["audience"] == 1)


@test
async def test_admin__says_why_nothing_was_done(stage):
    needs_curl()
    server = stage.serve()
    await group(stage, server, "g1", "ann", "bob")
    theirs = server.token("ann")
    for act in (("takedown", "--conv", "g1", "--seq", "1"), ("disable", "--user", "bob")):
        check("forbidden" in await moderate(server, *act, token=theirs, code=1), act)
    check("invalid" in await moderate(server, "promote", "--user", "bob", code=1))
    check("401" in await moderate(server, "enable", "--user", "bob", token="x", code=2))
    check("admin needs" in await moderate(server, "takedown", "--conv", "g1", code=2))
    server.stop()
    said = await moderate(server, "enable", "--user", "bob", code=2)
    check("connect" in said.lower(), said)


main()
