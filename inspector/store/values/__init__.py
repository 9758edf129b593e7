"""What is known of spans without a database: which of them are one call, their sums, texts that repeat, cursors."""
