"""Models: from a script, and behind any endpoint that speaks OpenAI's chat completions."""
