"""Recall by meaning: what it finds, what never gets a vector, imported vectors, and an unavailable embedder."""

import time

import grpc
import pytest
from conftest import connected, stubs
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import consent_service_pb2 as consent
from kimberly.v1 import embedding_service_pb2 as embedding
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import metrics_service_pb2 as metrics
from processes import MODEL, Processes

HOLIDAY = "We spent the whole summer holiday in Rome"
DENTIST = "The dentist wants to see me again in May"
SECRET = "My blood pressure is far too high"


@pytest.fixture
def system(tmp_path):
    """Separate processes, with a model that may run at any hour."""
    assert (MODEL / "model.safetensors").is_file(), f"no model in {MODEL}; run `tests/run --only tools` first"
    configuration = {
        "KIMBERLY_EMBEDDER__MODEL": str(MODEL),
        "KIMBERLY_EMBEDDING__WINDOW": "always",
        "KIMBERLY_RECALL__EMBED_DEADLINE": "10s",
    }
    started = Processes(tmp_path, configuration)
    started.start_all()
    yield started
    started.stop_all()


def in_sync(kimberly, user, vectors):
    """Returns the status once a user has this many vectors, which are all that are needed."""
    for _ in range(600):
        status = kimberly.embeddings.GetEmbeddingStatus(
            embedding.GetEmbeddingStatusRequest(user_id=user), timeout=30
        ).status
        if status.state == embedding.EMBEDDING_STATE_IN_SYNC and status.vectors == vectors:
            return status
        time.sleep(0.1)
    raise AssertionError(f"there are never {vectors} vectors; the last status was {status}")


def recall(kimberly, user, query):
    request = api.QueryMemoriesRequest(user_id=user, query=query, explain=True)
    return kimberly.memories.QueryMemories(request, timeout=30)


def upload(kimberly, user, model, texts, vector):
    items = [
        embedding.EmbeddingItem(
            id=item.id, fingerprint=item.fingerprint, vectors=[embedding.Vector(values=vector)] * len(item.texts)
        )
        for item in texts
    ]
    request = embedding.UploadEmbeddingsRequest(user_id=user, model=model, items=items)
    return list(kimberly.embeddings.UploadEmbeddings(request, timeout=30).outcomes)


def refusal(call, *arguments):
    with pytest.raises(grpc.RpcError) as refused:
        call(*arguments)
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(refused.value).details[0].Unpack(info)
    return info


def test_recall_by_meaning_and_vectors_from_elsewhere(system, user):
    with connected(system) as channel:
        kimberly = stubs(channel)
        agreed = consent.Consent(purpose="health")
        kimberly.consents.GrantConsent(consent.GrantConsentRequest(user_id=user, consent=agreed), timeout=30)
        secret = memory.MemoryDraft(content=SECRET, metadata=memory.Metadata(sensitive=True))
        drafts = [memory.MemoryDraft(content=HOLIDAY), memory.MemoryDraft(content=DENTIST), secret]
        request = api.BatchCreateMemoriesRequest(user_id=user, memories=drafts, request_id="three")
        holiday, _, hidden = kimberly.memories.BatchCreateMemories(request, timeout=30).receipts

        # Two of the three have a vector, and a question finds one without sharing a word with it
        status = in_sync(kimberly, user, 2)
        assert (status.dimension, status.missing_vectors, status.reason) == (384, 0, "")
        answer = recall(kimberly, user, "which Italian city did they travel to for vacation?")
        assert answer.semantic == api.SEMANTIC_STATUS_USED
        best = answer.results[0]
        assert best.memory.content == HOLIDAY
        assert list(best.explanation.found_by) == ["vector"] and best.explanation.cosine > 0.2

        # Each memory says whether it has a vector
        def reference(receipt):
            found = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=receipt.id), timeout=30)
            return found.memory.embedding_ref

        assert reference(holiday) == f"{status.model}/{holiday.id}"
        assert reference(hidden) == ""
        counted = kimberly.metrics.GetMetrics(metrics.GetMetricsRequest(user_id=user), timeout=30).user
        assert counted.embedding_enabled and 0 < counted.vector_index_bytes < 128 * 1024

        # Texts are exported, except the sensitive one; vectors of another model or size are refused
        pieces = kimberly.embeddings.ExportEmbeddingTexts(
            embedding.ExportEmbeddingTextsRequest(user_id=user), timeout=30
        )
        texts = [item for piece in pieces for item in piece.items]
        assert sorted(text for item in texts for text in item.texts) == sorted([HOLIDAY, DENTIST])
        unit = [1.0] + [0.0] * 383
        unchanged = embedding.UPLOAD_OUTCOME_UNCHANGED
        assert upload(kimberly, user, status.model, texts, unit) == [unchanged, unchanged]
        info = refusal(upload, kimberly, user, "other-0123456789abcdef", texts, unit)
        assert (info.reason, info.metadata["models"]) == ("WRONG_MODEL", status.model)
        assert refusal(upload, kimberly, user, status.model, texts, [1.0]).reason == "INVALID_FIELD"

        # A deleted memory loses its vector
        kimberly.memories.DeleteMemory(api.DeleteMemoryRequest(user_id=user, id=holiday.id), timeout=30)
        in_sync(kimberly, user, 1)
        assert reference(holiday) == ""


def test_words_answer_while_the_embedder_is_away(system, user):
    with connected(system) as channel:
        kimberly = stubs(channel)
        request = api.CreateMemoryRequest(user_id=user, memory=memory.MemoryDraft(content=DENTIST))
        kimberly.memories.CreateMemory(request, timeout=30)
        in_sync(kimberly, user, 1)
        system.kill("embedder")
        answer = recall(kimberly, user, "when is the dentist?")
        assert answer.semantic == api.SEMANTIC_STATUS_UNAVAILABLE
        assert [result.memory.content for result in answer.results] == [DENTIST]
