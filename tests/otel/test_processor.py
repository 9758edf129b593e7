import asyncio
import os
import re
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest
from emitted import watching
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ConcurrentMultiSpanProcessor, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, Decision, StaticSampler
from opentelemetry.trace import Link, SpanContext, SpanKind, StatusCode, TraceFlags, TraceState

import inspector
from inspector import context
from instrument import around

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "recording.md"


class Agent:
    name = "researcher"


@pytest.fixture
def provider(spool):
    """An application's own provider, to which the one line was added."""
    made = TracerProvider(shutdown_on_exit=False)
    made.add_span_processor(inspector.SpanProcessor())
    return made


@pytest.fixture
def tracer(provider):
    return provider.get_tracer("app", "1.2")


def tool(name="add"):
    return around("tool_call", tool_name=name, args={}, context=None)


def flat(attributes):
    return {each["key"]: each["value"] for each in attributes}


@pytest.mark.parametrize(
    "quoted",
    ['"first line\nsecond line, ' + "and so on " * 60 + '"', '"C:\\path ' + "and so on " * 60 + '"'],
    ids=["two lines", "a path"],
)
def test_a_long_text_with_a_quotation_is_recorded_as_it_is(spool, tracer, quoted):
    prompt = f"Read this letter: {quoted}\n" + "Answer it. " * 80
    for _ in range(2):
        with tracer.start_as_current_span("ask", attributes={"prompt": prompt}):
            pass
    assert [span["attributes"]["prompt"] for span in spool.spans()] == [prompt] * 2


def test_a_span_is_recorded_with_all_that_the_sdk_kept_of_it(spool, tracer):
    other = SpanContext(0xA, 0xB, is_remote=True)
    with tracer.start_as_current_span(
        "GET /",
        kind=SpanKind.CLIENT,
        attributes={"a": 1, "ok": True, "x": 0.5, "s": "t", "l": (1, 2), "w": ["u", "v"], "m": {"k": [1]}},
        links=[Link(other, {"why": "batch"})],
        start_time=3,
    ) as span:
        span.set_attributes({"a": 2, "b": "c"})
        span.add_event("happened", {"n": 3}, timestamp=5)
        span.update_name("GET /x")
        span.set_status(StatusCode.ERROR, "late")
        span.end(end_time=9)
    (found,) = spool.spans()
    assert found == {
        "traceId": f"{span.context.trace_id:032x}",
        "spanId": f"{span.context.span_id:016x}",
        "name": "GET /x",
        "kind": 3,
        "startTimeUnixNano": "3",
        "endTimeUnixNano": "9",
        "attributes": {
            "a": 2, "ok": True, "x": 0.5, "s": "t", "l": [1, 2], "w": ["u", "v"], "m": '{"k":[1]}', "b": "c"
        },
        "events": [{"timeUnixNano": "5", "name": "happened", "attributes": {"n": 3}}],
        "links": [{"traceId": f"{0xA:032x}", "spanId": f"{0xB:016x}", "attributes": {"why": "batch"}}],
        "status": {"code": 2, "message": "late"},
        "scope": "app",
    }  # fmt: skip


def test_a_running_span_is_in_the_spool_before_it_ends(spool, tracer):
    span = tracer.start_span("slow", attributes={"a": 1})
    (start,) = spool.records()
    assert "endTimeUnixNano" not in start
    assert start["attributes"] == {"a": 1}
    span.end()
    assert "endTimeUnixNano" in spool.records()[-1]


def test_resource_and_scope_arrive_with_the_process_beside_them(spool):
    processor = inspector.SpanProcessor()
    for service in ("shop", None):
        made = TracerProvider(
            shutdown_on_exit=False,
            resource=Resource.create({"team": "blue", **({"service.name": service} if service else {})}, "https://r/1"),
        )
        made.add_span_processor(processor)
        tracer = made.get_tracer("lib", "1.2", "https://s/1", {"kind": "db"})
        tracer.start_span("one").end()
    first, second = spool.requests()
    attributes = {
        key: value["stringValue"]
        for key, value in flat(first["resource"]["attributes"]).items()
        if value.get("stringValue")
    }
    assert (attributes["service.name"], attributes["team"]) == ("shop", "blue")
    assert attributes["telemetry.sdk.name"] == "opentelemetry"
    assert attributes["inspector.process"].startswith(str(20))
    keys = [each["key"] for each in first["resource"]["attributes"]]
    assert len(keys) == len(set(keys)) and "process.pid" in keys
    (scoped,) = first["scopeSpans"]
    assert scoped["scope"] == {
        "name": "lib",
        "version": "1.2",
        "attributes": [{"key": "kind", "value": {"stringValue": "db"}}],
    }
    assert (first["schemaUrl"], scoped["schemaUrl"]) == ("https://r/1", "https://s/1")
    # The SDK's name for a service without one says less than ours.
    assert not flat(second["resource"]["attributes"])["service.name"]["stringValue"].startswith("unknown")


