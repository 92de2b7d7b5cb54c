"""The privacy-budget ledger: what has been released of a dataset, and what is left of its budget.

It is one SQLite file that only its owner can use.

A release is charged before its noise is drawn, and the charge is on the disk before `charge` returns: a crash after it
loses budget, never the reverse. Charges are made under SQLite's write lock, so concurrent processes can't spend the
same budget.

Guarantee:
    Assumes: all releases of a dataset are charged to one ledger file, on a file system with locks, under the dataset's
    true name.
    Ensures: the releases that `charge` allowed cost at most the dataset's budget, over all of its versions, in spite
    of crashes and concurrent processes; a ledger that can't be read, is damaged, or is accessible to other users
    allows nothing.
    Does not protect against: its owner, who can delete it, put back an older copy, or call a dataset by another name.
    It guards against accident.
    Test: test_dp_ledger.py
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import Final, NamedTuple

from piiscan.core.errors import BudgetError, UsageError
from piiscan.core.whole_file import write_new
from piiscan.dp import accounting, dataset_names
from piiscan.dp.accounting import SLACK, Budget, Loss

LEDGER: Final = "piiscan-ledger.sqlite"
"""The ledger's name beside the data, by default."""
PATIENCE: Final = 60.0
"""Seconds to wait for other processes."""
_DURABLE: Final = ("synchronous = EXTRA", "fullfsync = ON")
"""What is committed is on the disk, its journal's end too, before a commit returns."""
_APPLICATION: Final = 0x70694450
_VERSION: Final = 2
_DATASETS: Final = """
CREATE TABLE {0}datasets (
    name TEXT PRIMARY KEY, epsilon REAL NOT NULL CHECK (epsilon > 0 AND epsilon < 9e999),
    delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
    accounting TEXT NOT NULL
) STRICT;
"""
_BUDGETS: Final = """
CREATE TABLE {0}budgets (
    dataset TEXT NOT NULL REFERENCES datasets, at TEXT NOT NULL,
    epsilon REAL NOT NULL CHECK (epsilon > 0 AND epsilon < 9e999),
    delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1)
) STRICT;
"""
_CHARGES: Final = """
CREATE TABLE {0}charges (
    id INTEGER PRIMARY KEY, dataset TEXT NOT NULL REFERENCES datasets, version TEXT NOT NULL, at TEXT NOT NULL,
    query TEXT NOT NULL,
    epsilon REAL NOT NULL CHECK (epsilon > 0 AND epsilon < 9e999), delta REAL NOT NULL CHECK (delta >= 0 AND delta < 1),
    rho REAL NOT NULL CHECK (rho >= 0), rho_delta REAL NOT NULL CHECK (rho_delta >= 0), release TEXT, user TEXT
) STRICT;
"""
_EXACT: Final = """
CREATE TABLE {0}exact (
    id INTEGER PRIMARY KEY, dataset TEXT NOT NULL, version TEXT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
    columns TEXT NOT NULL,
    user TEXT
) STRICT;
"""
_INDEX: Final = "CREATE INDEX queries ON charges (query);"
_OLD: Final = {"datasets": _DATASETS, "budgets": _BUDGETS, "charges": _CHARGES, "exact": _EXACT}
"""The tables, by name. Version 1 had them without checks and users."""


class Charge(NamedTuple):
    """A release that was paid for.

    `release` is what was released, None if the process ended before that. `query` is what was asked, and `user` the
    operating-system account that asked; "" for charges from before it was recorded.
    """

    id: int
    version: str
    at: str
    loss: Loss
    release: str | None
    query: str = ""
    user: str = ""


class Exact(NamedTuple):
    """A release that no ε covers: its kind (a k-anonymous table, risk figures, exact aggregates) and its columns."""

    id: int
    version: str
    at: str
    kind: str
    columns: tuple[str, ...]
    user: str = ""


class Account(NamedTuple):
    """Everything that a ledger records about one dataset."""

    dataset: str
    budget: Budget
    charges: tuple[Charge, ...]
    exact: tuple[Exact, ...]

    @property
    def total(self) -> Loss:
        return accounting.total(c.loss for c in self.charges)

    @property
    def spent(self) -> tuple[float, float]:
        """The ε and δ spent, by the budget's accounting."""
        return accounting.spent(self.total, self.budget)

    @property
    def remaining(self) -> tuple[float, float]:
        """The ε and δ that are left, never below 0."""
        epsilon, delta = self.spent
        return max(0.0, self.budget.epsilon - epsilon), max(0.0, self.budget.delta - delta)

    def remaining_releases(self, loss: Loss) -> int:
        """Return how many more releases of this size fit."""
        return accounting.remaining_releases(self.total, loss, self.budget)


