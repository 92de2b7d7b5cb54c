"""What all verbs share: typed parameters, one way to say which table and how it is written, results of one shape."""

from __future__ import annotations

import gzip
import importlib
import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import Run

import piiscan
from piiscan.core.errors import UsageError, WriteError
from piiscan.dp.domains import Categories, Number
from piiscan.learning import KMeans, LinearRegression, LogisticRegression

KEY = piiscan.Key(bytes(range(7, 39)))
FACADES = (
    "piiscan",
    "piiscan.hierarchies",
    "piiscan.learning",
    "piiscan.operators",
    "piiscan.operators.presidio",
    "piiscan.plots",
    "piiscan.techniques",
    "piiscan.text",
    "piiscan.text.presidio",
)
ROWS = 60
FRAME = pl.DataFrame(
    {
        "age": [20 + i % 5 for i in range(ROWS)],
        "sex": ["f" if i % 2 else "m" for i in range(ROWS)],
        "dept": ["a" if i < 30 else "b" for i in range(ROWS)],
        "pay": [1000 + (i * 37) % 400 for i in range(ROWS)],
    }
)
DOMAINS = {"age": Number(0, 120), "sex": Categories(("f", "m"))}


# Parameters.
def callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function, constructor and method."""
    for facade in FACADES:
        try:
            module = importlib.import_module(facade)
        except piiscan.PiiscanError:  # an extra is missing
            continue
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isclass(found) and not issubclass(found, BaseException):
                yield f"{facade}.{name}", found
                for method, function in inspect.getmembers(found, inspect.isfunction):
                    if not method.startswith("_"):
                        yield f"{facade}.{name}.{method}", function
            elif inspect.isfunction(found):
                yield f"{facade}.{name}", found


def test_public_functions_spell_their_parameters_out() -> None:
    """`help()` shows them all, with their types; none is swallowed by `**options`."""
    found = dict(callables())
    assert len(found) > 60
    for name, function in found.items():
        for parameter in inspect.signature(function).parameters.values():
            assert parameter.kind != parameter.VAR_KEYWORD, name
            if function.__module__.startswith("piiscan") and parameter.name != "self":
                assert parameter.annotation is not parameter.empty, f"{name}: {parameter.name} has no type"


def test_the_function_scan_takes_what_a_scanner_takes() -> None:
    of_scanner = inspect.signature(piiscan.Scanner).parameters
    of_scan = inspect.signature(piiscan.scan).parameters
    assert {n: (p.annotation, p.default) for n, p in of_scan.items() if n != "data"} == {
        n: (p.annotation, p.default) for n, p in of_scanner.items()
    }


@pytest.mark.parametrize("verb", ["anonymize", "protect"])
def test_models_are_parameters(verb: str) -> None:
    parameters = inspect.signature(getattr(piiscan, verb)).parameters
    assert {"k", "l", "diversity", "c", "alpha", "t", "distance", "presence"} <= set(parameters)


# Tables.
def privacy(ledger: Path, **changed: Any) -> piiscan.Privacy:
    said = {"epsilon": 300, "one_row_per_person": True, "dataset": "people", "ledger": ledger, "budget": 1e5}
    return piiscan.Privacy(**said | changed)


BOUNDS: Any = {"bounds": {"age": (0, 120)}, "categories": {"sex": ["f", "m"]}}
PAY: Any = {"bounds": {"pay": (0, 5000)}, "categories": {"dept": ["a", "b"]}}
Verb = Callable[..., Any]
VERBS: dict[str, Verb] = {
    "risk": lambda data, ledger, **read: piiscan.risk(data, quasi=["age", "sex"], insensitive=["dept", "pay"], **read),
    "anonymize": lambda data, ledger, **read: piiscan.anonymize(
        data, k=3, quasi=["age", "sex"], insensitive=["dept", "pay"], **read
    ),
    "protect": lambda data, ledger, **read: piiscan.protect(
        data, k=3, one_row_per_person=True, quasi=["age", "sex"], insensitive=["dept"], sensitive=["pay"], **read
    ),
    "summarize": lambda data, ledger, **read: piiscan.summarize(data, privacy(ledger), **BOUNDS, **read),
    "synthesize": lambda data, ledger, **read: piiscan.synthesize(data, privacy(ledger), n=20, **BOUNDS, **read),
    "aggregate": lambda data, ledger, **read: piiscan.aggregate(data, "dept", ["age", "pay"], **read),
    "aggregate_privately": lambda data, ledger, **read: piiscan.aggregate_privately(
        data, "dept", "pay", privacy(ledger), **PAY, **read
    ),
    "evaluate": lambda data, ledger, **read: piiscan.evaluate(data, FRAME, schema=DOMAINS, **read),
}
RANDOM = ("protect", "summarize", "synthesize", "aggregate_privately")
"""Noise, or an order of rows, is drawn anew."""


def facts(name: str, result: Any) -> Any:
    """What a result says of the table, apart from where that came from."""
    if name in RANDOM:
        return sorted(result.to_dict())
    return {k: v for k, v in result.to_dict().items() if k not in ("source", "table")}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import xlsxwriter

    folder = tmp_path_factory.mktemp("files")
    FRAME.write_csv(folder / "semicolon.csv", separator=";")
    (folder / "packed.csv.gz").write_bytes(gzip.compress(FRAME.write_csv().encode()))
    (folder / "wide.csv").write_bytes(FRAME.write_csv().encode("utf-16"))
    with xlsxwriter.Workbook(folder / "book.xlsx") as book:
        FRAME.write_excel(book, worksheet="staff")
        FRAME.head(9).write_excel(book, worksheet="other")
    return folder


READ: dict[str, dict[str, Any]] = {
    "semicolon.csv": {"delimiter": "semicolon", "header": True},
    "packed.csv.gz": {},
    "wide.csv": {"encoding": "utf-16"},
    "book.xlsx": {"table": "staff"},
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_reads_a_path_and_a_frame_alike(verb: str, files: Path, tmp_path: Path) -> None:
    expected = facts(verb, VERBS[verb](FRAME, tmp_path / "frame"))
    for kind, (file, read) in zip(cycle((Path, str)), READ.items(), strict=False):
        assert facts(verb, VERBS[verb](kind(files / file), tmp_path / file, **read)) == expected, file
    for frame in (FRAME.to_pandas(), FRAME.to_arrow()):
        assert facts(verb, VERBS[verb](frame, tmp_path / type(frame).__name__)) == expected


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_what_is_missing_in_the_same_words(verb: str, files: Path, tmp_path: Path) -> None:
    run = VERBS[verb]
    for data, read, message in (
        (files / "book.xlsx", {}, "several tables; name one with table="),
        (files / "book.xlsx", {"table": "gone"}, "has no table gone"),
        (files / "gone.csv", {}, "there is no such file"),
        (files, {}, "is a folder; one table at a time"),
        (files / "packed.csv.gz", {"delimiter": "ab"}, "delimiter must be one character"),
        (files / "packed.csv.gz", {"encoding": "none"}, "encoding must be"),
        (FRAME, {"table": "staff"}, "a frame is one table"),
    ):
        with pytest.raises(UsageError, match=message):
            run(data, tmp_path / "ledger", **read)
    assert not (tmp_path / "ledger").exists()


def test_is_k_anonymous_and_scan_read_what_the_others_read(files: Path) -> None:
    for file, read in READ.items():
        assert piiscan.is_k_anonymous(files / file, 6, ["age", "sex"], **read)
        assert not piiscan.is_k_anonymous(files / file, 7, "age,sex".split(","), **read)
    assert len(piiscan.scan(files / "semicolon.csv", delimiter=";").columns) == 4
    assert [len(t.columns) for t in piiscan.scan(files / "book.xlsx").tables] == [4, 4]


def test_what_is_left_out_is_not_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where the vault lies
    data, out = tmp_path / "data", tmp_path / "out"
    (data / "lake" / "_delta_log").mkdir(parents=True)
    (data / "lake" / "_delta_log" / "0.json").write_text('{"add": 1}')
    table = pl.DataFrame({"mail": [f"user{i}@firm.com" for i in range(30)], "n": range(30)})
    table.write_parquet(data / "lake" / "a.parquet")
    table.write_csv(data / "in.csv")
    (data / "dump.sql").write_text("SELECT 1;")
    (data / "script.py").write_text("import this")
    shutil.make_archive(str(data / "lake"), "zip", data / "lake")
    packed = gzip.compress((data / "in.csv").read_bytes())
    (data / "cut.csv.gz").write_bytes(packed)
    out.write_text("of yesterday")
    reasons = {
        "lake.zip": "a Delta table",
        "dump.sql": "SQL",
        "cut.csv.gz": "damaged or truncated gzip",
        "script.py": "source code",
    }
    plan, plans = piiscan.plan(data), {name: piiscan.plan(data / name) for name in reasons}
    (data / "cut.csv.gz").write_bytes(packed[:-40])
    for name, reason in reasons.items():
        with pytest.raises(piiscan.ReadError, match=f"nothing was written to .*out: left out: .*{reason}"):
            piiscan.mask(data / name, plans[name], KEY, output=out, overwrite=True)
    assert out.read_text() == "of yesterday"
    (tmp_path / "empty").mkdir()
    with pytest.raises(piiscan.ReadError, match="there is no table to mask"):
        piiscan.mask(tmp_path / "empty", plan, KEY, output=tmp_path / "more")
    report = piiscan.mask(data, plan, KEY, output=tmp_path / "more")
    assert not report.complete and report.verified and "complete=False" in repr(report)
    assert sorted(entry.source for entry in report.left_out) == [
        "cut.csv.gz",
        "dump.sql",
        "lake",
        "lake.zip",
        "script.py",
    ]
    assert [entry.name for entry in (tmp_path / "more").iterdir()] == ["in.csv"]


def test_files_are_masked_into_other_files(tmp_path: Path) -> None:
    mails = [f"user{i}@example.com" for i in range(30)]
    pl.DataFrame({"mail": mails, "n": range(30)}).write_csv(tmp_path / "in.csv", separator=";")
    plan = piiscan.plan(tmp_path / "in.csv", delimiter=";")
    with pytest.raises(UsageError, match="output=PATH"):
        piiscan.mask(tmp_path / "in.csv", plan, KEY)
    with pytest.raises(UsageError, match="leave out output"):
        piiscan.mask(FRAME, plan, KEY, output=tmp_path / "x.csv")
    with pytest.raises(UsageError, match="no such file"):
        piiscan.mask(tmp_path / "gone.csv", plan, KEY, output=tmp_path / "x.csv")
    report = piiscan.mask(tmp_path / "in.csv", plan, KEY, output=tmp_path / "out.csv", delimiter=";")
    assert report.to_dict()["verified"] and report.key == KEY.id
    written = pl.read_csv(tmp_path / "out.csv", separator=";")
    frame = pl.read_csv(tmp_path / "in.csv", separator=";")
    assert written.equals(piiscan.mask(frame, piiscan.plan(frame), KEY))
    with pytest.raises(piiscan.WriteError):
        piiscan.mask(tmp_path / "in.csv", plan, KEY, output=tmp_path / "out.csv", delimiter=";")
    piiscan.mask(tmp_path / "in.csv", plan, KEY, output=tmp_path / "out.csv", delimiter=";", overwrite=True)


# Commands.
ROLES = ("--quasi", "age,sex", "--insensitive", "dept,pay")


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("semicolon.csv", ("--delimiter", ";")),
        ("packed.csv.gz", ()),
        ("wide.csv", ("--encoding", "utf-16")),
        ("book.xlsx", ("--table", "staff")),
    ],
)
def test_commands_read_what_the_verbs_read(
    piiscan: Run, files: Path, tmp_path: Path, file: str, options: tuple[str, ...]
) -> None:
    measured = piiscan("risk", files / file, *ROLES, *options, "-f", "json")
    assert measured.returncode == 0 and json.loads(measured.stdout)["classes"]["smallest"] == 6
    done = piiscan("anonymize", files / file, *ROLES, *options, "--k", "9", "-o", tmp_path / f"out-{file}")
    assert done.returncode == 0, done.stderr
    again = piiscan("risk", tmp_path / f"out-{file}", *ROLES, "-f", "json")
    assert json.loads(again.stdout)["classes"]["smallest"] >= 9, again.stderr
    asked = ("--epsilon", "300", "--one-row-per-person", "--bounds", "age=0:120", "--ledger", tmp_path / "l")
    summary = piiscan("summarize", files / file, *asked, *options, "--dataset", file)
    assert summary.returncode == 0 and "age" in summary.stdout, summary.stderr


def test_an_anonymised_table_of_several_is_written_alone(piiscan: Run, files: Path, tmp_path: Path) -> None:
    """The other tables of its file, which nobody has anonymised, aren't in the output."""
    out = tmp_path / "out.xlsx"
    refused = piiscan("anonymize", files / "book.xlsx", *ROLES, "--k", "9", "-o", out)
    assert refused.returncode == 2 and "several tables" in refused.stderr and not out.exists()
    arguments = ("anonymize", files / "book.xlsx", *ROLES, "--k", "9", "--table", "staff", "-o", out)
    assert piiscan(*arguments).returncode == 0
    written = pl.read_excel(out, sheet_id=0)
    assert list(written) == ["staff"] and written["staff"].columns == FRAME.columns and len(written["staff"]) == ROWS
    assert piiscan(*arguments).returncode == 2 and piiscan(*arguments, "--overwrite").returncode == 0


