"""`AsyncMemory`, the client for asyncio. It has the same calls as `synchronous`."""

from __future__ import annotations

import asyncio
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
from .requests import MediaType, Message, Part, Tags, Tier


class AsyncMemory:
    """The memory of one user. It holds one connection: create it once and reuse it.

    A `url` without a port means port 7420, or 443 with https.
    `key` is the key that `kimberly keys create` wrote. Its default is the environment variable `KIMBERLY_TOKEN`; without either,
    calls carry no key. `ca` is a PEM file with certificates of trusted authorities. `timeout` is the limit of each call in seconds,
    retries included. A call is retried up to 3 times while the server is unavailable; retrying a write is safe. A failed call
    raises `KimberlyError`.
    """

    def __init__(self, url: str = "http://127.0.0.1:7420", key: str | None = None, *, user: str = "", timeout: float = 10.0,
                 ca: str | None = None):
        self.user = user
        self.timeout = timeout
        self._server = Server.at(url, key, ca)
        self._channel = self._server.channel(grpc.aio)
        self._conversations = conversation_service_pb2_grpc.ConversationServiceStub(self._channel)
        self._memories = memory_service_pb2_grpc.MemoryServiceStub(self._channel)
        self._records = record_service_pb2_grpc.RecordServiceStub(self._channel)
        self._documents = document_service_pb2_grpc.DocumentServiceStub(self._channel)
        #: Blocks of text that are part of every prompt.
        self.core = AsyncCore(user, self._channel, self._call)
        #: Files that an assistant keeps with the commands of its memory tool.
        self.files = AsyncFiles(user, self._channel, self._call)

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection."""
        await self._channel.close()

    async def observe(
        self,
        session: str,
        messages: Iterable[Message],
        *,
        namespace: str = "",
        sensitive: bool = False,
        wait: bool = False,
    ) -> conversation.ObserveResponse:
        """Stores messages of a conversation: the newest ones or the whole conversation. Messages stored before are skipped.

        More than 1,000 messages or 4 MiB are streamed and stored in pieces; `timeout` then applies to each piece. If that fails,
        observe all of them again. Facts are extracted in the background; with `wait`, the call returns after extraction and
        lists the created memories in `extracted`.
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
        """Returns the context for the next prompt (`text`) and its items. Without a query, the last messages are the query."""
        request = requests.context(self.user, query, session, budget_tokens, context_window_tokens, parts)
        return await self._call(self._conversations.GetContext, request)

    async def compact(
        self, session: str, *, keep: int | None = None, namespace: str = ""
    ) -> conversation.CompactSessionResponse:
        """Summarizes all but the newest messages of a session now; `keep` is how many to leave. It also happens automatically."""
        request = requests.compact(self.user, session, keep, namespace)
        return await self._call(self._conversations.CompactSession, request)

    async def add(
        self,
        content: str,
        *,
        tags: Tags = (),
        tier: Tier = "long_term",
        speaker: str = "",
        session: str = "",
        occurred_at: datetime.datetime | None = None,
        namespace: str = "",
    ) -> memory.MemoryReceipt:
        """Stores one memory."""
        request = requests.add(self.user, content, tags, tier, speaker, session, occurred_at, namespace)
        return (await self._call(self._memories.CreateMemory, request)).receipt

    async def add_document(
        self,
        text: str,
        *,
        name: str = "",
        title: str = "",
        media_type: MediaType = "text/plain",
        tags: Tags = (),
        source: str = "",
        namespace: str = "",
    ) -> documents.IngestDocumentResponse:
        """Stores a long text of at most 1,000,000 bytes. `search` and `context` return its best passages.

        A stored document with the same `name` is updated. `source` is the origin of the text, such as a URL.
        """
        request = requests.add_document(self.user, text, name, title, media_type, tags, source, namespace)
        return await self._call(self._documents.IngestDocument, request)

    async def search(
        self,
        query: str,
        *,
        top_k: int = 10,
        tags: Tags = (),
        session: str = "",
        min_relevance: float | None = None,
    ) -> Sequence[memories.QueryResult]:
        """Returns the memories that are relevant to a query, best first, each with `memory` and `relevance`."""
        request = requests.search(self.user, query, top_k, tags, session, min_relevance)
        return (await self._call(self._memories.QueryMemories, request)).results

    async def correct(self, memory_id: str, content: str, *, reason: str = "") -> memory.MemoryReceipt:
        """Replaces a memory by a corrected one and returns the receipt of the new one. The old one is kept as history."""
        request = requests.correct(self.user, memory_id, content, reason)
        return (await self._call(self._records.CorrectMemory, request)).receipt

    async def forget(self, memory_id: str) -> memory.MemoryReceipt:
        """Deletes a memory. It can be restored until `delete_after` of the receipt."""
        request = requests.forget(self.user, memory_id)
        return (await self._call(self._memories.DeleteMemory, request)).receipt

    async def end_session(self, session: str) -> memories.EndSessionResponse:
        """Ends a session: extracts facts, compacts its messages, and archives its short-term memories."""
        return await self._call(self._memories.EndSession, requests.end_session(self.user, session))

    async def _call(self, method, request):
        await asyncio.to_thread(self._server.reach)
        try:
            return await method(request, timeout=self.timeout, metadata=self._server.metadata, wait_for_ready=False)
        except grpc.aio.AioRpcError as error:
            raise KimberlyError.of(error, self._server) from None

    async def _stream(self, method, sent, pieces):
        await asyncio.to_thread(self._server.reach)
        try:
            async for answer in method(sent, timeout=self.timeout * pieces, metadata=self._server.metadata):
                yield answer
        except grpc.aio.AioRpcError as error:
            raise KimberlyError.of(error, self._server) from None
