"""The names of issuers."""

import re
from typing import Final

_OPEN_URL: Final = re.compile(r"https?://[^/?#\s]+/open/([0-9a-z]+)")
#: The issuer name of a deployment in open mode in early versions.
_OPEN_URN: Final = re.compile(r"urn:deputy:open:([0-9a-z]+)")


def is_same_issuer(one: object, other: str) -> bool:
    """Whether two issuers are one deployment. In open mode, the instance identifies it, whatever its address was."""
    if not isinstance(one, str):
        return False
    if one == other:
        return True
    instance = _open_instance(one)
    return instance is not None and instance == _open_instance(other)


def _open_instance(issuer: str) -> str | None:
    match = _OPEN_URL.fullmatch(issuer) or _OPEN_URN.fullmatch(issuer)
    return match.group(1) if match else None
