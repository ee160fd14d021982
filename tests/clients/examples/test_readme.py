"""The code of the README, the guides and docs/assistants.md works as printed; only the address differs."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import CLIENTS, ROOT

ADDRESS = "127.0.0.1:7420"
# The block for web pages also runs in Node.js, which has fetch; the step `browser` runs a page in a browser.
COMMANDS = {"python": [sys.executable], "ts": ["node"], "js": ["node"]}
WRITTEN = {"python": "py", "ts": "mts", "js": "mjs"}
# Next to the package, so that imports resolve.
PROGRAMS = CLIENTS / "typescript" / "dist" / "documents"
COMPILE = ["--strict", "--target", "ES2022", "--module", "NodeNext", "--skipLibCheck", "--types", "node"]
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "assistants.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
BLOCKS = [
    (f"{path.name}-{language}-{number}", language, block)
    for path in DOCUMENTS
    for number, (language, block) in enumerate(re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL))
    if language in COMMANDS
]
RECALLED = r"[01]\.\d\d  Ana's train to Lisbon leaves on Friday at 9:40\.\n"
# What the stand-in for a model received in two sessions; the second one knows what was said in the first.
CHATTED = r"\s*My train .* at 9:40\.\n<kimberly-context>\n.*\n\| user: My train .* at 9:40\.\n.*\nWhen does my train leave\?\n"


@pytest.fixture(scope="module")
def programs():
    """Writes the blocks to files; compiles those in TypeScript with the options of strict projects."""
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir()
    for name, language, block in BLOCKS:
        (PROGRAMS / f"{name}.{WRITTEN[language]}").write_text(block)
    command = [ROOT / "node_modules/.bin/tsc", *COMPILE, *PROGRAMS.glob(f"*.{WRITTEN['ts']}")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout
    return PROGRAMS


def test_every_language_is_shown():
    assert {language for _, language, _ in BLOCKS} == set(COMMANDS)
    assert any(name.startswith("README.md-python") for name, _, _ in BLOCKS)
    assert {language for _, language, block in BLOCKS if "answer(" in block} == {"python", "ts"}


def run(programs, processes, name, language, block):
    """Runs a block as a reader would, and checks what it prints."""
    assert ADDRESS in block
    written = programs / f"{name}.{'py' if language == 'python' else 'mjs'}"
    # A block may run in several tests, each with processes of its own.
    program = programs / f"{processes.api.rpartition(':')[2]}-{written.name}"
    program.write_text(written.read_text().replace(ADDRESS, processes.api))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [CLIENTS / "python", CLIENTS / "python" / "generated"]))}
    done = subprocess.run([*COMMANDS[language], program], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(CHATTED if "answer(" in block else RECALLED, done.stdout, re.DOTALL), done.stdout


@pytest.mark.parametrize("language", ["python", "ts"])
def test_a_page_works_in_the_order_in_which_it_is_read(programs, processes, language):
    blocks = [block for block in BLOCKS if block[0].startswith("assistants.md") and block[1] == language]
    assert len(blocks) >= 2
    for block in blocks:
        run(programs, processes, *block)


@pytest.mark.parametrize(("name", "language", "block"), BLOCKS, ids=[name for name, _, _ in BLOCKS])
def test_the_documents_recall_what_they_remember(programs, processes, name, language, block):
    run(programs, processes, name, language, block)
