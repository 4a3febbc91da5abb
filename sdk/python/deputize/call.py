"""One call to the service, before it is sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeVar
from urllib.parse import quote

T = TypeVar("T")


class Unset(Enum):
    """The default of an omitted parameter in calls where None is sent as null."""

    UNSET = "UNSET"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call that returns a T."""

    method: str
    template: str
    path_values: tuple[str | int, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    keeps_null: bool = False
    is_form: bool = False
    answer: Literal["json", "text", "bytes"] = "json"
    idempotency_key: str | None = None

    @property
    def path(self) -> str:
        """The path. Each value fills one segment, with slashes and dots escaped."""
        return self.template.format(*(_segment(value) for value in self.path_values))

    def members(self) -> dict[str, Any] | None:
        if self.body is None:
            return None
        return {
            name: value
            for name, value in self.body.items()
            if value is not UNSET and (self.keeps_null or value is not None)
        }

    def parameters(self) -> dict[str, str | list[str]]:
        """The query parameters. A list becomes one parameter for each entry."""
        return {
            name: [_text(each) for each in value] if isinstance(value, (list, tuple)) else _text(value)
            for name, value in self.query.items()
            if value is not None
        }


def _segment(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError(f"an ID in a path must be a string, not {value!r}")
    text = quote(str(value), safe="")
    if text in ("", ".", ".."):
        raise ValueError("an ID in a path must not be empty, \".\" or \"..\"")
    return text


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
