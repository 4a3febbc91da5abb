"""Makes generated requests follow rules that field descriptions state and JSON Schema can't express."""

from typing import Any

import schemathesis

# Opaque values of earlier answers, and positions that depend on the size of the log.
UNKNOWABLE = {"cursor", "since", "start"}


@schemathesis.hook
def map_query(context: Any, query: Any) -> Any:
    if not isinstance(query, dict):
        return query
    kept = {name: value for name, value in query.items() if name not in UNKNOWABLE}
    if context.operation.path.endswith("/proof/consistency"):
        return {"from": 0}
    return kept


@schemathesis.hook
def map_body(context: Any, body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    return without_conflicts(context.operation.path, fitting(body))


def without_conflicts(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Applies rules between members, which the document states but the generator doesn't always follow."""
    if path == "/v1/vat/keys" and body.get("role") != "resource_server":
        body.pop("audience", None)
    if path == "/v1/vat/issue/l2":
        for name in ("nonce", "id_token"):
            body.pop(name, None)
        body.setdefault("login_id", "lgn_unknown")
    if path == "/v1/vat/policies/evaluate" and "vat_jti" in body:
        return {name: body[name] for name in ("policy_assertions", "vat_jti")}
    return body


def fitting(value: Any) -> Any:
    if isinstance(value, list):
        return [fitting(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for name, each in value.items():
        if name in ("not_before", "expires_at", "allowed_audiences"):
            continue  # the future, and a list that `audience` must be in
        if name == "agent_jwk":
            continue  # points on a curve
        if name == "time_zone":
            each = "Europe/Berlin"
        elif name == "return_to":
            each = "/docs"
        elif name.endswith("_usd") and isinstance(each, float):
            each = round(each, 6)
        elif name == "operation":
            each = "approve"
        kept[name] = fitting(each)
    return kept
