"""Keys that let a call be repeated safely."""

import re
import time
from uuid import uuid4


def new_idempotency_key() -> str:
    """Returns a version 7 UUID (RFC 9562). It begins with the time, by which the embedded store orders answers."""
    milliseconds = f"{time.time_ns() // 1_000_000:012x}"
    after_version = str(uuid4())[15:]
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7{after_version}"


def checked_idempotency_key(key: object) -> str:
    """Returns the key. Raises if the service would refuse it."""
    said = f"idempotency_key must be 1 to 255 printable ASCII characters without spaces. It is {key!r}"
    if not isinstance(key, str):
        raise TypeError(said)
    if re.fullmatch("[!-~]{1,255}", key) is None:
        raise ValueError(said)
    return key
