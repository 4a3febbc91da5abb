"""The same vectors as in the TypeScript tests, with the same results and counts."""

import json
import struct
from typing import Any

import pytest

from deputize import base64url
from deputize.canonical import canonical_json, result_hash
from deputize.dpop import ExpectedProof, token_hash, verify_proof
from deputize.errors import KeyRefused, ProofError, TokenError
from deputize.jwk import read_ed25519_jwk, read_holder_jwk, thumbprint, verify_ed25519, verify_holder
from deputize.jws import VerificationKey, VerifierContext, split_compact, verify_token
from deputize.scope import covers, is_action, is_resource_pattern
from deputize.strict_json import JsonError, read_json
from tests.vectors import VECTORS, read_vector

RFC = read_vector("rfc/rfc-signature-vectors.json")
ATTACKS = read_vector("jwt-attacks/jwt-attacks.json")


def unchecked(public_key: bytes) -> dict[str, str]:
    return {"kty": "OKP", "crv": "Ed25519", "x": base64url.encode(public_key)}


def key_refusal(value: object) -> str:
    try:
        read_ed25519_jwk(value)
        return "ok"
    except KeyRefused as error:
        return error.reason


def token_verdict(token: str, context: VerifierContext) -> str:
    try:
        verify_token(token, context)
        return "ok"
    except TokenError as error:
        return error.code


def json_verdict(text: str | bytes, max_depth: int = 16) -> str:
    try:
        read_json(text, max_depth)
        return "ok"
    except JsonError as error:
        return error.reason


@pytest.fixture(name="answers", scope="module")
def answers_to_the_attacks() -> list[tuple[str, str, str]]:
    given = ATTACKS["verifier_context"]
    keys: dict[str, VerificationKey] = {}
    for withdrawn_from_s, listed in ((None, given["active_keys"]), (0, given["withdrawn_keys"])):
        for each in listed:
            jwk = read_ed25519_jwk({name: each[name] for name in ("kty", "crv", "x")})
            keys[each["kid"]] = VerificationKey(each["kid"], jwk, withdrawn_from_s=withdrawn_from_s)
    context = VerifierContext(
        now_s=given["now"],
        issuer=given["issuer"],
        key=keys.get,
        typ=given["expected_typ"],
        audience=given["audience"],
        max_lifetime_s=given["max_lifetime_s"],
        clock_skew_s=given["clock_skew_s"],
    )
    return [(each["id"], each["expect"], token_verdict(each["jwt"], context)) for each in ATTACKS["cases"]]


class TestJwtAttacks:
    def test_the_valid_ones_are_accepted(self, answers: list[tuple[str, str, str]]) -> None:
        assert [code for _, expect, code in answers if expect == "accept"] == ["ok", "ok", "ok"]

    def test_every_attack_is_refused(self, answers: list[tuple[str, str, str]]) -> None:
        rejects = [(name, code) for name, expect, code in answers if expect == "reject"]
        assert len(rejects) == 92
        assert [name for name, code in rejects if code == "ok"] == []

    def test_ambiguous_cases_get_the_same_result_as_in_the_service(self, answers: list[tuple[str, str, str]]) -> None:
        assert {name: code for name, expect, code in answers if expect == "policy"} == {
            "J004": "wrong_audience",
            "J018": "unsupported_algorithm",
            "J065": "unknown_key",
            "J078": "wrong_type",
            "J143": "malformed",
        }

    def test_every_case_has_a_result(self, answers: list[tuple[str, str, str]]) -> None:
        assert len(answers) == ATTACKS["count"] == 100


