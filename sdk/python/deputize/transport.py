"""HTTP transport: timeouts, retries with one idempotency key, DPoP nonces, problems as exceptions."""

import asyncio
import copy
import json
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import TracebackType
from typing import Any, ClassVar, Final, TypeVar

import httpx

from deputize.call import Call
from deputize.credentials import Credential
from deputize.errors import BadAnswer, DeputyError, Refusal, Unreachable
from deputize.idempotency_key import checked_idempotency_key, new_idempotency_key
from deputize.json_body import json_body
from deputize.tracing import Tracing

T = TypeVar("T")
Self = TypeVar("Self", bound="_Settings")

DEFAULT_URL: Final = "http://127.0.0.1:8420"
_RETRIED_STATUSES: Final = frozenset({429, 502, 503, 504})
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 30.0
_TIMEOUT_S: Final = 20.0
# Together, the retries take about six seconds, longer than the service usually needs to restart.
_MAX_RETRIES: Final = 6
# A timeout counts as two failures, because the caller has already waited long.
_TIMEOUT_WEIGHT: Final = 2


@dataclass(frozen=True)
class _Retry:
    after_s: float


class _Attempts:
    """All attempts of one call. Decides on retries; does no I/O."""

    def __init__(self, settings: "_Settings", call: Call[Any]) -> None:
        self._settings = settings
        self._call = call
        # All attempts share one key, so the service acts once even if answers are lost.
        self._idempotency_key = new_idempotency_key() if call.method == "POST" else None
        if call.idempotency_key is not None:
            self._idempotency_key = checked_idempotency_key(call.idempotency_key)
        self._failures = 0
        self._has_retried_nonce = False
        # Other methods carry no idempotency key: a repeated DELETE would report that there is nothing to delete.
        self._is_repeatable = call.method in ("GET", "POST")

    def request(self, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        settings, call = self._settings, self._call
        url = settings.url + call.path
        headers = {"Accept": "*/*" if call.answer != "json" else "application/json"}
        headers.update(settings.trace_headers())
        if settings.credential is not None:
            headers.update(settings.credential.headers(call.method, url, settings.nonces.get("")))
        if settings.presented_token is not None:
            headers["Deputy-Token"] = settings.presented_token
        if self._idempotency_key is not None:
            headers["Idempotency-Key"] = self._idempotency_key
        content = _content(call, headers)
        return client.build_request(
            call.method,
            url,
            params=call.parameters() or None,
            headers=headers,
            content=content,
            timeout=self._timeout(),
        )

    def _timeout(self) -> float:
        # Long polling: the service may hold the call for `wait` seconds.
        return self._settings.timeout_s + float(self._call.query.get("wait") or 0)

    def failed(self, error: httpx.TransportError) -> _Retry:
        """Called if no answer arrived. Raises Unreachable if no attempt is left."""
        was_sent = not isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout))
        if (was_sent and not self._is_repeatable) or self._failures >= self._settings.max_retries:
            why = str(error) or type(error).__name__
            raise Unreachable(f"{self._settings.url} did not answer ({why}). Is the service running?") from error
        return self._pause(0, _TIMEOUT_WEIGHT if isinstance(error, httpx.TimeoutException) else 1)

    def answered(self, response: httpx.Response) -> _Retry | None:
        """Returns None if the answer is a success. Raises the refusal if it is final."""
        nonce = response.headers.get("DPoP-Nonce")
        if nonce is not None:
            self._settings.nonces[""] = nonce
        if response.is_success:
            return None
        refusal = _refusal(response, self._settings._refusals)
        if nonce is not None and response.status_code == 401 and not self._has_retried_nonce:
            self._has_retried_nonce = True
            return _Retry(0)
        asked_s: float = getattr(refusal, "retry_after_s", None) or 0
        is_again = response.status_code in _RETRIED_STATUSES and self._is_repeatable
        if not is_again or self._failures >= self._settings.max_retries or asked_s > _LONGEST_PAUSE_S:
            raise refusal
        return self._pause(asked_s)

    def _pause(self, asked_s: float, weight: int = 1) -> _Retry:
        # Random, so that callers do not retry at the same moment.
        pause_s = _FIRST_PAUSE_S * 2**self._failures * random.uniform(0.5, 1.5)
        self._failures += weight
        return _Retry(min(asked_s + pause_s, _LONGEST_PAUSE_S))

    def result(self, response: httpx.Response) -> Any:
        if self._call.answer == "bytes":
            return response.content
        if self._call.answer == "text":
            return response.text
        return _json_object(response)