def test_what_stands_before_a_table_is_not_written_with_it(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("# made by Ann Lee\n# on a day\n" + FRAME.write_csv())
    done = piiscan("anonymize", tmp_path / "in.csv", *ROLES, "--k", "9", "-o", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.csv").read_text().startswith("age,sex,dept,pay\n")


def test_the_configuration_says_how_files_are_written(piiscan: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("age~sex\n" + "".join(f"{20 + i % 5}~f\n" for i in range(40)))
    (tmp_path / "piiscan.toml").write_text('[[paths]]\npath = "odd.csv"\ndelimiter = "~"\n')
    asked = ("--epsilon", "300", "--one-row-per-person", "--bounds", "age=0:120")
    for command in (
        ("summarize", "odd.csv", *asked),
        ("synthesize", "odd.csv", *asked, "-o", "rows.csv", "--dataset", "rows"),
        ("risk", "odd.csv", "--quasi", "age,sex"),
    ):
        done = piiscan(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr


# Results.
SECRET = "canary"
PERSON = pl.DataFrame(
    {
        "name": [f"{SECRET}{i}" for i in range(40)],
        "age": [20 + i % 4 for i in range(40)],
        "sex": ["f" if i % 2 else "m" for i in range(40)],
        "dept": [SECRET + "a" if i < 20 else SECRET + "b" for i in range(40)],
    }
)


def masked() -> piiscan.MaskReport:
    plan = piiscan.plan(PERSON)
    return piiscan.compare(PERSON, piiscan.mask(PERSON, plan, KEY), plan)


ROLES_OF: Any = {"quasi": ["age", "sex"], "insensitive": ["name"], "sensitive": ["dept"]}
RESULTS: dict[str, Callable[[Path], Any]] = {
    "Report": lambda folder: piiscan.scan(PERSON),
    "RiskReport": lambda folder: piiscan.risk(PERSON, **ROLES_OF),
    "AnonymizedFrame": lambda folder: piiscan.anonymize(PERSON, k=3, **ROLES_OF),
    "Protected": lambda folder: piiscan.protect(
        PERSON.drop("name"), k=3, one_row_per_person=True, quasi=["age", "sex"], sensitive=["dept"]
    ),
    "Summary": lambda folder: piiscan.summarize(PERSON, privacy(folder / "l"), categories={"dept": [f"{SECRET}a"]}),
    "Synthetic": lambda folder: piiscan.synthesize(
        PERSON, privacy(folder / "l"), categories={"dept": [f"{SECRET}a"]}, n=9
    ),
    "Aggregates": lambda folder: piiscan.aggregate(PERSON, "dept", "age"),
    "Evaluation": lambda folder: piiscan.evaluate(
        PERSON, PERSON, schema={"dept": Categories((f"{SECRET}a", f"{SECRET}b")), "age": Number(0, 120)}
    ),
    "TablesEvaluation": lambda folder: piiscan.evaluate_tables(
        {"people": PERSON},
        {"people": PERSON},
        {"tables": {"people": {"key": "name", "columns": {"dept": {"categories": [f"{SECRET}a", f"{SECRET}b"]}}}}},
    ),
    "MaskReport": lambda folder: masked(),
}
WITH_ROWS = {"Report", "AnonymizedFrame", "Protected", "Synthetic", "Aggregates"}


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_the_same_members(name: str, tmp_path: Path) -> None:
    result = RESULTS[name](tmp_path)
    assert type(result).__name__ == name and isinstance(result, getattr(piiscan, name))
    data = result.to_dict()
    assert json.loads(result.to_json()) == json.loads(json.dumps(data))
    result.save(tmp_path / "report.json")
    assert (tmp_path / "report.json").read_text(encoding="utf-8") == result.to_json()
    with pytest.raises(UsageError, match=r"use one of \.json"):
        result.save(tmp_path / "report.odd")
    with pytest.raises(piiscan.WriteError, match="can't be written"):
        result.save(tmp_path / "gone" / "report.json")
    if name in WITH_ROWS:
        assert len(result.to_frame()) > 0
        result.save(str(tmp_path / "rows.parquet"))
        assert len(pl.read_parquet(tmp_path / "rows.parquet")) == len(result.to_frame())
        result.save(tmp_path / "rows.csv")
        assert (tmp_path / "rows.csv").stat().st_size
    else:
        assert not hasattr(result, "to_frame")


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_in_one_line_without_a_cell_value(name: str, tmp_path: Path) -> None:
    from rich.console import Console
    from rich.pretty import pretty_repr

    result = RESULTS[name](tmp_path)
    shown = repr(result)
    assert shown.startswith(f"<piiscan.{name} ") and shown.endswith(">") and len(shown) < 200 and "\n" not in shown
    html, rich = result._repr_html_(), pretty_repr(result)
    assert html.startswith("<table>") and html.count("<table") == html.count("</table>") == 1
    assert rich.startswith(f"{name}(")
    with Console(quiet=True) as console:
        console.print(result)
    for text in (shown, str(result), html, rich):
        assert SECRET not in text


@pytest.mark.parametrize("kind", [pd.DataFrame, pa.Table])
def test_rows_of_any_library_are_saved(kind: Any, tmp_path: Path) -> None:
    data = PERSON.to_pandas() if kind is pd.DataFrame else PERSON.to_arrow()
    done = piiscan.anonymize(data, k=3, **ROLES_OF)
    assert isinstance(done.to_frame(), kind) and done.to_frame() is done.frame
    done.save(tmp_path / "rows.csv")
    assert pl.read_csv(tmp_path / "rows.csv").columns == PERSON.columns


def test_a_report_is_saved_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up leaves the file from before, and nothing beside it."""
    file = tmp_path / "report.json"
    file.write_text("from before", encoding="utf-8")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        piiscan.scan(FRAME).save(file)
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
        (file.name, "from before")
    ]


@pytest.mark.parametrize(
    ("quasi", "told"),
    [
        (3, "an object of type int"),
        ([1, 2], "a list with an object of type int; the name of a column 1 is the text '1'"),
        (["age", None], "a list with an object of type NoneType"),
    ],
)
def test_names_of_columns_are_texts(quasi: Any, told: str) -> None:
    with pytest.raises(UsageError) as error:
        piiscan.risk(FRAME, quasi=quasi)
    assert str(error.value) == f"quasi must be a name or a list of names, not {told}"


def _summary(**asked: Any) -> Callable[[Path], Any]:
    return lambda folder: piiscan.summarize(FRAME, **{"privacy": _privacy(folder), **asked})


def _privacy(folder: Path, **asked: Any) -> piiscan.Privacy:
    said: dict[str, Any] = {"epsilon": 1.0, "one_row_per_person": True, "dataset": "d", "ledger": folder / "l.sqlite"}
    return piiscan.Privacy(**{**said, **asked})


AGES = {"age": (0, 120)}
OF_LISTS = "by must be a list of lists of names, such as [['a'], ['a', 'b']]"
PAIRS = "bounds must be a mapping of names to pairs of numbers, such as {'age': (0, 120)}"
TEXTS = "categories must be a mapping of names to lists of texts, such as {'dept': ['A', 'B']}"
WRONG: dict[str, tuple[Callable[[Path], Any], str]] = {
    "names for groups": (_summary(bounds=AGES, by=["sex"]), OF_LISTS),
    "a name for groups": (_summary(bounds=AGES, by="sex"), f"{OF_LISTS}, not an object of type str"),
    "one bound": (_summary(bounds={"age": 120}), PAIRS),
    "days as bounds": (_summary(bounds={"age": ("a", "b")}), PAIRS),
    "a list of bounds": (_summary(bounds=[("age", 0, 120)]), f"{PAIRS}, not an object of type list"),
    "letters as words": (_summary(categories={"sex": "fm"}), TEXTS),
    "words without an order": (_summary(categories={"sex": {"f", "m"}}), TEXTS),
    "numbers as words": (_summary(categories={"age": [1, 2]}), TEXTS),
    "a name of several": (
        _summary(bounds=AGES, private_keys="dept"),
        "private_keys must be a list of names, not an object of type str",
    ),
    "one quantile": (
        _summary(bounds=AGES, quantiles=0.5),
        "quantiles must be a list of numbers, not an object of type float",
    ),
    "no privacy": (
        _summary(bounds=AGES, privacy=None),
        "privacy must be a piiscan.Privacy, not an object of type NoneType",
    ),
    "a dict of privacy": (
        lambda folder: piiscan.protect(FRAME, k=2, privacy={"epsilon": 1}),  # type: ignore[arg-type]
        "privacy must be a piiscan.Privacy, not an object of type dict",
    ),
    "a text as epsilon": (
        lambda folder: _privacy(folder, epsilon="1"),
        "epsilon must be a number, not an object of type str",
    ),
    "settings of a summary": (
        lambda folder: piiscan.protect(FRAME, k=2, privacy=_privacy(folder), summary={"bounds": {"age": 1}}),
        PAIRS,
    ),
    "a fraction": (
        lambda folder: piiscan.risk(FRAME, quasi="sex", sampling_fraction="0.1"),  # type: ignore[arg-type]
        "sampling_fraction must be a number, not an object of type str",
    ),
    "no k": (
        lambda folder: piiscan.is_k_anonymous(FRAME, None),  # type: ignore[arg-type]
        "k must be a whole number, not an object of type NoneType",
    ),
    "one presence": (
        lambda folder: piiscan.anonymize(FRAME, k=2, presence=0.5),  # type: ignore[arg-type]
        "presence must be a pair of numbers, not an object of type float",
    ),
    "labels without values": (
        lambda folder: piiscan.anonymize(FRAME, k=2, hierarchies={"age": ["x"]}),  # type: ignore[dict-item]
        "hierarchies: column age: it must be a mapping from values to their labels, not an object of type list",
    ),
    "a constraint alone": (
        lambda folder: piiscan.synthesize(FRAME, _privacy(folder), bounds=AGES, constraints="age >= pay"),
        "constraints must be a list of texts, not an object of type str",
    ),
    "people in a list": (
        lambda folder: piiscan.synthesize(FRAME, _privacy(folder), bounds=AGES, people=["name"]),  # type: ignore[arg-type]
        "people must be a piiscan.People or the path of one, not an object of type list",
    ),
    "a text as a number of clusters": (
        lambda folder: KMeans("3", bounds=AGES),  # type: ignore[arg-type]
        "n_clusters must be a whole number, not an object of type str",
    ),
    "letters as classes": (
        lambda folder: LogisticRegression(target="sex", classes="fm", bounds=AGES),
        "classes must be a list of classes, such as ['no', 'yes'], not an object of type str",
    ),
    "a fit without privacy": (
        lambda folder: KMeans(bounds=AGES).fit(FRAME, {"epsilon": 1}),  # type: ignore[arg-type]
        "privacy must be a piiscan.Privacy, not an object of type dict",
    ),
    "a model that isn't fitted": (
        lambda folder: LinearRegression(target="age", bounds={**AGES, "pay": (0, 9000)}).predict(FRAME),
        "this LinearRegression isn't fitted yet; call fit(data, privacy) first",
    ),
    "a seed below zero": (
        lambda folder: piiscan.unpack(piiscan.aggregate(FRAME, "dept", "pay"), seed=-1),
        "seed must be 0 or more",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_objects_of_other_kinds_are_refused(name: str, tmp_path: Path) -> None:
    call, told = WRONG[name]
    with pytest.raises(UsageError) as error:
        call(tmp_path)
    assert str(error.value) == told


def test_the_unit_to_declare_is_named() -> None:
    with pytest.raises(UsageError, match=r'with unit="member_id" \(max_rows=: how many'):
        piiscan.summarize(
            pl.DataFrame({"member_id": [104_000 + i // 2 for i in range(ROWS)], "age": [30] * ROWS}),
            _privacy(Path("nowhere")),
            bounds=AGES,
        )
