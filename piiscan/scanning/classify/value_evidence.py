"""How well a column's values fit an entity that its header names: log-odds for or against, and why.

The numbers are weights of evidence (natural logarithms of likelihood ratios), set by hand on labelled tables and
rounded; the logic is the same for every entity of a group. They are fitted as a whole, not to single tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from piiscan.core.entities import PII_CLASS
from piiscan.scanning.classify.column_values import ColumnValues
from piiscan.scanning.classify.profile import Profile
from piiscan.scanning.classify.text_forms import TextForms

Weight = tuple[float, str]
HASHED: Final = "values look like hashes"
MASKED: Final = "values are masked"
MOSTLY: Final = 0.8
"""Share of cells from which a column is one of hashes, or of masked values."""
SHORTEST_DIGEST: Final = 32
"""Hexadecimal digits that a hash has at least."""
LONGEST_CODE: Final = 34
"""Letters and digits that an identifier has at most, where identifiers are long codes by nature (IBANs)."""
CODES: Final = frozenset("MEDICAL_RECORD IBAN_CODE BANK_ACCOUNT DEVICE_ID SECRET PASSWORD".split())
"""Direct identifiers that are long codes by nature."""


def kind_weight(kind: str, p: Profile) -> Weight:
    """Whether the values are of the kind that a header rule asks for."""
    if not p.texts:
        return 0.0, ""
    if kind == "text" and p.lettered < 0.5:
        return -5.0, "most values are not text"
    if kind == "number" and p.numeric < 0.7:
        return -4.0, "most values are not numbers"
    if kind == "date" and p.numeric + p.kinds.get("date", 0) + p.kinds.get("time", 0) < 0.4 and p.with_digit < 0.5:
        return -4.0, "most values are not dates"
    if kind == "code" and (
        p.with_digit < 0.3 or p.word_count > 8 or (p.kinds.get("decimal", 0) > 0.6 and p.length < 9)
    ):
        return -3.5, "values don't look like codes"
    if p.boolean and kind in ("code", "date", "text"):
        return -4.0, "values are yes or no"
    return 0.0, ""


def _person(v: ColumnValues) -> Weight:
    p, look = v.profile, v.look
    if p.kinds.get("email", 0) > 0.5:
        return 0.0, ""
    if look.both >= 0.3 or look.titled > 0.4:
        return (4.0 if look.both >= 0.55 else 3.0) - (
            2.5 if look.organisation > 0.3 else 0
        ), "given names among two or more words"
    if look.shaped < 0.4 or p.word_count > 7:
        return -3.0, "values don't look like names"
    if look.organisation > 0.3:
        return -3.0, "words of organisations or streets"
    if look.first >= 0.6 and look.single > 0.8:
        return 2.0, "given names"
    if look.first + look.last >= 0.35:
        return (1.8 if look.first + look.last >= 0.7 else 1.2), "some known names"
    if p.with_digit > 0.3:
        return -2.5, "digits in the values"
    return _unlisted_person(v)


def _unlisted_person(v: ColumnValues) -> Weight:
    """Of shaped values without names of the short lists.

    One doctor may have treated all patients: a few values are names where the large lists know them.
    """
    p, look = v.profile, v.look
    if p.distinct <= 3 and p.filled > 20:
        return (0.5, "few values, but known names") if look.listed >= 0.6 else (-3.0, "very few different values")
    if look.first + look.last < 0.06 and look.listed < 0.3 and p.distinct >= 15:
        return -2.0, "no known names"
    return (0.0 if look.shaped > 0.8 and p.unique > 0.3 else -0.5), ""


def _given(v: ColumnValues) -> Weight:
    p, look = v.profile, v.look
    if look.first >= 0.3:
        return 2.5, "known given names"
    if p.word_count > 4 or look.shaped < 0.3:
        return -2.5, "values don't look like names"
    return (-0.5, "few known given names") if p.distinct >= 30 and look.first < 0.05 else (0.5, "")


def _family(v: ColumnValues) -> Weight:
    p, look = v.profile, v.look
    if look.last >= 0.2 or look.first >= 0.4:
        return 2.0, "known family names"
    if p.word_count > 4 or look.shaped < 0.3:
        return -2.5, "values don't look like names"
    return 0.3, ""


def _email(v: ColumnValues) -> Weight:
    p = v.profile
    at = p.share_of(lambda form: "@" in form or " at " in form or "[at]" in form)
    return (3.0, "an @ in most values") if at > 0.4 else (-6.0, "no @ in most values")


def _phone(v: ColumnValues) -> Weight:
    p = v.profile
    if p.phone_like >= 0.5:
        return 2.0, "values could be telephone numbers"
    return (-0.5, "") if p.phone_like >= 0.2 or v.digits(7, 15) > 0.5 else (-4.5, "values are no telephone numbers")


def _street(v: ColumnValues) -> Weight:
    p = v.profile
    streets = v.streets()
    if streets >= 0.4:
        return 2.0, "street words or house numbers"
    if p.numeric > 0.7:
        return (-0.5, "") if p.whole > 0.9 and p.within(0, 99999) > 0.9 and p.distinct > 10 else (-4.0, "numbers")
    if (p.distinct <= 4 and p.filled > 20) or p.length < 3:
        return -4.0, "very few different values"
    return (-0.5, "") if p.lettered > 0.6 and p.word_count < 12 else (-2.0, "")


def _listed(entity: str, enough: float = 0.3, absent: float = -0.5) -> Callable[[ColumnValues], Weight]:
    def weight(v: ColumnValues) -> Weight:
        p = v.profile
        share = v.listed(entity)
        if share >= enough:
            return 2.5, "values from the list"
        if share > 0.05:
            return 0.5, "some values from the list"
        if p.numeric > 0.7:
            return (-0.3, "") if p.distinct <= 12 and p.whole > 0.95 else (-4.0, "many different numbers")
        if p.word_count > 8:
            return -3.0, "prose"
        return absent, ""

    return weight


def _region(v: ColumnValues) -> Weight:
    p = v.profile
    share = v.listed("REGION")
    if share >= 0.2 or v.listed("COUNTRY") > 0.4:
        return 2.5, "known regions"
    if p.with_digit > 0.6 and p.lettered < 0.6:
        return -1.5, "codes"
    if p.distinct <= 6 and p.filled > 20 and share < 0.05:
        return -1.5, "few values, none a known region"
    return (-3.0, "prose") if p.word_count > 7 else (0.0, "")


def _country(v: ColumnValues) -> Weight:
    p = v.profile
    share = v.listed("COUNTRY")
    if share >= 0.5:
        return 3.0, "known countries"
    if p.numeric > 0.6:
        return -2.5, "numbers"
    return (0.5, "") if share > 0.1 else (-1.5, "no known countries")


def _city(v: ColumnValues) -> Weight:
    p = v.profile
    if v.listed("CITY") >= 0.1:
        return 1.5, "known cities"
    if p.word_count > 6 or v.look.shaped < 0.3:
        return -2.0, "values don't look like names of places"
    if p.distinct <= 3 and p.filled > 50:
        return -1.0, "very few different values"
    return 0.3, ""


def _postal(v: ColumnValues) -> Weight:
    p = v.profile
    if p.kinds.get("decimal", 0) > 0.3 or p.boolean:
        return -4.0, "decimals"
    fits = p.share_by(
        lambda forms, i: (
            3 <= len(forms.each[i].removesuffix(".0")) <= 10
            and forms.digits[i] > 0
            and not forms.each[i].startswith("-")
        )
    )
    return (
        (1.5, "codes as long as postal codes")
        if fits > 0.6 and (p.distinct > 3 or p.filled < 50)
        else (-3.0, "values are no postal codes")
    )


def _coordinates(v: ColumnValues) -> Weight:
    p = v.profile
    if p.numeric > 0.7:
        if p.within(-180, 180) > 0.95:
            return (1.5 if p.whole < 0.5 else -1.0), "numbers within ±180"
        return -1.5, "numbers beyond ±180"
    pair = p.share_by(lambda forms, i: forms.digits[i] >= 4 and any(c in forms.each[i] for c in ",.°'"))
    return (1.0, "pairs or points") if pair > 0.6 else (-3.5, "values are no coordinates")


def _age(v: ColumnValues) -> Weight:
    p = v.profile
    if p.numeric > 0.6:
        plausible = p.within(0, 120)
        if p.boolean or (plausible < 0.85 and p.within(0, 120 * 12) < 0.9):
            return -3.0, "no ages of persons"
        return (
            1.2 if plausible >= 0.85 and ((p.numbers and p.numbers[-1] >= 12) or p.filled < 20) else -1.0
        ), "numbers within 0 and 120"
    if p.kinds.get("time", 0) + p.kinds.get("date", 0) > 0.5:
        return -3.0, "times or dates"
    bands = p.kinds.get("band", 0) + p.share_by(lambda forms, i: forms.digits[i] > 0 and len(forms.each[i]) < 25) * 0.5
    if bands > 0.4 and p.distinct < 60:
        return 1.0, "bands of ages"
    return (-2.5, "no ages") if p.with_digit < 0.3 else (-1.0, "")


def _birth(v: ColumnValues) -> Weight:
    p = v.profile
    if p.kinds.get("date", 0) > 0.5:
        return 2.0, "dates"
    if p.numeric > 0.6 and p.whole > 0.9:
        if p.within(1850, 2030) > 0.85 or p.within(18500101, 20301231) > 0.85:
            return 1.5, "years or dates in digits"
        return (
            (0.3, "")
            if p.within(1, 31) > 0.95 or p.within(-50000, 0) > 0.9 or p.within(10000, 60000) > 0.9
            else (-2.5, "no dates")
        )
    return (0.0, "") if p.with_digit > 0.7 else (-3.0, "no dates")


def _gender(v: ColumnValues) -> Weight:
    p = v.profile
    if v.listed("GENDER") >= 0.6:
        return 3.0, "words or codes for sex"
    if p.numeric > 0.9 and p.distinct <= 4 and p.whole == 1 and p.within(0, 9) == 1:
        return 0.5, "a few small numbers"
    if p.numeric > 0.9 and p.distinct <= 4 and p.whole == 1 and p.unique < 0.2:
        return -0.5, "a few codes"
    if p.boolean or p.filled < 10:
        return 0.0, ""
    return (-1.0, "") if p.distinct <= 12 and v.listed("GENDER") > 0.25 else (-4.5, "values don't look like sexes")


def _income(v: ColumnValues) -> Weight:
    p = v.profile
    if p.boolean:
        return -4.0, "yes or no"
    amounts = p.numeric + p.kinds.get("money", 0) + p.kinds.get("band", 0)
    if amounts > 0.5:
        return (
            (-1.0, "a few small numbers")
            if p.numeric > 0.9 and p.distinct < 8 and p.filled > 30 and p.within(0, 10) > 0.95
            else (0.8, "amounts")
        )
    return (-0.5, "") if p.with_digit > 0.4 or p.distinct <= 10 else (-3.0, "no amounts")


def _organisation(v: ColumnValues) -> Weight:
    p, look = v.profile, v.look
    if p.kinds.get("url", 0) > 0.5:
        return -3.0, "web addresses"
    if v.listed("COUNTRY") > 0.5:
        return -3.0, "countries"
    if look.organisation > 0.15:
        return 1.5, "words of organisations"
    if p.boolean or p.word_count > 9 or (p.distinct <= 2 and p.filled > 50):
        return -3.0, "values are no names"
    return (-2.0, "names of persons") if look.both > 0.5 and look.organisation < 0.05 else (0.0, "")


def _person_id(v: ColumnValues) -> Weight:
    p = v.profile
    if p.boolean or p.kinds.get("decimal", 0) + p.kinds.get("date", 0) > 0.4:
        return -4.0, "values are no keys"
    if (p.with_digit < 0.3 and p.lettered > 0.7) or p.word_count > 3:
        return -3.0, "words"
    return (-1.5, "very few different values") if p.distinct <= 4 and p.filled > 30 else (0.8, "values look like keys")


def _any_id(v: ColumnValues) -> Weight:
    p = v.profile
    if p.boolean or p.kinds.get("decimal", 0) > 0.5 or p.word_count > 5:
        return -2.0, "values are no keys"
    return (-1.5, "very few different values") if p.distinct <= 10 and p.filled > 30 else (0.3, "")


def _username(v: ColumnValues) -> Weight:
    p = v.profile
    if p.boolean or p.numeric > 0.7 or p.kinds.get("uuid", 0) > 0.5:
        return -3.0, "numbers"
    if (p.distinct <= 6 and p.filled >= 30) or p.word_count > 5:
        return -2.5, "few different values or prose"
    return (1.0, "single words") if p.spaced < 0.2 else (-0.7, "values with spaces")


def _password(v: ColumnValues) -> Weight:
    p = v.profile
    if (
        p.boolean
        or p.kinds.get("date", 0) > 0.3
        or p.kinds.get("decimal", 0) > 0.3
        or (p.numeric > 0.8 and p.within(0, 999) > 0.8)
    ):
        return -4.0, "values are no passwords"
    return (-3.0, "prose") if p.word_count > 3 else (0.5, "short words or codes")


def _code(low: int, high: int, required: float = 0.5) -> Callable[[ColumnValues], Weight]:
    """Codes of `low` to `high` letters and digits, at least two digits among them."""

    def fits_code(forms: TextForms, i: int) -> bool:
        form = forms.each[i]
        many = forms.letters_and_digits[i] - form.endswith(".0")
        return (forms.digits[i] >= 2 and low <= many <= high) or (forms.kinds[i] == "decimal" and "e+" in form.lower())

    def weight(v: ColumnValues) -> Weight:
        p = v.profile
        fits = p.share_by(fits_code)
        if fits < required or p.kinds.get("date", 0) > 0.5:
            return -4.0, "values have another length or look"
        return (
            (-1.5, "very few different values")
            if p.distinct <= 3 and p.filled > 50
            else (1.0, "codes as long as such numbers are")
        )

    return weight


def _driver_license(v: ColumnValues) -> Weight:
    """Versions of licences of software and data have two digits: GPL-3.0, CC-BY-4.0."""
    p = v.profile
    if p.texts and p.share_by(lambda forms, i: forms.digits[i] >= 3) < 0.5:
        return -4.0, "too few digits"
    return _code(4, 25)(v)


def _vehicle(v: ColumnValues) -> Weight:
    found = _code(4, 17)(v)
    return (-1.5, "digits only: number plates have letters") if found[0] > 0 and v.profile.numeric > 0.9 else found


def _education(v: ColumnValues) -> Weight:
    p = v.profile
    if p.numeric > 0.7 and p.whole > 0.95 and p.within(0, 30) > 0.95 and not p.boolean:
        return -0.5, "codes or years of schooling"
    return _listed("EDUCATION", absent=-0.3)(v)


def _occupation(v: ColumnValues) -> Weight:
    if v.look.titled > 0.5 and v.profile.word_count < 2:
        return -3.0, "forms of address"
    return _listed("OCCUPATION", absent=0.0)(v)


def _account(v: ColumnValues) -> Weight:
    found = _code(8, 34, 0.5)(v)
    if found[0] > 0:
        return found
    return (-3.0, "shorter than account numbers of banks") if _code(5, 34)(v)[0] > 0 else found


def _free_text(v: ColumnValues) -> Weight:
    p = v.profile
    if p.word_count >= 5:
        return (1.5 if p.unique > 0.2 or p.filled < 50 else -1.5), "several words a cell"
    return (0.0, "") if p.word_count >= 2.5 and p.unique > 0.3 else (-3.0, "short values")


def _health(v: ColumnValues) -> Weight:
    p = v.profile
    if v.medical() > 0.3:
        return 2.5, "words of medicine"
    return (-3.0, "dates") if p.kinds.get("date", 0) > 0.5 or p.kinds.get("url", 0) > 0.5 else (0.0, "")


def _url(v: ColumnValues) -> Weight:
    p = v.profile
    web = p.share_of(lambda form: ("." in form and " " not in form.strip()) or "http" in form)
    if p.kinds.get("url", 0) > 0.3:
        return 2.0, "web addresses"
    return (0.5, "values with dots") if web > 0.6 and p.numeric < 0.3 else (-3.0, "values are no addresses")


def _address_of_host(v: ColumnValues) -> Weight:
    p = v.profile
    if p.kinds.get("date", 0.0) + p.kinds.get("time", 0.0) > 0.5:
        return -4.0, "times or dates"
    like = p.share_of(lambda form: form.count(".") == 3 or form.count(":") >= 2 or (form.isdigit() and len(form) >= 7))
    return (2.0, "values look like internet addresses") if like > 0.4 else (-4.0, "values are no internet addresses")


def _birthplace(v: ColumnValues) -> Weight:
    p = v.profile
    return (-3.0, "dates") if p.kinds.get("date", 0) > 0.4 or p.kinds.get("decimal", 0) > 0.4 else (0.8, "words")


WEIGHTS: dict[str, Callable[[ColumnValues], Weight]] = {
    "PERSON": _person,
    "FIRST_NAME": _given,
    "LAST_NAME": _family,
    "EMAIL_ADDRESS": _email,
    "PHONE_NUMBER": _phone,
    "STREET_ADDRESS": _street,
    "CITY": _city,
    "REGION": _region,
    "COUNTRY": _country,
    "POSTAL_CODE": _postal,
    "GEO_COORDINATES": _coordinates,
    "AGE": _age,
    "DATE_OF_BIRTH": _birth,
    "GENDER": _gender,
    "INCOME": _income,
    "MARITAL_STATUS": _listed("MARITAL_STATUS"),
    "NATIONALITY": _listed("NATIONALITY", absent=0.0),
    "LANGUAGE": _listed("LANGUAGE"),
    "RELIGION": _listed("RELIGION", absent=-1.0),
    "ETHNICITY": _listed("ETHNICITY", absent=-1.5),
    "SEXUALITY": _listed("SEXUALITY", absent=0.0),
    "EDUCATION": _education,
    "OCCUPATION": _occupation,
    "BIRTHPLACE": _birthplace,
    "ORGANIZATION": _organisation,
    "PERSON_ID": _person_id,
    "GENERIC_ID": _any_id,
    "MEDICAL_RECORD": _person_id,
    "USERNAME": _username,
    "PASSWORD": _password,
    "FREE_TEXT": _free_text,
    "HEALTH_CONDITION": _health,
    "URL": _url,
    "IP_ADDRESS": _address_of_host,
    "CREDIT_CARD": _code(12, 19),
    "CVV": _code(3, 4),
    "BANK_ACCOUNT": _account,
    "US_SSN": _code(4, 9),
    "NATIONAL_ID": _code(5, 25),
    "PASSPORT": _code(6, 13),
    "DRIVER_LICENSE": _driver_license,
    "VEHICLE_ID": _vehicle,
    "DEVICE_ID": _code(6, 90),
    "IBAN_CODE": _code(12, 34, 0.3),
    "MAC_ADDRESS": _code(6, 16),
    "ORGANIZATION_ID": _code(5, 25),
    "SWIFT_CODE": lambda v: (0.0, ""),
}


def _is_hashed(entity: str, p: Profile) -> bool:
    if p.distinct < 2 or entity in ("SECRET", "PASSWORD", "DEVICE_ID"):
        return False
    long = p.length > LONGEST_CODE or (p.length >= SHORTEST_DIGEST and p.kinds.get("hex", 0.0) > MOSTLY)
    return p.hashed > MOSTLY and (entity not in CODES or long)


def weight(entity: str, kind: str, v: ColumnValues) -> Weight:
    """The log-odds of the values for (or against) an entity that the header names, and why.

    "" where there is no evidence.
    """
    if PII_CLASS[entity] == "direct" and _is_hashed(entity, v.profile):
        return -0.5, HASHED
    if PII_CLASS[entity] == "direct" and v.profile.masked > MOSTLY:
        return 1.0, MASKED
    against, why = kind_weight(kind, v.profile)
    if against < 0:
        return against, why
    if not v.profile.texts:
        return 0.0, ""
    if v.profile.structured > 0.5 and entity not in ("GEO_COORDINATES", "FREE_TEXT"):
        return -2.5, "values are structured"
    found = WEIGHTS.get(entity)
    return found(v) if found else (0.0, "")
