"""Revoked and suspended tokens: the signed revocation feed and status list of the service."""

import hashlib
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from deputize import base64url
from deputize.errors import BadAnswer, TokenError
from deputize.issuer import is_same_issuer
from deputize.jws import VerifierContext, decode_compact, verify_signature

MAX_STATEMENT_BYTES: Final = 64 * 1024 * 1024
_MAX_LIST_BYTES: Final = 64 * 1024 * 1024
_LIST_PATH: Final = "/v1/vat/status-list"
_REVOKED, _SUSPENDED = 1, 2


class RevocationFeed:
    """The revocation feed, read up to log index `until`."""

    def __init__(self) -> None:
        self.until = 0
        self._revoked_tokens: set[str] = set()
        self._suspended: set[tuple[str, ...]] = set()
        # Agents and people, each with the time in milliseconds up to which their tokens are revoked.
        self._revoked_holders: dict[tuple[str, ...], float] = {}
        self._withdrawn_keys: set[str] = set()
        # The tenant whose agents and people the feed names. None means all tenants.
        self._tenant: object = None

    def follow(self, statement: str, context: VerifierContext, max_age_s: float) -> bool:
        """Applies one page of the feed and returns whether there are more. Raises BadAnswer if the page is invalid."""
        payload = read_statement(statement, context, max_age_s)
        since, until, entries = payload.get("since"), payload.get("until"), payload.get("entries")
        if since != self.until or not isinstance(until, int) or until < self.until or not isinstance(entries, list):
            raise BadAnswer("the revocation feed does not continue at the last position")
        try:
            for entry in entries:
                self._apply(entry)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise BadAnswer("the revocation feed has an invalid entry") from error
        self.until = until
        self._tenant = payload.get("tenant_id")
        return payload.get("has_more") is True

    def _apply(self, entry: Mapping[str, Any]) -> None:
        if entry.get("kind") == "withdrawn":
            self._withdrawn_keys.add(str(entry["kid"]))
            return
        subject, kind = _subject(entry), entry.get("kind")
        if kind == "suspended":
            self._suspended.add(subject)
        elif kind == "resumed":
            self._suspended.discard(subject)
        elif kind != "revoked":
            raise BadAnswer("the revocation feed has an entry of unknown kind")
        elif subject[0] == "token":
            self._revoked_tokens.add(subject[1])
        else:
            at_ms = datetime.fromisoformat(entry["at"].replace("Z", "+00:00")).timestamp() * 1000
            self._revoked_holders[subject] = max(at_ms, self._revoked_holders.get(subject, 0))

    def is_withdrawn(self, kid: str | None) -> bool:
        """Whether the service withdrew this signing key."""
        return kid in self._withdrawn_keys

    def fault_of(self, claims: Mapping[str, Any]) -> str | None:
        """Returns `revoked` or `suspended` if that applies to the token, its parent, root, agents or person."""
        tokens = [token_ref(claims[name]) for name in _TOKENS if isinstance(claims.get(name), str)]
        holders = list(_holders(claims))
        if any(token in self._revoked_tokens for token in tokens):
            return "revoked"
        # Revoking an agent or a person covers tokens issued before. `iat` has whole seconds, so that second counts too.
        if any(claims["iat"] * 1000 <= self._revoked_holders.get(holder, -1) for holder in holders):
            return "revoked"
        if any(subject in self._suspended for subject in [*(("token", token) for token in tokens), *holders]):
            return "suspended"
        return None

    def needs_status_list(self, claims: Mapping[str, Any]) -> bool:
        """Whether the feed may not name every token, agent and person that this token depends on."""
        if self._tenant not in (None, claims.get("svc_tenant", "default")):
            return True
        return not _names_its_chain(claims)


_TOKENS: Final = ("jti", "svc_parent_jti", "svc_root_jti", "svc_renews_jti")


def _names_its_chain(claims: Mapping[str, Any]) -> bool:
    """Whether the claims name every token that this one depends on: it is a root, or was delegated by one.

    A renewed token also depends on all earlier renewals, and so does every token below it.
    """
    is_near_root = claims.get("svc_parent_jti") in (None, claims.get("svc_root_jti"))
    return is_near_root and "svc_renews_jti" not in claims


def token_ref(jti: str) -> str:
    """Returns the public reference of a token: the hash of its ID."""
    return f"sha256:{hashlib.sha256(jti.encode()).hexdigest()}"


def _subject(entry: Mapping[str, Any]) -> tuple[str, ...]:
    if isinstance(entry.get("token"), str):
        return ("token", entry["token"])
    if isinstance(entry.get("agent_id"), str):
        return ("agent", entry.get("tenant_id", "default"), entry["agent_id"])
    if isinstance(entry.get("human_ref"), str):
        return ("human", entry["human_ref"])
    raise BadAnswer("the revocation feed has an entry with an unknown subject")


def _holders(claims: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    tenant = claims.get("svc_tenant", "default")
    yield ("agent", tenant, claims["sub"])
    actor = claims.get("act")
    while isinstance(actor, dict):
        yield ("agent", tenant, str(actor.get("sub")))
        actor = actor.get("act")
    if isinstance(claims.get("svc_human_ref"), str):
        yield ("human", claims["svc_human_ref"])


def is_status_list(uri: object) -> bool:
    """Whether this is the address of the status list. Early versions of the service write only its path."""
    return isinstance(uri, str) and urlsplit(uri).path == _LIST_PATH


class StatusList:
    """The status list: two bits per token."""

    def __init__(self, statement: str, context: VerifierContext, max_age_s: float) -> None:
        payload = read_statement(statement, context, max_age_s)
        status_list = payload.get("status_list")
        if not is_status_list(payload.get("sub")) or not isinstance(status_list, dict) or status_list.get("bits") != 2:
            raise BadAnswer("the status list is malformed")
        try:
            unpacking = zlib.decompressobj()
            self._list = unpacking.decompress(base64url.decode(status_list.get("lst", "")), _MAX_LIST_BYTES)
        except (ValueError, zlib.error) as error:
            raise BadAnswer("the status list cannot be decompressed") from error
        if not unpacking.eof:
            raise BadAnswer("the status list cannot be decompressed")

    def fault_of(self, claims: Mapping[str, Any]) -> str | None:
        status = claims.get("status")
        entry = status.get("status_list") if isinstance(status, dict) else None
        index = entry.get("idx") if isinstance(entry, dict) and is_status_list(entry.get("uri")) else None
        if not isinstance(index, int) or index < 0 or index // 4 >= len(self._list):
            raise TokenError("standing_unavailable", "The status list has no entry for this token.")
        value = self._list[index // 4] >> (index % 4) * 2 & 3
        return {0: None, _REVOKED: "revoked", _SUSPENDED: "suspended"}.get(value, "revoked")


def read_statement(statement: str, context: VerifierContext, max_age_s: float) -> dict[str, Any]:
    """Returns the payload of a signed, recent statement of the service."""
    try:
        parts = decode_compact(statement, MAX_STATEMENT_BYTES)
        verify_signature(parts, context)
    except TokenError as error:
        raise BadAnswer(f"a signed statement of the service is invalid: {error.code}") from error
    iat = parts.payload.get("iat")
    if not is_same_issuer(parts.payload.get("iss"), context.issuer) or not isinstance(iat, (int, float)):
        raise BadAnswer("a signed statement has another issuer")
    if not context.now_s - max_age_s <= iat <= context.now_s + max_age_s:
        raise BadAnswer("a signed statement is too old or in the future; check the clocks")
    return parts.payload
