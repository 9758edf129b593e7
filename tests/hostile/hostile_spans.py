"""OTLP requests that no exporter makes: right in shape and wrong in every value, or damaged, in both encodings."""

import base64
import copy
import gzip
import json
import random
import zlib
from typing import Any

from google.protobuf.json_format import ParseDict
from hostile_values import KEYS, damaged, json_text, number, text, value
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

START_NS = 1_795_000_000_000_000_000
SCOPES = [
    "mcp-agent-inspector",
    "openinference.instrumentation.openai",
    "opentelemetry.instrumentation.openai.v1",
    "ai",
]
SCOPES += ["langsmith", "logfire", "gcp.vertex.agent", "pydantic-ai", "x", ""]
KINDS = [
    "chat",
    "execute_tool",
    "invoke_agent",
    "invoke_workflow",
    "embeddings",
    "LLM",
    "TOOL",
    "CHAIN",
    "AGENT",
    "",
    7,
    None,
]
SDK = ["telemetry.sdk.name", "telemetry.sdk.version", "service.name", "inspector.process", "inspector.run.id"]
WRONG = [None, True, 0, -1, 2**64, 1.5, "x", "", [], {}, [[]], [{}], {"a": 1}, [None], "9" * 400]


def any_value(rng: random.Random, plain: Any) -> dict[str, Any]:
    match plain:
        case bool():
            return {"boolValue": plain}
        case int():
            return {"intValue": rng.choice((plain, str(plain)))}
        case float():
            return {"doubleValue": rng.choice((plain, str(plain)))}
        case str() if rng.random() < 0.05:
            return {"bytesValue": base64.b64encode(plain.encode("utf-8", "replace")).decode()}
        case str():
            return {"stringValue": plain}
        case list():
            return {"arrayValue": {"values": [any_value(rng, item) for item in plain]}}
        case dict():
            return {
                "kvlistValue": {"values": [{"key": key, "value": any_value(rng, item)} for key, item in plain.items()]}
            }
    return {}


def attributes(rng: random.Random, most: int) -> list[dict[str, Any]]:
    chosen = rng.sample(KEYS, min(len(KEYS), rng.randrange(most)))
    plain: dict[str, Any] = {key: value(rng) if rng.random() < 0.6 else json.dumps(value(rng)) for key in chosen}
    plain["gen_ai.operation.name"] = rng.choice(KINDS)
    plain["openinference.span.kind"] = rng.choice(KINDS)
    return [{"key": key, "value": any_value(rng, item)} for key, item in plain.items()]


def span(rng: random.Random, trace: int) -> dict[str, Any]:
    """One span in an own trace of seven ids, so that parents are found, missing, themselves and in circles."""
    start = START_NS + rng.randrange(10**9)
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{rng.randrange(1, 8):016x}",
        "parentSpanId": rng.choice(("", f"{rng.randrange(1, 8):016x}")),
        "name": text(rng) if rng.random() < 0.3 else "execute_tool search",
        "kind": rng.randrange(7),
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(rng.choice((0, 1, start, start + 10**6, 2**63, 2**64 - 1))),
        "attributes": attributes(rng, 14),
        "events": [
            {"name": rng.choice(("exception", text(rng))), "timeUnixNano": str(start), "attributes": attributes(rng, 4)}
            for _ in range(rng.randrange(3))
        ],
        "links": [
            {"traceId": f"{trace:032x}", "spanId": f"{rng.randrange(1, 8):016x}"} for _ in range(rng.randrange(2))
        ],
        "status": {"code": rng.randrange(3), "message": text(rng)},
    }


def request(rng: random.Random, trace: int) -> dict[str, Any]:
    about = {key: value(rng) if rng.random() < 0.2 else "agent" for key in rng.sample(SDK, rng.randrange(4))}
    return {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": [{"key": key, "value": any_value(rng, each)} for key, each in about.items()]
                },
                "scopeSpans": [
                    {
                        "scope": {"name": rng.choice(SCOPES), "version": text(rng) if rng.random() < 0.2 else "0.1.0"},
                        "spans": [span(rng, trace) for _ in range(rng.randrange(1, 4))],
                    }
                ],
            }
        ]
    }


def _places(plain: Any) -> list[tuple[Any, Any]]:
    inner = (
        list(plain.items()) if isinstance(plain, dict) else list(enumerate(plain)) if isinstance(plain, list) else []
    )
    return [(plain, key) for key, _ in inner] + [place for _, item in inner for place in _places(item)]


