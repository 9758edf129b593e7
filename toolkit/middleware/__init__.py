"""What stands around a call: functions ``(ctx, args, call_next)``, before, instead or after; and guardrails."""

from typing import TYPE_CHECKING

from toolkit.extras import lazily

if TYPE_CHECKING:
    from toolkit.middleware.cache import Cache as Cache
    from toolkit.middleware.cache import MemoryStore as MemoryStore
    from toolkit.middleware.cache import RedisStore as RedisStore
    from toolkit.middleware.contexts import ToolHook as ToolHook
    from toolkit.middleware.contexts import ToolHookContext as ToolHookContext
    from toolkit.middleware.guardrails import Allow as Allow
    from toolkit.middleware.guardrails import Decision as Decision
    from toolkit.middleware.guardrails import Refuse as Refuse
    from toolkit.middleware.guardrails import Rewrite as Rewrite
    from toolkit.middleware.paths import PathRoots as PathRoots
    from toolkit.middleware.rates import Quota as Quota
    from toolkit.middleware.rates import RateLimit as RateLimit
    from toolkit.middleware.redact import Redact as Redact
    from toolkit.middleware.retry import Retry as Retry
    from toolkit.middleware.retry import Timeout as Timeout
    from toolkit.middleware.selection import ToolMiddleware as ToolMiddleware

__getattr__, __dir__ = lazily(
    __name__,
    {
        "toolkit.middleware.cache": ("Cache", "MemoryStore", "RedisStore"),
        "toolkit.middleware.contexts": ("ToolHook", "ToolHookContext"),
        "toolkit.middleware.guardrails": ("Allow", "Decision", "Refuse", "Rewrite"),
        "toolkit.middleware.paths": ("PathRoots",),
        "toolkit.middleware.rates": ("Quota", "RateLimit"),
        "toolkit.middleware.redact": ("Redact",),
        "toolkit.middleware.retry": ("Retry", "Timeout"),
        "toolkit.middleware.selection": ("ToolMiddleware",),
    },
)
