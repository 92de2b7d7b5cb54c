"""`--help`: commands in groups, and the usual options of commands that have many."""

from __future__ import annotations

import re

import pytest
from conftest import run_piiscan

from piiscan.cli import COMMANDS, GROUPS

LONG = ("anonymize", "protect")


def test_commands_stand_in_groups_each_once() -> None:
    shown = run_piiscan("--help").stdout
    sections = re.split(r"^(\S.*):$", shown, flags=re.MULTILINE)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    for title, names in GROUPS.items():
        assert tuple(re.findall(r"^  (\w+) {2,}\S", found[title], re.MULTILINE)) == names
    assert len(set(COMMANDS)) == len(COMMANDS)


@pytest.mark.parametrize("command", LONG)
def test_help_shows_ten_options_and_help_all_every_one(command: str) -> None:
    def options(ask: str) -> list[str]:
        shown = run_piiscan(command, ask).stdout.partition("ptions:\n")[2]
        return re.findall(r"^  (?:-\w, )?(--[\w-]+)", shown, re.MULTILINE)

    usual, every = options("--help"), options("--help-all")
    assert usual[-2:] == every[-2:] == ["--help-all", "--help"]
    assert len(usual) == 12
    assert set(usual) < set(every)
    assert f"all {len(every) - 2} options" in " ".join(run_piiscan(command, "-h").stdout.split())


@pytest.mark.parametrize("command", LONG)
def test_options_that_help_leaves_out_still_work(command: str) -> None:
    done = run_piiscan(command, "--hierarchies", "nowhere")
    assert done.returncode == 2
    assert "nowhere" in done.stderr


def test_no_other_command_has_help_all() -> None:
    assert run_piiscan("mask", "--help-all").returncode == 2
