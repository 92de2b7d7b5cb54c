"""The coordinator asks the sites of a federation for one job, and adds up what they send. It has no rows and no key."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from piiscan.core.errors import PiiscanError, UsageError
from piiscan.core.whole_file import write_whole
from piiscan.dp.run.joint import text_of
from piiscan.federated import lockstep, seed_shares
from piiscan.federated.federation import Federation
from piiscan.federated.jobs import joint
from piiscan.federated.lockstep import Sum
from piiscan.federated.messages import pack, tool, unpack
from piiscan.federated.secret_sums import SEED, Attempt, Words, digest, opened

TRIES: Final = 3
"""How often a site that doesn't answer is asked for the same thing before the round goes on without it."""
NO_ANSWER: Final = "no answer"

_HEX: Final = frozenset("0123456789abcdef")


class Transport(Protocol):
    """Brings requests to sites."""

    def ask(self, requests: Mapping[str, bytes], seconds: float) -> Mapping[str, bytes]:
        """Return the replies, by site, that came within so many seconds. A site that is lost has none."""
        ...


class FederationError(PiiscanError):
    """A run ended without a result: too few sites are left, or they don't compute the same."""

    exit_status = 3


class Progress(NamedTuple):
    """How far a run is: the round, its attempt, and the sites that are left."""

    round: int
    attempt: int
    members: tuple[str, ...]


