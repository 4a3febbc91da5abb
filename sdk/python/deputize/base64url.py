"""Unpadded base64url (RFC 4648 section 5). Each byte string has exactly one accepted encoding."""

import base64
import binascii
import re

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*")


def encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def decode(text: str) -> bytes:
    """Decodes `text`. Raises ValueError for another alphabet, padding, spaces or non-zero trailing bits."""
    if _ALPHABET.fullmatch(text) is None:
        raise ValueError("The text is not canonical base64url.")
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise ValueError("The text is not canonical base64url.") from error
    if encode(data) != text:
        raise ValueError("The text is not canonical base64url.")
    return data
