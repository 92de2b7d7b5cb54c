"""A site: answers a coordinator's requests about the jobs in its own copy of the federation file.

Every step is on the disk before it is sent, under the site's key, so a site that was killed goes on where it was, and a
request that comes twice gets the same bytes twice. The ledger is charged before the first vector is sent.
"""

from __future__ import annotations

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from piiscan.core.errors import PiiscanError, UsageError
from piiscan.core.keys import Key
from piiscan.core.whole_file import write_whole
from piiscan.dp.accounting import Loss, total
from piiscan.dp.ledger import Ledger
from piiscan.dp.run.joint import Joint, text_of
from piiscan.federated import lockstep
from piiscan.federated.endpoint import Endpoint, endpoint
from piiscan.federated.federation import Federation, check_entries, load, read_toml
from piiscan.federated.jobs import joint
from piiscan.federated.lockstep import Sum
from piiscan.federated.messages import pack, tool, unpack
from piiscan.federated.secret_sums import Attempt, SiteKey, check_fits, digest
from piiscan.federated.site_jobs import SiteJob, site_jobs
from piiscan.io.table_source import Source

_ENTRIES: Final = frozenset(("site", "key", "federation", "data", "dataset", "ledger", "state"))
_OPTIONAL: Final = frozenset(("budget", "table", "superlink", "root_certificates", "insecure", "jobs"))


class SiteConfig(NamedTuple):
    """What only the site knows: where its key, data, ledger and state are. Paths are relative to the file.

    jobs: what is different for a job: other data, and rows that its model is checked with.
    """

    site: str
    key: str
    federation: Path
    data: Path
    dataset: str
    ledger: Path
    state: Path
    budget: float | None = None
    table: str | None = None
    superlink: Endpoint | None = None
    jobs: Mapping[str, SiteJob] = MappingProxyType({})

    @classmethod
    def load(cls, path: Path) -> SiteConfig:
        """Read a site's file. Raises `UsageError`."""
        told = read_toml(path)
        check_entries(told, _ENTRIES, _OPTIONAL, str(path))
        budget = told.get("budget")
        if any(not isinstance(told[name], str) or not told[name] for name in _ENTRIES) or not (
            budget is None or (isinstance(budget, int | float) and budget > 0)
        ):
            raise UsageError(f"{path}: entries are texts, and budget is a number above 0")
        key = told["key"]
        kind, _, where = key.partition(":")
        if kind == "file":
            key = f"file:{path.parent / where}"
        paths = {name: path.parent / told[name] for name in ("federation", "data", "ledger", "state")}
        return cls(
            told["site"],
            key,
            paths["federation"],
            paths["data"],
            told["dataset"],
            paths["ledger"],
            paths["state"],
            budget,
            told.get("table"),
            endpoint(told, "superlink", path) if "superlink" in told else None,
            site_jobs(told.get("jobs", {}), path),
        )

    def job(self, name: str) -> SiteJob:
        """Return the site's own settings of a job, its data among them."""
        own = self.jobs.get(name, SiteJob())
        data, table = (self.data, self.table) if own.data is None else (own.data, own.table)
        budget = self.budget if own.budget is None else own.budget
        return own._replace(data=data, table=table, dataset=own.dataset or self.dataset, budget=budget)


class _Run(NamedTuple):
    """What a site keeps of a run.

    federation: the digest of the file that the run began with. sums: of the rounds that are over. vector: the noisy
    integers of the round that isn't. attempt, members, is_open: of the last attempt that was answered. release: what
    follows from all sums; accepted: whether the site takes it.
    """

    federation: str
    job: str
    charge: int
    sums: tuple[Sum, ...] = ()
    vector: tuple[int, ...] | None = None
    attempt: int = 0
    members: tuple[str, ...] = ()
    is_open: bool = False
    release: str | None = None
    accepted: bool = False


