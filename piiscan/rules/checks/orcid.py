"""Open Researcher and Contributor ID of authors and other contributors, issued by ORCID.

Sixteen characters with the check character of ISO/IEC 7064, MOD 11-2, X meaning 10; often written as an address.
https://support.orcid.org/hc/en-us/articles/360006897674

>>> from piiscan.rules.checks import is_valid
>>> is_valid("orcid", "https://orcid.org/0000-0002-1825-0097"), is_valid("orcid", "0000-0002-1825-0096")
(True, False)
"""

from __future__ import annotations

from piiscan.rules.checks import compact_alnum
from piiscan.rules.checks.iso7064_11_2 import valid

__all__ = ["LENGTHS", "compact", "valid"]

LENGTHS = (16,)


def compact(text: str) -> str:
    return compact_alnum(text.rpartition("/")[2])
