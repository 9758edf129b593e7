"""Hands out skills: Markdown files that tell an agent how something is done."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from toolkit.call import ToolCall
from toolkit.content import TextContent
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, ToolkitError
from toolkit.result import ToolResult
from toolkit.schemas.documents import has_front_matter, read_markdown
from toolkit.tools.rooted import RootedFolder
from toolkit.tools.runtime import RuntimeTool

MAX_SKILL_BYTES = 500_000


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill."""

    name: str
    description: str
    folder: str
    """Where its files are, in the folder of skills."""
    text: str
    """Its instructions, without the front matter."""


class SkillReaderTool(RuntimeTool):
    """``skills.read``: lists skills, and hands out one of them or a file that lies beside it.

    A skill is ``<name>/SKILL.md``; its front matter may give ``name`` and ``description``, which the model sees before
    it reads any. The folder is looked at again at each call.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = RootedFolder(folder)
        super().__init__(_definition(self.skills()))

    def skills(self) -> dict[str, Skill]:
        """Return the skills that are there now, by name."""
        skills: dict[str, Skill] = {}
        folders = [entry.name for entry in self._folder.entries() if entry.type == "folder"]
        for folder in folders:
            if all(entry.name != "SKILL.md" or entry.type != "file" for entry in self._folder.entries(folder)):
                continue
            skill = _skill(folder, self._text(f"{folder}/SKILL.md"))
            if skill.name in skills:
                others = skills[skill.name].folder
                raise DefinitionInvalid(f"two skills are called {skill.name!r}: those in {others} and {folder}")
            skills[skill.name] = skill
        return skills

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:  # noqa: ARG002 - the signature of tools
        """Return the list, a skill, or a file of a skill."""
        return await asyncio.to_thread(self._read, **(call.arguments or {}))

    def _read(self, name: str | None = None, file: str | None = None) -> ToolResult:
        skills = self.skills()
        if name is None:
            entries = [{"name": skill.name, "description": skill.description} for skill in skills.values()]
            return ToolResult([TextContent(_listed(skills) or "There are no skills.")], structured={"skills": entries})
        if name not in skills:
            raise ToolkitError(f"there is no skill {name!r}; there are: {', '.join(map(repr, skills)) or 'none'}")
        skill = skills[name]
        path = f"{skill.folder}/{'SKILL.md' if file is None else file}"
        if file is not None and (file.startswith("/") or ".." in file.split("/")):
            raise ToolkitError(f"file: {file!r} is outside of the skill's folder")
        text = skill.text if file is None else self._text(path)
        return ToolResult([TextContent(text)], metadata={"skill": name, "path": path})

    def _text(self, path: str) -> str:
        data, size = self._folder.read(path, max_bytes=MAX_SKILL_BYTES)
        if size > MAX_SKILL_BYTES:
            raise ToolkitError(f"{path}: {size:,} bytes are more than {MAX_SKILL_BYTES:,}")
        return data.decode("utf-8-sig", errors="replace")


def _definition(skills: dict[str, Skill]) -> ToolDefinition:
    return ToolDefinition(
        name="skills.read",
        description=f"Read how something is done, before doing it. Without a name: which skills there are.\n"
        f"{_listed(skills)}".rstrip(),
        input_schema={
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "The skill."},
                "file": {"type": "string", "description": "A file that the skill mentions, relative to it."},
            },
            "additionalProperties": False,
        },
    )


def _listed(skills: dict[str, Skill]) -> str:
    return "\n".join(f"- {skill.name}: {skill.description}".removesuffix(": ") for skill in skills.values())


def _skill(folder: str, text: str) -> Skill:
    if not has_front_matter(text):
        return Skill(folder, "", folder, text)
    document = read_markdown(text, f"{folder}/SKILL.md")
    name, description = (document.values.get(key) or "" for key in ("name", "description"))
    return Skill(str(name) or folder, str(description).strip(), folder, document.body or "")
