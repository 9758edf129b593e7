"""What changes a database, done by the process that may write it: this one, or the server that owns it."""
