"""Inclusion proofs in Merkle trees (RFC 6962, RFC 9162) over SHA-256."""

import hashlib
from collections.abc import Sequence
from typing import Final

EMPTY_ROOT: Final = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def verify_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Verifies a leaf hash by RFC 9162 section 2.1.3.2. Returns False for malformed proofs."""
    if not 0 <= index < size or any(len(each) != 32 for each in [leaf, *proof]):
        return False
    node, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if node % 2 == 1 or node == last:
            computed = node_hash(sibling, computed)
            while node % 2 == 0 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            computed = node_hash(computed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and computed == root


def inclusion_length(index: int, size: int) -> int:
    """Returns the number of hashes in the inclusion proof of leaf `index` in a tree of `size`."""
    start, end, length = 0, size, 0
    while end - start > 1:
        middle = start + (1 << (end - start - 1).bit_length() - 1)
        start, end = (start, middle) if index < middle else (middle, end)
        length += 1
    return length
