"""Those who attack an anonymised table: what they don't get, and what they do, which the documentation has to say."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import polars as pl
import pytest

import piiscan
from piiscan.anonymity.publish import Publisher
from piiscan.core.errors import VerifyError

pytestmark = pytest.mark.slow

TREE = {"a1": ["a"], "a2": ["a"], "b1": ["b"], "b2": ["b"], "c1": ["c"], "c2": ["c"]}
AGES: dict[str, list[str]] = {str(age): [] for age in range(20, 60)}


def people(rows: int, seed: int) -> pl.DataFrame:
    draw = random.Random(seed)
    return pl.DataFrame(
        {
            "place": [draw.choice(list(TREE)) for _ in range(rows)],
            "age": [str(draw.randrange(20, 60)) for _ in range(rows)],
        }
    )


def test_downcoding_reveals_the_values_of_minimal_classes() -> None:
    """Cohen, USENIX Security 2022: who knows that no class is more general than it has to be knows what is in the
    smallest ones. Two records that are labelled \"a\" can't be equal, or they had been published as they are: so they
    are a1 and a2. The manual says so; a larger k blurs it."""
    hits = {2: 0, 8: 0}
    for k in hits:
        for seed in range(20):
            frame = people(60, seed)
            report = piiscan.anonymize(
                frame, k=k, quasi=["place", "age"], hierarchies={"place": TREE, "age": AGES}, method="local", suppress=1
            )
            both = pl.concat(
                [frame.select(value="place", old="age"), report.frame.select(label="place", age="age")],
                how="horizontal",
            )
            for (label, age), rows in both.filter(pl.col("label").is_in(["a", "b", "c"])).group_by("label", "age"):
                if len(rows) == 2 and "[" not in str(age) and age != "*":
                    assert set(rows["value"]) == {
                        f"{label}1",
                        f"{label}2",
                    }  # what the attacker says, and is always right
                    hits[k] += 1
    assert hits[2] > 50
    assert hits[8] == 0


@pytest.mark.parametrize("blank", [True, False])
def test_a_class_that_got_too_small_is_seen_before_the_output_gets_its_name(
    monkeypatch: pytest.MonkeyPatch, blank: bool
) -> None:
    """Should applying what was found go wrong, the second count sees it."""
    frame = people(100, 1)
    right = Publisher.apply

    def wrong(self: Publisher, cells: pl.DataFrame) -> Any:
        columns, kept = right(self, cells)
        first = pl.Series([True] + [False] * (len(cells) - 1))
        changed = {
            i: c.cast(pl.String).set(first, None if blank else "b1" if c[0] != "b1" else "a1")
            for i, c in columns.items()
        }
        return type(right(self, cells))(changed, kept)

    monkeypatch.setattr(Publisher, "apply", wrong)
    with pytest.raises(VerifyError, match="the output was discarded"):
        piiscan.anonymize(frame, k=5, quasi=["place", "age"], hierarchies={"place": TREE})


def test_suppressed_rows_are_no_class() -> None:
    """Counted as one, they would hide that a class is too small, and their values would be told (arx#259)."""
    frame = pl.concat([people(200, 2), pl.DataFrame({"place": ["a1", "b1"], "age": ["99", "98"]})]).with_columns(
        pl.lit("flu").alias("d")
    )
    done = piiscan.anonymize(
        frame,
        k=3,
        quasi=["place", "age"],
        insensitive=["d"],
        hierarchies={"place": TREE},
        method="optimal",
        metric="entropy",
        suppress=0.5,
    )
    assert done.report["suppressed"] > 0
    blank = done.frame.filter(pl.all_horizontal(pl.all().is_null()))
    assert len(blank) == done.report["suppressed"]
    sizes = Counter(done.frame.filter(~pl.all_horizontal(pl.all().is_null())).select("place", "age").rows())
    assert min(sizes.values()) == done.report["smallest_class"] >= 3


def test_rows_keep_their_order_and_the_report_says_so() -> None:
    """Who has the same list in the same order finds everybody: row i is person i."""
    frame = people(50, 3).with_columns(pl.Series("d", [str(i) for i in range(50)]))
    done = piiscan.anonymize(frame, k=5, quasi=["place", "age"], sensitive=["d"], suppress=0)
    assert done.frame["d"].to_list() == frame["d"].to_list()
    assert any("order" in note for note in done.report["notes"])
