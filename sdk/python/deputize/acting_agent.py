"""An agent with its token: acts, delegates, and calls other services that accept the token."""

import sys
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypedDict, TypeVar

import httpx

from deputize._generated import ConstraintsInput, DelegatedToken
from deputize.authority import AsyncAuthority, Authority, Cost, Metadata, Resource, with_authority
from deputize.clients import AsyncDeputy, Deputy
from deputize.credentials import BearerToken, Credential, DpopToken
from deputize.dpop import AgentKey
from deputize.errors import TokenError
from deputize.jws import decode_compact
from deputize.transport import check_confidential

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

#: The answer of an issue or delegate call, its compact JWT or, in open mode, its ID alone.
TokenLike = str | Mapping[str, Any]

_Client = TypeVar("_Client", Deputy, AsyncDeputy)

_NO_TOKEN: Final = "token must be the answer of an issue call, its compact JWT, or its ID"


class ActionOptions(TypedDict, total=False):
    """Options of one action. See `with_authority`."""

    spend_usd: Cost | None
    parent_aar_id: str | None
    approval_id: str | None
    metadata: Metadata | None
    tool: str | None
    tool_call_id: str | None
    wait_for_approval: bool | float


class DelegationLimits(TypedDict, total=False):
    """The limits of a sub-agent. It inherits what you leave out, except the action `delegate`."""

    resources: Sequence[str] | None
    actions: Sequence[str] | None
    constraints: ConstraintsInput | None
    expires_in: int | None
    audience: str | None
    policy_assertions: Sequence[Literal["HIPAA", "HIPAA_L3", "SOC2", "SOC2_VOUCHED", "NIST_ZTA", "NIST_ZTA_L3"]] | None
    #: The public key of the sub-agent, if only the sub-agent has the key.
    agent_jwk: Mapping[str, Any] | None
    purpose: str | None
    idempotency_key: str | None


class _TokenAuth(httpx.Auth):
    """Sends the token, with a proof if it is bound to a key. If the service asks for a nonce, the request is sent again.

    httpx follows redirects with the headers of the first request, and without the token to another origin. A proof is
    refused at any other address, so the redirected request is sent again with a proof of its own.
    """

    def __init__(self, credential: Credential) -> None:
        self._credential = credential
        self._nonces: dict[str, str] = {}

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        origin = _origin_of(request)
        check_confidential(origin)
        has_nonce = False
        while True:
            proven = self._credential.headers(request.method, str(request.url), self._nonces.get(origin))
            request.headers.update(proven)
            response = yield request
            sent, nonce = response.request, response.headers.get("DPoP-Nonce")
            if nonce is not None:
                self._nonces[_origin_of(sent)] = nonce
            is_repeatable = isinstance(sent.stream, httpx.ByteStream) and _origin_of(sent) == origin
            has_moved = sent is not request and "DPoP" in proven
            is_asked = nonce is not None and not has_nonce
            if response.status_code != 401 or not is_repeatable or not (has_moved or is_asked):
                return
            has_nonce = not has_moved
            request = sent


def _origin_of(request: httpx.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode('ascii')}"


class _Acting(Generic[_Client]):
    """The token of an agent, and a client that calls with it."""

    def __init__(self, deputy: _Client, token: TokenLike, *, agent_key: AgentKey | None = None) -> None:
        jti, compact_jwt = _read(token)
        claims = {} if compact_jwt is None else _claims(compact_jwt)
        self.jti: str = claims.get("jti", jti)
        self.compact_jwt = compact_jwt
        #: The agent that the token was issued to. None if only the ID of the token is known.
        self.agent_id: str | None = claims.get("sub")
        self._agent_key = agent_key
        credential = _credential(compact_jwt, agent_key)
        self._auth = None if credential is None else _TokenAuth(credential)
        #: The operations, called with this token as the credential.
        self.deputy: _Client = deputy if credential is None else deputy.acting_as(credential)

    @property
    def auth(self) -> httpx.Auth:
        """For calls to other services that accept the token: `httpx.get(url, auth=agent.auth)`.

        Raises ValueError if the token would be sent to another machine over http.
        """
        if self._auth is None:
            raise TypeError("auth needs the token itself: pass its compact_jwt, not only its ID")
        return self._auth

    def _own_key_of(self, child: DelegatedToken) -> AgentKey | None:
        """Returns the agent's own key if the child is bound to it, as a token is that the agent delegates to itself."""
        key, confirmation = self._agent_key, child["claims"].get("cnf")
        return key if key is not None and confirmation is not None and confirmation["jkt"] == key.thumbprint else None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.jti!r})"


