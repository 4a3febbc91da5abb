"""C2SP signed notes and checkpoints: the size and root of a log, signed by the log and its witnesses."""

import base64
import binascii
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from deputize import base64url
from deputize.errors import DeputyError
from deputize.jwk import verify_ed25519
from deputize.merkle import EMPTY_ROOT
from deputize.strict_json import MAX_SAFE_INTEGER

_LOG, _WITNESS = 1, 4
_VKEY: Final = re.compile(r"([^+]+)\+([0-9a-f]{8})\+(.+)")
_SIGNATURE: Final = re.compile(r"— ([^ +]+) ([A-Za-z0-9+/]+={0,2})")
_CONTROLS: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f\ud800-\udfff]")


class LogFault(DeputyError):
    """A log or receipt failed verification. `code` is the one that `deputy verify` prints."""

    def __init__(self, code: str, place: str) -> None:
        self.code = code
        super().__init__(f"{code}: {place}")


@dataclass(frozen=True)
class NoteKey:
    name: str
    type: int
    #: A hint at which key signed. It proves nothing.
    id: str
    public_key: bytes

    @property
    def vkey(self) -> str:
        return f"{self.name}+{self.id}+{base64.b64encode(bytes([self.type]) + self.public_key).decode()}"


@dataclass(frozen=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes
    #: The witnesses that cosigned, each with its claimed time in seconds.
    witnesses: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class _Signature:
    name: str
    id: str
    data: bytes


def read_vkey(text: str) -> NoteKey:
    """Parses a verifier key of a log or a witness. Raises ValueError."""
    found = _VKEY.fullmatch(text)
    data = decode_base64(found.group(3)) if found else None
    if found is None or data is None or len(data) != 33 or data[0] not in (_LOG, _WITNESS):
        raise ValueError("A verifier key must have the form <name>+<8 hex digits>+<base64>.")
    name = found.group(1)
    if len(name) > 255 or any(character.isspace() or unicodedata.category(character)[0] == "C" for character in name):
        raise ValueError("The name of a key must not contain spaces or a plus sign.")
    key_id = hashlib.sha256(name.encode() + b"\n" + data).hexdigest()[:8]
    if key_id != found.group(2):
        raise ValueError("The ID in the verifier key does not match its key.")
    return NoteKey(name, data[0], key_id, data[1:])


def verify_checkpoint(
    note: str, log: NoteKey, witnesses: Sequence[NoteKey] = (), quorum: int | None = None
) -> Checkpoint:
    """Returns the checkpoint in `note` if the log and enough witnesses signed it. Raises LogFault."""
    text, signatures = _read_note(note)
    checkpoint = _read_checkpoint(text)
    if checkpoint.origin != log.name:
        raise LogFault("origin_changed", f"The checkpoint names {checkpoint.origin}, but {log.name} is pinned.")
    named = [each for each in signatures if each.name == log.name]
    if not named:
        raise LogFault("checkpoint_unsigned", f"The log {log.name} did not sign the checkpoint.")
    own = [each for each in named if each.id == log.id]
    if not own:
        raise LogFault("key_changed", f"Key {named[0].id} signed, but {log.id} is pinned.")
    # One wrong signature by a known key makes the note invalid, even next to a valid one.
    if not all(_is_signed(log, each.data, text) for each in own):
        raise LogFault("signature_wrong", f"The signature by key {log.id} is invalid.")
    signers = _cosigners(text, signatures, witnesses)
    wanted = len(witnesses) if quorum is None else quorum
    if len(signers) < wanted:
        raise LogFault("witnesses_too_few", f"{len(signers)} witnesses signed, but {wanted} are required.")
    return Checkpoint(checkpoint.origin, checkpoint.size, checkpoint.root, tuple(signers.items()))


def _cosigners(text: str, signatures: list[_Signature], witnesses: Sequence[NoteKey]) -> dict[str, int]:
    signers: dict[str, int] = {}
    for key in witnesses:
        for each in signatures:
            if (each.name, each.id) != (key.name, key.id):
                continue
            time_s = int.from_bytes(each.data[:8], "big") if key.type == _WITNESS and len(each.data) >= 8 else 0
            signed_text = f"cosignature/v1\ntime {time_s}\n{text}"
            if not 0 < time_s <= MAX_SAFE_INTEGER or not _is_signed(key, each.data[8:], signed_text):
                raise LogFault("witness_signature_wrong", f"The signature by witness {key.name} is invalid.")
            signers[key.name] = time_s
    return signers


def _is_signed(key: NoteKey, signature: bytes, text: str) -> bool:
    return verify_ed25519({"x": base64url.encode(key.public_key)}, text.encode(), signature)


def _read_note(note: str) -> tuple[str, list[_Signature]]:
    text, empty, rest = note.rpartition("\n\n")
    if not empty or not note.endswith("\n") or _CONTROLS.search(note):
        raise LogFault("checkpoint_malformed", "It is not a signed note.")
    lines = rest.split("\n")[:-1]
    if not 1 <= len(lines) <= 100:
        raise LogFault("checkpoint_malformed", "A note must have 1 to 100 signatures.")
    return f"{text}\n", [_read_signature(line) for line in lines]


def _read_signature(line: str) -> _Signature:
    found = _SIGNATURE.fullmatch(line)
    data = decode_base64(found.group(2)) if found else None
    if found is None or data is None or len(data) <= 4:
        raise LogFault("checkpoint_malformed", "A signature line must consist of an em dash, a name and base64.")
    return _Signature(found.group(1), data[:4].hex(), data[4:])


def _read_checkpoint(text: str) -> Checkpoint:
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() != "" or "" in lines:
        raise LogFault("checkpoint_malformed", "A checkpoint must have an origin, a size and a root.")
    origin, digits, encoded = lines[:3]
    root = decode_base64(encoded)
    if re.fullmatch(r"0|[1-9][0-9]{0,15}", digits) is None or int(digits) > MAX_SAFE_INTEGER:
        raise LogFault("checkpoint_malformed", "The size of the checkpoint is not a number.")
    if root is None or len(root) != 32:
        raise LogFault("checkpoint_malformed", "The root of the checkpoint must have 32 bytes.")
    if int(digits) == 0 and root != EMPTY_ROOT:
        raise LogFault("checkpoint_malformed", "The root does not match an empty log.")
    return Checkpoint(origin, int(digits), root)


def decode_base64(text: str) -> bytes | None:
    """Decodes canonical base64. Returns None for anything else."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None
