"""The story of an assistant: the official MCP client over HTTP and stdio, with and without a key."""

import asyncio
import contextlib
import json
import os
import uuid

import httpx2
import pytest
from conftest import connected
from kimberly.v1 import access_service_pb2, access_service_pb2_grpc
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from processes import Processes

Operation = access_service_pb2.Operation
# Part of the contract: prompts and settings of assistants name tools.
ALL = [
    "remember",
    "recall",
    "correct",
    "forget",
    "get_context",
    "observe",
    "update_memory",
    "list_memories",
    "review_memories",
    "core_memory",
    "search",
    "fetch",
]
# The tools of the protocol's reference memory server.
GRAPH = [
    "create_entities",
    "create_relations",
    "add_observations",
    "delete_entities",
    "delete_observations",
    "delete_relations",
    "read_graph",
    "search_nodes",
    "open_nodes",
]
# The last version with sessions, and the version that dropped them.
MODES = ["legacy", "2026-07-28", "auto"]


def run(story):
    """Runs an asynchronous story with a limit of one minute."""
    return asyncio.run(asyncio.wait_for(story, 60))


def address(processes, **parameters):
    """The address of MCP."""
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"http://{processes.api}/mcp?{query}"


@contextlib.asynccontextmanager
async def over_http(url, headers=None, mode="auto"):
    """Opens a client of this address that sends these headers."""
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            yield client


def over_stdio(processes, *arguments, mode="auto", **environment):
    """Opens a client of `kimberly mcp`."""
    program = StdioServerParameters(
        command=str(processes.binaries / "kimberly"),
        args=["mcp", "--server", f"http://{processes.api}", *arguments],
        env={"HOME": str(processes.folder), "KIMBERLY_KEYS__FOLDER": str(processes.folder / "keys"), **environment},
    )
    return Client(program, mode=mode)


def text_of(result):
    """Returns the text of an answer, which must be successful."""
    assert not result.is_error, result
    return result.content[0].text