class TestWycheproof:
    def test_all_151_signatures_get_the_listed_result(self) -> None:
        answers = []
        for group in read_vector("wycheproof/ed25519_test.json")["testGroups"]:
            key = read_ed25519_jwk(unchecked(bytes.fromhex(group["publicKey"]["pk"])))
            for each in group["tests"]:
                fits = verify_ed25519(key, bytes.fromhex(each["msg"]), bytes.fromhex(each["sig"]))
                answers.append((each["tcId"], fits == (each["result"] == "valid")))
        assert len(answers) == 151
        assert [case for case, agrees in answers if not agrees] == []

    @pytest.mark.parametrize(
        ("path", "count"),
        [("wycheproof/json_web_signature_test.json", 401), ("wycheproof/json_web_key_test.json", 26)],
    )
    def test_foreign_tokens_are_refused(self, path: str, count: int) -> None:
        jwk = RFC["rfc8037"]["public_jwk"]
        context = VerifierContext(1_900_000_000, "https://authority.test", lambda kid: VerificationKey(kid, jwk))
        tokens = [each["jws"] for group in read_vector(path)["testGroups"] for each in group["tests"]]
        assert len(tokens) == count
        assert [token for token in tokens if token_verdict(str(token), context) == "ok"] == []

    def test_foreign_key_types_are_refused(self) -> None:
        groups = read_vector("wycheproof/json_web_key_test.json")["testGroups"]
        keys = [key for group in groups for part in ("private", "public") for key in group.get(part, {}).get("keys", [])]
        assert len(keys) > 26
        assert [key for key in keys if key_refusal(key) == "ok"] == []

    def test_es256_signatures_get_the_listed_result(self) -> None:
        count = 0
        for group in read_vector("wycheproof/ecdsa_secp256r1_sha256_p1363_test.json")["testGroups"]:
            point = bytes.fromhex(group["publicKey"]["uncompressed"])
            x, y = base64url.encode(point[1:33]), base64url.encode(point[33:])
            jwk = read_holder_jwk({"kty": "EC", "crv": "P-256", "x": x, "y": y})
            for each in group["tests"]:
                fits = verify_holder(jwk, bytes.fromhex(each["msg"]), bytes.fromhex(each["sig"]))
                assert fits == (each["result"] == "valid"), each["tcId"]
                count += 1
        assert count == 262


class TestEd25519EdgeCases:
    def test_43_of_914_edge_cases_are_accepted_and_none_has_a_small_order_key(self) -> None:
        cases = read_vector("cctv-ed25519/ed25519vectors.json")
        accepted = [
            unchecked(bytes.fromhex(each["key"]))
            for each in cases
            if verify_ed25519(
                unchecked(bytes.fromhex(each["key"])), each["msg"].encode(), bytes.fromhex(each["sig"])
            )
        ]
        registrable = [key for key in accepted if key_refusal(key) == "ok"]
        assert (len(cases), len(accepted), len(registrable)) == (914, 43, 43)

    def test_the_14_encodings_of_small_order_points_are_refused(self) -> None:
        keys = read_vector("cctv-ed25519/low-order-public-keys.json")["keys"]
        reasons = [key_refusal(unchecked(bytes.fromhex(each["key_hex"]))) for each in keys]
        assert len(reasons) == 14
        assert set(reasons) <= {"low_order", "not_canonical"}


