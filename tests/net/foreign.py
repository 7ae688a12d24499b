"""A server by the library `websockets`, which agrees to compression where it
is asked for: it gives each frame back, and as fragments what begins with "[".
Prints its port, and ends with its standard input.
"""

import asyncio
import sys

import websockets


async def talk(socket, *_):
    async for frame in socket:
        if frame == "close":
            await socket.close(4401, "over")
        elif frame.startswith("["):
            await socket.send([frame[:1], frame[1:2], frame[2:]])
        else:
            await socket.send(frame)


async def main():
    async with websockets.serve(
        talk, "127.0.0.1", 0, subprotocols=["seen.v1"], max_size=65536
    ) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main())
