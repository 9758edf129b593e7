"""Recovers what is readable in a database with broken pages.

SQLite's own recovery is only in its shell and in a C library, and Python comes with neither.
"""

from inspector.store.sqlite.salvage.saving import Salvaged, salvaged

__all__ = ["Salvaged", "salvaged"]
