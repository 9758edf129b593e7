"""What ``inspector run`` does around the program: how it was started, who is followed, what is printed at the end."""
