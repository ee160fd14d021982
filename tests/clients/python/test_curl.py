"""The story with a real curl: JSON over HTTP."""

import json
import pathlib
import re
import subprocess
import urllib.parse

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOTAL = 10_000
BATCH = 1_000
KEY = "The spare key hangs behind the blue door."


class Curl:
    """Calls of one server."""

    def __init__(self, address):
        self.url = f"http://{address}"

    def __call__(self, method, path, body=None, *options):
        """Returns status and body of an answer."""
        command = ["curl", "--silent", "--show-error", "--max-time", "120", "--write-out", "\n%{http_code}", *options]
        command += ["--request", method, self.url + path]
        if body is not None:
            command += ["--header", "content-type: application/json", "--data-binary", "@-"]
        text = "" if body is None else json.dumps(body)
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=150, check=True)
        answer, _, status = done.stdout.rpartition("\n")
        return int(status), answer

    def ok(self, method, path, body=None):
        """Returns the JSON of a successful answer."""
        status, answer = self(method, path, body)
        assert status == 200, answer
        return json.loads(answer)


@pytest.fixture
def curl(processes):
    return Curl(processes.api)


def recalled(curl, user, query):
    answer = curl.ok("POST", "/memory/query", {"userId": user, "query": query})
    return [result["memory"]["content"] for result in answer["results"]]


def page_through(curl, user):
    seen, token = [], ""
    while True:
        page = curl.ok("GET", f"/memory?user_id={user}&page_size=1000&order=LIST_ORDER_OLDEST_FIRST&page_token={token}")
        seen += [memory["content"] for memory in page["memories"]]
        token = page["nextPageToken"]
        if not token:
            return seen


def watch(curl, user, cursor, count):
    """Reads this many changes since a cursor, or from now; returns them and the cursor after them."""
    url = f"{curl.url}/v1/users/{user}/memories:watch?cursor={urllib.parse.quote(cursor)}"
    command = ["curl", "--silent", "--show-error", "--no-buffer", "--max-time", "120", url]
    changes = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        for line in running.stdout:
            message = json.loads(line)
            if message.get("change"):
                changes.append((message["change"]["kind"], message["change"]["memoryId"]))
            if len(changes) == count:
                running.kill()
                return changes, message["cursor"]
    raise AssertionError(f"the stream ended after {changes}")


def test_the_story(curl, user):
    # Remember
    contents = [f"note number {n}" for n in range(TOTAL - 1)] + [KEY]
    taken, key = 0, None
    for start in range(0, TOTAL, BATCH):
        drafts = [{"content": content} for content in contents[start : start + BATCH]]
        batch = {"memories": drafts, "requestId": f"batch-{start}"}
        receipts = curl.ok("POST", f"/v1/users/{user}/memories:batchCreate", batch)["receipts"]
        taken += sum(int(receipt["sizeBytes"]) for receipt in receipts)
        key = receipts[-1]

    # Recall
    assert recalled(curl, user, "where is the spare key?")[0] == KEY

    # Watch from now on, change it, and change it again with the outdated etag
    _, cursor = watch(curl, user, "", 0)
    changed = "The spare key lies under the red mat."
    path = f"/v1/users/{user}/memories/{key['id']}?update_mask=content&etag={key['etag']}"
    receipt = curl.ok("PATCH", path, {"content": changed})["receipt"]
    status, stale = curl("PATCH", path, {"content": changed})
    info = json.loads(stale)["details"][0]
    assert (status, info["reason"], info["metadata"]["etag"]) == (409, "ETAG_MISMATCH", receipt["etag"])
    assert recalled(curl, user, "where is the spare key?")[0] == changed

    # Page through everything: each memory once, in order
    assert page_through(curl, user) == [*contents[:-1], changed]

    # Meditate: the dry run changes nothing, the real run follows its plan and is watched
    limit = {"longTermQuotaBytes": str(taken * 99 // 100)}
    curl.ok("PATCH", f"/v1/users/{user}/settings?update_mask=longTermQuotaBytes", limit)
    plan = curl.ok("POST", f"/memory/meditate?user_id={user}&dry_run=true")
    archives = "DECISION_ACTION_ARCHIVE"
    planned = [decision["memoryId"] for decision in plan["decisions"] if decision["action"] == archives]
    assert 0 < int(plan["meditation"]["archived"]) == len(planned) < TOTAL // 10
    usage = curl.ok("GET", f"/memory/metrics?user_id={user}")["user"]
    assert usage["archive"]["items"] == "0", "a dry run changed something"
    run = curl.ok("POST", "/memory/meditate", {"userId": user, "planToken": plan["planToken"]})["meditation"]
    status, watched = curl("GET", f"/v1/users/{user}/meditations/{run['id']}:watch", None, "--no-buffer")
    events = [json.loads(line) for line in watched.splitlines()]
    assert (status, events[-1]["progress"]["status"]) == (200, "MEDITATION_STATUS_COMPLETE"), events[-1]
    decided = [event["decision"] for event in events if "decision" in event]
    applied = [decision["memoryId"] for decision in decided if decision["action"] == archives]
    assert applied == planned

    # Watched again as server-sent events, it shows the same
    status, again = curl("GET", f"/v1/users/{user}/meditations/{run['id']}:watch", None, "-H", "accept: text/event-stream")
    data = [json.loads(line.removeprefix("data: ")) for line in again.splitlines() if line.startswith("data: ")]
    decided = [event["decision"] for event in data if "decision" in event]
    assert [decision["memoryId"] for decision in decided if decision["action"] == archives] == applied

    # Forget
    deleted = curl.ok("DELETE", f"/memory/{key['id']}?user_id={user}")["receipt"]
    assert deleted["state"] == "MEMORY_STATE_DELETED" and deleted["deleteAfter"]
    assert changed not in recalled(curl, user, "where is the spare key?")

    # Everything since the cursor, in order and once
    told, _ = watch(curl, user, cursor, len(applied) + 2)
    archived = [("CHANGE_KIND_ARCHIVED", memory_id) for memory_id in applied]
    assert told == [("CHANGE_KIND_UPDATED", key["id"]), *archived, ("CHANGE_KIND_DELETED", key["id"])]


def test_the_guide_works_as_it_is_printed(processes):
    (block,) = re.findall(r"^```bash\n(.*?)^```$", (ROOT / "docs/guides/clients.md").read_text(), re.MULTILINE | re.DOTALL)
    assert "127.0.0.1:7420" in block
    program = "shopt -s expand_aliases\n" + block.replace("127.0.0.1:7420", processes.api)
    program = program.replace("--show-error", "--show-error --fail")
    done = subprocess.run(["bash", "-e"], input=program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    # Answers follow each other without a separator.
    answers, rest = [], done.stdout
    while rest := rest.lstrip():
        answer, end = json.JSONDecoder().raw_decode(rest)
        answers.append(answer)
        rest = rest[end:]
    # The answers of the contract; paths of the source document have their fields as well.
    wanted = ["receipt", "results", "memories", "decisions", "user"]
    assert [name for name, answer in zip(wanted, answers, strict=True) if name in answer] == wanted
    assert "9:40" in answers[1]["results"][0]["memory"]["content"]


@pytest.mark.parametrize("version", ["--http1.1", "--http2-prior-knowledge"])
def test_any_version_of_http_will_do(curl, user, version):
    status, answer = curl("GET", f"/memory?user_id={user}", None, version, "--compressed")
    assert (status, json.loads(answer)) == (200, {"memories": [], "nextPageToken": "", "warmth": []})