def test_what_the_limits_of_the_sdk_left_out_is_counted(spool):
    provider = TracerProvider(
        shutdown_on_exit=False, span_limits=SpanLimits(max_span_attributes=2, max_events=1, max_links=1)
    )
    provider.add_span_processor(inspector.SpanProcessor())
    other = Link(SpanContext(0xA, 0xB, is_remote=True))
    with provider.get_tracer("app").start_as_current_span(
        "one", attributes={"a": 1, "b": 2, "c": 3}, links=[other, other]
    ) as span:
        span.add_event("first")
        span.add_event("second")
    (found,) = spool.spans()
    assert len(found["attributes"]) == 2
    assert [event["name"] for event in found["events"]] == ["second"]
    lost = ("droppedAttributesCount", "droppedEventsCount", "droppedLinksCount")
    assert [found[key] for key in lost] == [1, 1, 1]


def test_what_the_sampler_drops_is_not_recorded_and_what_it_records_is(spool, provider):
    provider.sampler = ALWAYS_OFF
    provider.get_tracer("dropped").start_span("dropped").end()
    provider.sampler = StaticSampler(Decision.RECORD_ONLY)
    provider.get_tracer("kept").start_span("kept").end()
    assert [span["name"] for span in spool.spans()] == ["kept"]


def test_spans_and_calls_of_hooks_are_one_tree(spool, tracer):
    with tracer.start_as_current_span("request"):
        with around("agent_call", agent=Agent()):
            with tracer.start_as_current_span("inner"):
                with tool("add"):
                    with tracer.start_as_current_span("query"):
                        pass
            with tool("sub"):
                pass
        with tracer.start_as_current_span("after"):
            pass
    assert spool.tree() == {
        "request": None,
        "invoke_agent researcher": "request",
        "inner": "invoke_agent researcher",
        "execute_tool add": "inner",
        "query": "execute_tool add",
        "execute_tool sub": "invoke_agent researcher",
        "after": "request",
    }
    assert len({span["traceId"] for span in spool.spans()}) == 1


def test_tasks_and_threads_keep_the_tree(spool, tracer):
    async def work(name):
        with tracer.start_as_current_span(f"span {name}"):
            await asyncio.sleep(0)
            with tool(name):
                await asyncio.sleep(0)
                await asyncio.to_thread(lambda: tracer.start_span(f"below {name}").end())

    async def main():
        with around("agent_call", agent=Agent()):
            await asyncio.gather(*(work(name) for name in "abc"))

    asyncio.run(main())
    assert spool.tree() == {
        "invoke_agent researcher": None,
        **{f"span {name}": "invoke_agent researcher" for name in "abc"},
        **{f"execute_tool {name}": f"span {name}" for name in "abc"},
        **{f"below {name}": f"execute_tool {name}" for name in "abc"},
    }


def test_a_call_below_a_span_that_has_ended_but_is_still_current_has_it_as_parent(spool, tracer):
    span = tracer.start_span("ended")
    with trace.use_span(span):
        span.end()
        with tool():
            pass
    assert spool.tree() == {"ended": None, "execute_tool add": "ended"}


def test_a_call_below_a_proxy_of_a_span_is_recorded_whatever_the_proxy_becomes(spool, tracer):
    import wrapt

    outer = tracer.start_span("outer")
    proxy = wrapt.ObjectProxy(outer)
    with trace.use_span(proxy):
        call = tool()
        call.__enter__()
    proxy.__wrapped__ = trace.INVALID_SPAN
    call.__exit__(None, None, None)
    outer.end()
    assert spool.tree() == {"outer": None, "execute_tool add": "outer"}


def test_whatever_a_library_makes_current_costs_no_call(spool, tracer):
    class Broken(trace.NonRecordingSpan):
        def get_span_context(self):
            raise RuntimeError("not now")

    running = tracer.start_span("running")
    with trace.use_span(Broken(trace.INVALID_SPAN_CONTEXT)):
        with pytest.raises(RuntimeError):
            trace.get_current_span().get_span_context()
        from inspector.record.calls.sdk_spans import sdk_span_at

        assert sdk_span_at() is None
    running.end()


