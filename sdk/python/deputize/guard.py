"""Route guards, independent of the framework: authenticate the token, authorize the action, report problems.

A guard fails closed. While the service is unavailable every request gets 503, unless `when_away="verify_only"`. Then
requests pass without a record if their token verifies offline and has the action in scope, as long as the revocation
feed is recent. Tokens of other tenants, and tokens with limits that only the service can check, still get 503.
"""

import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Literal, TypeVar

from deputize._generated import Decision
from deputize.advice import with_advice
from deputize.authority import Action, authorized, end, end_async
from deputize.clients import AsyncDeputy, Deputy
from deputize.dpop import ExpectedProof, ReplayGuard, verify_proof
from deputize.bound_request import MAX_BODY_BYTES
from deputize.errors import DeputyError, Incomplete, NotAuthorized, ProofError, Refusal, TokenError, is_away
from deputize.outcome import check_metadata
from deputize.resource_metadata import ResourceDescription
from deputize.scope import is_resource, is_self_contained, scope_reasons
from deputize.tracing import ActionSpan, TracedAction, begin_span, error_type
from deputize.verifier import AsyncVerifier, Verifier

LOG: Final = logging.getLogger("deputize")
WhenAway = Literal["refuse", "verify_only"]
Client = TypeVar("Client", Deputy, AsyncDeputy)

_TIMEOUT_S: Final = 5.0
_MAX_RETRIES: Final = 1

_AUTHORIZATION: Final = re.compile(r"(Bearer|DPoP) +([A-Za-z0-9._~+/=-]+)", re.IGNORECASE)
_ALGS: Final = 'algs="EdDSA ES256"'
# As in the JavaScript SDK.
_TITLES: Final = {
    "credential_required": "Missing token",
    "credential_invalid": "The token or its proof was rejected",
    "not_allowed": "The token does not allow this action",
    "authority_unavailable": "The authority service is unavailable",
    "body_too_large": "The body is too long",
}
_NOT_YOURS: Final = (
    "The token was issued for another tenant or audience. Ask the person who granted it for a token for this API."
)


class BodyNotBound(RuntimeError):
    """The guard cannot know the bytes that the route sees. The route is set up incorrectly, so nothing is admitted."""

    def __init__(self, way_out: str) -> None:
        super().__init__(
            f"The guard cannot bind the body of this request. {way_out} Or pass bind_body=False for this route, which then"
            " accepts no approvals."
        )


class Problem(DeputyError):
    """A refusal, as the caller of the route sees it (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.headers = {"Content-Type": "application/problem+json", "Cache-Control": "no-store", **(headers or {})}
        members = {name: value for name, value in more.items() if value is not None}
        title = _TITLES.get(code) or HTTPStatus(status).phrase
        self.body: dict[str, Any] = {
            "type": f"/problems/{code}",
            "title": title,
            "status": status,
            "detail": detail,
            "code": code,
            **members,
        }


@dataclass
class GuardedAction(Action):
    """An action that the guard admitted, with the claims of the caller's token."""

    claims: dict[str, Any] = field(default_factory=dict)
    #: What was authorized, as in the metadata of the record.
    request: dict[str, Any] = field(default_factory=dict)
    #: All of the metadata that was authorized, with `request`.
    authorized_metadata: dict[str, Any] = field(default_factory=dict)
    #: False if the service was unavailable and the guard admitted a verified token (`verify_only`).
    is_recorded: bool = True

    def __setattr__(self, name: str, value: object) -> None:
        if name == "metadata" and isinstance(value, Mapping):
            check_metadata({**value, **self.authorized_metadata})  # both are reported
        super().__setattr__(name, value)

    def as_parent(self) -> AbstractContextManager[None]:
        return super().as_parent() if self.is_recorded else nullcontext()


@dataclass(frozen=True)
class PresentedCredential:
    """The credential of a request, not verified."""

    scheme: str
    compact_jwt: str
    proof: str | None
    method: str
    target: str
    #: The trace context of the request.
    trace: Mapping[str, str] = field(default_factory=dict)
    #: The approval that the request is made with (header `Deputy-Approval`).
    approval_id: str | None = None


