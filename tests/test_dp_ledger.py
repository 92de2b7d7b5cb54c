"""The ledger: charged before anything is released, whatever crashes and however many come at once; shut where it
can't be trusted."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest import ROOT, run_piiscan

from piiscan.core.errors import BudgetError, UsageError
from piiscan.dp.accounting import Budget, Loss
from piiscan.dp.differencing import differences, register
from piiscan.dp.ledger import Ledger
from piiscan.dp.query_words import question


def loss(epsilon: float, delta: float = 0.0) -> Loss:
    return Loss(epsilon, delta, epsilon**2 / 2, delta)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def charged(ledger: Ledger, query: str, epsilon: float, budget: float | None = None, version: str = "") -> int:
    charge = ledger.charge("people", version, query, loss(epsilon), budget)
    assert isinstance(charge, int)
    return charge


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_charges_add_up_to_the_budget_and_no_further(ledger: Ledger) -> None:
    for i in range(10):
        charged(ledger, f"q{i}", 0.1, 1.0)
    with pytest.raises(
        BudgetError, match=r"asks for epsilon 0\.1.*budget is epsilon 1, .*spent is epsilon 1, delta 0\."
    ) as refused:
        ledger.charge("people", "", "q10", loss(0.1))
    assert refused.value.exit_status == 6
    account = ledger.account("people")
    assert len(account.charges) == 10 and account.remaining == (0.0, 0.0)
    assert account.remaining_releases(loss(0.1)) == 0


def test_versions_share_a_budget_and_datasets_don_t(ledger: Ledger) -> None:
    charged(ledger, "q", 1.0, 1.5, version="2025")
    with pytest.raises(BudgetError):
        ledger.charge("people", "2026", "q of 2026", loss(1.0))
    assert isinstance(ledger.charge("orders", "", "q of orders", loss(1.0)), int)
    assert ledger.datasets() == ("orders", "people")


def test_without_a_budget_the_first_release_is_all_there_is(ledger: Ledger) -> None:
    charged(ledger, "q", 0.5)
    assert ledger.account("people").budget == Budget(0.5, 0.0, "basic")
    with pytest.raises(BudgetError):
        charged(ledger, "r", 0.001)


def test_a_budget_is_fixed_at_its_first_use_and_raised_by_its_own_command(ledger: Ledger) -> None:
    charged(ledger, "q", 1.0, 2.0)
    with pytest.raises(UsageError, match=r"fixed at epsilon 2.*budget raise people --epsilon E --ledger .*sqlite`"):
        charged(ledger, "r", 0.5, 3.0)
    with pytest.raises(UsageError, match="can only be raised"):
        ledger.raise_budget("people", 1.5, None)
    ledger.raise_budget("people", 3.0, 1e-9)
    charged(ledger, "r", 2.0, 3.0)
    assert ledger.account("people").budget == Budget(3.0, 1e-9, "basic")
    with pytest.raises(UsageError, match="already fixed"):
        ledger.open("people", Budget(9.0, 0.0, "basic"))


def test_a_budget_s_delta_is_in_the_proportion_of_its_first_release(ledger: Ledger) -> None:
    ledger.charge("people", "", "q", loss(0.5, 1e-9), 2.0)
    assert ledger.account("people").budget == Budget(2.0, 4e-9, "basic")
    with pytest.raises(BudgetError):
        ledger.charge("people", "", "r", loss(0.1, 1e-6))


@pytest.mark.parametrize(
    "budget",
    [
        Budget(0, 0, "basic"),
        Budget(-1, 0, "basic"),
        Budget(float("inf"), 0, "basic"),
        Budget(float("nan"), 0, "basic"),
        Budget(1, 1, "basic"),
        Budget(1, 0, "zcdp"),
    ],
)
def test_a_budget_that_is_none_is_refused(ledger: Ledger, budget: Budget) -> None:
    with pytest.raises(UsageError):
        ledger.open("people", budget)
    assert ledger.datasets() == ()


def test_the_same_query_is_answered_from_the_ledger(ledger: Ledger) -> None:
    charge = charged(ledger, "q", 1.0)
    ledger.store(charge, "the release")
    assert ledger.charge("people", "", "q", loss(1.0)) == "the release"
    assert ledger.stored("q") == "the release" and ledger.stored("other") is None
    assert len(ledger.account("people").charges) == 1
    with pytest.raises(UsageError):
        ledger.store(charge, "another release")  # what is out can't be changed
    assert ledger.stored("q") == "the release"


def test_zero_concentrated_accounting_lets_more_gaussian_releases_through(ledger: Ledger) -> None:
    from piiscan.dp.accounting import zcdp_epsilon

    one = Loss(zcdp_epsilon(0.0005, 1e-7), 1e-7, 0.0005, 0.0)
    counts = []
    for accounting in ("basic", "zcdp"):
        ledger.open(accounting, Budget(1.0, 1e-6, accounting))  # type: ignore[arg-type]
        counts.append(ledger.account(accounting).remaining_releases(one))
    assert counts[1] > 2 * counts[0] > 0


def test_it_is_for_its_owner_alone(ledger: Ledger) -> None:
    charged(ledger, "q", 1.0)
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    ledger.path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        ledger.stored("q")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"{}"),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * (path.stat().st_size - 4096)),
        lambda path: sqlite3.connect(path).executescript("PRAGMA user_version = 3").close(),
        lambda path: (
            path.unlink(),
            sqlite3.connect(path).executescript("CREATE TABLE t (x)").close(),
            path.chmod(0o600),
        ),
        lambda path: (path.unlink(), path.mkdir(0o700)),
        lambda path: sqlite3.connect(path).executescript("DROP TABLE charges").close(),
    ],
    ids=["emptied", "other", "cut", "overwritten", "version", "database", "folder", "table"],
)
def test_what_can_t_be_trusted_allows_nothing(ledger: Ledger, spoil: object) -> None:
    charged(ledger, "a secret query", 1.0, 2.0)
    spoil(ledger.path)  # type: ignore[operator]
    for act in (
        lambda: charged(ledger, "r", 0.5),
        lambda: ledger.check("people", loss(0.5)),
        lambda: ledger.stored("a secret query"),
        lambda: ledger.account("people"),
    ):
        with pytest.raises(UsageError) as refused:
            act()
        assert "secret" not in str(refused.value)


def test_a_folder_that_can_t_be_written_to_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        charged(Ledger(tmp_path / "missing" / "ledger"), "q", 1.0)


CRASH = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from piiscan.dp.ledger import Ledger
from piiscan.dp.accounting import Loss
ledger = Ledger(Path(sys.argv[1]))
if sys.argv[2] == "within":
    with ledger._writing() as db:
        db.execute("UPDATE datasets SET epsilon = 1000")
        os.kill(os.getpid(), signal.SIGKILL)
ledger.charge("people", "", "killed", Loss(0.25, 0.0, 0.03, 0.0))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
@pytest.mark.parametrize(("when", "spent"), [("after", 0.75), ("within", 0.5)])
def test_a_crash_loses_budget_and_never_gives_any(ledger: Ledger, when: str, spent: float) -> None:
    charged(ledger, "q", 0.5, 1.0)
    killed = run(CRASH, str(ledger.path), when)
    killed.communicate(timeout=60)
    assert killed.returncode == -signal.SIGKILL
    account = ledger.account("people")
    assert account.spent[0] == spent and account.budget.epsilon == 1.0
    assert ledger.stored("killed") is None
    if when == "after":
        assert charged(ledger, "killed", 0.25)  # nothing was released, so asking again costs again
        with pytest.raises(BudgetError):
            charged(ledger, "killed", 0.25)


RACE = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from piiscan.dp.ledger import Ledger
from piiscan.dp.accounting import Loss
from piiscan.core.errors import BudgetError
ledger, who, done = Ledger(Path(sys.argv[1])), sys.argv[2], 0
sys.stdin.readline()
for i in range(12):
    try:
        ledger.charge("people", "", f"{who} {i}", Loss(0.1, 0.0, 0.005, 0.0), 2.0)
        done += 1
    except BudgetError:
        pass
print(done)
"""


