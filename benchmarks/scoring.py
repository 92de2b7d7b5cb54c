"""How good verdicts on labelled columns are: figures with counts, and intervals by source.

Columns that hold at least one value count, each as one. An entity is right where the label, or its second one
(`alt_label`), accepts it. A column is *direct* or *personal* by its `pii`; `sensitive` counts as personal. A clean
table has nothing personal in it; an alarm in one is any class but `none`. In documents a label is of a record's own
key, and what was said of all columns below that key is taken together. Whether a key of a person is a patient's, and so
direct, isn't judged.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

ENTITY: Final[Mapping[str, frozenset[str]]] = {
    label: frozenset(entities.split())
    for label, entities in {
        "person_name": "PERSON", "first_name": "FIRST_NAME", "last_name": "LAST_NAME", "email": "EMAIL_ADDRESS",
        "phone": "PHONE_NUMBER", "street_address": "STREET_ADDRESS", "city": "CITY", "region": "REGION",
        "postal_code": "POSTAL_CODE", "country": "COUNTRY", "lat_lon": "GEO_COORDINATES", "ssn": "US_SSN",
        "national_id": "NATIONAL_ID", "passport": "PASSPORT", "driver_license": "DRIVER_LICENSE",
        "credit_card": "CREDIT_CARD CVV", "iban": "IBAN_CODE", "bank_account": "BANK_ACCOUNT",
        "ip_address": "IP_ADDRESS", "mac_address": "MAC_ADDRESS", "url": "URL", "username": "USERNAME",
        "password": "PASSWORD SECRET", "date_of_birth": "DATE_OF_BIRTH", "age": "AGE", "gender": "GENDER",
        "race_ethnicity": "ETHNICITY", "religion": "RELIGION", "marital_status": "MARITAL_STATUS",
        "nationality_birthplace": "NATIONALITY BIRTHPLACE", "occupation": "OCCUPATION", "education": "EDUCATION",
        "income_salary": "INCOME", "health_condition": "HEALTH_CONDITION", "medical_record_id": "MEDICAL_RECORD",
        "vehicle_id": "VEHICLE_ID", "device_id": "DEVICE_ID", "customer_or_employee_id": "PERSON_ID",
        "organization_name": "ORGANIZATION", "free_text": "FREE_TEXT",
    }.items()
}  # fmt: skip
KEYS: Final = frozenset(("customer_or_employee_id", "medical_record_id"))
CLASSES: Final = ("none", "quasi", "sensitive", "direct")
FEWEST: Final = 5
"""Types of fewer columns don't count in macro-F1."""
DRAWS: Final = 1000
"""Bootstrap samples of sources behind an interval of 90 %."""

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """A labelled column and what was said of it."""

    table: str
    source: str
    language: str
    label: str
    gold: str
    right: bool
    claimed: str | None  # the label that a wrong entity belongs to
    pii: str
    confidence: float
    pii_confidence: float
    review: bool

    @property
    def direct(self) -> tuple[bool, bool]:
        """Whether it is direct, and whether it was called so."""
        gold = self.gold == "direct"
        taste = self.label in KEYS and self.right and self.pii != "none"
        return gold, gold if taste else self.pii == "direct"


def accepted(label: str) -> frozenset[str | None]:
    """Entities, None among them, that a label takes for right."""
    if label == "id_other":
        return frozenset((None, "GENERIC_ID", "ORGANIZATION_ID", "SWIFT_CODE"))
    return frozenset((None,)) if label.endswith("_other") else frozenset(ENTITY.get(label, ()))


def columns(folder: Path, lines: Iterable[Line], keep: Callable[[str], bool] = lambda source: True) -> list[Column]:
    """The labelled columns of a folder with the prediction lines on them, of sources that `keep` keeps."""
    source = {r["table_file"]: r["repo_or_package"] for r in read(folder / "sources.csv")}
    language = {r["table_file"]: r["header_language"] for r in read(folder / "formats.csv")}
    by_table: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        by_table[line["table"]].append(line)
    out = []
    for row in read(folder / "labels.csv"):
        table = row["table_file"]
        of = source.get(table, table)
        if row["n_nonempty"] != "0" and keep(of):
            out.append(_column(row, _said(row, by_table[table]), of, language.get(table, "")))
    return out


