"""DPoP (RFC 9449): agent keys, proofs, and their verification by a resource server."""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from deputize import base64url
from deputize.errors import KeyRefused, ProofError, TokenError
from deputize.jwk import Jwk, read_ed25519_jwk, read_holder_jwk, thumbprint, verify_holder
from deputize.jws import CompactParts, is_seconds, split_compact
from deputize.target_uri import normalised_target

PROOF_TYP: Final = "dpop+jwt"
MAX_PROOF_BYTES: Final = 4096
#: A proof is accepted for PAST_S seconds after its `iat`. The agent's clock may be FUTURE_S ahead.
PAST_S: Final = 60
FUTURE_S: Final = 5

PROOF_REASONS: Final = (
    "malformed",
    "wrong_type",
    "unsupported_algorithm",
    "private_key",
    "weak_key",
    "unacceptable_key",
    "key_does_not_fit_algorithm",
    "other_key",
    "bad_jti",
    "other_method",
    "other_url",
    "bad_iat",
    "too_old",
    "in_the_future",
    "missing_ath",
    "other_token",
    "bad_signature",
    "replayed",
    "too_many",
)

_KEY_REASONS: Final[Mapping[str, str]] = {
    "private_part": "private_key",
    "low_order": "weak_key",
    "not_canonical": "weak_key",
    "not_on_curve": "weak_key",
}
_ALGORITHMS: Final[Mapping[str, str]] = {"EdDSA": "OKP", "ES256": "EC"}


class AgentKey:
    """The Ed25519 key of an agent. Only `to_pem` and `to_jwk` expose the private key.

    >>> key = AgentKey.generate()
    >>> sorted(key.jwk)  # public; pass it as agent_jwk when you issue or delegate a token
    ['crv', 'kty', 'x']
    >>> AgentKey.from_pem(key.to_pem(b"password"), b"password").thumbprint == key.thumbprint
    True
    """

    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        x = private_key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        #: The public key, for `agent_jwk` of an issue or delegate call.
        self.jwk: Jwk = {"kty": "OKP", "crv": "Ed25519", "x": base64url.encode(x)}
        self.thumbprint = thumbprint(self.jwk)

    @classmethod
    def generate(cls) -> "AgentKey":
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def from_pem(cls, pem: bytes, password: bytes | None = None) -> "AgentKey":
        key = load_pem_private_key(pem, password)
        if not isinstance(key, Ed25519PrivateKey):
            raise KeyRefused("wrong_type", "The key of an agent must be an Ed25519 key.")
        return cls(key)

    @classmethod
    def from_jwk(cls, jwk: Mapping[str, Any]) -> "AgentKey":
        """Reads a private JWK, as `deputy issue --bind-to` and the JavaScript SDK store it. Raises KeyRefused.

        >>> key = AgentKey.generate()
        >>> AgentKey.from_jwk(key.to_jwk()).thumbprint == key.thumbprint
        True
        """
        public = read_ed25519_jwk({name: jwk[name] for name in ("kty", "crv", "x") if name in jwk})
        try:
            key = cls(Ed25519PrivateKey.from_private_bytes(base64url.decode(jwk.get("d", ""))))
        except (TypeError, ValueError):
            raise KeyRefused("bad_encoding", "The JWK has no private part (d) of 32 bytes in base64url.") from None
        if key.jwk != public:
            raise KeyRefused("wrong_key", "The private part (d) of the JWK belongs to another public key (x).")
        return key

    def to_jwk(self) -> Jwk:
        """Returns the private key as a JWK, for the JavaScript SDK and the `deputy` command. Keep it secret."""
        private = self._private_key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return {**self.jwk, "d": base64url.encode(private)}

    def to_pem(self, password: bytes | None = None) -> bytes:
        """Returns the private key as PKCS #8 PEM. Without a password it is unencrypted: restrict access to the file."""
        encryption = NoEncryption() if password is None else BestAvailableEncryption(password)
        return self._private_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)

    def sign(self, message: bytes) -> bytes:
        return self._private_key.sign(message)

    def __repr__(self) -> str:
        return f"AgentKey({self.thumbprint})"


def make_proof(
    key: AgentKey,
    method: str,
    url: str,
    compact_jwt: str,
    *,
    nonce: str | None = None,
    now_s: float | None = None,
) -> str:
    """Returns a DPoP proof for one request. A proof is accepted once, so make a new one for each attempt.

    >>> proof = make_proof(AgentKey.generate(), "POST", "https://api.example.com/orders", "eyJ...")
    >>> proof.count(".")
    2
    """
    claims: dict[str, Any] = {
        "jti": secrets.token_urlsafe(18),
        "htm": method,
        "htu": url.split("?")[0].split("#")[0],
        "iat": int(time.time() if now_s is None else now_s),
        "ath": token_hash(compact_jwt),
    }
    if nonce is not None:
        claims["nonce"] = nonce
    header = {"typ": PROOF_TYP, "alg": "EdDSA", "jwk": key.jwk}
    signing_input = ".".join(base64url.encode(json.dumps(part).encode()) for part in (header, claims))
    return f"{signing_input}.{base64url.encode(key.sign(signing_input.encode()))}"


