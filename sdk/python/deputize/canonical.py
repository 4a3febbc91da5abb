"""The one JSON text of a value by RFC 8785, and hashes of results over it."""

import hashlib
import json
import math
from typing import Any

from deputize.strict_json import MAX_SAFE_INTEGER


def canonical_json(value: Any) -> str:
    """ValueError for what has no such text: NaN, half surrogate pairs, integers that a double does not hold."""
    text = _written(value)
    text.encode("utf-8")  # half a surrogate pair has no UTF-8: UnicodeEncodeError is a ValueError
    return text


def result_hash(value: Any) -> str:
    """`sha256:` and hex: of bytes and text as they are, of everything else over its canonical JSON."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
    else:
        data = (value if isinstance(value, str) else canonical_json(value)).encode("utf-8")
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _written(value: Any) -> str:
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int):
        if abs(value) > MAX_SAFE_INTEGER:
            raise ValueError("The integer is not exact in other readers.")
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
        raise ValueError("Names of members are strings.")
    # By UTF-16 units, as the RFC asks.
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return [f"{json.dumps(name, ensure_ascii=False)}:{_written(value[name])}" for name in names]


def _number(value: float) -> str:
    """As ECMAScript writes numbers. `repr` finds the same digits and sets the point differently."""
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
