"""Asking a person: who is asked, at the terminal or elsewhere, before a call or for an answer."""
