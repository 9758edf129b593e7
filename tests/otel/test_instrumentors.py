import logging
import sys

import pytest
from opentelemetry import trace

import inspector

pytestmark = pytest.mark.filterwarnings("always")

MODULE = """
import logging
import warnings
from opentelemetry import trace
from opentelemetry.instrumentation.instrumentor import BaseInstrumentor

calls = []

class Works(BaseInstrumentor):
    def instrumentation_dependencies(self): return ()
    def _instrument(self, **kwargs):
        calls.append(("instrument", *sorted(kwargs)))
        warnings.warn("a warning of the instrumentor")
        tracer = trace.get_tracer("stub", tracer_provider=kwargs.get("tracer_provider"))
        with tracer.start_as_current_span("from the stub"): pass
    def _uninstrument(self, **kwargs): calls.append(("uninstrument",))

class Conflicts(BaseInstrumentor):
    def instrumentation_dependencies(self): return ("no-such-distribution >= 7",)
    def _instrument(self, **kwargs): calls.append(("conflicting",))
    def _uninstrument(self, **kwargs): pass

class Fails:
    def instrument(self, **kwargs):
        logging.getLogger("stub").error("before it fails")
        raise RuntimeError("does not fit")
"""


@pytest.fixture
def stub(tmp_path, monkeypatch, api):
    """A distribution with instrumentors: one that works, and some that do not."""
    (tmp_path / "stub_instrumentation.py").write_text(MODULE)
    info = tmp_path / "stub-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stub\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[opentelemetry_instrumentor]\n"
        "works = stub_instrumentation:Works\n"
        "conflicts = stub_instrumentation:Conflicts\n"
        "fails = stub_instrumentation:Fails\n"
        "missing = no_such_module:Missing\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("OTEL_PYTHON_DISABLED_INSTRUMENTATIONS")
    import stub_instrumentation

    yield stub_instrumentation
    inspector.detach()
    del sys.modules["stub_instrumentation"]


@pytest.fixture
def quiet(monkeypatch, capsys):
    """What a program that has set no logging up gets on its stderr."""
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    return lambda: capsys.readouterr().err


def test_they_are_started_and_stopped_and_may_fail(stub, attach, spool):
    attach()
    inspector.detach()
    assert stub.calls == [("instrument", "tracer_provider"), ("uninstrument",)]
    assert [span["name"] for span in spool.spans()] == ["from the stub"]


def test_one_that_fails_is_named(stub, attach, caplog):
    with caplog.at_level(logging.DEBUG, "mcp.inspector"):
        attach()
    messages = [r.message for r in caplog.records if r.name == "mcp.inspector"]
    assert "the instrumentor fails could not be started" in messages
    assert "the instrumentor missing could not be started" in messages
    assert "the instrumentor works: a warning of the instrumentor" in messages
    assert "the instrumentor fails: before it fails" in messages
    assert messages[-1].startswith("started OpenTelemetry instrumentors: works, conflicts")


def test_nothing_of_it_is_printed_or_reaches_the_programs_handlers(stub, attach, quiet):
    seen = []
    handler = logging.Handler()
    handler.emit = seen.append
    logging.getLogger("opentelemetry").addHandler(handler)
    try:
        attach()
    finally:
        logging.getLogger("opentelemetry").removeHandler(handler)
    assert (quiet(), seen) == ("", [])


def test_a_program_that_starts_one_itself_is_not_warned_of_our_having_done_so(stub, attach, caplog, recwarn):
    attach()
    del stub.calls[:]
    stub.Works().instrument()
    assert "already" not in caplog.text
    assert stub.calls == [("uninstrument",), ("instrument",)]
    # It is the program's from now on: a second time is the program's own mistake, and the end of recording none.
    stub.Works().instrument()
    assert "already instrumented" in caplog.text
    inspector.detach()
    assert stub.calls == [("uninstrument",), ("instrument",)]


def test_the_programs_exporters_get_nothing_of_those_that_it_did_not_start(stub, attach, spool, theirs, recwarn):
    trace.set_tracer_provider(theirs)
    attach()
    assert [span["name"] for span in spool.spans()] == ["from the stub"]
    assert theirs.exported() == []
    stub.Works().instrument()
    assert theirs.exported() == ["from the stub"]


def test_what_a_program_starts_one_with_counts(stub, attach, quiet, recwarn, theirs):
    attach()
    stub.Works().instrument(tracer_provider=theirs)
    assert theirs.exported() == ["from the stub"]
    assert [str(each.message) for each in recwarn] == ["a warning of the instrumentor"]
    stub.Works().uninstrument()
    inspector.detach()
    assert stub.calls[3:] == [("uninstrument",)]
    assert quiet() == ""


def test_none_is_started_for_what_an_integration_records(stub, theirs):
    from inspector.otel import start_instrumentors

    start_instrumentors(theirs, {"works", "fails", "missing", "conflicts"})
    assert stub.calls == []


def test_some_can_be_left_out_by_opentelemetrys_own_variable(stub, attach, monkeypatch):
    monkeypatch.setenv("OTEL_PYTHON_DISABLED_INSTRUMENTATIONS", "works, fails,missing")
    attach()
    assert stub.calls == []
