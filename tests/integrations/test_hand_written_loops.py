import json

import pytest

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings


@pytest.mark.slow
def test_the_conversations_of_a_hand_written_loop_are_those_of_its_own_ledger(run):
    recorded = run("hand_written_loops.py", within="current")
    with Owner(Settings(home=recorded.home)) as owner:
        (listed,) = owner.store.runs(Filter()).items
        page = owner.store.turns(listed.run_id, limit=1000)
    assert page.next_cursor is None
    found = {}
    for turn in page.items:
        tools = [
            {
                "name": tool.name,
                "arguments": json.loads(tool.arguments),
                "result": tool.result,
                "failed": tool.failed,
            }
            for tool in turn.tools
        ]
        found.setdefault(turn.conversation, []).append({"link": turn.link, "tools": tools})
    assert sorted(map(json.dumps, found.values())) == sorted(map(json.dumps, recorded.ledger))
    assert listed.llm_calls == sum(map(len, recorded.ledger))
    assert listed.tool_calls == 0
