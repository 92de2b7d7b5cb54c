"""`piiscan plan --explain` and `piiscan plan diff`: what people read of a plan, without a value in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run, run_process
from plan_cases import bare, human, made, people, write

from piiscan.masking.plan import plan_diff, plan_toml
from piiscan.masking.plan.plan_types import Plan

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wide") / "people.csv", people())


@pytest.fixture(scope="module")
def plan(wide: Path) -> Plan:
    return made(wide)


def _rows(text: str) -> list[list[str]]:
    """The table's rows, cell by cell."""
    lines = text.split("\n\n")[1].splitlines()
    assert lines[0].split() == ["table", "column", "entity", "class", "operator", "why"]
    starts = [lines[0].index(name) for name in lines[0].split()]
    return [[line[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)] for line in lines[1:]]


class TestExplain:
    def test_every_column_stands_in_it_kept_ones_first(self, piiscan: Run, wide: Path, plan: Plan) -> None:
        done = piiscan("plan", wide, "--explain")
        assert done.returncode == 0, done.stderr
        rows = _rows(done.stdout)
        assert sorted(r[1] for r in rows) == sorted(a.name or "" for a in plan.tables[0].columns)
        operators = [r[4] for r in rows]
        kept = operators.count("keep")
        assert operators == ["keep"] * kept + sorted(operators[kept:])
        ranks = [("direct", "sensitive", "quasi", "none").index(r[3]) for r in rows[:kept]]
        assert ranks == sorted(ranks)
        assert all("% sure" in r[5] for r in rows)

    def test_no_cell_stands_in_it(self, piiscan: Run, wide: Path) -> None:
        said = piiscan("plan", wide, "--explain").stdout
        long_enough = {cell for row in people() for cell in row.values() if len(cell) > 3}
        assert [cell for cell in long_enough if cell in said] == []

    def test_a_plan_that_is_there_reads_the_same(self, piiscan: Run, wide: Path, tmp_path: Path) -> None:
        file = tmp_path / "plan.toml"
        made_now = piiscan("plan", wide, "--explain", "-o", file)
        assert file.exists() and "Wrote" in made_now.stderr
        again = piiscan("plan", "--explain", file)
        assert again.returncode == 0
        for a, b in zip(_rows(made_now.stdout), _rows(again.stdout), strict=True):
            assert a[:5] == b[:5] and set(a[5].split(" | ")) == set(b[5].split(" | "))

    def test_of_version_1_too_and_says_what_a_person_decided(self, piiscan: Run, tmp_path: Path) -> None:
        text = (GOLDEN / "plan-default-1.toml").read_text(encoding="utf-8")
        changed = text.replace('decided_by = "policy"', 'decided_by = "human"', 1).replace(
            "[[tables.columns]]\n", "[[tables.columns]]\n# by hand\n# twice\n", 1
        )
        (tmp_path / "plan.toml").write_text(changed, encoding="utf-8")
        rows = _rows(piiscan("plan", "--explain", tmp_path / "plan.toml").stdout)
        assert [r[5] for r in rows if r[1] == "patient_id"] == ["decided by a person | by hand | twice"]

    def test_no_parameter_stands_in_it(self, piiscan: Run, plan: Plan, tmp_path: Path) -> None:
        changed = human(plan, "city", operator="hierarchy", params={"groups": {"north": ["Boston"]}})
        (tmp_path / "plan.toml").write_text(plan_toml.dumps(changed), encoding="utf-8")
        said = piiscan("plan", "--explain", tmp_path / "plan.toml").stdout
        assert "hierarchy" in said and "Boston" not in said and "north" not in said

    @pytest.mark.parametrize("arguments", [("-o", "x.toml"), ()])
    def test_wrong_usage(self, piiscan: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
        file = tmp_path / "plan.toml"
        file.write_text('version = 2\npolicy = "x"\n' + ("" if arguments else "nonsense = 1\n"))
        done = piiscan("plan", "--explain", file, *arguments)
        assert done.returncode == 2 and done.stderr.startswith("error: ")

    @pytest.mark.parametrize("content", ["", "a\n", "1,2\n", "a,b\n1,2\n"])
    def test_next_to_nothing(self, piiscan: Run, tmp_path: Path, content: str) -> None:
        (tmp_path / "x.csv").write_text(content)
        done = piiscan("plan", tmp_path / "x.csv", "--explain")
        assert done.returncode == 0 and " by the policy default" in done.stdout


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="the system has no such file")
def test_a_pipe_is_no_plan_that_was_made_before(wide: Path) -> None:
    # Reading it would wait for ever: this process reads its other end.
    done = run_process("plan", wide, "-o", "/dev/stdout")
    assert done.returncode == 0 and plan_toml.loads(done.stdout).tables


