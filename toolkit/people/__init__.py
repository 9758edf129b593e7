"""Asking a person: who is asked, at the terminal or elsewhere, before a call or for an answer."""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.people.approve import Approve as Approve
    from toolkit.people.asking import ApprovalRequest as ApprovalRequest
    from toolkit.people.asking import Approver as Approver
    from toolkit.people.human import HumanInputTool as HumanInputTool
    from toolkit.people.terminal import Terminal as Terminal

__getattr__, __dir__ = lazily(
    __name__,
    {
        "toolkit.people.approve": ("Approve",),
        "toolkit.people.asking": ("ApprovalRequest", "Approver"),
        "toolkit.people.human": ("HumanInputTool",),
        "toolkit.people.terminal": ("Terminal",),
    },
)
