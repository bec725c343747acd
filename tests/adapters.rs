//! The adapters for the `metrics` facade and OpenTelemetry: over real HTTP in the
//! example service, and each instrument through the SDK.

use std::collections::BTreeMap;
use std::sync::Arc;

use interval_stat::export::opentelemetry::observe;
use interval_stat::registry::{Registry, Source};
use interval_stat::{ConcurrentMutableStat, Detail, Emit, IntervalStat, Labels};
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};

#[path = "../examples/adapters.rs"]
mod adapters;
mod http;

use adapters::{Service, figures};
use http::{ask, get, scraped};

#[test]
fn what_macros_record_is_scraped() {
    let service = Service::bind().expect("the loopback interface is there");
    let address = service.address();
    service.serve_while(|| {
        for seconds in ["0.002", "0.004"] {
            assert_eq!(get(address, &format!("/work/{seconds}")), "done\n");
        }
        let prometheus = |series, least| scraped(address, "/metrics", series, least);
        assert_eq!(prometheus("work_count{source=\"Facade\"}", 2.0), 2.0);
        assert_eq!(prometheus("work_sum{source=\"Facade\"}", 6e6), 6e6);
        let otel = |figure, least| {
            let series = format!("interval_stat.{figure}{{source=\"Facade\",statistic=\"work\"}}");
            scraped(address, "/otel", &series, least)
        };
        assert_eq!(otel("count", 2.0), 2.0);
        assert_eq!(otel("sum", 6e6), 6e6);
        assert_eq!(otel("min", 2e6), 2e6);
        assert_eq!(otel("max", 4e6), 4e6);
        let (head, body) = ask(address, "/work/much");
        assert!(head.starts_with("HTTP/1.1 400"), "{head}");
        assert!(body.starts_with("ask for /work/SECONDS"), "{body}");
    });
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
    let values: BTreeMap<_, _> = figures(&exported).into_iter().collect();
    let value = |name: &str| {
        let name = format!("interval_stat.{name}{{source=\"Locks\",statistic=\"wait\"}}");
        values.get(&name).copied()
    };
    assert_eq!(value("count"), Some(2.0));
    assert_eq!(value("sum"), Some(6.0));
    assert_eq!(value("max"), Some(4.0));
    assert_eq!(value("interval.mean"), Some(3.0));
}
