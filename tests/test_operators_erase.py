"""Operators that leave nothing, all, or a part of a value."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import apply, filled, law, words

from piiscan.masking.operators.erase import Drop, Keep, Redact, Suppress
from piiscan.masking.operators.partial import SEPARATORS, Partial

SAMPLES = [
    "4111-1111-1111-1111",
    "ab",
    "a",
    "",
    "---",
    "jane.doe@example.com",
    "x@y@z.org",
    "żółć ęą",
    "a\nb",
    "😀😀",
    "@x",
    None,
]


@law
@given(filled("text"))
def test_keep_changes_nothing(cells: pl.Series) -> None:
    assert apply(Keep(), cells).equals(cells, null_equal=True)


@pytest.mark.parametrize("operator", [Suppress(), Drop()])
@law
@given(cells=filled("float64"))
def test_suppress_leaves_nothing(operator: Suppress | Drop, cells: pl.Series) -> None:
    masked = apply(operator, cells)
    assert masked.null_count() == len(cells)
    assert masked.dtype == cells.dtype


@law
@given(filled("text"), st.sampled_from([Redact(), Redact("hidden"), Redact(entity="US_SSN")]))
def test_redact_leaves_one_text(cells: pl.Series, operator: Redact) -> None:
    assert set(apply(operator, cells)) <= {None, operator.replacement}
    assert apply(operator, cells).null_count() == cells.null_count()


def test_redact_writes_the_entity_s_name() -> None:
    assert apply(Redact(entity="EMAIL_ADDRESS"), pl.Series(["a@b.example"])).to_list() == ["<EMAIL_ADDRESS>"]


@pytest.mark.parametrize(
    ("operator", "masks"),
    [
        (
            Partial(),
            [
                "****-****-****-****",
                "**",
                "*",
                "",
                "***",
                "****.***@*******.***",
                "*@*@*.***",
                "**** **",
                "***",
                "**",
                "@*",
                None,
            ],
        ),
        (
            Partial(keep_last=4),
            [
                "****-****-****-1111",
                "**",
                "*",
                "",
                "***",
                "****.***@******e.com",
                "*@*@*.***",
                "**** **",
                "***",
                "**",
                "@*",
                None,
            ],
        ),
        (
            Partial(keep_first=1, keep_domain=True),
            [
                "4***-****-****-****",
                "a*",
                "*",
                "",
                "***",
                "j***.***@example.com",
                "x@*@z.org",
                "ż*** **",
                "a**",
                "😀*",
                "@x",
                None,
            ],
        ),
        (
            Partial(keep_first=1, fixed=3, keep_domain=True),
            [
                "4***",
                "a***",
                "***",
                "***",
                "***",
                "j***@example.com",
                "x***@z.org",
                "ż***",
                "a***",
                "😀***",
                "***@x",
                None,
            ],
        ),
        (
            Partial(keep_last=1, keep_separators=False, character="$"),
            [
                "$" * 18 + "1",
                "$b",
                "$",
                "",
                "$$-",
                "$" * 19 + "m",
                "$" * 8 + "g",
                "$" * 6 + "ą",
                "$$b",
                "$😀",
                "$x",
                None,
            ],
        ),
    ],
)
def test_partial_masks(operator: Partial, masks: list[str | None]) -> None:
    assert apply(operator, pl.Series(SAMPLES)).to_list() == masks


@law
@given(
    st.lists(words, min_size=1, max_size=8),
    st.builds(
        Partial,
        keep_first=st.integers(0, 4),
        keep_last=st.integers(0, 4),
        keep_separators=st.booleans(),
        fixed=st.just(0),
        character=st.just("\u2022"),
    ),
)
def test_partial_hides_at_least_half(values: list[str], operator: Partial) -> None:
    for value, mask in zip(values, apply(operator, pl.Series(values)), strict=True):
        assert len(mask) == len(value)
        counted = [i for i, c in enumerate(value) if not operator.keep_separators or c not in SEPARATORS]
        hidden = [i for i in counted if mask[i] == "\u2022"]
        assert 2 * len(hidden) >= len(counted)
        assert all(mask[i] in ("\u2022", c) for i, c in enumerate(value))
        if not counted:
            assert set(mask) <= {"\u2022"}  # nothing but separators: they are the value


@law
@given(st.text("ab.-", min_size=1, max_size=9), st.sampled_from(["x.example", ""]))
def test_partial_hides_half_before_the_domain(local: str, domain: str) -> None:
    mask = apply(Partial(keep_first=1, keep_domain=True), pl.Series([f"{local}@{domain}"])).item()
    assert mask.endswith(f"@{domain}")
    counted = [c for c in local if c in "ab"]
    assert 2 * mask.removesuffix(f"@{domain}").count("*") >= len(counted or local)


def test_a_fixed_length_hides_lengths() -> None:
    masks = apply(Partial(fixed=5), pl.Series(["a", "ab", "a b c d e f g", ""]))
    assert masks.unique().to_list() == ["*****"]


def test_an_original_is_not_declared() -> None:
    for operator in (Partial(), Partial(keep_last=4), Partial(fixed=3, keep_first=1)):
        originals = pl.Series(["4111-1111-1111-1111", "jane", "ab12"])
        assert not operator.declares(originals, None).any()
