"""The command line: `softclust demo`, and what is to come."""

from __future__ import annotations

import sys


def main(arguments=None):
    """Run the command line; an error is one sentence and exit code 2."""
    try:
        from softclust.cli.app import app
    except ModuleNotFoundError as error:
        sys.exit(f"The command line needs {error.name}: pip install 'softclust[cli]'.")
    try:
        app(arguments)
    except (ValueError, OSError) as error:
        print(f"softclust: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("softclust: interrupted; nothing was written.", file=sys.stderr)
        sys.exit(130)
