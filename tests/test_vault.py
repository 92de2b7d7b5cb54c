"""The vault: codes drawn at random and kept, originals nowhere in the clear, one writer at a time, whole or not at
all."""

from __future__ import annotations

import os
import stat
import threading
from multiprocessing import get_context
from pathlib import Path

import polars as pl
import pytest

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.masking import vault
from piiscan.masking.operators.code import Code

SECRET = bytes(range(60, 92))
KEY = Key(SECRET).subkey("US_SSN")
OTHER = Key(SECRET).subkey("PERSON")
VALUES = pl.Series([f"Ada Lovelace {i:04}" for i in range(300)])


@pytest.fixture
def op(tmp_path: Path) -> Code:
    return Code(vault=str(tmp_path / "codes"))


def file_of(op: Code) -> Path:
    return Path(op.vault)


def test_codes_are_kept_and_lead_back(op: Code) -> None:
    masks = op.mask(VALUES, KEY)
    assert masks.n_unique() == len(VALUES)
    assert masks.str.contains("^[0-9a-hjkmnp-tv-z]{16}$").all()
    assert op.mask(VALUES.reverse(), KEY).reverse().to_list() == masks.to_list()
    more = op.mask(pl.Series(["new", "", VALUES[7]]), KEY)
    assert more.to_list()[1:] == ["", masks[7]]
    assert op.unmask(masks, KEY).to_list() == VALUES.to_list()
    assert op.declares(masks, KEY).all()
    assert not op.declares(VALUES, KEY).any()


def test_codes_are_not_derived_from_values_or_keys(tmp_path: Path) -> None:
    first, second = (Code(vault=str(tmp_path / n)).mask(VALUES, KEY) for n in "ab")
    assert not set(first) & set(second)


def test_originals_stand_in_it_encrypted_only(op: Code) -> None:
    op.mask(VALUES, KEY)
    raw = file_of(op).read_bytes()
    for value in (*VALUES, SECRET.decode("latin-1")):
        for encoding in ("utf-8", "utf-16-le", "latin-1"):
            assert value.encode(encoding) not in raw
    assert b"Lovelace" not in raw
    for code in op.mask(VALUES, KEY):
        assert code.encode() not in raw
    assert KEY.secret not in raw


def test_domains_are_apart(op: Code) -> None:
    ours, theirs = op.mask(VALUES, KEY), op.mask(VALUES, OTHER)
    assert not set(ours) & set(theirs)
    assert not op.declares(ours, OTHER).any()
    assert op.unmask(ours, KEY).to_list() == VALUES.to_list()
    with pytest.raises(UsageError, match="300 of 300 distinct codes aren't in it") as error:
        op.unmask(ours, OTHER)
    assert "Ada" not in str(error.value)
    assert len(vault.read(file_of(op), Key(SECRET[::-1]).subkey("US_SSN"))) == 0


def test_every_change_is_noticed(op: Code) -> None:
    op.mask(VALUES.head(1), KEY)
    good = file_of(op).read_bytes()
    label = range(16, 32)  # a changed label is a section of nobody's
    for at in range(0, len(good), 7):
        if at in label:
            continue
        file_of(op).write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(UsageError, match="vault"):
            op.mask(VALUES.head(2), KEY)
    for cut in (1, 17, 40, len(good) - 1):
        file_of(op).write_bytes(good[:cut])
        with pytest.raises(UsageError, match="vault"):
            op.mask(VALUES.head(2), KEY)


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_for_its_owner_alone(op: Code) -> None:
    op.mask(VALUES, KEY)
    assert stat.S_IMODE(file_of(op).stat().st_mode) == 0o600
    file_of(op).chmod(0o640)
    with pytest.raises(UsageError, match="chmod 600"):
        op.mask(VALUES, KEY)


def test_a_failed_write_leaves_the_vault_as_it_was(op: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    op.mask(VALUES.head(3), KEY)
    before = file_of(op).read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left on device"):
        op.mask(VALUES, KEY)
    monkeypatch.undo()
    assert file_of(op).read_bytes() == before
    assert {p.name for p in file_of(op).parent.iterdir()} == {"codes", "codes.lock"}


def _mask(path: str, start: int) -> list[str]:
    return Code(vault=path).mask(VALUES.slice(start, 200), Key(SECRET).subkey("US_SSN")).to_list()


def test_two_writers_agree(op: Code) -> None:
    """Processes and threads that mask overlapping values at once give them the same codes, and lose none."""
    starts = [0, 50, 100, 0]
    with get_context("spawn").Pool(2) as pool:
        found = pool.starmap(_mask, [(op.vault, start) for start in starts])
    threads = [threading.Thread(target=lambda s=start: found.append(_mask(op.vault, s))) for start in starts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = op.mask(VALUES, KEY).to_list()
    assert all(codes in [whole[s : s + 200] for s in starts] for codes in found)
    assert len(vault.read(file_of(op), KEY)) == len(VALUES)


def test_another_writer_is_waited_for_but_not_for_ever(op: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vault, "_PATIENCE", 0.1)
    with vault._locked(file_of(op)), pytest.raises(UsageError, match="another process"):
        op.mask(VALUES, KEY)
    assert len(op.mask(VALUES, KEY)) == 300


@pytest.mark.parametrize(("length", "says"), [(11, "12 to 64"), (65, "12 to 64")])
def test_wrong_lengths(length: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Code(length=length)


def test_codes_that_run_out(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="too few codes"):
        vault.assign(tmp_path / "v", KEY, VALUES, lambda n: pl.Series(["same"] * n))
    assert not (tmp_path / "v").exists()
