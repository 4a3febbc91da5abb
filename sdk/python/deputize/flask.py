"""Route guards for Flask: call `protect(app, ...)` once, then use `@authority` on each route.

>>> from flask import Flask
>>> from deputize import Deputy
>>> from deputize.flask import authority, protect
>>> app = Flask("calendar")
>>> guard = protect(app, Deputy("http://127.0.0.1:8420"), public_url="https://calendar.example")
>>> @app.get("/events")
... @authority("read", "calendar:events")
... def events() -> list[str]:
...     return ["stand-up"]
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, current_app, g, json, make_response, request
from werkzeug.exceptions import RequestEntityTooLarge

from deputize.authority import hash_if_possible
from deputize.bound_request import MAX_BODY_BYTES, NO_BODY_SHA256, Summary, bound_request
from deputize.clients import Deputy
from deputize.errors import DeputyError
from deputize.guard import (
    BodyNotBound,
    Guard,
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
from deputize.verifier import Verifier

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Resource = str | Callable[[Request], str]
Cost = float | Callable[[Request], float]
Metadata = Mapping[str, Any] | Callable[[Request], Mapping[str, Any]]

_NAME = "deputy_guard"
_EXCHANGE = "deputize.exchange"


def protect(
    app: Flask,
    deputy: Deputy,
    *,
    public_url: str,
    audience: str | None = None,
    when_away: WhenAway = "refuse",
    verifier: Verifier | None = None,
    allow_bearer: bool | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
    timeout_s: float | None = None,
    max_retries: int | None = None,
) -> Guard:
    """Installs the guard, reports every refusal as problem+json, and serves the metadata of the API (RFC 9728).

    Agents call under `public_url`; DPoP proofs must be made for it. If `audience` is set, tokens must name it. While the
    service is unavailable, requests get 503. With `when_away="verify_only"`, tokens that verify offline pass without a
    record; unbound tokens pass only if `allow_bearer` says that your tenant allows them. Bodies are bound up to
    `max_body_bytes`. Calls to the service take up to `timeout_s` (5) and are retried `max_retries` times (1), or less
    if the client has lower limits.
    """
    guard = Guard(
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
    app.extensions[_NAME] = guard

    def problem_response(error: Problem) -> Response:
        problem = with_metadata(error, guard.description.url)
        return Response(json.dumps(problem.body), problem.status, problem.headers)

    def metadata() -> dict[str, Any]:
        try:
            return guard.metadata()
        except DeputyError:
            raise unavailable() from None

    app.register_error_handler(Problem, problem_response)
    app.add_url_rule(guard.description.path, "deputy_metadata", metadata)
    app.wsgi_app = _ExchangeWatcher(app.wsgi_app)  # type: ignore[method-assign]
    return guard


class _Exchange:
    """A request and its response. The status of the response decides the outcome of the actions begun for it."""

    def __init__(self) -> None:
        self.status: int | None = None
        #: The length of the body, if the response names it.
        self.length: int | None = None
        self._open: list[tuple[Guard, GuardedAction]] = []

    @property
    def is_open(self) -> bool:
        return bool(self._open)

    def begun(self, guard: Guard, action: GuardedAction) -> None:
        self._open.append((guard, action))

    def end(self, error: BaseException | None = None) -> None:
        """Ends the actions that are still open."""
        while self._open:
            guard, action = self._open.pop()
            if error is None and (self.status is None or self.status >= 400) and action.result is None:
                action.result = "error"
            guard.end(action, error)


class _ExchangeWatcher:
    """WSGI middleware that watches each exchange: a response can still change when the route has returned."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        exchange = environ[_EXCHANGE] = _Exchange()

        def start_watched(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
            lengths = [value for name, value in headers if name.lower() == "content-length"]
            exchange.status, exchange.length = int(status[:3]), int(lengths[0]) if lengths else None
            return start_response(status, headers, *more)

        try:
            body = self._app(environ, start_watched)
        except BaseException as error:
            exchange.end(error)
            raise
        # The server can send a file faster if it gets it as it is.
        return _WatchedBody(body, exchange) if exchange.is_open else body


class _WatchedBody:
    """The body of a response. Ends the actions before the caller has all of it, or when it breaks off."""

    def __init__(self, body: Iterable[bytes], exchange: _Exchange) -> None:
        self._body = body
        self._exchange = exchange

    def __iter__(self) -> Iterator[bytes]:
        sent = 0
        try:
            for chunk in self._body:
                sent += len(chunk)
                if sent == self._exchange.length:
                    self._exchange.end()
                yield chunk
        except BaseException as error:
            # GeneratorExit: the server stopped, because the caller has left. The route has responded.
            self._exchange.end(None if isinstance(error, GeneratorExit) else error)
            raise
        self._exchange.end()

    def close(self) -> None:
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        except BaseException as error:
            self._exchange.end(error)
            raise
        self._exchange.end()


def authority(
    action: str,
    resource: Resource,
    *,
    spend_usd: Cost | None = None,
    metadata: Metadata | None = None,
    summary: Callable[[Request], Summary] | None = None,
    bind_body: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A route decorator; put it below `@app.get(...)`. The hash of the response goes into the record.

    `spend_usd` is the estimated cost: a route that reports a cost needs it, because a cost above the estimate suspends a
    token with limits. `metadata` is kept with the record. Both may be functions of the request, like `resource`.

    An approval covers exactly this request: method, target and body. `summary` is what a person reads about it before
    approving. With `bind_body=False`, for large uploads, the body is not part of it, and the route accepts no approvals.

    `current_action()` returns the GuardedAction. It is completed with the response, as `error` if the status is 400 or
    above or something raised.
    """
    route = Route(action, resource, spend_usd, metadata, summary, bind_body)

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            guard: Guard | None = current_app.extensions.get(_NAME)
            if guard is None:
                raise RuntimeError("call deputize.flask.protect(app, deputy, ...) first")
            presented = _presented(request)
            claims = guard.prove(presented)
            name = guard.check(presented, value_for(resource, request), bind_body)
            bound = bound_request(
                method=request.method,
                route=None if request.url_rule is None else request.url_rule.rule,
                target=_target(request),
                body_sha256=_body_sha256(request, guard.max_body_bytes) if bind_body else None,
                content_type=request.headers.get("Content-Type"),
                content_encoding=request.headers.get("Content-Encoding"),
                summary=value_for(summary, request),
            )
            cost, facts = value_for(spend_usd, request), value_for(metadata, request)
            begun = guard.begin(presented, claims, route.wanted(name, bound, cost, facts))
            g.deputy_action = begun
            exchange: _Exchange = request.environ.get(_EXCHANGE) or _Exchange()
            exchange.begun(guard, begun)
            try:
                with begun.active():
                    response = make_response(current_app.ensure_sync(function)(*args, **kwargs))
                if not response.is_streamed:
                    hash_if_possible(begun, response.get_data())
            except BaseException as error:
                exchange.end(error)
                raise
            if _EXCHANGE not in request.environ:  # the app is called without its wsgi_app
                exchange.status = response.status_code
                exchange.end()
            return response

        return guarded

    return decorate


def current_action() -> GuardedAction:
    """Returns the action of the current request."""
    action: GuardedAction = g.deputy_action
    return action


def _presented(given: Request) -> PresentedCredential:
    headers = given.headers
    trace = trace_of(headers.getlist("Traceparent"), headers.getlist("Tracestate"))
    approvals = headers.getlist("Deputy-Approval")
    sent = RequestHeaders(headers.getlist("Authorization"), headers.getlist("DPoP"), approvals, trace)
    return read_credential(given.method, _target(given).split("?")[0], sent)


def _target(given: Request) -> str:
    """Returns path and query as sent, if the WSGI server exposes them; otherwise the path as Flask decoded it."""
    raw: str = given.environ.get("REQUEST_URI") or given.environ.get("RAW_URI") or ""
    if raw.startswith("/"):
        return raw
    query = given.query_string.decode("latin-1")
    return given.root_path.rstrip("/") + given.path + (f"?{query}" if query else "")


def _body_sha256(given: Request, max_bytes: int) -> str:
    """Reads and caches the body, so that the route can read it in any form."""
    cached: bytes | None = getattr(given, "_cached_data", None)
    # Code that reads the stream or the form without caching the body leaves nothing, or an empty cache.
    if not cached and given.content_length != 0 and ("form" in given.__dict__ or "stream" in given.__dict__):
        raise BodyNotBound("It was read before the guard ran. Call request.get_data() before you read the form or the stream.")
    length = given.content_length
    if length is None and not given.environ.get("wsgi.input_terminated"):
        return NO_BODY_SHA256  # Flask then reads no body
    if length is not None and length > max_bytes:
        raise body_too_large(max_bytes)
    # Werkzeug cuts a chunked body at its limit, so one extra byte shows whether it is too long.
    given.max_content_length = min(max_bytes + 1, given.max_content_length or max_bytes + 1)
    try:
        body = given.get_data(cache=True)
    except RequestEntityTooLarge:
        raise body_too_large(max_bytes) from None
    if len(body) > max_bytes:
        raise body_too_large(max_bytes)
    if length is not None and len(body) != length:
        raise BodyNotBound("It was read before the guard ran, or did not arrive completely.")
    return hashlib.sha256(body).hexdigest()


__all__ = ["GuardedAction", "Problem", "authority", "current_action", "protect"]
