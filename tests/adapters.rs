//! The adapters for the `metrics` facade and OpenTelemetry: over real HTTP in the
//! example service, and each instrument through the SDK.

use std::collections::BTreeMap;
use std::sync::Arc;

use interval_stat::export::facade::StatRecorder;
use interval_stat::export::opentelemetry::observe;
use interval_stat::export::prometheus;
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

/// One series for each key, whatever names and labels it has.
#[test]
fn keys_share_no_series() {
    let recorder = Arc::new(StatRecorder::new(1.0));
    metrics::with_local_recorder(&recorder, || {
        metrics::histogram!("http", "path" => "/a-b").record(1.0);
        metrics::histogram!("http", "path" => "/a_b").record(2.0);
        metrics::histogram!("http", "method" => "get").record(3.0);
        metrics::histogram!("http", "method" => "GET").record(4.0);
        metrics::histogram!("h{u=\"x\"}").record(5.0);
        metrics::histogram!("h", "u" => "x").record(6.0);
        metrics::histogram!("h", "u" => "").record(7.0);
        metrics::histogram!("h").record(8.0);
        metrics::histogram!("").record(9.0);
        metrics::histogram!("unnamed").record(10.0);
        metrics::histogram!("等待").record(11.0);
        metrics::histogram!("持有").record(12.0);
    });
    let registry = <Registry>::new();
    registry
        .register("F", "macros", move |emit| recorder.readings(emit))
        .unwrap();
    let text = prometheus::text(&registry.snapshot(Emit::All)).unwrap();
    let sums = text.lines().filter_map(|line| {
        let (series, value) = line.rsplit_once(' ')?;
        series.contains("_sum{").then_some((series, value))
    });
    assert_eq!(
        sums.collect::<BTreeMap<_, _>>(),
        BTreeMap::from([
            (r#"http_sum{source="F",path="/a-b"}"#, "1.0"),
            (r#"http_sum{source="F",path="/a_b"}"#, "2.0"),
            (r#"http_sum{source="F",method="get"}"#, "3.0"),
            (r#"http_sum{source="F",method="GET"}"#, "4.0"),
            (r#"h_u_x_sum{source="F"}"#, "5.0"),
            (r#"h_sum{source="F",u="x"}"#, "6.0"),
            (r#"h_sum{source="F",u="\"\""}"#, "7.0"),
            (r#"h_sum{source="F"}"#, "8.0"),
            (r#"__sum{source="F"}"#, "9.0"),
            (r#"unnamed_sum{source="F"}"#, "10.0"),
            (r#"U___7b49__5f85__sum{source="F"}"#, "11.0"),
            (r#"U___6301__6709__sum{source="F"}"#, "12.0"),
        ])
    );
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
