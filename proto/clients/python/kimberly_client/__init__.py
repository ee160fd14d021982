"""Kimberly's memory for one user: `Memory` for programs that wait, `AsyncMemory` for asyncio.

    from kimberly_client import Memory

    with Memory("http://127.0.0.1:7420", user="ana") as memory:
        memory.observe("chat-1", [{"role": "user", "content": "I moved to Lisbon"}])
        prompt = memory.context("Where do I live?", session="chat-1").text

Everything else that the contract has is in the stubs, `kimberly.v1`.
"""

from .asynchronous import AsyncMemory
from .connection import KimberlyError
from .files import MemoryToolError
from .synchronous import Memory

__all__ = ["AsyncMemory", "KimberlyError", "Memory", "MemoryToolError"]
