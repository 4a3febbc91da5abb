"""Routes of Flask that agents call: `protect(app, ...)` once, then `@authority` on each route."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Flask, Request, Response, current_app, g, json, make_response, request

from deputize.authority import hash_if_possible
from deputize.clients import Deputy
from deputize.guard import Guard, GuardedAction, Problem, WhenAway, read_shown
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
    """Gives the routes of `app` their guard, and tells every no as problem+json.

    `public_url` is the address under which agents call: their proofs are made for it. `audience` is what tokens must
    name, when given. While the service is away requests are refused with 503; with `when_away="verify_only"` tokens that
    are good offline pass unrecorded.
    """
    guard = Guard(deputy, public_url=public_url, audience=audience, when_away=when_away, verifier=verifier)
    app.extensions[_NAME] = guard
    app.register_error_handler(Problem, _told)
    return guard


def _told(error: Problem) -> Response:
    return Response(json.dumps(error.body), error.status, error.headers)


def authority(action: str, resource: Resource) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator, below the one that makes the route. What the route answers is hashed into the record.

    The route finds its GuardedAction with `current_action()`. An answer of 400 or above, and an exception, are told as
    `error`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            guard: Guard | None = current_app.extensions.get(_NAME)
            if guard is None:
                raise RuntimeError("call deputize.flask.protect(app, deputy, ...) first")
            shown = read_shown(
                request.method,
                _target(request),
                request.headers.getlist("Authorization"),
                request.headers.getlist("DPoP"),
                trace_of(request.headers.getlist("Traceparent"), request.headers.getlist("Tracestate")),
            )
            claims = guard.prove(shown)
            name = resource if isinstance(resource, str) else resource(request)
            begun = guard.begin(shown, claims, action, name)
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
    """The action that the running request was let through for."""
    action: GuardedAction = g.deputy_action
    return action


def _target(given: Request) -> str:
    """The path as the caller sent it, where the server tells; else as Flask spells it."""
    raw = given.environ.get("REQUEST_URI") or given.environ.get("RAW_URI") or given.root_path + given.path
    path: str = raw.split("?")[0]
    return path if path.startswith("/") else given.root_path.rstrip("/") + given.path


def _note_result(action: GuardedAction, response: Response) -> None:
    if not response.is_streamed:
        hash_if_possible(action, response.get_data())
    if response.status_code >= 400 and action.result is None:
        action.result = "error"


__all__ = ["GuardedAction", "Problem", "authority", "current_action", "protect"]
