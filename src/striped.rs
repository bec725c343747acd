//! The protocol: one accumulator, striped over threads, in two buffers, and an
//! epoch that says which buffer is being filled.
//!
//! Assumptions:
//! 1. A stripe has one owner at a time: a live thread, or a [`Recorder`].
//! 2. Only a drain writes the epoch, and drains exclude each other by a lock.
//!
//! The state of a stripe is its sequence number: even while its owner is idle,
//! odd while an add is in flight. An add *opens* the stripe (odd), reads the
//! epoch, records its sample in the buffer that the epoch names, and *closes*
//! the stripe (even). A drain *flips* the epoch, so that adds from here on fill
//! the other buffer, then visits every stripe: it *waits out* the add that it
//! finds in flight and empties the buffer that the old epoch names.
//!
//! Why this is exact: the opening store and the epoch load of an add, and the
//! epoch store and the sequence load of a drain, form a store-load pair with a
//! sequentially consistent fence in each, a light one in the add and a heavy one
//! in the drain ([`Runtime::light_fence`]). One of the two comes first. If it is
//! the add's, the drain sees the add in flight (or over) and waits for it.
//! If it is the drain's, the add sees the new epoch and keeps out of the buffer
//! that is being emptied. So an add takes effect at its epoch load and a drain
//! at its epoch store, whatever the other threads do.
//!
//! Guarantees: every sample is in exactly one batch, whole; a sample whose add
//! returned before a drain began is in that drain's batch or an earlier one;
//! adds and drains are linearizable.
//!
//! Progress: an add is wait-free, with two stores, one fence and one load that
//! other threads may see, and no read-modify-write. A thread's first add, an add
//! from a thread-local destructor, and taking a recorder lease a stripe under a lock
//! that is never held while waiting for anything. A drain waits for drains before it
//! and, at each stripe, for the one add that it finds in flight there, never for a
//! later one.

use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crossbeam_utils::CachePadded;

use crate::accumulator::Accumulator;
use crate::runtime::{Atomic, AtomicPtr, Cell, Mutex, PerThread, Runtime, Std};

/// An accumulator that many threads add to without waiting, and that a drain
/// empties exactly.
///
/// `A` is what a stripe accumulates, `S` what the drains gather into under
/// their lock, `R` the primitives.
///
/// # Examples
///
/// ```
/// use interval_stat::{Interval, Moments, Striped};
///
/// let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
/// std::thread::scope(|threads| {
///     threads.spawn(|| samples.add(3));
///     threads.spawn(|| samples.add(5));
/// });
/// let batch = samples.drain();
/// assert_eq!((batch.count(), batch.sum()), (2, 8));
/// assert_eq!(samples.drain(), Moments::EMPTY);
/// ```
pub struct Striped<A: Accumulator, S: Send = (), R: Runtime = Std> {
    /// How many drains have begun; its parity names the buffer being filled.
    epoch: CachePadded<R::Atomic>,
    /// The newest stripe; the others hang behind it. Stripes are only added.
    stripes: R::AtomicPtr<PaddedStripe<A, R>>,
    /// The stripe of each thread that has added.
    own: R::PerThread<StripeRef<A, R>>,
    /// Stripes that dropped recorders have left; guards registration as well.
    free: R::Mutex<Vec<StripeRef<A, R>>>,
    /// Held by the drain in progress.
    gathered: R::Mutex<Drained<A, S>>,
    empty: A,
}

/// What the drains share, one after the other.
struct Drained<A, S> {
    /// What a drain has taken; empty between drains, but for one that panicked.
    batch: A,
    gathered: S,
}

type PaddedStripe<A, R> = CachePadded<Stripe<A, R>>;

impl<A: Accumulator, S: Send, R: Runtime> Striped<A, S, R> {
    /// No samples yet. `empty` is the accumulator of no samples, `gathered`
    /// what drains gather into.
    pub fn new(empty: A, gathered: S) -> Self {
        R::prepare();
        Self {
            epoch: CachePadded::new(Atomic::new("epoch", 0)),
            stripes: AtomicPtr::new("stripes", std::ptr::null_mut()),
            own: PerThread::new(),
            free: Mutex::new("free", Vec::new()),
            gathered: Mutex::new(
                "gathered",
                Drained {
                    batch: empty.clone(),
                    gathered,
                },
            ),
            empty,
        }
    }

