"""The Python SDK of Deputy: clients, `with_authority`, offline verification, DPoP, and guards for routes.

`deputize.fastapi` and `deputize.flask` hold the guards; import them where the framework is installed.
"""

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
    ProofError,
    Refusal,
    TokenError,
    Unreachable,
)
from deputize.note import LogFault
from deputize.receipt import SoundReceipt, verify_receipt
from deputize.verifier import AsyncVerifier, Verifier

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
