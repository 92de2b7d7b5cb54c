"""The vocabulary: every entity a column can be, and its class where the values are about natural persons.

Names follow Presidio where it has one. The classes are the standard terms of statistical disclosure control
(Templ, *Statistical Disclosure Control for Microdata*, 2017, section 1.2).
"""

from __future__ import annotations

from typing import Final

from piiscan.core.types import Pii

_BY_CLASS: Final[dict[Pii, str]] = {
    "direct": """PERSON FIRST_NAME LAST_NAME EMAIL_ADDRESS PHONE_NUMBER STREET_ADDRESS US_SSN NATIONAL_ID PASSPORT
        DRIVER_LICENSE CREDIT_CARD CVV IBAN_CODE BANK_ACCOUNT IP_ADDRESS MAC_ADDRESS USERNAME PASSWORD MEDICAL_RECORD
        VEHICLE_ID DEVICE_ID SECRET""",
    "quasi": """DATE_OF_BIRTH AGE GENDER MARITAL_STATUS CITY REGION POSTAL_CODE COUNTRY GEO_COORDINATES NATIONALITY
        BIRTHPLACE LANGUAGE OCCUPATION EDUCATION ORGANIZATION PERSON_ID FREE_TEXT LOCATION""",
    "sensitive": "ETHNICITY RELIGION SEXUALITY HEALTH_CONDITION INCOME",
    "none": "GENERIC_ID ORGANIZATION_ID SWIFT_CODE URL",
}

PII_CLASS: Final[dict[str, Pii]] = {name: pii for pii, names in _BY_CLASS.items() for name in names.split()}
"""Entity → class. URL is `quasi` when it is a person's page; SECRET is `direct` whatever the rows are about."""

RANK: Final[dict[str, int]] = {"none": 0, "quasi": 1, "sensitive": 2, "review": 3, "direct": 4}
"""How strong a class is, for `--fail-on`: a finding counts when its rank reaches the wanted one. A column in review may
turn out to be direct, so it comes right behind."""
