"""The federation file, which is the same at every site: sites and their public keys, whom they trust, and the jobs.

A coordinator can only name a job; each site takes from its own copy of the file what the job computes and costs.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.federated.secret_sums import digest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST_SITES: Final = 1000
_ENTRIES: Final = frozenset(("name", "colluding", "fewest"))


class Federation(NamedTuple):
    """Sites that compute together.

    keys: the public key of each site. colluding: how many sites may tell the coordinator everything they know.
    fewest: a run ends without a result when fewer sites than this are left.
    """

    name: str
    keys: Mapping[str, str]
    colluding: int
    fewest: int
    jobs: Mapping[str, Mapping[str, Any]]

    @property
    def honest(self) -> int:
        """The fewest sites whose noise an attacker doesn't know."""
        return self.fewest - self.colluding

    @property
    def digest(self) -> str:
        """Tells whether two sites have the same file: SHA-256 of what it says, all of which is public."""
        return digest(json.dumps([self.name, dict(self.keys), self.colluding, self.fewest, self.jobs], sort_keys=True))

    def job(self, name: str) -> Mapping[str, Any]:
        """Return a job's table. Raises `UsageError`."""
        if name not in self.jobs:
            raise UsageError(f"federation {self.name}: it has no job {name}; it has {', '.join(sorted(self.jobs))}")
        return self.jobs[name]


def load(path: Path) -> Federation:
    """Read a federation file. Raises `UsageError`."""
    return parsed(read_toml(path), str(path))


def parsed(told: Mapping[str, Any], place: str) -> Federation:
    """Return a federation from the tables of its file. Raises `UsageError`."""

    def table(name: str, of: Mapping[str, Any] = told) -> Mapping[str, Any]:
        found = of.get(name)
        if not isinstance(found, dict) or not found:
            raise UsageError(f"{place}: [{name}] is missing; see docs/federated.md for a whole file")
        return found

    if unknown := sorted(set(told) - {"federation", "sites", "jobs"}):
        raise UsageError(
            f"{place}: [{unknown[0]}] isn't known; a federation file has [federation], [sites.NAME], [jobs.NAME]"
        )
    head, sites, jobs = table("federation"), table("sites"), table("jobs")
    check_entries(head, _ENTRIES, frozenset(), f"{place}: [federation]")
    name, colluding, fewest = head["name"], head["colluding"], head["fewest"]
    if not isinstance(name, str) or any(type(n) is not int for n in (colluding, fewest)):
        raise UsageError(f"{place}: name must be a text; colluding and fewest must be whole numbers")
    for each in (name, *sites, *jobs):
        if not _NAME.fullmatch(each):
            raise UsageError(f"{place}: a name has up to 64 letters, digits, points, hyphens and underscores")
    if not 0 <= colluding <= fewest - 2 or not fewest <= len(sites) <= _MOST_SITES:
        raise UsageError(
            f"{place}: of {len(sites)} sites at least fewest = {fewest} take part, and at least two of them must be "
            f"honest (colluding = {colluding}); change fewest or colluding, or add sites"
        )
    keys = {site: _key(table(site, sites), f"{place}: [sites.{site}]") for site in sites}
    if len(set(keys.values())) < len(keys):
        raise UsageError(f"{place}: two sites have the same key; each site makes its own")
    return Federation(name, keys, colluding, fewest, {job: table(job, jobs) for job in jobs})


def check_entries(told: Mapping[str, Any], needed: frozenset[str], optional: frozenset[str], place: str) -> None:
    """Raise `UsageError` for a table that lacks an entry, or has one that isn't known."""
    if missing := sorted(needed - set(told)):
        raise UsageError(f"{place}: {missing[0]} is missing; docs/federated.md has a whole file")
    if unknown := sorted(set(told) - needed - optional):
        known = ", ".join(sorted(needed | optional))
        raise UsageError(f"{place}: {unknown[0]} isn't known; its entries are {known}")


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file. Raises `UsageError`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: this isn't text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: this isn't TOML: {error}") from None


def _key(site: Mapping[str, Any], place: str) -> str:
    key = site.get("key")
    if set(site) != {"key"} or not isinstance(key, str) or not re.fullmatch(r"[0-9a-f]{64}", key):
        raise UsageError(f'{place}: write key = "…", the 64 hex digits that `piiscan federated key` prints at the site')
    return key
