//! The example service, over real HTTP.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use interval_stat::registry::Report;

#[path = "../examples/service.rs"]
mod service;

use service::Service;

fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    body.to_owned()
}

/// The value of a series, once it is at least `least`.
fn scraped(address: SocketAddr, series: &str, least: f64) -> f64 {
    for _ in 0..200 {
        let text = get(address, "/metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(series));
        let value = line.map(|value| value.trim().parse().expect("a number"));
        match value {
            Some(value) if value >= least => return value,
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("{series} never was {least}");
}

#[test]
fn counts_what_it_served() {
    const HITS: usize = 20;
    let service = Service::bind().expect("the loopback interface is there");
    let address = service.address();
    service.serve_while(|| {
        for hit in 1..=HITS {
            assert_eq!(get(address, "/key").trim(), hit.to_string());
        }
        let written = "write_lock_held_time_count{source=\"HitsLock\"}";
        assert_eq!(scraped(address, written, HITS as f64), HITS as f64);
        let requests = "request_time_count{source=\"Requests\"}";
        assert!(scraped(address, requests, HITS as f64) >= HITS as f64);
        assert!(scraped(address, "request_time_sum{source=\"Requests\"}", 1.0) >= 1.0);
        let text = get(address, "/metrics");
        assert!(text.contains("request_time_quantile{"), "{text}");
        assert!(text.contains("quantile=\"0.99\""), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
        let report: Report =
            serde_json::from_str(&get(address, "/metrics.json")).expect("a report");
        let held = report
            .get("HitsLock", "WriteLockHeldTime")
            .expect("it was held");
        assert_eq!(held.snapshot.count, HITS as u64);
        assert!(held.snapshot.lifetime.sum() > 0);
    });
}
