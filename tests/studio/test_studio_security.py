"""What the studio refuses: every line fails if its check is taken away, and the session is unharmed."""

import json
import os
import re
import socket
import threading
import time

import numpy as np
import pytest
from studio_client import exchange, status_of, studio, write_blobs

from softclust.studio import guard, server
from softclust.studio.data import read_data
from softclust.studio.demo import png
from softclust.studio.pictures import Pictures, kind_of

EVENT = json.dumps({"base": 0, "events": [{"do": "skip", "rows": [3]}]}).encode()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path, _ = write_blobs(tmp_path_factory.mktemp("security"))
    with studio(path) as client:
        yield client


@pytest.fixture(autouse=True)
def _the_session_is_unharmed(request):
    yield
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        assert page.desk.rev == 0 and len(page.desk.file.read_text().splitlines()) == 1
        assert page.request()[0] == 200


def test_the_page_itself_may(tmp_path):
    with studio(write_blobs(tmp_path)[0]) as client:
        assert client.request("POST", "/api/events", EVENT)[0] == 200
        assert client.desk.rev == 1


# ---------------------------------------------------------------------- who asks
PLACES = (
    "/",
    "/?token=x",
    "/page/studio.js",
    "/api/state",
    "/api/points",
    "/api/export/labels.csv",
    "/nothing",
)


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost:1", "",
             "127.0.0.1:{port}.evil.example", "127.0.0.1:{port}@evil.example"],
)  # fmt: skip
def test_foreign_hosts(page, path, host):
    assert page.request("GET", path, Host=host.format(port=page.port))[0] == 421


def test_no_host_or_two(page):
    assert page.request(without=("Host",))[0] in (400, 421)
    two = f"Host: {page.host}\r\nHost: evil.example\r\n"
    head = f"GET /api/state HTTP/1.1\r\n{two}Cookie: {page.cookie}\r\n\r\n"
    assert status_of(page.raw(head.encode(), 2)) in (400, 421)
    assert page.request(Host=f"localhost:{page.port}")[0] == 200
    assert status_of(page.raw(f"GET /api/state HTTP/1.0\r\nCookie: {page.cookie}\r\n\r\n".encode())) == 421


@pytest.mark.parametrize("path", ["/", "/page/index.html", "/api/state", "/api/stream", "/api/picture/0"])
def test_no_token_and_other_tokens(page, path):
    assert page.request("GET", path, without=("Cookie",))[0] == 403
    name = page.cookie.partition("=")[0]
    for value in ("", "x", page.token[:-1], page.token + "x", page.token.swapcase(), page.server.launch):
        assert page.request("GET", path, Cookie=f"{name}={value}")[0] == 403
    assert page.request("GET", path, Cookie=f"softclust-studio={page.token}")[0] == 403


def test_a_change_needs_the_token(page):
    assert page.request("POST", "/api/events", EVENT, without=("Cookie",))[0] == 403


def test_the_token_opens_the_page_and_leaves_the_address(page):
    status, _ = page.request("GET", f"/?token={page.token}x", without=("Cookie",))
    assert status == 403
    for token in (page.token, page.server.launch):
        head = f"GET /?token={token} HTTP/1.1\r\nHost: {page.host}\r\nConnection: close\r\n\r\n"
        answer = page.raw(head.encode()).decode()
        assert answer.startswith("HTTP/1.1 303") and "\r\nlocation: /\r\n" in answer
        assert f"{page.cookie}; Path=/; HttpOnly; SameSite=Strict" in answer
    assert page.request("GET", f"/?token={page.server.launch}")[0] == 403  # opens once
    # A redirect that began elsewhere would not carry the cookie; a page of ours that moves on does.
    head = head.replace(page.server.launch, page.token).replace(
        "Connection", "Sec-Fetch-Site: cross-site\r\nConnection"
    )
    answer = page.raw(head.encode()).decode()
    assert answer.startswith("HTTP/1.1 200") and 'http-equiv="refresh"' in answer and page.cookie in answer
    assert page.token not in answer.partition("\r\n\r\n")[2]


