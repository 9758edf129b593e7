"""JSON Schemas: made from Python's type hints, and held against values."""
