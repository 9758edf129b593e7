import csv
import gzip
import io
import json
import os
import subprocess
import sys
import threading

import pytest

from inspector.model import SpanError

CALL = """
import inspector
from instrument import around
inspector.attach()
with around("tool_call", tool_name="add", args={}, context=None):
    pass
"""


@pytest.fixture
def recorded(environment):
    subprocess.run([sys.executable, "-c", CALL], env=environment, check=True)


@pytest.mark.usefixtures("recorded")
def test_a_pipe_stays_a_pipe(inspector, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert inspector("export", "--all", "-o", str(pipe)).returncode == 0
    assert pipe.is_fifo()
    reader.join(10)
    assert read[0].startswith(b'{"resourceSpans"')


@pytest.mark.usefixtures("recorded")
def test_a_link_stays_a_link_and_its_file_is_written(inspector, tmp_path):
    link, target = tmp_path / "link.jsonl", tmp_path / "target.jsonl"
    link.symlink_to(target)
    assert inspector("export", "--all", "-o", str(link)).returncode == 0
    assert link.is_symlink()
    assert target.read_bytes().startswith(b'{"resourceSpans"')
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.usefixtures("recorded")
def test_a_hyphen_is_standard_output(fork_python, environment, tmp_path):
    words = ("-m", "inspector.cli", "export", "--all", "-o", "-")
    done = fork_python.run(*words, env=environment, cwd=tmp_path)
    assert done.stdout.startswith(b'{"resourceSpans"')
    assert done.stderr == b"exported 1 span of 1 trace\n"
    assert not (tmp_path / "-").exists()


@pytest.fixture
def two_traces(write_spans, span):
    write_spans(
        span(name="execute_tool a", service="one"),
        span(name="execute_tool b", service="two", trace_id="b" * 32, status="error", error=SpanError("E", '-1, "x"')),
        span(name="=cmd|' /C calc'!A0", trace_id="b" * 32, end_ns=None, status="running"),
    )


@pytest.mark.sweep(1)
@pytest.mark.usefixtures("two_traces")
@pytest.mark.parametrize("name", ["run.json", "RUN.JSON", "run.json.gz"])
def test_a_name_in_json_gets_one_document_that_import_reads(inspector, tmp_path, name):
    path = tmp_path / name
    assert inspector("export", "--all", "-o", str(path)).stderr.startswith(b"exported 3 spans of 2 traces to ")
    text = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
    document = json.loads(text)
    assert list(document) == ["resourceSpans"]
    assert sum(len(part["scopeSpans"][0]["spans"]) for part in document["resourceSpans"]) == 3
    elsewhere = ("--home", str(tmp_path / "elsewhere"))
    assert inspector("import", str(path), *elsewhere).returncode == 0
    fields = "trace_id,span_id,name,status,service"
    assert inspector("events", "--json", fields, *elsewhere).stdout == inspector("events", "--json", fields).stdout


@pytest.mark.usefixtures("two_traces")
def test_a_name_in_csv_gets_a_table_of_spans_that_runs_no_formula(inspector, tmp_path):
    path = tmp_path / "spans.csv"
    assert inspector("export", "--all", "-o", str(path)).returncode == 0
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    assert [row["name"] for row in rows] == ["execute_tool a", "execute_tool b", "'=cmd|' /C calc'!A0"]
    assert (rows[0]["started"], rows[0]["duration_ms"]) == ("2026-11-18T11:06:41.000000000Z", "312.0")
    assert (rows[1]["error_type"], rows[1]["error_message"]) == ("E", '\'-1, "x"')
    assert (rows[2]["status"], rows[2]["duration_ms"]) == ("running", "")


@pytest.mark.usefixtures("two_traces")
def test_the_format_can_be_chosen_whatever_the_name(inspector, tmp_path):
    assert inspector("export", "--all", "--format", "csv").stdout.startswith(b"trace_id,span_id,")
    assert inspector("export", "--all", "--format", "json").stdout.count(b"resourceSpans") == 1
    assert inspector("export", "--all", "-o", str(tmp_path / "a.html"), "--format", "jsonl").returncode == 0
    lines = inspector("export", "--all").stdout
    inspector("export", "--all", "-o", str(tmp_path / "a"))
    assert lines == (tmp_path / "a").read_bytes() == (tmp_path / "a.html").read_bytes()


@pytest.mark.usefixtures("two_traces")
@pytest.mark.parametrize("name", ["run.md", "run.markdown.gz"])
def test_a_format_that_is_not_written_yet_is_refused_with_those_that_are(inspector, tmp_path, name):
    done = inspector("export", "--all", "-o", str(tmp_path / name))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert "Markdown is not written yet; name a file .jsonl or .json" in done.stderr.decode()
    assert not (tmp_path / name).exists()


@pytest.mark.usefixtures("two_traces")
@pytest.mark.parametrize(
    "name, meant", [("a.cvs", "did you mean .csv? Name"), ("a.jsn.gz", "did you mean .json? Name"), ("a.7", "name")]
)
def test_a_name_of_no_format_is_refused_and_nothing_is_written(inspector, tmp_path, name, meant):
    refused = inspector("export", "--all", "-o", str(tmp_path / name))
    suffix = name.removesuffix(".gz")[1:]
    told = f": {suffix} is not a format; {meant} a file .jsonl, .json, .csv or .html, or choose --format\n"
    assert (refused.returncode, refused.stderr.decode()[-len(told) :]) == (1, told)
    assert not (tmp_path / name).exists()


@pytest.mark.usefixtures("two_traces")
@pytest.mark.parametrize("words", [("--all",), ("--since", "2h"), ("last", "--all"), ("last", "last~1"), ()])
def test_a_page_of_anything_but_one_run_is_refused(inspector, tmp_path, words):
    refused = inspector("export", *words, "-o", str(tmp_path / "run.html"))
    assert refused.returncode != 0
    assert not (tmp_path / "run.html").exists()


@pytest.mark.usefixtures("two_traces")
def test_leaving_content_out_of_what_is_no_page_is_refused_with_the_way_to_do_it(inspector, tmp_path):
    refused = inspector("export", "last", "--no-content", "-o", str(tmp_path / "run.jsonl"))
    assert refused.returncode == 2
    assert "--no-content is for a page: add --html; a table, .csv, has no content" in refused.stderr.decode()
    assert not (tmp_path / "run.jsonl").exists()
