"""The connection of the current request. Another thread can cut it, because a fork must not wait."""

import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPConnection
from typing import Any
from urllib.request import HTTPHandler, HTTPSHandler, Request


class Connection:
    """Makes one connection at a time, for one sender."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_resolving = False
        self._socket: socket.socket | None = None
        self._inode: int | None = None
        self.is_cut = False
        """Whether what is sent now fails, and may be sent again."""

    def handlers(self) -> tuple[HTTPHandler, HTTPSHandler]:
        """Return the ``urllib`` handlers that connect through this one."""
        return _Http(self.factory), _Https(self.factory)

    def factory(self, kind: type[HTTPConnection]) -> Callable[..., HTTPConnection]:
        """Return a factory for connections of this class."""

        def connect(*args: Any, **options: Any) -> HTTPConnection:
            connection: Any = kind(*args, **options)
            connection._create_connection = self._connect  # noqa: SLF001 - there since 3.5, to be replaced
            return connection

        return connect

    def _connect(self, address: tuple[str, int], timeout: float, *_: Any) -> socket.socket:
        """Like ``socket.create_connection``, but keeps the socket from the start, so that it can be cut."""
        self._is_resolving = True
        try:
            places = socket.getaddrinfo(*address, type=socket.SOCK_STREAM)
        finally:
            self._is_resolving = False
        problem = OSError(f"no address of {address[0]}")
        for family, kind, protocol, _name, place in places:
            connection = socket.socket(family, kind, protocol)
            try:
                connection.settimeout(timeout)
                self._hold(connection)
                connection.connect(place)
            except OSError as error:
                connection.close()
                problem = error
            else:
                return connection
        raise problem

    def _hold(self, connecting: socket.socket) -> None:
        with self._lock:
            if self.is_cut:
                raise ConnectionAbortedError("the program is forking")
            # A second descriptor, since TLS wraps the first one in another object.
            self._let_go()
            self._socket = connecting.dup()
            self._inode = os.fstat(self._socket.fileno()).st_ino

    def ended(self) -> None:
        """Note that the request is over."""
        with self._lock:
            self._let_go()

    def _let_go(self) -> None:
        if self._socket is not None:
            (self._socket.close if self._is_ours(self._socket) else self._socket.detach)()
            self._socket = None

    def _is_ours(self, connection: socket.socket) -> bool:
        """Tell whether the descriptor is still ours: the program may have closed it, and reused its number."""
        try:
            return os.fstat(connection.fileno()).st_ino == self._inode
        except OSError:
            return False

    def cut(self) -> bool:
        """Make the running request fail, and all others until `mend`.

        Returns:
            False during the lookup of the receiver's name, which cannot be interrupted.
        """
        with self._lock:
            self.is_cut = True
            if self._socket is not None and self._is_ours(self._socket):
                # Fails on some systems before it is connected.
                with suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)
            return not self._is_resolving

    def mend(self) -> None:
        """Allow requests again."""
        self.is_cut = False


_Factory = Callable[[type[HTTPConnection]], Callable[..., HTTPConnection]]


class _Http(HTTPHandler):
    def __init__(self, factory: _Factory) -> None:
        super().__init__()
        self._factory = factory

    def do_open(self, http_class: Any, req: Request, **options: Any) -> Any:
        return super().do_open(self._factory(http_class), req, **options)


class _Https(HTTPSHandler):
    def __init__(self, factory: _Factory) -> None:
        super().__init__()
        self._factory = factory

    def do_open(self, http_class: Any, req: Request, **options: Any) -> Any:
        return super().do_open(self._factory(http_class), req, **options)
