"""Avro object container files, streamed by fastavro."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from piiscan.core.errors import ReadError
from piiscan.io import asides
from piiscan.io.cells.long_values import LongValue
from piiscan.io.columnar import metadata
from piiscan.io.content import Content, ReadTable, describe
from piiscan.io.nested import avro_blocks
from piiscan.io.nested.records import VALUE, Record, record_table
from piiscan.io.read_options import ReadOptions


def tables(content: Content, options: ReadOptions) -> Iterator[ReadTable]:
    """The table of an Avro file, and what its header says beside the structure of the records. Raises `ReadError`."""
    import fastavro

    found = _table(content, options)
    with content.open() as stream:
        properties = fastavro.reader(stream).metadata
    details = (*found.info.details, *metadata.masked_with(properties.items()))
    yield found._replace(info=found.info._replace(details=details))
    if not options.asides:
        return
    if said := metadata.table(
        content, "avro", [(key, value) for key, value in properties.items() if not key.startswith("avro.")]
    ):
        yield said
    if texts := metadata.described(properties.get("avro.schema", "")):
        yield asides.texts(content, "schema", texts, copied=True)


def _table(content: Content, options: ReadOptions) -> ReadTable:
    """The table of an Avro file.

    Raises `ReadError` where it is malformed, or packed with a codec that isn't installed.
    """
    import fastavro

    large = avro_blocks.large(content)

    def read() -> Iterator[Record]:
        block: Any  # its bytes aren't in the stubs
        with content.open() as stream:
            try:
                for block in fastavro.block_reader(avro_blocks.without(stream, large) if large else stream):
                    for value in block:
                        yield value if isinstance(value, dict) else {VALUE: value}
                    if block.bytes_.read(1):  # a schema that says less than the records hold
                        raise ReadError("malformed Avro: a block holds more than its records; write it again")
            except ReadError:
                raise
            except ValueError as error:
                if "codec" in str(error):
                    raise ReadError("an Avro codec that isn't installed; write it with deflate") from None
                raise ReadError("malformed Avro; write it again") from None
            except Exception:
                raise ReadError("truncated or malformed Avro; write it again") from None
        content.read_whole()
        if large:
            raise LongValue(avro_blocks.left_out(large))

    found = record_table(content.source, None, "avro", read, options, describe(content))
    return found._replace(origin=(content, found.origin))
