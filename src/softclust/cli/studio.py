"""`softclust studio`: label rows in the browser, with questions from the model."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from pathlib import Path

from softclust.cli import show
from softclust.cli.models import parsed_settings


def run(
    data, *, demo, labels_column, key, pictures, picture_column, text_columns, clusters, method, classes,
    columns, drop, standardize, settings, seed, session_path, host, port, allow_network, browser,
):  # fmt: skip
    """Serve the studio until it is ended; `app.studio` documents the options."""
    try:
        from softclust.studio.server import Server, is_loopback
    except ModuleNotFoundError as error:
        raise ValueError(f"The studio needs {error.name}: pip install 'softclust[studio]'.") from None
    from softclust.studio.data import read_data
    from softclust.studio.demo import DEMO_CLASSES, demo_data
    from softclust.studio.start import in_words, open_session

    if demo == (data is not None):
        raise ValueError("Which rows? Give a file, as in softclust studio data.csv, or --demo.")
    if not is_loopback(host) and not allow_network:
        raise ValueError(
            f"--host {host} would let other machines reach your data; add --allow-network if you mean it."
        )
    words = show.console()

    def say(sentence):
        show.say(words, sentence)

    with contextlib.ExitStack() as stack, warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: show.note(words, str(message))
        warnings.simplefilter("default", UserWarning)
        if demo:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="softclust-")))
            rows = demo_data(folder)
            clusters, settings = clusters or len(DEMO_CLASSES), settings or ([] if method else ["m=1.4"])
            classes, standardize = classes or DEMO_CLASSES, False
            path = session_path or folder / "digits.studio.jsonl"
        else:
            rows = read_data(
                data, labels_column=labels_column, key=key, pictures=pictures,
                picture_column=picture_column, text_columns=text_columns or (), columns=columns,
                drop=drop or (), say=say,
            )  # fmt: skip
            path = session_path or data.with_name(f"{data.stem}.studio.jsonl")
        is_new = not path.exists()
        session, writer = open_session(
            rows, path, method=method, clusters=clusters, classes=classes or (), standardize=standardize,
            settings=lambda model: parsed_settings(settings, model), seed=seed, say=say,
        )  # fmt: skip
        stack.callback(writer.close)
        try:
            server = Server(rows, session, writer, host=host, port=port)
        except BaseException:
            writer.close()
            if is_new:  # nobody said anything yet
                path.unlink(missing_ok=True)
            raise
        say(f"The studio: {server.address}?token={server.token}")
        say("Ctrl-C ends it; every answer is saved at once.")
        server.run(open_browser=browser)
        told = in_words(server.desk.session)
        where = "The demo keeps nothing." if demo and not session_path else f"Saved: {path}"
        say(f"{told}. {where}")