def test_the_token_is_long_and_new(tmp_path):
    tokens = set()
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        with studio(write_blobs(tmp_path / folder)[0]) as client:
            tokens |= {client.server.token, client.server.launch}
    assert len(tokens) == 4 and all(len(re.sub(r"[^\w-]", "", token)) >= 43 for token in tokens)


def test_other_cookies_do_no_harm(page):
    assert page.request(Cookie=f'odd="a|b; x=[}}; {page.cookie}; last')[0] == 200


# ---------------------------------------------------------------------- from where
@pytest.mark.parametrize(
    ("changed", "without"),
    [
        ({"Origin": "http://evil.example"}, ()),
        ({"Origin": "null"}, ()),
        ({"Origin": "https://127.0.0.1:{port}"}, ()),
        ({"Origin": "http://127.0.0.1:{port}.evil.example"}, ()),
        ({"Origin": "http://127.0.0.1"}, ()),
        ({"Origin": "127.0.0.1:{port}"}, ()),
        ({}, ("Origin",)),
        ({"Sec_Fetch_Site": "cross-site"}, ()),
        ({"Sec_Fetch_Site": "same-site"}, ()),
        ({"Sec_Fetch_Site": "none"}, ()),
        ({"Sec_Fetch_Site": ""}, ()),
        ({"Sec_Fetch_Mode": "cors"}, ("Sec-Fetch-Site",)),
        ({}, ("Sec-Fetch-Site",)),
        ({}, ("X-Softclust",)),
        ({"X_Softclust": "0"}, ()),
        ({"Content_Type": "text/plain"}, ()),
        ({"Content_Type": "application/x-www-form-urlencoded"}, ()),
        ({"Content_Type": "text/plain; application/json"}, ()),
        ({}, ("Content-Type",)),
    ],
)
@pytest.mark.parametrize("path", ["/api/events", "/api/undo", "/api/redo", "/api/settings", "/api/quit"])
def test_changes_from_elsewhere(page, path, changed, without):
    changed = {name: value.format(port=page.port) for name, value in changed.items()}
    assert page.request("POST", path, EVENT, without, **changed)[0] in (403, 415)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS"])
def test_other_methods(page, method):
    headers = {**page.headers, "Content-Type": "application/json", "Content-Length": "0"}
    assert page.request(method, "/api/events", **headers)[0] in (403, 405)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
def test_other_sites_read_nothing(page, site):
    assert page.request("GET", "/api/state", Sec_Fetch_Site=site)[0] == 403
    assert page.request("GET", "/page/index.html", Sec_Fetch_Site=site)[0] == 403


def test_a_change_is_never_made_by_a_get(page):
    for path in ("/api/events", "/api/undo", "/api/quit", "/api/settings"):
        assert page.request("GET", path)[0] == 405


def test_sec_fetch_is_asked_where_browsers_send_it_only():
    """Browsers send no Sec-Fetch-Site to other machines without TLS; whoever sends any must send all."""
    headers = [
        (b"origin", b"http://box:80"),
        (b"x-softclust", b"1"),
        (b"content-type", b"application/json"),
    ]
    for trust, more, passes in (
        (False, [], True),
        (False, [(b"sec-fetch-mode", b"cors")], False),
        (False, [(b"sec-fetch-site", b"cross-site")], False),
        (False, [(b"sec-fetch-site", b"same-origin")], True),
        (True, [], False),
    ):
        one = guard.Guard(None, hosts=("box:80",), token="t", cookie="c", in_browsers_trust=trust)
        scope = {"method": "POST", "path": "/api/events", "headers": [*headers, *more]}
        if passes:
            one._check_site(scope, guard._Headers(scope))
        else:
            with pytest.raises(guard.Refused):
                one._check_site(scope, guard._Headers(scope))


