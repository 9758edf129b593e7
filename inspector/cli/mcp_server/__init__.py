"""Answers coding agents over MCP: what a recorded program did, in as many tokens as they ask for."""
