"""Look at the built pages: every internal link leads somewhere, nothing is loaded from a network.

`python docs/check_html.py docs/_build/html` prints a line for each fault and fails if there is one.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "_ext"))
LOADED = {
    ("script", "src"),
    ("img", "src"),
    ("source", "src"),
    ("iframe", "src"),
    ("link", "href"),
    ("source", "srcset"),
}


class Page(HTMLParser):
    """What a page names: its anchors, the links it has, the files that it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = {"", "top"}, [], []
        self.thumbnails = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.thumbnails += "sphx-glr-thumbcontainer" in (given.get("class") or "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for name, value in given.items():
            if (tag, name) in LOADED and value and given.get("rel") not in ("canonical",):
                self.loaded += (
                    [part.split()[0] for part in value.split(",")] if name == "srcset" else [value]
                )


def main(folder):
    pages = {path.resolve(): Page(path) for path in _built(folder.resolve())}
    faults = [fault for path, page in pages.items() for fault in _faults(path, page, pages)]
    faults += [fault for path in folder.rglob("*.css") for fault in _imports(path)]
    faults += _without_thumbnails(folder.resolve(), pages)
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {len(faults)} faults")
    return "\n".join(str(fault).replace(f"{folder.resolve()}/", "") for fault in faults)


def _built(folder):
    """All pages but the templates that the theme leaves among its static files."""
    return sorted(
        path for path in folder.rglob("*.html") if "_static" not in path.relative_to(folder).parts
    )


def _faults(path, page, pages):
    for link in page.loaded:
        if urlsplit(link).netloc:
            yield f"{path}: loads {link}"
        elif not link.startswith("data:") and not _target(path, link).exists():
            yield f"{path}: loads {link}, which is not there"
    for link in page.links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = _target(path, link)
        if not target.exists():
            yield f"{path}: links to {link}, which is not there"
        elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"{path}: links to {link}, which has no such anchor"


def _target(path, link):
    name = unquote(urlsplit(link).path)
    target = (path.parent / name).resolve() if name else path
    return target / "index.html" if target.is_dir() else target


def _imports(path):
    """Files from elsewhere that a style sheet asks for."""
    text = path.read_text(errors="replace")
    for mark in ("url(http", 'url("http', "url('http", "url(//", '@import "http'):
        if mark in text:
            yield f"{path}: has {mark}"


def _without_thumbnails(folder, pages):
    from api_pages import estimators

    for name in estimators():
        path = folder / "api" / "generated" / f"softclust.{name}.html"
        if path not in pages or not pages[path].thumbnails:
            yield f"{path}: shows no example of the gallery"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) or None)
