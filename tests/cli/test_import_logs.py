"""Files of OTLP logs are imported as a server takes them: each log is an event of its span, whichever comes first."""

import gzip
import json
from pathlib import Path

import pytest

from inspector.cli.writing.import_files import import_files
from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

EXPORTS = Path(__file__).parents[1] / "ingest" / "exports"
SPANS, LOGS = EXPORTS / "genai_logs.jsonl", EXPORTS / "logs" / "genai_logs.jsonl"
SECRET = "sk-ant-api03-" + "q7" * 46 + "xAA"


def questions(settings):
    with Owner(settings) as owner:
        return sorted(filter(None, (run.question for run in owner.store.runs(Filter()).items)))


@pytest.fixture
def settings(tmp_path):
    return Settings(home=tmp_path / "home")


@pytest.mark.parametrize("files", [(SPANS, LOGS), (LOGS, SPANS)])
def test_logs_become_events_of_their_spans(settings, files):
    imported = import_files(settings, list(map(str, files)))
    assert (imported.spans, imported.logs, imported.bad_files) == (3, 3, [])
    assert "!fail 400 1" in (asked := questions(settings))
    assert len(asked) == 3


def test_a_file_of_logs_may_be_packed_or_laid_out_and_is_imported_once(settings, tmp_path):
    lines = LOGS.read_text().splitlines()
    (tmp_path / "laid out.json").write_text(json.dumps(json.loads(lines[0]), indent=2))
    (tmp_path / "packed.gz").write_bytes(gzip.compress(LOGS.read_bytes()))
    files = [str(SPANS), str(tmp_path / "packed.gz"), str(tmp_path / "laid out.json"), str(LOGS)]
    assert import_files(settings, files).bad_files == []
    with Owner(settings) as owner:
        events = [json.loads(bytes(each.events)) for each in owner.store.events(Filter(), full=True).items]
    assert [len(each) for each in events] == [1, 1, 1]


def test_secrets_in_logs_are_redacted(settings, tmp_path):
    written = LOGS.read_text()
    assert "!fail 400 1" in written
    (tmp_path / "logs.jsonl").write_text(written.replace("!fail 400 1", f"the key {SECRET}"))
    import_files(settings, [str(SPANS), str(tmp_path / "logs.jsonl")])
    assert any("the key [redacted:" in question for question in questions(settings))


def test_logs_without_a_span_are_left_out_and_counted(settings, tmp_path):
    request = json.loads(LOGS.read_text().splitlines()[0])
    records = request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
    records.append({"body": {"stringValue": "started"}})
    (tmp_path / "logs.jsonl").write_text(json.dumps(request))
    imported = import_files(settings, [str(tmp_path / "logs.jsonl")])
    assert list(imported.omissions()) == ["left out 1: logs that belong to no span"]
    assert imported.logs == len(records) - 1
