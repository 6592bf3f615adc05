#!/usr/bin/env python3
"""Checks a Roshambo proof of a house run or of a duel, or a whole chain, offline and without trust in the house.

    python3 verify.py [--key VERIFIER_KEY] [--json] proof.json      ("-" reads standard input)
    python3 verify.py --receipts receipts.jsonl [--key VERIFIER_KEY] proof.json
    python3 verify.py [--key VERIFIER_KEY] [--json] [--audit] chain.jsonl     (an export, or the folder of a
                                                                   mirror, with mirror.py; needs chain.py, games.py and tables.py)

Exit status: 0 valid, 1 not valid or malformed, 2 wrong usage (a malformed key,
"" included), 3 pending. This file needs only Python 3.8 and follows the order of
the protocol from top to bottom; docs/protocol.md is the specification.

A hashed document travels as its raw, the exact text that was hashed: canonical
JSON (RFC 8785) of objects, lists, text, integers, true, false and null, so that
every value has one text. A verifier hashes the raw, then parses it.

Each check has a result: pass, fail, or note (not a fault, but something to
know). A proof is VALID when no check failed and the checkpoint covers everything
that the proof claims; PENDING when no check failed and a claim is in no block
yet; CONTRADICTED when a receipt and a block that the house signed differ;
else NOT VALID. A pinned key or a required witness needs every claim to be in
a block. The Go package and the TypeScript module beside this file give the same
results in the same words.
"""
import argparse
import base64
import functools
import hashlib
import hmac
import io
import json
import os
import re
import sys

MAX_PROOF = 4 << 20  # bytes
MAX_DEPTH = 32  # nested objects and lists
MAX_INT = 2**53 - 1  # larger integers are not exact in JavaScript
MAX_SIGNATURES = 100
MAX_CHECKPOINT = 64 << 10  # bytes
MAX_APART = 60  # seconds that a block may be later than a cosignature of its tree, or earlier than one before it
MAX_TRANSFERS = 3  # of one transaction
MAX_BACKDATED = 60_000  # milliseconds that a transaction may be earlier than a block before its own
MAX_ID = 2**31 - 1  # of a token; also the largest stake
MAX_ID_BYTES = 64  # of the id of a run or a duel
MAX_RULE_COINS = 2**40  # of an amount in any rules
MAX_BURNT_TIER, MAX_TIER = 62, 63
SEEDS = 256  # of a run
MAX_TEXT = 64  # characters of a client seed and of an entropy
TOP_TIER = 16  # of the standard rules; a proof does not hold the rules in force
ROUNDS, WINS = 60, 3  # the most rounds of a duel, and the wins that decide it
MAX_SALT = 512  # bytes of a salt in a duel
HANDS = ("rock", "paper", "scissors")  # each beats the one before it, and rock beats scissors


class Fail(Exception):
    """Raised by a check that does not hold; its text says why."""


class Note(str):
    """Returned by a check that found no fault but something to know."""


def require(holds, why):
    if not holds:
        raise Fail(why)


# -------------------------------------------------------------------- JSON


def parse(text):
    """Parses strict JSON: unique members, integers with |n| < 2^53, no lone surrogates. Raises ValueError otherwise."""

    def whole(digits):
        if not re.fullmatch("0|-?[1-9][0-9]{0,15}", digits) or abs(int(digits)) > MAX_INT:
            raise ValueError("a number that is not whole, or too large")
        return int(digits)

    def members(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)

    def check(value, depth):
        if depth > MAX_DEPTH:
            raise ValueError("nested too deeply")
        if isinstance(value, str):
            value.encode()  # refuses lone surrogates
        elif isinstance(value, (list, dict)):
            for item in value if isinstance(value, list) else [*value, *value.values()]:
                check(item, depth + 1)

    value = json.loads(text, object_pairs_hook=members, parse_int=whole, parse_float=whole, parse_constant=whole)
    check(value, 0)
    return value


def canonical(value):
    """Returns the canonical text of a value (RFC 8785): no spaces, members sorted by UTF-16 code units."""

    def ordered(v):
        if isinstance(v, dict):
            return {name: ordered(v[name]) for name in sorted(v, key=lambda name: name.encode("utf-16-be"))}
        return [ordered(item) for item in v] if isinstance(v, list) else v

    return json.dumps(ordered(value), ensure_ascii=False, separators=(",", ":"))


# ------------------------------------------------------------------ shapes
# Each document has exactly these members, checked in this order. A kind is a
# scalar (below), = and the allowed words, or another shape; * makes a list of
# it, ? allows null. The data of a transaction has the shape of its kind.

TABLE = """
run_proof      format:text run_id:id account:address status:=active|deciding|claimed|lost|abandoned|void cleared:whole
               transcript:document texts:texts? commit:anchored start:anchored end:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
duel_proof     format:text duel_id:id a:address b:address status:=active|finished|void wins:score winner:=a|b?
               transcript:document stake_a:anchored? stake_b:anchored? settle:anchored? recovery:anchored?
               kept:text? checkpoint:text? verifier_key:text
document       raw:text
texts          client_seed:text entropy:text*
score          a:whole b:whole
anchored       raw:text hash:hash height:whole? index:whole? header:text? tx_proof:hash*? block_proof:hash*?
throw          n:whole move:=rock|paper|scissors entropy_hash:hash house:=rock|paper|scissors outcome:=win|loss|tie
               seed:hash
transcript     duel_id:text a:address b:address stake:whole winner:=a|b? rounds:round*
round          n:whole commitment_a:hash? commitment_b:hash? move_a:=rock|paper|scissors? move_b:=rock|paper|scissors?
               salt_a:text? salt_b:text? forfeited_by:=a|b|both? outcome:=a|b|tie|void
header         v:one height:whole prev:hash merkle_root:hash tx_count:whole time:whole
tx             v:one kind:text time:whole actor:address? nonce:whole transfers:transfer* data:any
coins          asset:=coin from:address? to:address? amount:whole
token          asset:=token token_id:whole from:address? to:address?
new_token      asset:=token token_id:whole from:address? to:address? tier:positive
account.create commitment:hash kind:=guest|account|bot bound:bool
commitment.rotate commitment:hash next_commitment:hash
run.start      run_id:text entry:=fee|free|burn|daily commitment:hash client_seed_hash:hash first_tier:whole
               next_commitment:hash bound:bool
run.end        run_id:text status:=claimed|lost|abandoned|void cleared:whole throws:whole transcript_hash:hash
               bound:bool
duel.stake     duel_id:text
duel.settle    duel_id:text a:address b:address? winner:=a|b? rated:bool status:=finished|void transcript_hash:hash
recovery       lost:lost_tree? reason_hash:hash recovery:whole
lost_tree      root:hash size:positive
receipt        raw:text signature:text
start          kind:=start account:address run_id:text client_seed_hash:hash commitment:hash
               entry:=fee|free|burn|daily first_tier:whole next_commitment:hash time:whole
result         kind:=throw account:address run_id:text n:whole entropy_hash:hash house:=rock|paper|scissors
               move:=rock|paper|scissors outcome:=win|loss|tie seed:hash time:whole
decision       kind:=decision account:address run_id:text cleared:whole decision:=claim|continue|abandon throws:whole
               time:whole
commitments    kind:=round duel_id:text n:whole a:address b:address commitment_a:hash commitment_b:hash time:whole
"""
ROWS = [row.split() for row in TABLE.strip().replace("\n  ", " ").split("\n")]
SHAPES = {name: dict(member.split(":") for member in members) for name, *members in ROWS}
SCALARS = {
    "any": lambda v: True,
    "text": lambda v: isinstance(v, str),
    "bool": lambda v: isinstance(v, bool),
    "whole": lambda v: type(v) is int and v >= 0,
    "positive": lambda v: type(v) is int and v >= 1,
    "one": lambda v: type(v) is int and v == 1,
    "hash": lambda v: isinstance(v, str) and re.fullmatch("[0-9a-f]{64}", v),
    "id": lambda v: isinstance(v, str) and re.fullmatch("[0-9A-Za-z-]{1,64}", v),
    "address": lambda v: isinstance(v, str) and is_address(v),
}


