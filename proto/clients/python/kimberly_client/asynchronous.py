"""`AsyncMemory`: for asyncio. The same calls as in `synchronous`."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence

import grpc.aio

from kimberly.v1 import conversation_service_pb2 as conversation
from kimberly.v1 import (
    conversation_service_pb2_grpc,
    document_service_pb2_grpc,
    memory_service_pb2_grpc,
    record_service_pb2_grpc,
)
from kimberly.v1 import document_service_pb2 as documents
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as memories

from . import requests
from .connection import KimberlyError, Server
from .core import AsyncCore
from .files import AsyncFiles
from .requests import MediaType, MessageDict, Part, Tier


class AsyncMemory:
    """One user's memory. Cheap to keep, and meant to be kept: it holds one connection.

    `key` is what `kimberly keys create` wrote; by default the variable `KIMBERLY_TOKEN`, else none. Every call has `timeout`
    seconds, and is tried again within them where no server answers; writes are safe to try again. Errors are `KimberlyError`s.
    """

    def __init__(self, url: str = "http://127.0.0.1:7420", key: str | None = None, *, user: str, timeout: float = 10.0,
                 ca: str | None = None):
        self.user = user
        self.timeout = timeout
        self._server = Server.at(url, key, ca)
        self._channel = self._server.channel(grpc.aio)
        self._conversations = conversation_service_pb2_grpc.ConversationServiceStub(self._channel)
        self._memories = memory_service_pb2_grpc.MemoryServiceStub(self._channel)
        self._records = record_service_pb2_grpc.RecordServiceStub(self._channel)
        self._documents = document_service_pb2_grpc.DocumentServiceStub(self._channel)
        #: Blocks of text that stand in every prompt.
        self.core = AsyncCore(user, self._channel, self._call)
        #: Files that an assistant keeps, by the commands of its memory tool.
        self.files = AsyncFiles(user, self._channel, self._call)

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection."""
        await self._channel.close()

    async def observe(
        self,
        session: str,
        messages: Iterable[MessageDict],
        *,
        namespace: str = "",
        sensitive: bool = False,
        wait: bool = False,
    ) -> conversation.ObserveResponse:
        """Takes messages of a conversation in: the last few, or all there were. Nothing is stored twice.

        More than 1,000 are streamed and stored in pieces, which may take `timeout` each; if that fails, observe them all
        again. Facts in them are learned soon; with `wait` before this returns, which then tells what was made (`extracted`).
        """
        request = requests.observe(self.user, session, messages, namespace, sensitive, wait)
        pieces = requests.pieces(request)
        if pieces <= 1:
            return await self._call(self._conversations.Observe, request)
        stream = self._stream(self._conversations.ObserveStream, requests.streamed(request), pieces)
        return requests.joined([answer async for answer in stream])

    async def context(
        self,
        query: str = "",
        *,
        session: str = "",
        budget_tokens: int = 0,
        context_window_tokens: int = 0,
        parts: Sequence[Part] = (),
    ) -> conversation.GetContextResponse:
        """What belongs in the next prompt (`text`), and what it is made of. Without a query: for what was said last."""
        request = requests.context(self.user, query, session, budget_tokens, context_window_tokens, parts)
        return await self._call(self._conversations.GetContext, request)

    async def compact(
        self, session: str, *, keep: int | None = None, namespace: str = ""
    ) -> conversation.CompactSessionResponse:
        """Summarizes the oldest messages of a session now, all but the newest (`keep`); else that happens by itself."""
        request = requests.compact(self.user, session, keep, namespace)
        return await self._call(self._conversations.CompactSession, request)

    async def add(
        self,
        content: str,
        *,
        tags: Sequence[str] = (),
        tier: Tier = "long_term",
        speaker: str = "",
        session: str = "",
        occurred_at: datetime.datetime | None = None,
        namespace: str = "",
    ) -> memory.MemoryReceipt:
        """Remembers one thing."""
        request = requests.add(self.user, content, tags, tier, speaker, session, occurred_at, namespace)
        return (await self._call(self._memories.CreateMemory, request)).receipt

    async def add_document(
        self,
        text: str,
        *,
        name: str = "",
        title: str = "",
        media_type: MediaType = "text/plain",
        tags: Sequence[str] = (),
        source: str = "",
        namespace: str = "",
    ) -> documents.IngestDocumentResponse:
        """Takes a text of many pages in, at most 1,000,000 bytes. `search` and `context` answer with its best passages.

        A document of the same `name` gets the new text. `source` says where it comes from, such as a URL.
        """
        request = requests.add_document(self.user, text, name, title, media_type, tags, source, namespace)
        return await self._call(self._documents.IngestDocument, request)

    async def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        tags: Sequence[str] = (),
        session: str = "",
        min_relevance: float | None = None,
    ) -> Sequence[memories.QueryResult]:
        """What is remembered that matters for a query, best first, each with `memory` and `relevance`."""
        request = requests.search(self.user, query, top_k, tags, session, min_relevance)
        return (await self._call(self._memories.QueryMemories, request)).results

    async def correct(self, memory_id: str, content: str, *, reason: str = "") -> memory.MemoryReceipt:
        """Puts what is right in a memory's place. The old one is kept as history; the receipt is that of the new one."""
        request = requests.correct(self.user, memory_id, content, reason)
        return (await self._call(self._records.CorrectMemory, request)).receipt

    async def forget(self, memory_id: str) -> memory.MemoryReceipt:
        """Takes one memory out of recall; until `delete_after` it can be restored."""
        request = requests.forget(self.user, memory_id)
        return (await self._call(self._memories.DeleteMemory, request)).receipt

    async def end_session(self, session: str) -> memories.EndSessionResponse:
        """Ends a session: what was said is learned from and compacted now, and short-term memories go to the archive."""
        return await self._call(self._memories.EndSession, requests.end_session(self.user, session))

    async def _call(self, method, request):
        try:
            return await method(request, timeout=self.timeout, metadata=self._server.metadata, wait_for_ready=False)
        except grpc.aio.AioRpcError as error:
            raise KimberlyError.of(error) from None

    async def _stream(self, method, sent, pieces):
        try:
            async for answer in method(sent, timeout=self.timeout * pieces, metadata=self._server.metadata):
                yield answer
        except grpc.aio.AioRpcError as error:
            raise KimberlyError.of(error) from None
