"""Who is calling. In open mode nobody needs to say; in keyed mode every call carries one of these."""

from dataclasses import dataclass, field
from typing import Protocol

from deputize.dpop import AgentKey, make_proof
from deputize.errors import TokenError
from deputize.jws import decode_compact


class Credential(Protocol):
    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        """What one attempt carries. `nonce` is what the service asked for last, if it did."""
        ...


@dataclass(frozen=True)
class ApiKey:
    """`dk_...`: of a role in a tenant."""

    key: str = field(repr=False)

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@dataclass(frozen=True)
class BearerToken:
    """The agent's own token, where it is bound to no key and the tenant allows that."""

    compact_jwt: str = field(repr=False)

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.compact_jwt}"}


@dataclass(frozen=True)
class DpopToken:
    """The agent's own token, with a fresh proof of its key in every request."""

    compact_jwt: str = field(repr=False)
    key: AgentKey

    def __post_init__(self) -> None:
        if not isinstance(self.key, AgentKey):
            raise TypeError("key has to be the AgentKey that the token is bound to")
        if self.compact_jwt.startswith("vat_"):
            raise ValueError("the compact JWT of the token is needed (token[\"compact_jwt\"]), not its id")

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        proof = make_proof(self.key, method, url, self.compact_jwt, nonce=nonce)
        return {"Authorization": f"DPoP {self.compact_jwt}", "DPoP": proof}


def agent_of(credential: Credential | None, vat_jti: str) -> str | None:
    """The agent that calls, where its own token says so and is the one in question."""
    if not isinstance(credential, (BearerToken, DpopToken)):
        return None
    try:
        payload = decode_compact(credential.compact_jwt).payload
    except TokenError:
        return None
    agent_id = payload.get("sub")
    return agent_id if payload.get("jti") == vat_jti and isinstance(agent_id, str) else None
