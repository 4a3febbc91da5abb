"""Parses and verifies tokens, with the same results as the service."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from deputize import base64url
from deputize.errors import TokenError
from deputize.issuer import is_same_issuer
from deputize.jwk import Jwk, verify_ed25519
from deputize.strict_json import MAX_SAFE_INTEGER, JsonError, read_json

MAX_TOKEN_BYTES: Final = 8192
#: The longest lifetime of a token, for contexts that set no maximum.
MAX_LIFETIME_S: Final = 30 * 24 * 3600

TOKEN_CODES: Final = (
    "malformed",
    "unsupported_algorithm",
    "unknown_key",
    "withdrawn_key",
    "bad_signature",
    "wrong_type",
    "wrong_issuer",
    "wrong_audience",
    "not_yet_valid",
    "expired",
    "lifetime_too_long",
    "bad_claim",
    # Only with the revocation feed or the status list:
    "token_revoked",
    "token_suspended",
    "standing_unavailable",
    "keys_unavailable",
    # Only if an action is checked:
    "action_not_in_scope",
    "resource_not_in_scope",
)

_JTI: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TENANT: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


_PURPOSES: Final[Mapping[str, str]] = {
    "vat+jwt": "tokens",
    "statuslist+jwt": "status_lists",
    "revocations+jwt": "statements",
    "receipt+jwt": "statements",
}


@dataclass(frozen=True)
class VerificationKey:
    kid: str
    jwk: Jwk
    alg: str = "EdDSA"
    #: Tokens issued at or after this time are rejected.
    withdrawn_from_s: int | None = None
    #: What the key signs, according to the JWK Set. Keys of early versions have no purpose and signed everything.
    purpose: str | None = None


@dataclass(frozen=True)
class VerifierContext:
    now_s: float
    issuer: str
    key: Callable[[str], VerificationKey | None]
    typ: str = "vat+jwt"
    #: If set, the token must name this audience and no other.
    audience: str | None = None
    max_lifetime_s: int = MAX_LIFETIME_S
    clock_skew_s: int = 0
    #: Also accept `Ed25519`, the name of RFC 9864 for EdDSA with Ed25519.
    accept_ed25519_name: bool = False


@dataclass(frozen=True)
class CompactParts:
    """The parts of a compact JWS, not verified."""

    header: dict[str, Any]
    payload: dict[str, Any]
    signing_input: bytes
    signature: bytes


def split_compact(token: str, max_bytes: int = MAX_TOKEN_BYTES) -> CompactParts:
    """Returns the parts of a compact JWS with a 64-byte signature. Raises TokenError `malformed`."""
    if len(token) > max_bytes:
        raise _malformed(f"A token may have at most {max_bytes} bytes.")
    segments = token.split(".")
    if len(segments) != 3:
        raise _malformed("A token must have three segments.")
    head, body, tail = segments
    signature = _decoded(tail)
    if len(signature) != 64:
        raise _malformed("A signature must have 64 bytes.")
    return CompactParts(_object(head), _object(body), f"{head}.{body}".encode("ascii"), signature)


def decode_compact(token: str, max_bytes: int = MAX_TOKEN_BYTES) -> CompactParts:
    """Like `split_compact`, but rejects headers with members other than alg, typ and kid."""
    parts = split_compact(token, max_bytes)
    # Any other member (jku, x5c, zip, crit) would let the sender choose what the verifier fetches, unpacks or trusts.
    if set(parts.header) - {"alg", "typ", "kid"}:
        raise _malformed("A header may have only the members alg, typ and kid.")
    if not is_text(parts.header.get("alg")):
        raise _malformed("The algorithm (alg) must be a string.")
    if any(name in parts.header and not is_text(parts.header[name]) for name in ("typ", "kid")):
        raise _malformed("The type (typ) and the key (kid) must be strings.")
    return parts


def verify_token(token: str, context: VerifierContext) -> dict[str, Any]:
    """Returns the claims of a token that is valid in `context`. Raises TokenError."""
    parts = decode_compact(token)
    key = verify_signature(parts, context)
    claims = _read_claims(parts.payload)
    if context.typ == "vat+jwt":
        _check_vat_claims(claims)
    if key.withdrawn_from_s is not None and claims["iat"] >= key.withdrawn_from_s:
        raise TokenError("withdrawn_key", "The key that signed this token was withdrawn.")
    _check_parties(claims, context)
    _check_times(claims, context)
    return claims


def verify_signature(parts: CompactParts, context: VerifierContext) -> VerificationKey:
    """Returns the key that signed the token. Raises TokenError unless the key and the type fit the context."""
    key = _key_of(parts.header, context)
    if parts.header.get("typ") != context.typ:
        raise TokenError("wrong_type", f"The type (typ) of the token must be {context.typ}.")
    # A stolen token key must not sign a list that hides its withdrawal.
    if key.purpose is not None and _PURPOSES.get(context.typ) != key.purpose:
        raise TokenError("unknown_key", f"The key (kid) does not sign {context.typ}.")
    if not verify_ed25519(key.jwk, parts.signing_input, parts.signature):
        raise TokenError("bad_signature", "The signature is invalid.")
    return key


def _key_of(header: Mapping[str, Any], context: VerifierContext) -> VerificationKey:
    """Returns the key that the header names. The key determines the algorithm, and the token's `alg` must agree."""
    kid = header.get("kid")
    key = None if kid is None else context.key(kid)
    if key is None or key.kid != kid:
        raise TokenError("unknown_key", "The key (kid) is unknown.")
    is_new_name = context.accept_ed25519_name and header["alg"] == "Ed25519"
    if header["alg"] != key.alg and not is_new_name:
        raise TokenError("unsupported_algorithm", f"The algorithm (alg) must be {key.alg}.")
    return key


