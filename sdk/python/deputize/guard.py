"""What stands before a route, whatever the framework: who shows which token, may they, and how a no is told.

A guard fails closed. While the service is away every request gets 503, unless `when_away="verify_only"` was chosen: then
tokens that are good offline and reach the action pass, for as long as the feed of revocations is young enough, and what
they do is not recorded. Tokens with limits that only the service keeps, and those of other tenants, never pass so.
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
from deputize.errors import DeputyError, Incomplete, NotAuthorized, ProofError, Refusal, TokenError, is_away
from deputize.scope import allows, is_resource, says_all
from deputize.tracing import ActionSpan, TracedAction, begin_span, error_type
from deputize.verifier import AsyncVerifier, Verifier

LOG: Final = logging.getLogger("deputize")
WhenAway = Literal["refuse", "verify_only"]

_AUTHORIZATION: Final = re.compile(r"(Bearer|DPoP) +([A-Za-z0-9._~+/=-]+)", re.IGNORECASE)
_SCHEMES: Final = 'DPoP algs="EdDSA ES256", Bearer'


class Problem(DeputyError):
    """A no, as the caller of the route sees it (RFC 9457)."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(f"{code}: {detail}")
        self.status = status
        self.code = code
        self.headers = {"Content-Type": "application/problem+json", **(headers or {})}
        told = {name: value for name, value in more.items() if value is not None}
        title = HTTPStatus(status).phrase
        self.body: dict[str, Any] = {
            "type": f"urn:deputy:problem:{code}",
            "title": title,
            "status": status,
            "detail": detail,
            "code": code,
            **told,
        }


@dataclass
class GuardedAction(Action):
    """An action that the guard let through, with the claims of the token that was shown."""

    claims: dict[str, Any] = field(default_factory=dict)
    #: False when the service was away and the guard was told to let verified tokens pass.
    is_recorded: bool = True


@dataclass(frozen=True)
class Shown:
    """What a request showed. Nothing of it is proven."""

    scheme: str
    compact_jwt: str
    proof: str | None
    method: str
    target: str
    #: The trace that the caller says the request belongs to.
    trace: Mapping[str, str] = field(default_factory=dict)


def read_shown(
    method: str, target: str, authorizations: list[str], proofs: list[str], trace: Mapping[str, str]
) -> Shown:
    """The one credential of a request, or a Problem 401. `target` is path and query as the caller sent them."""
    if not authorizations:
        raise _unauthorized("credential_required", "Show the token of the agent: Authorization: DPoP or Bearer.", None)
    found = _AUTHORIZATION.fullmatch(authorizations[0]) if len(authorizations) == 1 else None
    if found is None or len(proofs) > 1:
        raise _unauthorized("credential_invalid", "The Authorization header is not one credential.", "malformed")
    scheme = "DPoP" if found.group(1).lower() == "dpop" else "Bearer"
    return Shown(scheme, found.group(2), proofs[0] if proofs else None, method, target, trace)


class _Rules:
    """What both guards share: everything but calling."""

    def __init__(
        self,
        public_url: str,
        when_away: WhenAway,
        replays: ReplayGuard | None,
        clock: Callable[[], float],
    ) -> None:
        if when_away not in ("refuse", "verify_only"):
            raise ValueError("when_away is refuse or verify_only")
        self.public_url = public_url.rstrip("/")
        self.when_away: WhenAway = when_away
        self.replays = replays or ReplayGuard(clock=clock)
        self.clock = clock
        #: Ours, once the service has decided about a token: it does so for those of our tenant only.
        self.tenant: str | None = None

    def check_binding(self, shown: Shown, claims: Mapping[str, Any]) -> None:
        """A token that is bound to a key comes with a proof of it, made for this request."""
        if "cnf" not in claims:
            if shown.scheme == "DPoP":
                raise _unauthorized("credential_invalid", "The token is bound to no key.", "token_not_bound")
            return
        confirmation = claims["cnf"]
        jkt = confirmation.get("jkt") if isinstance(confirmation, dict) else None
        # A confirmation of a kind that we do not know binds the token to something, so it never passes as unbound.
        if not isinstance(jkt, str):
            raise _unauthorized("credential_invalid", "The token is bound in an unknown way.", "bad_claim")
        if shown.scheme != "DPoP" or shown.proof is None:
            raise _unauthorized("credential_invalid", "The token needs a DPoP proof.", "proof_required")
        url = self.public_url + shown.target
        try:
            expected = ExpectedProof(shown.method, url, shown.compact_jwt, jkt, self.clock())
            self.replays.admit(verify_proof(shown.proof, expected))
        except ProofError as error:
            raise _unauthorized("credential_invalid", "The DPoP proof is not one for this request.", error.reason) from None

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
        """What becomes of a request about which the service did not decide."""
        if isinstance(error, Refusal) and error.code == "token_unknown":
            raise _unauthorized("credential_invalid", "The token was not issued.", "not_issued") from None
        if isinstance(error, Refusal) and error.code == "not_yours":
            raise Problem(403, "not_allowed", "The token is meant for somebody else.", reason="not_yours") from None
        if not is_away(error):
            LOG.error("the guard itself is not allowed to ask: %s", error)
            raise unavailable() from None
        # Anybody can write any audience, and any scope, into the tokens of their own tenant.
        if self.when_away == "refuse" or not says_all(claims) or _tenant_of(claims) != self.tenant:
            raise unavailable() from None
        if not allows(claims, action, resource):
            raise Problem(403, "not_allowed", "The token does not reach this.", reason="not_in_scope") from None
        LOG.warning("%s on %s passes without a record: %s", action, resource, error)
        return GuardedAction("", {}, span=span, claims=claims, is_recorded=False)  # type: ignore[typeddict-item]

    @staticmethod
    def check_resource(resource: object) -> str:
        """A route may make a resource of what the caller sent, and that may be anything."""
        if isinstance(resource, str) and is_resource(resource):
            return resource
        reason = "resource_not_in_scope"
        raise Problem(403, "not_allowed", "There is no such resource.", reason=reason, reasons=[reason])


