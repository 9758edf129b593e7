import json
import sys
from pathlib import Path
from runpy import run_path


def test_the_benchmark_measures_short_questions_and_a_conversation(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["replay.py", "--json", "--calls", "20"])
    code = run_path(str(Path(__file__).parents[2] / "benchmarks" / "replay.py"))["main"]()
    report = json.loads(capsys.readouterr().out)
    assert list(report["ms"]) == ["short questions", "20 messages, 6 kB"]
    assert code == (1 if report["missed"] else 0)
