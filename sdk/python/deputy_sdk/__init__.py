"""The Python SDK of Deputy: clients, `with_authority`, offline verification, DPoP, and guards for routes.

`deputy_sdk.fastapi` and `deputy_sdk.flask` hold the guards; import them where the framework is installed.
"""

from deputy_sdk.authority import Action, with_authority
from deputy_sdk.call import UNSET, Unset
from deputy_sdk.canonical import canonical_json, result_hash
from deputy_sdk.clients import AsyncDeputy, Deputy
from deputy_sdk.credentials import ApiKey, BearerToken, Credential, DpopToken
from deputy_sdk.dpop import AgentKey, ReplayGuard, make_proof, verify_proof
from deputy_sdk.errors import (
    BadAnswer,
    DeputyError,
    Incomplete,
    KeyRefused,
    NotAuthorized,
    ProofError,
    Refusal,
    TokenError,
    Unreachable,
)
from deputy_sdk.note import LogFault
from deputy_sdk.receipt import SoundReceipt, verify_receipt
from deputy_sdk.verifier import AsyncVerifier, Verifier

__version__ = "0.1.0"

__all__ = [
    "UNSET",
    "Action",
    "AgentKey",
    "ApiKey",
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
    "ProofError",
    "Refusal",
    "ReplayGuard",
    "SoundReceipt",
    "TokenError",
    "Unreachable",
    "Unset",
    "Verifier",
    "canonical_json",
    "make_proof",
    "result_hash",
    "verify_proof",
    "verify_receipt",
    "with_authority",
]
