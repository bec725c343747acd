//! A bar, for programs that make one run after the other.

use indicatif::{ProgressBar, ProgressStyle};

/// Makes the runs, shows meanwhile on the standard error stream how far they are, if
/// that is a terminal, and prints the line of each at its end. `run` tells what part
/// of the run is over, from 0 to 1; the runs take about the same time.
///
/// # Examples
///
/// ```
/// let double = |number: &u32, over: &mut dyn FnMut(f64)| {
///     over(0.5);
///     2 * number
/// };
/// assert_eq!(models::bar::run_all(&[1, 2], double, u32::to_string), [2, 4]);
/// ```
pub fn run_all<C, R>(
    courses: &[C],
    run: impl Fn(&C, &mut dyn FnMut(f64)) -> R,
    line: impl Fn(&R) -> String,
) -> Vec<R> {
    const PARTS: u64 = 1_000;
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  about {eta} to go");
    let bar = ProgressBar::new(PARTS * courses.len() as u64)
        .with_style(style.expect("the template is right"));
    let run = |(before, course)| {
        let run = run(course, &mut |over| {
            bar.set_position(PARTS * before as u64 + (over * PARTS as f64) as u64);
        });
        bar.suspend(|| println!("{}", line(&run)));
        run
    };
    let runs = courses.iter().enumerate().map(run).collect();
    bar.finish_and_clear();
    runs
}
