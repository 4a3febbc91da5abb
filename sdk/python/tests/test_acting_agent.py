"""An agent with its token: acts, delegates, and calls other services."""

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any, get_type_hints

import httpx
import pytest

from deputize import ActingAgent, AgentKey, ApiKey, AsyncActingAgent, AsyncDeputy, Deputy, NotAuthorized, with_authority
from deputize.acting_agent import ActionOptions, DelegationLimits
from deputize.api import CredentialInvalidError, ScopeWideningError
from deputize.jws import split_compact
from tests.a_server import AServer, Planned, a_server
from tests.builders import a_bound_token, a_token
from tests.program import Program, free_port
from tests.test_flask import Serving

pytestmark = pytest.mark.anyio


def test_an_agent_acts_with_its_token(deputy: Deputy) -> None:
    issued = a_token(deputy, constraints={"max_spend_usd": 5})
    agent = ActingAgent(deputy, issued)
    assert (agent.jti, agent.compact_jwt, agent.agent_id) == (issued["jti"], issued["compact_jwt"], "agent:calendar-bot")
    with agent.act("read", "calendar:events", spend_usd=1, metadata={"why": "test"}) as action:
        action.hash("seen")

    @agent.act("write", lambda name: f"calendar:{name}")
    def write(name: str) -> str:
        return name

    assert write("7") == "7"
    record = deputy.get_record(action.aar_id)
    assert (record["state"], record["spend_usd"], record.get("metadata")) == ("completed", 1, {"why": "test"})
    records = deputy.list_records(provenance_ref=issued["provenance_ref"])["data"]
    assert {(each["action"], each["resource"]) for each in records} == {("read", "calendar:events"), ("write", "calendar:7")}
    with pytest.raises(NotAuthorized), agent.act("erase", "calendar:events"):
        pytest.fail("ran")


@pytest.mark.parametrize("form", ["jti", "compact_jwt"])
def test_a_token_may_be_its_id_or_its_compact_jwt(deputy: Deputy, form: str) -> None:
    issued: Any = a_token(deputy)
    agent = ActingAgent(deputy, issued[form])
    assert agent.jti == issued["jti"]
    with agent.act("read", "calendar:events"):
        pass
    assert repr(agent) == f"ActingAgent({issued['jti']!r})"


@pytest.mark.parametrize("token", [None, 7, "", {}, {"jti": None}, {"jti": "vat_1", "compact_jwt": 7}])
def test_what_is_no_token_is_refused_at_once(deputy: Deputy, token: Any) -> None:
    with pytest.raises(TypeError, match="the answer of an issue call"):
        ActingAgent(deputy, token)


