"""What a generator leaves behind that its consumer drops or closes."""

from inspector.integrations.endings import Abandoned
from instrument import _emit_sync, around


def test_what_is_known_of_a_dropped_stream_is_recorded_although_it_was_already_written_as_abandoned(record):
    recording = record()
    with around("agent_call", agent="a"):
        _emit_sync("before_llm_generate", llm="m", prompt={"model": "m"}, call_id="c")
    recording.records()
    part = {"choices": [{"message": {"role": "assistant", "content": "half an"}}]}
    _emit_sync("error_llm_generate", llm="m", prompt=None, exc=Abandoned(), response=part, call_id="c")
    last = recording.spans()[-1]["attributes"]
    assert last["inspector.status"] == "abandoned"
    assert "half an" in last["gen_ai.output.messages"]
