"""Certificates, keys and messages in armour: whom they name isn't read, and that is said."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from conftest import run_piiscan

import piiscan


def string(tag: int, text: str) -> bytes:
    return bytes([tag, len(text.encode())]) + text.encode()


def named(oid: bytes, text: str, tag: int = 12) -> bytes:
    """An attribute of a name, as certificates hold it."""
    pair = b"\x06" + bytes([len(oid)]) + oid + string(tag, text)
    inner = b"\x30" + bytes([len(pair)]) + pair
    return b"\x31" + bytes([len(inner)]) + inner


def armoured(kind: str, data: bytes) -> str:
    return f"-----BEGIN {kind}-----\n{base64.encodebytes(data).decode()}-----END {kind}-----\n"


NUMBERS = bytes(range(1, 250, 7)) * 8
COMMON_NAME, SURNAME, MAIL = b"\x55\x04\x03", b"\x55\x04\x04", b"\x2a\x86\x48\x86\xf7\x0d\x01\x09\x01"
NAMING = {
    "a common name": ("CERTIFICATE", NUMBERS + named(COMMON_NAME, "Piotr Nowak") + NUMBERS),
    "a printable name": ("CERTIFICATE", NUMBERS + named(COMMON_NAME, "Anna Kowalska", 19) + NUMBERS),
    "a surname": ("CERTIFICATE REQUEST", NUMBERS + named(SURNAME, "Qwxyz") + NUMBERS),
    "mail": ("TRUSTED CERTIFICATE", NUMBERS + named(MAIL, "info@post.example", 22) + NUMBERS),
    "a key of PGP": ("PGP PUBLIC KEY BLOCK", NUMBERS + b"\xb4\x20Somebody <somebody@post.example>" + NUMBERS),
    "a message": ("PGP MESSAGE", NUMBERS),
}
NAMELESS = {
    "of a host": ("CERTIFICATE", NUMBERS + named(COMMON_NAME, "www.post.example") + NUMBERS),
    "of a firm": ("CERTIFICATE", NUMBERS + named(COMMON_NAME, "Global Trust Root R3") + NUMBERS),
    "a public key": ("PUBLIC KEY", NUMBERS),
    "parameters": ("DH PARAMETERS", NUMBERS),
}
AROUND = {"alone": ("", ""), "in a text": ("The keys of our servers:\n\n", "\nThese are all.\n")}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("name", [*NAMING, *NAMELESS])
def test_who_is_named_in_armour_was_not_read(name: str, around: str, tmp_path: Path) -> None:
    before, behind = AROUND[around]
    path = tmp_path / "keys.txt"
    path.write_text(before + armoured(*{**NAMING, **NAMELESS}[name]) + behind)
    report = piiscan.scan(path)
    said = [entry.reason for entry in report.not_scanned]
    if name in NAMELESS:
        assert not said
        return
    assert len(said) == 1 and said[0].startswith("1 certificate, key or message holds names or texts")


def test_text_behind_a_signed_message_is_read_as_before(tmp_path: Path) -> None:
    """It begins in armour and ends in that of its signature, so that no end is its own."""
    path = tmp_path / "signed.txt"
    said = base64.b64encode(b"write to somebody@post.example today").decode()
    path.write_text(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHello there.\n"
        + armoured("PGP SIGNATURE", NUMBERS)
        + f"And this came later.\n{said}\n"
    )
    (entry,) = piiscan.scan(path).not_scanned
    assert entry.reason.startswith("1 line holds text in Base64")


def test_a_file_of_certificates_is_a_text_and_counts_them(tmp_path: Path) -> None:
    path = tmp_path / "all.pem"
    path.write_text("".join(armoured(*one) for one in (*NAMING.values(), *NAMELESS.values())))
    done = run_piiscan("scan", path)
    assert done.returncode == 3
    assert "6 certificates, keys or messages hold names or texts in Base64" in " ".join(done.stdout.split())
    assert piiscan.scan(path).tables[0].format == "text"
