"""The recipes in docs/recipes.md are run, each as a script in a folder of its own, and what they make is looked at."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
import yaml
from conftest import ROOT, run_piiscan

import piiscan
from piiscan.core.keys import new

TEXT = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
STAND_INS = ROOT / "tests" / "recipe_stand_ins"

# What holds after a recipe, as code that follows it. `plain` is the table, `expected` what `piiscan.mask` makes of it.
AFTER = {
    "pandas": """
assert masked.index.equals(people.index) and list(masked) == list(people)
same(pl.DataFrame(masked))
""",
    "polars, lazily": """
assert isinstance(masked, pl.LazyFrame)
same(pl.read_parquet("masked.parquet"), plain.filter(pl.col("state") != "TX"))
""",
    "DuckDB": """
before = connection.sql("SELECT * FROM 'people.csv'").pl()
same(connection.table("people_masked").pl(), before)
assert connection.table("people").pl().equals(before)
""",
    "An Arrow data set": """
same(pl.read_parquet("masked/*.parquet"))
""",
    "SQLAlchemy": """
import sqlite3
with sqlite3.connect("people.sqlite") as check:
    same(pl.read_database("SELECT * FROM people_masked", check))
""",
    "multiprocessing": """
if __name__ == "__main__":
    whole = piiscan.scan(pl.read_csv("people.csv", infer_schema=False))
    assert report.to_json() == whole.to_json()
""",
    "joblib": """
same(masked)
""",
    "Airflow": """
from airflow import sdk
assert sdk.DAGS == ["people"]
same(pl.read_csv("people-masked.csv"))
people()
""",
    "Dagster": """
same(pl.DataFrame(people_masked(people())))
assert holds_what_is_expected(people()).passed
surprise = people().assign(contact=people()["email"].str.replace("example.com", "firm.com", regex=False))
found = holds_what_is_expected(surprise)
assert not found.passed and found.metadata["findings"] == "1 finding outside the contract: contact (EMAIL_ADDRESS)"
""",
    "dbt": """
import duckdb
class Dbt:
    def config(self, **settings): self.settings = settings
    def ref(self, name): return duckdb.sql(f"SELECT * FROM '{name}.csv'")
made = model(Dbt(), None)
same(pl.DataFrame(made), duckdb.sql("SELECT * FROM 'people.csv'").pl())
assert duckdb.sql("SELECT count(*) FROM made").fetchall() == [(150,)]
""",
    "pandera": """
assert people.equals(plain)
surprise = plain.with_columns(contact=pl.col("email").str.replace("example.com", "firm.com", literal=True))
try:
    schema.validate(surprise)
except Exception as error:
    assert "outside the contract: contact" in str(error) or isinstance(error, pa.errors.SchemaError), error
    assert plain["email"][0] not in str(error)
else:
    raise AssertionError("a surprise has passed")
""",
    "Great Expectations": """
class Batch:
    def __init__(self, frame): self.frame = frame
    def validate(self, suite): return suite, len(self.frame)
class Definition:
    def get_batch(self, batch_parameters): return Batch(batch_parameters["dataframe"])
assert validated(plain, Definition(), "suite") == ("suite", 150)
surprise = plain.with_columns(contact=pl.col("email").str.replace("example.com", "firm.com", literal=True))
try:
    validated(surprise, Definition(), "suite")
except piiscan.FindingsError as error:
    assert str(error) == "1 finding outside the contract: contact (EMAIL_ADDRESS)"
else:
    raise AssertionError("a surprise has passed")
""",
}
CHECKED = """
import piiscan
import polars as pl

plain = pl.read_csv("people.csv")


def same(masked, before=plain):
    expected = piiscan.mask(before, "plan.toml", key="env:PIISCAN_KEY")
    texts = pl.all().cast(pl.String)
    assert masked.columns == expected.columns and masked.select(texts).equals(expected.select(texts))
    assert not (masked["email"] == before["email"]).any()


