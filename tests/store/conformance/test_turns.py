from lists import walk
from msgspec.structs import replace
from saying import call, result, said

from inspector.model import Filter
from inspector.semconv import OUTPUT_MESSAGES

SECOND = 1_000_000_000


def turns_of(store, run="r"):
    return store.turns(run, limit=1000).items


def test_a_call_that_begins_with_the_prompt_and_answer_of_another_continues_it(store, ask):
    question = [said("system", "be brief"), said("user", "Weather in Oslo?")]
    wants = said("assistant", call("get_weather", city="Oslo"))
    second = [*question, wants, said("tool", result("rain"))]
    store.write([ask(question, wants)])
    store.write([ask(second, said("assistant", "It rains."))])
    first, then = turns_of(store)
    assert (first.link, first.previous, first.messages, first.new_from) == ("begins", None, 2, 0)
    assert (then.link, then.previous.span_id, then.new_from) == ("continues", first.span_id, 3)
    assert then.conversation == first.conversation
    (tool,) = first.tools
    assert (tool.name, tool.arguments, tool.result, tool.failed) == ("get_weather", '{"city":"Oslo"}', "rain", False)
    events = {event.span_id: event for event in store.events(Filter()).items}
    assert tool.start_time_unix_nano == events[first.span_id].end_time_unix_nano
    assert tool.end_time_unix_nano == events[then.span_id].start_time_unix_nano
    assert then.sizes["system"] == len("be brief")
    assert then.sizes["user"] == len("Weather in Oslo?")


def test_results_of_calls_without_ids_are_found_by_the_names_of_their_tools(store, ask):
    question = [said("user", "Weather in Oslo, Bergen?")]
    wants = said(
        "assistant",
        call("find", None, text="x"),
        call("weather", None, city="Oslo"),
        call("weather", None, city="Bergen"),
    )
    results = [result("found", "find"), result("rain", "weather"), result("snow", "weather")]
    store.write([ask(question, wants)])
    store.write([ask([*question, wants, said("user", *results)], said("assistant", "It rains, it snows."))])
    tools = turns_of(store)[0].tools
    assert [tool.result for tool in tools] == ["found", "rain", "snow"]
    where = Filter(tool="weather", arguments=(("city", "Bergen"),))
    assert [run.run_id for run in store.runs(where, limit=5).items] == ["r"]


def test_an_image_counts_the_same_however_large_its_file_is(store, ask):
    sent = {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "iVBORw0KGgo" * 10_000}
    linked = {"type": "uri", "mime_type": "image/png", "uri": "https://shop.example/a.png"}
    sound = {"type": "blob", "modality": "audio", "mime_type": "audio/wav", "content": "UklGRg"}
    store.write([ask([said("user", "Which are these?", sent, linked, sound)], said("assistant", "Cats."))])
    (turn,) = turns_of(store)
    assert turn.sizes == {"user": len("Which are these?"), "file": 2 * 4_000 + len('["UklGRg",null,null]')}


def test_the_same_messages_in_other_words_of_the_client_are_the_same(store, ask):
    wants = said("assistant", {"type": "reasoning", "content": "hm"}, "Let me see.", call("find", b=1, a=2))
    store.write([ask([said("user", "Where?")], wants)])
    apart = [
        said("user", "Where?"),
        said("assistant", "Let me see."),
        said("assistant", call("find", a=2, b=1)),
        said("tool", result("there")),
    ]
    store.write([ask(apart, said("assistant", "There."))])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]


def test_a_call_continues_one_that_many_answers_nobody_recorded_are_behind(store, ask):
    question, wants = [said("user", "Weather in Oslo?")], said("assistant", call("get_weather", city="Oslo"))
    more = [said(role, f"{role} {at}") for at in range(20) for role in ("assistant", "user")]
    history = [*question, wants, said("tool", result("rain")), *more]
    store.write([ask(question, wants)])
    store.write([ask(history, said("assistant", "It rains."))])
    store.write([ask([said("user", "Else?"), *more], said("assistant", "No."))])
    first, second, other = turns_of(store)
    assert (second.link, second.previous.span_id, second.new_from) == ("continues", first.span_id, 2)
    assert [(tool.name, tool.result) for tool in first.tools] == [("get_weather", "rain")]
    assert (other.link, other.messages) == ("begins", 41)


def test_a_request_that_names_the_response_before_brings_results_before_many_answers(store, ask):
    more = [said(role, f"{role} {at}") for at in range(20) for role in ("assistant", "user")]
    store.write([ask([said("user", "Weather?")], said("assistant", call("get_weather")), response="one")])
    store.write([ask([said("tool", result("rain")), *more], said("assistant", "It rains."), request="one")])
    first, second = turns_of(store)
    assert (second.link, second.new_from) == ("continues", 0)
    assert [tool.result for tool in first.tools] == ["rain"]


def test_a_call_that_answered_something_else_is_not_continued(store, ask):
    store.write([ask([said("user", "Hi")], said("assistant", "Hello."))])
    store.write([ask([said("user", "Hi"), said("assistant", "Good day."), said("user", "?")], said("assistant", "!"))])
    assert [turn.link for turn in turns_of(store)] == ["begins", "begins"]


def test_a_call_with_the_prompt_of_one_that_failed_tries_it_again(store, ask):
    start = [said("user", "Hi")]
    answer = said("assistant", "Hello.")
    going_on = [*start, answer, said("user", "And now?")]
    store.write([ask(start, answer), ask(going_on, status="error"), ask(going_on, said("assistant", "Bye."))])
    first, failed, again = turns_of(store)
    assert [turn.link for turn in (first, failed, again)] == ["begins", "continues", "retry"]
    assert again.previous.span_id == failed.span_id
    assert {turn.conversation for turn in (first, failed, again)} == {first.conversation}
    assert again.new_from == failed.new_from == 2


