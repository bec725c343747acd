//! The observable instruments, through the SDK of OpenTelemetry.

use std::collections::BTreeMap;
use std::sync::Arc;

use interval_stat::export::opentelemetry::observe;
use interval_stat::registry::{Registry, Source};
use interval_stat::{ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels};
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};

fn first_value(metric: &Metric) -> Option<f64> {
    match metric.data() {
        AggregatedMetrics::U64(MetricData::Sum(sum)) => {
            sum.data_points().next().map(|point| point.value() as f64)
        }
        AggregatedMetrics::F64(MetricData::Sum(sum)) => {
            sum.data_points().next().map(|point| point.value())
        }
        AggregatedMetrics::F64(MetricData::Gauge(gauge)) => {
            gauge.data_points().next().map(|point| point.value())
        }
        _ => None,
    }
}

#[test]
fn instruments_show_the_last_report() {
    let labels = Labels::new("wait", "Time waited", "Ops", "Time", Detail::Basic).unwrap();
    let stat: Arc<ConcurrentMutableStat> = Arc::new(ConcurrentMutableStat::new(labels));
    let registry = Arc::new(<Registry>::new());
    let source = Arc::clone(&stat);
    registry
        .register("Locks", "the locks", move |emit| source.readings(emit))
        .unwrap();

    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder()
        .with_periodic_exporter(exporter.clone())
        .build();
    let last = Arc::clone(&registry);
    observe(&provider.meter("test"), move || last.last());

    stat.add_batch(&[2, 4]);
    registry.snapshot(Emit::All);
    provider.force_flush().unwrap();

    let exported = exporter.get_finished_metrics().unwrap();
    let scopes = exported
        .iter()
        .flat_map(|resource| resource.scope_metrics());
    let metrics = scopes.flat_map(|scope| scope.metrics());
    let values: BTreeMap<_, _> = metrics
        .filter_map(|metric| Some((metric.name().to_owned(), first_value(metric)?)))
        .collect();
    let value = |name: &str| values.get(name).copied();
    assert_eq!(value("interval_stat.count"), Some(2.0));
    assert_eq!(value("interval_stat.sum"), Some(6.0));
    assert_eq!(value("interval_stat.max"), Some(4.0));
    assert_eq!(value("interval_stat.interval.mean"), Some(3.0));
}
