"""Drives verify/python/verify.py for the Go tests.

    twin.py proofs          reads lines {"proof": base64, "key": text or null, "witnesses": [text], "quorum": n,
                            "receipts": text or null}
                            and writes lines {"json", "text"}
    twin.py exports         reads exports in base64, one per line, and writes the ids of the failed checks
    twin.py work            reads requests as proofs does, or {"export": base64, "witnesses"} of valid chains,
                            and writes for each how many instructions of the interpreter its verification took
    twin.py values FILE     writes a line for each value of values.json that differs
"""

import base64
import io
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
sys.dont_write_bytecode = True
import chain as whole  # noqa: E402
import games  # noqa: E402
import verify  # noqa: E402


def proofs():
    for line in sys.stdin:
        request = json.loads(line)
        lines = None if request.get("receipts") is None else request["receipts"].encode()
        report = verify.verify(base64.b64decode(request["proof"]), request["key"], request["witnesses"], lines,
                               request.get("quorum", 0))
        output = {"json": json.dumps(report, separators=(",", ":")), "text": verify.as_text(report)}
        print(json.dumps(output), flush=True)


def exports():
    for line in sys.stdin:
        report = whole.verify_export(io.BytesIO(base64.b64decode(line)))
        print(",".join(c["id"] for c in report["checks"] if c["result"] == "fail"), flush=True)


def readable(data):
    try:
        return True, verify.parse(base64.b64decode(data).decode())
    except (ValueError, RecursionError):
        return False, None


def is_canonical(data):
    well, value = readable(data)
    return well and verify.canonical(value).encode() == base64.b64decode(data)


def chain(last):
    seeds = {256: bytes.fromhex(last)}
    for n in range(256, 0, -1):
        seeds[n - 1] = verify.previous_seed(n, seeds[n])
    return [seeds[n].hex() for n in (0, 1, 2)]


def same(kind, v):
    """Reports whether the verifier computes a value of the file."""
    unhex = bytes.fromhex
    if kind == "seeds":
        return verify.previous_seed(v["n"], unhex(v["seed"])).hex() == v["previous"]
    if kind == "chains":
        return chain(v["last"]) == [v["commitment"], v["seed_1"], v["seed_2"]]
    if kind == "moves":
        return verify.house_move(unhex(v["seed"]), v["n"], *map(verify.text_hash, (v["client_seed"], v["entropy"]))) == v["move"]
    if kind == "streams":
        return verify.draw_move(unhex(v["stream"])) == v["move"]
    if kind == "outcomes":
        return verify.outcome(v["move"], v["house"]) == v["outcome"]
    if kind == "addresses":
        written = not v["valid"] or verify.address(unhex(v["payload"])) == v["address"]
        return verify.is_address(v["address"]) == v["valid"] and written
    if kind == "escrows":
        return verify.address(verify.hash_text("escrow", v["duel_id"])[:20]) == v["address"]
    if kind == "hashes":
        return all(verify.hash_text(d, v["raw"]).hex() == v[d] for d in ("tx", "block", "transcript"))
    if kind == "trees":
        root = unhex(v["root"])
        return verify.included(v["leaf"].encode(), v["index"], v["size"], v["proof"], root) == v["included"]
    if kind == "json":
        return readable(v["base64"])[0] == v["valid"]
    if kind == "canonical":
        return is_canonical(v["base64"]) == v["valid"]
    if kind == "keys":
        return (verify.parse_key(v["key"]) is not None) == v["valid"]
    if kind == "signatures":
        return verify.signed(unhex(v["public"]), unhex(v["message"]), unhex(v["signature"])) == v["valid"]
    if kind == "commitments":
        return verify.sha256(f"{v['move']}:{v['salt']}".encode()).hex() == v["commitment"]
    if kind == "intervals":
        return games.share("", v["count"], v["of"]) == {"what": "", **v}
    return False


def values(file):
    with open(file, "rb") as f:
        lists = json.load(f)
    for kind, entries in lists.items():
        for v in entries if kind != "format" else ():
            if not same(kind, v):
                print(kind, json.dumps(v))


def audits():
    """Reads lines {"export": base64, "witnesses", "quorum", "witnesses_from"}, and prints the figures as JSON; null for one that fails."""
    for line in sys.stdin:
        request = json.loads(line)
        policy = request.get("witnesses") or (), request.get("quorum", 0), request.get("witnesses_from", 0)
        report = whole.verify_export(io.BytesIO(base64.b64decode(request["export"])), None, *policy)
        print(json.dumps(games.audit(report["record"]) if report["valid"] else None))


def work():
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return trace

    for line in sys.stdin:
        request, count = json.loads(line), 0
        lines = None if request.get("receipts") is None else request["receipts"].encode()
        sys.settrace(trace)
        if request.get("export"):
            report = whole.verify_export(io.BytesIO(base64.b64decode(request["export"])), None, request["witnesses"] or ())
            assert report["valid"], report["checks"]
        else:
            verify.verify(base64.b64decode(request["proof"]), request["key"], request["witnesses"] or (), lines)
        sys.settrace(None)
        print(count, flush=True)


if __name__ == "__main__":
    {"proofs": proofs, "work": work, "exports": exports, "audits": audits, "values": values}[sys.argv[1]](*sys.argv[2:])
