"""The JSON body of a call. A value without a JSON form is named by its place."""

import datetime
import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any


def json_body(members: Mapping[str, Any]) -> bytes:
    """Raises TypeError or ValueError that says which member has no JSON form, and what to pass instead."""
    try:
        return json.dumps(members, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        for pointer, value in _values(members, "", frozenset()):
            said = _misfit(value)
            if said is not None:
                kind = ValueError if isinstance(value, (float, str)) else TypeError
                raise kind(f"{pointer} {said}") from None
        raise ValueError(f"the call has no JSON form: {error}") from None


def _values(value: Any, pointer: str, around: frozenset[int]) -> Iterator[tuple[str, Any]]:
    """Every value that is no dictionary or list, with its JSON pointer. What contains itself is passed over."""
    if not isinstance(value, (dict, list, tuple)):
        yield pointer, value
    elif id(value) not in around:
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _values(each, f"{pointer}/{name}", around | {id(value)})


def _misfit(value: object) -> str | None:
    """Why a value has no JSON form, and what to pass instead."""
    if isinstance(value, datetime.datetime):
        return "must be an ISO 8601 text with a time zone, such as 2027-01-31T12:00:00Z, not a datetime"
    if isinstance(value, Decimal):
        return "must be a float, not a Decimal"
    if isinstance(value, float):
        return None if isfinite(value) else f"must be a finite number, not {value!r}"
    if isinstance(value, str):
        return "must be text without lone surrogates" if any("\ud800" <= each <= "\udfff" for each in value) else None
    if value is None or isinstance(value, int):
        return None
    return f"must have a JSON form: a dictionary, list, text, number, bool or None, not {type(value).__name__}"
