var e=`"""A bot for the arena, on the package roshambo (sdk/python).

    ROSHAMBO_KEY=rsb_… python3 bot.py http://127.0.0.1:8080 3

plays three ranked duels with the key of a bot, and prints the result of each. Change move. Ctrl-C ends it after the duel
that it plays.
"""

import os
import random
import signal
import sys
from collections import Counter

from roshambo import BEATEN_BY, MOVES, Bot, Client, History, Move, RoshamboError, result, types


class Frequent:
    """Beats the most frequent of the opponent's last ten moves, and plays at random one time in five."""

    def move(self, history: History) -> Move:
        recent = [played.theirs for played in history[-10:]]
        if not recent or random.random() < 0.2:
            return random.choice(MOVES)
        return BEATEN_BY[Counter(recent).most_common(1)[0][0]]

    def ended(self, duel: types.Duel) -> None:
        opponent = duel["b"] if duel["you"] == "a" else duel["a"]
        wins, name = duel["wins"], opponent["username"] if opponent else ""
        print(f"{result(duel)} against {name}, {wins['a']}:{wins['b']}, {url}/d/{duel['id']}", flush=True)


url, duels = sys.argv[1].rstrip("/"), int(sys.argv[2]) if len(sys.argv) > 2 else 1
try:
    with Client(url, os.environ["ROSHAMBO_KEY"], retry_budget=None) as client:
        bot = Bot(client, Frequent(), state="bot.json", receipts="receipts.jsonl")
        signal.signal(signal.SIGINT, lambda *_: bot.stop())
        bot.run(duels)
except RoshamboError as error:
    sys.exit(str(error))
`;export{e as default};