"""Runs first in every Python under ``inspector run``: prepares to record, without getting in the program's way.

Python imports the first ``sitecustomize`` of its path before the program, see
https://docs.python.org/3/library/site.html. This one imports nothing of the inspector. It waits until something that
can be recorded is imported, so it costs other processes next to nothing. Pythons of other versions and without our
packages run it too, so it uses only syntax that all of them understand, and imports no more than necessary.
"""

# pathlib takes longer to load than everything here, and the directory is one of the path and no package:
# ruff: noqa: PTH100, PTH109, PTH110, PTH112, PTH113, PTH118, PTH120, PTH123, INP001

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

_OLDEST = (3, 11)
_HERE = os.path.dirname(os.path.abspath(__file__))
_BUS = "instrument"
_PROGRAM_ATTACHES = "inspector.recording"
_ALWAYS = "*"
_STOPPED = 3
"""The exit code of a program that leaves its recording, as in `inspector.replay`."""


class _Run:
    """The settings that ``inspector run`` passes in the environment."""

    def __init__(self, variable: str) -> None:
        self.parent, self.quiet, triggers, self.directory = variable.split(":", 3)
        self.triggers = triggers.split(",")

    def came_by(self) -> None:
        """Note that some Python was started."""
        self._write("python", "")

    def left_out(self, reason: str, *, is_beginning: bool = False) -> None:
        """Note that a Python cannot record. If the run consists of this Python only, say so at its start."""
        is_replay = bool(os.environ.get("INSPECTOR_REPLAY"))
        is_all = is_beginning and not (self.quiet or is_replay) and str(os.getppid()) == self.parent
        advice = f"; to record it: {_install()}" if "not installed" in reason else ""
        reason = " ".join(reason.split()) + advice
        self._write(f"left-out-{os.getpid()}", f"{sys.executable}\n{reason}\n{'told' if is_all else ''}\n")
        if is_replay:
            sys.meta_path.insert(0, _Stopping(self.triggers, reason))  # pyright: ignore[reportArgumentType] - the spec's type is not imported
        if is_all:
            print(f"inspector: {sys.executable} is not recorded: {reason}", file=sys.stderr)  # noqa: T201

    def _write(self, name: str, text: str) -> None:
        try:
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        except OSError:
            # The run has ended, and this process outlives it.
            return


class _Stopping:
    """A finder for a Python that cannot be answered in a replay: it ends the process before that calls a model.

    It would be called for real, and so would the tools.
    """

    def __init__(self, triggers: "list[str]", reason: str) -> None:
        self._triggers = frozenset(triggers)
        self._reason = reason

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """End the process if one of these modules is being imported."""
        del path, target
        if name in self._triggers and _is_imported(name):
            text = f"{sys.executable} cannot be replayed, and is stopped before its calls are real: {self._reason}"
            print(f"inspector: {text}", file=sys.stderr)  # noqa: T201
            sys.stdout.flush()
            sys.stderr.flush()
            # An exception would be the program's to catch.
            os._exit(_STOPPED)


class _Lent:
    """A finder that finds what recording needs where ``inspector run`` itself is installed.

    So a Python of the same version can record without having the inspector. What it has itself comes first. A directory
    that only happens to have such a name, or other parts of OpenTelemetry, are found together with what is lent.
    """

    _names = ("inspector", "instrument", "msgspec", "opentelemetry", "typing_extensions")

    def __init__(self, places: "list[str]") -> None:
        self._places = places

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """Return the spec of one of these packages."""
        del target
        if path is not None or name not in self._names:
            return None
        from importlib.machinery import PathFinder

        finders: list[object] = [*sys.meta_path]
        behind = sys.meta_path[finders.index(self) + 1 :] if self in finders else []
        found = (each.find_spec(name, None) for each in behind if hasattr(each, "find_spec"))
        own = next(filter(None, found), None)
        parts = [] if own is None else [*(own.submodule_search_locations or ())]
        if own is not None and (own.origin or PathFinder.find_spec("opentelemetry.trace", parts)):
            return own
        lent = PathFinder.find_spec(name, self._places)
        if lent is not None and lent.submodule_search_locations is not None:
            # A list, because that of a directory is looked up again whenever `sys.path` changes.
            lent.submodule_search_locations = [*parts, *lent.submodule_search_locations]
        return lent


class _LentNames:
    """A finder that comes last: it finds the metadata of what is lent."""

    def __init__(self, places: "list[str]") -> None:
        self._places = places

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """Find no module."""
        del name, path, target

    def find_distributions(self, context: object) -> object:
        """Return OpenTelemetry's API, which finds its own parts by its metadata, and the inspector to who asks for it.

        The inspector is not among all distributions, as it has a plugin for pytest. Who asks for what is in certain
        directories, as pip does, gets nothing: it would not install what is lent.
        """
        from importlib.metadata import DistributionFinder, MetadataPathFinder

        name: object = getattr(context, "name", None)
        asked = "opentelemetry-api" if name is None else str(name).lower().replace("_", "-")
        is_everywhere = getattr(context, "path", None) == sys.path
        if not is_everywhere or asked not in ("opentelemetry-api", "mcp-agent-inspector"):
            return iter(())
        return MetadataPathFinder.find_distributions(DistributionFinder.Context(name=asked, path=self._places))


