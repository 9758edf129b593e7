"""Programs in JavaScript, recorded from what each Node of theirs notes of its requests to models.

``inspector run node`` has every Node load ``preload.cjs``, which appends to a file of ours what is sent to a model and
what comes back, and the agents and tools of frameworks around it. What that means is worked out here, by the same rules
as for Python programs that call a model over plain HTTP.
"""

from inspector.node.collector import Collector

__all__ = ["Collector"]
