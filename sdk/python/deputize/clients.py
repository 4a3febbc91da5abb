"""The two clients."""

from collections.abc import AsyncGenerator, Generator, Sequence

from deputize._generated import DeputyEvent, EventType, GeneratedAsyncDeputy, GeneratedDeputy
from deputize.events import events_query, follow, follow_async


class Deputy(GeneratedDeputy):
    """A blocking client with one method per operation. Threads may share one.

    >>> with Deputy("http://127.0.0.1:8420") as deputy:
    ...     deputy.get_deployment()["access"]
    'open'

    `credential` is an ApiKey, BearerToken or DpopToken. Calls time out after `timeout_s` and are retried up to
    `max_retries` times; retries of one call share an idempotency key, so the service acts once.
    """

    def events(
        self,
        *,
        after: int | None = None,
        types: Sequence[EventType] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        vat_jti: str | None = None,
    ) -> Generator[DeputyEvent, None, None]:
        """Iterates over events as they happen, in the order of the log.

        Reconnects automatically and misses nothing. `after` is the log index of the last event that you have handled;
        -1 starts with the first, None starts now. Raises a Refusal if the service refuses.

        >>> deputy = Deputy("http://127.0.0.1:8420")
        >>> _ = deputy.issue_l1(
        ...     developer_email="dev@example.com", agent_id="bot", resources=["a:b"], actions=["read"]
        ... )
        >>> for event in deputy.events(after=-1, types=["token.issued"]):
        ...     event["type"]
        ...     break
        'token.issued'
        """
        return follow(self, events_query(after, types, agent_id, provenance_ref, vat_jti))



class AsyncDeputy(GeneratedAsyncDeputy):
    """An async client with one method per operation. Use one per event loop.

    >>> import asyncio
    >>> async def access() -> str:
    ...     async with AsyncDeputy("http://127.0.0.1:8420") as deputy:
    ...         return (await deputy.get_deployment())["access"]
    >>> asyncio.run(access())
    'open'
    """

    def events(
        self,
        *,
        after: int | None = None,
        types: Sequence[EventType] | None = None,
        agent_id: str | None = None,
        provenance_ref: str | None = None,
        vat_jti: str | None = None,
    ) -> AsyncGenerator[DeputyEvent, None]:
        """Iterates over events as they happen, in the order of the log.

        Reconnects automatically and misses nothing. `after` is the log index of the last event that you have handled;
        -1 starts with the first, None starts now. Raises a Refusal if the service refuses. If you leave the loop early,
        close the connection: `async with contextlib.aclosing(deputy.events()) as events`.
        """
        return follow_async(self, events_query(after, types, agent_id, provenance_ref, vat_jti))
