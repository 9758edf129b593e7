"""The outcome of a call: whether it ends the run, what is logged, and what models and remote callers read."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import TypeVar, cast

from toolkit.errors import (
    DefinitionInvalid,
    DependencyMissing,
    EndRun,
    ExtraMissing,
    ResultInvalid,
    ToolkitError,
    ToolTimedOut,
)
from toolkit.result import ToolResult
from toolkit.schemas.validation import Validator

T = TypeVar("T")

_logger = logging.getLogger("mcp.toolkit")

_OF_THE_PROGRAM = (DependencyMissing, ExtraMissing)
"""Errors that only the program can fix, so that models learn only that it failed."""


def ending(error: BaseException) -> EndRun | None:
    """Return the exception that ends the run: itself, or one in a group, as of a ``TaskGroup``."""
    if isinstance(error, EndRun):
        return error
    parts = cast("BaseExceptionGroup[BaseException]", error).exceptions if isinstance(error, BaseExceptionGroup) else ()
    return next((end for each in parts if (end := ending(each)) is not None), None)


def raise_ending(error: BaseException) -> None:
    """Raise the exception that ends the run, if ``error`` is one or contains one."""
    if (end := ending(error)) is not None:
        raise end


def message_of(error: BaseException) -> str:
    """Return the text of an exception for a model; those of other packages include their type."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(map(message_of, cast("BaseExceptionGroup[BaseException]", error).exceptions))
    try:
        words = str(error)
    except Exception:  # noqa: BLE001 - an exception's own words may raise anything
        words = ""
    if isinstance(error, ToolkitError):
        return words
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


def check_result(name: str, result: ToolResult, check: Validator) -> None:
    """Check a result against its tool's output schema."""
    if result.is_error:
        return
    problems = check(result.structured)
    if problems and result.structured is None and result.content:
        # What came is text, or content, which can say more than that there is no value.
        problems = check(result.text) or problems
    if problems:
        raise ResultInvalid(f"{name} returned what its output schema does not allow", problems)


def failure(name: str, error: Exception) -> ToolResult:
    """Return the result of a tool that raised ``error``; without details if only the program can fix it."""
    if isinstance(error, _OF_THE_PROGRAM):
        return ToolResult.error(f"{name} cannot be used: the program lacks something for it", exception=error)
    return ToolResult.error(message_of(error), exception=error)


def log_raised(name: str, error: Exception, *, place: str) -> None:
    """Log what a tool raised, or what stands around its ``run`` at ``place``, with its traceback.

    What only the program can mend, and what is raised around ``run``, is an error. Other exceptions of a tool are
    expected, since models read them, and the toolkit's own were written for that.
    """
    if isinstance(error, _OF_THE_PROGRAM):
        _logger.error("%s cannot be used: %s", name, error)
    elif place and (isinstance(error, DefinitionInvalid) or not isinstance(error, ToolkitError)):
        _logger.error("%s of %s raised %s", place, name, type(error).__name__, exc_info=error)
    elif not isinstance(error, ToolkitError):
        _logger.info("%s raised %s", name, type(error).__name__, exc_info=error)


def log_escaped(name: str, error: Exception, *, ends: bool) -> None:
    """Log an exception that reaches the caller of a tool, with its traceback; an ``EndRun`` is meant to."""
    level = logging.INFO if isinstance(error, EndRun) else logging.ERROR
    what, trace = "it ends the run" if ends else "it is the call's result", error.__traceback__
    # How the toolkit got there is of no use to whoever wrote what raised.
    while trace and trace.tb_next and _is_ours(trace):
        trace = trace.tb_next
    by = trace.tb_frame.f_code.co_qualname if trace and not _is_ours(trace) else "something around it"
    exc_info = type(error), error, trace
    _logger.log(level, "%s: %s raised %s; %s", name, by, type(error).__name__, what, exc_info=exc_info)


def _is_ours(trace: TracebackType) -> bool:
    return str(trace.tb_frame.f_globals.get("__name__")).startswith("toolkit.")


def failed_remotely(name: str, error: Exception) -> ToolResult:
    """Return what a caller in another process learns of a failure that is not meant for it."""
    return ToolResult.error(f"{name} failed; the log of its server says why", exception=error)


def for_remote(name: str, result: ToolResult) -> ToolResult:
    """Return a result for a caller in another process; exceptions of other packages appear only in the log."""
    error = result.exception
    if isinstance(error, Exception) and not isinstance(error, ToolkitError) and result.text == message_of(error):
        _logger.error("%s failed", name, exc_info=error)
        return failed_remotely(name, error)
    return result


@asynccontextmanager
async def time_limit(seconds: float | None, late: str) -> AsyncGenerator[None]:
    """Cancel what is done inside when its time is over; a ``TimeoutError`` of its own passes.

    ``late`` begins the sentence that the ``ToolTimedOut`` says, before the number of seconds.
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise ToolTimedOut(f"{late} {seconds:g} s") from error


def is_debugging() -> bool:
    """Tell whether the logger ``mcp.toolkit`` is set to DEBUG, which logs every call."""
    return _logger.isEnabledFor(logging.DEBUG)


async def logged(target: str, caller: str, work: Awaitable[T]) -> T:
    """Wait for a call, and log its target, its caller, how it ended and how long it took; never its content."""
    started_s = time.monotonic()
    outcome = "was cancelled"
    try:
        result = await work
        outcome = _outcome(result)
        return result  # noqa: TRY300 - what follows is for every outcome
    except Exception as error:
        outcome = f"raised {type(error).__name__}"
        raise
    finally:
        duration_ms = (time.monotonic() - started_s) * 1000
        _logger.debug("%s called by %s %s in %.1f ms", target, caller or "nobody", outcome, duration_ms)


def _outcome(result: object) -> str:
    if getattr(result, "is_error", False) is not True:
        return "answered"
    error: object = getattr(result, "exception", None)
    return "failed" if error is None else f"failed with {type(error).__name__}"
