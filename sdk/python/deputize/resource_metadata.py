"""The metadata of a protected resource (RFC 9728)."""

from typing import Any
from urllib.parse import urlsplit, urlunsplit

_WELL_KNOWN = "/.well-known/oauth-protected-resource"


class ResourceDescription:
    """The document in which a guarded API describes itself, and its address."""

    def __init__(self, audience: str | None, public_url: str) -> None:
        is_url = audience is not None and audience.startswith(("https://", "http://"))
        #: The URL that names this API: its audience, or else the URL under which callers reach it.
        self.resource = audience if audience is not None and is_url else public_url
        parts = urlsplit(self.resource)
        #: The well-known part goes between host and path (RFC 9728 section 3.1).
        self.path = _WELL_KNOWN + parts.path.rstrip("/")
        self.url = urlunsplit((parts.scheme, parts.netloc, self.path, "", ""))

    def document(self, issuer: str, allows_bearer: bool) -> dict[str, Any]:
        return {
            "resource": self.resource,
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            "dpop_signing_alg_values_supported": ["EdDSA", "ES256"],
            "dpop_bound_access_tokens_required": not allows_bearer,
        }
