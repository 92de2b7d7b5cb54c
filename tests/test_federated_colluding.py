"""A whole run with `colluding = 1`: what the server and one site together make of everything that was sent."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from federated_sites import Wire, World

from piiscan.core.errors import UsageError
from piiscan.core.keys import Key
from piiscan.dp.noise import scale_of
from piiscan.federated import lockstep, noise_shares, seed_shares
from piiscan.federated.jobs import joint
from piiscan.federated.lockstep import Sum
from piiscan.federated.messages import unpack
from piiscan.federated.secret_sums import Attempt, SiteKey, _stream, words
from piiscan.io.table_source import Source

COLLUDER = "site-d"
HONEST = ("site-a", "site-b", "site-c")
LOST = "site-b"
"""Lost in the first round, after its vector was sent: the others open its mask. It stays out of the later rounds."""


class Watched(Wire):
    """A wire that also notes which vectors the sites sealed."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.truth: dict[tuple[Attempt, str], np.ndarray] = {}
        self.vectors: dict[tuple[Attempt, str], np.ndarray] = {}
        self.seeds: dict[tuple[Attempt, str], bytes] = {}
        self.sealed: dict[tuple[Attempt, str], Mapping[str, str]] = {}
        self.shares: dict[tuple[Attempt, str], dict[str, bytes]] = {}

    def ask(self, requests: Mapping[str, bytes], seconds: float) -> Mapping[str, bytes]:
        asked = unpack(next(iter(requests.values())))[0]
        of = attempt(asked)
        opening = asked["ask"] == "open" and of.round == 1
        replies = super().ask({n: r for n, r in requests.items() if not (opening and n == LOST)}, seconds)
        for name, reply in replies.items():
            told, vector = unpack(reply)
            if "error" in told:
                continue
            if asked["ask"] == "mask":
                self.vectors[of, name], self.sealed[of, name] = vector, told["shares"]
                run = self.world.sites[name]._load(of.run)
                assert run is not None and run.vector is not None
                self.truth[of, name] = words(run.vector)
            elif asked["ask"] == "open":
                self.seeds[of, name] = bytes.fromhex(told["seed"])
                for other, share in told["shares"].items():
                    self.shares.setdefault((of, other), {})[name] = bytes.fromhex(share)
        return replies


def attempt(told: Mapping[str, Any]) -> Attempt:
    return Attempt(told["federation"], told["run"], told["round"], told["attempt"], tuple(told["members"]))


def is_sealed(vector: np.ndarray) -> bool:
    """Whether most numbers are too large for a sum of the sites, which stays below 2⁵⁰ here.

    Of three random words, two are smaller by chance with a probability of 3 · 2⁻²⁶.
    """
    return bool(np.median(np.abs(vector.view(np.int64).astype(float))) > 1 << 50)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    world = World(tmp_path_factory.mktemp("colluding"), sites=4, colluding=1, fewest=3, rows=60)
    wire = Watched(world)
    world.coordinator("logistic", wire).run()
    return wire


def unmasked(wire: Watched, of: Attempt, name: str) -> np.ndarray:
    """A vector without all masks that the server and the colluding site know: its own, once opened, and theirs."""
    world = wire.world
    colluder = SiteKey(Key.load(f"file:{world.folder / COLLUDER / 'site.key'}"))
    vector = wire.vectors[of, name]
    seed = wire.seeds.get((of, name)) or seed_shares.joined(wire.shares[of, name], world.federation.fewest)
    pair = _stream(colluder._pair(world.federation.keys[name], COLLUDER, name, of), len(vector))
    return vector - _stream(seed, len(vector)) + (pair if name > COLLUDER else -pair)


def rounds(wire: Watched) -> list[tuple[Attempt, list[str]]]:
    """The attempt of each round that was opened, and its honest members."""
    return [(of, [n for n in HONEST if n in of.members]) for of in dict.fromkeys(of for of, _ in wire.seeds)]


