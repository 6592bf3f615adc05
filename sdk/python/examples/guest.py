"""From nothing to a ranked duel: opens a guest account, creates a bot that it owns, and plays with it.

    python3 guest.py http://127.0.0.1:8080
"""

import sys
import time

from roshambo import Bot, Client, History, Move, result, types


class Rock:
    def move(self, history: History) -> Move:
        return "rock"

    def ended(self, duel: types.Duel) -> None:
        print(f"{result(duel)}, {url}/d/{duel['id']}")


url = sys.argv[1].rstrip("/")
with Client(url) as owner:
    owner.create_guest()
    made = owner.create_bot(name=f"my-bot-{time.time_ns() // 1_000_000}")
print(f"{made['bot']['username']} plays")
with Client(url, made["secret"]) as client:
    Bot(client, Rock()).run(1)
