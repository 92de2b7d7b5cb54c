"""Learn what shows that the rows of a table are about persons: a weight for each term of
`piiscan.scanning.classify.subject.evidence`.

A column whose entity is personal only where the rows are (an age, a telephone, a city) says by its label `is_pii`
whether they are. The weights are those under which a logistic regression on all such columns is likeliest, with a
Gaussian prior around weights set by
hand: a few hundred tables can correct what is known of the world, they can't replace it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from examples import Kept, Variant
from piiscan.core.entities import PII_CLASS
from piiscan.rules import rule_sets
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.lexicon import lexicon
from piiscan.scanning.classify.subject import ALWAYS, CONTACTS, NAMES, PERSONAL, evidence
from piiscan.scanning.classify.verdicts import gather

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


def seen(found: Sequence[Kept], models: Mapping[str, Path], jobs: int) -> list[Seen]:
    """The tables with their headers and without, each as `models[its group]`, which has not seen its source, judges
    it."""
    with ProcessPoolExecutor(jobs) as pool:
        work = [(source, str(models[source.group])) for source in found]
        return [table for tables in pool.map(_seen, work, chunksize=4) for table in tables]


def _seen(work: tuple[Kept, str]) -> list[Seen]:
    source, path = work
    return [s for v in source.variants() if v.kind in ("full", "blank") and (s := _of_variant(v, path))]


def _of_variant(v: Variant, path: str) -> Seen | None:
    """A table as its subject is learned from it; columns that are judged wrong don't count."""
    known = lexicon(rule_sets.load(()))
    e = gather([(v.info, v.summary)], known, model(path))[0]
    if e.rows.subject == "aggregate":
        return None  # said by its structure, whatever its columns are
    right = [
        c.index
        for c in e.columns
        if (b := c.best()) and b.entity in DEPENDENT and c.index in v.labels and b.entity in v.labels[c.index].accepted
    ]
    if not right:
        return None
    personal = sum(v.labels[i].pii != "none" for i in right)
    weight = 1.0 if v.real else GENERATED
    return Seen(evidence(v.info, e.columns, v.summary.rows), personal, len(right), v.group, weight)


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
