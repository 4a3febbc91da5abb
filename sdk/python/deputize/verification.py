"""Answers verification sessions with a camera, and has people verified on a page of the service.

>>> from deputize import Deputy, answer_session
>>> def capture_person(deputy: Deputy, human_ref: str, camera):
...     session = deputy.create_verification_session(purpose="verify", human_ref=human_ref)
...     answer_session(deputy, session, camera)
...     return deputy.capture(session_id=session["session_id"], nonce=session["nonce"])
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Callable, Mapping

from deputize.errors import PersonNotVerified

if TYPE_CHECKING:
    from deputize.api import CollectHostedSessionResponse, CreateHostedSessionResponse
    from deputize.clients import Deputy

#: Shows a step to the person, records it for `duration_ms`, and returns `frames`, and `audio` if the step asks for
#: speech. Times in the recording count from when the step was shown.
Camera = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]]


def answer_session(deputy: Deputy, session: Mapping[str, Any], camera: Camera) -> list[str]:
    """Answers every step of a verification session, and returns the digest of each recording that was accepted.

    Then finish the session with `capture` or `enroll`. The client needs no credential, because the session's nonce is
    one.

    >>> def enroll(deputy, camera):
    ...     consent = {"version": deputy.get_consent()["version"]}
    ...     session = deputy.create_verification_session(purpose="enroll", consent=consent)
    ...     answer_session(deputy, session, camera)
    ...     return deputy.enroll(session_id=session["session_id"], nonce=session["nonce"])
    """
    media: list[str] = []
    step: Mapping[str, Any] | None = session["step"]
    while step is not None:
        # A recording that starts sooner can't be an answer to the step.
        time.sleep(session["capture"]["lead_ms"] / 1000)
        recording = camera(step, session["capture"])
        answer: Mapping[str, Any] = deputy.answer_step(
            session["session_id"], nonce=session["nonce"], step_id=step["step_id"], **recording
        )
        if answer["accepted"]:
            media.append(answer["media_digest"])
        step = answer.get("step")
    return media


def verify_person(
    deputy: Deputy, send: Callable[[CreateHostedSessionResponse], object], **person: Any
) -> CollectHostedSessionResponse:
    """Has a person verified on a page of the service, and collects the result with the requested token.

    `send` takes the person to `session["url"]`. The other arguments are those of `create_hosted_session`. Waits until
    the session ends: 15 minutes, or `expires_in` seconds. Raises `PersonNotVerified` if it ends without a verified
    person.

    >>> def confirm_payment(deputy, human_ref, mail):
    ...     request = {"agent_id": "invoice-bot", "resources": ["payments:invoices"], "actions": ["pay"]}
    ...     verified = verify_person(deputy, lambda session: mail(session["url"]), human_ref=human_ref, request=request)
    ...     return verified["token"]
    """
    session = deputy.create_hosted_session(purpose="verify", **person)
    send(session)
    key = {"client_token": session["client_token"]}
    seen = deputy.watch_hosted_session(session["session_id"], **key)
    # A capture that did not pass can be followed by another.
    while seen.get("decision") != "pass" and (seen["state"] == "open" or seen["can_open"]):
        seen = deputy.watch_hosted_session(session["session_id"], **key, after=seen["version"])
    if seen.get("decision") != "pass":
        raise PersonNotVerified(seen)
    return deputy.collect_hosted_session(session["session_id"], **key)
