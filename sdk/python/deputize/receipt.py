"""Verifies receipts offline: the log entries of one record, each with its inclusion proof."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from deputize.canonical import canonical_json
from deputize.merkle import inclusion_length, leaf_hash, verify_inclusion
from deputize.note import Checkpoint, LogFault, NoteKey, verify_checkpoint, decode_base64, read_vkey
from deputize.strict_json import MAX_SAFE_INTEGER

_ENTRY_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "created": frozenset({"action.authorized", "action.recorded"}),
    "completed": frozenset({"action.completed", "action.cancelled", "action.expired"}),
    "rated": frozenset({"action.rated"}),
}
_TYPE: Final = re.compile(r"[a-z_]+\.[a-z_]+")
_INSTANT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")


@dataclass(frozen=True)
class ReceiptEntry:
    """One proven log entry of the record: `created`, `completed` or `rated`."""

    kind: str
    index: int
    #: The leaf of the log.
    entry: dict[str, Any]


@dataclass(frozen=True)
class SoundReceipt:
    """A verified receipt."""

    aar_id: str
    checkpoint: Checkpoint
    vkey: str
    #: Whether `vkey` was pinned. Otherwise the receipt is only consistent with itself.
    is_pinned: bool
    entries: tuple[ReceiptEntry, ...]


def verify_receipt(
    receipt: object,
    *,
    vkey: str | None = None,
    witness_vkeys: Sequence[str] = (),
    quorum: int | None = None,
) -> SoundReceipt:
    """Verifies a receipt offline. Raises LogFault.

    >>> import time
    >>> deputy = Deputy("http://127.0.0.1:8420")
    >>> vkey = deputy.get_deployment()["log"]["vkey"]
    >>> token = deputy.issue_l1(developer_email="dev@example.com", agent_id="bot", resources=["a:b"], actions=["read"])
    >>> record = deputy.record_action(vat_jti=token["jti"], action="read", resource="a:b", result="success")
    >>> time.sleep(1)  # until the next checkpoint covers the record
    >>> [entry.kind for entry in verify_receipt(deputy.get_receipt(record["aar_id"]), vkey=vkey).entries]
    ['created']

    Pin `vkey`, the key of the log, from a trusted source. Without it, anyone can forge a receipt. With `witness_vkeys`,
    `quorum` of them must have cosigned (default: all).
    """
    receipt_members = _members(receipt, ("aar_id", "origin", "vkey", "checkpoint"))
    entries = receipt_members["entries"]
    if not isinstance(entries, list) or not entries:
        raise _malformed("The receipt has no entries.")
    log = _pinned(receipt_members, None if vkey is None else read_vkey(vkey))
    witnesses = [read_vkey(each) for each in witness_vkeys]
    checkpoint = verify_checkpoint(receipt_members["checkpoint"], log, witnesses, quorum)
    sound = tuple(_verified_entry(each, receipt_members["aar_id"], checkpoint) for each in entries)
    kinds = [each.kind for each in sound]
    if len(set(kinds)) < len(kinds):
        raise LogFault("receipt_repeated", f"The receipt has the entries {', '.join(kinds)}.")
    if "created" not in kinds:
        raise LogFault("receipt_incomplete", f"The receipt has only the entries {', '.join(kinds)}.")
    return SoundReceipt(receipt_members["aar_id"], checkpoint, log.vkey, vkey is not None, sound)


def _members(receipt: object, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(receipt, dict) or not all(isinstance(receipt.get(name), str) for name in names):
        raise _malformed(f"The receipt must have {', '.join(names)}.")
    return {"entries": None, **receipt}


def _pinned(receipt: Mapping[str, Any], pinned: NoteKey | None) -> NoteKey:
    try:
        own = read_vkey(receipt["vkey"])
    except ValueError:
        own = None
    if own is None or own.name != receipt["origin"]:
        raise _malformed("The verifier key must be that of the log that the receipt names.")
    if pinned is None:
        return own
    if receipt["origin"] != pinned.name:
        raise LogFault("origin_changed", f"The receipt names {receipt['origin']}, but {pinned.name} is pinned.")
    if own != pinned:
        raise LogFault("key_changed", f"The receipt names key {own.id}, but {pinned.id} is pinned.")
    return pinned


def _verified_entry(value: object, aar_id: str, checkpoint: Checkpoint) -> ReceiptEntry:
    line = _members(value, ("kind", "leaf", "leaf_hash"))
    kind, index, leaf, proof = line["kind"], line.get("index"), line["leaf"], line.get("proof")
    is_index = isinstance(index, int) and not isinstance(index, bool) and 0 <= index <= MAX_SAFE_INTEGER
    if kind not in _ENTRY_TYPES or not is_index or not isinstance(index, int) or not isinstance(proof, list):
        raise _malformed("Each entry must have a known kind, an index and a proof.")
    try:
        hashed = leaf_hash(leaf.encode("utf-8"))
    except UnicodeEncodeError:
        raise _malformed(f"Entry {index} is not valid Unicode text.") from None
    if decode_base64(line["leaf_hash"]) != hashed:
        raise LogFault("leaf_hash_wrong", f"The hash of entry {index} is wrong.")
    _check_inclusion(index, hashed, proof, checkpoint)
    entry = _read_entry(leaf, index)
    if entry.get("aar_id") != aar_id:
        raise LogFault("receipt_of_another_record", f"Entry {index} does not belong to {aar_id}.")
    if entry["type"] not in _ENTRY_TYPES[kind]:
        raise LogFault("receipt_kind_wrong", f"Entry {index} is {entry['type']}, not {kind}.")
    return ReceiptEntry(kind, index, entry)


def _check_inclusion(index: int, hashed: bytes, proof: list[Any], checkpoint: Checkpoint) -> None:
    if index >= checkpoint.size:
        raise LogFault("index_beyond_tree", f"Entry {index} is beyond the tree of {checkpoint.size} entries.")
    hashes = [decode_base64(each) if isinstance(each, str) else None for each in proof]
    if any(each is None or len(each) != 32 for each in hashes):
        raise LogFault("proof_malformed", f"The proof of entry {index} is not a list of SHA-256 hashes.")
    path = [each for each in hashes if each is not None]
    wanted = inclusion_length(index, checkpoint.size)
    if len(path) != wanted:
        place = f"The proof of entry {index} in {checkpoint.size} needs {wanted} hashes, but has {len(path)}."
        raise LogFault("proof_of_another_tree", place)
    if not verify_inclusion(index, checkpoint.size, hashed, path, checkpoint.root):
        raise LogFault("proof_wrong", f"The proof of entry {index} does not lead to the root of {checkpoint.size} entries.")


def _read_entry(leaf: str, index: int) -> dict[str, Any]:
    try:
        value = json.loads(leaf)
    except (ValueError, RecursionError):
        raise LogFault("entry_not_json", f"Entry {index} is not JSON.") from None
    try:
        is_canonical = canonical_json(value) == leaf
    except ValueError:
        is_canonical = False
    if not is_canonical:
        raise LogFault("entry_not_canonical", f"Entry {index} is not canonical JSON.")
    if not isinstance(value, dict):
        raise LogFault("entry_shape", f"Entry {index} is not an object.")
    if value.get("v") != 1:
        raise LogFault("entry_version", f"Entry {index} has an unknown version.")
    kind, at = value.get("type"), value.get("at")
    if not isinstance(kind, str) or not isinstance(at, str) or not _TYPE.fullmatch(kind) or not _INSTANT.fullmatch(at):
        raise LogFault("entry_shape", f"Entry {index} has no valid type and time.")
    return value


def _malformed(place: str) -> LogFault:
    return LogFault("receipt_malformed", place)
