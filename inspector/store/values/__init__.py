"""Everything about stored spans that needs no database, so that both engines store, count and answer the same.

Where to begin:

- Rows: `rows` turns spans into them and back. `contents` takes repeated texts out of them, `codec` compresses what is
  long, and `codes` shortens what is common.
- Duplicates: `identity` says what a call is known by, `same_call` decides which spans are one, and `folding` keeps the
  decisions of a trace up to date, with `answers` for model calls beside each other.
- Totals: `counting` defines what counts, `sums` adds up traces, runs and sessions, `call_stats` and `sketch` add up
  statistics, `lifetime_counts` what never shrinks.
- Conversations: `chains` hashes prompts and answers, `turns` links calls, `turn_pages` lists them with the tool calls
  that `recorded_tools` and `inferred_tools` find.
- Searching: `terms` and `words` read a query, `texts` what a span is found by, `places` and `passages` where.
- Answers: `cursor` has pages of lists; `summaries`, `served`, `outlines`, `previews`, `excerpts`, `bars` and `slices`
  what is in them.
"""
