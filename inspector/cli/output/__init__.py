"""What commands write with, and how values look in it: the terminal, tables, figures, times, notices, JSON."""
