"""Runs of a federation: the result of the pooled rows, whatever is lost, late, repeated or forged; right ledgers."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from conftest import run_piiscan
from federated_sites import COST, JOBS, Wire, World, frame

from piiscan.core.errors import BudgetError, UsageError
from piiscan.dp import noise
from piiscan.dp.ledger import Ledger
from piiscan.dp.noise import Noisy
from piiscan.federated.coordinator import FederationError
from piiscan.federated.jobs import joint
from piiscan.federated.messages import pack, unpack
from piiscan.federated.site import Site
from piiscan.io.table_source import Source

Requests = Mapping[str, bytes]
Ask = Callable[[Requests], dict[str, bytes]]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def _no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "gaussian", lambda count, scale: (0,) * count)


def pooled(world: World, job: str, names: list[str] | None = None) -> dict[str, Any]:
    """The same computation over the rows of these sites (all of them) in one table, without noise."""
    rows = pl.concat([world.frames[name] for name in names or world.names])
    scales = {}

    def added(exact: Callable[[], list[int]], sensitivity: int, share: noise.Share) -> Noisy:
        values = exact()
        from piiscan.federated import noise_shares

        each = noise_shares.scale(share.amount, world.federation.honest, sensitivity, len(values))
        scales[each] = True
        return Noisy(tuple(values), noise_shares.total_scale(each, len(names or world.names)))

    made = joint(job, world.federation.job(job))
    return made.released(made.exact(Source(rows)), added)


def charges(world: World, name: str) -> list[str]:
    ledger = Ledger(world.folder / name / "ledger.sqlite")
    if not ledger.path.exists():
        return []
    return [json.loads(charge.query)["federated"]["run"] for charge in ledger.account("patients").charges]


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.usefixtures("_no_noise")
def test_sums_before_noise_are_those_of_the_pooled_rows(world: World, job: str) -> None:
    told = json.loads(world.run(job))
    expected = json.loads(json.dumps(pooled(world, job)))
    assert told.pop("federation") == {"name": "demo", "sites": 3, "colluding": 0, "honest": 2}
    assert {k: v for k, v in told.items() if k != "notes"} == {k: v for k, v in expected.items() if k != "notes"}


@pytest.mark.parametrize("job", ["clusters", "linear", "synthesis", "summary"])
def test_every_site_gets_the_coordinators_release_and_charges_once(world: World, job: str) -> None:
    text = world.run(job)
    assert json.loads(text)["privacy"]["epsilon"] == 1.0
    for name in world.names:
        (charge,) = Ledger(world.folder / name / "ledger.sqlite").account("patients").charges
        assert charge.release == text
        assert (charge.loss.epsilon, charge.loss.delta) == (1.0, 1e-9)
    assert len({run for name in world.names for run in charges(world, name)}) == 1


def test_rows_are_drawn_from_a_release(tmp_path: Path) -> None:
    """They resemble those of all sites, and the same release gives the same ones."""
    world = World(tmp_path, rows=4000, epsilon=20.0)
    (tmp_path / "release.json").write_text(world.run("synthesis"), encoding="utf-8")
    for name in ("one.csv", "two.csv"):
        done = run_piiscan("federated", "rows", "release.json", "-o", name, "-n", "2000", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    drawn, real = pl.read_csv(tmp_path / "one.csv"), pl.concat(world.frames.values())
    assert drawn["age"].mean() == pytest.approx(real["age"].mean(), abs=3)
    found, expected = (rows.select(pl.corr("age", "cost")).item() for rows in (drawn, real))
    assert found == pytest.approx(expected, abs=0.2) and expected > 0.7
    released = json.loads((tmp_path / "release.json").read_text(encoding="utf-8"))
    assert abs(released["rows"]["value"] - 12_000) <= 3 * released["rows"]["accuracy"]  # by chance once in 10⁸
    wrong = run_piiscan("federated", "model", "release.json", "-o", "m.npz", cwd=tmp_path)
    assert wrong.returncode == 2 and "isn't a release of the kind" in wrong.stderr


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"synthesize": "all"}, "names the pairs"),
        ({"synthesize": [["age", "weight"]]}, "column weight"),
        ({"synthesize": [["age", "age"]]}, "two columns"),
        ({"synthesize": [["age", "cost"], ["cost", "age"]]}, "named once"),
        ({"by": [["sex"]]}, "by isn't an entry"),
        ({"edges": {"age": [n / 4 for n in range(1, 400)], "cost": list(range(1, 1000))}}, "are fitted"),
    ],
)
def test_a_wrong_job_of_synthetic_rows_says_what_to_write(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        joint("synthesis", {**JOBS["synthesis"], **COST, **changed})


def test_synthetic_rows_without_pairs_cost_what_they_are_said_to() -> None:
    for pairs in ([], [["sex", "age"]]):
        made = joint("synthesis", {**JOBS["synthesis"], **COST, "synthesize": pairs})
        spent = []

        def added(exact: Callable[[], list[int]], sensitivity: int, share: noise.Share, to: Any = spent) -> Noisy:
            assert sensitivity == 1
            to.append(share.amount)
            return Noisy(tuple(exact()), 1.0)

        made.released(made.empty(), added)
        assert sum(spent) == pytest.approx(made.price.loss.rho)
        assert len(spent) == 3 + len(pairs)


def test_the_number_of_rows_is_as_accurate_as_said() -> None:
    """Of 200 releases by seeded noise, 95 % are within the accuracy: 190, ± four deviations of 3.1."""
    made = joint("synthesis", {**JOBS["synthesis"], **COST, "synthesize": []})
    exact = made.exact(Source(frame(3000, 1)))
    drawn = np.random.default_rng(25)

    def added(values: Callable[[], list[int]], _sensitivity: int, _share: noise.Share) -> Noisy:
        return Noisy(tuple(np.rint(drawn.normal(values(), 30.0)).astype(int).tolist()), 30.0)

    releases = [made.released(exact, added)["rows"] for _ in range(200)]
    assert 178 <= sum(abs(rows["value"] - 3000) <= rows["accuracy"] for rows in releases) <= 199


def test_a_unit_with_many_rows_counts_as_often_as_said(tmp_path: Path) -> None:
    world = World(tmp_path, rows=400, one_row_per_person=False, unit="person", epsilon=50.0)
    told = json.loads(world.run("summary"))
    assert told["rows"]["value"] == pytest.approx(3 * 200, abs=20)  # two rows each, of which one counts


def test_two_runs_of_one_job_cost_twice_and_draw_anew(world: World) -> None:
    assert world.run("scaler") != world.run("scaler")
    assert len(set(charges(world, "site-a"))) == 2


def lose(*names: str, of: str = "mask", late: bool = False) -> Callable[..., Any]:
    """A fault that loses the replies of sites, or their requests."""

    def fault(world: World, requests: Requests, ask: Ask) -> dict[str, bytes]:
        if unpack(next(iter(requests.values())))[0]["ask"] != of:
            return ask(requests)
        if late:
            ask({name: requests[name] for name in names if name in requests})
        return ask({name: request for name, request in requests.items() if name not in names})

    return fault


@pytest.mark.usefixtures("_no_noise")
@pytest.mark.parametrize("late", [False, True], ids=["no request arrives", "no reply arrives"])
def test_a_round_goes_on_without_a_lost_site(world: World, late: bool) -> None:
    told = json.loads(world.run("linear", [lose("site-b", late=late)] * 3))
    assert told["federation"]["sites"] == 2
    assert told["fitted"] == json.loads(json.dumps(pooled(world, "linear", ["site-a", "site-c"])["fitted"]))
    assert len(charges(world, "site-b")) == int(late)


@pytest.mark.usefixtures("_no_noise")
def test_a_slow_site_is_asked_again(world: World) -> None:
    told = json.loads(world.run("linear", [lose("site-b", late=True)] * 2))
    assert told["federation"]["sites"] == 3
    assert [len(charges(world, name)) for name in world.names] == [1, 1, 1]


@pytest.mark.usefixtures("_no_noise")
def test_a_site_lost_before_it_opens_is_opened_by_the_others(world: World) -> None:
    told = json.loads(world.run("linear", [None, *[lose("site-b", of="open")] * 3]))  # type: ignore[list-item]
    assert told["federation"]["sites"] == 3
    assert told["fitted"] == json.loads(json.dumps(pooled(world, "linear")["fitted"]))


def test_too_few_sites_end_the_run_with_the_reason(world: World) -> None:
    with pytest.raises(FederationError, match=r"1 sites are left.*site-b: no answer"):
        world.run("linear", [lose("site-b", "site-c")] * 3)
    assert [len(charges(world, name)) for name in world.names] == [1, 0, 0]


def test_restarted_sites_and_a_restarted_coordinator_go_on(world: World, tmp_path: Path) -> None:
    """Everything is new before each call; the run is the same one, with the same bytes, and charged once."""

    def restart(world: World, requests: Requests, ask: Ask) -> dict[str, bytes]:
        world.sites = {name: world.site(name) for name in world.names}
        return ask(requests)

    wire = Wire(world, [restart] * 100)
    state = tmp_path / "run.json"
    rounds = 0

    class Interrupted(Exception):
        pass

    class Once:
        def ask(self, requests: Requests, seconds: float) -> Mapping[str, bytes]:
            nonlocal rounds
            rounds += 1
            replies = wire.ask(requests, seconds)
            if rounds % 3 == 0:
                raise Interrupted
            return replies

    while True:
        try:
            text = world.coordinator("clusters", Once(), state).run()
            break
        except Interrupted:
            pass
    assert rounds > 9
    assert all(len(charges(world, name)) == 1 for name in world.names)
    assert json.loads(text)["fitted"]
    replies: dict[tuple[str, bytes], set[bytes]] = {}
    for name, request, reply in wire.sent:
        replies.setdefault((name, request), set()).add(reply)
    assert any(sum((n, q) == (name, request) for n, q, _ in wire.sent) > 1 for name, request in replies)
    assert all(len(found) == 1 for found in replies.values())


def test_ledgers_after_fifty_faulty_rounds(tmp_path: Path) -> None:
    """Sites are lost and come back, requests come twice and late, in runs that end and runs that don't."""
    world = World(tmp_path, rows=50, epsilon=0.01)
    random = np.random.default_rng(5)
    answered: dict[str, set[str]] = {name: set() for name in world.names}
    calls = 0

    def fault(world: World, requests: Requests, ask: Ask) -> dict[str, bytes]:
        nonlocal calls
        calls += 1
        arrives = {name: request for name, request in requests.items() if random.random() > 0.2}
        replies = ask(arrives)
        if random.random() < 0.5:
            assert ask(arrives) == replies  # sent twice
        for name, reply in replies.items():
            if "error" not in unpack(reply)[0]:
                answered[name].add(unpack(arrives[name])[0]["run"])
        return {name: reply for name, reply in replies.items() if random.random() > 0.2}

    while calls < 50:
        with suppress(FederationError):
            world.run("clusters" if calls % 2 else "summary", [fault] * 1000)
    for name in world.names:
        assert sorted(charges(world, name)) == sorted(answered[name])
        account = Ledger(world.folder / name / "ledger.sqlite").account("patients")
        assert account.total.epsilon == pytest.approx(0.01 * len(answered[name]))


