//! Threads, progress and cancellation.
//!
//! Each run makes its own thread pool: a global one hangs in a forked child. Results never depend on the number of
//! threads, because work is split by target and every target is computed alone.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{CoreError, Result};

/// Shared by a run and whoever watches it: a stop flag, and a count of finished steps.
#[derive(Debug, Default)]
pub struct Monitor {
    stopped: AtomicBool,
    done: AtomicUsize,
}

impl Monitor {
    /// Ask the run to stop at its next [`Monitor::check`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error once somebody called [`Monitor::stop`]. Cheap: call it in every outer loop.
    pub fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) { Err(CoreError::Interrupted) } else { Ok(()) }
    }

    /// Count one finished step (usually a target).
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Steps finished so far.
    pub fn done(&self) -> usize {
        self.done.load(Ordering::Relaxed)
    }
}

/// A pool of `n_jobs` threads. 0 means one per core; more than that are never started, for they would only wait for each
/// other.
pub fn pool(n_jobs: usize) -> Result<ThreadPool> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let n_threads = if n_jobs == 0 { cores } else { n_jobs.min(cores) };
    let builder = ThreadPoolBuilder::new().num_threads(n_threads);
    builder.build().map_err(|e| CoreError::invalid(format!("cannot start {n_threads} threads: {e}")))
}

/// Run `work` inside a [`pool`] that lives only for this call.
pub fn with_pool<R: Send>(n_jobs: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    Ok(pool(n_jobs)?.install(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn monitor_stops_and_counts() {
        let monitor = Monitor::default();
        assert_eq!(monitor.check(), Ok(()));
        monitor.step();
        assert_eq!(monitor.done(), 1);
        monitor.stop();
        assert_eq!(monitor.check(), Err(CoreError::Interrupted));
    }

    #[test]
    fn pool_has_the_threads_asked_for_up_to_the_cores() {
        let cores = available_parallelism().unwrap().get();
        for (n_jobs, n_threads) in [(0, cores), (1, 1), (2, cores.min(2)), (1_000_000, cores)] {
            assert_eq!(with_pool(n_jobs, rayon::current_num_threads), Ok(n_threads));
        }
    }
}
