//! Loom and shuttle mirror `std::sync` name by name, so one macro implements
//! the primitives for all three.

/// Implements [`Atomic`](super::Atomic), [`AtomicPtr`](super::AtomicPtr) and
/// [`Mutex`](super::Mutex) for the types of the module `$sync`.
macro_rules! mirror {
    ($($sync:ident)::+) => {
        impl $crate::runtime::Atomic for ::$($sync)::+::atomic::AtomicU64 {
            #[inline]
            fn new(_name: &'static str, value: u64) -> Self {
                Self::new(value)
            }

            #[inline]
            fn load(&self, order: ::std::sync::atomic::Ordering) -> u64 {
                self.load(order)
            }

            #[inline]
            fn store(&self, value: u64, order: ::std::sync::atomic::Ordering) {
                self.store(value, order);
            }

            #[inline]
            fn swap(&self, value: u64, order: ::std::sync::atomic::Ordering) -> u64 {
                self.swap(value, order)
            }

            #[inline]
            fn compare_exchange(
                &self,
                current: u64,
                new: u64,
                success: ::std::sync::atomic::Ordering,
                failure: ::std::sync::atomic::Ordering,
            ) -> Result<u64, u64> {
                self.compare_exchange(current, new, success, failure)
            }
        }

        impl<T> $crate::runtime::AtomicPtr<T> for ::$($sync)::+::atomic::AtomicPtr<T> {
            #[inline]
            fn new(_name: &'static str, target: *mut T) -> Self {
                Self::new(target)
            }

            #[inline]
            fn load(&self, order: ::std::sync::atomic::Ordering) -> *mut T {
                self.load(order)
            }

            #[inline]
            fn store(&self, target: *mut T, order: ::std::sync::atomic::Ordering) {
                self.store(target, order);
            }
        }

        impl<T: Send> $crate::runtime::Mutex<T> for ::$($sync)::+::Mutex<T> {
            #[inline]
            fn new(_name: &'static str, value: T) -> Self {
                Self::new(value)
            }

            #[inline]
            fn with<O>(&self, section: impl FnOnce(&mut T) -> O) -> O {
                let value = self.lock();
                section(&mut value.unwrap_or_else(::std::sync::PoisonError::into_inner))
            }
        }
    };
}

pub(super) use mirror;
