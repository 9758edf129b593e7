import json
import socket
import sqlite3
import sys
from contextlib import closing

import pytest
from emitted import VARIABLE

from inspector.cli.doctor.checks import check_packages, check_variables
from inspector.cli.versions import MISSING, versions
from inspector.store import Removed
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.database.library import known_fault


@pytest.fixture
def environment(environment):
    """Without the variable that has tests watched: it is no setting, which the command rightly says."""
    environment.pop(VARIABLE)
    return environment


def found(done):
    return {
        check["name"]: (check["level"], check["found"], check["advice"]) for check in json.loads(done.stdout)["checks"]
    }


def test_a_healthy_home_is_in_order(inspector, write_spans, span):
    write_spans(span(), span())
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    assert done.returncode == 0
    checks = found(done)
    assert {level for level, _, _ in checks.values()} == {"ok"}
    assert checks["database"][1].startswith("2 spans, ")
    readable = inspector("doctor", INSPECTOR_PORT="0").stdout.decode()
    assert readable.splitlines()[-1] == "everything is in order"


def test_what_retention_removed_last_is_said(inspector, home, write_spans, span):
    write_spans(span())
    with closing(SqliteStore(home / "inspector.db")) as store:
        store.note_removal(Removed("age", 1_795_000_000_000_000_000, 1, 1200))
        store.note_removal(Removed("size", 1_796_000_000_000_000_000, 2, 1))
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    said = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "retention"]
    assert [(check["level"], check["found"].partition(" on ")[0]) for check in said] == [
        ("ok", "removed 2 traces with 1 span"),
        ("ok", "removed 1 trace with 1,200 spans"),
    ]
    assert said[0]["found"].endswith(": too much (INSPECTOR_RETENTION_BYTES)")


def test_looking_leaves_no_file_behind_and_those_of_others_alone(inspector, home, write_spans, span):
    write_spans(span())
    for beside in ([], ["inspector.db-shm", "inspector.db-wal"]):
        with closing(sqlite3.connect(home / "inspector.db")) as other:
            if beside:
                other.execute("SELECT count(*) FROM sqlite_master").fetchone()
            before = sorted(path.name for path in home.iterdir())
            content = (home / "inspector.db").read_bytes()
            assert [name for name in before if name.startswith("inspector.db-")] == beside
            assert inspector("doctor", INSPECTOR_PORT="0").returncode == 0
            assert sorted(path.name for path in home.iterdir()) == before
            assert (home / "inspector.db").read_bytes() == content


def test_a_home_that_does_not_exist_says_how_to_record_and_stays_absent(inspector, home):
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    assert done.returncode == 0
    assert found(done)["home"][0] == "warn"
    assert "attach" in found(done)["home"][2]
    assert not home.exists()


def test_loose_modes_are_named_with_the_command_that_mends_them(inspector, home, write_spans, span):
    write_spans(span())
    (home / "token").write_text("x" * 40)
    (home / "token").chmod(0o644)
    home.chmod(0o755)
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    assert done.returncode == 1
    assert found(done)["home"] == ("warn", f"{home} is open to others (mode 0755)", f"chmod 700 {home}")
    level, text, _ = found(done)["token"]
    assert level == "fail"
    assert "chmod 600" in text


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"\0" * 8192], ids=["text", "zeros"])
def test_a_file_that_is_no_database_fails_without_being_touched(inspector, home, content):
    home.mkdir(mode=0o700)
    (home / "inspector.db").write_bytes(content)
    (home / "inspector.db").chmod(0o600)
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    assert done.returncode == 1
    assert found(done)["database"][0] == "fail"
    assert (home / "inspector.db").read_bytes() == content


def test_spools_report_what_waits_and_what_is_ignored(inspector, home):
    home.mkdir(mode=0o700)
    spool = home / "spool"
    spool.mkdir(mode=0o700)
    (spool / "a.jsonl").write_text("{}\n")
    (spool / "b.jsonl").symlink_to(spool / "a.jsonl")
    done = inspector("doctor", INSPECTOR_PORT="0")
    assert b"1 of them with 3 B not stored yet" in done.stdout
    assert b"b.jsonl" in done.stdout


