"""The memory tool of assistants, used by the helper class of the public SDK, which sends its commands to Kimberly."""

import itertools
import json

import grpc
import pytest
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from google.rpc import error_details_pb2
from kimberly.v1 import core_memory_service_pb2 as core
from kimberly.v1 import memory_tool_service_pb2 as api
from kimberly.v1 import named_record_service_pb2 as named
from test_memories import details, remember


class KimberlyMemoryTool(BetaAbstractMemoryTool):
    """A backend for the SDK's memory tool, as users would write it."""

    def __init__(self, kimberly, user):
        super().__init__()
        self.kimberly, self.user = kimberly, user

    def run(self, command):
        request = api.RunMemoryToolRequest(user_id=self.user, command=json.dumps(command.to_dict(mode="json")))
        answer = self.kimberly.tool.RunMemoryTool(request)
        if answer.is_error:
            raise ToolError(answer.output)
        return answer.output

    view = create = str_replace = insert = delete = rename = run


@pytest.fixture
def tool(kimberly, user):
    return KimberlyMemoryTool(kimberly, user)


def told(tool, **command):
    """Returns the answer of a tool, and whether it is an error."""
    try:
        return tool.call(command), False
    except ToolError as error:
        return error.content, True


VIEW = {"command": "view", "path": "/memories/notes/travel.md"}
# Commands with the same answers as the SDK's own backend, which uses files.
COMMANDS = [
    {"command": "create", "path": "/memories/notes/travel.md", "file_text": "The ferry\nleaves at nine.\n\nBring a coat.\n"},
    {"command": "create", "path": "/memories/notes/travel.md", "file_text": "again"},
    {"command": "create", "path": "/memories/empty.md", "file_text": ""},
    VIEW,
    VIEW | {"view_range": [2, 3]},
    VIEW | {"view_range": [2, -1]},
    VIEW | {"view_range": [-3, 1]},
    VIEW | {"view_range": [9, 12]},
    {"command": "view", "path": "/memories/empty.md"},
    {"command": "view", "path": "/memories/nothing.md"},
    {"command": "str_replace", "path": "/memories/notes/travel.md", "old_str": "nine", "new_str": "ten"},
    {"command": "str_replace", "path": "/memories/notes/travel.md", "old_str": "eleven", "new_str": "ten"},
    {"command": "str_replace", "path": "/memories/notes/travel.md", "old_str": "e", "new_str": "E"},
    {"command": "str_replace", "path": "/memories/nothing.md", "old_str": "a", "new_str": "b"},
    {"command": "str_replace", "path": "/memories/notes", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": "/memories/notes/travel.md", "insert_line": 0, "insert_text": "# Travel\n"},
    {"command": "insert", "path": "/memories/notes/travel.md", "insert_line": 5, "insert_text": "An umbrella, too."},
    {"command": "insert", "path": "/memories/notes/travel.md", "insert_line": 77, "insert_text": "x"},
    {"command": "insert", "path": "/memories/notes/travel.md", "insert_line": -1, "insert_text": "x"},
    {"command": "insert", "path": "/memories/empty.md", "insert_line": 0, "insert_text": "no more"},
    VIEW,
    {"command": "rename", "old_path": "/memories/empty.md", "new_path": "/memories/notes/travel.md"},
    {"command": "rename", "old_path": "/memories/empty.md", "new_path": "/memories/a/b/full.md"},
    {"command": "rename", "old_path": "/memories/nothing.md", "new_path": "/memories/x.md"},
    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c"},
    {"command": "view", "path": "/memories/c/b/full.md"},
    {"command": "view", "path": "/memories/a"},
    {"command": "delete", "path": "/memories/nothing.md"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/c"},
    {"command": "view", "path": "/memories/c/b/full.md"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "view", "path": "/memories/../secret"},
]


def test_answers_are_those_of_the_sdks_own_backend(tool, tmp_path):
    files = BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))
    for command in COMMANDS:
        assert told(tool, **command) == told(files, **command), command


def test_a_directory_is_listed_two_levels_deep_with_sizes(tool):
    for path, text in [("b.md", "x" * 1024), ("a/x.md", "x"), ("a/y/z.md", "x" * 1536), (".hidden", "x")]:
        told(tool, command="create", path=f"/memories/{path}", file_text=text)
    listed, failed = told(tool, command="view", path="/memories")
    assert not failed
    assert listed.splitlines() == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
        "2.5K\t/memories",
        "1.5K\t/memories/a/",
        "1B\t/memories/a/x.md",
        "1.5K\t/memories/a/y/",
        "1K\t/memories/b.md",
    ]


@pytest.mark.parametrize("start, end", list(itertools.product(["/memories/", "/memories/a/"], ["", "/passwd"])))
@pytest.mark.parametrize("trick", ["..", "%2e%2e", "%2E%2E%2F..", "..%2f..", "..\\..", "%252e%252e", "\uff0e\uff0e", "a\u2215..", "a\x00"])
def test_traversal_and_encoded_tricks_are_refused(kimberly, user, tool, start, trick, end):
    commands = [
        {"command": "create", "path": start + trick + end, "file_text": "x"},
        {"command": "view", "path": start + trick + end},
        {"command": "rename", "old_path": "/memories/a", "new_path": start + trick + end},
    ]
    for command in commands:
        answer, failed = told(tool, **command)
        assert failed and "does not exist" not in answer, answer
    assert list(kimberly.named.ListNames(named.ListNamesRequest(user_id=user)).names) == []


def test_a_file_is_a_memory_like_any_other(kimberly, user, tool):
    told(tool, command="create", path="/memories/tea.md", file_text="Ana takes no sugar.")
    found = kimberly.named.GetNamedRecord(named.GetNamedRecordRequest(user_id=user, name="memories/tea.md")).memory
    assert (found.content, found.protected) == ("Ana takes no sugar.", True)
    edit = named.EditRecordRequest(
        user_id=user, name="memories/tea.md", replace=named.ReplaceEdit(old="no", new="some"), etag=found.etag
    )
    kimberly.named.EditRecord(edit)
    with pytest.raises(grpc.RpcError) as error:
        kimberly.named.EditRecord(edit)
    (info,) = details(error, error_details_pb2.ErrorInfo)
    assert info.reason == "ETAG_MISMATCH"
    assert "some sugar" in told(tool, command="view", path="/memories/tea.md")[0]


def test_core_memory_is_rendered_and_a_label_is_given_once(kimberly, user):
    persona = core.AddBlockRequest(user_id=user, label="persona", content="Calm & brief.", description="who you are")
    kimberly.core.AddBlock(persona)
    with pytest.raises(grpc.RpcError) as error:
        kimberly.core.AddBlock(persona)
    (info,) = details(error, error_details_pb2.ErrorInfo)
    assert (error.value.code(), info.reason) == (grpc.StatusCode.ALREADY_EXISTS, "NAME_TAKEN")
    kimberly.core.UpdateBlock(core.UpdateBlockRequest(user_id=user, label="persona", content="Calm."))
    remember(kimberly, user, "not in it")
    text = kimberly.core.RenderCoreMemory(core.RenderCoreMemoryRequest(user_id=user)).text
    assert text == (
        '<core_memory>\n<block label="persona" description="who you are">\nCalm.\n</block>\n</core_memory>'
    )
