"""Individual risk by Benedetti and Franconi, with class sizes in the population estimated from weights."""

from __future__ import annotations

import numpy as np

from piiscan.anonymity.histogram import Ints
from piiscan.anonymity.models.shares import Floats

_MANY = 30
_TERMS = 64


def individual_risk(sizes: Ints, weights: Floats) -> Floats:
    """(classes,) the mean of 1 / F, where F is a class's size in the population and f its size in the sample.

    F - f is negative binomial with success probability p = f / (sum of the class's weights), which gives the estimate
    of Benedetti and Franconi (Franconi and Polettini, Individual risk estimation in μ-Argus, PSD 2004, section 2.2).
    sizes: (classes,) f. weights: (classes,) sums of weights, f at least.

    The mean is ∫ u^(f-1) / (1 + y·u) du over 0..1 with y = (1 - p) / p.
    """
    f = sizes.astype(np.float64)
    p = np.minimum(1.0, f / weights)
    return np.where((f >= _MANY) | (p >= 0.5), _series(f, p), _recursion(sizes, p))


def _series(f: Floats, p: Floats) -> Floats:
    """p/f · ₂F₁(1, 1; f + 1; 1 - p): all terms are positive, and fall fast where f is large or p is not small."""
    term = np.ones_like(p)
    total = np.ones_like(p)
    for j in range(_TERMS):
        term = term * (j + 1) / (f + 1 + j) * (1 - p)
        total += term
    done: Floats = p / f * total
    return done


def _recursion(sizes: Ints, p: Floats) -> Floats:
    """r(1) = ln(1 + y) / y and r(f) = (1/(f - 1) - r(f - 1)) / y: errors shrink where y is 1 or more."""
    y = np.maximum(1.0, (1 - p) / p)
    risk = np.log1p(y) / y
    done: Floats = risk
    for f in range(2, _MANY):
        risk = (1 / (f - 1) - risk) / y
        done = np.where(sizes >= f, risk, done)
    return done
