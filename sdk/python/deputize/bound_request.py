"""What guards put into `metadata.request`: an approval is bound to it, and a person reads it before approving.

Long values are shortened for display, and the digests cover them whole. The JavaScript SDK writes the same.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from deputize.canonical import canonical_json

NO_BODY_SHA256: Final = hashlib.sha256(b"").hexdigest()
#: The longest body that a guard reads to bind it.
MAX_BODY_BYTES: Final = 1024 * 1024

Summary = str | Mapping[str, Any]

_MAX_TARGET_LENGTH: Final = 1_000
_MAX_HEADER_LENGTH: Final = 200
_MAX_SUMMARY_LENGTH: Final = 500
_MAX_SUMMARY_BYTES: Final = 1_000
_MAX_ARGUMENTS_BYTES: Final = 2_000
#: Longer strings are shortened if the whole value is too long.
_MAX_STRING_LENGTH: Final = 200
_SHOWN_STRING_LENGTH: Final = 100
_SHOWN_VALUE_LENGTH: Final = 400


def bound_request(
    *,
    method: str,
    route: str | None,
    target: str,
    body_sha256: str | None,
    content_type: str | None,
    content_encoding: str | None,
    summary: Summary | None,
) -> dict[str, Any]:
    """Returns the request to authorize. `target` is the path and query as sent.

    It includes the headers that determine how the body is read: the same bytes can be two different forms.
    """
    bound: dict[str, Any] = {"method": method}
    if route is not None:
        bound["route"] = _shown_text(route, _MAX_SUMMARY_LENGTH)
    bound["target"] = _shown_text(target, _MAX_TARGET_LENGTH)
    if len(target) > _MAX_TARGET_LENGTH:
        bound["target_sha256"] = hashlib.sha256(target.encode()).hexdigest()
    if body_sha256 is not None:
        bound["body_sha256"] = body_sha256
        if content_type is not None:
            bound["content_type"] = _whole_header(content_type)
        if content_encoding is not None:
            bound["content_encoding"] = _whole_header(content_encoding)
    if summary is not None:
        bound["summary"] = _shown_summary(summary)
    return bound


def bound_tool_call(tool: str, arguments: Mapping[str, Any], is_shown: bool) -> dict[str, Any]:
    """Returns a tool call. Raises ValueError if the arguments have no JSON form, because then nothing can bind them."""
    text = canonical_json(dict(arguments))
    shown = {"arguments": _shown_json(json.loads(text), _MAX_ARGUMENTS_BYTES)} if is_shown else {}
    return {"tool": tool, **shown, "arguments_sha256": hashlib.sha256(text.encode()).hexdigest()}


def _whole_header(value: str) -> str:
    """Returns the value, or its digest if it is longer, so that two values are never shown and bound alike."""
    if len(value) <= _MAX_HEADER_LENGTH:
        return value
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"


def _shown_summary(summary: Summary) -> Any:
    return _shown_text(summary, _MAX_SUMMARY_LENGTH) if isinstance(summary, str) else _shown_json(dict(summary), _MAX_SUMMARY_BYTES)


def _shown_text(text: str, max_length: int) -> str:
    """Returns at most `max_length` characters, and a mark that says how many are missing."""
    if len(text) <= max_length:
        return text
    return f"{text[:max_length]}… ({len(text) - max_length} more characters)"


def _shown_json(value: Any, max_bytes: int) -> Any:
    """Returns the value, or it with short strings or, if that is still too long, only the beginning of its JSON."""
    text = canonical_json(value)
    if len(text.encode()) <= max_bytes:
        return value
    shortened = _with_short_strings(value)
    if len(canonical_json(shortened).encode()) <= max_bytes:
        return shortened
    return _shortened(text, _SHOWN_VALUE_LENGTH)


def _with_short_strings(value: Any) -> Any:
    if isinstance(value, str):
        return _shortened(value, _SHOWN_STRING_LENGTH) if len(value) > _MAX_STRING_LENGTH else value
    if isinstance(value, (list, tuple)):
        return [_with_short_strings(item) for item in value]
    if isinstance(value, dict):
        return {name: _with_short_strings(member) for name, member in value.items()}
    return value


def _shortened(text: str, shown_length: int) -> dict[str, Any]:
    """Returns an object and not a string, so that a limit on a string never accepts part of one."""
    return {"truncated": text[:shown_length], "length": len(text)}
