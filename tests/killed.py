"""A script that is killed while it runs, and run again until it is let be."""

import subprocess
import sys
import time


def killed_and_let_be(code, kept, out, times=3, linger=0.05):
    """Run `code` with paths for a checkpoint and a result; kill it when the checkpoint has moved on."""
    command = [sys.executable, "-W", "ignore", "-c", code, str(kept), str(out)]
    for _ in range(times):
        process = subprocess.Popen(command)
        before = kept.stat().st_mtime_ns if kept.exists() else 0
        deadline = time.monotonic() + 100
        while time.monotonic() < deadline and process.poll() is None:
            if kept.exists() and kept.stat().st_mtime_ns != before:
                break
            time.sleep(0.005)
        time.sleep(linger)
        process.kill()
        process.wait()
    subprocess.run(command, check=True, timeout=200)
