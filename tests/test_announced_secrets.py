"""Passwords and keys that a text announces are found and masked, and words about passwords aren't."""

from __future__ import annotations

from pathlib import Path

import pytest
from mask_people import key_file

import piiscan
import piiscan.text

FOUND = {
    "password=hunterxx": "hunterxx",
    "user=ann password=hunter2xx ok": "hunter2xx",
    "DB_PASSWORD=s3cretpw": "s3cretpw",
    "PGPASSWORD=hunter2xx psql shop": "hunter2xx",
    '{"password": "abc12345"}': "abc12345",
    "your password is Tr0ub4dor&3, keep it": "Tr0ub4dor&3",
    "GET /login?user=ann&password=hunter2&next=/": "hunter2",
    "Passwort: Geheim123!": "Geheim123!",
    "Mot de passe : Soleil2024": "Soleil2024",
    "contraseña: Verano_99": "Verano_99",
    "пароль: Весна2024": "Весна2024",
    "machine example.org login ann password hunterxx": "hunterxx",
    "run with --password hunter2xx": "hunter2xx",
    "curl -s -u ann7:hunter2xx https://shop.example/": "hunter2xx",
    "mysql -h db -u ann7 -phunter2xx shop": "hunter2xx",
    "mysqldump -uroot -phunter2xx shop > x.sql": "hunter2xx",
    "api_key: 9f8a7b6c5d4e3f2a1b0c": "9f8a7b6c5d4e3f2a1b0c",
    "client-secret=AbCd1234EfGh5678IjKl": "AbCd1234EfGh5678IjKl",
    "Authorization: Basic cGV0ZXI6aHVudGVyMg==": "cGV0ZXI6aHVudGVyMg==",
    "sent Basic cGV0ZXI6aHVudGVyMg==": "cGV0ZXI6aHVudGVyMg==",
    "authorization: Bearer abc.def.ghi-jkl_mno": "abc.def.ghi-jkl_mno",
}
NOTHING = (
    "Password: required field",
    "The password is incorrect.",
    "Forgot your password? Click here",
    "password = getpass()",
    "curl -u $USER:$PASS https://shop.example/",
    "curl -u ann7 https://shop.example/",
    "mysql -u root -p shop",
    "mysql -u root -p$PASS shop",
    "mysql -P 3306 -h db shop",
    "password=${DB_PASSWORD}",
    "password: ********",
    "password=<your password>",
    "password: str",
    "pwd: /home/ann/data",
    "password = settings.database.password",
    "Das Passwort ist abgelaufen.",
    "contraseña: ¿olvidada?",
    "Ein Passwort vergeben und speichern",
    "The api key is shown on the next page",
    "access token: see section twelve of the manual",
)


@pytest.mark.parametrize("text", FOUND)
def test_secrets_are_found(text: str) -> None:
    found = [text[s.start : s.end] for s in piiscan.text.spans(text) if s.entity in ("PASSWORD", "SECRET")]
    assert found == [FOUND[text]]


@pytest.mark.parametrize("text", NOTHING)
def test_words_about_them_are_none(text: str) -> None:
    assert not [s for s in piiscan.text.spans(text) if s.entity in ("PASSWORD", "SECRET")]


def test_many_texts_are_read_as_one_is() -> None:
    texts = [*FOUND, *NOTHING]
    assert piiscan.text.Analyzer().batch(texts * 40) == [piiscan.text.spans(text) for text in texts] * 40


@pytest.mark.parametrize("name", ["app.log", "notes.csv"])
def test_a_scan_counts_them_and_mask_removes_them(tmp_path: Path, name: str) -> None:
    lines = [text for text in FOUND if '"' not in text and "," not in text and "Basic" not in text]  # a text in Base64
    source, out = tmp_path / name, tmp_path / f"out-{name}"
    source.write_text(
        "note\n" * name.endswith("csv") + "\n".join([*lines, *(f"all is well at {i}" for i in range(9))]) + "\n"
    )
    found = {i.entity: i.cells for t in piiscan.scan(source).tables for c in t.columns for i in c.inside}
    assert found["PASSWORD"] == len(lines) - 3 and found["SECRET"] == 3
    key_file(tmp_path)
    piiscan.mask(source, piiscan.plan(source), piiscan.Key.from_file(tmp_path / "key"), output=out)
    assert not any(FOUND[text] in out.read_text() for text in lines)
