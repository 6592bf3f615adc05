"""Two bots in one process, which share nothing but the event loop.

    ROSHAMBO_KEYS="rsb_… rsb_…" python3 bot_async.py http://127.0.0.1:8080 1

plays one ranked duel with each of the keys of bots.
"""

import asyncio
import os
import random
import sys

from roshambo import MOVES, AsyncBot, AsyncClient, History, Move, result, types


class Random:
    async def move(self, history: History) -> Move:
        return random.choice(MOVES)

    async def ended(self, duel: types.Duel) -> None:
        print(f"{result(duel)}, {url}/d/{duel['id']}", flush=True)


async def play(number: int, key: str) -> None:
    async with AsyncClient(url, key, retry_budget=None) as client:
        await AsyncBot(client, Random(), state=f"bot-{number}.json", receipts=f"receipts-{number}.jsonl").run(duels)


async def main() -> None:
    await asyncio.gather(*(play(n, key) for n, key in enumerate(os.environ["ROSHAMBO_KEYS"].split())))


url, duels = sys.argv[1].rstrip("/"), int(sys.argv[2]) if len(sys.argv) > 2 else 1
asyncio.run(main())
