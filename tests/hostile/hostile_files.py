"""What stands in a spool's directory, or is named to ``inspector import``, without any recorder having written it."""

import gzip
import os
import random
import socket
from pathlib import Path

from hostile_spans import as_json, json_text, request
from hostile_values import damaged, text

DEEP = b"[" * 1_000_000 + b"]" * 1_000_000
LINES_OF_A_FILE = 20


def line(rng: random.Random, trace: int) -> bytes:
    """One line, or what was to be one."""
    match rng.randrange(12):
        case 0:
            return json_text(rng, request(rng, trace))[: rng.randrange(400)]
        case 1:
            return rng.choice(
                (b"", b" ", b"\0" * 50, b"{}", b"[]", b"null", b'"', b"\xff\xfe{\0}\0", b"\xef\xbb\xbf{}", b"\r")
            )
        case 2:
            return rng.choice(
                (b'{"resourceSpans":' + b"[" * 5_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"9" * 5_000)
            )
        case 3:
            return json_text(rng, {"resourceSpans": [], "resourceLogs": [{}], text(rng): text(rng)})
    return as_json(rng, trace)[1].replace(b"\n", b" ")


def content(rng: random.Random, trace: int, lines: int = LINES_OF_A_FILE) -> bytes:
    """Lines, the last of which may be torn."""
    data = b"\n".join(line(rng, trace + at) for at in range(lines))
    return data + rng.choice((b"\n", b"\n", b"", b"\n\n\n", b'\n{"resourceSpans":[{"scopeS'))


def spool_file(rng: random.Random, number: int) -> tuple[str, bytes]:
    """The name and the content of a segment, as our recorder names them."""
    return f"20261122T100000-{number}-{rng.getrandbits(32):08x}.000001.jsonl", content(rng, number * 32)


def put_odd_entries(directory: Path) -> None:
    """What is no segment in place of one: links, pipes, sockets, directories, names that no file should have."""
    name = "20261122T090000-{}-00c0ffee.000001.jsonl".format
    (directory / name(1)).symlink_to("/etc/passwd")
    (directory / name(2)).symlink_to(directory / name(2))
    os.mkfifo(directory / name(3))
    (directory / name(4)).mkdir()
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(directory / "s.jsonl"))
    (directory / "deep.jsonl").write_bytes(DEEP + b"\n")
    (directory / "20261122T090000-5-00c0ffee.000001.tmp").write_bytes(b"{}")
    (directory / "20261122T090000-6-00c0ffee.x.-1.unwritten").touch()
    (directory / "20261122T090000-7-00c0ffee..999999999999999999.unwritten").touch()
    Path(os.fsdecode(os.fsencode(directory) + b"/\xff\xfe.jsonl")).write_bytes(b"{}\n")
    (directory / ("a" * 240 + ".jsonl")).write_bytes(b"\0" * 100)


def import_file(rng: random.Random, number: int) -> bytes:
    """JSON on one line or on many, JSON lines, any of it packed, or cut, or something else."""
    lines = rng.choice((1, 1, 2, 4))
    data = content(rng, number * 8, lines)
    match rng.randrange(8):
        case 0:
            data = json_text(rng, request(rng, number * 8)).replace(b",", b",\n")
        case 1:
            data = rng.choice(
                (
                    b"SQLite format 3\0" + data,
                    data.decode("latin-1").encode("utf-16"),
                    b"PK\3\4" + data,
                    rng.randbytes(200),
                )
            )
        case 2:
            return gzip.compress(data, 1)
        case 3:
            return damaged(rng, gzip.compress(data, 1))
        case 4:
            return gzip.compress(gzip.compress(data, 1), 1) + rng.choice((b"", b"x", b"\0" * 100))
        case _:
            pass
    return data
