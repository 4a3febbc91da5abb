"""Offline verification of tokens: caches the keys and follows the revocation feed."""

import asyncio
import time
from collections.abc import Callable, Generator
from threading import Lock
from typing import Any, Final, Literal, TypeAlias

from deputize.clients import AsyncDeputy, Deputy
from deputize.errors import BadAnswer, DeputyError, KeyRefused, TokenError
from deputize.jwk import read_ed25519_jwk
from deputize.jws import VerificationKey, VerifierContext, decode_compact, verify_token
from deputize.scope import scope_reasons
from deputize.revocations import RevocationFeed, StatusList

# `_Core` does no I/O: its generators yield requests and receive answers, so both verifiers share it.
_Ask: TypeAlias = tuple[Literal["deployment", "keys", "status_list"]] | tuple[Literal["revocations"], int]
_Asking: TypeAlias = Generator[_Ask, Any, None]

_UNKNOWN_KEY_PAUSE_S: Final = 1.0
_FAILURE_PAUSE_S: Final = 1.0
_LOCK_CHECK_S: Final = 0.05


class _Core:
    """The state and rules of a verifier."""

    def __init__(
        self,
        *,
        issuer: str | None,
        audience: str | None,
        refresh_s: float,
        max_stale_s: float,
        keys_refresh_s: float,
        clock_skew_s: int,
        clock: Callable[[], float],
    ) -> None:
        if max_stale_s < refresh_s:
            raise ValueError("max_stale_s must be at least refresh_s")
        self.issuer = issuer
        self._audience = audience
        self._refresh_s = refresh_s
        self._max_stale_s = max_stale_s
        self._keys_refresh_s = keys_refresh_s
        self._clock_skew_s = clock_skew_s
        self._clock = clock
        self._keys: dict[str, VerificationKey] = {}
        self._keys_at_s = float("-inf")
        #: The numbers of the last key read that was started, and of the last that has ended.
        self.key_reads = 0
        self._key_reads_ended = 0
        # The time of the last read, except the first: right after the first, a new key may need another.
        self._keys_repeated_at_s = float("-inf")
        #: `open` or `keyed`, once the service has reported it.
        self.access: str | None = None
        self._feed = RevocationFeed()
        self._feed_at_s = float("-inf")
        self._list: StatusList | None = None
        self._list_at_s = float("-inf")
        self._failed_at_s = float("-inf")

    def note_failure(self) -> None:
        """Pauses refreshing after a failure, so that not every token waits for a timeout."""
        self._failed_at_s = self._clock()

    def is_usable(self, kid: str | None, is_followed: bool) -> bool:
        """Whether the cached state may be used while another caller refreshes it."""
        is_known = not is_followed or self._clock() - self._feed_at_s <= self._max_stale_s
        return self.issuer is not None and kid in self._keys and is_known

    def is_fresh(self, kid: str | None, is_followed: bool, key_reads: int) -> bool:
        """Whether nothing needs to be refreshed for a caller that arrived after `key_reads` reads were started."""
        now_s = self._clock()
        if 0 <= now_s - self._failed_at_s < min(self._refresh_s, _FAILURE_PAUSE_S):
            return True
        return (
            self.issuer is not None
            and (not is_followed or now_s - self._feed_at_s < self._refresh_s)
            and now_s - self._keys_at_s < self._keys_refresh_s
            and not self._is_unknown(kid, key_reads)
        )

    def _is_unknown(self, kid: str | None, key_reads: int) -> bool:
        """Whether the key is unknown, and no read that was started after `key_reads` has ended."""
        return kid is not None and kid not in self._keys and self._key_reads_ended <= key_reads

    def unknown_key_wait_s(self, kid: str | None, key_reads: int) -> float:
        """Seconds until the next read. All callers with unknown keys share one read a second, so none is refused."""
        if not self._is_unknown(kid, key_reads):
            return 0
        return max(0.0, self._keys_repeated_at_s + _UNKNOWN_KEY_PAUSE_S - self._clock())

    def refreshing(self, kid: str | None, is_followed: bool, key_reads: int) -> _Asking:
        """Refreshes outdated state. After a failure, the cached state stays in use until it is too old."""
        now_s = self._clock()
        if self.issuer is None:
            deployment = yield ("deployment",)
            issuer, self.access = deployment.get("issuer"), deployment.get("access")
            if not isinstance(issuer, str):
                raise BadAnswer("the service metadata has no issuer")
            self.issuer = issuer
        is_old = now_s - self._keys_at_s >= self._keys_refresh_s
        if is_old or self._is_unknown(kid, key_reads):
            self.key_reads += 1
            if self._keys:
                self._keys_repeated_at_s = now_s
            self._take_keys((yield ("keys",)))
            self._key_reads_ended = self.key_reads
        if is_followed and now_s - self._feed_at_s >= self._refresh_s:
            yield from self._following(now_s)

    def _following(self, now_s: float) -> _Asking:
        has_more = True
        while has_more:
            page = yield ("revocations", self._feed.until)
            statement = str(page.get("jwt"))
            try:
                has_more = self._follow(statement)
            except BadAnswer as error:
                # The statement may be signed with a key that is newer than the cached ones.
                if not isinstance(error.__cause__, TokenError) or error.__cause__.code != "unknown_key":
                    raise
                self._take_keys((yield ("keys",)))
                has_more = self._follow(statement)
        self._feed_at_s = now_s

    def _follow(self, statement: str) -> bool:
        return self._feed.follow(statement, self._context("revocations+jwt"), self._max_stale_s)

    def listing(self) -> _Asking:
        now_s = self._clock()
        if now_s - self._list_at_s >= self._refresh_s:
            self._list = StatusList((yield ("status_list",)), self._context("statuslist+jwt"), self._max_stale_s)
            self._list_at_s = now_s

    def _take_keys(self, answer: Any) -> None:
        keys: dict[str, VerificationKey] = {}
        for each in answer.get("keys", []):
            try:
                jwk = read_ed25519_jwk({name: each.get(name) for name in ("kty", "crv", "x")})
            except (AttributeError, KeyRefused):
                continue
            if each.get("alg") == "EdDSA" and isinstance(each.get("kid"), str):
                keys[each["kid"]] = VerificationKey(each["kid"], jwk, purpose=each.get("purpose"))
        self._keys = keys
        self._keys_at_s = self._clock()

    def _context(self, typ: str, audience: str | None = None) -> VerifierContext:
        return VerifierContext(
            now_s=self._clock(),
            issuer=self.issuer or "",
            key=self._keys.get,
            typ=typ,
            audience=audience,
            clock_skew_s=self._clock_skew_s,
        )

    def signed(self, token: str, audience: str | None) -> dict[str, Any]:
        """Verifies signature, times, issuer and audience."""
        if self._clock() - self._keys_at_s > self._keys_refresh_s + self._max_stale_s:
            raise TokenError("keys_unavailable", "The cached keys are too old and the service is unavailable.")
        return verify_token(token, self._context("vat+jwt", audience or self._audience))

    def judged(self, token: str, audience: str | None) -> dict[str, Any]:
        """Like `signed`, but also checks the revocation feed."""
        claims = self.signed(token, audience)
        if self._clock() - self._feed_at_s > self._max_stale_s:
            raise TokenError("standing_unavailable", "The revocation feed is too old and the service is unavailable.")
        # A thief can write any date into a token, so every token of a withdrawn key is refused.
        if self._feed.is_withdrawn(_kid_of(token)):
            raise TokenError("withdrawn_key", "The key that signed this token was withdrawn.")
        _refuse(self._feed.fault_of(claims))
        return claims

    def needs_status_list(self, claims: dict[str, Any]) -> bool:
        return self._feed.needs_status_list(claims)

    def judged_by_list(self, claims: dict[str, Any]) -> None:
        if self._list is None or self._clock() - self._list_at_s > self._max_stale_s:
            raise TokenError("standing_unavailable", "The status list is too old and the service is unavailable.")
        _refuse(self._list.fault_of(claims))


