"""The compiled core; use the typed wrappers in `arrow_cd` instead."""

__version__: str
