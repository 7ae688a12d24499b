"""The client against sockets that nobody here wrote: Python's `websockets`,
in front of a seen-server to which it plays docs/vectors, and by itself where
it closes, fragments, and speaks TLS.
"""

import asyncio
import glob
import json
import os
import re
import ssl
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server_net"))

from peers import SECONDS, check, main, test  # noqa: E402

import websockets  # noqa: E402

PUPPET = sys.argv[2]
VECTORS = os.path.join(HERE, "..", "..", "docs", "vectors")
PEER, LOST, TLS = 9, 10, 5  # of seen_ended
FAST = ["--requests-per-second", "5000", "--requests-burst", "5000",
        "--reports-per-second", "5000", "--reports-burst", "5000",
        "--window-ms", "20"]


class Puppet:
    """A client of ours, led by lines."""

    @staticmethod
    async def start(user, token, url, port=0, *more):
        self = Puppet()
        self.lines = []
        self.process = await asyncio.create_subprocess_exec(
            PUPPET, user, token, url, str(port), *more,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        return self

    def say(self, line):
        self.process.stdin.write((line + "\n").encode())

    async def hear(self, pattern, wait=SECONDS):
        """The next line like this; what comes before it is kept in `lines`."""
        while True:
            try:
                line = await asyncio.wait_for(self.process.stdout.readline(), wait)
            except asyncio.TimeoutError:
                line = b""
            check(line, pattern, "did not come; came", self.lines[-4:])
            self.lines.append(line.decode().strip())
            if re.search(pattern, self.lines[-1]):
                return self.lines[-1]

    async def end(self):
        self.say("end")
        code = await asyncio.wait_for(self.process.wait(), SECONDS)
        check(code == 0, "the client ended with", code)


def holds(value, wanted):
    """docs/protocol.md, Vectors: holds at least."""
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return False
        return all(name not in value if each is None else
                   name in value and holds(value[name], each)
                   for name, each in wanted.items())
    if isinstance(wanted, list):
        return (isinstance(value, list) and len(value) == len(wanted)
                and all(map(holds, value, wanted)))
    return type(value) is type(wanted) and value == wanted


class Bridge:
    """A server by `websockets` whose one client is passed on to a seen-server;
    what other connections of that user are told can be said to it, too."""

    def __init__(self, server, fragments=False):
        self.server = server
        self.fragments = fragments
        self.client = None
        self.extensions = []
        self.pongs = 0
        self.one_at_a_time = asyncio.Lock()  # libwebsockets answers one ping

    async def serve(self):
        self.door = await websockets.serve(
            self.talk, "127.0.0.1", 0, subprotocols=["seen.v1"],
            max_size=65536, ping_interval=None)  # it would compress, if asked
        port = self.door.sockets[0].getsockname()[1]
        return f"ws://127.0.0.1:{port}"

    async def tell(self, text):
        async with self.one_at_a_time:
            await self.pass_on(text)

    async def pass_on(self, text):
        if not self.client:
            return
        try:
            if self.fragments and len(text) > 2:
                middle = len(text) // 2
                pong = await self.client.ping()
                pong.add_done_callback(lambda it: it.cancelled() or it.exception())
                await self.client.send([text[:1], text[1:middle], text[middle:]])
                await asyncio.wait_for(pong, SECONDS)
                self.pongs += 1
            else:
                await self.client.send(text)
        except websockets.ConnectionClosed:
            pass

    async def talk(self, socket, *_):
        self.extensions.append(socket.request_headers.get("Sec-WebSocket-Extensions"))
        headers = {"Authorization": socket.request_headers["Authorization"]}
        async with websockets.connect(
                self.server.url("/v1/socket", "ws"), subprotocols=["seen.v1"],
                extra_headers=headers, ping_interval=None, max_size=1 << 24) as up:
            self.client = socket
            down = asyncio.ensure_future(self.carry_down(up))
            try:
                async for text in socket:
                    await up.send(text)
            except websockets.ConnectionClosed:
                pass
            self.client = None
            down.cancel()

    async def carry_down(self, up):
        try:
            async for text in up:
                await self.tell(text)
        except websockets.ConnectionClosed:
            pass
        if self.client:
            await self.client.close(up.close_code or 1011)

    def stop(self):
        self.door.close()


class Play:
    """One vector, played to the server; what its user is told on every
    connection is told to the client as well, once more than it would be."""

    def __init__(self, stage, server, bridge, number):
        self.stage, self.server, self.bridge = stage, server, bridge
        self.number = number
        self.user = None
        self.saved = {}
        self.peers = {}
        self.listeners = []

    def fill(self, value):
        if isinstance(value, dict):
            return {name: self.fill(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self.fill(each) for each in value]
        if isinstance(value, str):
            if value[:1] == "@" and value[1:] in self.saved:
                return self.saved[value[1:]]
            return re.sub(r"\$(\w+)", rf"\1-{self.number}", value)
        return value

    async def listen(self, peer, is_user):
        try:
            async for text in peer.socket:
                frame = json.loads(text)
                peer.frames.append(frame)
                if is_user and frame["t"] not in ("welcome", "error", "resync"):
                    await self.bridge.tell(text)
        except websockets.ConnectionClosed:
            pass

    async def connect(self, step):
        user = self.fill(step["user"])
        admin = ["--admin"] if step.get("admin") else []
        peer = await self.stage.dial(self.server, self.server.token(user, *admin))
        self.peers[step["connect"]] = peer
        is_user = user == self.user
        self.listeners.append(asyncio.ensure_future(self.listen(peer, is_user)))
        await self.send(peer, {"t": "hello", "device": step["connect"],
                               **self.fill(step.get("hello", {}))})

    async def send(self, peer, frame):
        peer.last_id += 1
        frame.setdefault("id", peer.last_id)
        try:
            await peer.socket.send(json.dumps(frame))
        except websockets.ConnectionClosed:
            return
        await self.await_frame(peer, {"id": frame["id"]}, 2)

    async def await_frame(self, peer, wanted, wait=0.2):
        end = time.monotonic() + wait
        while time.monotonic() < end:
            for frame in peer.frames:
                if holds(frame, wanted):
                    return frame
            await asyncio.sleep(0.005)
        return None  # whether it comes is for other tests to say

    async def expect(self, step):
        peer = self.peers[step["expect"]]
        frame = await self.await_frame(peer, self.fill(step["frame"]),
                                       SECONDS if "save" in step else 0.2)
        if frame:
            peer.frames.remove(frame)
        for name, path in step.get("save", {}).items():
            for each in path.split("."):
                frame = frame[int(each) if isinstance(frame, list) else each]
            self.saved[name] = frame

    async def play(self, steps):
        for step in steps:
            if "connect" in step:
                await self.connect(step)
            elif "send" in step:
                await self.send(self.peers[step["send"]], self.fill(step["frame"]))
            elif "expect" in step:
                await self.expect(step)
            elif "close" in step:
                await self.peers[step["close"]].close()

    def end(self):
        for each in self.listeners:
            each.cancel()


def vectors():
    for path in sorted(glob.glob(os.path.join(VECTORS, "*.jsonl"))):
        steps = None
        with open(path) as file:
            for line in file:
                if not line.strip() or line.startswith("#"):
                    continue
                step = json.loads(line)
                if "vector" in step:
                    if steps:
                        yield steps
                    steps = []
                steps.append(step)
        yield steps


def user_of(steps):
    """Whose other device the client is: the first who is no admin."""
    return next(step["user"] for step in steps
                if "connect" in step and not step.get("admin"))


async def play_one(stage, server, number, steps, fragments):
    bridge = Bridge(server, fragments)
    url = await bridge.serve()
    play = Play(stage, server, bridge, number)
    play.user = play.fill(user_of(steps))
    token = server.token(play.user)
    client = await Puppet.start(play.user, token, url, server.port)
    await client.hear("^online .* synced 1")
    await play.play(steps)
    disabled = any(step.get("frame", {}).get("act") == "disable" and
                   play.fill(step["frame"].get("user")) == play.user
                   for step in steps)
    if not disabled:
        client.say("agree")
        said = await client.hear("^(agrees|differs)$", 2 * SECONDS)
        check(said == "agrees", steps[0]["vector"], client.lines[-9:])
    dropped = [line for line in client.lines if line.startswith("waiting")]
    check(disabled or not dropped, steps[0]["vector"], dropped)
    check(not any(bridge.extensions), "asks for", bridge.extensions)
    check(bool(bridge.pongs) == fragments)
    await client.end()
    play.end()
    bridge.stop()


async def play_all(stage, fragments):
    """Some side by side."""
    server = stage.serve(*FAST)
    places = asyncio.Semaphore(6)

    async def in_place(number, steps):
        async with places:
            await play_one(stage, server, number, steps, fragments)

    all_steps = list(vectors())
    check(len(all_steps) > 40, len(all_steps), "vectors")
    await asyncio.gather(*(in_place(number, steps)
                           for number, steps in enumerate(all_steps)))


@test
async def after_each_vector_the_client_shows_what_the_server_counts(stage):
    await play_all(stage, fragments=False)


@test
async def in_fragments_and_with_pings_between_them_as_well(stage):
    await play_all(stage, fragments=True)


class Door:
    """A server that is welcoming, and then does what a test says."""

    def __init__(self, act=None):
        self.act = act
        self.heard = asyncio.Event()  # the client told that it was online
        self.tokens = []
        self.hellos = 0

    async def talk(self, socket, *_):
        self.tokens.append(socket.request_headers.get("Authorization"))
        hello = json.loads(await socket.recv())
        self.hellos += 1
        await socket.send(json.dumps({
            "t": "welcome", "id": hello["id"], "user": "ann", "incarnation": "i",
            "version": 1, "mode": "snapshot", "receipts": True, "limits": {}}))
        await socket.send(json.dumps({
            "t": "changes", "id": hello["id"], "from": 0, "version": 1,
            "conversations": [], "more": False}))
        if self.act:
            await self.act(socket)
        await socket.wait_closed()

    async def serve(self, context=None):
        self.door = await websockets.serve(
            self.talk, "127.0.0.1", 0, subprotocols=["seen.v1"], ssl=context,
            ping_interval=None)
        return self.door.sockets[0].getsockname()[1]


async def closed_with(code):
    """What the client says when it is closed once, and the door."""
    async def act(socket):
        if door.hellos > 1:
            return
        await door.heard.wait()
        if code == 1006:
            socket.transport.abort()
        else:
            await socket.close(code, "the test says so")

    door = Door(act)
    port = await door.serve()
    client = await Puppet.start("ann", "token", f"ws://127.0.0.1:{port}")
    await client.hear("^online")
    door.heard.set()
    return client, door


@test
async def whatever_a_server_closes_with_it_comes_back(stage):
    """C260."""
    for code in (1000, 1001, 1006, 1007, 1008, 1009, 1011):
        client, door = await closed_with(code)
        said = await client.hear("^waiting")
        wanted = f"cause {LOST} " if code == 1006 else f"cause {PEER} code {code} "
        check(wanted in said, code, said)
        client.say("network")  # in place of a wait
        await client.hear("^online")
        check(door.hellos == 2, code, door.hellos)
        check("token" not in client.lines, "a token was thrown away")  # C256
        await client.end()
        door.door.close()


@test
async def a_token_that_is_over_is_asked_for(stage):
    client, door = await closed_with(4401)
    await client.hear("^unauthorized")
    if "token" not in client.lines:
        await client.hear("^token$")
    check(door.hellos == 1)
    client.say("token another")
    await client.hear("^online")
    check(door.tokens == ["Bearer token", "Bearer another"], door.tokens)
    await client.end()
    door.door.close()


@test
async def an_account_that_is_disabled_is_left_alone(stage):
    client, door = await closed_with(4403)
    await client.hear("^disabled")
    await asyncio.sleep(0.5)
    check(door.hellos == 1, door.hellos)
    await client.end()
    door.door.close()


def papers(stage):
    """Two CAs, and what they vouch for."""
    def run(command):
        done = subprocess.run(command, shell=True, cwd=stage.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        check(done.returncode == 0, command, done.stdout.decode()[-500:])

    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    for name in ("ca", "foreign_ca"):
        run(f"openssl req -x509 {key} -keyout {name}.key -out {name}.pem -days 2"
            f" -subj /CN={name} -addext basicConstraints=critical,CA:TRUE")
    for name, ca, host, days in (("good", "ca", "localhost", 2),
                                 ("other", "ca", "elsewhere.test", 2),
                                 ("over", "ca", "localhost", -1),
                                 ("foreign", "foreign_ca", "localhost", 2)):
        run(f"openssl req {key} -keyout {name}.key -out {name}.csr -subj /CN={name}"
            f" && printf 'subjectAltName=DNS:{host}\\n' >{name}.ext"
            f" && openssl x509 -req -in {name}.csr -CA {ca}.pem -CAkey {ca}.key"
            f" -CAcreateserial -extfile {name}.ext -out {name}.pem -days {days}")


def pin_of(stage, name):
    return subprocess.check_output(
        f"openssl x509 -in {name}.pem -pubkey -noout | openssl pkey -pubin "
        "-outform der | openssl dgst -sha256 -binary | openssl base64",
        shell=True, cwd=stage.folder, text=True).strip()


async def trusts(stage, name, *pin):
    """What the client, who knows `ca`, says of a server with these papers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(stage.folder, name + ".pem"),
                            os.path.join(stage.folder, name + ".key"))
    door = Door()
    port = await door.serve(context)
    client = await Puppet.start("ann", "token", f"wss://localhost:{port}", 0,
                                os.path.join(stage.folder, "ca.pem"), *pin)
    said = await client.hear("^(online|waiting)")
    await client.end()
    door.door.close()
    if said.startswith("online"):
        return True
    check(f"cause {TLS} " in said, name, said)
    check(door.hellos == 0 and not door.tokens, "it got the token")
    return False


@test
async def only_who_its_ca_vouches_for_is_spoken_to(stage):
    papers(stage)
    check(await trusts(stage, "good"))
    check(not await trusts(stage, "other"))
    check(not await trusts(stage, "over"))
    check(not await trusts(stage, "foreign"))


@test
async def and_of_these_only_whose_key_is_pinned(stage):
    papers(stage)
    good = pin_of(stage, "good")
    check(await trusts(stage, "good", good))
    check(not await trusts(stage, "good", pin_of(stage, "over")))
    check(not await trusts(stage, "foreign", pin_of(stage, "foreign")))


if __name__ == "__main__":
    main()
