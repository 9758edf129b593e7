"""What a store does by itself or when asked: background work, removal of old spans, and its figures."""
