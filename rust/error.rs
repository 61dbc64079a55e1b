//! The one error type of the core. Python owns the words that a user reads, so these stay short.

use std::fmt;

/// What can go wrong inside the core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreError {
    /// A shape, index or option that the caller should never have passed on.
    Invalid(String),
    /// The run would need more memory than it was given.
    Memory(String),
    /// The core panicked: a bug of ours, whatever the input.
    Bug(String),
    /// Somebody asked for the run to stop.
    Interrupted,
}

impl CoreError {
    /// Shorthand for [`CoreError::Invalid`].
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(message) | Self::Memory(message) | Self::Bug(message) => f.write_str(message),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for CoreError {}

/// What every fallible function of the core returns.
pub type Result<T> = std::result::Result<T, CoreError>;
