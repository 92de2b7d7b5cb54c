"""Plans and files name the key that they were masked with, and the way back asks for it."""

from __future__ import annotations

from pathlib import Path

import fastavro
import polars as pl
import pytest
from mask_people import cells, customers, key_file, piiscan, planned

from piiscan.core.keys import Key
from piiscan.masking.plan import plan_toml
from piiscan.masking.plan.plan_digest import digest

PEOPLE = customers(150)


def other_key(root: Path) -> str:
    (root / "other").mkdir(exist_ok=True)
    return key_file(root / "other")


def masked(root: Path, name: str = "customers.csv", **changes: str) -> tuple[Path, Path, str]:
    """A table masked with a key, its plan and the key."""
    source, key = root / name, key_file(root)
    if source.suffix == ".avro":
        with source.open("wb") as file:
            fields = [{"name": n, "type": ["null", "string"]} for n in PEOPLE.columns]
            fastavro.writer(file, {"type": "record", "name": "t", "fields": fields}, PEOPLE.to_dicts())
    else:
        getattr(PEOPLE, f"write_{source.suffix[1:]}")(source)
    plan = planned(source, root / "plan.toml", **changes)
    piiscan("mask", source, "--plan", plan, "-o", root / f"out{source.suffix}", "--key", key)
    return root / f"out{source.suffix}", plan, key


def unmask(root: Path, out: Path, plan: Path, key: str, status: int = 0) -> str:
    back = root / f"back{out.suffix}"
    said = piiscan("unmask", out, "--plan", plan, "-o", back, "--key", key, status=status)
    assert back.exists() == (status == 0)
    return said


def unnamed(plan: Path) -> Path:
    """The plan without the keys that it names."""
    lines = plan.read_text(encoding="utf-8").splitlines(keepends=True)
    assert sum(line.startswith("key_ids = ") for line in lines) == 1
    plan.write_text("".join(line for line in lines if not line.startswith("key_ids = ")), encoding="utf-8")
    return plan


def test_a_plan_made_by_other_rules_is_named(tmp_path: Path) -> None:
    """By fewer of them, or by those of another version."""
    out, plan, key = masked(tmp_path)
    source, words = tmp_path / "customers.csv", "The plan was made by other rules"
    rerun = ("mask", source, "--plan", plan, "-o", out, "--overwrite", "--key", key)
    check = ("verify", source, out, "--plan", plan, "--key", key)
    for command in rerun, check:
        assert words not in piiscan(*command)
        assert words in piiscan(*command, "--ignore", "US_SSN")
        assert words not in piiscan(*command, "--ignore", "US_SSN", "-q")
    text, own = plan.read_text(encoding="utf-8"), plan_toml.load(plan).rules_digest
    plan.write_text(text.replace(own, "0123456789abcdef"), encoding="utf-8")
    for command in rerun, check:
        assert words in piiscan(*command)


def test_a_plan_names_the_keys_it_has_masked_with(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "customers.csv")
    plan = planned(tmp_path / "customers.csv", tmp_path / "plan.toml", city='operator = "suppress"')
    before = plan.read_text(encoding="utf-8")
    masked_digest = digest(plan_toml.load(plan))
    ids = []
    for n, spec in enumerate((key_file(tmp_path), key_file(tmp_path), other_key(tmp_path))):
        out = tmp_path / f"out{n}.csv"
        piiscan("mask", tmp_path / "customers.csv", "--plan", plan, "-o", out, "--key", spec)
        ids.append(Key.load(spec).id)
    named = plan_toml.load(plan)
    assert named.key_ids == (ids[0], ids[2])
    assert digest(named) == masked_digest
    lines = plan.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line not in before.splitlines()] == [f'key_ids = ["{ids[0]}", "{ids[2]}"]']
    assert plan_toml.loads(plan_toml.dumps(named)) == named
    piiscan("plan", tmp_path / "customers.csv", "-o", plan, "--quiet")
    assert plan_toml.load(plan).key_ids == named.key_ids  # as other decisions, they stay


def test_a_plan_may_name_its_key_from_the_start(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "customers.csv")
    spec = key_file(tmp_path)
    piiscan("plan", tmp_path / "customers.csv", "-o", tmp_path / "plan.toml", "--key", spec)
    assert plan_toml.load(tmp_path / "plan.toml").key_ids == (Key.load(spec).id,)


