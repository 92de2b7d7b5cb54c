"""What is there already is written over only when a command is told to."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

PEOPLE = "age,sex,sick\n" + "".join(f"{30 + i % 4},{'fm'[i % 2]},{'no' if i % 3 else 'yes'}\n" for i in range(40))
SCHEMA = '[columns]\nsex.categories = ["f", "m"]\nsick.categories = ["no", "yes"]\n'
ANONYMIZE = "anonymize people.csv --k 2 --quasi age,sex -o out.csv"
COMMANDS = (
    ("risk people.csv --quasi age,sex -f json -o", "out.json"),
    (f"{ANONYMIZE} --report", "report.json"),
    (f"{ANONYMIZE} --save-plan", "plan.toml"),
    (f"{ANONYMIZE} --save-hierarchies", "levels"),
    ("summarize people.csv --epsilon 1 --one-row-per-person --schema schema.toml -o", "out.json"),
    ("evaluate people.csv people.csv --schema schema.toml -o", "report.md"),
    ("evaluate people.csv people.csv --schema schema.toml --plots", "plots"),
    ("aggregate people.csv --by sex --columns age -o", "sums.csv"),
    ("train labels.csv -o", "model.npz"),
)


@pytest.mark.parametrize(("command", "output"), COMMANDS)
def test_an_output_that_exists_is_kept(tmp_path: Path, piiscan: Run, command: str, output: str) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "schema.toml").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("path,table,column,entity\npeople.csv,,age,AGE\n", encoding="utf-8")
    key = tmp_path / "key"
    assert piiscan("key", "new", "-o", key).returncode == 0
    typed = [*command.split(), output, *(["--key", f"file:{key}"] if "--save-plan" in command else [])]
    target = tmp_path / output
    kept = target if "." in target.name else target / "notes.txt"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("ours", encoding="utf-8")
    done = piiscan(*typed, cwd=tmp_path)
    assert done.returncode == 2 and f"{output} exists" in done.stderr and "--overwrite" in done.stderr, done.stderr
    assert kept.read_text(encoding="utf-8") == "ours"
    assert not (tmp_path / "out.csv").exists(), "refused before the work"
    if typed[0] != "train":
        assert piiscan(*typed, "--overwrite", cwd=tmp_path).returncode == 0
        assert target.is_dir() or kept.read_text(encoding="utf-8") != "ours"


def test_the_classes_of_a_plan_that_exist_are_kept(tmp_path: Path, piiscan: Run) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    assert piiscan("key", "new", "-o", tmp_path / "key").returncode == 0
    typed = [*ANONYMIZE.split(), "--save-plan", "plan.toml", "--key", "file:key"]
    assert piiscan(*typed, cwd=tmp_path).returncode == 0
    (tmp_path / "out.csv").unlink()
    (tmp_path / "plan.toml").unlink()
    done = piiscan(*typed, cwd=tmp_path)
    assert done.returncode == 2 and "exists" in done.stderr and not (tmp_path / "out.csv").exists()
