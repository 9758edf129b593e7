"""Claude Code, recorded from the OpenTelemetry that it sends and from the requests that it writes to files.

``inspector run claude`` switches both on for that process alone, by environment variables
(https://code.claude.com/docs/en/monitoring-usage). The spans have the calls, but no messages; its log records say which
request belongs to which span; the files have the requests and the answers. Nothing leaves the machine.
"""

from inspector.coding_agents.claude_code.collector import Collector

__all__ = ["Collector"]
