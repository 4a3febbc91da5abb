"""The two clients."""

from deputize._generated import GeneratedAsyncDeputy, GeneratedDeputy


class Deputy(GeneratedDeputy):
    """Calls the service and waits for the answer. Threads may share one."""


class AsyncDeputy(GeneratedAsyncDeputy):
    """Calls the service from an event loop."""
