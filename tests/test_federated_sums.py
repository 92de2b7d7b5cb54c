"""Sums that nobody sees a summand of: exact, and sealed for whoever lacks one honest member."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.federated import seed_shares
from piiscan.federated.secret_sums import Attempt, SiteKey, check_fits, opened, words

NAMES = ("a", "b", "c", "d")
KEYS = {name: SiteKey(Key(bytes((i * 37 + j * 11) % 256 for j in range(32)))) for i, name in enumerate(NAMES)}
PUBLIC = {name: key.public for name, key in KEYS.items()}


def attempt(members: tuple[str, ...] = NAMES, **changed: object) -> Attempt:
    return Attempt("f", "r", 1, 1, members)._replace(**changed)


def sealed(values: dict[str, list[int]], of: Attempt) -> dict[str, np.ndarray]:
    return {name: KEYS[name].masked(values[name], name, of, PUBLIC) for name in of.members}


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.tuples(
            st.just(NAMES[:n]),
            st.integers(1, 5).flatmap(
                lambda size: st.lists(
                    st.lists(st.integers(-(1 << 60), 1 << 60), min_size=size, max_size=size), min_size=n, max_size=n
                )
            ),
        )
    )
)
@settings(max_examples=30)
def test_a_sum_is_exact(given: tuple[tuple[str, ...], list[list[int]]]) -> None:
    names, vectors = given
    of = attempt(names)
    seeds = {name: KEYS[name].seed(of) for name in names}
    made = opened(sealed(dict(zip(names, vectors, strict=True)), of), seeds, of)
    assert made == [sum(column) for column in zip(*vectors, strict=True)]


@pytest.mark.parametrize("lacking", NAMES)
def test_without_one_seed_or_vector_nothing_opens(lacking: str) -> None:
    of = attempt()
    vectors = sealed({name: [7] for name in NAMES}, of)
    seeds = {name: KEYS[name].seed(of) for name in NAMES}
    for a, b in (
        (vectors, {n: s for n, s in seeds.items() if n != lacking}),
        ({n: v for n, v in vectors.items() if n != lacking}, seeds),
    ):
        with pytest.raises(UsageError, match="every member"):
            opened(a, b, of)


def test_what_is_sent_says_nothing_without_the_masks() -> None:
    """Bits of sealed vectors of zeros are even, differ in every attempt, and don't repeat."""
    seen = [
        KEYS["a"].masked([0] * 1000, "a", attempt(**changed), PUBLIC)
        for changed in (
            {},
            {"round": 2},
            {"number": 2},
            {"run": "s"},
            {"federation": "g"},
            {"members": ("a", "b", "c")},
        )
    ]
    together = np.concatenate(seen)
    assert len(np.unique(together)) == len(together)
    bits = np.unpackbits(together.view(np.uint8))
    assert abs(bits.mean() - 0.5) < 4 * 0.5 / np.sqrt(len(bits))


def test_colluders_and_all_seeds_but_one_see_only_the_sum_of_the_others() -> None:
    """The coordinator, c, d, and the seed of b: what is left of a and b is the sum of both, and nothing of one."""
    of = attempt()
    vectors = sealed({"a": [100], "b": [20], "c": [3], "d": [4]}, of)
    known = {}
    for name in ("a", "b"):  # take off every mask that c and d share, and the site's own mask
        left = vectors[name].copy()
        for other in ("c", "d"):
            mask = KEYS[other].masked([0], other, of, PUBLIC) - KEYS[other].masked([0], other, attempt(), PUBLIC)
            assert not mask.any()  # the same bytes each time
            pair = _pair_mask(other, name, of)
            left = left + pair if name > other else left - pair
        known[name] = int((left - _own_mask(name, of)).view(np.int64)[0])
    assert known["a"] not in (100, 120) and known["b"] not in (20, 120)
    assert (known["a"] + known["b"] + 2**63) % 2**64 - 2**63 == 120


def _own_mask(name: str, of: Attempt) -> np.ndarray:
    from piiscan.federated.secret_sums import _stream

    return _stream(KEYS[name].seed(of), 1)


def _pair_mask(mine: str, other: str, of: Attempt) -> np.ndarray:
    from piiscan.federated.secret_sums import _stream

    return _stream(KEYS[mine]._pair(PUBLIC[other], mine, other, of), 1)


def test_the_same_request_gets_the_same_bytes() -> None:
    of = attempt()
    values = {name: [1, 2] for name in NAMES}
    assert (sealed(values, of)["a"] == sealed(values, of)["a"]).all()
    shares = [KEYS["a"].sealed_shares("a", of, PUBLIC, 2) for _ in range(2)]
    assert shares[0] == shares[1]


def test_shares_give_the_seed_and_fewer_do_not() -> None:
    of = attempt()
    sealed = KEYS["a"].sealed_shares("a", of, PUBLIC, 2)
    held = {other: KEYS[other].opened_share(sealed[other], other, "a", of, PUBLIC) for other in ("b", "c", "d")}
    for lost in held:
        two = {name: share for name, share in held.items() if name != lost}
        assert seed_shares.joined(two, 2) == KEYS["a"].seed(of)
    with pytest.raises(UsageError, match="too few"):
        seed_shares.joined({"b": held["b"]}, 2)
    with pytest.raises(UsageError, match="too few"):
        seed_shares.joined({"b": held["b"], "c": held["b"]}, 2)


@pytest.mark.parametrize("changed", [{"round": 2}, {"number": 2}, {"run": "s"}, {"members": ("a", "b", "c")}])
def test_a_share_opens_in_its_own_attempt_alone(changed: dict[str, object]) -> None:
    sealed = KEYS["a"].sealed_shares("a", attempt(), PUBLIC, 2)
    with pytest.raises(UsageError, match="sealed"):
        KEYS["b"].opened_share(sealed["b"], "b", "a", attempt(**changed), PUBLIC)
    with pytest.raises(UsageError, match="sealed"):
        KEYS["b"].opened_share(sealed["c"], "b", "a", attempt(), PUBLIC)


def test_sums_that_might_wrap_are_refused() -> None:
    check_fits([1 << 60, -(1 << 60)], 4)
    with pytest.raises(UsageError, match="narrower bounds"):
        check_fits([(1 << 60) + 1], 4)


def test_lengths_must_agree() -> None:
    of = attempt(("a", "b"))
    vectors = {"a": words([1]), "b": words([1, 2])}
    with pytest.raises(UsageError, match="one length"):
        opened(vectors, {name: KEYS[name].seed(of) for name in of.members}, of)
