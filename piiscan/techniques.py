"""Techniques that are often taught but protect nobody on their own, each with what breaks it; and made-up tables.

Nothing else in piiscan relies on them.
"""

from __future__ import annotations

from piiscan.api.techniques.generated import blobs, classification, normal
from piiscan.api.techniques.pca_masking import Obfuscated, pca_mask
from piiscan.api.techniques.recovery import recover_rows
from piiscan.api.techniques.sensitivity import empirical_sensitivity

__all__ = ["Obfuscated", "blobs", "classification", "empirical_sensitivity", "normal", "pca_mask", "recover_rows"]
