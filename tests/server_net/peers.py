"""What the tests of the server over the network share: a server of their own,
peers by the library `websockets`, requests by curl, and TAP.

A test is an async function with the decorator `test`; its name is a sentence.
It gets a Stage, whose servers and peers end with it.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request

import websockets

SCALE = max(1, int(os.environ.get("SEEN_SCALE") or 1))
SECONDS = 30 if SCALE == 1 else 60  # the bound of every wait
PROGRAM = sys.argv[1]
TESTS = []


class Skip(Exception):
    """Something that the test needs is not here."""


class TooLate(Exception):
    """What has to be done before a time was not: the machine is busy."""


def test(function):
    TESTS.append(function)
    return function


def check(held, *what):
    if not held:
        raise AssertionError(" ".join(str(each) for each in what))


class Server:
    """A seen-server on a free port of loopback, ended by its pid."""

    def __init__(self, folder, *settings, key=None, db=None):
        self.folder = folder
        self.key = key or os.path.join(folder, "key")
        if key is None and not os.path.exists(self.key):
            with open(self.key, "w") as file:
                file.write("a secret of the tests, of no use elsewhere\n")
        self.log = os.path.join(folder, f"log.{time.monotonic_ns()}")
        arguments = [PROGRAM, "--listen", "127.0.0.1:0", "--token-key", self.key]
        if db:
            arguments += ["--db", db]
        began = time.monotonic()
        self.process = subprocess.Popen(
            arguments + list(settings),
            stdout=subprocess.PIPE,
            stderr=open(self.log, "w"),
            text=True,
        )
        line = self.process.stdout.readline()
        self.ready_after = time.monotonic() - began
        if not line:
            raise AssertionError("no server: " + open(self.log).read())
        self.port = int(line.rsplit(":", 1)[1])
        self.secure = "--tls-cert" in settings
        # The thread sanitizer may lose a signal that comes when a process is
        # about to wait for the first time: until it answers.
        trust = ssl._create_unverified_context() if self.secure else None
        ask = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                          urllib.request.HTTPSHandler(context=trust))
        with ask.open(self.url("/healthz"), timeout=SECONDS) as answer:
            check(answer.status == 200, answer.status)

    def token(self, user, *more, key=None, ttl=3600):
        return subprocess.check_output(
            [PROGRAM, "token", "--token-key", key or self.key, "--user", user]
            + ["--ttl", str(ttl), *more],
            text=True,
        ).strip()

    def url(self, path, scheme="http"):
        scheme += "s" if self.secure else ""
        return f"{scheme}://127.0.0.1:{self.port}{path}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Drains it; what its sanitizers say is a failure."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(SECONDS * 6)  # of thousands of sockets, too
        check(code in (0, -signal.SIGKILL), "exit code", code, self.complaints())
        check(not self.complaints(), self.complaints())

    def complaints(self):
        with open(self.log, errors="replace") as file:
            said = file.read()
        found = re.search(r"(Sanitizer|runtime error:|Assertion)", said)
        return said[found.start() - 200 if found.start() > 200 else 0 :][:3000] if found else ""


class Peer:
    """A device of a user, by the library `websockets`."""

    def __init__(self, socket, device):
        self.socket = socket
        self.device = device
        self.frames = []
        self.last_id = 0

    async def receive(self, wait=SECONDS):
        text = await asyncio.wait_for(self.socket.recv(), wait)
        frame = json.loads(text)
        check(len(text.encode()) <= 65536, "a frame of", len(text))
        self.frames.append(frame)

    async def take(self, wanted, wait=SECONDS):
        """The first frame that holds what is wanted; the others are kept."""
        end = time.monotonic() + wait
        seen = 0
        while True:
            for frame in self.frames[seen:]:
                seen += 1
                if all(frame.get(name) == value for name, value in wanted.items()):
                    self.frames.remove(frame)
                    return frame
            left = end - time.monotonic()
            try:
                check(left > 0)
                await self.receive(left)
            except (AssertionError, asyncio.TimeoutError):
                raise AssertionError(
                    f"{self.device}: {wanted} did not come; came {self.frames[-3:]}"
                ) from None

    async def say(self, t, **fields):
        self.last_id += 1
        frame = {"t": t, "id": self.last_id, **fields}
        await self.socket.send(json.dumps(frame))
        return self.last_id

    async def ask(self, t, **fields):
        return await self.take({"id": await self.say(t, **fields)})

    async def silence(self, seconds, t):
        """No frame of this type comes for a while."""
        try:
            frame = await self.take({"t": t}, seconds)
        except AssertionError:
            return
        raise AssertionError(f"{self.device}: came {frame}")

    async def ended(self, wait=SECONDS):
        """Code and reason with which the server closed."""
        try:
            while True:
                await self.receive(wait)
        except websockets.ConnectionClosed as closed:
            if closed.rcvd is None:
                return (1006, "")
            return (closed.rcvd.code, closed.rcvd.reason)

    async def close(self):
        await self.socket.close()


class Stage:
    """What one test uses, and ends."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="seen-server-")
        self.servers = []
        self.peers = []
        self.device = 0

    def serve(self, *settings, **more):
        self.servers.append(Server(self.folder, *settings, **more))
        return self.servers[-1]

    async def dial(self, server, token=None, **more):
        """A socket that has not said hello."""
        if token:
            more["extra_headers"] = {"Authorization": "Bearer " + token}
        more.setdefault("subprotocols", ["seen.v1"])
        self.device += 1
        socket = await websockets.connect(
            server.url("/v1/socket", "ws"),
            ping_interval=None,
            close_timeout=SECONDS,
            max_size=1 << 24,
            max_queue=None,  # else it stops to read, also how it was closed
            **more,
        )
        self.peers.append(Peer(socket, f"d{self.device}"))
        return self.peers[-1]

    async def join(self, server, user, *more, hello={}):
        """A device that is welcome, with the rows of its first page."""
        peer = await self.dial(server, server.token(user, *more))
        asked = await peer.say("hello", device=peer.device, **hello)
        peer.welcome = await peer.take({"id": asked, "t": "welcome"})
        peer.changes = await peer.take({"id": asked, "t": "changes"})
        return peer

    async def end(self):
        for peer in self.peers:
            try:
                await asyncio.wait_for(peer.close(), 5)
            except Exception:
                pass
        for server in self.servers:
            server.stop()
        shutil.rmtree(self.folder)


