"""Chroma's persistent client with explicit embeddings and one collection per user, its faster layout."""

import time
import uuid

import chromadb
from common import StubEmbedder, Workload, measure_all, parameters, report

LOAD_BATCH = 1_000


def main():
    settings = parameters()
    workload = Workload(settings["workload"])
    embed = StubEmbedder(workload)
    client = chromadb.PersistentClient(
        path=settings["folder"],
        settings=chromadb.Settings(anonymized_telemetry=False),
    )
    users = workload.by_user()
    collections = {user: client.create_collection(user, embedding_function=None) for user in users}

    def add(item):
        user, text = item
        collections[user].add(
            ids=[str(uuid.uuid4())],
            documents=[text],
            embeddings=[embed(text)],
            metadatas=[{"role": "user"}],
        )

    def query(item):
        user, text = item
        collections[user].query(query_embeddings=[embed(text)], n_results=10)

    loaded = {}
    if settings["mode"] == "recall":
        start = time.perf_counter()
        for user, texts in users.items():
            for at in range(0, len(texts), LOAD_BATCH):
                part = texts[at : at + LOAD_BATCH]
                collections[user].add(
                    ids=[str(uuid.uuid4()) for _ in part],
                    documents=part,
                    embeddings=[embed(text) for text in part],
                    metadatas=[{"role": "user"} for _ in part],
                )
        loaded = {"loaded": len(workload.memories), "load_seconds": round(time.perf_counter() - start, 3)}
        items, operation = workload.queries, query
    else:
        items, operation = workload.memories, add

    runs = measure_all(operation, items, settings)
    note = "persistent client, one collection per user, explicit vectors from the stub embedder"
    report("chroma", chromadb.__version__, settings, runs=runs, note=note, **loaded)


main()
