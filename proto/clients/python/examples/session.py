"""An example session: connect, remember, recall, read an error, follow a stream, forget.

Usage: session.py [ADDRESS]. Sends KIMBERLY_TOKEN as the credential, if set.
"""

import os
import pathlib
import sys
import uuid

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import meditation_service_pb2 as meditation
from kimberly.v1 import meditation_service_pb2_grpc
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import memory_service_pb2_grpc

ADDRESS = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7420"
SERVICE_CONFIG = pathlib.Path(__file__).resolve().parents[2] / "service_config.json"
USER = "ana"
DEADLINE = 5  # seconds; set one for every call


class Bearer(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Adds the credential to every call. Over TLS, `grpc.access_token_call_credentials` does the same."""

    def __init__(self, token):
        self._header = ("authorization", f"Bearer {token}")

    def intercept_unary_unary(self, continuation, client_call_details, request):
        metadata = [*(client_call_details.metadata or ()), self._header]
        return continuation(client_call_details._replace(metadata=metadata), request)

    intercept_unary_stream = intercept_unary_unary


def connect(address, token):
    """Opens a channel that retries UNAVAILABLE (up to 4 attempts, with backoff) and detects dead connections."""
    options = [
        ("grpc.service_config", SERVICE_CONFIG.read_text()),
        ("grpc.keepalive_time_ms", 60_000),
        ("grpc.keepalive_timeout_ms", 20_000),
    ]
    channel = grpc.insecure_channel(address, options)
    return grpc.intercept_channel(channel, Bearer(token)) if token else channel


def detail(error, kind):
    """Returns the google.rpc detail of one type in an error, or None."""
    status = rpc_status.from_call(error)
    for packed in status.details if status else ():
        if packed.Is(kind.DESCRIPTOR):
            return kind.FromString(packed.value)
    return None


def remember(request):
    """Stores a memory. If its tier is full and a meditation makes room, waits for the meditation and retries."""
    for _ in range(10):
        try:
            return memories.CreateMemory(request, timeout=DEADLINE).receipt
        except grpc.RpcError as error:
            info = detail(error, error_details_pb2.ErrorInfo)
            # With RetryInfo, waiting helps. Without it, the message says which limit to raise.
            if info is None or info.reason != "QUOTA_EXCEEDED" or detail(error, error_details_pb2.RetryInfo) is None:
                raise
            for _ in watch(info.metadata["meditation_id"]):
                pass
    raise RuntimeError("ten meditations made no room")


def watch(meditation_id):
    """Streams the progress of a meditation until it ends."""
    request = meditation.WatchMeditationRequest(user_id=USER, id=meditation_id)
    return meditations.WatchMeditation(request, timeout=60)


channel = connect(ADDRESS, os.environ.get("KIMBERLY_TOKEN"))
memories = memory_service_pb2_grpc.MemoryServiceStub(channel)
meditations = meditation_service_pb2_grpc.MeditationServiceStub(channel)

# Remember. The request_id makes a retry safe: the same id with the same body is stored once.
draft = memory.MemoryDraft(
    content="Ana's train to Lisbon leaves on Friday at 9:40.", speaker="Ana", metadata=memory.Metadata(tags=["travel"])
)
request = api.CreateMemoryRequest(user_id=USER, memory=draft, request_id=str(uuid.uuid4()))
receipt = remember(request)
print(f"remembered {receipt.size_bytes} bytes as {receipt.id}")

# Recall
answer = memories.QueryMemories(
    api.QueryMemoriesRequest(user_id=USER, query="When does the train leave?", top_k=3), timeout=DEADLINE
)
for result in answer.results:
    print(f"recalled {result.score:.2f}  {result.memory.content}")

# The reason of an error says what happened, its details say where.
try:
    memories.CreateMemory(api.CreateMemoryRequest(user_id=USER, memory=memory.MemoryDraft()), timeout=DEADLINE)
except grpc.RpcError as error:
    info, bad = detail(error, error_details_pb2.ErrorInfo), detail(error, error_details_pb2.BadRequest)
    if info is None or info.reason != "INVALID_FIELD":
        raise
    print(f"refused with {error.code().name}, {info.reason}: {bad.field_violations[0].field}")

# Follow a stream: the progress of a meditation.
started = meditations.Meditate(meditation.MeditateRequest(user_id=USER), timeout=DEADLINE).meditation
for event in watch(started.id):
    if event.WhichOneof("event") == "progress":
        print(f"meditation: {meditation.MeditationStatus.Name(event.progress.status)}")

# Forget. The memory can be restored until delete_after.
forgotten = memories.DeleteMemory(
    api.DeleteMemoryRequest(user_id=USER, id=receipt.id, etag=receipt.etag), timeout=DEADLINE
).receipt
print(f"forgot {forgotten.id}, restorable until {forgotten.delete_after.ToDatetime():%Y-%m-%d}")
channel.close()