class TestRfcs:
    def test_rfc_8032_8037_and_9421_signatures_are_accepted(self) -> None:
        for each in RFC["rfc8032"]:
            key, message, signature = (bytes.fromhex(each[name]) for name in ("public_key", "message", "signature"))
            assert verify_ed25519(unchecked(key), message, signature)
            assert not verify_ed25519(unchecked(key), message + b".", signature)
        head, body, tail = RFC["rfc8037"]["compact_jws"].split(".")
        assert verify_ed25519(RFC["rfc8037"]["public_jwk"], f"{head}.{body}".encode(), base64url.decode(tail))

    def test_the_thumbprint_of_rfc_8037_is_reproduced(self) -> None:
        assert thumbprint(RFC["rfc8037"]["public_jwk"]) == RFC["rfc8037"]["jwk_thumbprint_sha256"]

    def test_a_private_key_is_refused(self) -> None:
        assert key_refusal(RFC["rfc8037"]["private_jwk"]) == "private_part"

    def test_the_resource_proof_of_rfc_9449_is_accepted(self) -> None:
        rfc = read_vector("rfc9449/proofs.json")
        shown = [each for each in rfc["proofs"] if "ath" in each]
        assert len(shown) == 1
        for each in shown:
            assert each["ath"] == token_hash(rfc["access_token"])
            proof = verify_proof(each["proof"], self.expected(rfc, each))
            assert (proof.jti, proof.jkt) == (each["jti"], rfc["jkt"])

    def test_the_token_endpoint_proofs_of_rfc_9449_lack_only_ath(self) -> None:
        rfc = read_vector("rfc9449/proofs.json")
        without = [each for each in rfc["proofs"] if "ath" not in each]
        assert len(without) == 2
        for each in without:
            with pytest.raises(ProofError) as refused:
                verify_proof(each["proof"], self.expected(rfc, each))
            assert refused.value.reason == "missing_ath"
            parts = split_compact(each["proof"])
            assert verify_holder(read_holder_jwk(rfc["jwk"]), parts.signing_input, parts.signature)

    @staticmethod
    def expected(rfc: Any, each: Any) -> ExpectedProof:
        return ExpectedProof(each["htm"], each["htu"], rfc["access_token"], rfc["jkt"], each["iat"])


class TestScope:
    scope = read_vector("scope/scope-narrowing.json")

    @pytest.mark.parametrize("pair", scope["pairs"], ids=lambda pair: str(pair["id"]))
    def test_a_pair_gets_the_listed_result(self, pair: dict[str, Any]) -> None:
        child, parent = pair["child"], pair["parent"]
        if pair["kind"] == "action":
            passes = is_action(child) and child in parent
        else:
            is_well_formed = all(is_resource_pattern(each) for each in [child, *parent])
            passes = is_well_formed and any(covers(held, child) for held in parent)
        assert passes == pair["allow_wildcard_mode"]

    def test_there_are_39_pairs(self) -> None:
        assert len(self.scope["pairs"]) == 39


class TestJson:
    # One case nests 500 arrays, more than the default limit.
    @staticmethod
    def verdicts(prefix: str) -> dict[str, str]:
        files = sorted((VECTORS / "json-test-suite/test_parsing").glob(f"{prefix}*.json"))
        return {path.stem[2:]: json_verdict(path.read_bytes(), 200_000) for path in files}

    def test_the_95_valid_texts_parse_except_those_with_duplicate_members(self) -> None:
        verdicts = self.verdicts("y_")
        assert len(verdicts) == 95
        assert {name: reason for name, reason in verdicts.items() if reason != "ok"} == {
            "object_duplicated_key": "duplicate_member",
            "object_duplicated_key_and_value": "duplicate_member",
        }

    def test_the_188_invalid_texts_are_refused(self) -> None:
        verdicts = self.verdicts("n_")
        assert len(verdicts) == 188
        assert [name for name, reason in verdicts.items() if reason == "ok"] == []

    def test_the_35_implementation_defined_texts_get_the_same_result_as_in_the_service(self) -> None:
        verdicts = self.verdicts("i_")
        by_reason: dict[str, set[str]] = {}
        for name, reason in verdicts.items():
            by_reason.setdefault(reason, set()).add(name)
        assert len(verdicts) == 35
        assert {reason: len(names) for reason, names in by_reason.items()} == {
            "ok": 6,
            "number_out_of_range": 5,
            "lone_surrogate": 10,
            "not_utf8": 13,
            "bom": 1,
        }
        assert by_reason["ok"] == {
            "number_double_huge_neg_exp",
            "number_real_underflow",
            "number_too_big_neg_int",
            "number_too_big_pos_int",
            "number_very_big_negative_int",
            "structure_500_nested_arrays",
        }

    def test_texts_that_parsers_read_differently_are_refused(self) -> None:
        files = sorted((VECTORS / "json-test-suite/test_transform").glob("*.json"))
        verdicts = {path.stem: json_verdict(path.read_bytes()) for path in files}
        assert {name: reason for name, reason in verdicts.items() if reason != "ok"} == {
            "object_same_key_different_values": "duplicate_member",
            "object_same_key_same_value": "duplicate_member",
            "object_same_key_unclear_values": "duplicate_member",
            "string_1_escaped_invalid_codepoint": "lone_surrogate",
            "string_1_invalid_codepoint": "not_utf8",
            "string_2_escaped_invalid_codepoints": "lone_surrogate",
            "string_2_invalid_codepoints": "not_utf8",
            "string_3_escaped_invalid_codepoints": "lone_surrogate",
            "string_3_invalid_codepoints": "not_utf8",
        }

    def test_hostile_bodies_get_the_same_result_as_in_the_service(self) -> None:
        bodies = read_vector("hostile/hostile-json.json")["bodies"]
        refused = {each["name"]: json_verdict(each["body"]) for each in bodies}
        assert {name: reason for name, reason in refused.items() if reason != "ok"} == {
            "empty body": "syntax",
            "whitespace": "syntax",
            "BOM": "bom",
            "trailing garbage": "syntax",
            "two docs": "syntax",
            "dup key": "duplicate_member",
            "dup key by escape": "duplicate_member",
            "proto": "forbidden_member",
            "constructor": "forbidden_member",
            "proto in constraints": "forbidden_member",
            "lone surrogate": "lone_surrogate",
            "huge number": "number_out_of_range",
            "NaN": "syntax",
            "hex": "syntax",
        }

    def test_every_naughty_string_survives_a_round_trip(self) -> None:
        for text in read_vector("naughty-strings/blns.json"):
            assert read_json(json.dumps(text)) == text