class Ledger:
    """The ledger at `path`.

    Nothing is opened or created before the first use. Every method raises `UsageError` if the file can't be trusted.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def name_of(self, dataset: str) -> str:
        """Return the name under which a dataset is kept; call it before building a query's text.

        Raises `UsageError`; see `dp.names`.
        """
        if not self.path.exists():
            return dataset_names.resolve(dataset, ())
        with self._open() as db:
            return _resolved(db, dataset)

    def stored(self, query: str) -> str | None:
        """Return the stored release of this same query, which costs nothing to return again; None if there is none."""
        if not self.path.exists():
            return None
        with self._open() as db:
            return _stored(db, query)

    def check(self, dataset: str, loss: Loss, epsilon: float | None = None) -> None:
        """Raise `BudgetError` if `charge` would, before the long work."""
        if not self.path.exists():
            _affordable(dataset, None, _first(loss, epsilon), loss, self.path)
            return
        with self._open() as db:
            dataset = _resolved(db, dataset)
            known = _account(db, dataset)
            _affordable(
                dataset, known, _fixed(known, epsilon, self.path) if known else _first(loss, epsilon), loss, self.path
            )

    def charge(self, dataset: str, version: str, query: str, loss: Loss, epsilon: float | None = None) -> int | str:
        """Charge `loss` to the dataset's budget, permanently, and return the id to `store` the release under.

        If this same query was released before, return that release instead, which is free. At its first use a
        dataset's budget is fixed: `epsilon`, with a δ in the proportion of this release, or just this release. Later
        `epsilon` must be the same.
        Raises `BudgetError` if the release doesn't fit.
        """
        with self._writing(create=True) as db:
            before = _stored(db, query)
            if before is not None:
                return before
            dataset = _resolved(db, dataset)
            known = _account(db, dataset)
            given = _fixed(known, epsilon, self.path) if known else _first(loss, epsilon)
            if known is None:
                _begin(db, dataset, given)
            _affordable(dataset, known, given, loss, self.path)
            row = db.execute(
                "INSERT INTO charges (dataset, version, at, query, user, epsilon, delta, rho, rho_delta) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (dataset, version, _now(), query, _user(), *loss),
            )
            return int(row.lastrowid or 0)

    def store(self, charge: int, release: str) -> None:
        """Store a release, so that it can be returned again for free."""
        with self._writing() as db:
            if (
                db.execute(
                    "UPDATE charges SET release = ? WHERE id = ? AND release IS NULL", (release, charge)
                ).rowcount
                != 1
            ):
                raise UsageError(f"ledger {self.path}: it was changed in the meantime; nothing was released; try again")

    def open(self, dataset: str, budget: Budget) -> None:
        """Fix the budget of a dataset that doesn't have one. Raises `UsageError`."""
        with self._writing(create=True) as db:
            dataset = _resolved(db, dataset)
            if _account(db, dataset) is not None:
                raise UsageError(
                    f"dataset {dataset}: its budget is already fixed; {_raising(self.path, dataset)} changes it"
                )
            _begin(db, dataset, budget)

    def raise_budget(self, dataset: str, epsilon: float, delta: float | None) -> None:
        """Raise a dataset's budget. The accounting stays. Raises `UsageError` for less than before."""
        with self._writing() as db:
            known = self._known(db, dataset)
            dataset = known.dataset
            delta = known.budget.delta if delta is None else delta
            if epsilon < known.budget.epsilon or delta < known.budget.delta:
                raise UsageError(f"dataset {dataset}: a budget can only be raised; it is {_words(known.budget)}")
            _check(Budget(epsilon, delta, known.budget.accounting))
            db.execute("UPDATE datasets SET epsilon = ?, delta = ? WHERE name = ?", (epsilon, delta, dataset))
            db.execute("INSERT INTO budgets VALUES (?, ?, ?, ?)", (dataset, _now(), epsilon, delta))

    def register(self, dataset: str, version: str, kind: str, columns: Sequence[str]) -> None:
        """Record a release that no ε covers. Raises `UsageError` if its columns aren't given."""
        if not columns:
            raise UsageError(f"dataset {dataset}: name the columns of the release")
        with self._writing(create=True) as db:
            db.execute(
                "INSERT INTO exact (dataset, version, at, kind, columns, user) VALUES (?, ?, ?, ?, ?, ?)",
                (_resolved(db, dataset), version, _now(), kind, json.dumps(list(columns), ensure_ascii=False), _user()),
            )

    def account(self, dataset: str) -> Account:
        """Return the account of a dataset. Raises `UsageError` if it isn't in the ledger."""
        with self._open() as db:
            return self._known(db, dataset)

    def has_budget(self, dataset: str) -> bool:
        with self._open() as db:
            return _account(db, _resolved(db, dataset)) is not None

    def exact(self, dataset: str) -> tuple[Exact, ...]:
        """The releases of a dataset that no ε covers."""
        with self._open() as db:
            return _exact(db, _resolved(db, dataset))

    def datasets(self) -> tuple[str, ...]:
        with self._open() as db:
            return _datasets(db)

    def _known(self, db: sqlite3.Connection, dataset: str) -> Account:
        known = _account(db, _resolved(db, dataset))
        if known is None:
            raise UsageError(
                f"ledger {self.path}: it has no budget for the dataset {dataset}; `piiscan budget show` lists its "
                "datasets"
            )
        return known

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Return a connection to a checked ledger."""
        try:
            mode = self.path.stat().st_mode
            if not stat.S_ISREG(mode):
                raise UsageError(f"ledger {self.path}: this isn't a file; choose another path with --ledger")
            with closing(
                sqlite3.connect(
                    f"{self.path.resolve().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=PATIENCE
                )
            ) as db:
                for setting in (*_DURABLE, "foreign_keys = ON", "trusted_schema = OFF"):
                    db.execute(f"PRAGMA {setting}")
                self._check_file(db)
                if os.name == "posix" and mode & 0o077:
                    raise UsageError(f"ledger {self.path}: other users can access it; type: chmod 600 {self.path}")
                yield db
        except FileNotFoundError:
            raise UsageError(
                f"ledger {self.path}: it doesn't exist; the first release of a dataset creates it beside the data; "
                "--ledger names another one"
            ) from None
        except (sqlite3.Error, OSError) as error:
            # The name of an error says what happened; its text might quote what the ledger holds.
            what = getattr(error, "sqlite_errorname", None) or type(error).__name__
            raise UsageError(
                f"ledger {self.path}: it can't be used ({what}), so nothing is released; repair it, or restore a backup"
            ) from None

    def _check_file(self, db: sqlite3.Connection) -> None:
        (application,), (version,) = (
            db.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        if application != _APPLICATION:
            raise UsageError(f"ledger {self.path}: this isn't a piiscan ledger; choose another path with --ledger")
        if version not in (1, _VERSION):
            raise UsageError(
                f"ledger {self.path}: it was written by another version of piiscan (ledger {version}; this one "
                f"reads 1 and {_VERSION}); use that version"
            )
        if db.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
            raise UsageError(f"ledger {self.path}: it is damaged, so nothing is released; restore a backup")

    @contextmanager
    def _writing(self, create: bool = False) -> Iterator[sqlite3.Connection]:
        """Hold the ledger's write lock until everything is on the disk, or nothing."""
        if create and not self.path.exists():
            _make(self.path)
        with self._open() as db:
            _upgrade(db)
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _make(path: Path) -> None:
    """Create an empty ledger, whole or not at all; if another process was first, keep its ledger."""
    try:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            tables = "".join(text.format("") for text in _OLD.values())
            db.executescript(
                f"BEGIN; {tables} {_INDEX} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = "
                f"{_VERSION}; COMMIT;"
            )
            content = db.serialize()
        write_new(path, content)
    except FileExistsError:
        return
    except (OSError, sqlite3.Error) as error:
        raise UsageError(
            f"ledger {path}: can't be created: {getattr(error, 'strerror', None) or type(error).__name__}; choose "
            "another path with --ledger"
        ) from None


