"""What the SDK asks of whoever follows traces. `deputize.opentelemetry` has one; without it nothing is needed."""

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Final, Protocol

_TRACEPARENT: Final = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_TRACESTATE: Final = re.compile(r"[\x20-\x7e]{1,512}")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9_.]{1,64}")

#: The type of a no of the rules.
NOT_ALLOWED: Final = "not_allowed"
#: What OpenTelemetry calls an error that has no name.
OTHER_ERROR: Final = "_OTHER"
#: What of a decision a trace may hold.
_FACTS: Final = ("authorized", "reasons", "aar_id", "denial_id", "approval_id", "provenance_ref")


@dataclass(frozen=True)
class TracedAction:
    """What is known of an action before anybody was asked."""

    tool: str
    action: str
    resource: str
    vat_jti: str
    agent_id: str | None = None
    tool_call_id: str | None = None


class ActionSpan(Protocol):
    """The span of one action, from the question until its record is complete."""

    def active(self) -> AbstractContextManager[None]:
        """Spans that begin meanwhile are children of this one."""
        ...

    def headers(self) -> Mapping[str, str]:
        """For calls that belong to it."""
        ...

    def tell(self, facts: Mapping[str, Any]) -> None:
        """What is learned of the action."""
        ...

    def end(self, error_type: str | None) -> None:
        """Ends it, once. `error_type` is the short name of what went wrong."""
        ...


class Tracing(Protocol):
    def begin(self, action: TracedAction, incoming: Mapping[str, str]) -> ActionSpan:
        """Begins a span below the active one; where there is none, below the one that `incoming` names."""
        ...

    def headers(self) -> Mapping[str, str]:
        """Of the active span."""
        ...


class NoSpan:
    """Where nobody follows traces. What a caller said goes on all the same."""

    def __init__(self, incoming: Mapping[str, str] | None = None) -> None:
        self._incoming = incoming or {}

    def active(self) -> AbstractContextManager[None]:
        return nullcontext()

    def headers(self) -> Mapping[str, str]:
        return self._incoming

    def tell(self, facts: Mapping[str, Any]) -> None:
        return

    def end(self, error_type: str | None) -> None:
        return


def begin_span(tracing: Tracing | None, action: TracedAction, incoming: Mapping[str, str] | None = None) -> ActionSpan:
    return NoSpan(incoming) if tracing is None else tracing.begin(action, incoming or {})


def facts_of(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What a decision says that a trace may hold."""
    return {name: decision[name] for name in _FACTS if decision.get(name) is not None}


def error_type(error: BaseException) -> str:
    """A code or the name of a class. Never the message of an error: it may hold anything."""
    code = getattr(error, "code", None)
    name = code if isinstance(code, str) else type(error).__name__
    return name if _PLAIN_NAME.fullmatch(name) else OTHER_ERROR


def trace_of(traceparents: Sequence[str], tracestates: Sequence[str]) -> dict[str, str]:
    """The trace that a request says it belongs to. What is not well formed is as good as absent."""
    if len(traceparents) != 1 or not _TRACEPARENT.fullmatch(traceparents[0]):
        return {}
    tracestate = ",".join(tracestates)
    state = {"tracestate": tracestate} if _TRACESTATE.fullmatch(tracestate) else {}
    return {"traceparent": traceparents[0], **state}
