"""mem0 with its local Qdrant on disk and `infer=False`: storage and search, without model and network."""

import hashlib
import os
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

LOAD_BATCH = 1_000
os.environ["MEM0_TELEMETRY"] = "False"

from common import DIMENSIONS, StubEmbedder, Workload, measure_all, parameters, report

settings = parameters()
folder = Path(settings["folder"])
os.environ["MEM0_DIR"] = str(folder / "home")

import mem0
from mem0.utils.factory import EmbedderFactory


class Embedder:
    """mem0's embedder interface over the stub."""

    stub = None

    def __init__(self, config):
        self.config = config

    def embed(self, text, memory_action=None):
        return self.stub(text).tolist()

    def embed_batch(self, texts, memory_action=None):
        return [self.embed(text) for text in texts]


def open_memory():
    # The factory accepts only known names, so the stub replaces one of them.
    sys.modules["kimberly_stub_embedder"] = sys.modules[__name__]
    EmbedderFactory.provider_to_class["huggingface"] = "kimberly_stub_embedder.Embedder"
    return mem0.Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": "memories",
                    "path": str(folder / "qdrant"),
                    "embedding_model_dims": DIMENSIONS,
                    "on_disk": True,
                },
            },
            "embedder": {"provider": "huggingface", "config": {"embedding_dims": DIMENSIONS}},
            # Required by mem0, but never called with infer=False.
            "llm": {"provider": "openai", "config": {"api_key": "unused", "model": "unused"}},
            "history_db_path": str(folder / "history.db"),
        }
    )


def load(memory, memories):
    """Stores the payloads of `add` in batches, since `add` takes 20 ms each, which is minutes for a benchmark."""
    for at in range(0, len(memories), LOAD_BATCH):
        part = memories[at : at + LOAD_BATCH]
        memory.vector_store.insert(
            vectors=[Embedder.stub(text).tolist() for _, text in part],
            payloads=[payload(user, text) for user, text in part],
            ids=[str(uuid.uuid4()) for _ in part],
        )


def payload(user, text):
    now = datetime.now(timezone.utc).isoformat()
    return {
        "user_id": user,
        "role": "user",
        "data": text,
        "hash": hashlib.md5(text.encode()).hexdigest(),
        "created_at": now,
        "updated_at": now,
        "text_lemmatized": text.lower(),
    }


def main():
    workload = Workload(settings["workload"])
    Embedder.stub = StubEmbedder(workload)
    memory = open_memory()

    def add(item):
        user, text = item
        memory.add([{"role": "user", "content": text}], user_id=user, infer=False)

    def search(item):
        user, query = item
        memory.search(query, top_k=10, filters={"user_id": user})

    loaded = {}
    if settings["mode"] == "recall":
        start = time.perf_counter()
        load(memory, workload.memories)
        loaded = {"loaded": len(workload.memories), "load_seconds": round(time.perf_counter() - start, 3)}
        items, operation = workload.queries, search
    else:
        items, operation = workload.memories, add

    runs = measure_all(operation, items, settings)
    note = "infer=False, local Qdrant on disk, stub embedder whose vectors are ready; default install, so no keyword index; "
    note += "for recall the texts are loaded in batches below its API"
    report("mem0", mem0.__version__, settings, runs=runs, note=note, **loaded)
    memory.close()


main()
