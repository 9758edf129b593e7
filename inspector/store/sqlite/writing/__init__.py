"""What is written with each batch of spans, in one transaction: rows, texts, totals and turns."""
