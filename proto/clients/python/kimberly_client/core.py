"""Core memory: blocks of text that are part of every prompt. `Memory.core` and `AsyncMemory.core`."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from kimberly.v1 import core_memory_service_pb2 as core
from kimberly.v1 import core_memory_service_pb2_grpc, named_record_service_pb2_grpc
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import named_record_service_pb2 as named

from .connection import KimberlyError


class _Requests:
    """Builds the requests of both classes."""

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
    """Blocks of core memory by label: system, persona, human, facts, goals, scratch, or your own."""

    def list(self, *, namespace: str = "") -> Sequence[memory.Memory]:
        """Returns all blocks, ordered by label. A block is a memory with the name `core/LABEL`."""
        return self._call(self._blocks.ListBlocks, self._list(namespace)).blocks

    def get(self, label: str, *, namespace: str = "") -> memory.Memory | None:
        """Returns a block, or None if there is none with this label."""
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
        """Sets the text of a block, which is added if missing. Arguments that are None stay unchanged."""
        said = (label, content, description, read_only, namespace)
        try:
            return self._call(self._blocks.UpdateBlock, self._update(*said)).receipt
        except KimberlyError as error:
            if not _is_missing(error):
                raise
        return self._call(self._blocks.AddBlock, self._add(*said)).receipt

    def append(self, label: str, text: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Appends a text to an existing block, on a new line."""
        return self._call(self._named.EditRecord, self._append(label, text, namespace)).receipt

    def replace(self, label: str, old: str, new: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Replaces a text in a block. Fails unless the block contains it exactly once."""
        return self._call(self._named.EditRecord, self._replace(label, old, new, namespace)).receipt

    def remove(self, label: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Removes a block. Like any memory it can be restored for a while."""
        return self._call(self._blocks.RemoveBlock, self._remove(label, namespace)).receipt

    def render(self, *, namespace: str = "") -> str:
        """Returns all blocks as one text for the prompt, in `<core_memory>` tags."""
        return self._call(self._blocks.RenderCoreMemory, self._render(namespace)).text


class AsyncCore(_Requests):
    """Blocks of core memory, for asyncio."""

    async def list(self, *, namespace: str = "") -> Sequence[memory.Memory]:
        """Returns all blocks, ordered by label. A block is a memory with the name `core/LABEL`."""
        return (await self._call(self._blocks.ListBlocks, self._list(namespace))).blocks

    async def get(self, label: str, *, namespace: str = "") -> memory.Memory | None:
        """Returns a block, or None if there is none with this label."""
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
        """Sets the text of a block, which is added if missing. Arguments that are None stay unchanged."""
        said = (label, content, description, read_only, namespace)
        try:
            return (await self._call(self._blocks.UpdateBlock, self._update(*said))).receipt
        except KimberlyError as error:
            if not _is_missing(error):
                raise
        return (await self._call(self._blocks.AddBlock, self._add(*said))).receipt

    async def append(self, label: str, text: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Appends a text to an existing block, on a new line."""
        return (await self._call(self._named.EditRecord, self._append(label, text, namespace))).receipt

    async def replace(self, label: str, old: str, new: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Replaces a text in a block. Fails unless the block contains it exactly once."""
        return (await self._call(self._named.EditRecord, self._replace(label, old, new, namespace))).receipt

    async def remove(self, label: str, *, namespace: str = "") -> memory.MemoryReceipt:
        """Removes a block. Like any memory it can be restored for a while."""
        return (await self._call(self._blocks.RemoveBlock, self._remove(label, namespace))).receipt

    async def render(self, *, namespace: str = "") -> str:
        """Returns all blocks as one text for the prompt, in `<core_memory>` tags."""
        return (await self._call(self._blocks.RenderCoreMemory, self._render(namespace))).text
