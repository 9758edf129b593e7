"""What statements consist of: pages of sorted lists, many rows at once, conditions, and functions of our own."""
