def drawn(done):
    return [line.rstrip() for line in done.stdout.decode().splitlines()]


def read(span, **attributes):
    return span(name="resources/read", attributes={"mcp.method.name": "resources/read", **attributes})


def test_a_read_of_a_resource_is_drawn_with_its_uri(inspector, write_spans, span):
    write_spans(
        read(span, **{"mcp.resource.uri": "note://one"}),
        read(span, **{"mcp.resource.uri": "note://" + "x" * 500}),
        read(span),
        read(span, **{"mcp.resource.uri": 7}),
    )
    one, long, unknown, odd = drawn(inspector("show"))[1:5]
    assert one.endswith("  note://one")
    assert long.endswith("x…")
    assert "note:" not in unknown + odd
