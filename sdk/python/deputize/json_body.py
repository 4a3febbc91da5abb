"""The JSON body of a call. Errors point to the value that has no JSON form."""

import datetime
import json
from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from deputize.strict_json import FORBIDDEN_MEMBERS, MAX_SAFE_INTEGER


def json_body(members: Mapping[str, Any]) -> bytes:
    """Returns the body. Raises TypeError or ValueError that says which member has no JSON form, and what to pass."""
    _check(members, "", ())
    return json.dumps(members, allow_nan=False, ensure_ascii=False).encode()


def _check(value: Any, pointer: str, around: tuple[int, ...]) -> None:
    if not isinstance(value, (dict, list, tuple)):
        _check_single(value, pointer)
        return
    if id(value) in around:
        raise ValueError(f"{pointer} must not contain itself")
    for name, each in value.items() if isinstance(value, dict) else enumerate(value):
        place = f"{pointer}/{name}"
        if isinstance(value, dict):
            _check_name(name, place)
        _check(each, place, (*around, id(value)))


def _check_name(name: object, place: str) -> None:
    """Raises if the name is not a valid string: `json.dumps` would write 1 as "1", and None as "null"."""
    if not isinstance(name, str):
        raise TypeError(f"{place} must have a string as its name, not {name!r}")
    if _has_surrogates(name):
        shown = place.encode("utf-8", "backslashreplace").decode()
        raise ValueError(f"{shown} must have a name without lone surrogates")
    if name in FORBIDDEN_MEMBERS:
        raise ValueError(f"{place} must have another name")


def _check_single(value: object, pointer: str) -> None:
    """Checks a value that is not a dictionary or list."""
    if isinstance(value, datetime.datetime):
        said = "must be an ISO 8601 text with a time zone, such as 2027-01-31T12:00:00Z, not a datetime"
        raise TypeError(f"{pointer} {said}")
    if isinstance(value, Decimal):
        raise TypeError(f"{pointer} must be a float, not a Decimal")
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{pointer} must be a finite number, not {value!r}")
    if isinstance(value, str) and _has_surrogates(value):
        raise ValueError(f"{pointer} must be text without lone surrogates")
    if isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
        raise ValueError(f"{pointer} must be at most 2**53 - 1, or a text: other JSON parsers would round it")
    if value is not None and not isinstance(value, (str, int, float)):
        said = "must have a JSON form: a dictionary, list, text, number, bool or None"
        raise TypeError(f"{pointer} {said}, not {type(value).__name__}")


def _has_surrogates(text: str) -> bool:
    return any("\ud800" <= each <= "\udfff" for each in text)
