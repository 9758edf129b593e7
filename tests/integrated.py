"""Enables the integrations where it is imported, before any recording.

What is imported after it is patched as it is imported, as in a program under ``inspector run``: where a framework binds
functions of another by name, that makes a difference.
"""

from inspector import recording
from inspector.integrations import chosen

recording._integrations.enable(chosen(None))
