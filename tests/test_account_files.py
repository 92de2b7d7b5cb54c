"""Files of accounts and logins name users under no header, and are masked where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from mask_people import key_file
from mask_people import piiscan as run

import piiscan
from piiscan.io.documents import netrc_text

SHA = "$6$saltsalt$" + "Ab3./dEf" * 10
PASSWD = (
    "root:x:0:0:root:/root:/bin/bash\n"
    "www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n"
    "rruiz:x:1000:1000:Rosa Ruiz,Room 4,,:/home/rruiz:/bin/bash\n"
    "lvik:x:1001:1001:Lars Vik:/home/lvik:/bin/zsh\n"
)
SHADOW = f"root:*:19000:0:99999:7:::\nrruiz:{SHA}:19000:0:99999:7:::\nlvik:!:19000::::::\n"
GROUP = "root:x:0:\nsudo:x:27:rruiz,lvik\nrruiz:x:1000:\n"
PGPASS = "# of the shop\ndb.shop-intern.de:5432:sales:rosa.ruiz:Sommer!20x\n*:*:*:lvik:qw\\:3rTz81p\n"
HTPASSWD = "rruiz:$apr1$abcdefgh$1234567890abcdefghij./\nlvik:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=\n"
NETRC = (
    'machine api.shop-intern.de\n  login rosa.ruiz\n  password hunter2secret9\ndefault login lvik password "a \\"b"\n'
)
SUDOERS = "Defaults env_reset\nroot ALL=(ALL:ALL) ALL\n%sudo ALL=(ALL) ALL\nrruiz ALL=(ALL:ALL) NOPASSWD: /bin/ls\n"

ACCOUNTS = {
    "passwd": (PASSWD, {0: "USERNAME", 2: "PERSON_ID", 4: "PERSON"}),
    "passwd of one": (PASSWD.splitlines()[3], {0: "USERNAME", 4: "PERSON"}),
    "shadow": (SHADOW, {0: "USERNAME", 1: "PASSWORD"}),
    "group": (GROUP, {0: "USERNAME", 3: "USERNAME"}),
    ".pgpass": (PGPASS, {3: "USERNAME", 4: "PASSWORD"}),
    "pgpass.conf": (PGPASS.splitlines()[1], {3: "USERNAME", 4: "PASSWORD"}),
    ".htpasswd": (HTPASSWD, {0: "USERNAME", 1: "PASSWORD"}),
    "one.htpasswd": (HTPASSWD.splitlines()[0], {0: "USERNAME", 1: "PASSWORD"}),
}
NAMED = ("rruiz", "lvik", "rosa.ruiz", "Rosa", "Lars", "Sommer", "3rTz", "hunter2", SHA, "W6ph5", "abcdefgh")


@pytest.mark.parametrize("name", ACCOUNTS)
def test_fields_of_accounts_are_known_without_a_header(name: str, tmp_path: Path) -> None:
    text, expected = ACCOUNTS[name]
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    table = piiscan.scan(file).tables[0]
    found = {c.index: c.entity for c in table.columns if c.pii != "none"}
    assert {i: found.get(i) for i in expected} == expected
    assert all(c.name is None for c in table.columns)


def test_placeholders_of_passwords_are_none(tmp_path: Path) -> None:
    for name, text in (("passwd", PASSWD), ("group", GROUP)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert piiscan.scan(tmp_path / name).tables[0].columns[1].entity is None


@pytest.mark.parametrize("text", [
    "eu.shop-intern.de:443:tls:ok:12\nus.shop-intern.de:443:tls:ok:14\n",
    "10:05:33:4:2\n10:06:12:5:3\n",
    "red:1:12:yes\nblue:2:14:no\n",
    "app.js:v1:5d41402abc4b2a76b9719d911017c592\nmain.js:v1:7d793037a0760186574b0282f2f435e7\n",
    "home:$HOME$/var/lib/somewhere\nroot:{BASE}/usr/share/somewhere\n",
    "title: a book\nauthor: somebody\n",
], ids=["checks", "times", "colours", "checksums", "paths", "settings"])  # fmt: skip
def test_other_fields_between_colons_are_no_accounts(text: str, tmp_path: Path) -> None:
    file = tmp_path / "list"
    file.write_text(text, encoding="utf-8")
    found = {c.entity for table in piiscan.scan(file).tables for c in table.columns}
    assert not found & {"USERNAME", "PASSWORD", "PERSON_ID"}


def test_logins_on_machines_are_records(tmp_path: Path) -> None:
    file = tmp_path / ".netrc"
    file.write_text(NETRC, encoding="utf-8")
    columns = {str(c.name): c for c in piiscan.scan(file).tables[0].columns}
    assert (columns["login"].entity, columns["password"].entity) == ("USERNAME", "PASSWORD")
    assert columns["machine"].pii == "none"


@pytest.mark.parametrize("text", [
    "machine learning default values\n",
    "default settings of the machine\nlogin page\n",
    "machine\n",
    "The machine api login is at the door.\n",
])  # fmt: skip
def test_prose_is_no_file_of_logins(text: str) -> None:
    assert not netrc_text.begins(text)


@pytest.mark.parametrize("text", ["machine a login b login c\n", "machine a login\n", "machine a login b noise c\n"])
def test_nothing_is_lost_of_what_cannot_be_parsed(text: str, tmp_path: Path) -> None:
    file = tmp_path / ".netrc"
    file.write_text(text, encoding="utf-8")
    table = piiscan.scan(file).tables[0]
    assert table.format != "netrc"


def test_words_of_logins_in_any_form() -> None:
    text = '# mine\nmachine a\tlogin "b c" # no value\npassword #d\nmacdef init\ncd /pub\n\nmachine e account f\n'
    text += "default user g"
    machines, spent = netrc_text.parsed(text)
    assert machines == [
        {"machine": "a", "login": "b c", "password": "#d"},
        {"machine": "e", "account": "f"},
        {"user": "g"},
    ]
    assert [text[start:end] for start, end in spent][:2] == ["machine a", 'login "b c"']


def test_a_default_plan_masks_all_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    files = {name: text for name, (text, _) in ACCOUNTS.items()} | {".netrc": NETRC, "sudoers": SUDOERS}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    run("plan", folder, "-o", tmp_path / "plan.toml")
    run("mask", folder, "--plan", tmp_path / "plan.toml", "-o", tmp_path / "out", "--key", key_file(tmp_path))
    masked = {name: (tmp_path / "out" / name).read_text(encoding="utf-8") for name in files}
    for name, text in masked.items():
        assert [word for word in NAMED if word in text] == [], name
        assert len(text.splitlines()) == len(files[name].splitlines())
    assert masked[".netrc"].startswith("machine api.shop-intern.de\n  login ")
    assert [line.split(":")[2] == line.split(":")[3] for line in masked["passwd"].splitlines()] == [True] * 4
    users = [line.split(":")[0] for line in masked["shadow"].splitlines()]
    assert users == [line.split(":")[0] for line in masked["passwd"].splitlines() if "www" not in line]
