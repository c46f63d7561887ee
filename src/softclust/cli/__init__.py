"""The command `softclust`; `softclust --help` lists its subcommands."""

from __future__ import annotations

import os
import sys


def main(arguments=None):
    """Run the command line.

    An error prints one sentence and exits with code 2; an interrupt exits with code 130, and a closed pipe
    with code 141, as other programs do.

    Parameters
    ----------
    arguments : list of str, default=None
        The arguments of the command line; None takes those of the process.
    """
    try:
        from softclust.cli.app import app
    except ModuleNotFoundError as error:
        sys.exit(f"The command line needs {error.name}: pip install 'softclust[cli]'.")
    try:
        app(arguments)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would flush once more
        sys.exit(128 + 13)
    except (ValueError, OSError) as error:
        print(f"softclust: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("softclust: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)
