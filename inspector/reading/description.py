"""The name of a span and what is known about it, collected from the facts of a call."""

from typing import TypeAlias

import msgspec

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.facts import Facts, FactText, text_of

Scalar: TypeAlias = str | bool | int | float
Attribute: TypeAlias = Scalar | list[Scalar]
_CONTAINERS = (dict, list)


class Description(msgspec.Struct):
    """The name and attributes of a span."""

    name: str
    kind: int = sc.KIND_INTERNAL
    attributes: dict[str, Attribute] = {}
    bodies: dict[str, str] = {}
    """Texts of captured values, by attribute."""

    def put(self, *keys: str, value: Plain) -> None:
        """Set one fact under all its attribute names; None, a list or a map sets nothing."""
        if value is not None and not isinstance(value, _CONTAINERS):
            for key in keys:
                self.attributes[key] = value

    def put_text(self, *keys: str, text: FactText) -> None:
        """Set a value as JSON text under all its attribute names."""
        for key in keys:
            self.bodies[key] = text.json
            if text.is_shortened:
                self.attributes[key + sc.TRUNCATED_SUFFIX] = True

    def put_fact(self, key: str, fact: str, *, of: Facts) -> None:
        """Set a captured value as JSON text; nothing if there is none."""
        if fact in of:
            self.put_text(key, text=of.text(fact))

    def put_part(self, key: str, *, value: Plain, facts: Facts, of: str) -> None:
        """Set a value that was read from another one, as JSON text."""
        self.put_text(key, text=text_of(value, of=facts.text(of)))


def titled(what: str, subject: Plain) -> str:
    """Return the name of a span: the operation and its subject."""
    return f"{what} {shown(subject)}"


def shown(plain: Plain) -> str:
    """Return a scalar as text."""
    return plain if isinstance(plain, str) else str(plain)
