"""`piiscan federated`: models and summaries over several sites, none of whose rows leave their site."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any, Final

import click

from piiscan.cli import options, output
from piiscan.cli.mask import OVERWRITE

_PAUSE: Final = 1.0


@click.group()
def federated() -> None:
    """Compute models and summaries over several sites.

    Each site adds up its own rows, adds a share of the noise and seals the result; the coordinator sees the sum of all
    sites alone. The federation file says which sites take part, and what may be computed.
    """


@federated.command()
@click.option(
    "--key", "spec", metavar="SPEC", help="Where the key is: env:NAME, file:PATH, command:CMD (env:PIISCAN_KEY)."
)
def key(spec: str | None) -> int:
    """Print the public key of a site, for the federation file.

    The private key is one that `piiscan key new` made at the site. It stays there.
    """
    from piiscan.core.keys import Key
    from piiscan.federated.secret_sums import SiteKey

    output.data(SiteKey(Key.load(spec)).public + "\n")
    return 0


@federated.command()
@click.argument("file", type=click.Path(path_type=Path))
def site(file: Path) -> int:
    """Answer the coordinator's requests, until Ctrl-C. FILE is the site's own file.

    The site computes only the jobs of its own copy of the federation file, and charges its ledger first.
    """
    from piiscan.core.errors import UsageError
    from piiscan.federated import flower, local_socket
    from piiscan.federated.site import Site, SiteConfig

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that Flower's processes end too
    config = SiteConfig.load(file)
    if config.superlink is None:
        raise UsageError(f'{file}: write superlink = "HOST:PORT", where the coordinator listens')
    here, door = Site(config), (config.state / "door").resolve()
    with local_socket.open_door(door, here.answer):
        output.say(f"site {config.site}: answering requests of {config.superlink.host}:{config.superlink.port}")
        while True:  # a SuperNode ends when a coordinator that was started anew doesn't know it any more
            with flower.super_node(config.superlink, config.site, door, config.state.resolve() / "flower") as node:
                node.wait()
            time.sleep(_PAUSE)


@federated.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("job")
@click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Where the release goes: JSON.",
)
def server(file: Path, job: str, target: Path) -> int:
    """Run JOB over all sites that are connected, and write the release. FILE is the coordinator's file.

    A run that was interrupted goes on where it was. Sites that are lost are left out, and named.

    Exit status: 0 for a release, 2 for wrong usage, 3 where too few sites are left or one rejects the model.
    """
    from piiscan.federated import flower
    from piiscan.federated.endpoint import ServerConfig

    config = ServerConfig.load(file)
    text, left_out = flower.run_job(config, job, output.say)
    output.to_file(target, text)
    for line in left_out:
        output.say(f"left out: {line}")
    return 0


@federated.command()
@click.argument("release", type=options.FILE)
@options.output("The file to write: .npz.", required=True)
@OVERWRITE
def model(release: Path, target: Path, overwrite: bool) -> int:
    """Write the column classifier of RELEASE as a model, for every scan to use.

    RELEASE is what `piiscan federated server` wrote for a job that learns the ColumnClassifier. Name the model in
    piiscan.toml.
    """
    from piiscan.core.errors import UsageError
    from piiscan.federated import column_job
    from piiscan.scanning.classify import adapt_model

    if target.suffix != ".npz":
        raise UsageError(f"{target}: a model's name ends in .npz")
    output.free(output.writable(target), overwrite)
    output.to_file(target, adapt_model.packed(column_job.trained_model(_release(release, "dp-column-classifier"))))
    output.say(f'Wrote {target}. To use it, write model = "{target.name}" in a piiscan.toml beside it.')
    return 0


@federated.command()
@click.argument("release", type=options.FILE)
@options.output("The file to write: .csv, .parquet, …", required=True)
@click.option(
    "-n", "--rows", "n", type=click.IntRange(1), metavar="N", help="How many rows (about as many as there are)."
)
@OVERWRITE
def rows(release: Path, target: Path, n: int | None, overwrite: bool) -> int:
    """Draw synthetic rows from RELEASE, at no further cost.

    RELEASE is what `piiscan federated server` wrote for a job with synthesize. The same release gives the same rows.
    """
    from piiscan.core import row_files
    from piiscan.core.errors import UsageError
    from piiscan.synthesis import synthetic_rows

    row_files.check(target)
    output.free(output.writable(target), overwrite)
    _release(release, "dp-synthetic-rows")
    try:
        drawn = synthetic_rows.frame(release.read_text(encoding="utf-8"), n)
    except (KeyError, TypeError, ValueError, IndexError):
        raise UsageError(f"{release}: this release is damaged") from None
    output.to_file(target, row_files.content(drawn, target))
    output.say(f"Wrote {drawn.height} rows to {target}.")
    return 0


def _release(path: Path, kind: str) -> Any:
    """Return a release of a kind. Raises `UsageError`."""
    import json

    from piiscan.core.errors import UsageError

    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict) or told.get("kind") != kind:
        raise UsageError(f"{path}: this isn't a release of the kind that this command needs ({kind})")
    return told
