import json
import subprocess
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from deputize import AgentKey, KeyRefused, ProofError, base64url, make_proof, verify_proof
from deputize.dpop import ExpectedProof, Proof, ReplayGuard
from deputize.jws import split_compact
from deputize.target_uri import normalised_target
from tests.program import ROOT, node

NOW_S = 1_900_000_000
URL = "https://api.example.com/events"
TOKEN = "a.b.c"
KEY = AgentKey.generate()


def expectation(**changes: Any) -> ExpectedProof:
    given = {"method": "GET", "url": URL, "compact_jwt": TOKEN, "jkt": KEY.thumbprint, "now_s": NOW_S, **changes}
    return ExpectedProof(**given)


def verdict(proof: str, **changes: Any) -> str:
    try:
        verify_proof(proof, expectation(**changes))
        return "ok"
    except ProofError as error:
        return error.reason


def a_proof(header: dict[str, Any] | None = None, claims: dict[str, Any] | None = None, key: AgentKey = KEY) -> str:
    made = split_compact(make_proof(KEY, "GET", URL, TOKEN, now_s=NOW_S))
    parts = [{**made.header, **(header or {})}, {**made.payload, **(claims or {})}]
    text = ".".join(base64url.encode(json.dumps({k: v for k, v in p.items() if v != "absent"}).encode()) for p in parts)
    return f"{text}.{base64url.encode(key.sign(text.encode()))}"


def test_a_proof_is_accepted_for_its_request() -> None:
    proof = make_proof(KEY, "GET", f"{URL}?q=1#x", TOKEN, now_s=NOW_S)
    assert verdict(proof) == "ok"
    assert verdict(proof, url=f"{URL}?other=2") == "ok"
    assert verdict(proof, method="POST") == "other_method"
    assert verdict(proof, url="https://api.example.com/other") == "other_url"
    assert verdict(proof, compact_jwt="a.b.d") == "other_token"
    assert verdict(proof, jkt=AgentKey.generate().thumbprint) == "other_key"


def test_a_proof_is_accepted_for_a_minute_and_from_a_clock_five_seconds_ahead() -> None:
    proof = make_proof(KEY, "GET", URL, TOKEN, now_s=NOW_S)
    at = [verdict(proof, now_s=NOW_S + s) for s in (-6, -5, 0, 60, 61)]
    assert at == ["in_the_future", "ok", "ok", "ok", "too_old"]


@pytest.mark.parametrize(
    ("reason", "header", "claims"),
    [
        ("malformed", {"kid": "k1"}, {}),
        ("malformed", {"jku": "https://evil.example/keys"}, {}),
        ("malformed", {}, {"filler": "x" * 4000}),
        ("wrong_type", {"typ": "JWT"}, {}),
        ("wrong_type", {"typ": "absent"}, {}),
        ("unsupported_algorithm", {"alg": "none"}, {}),
        ("unsupported_algorithm", {"alg": "HS256"}, {}),
        ("unsupported_algorithm", {"alg": ["EdDSA"]}, {}),
        ("private_key", {"jwk": {**KEY.jwk, "d": "AA"}}, {}),
        ("unacceptable_key", {"jwk": "absent"}, {}),
        ("unacceptable_key", {"jwk": {"kty": "RSA", "n": "AQAB", "e": "AQAB"}}, {}),
        ("unacceptable_key", {"jwk": {**KEY.jwk, "use": "sig"}}, {}),
        ("weak_key", {"jwk": {**KEY.jwk, "x": base64url.encode(bytes([1] + [0] * 31))}}, {}),
        ("key_does_not_fit_algorithm", {"alg": "ES256"}, {}),
        ("bad_jti", {}, {"jti": ""}),
        ("bad_jti", {}, {"jti": "x" * 257}),
        ("other_method", {}, {"htm": "get"}),
        ("other_url", {}, {"htu": "http://api.example.com/events"}),
        ("other_url", {}, {"htu": "https://api.example.com@evil.example/events"}),
        ("bad_iat", {}, {"iat": str(NOW_S)}),
        ("bad_iat", {}, {"iat": True}),
        ("missing_ath", {}, {"ath": "absent"}),
        ("other_token", {}, {"ath": None}),
    ],
)
def test_an_invalid_proof_is_refused_with_the_reason(reason: str, header: dict[str, Any], claims: dict[str, Any]) -> None:
    assert verdict(a_proof(header, claims)) == reason


