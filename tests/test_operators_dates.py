"""Dates made coarser and dates moved, typed and written."""

from __future__ import annotations

import datetime as dt
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from operator_cases import KEY, OTHER, apply, counts_of, law, ready

from piiscan.core.errors import UsageError
from piiscan.masking.operators import date_text
from piiscan.masking.operators.date_generalise import DateGeneralise
from piiscan.masking.operators.date_shift import DateShift
from piiscan.masking.operators.operator import RowContext

WARSAW = ZoneInfo("Europe/Warsaw")
LEVELS = ("day", "week", "month", "quarter", "year", "decade")
days = st.dates(dt.date(1000, 1, 1), dt.date(9998, 12, 31))


@pytest.mark.parametrize(
    ("cells", "short", "first"),
    [
        (["2024-05-17", "x", None], ["2024-05-17", "2024-05-13", "2024-05", "2024-Q2", "2024", "2020s"], "2024-05-01"),
        (["2023-12-31T10:00:00Z"], ["2023-12-31", "2023-12-25", "2023-12", "2023-Q4", "2023", "2020s"], "2023-12-01"),
        (["17.05.2024 9:30"], ["17.05.2024", "13.05.2024", "05.2024", "2024-Q2", "2024", "2020s"], "01.05.2024"),
        (["7.5.2024"], ["7.5.2024", "6.5.2024", "5.2024", "2024-Q2", "2024", "2020s"], "1.5.2024"),
        (["05/17/2024 3:04 PM"], ["05/17/2024", "05/13/2024", "05/2024", "2024-Q2", "2024", "2020s"], "05/01/2024"),
        (["17-MAY-1999"], ["17-MAY-1999", "17-MAY-1999", "MAY-1999", "1999-Q2", "1999", "1990s"], "01-MAY-1999"),
        (["May 7, 2020"], ["May 7, 2020", "May 4, 2020", "May 2020", "2020-Q2", "2020", "2020s"], "May 1, 2020"),
        (
            ["7 December 2020"],
            ["7 December 2020", "7 December 2020", "December 2020", "2020-Q4", "2020", "2020s"],
            "1 December 2020",
        ),
        (["20200517"], ["20200517", "20200511", "202005", "2020-Q2", "2020", "2020s"], "20200501"),
        (["12/31/45"], ["12/31/45", "12/25/45", "12/45", "45-Q4", "45", "40s"], "12/01/45"),
    ],
)
def test_written_dates_get_coarser(cells: list[str | None], short: list[str], first: str) -> None:
    column = pl.Series(cells)
    for level, expected in zip(LEVELS, short, strict=True):
        operator = ready(DateGeneralise(level), column)  # type: ignore[arg-type]
        masked = apply(operator, column)
        assert masked.to_list() == [expected, *[None] * (len(cells) - 1)]
        assert operator.declares(masked.drop_nulls(), None).all()
    assert apply(DateGeneralise("month", style="first"), column)[0] == first


@pytest.mark.parametrize(
    ("cell", "level", "expected"),
    [
        (dt.date(2024, 5, 17), "quarter", dt.date(2024, 4, 1)),
        (dt.date(1999, 12, 31), "decade", dt.date(1990, 1, 1)),
        (dt.date(1, 1, 1), "decade", None),
        (dt.datetime(2024, 5, 17, 23, 59, 59), "day", dt.datetime(2024, 5, 17)),
        (dt.datetime(2024, 5, 17, 23, 59), "week", dt.datetime(2024, 5, 13)),
        (dt.datetime(2024, 3, 31, 12, tzinfo=WARSAW), "day", dt.datetime(2024, 3, 31, tzinfo=WARSAW)),
        (dt.datetime(2024, 3, 31, 12, tzinfo=WARSAW), "month", dt.datetime(2024, 3, 1, tzinfo=WARSAW)),
    ],
)
def test_typed_dates_keep_their_type(cell: dt.date, level: Any, expected: dt.date | None) -> None:
    column = pl.Series([cell], dtype=pl.Datetime("us", "Europe/Warsaw") if getattr(cell, "tzinfo", None) else None)
    masked = apply(DateGeneralise(level), column)
    assert masked.dtype == column.dtype
    if expected is not None:
        assert masked.to_list() == [expected]


def test_the_earliest_year_is_a_bottom() -> None:
    assert apply(
        DateGeneralise("year", earliest=1935), pl.Series(["1901-02-03", "1935-06-01", "1936-01-01"])
    ).to_list() == [
        "1935",
        "1935",
        "1936",
    ]
    with pytest.raises(UsageError, match="two digits"):
        apply(DateGeneralise("year", earliest=1935), pl.Series(["12/31/45"]))


