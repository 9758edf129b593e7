import json
import os

import pytest


def test_spans_of_the_opentelemetry_api_and_logs_are_recorded_where_they_are_asked_for(run, script, recorded, call):
    program = script(
        "import logging\n"
        "from opentelemetry import trace\n"
        "with trace.get_tracer('lib', '1').start_as_current_span('request', attributes={'a': 1}):\n"
        "    logging.getLogger('app').warning('careful, %s', 'Ada')\n" + "    exec(" + repr(call("add")) + ")\n"
    )
    done = run("--otel", "--logs", program)
    assert b"careful, Ada" in done.stderr
    # What the span of another library stands for is known once it is stored.
    assert b"recorded 2 spans in 1 trace" in done.stderr
    request, tool = recorded()
    assert (request.name, tool.name, tool.parent_id) == ("request", "execute_tool add", request.span_id)
    attributes = json.loads(bytes(request.attributes))
    assert (attributes["a"], attributes["otel.scope.name"]) == (1, "lib")
    (event,) = json.loads(bytes(request.events))
    assert event["attributes"] == {"log.level": "WARNING", "log.logger": "app", "log.message": "careful, Ada"}


def test_without_being_asked_for_they_are_not(run, script, recorded, call):
    run(
        script(
            "import logging\n"
            "from opentelemetry import trace\n"
            "with trace.get_tracer('lib').start_as_current_span('request'):\n"
            "    logging.getLogger('app').warning('careful')\n" + "    exec(" + repr(call("add")) + ")\n"
        )
    )
    (event,) = recorded()
    assert (event.name, json.loads(bytes(event.events))) == ("execute_tool add", [])


def test_an_installed_instrumentor_is_started_where_it_is_asked_for(run, script, environment, tmp_path, recorded):
    (tmp_path / "stub_instrumentation.py").write_text(
        "from opentelemetry import trace\n"
        "class Stub:\n"
        "    def instrument(self, **kwargs):\n"
        "        import json\n"
        "        tracer = trace.get_tracer('stub', tracer_provider=kwargs['tracer_provider'])\n"
        "        load = json.loads\n"
        "        def loads(*args, **kwargs):\n"
        "            with tracer.start_as_current_span('json.loads'): return load(*args, **kwargs)\n"
        "        json.loads = loads\n"
    )
    info = tmp_path / "stub-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[opentelemetry_instrumentor]\nstub = stub_instrumentation:Stub\n")
    path = os.pathsep.join((environment["PYTHONPATH"], str(tmp_path)))
    run("--otel", script("import json; json.loads('1')"), PYTHONPATH=path)
    assert [event.name for event in recorded()] == ["json.loads"]


@pytest.mark.slow
def test_a_library_that_reads_what_the_sdks_spans_have_runs_as_it_does_alone(run, script, recorded):
    done = run(
        "--otel",
        script(
            "from opentelemetry import trace\n"
            "with trace.get_tracer('lib').start_as_current_span('request') as span:\n"
            "    print(span.status.status_code)\n"
        ),
    )
    assert (done.returncode, done.stdout) == (0, b"StatusCode.UNSET\n")
    assert [event.name for event in recorded()] == ["request"]


@pytest.mark.slow
def test_a_call_below_a_proxy_that_becomes_something_else_is_recorded(run, script, recorded):
    done = run(
        "--otel",
        script(
            "import wrapt\n"
            "from instrument import around\n"
            "from opentelemetry import trace\n"
            "outer = trace.get_tracer('lib').start_span('outer')\n"
            "proxy = wrapt.ObjectProxy(outer)\n"
            "with trace.use_span(proxy), around('llm_generate', llm='gpt-4.1', prompt='hi'):\n"
            "    pass\n"
            "proxy.__wrapped__ = trace.INVALID_SPAN\n"
            "outer.end()\n"
        ),
    )
    assert b"recorded 2 spans in 1 trace" in done.stderr
    outer, model = recorded()
    assert (outer.name, model.name, model.parent_id) == ("outer", "chat gpt-4.1", outer.span_id)


def test_a_program_with_a_provider_of_its_own_exports_as_alone_and_is_recorded(run, script, recorded):
    program = script(
        "from opentelemetry import trace\n"
        "from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor\n"
        "early = trace.get_tracer('early')\n"
        "provider = TracerProvider()\n"
        "exporter = ConsoleSpanExporter(formatter=lambda span: span.name + '\\n')\n"
        "provider.add_span_processor(SimpleSpanProcessor(exporter))\n"
        "trace.set_tracer_provider(provider)\n"
        "with early.start_as_current_span('outer'), trace.get_tracer('late').start_as_current_span('inner'):\n"
        "    pass\n"
    )
    done = run("--otel", program)
    assert (done.returncode, done.stdout) == (0, b"inner\nouter\n")
    outer, inner = recorded()
    assert (outer.name, inner.name, inner.parent_id) == ("outer", "inner", outer.span_id)


@pytest.mark.slow
def test_requests_that_the_mcp_sdk_makes_spans_of_too_count_once(run, mcp_program, recorded):
    run("--otel", mcp_program)
    events = recorded()
    above = {event.span_id: event for event in events}
    # Everything but the notification, which no hook is emitted for, is below what a hook began.
    assert sorted(event.name for event in events if event.parent_id not in above) == [
        "execute_tool add",
        "initialize",
        "notifications/initialized",
    ]
    # For each of three requests the SDK made a span on either side, and a hook began one as it came in.
    assert sorted(event.name for event in events if event.folded_into is not None) == [
        "MCP send initialize",
        "MCP send tools/call add",
        "MCP send tools/list",
        "execute_tool add",
        "initialize",
        "initialize",
        "tools/call add",
        "tools/call add",
        "tools/list",
        "tools/list",
    ]
    assert sorted(event.name for event in events if event.folded_into is None) == [
        "execute_tool add",
        "initialize",
        "notifications/initialized",
        "tools/list",
    ]
