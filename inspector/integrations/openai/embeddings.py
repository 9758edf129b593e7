"""What is recorded of embeddings: not the vectors, thousands of numbers a text, but how many there were."""

from collections.abc import Sized
from typing import Any

from inspector.integrations.plain import is_fields, is_items

_FIELDS = ("object", "model", "usage", "data", "_request_id")


def without_vectors(response: Any) -> dict[str, Any]:
    """Return the answer, an object of an SDK or plain data, with the size of each vector in its place."""
    fields = response if is_fields(response) else {key: getattr(response, key, None) for key in _FIELDS}
    data = fields.get("data")
    return {**fields, "data": [_without_numbers(vector) for vector in (data if is_items(data) else ())]}


def _without_numbers(vector: Any) -> dict[str, Any]:
    fields = vector if is_fields(vector) else {key: getattr(vector, key, None) for key in ("index", "embedding")}
    numbers = fields.get("embedding")
    # Base64 where the program asked for the bytes.
    size = len(numbers) if isinstance(numbers, Sized) and not isinstance(numbers, str) else None
    return {"index": fields.get("index"), "dimensions": size}
