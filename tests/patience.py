"""How long tests let a store take for an answer, and the one that writes go on to."""

import pytest

from inspector.store import ReadLimits

PATIENT = ReadLimits(read_s=120, walk_s=60, scan_s=60, phrase_s=60)
"""The limits of a store, but that no answer ends early on a busy machine."""


def let_one_write(patch: pytest.MonkeyPatch) -> None:
    """Has the store on ClickHouse that writes first go on to, however long a test takes, and do nothing by itself."""
    for name in ("writing.LOOK_S", "writing.CLAIM_S", "writing.KEEP_S", "writing.TURN_S", "lease.LENGTH_S"):
        patch.setattr(f"inspector.store.clickhouse.{name}", 3600)
