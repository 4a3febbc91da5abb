import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from opentelemetry import baggage, context, trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from deputize import AsyncDeputy, BearerToken, Deputy, NotAuthorized, Unreachable, with_authority
from deputize.flask import authority, protect
from deputize.opentelemetry import OpenTelemetry
from deputize.tracing import trace_of
from tests.a_server import a_server, answer
from tests.builders import a_token
from tests.program import PATIENCE_S, ROOT, Program, free_port
from tests.test_fastapi import Server, only_record, serving
from tests.test_flask import Serving

pytestmark = pytest.mark.anyio

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
INCOMING = f"00-{TRACE}-{PARENT}-01"


@pytest.fixture(scope="module")
def exporter() -> InMemorySpanExporter:
    """The OpenTelemetry SDK, set up once per process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    return exporter


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    exporter.clear()
    return exporter


@pytest.fixture
def traced(open_program: Program) -> Iterator[Deputy]:
    with Deputy(open_program.url, tracing=OpenTelemetry()) as client:
        yield client


def span_id_of(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.span_id)


def trace_id_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return f"{span.context.trace_id:032x}"


def attributes_of(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_an_action_is_a_span_with_the_genai_attributes(traced: Deputy, spans: InMemorySpanExporter) -> None:
    issued = a_token(traced, constraints={"max_spend_usd": 5})
    agent = traced.acting_as(BearerToken(issued["compact_jwt"]))
    tracer = trace.get_tracer("a test")
    with tracer.start_as_current_span("the program") as program:
        with with_authority(
            agent,
            vat_jti=issued["jti"],
            action="read",
            resource="calendar:events",
            spend_usd=0.5,
            tool="list_events",
            tool_call_id="call_1",
            metadata={"secret": "hunter2"},
        ) as action:
            tracer.start_span("the work").end()
            action.spend_usd = 0.2
        assert trace.get_current_span() is program
    child, span, _ = spans.get_finished_spans()
    assert (span.name, span.kind, span.status.status_code) == ("execute_tool list_events", SpanKind.INTERNAL, StatusCode.UNSET)
    assert span.parent is not None and span.parent.span_id == program.get_span_context().span_id
    assert child.parent is not None and child.parent.span_id == span_id_of(span)
    assert attributes_of(span) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "list_events",
        "gen_ai.tool.call.id": "call_1",
        "gen_ai.agent.id": "agent:calendar-bot",
        "deputy.action": "read",
        "deputy.resource": "calendar:events",
        "deputy.vat_jti": issued["jti"],
        "deputy.provenance_ref": issued["provenance_ref"],
        "deputy.authorized": True,
        "deputy.aar_id": action.aar_id,
        "deputy.spend_usd": 0.2,
    }
    assert traced.get_record(action.aar_id).get("trace_id") == trace_id_of(span)


async def test_an_async_action_is_the_parent_span_of_its_work(
    open_program: Program, deputy: Deputy, spans: InMemorySpanExporter
) -> None:
    issued = a_token(deputy)
    async with AsyncDeputy(open_program.url, tracing=OpenTelemetry()) as client:

        @with_authority(client, vat_jti=issued["jti"], action="read", resource="calendar:events")
        async def read() -> int:
            return trace.get_current_span().get_span_context().span_id

        inside = await read()
    [span] = spans.get_finished_spans()
    assert span_id_of(span) == inside
    assert only_record(deputy, issued)["trace_id"] == trace_id_of(span)


def test_a_denial_is_an_error_with_its_reasons(traced: Deputy, spans: InMemorySpanExporter) -> None:
    issued = a_token(traced)
    wanted: dict[str, Any] = {"vat_jti": issued["jti"], "action": "erase", "resource": "calendar:events"}
    with pytest.raises(NotAuthorized) as denied, with_authority(traced, **wanted):
        pytest.fail("ran")
    [span] = spans.get_finished_spans()
    attributes = attributes_of(span)
    assert (span.status.status_code, attributes["error.type"]) == (StatusCode.ERROR, "not_allowed")
    assert (attributes["deputy.reasons"], attributes["deputy.denial_id"]) == (("action_not_in_scope",), denied.value.denial_id)
    assert traced.get_denial(denied.value.denial_id or "").get("trace_id") == trace_id_of(span)
    assert not trace.get_current_span().get_span_context().is_valid


def test_an_exception_appears_with_its_type_and_without_its_message(traced: Deputy, spans: InMemorySpanExporter) -> None:
    wanted: dict[str, Any] = {"vat_jti": a_token(traced)["jti"], "action": "read", "resource": "calendar:events"}
    with pytest.raises(ZeroDivisionError), with_authority(traced, **wanted):
        raise ZeroDivisionError("dev@example.com")
    [span] = spans.get_finished_spans()
    assert (attributes_of(span)["error.type"], span.status.status_code) == ("ZeroDivisionError", StatusCode.ERROR)
    assert (span.status.description, span.events) == (None, ())
    assert "dev@" not in span.to_json()


def test_an_unreachable_service_is_an_error_type(spans: InMemorySpanExporter) -> None:
    away = Deputy(f"http://127.0.0.1:{free_port()}", max_retries=0, tracing=OpenTelemetry())
    with away, pytest.raises(Unreachable), with_authority(away, vat_jti="vat_x", action="read", resource="a:b"):
        pytest.fail("ran")
    [span] = spans.get_finished_spans()
    assert attributes_of(span)["error.type"] == "unreachable"


NOTHING = """
import sys
from deputize import Deputy, with_authority
from deputize.opentelemetry import OpenTelemetry
deputy = Deputy(sys.argv[1], tracing=OpenTelemetry())
assert deputy.trace_headers() == {}
with with_authority(deputy, vat_jti=sys.argv[2], action="read", resource="calendar:events") as action:
    assert action.span.headers() == {}
