"""`piiscan risk` and `piiscan.risk`: what is counted, what is refused, what attackers find, and what must never
show."""

from __future__ import annotations

import io
import json
import random
import string
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import polars as pl
import pytest
from conftest import ROOT, Run
from hypothesis import given, settings
from hypothesis import strategies as st

import piiscan
from piiscan.api.risk import ComparisonSpec, DeclaredRoles, assess
from piiscan.core.errors import ReadError, UsageError
from piiscan.io.read_options import ReadOptions
from piiscan.io.table_source import Source
from piiscan.rules import rule_sets
from piiscan.scanning.scan_options import ScanOptions

SCHEMA = json.loads((ROOT / "piiscan" / "report" / "schemas" / "risk-1.json").read_text(encoding="utf-8"))
VISITS, VOTERS = ROOT / "examples" / "visits.csv", ROOT / "examples" / "voters.csv"
QUASI = ["age", "sex", "zip"]

cells = st.sampled_from(["a", "b", "*", None])
tables = st.lists(
    st.tuples(cells, cells, st.sampled_from(["flu", "cold", "hiv", None]), st.sampled_from(["u1", "u2", "u3"])),
    min_size=1,
    max_size=15,
)


def frame(rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(("colour", "shape", "illness", "who"), pl.String), orient="row")


def measured(data: Any, **given: Any) -> piiscan.RiskReport:
    """With everything declared."""
    declared = {"quasi": ["colour", "shape"], "sensitive": ["illness"], "insensitive": ["who"]} | given
    if "unit" in given:
        declared["insensitive"] = []
    return piiscan.risk(data, **declared)


@settings(deadline=None, max_examples=25)
@given(rows=tables)
def test_classes_are_counted_as_in_plain_lines(rows: list[tuple[Any, ...]]) -> None:
    """Empty cells and `*` are values as all others."""
    found = measured(frame(rows))
    classes = Counter(row[:2] for row in rows)
    ill = defaultdict(set)
    for row in rows:
        ill[row[:2]].add(row[2])
    c = found.classes
    assert (c.number, c.smallest, c.largest) == (len(classes), min(classes.values()), max(classes.values()))
    assert c.unique == sum(n == 1 for n in classes.values())
    assert sum(r.records for r in c.sizes) == found.records == len(rows)
    assert found.prosecutor.average == pytest.approx(len(classes) / len(rows))
    (s,) = found.sensitive
    assert s.certain == sum(classes[row[:2]] > 0 and len(ill[row[:2]]) == 1 for row in rows)
    assert s.certain_in_groups == sum(classes[row[:2]] > 1 and len(ill[row[:2]]) == 1 for row in rows)
    assert (s.distinct_l, s.values) == (min(len(v) for v in ill.values()), len({row[2] for row in rows}))


@settings(deadline=None, max_examples=12)
@given(rows=tables)
def test_units_count_once(rows: list[tuple[Any, ...]]) -> None:
    found = measured(frame(rows), unit="who")
    people = defaultdict(set)
    for row in rows:
        people[row[:2]].add(row[3])
    assert found.counted == "units"
    assert found.classes.smallest == min(len(p) for p in people.values())
    assert found.records == sum(len(p) for p in people.values())
    assert found.units == len({row[3] for row in rows} - {None})
    assert found.classes.unique_units == len({p for of in people.values() if len(of) == 1 for p in of} - {None})
    having = defaultdict(set)
    for row in rows:
        having[row[:3]].add(row[3])
    told = {p for (*place, _), of in having.items() if of == people[tuple(place)] for p in of} - {None}
    assert found.sensitive[0].certain_units == len(told)
    assert found.to_dict()["classes"] == measured(frame([*rows, *rows]), unit="who").to_dict()["classes"]


