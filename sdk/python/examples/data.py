"""Counts the moves of all finished duels, from the data in bulk.

    python3 data.py http://127.0.0.1:8080
"""

import sys
from collections import Counter

from roshambo import Client

counts: Counter[str] = Counter(rock=0, paper=0, scissors=0)
with Client(sys.argv[1]) as client:
    for line in client.data_duels():
        for played in line["duel"]["rounds"]:
            counts.update(move for move in (played["move_a"], played["move_b"]) if move)
print(dict(counts))
