"""Spanish VAT number (NIF-IVA), issued by the Agencia Tributaria: ES and the NIF of a person or an organisation.

https://sede.agenciatributaria.gob.es/Sede/iva/iva-operaciones-comercio-exterior/nif-iva.html

>>> from piiscan.rules.checks import is_valid
>>> is_valid("es_vat", "ES J99216582"), is_valid("es_vat", "ES J99216583")
(True, False)
"""

from __future__ import annotations

import numpy as np

from piiscan.rules.checks import Chars, Mask, compact_alnum, es_cif, es_dni, es_nie

LENGTHS = (9,)


def compact(text: str) -> str:
    return compact_alnum(text).removeprefix("ES")


def valid(chars: Chars) -> Mask:
    return np.asarray(es_cif.valid(chars) | es_dni.valid(chars) | es_nie.valid(chars))
