"""Routes of FastAPI that agents call: `protect(app, ...)` once, then `Authority` or `@authority` on each route."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from fastapi import FastAPI, Request
from fastapi.encoders import jsonable_encoder
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from deputize.authority import hash_if_possible
from deputize.clients import AsyncDeputy
from deputize.guard import AsyncGuard, GuardedAction, Problem, WhenAway, read_shown
from deputize.tracing import trace_of
from deputize.verifier import AsyncVerifier

P = ParamSpec("P")
R = TypeVar("R")
Resource = str | Callable[[Request], str | Awaitable[str]]

_REQUEST = "request_of_authority"


def protect(
    app: FastAPI,
    deputy: AsyncDeputy,
    *,
    public_url: str,
    audience: str | None = None,
    when_away: WhenAway = "refuse",
    verifier: AsyncVerifier | None = None,
) -> AsyncGuard:
    """Gives the routes of `app` their guard, and tells every no as problem+json.

    `public_url` is the address under which agents call: their proofs are made for it. `audience` is what tokens must
    name, when given. While the service is away requests are refused with 503; with `when_away="verify_only"` tokens that
    are good offline pass unrecorded.
    """
    guard = AsyncGuard(deputy, public_url=public_url, audience=audience, when_away=when_away, verifier=verifier)
    app.state.deputy_guard = guard
    app.add_exception_handler(Problem, _told)
    return guard


async def _told(request: Request, error: Exception) -> Response:
    if not isinstance(error, Problem):
        raise error
    return JSONResponse(error.body, error.status, error.headers, media_type="application/problem+json")


class Authority:
    """A dependency: the route runs only when the caller's token allows `action` on the resource.

    `action = Depends(Authority("read", "calendar:events"))` hands the route a GuardedAction. It is completed when the
    route has ended: `error` when it raised. Only the route knows the result: call `action.hash(value)` to have it hashed.
    """

    def __init__(self, action: str, resource: Resource) -> None:
        self._action = action
        self._resource = resource

    async def __call__(self, request: Request) -> AsyncIterator[GuardedAction]:
        guard, action = await _begin(request, self._action, self._resource)
        try:
            yield action
        except BaseException as error:
            await guard.end(action, error)
            raise
        await guard.end(action, None)


def authority(action: str, resource: Resource) -> Callable[[Callable[P, R]], Callable[..., Awaitable[Any]]]:
    """A decorator, below the one that makes the route. What the route returns is hashed into the record."""

    def decorate(function: Callable[P, R]) -> Callable[..., Awaitable[Any]]:
        signature = inspect.signature(function, eval_str=True)
        own = next((name for name, each in signature.parameters.items() if each.annotation is Request), None)
        wanted = next((name for name, each in signature.parameters.items() if each.annotation is GuardedAction), None)

        @wraps(function)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            request: Request = kwargs[own] if own is not None else kwargs.pop(_REQUEST)
            guard, begun = await _begin(request, action, resource)
            if wanted is not None:
                kwargs[wanted] = begun
            try:
                with begun.span.active():
                    value = await _run(function, args, kwargs)
            except BaseException as error:
                await guard.end(begun, error)
                raise
            _note_result(begun, value)
            await guard.end(begun, None)
            return value

        guarded.__signature__ = _with_request(signature, own, wanted)  # type: ignore[attr-defined]
        return guarded

    return decorate


async def _begin(request: Request, action: str, resource: Resource) -> tuple[AsyncGuard, GuardedAction]:
    guard: AsyncGuard | None = getattr(request.app.state, "deputy_guard", None)
    if guard is None:
        raise RuntimeError("call deputize.fastapi.protect(app, deputy, ...) first")
    # The bytes that the caller sent: what a framework made of them may be spelled otherwise.
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    headers = request.headers
    shown = read_shown(
        request.method,
        raw.split(b"?")[0].decode("latin-1"),
        headers.getlist("authorization"),
        headers.getlist("dpop"),
        trace_of(headers.getlist("traceparent"), headers.getlist("tracestate")),
    )
    claims = await guard.prove(shown)
    name = resource if isinstance(resource, str) else resource(request)
    return guard, await guard.begin(shown, claims, action, await name if inspect.isawaitable(name) else name)


async def _run(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*args, **kwargs)
    return await run_in_threadpool(function, *args, **kwargs)


def _note_result(action: GuardedAction, value: Any) -> None:
    if not isinstance(value, Response):
        hash_if_possible(action, value if isinstance(value, (bytes, str)) else jsonable_encoder(value))
        return
    body = getattr(value, "body", None)  # a stream has none
    if isinstance(body, bytes):
        hash_if_possible(action, body)
    if value.status_code >= 400 and action.result is None:
        action.result = "error"


def _with_request(signature: inspect.Signature, own: str | None, wanted: str | None) -> inspect.Signature:
    """As FastAPI is to see it: it hands over the request, and knows nothing of the action."""
    parameters = [each for name, each in signature.parameters.items() if name != wanted]
    if own is None:
        request = inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        last = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
        parameters.insert(len(parameters) - 1 if last else len(parameters), request)
    return signature.replace(parameters=parameters)


__all__ = ["Authority", "GuardedAction", "Problem", "authority", "protect"]
