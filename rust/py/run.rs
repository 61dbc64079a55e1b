//! How every long call runs: detached from the interpreter, on its own threads, watched for Ctrl-C and progress.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{CoreError, Result};
use crate::parallel::{Monitor, alone, pool, threads};
use crate::series::Series;

/// How often signals are looked for and progress is reported.
const POLL: Duration = Duration::from_millis(50);

impl From<CoreError> for PyErr {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::Invalid(message) => PyValueError::new_err(message),
            CoreError::Memory(message) => PyMemoryError::new_err(message),
            CoreError::Bug(message) => {
                PyRuntimeError::new_err(format!("the compiled core met a bug in itself, please report it: {message}"))
            }
            CoreError::Interrupted => PyKeyboardInterrupt::new_err("interrupted"),
        }
    }
}

/// Arrays as they come from Python: values (N, T) float64, validity (N, T) bool, segments (S, 2) start and stop.
pub struct PySeries<'py> {
    pub values: PyReadonlyArray2<'py, f64>,
    pub valid: Option<PyReadonlyArray2<'py, bool>>,
    pub segments: Vec<(usize, usize)>,
}

impl PySeries<'_> {
    /// Borrow as the core's own view; everything is checked again here.
    pub fn view(&self) -> Result<Series<'_>> {
        let contiguous = |_| CoreError::invalid("arrays must be C-contiguous");
        let shape = self.values.shape();
        let valid = self.valid.as_ref().map(|v| v.as_slice().map_err(contiguous)).transpose()?;
        let segments = self.segments.iter().map(|&(start, stop)| start..stop).collect();
        Series::new(self.values.as_slice().map_err(contiguous)?, valid, shape[0], shape[1], segments)
    }
}

/// Run `work` on `n_jobs` threads with the interpreter released.
///
/// Every 50 ms signals are polled (a pending Ctrl-C stops the work at its next check), and the number of finished steps
/// goes to `progress`, a Python callable, when it has changed: by the calling thread while it waits, or, when it is to
/// do the work itself, from inside [`Monitor::check`]. A panic of the work comes out as an error, not as a
/// `PanicException`, which `except Exception` lets through.
pub fn run<R: Send>(
    py: Python<'_>,
    n_jobs: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<R> {
    let (result, failure) = watch(py, n_jobs, progress, work);
    failure.map_or_else(|| result.map_err(PyErr::from), Err)
}

/// As [`run`], for work that hands back what it has when it is stopped: Ctrl-C is then no error but the flag.
pub fn run_until_interrupt<R: Send>(
    py: Python<'_>,
    n_jobs: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> PyResult<(R, bool)> {
    match watch(py, n_jobs, progress, work) {
        (Ok(found), Some(failure)) if failure.is_instance_of::<PyKeyboardInterrupt>(py) => Ok((found, true)),
        (_, Some(failure)) => Err(failure),
        (result, None) => Ok((result?, false)),
    }
}

/// What the work returned, and the Python exception that stopped it early, if one did.
fn watch<R: Send>(
    py: Python<'_>,
    n_jobs: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> (Result<R>, Option<PyErr>) {
    let watch = Arc::new(Watch { progress: progress.map(|p| p.clone().unbind()), state: Mutex::default() });
    let watching = Arc::clone(&watch);
    let look = move |monitor: &Monitor| Python::attach(|py| watching.look(py, monitor));
    let result = if threads(n_jobs) == 1 {
        let monitor = Monitor::looking(look, POLL);
        py.detach(|| alone(|| caught(work, &monitor)))
    } else {
        py.detach(|| on_threads(n_jobs, &look, work))
    };
    (result.and_then(|found| found), watch.seen().failure.take())
}

/// What polling needs to remember.
struct Watch {
    progress: Option<Py<PyAny>>,
    state: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    done: usize,
    failure: Option<PyErr>,
}

impl Watch {
    /// Only the calling thread looks, so the lock is always free.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Report progress and look for signals; the first error stops the work.
    fn look(&self, py: Python<'_>, monitor: &Monitor) {
        let mut seen = self.seen();
        if seen.failure.is_some() {
            return;
        }
        let done = monitor.done();
        let report = match &self.progress {
            Some(callback) if done != seen.done => callback.call1(py, (done,)).map(drop),
            _ => Ok(()),
        };
        seen.done = done;
        if let Err(error) = report.and_then(|()| py.check_signals()) {
            monitor.stop();
            seen.failure = Some(error);
        }
    }
}

/// Run `work` on other threads and `look` every 50 ms until it is done.
fn on_threads<R: Send>(
    n_jobs: usize,
    look: &dyn Fn(&Monitor),
    work: impl FnOnce(&Monitor) -> Result<R> + Send,
) -> Result<Result<R>> {
    let monitor = &Monitor::default();
    pool(n_jobs)?.in_place_scope(|scope| {
        let (sender, receiver) = channel();
        scope.spawn(move |_| {
            // The receiver outlives the scope's work, so the send cannot fail.
            let _ = sender.send(caught(work, monitor));
        });
        loop {
            match receiver.recv_timeout(POLL) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => look(monitor),
                Err(RecvTimeoutError::Disconnected) => return Err(CoreError::Bug("no answer".into())),
            }
        }
    })
}

/// The outcome of the work, a panic being one of them.
fn caught<R>(work: impl FnOnce(&Monitor) -> Result<R>, monitor: &Monitor) -> Result<R> {
    catch_unwind(AssertUnwindSafe(|| work(monitor))).unwrap_or_else(|panic| Err(CoreError::Bug(words(&*panic))))
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".into())
}
