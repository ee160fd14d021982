"""The package `kimberly-client`: the versions it runs with, its types, and what it accepts and says without a server."""

import os
import re
import subprocess
import sys
import tomllib

import pytest

from conftest import CLIENTS

PYTHON = CLIENTS / "python"
sys.path.insert(0, str(PYTHON))

from kimberly_client import KimberlyError, Memory, requests  # noqa: E402

TYPED = '''
from typing import Literal, TypedDict, Union

from kimberly import Memory
from kimberly.v1 import memory_pb2


class TextPart(TypedDict):
    type: Literal["text"]
    text: str


class UserMessage(TypedDict, total=False):
    role: Literal["user"]
    content: Union[str, list[TextPart]]


class AssistantMessage(TypedDict, total=False):
    role: Literal["assistant"]
    content: Union[str, None]


chat: list[Union[UserMessage, AssistantMessage]] = [{"role": "user", "content": "Hello"}]
memory = Memory()
stored: int = memory.observe("chat", chat).stored
memory.observe("chat", [{"role": "user", "content": "Hello"}])
receipt: memory_pb2.MemoryReceipt = memory.add("tea", tags="drinks")
wrong: str = memory.observe("chat", chat).stored
'''


class Answer:
    """A message as a client of a language model returns it."""

    def model_dump(self):
        return {"role": "assistant", "content": [{"type": "output_text", "text": "Lisbon is sunny."}], "refusal": None}


def bounds():
    """The declared dependencies, by name: the oldest versions, and the ranges."""
    with open(PYTHON / "pyproject.toml", "rb") as file:
        ranges = tomllib.load(file)["project"]["dependencies"]
    oldest = [re.sub(r">=([0-9.]+).*", r"==\1", one) for one in ranges]
    assert all("==" in one for one in oldest), "each dependency declares its oldest version"
    return oldest, ranges


@pytest.mark.parametrize("which", [0, 1], ids=["oldest", "newest"])
def test_the_package_can_be_imported_with_the_versions_that_it_declares(which, tmp_path):
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", tmp_path]
    subprocess.run([*install, *bounds()[which]], check=True)
    code = "from kimberly import AsyncMemory, Memory; import google.protobuf as p; print(p.__file__)"
    path = os.pathsep.join([str(tmp_path), str(PYTHON), str(PYTHON / "generated")])
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith(str(tmp_path)), done.stdout + done.stderr


def test_type_checkers_see_the_types_and_accept_the_messages_of_language_models(tmp_path):
    (tmp_path / "program.py").write_text(TYPED)
    path = os.pathsep.join([str(PYTHON), str(PYTHON / "generated")])
    check = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path / "cache", "--follow-imports", "silent", "program.py"]
    done = subprocess.run(check, cwd=tmp_path, env={**os.environ, "MYPYPATH": path}, capture_output=True, text=True)
    problems = [line for line in done.stdout.splitlines() if "program.py" in line and ": error:" in line]
    assert len(problems) == 1 and 'has type "int"' in problems[0], done.stdout
    for package in ["kimberly_client", "generated/kimberly", "generated/kimberly/v1"]:
        assert (PYTHON / package / "py.typed").exists()


def test_messages_may_be_those_that_language_models_take_and_return():
    chat = [
        {"type": "human", "content": "Where is it sunny?"},
        Answer(),
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {"name": "weather"}}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "And here?"}]},
    ]
    sent = requests.observe("ana", "chat", chat, "", False, False).messages
    assert [(one.role, one.content) for one in sent] == [(1, "Where is it sunny?"), (2, "Lisbon is sunny."), (2, ""), (1, "And here?")]
    with pytest.raises(TypeError, match="'role': 'user'"):
        requests.observe("ana", "chat", ["Hello"], "", False, False)


def test_a_text_given_for_tags_is_one_tag():
    assert list(requests.add("ana", "tea", "travel", "long_term", "", "", None, "").memory.metadata.tags) == ["travel"]
    assert list(requests.search("ana", "tea", 10, "travel", "", None).filter.tags_any) == ["travel"]


def test_without_a_server_a_call_says_at_once_what_to_do():
    with Memory("http://127.0.0.1:9") as memory, pytest.raises(KimberlyError, match="kimberly up") as refused:
        memory.search("bees")
    assert refused.value.reason == ""
