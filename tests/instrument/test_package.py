import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import instrument

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "instrumentation-hooks.md"


def python(*arguments):
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_public_names_are_these():
    assert instrument.__all__ == [
        "CONTRACT_VERSION",
        "HOOKS",
        "Call",
        "Hook",
        "_Callback",
        "_Ending",
        "_emit",
        "_emit_sync",
        "_hooks",
        "_is_emit",
        "_observe",
        "around",
        "control",
        "enabled",
        "register",
        "unregister",
    ]
    assert all(hasattr(instrument, name) for name in instrument.__all__)


def test_importing_it_without_site_packages_imports_nothing_but_small_modules():
    code = (
        "import logging, sys; before = set(sys.modules); import instrument; print(*sorted(set(sys.modules) - before))"
    )
    imported = python("-S", "-c", code).split()
    # Python 3.14 has it built in.
    assert [name for name in imported if name != "_contextvars"] == [
        "contextvars",
        "instrument",
        "instrument._around",
        "instrument._bus",
        "instrument._cancelling",
        "instrument._failures",
        "instrument.catalogue",
        "instrument.control",
        "instrument.signals",
    ]


def test_emitting_to_plain_functions_never_imports_asyncio():
    code = """
import sys, instrument
instrument.register("before_tool_call", lambda **_: None)
with instrument.around("tool_call"):
    instrument._emit_sync("before_tool_call")
print("asyncio" in sys.modules)
"""
    assert python("-S", "-c", code) == "False\n"


def test_the_fast_path_is_not_slowed_by_a_module_getattr():
    # With one, the interpreter does not cache `instrument.enabled`, and each guard costs twice as much.
    assert "__getattr__" not in vars(instrument)


def test_the_documented_version_is_the_version():
    text = DOCUMENT.read_text()
    assert f"Contract version: {instrument.CONTRACT_VERSION}." in text
    assert text.count(f"| {instrument.CONTRACT_VERSION} |") == 1 + sum(
        hook.since == instrument.CONTRACT_VERSION for hook in instrument.HOOKS.values()
    )


def test_the_documented_examples_run():
    examples = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    assert len(examples) >= 5
    try:
        for example in examples:
            exec(compile(example, str(DOCUMENT), "exec"), {"__name__": "example"})
    finally:
        instrument._hooks.clear()


def test_the_benchmark_compares_all_four_cases(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    specification = importlib.util.spec_from_file_location("bus_benchmark", ROOT / "benchmarks" / "bus.py")
    benchmark = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(benchmark)
    monkeypatch.setattr(sys, "argv", ["bus.py", "--json", "--rounds", "3"])
    try:
        code = benchmark.main()
    finally:
        instrument._hooks.clear()
    report = json.loads(capsys.readouterr().out)
    assert [result["case"] for result in report["results"]] == ["guarded", "idle", "one subscriber", "four subscribers"]
    assert code == (1 if report["missed"] else 0)
