"""What the program itself records, without a hook: runs, labels, logs and dumps of state."""
