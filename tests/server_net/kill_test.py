"""SIGKILL at random under load, again and again: what was answered is there
after the restart, and what was not may be said again with the same op."""

import asyncio
import os
import random
import time

from peers import SCALE, SECONDS, check, main, test, word
import websockets

ROUNDS = max(50 // SCALE, 3)
SEED = int(os.environ.get("SEEN_SEED") or time.time_ns())
print(f"# SEEN_SEED={SEED}")


class Truth:
    """What the server answered, so that it may not be forgotten."""

    def __init__(self):
        self.version = 0
        self.last_seq = {}
        self.read = {}  # (user, conv): (epoch, seq)
        self.bodies = {}  # (conv, seq): body
        self.marks = {}  # op: (user, conv, epoch)
        self.unsure = {}  # op of a send without an answer: (conv, body)
        self.counts = {}  # (conv, seq): how many had read it
        self.compared = 0  # how many of these were not 0

    def word(self, user, conv, word):
        """An answer; those of two devices come in any order."""
        key = (user, conv)
        position = (word["read"]["epoch"], word["read"]["seq"])
        self.read[key] = max(position, self.read.get(key, (0, 0)))
        self.last_seq[conv] = max(word["last_seq"], self.last_seq.get(conv, 0))
        self.version = max(self.version, word["version"])

    def is_kept(self, user, conv, word):
        """What the server says now against all that it has answered."""
        position = (word["read"]["epoch"], word["read"]["seq"])
        known = self.read.get((user, conv), (0, 0))
        check(position >= known, user, conv, position, "was", known)
        check(word["last_seq"] >= self.last_seq.get(conv, 0), conv, word)
        self.word(user, conv, word)


CONVERSATIONS = ["g1", "g2", "g3"]


async def write(peer, user, truth, pick):
    """Speaks until the server is gone."""
    while True:
        conv = pick.choice(CONVERSATIONS)
        op = f"{user}-{pick.getrandbits(64):x}"
        known = truth.last_seq[conv]
        deed = pick.random()
        if deed < 0.5:
            truth.unsure[op] = (user, conv, "body " + op)
            ack = await peer.ask("send", op=op, conv=conv, body="body " + op)
            item = ack["items"][0]
            del truth.unsure[op]
            truth.bodies[conv, item["seq"]] = "body " + op
            truth.word(user, conv, item)
            continue
        epoch, seq = truth.read.get((user, conv), (0, 0))
        if deed < 0.8 or seq == 0:
            to = pick.randint(min(seq, known), known)
            ack = await peer.ask("read", items=[{"conv": conv, "epoch": epoch, "seq": to}])
        else:
            ack = await peer.ask("mark_unread", op=op, conv=conv, target=seq - 1,
                                 expected={"epoch": epoch, "seq": seq})
            if ack["items"][0]["result"] == "ok":
                truth.marks[op] = (user, conv, ack["items"][0]["read"]["epoch"])
        item = ack["items"][0]
        if "read" in item:
            truth.word(user, conv, item)


RANGE = 200  # messages of a subscription


def watched(truth, conv):
    """The newest messages, and those that come next."""
    first = max(1, truth.last_seq[conv] - RANGE // 2)
    return {"from": first, "to": first + RANGE - 1}


async def watch(peer, truth):
    """Counts of readers, until the server is gone."""
    for conv in CONVERSATIONS:
        await peer.say("subscribe", conv=conv, **watched(truth, conv))
    while True:
        told = await peer.take({"t": "receipts"})
        for seq, read, audience, *_ in told["rows"]:
            check(read <= audience, told)
            truth.counts[told["conv"], seq] = read


async def compare_counts(peer, truth):
    """What was told of readers was durable before (R6)."""
    for conv in CONVERSATIONS:
        answer = await peer.ask("subscribe", conv=conv, **watched(truth, conv))
        for seq, read, *_ in answer["rows"]:
            known = truth.counts.get((conv, seq), 0)
            check(read >= known, conv, seq, read, "was", known)
            truth.compared += known


async def compare(stage, server, truth):
    """All that was answered before the kill, asked for again."""
    peers = {}
    for user in ("ann", "bob"):
        peer = peers[user] = await stage.join(server, user)
        check(peer.welcome["version"] >= truth.version, "the version fell")
        for conv in CONVERSATIONS:
            truth.is_kept(user, conv, await word(peer, conv))
    await compare_counts(peers["ann"], truth)
    for conv in CONVERSATIONS:
        newest = max([seq for name, seq in truth.bodies if name == conv] or [0])
        page = await peers["ann"].ask("history", conv=conv, limit=100, before=newest + 1)
        for each in page["messages"]:
            wanted = truth.bodies.get((conv, each["seq"]))
            check(wanted in (None, each.get("body")), each, wanted)
    for op, (user, conv, body) in list(truth.unsure.items()):
        answers = [await peers[user].ask("send", op=op, conv=conv, body=body)
                   for _ in range(2)]
        seqs = [answer["items"][0]["seq"] for answer in answers]
        check(seqs[0] == seqs[1], "an op was done twice", seqs)
        check(truth.bodies.get((conv, seqs[0])) in (None, body))
        truth.bodies[conv, seqs[0]] = body
        truth.word(user, conv, answers[1]["items"][0])
        del truth.unsure[op]
    for op, (user, conv, epoch) in list(truth.marks.items())[-3:]:
        ack = await peers[user].ask("mark_unread", op=op, conv=conv, target=0,
                                    expected={"epoch": epoch - 1, "seq": 1})
        check(ack["items"][0]["result"] == "ok", "a mark was forgotten", ack)
    for peer in peers.values():
        await peer.close()
    stage.peers.clear()


async def all_bodies(stage, server):
    """Every message, to see that none is there twice."""
    peer = await stage.join(server, "ann")
    for conv in CONVERSATIONS:
        bodies, before = [], {}
        while True:
            page = await peer.ask("history", conv=conv, limit=100, **before)
            bodies += [each["body"] for each in page["messages"]]
            if not page["more"]:
                break
            before = {"before": page["messages"][-1]["seq"]}
        check(len(bodies) == len(set(bodies)), "a message is there twice")
        last = (await word(peer, conv))["last_seq"]
        check(len(bodies) == last, "seqs have holes", len(bodies), last)


async def there_was_load(truth, before, marks):
    """Until something more was answered, of which there is something to lose."""
    end = time.monotonic() + SECONDS
    while len(truth.bodies) < before + 2 or len(truth.marks) < marks:
        check(time.monotonic() < end, "there is no load")
        await asyncio.sleep(0.005)


def serve(stage):
    fast = ["--reports-per-second", "100000", "--reports-burst", "100000",
            "--requests-per-second", "100000", "--requests-burst", "100000"]
    return stage.serve("--window-ms", "5", *fast, db=stage.folder + "/db")


@test
async def test_kill__nothing_that_was_answered_is_lost(stage):
    pick = random.Random(SEED)
    truth = Truth()
    server = serve(stage)
    ann = await stage.join(server, "ann")
    for conv in CONVERSATIONS:
        ack = await ann.ask("create", op="c" + conv, conv=conv, users=["bob"])
        truth.word("ann", conv, ack["items"][0])
    await ann.close()
    for played in range(ROUNDS):
        writers, before = [], len(truth.bodies)
        for user in ("ann", "bob", "ann", "bob"):
            peer = await stage.join(server, user)
            writers.append(asyncio.create_task(
                write(peer, user, truth, random.Random(pick.getrandbits(64)))))
        watcher = await stage.join(server, "ann")
        writers.append(asyncio.create_task(watch(watcher, truth)))
        await asyncio.sleep(pick.uniform(0.02, 0.25) * max(1, SCALE / 4))
        await there_was_load(truth, before, 1 if played == ROUNDS - 1 else 0)
        server.kill()
        for ended in await asyncio.gather(*writers, return_exceptions=True):
            if not isinstance(ended, (websockets.ConnectionClosed, OSError)):
                raise ended
        stage.peers.clear()
        server = serve(stage)
        await compare(stage, server, truth)
    check(len(truth.bodies) > ROUNDS and truth.marks, "there was no load")
    check(SCALE > 1 or truth.compared, "no count was told")
    print(f"# {ROUNDS} kills, {len(truth.bodies)} messages, {len(truth.marks)} marks, "
          f"{truth.compared} counts")
    await all_bodies(stage, server)


main()
