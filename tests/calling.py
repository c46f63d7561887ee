"""The command line, called within this process."""

import pytest

from softclust.cli import main


def call(*arguments):
    """Its exit code."""
    with pytest.raises(SystemExit) as stop:
        main([str(a) for a in arguments])
    return stop.value.code or 0