def _tenant_of(claims: Mapping[str, Any]) -> str:
    return str(claims.get("svc_tenant", "default"))


def unavailable() -> Problem:
    return Problem(
        503, "authority_unavailable", "Nobody can say now whether this is allowed. Try again.", {"Retry-After": "1"}
    )


def _unauthorized(code: str, detail: str, reason: str | None) -> Problem:
    error = "" if reason is None else ' error="invalid_token",'
    return Problem(401, code, detail, {"WWW-Authenticate": _SCHEMES.replace("DPoP", f"DPoP{error}", 1)}, reason=reason)


def _span(
    deputy: Deputy | AsyncDeputy, shown: Shown, claims: Mapping[str, Any], action: str, resource: str
) -> ActionSpan:
    """Below the active span; where there is none, below that of the caller, also without anybody who follows traces."""
    traced = TracedAction(action, action, resource, claims["jti"], claims.get("sub"))
    return begin_span(deputy.tracing, traced, shown.trace)


class Guard:
    """For frameworks whose handlers wait."""

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

    def prove(self, shown: Shown) -> dict[str, Any]:
        """The claims of the caller's token, or a Problem."""
        rules = self._rules
        try:
            if rules.when_away == "refuse":
                claims = self._verifier.verify_signed(shown.compact_jwt)
            else:
                claims = self._verifier.verify_token(shown.compact_jwt)
        except TokenError as error:
            raise rules.refused_token(error) from None
        rules.check_binding(shown, claims)
        return claims

    def begin(self, shown: Shown, claims: dict[str, Any], action: str, resource: object) -> GuardedAction:
        """Asks for one action. A Problem unless it is allowed."""
        name = self._rules.check_resource(resource)
        span = _span(self._deputy, shown, claims, action, name)
        try:
            return self._decided(shown, claims, action, name, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    def _decided(
        self, shown: Shown, claims: dict[str, Any], action: str, resource: str, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(shown.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = deputy.authorize(vat_jti=claims["jti"], action=action, resource=resource)
        except DeputyError as error:
            return self._rules.without_decision(error, action, resource, claims, span)
        return self._rules.admitted(decision, claims, span)

    def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """Tells the outcome. What was done is done: when it cannot be told, the record stays pending and expires."""
        if not action.is_recorded:
            return action.end_span(error)
        try:
            end(self._deputy, action, error)
        except Incomplete as failure:
            LOG.error("%s: %s", failure, failure.__cause__)


class AsyncGuard:
    """For frameworks with an event loop."""

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

    async def prove(self, shown: Shown) -> dict[str, Any]:
        """As `Guard.prove`."""
        rules = self._rules
        try:
            if rules.when_away == "refuse":
                claims = await self._verifier.verify_signed(shown.compact_jwt)
            else:
                claims = await self._verifier.verify_token(shown.compact_jwt)
        except TokenError as error:
            raise rules.refused_token(error) from None
        rules.check_binding(shown, claims)
        return claims

    async def begin(self, shown: Shown, claims: dict[str, Any], action: str, resource: object) -> GuardedAction:
        """As `Guard.begin`."""
        name = self._rules.check_resource(resource)
        span = _span(self._deputy, shown, claims, action, name)
        try:
            return await self._decided(shown, claims, action, name, span)
        except BaseException as error:
            span.end(error_type(error))
            raise

    async def _decided(
        self, shown: Shown, claims: dict[str, Any], action: str, resource: str, span: ActionSpan
    ) -> GuardedAction:
        try:
            deputy = self._deputy.presenting(shown.compact_jwt).in_trace(span.headers())
            with span.active():
                decision = await deputy.authorize(vat_jti=claims["jti"], action=action, resource=resource)
        except DeputyError as error:
            return self._rules.without_decision(error, action, resource, claims, span)
        return self._rules.admitted(decision, claims, span)

    async def end(self, action: GuardedAction, error: BaseException | None) -> None:
        """As `Guard.end`."""
        if not action.is_recorded:
            return action.end_span(error)
        try:
            await end_async(self._deputy, action, error)
        except Incomplete as failure:
            LOG.error("%s: %s", failure, failure.__cause__)