class TestCanonicalJson:
    def test_the_six_rfc_8785_documents_have_the_listed_canonical_text(self) -> None:
        files = sorted((VECTORS / "jcs-rfc8785/input").glob("*.json"))
        assert len(files) == 6
        for path in files:
            wanted = (VECTORS / "jcs-rfc8785/outhex" / f"{path.stem}.txt").read_text()
            assert canonical_json(read_json(path.read_bytes())).encode() == bytes.fromhex(wanted), path.name

    def test_24_numbers_are_formatted_as_published_and_3_are_refused(self) -> None:
        numbers = read_vector("jcs-rfc8785/numbers.json")
        assert (len(numbers["valid"]), len(numbers["must_error"])) == (24, 3)
        for each in numbers["valid"]:
            assert canonical_json(self.double(each["ieee754_hex"])) == each["json"]
        for each in numbers["must_error"]:
            with pytest.raises(ValueError):
                canonical_json(self.double(each))

    @staticmethod
    def double(ieee754_hex: str) -> float:
        return float(struct.unpack(">d", bytes.fromhex(ieee754_hex))[0])


class TestResultHash:
    cases = read_vector("result-hash/results.json")["cases"]

    @pytest.mark.parametrize("case", cases, ids=lambda case: str(case["name"]))
    def test_a_result_has_the_same_hash_in_every_sdk(self, case: dict[str, Any]) -> None:
        result = bytes.fromhex(case["bytes_hex"]) if "bytes_hex" in case else case["value"]
        assert result_hash(result) == case["result_hash"]
        assert "hashed" not in case or result_hash(case["hashed"].encode()) == case["result_hash"]

    def test_there_are_9_results(self) -> None:
        assert len(self.cases) == 9


def test_integers_that_parsers_round_have_no_canonical_form() -> None:
    texts = read_vector("exact-numbers/texts.json")["inexact"]
    integers = [text for text in texts if text.lstrip("-").isdigit()]
    assert len(integers) == 5
    for text in integers:
        with pytest.raises(ValueError, match="beyond"):
            canonical_json({"to": json.loads(text)})
