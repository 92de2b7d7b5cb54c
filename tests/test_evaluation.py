"""`piiscan evaluate`: known figures of small tables, laws, the stamp on everything, and what must not be named."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from conftest import ROOT, run_piiscan

import piiscan
from piiscan import Evaluation
from piiscan.core.errors import MissingExtra, UsageError
from piiscan.dp.domains import Categories, Number
from piiscan.synthesis.evaluation import membership_attack
from piiscan.synthesis.evaluation.compare_tables import STAMP, compare_tables

SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "evaluation-1.json").read_text(encoding="utf-8"))
DOMAINS = {
    "age": Number(0, 100),
    "score": Number(0, 10),
    "sex": Categories(("f", "m")),
    "sick": Categories(("no", "yes")),
}
SECRET = "Zebulon"


def table(rows: int, seed: int, related: bool = True) -> pl.DataFrame:
    """Sick are the old women, and score falls with age; or nothing has to do with anything."""
    random = np.random.default_rng(seed)
    age, other = random.integers(20, 90, rows), random.integers(20, 90, rows)
    female = random.random(rows) < 0.5
    expected = age if related else other
    return pl.DataFrame(
        {
            "age": age,
            "score": (100 - expected) / 10,
            "sex": np.where(female, "f", "m"),
            "sick": np.where((expected > 60) & (female if related else random.random(rows) < 0.5), "yes", "no"),
            "name": [SECRET] * rows,
        }
    )


REAL = table(2_000, 1)
LIKE = table(2_000, 2)
UNLIKE = table(2_000, 3, related=False)


def evaluated(
    real: pl.DataFrame,
    synthetic: pl.DataFrame,
    domains: dict[str, Any],
    target: str | None = None,
    control: pl.DataFrame | None = None,
) -> Evaluation:
    return Evaluation(**vars(compare_tables(real, synthetic, domains, target, control)))


@pytest.fixture(scope="module")
def like() -> Evaluation:
    return evaluated(REAL, LIKE, DOMAINS)


@pytest.fixture(scope="module")
def unlike() -> Evaluation:
    return evaluated(REAL, UNLIKE, DOMAINS)


def by_hand(a: pl.DataFrame, b: pl.DataFrame, columns: list[str]) -> float:
    """Total variation distance by counting."""
    counts = [t.group_by(columns).len().with_columns(pl.col("len") / t.height) for t in (a, b)]
    joined = counts[0].join(counts[1], on=columns, how="full", coalesce=True).fill_null(0)
    return float((joined["len"] - joined["len_right"]).abs().sum() / 2)


def test_distances_are_those_of_counting(unlike: Evaluation) -> None:
    coded = [t.with_columns(pl.col("age") // 5, (pl.col("score") * 2).floor()) for t in (REAL, UNLIKE)]
    one, two, three = unlike.distances
    sets = [["age"], ["score"], ["sex"], ["sick"]]
    assert math.isclose(one.mean, sum(by_hand(*coded, s) for s in sets) / 4)
    pairs = [[a, b] for i, (a,) in enumerate(sets) for (b,) in sets[i + 1 :]]
    expected = {tuple(p): by_hand(*coded, p) for p in pairs}
    assert math.isclose(two.mean, sum(expected.values()) / 6)
    assert math.isclose(two.worst, max(expected.values()))
    assert expected[two.worst_columns] == max(expected.values())  # type: ignore[index]
    assert (three.groups, three.compared) == (4, 4)
    assert unlike.pairs is not None
    found = unlike.pairs.synthetic
    for i, a in enumerate(sets):
        for j, b in enumerate(sets):
            assert math.isclose(found[i][j], by_hand(*coded, a if i == j else a + b))


def test_what_is_alike_looks_alike_and_what_is_not_does_not(like: Evaluation, unlike: Evaluation) -> None:
    for near, far in zip(like.distances[1:], unlike.distances[1:], strict=True):
        assert near.mean < 3 * near.floor < far.mean
    assert like.correlations.largest_difference < 0.1 < unlike.correlations.largest_difference  # type: ignore[operator]
    assert like.associations.largest_difference < 0.2 < unlike.associations.largest_difference  # type: ignore[operator]
    assert like.classifier is not None
    assert unlike.classifier is not None
    assert like.classifier.target == "sick"
    assert like.classifier.synthetic.balanced > 0.9 < like.classifier.real.balanced
    assert unlike.classifier.synthetic.balanced < 0.7
    assert like.classifier.majority == unlike.classifier.majority
    assert like.classifier.majority.balanced == 0.5


def test_a_table_is_nearest_to_itself() -> None:
    e = evaluated(REAL, REAL.sample(fraction=1, shuffle=True, seed=4), DOMAINS)
    assert all(d.mean == d.worst == 0 < d.floor for d in e.distances)
    assert all(c.distance == 0 for c in e.columns)
    assert all(c.numbers.ks == 0 for c in e.columns if c.numbers)
    assert e.correlations.largest_difference == pytest.approx(0, abs=1e-12)


def test_copies_stand_out() -> None:
    random = np.random.default_rng(5)
    domains = {name: Number(0, 1) for name in "abcd"}
    real, new = (pl.DataFrame({name: random.random(2_000) for name in "abcd"}) for _ in range(2))
    copied, made = evaluated(real, real.head(500), domains).copies, evaluated(real, new, domains).copies
    assert copied is not None
    assert made is not None
    assert made.unique > 1_400
    assert copied.synthetic > 0.6
    assert max(copied.held_out, made.held_out, made.synthetic) < 0.05


def test_an_attack_finds_copies_and_not_what_was_drawn_anew() -> None:
    random = np.random.default_rng(8)
    domains = {**{name: Number(0, 1) for name in "abc"}, "d": Categories(("x", "y"))}

    def drawn(rows: int) -> pl.DataFrame:
        numbers = {
            name: pl.Series(random.random(rows)).set(pl.Series(random.random(rows) < 0.1), None) for name in "abc"
        }
        return pl.DataFrame({**numbers, "d": random.choice(["x", "y"], rows)})

    real, control = drawn(1_500), drawn(1_500)
    noisy = real.with_columns(pl.col("a") + pl.Series(random.normal(0, 0.02, 1_500)))
    copied, near, new = (evaluated(real, s, domains, control=control).attack for s in (real, noisy, drawn(1_500)))
    assert copied is not None and near is not None and new is not None
    assert (new.members, new.others, new.reference) == (375, 375, 750)
    assert copied.advantage > 0.9 and copied.low > 0.8
    assert 0.3 < near.low < near.advantage <= copied.advantage
    assert new.low < 0 < new.high
    text = evaluated(real, real, domains, control=control).to_markdown()
    assert f"exceeds that of control rows by **{copied.advantage:.1%}**" in text


@pytest.mark.parametrize(
    ("x", "n", "y", "m", "low", "high"),
    [(56, 70, 48, 80, 0.0524, 0.3339), (9, 10, 3, 10, 0.1705, 0.8090), (10, 10, 0, 10, 0.6075, 1.0)],
)
def test_intervals_are_those_of_newcombe(x: int, n: int, y: int, m: int, low: float, high: float) -> None:
    """Table II of his paper, method 10."""
    advantage, *interval = membership_attack.difference(x, n, y, m)
    assert advantage == x / n - y / m
    assert interval == pytest.approx([low, high], abs=6e-5)


def test_numbers_are_reported_in_logarithms() -> None:
    real, synthetic = pl.DataFrame({"x": [100.0, 100.0, None, 1e6]}), pl.DataFrame({"x": ["-10", "-10", "", "word"]})
    (column,) = evaluated(real, synthetic, {"x": Number(-100, 1000)}).columns
    n = column.numbers
    assert n is not None
    assert n.real.mean == pytest.approx((2 * 100 + 1e6) / 3)
    assert n.real.log_mean == pytest.approx(math.log10((2 * 100 + 1e6) / 3))
    assert (n.synthetic.log_mean, n.synthetic.std, n.synthetic.log_std) == (1.0, 0.0, None)
    assert (n.ks, n.beyond) == (1.0, pytest.approx(1 / 3))
    assert (column.labels[-1], column.real[-1], column.synthetic[-1]) == ("(missing)", 0.25, 0.5)
    assert (n.points[0], n.points[-1], n.cumulative_real[-1], n.cumulative_synthetic[-1]) == (
        -100,
        1000,
        pytest.approx(2 / 3),
        1.0,
    )


def test_words_that_are_not_declared_are_not_distinguished() -> None:
    real, synthetic = pl.DataFrame({"x": ["a", SECRET, None]}), pl.DataFrame({"x": ["a", "(other)", ""]})
    e = evaluated(real, synthetic, {"x": Categories(("a", "b"))})
    assert e.columns[0].labels == ("a", "b", "(other)", "(missing)")
    assert e.columns[0].distance == 0
    assert e.classifier is None
    assert SECRET not in e.to_json() + e.to_markdown()


def test_of_many_columns_some_groups_are_drawn_always_the_same() -> None:
    random = np.random.default_rng(6)
    domains = {f"c{i}": Categories(("0", "1")) for i in range(25)}
    a, b = (pl.DataFrame({name: random.integers(0, 2, 50) for name in domains}) for _ in range(2))
    first, again = evaluated(a, b, domains), evaluated(a, b, domains)
    assert (first.distances[2].groups, first.distances[2].compared) == (2_300, 1_000)
    assert first.to_json() == again.to_json()


@pytest.mark.parametrize(
    ("real", "synthetic", "domains", "target", "problem"),
    [
        (REAL, REAL.drop("age"), DOMAINS, None, "the synthetic table has no column age"),
        (REAL.drop("sex"), REAL, DOMAINS, None, "the real table has no column sex"),
        (REAL.clear(), REAL, DOMAINS, None, "the real table has no rows"),
        (REAL, REAL, {}, None, "no column is declared"),
        (REAL, REAL, DOMAINS, "name", "column name: the target must be one of the declared columns"),
    ],
)
def test_what_cannot_be_compared(
    real: pl.DataFrame, synthetic: pl.DataFrame, domains: Any, target: str | None, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        evaluated(real, synthetic, domains, target)


def test_an_attack_needs_rows() -> None:
    with pytest.raises(UsageError, match="the control table has 39 rows; an attack needs at least 40"):
        evaluated(REAL, LIKE, DOMAINS, control=LIKE.head(39))
    with pytest.raises(UsageError, match="the control table has no column age"):
        evaluated(REAL, LIKE, DOMAINS, control=LIKE.drop("age"))


def test_one_row_is_a_table() -> None:
    e = evaluated(REAL.head(1), REAL.head(1), DOMAINS)
    jsonschema.validate(json.loads(e.to_json()), SCHEMA)


def test_nothing_is_said_of_a_part_where_there_is_one_row() -> None:
    one = evaluated(REAL.head(1), REAL.head(1), DOMAINS)
    assert one.classifier is None
    assert one.copies is None
    assert "other quarter" not in one.to_markdown()
    assert one.to_markdown().count("no part can be set aside") == 2
    two = evaluated(REAL.head(2), REAL.head(2), DOMAINS)
    assert two.copies is not None
    assert two.copies.unique == 1


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingExtra, match=r"pip install 'piiscan-toolkit\[train\]'"):
        evaluated(REAL, LIKE, DOMAINS)


def test_everything_that_is_written_is_stamped(like: Evaluation, tmp_path: Path) -> None:
    assert like.to_markdown().splitlines()[0].lower() == f"**{STAMP}.**"
    # Of what the rows were made it knows nothing, and it compares numbers by their bins.
    assert "If the synthetic rows were made from this table" in like.to_markdown()
    assert "are unique, numbers by their bins" in like.to_markdown()
    assert next(iter(like.to_dict().items())) == ("stamp", "not differentially private: do not release")
    jsonschema.validate(json.loads(like.to_json()), SCHEMA)
    images = like.write_plots(tmp_path / "my plots")
    pictures = sorted((tmp_path / "my plots").iterdir())
    assert len(pictures) == len(images) == 4 + 2 + 1 + 2 + 2
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        assert f">{STAMP}</text>" in text
        assert SECRET not in text
    markdown = like.to_markdown(images)
    for name in images:
        assert f"](my%20plots/{name}.svg)" in markdown


def files(folder: Path) -> list[str]:
    REAL.write_csv(folder / "real.csv")
    UNLIKE.write_parquet(folder / "synthetic.parquet")
    (folder / "schema.toml").write_text(
        '[columns]\nage.bounds = [0, 100]\nscore.bounds = [0, 10]\nsex.categories = ["f", '
        '"m"]\nsick.categories = ["no", "yes"]\n'
    )
    return ["evaluate", "real.csv", "synthetic.parquet", "--schema", "schema.toml"]


def test_the_command_writes_what_the_function_gives(tmp_path: Path, unlike: Evaluation) -> None:
    (tmp_path / "out").mkdir()
    LIKE.write_csv(tmp_path / "control.csv")
    done = run_piiscan(*files(tmp_path), "--control", "control.csv", "-o", "out/report.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "only for people who may see real.csv" in done.stderr
    expected = evaluated(REAL, UNLIKE, DOMAINS, control=LIKE)
    jsonschema.validate(json.loads(expected.to_json()), SCHEMA)
    assert (tmp_path / "out" / "report.json").read_text(encoding="utf-8") == expected.to_json()
    same = piiscan.evaluate(
        REAL.to_pandas(),
        str(tmp_path / "synthetic.parquet"),
        schema=tmp_path / "schema.toml",
        target="sick",
        control=LIKE,
    )
    assert same == expected
    assert expected.attack is not None and unlike.attack is None


@pytest.mark.parametrize("target", ["real.csv", "synthetic.parquet", "schema.toml"])
def test_the_command_writes_over_nothing_that_it_reads(tmp_path: Path, target: str) -> None:
    arguments = files(tmp_path)
    before = (tmp_path / target).read_bytes()
    done = run_piiscan(*arguments, "-o", target, cwd=tmp_path)
    assert done.returncode == 2 and "choose another output" in done.stderr
    assert (tmp_path / target).read_bytes() == before


def test_the_command_links_pictures_from_the_report(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    arguments = files(tmp_path)
    (tmp_path / "schema.toml").write_text('[columns]\nsex.categories = ["f", "m"]\nsick.categories = ["no", "yes"]\n')
    done = run_piiscan(*arguments, "--target", "sex", "-o", "out/report.md", "--plots", "pictures", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "](../pictures/associations.svg)" in text
    assert (tmp_path / "pictures" / "associations.svg").is_file()
    assert "It predicts sex from all other columns" in text
    assert SECRET not in text


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (
            "[columns.age]\nestimate_bounds = true\n",
            "column age: declare its bounds or categories in the schema",
        ),
        ("[columns.weight]\nbounds = [0, 1]\n", "the real table: column weight: there is none of this name"),
        ("age = 1\n", "schema schema.toml"),
    ],
)
def test_a_schema_that_does_not_fit(tmp_path: Path, schema: str, problem: str) -> None:
    arguments = files(tmp_path)
    (tmp_path / "schema.toml").write_text(schema)
    done = run_piiscan(*arguments, "-o", "report.md", cwd=tmp_path)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not (tmp_path / "report.md").exists()
