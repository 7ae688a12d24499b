"""What nobody should send, and what it gets: the documented answer, while the
server goes on serving others."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import resource
import socket
import struct
import time

from peers import SCALE, SECONDS, Skip, TooLate, check, curl, group, in_time
from peers import main, say_in, test, word
import websockets


# Before what would end who is slow where no test said otherwise; slow builds
# take their time.
USUAL_HELLO = 10 * max(1, SCALE / 4)


async def serves(stage, server):
    """It still does what it is for."""
    peer = await stage.join(server, "somebody")
    check((await peer.ask("fetch", convs=["none"]))["missing"] == ["none"])


def frame_of(opcode, payload, final=True, masked=True, length=None):
    """One frame of a WebSocket by hand."""
    length = len(payload) if length is None else length
    head = bytes([(0x80 if final else 0) | opcode])
    mark = 0x80 if masked else 0
    if length < 126:
        head += bytes([mark | length])
    elif length < 65536:
        head += bytes([mark | 126]) + struct.pack(">H", length)
    else:
        head += bytes([mark | 127]) + struct.pack(">Q", length)
    return head + (bytes(4) if masked else b"") + payload


async def raw(server, token, path="/v1/socket", more=""):
    """A socket after its upgrade, without any library."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
        f"Sec-WebSocket-Protocol: seen.v1\r\n{more}"
        f"Authorization: Bearer {token}\r\n\r\n".encode())
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)
    return reader, writer, head.decode()


HELLO = b'{"t":"hello","id":1,"device":"raw"}'


async def code_of(reader):
    """The code of the close frame that comes; 1006: none."""
    try:
        while True:
            first, second = await asyncio.wait_for(reader.readexactly(2), SECONDS)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", await reader.readexactly(2))[0]
            payload = await reader.readexactly(length)
            if first & 15 == 8:
                return struct.unpack(">H", payload[:2])[0] if length >= 2 else 1005
    except (asyncio.IncompleteReadError, ConnectionError):
        return 1006


async def after(stage, server, text):
    peer = await stage.join(server, "ann")
    await peer.socket.send(text)
    return (await peer.ended())[0]


@test
async def test_frame__that_is_malformed_closes_with_1007(stage):
    server = stage.serve()
    for text in ("", "{", "nonsense", "[]", "1", '{"t":"read"}}', '{"t":"\\u0000"}',
                 '{"t":"x","id":1,"y":' + "[" * 8 + "]" * 8 + "}",
                 '{"a":' * 10000, "[" * 60000, b"{}"):
        check(await after(stage, server, text) == 1007, text[:40])
    await serves(stage, server)


@test
async def test_frame__that_is_no_utf8_closes_with_1007(stage):
    server = stage.serve()
    for bad in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"):
        reader, writer, _ = await raw(server, server.token("ann"))
        writer.write(frame_of(1, HELLO) + frame_of(1, b'{"t":"x","id":1,"y":"' + bad + b'"}'))
        check(await code_of(reader) == 1007, bad)
        writer.close()
    await serves(stage, server)


@test
async def test_frame__over_64_KiB_closes_with_1009(stage):
    server = stage.serve()
    text = '{"t":"x","id":1,"y":"' + "y" * 65536 + '"}'
    check(await after(stage, server, text) == 1009)
    check(await after(stage, server, [text[:40000], text[40000:]]) == 1009)
    reader, writer, _ = await raw(server, server.token("ann"))
    writer.write(frame_of(1, HELLO) + frame_of(1, b"x" * 70000, length=1 << 40))
    check(await code_of(reader) == 1009)
    writer.close()
    await serves(stage, server)


