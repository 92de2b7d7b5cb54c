"""`piiscan train`: a few labelled tables make verdicts right, others stay as they are, and every mistake is told
with its place."""

from __future__ import annotations

import random
import re
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Run, run_piiscan

import piiscan as package
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ModelError

CRYPTIC: dict[str, tuple[str, Callable[[random.Random], object]]] = {
    "KTZ_X7": ("BANK_ACCOUNT", lambda chance: chance.randint(100_000, 999_999)),
    "fld_qv": ("HEALTH_CONDITION", lambda chance: chance.choice("red blue green black white grey".split())),
    "ZZ9": ("AGE", lambda chance: chance.randint(1, 90)),
}
"""Header → what its columns are, as no scan could know, and a value."""


def table(path: Path, seed: int, rows: int = 60) -> Path:
    """A CSV table with the cryptic columns among plain ones."""
    chance = random.Random(seed)
    lines = [f"day,{','.join(CRYPTIC)},count,article"]
    for _ in range(rows):
        cells = [str(value(chance)) for _, value in CRYPTIC.values()]
        article = chance.choice("chair stool lamp shelf bench".split())
        lines.append(f"2021-03-{chance.randint(10, 28)},{','.join(cells)},{chance.randint(1, 50)},{article}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def labels(folder: Path, *lines: str) -> Path:
    file = folder / "labels.csv"
    file.write_text("path,table,column,entity\n" + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three labelled tables, one that isn't, and the model that learned the former."""
    found = tmp_path_factory.mktemp("training")
    (found / "tables").mkdir()
    names = [table(found / "tables" / f"{seed}.csv", seed).name for seed in range(3)]
    table(found / "new.csv", 9)
    labels(found, *(f"tables/{name},,{header},{entity}" for name in names for header, (entity, _) in CRYPTIC.items()))
    done = run_piiscan("train", "labels.csv", "-o", "own.npz", cwd=found)
    assert done.returncode == 0, done.stderr
    (found / "printed.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    return found


def entities(report: package.Report) -> list[str | None]:
    return [report[header].entity for header in CRYPTIC]


def test_three_tables_are_enough(folder: Path) -> None:
    wanted = [entity for entity, _ in CRYPTIC.values()]
    before = entities(package.Scanner().scan(folder / "new.csv"))
    after = entities(package.Scanner(model=folder / "own.npz").scan(folder / "new.csv"))
    assert not [b for b, w in zip(before, wanted, strict=True) if b == w]
    assert after == wanted


def test_other_columns_hardly_move(folder: Path) -> None:
    paths = [ROOT / "examples", folder / "new.csv"]
    before, after = (package.Scanner(model=m).scan(paths).columns for m in (None, folder / "own.npz"))
    pairs = [(b, a) for b, a in zip(before, after, strict=True) if b.name not in CRYPTIC]
    assert len(pairs) > 50
    assert [b.entity for b, _ in pairs] == [a.entity for _, a in pairs]
    moves = [abs(b.confidence - a.confidence) for b, a in pairs]
    assert max(moves) < 0.1
    assert sum(moves) / len(moves) < 0.01


def test_what_it_says(folder: Path) -> None:
    printed = (folder / "printed.txt").read_text(encoding="utf-8")
    assert "Learned 9 columns of 3 tables." in printed
    found = re.search(
        r"^Right verdicts: (\d) before, (\d) after \(each table judged by a model trained on the others\)\.$",
        printed,
        re.MULTILINE,
    )
    assert found
    assert int(found[1]) == 0 < 6 <= int(found[2])
    assert printed.endswith('Wrote own.npz. To use it, write in piiscan.toml:\n  model = "own.npz"\n')


def test_no_value_gets_out(folder: Path) -> None:
    printed = (folder / "printed.txt").read_text(encoding="utf-8")
    values = {
        v
        for p in (folder / "tables").iterdir()
        for line in p.read_text().splitlines()[1:]
        for v in line.split(",")
        if len(v) > 3
    }
    assert not [v for v in values if v in printed]
    with np.load(folder / "own.npz", allow_pickle=False) as arrays:
        texts = [name for name in arrays.files if arrays[name].dtype.kind not in "fi"]
        assert texts == ["classes", "subject_terms"]
        assert set(arrays["classes"].tolist()) <= {"NONE", *PII_CLASS}
        with np.load(ROOT / "models" / "columns.npz") as shipped:
            assert arrays["subject_terms"].tolist() == shipped["subject_terms"].tolist()


def test_the_same_labels_make_the_same_file(folder: Path, piiscan: Run) -> None:
    head, *lines = (folder / "labels.csv").read_text(encoding="utf-8").splitlines()
    (folder / "turned.csv").write_text("\n".join([head, *reversed(lines), lines[0]]), encoding="utf-8")
    assert piiscan("train", "turned.csv", "-o", "again.npz", cwd=folder).returncode == 0
    assert (folder / "again.npz").read_bytes() == (folder / "own.npz").read_bytes()
    assert not [p for p in folder.iterdir() if p.name.startswith(".")]


def test_the_configuration_names_it_and_corrections_win(folder: Path, tmp_path: Path, piiscan: Run) -> None:
    table(tmp_path / "new.csv", 9)
    (tmp_path / "own.npz").write_bytes((folder / "own.npz").read_bytes())
    (tmp_path / "piiscan.toml").write_text(
        'model = "own.npz"\n[[columns]]\npath = "new.csv"\ncolumn = "KTZ_X7"\nis = "none"\n[[columns]]\npath = '
        '"new.csv"\ncolumn = "fld_qv"\nis = "RELIGION"\n',
        encoding="utf-8",
    )
    done = piiscan("scan", "new.csv", "-f", "jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = dict(re.findall(r'"name": ?"(\w+)".*?"entity": ?"?(\w+)', done.stdout))
    assert (found["KTZ_X7"], found["fld_qv"], found["ZZ9"]) == ("null", "RELIGION", "AGE")


def test_a_model_can_go_on_learning(folder: Path, piiscan: Run) -> None:
    for seed in (20, 21, 22):
        text = table(folder / f"more{seed}.csv", seed).read_text(encoding="utf-8")
        (folder / f"more{seed}.csv").write_text(text.replace("KTZ_X7", "hhq_w").replace("ZZ9", "b"), encoding="utf-8")
    (folder / "more.csv").write_text(
        "path,column,entity\n" + "".join(f"more{s}.csv,hhq_w,DEVICE_ID\n" for s in (20, 21)), encoding="utf-8"
    )
    done = piiscan("train", "more.csv", "--model", "own.npz", "-o", "more.npz", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (
        "(on the training columns; with 3 tables or more, each is judged by a model trained on the others)"
        in done.stdout
    )
    scanner = package.Scanner(model=folder / "more.npz")
    assert scanner.scan(folder / "more22.csv")["hhq_w"].entity == "DEVICE_ID"
    assert entities(scanner.scan(folder / "new.csv")) == [entity for entity, _ in CRYPTIC.values()]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    """A database of two tables, a file without a header, and one with a column without values."""
    with sqlite3.connect(tmp_path / "shop.sqlite") as db:
        for name in ("first", "second"):
            db.execute(f"create table {name} (k, v)")
            db.executemany(f"insert into {name} values (?, ?)", [(i, f"x{i}") for i in range(20)])
    db.close()
    (tmp_path / "bare.csv").write_text("".join(f"{i},{i * 7919 % 1000}\n" for i in range(20)), encoding="utf-8")
    (tmp_path / "gaps.csv").write_text("gap,n\n" + "".join(f",{i}\n" for i in range(20)), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        archive.writestr("in/a.csv", "k;n\n" + "".join(f"{i};{i}\n" for i in range(20)))
        archive.writestr("in/broken.xlsx", "PK")
    yield tmp_path


@pytest.mark.parametrize(
    ("lines", "learned"),
    [
        (["shop.sqlite,first,v,PERSON_ID"], "1 column of 1 table."),
        (["shop.sqlite,,v,PERSON_ID"], "2 columns of 2 tables."),
        (["bare.csv,,column_1,AGE", "shop.sqlite,second,k,none"], "2 columns of 2 tables."),
        (["old.zip!in/a.csv,,n,AGE", "./gaps.csv,,n,none"], "2 columns of 2 tables."),
        (["gaps.csv,,gap,AGE", "gaps.csv,,n,none"], "1 column of 1 table."),
    ],
)
def test_columns_are_named_as_in_the_configuration(lines: list[str], learned: str, shop: Path, piiscan: Run) -> None:
    labels(shop, *lines)
    done = piiscan("train", "labels.csv", "-o", "m.npz", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"Learned {learned}\n")
    assert ("gaps.csv: 1 labelled column without values left out" in done.stderr) == ("gap," in "".join(lines))


def test_headers_alone_are_learned_when_asked_for(shop: Path, piiscan: Run) -> None:
    labels(shop, "gaps.csv,,gap,AGE")
    done = piiscan("train", "labels.csv", "-o", "m.npz", "--empty-columns", cwd=shop)
    assert done.stdout.startswith("Learned 1 column of 1 table.\nRight verdicts: 0 before, 1 after"), done.stderr
    assert package.Scanner(model=shop / "m.npz", empty_columns=True).scan(shop / "gaps.csv")["gap"].entity == "AGE"
    assert package.Scanner(model=shop / "m.npz").scan(shop / "gaps.csv")["gap"].entity is None


def test_tables_are_read_as_the_configuration_says(shop: Path, piiscan: Run) -> None:
    (shop / "below").mkdir()
    (shop / "below" / "odd.txt").write_text("a|b\n1|2\n3|4\n", encoding="utf-8")
    labels(shop, "below/odd.txt,,column_1,AGE")
    (shop / "piiscan.toml").write_text(
        '[[paths]]\npath = "below/*.txt"\ndelimiter = "|"\nheader = false\n', encoding="utf-8"
    )
    done = piiscan("train", "../labels.csv", "-o", "../m.npz", "--config", "../piiscan.toml", cwd=shop / "below")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith('\n  model = "m.npz"\n')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("path;column;entity\n", "labels.csv line 1: must be path,table,column,entity (table may be left out)"),
        ("path,column,entity\n", "labels.csv: no labels; write a line for each column that you know"),
        ("path,column,entity\ngaps.csv,n\n", "labels.csv line 2: 2 cells, but line 1 has 3"),
        ("path,column,entity\ngaps.csv,,AGE\n", "labels.csv line 2, column: must not be empty"),
        ("path,column,entity\n\ngaps.csv,n,person_di\n", "labels.csv line 3, entity: must be one of none, AGE, "),
        ("path,column,entity\ngaps.csv,n,person_di\n", "; did you mean 'PERSON_ID'?"),
        ("path,column,entity\ngaps.csv,n,None\n", "; did you mean 'none'?"),
        (
            "path,column,entity\ngaps.csv,gapp,AGE\n",
            "labels.csv line 2, column: there is no such column in gaps.csv; did you mean 'gap'?",
        ),
        (
            "path,column,entity\ngaps.csv,zzzzz,AGE\n",
            "labels.csv line 2, column: there is no such column in gaps.csv; it has gap, n",
        ),
        (
            "path,table,column,entity\nshop.sqlite,frist,k,AGE\n",
            "line 2, table: there is no such table in shop.sqlite; did you mean 'first'?",
        ),
        (
            "path,column,entity\ngaps.csv,n,AGE\ngaps.csv,n,none\n",
            "labels.csv line 3, entity: labels.csv line 2 gives the same column another entity",
        ),
        ("path,column,entity\ngone.csv,n,AGE\n", "labels.csv line 2, path: gone.csv: "),
        ("path,column,entity\n.,n,AGE\n", "labels.csv line 2, path: . is a folder; name a file in it"),
        (
            "path,column,entity\ngaps.csv,gap,AGE\n",
            "labels.csv: none of the columns has values; --empty-columns learns them by their headers",
        ),
        ('path,column,entity\n"gaps.csv,n,AGE\n', "labels.csv: can't be read as CSV"),
    ],
)
def test_mistakes_are_reported_with_their_place(text: str, message: str, shop: Path, piiscan: Run) -> None:
    (shop / "labels.csv").write_text(text, encoding="utf-8")
    done = piiscan("train", "labels.csv", "-o", "m.npz", cwd=shop)
    assert done.returncode in (2, 3)
    assert message in done.stderr
    assert "person_di" not in done.stderr and "zzzzz" not in done.stderr  # what stands there may be anything
    assert done.stdout == ""
    assert not (shop / "m.npz").exists()


def test_only_a_model_is_written_over(shop: Path, piiscan: Run) -> None:
    labels(shop, "gaps.csv,,n,none")
    done = piiscan("train", "labels.csv", "-o", "labels.csv", cwd=shop)
    assert done.returncode == 2
    assert "must end in .npz" in done.stderr


def test_what_is_no_model_is_refused(shop: Path) -> None:
    (shop / "m.npz").write_bytes(b"PK")
    with pytest.raises(ModelError, match="piiscan train"):
        package.Scanner(model=shop / "m.npz").scan(shop / "gaps.csv")


def test_without_the_extra_it_says_what_to_install(shop: Path) -> None:
    labels(shop, "gaps.csv,,n,none")
    program = "import sys; sys.modules['scipy'] = None; from piiscan.cli import invoke; sys.exit(invoke())"
    done = subprocess.run(
        [sys.executable, "-c", program, "train", "labels.csv", "-o", "m.npz"],
        cwd=shop,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert done.stderr == "error: training needs optional packages: pip install 'piiscan-toolkit[train]'\n"
    assert not (shop / "m.npz").exists()


def test_weights_of_statistics_are_coarse(folder: Path) -> None:
    with np.load(folder / "own.npz") as own, np.load(ROOT / "models" / "columns.npz") as shipped:
        for name in set(own.files) - {"version", "classes", "subject_terms", "linear_header"}:
            moved = (own[name].astype(np.float64) - shipped[name].astype(np.float64)) * 256
            assert np.abs(moved - np.round(moved)).max() < 0.01
            assert bool(np.round(moved).any()) <= (name in ("linear_dense", "bias"))


def test_the_example_in_the_manual(tmp_path: Path, piiscan: Run) -> None:
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^```csv\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (command,) = re.findall(r"^```sh\npiiscan (train .*)\n```$", page, re.MULTILINE)
    (printed,) = re.findall(r"^```text\n(Learned .*?)^```$", page, re.DOTALL | re.MULTILINE)
    (key,) = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "labels.csv").write_text(lines, encoding="utf-8")
    (tmp_path / "crm").mkdir()
    for year in (2022, 2023, 2024, 2025):
        file = table(tmp_path / "crm" / f"{year}.csv", year)
        file.write_text(file.read_text(encoding="utf-8").replace("KTZ_X7", "KDNR_X7"), encoding="utf-8")
    with sqlite3.connect(tmp_path / "shop.sqlite") as db:
        db.execute("create table staff (K9, colour)")
        db.executemany("insert into staff values (?, ?)", [(100 + i, "red") for i in range(30)])
    db.close()
    done = piiscan(*command.split(), cwd=tmp_path)
    assert re.sub(r"judged \w+", "", done.stdout) == re.sub(r"judged \w+", "", printed)
    (tmp_path / "piiscan.toml").write_text(key, encoding="utf-8")
    assert '"BANK_ACCOUNT"' in piiscan("scan", "crm/2025.csv", "-f", "jsonl", cwd=tmp_path).stdout
