"""Builds the requests that `Memory` and `AsyncMemory` send from plain values."""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, get_args

from google.protobuf import json_format, timestamp_pb2

from kimberly.v1 import conversation_service_pb2 as conversation
from kimberly.v1 import detail_pb2 as detail
from kimberly.v1 import document_service_pb2 as documents
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as memories
from kimberly.v1 import record_service_pb2 as records

#: Limits of a single call in messages and bytes; beyond either, messages are streamed.
AT_ONCE = 1_000
BYTES_AT_ONCE = 4 << 20

class SupportsModelDump(Protocol):
    """An object of Pydantic, such as a message that a client of a language model returns."""

    def model_dump(self) -> Mapping[str, Any]:
        """Returns its members."""


Part = Literal["core", "wishes", "goals", "snapshots", "recalled", "turns"]
Tier = Literal["short_term", "long_term", "permanent"]
MediaType = Literal["text/plain", "text/markdown", "text/html"]
Role = Literal["user", "human", "assistant", "ai", "system", "developer", "tool", "function"]
#: Tags: several, or a single one.
Tags = str | Sequence[str]

#: A message as APIs of language models take or return it: a mapping with `role` and `content`, a text or a list of parts, or an
#: object whose `model_dump()` returns one. `id`, `name`, `time`, `tool`, `tool_call_id` and `attributes` are stored; other members are
#: ignored.
Message = Mapping[str, object] | SupportsModelDump

_ROLES = {role: role for role in get_args(Role)} | {"human": "user", "ai": "assistant", "developer": "system", "function": "tool"}


def _time(at: datetime.datetime | None) -> timestamp_pb2.Timestamp | None:
    if at is None:
        return None
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(at.astimezone(datetime.timezone.utc))
    return stamp


def _text(content: Any) -> str:
    """Returns the text of a content: the content itself, or its text parts joined."""
    if content is None or isinstance(content, str):
        return content or ""
    texts = (part if isinstance(part, str) else _members(part).get("text") for part in content)
    return "\n\n".join(text for text in texts if isinstance(text, str) and text)


def _members(said: Any) -> Mapping[str, Any]:
    if isinstance(said, Mapping):
        return said
    if hasattr(said, "model_dump"):
        return said.model_dump()
    raise TypeError(f"{said!r} is no message; use a mapping such as {{'role': 'user', 'content': 'Hello'}}")


def _tags(tags: Tags) -> Sequence[str]:
    return [tags] if isinstance(tags, str) else tags


def _message(message: Any) -> conversation.Message:
    said = _members(message)
    role = _ROLES.get(said.get("role") or said.get("type"))
    if role is None:
        raise ValueError(f"there is no role {said.get('role')!r}; use one of {', '.join(get_args(Role))}")
    message = conversation.Message(
        id=said.get("id") or "",
        role=detail.Role.Value(f"ROLE_{role.upper()}"),
        content=_text(said.get("content")),
        name=said.get("name") or "",
        time=_time(said.get("time")),
        tool=said.get("tool") or "",
        tool_call_id=said.get("tool_call_id") or "",
    )
    if said.get("attributes"):
        json_format.ParseDict(dict(said["attributes"]), message.attributes)
    return message


def observe(
    user: str, session: str, messages: Iterable[Message], namespace: str, sensitive: bool, wait: bool
) -> conversation.ObserveRequest:
    """Builds the request to store messages of a conversation."""
    return conversation.ObserveRequest(
        user_id=user,
        session_id=session,
        messages=[_message(one) for one in messages],
        namespace=namespace,
        sensitive=sensitive,
        extraction=conversation.EXTRACTION_MODE_WAIT if wait else conversation.EXTRACTION_MODE_UNSPECIFIED,
        request_id=str(uuid.uuid4()),
    )


def pieces(request: conversation.ObserveRequest) -> int:
    """Estimates in how many pieces the messages are stored; with more than one they are streamed."""
    return 1 + (len(request.messages) - 1) // AT_ONCE + request.ByteSize() // BYTES_AT_ONCE