@dataclass(frozen=True)
class WantedAction:
    """The action that a request asks for."""

    action: str
    resource: str
    #: See `deputize.bound_request`.
    request: dict[str, Any]
    bind_body: bool = True
    #: The estimated cost. It is reserved while the route runs.
    spend_usd: float | None = None
    #: Facts of the route, kept with the record next to the request.
    metadata: Mapping[str, Any] | None = None

    def authorized_metadata(self) -> dict[str, Any]:
        """The metadata that is authorized, and that an approval covers."""
        return {**(self.metadata or {}), "request": self.request}


@dataclass(frozen=True)
class RequestHeaders:
    """The headers of a request that a guard reads, including repeated ones."""

    authorizations: list[str]
    proofs: list[str]
    approvals: list[str]
    trace: Mapping[str, str]


def read_credential(method: str, path: str, headers: RequestHeaders) -> PresentedCredential:
    """Returns the credential of a request. Raises Problem 401. `path` is the path as sent."""
    authorizations, proofs, approvals = headers.authorizations, headers.proofs, headers.approvals
    if not authorizations:
        raise _unauthorized("credential_required", "Send the agent's token in the Authorization header (DPoP or Bearer).", None)
    found = _AUTHORIZATION.fullmatch(authorizations[0]) if len(authorizations) == 1 else None
    if found is None or len(proofs) > 1 or len(approvals) > 1:
        detail = "The Authorization header must hold one Bearer or DPoP credential."
        raise _unauthorized("credential_invalid", detail, "credential_malformed")
    if found.group(2).startswith("vat_"):
        raise _unauthorized("credential_invalid", "This is the token's ID. Send its compact_jwt.", "malformed")
    scheme = "DPoP" if found.group(1).lower() == "dpop" else "Bearer"
    proof, approval_id = (sent[0] if sent else None for sent in (proofs, approvals))
    return PresentedCredential(scheme, found.group(2), proof, method, path, headers.trace, approval_id)


