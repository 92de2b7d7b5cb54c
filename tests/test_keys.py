"""Keys: read from where they are, shown nowhere, and the command that makes them."""

from __future__ import annotations

import base64
import copy
import os
import pickle
import shlex
import stat
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from conftest import Run, run_piiscan
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from piiscan.core import keys
from piiscan.core.errors import UsageError
from piiscan.core.keys import Key, Subkey

SECRET = bytes(range(7, 39))
TEXT = base64.urlsafe_b64encode(SECRET).decode()
FORMS = (
    SECRET.hex(),
    TEXT,
    TEXT.rstrip("="),
    base64.b64encode(SECRET).decode(),
    repr(SECRET),
    SECRET.decode("latin-1"),
)


def shows(text: str) -> bool:
    return any(form in text for form in FORMS)


def echo(text: str) -> str:
    return f"command:{shlex.quote(sys.executable)} -c {shlex.quote(f'print({text!r})')}"


@pytest.mark.parametrize(
    "text",
    [TEXT, TEXT.rstrip("="), SECRET.hex(), SECRET.hex().upper(), base64.b64encode(SECRET).decode(), f"  {TEXT}\n\n"],
)
def test_every_way_to_write_a_key_and_every_place_for_it(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    file.chmod(0o600)
    monkeypatch.setenv("PIISCAN_KEY", text)
    monkeypatch.setenv("OTHER", text)
    found = [keys.Key.load(spec).id for spec in (None, "env:PIISCAN_KEY", "env:OTHER", f"file:{file}", echo(text))]
    assert set(found) == {Key(SECRET).id}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "isn't set"),
        (SECRET[:31].hex(), "31 bytes, fewer than 32"),
        ("correct horse battery staple, and more of that kind", "no key in url-safe base64 or hex"),
        ("00" * 32, "isn't random"),
        ("ab" * 40, "isn't random"),
        ("ключ" * 20, "no key in url-safe base64 or hex"),
    ],
)
def test_what_is_no_key(text: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIISCAN_KEY", text)
    with pytest.raises(UsageError, match=says) as error:
        keys.Key.load()
    assert "piiscan key new" in str(error.value)
    assert not text or text not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (TEXT, "name a key as env:NAME, file:PATH or command:CMD"),
        (f"env:{TEXT}", "the environment variable that was named isn't set"),
        ("env:", "name a key as"),
        ("file:missing", "No such file"),
        ("command:", "name a key as"),
        ("command:'", "a quotation mark is missing"),
        ("command:no-such-program --password hunter2", "no-such-program: No such file"),
        (f"command:{shlex.quote(sys.executable)} -c 'exit(3)' hunter2", "ended with status 3"),
    ],
)
def test_specs_that_lead_nowhere(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        keys.Key.load(spec)
    shown = "".join(traceback.format_exception(error.value, chain=True)).rpartition("piiscan.core.errors")[2]
    assert not shows(shown)
    assert "hunter2" not in shown


def test_a_command_runs_without_a_shell(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        keys.Key.load(f"command:echo {TEXT} > {tmp_path / 'leak'}; true")
    assert not (tmp_path / "leak").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610, 0o644])
