"""Removes secrets from recorded values, in the agent's process, and from data that other programs send."""

from inspector.redaction.redactor import FAILED, FUNCTION_FAILED, Redactor

__all__ = ["FAILED", "FUNCTION_FAILED", "Redactor"]
