"""Normalizes http(s) URIs without query and fragment (RFC 3986 sections 6.2.2 and 6.2.3)."""

import re

_TARGET = re.compile(r"(https?)://([^/?#@]*)([^?#]*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[0-9a-f:.]+\]|(?:[a-z0-9\-._~!$&'()*+,;=]|%[0-9a-f]{2})+)(?::([0-9]*))?", re.IGNORECASE)
_PATH = re.compile(r"(?:/(?:[a-z0-9\-._~!$&'()*+,;=:@]|%[0-9a-f]{2})*)*", re.IGNORECASE)
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def normalised_target(uri: str) -> str | None:
    """Returns the normalized URI, or None for an invalid URI or one with userinfo."""
    found = _TARGET.match(uri)
    if found is None or not uri.isascii():
        return None
    scheme, authority, path = found.group(1).lower(), found.group(2), found.group(3)
    host_port = _AUTHORITY.fullmatch(authority)
    # The authority pattern stops at "@", so userinfo leaves an "@..." path that does not match.
    if host_port is None or _PATH.fullmatch(path) is None:
        return None
    host, port = host_port.group(1), host_port.group(2)
    return f"{scheme}://{_plain_percents(host).lower()}{_plain_port(scheme, port)}{_without_dots(_plain_percents(path))}"


def _plain_percents(text: str) -> str:
    """Decodes unreserved characters and uppercases the other percent-encodings."""

    def plain(found: re.Match[str]) -> str:
        character = chr(int(found.group()[1:], 16))
        return character if re.fullmatch(r"[A-Za-z0-9\-._~]", character) else found.group().upper()

    return re.sub(r"%[0-9a-fA-F]{2}", plain, text)


def _plain_port(scheme: str, port: str | None) -> str:
    digits = (port or "").lstrip("0") or ("0" if port else "")
    return "" if digits in ("", _DEFAULT_PORTS[scheme]) else f":{digits}"


def _without_dots(path: str) -> str:
    """Removes dot segments (RFC 3986 section 5.2.4) from a path that is empty or starts with a slash."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
