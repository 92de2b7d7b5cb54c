"""The building blocks of readers and writers for further formats.

They are for packages that provide formats as plug-ins (entry points of the groups `piiscan.readers` and
`piiscan.writers`).
"""

from __future__ import annotations

from piiscan.core.errors import ReadError, WriteError
from piiscan.core.types import Batch, Field, NotScanned, TableInfo
from piiscan.io.content import Account, Content, ReadTable
from piiscan.io.read_options import Limits, ReadOptions
from piiscan.io.reader_registry import Probe, Reader
from piiscan.io.write.change import Change, Column, changed_frames
from piiscan.io.write.writer_registry import Writer

__all__ = [
    "Account",
    "Batch",
    "Change",
    "Column",
    "Content",
    "Field",
    "Limits",
    "NotScanned",
    "Probe",
    "ReadError",
    "ReadOptions",
    "ReadTable",
    "Reader",
    "TableInfo",
    "WriteError",
    "Writer",
    "changed_frames",
]
