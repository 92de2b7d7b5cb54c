"""Techniques that are often taught and protect nobody by themselves, each with what breaks it; and data of nobody, to
try things on.

Nothing else in piiscan stands on them.
"""

from __future__ import annotations

from piiscan.api.techniques.generated import blobs, classification, normal
from piiscan.api.techniques.pca_masking import Obfuscated, pca_mask
from piiscan.api.techniques.recovery import recover_rows
from piiscan.api.techniques.sensitivity import empirical_sensitivity

__all__ = ["Obfuscated", "blobs", "classification", "empirical_sensitivity", "normal", "pca_mask", "recover_rows"]