def streamed(request: conversation.ObserveRequest) -> Iterator[conversation.ObserveStreamRequest]:
    """Returns the messages as a stream. It begins with the session's first, as the server counts repeated messages."""
    start = conversation.ObserveStart(
        user_id=request.user_id,
        session_id=request.session_id,
        namespace=request.namespace,
        sensitive=request.sensitive,
        extraction=request.extraction,
    )
    yield conversation.ObserveStreamRequest(start=start)
    for message in request.messages:
        yield conversation.ObserveStreamRequest(message=message)


def joined(answers: Iterable[conversation.ObserveStreamResponse]) -> conversation.ObserveResponse:
    """Joins the answers to all pieces of a stream."""
    whole = conversation.ObserveResponse()
    for piece in (answer.piece for answer in answers):
        whole.messages.extend(piece.messages)
        whole.extracted.extend(piece.extracted)
        whole.stored += piece.stored
        whole.archived += piece.archived
    return whole


def context(
    user: str, query: str, session: str, budget_tokens: int, context_window_tokens: int, parts: Sequence[Part]
):
    """Builds the request for the context of the next prompt."""
    return conversation.GetContextRequest(
        user_id=user,
        query=query,
        session_id=session,
        budget_tokens=budget_tokens,
        context_window_tokens=context_window_tokens,
        parts=[conversation.ContextPart.Value(f"CONTEXT_PART_{part.upper()}") for part in parts],
    )


def compact(user: str, session: str, keep: int | None, namespace: str):
    """Builds the request to summarize a session."""
    return conversation.CompactSessionRequest(user_id=user, session_id=session, keep=keep, namespace=namespace)


def add(
    user: str,
    content: str,
    tags: Tags,
    tier: Tier,
    speaker: str,
    session: str,
    occurred_at: datetime.datetime | None,
    namespace: str,
):
    """Builds the request to store a memory."""
    draft = memory.MemoryDraft(
        content=content,
        metadata=memory.Metadata(tags=_tags(tags)),
        tier=memory.Tier.Value(f"TIER_{tier.upper()}"),
        speaker=speaker,
        session_id=session,
        occurred_at=_time(occurred_at),
        namespace=namespace,
    )
    return memories.CreateMemoryRequest(user_id=user, memory=draft, request_id=str(uuid.uuid4()))


def add_document(
    user: str,
    text: str,
    name: str,
    title: str,
    media_type: MediaType,
    tags: Tags,
    source: str,
    namespace: str,
) -> documents.IngestDocumentRequest:
    """Builds the request to store a document."""
    return documents.IngestDocumentRequest(
        user_id=user,
        text=text,
        name=name,
        title=title,
        media_type=media_type,
        tags=_tags(tags),
        source_ref=source,
        namespace=namespace,
        request_id=str(uuid.uuid4()),
    )


def search(user: str, query: str, top_k: int, tags: Tags, session: str, min_relevance: float | None):
    """Builds the request to search."""
    return memories.QueryMemoriesRequest(
        user_id=user,
        query=query,
        top_k=top_k,
        filter=memory.MemoryFilter(tags_any=_tags(tags)),
        active_session_id=session,
        min_score=min_relevance,
    )


def forget(user: str, memory_id: str):
    """Builds the request to delete a memory."""
    return memories.DeleteMemoryRequest(user_id=user, id=memory_id, request_id=str(uuid.uuid4()))


def correct(user: str, memory_id: str, content: str, reason: str):
    """Builds the request to correct a memory."""
    request_id = str(uuid.uuid4())
    return records.CorrectMemoryRequest(user_id=user, id=memory_id, content=content, reason=reason, request_id=request_id)


def end_session(user: str, session: str):
    """Builds the request to end a session."""
    return memories.EndSessionRequest(user_id=user, session_id=session, request_id=str(uuid.uuid4()))