class _Waiting:
    """A finder on ``sys.meta_path`` that finds nothing itself: it starts recording when an awaited module is imported.

    Recording starts in the last step of the bus's own import. So other threads that import the bus wait until that is
    done, as for any module, and emit no hook before there is a subscriber; and Python detects deadlocks of such
    imports.
    """

    def __init__(self, run: _Run) -> None:
        # `threading` is not imported yet, and the program may want to be the first to import it.
        from _thread import get_ident

        self._run = run
        self._triggers: frozenset[str] = frozenset([*run.triggers, "inspector.record", _PROGRAM_ATTACHES])
        self._missing: str | None = None
        self._is_over = False
        self._thread = get_ident
        self._asking: set[int] = set()

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """Start recording, and return the spec from the other finders; None for other modules."""
        del path, target
        self._come_first()
        if name not in self._triggers or not _is_imported(name):
            return None
        if name == _BUS:
            # Only one thread at a time imports it.
            is_over, self._is_over = self._is_over, True
            return None if is_over or not self._can_record() else self._joining()
        if name == _PROGRAM_ATTACHES and not self._is_over:
            self._is_over, self._triggers = True, frozenset()
        return self._found_once_we_record(name) if self._can_record() else None

    def _come_first(self) -> None:
        """Go before finders that were inserted later.

        One of them may find what is awaited: pytest's imports all modules of a package that brings a pytest plugin,
        such as ours.
        """
        finders: list[object] = [*sys.meta_path]
        if self._triggers and finders[0] is not self:
            # A new list: importlib may iterate over the old one, and would skip a finder.
            sys.meta_path = [self, *(each for each in finders if each is not self)]  # pyright: ignore[reportAttributeAccessIssue] - as in `_start`

    def _found_once_we_record(self, name: str) -> object:
        thread = self._thread()
        if thread in self._asking:
            return None
        self._asking.add(thread)
        try:
            # A framework imported in another thread has to wait for the recorder too.
            _import(_BUS, self._run)
            # Asks the finders now, because another one may have been inserted before this one.
            return _found(name)
        finally:
            self._asking.discard(thread)

    def _can_record(self) -> bool:
        if self._missing is None:
            # Set first, because the check itself gets here.
            self._missing = ""
            self._missing = _missing_for(self._run)
        return bool(self._triggers) and not self._missing

    def _joining(self) -> object:
        """Return the bus's spec, whose loader also starts recording before the import is over."""
        spec = _found(_BUS)
        attributes: dict[str, object] | None = getattr(getattr(spec, "loader", None), "__dict__", None)
        if type(attributes) is not dict:
            self._begin()
            return _found(_BUS)
        execute = getattr(spec, "loader").exec_module  # noqa: B009 - no type is imported here to say that it has one

        def execute_and_begin(module: object) -> None:
            if getattr(module, "__spec__", None) is spec:
                del attributes["exec_module"]
                execute(module)
                self._begin()
            else:
                # All modules of an archive have the same loader.
                execute(module)

        attributes["exec_module"] = execute_and_begin
        return spec

    def _begin(self) -> None:
        _begin(self._run)
        self._triggers = frozenset()