class ActingAgent(_Acting[Deputy]):
    """An agent with its token. Each action is authorized before it runs and recorded after.

    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> token = deputy.issue_l1(
    ...     developer_email="dev@example.com",
    ...     agent_id="planner",
    ...     resources=["calendar:events"],
    ...     actions=["read", "write", "delegate"],
    ... )
    >>> agent = ActingAgent(deputy, token)
    >>> reader = agent.delegate("reader", actions=["read"])
    >>> @reader.act("read", "calendar:events")
    ... def read_events() -> list[str]:
    ...     return ["stand-up"]
    >>> with agent.act("write", "calendar:events", metadata={"plan": "today"}) as planning:
    ...     events = read_events()
    >>> [record] = [each for each in deputy.iter_records(provenance_ref=token["provenance_ref"]) if each["action"] == "read"]
    >>> record["agent_id"], record["parent_aar_id"] == planning.aar_id
    ('agent:reader', True)

    `token` is the answer of an issue or delegate call or its compact JWT; in open mode, its ID is enough. `agent_key` is
    the key that the token is bound to.
    """

    def act(self, action: str, resource: Resource, **options: Unpack[ActionOptions]) -> Authority:
        """Authorizes, runs and records one action. Use it with `with` or as a decorator: see `with_authority`."""
        return with_authority(self.deputy, vat_jti=self.jti, action=action, resource=resource, **options)

    def delegate(
        self, agent_id: str, *, agent_key: AgentKey | None = None, **limits: Unpack[DelegationLimits]
    ) -> "ActingAgent":
        """Delegates part of this authority. The new token is bound to `agent_key`, the sub-agent's key.

        A token that the agent delegates to itself is bound to the agent's own key unless you pass another.
        """
        child = self.deputy.delegate(vat_jti=self.jti, agent_id=agent_id, **_bound(limits, agent_key))
        return ActingAgent(self.deputy, child, agent_key=agent_key or self._own_key_of(child))


class AsyncActingAgent(_Acting[AsyncDeputy]):
    """Like `ActingAgent`, for `async with`, async functions and an AsyncDeputy.

    >>> import asyncio
    >>> async def main() -> str | None:
    ...     async with AsyncDeputy("http://127.0.0.1:8420") as deputy:
    ...         token = await deputy.issue_l1(
    ...             developer_email="dev@example.com", agent_id="planner", resources=["a:b"], actions=["read"]
    ...         )
    ...         agent = AsyncActingAgent(deputy, token)
    ...         async with agent.act("read", "a:b"):
    ...             return agent.agent_id
    >>> asyncio.run(main())
    'agent:planner'
    """

    def act(self, action: str, resource: Resource, **options: Unpack[ActionOptions]) -> AsyncAuthority:
        """Like `ActingAgent.act`, for `async with` and async functions."""
        return with_authority(self.deputy, vat_jti=self.jti, action=action, resource=resource, **options)

    async def delegate(
        self, agent_id: str, *, agent_key: AgentKey | None = None, **limits: Unpack[DelegationLimits]
    ) -> "AsyncActingAgent":
        """Like `ActingAgent.delegate`."""
        child = await self.deputy.delegate(vat_jti=self.jti, agent_id=agent_id, **_bound(limits, agent_key))
        return AsyncActingAgent(self.deputy, child, agent_key=agent_key or self._own_key_of(child))


def _read(token: TokenLike) -> tuple[str, str | None]:
    """Returns the ID and, if known, the compact JWT of a token."""
    if isinstance(token, Mapping):
        jti, compact_jwt = token.get("jti"), token.get("compact_jwt")
    else:
        jti, compact_jwt = token, token if isinstance(token, str) and "." in token else None
    if not isinstance(jti, str) or not jti or not isinstance(compact_jwt, (str, type(None))):
        raise TypeError(_NO_TOKEN)
    return jti, compact_jwt


def _claims(compact_jwt: str) -> dict[str, Any]:
    try:
        return decode_compact(compact_jwt).payload
    except TokenError as error:
        raise TypeError(f"the compact JWT is malformed: {error}") from None


def _credential(compact_jwt: str | None, agent_key: AgentKey | None) -> Credential | None:
    if compact_jwt is None:
        if agent_key is not None:
            raise TypeError("agent_key needs the token itself: pass its compact_jwt, not only its ID")
        return None
    return BearerToken(compact_jwt) if agent_key is None else DpopToken(compact_jwt, agent_key)


def _bound(limits: DelegationLimits, agent_key: AgentKey | None) -> DelegationLimits:
    if agent_key is None:
        return limits
    if limits.get("agent_jwk") is not None:
        raise TypeError("agent_key and agent_jwk cannot both be set. agent_jwk is for a key that you do not have")
    return {**limits, "agent_jwk": agent_key.jwk}
