"""Runs a program again, with the recorded answers of its models, tools and servers.

`begin` plays a tape inside the program, and `read_reports` reads how it went.
"""

from inspector.replay.answers import with_answer
from inspector.replay.ignoring import Ignoring
from inspector.replay.player import STOPPED, begin
from inspector.replay.report import Divergence, Report, read_reports

__all__ = ["STOPPED", "Divergence", "Ignoring", "Report", "begin", "read_reports", "with_answer"]
