"""Follows events over as many connections as it takes."""

import asyncio
import json
import random
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

import httpx

from deputize.call import Call
from deputize.errors import BadAnswer, DeputyError, Refusal, Unreachable
from deputize.transport import AsyncTransport, Transport, _Attempts, _Settings

if TYPE_CHECKING:
    from deputize._generated import DeputyEvent

# The service sends something at least every 15 seconds. A connection that is silent for longer is lost.
_SILENCE_S: Final = 45.0
_SHORTEST_PAUSE_S: Final = 0.2
_LONGEST_PAUSE_S: Final = 15.0


class _Follower:
    """Tracks where to continue and when to reconnect. Does no I/O."""

    def __init__(self, settings: _Settings, query: dict[str, Any]) -> None:
        self._settings = settings
        self._query = query
        self._failures = 0
        self._has_begun = False
        self._data = ""
        self._name = ""
        self._id: str | None = None

    def attempts(self) -> _Attempts:
        return _Attempts(self._settings, Call("GET", "/v1/vat/events", query=self._query))

    def request(self, attempts: _Attempts, client: httpx.Client | httpx.AsyncClient) -> httpx.Request:
        request = attempts.request(client)
        request.headers["Accept"] = "text/event-stream"
        request.extensions["timeout"] = httpx.Timeout(self._settings.timeout_s, read=_SILENCE_S).as_dict()
        return request

    def opened(self, response: httpx.Response) -> None:
        if not response.headers.get("Content-Type", "").startswith("text/event-stream"):
            raise BadAnswer(f"{self._settings.url} did not answer with a stream of events. Is it an older version?")
        self._data, self._name, self._id = "", "", None

    def line(self, line: str) -> "DeputyEvent | None":
        """Takes the next line. Returns an event when it is complete."""
        self._has_begun, self._failures = True, 0
        if line.startswith("id: "):
            self._id = line[4:]
        elif line.startswith("event: "):
            self._name = line[7:]
        elif line.startswith("data: "):
            self._data = line[6:]
        if line:
            return None
        event: DeputyEvent | None = json.loads(self._data) if self._data and not self._name else None
        if self._id is not None:
            self._query = {**self._query, "after": int(self._id)}
        self._data, self._name, self._id = "", "", None
        return event

    def pause_s(self, error: Exception | None) -> float:
        """Returns how long to wait before the next connection. Raises the error if another one would not help."""
        is_temporary = error is None or isinstance(error, (httpx.TransportError, Unreachable))
        if isinstance(error, Refusal):
            is_temporary = error.status in (429, 502, 503, 504)
        if error is not None and not (is_temporary and self._has_begun):
            raise error
        self._failures += 1
        longest: float = min(_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S * 2**self._failures)
        asked_s: float = getattr(error, "retry_after_s", None) or 0
        return asked_s + longest * random.uniform(0.5, 1.0)


def follow(transport: Transport, query: dict[str, Any]) -> Generator["DeputyEvent", None, None]:
    follower = _Follower(transport, query)
    while True:
        error: Exception | None = None
        try:
            yield from _connection(transport, follower)
        except (httpx.TransportError, DeputyError) as caught:
            error = caught
        time.sleep(follower.pause_s(error))


def _connection(transport: Transport, follower: _Follower) -> Generator["DeputyEvent", None, None]:
    attempts = follower.attempts()
    while True:
        request = follower.request(attempts, transport._client)
        try:
            response = transport._client.send(request, stream=True)
        except httpx.TransportError as error:
            time.sleep(attempts.failed(error).after_s)
            continue
        try:
            if not response.is_success:
                response.read()
            retry = attempts.answered(response)
            if retry is not None:
                time.sleep(retry.after_s)
                continue
            follower.opened(response)
            for line in response.iter_lines():
                event = follower.line(line)
                if event is not None:
                    yield event
            return
        finally:
            response.close()


async def follow_async(transport: AsyncTransport, query: dict[str, Any]) -> AsyncGenerator["DeputyEvent", None]:
    follower = _Follower(transport, query)
    while True:
        error: Exception | None = None
        try:
            # Closed together with this generator, not when it is garbage-collected.
            async with aclosing(_async_connection(transport, follower)) as events:
                async for event in events:
                    yield event
        except (httpx.TransportError, DeputyError) as caught:
            error = caught
        await asyncio.sleep(follower.pause_s(error))


async def _async_connection(transport: AsyncTransport, follower: _Follower) -> AsyncGenerator["DeputyEvent", None]:
    attempts = follower.attempts()
    while True:
        request = follower.request(attempts, transport._client)
        try:
            response = await transport._client.send(request, stream=True)
        except httpx.TransportError as error:
            await asyncio.sleep(attempts.failed(error).after_s)
            continue
        try:
            if not response.is_success:
                await response.aread()
            retry = attempts.answered(response)
            if retry is not None:
                await asyncio.sleep(retry.after_s)
                continue
            follower.opened(response)
            async for line in response.aiter_lines():
                event = follower.line(line)
                if event is not None:
                    yield event
            return
        finally:
            await response.aclose()


def events_query(
    after: int | None,
    types: Sequence[str] | None,
    agent_id: str | None,
    provenance_ref: str | None,
    vat_jti: str | None,
) -> dict[str, Any]:
    return {
        "after": after,
        "type": None if types is None else list(types),
        "agent_id": agent_id,
        "provenance_ref": provenance_ref,
        "vat_jti": vat_jti,
    }