def test_processes_at_once_can_t_overspend(ledger: Ledger) -> None:
    """Of 48 charges that four processes try at the same time, from the making of the file on, exactly the 20 that
    fit are made."""
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(ledger.path), str(i)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for i in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    made = [int(racer.communicate(timeout=100)[0]) for racer in racers]
    assert sum(made) == 20
    account = ledger.account("people")
    assert len(account.charges) == 20 and account.remaining[0] == pytest.approx(0, abs=1e-9)


def test_releases_without_epsilon_are_held_against_each_other(ledger: Ledger) -> None:
    ledger.register("people", "2025", "k-anonymous", ["age", "zip"])
    ledger.register("people", "2025", "k-anonymous", ["age", "zip"])  # the very same again
    ledger.register("people", "2025", "risk", ["income"])
    ledger.register("orders", "2026", "k-anonymous", ["age"])
    assert differences(ledger.exact("people")) == ()
    ledger.register("people", "2026", "k-anonymous", ["age", "income"])
    found = {(d.first.version, d.first.kind, d.columns) for d in differences(ledger.exact("people"))}
    assert found == {("2025", "k-anonymous", ("age",)), ("2025", "risk", ("income",))}
    assert not ledger.has_budget("people") and ledger.datasets() == ("orders", "people")


def test_a_new_release_is_held_against_those_before(ledger: Ledger) -> None:
    assert register(ledger, "people", "", "by age", ["age", "zip"]) == ()
    assert register(ledger, "people", "", "by income", ["income"]) == ()
    assert register(ledger, "people", "", "by age", ["age", "zip"]) == ()  # the same again
    (difference,) = register(ledger, "people", "", "by zip", ["zip"])
    assert (difference.first.kind, difference.second.kind, difference.columns) == ("by age", "by zip", ("zip",))
    assert register(ledger, "people", "", "by income", ["income"]) == ()  # zip and age is no news of this one


