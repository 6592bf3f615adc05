"""Computes a cup again from its files and counts the differences: recompute.py FOLDER.

The folder has table.csv, pairings.csv and report.trf. The rules are those of docs/cups.md; nothing of the service is
used. Prints the number of differences, and each of them.
"""
import csv
import hashlib
import os
import sys

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
differences = []


def same(what, expected, found):
    if expected != found:
        differences.append(f"{what}: expected {expected!r}, found {found!r}")


def read(name):
    with open(os.path.join(sys.argv[1], name), newline="") as file:
        return list(csv.DictReader(file))


def payload(address):
    """The 20 bytes of an address, which the lot hashes."""
    bits = "".join(format(BECH32.index(c), "05b") for c in address[4:36])
    return int(bits, 2).to_bytes(20, "big")


class Cup:
    """A cup of players that is played again by its results."""

    def __init__(self, seed, system, players):
        self.seed, self.system, self.players = seed, system, players
        self.points = {p: 0.0 for p in players}
        self.met = {p: [] for p in players}  # opponents, None for a bye

    def lot(self, number, player):
        text = b"roshambo/cup/v1\n" + self.seed + number.to_bytes(8, "big") + payload(player)
        return hashlib.sha256(text).digest()

    def pair(self, number, active):
        """The pairs of a round, the first board first."""
        if self.system == "Round robin" or len(self.players) <= 6:
            return self.circle(number, active)
        order = sorted(active, key=lambda p: (-self.points[p], self.lot(number, p)))
        if len(order) % 2:
            order.append(None)
        return self.match(order)

    def match(self, order):
        if not order:
            return []
        for other in order[1:]:
            if other not in self.met[order[0]]:
                rest = self.match([p for p in order[1:] if p != other])
                if rest is not None:
                    return [(order[0], other)] + rest
        return None

    def circle(self, number, active):
        seats = sorted(self.players, key=lambda p: self.lot(0, p))
        if len(seats) % 2:
            seats.append(None)
        turned = seats[1:]
        for _ in range(number - 1):
            turned = turned[1:] + turned[:1]
        seats = [p if p in active else None for p in seats[:1] + turned]
        pairs = []
        while seats:
            a, b = seats.pop(0), seats.pop()
            if a or b:
                pairs.append((a or b, b if a else None))
        return pairs

    def result(self, a, b, points):
        self.points[a] += points[0]
        self.met[a].append(b)
        if b is not None:
            self.points[b] += points[1]
            self.met[b].append(a)

    def table(self):
        """Rows of rank, address, points and Buchholz, the best first."""
        rows = []
        for p in self.players:
            rows.append((self.points[p], sum(self.points[o] for o in self.met[p] if o), p))
        rows.sort(key=lambda row: (-row[0], -row[1], self.lot(0, row[2])))
        ranks = [1 + sum(other[:2] > row[:2] for other in rows) for row in rows]
        return [(rank, row[2], row[0], row[1]) for rank, row in zip(ranks, rows)]


def check_report(lines, cup, names, games):
    """Compares the report of FIDE, column by column, with the table and the games."""
    rows = [line for line in lines if line.startswith("001")]
    table = cup.table()
    same("players of the report", len(table), len(rows))
    number = {address: i + 1 for i, (_, address, _, _) in enumerate(table)}
    rounds = max(game[0] for game in games)
    for line, (rank, address, points, _) in zip(rows, table):
        same("starting number", number[address], int(line[4:8]))
        same("name", names[address], line[14:47].strip())
        same(f"points of {names[address]} in the report", points, float(line[80:84]))
        same(f"rank of {names[address]} in the report", rank, int(line[85:89]))
        for r in range(rounds):
            cell = line[91 + 10 * r : 91 + 10 * r + 8]
            found = [g for g in games if g[0] == r + 1 and address in (g[1], g[2])]
            expected = "0000 - Z"
            if found:
                _, a, b, (mine, other) = found[0]
                colour = "w"
                if address == b:
                    colour, mine, other, a, b = "b", other, mine, b, a
                result = {0.0: "0", 0.5: "=", 1.0: "1"}[mine]
                if mine == other == 0.0:
                    result = "-"
                expected = "0000 - U" if b is None else f"{number[b]:4d} {colour} {result}"
            same(f"round {r + 1} of {names[address]} in the report", expected, cell)


def main():
    table, pairings = read("table.csv"), read("pairings.csv")
    with open(os.path.join(sys.argv[1], "report.trf"), newline="") as file:
        lines = file.read().split("\r\n")
    seed = next(line.split()[2].rstrip(",") for line in lines if line.startswith("### seed"))
    system = next(line for line in lines if line.startswith("092")).split(": ")[1]
    names = {row["address"]: row["name"] for row in table}
    cup = Cup(bytes.fromhex(seed), system, list(names))
    games, left = [], set(names)
    for number in range(1, int(pairings[-1]["round"]) + 1):
        rows = [row for row in pairings if int(row["round"]) == number]
        found = [(row["a_address"], row["b_address"] or None) for row in rows]
        active = {p for pair in found for p in pair if p}
        same(f"players of round {number} who had left", set(), active - left)
        same(f"pairs of round {number}", cup.pair(number, active), found)
        same(f"boards of round {number}", list(range(1, len(rows) + 1)), [int(row["board"]) for row in rows])
        left = active
        for row, (a, b) in zip(rows, found):
            same("names of a pair", (names[a], names.get(b, "")), (row["a"], row["b"]))
            points = float(row["a_points"]), float(row["b_points"])
            if b is None:
                same("points of a bye", (1.0, 0.0), points)
            games.append((number, a, b, points))
            cup.result(a, b, points)
    rows = [(int(row["rank"]), row["address"], float(row["points"]), float(row["buchholz"])) for row in table]
    same("the table", cup.table(), rows)
    check_report(lines, cup, names, games)
    print(len(differences))
    print("\n".join(differences))


main()
