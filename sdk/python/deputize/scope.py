"""Scope rules of the service: names match exactly, and `<namespace>:*` matches every name in that namespace."""

import unicodedata
from collections.abc import Mapping
from typing import Any


def covers(held: str, asked: str) -> bool:
    if held == asked:
        return True
    if not held.endswith(":*"):
        return False
    return asked.startswith(held[:-1]) and not asked.endswith(":*")


def scope_reasons(claims: Mapping[str, Any], action: str, resource: str) -> list[str]:
    """Returns why the scope of verified claims does not include an action. Empty if it does."""
    scope = claims["svc_scope"]
    reasons = []
    if not is_action(action) or action not in scope["actions"]:
        reasons.append("action_not_in_scope")
    if not is_resource(resource) or not any(covers(held, resource) for held in scope["resources"]):
        reasons.append("resource_not_in_scope")
    return reasons


# Constraints that do not restrict the action itself.
_UNRELATED_LIMITS = frozenset({"max_delegation_depth", "allowed_audiences", "verification_providers"})


def is_self_contained(claims: Mapping[str, Any]) -> bool:
    """Whether the claims alone decide what the token allows: no limits kept by the service and no policies."""
    limits = claims.get("svc_constraints", {})
    if "svc_policy_assertions" in claims or not isinstance(limits, Mapping):
        return False
    return all(name in _UNRELATED_LIMITS or name.startswith("x_") for name in limits)


def is_resource(text: str) -> bool:
    """Whether `text` is a resource name: `<namespace>:<name>`. The first colon splits; the name may contain more."""
    namespace, colon, name = text.partition(":")
    return colon == ":" and _is_bounded(text) and _is_namespace(namespace) and _is_printable(name) and "*" not in name


def is_resource_pattern(text: str) -> bool:
    """Whether `text` is a resource name or the pattern `<namespace>:*`."""
    if not text.endswith(":*"):
        return is_resource(text)
    return _is_bounded(text) and _is_namespace(text[:-2])


def is_action(text: str) -> bool:
    """Whether `text` is an action verb. Single spaces are allowed between other characters."""
    words = text.split(" ")
    return _units(text) <= 128 and all(map(_is_printable, words)) and "*" not in text and _is_normal(text)


def _is_namespace(text: str) -> bool:
    return _is_printable(text) and ":" not in text and "*" not in text


def _is_printable(text: str) -> bool:
    """Whether `text` is not empty and has no spaces, control characters or format characters."""
    return text != "" and all(unicodedata.category(character)[0] not in "CZ" for character in text)


def _is_bounded(text: str) -> bool:
    return len(text.encode("utf-8", "surrogatepass")) <= 200 and _is_normal(text)


def _is_normal(text: str) -> bool:
    return unicodedata.is_normalized("NFC", text)


def _units(text: str) -> int:
    """Returns the length in UTF-16 code units, as the service counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
