"""An approval covers exactly the request that is executed: method, target and body."""

import hashlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from io import BytesIO
from typing import Annotated, Any

import httpx
import pytest
import uvicorn
from fastapi import Depends, FastAPI, Request
from flask import Flask
from flask import Request as FlaskRequest
from flask import request as flask_request
from pydantic import BaseModel
from werkzeug.serving import make_server

from deputize import ApiKey, AsyncDeputy, Deputy
from deputize import fastapi as for_fastapi
from deputize import flask as for_flask
from deputize.bound_request import bound_request
from tests.builders import a_developer, a_token
from tests.program import Program, a_program, free_port
from tests.vectors import read_vector

VECTORS = read_vector("bound-request/requests.json")
ALICE = b'{"to":"alice", "amount":10}'
MALLORY = b'{"to":"mallory", "amount":1000000}'
ASKING = {"require_approval": {"actions": ["transfer"]}}
MAX_BODY_BYTES = 10_000


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_a_request_is_written_as_in_the_shared_vectors(vector: dict[str, Any]) -> None:
    body = vector.get("body")
    assert vector["request"] == bound_request(
        method=vector["method"],
        route=vector.get("route"),
        target=vector["target"],
        body_sha256=None if body is None else sha256(body.encode()),
        content_type=vector.get("content_type"),
        content_encoding=vector.get("content_encoding"),
        summary=vector.get("summary"),
    )


class Transfer(BaseModel):
    to: str
    amount: float


class Bank:
    """A served API that records what its routes saw."""

    def __init__(self, url: str, seen: list[Any]) -> None:
        self.url = url
        self.seen = seen
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=20)

    def post(
        self, target: str, token: str, body: bytes | Iterator[bytes] = b"", approval_id: str | None = None, **headers: str
    ) -> httpx.Response:
        sent = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", **headers}
        approval = {} if approval_id is None else {"Deputy-Approval": approval_id}
        return self.client.post(target, content=body, headers={**sent, **approval})


def fastapi_summary(request: Request) -> Any:
    async def read() -> dict[str, Any]:
        sent = await request.json()
        return {"to": sent["to"], "amount": sent["amount"]}

    return read()


async def half_read(request: Request) -> None:
    async for _ in request.stream():
        return


@contextmanager
def a_fastapi_bank(deputy_url: str, **settings: Any) -> Iterator[Bank]:
    seen: list[Any] = []
    deputy = AsyncDeputy(deputy_url, max_retries=0, credential=settings.pop("credential", None))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with deputy:
            yield

    app = FastAPI(lifespan=lifespan)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    for_fastapi.protect(app, deputy, **{"public_url": url, "max_body_bytes": MAX_BODY_BYTES, **settings})

    @app.post("/transfers/{bank}")
    @for_fastapi.authority("transfer", "bank:main", summary=fastapi_summary)
    async def transfer(bank: str, transfer: Transfer) -> Transfer:
        seen.append(transfer.to)
        return transfer

    @app.post("/raw")
    @for_fastapi.authority("transfer", "bank:main")
    async def raw(request: Request) -> int:
        seen.append("raw")
        return sum([len(chunk) async for chunk in request.stream()])

    @app.post("/uploads")
    @for_fastapi.authority("transfer", "bank:main", bind_body=False)
    async def uploads(request: Request) -> int:
        seen.append("upload")
        return len(await request.body())

    @app.post("/consumed")
    @for_fastapi.authority("transfer", "bank:main")
    async def consumed(_: Annotated[None, Depends(half_read)]) -> None:
        seen.append("consumed")

    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    bank = Bank(url, seen)
    try:
        yield bank
    finally:
        bank.client.close()
        server.should_exit = True
        thread.join(10)


def flask_summary(request: FlaskRequest) -> dict[str, Any]:
    sent = request.get_json()
    return {"to": sent["to"], "amount": sent["amount"]}


