"""All exceptions of the SDK. They derive from DeputyError."""

from collections.abc import Mapping
from typing import Any

from deputize.advice import with_advice


class DeputyError(Exception):
    """The base class of all exceptions in this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        # By default, pickle and copy call __init__ with the message, which is not its argument.
        return _without_init, (type(self), self.args), self.__dict__


def _without_init(kind: type[DeputyError], args: tuple[Any, ...]) -> DeputyError:
    return kind.__new__(kind, *args)


class Unreachable(DeputyError):
    """The service did not answer in time. It may or may not have acted on the call."""

    code = "unreachable"


class BadAnswer(DeputyError):
    """The answer is not from the service but perhaps from a proxy. `status` is its HTTP status if it is an error."""

    code = "unexpected_answer"

    def __init__(self, detail: str, status: int | None = None) -> None:
        self.status = status
        super().__init__(detail)


class Refusal(DeputyError):
    """The service refused the call with an RFC 9457 problem. Each code has its own subclass in `deputize.api`.

    >>> from deputize.api import TokenUnknownError
    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> try:
    ...     deputy.get_token("vat_root_0")
    ... except TokenUnknownError as error:
    ...     print(error.status, error.code)
    404 token_unknown
    """

    def __init__(self, problem: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        self.status: int = problem["status"]
        self.code: str = problem["code"]
        self.title: str = problem.get("title", "")
        self.detail: str = problem.get("detail", "")
        self.request_id: str = problem.get("request_id", "")
        #: One entry per invalid field.
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        #: The whole problem, including members of single codes such as `reasons` or `widening`.
        self.problem: dict[str, Any] = dict(problem)
        self.retry_after_s = retry_after_s
        super().__init__(f"{self.code}: {_sentences(self.title, self.detail)}")


def _sentences(title: str, detail: str) -> str:
    """Joins the title, which says what is wrong, and the detail, which says how to fix it and can be unclear alone."""
    if not title or title in detail:
        return detail
    return f"{title}. {detail}" if detail else title


class NotAuthorized(DeputyError):
    """The token does not allow the action.

    `reasons` says why, and `details` which argument, period or score it is about. `denial_id` is the stored denial, and
    `approval_id` the approval request, if one was opened. `decision` is the whole answer of the service. If the action
    waited for the approval, `approval_state` is its state when the wait ended, and `note` is the note of the person who
    denied it.
    """

    code = "not_allowed"

    def __init__(
        self, decision: Mapping[str, Any], action: str, resource: str, approval: Mapping[str, Any] | None = None
    ) -> None:
        self.decision: dict[str, Any] = dict(decision)
        self.action = action
        self.resource = resource
        self.approval_state: str | None = None if approval is None else approval["state"]
        self.note: str | None = None if approval is None else approval.get("note")
        is_denied = self.approval_state == "denied"
        self.reasons: list[str] = ["approval_denied"] if is_denied else list(decision.get("reasons") or [])
        self.reason: str = self.reasons[0] if self.reasons else "not_allowed"
        self.details: list[dict[str, Any]] = list(decision.get("details") or [])
        self.denial_id: str | None = decision.get("denial_id")
        self.approval_id: str | None = decision.get("approval_id")
        said = with_advice(f"{action} on {resource} is not allowed", self.reasons or [self.reason], self.details)
        super().__init__(" ".join(filter(None, [said, self._way_on()])))

    def _way_on(self) -> str | None:
        """Returns a sentence on what became of the approval, or on how to wait for it."""
        if self.approval_id is None or self.approval_state == "denied":
            return None
        if self.approval_state is None:
            return f"Wait for it with wait_for_approval, or pass approval_id={self.approval_id!r} once it is approved."
        if self.approval_state == "pending":
            return f"{self.approval_id} is still pending."
        return f"{self.approval_id} was not decided in time."


class ToolDenied(DeputyError):
    """A governed tool was not run. The message is for the model: it says why and what would help.

    `denial` has `tool`, `action` and `resource`; `code` (`denied`, `unavailable`, or an error code if there was no
    decision); `reasons`; and `details`, `denial_id`, `approval_id`, `approval_state`, `note` and `provenance_ref`, if
    any.
    """

    code = "tool_denied"

    def __init__(self, message: str, denial: Mapping[str, Any]) -> None:
        self.denial: dict[str, Any] = {name: value for name, value in denial.items() if value is not None}
        super().__init__(message)


class PersonNotVerified(DeputyError):
    """A verification ended without a verified person. Nothing was issued.

    `state` says how it ended (`judged`, `cancelled` or `expired`), and `reasons` why, in plain words.
    """

    code = "not_verified"

    def __init__(self, seen: Mapping[str, Any]) -> None:
        self.session_id: str = seen["session_id"]
        self.state: str = seen["state"]
        self.decision: str | None = seen.get("decision")
        self.reasons: list[str] = list(seen["reasons"])
        why = " ".join(self.reasons) or f"the session is {self.state}"
        super().__init__(f"the person was not verified: {why}")


class Incomplete(DeputyError):
    """The action ran, but its outcome could not be reported: the record `aar_id` is still pending.

    `value` is the return value of a decorated function, and `__cause__` is why the report failed.
    """

    code = "completion_failed"

    def __init__(self, aar_id: str, value: Any = None, cause: Exception | None = None) -> None:
        self.aar_id = aar_id
        self.value = value
        why = "" if cause is None else f": {str(cause) or type(cause).__name__}"
        super().__init__(f"the work is done, but the outcome of {aar_id} could not be reported{why}")


class TokenError(DeputyError):
    """A token failed offline verification. `code` is one of TOKEN_CODES."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        super().__init__(detail)


class ProofError(DeputyError):
    """A DPoP proof is invalid for this request. `reason` is one of PROOF_REASONS."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"the DPoP proof is refused: {reason}")


class KeyRefused(DeputyError):
    """A public key is invalid or unsafe. The message never contains key material."""

    def __init__(self, reason: str, detail: str) -> None:
        self.reason = reason
        super().__init__(detail)


def is_away(error: Exception) -> bool:
    """Whether the service is really away.

    A rate limit or an overload doesn't count, or callers could cause one to act without a record.
    """
    if isinstance(error, Unreachable):
        return True
    status = getattr(error, "status", None)
    return status in (502, 503, 504) and getattr(error, "code", None) != "overloaded"


class WebhookRefused(DeputyError):
    """A webhook is not genuine, is too old or too new, or is not an event. `code` says which. Respond with 400."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        super().__init__(detail)
