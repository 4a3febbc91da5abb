"""Public keys of the service (Ed25519) and of agents (Ed25519 or P-256)."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from deputize import base64url
from deputize.errors import KeyRefused

Jwk: TypeAlias = dict[str, str]

_PRIVATE_MEMBERS: Final = ("d", "k", "p", "q", "dp", "dq", "qi", "oth")
_P: Final = 2**255 - 19
# The y coordinates of the eight points of small order. With such a key, one signature is valid for many messages.
_LOW_ORDER_Y: Final = frozenset(
    {
        0,
        1,
        _P - 1,
        0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    }
)
# FIPS 186-4, D.1.2.3: y^2 = x^3 - 3x + B. The curve has prime order, so every point on it is safe.
_P256: Final = 2**256 - 2**224 + 2**192 + 2**96 - 1
_B256: Final = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


def read_ed25519_jwk(value: object) -> Jwk:
    """Returns a copy of `value` if it is a valid public Ed25519 key. Raises KeyRefused."""
    members = _public_members(value)
    if set(members) - {"kty", "crv", "x"}:
        raise KeyRefused("unknown_member", "An Ed25519 key may have only the members kty, crv and x.")
    if members.get("kty") != "OKP":
        raise KeyRefused("wrong_type", "The key type (kty) must be OKP.")
    if members.get("crv") != "Ed25519":
        raise KeyRefused("wrong_curve", "The curve (crv) must be Ed25519.")
    x = members.get("x")
    if not isinstance(x, str):
        raise KeyRefused("bad_encoding", "The key (x) must be a string.")
    _check_point(_coordinate(x))
    return {"kty": "OKP", "crv": "Ed25519", "x": x}


def read_p256_jwk(value: object) -> Jwk:
    members = _public_members(value)
    if set(members) - {"kty", "crv", "x", "y"}:
        raise KeyRefused("unknown_member", "A P-256 key may have only the members kty, crv, x and y.")
    if members.get("kty") != "EC":
        raise KeyRefused("wrong_type", "The key type (kty) must be EC.")
    if members.get("crv") != "P-256":
        raise KeyRefused("wrong_curve", "The curve (crv) must be P-256.")
    x, y = members.get("x"), members.get("y")
    if not isinstance(x, str) or not isinstance(y, str):
        raise KeyRefused("bad_encoding", "The coordinates (x, y) must be strings.")
    _check_on_curve(int.from_bytes(_coordinate(x), "big"), int.from_bytes(_coordinate(y), "big"))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def read_holder_jwk(value: object) -> Jwk:
    """Returns a copy of `value` if a token can be bound to this key. Raises KeyRefused."""
    kty = _public_members(value).get("kty")
    if kty == "EC":
        return read_p256_jwk(value)
    if kty == "OKP":
        return read_ed25519_jwk(value)
    raise KeyRefused("wrong_type", "The key type (kty) must be OKP (Ed25519) or EC (P-256).")


def thumbprint(jwk: Mapping[str, str]) -> str:
    """Returns the JWK thumbprint (RFC 7638)."""
    y = f',"y":"{jwk["y"]}"' if jwk["kty"] == "EC" else ""
    text = f'{{"crv":"{jwk["crv"]}","kty":"{jwk["kty"]}","x":"{jwk["x"]}"{y}}}'
    return base64url.encode(hashlib.sha256(text.encode()).digest())


def verify_ed25519(jwk: Mapping[str, str], message: bytes, signature: bytes) -> bool:
    """Whether `signature` is valid for `message`. Returns False, and never raises, for malformed signatures.

    Like the service, rejects points of small order in keys and signatures. OpenSSL versions differ in this.
    """
    if len(signature) != 64:
        return False
    try:
        key = base64url.decode(jwk["x"])
        if _is_low_order(key) or _is_low_order(signature[:32]):
            return False
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def verify_holder(jwk: Mapping[str, str], message: bytes, signature: bytes) -> bool:
    """Like `verify_ed25519`, for both types of agent keys."""
    if jwk["kty"] == "OKP":
        return verify_ed25519(jwk, message, signature)
    if len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    x, y = (int.from_bytes(base64url.decode(jwk[name]), "big") for name in ("x", "y"))
    try:
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        key.verify(encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))
        return True
    except (InvalidSignature, ValueError):
        return False


def _public_members(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise KeyRefused("not_an_object", "A key must be a JSON object.")
    if any(name in value for name in _PRIVATE_MEMBERS):
        raise KeyRefused("private_part", "This is a private key, so it is now exposed. Create a new key and send only its public part.")
    return value


def _coordinate(text: str) -> bytes:
    try:
        data = base64url.decode(text)
    except ValueError:
        raise KeyRefused("bad_encoding", "The key is not canonical base64url.") from None
    if len(data) != 32:
        raise KeyRefused("wrong_length", f"A key must have 32 bytes, this one has {len(data)}.")
    return data


def _y_of(data: bytes) -> int:
    """RFC 8032 section 5.1.2: little-endian; the top bit is the sign of x."""
    return int.from_bytes(data, "little") & (2**255 - 1)


def _is_low_order(data: bytes) -> bool:
    return _y_of(data) % _P in _LOW_ORDER_Y


def _check_point(data: bytes) -> None:
    y = _y_of(data)
    if y >= _P:
        raise KeyRefused("not_canonical", "The key is not in canonical form.")
    if y in _LOW_ORDER_Y:
        raise KeyRefused("low_order", "The key is a point of small order.")


def _check_on_curve(x: int, y: int) -> None:
    if x >= _P256 or y >= _P256:
        raise KeyRefused("not_canonical", "The key is not in canonical form.")
    if (x**3 - 3 * x + _B256 - y**2) % _P256 != 0:
        raise KeyRefused("not_on_curve", "The key is not a point on the curve.")
