"""`pip install .` in a checkout installs the programs: tested in a clean environment with the programs that the tests built."""

import os
import signal
import subprocess
import sys
import time

import files
from processes import Processes


def test_a_clean_environment_has_kimberly_up_from_pip_install(tmp_path):
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    programs = os.environ.get("KIMBERLY_BIN_DIR", str(files.ROOT / "target" / "release"))
    subprocess.run([venv / "bin" / "pip", "install", "--quiet", "--no-index", files.ROOT], check=True,
                   env={**os.environ, "KIMBERLY_BIN_DIR": programs})
    environment = {**Processes(tmp_path).environment, "PATH": f"{venv / 'bin'}:{os.environ['PATH']}", "KIMBERLY_USER": "ann"}
    environment["KIMBERLY_SERVER"] = f"http://{environment['KIMBERLY_API__LISTEN']}"

    def kimberly(*arguments):
        return subprocess.run(["kimberly", *arguments], env=environment, capture_output=True, text=True)

    log = tmp_path / "up.log"
    with open(log, "wb") as output:
        up = subprocess.Popen([venv / "bin" / "kimberly", "up"], env=environment, stdout=output, stderr=output)
    try:
        for _ in range(600):
            if (stored := kimberly("remember", "Ann likes oolong tea")).returncode == 0:
                break
            assert up.poll() is None, log.read_text()
            time.sleep(0.1)
        assert stored.returncode == 0, stored.stderr
        assert "oolong" in kimberly("recall", "which tea").stdout
    finally:
        up.send_signal(signal.SIGINT)
        assert up.wait(timeout=60) == 0, log.read_text()
    assert "kimberly" in os.listdir(venv / "bin")
