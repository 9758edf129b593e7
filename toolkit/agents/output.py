"""Answers that are values of a type: the model gets the schema, and reads what of its answer does not fit."""

import json
import re
from typing import Any

from pydantic import ValidationError

from toolkit.errors import Problem, ResultInvalid
from toolkit.functions.hints import adapter_of_hint, schema_of
from toolkit.plain import read_json
from toolkit.schemas.validation import problems_found

_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)```", re.DOTALL)


class Output:
    """Reads a model's answer as a value of a type with a form in JSON, such as a pydantic model."""

    def __init__(self, kind: Any) -> None:
        self._adapter = adapter_of_hint(kind)
        self.schema = schema_of(self._adapter)
        """The JSON Schema of the answer."""

    @property
    def instruction(self) -> str:
        """The part of the instruction that asks for it."""
        schema = json.dumps(self.schema, ensure_ascii=False)
        return f"When you are done, answer with JSON alone, which fits this JSON Schema:\n{schema}"

    def read(self, text: str) -> Any:
        """Return the value in an answer, which models often put into a code block."""
        fenced = _FENCED.search(text)
        written = (fenced[1] if fenced is not None else text).strip()
        try:
            value = read_json(written)
        except (ValueError, RecursionError) as error:
            raise ResultInvalid("the answer is not JSON alone", (Problem("", str(error)),)) from error
        try:
            return self._adapter.validate_json(written, strict=True)
        except ValidationError as error:
            problems = problems_found(error, self.schema, value)
            raise ResultInvalid("the answer does not fit its schema", problems) from error
