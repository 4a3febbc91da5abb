"""The action in progress. Actions that begin inside it, in the same context, name it as their cause."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass
class RunningAction:
    """An action in progress, and the one around it."""

    aar_id: str
    provenance_ref: str
    around: "RunningAction | None"
    is_over: bool = False


_RUNNING: Final[ContextVar[RunningAction | None]] = ContextVar("deputize_running_action", default=None)


def running_action() -> RunningAction | None:
    """Returns the innermost action of this context that has not ended."""
    action = _RUNNING.get()
    while action is not None and action.is_over:
        action = action.around
    return action


@contextmanager
def during_action(aar_id: str, provenance_ref: str) -> Iterator[None]:
    """Makes this the running action."""
    action = RunningAction(aar_id, provenance_ref, running_action())
    _RUNNING.set(action)
    try:
        yield
    finally:
        # Generators share the context of their callers and can end in any order, or in another context.
        action.is_over = True
        if _RUNNING.get() is action:
            _RUNNING.set(running_action())
