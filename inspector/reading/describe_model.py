"""The span of a model call."""

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.reading.call_record import CallRecord
from inspector.reading.description import Description, titled
from inspector.reading.facts import Facts
from inspector.reading.llm_facts import RequestFacts, request_facts, response_facts
from inspector.reading.messages import input_messages, output_messages
from inspector.reading.places import place_attributes
from inspector.reading.usage import read_usage


def describe_model(record: CallRecord, facts: Facts, after: Facts | None) -> Description:
    """Return the name and attributes of a model call."""
    prompt = facts.get("prompt")
    request = request_facts(prompt) if record.read is None else record.read.request
    answered_model, answered_provider = (None if after is None else after.get(fact) for fact in ("model", "provider"))
    model = answered_model or facts.get("model") or request.model
    operation = facts.get("operation")
    operation = operation if isinstance(operation, str) else "chat"
    description = Description(titled(operation, model) if model else operation, kind=sc.KIND_CLIENT)
    description.attributes |= {sc.OPERATION_NAME: operation, sc.SPAN_TYPE: "llm.generate"}
    description.put(sc.REQUEST_MODEL, sc.SEED_LLM_MODEL, value=model)
    description.put(sc.PROVIDER_NAME, sc.SEED_LLM_PROVIDER, value=answered_provider or facts.get("provider"))
    description.attributes |= place_attributes(facts.get("url"))
    _put_request(description, request)
    if record.content:
        _put_prompt(description, facts, prompt, request)
    if after is not None:
        _put_answer(record, description, after)
    _put_ids(record, description, facts, after)
    description.put_fact(sc.MIDDLEWARE, "middleware", of=facts)
    return description


def _put_request(description: Description, request: RequestFacts) -> None:
    description.put(sc.REQUEST_TEMPERATURE, value=request.temperature)
    description.put(sc.REQUEST_TOP_P, value=request.top_p)
    description.put(sc.REQUEST_TOP_K, value=request.top_k)
    description.put(sc.REQUEST_MAX_TOKENS, value=request.max_tokens)
    description.put(sc.REQUEST_SEED, value=request.seed)
    description.put(sc.REQUEST_STREAM, value=request.stream)
    if request.stop:
        description.attributes[sc.REQUEST_STOP_SEQUENCES] = list(request.stop)


def _put_prompt(description: Description, facts: Facts, prompt: Plain, request: RequestFacts) -> None:
    description.put_text(sc.SEED_LLM_PROMPT, text=facts.text("prompt"))
    messages, system = input_messages(prompt)
    description.put_part(sc.INPUT_MESSAGES, value=[*messages], facts=facts, of="prompt")
    if system:
        description.put_part(sc.SYSTEM_INSTRUCTIONS, value=system, facts=facts, of="prompt")
    if request.tools:
        description.put_part(sc.TOOL_DEFINITIONS, value=request.tools, facts=facts, of="prompt")


def _put_answer(record: CallRecord, description: Description, after: Facts) -> None:
    answer = after.get("response")
    read = record.read
    response = response_facts(answer) if read is None or read.response is None else read.response
    description.put(sc.RESPONSE_ID, value=response.id)
    description.put(sc.RESPONSE_MODEL, value=response.model)
    if response.finish_reasons:
        description.attributes[sc.RESPONSE_FINISH_REASONS] = list(response.finish_reasons)
        description.attributes[sc.SEED_STOP_REASON] = response.finish_reasons[0]
    description.put(sc.RESPONSE_TIME_TO_FIRST_CHUNK, value=after.get("time_to_first_chunk"))
    usage = read_usage(after.get("usage")) or (read_usage(answer) if read is None else read.usage)
    if usage is not None:
        description.put(sc.USAGE_INPUT_TOKENS, value=usage.input_tokens)
        description.put(sc.USAGE_OUTPUT_TOKENS, value=usage.output_tokens)
        description.put(sc.USAGE_CACHE_READ, value=usage.cache_read_tokens)
        description.put(sc.USAGE_CACHE_WRITE, value=usage.cache_write_tokens)
        description.put(sc.USAGE_REASONING, value=usage.reasoning_tokens)
        description.put(sc.COST_USD, value=usage.cost_usd)
    if after.get("usage") is not None:
        description.bodies[sc.USAGE_JSON] = after.text("usage").json
    if record.content:
        description.put_text(sc.SEED_LLM_RESPONSE, text=after.text("response"))
        description.put_part(sc.OUTPUT_MESSAGES, value=[*output_messages(answer)], facts=after, of="response")


def _put_ids(record: CallRecord, description: Description, facts: Facts, after: Facts | None) -> None:
    match facts.get("lane"):
        case [int(thread), task]:
            description.put(sc.THREAD_ID, value=thread)
            description.put(sc.TASK, value=task)
        case _:
            pass
    request_id = (None if after is None else after.get("request_id")) or facts.get("request_id")
    if isinstance(request_id, str):
        # The SDKs of OpenAI and Anthropic give the value without the header's name.
        is_anthropic = "anthropic" in (record.emitter, facts.get("provider"))
        key = sc.RESPONSE_HEADER_REQUEST_ID if is_anthropic else sc.RESPONSE_HEADER_X_REQUEST_ID
        description.attributes[key] = [request_id]
