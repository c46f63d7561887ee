"""The calls that the page makes, as a Starlette application; `guard` stands before it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from softclust.errors import SessionFileError
from softclust.studio import cards, commands, exports, summary
from softclust.studio.desk import Desk, OldBase
from softclust.studio.streams import Streams

_MOST_QUESTIONS = 50
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


class Calls:
    """The answers to the page's calls.

    Parameters
    ----------
    desk : Desk
        The session and its fits.
    streams : Streams
        The tabs that listen.
    quit : callable
        Ends the server.
    """

    def __init__(self, desk: Desk, streams: Streams, quit: Callable[[], None]) -> None:
        self.desk, self.streams, self.quit = desk, streams, quit
        page = resources.files("softclust.studio") / "page"
        self._page = {
            file.name: file for file in page.iterdir() if any(file.name.endswith(end) for end in _TYPES)
        }

    def app(self) -> Starlette:
        """Return the application."""
        reads = {
            "/": self.index, "/page/{name}": self.page, "/api/state": self.state,
            "/api/points": self.points, "/api/drawn": self.drawn, "/api/members": self.members,
            "/api/row/{row:int}": self.row,
            "/api/picture/{row:int}": self.picture, "/api/ask": self.ask,
            "/api/disagreements": self.disagreements, "/api/progress": self.progress,
            "/api/stream": self.stream, "/api/export/{name}": self.export,
        }  # fmt: skip
        writes = {
            "/api/events": self.events, "/api/undo": self.undo, "/api/redo": self.redo,
            "/api/settings": self.settings, "/api/quit": self.end,
        }  # fmt: skip
        return Starlette(
            routes=[
                *(Route(path, _spoken(call), methods=["GET"]) for path, call in reads.items()),
                *(Route(path, _spoken(call), methods=["POST"]) for path, call in writes.items()),
            ],
            exception_handlers={HTTPException: _refused},
        )

    # ------------------------------------------------------------------ files of the page
    async def index(self, request: Request) -> Response:
        return self._file("index.html")

    async def page(self, request: Request) -> Response:
        return self._file(request.path_params["name"])

    def _file(self, name: str) -> Response:
        if name not in self._page:
            raise HTTPException(404, f"The page has no file {name!r}.")
        kind = next(kind for end, kind in _TYPES.items() if name.endswith(end))
        return Response(self._page[name].read_bytes(), media_type=kind)

    # ------------------------------------------------------------------ what is there
    async def state(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(summary.state, self.desk))

    async def points(self, request: Request) -> Response:
        plane = self.desk.plane
        content = plane.points.astype("<f4").tobytes()
        return _bytes(content, {"X-View-Rev": str(plane.rev)})

    async def drawn(self, request: Request) -> Response:
        drawn = self.desk.drawn
        if drawn is None:
            raise HTTPException(404, "All rows are drawn.")
        return _bytes(drawn.astype("<u4").tobytes(), {})

    async def members(self, request: Request) -> Response:
        rev, content = await run_in_threadpool(self.desk.members)
        return _bytes(content, {"X-Rev": str(rev)})

    async def row(self, request: Request) -> Response:
        row, desk = self._row(request), self.desk
        return JSONResponse(
            await run_in_threadpool(cards.row_card, desk.data, desk.session, desk.fitted, row)
        )

    async def picture(self, request: Request) -> Response:
        row, pictures = self._row(request), self.desk.data.pictures
        found = None if pictures is None else await run_in_threadpool(pictures.read, row)
        if found is None:
            raise HTTPException(404, "This row has no picture that can be shown.")
        return Response(found[0], media_type=found[1])

    def _row(self, request: Request) -> int:
        row = request.path_params["row"]
        if row >= len(self.desk.session.X):
            raise HTTPException(
                404, f"There is no row {row}; the last one is {len(self.desk.session.X) - 1}."
            )
        return row

    async def progress(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(summary.progress, self.desk))

    # ------------------------------------------------------------------ work of the fitting thread
    async def ask(self, request: Request) -> Response:
        kind, n = request.query_params.get("kind", "rows"), request.query_params.get("n", "5")
        if kind not in ("rows", "pairs"):
            raise HTTPException(400, f"kind={kind!r} is not known; rows and pairs are.")
        if not (n.isascii() and n.isdecimal() and len(n) < 4 and 1 <= int(n) <= _MOST_QUESTIONS):
            raise HTTPException(400, f"n={n!r} does not fit; 1 to {_MOST_QUESTIONS} would.")
        return JSONResponse(await self._worked(lambda: self.desk.ask(int(n), kind)))

    async def disagreements(self, request: Request) -> Response:
        return JSONResponse({"rows": await self._worked(self.desk.disagreements)})

    async def export(self, request: Request) -> Response:
        name, desk = request.path_params["name"], self.desk
        found = await self._worked(lambda: exports.export(name, desk))
        if found is None:
            raise HTTPException(
                404, f"There is no file {name!r}; {', '.join(exports.names(desk.data))} are."
            )
        saved_as = desk.file.name if name == "session.jsonl" else name
        ascii_name = saved_as.encode("ascii", "replace").decode().replace("?", "_").replace('"', "_")
        return Response(
            found[0],
            media_type=found[1],
            headers={"Content-Disposition": f'attachment; filename="{ascii_name}"'},
        )

    async def _worked(self, job: Callable[[], Any]) -> Any:
        return await asyncio.wrap_future(self.desk.submit(job))

    # ------------------------------------------------------------------ changes
    async def events(self, request: Request) -> Response:
        asked = await _json(request)
        return await self._changed(asked, lambda session: commands.changed(session, asked.get("events")))

    async def undo(self, request: Request) -> Response:
        return await self._changed(await _json(request), lambda session: session.undo())

    async def redo(self, request: Request) -> Response:
        return await self._changed(await _json(request), lambda session: session.redo())

    async def settings(self, request: Request) -> Response:
        asked = await _json(request)
        view = asked.get("view")
        if view is not None:
            if not isinstance(view, dict):
                raise HTTPException(400, 'A view is an object, such as {"id": "principal"}.')
            await run_in_threadpool(self.desk.show, view.get("id"), (view.get("x"), view.get("y")))
        return await self._changed(asked, lambda session: commands.with_settings(session, asked))

    async def _changed(self, asked: dict[str, Any], how: Callable[[Any], Any]) -> Response:
        try:
            await run_in_threadpool(self.desk.change, asked.get("base"), how)
        except OldBase:
            state = await run_in_threadpool(summary.state, self.desk)
            sentence = "Another tab made a change meanwhile; look at it and try again."
            return JSONResponse({"error": sentence, "state": state}, status_code=409)
        state = await run_in_threadpool(summary.state, self.desk)
        return JSONResponse({"rev": state["rev"], "state": state})

    async def end(self, request: Request) -> Response:
        return JSONResponse({"bye": True}, background=BackgroundTask(self.quit))

    # ------------------------------------------------------------------ the stream
    async def stream(self, request: Request) -> Response:
        messages = self.streams.open()
        if messages is None:
            raise HTTPException(429, f"{self.streams.most} tabs listen already; close one of them.")
        return StreamingResponse(messages, media_type="text/event-stream")


def _spoken(call: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the call with errors as sentences: a wrong request is 400, a full disk 507, a bug 500."""

    async def answered(request: Request) -> Response:
        try:
            return await call(request)
        except HTTPException as error:
            return _refused(request, error)
        except (ValueError, SessionFileError) as error:
            return JSONResponse({"error": str(error)}, status_code=400)
        except OSError as error:
            said = f"The answer could not be saved: {error.strerror or error}."
            return JSONResponse({"error": said}, status_code=507)
        except Exception as error:
            sys.stderr.write(f"softclust studio: {request.url.path}: {error!r}\n")
            said = "The studio made a mistake; nothing was changed."
            return JSONResponse({"error": said}, status_code=500)

    return answered


def _refused(request: Request, error: Any) -> Response:
    """Answer with the sentence of an error."""
    return JSONResponse({"error": error.detail}, status_code=error.status_code)


def _bytes(content: bytes, headers: dict[str, str]) -> Response:
    return Response(content, media_type="application/octet-stream", headers=headers)


async def _json(request: Request) -> dict[str, Any]:
    """Return the body as an object; NaN and Infinity are no JSON."""
    try:
        asked = json.loads(await request.body(), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise HTTPException(400, "The request is no JSON.") from None
    if not isinstance(asked, dict):
        raise HTTPException(400, "The request is no JSON object.")
    return asked


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")
