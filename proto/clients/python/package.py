"""Kimberly's client for the memory of one user: `Memory` is blocking, `AsyncMemory` is for asyncio.

`kimberly.v1` has generated stubs for all calls of the API.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kimberly_client import AsyncMemory, KimberlyError, Memory, MemoryToolError

__all__ = ["AsyncMemory", "KimberlyError", "Memory", "MemoryToolError"]


def __getattr__(name):
    # On use, because the client itself imports kimberly.v1.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import kimberly_client

    return getattr(kimberly_client, name)