assert "trace_id" not in deputy.get_record(action.aar_id)
"""


def test_no_trace_headers_are_sent_without_an_sdk(open_program: Program, deputy: Deputy) -> None:
    command = [sys.executable, "-c", NOTHING, open_program.url, a_token(deputy)["jti"]]
    done = subprocess.run(command, cwd=ROOT / "sdk/python", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_calls_carry_the_active_span_and_never_baggage(spans: InMemorySpanExporter) -> None:
    token = context.attach(baggage.set_baggage("user", "dev@example.com"))
    with a_server(answer(), answer(), answer()) as server, trace.get_tracer("a test").start_as_current_span("a") as active:
        for tracing in (OpenTelemetry(), OpenTelemetry(headers=False), None):
            with Deputy(server.url, tracing=tracing) as client:
                client.get_health()
    context.detach(token)
    ids = active.get_span_context()
    carried = f"00-{ids.trace_id:032x}-{ids.span_id:016x}-{ids.trace_flags:02x}"
    assert [seen.headers.get("traceparent") for seen in server.seen] == [carried, None, None]
    assert [seen.headers.get("baggage") for seen in server.seen] == [None, None, None]


@pytest.mark.parametrize(
    "traceparents",
    [
        [],
        ["x"],
        [INCOMING, INCOMING],
        [INCOMING.upper()],
        [f"ff-{TRACE}-{PARENT}-01"],
        [f"00-{'0' * 32}-{PARENT}-01"],
        [f"00-{TRACE}-{'0' * 16}-01"],
    ],
)
def test_a_malformed_traceparent_is_ignored(traceparents: list[str]) -> None:
    assert trace_of(traceparents, ["congo=t61rcWkgMzE"]) == {}


def test_a_well_formed_tracestate_is_forwarded_with_its_traceparent() -> None:
    assert trace_of([INCOMING], ["a=1", "b=2"]) == {"traceparent": INCOMING, "tracestate": "a=1,b=2"}
    assert trace_of([INCOMING], ["a=1\n"]) == {"traceparent": INCOMING}


@pytest.fixture(params=["fastapi", "flask"])
def plain_app(request: pytest.FixtureRequest, open_program: Program) -> Iterator[Server]:
    with serving(open_program.url) if request.param == "fastapi" else Serving(open_program.url) as served:
        yield served


@pytest.fixture(params=["fastapi", "flask"])
def traced_app(request: pytest.FixtureRequest, open_program: Program) -> Iterator[Server]:
    start = serving if request.param == "fastapi" else Serving
    with start(open_program.url, tracing=OpenTelemetry()) as served:
        yield served


def test_a_guard_forwards_trace_context_without_an_sdk(plain_app: Server, deputy: Deputy) -> None:
    for traceparent, kept in ((INCOMING, TRACE), ("x", None)):
        issued = a_token(deputy)
        assert plain_app.get("/events", issued["compact_jwt"], traceparent=traceparent).status_code == 200
        assert only_record(deputy, issued).get("trace_id") == kept


def test_a_guard_starts_a_span_under_that_of_the_caller(
    traced_app: Server, deputy: Deputy, spans: InMemorySpanExporter
) -> None:
    issued = a_token(deputy)
    tracestate = "congo=t61rcWkgMzE"
    response = traced_app.get("/events", issued["compact_jwt"], traceparent=INCOMING, tracestate=tracestate)
    assert response.status_code == 200
    record = only_record(deputy, issued)
    span = action_span(spans)
    assert span.parent is not None and span.context is not None
    assert (span.name, trace_id_of(span)) == ("execute_tool read", TRACE)
    # FastAPI starts its own spans under the caller; Flask starts none.
    around = {span_id_of(other) for other in spans.get_finished_spans() if other is not span}
    assert span.parent.span_id in (around or {int(PARENT, 16)})
    assert span.context.trace_state.to_header() == tracestate
    attributes = attributes_of(span)
    assert (attributes["gen_ai.agent.id"], attributes["deputy.aar_id"]) == ("agent:calendar-bot", record["aar_id"])
    assert record["trace_id"] == TRACE


def test_a_guard_sets_the_error_type(traced_app: Server, deputy: Deputy, spans: InMemorySpanExporter) -> None:
    token = a_token(deputy)["compact_jwt"]
    for path, expected in (("/events/8", "not_allowed"), ("/answers-no", "_OTHER"), ("/crashes", "ZeroDivisionError")):
        spans.clear()
        traced_app.get(path, token)
        assert attributes_of(action_span(spans))["error.type"] == expected
    spans.clear()
    assert traced_app.get("/events").status_code == 401
    assert actions_in(spans) == []


def test_the_route_runs_inside_the_span(open_program: Program, deputy: Deputy, spans: InMemorySpanExporter) -> None:
    client = Deputy(open_program.url, tracing=OpenTelemetry())
    app = Flask("calendar")
    protect(app, client, public_url="http://localhost")

    @app.get("/events")
    @authority("read", "calendar:events")
    def events() -> str:
        return str(trace.get_current_span().get_span_context().span_id)

    headers = {"Authorization": f"Bearer {a_token(deputy)['compact_jwt']}"}
    with client:
        inside = app.test_client().get("/events", headers=headers).text
    assert span_id_of(action_span(spans)) == int(inside)
    assert not trace.get_current_span().get_span_context().is_valid


def actions_in(spans: InMemorySpanExporter) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name.startswith("execute_tool")]


def action_span(spans: InMemorySpanExporter) -> ReadableSpan:
    """Returns the only span of an action. Dependencies end after the response is sent."""
    deadline = time.monotonic() + PATIENCE_S
    while not actions_in(spans) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)  # the framework's spans end at about the same time
    [span] = actions_in(spans)
    return span
