"""Server-sent events: what happens is told to every tab that listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

_WAITING = 32  # messages that a slow tab may have before it; later ones are dropped, for it asks again
_BREATH = 15.0  # seconds after which a silent stream says that it is alive


class Streams:
    """The tabs that listen, at most `most` of them."""

    def __init__(self, most: int = 8) -> None:
        self.most = most
        self._queues: set[asyncio.Queue[bytes | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    def open(self) -> AsyncIterator[bytes] | None:
        """Return a stream of messages; None if there are too many."""
        if len(self._queues) >= self.most or self._closed:
            return None
        self._loop = asyncio.get_running_loop()
        return self._messages()

    async def _messages(self) -> AsyncIterator[bytes]:
        """Yield messages until the end, and a comment now and then."""
        if len(self._queues) >= self.most:  # others opened theirs meanwhile
            return
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(_WAITING)
        self._queues.add(queue)
        try:
            yield b": welcome\n\n"
            while True:
                try:
                    message = await asyncio.wait_for(queue.get(), _BREATH)
                except TimeoutError:
                    message = b": still here\n\n"
                if message is None:
                    return
                yield message
        finally:
            self._queues.discard(queue)

    def tell(self, name: str, content: dict[str, Any]) -> None:
        """Tell all tabs; any thread may call this."""
        message = f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()
        self._send(message)

    def close(self) -> None:
        """Say goodbye and end all streams; any thread may call this."""
        self._closed = True
        self._send(b"event: bye\ndata: {}\n\n")
        self._send(None)

    def _send(self, message: bytes | None) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: bytes | None) -> None:
        for queue in self._queues:
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(message)
