"""Models that a program calls by plain HTTP, through any client: known by the shape of the request.

Each client has an integration of its own, beside this package, which asks `requested` about every request before it is
sent. What goes through an SDK, or a framework, that is recorded already is left to that.
"""
