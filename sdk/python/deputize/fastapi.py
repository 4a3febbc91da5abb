"""Route guards for FastAPI: call `protect(app, ...)` once, then use `@authority` or `Authority` on each route.

>>> from fastapi import FastAPI
>>> from deputize import AsyncDeputy
>>> from deputize.fastapi import authority, protect
>>> app = FastAPI()
>>> guard = protect(app, AsyncDeputy("http://127.0.0.1:8420"), public_url="https://calendar.example")
>>> @app.get("/events")
... @authority("read", "calendar:events")
... async def events() -> list[str]:
...     return ["stand-up"]
"""

import hashlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deputize.authority import hash_if_possible
from deputize.bound_request import MAX_BODY_BYTES, NO_BODY_SHA256, Summary, bound_request
from deputize.clients import AsyncDeputy
from deputize.errors import DeputyError
from deputize.guard import (
    AsyncGuard,
    GuardedAction,
    PresentedCredential,
    Problem,
    RequestHeaders,
    WhenAway,
    body_too_large,
    read_credential,
    unavailable,
    with_metadata,
)
from deputize.route import Route, value_for
from deputize.tracing import trace_of
from deputize.verifier import AsyncVerifier

P = ParamSpec("P")
R = TypeVar("R")
Resource = str | Callable[[Request], str | Awaitable[str]]
Cost = float | Callable[[Request], float | Awaitable[float]]
Metadata = Mapping[str, Any] | Callable[[Request], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]

_REQUEST = "request_of_authority"
_EXCHANGE = "deputize.exchange"
_STREAMS = (
    "a generator that yields the response can't be decorated with @authority. Use"
    " `dependencies=[Depends(Authority(...))]`, or return a StreamingResponse"
)

Describe = Callable[[Request], Summary | Awaitable[Summary]]


def protect(
    app: FastAPI,
    deputy: AsyncDeputy,
    *,
    public_url: str,
    audience: str | None = None,
    when_away: WhenAway = "refuse",
    verifier: AsyncVerifier | None = None,
    allow_bearer: bool | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
    timeout_s: float | None = None,
    max_retries: int | None = None,
) -> AsyncGuard:
    """Installs the guard, reports every refusal as problem+json, and serves the metadata of the API (RFC 9728).

    Agents call under `public_url`; DPoP proofs must be made for it. If `audience` is set, tokens must name it. While the
    service is unavailable, requests get 503. With `when_away="verify_only"`, tokens that verify offline pass without a
    record; unbound tokens pass only if `allow_bearer` says that your tenant allows them. A body that FastAPI does not
    read before the guard is bound up to `max_body_bytes`. Calls to the service take up to `timeout_s` (5) and are
    retried `max_retries` times (1), or less if the client has lower limits.
    """
    guard = AsyncGuard(
        deputy,
        public_url=public_url,
        audience=audience,
        when_away=when_away,
        verifier=verifier,
        allow_bearer=allow_bearer,
        max_body_bytes=max_body_bytes,
        timeout_s=timeout_s,
        max_retries=max_retries,
    )

    async def problem_response(request: Request, error: Exception) -> Response:
        if not isinstance(error, Problem):
            raise error
        problem = with_metadata(error, guard.description.url)
        return JSONResponse(problem.body, problem.status, problem.headers, media_type="application/problem+json")

    async def metadata() -> dict[str, Any]:
        try:
            return await guard.metadata()
        except DeputyError:
            raise unavailable() from None

    app.state.deputy_guard = guard
    app.add_exception_handler(Problem, problem_response)
    app.add_middleware(_ExchangeWatcher)
    app.add_api_route(guard.description.path, metadata, include_in_schema=False)
    return guard


