"""Keys that let a call be repeated safely."""

import time
from uuid import uuid4


def new_idempotency_key() -> str:
    """A UUID of version 7 (RFC 9562), which begins with the time: the embedded store keeps answers in that order."""
    milliseconds = f"{time.time_ns() // 1_000_000:012x}"
    after_version = str(uuid4())[15:]
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7{after_version}"