class Site:
    """Answers requests, one at a time.

    Guarantee:
        Assumes: the federation file is the one that all sites agreed on; at least `fewest` − `colluding` members of a
        run are honest; `unit`, where a job has one, identifies a person in this site's rows.
        Ensures: what the coordinator, and sites that collude with it, learn from this site in a run costs at most the
        job's ε and δ for each unit of this site's rows, and the ε of its check for each unit of the rows that were held
        out; the site's ledger is charged with the sum before anything is sent, once a run. A model that the site
        rejects isn't stored in its ledger.
        Does not protect against: a person whose rows are at several sites: each of them charges and spends on its own.
        Test: test_federated_runs.py::test_an_attempt_opens_once_and_no_later_one_after_it
    """

    def __init__(self, config: SiteConfig) -> None:
        self.config = config
        self.federation: Federation = load(config.federation)
        self._key = SiteKey(Key.load(config.key))
        known = self.federation.keys.get(config.site)
        if known != self._key.public:
            what = "has no site of this name" if known is None else "has another key for it"
            raise UsageError(f"site {config.site}: the federation file {what}; the site's key is {self._key.public}")
        self._exact: dict[str, Any] = {}
        self._jobs: dict[str, Joint] = {}
        self._lock = Lock()

    def answer(self, message: bytes) -> bytes:
        """Return the reply to a request. What goes wrong is in the reply; it quotes no cell."""
        with self._lock:
            try:
                return self._answered(message)
            except PiiscanError as error:
                return pack({"error": str(error)})

    def _answered(self, message: bytes) -> bytes:
        told, _ = unpack(message)
        asked, run_id = told.get("ask"), told.get("run")
        if told.get("tool") != tool():
            raise UsageError(f"the coordinator runs {told.get('tool')}, and this site {tool()}; use the same versions")
        if told.get("federation") != self.federation.digest:
            raise UsageError("the coordinator has another federation file; all sites and it need the same one")
        if not (isinstance(run_id, str) and len(run_id) == 64 and set(run_id) <= set("0123456789abcdef")):
            raise UsageError("malformed request: a run is named by 64 hex digits")
        if asked == "mask":
            return self._masked(run_id, told)
        if asked == "open":
            return self._opened(run_id, told)
        if asked == "check":
            return self._checked(run_id, told)
        if asked == "finish":
            return self._finished(run_id, told)
        raise UsageError("malformed request: it asks for nothing that a site knows")

    def _masked(self, run_id: str, told: dict[str, Any]) -> bytes:
        """Answer with the site's sealed vector of a round."""
        attempt = self._attempt(run_id, told)
        job = self._job(str(told.get("job")))
        run = self._load(run_id)
        if run is None:
            run = self._begun(run_id, str(told.get("job")), job, attempt)
        if run.job != told.get("job"):
            raise UsageError("a run is of one job; the site charged another one for it")
        run = self._moved_on(run_id, run, attempt, told)
        if run.vector is None:
            parts = lockstep.step(job, self._rows(run_id, run.job, job), run.sums, self.federation)
            if isinstance(parts, dict):
                raise UsageError("the run is over; the coordinator asked for one round too many")
            vector = lockstep.with_noise(parts, self.federation.honest)
            check_fits(vector, len(self.federation.keys))
            run = run._replace(vector=tuple(vector), attempt=0, is_open=False)
        if attempt.number < run.attempt or (run.is_open and attempt.number != run.attempt):
            raise UsageError("this attempt is over; the site takes part in a later one, or has opened another")
        if attempt.number == run.attempt and attempt.members != run.members:
            raise UsageError("the members of an attempt don't change")
        if run.members and not set(attempt.members) <= set(run.members):
            raise UsageError("a site that was left out of a run doesn't come back in it")
        run = run._replace(attempt=attempt.number, members=attempt.members)
        self._save(run_id, run)
        assert run.vector is not None
        sealed = self._key.masked(run.vector, self.config.site, attempt, self.federation.keys)
        shares = self._key.sealed_shares(self.config.site, attempt, self.federation.keys, self.federation.fewest)
        told = {"site": self.config.site, "round": attempt.round, "attempt": attempt.number, "shares": shares}
        return pack(told, sealed)

    def _opened(self, run_id: str, told: dict[str, Any]) -> bytes:
        """Answer with the seed of the site's own mask, for one attempt of a round at most."""
        attempt = self._attempt(run_id, told)
        run = self._load(run_id)
        if run is None or run.vector is None or attempt.round != len(run.sums) + 1:
            raise UsageError("this site hasn't sent a vector for that round")
        if (attempt.number, attempt.members) != (run.attempt, run.members):
            raise UsageError("this attempt is over; the site takes part in a later one, or has opened another")
        shares = {
            other: self._key.opened_share(sealed, self.config.site, other, attempt, self.federation.keys).hex()
            for other, sealed in self._sealed(told, attempt).items()
        }
        self._save(run_id, run._replace(is_open=True))
        seed = self._key.seed(attempt).hex()
        reply = {"site": self.config.site, "round": attempt.round, "attempt": attempt.number, "seed": seed}
        return pack(reply | {"shares": shares})

    def _sealed(self, told: dict[str, Any], attempt: Attempt) -> dict[str, str]:
        """Return the sealed shares of lost members' seeds that a request asks this site to open."""
        sealed = told.get("lost", {})
        if not (
            isinstance(sealed, dict)
            and all(other in attempt.members and isinstance(text, str) for other, text in sealed.items())
            and self.config.site not in sealed
        ):
            raise UsageError("malformed request: it names no lost members")
        return sealed

    def _checked(self, run_id: str, told: dict[str, Any]) -> bytes:
        """Take the last sum, and answer with the digest of all sums and whether the site accepts what follows."""
        attempt, run = self._over(run_id, told)
        reply = {"site": self.config.site, "round": attempt.round, "attempt": attempt.number}
        return pack(reply | {"sums": digest(json.dumps(run.sums)), "accepts": run.accepted})

    def _finished(self, run_id: str, told: dict[str, Any]) -> bytes:
        """Store the release in the ledger. Raises `UsageError` if the site rejected it."""
        attempt, run = self._over(run_id, told)
        if not run.accepted:
            raise UsageError("this site rejected the model")
        ledger, dataset = self._ledger(run.job)
        (charge,) = (charge for charge in _charges(ledger, dataset) if charge.id == run.charge)
        if charge.release is None:
            ledger.store(run.charge, str(run.release))
        return pack({"site": self.config.site, "round": attempt.round, "attempt": attempt.number})

    def _over(self, run_id: str, told: dict[str, Any]) -> tuple[Attempt, _Run]:
        """Return a run whose sums are all there. The release is made, and checked, once."""
        attempt = self._attempt(run_id, told)
        run = self._load(run_id)
        if run is None:
            raise UsageError("this site takes no part in that run")
        if run.release is None:
            run = self._moved_on(run_id, run, attempt, told)
            job, own = self._job(run.job), self.config.job(run.job)
            released = lockstep.step(job, job.empty(), run.sums, self.federation)
            if not isinstance(released, dict):
                raise UsageError("the run isn't over yet")
            text = text_of(released)
            accepted = own.hold_out is None or own.hold_out.accepts(job, released)
            run = run._replace(release=text, accepted=accepted, vector=None)
            self._save(run_id, run)
            self._exact.pop(run_id, None)
        return attempt, run

    def _attempt(self, run_id: str, told: dict[str, Any]) -> Attempt:
        """Return the attempt that a request is about. Raises `UsageError` for one the site takes no part in."""
        number, round_, members = told.get("attempt"), told.get("round"), told.get("members")
        if not (
            isinstance(members, list)
            and all(isinstance(m, str) for m in members)
            and type(number) is int
            and type(round_) is int
            and number >= 1
            and round_ >= 1
        ):
            raise UsageError("malformed request: it names no attempt of a round")
        if sorted(set(members)) != members or not set(members) <= set(self.federation.keys):
            raise UsageError("the request names sites that aren't in the federation file, or names them twice")
        if self.config.site not in members:
            raise UsageError("this site isn't among the members of that attempt")
        if len(members) < self.federation.fewest:
            raise UsageError(f"{len(members)} sites are left, and the federation asks for {self.federation.fewest}")
        return Attempt(self.federation.digest, run_id, round_, number, tuple(members))

    def _begun(self, run_id: str, name: str, job: Joint, attempt: Attempt) -> _Run:
        """Begin a run: charge the ledger, once."""
        if attempt.round != 1:
            raise UsageError("this site wasn't in the run from its first round; begin a new run")
        ledger, dataset = self._ledger(name)
        loss = self._loss(name, job)
        if any(charge.query == self._query(run_id, name) for charge in _charges(ledger, dataset)):
            raise UsageError("the state of this run is lost, but it was charged; begin a new run")
        own = self.config.job(name)
        ledger.check(dataset, loss, own.budget)
        self._rows(run_id, name, job)
        if (check := own.hold_out) is not None:
            job.check_held_out(Source(check.data), check.within)
        charge = ledger.charge(dataset, "", self._query(run_id, name), loss, own.budget)
        assert isinstance(charge, int)  # a release of this very run would have been found before
        run = _Run(self.federation.digest, name, charge)
        self._save(run_id, run)
        return run

    def _job(self, name: str) -> Joint:
        """Return what a job computes. The federation file was read when the site began."""
        if name not in self._jobs:
            self._jobs[name] = joint(name, self.federation.job(name))
        return self._jobs[name]

    def _ledger(self, job: str) -> tuple[Ledger, str]:
        """Return the ledger, and its name for the dataset of a job."""
        ledger = Ledger(self.config.ledger)
        return ledger, ledger.name_of(str(self.config.job(job).dataset))

    def _loss(self, name: str, job: Joint) -> Loss:
        """Return what a run costs here: the job, and the check of its model."""
        check = self.config.job(name).hold_out
        return job.price.loss if check is None else total([job.price.loss, check.loss])

    def _query(self, run_id: str, job: str) -> str:
        """Return what the ledger keeps as the query: public facts, and the run, as each run draws noise of its own."""
        told = {"federation": self.federation.name, "job": job, "run": run_id, **self.federation.job(job)}
        if (check := self.config.job(job).hold_out) is not None:
            told["hold_out"] = {"least": check.least, "within": check.within, "epsilon": check.epsilon}
        return json.dumps({"federated": told}, sort_keys=True, ensure_ascii=False)

    def _moved_on(self, run_id: str, run: _Run, attempt: Attempt, told: dict[str, Any]) -> _Run:
        """Return the run after the sum that a request brings, if it brings one that is new here."""
        done = len(run.sums)
        finishing = told.get("ask") in ("check", "finish")
        if attempt.round == done + 1 and not finishing:
            return run
        if attempt.round != done + (1 if finishing else 2) or run.vector is None or not run.is_open:
            raise UsageError("the request is about a round that this site can't be in; begin a new run")
        values, sites = told.get("sum"), told.get("sites")
        if not (
            isinstance(values, list)
            and len(values) == len(run.vector)
            and all(type(n) is int and abs(n) < 1 << 63 for n in values)
            and sites == len(run.members)
        ):
            raise UsageError("the sum of the last round is missing, or isn't one of as many whole numbers as were sent")
        return run._replace(sums=(*run.sums, Sum(tuple(values), len(run.members))), vector=None)

    def _rows(self, run_id: str, name: str, job: Joint) -> Any:
        if run_id not in self._exact:
            self._exact.clear()  # one run at a time
            own = self.config.job(name)
            self._exact[run_id] = job.exact(Source(own.data, own.table))
        return self._exact[run_id]

    def _path(self, run_id: str) -> Path:
        return self.config.state / f"{run_id}.run"

    def _save(self, run_id: str, run: _Run) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.config.state.mkdir(mode=0o700, parents=True, exist_ok=True)
        plain = json.dumps(run._asdict(), separators=(",", ":")).encode()
        nonce = os.urandom(12)
        sealed = AESGCM(self._key.at_rest).encrypt(nonce, plain, run_id.encode())
        write_whole(self._path(run_id), b64encode(nonce + sealed), private=True)

    def _load(self, run_id: str) -> _Run | None:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        path = self._path(run_id)
        if not path.exists():
            return None
        try:
            raw = b64decode(path.read_bytes(), validate=True)
            told = json.loads(AESGCM(self._key.at_rest).decrypt(raw[:12], raw[12:], run_id.encode()))
        except (OSError, ValueError, InvalidTag):
            raise UsageError("the state of this run can't be read with the site's key; begin a new run") from None
        if told["federation"] != self.federation.digest:
            raise UsageError("the federation file changed since this run began; begin a new run")
        told["sums"] = tuple(Sum(tuple(values), sites) for values, sites in told["sums"])
        told["vector"] = None if told["vector"] is None else tuple(told["vector"])
        told["members"] = tuple(told["members"])
        return _Run(**told)


def _charges(ledger: Ledger, dataset: str) -> Sequence[Any]:
    if not ledger.path.exists() or dataset not in ledger.datasets():
        return ()
    return ledger.account(dataset).charges
