"""Serve a desk on this machine: socket, token, time limits, the browser and a clean end."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from softclust.active import Session
from softclust.active.journal import Writer
from softclust.studio.app import Calls
from softclust.studio.data import StudioData
from softclust.studio.desk import Desk
from softclust.studio.guard import Guard
from softclust.studio.streams import Streams

REQUEST_SECONDS = 15.0  # for a whole request to arrive
_MOST_CONNECTIONS = 64
_KEEP_ALIVE = 5  # seconds that a silent connection stays open between two requests
_FAREWELL = 2  # seconds that open connections get at the end


class Patient(H11Protocol):
    """HTTP with a time limit for each request; slow clients would hold connections for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._set_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        waits_for_headers = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        if waits_for_headers or self.conn.their_state is h11.SEND_BODY:
            self._set_deadline()
        else:
            self._clear_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self._too_slow)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self.transport.abort()


class Server:
    """A studio that is ready to run.

    Parameters
    ----------
    data : StudioData
        The rows.
    session : Session
        The session to go on with.
    writer : Writer
        The session's file.
    host : str
        The address to listen on.
    port : int
        The port; 0 takes a free one.
    """

    def __init__(
        self, data: StudioData, session: Session, writer: Writer, *, host: str = "127.0.0.1", port: int = 0
    ) -> None:
        self._socket = _bound(host, port)
        self.port = self._socket.getsockname()[1]
        self.token, self.launch = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.streams = Streams()
        try:
            self.desk = Desk(data, session, writer, self.streams.tell)
        except BaseException:
            self._socket.close()
            raise
        names = hosts(host)
        self.address = f"http://{names[0]}{'' if self.port == 80 else f':{self.port}'}/"
        guard = Guard(
            Calls(self.desk, self.streams, self.stop).app(),
            hosts=tuple(name if self.port == 80 else f"{name}:{self.port}" for name in names),
            token=self.token,
            cookie=f"softclust-studio-{self.port}",
            launch=self.launch,
            in_browsers_trust=is_loopback(host),
        )
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                guard, http=Patient, ws="none", lifespan="off", loop="asyncio", access_log=False,
                log_level="error", server_header=False, proxy_headers=False,
                limit_concurrency=_MOST_CONNECTIONS, timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=_FAREWELL,
            ),
            self.streams.close,
        )  # fmt: skip

    def run(self, open_browser: bool = False) -> None:
        """Serve until Ctrl-C, or until someone quits on the page."""
        if open_browser:
            address = f"{self.address}?token={self.launch}"
            threading.Thread(target=self._open, args=(address,), daemon=True).start()
        try:
            self._uvicorn.run(sockets=[self._socket])
        except KeyboardInterrupt:  # uvicorn raises it again after a clean end
            pass
        finally:
            self._socket.close()
            self.desk.close()

    def _open(self, address: str) -> None:
        if self.wait_until_ready():
            webbrowser.open(address)

    def wait_until_ready(self, seconds: float = 20.0) -> bool:
        """Wait until requests are answered."""
        return self._uvicorn.ready.wait(seconds)

    def stop(self) -> None:
        """End the server; any thread may call this."""
        self._uvicorn.should_exit = True


class _Uvicorn(uvicorn.Server):
    """uvicorn that says when it is ready, and ends streams first when it stops."""

    def __init__(self, config: uvicorn.Config, farewell: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready, self._farewell = threading.Event(), farewell

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._farewell()
        await super().shutdown(sockets)


def _bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens; an error names the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, so that asyncio switches off the delay of small packets: 40 ms for each answer.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen()  # who opens the printed address at once waits, and is not refused
    except (OSError, OverflowError) as error:  # the second: no such port
        found.close()
        why = getattr(error, "strerror", None) or str(error).removeprefix("bind(): ").rstrip(".")
        raise ValueError(
            f"The studio cannot listen on {host}:{port}: {why}. Without --port it takes a free one."
        ) from None
    return found


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def hosts(host: str) -> list[str]:
    """Return the names that a browser may give to the server, the best first."""
    if is_loopback(host):
        return list(dict.fromkeys(["127.0.0.1" if host == "localhost" else _in_url(host), "localhost"]))
    if host not in ("0.0.0.0", "::"):
        return [_in_url(host)]
    own = socket.gethostname()
    try:
        found = [str(info[4][0]) for info in socket.getaddrinfo(own, None, socket.AF_INET)]
    except OSError:
        found = []
    return list(dict.fromkeys([own.lower(), *found, "127.0.0.1", "localhost"]))
