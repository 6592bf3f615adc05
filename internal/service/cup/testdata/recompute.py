"""Computes the files of a cup again and counts the differences: recompute.py FOLDER.

The folder has table.csv, pairings.csv and report.trf as the service wrote them, and history.ndjson by the test that
played the cup: a line with its terms, players and seed, then a line for each duel that ended, each player who left or
was removed, and the round that the host made the last one, in the order of time. The rules are those of docs/cups.md;
nothing of the service is used. Prints the number of differences, and each of them.
"""
import csv
import hashlib
import itertools
import json
import os
import sys

BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
POINTS = {"a": [1.0, 0.0], "b": [0.0, 1.0], "": [0.5, 0.5]}  # by the winner
differences = []


def same(what, expected, found):
    if expected != found:
        differences.append(f"{what}: expected {expected!r}, found {found!r}")


def compare(what, expected, found):
    for n, pair in enumerate(itertools.zip_longest(expected, found), 1):
        same(f"{what}, line {n}", *pair)


def read(name):
    return open(os.path.join(sys.argv[1], name), newline="")


def payload(address):
    """The 20 bytes of an address, which the lot hashes."""
    bits = "".join(format(BECH32.index(c), "05b") for c in address[4:36])
    return int(bits, 2).to_bytes(20, "big")


class Cup:
    """A cup that is played again by its terms and its history."""

    def __init__(self, terms, events):
        self.seed, self.system, self.replay = bytes.fromhex(terms["seed"]), terms["system"], terms["replay"]
        self.players = [player["address"] for player in terms["players"]]
        self.active = set(self.players)
        self.points = {p: 0.0 for p in self.players}
        self.met = {p: [] for p in self.players}  # opponents, None for a bye
        self.games = []  # round, board, a, b, duel, points
        n = len(self.players)
        self.all_meet = self.system == "round_robin" or n <= 6
        self.rounds = n - 1 + n % 2 if self.all_meet else 5 if n <= 16 else 6 if n <= 32 else 7
        self.rounds = min([self.rounds, terms["rounds"] or self.rounds] + [e["round"] for e in events if "last" in e])
        for number in range(1, self.rounds + 1):
            self.play(number, [e for e in events if e["round"] == number])

    def lot(self, number, player):
        text = b"roshambo/cup/v1\n" + self.seed + number.to_bytes(8, "big") + payload(player)
        return hashlib.sha256(text).digest()

    def play(self, number, events):
        """Pairs a round and plays it by what happened; without a pairing the cup is over."""
        pairs = self.pair(number)
        if not pairs:
            return
        games, missed = {pair: ("", [1.0, 0.0]) for pair in pairs if pair[1] is None}, set()
        for event in events:
            if "last" in event:
                continue
            if "left" in event:
                self.active.discard(event["left"])
                continue
            pair = event["a"], event["b"]
            if pair not in pairs or pair in games:
                differences.append(f"round {number}: {event} is a duel too many")
            elif any(event["absent"]) and self.replay and pair not in missed and self.active.issuperset(pair):
                missed.add(pair)
            else:
                points = list(POINTS[event["winner"]])
                for side in range(2):
                    if event["absent"][side]:
                        points[side] = 0.0
                        self.active.discard(pair[side])
                games[pair] = event["duel"], points
        for board, pair in enumerate(pairs, 1):
            if pair not in games:
                differences.append(f"round {number}: {pair} have played no duel that counts")
            (a, b), (duel, points) = pair, games.get(pair, ("", [0.0, 0.0]))
            self.games.append((number, board, a, b, duel, points))
            self.points[a] += points[0]
            self.met[a].append(b)
            if b is not None:
                self.points[b] += points[1]
                self.met[b].append(a)

    def pair(self, number):
        """The pairs of a round, the first board first."""
        if self.all_meet:
            return self.circle(number)
        order = sorted(self.active, key=lambda p: (-self.points[p], self.lot(number, p)))
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

    def circle(self, number):
        seats = sorted(self.players, key=lambda p: self.lot(0, p))
        if len(seats) % 2:
            seats.append(None)
        turned = seats[1:]
        for _ in range(number - 1):
            turned = turned[1:] + turned[:1]
        seats = [p if p in self.active else None for p in seats[:1] + turned]
        pairs = []
        while seats:
            a, b = seats.pop(0), seats.pop()
            if a or b:
                pairs.append((a or b, b if a else None))
        return pairs

    def table(self):
        """Rows of rank, address, points and Buchholz, the best first."""
        rows = []
        for p in self.players:
            rows.append((self.points[p], sum((self.points[o] for o in self.met[p] if o), 0.0), p))
        rows.sort(key=lambda row: (-row[0], -row[1], self.lot(0, row[2])))
        ranks = [1 + sum(other[:2] > row[:2] for other in rows) for row in rows]
        return [(rank, row[2], row[0], row[1]) for rank, row in zip(ranks, rows)]


