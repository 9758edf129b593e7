"""Subscribers of the hook contract beside the recorder, one module each; none is imported unless a program asks for it.

They show how one is written, see docs/development.md, and do what is useful without a recorder.
"""
