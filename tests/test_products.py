"""The same probabilities to the bit, however many cores a machine has."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from piiscan.scanning.classify.products import product

DIGEST = """
import hashlib
import numpy as np
from piiscan.scanning.classify.column_features import Features, WIDTH
from piiscan.scanning.classify.column_model import model
from piiscan.scanning.classify.table_signals import TABLE_WIDTH

draw = np.random.default_rng(5)
nine = (np.arange(9, dtype=np.int32), np.ones(9, dtype=np.float32) / 3)
columns = [
    Features(draw.random(WIDTH, dtype=np.float32), *nine, None if named else nine)
    for named in (True, False) * 20
]
chances = model().probabilities(columns, np.zeros(TABLE_WIDTH, dtype=np.float32))
print(hashlib.sha256(chances.tobytes()).hexdigest())
"""


def test_probabilities_do_not_depend_on_threads_of_linear_algebra() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST], env={**os.environ, "OPENBLAS_NUM_THREADS": threads}, check=True,
            capture_output=True,
        ).stdout
        for threads in ("1", "2", "7")
    }  # fmt: skip
    assert len(digests) == 1


def test_product() -> None:
    left, right = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(12, dtype=np.float32).reshape(3, 4)
    assert product(left, right).tolist() == (left @ right).tolist()


def test_products_of_nothing_are_zero_whatever_lies_in_memory_beside_them() -> None:
    around = np.full((4, 3), np.nan, dtype=np.float32)
    for left in (np.ones((2, 5), dtype=np.float32)[:, :0], np.zeros((2, 0), dtype=np.float32)):
        for right in (around[:0], np.broadcast_to(around[0], (0, 3))):
            assert product(left, right).tolist() == [[0.0] * 3] * 2
    assert product(np.zeros((2, 3), dtype=np.float32), np.ones((3, 1), dtype=np.float32)).tolist() == [[0.0]] * 2
