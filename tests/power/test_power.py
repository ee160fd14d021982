"""Power cuts while api and worker write: afterwards, no vault is in quarantine, what was acknowledged is there, and what was
erased is not."""

import http.client
import json
import os
import random
import threading
import time

import pytest
from disk import FileSystem
from processes import Processes

USERS = [f"user-{number}" for number in range(6)]
CUTS = 70 if os.environ.get("KIMBERLY_TEST_LONG") else 3
STARTED = ("api", "worker")


class Writer(threading.Thread):
    """Remembers and forgets as one user until the power is cut."""

    def __init__(self, user, machine, seed):
        super().__init__(daemon=True)
        self.user, self.machine, self.dice = user, machine, random.Random(seed)
        self.kept, self.erased = machine.kept[user], machine.erased[user]
        self.failure = None

    def run(self):
        number = 0
        while self.machine.disk.has_power:
            try:
                number += 1
                if self.kept and self.dice.random() < 0.2:
                    self.forget()
                else:
                    self.remember(f"{self.machine.cuts} {number} " + "a word " * self.dice.randrange(1, 400))
            except (OSError, http.client.HTTPException, AssertionError) as error:
                if self.machine.disk.has_power:
                    self.failure = error
                return
            time.sleep(self.dice.choice([0, 0.02, 0.2, 0.6]))

    def remember(self, content):
        stored = self.machine.call("POST", "/memory", {"userId": self.user, "memory": {"content": content}})
        # An answer counts only if it arrived before the cut.
        if self.machine.disk.has_power:
            self.kept[stored["receipt"]["id"]] = content

    def forget(self):
        chosen = self.dice.choice(list(self.kept))
        # It may be gone or not if the power is cut meanwhile.
        del self.kept[chosen]
        self.machine.call("POST", "/memory/forget", {"userId": self.user, "ids": [chosen]})
        if self.machine.disk.has_power:
            self.erased.add(chosen)


class Machine:
    """Api and worker on a file system that loses power."""

    def __init__(self, kind, folder, seed):
        # Btrfs does not repair a superblock of which a part was written.
        self.files = FileSystem(kind, folder / "disk", 4096 if kind == "btrfs" else 512, seed)
        self.disk, self.dice = self.files.disk, random.Random(seed)
        places = {"KIMBERLY_DATA_DIR": "data", "KIMBERLY_KEYS__FOLDER": "keys"}
        places = {name: str(self.files.folder / place) for name, place in places.items()}
        self.processes = Processes(folder, {**places, "KIMBERLY_VAULTS__RESERVE": "1MiB"})
        self.kept = {user: {} for user in USERS}
        self.erased = {user: set() for user in USERS}
        self.cuts = 0

    def start(self):
        for name in STARTED:
            self.processes.start(name)
        for name in STARTED:
            self.processes.wait(name)

    def kill(self):
        for name in STARTED:
            if name in self.processes.running:
                self.processes.kill(name)

    def call(self, method, path, body=None):
        """Returns the JSON of a successful answer."""
        connection = http.client.HTTPConnection(self.processes.api, timeout=60)
        try:
            connection.request(
                method, path, body and json.dumps(body), {"content-type": "application/json"} if body else {}
            )
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text)
        finally:
            connection.close()

    def write_until_cut(self):
        """Cuts the power at some moment while all users write, and switches it on again."""
        writers = [Writer(user, self, f"{user} {self.cuts} {self.dice.random()}") for user in USERS]
        for writer in writers:
            writer.start()
        for _ in range(self.dice.randrange(1, 4)):
            time.sleep(self.dice.uniform(0, 0.8))
            self.files.sync()
        time.sleep(self.dice.uniform(0, 1))
        self.disk.cut()
        self.cuts += 1
        self.kill()
        for writer in writers:
            writer.join()
            assert writer.failure is None, f"{writer.user}: {writer.failure}"
        self.files.cycle_power()

    def listed(self, user):
        """Returns the contents of all memories of a user by their ids."""
        found, token = {}, ""
        while True:
            page = self.call("GET", f"/memory?user_id={user}&page_size=1000&page_token={token}")
            found.update({memory["id"]: memory["content"] for memory in page["memories"]})
            token = page["nextPageToken"]
            if not token:
                return found

    def lost(self):
        """Returns what is wrong after a cut, a line each."""
        wrong = []
        for user in USERS:
            if not self.kept[user] and not self.erased[user]:
                continue
            try:
                found = self.listed(user)
            except AssertionError as error:
                wrong.append(f"{user}: {error}")
                continue
            lost = [one for one, content in self.kept[user].items() if found.get(one) != content]
            back = [one for one in self.erased[user] if one in found]
            if lost or back:
                wrong.append(f"{user}: {len(lost)} lost, {len(back)} back after they were erased")
        wrong += [f"in quarantine: {one}" for one in self.call("GET", "/v1/quarantinedVaults")["vaults"]]
        queue = self.call("GET", "/memory/metrics")["system"]["queue"]
        return wrong if queue["dead"] == "0" else [*wrong, f"jobs were given up: {queue}"]


@pytest.fixture(params=["ext4", "xfs", "btrfs"])
def machine(request, tmp_path):
    started = Machine(request.param, tmp_path, seed=44)
    try:
        started.start()
        yield started
    finally:
        started.kill()
        started.files.close()


def test_a_power_cut_loses_nothing_that_was_acknowledged_and_quarantines_no_vault(machine):
    for _ in range(CUTS):
        machine.write_until_cut()
        machine.start()
        wrong = machine.lost()
        assert not wrong, f"after cut {machine.cuts}: {wrong}"