def test_a_call_left_open_below_a_span_is_abandoned_with_the_call_around_it(spool, tracer):
    with around("agent_call", agent=Agent()):
        with tracer.start_as_current_span("inner"):
            tool("left").__enter__()
    assert spool.by_name()["execute_tool left"]["attributes"]["inspector.status"] == "abandoned"


def test_a_call_left_open_below_a_span_is_abandoned_also_when_the_span_was_written_before(spool, tracer):
    with around("agent_call", agent=Agent()):
        with tracer.start_as_current_span("inner"):
            tool("left").__enter__()
        assert spool.by_name()["inner"]["endTimeUnixNano"]
    assert spool.by_name()["execute_tool left"]["attributes"]["inspector.status"] == "abandoned"


@pytest.mark.parametrize("version", [1.0, (1, 2)])
def test_a_version_that_is_no_text_is_written_as_one(spool, provider, version):
    provider.get_tracer("lib", version).start_span("one").end()
    (request, *_) = [each for each in spool.requests() if each["scopeSpans"][0]["spans"]]
    assert request["scopeSpans"][0]["scope"]["version"] == str(version)


def test_spans_of_a_library_whose_name_cannot_be_written_are_counted(spool, provider):
    class Nameless:
        def __str__(self):
            raise ValueError("no name")

    for _ in range(3):
        provider.get_tracer("lib", Nameless()).start_span("one").end()
    provider.get_tracer("other").start_span("two").end()
    assert list(spool.by_name()) == ["two"]
    assert inspector.record.attached().recorder.spool.losses.unencodable == 3


def test_the_agent_and_session_around_a_span_reach_it_and_the_calls_below_it(spool, tracer):
    with context.bind("trip-1"), around("agent_call", agent=Agent()):
        with tracer.start_as_current_span("inner"):
            with tool():
                pass
    with tracer.start_as_current_span("has its own", attributes={"session.id": "theirs"}):
        pass
    found = spool.by_name()
    assert found["inner"]["attributes"] == {"session.id": "trip-1"}
    assert found["execute_tool add"]["attributes"]["gen_ai.agent.name"] == "researcher"
    assert found["execute_tool add"]["attributes"]["session.id"] == "trip-1"
    assert found["has its own"]["attributes"] == {"session.id": "theirs"}


def test_a_span_takes_the_session_of_the_call_above_it(spool, tracer):
    with context.bind("trip-1"):
        call = around("agent_call", agent=Agent())
        call.__enter__()
    with tracer.start_as_current_span("inner"):
        pass
    call.__exit__(None, None, None)
    assert spool.by_name()["inner"]["attributes"] == {"session.id": "trip-1"}


def test_state_inside_of_a_span_is_recorded_on_it_and_not_given_to_exporters(spool, theirs):
    theirs.add_span_processor(inspector.SpanProcessor())

    @inspector.dump_state(result="sum")
    def add():
        return {"n": 3}

    with around("agent_call", agent=Agent()), theirs.get_tracer("app").start_as_current_span("inner") as span:
        add()
    found = spool.by_name()["inner"]
    assert found["attributes"] == {"mcp.result.sum_json": '{"n":3}'}
    assert dict(span.attributes) == {}


def test_secrets_are_removed_and_content_only_kept_where_it_is_wanted(spool, monkeypatch):
    monkeypatch.setenv("INSPECTOR_CAPTURE_CONTENT", "false")
    provider = TracerProvider(
        shutdown_on_exit=False,
        resource=Resource({"process.command_line": "run --token sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd"}),
    )
    provider.add_span_processor(inspector.SpanProcessor())
    with provider.get_tracer("lib").start_as_current_span(
        "one",
        attributes={
            "metadata.user_api_key": "abcd-efgh-1234",
            "note": "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd",
            "gen_ai.input.messages": "[…]",
            "gen_ai.prompt.0.content": "hello",
            "llm.model": "m",
        },
    ) as span:
        span.add_event("gen_ai.user.message", {"content": "hello"})
        span.add_event("retry", {"n": 1, "input.value": "hello"})
    (found,) = spool.spans()
    assert set(found["attributes"]) == {"metadata.user_api_key", "note", "llm.model"}
    text = str(spool.requests())
    for secret in ("efgh", "AbCdEf", "hello"):
        assert secret not in text
    assert [(event["name"], event["attributes"]) for event in found["events"]] == [
        ("gen_ai.user.message", {}),
        ("retry", {"n": 1}),
    ]


def test_a_span_that_two_processors_pass_on_is_recorded_once(spool, provider, tracer):
    provider.add_span_processor(inspector.SpanProcessor())
    with tracer.start_as_current_span("one"):
        pass
    assert len({span["spanId"] for span in spool.records()}) == 1
    assert len([span for span in spool.records() if "endTimeUnixNano" in span]) == 1


