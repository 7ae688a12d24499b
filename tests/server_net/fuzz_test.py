"""Frames at random, right ones and bent ones, over real sockets: the server
stays, keeps its invariants, and leaves a database in which a check finds
nothing."""

import asyncio
import json
import os
import random
import subprocess
import time

from peers import PROGRAM, SCALE, SECONDS, check, curl, main, test
import websockets

FRAMES = max(8000 // SCALE, 500)
SEED = int(os.environ.get("SEEN_SEED") or time.time_ns())
print(f"# SEEN_SEED={SEED}")

USERS = ["ann", "bob", "cem"]
CONVERSATIONS = ["g1", "g2", "d1", "l1"]
FIELDS = ("t id op conv items epoch seq cleared keep expected target as_of convs version "
          "from to muted pinned body kind countable mentions users role open moderated "
          "receipts act user before limit device token").split()


def right(pick):
    """A frame as the protocol has it, about few enough things to meet others."""
    conv, seq, flag = pick.choice(CONVERSATIONS), pick.randrange(30), pick.random() < 0.5
    position = {"epoch": pick.randrange(3), "seq": seq}
    t, fields = pick.choice((
        ("read", {"items": [{"conv": conv, **position, "keep": flag, "cleared": [seq]}]}),
        ("delivered", {"items": [{"conv": conv, "seq": seq}]}),
        ("mark_unread", {"conv": conv, "expected": position, "target": max(seq - 2, 0)}),
        ("read_all", {"as_of": pick.randrange(200)}),
        ("fetch", {"convs": [conv]}),
        ("sync", {"version": pick.randrange(200)}),
        ("subscribe", {"conv": conv, "from": seq + 1, "to": seq + pick.randrange(1, 200)}),
        ("unsubscribe", {"conv": conv, "from": 1, "to": 9}),
        ("set", {"conv": conv, "muted": flag}),
        ("send", {"conv": conv, "body": "x", "mentions": pick.choice(["all", ["ann"], []])}),
        ("send", {"conv": conv, "target": seq + 1, "kind": pick.choice(["recall", "edit"])}),
        ("send", {"conv": conv, "target": seq + 1, "kind": "reaction", "countable": flag}),
        ("history", {"conv": conv, "before": seq + 1, "limit": 9}),
        ("create", {"conv": conv, "users": pick.sample(USERS, 2), "open": True,
                    "moderated": flag, "kind": pick.choice(["group", "large"])}),
        ("create", {"conv": conv, "users": [pick.choice(USERS)], "kind": "direct"}),
        ("add", {"conv": conv, "users": ["cem"], "role": pick.choice(["member", "bot"])}),
        ("remove", {"conv": conv, "users": ["cem"]}),
        ("join", {"conv": conv}),
        ("leave", {"conv": conv}),
        ("settings", {"receipts": flag}),
        ("admin", {"act": pick.choice(["takedown", "approve"]), "conv": conv, "seq": seq + 1}),
        ("admin", {"act": "purge", "conv": conv, "seq": max(seq // 4, 1)}),
        ("admin", {"act": pick.choice(["disable", "enable"]), "user": "cem"}),
    ))
    return {"t": t, "id": pick.randrange(1000), "op": f"o{pick.getrandbits(40)}", **fields}


def value(pick, depth=0):
    """Something that a field may or may not hold."""
    if depth < 3 and pick.random() < 0.2:
        return [value(pick, depth + 1) for _ in range(pick.randrange(4))]
    if depth < 3 and pick.random() < 0.2:
        return {pick.choice(FIELDS): value(pick, depth + 1) for _ in range(pick.randrange(4))}
    return pick.choice((None, True, False, 0, 1, 2**53 - 1, 2**53, -1, 1.5, "", "g1", "all",
                        "x" * 64, "y" * 65, "\u0001", "\U0001f600" * 16, pick.getrandbits(53)))


def bent(pick):
    frame = right(pick)
    for _ in range(pick.choice((0, 0, 0, 1, 2))):
        frame[pick.choice(FIELDS)] = value(pick)
    text = json.dumps(frame)
    if pick.random() < 0.01:
        at = pick.randrange(len(text))
        text = text[:at] + chr(pick.randrange(256)) + text[at + 1 :]
    return text


async def speak(stage, server, token, pick, count):
    """A device until it has said so much, or is closed for what it said."""
    peer = await stage.dial(server, token)
    try:
        await peer.say("hello", device=f"d{pick.randrange(3)}")
        for _ in range(count):
            await peer.socket.send(bent(pick))
            while peer.socket.messages:
                await peer.receive()
            peer.frames.clear()
        await peer.ask("fetch", convs=["none"])
    except (websockets.ConnectionClosed, AssertionError):
        pass
    await peer.close()
    stage.peers.remove(peer)
    return peer.socket.close_code


@test
async def test_frames__at_random_break_nothing(stage):
    pick = random.Random(SEED)
    much = str(10**6)
    server = stage.serve(
        "--window-ms", "5", "--requests-per-second", much, "--requests-burst", much,
        "--reports-per-second", much, "--reports-burst", much, db=stage.folder + "/db")
    tokens = [server.token("ann", "--admin"), server.token("bob"), server.token("cem")]
    codes = set()
    for _ in range(FRAMES // 400 + 1):
        codes |= set(await asyncio.gather(*(
            speak(stage, server, pick.choice(tokens), random.Random(pick.getrandbits(64)), 100)
            for _ in range(4))))
    check(codes <= {1000, 1007, 1008, 4401, 4403}, codes)
    _, text = await curl(server, "/metrics")
    value_of = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    for name in ("read_above_audience", "position_above_last", "counts_drifted"):
        check(value_of["seen_" + name] == "0", name, value_of["seen_" + name])
    check(int(value_of["seen_messages_total"]) > FRAMES // 100, "nothing was said")
    server.stop()
    done = subprocess.run([PROGRAM, "check", "--db", stage.folder + "/db"],
                          capture_output=True, text=True, timeout=SECONDS * 6)
    check(done.returncode == 0, done.stdout, done.stderr)


main()
