"""Files of the memory tool of assistants, under `/memories`. `Memory.files` and `AsyncMemory.files`."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from kimberly.v1 import memory_tool_service_pb2 as tool
from kimberly.v1 import memory_tool_service_pb2_grpc


class MemoryToolError(Exception):
    """A command failed and changed nothing. Pass the message to the assistant as an error."""


def _request(user: str, command: Mapping[str, Any], namespace: str) -> tool.RunMemoryToolRequest:
    request_id = str(uuid.uuid4())
    return tool.RunMemoryToolRequest(user_id=user, namespace=namespace, command=json.dumps(command), request_id=request_id)


def _output(answer: tool.RunMemoryToolResponse) -> str:
    if answer.is_error:
        raise MemoryToolError(answer.output)
    return answer.output


def _view(path: str, view_range: tuple[int, int] | None) -> dict[str, Any]:
    ranged = {} if view_range is None else {"view_range": list(view_range)}
    return {"command": "view", "path": path, **ranged}


def _create(path: str, text: str) -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": text}


def _str_replace(path: str, old: str, new: str) -> dict[str, Any]:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def _insert(path: str, line: int, text: str) -> dict[str, Any]:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def _rename(old_path: str, new_path: str) -> dict[str, Any]:
    return {"command": "rename", "old_path": old_path, "new_path": new_path}


class Files:
    """Files under `/memories`. Each method returns the output of the tool for the assistant, or raises `MemoryToolError`."""

    def __init__(self, user: str, channel, call):
        self._user = user
        self._call = call
        self._tool = memory_tool_service_pb2_grpc.MemoryToolServiceStub(channel)

    def run(self, command: Mapping[str, Any], *, namespace: str = "") -> str:
        """Runs a command as an assistant sends it, such as `{"command": "view", "path": "/memories"}`."""
        return _output(self._call(self._tool.RunMemoryTool, _request(self._user, command, namespace)))

    def view(self, path: str = "/memories", view_range: tuple[int, int] | None = None, *, namespace: str = "") -> str:
        """Shows a file with line numbers, or lists a directory. `view_range` selects lines of a file: from 1, -1 is the last."""
        return self.run(_view(path, view_range), namespace=namespace)

    def create(self, path: str, text: str, *, namespace: str = "") -> str:
        """Creates a file. Fails if there is one."""
        return self.run(_create(path, text), namespace=namespace)

    def str_replace(self, path: str, old: str, new: str, *, namespace: str = "") -> str:
        """Replaces a text in a file. Fails unless the file contains it exactly once."""
        return self.run(_str_replace(path, old, new), namespace=namespace)

    def insert(self, path: str, line: int, text: str, *, namespace: str = "") -> str:
        """Inserts a text after a line; 0 inserts it at the beginning."""
        return self.run(_insert(path, line, text), namespace=namespace)

    def delete(self, path: str, *, namespace: str = "") -> str:
        """Deletes a file or a directory. Like any memory, files can be restored for a while."""
        return self.run({"command": "delete", "path": path}, namespace=namespace)

    def rename(self, old_path: str, new_path: str, *, namespace: str = "") -> str:
        """Renames a file or a directory."""
        return self.run(_rename(old_path, new_path), namespace=namespace)


class AsyncFiles:
    """Files under `/memories`, for asyncio."""

    def __init__(self, user: str, channel, call):
        self._user = user
        self._call = call
        self._tool = memory_tool_service_pb2_grpc.MemoryToolServiceStub(channel)

    async def run(self, command: Mapping[str, Any], *, namespace: str = "") -> str:
        """Runs a command as an assistant sends it, such as `{"command": "view", "path": "/memories"}`."""
        return _output(await self._call(self._tool.RunMemoryTool, _request(self._user, command, namespace)))

    async def view(self, path: str = "/memories", view_range: tuple[int, int] | None = None, *, namespace: str = "") -> str:
        """Shows a file with line numbers, or lists a directory. `view_range` selects lines of a file: from 1, -1 is the last."""
        return await self.run(_view(path, view_range), namespace=namespace)

    async def create(self, path: str, text: str, *, namespace: str = "") -> str:
        """Creates a file. Fails if there is one."""
        return await self.run(_create(path, text), namespace=namespace)

    async def str_replace(self, path: str, old: str, new: str, *, namespace: str = "") -> str:
        """Replaces a text in a file. Fails unless the file contains it exactly once."""
        return await self.run(_str_replace(path, old, new), namespace=namespace)

    async def insert(self, path: str, line: int, text: str, *, namespace: str = "") -> str:
        """Inserts a text after a line; 0 inserts it at the beginning."""
        return await self.run(_insert(path, line, text), namespace=namespace)

    async def delete(self, path: str, *, namespace: str = "") -> str:
        """Deletes a file or a directory. Like any memory, files can be restored for a while."""
        return await self.run({"command": "delete", "path": path}, namespace=namespace)

    async def rename(self, old_path: str, new_path: str, *, namespace: str = "") -> str:
        """Renames a file or a directory."""
        return await self.run(_rename(old_path, new_path), namespace=namespace)
