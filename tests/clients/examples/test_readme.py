"""What the README and the guides print works as it is printed; only the address is another."""

import os
import re
import subprocess
import sys

import pytest
from conftest import CLIENTS, ROOT

ADDRESS = "127.0.0.1:7420"
# The page's block runs in Node.js as well, which has fetch; the page of the step `browser` runs in a browser.
COMMANDS = {"python": [sys.executable], "ts": ["node"], "js": ["node"]}
DIST = CLIENTS / "typescript" / "dist"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
BLOCKS = [
    (f"{path.name}-{language}-{number}", language, block)
    for path in DOCUMENTS
    for number, (language, block) in enumerate(re.findall(r"^```(\w+)\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL))
    if language in COMMANDS
]


def test_every_language_is_shown():
    assert {language for _, language, _ in BLOCKS} == set(COMMANDS)
    assert any(name.startswith("README.md-python") for name, _, _ in BLOCKS)


@pytest.mark.parametrize(("name", "language", "block"), BLOCKS, ids=[name for name, _, _ in BLOCKS])
def test_the_documents_recall_what_they_remember(processes, name, language, block):
    assert ADDRESS in block
    # Beside the package, so that Node.js resolves its imports; plain JavaScript, as the block has no annotations.
    program = DIST / f"{name}.{'py' if language == 'python' else 'mjs'}"
    program.write_text(block.replace(ADDRESS, processes.api))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [CLIENTS / "python", CLIENTS / "python" / "generated"]))}
    done = subprocess.run([*COMMANDS[language], program], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"[01]\.\d\d  Ana's train to Lisbon leaves on Friday at 9:40\.\n", done.stdout)
