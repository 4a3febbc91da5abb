"""The interface to a tracing library. `deputize.opentelemetry` implements it."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Protocol

_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_TRACESTATE: Final = re.compile(r"[\x20-\x7e]{1,512}")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.]{1,64}")

#: The error type of a denied action.
NOT_ALLOWED: Final = "not_allowed"
#: The OpenTelemetry name for unclassified errors.
OTHER_ERROR: Final = "_OTHER"
#: The members of a decision that a trace may contain.
_FACTS: Final = ("authorized", "reasons", "aar_id", "denial_id", "approval_id", "provenance_ref")


@dataclass(frozen=True)
class TracedAction:
    """The facts of an action that are known before it is authorized."""

    tool: str
    action: str
    resource: str
    vat_jti: str
    agent_id: str | None = None
    tool_call_id: str | None = None


class ActionSpan(Protocol):
    """The span of one action, from authorization to completion."""

    def active(self) -> AbstractContextManager[None]:
        """Makes this span the parent of spans that start inside."""
        ...

    def headers(self) -> Mapping[str, str]:
        """The headers for calls within this span."""
        ...

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Adds attributes."""
        ...

    def end(self, error_type: str | None) -> None:
        """Ends the span, once. `error_type` is a short error name."""
        ...


class Tracing(Protocol):
    """A tracing library."""

    def begin(self, action: TracedAction, incoming: Mapping[str, str]) -> ActionSpan:
        """Starts a span under the active one or, if there is none, under the one in `incoming`."""
        ...

    def headers(self) -> Mapping[str, str]:
        """The headers of the active span."""
        ...


class NoSpan:
    """The span used without a tracing library. It still forwards the caller's trace context."""

    def __init__(self, incoming: Mapping[str, str] | None = None) -> None:
        self._incoming = incoming or {}

    def active(self) -> AbstractContextManager[None]:
        return nullcontext()

    def headers(self) -> Mapping[str, str]:
        return self._incoming

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        return

    def end(self, error_type: str | None) -> None:
        return


def begin_span(tracing: Tracing | None, action: TracedAction, incoming: Mapping[str, str] | None = None) -> ActionSpan:
    return NoSpan(incoming) if tracing is None else tracing.begin(action, incoming or {})


def facts_of(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the members of a decision that a trace may contain."""
    return {name: decision[name] for name in _FACTS if decision.get(name) is not None}


def error_type(error: BaseException) -> str:
    """Returns the code or class name of an error. Never its message, which may contain anything."""
    code = getattr(error, "code", None)
    name = code if isinstance(code, str) else type(error).__name__
    return name if _PLAIN_NAME.fullmatch(name) else OTHER_ERROR


def trace_of(traceparents: Sequence[str], tracestates: Sequence[str]) -> dict[str, str]:
    """Returns the trace context of a request. Malformed headers are ignored."""
    if len(traceparents) != 1 or not _TRACEPARENT.fullmatch(traceparents[0]):
        return {}
    tracestate = ",".join(tracestates)
    state = {"tracestate": tracestate} if _TRACESTATE.fullmatch(tracestate) else {}
    return {"traceparent": traceparents[0], **state}
