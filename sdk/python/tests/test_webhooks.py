import base64
import hmac
import http.client
import os
import re
import socket
import subprocess
import sys
import time
from datetime import datetime, timezone
from typing import Any

import pytest

from deputize import WebhookRefused, verify_webhook
from tests.program import PATIENCE_S, ROOT
from tests.vectors import read_vector

MESSAGES = read_vector("webhooks/messages.json")


def answer_to(message: dict[str, Any]) -> str:
    try:
        verify_webhook(
            message["body"],
            message["headers"],
            message["secrets"],
            tolerance_s=MESSAGES["tolerance_s"],
            now_s=MESSAGES["now_s"],
        )
    except WebhookRefused as refused:
        return refused.code
    except ValueError:
        return "malformed_secret"
    return "accept"


@pytest.mark.parametrize("message", MESSAGES["cases"], ids=lambda message: message["name"])
def test_every_message_gets_the_same_result_as_in_the_node_sdk(message: dict[str, Any]) -> None:
    assert answer_to(message) == message["expect"]


def test_the_event_is_returned_with_its_id_and_time() -> None:
    message = MESSAGES["cases"][0]
    headers = {name.title(): value for name, value in message["headers"].items()}
    verified = verify_webhook(
        message["body"].encode(), headers, message["secrets"][0], now_s=MESSAGES["now_s"]
    )
    assert verified.id == "msg_1"
    assert verified.sent_at == datetime.fromtimestamp(MESSAGES["now_s"], timezone.utc)
    assert verified.event["type"] == "token.revoked"


@pytest.mark.parametrize("secret", [None, [], ""])
def test_a_missing_secret_is_named(secret: Any) -> None:
    with pytest.raises(ValueError, match="secret is missing"):
        verify_webhook(b"{}", {}, secret)


def test_the_clock_of_this_machine_counts_by_default() -> None:
    message = MESSAGES["cases"][0]
    with pytest.raises(WebhookRefused) as refused:
        verify_webhook(message["body"], message["headers"], message["secrets"])
    assert refused.value.code == "too_new"


def test_the_receiver_of_the_guide_takes_what_is_genuine_and_nothing_else() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    guide = (ROOT / "docs/guides/webhooks.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    key = bytes(range(32))
    secret = f"whsec_{base64.b64encode(key).decode()}"
    receiver = subprocess.Popen(
        [sys.executable, "-c", block.replace("9000", str(port))],
        env={**os.environ, "SECRET": secret, "PYTHONPATH": str(ROOT / "sdk/python")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        body = b'{"type":"token.revoked"}'
        assert _posted(port, _signed(key, body), body) == 204
        assert _posted(port, _signed(key, body), body) == 204
        assert _posted(port, _signed(key, body), b'{"type":"token.issued"}') == 400
    finally:
        receiver.terminate()
        printed, _ = receiver.communicate()
    assert printed == "token.revoked\n"


def _signed(key: bytes, body: bytes) -> dict[str, str]:
    sent = str(int(time.time()))
    signature = hmac.digest(key, f"msg_1.{sent}.".encode() + body, "sha256")
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": sent,
        "webhook-signature": f"v1,{base64.b64encode(signature).decode()}",
    }


def _posted(port: int, headers: dict[str, str], body: bytes) -> int:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            connection.request("POST", "/hook", body, headers)
            return connection.getresponse().status
        except ConnectionRefusedError:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        finally:
            connection.close()
