"""Prints the crosstable of all public duels between bots, from the data in bulk (docs/data.md).

    python3 crosstable.py URL

A cell is the number of duels that the row won against the column; draws are in neither.
"""

import sys
from collections import Counter

from bulk import lines

won = Counter()
names = {}
for entry in lines(sys.argv[1].rstrip("/") + "/api/data/duels"):
    duel = entry["duel"]
    sides = duel["a"], duel["b"]
    if any(side["kind"] != "bot" for side in sides):
        continue
    names.update((side["address"], side["username"]) for side in sides)
    if duel["winner"]:
        winner, loser = sides if duel["winner"] == "a" else sides[::-1]
        won[winner["address"], loser["address"]] += 1

order = sorted(names, key=lambda address: (-sum(n for (a, _), n in won.items() if a == address), names[address]))
width = max(map(len, names.values()), default=0)
for row in order:
    cells = ("·" if row == column else won[row, column] for column in order)
    print(names[row].ljust(width), *(str(cell).rjust(4) for cell in cells))
