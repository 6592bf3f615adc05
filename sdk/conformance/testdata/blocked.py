"""Calls a silent service from a loop that something else blocks again and again, and prints how the call ends."""

import asyncio
import time

import roshambo


async def block() -> None:
    while True:
        time.sleep(0.3)
        await asyncio.sleep(0)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def main() -> None:
    server = await asyncio.start_server(silent, "127.0.0.1")
    port = server.sockets[0].getsockname()[1]
    async with server, roshambo.AsyncClient(f"http://127.0.0.1:{port}", timeout=2, retry_budget=0) as client:
        busy = asyncio.create_task(block())
        try:
            await client.get_me()
        except roshambo.ConnectionFailed:
            print("connection", end="")
        finally:
            busy.cancel()


asyncio.run(main())