def test_a_request_that_names_the_response_before_continues_it_whatever_it_says(store, ask):
    store.write([ask([said("user", "Hi")], said("assistant", "Hello."), response="resp_1")])
    store.write([ask([said("user", "And now?")], said("assistant", "Bye."), request="resp_1")])
    first, then = turns_of(store)
    assert (then.link, then.previous.span_id, then.new_from) == ("continues", first.span_id, 0)


def test_equal_calls_that_nothing_tells_apart_are_unclear_and_not_guessed(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer), ask(start, answer)])
    store.write([ask([*start, answer, said("user", "Bye")], said("assistant", "Bye."))])
    *_, last = turns_of(store)
    assert (last.link, last.previous, last.candidates) == ("unclear", None, 2)


def test_threads_tell_equal_calls_apart(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer, lane=1), ask(start, answer, lane=2)])
    store.write([ask([*start, answer, said("user", "Bye")], said("assistant", "Bye."), lane=2)])
    one, two, last = turns_of(store)
    assert (last.link, last.previous.span_id) == ("continues", two.span_id)
    assert last.conversation != one.conversation


def test_a_call_that_had_not_ended_is_not_continued(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    first = ask(start, answer, start_ns=SECOND)
    store.write([first])
    early = ask([*start, answer, said("user", "?")], said("assistant", "!"), start_ns=first.end_ns - 1)
    store.write([early])
    assert [turn.link for turn in turns_of(store)] == ["begins", "begins"]


def test_a_call_is_a_turn_from_its_start_on(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.", call("find"))
    first = ask(start, answer)
    store.write([first])
    running = ask([*start, answer, said("tool", result("x"))], status="running")
    store.write([running])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]
    ended = replace(running, status="ok", end_ns=running.start_ns + 5)
    store.write([ended])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]


def test_a_result_with_its_flag_failed_whatever_its_text(store, ask):
    start, wants = [said("user", "Hi")], said("assistant", call("a", "1"), call("b", "2"))
    results = [said("user", result("x", "2"), result("y", "1", is_error=True))]
    store.write([ask(start, wants)])
    store.write([ask([*start, wants, *results], said("assistant", "Done."))])
    tools = turns_of(store)[0].tools
    assert [(tool.name, tool.result, tool.failed) for tool in tools] == [("a", "y", True), ("b", "x", False)]


def test_a_tool_that_is_recorded_itself_is_marked_so(store, ask, make_span):
    start, wants = [said("user", "Hi")], said("assistant", call("a", "1"), call("a", "2"), call("b", "3"))
    store.write([ask(start, wants)])
    store.write([make_span(kind="tool", tool="a", run="r", process="p", trace_id="e" * 32)])
    store.write([ask([*start, wants, said("tool", result("x", "1"))], said("assistant", "Done."))])
    assert [(tool.name, tool.recorded) for tool in turns_of(store)[0].tools] == [
        ("a", True),
        ("a", False),
        ("b", False),
    ]


def test_turns_are_those_of_one_run_and_come_page_by_page(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer, run="r1")])
    store.write([ask([*start, answer, said("user", "?")], said("assistant", "!"), run="r2")])
    assert [turn.link for turn in turns_of(store, "r2")] == ["begins"]
    store.write([ask([*start, answer, said("user", str(at))], said("assistant", "!"), run="r1") for at in range(4)])
    seen = walk(store.turns, "r1", limit=2)
    assert [turn.link for turn in seen] == ["begins"] + ["continues"] * 4
    assert store.turns("r1", trace_id=seen[2].trace_id).items == (seen[2],)


def test_what_is_deleted_or_a_duplicate_is_no_turn(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    outer = ask(start, answer, trace_id="d" * 32, end_ns=None)
    inner = ask(start, answer, trace_id="d" * 32, parent_id=outer.span_id, start_ns=outer.start_ns + 1)
    again = {"gen_ai.response.id": "one"}
    outer, inner = (
        replace(each, attributes={**each.attributes, **again}, end_ns=outer.start_ns + 9) for each in (outer, inner)
    )
    store.write([replace(outer, dialect="inspector/1"), replace(inner, dialect="openinference")])
    folded = [event for event in store.events(Filter()).items if event.folded_into is not None]
    assert len(turns_of(store)) == 2 - len(folded)
    store.delete("run", "r")
    assert turns_of(store) == ()


def test_what_a_call_asked_for_before_its_process_died_is_in_its_turn(store, ask):
    begun = ask([said("user", "Weather in Oslo?")], said("assistant", call("get_weather", city="Oslo")))
    store.write([replace(begun, status="running", end_ns=None, process="p", output_key=OUTPUT_MESSAGES)])
    assert [turn.tools for turn in turns_of(store)] == [()]
    assert store.mark_lost(["p"]) == 1
    assert [[tool.name for tool in turn.tools] for turn in turns_of(store)] == [["get_weather"]]


def test_what_follows_a_call_that_was_lost_continues_the_call_before_it(store, ask):
    question = [said("user", "Weather in Oslo?")]
    wants = [said("assistant", call("get_weather", f"c{at}", city="Oslo")) for at in range(2)]
    second = [*question, wants[0], said("tool", result("rain", "c0"))]
    store.write([ask(question, wants[0])])
    store.write(
        [replace(ask(second, wants[1]), status="running", end_ns=None, process="q", output_key=OUTPUT_MESSAGES)]
    )
    assert store.mark_lost(["q"]) == 1
    store.write([ask([*second, wants[1], said("tool", result("snow", "c1"))], said("assistant", "It snows."))])
    first, _, last = turns_of(store)
    assert (last.link, last.previous.span_id, last.new_from) == ("continues", first.span_id, 2)
