import json

import inspector
import instrument
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings
from inspector.subscribers import llm_attrs


def test_the_cost_that_the_template_adds_is_the_calls_cost(blocks, tmp_path, monkeypatch):
    monkeypatch.setenv("INSPECTOR_HOME", str(tmp_path))
    template, _ = blocks("docs/development.md", "python")
    try:
        exec(compile(template.text, "development.md", "exec"), {"__name__": "template"})
    finally:
        inspector.detach()
        instrument._hooks.clear()
    with Owner(Settings(home=tmp_path)) as owner:
        owner.ingest_spools()
        (call,) = owner.store.events(Filter(), order="asc", limit=10, full=True).items
    assert (call.kind, call.status, call.cost_usd) == ("llm", "ok", 0.001)
    assert json.loads(bytes(call.attributes))["inspector.cost.usd"] == 0.001


def test_the_subscriber_of_the_first_contract_writes_the_prompt_on_the_applications_span(blocks):
    from opentelemetry.sdk.trace import TracerProvider

    _, example = blocks("docs/development.md", "python")
    try:
        exec(compile(example.text, "development.md", "exec"), {})
        exec(compile(example.text, "development.md", "exec"), {})
        with TracerProvider().get_tracer("app").start_as_current_span("model") as span:
            instrument._emit_sync("before_llm_generate", llm="m", prompt=[{"role": "user", "content": "hi"}])
        assert json.loads(span.attributes["mcp.llm.prompt_json"]) == [{"role": "user", "content": "hi"}]
        instrument._emit_sync("before_llm_generate", llm="m", prompt="outside")
    finally:
        llm_attrs.unsubscribe()
    assert not instrument._hooks