class _Rules:
    """The rules that both guards share. No I/O."""

    def __init__(
        self,
        public_url: str,
        when_away: WhenAway,
        replays: ReplayGuard | None,
        clock: Callable[[], float],
        allow_bearer: bool | None,
        is_keyed: bool,
    ) -> None:
        if when_away not in ("refuse", "verify_only"):
            raise ValueError("when_away must be \"refuse\" or \"verify_only\"")
        self.public_url = public_url.rstrip("/")
        self.when_away: WhenAway = when_away
        self.replays = replays or ReplayGuard(clock=clock)
        self.clock = clock
        self._allow_bearer = allow_bearer
        self._is_keyed = is_keyed
        #: This API's tenant, learned from the first decision: the service decides only about tokens of that tenant.
        self.tenant: str | None = None

    def allows_bearer(self, access: str | None) -> bool:
        """Whether tokens that are not bound to a key may pass without the service."""
        if self._allow_bearer is not None:
            return self._allow_bearer
        return not self._is_keyed and access == "open"

    def check_binding(self, presented: PresentedCredential, claims: Mapping[str, Any]) -> None:
        """Raises Problem unless a token that is bound to a key has a proof by that key, made for this request."""
        if "cnf" not in claims:
            if presented.scheme == "DPoP":
                detail = "The token is not bound to a key, so it cannot be used with a DPoP proof. Send it as Bearer."
                raise _unauthorized("credential_invalid", detail, "token_not_bound")
            return
        confirmation = claims["cnf"]
        jkt = confirmation.get("jkt") if isinstance(confirmation, dict) else None
        # An unknown confirmation method still binds the token, so it must not pass as unbound.
        if not isinstance(jkt, str):
            raise _unauthorized("credential_invalid", "The token is bound by an unknown confirmation method.", "bad_claim")
        if presented.scheme != "DPoP" or presented.proof is None:
            raise _unauthorized("credential_invalid", "The token is bound to a key and needs a DPoP proof.", "proof_required")
        url = self.public_url + presented.target
        try:
            expected = ExpectedProof(presented.method, url, presented.compact_jwt, jkt, self.clock())
            self.replays.admit(verify_proof(presented.proof, expected))
        except ProofError as error:
            if error.reason == "too_many":
                raise unavailable() from None
            if error.reason == "replayed":
                raise _unauthorized("credential_invalid", "The DPoP proof was used before.", "proof_replayed") from None
            detail = "The DPoP proof was not made for this request, or not with the key of the token."
            raise _unauthorized("credential_invalid", detail, error.reason) from None

    def refused_token(self, error: TokenError) -> Problem:
        if error.code in ("standing_unavailable", "keys_unavailable"):
            return unavailable()
        if error.code in ("token_revoked", "token_suspended"):
            return _denied([error.code])
        return _unauthorized("credential_invalid", str(error), error.code)

    def admitted(
        self, decision: Decision, wanted: WantedAction, claims: dict[str, Any], span: ActionSpan
    ) -> GuardedAction:
        self.tenant = _tenant_of(claims)
        try:
            action = authorized(decision, wanted.action, wanted.resource, span)
        except NotAuthorized as error:
            if error.approval_id is not None and not wanted.bind_body:
                raise _approval_not_bound() from None
            raise _denied(error.reasons or [error.reason], error) from None
        return GuardedAction(
            action.aar_id,
            action.decision,
            span=span,
            claims=claims,
            request=wanted.request,
            authorized_metadata=wanted.authorized_metadata(),
        )

    def without_decision(
        self, error: Exception, wanted: WantedAction, claims: dict[str, Any], span: ActionSpan, access: str | None
    ) -> GuardedAction:
        """Returns the action if a request that the service did not decide may pass. Otherwise raises Problem."""
        if isinstance(error, Refusal) and error.status == 401 and error.problem.get("reason") not in (None, "key_refused"):
            raise _unauthorized("credential_invalid", "The service rejected this token.", error.problem["reason"]) from None
        if isinstance(error, Refusal) and error.code == "token_unknown":
            raise _unauthorized("credential_invalid", "The service did not issue this token.", "not_issued") from None
        if isinstance(error, Refusal) and error.code == "not_yours":
            raise _not_allowed(_NOT_YOURS, ["not_yours"]) from None
        if not is_away(error):
            LOG.error("the service did not decide, or refused the guard's own credential: %s", error)
            raise unavailable(getattr(error, "retry_after_s", None)) from None
        # Any tenant can issue tokens with any audience and scope, so only tokens of this API's tenant count offline.
        is_ours = is_self_contained(claims) and _tenant_of(claims) == self.tenant
        is_bound = "cnf" in claims or self.allows_bearer(access)
        if self.when_away == "refuse" or not is_ours or not is_bound:
            raise unavailable() from None
        reasons = scope_reasons(claims, wanted.action, wanted.resource)
        if reasons:
            raise _denied(reasons) from None
        LOG.warning(
            "admitted %s on %s without a record, the service is unavailable: %s", wanted.action, wanted.resource, error
        )
        return GuardedAction(
            "", {}, span=span, claims=claims, request=wanted.request, is_recorded=False  # type: ignore[typeddict-item]
        )

    @staticmethod
    def check_approval(presented: PresentedCredential, bind_body: bool) -> None:
        if presented.approval_id is not None and not bind_body:
            raise _approval_not_bound()

    @staticmethod
    def check_resource(resource: object) -> str:
        """Returns a valid resource name. Routes may build names from caller input, so each is validated."""
        if isinstance(resource, str) and is_resource(resource):
            return resource
        detail = f"{json.dumps(resource, default=str)} is not a valid resource name."
        raise _not_allowed(detail, ["resource_not_in_scope"])


def _tenant_of(claims: Mapping[str, Any]) -> str:
    return str(claims.get("svc_tenant", "default"))


def unavailable(retry_after_s: float | None = None) -> Problem:
    headers = {"Retry-After": str(int(retry_after_s or 1))}
    return Problem(503, "authority_unavailable", "The authority service is unavailable. Try again.", headers)


def body_too_large(max_bytes: int) -> Problem:
    return Problem(413, "body_too_large", f"The body is longer than {max_bytes} bytes.", {"Connection": "close"})


def _denied(reasons: list[str], error: NotAuthorized | None = None) -> Problem:
    """Returns a 403 with the reasons and what would help, in the service's wording."""
    details, denial_id, approval_id = (error.details, error.denial_id, error.approval_id) if error else ([], None, None)
    detail = with_advice("The token does not allow this", reasons, details)
    if approval_id is not None:
        detail += (
            f" GET /v1/vat/approvals/{approval_id} of the authority service shows when it is approved. Then send the same"
            f" request again with the header Deputy-Approval: {approval_id}."
        )
    return _not_allowed(detail, reasons, details=details or None, denial_id=denial_id, approval_id=approval_id)


