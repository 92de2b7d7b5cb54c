"""Keyed arithmetic over whole columns: AES-CMAC, FF1, AES-SIV and prefix-preserving bit flips.

All of it uses the AES of `cryptography`.

Nothing here knows of operators, plans or domains: keys come in as bytes, values as texts or matrices. Every
construction is a published one and is tested against its published vectors (docs/decisions/0009-keyed-columns.md).
"""
