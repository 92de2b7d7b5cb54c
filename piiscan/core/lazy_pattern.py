"""Regular expressions that are compiled when they are first used.

Those with whole scripts in them take milliseconds each, and a scan of a few thousand cells of ASCII needs none of them.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("search", "match", "fullmatch", "findall", "finditer", "sub", "split")


class _Lazy:
    def __init__(self, pattern: Any, flags: re.RegexFlag | int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(*self._source)
        self.__dict__.update({method: getattr(compiled, method) for method in _METHODS})
        return getattr(compiled, name)


def lazy_pattern(pattern: AnyStr, flags: re.RegexFlag | int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, by its methods alone.

    >>> lazy_pattern("[a-c]+").fullmatch("abc")[0]
    'abc'
    """
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
