"""Where the SuperLink listens, as the files of sites and of the coordinator say it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from piiscan.core.errors import UsageError
from piiscan.federated.federation import check_entries, read_toml


class Endpoint(NamedTuple):
    """An address, and the file of root certificates that its certificate is checked by; None without TLS."""

    host: str
    port: int
    certificates: Path | None


class ServerConfig(NamedTuple):
    """The coordinator's file. Paths are relative to it.

    home: a folder for the state of runs, and for what Flower keeps. certificate, private_key: of the SuperLink.
    wait: seconds to wait for all sites before the first round. seconds: how long a site may take for a reply.
    """

    federation: Path
    endpoint: Endpoint
    home: Path
    certificate: Path | None
    private_key: Path | None
    wait: float
    seconds: float

    @classmethod
    def load(cls, path: Path) -> ServerConfig:
        """Read a coordinator's file. Raises `UsageError`."""
        told = read_toml(path)
        optional = {"certificate", "private_key", "root_certificates", "insecure", "wait", "seconds"}
        check_entries(told, frozenset(("federation", "listen", "home")), frozenset(optional), str(path))
        found = endpoint(told, "listen", path)
        secure = {"certificate", "private_key"} <= set(told)
        if secure != (found.certificates is not None):
            raise UsageError(f"{path}: TLS needs certificate, private_key and root_certificates")
        wait, seconds = told.get("wait", 60), told.get("seconds", 600)
        texts = [told[name] for name in ("federation", "home", "certificate", "private_key") if name in told]
        if not all(isinstance(t, str) for t in texts) or not all(isinstance(n, int | float) for n in (wait, seconds)):
            raise UsageError(f"{path}: paths are texts; wait and seconds are numbers")
        certificate, key = (path.parent / told[name] if secure else None for name in ("certificate", "private_key"))
        home = (path.parent / told["home"]).resolve()
        return cls(path.parent / told["federation"], found, home, certificate, key, float(wait), float(seconds))


def endpoint(told: Mapping[str, Any], entry: str, path: Path) -> Endpoint:
    """Return the endpoint that a file names in an entry. Raises `UsageError`."""
    address, roots, insecure = told.get(entry), told.get("root_certificates"), told.get("insecure", False)
    found = re.fullmatch(r"([A-Za-z0-9.-]+):(\d{1,5})", address) if isinstance(address, str) else None
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise UsageError(f'{path}: write {entry} = "HOST:PORT"')
    if insecure is not (roots is None) or not isinstance(roots, str | None):
        raise UsageError(
            f'{path}: write root_certificates = "FILE", by which the certificate of the SuperLink is checked; or '
            "insecure = true, for a network that only the sites can read"
        )
    return Endpoint(found[1], int(found[2]), None if roots is None else (path.parent / roots).resolve())
