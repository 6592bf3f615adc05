"""Calls a silent service and prints how the calls end: in a loop that something else blocks, and within a time limit."""

import asyncio
import faulthandler
import time

import roshambo
from roshambo import _surface

_surface.STREAM_TIMEOUT = 0.1


async def block() -> None:
    while True:
        time.sleep(0.3)
        await asyncio.sleep(0)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if b"/api/events" in await reader.readline():
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: alive\n\n")
    await reader.read()
    writer.close()


async def call(client: roshambo.AsyncClient) -> None:
    busy = asyncio.create_task(block())
    try:
        await client.get_me()
    except roshambo.ConnectionFailed:
        print("connection")
    finally:
        busy.cancel()


async def follow(client: roshambo.AsyncClient) -> None:
    try:
        async with asyncio.timeout(2):
            async for _ in client.follow_events(topics=["feed"]):
                pass
    except TimeoutError:
        print("timeout")


async def main() -> None:
    server = await asyncio.start_server(silent, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    async with server, roshambo.AsyncClient(f"http://127.0.0.1:{port}", timeout=2, retry_budget=0) as client:
        await call(client)
        await follow(client)


faulthandler.dump_traceback_later(120, exit=True)  # what is cancelled in vain would go on without end
asyncio.run(main())
