"""One trace as text: its tree, conversations, repetitions, hidden connections, and one span in full."""