def place(fields):
    """A line of FIDE's report with its fields at their columns, which count from 1."""
    line = ""
    for column, text in fields:
        line = line.ljust(column - 1) + text
    return line


def report(terms, cup, names):
    """The lines of FIDE's report."""
    table, played = cup.table(), max(game[0] for game in cup.games)
    number = {address: n for n, (_, address, _, _) in enumerate(table, 1)}
    yield f"012 Cup {terms['number']}: {terms['name']}"
    yield "042 " + terms["started"]
    yield "052 " + terms["ended"]
    yield f"062 {len(table)}"
    yield "092 Individual: " + {"swiss": "Swiss", "round_robin": "Round robin"}[cup.system]
    yield f"XXR {cup.rounds}"
    yield f"### seed {terms['seed']}, the hash of block {terms['seed_height']}"
    for rank, address, points, _ in table:
        fields = [(1, "001"), (5, f"{number[address]:4d}"), (15, names[address].ljust(33)), (81, f"{points:4.1f}"),
                  (86, f"{rank:4d}")]
        for r in range(1, played + 1):
            opponent, colour, result = "0000", "-", "Z"
            for game, _, a, b, _, points in cup.games:
                if game != r or address not in (a, b):
                    continue
                if b is None:
                    result = "U"
                    continue
                mine = points[0 if address == a else 1]
                colour, other = ("w", b) if address == a else ("b", a)
                opponent = f"{number[other]:4d}"
                result = "-" if points == [0.0, 0.0] else {0.0: "0", 0.5: "=", 1.0: "1"}[mine]
            column = 92 + 10 * (r - 1)
            fields += [(column, opponent), (column + 5, colour), (column + 7, result)]
        yield place(fields)
    yield ""


def main():
    with read("history.ndjson") as file:
        terms, *events = [json.loads(line) for line in file]
    names = {player["address"]: player["name"] for player in terms["players"]}
    kinds = {player["address"]: player["kind"] for player in terms["players"]}
    cup = Cup(terms, events)
    pairings = ["round,board,a,a_address,b,b_address,a_points,b_points,duel".split(",")]
    for number, board, a, b, duel, points in cup.games:
        pairings.append([str(number), str(board), names[a], a, names.get(b, ""), b or "", *map(str, points), duel])
    table = ["rank,name,address,kind,points,buchholz,out".split(",")]
    for rank, address, points, buchholz in cup.table():
        out = "false" if address in cup.active else "true"
        table.append([str(rank), names[address], address, kinds[address], str(points), str(buchholz), out])
    with read("pairings.csv") as file:
        compare("pairings.csv", pairings, csv.reader(file))
    with read("table.csv") as file:
        compare("table.csv", table, csv.reader(file))
    with read("report.trf") as file:
        compare("report.trf", report(terms, cup, names), file.read().split("\r\n"))
    print(len(differences))
    print("\n".join(differences))


main()
