"""How long tests let a store take for an answer."""

from inspector.store import ReadLimits

PATIENT = ReadLimits(read_s=120, walk_s=60, scan_s=60)
"""The limits of a store, but that no answer ends early on a busy machine."""
