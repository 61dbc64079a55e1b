//! What of a variable a test looks at: its values, or their ranks.

use super::lagged::LaggedCorrelation;
use super::ranks::Ranking;
use super::scores::normal_score_correlation;
use super::window::Window;
use crate::error::Result;
use crate::parallel::Monitor;

/// The marginal distribution that variables have in a partial correlation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Marginals {
    /// Their own.
    #[default]
    Raw,
    /// The normal one: every lagged column is ranked on its rows and mapped to normal scores.
    NormalScores,
}

impl Marginals {
    /// The ranks behind normal scores; `None` for the variables' own values.
    pub fn rank(self, window: &Window) -> Option<Ranking> {
        (self == Self::NormalScores).then(|| Ranking::new(window))
    }
}

/// Correlations of all lagged columns on the rows of a window, whatever memory they need: of normal scores if there is a
/// `ranking`, else of the values.
pub fn correlate(window: &Window, ranking: Option<&Ranking>, monitor: &Monitor) -> Result<LaggedCorrelation> {
    match ranking {
        None => LaggedCorrelation::on(window, monitor),
        Some(ranking) => normal_score_correlation(window, ranking, monitor),
    }
}
