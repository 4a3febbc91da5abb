"""Checks what an action reports when it ends. The service would refuse a mistake when the work is already done."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from deputize.canonical import canonical_json
from deputize.json_body import json_body
from deputize.strict_json import read_json

_MAX_RESULT_LENGTH: Final = 64
_MAX_METADATA_MEMBERS: Final = 64
_MAX_METADATA_BYTES: Final = 4096
_HASH: Final = re.compile(r"sha256:[0-9A-Fa-f]{1,64}")


def check_result(result: object) -> None:
    if not isinstance(result, str):
        raise TypeError(f"result must be a string, not {result!r}")
    if not _is_result(result):
        raise ValueError(
            f"result must be an outcome word such as success or error: a letter, then up to {_MAX_RESULT_LENGTH - 1} letters,"
            f" digits, . _ @ + / - and single inner spaces. It is {result!r}"
        )


def check_result_hash(value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"result_hash must be a string, not {value!r}")
    if _HASH.fullmatch(value) is None:
        raise ValueError(f"result_hash must be sha256: followed by 1 to 64 hexadecimal digits. It is {value!r}")


def check_metadata(metadata: object) -> None:
    if not isinstance(metadata, Mapping):
        raise TypeError(f"metadata must be a dictionary, not {metadata!r}")
    members = dict(metadata)
    read_json(json_body({"metadata": members}))  # as strictly as the service does
    if len(members) > _MAX_METADATA_MEMBERS:
        raise ValueError(f"metadata must have at most {_MAX_METADATA_MEMBERS} members. It has {len(members)}")
    size = len(canonical_json(members).encode())
    if size > _MAX_METADATA_BYTES:
        raise ValueError(f"metadata must be at most {_MAX_METADATA_BYTES} bytes of JSON. It is {size}")


def _is_result(text: str) -> bool:
    """Whether `text` has the form of an outcome. Only the service knows the scripts of letters, which must not be mixed."""
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    is_word = all(word != "" and all(map(_is_of_word, word)) for word in text.split(" "))
    return units <= _MAX_RESULT_LENGTH and is_word and _kind(text[0]) == "L" and unicodedata.is_normalized("NFC", text)


def _is_of_word(character: str) -> bool:
    return character in "._@+/-" or _kind(character) in "LM" or unicodedata.category(character) == "Nd"


def _kind(character: str) -> str:
    return unicodedata.category(character)[0]
