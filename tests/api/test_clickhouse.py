"""A server whose database is a ClickHouse: it takes spans in, answers from it, and has them after a restart."""

import httpx
import pytest
from patience import let_one_write
from pydantic import SecretStr
from served import SECRET, serving_home
from starlette.testclient import TestClient

from inspector.api import create_app
from inspector.ingest import Owner

SPAN = {
    "traceId": "a" * 32,
    "spanId": "b" * 16,
    "name": "chat m1",
    "startTimeUnixNano": "1790000000000000000",
    "endTimeUnixNano": "1790000001000000000",
    "attributes": [
        {"key": key, "value": {"stringValue": value}}
        for key, value in {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m1",
            "gen_ai.conversation.id": "talk",
            "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Where is Lisbon?"}]}]',
            "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"In Portugal."}]}]',
        }.items()
    ],
}
BASE = "http://127.0.0.1:7800"
BODY = {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}


def answers_of(client):
    """Ask for what the span is part of."""
    (event,) = client.get("/events", params={"q": "portugal", "full": "true"}).json()["items"]
    assert (event["kind"], event["model"], event["session_id"]) == ("llm", "m1", "talk")
    for noun in ("traces", "sessions", "runs"):
        (whole,) = client.get(f"/{noun}").json()["items"]
        assert (whole["spans"], whole["llm_calls"]) == (1, 1)
    assert client.get("/stats", params={"by": "model"}).json()["groups"][0]["key"] == "m1"
    assert client.get("/readyz").status_code == 200
    (turn,) = client.get(f"/runs/{whole['run_id']}/turns").json()["items"]
    assert (turn["link"], turn["messages"]) == ("begins", 1)


def test_the_api_writes_to_clickhouse_and_answers_from_it(settings, monkeypatch):
    let_one_write(monkeypatch)
    settings = settings.model_copy(update={"database_url": SecretStr("chdb://memory/api")})
    headers = {"Authorization": f"Bearer {settings.token.get_secret_value()}"}
    with Owner(settings) as owner:
        client = TestClient(create_app(owner.store, settings=settings, owner=owner), BASE, headers=headers)
        assert client.post("/v1/traces", json=BODY).status_code == 200
        answers_of(client)


@pytest.mark.slow
def test_a_server_takes_in_and_answers_from_clickhouse(fork_python, tmp_path):
    url = f"chdb://{tmp_path / 'engine'}?database=team"
    for run in range(2):
        with serving_home(fork_python, tmp_path / "home", stop_s=60, INSPECTOR_DATABASE_URL=url) as server:
            headers = {"Authorization": f"Bearer {SECRET}"}
            with httpx.Client(base_url=server.url, headers=headers, timeout=60) as client:
                if run == 0:
                    assert client.post("/v1/traces", json=BODY).status_code == 200
                answers_of(client)
    assert not (tmp_path / "home" / "inspector.db").exists()
