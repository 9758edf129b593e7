"""The hosts of a database: one is asked, until it does not answer and another one does."""

import logging
import signal
import threading
from contextlib import suppress
from typing import Any, Final, cast

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError

from inspector.store.address import Address

_ANSWER_S: Final = 60
"""The timeout for a response; ClickHouse reports progress more often than that."""
_LOGS: Final = ("clickhouse_connect", "urllib3.connectionpool")
"""Loggers whose warnings our own errors repeat, with the address and what to do."""


class Hosts:
    """The client of one host, which all threads share.

    It stays with a host that answers, because a replica may lag behind the one that was written to.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._at = 0
        self._database: str | None = None
        self._lock = threading.Lock()
        _quiet()
        self.client = self._first()

    def begin(self) -> None:
        """Make the database of the address the default."""
        with self._lock:
            self._database = self.client.database = self._address.database

    def leave(self, client: Client) -> None:
        """Have another host asked from now on, if one answers, and if no other thread has done so since."""
        with self._lock:
            if client is not self.client:
                return
            count = len(self._address.hosts)
            for at in ((self._at + step) % count for step in range(1, count)):
                with suppress(ClickHouseError):
                    other = self._connected(at)
                    other.database = self._database
                    # The one before is not closed, because other threads may still use it.
                    self._at, self.client = at, other
                    return

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def _first(self) -> Client:
        if not self._address.hosts:
            return _embedded(self._address.directory)
        *others, last = range(len(self._address.hosts))
        for self._at in others:
            with suppress(ClickHouseError):
                return self._connected(self._at)
        self._at = last
        return self._connected(last)

    def _connected(self, at: int) -> Client:
        host, port = self._address.hosts[at]
        return cast("Any", clickhouse_connect).get_client(
            host=host,
            port=port,
            username=self._address.user,
            password=self._address.password,
            secure=self._address.secure,
            send_receive_timeout=_ANSWER_S,
            # A session allows only one query at a time.
            autogenerate_session_id=False,
        )


def _quiet() -> None:
    """Leave the client's warnings out of the log, unless the program has set their level."""
    for name in _LOGS:
        log = logging.getLogger(name)
        if log.level == logging.NOTSET:
            log.setLevel(logging.ERROR)


def _embedded(directory: str) -> Client:
    """Return a client of the engine in this process."""
    # Importing the engine blocks SIGPIPE, and programs that are started later would inherit that.
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        return cast("Any", clickhouse_connect).get_client(interface="chdb", path=directory or None)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