@law
@given(
    st.lists(days, min_size=1, max_size=6),
    st.sampled_from(LEVELS),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%b %d, %Y"]),
)
def test_a_period_has_one_mask(dates: list[dt.date], level: Any, form: str) -> None:
    def period(d: dt.date) -> tuple[int, ...]:
        return {
            "day": (d.toordinal(),),
            "week": d.isocalendar()[:2],
            "month": (d.year, d.month),
            "quarter": (d.year, (d.month - 1) // 3),
            "year": (d.year,),
            "decade": (d.year // 10,),
        }[level]

    written = pl.Series([d.strftime(form) for d in dates])
    for style in ("short", "first"):
        masks = apply(DateGeneralise(level, style, form), written)  # type: ignore[arg-type]
        assert len({*zip(map(period, dates), masks, strict=True)}) == len(set(map(period, dates))) == masks.n_unique()
    typed = apply(DateGeneralise(level), pl.Series(dates))
    assert typed.n_unique() == len(set(map(period, dates)))
    assert all(t <= d for t, d in zip(typed, dates, strict=True))


@pytest.mark.parametrize("form", date_text.FORMATS)
def test_every_form_is_recognised_and_written_again(form: str) -> None:
    dates = [dt.date(2024, 5, 7), dt.date(1999, 12, 31), dt.date(2001, 9, 13), dt.date(2010, 1, 2)]
    written = date_text.write(pl.Series(dates), form)
    found = date_text.recognise("test", counts_of(written), order_matters=True)
    assert date_text.read(written, found)["date"].to_list() == dates
    assert date_text.write(pl.Series(dates), found).to_list() == written.to_list()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (["01/02/2020", "03/04/2021"], "can be read as %d/%m/%Y and as %m/%d/%Y"),
        (["31/12/2020"] * 5 + ["12/31/2020"] * 4 + ["01/02/2020"], "can be read as"),
        (["secret", "2020-01-01", "secret"], "fewer than half"),
        (["31.02.2020"], "fewer than half"),
    ],
)
def test_what_can_t_be_reported_is_asked_for(cells: list[str], message: str) -> None:
    for operator in (DateGeneralise("month"), DateShift(5)):
        with pytest.raises(UsageError, match=f"{message}.*'format'") as caught:
            apply(operator, pl.Series(cells))
        assert "secret" not in str(caught.value)
        assert "2020" not in str(caught.value)


def test_where_the_order_does_not_matter_it_is_not_asked_for() -> None:
    assert apply(DateGeneralise("year"), pl.Series(["01/02/2020", "03/04/2021"])).to_list() == ["2020", "2021"]
    assert apply(DateGeneralise("month"), pl.Series(["01/01/2020", "03/03/2021"])).to_list() == ["01/2020", "03/2021"]
    assert apply(DateGeneralise("month", format="%m/%d/%Y"), pl.Series(["01/02/2020"])).to_list() == ["01/2020"]
    assert apply(DateGeneralise("month"), pl.Series(["31/12/2020"] * 300 + ["13/31/2020", "01/31/2020"]))[-1] is None


def test_without_the_column_a_form_is_needed() -> None:
    for operator in (DateGeneralise("month").mask, lambda s, k: DateShift(5).mask_rows(s, RowContext(subjects=s), k)):
        with pytest.raises(UsageError, match="needs 'format', or to see the whole column"):
            operator(pl.Series(["2020-01-01"]), KEY)


def shifted(cells: pl.Series, subjects: list[str], key: Any = KEY, days: int = 30, **more: Any) -> pl.Series:
    rows = RowContext(subjects=pl.Series(subjects), groups=pl.Series(subjects), first=0)
    return apply(DateShift(days, **more), cells, rows, key)


@law
@given(st.lists(st.tuples(days, st.sampled_from("abcdefgh")), min_size=1, max_size=12), st.integers(1, 400))
def test_a_subject_s_dates_move_together(rows: list[tuple[dt.date, str]], most: int) -> None:
    dates, subjects = [d for d, _ in rows], [s for _, s in rows]
    masked = shifted(pl.Series(dates), subjects, days=most).to_list()
    offsets: dict[str, set[int]] = {}
    for date, subject, mask in zip(dates, subjects, masked, strict=True):
        offsets.setdefault(subject, set()).add((mask - date).days)
    assert all(len(found) == 1 for found in offsets.values())
    assert all(1 <= abs(offset) <= most for found in offsets.values() for offset in found)
    written = shifted(pl.Series([d.isoformat() for d in dates]), subjects, days=most, format="%Y-%m-%d")
    assert written.to_list() == [m.isoformat() if m.year <= 9999 else None for m in masked]


def test_offsets_use_the_whole_range_evenly_and_never_0() -> None:
    subjects = [f"s{i}" for i in range(20_000)]
    moved = shifted(pl.Series([dt.date(2000, 1, 1)] * len(subjects)), subjects, days=5)
    found = (moved - dt.date(2000, 1, 1)).dt.total_days().value_counts().sort("").rows()
    assert [offset for offset, _ in found] == [-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]
    assert sum((n - 2000) ** 2 / 2000 for _, n in found) < 33.7  # chi-squared with 9 degrees of freedom, p = .0001


def test_another_key_moves_otherwise() -> None:
    subjects = [f"s{i}" for i in range(50)]
    dates = pl.Series([dt.date(2000, 1, 1)] * 50)
    assert shifted(dates, subjects).to_list() != shifted(dates, subjects, OTHER).to_list()


def test_time_of_day_zone_and_writing_stay() -> None:
    cells = pl.Series(["17.05.2024 9:30", "1.2.2023", "x", None, "31.12.9999"])
    masked = shifted(cells, ["a"] * 5).to_list()
    assert masked[0] and masked[0].endswith(" 9:30")
    assert masked[2:4] == [None, None]
    moment = dt.datetime(2023, 12, 1, 9, 30, 15, 123456, tzinfo=WARSAW)
    moved = shifted(pl.Series([moment], dtype=pl.Datetime("us", "Europe/Warsaw")), ["a"]).item()
    assert moved.time() == moment.time()
    assert moved.tzinfo == WARSAW


def test_what_the_type_can_t_hold_becomes_null() -> None:
    assert apply(DateGeneralise("decade"), pl.Series([dt.datetime(1679, 1, 1)], dtype=pl.Datetime("ns"))).to_list() == [
        None
    ]
    edge = pl.Series([-(2**63) + 1, 2**63 - 1, 0]).cast(pl.Datetime("ns"))
    moved = shifted(edge, ["a", "a", "a"])
    assert moved.null_count() == 1
    assert moved[2] is not None
