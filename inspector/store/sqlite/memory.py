"""What the writer remembers between its batches."""

from inspector.store.sqlite.conversations import Conversations
from inspector.store.sqlite.families import Families
from inspector.store.sqlite.turns import Turns
from inspector.store.values.addresses import Addresses


class Memory:
    """What is remembered of stored rows, so that a batch need not read them."""

    def __init__(self) -> None:
        self.addresses = Addresses()
        """Of the messages of the batch that is written."""
        self.conversations = Conversations(self.addresses)
        """Of messages."""
        self.families = Families()
        """Of calls and their duplicates."""
        self.turns = Turns(self.addresses)
        """What finds the calls that others continue."""

    def forget(self) -> None:
        """Lets go of what may not be true any more, as after a transaction that failed or rows that were deleted."""
        self.addresses.forget()
        self.conversations.forget()
        self.families.forget()
