"""The tutorial runs: its commands, one after the other in a folder of their own, print what the page shows.

A fenced block of `sh` is run line by line, piiscan in this process and the rest by bash; the block of `text` right
after it is what it prints, standard output first. A block of `toml` with a title is the file of that name. Before a
block of `text` may stand `<!-- output: varies -->`, if words with digits in them differ from run to run, or
`<!-- output: random -->`, if everything but the first line and the number of lines does.
`python tests/documentation.py` writes what has changed; `test_manual.py` compares.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from conftest import ROOT, run_piiscan

PAGE = ROOT / "docs" / "tutorial.md"
DATA = ("clinic.csv",)
BLOCK = re.compile(
    r"^```sh\n(?P<command>.*?)^```\n"
    r"(?:\n(?:<!-- output: (?P<differs>varies|random) -->\n)?```text\n(?P<printed>.*?)^```$)?"
    r'|^```toml title="(?P<file>[^"]+)"\n(?P<content>.*?)^```$',
    re.DOTALL | re.MULTILINE,
)


def run(command: str, folder: Path) -> str:
    """What a block of commands prints: standard output, then standard error."""
    printed, said = "", ""
    for line in command.splitlines():
        typed, _, then = line.partition(" | ")
        if typed.startswith("piiscan "):
            done = run_piiscan(*shlex.split(typed)[1:], cwd=folder)
            if "Traceback" in done.stderr or done.returncode in (2, 4):
                raise RuntimeError(f"{line} ended with status {done.returncode}: {done.stderr}")
            printed, said = printed + (_shell(then, folder, done.stdout) if then else done.stdout), said + done.stderr
        else:
            printed += _shell(line, folder)
    printed = re.sub(r"(?<=, by )\S+$", "ann", printed + said, flags=re.MULTILINE)  # the account, in the ledger's lines
    return "".join(line.rstrip() + "\n" for line in printed.rstrip().splitlines())


def _shell(line: str, folder: Path, given: str = "") -> str:
    done = subprocess.run(["bash", "-c", line], cwd=folder, input=given, capture_output=True, text=True, check=True)
    return done.stdout


def alike(printed: str, differs: str | None) -> object:
    """What of an output has to be the same in each run."""
    if differs == "random":
        return printed.splitlines()[:1], printed.count("\n")
    if differs == "varies":
        return [re.sub(r"\S*\d\S*", "#", line).split() for line in printed.splitlines()]
    return printed


def steps(folder: Path) -> list[tuple[re.Match[str], str]]:
    """Each block of the page, in order, with what it printed when it was run in `folder`."""
    for name in DATA:
        shutil.copy(ROOT / "examples" / name, folder)
    found = []
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        if block["file"]:
            (folder / block["file"]).write_text(block["content"], encoding="utf-8")
        else:
            found.append((block, run(block["command"], folder)))
    return found


def write() -> None:
    """Put what the commands print now into the page, where it isn't alike."""
    text = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for block, printed in reversed(steps(Path(folder))):
            if block["printed"] is not None and alike(block["printed"], block["differs"]) != alike(
                printed, block["differs"]
            ):
                text = text[: block.start("printed")] + printed + text[block.end("printed") :]
                print(f"wrote what {block['command'].split()[1]} prints in docs/tutorial.md")
    PAGE.write_text(text, encoding="utf-8")
