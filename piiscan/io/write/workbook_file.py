"""Saves a workbook so that the same cells give the same bytes, with temporary files beside the target.

No time is stored in it.
"""

from __future__ import annotations

import datetime
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

_LARGE = 1 << 30
_EARLIEST = datetime.datetime(1980, 1, 1)


def write_beside(sheet: Any, target: Path, number: int) -> None:
    """Have an empty write-only sheet (openpyxl's) keep its rows beside the file `target` until that is saved.

    In the system's folder for temporary files nobody would find what a killed run leaves.
    """
    from openpyxl.worksheet import _writer

    path = target.with_name(f"{target.name}~{number}")
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    _writer.ALL_TEMP_FILES.append(str(path))
    sheet._writer = _writer.WorksheetWriter(sheet, out=str(path))
    sheet._writer.write_top()


def save(book: Any, path: Path) -> None:
    """Save an openpyxl workbook. Raises what openpyxl and `zipfile` raise, and `OSError`."""
    from openpyxl.writer.excel import ExcelWriter

    book.properties.created = book.properties.modified = _EARLIEST
    with _Timeless(path, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as archive:
        ExcelWriter(book, archive).save()


class _Timeless(zipfile.ZipFile):
    """Members have the earliest time that the format knows, rather than now."""

    def writestr(self, zinfo_or_arcname: Any, data: Any, *args: Any, **options: Any) -> None:
        super().writestr(_member(str(zinfo_or_arcname)), data, *args, **options)

    def write(self, filename: Any, arcname: Any = None, *args: Any, **options: Any) -> None:
        large = Path(filename).stat().st_size > _LARGE
        with (
            open(filename, "rb") as source,
            self.open(_member(str(arcname)), "w", force_zip64=large) as member,
        ):
            shutil.copyfileobj(source, member, 1 << 20)


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16
    return info
