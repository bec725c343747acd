//! Libraries, each through its own public interface and in the configuration
//! that its documentation begins with.

use crate::target::{Adder, Target};
use contatori::counters::average::Average;
use contatori::counters::maximum::Maximum;
use contatori::counters::minimum::Minimum;
use hdrhistogram::Histogram;
use hdrhistogram::sync::{Recorder, SyncHistogram};
use interval_stat::{Accumulator, Interval, Moments};
use measured::metric::histogram::Thresholds;
use metrics_util::storage::AtomicBucket;
use std::sync::Mutex;

/// Every sample is positive (see [`Samples::RANGE`](crate::Samples::RANGE)).
fn unsigned(sample: i64) -> u64 {
    u64::try_from(sample).expect("samples are positive")
}

/// As many as the default of the `prometheus` crate.
const BUCKETS: usize = 11;

/// 10, 20, 40 and so on: they cover the samples.
fn bounds() -> impl Iterator<Item = f64> {
    (0..BUCKETS as i32).map(|power| 10.0 * 2f64.powi(power))
}

/// A target that is added to through a shared reference.
macro_rules! shared_target {
    ($target:ty, $fresh:expr, $collected:expr, $add:expr) => {
        impl Target for $target {
            type Adder<'a> = &'a Self;

            fn fresh() -> Self {
                Self($fresh)
            }

            fn adder(&self) -> &Self {
                self
            }

            fn collected(&self) -> Option<u64> {
                $collected(&self.0)
            }
        }

        impl Adder for &$target {
            #[inline]
            fn add(&mut self, sample: i64) {
                $add(&self.0, sample);
            }
        }
    };
}

/// The accumulator of the concurrent statistic behind `parking_lot`'s mutex.
#[derive(Debug)]
pub(super) struct ParkingLot(parking_lot::Mutex<Moments>);

shared_target!(
    ParkingLot,
    parking_lot::Mutex::new(Moments::EMPTY),
    |moments: &parking_lot::Mutex<Moments>| Some(moments.lock().count()),
    |moments: &parking_lot::Mutex<Moments>, sample| moments.lock().record(sample)
);

/// `prometheus`: a histogram with its default number of buckets.
#[derive(Debug)]
pub(super) struct PrometheusHistogram(prometheus::Histogram);

shared_target!(
    PrometheusHistogram,
    {
        let options = prometheus::HistogramOpts::new("bench", "a bench");
        let options = options.buckets(bounds().collect());
        prometheus::Histogram::with_opts(options).expect("the options are valid")
    },
    |histogram: &prometheus::Histogram| Some(histogram.get_sample_count()),
    |histogram: &prometheus::Histogram, sample| histogram.observe(sample as f64)
);

/// `prometheus-client`: a histogram.
#[derive(Debug)]
pub(super) struct PrometheusClient(prometheus_client::metrics::histogram::Histogram);

shared_target!(
    PrometheusClient,
    prometheus_client::metrics::histogram::Histogram::new(bounds()),
    |histogram: &prometheus_client::metrics::histogram::Histogram| {
        // What a scrape would see: there is no other way to the count.
        let (mut registry, mut text) = (
            prometheus_client::registry::Registry::default(),
            String::new(),
        );
        registry.register("bench", "a bench", histogram.clone());
        prometheus_client::encoding::text::encode(&mut text, &registry).ok()?;
        let count = text
            .lines()
            .find_map(|line| line.strip_prefix("bench_count "))?;
        count.parse().ok()
    },
    |histogram: &prometheus_client::metrics::histogram::Histogram, sample| {
        histogram.observe(sample as f64);
    }
);

/// `measured`: a histogram.
pub(super) struct MeasuredHistogram(measured::Histogram<BUCKETS>);

shared_target!(
    MeasuredHistogram,
    measured::Histogram::with_metadata(Thresholds::exponential_buckets(10.0, 2.0)),
    |histogram: &measured::Histogram<BUCKETS>| {
        let guard = histogram.get_metric();
        let state = guard.inner.read();
        // Relaxed: the adders have been joined.
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        let within: u64 = state
            .buckets
            .iter()
            .map(|bucket| bucket.load(relaxed))
            .sum();
        Some(within + state.inf.load(relaxed))
    },
    |histogram: &measured::Histogram<BUCKETS>, sample| histogram.observe(sample as f64)
);

/// `metrics-util`: what exporters of the `metrics` facade gather histograms in.
#[derive(Debug)]
pub(super) struct MetricsUtil(AtomicBucket<i64>);

shared_target!(
    MetricsUtil,
    AtomicBucket::new(),
    |bucket: &AtomicBucket<i64>| {
        let mut count = 0;
        bucket.data_with(|block| count += block.len() as u64);
        Some(count)
    },
    |bucket: &AtomicBucket<i64>, sample| bucket.push(sample)
);

/// `fast-telemetry`: a distribution, a shard for each of 64 threads.
pub(super) struct FastTelemetry(fast_telemetry::Distribution);

shared_target!(
    FastTelemetry,
    fast_telemetry::Distribution::new(64),
    |distribution: &fast_telemetry::Distribution| Some(distribution.count()),
    |distribution: &fast_telemetry::Distribution, sample| distribution.record(unsigned(sample))
);

/// `contatori`: an average and both extremes.
#[derive(Debug)]
pub(super) struct Contatori(Box<(Average, Minimum, Maximum)>);

shared_target!(
    Contatori,
    Box::new((Average::new(), Minimum::new(), Maximum::new())),
    |statistics: &(Average, Minimum, Maximum)| Some(statistics.0.count() as u64),
    |(average, min, max): &(Average, Minimum, Maximum), sample| {
        let sample = unsigned(sample) as usize;
        average.observe(sample);
        min.observe(sample);
        max.observe(sample);
    }
);

/// `hdrhistogram`: the histogram that recorders on many threads feed.
#[derive(Debug)]
pub(super) struct Hdr(Mutex<SyncHistogram<u64>>);

impl Target for Hdr {
    type Adder<'a> = Recorder<u64>;

    fn fresh() -> Self {
        let histogram = Histogram::new_with_bounds(1, 3_600_000_000, 3);
        let histogram = histogram.expect("the bounds are valid");
        Self(Mutex::new(histogram.into()))
    }

    fn adder(&self) -> Recorder<u64> {
        self.0.lock().expect("no holder panics").recorder()
    }

    fn collected(&self) -> Option<u64> {
        let mut histogram = self.0.lock().expect("no holder panics");
        histogram.refresh();
        Some(histogram.len())
    }
}

impl Adder for Recorder<u64> {
    #[inline]
    fn add(&mut self, sample: i64) {
        self.record(unsigned(sample))
            .expect("samples are in bounds");
    }
}
