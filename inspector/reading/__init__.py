"""What a recorded call or a foreign span means: its kind, names, messages, tokens, price and error.

Nothing here knows where a span came from or goes to. It runs in the recorded program too, and imports no more than that
has.
"""
