"""Route guards, independent of the framework: authenticate the token, authorize the action, report problems.

A guard fails closed. While the service is unavailable every request gets 503, unless `when_away="verify_only"`. Then
requests pass, unrecorded, whose token verifies offline and has the action in scope, as long as the revocation feed is
recent. Tokens of other tenants, and tokens with limits that only the service can check, still get 503.
"""

import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final, Literal

from deputize._generated import Decision
from deputize.authority import Action, authorized, end, end_async
from deputize.clients import AsyncDeputy, Deputy
from deputize.dpop import ExpectedProof, ReplayGuard, verify_proof
from deputize.errors import DeputyError, Incomplete, NotAuthorized, ProofError, Refusal, TokenError, is_unavailable
from deputize.scope import allows, is_resource, is_self_contained
from deputize.tracing import ActionSpan, TracedAction, begin_span, error_type
from deputize.verifier import AsyncVerifier, Verifier

LOG: Final = logging.getLogger("deputize")
WhenAway = Literal["refuse", "verify_only"]

_AUTHORIZATION: Final = re.compile(r"(Bearer|DPoP) +([A-Za-z0-9._~+/=-]+)", re.IGNORECASE)
_SCHEMES: Final = 'DPoP algs="EdDSA ES256", Bearer'


class Problem(DeputyError):
    """A refusal, as the caller of the route sees it (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.headers = {"Content-Type": "application/problem+json", **(headers or {})}
        members = {name: value for name, value in more.items() if value is not None}
        title = HTTPStatus(status).phrase
        self.body: dict[str, Any] = {
            "type": f"urn:deputy:problem:{code}",
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
    #: False if the service was unavailable and the guard admitted a verified token (`verify_only`).
    is_recorded: bool = True


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


def read_credential(
    method: str, target: str, authorizations: list[str], proofs: list[str], trace: Mapping[str, str]
) -> PresentedCredential:
    """The credential of a request. Raises Problem 401. `target` is the path as sent."""
    if not authorizations:
        raise _unauthorized("credential_required", "Send the agent's token in the Authorization header (DPoP or Bearer).", None)
    found = _AUTHORIZATION.fullmatch(authorizations[0]) if len(authorizations) == 1 else None
    if found is None or len(proofs) > 1:
        raise _unauthorized("credential_invalid", "Send exactly one credential in the Authorization header.", "malformed")
    scheme = "DPoP" if found.group(1).lower() == "dpop" else "Bearer"
    return PresentedCredential(scheme, found.group(2), proofs[0] if proofs else None, method, target, trace)


class _Rules:
    """The rules that both guards share. No I/O."""

    def __init__(
        self,
        public_url: str,
        when_away: WhenAway,
        replays: ReplayGuard | None,
        clock: Callable[[], float],
    ) -> None:
        if when_away not in ("refuse", "verify_only"):
            raise ValueError("when_away must be \"refuse\" or \"verify_only\"")
        self.public_url = public_url.rstrip("/")
        self.when_away: WhenAway = when_away
        self.replays = replays or ReplayGuard(clock=clock)
        self.clock = clock
        #: Our tenant, learned from the first decision: the service decides only about tokens of our own tenant.
        self.tenant: str | None = None

    def check_binding(self, presented: PresentedCredential, claims: Mapping[str, Any]) -> None:
        """A token that is bound to a key needs a proof of that key, made for this request."""
        if "cnf" not in claims:
            if presented.scheme == "DPoP":
                raise _unauthorized("credential_invalid", "The token isn't bound to a key. Send it as Bearer.", "token_not_bound")
            return
        confirmation = claims["cnf"]
        jkt = confirmation.get("jkt") if isinstance(confirmation, dict) else None
        # An unknown confirmation method still binds the token, so it must not pass as unbound.
        if not isinstance(jkt, str):
            raise _unauthorized("credential_invalid", "The token is bound by an unknown confirmation method.", "bad_claim")
        if presented.scheme != "DPoP" or presented.proof is None:
            raise _unauthorized("credential_invalid", "The token needs a DPoP proof.", "proof_required")
        url = self.public_url + presented.target
        try:
            expected = ExpectedProof(presented.method, url, presented.compact_jwt, jkt, self.clock())
            self.replays.admit(verify_proof(presented.proof, expected))
        except ProofError as error:
            raise _unauthorized("credential_invalid", "The DPoP proof doesn't match this request.", error.reason) from None

    def refused_token(self, error: TokenError) -> Problem:
        if error.code == "standing_unknown":
            return unavailable()
        if error.code in ("revoked", "suspended"):
            return Problem(403, "not_allowed", str(error), reason=f"token_{error.code}", reasons=[f"token_{error.code}"])
        return _unauthorized("credential_invalid", str(error), error.code)

    def admitted(self, decision: Decision, claims: dict[str, Any], span: ActionSpan) -> GuardedAction:
        self.tenant = _tenant_of(claims)
        try:
            action = authorized(decision, span)
        except NotAuthorized as error:
            raise Problem(
                403,
                "not_allowed",
                "The token does not allow this.",
                reason=error.reason,
                reasons=error.reasons,
                denial_id=error.denial_id,
                approval_id=error.approval_id,
            ) from None
        return GuardedAction(action.aar_id, action.decision, span=span, claims=claims)

    def without_decision(
        self, error: Exception, action: str, resource: str, claims: dict[str, Any], span: ActionSpan
    ) -> GuardedAction:
        """The result of a request that the service did not decide."""
        if isinstance(error, Refusal) and error.code == "token_unknown":
            raise _unauthorized("credential_invalid", "The service did not issue this token.", "not_issued") from None
        if isinstance(error, Refusal) and error.code == "not_yours":
            raise Problem(403, "not_allowed", "The token was issued for another tenant or audience.", reason="not_yours") from None
        if not is_unavailable(error):
            LOG.error("the guard's own credential was refused by the service: %s", error)
            raise unavailable() from None
        # Any tenant can issue tokens with any audience and scope, so only tokens of our own tenant count offline.
        if self.when_away == "refuse" or not is_self_contained(claims) or _tenant_of(claims) != self.tenant:
            raise unavailable() from None
        if not allows(claims, action, resource):
            raise Problem(403, "not_allowed", "The token's scope doesn't include this action.", reason="not_in_scope") from None
        LOG.warning("admitted %s on %s without a record, the service is unavailable: %s", action, resource, error)
        return GuardedAction("", {}, span=span, claims=claims, is_recorded=False)  # type: ignore[typeddict-item]

    @staticmethod
    def check_resource(resource: object) -> str:
        """Routes may build resource names from caller input, so every name is validated."""
        if isinstance(resource, str) and is_resource(resource):
            return resource
        reason = "resource_not_in_scope"
        raise Problem(403, "not_allowed", "This is not a valid resource name.", reason=reason, reasons=[reason])


def _tenant_of(claims: Mapping[str, Any]) -> str:
    return str(claims.get("svc_tenant", "default"))


def unavailable() -> Problem:
    return Problem(
        503, "authority_unavailable", "The authority service is unavailable. Try again.", {"Retry-After": "1"}
    )


def _unauthorized(code: str, detail: str, reason: str | None) -> Problem:
    error = "" if reason is None else ' error="invalid_token",'
    return Problem(401, code, detail, {"WWW-Authenticate": _SCHEMES.replace("DPoP", f"DPoP{error}", 1)}, reason=reason)


def _span(
    deputy: Deputy | AsyncDeputy, presented: PresentedCredential, claims: Mapping[str, Any], action: str, resource: str
) -> ActionSpan:
    """A child of the active span or, if there is none, of the caller's. Works without a tracing SDK."""
    traced = TracedAction(action, action, resource, claims["jti"], claims.get("sub"))
    return begin_span(deputy.tracing, traced, presented.trace)


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
    ) -> None:
        self._deputy = deputy
        self._rules = _Rules(public_url, when_away, replays, clock)
        self._verifier = verifier or Verifier(deputy, audience=audience, clock=clock)

    def prove(self, presented: PresentedCredential) -> dict[str, Any]:
        """The verified claims of the caller's token. Raises Problem."""
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

    def begin(self, presented: PresentedCredential, claims: dict[str, Any], action: str, resource: object) -> GuardedAction:
        """Authorizes one action. Raises Problem unless it is allowed."""
        name = self._rules.check_resource(resource)
        span = _span(self._deputy, presented, claims, action, name)
        try:
            return self._decided(presented, claims, action, name, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    def _decided(
        self, presented: PresentedCredential, claims: dict[str, Any], action: str, resource: str, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(presented.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = deputy.authorize(vat_jti=claims["jti"], action=action, resource=resource)
        except DeputyError as error:
            return self._rules.without_decision(error, action, resource, claims, span)
        return self._rules.admitted(decision, claims, span)

    def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """Reports the outcome. If that fails, the failure is logged and the record stays pending until it expires."""
        if not action.is_recorded:
            return action.end_span(error)
        try:
            end(self._deputy, action, error)
        except Incomplete as failure:
            LOG.error("%s: %s", failure, failure.__cause__)


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
    ) -> None:
        self._deputy = deputy
        self._rules = _Rules(public_url, when_away, replays, clock)
        self._verifier = verifier or AsyncVerifier(deputy, audience=audience, clock=clock)

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

    async def begin(self, presented: PresentedCredential, claims: dict[str, Any], action: str, resource: object) -> GuardedAction:
        """Like `Guard.begin`."""
        name = self._rules.check_resource(resource)
        span = _span(self._deputy, presented, claims, action, name)
        try:
            return await self._decided(presented, claims, action, name, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    async def _decided(
        self, presented: PresentedCredential, claims: dict[str, Any], action: str, resource: str, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(presented.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = await deputy.authorize(vat_jti=claims["jti"], action=action, resource=resource)
        except DeputyError as error:
            return self._rules.without_decision(error, action, resource, claims, span)
        return self._rules.admitted(decision, claims, span)

    async def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """Like `Guard.end`."""
        if not action.is_recorded:
            return action.end_span(error)
        try:
            await end_async(self._deputy, action, error)
        except Incomplete as failure:
            LOG.error("%s: %s", failure, failure.__cause__)
