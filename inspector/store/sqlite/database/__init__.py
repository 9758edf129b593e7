"""The database file: its connections, its schema, and what there is to do if it is full, damaged or read-only."""
