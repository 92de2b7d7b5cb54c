"""Tokens: texts sealed by AES-SIV, that the key turns back into what they were.

The way out for values that have no other keyed mask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from piiscan.core.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

    from piiscan.core.keys import Subkey
    from piiscan.masking.crypto.siv import Siv
    from piiscan.masking.crypto.text_bytes import Bytes

PREFIX: Final = "~tok1_"
"""Before every token, with its version. No mask that keeps other characters in place begins with ~ unless its
original does."""
MARK: Final = PREFIX[0]
PAD: Final = 32
_SIV: Final = 16


def seal(values: pl.Series, key: Subkey, pad: int = PAD) -> pl.Series:
    """The tokens of a String series without nulls: equal values, equal tokens.

    A token's length tells how many times `pad` bytes there are.
    """
    import polars as pl

    from piiscan.masking.crypto.text_bytes import binary, groups, reassembled, texts

    siv = _siv(key)
    found = texts(values)
    parts = []
    for length, rows in groups((found.lengths // pad + 1) * pad):
        part = found.take(rows)
        plain = np.concatenate([part.block(position) for position in range(length // _SIV)], axis=1).view(np.uint8)
        coded = binary(siv.seal(plain)).bin.encode("base64").str.strip_chars_end("=")
        coded = coded.str.replace_all("+", "-", literal=True).str.replace_all("/", "_", literal=True)
        parts.append((rows, pl.select(pl.lit(PREFIX) + coded.alias("")).to_series()))
    return reassembled(parts, len(values))


def opened(tokens: pl.Series, key: Subkey) -> pl.Series:
    """The originals of tokens (String, no nulls); null for anything that is not a token made under this key."""
    import polars as pl

    from piiscan.masking.crypto.text_bytes import groups, reassembled

    siv = _siv(key)
    standard = (
        tokens.str.slice(len(PREFIX)).str.replace_all("-", "+", literal=True).str.replace_all("_", "/", literal=True)
    )
    looks = tokens.str.starts_with(PREFIX) & tokens.str.contains(r"^~tok1_[0-9A-Za-z_-]+$")
    filled = pl.select(
        standard.alias("") + pl.lit("===").str.slice(0, (4 - standard.str.len_bytes() % 4) % 4)
    ).to_series()
    # Bits behind the last byte must be none: one token, one spelling.
    coded = filled.set(~looks, "").str.decode("base64", strict=False).fill_null(b"")
    good = (coded.bin.encode("base64") == filled) & (coded.bin.size("b") > _SIV) & (coded.bin.size("b") % _SIV == 0)
    sizes = coded.bin.size("b").to_numpy().astype(np.int64) * good.to_numpy()
    parts = []
    for size, rows in groups(sizes):
        if size:
            sealed = coded.gather(rows).bin.reinterpret(dtype=pl.Array(pl.UInt8, size)).to_numpy()
            plain, authentic = siv.open(sealed)
            parts.append((rows[authentic], _unpadded(plain[authentic])))
    return reassembled(parts, len(tokens))


def restored(tokens: pl.Series, key: Subkey) -> pl.Series:
    """Like `opened`, but raises `UsageError` with their number where some are not tokens of this key."""
    found = opened(tokens, key)
    if strange := found.null_count():
        raise UsageError(
            f"{strange} of {len(found)} distinct values aren't tokens made with this key and domain: `piiscan key "
            "id` shows the id of this key, and the plan names the one it was made with"
        )
    return found


def _unpadded(plain: Bytes) -> pl.Series:
    from piiscan.masking.crypto.text_bytes import Texts, unjoined

    n, length = plain.shape
    lengths = length - 1 - np.argmax(plain[:, ::-1] == 0x80, axis=1)
    return unjoined(
        Texts(np.concatenate([plain.reshape(-1), np.zeros(16, dtype=np.uint8)]), np.arange(n) * length, lengths)
    )


def _siv(key: Subkey) -> Siv:
    from piiscan.masking.crypto.siv import Siv

    # The subkey is the domain's own; bound once more as associated data, a token can't pass for one of another domain
    # or version.
    domain = key.derive("token", "domain").secret[:8]
    return Siv(key.derive("token", "mac").secret, key.derive("token", "encrypt").secret, PREFIX.encode(), domain)
