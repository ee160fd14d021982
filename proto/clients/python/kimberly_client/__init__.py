"""Client for the memory of one user: `Memory` is blocking, `AsyncMemory` is for asyncio.

    from kimberly import Memory

    with Memory("http://127.0.0.1:7420", user="ana") as memory:
        memory.observe("chat-1", [{"role": "user", "content": "I moved to Lisbon"}])
        prompt = memory.context("Where do I live?", session="chat-1").text

For all other calls of the API use the generated stubs, `kimberly.v1`.
"""

from .asynchronous import AsyncMemory
from .connection import KimberlyError
from .files import MemoryToolError
from .synchronous import Memory

__all__ = ["AsyncMemory", "KimberlyError", "Memory", "MemoryToolError"]
