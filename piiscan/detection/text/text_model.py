"""The shipped model: plain arrays, checked by digest before they are used."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from piiscan.core import resources
from piiscan.core.errors import ModelError
from piiscan.core.stored_arrays import stored_arrays

FILE: Final = "text.npz"
SHA256: Final = "7a4ad8dd820dcd2edb987fbd2b224ecbb07a23b2c9e818aab06ecc9adf3fcbb6"
"""Of the shipped file; `models/train_text.py` writes it here."""
VERSION: Final = 2
SCALE: Final = 1000
"""A weight of one, in a file and while weights are added."""

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
_FIRST_BITS: Final = 16
_REST_BITS: Final = 32 - _FIRST_BITS


class Index:
    """Where keys stand among ascending ones: a table of where those with the same first bits begin."""

    def __init__(self, keys: NDArray[np.uint32]) -> None:
        self.keys = keys
        self._first = np.zeros((1 << _FIRST_BITS) + 1, dtype=np.int32)
        np.cumsum(np.bincount(keys >> _REST_BITS, minlength=1 << _FIRST_BITS), out=self._first[1:])

    def rows(self, queries: NDArray[np.uint32]) -> Ids:
        """The place of each key, −1 where it is unknown."""
        out = np.full(len(queries), -1, dtype=np.int64)
        if not len(self.keys):
            return out
        begin = queries >> _REST_BITS
        at = self._first[begin]
        left = np.flatnonzero(at < self._first[begin + 1])
        at, stop, queries = at[left], self._first[begin[left] + 1], queries[left]
        while len(left):
            right = self.keys[at] == queries
            out[left[right]] = at[right]
            at += 1
            more = np.flatnonzero(~right & (at < stop))
            left, at, stop, queries = left[more], at[more], stop[more], queries[more]
        return out


@dataclass(frozen=True, eq=False, repr=False)
class TextModel:
    """A linear-chain CRF.

    `labels`: O, and B- and I- of each entity. `keys`: of every feature (`features.key`), ascending; `weights`:
    (features + 1, labels), in thousandths, the last row zero, for unknown features. `transitions`: (labels, labels),
    from the row to the column.
    `listed`: CRC-32 of every listed word, ascending; `lists`: a bit a list (`features.In`).
    """

    labels: tuple[str, ...]
    keys: NDArray[np.uint32]
    weights: NDArray[np.int16]
    transitions: Floats
    listed: NDArray[np.uint32]
    lists: NDArray[np.uint16]

    @cached_property
    def features(self) -> Index:
        return Index(self.keys)

    @cached_property
    def words(self) -> Index:
        return Index(self.listed)

    def lists_of(self, hashes: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """The lists of words by hash."""
        at = self.words.rows(hashes)
        found: NDArray[np.uint16] = np.where(at < 0, np.uint16(0), self.lists[at])
        return found


def pack(model: TextModel) -> bytes:
    """The file of a model."""
    stream = io.BytesIO()
    meta = {"version": VERSION, "labels": list(model.labels)}
    np.savez(  # inflating would take longer than a small scan can wait
        stream,
        meta=np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8),
        keys=model.keys,
        weights=model.weights,
        transitions=model.transitions,
        listed=model.listed,
        lists=model.lists,
    )
    return stream.getvalue()


def unpack(data: bytes) -> TextModel:
    """The model in a file's bytes. Raises `ModelError` where the file is of another version."""
    arrays = stored_arrays(data)
    meta = json.loads(arrays["meta"].tobytes())
    if meta["version"] != VERSION:
        raise ModelError(
            f"the model {FILE} has version {meta['version']}, this piiscan reads version {VERSION}; reinstall it"
        )
    return TextModel(
        tuple(meta["labels"]),
        *(arrays[name] for name in ("keys", "weights", "transitions", "listed", "lists")),  # type: ignore[arg-type]
    )


def load(path: Path, sha256: str) -> TextModel:
    """The model in `path`. Raises `ModelError` where it is missing or its digest isn't `sha256`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"the model {path.name} can't be read ({error.strerror}); reinstall piiscan") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelError(
            f"the model {path.name} isn't the one that belongs to this piiscan: its SHA-256 differs; reinstall piiscan"
        )
    return unpack(data)


@cache
def shipped() -> TextModel:
    """The model that comes with piiscan."""
    return load(resources.folder("models") / FILE, SHA256)
