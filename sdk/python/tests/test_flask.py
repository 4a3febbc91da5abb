import threading
import time
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import httpx
import pytest
from flask import Flask, Request, Response, abort, request
from werkzeug.serving import BaseWSGIServer, make_server

from deputize import ApiKey, Deputy, Verifier, make_proof, result_hash, with_authority
from deputize.flask import authority, current_action, protect
from tests.builders import a_bound_token, a_token
from tests.program import Program, free_port
from tests.test_fastapi import (
    OVER_BUDGET,
    OVER_BUDGET_DETAIL,
    Server,
    a_buyer,
    assert_nested,
    assert_problem,
    only_record,
    wait_for_record,
)


def event_of(request: Request) -> str:
    return f"calendar:{(request.view_args or {})['name']}"


def price_of(request: Request) -> float:
    return float(request.get_json()["price"])


def an_app(deputy: Deputy, public_url: str, **settings: Any) -> Flask:
    app = Flask("calendar")
    protect(app, deputy, public_url=public_url, **settings)

    @app.get("/events")
    @authority("read", "calendar:events")
    def events() -> dict[str, str]:
        return {"agent": current_action().claims["sub"]}

    @app.get("/events/<name>")
    @authority("read", event_of)
    def event(name: str) -> str:
        current_action().spend_usd = 0
        return name

    @app.get("/nested")
    @authority("read", "calendar:events")
    def nested() -> str:
        with with_authority(deputy, vat_jti=current_action().claims["jti"], action="read", resource="calendar:7"):
            return "done"

    @app.get("/fails")
    @authority("read", "calendar:events")
    def fails() -> Response:
        abort(418)

    @app.get("/crashes")
    @authority("read", "calendar:events")
    def crashes() -> Response:
        raise ZeroDivisionError

    @app.get("/answers-no")
    @authority("read", "calendar:events")
    def answers_no() -> tuple[str, int]:
        return "gone", 410

    @app.get("/streams")
    @authority("read", "calendar:events")
    def streams() -> Response:
        return Response(iter([b"a", b"b"]))

    @app.get("/breaks-off")
    @authority("read", "calendar:events")
    def breaks_off() -> Response:
        def lines() -> Iterator[bytes]:
            yield b"a"
            raise ZeroDivisionError

        return Response(lines())

    @app.get("/endless")
    @authority("read", "calendar:events")
    def endless() -> Response:
        return Response(repeat(b"a" * 100_000))

    @app.get("/refused-later")
    @authority("read", "calendar:events")
    def refused_later() -> str:
        return "replaced"

    @app.after_request
    def refuse(response: Response) -> Response:
        return Response("no", 403) if request.path == "/refused-later" else response

    @app.post("/orders")
    @authority("buy", "calendar:events", spend_usd=price_of, metadata=lambda request: {"shop": request.path})
    def order() -> str:
        current_action().spend_usd = price_of(request)
        return "sent"

    @app.get("/fixed")
    @authority("buy", "calendar:events", spend_usd=0.1 + 0.2, metadata={"shop": "main"})
    def fixed() -> str:
        return "sent"

    @app.get("/slow")
    @authority("read", "calendar:events")
    def slow() -> str:
        time.sleep(1)
        return "late"

    return app


def only_pending(deputy: Deputy, issued: Any) -> bool:
    [record] = deputy.iter_workflow_records(issued["provenance_ref"])
    return bool(record["state"] == "pending")


