"""A guarded route, as its author declares it. Mistakes raise at once, because callers can't fix them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from deputize.guard import WantedAction
from deputize.scope import is_action, is_resource
from deputize.usd import rounded_up_usd


@dataclass(frozen=True)
class Route:
    """What a route asks for. Each value except the action may be a function of the request."""

    action: str
    resource: str | Callable[[Any], Any]
    spend_usd: float | Callable[[Any], Any] | None
    metadata: Mapping[str, Any] | Callable[[Any], Any] | None
    summary: Callable[[Any], Any] | None
    bind_body: bool

    def __post_init__(self) -> None:
        if not isinstance(self.action, str):
            raise TypeError(f"action must be a string such as \"read\", not {self.action!r}")
        if not is_action(self.action):
            raise ValueError(f"{self.action!r} is not an action. Use a verb such as \"read\".")
        if not callable(self.resource):
            _check_resource(self.resource)
        if not callable(self.spend_usd):
            _estimate(self.spend_usd)
        if not callable(self.metadata):
            _checked_metadata(self.metadata)

    def wanted(self, resource: str, request: dict[str, Any], spend_usd: Any, metadata: Any) -> WantedAction:
        """Returns the action that a request asks for, with the values of this request."""
        estimate, own = _estimate(spend_usd), _checked_metadata(metadata)
        return WantedAction(self.action, resource, request, self.bind_body, estimate, own)


def value_for(given: Any, request: Any) -> Any:
    """Returns the value, or what the function returns for the request."""
    return given(request) if callable(given) else given


def _check_resource(resource: object) -> None:
    if not isinstance(resource, str):
        raise TypeError(f"resource must be a string or a function of the request, not {resource!r}")
    if not is_resource(resource):
        raise ValueError(f"{resource!r} is not a resource. Names are <namespace>:<name>, such as calendar:events.")


def _estimate(spend_usd: Any) -> float | None:
    return None if spend_usd is None else rounded_up_usd(spend_usd)


def _checked_metadata(metadata: object) -> Mapping[str, Any] | None:
    if metadata is None:
        return None
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a dictionary, not {metadata!r}")
    if "request" in metadata:
        raise ValueError("metadata must not have a member request. The guard sets it.")
    return metadata
