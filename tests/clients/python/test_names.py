"""Records with names: their versions, and blocks of core memory."""

import grpc
import pytest
from google.rpc import error_details_pb2
from kimberly.v1 import core_memory_service_pb2 as core
from kimberly.v1 import named_record_service_pb2 as named
from test_memories import details, remember

NOTE = "notes/travel.md"


@pytest.fixture
def note(kimberly, user):
    """Creates a note and edits it twice, which leaves versions 1 and 2; returns the fields that name it."""
    remember(kimberly, user, "The ferry leaves at nine.", name=NOTE)
    for old, new in [("nine", "ten"), ("ten", "eleven")]:
        edit = named.ReplaceEdit(old=old, new=new)
        kimberly.named.EditRecord(
            named.EditRecordRequest(user_id=user, name=NOTE, replace=edit, reason=f"not {old}, {new}")
        )
    return {"user_id": user, "name": NOTE}


def content(kimberly, note):
    """Returns the current text of a note."""
    return kimberly.named.GetNamedRecord(named.GetNamedRecordRequest(**note)).memory.content


def test_versions_are_listed_read_compared_and_gone_back_to(kimberly, note):
    versions = kimberly.named.ListVersions(named.ListVersionsRequest(**note)).versions
    assert [(one.version, one.action, one.reason) for one in versions] == [
        (2, "memory.edit", "not ten, eleven"),
        (1, "memory.edit", "not nine, ten"),
    ]
    first = kimberly.named.GetVersion(named.GetVersionRequest(**note, version=1))
    assert (first.content, first.version) == ("The ferry leaves at nine.", versions[1])
    diff = kimberly.named.DiffVersions(named.DiffVersionsRequest(**note, from_version=1)).diff
    changed = [line for line in diff.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert changed == ["-The ferry leaves at nine.", "+The ferry leaves at eleven."]
    assert kimberly.named.UndoEdit(named.UndoEditRequest(**note)).version == 2
    assert content(kimberly, note) == "The ferry leaves at ten."
    assert kimberly.named.UndoEdit(named.UndoEditRequest(**note, to_version=1)).version == 1
    assert content(kimberly, note) == "The ferry leaves at nine."


def test_a_redacted_version_holds_no_text_and_the_note_stays(kimberly, note):
    kimberly.named.RedactVersion(named.RedactVersionRequest(**note, version=1))
    redacted = kimberly.named.GetVersion(named.GetVersionRequest(**note, version=1))
    assert (redacted.content, redacted.version.HasField("redacted_at")) == ("", True)
    assert content(kimberly, note) == "The ferry leaves at eleven."
    with pytest.raises(grpc.RpcError) as refused:
        kimberly.named.GetVersion(named.GetVersionRequest(**note, version=9))
    (info,) = details(refused, error_details_pb2.ErrorInfo)
    assert (refused.value.code(), info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_STATE")


def test_a_renamed_note_keeps_its_versions_and_takes_no_name_of_another(kimberly, user, note):
    other = remember(kimberly, user, "Two bags.", name="notes/packing.md")
    with pytest.raises(grpc.RpcError) as refused:
        kimberly.named.RenameRecord(named.RenameRecordRequest(**note, new_name="notes/packing.md"))
    (info,) = details(refused, error_details_pb2.ErrorInfo)
    assert (refused.value.code(), info.reason) == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")
    renamed = kimberly.named.RenameRecord(named.RenameRecordRequest(**note, new_name="notes/trips.md")).receipt
    listed = kimberly.named.ListNames(named.ListNamesRequest(user_id=user, prefix="notes/")).names
    assert [(one.name, one.id) for one in listed] == [("notes/packing.md", other.id), ("notes/trips.md", renamed.id)]
    kept = named.ListVersionsRequest(user_id=user, name="notes/trips.md")
    assert {1, 2} <= {one.version for one in kimberly.named.ListVersions(kept).versions}


def test_blocks_are_listed_with_the_bytes_that_are_left_and_removed_unless_read_only(kimberly, user):
    for label, text in [("persona", "Calm."), ("human", "Ana likes tea.")]:
        kimberly.core.AddBlock(core.AddBlockRequest(user_id=user, label=label, content=text))
    kimberly.core.UpdateBlock(core.UpdateBlockRequest(user_id=user, label="persona", read_only=True))

    def listed():
        return kimberly.core.ListBlocks(core.ListBlocksRequest(user_id=user))

    blocks = listed()
    assert [(one.name, one.content) for one in blocks.blocks] == [
        ("core/human", "Ana likes tea."),
        ("core/persona", "Calm."),
    ]
    assert (blocks.bytes, blocks.limit_bytes) == (len("Ana likes tea.Calm."), 32 * 1024)
    with pytest.raises(grpc.RpcError) as refused:
        kimberly.core.RemoveBlock(core.RemoveBlockRequest(user_id=user, label="persona"))
    (info,) = details(refused, error_details_pb2.ErrorInfo)
    assert info.reason == "WRONG_STATE"
    kimberly.core.RemoveBlock(core.RemoveBlockRequest(user_id=user, label="human"))
    assert [one.name for one in listed().blocks] == ["core/persona"]
