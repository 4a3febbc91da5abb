"""Canonical JSON (RFC 8785), and the hash of results over it."""

import hashlib
import json
import math
from typing import Any

from deputize.strict_json import MAX_SAFE_INTEGER


def canonical_json(value: Any) -> str:
    """Returns the canonical JSON text (RFC 8785) of a value.

    >>> canonical_json({"b": 1.0, "a": [True, None]})
    '{"a":[true,null],"b":1}'

    Raises ValueError for values without one: NaN, lone surrogates, integers beyond 2**53 - 1, objects of other types.
    """
    text = _written(value)
    text.encode("utf-8")  # raises UnicodeEncodeError, which is a ValueError, for a lone surrogate
    return text


def result_hash(value: Any) -> str:
    """Returns the hash of a result as records store it: of bytes directly, of other values over canonical JSON.

    >>> result_hash("stand-up") == result_hash(b'"stand-up"')
    True
    >>> result_hash(["stand-up"])[:23]
    'sha256:8debadd344188985'
    """
    is_bytes = isinstance(value, (bytes, bytearray, memoryview))
    data = bytes(value) if is_bytes else canonical_json(value).encode("utf-8")
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _written(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise ValueError("The integer is beyond 2**53 - 1, so other JSON parsers would round it.")
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_written(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{','.join(_members(value))}}}"
    raise ValueError(f"A {type(value).__name__} has no canonical JSON form.")


def _members(value: dict[Any, Any]) -> list[str]:
    if not all(isinstance(name, str) for name in value):
        raise ValueError("Member names must be strings.")
    # RFC 8785 sorts by UTF-16 code units.
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return [f"{json.dumps(name, ensure_ascii=False)}:{_written(value[name])}" for name in names]


def _number(value: float) -> str:
    """Returns a number as ECMAScript formats it. `repr` gives the same digits with a different exponent format."""
    if not math.isfinite(value):
        raise ValueError("Infinity and NaN have no JSON form.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    shown = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{shown}e{'+' if point > 0 else '-'}{abs(point - 1)}"