def test_of_single_sites_and_of_some_nothing_is_seen_and_of_all_the_sum(seen: Watched) -> None:
    assert [len(of.members) for of, _ in rounds(seen)] == [4, 3, 3, 3]
    for of, honest in rounds(seen):
        left = {name: unmasked(seen, of, name) for name in honest}
        for size in range(1, len(honest)):
            for some in combinations(honest, size):
                assert is_sealed(sum(left[name] for name in some))  # type: ignore[arg-type]
        found, exact = sum(left.values()), sum(seen.truth[of, name] for name in honest)
        assert np.array_equal(found, exact)
        assert np.abs(exact.view(np.int64)).max() < 1 << 50  # type: ignore[union-attr]


def test_of_an_attempt_that_was_not_opened_nothing_is_seen(seen: Watched) -> None:
    """The second round was first tried with the lost site: vectors of two others arrived, and stay sealed."""
    (of,) = {of for of, _ in seen.vectors} - {of for of, _ in rounds(seen)}
    assert of.round == 2 and LOST in of.members
    colluder = SiteKey(Key.load(f"file:{seen.world.folder / COLLUDER / 'site.key'}"))
    left = []
    for name in sorted(set(HONEST) - {LOST}):
        vector = seen.vectors[of, name]
        left.append(vector + _stream(colluder._pair(seen.world.federation.keys[name], COLLUDER, name, of), len(vector)))
    assert all(is_sealed(vector) for vector in (*left, left[0] + left[1]))


def test_a_share_of_one_colluding_site_does_not_open_what_was_not_opened(seen: Watched) -> None:
    """Before the others give theirs, site d has one share of the lost site's seed; three are needed."""
    world = seen.world
    colluder = SiteKey(Key.load(f"file:{world.folder / COLLUDER / 'site.key'}"))
    of = next(of for of, _ in seen.sealed if of.round == 1)
    sealed = seen.sealed[of, LOST]
    own = colluder.opened_share(sealed[COLLUDER], COLLUDER, LOST, of, world.federation.keys)
    with pytest.raises(UsageError, match="too few"):
        seed_shares.joined({COLLUDER: own}, world.federation.fewest)
    for other in set(HONEST) - {LOST}:
        with pytest.raises(UsageError, match="sealed"):
            colluder.opened_share(sealed[other], COLLUDER, LOST, of, world.federation.keys)


def test_the_sum_of_the_others_has_the_noise_that_is_charged_for(seen: Watched) -> None:
    """What is left when site d tells its own noise: of each honest member a share, of which two suffice."""
    world = seen.world
    job = joint("logistic", world.federation.job("logistic"))
    exact = {name: job.exact(Source(world.frames[name])) for name in HONEST}
    sums: list[Sum] = []
    drawn, expected = 0.0, 0.0
    for of, honest in rounds(seen):
        parts = {name: lockstep.step(job, exact[name], sums, world.federation) for name in honest}
        (part,) = parts[honest[0]]
        rows = [[int(n) for p in parts[name] for n in p.exact()] for name in honest]  # type: ignore[union-attr]
        with_noise = np.sum([seen.truth[of, name].view(np.int64) for name in honest], axis=0)
        off = with_noise - np.sum(rows, axis=0)
        each = noise_shares.scale(part.share.amount, world.federation.honest, part.sensitivity, len(off))
        assert world.federation.honest == 2 <= len(honest)
        assert noise_shares.total_scale(each, 2) >= scale_of(part.share, part.sensitivity) * (1 - 1e-12)
        drawn += float(np.sum((off / each) ** 2)) / len(honest)
        expected += len(off)
        total = np.sum([seen.truth[of, name] for name in of.members], axis=0).view(np.int64)
        sums.append(Sum(tuple(int(n) for n in total), len(of.members)))
    assert abs(drawn - expected) < 5 * np.sqrt(2 * expected)


def test_the_state_of_the_colluding_site_holds_sums_and_its_own_vector(seen: Watched, tmp_path: Path) -> None:
    """All that its key decrypts: the sums that everybody has, and nothing of another site."""
    run = seen.world.sites[COLLUDER]._load(next(of.run for of, _ in seen.vectors))
    assert run is not None and run.vector is None
    for of, _ in rounds(seen):
        total = np.sum([seen.truth[of, name] for name in of.members], axis=0).view(np.int64)
        assert run.sums[of.round - 1].values == tuple(int(n) for n in total)
    assert set(run._fields) == {
        *("federation", "job", "charge", "sums", "vector", "attempt", "members", "is_open", "release", "accepted")
    }
