"""A program to look at: two agents plan a weekend with the help of an MCP server, on a scripted model."""