async def curl(server, path, *more, token=None, body=None):
    """Status and JSON of a request, by curl."""
    arguments = ["curl", "-s", "-k", "--noproxy", "*", "-m", str(SECONDS), "-w", "\n%{http_code}"]
    if token:
        arguments += ["-H", "Authorization: Bearer " + token]
    if body is not None:
        arguments += ["--data-binary", body if isinstance(body, str) else json.dumps(body)]
    process = await asyncio.create_subprocess_exec(
        *arguments, *more, server.url(path), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    text, _, status = out.decode().rpartition("\n")
    try:
        return int(status), json.loads(text)
    except ValueError:
        return int(status), text


async def in_time(act, *times):
    """Does what has to be done within the first of these times; where it was
    too late, all over again within the next one."""
    for time_left in times[:-1]:
        try:
            return await act(time_left)
        except TooLate:
            pass
    return await act(times[-1])


async def hold(server, path, token):
    """A request that the server has read when this returns; to be awaited for
    status and JSON of its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n"
                 f"Authorization: Bearer {token}\r\n\r\n".encode())
    await writer.drain()

    async def answer():
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length: ")[1].split("\r\n")[0])
        body = await reader.readexactly(length)
        writer.close()
        return int(head.split(" ")[1]), json.loads(body)

    # It reads whoever has come, in turn: the second of these is asked for in a
    # later turn than the one that took the connection.
    for _ in range(2):
        await curl(server, "/healthz")
    return asyncio.create_task(asyncio.wait_for(answer(), SECONDS))


async def group(stage, server, conv, *users, kind="group", said=3):
    """A conversation of these; the second one has said something."""
    peers = [await stage.join(server, user) for user in users]
    made = await peers[0].ask(
        "create", op="create-" + conv, conv=conv, kind=kind, users=list(users[1:])
    )
    check(made["t"] == "ack", made)
    for number in range(said):
        await say_in(peers[1], conv, f"{conv} {number}")
    for peer in peers:
        await settle(peer)
    return peers


async def say_in(peer, conv, body, **more):
    answer = await peer.ask("send", op=f"{peer.device}-{time.monotonic_ns()}",
                            conv=conv, body=body, **more)
    check(answer["t"] == "ack", answer)
    return answer["items"][0]


async def settle(peer):
    """What the server said until now has come; it is dropped."""
    await peer.ask("fetch", convs=["none"])
    peer.frames.clear()


async def word(peer, conv):
    answer = await peer.ask("fetch", convs=[conv])
    check(len(answer["conversations"]) == 1, answer)
    return answer["conversations"][0]


async def run_one(function):
    stage = Stage()
    try:
        await function(stage)
    finally:
        await stage.end()


def main():
    print(f"1..{len(TESTS)}", flush=True)
    failed = 0
    for number, function in enumerate(TESTS, 1):
        name = function.__name__
        try:
            asyncio.run(run_one(function))
            print(f"ok {number} - {name}", flush=True)
        except Skip as why:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            failed = 1
            print(f"not ok {number} - {name}")
            for line in traceback.format_exc().splitlines()[-12:]:
                print("#", line[:1000], flush=True)
    sys.exit(failed)
