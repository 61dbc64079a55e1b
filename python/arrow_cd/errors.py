"""What arrow_cd raises, one class per kind of trouble."""


class ArrowCdError(Exception):
    """Base of every error that arrow_cd raises on purpose."""


class InvalidDataError(ArrowCdError, ValueError):
    """The data or an option can't be used as given; the message names where and what was expected."""


class BackendNotInstalledError(ArrowCdError, ImportError):
    """A method needs an optional package; the message says which extra to install."""


class BackendError(ArrowCdError, RuntimeError):
    """A method could not finish, or can't do what was asked."""


class DownloadError(ArrowCdError, OSError):
    """A file of a public data set can't be had, or isn't the expected one; the message says what to do."""
