"""Codex, recorded from the files of its sessions while it writes them.

``inspector run codex`` learns which sessions these are from the diagnostic traces that Codex writes into a directory
named by an environment variable, of which nothing else is read. So what is recorded is what ``inspector import`` of the
same file would read, under the same ids.
"""

from inspector.coding_agents.codex.collector import Collector

__all__ = ["Collector"]