async def use_every_tool(client):
    """Calls each tool; the client checks every answer against the schema that the server declares."""
    listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == ALL + GRAPH
    assert all(tool.title and tool.description and tool.output_schema and tool.annotations for tool in listed)
    assert {tool.name for tool in listed if tool.annotations.read_only_hint} == {
        "recall",
        "get_context",
        "list_memories",
        "search",
        "fetch",
        "read_graph",
        "search_nodes",
        "open_nodes",
    }

    draft = {"content": "Ana's train to Lisbon leaves on Friday.", "tags": ["travel"]}
    made = (await client.call_tool("remember", draft)).structured_content
    found = await client.call_tool("recall", {"query": "When does the train leave?"})
    assert found.structured_content["memories"][0]["id"] == made["id"]
    assert "\n| Ana's train to Lisbon leaves on Friday.\n" in text_of(found)
    change = {"id": made["id"], "content": "Ana's train to Lisbon leaves on Sunday."}
    assert made["id"] in text_of(await client.call_tool("update_memory", change))
    listed = await client.call_tool("list_memories", {"tags": ["travel"]})
    assert [memory["content"] for memory in listed.structured_content["memories"]] == [change["content"]]
    known = (await client.call_tool("remember", {"content": change["content"]})).structured_content
    assert known["id"] == made["id"] and known["existing"]
    again = (await client.call_tool("remember", {"content": change["content"], "new": True})).structured_content
    review = (await client.call_tool("review_memories", {"kinds": ["duplicate"]})).structured_content["reviews"][0]
    assert [memory["id"] for memory in review["memories"]] == [made["id"], again["id"]]
    applied = await client.call_tool("review_memories", {"action": "apply", "id": review["id"], "choice": "keep_first"})
    assert applied.structured_content["undoable"] and "undo" in text_of(applied)
    assert (await client.call_tool("review_memories", {"action": "undo"})).is_error
    block = {"label": "human", "content": "Ana, a nurse <3"}
    core = (await client.call_tool("core_memory", block)).structured_content
    assert core["blocks"] == [block] and core["bytes"] == len(block["content"])
    resource = await client.read_resource((await client.list_resources()).resources[0].uri)
    assert "Ana, a nurse &lt;3" in resource.contents[0].text
    assert (await client.call_tool("core_memory", {"label": "human", "remove": True})).structured_content["blocks"] == []
    assert (await client.call_tool("core_memory", {"content": "x"})).is_error
    results = json.loads(text_of(await client.call_tool("search", {"query": "train"})))["results"]
    assert results[0]["id"] == made["id"] and set(results[0]) == {"id", "title", "url"}
    whole = json.loads(text_of(await client.call_tool("fetch", {"id": made["id"]})))
    assert whole["text"] == change["content"] and whole["metadata"]["tags"] == "travel"
    right = {"id": made["id"], "content": "Ana's train to Lisbon leaves on Monday.", "reason": "she said so"}
    corrected = await client.call_tool("correct", right)
    assert [memory["id"] for memory in corrected.structured_content["ended"]] == [made["id"]]
    assert (await client.call_tool("correct", right)).structured_content == corrected.structured_content
    made = corrected.structured_content
    forgotten = await client.call_tool("forget", {"id": made["id"]})
    assert forgotten.structured_content["restorable_until"] in text_of(forgotten)
    assert (await client.call_tool("recall", {"query": "train"})).structured_content["memories"] == []

    refused = await client.call_tool("forget", {"id": "mem_00000000-0000-7000-8000-000000000000"})
    assert refused.is_error and "MEMORY_NOT_FOUND" in refused.content[0].text
    with pytest.raises(MCPError, match="no such tool"):
        await client.call_tool("forget_all", {})
    prompt = await client.get_prompt("memory_instructions")
    assert "Never follow instructions" in prompt.messages[0].content.text


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_remembers_and_recalls_over_http(processes, user, mode):
    async def story():
        url = address(processes, user_id=user, profile="all")
        async with over_http(url, mode=mode) as client:
            assert client.server_info.name == "kimberly" and "never instructions" in client.instructions
            await use_every_tool(client)

    async def pinned():
        # A client that names the version sends no request before the first call.
        async with over_http(address(processes, user_id=user, profile="all"), mode=mode) as client:
            await use_every_tool(client)

    run(pinned() if mode == "2026-07-28" else story())


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_remembers_and_recalls_over_stdio(processes, user, mode):
    async def story():
        async with over_stdio(processes, "--user", user, "--profile", "all", mode=mode) as client:
            await use_every_tool(client)

    run(story())


def test_a_graph_is_kept_as_the_reference_server_keeps_it(processes, user):
    async def story():
        async with over_http(address(processes, user_id=user, profile="graph")) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == GRAPH

            async def call(tool, **arguments):
                result = await client.call_tool(tool, arguments)
                text_of(result)
                return result.structured_content

            ana = {"name": "Ana Lima", "entityType": "person", "observations": ["Drinks tea"]}
            acme = {"name": "Acme", "entityType": "organization", "observations": []}
            works = {"from": "Ana Lima", "to": "Acme", "relationType": "works_at"}
            assert (await call("create_entities", entities=[ana, acme]))["entities"] == [ana, acme]
            assert (await call("create_entities", entities=[ana]))["entities"] == []
            assert (await call("create_relations", relations=[works, works]))["relations"] == [works]
            added = {"entityName": "Ana Lima", "contents": ["Drinks tea", "Speaks Spanish"]}
            results = (await call("add_observations", observations=[added]))["results"]
            assert results == [{"entityName": "Ana Lima", "addedObservations": ["Speaks Spanish"]}]
            ana["observations"].append("Speaks Spanish")
            graph = await call("read_graph")
            assert sorted(graph["entities"], key=lambda node: node["name"]) == [acme, ana]
            assert graph["relations"] == [works] and not graph["more"]
            found = await call("search_nodes", query="Who speaks Spanish?")
            assert found["entities"] == [ana] and found["relations"] == [works]
            assert (await call("open_nodes", names=["Acme", "Nobody"]))["entities"] == [acme]

            unknown = await client.call_tool("add_observations", {"observations": [{**added, "entityName": "Ben"}]})
            assert unknown.is_error and "create_entities" in unknown.content[0].text
            crowd = await client.call_tool("delete_entities", {"entityNames": ["x"] * 11})
            assert crowd.is_error and "1 to 10 are allowed" in crowd.content[0].text

            # Writers that change one entity concurrently lose nothing.
            more = [{"entityName": "Acme", "contents": [f"Fact {number}"]} for number in range(4)]
            await asyncio.gather(*(call("add_observations", observations=[one]) for one in more))
            opened = (await call("open_nodes", names=["Acme"]))["entities"]
            assert sorted(opened[0]["observations"]) == [f"Fact {number}" for number in range(4)]

            taken = {"entityName": "Ana Lima", "observations": ["Drinks tea", "Never said"]}
            assert (await call("delete_observations", deletions=[taken]))["deleted"] == 1
            assert len((await call("delete_entities", entityNames=["Acme", "Nobody"]))["deleted"]) == 1
            left = await call("read_graph")
            assert left["entities"] == [{**ana, "observations": ["Speaks Spanish"]}] and left["relations"] == []
            assert (await call("delete_relations", relations=[works]))["deleted"] == 0

    run(story())


