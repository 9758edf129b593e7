import ast
import gc
import importlib
import importlib.util
import logging
import subprocess
import sys
import threading
import weakref
import zipfile
from contextvars import copy_context
from functools import wraps
from pathlib import Path

import pytest
import wrapt
from emitted import VARIABLE

import inspector.integrations
from inspector.integrations import (
    HTTP_CLIENTS,
    INTEGRATIONS,
    JOBS,
    SERVERS,
    Enabled,
    Integration,
    IntegrationUnknown,
    chosen,
)
from inspector.integrations.calls import announce, enclosing, opened
from inspector.integrations.imports import ImportWatch
from inspector.integrations.mcp.servers import ours
from inspector.integrations.patches import Patches, wrapping
from instrument.testing import capture


@pytest.mark.slow
def test_a_program_in_an_environment_of_frameworks_is_recorded(run):
    recorded = run("hello.py", within="current")
    assert recorded.ledger == {"calls": 1}
    assert recorded.tree() == ["execute_tool add"]


def test_a_keyword_that_the_contract_lacks_is_seen_in_what_an_mcp_server_sends(framework_python, tmp_path):
    """It is started with the variables that the integration hands on, and with no path of its own."""
    unknown = tmp_path / "unknown"
    variables = ours({VARIABLE: str(unknown), "INSPECTOR_HOME": str(tmp_path)})
    emit = "_emit_sync('before_tool_call', tool_name='add', args={}, context=None, emitter='openai', unheard_of=1)"
    program = f"import inspector\nfrom instrument import _emit_sync\ninspector.attach()\n{emit}"
    subprocess.run([framework_python("current"), "-c", program], env=variables, check=True, timeout=60)
    assert unknown.read_text() == "('before_tool_call', 'openai', ['unheard_of'])\n"


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Write modules below a directory that is on the path; they are forgotten at the end."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(**modules):
        for name, text in modules.items():
            path = (tmp_path / name).with_suffix(".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        importlib.invalidate_caches()
        return tmp_path

    yield write
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in sys.modules[name].__file__:
            del sys.modules[name]


@pytest.fixture
def watch():
    made = ImportWatch()
    yield made
    made.stop()
    assert made not in sys.meta_path


# Imports.


def test_a_module_that_was_imported_is_told_of_at_once(watch):
    calls = []
    watch.expect("json", lambda: calls.append(1))
    assert calls == [1]


def test_a_module_is_told_of_right_after_its_import_and_once(packages, watch):
    packages(framework="ready = True")
    seen = []
    watch.expect("framework", lambda: seen.append(sys.modules["framework"].ready))
    assert seen == []
    import framework

    assert seen == [True]
    importlib.reload(framework)
    assert seen == [True]
    assert "exec_module" not in vars(framework.__spec__.loader)


def test_a_submodule_and_a_package_below_a_namespace_are_told_of(packages, watch):
    files = {
        "pack/__init__": "",
        "pack/inner": "",
        "space/agents/__init__": "from . import part",
        "space/agents/part": "",
    }
    packages(**files)
    calls = []
    for name in ("pack.inner", "space.agents", "space.agents.part"):
        watch.expect(name, lambda name=name: calls.append(name))
    importlib.import_module("pack")
    assert calls == []
    importlib.import_module("pack.inner")
    importlib.import_module("space.agents")
    assert calls == ["pack.inner", "space.agents.part", "space.agents"]


def test_asking_whether_a_module_is_there_is_no_import(packages, watch):
    packages(framework="")
    calls = []
    watch.expect("framework", lambda: calls.append(1))
    assert importlib.util.find_spec("framework") is not None
    assert importlib.util.find_spec("framework") is not None
    assert calls == []
    import framework  # noqa: F401

    assert calls == [1]


def test_a_module_that_is_not_there_is_missed_as_without_us(watch):
    watch.expect("no_such_framework", lambda: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_framework'"):
        import no_such_framework  # noqa: F401
    assert importlib.util.find_spec("no_such_framework") is None


def test_an_import_that_fails_may_be_tried_again(packages, watch):
    directory = packages(framework="raise ValueError('not today')")
    calls = []
    watch.expect("framework", lambda: calls.append(1))
    with pytest.raises(ValueError, match="not today"):
        import framework
    assert calls == []
    (directory / "framework.py").write_text("ready = 'now'")
    importlib.invalidate_caches()
    import framework

    assert (framework.ready, calls) == ("now", [1])


def test_several_may_wait_for_the_same_module(packages, watch):
    packages(framework="")
    other = ImportWatch()
    calls = []
    watch.expect("framework", lambda: calls.append("first"))
    watch.expect("framework", lambda: calls.append("second"))
    other.expect("framework", lambda: calls.append("other"))
    import framework  # noqa: F401

    other.stop()
    assert sorted(calls) == ["first", "other", "second"]


def test_modules_in_a_zip_file_share_a_loader(tmp_path, monkeypatch, watch):
    with zipfile.ZipFile(tmp_path / "lib.zip", "w") as archive:
        archive.writestr("zipped_one.py", "import zipped_two\nready = True")
        archive.writestr("zipped_two.py", "")
    monkeypatch.syspath_prepend(tmp_path / "lib.zip")
    seen = []
    watch.expect("zipped_one", lambda: seen.append(sys.modules["zipped_one"].ready))
    import zipped_one  # noqa: F401

    assert seen == [True]
    del sys.modules["zipped_one"], sys.modules["zipped_two"]


def test_threads_that_import_at_once_all_find_it_changed(packages, watch):
    packages(framework="import time\ntime.sleep(0.05)\nchanged = False")

    def change():
        sys.modules["framework"].changed = True

    watch.expect("framework", change)
    seen = []
    gate = threading.Barrier(8)

    def work():
        gate.wait()
        import framework

        seen.append(framework.changed)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 8


@pytest.fixture
def beginning(packages):
    """A framework whose import another thread has begun; calling it lets that go on, and waits for its end."""
    packages(framework="import gates\ngates.begun.set()\ngates.go_on.wait(10)\nready = True", gates="")
    gates = importlib.import_module("gates")
    gates.begun, gates.go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=importlib.import_module, args=("framework",))
    thread.start()
    assert gates.begun.wait(10)

    def end():
        gates.go_on.set()
        thread.join(10)

    yield end
    end()


def test_a_module_whose_import_another_thread_has_begun_is_told_of_at_its_end(beginning, watch):
    other = ImportWatch()
    seen = []
    watch.expect("framework", lambda: seen.append(sys.modules["framework"].ready))
    other.expect("framework", lambda: seen.append("other"))
    assert seen == []
    beginning()
    assert seen == [True, "other"]
    other.stop()
    assert type(sys.modules["framework"].__spec__) is importlib.machinery.ModuleSpec
    importlib.reload(sys.modules["framework"])
    assert seen == [True, "other"]


def test_a_module_is_not_told_of_when_nobody_waits_for_it_any_more(beginning, watch):
    watch.expect("framework", lambda: pytest.fail("told"))
    watch.stop()
    beginning()
    assert sys.modules["framework"].ready


def test_a_module_that_begins_to_wait_for_itself_is_told_of_at_its_end(packages, watch, monkeypatch):
    packages(framework="import begins_recording\nready = True", begins_recording="import sys\nsys.begin()")
    seen = []

    def tell():
        seen.append(sys.modules["framework"].ready)
        watch.expect("framework", lambda: seen.append("again"))

    monkeypatch.setattr(sys, "begin", lambda: watch.expect("framework", tell), raising=False)
    import framework  # noqa: F401

    assert seen == [True, "again"]


def test_a_module_that_fails_after_it_began_to_wait_for_itself_is_told_of_at_the_next_try(packages, watch, monkeypatch):
    directory = packages(framework="import sys\nsys.begin()\nraise ValueError('not today')")
    seen = []
    monkeypatch.setattr(sys, "begin", lambda: watch.expect("framework", lambda: seen.append(1)), raising=False)
    with pytest.raises(ValueError, match="not today"):
        import framework
    assert seen == []
    (directory / "framework.py").write_text("ready = 'now'")
    importlib.invalidate_caches()
    import framework

    assert (framework.ready, seen) == ("now", [1])


def test_an_import_of_another_thread_asks_every_finder_while_one_is_taken_away(packages, monkeypatch):
    packages(late="")
    watch = ImportWatch()
    watch.expect("no_such_framework", lambda: None)

    class Finder:
        def find_spec(self, name, path=None, target=None):
            # Where another thread could take it away.
            watch.stop()

    monkeypatch.setattr(sys, "meta_path", [watch, Finder(), importlib.machinery.PathFinder])
    import late

    assert late.__spec__ is not None
    assert watch not in sys.meta_path


# Switching on and off.


@pytest.fixture
def integrations(packages, monkeypatch):
    """Two integrations of frameworks that are not imported yet: one works, one raises."""
    packages(framework="def call(): return 'plain'", broken="")
    directory = packages()
    package = directory / "integrations_of_this_test"
    package.mkdir()
    (package / "works.py").write_text(
        "import framework\n"
        "def install(patches):\n"
        "    patches.wrap(framework, 'call', lambda original: lambda: original() + ' seen')\n"
        "    patches.wrap(framework, 'gone', lambda original: original)\n"
    )
    (package / "fails.py").write_text(
        "import broken\n"
        "def install(patches):\n"
        "    broken.touched = True\n"
        "    patches.on_undo(lambda: setattr(broken, 'touched', False))\n"
        "    raise RuntimeError('another version')\n"
    )
    import inspector.integrations

    monkeypatch.setattr(inspector.integrations, "__path__", [*inspector.integrations.__path__, str(package)])
    yield (
        Integration("works", "framework-dist", "framework", (1,), (2,)),
        Integration("fails", "broken-dist", "broken", (1,), (2,)),
    )
    for name in ("works", "fails"):
        sys.modules.pop(f"inspector.integrations.{name}", None)


def test_an_integration_is_switched_on_by_its_import_and_off_again(integrations, caplog):
    enabled = Enabled()
    enabled.enable(integrations)
    enabled.enable(integrations)
    assert enabled.installed == ()
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        import framework
    assert framework.call() == "plain seen"
    assert enabled.installed == ("works",)
    (notice,) = caplog.records
    assert notice.message == (
        "framework-dist (version unknown) is not a version the inspector was tested with (from 1, below 2); "
        "what can be recorded is recorded; not there: framework.gone"
    )
    enabled.disable()
    assert framework.call() == "plain"
    assert enabled.installed == ()
    enabled.enable(integrations)
    assert framework.call() == "plain seen"
    enabled.disable()


def test_an_integration_that_fails_leaves_the_import_and_the_framework_as_they_were(integrations, caplog):
    enabled = Enabled()
    enabled.enable(integrations)
    with caplog.at_level(logging.WARNING, "mcp.inspector"):
        import broken
    assert broken.touched is False
    assert [r.message for r in caplog.records] == [
        "broken-dist (version unknown) cannot be recorded by this version of the inspector"
    ]
    enabled.disable()


def test_what_waits_for_its_framework_is_switched_off_too(integrations):
    enabled = Enabled()
    enabled.enable(integrations)
    enabled.disable()
    import framework

    assert framework.call() == "plain"


def test_integrations_are_chosen_by_name():
    assert chosen(None) == INTEGRATIONS
    assert [each.name for each in chosen(["openai", "mcp"])] == ["mcp", "openai"]
    assert [each.name for each in chosen(["openai", "mcp"], without=["mcp"])] == ["openai"]
    assert chosen([]) == ()
    for names, without in ((["opnai"], ()), (None, ["opnai"])):
        with pytest.raises(
            IntegrationUnknown, match="there is no integration 'opnai'; there are: ag2, agent_framework, "
        ):
            chosen(names, without=without)


# Changing a framework.


class Model:
    def ask(self, prompt):
        "Asks."
        return f"{type(self).__name__}:{prompt}"

    @staticmethod
    def price(tokens):
        return tokens * 2

    @classmethod
    def default(cls):
        return cls.__name__


class Better(Model):
    pass


def louder(original):
    def call(*args, **kwargs):
        result = original(*args, **kwargs)
        return f"{result}!"

    return call


@wrapping
def cried(original, /, *args, **kwargs):
    return f"{original(*args, **kwargs)}!"


@pytest.mark.parametrize("wrapper", [louder, cried])
@pytest.mark.parametrize("owner", [Model, Better])
def test_methods_of_every_kind_stay_of_their_kind_and_are_put_back(owner, wrapper):
    before = dict(vars(Model)), dict(vars(Better))
    patches = Patches("test")
    for name in ("ask", "price", "default"):
        assert patches.wrap(owner, name, wrapper)
    assert Better().ask("hi") == "Better:hi!"
    assert (Better.price(2), Better().price(2)) == ("4!", "4!")
    assert (Better.default(), Better().default()) == ("Better!", "Better!")
    assert Model().ask("hi") == ("Model:hi!" if owner is Model else "Model:hi")
    assert (Better.ask.__name__, Better.ask.__doc__) == ("ask", "Asks.")
    patches.undo()
    assert (dict(vars(Model)), dict(vars(Better))) == before


def test_changes_are_undone_last_first_and_twice_is_once():
    patches = Patches("test")
    before = Model.ask
    patches.wrap(Model, "ask", louder)
    patches.wrap(Model, "ask", louder)
    order = []
    patches.on_undo(lambda: order.append("action"))
    assert Model().ask("hi") == "Model:hi!!"
    patches.undo()
    patches.undo()
    assert (Model.ask, order) == (before, ["action"])


def test_a_later_patch_of_somebody_else_stays_and_still_works():
    patches = Patches("test")
    before = Model.ask
    patches.wrap(Model, "ask", louder)
    theirs = louder(Model.ask)
    Model.ask = theirs
    try:
        patches.undo()
        assert Model.ask is theirs
        assert Model().ask("hi") == "Model:hi!!"
    finally:
        Model.ask = before


def marking(mark):
    def wrapper(original):
        def call(*args, **kwargs):
            return f"{original(*args, **kwargs)}{mark}"

        return call

    return wrapper


@pytest.mark.parametrize(
    ("name", "given", "plain"), [("ask", (4,), "Model:4"), ("price", (4,), "8"), ("default", (), "Model")]
)
def test_what_somebody_else_patched_is_not_wrapped_twice_when_switched_on_again(name, given, plain):
    before = vars(Model)[name]
    kind = type(before) if name != "ask" else lambda function: function
    first, second, third = Patches("test"), Patches("test"), Patches("test")
    first.wrap(Model, name, marking("1"))
    ours = vars(Model)[name]

    @wraps(getattr(ours, "__func__", ours))
    def theirs(*args):
        return getattr(ours, "__func__", ours)(*args)

    try:
        setattr(Model, name, kind(theirs))
        first.undo()
        second.wrap(Model, name, marking("2"))
        assert getattr(Model(), name)(*given) == f"{plain}2"
        second.undo()
        third.wrap(Model, name, marking("3"))
        assert getattr(Model(), name)(*given) == f"{plain}3"
        # They take back their own.
        setattr(Model, name, ours)
        third.undo()
        assert vars(Model)[name] is before
    finally:
        setattr(Model, name, before)


@pytest.fixture(params=[("ask", (4,), "Model:4"), ("price", (4,), "8"), ("default", (), "Model")])
def proxied(request, monkeypatch):
    """Puts wrapt's proxy around a method, as instrumentations of OpenTelemetry do, and asks the method."""
    name, given, plain = request.param
    # It is put back.
    monkeypatch.setattr(Model, name, vars(Model)[name])

    def wrap():
        wrapt.wrap_function_wrapper(Model, name, lambda wrapped, _, args, kwargs: f"{wrapped(*args, **kwargs)}?")
        return vars(Model)[name]

    return name, wrap, lambda: getattr(Model(), name)(*given).removeprefix(plain)


def test_a_proxy_around_a_wrapper_stays_and_the_wrapper_is_switched_on_again(proxied):
    name, wrap, asked = proxied
    first, second = Patches("test"), Patches("test")
    first.wrap(Model, name, marking("1"))
    proxy = wrap()
    assert asked() == "1?"
    first.undo()
    assert vars(Model)[name] is proxy
    second.wrap(Model, name, marking("2"))
    assert asked() == "2?"
    second.undo()
    assert vars(Model)[name] is proxy


def test_a_method_of_any_kind_is_wrapped_around_a_proxy(proxied):
    name, wrap, asked = proxied
    patches = Patches("test")
    proxy = wrap()
    patches.wrap(Model, name, marking("1"))
    assert asked() == "?1"
    patches.undo()
    assert vars(Model)[name] is proxy
    assert asked() == "?"


@pytest.mark.parametrize(
    ("left", "next_one", "answer"),
    [(marking("1"), louder, "Model:hi1!"), (louder, cried, "Model:hi!!"), (cried, cried, "Model:hi!")],
)
def test_another_wrapper_is_not_taken_for_the_one_left_behind(left, next_one, answer):
    patches = Patches("test")
    before = Model.ask
    patches.wrap(Model, "ask", left)
    ours = Model.ask
    Model.ask = wraps(ours)(lambda *args: ours(*args))
    try:
        patches.undo()
        patches.wrap(Model, "ask", next_one)
        assert Model().ask("hi") == answer
        patches.undo()
    finally:
        Model.ask = before


def test_an_argument_of_a_program_may_be_named_original():
    for path in Path(inspector.integrations.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and function.args.kwarg is not None:
                is_wrapping = "wrapping" in [getattr(each, "id", None) for each in function.decorator_list]
                assert not is_wrapping or [each.arg for each in function.args.posonlyargs] == ["original"], (
                    f"{path}:{function.lineno}: its first argument could be given twice; write 'original, /'"
                )


def test_a_class_that_the_program_drops_is_not_kept_alive():
    class Base:
        pass

    patches = Patches("test")
    patches.wrap_in_subclasses(Base, {"go": louder})

    def define():
        class Derived(Base):
            def go(self):
                return super().__repr__()

        return weakref.ref(Derived)

    dropped = [define() for _ in range(3)]
    gc.collect()
    assert [each() for each in dropped] == [None] * 3
    patches.undo()


def test_one_change_that_cannot_be_undone_keeps_no_other_from_it(caplog):
    patches = Patches("test")
    before = Model.ask
    patches.wrap(Model, "ask", louder)
    patches.on_undo(lambda: 1 / 0)
    patches.undo()
    assert Model.ask is before
    assert "the integration test could not be undone" in caplog.text


def test_what_is_not_there_is_named():
    patches = Patches("test")
    assert not patches.wrap(Model, "gone", louder)
    assert patches.missing == ("Model.gone",)


# Telling of calls.


def test_a_call_emits_before_and_after_with_one_id():
    with capture() as hooks:
        call = opened("tool_call", lambda: {"tool_name": "add", "args": {"a": 1}}, emitter="here")
        call.ended(lambda: {"result": 2})
        call.ended()
        call.failed(ValueError())
    (first, before), (second, after) = hooks
    assert (first, second) == ("before_tool_call", "after_tool_call")
    assert (before["tool_name"], after["result"]) == ("add", 2)
    assert before["call_id"] == after["call_id"] == call.call_id
    assert (before["emitter"], after["emitter"]) == ("here", "here")


def test_every_integration_signs_its_calls_with_its_own_name():
    package = Path(inspector.integrations.__file__).parent
    signed = {}
    for path in package.rglob("*.py"):
        name = path.relative_to(package).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.keyword) and node.arg == "emitter" and isinstance(node.value, ast.Constant):
                signed.setdefault(name, set()).add(node.value.value)
    # Requests of these are signed with the package of their SDK or client, which is named as its integration is.
    shared = {"openai", "anthropic", *HTTP_CLIENTS}
    # They emit nothing: requests, jobs and cells are runs around what others emit, and threads carry those on.
    around = {*SERVERS, *JOBS, "ipython", "threading"}
    assert signed == {each.name: {each.name} for each in INTEGRATIONS if each.name in signed}
    assert {each.name for each in INTEGRATIONS} - signed.keys() <= shared | around


def test_nothing_that_a_description_raises_reaches_the_program(caplog):
    def describe():
        raise RuntimeError("no such attribute")

    with capture() as hooks:
        call = opened("tool_call", describe, emitter="here")
        call.ended(describe)
    assert [name for name, _ in hooks] == ["before_tool_call", "after_tool_call"]
    assert caplog.text.count("could not read a call; it is recorded without") == 1


def test_nothing_that_a_subscriber_raises_reaches_the_program():
    import instrument

    def subscriber(**kwargs):
        raise RuntimeError("subscriber")

    instrument.register("before_tool_call", subscriber)
    try:
        opened("tool_call", lambda: {"tool_name": "add"}, emitter="here").ended()
    finally:
        instrument.unregister("before_tool_call", subscriber)


def test_open_calls_around_here_are_found_innermost_first():
    outer = opened("llm_generate", dict, emitter="here")
    inner = opened("llm_generate", dict, emitter="here")
    tool = opened("tool_call", dict, emitter="here")
    assert list(enclosing("llm_generate")) == [inner, outer]
    inner.ended()
    assert list(enclosing("llm_generate")) == [outer]
    assert list(enclosing("agent_call")) == []
    tool.ended()
    outer.ended()
    assert list(enclosing("llm_generate")) == []


def test_a_call_in_a_context_of_its_own_is_not_around_here():
    context = copy_context()
    stream = opened("llm_generate", dict, emitter="here", context=context)
    assert list(enclosing("llm_generate")) == []
    assert context.run(lambda: list(enclosing("llm_generate"))) == [stream]
    stream.ended()
    assert context.run(lambda: list(enclosing("llm_generate"))) == []


def test_a_context_that_is_being_run_in_does_not_keep_a_call_from_ending():
    context = copy_context()
    stream = opened("llm_generate", dict, emitter="here", context=context)
    with capture() as hooks:
        context.run(stream.abandoned)
    assert [name for name, _ in hooks] == ["error_llm_generate"]
    assert isinstance(hooks[0][1]["exc"], GeneratorExit)


def test_a_call_that_is_left_while_its_result_is_read_ends_once():
    with capture() as emitted:
        call = opened("tool_call", lambda: {"tool_name": "add"}, emitter="here")
        call.ended(lambda: call.abandoned() or {"result": 1})
    assert [hook for hook, _ in emitted] == ["before_tool_call", "after_tool_call"]


def test_ended_calls_are_let_go_of():
    class Large:
        pass

    for _ in range(3):
        opened("tool_call", lambda: {"args": Large()}, emitter="here").ended()
    gc.collect()
    assert [each for each in gc.get_objects() if type(each) is Large] == []


def test_a_hook_that_is_no_call_is_told():
    with capture() as hooks:
        announce("progress_update", lambda: {"progress": 1, "total": 2})
    assert [(name, said["progress"]) for name, said in hooks] == [("progress_update", 1)]


def test_a_loader_that_takes_no_attributes_keeps_its_module_from_nobody(monkeypatch, watch):
    class Sealed:
        __slots__ = ()

        def create_module(self, spec):
            return None

        def exec_module(self, module):
            module.ready = True

    class Finder:
        def find_spec(self, name, path=None, target=None):
            return importlib.machinery.ModuleSpec(name, Sealed()) if name == "sealed_framework" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    watch.expect("sealed_framework", lambda: None)
    import sealed_framework

    del sys.modules["sealed_framework"]
    assert sealed_framework.ready


def test_subclasses_are_told_of_and_their_other_classes_hear_of_them_too():
    class Base:
        pass

    class Early(Base):
        pass

    changed = []
    patches = Patches("test")
    patches.on_subclasses(Base, lambda cls: changed.append(cls.__name__))

    class Other:
        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__(**kwargs)
            changed.append(f"Other: {cls.__name__}")

    class Late(Early, Other):
        pass

    assert changed == ["Early", "Other: Late", "Late"]
    patches.undo()
    assert "__init_subclass__" not in vars(Base)
    type("Later", (Base,), {})
    assert changed[-1] == "Late"
