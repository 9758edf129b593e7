"""Statistics of calls, traces and runs: from the rows, or from sums kept by the hour."""