@settings(deadline=None, max_examples=10)
@given(rows=tables, seed=st.randoms(use_true_random=False), batch=st.integers(1, 7), jobs=st.integers(1, 3))
def test_the_report_is_the_same_for_any_order_batches_and_threads(
    rows: list[tuple[Any, ...]], seed: Any, batch: int, jobs: int
) -> None:
    declared = DeclaredRoles(["colour", "shape"], ["illness"], ["who"])
    shuffled = list(rows)
    seed.shuffle(shuffled)
    comparison = ComparisonSpec(0.2, None, frame(rows))
    reports = {
        assess(
            Source(frame(some), None, ReadOptions(batch_rows=rows_at_once)),
            declared,
            comparison,
            rule_sets.load(()),
            ScanOptions(jobs=threads),
        ).to_json()
        for some, rows_at_once, threads in ((rows, 1000, 1), (shuffled, batch, jobs))
    }
    assert len(reports) == 1


def test_the_same_table_in_any_format_has_the_same_report(tmp_path: Path) -> None:
    data = pl.read_csv(VISITS, infer_schema=False)
    data.write_parquet(tmp_path / "visits.parquet")
    data.write_ndjson(tmp_path / "visits.jsonl")
    given = {"quasi": QUASI, "sensitive": ["diagnosis"], "unit": "patient"}
    sources = [
        VISITS,
        tmp_path / "visits.parquet",
        tmp_path / "visits.jsonl",
        data,
        data.lazy(),
        data.to_pandas(),
        data.to_arrow(),
        data.to_dicts(),
    ]
    found = [piiscan.risk(source, **given).to_dict() | {"source": ""} for source in sources]
    assert all(f == found[0] for f in found)


# Figures that need a population.
def test_without_a_population_there_are_no_figures_of_one() -> None:
    assert piiscan.risk(VISITS, QUASI, "diagnosis", "patient").population is None


def test_the_population_itself_is_counted() -> None:
    table = frame([("a", "x", None, "u1"), ("b", "x", None, "u2"), ("b", "y", None, "u3")])
    people = pl.DataFrame({"shape": ["x", "x", "x", "y", "y"], "colour": ["a", "b", "b", "b", "c"]})
    found = measured(table, population=people).population
    assert found is not None and found.exact is not None
    assert (found.by, found.size, found.exact.k_map, found.exact.unique) == ("file", 5, 1, 2)
    assert (found.exact.presence_low, found.exact.presence_high, found.exact.outside) == (
        0,
        1,
        0,
    )  # (c, y) is known not to be there
    assert found.marketer == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert found.journalist.highest == 1
    assert found.estimated is None


def test_a_masked_table_is_compared_by_what_its_labels_stand_for() -> None:
    table = pl.DataFrame({"age": ["20-29", "20-29", "30-39"], "zip": ["130**", "130**", "*"]})
    people = pl.DataFrame({"age": [21, 25, 29, 33, 38], "zip": ["13053", "13068", "14850", "13053", "14850"]})
    found = piiscan.risk(table, ["age", "zip"], population=people).population
    assert found is not None and found.exact is not None
    assert (found.exact.k_map, found.exact.presence_high) == (2, 1.0)


def test_a_population_that_lacks_people_of_the_table_is_reported() -> None:
    table = frame([("a", "x", None, "u1")] * 3)
    found = measured(table, population=pl.DataFrame({"colour": ["a"], "shape": ["x"]})).population
    assert found is not None and found.exact is not None
    assert (found.exact.outside, found.exact.k_map) == (3, 3)


def test_weights_and_fractions_estimate() -> None:
    table = frame([(c, s, None, "5") for c in "abcd" for s in "xy"])
    weighted = piiscan.risk(table, ["colour", "shape"], "illness", weights="who").population
    drawn = measured(table, sampling_fraction=0.2).population
    assert weighted is not None and drawn is not None
    assert (weighted.by, weighted.size, weighted.journalist) == ("weights", 40, drawn.journalist)
    assert drawn.journalist.highest == pytest.approx(0.25 * 1.6094379124341003)  # p/(1-p)·ln(1/p), p = .2
    assert drawn.estimated is not None and drawn.exact is None


