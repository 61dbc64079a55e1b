//! Threads, progress and cancellation.
//!
//! Each run makes its own thread pool: a global one hangs in a forked child. Results never depend on the number of
//! threads, because work is split by target and every target is computed alone.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{CoreError, Result};

/// Shared by a run and whoever watches it: a stop flag, and a count of finished steps.
#[derive(Default)]
pub struct Monitor {
    stopped: AtomicBool,
    done: AtomicUsize,
    lookout: Option<Lookout>,
}

/// Called from inside the work, for runs that have no thread to spare for watching.
struct Lookout {
    look: Box<dyn Fn(&Monitor) + Send + Sync>,
    every: Duration,
    start: Instant,
    /// Nanoseconds after `start` at which to look again.
    due: AtomicU64,
}

impl Monitor {
    /// A monitor whose [`Monitor::check`] calls `look`, but not before `every` has passed since the last time.
    pub fn looking(look: impl Fn(&Monitor) + Send + Sync + 'static, every: Duration) -> Self {
        let due = AtomicU64::new(every.as_nanos() as u64);
        Self { lookout: Some(Lookout { look: Box::new(look), every, start: Instant::now(), due }), ..Self::default() }
    }

    /// Ask the run to stop at its next [`Monitor::check`].
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// An error once somebody called [`Monitor::stop`]. Cheap: call it in every outer loop.
    pub fn check(&self) -> Result<()> {
        if let Some(lookout) = &self.lookout {
            let now = lookout.start.elapsed();
            if now.as_nanos() as u64 >= lookout.due.load(Ordering::Relaxed) {
                (lookout.look)(self);
                lookout.due.store((now + lookout.every).as_nanos() as u64, Ordering::Relaxed);
            }
        }
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

/// Threads that a run with `n_jobs` gets. 0 means one per core; more than that are never started, for they would only
/// wait for each other.
pub fn threads(n_jobs: usize) -> usize {
    // Asking for the number of cores reads files; a search may take less time.
    let cores = || available_parallelism().map_or(1, NonZero::get);
    match n_jobs {
        0 => cores(),
        1 => 1,
        _ => n_jobs.min(cores()),
    }
}

/// A pool of as many [`threads`].
pub fn pool(n_jobs: usize) -> Result<ThreadPool> {
    build(ThreadPoolBuilder::new().num_threads(threads(n_jobs)))
}

fn build(builder: ThreadPoolBuilder) -> Result<ThreadPool> {
    builder.build().map_err(|e| CoreError::invalid(format!("cannot start threads: {e}")))
}

thread_local! {
    /// This thread as the only one of a pool. rayon lets a thread join a pool once and never leave it, so it is kept.
    static ALONE: Result<ThreadPool> = build(ThreadPoolBuilder::new().num_threads(1).use_current_thread());
}

/// Run `work` on the calling thread alone. Starting a thread would cost more than a small search takes.
pub fn alone<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R> {
    ALONE.with(|pool| pool.as_ref().map(|pool| pool.install(work)).map_err(Clone::clone))
}

/// Run `work` on as many [`threads`]; a pool lives only for this call.
pub fn with_pool<R: Send>(n_jobs: usize, work: impl FnOnce() -> R + Send) -> Result<R> {
    if threads(n_jobs) == 1 { alone(work) } else { Ok(pool(n_jobs)?.install(work)) }
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
    fn a_look_can_stop_the_work_but_comes_no_sooner_than_asked() {
        let patient = Monitor::looking(Monitor::stop, Duration::from_secs(3600));
        assert!((0..1000).all(|_| patient.check().is_ok()));
        let eager = Monitor::looking(Monitor::stop, Duration::ZERO);
        assert_eq!(eager.check(), Err(CoreError::Interrupted));
    }

    #[test]
    fn alone_stays_on_the_calling_thread_every_time() {
        let here = std::thread::current().id();
        for _ in 0..3 {
            assert_eq!(alone(|| (std::thread::current().id(), rayon::current_num_threads())), Ok((here, 1)));
            assert_eq!(with_pool(2, rayon::current_num_threads), Ok(threads(2)));
        }
    }

    #[test]
    fn pool_has_the_threads_asked_for_up_to_the_cores() {
        let cores = available_parallelism().unwrap().get();
        for (n_jobs, n_threads) in [(0, cores), (1, 1), (2, cores.min(2)), (1_000_000, cores)] {
            assert_eq!(with_pool(n_jobs, rayon::current_num_threads), Ok(n_threads));
        }
    }
}
