import dataclasses
import json
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from typing import Any

import pytest

from deputize import AgentKey, ApiKey, AsyncDeputy, AsyncVerifier, Deputy, TokenError, Verifier, base64url
from deputize.revocations import is_status_list
from tests.a_server import AServer, Planned, a_server, answer
from tests.builders import a_bound_token, a_developer, a_token
from tests.program import PATIENCE_S, Program, free_port

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


def verdict(verifier: Verifier, token: str, **wanted: Any) -> str:
    try:
        verifier.verify_token(token, **wanted)
        return "ok"
    except TokenError as error:
        return error.code


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def verifier(deputy: Deputy, clock: Clock) -> Verifier:
    return Verifier(deputy, refresh_s=5, max_stale_s=60, clock=clock)


def a_chain(deputy: Deputy, length: int) -> list[Any]:
    """Returns a root token and `length` tokens below it, each delegated by the one before."""
    chain: list[Any] = [a_token(deputy, agent_id="link-0")]
    for depth in range(1, length + 1):
        chain.append(
            deputy.delegate(vat_jti=chain[-1]["jti"], agent_id=f"link-{depth}", actions=["read", "delegate"])
        )
    return chain


def test_a_valid_token_returns_its_claims(deputy: Deputy, verifier: Verifier) -> None:
    issued = a_token(deputy)
    assert verifier.verify_token(issued["compact_jwt"]) == issued["claims"]


def test_the_answer_of_an_issue_call_is_not_taken_for_its_compact_jwt() -> None:
    issued: Any = {"jti": "vat_root_1", "compact_jwt": "a.b.c"}
    away = Verifier(Deputy("http://127.0.0.1:9", max_retries=0))
    with pytest.raises(TypeError, match="token must be the compact JWT of a token, such as"):
        away.verify_token(issued)


def test_a_pinned_issuer_of_open_mode_may_be_its_url_or_the_urn_of_early_versions(deputy: Deputy) -> None:
    issued = a_chain(deputy, 3)[-1]  # deep enough to need the status list
    iss = issued["claims"]["iss"]
    origin, instance = iss.split("/open/")
    assert issued["claims"]["status"]["status_list"]["uri"] == f"{origin}/v1/vat/status-list"
    for issuer in (iss, f"urn:deputy:open:{instance}", f"http://localhost/open/{instance}"):
        assert verdict(Verifier(deputy, issuer=issuer), issued["compact_jwt"]) == "ok", issuer
    for issuer in (origin, f"urn:deputy:open:{instance}0", f"{origin}/open"):
        assert verdict(Verifier(deputy, issuer=issuer), issued["compact_jwt"]) != "ok", issuer


def test_the_status_list_may_be_named_by_its_url_or_by_its_path() -> None:
    for uri in ("/v1/vat/status-list", "https://deputy.example.com/v1/vat/status-list"):
        assert is_status_list(uri)
    for other in (None, "", "/v1/vat/revocations", "https://deputy.example.com/x/v1/vat/status-list"):
        assert not is_status_list(other)


def test_a_changed_token_is_refused(deputy: Deputy, verifier: Verifier) -> None:
    head, body, tail = a_token(deputy)["compact_jwt"].split(".")
    assert verdict(verifier, f"{head}.{body}.{tail[:-4]}AAAA") in ("bad_signature", "malformed")
    other = a_token(deputy, agent_id="other")["compact_jwt"].split(".")
    assert verdict(verifier, f"{head}.{other[1]}.{tail}") == "bad_signature"


def test_scope_and_audience_are_checked(deputy: Deputy, verifier: Verifier) -> None:
    token = a_token(deputy, audience="https://api.example.com", resources=["calendar:*"])["compact_jwt"]
    assert verdict(verifier, token, audience="https://api.example.com") == "ok"
    assert verdict(verifier, token, audience="https://other.example.com") == "wrong_audience"
    assert verdict(verifier, token, action="read", resource="calendar:anything") == "ok"
    assert verdict(verifier, token, action="read", resource="calendar:*") == "resource_not_in_scope"
    assert verdict(verifier, token, action="erase", resource="calendar:anything") == "action_not_in_scope"
    with pytest.raises(ValueError):
        verifier.verify_token(token, action="read")


