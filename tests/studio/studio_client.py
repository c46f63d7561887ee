"""A studio in a thread of the test, and a client that speaks to it as the page does, or worse."""

import asyncio
import socket
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import httpx
import numpy as np
import uvicorn.server

from conftest import make_blobs
from softclust.studio.data import read_data
from softclust.studio.server import Server
from softclust.studio.start import open_session

# uvicorn looks ten times a second whether it shall end: with a hundred studios a wait of many seconds.
_HASTY = {"sleep": lambda seconds: asyncio.sleep(seconds / 20)}
uvicorn.server.asyncio = SimpleNamespace(**vars(asyncio) | _HASTY)


def write_blobs(folder, each=15, name="blobs.csv"):
    """Three clouds in a CSV file with a key and the truth; return the path and the classes."""
    X, truth = make_blobs(each=each)
    lines = ["id,x,y"] + [f"r{i},{a:.4f},{b:.4f}" for i, (a, b) in enumerate(X)]
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path, np.array(["a", "b", "c"])[truth]


class Client:
    """Requests to a studio: `get` and `post` as the page makes them, `raw` as anybody may."""

    def __init__(self, server):
        self.server, self.desk, self.token, self.port = server, server.desk, server.token, server.port
        self.host = f"127.0.0.1:{server.port}"
        self.address = f"http://{self.host}/?token={self.token}"
        self.cookie = f"softclust-studio-{server.port}={server.token}"
        self._http = httpx.Client(
            base_url=f"http://{self.host}", headers={"Cookie": self.cookie}, timeout=30
        )
        self.headers = {
            "Origin": f"http://{self.host}",
            "Sec-Fetch-Site": "same-origin",
            "X-Softclust": "1",
        }

    def get(self, path, **headers):
        return self._http.get(path, headers=headers)

    def post(self, path, content):
        return self._http.post(path, json=content, headers=self.headers)

    def tell(self, *events, base=None):
        """Send events; return the state, or raise an error with the sentence."""
        base = self.get("/api/state").json()["rev"] if base is None else base
        answer = self.post("/api/events", {"base": base, "events": list(events)})
        assert answer.status_code == 200, answer.text
        return answer.json()["state"]

    def label(self, row, name, **more):
        return self.tell({"do": "label", "rows": [row], "degrees": {name: 1}, **more})

    def fitted(self):
        """Wait for the newest fit, and return the state."""
        self.desk.submit(self.desk.newest).result(20)
        return self.get("/api/state").json()

    def raw(self, request, seconds=10.0):
        """Send bytes, and return all bytes that come back until the other side closes or falls silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as to:
            return exchange(to, request)

    def request(self, method="GET", path="/api/state", body=b"", without=(), **changed):
        """Send a request with the page's headers, changed or left out; return status and content."""
        headers = {"Host": self.host, "Cookie": self.cookie, "Connection": "close"}
        if method == "POST":
            headers |= {
                **self.headers,
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
            }
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if name not in without]
        answer = self.raw(
            f"{method} {path} HTTP/1.1\r\n".encode() + "\r\n".join([*lines, "", ""]).encode() + body
        )
        return status_of(answer), answer.partition(b"\r\n\r\n")[2]


def exchange(to, request):
    """Send bytes and return the answer; a broken connection is an answer that ends."""
    parts = []
    try:
        to.sendall(request)
        while part := to.recv(65_536):
            parts.append(part)
    except (TimeoutError, ConnectionError):
        pass
    return b"".join(parts)


def status_of(answer):
    """Return the status of an answer; 0 if the connection was closed without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


@contextmanager
def studio(path, *, session=None, reading=None, port=0, **options):
    """Serve a file in a thread; yield a client."""
    data = read_data(path, **(reading or {}))
    with served(
        data, session or path.with_name(f"{path.stem}.studio.jsonl"), port=port, **options
    ) as client:
        yield client


@contextmanager
def served(data, session_path, port=0, **options):
    """Serve rows in a thread; yield a client."""
    session, writer = open_session(data, session_path, **{"clusters": 3, **options})
    try:
        server = Server(data, session, writer, port=port)
    except BaseException:
        writer.close()
        raise
    thread = threading.Thread(target=server.run)
    thread.start()
    assert server.wait_until_ready()
    client = Client(server)
    try:
        yield client
    finally:
        client._http.close()
        server.stop()
        thread.join(20)
        assert not thread.is_alive()
