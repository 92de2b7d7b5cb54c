"""What the rows of a table are about, and so what its columns mean for the privacy of persons."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import find_phrase, tokens
from piiscan.core.types import Pii, Reason, Subject, TableInfo
from piiscan.scanning.classify import word_lists
from piiscan.scanning.classify.candidates import Candidate, Judged, counts_people, probability
from piiscan.scanning.classify.value_evidence import HASHED

BIOLOGY: Final = frozenset(("DATE_OF_BIRTH", "AGE", "GENDER", "HEALTH_CONDITION"))
"""What is also said of animals."""
SURE_NAME: Final = 1.0
"""Log-odds from which a column of names makes the contact data beside it that of persons."""
PERSONAL: Final = 1.5
"""Score from which the rows are, or speak of, natural persons."""
REACHED: Final = 0.75
"""Score from which contact data are taken for those of persons: to miss one costs more than to doubt it."""
SPEAKS: Final = 0.4
"""Weight from which a kind of column is a sign of persons by itself."""

ALWAYS: Final = frozenset(
    """US_SSN NATIONAL_ID PASSPORT DRIVER_LICENSE CREDIT_CARD CVV MEDICAL_RECORD USERNAME PASSWORD IP_ADDRESS
    MAC_ADDRESS VEHICLE_ID DEVICE_ID SECRET IBAN_CODE""".split()
)
_COUNTED: Final = frozenset(
    ("rank", "count", "counts", "frequency", "freq", "number", "percent", "prop", "births", "total", "occurrences")
)
NAMES: Final = frozenset(("PERSON", "FIRST_NAME", "LAST_NAME"))
MAILBOXES: Final = 10
"""So many different mailboxes at one domain are people's."""
CONTACTS: Final = frozenset(("EMAIL_ADDRESS", "PHONE_NUMBER", "STREET_ADDRESS"))
_MEMBER: Final = re.compile(
    r"""(?ix) /~\w | /(?:users?|people|profiles?|members?|u)/[^/?\#]+/?$ | (?:linkedin\.com/in|xing\.com/profile)/
    | (?:github|gitlab|facebook|instagram|twitter|threads|tiktok|medium|vk)\.com/@?[\w.-]+/?$ | (?://|^)(?:www\.)?x\.com/\w+/?$"""
)
"""How sites that have a page for each member address it."""
OF_A_PERSON: Final = frozenset(
    "employer school university college workplace arbeitgeber employeur empleador werkgever pracodawca schule "
    "party political".split()
)


class Rows(NamedTuple):
    """`subject` of the rows and the `score` for their being about persons; `text` says what spoke for it; `patients`:
    the table's name says that they are patients; `named`: persons are named, and no organisations beside them;
    `organised`: some column has the words of organisations; `alone`: a single column and nothing else says what the
    rows are about."""

    subject: Subject | None
    score: float
    text: str
    patients: bool = False
    named: bool = False
    organised: bool = False
    alone: bool = False

    @property
    def personal(self) -> bool:
        return self.score >= PERSONAL and self.subject != "aggregate"


