"""What was revoked and suspended, as the signed statements of the service tell it."""

import hashlib
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from deputize import base64url
from deputize.errors import BadAnswer, TokenError
from deputize.jws import VerifierContext, decode_compact, verify_signature

MAX_STATEMENT_BYTES: Final = 64 * 1024 * 1024
_MAX_LIST_BYTES: Final = 64 * 1024 * 1024
_LIST_PATH: Final = "/v1/vat/status-list"
_REVOKED, _SUSPENDED = 1, 2


class Standing:
    """The feed of revocations, followed up to the place `until` of the log."""

    def __init__(self) -> None:
        self.until = 0
        self._revoked_tokens: set[str] = set()
        self._suspended: set[tuple[str, ...]] = set()
        # Marks on an agent or a person, with the time in milliseconds up to which they reach.
        self._revoked_holders: dict[tuple[str, ...], float] = {}

    def follow(self, statement: str, context: VerifierContext, max_age_s: float) -> bool:
        """Takes one page of the feed over. Answers whether there is more. BadAnswer unless every part of it fits."""
        payload = read_statement(statement, context, max_age_s)
        since, until, entries = payload.get("since"), payload.get("until"), payload.get("entries")
        if since != self.until or not isinstance(until, int) or until < self.until or not isinstance(entries, list):
            raise BadAnswer("the feed of revocations does not continue where it was left")
        try:
            for entry in entries:
                self._take(entry)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadAnswer("the feed of revocations cannot be read") from error
        self.until = until
        return payload.get("has_more") is True

    def _take(self, entry: Mapping[str, Any]) -> None:
        subject, kind = _subject(entry), entry.get("kind")
        if kind == "suspended":
            self._suspended.add(subject)
        elif kind == "resumed":
            self._suspended.discard(subject)
        elif kind != "revoked":
            raise BadAnswer("the feed of revocations tells of an unknown kind of change")
        elif subject[0] == "token":
            self._revoked_tokens.add(subject[1])
        else:
            at_ms = datetime.fromisoformat(entry["at"].replace("Z", "+00:00")).timestamp() * 1000
            self._revoked_holders[subject] = max(at_ms, self._revoked_holders.get(subject, 0))

    def fault_of(self, claims: Mapping[str, Any]) -> str | None:
        """`revoked` or `suspended`, by what the claims name: the token, its parent, its root, its agents, its person."""
        tokens = [token_ref(claims[name]) for name in _TOKENS if isinstance(claims.get(name), str)]
        holders = list(_holders(claims))
        if any(token in self._revoked_tokens for token in tokens):
            return "revoked"
        # A mark reaches what was issued before it. Tokens tell seconds, so the whole second counts as before.
        if any(claims["iat"] * 1000 <= self._revoked_holders.get(holder, -1) for holder in holders):
            return "revoked"
        if any(subject in self._suspended for subject in [*(("token", token) for token in tokens), *holders]):
            return "suspended"
        return None


_TOKENS: Final = ("jti", "svc_parent_jti", "svc_root_jti")


def token_ref(jti: str) -> str:
    """How a token is named wherever anybody may read it."""
    return f"sha256:{hashlib.sha256(jti.encode()).hexdigest()}"


def _subject(entry: Mapping[str, Any]) -> tuple[str, ...]:
    if isinstance(entry.get("token"), str):
        return ("token", entry["token"])
    if isinstance(entry.get("agent_id"), str):
        return ("agent", entry.get("tenant_id", "default"), entry["agent_id"])
    if isinstance(entry.get("human_ref"), str):
        return ("human", entry["human_ref"])
    raise BadAnswer("the feed of revocations tells of an unknown subject")


def _holders(claims: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    tenant = claims.get("svc_tenant", "default")
    yield ("agent", tenant, claims["sub"])
    actor = claims.get("act")
    while isinstance(actor, dict):
        yield ("agent", tenant, str(actor.get("sub")))
        actor = actor.get("act")
    if isinstance(claims.get("svc_human_ref"), str):
        yield ("human", claims["svc_human_ref"])


def needs_status_list(claims: Mapping[str, Any]) -> bool:
    """Claims name the token, its parent and its root. What lies between in a longer chain only the list knows."""
    depth = claims.get("svc_delegation_depth")
    return not isinstance(depth, int) or depth > 2


class StatusList:
    """Two bits for each token."""

    def __init__(self, statement: str, context: VerifierContext, max_age_s: float) -> None:
        payload = read_statement(statement, context, max_age_s)
        told = payload.get("status_list")
        if payload.get("sub") != _LIST_PATH or not isinstance(told, dict) or told.get("bits") != 2:
            raise BadAnswer("the status list is not one")
        try:
            unpacking = zlib.decompressobj()
            self._list = unpacking.decompress(base64url.decode(told.get("lst", "")), _MAX_LIST_BYTES)
        except (ValueError, zlib.error) as error:
            raise BadAnswer("the status list cannot be unpacked") from error
        if not unpacking.eof:
            raise BadAnswer("the status list cannot be unpacked")

    def fault_of(self, claims: Mapping[str, Any]) -> str | None:
        status = claims.get("status")
        told = status.get("status_list") if isinstance(status, dict) else None
        place = told.get("idx") if isinstance(told, dict) and told.get("uri") == _LIST_PATH else None
        if not isinstance(place, int) or place < 0 or place // 4 >= len(self._list):
            raise TokenError("standing_unknown", "The status list does not tell of this token.")
        value = self._list[place // 4] >> (place % 4) * 2 & 3
        return {0: None, _REVOKED: "revoked", _SUSPENDED: "suspended"}.get(value, "revoked")


def read_statement(statement: str, context: VerifierContext, max_age_s: float) -> dict[str, Any]:
    """The payload of something that the service states about itself, and did so a moment ago."""
    try:
        parts = decode_compact(statement, MAX_STATEMENT_BYTES)
        verify_signature(parts, context)
    except TokenError as error:
        raise BadAnswer(f"a statement of the service is refused: {error.code}") from error
    iat = parts.payload.get("iat")
    if parts.payload.get("iss") != context.issuer or not isinstance(iat, (int, float)):
        raise BadAnswer("a statement is of another issuer")
    if not context.now_s - max_age_s <= iat <= context.now_s + max_age_s:
        raise BadAnswer("a statement was not made just now; compare the clocks")
    return parts.payload
