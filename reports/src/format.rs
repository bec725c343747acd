//! Numbers for people.

use std::time::Duration;

/// Three digits that count, at least all before the point; thousands apart.
pub(crate) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        x if x >= 99.95 || x == 0.0 => 0,
        x if x >= 9.995 => 1,
        x if x >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    joined(thousands_apart(whole), fraction)
}

/// In whole ones; the most that can be said if there are more.
pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How many there are.
pub(crate) fn count(value: u64) -> String {
    thousands_apart(&value.to_string())
}

/// Groups of three digits, with narrow spaces that do not break a line.
fn thousands_apart(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("\u{2212}", digits),
        None => ("", digits),
    };
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    sign.to_owned() + &groups.join("\u{202f}")
}

/// How many times.
pub(crate) fn times(value: f64) -> String {
    number(value) + "\u{d7}"
}

/// A value on an axis: the digits it has, and no rounding error.
pub(crate) fn tick(value: f64) -> String {
    let text = format!("{value:.4}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let (whole, fraction) = (thousands_apart(whole), fraction.trim_end_matches('0'));
    joined(whole, fraction)
}

fn joined(whole: String, fraction: &str) -> String {
    if fraction.is_empty() {
        whole
    } else {
        format!("{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_count() {
        let shown = [
            0.0,
            0.1234,
            1.0,
            9.999,
            99.94,
            99.96,
            1234.5,
            1_060_000.0,
            -12.34,
        ];
        let shown = shown.map(number);
        let right = [
            "0",
            "0.123",
            "1.00",
            "10.0",
            "99.9",
            "100",
            "1\u{202f}234",
            "1\u{202f}060\u{202f}000",
            "\u{2212}12.3",
        ];
        assert_eq!(shown, right);
    }

    #[test]
    fn ticks_show_no_rounding_errors() {
        let shown = [0.1 + 0.2, 1.5, 20.0, 1e6].map(tick);
        assert_eq!(shown, ["0.3", "1.5", "20", "1\u{202f}000\u{202f}000"]);
    }
}
