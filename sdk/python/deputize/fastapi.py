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
from deputize.guard import AsyncGuard, GuardedAction, Problem, WhenAway, read_credential
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
    """Installs the guard and reports every refusal as problem+json.

    Agents call under `public_url`; DPoP proofs must be made for it. If `audience` is set, tokens must name it. While the
    service is unavailable, requests get 503. With `when_away="verify_only"`, tokens that verify offline pass, unrecorded.
    """
    guard = AsyncGuard(deputy, public_url=public_url, audience=audience, when_away=when_away, verifier=verifier)
    app.state.deputy_guard = guard
    app.add_exception_handler(Problem, _problem_response)
    return guard


async def _problem_response(request: Request, error: Exception) -> Response:
    if not isinstance(error, Problem):
        raise error
    return JSONResponse(error.body, error.status, error.headers, media_type="application/problem+json")


class Authority:
    """A dependency that runs the route only if the caller's token allows `action` on `resource`.

    `action: GuardedAction = Depends(Authority("read", "calendar:events"))` passes the action to the route. It is
    completed when the route ends, as `error` if it raised. The dependency doesn't see the return value: call
    `action.hash(value)` to hash it.
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
    """A route decorator; put it below `@app.get(...)`. The hash of the return value goes into the record."""

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
    # The path as sent: frameworks may decode it, and the proof covers the original.
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    headers = request.headers
    presented = read_credential(
        request.method,
        raw.split(b"?")[0].decode("latin-1"),
        headers.getlist("authorization"),
        headers.getlist("dpop"),
        trace_of(headers.getlist("traceparent"), headers.getlist("tracestate")),
    )
    claims = await guard.prove(presented)
    name = resource if isinstance(resource, str) else resource(request)
    return guard, await guard.begin(presented, claims, action, await name if inspect.isawaitable(name) else name)


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
    """The signature that FastAPI inspects: with the request, without the action."""
    parameters = [each for name, each in signature.parameters.items() if name != wanted]
    if own is None:
        request = inspect.Parameter(_REQUEST, inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        last = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
        parameters.insert(len(parameters) - 1 if last else len(parameters), request)
    return signature.replace(parameters=parameters)


__all__ = ["Authority", "GuardedAction", "Problem", "authority", "protect"]