class Serving:
    """Serves the app on a free port."""

    def __init__(self, deputy_url: str, credential: ApiKey | None = None, **settings: Any) -> None:
        port = free_port()
        tracing = settings.pop("tracing", None)
        self.deputy = Deputy(deputy_url, credential=credential, timeout_s=5, max_retries=0, tracing=tracing)
        if "verifier_settings" in settings:
            settings["verifier"] = Verifier(self.deputy, **settings.pop("verifier_settings"))
        url = f"http://127.0.0.1:{port}"
        self.server: BaseWSGIServer = make_server("127.0.0.1", port, an_app(self.deputy, url, **settings), threaded=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.served = Server(url)

    def __enter__(self) -> Server:
        return self.served

    def __exit__(self, *_: object) -> None:
        self.served.client.close()
        self.server.shutdown()
        self.server.server_close()
        self.deputy.close()


@pytest.fixture(scope="module")
def app(open_program: Program) -> Iterator[Server]:
    with Serving(open_program.url) as served:
        yield served


def test_an_allowed_request_runs_and_its_response_is_hashed(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    response = app.get("/events", issued["compact_jwt"])
    assert (response.status_code, response.json()) == (200, {"agent": "agent:calendar-bot"})
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "success")
    assert record["result_hash"] == result_hash(response.content)


def test_the_resource_may_depend_on_the_request(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    assert app.get("/events/7", issued["compact_jwt"]).text == "7"
    assert only_record(deputy, issued)["resource"] == "calendar:7"
    refused = app.get("/events/8", issued["compact_jwt"])
    assert_problem(refused, 403, "not_allowed", reasons=["resource_not_in_scope"])
    assert deputy.get_denial(refused.json()["denial_id"])["resource"] == "calendar:8"


def test_a_route_reserves_its_cost_and_records_metadata_of_its_own(app: Server, deputy: Deputy) -> None:
    issued = a_buyer(deputy)
    headers = {"Authorization": f"Bearer {issued['compact_jwt']}"}
    assert app.client.post("/orders", json={"price": 2.5}, headers=headers).status_code == 200
    record = only_record(deputy, issued)
    assert (record["spend_usd"], record.get("exceeded"), record["metadata"]["shop"]) == (2.5, None, "/orders")
    assert deputy.get_token(issued["jti"])["status"] == "live"
    refused = app.client.post("/orders", json={"price": 8}, headers=headers)
    assert_problem(refused, 403, "not_allowed", detail=OVER_BUDGET, details=[OVER_BUDGET_DETAIL])


def test_the_cost_and_metadata_of_a_route_may_be_fixed(app: Server, deputy: Deputy) -> None:
    issued = a_buyer(deputy)
    assert app.get("/fixed", issued["compact_jwt"]).status_code == 200
    record = only_record(deputy, issued)
    assert (record["spend_usd"], record["metadata"]["shop"]) == (0.3, "main")


def test_an_invalid_resource_is_refused(app: Server, deputy: Deputy) -> None:
    token = a_token(deputy, resources=["calendar:*"])["compact_jwt"]
    for name in ("a%20b", "*", "%00"):
        assert_problem(app.get(f"/events/{name}", token), 403, "not_allowed", reason="resource_not_in_scope")


def test_a_request_without_a_valid_token_is_refused(app: Server, deputy: Deputy) -> None:
    assert_problem(app.get("/events"), 401, "credential_required")
    assert_problem(app.get("/events", a_token(deputy)["jti"]), 401, "credential_invalid", reason="malformed")


def test_an_action_of_a_route_names_the_request_as_its_parent(app: Server, deputy: Deputy) -> None:
    assert_nested(app, deputy, "/nested")


def test_a_revoked_token_is_refused(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    deputy.revoke_token(vat_jti=issued["jti"])
    assert_problem(app.get("/events", issued["compact_jwt"]), 403, "not_allowed", reason="token_revoked")


def test_a_route_whose_token_is_revoked_meanwhile_is_still_recorded(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    thread = threading.Thread(target=app.get, args=("/slow", issued["compact_jwt"]))
    thread.start()
    wait_for_record(deputy, issued)
    deputy.revoke_token(vat_jti=issued["jti"])
    thread.join()
    record = only_record(deputy, issued)
    assert (record["result"], record["completed_after_revocation"]) == ("success", True)


@pytest.mark.parametrize(
    ("path", "status"), [("/fails", 418), ("/crashes", 500), ("/answers-no", 410), ("/refused-later", 403)]
)
def test_a_failed_route_is_reported_as_error(app: Server, deputy: Deputy, path: str, status: int) -> None:
    issued = a_token(deputy)
    assert app.get(path, issued["compact_jwt"]).status_code == status
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "error")


def test_a_streamed_response_is_not_hashed(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    assert app.get("/streams", issued["compact_jwt"]).text == "ab"
    assert "result_hash" not in only_record(deputy, issued)


def test_a_stream_that_breaks_off_is_reported_as_error(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    with pytest.raises(httpx.RemoteProtocolError):
        app.get("/breaks-off", issued["compact_jwt"])
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "error")


def test_a_caller_who_leaves_a_stream_does_not_make_it_an_error(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    headers = {"Authorization": f"Bearer {issued['compact_jwt']}"}
    with app.client.stream("GET", "/endless", headers=headers) as response:
        chunks = response.iter_raw()  # dropping it would close the connection
        assert next(chunks)
        assert only_pending(deputy, issued)
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "success")


def test_a_record_is_completed_before_the_caller_has_the_response(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    app.get("/events", issued["compact_jwt"])
    assert not only_pending(deputy, issued)


def test_an_app_that_is_called_without_wsgi_reports_the_outcome_too(deputy: Deputy) -> None:
    issued = a_token(deputy)
    app = an_app(deputy, "http://127.0.0.1")
    with app.test_request_context("/answers-no", headers={"Authorization": f"Bearer {issued['compact_jwt']}"}):
        assert app.full_dispatch_request().status_code == 410
    assert only_record(deputy, issued)["result"] == "error"


def test_an_unavailable_service_means_503_unless_verify_only_is_set(mortal_program: Program) -> None:
    url = mortal_program.url
    lenient: dict[str, Any] = {"when_away": "verify_only", "verifier_settings": {"refresh_s": 0.2, "max_stale_s": 2}}
    with Deputy(url) as deputy, Serving(url) as strict, Serving(url, **lenient) as app:
        issued = a_token(deputy)
        for served in (strict, app):
            assert served.get("/events", issued["compact_jwt"]).status_code == 200
        mortal_program.stop()
        assert_problem(strict.get("/events", issued["compact_jwt"]), 503, "authority_unavailable")
        assert app.get("/events", issued["compact_jwt"]).status_code == 200
        time.sleep(2.2)
        assert_problem(app.get("/events", issued["compact_jwt"]), 503, "authority_unavailable")


def test_an_agent_in_keyed_mode_is_admitted_with_a_proof(keyed_program: Program) -> None:
    audience = "https://flask.example.com"
    key = ApiKey(keyed_program.key("resource_server", audience=audience))
    issued, agent_key = a_bound_token(keyed_program, audience=audience)
    token = issued["compact_jwt"]

    def proven(app: Server, path: str) -> httpx.Response:
        return app.get(path, Authorization=f"DPoP {token}", DPoP=make_proof(agent_key, "GET", app.url + path, token))

    with Serving(keyed_program.url, key, audience=audience) as app:
        assert proven(app, "/events").status_code == 200
        with Deputy(keyed_program.url, credential=ApiKey(keyed_program.key("auditor"))) as auditor:
            assert only_record(auditor, issued)["evidence"] == "observed"
        assert proven(app, "/events/7").text == "7"
        assert_problem(app.get("/events", token), 401, "credential_invalid", reason="proof_required")
