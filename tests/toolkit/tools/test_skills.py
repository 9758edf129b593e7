import asyncio
from pathlib import Path
from typing import Any

import pytest

from toolkit.errors import DefinitionInvalid
from toolkit.result import ToolResult
from toolkit.tools.skills import SkillReaderTool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "skills"
    (folder / "pdf" / "scripts").mkdir(parents=True)
    front = "---\nname: pdf-forms\ndescription: Fill in PDF forms.\nlicense: MIT\n---\n"
    (folder / "pdf" / "SKILL.md").write_text(f"{front}\n# Forms\n---\nsee scripts/fill.py\n")
    (folder / "pdf" / "scripts" / "fill.py").write_text("print()")
    (folder / "plain").mkdir()
    (folder / "plain" / "SKILL.md").write_text("Be kind.\n")
    (folder / "empty").mkdir()
    (folder / "notes.txt").write_text("no skill")
    return folder


def call(folder: Path, **arguments: Any) -> ToolResult:
    return asyncio.run(SkillReaderTool(folder)(arguments))


def test_the_model_sees_which_skills_there_are(folder: Path) -> None:
    assert SkillReaderTool(folder).description == (
        "Read how something is done, before doing it. Without a name: which skills there are.\n"
        "- pdf-forms: Fill in PDF forms.\n- plain"
    )
    result = call(folder)
    assert result.text == "- pdf-forms: Fill in PDF forms.\n- plain"
    assert result.structured == {
        "skills": [
            {"name": "pdf-forms", "description": "Fill in PDF forms."},
            {"name": "plain", "description": ""},
        ]
    }


def test_a_skill_is_read_without_its_front_matter(folder: Path) -> None:
    assert call(folder, name="pdf-forms").text == "# Forms\n---\nsee scripts/fill.py"
    assert call(folder, name="plain").text == "Be kind.\n"


def test_a_file_of_a_skill_is_read(folder: Path) -> None:
    assert call(folder, name="pdf-forms", file="scripts/fill.py").text == "print()"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "pfd"}, "there is no skill 'pfd'; there are: 'pdf-forms', 'plain'"),
        (
            {"name": "pdf-forms", "file": "../plain/SKILL.md"},
            "file: '../plain/SKILL.md' is outside of the skill's folder",
        ),
        ({"name": "pdf-forms", "file": "/etc/passwd"}, "file: '/etc/passwd' is outside of the skill's folder"),
        ({"name": "pdf-forms", "file": "link"}, "pdf/link: symbolic links are not followed"),
        ({"name": "plain", "file": "x"}, "plain/x: there is nothing of that name"),
    ],
)
def test_what_is_not_there_is_said(folder: Path, arguments: Any, said: str) -> None:
    (folder / "pdf" / "link").symlink_to(folder.parent / "secret.md")
    result = call(folder, **arguments)
    assert (result.is_error, result.text) == (True, said)


def test_a_skill_that_is_added_later_is_found(folder: Path) -> None:
    tool = SkillReaderTool(folder)
    (folder / "new").mkdir()
    (folder / "new" / "SKILL.md").write_text("New.")
    assert asyncio.run(tool({"name": "new"})).text == "New."


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\nname: x\n", "bad/SKILL.md:1: the front matter does not end; close it with a line '---'"),
        ("---\na: [\n---\n", "bad/SKILL.md:2: not valid YAML: "),
        ("---\n- a\n---\n", "bad/SKILL.md:2: expected 'key: value' lines, found a list"),
        ("---\nname: plain\n---\n", "two skills are called 'plain': those in bad and plain"),
    ],
)
def test_a_skill_that_cannot_be_read_is_named(folder: Path, text: str, said: str) -> None:
    (folder / "bad").mkdir()
    (folder / "bad" / "SKILL.md").write_text(text)
    with pytest.raises(DefinitionInvalid) as caught:
        SkillReaderTool(folder)
    assert said in str(caught.value)


def test_without_skills_it_says_so(tmp_path: Path) -> None:
    assert call(tmp_path).text == "There are no skills."