def test_an_empty_database_is_as_good_as_none(inspector, home):
    home.mkdir(mode=0o700)
    (home / "inspector.db").touch(mode=0o600)
    done = inspector("doctor", "--json", INSPECTOR_PORT="0")
    (found,) = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "database"]
    assert (done.returncode, found["level"]) == (0, "ok")
    assert found["found"] == "none yet; the first command or server that reads makes one"
    assert (home / "inspector.db").stat().st_size == 0


def test_a_bad_setting_and_a_misspelt_one_are_told(inspector):
    done = inspector("doctor", INSPECTOR_PORT="abc")
    assert done.returncode == 1
    assert b"INSPECTOR_PORT=abc" in done.stdout
    assert check_variables({"INSPECTOR_PROT": "1", "INSPECTOR_PORT": "1"}).found == "unknown: INSPECTOR_PROT"


@pytest.mark.slow
def test_what_the_command_run_passes_to_a_program_is_no_unknown_setting(inspector):
    of_others = {"INSPECTOR_NODE": "{}", "INSPECTOR_OPENCODE": "/notes"}
    done = inspector("run", "--", sys.executable, "-m", "inspector", "doctor", **of_others)
    assert b"every INSPECTOR_ variable is known" in done.stdout


def test_all_bad_settings_are_told_and_the_other_checks_go_on(inspector):
    done = inspector("doctor", "--json", INSPECTOR_PORT="abc", INSPECTOR_RETENTION_DAYS="-1", INSPECTOR_TOKEN="t" * 40)
    checks = json.loads(done.stdout)["checks"]
    refused = [check["found"] for check in checks if (check["level"], check["name"]) == ("fail", "settings")]
    assert [why.partition(":")[0] for why in refused] == ["INSPECTOR_PORT=abc", "INSPECTOR_RETENTION_DAYS=-1"]
    assert {"home", "token", "database", "disk", "server", "endpoint"} <= {check["name"] for check in checks}


def test_settings_that_recorded_programs_ignore_are_named(inspector):
    done = inspector("doctor", "--json", INSPECTOR_PORT="0", INSPECTOR_INTEGRATIONS_OFF="opnai", INSPECTOR_LOGS="maybe")
    checks = json.loads(done.stdout)["checks"]
    ignored = [check for check in checks if (check["level"], check["name"]) == ("warn", "settings")]
    assert [check["found"].partition(" is ignored")[0] for check in ignored] == [
        "in recorded programs, INSPECTOR_LOGS=maybe",
        "in recorded programs, INSPECTOR_INTEGRATIONS_OFF=opnai",
    ]


def test_a_setting_that_nothing_takes_is_named_once(inspector):
    done = inspector("doctor", "--json", INSPECTOR_CAPTURE_CONTENT="perhaps")
    named = [check["level"] for check in json.loads(done.stdout)["checks"] if "perhaps" in check["found"]]
    assert named == ["fail"]


def test_headers_that_are_none_are_named_without_an_endpoint_too(inspector):
    done = inspector("doctor", "--json", INSPECTOR_ENDPOINT_HEADERS="secretly")
    (named,) = [check["found"] for check in json.loads(done.stdout)["checks"] if "ENDPOINT_HEADERS" in check["found"]]
    assert "part 1 is not written as in Authorization=Bearer%20secret" in named
    assert "secretly" not in named


def test_a_port_that_another_program_holds_is_told(inspector, home):
    home.mkdir(mode=0o700)
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = inspector("doctor", "--json", INSPECTOR_PORT=str(other.getsockname()[1]))
    assert done.returncode == 0
    assert found(done)["server"][0] == "warn"


def test_a_missing_package_fails_with_the_line_that_installs_it():
    check = check_packages(versions() | {"uvicorn": MISSING})
    assert (check.level, check.found) == ("fail", "missing: uvicorn")
    assert check.advice == 'pip install "mcp-agent-inspector[inspector]"'


@pytest.mark.parametrize(
    ("version", "has_bug"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 53, 0), False),
    ],
)
def test_the_wal_reset_bug_is_known_by_version(version, has_bug):
    assert ("WAL-reset" in (known_fault(version) or "")) is has_bug
