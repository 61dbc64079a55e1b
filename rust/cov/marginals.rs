//! What of a variable a test looks at: its values, or their ranks.

use std::ops::Range;

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

    /// Bytes that [`correlate`] needs at its peak beyond a copy or two of the data, for C lagged columns of
    /// S series: `8 C (C + S)` of values, and `8 C` more for every row in a run of fewer rows than lags; `8 C (C + R)`
    /// of normal scores on R rows, for each column has scores of its own.
    pub fn bytes_on(self, window: &Window) -> usize {
        let (n_series, n_lags) = (window.series().n_series(), window.max_lag() + 1);
        let columns = n_series.saturating_mul(n_lags);
        let (beside, gathered) = match self {
            Self::Raw => (n_series, window.rows().iter().map(Range::len).filter(|&n| n < n_lags).sum()),
            Self::NormalScores => (0, window.n_rows()),
        };
        columns.saturating_add(beside).saturating_add(gathered).saturating_mul(columns).saturating_mul(8)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;

    #[test]
    fn short_runs_and_scores_take_room_by_the_row() {
        let x = vec![0.0; 3 * 40];
        let series = Series::new(&x, None, 3, 40, vec![]).unwrap();
        let whole = Window::new(&series, 4, 8).unwrap();
        let every_third = Window::of_samples(&series, 4, 8, &[8, 11, 14, 17]).unwrap();
        let matrix = LaggedCorrelation::bytes(3, 4);
        let bytes = |marginals: Marginals| [&whole, &every_third].map(|w| marginals.bytes_on(w));
        assert_eq!(bytes(Marginals::Raw), [matrix, matrix + 8 * 15 * 4]);
        assert_eq!(bytes(Marginals::NormalScores), [8 * 15 * (15 + 32), 8 * 15 * (15 + 4)]);
    }
}