class _Settings:
    """The settings that both clients share."""

    _refusals: ClassVar[Mapping[str, type[Refusal]]] = {}

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        credential: Credential | None = None,
        timeout_s: float = _TIMEOUT_S,
        max_retries: int = _MAX_RETRIES,
        tracing: Tracing | None = None,
    ) -> None:
        self.url = _checked_url(url, credential)
        self.credential = credential
        _check_limits(timeout_s, max_retries)
        self.timeout_s = timeout_s
        self.max_retries = max_retries
        self.tracing = tracing
        self.presented_token: str | None = None
        self._trace: Mapping[str, str] | None = None
        self.nonces: dict[str, str] = {}

    def presenting(self: Self, compact_jwt: str) -> Self:
        """Returns a copy of this client that forwards a token presented by an agent (header `Deputy-Token`)."""
        shown = copy.copy(self)
        shown.presented_token = compact_jwt
        return shown

    def in_trace(self: Self, headers: Mapping[str, str]) -> Self:
        """Returns a copy of this client whose calls use this trace context instead of the active span."""
        other = copy.copy(self)
        other._trace = headers
        return other

    def with_options(self: Self, *, timeout_s: float | None = None, max_retries: int | None = None) -> Self:
        """Returns a copy of this client with other limits, for individual calls. Connections are shared.

        `deputy.with_options(timeout_s=2, max_retries=0).get_token(jti)`
        """
        other = copy.copy(self)
        other.timeout_s = self.timeout_s if timeout_s is None else timeout_s
        other.max_retries = self.max_retries if max_retries is None else max_retries
        _check_limits(other.timeout_s, other.max_retries)
        return other

    def trace_headers(self) -> Mapping[str, str]:
        if self._trace is not None:
            return self._trace
        return {} if self.tracing is None else self.tracing.headers()

    def acting_as(self: Self, credential: Credential) -> Self:
        """Returns a copy of this client with another credential. Connections are shared."""
        other = copy.copy(self)
        other.url = _checked_url(self.url, credential)
        other.credential = credential
        other.nonces = {}
        return other

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"


class Transport(_Settings):
    """The blocking transport."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        credential: Credential | None = None,
        timeout_s: float = _TIMEOUT_S,
        max_retries: int = _MAX_RETRIES,
        tracing: Tracing | None = None,
    ) -> None:
        super().__init__(url, credential=credential, timeout_s=timeout_s, max_retries=max_retries, tracing=tracing)
        self._client = httpx.Client(trust_env=not _is_local(self.url))

    def _call(self, call: Call[T]) -> T:
        attempts = _Attempts(self, call)
        while True:
            try:
                response = self._client.send(attempts.request(self._client))
            except httpx.TransportError as error:
                retry: _Retry | None = attempts.failed(error)
            else:
                retry = attempts.answered(response)
                if retry is None:
                    return attempts.result(response)  # type: ignore[no-any-return]
            if retry is not None:
                time.sleep(retry.after_s)

    def close(self) -> None:
        self._client.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncTransport(_Settings):
    """The async transport. Use one per event loop."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        credential: Credential | None = None,
        timeout_s: float = _TIMEOUT_S,
        max_retries: int = _MAX_RETRIES,
        tracing: Tracing | None = None,
    ) -> None:
        super().__init__(url, credential=credential, timeout_s=timeout_s, max_retries=max_retries, tracing=tracing)
        self._client = httpx.AsyncClient(trust_env=not _is_local(self.url))

    async def _call(self, call: Call[T]) -> T:
        attempts = _Attempts(self, call)
        while True:
            try:
                response = await self._client.send(attempts.request(self._client))
            except httpx.TransportError as error:
                retry: _Retry | None = attempts.failed(error)
            else:
                retry = attempts.answered(response)
                if retry is None:
                    return attempts.result(response)  # type: ignore[no-any-return]
            if retry is not None:
                await asyncio.sleep(retry.after_s)

    async def aclose(self) -> None:
        await self._client.aclose()

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _content(call: Call[Any], headers: dict[str, str]) -> bytes | None:
    members = call.members()
    if members is None:
        return None
    if call.is_form:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        return str(httpx.QueryParams(members)).encode()
    headers["Content-Type"] = "application/json"
    return json_body(members)


