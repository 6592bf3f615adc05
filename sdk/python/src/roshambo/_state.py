"""Files that survive a crash: the state of a program, and lines that are only appended."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from ._errors import StateError


def read_state(path: Path | None) -> Any:
    """Returns what write_state has written, None without a file. Raises StateError for another one."""
    if path is None:
        return None
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise StateError(f"{path}: {error}") from error


def write_state(path: Path | None, value: Any) -> None:
    """Stores a value atomically and synced, before the request that depends on it is sent.

    A program that is killed afterwards finds it and sends the same request again. A crash before the file is replaced
    leaves the previous one; nothing has been sent then.
    """
    if path is None:
        return
    handle, name = tempfile.mkstemp(prefix=path.name + ".", dir=path.parent)  # which only the owner can read
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, separators=(",", ":"))
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def append_line(path: Path, line: bytes) -> None:
    """Appends a line to a file that only its owner can read, and syncs it.

    One write appends the whole line, so that programs that share the file cannot interleave.
    """
    created = not path.exists()
    handle = os.open(path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        text = line + b"\n"
        if os.write(handle, text) != len(text):
            raise OSError(f"{path}: the line was not written whole")
        os.fsync(handle)
    finally:
        os.close(handle)
    if created:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes a new name in a folder durable, where the system lets a program open folders."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
