"""A program for roshambo lab and roshambo bot: docs/lab.md describes the lines.

    roshambo lab --exec "python3 bot.py"
"""

import json
import random
import sys
from collections import Counter

BEATEN_BY = {"rock": "paper", "paper": "scissors", "scissors": "rock"}

for line in sys.stdin:
    turn = json.loads(line)
    theirs = Counter(played["theirs"] for played in turn["history"])
    if theirs:  # beat the opponent's most frequent move
        move = BEATEN_BY[theirs.most_common(1)[0][0]]
    else:
        move = random.Random(turn["seed"]).choice(list(BEATEN_BY))
    print(json.dumps({"move": move}), flush=True)  # without flush the line stays in a buffer
