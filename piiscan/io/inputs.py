"""Opens inputs: paths, streams and frames; returns tables, and what could not or need not be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from piiscan.core.checkpoints import Elsewhere, Known
from piiscan.core.errors import PiiscanError, UsageError
from piiscan.core.types import Found, InName, NotScanned, Table
from piiscan.io.read_options import ReadOptions

if TYPE_CHECKING:
    from piiscan.io.content import ReadTable
    from piiscan.io.walk import Ahead


def discover(
    paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None = None, ahead: Ahead | None = None
) -> Iterator[Found]:
    """The tables of files, folders (in sorted order) and, for "-", of `stdin`; lazily, one input at a time."""
    return (found for found in watched(paths, options, stdin, ahead) if not isinstance(found, Known | Elsewhere))


def watched(
    paths: Sequence[str], options: ReadOptions, stdin: IO[bytes] | None, ahead: Ahead | None = None
) -> Iterator[Found | Known | Elsewhere]:
    """Like `discover`, but with what is known already of inputs that aren't read.

    For those, what `options.checkpoints` know of it, or the result where it was read `ahead`.
    """
    from piiscan.io.walk import inputs

    return inputs(paths, options, stdin, ahead)


def from_frame(obj: Any, options: ReadOptions | None = None, texts: bool = True) -> Table:
    """The table of a data frame (pandas, polars, pyarrow, anything narwhals knows) or of an iterable of frames.

    `texts`: what columns of JSON texts hold gets columns of its own, by the first rows. Raises `UsageError`.
    """
    from piiscan.io.frames import frame_table

    try:
        return frame_table(obj, options or ReadOptions(), texts)
    except PiiscanError:
        raise
    except Exception as error:  # libraries quote values in their messages
        raise UsageError(
            f"can't read a {type(obj).__name__} as a table ({type(error).__name__}); pass a data frame"
        ) from None


def from_frames(frames: Mapping[str, Any], options: ReadOptions | None = None, texts: bool = True) -> list[ReadTable]:
    """The tables of several data frames, by what they are called as `printed`.

    Raises `UsageError`, also for none and for names that aren't text.
    """
    from piiscan.io.content import ReadTable

    out = []
    for name, frame in printed(frames).items():
        table = from_frame(frame, options, texts)
        assert isinstance(table, ReadTable)
        out.append(table._replace(info=table.info._replace(source=name)))
    return out


def printed(frames: Mapping[str, Any]) -> dict[str, Any]:
    """The same frames, those whose names identify somebody as `frame_0` and so on, by their places.

    Raises `UsageError` for no frames, for names that aren't text, and where one has such a name itself.
    """
    from piiscan.io.printed_names import evident

    if not frames:
        raise UsageError("an empty dict of frames: nothing to read")
    if not all(isinstance(name, str) and name for name in frames):
        raise UsageError('names of frames must be texts, such as {"patients": frame}')
    names = [f"frame_{i}" if evident(name, None) else name for i, name in enumerate(frames)]
    if len(set(names)) < len(names):
        raise UsageError("the name of a frame identifies somebody, and another frame has the name in its place")
    return dict(zip(names, frames.values(), strict=True))


def in_frame_names(frames: Mapping[str, Any]) -> Iterator[InName]:
    """What identifies somebody in the names of frames."""
    from piiscan.io import printed_names

    for name, shown in zip(frames, printed(frames), strict=True):
        yield from (found._replace(of_table=True) for found in printed_names.named(shown, name, None))


def beside_frame(obj: Any, source: str | None = None) -> Sequence[Found]:
    """What a frame holds beside its rows, as tables: metadata and attributes, and categories that no row has.

    Nothing for what is no frame of pandas, polars or pyarrow; what can't be read there is not scanned.
    """
    if type(obj).__module__.split(".")[0] not in ("pandas", "polars", "pyarrow"):
        return []
    from piiscan.io import frame_asides
    from piiscan.io.frames import SOURCE

    source = source or SOURCE
    try:
        return frame_asides.beside(obj, source)
    except Exception as error:  # libraries quote values in their messages
        kind = f"metadata and categories of a {type(obj).__name__}"
        return [NotScanned(source, f"{kind} can't be read ({type(error).__name__})", frame_asides.METADATA)]
