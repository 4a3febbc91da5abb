"""Generated tokens and texts get the same result here and in the service's code."""

import json
import random
import subprocess
from typing import Any

import pytest

from deputize import AgentKey, base64url
from deputize.jws import VerificationKey, VerifierContext
from tests.program import ROOT, node
from tests.test_vectors import json_verdict, token_verdict

NOW_S = 1_900_000_000
ISSUER = "https://authority.test"
KEY = AgentKey.generate()
CONTEXT = VerifierContext(
    NOW_S, ISSUER, lambda kid: VerificationKey("k1", KEY.jwk) if kid == "k1" else None, audience=ISSUER
)


def service_answers(lines: list[dict[str, Any]]) -> list[str]:
    asked = "\n".join(json.dumps(line) for line in lines)
    command = [node(), "sdk/python/tests/verdicts.ts"]
    answered = subprocess.run(command, cwd=ROOT, input=asked, capture_output=True, text=True, check=True)
    return answered.stdout.split()


def some_claims() -> dict[str, Any]:
    return {
        "iss": ISSUER,
        "sub": "agent:demo",
        "aud": ISSUER,
        "jti": "vat_root_AAAAAAAAAAAAAAAAAAAAAA",
        "iat": NOW_S - 60,
        "nbf": NOW_S - 60,
        "exp": NOW_S + 3600,
        "svc_trust_score": 0.4,
        "svc_scope": {"resources": ["email:read"], "actions": ["read"]},
    }


def a_token(header: str, payload: str) -> str:
    text = ".".join(base64url.encode(part.encode()) for part in (header, payload))
    return f"{text}.{base64url.encode(KEY.sign(text.encode()))}"


HEADER = json.dumps({"alg": "EdDSA", "typ": "vat+jwt", "kid": "k1"})
ODD_VALUES = [
    *("null", "true", '""', '"x"', '"default"', '"acme"', '"Acme"', "[]", "{}", '["x"]', '[""]', "[1]", "-1", "0", "-0"),
    *("0.5", "1", "1.0", "1.5e0", "1e400", "-1e-400", "1900000000", "1900000000.0", "19e8", "1.9e9", "1900000001"),
    *("9007199254740991", "9007199254740992", "9007199254740993", "1e15", "1e16", "1902592000", "1902591940", "01"),
    *("NaN", "Infinity", '"\\ud800"', '"\\ud83d\\ude00"', '"a\\u0000"', '{"resources":[],"actions":[]}', "[[[[]]]]"),
    *('{"a":1,"a":2}', '{"__proto__":1}', f'["{ISSUER}"]', f'["{ISSUER}","x"]', f'"{ISSUER}/"', "1900000000e-1"),
    '"' + "x" * 129 + '"',
]


def odd_tokens(source: random.Random) -> list[str]:
    tokens = []
    for name in [*some_claims(), "svc_tenant", "constructor", "extra"]:
        for value in ODD_VALUES:
            members = {each: json.dumps(known) for each, known in some_claims().items()} | {name: value}
            payload = "{" + ",".join(f'"{each}":{text}' for each, text in members.items()) + "}"
            tokens.append(a_token(HEADER, payload))
    for name in ("alg", "typ", "kid", "crit", "jwk"):
        for value in ODD_VALUES:
            members = {each: json.dumps(known) for each, known in json.loads(HEADER).items()} | {name: value}
            header = "{" + ",".join(f'"{each}":{text}' for each, text in members.items()) + "}"
            tokens.append(a_token(header, json.dumps(some_claims())))
    good = a_token(HEADER, json.dumps(some_claims()))
    for _ in range(1500):
        at, removed = source.randrange(len(good)), source.randrange(3)
        tokens.append(good[:at] + source.choice("ABYZabyz0189-_+/=. \n%é") + good[at + removed :])
    return tokens


def odd_texts(source: random.Random) -> list[bytes]:
    pieces = ['{"a":', '"a"', '"\\u0061"', "[", "]", "{", "}", ",", ":", "1", "-", "e9", ".", " ", "null", "true", "\\", '"']
    pieces += ["1e999", "\t", "\x0b", "\u00a0", "٣", "\ufeff", '"\\ud800"', "NaN", "00", '"é"', "\\u", "\x7f"]
    texts = ["".join(source.choices(pieces, k=source.randrange(1, 12))).encode() for _ in range(3000)]
    almost = json.dumps({"a": [1, -2.5e3, True, None, 'x"y\\z'], "b": {"c": {}, "é": []}}, ensure_ascii=False)
    for _ in range(2000):
        at = source.randrange(len(almost))
        texts.append((almost[:at] + source.choice(pieces) + almost[at + source.randrange(2) :]).encode())
    texts += [bytes(source.randrange(256) for _ in range(source.randrange(1, 6))) for _ in range(500)]
    return texts


def test_tokens_get_the_same_code_in_both_languages() -> None:
    tokens = odd_tokens(random.Random(7))
    theirs = service_answers([{"token": token, "jwk": KEY.jwk} for token in tokens])
    ours = [token_verdict(token, CONTEXT) for token in tokens]
    assert [each for each in zip(tokens, ours, theirs, strict=True) if each[1] != each[2]] == []
    assert {"ok", "malformed", "bad_claim", "expired", "not_yet_valid", "wrong_audience"} <= set(ours)


def test_json_texts_get_the_same_result_in_both_languages() -> None:
    texts = odd_texts(random.Random(7))
    theirs = service_answers([{"json_hex": text.hex()} for text in texts])
    ours = [json_verdict(text) for text in texts]
    # A text with several faults may be refused for a different one.
    differing = [each for each in zip(texts, ours, theirs, strict=True) if (each[1] == "ok") != (each[2] == "ok")]
    assert differing == []
    assert ours.count("ok") > 100
    same = sum(mine == other for mine, other in zip(ours, theirs, strict=True))
    assert same / len(texts) > 0.95


@pytest.mark.parametrize("token", ["", ".", "..", "...", "a.b.c", "é.é.é", "." * 1_000_000, HEADER])
def test_random_text_is_a_malformed_token(token: str) -> None:
    assert token_verdict(token, CONTEXT) == "malformed"
