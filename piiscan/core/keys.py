"""Keys: where they come from, and the subkeys that each domain gets. Nobody but this module holds a master key.

A subkey is HKDF-SHA256 (RFC 5869) of the master key with the domain as info, so equal domains join across columns,
files and runs, and who holds the subkey of one domain learns nothing of another's.
"""

from __future__ import annotations

import os
from binascii import Error as NotBase64
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from piiscan.core.errors import UsageError

SHORTEST: Final = 32
"""The smallest number of bytes of a key."""
DEFAULT_SPEC: Final = "env:PIISCAN_KEY"
_FEWEST_DISTINCT: Final = 16  # 32 random bytes hold fewer about once in 10¹⁶
_LONGEST_TEXT: Final = 1 << 16
_COMMAND_SECONDS: Final = 60
_HOW: Final = "name a key as env:NAME, file:PATH or command:CMD; `piiscan key new -o FILE` makes one"


class Subkey:
    """The 32 bytes that belong to one domain. Doesn't show them; see `secret`."""

    __slots__ = ("_secret",)

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def __repr__(self) -> str:
        return "<Subkey>"

    @property
    def secret(self) -> bytes:
        return self._secret

    def derive(self, *context: str) -> Subkey:
        """The subkey for a use within the domain (HKDF)."""
        return Subkey(_hkdf(self._secret, "derive", context))

    def __reduce__(self) -> NoReturn:
        raise UsageError(
            "a subkey can't be pickled; send the Key, loaded from a spec such as env:PIISCAN_KEY, and derive it there"
        )


class Key:
    """A master key and its public id. `subkey(domain)` is all that it is for.

    One that `load` got from a spec is pickled as that spec, and loaded anew where it is unpickled; one made from bytes
    can't be pickled. Raises `UsageError` for fewer than 32 bytes, and for bytes that aren't random.
    """

    __slots__ = ("_secret", "_spec")

    def __init__(self, secret: bytes, spec: str | None = None) -> None:
        if not isinstance(secret, bytes | bytearray):
            raise UsageError(
                f"a key must be bytes, not an object of type {type(secret).__name__}; Key.from_env and "
                "Key.from_file read a stored one"
            )
        if len(secret) < SHORTEST:
            raise UsageError(f"the key has {len(secret)} bytes, fewer than {SHORTEST}; `piiscan key new` makes one")
        if len(set(secret)) < _FEWEST_DISTINCT:
            raise UsageError("the key repeats itself: it isn't random; `piiscan key new` makes one")
        self._secret = bytes(secret)
        self._spec = spec

    @classmethod
    def load(cls, spec: str | None = None) -> Key:
        """Load the key that `spec` names: `env:NAME`, `file:PATH`, or `command:CMD`.

        A command runs without a shell; its output is the key.

        Without one, env:PIISCAN_KEY. Raises `UsageError` where there is no key, or none that `piiscan key new` could
        have written.
        """
        spec = DEFAULT_SPEC if spec is None else spec
        if not isinstance(spec, str):
            raise UsageError(_HOW)
        kind, _, where = spec.partition(":")
        if kind not in _SOURCES or not where:
            # What stands there may be the key itself, so it isn't repeated.
            raise UsageError(_HOW)
        place, text = _SOURCES[kind](where)
        return cls(_decoded(text, place), spec)

    @classmethod
    def from_env(cls, name: str = "PIISCAN_KEY") -> Key:
        """The key in an environment variable: `load("env:NAME")`. Raises `UsageError`."""
        return cls.load(f"env:{_named(name)}")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Key:
        """The key in a file that only its owner may read: `load("file:PATH")`. Raises `UsageError`."""
        return cls.load(f"file:{_named(path)}")

    def __repr__(self) -> str:
        return f"<Key {self.id}>"

    @property
    def id(self) -> str:
        """Tells keys apart and nothing more: 16 hex digits, derived by HKDF. Stands in plans and reports."""
        return _hkdf(self._secret, "id", ())[:8].hex()

    def subkey(self, *domain: str) -> Subkey:
        """The subkey of a domain, such as an entity, or an entity and a release.

        Raises `UsageError` for an empty one.
        """
        if not any(domain):
            raise UsageError("a key domain needs a name; by default it is the column's entity")
        return Subkey(_hkdf(self._secret, "subkey", domain))

    def lies_in(self, path: Path) -> bool:
        """Whether a file holds this key and nothing else."""
        try:
            return (
                path.stat().st_size <= _LONGEST_TEXT and _decoded(path.read_text(encoding="ascii"), "") == self._secret
            )
        except (OSError, UnicodeDecodeError, UsageError):
            return False

    def __reduce__(self) -> tuple[Callable[[str, str], Key], tuple[str, str]]:
        if self._spec is None:
            raise UsageError(
                "a key made from bytes can't be pickled, because the bytes would travel with it; give the "
                'workers a key to load instead: piiscan.Key.load("env:NAME"), "file:PATH" or "command:CMD"'
            )
        return _reloaded, (self._spec, self.id)


