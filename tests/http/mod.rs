//! A client of the example services.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

/// The body of a good answer.
pub(crate) fn get(address: SocketAddr, path: &str) -> String {
    let (head, body) = ask(address, path);
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    body
}

/// The head and the body of an answer.
pub(crate) fn ask(address: SocketAddr, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_owned(), body.to_owned())
}

/// The value of a series on the page at `path`, once it is at least `least`.
pub(crate) fn scraped(address: SocketAddr, path: &str, series: &str, least: f64) -> f64 {
    for _ in 0..500 {
        let text = get(address, path);
        let line = text.lines().find_map(|line| line.strip_prefix(series));
        let value = line.map(|value| value.trim().parse().expect("a number"));
        match value {
            Some(value) if value >= least => return value,
            _ => thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("{series} never was {least}");
}
