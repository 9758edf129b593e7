"""Private copies of values and exceptions, taken without running any of the program's code."""
