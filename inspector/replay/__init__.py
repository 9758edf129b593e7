"""Runs a program again, with the recorded answers of its models, tools and servers.

`begin` plays a tape inside the program, and `reports_of` reads how it went.
"""

from inspector.replay.answers import with_answer
from inspector.replay.ignoring import Ignoring
from inspector.replay.player import STOPPED, begin
from inspector.replay.report import Miss, Report, reports_of

__all__ = ["STOPPED", "Ignoring", "Miss", "Report", "begin", "reports_of", "with_answer"]
