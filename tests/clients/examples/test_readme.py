"""What the README prints works as it is printed; only the address is another."""

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


def printed(language):
    """The README's only block in a language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert ADDRESS in block
    return block


@pytest.mark.parametrize(("language", "command"), COMMANDS.items())
def test_the_readme_recalls_what_it_remembers(processes, language, command):
    # Beside the package, so that Node.js resolves its imports; plain JavaScript, as the block has no annotations.
    program = DIST / f"readme.{'py' if language == 'python' else 'mjs'}"
    program.write_text(printed(language).replace(ADDRESS, processes.api))
    environment = {**os.environ, "PYTHONPATH": str(CLIENTS / "python" / "generated")}
    done = subprocess.run([*command, program], env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"[01]\.\d\d  Ana's train to Lisbon leaves on Friday at 9:40\.\n", done.stdout)
