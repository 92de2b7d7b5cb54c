"""Learn what tells that the rows of a table are about persons: a weight for each term of
`piiscan.scanning.classify.subject.evidence`.

A column whose entity is personal only where the rows are (an age, a telephone, a city) says by its label `is_pii`
whether they are. The weights are those under which a logistic regression on all such columns is likeliest, with a
Gaussian prior around weights set by
hand: a few hundred tables can correct what is known of the world, they can't replace it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import labelled
import numpy as np
import polars as pl

from piiscan.core.entities import PII_CLASS
from piiscan.core.types import Field, TableInfo
from piiscan.rules import rule_sets
from piiscan.scanning import engine
from piiscan.scanning.classify.adjust_for_subject import adjust_for_subject
from piiscan.scanning.classify.candidates import judge
from piiscan.scanning.classify.column_model import NONE, model
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.model_evidence import with_model
from piiscan.scanning.classify.neighbours import with_neighbours
from piiscan.scanning.classify.subject import ALWAYS, CONTACTS, NAMES, PERSONAL, evidence, row_subject

PRIOR: Mapping[str, float] = {
    "DATE_OF_BIRTH": 2.5,
    "AGE": 1.4,
    "GENDER": 1.4,
    "MARITAL_STATUS": 2.0,
    "US_SSN": 3.0,
    "NATIONAL_ID": 2.5,
    "PASSPORT": 2.5,
    "DRIVER_LICENSE": 2.0,
    "FIRST_NAME": 1.6,
    "LAST_NAME": 1.6,
    "MEDICAL_RECORD": 3.0,
    "INCOME": 1.4,
    "EDUCATION": 1.3,
    "OCCUPATION": 1.0,
    "ETHNICITY": 1.6,
    "RELIGION": 1.5,
    "SEXUALITY": 2.0,
    "NATIONALITY": 1.2,
    "BIRTHPLACE": 2.0,
    "CREDIT_CARD": 2.0,
    "CVV": 1.5,
    "PERSON_ID": 1.8,
    "USERNAME": 1.2,
    "PASSWORD": 1.0,
    "HEALTH_CONDITION": 0.8,
    "EMAIL_ADDRESS": 0.5,
    "IBAN_CODE": 0.8,
    "BANK_ACCOUNT": 0.8,
    "ORGANIZATION": -0.6,
    "GEO_COORDINATES": -0.2,
    "PERSON": 0.8,
    "PERSON, key": 1.9,
    "PERSON, role": 0.3,
    "name, person": 0.9,
    "headers, person": 0.6,
    "name, thing": -0.8,
    "headers, thing": -0.35,
    "name, organisation": -0.9,
    "headers, organisation": -0.2,
    "name, place": -0.8,
    "headers, place": -0.1,
}
"""Log-odds set by hand; 0 for all other terms."""
SPREAD = 0.1
"""Standard deviation of the prior of each weight."""
GENERATED = 0.1
"""The weight of a generated table beside a real one's 1."""
DEPENDENT = (
    frozenset(e for e, c in PII_CLASS.items() if c in ("quasi", "sensitive")) | CONTACTS
) - NAMES - ALWAYS - {"FREE_TEXT", "ORGANIZATION", "PERSON_ID", "URL"}  # fmt: skip
"""Entities that are personal only where the rows are about persons."""


@dataclass(frozen=True)
class Seen:
    """A table as its rows' subject is learned from it: `personal` of `columns` dependent columns are labelled as
    personal."""

    evidence: Mapping[str, float]
    personal: int
    columns: int
    group: str
    weight: float


def of_labelled(data: Path, models: Sequence[Path], folds: Mapping[str, int], jobs: int) -> list[Seen]:
    """The labelled tables, each as the model of its own fold, which has not seen its source, judges it."""
    with ProcessPoolExecutor(jobs) as pool:
        work = [(file, str(models[folds[file.group]])) for file in labelled.files(data)]
        return [table for tables in pool.map(_file, work, chunksize=8) for table in tables]