def test_the_names_of_the_server():
    assert server.hosts("127.0.0.1") == ["127.0.0.1", "localhost"]
    assert server.hosts("localhost") == ["127.0.0.1", "localhost"]
    assert server.hosts("::1") == ["[::1]", "localhost"]
    assert server.hosts("10.0.0.7") == ["10.0.0.7"]
    assert {"127.0.0.1", "localhost"} < {*server.hosts("0.0.0.0"), "x"}
    assert not server.is_loopback("0.0.0.0") and not server.is_loopback("example.org")
    assert server.is_loopback("127.0.0.2") and server.is_loopback("::1")


def test_only_this_machine_listens(page):
    assert page.server._socket.getsockname()[0] == "127.0.0.1"


# ---------------------------------------------------------------------- headers of answers
@pytest.mark.parametrize("path", ["/", "/api/state", "/api/row/x", "/nothing", "/page/..%2fserver.py"])
@pytest.mark.parametrize("cookie", [True, False])
def test_headers_of_every_answer(page, path, cookie):
    answer = page.get(path) if cookie else page._http.get(path, headers={"Cookie": "x=y"})
    for name, value in {
        "content-security-policy": "default-src 'self'; img-src 'self' blob:; frame-ancestors 'none'; "
        "base-uri 'none'; form-action 'none'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }.items():
        assert answer.headers[name] == value
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "server" not in answer.headers


# ---------------------------------------------------------------------- how much
def test_large_bodies(page):
    large = b'{"base":0,"events":"' + b"x" * 2**21 + b'"}'
    assert page.request("POST", "/api/events", large)[0] in (0, 413)
    assert page.request("POST", "/api/events", b"", Content_Length=str(2**40))[0] == 413
    head = (
        f"POST /api/events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\nOrigin: http://{page.host}\r\n"
        "Sec-Fetch-Site: same-origin\r\nX-Softclust: 1\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    assert status_of(page.raw(head.encode() + chunk * 32 + b"0\r\n\r\n")) in (0, 413)
    many = [{"do": "skip", "rows": [3]}] * 10_000
    answer = page.post("/api/events", {"base": 0, "events": many})
    assert answer.status_code == 400 and "10000 events" in answer.json()["error"]
    rows = {"do": "skip", "rows": [3] * 50_001}
    answer = page.post("/api/events", {"base": 0, "events": [rows]})
    assert answer.status_code == 400 and "50000 rows" in answer.json()["error"]
    assert status_of(page.raw(b"GET / HTTP/1.1\r\nX: " + b"x" * 2**20)) in (0, 400, 431)


def test_chunks_are_counted(page):
    """A body of 1 MB and a little in chunks is refused by its size, not by a broken pipe."""
    head = (
        f"POST /api/events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\nOrigin: http://{page.host}\r\n"
        "Sec-Fetch-Site: same-origin\r\nX-Softclust: 1\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    body = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert status_of(page.raw(head.encode() + body * 16 + b"1\r\nx\r\n0\r\n\r\n")) == 413


def test_slow_clients_are_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.4)
    monkeypatch.setattr(server, "_KEEP_ALIVE", 0.3)
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.2)
    with studio(write_blobs(tmp_path)[0]) as page:
        head = (
            f"POST /api/events HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n"
            f"Origin: http://{page.host}\r\nSec-Fetch-Site: same-origin\r\nX-Softclust: 1\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        get = f"GET /api/points HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n"
        for request, status in (
            (b"", 0),  # says nothing
            (b"GET / HTTP/1.1\r\nHos", 0),  # stops among the headers
            (head.encode(), 408),  # stops in the body
            (f"{get}\r\n{get}".encode(), 200),  # stops among the headers of a second request
            (f"{get}Content-Length: 9\r\n\r\nx".encode(), 200),  # a body that nobody reads
        ):
            began = time.monotonic()
            with socket.create_connection(("127.0.0.1", page.port), timeout=20) as to:
                assert status_of(exchange(to, request)) == status
            assert time.monotonic() - began < 15
        # A client that sends a letter now and then is dropped as well.
        slow = socket.create_connection(("127.0.0.1", page.port), timeout=20)
        with slow, pytest.raises(ConnectionError):
            for _ in range(200):
                slow.sendall(b"G")
                time.sleep(0.05)
        assert page.desk.rev == 0 and page.request()[0] == 200


def test_streams_are_counted_and_freed(tmp_path):
    with studio(write_blobs(tmp_path)[0]) as page:
        get = f"GET /api/stream HTTP/1.1\r\nHost: {page.host}\r\nCookie: {page.cookie}\r\n\r\n".encode()
        streams = [socket.create_connection(("127.0.0.1", page.port), timeout=20) for _ in range(8)]
        for stream in streams:
            stream.sendall(get)
            assert b"welcome" in until(stream, b"welcome")
        assert page.request("GET", "/api/stream")[0] == 429
        assert page.request()[0] == 200
        for stream in streams:
            stream.close()
        end = time.monotonic() + 20
        while page.server.streams._queues and time.monotonic() < end:
            time.sleep(0.02)
        with socket.create_connection(("127.0.0.1", page.port), timeout=20) as stream:
            stream.sendall(get)
            assert b"welcome" in until(stream, b"welcome")


def until(stream, word):
    found = b""
    while word not in found:
        part = stream.recv(4096)
        assert part, found
        found += part
    return found


def test_connections_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "_MOST_CONNECTIONS", 5)
    with studio(write_blobs(tmp_path)[0]) as page:
        idle = [socket.create_connection(("127.0.0.1", page.port), timeout=20) for _ in range(6)]
        assert page.request()[0] == 503
        for one in idle:
            one.close()
        end = time.monotonic() + 20
        while page.request()[0] != 200 and time.monotonic() < end:
            time.sleep(0.02)
        assert page.request()[0] == 200


# ---------------------------------------------------------------------- files
@pytest.mark.parametrize(
    "path",
    ["/page/..%2fserver.py", "/page/..%2f..%2f..%2fetc%2fpasswd", "/page/../server.py", "/page//etc/passwd",
     "/page/%2fetc%2fpasswd", "/page/", "/page/index.html%00", "/api/picture/..%2f..%2fetc%2fpasswd",
     "/api/picture/%2fetc%2fpasswd", "/api/export/..%2fblobs.csv", "/api/export/%2fetc%2fpasswd",
     "/../../etc/passwd", "/page/__init__.py", "/page/README.md"],
)  # fmt: skip
def test_paths_lead_nowhere(page, path):
    status, content = page.request("GET", path)
    assert status == 404 and b"root:" not in content and b"import" not in content


@pytest.fixture
def pictured(tmp_path):
    """A directory of pictures beside a secret, and a file whose rows name all kinds of things."""
    folder = tmp_path / "pictures"
    (folder / "deep").mkdir(parents=True)
    picture = png(np.zeros((2, 2)))
    (folder / "a.png").write_bytes(picture)
    (folder / "deep" / "b.png").write_bytes(picture)
    (tmp_path / "secret.png").write_bytes(picture)
    (folder / "vector.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
    (folder / "vector.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
    (folder / "page.png").write_text("<html><script>1</script>")
    (folder / "inside.png").symlink_to("deep/b.png")
    (folder / "out.png").symlink_to(tmp_path / "secret.png")
    (folder / "outside").symlink_to(tmp_path)
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe.png")
    names = {
        "a.png": True, "deep/b.png": True, "deep/../a.png": True, "inside.png": True,
        "../secret.png": False, "deep/../../secret.png": False, str(tmp_path / "secret.png"): False,
        str(folder / "a.png"): False, "out.png": False, "outside/secret.png": False, "circle": False,
        "vector.svg": False, "vector.png": False, "page.png": False, "pipe.png": False, "deep": False,
        ".": False, "gone.png": False, "/etc/passwd": False, "": False,
    }  # fmt: skip
    path = tmp_path / "data.csv"
    lines = [f"{i % 2},{i / 7:.3f},{name}" for i, name in enumerate(names)]
    path.write_text("x,y,file\n" + "\n".join(lines) + "\n")
    return path, folder, list(names.values())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_pictures_lie_below_their_directory(pictured):
    path, folder, may = pictured
    with studio(path, reading={"pictures": folder, "picture_column": "file"}, clusters=2) as page:
        found = [page.get(f"/api/picture/{row}") for row in range(len(may))]
        assert [answer.status_code == 200 for answer in found] == may
        assert {answer.headers["content-type"] for answer in found} == {"image/png", "application/json"}
        assert page.get("/api/row/0").json()["picture"] is True


def test_a_picture_that_became_a_link_is_not_followed(pictured, tmp_path, monkeypatch):
    _, folder, _ = pictured
    pictures = Pictures.below(folder).with_names(["a.png"])
    place = pictures._path("a.png")
    monkeypatch.setattr(Pictures, "_path", lambda self, name: place)
    (folder / "a.png").unlink()
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    assert pictures.read(0) is None


def test_pictures_by_their_first_bytes(tmp_path, monkeypatch):
    assert kind_of(b"\xff\xd8\xff\xe0") == "image/jpeg"
    assert kind_of(b"GIF89a...") == kind_of(b"GIF87a...") == "image/gif"
    assert kind_of(b"RIFF1234WEBPVP8 ") == "image/webp"
    assert kind_of(b"RIFF1234WAVE") is kind_of(b"<svg") is kind_of(b"BM") is kind_of(b"") is None
    (tmp_path / "a.png").write_bytes(png(np.zeros((1, 1))))
    pictures = Pictures.below(tmp_path).with_names(["a.png", None])
    assert pictures.read(0) is not None and pictures.read(1) is None
    monkeypatch.setattr("softclust.studio.pictures.MOST_BYTES", 10)
    assert pictures.read(0) is None


def test_pictures_are_found_by_themselves(pictured):
    path, folder, _ = pictured
    lines = [f"{i % 2},{i},{'a.png' if i % 2 else 'deep/b.png'}" for i in range(0, 20, 3)]
    path.write_text("x,y,file\n" + "\n".join(lines) + "\n")
    data = read_data(path, pictures=folder)
    assert data.names("picture") == ["file"] and data.names("feature") == ["x", "y"]
    path.write_text("x,y,file,small\n" + "\n".join(f"{line},a.png" for line in lines) + "\n")
    assert read_data(path, pictures=folder).names("picture") == ["file"]
    assert read_data(path, pictures=folder, picture_column="small").names("picture") == ["small"]
    with pytest.raises(ValueError, match="names files below"):
        read_data(path, pictures=folder.parent)
    with pytest.raises(ValueError, match="no directory"):
        read_data(path, pictures=path)
    with pytest.raises(ValueError, match="needs --pictures"):
        read_data(path, picture_column="file")


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_the_session_file_is_the_owners(page):
    assert page.desk.file.stat().st_mode & 0o777 == 0o600


def test_nothing_is_logged(tmp_path, capfd):
    with studio(write_blobs(tmp_path)[0]) as page:
        page.request("GET", f"/?token={page.token}")
        page.request("GET", "/?token=wrong")
        page.request("POST", "/api/events", b"{")
        page.raw(b"nonsense\r\n\r\n")
        threading.Event().wait(0.05)
        token = page.token
    out, err = capfd.readouterr()
    assert out == err == "" and token not in out + err


def test_a_port_that_is_none_is_refused_in_words():
    with pytest.raises(ValueError, match=r"listen on 127.0.0.1:80000: port must be 0-65535\. Without"):
        server._bound("127.0.0.1", 80_000)
