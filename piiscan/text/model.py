"""The shipped model: plain arrays, checked by digest before they are used."""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from piiscan import resources
from piiscan.errors import ModelError

FILE: Final = "text.npz"
SHA256: Final = "7b4b88f153b9eeecb9104b6f04c98177de55f26795c481c62cc657170c2f9079"
"""Of the shipped file; `models/train_text.py` writes it here."""
VERSION: Final = 1

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A linear-chain CRF.

    `labels`: O, and B- and I- of each entity. `keys`: CRC-32 of every feature, ascending; `weights`: (features, labels).
    `transitions`: (labels, labels), from the row to the column. `listed`: CRC-32 of every listed word, ascending; `lists`: a
    bit a list (`features.In`).
    """

    labels: tuple[str, ...]
    keys: NDArray[np.uint32]
    weights: Floats
    transitions: Floats
    listed: NDArray[np.uint32]
    lists: NDArray[np.uint16]
    digest: str

    def weights_of(self, hashes: NDArray[np.uint32]) -> Floats:
        """The weights of features by hash, (hashes, labels); zero for unknown ones."""
        found: Floats = _found(self.keys, self.weights, hashes)
        return found

    def lists_of(self, hashes: NDArray[np.uint32]) -> NDArray[np.uint16]:
        """The lists of words by hash."""
        found: NDArray[np.uint16] = _found(self.listed, self.lists, hashes)
        return found


def _found(keys: NDArray[np.uint32], values: Any, hashes: NDArray[np.uint32]) -> Any:
    at = np.searchsorted(keys, hashes)
    at[at == len(keys)] = 0
    out = values[at]
    out[keys[at] != hashes] = 0
    return out


def pack(model: Model) -> bytes:
    """The file of a model; weights are kept to a thousandth."""
    scaled = np.rint(model.weights * 1000)
    meta = {"version": VERSION, "labels": list(model.labels)}
    stream = io.BytesIO()
    np.savez(  # inflating would take longer than a small scan can wait
        stream,
        meta=np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8),
        keys=np.diff(model.keys, prepend=np.uint32(0)),
        weights=np.ascontiguousarray(np.clip(scaled, -32767, 32767).astype(np.int16).T),
        transitions=model.transitions,
        listed=np.diff(model.listed, prepend=np.uint32(0)),
        lists=model.lists,
    )
    return stream.getvalue()


def unpack(data: bytes) -> Model:
    """The model in a file's bytes. Raises `ModelError` where the file is of another version."""
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        meta = json.loads(arrays["meta"].tobytes())
        if meta["version"] != VERSION:
            raise ModelError(f"the model {FILE} has version {meta['version']}, this piiscan reads version {VERSION}; reinstall it")
        return Model(
            tuple(meta["labels"]),
            np.cumsum(arrays["keys"], dtype=np.uint32),
            np.ascontiguousarray(arrays["weights"].T.astype(np.float32) / np.float32(1000)),
            arrays["transitions"].astype(np.float32),
            np.cumsum(arrays["listed"], dtype=np.uint32),
            arrays["lists"].astype(np.uint16),
            hashlib.sha256(data).hexdigest(),
        )


def load(path: Path, sha256: str) -> Model:
    """The model in `path`. Raises `ModelError` where it is missing or its digest isn't `sha256`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"the model {path.name} can't be read ({error.strerror}); reinstall piiscan") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelError(f"the model {path.name} isn't the one that belongs to this piiscan: its SHA-256 differs; reinstall piiscan")
    return unpack(data)


@cache
def shipped() -> Model:
    """The model that comes with piiscan."""
    return load(resources.folder("models") / FILE, SHA256)