def of_wrong_types(rng: random.Random, plain: Any) -> Any:
    """The request with values of other types than the protocol's in some places."""
    out = copy.deepcopy(plain)
    for _ in range(rng.randrange(1, 4)):
        places = _places(out)
        holder, key = rng.choice(places)
        if isinstance(holder, dict) and rng.random() < 0.2:
            holder[text(rng)] = holder.pop(key)
        else:
            holder[key] = rng.choice((rng.choice(WRONG), number(rng), text(rng), value(rng)))
    return out


def as_json(rng: random.Random, trace: int) -> tuple[str, bytes]:
    plain = request(rng, trace)
    match rng.randrange(8):
        case 0 | 1 | 2 | 3:
            return "odd values", json_text(rng, plain)
        case 4 | 5:
            return "wrong types", json_text(rng, of_wrong_types(rng, plain))
        case 6:
            return "damaged", damaged(rng, json_text(rng, plain))
    return "no request", json_text(rng, value(rng)) if rng.random() < 0.5 else text(rng).encode(
        "utf-8", "surrogatepass"
    )


def varint(count: int) -> bytes:
    out = bytearray()
    while count > 127:
        out.append(count & 127 | 128)
        count >>= 7
    return bytes([*out, count])


def wire(rng: random.Random, depth: int = 0) -> bytes:
    """Fields of any number and wire type, nested in any way, with lengths that do not hold."""
    out = bytearray()
    for _ in range(rng.randrange(1, 6)):
        kind = rng.choice((0, 1, 2, 2, 2, 2, 3, 4, 5, 6, 7))
        out += varint(rng.randrange(0, 20) << 3 | kind)
        match kind:
            case 0:
                out += varint(rng.getrandbits(rng.randrange(1, 80)))
            case 1:
                out += rng.randbytes(8)
            case 2:
                inner = wire(rng, depth + 1) if depth < 6 and rng.random() < 0.7 else rng.randbytes(rng.randrange(30))
                out += varint(len(inner) if rng.random() < 0.95 else rng.getrandbits(rng.randrange(1, 70))) + inner
            case 5:
                out += rng.randbytes(4)
            case _:
                pass
    return bytes(out)


def encodable(plain: Any) -> Any:
    """The request as protobuf can hold it: whole pairs, numbers in their ranges."""
    if isinstance(plain, str):
        return plain.encode("utf-8", "replace").decode()
    if isinstance(plain, list):
        return [encodable(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    out = {key: encodable(item) for key, item in plain.items()}
    if "intValue" in out and not -(2**63) <= int(out["intValue"]) < 2**63:
        out["intValue"] = "-1"
    if "doubleValue" in out:
        shown = str(out["doubleValue"])
        out["doubleValue"] = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(shown, float(shown))
    for name in ("traceId", "spanId", "parentSpanId"):
        if name in out:
            out[name] = base64.b64encode(bytes.fromhex(out[name])).decode()
    return out


def as_protobuf(rng: random.Random, trace: int) -> tuple[str, bytes]:
    kind = rng.randrange(8)
    if kind < 2:
        return "wire", wire(rng)
    if kind == 2:
        return "noise", rng.randbytes(rng.randrange(200))
    data = ParseDict(encodable(request(rng, trace)), ExportTraceServiceRequest()).SerializeToString()
    return ("odd values", data) if kind < 6 else ("damaged", damaged(rng, data))


def packed(rng: random.Random, body: bytes) -> tuple[bytes, str]:
    """The body in gzip or something like it, and the encoding it is said to have."""
    match rng.randrange(8):
        case 0:
            return damaged(rng, gzip.compress(body, 1)), "gzip"
        case 1:
            return gzip.compress(body, 1) * rng.randrange(1, 4), "gzip"
        case 2:
            return body, "gzip"
        case 3:
            return zlib.compress(body), rng.choice(("deflate", "gzip"))
        case 4:
            return gzip.compress(body, 1), rng.choice(("br", "zstd", "identity", "GZIP", "gzip, gzip", "*", "x" * 300))
        case 5 if rng.random() < 0.1:
            return bomb(rng), "gzip"
    return gzip.compress(body, 1), "gzip"


def bomb(rng: random.Random) -> bytes:
    """Some kilobytes that unpack to 80 MB."""
    unit = rng.choice((b"\0", b" ", b"\x0a\x00", b"{}")) * (1 << 19)
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join(packer.compress(unit) for _ in range((80 << 20) // len(unit))) + packer.flush()
