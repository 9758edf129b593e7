import pkgutil
import subprocess
import sys

import pytest

import toolkit


@pytest.mark.parametrize("name", toolkit.__all__)
def test_every_public_name_is_there(name):
    assert getattr(toolkit, name) is not None


def test_a_room_has_its_names_when_they_are_asked_for():
    from toolkit import middleware, models, people, tools

    assert middleware.Cache.__module__ == "toolkit.middleware.cache"
    assert (people.Approve, tools.ShellTool, models.Script) != ()
    with pytest.raises(AttributeError, match="module 'toolkit.tools' has no attribute 'ShellTol'"):
        tools.ShellTol  # noqa: B018


@pytest.mark.parametrize(
    "package", ["toolkit", "toolkit.middleware", "toolkit.models", "toolkit.people", "toolkit.tools"]
)
def test_names_that_come_late_are_listed_and_imported_by_a_star(package):
    names = {}
    exec(f"from {package} import *", names)  # noqa: S102 - an import by star is for the top of a module
    assert {"__builtins__", *dir(sys.modules[package])} == set(names)


def test_no_public_name_is_that_of_a_module():
    assert not {each.name for each in pkgutil.iter_modules(toolkit.__path__)} & set(toolkit.__all__)


def test_a_name_that_is_not_there_is_told():
    with pytest.raises(AttributeError, match="module 'toolkit' has no attribute 'Tol'"):
        toolkit.Tol  # noqa: B018


def test_importing_it_and_the_core_imports_no_other_package():
    program = """
import sys
import toolkit
from toolkit import Agent, FunctionTool, ScriptedModel, StructuredLLMHost, Tool, ToolNode, Workflow, tool
from toolkit.tools import openapi_tools
others = {each.partition(".")[0] for each in sys.modules} - set(sys.stdlib_module_names)
print(sorted(each for each in others if not each.startswith("_")))
"""
    # Without `site`: editable installations import their finders.
    path = {"PYTHONPATH": str(next(iter(toolkit.__path__)) + "/..")}
    done = subprocess.run([sys.executable, "-S", "-c", program], env=path, capture_output=True, text=True)
    assert done.stdout.strip() == "['instrument', 'toolkit']", done.stderr


def test_importing_the_root_alone_imports_none_of_its_parts():
    program = "import sys, toolkit; print(sorted(each for each in sys.modules if each.startswith('toolkit')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "['toolkit', 'toolkit.extras']"


def test_an_import_from_the_wrong_package_says_where_the_name_is():
    with pytest.raises(ImportError, match=r"it is in toolkit.middleware: from toolkit.middleware import Redact$"):
        exec("from toolkit import Redact", {})  # noqa: S102 - as a program has it
    with pytest.raises(ImportError, match=r"it is in toolkit: from toolkit import Agent$"):
        exec("from toolkit.tools import Agent", {})  # noqa: S102 - as above
    assert not hasattr(toolkit, "Redact")


def test_an_unknown_name_and_a_module_are_imported_as_python_does_it():
    with pytest.raises(ImportError, match=r"cannot import name 'Tol' from 'toolkit' \("):
        exec("from toolkit import Tol", {})  # noqa: S102 - as above
    exec("from toolkit import errors, formats", {})  # noqa: S102 - as above


def test_a_name_whose_extra_is_not_installed_says_which():
    path = {"PYTHONPATH": str(next(iter(toolkit.__path__)) + "/..")}
    program = [sys.executable, "-S", "-c", "from toolkit import FastAgent"]
    done = subprocess.run(program, env=path, capture_output=True, text=True)
    assert "toolkit.FastAgent needs pydantic: pip install 'mcp-agent-inspector[toolkit]'" in done.stderr
