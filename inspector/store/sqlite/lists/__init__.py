"""Lists of spans, traces, runs, sessions and turns, by filters and in any order."""
