"""Exceptions that say how a call ended where nothing was raised; the recorder knows them by their names."""


class Abandoned(GeneratorExit):
    """A call that was dropped without being closed."""


class Closed(GeneratorExit):
    """A stream that the program closed, whoever does the work of closing it."""


class Interrupted(BaseException):
    """A call that stopped to wait, for example for an approval; it is called again afterwards."""
