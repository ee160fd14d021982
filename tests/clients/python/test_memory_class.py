"""The client classes for the memory of one user, blocking and asynchronous."""

import asyncio
import json
import sys
import uuid

import pytest

from conftest import CLIENTS, SERVICE_CONFIG

sys.path.insert(0, str(CLIENTS / "python"))

from kimberly_client import AsyncMemory, KimberlyError, Memory, MemoryToolError, connection  # noqa: E402

CHAT = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "I moved to Lisbon in May, for good."}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "sunny, 24 degrees"},
    {"role": "assistant", "content": "Lisbon is sunny today. What do you like there?"},
]


@pytest.fixture
def url(processes):
    return f"http://{processes.api}"


def test_retries_are_those_that_clients_should_ship():
    assert json.loads(connection.SERVICE_CONFIG) == json.loads(SERVICE_CONFIG)


def test_a_url_without_a_port_means_the_default_one():
    targets = {
        "http://localhost": "localhost:7420",
        "localhost": "localhost:7420",
        "http://[::1]/": "[::1]:7420",
        "http://localhost:80": "localhost:80",
        "https://localhost": "localhost:443",
        "https://localhost:7420": "localhost:7420",
    }
    assert {url: connection.Server.at(url, None, None).target for url in targets} == targets


def test_a_conversation_comes_in_once_and_what_matters_comes_out(url):
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        assert memory.observe("chat", CHAT).stored == 3
        assert memory.observe("chat", CHAT).stored == 0
        added = memory.add("Ana keeps bees on the roof", tags=["bees"])
        assert [found.memory.id for found in memory.search("bees on the roof", tags=["bees"])] == [added.id]
        told = memory.context("Where do I keep my bees on the roof?", session="chat", budget_tokens=1_000)
        assert "| Ana keeps bees on the roof" in told.text and 0 < told.tokens <= 1_000
        assert added.id in [item.id for item in told.items]
        assert "bees" not in memory.context(session="chat", parts=["turns"]).text
        assert memory.forget(added.id).id == added.id
        assert not memory.search("bees on the roof", tags=["bees"])


def test_a_history_longer_than_a_call_comes_in_once_and_in_order(url):
    said = [{"role": "user", "content": "ok" if n % 5 == 0 else f"note {n}"} for n in range(2_100)]
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        first = memory.observe("chat", said)
        assert (first.stored, len({one.id for one in first.messages})) == (2_100, 2_100)
        again = memory.observe("chat", [*said, {"role": "user", "content": "ok"}])
        assert again.stored == 1 and [one.id for one in again.messages[:-1]] == [one.id for one in first.messages]
        told = memory.context(session="chat", parts=["turns"])
        assert [item.id for item in told.items][-3:] == [one.id for one in again.messages[-3:]]


def test_what_is_wrong_is_corrected_and_a_session_ends(url):
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        memory.observe("chat", CHAT)
        wrong = memory.add("Ana keeps bees on the roof")
        right = memory.correct(wrong.id, "Ana keeps bees in the garden", reason="she said so")
        assert [found.memory.id for found in memory.search("Where does Ana keep bees?", top_k=1)] == [right.id]
        # Messages of tools are short-term memories.
        assert memory.end_session("chat").archived == 1


def test_what_a_conversation_tells_is_learned_while_the_caller_waits(url):
    said = [{"role": "user", "content": "Hello! I work as a nurse in Porto. Will it rain?"}]
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        answer = memory.observe("chat", said, wait=True)
        [turn] = answer.extracted
        assert turn.id == answer.messages[0].id and len(turn.made_ids) == 1
        again = memory.observe("another chat", said, wait=True).extracted[0]
        assert (list(again.made_ids), list(again.merged_ids)) == ([], list(turn.made_ids))


def test_a_long_conversation_is_summarized(url):
    said = [{"role": "user", "content": f"We decided that train {n} goes to Porto."} for n in range(8)]
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        memory.observe("chat", said)
        made = memory.compact("chat", keep=2)
        assert (made.turns, len(made.summary_ids)) == (6, 1)
        told = memory.context(session="chat", parts=["snapshots", "turns"])
        assert [item.id for item in told.items][0] == made.summary_ids[0] and len(told.items) == 3
        assert not memory.compact("chat", keep=2).summary_ids


def test_blocks_of_core_memory_are_written_in_place_and_rendered(url):
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        assert memory.core.get("persona") is None
        memory.core.set("persona", "Calm.", description="who you are")
        memory.core.set("persona", "Brief & calm.")
        memory.core.append("persona", "Never rude.")
        memory.core.replace("persona", "Never", "Not")
        memory.core.set("human", "Ana", namespace="work")
        assert memory.core.get("persona").content.split() == ["Brief", "&", "calm.", "Not", "rude."]
        assert '<block label="persona" description="who you are">\nBrief &amp; calm.' in memory.core.render()
        assert [block.content for block in memory.core.list(namespace="work")] == ["Ana"]
        memory.core.set("persona", "Calm.", read_only=True)
        with pytest.raises(KimberlyError) as refused:
            memory.core.append("persona", "x")
        assert refused.value.reason == "WRONG_STATE"
        memory.core.set("persona", "Calm.", read_only=False)
        memory.core.remove("persona")
        assert not memory.core.list()
        with pytest.raises(KimberlyError) as refused:
            memory.core.append("persona", "x")
        assert refused.value.reason == "MEMORY_NOT_FOUND"