def _said(row: Mapping[str, str], lines: Sequence[Line]) -> Line:
    """What was said of a labelled column; of a record's key the right entity, if there is one, and the strongest
    class."""
    name, index = row["column"], int(row["col_index"])
    if row["table_file"].endswith((".json", ".jsonl")) and not name.startswith("#"):
        own = [
            x for x in lines if (x["column"] or "") == name or (x["column"] or "").startswith((f"{name}.", f"{name}["))
        ]
        if own:
            right = _accepted(row)
            best = max(own, key=lambda x: (x["entity"] in right, CLASSES.index(x["pii"])))
            return {
                **best,
                "pii": max((x["pii"] for x in own), key=CLASSES.index),
                "review": any(x["review"] for x in own),
            }
    if row["table_file"].endswith(".sqlite"):
        own = [x for x in lines if f"{x['sub']}.{x['column']}" == name]
    else:
        own = [x for x in lines if x["index"] == index]  # the first sheet or list is the labelled one
    nothing = {"entity": "nothing said", "pii": "none", "confidence": 0.0, "pii_confidence": 0.0, "review": False}
    return own[0] if own else nothing


def _accepted(row: Mapping[str, str]) -> frozenset[str | None]:
    return accepted(row["label"]) | (accepted(row["alt_label"]) if row["alt_label"] else frozenset())


def _column(row: Mapping[str, str], said: Line, source: str, language: str) -> Column:
    right = said["entity"] in _accepted(row)
    claimed = next((label for label, of in ENTITY.items() if said["entity"] in of), None)
    if right and said["entity"] not in ENTITY.get(row["label"], ()):
        claimed = None  # the second label was met: neutral
    return Column(
        row["table_file"], source, language, row["label"], row["is_pii"], right, claimed, said["pii"],
        said["confidence"], said["pii_confidence"], bool(said["review"]),
    )  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """A share with what it is counted from, and where it lies in 90 % of samples of the sources."""

    value: float
    of: str
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f}; {self.of})"


def figures(found: Sequence[Column]) -> dict[str, Figure]:
    """Every figure by its name."""
    sources = sorted({c.source for c in found})
    place = {s: i for i, s in enumerate(sources)}
    labels = [x for x in ENTITY if sum(c.label == x for c in found) >= FEWEST]
    clean = {t for t in {c.table for c in found} if all(c.gold == "none" for c in found if c.table == t)}
    names = ["right", "columns"]
    names += [f"{a} {b}" for a in ("direct", "reviewed", "any") for b in ("tp", "fp", "fn")]
    names += ["clean", "alarmed", "touched", *(f"{x} {b}" for x in labels for b in ("tp", "fp", "fn"))]
    at = {n: i for i, n in enumerate(names)}
    counts = np.zeros((len(sources), len(names)))
    for c in found:
        row = counts[place[c.source]]
        row[at["columns"]] += 1
        row[at["right"]] += c.right
        gold, called = c.direct
        _count(row, at, "direct", gold, called)
        _count(row, at, "reviewed", gold, called or (gold and c.review))
        _count(row, at, "any", c.gold != "none", c.pii != "none")
        _count_type(row, at, c, labels)
    for table in clean:
        own = [c for c in found if c.table == table]
        row = counts[place[own[0].source]]
        row[at["clean"]] += 1
        row[at["alarmed"]] += any(c.pii != "none" for c in own)
        row[at["touched"]] += any(c.review for c in own)
    rng = np.random.default_rng(0)
    draws = rng.multinomial(len(sources), np.full(len(sources), 1 / len(sources)), size=DRAWS) @ counts
    return {n: _figure(f, counts.sum(axis=0), draws, at, labels) for n, f in _FIGURES.items()} | _calibration(found)


