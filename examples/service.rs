//! A service that measures its requests and its lock, with `/metrics` for
//! Prometheus and `/metrics.json` for whoever adds up a fleet.
//!
//! Run it with `cargo run --features prometheus,quantiles,serde --example service`. It
//! ends after two seconds, or after as many as its argument says.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use interval_stat::export::prometheus;
use interval_stat::metered::Metered;
use interval_stat::registry::{Registry, Source};
use interval_stat::time::between;
use interval_stat::{Detail, Emit, Labels, LockMetrics, PerformanceMetrics};
use tiny_http::{Header, Request, Response, Server};

/// How often intervals are closed. A real service takes ten seconds or so.
const PERIOD: Duration = Duration::from_millis(50);
const WORKERS: usize = 4;

/// How often each path was asked for, and how that went.
pub(crate) struct Service {
    server: Server,
    hits: Metered<RwLock<HashMap<String, u64>>>,
    times: Arc<PerformanceMetrics>,
    registry: Registry,
}

impl Service {
    /// Listens on a free port of the loopback interface.
    pub(crate) fn bind() -> Result<Self, Box<dyn std::error::Error>> {
        let labels = Labels::new(
            "RequestTime",
            "time (in nanoseconds) to answer a request",
            "Ops",
            "Time",
            Detail::Extended,
        )?;
        let times: PerformanceMetrics =
            PerformanceMetrics::new(labels).with_windows(&[Duration::from_secs(60)])?;
        let (times, locks) = (Arc::new(times), Arc::new(<LockMetrics>::new()));
        let registry = Registry::new();
        let source = Arc::clone(&times);
        registry.register("Requests", "all requests", move |emit| {
            source.readings(emit)
        })?;
        let source = Arc::clone(&locks);
        registry.register("HitsLock", "the lock of the hits", move |emit| {
            source.readings(emit)
        })?;
        let server = Server::http("127.0.0.1:0").map_err(|error| error.to_string())?;
        Ok(Self {
            server,
            hits: Metered::new(RwLock::default(), locks),
            times,
            registry,
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.server
            .server_addr()
            .to_ip()
            .expect("it listens on a port")
    }

    /// Serves while `body` runs.
    pub(crate) fn serve_while<O>(&self, body: impl FnOnce() -> O) -> O {
        let (stop, stopped) = mpsc::channel::<()>();
        thread::scope(|scope| {
            for _ in 0..WORKERS {
                scope.spawn(|| self.work());
            }
            scope.spawn(move || self.report(&stopped));
            let _stop = stop;
            let _home = SendHome(&self.server);
            body()
        })
    }

    /// Closes the intervals, in one place: scrapers see the last ones closed.
    fn report(&self, stopped: &mpsc::Receiver<()>) {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(PERIOD) {
            self.registry.snapshot(Emit::All);
        }
    }

    fn work(&self) {
        while let Ok(request) = self.server.recv() {
            let began = Instant::now();
            // A client that has gone is no concern of the service.
            let _ = self.answer(request);
            self.times.add(between(began, Instant::now()));
        }
    }

    fn answer(&self, request: Request) -> io::Result<()> {
        let report = self.registry.last();
        match request.url() {
            "/metrics" => match prometheus::text(&report) {
                Ok(text) => respond(request, text, prometheus::CONTENT_TYPE),
                Err(error) => {
                    request.respond(Response::from_string(error.to_string()).with_status_code(500))
                }
            },
            "/metrics.json" => {
                let json = serde_json::to_string(&*report).map_err(io::Error::other)?;
                respond(request, json, "application/json")
            }
            path => {
                let hits = self.hit(path);
                respond(request, format!("{hits}\n"), "text/plain")
            }
        }
    }

    fn hit(&self, path: &str) -> u64 {
        let mut hits = self.hits.write().expect("no holder panics");
        let hits = hits.entry(path.to_owned()).or_default();
        *hits += 1;
        *hits
    }
}

/// Ends the wait of all workers when it is dropped, by a panic too.
struct SendHome<'a>(&'a Server);

impl Drop for SendHome<'_> {
    fn drop(&mut self) {
        (0..WORKERS).for_each(|_| self.0.unblock());
    }
}

fn respond(request: Request, text: String, content_type: &str) -> io::Result<()> {
    let header = Header::from_bytes("Content-Type", content_type).expect("a header");
    request.respond(Response::from_string(text).with_header(header))
}

#[cfg_attr(test, expect(dead_code, reason = "a test includes this file"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let service = Service::bind()?;
    println!("curl http://{}/metrics", service.address());
    service.serve_while(|| thread::sleep(Duration::from_secs(seconds)));
    Ok(())
}