def conform(value, kind, path=""):
    """Raises Fail unless value is of the kind. path is its position in the document, "" for the whole."""
    if kind.endswith("?"):
        if value is None:
            return
        kind = kind[:-1]
    if kind == "transfer" and isinstance(value, dict):
        kind = "coins" if "amount" in value else "new_token" if "tier" in value else "token"
    called = path or "the proof"
    if kind.endswith("*") and isinstance(value, list):
        for i, item in enumerate(value):
            conform(item, kind[:-1], f"{path}[{i}]")
    elif kind in SHAPES and isinstance(value, dict):
        for name in SHAPES[kind]:
            require(name in value, f"{called} lacks {name}")
        require(len(value) == len(SHAPES[kind]), f"{called} has an unknown member")
        for name, inner in SHAPES[kind].items():
            conform(value[name], inner, f"{path}.{name}" if path else name)
    elif kind.startswith("="):
        require(isinstance(value, str) and value in kind[1:].split("|"), f"{called} is malformed")
    else:
        require(kind in SCALARS and SCALARS[kind](value), f"{called} is malformed")


def document(raw, *kinds):
    """Parses a raw of one of the kinds (shapes, or kinds of transaction). None unless it is canonical."""
    try:
        value = parse(raw)
        if "." not in kinds[0] and kinds[0] != "recovery":  # the only kind of transaction in a proof without a dot
            conform(value, kinds[0])
        else:
            conform(value, "tx")
            require(value["kind"] in kinds and len(value["transfers"]) <= MAX_TRANSFERS, "another kind")
            conform(value["data"], value["kind"])
        return value if canonical(value) == raw else None
    except (Fail, ValueError, RecursionError):
        return None


# --------------------------------------------------------------- addresses


def fold(top):
    """Returns the change to a checksum by the five bits that are shifted out of it."""
    change = 0
    for i, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
        change ^= generator if top >> i & 1 else 0
    return change


FOLDED = [fold(top) for top in range(32)]


def polymod(symbols):
    """Returns the checksum of BIP 173 over symbols of 5 bits."""
    check = 1
    for v in symbols:
        check = (check & 0x1FFFFFF) << 5 ^ v ^ FOLDED[check >> 25]
    return check


BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
BECH32M = 0x2BC830A3
PREFIX = [ord(c) >> 5 for c in "rps"] + [0] + [ord(c) & 31 for c in "rps"]


def address(payload):
    """Returns 20 bytes as an address: bech32m (BIP 350) with prefix rps."""
    symbols = [int.from_bytes(payload, "big") >> 5 * (31 - i) & 31 for i in range(32)]
    check = polymod(PREFIX + symbols + [0] * 6) ^ BECH32M
    return "rps1" + "".join(BECH32[v] for v in symbols + [check >> 5 * (5 - i) & 31 for i in range(6)])


@functools.lru_cache(maxsize=1 << 14)  # a chain repeats the same addresses
def is_address(text):
    """Whether text is an address in lower case. 20 zero bytes stand for null and are not an address."""
    if not re.fullmatch(f"rps1[{BECH32}]{{38}}", text):
        return False
    symbols = [BECH32.index(c) for c in text[4:]]
    return polymod(PREFIX + symbols) == BECH32M and any(symbols[:32])


# ---------------------------------------------------- hashes, seeds, moves


def sha256(data):
    return hashlib.sha256(data).digest()


def hash_text(domain, text):
    return sha256(f"roshambo/{domain}/v1\n".encode() + text.encode())


def u32(n):
    return n.to_bytes(4, "big")


def previous_seed(n, seed):
    """Returns the seed before seed n. The one before seed 1 is the commitment."""
    return sha256(b"roshambo/seed/v1" + u32(n - 1) + seed)


def text_hash(text):
    """Returns the hash of a player's text, in hex: the form in which it is on the chain and in a move."""
    return sha256(text.encode()).hex()


NO_TEXT = text_hash("")


def house_move(seed, n, client_seed_hash, entropy_hash):
    """Returns the house's move of throw n. The house chooses none of its inputs after the commitment."""
    stream = b"roshambo/move/v1" + u32(n) + bytes.fromhex(client_seed_hash + entropy_hash)
    move = None
    while move is None:
        stream = hmac.new(seed, stream, "sha256").digest()
        move = draw_move(stream)
    return move


def draw_move(stream):
    """The first byte below 255 = 3 * 85, modulo 3, so the moves are equally likely. None without such a byte."""
    return next((HANDS[b % 3] for b in stream if b < 255), None)


def outcome(one, other):
    return ("tie", "win", "loss")[(HANDS.index(one) - HANDS.index(other)) % 3]


def included(data, index, size, proof, root):
    """Whether data is leaf index of the Merkle tree with that size and root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last, digest = index, size - 1, sha256(b"\0" + data)
    for sibling in map(bytes.fromhex, proof):
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            digest = sha256(b"\1" + sibling + digest)
            while node % 2 == 0 and node != 0:
                node, last = node // 2, last // 2
        else:
            digest = sha256(b"\1" + digest + sibling)
        node, last = node // 2, last // 2
    return last == 0 and digest == root


# ----------------------------------- the checkpoint: a signed note of C2SP


def base64_bytes(text):
    """Decodes standard base64 in its one text for each value; None otherwise."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode() == text else None


def is_name(text):
    """Whether text can name a chain and its key: printable ASCII without space and plus."""
    return re.fullmatch("[!-*,-~]{1,64}", text)


def parse_key(text, algorithm=1):
    """Reads a verifier key, name+id+base64(algorithm || public key); returns name, id and public key, or None.

    The algorithm is 1 for a log and 4 for a witness.
    """
    name, _, rest = text.partition("+")
    key_id, _, encoded = rest.partition("+")
    key = base64_bytes(encoded)
    if not is_name(name) or key is None or len(key) != 33 or key[0] != algorithm:
        return None
    return (name, key_id, key[1:]) if sha256(name.encode() + b"\n" + key)[:4].hex() == key_id else None


NOT_IN_NAME = "[+\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"  # a plus, and Unicode's spaces


def parse_note(text):
    """Splits a signed note into its body and its signatures, each a name, a key id and the bytes."""
    require(len(text.encode()) <= MAX_CHECKPOINT, f"the checkpoint is larger than {MAX_CHECKPOINT} bytes")
    body, blank, tail = text.rpartition("\n\n")
    lines, signatures = tail.split("\n"), []
    clean = blank and lines.pop() == "" and not re.search("[\0-\x09\x0b-\x1f]", text)
    require(clean and 1 <= len(lines) <= MAX_SIGNATURES, "the checkpoint is not a signed note")
    for line in lines:
        dash, name, data = (line.split(" ") + ["", ""])[:3]
        data = base64_bytes(data)
        named = name and not re.search(NOT_IN_NAME, name)
        well = line.count(" ") == 2 and dash == "\u2014" and named and data and len(data) > 4
        require(well, "the checkpoint has a malformed signature line")
        signatures.append((name, data[:4].hex(), data[4:]))
    return body + "\n", signatures


