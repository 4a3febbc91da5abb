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

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Flask, Request, Response, current_app, g, json, make_response, request

from deputize.authority import hash_if_possible
from deputize.clients import Deputy
from deputize.guard import Guard, GuardedAction, Problem, WhenAway, read_credential
from deputize.tracing import trace_of
from deputize.verifier import Verifier

Resource = str | Callable[[Request], str]

_NAME = "deputy_guard"


def protect(
    app: Flask,
    deputy: Deputy,
    *,
    public_url: str,
    audience: str | None = None,
    when_away: WhenAway = "refuse",
    verifier: Verifier | None = None,
) -> Guard:
    """Installs the guard and reports every refusal as problem+json.

    Agents call under `public_url`; DPoP proofs must be made for it. If `audience` is set, tokens must name it. While the
    service is unavailable, requests get 503. With `when_away="verify_only"`, tokens that verify offline pass, unrecorded.
    """
    guard = Guard(deputy, public_url=public_url, audience=audience, when_away=when_away, verifier=verifier)
    app.extensions[_NAME] = guard
    app.register_error_handler(Problem, _problem_response)
    return guard


def _problem_response(error: Problem) -> Response:
    return Response(json.dumps(error.body), error.status, error.headers)


def authority(action: str, resource: Resource) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A route decorator; put it below `@app.get(...)`. The hash of the response goes into the record.

    `current_action()` returns the GuardedAction. Responses with status 400 or above and exceptions are reported as
    `error`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            guard: Guard | None = current_app.extensions.get(_NAME)
            if guard is None:
                raise RuntimeError("call deputize.flask.protect(app, deputy, ...) first")
            presented = read_credential(
                request.method,
                _target(request),
                request.headers.getlist("Authorization"),
                request.headers.getlist("DPoP"),
                trace_of(request.headers.getlist("Traceparent"), request.headers.getlist("Tracestate")),
            )
            claims = guard.prove(presented)
            name = resource if isinstance(resource, str) else resource(request)
            begun = guard.begin(presented, claims, action, name)
            g.deputy_action = begun
            try:
                with begun.span.active():
                    response = make_response(current_app.ensure_sync(function)(*args, **kwargs))
                _note_result(begun, response)
            except BaseException as error:
                guard.end(begun, error)
                raise
            guard.end(begun, None)
            return response

        return guarded

    return decorate


def current_action() -> GuardedAction:
    """The action of the current request."""
    action: GuardedAction = g.deputy_action
    return action


def _target(given: Request) -> str:
    """The path as sent, if the WSGI server exposes it; otherwise as Flask decoded it."""
    raw = given.environ.get("REQUEST_URI") or given.environ.get("RAW_URI") or given.root_path + given.path
    path: str = raw.split("?")[0]
    return path if path.startswith("/") else given.root_path.rstrip("/") + given.path


def _note_result(action: GuardedAction, response: Response) -> None:
    if not response.is_streamed:
        hash_if_possible(action, response.get_data())
    if response.status_code >= 400 and action.result is None:
        action.result = "error"


__all__ = ["GuardedAction", "Problem", "authority", "current_action", "protect"]
