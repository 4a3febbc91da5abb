import inspect
import json
import re
import subprocess
import sys
import time
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import RFC_4122, UUID, uuid4

import httpx
import pytest

from deputize import AgentKey, ApiKey, AsyncDeputy, BadAnswer, BearerToken, Deputy, DpopToken, Refusal, Unreachable
from deputize.api import (
    REFUSALS,
    CredentialInvalidError,
    CredentialRequiredError,
    IdempotencyMismatchError,
    InvalidRequestError,
    NotAllowedError,
    OverloadedError,
    RecordUnknownError,
    RoleNotAllowedError,
    TokenUnknownError,
)
from deputize.json_body import json_body
from deputize.jws import split_compact
from tests.a_server import Planned, a_server, answer, problem
from tests.builders import a_bound_token, a_developer, a_token, an_agent
from tests.program import ROOT, Program, a_program, free_port
from tests.vectors import VECTORS, read_vector

HERE = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.anyio


class TestGenerated:
    def test_the_generated_module_matches_openapi_json(self) -> None:
        checked = subprocess.run([sys.executable, "generate.py", "--check"], cwd=HERE, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr

    def test_every_operation_is_a_method_of_both_clients(self) -> None:
        text = (VECTORS.parent / "openapi.json").read_text(encoding="utf-8")
        names = {
            re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", each).lower() for each in re.findall(r'"operationId": "(\w+)"', text)
        }
        assert len(names) > 80
        assert [name for name in names if not inspect.isfunction(getattr(Deputy, name, None))] == []
        assert [name for name in names if not inspect.iscoroutinefunction(getattr(AsyncDeputy, name, None))] == []

    def test_every_error_code_has_an_exception_class(self) -> None:
        text = (ROOT / "protocol/src/api/errors.ts").read_text(encoding="utf-8")
        codes = set(re.findall(r"^  (\w+): \{$", text, re.MULTILINE))
        assert len(codes) > 40
        assert set(REFUSALS) == codes


class TestOpenMode:
    def test_a_token_is_issued_used_rated_and_revoked(self, deputy: Deputy) -> None:
        issued = a_token(deputy, constraints={"max_spend_usd": 5})
        jti = issued["jti"]
        decision = deputy.authorize(vat_jti=jti, action="write", resource="calendar:events", spend_usd=0.5)
        assert decision["authorized"] is True
        record = deputy.complete_record(decision["aar_id"], result="success", spend_usd=0.42)
        assert (record["state"], record["spend_usd"]) == ("completed", 0.42)
        assert deputy.rate_record(record["aar_id"], rating="approved")["rating"] == "approved"
        assert deputy.get_token_budget(jti)["remaining_usd"] == 4.58
        assert deputy.revoke_token(vat_jti=jti)["revoked"] is True
        assert deputy.authorize(vat_jti=jti, action="read", resource="calendar:events")["reasons"] == ["token_revoked"]

    def test_a_refusal_raises_the_exception_of_its_code(self, deputy: Deputy) -> None:
        with pytest.raises(TokenUnknownError) as unknown:
            deputy.get_token("vat_root_unknown")
        assert (unknown.value.status, unknown.value.code) == (404, "token_unknown")
        assert unknown.value.request_id.startswith("req_")
        assert str(unknown.value).startswith("token_unknown: Unknown token. Use the `jti`")
        with pytest.raises(RecordUnknownError):
            deputy.get_record("aar_unknown")
        with pytest.raises(InvalidRequestError) as invalid:
            a_token(deputy, resources=["no colon"])
        assert invalid.value.errors[0]["pointer"].startswith("/resources")

    def test_a_denied_record_lists_its_reasons(self, deputy: Deputy) -> None:
        jti = a_token(deputy)["jti"]
        with pytest.raises(NotAllowedError) as denied:
            deputy.record_action(vat_jti=jti, action="delete", resource="calendar:events", result="success")
        assert denied.value.problem["reasons"] == ["action_not_in_scope"]

    def test_the_same_idempotency_key_acts_once(self, deputy: Deputy) -> None:
        jti = a_token(deputy)["jti"]
        key = str(uuid4())
        first, second = (
            deputy.record_action(
                vat_jti=jti, action="read", resource="calendar:events", result="success", idempotency_key=key
            )
            for _ in range(2)
        )
        assert first == second
        with pytest.raises(IdempotencyMismatchError):
            deputy.record_action(vat_jti=jti, action="read", resource="calendar:7", result="ok", idempotency_key=key)

    @pytest.mark.parametrize("key", ["", "a b", "a\n", "a\x00", "é", "k" * 256])
    def test_an_idempotency_key_that_the_service_would_refuse_is_named(self, key: str) -> None:
        with pytest.raises(ValueError, match="^idempotency_key must be 1 to 255 printable ASCII characters without spaces"):
            Deputy("http://127.0.0.1:9").revoke_token(vat_jti="vat_root_1", idempotency_key=key)

    def test_iteration_covers_all_pages(self, deputy: Deputy) -> None:
        issued = a_token(deputy, agent_id="page-turner")
        for _ in range(7):
            deputy.record_action(vat_jti=issued["jti"], action="read", resource="calendar:events", result="success")
        page = deputy.list_records(agent_id="page-turner", limit=3)
        assert (len(page["data"]), page["has_more"]) == (3, True)
        found = [record["aar_id"] for record in deputy.iter_records(agent_id="page-turner", limit=3)]
        assert (len(found), len(set(found))) == (7, 7)

    def test_a_refused_token_exchange_says_why(self, deputy: Deputy) -> None:
        with pytest.raises(Refusal) as refused:
            deputy.exchange_token(
                grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
                subject_token="a.b.c",
                subject_token_type="urn:ietf:params:oauth:token-type:jwt",
            )
        assert refused.value.code == "oauth_refused"
        assert refused.value.detail.startswith(f"{refused.value.problem['error']}: ")

    def test_null_removes_a_member_and_unset_keeps_it(self, deputy: Deputy) -> None:
        deputy.register_agent(agent_id="changing", display_name="One", owner="me")
        assert deputy.update_agent("changing", display_name=None).get("display_name") is None
        assert deputy.get_agent("changing").get("owner") == "me"

    def test_a_path_value_is_one_segment(self, deputy: Deputy) -> None:
        with pytest.raises(Refusal) as refused:
            deputy.get_token("../../../healthz?x=")
        assert refused.value.status in (400, 404)
        for dots in ("", ".", ".."):
            with pytest.raises(ValueError):
                deputy.get_token(dots)

    def test_forms_text_and_bytes_are_returned_unchanged(self, deputy: Deputy) -> None:
        issued = a_token(deputy)
        assert deputy.introspect_token(token=issued["compact_jwt"])["active"] is True
        assert deputy.get_status_list().count(".") == 2
        assert "aar_id" in deputy.export_workflow(issued["provenance_ref"], format="csv").splitlines()[0]
        deadline = time.monotonic() + 5
        while deputy.get_checkpoint().splitlines()[1] == "0" and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(deputy.get_inclusion_proof(index=0, size=1)["leaf_hash"]) == 44

    async def test_the_async_client_behaves_the_same(self, open_program: Program) -> None:
        async with AsyncDeputy(open_program.url) as deputy:
            issued = await deputy.issue_l1(
                developer_email="dev@example.com", agent_id="async-bot", resources=["a:b"], actions=["read"]
            )
            for _ in range(3):
                await deputy.record_action(vat_jti=issued["jti"], action="read", resource="a:b", result="success")
            found = [record async for record in deputy.iter_records(agent_id="async-bot", limit=2)]
            assert len(found) == 3
            with pytest.raises(TokenUnknownError):
                await deputy.get_token("vat_root_unknown")


class TestKeyedMode:
    def test_a_call_without_a_credential_is_refused(self, keyed_program: Program) -> None:
        with Deputy(keyed_program.url) as anonymous, pytest.raises(CredentialRequiredError):
            anonymous.list_tokens()
        with Deputy(keyed_program.url, credential=ApiKey("dk_wrong")) as guesser, pytest.raises(Refusal) as refused:
            guesser.list_tokens()
        assert refused.value.status in (400, 401)

    def test_an_api_key_has_the_permissions_of_its_role(self, keyed_program: Program) -> None:
        with a_developer(keyed_program) as developer:
            issued, _ = a_bound_token(keyed_program)
            assert developer.get_token(issued["jti"])["status"] == "live"
            with pytest.raises(RoleNotAllowedError):
                developer.authorize(vat_jti=issued["jti"], action="read", resource="calendar:events")

    def test_an_agent_acts_with_a_dpop_proof(self, keyed_program: Program) -> None:
        issued, agent = an_agent(keyed_program)
        with agent:
            decision = agent.authorize(vat_jti=issued["jti"], action="read", resource="calendar:events")
            assert agent.complete_record(decision["aar_id"], result="success")["state"] == "completed"
            child = agent.delegate(
                vat_jti=issued["jti"], agent_id="helper", actions=["read"], agent_jwk=AgentKey.generate().jwk
            )
            assert child["delegation_depth"] == 1

    def test_a_nonce_that_the_service_requires_after_its_start_is_sent(self) -> None:
        with a_program("keyed") as program:
            # A proof from the second in which the service started could predate it, so a nonce is required.
            issued, agent = an_agent(program)
            with agent:
                assert agent.authorize(vat_jti=issued["jti"], action="read", resource="calendar:events")["authorized"]
                assert len(agent.nonces) == 1

    def test_a_bound_token_is_refused_without_its_key(self, keyed_program: Program) -> None:
        issued, _ = a_bound_token(keyed_program)
        for credential in (BearerToken(issued["compact_jwt"]), DpopToken(issued["compact_jwt"], AgentKey.generate())):
            with Deputy(keyed_program.url, credential=credential) as thief, pytest.raises(CredentialInvalidError):
                thief.authorize(vat_jti=issued["jti"], action="read", resource="calendar:events")

    async def test_the_async_client_sends_proofs(self, keyed_program: Program) -> None:
        issued, key = a_bound_token(keyed_program)
        async with AsyncDeputy(keyed_program.url, credential=DpopToken(issued["compact_jwt"], key)) as agent:
            assert (await agent.authorize(vat_jti=issued["jti"], action="read", resource="calendar:7"))["authorized"]


class TestFaults:
    def test_an_overload_is_retried_with_the_same_idempotency_key(self) -> None:
        busy = problem(503, "overloaded", **{"Retry-After": "0"})
        with a_server(busy, Planned(hangs_up=True), answer(recorded=True)) as server, Deputy(server.url) as deputy:
            deputy.record_action(vat_jti="v", action="read", resource="a:b", result="success")
        keys = {seen.headers["idempotency-key"] for seen in server.seen}
        assert (len(server.seen), len(keys)) == (3, 1)
        assert len({seen.body for seen in server.seen}) == 1
        (key,) = keys
        assert (UUID(key).version, UUID(key).variant) == (7, RFC_4122)
        assert abs(UUID(key).int // 2**80 - time.time_ns() // 10**6) < 60_000

    def test_after_the_last_retry_the_refusal_is_raised(self) -> None:
        with a_server(*[problem(503, "overloaded")] * 3) as server, Deputy(server.url, max_retries=2) as deputy:
            with pytest.raises(OverloadedError):
                deputy.get_token("v")
        assert len(server.seen) == 3

    def test_a_timeout_counts_as_two_failures(self) -> None:
        late = Planned(after_s=1)
        with a_server(late, late, late) as server, Deputy(server.url, timeout_s=0.1, max_retries=3) as deputy:
            with pytest.raises(Unreachable):
                deputy.get_token("v")
        assert len(server.seen) == 3

    def test_the_defaults_are_those_of_the_javascript_sdk(self) -> None:
        text = (ROOT / "sdk/node/src/client.ts").read_text(encoding="utf-8")
        theirs = re.findall(r"^const CLIENT_(?:TIMEOUT_MS|RETRIES) = ([\d_]+)$", text, re.MULTILINE)
        with Deputy("http://127.0.0.1:9") as deputy:
            assert [int(each) for each in theirs] == [deputy.timeout_s * 1000, deputy.max_retries]

    def test_single_calls_may_have_other_limits(self) -> None:
        with a_server(problem(503, "overloaded"), Planned(after_s=1), answer()) as server, Deputy(server.url) as deputy:
            with pytest.raises(OverloadedError):
                deputy.with_options(max_retries=0).get_token("v")
            with pytest.raises(Unreachable):
                deputy.with_options(timeout_s=0.1, max_retries=0).get_token("v")
            deputy.get_token("v")
            assert (deputy.timeout_s, deputy.max_retries) == (20, 6)
        assert len(server.seen) == 3

    def test_a_long_retry_after_raises_at_once(self) -> None:
        with a_server(problem(429, "rate_limited", **{"Retry-After": "60"})) as server, Deputy(server.url) as deputy:
            with pytest.raises(Refusal) as refused:
                deputy.get_token("v")
        assert (len(server.seen), refused.value.retry_after_s) == (1, 60)

    def test_a_permanent_refusal_is_not_retried(self) -> None:
        with a_server(problem(404, "token_unknown")) as server, Deputy(server.url) as deputy:
            with pytest.raises(TokenUnknownError):
                deputy.get_token("v")
        assert len(server.seen) == 1

    def test_a_change_without_an_idempotency_key_is_sent_once(self) -> None:
        with a_server(Planned(hangs_up=True)) as server, Deputy(server.url) as deputy:
            with pytest.raises(Unreachable):
                deputy.update_agent("a", owner="me")
        assert len(server.seen) == 1
        with a_server(Planned(hangs_up=True)) as server, Deputy(server.url) as deputy:
            with pytest.raises(Unreachable):
                deputy.delete_webhook("wh_1")
        assert len(server.seen) == 1

    def test_a_slow_service_times_out(self) -> None:
        with a_server(Planned(after_s=1)) as server, Deputy(server.url, timeout_s=0.1, max_retries=0) as deputy:
            with pytest.raises(Unreachable):
                deputy.get_health()

    def test_a_long_polling_call_has_a_longer_timeout(self) -> None:
        with a_server(Planned(after_s=0.5)) as server, Deputy(server.url, timeout_s=0.1, max_retries=0) as deputy:
            deputy.get_approval("apr_1", wait=2)

    def test_a_refused_connection_is_unreachable(self) -> None:
        with Deputy(f"http://127.0.0.1:{free_port()}") as deputy, pytest.raises(Unreachable):
            deputy.get_health()

    @pytest.mark.parametrize("body", [b"<html>", b"[]", b"", b"\xff"])
    def test_a_malformed_answer_raises_bad_answer(self, body: bytes) -> None:
        with a_server(Planned(200, body)) as server, Deputy(server.url) as deputy, pytest.raises(BadAnswer):
            deputy.authorize(vat_jti="v", action="read", resource="a:b")

    def test_a_redirect_is_not_followed(self) -> None:
        with a_server(Planned(307, b"", {"Location": "http://127.0.0.1:1/"})) as server, Deputy(server.url) as deputy:
            with pytest.raises(BadAnswer) as refused:
                deputy.get_health()
            assert (type(refused.value), refused.value.status) == (BadAnswer, 307)
            assert server.url in str(refused.value)

    def test_a_title_that_the_detail_repeats_is_shown_once(self) -> None:
        said = {"code": "not_allowed", "status": 403, "title": "No", "detail": "No. Ask."}
        assert str(Refusal(said)) == "not_allowed: No. Ask."
        assert str(Refusal({**said, "detail": "Ask."})) == "not_allowed: No. Ask."
        assert str(Refusal({**said, "detail": ""})) == "not_allowed: No"

    def test_a_required_nonce_is_sent_in_a_new_proof(self) -> None:
        asked = problem(401, "credential_invalid", **{"DPoP-Nonce": "n1"})
        credential = DpopToken("a.b.c", AgentKey.generate())
        with a_server(asked, answer(), answer()) as server, Deputy(server.url, credential=credential) as deputy:
            deputy.get_token("v")
            deputy.get_token("v")
        proofs = [split_compact(seen.headers["dpop"]).payload for seen in server.seen]
        assert [proof.get("nonce") for proof in proofs] == [None, "n1", "n1"]
        assert len({proof["jti"] for proof in proofs}) == 3

    def test_an_oauth_error_is_a_refusal_with_its_description(self) -> None:
        body = b'{"error":"invalid_grant","error_description":"The token was revoked."}'
        headers = {"Content-Type": "application/json", "X-Request-Id": "req_1"}
        with a_server(Planned(400, body, headers)) as server, Deputy(server.url) as deputy:
            with pytest.raises(Refusal) as refused:
                deputy.get_health()
        error = refused.value
        assert (error.code, error.status, error.request_id) == ("oauth_refused", 400, "req_1")
        assert str(error) == "oauth_refused: invalid_grant: The token was revoked."
        assert error.problem["error"] == "invalid_grant"

    def test_an_oauth_error_needs_no_description(self) -> None:
        with a_server(Planned(401, b'{"error":"invalid_client"}')) as server, Deputy(server.url) as deputy:
            with pytest.raises(Refusal, match="^oauth_refused: invalid_client$"):
                deputy.get_health()

    @pytest.mark.parametrize("body", [b'{"error":{"message":"no"}}', b'{"message":"no"}', b"<html>"])
    def test_an_error_of_another_server_is_a_bad_answer(self, body: bytes) -> None:
        with a_server(Planned(400, body)) as server, Deputy(server.url) as deputy, pytest.raises(BadAnswer):
            deputy.get_health()

    async def test_the_async_client_retries(self) -> None:
        plan: list[Any] = [problem(503, "overloaded"), Planned(hangs_up=True), answer(recorded=True)]
        with a_server(*plan) as server:
            async with AsyncDeputy(server.url) as deputy:
                await deputy.record_action(vat_jti="v", action="read", resource="a:b", result="success")
        assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1


class TestAddresses:
    @pytest.mark.parametrize("url", ["ftp://x", "127.0.0.1:8420", "http://user:word@127.0.0.1", "http://x/?a=b", "http://"])
    def test_an_invalid_service_url_is_rejected(self, url: str) -> None:
        with pytest.raises((ValueError, httpx.InvalidURL)):
            Deputy(url)

    def test_a_credential_is_never_sent_over_plain_http(self) -> None:
        with pytest.raises(ValueError):
            Deputy("http://deputy.example.com", credential=ApiKey("dk_x"))
        Deputy("https://deputy.example.com", credential=ApiKey("dk_x")).close()

    def test_a_repr_contains_no_secret(self) -> None:
        for credential in (ApiKey("dk_secret"), BearerToken("dk_secret"), DpopToken("dk_secret", AgentKey.generate())):
            assert "dk_secret" not in repr(credential)

    def test_loopback_is_not_called_through_a_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        with a_server(answer(status="ok")) as server, Deputy(server.url) as deputy:
            assert deputy.get_health() == {"status": "ok"}


def test_invalid_arguments_are_rejected_before_any_call() -> None:
    untyped: Any = None
    with pytest.raises(TypeError, match="url must be a string"):
        Deputy(untyped)
    untyped = "dk_secret"
    with pytest.raises(TypeError, match=r"credential must be ApiKey\(\.\.\.\)"):
        Deputy("http://127.0.0.1:9", credential=untyped)
    with pytest.raises(TypeError, match="key must be the AgentKey"):
        DpopToken("a.b.c", untyped)
    with pytest.raises(ValueError, match="not its ID"):
        DpopToken("vat_root_1", AgentKey.generate())
    with pytest.raises(ValueError, match="not its ID"):
        BearerToken("vat_root_1")
    untyped = None
    for credential in (ApiKey, BearerToken):
        with pytest.raises(TypeError, match="It is NoneType"):
            credential(untyped)
        for wrong in ("", "dk_secret\n", "dk_secrét", "dk_secret\x00", "dk_secret\x7f"):
            with pytest.raises(ValueError, match="It is empty, or contains spaces or other") as refused:
                credential(wrong)
            assert "secr" not in str(refused.value)
    with pytest.raises(TypeError, match="an ID in a path must be a string, not None"):
        Deputy("http://127.0.0.1:9").get_token(untyped)


@pytest.mark.parametrize(
    ("limits", "kind", "said"),
    [
        ({"timeout_s": "3"}, TypeError, "timeout_s must be a number of seconds, not '3'"),
        ({"timeout_s": None}, TypeError, "timeout_s must be a number"),
        ({"timeout_s": 0}, ValueError, "timeout_s must be a number of seconds above 0, not 0"),
        ({"timeout_s": float("nan")}, ValueError, "timeout_s must be"),
        ({"max_retries": -1}, ValueError, "max_retries must be 0 or more, not -1"),
        ({"max_retries": 1.5}, TypeError, "max_retries must be an integer, not 1.5"),
    ],
)
def test_limits_that_are_none_are_rejected(limits: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        Deputy("http://127.0.0.1:9", **limits)
    if None not in limits.values():
        with pytest.raises(kind, match=said):
            Deputy("http://127.0.0.1:9").with_options(**limits)


CIRCLE: dict[str, Any] = {}
CIRCLE.update(a=CIRCLE, b=[CIRCLE])


@pytest.mark.parametrize(
    ("metadata", "kind", "said"),
    [
        ({"at": datetime(2027, 1, 1)}, TypeError, r"/metadata/at must be an ISO 8601 text with a time zone, such as 2027"),
        ({"a": [{"b": Decimal("1.5")}]}, TypeError, "/metadata/a/0/b must be a float, not a Decimal"),
        ({"n": float("nan")}, ValueError, "/metadata/n must be a finite number, not nan"),
        ({"t": "\ud800"}, ValueError, "/metadata/t must be text without lone surrogates"),
        ({1, 2}, TypeError, "/metadata must have a JSON form: a dictionary, list, .* not set"),
        ({(1, 2): 3}, TypeError, r"/metadata/\(1, 2\) must have a string as its name, not \(1, 2\)"),
        ({1: 2}, TypeError, "/metadata/1 must have a string as its name, not 1"),
        ({"a": {None: 2}}, TypeError, "/metadata/a/None must have a string as its name, not None"),
        ({"n": 2**53}, ValueError, r"/metadata/n must be at most 2\*\*53 - 1, or a text"),
        (CIRCLE, ValueError, "/metadata/a must not contain itself"),
    ],
)
def test_a_value_without_a_json_form_is_named(metadata: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        Deputy("http://127.0.0.1:9").record_action(
            vat_jti="vat_1", action="read", resource="a:b", result="success", metadata=metadata
        )


def numbered(value: Any) -> Any:
    """Returns the value with `$number` entries replaced by numbers that JSON can't represent."""
    if isinstance(value, list):
        return [numbered(each) for each in value]
    if isinstance(value, dict):
        return float(value["$number"]) if "$number" in value else {name: numbered(each) for name, each in value.items()}
    return value


BODIES = read_vector("json-body/bodies.json")["cases"]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body["name"])
def test_every_body_is_judged_as_in_the_node_sdk(body: dict[str, Any]) -> None:
    members = {"metadata": numbered(body["metadata"])}
    if "says" not in body:
        assert json.loads(json_body(members)) == {"metadata": body["metadata"]}
        return
    with pytest.raises(ValueError, match=re.escape(body["says"])) as refused:
        json_body(members)
    assert str(refused.value).startswith(body["pointer"])


def test_there_are_15_bodies() -> None:
    assert len(BODIES) == 15


def test_an_unreachable_service_is_reported_with_its_url_and_the_reason() -> None:
    with Deputy("http://127.0.0.1:9", max_retries=0) as deputy, pytest.raises(Unreachable) as away:
        deputy.get_health()
    assert re.fullmatch(r"http://127\.0\.0\.1:9 did not answer \(.+\)\. Is the service running\?", str(away.value))
