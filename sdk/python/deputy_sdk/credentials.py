"""Who is calling. In open mode nobody needs to say; in keyed mode every call carries one of these."""

from dataclasses import dataclass, field
from typing import Protocol

from deputy_sdk.dpop import AgentKey, make_proof


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

    def headers(self, method: str, url: str, nonce: str | None) -> dict[str, str]:
        proof = make_proof(self.key, method, url, self.compact_jwt, nonce=nonce)
        return {"Authorization": f"DPoP {self.compact_jwt}", "DPoP": proof}
