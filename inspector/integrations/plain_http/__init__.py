"""Model calls over plain HTTP, through any client, recognised by the shape of the request.

Each client has its own integration next to this package, which asks `requested` about every request before it is sent.
Requests of an SDK or a framework that is recorded already are left to that.
"""
