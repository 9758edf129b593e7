"""``inspector run --otel --logs``."""

import json
import os


def test_spans_of_the_opentelemetry_api_and_logs_are_recorded_where_they_are_asked_for(run, script, recorded, call):
    program = script(
        "import logging\n"
        "from opentelemetry import trace\n"
        "with trace.get_tracer('lib', '1').start_as_current_span('request', attributes={'a': 1}):\n"
        "    logging.getLogger('app').warning('careful, %s', 'Ada')\n" + "    exec(" + repr(call("add")) + ")\n"
    )
    done = run("--otel", "--logs", program)
    assert b"careful, Ada" in done.stderr
    assert b"recorded 2 calls in 1 trace" in done.stderr
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
        "    def instrument(self):\n"
        "        import json\n"
        "        load = json.loads\n"
        "        def loads(*args, **kwargs):\n"
        "            with trace.get_tracer('stub').start_as_current_span('json.loads'): return load(*args, **kwargs)\n"
        "        json.loads = loads\n"
    )
    info = tmp_path / "stub-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[opentelemetry_instrumentor]\nstub = stub_instrumentation:Stub\n")
    path = os.pathsep.join((environment["PYTHONPATH"], str(tmp_path)))
    run("--otel", script("import json; json.loads('1')"), PYTHONPATH=path)
    assert [event.name for event in recorded()] == ["json.loads"]
