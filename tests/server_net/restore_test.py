"""A database that was put back from a copy is another history: clients take
a snapshot of it, and what they report again is taken."""

import os
import sqlite3
import subprocess

from peers import PROGRAM, check, main, test, word


def restore(db):
    return subprocess.run([PROGRAM, "restore", "--db", db], capture_output=True, text=True)


def back_up(db, copy):
    """While the server runs, as the page of the server says."""
    with sqlite3.connect(db) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    target.close()
    source.close()


async def talk(stage, db, copy):
    """Bob has read 1 when the copy is made, and 3 at the end."""
    server = stage.serve(db=db)
    ann = await stage.join(server, "ann")
    bob = await stage.join(server, "bob")
    await ann.ask("create", op="c", conv="g", users=["bob"])
    await ann.ask("send", op="1", conv="g", body="one")
    await bob.ask("read", items=[{"conv": "g", "epoch": 0, "seq": 1}])
    back_up(db, copy)
    for n in ("2", "3"):
        await ann.ask("send", op=n, conv="g", body=n)
    ack = await bob.ask("read", items=[{"conv": "g", "epoch": 0, "seq": 3}])
    held = {"incarnation": bob.welcome["incarnation"], "version": ack["items"][0]["version"]}
    for peer in (ann, bob):
        await peer.close()
    server.stop()
    return held


def put_back(db, copy):
    for end in ("-wal", "-shm"):
        if os.path.exists(db + end):
            os.remove(db + end)
    os.replace(copy, db)


@test
async def test_restore__clients_of_before_get_a_snapshot(stage):
    db, copy = stage.folder + "/db", stage.folder + "/copy"
    held = await talk(stage, db, copy)
    put_back(db, copy)
    done = restore(db)
    check(done.returncode == 0, done.stderr)
    server = stage.serve(db=db)
    bob = await stage.join(server, "bob", hello=held)
    check(bob.welcome["mode"] == "snapshot", bob.welcome)
    check(bob.welcome["incarnation"] != held["incarnation"], bob.welcome)
    check(bob.welcome["incarnation"] in done.stdout, done.stdout)
    check(bob.welcome["version"] < held["version"], bob.welcome, held)
    check(bob.changes["from"] == 0, bob.changes)
    row = bob.changes["conversations"][0]
    check((row["last_seq"], row["read"]["seq"]) == (1, 1), row)


@test
async def test_restore__the_new_history_is_resumed_like_any(stage):
    db, copy = stage.folder + "/db", stage.folder + "/copy"
    await talk(stage, db, copy)
    put_back(db, copy)
    check(restore(db).returncode == 0)
    server = stage.serve(db=db)
    bob = await stage.join(server, "bob")
    held = {"incarnation": bob.welcome["incarnation"], "version": bob.changes["version"]}
    ann = await stage.join(server, "ann")
    await ann.ask("send", op="2", conv="g", body="another two")
    ack = await bob.ask("read", items=[{"conv": "g", "epoch": 0, "seq": 2}])
    check(ack["items"][0]["result"] == "ok", ack)
    await bob.close()
    again = await stage.join(server, "bob", hello=held)
    check(again.welcome["mode"] == "resume", again.welcome)
    check((await word(again, "g"))["read"]["seq"] == 2)


@test
async def test_restore__leaves_alone_what_it_can_not_take(stage):
    db = stage.folder + "/db"
    done = restore(db)
    check(done.returncode == 2 and "No such file" in done.stderr, done)
    check(not os.path.exists(db), "it made a database")
    server = stage.serve(db=db)
    name = (await stage.join(server, "ann")).welcome["incarnation"]
    done = restore(db)
    check(done.returncode == 2 and "another server" in done.stderr, done)
    server.stop()
    server = stage.serve(db=db)
    check((await stage.join(server, "ann")).welcome["incarnation"] == name)
    bare = subprocess.run([PROGRAM, "restore"], capture_output=True, text=True)
    check(bare.returncode == 2 and "restore needs --db" in bare.stderr, bare)


main()
