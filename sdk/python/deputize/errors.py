"""Everything that the SDK raises. Whoever catches DeputyError catches all of it."""

from collections.abc import Mapping
from typing import Any


class DeputyError(Exception):
    """The base of all errors of this package."""


class Unreachable(DeputyError):
    """The service did not answer: it is away, or too slow. Whether it acted on the call is not known."""

    code = "unreachable"


class BadAnswer(DeputyError):
    """Something answered that is not the service, or not as it should."""


class Refusal(DeputyError):
    """The service said no, as an RFC 9457 problem. Each code has a class of its own below this one."""

    def __init__(self, problem: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        self.status: int = problem["status"]
        self.code: str = problem["code"]
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.request_id: str = problem.get("request_id", "")
        #: One entry for each field that does not fit.
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        #: The whole problem, with members that only some codes have, such as `reasons` or `widening`.
        self.problem: dict[str, Any] = dict(problem)
        self.retry_after_s = retry_after_s
        super().__init__(f"{self.code}: {self.detail}")


class NotAuthorized(DeputyError):
    """The rules say no to an action. `denial_id` names the evidence, `approval_id` the question to a human."""

    code = "not_allowed"

    def __init__(self, decision: Mapping[str, Any]) -> None:
        self.reasons: list[str] = list(decision.get("reasons") or [])
        self.reason: str = decision.get("reason") or "not_allowed"
        self.denial_id: str | None = decision.get("denial_id")
        self.approval_id: str | None = decision.get("approval_id")
        super().__init__(f"the action is not allowed: {', '.join(self.reasons) or self.reason}")


class Incomplete(DeputyError):
    """The action was done, but its outcome could not be written: the record `aar_id` is still pending."""

    def __init__(self, aar_id: str) -> None:
        self.aar_id = aar_id
        super().__init__(f"the outcome of {aar_id} could not be written")


class TokenError(DeputyError):
    """A token is refused offline. `code` is one of TOKEN_CODES."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        super().__init__(detail)


class ProofError(DeputyError):
    """A DPoP proof is not one for this request. `reason` is one of PROOF_REASONS."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the DPoP proof is refused: {reason}")


class KeyRefused(DeputyError):
    """A public key cannot stand for one holder. The message never repeats key material."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


def is_away(error: Exception) -> bool:
    """Whether an error says nothing about the question, because the service could not deal with it."""
    if isinstance(error, (Unreachable, BadAnswer)):
        return True
    return isinstance(error, Refusal) and (error.status >= 500 or error.status == 429)