class _WatchedBody:
    """The body of a request, hashed while the app reads it in any form."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._size = 0
        #: Set by the guard when it reads the body itself.
        self.max_bytes: int | None = None
        self.is_whole = False

    def add(self, message: Message) -> None:
        chunk: bytes = message.get("body", b"")
        self._size += len(chunk)
        if self.max_bytes is not None and self._size > self.max_bytes:
            raise body_too_large(self.max_bytes)
        self._hash.update(chunk)
        self.is_whole = not message.get("more_body", False)

    def sha256(self) -> str:
        return self._hash.hexdigest()


class _Exchange:
    """A request and its response. The status of the response decides the outcome of the actions begun for it."""

    def __init__(self) -> None:
        self.body = _WatchedBody()
        self.status: int | None = None
        self._open: list[tuple[AsyncGuard, GuardedAction]] = []

    def begun(self, guard: AsyncGuard, action: GuardedAction) -> None:
        self._open.append((guard, action))

    async def end(self, error: BaseException | None = None) -> None:
        """Ends the actions that are still open."""
        while self._open:
            guard, action = self._open.pop()
            if error is None and (self.status is None or self.status >= 400) and action.result is None:
                action.result = "error"
            await guard.end(action, error)


class _ExchangeWatcher:
    """ASGI middleware that watches each exchange.

    FastAPI parses bodies before guards run, and keeps only the bytes of JSON. And the status of a response can still change
    when the route has returned.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        exchange = scope[_EXCHANGE] = _Exchange()

        async def receive_watched() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                exchange.body.add(message)
            return message

        async def send_watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
            # Before the caller has the whole response, so that its next request finds the action ended.
            if message["type"] == "http.response.body" and not message.get("more_body", False):
                await exchange.end()
            try:
                await send(message)
            except OSError:  # the caller has left. The route has responded.
                await exchange.end()
                raise

        try:
            await self._app(scope, receive_watched, send_watched)
        except BaseException as error:
            await exchange.end(error)
            raise
        await exchange.end()


def _exchange_of(request: Request) -> _Exchange:
    exchange: _Exchange = request.scope[_EXCHANGE]
    return exchange


async def _body_sha256(request: Request, max_bytes: int) -> str:
    """Reads the body unless FastAPI has. Starlette caches it, so that the route can read it in any form."""
    watched, headers = _exchange_of(request).body, request.headers
    is_announced = "content-length" in headers or "transfer-encoding" in headers
    if request.scope.get("http_version") in ("1.0", "1.1") and not is_announced:
        return NO_BODY_SHA256
    if not watched.is_whole:
        watched.max_bytes = max_bytes
        await request.body()
    return watched.sha256()


class Authority:
    """A dependency that runs the route only if the caller's token allows `action` on `resource`.

    `action: GuardedAction = Depends(Authority("read", "calendar:events"))` passes the action to the route. It is
    completed with the response, as `error` if the status is 400 or above or something raised. The dependency doesn't see
    the return value: call `action.hash(value)` to hash it. The options are those of `authority`.
    """

    def __init__(
        self,
        action: str,
        resource: Resource,
        *,
        spend_usd: Cost | None = None,
        metadata: Metadata | None = None,
        summary: Describe | None = None,
        bind_body: bool = True,
    ) -> None:
        self._route = Route(action, resource, spend_usd, metadata, summary, bind_body)

    async def __call__(self, request: Request) -> AsyncIterator[GuardedAction]:
        action = await _begin(request, self._route)
        try:
            with action.as_parent():
                yield action
        except BaseException as error:
            await _exchange_of(request).end(error)
            raise


def authority(
    action: str,
    resource: Resource,
    *,
    spend_usd: Cost | None = None,
    metadata: Metadata | None = None,
    summary: Describe | None = None,
    bind_body: bool = True,
) -> Callable[[Callable[P, R]], Callable[..., Awaitable[Any]]]:
    """A route decorator; put it below `@app.get(...)`. The hash of the return value goes into the record.

    The action is completed with the response, as `error` if the status is 400 or above or something raised.

    `spend_usd` is the estimated cost: a route that reports a cost needs it, because a cost above the estimate suspends a
    token with limits. `metadata` is kept with the record. Both may be functions of the request, like `resource`.

    An approval covers exactly this request: method, target and body. `summary` is what a person reads about it before
    approving. With `bind_body=False`, for large uploads, the body is not part of it, and the route accepts no approvals.
    """
    route = Route(action, resource, spend_usd, metadata, summary, bind_body)

    def decorate(function: Callable[P, R]) -> Callable[..., Awaitable[Any]]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(_STREAMS)
        signature = inspect.signature(function, eval_str=True)
        own = next((name for name, each in signature.parameters.items() if each.annotation is Request), None)
        wanted = next((name for name, each in signature.parameters.items() if each.annotation is GuardedAction), None)

        @wraps(function)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            request: Request = kwargs[own] if own is not None else kwargs.pop(_REQUEST)
            begun = await _begin(request, route)
            if wanted is not None:
                kwargs[wanted] = begun
            try:
                with begun.active():
                    value = await _run(function, args, kwargs)
            except BaseException as error:
                await _exchange_of(request).end(error)
                raise
            _note_result(begun, value)
            return value

        guarded.__signature__ = _with_request(signature, own, wanted)  # type: ignore[attr-defined]
        return guarded

    return decorate


