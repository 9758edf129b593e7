"""Sets of tools: what is offered to a model, and where its calls are carried out."""

from toolkit.node.node import ToolNode
from toolkit.node.registry import Registry

__all__ = ["Registry", "ToolNode"]