    /// Adds a sample.
    ///
    /// Wait-free; the first add of a thread registers its stripe and may wait
    /// for another registration, as may an add from a thread-local destructor,
    /// which borrows a stripe. O(1).
    ///
    /// # Panics
    ///
    /// If the accumulator's `record` panics, or itself adds to this instance; so
    /// does an add from a signal handler that interrupts one. A first add that gets
    /// no memory for a stripe ends the process, as any failed allocation does.
    #[inline]
    pub fn add(&self, sample: i64) {
        self.update(|buffer| buffer.record(sample));
    }

    /// Adds samples as one: all of them are in the same batch of a drain.
    ///
    /// Otherwise as [`add`](Self::add), with O(samples) in place of O(1).
    #[inline]
    pub fn add_batch(&self, samples: &[i64]) {
        self.update(|buffer| samples.iter().for_each(|&sample| buffer.record(sample)));
    }

    #[inline]
    fn update(&self, update: impl FnOnce(&mut A)) {
        match self.own.get() {
            // SAFETY: owner: `PerThread` gives a value to one live thread at a
            // time.
            Some(stripe) => unsafe { stripe.get().update(&self.epoch, update) },
            None => self.first_update(update),
        }
    }

    /// For a thread without a stripe: it gets one, or, if it is ending, borrows
    /// one. Apart, so that other adds need not save registers for it.
    #[cold]
    fn first_update(&self, update: impl FnOnce(&mut A)) {
        match self.own.get_or(|| self.lease()) {
            // SAFETY: owner: as in `update`.
            Some(stripe) => unsafe { stripe.get().update(&self.epoch, update) },
            None => self.recorder().update(update),
        }
    }

    /// A handle that owns a stripe, which saves [`add`](Self::add) the look-up.
    ///
    /// Takes a stripe that a dropped recorder has left, else a new one.
    pub fn recorder(&self) -> Recorder<'_, A, R> {
        Recorder {
            stripe: self.lease(),
            epoch: &self.epoch,
            free: &self.free,
        }
    }

    /// Takes all samples whose adds have taken effect.
    ///
    /// Waits for drains before it and, at each stripe, for the add that it finds in
    /// flight. O(stripes).
    ///
    /// # Panics
    ///
    /// If the accumulator's `merge` panics, or the system takes back the fence that
    /// it promised ([`Asymmetric`](crate::runtime::Asymmetric)). No sample is lost
    /// then: what this drain had taken comes with the next drain, and what it had not
    /// (the samples that did not merge, and the stripes behind) with the one after. But
    /// where the system never gives the fence again (a process that forbids itself
    /// membarrier(2)), each drain panics; [`Fenced`](crate::runtime::Fenced) needs none.
    ///
    /// # Deadlocks
    ///
    /// If the calling thread is in the middle of an add to this instance (a `record`
    /// that drains, a signal handler), or an add is that nobody goes on with (in a
    /// child process, of a thread that only the parent has): the drain waits for it.
    pub fn drain(&self) -> A {
        self.drain_with(|_, batch| batch)
    }

    /// Takes all samples whose adds have taken effect and calls `gather` with
    /// what drains gather into, before any other drain can begin.
    ///
    /// `gather` must not drain the same instance; if it panics, the batch that
    /// it was given is gone. Otherwise as [`drain`](Self::drain).
    pub fn drain_with<O>(&self, gather: impl FnOnce(&mut S, A) -> O) -> O {
        // Lock: drains exclude each other, and what one emptied happens-before
        // what the next one does.
        self.gathered.with(|gathered| {
            self.take_batch(&mut gathered.batch);
            let batch = std::mem::replace(&mut gathered.batch, self.empty.clone());
            gather(&mut gathered.gathered, batch)
        })
    }

    /// Only under the lock of `gathered`.
    fn take_batch(&self, batch: &mut A) {
        // Relaxed: only drains write the epoch, and their lock orders them.
        let epoch = self.epoch.load(Relaxed);
        // Release: with the epoch load of an add, so that a buffer was emptied
        // before an add of the next epoch fills it.
        self.epoch.store(epoch.wrapping_add(1), Release);
        // SeqCst: before it the flip, after it the visits; with the light fence
        // of an add (module docs).
        R::heavy_fence();
        self.for_each_stripe(|stripe| {
            stripe.wait_out();
            // SAFETY: emptier: this drain flipped `epoch` and has waited out.
            unsafe { stripe.empty_into(epoch, batch) };
        });
    }

    fn for_each_stripe(&self, mut visit: impl FnMut(&Stripe<A, R>)) {
        // Acquire: with the store in `register`, so that the stripe's fields
        // are there. A stripe that this load misses was registered by an owner
        // whose first add sees the new epoch: its fence comes after ours.
        let mut next = NonNull::new(self.stripes.load(Acquire)).map(StripeRef);
        while let Some(stripe) = next {
            // SAFETY: alive: `self` is borrowed, and only its drop frees stripes.
            let stripe = unsafe { stripe.get() };
            visit(stripe);
            next = stripe.next;
        }
    }

    /// Makes the caller the owner of a stripe.
    fn lease(&self) -> StripeRef<A, R> {
        // Lock: with `Recorder::drop`, so that the old owner's last add
        // happens-before the new owner's first.
        self.free
            .with(|free| free.pop().unwrap_or_else(|| self.register()))
    }

    /// Only under the lock of `free`.
    #[cold]
    fn register(&self) -> StripeRef<A, R> {
        // Relaxed: only registrations write it, and their lock orders them.
        let next = NonNull::new(self.stripes.load(Relaxed)).map(StripeRef);
        let stripe = Box::new(CachePadded::new(Stripe::new(&self.empty, next)));
        let stripe = NonNull::from(Box::leak(stripe));
        // Release: with the load in `for_each_stripe`.
        self.stripes.store(stripe.as_ptr(), Release);
        StripeRef(stripe)
    }
}

