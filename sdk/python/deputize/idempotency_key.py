"""Keys that let a call be repeated safely."""

import time
from uuid import uuid4


def new_idempotency_key() -> str:
    """Returns a version 7 UUID (RFC 9562). It begins with the time, by which the embedded store orders answers."""
    milliseconds = f"{time.time_ns() // 1_000_000:012x}"
    after_version = str(uuid4())[15:]
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7{after_version}"
