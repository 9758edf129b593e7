import re
from pathlib import Path

import click
import pytest

from inspector.cli.commands.events import events
from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.model import Filter


def parsed(*arguments):
    @click.command()
    @narrowed_by_options("span")
    def command(**options):
        return filter_of(options)

    return command.main(list(arguments), standalone_mode=False)


def test_no_option_narrows_nothing():
    assert parsed() == Filter()


@pytest.mark.parametrize(
    ("arguments", "narrowed"),
    [
        (["--kind", "llm", "--kind", "tool"], {"kinds": ("llm", "tool")}),
        (["--status", "error", "--status", "lost"], {"statuses": ("error", "lost")}),
        (["--session-id", "trip"], {"session_id": "trip"}),
        (["--trace-id", "a" * 32], {"trace_id": "a" * 32}),
        (["--parent-id", "b" * 16], {"parent_id": "b" * 16}),
        (["--name", "x"], {"name": "x"}),
        (["--name-prefix", "x"], {"name_prefix": "x"}),
        (["--agent", "x"], {"agent": "x"}),
        (["--model", "x"], {"model": "x"}),
        (["--tool", "x"], {"tool": "x"}),
        (["--service", "x"], {"service": "x"}),
        (["--error-type", "x"], {"error_type": "x"}),
        (["--since", "1970-01-02T00:00:00Z"], {"since_ns": 86_400_000_000_000}),
        (["--until", "1795000000000000001"], {"until_ns": 1_795_000_000_000_000_001}),
        (["--min-duration-ms", "1.5"], {"min_duration_ms": 1.5}),
        (["--max-duration-ms", "0"], {"max_duration_ms": 0.0}),
        (["--min-cost-usd", "1e-3"], {"min_cost_usd": 0.001}),
        (["--max-cost-usd", "2"], {"max_cost_usd": 2.0}),
        (["--attr", "a=1", "--attr", "b=c=d"], {"attributes": (("a", "1"), ("b", "c=d"))}),
        (["--run-id", "job-17"], {"run_id": "job-17"}),
        (["--attr", "empty="], {"attributes": (("empty", ""),)}),
        (
            ["--arg", "invoice=INV-7", "--arg", "rows[0].id=7"],
            {"arguments": (("invoice", "INV-7"), ("rows[0].id", "7"))},
        ),
        (["--result", "status=a=b"], {"results": (("status", "a=b"),)}),
        (["--q", '"a phrase" begin*'], {"q": '"a phrase" begin*'}),
    ],
)
def test_each_option_narrows_one_field(arguments, narrowed):
    assert parsed(*arguments) == Filter(**narrowed)


def test_every_parameter_of_the_api_is_an_option_and_every_option_a_parameter():
    contract = (Path(__file__).parents[2] / "openapi.yaml").read_text(encoding="utf-8")
    listed = contract.partition("operationId: listEvents")[2].partition("responses:")[0]
    parameters = set(re.findall(r"#/components/parameters/(\w+)", listed))
    options = {option.name for option in events.params} - {"as_json", "home", "page"}
    assert options == parameters
