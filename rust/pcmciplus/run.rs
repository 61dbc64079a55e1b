//! A whole run: correlations, PC1, skeleton, colliders, rules.

use std::time::Instant;

use super::choice::score;
use super::colliders::{self, ColliderRule};
use super::graph::{Graph, has_cycle};
use super::mci::Setting;
use super::output::{Counts, Numbers, Output, Timings};
use super::rules::apply_rules;
use super::skeleton::{self, Separators};
use crate::cov::{Demand, Marginals};
use crate::error::{CoreError, Result};
use crate::parallel::Monitor;
use crate::pcmci::{Links, Node, PcLimits, Rows, Tests, check_search, expected_reads, select_all};
use crate::series::Series;

/// What can be chosen. `None` means no limit.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether tests look at values or at their normal scores.
    pub marginals: Marginals,
    /// Level of every decision; of several, the one whose graph has the smallest AIC.
    pub pc_alpha: Vec<f64>,
    pub collider_rule: ColliderRule,
    /// Whether a pair that is oriented both ways becomes `x-x`; otherwise the first orientation holds.
    pub mark_conflicts: bool,
    /// Whether the skeleton phase starts from all assumed links, not from those that PC1 left.
    pub reset_lagged_links: bool,
    /// Most conditions of a test in PC1, and most contemporaneous ones after that.
    pub max_conds_dim: Option<usize>,
    /// Sets of conditions PC1 tries a link and size.
    pub max_combinations: usize,
    pub max_conds_py: Option<usize>,
    pub max_conds_px: Option<usize>,
    /// For lagged sources; `None` means `max_conds_px`.
    pub max_conds_px_lagged: Option<usize>,
    /// Bytes that correlations may take; where no form of them fits, tests read the rows.
    pub memory_budget: usize,
}

/// Run PCMCI+. A run that `monitor` stops hands back what it has: of several levels the best one that was finished.
pub fn run(series: &Series, rows: &Rows, links: &Links, options: &Options, monitor: &Monitor) -> Result<Output> {
    check_search(series.n_series(), links, &options.pc_alpha, options.max_combinations)?;
    if has_cycle(links) {
        return Err(CoreError::invalid("directed links at lag 0 form a cycle"));
    }
    let mut seconds = 0.0;
    let window = rows.window(series, 2 * links.largest_lag(), 2 * links.tau_max())?;
    let reads = expected_reads(links, None, options.max_conds_px.unwrap_or(usize::MAX));
    let demand = Demand { reads, budget_bytes: options.memory_budget };
    let tests = timed(&mut seconds, || Tests::new(&window, options.marginals, demand, monitor))?;
    let (mut counts, mut timings) = (Counts::default(), Timings { matrix: seconds, ..Timings::default() });
    let mut best: Option<(f64, Output)> = None;
    for &pc_alpha in &options.pc_alpha {
        let output = Search { links, tests: &tests, options, pc_alpha, monitor }.run();
        counts.add(output.tests);
        timings.add(output.timings);
        let scored = output.complete && options.pc_alpha.len() > 1;
        let criterion = if scored { score(&output.graph, links, &output.numbers.val, &tests) } else { f64::INFINITY };
        if best.as_ref().is_none_or(|(least, _)| criterion < *least) {
            best = Some((criterion, output));
        }
    }
    let (_, output) = best.ok_or_else(|| CoreError::Bug("a search without a level".into()))?;
    Ok(Output { tests: counts, timings, ..output })
}

/// One search at one level.
struct Search<'a> {
    links: &'a Links<'a>,
    tests: &'a Tests<'a>,
    options: &'a Options,
    pc_alpha: f64,
    monitor: &'a Monitor,
}

impl Search<'_> {
    fn run(&self) -> Output {
        let mut output = self.pc1();
        let parents = output.selections.iter().map(|s| s.as_ref().map(|s| s.parents.clone()));
        if let Some(parents) = parents.collect::<Option<Vec<_>>>() {
            self.after_pc1(&parents, &mut output);
        }
        output
    }

    /// The lagged parents of every target.
    fn pc1(&self) -> Output {
        let (links, tests, options) = (self.links, self.tests, self.options);
        let limits = PcLimits {
            max_conds_dim: options.max_conds_dim.unwrap_or(usize::MAX),
            max_combinations: options.max_combinations,
            max_tests: usize::MAX,
        };
        let mut timings = Timings::default();
        let selections = timed(&mut timings.pc1, || select_all(links, tests, &[self.pc_alpha], limits, self.monitor));
        let mut numbers = Numbers::new(links);
        numbers.enter_pc1(links, &selections);
        Output {
            numbers,
            graph: Graph::empty(links.n_series(), links.tau_max()),
            separators: Separators::new(),
            ambiguous: Vec::new(),
            pc_alpha: self.pc_alpha,
            n_rows: tests.n_rows(),
            form: tests.form(),
            tests: Counts { pc1: selections.iter().flatten().map(|s| s.tests).sum(), ..Counts::default() },
            selections,
            complete: false,
            timings,
        }
    }

    /// Skeleton, colliders and rules, as far as they come.
    fn after_pc1(&self, parents: &[Vec<Node>], output: &mut Output) {
        let setting = self.setting(parents);
        let (targets, finished) = timed(&mut output.timings.skeleton, || self.find_skeleton(setting));
        output.tests.skeleton = targets.iter().map(|t| t.tester.count()).sum();
        output.numbers.enter_skeleton(self.links, &targets);
        output.graph = skeleton::to_graph(self.links, &targets);
        output.separators = skeleton::separators(&targets);
        if finished {
            let mut seconds = 0.0;
            output.complete = timed(&mut seconds, || self.orient(setting, output)).is_some();
            output.timings.orientation = seconds;
        }
    }

    /// `None` if the collider phase was stopped: the graph is the skeleton then.
    fn orient(&self, setting: Setting, output: &mut Output) -> Option<()> {
        let (rule, mark_conflicts) = (self.options.collider_rule, self.options.mark_conflicts);
        let (graph, separators) = (&mut output.graph, &mut output.separators);
        let (ambiguous, tests) = colliders::orient(graph, separators, setting, (rule, mark_conflicts), self.monitor)?;
        apply_rules(graph, &ambiguous, mark_conflicts);
        (output.ambiguous, output.tests.colliders) = (ambiguous, tests);
        Some(())
    }

    fn setting<'s>(&'s self, parents: &'s [Vec<Node>]) -> Setting<'s> {
        let options = self.options;
        let most = |limit: Option<usize>| limit.unwrap_or(usize::MAX);
        Setting {
            tests: self.tests,
            parents,
            max_conds_py: most(options.max_conds_py),
            max_conds_px: most(options.max_conds_px),
            max_conds_px_lagged: most(options.max_conds_px_lagged.or(options.max_conds_px)),
            pc_alpha: self.pc_alpha,
        }
    }

    fn find_skeleton<'s>(&self, setting: Setting<'s>) -> (Vec<skeleton::Target<'s>>, bool) {
        let lagged = |target| self.links.into_target(target).filter(|x| x.lag > 0).collect();
        let start = if self.options.reset_lagged_links {
            &(0..self.links.n_series()).map(lagged).collect::<Vec<_>>()
        } else {
            setting.parents
        };
        skeleton::search(self.links, start, setting, self.options.max_conds_dim.unwrap_or(usize::MAX), self.monitor)
    }
}

fn timed<R>(seconds: &mut f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    *seconds = start.elapsed().as_secs_f64();
    result
}