@contextmanager
def a_flask_bank(deputy_url: str, **settings: Any) -> Iterator[Bank]:
    seen: list[Any] = []
    deputy = Deputy(deputy_url, max_retries=0, credential=settings.pop("credential", None))
    app = Flask("bank")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    for_flask.protect(app, deputy, public_url=url, max_body_bytes=MAX_BODY_BYTES, **settings)

    @app.before_request
    def read_the_form() -> None:
        if flask_request.path == "/consumed":
            flask_request.stream.read()
        if flask_request.path == "/parsed":
            # Like servers that decode chunked bodies.
            environ = flask_request.environ
            environ["wsgi.input"] = BytesIO(environ["wsgi.input"].read(int(environ.pop("CONTENT_LENGTH"))))
            environ["wsgi.input_terminated"] = True
            flask_request.get_data(parse_form_data=True)

    @app.post("/transfers/<bank>")
    @for_flask.authority("transfer", "bank:main", summary=flask_summary)
    def transfer(bank: str) -> dict[str, Any]:
        sent: dict[str, Any] = flask_request.get_json()
        seen.append(sent["to"])
        return sent

    @app.post("/raw")
    @for_flask.authority("transfer", "bank:main")
    def raw() -> str:
        seen.append("raw")
        return str(len(flask_request.get_data()))

    @app.post("/form")
    @for_flask.authority("transfer", "bank:main")
    def form() -> str:
        return flask_request.form["to"]

    @app.post("/uploads")
    @for_flask.authority("transfer", "bank:main", bind_body=False)
    def uploads() -> str:
        seen.append("upload")
        return str(len(flask_request.get_data()))

    @app.post("/parsed")
    @for_flask.authority("transfer", "bank:main")
    def parsed() -> str:
        seen.append(flask_request.form["to"])
        return ""

    @app.post("/consumed")
    @for_flask.authority("transfer", "bank:main")
    def consumed() -> str:
        seen.append("consumed")
        return ""

    server = make_server("127.0.0.1", port, app, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    bank = Bank(url, seen)
    try:
        yield bank
    finally:
        bank.client.close()
        server.shutdown()
        server.server_close()
        deputy.close()


BANKS = {"FastAPI": (a_fastapi_bank, "/transfers/{bank}"), "Flask": (a_flask_bank, "/transfers/<bank>")}


@pytest.fixture(scope="module", params=BANKS)
def bank(request: pytest.FixtureRequest, open_program: Program) -> Iterator[tuple[Bank, str]]:
    serve, route = BANKS[request.param]
    with serve(open_program.url) as served:
        yield served, route


def a_transfer_token(deputy: Deputy, **more: Any) -> Any:
    return a_token(deputy, resources=["bank:main"], actions=["transfer"], **more)


def request_in(deputy: Deputy, issued: Any) -> Any:
    [record] = deputy.iter_workflow_records(issued["provenance_ref"])
    return record["metadata"]["request"]


def test_an_approval_covers_one_body_and_one_target(bank: tuple[Bank, str], deputy: Deputy) -> None:
    served, route = bank
    target = "/transfers/main?memo=rent%20May"
    token = a_transfer_token(deputy, constraints=ASKING)["compact_jwt"]
    asked = served.post(target, token, ALICE)
    assert (asked.status_code, asked.json()["reason"]) == (403, "approval_required")
    approval_id = asked.json()["approval_id"]
    assert asked.json()["detail"] == (
        "The token does not allow this: approval_required. A person must approve this action first. GET /v1/vat/approvals/"
        f"{approval_id} of the authority service shows when it is approved. Then send the same request again with the header"
        f" Deputy-Approval: {approval_id}."
    )
    assert deputy.get_approval(approval_id)["metadata"] == {
        "request": {
            "method": "POST",
            "route": route,
            "target": target,
            "body_sha256": sha256(ALICE),
            "content_type": "application/json",
            "summary": {"to": "alice", "amount": 10},
        }
    }
    deputy.approve(approval_id)
    served.seen.clear()
    for other_target, body in [
        (target, MALLORY),
        ("/transfers/other", ALICE),
        ("/transfers/main?memo=rent%20June", ALICE),
        (target, ALICE + b" "),
    ]:
        refused = served.post(other_target, token, body, approval_id)
        assert (refused.status_code, refused.json()["reason"]) == (403, "approval_required")
    for header in [{"Content-Type": "application/json; charset=utf-8"}, {"Content-Encoding": "identity"}]:
        refused = served.post(target, token, ALICE, approval_id, **header)
        assert (refused.status_code, refused.json()["reason"]) == (403, "approval_required")
    assert served.seen == []
    done = served.post(target, token, ALICE, approval_id)
    assert (done.status_code, done.json()["to"]) == (200, "alice")
    assert served.seen == ["alice"]


def test_the_route_sees_the_body_that_is_bound(bank: tuple[Bank, str], deputy: Deputy) -> None:
    served, _ = bank
    issued = a_transfer_token(deputy)
    body = b"x" * 9_000
    assert served.post("/raw", issued["compact_jwt"], body).text == "9000"
    assert request_in(deputy, issued)["body_sha256"] == sha256(body)
    empty = a_transfer_token(deputy)
    assert served.post("/raw", empty["compact_jwt"]).text == "0"
    assert request_in(deputy, empty)["body_sha256"] == sha256(b"")


def test_a_form_is_bound_and_still_read(deputy: Deputy, open_program: Program) -> None:
    with a_flask_bank(open_program.url) as served:
        issued = a_transfer_token(deputy)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert served.post("/form", issued["compact_jwt"], b"to=alice", **form).text == "alice"
        assert request_in(deputy, issued)["body_sha256"] == sha256(b"to=alice")


def test_a_body_beyond_the_limit_gets_413(bank: tuple[Bank, str], deputy: Deputy) -> None:
    served, _ = bank
    served.seen.clear()
    token = a_transfer_token(deputy)["compact_jwt"]
    parts = (b"x" * 1_000 for _ in range(20))
    bodies: list[bytes | Iterator[bytes]] = [b"x" * 20_000]
    if served.post("/raw", token, iter([b"x"])).text == "1":  # the server reads chunked bodies
        bodies.append(parts)
    served.seen.clear()
    for body in bodies:
        response = served.post("/raw", token, body)
        assert (response.status_code, response.json()["code"]) == (413, "body_too_large")
    assert served.seen == []


def test_a_route_that_binds_no_bodies_refuses_approvals(bank: tuple[Bank, str], deputy: Deputy) -> None:
    served, _ = bank
    plain = a_transfer_token(deputy)
    assert served.post("/uploads", plain["compact_jwt"], b"x" * 20_000).text == "20000"
    assert request_in(deputy, plain) == {"method": "POST", "route": "/uploads", "target": "/uploads"}
    served.seen.clear()
    asking = a_transfer_token(deputy, constraints=ASKING)["compact_jwt"]
    for approval_id in (None, "apr_x"):
        refused = served.post("/uploads", asking, ALICE, approval_id)
        assert (refused.status_code, refused.json()["reason"]) == (403, "approval_not_bound")
        assert "Ask the person who granted the token for one that needs no approval" in refused.json()["detail"]
    assert served.seen == []


def test_a_consumed_body_is_refused_on_flask(deputy: Deputy, open_program: Program) -> None:
    with a_flask_bank(open_program.url) as served:
        token = a_transfer_token(deputy)["compact_jwt"]
        assert served.post("/consumed", token, ALICE).status_code == 500
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert served.post("/parsed", token, b"to=mallory", **form).status_code == 500
        assert served.seen == []


def test_a_body_that_was_read_before_is_bound_whole_on_fastapi(deputy: Deputy, open_program: Program) -> None:
    with a_fastapi_bank(open_program.url, max_body_bytes=1_000_000) as served:
        issued = a_transfer_token(deputy)
        body = ALICE + b" " * 500_000  # long enough to arrive in several parts
        assert served.post("/consumed", issued["compact_jwt"], body).status_code == 200
        assert request_in(deputy, issued)["body_sha256"] == sha256(body)


def test_the_api_describes_itself(bank: tuple[Bank, str], deputy: Deputy) -> None:
    served, _ = bank
    where = f"{served.url}/.well-known/oauth-protected-resource"
    challenge = served.client.post("/raw").headers["www-authenticate"]
    assert challenge.count(f'resource_metadata="{where}"') == 2
    assert httpx.get(where, trust_env=False).json() == {
        "resource": served.url,
        "authorization_servers": [deputy.get_deployment()["issuer"]],
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": ["EdDSA", "ES256"],
        "dpop_bound_access_tokens_required": False,
    }


def refusal_of_a_minute(post: Callable[[], httpx.Response]) -> tuple[httpx.Response, int]:
    """Returns a refusal with the service's wait, and how many requests passed before. The guard's own wait is 1 second."""
    passed = 0
    for _ in range(8):  # one request passes in every minute, and the minute may end at any time
        answer = post()
        wait_s = int(answer.headers.get("retry-after", 0))
        if wait_s > 1:
            return answer, passed
        passed += answer.status_code == 200
        time.sleep(wait_s)
    raise AssertionError("no request was refused until the next minute")


@pytest.mark.parametrize("serve", [a_fastapi_bank, a_flask_bank])
def test_a_rate_limit_is_not_an_outage(serve: Any, keyed_program: Program) -> None:
    audience = "https://bank.example.com"
    tenant = f"limited-{free_port()}"
    operator = Deputy(keyed_program.url, credential=ApiKey(keyed_program.key("operator")))
    operator.create_tenant(tenant_id=tenant, allow_bearer=True)
    guard_key = ApiKey(keyed_program.key("resource_server", audience=audience, tenant_id=tenant))
    developer = Deputy(keyed_program.url, credential=ApiKey(keyed_program.key("developer", tenant_id=tenant)))
    lenient = {"when_away": "verify_only", "allow_bearer": True, "audience": audience, "credential": guard_key}
    with operator, developer, serve(keyed_program.url, **lenient) as served:
        token = a_transfer_token(developer, audience=audience)["compact_jwt"]
        assert served.post("/raw", token, ALICE).status_code == 200
        operator.update_tenant(tenant, rate_limit=1)
        served.seen.clear()
        refused, passed = refusal_of_a_minute(lambda: served.post("/raw", token, ALICE))
        assert (refused.status_code, refused.json()["code"]) == (503, "authority_unavailable")
        assert len(served.seen) == passed


@pytest.mark.parametrize("serve", [a_fastapi_bank, a_flask_bank])
def test_an_unbound_token_does_not_pass_without_the_service_in_keyed_mode(serve: Any) -> None:
    audience = "https://bank.example.com"
    with a_program("keyed") as program:
        with Deputy(program.url, credential=ApiKey(program.key("operator"))) as operator:
            operator.update_tenant("default", allow_bearer=True)
        credential = ApiKey(program.key("resource_server", audience=audience))
        lenient = {"when_away": "verify_only", "audience": audience, "credential": credential}
        with a_developer(program) as developer, serve(program.url, **lenient) as served:
            with serve(program.url, **lenient, allow_bearer=True) as trusting:
                token = a_transfer_token(developer, audience=audience)["compact_jwt"]
                for each in (served, trusting):
                    assert each.post("/raw", token, ALICE).status_code == 200
                program.stop()
                assert served.post("/raw", token, ALICE).status_code == 503
                assert trusting.post("/raw", token, ALICE).status_code == 200
