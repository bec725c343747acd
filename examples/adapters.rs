//! A service whose code records with the macros of the `metrics` facade and knows
//! nothing of this library, and which shows what they recorded: as text for
//! Prometheus on `/metrics`, and on `/otel` what the SDK of OpenTelemetry exports.
//!
//! Run it with `cargo run --features metrics,opentelemetry,prometheus --example
//! adapters`. It ends after two seconds, or after as many as its argument says.

#![forbid(unsafe_code)]

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use interval_stat::Emit;
use interval_stat::export::facade::StatRecorder;
use interval_stat::export::{opentelemetry::observe, prometheus};
use interval_stat::registry::{Registry, Source};
use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, Metric, MetricData, ResourceMetrics};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, SdkMeterProvider};
use tiny_http::{Request, Response, Server};

/// How often intervals are closed. A real service takes ten seconds or so.
const PERIOD: Duration = Duration::from_millis(20);

/// Work that anybody can ask for, and its statistics.
pub(crate) struct Service {
    server: Server,
    registry: Arc<Registry>,
    provider: SdkMeterProvider,
    /// A real service has an exporter to a collector in its place.
    exporter: InMemoryMetricExporter,
}

impl Service {
    /// Listens on a free port of the loopback interface, and becomes the recorder
    /// of the process.
    pub(crate) fn bind() -> Result<Self, Box<dyn Error>> {
        // The facade's seconds become nanoseconds.
        let recorder = Arc::new(StatRecorder::new(1e9));
        metrics::set_global_recorder(Arc::clone(&recorder)).map_err(|error| error.to_string())?;
        let registry = Arc::new(<Registry>::new());
        registry.register("Facade", "recorded with macros", move |emit| {
            recorder.readings(emit)
        })?;
        let exporter = InMemoryMetricExporter::default();
        let provider = SdkMeterProvider::builder()
            .with_periodic_exporter(exporter.clone())
            .build();
        let last = Arc::clone(&registry);
        observe(&provider.meter("service"), move || last.last());
        Ok(Self {
            server: Server::http("127.0.0.1:0").map_err(|error| error.to_string())?,
            registry,
            provider,
            exporter,
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        let address = self.server.server_addr().to_ip();
        address.expect("it listens on a port")
    }

    /// Serves while `body` runs.
    pub(crate) fn serve_while<O>(&self, body: impl FnOnce() -> O) -> O {
        let (stop, stopped) = mpsc::channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || self.serve(&stopped));
            let _stop = stop;
            body()
        })
    }

    /// Answers, and closes the intervals: scrapers see the last ones closed.
    fn serve(&self, stopped: &mpsc::Receiver<()>) {
        let mut closed = Instant::now();
        while stopped.try_recv() == Err(TryRecvError::Empty) {
            if let Ok(Some(request)) = self.server.recv_timeout(PERIOD) {
                // A client that has gone is no concern of the service.
                let _ = self.answer(request);
            }
            if closed.elapsed() >= PERIOD {
                self.registry.snapshot(Emit::All);
                closed = Instant::now();
            }
        }
    }

    fn answer(&self, request: Request) -> io::Result<()> {
        let answer = match request.url() {
            "/metrics" => {
                prometheus::text(&self.registry.last()).map_err(|error| error.to_string())
            }
            "/otel" => self.export().map_err(|error| error.to_string()),
            path => work(path),
        };
        match answer {
            Ok(text) => request.respond(Response::from_string(text)),
            Err(text) => request.respond(Response::from_string(text).with_status_code(400)),
        }
    }

    /// What the SDK exports now, a line a figure.
    fn export(&self) -> Result<String, Box<dyn Error>> {
        self.exporter.reset();
        self.provider.force_flush()?;
        let figures = figures(&self.exporter.get_finished_metrics()?);
        let lines = figures
            .iter()
            .map(|(name, value)| format!("{name} {value}\n"));
        Ok(lines.collect())
    }
}

/// What the service does: `/work/0.002` takes 2 ms, so it says.
fn work(path: &str) -> Result<String, String> {
    let seconds = path
        .strip_prefix("/work/")
        .and_then(|text| text.parse().ok());
    let seconds: f64 = seconds.ok_or("ask for /work/SECONDS, /metrics or /otel")?;
    metrics::histogram!("work").record(seconds);
    Ok("done\n".to_owned())
}

/// Name with attributes, and value, of each point of what was exported.
pub(crate) fn figures(exported: &[ResourceMetrics]) -> Vec<(String, f64)> {
    let scopes = exported.iter().flat_map(ResourceMetrics::scope_metrics);
    let metrics = scopes.flat_map(|scope| scope.metrics());
    let points = metrics.flat_map(|metric| match metric.data() {
        AggregatedMetrics::U64(data) => points(metric, data, |value| value as f64),
        AggregatedMetrics::F64(data) => points(metric, data, |value| value),
        AggregatedMetrics::I64(_) => Vec::new(),
    });
    points.collect()
}

/// There are no histograms among the instruments.
fn points<T: Copy>(
    metric: &Metric,
    data: &MetricData<T>,
    number: fn(T) -> f64,
) -> Vec<(String, f64)> {
    let name = metric.name();
    match data {
        MetricData::Sum(sum) => sum
            .data_points()
            .map(|point| (full_name(name, point.attributes()), number(point.value())))
            .collect(),
        MetricData::Gauge(gauge) => gauge
            .data_points()
            .map(|point| (full_name(name, point.attributes()), number(point.value())))
            .collect(),
        _ => Vec::new(),
    }
}

fn full_name<'a>(name: &str, attributes: impl Iterator<Item = &'a KeyValue>) -> String {
    let pairs = attributes.map(|pair| format!("{}={:?}", pair.key, pair.value.as_str()));
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    format!("{name}{{{}}}", pairs.join(","))
}

#[cfg_attr(test, expect(dead_code, reason = "a test includes this file"))]
fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let service = Service::bind()?;
    let address = service.address();
    println!("curl http://{address}/work/0.002 http://{address}/metrics http://{address}/otel");
    service.serve_while(|| thread::sleep(Duration::from_secs(seconds)));
    Ok(())
}