@test
async def test_frame__in_many_fragments_is_joined(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    text = json.dumps({"t": "read", "id": 77,
                       "items": [{"conv": "g1", "epoch": 0, "seq": 3}]})
    await ann.socket.send(list(text))
    check((await ann.take({"id": 77}))["items"][0]["unread"] == 0)


@test
async def test_frame__that_breaks_the_websocket_closes(stage):
    server = stage.serve()
    wrong = {
        "an opcode that is none": frame_of(3, b"x"),
        "a fragment of nothing": frame_of(0, b"x"),
        "a text inside of a text": frame_of(1, b"{", final=False) + frame_of(1, b"}"),
        "a ping in fragments": frame_of(9, b"x", final=False),
        "a reserved bit": bytes([0xC1, 0x81, 0, 0, 0, 0]) + b"x",
    }
    for name, frames in wrong.items():
        reader, writer, _ = await raw(server, server.token("ann"))
        writer.write(frame_of(1, HELLO) + frames)
        check(await code_of(reader) in (1002, 1006), name)
        writer.close()
    await serves(stage, server)


@test
async def test_upgrade__is_refused_with_a_status(stage):
    server = stage.serve("--origins", "https://a.example, https://b.example")
    for wanted, more in (
        (403, {"origin": "https://evil.example"}),
        (403, {"origin": "https://a.example.evil.example"}),
        (403, {"origin": "https://a.exampl"}),
        (400, {"subprotocols": None}),
        (400, {"subprotocols": ["other"]}),
        (400, {"subprotocols": ["seen.v12", "xseen.v1"]}),
    ):
        try:
            await stage.dial(server, server.token("ann"), **more)
            raise AssertionError(f"{more} came in")
        except websockets.InvalidStatusCode as error:
            check(error.status_code == wanted, more, error.status_code)
    await stage.dial(server, server.token("ann"), origin="https://b.example")
    await stage.dial(server, server.token("ann"), subprotocols=["other", "seen.v1", "x"])
    _, writer, head = await raw(server, server.token("ann"), path="/v1/other")
    check(head.startswith("HTTP/1.1 404 "), head)
    writer.close()
    status, _ = await curl(server, "/im/unread", "-H", "Origin: https://evil.example",
                           token=server.token("ann"))
    check(status == 403, status)


@test
async def test_upgrade__that_is_refused_says_why_in_a_frame(stage):
    server = stage.serve()
    usual = {"path": "/v1/socket", "upgrade": "websocket", "protocol": "seen.v1", "more": ""}
    for wanted, code, change in (
        (400, "unsupported", {"protocol": "other"}),
        (403, "forbidden", {"more": "Origin: https://evil.example\r\n"}),
        (404, "not_found", {"path": "/v1/other"}),
    ):
        asked = {**usual, **change}
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET {asked['path']} HTTP/1.1\r\nHost: x\r\nUpgrade: {asked['upgrade']}\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{asked['more']}"
            f"Sec-WebSocket-Protocol: {asked['protocol']}\r\n\r\n".encode())
        answer = (await asyncio.wait_for(reader.read(), SECONDS)).decode()
        head, _, body = answer.partition("\r\n\r\n")
        check(head.startswith(f"HTTP/1.1 {wanted} "), change, answer)
        check(json.loads(body) == {"t": "error", "code": code}, change, answer)
        writer.close()


@test
async def test_handshake__that_is_slow_is_ended(stage):
    server = stage.serve("--hello-ms", "700")
    began = time.monotonic()
    nothing, one = await asyncio.open_connection("127.0.0.1", server.port)
    dripping, two = await asyncio.open_connection("127.0.0.1", server.port)
    two.write(b"GET /v1/socket HTTP/1.1\r\nHost:")
    silent = await stage.dial(server, server.token("ann"))

    async def drip():
        while True:
            two.write(b"x")
            await asyncio.sleep(0.2)

    dripper = asyncio.create_task(drip())
    check(await silent.ended() == (1008, "no hello"))
    for each in (dripping, nothing):
        try:
            check(await asyncio.wait_for(each.read(), SECONDS) == b"")
        except ConnectionError:
            pass  # it was written to after it was ended
    check(time.monotonic() - began < USUAL_HELLO, time.monotonic() - began)
    dripper.cancel()
    one.close(), two.close()
    await serves(stage, server)


@test
async def test_body__that_is_slow_is_ended(stage):
    server = stage.serve("--hello-ms", "700")
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"POST /im/frames HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n"
                 f"Authorization: Bearer {server.token('ann')}\r\n\r\n[".encode())
    check(await asyncio.wait_for(reader.read(), SECONDS) == b"")
    check(time.monotonic() - began < USUAL_HELLO, time.monotonic() - began)
    writer.close()
    await serves(stage, server)


