"""Core memory: blocks of text that stand in every prompt. `Memory.core` and `AsyncMemory.core`."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from kimberly.v1 import core_memory_service_pb2 as core
from kimberly.v1 import core_memory_service_pb2_grpc, named_record_service_pb2_grpc
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import named_record_service_pb2 as named

from .connection import KimberlyError


class _Requests:
    """What both classes send."""

    def __init__(self, user: str, channel, call):
        self._user = user
        self._call = call
        self._blocks = core_memory_service_pb2_grpc.CoreMemoryServiceStub(channel)
        self._named = named_record_service_pb2_grpc.NamedRecordServiceStub(channel)

    def _of(self, namespace: str) -> dict[str, str]:
        return {"user_id": self._user, "namespace": namespace}

    def _write(self, namespace: str) -> dict[str, str]:
        return {**self._of(namespace), "request_id": str(uuid.uuid4())}

    def _list(self, namespace: str):
        return core.ListBlocksRequest(**self._of(namespace))

    def _update(self, label: str, content: str, description: str | None, read_only: bool | None, namespace: str):
        said = {"label": label, "content": content, "description": description, "read_only": read_only}
        return core.UpdateBlockRequest(**self._write(namespace), **said)

    def _add(self, label: str, content: str, description: str | None, read_only: bool | None, namespace: str):
        said = {"label": label, "content": content, "description": description, "read_only": read_only}
        return core.AddBlockRequest(**self._write(namespace), **said)

    def _append(self, label: str, text: str, namespace: str):
        return named.EditRecordRequest(**self._write(namespace), name=f"core/{label}", append=text)

    def _replace(self, label: str, old: str, new: str, namespace: str):
        edit = named.ReplaceEdit(old=old, new=new)
        return named.EditRecordRequest(**self._write(namespace), name=f"core/{label}", replace=edit)

    def _remove(self, label: str, namespace: str):
        return core.RemoveBlockRequest(**self._write(namespace), label=label)

    def _render(self, namespace: str):
        return core.RenderCoreMemoryRequest(**self._of(namespace))


def _labelled(blocks: Sequence[memory.Memory], label: str) -> memory.Memory | None:
    return next((block for block in blocks if block.name == f"core/{label}"), None)


def _is_missing(error: KimberlyError) -> bool:
    return error.reason == "MEMORY_NOT_FOUND"


class Core(_Requests):
    """Blocks of core memory, by their labels: system, persona, human, facts, goals, scratch, or your own."""

    def list(self, *, namespace: str = "") -> Sequence[memory.Memory]:
        """All blocks, by label; a block is a memory named `core/` and its label."""
        return self._call(self._blocks.ListBlocks, self._list(namespace)).blocks

    def get(self, label: str, *, namespace: str = "") -> memory.Memory | None:
        """A block, or None."""
        return _labelled(self.list(namespace=namespace), label)

    def set(
        self,
        label: str,
        content: str,
        *,
        description: str | None = None,
        read_only: bool | None = None,
        namespace: str = "",
    ) -> memory.MemoryReceipt:
        """Gives a block this text, and adds the block if there is none. What is None stays as it is."""
        said = (label, content, description, read_only, namespace)
        try:
            return self._call(self._blocks.UpdateBlock, self._update(*said)).receipt
        except KimberlyError as error:
            if not _is_missing(error):
                raise
        return self._call(self._blocks.AddBlock, self._add(*said)).receipt

    def append(self, label: str, text: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Adds a text to a block that is there, on a line of its own."""
        return self._call(self._named.EditRecord, self._append(label, text, namespace)).receipt

    def replace(self, label: str, old: str, new: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Replaces a text that stands in a block exactly once."""
        return self._call(self._named.EditRecord, self._replace(label, old, new, namespace)).receipt

    def remove(self, label: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Removes a block; it can be restored for a while, as any memory."""
        return self._call(self._blocks.RemoveBlock, self._remove(label, namespace)).receipt

    def render(self, *, namespace: str = "") -> str:
        """All blocks as one text for the prompt, `<core_memory>`."""
        return self._call(self._blocks.RenderCoreMemory, self._render(namespace)).text


class AsyncCore(_Requests):
    """The same for asyncio."""

    async def list(self, *, namespace: str = "") -> Sequence[memory.Memory]:
        """All blocks, by label; a block is a memory named `core/` and its label."""
        return (await self._call(self._blocks.ListBlocks, self._list(namespace))).blocks

    async def get(self, label: str, *, namespace: str = "") -> memory.Memory | None:
        """A block, or None."""
        return _labelled(await self.list(namespace=namespace), label)

    async def set(
        self,
        label: str,
        content: str,
        *,
        description: str | None = None,
        read_only: bool | None = None,
        namespace: str = "",
    ) -> memory.MemoryReceipt:
        """Gives a block this text, and adds the block if there is none. What is None stays as it is."""
        said = (label, content, description, read_only, namespace)
        try:
            return (await self._call(self._blocks.UpdateBlock, self._update(*said))).receipt
        except KimberlyError as error:
            if not _is_missing(error):
                raise
        return (await self._call(self._blocks.AddBlock, self._add(*said))).receipt

    async def append(self, label: str, text: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Adds a text to a block that is there, on a line of its own."""
        return (await self._call(self._named.EditRecord, self._append(label, text, namespace))).receipt

    async def replace(self, label: str, old: str, new: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Replaces a text that stands in a block exactly once."""
        return (await self._call(self._named.EditRecord, self._replace(label, old, new, namespace))).receipt

    async def remove(self, label: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Removes a block; it can be restored for a while, as any memory."""
        return (await self._call(self._blocks.RemoveBlock, self._remove(label, namespace))).receipt

    async def render(self, *, namespace: str = "") -> str:
        """All blocks as one text for the prompt, `<core_memory>`."""
        return (await self._call(self._blocks.RenderCoreMemory, self._render(namespace))).text
