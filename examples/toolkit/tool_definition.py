"""What a tool is, written down, and values held against its schemas.

Run it with `python examples/toolkit/tool_definition.py`.
"""

from toolkit.definition import ToolDefinition
from toolkit.errors import ArgumentsInvalid
from toolkit.formats import offer

SEARCH = ToolDefinition(
    name="search_documents",
    description="Search for documents in the knowledge base",
    input_schema={
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}},
        "required": ["query"],
    },
    output_schema={
        "type": "object",
        "properties": {"results": {"type": "array"}, "total": {"type": "integer"}},
    },
    mcp_route="/search",
    permissions=("read",),
    version="1.2",
)


def main() -> None:
    """Check some arguments, as a test of a definition does."""
    SEARCH.check_arguments({"query": "climate change", "limit": 5})
    for wrong in ({"query": 42}, {"limit": "not an int"}):
        try:
            SEARCH.check_arguments(wrong)
        except ArgumentsInvalid as error:
            print(error)
    print(offer(SEARCH, "mcp")["name"], SEARCH.mcp_route, SEARCH.permissions, SEARCH.version)


if __name__ == "__main__":
    main()
