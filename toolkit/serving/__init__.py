"""Offers tools to others: by the Model Context Protocol, and by HTTP under the routes that they were given."""

from toolkit.serving.server import ToolServer

__all__ = ["ToolServer"]