def _approval_not_bound() -> Problem:
    detail = (
        "This action needs an approval, and this route accepts none, because it does not bind the body. Ask the person who"
        " granted the token for one that needs no approval for it."
    )
    return _not_allowed(detail, ["approval_not_bound"])


def _not_allowed(detail: str, reasons: list[str], **more: Any) -> Problem:
    return Problem(403, "not_allowed", detail, reason=reasons[0], reasons=reasons, **more)


def _unauthorized(code: str, detail: str, reason: str | None) -> Problem:
    error = "" if reason is None else 'error="invalid_token", '
    return Problem(401, code, detail, {"WWW-Authenticate": f"DPoP {error}{_ALGS}, Bearer"}, reason=reason)


def with_metadata(problem: Problem, url: str) -> Problem:
    """Names the metadata of the API in the challenge (RFC 9728 section 5.1)."""
    challenge = problem.headers.get("WWW-Authenticate")
    if challenge is not None:
        where = f'resource_metadata="{url}"'
        problem.headers["WWW-Authenticate"] = challenge.replace(", Bearer", f", {where}, Bearer {where}")
    return problem


def _span(
    deputy: Deputy | AsyncDeputy, presented: PresentedCredential, claims: Mapping[str, Any], wanted: WantedAction
) -> ActionSpan:
    """Begins a child of the active span or, if there is none, of the caller's. Works without a tracing SDK."""
    traced = TracedAction(wanted.action, wanted.action, wanted.resource, claims["jti"], claims.get("sub"))
    span = begin_span(deputy.tracing, traced, presented.trace)
    span.add_facts({"spend_usd": wanted.spend_usd})
    return span


def _keep_authorized(action: GuardedAction) -> None:
    """Adds the authorized metadata to what the route set, which replaces the record's."""
    if action.metadata is not None:
        action.metadata = {**action.metadata, **action.authorized_metadata}


def _impatient(deputy: Client, timeout_s: float | None, max_retries: int | None) -> Client:
    """Returns the client of a guard, whose callers wait: with its limits or, by default, short ones."""
    return deputy.with_options(
        timeout_s=min(_TIMEOUT_S, deputy.timeout_s) if timeout_s is None else timeout_s,
        max_retries=min(_MAX_RETRIES, deputy.max_retries) if max_retries is None else max_retries,
    )


