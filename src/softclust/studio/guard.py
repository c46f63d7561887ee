"""The guard before every request: who asks, from where, and how much.

The server listens on this machine only, but every page in the browser can send requests to it, and a name
server can make a foreign page look like ours.  So every request must name our host and carry the token, and
changes must come from our own page.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

MOST_BYTES = 2**20  # of a body
BODY_SECONDS = 10.0  # for a whole body
HEADERS = (
    (b"content-security-policy", b"default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; "
     b"base-uri 'none'; form-action 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)  # fmt: skip

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Refused(Exception):
    """A request that is not served, with its status."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Guard:
    """An ASGI application that lets through what comes from our page only.

    Parameters
    ----------
    app : ASGI application
        What answers the requests that pass.
    hosts : iterable of str
        The values of the header Host that are ours, such as 127.0.0.1:8000.
    token : str
        The token that the cookie must carry.
    cookie : str
        The name of the cookie.
    launch : str
        A token that opens the page once.  It stands in the command line of the browser, which others see.
    in_browsers_trust : bool
        Whether browsers send Sec-Fetch-Site to our address, as they do to this machine.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        *,
        hosts: tuple[str, ...],
        token: str,
        cookie: str,
        launch: str = "",
        in_browsers_trust: bool = True,
    ) -> None:
        self._app, self._hosts, self._token, self._cookie = app, frozenset(hosts), token, cookie
        self._launch, self._in_browsers_trust = launch, in_browsers_trust

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise RuntimeError("The studio speaks HTTP only.")
        send = _with_headers(send)
        try:
            headers = _Headers(scope)
            self._check_host(headers)
            if scope["path"] == "/" and scope["method"] == "GET" and b"token=" in scope["query_string"]:
                await self._enter(scope, headers, send)
                return
            self._check_token(headers)
            self._check_site(scope, headers)
            if scope["method"] not in ("GET", "HEAD"):
                body = await _body(headers, receive)
                receive = _replayed(body, receive)
        except Refused as refused:
            await _answer(send, refused.status, str(refused))
            return
        await self._app(scope, receive, send)

    def _check_host(self, headers: _Headers) -> None:
        hosts = headers.all(b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(421, "This address is not the studio's own.")

    def _check_token(self, headers: _Headers) -> None:
        if not _same(_cookie(headers, self._cookie), self._token):
            raise Refused(403, "Open the address that softclust printed: it holds the key to this page.")

    def _check_site(self, scope: Scope, headers: _Headers) -> None:
        """Refuse requests that another site makes with the browser's cookie."""
        site = headers.one(b"sec-fetch-site")
        if scope["method"] in ("GET", "HEAD"):
            if site not in (None, "same-origin", "none") and scope["path"] != "/":
                raise Refused(403, "Another site asked for this.")
            return
        says_some = any(name.startswith(b"sec-fetch-") for name, _ in scope["headers"])
        if site != "same-origin" and (site is not None or says_some or self._in_browsers_trust):
            raise Refused(403, "Changes come from the studio's own page only.")
        origin = headers.one(b"origin") or ""
        if origin.removeprefix("http://") not in self._hosts or not origin.startswith("http://"):
            raise Refused(403, "Changes come from the studio's own page only.")
        if headers.one(b"x-softclust") != "1":
            raise Refused(403, "Changes carry the header X-Softclust: 1.")
        if (headers.one(b"content-type") or "").partition(";")[0].strip().lower() != "application/json":
            raise Refused(415, "Changes are JSON.")

    async def _enter(self, scope: Scope, headers: _Headers, send: Send) -> None:
        """Change a token in the address for a cookie, and go to the page without the token."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[-1]
        launched = bool(self._launch) and _same(given, self._launch)
        if launched:
            self._launch = ""
        if not launched and not _same(given, self._token):
            raise Refused(
                403, "This key is not that of the running studio; open the address that it printed."
            )
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        more = [(b"set-cookie", cookie.encode())]
        if headers.one(b"sec-fetch-site") in (None, "none", "same-origin"):
            await _answer(send, 303, "", [(b"location", b"/"), *more])
            return
        # After a click on another page, such as a terminal in a browser, a redirect would lack the cookie.
        page = (
            b'<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>softclust studio</title>'
        )
        await _answer(send, 200, page, [(b"content-type", b"text/html; charset=utf-8"), *more])


class _Headers:
    """The headers of a request; names are in lower case."""

    def __init__(self, scope: Scope) -> None:
        self._raw = scope["headers"]

    def all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for key, value in self._raw if key == name]

    def one(self, name: bytes) -> str | None:
        """Return the only value; two values are none that could be trusted."""
        values = self.all(name)
        return None if not values else values[0] if len(values) == 1 else ""


def _same(given: str, token: str) -> bool:
    """Compare in a time that says nothing about the token."""
    return hmac.compare_digest(given.encode(), token.encode())


def _cookie(headers: _Headers, name: str) -> str:
    """Return the value of a cookie; odd cookies of other programs on this machine do no harm."""
    cookies = (part.strip().partition("=") for one in headers.all(b"cookie") for part in one.split(";"))
    return next((value for key, _, value in cookies if key == name), "")


async def _body(headers: _Headers, receive: Receive) -> bytes:
    """Read the whole body, unless it is too large or too slow."""
    length = headers.one(b"content-length")
    if length is not None and length.isdecimal() and int(length) > MOST_BYTES:
        raise Refused(413, f"The request has {length} bytes; up to {MOST_BYTES} would fit.")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "The request broke off.")
                body += message.get("body", b"")
                if len(body) > MOST_BYTES:
                    raise Refused(413, f"The request has more than {MOST_BYTES} bytes.")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise Refused(408, "The request took too long to arrive.") from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a function that gives the body that was read, and then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _with_headers(send: Send) -> Send:
    """Return a function that adds our headers to every answer."""

    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return guarded


async def _answer(
    send: Send, status: int, what: str | bytes, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    """Answer with a sentence as JSON, or with bytes; a refusal ends the connection."""
    body = json.dumps({"error": what}).encode() if isinstance(what, str) and what else what
    body = body.encode() if isinstance(body, str) else body
    kind = [] if headers else [(b"content-type", b"application/json"), (b"connection", b"close")]
    length = (b"content-length", str(len(body)).encode())
    await send(
        {"type": "http.response.start", "status": status, "headers": [*(headers or ()), *kind, length]}
    )
    await send({"type": "http.response.body", "body": body})