def rows_of(info: TableInfo, columns: Sequence[Judged], rows: int, weights: Mapping[str, float]) -> Rows:
    """What the rows of a table are about: from its name, its headers, and what its columns are. `weights` are the
    model's, one for each term of `evidence`."""
    best = [(c, found) for c in columns if (found := c.best())]
    name = _name_tokens(info)
    headers = [tokens(c.header or "") for c in columns]
    every = _header_words(columns)
    weighed = {term: weights.get(term, 0.0) * x for term, x in evidence(info, columns, rows).items()}
    score = sum(weighed.values())
    things = len({w for w in every if w in word_lists.THING})
    organisations = len({w for w in every if w in word_lists.ORGANISATION_ROLE})
    places = len({w for w in every if w in word_lists.PLACE})
    counted = sum(
        bool(word_lists.AGGREGATE & set(ws)) or counts_people(c.header, c.profile)
        for c, ws in zip(columns, headers, strict=True)
    )
    keyed = any(
        f.entity
        in (
            "PERSON",
            "FIRST_NAME",
            "PERSON_ID",
            "MEDICAL_RECORD",
            "US_SSN",
            "NATIONAL_ID",
            "DATE_OF_BIRTH",
            "EMAIL_ADDRESS",
        )
        and f.logit > 1
        for _, f in best
    )
    if not keyed and _crossed(columns, rows):
        return Rows("aggregate", score - 2.0, "one row for each combination of groups")
    if not keyed and any(
        _has_totals(c) for c, f in best if f.entity in ("GENDER", "AGE", "ETHNICITY", "EDUCATION", "MARITAL_STATUS")
    ):
        return Rows("aggregate", score - 2.0, "totals among the groups")
    if not keyed and _years_across(headers):
        return Rows("aggregate", score - 2.0, "a column for each year")
    names = {f.entity for _, f in best if weights.get(f.entity, 0) > SPEAKS}
    only_names = len(names) == 1 and names <= {"FIRST_NAME", "LAST_NAME"} and bool(set(every) & _COUNTED)
    if _aggregated(columns, headers, counted, keyed, only_names, rows):
        return Rows("aggregate", score - 2.0, "counts or rates of groups")
    named = not organisations and not any(w in word_lists.ORGANISATION_ROLE for w in name)
    named = named and {f.entity for _, f in best}.isdisjoint(("ORGANIZATION", "ORGANIZATION_ID"))
    named = named and any(f.entity in NAMES and f.logit > SURE_NAME for _, f in best)
    said = ", ".join(sorted((e for e, w in weighed.items() if w > 0.5 and e.isupper()), key=lambda e: -weighed[e])[:4])
    if score >= PERSONAL:
        event = any(w in word_lists.EVENT for w in name) or any(w in word_lists.EVENT for w in headers[0] if headers)
        somebody = keyed or not {f.entity for _, f in best}.isdisjoint(("PERSON_ID", "PERSON"))
        if not event or weighed.keys() & {"DATE_OF_BIRTH", "AGE"}:
            return Rows("person", score, said, patients=bool(word_lists.PATIENTS.intersection(name)))
        if somebody or score >= 2 * PERSONAL:
            return Rows("event", score, said, named=named)
        score = PERSONAL - 0.1  # a match for men, a flight for women: nobody in particular
    return Rows(
        _other(name, every, best, things, places, organisations),
        score,
        said,
        named=named,
        organised=any(c.values.look.organisation > 0.3 for c in columns),
        alone=len(columns) == 1
        and not (things or places or organisations)
        and columns[0].values.look.organisation <= 0.3,
    )


def evidence(info: TableInfo, columns: Sequence[Judged], rows: int) -> dict[str, float]:
    """What speaks for rows about natural persons or against it, as numbers that a weight each is learned for: how
    likely each kind of column is, and how many words of the table's name and of its headers speak of persons, things,
    organisations or places."""
    best = [(c, found) for c in columns if (found := c.best())]
    name, every = _name_tokens(info), _header_words(columns)
    animals = not word_lists.ANIMAL.isdisjoint((*name, *every))
    out: dict[str, float] = {}
    for c, found in best:
        if animals and found.entity in BIOLOGY:
            continue
        x = probability(found.logit)
        term = found.entity
        if found.entity == "PERSON":
            key = found.rule == "person-name" or (c.index <= 2 and c.profile.unique > 0.5)
            term = "PERSON, role" if found.rule == "person-role" else "PERSON, key" if key else "PERSON"
        elif unsupported(found):
            x *= 0.6
        elif not found.by_header:
            x *= (
                0.4
                if found.entity in ("NATIONAL_ID", "EDUCATION", "OCCUPATION", "HEALTH_CONDITION", "NATIONALITY")
                else 0.9
            )
        if rows and not c.profile.filled:
            x *= 0.3  # an empty column is only what somebody meant to fill
        out[term] = max(x, out.get(term, 0.0))
    for term, known, most in (
        ("person", word_lists.PERSON_ROLE, 2),
        ("thing", word_lists.THING, 4),
        ("organisation", word_lists.ORGANISATION_ROLE, 4),
        ("place", word_lists.PLACE, 3),
    ):
        found_ = [w for w in every if w in known]
        out[f"headers, {term}"] = min(most, len(found_) if term == "person" else len(set(found_)))
        out[f"name, {term}"] = float(any(w in known for w in name))
    return {**out, "no headers": float(all(c.header is None for c in columns))}


def _header_words(columns: Sequence[Judged]) -> list[str]:
    """The words of all headers, but for those that count people."""
    return [w for c in columns if not counts_people(c.header, c.profile) for w in set(tokens(c.header or ""))]


def _name_tokens(info: TableInfo) -> tuple[str, ...]:
    stem = PurePosixPath(info.source.split("!")[-1]).name.split(".")[0]
    return (*tokens(stem), *tokens(info.table or ""))


