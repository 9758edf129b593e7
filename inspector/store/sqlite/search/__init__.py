"""The full-text index, and the spans and phrases that it finds."""
