def test_a_program_in_an_environment_of_frameworks_is_recorded(run):
    recorded = run("hello.py", within="current")
    assert recorded.ledger == {"calls": 1}
    assert recorded.tree() == ["execute_tool add"]