def test_a_spent_budget_leaves_a_site_out_before_it_sends(world: World) -> None:
    home = world.folder / "site-b" / "site.toml"
    home.write_text(home.read_text().replace("100.0", "1.5"))
    world.sites["site-b"] = world.site("site-b")
    assert json.loads(world.run("scaler"))["federation"]["sites"] == 3
    coordinator = world.coordinator("scaler", Wire(world))
    assert json.loads(coordinator.run())["federation"]["sites"] == 2
    assert "budget" in coordinator.left_out["site-b"]
    with pytest.raises(BudgetError):
        Ledger(world.folder / "site-b" / "ledger.sqlite").check(
            "patients", joint("scaler", world.federation.job("scaler")).price.loss, 1.5
        )


# What a site refuses, whoever asks.


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, dict[str, Any]]:
    """A world, and the first request of a run as a site got it. What a site refuses changes nothing there."""
    world = World(tmp_path_factory.mktemp("asked"))
    wire = Wire(world)
    world.coordinator("scaler", wire).run()
    return world, unpack(wire.sent[0][1])[0]


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tool": "piiscan 0.0.0"}, "use the same versions"),
        ({"federation": "0" * 64}, "another federation file"),
        ({"run": "../../etc"}, "64 hex digits"),
        ({"job": "everything"}, "no job everything"),
        ({"ask": "rows"}, "nothing that a site knows"),
        ({"members": ["site-a"]}, "1 sites are left"),
        ({"members": ["site-b", "site-c"]}, "isn't among the members"),
        ({"members": ["site-a", "site-a", "site-b"]}, "twice"),
        ({"members": ["site-a", "site-z"]}, "aren't in the federation"),
        ({"members": "site-a"}, "names no attempt"),
        ({"round": 2}, "wasn't in the run from its first round"),
        ({"round": True}, "names no attempt"),
        ({"attempt": 0}, "names no attempt"),
        ({"attempt": None}, "names no attempt"),
        ({"ask": "open"}, "hasn't sent a vector"),
        ({"ask": "finish"}, "takes no part"),
    ],
)
def test_a_site_refuses_what_is_not_in_its_file(
    asked: tuple[World, dict[str, Any]], changed: dict[str, Any], reason: str
) -> None:
    world, told = asked
    before = charges(world, "site-a")
    reply, vector = unpack(world.sites["site-a"].answer(pack({**told, "run": "0" * 64, **changed})))
    assert reason in reply["error"] and not len(vector)
    assert charges(world, "site-a") == before


