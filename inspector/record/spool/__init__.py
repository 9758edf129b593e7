"""The queue of recorded calls, and the thread that writes them to files."""