@test
async def test_hello__needs_a_token_and_may_bring_it(stage):
    server = stage.serve()
    peer = await stage.dial(server)
    await peer.say("hello", device="d", token=server.token("ann"))
    check((await peer.take({"t": "welcome"}))["user"] == "ann")
    for more in ({}, {"token": "x"}, {"token": server.token("ann", ttl=-5)}):
        peer = await stage.dial(server)
        await peer.say("hello", device="d", **more)
        check((await peer.take({"t": "error"}))["code"] == "unauthorized", more)
        check((await peer.ended())[0] == 4401, more)


@test
async def test_hello__in_a_flood_of_polled_connections_is_429(stage):
    server = stage.serve("--requests-per-second", "1", "--requests-burst", "3")
    token = server.token("ann")
    hello = [{"t": "hello", "id": 1, "device": "d"}]
    answers = await asyncio.gather(*(
        curl(server, "/im/frames", token=token, body=hello) for _ in range(12)))
    limited = [answer for status, answer in answers if status == 429]
    check(limited and limited[0]["code"] == "rate_limited", answers)
    check(0 < limited[0]["retry_ms"] <= 1000, limited)
    check((await curl(server, "/im/frames", token=server.token("bob"), body=hello))[0] == 200)


@test
async def test_request__of_rubbish_harms_nobody(stage):
    server = stage.serve()
    for text in (b"\0" * 100, b"GET\r\n\r\n", b"\x16\x03\x01" + os.urandom(200),
                 b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
                 b"POST /im/frames HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                 b"POST /im/frames HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n{",
                 b"GET /../../etc/passwd HTTP/1.1\r\n\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(text)
        try:
            await asyncio.wait_for(reader.read(100), 0.3)
        except (asyncio.TimeoutError, ConnectionError):
            pass
        writer.close()
    await serves(stage, server)


async def first_line(server, request):
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(request.encode())
    line = await asyncio.wait_for(reader.readline(), SECONDS)
    writer.close()
    return line.decode()


@test
async def test_request__that_is_wrong_is_answered(stage):
    server = stage.serve()
    token = server.token("ann")
    for wanted, path, more in (
        (404, "/im/nothing", {}),
        (404, "/im/poll?connection=0123", {}),
        (400, "/im/conversations?after=x", {}),
        (400, "/im/conversations?limit=-1", {}),
        (413, "/im/frames", {"body": "x" * 70000}),
        (400, "/im/frames", {"body": "{}"}),
        (400, "/im/frames", {"body": "["}),
        (400, "/im/frames", {"body": [{"t": "read", "id": 1, "items": []}]}),
        (400, "/im/frames", {"body": [{"t": "hello", "id": 1, "device": "d"}, 5]}),
        (400, "/im/conversations/g/read-cursor", {"body": {"read_to_seq": "x"}}),
        (404, "/im/messages/g/read-receipts", {}),
        (404, "/im/messages/:1/read-receipts", {}),
    ):
        status, answer = await curl(server, path, token=token, **more)
        check(status == wanted and answer["t"] == "error", path, status, answer)
    status, answer = await curl(server, "/im/frames", "-H", "Transfer-Encoding: chunked",
                                token=token, body="[]")
    check((status, answer["code"]) == (411, "invalid"), status, answer)
    for wanted, header in ((411, "Transfer-Encoding: chunked\r\nContent-Length: 2"),
                           (400, "Content-Length: -2"), (400, "Content-Length: two")):
        status = await first_line(server, f"POST /im/frames HTTP/1.1\r\nHost: x\r\n{header}"
                                  f"\r\nAuthorization: Bearer {token}\r\n\r\n[]")
        check(status.startswith(f"HTTP/1.1 {wanted} "), header, status)
    status, answer = await curl(server, "/v1/socket")
    check((status, answer["code"]) == (400, "unsupported"), status, answer)
    status, answer = await curl(server, "/im/unread")
    check((status, answer["code"]) == (401, "unauthorized"), status, answer)
    status, _ = await curl(server, "/im/unread", "-X", "DELETE", token=token)
    check(status == 404, status)
    await serves(stage, server)


@test
async def test_conversation__that_is_foreign_looks_like_none(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    eve = await stage.join(server, "eve")
    asks = (
        ("read", {"items": [{"conv": "?", "epoch": 0, "seq": 1}]}),
        ("delivered", {"items": [{"conv": "?", "seq": 1}]}),
        ("mark_unread", {"op": "o1", "conv": "?", "target": 0,
                         "expected": {"epoch": 0, "seq": 1}}),
        ("fetch", {"convs": ["?"]}),
        ("subscribe", {"conv": "?", "from": 1, "to": 3}),
        ("set", {"conv": "?", "muted": True}),
        ("send", {"op": "o2", "conv": "?", "body": "x"}),
        ("history", {"conv": "?", "limit": 10}),
        ("add", {"op": "o3", "conv": "?", "users": ["eve"]}),
        ("remove", {"op": "o4", "conv": "?", "users": ["ann"]}),
        ("join", {"op": "o5", "conv": "?"}),
        ("leave", {"op": "o6", "conv": "?"}),
    )
    for t, fields in asks:
        answers = []
        for conv in ("g1", "g9"):
            asked = json.loads(json.dumps(fields).replace('"?"', f'"{conv}"'))
            answer = await eve.ask(t, **asked)
            answers.append(json.dumps(answer).replace(conv, "?")
                           .replace(f'"id": {eve.last_id}', ""))
        check(answers[0] == answers[1], t, answers)
    check((await word(ann, "g1"))["last_seq"] == 3)


@test
async def test_user__comes_from_the_token_alone(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    ack = await bob.ask("read", user="ann", items=[
        {"conv": "g1", "epoch": 0, "seq": 3, "user": "ann"}])
    check(ack["t"] == "ack")
    check((await word(ann, "g1"))["read"]["seq"] == 0)
    ack = await bob.ask("send", op="forged", conv="g1", body="x", **{"from": "ann"})
    page = await ann.ask("history", conv="g1", limit=1)
    check(page["messages"][0]["from"] == "bob", page)
    ack = await bob.ask("admin", op="a1", act="takedown", conv="g1", seq=1)
    check(ack["t"] == "error" and ack["code"] == "forbidden", ack)


@test
async def test_op__of_another_user_is_another_op(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    first = (await ann.ask("send", op="same", conv="g1", body="a"))["items"][0]
    again = (await ann.ask("send", op="same", conv="g1", body="a"))["items"][0]
    check(first["seq"] == again["seq"] == 4, first, again)
    theirs = (await bob.ask("send", op="same", conv="g1", body="b"))["items"][0]
    check(theirs["seq"] == 5, theirs)
    reused = await ann.ask("create", op="same", conv="g2")
    check(reused["t"] == "error" and reused["code"] == "op_reused", reused)


@test
async def test_cursor__that_was_tampered_with_is_400(stage):
    server = stage.serve()
    users = [f"u{number:02}" for number in range(30)]
    ann = await stage.join(server, "ann")
    await ann.ask("create", op="c", conv="g1", users=users)
    await say_in(ann, "g1", "one")
    await say_in(ann, "g1", "two")
    token = server.token("ann")

    async def page(seq, status, cursor):
        path = f"/im/messages/g1:{seq}/read-receipts?limit=5&status={status}"
        return await curl(server, path + f"&cursor={cursor}", token=token)

    status, answer = await page(1, "unread", "")
    cursor = answer["cursor"]
    check((await page(1, "unread", cursor))[0] == 200)
    check((await page(2, "unread", cursor))[0] == 400, "another message")
    check((await page(1, "delivered", cursor))[0] == 400, "another status")
    for at in (0, len(cursor) // 2, len(cursor) - 1):
        other = "A" if cursor[at] != "A" else "B"
        bent = cursor[:at] + other + cursor[at + 1:]
        check((await page(1, "unread", bent))[0] in (400, 429), bent)
    check((await page(1, "unread", "x"))[0] in (400, 429))


@test
async def test_query__that_is_too_long_is_none(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    token, path = server.token("bob"), "/im/messages/g1:1/read-receipts?"
    for query in ("status=unread&cursor=" + "A" * 700, "status=" + "unread" * 9,
                  "limit=" + "1" * 40):
        status, answer = await curl(server, path + query, token=token)
        check((status, answer["code"]) == (400, "invalid"), query, status, answer)
    hello = [{"t": "hello", "id": 1, "device": "d"}]
    status, answer = await curl(server, "/im/frames?connection=" + "f" * 99,
                                token=token, body=hello)
    check(status == 404, status, answer)


@test
async def test_token__that_is_wrong_opens_nothing(stage):
    server = stage.serve()
    secret = open(server.key, "rb").read().strip()

    def packed(value):
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        return base64.urlsafe_b64encode(text).rstrip(b"=").decode()

    def signed(head, claims, key=secret):
        text = packed(head) + "." + packed(claims)
        return text + "." + packed(hmac.new(key, text.encode(), hashlib.sha256).digest())

    hs256 = {"alg": "HS256", "typ": "JWT"}
    later = int(time.time()) + 3600
    good = signed(hs256, {"sub": "ann", "exp": later})
    check((await curl(server, "/im/unread", token=good))[0] == 200)
    wrong = {
        "no signature": packed({"alg": "none"}) + "." + packed({"sub": "ann"}) + ".",
        "alg none, signed": signed({"alg": "none"}, {"sub": "ann", "exp": later}),
        "another alg": signed({"alg": "HS512"}, {"sub": "ann", "exp": later}),
        "another key": signed(hs256, {"sub": "ann", "exp": later}, b"x" * 32),
        "expired": signed(hs256, {"sub": "ann", "exp": int(time.time()) - 5}),
        "not yet": signed(hs256, {"sub": "ann", "exp": later, "nbf": later - 60}),
        "no user": signed(hs256, {"exp": later}),
        "a user that is no text": signed(hs256, {"sub": 7, "exp": later}),
        "a user that is empty": signed(hs256, {"sub": "", "exp": later}),
        "a user that is long": signed(hs256, {"sub": "u" * 65, "exp": later}),
        "a user with a line": signed(hs256, {"sub": "a\nb", "exp": later}),
        "a time that is none": signed(hs256, {"sub": "ann", "exp": "soon"}),
        "other claims": good.split(".")[0] + "." + packed({"sub": "bob", "exp": later})
                        + "." + good.split(".")[2],
        "rubbish": "x",
        "long rubbish": "x" * 6000,
    }
    for name, token in wrong.items():
        status, answer = await curl(server, "/im/unread", token=token)
        check((status, answer["code"]) == (401, "unauthorized"), name, status, answer)
        if len(token) < 4000:
            peer = await stage.dial(server, token)
            check((await peer.ended())[0] == 4401, name)
    await serves(stage, server)


@test
async def test_poll__of_another_user_is_404(stage):
    server = stage.serve()
    _, frames = await curl(server, "/im/frames", token=server.token("ann"),
                           body=[{"t": "hello", "id": 1, "device": "d"}])
    name = frames[0]["connection"]
    eve = server.token("eve")
    check((await curl(server, f"/im/poll?connection={name}", token=eve))[0] == 404)
    status, _ = await curl(server, f"/im/frames?connection={name}", token=eve,
                           body=[{"t": "sync", "id": 2, "version": 0}])
    check(status == 404, status)


@test
async def test_poll__may_what_the_token_of_its_request_may(stage):
    server = stage.serve()
    await group(stage, server, "g1", "ann", "bob")
    hello = {"t": "hello", "id": 1, "device": "d"}
    act = {"t": "admin", "id": 2, "op": "a", "act": "takedown", "conv": "g1", "seq": 1}
    usual = server.token("ann")

    async def begin(seconds):
        short = server.token("ann", "--admin", ttl=seconds)
        status, frames = await curl(server, "/im/frames", token=short, body=[hello])
        if status == 401:
            raise TooLate
        path = f"/im/frames?connection={frames[0]['connection']}"
        status, frames = await curl(server, path, token=usual, body=[act])
        if status == 404:  # it ended with its token
            raise TooLate
        check(frames[0]["code"] == "forbidden", frames)
        return short, path

    short, path = await in_time(begin, 2, 8, 30)
    end = time.monotonic() + SECONDS
    while (await curl(server, "/im/unread", token=short))[0] != 401:
        check(time.monotonic() < end, "it does not expire")
        await asyncio.sleep(0.2)
    check((await curl(server, path, token=short, body=[act]))[0] == 401)
    _, frames = await curl(server, path, token=server.token("ann", "--admin"), body=[act])
    check(frames[0]["t"] == "ack", frames)


@test
async def test_reports__in_a_flood_are_all_answered(stage):
    server = stage.serve()
    ann, bob = await group(stage, server, "g1", "ann", "bob", said=40)
    count = 600
    for number in range(count):
        await ann.say("read", items=[{"conv": "g1", "epoch": 0, "seq": 1 + number % 40}])
    began = time.monotonic()
    check((await word(bob, "g1"))["last_seq"] == 40)
    # As long as its reports take by what is allowed a second would be 30 s.
    check(time.monotonic() - began < 15, "others had to wait")
    results = []
    for _ in range(count):
        ack = await ann.take({"t": "ack", "of": "read"}, SECONDS * 3)
        results.append(ack["items"][0].get("code", ack["items"][0]["result"]))
    check(set(results) <= {"ok", "stale", "rate_limited"}, set(results))
    check("rate_limited" in results, "nothing was limited")
    ann.frames.clear()
    check((await word(ann, "g1"))["read"]["seq"] == 40)


@test
async def test_lists__in_a_flood_are_429_with_retry_ms(stage):
    server = stage.serve("--lists-per-second", "1", "--lists-burst", "3")
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    path, token = "/im/messages/g1:1/read-receipts", server.token("bob")
    answers = await asyncio.gather(*(curl(server, path, token=token) for _ in range(12)))
    check([status for status, _ in answers].count(200) >= 3, answers)
    limited = [answer for status, answer in answers if status == 429]
    check(limited and limited[0]["code"] == "rate_limited", answers)
    check(0 < limited[0]["retry_ms"] <= 1000, limited)


@test
async def test_connection__that_does_not_read_gets_a_resync(stage):
    server = stage.serve("--queue-bytes", "8192", "--dirty-rows", "2",
                         "--ping-ms", "300000", "--give-up-ms", "600000",
                         "--requests-per-second", "100000", "--requests-burst", "100000")
    names = ["g1", "g2", "g3", "g4"]
    for name in names:
        ann, bob = await group(stage, server, name, "ann", "bob", said=1)
    # A buffer of the kernel that is small: what waits, waits in the server.
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect(("127.0.0.1", server.port))
    slow = await stage.dial(server, server.token("ann"), sock=narrow)
    await slow.say("hello", device="slow")
    await slow.take({"t": "changes"})
    slow.socket.transport.pause_reading()
    body = "b" * 8000
    for number in range(800):
        await say_in(bob, names[number % 4], body)
        bob.frames.clear()
    slow.socket.transport.resume_reading()
    again = await slow.take({"t": "resync"}, SECONDS * 3)
    check(again["why"] == "slow", again)
    slow.frames.clear()
    page = await slow.ask("sync", version=0)
    check(len(page["conversations"]) == 4, page)


@test
async def test_sockets__ten_thousand_are_idle(stage):
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    count = min(10000 // SCALE, files - 500)
    if count < 100:
        raise Skip(f"{files} files at once")
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    server = stage.serve("--hello-ms", "600000", "--ping-ms", "300000",
                         "--give-up-ms", "600000")
    token = server.token("idle")
    request = (
        f"GET /v1/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Protocol: seen.v1\r\nAuthorization: Bearer {token}\r\n\r\n"
    ).encode()
    idle = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", server.port))
        one.sendall(request)
        idle.append(one)
    for one in idle:
        one.settimeout(SECONDS * 6)
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += one.recv(1)
        check(b" 101 " in answer)
        one.sendall(frame_of(1, HELLO))
    for one in idle:
        check(one.recv(2)[0] == 0x81, "no welcome")
    ann, bob = await group(stage, server, "g1", "ann", "bob")
    began = time.monotonic()
    await ann.ask("read", items=[{"conv": "g1", "epoch": 0, "seq": 3}])
    took = time.monotonic() - began
    for one in idle:
        one.close()
    check(took < SECONDS, "a read took", took)


@test
async def test_connections__over_the_limit_are_not_taken(stage):
    server = stage.serve("--connections", "5")
    peers = [await stage.join(server, f"u{number}") for number in range(4)]
    refused = 0
    for _ in range(5):
        try:
            peers.append(await asyncio.wait_for(stage.join(server, "more"), 3))
        except Exception:
            refused += 1
    check(refused >= 3, refused)
    await peers[0].ask("fetch", convs=["none"])


main()
