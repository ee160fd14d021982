"""Documents: ingest one, find it by its passages, read it."""

from kimberly.v1 import document_service_pb2 as documents
from kimberly.v1 import memory_service_pb2 as memories

PAGE = "<title>Leave</title><p>Staff have <b>25 days</b> of annual leave.</p><script>var x;</script>"


def test_a_page_is_found_by_its_passages_and_kept_once(kimberly, user):
    request = documents.IngestDocumentRequest(
        user_id=user, text=PAGE, media_type="text/html", name="documents/leave.html"
    )
    stored = kimberly.documents.IngestDocument(request)
    assert (stored.passages, stored.known) == (1, False)
    assert kimberly.documents.IngestDocument(request).known
    query = memories.QueryMemoriesRequest(user_id=user, query="how many days of leave?")
    best = kimberly.memories.QueryMemories(query).results[0]
    assert best.memory.detail.document.title == "Leave"
    assert best.passages[0].text == "Staff have 25 days of annual leave."
    listing = documents.ListPassagesRequest(user_id=user, id=best.memory.id)
    assert list(kimberly.documents.ListPassages(listing).passages) == list(best.passages)
