//! Screens: which (source, lag) pairs of a target go on to the expensive search.

/// A link that a screen keeps for some target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Index of the source series.
    pub source: usize,
    /// Lag in samples, at least 1.
    pub lag: usize,
    /// How strongly the screen saw it: |t| or |z|, or the agreement of `paper`.
    pub score: f64,
}

/// What a screen keeps for one target, in order of entry and without repeats.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TargetCandidates {
    pub links: Vec<Link>,
}