def test_a_span_that_began_before_there_was_a_processor_is_recorded_as_it_ends(spool):
    provider = TracerProvider(shutdown_on_exit=False)
    span = provider.get_tracer("app").start_span("early")
    provider.add_span_processor(inspector.SpanProcessor())
    span.end()
    assert [found["name"] for found in spool.spans()] == ["early"]


def test_a_processor_that_works_in_other_threads_keeps_the_tree(spool):
    provider = TracerProvider(shutdown_on_exit=False, active_span_processor=ConcurrentMultiSpanProcessor(2))
    provider.add_span_processor(inspector.SpanProcessor())
    provider.add_span_processor(inspector.SpanProcessor())
    with around("agent_call", agent=Agent()), provider.get_tracer("app").start_as_current_span("inner"), tool():
        pass
    provider.shutdown()
    inspector.detach()
    assert spool.tree() == {
        "invoke_agent researcher": None,
        "inner": "invoke_agent researcher",
        "execute_tool add": "inner",
    }


def test_threads_record_at_once(spool, tracer):
    def work(number):
        for each in range(50):
            with tracer.start_as_current_span(f"{number}-{each}"):
                pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("endTimeUnixNano" in span for span in spool.spans()) == 400


def test_flushing_waits_for_the_file_and_nothing_is_recorded_after_shutdown(spool, provider, tracer):
    tracer.start_span("one").end()
    assert provider.force_flush(10_000)
    (path,) = spool.home.glob("spool/*.jsonl")
    assert b'"name":"one"' in path.read_bytes()
    provider.shutdown()
    tracer.start_span("late").end()
    assert provider.force_flush()
    assert [span["name"] for span in spool.spans()] == ["one"]


def test_spans_pass_unrecorded_after_detaching_and_are_recorded_again_after_attaching(spool, tracer):
    across = tracer.start_span("across")
    inspector.detach()
    tracer.start_span("nobody looks").end()
    inspector.attach(integrations=False)
    across.end()
    tracer.start_span("again").end()
    inspector.detach()
    names = [span["name"] for span in spool.records() if "endTimeUnixNano" in span]
    assert names == ["across", "again"]
    processes = [flat(each["resource"]["attributes"])["inspector.process"]["stringValue"] for each in spool.requests()]
    assert len(set(processes)) == 2


def test_a_call_that_is_given_to_the_applications_provider_is_not_recorded_twice(spool, theirs):
    inspector.attach(integrations=False, tracer_provider=theirs)
    theirs.add_span_processor(inspector.SpanProcessor())
    with tool():
        pass
    assert theirs.exported() == ["execute_tool add"]
    (found,) = spool.spans()
    assert found["scope"] == "mcp-agent-inspector"


def test_remote_parents_and_trace_state_arrive(spool, tracer):
    remote = SpanContext(0xA, 0xB, is_remote=True, trace_flags=TraceFlags(1), trace_state=TraceState([("vendor", "1")]))
    with tracer.start_as_current_span("below", context=trace.set_span_in_context(trace.NonRecordingSpan(remote))):
        with tool():
            pass
    found = spool.by_name()
    assert found["below"]["parentSpanId"] == f"{0xB:016x}"
    assert found["below"]["traceState"] == "vendor=1"
    assert found["execute_tool add"]["parentSpanId"] == found["below"]["spanId"]


FORKING = """
import os
import re
import inspector
from opentelemetry.sdk.trace import TracerProvider
from instrument import around

provider = TracerProvider()
provider.add_span_processor(inspector.SpanProcessor())
tracer = provider.get_tracer("app")
with tracer.start_as_current_span("before the fork"):
    child = os.fork()
    with tracer.start_as_current_span("child" if child == 0 else "parent"):
        with around("tool_call", tool_name="in child" if child == 0 else "in parent", args={}, context=None):
            pass
    if child == 0:
        provider.force_flush()
if child:
    os.waitpid(child, 0)
"""


FORKING_LATE = """
import os
import inspector
inspector.attach(otel=True)
from opentelemetry import trace

with trace.get_tracer("app").start_as_current_span("parent"):
    pass
import concurrent.futures.thread
child = os.fork()
if child == 0:
    with trace.get_tracer("app").start_as_current_span("child"):
        pass
else:
    os.waitpid(child, 0)
"""