async def _begin(request: Request, route: Route) -> GuardedAction:
    guard: AsyncGuard | None = getattr(request.app.state, "deputy_guard", None)
    if guard is None:
        raise RuntimeError("call deputize.fastapi.protect(app, deputy, ...) first")
    # The path as sent: frameworks may decode it, and the proof covers the original.
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    path, query = raw.split(b"?")[0].decode("latin-1"), request.scope.get("query_string", b"").decode("latin-1")
    presented = _presented(request, path)
    claims = await guard.prove(presented)
    name = guard.check(presented, await _value_for(route.resource, request), route.bind_body)
    body_sha256 = await _body_sha256(request, guard.max_body_bytes) if route.bind_body else None
    bound = bound_request(
        method=request.method,
        route=getattr(request.scope.get("route"), "path", None),
        target=f"{path}?{query}" if query else path,
        body_sha256=body_sha256,
        content_type=_all_values(request, "content-type"),
        content_encoding=_all_values(request, "content-encoding"),
        summary=await _value_for(route.summary, request),
    )
    spend_usd, metadata = await _value_for(route.spend_usd, request), await _value_for(route.metadata, request)
    action = await guard.begin(presented, claims, route.wanted(name, bound, spend_usd, metadata))
    _exchange_of(request).begun(guard, action)
    return action


def _all_values(request: Request, header: str) -> str | None:
    """Returns all values of a header, even if it is repeated, because the route may read any of them."""
    values = request.headers.getlist(header)
    return ", ".join(values) if values else None


def _presented(request: Request, path: str) -> PresentedCredential:
    headers = request.headers
    trace = trace_of(headers.getlist("traceparent"), headers.getlist("tracestate"))
    approvals = headers.getlist("deputy-approval")
    sent = RequestHeaders(headers.getlist("authorization"), headers.getlist("dpop"), approvals, trace)
    return read_credential(request.method, path, sent)


async def _value_for(given: Any, request: Request) -> Any:
    value = value_for(given, request)
    return await value if inspect.isawaitable(value) else value


async def _run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    return await run_in_threadpool(function, *args, **kwargs)


def _note_result(action: GuardedAction, value: Any) -> None:
    if not isinstance(value, Response):
        _hash_value(action, value)
        return
    body = getattr(value, "body", None)  # a stream has none
    if isinstance(body, bytes):
        hash_if_possible(action, body)


def _hash_value(action: GuardedAction, value: Any) -> None:
    """Hashes the value, unless it has no JSON form by itself: the response may have one by its `response_model`."""
    try:
        data = value if isinstance(value, (bytes, str)) else jsonable_encoder(value, custom_encoder=_REREADABLE)
    except Exception:
        return
    hash_if_possible(action, data)


def _refuse_iterator(value: object) -> None:
    raise ValueError(f"a {type(value).__name__} can be read only once, and the response needs it")


def _encoded_model(model: BaseModel) -> Any:
    _refuse_iterators(model)  # pydantic would read them
    return jsonable_encoder(model)


def _refuse_iterators(value: Any) -> None:
    if isinstance(value, Iterator):
        _refuse_iterator(value)
    parts: Iterable[Any] = ()
    if isinstance(value, BaseModel):
        parts = (*vars(value).values(), *(value.model_extra or {}).values())
    elif is_dataclass(value):
        parts = vars(value).values()
    elif isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, (list, tuple)):
        parts = value
    for part in parts:
        _refuse_iterators(part)


_REREADABLE: dict[Any, Callable[[Any], Any]] = {Iterator: _refuse_iterator, BaseModel: _encoded_model}


def _with_request(signature: inspect.Signature, own: str | None, wanted: str | None) -> inspect.Signature:
    """Returns the signature that FastAPI inspects: with the request, without the action."""
    parameters = [each for name, each in signature.parameters.items() if name != wanted]
    if own is None:
        request = inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        last = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
        parameters.insert(len(parameters) - 1 if last else len(parameters), request)
    return signature.replace(parameters=parameters)


__all__ = ["Authority", "GuardedAction", "Problem", "authority", "protect"]
