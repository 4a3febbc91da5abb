"""Webhooks by the Standard Webhooks specification: `v1` (HMAC-SHA256) and `v1a` (Ed25519)."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Final

from deputize.errors import WebhookRefused

_TOLERANCE_S: Final = 300
_TIMESTAMP: Final = re.compile(r"[0-9]{1,11}")
_SECRET: Final = re.compile(r"(whsec|whpk)_([A-Za-z0-9+/]+={0,2})")
_LEAST_SECRET_BYTES: Final = 24


@dataclass(frozen=True)
class VerifiedWebhook:
    """A message whose signature is valid."""

    #: The same for every attempt to deliver an event. Drop a message whose ID you have processed.
    id: str
    #: When this attempt was signed.
    sent_at: datetime
    #: The parsed body: an event.
    event: dict[str, Any]


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance_s: float = _TOLERANCE_S,
    now_s: float | None = None,
) -> VerifiedWebhook:
    """Verifies a webhook and returns its event. Raises WebhookRefused if it is not genuine.

    `body` is the body as it arrived: one that was parsed and serialized again has different bytes and no valid
    signature. `secret` is `whsec_...` (v1) or `whpk_...` (v1a), or several while you rotate secrets. A malformed or
    missing secret raises ValueError.

    >>> from deputize import WebhookRefused, verify_webhook
    >>> try:
    ...     verify_webhook(b"{}", {}, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    ... except WebhookRefused as refused:
    ...     refused.code
    'headers_missing'
    """
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets or not secret:
        raise ValueError("secret is missing. Pass the secret that the webhook was created with.")
    named = {name.lower(): value for name, value in headers.items()}
    message_id = named.get("webhook-id", "")
    timestamp = named.get("webhook-timestamp", "")
    signature = named.get("webhook-signature", "")
    if not message_id or not signature or _TIMESTAMP.fullmatch(timestamp) is None:
        raise WebhookRefused(
            "headers_missing", "The headers webhook-id, webhook-timestamp and webhook-signature are required."
        )
    _check_time(int(timestamp), time.time() if now_s is None else now_s, tolerance_s)
    data = body.encode() if isinstance(body, str) else bytes(body)
    content = f"{message_id}.{timestamp}.".encode() + data
    if not _is_signed(content, signature, secrets):
        raise WebhookRefused("signature_invalid", "No signature of the message is valid.")
    return VerifiedWebhook(message_id, datetime.fromtimestamp(int(timestamp), timezone.utc), _event(data))


def _check_time(sent_s: int, now_s: float, tolerance_s: float) -> None:
    if sent_s < now_s - tolerance_s:
        raise WebhookRefused("too_old", f"The message was signed more than {tolerance_s:g} seconds ago.")
    if sent_s > now_s + tolerance_s:
        raise WebhookRefused("too_new", "The message was signed in the future. Compare the clocks.")


def _is_signed(content: bytes, header: str, secrets: list[str]) -> bool:
    signatures = [one.partition(",") for one in header.split(" ")]
    is_valid = False
    for secret in secrets:
        version, key = _read_secret(secret)
        for given, _, text in signatures:
            found = _base64(text) if given == version else None
            if found is not None and _fits(version, key, found, content):
                is_valid = True
    return is_valid


def _fits(version: str, key: bytes, signature: bytes, content: bytes) -> bool:
    if version == "v1":
        return hmac.compare_digest(hmac.digest(key, content, hashlib.sha256), signature)
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _read_secret(secret: str) -> tuple[str, bytes]:
    match = _SECRET.fullmatch(secret.strip()) if isinstance(secret, str) else None
    key = None if match is None else _base64(match[2])
    if match is None or key is None:
        raise ValueError("secret must be whsec_ or whpk_ and base64.")
    if match[1] == "whpk":
        return "v1a", key
    if len(key) < _LEAST_SECRET_BYTES:
        raise ValueError(f"secret must have at least {_LEAST_SECRET_BYTES} bytes.")
    return "v1", key


def _base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _event(data: bytes) -> dict[str, Any]:
    try:
        event = json.loads(data.decode())
    except ValueError:
        event = None
    # An OCSF row has a class, and events in all other formats have a type.
    is_event = isinstance(event, dict) and (isinstance(event.get("type"), str) or isinstance(event.get("class_uid"), int))
    if not isinstance(event, dict) or not is_event:
        raise WebhookRefused("body_invalid", "The body is not an event in JSON.")
    return event
