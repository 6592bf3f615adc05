"""Prints the crosstable of all bots that have played rated duels, from the data in bulk (docs/data.md).

    python3 crosstable.py URL

A cell is the number of rated duels that the row won against the column, as GET /api/arena/crosstable counts them: draws
are in neither, nor is a duel whose result an operator declared void.
"""

import sys
from collections import Counter

from bulk import lines

wins, void, names = set(), set(), {}
for line in lines(sys.argv[1].rstrip("/") + "/api/data/ratings"):
    if line["pool"] != "bots":
        continue
    player, opponent = line["player"]["address"], line["opponent"]["address"]
    names[player] = line["player"]["username"]
    duel = player, opponent, line["duel"]
    if line["outcome"] == "win":
        wins.add(duel)
    elif line["outcome"] == "void":
        void.add(duel)
    elif line["outcome"] == "restored":
        void.discard(duel)

won = Counter((player, opponent) for player, opponent, _ in wins - void)
order = sorted(names, key=lambda address: (-sum(n for (a, _), n in won.items() if a == address), names[address]))
width = max(map(len, names.values()), default=0)
for row in order:
    cells = ("·" if row == column else won[row, column] for column in order)
    print(names[row].ljust(width), *(str(cell).rjust(4) for cell in cells))