def test_a_file_that_others_may_use_is_refused(mode: int, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(TEXT)
    file.chmod(mode)
    with pytest.raises(UsageError, match="chmod 600"):
        keys.Key.load(f"file:{file}")


def test_nothing_shows_a_key() -> None:
    key = Key(SECRET)
    sub = key.subkey("US_SSN")
    for shown in (repr(key), str(key), f"{key}", repr([sub, {1: key}]), repr(sub), key.id):
        assert not shows(shown)
        assert sub.secret.hex() not in shown
    assert repr(key) == f"<Key {key.id}>"
    assert not hasattr(key, "__dict__")
    assert not hasattr(sub, "__dict__")


def test_the_id_reveals_keys_apart_and_is_stable() -> None:
    assert Key(SECRET).id == Key(SECRET).id != Key(SECRET[::-1]).id
    assert len(Key(SECRET).id) == 16
    assert Key(SECRET).id not in Key(SECRET).subkey("id").secret.hex()


def test_subkeys_are_hkdf() -> None:
    """RFC 5869 by another road: the info is spelled out here."""
    info = b"piiscan/1/subkey" + b"\0\0\0\x01a" + b"\0\0\0\x02bc"
    assert Key(SECRET).subkey("a", "bc").secret == HKDF(SHA256(), 32, salt=None, info=info).derive(SECRET)


def test_domains_and_uses_have_keys_of_their_own() -> None:
    key = Key(SECRET)
    found = [
        key.subkey("a", "bc"),
        key.subkey("ab", "c"),
        key.subkey("abc"),
        key.subkey("a", "bc", ""),
        key.subkey("abc").derive("x"),
        key.subkey("abc").derive(),
        key.subkey("abc").derive("x", "y"),
        key.subkey("abc").derive("xy"),
        Key(SECRET[::-1]).subkey("abc"),
    ]
    assert len({sub.secret for sub in found}) == len(found)
    assert all(len(sub.secret) == 32 for sub in found)
    with pytest.raises(UsageError):
        key.subkey()
    with pytest.raises(UsageError):
        key.subkey("")


def test_a_key_from_a_spec_travels_as_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIISCAN_KEY", TEXT)
    key = keys.Key.load()
    sent = pickle.dumps(key)
    assert SECRET not in sent
    assert not shows(sent.decode("latin-1"))
    assert pickle.loads(sent).subkey("x").secret == key.subkey("x").secret
    monkeypatch.setenv("PIISCAN_KEY", SECRET[::-1].hex())
    with pytest.raises(UsageError, match=f"{key.id} is needed"):
        pickle.loads(sent)


def test_a_key_made_from_bytes_does_not_travel() -> None:
    with pytest.raises(UsageError, match=r'piiscan\.Key\.load\("env:NAME"\)'):
        pickle.dumps(Key(SECRET))
    with pytest.raises(UsageError, match="send the Key"):
        pickle.dumps(Key(SECRET).subkey("x"))
    with pytest.raises(UsageError):
        copy.deepcopy(Subkey(SECRET))


def test_key_new_writes_a_file_for_its_owner_and_never_over_another(piiscan: Run, tmp_path: Path) -> None:
    file = tmp_path / "my.key"
    done = piiscan("key", "new", "-o", file)
    assert (done.returncode, done.stdout) == (0, "")
    text = file.read_text().strip()
    assert text not in done.stderr
    assert len(base64.urlsafe_b64decode(text)) == 32
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert f"key {keys.Key.load(f'file:{file}').id}" in done.stderr
    again = piiscan("key", "new", "-o", file)
    assert again.returncode == 2
    assert "never overwritten" in again.stderr
    assert file.read_text().strip() == text
    shown = piiscan("key", "id", "--key", f"file:{file}")
    assert (shown.returncode, shown.stdout) == (0, f"{keys.Key.load(f'file:{file}').id}\n")


def test_key_new_prints_a_different_key_each_time(piiscan: Run) -> None:
    first, second = piiscan("key", "new"), piiscan("key", "new")
    assert first.stdout != second.stdout
    assert len(keys.Key(base64.urlsafe_b64decode(first.stdout.strip())).id) == 16


def test_key_id_without_a_key_says_what_to_do() -> None:
    done = run_piiscan("key", "id")
    assert done.returncode == 2
    assert "PIISCAN_KEY isn't set" in done.stderr
    assert "piiscan key new" in done.stderr


def test_a_key_on_the_command_line_is_refused_and_not_repeated() -> None:
    done = run_piiscan("key", "id", "--key", TEXT)
    assert done.returncode == 2
    assert not shows(done.stdout + done.stderr)


def test_keys_load_without_cryptography_or_numpy() -> None:
    code = "import piiscan.core.keys, sys; print(*{n.partition('.')[0] for n in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"cryptography", "numpy", "polars"} & set(done.stdout.split())
