"""Calls that ``operation_cancelled`` has ended, and whose own end hooks may still come.

Such a hook must not end another call, such as one above it with the same name.
"""

from contextlib import suppress
from typing import Final

from inspector.record.calls.current import chain
from inspector.record.calls.pairing import Calls
from inspector.record.calls.spans import RecordedSpan

_MOST: Final = 4096
"""At least this many cancelled calls are remembered until their own end hook comes."""


class Cancelled:
    """The cancelled calls whose own end hook has not come yet."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._by_call: dict[tuple[str, str], None] = {}
        self._by_call_before: dict[tuple[str, str], None] = {}
        self._by_name: dict[tuple[str, object], list[RecordedSpan]] = {}

    def add(self, span: RecordedSpan) -> None:
        """Remember a call that is about to be ended as cancelled."""
        if span.call_id is None:
            if len(self._by_name) >= _MOST:
                self._by_name.clear()
            alike = self._by_name.setdefault((span.noun, span.identity), [])
            alike.append(span)
            del alike[:-_MOST]
            return
        if len(self._by_call) >= _MOST:
            self._by_call_before, self._by_call = self._by_call, {}
        self._by_call[span.noun, span.call_id] = None

    def claims_id(self, noun: str, call_id: str) -> bool:
        """Tell, once, whether an end hook with this id is that of a cancelled call."""
        if not (self._by_call or self._by_call_before) or self._calls.with_id(noun, call_id) is not None:
            return False
        missing = object()
        return any(each.pop((noun, call_id), missing) is None for each in (self._by_call, self._by_call_before))

    @property
    def has_any_without_id(self) -> bool:
        """Whether any of these calls has no id, which is rare."""
        return bool(self._by_name)

    def claims_identity(self, noun: str, identity: object, open_span: RecordedSpan | None) -> bool:
        """Tell, once, whether an end hook without an id is that of a cancelled call.

        It is if the open call of that name is above the cancelled one, or if there is none: by contract, inner calls
        end first.
        """
        alike = self._by_name.get((noun, identity), [])
        for span in reversed(tuple(alike)):
            if open_span is None or any(open_span is above for above in chain(span.parent)):
                with suppress(ValueError):  # another thread removed it meanwhile
                    alike.remove(span)
                if not alike:
                    self._by_name.pop((noun, identity), None)
                return True
        return False
