"""What GitHub Copilot CLI writes of itself to ``COPILOT_OTEL_FILE_EXPORTER_PATH``: spans of the GenAI conventions.

A line has a span as OpenTelemetry's JavaScript SDK has it, or a metric, which is passed over
(https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference).
"""

import re
from collections.abc import Iterator
from typing import Final

from inspector import semconv as sc
from inspector.otlp import DecodedSpan, Scope
from inspector.plain import fields_of
from inspector.transcripts.failures import ERROR_MESSAGE, EXIT_CODE
from inspector.transcripts.lines import Json, objects_in, time_in

_SCOPE: Final = "github.copilot"
_NAME: Final = "copilot"
"""What the agent is called that the user talks to; it has no name there."""
_NOW: Final = re.compile(r"<current_datetime>[^<]*</current_datetime>\\n\\n")
"""What Copilot puts in front of each prompt, in JSON."""
_EXIT: Final = re.compile(r"completed with exit code (-?[1-9]\d*)>\s*$")
"""How the result of a command ends that failed; for Copilot it is a success."""
_DENIED: Final = "denied"
"""The type of the error of a tool call that was not allowed."""


def is_of_copilot(line: Json) -> bool:
    """Tell whether a line has a span or a metric of Copilot."""
    return fields_of(line.get("instrumentationScope")).get("name") == _SCOPE and line.get("type") in ("span", "metric")


class Copilot:
    """Reads one file, line by line."""

    def spans(self, line: Json) -> Iterator[DecodedSpan]:
        """Yield the span of a line; nothing for a metric."""
        if line.get("type") == "span" and (span := _span_of(line)) is not None:
            yield span

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield nothing: each line is complete."""
        yield from ()


def _span_of(line: Json) -> DecodedSpan | None:
    start_ns, end_ns = time_in(line.get("startTime")), time_in(line.get("endTime"))
    ids = str(line.get("traceId")), str(line.get("spanId"))
    if start_ns is None or end_ns is None or not (_is_id(ids[0], 32) and _is_id(ids[1], 16)):
        return None
    attributes, name = dict(fields_of(line.get("attributes"))), str(line.get("name"))
    status, parent_id = fields_of(line.get("status")), line.get("parentSpanId")
    code, message = status.get("code"), status.get("message")
    if attributes.get(sc.OPERATION_NAME) == "invoke_agent":
        name = _named(attributes)
    elif attributes.get(sc.ERROR_TYPE) == _DENIED:
        attributes |= {sc.STATUS: "denied", ERROR_MESSAGE: str(message)}
        code = message = None
    elif code != sc.CODE_ERROR and (exit_code := _EXIT.search(str(attributes.get(sc.TOOL_CALL_RESULT, "")))):
        code, message = sc.CODE_ERROR, f"{EXIT_CODE} {exit_code[1]}"
    if sc.TOOL_NAME in attributes:
        # The program that a command starts is in the name too.
        name = f"execute_tool {attributes[sc.TOOL_NAME]}"
    scope, kind = fields_of(line.get("instrumentationScope")), line.get("kind")
    return DecodedSpan(
        *ids,
        parent_id if isinstance(parent_id, str) and _is_id(parent_id, 16) else None,
        name,
        # OTLP's kinds begin with one that the SDK does not have.
        kind + 1 if type(kind) is int else 0,
        start_ns,
        end_ns,
        code if code in (sc.CODE_OK, sc.CODE_ERROR) else 0,
        message if isinstance(message, str) else None,
        attributes,
        [_event(event) for event in objects_in(line.get("events")) if event.get("name") in sc.EXCEPTION_EVENTS],
        (),
        fields_of(fields_of(line.get("resource")).get("attributes")),
        Scope(_SCOPE, str(scope.get("version") or "")),
    )


def _named(attributes: Json) -> str:
    """Name an agent, and leave out of its prompt what the user did not write."""
    agent = attributes.setdefault(sc.AGENT_NAME, _NAME)
    asked = attributes.get(sc.INPUT_MESSAGES)
    if isinstance(asked, str):
        attributes[sc.INPUT_MESSAGES] = _NOW.sub("", asked)
    return f"invoke_agent {agent}"


def _event(event: Json) -> Json:
    return {
        "name": event["name"],
        "time_unix_nano": str(time_in(event.get("time")) or 0),
        "attributes": fields_of(event.get("attributes")),
    }


def _is_id(text: str, digits: int) -> bool:
    return re.fullmatch(f"[0-9a-f]{{{digits}}}", text) is not None and text.strip("0") != ""