def parse_tree(body):
    """Parses the body of a checkpoint: origin, number of blocks, root. Later lines are extensions."""
    lines = body.split("\n")[:-1]
    origin, size, root = (lines + ["", ""])[:3]
    well = is_name(origin) and re.fullmatch("0|[1-9][0-9]{0,15}", size) and int(size) <= MAX_INT and "" not in lines
    root = base64_bytes(root)
    require(well and root is not None and len(root) == 32, "the checkpoint does not state an origin, a size and a root")
    return origin, int(size), root


# ------------------------------------------------------- Ed25519, RFC 8032

P = 2**255 - 19  # the field
L = 2**252 + 27742317777372353535851937790883648493  # the order of the base point
D = -121665 * pow(121666, -1, P) % P


def add(p, q):
    """Adds points in extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z."""
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    return (b - a) * (d - c) % P, (d + c) * (b + a) % P, (d - c) * (d + c) % P, (b - a) * (b + a) % P


def multiply(scalar, point):
    total = (0, 1, 1, 0)
    while scalar:
        total = add(total, point) if scalar & 1 else total
        point, scalar = add(point, point), scalar >> 1
    return total


def decode(data):
    """Decodes a compressed point; None when it is not on the curve."""
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255 % P, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    x = x if x & 1 == sign else -x % P
    return x, y, 1, x * y % P