def test_what_is_no_ledger_is_not_reported_to_change_its_mode(ledger: Ledger, tmp_path: Path) -> None:
    """Whoever follows advice about a file that was named by mistake must not break it."""
    (tmp_path / "data.csv").write_text("a,b\n1,2\n" * 200)
    for place in (tmp_path, tmp_path / "data.csv"):
        with pytest.raises(UsageError, match=r"isn't a file|can't be used") as refused:
            Ledger(place).datasets()
        assert "chmod" not in str(refused.value)


@pytest.mark.parametrize("name", ["", "  "])
def test_a_dataset_has_a_name(ledger: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match="name is empty"):
        ledger.open(name, Budget(1.0, 0.0, "basic"))
    with pytest.raises(UsageError, match="name is empty"):
        ledger.register(name, "", "k-anonymous", ["age"])
    with pytest.raises(UsageError, match="name the columns"):
        ledger.register("people", "", "k-anonymous", [])


def test_names_that_a_person_takes_for_one_share_a_budget(ledger: Ledger) -> None:
    ledger.charge("D", "", "q", loss(0.5), 1.0)
    for name in ("d", "D ", " D", "\uff24", "d\u200b", "D"):
        assert ledger.name_of(name) == "d"
        assert len(ledger.account(name).charges) == 1
    ledger.charge("\uff24", "", "r", loss(0.5))
    with pytest.raises(BudgetError):
        ledger.charge("D ", "", "s", loss(0.5))
    with pytest.raises(UsageError, match="already fixed"):
        ledger.open("\uff24", Budget(9.0, 0.0, "basic"))
    ledger.register("D", "", "risk", ["age"])
    assert ledger.datasets() == ("d",) and len(ledger.exact(" d ")) == 1


@pytest.mark.parametrize("name", ["реорle", "p\u0435ople", "data\u2010set", "peopl\u0435"])
def test_a_new_name_that_looks_like_a_known_one_is_refused(ledger: Ledger, name: str) -> None:
    for known in ("people", "data-set"):
        ledger.charge(known, "", known, loss(0.5))
    for use in (
        lambda: ledger.charge(name, "", "q", loss(0.1)),
        lambda: ledger.register(name, "", "risk", ["a"]),
        lambda: ledger.name_of(name),
    ):
        with pytest.raises(UsageError, match="looks like"):
            use()
    assert ledger.datasets() == ("data-set", "people")


@pytest.mark.parametrize("name", ["", " ", "\u200b", "a\x00b", "a\x1b[2J"])
def test_a_name_that_says_or_shows_nothing_is_refused(ledger: Ledger, name: str) -> None:
    with pytest.raises(UsageError, match="name"):
        ledger.charge(name, "", "q", loss(0.1))
    assert not ledger.path.exists() or ledger.datasets() == ()


V1 = """
CREATE TABLE datasets (name TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL,
    accounting TEXT NOT NULL) STRICT;
CREATE TABLE budgets (dataset TEXT NOT NULL REFERENCES datasets, at TEXT NOT NULL, epsilon REAL NOT NULL,
    delta REAL NOT NULL) STRICT;
CREATE TABLE charges (
    id INTEGER PRIMARY KEY, dataset TEXT NOT NULL REFERENCES datasets, version TEXT NOT NULL, at TEXT NOT NULL,
    query TEXT NOT NULL,
    epsilon REAL NOT NULL, delta REAL NOT NULL, rho REAL NOT NULL, rho_delta REAL NOT NULL, release TEXT
) STRICT;
CREATE INDEX queries ON charges (query);
CREATE TABLE exact (
    id INTEGER PRIMARY KEY, dataset TEXT NOT NULL, version TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    columns TEXT NOT NULL
) STRICT;
PRAGMA application_id = 1885946960; PRAGMA user_version = 1;
"""


