from inspector.integrations.mcp.servers import ours


def test_a_server_gets_what_says_where_to_record_and_no_secret():
    environment = {
        "HOME": "/home/me",
        "INSPECTOR_HOME": "/data",
        "INSPECTOR_RUN": "1:::/tmp/run",
        "INSPECTOR_TOKEN": "secret",
        "INSPECTOR_ENDPOINT_HEADERS": "Authorization=secret",
        "PYTHONPATH": "/mine:/x/inspector/launch/startup:/other",
    }
    assert ours(environment) == {
        "INSPECTOR_HOME": "/data",
        "INSPECTOR_RUN": "1:::/tmp/run",
        "PYTHONPATH": "/x/inspector/launch/startup",
    }


def test_a_server_of_a_program_that_attached_itself_gets_no_path():
    assert ours({"PYTHONPATH": "/mine", "INSPECTOR_HOME": "/data"}) == {"INSPECTOR_HOME": "/data"}