def test_mistakes_with_tokens_and_keys_are_refused_before_any_call(deputy: Deputy) -> None:
    nowhere, key = Deputy(f"http://127.0.0.1:{free_port()}"), AgentKey.generate()
    with pytest.raises(TypeError, match="the compact JWT is malformed"):
        ActingAgent(nowhere, "a.b.c")
    with pytest.raises(TypeError, match="agent_key needs the token itself"):
        ActingAgent(nowhere, "vat_root_1", agent_key=key)
    with pytest.raises(TypeError, match="auth needs the token itself"):
        _ = ActingAgent(nowhere, "vat_root_1").auth
    agent = ActingAgent(nowhere, a_token(deputy))
    with pytest.raises(TypeError, match="cannot both be set"):
        agent.delegate("reader", agent_key=key, agent_jwk=key.jwk)
    with pytest.raises(TypeError, match="unexpected keyword argument 'spend'"):
        agent.act("read", "calendar:events", spend=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'action'"):
        agent.delegate("reader", action=["read"])  # type: ignore[call-arg]


def test_a_sub_agent_acts_within_its_limits_in_the_same_workflow(deputy: Deputy) -> None:
    issued = a_token(deputy)
    agent = ActingAgent(deputy, issued)
    reader = agent.delegate("reader", actions=["read"], resources=["calendar:7"], constraints={"max_actions": 1})
    assert reader.agent_id == "agent:reader"
    with agent.act("read", "calendar:events") as outer, reader.act("read", "calendar:7") as inner:
        pass
    record = deputy.get_record(inner.aar_id)
    assert (record["agent_id"], record.get("parent_aar_id")) == ("agent:reader", outer.aar_id)
    with pytest.raises(NotAuthorized, match="action_limit"), reader.act("read", "calendar:7"):
        pytest.fail("ran")
    with pytest.raises(ScopeWideningError):
        agent.delegate("writer", actions=["erase"])


def test_agents_of_two_workflows_are_told_apart_without_a_second_call(deputy: Deputy) -> None:
    first, second = ActingAgent(deputy, a_token(deputy)), ActingAgent(deputy, a_token(deputy))
    with first.act("read", "calendar:events"), second.act("read", "calendar:events") as inner:
        pass
    assert deputy.get_record(inner.aar_id).get("parent_aar_id") is None


async def test_an_async_agent_acts_and_delegates(open_program: Program, deputy: Deputy) -> None:
    async with AsyncDeputy(open_program.url) as client:
        agent = AsyncActingAgent(client, a_token(deputy))
        reader = await agent.delegate("reader", actions=["read"])

        @reader.act("read", "calendar:events")
        async def read() -> str:
            return "seen"

        async with agent.act("write", "calendar:events") as outer:
            assert list(await asyncio.gather(read(), read())) == ["seen", "seen"]
        records = deputy.list_records(agent_id="reader", provenance_ref=outer.decision["provenance_ref"])["data"]
        assert [each.get("parent_aar_id") for each in records] == [outer.aar_id] * 2


def test_in_keyed_mode_an_agent_and_its_sub_agent_prove_their_keys(keyed_program: Program) -> None:
    issued, key = a_bound_token(keyed_program)
    with Deputy(keyed_program.url) as client:
        agent = ActingAgent(client, issued, agent_key=key)
        child_key = AgentKey.generate()
        child = agent.delegate(f"{issued['claims']['sub'].removeprefix('agent:')}-child", actions=["read"], agent_key=child_key)
        with agent.act("write", "calendar:events"), child.act("read", "calendar:events") as action:
            pass
        assert child.deputy.get_record(action.aar_id)["agent_id"] == child.agent_id
        assert child.compact_jwt is not None
        stolen = ActingAgent(client, child.compact_jwt)
        with pytest.raises(CredentialInvalidError), stolen.act("read", "calendar:events"):
            pytest.fail("ran")


async def test_a_token_that_an_agent_delegates_to_itself_is_used_with_its_key(keyed_program: Program) -> None:
    issued, key = a_bound_token(keyed_program)
    name = issued["claims"]["sub"].removeprefix("agent:")
    with Deputy(keyed_program.url) as client:
        narrow = ActingAgent(client, issued, agent_key=key).delegate(name, actions=["read", "delegate"])
        narrower = narrow.delegate(name, actions=["read"], agent_jwk=key.jwk)
        for agent in (narrow, narrower):
            with agent.act("read", "calendar:events"):
                pass
        # Its key is another one, which only the sub-agent has.
        other = narrow.delegate(f"{name}-child", actions=["read"], agent_jwk=AgentKey.generate().jwk)
        with pytest.raises(CredentialInvalidError), other.act("read", "calendar:events"):
            pytest.fail("ran")
    async with AsyncDeputy(keyed_program.url) as patient:
        itself = await AsyncActingAgent(patient, issued, agent_key=key).delegate(name, actions=["read"])
        async with itself.act("read", "calendar:events"):
            pass


@pytest.fixture
def audience() -> str:
    return "https://calendar.example"


@pytest.fixture
def guarded(keyed_program: Program, audience: str) -> Iterator[str]:
    key = keyed_program.key("resource_server", audience=audience)
    with Serving(keyed_program.url, ApiKey(key), audience=audience) as served:
        yield served.url


def test_other_services_are_called_with_the_token_and_a_new_proof_each_time(
    keyed_program: Program, guarded: str, audience: str
) -> None:
    issued, key = a_bound_token(keyed_program, audience=audience)
    with Deputy(keyed_program.url) as client, httpx.Client(trust_env=False) as http:
        agent = ActingAgent(client, issued, agent_key=key)
        for _ in range(2):
            answer = http.get(f"{guarded}/events?day=1", auth=agent.auth)
            assert (answer.status_code, answer.json()) == (200, {"agent": agent.agent_id})
        with pytest.raises(ValueError, match="over https only"):
            http.get("http://calendar.example/events", auth=agent.auth)


def test_a_service_that_asks_for_a_nonce_gets_it(deputy: Deputy) -> None:
    key = AgentKey.generate()
    agent = ActingAgent(deputy, a_token(deputy, agent_jwk=key.jwk), agent_key=key)
    asks = Planned(401, headers={"DPoP-Nonce": "n1"})
    with a_server(asks, Planned(), asks) as served, httpx.Client(trust_env=False) as http:
        assert http.post(served.url, json={}, auth=agent.auth).status_code == 200
        first, second = (split_compact(each.headers["dpop"]).payload for each in served.seen)
        assert (first.get("nonce"), second.get("nonce"), first["jti"] == second["jti"]) == (None, "n1", False)
        # A stream cannot be sent twice, so its caller sees the answer.
        streamed = http.post(served.url, content=iter([b"x"]), headers={"Content-Length": "1"}, auth=agent.auth)
        assert (streamed.status_code, len(served.seen)) == (401, 3)


def proofs_in(served: AServer) -> list[dict[str, Any] | None]:
    """Returns the payload of each request's proof that was made for the request and sent with the token."""
    shown = []
    for seen in served.seen:
        proof = split_compact(seen.headers["dpop"]).payload if "authorization" in seen.headers else {}
        is_own = (proof.get("htm"), proof.get("htu")) == (seen.method, served.url + seen.path)
        shown.append(proof if is_own else None)
    return shown


def test_a_redirect_is_followed_with_a_proof_for_its_address(deputy: Deputy) -> None:
    key = AgentKey.generate()
    agent = ActingAgent(deputy, a_token(deputy, agent_jwk=key.jwk), agent_key=key)
    unproven = Planned(401)
    plan = [
        *(Planned(307, headers={"Location": "/b"}), unproven),
        *(Planned(303, headers={"Location": "/c"}), Planned(401, headers={"DPoP-Nonce": "n1"})),
        *(Planned(401, headers={"DPoP-Nonce": "n2"}), Planned(200, b"moved")),
    ]
    with a_server(*plan) as served, httpx.Client(trust_env=False, follow_redirects=True) as http:
        assert http.post(f"{served.url}/a", json={"n": 1}, auth=agent.auth).text == "moved"
        asked = [(seen.method, seen.path, seen.body) for seen in served.seen]
        body = asked[0][2]
        sent = [*[("POST", "/a", body)], *[("POST", "/b", body)] * 2, *[("GET", "/c", b"")] * 3]
        assert (asked, len(body) > 0) == (sent, True)
        proofs = proofs_in(served)
        assert [proof and proof.get("nonce", "") for proof in proofs] == ["", None, "", None, "n1", "n2"]
        assert len({proof["jti"] for proof in proofs if proof is not None}) == 4


def test_a_redirect_to_another_origin_is_followed_without_the_token(deputy: Deputy) -> None:
    key = AgentKey.generate()
    issued = a_token(deputy, agent_jwk=key.jwk)
    with a_server(Planned(401)) as other, a_server(Planned(307, headers={"Location": other.url})) as served:
        with httpx.Client(trust_env=False, follow_redirects=True) as http:
            agent = ActingAgent(deputy, issued, agent_key=key)
            assert http.post(served.url, json={}, auth=agent.auth).status_code == 401
        assert [seen.headers.get("authorization") for seen in other.seen] == [None]
    with a_server(Planned(307, headers={"Location": "/b"}), Planned(401)) as served:
        with httpx.Client(trust_env=False, follow_redirects=True) as http:
            unbound = ActingAgent(deputy, a_token(deputy))
            assert http.get(served.url, auth=unbound.auth).status_code == 401
        assert len(served.seen) == 2


def test_an_endless_redirect_ends(deputy: Deputy) -> None:
    key = AgentKey.generate()
    agent = ActingAgent(deputy, a_token(deputy, agent_jwk=key.jwk), agent_key=key)
    plan = [planned for _ in range(30) for planned in (Planned(307, headers={"Location": "/"}), Planned(401))]
    with a_server(*plan) as served, httpx.Client(trust_env=False, follow_redirects=True) as http:
        with pytest.raises(httpx.TooManyRedirects):
            http.get(served.url, auth=agent.auth)


def test_the_options_are_those_of_the_calls_they_are_passed_to() -> None:
    of_authority = set(inspect.signature(with_authority).parameters) - {"deputy", "vat_jti", "action", "resource"}
    assert set(get_type_hints(ActionOptions)) == of_authority
    of_delegate = set(inspect.signature(Deputy.delegate).parameters) - {"self", "vat_jti", "agent_id"}
    assert set(get_type_hints(DelegationLimits)) == of_delegate