def version_1(path: Path, epsilon: float = 0.5) -> Ledger:
    with sqlite3.connect(path) as db:
        db.executescript(V1)
        for name in ("D", "d"):
            db.execute("INSERT INTO datasets VALUES (?, 1.0, 0.0, 'basic')", (name,))
            db.execute("INSERT INTO budgets VALUES (?, '2025-01-01', 1.0, 0.0)", (name,))
            db.execute(
                "INSERT INTO charges VALUES (NULL, ?, '', '2025-01-01', ?, ?, 0.0, 0.125, 0.0, 'released')",
                (name, f"q of {name}", epsilon),
            )
        db.execute("""INSERT INTO exact VALUES (NULL, 'D', '', '2025-01-01', 'risk', '["age"]')""")
    path.chmod(0o600)
    return Ledger(path)


def test_a_ledger_from_before_keeps_its_accounts_apart(tmp_path: Path) -> None:
    ledger = version_1(tmp_path / "old.sqlite")
    assert ledger.datasets() == ("D", "d")  # read as it is
    assert ledger.stored("q of D") == "released"
    assert (ledger.name_of("D"), ledger.name_of("d"), ledger.name_of("\uff24")) == ("D", "d", "d")
    ledger.charge("D", "", "new", loss(0.5))
    with pytest.raises(BudgetError):
        ledger.charge("D", "", "more", loss(0.1))
    assert [len(ledger.account(name).charges) for name in ("D", "d")] == [2, 1]
    assert ledger.account("D").charges[0].user == "" and ledger.account("D").charges[1].user
    assert len(ledger.exact("D")) == 1 and ledger.stored("q of d") == "released"


def test_a_ledger_from_before_with_one_spelling_wants_that_one(tmp_path: Path) -> None:
    ledger = version_1(tmp_path / "old.sqlite")
    with sqlite3.connect(ledger.path) as db:
        db.executescript(
            "DELETE FROM charges WHERE dataset = 'd'; DELETE FROM budgets WHERE dataset = 'd'; DELETE FROM "
            "datasets WHERE name = 'd'"
        )
    with pytest.raises(UsageError, match="looks like 'D'"):
        ledger.charge("d", "", "q", loss(0.1))
    assert ledger.datasets() == ("D",)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("inf")])
def test_no_charge_is_for_free(ledger: Ledger, tmp_path: Path, epsilon: float) -> None:
    charged(ledger, "q", 0.1, 1.0)
    with pytest.raises((UsageError, BudgetError)):
        ledger.charge("people", "", "r", Loss(epsilon, 0.0, 0.1, 0.0))
    assert len(ledger.account("people").charges) == 1
    with pytest.raises(sqlite3.IntegrityError), sqlite3.connect(ledger.path) as db:
        db.execute("UPDATE charges SET epsilon = ?", (epsilon,))
    old = version_1(tmp_path / "old.sqlite", epsilon)  # what the checks forbid isn't taken over
    with pytest.raises(UsageError):
        old.charge("d", "", "r", loss(0.1))
    assert old.datasets() == ("D", "d")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            '{"query": 1, "columns": [["age", "Number", {}], ["dept", "Categories", {}]], "by": [["dept"]], '
            '"cross": [], "unit": null}',
            "a summary of age, dept, by dept",
        ),
        (
            '{"query": 1, "moments": true, "columns": [["pay", "Number", {}]], "by": [["dept"]], "cross": [], '
            '"unit": "id"}',
            "aggregates of pay, by dept, unit id",
        ),
        (
            '{"synthesize": 1, "of": "{\\"columns\\": [[\\"age\\", \\"Number\\", {}]], \\"by\\": [], \\"cross\\": '
            '[]}"}',
            "synthetic rows of age",
        ),
        (
            '{"learn": "PCA", "of": "{\\"columns\\": [[\\"age\\", \\"Number\\", {}]], \\"by\\": [], \\"cross\\": []}"}',
            "a model (PCA) of age",
        ),
        ("q0", "a query that this version doesn't know"),
        ("[]", "a query that this version doesn't know"),
    ],
)
def test_what_was_asked_is_reported(query: str, words: str) -> None:
    assert question(query) == words


def test_the_command_reveals_what_was_asked_when_and_by_whom(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,dept\n" + "40,a\n50,b\n" * 50)
    asked = (
        "summarize",
        "people.csv",
        "--epsilon",
        "1",
        "--one-row-per-person",
        "--bounds",
        "age=0:120",
        "--dataset",
        "Staff",
    )
    assert run_piiscan(*asked, cwd=tmp_path).returncode == 0
    done = run_piiscan("budget", "show", "STAFF ", cwd=tmp_path)
    user = Ledger(tmp_path / "piiscan-ledger.sqlite").account("staff").charges[0].user
    assert user and f"a summary of age, by {user}" in done.stdout and done.stdout.startswith("staff: ")
    assert str(datetime.now(UTC).year) in done.stdout
    assert run_piiscan(*asked[:-1], "staff", cwd=tmp_path).returncode == 0  # the same question again is free
    assert len(Ledger(tmp_path / "piiscan-ledger.sqlite").account("staff").charges) == 1
