"""Subscribers of the hook contract besides the recorder, one module each, imported only if a program asks for it.

They show how one is written, see docs/development.md, and do what is useful without a recorder.
"""