def _refuse(fault: str | None) -> None:
    if fault is not None:
        raise TokenError(f"token_{fault}", f"The token or one of its ancestors is {fault}.")


def _kid_of(token: str) -> str | None:
    if not isinstance(token, str):
        raise TypeError("token must be the compact JWT of a token, such as token[\"compact_jwt\"]")
    kid = decode_compact(token).header.get("kid")
    return kid if isinstance(kid, str) else None


def _in_scope(claims: dict[str, Any], action: str | None, resource: str | None) -> dict[str, Any]:
    if action is not None or resource is not None:
        if action is None or resource is None:
            raise ValueError("pass both action and resource, or neither")
        reasons = scope_reasons(claims, action, resource)
        if reasons:
            raise TokenError(reasons[0], "The scope of the token does not include this action on this resource.")
    return claims


class Verifier:
    """Verifies tokens in this process. Threads may share one.

    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> verifier = Verifier(deputy)
    >>> token = deputy.issue_l1(
    ...     developer_email="dev@example.com", agent_id="bot", resources=["calendar:*"], actions=["read"]
    ... )
    >>> claims = verifier.verify_token(token["compact_jwt"], action="read", resource="calendar:events")
    >>> claims["sub"]
    'agent:bot'

    A revocation takes effect at the first check after `refresh_s`. While the service is unavailable, the cached state is
    used for `max_stale_s`; after that every token is rejected with `standing_unavailable`.
    """

    def __init__(
        self,
        deputy: Deputy,
        *,
        issuer: str | None = None,
        audience: str | None = None,
        refresh_s: float = 5.0,
        max_stale_s: float = 60.0,
        keys_refresh_s: float = 300.0,
        clock_skew_s: int = 5,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._deputy = deputy
        self._lock = Lock()
        self._core = _Core(
            issuer=issuer,
            audience=audience,
            refresh_s=refresh_s,
            max_stale_s=max_stale_s,
            keys_refresh_s=keys_refresh_s,
            clock_skew_s=clock_skew_s,
            clock=clock,
        )

    def verify_token(
        self,
        token: str,
        *,
        audience: str | None = None,
        action: str | None = None,
        resource: str | None = None,
    ) -> dict[str, Any]:
        """Returns the claims of a valid token that is not revoked. Raises TokenError.

        With `action` and `resource`, its scope must include them. Budgets, counts, hours and approvals are not checked:
        only the service knows them, so call `authorize` for those.
        """
        self._refresh(_kid_of(token), True)
        claims = self._core.judged(token, audience)
        if self._core.needs_status_list(claims):
            with self._lock:
                self._drive(self._core.listing())
            self._core.judged_by_list(claims)
        return _in_scope(claims, action, resource)

    @property
    def access(self) -> str | None:
        """The access mode of the service (`open` or `keyed`), if it was read."""
        return self._core.access

    @property
    def issuer(self) -> str | None:
        """The issuer that tokens must name, if it is set or was read."""
        return self._core.issuer

    def verify_signed(self, token: str, *, audience: str | None = None) -> dict[str, Any]:
        """Like `verify_token` without the revocation check, for callers that call `authorize` next."""
        self._refresh(_kid_of(token), False)
        return self._core.signed(token, audience)

    def _refresh(self, kid: str | None, is_followed: bool) -> None:
        core, key_reads = self._core, self._core.key_reads
        if core.is_fresh(kid, is_followed, key_reads):
            return
        if core.is_usable(kid, is_followed):
            if not self._lock.acquire(blocking=False):
                return
        else:
            # The lock is not fair, so waiting threads check whether another has read what they need.
            while not self._lock.acquire(timeout=_LOCK_CHECK_S):
                if core.is_fresh(kid, is_followed, key_reads):
                    return
        try:
            if not core.is_fresh(kid, is_followed, key_reads):
                time.sleep(core.unknown_key_wait_s(kid, key_reads))
                self._drive(core.refreshing(kid, is_followed, key_reads))
        finally:
            self._lock.release()

    def _drive(self, asking: _Asking) -> None:
        """Runs a refresh. Failures are only noted: verification decides whether the cached state is recent enough."""
        try:
            ask = next(asking)
            while True:
                ask = asking.send(self._answer(ask))
        except StopIteration:
            return
        except DeputyError:
            self._core.note_failure()

    def _answer(self, ask: _Ask) -> Any:
        if ask[0] == "revocations":
            return self._deputy.list_revocations(since=ask[1])
        if ask[0] == "keys":
            return self._deputy.get_key_set()
        if ask[0] == "deployment":
            return self._deputy.get_deployment()
        return self._deputy.get_status_list()


class AsyncVerifier:
    """Like `Verifier`, for one event loop.

    >>> import asyncio
    >>> async def verify(compact_jwt: str) -> str:
    ...     async with AsyncDeputy("http://127.0.0.1:8420") as deputy:
    ...         return (await AsyncVerifier(deputy).verify_token(compact_jwt))["sub"]
    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> token = deputy.issue_l1(developer_email="dev@example.com", agent_id="bot", resources=["a:b"], actions=["read"])
    >>> asyncio.run(verify(token["compact_jwt"]))
    'agent:bot'
    """

    def __init__(
        self,
        deputy: AsyncDeputy,
        *,
        issuer: str | None = None,
        audience: str | None = None,
        refresh_s: float = 5.0,
        max_stale_s: float = 60.0,
        keys_refresh_s: float = 300.0,
        clock_skew_s: int = 5,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._deputy = deputy
        self._lock = asyncio.Lock()
        self._core = _Core(
            issuer=issuer,
            audience=audience,
            refresh_s=refresh_s,
            max_stale_s=max_stale_s,
            keys_refresh_s=keys_refresh_s,
            clock_skew_s=clock_skew_s,
            clock=clock,
        )

    async def verify_token(
        self,
        token: str,
        *,
        audience: str | None = None,
        action: str | None = None,
        resource: str | None = None,
    ) -> dict[str, Any]:
        """Like `Verifier.verify_token`."""
        await self._refresh(_kid_of(token), True)
        claims = self._core.judged(token, audience)
        if self._core.needs_status_list(claims):
            async with self._lock:
                await self._drive(self._core.listing())
            self._core.judged_by_list(claims)
        return _in_scope(claims, action, resource)

    @property
    def access(self) -> str | None:
        """Like `Verifier.access`."""
        return self._core.access

    @property
    def issuer(self) -> str | None:
        """Like `Verifier.issuer`."""
        return self._core.issuer

    async def verify_signed(self, token: str, *, audience: str | None = None) -> dict[str, Any]:
        """Like `Verifier.verify_signed`."""
        await self._refresh(_kid_of(token), False)
        return self._core.signed(token, audience)

    async def _refresh(self, kid: str | None, is_followed: bool) -> None:
        core, key_reads = self._core, self._core.key_reads
        if core.is_fresh(kid, is_followed, key_reads):
            return
        if self._lock.locked() and core.is_usable(kid, is_followed):
            return
        async with self._lock:
            if not core.is_fresh(kid, is_followed, key_reads):
                await asyncio.sleep(core.unknown_key_wait_s(kid, key_reads))
                await self._drive(core.refreshing(kid, is_followed, key_reads))

    async def _drive(self, asking: _Asking) -> None:
        try:
            ask = next(asking)
            while True:
                ask = asking.send(await self._answer(ask))
        except StopIteration:
            return
        except DeputyError:
            self._core.note_failure()

    async def _answer(self, ask: _Ask) -> Any:
        if ask[0] == "revocations":
            return await self._deputy.list_revocations(since=ask[1])
        if ask[0] == "keys":
            return await self._deputy.get_key_set()
        if ask[0] == "deployment":
            return await self._deputy.get_deployment()
        return await self._deputy.get_status_list()
