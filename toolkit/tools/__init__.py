"""Tools that come with the toolkit: services described by OpenAPI, search, the shell, files and skills."""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.tools.azure_search import AzureAISearchTool as AzureAISearchTool
    from toolkit.tools.filesystem import filesystem_tools as filesystem_tools
    from toolkit.tools.openapi import OpenAPITool as OpenAPITool
    from toolkit.tools.openapi import openapi_tools as openapi_tools
    from toolkit.tools.shell import ShellTool as ShellTool
    from toolkit.tools.skills import SkillReaderTool as SkillReaderTool

__getattr__, __dir__ = lazily(
    __name__,
    {
        "toolkit.tools.azure_search": ("AzureAISearchTool",),
        "toolkit.tools.filesystem": ("filesystem_tools",),
        "toolkit.tools.openapi": ("OpenAPITool", "openapi_tools"),
        "toolkit.tools.shell": ("ShellTool",),
        "toolkit.tools.skills": ("SkillReaderTool",),
    },
)
