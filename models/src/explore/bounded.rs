//! Every execution with at most so many preemptions, depth first, on shuttle's
//! sequentially consistent primitives.
//!
//! A preemption is a switch away from a thread that could have gone on. Faults
//! tend to need few of them, and an execution with few is the one that a reader
//! can follow (Musuvathi and Qadeer, "Iterative context bounding for systematic
//! testing of multithreaded programs", PLDI 2007).

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ::shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use ::shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use interval_stat::runtime::Shuttle;

use super::Program;
use crate::history::History;
use crate::observed::Observed;
use crate::statistic::Statistic;
use crate::trace;

/// More scheduling decisions than any execution here has.
const MAX_DECISIONS: usize = 10_000;

/// Which executions to visit: those that begin with given decisions and then
/// have at most so many preemptions.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// The threads that the first decisions choose, whatever they cost.
    pub prefix: Vec<usize>,
    /// The most preemptions in the decisions after those.
    pub preemptions: usize,
}

/// A choice of the thread that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// The thread, in the order in which they were started.
    pub thread: usize,
    /// How many events the trace had by then.
    pub events: usize,
}

/// Looks at executions.
pub trait Visitor: Send + 'static {
    /// Looks at one, and says whether to go on to the next.
    fn visit(&mut self, history: History, decisions: &[Decision]) -> ControlFlow<()>;
}

/// Shows `visitor` every execution of the program within the bounds, until it
/// breaks off.
pub fn each<V: Visitor>(
    statistic: Statistic,
    program: &impl Program,
    bounds: Bounds,
    visitor: V,
) -> V {
    let shared = Arc::new(Mutex::new((Walk::new(bounds), visitor)));
    let scheduler = DepthFirst(Arc::clone(&shared));
    let execution = {
        let (shared, program) = (Arc::clone(&shared), program.clone());
        move || {
            let history = super::run::<Shuttle, Observed<Shuttle>>(statistic, &program);
            let (walk, visitor) = &mut *lock(&shared);
            let flow = visitor.visit(history, &walk.decisions());
            walk.over |= flow.is_break();
        }
    };
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(MAX_DECISIONS);
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(execution);
    let shared = Arc::into_inner(shared).expect("the runner is gone, and its clones with it");
    shared
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
        .1
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The walk through the tree of decisions: the path to the current leaf.
struct Walk {
    bounds: Bounds,
    path: Vec<Fork>,
    /// How many decisions of this execution are made.
    depth: usize,
    /// How many of them were preemptions.
    preemptions: usize,
    began: bool,
    over: bool,
}

/// A decision, with the choices that are still to be tried.
struct Fork {
    decision: Decision,
    untried: Vec<usize>,
}

impl Walk {
    fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            path: Vec::new(),
            depth: 0,
            preemptions: 0,
            began: false,
            over: false,
        }
    }

    fn decisions(&self) -> Vec<Decision> {
        self.path.iter().map(|fork| fork.decision).collect()
    }

    /// Turns to the next leaf, or says that there is none.
    fn advance(&mut self) -> bool {
        if self.began && !self.over {
            while self.path.last().is_some_and(|fork| fork.untried.is_empty()) {
                self.path.pop();
            }
            match self.path.last_mut() {
                Some(fork) => fork.decision.thread = fork.untried.remove(0),
                None => self.over = true,
            }
        }
        self.began = true;
        (self.depth, self.preemptions) = (0, 0);
        !self.over
    }

    /// `able` could go on; `current` is the one that did last, if it could and
    /// does not ask to be passed over.
    fn decide(&mut self, able: Vec<usize>, current: Option<usize>) -> usize {
        if self.depth == self.path.len() {
            let fork = self.fork(able, current);
            self.path.push(fork);
        }
        let thread = self.path[self.depth].decision.thread;
        if self.depth >= self.bounds.prefix.len()
            && current.is_some_and(|current| current != thread)
        {
            self.preemptions += 1;
        }
        self.depth += 1;
        thread
    }

    fn fork(&self, able: Vec<usize>, current: Option<usize>) -> Fork {
        let mut choices = match (self.bounds.prefix.get(self.depth), current) {
            (Some(&given), _) => vec![given],
            (None, Some(current)) if self.preemptions == self.bounds.preemptions => vec![current],
            _ => able,
        };
        // To go on is tried first, so the first execution has no preemption.
        choices.sort_by_key(|&thread| (Some(thread) != current, thread));
        Fork {
            decision: Decision {
                thread: choices.remove(0),
                events: trace::length(),
            },
            untried: choices,
        }
    }
}

