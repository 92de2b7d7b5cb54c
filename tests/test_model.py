"""The trained classifier through its public doors: what it may load, what it makes of odd tables, and that it can be
explained."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import piiscan
from piiscan.core import resources
from piiscan.core.entities import PII_CLASS
from piiscan.core.errors import ModelError, PiiscanError
from piiscan.scanning.classify import arrays
from piiscan.scanning.classify.column_features import BUCKETS, GROUPS, WIDTH
from piiscan.scanning.classify.column_model import NONE, ColumnModel, model
from piiscan.scanning.classify.model_evidence import log_odds
from piiscan.scanning.classify.table_signals import TABLE_WIDTH
from piiscan.scanning.classify.value_grams import CHARACTERS, GRAM_BUCKETS, Grams, grams_of_each
from piiscan.scanning.classify.wordlists import wordlists

FIRST = (
    "Anna Peter Maria John Julia Thomas Laura Michael Sofia David Emma Daniel Nina Lukas Clara Felix Paula Simon "
    "Eva Oscar"
).split()
LAST = (
    "Novak Smith Garcia Rossi Martin Weber Silva Jansen Kowalski Dubois Moreau Fischer Lopez Costa Meyer Berg "
    "Wagner Keller Bauer Roth"
).split()
CITIES = (
    "Berlin Madrid Lisbon Vienna Prague Warsaw Dublin Rome Athens Oslo Helsinki Zagreb Riga Vilnius Tallinn Sofia "
    "Bern Paris"
).split()


def people(rows: int) -> dict[str, list[str]]:
    chance = random.Random(5)
    return {
        "first": [chance.choice(FIRST) for _ in range(rows)],
        "last": [chance.choice(LAST) for _ in range(rows)],
        "city": [chance.choice(CITIES) for _ in range(rows)],
        "score": [f"{chance.gauss(50, 9):.3f}" for _ in range(rows)],
    }


def test_what_ships_is_small_and_plain() -> None:
    shipped = resources.folder("models")
    sizes = [(shipped / f"{name}.npz").stat().st_size for name in ("columns", "wordlists")]
    assert sum(sizes) <= 8_000_000
    m = model()
    assert set(m.classes) <= {NONE, *PII_CLASS}
    assert m.hidden_header.shape == (BUCKETS, len(m.hidden_bias))
    assert m.hidden_dense.shape == (WIDTH, len(m.hidden_bias)) and sum(GROUPS.values()) == WIDTH
    assert m.gram_hidden.shape == (GRAM_BUCKETS, len(m.gram_hidden_bias))
    assert len(wordlists().arrays) == 18


def test_every_entity_of_columns_can_be_learned() -> None:
    assert {*PII_CLASS} - {*model().classes} == {"LOCATION"}  # of free text only


@pytest.mark.parametrize("change", ["cut", "flipped", "no arrays", "missing"])
def test_a_shipped_file_that_was_changed_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytearray((resources.folder("models") / "columns.npz").read_bytes())
    (tmp_path / arrays.DIGESTS).write_bytes((resources.folder("models") / arrays.DIGESTS).read_bytes())
    content[5000] ^= 1
    if change != "missing":
        (tmp_path / "columns.npz").write_bytes({"cut": content[:9000], "flipped": content, "no arrays": b"x"}[change])
    monkeypatch.setattr(arrays, "folder", lambda name: tmp_path)
    with pytest.raises(ModelError, match="reinstall"):
        arrays.load("columns")


def test_a_model_that_is_none_ends_the_scan_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"gone\.npz"):
        piiscan.scan(pl.DataFrame({"a": ["x"]}), model=tmp_path / "gone.npz")
    (tmp_path / "text.npz").write_text("nothing")
    with pytest.raises(ModelError, match="piiscan train"):
        piiscan.scan(pl.DataFrame({"a": ["x"]}), model=tmp_path / "text.npz")
    np.savez(tmp_path / "other.npz", version=np.array(0))
    with pytest.raises(ModelError, match="another version"):
        piiscan.scan(pl.DataFrame({"a": ["x"]}), model=tmp_path / "other.npz")
    np.savez(tmp_path / "pickled.npz", version=np.array({"a": 1}, dtype=object))
    with pytest.raises(ModelError, match="contains no readable arrays"):
        piiscan.scan(pl.DataFrame({"a": ["x"]}), model=tmp_path / "pickled.npz")


@pytest.mark.parametrize("name", ["hidden_header", "gram_hidden", "table_bias", "class_linear", "class_thresholds"])
@pytest.mark.parametrize("weight", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(name: str, weight: float, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="weights that aren't numbers"):
        piiscan.scan(pl.DataFrame({"a": ["x"]}), model=with_weights(tmp_path, name, weight))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["linear_dense", "table_hidden_bias", "class_output", "class_linear"])
def test_nothing_is_said_by_a_probability_that_is_no_number(name: str, tmp_path: Path) -> None:
    broken = with_weights(tmp_path, name, np.finfo(np.float32).max)  # products of it are infinite
    with pytest.raises(PiiscanError, match="a probability that isn't a number"):
        piiscan.scan(pl.DataFrame({"email": ["a@example.com"], "name": ["Anna Novak"]}), model=broken)


def with_weights(folder: Path, name: str, weight: float) -> Path:
    """The shipped model with one array that holds nothing but a weight, of either sign where it is a number."""
    changed = dict(arrays.load("columns")[0])
    changed[name] = np.full_like(changed[name], weight)
    if np.isfinite(weight):
        changed[name][..., 0] *= -1
    (folder / "changed.npz").write_bytes(arrays.packed(changed))
    return folder / "changed.npz"


def test_the_report_names_the_model() -> None:
    report = piiscan.scan(pl.DataFrame({"a": ["x"]})).to_dict()
    assert report["tool"]["model_digest"] == model().digest
    assert len(model().digest) == 16


@pytest.mark.parametrize("rows", [5, 400])
@pytest.mark.parametrize("headed", [True, False])
def test_names_and_cities_are_reported_apart(rows: int, headed: bool) -> None:
    table = people(rows)
    frame = pl.DataFrame(table if headed else {f"column_{i}": v for i, v in enumerate(table.values())})
    found = [c.entity for c in piiscan.scan(frame).columns]
    assert found[0] == "FIRST_NAME"
    assert found[3] is None
    if headed:
        assert found[1:3] == ["LAST_NAME", "CITY"]


def test_a_verdict_says_what_weighed_most() -> None:
    (column,) = piiscan.scan(pl.DataFrame({"x": people(400)["city"]})).columns
    said = [r for r in column.reasons if r.by == "model"]
    assert column.entity == "CITY"
    assert said and said[0].p is not None and said[0].p > 0.5
    assert "words in its values" in (said[0].text or "")
    assert not any(city in (r.text or "") for r in column.reasons for city in CITIES)


def test_columns_of_one_table_many_and_wide() -> None:
    frame = pl.DataFrame({f"v{i}": [str(i * j % 7) for j in range(6)] for i in range(500)})
    columns = piiscan.scan(frame).columns
    assert len(columns) == 500
    assert all(0 <= c.confidence <= 1 for c in columns)


def test_only_what_is_selected_is_found() -> None:
    frame = pl.DataFrame(people(50))
    assert {c.entity for c in piiscan.scan(frame, select="CITY").columns} <= {"CITY", None}


def test_probabilities_are_of_the_whole_vocabulary_and_never_certain() -> None:
    assert log_odds(0.0) == pytest.approx(-log_odds(1.0))
    assert 3 < log_odds(1.0) < 5
    m: ColumnModel = model()
    with pytest.raises(ValueError, match="need at least one array"):
        m.probabilities([], np.zeros(TABLE_WIDTH, dtype=np.float32))


def test_a_scan_needs_nothing_that_training_needs() -> None:
    code = (
        "import sys, piiscan, polars as pl; piiscan.scan(pl.DataFrame({'name': ['Anna Novak'] * 9}));"
        "print([m for m in ('sklearn', 'scipy', 'pandas', 'faker', 'pickle5', 'joblib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_rule_of_ones_own_may_find_what_the_model_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "depots.toml").write_text(
        '[[rule]]\nid = "depot"\nentity = "LOCATION"\ntitle = "Depot code"\npattern = "DEPOT-[0-9]{4}"\nsearch '
        '= "anywhere"\n'
        'headers = ["depot"]\nmatch = ["DEPOT-1234"]\nno_match = ["DEPOT-12"]\nheader_match = '
        '["depot"]\nheader_no_match = ["deport"]\n'
    )
    frame = pl.DataFrame({"depot": [f"DEPOT-{n}" for n in range(1000, 1020)]})
    (column,) = piiscan.scan(frame, rules=tmp_path).columns
    assert column.entity == "LOCATION"


TEXTS = st.lists(st.text(st.characters(blacklist_characters="\x02\x03"), max_size=40), min_size=1, max_size=12)


def value_grams(texts: Sequence[str]) -> Grams:
    return grams_of_each([texts])[0]


@given(TEXTS, st.randoms(use_true_random=False))
def test_n_grams_of_values_are_of_their_beginnings_in_any_order(texts: list[str], chance: random.Random) -> None:
    buckets, weights = value_grams(texts)
    mixed = chance.sample(texts, len(texts))
    for same in (mixed, [*texts, *texts], [t[:CHARACTERS] for t in texts]):
        assert [a.tolist() for a in value_grams(same)] == [buckets.tolist(), weights.tolist()]
    assert (np.diff(buckets) > 0).all() and 0 <= buckets[0] <= buckets[-1] < GRAM_BUCKETS
    assert ((weights > 0) & (weights <= 1)).all()
    parts = set().union(*(value_grams([t])[0].tolist() for t in texts))
    assert parts == set(buckets.tolist())  # none across texts


def test_no_values_have_no_n_grams() -> None:
    assert [len(a) for a in value_grams([])] == [0, 0]


def test_n_grams_of_many_columns_are_those_of_each() -> None:
    columns = [["a", "İß", "\x03", "ΑΣ"], [], ["12-34", "小明"], *([[str(i), "x" * i] for i in range(150)])]
    for one, many in zip(map(value_grams, columns), grams_of_each(columns), strict=True):
        assert [a.tolist() for a in one] == [a.tolist() for a in many]
        assert [a.dtype for a in one] == [a.dtype for a in many]
