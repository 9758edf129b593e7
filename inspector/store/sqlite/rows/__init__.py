"""Single spans, traces and runs, made from their rows and the texts that are stored once."""
