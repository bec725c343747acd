//! An interval statistic.