def _is_imported(name: str) -> bool:
    """Tell whether a module is being imported; a program may also only check whether it is installed.

    An import always has importlib's ``_find_and_load`` on the stack, even if finders ask each other.
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the one way to know who asks  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_name == "_find_and_load" and frame.f_locals.get("name") == name:
            return True
        frame = frame.f_back
    return False


def _found(name: str) -> object:
    """Return the spec of a module; one that was imported meanwhile is not executed again."""
    from importlib.util import find_spec

    module = sys.modules.get(name)
    if module is None:
        return find_spec(name)
    spec = module.__spec__
    attributes: dict[str, object] | None = getattr(getattr(spec, "loader", None), "__dict__", None)
    if type(attributes) is not dict:
        return _spec_of(module, name)

    def is_there(_: object) -> object:
        del attributes["create_module"]
        return module

    def is_executed(_: object) -> None:
        del attributes["exec_module"]

    attributes.update(create_module=is_there, exec_module=is_executed)
    return spec


def _spec_of(module: object, name: str) -> object:
    """Return a spec for a module that no loader created, or that accepts no attributes."""
    from importlib.machinery import ModuleSpec

    class Loader:
        def create_module(self, _: object) -> object:
            return module

        def exec_module(self, _: object) -> None:
            """Do nothing: it was executed, or there is nothing to execute."""

    spec = ModuleSpec(name, Loader())  # pyright: ignore[reportArgumentType] - as much of a loader as is asked for
    spec.submodule_search_locations = getattr(module, "__path__", None)
    return spec


def _begin(run: _Run) -> None:
    try:
        from inspector.launch.joining import join

        join()
    # The boundary to the program, which has to run as it would without us.
    except Exception as error:  # noqa: BLE001
        run.left_out(f"{type(error).__name__}: {error}")


def _import(name: str, run: _Run) -> None:
    try:
        __import__(name)
    # As above.
    except Exception as error:  # noqa: BLE001
        run.left_out(f"{type(error).__name__}: {error}")


def _missing_for(run: _Run, *, is_beginning: bool = False) -> str:
    """Return why this Python cannot record, and note it; empty if it can."""
    try:
        missing = _what_is_missing(is_beginning=is_beginning)
    # As above.
    except Exception as error:  # noqa: BLE001
        missing = f"{type(error).__name__}: {error}"
    if missing:
        run.left_out(missing)
    return missing


def _what_is_missing(*, is_beginning: bool = False) -> str:
    """Return why this Python cannot record; empty if it can."""
    if sys.version_info < _OLDEST:
        return f"it is Python {sys.version_info[0]}.{sys.version_info[1]}; the inspector needs 3.11 or newer"
    from importlib.util import find_spec

    for name in ("inspector", "instrument"):
        spec = (_of_the_program(name) if is_beginning else None) or find_spec(name)
        if spec is None or spec.origin is None:
            return "the inspector is not installed there"
        packages = os.path.dirname(os.path.dirname(os.path.realpath(spec.origin)))
        if not os.path.isfile(os.path.join(packages, "inspector", "launch", "joining.py")):
            return f"{spec.origin} hides the inspector's module of that name; rename it"
    for name in ("msgspec", "opentelemetry.trace"):
        if find_spec(name) is None:
            return f"the inspector is not installed there (no module {name})"
    return ""


def _of_the_program(name: str) -> "ModuleSpec | None":
    """Return the spec of a module of the program's own, whose directory is not on the path before the program runs."""
    from importlib.machinery import PathFinder

    script = sys.argv[0]
    if script in ("", "-", "-c", "-m"):
        directory = os.getcwd()
    else:
        is_archive = os.path.isdir(script) or script.endswith((".pyz", ".zip"))
        directory = script if is_archive else os.path.dirname(os.path.realpath(script))
    found = None if sys.flags.safe_path else PathFinder.find_spec(name, [directory])
    return None if found is None or found.origin is None else found


def _install() -> str:
    has_pip = os.path.exists(os.path.join(os.path.dirname(sys.executable), "pip"))
    pip = f"{sys.executable} -m pip install" if has_pip else f"uv pip install --python {sys.executable}"
    return f'{pip} "mcp-agent-inspector[record]"'


def _borrow() -> None:
    """Find what is missing where ``inspector run`` is installed, if that is for a Python like this one."""
    from _imp import extension_suffixes

    suffix, *places = os.environ.get("INSPECTOR_LENT", "").split(os.pathsep)
    if suffix in extension_suffixes():
        # Before Python's own finders, to which a directory is a package.
        sys.meta_path.insert(0, _Lent(places))  # pyright: ignore[reportArgumentType] - the spec's type is not imported
        sys.meta_path.append(_LentNames(places))  # pyright: ignore[reportArgumentType] - as above


def _is_recorder_installed() -> bool:
    return _is_installed("inspector") and _is_installed("msgspec")


def _is_installed(name: str) -> bool:
    # Asks the finders directly: importlib.util, which asks them too, would take a third of the time that we have.
    finders = (getattr(each, "find_spec", None) for each in sys.meta_path)
    found = (find(name, None) for find in finders if find is not None)
    # A directory without modules is found too.
    return any(spec.origin is not None for spec in found if spec is not None)


def _start(variable: str) -> None:
    run = _Run(variable)
    run.came_by()
    if sys.version_info >= _OLDEST and not _is_recorder_installed():
        _borrow()
    if sys.version_info < _OLDEST or not _is_recorder_installed():
        run.left_out(_what_is_missing(), is_beginning=True)
    elif _ALWAYS in run.triggers or _BUS in sys.modules:
        if not _missing_for(run, is_beginning=True):
            _begin(run)
    else:
        sys.meta_path.insert(0, _Waiting(run))  # pyright: ignore[reportArgumentType] - the spec's type is not imported


sys.path[:] = [each for each in sys.path if each != _HERE]
try:
    if os.environ.get("INSPECTOR_RUN"):
        _start(os.environ["INSPECTOR_RUN"])
# The boundary to any Python and any environment.
except Exception:  # noqa: BLE001, S110
    pass

# A `sitecustomize` hidden by this one runs next; if there is none, ``site`` expects exactly this error.
sys.modules.pop("sitecustomize", None)
import sitecustomize  # noqa: E402, F401  # pyright: ignore[reportUnusedImport] - imported for what it does