class Guard:
    """The guard for sync frameworks."""

    def __init__(
        self,
        deputy: Deputy,
        *,
        public_url: str,
        audience: str | None = None,
        when_away: WhenAway = "refuse",
        verifier: Verifier | None = None,
        replays: ReplayGuard | None = None,
        clock: Callable[[], float] = time.time,
        allow_bearer: bool | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
        timeout_s: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        self._deputy = _impatient(deputy, timeout_s, max_retries)
        # The work is done by then, so its report is worth as many attempts as the client makes.
        self._reporter = deputy.with_options(timeout_s=self._deputy.timeout_s)
        self._rules = _Rules(public_url, when_away, replays, clock, allow_bearer, deputy.credential is not None)
        self.max_body_bytes = max_body_bytes
        self.description = ResourceDescription(audience, public_url)
        self._verifier = verifier or Verifier(self._deputy, audience=audience, clock=clock)

    def prove(self, presented: PresentedCredential) -> dict[str, Any]:
        """Returns the verified claims of the caller's token. Raises Problem."""
        rules = self._rules
        try:
            if rules.when_away == "refuse":
                claims = self._verifier.verify_signed(presented.compact_jwt)
            else:
                claims = self._verifier.verify_token(presented.compact_jwt)
        except TokenError as error:
            raise rules.refused_token(error) from None
        rules.check_binding(presented, claims)
        return claims

    def check(self, presented: PresentedCredential, resource: object, bind_body: bool) -> str:
        """Returns the resource name. Raises Problem if it is invalid, or if there is an approval but no bound body."""
        self._rules.check_approval(presented, bind_body)
        return self._rules.check_resource(resource)

    def begin(self, presented: PresentedCredential, claims: dict[str, Any], wanted: WantedAction) -> GuardedAction:
        """Authorizes one action. Raises Problem unless it is allowed."""
        span = _span(self._deputy, presented, claims, wanted)
        try:
            return self._decided(presented, claims, wanted, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    def _decided(
        self, presented: PresentedCredential, claims: dict[str, Any], wanted: WantedAction, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(presented.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = deputy.authorize(
                    vat_jti=claims["jti"],
                    action=wanted.action,
                    resource=wanted.resource,
                    spend_usd=wanted.spend_usd,
                    metadata=wanted.authorized_metadata(),
                    approval_id=presented.approval_id,
                )
        except DeputyError as error:
            return self._rules.without_decision(error, wanted, claims, span, self._verifier.access)
        return self._rules.admitted(decision, wanted, claims, span)

    def metadata(self) -> dict[str, Any]:
        """Returns the metadata of this API (RFC 9728)."""
        deployment = self._deputy.get_deployment()
        is_bearer = self._rules.allows_bearer(deployment["access"])
        return self.description.document(deployment["issuer"], is_bearer)

    def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """Reports the outcome. If that fails, the failure is logged and the record stays pending until it expires."""
        if not action.is_recorded:
            return action.end_span(error)
        _keep_authorized(action)
        try:
            end(self._reporter, action, error)
        except Incomplete as failure:
            LOG.error("%s", failure)


class AsyncGuard:
    """The guard for async frameworks."""

    def __init__(
        self,
        deputy: AsyncDeputy,
        *,
        public_url: str,
        audience: str | None = None,
        when_away: WhenAway = "refuse",
        verifier: AsyncVerifier | None = None,
        replays: ReplayGuard | None = None,
        clock: Callable[[], float] = time.time,
        allow_bearer: bool | None = None,
        max_body_bytes: int = MAX_BODY_BYTES,
        timeout_s: float | None = None,
        max_retries: int | None = None,
    ) -> None:
        self._deputy = _impatient(deputy, timeout_s, max_retries)
        # The work is done by then, so its report is worth as many attempts as the client makes.
        self._reporter = deputy.with_options(timeout_s=self._deputy.timeout_s)
        self._rules = _Rules(public_url, when_away, replays, clock, allow_bearer, deputy.credential is not None)
        self.max_body_bytes = max_body_bytes
        self.description = ResourceDescription(audience, public_url)
        self._verifier = verifier or AsyncVerifier(self._deputy, audience=audience, clock=clock)

    async def prove(self, presented: PresentedCredential) -> dict[str, Any]:
        """Like `Guard.prove`."""
        rules = self._rules
        try:
            if rules.when_away == "refuse":
                claims = await self._verifier.verify_signed(presented.compact_jwt)
            else:
                claims = await self._verifier.verify_token(presented.compact_jwt)
        except TokenError as error:
            raise rules.refused_token(error) from None
        rules.check_binding(presented, claims)
        return claims

    def check(self, presented: PresentedCredential, resource: object, bind_body: bool) -> str:
        """Like `Guard.check`."""
        self._rules.check_approval(presented, bind_body)
        return self._rules.check_resource(resource)

    async def begin(self, presented: PresentedCredential, claims: dict[str, Any], wanted: WantedAction) -> GuardedAction:
        """Like `Guard.begin`."""
        span = _span(self._deputy, presented, claims, wanted)
        try:
            return await self._decided(presented, claims, wanted, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    async def _decided(
        self, presented: PresentedCredential, claims: dict[str, Any], wanted: WantedAction, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(presented.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = await deputy.authorize(
                    vat_jti=claims["jti"],
                    action=wanted.action,
                    resource=wanted.resource,
                    spend_usd=wanted.spend_usd,
                    metadata=wanted.authorized_metadata(),
                    approval_id=presented.approval_id,
                )
        except DeputyError as error:
            return self._rules.without_decision(error, wanted, claims, span, self._verifier.access)
        return self._rules.admitted(decision, wanted, claims, span)

    async def metadata(self) -> dict[str, Any]:
        """Like `Guard.metadata`."""
        deployment = await self._deputy.get_deployment()
        is_bearer = self._rules.allows_bearer(deployment["access"])
        return self.description.document(deployment["issuer"], is_bearer)

    async def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """Like `Guard.end`."""
        if not action.is_recorded:
            return action.end_span(error)
        _keep_authorized(action)
        try:
            await end_async(self._reporter, action, error)
        except Incomplete as failure:
            LOG.error("%s", failure)
