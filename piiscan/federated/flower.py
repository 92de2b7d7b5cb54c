"""Flower brings requests to sites: its SuperLink beside the coordinator, a SuperNode at each site.

This is the only module that imports it. Messages are opaque to Flower, which schedules and delivers them over TLS;
its own telemetry is switched off wherever it is started.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from piiscan.core.errors import MissingExtra, PiiscanError, UsageError
from piiscan.federated import local_socket
from piiscan.federated.coordinator import Coordinator, FederationError, Progress
from piiscan.federated.endpoint import Endpoint, ServerConfig
from piiscan.federated.federation import load
from piiscan.federated.jobs import joint

INSTALL: Final = "a federation needs Flower, in an environment of its own: pip install 'piiscan-toolkit[dp,federated]'"
_APP: Final = {
    "pyproject.toml": """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "piiscan-federated"
version = "1.0.0"
description = "Brings the requests of a piiscan coordinator to its sites."
license = "Apache-2.0"
dependencies = []

[tool.hatch.build.targets.wheel]
packages = ["piiscan_federated"]

[tool.flwr.app]
publisher = "piiscan"

[tool.flwr.app.components]
serverapp = "piiscan_federated.apps:server"
clientapp = "piiscan_federated.apps:client"

[tool.flwr.app.config]
federation = ""
job = ""
output = ""
state = ""
seconds = 600.0
wait = 60.0
""",
    "piiscan_federated/__init__.py": "",
    "piiscan_federated/apps.py": """from piiscan.federated.flower import client_app, server_app

client = client_app()
server = server_app()
""",
}
_RECORD: Final = "piiscan"
_WHO: Final = b"who"
_LOOK: Final = 1.0
_KEPT: Final = ("HOME", "LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TMPDIR", "TZ")
"""Variables of the environment that Flower's programs get."""


class FlowerTransport:
    """Brings requests to the sites whose SuperNodes are connected."""

    def __init__(self, grid: Any) -> None:
        self._grid = grid
        self._nodes: dict[str, list[int]] = {}
        self._known: set[int] = set()

    def sites(self, seconds: float) -> set[str]:
        """Return the names of the connected sites, asking new nodes which site they are at."""
        new = [node for node in self._grid.get_node_ids() if node not in self._known]
        for node, reply in self._replies(dict.fromkeys(new, _WHO), seconds):
            self._known.add(node)
            self._nodes.setdefault(reply.decode("utf-8", "replace"), []).append(node)
        return set(self._nodes)

    def ask(self, requests: Mapping[str, bytes], seconds: float) -> Mapping[str, bytes]:
        """Return the replies, by site, that came within so many seconds: of each site the first."""
        if set(requests) - set(self._nodes):
            self.sites(min(seconds, 30.0))
        asked = {node: site for site in requests for node in self._nodes.get(site, ())}
        replies: dict[str, bytes] = {}
        for node, reply in self._replies({node: requests[site] for node, site in asked.items()}, seconds):
            replies.setdefault(asked[node], reply)
        return replies

    def _replies(self, requests: Mapping[int, bytes], seconds: float) -> Iterator[tuple[int, bytes]]:
        from flwr.app import ConfigRecord, Message, RecordDict

        messages = [
            Message(RecordDict({_RECORD: ConfigRecord({"request": request})}), node, "query", ttl=seconds + 60)
            for node, request in requests.items()
        ]
        if not messages:
            return
        for reply in self._grid.send_and_receive(messages, timeout=seconds):
            if reply.has_content():
                yield reply.metadata.src_node_id, reply.content[_RECORD]["reply"]


def client_app() -> Any:
    """Return Flower's ClientApp: it passes requests on to the socket of the site that it runs at."""
    from flwr.app import ConfigRecord, Message, RecordDict
    from flwr.clientapp import ClientApp

    app = ClientApp()

    def relay(message: Any, context: Any) -> Any:
        request = message.content[_RECORD]["request"]
        site, door = str(context.node_config["site"]), Path(str(context.node_config["socket"]))
        reply = site.encode() if request == _WHO else local_socket.ask(door, request)
        return Message(RecordDict({_RECORD: ConfigRecord({"reply": reply})}), reply_to=message)

    app.query()(relay)
    return app


def server_app() -> Any:
    """Return Flower's ServerApp: it runs the coordinator, and writes the release, or why there is none."""
    from flwr.serverapp import ServerApp

    app = ServerApp()

    def coordinate(grid: Any, context: Any) -> None:
        given = context.run_config
        output = Path(str(given["output"]))
        try:
            text = _coordinated(grid, given)
        except PiiscanError as error:
            _write(output.with_suffix(".error"), f"{error}\n")
        except Exception as error:
            _write(output.with_suffix(".error"), f"internal error in the coordinator ({type(error).__name__})\n")
            raise
        else:
            _write(output, text)

    app.main()(coordinate)
    return app


def _coordinated(grid: Any, given: Mapping[str, Any]) -> str:
    federation = load(Path(str(given["federation"])))
    transport, seconds = FlowerTransport(grid), float(given["seconds"])
    until = time.monotonic() + float(given["wait"])
    while set(federation.keys) - transport.sites(seconds) and time.monotonic() < until:
        time.sleep(_LOOK)
    output = Path(str(given["output"]))

    def say(progress: Progress) -> None:
        line = f"round {progress.round}, attempt {progress.attempt}: {', '.join(progress.members)}"
        _write(output.with_suffix(".progress"), line + "\n")

    coordinator = Coordinator(
        federation, str(given["job"]), transport, state=Path(str(given["state"])), seconds=seconds, pause=_LOOK, say=say
    )
    text = coordinator.run()
    _write(output.with_suffix(".left-out"), "".join(f"{s}: {w}\n" for s, w in sorted(coordinator.left_out.items())))
    return text


