"""Gemini CLI, recorded from the files of its sessions while it writes them.

``inspector run gemini`` learns which sessions these are from the telemetry that Gemini CLI writes into a file of ours,
and when it has nothing to do, which the sessions do not say. So what is recorded is what ``inspector import`` of the
same file would read, under the same ids.
"""

from inspector.coding_agents.gemini_cli.collector import Collector

__all__ = ["Collector"]
