import io
import linecache
import logging
import threading

import pytest
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from inspector.record.manual.logs import record_logs, stop_recording_logs
from instrument import around


@pytest.fixture(autouse=True)
def logs():
    record_logs()
    record_logs()
    yield
    stop_recording_logs()


@pytest.fixture
def log():
    """A logger whose own handler writes to a text."""
    logger = logging.getLogger("shop.orders")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    logger.stream = stream
    yield logger
    logger.removeHandler(handler)
    logger.propagate = True
    logger.setLevel(logging.NOTSET)


def tool():
    return around("tool_call", tool_name="add", args={}, context=None)


def events(recording):
    (span,) = recording.spans()
    return [(event["name"], event["attributes"]) for event in span.get("events", ())]


def test_a_record_becomes_an_event_of_the_innermost_call_and_its_handlers_see_it(record, log):
    recording = record(real_ids=True)
    with around("agent_call", agent=type("Agent", (), {"name": "a"})()):
        with tool():
            log.info("order %d of %s", 7, "Ada")
    outer, inner = recording.spans()
    (event,) = inner["events"]
    assert (event["name"], event["attributes"]) == (
        "log",
        {"log.level": "INFO", "log.logger": "shop.orders", "log.message": "order 7 of Ada"},
    )
    assert (
        int(inner["startTimeUnixNano"]) - 10**6 <= int(event["timeUnixNano"]) <= int(inner["endTimeUnixNano"]) + 10**6
    )
    assert "events" not in outer
    assert log.stream.getvalue() == "order 7 of Ada\n"


def test_a_record_outside_of_calls_is_not_recorded(record, log):
    recording = record()
    log.info("before")
    with tool():
        pass
    log.info("after")
    assert events(recording) == []


def test_levels_and_filters_of_the_program_decide(record, log):
    recording = record()
    log.addFilter(unwanted := lambda entry: "unwanted" not in entry.getMessage())
    with tool():
        log.debug("too low")
        log.info("unwanted")
        log.info("wanted")
    log.removeFilter(unwanted)
    assert [attributes["log.message"] for _, attributes in events(recording)] == ["wanted"]


def test_an_exception_comes_with_its_traceback(record, log):
    recording = record()
    with tool():
        try:
            raise ValueError("no such order")
        except ValueError:
            log.exception("failed")
    ((_, attributes),) = events(recording)
    assert attributes["log.level"] == "ERROR"
    assert attributes["exception.type"] == "ValueError"
    assert attributes["exception.message"] == "no such order"
    assert 'raise ValueError("no such order")' in attributes["exception.stacktrace"]


def test_no_source_file_is_read_in_the_thread_that_logs(record, log, monkeypatch):
    readers = set()
    getline = linecache.getline

    def reading(*args):
        readers.add(threading.current_thread())
        return getline(*args)

    monkeypatch.setattr(linecache, "getline", reading)
    # The others would read it, here as without us.
    monkeypatch.setattr(log, "handlers", [logging.NullHandler()])
    recording = record()
    with tool():
        try:
            raise ValueError("no such order")
        except ValueError:
            log.exception("failed")
    ((_, attributes),) = events(recording)
    assert 'raise ValueError("no such order")' in attributes["exception.stacktrace"]
    assert readers and threading.current_thread() not in readers


def test_secrets_are_removed_and_long_texts_cut(record, log):
    recording = record()
    with tool():
        log.info("key %s", "sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCd")
        log.info("x" * 1_000_000)
    (_, secret), (_, long) = events(recording)
    assert "AbCdEf" not in secret["log.message"]
    assert len(long["log.message"]) < 100_000


def test_without_content_the_message_is_left_out(record, log):
    recording = record(content=False)
    with tool():
        log.info("hello Ada")
    assert events(recording) == [("log", {"log.level": "INFO", "log.logger": "shop.orders"})]


def test_a_message_that_does_not_fit_its_arguments_is_recorded_as_it_is(record, log, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    recording = record()
    with tool():
        log.info("order %d", "seven")
    ((_, attributes),) = events(recording)
    assert attributes["log.message"].startswith("order %d [arguments do not fit: TypeError")


def test_what_is_logged_while_a_message_is_made_is_no_recursion(record, log):
    class Chatty:
        def __str__(self):
            log.info("I am asked")
            return "chatty"

    recording = record()
    with tool():
        log.info("%s", Chatty())
    first, *others = [attributes["log.message"] for _, attributes in events(recording)]
    assert first == "chatty"
    # Once for each handler that makes the message, as without us.
    assert set(others) == {"I am asked"}


def test_our_own_loggers_are_left_out(record):
    recording = record()
    with tool():
        logging.getLogger("mcp.inspector").warning("ours")
        logging.getLogger("mcp.inspector.spool").warning("ours")
        logging.getLogger("inspectors").warning("theirs")
    assert [attributes["log.message"] for _, attributes in events(recording)] == ["theirs"]


def test_a_program_that_configures_logging_later_is_not_kept_from_it(monkeypatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    stream = io.StringIO()
    logging.basicConfig(stream=stream, format="%(message)s")
    root.warning("configured")
    assert stream.getvalue() == "configured\n"


def test_a_span_of_the_opentelemetry_api_takes_records_too(record, log):
    recording = record()

    class Processor(SpanProcessor):
        def on_start(self, span, parent_context=None):
            recording.recorder.sdk_spans.start(span)

        def on_end(self, span):
            recording.recorder.sdk_spans.end(span)

    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(Processor())
    with tool():
        with provider.get_tracer("lib").start_as_current_span("query"):
            log.info("inside")
    query = next(span for span in recording.spans() if span["name"] == "query")
    assert query["events"][0]["attributes"]["log.message"] == "inside"


def test_logging_is_put_back():
    patched = logging.Logger.callHandlers
    stop_recording_logs()
    assert logging.Logger.callHandlers is not patched
    assert logging.Logger.callHandlers.__module__ == "logging"
