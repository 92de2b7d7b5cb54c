"""The vault: an encrypted file of codes and their originals, or of what is known about people.

Codes are random, not derived from originals; `remember` stores who the people of some tables are.

The file is a line with its version and then a section for each domain: a label of 16 bytes, a length of 8 bytes
(big-endian), a nonce of 12 bytes, and a table of two text columns (Arrow IPC) sealed by AES-256-GCM with version and
label as associated data. Key and label come from the domain's subkey, so who holds the subkey of one domain reads that
domain only. The file is written anew each time, whole or not at all, for its owner alone, and one writer waits for the
other.

Guarantee: assumes a secret key, and a file system with locks. Ensures that the file holds originals encrypted only;
that a section which was changed is refused; that what one writer added under a key the next one sees, and what another
key sealed stays. Does not protect against an older copy of the file put in its place, nor against loss: without the
file no code leads back, so keep copies of it.
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from piiscan.core.errors import UsageError
from piiscan.core.whole_file import write_whole

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey

_VERSION: Final = b"piiscan vault 1\n"
_OTHER: Final = re.compile(rb"piiscan vault (\d{1,9})\n")
_LABEL: Final = 16
_NONCE: Final = 12
_HEAD: Final = struct.Struct(f">{_LABEL}sQ")
_PATIENCE: Final = 60.0
"""Seconds to wait for another writer."""


def read(path: Path, key: Subkey) -> pl.DataFrame:
    """The domain's entries: String columns `original` and `code`, each without repetition. Raises `UsageError`."""
    return _opened(path, _sections(path), key)


def assign(path: Path, key: Subkey, originals: pl.Series, make: Callable[[int], pl.Series]) -> pl.Series:
    """The code of each original (String, distinct, no nulls), in their order.

    New ones get codes that `make` makes, so many at a time, and that no other original has. Raises `UsageError`; then
    the file is as it was.
    """
    import polars as pl

    with _locked(path):
        sections = _sections(path)
        known = _opened(path, sections, key)
        requested = pl.DataFrame({"original": originals})
        missing = requested.join(known, on="original", how="anti", maintain_order="left")
        if len(missing):
            codes = _fresh(known["code"], len(missing), make)
            known = pl.concat([known, missing.with_columns(code=codes)])
            _write(path, {**sections, _label(key): _sealed(known, key)})
    return requested.join(known, on="original", how="left", maintain_order="left")["code"]


def remember(path: Path, key: Subkey, found: pl.DataFrame) -> pl.DataFrame:
    """Add entries, and give all of them: of two for one `original`, the earlier counts.

    Raises `UsageError`; then the file is as it was.
    """
    import polars as pl

    with _locked(path):
        sections = _sections(path)
        known = _opened(path, sections, key)
        fresh = found.join(known, on="original", how="anti", maintain_order="left")
        if len(fresh):
            known = pl.concat([known, fresh.select(known.columns)])
            _write(path, {**sections, _label(key): _sealed(known, key)})
    return known


def originals(path: Path, key: Subkey, codes: pl.Series) -> pl.Series:
    """The original of each code, null for one that isn't in the vault. Raises `UsageError`."""
    import polars as pl

    return pl.DataFrame({"code": codes}).join(read(path, key), on="code", how="left", maintain_order="left")["original"]


def _fresh(taken: pl.Series, n: int, make: Callable[[int], pl.Series]) -> pl.Series:
    """Codes that differ from each other and from those taken."""
    import polars as pl

    found = pl.Series("code", [], dtype=pl.String)
    for _ in range(100):
        more = pl.concat([found, make(n - len(found)).alias("code")]).unique(maintain_order=True)
        found = more.filter(~more.is_in(taken.implode()))
        if len(found) == n:
            return found
    raise UsageError("the vault: there are too few codes of this length for so many values; make them longer")


def _label(key: Subkey) -> bytes:
    return key.derive("vault", "label").secret[:_LABEL]


def _sealed(entries: pl.DataFrame, key: Subkey) -> bytes:
    from io import BytesIO

    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    plain = BytesIO()
    entries.write_ipc(plain, compression="uncompressed")
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key.derive("vault", "seal").secret).encrypt(nonce, plain.getvalue(), _VERSION + _label(key))


def _opened(path: Path, sections: dict[bytes, bytes], key: Subkey) -> pl.DataFrame:
    from io import BytesIO

    import polars as pl
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    raw = sections.get(_label(key))
    if raw is None:
        return pl.DataFrame(schema={"original": pl.String, "code": pl.String})
    try:
        plain = AESGCM(key.derive("vault", "seal").secret).decrypt(raw[:_NONCE], raw[_NONCE:], _VERSION + _label(key))
    except (InvalidTag, ValueError):
        raise UsageError(f"vault {path}: it was changed or damaged; restore a backup of it") from None
    return pl.read_ipc(BytesIO(plain))


def _sections(path: Path) -> dict[bytes, bytes]:
    try:
        raw = path.read_bytes()
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise UsageError(f"vault {path}: others than its owner may use it; type: chmod 600 {path}")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"vault {path}: {error.strerror}") from None
    if not raw.startswith(_VERSION):
        other = _OTHER.match(raw)
        if other is None:
            raise UsageError(f"vault {path}: it isn't a vault of piiscan; name another file")
        raise UsageError(
            f"vault {path}: it was written by another version of piiscan (vault {other[1].decode()}; this one "
            "reads vault 1); use that version"
        )
    sections, at = {}, len(_VERSION)
    while at < len(raw):
        if at + _HEAD.size > len(raw):
            raise UsageError(f"vault {path}: it is truncated; restore a backup of it")
        label, size = _HEAD.unpack_from(raw, at)
        at += _HEAD.size
        if at + size > len(raw):
            raise UsageError(f"vault {path}: it is truncated; restore a backup of it")
        sections[label] = raw[at : at + size]
        at += size
    return sections


def _write(path: Path, sections: dict[bytes, bytes]) -> None:
    parts = (_HEAD.pack(label, len(sealed)) + sealed for label, sealed in sorted(sections.items()))
    try:
        write_whole(path, b"".join((_VERSION, *parts)), private=True)
    except OSError as error:
        raise UsageError(f"vault {path}: can't be written: {error.strerror}") from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the vault, also against other threads of this process.

    If a process dies, the operating system releases its lock.
    """
    lock = path.with_name(f"{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise UsageError(f"vault {path}: can't be locked: {error.strerror}") from None
    try:
        deadline = time.monotonic() + _PATIENCE
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise UsageError(
                    f"vault {path}: another process has been writing to it for {_PATIENCE:.0f} seconds; try "
                    "again when it is done"
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    import sys

    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