class TestDiff:
    @pytest.mark.parametrize(
        ("column", "changes", "said"),
        [
            ("ssn", {"operator": "hash"}, "people.csv: column ssn: fpe → hash (decided by a person)"),
            ("ssn", {}, "people.csv: column ssn: decided by a person now"),
            ("ssn", {"domain": "ours"}, "people.csv: column ssn: key domain: US_SSN → ours"),
            ("ssn", {"rename": "n"}, "people.csv: column ssn: name in the output: none → n"),
            ("ssn", {"entity": None}, "people.csv: column ssn: entity: US_SSN → none"),
            ("ssn", {"accept_frequency": True}, "people.csv: column ssn: accept_frequency: false → true"),
            ("ssn", {"params": {"keep_last": 4}}, "people.csv: column ssn: keep_last: none → 4"),
            ("email", {"subject": None}, "people.csv: column email: subject: person → none"),
            (
                "city",
                {"operator": "redact", "params": {"text": "secret place"}},
                "people.csv: column city: text: given",
            ),
        ],
    )
    def test_what_a_column_has_changed(self, plan: Plan, column: str, changes: dict[str, object], said: str) -> None:
        lines = plan_diff.differences(plan, human(plan, column, **changes))
        assert said in lines
        assert "secret" not in "".join(lines)

    def test_what_else_has_changed(self, plan: Plan) -> None:
        (table,) = plan.tables
        other = replace(
            plan,
            policy="ours",
            rules_digest="other",
            key_ids=("0123456789abcdef",),
            vault="v",
            spans=(replace(plan.spans[0], operator="keep", params={}), *plan.spans[2:]),
            lists={},
            tables=(
                replace(
                    table,
                    columns=tuple(replace(a, index=i) for i, a in enumerate(table.columns[::-1][1:])),
                    subjects=(replace(table.subjects[0], locale="de_DE", keys=((2,),)),),
                    drop_rows=({"missing": ["ssn"]},),
                ),
                replace(table, source="new.csv"),
            ),
        )
        lines = plan_diff.differences(plan, other)
        first, second = plan.spans[:2]
        for said in (
            "policy: default → ours",
            "rules: they were made with different rules",
            "key 0123456789abcdef: new",
            "vault: none → v",
            "name lists of en_US: gone",
            f"inside texts: {first.entity}: {first.operator} → keep",
            f"inside texts: {second.entity}: gone ({second.operator})",
            "people.csv: column weight_kg: gone (keep)",
            "people.csv: the columns stand in another order",
            "people.csv: subject person: locale: en_US → de_DE",
            "people.csv: the conditions of drop_rows changed (0 before, 1 now)",
            f"table new.csv: new ({len(table.columns)} columns)",
        ):
            assert any(line.startswith(said) for line in lines), said

    def test_a_plan_is_the_same_as_itself_in_either_form(self, piiscan: Run, plan: Plan, tmp_path: Path) -> None:
        assert plan_diff.differences(plan, bare(plan)) == []
        old = GOLDEN / "plan-gdpr-1.toml"
        (tmp_path / "new.toml").write_text(plan_toml.dumps(plan_toml.load(old)), encoding="utf-8")
        done = piiscan("plan", "diff", old, tmp_path / "new.toml")
        assert (done.returncode, done.stdout) == (0, "Both plans do the same.\n")

    def test_a_difference_has_a_status_of_its_own(self, piiscan: Run) -> None:
        done = piiscan("plan", "diff", GOLDEN / "plan-default.toml", GOLDEN / "plan-gdpr.toml")
        assert done.returncode == 1
        assert done.stdout.splitlines()[0] == "policy: default → gdpr"
        assert "<frame>: column birth_date: keep → date-generalise" in done.stdout

    def test_what_is_no_plan_is_refused(self, piiscan: Run, tmp_path: Path) -> None:
        (tmp_path / "x.toml").write_text("a = 1\n")
        for files in (
            (tmp_path / "x.toml", tmp_path / "x.toml"),
            (tmp_path / "x.toml",),
            (tmp_path / "gone", tmp_path),
        ):
            assert piiscan("plan", "diff", *files).returncode == 2

    def test_a_folder_called_diff_can_be_planned(self, piiscan: Run, tmp_path: Path) -> None:
        (tmp_path / "diff").mkdir()
        write(tmp_path / "diff" / "people.csv", people(30))
        done = piiscan("plan", "./diff", cwd=tmp_path)
        assert done.returncode == 0 and 'source = "people.csv"' in done.stdout
        refused = piiscan("plan", "diff", cwd=tmp_path)
        assert refused.returncode == 2 and "write ./diff" in refused.stderr
