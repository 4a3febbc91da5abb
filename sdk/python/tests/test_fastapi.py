import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated, Any

import httpx
import pytest
import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict
from starlette.requests import ClientDisconnect

from deputize import AgentKey, ApiKey, AsyncDeputy, AsyncVerifier, Deputy, make_proof, result_hash, with_authority
from deputize.api import IssuedToken
from deputize.fastapi import Authority, GuardedAction, authority, protect
from tests.builders import a_bound_token, a_token
from tests.program import PATIENCE_S, Program, free_port


class Event(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    hours: float


class Calendar:
    """An object as an ORM returns it: it has no JSON form without a `response_model`."""

    def __init__(self) -> None:
        self.name = "work"
        self.hours = 1
        self.lock = threading.Lock()
        self.parent = self


class Days(BaseModel):
    names: Iterable[str]


class Week(BaseModel):
    days: Any


class Slotted:
    __slots__ = ("hours", "name")

    def __init__(self) -> None:
        self.name, self.hours = "work", 1


def numbers() -> Iterator[str]:
    yield "1"
    yield "2"


#: What routes return, with the model of the response.
VALUES: dict[str, tuple[Callable[[], Any], Any]] = {
    "orm": (Calendar, Event),
    "slots": (Slotted, Event),
    "bytes": (lambda: {"name": "work", "hours": 1, "raw": b"\xff"}, Event),
    "generator": (numbers, list[str]),
    "iterator": (lambda: map(str, (1, 2)), list[str]),
    "model": (lambda: Days(names=numbers()), Days),
    "nested": (lambda: [Week(days={"of": (Days(names=numbers()),)})], list[Week]),
}


#: What the caller gets of those that are not an Event.
SENT: dict[str, Any] = {
    "generator": ["1", "2"],
    "iterator": ["1", "2"],
    "model": {"names": ["1", "2"]},
    "nested": [{"days": {"of": [{"names": ["1", "2"]}]}}],
}


def a_route_for(value: Callable[[], Any]) -> Callable[[], Any]:
    async def route() -> Any:
        return value()

    return route


def event_of(request: Request) -> str:
    return f"calendar:{request.path_params['name']}"


async def event_in_body(request: Request) -> str:
    return f"calendar:{(await request.json())['name']}"


async def price_of(request: Request) -> float:
    return float((await request.json())["price"])


Reading = Annotated[GuardedAction, Depends(Authority("read", "calendar:events"))]
FIXED_PRICE = Authority("buy", "calendar:events", spend_usd=0.1 + 0.2, metadata={"shop": "main"})


def an_app(deputy: AsyncDeputy, public_url: str, **settings: Any) -> FastAPI:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with deputy:
            yield

    app = FastAPI(lifespan=lifespan)
    protect(app, deputy, public_url=public_url, **settings)

    for name, (value, model) in VALUES.items():
        app.get(f"/values/{name}", response_model=model)(authority("read", "calendar:events")(a_route_for(value)))
    app.get("/yielded", dependencies=[Depends(Authority("read", "calendar:events"))])(numbers)

    @app.get("/events")
    async def events(action: Annotated[GuardedAction, Depends(Authority("read", "calendar:events"))]) -> dict[str, str]:
        action.hash("seen")
        return {"agent": action.claims["sub"]}

    @app.get("/events/{name}")
    @authority("read", event_of)
    async def event(name: str) -> Event:
        return Event(name=name, hours=1.0)

    @app.post("/events")
    @authority("write", event_in_body)
    def write(event: Event, action: GuardedAction) -> Event:
        action.metadata = {"by": "test"}
        return event

    @app.get("/nested")
    async def nested(action: Annotated[GuardedAction, Depends(Authority("read", "calendar:events"))]) -> None:
        await read_seven(action)

    @app.get("/decorated-nested")
    @authority("read", "calendar:events")
    async def decorated_nested(action: GuardedAction) -> None:
        await read_seven(action)

    async def read_seven(action: GuardedAction) -> None:
        async with with_authority(deputy, vat_jti=action.claims["jti"], action="read", resource="calendar:7"):
            pass

    @app.get("/fails")
    @authority("read", "calendar:events")
    async def fails() -> None:
        raise HTTPException(418, "no coffee")

    @app.get("/crashes")
    async def crashes(action: Annotated[GuardedAction, Depends(Authority("read", "calendar:events"))]) -> None:
        raise ZeroDivisionError

    @app.get("/sets-status")
    @authority("read", "calendar:events")
    async def sets_status(response: Response) -> None:
        response.status_code = 409

    @app.get("/always-fails", status_code=501)
    @authority("read", "calendar:events")
    async def always_fails() -> None:
        return None

    @app.get("/answers-badly")
    @authority("read", "calendar:events")
    async def answers_badly() -> Event:
        return None  # type: ignore[return-value]

    @app.get("/depends-and-answers-no")
    async def depends_and_answers_no(_: Reading) -> PlainTextResponse:
        return PlainTextResponse("gone", 410)

    @app.get("/depends-and-fails")
    async def depends_and_fails(_: Reading) -> None:
        raise HTTPException(418, "no coffee")

    @app.get("/depends-on-more")
    async def depends_on_more(_: Reading, hours: int) -> None:
        return None

    @app.get("/says-too-much")
    async def says_too_much(action: Reading) -> None:
        action.metadata = {"text": "x" * 4_000}  # too long together with the request

    @app.get("/breaks-off")
    @authority("read", "calendar:events")
    async def breaks_off() -> StreamingResponse:
        async def lines() -> AsyncIterator[str]:
            yield "stand-up\n"
            raise ZeroDivisionError

        return StreamingResponse(lines())

    @app.get("/endless")
    @authority("read", "calendar:events")
    async def endless() -> StreamingResponse:
        async def lines() -> AsyncIterator[bytes]:
            while True:
                yield b"a" * 1_000
                await asyncio.sleep(0.001)

        return StreamingResponse(lines())

    @app.get("/streams")
    @authority("read", "calendar:events")
    async def streams(action: GuardedAction) -> StreamingResponse:
        async def lines() -> AsyncIterator[str]:
            for line in ("stand-up\n", "lunch\n"):
                yield line
            action.hash("both")

        return StreamingResponse(lines())

    @app.get("/answers-no")
    @authority("read", "calendar:events")
    async def answers_no(request: Request) -> PlainTextResponse:
        return PlainTextResponse("gone", 410)

    @app.post("/orders")
    @authority("buy", "calendar:events", spend_usd=price_of, metadata=lambda request: {"shop": request.url.path})
    async def order(order: dict[str, float], action: GuardedAction) -> str:
        action.spend_usd = order["price"]
        action.metadata = {"carrier": "post", "shop": "another"}
        return "sent"

    @app.get("/fixed")
    async def fixed(action: Annotated[GuardedAction, Depends(FIXED_PRICE)]) -> None:
        return None

    @app.get("/slow")
    @authority("read", "calendar:events")
    async def slow() -> str:
        await asyncio.sleep(1)
        return "late"

    return app


class Server:
    """Serves the app on a free port."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S)

    def get(self, path: str, token: str | None = None, **headers: str) -> httpx.Response:
        shown = {} if token is None else {"Authorization": f"Bearer {token}"}
        return self.client.get(path, headers={**shown, **headers})


@contextmanager
def serving(deputy_url: str, credential: ApiKey | None = None, **settings: Any) -> Iterator[Server]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    tracing = settings.pop("tracing", None)
    deputy = AsyncDeputy(deputy_url, credential=credential, timeout_s=5, max_retries=0, tracing=tracing)
    if "verifier_settings" in settings:
        settings["verifier"] = AsyncVerifier(deputy, **settings.pop("verifier_settings"))
    app = an_app(deputy, url, **settings)
    server = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE_S
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.02)
    served = Server(url)
    try:
        yield served
    finally:
        served.client.close()
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def app(open_program: Program) -> Iterator[Server]:
    with serving(open_program.url) as served:
        yield served


def only_record(deputy: Deputy, issued: Any) -> Any:
    """Returns the only record of a workflow once it is closed. That of a crash is closed after the response is sent."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        [record] = deputy.iter_workflow_records(issued["provenance_ref"])
        if record["state"] != "pending" or time.monotonic() > deadline:
            return record
        time.sleep(0.02)


def wait_for_record(deputy: Deputy, issued: Any) -> None:
    """Waits until the route has been allowed and runs."""
    deadline = time.monotonic() + PATIENCE_S
    while not list(deputy.iter_workflow_records(issued["provenance_ref"])):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def assert_problem(response: httpx.Response, status: int, code: str, **members: Any) -> None:
    assert response.headers["content-type"] == "application/problem+json"
    body = response.json()
    assert (response.status_code, body["status"], body["code"]) == (status, status, code), body
    assert body["type"] == f"/problems/{code}"
    assert {name: body.get(name) for name in members} == members


def test_an_allowed_request_runs_and_is_recorded(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    response = app.get("/events", issued["compact_jwt"])
    assert (response.status_code, response.json()) == (200, {"agent": "agent:calendar-bot"})
    record = only_record(deputy, issued)
    assert (record["state"], record["result"], record["result_hash"]) == ("completed", "success", result_hash("seen"))


@pytest.mark.parametrize("name", VALUES)
def test_a_value_that_cannot_be_hashed_is_sent_as_without_a_guard(app: Server, deputy: Deputy, name: str) -> None:
    issued = a_token(deputy)
    response = app.get(f"/values/{name}", issued["compact_jwt"])
    assert response.status_code == 200, response.text
    assert response.json() == SENT.get(name, {"name": "work", "hours": 1})
    record = only_record(deputy, issued)
    assert (record["result"], record.get("result_hash")) == ("success", None)


def test_a_route_that_yields_its_response_needs_the_dependency(app: Server, deputy: Deputy) -> None:
    with pytest.raises(TypeError, match="Depends"):
        authority("read", "calendar:events")(numbers)
    issued = a_token(deputy)
    assert app.get("/yielded", issued["compact_jwt"]).text.splitlines() == ['"1"', '"2"']
    assert only_record(deputy, issued)["result"] == "success"


def test_the_resource_may_depend_on_the_request(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    response = app.get("/events/7", issued["compact_jwt"])
    assert response.json() == {"name": "7", "hours": 1.0}
    record = only_record(deputy, issued)
    assert (record["resource"], record["result_hash"]) == ("calendar:7", result_hash({"name": "7", "hours": 1}))


def test_the_resource_may_come_from_the_body(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    headers = {"Authorization": f"Bearer {issued['compact_jwt']}"}
    response = app.client.post("/events", json={"name": "7", "hours": 2}, headers=headers)
    assert (response.status_code, response.json()["hours"]) == (200, 2)
    metadata = only_record(deputy, issued)["metadata"]
    assert (metadata["by"], metadata["request"]["target"]) == ("test", "/events")
    refused = app.client.post("/events", json={"name": "8", "hours": 2}, headers=headers)
    assert_problem(refused, 403, "not_allowed", reasons=["resource_not_in_scope"])


OVER_BUDGET_DETAIL = {"reason": "budget_exceeded", "limit": "max_spend_usd", "remaining_usd": 7.5}
OVER_BUDGET = (
    "The token does not allow this: budget_exceeded (limit: max_spend_usd, remaining_usd: 7.5). The budget is used up, or "
    "the spend is more than the token has left or allows per action. Ask for less, or ask the person who granted the token "
    "for a larger budget. GET /v1/vat/tokens/{jti}/budget shows what is left."
)


def a_buyer(deputy: Deputy) -> IssuedToken:
    return a_token(deputy, actions=["buy"], constraints={"max_spend_usd": 10})


def test_a_route_reserves_its_cost_and_records_metadata_of_its_own(app: Server, deputy: Deputy) -> None:
    issued = a_buyer(deputy)
    headers = {"Authorization": f"Bearer {issued['compact_jwt']}"}
    assert app.client.post("/orders", json={"price": 2.5}, headers=headers).status_code == 200
    record = only_record(deputy, issued)
    assert (record["spend_usd"], record.get("exceeded")) == (2.5, None)
    assert (record["metadata"]["carrier"], record["metadata"]["shop"]) == ("post", "/orders")
    assert deputy.get_token(issued["jti"])["status"] == "live"
    refused = app.client.post("/orders", json={"price": 8}, headers=headers)
    assert_problem(refused, 403, "not_allowed", detail=OVER_BUDGET, details=[OVER_BUDGET_DETAIL])


def test_the_cost_and_metadata_of_a_route_may_be_fixed(app: Server, deputy: Deputy) -> None:
    issued = a_buyer(deputy)
    assert app.get("/fixed", issued["compact_jwt"]).status_code == 200
    record = only_record(deputy, issued)
    assert (record["spend_usd"], record["metadata"]["shop"]) == (0.3, "main")
    assert record["metadata"]["request"]["target"] == "/fixed"


def assert_nested(app: Server, deputy: Deputy, path: str) -> None:
    """Asserts that the route acts with its caller's token, and that this action names the request as its parent."""
    issued = a_token(deputy)
    response = app.get(path, issued["compact_jwt"])
    assert response.status_code == 200, response.text
    records = {each["resource"]: each for each in deputy.list_records(provenance_ref=issued["provenance_ref"])["data"]}
    assert records["calendar:7"].get("parent_aar_id") == records["calendar:events"]["aar_id"]


@pytest.mark.parametrize("path", ["/nested", "/decorated-nested"])
def test_an_action_of_a_route_names_the_request_as_its_parent(app: Server, deputy: Deputy, path: str) -> None:
    assert_nested(app, deputy, path)


def test_an_action_out_of_scope_is_refused_and_stored_as_a_denial(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy, actions=["write"])
    response = app.get("/events", issued["compact_jwt"])
    assert_problem(
        response,
        403,
        "not_allowed",
        title="The token does not allow this action",
        detail="The token does not allow this: action_not_in_scope. The token does not allow this action. Ask the person who "
        "granted it for a token that does.",
        reason="action_not_in_scope",
        reasons=["action_not_in_scope"],
    )
    assert deputy.get_denial(response.json()["denial_id"])["action"] == "read"


@pytest.mark.parametrize("name", ["a%20b", "*", "%00", "..%2f7"])
def test_an_invalid_resource_is_refused(app: Server, deputy: Deputy, name: str) -> None:
    response = app.get(f"/events/{name}", a_token(deputy, resources=["calendar:*"])["compact_jwt"])
    assert response.status_code in (403, 404)


def test_a_request_without_a_valid_token_is_refused(app: Server, deputy: Deputy) -> None:
    nothing = app.get("/events")
    assert_problem(
        nothing,
        401,
        "credential_required",
        title="Missing token",
        detail="Send the agent's token in the Authorization header (DPoP or Bearer).",
    )
    assert nothing.headers["cache-control"] == "no-store"
    metadata = f'resource_metadata="{app.url}/.well-known/oauth-protected-resource"'
    assert nothing.headers["www-authenticate"] == f'DPoP algs="EdDSA ES256", {metadata}, Bearer {metadata}'
    issued = a_token(deputy)
    head, body, tail = issued["compact_jwt"].split(".")
    assert_problem(app.get("/events", f"{head}.{body}.{tail[::-1]}"), 401, "credential_invalid")
    detail = "This is the token's ID. Send its compact_jwt."
    title = "The token or its proof was rejected"
    by_id = app.get("/events", issued["jti"])
    assert_problem(by_id, 401, "credential_invalid", reason="malformed", title=title, detail=detail)
    for header in ("Basic x", "Bearer", "Bearer a b", f"Bearer {issued['compact_jwt']}, Bearer x"):
        assert_problem(app.get("/events", Authorization=header), 401, "credential_invalid", reason="credential_malformed")
    unbound = app.get("/events", Authorization=f"DPoP {issued['compact_jwt']}")
    assert_problem(unbound, 401, "credential_invalid", reason="token_not_bound")
    assert list(deputy.iter_workflow_records(issued["provenance_ref"])) == []


def test_a_revoked_token_is_refused(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    assert app.get("/events", issued["compact_jwt"]).status_code == 200
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
    assert (record["state"], record["result"], record["completed_after_revocation"]) == ("completed", "success", True)


FAILING = {
    "/fails": 418,
    "/crashes": 500,
    "/answers-no": 410,
    "/sets-status": 409,
    "/always-fails": 501,
    "/answers-badly": 500,
    "/depends-and-answers-no": 410,
    "/depends-and-fails": 418,
    "/depends-on-more": 422,
    "/says-too-much": 500,
}


@pytest.mark.parametrize(("path", "status"), FAILING.items())
def test_a_failed_route_is_reported_as_error(app: Server, deputy: Deputy, path: str, status: int) -> None:
    issued = a_token(deputy)
    assert app.get(path, issued["compact_jwt"]).status_code == status
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "error")


def test_a_caller_who_leaves_a_stream_does_not_make_it_an_error(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    headers = {"Authorization": f"Bearer {issued['compact_jwt']}"}
    with app.client.stream("GET", "/endless", headers=headers) as response:
        assert next(response.iter_raw())
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "success")


def test_nor_behind_a_server_that_says_so_when_the_app_sends(open_program: Program, deputy: Deputy) -> None:
    issued = a_token(deputy)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        if len(sent) == 2:
            raise ConnectionResetError
        sent.append(message)

    async def exchange() -> None:
        async with AsyncDeputy(open_program.url) as client:
            headers = [(b"authorization", b"Bearer " + issued["compact_jwt"].encode())]
            asgi = {"version": "3.0", "spec_version": "2.4"}
            scope = {"type": "http", "asgi": asgi, "http_version": "1.1", "method": "GET", "path": "/endless"}
            more = {"query_string": b"", "root_path": "", "headers": headers}
            await an_app(client, "http://127.0.0.1")({**scope, **more}, asyncio.Event().wait, send)  # type: ignore[arg-type]

    with pytest.raises(ClientDisconnect):
        asyncio.run(exchange())
    record = only_record(deputy, issued)
    assert (record["state"], record["result"]) == ("completed", "success")


def test_a_stream_is_recorded_when_it_ends(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    assert app.get("/streams", issued["compact_jwt"]).text == "stand-up\nlunch\n"
    [record] = deputy.iter_workflow_records(issued["provenance_ref"])
    assert (record["state"], record["result"], record["result_hash"]) == ("completed", "success", result_hash("both"))
    broken = a_token(deputy)
    with pytest.raises(httpx.RemoteProtocolError):
        app.get("/breaks-off", broken["compact_jwt"])
    assert only_record(deputy, broken)["result"] == "error"


def test_a_slow_route_does_not_block_others(app: Server, deputy: Deputy) -> None:
    issued = a_token(deputy)
    threads = [threading.Thread(target=app.get, args=("/slow", issued["compact_jwt"])) for _ in range(5)]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    assert app.get("/events", issued["compact_jwt"]).status_code == 200
    for thread in threads:
        thread.join()
    assert time.monotonic() - begun < 4
    states = [record["state"] for record in deputy.iter_workflow_records(issued["provenance_ref"])]
    assert len(states) == 6


def test_an_unavailable_service_means_503_unless_verify_only_is_set(mortal_program: Program) -> None:
    url = mortal_program.url
    lenient: dict[str, Any] = {"when_away": "verify_only", "verifier_settings": {"refresh_s": 0.2, "max_stale_s": 3}}
    with Deputy(url) as deputy, serving(url) as strict, serving(url, **lenient) as app:
        issued, revoked = a_token(deputy), a_token(deputy)
        asking = a_token(deputy, constraints={"require_approval": {"actions": ["read"]}})
        limited = a_token(deputy, constraints={"max_actions": 1})
        deputy.revoke_token(vat_jti=revoked["jti"])
        for served in (strict, app):
            assert served.get("/events", issued["compact_jwt"]).status_code == 200
        mortal_program.stop()
        # Limits that only the service can check are not ignored.
        for token in (asking, limited):
            assert_problem(app.get("/events", token["compact_jwt"]), 503, "authority_unavailable")
        response = strict.get("/events", issued["compact_jwt"])
        assert_problem(response, 503, "authority_unavailable")
        assert response.headers["retry-after"] == "1"
        # Tokens that verify offline pass while the revocation feed is recent.
        assert app.get("/events", issued["compact_jwt"]).status_code == 200
        assert_problem(app.get("/events/8", issued["compact_jwt"]), 403, "not_allowed", reason="resource_not_in_scope")
        assert_problem(app.get("/events", revoked["compact_jwt"]), 403, "not_allowed", reason="token_revoked")
        time.sleep(3.2)
        assert_problem(app.get("/events", issued["compact_jwt"]), 503, "authority_unavailable")
        mortal_program.start_again()
        for served in (strict, app):
            assert served.get("/events", issued["compact_jwt"]).status_code == 200


class TestKeyedMode:
    AUDIENCE = "https://calendar.example.com"

    @pytest.fixture(scope="class")
    @classmethod
    def served(cls, keyed_program: Program) -> Iterator[Server]:
        key = keyed_program.key("resource_server", audience=cls.AUDIENCE)
        with serving(keyed_program.url, ApiKey(key), audience=cls.AUDIENCE) as served:
            yield served

    def prove(self, served: Server, issued: Any, key: AgentKey, path: str = "/events", method: str = "GET") -> dict[str, str]:
        token = issued["compact_jwt"]
        return {"Authorization": f"DPoP {token}", "DPoP": make_proof(key, method, served.url + path, token)}

    def test_a_proof_admits_an_agent_once(self, served: Server, keyed_program: Program) -> None:
        issued, key = a_bound_token(keyed_program, audience=self.AUDIENCE)
        headers = self.prove(served, issued, key)
        response = served.client.get("/events", headers=headers)
        assert response.status_code == 200, response.text
        with Deputy(keyed_program.url, credential=ApiKey(keyed_program.key("auditor"))) as auditor:
            assert only_record(auditor, issued)["evidence"] == "observed"
        again = served.client.get("/events", headers=headers)
        assert_problem(again, 401, "credential_invalid", reason="proof_replayed")
        query = served.client.get("/events?q=1", headers=self.prove(served, issued, key))
        assert query.status_code == 200

    def test_a_proof_for_another_request_is_refused(self, served: Server, keyed_program: Program) -> None:
        issued, key = a_bound_token(keyed_program, audience=self.AUDIENCE)
        elsewhere = served.client.get("/events", headers=self.prove(served, issued, key, "/events/7"))
        assert_problem(elsewhere, 401, "credential_invalid", reason="other_url")
        other = served.client.get("/events", headers=self.prove(served, issued, key, method="POST"))
        assert_problem(other, 401, "credential_invalid", reason="other_method")
        thief = served.client.get("/events", headers=self.prove(served, issued, AgentKey.generate()))
        assert_problem(thief, 401, "credential_invalid", reason="other_key")
        bare = served.get("/events", issued["compact_jwt"])
        assert_problem(bare, 401, "credential_invalid", reason="proof_required")
        # The Host header does not change the URL that proofs are compared with.
        headers = {**self.prove(served, issued, key), "Host": "evil.example"}
        headers["DPoP"] = make_proof(key, "GET", "http://evil.example/events", issued["compact_jwt"])
        assert_problem(served.client.get("/events", headers=headers), 401, "credential_invalid", reason="other_url")

    def test_a_token_for_another_audience_is_refused(self, served: Server, keyed_program: Program) -> None:
        for more in ({}, {"audience": "https://other.example.com"}):
            issued, key = a_bound_token(keyed_program, **more)
            response = served.client.get("/events", headers=self.prove(served, issued, key))
            assert_problem(response, 401, "credential_invalid", reason="wrong_audience")

    def test_a_guard_without_permission_refuses_every_request(self, keyed_program: Program) -> None:
        issued, key = a_bound_token(keyed_program, audience=self.AUDIENCE)
        with serving(keyed_program.url, ApiKey(keyed_program.key("auditor")), audience=self.AUDIENCE) as served:
            response = served.client.get("/events", headers=self.prove(served, issued, key))
            assert_problem(response, 503, "authority_unavailable")
