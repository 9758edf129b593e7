"""The question and the answer of a run: what its first input asks, and the beginning of its last output."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import Raw

from inspector import semconv
from inspector.model import Span
from inspector.plain import fields_of
from inspector.roles import ROLES, role_named
from inspector.store.values.lines import has_few_values, one_line
from inspector.store.values.rows import Key, clamp
from inspector.store.values.sums import TraceSums

LONGEST = 240
"""Characters that are kept."""
_ASKED = frozenset(("llm", "agent", "workflow"))
_EMBEDDINGS = "embeddings"
_MOST_CHARS = 2_000_000
"""A longer text is not parsed, unless it is few values."""
_MOST_CHARS_OF_FEW = 32_000_000
"""The same where it is few values: a screenshot has millions."""
_MOST_MESSAGES = 10_000
HOLD_MESSAGES = ("messages", "input", "contents", "prompt", "query", "question", "task")
"""Members of an input that hold its messages, or what is asked."""
_HOLD_TEXT = ("content", "parts", "text", "message", "output", "result", "answer", "response")
_NOT_SAID = frozenset(("blob", "reasoning", "tool_call_response", "tool_result"))
"""Types of parts whose content is not what somebody said: a file's data, a model's thoughts, a tool's answer."""
_REMINDER = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
"""What Claude Code adds to what the user says."""
_ARRAY = msgspec.json.Decoder(list[Raw])
_ANY = msgspec.json.Decoder()
_DEEPEST = 6

Dated: TypeAlias = tuple[str, int]
"""A text, and when its span began or ended."""


class Excerpts(NamedTuple):
    """The question and the answer that a batch has for a trace."""

    question: Dated | None
    answer: Dated | None


def excerpts_of(batch: Iterable[tuple[Span, TraceSums]], *, again: bool) -> Mapping[int, Excerpts]:
    """Return the questions and answers that replace those of their traces, by the row id of the trace.

    An earlier question replaces a later one, and a later or equally late answer an earlier one. With ``again``, when
    spans are interpreted again, an equally early question replaces the old one too.
    """
    questions: dict[int, list[Span]] = {}
    answers: dict[int, list[Span]] = {}
    for span, trace in batch:
        if span.kind not in _ASKED:
            continue
        start_ns, end_ns = clamp(span.start_ns), None if span.end_ns is None else clamp(span.end_ns)
        if span.input_key is not None and (trace.question is None or start_ns < trace.question_ns + again):
            questions.setdefault(trace.id, []).append(span)
        if span.output_key is not None and end_ns is not None and end_ns >= trace.answer_ns:
            answers.setdefault(trace.id, []).append(span)
    excerpts: dict[int, Excerpts] = {}
    for row_id in questions | answers:
        question, answer = _first(questions.get(row_id, ())), _last(answers.get(row_id, ()))
        excerpts[row_id] = Excerpts(
            None if question is None else (question[1], clamp(question[0].start_ns)),
            None if answer is None else (answer[1], clamp(answer[0].end_ns or 0)),
        )
    return excerpts


def excerpts_by_span(batch: Iterable[Span]) -> Mapping[Key, tuple[str | None, str | None]]:
    """Return the first question and the last answer of each trace, under the spans that have them."""
    questions: dict[str, list[Span]] = {}
    answers: dict[str, list[Span]] = {}
    for span in batch:
        if span.kind in _ASKED:
            if span.input_key is not None:
                questions.setdefault(span.trace_id, []).append(span)
            if span.output_key is not None and span.end_ns is not None:
                answers.setdefault(span.trace_id, []).append(span)
    excerpts: dict[Key, tuple[str | None, str | None]] = {}
    for first in filter(None, map(_first, questions.values())):
        excerpts[first[0].trace_id, first[0].span_id] = first[1], None
    for last in filter(None, map(_last, answers.values())):
        key = last[0].trace_id, last[0].span_id
        excerpts[key] = excerpts.get(key, (None, None))[0], last[1]
    return excerpts


def _first(spans: Sequence[Span]) -> tuple[Span, str] | None:
    for span in sorted(spans, key=lambda span: (span.start_ns, span.parent_id is not None, span.span_id)):
        # What is embedded first is often a document.
        if span.attributes.get(semconv.OPERATION_NAME) == _EMBEDDINGS:
            continue
        text = question_in(span.attributes.get(span.input_key or ""))
        if text:
            return span, text
    return None