def run_job(config: ServerConfig, job: str, say: Callable[[str], None]) -> tuple[str, list[str]]:
    """Run a job over the sites that are connected to a SuperLink that is started for it.

    Return the release, and a line for each site that was left out. say: called with each line of progress. Raises
    `FederationError` and `UsageError`.
    """
    federation = load(config.federation)
    joint(job, federation.job(job))  # refused before anything is started
    home = config.home / "flower"
    output = config.home / f"{job}.release"
    ends = {end: output.with_suffix(end) for end in (".release", ".error", ".progress", ".left-out")}
    for path in ends.values():
        path.unlink(missing_ok=True)
    settings: dict[str, str | float] = {
        "federation": str(config.federation.resolve()),
        "job": job,
        "output": str(output),
        "state": str(output.with_suffix(".state")),
        "seconds": config.seconds,
        "wait": config.wait,
    }
    with super_link(config.endpoint, config.certificate, config.private_key, home) as process:
        submit(config.endpoint, settings, home)
        shown = ""
        while not (output.exists() or ends[".error"].exists()):
            if process.poll() is not None:
                raise UsageError(f"Flower's SuperLink ended; its words are in {home / 'flower-superlink.log'}")
            line = ends[".progress"].read_text(encoding="utf-8").strip() if ends[".progress"].exists() else ""
            if line != shown:
                say(line)
                shown = line
            time.sleep(0.2)
        if ends[".error"].exists():
            raise FederationError(ends[".error"].read_text(encoding="utf-8").strip())
        return output.read_text(encoding="utf-8"), ends[".left-out"].read_text(encoding="utf-8").splitlines()


def _write(path: Path, text: str) -> None:
    from piiscan.core.whole_file import write_whole

    write_whole(path, text.encode(), private=True)


@contextmanager
def super_link(
    endpoint: Endpoint, certificate: Path | None, key: Path | None, home: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a SuperLink while the context lasts."""
    told = ["--host", endpoint.host, "--port", str(endpoint.port), "--disable-runtime-dependency-installation"]
    told += ["--database", str(home / "superlink.sqlite")]  # so that SuperNodes stay known
    if certificate is None or key is None or endpoint.certificates is None:
        told += ["--insecure"]
    else:
        told += ["--ssl-certfile", str(certificate), "--ssl-keyfile", str(key)]
        told += ["--ssl-ca-certfile", str(endpoint.certificates)]
    with _running("flower-superlink", told, home) as process:
        _wait_for(process, endpoint, home / "flower-superlink.log")
        yield process


@contextmanager
def super_node(endpoint: Endpoint, site: str, door: Path, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a site's SuperNode while the context lasts."""
    told = ["--superlink", f"{endpoint.host}:{endpoint.port}", "--port", str(_free_port())]
    told += ["--node-config", f'site="{site}" socket="{door}"']
    if endpoint.certificates is None:
        told += ["--insecure"]
    else:
        told += ["--root-certificates", str(endpoint.certificates)]
    with _running("flower-supernode", told, home) as process:
        yield process


def submit(endpoint: Endpoint, settings: Mapping[str, str | float], home: Path) -> None:
    """Start the coordinator at a running SuperLink. Raises `UsageError`."""
    app = home / "app"
    for name, text in _APP.items():
        (app / name).parent.mkdir(parents=True, exist_ok=True)
        (app / name).write_text(text, encoding="utf-8")
    secure = "insecure = true" if endpoint.certificates is None else f'root-certificates = "{endpoint.certificates}"'
    (home / "config.toml").write_text(
        f'[superlink]\ndefault = "piiscan"\n\n[superlink.piiscan]\naddress = "{endpoint.host}:{endpoint.port}"\n'
        f"{secure}\n",
        encoding="utf-8",
    )
    config = " ".join(
        f'{name}="{value}"' if isinstance(value, str) else f"{name}={value}" for name, value in settings.items()
    )
    done = subprocess.run(
        [_program("flwr"), "run", str(app), "piiscan", "--run-config", config],
        env=_environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode:
        raise UsageError(f"Flower didn't start the run; its words are in {_kept(home, done.stdout + done.stderr)}")


def _kept(home: Path, text: str) -> Path:
    path = home / "flwr-run.log"
    path.write_text(text, encoding="utf-8")
    return path


@contextmanager
def _running(name: str, told: Iterable[str], home: Path) -> Iterator[subprocess.Popen[bytes]]:
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (home / f"{name}.log").open("wb") as log:
        process = subprocess.Popen([_program(name), *told], env=_environment(home), stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for(process: subprocess.Popen[bytes], endpoint: Endpoint, log: Path, seconds: float = 120.0) -> None:
    import socket

    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with socket.create_connection((endpoint.host, endpoint.port), timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise UsageError(f"the SuperLink doesn't listen at {endpoint.host}:{endpoint.port}; its words are in {log}")


def _program(name: str) -> str:
    """Return the path of one of Flower's programs: beside this Python, or on the PATH. Raises `MissingExtra`."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise MissingExtra(INSTALL)
    return found


def _environment(home: Path) -> dict[str, str]:
    """Return the environment of Flower's programs: no telemetry, nothing kept outside of `home`, and no key.

    The environment may hold a site's key, and a SuperNode runs code of the coordinator.
    """
    keep = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), keep.get("PATH", "")])
    return keep | {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_HOME": str(home), "PATH": path}


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
