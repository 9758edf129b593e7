"""What values have to look like: JSON Schemas from elsewhere, and what people write, read by pydantic."""
