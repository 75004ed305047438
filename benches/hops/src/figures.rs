//! Times, and how they are printed.

use cpu_time::ThreadTime;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Milliseconds.
pub fn ms(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    if ms < 10.0 {
        format!("{ms:.3} ms")
    } else {
        format!("{ms:.0} ms")
    }
}

/// Megabytes.
pub fn millions(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// What half and what 95 in 100 of the queries take, in milliseconds.
pub struct Spread {
    pub p50: f64,
    pub p95: f64,
}

impl Spread {
    /// Times a piece of work for each item, in rounds over all items, shuffled; of
    /// the times of one item the median counts.
    pub fn of<T>(
        rounds: usize,
        items: &[T],
        mut work: impl FnMut(&T) -> Result<usize, Box<dyn Error>>,
    ) -> Result<Spread, Box<dyn Error>> {
        let mut order: Vec<usize> = (0..items.len()).collect();
        let mut state = 88_172_645_463_325_252_u64;
        let mut times = vec![Vec::new(); items.len()];
        // One round to warm up.
        for round in 0..=rounds.max(1) {
            for i in (1..order.len()).rev() {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                order.swap(i, (state % (i as u64 + 1)) as usize);
            }
            for &i in &order {
                let start = ThreadTime::now();
                let found = work(&items[i])?;
                let time = start.elapsed();
                std::hint::black_box(found);
                if round > 0 {
                    times[i].push(time.as_secs_f64() * 1e3);
                }
            }
        }
        let mut medians: Vec<f64> = times
            .into_iter()
            .map(|mut times| {
                times.sort_by(f64::total_cmp);
                times[times.len() / 2]
            })
            .collect();
        medians.sort_by(f64::total_cmp);
        let at = |q: f64| match medians.len() {
            0 => f64::NAN,
            n => medians[((n - 1) as f64 * q).round() as usize],
        };
        Ok(Spread {
            p50: at(0.5),
            p95: at(0.95),
        })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.4} / {:.4}", self.p50, self.p95)
    }
}