impl<A: Accumulator, S: Send, R: Runtime> Drop for Striped<A, S, R> {
    fn drop(&mut self) {
        // Relaxed: `&mut self`, so every other use happens-before this.
        let mut next = NonNull::new(self.stripes.load(Relaxed));
        while let Some(stripe) = next {
            // SAFETY: alive: leaked by `register`, freed once, here; recorders
            // borrow `self`, so none is left.
            let stripe = unsafe { Box::from_raw(stripe.as_ptr()) };
            next = stripe.next.map(|next| next.0);
        }
    }
}

impl<A: Accumulator, S: Send, R: Runtime> fmt::Debug for Striped<A, S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Striped").finish_non_exhaustive()
    }
}

/// Owns a stripe of a [`Striped`]: the fastest way to add.
///
/// It can be sent to another thread. Dropping it leaves the stripe, with the
/// samples in it, to the next recorder or thread.
///
/// # Examples
///
/// ```
/// use interval_stat::{Interval, Moments, Striped};
///
/// let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
/// let mut recorder = samples.recorder();
/// recorder.add(7);
/// assert_eq!(samples.drain().max(), Some(7));
/// ```
///
/// It cannot outlive what it records for:
///
/// ```compile_fail,E0505
/// use interval_stat::{Moments, Striped};
///
/// let samples: Striped<Moments> = Striped::new(Moments::EMPTY, ());
/// let mut recorder = samples.recorder();
/// drop(samples);
/// recorder.add(7);
/// ```
pub struct Recorder<'a, A: Accumulator, R: Runtime = Std> {
    stripe: StripeRef<A, R>,
    epoch: &'a R::Atomic,
    free: &'a R::Mutex<Vec<StripeRef<A, R>>>,
}

impl<A: Accumulator, R: Runtime> Recorder<'_, A, R> {
    /// Adds a sample. Wait-free, O(1).
    ///
    /// # Panics
    ///
    /// If the accumulator's `record` panics.
    #[inline]
    pub fn add(&mut self, sample: i64) {
        self.update(|buffer| buffer.record(sample));
    }

    /// Adds samples as one: all of them are in the same batch of a drain.
    ///
    /// Otherwise as [`add`](Self::add), with O(samples) in place of O(1).
    #[inline]
    pub fn add_batch(&mut self, samples: &[i64]) {
        self.update(|buffer| samples.iter().for_each(|&sample| buffer.record(sample)));
    }

    #[inline]
    fn update(&mut self, update: impl FnOnce(&mut A)) {
        // SAFETY: owner: the recorder owns the stripe, and `&mut self` is the
        // only way to use it.
        unsafe { self.stripe.get().update(self.epoch, update) }
    }
}

impl<A: Accumulator, R: Runtime> Drop for Recorder<'_, A, R> {
    fn drop(&mut self) {
        // Lock: with `Striped::lease`.
        self.free.with(|free| free.push(self.stripe));
    }
}

impl<A: Accumulator, R: Runtime> fmt::Debug for Recorder<'_, A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// What one owner accumulates.
struct Stripe<A, R: Runtime> {
    /// Odd while an add is in flight. Written by the owner only.
    seq: R::Atomic,
    /// One for the even epochs, one for the odd ones.
    buffers: [R::Cell<A>; 2],
    /// The stripe registered before this one; never changes.
    next: Option<StripeRef<A, R>>,
}