def of_generated(
    parts: Sequence[tuple[int, int]], models: Sequence[Path], folds: Mapping[str, int], jobs: int
) -> list[Seen]:
    """Generated tables: `parts` are seeds and how many tables of each."""
    with ProcessPoolExecutor(jobs) as pool:
        work = [(part, str(models[folds[f"generated {part[0]}"]])) for part in parts]
        return [table for tables in pool.map(_made, work) for table in tables]


def _file(work: tuple[labelled.File, str]) -> list[Seen]:
    file, path = work
    out: list[Seen] = []
    for info, frame, truths in labelled.tables(file):
        right = {i: (t.accepted, t.personal) for i, t in truths.items()}
        out += _seen(info, frame, right, path, (file.group, 1.0))
    return out


def _made(work: tuple[tuple[int, int], str]) -> list[Seen]:
    import generate

    part, path = work
    out: list[Seen] = []
    for table in generate.tables(*part):
        frame = pl.DataFrame([pl.Series(str(i), list(c.values), dtype=pl.String) for i, c in enumerate(table.columns)])
        info = TableInfo(f"{table.name}.csv", None, "csv", True, tuple(Field(c.header) for c in table.columns))
        right = {i: (frozenset((c.entity or NONE,)), c.pii != "none") for i, c in enumerate(table.columns)}
        out += _seen(info, frame, right, path, (f"generated {part[0]}", GENERATED))
    return out


def _seen(
    info: TableInfo,
    frame: pl.DataFrame,
    right: Mapping[int, tuple[frozenset[str], bool]],
    path: str,
    place: tuple[str, float],
) -> Iterator[Seen]:
    """A table with its headers and without. `right`: column → entities that are right, and whether it is personal;
    columns that are told wrong don't count."""
    rules = rule_sets.load(())
    known = lexicon(rules)
    summary = engine.partial(frame, info.fields, rules)
    for fields in (info.fields, tuple(Field(None, f.dtype) for f in info.fields)):
        info = info._replace(fields=fields)
        alone = [judge(i, field, summary.columns[i], known) for i, field in enumerate(fields)]
        columns = with_neighbours(with_model(alone, summary.columns, known, model(path)), summary)
        columns = adjust_for_subject(columns, row_subject(info, columns, summary.rows, PRIOR))
        if row_subject(info, columns, summary.rows, PRIOR).subject == "aggregate":
            continue  # told by its structure, whatever its columns are
        told = [
            c.index
            for c in columns
            if (b := c.best()) and b.entity in DEPENDENT and c.index in right and b.entity in right[c.index][0]
        ]
        if told:
            personal = sum(right[i][1] for i in told)
            yield Seen(evidence(info, columns, summary.rows), personal, len(told), *place)


def fit(tables: Sequence[Seen]) -> dict[str, float]:
    """The weights, rounded to hundredths, as `row_subject` takes them."""
    from scipy.optimize import minimize

    terms = sorted(set(PRIOR).union(*(t.evidence for t in tables)))
    x = np.array([[t.evidence.get(term, 0.0) for term in terms] for t in tables])
    prior = np.array([PRIOR.get(term, 0.0) for term in terms])
    columns, personal = np.array([t.columns for t in tables]), np.array([t.personal for t in tables])
    # A table of many columns is more than one of few, and less than as many tables.
    weight = np.array([t.weight for t in tables]) / np.sqrt(columns)

    def loss(moved: np.ndarray) -> tuple[float, np.ndarray]:
        z = x @ (prior + SPREAD * moved) - PERSONAL
        surprise = personal * np.logaddexp(0, -z) + (columns - personal) * np.logaddexp(0, z)
        error = weight * (columns / (1 + np.exp(-z)) - personal)
        return float(weight @ surprise + moved @ moved / 2), SPREAD * (x.T @ error) + moved

    found = minimize(loss, np.zeros(len(terms)), jac=True, method="L-BFGS-B").x
    return {term: round(float(w), 2) for term, w in zip(terms, prior + SPREAD * found, strict=True)}
