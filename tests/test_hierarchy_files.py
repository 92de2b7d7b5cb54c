"""Hierarchies in files: every dialect that ARX and spreadsheets write, what is refused, and the way back."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from test_hierarchy import Rows, trees, written

from piiscan.anonymity.hierarchies.hierarchy import Hierarchy
from piiscan.anonymity.hierarchies.hierarchy_files import load, save
from piiscan.core.errors import UsageError, WriteError

ROWS: Rows = [
    ("1st; 2nd", "Primary", "School", "*"),
    ("Masters", "Graduate, other", "Higher", "*"),
    (None, "Primary", "School", "*"),
]
SEMICOLONS = '"1st; 2nd";Primary;School;*\nMasters;Graduate, other;Higher;*\n;Primary;School;*\n'
COMMAS = '1st; 2nd,Primary,School,*\nMasters,"Graduate, other",Higher,*\n,Primary,School,*\n'


@pytest.mark.parametrize(
    "content",
    [
        SEMICOLONS.encode(),
        SEMICOLONS.encode("utf-8-sig"),
        SEMICOLONS.replace("\n", "\r\n").encode(),
        SEMICOLONS.rstrip("\n").encode() + b"\n\n",
        COMMAS.encode(),
        COMMAS.replace('"Graduate, other"', "Graduate; other")
        .replace(",", "\t")
        .replace("; other", ", other")
        .encode(),
        COMMAS.replace('"Graduate, other"', "Graduate~ other").replace(",", "|").replace("~", ",").encode(),
        SEMICOLONS.replace("Higher", '"Higher"').encode(),
        SEMICOLONS.replace(";*", "").encode(),  # the last level goes without saying
    ],
)
def test_a_file_is_read_in_any_dialect(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "adult_hierarchy_education.csv").write_bytes(content)
    (found,) = load(tmp_path, ["education"]).values()
    assert written(found) == sorted(ROWS[:2], key=str) + ROWS[2:]


def test_intervals_are_labels_not_cells(tmp_path: Path) -> None:
    (tmp_path / "age.csv").write_text("7;[5, 10)\n12;[10, 15)\n", encoding="utf-8")
    assert load(tmp_path, ["age"])["age"].labels[1] == ("[10, 15)", "[5, 10)")


def test_values_alone_are_suppressed_or_kept(tmp_path: Path) -> None:
    (tmp_path / "race.csv").write_text("White\nBlack\n", encoding="utf-8")
    assert written(load(tmp_path, ["race"])["race"]) == [("Black", "*"), ("White", "*")]


def test_a_column_has_its_own_file(tmp_path: Path) -> None:
    for name in ("age.csv", "x_hierarchy_marital-status.csv", "_hierarchy_status.csv", "notes.txt", "data.csv"):
        (tmp_path / name).write_text(f"{name};x;*\n", encoding="utf-8")
    (tmp_path / "sex.csv").mkdir()
    found = load(tmp_path, ["status", "age", "marital-status"])
    assert {column: h.leaves for column, h in found.items()} == {
        "status": ("_hierarchy_status.csv",), "age": ("age.csv",), "marital-status": ("x_hierarchy_marital-status.csv",)
    }  # fmt: skip
    for missing in ("sex", "Age", "../age", ""):
        with pytest.raises(UsageError, match=r"no hierarchy for column .*; add a file"):
            load(tmp_path, [missing])
    (tmp_path / "y_hierarchy_age.csv").write_text("1;*\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"2 hierarchies for column age: age\.csv, y_hierarchy_age\.csv; keep one"):
        load(tmp_path, ["age"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "needs at least one row"),
        ("Żółw;x;*\n".encode("cp1250"), "isn't UTF-8"),
        ("secret;x;*\n".encode("utf-16"), "isn't UTF-8"),
        (b'"secret;x;*\n', "a quote isn't closed"),
        (b"secret;x;*\nb;*\n", "row 2 of the hierarchy of age has 2 cells and row 1 has 3"),
        (b"secret;x;1\nb;x;2\n", "level 2 of the hierarchy of age gives rows 1 and 2"),
        (b"secret;x\nsecret;y\n", "rows 1 and 2 of the hierarchy of age have the same value"),
    ],
)
def test_a_bad_file_is_named_and_not_quoted(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "age.csv").write_bytes(content)
    with pytest.raises(UsageError, match=rf"age\.csv: .*{message}") as caught:
        load(tmp_path, ["age"])
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_folder_that_isn_t_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gone: can't read this folder of hierarchies"):
        load(tmp_path / "gone", [])


@settings(max_examples=20, deadline=None)
@given(rows=trees())
def test_what_is_saved_is_loaded(tmp_path_factory: pytest.TempPathFactory, rows: Rows) -> None:
    folder = tmp_path_factory.mktemp("hierarchies")
    given = Hierarchy.of("c", rows)
    save(folder, {"c": given})
    assert written(load(folder, ["c"])["c"]) == written(given)


@pytest.mark.parametrize("value", ['a"b', "a;b", "a,b|c\td", "a\nb", "a\rb", "\ufeffa", " a ", "'a", "=1+1"])
def test_signs_survive_a_file(tmp_path: Path, value: str) -> None:
    given = Hierarchy.of("c", [(value, "x"), ("b", value)])
    save(tmp_path, {"c": given})
    assert written(load(tmp_path, ["c"])["c"]) == written(given)


def test_a_saved_hierarchy_is_its_owner_s_and_whole(tmp_path: Path) -> None:
    given = Hierarchy.of("c", [("a", "x"), ("b", "x")])
    save(tmp_path, {"c": given})
    save(tmp_path, {"c": given})
    assert [p.name for p in tmp_path.iterdir()] == ["c.csv"]
    assert stat.S_IMODE((tmp_path / "c.csv").stat().st_mode) == 0o600
    for name in ("../c", "a/b", "", "."):
        with pytest.raises(UsageError, match="this name can't be used for a file"):
            save(tmp_path, {name: given})
    with pytest.raises(WriteError, match="can't be written"):
        save(tmp_path / "gone", {"c": given})