/// Chooses the executions of a walk, one after the other.
pub(super) struct DepthFirst<V>(Arc<Mutex<(Walk, V)>>);

impl DepthFirst<()> {
    /// Every execution with at most so many preemptions.
    pub(super) fn new(preemptions: usize) -> Self {
        let bounds = Bounds {
            preemptions,
            ..Bounds::default()
        };
        Self(Arc::new(Mutex::new((Walk::new(bounds), ()))))
    }
}

impl<V: Send> Scheduler for DepthFirst<V> {
    fn new_execution(&mut self) -> Option<Schedule> {
        lock(&self.0).0.advance().then(|| Schedule::new(0))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        let mut able: Vec<usize> = runnable.iter().map(|task| task.id().into()).collect();
        let mut current = current
            .map(usize::from)
            .filter(|current| able.contains(current));
        if is_yielding && able.len() > 1 {
            able.retain(|&thread| Some(thread) != current);
            current = None;
        }
        Some(lock(&self.0).0.decide(able, current).into())
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("no program here draws random numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;
    use crate::trace::{Action, Call, What};

    /// The orders in which threads 1 and 2 take the only lock.
    #[derive(Default)]
    struct Orders(Vec<Vec<usize>>);

    impl Visitor for Orders {
        fn visit(&mut self, history: History, _: &[Decision]) -> ControlFlow<()> {
            let enters = history.events.iter().filter(
                |event| matches!(&event.what, What::Step(step) if step.action == Action::Enter),
            );
            let order: Vec<usize> = enters.map(|event| event.thread).collect();
            if !self.0.contains(&order) {
                self.0.push(order);
            }
            ControlFlow::Continue(())
        }
    }

    fn orders(preemptions: usize) -> Vec<Vec<usize>> {
        let script = Script {
            threads: vec![vec![Call::Add(1), Call::Add(2)], vec![Call::Drain]],
        };
        let bounds = Bounds {
            preemptions,
            ..Bounds::default()
        };
        let mut orders = each(Statistic::MutableStat, &script, bounds, Orders::default()).0;
        orders.sort();
        orders
    }

    #[test]
    fn without_preemptions_a_thread_runs_to_its_end() {
        assert_eq!(orders(0), [[1, 1, 2, 0], [2, 1, 1, 0]]);
    }

    #[test]
    fn one_preemption_lets_the_other_thread_in_between() {
        assert_eq!(orders(1), [[1, 1, 2, 0], [1, 2, 1, 0], [2, 1, 1, 0]]);
    }

    #[test]
    fn a_prefix_is_followed() {
        struct Last(Vec<Decision>);
        impl Visitor for Last {
            fn visit(&mut self, _: History, decisions: &[Decision]) -> ControlFlow<()> {
                self.0 = decisions.to_vec();
                ControlFlow::Continue(())
            }
        }
        let script = Script {
            threads: vec![vec![Call::Add(1)], vec![Call::Drain]],
        };
        let visit = |prefix: Vec<usize>, preemptions| {
            let bounds = Bounds {
                prefix,
                preemptions,
            };
            each(Statistic::MutableStat, &script, bounds, Last(Vec::new())).0
        };
        let last = visit(Vec::new(), 2);
        let prefix = last.iter().map(|decision| decision.thread).collect();
        assert_eq!(visit(prefix, 0), last);
    }
}