def test_a_revocation_takes_effect_at_the_next_refresh(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    issued, other = a_token(deputy), a_token(deputy)
    assert verdict(verifier, issued["compact_jwt"]) == "ok"
    deputy.revoke_token(vat_jti=issued["jti"])
    clock.ahead_s = 5
    assert verdict(verifier, issued["compact_jwt"]) == "token_revoked"
    assert verdict(verifier, other["compact_jwt"]) == "ok"


def test_a_resumed_token_is_accepted_again(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    issued = a_token(deputy)
    deputy.suspend_token(issued["jti"])
    assert verdict(verifier, issued["compact_jwt"]) == "token_suspended"
    deputy.resume_token(issued["jti"])
    clock.ahead_s = 5
    assert verdict(verifier, issued["compact_jwt"]) == "ok"


def test_a_revoked_token_invalidates_every_descendant(deputy: Deputy) -> None:
    verifier = Verifier(deputy, refresh_s=0.1)
    chains = [a_chain(deputy, 4) for _ in range(4)]
    for revoked, chain in enumerate(chains):
        assert [verdict(verifier, link["compact_jwt"]) for link in chain] == ["ok"] * 5
        deputy.revoke_token(vat_jti=chain[revoked]["jti"])
    # The service publishes a new status list every five seconds.
    deadline = time.monotonic() + PATIENCE_S
    while {verdict(verifier, chain[4]["compact_jwt"]) for chain in chains} != {"token_revoked"}:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    for revoked, chain in enumerate(chains):
        verdicts = [verdict(verifier, link["compact_jwt"]) for link in chain]
        assert verdicts == ["ok"] * revoked + ["token_revoked"] * (5 - revoked)


@pytest.mark.parametrize("stopped", ["token_revoked", "token_suspended"])
def test_a_stopped_token_stops_its_renewals_and_the_tokens_below_them(deputy: Deputy, stopped: str) -> None:
    verifier = Verifier(deputy, refresh_s=0.1)
    root, child = a_chain(deputy, 1)
    renewed = deputy.renew_token(vat_jti=child["jti"], expires_in=600)
    again = deputy.renew_token(vat_jti=renewed["jti"], expires_in=600)
    below = [deputy.delegate(vat_jti=each["jti"], agent_id="below", actions=["read"]) for each in (renewed, again)]
    dependants = [child, renewed, again, *below]
    assert {verdict(verifier, each["compact_jwt"]) for each in (root, *dependants)} == {"ok"}
    if stopped == "token_revoked":
        deputy.revoke_token(vat_jti=child["jti"])
    else:
        deputy.suspend_token(child["jti"])
    time.sleep(0.2)
    # Claims name the token that a renewal renews. The others need the next status list.
    assert [verdict(verifier, each["compact_jwt"]) for each in (child, renewed)] == [stopped, stopped]
    deadline = time.monotonic() + PATIENCE_S
    while {verdict(verifier, each["compact_jwt"]) for each in dependants} != {stopped}:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert verdict(verifier, root["compact_jwt"]) == "ok"


def test_revoking_an_agent_or_a_person_covers_their_tokens(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    held = a_token(deputy, agent_id="marked-bot")
    below = deputy.delegate(vat_jti=held["jti"], agent_id="marked-helper", actions=["read"])
    personal = a_token(deputy, developer_email="gone@example.com")
    deputy.revoke_agent(agent_id="marked-bot")
    deputy.revoke_human(human_ref=personal["claims"]["svc_human_ref"])
    for token in (held, below, personal):
        assert verdict(verifier, token["compact_jwt"]) == "token_revoked"
    time.sleep(1.1)  # `iat` is in whole seconds
    assert verdict(verifier, a_token(deputy, agent_id="marked-bot")["compact_jwt"]) == "ok"


def test_tokens_of_a_suspended_agent_are_refused(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    held = a_token(deputy, agent_id="frozen-bot")
    deputy.suspend_agent("frozen-bot")
    assert verdict(verifier, held["compact_jwt"]) == "token_suspended"
    deputy.resume_agent("frozen-bot")
    clock.ahead_s = 5
    assert verdict(verifier, held["compact_jwt"]) == "ok"


def test_an_expired_token_is_refused(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    token = a_token(deputy, expires_in=20)["compact_jwt"]
    assert verdict(verifier, token) == "ok"
    clock.ahead_s = 30
    assert verdict(verifier, token) == "expired"


def test_a_new_signing_key_is_fetched(deputy: Deputy, verifier: Verifier, clock: Clock) -> None:
    before = a_token(deputy)["compact_jwt"]
    assert verdict(verifier, before) == "ok"
    deputy.rotate_signing_key()
    clock.ahead_s = 2
    assert verdict(verifier, a_token(deputy)["compact_jwt"]) == "ok"
    clock.ahead_s = 10
    assert verdict(verifier, before) == "ok"


def test_every_token_of_a_withdrawn_key_is_refused(mortal_program: Program, clock: Clock) -> None:
    with Deputy(mortal_program.url) as deputy:
        verifier = Verifier(deputy, refresh_s=5, max_stale_s=60, clock=clock)
        before = a_token(deputy)["compact_jwt"]
        assert verdict(verifier, before) == "ok"
        kid = deputy.list_signing_keys()["data"][0]["kid"]
        deputy.withdraw_signing_key(kid, from_=datetime.now(timezone.utc).isoformat(timespec="milliseconds"))
        clock.ahead_s = 10
        assert verdict(verifier, before) == "withdrawn_key"
        assert verdict(verifier, a_token(deputy)["compact_jwt"]) == "ok"
        assert verdict(Verifier(deputy), before) == "unknown_key"


def test_a_key_signs_for_one_purpose_only(deputy: Deputy, clock: Clock) -> None:
    token = a_token(deputy)["compact_jwt"]
    verifier = Verifier(deputy, clock=clock)
    assert verdict(verifier, token) == "ok"
    keys = verifier._core._keys
    kid = json.loads(base64url.decode(token.split(".")[0]))["kid"]
    for purpose, expected in (("statements", "unknown_key"), ("tokens", "ok")):
        keys[kid] = dataclasses.replace(keys[kid], purpose=purpose)
        assert verdict(verifier, token) == expected


def test_unknown_keys_of_strangers_keep_no_new_key_out(mortal_program: Program) -> None:
    with Deputy(mortal_program.url) as deputy:
        verifier = Verifier(deputy)
        before = a_token(deputy)["compact_jwt"]
        assert verdict(verifier, before) == "ok"
        _, body, tail = before.split(".")
        header = {"alg": "EdDSA", "typ": "vat+jwt"}

        def stranger(_: int) -> str:
            named = {**header, "kid": secrets.token_urlsafe(8)}
            return verdict(verifier, f"{base64url.encode(json.dumps(named).encode())}.{body}.{tail}")

        with ThreadPoolExecutor(30) as pool:
            strangers = pool.map(stranger, range(60))
            deputy.rotate_signing_key()
            assert verdict(verifier, a_token(deputy)["compact_jwt"]) == "ok"
            assert set(strangers) == {"unknown_key"}


def test_tokens_of_another_deployment_are_refused(deputy: Deputy, verifier: Verifier, keyed_program: Program) -> None:
    foreign, _ = a_bound_token(keyed_program)
    assert verdict(verifier, foreign["compact_jwt"]) == "unknown_key"
    known = a_token(deputy)["compact_jwt"]
    assert verdict(Verifier(deputy, issuer="https://another.example"), known) == "wrong_issuer"


def test_the_cached_state_is_used_for_a_minute_while_the_service_is_unavailable(mortal_program: Program, clock: Clock) -> None:
    with Deputy(mortal_program.url, max_retries=0) as deputy:
        verifier = Verifier(deputy, refresh_s=5, max_stale_s=60, clock=clock)
        issued, revoked = a_token(deputy), a_token(deputy)
        deputy.revoke_token(vat_jti=revoked["jti"])
        assert verdict(verifier, issued["compact_jwt"]) == "ok"
        mortal_program.stop()
        clock.ahead_s = 55
        assert verdict(verifier, issued["compact_jwt"]) == "ok"
        assert verdict(verifier, revoked["compact_jwt"]) == "token_revoked"
        clock.ahead_s = 65
        assert verdict(verifier, issued["compact_jwt"]) == "standing_unavailable"
        mortal_program.start_again()
        clock.ahead_s = 0
        assert verdict(Verifier(deputy, clock=clock), issued["compact_jwt"]) == "ok"


def test_an_unresponsive_service_delays_one_verification_only(deputy: Deputy, clock: Clock) -> None:
    issued = a_token(deputy)
    deployment, keys = answer(**deputy.get_deployment()), answer(**deputy.get_key_set())
    silence = Planned(after_s=2.2)
    with a_server(deployment, keys, answer(**deputy.list_revocations()), silence) as server:
        with Deputy(server.url, max_retries=0, timeout_s=2) as slow:
            verifier = Verifier(slow, clock=clock)
            assert verdict(verifier, issued["compact_jwt"]) == "ok"
            clock.ahead_s = 5
            first = threading.Thread(target=verdict, args=(verifier, issued["compact_jwt"]))
            first.start()
            time.sleep(0.3)
            assert verdict(verifier, issued["compact_jwt"]) == "ok"
            assert first.is_alive()
            first.join()
            assert verdict(verifier, issued["compact_jwt"]) == "ok"
            assert len(server.seen) == 4


def test_every_token_is_refused_before_the_first_refresh(clock: Clock) -> None:
    with Deputy(f"http://127.0.0.1:{free_port()}", max_retries=0) as unreachable:
        token = "eyJhbGciOiJFZERTQSIsImtpZCI6ImEifQ.e30." + "A" * 86
        assert verdict(Verifier(unreachable, clock=clock), token) == "keys_unavailable"


def test_an_outdated_or_foreign_revocation_feed_is_refused(deputy: Deputy, clock: Clock) -> None:
    """The feed comes from a proxy that answers with an earlier signed feed."""
    issued = a_token(deputy)
    deployment, keys = answer(**deputy.get_deployment()), answer(**deputy.get_key_set())
    old_feed = answer(**deputy.list_revocations())
    with a_server(deployment, keys, old_feed) as liar, Deputy(liar.url, max_retries=0) as cheated:
        verifier = Verifier(cheated, clock=clock)
        clock.ahead_s = 3600
        assert verdict(verifier, issued["compact_jwt"]) == "standing_unavailable"
    assert asked_for(liar)[-1] == "/v1/vat/revocations?since=0"
    clock.ahead_s = 0
    forged = json.loads(old_feed.body)["jwt"].split(".")
    forged[1] = forged[1][:-2]
    with a_server(deployment, keys, answer(jwt=".".join(forged))) as liar, Deputy(liar.url, max_retries=0) as cheated:
        assert verdict(Verifier(cheated, clock=clock), issued["compact_jwt"]) == "standing_unavailable"


def asked_for(server: AServer) -> list[str]:
    return [seen.path for seen in server.seen]


def test_every_role_may_read_the_revocation_feed(keyed_program: Program) -> None:
    with a_developer(keyed_program) as developer:
        issued, _ = a_bound_token(keyed_program)
        with Deputy(keyed_program.url, credential=ApiKey(keyed_program.key("auditor"))) as auditor:
            verifier = Verifier(auditor, refresh_s=0.1, max_stale_s=60)
            assert verdict(verifier, issued["compact_jwt"]) == "ok"
            developer.revoke_token(vat_jti=issued["jti"])
            time.sleep(0.2)
            assert verdict(verifier, issued["compact_jwt"]) == "token_revoked"


def test_a_verifier_of_one_tenant_reads_the_status_list_for_tokens_of_others(keyed_program: Program) -> None:
    tenant = f"acme-{free_port()}"
    auditor_key = keyed_program.key("auditor")  # the first call sets the operator up
    with Deputy(keyed_program.url, credential=ApiKey(keyed_program.operator_key or "")) as operator:
        operator.create_tenant(tenant_id=tenant)
    ours, _ = a_bound_token(keyed_program)
    key = AgentKey.generate()
    acme_key = ApiKey(keyed_program.key("developer", tenant_id=tenant))
    with (
        a_developer(keyed_program) as developer,
        Deputy(keyed_program.url, credential=acme_key) as acme,
        Deputy(keyed_program.url, credential=ApiKey(auditor_key)) as auditor,
    ):
        theirs = a_token(acme, agent_jwk=key.jwk)
        of_tenant, of_all = (Verifier(deputy, refresh_s=0.1, max_stale_s=60) for deputy in (acme, auditor))
        for token in (ours, theirs):
            assert verdict(of_tenant, token["compact_jwt"]) == verdict(of_all, token["compact_jwt"]) == "ok"
        developer.revoke_agent(agent_id=ours["claims"]["sub"])
        acme.revoke_agent(agent_id=theirs["claims"]["sub"])
        time.sleep(0.2)
        assert verdict(of_tenant, theirs["compact_jwt"]) == "token_revoked"
        for token in (ours, theirs):
            assert verdict(of_all, token["compact_jwt"]) == "token_revoked"
        deadline = time.monotonic() + PATIENCE_S
        while verdict(of_tenant, ours["compact_jwt"]) == "ok" and time.monotonic() < deadline:
            time.sleep(0.2)
        assert verdict(of_tenant, ours["compact_jwt"]) == "token_revoked"


async def test_the_async_verifier_returns_the_same_result(open_program: Program, deputy: Deputy, clock: Clock) -> None:
    issued, chain = a_token(deputy), a_chain(deputy, 3)
    async with AsyncDeputy(open_program.url) as client:
        verifier = AsyncVerifier(client, clock=clock)
        assert await verifier.verify_token(issued["compact_jwt"]) == issued["claims"]
        assert (await verifier.verify_token(chain[3]["compact_jwt"]))["svc_delegation_depth"] == 3
        deputy.revoke_token(vat_jti=issued["jti"])
        clock.ahead_s = 5
        with pytest.raises(TokenError) as refused:
            await verifier.verify_token(issued["compact_jwt"])
        assert refused.value.code == "token_revoked"
        assert await verifier.verify_signed(issued["compact_jwt"]) == issued["claims"]
