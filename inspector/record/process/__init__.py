"""The recorded process: what it is, what started it, and how it ends."""