@pytest.mark.parametrize(
    "message", [b"", b"{}", b"\xff\n", b'{"version": 1}', b'{"version": 2}\n', b"[" * 100_000, b'{"version": 1}\nodd']
)
def test_malformed_messages_are_refused(asked: tuple[World, dict[str, Any]], message: bytes) -> None:
    assert "error" in unpack(asked[0].sites["site-a"].answer(message))[0]


def test_an_attempt_opens_once_and_no_later_one_after_it(world: World) -> None:
    """Whatever a coordinator says, a site opens one attempt of a round, and takes part in no other then."""
    wire = Wire(world)
    world.coordinator("clusters", wire).run()
    site, run = world.sites["site-a"], "1" * 64
    first = {**unpack(wire.sent[0][1])[0], "run": run}

    def ask(**changed: Any) -> dict[str, Any]:
        return unpack(site.answer(pack({**first, **changed})))[0]

    assert "error" not in ask()
    assert "error" not in ask(attempt=2, members=["site-a", "site-b"])
    assert "left out" in ask(attempt=3)["error"]  # site-c doesn't come back
    assert "over" in ask(ask="open")["error"]  # the first attempt
    assert "over" in ask(ask="open", attempt=2)["error"]  # with other members
    assert "seed" in ask(ask="open", attempt=2, members=["site-a", "site-b"])
    assert "over" in ask(attempt=3, members=["site-a", "site-b"])["error"]
    assert "error" not in ask(attempt=2, members=["site-a", "site-b"])  # the same bytes again
    sums = {"round": 2, "attempt": 1, "members": ["site-a", "site-b"]}
    for wrong in (
        {},
        {"sum": [1], "sites": 2},
        {"sum": [float("nan")] * 60, "sites": 2},
        {"sum": [0] * 60, "sites": 3},
    ):
        assert "sum of the last round" in ask(**sums, **wrong)["error"]


