"""What can still be read of a database with broken pages.

SQLite's own recovery is in its shell and a C library alone, neither of which Python brings along.
"""

from inspector.store.sqlite.salvage.saving import Salvaged, salvaged

__all__ = ["Salvaged", "salvaged"]