# Linkage.
def test_who_is_found_with_another_file() -> None:
    table = frame(
        [
            ("a", "x", "flu", "u1"),
            ("a", "y", "flu", "u2"),
            ("a", "y", "hiv", "u3"),
            ("b", "y", "hiv", "u4"),
            ("*", "*", "flu", "u5"),
        ]
    )
    voters = pl.DataFrame(
        {"name": ["Ann", "Bob", "Cid", "Dan"], "colour": ["a", "a", "a", "c"], "shape": ["x", "y", "y", "x"]}
    )
    found = measured(table, against=voters).linkage
    assert found is not None
    assert (found.columns, found.people) == (("colour", "shape"), 4)
    assert [(a.candidates, a.records) for a in found.found] == [(1, 1), (2, 3), (5, 3), (10, 3)]
    assert (found.nobody, found.hidden, found.people_found, found.pairs) == (1, 1, 1, 1)
    assert [(outcome.column, outcome.people) for outcome in found.learned] == [
        ("illness", 1)
    ]  # Ann; Bob and Cid fit two records that differ


def test_coarser_labels_hide_people() -> None:
    raw = pl.DataFrame({"age": ["21", "25", "33", "38"], "sex": ["f", "f", "m", "m"]})
    coarse = pl.DataFrame({"age": ["20-29", "20-29", "[30, 40)", "[30, 40)"], "sex": ["f", "f", "m", "m"]})
    found = [piiscan.risk(t, ["age", "sex"], against=raw).linkage for t in (raw, coarse)]
    assert [f.pairs for f in found if f] == [4, 0]
    assert [f.found[0].records for f in found if f] == [4, 0]
    assert [f.found[1].records for f in found if f] == [4, 4]


def test_labels_stand_for_what_their_hierarchy_says_and_values_are_as_far_apart(tmp_path: Path) -> None:
    (tmp_path / "colour.csv").write_text("red;warm;*\norange;warm;*\nblue;cold;*\n", encoding="utf-8")
    (tmp_path / "our_hierarchy_illness.csv").write_text("flu;lung;*\ncold;lung;*\nulcer;stomach;*\n", encoding="utf-8")
    table = pl.DataFrame({"colour": ["warm", "warm", "cold", "cold"], "illness": ["flu", "flu", "cold", "ulcer"]})
    people = pl.DataFrame({"colour": ["red", "orange", "blue"]})
    found = piiscan.risk(table, "colour", "illness", against=people, hierarchies=tmp_path)
    assert found.linkage is not None
    assert [(a.candidates, a.records) for a in found.linkage.found[:2]] == [
        (1, 2),
        (2, 4),
    ]  # blue alone is cold; red and orange are warm
    (s,) = found.sensitive
    # Half of the warm class's flu has to move: a quarter within the lung, a way of 1/2, a quarter to the stomach, a way
    # of 1.
    assert s.t_hierarchical == pytest.approx(0.375)
    assert s.t_equal == pytest.approx(0.5)


def test_suppressed_records_are_a_class_that_is_reported_apart() -> None:
    found = measured(frame([("*", "*", None, "u1"), ("*", None, None, "u2"), ("a", "*", "flu", "u3")]))
    assert found.blank == 2
    assert found.classes.number == 3


# The homogeneity attack (Machanavajjhala et al., 2007, section 2.1).
def test_homogeneity_shows_though_k_holds() -> None:
    rows = [("a", "x", "hiv", f"u{i}") for i in range(4)] + [
        ("b", "y", d, f"v{d}") for d in ("flu", "cold", "hiv", "flu")
    ]
    found = measured(frame(rows))
    assert found.classes.smallest == 4
    (s,) = found.sensitive
    assert (s.certain, s.certain_in_groups, s.certain_share, s.distinct_l, s.alpha) == (4, 4, 0.5, 1, 1)


# Roles.
PEOPLE = ROOT / "examples" / "people.csv"


def test_direct_identifiers_are_refused_and_named() -> None:
    with pytest.raises(UsageError, match=r"email \(EMAIL_ADDRESS\).*piiscan mask.*insensitive="):
        piiscan.risk(PEOPLE, ["city", "state"])


def test_identifiers_inside_of_texts_are_refused() -> None:
    texts = ["call me at 219-09-9999 please", "nothing here to see at all", "the weather was good that day"] * 5
    with pytest.raises(UsageError, match="US_SSN"):
        piiscan.risk(pl.DataFrame({"note": texts, "sex": ["f", "m", "f"] * 5}), ["sex"])


