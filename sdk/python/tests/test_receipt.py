import base64
import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from deputize import Deputy, LogFault, verify_receipt
from deputize.merkle import verify_inclusion
from deputize.note import verify_checkpoint, read_vkey
from tests.builders import a_token
from tests.vectors import VECTORS, read_vector

NOTES = read_vector("signed-note/signed-note-checkpoints.json")
# The service's choices where the specification leaves one. N30 is valid alone, and a fork next to N02.
OUR_CHOICES = {"N28": "accept", "N29": "reject", "N30": "accept"}


class TestVectors:
    def test_every_checkpoint_gets_the_same_result_as_in_the_service(self) -> None:
        log, witnesses = read_vkey(NOTES["log_vkey"]), [read_vkey(each) for each in NOTES["witness_vkeys"]]
        cases = [each for each in NOTES["cases"] if each["id"] != "N01"]  # N01 is a note but not a checkpoint
        assert len(cases) == 29
        for each in cases:
            try:
                verify_checkpoint(each["note"], log, witnesses, quorum=0)
                answer = "accept"
            except LogFault:
                answer = "reject"
            assert answer == OUR_CHOICES.get(each["id"], each["expect"]), each

    def test_witnesses_are_listed_with_their_times(self) -> None:
        log, witnesses = read_vkey(NOTES["log_vkey"]), [read_vkey(each) for each in NOTES["witness_vkeys"]]
        [note] = [each["note"] for each in NOTES["cases"] if each["id"] == "N03"]
        cosigned = (("witness.test/w1", 1_900_000_000), ("witness.test/w2", 1_900_000_001))
        assert verify_checkpoint(note, log, witnesses).witnesses == cosigned

    def test_all_98_inclusion_proofs_get_the_listed_result(self) -> None:
        files = sorted((VECTORS / "merkle-rfc6962/inclusion").rglob("*.json"))
        assert len(files) == 98
        for path in files:
            case = json.loads(path.read_text())
            proof = [base64.b64decode(each) for each in case["proof"] or []]
            leaf, root = (base64.b64decode(case[name] or "") for name in ("leafHash", "root"))
            answer = verify_inclusion(case["leafIdx"], case["treeSize"], leaf, proof, root)
            assert answer == (not case["wantErr"]), path.name

    @pytest.mark.parametrize("text", ["", "a+b", "name+00000000+AAAA", NOTES["log_vkey"].replace("+e", "+f", 1)])
    def test_an_invalid_verifier_key_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError):
            read_vkey(text)


@pytest.fixture
def receipt(deputy: Deputy) -> Any:
    jti = a_token(deputy)["jti"]
    decision = deputy.authorize(vat_jti=jti, action="read", resource="calendar:7")
    deputy.complete_record(decision["aar_id"], result="success")
    deputy.rate_record(decision["aar_id"], rating="approved")
    return deputy.get_receipt(decision["aar_id"])


def test_a_receipt_of_the_service_is_valid(deputy: Deputy, receipt: Any) -> None:
    vkey = deputy.get_deployment()["log"]["vkey"]
    sound = verify_receipt(receipt, vkey=vkey)
    assert (sound.aar_id, sound.is_pinned, sound.vkey) == (receipt["aar_id"], True, vkey)
    assert [each.kind for each in sound.entries] == ["created", "completed", "rated"]
    assert sound.entries[2].entry["rating"] == "approved"
    assert verify_receipt(json.loads(json.dumps(receipt))).is_pinned is False


def test_a_receipt_of_another_log_is_refused(receipt: Any) -> None:
    with pytest.raises(LogFault) as refused:
        verify_receipt(receipt, vkey=NOTES["log_vkey"])
    assert refused.value.code == "origin_changed"


def test_a_missing_cosignature_is_reported(receipt: Any) -> None:
    with pytest.raises(LogFault) as refused:
        verify_receipt(receipt, witness_vkeys=NOTES["witness_vkeys"])
    assert refused.value.code == "witnesses_too_few"


LIES: list[tuple[str, Callable[[Any], Any]]] = [
    ("receipt_malformed", lambda r: r.pop("checkpoint")),
    ("receipt_malformed", lambda r: r.update(entries=[])),
    ("receipt_malformed", lambda r: r["entries"][0].update(kind="invented")),
    ("receipt_malformed", lambda r: r["entries"][0].update(index=-1)),
    ("receipt_malformed", lambda r: r.update(origin="other")),
    ("checkpoint_malformed", lambda r: r.update(checkpoint=r["checkpoint"][:-1])),
    ("signature_wrong", lambda r: r.update(checkpoint=larger(r["checkpoint"]))),
    ("leaf_hash_wrong", lambda r: r["entries"][1].update(leaf=r["entries"][1]["leaf"].replace("success", "failure"))),
    ("proof_of_another_tree", lambda r: r["entries"][0]["proof"].pop()),
    ("proof_wrong", lambda r: r["entries"][0]["proof"].__setitem__(0, base64.b64encode(bytes(32)).decode())),
    ("proof_wrong", lambda r: r["entries"][0].update(index=r["entries"][0]["index"] ^ 1)),
    ("proof_malformed", lambda r: r["entries"][0]["proof"].append("AAAA")),
    ("index_beyond_tree", lambda r: r["entries"][0].update(index=10**9)),
    ("receipt_of_another_record", lambda r: r.update(aar_id="aar_other")),
    ("receipt_kind_wrong", lambda r: r["entries"][1].update(kind="rated")),
    ("receipt_repeated", lambda r: r["entries"].append(r["entries"][0])),
    ("receipt_incomplete", lambda r: r["entries"].pop(0)),
]


def larger(checkpoint: str) -> str:
    origin, size, rest = checkpoint.split("\n", 2)
    return f"{origin}\n{int(size) + 1}\n{rest}"


def test_every_manipulation_of_a_receipt_is_found(receipt: Any) -> None:
    for fault, lie in LIES:
        changed = copy.deepcopy(receipt)
        lie(changed)
        with pytest.raises(LogFault) as refused:
            verify_receipt(changed)
        assert refused.value.code == fault
