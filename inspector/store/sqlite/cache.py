"""The writer's cache between batches."""

from inspector.store.sqlite.conversations import Conversations
from inspector.store.sqlite.families import Families
from inspector.store.sqlite.logs import KeptLogs
from inspector.store.sqlite.turns import Turns
from inspector.store.values.text_hashes import TextHashes


class WriterCache:
    """A cache of stored rows, so that a batch need not read them."""

    def __init__(self) -> None:
        self.text_hashes = TextHashes()
        """Addresses of the messages of the current batch."""
        self.conversations = Conversations(self.text_hashes)
        """The latest messages of sessions and runs."""
        self.families = Families()
        """The calls of traces and their duplicates."""
        self.logs = KeptLogs()
        """Whether logs have to be looked for."""
        self.turns = Turns(self.text_hashes)
        """Finds which call continues which."""

    def forget(self) -> None:
        """Drop what may be out of date, as after a failed transaction or after rows were deleted."""
        self.text_hashes.forget()
        self.conversations.forget()
        self.families.forget()
        self.logs.forget()