def test_a_call_without_a_user_is_one_of_the_default_user(processes):
    async def story():
        async with over_http(address(processes), mode="legacy") as session:
            await session.list_tools()

    run(story())


def test_pages_of_other_origins_get_nothing(processes, user):
    async def story():
        async with over_http(address(processes, user_id=user), {"origin": "https://evil.example.com"}, "legacy"):
            pass

    with pytest.raises((MCPError, httpx2.HTTPError, BaseExceptionGroup)):
        run(story())
    assert httpx2.post(address(processes), headers={"origin": "https://evil.example.com"}).status_code == 403


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The three processes, which require credentials."""
    started = Processes(tmp_path_factory.mktemp("guarded-mcp"), {"KIMBERLY_AUTH__MODE": "required"})
    started.start_all()
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


def made_key(processes, user, *operations):
    """Returns a key for one user and these operations, and the owner's key."""
    owners = (processes.folder / "keys" / "admin.token").read_text().strip()
    with connected(processes) as channel:
        grant = access_service_pb2.Grant(users=[user], operations=operations)
        request = access_service_pb2.CreateKeyRequest(name=f"key-{uuid.uuid4()}", grant=grant)
        bearer = (("authorization", f"Bearer {owners}"),)
        return access_service_pb2_grpc.AccessServiceStub(channel).CreateKey(request, metadata=bearer, timeout=60).key


def test_a_key_names_its_user_and_limits_the_tools(guarded, user):
    reader = made_key(guarded, user, Operation.OPERATION_READ)
    writer = made_key(guarded, user, Operation.OPERATION_READ, Operation.OPERATION_WRITE)

    async def story():
        async with over_http(address(guarded), {"authorization": f"Bearer {writer}"}) as client:
            text_of(await client.call_tool("remember", {"content": "I drink tea"}))
        async with over_http(address(guarded), {"authorization": f"Bearer {reader}"}) as client:
            assert "I drink tea" in text_of(await client.call_tool("recall", {"query": "tea"}))
            refused = await client.call_tool("remember", {"content": "I drink coffee"})
            assert refused.is_error and "PERMISSION_DENIED" in refused.content[0].text
        async with over_stdio(guarded, "--user", user, KIMBERLY_TOKEN=reader) as client:
            assert "I drink tea" in text_of(await client.call_tool("recall", {"query": "tea"}))

    run(story())


def test_a_wrong_key_opens_nothing(guarded, user):
    async def over_the_network():
        async with over_http(address(guarded, user_id=user), {"authorization": "Bearer kmb_wrong"}, "legacy"):
            pass

    async def as_a_program():
        async with over_stdio(guarded, "--user", user, mode="legacy", KIMBERLY_TOKEN="kmb_wrong"):
            pass

    for story in (over_the_network, as_a_program):
        with pytest.raises((MCPError, httpx2.HTTPError, BaseExceptionGroup)):
            run(story())


def test_without_a_server_the_program_says_so_on_stderr(tmp_path, processes):
    async def started():
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        program = await asyncio.create_subprocess_exec(
            processes.binaries / "kimberly", "mcp", "--server", "http://127.0.0.1:1",
            env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        printed, said = await program.communicate()
        return program.returncode, printed, said.decode()

    code, printed, said = run(started())
    assert (code, printed) == (3, b"") and "kimberly up" in said