def _named(place: str | os.PathLike[str]) -> str:
    """Where a key is, as text. Raises `UsageError` for what names nothing."""
    text = os.fspath(place) if isinstance(place, str | os.PathLike) else ""
    if not isinstance(text, str) or not text:
        raise UsageError(_HOW)
    return text


def new() -> str:
    """A fresh key as text: 32 random bytes in url-safe base64."""
    from base64 import urlsafe_b64encode
    from secrets import token_bytes

    return urlsafe_b64encode(token_bytes(SHORTEST)).decode()


def write_new(path: Path) -> Key:
    """Write a fresh key to a new file that only its owner can read. Raises `UsageError`; never overwrites."""
    text = new()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except FileExistsError:
        raise UsageError(f"{path} exists, and a key is never overwritten; choose another name") from None
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(text + "\n")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UsageError(f"{path}: can't be written: {error.strerror}") from None
    return Key(_decoded(text, str(path)), f"file:{path}")


def _reloaded(spec: str, key_id: str) -> Key:
    key = Key.load(spec)
    if key.id != key_id:
        raise UsageError(
            f"{spec.partition(':')[0]}: the key here is {key.id}, and {key_id} is needed; give this worker the same key"
        )
    return key


def _from_env(name: str) -> tuple[str, str]:
    text = os.environ.get(name)
    if not text:
        # A name that is none may be a key that was typed by mistake.
        shown = (
            f"the environment variable {name}" if name == "PIISCAN_KEY" else "the environment variable that was named"
        )
        raise UsageError(f"no key: {shown} isn't set; {_HOW}")
    return "the environment variable", text


def _from_file(name: str) -> tuple[str, str]:
    path = Path(name)
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if os.name == "posix" and mode & 0o077:
                raise UsageError(f"key file {path}: other users can access it; type: chmod 600 {path}")
            raw = stream.read(_LONGEST_TEXT)
    except OSError as error:
        raise UsageError(f"key file {path}: {error.strerror}; {_HOW}") from None
    return f"key file {path}", raw.decode("ascii", "replace")


def _from_command(line: str) -> tuple[str, str]:
    import shlex
    import subprocess

    try:
        argv = shlex.split(line)
    except ValueError:
        raise UsageError("key command: a quotation mark is missing") from None
    if not argv:
        raise UsageError(_HOW)
    program = argv[0]  # the arguments may hold a password
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_COMMAND_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"key command {program}: no answer in {_COMMAND_SECONDS} seconds") from None
    except OSError as error:
        raise UsageError(f"key command {program}: {error.strerror}") from None
    if done.returncode:
        raise UsageError(f"key command {program}: ended with status {done.returncode}; run it by hand to see why")
    return f"key command {program}", done.stdout[:_LONGEST_TEXT].decode("ascii", "replace")


_SOURCES: Final[dict[str, Callable[[str], tuple[str, str]]]] = {
    "env": _from_env,
    "file": _from_file,
    "command": _from_command,
}


def _decoded(text: str, place: str) -> bytes:
    """Hex, or base64 with either alphabet. 64 hex digits are hex, though they are base64 too."""
    from base64 import b64decode

    text = text.strip()
    try:
        return bytes.fromhex(text)
    except ValueError:
        pass
    try:
        padded = text.rstrip("=").replace("-", "+").replace("_", "/")
        return b64decode(padded + "=" * (-len(padded) % 4), validate=True)
    except (NotBase64, ValueError):
        raise UsageError(
            f"{place}: it contains no key in url-safe base64 or hex; `piiscan key new` makes one"
        ) from None


def _hkdf(secret: bytes, purpose: str, context: tuple[str, ...]) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    # Lengths go first, so that ("a", "bc") and ("ab", "c") differ.
    parts = [part.encode() for part in context]
    info = b"piiscan/1/" + purpose.encode() + b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return HKDF(SHA256(), 32, salt=None, info=info).derive(secret)
