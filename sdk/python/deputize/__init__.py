"""The Python SDK for Deputy: clients, `with_authority`, offline verification, DPoP and route guards.

>>> from deputize import Deputy, with_authority
>>> deputy = Deputy("http://127.0.0.1:8420")
>>> token = deputy.issue_l1(
...     developer_email="dev@example.com",
...     agent_id="calendar-bot",
...     resources=["calendar:events"],
...     actions=["read"],
... )
>>> with with_authority(deputy, vat_jti=token["jti"], action="read", resource="calendar:events") as action:
...     action.hash(["stand-up"])
>>> deputy.get_record(action.aar_id)["state"]
'completed'

`deputize.fastapi`, `deputize.flask` and `deputize.opentelemetry` need their framework: install the extra of that name.
"""

from deputize.acting_agent import ActingAgent, AsyncActingAgent
from deputize.authority import Action, with_authority
from deputize.call import UNSET, Unset
from deputize.canonical import canonical_json, result_hash
from deputize.clients import AsyncDeputy, Deputy
from deputize.credentials import ApiKey, BearerToken, Credential, DpopToken
from deputize.dpop import AgentKey, ReplayGuard, make_proof, verify_proof
from deputize.errors import (
    BadAnswer,
    DeputyError,
    Incomplete,
    KeyRefused,
    NotAuthorized,
    PersonNotVerified,
    ProofError,
    Refusal,
    TokenError,
    ToolDenied,
    Unreachable,
    WebhookRefused,
)
from deputize.note import LogFault
from deputize.receipt import SoundReceipt, verify_receipt
from deputize.tools import ToolRule, governed
from deputize.trust import TrustLedger, VouchScore
from deputize.verification import answer_session, verify_person
from deputize.verifier import AsyncVerifier, Verifier
from deputize.webhooks import VerifiedWebhook, verify_webhook

__version__ = "0.1.0"

__all__ = [
    "UNSET",
    "ActingAgent",
    "Action",
    "AgentKey",
    "ApiKey",
    "AsyncActingAgent",
    "AsyncDeputy",
    "AsyncVerifier",
    "BadAnswer",
    "BearerToken",
    "Credential",
    "Deputy",
    "DeputyError",
    "DpopToken",
    "Incomplete",
    "KeyRefused",
    "LogFault",
    "NotAuthorized",
    "PersonNotVerified",
    "ProofError",
    "Refusal",
    "ReplayGuard",
    "SoundReceipt",
    "TokenError",
    "ToolDenied",
    "ToolRule",
    "TrustLedger",
    "Unreachable",
    "Unset",
    "VerifiedWebhook",
    "Verifier",
    "VouchScore",
    "WebhookRefused",
    "answer_session",
    "canonical_json",
    "governed",
    "make_proof",
    "result_hash",
    "verify_person",
    "verify_proof",
    "verify_receipt",
    "verify_webhook",
    "with_authority",
]