def _check_parties(claims: Mapping[str, Any], context: VerifierContext) -> None:
    if not is_same_issuer(claims["iss"], context.issuer):
        raise TokenError("wrong_issuer", "The token was issued by another issuer.")
    if context.audience is None:
        return
    aud = claims.get("aud", [])
    # With two audiences, each of them could use the token at the other.
    if ([aud] if isinstance(aud, str) else aud) != [context.audience]:
        raise TokenError("wrong_audience", "The token must name this audience and no other.")


def _check_times(claims: Mapping[str, Any], context: VerifierContext) -> None:
    skew_s = context.clock_skew_s
    if claims["exp"] - claims["iat"] > context.max_lifetime_s:
        raise TokenError("lifetime_too_long", "The lifetime of the token is too long.")
    if max(claims["iat"], claims.get("nbf", 0)) > context.now_s + skew_s:
        raise TokenError("not_yet_valid", "The token is not valid yet.")
    if claims["exp"] <= context.now_s - skew_s:
        raise TokenError("expired", "The token has expired.")


def _read_claims(payload: dict[str, Any]) -> dict[str, Any]:
    if not is_text(payload.get("iss")):
        raise _bad_claim("iss", "a non-empty string")
    if not is_text(payload.get("sub")):
        raise _bad_claim("sub", "a non-empty string")
    jti = payload.get("jti")
    if not is_text(jti) or _JTI.fullmatch(jti) is None:
        raise _bad_claim("jti", '1 to 128 letters, digits, "_" or "-"')
    aud = payload.get("aud")
    if "aud" in payload and not is_text(aud) and not (_is_texts(aud) and aud):
        raise _bad_claim("aud", "a string or a list of strings")
    if not is_seconds(payload.get("iat")):
        raise _bad_claim("iat", "whole seconds")
    if "nbf" in payload and not is_seconds(payload["nbf"]):
        raise _bad_claim("nbf", "whole seconds")
    if not is_seconds(payload.get("exp")) or payload["exp"] <= payload["iat"]:
        raise _bad_claim("exp", "whole seconds, later than iat")
    return payload


def _check_vat_claims(claims: Mapping[str, Any]) -> None:
    """Rejects a token without the claims that verifiers base their decisions on."""
    scope = claims.get("svc_scope")
    if not isinstance(scope, dict) or not _is_texts(scope.get("resources")) or not _is_texts(scope.get("actions")):
        raise _bad_claim("svc_scope", "an object with the lists resources and actions")
    score = claims.get("svc_trust_score")
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        raise _bad_claim("svc_trust_score", "a number from 0 to 1")
    if "svc_tenant" not in claims:
        return
    tenant = claims["svc_tenant"]
    if not is_text(tenant) or _TENANT.fullmatch(tenant) is None or tenant == "default":
        raise _bad_claim("svc_tenant", "the ID of a tenant, and absent for the tenant default")


def is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and value != ""


def is_seconds(value: object) -> bool:
    """Whether the value is whole seconds. Accepts 1.0 as well as 1: JavaScript does not distinguish them."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value <= MAX_SAFE_INTEGER and float(value).is_integer()


def _is_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(is_text(item) for item in value)


def _object(segment: str) -> dict[str, Any]:
    try:
        value = read_json(_decoded(segment))
    except JsonError as error:
        raise _malformed(str(error)) from None
    if not isinstance(value, dict):
        raise _malformed("Header and payload must be JSON objects.")
    return value


def _decoded(segment: str) -> bytes:
    try:
        return base64url.decode(segment)
    except ValueError:
        raise _malformed("A segment is not canonical base64url.") from None


def _malformed(detail: str) -> TokenError:
    return TokenError("malformed", detail)


def _bad_claim(name: str, wanted: str) -> TokenError:
    return TokenError("bad_claim", f"The claim {name} must be {wanted}.")