def test_a_run_stays_with_the_job_and_the_file_that_were_charged(world: World) -> None:
    wire = Wire(world)
    world.coordinator("clusters", wire).run()
    site, first = world.sites["site-a"], {**unpack(wire.sent[0][1])[0], "run": "2" * 64}
    assert "error" not in unpack(site.answer(pack(first)))[0]
    assert "one job" in unpack(site.answer(pack({**first, "job": "pca"})))[0]["error"]
    path = world.folder / "federation.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("epsilon = 1.0", "epsilon = 2.0"), encoding="utf-8")
    changed = world.site("site-a")
    told = {**first, "federation": changed.federation.digest}
    assert "changed since this run began" in unpack(changed.answer(pack(told)))[0]["error"]
    assert len(charges(world, "site-a")) == 2


def test_a_run_waits_where_too_few_sites_say_whether_they_accept(world: World, tmp_path: Path) -> None:
    state = tmp_path / "run.json"
    lost = lose("site-a", "site-b", of="check")
    with pytest.raises(FederationError, match="1 sites have said"):
        world.coordinator("linear", Wire(world, [lost] * 100), state).run()
    text = world.coordinator("linear", Wire(world), state).run()
    assert [len(charges(world, name)) for name in world.names] == [1, 1, 1]
    assert Ledger(world.folder / "site-a" / "ledger.sqlite").account("patients").charges[0].release == text


def test_a_site_that_was_stopped_after_it_stored_a_release_answers_again(world: World) -> None:
    wire = Wire(world)
    world.coordinator("linear", wire).run()
    last = next(request for name, request, _ in reversed(wire.sent) if name == "site-a")
    assert unpack(last)[0]["ask"] == "finish"
    assert "error" not in unpack(world.site("site-a").answer(last))[0]


def test_sites_that_were_told_other_sums_end_the_run(world: World) -> None:
    def lie(world: World, requests: Requests, ask: Ask) -> dict[str, bytes]:
        told = unpack(requests["site-b"])[0]
        if "sum" not in told:
            return ask(requests)
        told["sum"] = [n + 1 for n in told["sum"]]
        return ask({**requests, "site-b": pack(told)})

    with pytest.raises(FederationError, match="site-b: other sums"):
        world.run("clusters", [lie] * 100)
    for name in world.names:
        (charge,) = Ledger(world.folder / name / "ledger.sqlite").account("patients").charges
        assert charge.release is None


