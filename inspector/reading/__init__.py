"""What a recorded call or a foreign span means: its kind, names, messages, tokens, price and error.

Nothing here knows where a span came from or goes to. It also runs in the recorded program, so it imports only what the
extra ``record`` installs.
"""
