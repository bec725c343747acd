//! Observable instruments of OpenTelemetry.

#![forbid(unsafe_code)]

use std::sync::Arc;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};

use crate::Interval;
use crate::registry::{Reading, Report};

/// Registers instruments that show what `report` returns, for each statistic with
/// the attributes `source` and `statistic`:
///
/// | instrument | kind | what |
/// | --- | --- | --- |
/// | `interval_stat.count` | observable counter | samples over the lifetime |
/// | `interval_stat.sum` | observable up-down counter | their sum |
/// | `interval_stat.min`, `.max` | observable gauge | over the lifetime, or since they were reset |
/// | `interval_stat.interval.mean`, `.stddev`, `.min`, `.max` | observable gauge | of the interval |
///
/// What is undefined is not observed. OpenTelemetry calls each instrument by
/// itself, so `report` must not close intervals: give it
/// [`Registry::last`](crate::registry::Registry::last) and let a reporter take the
/// snapshots.
///
/// # Examples
///
/// ```
/// use interval_stat::export::opentelemetry::observe;
/// use interval_stat::registry::Registry;
/// use std::sync::Arc;
///
/// let registry = Arc::new(<Registry>::new());
/// let meter = opentelemetry::global::meter("service");
/// observe(&meter, move || registry.last());
/// ```
pub fn observe<I: Interval>(
    meter: &Meter,
    report: impl Fn() -> Arc<Report<I>> + Clone + Send + Sync + 'static,
) {
    let reports = report.clone();
    let count = meter.u64_observable_counter("interval_stat.count");
    count
        .with_callback(move |instrument| {
            each(&reports(), instrument, |reading: &Reading<I>| {
                Some(reading.snapshot.count)
            });
        })
        .build();
    let reports = report.clone();
    let sum = meter.f64_observable_up_down_counter("interval_stat.sum");
    sum.with_callback(move |instrument| {
        each(&reports(), instrument, |reading: &Reading<I>| {
            Some(reading.snapshot.lifetime.total())
        });
    })
    .build();
    for (name, value) in gauges::<I>() {
        let reports = report.clone();
        let gauge = meter.f64_observable_gauge(name);
        gauge
            .with_callback(move |instrument| each(&reports(), instrument, value))
            .build();
    }
}

type Figure<I> = fn(&Reading<I>) -> Option<f64>;

fn gauges<I: Interval>() -> [(&'static str, Figure<I>); 6] {
    [
        ("interval_stat.min", |reading| {
            reading.snapshot.min.map(|min| min as f64)
        }),
        ("interval_stat.max", |reading| {
            reading.snapshot.max.map(|max| max as f64)
        }),
        ("interval_stat.interval.mean", |reading| {
            reading.snapshot.interval.mean()
        }),
        ("interval_stat.interval.stddev", |reading| {
            reading.snapshot.interval.stddev()
        }),
        ("interval_stat.interval.min", |reading| {
            reading.snapshot.interval.min().map(|min| min as f64)
        }),
        ("interval_stat.interval.max", |reading| {
            reading.snapshot.interval.max().map(|max| max as f64)
        }),
    ]
}

fn each<I, V>(
    report: &Report<I>,
    instrument: &dyn AsyncInstrument<V>,
    value: impl Fn(&Reading<I>) -> Option<V>,
) {
    for source in &report.sources {
        for reading in &source.readings {
            let name = reading.snapshot.labels.name().to_owned();
            let attributes = [
                KeyValue::new("source", source.name.clone()),
                KeyValue::new("statistic", name),
            ];
            if let Some(value) = value(reading) {
                instrument.observe(value, &attributes);
            }
        }
    }
}
