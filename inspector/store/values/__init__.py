"""Everything about stored spans that needs no database: duplicates, sums, repeated texts, cursors."""
