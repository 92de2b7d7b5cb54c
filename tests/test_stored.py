"""Texts that are stored and compared later: held by golden files, so that a renamed class or field can't change them
unseen.

A ledger gives a repeated query again for free where its text is the same. With another text it would charge the query
twice.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from dp_tables import privately
from plan_cases import bare

from piiscan import learning
from piiscan.dp.domains import Categories, Keys, Number, Unbounded
from piiscan.dp.ledger import Ledger
from piiscan.dp.request import Request
from piiscan.learning import Privacy
from piiscan.masking.plan.plan_types import Plan

pytest.importorskip("opendp")
GOLDEN = Path(__file__).parent / "golden" / "ledger-queries.json"
AGE, DEPT = ("age", Number(0, 120)), ("dept", Categories(("a", "ä")))
REQUESTS = {
    "plain": Request("people", "", (AGE, DEPT), 1.0),
    "everything": Request(
        "people",
        "2025",
        (("age", Number(0, 120, (18.0, 65.0), "registry")), DEPT, ("key", Keys()), ("pay", Unbounded())),
        0.5,
        1e-9,
        "id",
        3,
        ("count", "mean"),
        (0.5,),
        (("dept",),),
        (("dept", "age"),),
        "visits",
    ),
    "moments": Request("staff", "", (AGE, DEPT), 2.0, by=(("dept",),), moments=True),
}
BOUNDS: dict[str, Any] = {"bounds": {"age": (0, 120), "pay": (0, 9000)}}
MODELS = {
    "StandardScaler": lambda: learning.StandardScaler(**BOUNDS),
    "PCA": lambda: learning.PCA(n_components=1, **BOUNDS),
    "KMeans": lambda: learning.KMeans(n_clusters=2, **BOUNDS),
    "GaussianNB": lambda: learning.GaussianNB(target="ill", classes=["no", "yes"], **BOUNDS),
    "LogisticRegression": lambda: learning.LogisticRegression(target="ill", classes=["no", "yes"], **BOUNDS),
    "LinearRegression": lambda: learning.LinearRegression(target="pay", **BOUNDS),
}


class Asked(Exception):
    pass


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that ledgers are asked for; nothing is charged."""
    texts: list[str] = []

    def stored(self: Ledger, query: str) -> str | None:
        texts.append(query)
        raise Asked

    monkeypatch.setattr(Ledger, "stored", stored)
    return texts


def golden() -> dict[str, str]:
    found: dict[str, str] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", REQUESTS)
def test_the_text_of_a_request(name: str) -> None:
    assert REQUESTS[name].canonical("gaussian") == golden()[name]


@pytest.mark.parametrize("name", MODELS)
def test_the_text_of_a_model(name: str, asked: list[str], tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [30, 40], "pay": [10.0, 20.0], "ill": ["no", "yes"]})
    privacy = Privacy(
        epsilon=1.0, delta=1e-6, one_row_per_person=True, dataset="people", ledger=tmp_path / "ledger.sqlite"
    )
    with pytest.raises(Asked):
        MODELS[name]().fit(frame, privacy)
    assert asked == [golden()[name]]


def test_the_text_of_synthetic_rows_and_summaries(asked: list[str], tmp_path: Path) -> None:
    import piiscan

    (tmp_path / "people.csv").write_text("age,dept\n30,a\n40,b\n")
    given: dict[str, Any] = {
        "epsilon": 1.0,
        "one_row_per_person": True,
        "bounds": {"age": (0, 120)},
        "categories": {"dept": ["a", "b"]},
        "dataset": "people",
    }
    for ask in (piiscan.synthesize, piiscan.summarize):
        with pytest.raises(Asked):
            privately(ask, tmp_path / "people.csv", **given)
    assert asked == [golden()["synthesize"], golden()["summarize"]]


def test_a_renamed_class_asks_the_same() -> None:
    renamed = type("Interval", (Number,), {})
    assert Request("people", "", (("age", renamed(0, 120)), DEPT), 1.0).canonical("gaussian") == golden()["plain"]
    assert all(getattr(learning, name).stored_name == name for name in MODELS)


def people() -> pl.DataFrame:
    n = range(40)
    return pl.DataFrame(
        {
            "patient_id": [f"P{i:05}" for i in n],
            "name": [f"{('Ann', 'Bob', 'Eve', 'Jim')[i % 4]} {('Smith', 'Jones', 'Brown')[i % 3]}" for i in n],
            "email": [f"user{i}@example.com" for i in n],
            "ssn": [f"219-09-{9000 + i}" for i in n],
            "birth_date": [f"19{50 + i}-03-0{1 + i % 9}" for i in n],
            "diagnosis": [("flu", "asthma", "gout")[i % 3] for i in n],
            "visits": list(n),
        }
    )


@pytest.mark.parametrize("policy", ["default", "gdpr", "hipaa-safe-harbor"])
def test_the_text_of_a_plan(policy: str) -> None:
    """Keys of plans, names of operators and their parameters. A plan that somebody committed must load and mean the
    same."""
    import piiscan
    from piiscan.masking.plan import plan_toml
    from piiscan.masking.plan.plan_digest import digest

    made = piiscan.plan(people(), policy)
    path = GOLDEN.with_name(f"plan-{policy}.toml")
    assert _without_digests(plan_toml.dumps(made)) == path.read_text(encoding="utf-8")
    assert _without_lists(plan_toml.loads(path.read_text(encoding="utf-8"))) == _without_lists(made)
    old = plan_toml.loads(path.with_name(f"plan-{policy}-1.toml").read_text(encoding="utf-8"))  # of version 1
    assert _without_lists(plan_toml.loads(plan_toml.dumps(old))) == _without_lists(old)
    assert digest(plan_toml.loads(plan_toml.dumps(made), path.name)) == digest(made)


def _without_lists(plan: Plan) -> list[Any]:
    """All that a text brings back, but for the digests of rules and lists."""
    plain = bare(plan)
    return [
        (t.source, t.table, t.subjects, t.drop_rows)
        + tuple(replace(c, params={k: v for k, v in c.params.items() if k != "lists"}) for c in t.columns)
        for t in plain.tables
    ] + [(s.entity, s.operator, s.domain, {k: v for k, v in s.params.items() if k != "lists"}) for s in plain.spans]


def _without_digests(plan: str) -> str:
    """Without comments, which say how sure a verdict was, and digests of rules and lists, which change with those."""
    kept = [line.partition("  #")[0].rstrip() + "\n" for line in plan.splitlines() if not line.startswith("#")]
    return re.sub(r'"[0-9a-f]{16,}(?:@[^"]*)?"', '"0"', "".join(kept))


def test_the_text_of_a_baseline() -> None:
    """The keys by which findings are known again, and what they were found with."""
    from golden_report import BASE, REPORT

    from piiscan.scanning import baseline
    from piiscan.scanning.findings import answerable

    path = GOLDEN.with_name("baseline.jsonl")
    made = baseline.Baseline({}).update(answerable(REPORT), BASE, REPORT)
    assert made.dumps() == path.read_text(encoding="utf-8")
    assert baseline.load(path) == made


def test_the_names_of_operators_and_entities() -> None:
    """What plans, policies and reports call them. A name may come; one that goes breaks what is stored."""
    from piiscan.core.entities import PII_CLASS
    from piiscan.masking.operators import operator_registry

    stored = json.loads(GOLDEN.with_name("names.json").read_text(encoding="utf-8"))
    assert set(stored["operators"]) <= set(operator_registry.BUILT_IN)
    assert stored["entities"].items() <= PII_CLASS.items()
