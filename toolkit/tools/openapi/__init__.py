"""Every operation of an OpenAPI document as a tool."""

from toolkit.tools.openapi.tool import OpenAPITool, openapi_tools

__all__ = ["OpenAPITool", "openapi_tools"]
