"""Files of text, scripts and logs are texts, never one column of names or places."""

from __future__ import annotations

from pathlib import Path

import pytest

import piiscan

SQL = (
    "-- a dump\nDROP TABLE IF EXISTS `customers`;\nCREATE TABLE `customers` (\n  `id` int NOT NULL,\n"
    "  `first_name` varchar(50),\n  `birth_place` varchar(50),\n  PRIMARY KEY (`id`)\n);\n"
)
TEXTS = {
    "dump.sql": SQL + "INSERT INTO `customers` SELECT 1,'Jane','Springfield';\n" * 40,
    "migrate.sql": "ALTER TABLE person ADD birth_place text;\nUPDATE person SET birth_place = 'London';\nCOMMIT;\n",
    "short.sql": "BEGIN;\nSELECT 1;\nCOMMIT;\nVACUUM;\nANALYZE;\n" * 4,
    "words.sql": "SELECT\n  name,\n  city\nFROM\n  users\nWHERE\n  id = 3;\n",
    "001_create_users.rb": (
        "class CreateUsers < ActiveRecord::Migration[6.0]\n  def change\n    create_table :users do |t|\n"
        "      t.string :first_name\n      t.string :city\n      t.date :date_of_birth\n    end\n  end\nend\n"
    ),
    "0001_initial.py": (
        "from django.db import migrations, models\n\n\nclass Migration(migrations.Migration):\n    operations = [\n"
        "        migrations.CreateModel(\n            name='Person',\n            fields=[\n"
        "                ('birthplace', models.CharField(max_length=80)),\n            ],\n        ),\n    ]\n"
    ),
    "seeds.rb": "User.create(name: 'Anna', city: 'London')\nUser.create(name: 'Peter', city: 'Paris')\n" * 5,
    "access.log": "".join(
        f'203.0.113.{i} - - [10/Oct/2024:13:55:{i:02} +0000] "GET /index{i}.html HTTP/1.1" 200 {1000 + i}\n'
        for i in range(60)
    ),
    "app.log": "".join(f"2024-03-05 12:{i % 60:02}:01 INFO worker - finished job {i}\n" for i in range(80)),
    "main.go": 'package main\n\nimport (\n\t"fmt"\n)\n\nfunc main() {\n\tname := "Anna"\n\tfmt.Println(name)\n}\n',
    "Main.java": "public class Main {\n    private String name;\n    public String getName() { return name; }\n}\n",
    "names.js.txt": "function greet(name) {\n  console.log(name);\n}\ngreet('Maria');\ngreet('Anna');\n",
    "readme.md": "# Project\n\nWelcome to the project.\n\n- London\n- Paris\n\n## Install\n\nRun make.\n",
    "readme.txt": "Project\n=======\n\nWelcome, says Anna.\nIt runs in London and Paris.\nRun make to build.\n",
    "poem.txt": "The rose is red\nThe violet blue\nThe honey sweet\nAnd so are you\n\nThe summer wind\n",
    "mist.txt": "Grey mist\nover hills\nAnna waits\nby water\nsilent\nmorning\ncomes\nwith light\n",
    "review.txt": "Employee: Gregory Zanweiin\nReviewer: Ryan Weitova\n\n***\n",
    "todo.txt": "buy milk\ncall Anna\npay rent\nfix bike\nwrite report\n",
    "grants.txt": "GRANT SELECT ON users TO anna;\nGRANT SELECT ON users TO maria;\nREVOKE ALL ON users FROM peter;\n",
    "trace.txt": (
        'Traceback (most recent call last):\n  File "main.py", line 3, in <module>\n    main()\n'
        '  File "main.py", line 2, in main\n    raise ValueError\nValueError\n'
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_texts(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(TEXTS[name], encoding="utf-8")
    report = piiscan.scan(tmp_path / name)
    assert {c.entity for c in report.columns} <= {None, "FREE_TEXT"}
    assert "direct" not in {c.pii for c in report.columns}


@pytest.mark.parametrize("name", ["list.txt", "list.md", "list.log"])
def test_lists_of_addresses_are_what_their_lines_are(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("".join(f"valve.{i}@example.org\n" for i in range(30)), encoding="utf-8")
    column = piiscan.scan(tmp_path / name).columns[0]
    assert (column.entity, column.pii) == ("EMAIL_ADDRESS", "direct")


@pytest.mark.parametrize(
    ("lines", "entity"),
    [
        ("London Paris Berlin Madrid Rome Vienna Warsaw Prague Lisbon Dublin Oslo Athens", "CITY"),
        ("Anna Peter Maria John Emma Paul Laura Simon Julia Thomas Martin Sarah", "FIRST_NAME"),
    ],
)
def test_lists_of_words_are_what_their_lines_are(tmp_path: Path, lines: str, entity: str) -> None:
    (tmp_path / "list.txt").write_text("\n".join(lines.split()), encoding="utf-8")
    assert piiscan.scan(tmp_path / "list.txt").columns[0].entity == entity


@pytest.mark.parametrize(("line", "found"), [("worker - connected", False), ("client 8.8.4.4 left", True)])
def test_versions_and_local_addresses_in_a_log_are_nobodys(tmp_path: Path, line: str, found: bool) -> None:
    lines = ["INFO Starting server version 1.2.3.4", "INFO Listening on 127.0.0.1:8080", "WARN Slow query", line]
    (tmp_path / "app.log").write_text("".join(f"2024-01-01 10:00:01 {text}\n" for text in lines), encoding="utf-8")
    inside = piiscan.scan(tmp_path / "app.log").columns[0].inside
    assert [i.entity for i in inside] == ["IP_ADDRESS"] * found