"""


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the page says; its table in a database, too."""
    import sqlite3

    shutil.copy(ROOT / "examples" / "people.csv", tmp_path)
    done = run_piiscan("plan", tmp_path / "people.csv", "-o", tmp_path / "plan.toml", "-q")
    assert done.returncode == 0, done.stderr
    (contract,) = blocks(TEXT, "toml")
    (tmp_path / "contract.toml").write_text(contract, encoding="utf-8")
    people = pl.read_csv(tmp_path / "people.csv")
    with sqlite3.connect(tmp_path / "people.sqlite") as database:
        marks = ", ".join("?" for _ in people.columns)
        database.execute(f"CREATE TABLE people ({', '.join(f'{c} TEXT' for c in people.columns)})")
        database.executemany(f"INSERT INTO people VALUES ({marks})", people.rows())
    return tmp_path


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    (folder / "recipe.py").write_text(code, encoding="utf-8")
    paths = os.pathsep.join(map(str, (STAND_INS, ROOT)))
    env = {**os.environ, "PIISCAN_KEY": new(), "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, "recipe.py"], cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )


def test_every_recipe_is_run() -> None:
    assert {title for title, section in SECTIONS.items() if blocks(section, "py")} == set(AFTER)
    assert {title for title, section in SECTIONS.items() if blocks(section, "yaml")} == {
        "A GitHub Action",
        "pre-commit",
    }
    assert all(len(blocks(SECTIONS[title], "py")) == 1 for title in AFTER)
    assert not blocks(TEXT, "python")  # which would be run without the files


@pytest.mark.slow
@pytest.mark.parametrize("title", AFTER)
def test_a_recipe_runs(title: str, folder: Path) -> None:
    (recipe,) = blocks(SECTIONS[title], "py")
    code = f"{recipe}\n{CHECKED}{AFTER[title]}"
    done = run(folder, code)
    assert done.returncode == 0, done.stderr[-2000:]


LEFT_OUT = """
import gzip
from pathlib import Path
before = Path("people-masked.csv").read_bytes()
rows = Path("people.csv").read_bytes()
Path("cut.csv.gz").write_bytes(gzip.compress(rows)[:-200])
Path("both").mkdir()
Path("both/people.csv").write_bytes(rows)
Path("both/people-2.csv.gz").write_bytes(Path("cut.csv.gz").read_bytes())
for path, output, error, said in (
    ("cut.csv.gz", "people-masked.csv", piiscan.ReadError, "nothing was written"),
    ("both", "both-masked", RuntimeError, "1 left out, the first people-2.csv.gz"),
):
    try:
        masked(path, output)
    except error as failure:
        assert said in str(failure), failure
    else:
        raise AssertionError("a task has passed that left something out")
assert Path("people-masked.csv").read_bytes() == before
"""


def test_a_task_fails_where_something_was_left_out(folder: Path) -> None:
    (recipe,) = blocks(SECTIONS["Airflow"], "py")
    done = run(folder, f"{recipe}\nimport piiscan\n{LEFT_OUT}")
    assert done.returncode == 0, done.stderr[-2000:]


def test_without_a_key_nothing_is_masked(folder: Path) -> None:
    (recipe,) = blocks(SECTIONS["pandas"], "py")
    done = run(folder, f"import os\ndel os.environ['PIISCAN_KEY']\n{recipe}")
    assert done.returncode != 0 and "the environment variable PIISCAN_KEY isn't set" in done.stderr
    assert str(pl.read_csv(folder / "people.csv")["ssn"][0]) not in done.stderr


@pytest.mark.parametrize("title", AFTER)
def test_recipes_take_public_names_only(title: str) -> None:
    (recipe,) = blocks(SECTIONS[title], "py")
    tree = ast.parse(recipe)
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "piiscan"
    }
    assert used and used <= set(piiscan.__all__)
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("piiscan")]


def test_the_commands_at_the_top_run(folder: Path) -> None:
    (folder / "plan.toml").unlink()
    (commands,) = blocks(TEXT, "sh")
    for line in commands.splitlines():
        words = shlex.split(line, comments=True)
        if words[0] == "piiscan":
            assert run_piiscan(*words[1:], cwd=folder).returncode == 0, line
    assert piiscan.Plan.load(folder / "plan.toml").keyed() and piiscan.Key.from_file(folder / "key")


def test_the_action_fails_on_what_is_new_alone(folder: Path) -> None:
    (text,) = blocks(SECTIONS["A GitHub Action"], "yaml")
    steps = yaml.safe_load(text)["jobs"]["scan"]["steps"]
    (command,) = (shlex.split(step["run"]) for step in steps if step.get("run", "").startswith("piiscan "))
    (folder / "people.sqlite").unlink()
    assert run_piiscan("baseline", "create", ".", cwd=folder).returncode == 0
    assert run_piiscan(*command[1:], cwd=folder).returncode == 0
    assert (folder / "piiscan.sarif").stat().st_size
    (folder / "new.csv").write_text("mail\nann@corp.org\nbob@corp.org\n")
    done = run_piiscan(*command[1:], cwd=folder)
    assert done.returncode == 1 and "::error" in done.stdout
    (upload,) = (step for step in steps if "upload-sarif" in step.get("uses", ""))
    assert upload["if"] == "always()" and f"sarif={upload['with']['sarif_file']}" in command


def test_the_hook_is_this_repository_s_and_takes_its_arguments(folder: Path) -> None:
    (text,) = blocks(SECTIONS["pre-commit"], "yaml")
    (hook,) = yaml.safe_load(text)["repos"][0]["hooks"]
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["id"] == ours["id"] and hook["args"][-1] == "--"
    command = [*shlex.split(ours["entry"])[1:], *hook["args"], "people.csv"]
    assert run_piiscan("baseline", "create", "people.csv", cwd=folder).returncode == 0
    assert run_piiscan(*command, cwd=folder).returncode == 0
    (folder / "new.csv").write_text("mail\nann@corp.org\nbob@corp.org\n")
    assert run_piiscan(*command, "new.csv", cwd=folder).returncode == 1