def encode(point):
    x, y = (v * pow(point[2], -1, P) % P for v in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


BASE = decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def signed(public, message, signature):
    """Whether signature is an Ed25519 signature of message by the 32-byte public key."""
    key, s = decode(public), int.from_bytes(signature[32:], "little")
    if key is None or s >= L or len(signature) != 64:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little")
    minus_key = (-key[0], key[1], 1, -key[3])
    return encode(add(multiply(s, BASE), multiply(k % L, minus_key))) == signature[:32]


# ---------------------------------------- checks that runs and duels share
# A check returns its text or a Note, or raises Fail. p is the proof, t its parsed
# transactions by name.

KINDS = {
    "commit": ("account.create", "run.start", "commitment.rotate"), "start": ("run.start",), "end": ("run.end",),
    "stake_a": ("duel.stake",), "stake_b": ("duel.stake",), "settle": ("duel.settle",), "recovery": ("recovery",),
}


def transactions(p, t):
    for name, kinds in KINDS.items():
        if p.get(name) is None:
            continue
        raw = p[name]["raw"]
        require(hash_text("tx", raw).hex() == p[name]["hash"], f"{name}.hash is not the hash of {name}.raw")
        tx = document(raw, *kinds)
        require(tx, f"{name}.raw is not a transaction of kind {' or '.join(kinds)} in canonical JSON")
        if tx["kind"] == "account.create":
            require(tx["nonce"] == 0, f"{name} opens an account, so its nonce is 0")
        if tx["kind"] == "run.start":
            check_entry(name, tx, tx["data"])
        require(bounded(tx), f"{name} is outside the bounds of its kind")
        t[name] = tx
    if not t:
        return Note("the duel has no transactions: no stake, and no settlement")
    return f"{len(t)} transactions: each raw hashes to its hash and is canonical, of its kind"


def check_entry(name, tx, data):
    """Checks that a run's transfers pay its entry, and that only a burnt token gives a first tier."""
    burnt = data["entry"] == "burn"
    require((data["first_tier"] > 0) == burnt, f"{name} has a first tier that does not fit its entry")
    paid = [(m["asset"], m["from"], m["to"], "tier" in m or m.get("amount") == 0) for m in tx["transfers"]]
    price = {"fee": ["coin"], "burn": ["token"]}.get(data["entry"], [])
    require(paid == [(asset, tx["actor"], None, False) for asset in price], f"{name} is not paid for as its entry says")


SPARRING_BOT = address(sha256(b"roshambo/sparring-bot/v1")[:20])  # side b of practice duels; it has no account


def bounded(tx):
    """Whether a transaction is within the bounds that it shows alone: not those that depend on the rules in force."""
    kind, data, moves, coins = tx["kind"], tx["data"], tx["transfers"], 0
    for move in moves:
        if move["from"] == move["to"] or move.get("amount") == 0 or move.get("tier", 0) > MAX_TIER:
            return False
        if move["asset"] == "token" and (move["token_id"] > MAX_ID or ("tier" in move) != (move["from"] is None)):
            return False
        coins = max(coins, move.get("amount", 0))
    ids = [data[name] for name in ("run_id", "duel_id") if name in data]
    if not all(1 <= len(one.encode()) <= MAX_ID_BYTES for one in ids) or tx["actor"] == SPARRING_BOT:
        return False
    if "0" * 64 in (data.get("commitment"), data.get("next_commitment")):
        return False
    if kind == "account.create":
        created = [{"asset": "coin", "from": None, "to": tx["actor"], "amount": coins}]
        return moves in ([], created) and coins <= MAX_RULE_COINS
    if kind == "commitment.rotate":
        return not moves
    if kind == "run.start":
        return data["first_tier"] <= MAX_BURNT_TIER and coins <= MAX_RULE_COINS
    if kind == "run.end":
        return data["cleared"] <= MAX_TIER
    if kind == "duel.stake":
        return coins <= MAX_ID
    if kind == "duel.settle":
        practice = data["b"] != SPARRING_BOT or not data["rated"] and not moves
        void = data["status"] != "void" or not data["rated"] and bool(moves)
        return data["a"] != SPARRING_BOT and practice and void
    return data["recovery"] >= 1


def inclusion(p, t):
    try:
        tree = None if p["checkpoint"] is None else parse_tree(parse_note(p["checkpoint"])[0])
    except Fail:
        return Note("not checked: the checkpoint cannot be read")
    pending, headers = [], []
    for name in t:
        place = [p[name][member] for member in ("index", "header", "tx_proof", "block_proof")]
        if p[name]["height"] is None:
            require(place == [None] * 4, f"{name} has no height but a position in a block")
            pending.append(name)
        else:
            require(None not in place, f"{name} has a height but no complete inclusion proof")
            require(tree, f"{name} is in a block, but there is no checkpoint")
            headers.append({**check_place(name, p[name], tree), "name": name})
    headers.sort(key=lambda header: header["height"])
    for low, high in zip(headers, headers[1:]):
        require(low["time"] <= high["time"], "a later block has an earlier time")
        named = low["height"] + 1 != high["height"] or low["hash"] == high["prev"]
        require(named, "a block does not name the one before it")
    for own in headers:
        time, before = t[own["name"]]["time"], [other["time"] for other in headers if other["height"] < own["height"]]
        fits = max(before, default=0) - MAX_BACKDATED <= time <= own["time"]
        require(fits, f"the time of {own['name']} does not fit the blocks")
    if pending:
        return Note(f"not in a block yet: {', '.join(pending)}")
    return "each transaction is in its block, each block in the checkpoint's tree"


def check_place(name, tx, tree):
    """Checks the inclusion proofs of a transaction in its block and of the block in the log; returns the header."""
    header = document(tx["header"], "header")
    require(header, f"{name}.header is not a block header in canonical JSON")
    require(header["height"] == tx["height"], f"{name}.header is of another height")
    root, digest = bytes.fromhex(header["merkle_root"]), bytes.fromhex(tx["hash"])
    require(included(digest, tx["index"], header["tx_count"], tx["tx_proof"], root), f"{name} is not in its block")
    _, size, root = tree
    known = included(tx["header"].encode(), tx["height"], size, tx["block_proof"], root)
    require(known, f"the block of {name} is not in the checkpoint's tree")
    return {**header, "hash": hash_text("block", tx["header"]).hex()}


def unanchored(p):
    """Returns the names of the claims that are in no block: transactions, and the transcript of a game that goes on."""
    names = [name for name in KINDS if p.get(name) is not None and p[name]["height"] is None]
    return names if p.get("end" if p["format"] == RUN else "settle") else [*names, "transcript"]


def require_anchored(p):
    """Checks that everything that the proof claims is in a block. An export of a chain claims nothing else."""
    names = p.get("pending", [])
    require(not names, f"not anchored: in no block yet: {', '.join(names)}")


def checkpoint(p, pinned):
    require(pinned is None or parse_key(pinned), "the pinned key is malformed")
    key = parse_key(p["verifier_key"])
    require(key, "the proof's verifier key is malformed")
    require(pinned in (None, p["verifier_key"]), "the proof names another verifier key than the pinned one")
    if p["checkpoint"] is None:
        if pinned is not None:
            require_anchored(p)
        return Note("no checkpoint: no transaction is in a block yet")
    body, signatures = parse_note(p["checkpoint"])
    origin, size, _ = parse_tree(body)
    require(origin == key[0], "the checkpoint is of another origin than the verifier key")
    ours = {signature for *signer, signature in signatures if signer == [*key[:2]]}  # each checked once
    require(ours, "the checkpoint is not signed by the verifier key")
    require(all(signed(key[2], body.encode(), signature) for signature in ours), "the checkpoint's signature is wrong")
    said = f"a tree of {size} blocks, signed by {key[0]}+{key[1]}"
    if pinned is None:
        return Note(f"{said}, the key in the proof: key not pinned")
    require_anchored(p)
    return f"{said}, the pinned key"


def others(p):
    """Returns the signers of the checkpoint other than the log, each once; none when it cannot be parsed.

    With a malformed key in the proof every signer counts, so that the key cannot hide the lines of witnesses.
    """
    key = parse_key(p["verifier_key"])
    try:
        signatures = parse_note(p["checkpoint"])[1] if p["checkpoint"] is not None else []
    except Fail:
        signatures = []
    lines = [(name, key_id) for name, key_id, _ in signatures if not key or (name, key_id) != key[:2]]
    return list(dict.fromkeys(f"{name if is_name(name) else '?'}+{key_id}" for name, key_id in lines))


class Few(Fail):
    """Fewer witnesses than the quorum have cosigned, and no line is wrong."""


def read_policy(policy):
    """Returns the parsed keys of witnesses by name+id, and how many of them must have cosigned: all if 0."""
    keys, quorum = {}, policy[1] or len(policy[0])
    require(1 <= quorum <= len(policy[0]), "the quorum is not 1 to the number of witnesses")
    for text in policy[0]:
        key = parse_key(text, 4)
        require(key, "a witness key is malformed")
        who = f"{key[0]}+{key[1]}"
        require(who not in keys, "a witness is named twice")
        keys[who] = key
    return keys, quorum


def cosigners(checkpoint, policy, blocks):
    """Returns the witnesses that have cosigned a checkpoint (c2sp.org/tlog-cosignature), with their times.

    policy is a list of keys, and how many of them must have, all if 0; blocks are the times of blocks in the tree.
    """
    return cosigned(checkpoint, *read_policy(policy), blocks)


def cosigned(checkpoint, keys, quorum, blocks):
    """Is cosigners for a policy that was read."""
    require(checkpoint is not None, "no checkpoint to cosign: no transaction is in a block yet")
    (body, signatures), said = parse_note(checkpoint), {}
    for who, key in keys.items():
        lines = [line for *signer, line in signatures if signer == [*key[:2]]]
        for line in dict.fromkeys(lines[::-1]):  # each once, the last one first
            time = int.from_bytes(line[:8], "big")
            message = f"cosignature/v1\ntime {time}\n{body}".encode()
            require(len(line) == 72 and signed(key[2], message, line[8:]), f"the cosignature of {who} is wrong")
            said.setdefault(who, time)
    for who in keys:
        if who not in said and quorum == len(keys):
            raise Few(f"the checkpoint is not cosigned by {who}")
    if len(said) < quorum:
        raise Few(f"{len(said)} of {len(keys)} witnesses have cosigned, {quorum} must")
    by, _ = bounds(said, quorum)
    late = any(time // 1000 - by > MAX_APART for time in blocks)
    require(not late, "a block is later than the cosignatures by more than a minute")
    return said


def bounds(said, quorum):
    """Returns by when a quorum has seen the tree, and how early the blocks behind it may be, in Unix seconds."""
    times = sorted(said.values())
    return times[quorum - 1], times[-quorum]


def witnesses(p, policy):
    """Checks that a quorum of the witnesses has cosigned the checkpoint, and no block of the proof is later."""
    rest = others(p)
    if not policy[0] and not policy[1]:
        return Note(f"not checked, as no witness key was given: lines of {', '.join(rest)}")
    anchors = [p[name] for name in KINDS if p.get(name)]
    raws = [raw for raw in [*(one["header"] for one in anchors), p["kept"]] if raw is not None]
    headers = [document(raw, "header") for raw in raws]
    said = cosigners(p["checkpoint"], policy, [header["time"] for header in headers if header])
    rest = [one for one in rest if one not in said]
    require_anchored(p)
    lines = ", ".join(f"{who} at {time}" for who, time in said.items())
    return f"cosigned by {lines}" + (f"; not checked: lines of {', '.join(rest)}" if rest else "")


def order(p, t):
    """Checks that no transaction precedes one it builds on: by position in the chain, and by nonce of one actor."""
    pending = False
    pairs = "commit start end,start recovery end,stake_a settle,stake_b settle,stake_a recovery,stake_b recovery settle"
    steps = [pair.split() for pair in pairs.split(",")]
    for before, after in [pair for names in steps for pair in zip(names, names[1:])]:
        if before not in t or after not in t:
            continue
        if t[before]["actor"] == t[after]["actor"] and t[after]["actor"] is not None:
            require(t[before]["nonce"] < t[after]["nonce"], f"the nonce of {after} is not above that of {before}")
        places = [(p[name]["height"], p[name]["index"] or 0) for name in (before, after)]
        if p[after]["height"] is None:
            pending = True
        else:
            require(p[before]["height"] is not None, f"{after} is in a block, but {before} is not")
            require(places[0] < places[1], f"{before} does not come before {after}")
            # The client seed comes with the start: in one block, the house may know it when it rotates.
            rotates = t[before]["kind"] == "commitment.rotate" and places[0][0] == places[1][0]
            require(not rotates, f"{before} rotates a commitment in the block of {after}")
    if pending:
        return Note("a transaction in no block has no position in the chain yet")
    return "in the chain, each transaction comes after those it builds on"


# ------------------------------------------------------------- a house run


def commitment(p, t):
    """Checks that the account published the run's commitment before the run, and for it alone."""
    for name, tx in ((name, t[name]) for name in ("commit", "start", "end") if name in t):
        require(tx["actor"] == p["account"], f"the actor of {name} is not the account")
        require(name == "commit" or tx["data"]["run_id"] == p["run_id"], f"{name} is of another run")
    commit, start = t["commit"]["data"], t["start"]["data"]
    published = commit.get("next_commitment", commit["commitment"])
    require(published == start["commitment"], "commit publishes another commitment than start uses")
    again = "next_commitment" in commit and commit["commitment"] == published or start["next_commitment"] == published
    require(not again, "the commitment is used or published twice")
    require(commit.get("run_id") != p["run_id"], "commit starts the same run")
    return "commit publishes the commitment that start uses"


def client_seed(p, t):
    digest, texts = t["start"]["data"]["client_seed_hash"], p["texts"]
    opened = texts is None or text_hash(texts["client_seed"]) == digest
    require(opened, "the client seed is not the one whose hash start holds")
    if digest == NO_TEXT:
        return Note("the player gave no client seed and added no randomness to the run")
    if texts is None:
        return Note(f"the proof does not open the client seed, whose SHA-256 is {digest}")
    return f"the player's client seed is {json.dumps(texts['client_seed'])}: it must be the one you gave"


def seeds(p, t):
    before, called = t["start"]["data"]["commitment"], "the commitment"
    for throw in p["said"]:
        n, seed = throw["n"], throw["seed"]
        require(previous_seed(n, bytes.fromhex(seed)).hex() == before, f"seed {n} does not hash to {called}")
        before, called = seed, f"seed {n}"
    return f"{len(p['said'])} seeds: each hashes to the one before it, the first to the commitment"


def moves(p, t):
    for i, throw in enumerate(p["said"]):
        n, client, entropy = throw["n"], t["start"]["data"]["client_seed_hash"], throw["entropy_hash"]
        opened = p["texts"] is None or text_hash(p["texts"]["entropy"][i]) == entropy
        require(opened, f"throw {n}: the entropy is not the one whose hash the transcript holds")
        move = house_move(bytes.fromhex(throw["seed"]), n, client, entropy)
        require(throw["house"] == move, f"throw {n}: the seed gives {move}, not {throw['house']}")
    entropic = [str(throw["n"]) for throw in p["said"] if throw["entropy_hash"] != NO_TEXT]
    if entropic:  # a house that made up the entropy could choose the move
        return Note(f"each house move follows; entropy came with throw {', '.join(entropic)}: it must be what you sent")
    return "each house move follows from its seed and the client seed; no entropy came with a throw"


def outcomes(p, t):
    for throw in p["said"]:
        follows = outcome(throw["move"], throw["house"])
        require(throw["outcome"] == follows, f"throw {throw['n']}: the outcome is {follows}, not {throw['outcome']}")
    return "each outcome follows from the two moves"


def tier(p, t):
    """Returns the tier that the throws reach: the first tier plus the wins."""
    return t["start"]["data"]["first_tier"] + sum(throw["outcome"] == "win" for throw in p["said"])


def cleared(p, t):
    require(p["cleared"] == tier(p, t), f"the throws clear {tier(p, t)}, not {p['cleared']}")
    return f"the throws clear {p['cleared']}"


def status(p, t):
    throws, says, reached = p["said"], p["status"], tier(p, t)
    for throw in throws[:-1]:
        require(throw["outcome"] != "loss", f"throw {throw['n']} is a loss, but the run continued")
    last = throws[-1]["outcome"] if throws else "tie"
    possible = {"loss": "lost", "tie": "active or abandoned or void"}.get(last, "active or abandoned or deciding or claimed")
    if last != "loss" and len(throws) == SEEDS:  # all seeds used up
        possible = "claimed" if reached > 0 else "abandoned"
    require(says in possible.split(" or "), f"the throws leave a run {possible}, not {says}")
    ended = says not in ("active", "deciding")
    require(ended == ("end" in t), f"a run that is {says} has {'an' if ended else 'no'} end transaction")
    if reached > TOP_TIER or reached == TOP_TIER and (says != "claimed" or last != "win"):
        beyond = f"the run goes beyond tier {TOP_TIER}, which claims by itself in the standard rules"
        return Note(f"{says} follows, but {beyond}")
    return f"{says} follows from the throws"


def end(p, t):
    if "end" not in t:
        return Note("the run goes on")
    said, won = t["end"]["data"], tier(p, t) if p["status"] == "claimed" else 0
    want = {
        "cleared": tier(p, t), "status": p["status"], "throws": len(p["said"]),
        "transcript_hash": p["transcript_hash"],
    }
    for member, value in want.items():
        require(said[member] == value, f"end states another {member} than the transcript")
    require(said["bound"] == t["start"]["data"]["bound"], "of start and end, only one is bound")
    if p["status"] == "void":
        require(unnumbered(t["end"]) == entry_back(t["start"]), "end does not give back the entry")
        return "end pins the transcript and gives back the entry"
    token = {"asset": "token", "token_id": 0, "from": None, "to": p["account"], "tier": won}
    require(unnumbered(t["end"]) == ([token] if won else []), "end does not create what the run won")
    return f"end pins the transcript and creates {f'a token of tier {won}' if won else 'nothing'}"


def unnumbered(tx):
    """Returns the transfers with token id 0: which ids are unused depends on the whole chain."""
    return [{**move, "token_id": 0} if move["asset"] == "token" else move for move in tx["transfers"]]


def entry_back(start):
    """Returns the transfers that give back an entry: the coins, or another token of the burnt one's tier."""
    back = [{**move, "from": None, "to": start["actor"]} for move in unnumbered(start)]
    return [{**move, "tier": start["data"]["first_tier"]} if move["asset"] == "token" else move for move in back]


# ------------------------------------------------------------------ a duel


def equal(r):
    """Whether both sides of a round have one commitment, so that it is void before any reveal."""
    return r["commitment_a"] is not None and r["commitment_a"] == r["commitment_b"]


def commitments(p, t):
    copied = []
    for r in p["said"]["rounds"]:
        both = r["commitment_a"] and r["commitment_b"]
        if equal(r):
            copied.append(str(r["n"]))
            hidden = [r[f"{part}_{side}"] for part in ("move", "salt") for side in "ab"] == [None] * 4
            require(hidden, f"round {r['n']}: both sides have one commitment, so neither reveals")
        for side in "ab":
            move, salt = r[f"move_{side}"], r[f"salt_{side}"]
            require((move is None) == (salt is None), f"round {r['n']}: {side} has a move or a salt without the other")
            short = salt is None or len(salt.encode()) <= MAX_SALT
            require(short, f"round {r['n']}: {side} has a salt of more than {MAX_SALT} bytes")
            require(move is None or both, f"round {r['n']}: {side} revealed before both had committed")
            holds = move is None or sha256(f"{move}:{salt}".encode()).hex() == r[f"commitment_{side}"]
            require(holds, f"round {r['n']}: {side} revealed another move than it committed to")
    if copied:
        why = f"both sides have one commitment in round {', '.join(copied)}: with random salts, one was copied"
        return Note(f"each move and salt hash to their commitment; {why}")
    return "each move and salt hash to their commitment"


def round_outcomes(p, t):
    forfeits, resigned = 0, None
    for r in p["said"]["rounds"]:
        step = "move" if r["commitment_a"] and r["commitment_b"] else "commitment"
        missing = [side for side in "ab" if r[f"{step}_{side}"] is None]
        forfeiter = "both" if len(missing) == 2 else missing[0] if missing else None
        hands = [r[f"{action}_{side}"] for action in ("commitment", "move", "salt") for side in "ab"]
        gave_up = r["forfeited_by"] if r["forfeited_by"] in ("a", "b") and hands == [None] * 6 else None
        require(resigned in (None, gave_up), f"round {r['n']}: {resigned} had resigned")
        resigned = gave_up
        forfeiter = resigned or (None if equal(r) else forfeiter)
        require(r["forfeited_by"] == forfeiter, f"round {r['n']}: forfeited_by does not fit what is missing")
        follows = {"a": "b", "b": "a", "both": "void"}.get(forfeiter)
        if equal(r):
            follows = "void"
        elif not forfeiter:
            follows = {"win": "a", "loss": "b", "tie": "tie"}[outcome(r["move_a"], r["move_b"])]
        require(r["outcome"] == follows, f"round {r['n']}: the outcome is {follows}, not {r['outcome']}")
        forfeits += forfeiter is not None
    if forfeits:
        rests = "that a deadline was missed or a side resigned rests on the service's word"
        return Note(f"each outcome follows; {forfeits} by forfeit, and {rests}")
    return "each outcome follows from the two moves"


def played(p):
    """Returns the rounds won by each side, and whether the duel is decided."""
    won, voids, decided = {"a": 0, "b": 0}, 0, False
    for r in p["said"]["rounds"]:
        require(not decided, f"round {r['n']} comes after the duel was decided")
        voids = voids + 1 if r["outcome"] == "void" and r["forfeited_by"] == "both" else 0
        if r["outcome"] in won:
            won[r["outcome"]] += 1
        decided = WINS in won.values() or voids == 2 or r["n"] == ROUNDS
    return won, decided


def score(p, t):
    won, _ = played(p)
    require(p["wins"] == won, f"the rounds give {won['a']} to {won['b']}")
    return f"the rounds give {won['a']} to {won['b']}"


def winner(p, t):
    won, decided = played(p)
    left = "finished" if decided else "active or void"
    require((p["status"] == "finished") == decided, f"the rounds leave the duel {left}")
    first = next((side for side in "ab" if won[side] == WINS), None)
    require(p["winner"] == first and p["said"]["winner"] == first, f"the winner is {first or 'none'}")
    return f"the winner is {first or 'none'}"


def settlement(p, t):
    if "settle" not in t:
        require(p["status"] == "active", f"a duel that is {p['status']} has a settlement")
        return Note("no settlement: the duel goes on")
    require(p["status"] != "active", "a duel that goes on has no settlement")
    for member in ("a", "b", "duel_id", "transcript_hash", "winner"):
        require(t["settle"]["data"][member] == p[member], f"settle states another {member}")
    void = t["settle"]["data"]["status"] == "void"
    require(void == (p["status"] == "void"), "settle states another status")
    require(t["settle"]["actor"] is None and t["settle"]["nonce"] == 0, "settle has an actor or a nonce")
    return "settle pins the transcript, the sides and the winner"


def payout(p, t):
    """Checks that each stake goes into the duel's escrow, and from there to the winner or back."""
    stake, escrow = p["said"]["stake"], address(hash_text("escrow", p["duel_id"])[:20])

    def coins(giver, taker, amount):
        return {"asset": "coin", "from": giver, "to": taker, "amount": amount}

    for name, side in (("stake_a", p["a"]), ("stake_b", p["b"])):
        require((name in t) == (stake > 0), f"{name} does not fit the stake of {stake}")
        if stake:
            of_this = t[name]["actor"] == side and t[name]["data"]["duel_id"] == p["duel_id"]
            paid = t[name]["transfers"] == [coins(side, escrow, stake)]
            require(of_this and paid, f"{name} does not pay in the stake")
    if "settle" not in t:
        return Note("nothing is paid out")
    back = [coins(escrow, p[side], stake) for side in "ab"]
    due = [coins(escrow, p[p["winner"]], 2 * stake)] if p["winner"] else back
    require(t["settle"]["transfers"] == (due if stake else []), "settle does not pay what the duel decides")
    return "settle pays what the duel decides"


# -------------------------------------------------------------- a recovery

LOST_APART = 60_000  # milliseconds before the newest kept block, and after the recovery's, of what it can lose


def recovery(p, t):
    """Checks the recovery that the game crosses: it lies between start and end (order), kept is the block before."""
    require(p["recovery"] is not None, "a game that is void names the recovery, and kept belongs to one")
    ended = p["status"] == "void" or p["format"] == RUN and p["status"] == "claimed"
    goes_on = p["format"] != RUN and p["said"]["stake"] == 0  # a duel without a stake does
    require(ended or goes_on, f"a recovery does not leave a game {p['status']}")
    tx, at = t["recovery"], p["recovery"]
    own = tx["actor"] is None and tx["nonce"] == 0 and not tx["transfers"]
    require(own, "recovery has an actor, a nonce or a transfer")
    there = (at["height"] is None) == (p["kept"] is None)
    require(there, "kept is there exactly when recovery is in a block")
    if p["kept"] is not None:
        kept, header = document(p["kept"], "header"), document(at["header"], "header") if at["header"] else None
        require(kept, "kept is not a block header in canonical JSON")
        if at["header"] is not None:
            before = header and kept["height"] == header["height"] - 1
            before = before and hash_text("block", p["kept"]).hex() == header["prev"]
            require(before, "kept is not the block before that of recovery")
            require(kept["time"] <= header["time"], "kept is later than the block of recovery")
            late = tx["time"] >= kept["time"] - MAX_BACKDATED
            require(late, "recovery is earlier than kept by more than a minute")
            for name in t:
                below = p[name]["header"] and document(p[name]["header"], "header")
                if below and below["height"] <= kept["height"]:
                    require(below["time"] <= kept["time"], f"kept is earlier than the block of {name}")
                    named = below["height"] != kept["height"] - 1
                    named = named or hash_text("block", p[name]["header"]).hex() == kept["prev"]
                    require(named, f"kept does not name the block of {name}")
    tree, number, reason = (tx["data"][member] for member in ("lost", "recovery", "reason_hash"))
    if tree and at["height"] is not None:
        kept = at["height"]
        require(tree["size"] >= kept, f"recovery names a lost tree of {tree['size']} blocks, and keeps {kept}")
    lost = f"has lost a tree of {tree['size']} blocks" if tree else "names no lost tree"
    effect = "ended the game" if ended else "came during the duel"
    return Note(f"recovery {number} {effect}; it {lost}; the SHA-256 of its reason is {reason}")


def excused(p, t, time):
    """Whether the recovery excuses that the chain lacks what the house stated at a time."""
    if "recovery" not in t or not t["recovery"]["data"]["lost"]:
        return False
    raws = p["kept"], p["recovery"]["header"]
    kept, own = (document(raw, "header") if raw is not None else None for raw in raws)
    return (not kept or time >= kept["time"] - LOST_APART) and (not own or time <= own["time"] + LOST_APART)


# ---------------------------------------------------------------- receipts
# What the house signed while a game went on, one receipt per line.

MAX_RECEIPTS = 1000  # about one game
MAX_RECEIPTS_SIZE = 64 << 20  # bytes
STATEMENTS = ("start", "result", "decision", "commitments")


class Contradiction(Fail):
    """Raised by a receipt that states something else than the proof. anchored: what it contradicts is in a block."""

    def __init__(self, text, anchored):
        super().__init__(text)
        self.anchored = anchored


def read_receipt(n, line):
    """Returns the statement of receipt n, its raw and the signature; raises Fail when the line is malformed."""
    receipt = document(line, "receipt")
    kinds = (document(receipt["raw"], shape) for shape in STATEMENTS) if receipt else ()
    statement = next((one for one in kinds if one), None)
    signature = base64_bytes(receipt["signature"]) if receipt else None
    require(statement and signature and len(signature) == 64, f"receipt {n} is malformed")
    return statement, receipt["raw"], signature


def anchored(p, name):
    return p[name] is not None and p[name]["height"] is not None


def compare(p, t, n, s):
    """Compares statement s of receipt n, about this game, with the proof.

    Returns "agree", "later" for a later state than the proof's, or "lost" when a recovery excuses that it is missing.
    """
    run = p["format"] == RUN
    ended = "end" if run else "settle"

    def differ(subject, on_chain, facts, names):
        for name in names:
            if s[name] != facts[name]:
                raise Contradiction(f"receipt {n} states another {name} of {subject} than the proof", on_chain)
        return "agree"

    def lacking(subject):
        differ(subject, anchored(p, ended), p, ("account",) if run else ("a", "b"))  # no loss explains another player
        if ended not in t:
            return "later"
        if excused(p, t, s["time"]):
            return "lost"
        raise Contradiction(f"receipt {n} states {subject}, which the proof lacks", anchored(p, ended))

    if s["kind"] == "start":
        start, subject, on_chain = t["start"]["data"], "the start", anchored(p, "start")
        names = ("client_seed_hash", "commitment", "entry", "first_tier", "next_commitment")
        facts = {**{name: start[name] for name in names}, "account": t["start"]["actor"]}
    elif s["kind"] == "decision":
        subject, made = f"the decision after throw {s['throws']}", len(p["said"])
        stayed = s["decision"] == "continue" or s["decision"] == "claim" and p["status"] == "claimed"
        gone = "recovery" in t and (s["throws"] > made or s["throws"] == made and not stayed)
        if ended not in t or gone:
            return lacking(subject)
        facts, on_chain = decided(p, t, s), anchored(p, ended)
    else:
        rounds = p["said"] if run else p["said"]["rounds"]
        subject, on_chain = f"{'throw' if run else 'round'} {s['n']}", anchored(p, ended)
        if not 1 <= s["n"] <= len(rounds):
            return lacking(subject)
        one = rounds[s["n"] - 1]
        if not run:
            differ(subject, on_chain, p, ("a", "b"))
            names = ("commitment_a", "commitment_b")
            # A duel without a stake goes on after a recovery, and its sides play a lost round again.
            if p["said"]["stake"] == 0 and any(s[name] != one[name] for name in names) and excused(p, t, s["time"]):
                return "lost"
            return differ(subject, on_chain, one, names)
        facts = {**{name: one[name] for name in ("entropy_hash", "house", "move", "outcome", "seed")},
                 "account": p["account"]}
    return differ(subject, on_chain, facts, facts if s["kind"] == "decision" else sorted(facts))


def decided(p, t, s):
    """Returns what a decision must state in a run that has ended, in the order of the comparison."""
    made, n = p["said"], s["throws"]
    wins = sum(one["outcome"] == "win" for one in made[:n])
    facts = {"account": p["account"], "throws": len(made), "cleared": t["start"]["data"]["first_tier"] + wins,
             "decision": {"claimed": "claim", "abandoned": "abandon"}.get(p["status"])}
    if s["decision"] == "continue":  # the run may have ended before its next throw
        won = 1 <= n <= len(made) and made[n - 1]["outcome"] == "win"
        facts["throws"] = n if won else None
        facts["decision"] = "continue" if n < len(made) or p["status"] == "abandoned" or "recovery" in t else None
    return facts


def receipts(p, t, data, pinned):
    key = parse_key(p["verifier_key"] if pinned is None else pinned)
    require(key, "no verifier key to check receipts with")
    data = data[:-1] if data[-1:] == b"\n" else data
    try:
        text = data.decode()
    except ValueError:
        text = None
    fits = text is not None and len(data) <= MAX_RECEIPTS_SIZE
    require(fits, f"the receipts are not UTF-8 of at most {MAX_RECEIPTS_SIZE} bytes")
    game = "run_id" if p["format"] == RUN else "duel_id"
    mark = f'\\"{game}\\":\\"{p[game]}\\"'  # every canonical receipt about this game contains it, and no other
    agree, later, lost, elsewhere = 0, 0, 0, 0
    for n, line in enumerate(text.split("\n") if text else (), 1):
        if mark not in line:
            elsewhere += 1
            continue
        require(agree + later + lost < MAX_RECEIPTS, f"more than {MAX_RECEIPTS} receipts are about this game")
        s, raw, signature = read_receipt(n, line)
        require(s.get(game) == p[game], f"receipt {n} is malformed")
        genuine = signed(key[2], b"roshambo/receipt/v1\n" + raw.encode(), signature)
        require(genuine, f"receipt {n} is not signed by {key[0]}+{key[1]}")
        compared = compare(p, t, n, s)
        agree, later, lost = agree + (compared == "agree"), later + (compared == "later"), lost + (compared == "lost")
    text = f"{agree} receipts agree with the proof"
    text += f"; {later} state later than it" if later else ""
    text += f"; {lost} lost, declared by recovery {t['recovery']['data']['recovery']}" if lost else ""
    text += f"; {elsewhere} of other games" if elsewhere else ""
    return text if agree and not lost else Note(text)


# -------------------------------------------------------------- entry points

RUN, DUEL = "roshambo/run-proof/v1", "roshambo/duel-proof/v1"
CHECKS = {
    RUN: {
        "inclusion": inclusion, "checkpoint": checkpoint, "witnesses": witnesses, "order": order,
        "commitment": commitment, "client_seed": client_seed, "seeds": seeds, "moves": moves, "outcomes": outcomes,
        "cleared": cleared, "status": status, "end": end, "recovery": recovery,
    },
    DUEL: {
        "inclusion": inclusion, "checkpoint": checkpoint, "witnesses": witnesses, "order": order,
        "commitments": commitments, "outcomes": round_outcomes,
        "score": score, "winner": winner, "end": settlement, "payout": payout, "recovery": recovery,
    },
}


def read_proof(data):
    """Parses a proof and its transcript; raises Fail unless both are well formed."""
    require(len(data) <= MAX_PROOF, f"the proof is larger than {MAX_PROOF} bytes")
    try:
        p = parse(data.decode())
    except (ValueError, RecursionError):
        strict = f"JSON with unique members, whole numbers, {MAX_DEPTH} levels"
        raise Fail(f"the proof is not UTF-8, or not {strict}") from None
    form = p.get("format") if isinstance(p, dict) else None
    require(form in (RUN, DUEL), "the proof has an unknown format")
    conform(p, "run_proof" if form == RUN else "duel_proof")
    raw = p["transcript"]["raw"]
    said = document(raw, "throw*" if form == RUN else "transcript")
    fits = said is not None and (form == DUEL or len(said) <= SEEDS)
    require(fits, "transcript.raw is not a transcript in canonical JSON")
    for i, one in enumerate(said if form == RUN else said["rounds"]):
        require(one["n"] == i + 1, "the transcript is not numbered 1, 2, 3 and so on")
    if form == RUN and p["texts"] is not None:
        entropy = p["texts"]["entropy"]
        short = all(len(text) <= MAX_TEXT for text in [p["texts"]["client_seed"], *entropy])
        require(short, f"texts has a text of more than {MAX_TEXT} characters")
        require(len(entropy) == len(said), "texts does not have the entropy of each throw")
    for member in ("a", "b", "duel_id") if form == DUEL else ():
        require(said[member] == p[member], f"the transcript states another {member}")
    require(form == RUN or p["a"] != p["b"], "both sides have the same address")
    return {**p, "said": said, "transcript_hash": hash_text("transcript", raw).hex(), "pending": unanchored(p)}


def describe(p):
    if p["format"] == RUN:
        return f"run {p['run_id']} of {p['account']}: {p['status']}, {p['cleared']} cleared, {len(p['said'])} throws"
    return f"duel {p['duel_id']} of {p['a']} and {p['b']}: {p['status']}, {len(p['said']['rounds'])} rounds"


def verify(data, pinned=None, witness_keys=(), receipt_lines=None, quorum=0):
    """Checks a proof given as bytes. pinned is the trusted verifier key that must have signed its checkpoint, or None.

    witness_keys are the keys of witnesses, of which quorum must have cosigned it, all if 0; receipt_lines are the
    bytes of the receipts, one per line, or None.
    Returns {"valid": bool, "verdict": text, "format": text, "pending": [name, …],
    "checks": [{"id", "result", "text"}, …]}. valid means that the verdict is VALID; pending names the claims that
    are in no block.
    """
    report = {"valid": True, "verdict": "VALID", "format": "", "pending": [], "checks": []}
    p, t = {}, {}

    def run(name, check, *args):
        try:
            text = check(*args)
            result = "note" if isinstance(text, Note) else "pass"
        except Fail as fail:
            text, result = str(fail), "fail"
            report["contradicted"] = report["valid"] and getattr(fail, "anchored", False)
            report["valid"] = False
        report["checks"].append({"id": name, "result": result, "text": text})

    run("format", lambda: p.update(read_proof(data)) or describe(p))
    if report["valid"]:
        report.update(format=p["format"], pending=p["pending"])
        run("transactions", transactions, p, t)
        readable = report["valid"]
        given = {checkpoint: pinned, witnesses: (witness_keys, quorum)}
        for name, check in CHECKS[p["format"]].items():
            if check is witnesses and not witness_keys and not quorum and not others(p):
                continue
            if check is recovery and p["recovery"] is None and p["kept"] is None and p["status"] != "void":
                continue
            if readable:
                run(name, check, p, given.get(check, t))
            else:
                run(name, lambda: Note("not checked: the transactions check failed"))
        if receipt_lines is not None and readable:
            run("receipts", receipts, p, t, receipt_lines, pinned)
        elif receipt_lines is not None:
            run("receipts", lambda: Note("not checked: the transactions check failed"))
    return judged(report)


def judged(report):
    """Sets the verdict of a report and returns it. On entry valid means that no check failed."""
    waits = report["valid"] and report["pending"]
    failed = "CONTRADICTED" if report.pop("contradicted", False) else "NOT VALID"
    report["verdict"] = "PENDING" if waits else "VALID" if report["valid"] else failed
    report["valid"] = report["verdict"] == "VALID"
    return report


def as_text(report):
    """Returns a report as text: a line per check, then the verdict."""
    lines = [f"{c['result']}  {c['id']:<12}  {c['text']}" for c in report["checks"]]
    failed = [c["id"] for c in report["checks"] if c["result"] == "fail"]
    why = {"PENDING": f": not in a block yet: {', '.join(report['pending'])}", "NOT VALID": f": {', '.join(failed)}",
           "CONTRADICTED": ": the house signed a receipt and a block that differ"}
    return "\n".join([*lines, report["verdict"] + why.get(report["verdict"], "")])


def main():
    about = "Checks a Roshambo proof of a house run or a duel, or a whole chain, offline."
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--key", metavar="VERIFIER_KEY", help="the trusted key that must have signed the checkpoint")
    cosigned = "the key of a witness that must have cosigned the checkpoint"
    parser.add_argument("--witness", metavar="KEY", action="append", default=[], help=cosigned)
    most = "how many of the witnesses must have cosigned, instead of all"
    parser.add_argument("--quorum", metavar="N", type=int, help=most)
    since = "the height from which on the witnesses must have seen rules of a chain a day before they began"
    parser.add_argument("--witnesses-from", metavar="HEIGHT", type=int, default=0, help=since)
    said = "a file of receipts, one per line, to compare with the proof"
    parser.add_argument("--receipts", metavar="FILE", type=argparse.FileType("rb"), help=said)
    parser.add_argument("--json", action="store_true", help="write the report as JSON")
    parser.add_argument("--audit", action="store_true", help="print the record of the house of a valid export")
    source = "the file of the proof or the export, - for standard input, or the folder of a mirror"
    opened = argparse.FileType("rb")
    parser.add_argument("proof", type=lambda name: name if os.path.isdir(name) else opened(name), help=source)
    args = parser.parse_args()
    if args.key is not None and not parse_key(args.key):
        parser.error("--key is not a verifier key")
    if not all(parse_key(key, 4) for key in args.witness):
        parser.error("--witness is not the verifier key of a witness")
    if args.quorum is not None and not 1 <= args.quorum <= len(args.witness):
        parser.error("--quorum is not 1 to the number of witnesses")
    if args.witnesses_from < 0 or args.witnesses_from and not args.witness:
        parser.error("--witnesses-from is not a height, or without --witness")
    file = getattr(args.proof, "buffer", args.proof)  # some versions open "-" as text
    file = io.BufferedReader(file) if isinstance(file, io.RawIOBase) else file
    if isinstance(file, str) or file.peek(16).startswith(b'{"blocks":'):
        if args.receipts:
            parser.error("--receipts is for proofs")
        import chain  # proofs do not need the second file

        report = chain.verify_export(file, args.key, args.witness, args.quorum or 0, args.witnesses_from)
        if args.audit and report["valid"]:
            import games

            print(report["checks"][-1]["text"], file=sys.stderr)  # with the hours without a cosigned checkpoint
            figures = games.audit(report["record"])
            print(json.dumps(figures, separators=(",", ":")) if args.json else games.audit_text(figures))
            return 0
    else:
        if args.witnesses_from:
            parser.error("--witnesses-from is for chains")
        lines = args.receipts.read(MAX_RECEIPTS_SIZE + 2) if args.receipts else None
        return check_proofs(file, args, lines)
    print(json.dumps(report, separators=(",", ":")) if args.json else as_text(report))
    return {"VALID": 0, "PENDING": 3}.get(report["verdict"], 1)


def lines_of(file):
    """Yields the lines of a file that are not blank; of one that is too long for a proof, its beginning."""
    for line in iter(lambda: file.readline(MAX_PROOF + 1), b""):
        if line.strip():
            yield line
        while len(line) > MAX_PROOF and line[-1:] != b"\n":
            line = file.readline(MAX_PROOF + 1)


def proofs(file):
    """Yields the proof of a file with line 0, or each of its lines if the first one is JSON and another one follows, as
    in the file of a cup's proofs."""
    lines = lines_of(file)
    first = next(lines, b"")
    try:
        require(len(first) <= MAX_PROOF, "too long")
        parse(first.decode())
    except (Fail, ValueError, RecursionError):
        yield 0, first + file.read(max(0, MAX_PROOF + 1 - len(first)))
        return
    second = next(lines, None)
    yield (0 if second is None else 1), first
    if second is not None:
        yield 2, second
    yield from enumerate(lines, 3)


def check_proofs(file, args, receipt_lines):
    """Prints the reports of the proofs of a file, of several the verdicts and what is not valid; returns the exit status."""
    worst = 0
    for line, proof in proofs(file):
        report = verify(proof, args.key, args.witness, receipt_lines, args.quorum or 0)
        status = {"VALID": 0, "PENDING": 3}.get(report["verdict"], 1)
        worst = status if worst != 1 and status else worst
        if args.json:
            print(json.dumps(report, separators=(",", ":")))
            continue
        if line:
            print(f"line {line}  {report['verdict']}")
        if not line or status:
            print(as_text(report))
    return worst


if __name__ == "__main__":
    sys.exit(main())