def test_files_are_kept_by_the_commands_of_the_memory_tool(url):
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        memory.files.create("/memories/notes/trip.md", "The ferry\nleaves at nine.\n")
        memory.files.str_replace("/memories/notes/trip.md", "nine", "ten")
        memory.files.insert("/memories/notes/trip.md", 0, "# Trip\n")
        memory.files.rename("/memories/notes", "/memories/plans")
        shown = [line.split("\t")[-1] for line in memory.files.view("/memories/plans/trip.md").splitlines()]
        assert shown[1:4] == ["# Trip", "The ferry", "leaves at ten."]
        assert "# Trip" not in memory.files.view("/memories/plans/trip.md", (2, -1))
        assert memory.files.run({"command": "view", "path": "/memories"}) == memory.files.view()
        memory.files.delete("/memories/plans")
        with pytest.raises(MemoryToolError, match="does not exist"):
            memory.files.view("/memories/plans")
        with pytest.raises(KimberlyError, match="namespace"):
            memory.files.view(namespace="\n")


def test_a_document_is_found_by_its_passages(url):
    with Memory(url, user=f"python-{uuid.uuid4()}") as memory:
        text = "# Leave\n\nStaff have 25 days of annual leave."
        stored = memory.add_document(text, name="documents/leave.md", media_type="text/markdown", tags=["hr"])
        best = memory.search("how many days of leave?", tags=["hr"])[0]
        assert (best.memory.id, best.passages[0].text) == (stored.receipt.id, text)
        assert "25 days" in memory.context("how many days of leave?").text
        again = memory.add_document(text.replace("25", "30"), name="documents/leave.md", media_type="text/markdown")
        assert again.receipt.id == stored.receipt.id


def test_core_memory_and_files_in_asyncio(url):
    async def story():
        async with AsyncMemory(url, user=f"python-{uuid.uuid4()}") as memory:
            await memory.core.set("human", "Ana")
            await memory.core.append("human", "lives in Lisbon")
            await memory.core.replace("human", "Lisbon", "Porto")
            assert "lives in Porto" in (await memory.core.get("human")).content
            assert "lives in Porto" in await memory.core.render()
            await memory.core.remove("human")
            assert not await memory.core.list()
            await memory.files.create("/memories/a.md", "one")
            await memory.files.str_replace("/memories/a.md", "one", "two")
            await memory.files.insert("/memories/a.md", 0, "# A")
            await memory.files.rename("/memories/a.md", "/memories/b.md")
            assert "b.md" in await memory.files.view()
            await memory.files.delete("/memories/b.md")
            with pytest.raises(MemoryToolError):
                await memory.files.view("/memories/b.md")

    asyncio.run(story())


def test_the_same_in_asyncio(url):
    async def story():
        async with AsyncMemory(url, user=f"python-{uuid.uuid4()}") as memory:
            assert (await memory.observe("chat", CHAT)).stored == 3
            long = [{"role": "user", "content": "ok"}] * 1_200
            assert [(await memory.observe("long chat", long)).stored for _ in range(2)] == [1_200, 0]
            added = await memory.add("Ana keeps bees on the roof")
            found = await memory.search("bees on the roof")
            assert found[0].memory.id == added.id
            assert "sunny" in (await memory.context(session="chat")).text
            right = await memory.correct(added.id, "Ana keeps bees in the garden")
            await memory.forget(right.id)
            assert (await memory.end_session("chat")).archived == 1
            with pytest.raises(KimberlyError) as refused:
                await memory.forget("mem_x")
            assert refused.value.reason == "INVALID_FIELD"

    asyncio.run(story())


def test_errors_say_why_and_keys_go_nowhere_in_the_clear(url):
    with Memory(url, user="ana") as memory, pytest.raises(KimberlyError) as refused:
        memory.observe("", CHAT)
    assert refused.value.reason == "INVALID_FIELD" and "session_id" in str(refused.value)
    with Memory(url, user="ana") as memory, pytest.raises(ValueError, match="poet"):
        memory.observe("chat", [{"role": "poet", "content": "ode"}])
    with pytest.raises(ValueError, match="https"):
        Memory("http://memory.example.com", "kmb_secret", user="ana")
    with pytest.raises(ValueError, match="address"):
        Memory("ftp://memory.example.com", user="ana")