def _upgrade(db: sqlite3.Connection) -> None:
    """Upgrade a ledger of version 1 to today's tables, whole or not at all. Its content stays, spelling included."""
    if db.execute("PRAGMA user_version").fetchone() == (_VERSION,):
        return
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN IMMEDIATE")
    try:
        if db.execute("PRAGMA user_version").fetchone() != (_VERSION,):  # another process may have been faster
            for name, table in _OLD.items():
                columns = ", ".join(column for _, column, *_ in db.execute(f"PRAGMA table_info({name})"))
                db.execute(table.format("new_"))
                db.execute(f"INSERT INTO new_{name} ({columns}) SELECT {columns} FROM {name}")
            for name in reversed(_OLD):
                db.execute(f"DROP TABLE {name}")
                db.execute(f"ALTER TABLE new_{name} RENAME TO {name}")
            db.execute(_INDEX)
            db.execute(f"PRAGMA user_version = {_VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("PRAGMA foreign_keys = ON")


def _account(db: sqlite3.Connection, dataset: str) -> Account | None:
    row = db.execute("SELECT epsilon, delta, accounting FROM datasets WHERE name = ?", (dataset,)).fetchone()
    if row is None:
        return None
    user = "user" if _has_users(db) else "NULL"
    charges = db.execute(
        f"SELECT id, version, at, release, query, {user}, epsilon, delta, rho, rho_delta FROM charges WHERE "
        "dataset = ? ORDER BY id",
        (dataset,),
    )
    made = tuple(
        Charge(i, version, at, Loss(*loss), release, query, user or "")
        for i, version, at, release, query, user, *loss in charges
    )
    return Account(dataset, Budget(*row), made, _exact(db, dataset))


def _exact(db: sqlite3.Connection, dataset: str) -> tuple[Exact, ...]:
    user = "user" if _has_users(db) else "NULL"
    rows = db.execute(
        f"SELECT id, version, at, kind, columns, {user} FROM exact WHERE dataset = ? ORDER BY id", (dataset,)
    )
    return tuple(
        Exact(i, version, at, kind, tuple(json.loads(columns)), user or "")
        for i, version, at, kind, columns, user in rows
    )


def _has_users(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone() == (_VERSION,))


def _datasets(db: sqlite3.Connection) -> tuple[str, ...]:
    return tuple(name for (name,) in db.execute("SELECT name FROM datasets UNION SELECT dataset FROM exact ORDER BY 1"))


def _resolved(db: sqlite3.Connection, dataset: str) -> str:
    return dataset_names.resolve(dataset, _datasets(db))


def _stored(db: sqlite3.Connection, query: str) -> str | None:
    row = db.execute(
        "SELECT release FROM charges WHERE query = ? AND release IS NOT NULL ORDER BY id LIMIT 1", (query,)
    ).fetchone()
    return None if row is None else str(row[0])


def _begin(db: sqlite3.Connection, dataset: str, budget: Budget) -> None:
    _check(budget)
    db.execute("INSERT INTO datasets VALUES (?, ?, ?, ?)", (dataset, *budget))
    db.execute("INSERT INTO budgets VALUES (?, ?, ?, ?)", (dataset, _now(), budget.epsilon, budget.delta))


def _raising(path: Path, dataset: str) -> str:
    """The command that raises a budget, as somebody types it here."""
    kept = "" if path == Path(LEDGER) else f" --ledger {quote(str(path))}"
    return f"`piiscan budget raise {quote(dataset)} --epsilon E{kept}`"


def _fixed(known: Account, epsilon: float | None, path: Path) -> Budget:
    """Return the budget that is fixed. Raises `UsageError` if another one is asked for."""
    if epsilon is not None and abs(known.budget.epsilon - epsilon) > SLACK * epsilon:
        raise UsageError(
            f"dataset {known.dataset}: its budget is fixed at {_words(known.budget)}; leave --budget out, or "
            f"change it with {_raising(path, known.dataset)}"
        )
    return known.budget


def _first(loss: Loss, epsilon: float | None) -> Budget:
    """Return the budget that a dataset's first release fixes. Raises `UsageError`."""
    budget = loss if epsilon is None else Loss(epsilon, loss.delta * epsilon / loss.epsilon, 0.0, 0.0)
    first = Budget(budget.epsilon, budget.delta, "basic")
    _check(first)
    return first


def _check(budget: Budget) -> None:
    from math import isfinite

    if not (isfinite(budget.epsilon) and budget.epsilon > 0 and 0 <= budget.delta < 1):
        raise UsageError(
            "a budget needs an epsilon above 0, and a delta of at least 0 and below 1; `piiscan budget open` "
            "fixes one with any delta, independent of the first release"
        )
    if budget.accounting == "zcdp" and budget.delta == 0:
        raise UsageError("zcdp accounting needs a delta above 0 to convert to an epsilon, such as --delta 1e-6")


def _affordable(dataset: str, known: Account | None, budget: Budget, loss: Loss, path: Path) -> None:
    before = known.total if known else accounting.NOTHING
    if accounting.fits(accounting.total([before, loss]), budget):
        return
    epsilon, delta = accounting.spent(before, budget)
    more = f"raise it with {_raising(path, dataset)}" if known else "name a larger budget"
    raise BudgetError(
        f"dataset {dataset}: this asks for epsilon {loss.epsilon:g}, delta {loss.delta:g}. The budget is "
        f"{_words(budget)}; spent is epsilon {epsilon:g}, delta {delta:g}. Nothing was released. Ask for less, or "
        f"{more}"
    )


def _words(budget: Budget) -> str:
    how = ", by zcdp accounting" if budget.accounting == "zcdp" else ""
    return f"epsilon {budget.epsilon:g}, delta {budget.delta:g}{how}"


def _user() -> str:
    """Return the operating-system account that this process belongs to."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):
        import getpass

        try:
            return getpass.getuser()
        except (OSError, KeyError, ImportError):
            return ""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
