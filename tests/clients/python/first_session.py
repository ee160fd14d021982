"""A first session: remember, recall, see what a meditation would do, forget and restore."""

import sys

import grpc
from kimberly.v1 import meditation_service_pb2 as meditation
from kimberly.v1 import meditation_service_pb2_grpc
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import memory_service_pb2_grpc

address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:7420"
channel = grpc.insecure_channel(address)
memories = memory_service_pb2_grpc.MemoryServiceStub(channel)
meditations = meditation_service_pb2_grpc.MeditationServiceStub(channel)

# Remember
for content in ["Ana is allergic to peanuts.", "Ana's train to Lisbon leaves on Friday at 9:40.", "Ana likes window seats."]:
    draft = memory.MemoryDraft(content=content, speaker="Ana", metadata=memory.Metadata(tags=["travel"]))
    receipt = memories.CreateMemory(api.CreateMemoryRequest(user_id="ana", memory=draft)).receipt
    print(f"remembered {receipt.size_bytes} bytes as {receipt.id}")

# Recall
answer = memories.QueryMemories(api.QueryMemoriesRequest(user_id="ana", query="When does the train leave?", top_k=3))
for result in answer.results:
    print(f"{result.score:.2f}  {result.memory.content}")

# Meditate: what would be archived or erased now, and why
plan = meditations.Meditate(meditation.MeditateRequest(user_id="ana", dry_run=True))
print(f"a meditation would archive {plan.meditation.archived} and erase {plan.meditation.pruned} memories")

# Forget, and change your mind
best = answer.results[0].memory
memories.DeleteMemory(api.DeleteMemoryRequest(user_id="ana", id=best.id))
memories.RestoreMemory(api.RestoreMemoryRequest(user_id="ana", id=best.id, protect=True))
print(f"restored and protected: {best.content}")
