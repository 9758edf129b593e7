import subprocess
import sys

import pytest


@pytest.fixture
def inspector(inspector):
    """Run ``inspector`` to its end, and read what it printed as text."""

    def run(*words, **variables):
        done = inspector(*words, **variables)
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


def test_the_statements_are_printed_and_tables_made(inspector, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    printed = inspector("db", "ddl", INSPECTOR_DATABASE_URL=url)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith("CREATE DATABASE IF NOT EXISTS `team`;")
    spread = inspector("db", "ddl", "--cluster", "c1", INSPECTOR_DATABASE_URL=url)
    assert "ENGINE = Distributed(`c1`, `team`, spans_local, cityHash64(trace_id));" in spread.stdout
    for _ in range(2):
        made = inspector("db", "create", INSPECTOR_DATABASE_URL=url)
        assert (made.returncode, made.stdout) == (0, "the database team of chdb has all its tables\n"), made.stderr


@pytest.mark.slow
def test_a_doctor_looks_at_the_database_that_is_named(inspector, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    assert "inspector db create" in inspector("doctor", INSPECTOR_DATABASE_URL=url).stdout
    inspector("db", "create", INSPECTOR_DATABASE_URL=url)
    assert "0 spans" in inspector("doctor", INSPECTOR_DATABASE_URL=url).stdout


@pytest.mark.parametrize("word", ["create", "ddl"])
def test_without_an_address_the_variable_is_named(inspector, word):
    done = inspector("db", word)
    assert done.returncode == 1
    assert "INSPECTOR_DATABASE_URL=clickhouse://" in done.stderr


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://ada:hush@box/team", "begins with mysql:, which is not supported: write it as clickhouse://"),
        ("clickhouse://ada:hush@box/team", "pip install 'mcp-agent-inspector[clickhouse]'"),
    ],
)
def test_without_the_extra_it_is_asked_for_unless_the_address_is_another_databases(environment, url, told):
    create = """
import sys
sys.modules["clickhouse_connect"] = None
from inspector.cli.app import run
sys.exit(run(["db", "create"]))
"""
    variables = environment | {"INSPECTOR_DATABASE_URL": url}
    done = subprocess.run([sys.executable, "-c", create], env=variables, capture_output=True, text=True)
    assert done.returncode == 1
    assert told in done.stderr
    assert "hush" not in done.stderr


@pytest.mark.slow
def test_tables_that_are_up_to_date_stay_as_they_are_and_sqlite_needs_no_command(inspector, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    assert "inspector db create" in inspector("db", "upgrade", INSPECTOR_DATABASE_URL=url).stderr
    inspector("db", "create", INSPECTOR_DATABASE_URL=url)
    done = inspector("db", "upgrade", INSPECTOR_DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the database team of chdb already has schema ")
    assert "when it is opened for writing" in inspector("db", "upgrade").stdout