def _aggregated(
    columns: Sequence[Judged], headers: Sequence[tuple[str, ...]], counted: int, keyed: bool, names: bool, rows: int
) -> bool:
    if names:
        return True
    if keyed:
        return False
    if not columns:
        return False
    numbers = sum(c.profile.numeric + c.profile.kinds.get("money", 0) > 0.8 for c in columns)
    groups = [
        c.profile.distinct
        for c in columns
        if c.profile.distinct > 1 and (_is_group(c) or c.profile.kinds.get("date", 0) > 0.8)
    ]
    told_apart = math.prod(groups) >= 0.5 * rows
    return (
        counted >= min(2, 0.4 * len(columns))
        and counted >= 0.2 * len(columns)
        and numbers >= 0.3 * len(columns)
        and told_apart
    )


def _crossed(columns: Sequence[Judged], rows: int) -> bool:
    """Whether the table has one row for each combination of a few groups: sex by age band by year."""
    groups = [
        c.profile.distinct
        for c in columns
        if 2 <= c.profile.distinct <= 80 and c.profile.filled >= 0.9 * rows and _is_group(c)
    ]
    if not 1 <= len(groups) <= 5:
        return False
    combinations = math.prod(groups)
    return combinations >= 12 and len(groups) >= 2 and 0.6 <= rows / combinations <= 1.02


def _has_totals(c: Judged) -> bool:
    """Whether a column of groups has a line for all of them ("both sexes", "all ages")."""
    return not word_lists.TOTALS.isdisjoint(c.profile.folded)


def _years_across(headers: Sequence[tuple[str, ...]]) -> bool:
    """Whether many columns are named by nothing but a year each: a time series for each row."""
    years = {
        int(d) for ws in headers if len(ws) <= 2 for d in ws if len(d) == 4 and d.isdigit() and "1800" <= d <= "2100"
    }
    return len(years) >= max(5, 0.25 * len(headers))


def _is_group(c: Judged) -> bool:
    p = c.profile
    years = p.whole == 1 and p.within(1900, 2100) == 1
    return years or ((p.lettered > 0.9 or p.kinds.get("band", 0) > 0.5) and p.word_count < 6)


def _other(
    name: Sequence[str],
    every: Sequence[str],
    best: Sequence[tuple[Judged, Candidate]],
    things: int,
    places: int,
    organisations: int,
) -> Subject | None:
    kinds: dict[Subject, float] = {
        "thing": 0.5 * things,
        "place": 0.5 * places,
        "organisation": 0.4 * organisations,
        "event": 0.0,
    }
    for found, subject in (
        (word_lists.THING, "thing"),
        (word_lists.PLACE, "place"),
        (word_lists.ORGANISATION_ROLE, "organisation"),
        (word_lists.EVENT, "event"),
    ):
        kinds[subject] += 1.5 * any(w in found for w in name)  # type: ignore[index]
    kinds["event"] += 0.4 * sum(w in word_lists.EVENT for w in every)
    entities = {f.entity for _, f in best}
    kinds["place"] += 0.8 * ("GEO_COORDINATES" in entities)
    kinds["organisation"] += 0.8 * ("ORGANIZATION" in entities)
    subject, weight = max(kinds.items(), key=lambda item: (item[1], item[0]))
    return subject if weight >= 0.8 else None


_ALONE = "the only column; nothing says whose it is"


def pii_class(found: Candidate, column: Judged, rows: Rows) -> tuple[Pii, Reason | None]:
    """What an entity's values mean here: its class where they are about natural persons, else none."""
    entity = found.entity
    own = PII_CLASS[entity]
    if own == "direct" and any(r.text == HASHED for r in found.reasons):
        if (
            entity in CONTACTS
            and rows.subject is not None
            and not rows.personal
            and not word_lists.PERSON_ROLE.intersection(tokens(column.header or ""))
        ):
            return "none", Reason("subject", text=f"hashes; rows are about {_plural(rows.subject)}, not persons")
        return "quasi", Reason("subject", text="hashes are pseudonyms of persons")
    if entity == "URL" and rows.personal and _own_page(column):
        return "quasi", Reason("subject", text="pages of the persons whom rows are about")
    if own == "none" or entity in ALWAYS or (entity == "BANK_ACCOUNT" and _checked(found)):
        return own, None
    header = set(tokens(column.header or ""))
    role = bool(header & word_lists.PERSON_ROLE)
    if entity in NAMES:
        listed = rows.subject == "aggregate" and not rows.score > PERSONAL
        return ("none", Reason("subject", text="a list of names with counts")) if listed else (own, None)
    if entity in CONTACTS:
        return _contact(entity, column, rows, role)
    if entity == "PERSON_ID" and not unsupported(found):
        return own, None
    if entity == "FREE_TEXT":
        said = found.rule != "description" and not unsupported(found)
        return (own, None) if said or rows.personal else ("none", Reason("subject", text="no text about persons"))
    if entity == "ORGANIZATION":
        return (
            (own, None)
            if rows.personal and header & OF_A_PERSON
            else ("none", Reason("subject", text="no employer or school of a person"))
        )
    if rows.personal or (role and rows.subject not in ("aggregate", "organisation", "place")):
        return own, Reason("subject", text="rows are about persons" + (f" ({rows.text})" if rows.text else ""))
    if rows.alone and rows.subject is None and own in ("direct", "sensitive"):
        return own, Reason("subject", text=_ALONE)
    return "none", Reason("subject", text=f"rows are about {_plural(rows.subject)}, not persons")


