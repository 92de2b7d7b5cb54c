"""Coverage-guided fuzzing by atheris: what reaches new lines of piiscan is kept and changed further.

    python -m pip install --requirement tests/fuzz/requirements.txt
    python -m tests.fuzz.guided TARGET [--seconds N] [--folder DIR]

Targets: see `tests.fuzz.targets`. What makes one fail is left in the folder as `crash-…`, and the exit status is not 0.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--folder", type=Path, help="where the files that reach new lines are kept, for the next run")
    given = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("atheris isn't installed: python -m pip install --requirement tests/fuzz/requirements.txt")
    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=["piiscan.io", "piiscan.masking.plan", "piiscan.scanning.configuration"]):
        from . import targets

        if given.target not in targets.TARGETS:
            sys.exit(f"no such target: {given.target}; one of {', '.join(targets.TARGETS)}")
        target = targets.TARGETS[given.target]
        for seed in targets.seeds(given.target):  # imports what is imported late
            target(seed)
    folder = given.folder or Path(tempfile.mkdtemp(prefix="piiscan-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    for i, seed in enumerate(targets.seeds(given.target)):
        (folder / f"seed-{i}").write_bytes(seed)
    options = [
        f"-max_total_time={given.seconds}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-max_len=65536",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder}/", str(folder)], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
