//! The measuring harness: what is measured ([`Contender`]), how
//! ([`Scenario`]: [`Burst`], [`Steady`], [`Paced`]), in which order ([`alternate`]), and
//! what a handful of figures comes to ([`Spread`]).
//!
//! A contender ([`Entrant`]) is a name for a [`Target`], something that threads add to; every
//! scenario runs over any target, so a new contender is measured by all of them
//! and a new scenario measures all of them.
//!
//! # Examples
//!
//! ```
//! use benches::{Burst, Contender, Entrant, Figure, Threads};
//!
//! let burst = Burst { warm_up: 1, bursts: 5, adds: 10 };
//! let figure = Contender::ConcurrentMutableStat.run(&burst, Threads::try_from(2)?);
//! assert!(figure.value() > 0.0);
//! assert_eq!(figure.samples_kept, Some(true));
//! # Ok::<(), benches::NotThreads>(())
//! ```

mod contender;
mod counted;
mod drains;
mod layout;
mod locks;
mod peers;
mod reader;
mod rounds;
mod samples;
mod scenario;
mod spread;
mod stopped;
mod target;
mod threads;
mod waiting;

pub use contender::{Contender, Entrant, Role};
pub use counted::{Alone, Counted, Events, MadeWith};
pub use drains::{QuietDrain, quiet_drains};
pub use layout::{AcrossLines, Apart, Laid, Pair};
pub use locks::{
    LockContender, MeteredIn, Operation, OperationContender, Read, ReadThenWrite, ReadWrite,
    Unmetered,
};
pub use peers::{Offer, Other, Peer};
pub use reader::Reader;
pub use rounds::{Measurement, Measurements, Setting, alternate};
pub use samples::{Samples, clock_cost, clock_step};
pub use scenario::burst::{Burst, BurstFigure};
pub use scenario::crowd::{Crowd, DrainFigure};
pub use scenario::latency::{Latency, LatencyFigure};
pub use scenario::paced::{Paced, PacedFigure};
pub use scenario::steady::{Steady, SteadyFigure};
pub use scenario::{Better, Figure, Scenario};
pub use spread::Spread;
pub use stopped::StoppedContender;
pub use target::{
    Adder, ByRecorder, Counts, Forget, Fresh, Locked, Nothing, Own, Plain, Recorded, Shared,
    Target, Use,
};
pub use threads::{NotThreads, Threads};
pub use waiting::Wait;