def _refusal(response: httpx.Response, classes: Mapping[str, type[Refusal]]) -> DeputyError:
    try:
        problem = _json_object(response)
    except BadAnswer:
        problem = {}
    if not isinstance(problem.get("code"), str):
        if not isinstance(problem.get("error"), str):
            return _bad_status(response)
        problem = _oauth_problem(problem, response.headers.get("X-Request-Id", ""))
    retry_after = response.headers.get("Retry-After", "")
    after_s = float(retry_after) if retry_after.isdecimal() else None
    return classes.get(problem["code"], Refusal)({**problem, "status": response.status_code}, after_s)


def _oauth_problem(answer: Mapping[str, Any], request_id: str) -> dict[str, Any]:
    """Returns the error of an OAuth endpoint (RFC 6749 section 5.2) as a problem."""
    error, description = answer["error"], answer.get("error_description")
    detail = f"{error}: {description}" if isinstance(description, str) else error
    return {"request_id": request_id, **answer, "code": "oauth_refused", "title": error, "detail": detail}


def _bad_status(response: httpx.Response) -> BadAnswer:
    """Returns the exception for an error that is not from the service but, for example, from a proxy."""
    url, status = response.request.url, response.status_code
    detail = f"{url.scheme}://{url.netloc.decode()} answered {status}, but the response is not from the service. Check the URL of the service."
    return BadAnswer(detail, status)


def _json_object(response: httpx.Response) -> Any:
    try:
        value = json.loads(response.content)
    except ValueError as error:
        raise BadAnswer("the answer is not JSON. Check the URL of the service.") from error
    if not isinstance(value, dict):
        raise BadAnswer("the answer is not a JSON object. Check the URL of the service.")
    return value


def _checked_url(text: str, credential: Credential | None) -> str:
    if not isinstance(text, str):
        raise TypeError(f"url must be a string such as https://deputy.example.com, not {text!r}")
    if credential is not None and not callable(getattr(credential, "headers", None)):
        raise TypeError("credential must be ApiKey(...), BearerToken(...) or DpopToken(...)")
    url = httpx.URL(text)
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ValueError(f"{text!r} is not the URL of a service, such as https://deputy.example.com")
    if credential is not None:
        check_confidential(text)
    return text.rstrip("/")


def check_confidential(url: str) -> None:
    """Raises ValueError if a credential would cross the network in plain text."""
    if httpx.URL(url).scheme != "https" and not _is_local(url):
        raise ValueError("credentials are sent over https only, except to this machine")


def _check_limits(timeout_s: float, max_retries: int) -> None:
    """Raises if a limit is invalid. The call that uses it would fail without naming it."""
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)):
        raise TypeError(f"timeout_s must be a number of seconds, not {timeout_s!r}")
    if not 0 < timeout_s < math.inf:
        raise ValueError(f"timeout_s must be a number of seconds above 0, not {timeout_s!r}")
    if isinstance(max_retries, bool) or not isinstance(max_retries, int):
        raise TypeError(f"max_retries must be an integer, not {max_retries!r}")
    if max_retries < 0:
        raise ValueError(f"max_retries must be 0 or more, not {max_retries!r}")


def _is_local(text: str) -> bool:
    """Whether `text` names this machine, which is never called through a proxy."""
    host = httpx.URL(text).host
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
