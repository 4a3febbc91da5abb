"""OpenTelemetry spans for actions, and W3C Trace Context headers on calls."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, Span, SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from deputize.tracing import ActionSpan, TracedAction


class OpenTelemetry:
    """Traces actions with the OpenTelemetry SDK that the program has set up. Does nothing without one.

    >>> deputy = Deputy("http://127.0.0.1:8420", tracing=OpenTelemetry())

    Set `headers=False` if an instrumentation of httpx already sends `traceparent`.
    """

    def __init__(self, *, headers: bool = True) -> None:
        self._is_propagating = headers

    def begin(self, action: TracedAction, incoming: Mapping[str, str]) -> ActionSpan:
        around = context.get_current()
        has_parent = trace.get_current_span(around).get_span_context().is_valid
        parent = around if has_parent else _below(around, incoming)
        span = trace.get_tracer("deputize").start_span(
            f"execute_tool {action.tool}", context=parent, kind=SpanKind.INTERNAL, attributes=_attributes(action)
        )
        return _Span(span, trace.set_span_in_context(span, parent), self._shown(span))

    def headers(self) -> Mapping[str, str]:
        return self._shown(trace.get_current_span())

    def _shown(self, span: Span) -> dict[str, str]:
        return _headers(span.get_span_context()) if self._is_propagating else {}


class _Span:
    def __init__(self, span: Span, inside: Context, headers: dict[str, str]) -> None:
        self._span = span
        self._inside = inside
        self._headers = headers

    @contextmanager
    def active(self) -> Iterator[None]:
        token = context.attach(self._inside)
        try:
            yield
        finally:
            context.detach(token)

    def headers(self) -> Mapping[str, str]:
        return self._headers

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        self._span.set_attributes({f"deputy.{name}": value for name, value in facts.items() if value is not None})

    def end(self, error_type: str | None) -> None:
        if error_type is not None:
            self._span.set_attribute("error.type", error_type)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()


def _attributes(action: TracedAction) -> dict[str, str]:
    """Attributes of the GenAI semantic conventions, and `deputy.*` for everything they don't cover."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": action.tool,
        "gen_ai.tool.call.id": action.tool_call_id,
        "gen_ai.agent.id": action.agent_id,
        "deputy.action": action.action,
        "deputy.resource": action.resource,
        "deputy.vat_jti": action.vat_jti,
    }
    return {name: value for name, value in attributes.items() if value is not None}


def _headers(span: SpanContext) -> dict[str, str]:
    """Writes the headers without a propagator, which could also send baggage that is not meant for the service."""
    if not span.is_valid:
        return {}
    headers = {"traceparent": f"00-{span.trace_id:032x}-{span.span_id:016x}-{span.trace_flags:02x}"}
    state = span.trace_state.to_header()
    return {**headers, "tracestate": state} if state else headers


def _below(around: Context, incoming: Mapping[str, str]) -> Context:
    if "traceparent" not in incoming:
        return around
    _, trace_id, span_id, flags = incoming["traceparent"].split("-")
    state = TraceState.from_header([incoming.get("tracestate", "")])
    parent = SpanContext(int(trace_id, 16), int(span_id, 16), True, TraceFlags(int(flags, 16)), state)
    return trace.set_span_in_context(NonRecordingSpan(parent), around)


__all__ = ["OpenTelemetry"]
