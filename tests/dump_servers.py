"""PostgreSQL and MariaDB on servers of one's own, in temporary folders, on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def as_user(name: str) -> list[str]:
    """Servers refuse to run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={name}", f"--regid={name}", "--clear-groups"]


def run(command: list[str], data: str | bytes = b"", env: dict[str, str] | None = None) -> bytes:
    given = data.encode() if isinstance(data, str) else data
    done = subprocess.run(command, input=given, capture_output=True, check=False, env={**os.environ, **(env or {})})
    assert done.returncode == 0, (command[:3], done.stderr.decode()[-2000:])
    return done.stdout


@contextmanager
def postgresql_server() -> Iterator[Callable[..., bytes]]:
    """Runs a program of PostgreSQL's against a server of its own."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    programs = found[-1] if found else Path(shutil.which("initdb") or "initdb").parent
    folder = Path(os.path.realpath(f"/tmp/piiscan-pg-{os.getpid()}"))
    folder.mkdir(mode=0o755)
    user = as_user("postgres")
    if user:
        shutil.chown(folder, "postgres")
    port = free_port()
    run([*user, str(programs / "initdb"), "-D", f"{folder}/data", "-A", "trust", "-U", "postgres", "--locale=C.UTF-8"])
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    control = [*user, str(programs / "pg_ctl"), "-D", f"{folder}/data", "-w"]
    with open(os.devnull, "wb") as nothing:
        subprocess.run(
            [*control, "-o", options, "-l", f"{folder}/log", "start"], check=True, stdout=nothing, stderr=nothing
        )
    env = {"PGHOST": "127.0.0.1", "PGPORT": str(port), "PGUSER": "postgres"}

    def program(name: str, *words: str, data: str | bytes = b"") -> bytes:
        return run([str(programs / name), *words], data, env)

    try:
        yield program
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def mariadb_server() -> Iterator[Callable[..., bytes]]:
    """Runs a client of MariaDB's against a server of its own."""
    folder = Path(os.path.realpath(f"/tmp/piiscan-my-{os.getpid()}"))
    folder.mkdir(mode=0o755)
    user = as_user("mysql")
    if user:
        shutil.chown(folder, "mysql")
    port = free_port()
    server = shutil.which("mariadbd") or "/usr/sbin/mariadbd"
    made = [
        "mariadb-install-db",
        "--no-defaults",
        f"--datadir={folder}/data",
        "--auth-root-authentication-method=normal",
    ]
    run([*made, *(["--user=mysql"] if user else [])])
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            [*user, server, "--no-defaults", f"--datadir={folder}/data", f"--port={port}", "--bind-address=127.0.0.1",
             f"--socket={folder}/s", f"--pid-file={folder}/pid"], stdout=log, stderr=log
        )  # fmt: skip
    access = ["--no-defaults", "-h127.0.0.1", f"-P{port}", "-uroot", "--default-character-set=utf8mb4"]

    def program(name: str, *words: str, data: str | bytes = b"") -> bytes:
        return run([name, *access, *words], data)

    for _ in range(100):
        if subprocess.run(["mariadb-admin", *access, "ping"], check=False, capture_output=True).returncode == 0:
            break
        time.sleep(0.2)
    try:
        yield program
    finally:
        process.terminate()
        process.wait(60)
        shutil.rmtree(folder, ignore_errors=True)