// SAFETY: buffers: a buffer is accessed by the stripe's owner while the epoch
// names it, and by the one drain that has flipped the epoch away from it and
// waited out; the protocol orders the two (module docs). `seq` is atomic, `next`
// never changes.
unsafe impl<A: Send, R: Runtime> Sync for Stripe<A, R> {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl<A: Send, R: Runtime> Send for Stripe<A, R> {}

impl<A: Accumulator, R: Runtime> Stripe<A, R> {
    fn new(empty: &A, next: Option<StripeRef<A, R>>) -> Self {
        Self {
            seq: Atomic::new("seq", 0),
            buffers: [
                Cell::new("buffers[0]", empty.clone()),
                Cell::new("buffers[1]", empty.clone()),
            ],
            next,
        }
    }

    /// Records samples, by `update`, in the buffer that `epoch` names.
    ///
    /// # Safety
    ///
    /// The caller owns the stripe.
    #[inline]
    unsafe fn update(&self, epoch: &R::Atomic, update: impl FnOnce(&mut A)) {
        let in_flight = InFlight::open(&self.seq);
        // SeqCst: before it the opening store, after it the epoch load; with
        // the heavy fence of a drain (module docs).
        R::light_fence();
        // Acquire: with the epoch store that it reads, of a drain after the one that
        // emptied the buffer.
        let epoch = epoch.load(Acquire);
        self.buffer(epoch).with_mut(|buffer| {
            // SAFETY: buffers: in flight, and `epoch` names this buffer: a drain
            // that takes it flips the epoch first and then waits this add out.
            update(unsafe { &mut *buffer });
        });
        drop(in_flight);
    }

    /// Waits until no add is in flight that may have read an old epoch.
    fn wait_out(&self) {
        // Acquire: with the closing store of the last add (or, when a later add
        // has opened since, its opening store), so that what the add recorded
        // happens-before the emptying.
        let seen = self.seq.load(Acquire);
        if seen & 1 == 0 {
            return;
        }
        let mut turn = 0;
        // Any change will do: an add that opens after our fence sees the new
        // epoch, so it need not be waited for. Acquire: as above.
        while self.seq.load(Acquire) == seen {
            R::pause(turn);
            turn = turn.saturating_add(1);
        }
    }

    /// Moves what the buffer of `epoch` holds to `batch`.
    ///
    /// # Safety
    ///
    /// The caller is the drain that flipped `epoch` and has waited out.
    unsafe fn empty_into(&self, epoch: u64, batch: &mut A) {
        self.buffer(epoch).with_mut(|buffer| {
            // SAFETY: buffers: adds fill the other one since the flip, and the
            // caller has waited out those from before.
            let buffer = unsafe { &mut *buffer };
            batch.merge(buffer);
            buffer.clear();
        });
    }

    #[inline]
    fn buffer(&self, epoch: u64) -> &R::Cell<A> {
        &self.buffers[usize::from(epoch & 1 == 1)]
    }
}

/// An add in flight; its drop closes the stripe, even if `record` panics.
struct InFlight<'a, T: Atomic> {
    seq: &'a T,
    open: u64,
}

impl<'a, T: Atomic> InFlight<'a, T> {
    #[inline]
    fn open(seq: &'a T) -> Self {
        // Relaxed: only the owner writes it, and a hand-over orders the owners.
        let idle = seq.load(Relaxed);
        assert!(
            idle & 1 == 0,
            "an accumulator's record added to its own stripe"
        );
        let open = idle.wrapping_add(1);
        // Release: a drain that sees this add open knows that the ones before
        // it are over: what they recorded happens-before its emptying.
        seq.store(open, Release);
        Self { seq, open }
    }
}

impl<T: Atomic> Drop for InFlight<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // Release: with the sequence load of a drain: the sample is recorded.
        self.seq.store(self.open.wrapping_add(1), Release);
    }
}

/// Points at a stripe; alive as long as the [`Striped`] that registered it.
struct StripeRef<A, R: Runtime>(NonNull<PaddedStripe<A, R>>);

impl<A, R: Runtime> StripeRef<A, R> {
    /// # Safety
    ///
    /// The [`Striped`] that registered the stripe outlives `'a`.
    #[inline]
    unsafe fn get<'a>(self) -> &'a Stripe<A, R> {
        // SAFETY: alive: stripes are freed by the drop of the `Striped` only.
        unsafe { self.0.as_ref() }
    }
}

impl<A, R: Runtime> Clone for StripeRef<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R: Runtime> Copy for StripeRef<A, R> {}

// SAFETY: it is a shared reference to a `Stripe`, which is `Sync`.
unsafe impl<A: Send, R: Runtime> Send for StripeRef<A, R> {}
// SAFETY: as for `Send`.
unsafe impl<A: Send, R: Runtime> Sync for StripeRef<A, R> {}