def test_a_child_is_forked_from_a_program_that_imports_thread_pools_after_the_recorder(spool):
    environment = {**os.environ, **watching(ROOT), "INSPECTOR_HOME": str(spool.home)}
    done = subprocess.run([sys.executable, "-c", FORKING_LATE], env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(span["name"] for span in spool.spans()) == ["child", "parent"]


def test_a_forked_child_goes_on_in_a_spool_of_its_own(spool):
    environment = {**os.environ, **watching(ROOT), "INSPECTOR_HOME": str(spool.home)}
    done = subprocess.run([sys.executable, "-c", FORKING], env=environment, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert spool.tree() == {
        "before the fork": None,
        "child": "before the fork",
        "execute_tool in child": "child",
        "parent": "before the fork",
        "execute_tool in parent": "parent",
    }
    processes = {}
    for request in spool.requests():
        process = flat(request["resource"]["attributes"])["inspector.process"]["stringValue"]
        processes.setdefault(process, set()).update(
            span["name"] for scoped in request["scopeSpans"] for span in scoped["spans"]
        )
    assert sorted(map(sorted, processes.values())) == [
        ["before the fork", "execute_tool in parent", "parent"],
        ["child", "execute_tool in child"],
    ]


def test_the_example_of_the_docs_is_recorded(spool):
    (example,) = re.findall(r"```python\n(import inspector\nfrom opentelemetry.*?)```", DOCS.read_text(), re.DOTALL)
    environment = {**os.environ, **watching(ROOT), "INSPECTOR_HOME": str(spool.home)}
    done = subprocess.run([sys.executable, "-W", "error", "-c", example], env=environment, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (found,) = spool.spans()
    assert (found["name"], found["attributes"], found["scope"]) == ("checkout", {"cart.items": 3}, "shop")


def test_without_the_sdk_the_extra_is_named():
    program = (
        "import sys\n"
        "class Missing:\n"
        "    def find_spec(self, name, *args):\n"
        "        if name == 'opentelemetry.sdk': raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "import inspector\n"
        "try: inspector.SpanProcessor()\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **watching(ROOT)}, capture_output=True, timeout=60
    )
    assert done.stdout.decode() == (
        "inspector.SpanProcessor needs the package 'opentelemetry-sdk': pip install \"mcp-agent-inspector[otel]\"\n"
    )


def test_a_span_that_begins_among_as_many_as_are_kept_costs_no_more_than_another(provider, tracer, monkeypatch):
    from inspector.record.calls import sdk_spans

    monkeypatch.setattr(sdk_spans, "_MOST_OPEN", 5000)
    spans = [tracer.start_span("left open") for _ in range(5001)]

    def peak_of_one():
        # The thread that writes is done, or what it takes would be counted too.
        provider.force_flush()
        tracemalloc.start()
        try:
            spans.append(tracer.start_span("one more"))
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    # A copy of what is open would take 8 bytes a span, each time; the thread that writes can come between at times.
    assert min(peak_of_one() for _ in range(10)) < 20_000
    for span in spans:
        span.end()


def test_a_secret_in_the_state_the_session_or_the_name_of_an_attribute_is_removed(spool, tracer):
    key = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd"
    parent = SpanContext(0xA, 0xB, True, TraceFlags(TraceFlags.SAMPLED), TraceState([("vendor", key)]))
    with context.bind(f"chat {key}"):
        below = trace.set_span_in_context(trace.NonRecordingSpan(parent))
        with tracer.start_as_current_span("GET /", context=below, attributes={f"of {key}": 1}):
            with tool():
                pass
    request, call = spool.by_name()["GET /"], spool.by_name()["execute_tool add"]
    assert key[:12] not in str(spool.records())
    assert request["traceState"].startswith("vendor=[redacted:openai")
    # Hidden or not, it is one session.
    assert request["attributes"]["session.id"] == call["attributes"]["session.id"]


def test_a_secret_in_the_name_the_version_or_the_address_of_a_scope_is_removed(spool, provider):
    key = "sk-proj-" + "AbCdEfGh1234567890" * 2
    tracer = provider.get_tracer(f"app {key}", f"1 {key}", schema_url=f"https://s/?key={key}")
    with tracer.start_as_current_span("work"):
        pass
    text = "".join(str(request) for request in spool.requests())
    assert "https://s/?key=[redacted:" in text
    assert key not in text


def test_a_secret_that_the_end_of_a_status_cuts_leaves_no_part(spool, tracer):
    key = "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd"
    with tracer.start_as_current_span("GET /") as span:
        span.set_status(StatusCode.ERROR, "x" * 9_987 + f" {key}" + "y " * 5000)
    (found,) = spool.spans()
    assert found["status"]["message"].startswith("xxx")
    assert key[:12] not in found["status"]["message"]
