"""Runs written as calls: what is called, what it was given and answered, and the calls below it."""

import json
from itertools import count

from inspector.model import Event, JsonText

MODEL = "gen_ai.request.model"


def text(value):
    return JsonText(json.dumps(value).encode())


def call(kind, subject, asked, answered, *below, **more):
    return {"kind": kind, "subject": subject, "asked": asked, "answered": answered, "below": below, **more}


def llm(messages, answered, *, system=None, tools=(), model="gpt-4o", **parameters):
    attributes = {MODEL: model, "gen_ai.operation.name": "chat", "gen_ai.response.model": model}
    attributes |= {f"gen_ai.request.{name}": value for name, value in parameters.items()}
    if system is not None:
        attributes["gen_ai.system_instructions"] = json.dumps([{"type": "text", "content": system}])
    if tools:
        attributes["gen_ai.tool.definitions"] = json.dumps(tools)
    asked = [said(role, content) for role, content in messages]
    return call("llm", None, asked, [said("assistant", answered)], attributes=attributes)


def said(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def tool(name, arguments, result, **more):
    return call("tool", name, arguments, result, **more)


def agent(name, asked, answered, *below):
    return call("agent", name, asked, answered, *below)


def run(*calls, at_once=False, start_ns=1_000_000_000):
    """The events of a run in which one call follows the other, or begins while it goes on."""
    numbers, events = count(1), []
    clock = count(start_ns, 1000)

    def add(each, parent):
        number = next(numbers)
        begun = next(clock)
        place = len(events)
        events.append(None)
        for inner in each["below"]:
            add(inner, f"{number:016x}")
        ended = next(clock) + (10**9 if at_once and parent else 0)
        kind, subject = each["kind"], each["subject"]
        events[place] = Event(
            *(number, "a" * 32, f"{number:016x}", parent, None, kind, f"{kind} {subject}"),
            *("error" if "error" in each else "ok", None, None, "program"),
            *(subject if kind == "agent" else None, None, subject if kind == "tool" else None),
            *(str(begun), str(ended), (ended - begun) / 1e6, None, None, None, None, each.get("error")),
            folded_into=each.get("folded"),
            input=text(each["asked"]),
            output=text(each["answered"]),
            attributes=text(each.get("attributes", {})),
        )

    for each in calls:
        add(each, None)
    return events
