"""The texts of denials: reasons, what they are about, and what would help. Tests compare them with JavaScript's."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from unicodedata import category

from deputize.canonical import canonical_json

ADVICE: Final = {
    "token_revoked": "The token was revoked. Ask the person who granted it for a new one.",
    "token_suspended": "The token is suspended. Ask the person who granted it, or an operator, to resume it.",
    "agent_suspended": (
        "The agent is suspended. An operator can resume it, and so can a developer if a developer suspended it."
    ),
    "token_expired": "The token has expired. Ask for a new one.",
    "token_not_yet_valid": "The token is not valid yet.",
    "record_closed": (
        "The action record of this request was cancelled or has expired, and with it the permission. Ask again with "
        "another Idempotency-Key."
    ),
    "action_not_in_scope": (
        "The token does not allow this action. Ask the person who granted it for a token that does."
    ),
    "resource_not_in_scope": (
        "The token does not cover this resource. Ask the person who granted it for a token that does."
    ),
    "argument_not_allowed": (
        "The token does not allow these arguments. Change them, or ask the person who granted it for other limits."
    ),
    "outside_hours": "The token works only during certain hours. Try again then.",
    "budget_exceeded": (
        "The budget is used up, or the spend is more than the token has left or allows per action. Ask for less, "
        "or ask the person who granted the token for a larger budget. GET /v1/vat/tokens/{jti}/budget shows what "
        "is left."
    ),
    "period_budget_exceeded": (
        "The spend is more than is left in this period. Ask for less, or try again when the next period begins "
        "(resets_at)."
    ),
    "action_limit": "The token has reached its maximum number of actions.",
    "rate_limit": "Too many actions in a short time. Wait, then try again.",
    "reputation_too_low": (
        "The gate_score of the agent is lower than the token requires. It rises with actions that resource servers"
        " observe and that people rate well; what the agent reports itself counts little."
    ),
    "vouch_score_too_low": (
        "Too few people vouch for the agent. Ask people whom verified people vouch for to vouch for it (POST "
        "/v1/vat/trust/vouches); GET /v1/vat/trust/scores/{subject}?explain=1 shows what the score rests on."
    ),
    "approval_denied": (
        "A person denied this action. Do not try it again, nor with small changes: after five denials in a row, "
        "your requests reach no person for a while."
    ),
    "approval_limit_root": (
        "Too many requests for approval are open: 50 below this root token, or 25 of one agent that it delegated to. "
        "Wait until a person has decided some."
    ),
    "approval_limit_person": (
        "The person has 100 requests for approval open, which is the limit. Wait until they have decided some."
    ),
    "approval_required": "A person must approve this action first.",
}


def with_advice(sentence: str, reasons: Sequence[str], details: Sequence[Mapping[str, Any]] = ()) -> str:
    """Returns every reason and what it is about, then what helps against the first, which is the most final."""
    return f"{sentence}: {_with_details(reasons, details)}. {ADVICE.get(reasons[0], '')}".rstrip()


def denied_words(
    call: Mapping[str, str],
    reasons: Sequence[str],
    details: Sequence[Mapping[str, Any]],
    approval_state: str | None,
    approval_id: str | None,
    denial_id: str | None,
) -> str:
    """Returns what a model reads when a call is denied: why, and what would help."""
    return _words(
        call,
        f"Reasons: {_with_details(reasons, details)}.",
        *(ADVICE.get(reason, "") for reason in reasons),
        "The approval was not decided in time." if approval_state == "expired" else "",
        "" if approval_id is None else f"The approval is {approval_id}.",
        "" if denial_id is None else f"The denial is stored as {denial_id}.",
    )


def refused_words(call: Mapping[str, str], code: str, message: str) -> str:
    """Returns the text for a refused request: the token is unknown, the credential invalid, or the rules are wrong."""
    return _words(
        call,
        f"The authority service refused: {message} ({code})",
        "The operator of the guard must fix this. Trying again does not help.",
    )


def unavailable_words(call: Mapping[str, str]) -> str:
    return _words(call, "The authority service cannot be reached, so the call was not made. Try again later.")


def _words(call: Mapping[str, str], *lines: str) -> str:
    tool, action, resource = (_on_one_line(call[name]).replace(" ", "_") for name in ("tool", "action", "resource"))
    return "\n".join([f"Not done: {tool} ({action} on {resource}) is not allowed.", *filter(None, lines)])


def _with_details(reasons: Sequence[str], details: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(reason + _members(reason, details) for reason in reasons)


def _members(reason: str, details: Sequence[Mapping[str, Any]]) -> str:
    """Returns the members of a reason's first detail, such as ` (path: /amount, rule: max)`."""
    first = next((each for each in details if each.get("reason") == reason), {})
    shown = [f"{name}: {_on_one_line(value)}" for name, value in first.items() if name != "reason"]
    return f" ({', '.join(shown)})" if shown else ""


def _on_one_line(value: object) -> str:
    """Returns a value from a token, bounded and on one line: a model reads it, and must not mistake it for advice."""
    shown = "".join(" " if category(each)[0] in "CZ" else each for each in _text(value)[:200])
    return re.sub(" +", " ", shown)


def _text(value: object) -> str:
    """Returns the value as JavaScript writes it: small amounts without an exponent, `true` and not `True`."""
    try:
        return str(value) if isinstance(value, str) else canonical_json(value)
    except ValueError:
        return str(value)
