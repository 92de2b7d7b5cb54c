"""Attacks on synthetic rows that must fail: values that come through, shapes that depend on data, repeated
questions, noise before the charge."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import Run
from dp_tables import privately

import piiscan
from piiscan.core.errors import BudgetError, MissingExtra
from piiscan.dp import noise
from piiscan.dp.ledger import Ledger
from piiscan.synthesis import synthetic_rows

pytestmark = pytest.mark.slow

ASKED: dict[str, Any] = {
    "epsilon": 1.0,
    "one_row_per_person": True,
    "bounds": {"score": (0, 120)},
    "categories": {"dept": ["a", "b"]},
    "dataset": "people",
}


def table(score: list[Any], dept: list[Any]) -> pl.DataFrame:
    return pl.DataFrame({"score": score, "dept": dept})


TABLES = [
    table([1, 2, 3], ["a", "b", "c"]),
    table([], []).cast(pl.String),
    table([10**18, -5, 0], ["x", "y", "z"]),
    table([None, 0.5, float("nan")], [None, "", "a"]),
    table(["secret", "7", None], [1, 2, 3]),
    table([True, False, True], [[1], [2], None]),
]


def skeleton(release: Any) -> Any:
    """A release without its figures and its choices: which bins are merged follows from noisy counts of columns."""
    public = json.loads(json.dumps(release))
    public["rows"].pop("value")
    groups = {column["name"]: column.pop("groups", [0, 1, 2, 3]) for column in public["columns"]}
    for entry in public["tables"]:
        cells, factors = len(entry.pop("counts")), len(entry.pop("factor"))
        if len(entry["columns"]) > 1:
            assert cells == factors == math.prod(groups[name][-1] + 1 for name in entry["columns"])
        else:
            entry["cells"] = cells
            assert cells == factors == len(groups[entry["columns"][0]])
    return public


def test_nothing_but_noisy_figures_depends_on_the_data(tmp_path: Path) -> None:
    found = []
    for i, data in enumerate(TABLES):
        done = privately(piiscan.synthesize, data, **ASKED, n=200, ledger=tmp_path / str(i))
        found.append(skeleton(done.to_dict()))
        assert all(entry["scale"] > 0.5 for entry in done.to_dict()["tables"])
        # Whatever the table was: declared words, numbers within declared bounds, nothing else.
        assert done.frame.schema == {"score": pl.Int64, "dept": pl.String}
        assert set(done.frame["dept"]) <= {"a", "b", "(other)", None}
        assert done.frame["score"].drop_nulls().is_between(0, 120).all()
    assert all(f == found[0] for f in found)


def test_no_cell_stands_in_anything_that_comes_out(piiscan: Run, tmp_path: Path) -> None:
    secrets = [f"canary{i:04d}" for i in range(300)]
    path = tmp_path / "people.csv"
    pl.DataFrame({"person": secrets, "score": secrets, "dept": secrets, "canary0001@example.com": secrets}).write_csv(
        path
    )
    asked = (
        "--unit",
        "person",
        "--bounds",
        "score=0:120",
        "--categories",
        "dept=a,b",
        "-n",
        "400",
        "--header",
        "-o",
        tmp_path / "rows.csv",
    )
    done = piiscan("synthesize", path, "--epsilon", "20", *asked, "--evaluate", tmp_path / "evaluation.md")
    assert done.returncode == 0, done.stderr
    assert "Left out, since they aren't declared: column_3." in done.stderr
    written = [p for p in tmp_path.iterdir() if p != path]
    assert sorted(p.name for p in written) == ["evaluation.md", "piiscan-ledger.sqlite", "rows.csv"]
    everything = done.stdout + done.stderr + "".join(p.read_bytes().decode("latin-1") for p in written)
    assert "canary" not in everything


def test_asking_again_gives_no_second_draw(tmp_path: Path) -> None:
    """Averages of many releases would wear the noise off. Rows may be drawn as often as one likes, as they are of
    the one release."""
    ledger = tmp_path / "ledger"
    done = [
        privately(piiscan.synthesize, table([1] * n, ["a"] * n), **ASKED, budget=2, ledger=ledger, n=m)
        for n, m in ((10, 5), (1000, 5), (10, 50))
    ]
    assert len({d.text for d in done}) == 1 and [d.repeated for d in done] == [False, True, True]
    assert done[0].frame.equals(done[1].frame)
    assert privately(piiscan.synthesize, table([1], ["a"]), **ASKED, ledger=ledger, decimals={"score": 2}).repeated
    again = privately(piiscan.synthesize, table([1], ["a"]), **ASKED, version="2", ledger=ledger)
    assert not again.repeated
    with pytest.raises(BudgetError):
        privately(piiscan.synthesize, table([1], ["a"]), **ASKED, version="3", ledger=ledger)


def test_rows_are_made_of_the_release_alone(tmp_path: Path) -> None:
    done = privately(piiscan.synthesize, TABLES[0], **ASKED, n=100, ledger=tmp_path / "ledger")
    assert synthetic_rows.frame(done.text, 100).select(done.frame.columns).equals(done.frame)


def test_other_questions_are_paid_for(tmp_path: Path) -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"bounds": {"score": (0, 121)}},
        {"categories": {"dept": ["b", "a"]}},
        {"epsilon": 1.5},
        {"edges": {"score": [5]}},
        {"columns": ["dept"]},
        {"private_bins": ["score"]},
        {"private_bins": ["score"], "decimals": {"score": 1}},
    ]
    for change in changes:
        assert not privately(
            piiscan.synthesize, table([1], ["a"]), **ASKED | change, budget=100, ledger=tmp_path / "ledger"
        ).repeated
    assert not privately(piiscan.summarize, table([1], ["a"]), **ASKED, ledger=tmp_path / "ledger").repeated
    assert len(Ledger(tmp_path / "ledger").account("people").charges) == len(changes) + 1


def test_noise_is_drawn_after_the_charge_and_never_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    for owner, name in ((Ledger, "charge"), (noise, "added"), (noise, "selected")):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *a, real=real, name=name, **k: (order.append(name), real(*a, **k))[1])
    many = {"categories": {f"c{i}": ["a"] for i in range(7)}, "bounds": {}}
    privately(
        piiscan.synthesize, pl.DataFrame({f"c{i}": ["a"] for i in range(7)}), **ASKED | many, ledger=tmp_path / "other"
    )
    assert order == ["charge", *["added"] * 7, *["selected", "added"] * 17]
    order.clear()
    privately(piiscan.synthesize, table([1], ["a"]), **ASKED, ledger=tmp_path / "ledger")
    assert order == ["charge", "added", "added", "added"]
    order.clear()
    found = ASKED | {"private_bins": ["score"]}
    privately(piiscan.synthesize, table([1], ["a"]), **found, ledger=tmp_path / "found")
    assert order == ["charge", *["added"] * 4]
    order.clear()
    with pytest.raises(BudgetError):
        privately(piiscan.synthesize, table([1], ["a"]), **ASKED | {"epsilon": 2}, ledger=tmp_path / "ledger")
    assert not order


def test_what_fails_after_the_charge_has_cost_what_it_costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "added", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        privately(piiscan.synthesize, table([1], ["a"]), **ASKED, ledger=tmp_path / "ledger")
    (charge,) = Ledger(tmp_path / "ledger").account("people").charges
    assert charge.loss.epsilon == 1 and charge.release is None


def test_without_opendp_there_are_no_rows() -> None:
    code = (
        "import sys; sys.modules['opendp'] = None\n"
        "import polars as pl, piiscan\n"
        "try:\n"
        "    privacy = piiscan.Privacy(epsilon=1, one_row_per_person=True, dataset='d', ledger='none.sqlite')\n"
        "    piiscan.synthesize(pl.DataFrame({'x': [1]}), privacy, bounds={'x': (0, 1)})\n"
        "except piiscan.ReadError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{MissingExtra.__name__} {noise.INSTALL}\n", done.stderr