def test_what_is_declared_masked_is_believed_with_a_warning() -> None:
    direct = ["first_name", "last_name", "email", "phone", "ssn", "street", "card_number"]
    found = piiscan.risk(PEOPLE, ["city", "state"], insensitive=[*direct, "date_of_birth", "zip", "newsletter"])
    assert sum("looks like a direct identifier" in w for w in found.warnings) == len(direct)


def test_without_a_list_the_scan_s_quasi_identifiers_count() -> None:
    direct = ["first_name", "last_name", "email", "phone", "ssn", "street", "card_number"]
    found = piiscan.risk(PEOPLE, insensitive=direct)
    assert [c.name for c in found.columns if c.role == "quasi"] == ["date_of_birth", "city", "state", "zip"]
    assert not any(c.declared for c in found.columns if c.role == "quasi")
    assert found.suspected is None


def test_what_the_scan_suspects_beside_a_list_is_reported_and_measured_apart() -> None:
    direct = ["first_name", "last_name", "email", "phone", "ssn", "street", "card_number"]
    found = piiscan.risk(PEOPLE, ["city"], insensitive=direct)
    assert [c.name for c in found.columns if c.role == "suspected"] == ["date_of_birth", "state", "zip"]
    assert found.suspected is not None and found.suspected.smallest == 1 < found.classes.smallest
    assert sum("an attacker may know it" in w for w in found.warnings) == 3
    assert set(found.column_sets.candidates) == {"city", "date_of_birth", "state", "zip"}


def test_columns_that_differ_from_row_to_row_are_warned_of() -> None:
    data = pl.DataFrame({"colour": ["a", "b"] * 20, "serial": [f"x{i}q" for i in range(40)]})
    found = piiscan.risk(data, ["colour"], insensitive=["serial"])
    assert any(w.startswith("serial: all its values are different") for w in found.warnings)


def test_few_columns_that_single_most_out_are_found() -> None:
    rng = random.Random(3)
    rows = [(f"{i // 6}", f"{i % 6}", rng.choice("ab"), "u") for i in range(36)]
    found = measured(frame(rows), quasi=["colour", "shape", "illness"], sensitive=[]).column_sets
    assert [s.columns for s in found.identifying] == [("colour", "shape")]
    assert found.identifying[0].unique_share == found.identifying[0].separation_ratio == 1


