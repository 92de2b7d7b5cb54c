"""Masks one CSV file with presidio-structured, within its own environment: `python run_mask.py IN.csv OUT.csv`.

The engine is used as its manual says, with the columns' kinds given rather than guessed, since only masking is
measured. Prints as JSON how many rows there were and how many seconds its `anonymize` took alone. The operators are
those of `benchmarks/mask_same.toml`.
"""

from __future__ import annotations

import json
import sys
import time

import pandas as pd
from faker import Faker
from presidio_anonymizer.entities import OperatorConfig
from presidio_structured import PandasDataProcessor, StructuredAnalysis, StructuredEngine


def operators(fake: Faker) -> dict[str, OperatorConfig]:
    """By column: every column is an entity of its own. Made-up people don't agree with each other, and no value has
    the same one twice."""
    hashed = OperatorConfig("hash", {"hash_type": "sha256", "salt": b"sixteen bytes..."})
    return {
        "id": hashed,
        "name": OperatorConfig("custom", {"lambda": lambda _: fake.name()}),
        "email": OperatorConfig("custom", {"lambda": lambda _: fake.email()}),
        "phone": OperatorConfig("mask", {"masking_char": "*", "chars_to_mask": 9, "from_end": True}),
        "ssn": hashed,
        "card": OperatorConfig("mask", {"masking_char": "*", "chars_to_mask": 12, "from_end": False}),
        "iban": hashed,
        "address": OperatorConfig("custom", {"lambda": lambda _: fake.street_address()}),
        "city": OperatorConfig("replace", {"new_value": "<CITY>"}),
        "zip": OperatorConfig("mask", {"masking_char": "*", "chars_to_mask": 2, "from_end": True}),
        "dob": OperatorConfig("redact"),
        "ip": hashed,
        "amount": OperatorConfig("replace", {"new_value": "<AMOUNT>"}),
        "notes": OperatorConfig("replace", {"new_value": "<TEXT>"}),
    }


def main(source: str, target: str) -> None:
    frame = pd.read_csv(source, dtype=str, keep_default_na=False)
    fake = Faker("en_US")
    fake.seed_instance(1)
    analysis = StructuredAnalysis(entity_mapping={column: column for column in frame.columns})
    engine = StructuredEngine(data_processor=PandasDataProcessor())
    start = time.perf_counter()
    masked = engine.anonymize(frame, analysis, operators=operators(fake))
    seconds = time.perf_counter() - start
    masked.to_csv(target, index=False)
    print(json.dumps({"rows": len(frame), "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
