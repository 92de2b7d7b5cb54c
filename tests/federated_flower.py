"""Three sites as processes over loopback, with TLS, Flower's SuperLink and its SuperNodes (`make test-federated`)."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tomlkit
from federated_sites import COST, JOBS, World

from piiscan.dp.ledger import Ledger
from piiscan.dp.noise import Noisy
from piiscan.federated.jobs import joint
from piiscan.io.table_source import Source

PIISCAN = Path(sys.executable).with_name("piiscan")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def certificates(folder: Path) -> None:
    """A root certificate, and one of 127.0.0.1 that it signs."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    now = datetime.now(UTC)

    def made(name: str, issuer: tuple[Any, Any] | None) -> tuple[Any, Any]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        builder = x509.CertificateBuilder().subject_name(subject).public_key(key.public_key())
        builder = builder.issuer_name(issuer[0].subject if issuer else subject).serial_number(
            x509.random_serial_number()
        )
        builder = builder.not_valid_before(now - timedelta(hours=1)).not_valid_after(now + timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(issuer is None, None), critical=True)
        address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        signer = issuer[1] if issuer else key
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        ).add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        return builder.sign(signer, hashes.SHA256()), key

    root = made("piiscan test root", None)
    certificate, key = made("127.0.0.1", root)
    (folder / "root.pem").write_bytes(root[0].public_bytes(serialization.Encoding.PEM))
    (folder / "server.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.key").write_bytes(pem)


class Federation:
    """A world whose sites are processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        jobs = {name: {**job, **COST, "epsilon": 24.0} for name, job in JOBS.items()}
        jobs["clusters"]["passes"] = 3  # each takes Flower seconds
        self.world = World(folder, jobs=jobs)
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        certificates(folder)
        port = free_port()
        told: dict[str, Any] = {"federation": "federation.toml", "listen": f"127.0.0.1:{port}", "home": "home"}
        told |= {"certificate": "server.pem", "private_key": "server.key", "root_certificates": "root.pem"}
        (folder / "server.toml").write_text(tomlkit.dumps(told | {"wait": 120, "seconds": 60}), encoding="utf-8")
        for name in self.world.names:
            path = folder / name / "site.toml"
            more = {"superlink": f"127.0.0.1:{port}", "root_certificates": "../root.pem"}
            path.write_text(path.read_text(encoding="utf-8") + tomlkit.dumps(more), encoding="utf-8")

    def start(self, name: str) -> None:
        with (self.folder / name / "site.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [PIISCAN, "federated", "site", self.folder / name / "site.toml"],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """As a power failure does: the site's processes and those of Flower."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def server(self, job: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [PIISCAN, "federated", "server", self.folder / "server.toml", job, "-o", self.folder / f"{job}.json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def charges(self, name: str) -> int:
        ledger = Ledger(self.folder / name / "ledger.sqlite")
        return len(ledger.account("patients").charges) if ledger.path.exists() else 0


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Federation]:
    made = Federation(tmp_path_factory.mktemp("f"))
    with ExitStack() as stack:
        for name in made.world.names:
            made.start(name)
            stack.callback(lambda name=name: made.processes[name].poll() is None and made.kill(name))
        yield made


def finished(process: subprocess.Popen[str], seconds: float = 400) -> tuple[int, str]:
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        pytest.fail(f"no end in {seconds} s: {said}")
    return process.returncode, said


def test_a_model_over_three_sites_is_that_of_the_pooled_rows(federation: Federation) -> None:
    status, said = finished(federation.server("linear"))
    assert status == 0, said
    told = json.loads((federation.folder / "linear.json").read_text(encoding="utf-8"))
    assert told["federation"]["sites"] == 3
    made = joint("linear", federation.world.federation.job("linear"))
    exact = made.exact(Source(pl.concat(federation.world.frames.values())))
    pooled = made.released(exact, lambda of, sensitivity, share: Noisy(tuple(of()), 1.0))["fitted"]
    assert told["fitted"]["n_samples"] == pytest.approx(pooled["n_samples"], abs=5)
    assert told["fitted"]["coef"][0] == pytest.approx(pooled["coef"][0], rel=0.3)
    assert [federation.charges(name) for name in federation.world.names] == [1, 1, 1]


def test_the_round_goes_on_when_a_site_is_killed(federation: Federation) -> None:
    """Killed when the first round has begun: the others go on, and each ledger has what its site sent."""
    before = {name: federation.charges(name) for name in federation.world.names}
    process = federation.server("clusters")
    until = time.monotonic() + 120
    while federation.charges("site-a") == before["site-a"] and time.monotonic() < until:
        time.sleep(0.05)
    federation.kill("site-c")
    status, said = finished(process)
    assert status == 0, said
    told = json.loads((federation.folder / "clusters.json").read_text(encoding="utf-8"))
    assert told["federation"]["sites"] in (2, 3)  # 3 where all rounds that it was in were opened by the others
    assert re.search("left out: site-c", said)
    assert [federation.charges(name) - before[name] for name in ("site-a", "site-b")] == [1, 1]
    assert federation.charges("site-c") - before["site-c"] <= 1


def test_a_site_comes_back_and_nothing_but_loopback_was_spoken_to(federation: Federation) -> None:
    federation.start("site-c")
    process = federation.server("summary")
    seen: set[str] = set()
    while process.poll() is None:
        seen |= peers([process.pid, *(p.pid for p in federation.processes.values())])
        time.sleep(0.2)
    status, said = finished(process)
    assert status == 0, said
    assert json.loads((federation.folder / "summary.json").read_text(encoding="utf-8"))["federation"]["sites"] == 3
    assert seen <= {"127.0.0.1"} and seen


def test_synthetic_rows_over_three_sites_look_like_the_pooled_rows(federation: Federation) -> None:
    status, said = finished(federation.server("synthesis"))
    assert status == 0, said
    release, target = federation.folder / "synthesis.json", federation.folder / "rows.csv"
    assert json.loads(release.read_text(encoding="utf-8"))["federation"]["sites"] == 3
    subprocess.run([PIISCAN, "federated", "rows", release, "-o", target], check=True, capture_output=True, timeout=120)
    rows, pooled = pl.read_csv(target), pl.concat(federation.world.frames.values())
    assert set(rows.columns) == {"sex", "age", "cost"}
    assert abs((rows["sex"] == "f").mean() - (pooled["sex"] == "f").mean()) < 0.1  # type: ignore[operator]
    assert abs(rows["age"].mean() - pooled["age"].mean()) < 5  # type: ignore[operator]


def peers(groups: list[int]) -> set[str]:
    """The addresses that processes of these groups have connections to."""
    inodes = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.getpgid(int(entry.name)) in groups:
                for fd in (entry / "fd").iterdir():
                    if found := re.fullmatch(r"socket:\[(\d+)\]", str(fd.readlink())):
                        inodes.add(found[1])
        except OSError:
            continue
    found = set()
    for name, size in (("tcp", 8), ("tcp6", 32)):
        for line in Path(f"/proc/net/{name}").read_text(encoding="ascii").splitlines()[1:]:
            parts = line.split()
            address = parts[2].split(":")[0]
            if parts[9] in inodes and set(address) != {"0"} and len(address) == size:
                packed = b"".join(bytes.fromhex(address[i : i + 8])[::-1] for i in range(0, size, 8))
                ip = ipaddress.ip_address(packed)
                found.add(str(getattr(ip, "ipv4_mapped", None) or ip))
    return found