def token_hash(compact_jwt: str) -> str:
    """Returns the claim `ath`, which binds a proof to a token."""
    return base64url.encode(hashlib.sha256(compact_jwt.encode("ascii")).digest())


@dataclass(frozen=True)
class ExpectedProof:
    """The request that a proof must match."""

    method: str
    #: The public URL that the caller used.
    url: str
    compact_jwt: str
    #: The thumbprint that the token is bound to.
    jkt: str
    now_s: float
    past_s: int = PAST_S
    future_s: int = FUTURE_S


@dataclass(frozen=True)
class Proof:
    """A verified proof, to be passed to `ReplayGuard.admit`."""

    jti: str
    jkt: str
    ends_at_s: float


def verify_proof(text: str, expected: ExpectedProof) -> Proof:
    """Verifies a proof by RFC 9449 section 4.3. Raises ProofError. Pass the result to a ReplayGuard.

    >>> from deputize.dpop import ExpectedProof
    >>> key, url = AgentKey.generate(), "https://api.example.com/orders"
    >>> proof = make_proof(key, "POST", url, "eyJ...", now_s=1_800_000_000)
    >>> expected = ExpectedProof("POST", url, "eyJ...", key.thumbprint, now_s=1_800_000_001)
    >>> verify_proof(proof, expected).jkt == key.thumbprint
    True
    """
    parts = _taken_apart(text)
    holder = _holder_of(parts.header, expected)
    proof = _read_claims(parts.payload, expected)
    if not verify_holder(holder, parts.signing_input, parts.signature):
        raise ProofError("bad_signature")
    return proof


def _taken_apart(text: str) -> CompactParts:
    if len(text) > MAX_PROOF_BYTES:
        raise ProofError("malformed")
    try:
        return split_compact(text)
    except TokenError:
        raise ProofError("malformed") from None


def _holder_of(header: dict[str, Any], expected: ExpectedProof) -> Jwk:
    # Any other member (jku, x5c, zip, crit) would let the sender choose what the verifier fetches, unpacks or trusts.
    if set(header) - {"typ", "alg", "jwk"}:
        raise ProofError("malformed")
    if header.get("typ") != PROOF_TYP:
        raise ProofError("wrong_type")
    alg = header.get("alg")
    if not isinstance(alg, str) or alg not in _ALGORITHMS:
        raise ProofError("unsupported_algorithm")
    try:
        holder = read_holder_jwk(header.get("jwk"))
    except KeyRefused as error:
        raise ProofError(_KEY_REASONS.get(error.reason, "unacceptable_key")) from None
    if holder["kty"] != _ALGORITHMS[alg]:
        raise ProofError("key_does_not_fit_algorithm")
    if thumbprint(holder) != expected.jkt:
        raise ProofError("other_key")
    return holder


def _read_claims(claims: dict[str, Any], expected: ExpectedProof) -> Proof:
    jti, htu, iat = claims.get("jti"), claims.get("htu"), claims.get("iat")
    if not isinstance(jti, str) or not 0 < len(jti) <= 256:
        raise ProofError("bad_jti")
    if claims.get("htm") != expected.method:
        raise ProofError("other_method")
    target = normalised_target(htu) if isinstance(htu, str) else None
    if target is None or target != normalised_target(expected.url):
        raise ProofError("other_url")
    if "ath" not in claims:
        raise ProofError("missing_ath")
    if claims["ath"] != token_hash(expected.compact_jwt):
        raise ProofError("other_token")
    if not isinstance(iat, (int, float)) or not is_seconds(iat):
        raise ProofError("bad_iat")
    if iat + expected.past_s < expected.now_s:
        raise ProofError("too_old")
    if iat - expected.future_s > expected.now_s:
        raise ProofError("in_the_future")
    return Proof(jti, expected.jkt, iat + expected.past_s)


class ReplayGuard:
    """Accepts each proof once. It remembers proofs only in this process, so every process accepts a proof once.

    >>> from deputize.dpop import Proof
    >>> guard = ReplayGuard(clock=lambda: 1_800_000_000)
    >>> guard.admit(Proof("jti-1", "thumbprint", ends_at_s=1_800_000_060))
    >>> guard.admit(Proof("jti-1", "thumbprint", ends_at_s=1_800_000_060))
    Traceback (most recent call last):
    deputize.errors.ProofError: the DPoP proof is refused: replayed
    """

    def __init__(self, capacity: int = 100_000, clock: Callable[[], float] = time.time) -> None:
        self._capacity = capacity
        self._clock = clock
        self._seen: dict[tuple[str, str], float] = {}
        self._swept_at_s = 0.0
        self._lock = Lock()

    def admit(self, proof: Proof) -> None:
        """Raises ProofError if the proof was used before (`replayed`) or the guard is full (`too_many`)."""
        now_s = self._clock()
        name = (proof.jkt, proof.jti)
        with self._lock:
            if now_s - self._swept_at_s >= 1 or len(self._seen) >= self._capacity:
                self._swept_at_s = now_s
                self._seen = {each: ends_at_s for each, ends_at_s in self._seen.items() if ends_at_s >= now_s}
            if name in self._seen:
                raise ProofError("replayed")
            if len(self._seen) >= self._capacity:
                raise ProofError("too_many")
            self._seen[name] = proof.ends_at_s
