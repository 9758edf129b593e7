"""Replaces functions of a framework, and restores them."""

import logging
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial, update_wrapper
from inspect import getattr_static
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeAlias, cast
from weakref import WeakSet, ref

from inspector.integrations.imports import ImportWatch
from inspector.integrations.tracebacks import hidden
from inspector.logger import logger
from instrument.signals import is_of_signal

Wrapper: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Makes the replacement of a function."""
Wrappers: TypeAlias = Mapping[str, Wrapper]
"""Wrappers by the names of functions."""


def wrapping(function: Callable[..., Any]) -> Wrapper:
    """Make a wrapper of a function that gets the original one, and then the arguments of a call.

    If it takes any keyword, ``original`` is positional only: the program may have an argument of that name. It is no
    function, so it does not do for an ``exact`` replacement.
    """

    def wrapper(original: Callable[..., Any]) -> Callable[..., Any]:
        return partial(function, original)

    return wrapper


_METHOD_KINDS: tuple[Any, ...] = (staticmethod, classmethod)

_left_behind: WeakSet[FunctionType] = WeakSet()
"""Our wrappers that could not be removed, since another library's patch calls them."""


class Patches:
    """What one integration changed in its framework."""

    def __init__(self, integration: str) -> None:
        self._integration = integration
        self._undo: dict[object, Callable[[], None]] = {}
        self._missing: list[str] = []
        self._watch = ImportWatch()

    def wrap(
        self,
        owner: Any,
        name: str,
        wrapper: Wrapper,
        *,
        exact: bool = False,
    ) -> bool:
        """Replace a function of a module or class by the result of ``wrapper``.

        Static methods, class methods and plain functions stay what they are, and keep name, signature and docstring. A
        missing name, as in an unsupported version, is skipped and logged once.

        Args:
            owner: The module or class.
            name: The function's name.
            wrapper: Makes the replacement of the function.
            exact: Whether the replacement has the function's exact signature, hides itself from tracebacks, and refers
                to nothing but the function.

        Returns:
            Whether the function exists.
        """
        try:
            before: Any = getattr_static(owner, name)
        except AttributeError:
            self._missing.append(f"{getattr(owner, '__name__', owner)}.{name}")
            return False
        is_own = name in _held(owner)
        kind = next((kind for kind in _METHOD_KINDS if isinstance(before, kind)), None)
        original = before if kind is None else _function_of(before, kind, owner)
        replacement: Any = _renewed(original, wrapper) if is_own else None
        if replacement is None:
            function = wrapper(original)
            replacement = update_wrapper(function if exact else hidden(function), original)
            replacement.inspector_kept = is_own, before
            replacement.inspector_wrapper = function
            setattr(owner, name, kind(replacement) if kind else replacement)
        self._restore_later(owner, name, replacement)
        return True

    def _restore_later(self, owner: Any, name: str, replacement: Any) -> None:
        # Nothing here may keep a class alive: a program may define and drop one per request.
        key = object()
        owner_now: Any = ref(owner, lambda _: self._undo.pop(key, None)) if isinstance(owner, type) else lambda: owner
        ours = ref(replacement)
        self._undo[key] = lambda: _restore(owner_now(), name, ours())

    def wrap_in_subclasses(
        self, interface: type[Any], wrappers: Wrappers, *, unless: Callable[[type[Any]], bool] = lambda _: False
    ) -> None:
        """Replace methods of an interface in every class that implements them, including future ones.

        Args:
            interface: The class that they inherit from.
            wrappers: By the names of methods.
            unless: Tells which classes stay as they are.
        """

        def wrap_methods(cls: Any) -> None:
            if not unless(cls):
                for name, wrapper in wrappers.items():
                    if name in vars(cls):
                        self.wrap(cls, name, wrapper)

        self.on_subclasses(interface, wrap_methods)

    def once_imported(self, module: str, change: Callable[[ModuleType], None]) -> None:
        """Change a module right after its import: now, later, or never if the program does not import it.

        For frameworks that import their parts lazily. Missing functions are logged then.
        """
        is_installing = True

        def changed() -> None:
            missing_before = len(self._missing)
            try:
                change(sys.modules[module])
            # This runs inside the program's own import statement.
            except Exception as error:
                if is_of_signal(error):
                    raise
                logger.warning("%s cannot be recorded by this version of the inspector", module, exc_info=True)
            if not is_installing and (missing := self._missing[missing_before:]):
                logger.warning("not recorded, since the installed version does not have it: %s", ", ".join(missing))

        self._watch.expect(module, changed)
        is_installing = False

    def wrap_once_imported(self, module: str, owner: str | None, wrappers: Wrappers) -> None:
        """Wrap methods of the class ``owner``, or else functions of the module itself, right after its import."""

        def change(imported: Any) -> None:
            for name, wrapper in wrappers.items():
                self.wrap(imported if owner is None else getattr(imported, owner, imported), name, wrapper)

        self.once_imported(module, change)

    def wrap_subclasses_once_imported(
        self, module: str, interface: str, wrappers: Wrappers, *, unless: Callable[[type[Any]], bool] = lambda _: False
    ) -> None:
        """Do as `wrap_in_subclasses` with a class of a module, right after its import."""
        self.once_imported(
            module, lambda imported: self.wrap_in_subclasses(getattr(imported, interface), wrappers, unless=unless)
        )

    def on_subclasses(self, base: Any, change: Callable[[Any], None]) -> None:
        """Call ``change`` with every subclass of ``base``, existing and future ones.

        A class that cannot be changed is left alone and logged.
        """

        def change_if_possible(cls: Any) -> None:
            try:
                change(cls)
            # This may run inside the program's own class statement.
            except Exception as error:
                if is_of_signal(error):
                    raise
                logger.warning("%s cannot be recorded", cls.__qualname__, exc_info=logger.isEnabledFor(logging.DEBUG))

        def defining(original: Callable[..., Any]) -> Callable[..., Any]:
            def __init_subclass__(cls: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 -- the method's own name
                original(cls, *args, **kwargs)
                change_if_possible(cls)

            return __init_subclass__

        def inherited(cls: Any, *args: Any, **kwargs: Any) -> None:
            cast("Any", super(base, cls)).__init_subclass__(*args, **kwargs)

        if "__init_subclass__" in vars(base):
            self.wrap(base, "__init_subclass__", defining)
        else:
            # Not by wrap(), which would skip classes between this one and the next that defines the method.
            base.__init_subclass__ = classmethod(defining(inherited))
            self.on_undo(lambda: delattr(base, "__init_subclass__"))
        for cls in _subclasses(base):
            change_if_possible(cls)

    def on_undo(self, action: Callable[[], None]) -> None:
        """Register a function that releases an extension point."""
        self._undo[object()] = action

    def undo(self) -> None:
        """Undo everything, the last change first."""
        self._watch.stop()
        while self._undo:
            _, action = self._undo.popitem()
            try:
                action()
            # A failure to release one extension point must not prevent undoing the rest.
            except Exception:  # noqa: BLE001
                logger.warning("the integration %s could not be undone", self._integration, exc_info=True)

    @property
    def missing(self) -> tuple[str, ...]:
        """Functions that the installed version lacks."""
        return tuple(self._missing)


def _subclasses(cls: type[Any]) -> set[type[Any]]:
    subclasses = set(cls.__subclasses__())
    return subclasses.union(*(_subclasses(each) for each in subclasses))


def _function_of(method: Any, kind: Any, owner: Any) -> Callable[..., Any]:
    """Return the function of a static or class method; a proxy of another library, such as wrapt's, has to be bound."""
    if type(method) is kind:
        return method.__func__
    if kind is staticmethod:
        return method.__get__(None, owner)

    def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return method.__get__(None, cls)(*args, **kwargs)

    return update_wrapper(call, method.__func__)


def _restore(owner: Any, name: str, replacement: Any) -> None:
    if owner is None or replacement is None:
        return
    found: Any = _held(owner).get(name)
    # Not of a proxy, which another library has put around it since.
    if (found.__func__ if type(found) in _METHOD_KINDS else found) is not replacement:
        _left_behind.add(replacement)
        return
    is_own, before = replacement.inspector_kept
    if is_own:
        setattr(owner, name, before)
    else:
        delattr(owner, name)


def _renewed(original: Any, wrapper: Wrapper) -> FunctionType | None:
    """Reactivate a wrapper that an earlier installation left below another library's patch.

    Returns:
        The wrapper that was left; None if there is none, and ``original`` has to be wrapped.
    """
    for left in _left_behind_below(original):
        fresh: Any = wrapper(cast("Any", left).__wrapped__)
        stale: Any = cast("Any", left).inspector_wrapper
        if _code_of(fresh) is _code_of(stale):
            # It may refer to objects of the earlier installation.
            for cell in left.__closure__ or ():
                if cell.cell_contents is stale:
                    cell.cell_contents = fresh
            cast("Any", left).inspector_wrapper = fresh
            _left_behind.discard(left)
            return left
    return None


def _code_of(function: Any) -> CodeType | None:
    return getattr(getattr(function, "func", function), "__code__", None)


def _left_behind_below(function: Any) -> Iterator[FunctionType]:
    passed: set[int] = set()
    while function is not None and id(function) not in passed:
        passed.add(id(function))
        # A proxy, such as wrapt's, says that it is of the class of the function in it, and equals that.
        if type(function) is FunctionType and function in _left_behind:
            yield function
        function = getattr(function, "__wrapped__", None)


def _held(owner: Any) -> Mapping[str, Any]:
    attributes: Any = owner.__dict__
    return attributes
