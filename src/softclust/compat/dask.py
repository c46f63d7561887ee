"""Dask: empty collections with their columns, the client of a cluster, and calls of actors."""

from __future__ import annotations

from typing import Any

import numpy as np


def meta_of(X: Any) -> Any:
    """No rows of a dask collection, with the names of its columns if it has any."""
    return X._meta if hasattr(X, "columns") else np.empty((0, int(X.shape[1])))


def current_client() -> Any:
    """The client of a cluster, where tasks go to one, or None."""
    from dask.base import get_scheduler

    return getattr(get_scheduler(), "__self__", None)


class _Direct:
    """A client that asks actors without a stop at the scheduler."""

    direct_to_workers = True

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def address_of(actor: Any) -> str:
    """The address of the worker that has an actor."""
    return actor._address


def ask_directly(actor: Any, client: Any) -> None:
    """Let calls of an actor go to its worker, not through the scheduler."""
    actor._client = _Direct(client)


def on_the_loop_of(actor: Any, function: Any, *arguments: Any) -> Any:
    """Run a coroutine function where the answers of an actor arrive, and return its result.

    That is the loop of the client, or of a worker of this process if there is one.  A wait on another loop
    would not be woken.
    """
    from distributed.utils import sync

    return sync(actor._io_loop, function, *arguments)
