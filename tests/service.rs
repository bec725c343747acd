//! The example service, over real HTTP.

use interval_stat::registry::Report;

mod http;
#[path = "../examples/service.rs"]
mod service;

use http::{get, scraped};
use service::Service;

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
        assert_eq!(
            scraped(address, "/metrics", written, HITS as f64),
            HITS as f64
        );
        let requests = "request_time_count{source=\"Requests\"}";
        assert!(scraped(address, "/metrics", requests, HITS as f64) >= HITS as f64);
        assert!(
            scraped(
                address,
                "/metrics",
                "request_time_sum{source=\"Requests\"}",
                1.0
            ) >= 1.0
        );
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