class Coordinator:
    """One run of a job.

    state: a file from which a run that was interrupted goes on; it holds sums that all sites have. seconds: how long a
    site may take for a reply. say: called before each round.
    """

    def __init__(
        self,
        federation: Federation,
        job: str,
        transport: Transport,
        *,
        state: Path | None = None,
        seconds: float = 600.0,
        pause: float = 0.0,
        say: Callable[[Progress], None] | None = None,
    ) -> None:
        self.federation = federation
        self.job = job
        self.joint = joint(job, federation.job(job))
        self.left_out: dict[str, str] = {}
        """The sites that were left out, and what they said."""
        self._transport = transport
        self._state = state
        self._seconds, self._pause, self._say = seconds, pause, say
        self._run = secrets.token_hex(32)
        self._sums: list[Sum] = []
        self._members = tuple(sorted(federation.keys))
        self._attempt = 1
        self._resume()

    def run(self) -> str:
        """Ask until the release is there, and return it as text. Every site makes it of the same sums.

        Raises `FederationError` when fewer sites are left than the federation asks for, or when their sums differ.
        """
        empty = self.joint.empty()
        while True:
            found = lockstep.step(self.joint, empty, self._sums, self.federation)
            if isinstance(found, dict):
                try:
                    text = text_of(found)
                except UsageError:
                    self._forget()
                    raise
                return self._finish(text)
            self._sums.append(self._next_sum())
            self._attempt = 1
            self._save()

    def _next_sum(self) -> Sum:
        """Return the sum of a round, of the sites that are left."""
        while True:
            if len(self._members) < self.federation.fewest:
                self._forget()
                raise FederationError(
                    f"{len(self._members)} sites are left, and the federation asks for {self.federation.fewest}"
                    + "".join(f"; {site}: {why}" for site, why in sorted(self.left_out.items()))
                )
            self._save()
            if self._say:
                self._say(Progress(len(self._sums) + 1, self._attempt, self._members))
            attempt = Attempt(self.federation.digest, self._run, len(self._sums) + 1, self._attempt, self._members)
            sent = self._asked(attempt, {site: self._request("mask", attempt) for site in attempt.members}, _vector)
            if set(sent) == set(self._members):
                seeds = self._seeds(attempt, {site: shares for site, (_, shares) in sent.items()})
                values = opened({site: vector for site, (vector, _) in sent.items()}, seeds, attempt)
                return Sum(tuple(values), len(self._members))
            self._members = tuple(sorted(sent))
            self._attempt += 1

    def _seeds(self, attempt: Attempt, sealed: Mapping[str, Mapping[str, str]]) -> dict[str, bytes]:
        """Return the seeds of all members: from themselves, or from the shares that the others hold."""
        told = self._asked(attempt, {site: self._request("open", attempt) for site in attempt.members}, _seed)
        seeds = {site: seed for site, (seed, _) in told.items()}
        lost = sorted(set(attempt.members) - set(seeds))
        if not lost:
            return seeds
        if len(seeds) < self.federation.fewest:
            raise FederationError(
                f"{', '.join(lost)}: lost after the vectors were sent, and {len(seeds)} sites are too few to open "
                "them; start the same run again when it is back (with the same state file)"
            )
        requests = {
            site: self._request("open", attempt, {"lost": {other: sealed[other].get(site, "") for other in lost}})
            for site in seeds
        }
        shares = {site: found for site, (_, found) in self._asked(attempt, requests, _seed).items()}
        for other in lost:
            held = {site: bytes.fromhex(found[other]) for site, found in shares.items() if other in found}
            seeds[other] = seed_shares.joined(held, self.federation.fewest)
        return seeds

    def _asked(
        self, attempt: Attempt, requests: Mapping[str, bytes], read: Callable[[dict[str, Any], Words], Any]
    ) -> dict[str, Any]:
        """Return what all sites that answer say, asking those again that don't."""
        got: dict[str, Any] = {}
        refused: set[str] = set()
        for again in range(TRIES):
            waiting = [site for site in requests if site not in got and site not in refused]
            if not waiting:
                break
            if again:
                time.sleep(self._pause)
            for site, reply in self._transport.ask({site: requests[site] for site in waiting}, self._seconds).items():
                try:
                    told, vector = unpack(reply)
                    if "error" in told:
                        self.left_out[site] = str(told["error"])
                        refused.add(site)
                        continue
                    if site not in waiting or told.get("site") != site or told.get("round") != attempt.round:
                        continue  # a reply of another round, or in another's name
                    if told.get("attempt") != attempt.number:
                        continue
                    got[site] = read(told, vector)
                except UsageError as error:
                    self.left_out[site] = str(error)
        for site in requests:
            if site not in got:
                self.left_out.setdefault(site, NO_ANSWER)
        return got

    def _request(self, what: str, attempt: Attempt, more: Mapping[str, Any] | None = None) -> bytes:
        told: dict[str, Any] = {
            "ask": what,
            "tool": tool(),
            "federation": self.federation.digest,
            "run": self._run,
            "job": self.job,
            "round": attempt.round,
            "attempt": attempt.number,
            "members": list(attempt.members),
        }
        if self._sums and what != "open":
            told |= {"sum": list(self._sums[-1].values), "sites": self._sums[-1].sites}
        return pack({**told, **(more or {})})

    def _finish(self, text: str) -> str:
        """Give all sites the last sum. Where all have the same sums and none rejects the model, they keep it.

        Raises `FederationError` otherwise.
        """
        attempt = Attempt(self.federation.digest, self._run, len(self._sums), self._attempt, self._members)
        sums = digest(json.dumps(self._sums))
        told = self._asked(attempt, dict.fromkeys(self._members, self._request("check", attempt)), _verdict)
        if len(told) < self.federation.fewest:
            raise FederationError(
                f"{len(told)} sites have said whether they accept the result, and the federation asks for "
                f"{self.federation.fewest}; start the same run again when they are back (with the same state file)"
            )
        if others := sorted(site for site, (found, _) in told.items() if found != sums):
            self._forget()
            raise FederationError(f"{', '.join(others)}: other sums arrived there; nothing is released")
        if rejecting := sorted(site for site, (_, accepts) in told.items() if not accepts):
            self._forget()
            raise FederationError(
                f"{', '.join(rejecting)}: rejected the model, which predicts too few of the rows held out there; "
                "nothing is released. Some site sent wrong numbers, or the site asks for too much: nobody can see which"
            )
        kept = self._asked(attempt, dict.fromkeys(told, self._request("finish", attempt)), lambda told, vector: True)
        self._forget()
        for site in self._members:
            if site not in kept and self.left_out.get(site) == NO_ANSWER:
                self.left_out[site] = f"{NO_ANSWER} to the last request: it has no release"
        return text

    def _save(self) -> None:
        if self._state is None:
            return
        told = {
            "federation": self.federation.digest,
            "job": self.job,
            "run": self._run,
            "sums": self._sums,
            "members": self._members,
            "attempt": self._attempt,
            "left_out": self.left_out,
        }
        write_whole(self._state, json.dumps(told).encode(), private=True)

    def _forget(self) -> None:
        """The run is over: it isn't gone on with."""
        if self._state is not None:
            self._state.unlink(missing_ok=True)

    def _resume(self) -> None:
        if self._state is None or not self._state.exists():
            return
        try:
            told = json.loads(self._state.read_bytes())
            known = (told["federation"], told["job"])
            sums = [Sum(tuple(values), sites) for values, sites in told["sums"]]
            run, members, attempt = told["run"], tuple(told["members"]), int(told["attempt"])
            left_out = dict(told["left_out"])
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"{self._state}: this isn't the state of a run; name another file") from None
        if known != (self.federation.digest, self.job):
            raise UsageError(f"{self._state}: it is of a run of another job or federation file; name another file")
        self._sums, self._run, self._members, self._attempt, self.left_out = sums, run, members, attempt, left_out


def _vector(told: dict[str, Any], vector: Words) -> tuple[Words, dict[str, str]]:
    if not len(vector):
        raise UsageError("it sent no vector")
    return vector, _hex_texts(told.get("shares"))


def _seed(told: dict[str, Any], vector: Words) -> tuple[bytes, dict[str, str]]:
    seed = _hex_texts({"": told.get("seed")})[""]
    if len(seed) != 2 * SEED:
        raise UsageError("it sent no seed")
    return bytes.fromhex(seed), _hex_texts(told.get("shares"))


def _verdict(told: dict[str, Any], vector: Words) -> tuple[str, bool]:
    """Return the digest of a site's sums, and whether it accepts what follows from them."""
    return _hex_texts({"": told.get("sums")})[""], told.get("accepts") is True


def _hex_texts(told: Any) -> dict[str, str]:
    if not isinstance(told, dict) or not all(isinstance(t, str) and set(t) <= _HEX for t in told.values()):
        raise UsageError("it sent a malformed reply")
    return told