def test_a_proof_signed_by_another_key_is_refused() -> None:
    assert verdict(a_proof(key=AgentKey.generate())) == "bad_signature"


def test_a_proof_is_accepted_once() -> None:
    guard = ReplayGuard(clock=lambda: NOW_S)
    proof = verify_proof(make_proof(KEY, "GET", URL, TOKEN, now_s=NOW_S), expectation())
    guard.admit(proof)
    with pytest.raises(ProofError) as refused:
        guard.admit(proof)
    assert refused.value.reason == "replayed"


def test_a_full_replay_guard_refuses_new_proofs() -> None:
    now = [float(NOW_S)]
    guard = ReplayGuard(capacity=2, clock=lambda: now[0])
    proofs = [Proof(str(name), KEY.thumbprint, NOW_S + 60) for name in range(4)]
    guard.admit(proofs[0])
    guard.admit(proofs[1])
    with pytest.raises(ProofError) as refused:
        guard.admit(proofs[2])
    assert refused.value.reason == "too_many"
    now[0] += 61
    guard.admit(proofs[3])


def test_a_key_is_the_same_in_javascript() -> None:
    sdk = json.dumps((ROOT / "sdk/node/src/index.ts").as_uri())
    program = (
        f"const {{ importAgentKey, newAgentKey }} = await import({sdk});"
        "const own = await newAgentKey();"
        f"const {{ jkt }} = await importAgentKey({json.dumps(KEY.to_jwk())});"
        "console.log(JSON.stringify({ jkt, own: own.jkt, jwk: await own.exportJwk() }))"
    )
    asked = [node(), "--input-type=module", "--eval", program]
    seen = json.loads(subprocess.run(asked, check=True, capture_output=True, text=True).stdout)
    assert seen["jkt"] == KEY.thumbprint
    theirs = AgentKey.from_jwk(seen["jwk"])
    assert (theirs.thumbprint, theirs.to_jwk()) == (seen["own"], seen["jwk"])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"d": None}, "bad_encoding"),
        ({"d": "AA"}, "bad_encoding"),
        ({"d": AgentKey.generate().to_jwk()["d"]}, "wrong_key"),
        ({"kty": "EC", "crv": "P-256"}, "wrong_type"),
        ({"x": "AA"}, "wrong_length"),
    ],
)
def test_a_jwk_that_is_no_whole_key_is_refused(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(KeyRefused) as refused:
        AgentKey.from_jwk({**KEY.to_jwk(), **changes})
    assert refused.value.reason == reason


def test_a_public_jwk_has_no_private_part() -> None:
    with pytest.raises(KeyRefused, match=r"The JWK has no private part \(d\)"):
        AgentKey.from_jwk(KEY.jwk)


def test_a_key_survives_a_round_trip_through_pem() -> None:
    again = AgentKey.from_pem(KEY.to_pem(b"word"), b"word")
    assert again.jwk == KEY.jwk
    assert "PRIVATE" not in repr(again)
    other = ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(KeyRefused):
        AgentKey.from_pem(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@pytest.mark.parametrize(
    ("uri", "spelled"),
    [
        ("HTTPS://API.example.com:443", "https://api.example.com/"),
        ("https://api.example.com:0443/a/./b/../c?x#y", "https://api.example.com/a/c"),
        ("http://[::1]:8080/%7ea%2f", "http://[::1]:8080/~a%2F"),
        ("https://user@api.example.com/", None),
        ("/events", None),
        ("https://api.example.com/ä", None),
    ],
)
def test_a_target_uri_is_normalized(uri: str, spelled: str | None) -> None:
    assert normalised_target(uri) == spelled