@pytest.mark.parametrize("line", ['key_ids = "0123456789abcdef"', 'key_ids = ["a key itself"]'])
def test_what_is_no_id_is_refused(tmp_path: Path, line: str) -> None:
    PEOPLE.write_csv(tmp_path / "customers.csv")
    plan = planned(tmp_path / "customers.csv", tmp_path / "plan.toml")
    plan.write_text(plan.read_text(encoding="utf-8").replace("policy = ", f"{line}\npolicy = ", 1), encoding="utf-8")
    said = piiscan("mask", tmp_path / "customers.csv", "--plan", plan, "-o", tmp_path / "out.csv", status=2)
    assert "key_ids must be a list of public ids" in said and "a key itself" not in said


def test_unmask_with_another_key_is_refused(tmp_path: Path) -> None:
    out, plan, key = masked(tmp_path)
    other = other_key(tmp_path)
    said = unmask(tmp_path, out, plan, other, status=2)
    assert Key.load(key).id in said and Key.load(other).id in said and "--key" in said
    said = unmask(tmp_path, out, plan, key)
    assert "2 columns restored" in said and "don't show" not in said
    assert cells(tmp_path / "back.csv")["ssn"].equals(PEOPLE["ssn"])


@pytest.mark.parametrize("kind", ["parquet", "avro"])
def test_a_file_that_can_names_its_key(tmp_path: Path, kind: str) -> None:
    out, plan, key = masked(tmp_path, f"customers.{kind}")
    unnamed(plan)
    assert "was masked with the key" in unmask(tmp_path, out, plan, other_key(tmp_path), status=2)
    assert "don't show" not in unmask(tmp_path, out, plan, key)
    assert '"tables": 1' in piiscan("scan", out, "-f", "json", status=1)  # it is no text that somebody wrote


def test_without_an_id_it_says_that_it_cannot_know(tmp_path: Path) -> None:
    out, plan, key = masked(tmp_path)
    unnamed(plan)
    said = unmask(tmp_path, out, plan, key)
    assert "customers.csv: customer_id, customers.csv: ssn: restored with the given key" in said
    assert "neither the plan nor the file names one" in said


def test_a_plan_of_several_keys_does_not_tell(tmp_path: Path) -> None:
    out, plan, key = masked(tmp_path)
    again = ["mask", tmp_path / "customers.csv", "--plan", plan, "-o", tmp_path / "again.csv"]
    piiscan(*again, "--key", other_key(tmp_path))
    assert "the plan names several keys" in unmask(tmp_path, out, plan, key)


def test_a_token_proves_the_key_of_its_table(tmp_path: Path) -> None:
    out, plan, key = masked(tmp_path, email='operator = "token"\ndomain = "EMAIL_ADDRESS"')
    unnamed(plan)
    said = unmask(tmp_path, out, plan, key)
    assert "3 columns restored" in said and "the right one" not in said


def test_columns_are_counted_in_what_was_written(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    for name in ("a.csv", "b.csv"):
        PEOPLE.write_csv(shop / name)
    plan, key = planned(shop, tmp_path / "plan.toml"), key_file(tmp_path)
    piiscan("mask", shop, "--plan", plan, "-o", tmp_path / "out", "--key", key)
    assert "1 file, 2 columns restored" in unmask(tmp_path, tmp_path / "out" / "a.csv", plan, key)


def test_a_plan_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    PEOPLE.write_csv(tmp_path / "customers.csv")
    plan, spec = planned(tmp_path / "customers.csv", tmp_path / "plan.toml"), key_file(tmp_path)
    monkeypatch.setattr("piiscan.core.whole_file.write_whole", full)
    said = piiscan("mask", tmp_path / "customers.csv", "--plan", plan, "-o", tmp_path / "out.csv", "--key", spec)
    assert f"doesn't name the key {Key.load(spec).id} that was used: can't be written: No space left" in said
    assert plan_toml.load(plan).key_ids == ()


def test_hand_written_lists_keep_their_look() -> None:
    text = 'version = 1\npolicy = "p"\nkey_ids = [  # ours\n  "0123456789abcdef",\n]\n\n[[tables]]\n# x\n'
    made = plan_toml.with_key(text, "fedcba9876543210")
    assert "# ours" in made and made.endswith("[[tables]]\n# x\n")
    assert '"0123456789abcdef"' in made and '"fedcba9876543210"' in made


def test_parquet_of_kept_columns_names_no_key(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    out, _, _ = masked(tmp_path, "customers.parquet")
    assert b"piiscan.key" in pq.read_metadata(out).metadata
    pl.DataFrame({"n": [1, 2, 3]}).write_parquet(tmp_path / "n.parquet")
    piiscan("mask", tmp_path / "n.parquet", "-o", tmp_path / "m.parquet")
    assert b"piiscan.key" not in (pq.read_metadata(tmp_path / "m.parquet").metadata or {})
