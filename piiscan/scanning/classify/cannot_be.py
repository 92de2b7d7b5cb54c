"""Rules out what a column cannot be, whatever its values look like.

Such as names in a column of lines of a text, or addresses among versions.
"""

from __future__ import annotations

from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.core.header_words import tokens
from piiscan.core.lazy_pattern import lazy_pattern
from piiscan.core.types import Reason, TableInfo
from piiscan.detection.matching import internet_addresses
from piiscan.scanning.classify import machine_names, network_addresses
from piiscan.scanning.classify.candidates import SHARED, Candidate, ColumnCandidates, is_checked, ranked
from piiscan.scanning.classify.entities_inside import DIGITS
from piiscan.scanning.classify.subject import NAMES
from piiscan.scanning.classify.word_lists import AMOUNTS, DATES_OF_EVENTS, names_keys_of_things

_KEYS: Final = DIGITS | {"PERSON_ID"}
LESS: Final = 3.0
"""What a person's number loses where a number of things passes its check as well."""
LONGEST_NAME: Final = 5
"""Words of a cell, on average, up to which cells without a telling header may be names."""
MOSTLY_PATHS: Final = 0.5
"""Share of cells that begin with a slash, in JSON perhaps behind another one, from which on they are paths of pages."""
OTHERS: Final = {"INCOME": AMOUNTS, "DATE_OF_BIRTH": DATES_OF_EVENTS}
"""Words of a header that names other amounts or dates than a person's pay or birth."""
FEES: Final = frozenset(
    "fee fees gebuhr gebuhren frais prowizja vat "
    "mwst ust mehrwertsteuer umsatzsteuer tva iva btw pvm dph kdv moms alv ндс комиссия 手数料 手续费 消費税".split()
)
"""Words of headers for what is taken of a payment or added to a price, and never of pay."""
LONGEST_LABEL: Final = 4
"""Words of a header that labels a column; longer ones are questions, which speak of many things."""
NEARLY_ALL: Final = 0.8
"""Share of a text's lines that a rule matches as a whole from which they are a list of such values."""
_OF_TAXONOMY: Final = lazy_pattern(r"[A-Z][a-z]+(?:aceae|idae|inae|oidea)")
"""Names of families of plants and animals, and of what is above and below them. Sources: International Code of
Nomenclature for algae, fungi, and plants, article 18.1; International Code of Zoological Nomenclature, article 29.2.
"""
_OTHER_FORMS: Final = {
    # Releases of packages (`lodash@4.17.21`), prices (`3@4.50`) and repositories (`git@github.com:firm/app.git`).
    "EMAIL_ADDRESS": lazy_pattern(r"[^\s@]*@[~^<>=v]*\d+(?:[.,]\d+)*(?:[-+][\w.+-]*)?|git@[\w.-]+:\S+"),
    # Powers of ten.
    "INCOME": lazy_pattern(r"[+-]?\d(?:[.,]\d+)?[eE][+-]?\d+"),
}
"""Forms that values have whose look is that of an entity, and that no value of it has."""
_CARD: Final = lazy_pattern(r"\d{6}[*•●■█#xX]{5,6}\d{4}")


def possible(column: ColumnCandidates, info: TableInfo) -> ColumnCandidates:
    """A column without the candidates that it cannot be."""
    refused = _no_text if info.is_text else _only_look
    left = tuple(
        c
        for c in column.candidates
        if not (
            refused(column, c)
            or _key_of_no_row(column, c, info)
            or _is_paid(column, c, info)
            or _of_card(column, c)
            or _of_species(column, c)
            or _of_other_form(column, c)
        )
    )
    return column.with_candidates(ranked([_shared_check(c, left) for c in left]))


def _shared_check(found: Candidate, all_: tuple[Candidate, ...]) -> Candidate:
    """Lower a candidate whose check a number of things or firms passes as well.

    One remainder serves many kinds of number, so digits alone are no evidence of persons.
    """
    if PII_CLASS[found.entity] != "direct" or found.by_header or not is_checked(found):
        return found
    if not any(PII_CLASS[c.entity] == "none" and is_checked(c) and c.logit > 0 for c in all_):
        return found
    return found.with_evidence(-LESS, Reason("checksum", found.rule, text=SHARED))


def _key_of_no_row(column: ColumnCandidates, found: Candidate, info: TableInfo) -> bool:
    """Whether a lone column without a header only looks like keys of persons.

    It is the key of no row, and codes of articles look the same.
    """
    return found.entity == "PERSON_ID" and column.header is None and len(info.fields) == 1 and not is_checked(found)


def _is_paid(column: ColumnCandidates, found: Candidate, info: TableInfo) -> bool:
    """Whether an amount before or after something ("Brutto") is of a payment: a fee or a tax on sales is beside it."""
    if found.rule != "income-open":
        return False
    others = (tokens(field.name or "") for i, field in enumerate(info.fields) if i != column.index)
    return any(not FEES.isdisjoint(words) for words in others)


def _of_card(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether the number of a person is one of a card, of which the first six digits and the last four are left.

    "PAN" is the number of a card, and in India of a taxpayer.
    """
    if found.entity != "NATIONAL_ID" or column.profile.masked <= NEARLY_ALL:
        return False
    bare = [text.replace(" ", "").replace("-", "") for text in column.profile.texts]
    return column.profile.share([_CARD.fullmatch(text) is not None for text in bare]) > NEARLY_ALL


def _of_species(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether names are those of families of plants and animals, whatever the header ("family")."""
    return found.entity in NAMES and column.profile.share_of(_is_of_taxonomy) > NEARLY_ALL


def _is_of_taxonomy(text: str) -> bool:
    return _OF_TAXONOMY.fullmatch(text) is not None


def _of_other_form(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether nearly all values have a form that no value of an entity has, and the header doesn't name that entity."""
    form = None if found.by_header else _OTHER_FORMS.get(found.entity)
    return form is not None and column.profile.share_of(lambda text: form.fullmatch(text) is not None) > NEARLY_ALL


def _no_text(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether a candidate is neither text nor what nearly every line is as a whole by a rule."""
    by_rule = any(r.by == "rule" and (r.share or 0.0) >= NEARLY_ALL for r in found.reasons)
    return found.entity != "FREE_TEXT" and not by_rule


def _only_look(column: ColumnCandidates, found: Candidate) -> bool:
    """Whether only the form of its values is evidence for a candidate, where others have the same form.

    For a number of somebody: the header names keys of things, or versions look the same; for a name: cells have more
    words than names, or are paths. Versions of packages are no passwords, whatever the package is named, and machines
    no users. Prices and totals are no one's pay, and the day of an appointment none of birth.
    """
    if found.entity == "USERNAME" and machine_names.are(column):
        return True
    if not found.by_header and (others := OTHERS.get(found.entity)):
        words = tokens(column.header or "")
        return len(words) <= LONGEST_LABEL and not others.isdisjoint(words)
    if found.entity == "PASSWORD" and network_addresses.releases(column.profile.texts):
        return True
    if found.entity in NAMES and not found.by_header:
        paths = column.profile.share([text.lstrip("\\").startswith("/") for text in column.profile.texts])
        return column.profile.word_count > LONGEST_NAME or paths > MOSTLY_PATHS
    if found.by_header or found.entity not in _KEYS or any(r.by == "checksum" for r in found.reasons):
        return False
    if found.entity == "IP_ADDRESS" and internet_addresses.versions(column.profile.texts):
        return True
    return names_keys_of_things(tokens(column.header or ""))
