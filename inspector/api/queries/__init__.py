"""The parameters of a request: which there are, how they are written, and what a client that errs is told."""
