"""A receipt: one record, the moments at which the log told of it, and the proof of each. Judged without any network."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deputize.canonical import canonical_json
from deputize.merkle import inclusion_length, leaf_hash, verify_inclusion
from deputize.note import Checkpoint, LogFault, NoteKey, believe_checkpoint, decode_base64, read_vkey
from deputize.strict_json import MAX_SAFE_INTEGER

_MOMENTS: Final[Mapping[str, frozenset[str]]] = {
    "created": frozenset({"action.authorized", "action.recorded"}),
    "completed": frozenset({"action.completed", "action.cancelled", "action.expired"}),
    "rated": frozenset({"action.rated"}),
}
_TYPE: Final = re.compile(r"[a-z_]+\.[a-z_]+")
_INSTANT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


@dataclass(frozen=True)
class ReceiptEntry:
    kind: str
    index: int
    #: The leaf of the log.
    entry: dict[str, Any]


@dataclass(frozen=True)
class SoundReceipt:
    aar_id: str
    checkpoint: Checkpoint
    vkey: str
    #: Whether the key was pinned beforehand; otherwise the receipt only agrees with itself.
    is_pinned: bool
    entries: tuple[ReceiptEntry, ...]


def verify_receipt(
    receipt: object,
    *,
    vkey: str | None = None,
    witness_vkeys: Sequence[str] = (),
    quorum: int | None = None,
) -> SoundReceipt:
    """What a receipt proves, or a LogFault. Pin `vkey`, the key of the log: without it anybody can make a receipt."""
    told = _members(receipt, ("aar_id", "origin", "vkey", "checkpoint"))
    entries = told["entries"]
    if not isinstance(entries, list) or not entries:
        raise _malformed("It lacks entries.")
    log = _pinned(told, None if vkey is None else read_vkey(vkey))
    witnesses = [read_vkey(each) for each in witness_vkeys]
    checkpoint = believe_checkpoint(told["checkpoint"], log, witnesses, quorum)
    sound = tuple(_sound_entry(each, told["aar_id"], checkpoint) for each in entries)
    kinds = [each.kind for each in sound]
    if len(set(kinds)) < len(kinds):
        raise LogFault("receipt_repeated", f"It shows {', '.join(kinds)}.")
    if "created" not in kinds:
        raise LogFault("receipt_incomplete", f"It shows {', '.join(kinds)}.")
    return SoundReceipt(told["aar_id"], checkpoint, log.vkey, vkey is not None, sound)


def _members(receipt: object, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(receipt, dict) or not all(isinstance(receipt.get(name), str) for name in names):
        raise _malformed(f"It lacks one of {', '.join(names)}.")
    return {"entries": None, **receipt}


def _pinned(told: Mapping[str, Any], pinned: NoteKey | None) -> NoteKey:
    try:
        own = read_vkey(told["vkey"])
    except ValueError:
        own = None
    if own is None or own.name != told["origin"]:
        raise _malformed("It names no key of the log it is from.")
    if pinned is None:
        return own
    if told["origin"] != pinned.name:
        raise LogFault("origin_changed", f"It says {told['origin']}, and {pinned.name} is pinned.")
    if own != pinned:
        raise LogFault("key_changed", f"It names key {own.id}, and {pinned.id} is pinned.")
    return pinned


def _sound_entry(value: object, aar_id: str, checkpoint: Checkpoint) -> ReceiptEntry:
    line = _members(value, ("kind", "leaf", "leaf_hash"))
    kind, index, leaf, proof = line["kind"], line.get("index"), line["leaf"], line.get("proof")
    is_index = isinstance(index, int) and not isinstance(index, bool) and 0 <= index <= MAX_SAFE_INTEGER
    if kind not in _MOMENTS or not is_index or not isinstance(index, int) or not isinstance(proof, list):
        raise _malformed("An entry lacks a known kind, an index or a proof.")
    try:
        hashed = leaf_hash(leaf.encode("utf-8"))
    except UnicodeEncodeError:
        raise _malformed(f"Entry {index} is no text.") from None
    if decode_base64(line["leaf_hash"]) != hashed:
        raise LogFault("leaf_hash_wrong", f"It is entry {index}.")
    _check_inclusion(index, hashed, proof, checkpoint)
    entry = _read_entry(leaf, index)
    if entry.get("aar_id") != aar_id:
        raise LogFault("receipt_of_another_record", f"Entry {index} is not of {aar_id}.")
    if entry["type"] not in _MOMENTS[kind]:
        raise LogFault("receipt_kind_wrong", f"Entry {index} is {entry['type']}, not {kind}.")
    return ReceiptEntry(kind, index, entry)


def _check_inclusion(index: int, hashed: bytes, proof: list[Any], checkpoint: Checkpoint) -> None:
    if index >= checkpoint.size:
        raise LogFault("index_beyond_tree", f"It is entry {index} in a tree of {checkpoint.size} entries.")
    hashes = [decode_base64(each) if isinstance(each, str) else None for each in proof]
    if any(each is None or len(each) != 32 for each in hashes):
        raise LogFault("proof_malformed", f"It is the proof of entry {index}.")
    path = [each for each in hashes if each is not None]
    wanted = inclusion_length(index, checkpoint.size)
    if len(path) != wanted:
        place = f"Entry {index} of {checkpoint.size} takes {wanted} hashes, and there are {len(path)}."
        raise LogFault("proof_of_another_tree", place)
    if not verify_inclusion(index, checkpoint.size, hashed, path, checkpoint.root):
        raise LogFault("proof_wrong", f"It is the proof of entry {index} in a tree of {checkpoint.size} entries.")


def _read_entry(leaf: str, index: int) -> dict[str, Any]:
    try:
        value = json.loads(leaf)
    except (ValueError, RecursionError):
        raise LogFault("entry_not_json", f"It is entry {index}.") from None
    try:
        is_canonical = canonical_json(value) == leaf
    except ValueError:
        is_canonical = False
    if not is_canonical:
        raise LogFault("entry_not_canonical", f"It is entry {index}.")
    if not isinstance(value, dict):
        raise LogFault("entry_shape", f"It is entry {index}.")
    if value.get("v") != 1:
        raise LogFault("entry_version", f"It is entry {index}.")
    kind, at = value.get("type"), value.get("at")
    if not isinstance(kind, str) or not isinstance(at, str) or not _TYPE.fullmatch(kind) or not _INSTANT.fullmatch(at):
        raise LogFault("entry_shape", f"It is entry {index}.")
    return value


def _malformed(place: str) -> LogFault:
    return LogFault("receipt_malformed", place)