def test_nothing_that_is_sent_or_kept_shows_a_row(world: World) -> None:
    """Sums of a single row, exact, stand nowhere: not on the wire, not in the state, which only its owner can read."""
    wire = Wire(world)
    world.coordinator("summary", wire).run()
    for name in world.names:
        (state,) = (world.folder / name / "state").iterdir()
        assert stat.S_IMODE(state.stat().st_mode) == 0o600
        kept = state.read_bytes()
        for row in world.frames[name].head(20).iter_rows():
            for cell in row[:3]:
                assert str(cell).encode() not in kept
    people = [person for frame in world.frames.values() for person in frame["person"]]
    assert not any(person.encode() in message for _, *both in wire.sent for message in both for person in people)


def test_the_key_of_a_site_must_be_the_pinned_one(world: World) -> None:
    (world.folder / "site-a" / "site.key").replace(world.folder / "site-b" / "site.key")
    with pytest.raises(UsageError, match="another key"):
        world.site("site-b")


def test_lost_state_does_not_charge_again(world: World) -> None:
    wire = Wire(world)
    world.coordinator("clusters", wire).run()
    for path in (world.folder / "site-a" / "state").iterdir():
        path.unlink()
    reply = unpack(world.site("site-a").answer(wire.sent[0][1]))[0]
    assert "begin a new run" in reply["error"]
    assert len(charges(world, "site-a")) == 1


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("fewest = 2", "fewest = 1", "at least two of them must be honest"),
        ("fewest = 2", "fewest = 4", "add sites"),
        ("colluding = 0", "colluding = 1", "at least two of them must be honest"),
        ('name = "demo"', 'name = "de mo"', "letters, digits"),
        ("[federation]", "[federations]", "isn't known"),
        ('key = "', 'key = "x', "64 hex digits"),
        ("delta = 1e-09", "delta = 0.0", "needs a delta"),
        ("one_row_per_person = true", "one_row_per_person = false", "whose rows are these"),
        ('learn = "PCA"', 'learn = "Forest"', "learn must be one of"),
        ("n_components = 2", "components = 2", "doesn't take these entries"),
        ("n_clusters = 2", "n_clusters = 0", "n_clusters must be"),
        ('by = [["sex"]]', 'statistics = ["quantiles"]', "quantiles are selected"),
        ('by = [["sex"]]', 'private_keys = ["sex"]', "isn't an entry of a summary"),
    ],
)
def test_a_wrong_file_says_what_to_write(world: World, old: str, new: str, reason: str) -> None:
    from piiscan.federated.federation import load

    path = world.folder / "federation.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=reason):
        federation = load(path)
        for job in federation.jobs:
            joint(job, federation.job(job))


def test_the_files_of_the_manual_are_read(tmp_path: Path) -> None:
    from conftest import ROOT

    from piiscan.core import keys
    from piiscan.federated.endpoint import ServerConfig
    from piiscan.federated.federation import load
    from piiscan.federated.secret_sums import SiteKey
    from piiscan.federated.site import SiteConfig

    page = (ROOT / "docs" / "federated.md").read_text(encoding="utf-8")
    federation, site, server = re.findall(r"^```toml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for name in ("site", "south", "west"):
        public = SiteKey(keys.write_new(tmp_path / f"{name}.key")).public
        federation = federation.replace("64 hex digits", public, 1)
    for name, text in {"federation": federation, "site": site, "server": server}.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    for name in ("stays.csv", "stays-held-out.csv"):
        (tmp_path / name).write_text("patient,age,days,ward\np,40,3,other\n", encoding="utf-8")
    (tmp_path / "labels.csv").write_text("path,column,entity\nstays.csv,patient,MEDICAL_RECORD\n", encoding="utf-8")
    found = load(tmp_path / "federation.toml")
    config = SiteConfig.load(tmp_path / "site.toml")
    assert set(config.jobs) <= set(found.jobs)
    for job in found.jobs:
        made, own = joint(job, found.job(job)), config.job(job)
        assert made.exact(Source(own.data)) is not None
        if own.hold_out is not None:
            made.check_held_out(Source(own.hold_out.data), own.hold_out.within)
    assert config.superlink == ServerConfig.load(tmp_path / "server.toml").endpoint
    assert Site(config).config.site == "north"
