//! Which form of the correlations costs least, by estimates that look at nothing but sizes.

use std::ops::Range;

use super::marginals::Marginals;
use super::source::Form;
use super::sums::Sums;
use super::window::Window;

/// What a run is going to ask of its correlations.
#[derive(Debug, Clone, Copy)]
pub struct Demand {
    /// About how many it reads.
    pub reads: usize,
    /// Bytes that they may take.
    pub budget_bytes: usize,
}

/// Costs in time that a matrix product takes for one multiplication.
mod cost {
    /// Writing an entry of a matrix into memory that the system has to provide.
    pub const WRITE: f64 = 80.0;
    /// Forming an entry from sums by lag difference, beside a multiplication a lag.
    pub const ENTRY: f64 = 60.0;
    /// Multiplying two samples of a pair of columns on their own.
    pub const PAIR: f64 = 4.0;
    /// Ranking a sample of a column.
    pub const RANK: f64 = 50.0;
}

impl Demand {
    /// The form that costs least of those that fit into the budget; `None` if none does.
    pub fn choose(&self, window: &Window, marginals: Marginals) -> Option<Form> {
        let forms = [Form::Matrix, Form::Differences, Form::Pairs].into_iter();
        let affordable = forms.filter(|&form| bytes(form, window, marginals) <= self.budget_bytes);
        affordable.min_by(|&a, &b| self.time(a, window, marginals).total_cmp(&self.time(b, window, marginals)))
    }

    fn time(&self, form: Form, window: &Window, marginals: Marginals) -> f64 {
        let [n_series, n_lags, n] = sizes(window).map(|size| size as f64);
        let (columns, reads) = (n_series * n_lags, self.reads as f64);
        let n_products = if marginals == Marginals::Raw { n_series * columns } else { columns * columns / 2.0 };
        let ranking = if marginals == Marginals::Raw { 0.0 } else { cost::RANK * columns * n };
        ranking
            + match form {
                Form::Matrix => n_products * n + cost::WRITE * columns * columns,
                Form::Differences => n_products * n + reads * (cost::ENTRY + n_lags * window.rows().len() as f64),
                Form::Pairs => reads * cost::PAIR * n,
            }
    }
}

/// Bytes that a form takes at its peak beyond a copy or two of the data, for C = S (L+1) columns on R rows:
/// `8 C (C + S)` the matrix of values and `8 C (C + R)` that of normal scores, about `8 C S` the differences, and the
/// columns alone `24 C` of values and `8 C R` of normal scores. Rows in runs of at most L take `8 C` more each of a
/// matrix and of differences.
pub fn bytes(form: Form, window: &Window, marginals: Marginals) -> usize {
    let [n_series, n_lags, n] = sizes(window);
    let columns = n_series.saturating_mul(n_lags);
    let is_short = |rows: &&Range<usize>| rows.len() < n_lags;
    let n_short = window.rows().iter().filter(is_short).map(Range::len).sum::<usize>();
    let n_long_sets = window.rows().iter().filter(|rows| !is_short(rows)).count();
    let a_column = match (form, marginals) {
        (Form::Matrix, Marginals::Raw) => columns.saturating_add(n_series).saturating_add(n_short),
        (Form::Matrix, Marginals::NormalScores) => columns.saturating_add(n),
        (Form::Differences, Marginals::Raw) => return Sums::bytes(n_series, n_lags - 1, n_long_sets, n_short),
        (Form::Differences, Marginals::NormalScores) => usize::MAX,
        (Form::Pairs, Marginals::Raw) => 3,
        (Form::Pairs, Marginals::NormalScores) => n,
    };
    columns.saturating_mul(a_column).saturating_mul(8)
}

/// Series, lags 0..=L, rows.
fn sizes(window: &Window) -> [usize; 3] {
    [window.series().n_series(), window.max_lag() + 1, window.n_rows()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cov::LaggedCorrelation;
    use crate::series::Series;

    #[test]
    fn short_runs_and_scores_take_room_by_the_row() {
        let x = vec![0.0; 3 * 40];
        let series = Series::new(&x, None, 3, 40, vec![]).unwrap();
        let whole = Window::new(&series, 4, 8).unwrap();
        let every_third = Window::of_samples(&series, 4, 8, &[8, 11, 14, 17]).unwrap();
        let matrix = LaggedCorrelation::bytes(3, 4);
        let of = |form, marginals| [&whole, &every_third].map(|w| bytes(form, w, marginals));
        assert_eq!(of(Form::Matrix, Marginals::Raw), [matrix, matrix + 8 * 15 * 4]);
        assert_eq!(of(Form::Matrix, Marginals::NormalScores), [8 * 15 * (15 + 32), 8 * 15 * (15 + 4)]);
        assert_eq!(of(Form::Differences, Marginals::Raw), [8 * 15 * (3 + 2 + 3), 8 * 15 * (3 + 4 + 3)]);
        assert_eq!(of(Form::Pairs, Marginals::NormalScores), [8 * 15 * 32, 8 * 15 * 4]);
    }

    #[test]
    fn few_reads_are_formed_one_by_one_and_a_small_budget_never_exceeded() {
        let x = vec![0.0; 200 * 500];
        let series = Series::new(&x, None, 200, 500, vec![]).unwrap();
        let window = Window::new(&series, 20, 20).unwrap();
        let choose = |reads, budget_bytes, marginals| Demand { reads, budget_bytes }.choose(&window, marginals);
        let whole = bytes(Form::Matrix, &window, Marginals::Raw);
        assert_eq!(choose(1000, usize::MAX, Marginals::Raw), Some(Form::Pairs));
        assert_eq!(choose(usize::MAX, whole, Marginals::Raw), Some(Form::Matrix));
        assert_eq!(choose(usize::MAX, whole - 1, Marginals::Raw), Some(Form::Differences));
        assert_eq!(choose(usize::MAX, usize::MAX, Marginals::NormalScores), Some(Form::Matrix));
        assert_eq!(choose(1000, 0, Marginals::Raw), None);
        for (budget, reads) in [(whole / 50, 1), (whole / 50, usize::MAX), (10, 1)] {
            let form = choose(reads, budget, Marginals::Raw);
            assert!(form.is_none_or(|form| bytes(form, &window, Marginals::Raw) <= budget));
        }
    }
}
