"""The checks of ``inspector doctor``, and how their results are printed."""
