"""Credentials. Open mode needs none; in keyed mode every call carries one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from deputize.dpop import AgentKey, make_proof
from deputize.errors import TokenError
from deputize.jws import decode_compact


class Credential(Protocol):
    """Identifies the caller. ApiKey, BearerToken and DpopToken implement it."""

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        """Returns the headers of one attempt. `nonce` is the last DPoP nonce from the service, if any."""
        ...


@dataclass(frozen=True)
class ApiKey:
    """An API key (`dk_...`), which has a role in a tenant.

    >>> deputy = Deputy("https://deputy.example.com", credential=ApiKey("dk_live_..."))
    """

    key: str = field(repr=False)

    def __post_init__(self) -> None:
        _check_secret("key", self.key, "an API key, such as dk_...")

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@dataclass(frozen=True)
class BearerToken:
    """An agent's own token that is not bound to a key. The tenant must allow unbound tokens.

    >>> deputy = Deputy("https://deputy.example.com", credential=BearerToken("eyJ..."))
    """

    compact_jwt: str = field(repr=False)

    def __post_init__(self) -> None:
        _check_compact(self.compact_jwt)

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.compact_jwt}"}


@dataclass(frozen=True)
class DpopToken:
    """An agent's own token, with a new DPoP proof in each request.

    >>> key = AgentKey.generate()
    >>> deputy = Deputy("https://deputy.example.com", credential=DpopToken("eyJ...", key))
    """

    compact_jwt: str = field(repr=False)
    key: AgentKey

    def __post_init__(self) -> None:
        if not isinstance(self.key, AgentKey):
            raise TypeError("key must be the AgentKey that the token is bound to")
        _check_compact(self.compact_jwt)

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        proof = make_proof(self.key, method, url, self.compact_jwt, nonce=nonce)
        return {"Authorization": f"DPoP {self.compact_jwt}", "DPoP": proof}


def claims_of(credential: Credential | None, vat_jti: str) -> Mapping[str, Any]:
    """Returns the unverified claims of the token `vat_jti` if it is the credential. Otherwise none are known."""
    if not isinstance(credential, (BearerToken, DpopToken)):
        return {}
    try:
        payload = decode_compact(credential.compact_jwt).payload
    except TokenError:
        return {}
    return payload if payload.get("jti") == vat_jti else {}


def _check_compact(compact_jwt: object) -> None:
    _check_secret("compact_jwt", compact_jwt, "the compact JWT of a token: token[\"compact_jwt\"]")
    if isinstance(compact_jwt, str) and compact_jwt.startswith("vat_"):
        raise ValueError("expected the compact JWT of the token (token[\"compact_jwt\"]), not its ID")


def _check_secret(name: str, value: object, expected: str) -> None:
    """Raises if the secret is unusable, such as from an unset environment variable. The value itself is never shown."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be {expected}. It is {type(value).__name__}")
    if re.fullmatch("[!-~]+", value) is None:
        raise ValueError(f"{name} must be {expected}. It is empty, or contains spaces or other invalid characters")