def _last(spans: Sequence[Span]) -> tuple[Span, str] | None:
    for span in sorted(spans, key=lambda span: (-(span.end_ns or 0), span.parent_id is not None, span.span_id)):
        # A vector, or its size, is not an answer.
        if span.attributes.get(semconv.OPERATION_NAME) == _EMBEDDINGS:
            continue
        text = answer_in(span.attributes.get(span.output_key or ""))
        if text:
            return span, text
    return None


def question_in(value: object) -> str | None:
    """Return the beginning of an input: of the user's last message, or of the whole text if it has no messages.

    Messages before the last one are examples, what an agent says about its surroundings, or what was asked before.
    """
    return _beginning_of(value, "user")


def answer_in(value: object) -> str | None:
    """Return the beginning of an output: of the assistant's last message, or of the whole text without messages."""
    return _beginning_of(value, "assistant")


def _beginning_of(value: object, by: str) -> str | None:
    if not isinstance(value, str) or _takes_long(value):
        return None
    begin = value[:64].lstrip()[:1]
    if begin not in ("{", "[", '"'):
        return None if value == "null" else _short(value)
    try:
        beginning = _of_array(_ARRAY.decode(value), by) if begin == "[" else _of_one(_ANY.decode(value), by)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _short(value)
    return _short(beginning)


def _takes_long(value: str) -> bool:
    if len(value) <= _MOST_CHARS:
        return False
    return len(value) > _MOST_CHARS_OF_FEW or not has_few_values(value.encode(errors="replace"))


def _of_array(messages: Sequence[Raw], by: str) -> str | None:
    # Without roles, they are the arguments of a call, and the first says what it is about.
    first = _ANY.decode(messages[0]) if messages else None
    if isinstance(first, list) and first and _who(cast("list[Any]", first)[0]) is not None:
        # A batch of prompts.
        return _of_array(_ARRAY.decode(messages[0]), by)
    forward = by == "user" and _who(first) is None
    for raw in islice(messages if forward else reversed(messages), _MOST_MESSAGES):
        message = _with_member_names(_ANY.decode(raw))
        who = _who(message)
        # A role may be any JSON value.
        if (who is None or (isinstance(who, str) and role_named(who) == by)) and (text := said_in(message)):
            return text
    return None


def _who(message: Any) -> object:
    members = fields_of(_with_member_names(message))
    return members.get("role", members.get("type"))


def _with_member_names(message: Any) -> Any:
    """Return a message with names for its members, if it has the short form of LangChain: role and text."""
    match message:
        case [str(role), str(text)] if role in ROLES:
            return {"role": role, "content": text}
        case _:
            return message


def _of_one(value: Any, by: str) -> str | None:
    members = fields_of(value)
    for key in HOLD_MESSAGES:
        member: Any = members.get(key)
        if isinstance(member, list) and member:
            messages = [Raw(msgspec.json.encode(each)) for each in cast("list[Any]", member)]
            return _of_array(messages, by)
        if isinstance(member, str) and member:
            return member
    return text_in(value) or (_as_pairs(members) if members else None)


def _as_pairs(members: Mapping[str, Any]) -> str:
    """Return arguments as a person reads them: ``city: Lisbon, nights: 2``."""
    pairs: list[str] = []
    left = 4 * LONGEST
    for name, value in members.items():
        pairs.append(f"{name}: {value if isinstance(value, str) else msgspec.json.encode(value).decode()}")
        left -= len(pairs[-1])
        if left < 0:
            break
    return ", ".join(pairs)


def said_in(message: Any) -> str | None:
    """Return the text of a message or of a part of one without what a coding agent adds to it; None if that is all."""
    text = text_in(message) or ""
    said = _REMINDER.sub(" ", text) if "<system-reminder>" in text else text
    return None if not said or said.isspace() else said


def text_in(message: Any) -> str | None:
    """Return the text of a message or of a part of one; None if it has none, such as a tool call."""
    return _text(message, _DEEPEST)


def _text(value: Any, depth: int) -> str | None:
    if isinstance(value, str):
        return value
    if depth == 0:
        return None
    if isinstance(value, list):
        texts = [text for each in cast("list[Any]", value) if (text := _text(each, depth - 1))]
        return " ".join(texts) if texts else None
    # Missing keys give None; looking for texts in it would cost eight times as much per level.
    if not isinstance(value, dict):
        return None
    members = fields_of(cast("object", value))
    kind = members.get("type")
    if isinstance(kind, str) and kind in _NOT_SAID:
        return None
    return next((text for key in _HOLD_TEXT if (text := _text(members.get(key), depth - 1))), None)


def _short(text: str | None) -> str | None:
    return one_line(text or "", LONGEST) or None