def _own_page(column: Judged) -> bool:
    """Whether a column of web addresses holds a person's own pages: by its header, or as sites with a page for each
    member are addressed."""
    header = tokens(column.header or "")
    if word_lists.ORGANISATION_ROLE.intersection(header):
        return False
    if any(find_phrase(phrase, header) for phrase in word_lists.OWN_PAGE):
        return True
    return column.profile.share([bool(_MEMBER.search(t)) for t in column.profile.texts]) > 0.5


def _checked(found: Candidate) -> bool:
    """Whether a rule's pattern or check speaks for an entity."""
    return any(r.by in ("rule", "checksum") for r in found.reasons)


def unsupported(found: Candidate) -> bool:
    """Whether only the model speaks for an entity: no header phrase, no rule, no look of its values."""
    return all(r.by in ("model", "subject") for r in found.reasons)


def _contact(entity: str, column: Judged, rows: Rows, role: bool) -> tuple[Pii, Reason]:
    """Whose telephone, e-mail or street address it is."""
    mail = entity == "EMAIL_ADDRESS"
    if rows.personal:
        return "direct", Reason("subject", text="rows are about persons" + (f" ({rows.text})" if rows.text else ""))
    if role:
        return "direct", Reason("subject", text="the header speaks of a person")
    if rows.score >= REACHED and rows.subject not in ("aggregate", "organisation", "place"):
        return "direct", Reason(
            "subject", text="persons are spoken of beside it" + (f" ({rows.text})" if rows.text else "")
        )
    if mail and _of_offices(column):
        return "none", Reason("subject", text="mailboxes of offices, not of persons")
    if rows.named:
        return "direct", Reason("subject", text="persons are named beside it, and no organisations")
    if mail and personal_mail(column):
        return "direct", Reason("subject", text="many addresses hold given names")
    if (
        mail
        and rows.subject not in ("organisation", "place", "aggregate")
        and not rows.organised
        and _of_one_provider(column)
    ):
        return "direct", Reason("subject", text="many different mailboxes at the same domains")
    if entity != "STREET_ADDRESS" and rows.subject is None and column.header is None and not rows.organised:
        return "direct", Reason("subject", text="nothing says that it is an organisation's")
    if rows.alone and rows.subject is None:
        return "direct", Reason("subject", text=_ALONE)
    return "none", Reason("subject", text=f"rows are about {_plural(rows.subject)}, not persons")


def personal_mail(column: Judged) -> bool:
    """Whether many local parts of the addresses hold a given name."""
    given = column.values.lexicon.values("FIRST_NAME")
    flags = [any(w in given and len(w) > 2 for w in tokens(t.split("@")[0])) for t in column.profile.texts]
    return column.profile.share(flags) > 0.25


def _of_one_provider(column: Judged) -> bool:
    """Whether there are so many different mailboxes at a domain that they are people's: an organisation has few
    beside its offices'."""
    boxes = {t.strip().lower() for t in column.profile.texts if "@" in t}
    domains = Counter(box.rpartition("@")[2] for box in boxes)
    return sum(n for n in domains.values() if n >= MAILBOXES) > len(boxes) / 2


def _of_offices(column: Judged) -> bool:
    """Whether most addresses are those of an office: info@, sales@, …"""
    return column.profile.share([t.split("@")[0].lower() in word_lists.OFFICES for t in column.profile.texts]) > 0.6


def _plural(subject: Subject | None) -> str:
    return {
        "organisation": "organisations",
        "place": "places",
        "thing": "things",
        "event": "events",
        "aggregate": "groups",
        "person": "persons",
    }.get(subject or "", "something else")
