"""How much memory a process takes; also for peers, in their own environments."""

from __future__ import annotations

import threading
from pathlib import Path

MB = 1e6


def status(key: str) -> float:
    """A size from /proc/self/status, in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024 / MB
    raise KeyError(key)


class Peak:
    """The greatest resident memory within the block: the kernel's mark, else samples."""

    def __enter__(self) -> Peak:
        self.before = status("VmRSS")
        self._done = threading.Event()
        self._samples = [0.0]
        try:
            Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM
            self.method = "VmHWM"
        except OSError:
            self.method = "sampled each ms"
            self._thread = threading.Thread(target=self._sample)
            self._thread.start()
        return self

    def _sample(self) -> None:
        while not self._done.wait(0.001):
            self._samples.append(status("VmRSS"))

    def __exit__(self, *_: object) -> None:
        if self.method == "VmHWM":
            self.mb = status("VmHWM")
        else:
            self._done.set()
            self._thread.join()
            self.mb = max(self._samples)

    @property
    def rise(self) -> float:
        """MB above what was there before."""
        return self.mb - self.before
