import os
import re
import sys

import pytest

from inspector.ingest import Owner
from inspector.model import Filter
from inspector.settings import Settings

WAIT_S = 30.0


def names(events):
    return [event.tool or event.name for event in events]


def test_a_sitecustomize_that_ours_hides_is_run(run, environment, tmp_path, recorded, call):
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.customized = __file__")
    path = os.pathsep.join((str(tmp_path), environment["PYTHONPATH"]))
    done = run("-c", "import sitecustomize; print(customized == sitecustomize.__file__)" + call("add"), PYTHONPATH=path)
    assert done.stdout == b"True\n"
    assert names(recorded()) == ["add"]


def test_a_run_inside_a_run_records_once(run, script, recorded, call):
    inner = script(call("add"))
    done = run(sys.executable, "-m", "inspector.cli", "run", inner)
    assert names(recorded()) == ["add"]
    assert done.stderr.count(b"recorded 1 call in 1 trace") == 1


@pytest.mark.slow
def test_the_programs_own_attach_has_the_last_word(run, script, recorded, call):
    done = run(
        script(
            call("before")
            + "import inspector\n"
            + "inspector.attach(service='mine', redact=lambda key, text: text.replace('tea', 'cup'))\n"
            + call("tea")
        )
    )
    assert [(event.name, event.service) for event in recorded()] == [
        ("execute_tool before", "app"),
        ("execute_tool cup", "mine"),
    ]
    assert b"recorded 2 calls in 2 traces; to see them: " in done.stderr


def test_attaching_first_thing_works_as_without_us(run, script, recorded, call):
    run(script("import inspector\ninspector.attach(service='mine')\n" + call("add")))
    (event,) = recorded()
    assert event.service == "mine"


def test_a_decorator_of_ours_alone_does_not_keep_a_program_from_being_recorded(run, script, recorded, call):
    run(script("from inspector import dump_state\nimport decimal\n" + call("add")))
    assert names(recorded()) == ["add"]


@pytest.mark.slow
def test_tests_are_recorded_where_pytest_itself_imports_the_installed_package(
    run, environment, script, tmp_path, recorded, call
):
    # The lines by which pytest rewrites all modules of an installed package with a plugin: see its `rewrite.py`.
    package = tmp_path / "wheel-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: wheel\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[pytest11]\nwheel = plugin_of_wheel\n")
    (package / "RECORD").write_text("instrument/__init__.py,,\nplugin_of_wheel.py,,\n")
    script("", "plugin_of_wheel.py")
    test = script("def test_it():" + call("add").replace("\n", "\n    ") + "pass\n", "test_it.py")
    path = os.pathsep.join((str(tmp_path), environment["PYTHONPATH"]))
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", test, PYTHONPATH=path)
    assert b"1 passed" in done.stdout
    assert names(recorded()) == ["add"]


@pytest.mark.slow
def test_a_program_that_empties_its_environment_leaves_nothing_in_its_directory(run, script, tmp_path, call):
    place = tmp_path / "place"
    place.mkdir()
    app = script(f"import os\n{call('add')}\nos.chdir({str(place)!r})\nos.environ.clear()\n")
    assert b"recorded 1 call" in run(app).stderr
    assert list(place.iterdir()) == []


def test_what_a_program_writes_into_our_directory_does_not_change_its_exit_code(run, script):
    app = script(
        "import os, pathlib\n"
        "place = pathlib.Path(os.environ['INSPECTOR_RUN'].split(':', 3)[3])\n"
        '(place / \'recorded-x.json\').write_text(\'{"pid": 1, "calls": "x"}\')\n'
    )
    ended = run(app)
    assert ended.returncode == 0
    assert b"cannot show what was recorded" in ended.stderr


def test_options_choose_service_home_and_content(run, script, tmp_path):
    home = tmp_path / "else where"
    told = (
        "from instrument import around\nwith around('tool_call', tool_name='add', args={'tea': 1}, context=None): pass"
    )
    done = run("--service", "shop", "--home", str(home), "--no-content", script(told))
    with Owner(Settings(home=home)) as owner:
        owner.ingest_spools()
        (event,) = owner.store.events(Filter(), full=True).items
    assert (event.service, event.input) == ("shop", None)
    assert f"--home '{home}'".encode() in done.stderr


@pytest.mark.slow
def test_a_server_that_runs_at_the_same_time_is_where_to_look(run, script, start_inspector, home, call):
    server = start_inspector("serve", "--port", "0", "--no-open")
    line = server.stdout.readline().decode()
    url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
    # So long that the server has taken in what the child recorded, and deleted it, when the end is told.
    spool = home / "spool"
    waiting = (
        "import os, time\n" + call("add") + "pid = os.fork()\n"
        "if pid == 0:\n" + "".join(f"    {each}\n" for each in call("child").splitlines()) + "    raise SystemExit\n"
        "os.waitpid(pid, 0)\n"
        f"deadline = time.monotonic() + {WAIT_S}\n"
        f"while len(os.listdir({str(spool)!r})) > 1 and time.monotonic() < deadline: time.sleep(0.02)\n"
    )
    done = run(script(waiting))
    assert b"recorded 2 calls in 2 traces" in done.stderr
    assert re.search(rf"in the browser: {url}/#/runs/\w+\n".encode(), done.stderr)