# Wrong usage.
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quasi": ["colour", "nope"]}, "there is no column nope"),
        ({"quasi": ["colour"], "sensitive": ["colour"]}, "declared as quasi and as sensitive"),
        ({"quasi": []}, "no column counts as a quasi-identifier"),
        ({"sampling_fraction": 0.1, "population": frame([])}, "only one of"),
        ({"sampling_fraction": 1.5}, "at most 1"),
        ({"population": pl.DataFrame({"colour": ["a"]})}, "lacks the columns shape"),
        ({"against": pl.DataFrame({"size": ["a"]})}, "none of the quasi-identifiers"),
        ({"insensitive": [], "weights": "who"}, "1 of its 1 different values are not"),
        ({"insensitive": [], "weights": "who", "unit": "illness", "sensitive": []}, "weights belong to rows"),
    ],
)
def test_wrong_usage_says_what_is_wrong(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        piiscan.risk(
            frame([("a", "x", "flu", "u1")] * 2),
            **({"quasi": ["colour", "shape"], "insensitive": ["who"], "sensitive": ["illness"]} | given),
        )


def test_an_empty_table_has_no_risk() -> None:
    with pytest.raises(UsageError, match="has no rows"):
        measured(frame([]))


def test_what_can_be_read_only_once_is_refused() -> None:
    with pytest.raises((ReadError, UsageError)):
        measured(iter([frame([("a", "x", "flu", "u1")])]))


# The command.
def test_the_command_prints_what_the_function_returns(piiscan: Run) -> None:
    done = piiscan(
        "risk",
        VISITS,
        "--quasi",
        "age,sex",
        "--quasi",
        "zip",
        "--sensitive",
        "diagnosis",
        "--unit",
        "patient",
        "--against",
        VOTERS,
        "-f",
        "json",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    import piiscan as package

    assert found == json.loads(package.risk(VISITS, QUASI, "diagnosis", unit="patient", against=VOTERS).to_json())


@pytest.mark.parametrize(
    "more", [(), ("--sampling-fraction", "0.05"), ("--population", VISITS), ("--sensitive", "diagnosis")]
)
def test_every_report_follows_the_published_schema(piiscan: Run, more: tuple[str, ...]) -> None:
    rest = () if "--sensitive" in more else ("--insensitive", "diagnosis")
    done = piiscan("risk", VISITS, "--quasi", "age,sex,zip", "--insensitive", "patient", *rest, *more, "-f", "json")
    assert done.returncode == 0, done.stderr
    jsonschema.validate(json.loads(done.stdout), SCHEMA)


@pytest.mark.parametrize("width", [40, 80, 140])
def test_lines_fit_the_terminal(piiscan: Run, width: int) -> None:
    done = piiscan(
        "risk",
        VISITS,
        "--quasi",
        "age,sex,zip",
        "--sensitive",
        "diagnosis",
        "--unit",
        "patient",
        "--sampling-fraction",
        "0.1",
        width=width,
    )
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= width for line in done.stdout.splitlines())
    assert "homogeneity" in done.stdout


def test_a_report_goes_to_a_file(piiscan: Run, tmp_path: Path) -> None:
    done = piiscan(
        "risk",
        VISITS,
        "--quasi",
        "age",
        "--insensitive",
        "patient,diagnosis",
        "-f",
        "json",
        "-o",
        tmp_path / "risk.json",
    )
    assert (done.returncode, done.stdout) == (0, "")
    jsonschema.validate(json.loads((tmp_path / "risk.json").read_text()), SCHEMA)


def test_exit_statuses(piiscan: Run, tmp_path: Path) -> None:
    assert piiscan("risk", PEOPLE, "--quasi", "city").returncode == 2
    assert piiscan("risk", tmp_path / "gone.csv", "--quasi", "city").returncode == 2
    pl.read_csv(VISITS).write_parquet(tmp_path / "cut.parquet")
    whole = (tmp_path / "cut.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    done = piiscan("risk", tmp_path / "cut.parquet", "--quasi", "age,sex,zip", "--insensitive", "patient,diagnosis")
    assert (done.returncode, done.stdout) == (3, "")


def test_a_file_of_several_tables_is_refused(piiscan: Run) -> None:
    done = piiscan("risk", ROOT / "examples" / "hospital.xlsx")
    assert done.returncode == 2
    assert "several tables; name one with --table" in done.stderr


# What must never show.
def secret(rng: random.Random) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=9))


def test_no_cell_value_in_any_report_or_message(piiscan: Run, tmp_path: Path) -> None:
    rng = random.Random(11)
    pools = {
        name: [secret(rng) for _ in range(n)]
        for name, n in (("colour", 4), ("shape", 30), ("illness", 3), ("who", 200))
    }
    rows = [{name: rng.choice(pool) for name, pool in pools.items()} for _ in range(200)]
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    values = {value for pool in pools.values() for value in pool}
    declared = ["--quasi", "colour,shape", "--sensitive", "illness"]
    runs = [
        [*declared, "--unit", "who"],
        [*declared, "--unit", "who", "-f", "json"],
        [*declared, "--insensitive", "who", "--population", tmp_path / "t.csv", "--against", tmp_path / "t.csv", "-v"],
        [*declared, "--weights", "who"],
        ["--quasi", "colour,shape,nope"],
    ]
    for arguments in runs:
        done = piiscan("risk", tmp_path / "t.csv", *arguments)
        assert done.returncode in (0, 2)
        assert not [v for v in values if v in done.stdout + done.stderr]


def test_a_column_named_after_somebody_is_not_named() -> None:
    data = io.StringIO("ann.lee@example.com,sex\n1,f\n1,m\n2,f\n")
    found = piiscan.risk(pl.read_csv(data, infer_schema=False), ["sex"], insensitive=["column_0"])
    assert "ann.lee" not in found.to_json()
