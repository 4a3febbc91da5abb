import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from deputize import Deputy, PersonNotVerified, Refusal, answer_session, verify_person
from tests.a_server import a_server, answer
from tests.person import ORIGIN, Person, a_person
from tests.program import PATIENCE_S, a_program

TOKEN: dict[str, Any] = {"agent_id": "calendar-bot", "resources": ["calendar:events"], "actions": ["read"]}
SESSIONS_MAX = 4


def a_step(number: int) -> dict[str, Any]:
    return {"step_id": f"st_{number}", "kind": "neutral", "duration_ms": 1500}


def test_a_camera_answers_every_step_and_again_what_was_not_good_enough() -> None:
    planned = [
        answer(accepted=False, reasons=[{"code": "too_dark", "detail": "d"}], step=a_step(2), media_digest="a"),
        answer(accepted=True, reasons=[], step=a_step(3), media_digest="b"),
        answer(accepted=True, reasons=[], media_digest="c"),
    ]
    session = {"session_id": "vs_1", "nonce": "n", "step": a_step(1), "capture": {"lead_ms": 1}}
    asked: list[str] = []

    def camera(step: Any, _settings: Any) -> dict[str, Any]:
        asked.append(step["step_id"])
        return {"frames": [{"t_ms": 0, "jpeg": "AAAA"}]}

    with a_server(*planned) as served, Deputy(served.url) as deputy:
        assert answer_session(deputy, session, camera) == ["b", "c"]
    assert asked == ["st_1", "st_2", "st_3"]
    assert [seen.path for seen in served.seen] == ["/v1/vat/auth/sessions/vs_1/steps"] * 3
    sent = json.loads(served.seen[0].body)
    assert sent == {"nonce": "n", "step_id": "st_1", "frames": [{"t_ms": 0, "jpeg": "AAAA"}]}


def answered(deputy: Deputy, person: Person, **opening: Any) -> Any:
    """Returns a session with every step answered. After a late answer, opens a new session, as the service asks."""
    consent: Any = {"version": deputy.get_consent()["version"]}
    for left in reversed(range(SESSIONS_MAX)):
        session = deputy.create_verification_session(consent=consent, **opening)
        try:
            assert len(answer_session(deputy, session, person.camera)) == session["steps_total"]
            return {"session_id": session["session_id"], "nonce": session["nonce"]}
        except Refusal as error:
            if error.code != "answer_late" or left == 0:
                raise


def passkey_options(deputy: Deputy, session: Any, **request: Any) -> Any:
    return deputy.begin_session_passkey(session["session_id"], nonce=session["nonce"], **request)["options"]


def test_a_person_is_enrolled_and_verified_and_gets_a_token_that_authorizes() -> None:
    with a_person() as person:
        settings = {
            "DEPUTY_PUBLIC_URL": ORIGIN,
            "DEPUTY_ENGINE_DIR": person.engine_dir,
            "DEPUTY_ENGINE_PROCESSES": "1",
        }
        with a_program("open", settings) as program, Deputy(program.url, timeout_s=PATIENCE_S) as deputy:
            session = answered(deputy, person, purpose="enroll")
            made = person.create_passkey(passkey_options(deputy, session))
            enrolled = deputy.enroll(**session, passkey_registration=made)
            assert enrolled["enrolled"], enrolled["modalities"]

            session = answered(deputy, person, purpose="verify", human_ref=enrolled["human_ref"])
            signed = person.sign(passkey_options(deputy, session, **TOKEN))
            judged = deputy.capture(**session, passkey=signed, **TOKEN)
            assert judged["decision"] == "pass", judged["modalities"]

            token = judged["token"]
            assert token["claims"]["svc_assurance_level"] == "L3"
            assert token["claims"]["svc_human_ref"] == enrolled["human_ref"]
            allowed = deputy.authorize(vat_jti=token["jti"], resource="calendar:events", action="read")
            assert (allowed["authorized"], allowed["trust_score"]) == (True, 0.95)


def test_a_person_is_verified_on_a_page_and_the_token_is_collected(tmp_path: Path) -> None:
    providers = tmp_path / "idv.json"
    providers.write_text(json.dumps({"providers": [{"name": "sandbox", "kind": "sandbox", "level": "L3"}]}))
    settings = {"DEPUTY_IDV_FILE": str(providers), "DEPUTY_L3_PASSKEY": "optional"}
    asked: Any = {"developer_email": "ann@example.com", "provider": "sandbox", "request": TOKEN}
    with a_program("open", settings) as program, Deputy(program.url) as deputy:

        def on_the_page(session: Any) -> None:
            key = {"client_token": session["client_token"]}
            opened = deputy.open_hosted_session(session["session_id"], **key)
            httpx.post(opened["redirect_url"], data={"status": "passed"}).raise_for_status()
            seen = deputy.watch_hosted_session(session["session_id"], **key)
            while seen.get("provider_status") == "pending":
                seen = deputy.watch_hosted_session(session["session_id"], **key, after=seen["version"])
            deputy.capture(session_id=session["session_id"], nonce=opened["nonce"])

        token = verify_person(deputy, on_the_page, **asked)["token"]
        assert (token["claims"]["svc_assurance_level"], token["claims"]["sub"]) == ("L3", "agent:calendar-bot")

        def cancel(session: Any) -> None:
            deputy.cancel_verification_session(session["session_id"], client_token=session["client_token"])

        with pytest.raises(PersonNotVerified) as refused:
            verify_person(deputy, cancel, **asked)
        assert (refused.value.state, refused.value.decision, refused.value.reasons) == ("cancelled", None, [])
