"""Parses untrusted JSON as strictly as the service does.

`json.loads` alone accepts duplicate members, NaN, 1e400 as infinity and lone surrogates. A scan rejects those first, so
that every parser reads the same value.
"""

import json
import re
from typing import Any, Final, NoReturn

MAX_DEPTH: Final = 16
MAX_MEMBERS: Final = 256
MAX_ITEMS: Final = 1024
MAX_SAFE_INTEGER: Final = 2**53 - 1

#: Names that could reach a prototype in JavaScript. No token has them.
FORBIDDEN_MEMBERS: Final = frozenset({"__proto__", "constructor", "prototype"})

_NEXT = re.compile(r'["\[\]{},:]|[-0-9][-+.0-9eE]*')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_OUTSIDE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


class JsonError(ValueError):
    """The text is rejected. The message names a position or a member, never a value."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


class _Container:
    def __init__(self, is_object: bool) -> None:
        self.names: set[str] | None = set() if is_object else None
        self.name_next = True
        self.commas = 0


def read_json(text: str | bytes, max_depth: int = MAX_DEPTH) -> Any:
    """Returns the value of `text`. Raises JsonError."""
    source = text if isinstance(text, str) else _decoded(text)
    if source.startswith("\ufeff"):
        raise JsonError("bom", "The text starts with a byte order mark.")
    if _SURROGATE.search(source):
        raise JsonError("lone_surrogate", "The text contains a lone surrogate.")
    _scan(source, max_depth)
    # JSON is ASCII outside of strings. Some builds of the parser accept digits of other scripts.
    if not source.isascii() and not _OUTSIDE.sub("", source).isascii():
        raise JsonError("syntax", "The text is not valid JSON.")
    return _parse(source)


def _scan(text: str, max_depth: int) -> None:
    """Rejects what the parser would accept. Malformed text may mislead the scan, but then the parser rejects it."""
    containers: list[_Container] = []
    inner: _Container | None = None
    at = 0
    while (found := _NEXT.search(text, at)) is not None:
        mark = text[found.start()]
        at = found.end()
        if mark == '"':
            at = _scan_string(text, found.start(), inner)
        elif mark == ",":
            _count_comma(inner)
        elif mark == ":":
            if inner is not None:
                inner.name_next = False
        elif mark in "[{":
            inner = _Container(mark == "{")
            containers.append(inner)
            if len(containers) > max_depth:
                raise JsonError("too_deep", f"More than {max_depth} levels at position {at}.")
        elif mark in "]}":
            if containers:
                containers.pop()
            inner = containers[-1] if containers else None
        else:
            _check_number(found.group(), found.start())


def _count_comma(inner: _Container | None) -> None:
    if inner is None:
        return
    inner.commas += 1
    inner.name_next = True
    if inner.names is None and inner.commas >= MAX_ITEMS:
        raise JsonError("too_many_items", f"More than {MAX_ITEMS} items in an array.")


def _scan_string(text: str, start: int, inner: _Container | None) -> int:
    found = _STRING.match(text, start)
    end = found.end() if found is not None else len(text)
    raw = text[start:end]
    is_name = inner is not None and inner.names is not None and inner.name_next
    if "\\" in raw:
        raw = str(_parse(raw))
        if _SURROGATE.search(raw):
            raise JsonError("lone_surrogate", f"The string at position {start} contains a lone surrogate.")
    else:
        raw = raw[1:-1]
    if is_name and inner is not None and inner.names is not None:
        _add_name(inner.names, raw)
    return end


def _add_name(names: set[str], name: str) -> None:
    if name in FORBIDDEN_MEMBERS:
        raise JsonError("forbidden_member", f"The member name {_shown(name)} is not allowed.")
    if name in names:
        raise JsonError("duplicate_member", f"The member {_shown(name)} appears twice.")
    if len(names) == MAX_MEMBERS:
        raise JsonError("too_many_members", f"More than {MAX_MEMBERS} members in one object.")
    names.add(name)


def _check_number(text: str, at: int) -> None:
    try:
        value = float(text)
    except ValueError:
        return
    if abs(value) == float("inf"):
        raise JsonError("number_out_of_range", f"The number at position {at} is too large.")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        raise JsonError("not_utf8", "The text is not valid UTF-8.") from error


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_int=_integer, parse_constant=_no_constant)
    except JsonError:
        raise
    except RecursionError as error:
        raise JsonError("too_deep", "The text is nested too deeply.") from error
    except ValueError as error:
        raise JsonError("syntax", "The text is not valid JSON.") from error


def _integer(text: str) -> int | float:
    """Integers beyond 2**53 - 1 become doubles, as in other parsers."""
    as_double = float(text)
    return int(text) if abs(as_double) <= MAX_SAFE_INTEGER else as_double


def _no_constant(_: str) -> NoReturn:
    raise JsonError("syntax", "The text is not valid JSON.")


def _shown(name: str) -> str:
    return json.dumps(f"{name[:64]}…" if len(name) > 64 else name, ensure_ascii=False)
