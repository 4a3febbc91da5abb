"""The two clients."""

from deputize._generated import GeneratedAsyncDeputy, GeneratedDeputy


class Deputy(GeneratedDeputy):
    """A blocking client with one method per operation. Threads may share one.

    >>> with Deputy("http://127.0.0.1:8420") as deputy:
    ...     deputy.get_deployment()["access"]
    'open'

    `credential` is an ApiKey, BearerToken or DpopToken. Calls time out after `timeout_s` and are retried up to
    `max_retries` times; retries of one call share an idempotency key, so the service acts once.
    """


class AsyncDeputy(GeneratedAsyncDeputy):
    """An async client with one method per operation. Use one per event loop.

    >>> import asyncio
    >>> async def access() -> str:
    ...     async with AsyncDeputy("http://127.0.0.1:8420") as deputy:
    ...         return (await deputy.get_deployment())["access"]
    >>> asyncio.run(access())
    'open'
    """
