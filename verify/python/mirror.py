"""Reads the folder that `roshambo mirror` keeps: the chain, in four files. chain.py uses it."""
import functools
import os

from verify import Fail, canonical, conform, parse, parse_note, parse_tree, SHAPES

MAX_STATE = 1 << 20  # bytes of mirror.json
SHAPES["mirror"] = {"block_bytes": "whole", "checkpoint": "text", "game_bytes": "whole", "kept_bytes": "whole",
                    "newest_kept": "text", "verifier_key": "text"}


class Part:
    """The beginning of a file, up to a number of bytes."""

    def __init__(self, path, left):
        self.file, self.left = open(path, "rb"), left

    def readline(self, limit):
        line = self.file.readline(min(limit, self.left))
        self.left -= len(line)
        return line


class Copy(Part):
    """The folder of a mirror, read as an export: the transcripts are in a file of their own, the checkpoint too."""

    def __init__(self, folder):
        path = functools.partial(os.path.join, folder)
        try:
            with open(path("mirror.json"), "rb") as file:
                self.said = parse(file.read(MAX_STATE).decode())
            conform(self.said, "mirror", "mirror.json")
            super().__init__(path("blocks.jsonl"), self.said["block_bytes"])
            self.games = Part(path("games.jsonl"), self.said["game_bytes"])
            self.kept, self.line = Part(path("kept.jsonl"), self.said["kept_bytes"]), b""
            newest = self.said["newest_kept"]
            self.newest = (canonical({"kept": newest}) + "\n").encode() if newest else b""  # behind those in the file
        except (OSError, ValueError, RecursionError) as error:
            raise Fail(f"not the folder of a mirror: {type(error).__name__}") from None

    def readline(self, limit):
        last = canonical({"checkpoint": self.said["checkpoint"]}) + "\n"
        return super().readline(limit) if self.left else last.encode()

    def kept_of(self, size):
        """Yields the kept checkpoints of trees of at most size blocks that were not read before."""
        while self.line or self.kept.left or self.newest:
            if not self.line and not self.kept.left:
                self.line, self.newest = self.newest, b""
            self.line = self.line or self.kept.readline(MAX_STATE)
            try:
                text = self.line.decode()[:-1]
                of = parse_tree(parse_note(parse(text)["kept"])[0])[1]
            except (ValueError, RecursionError, KeyError, TypeError):
                raise Fail("kept.jsonl has a line that is no kept checkpoint") from None
            if of > size:
                return
            self.line = b""
            yield text

    def read(self, _):
        return self.line or self.newest or self.kept.readline(1) or self.games.readline(1)  # of no tree, and of no game