def _count(row: np.ndarray, at: Mapping[str, int], name: str, gold: bool, called: bool) -> None:
    row[at[f"{name} tp"]] += gold and called
    row[at[f"{name} fp"]] += called and not gold
    row[at[f"{name} fn"]] += gold and not called


def _count_type(row: np.ndarray, at: Mapping[str, int], c: Column, labels: Sequence[str]) -> None:
    if c.label in labels:
        row[at[f"{c.label} tp"]] += c.right and c.claimed == c.label
        row[at[f"{c.label} fn"]] += not c.right
    if not c.right and c.claimed in labels:
        row[at[f"{c.claimed} fp"]] += 1


Sums = Callable[[str], np.ndarray]


def _precision(name: str) -> Callable[[Sums, Sequence[str]], tuple[np.ndarray, np.ndarray]]:
    return lambda s, _: (s(f"{name} tp"), s(f"{name} tp") + s(f"{name} fp"))


def _recall(name: str) -> Callable[[Sums, Sequence[str]], tuple[np.ndarray, np.ndarray]]:
    return lambda s, _: (s(f"{name} tp"), s(f"{name} tp") + s(f"{name} fn"))


def _macro(s: Sums, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    scores = [2 * s(f"{x} tp") / np.maximum(1, 2 * s(f"{x} tp") + s(f"{x} fp") + s(f"{x} fn")) for x in labels]
    if not scores:  # no type has enough columns
        return np.zeros_like(s("right")), np.zeros_like(s("right"))
    return np.sum(scores, axis=0), np.full_like(scores[0], len(labels))


_FIGURES: Final[Mapping[str, Callable[[Sums, Sequence[str]], tuple[np.ndarray, np.ndarray]]]] = {
    "right entity": lambda s, _: (s("right"), s("columns")),
    "macro-F1 of types": _macro,
    "direct, precision": _precision("direct"),
    "direct, recall": _recall("direct"),
    "direct, recall with review": _recall("reviewed"),
    "anything personal, precision": _precision("any"),
    "anything personal, recall": _recall("any"),
    "anything personal, F1": lambda s, _: (2 * s("any tp"), 2 * s("any tp") + s("any fp") + s("any fn")),
    "clean tables alarmed": lambda s, _: (s("alarmed"), s("clean")),
    "clean tables with review": lambda s, _: (s("touched"), s("clean")),
}


def _figure(
    of: Callable[[Sums, Sequence[str]], tuple[np.ndarray, np.ndarray]],
    total: np.ndarray,
    draws: np.ndarray,
    at: Mapping[str, int],
    labels: Sequence[str],
) -> Figure:
    part, whole = of(lambda n: total[at[n]], labels)
    parts, wholes = of(lambda n: draws[:, at[n]], labels)
    low, high = np.quantile(parts / np.maximum(1, wholes), (0.05, 0.95))
    what = f"{len(labels)} types" if of is _macro else f"{part:,.0f} of {whole:,.0f}"
    return Figure(float(part / max(1.0, float(whole))), what, float(low), float(high))


def _calibration(found: Sequence[Column]) -> dict[str, Figure]:
    """Expected calibration errors, over ten bins of what was stated."""
    entity = [(c.confidence, c.right) for c in found]
    pii = [(c.pii_confidence, ("quasi" if c.pii == "sensitive" else c.pii) == c.gold) for c in found]
    out = {}
    for name, pairs in (("calibration error of confidence", entity), ("calibration error of pii_confidence", pii)):
        gaps: dict[int, float] = defaultdict(float)
        for stated, hit in pairs:
            gaps[min(9, int(stated * 10))] += stated - hit
        error = sum(map(abs, gaps.values())) / max(1, len(pairs))
        out[name] = Figure(error, f"{len(pairs):,} columns", float("nan"), float("nan"))
    return out


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
