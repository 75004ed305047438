//! Chance that is the same everywhere.

/// A stream of numbers that is the same for the same seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below a bound, 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.number()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Whether something of this probability happens.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of some things; none of none.
    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }

    /// So many different numbers below a bound, in the order in which they were drawn.
    pub fn several(&mut self, count: usize, bound: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..bound).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all
    }

    /// How often something happens that happens so often on the average (Poisson).
    pub fn times(&mut self, average: f64) -> usize {
        let (least, mut product, mut times) = ((-average).exp(), self.unit(), 0);
        while product > least {
            product *= self.unit();
            times += 1;
        }
        times
    }

    /// Puts things in an order that only the seed tells.
    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for k in (1..all.len()).rev() {
            let other = self.below(k + 1);
            all.swap(k, other);
        }
    }
}

/// Values of which a few are frequent and most are rare (Zipf): the k-th most frequent
/// is `k^exponent` times rarer than the first. Which value has which frequency is
/// drawn.
#[derive(Clone, Debug)]
pub struct Skewed {
    values: Vec<u32>,
    /// By rank: the share of this one and those before it.
    shares: Vec<f64>,
}

impl Skewed {
    /// Of the values below a count.
    pub fn new(count: usize, exponent: f64, draw: &mut Draw) -> Skewed {
        let mut values: Vec<u32> = (0..count as u32).collect();
        draw.shuffle(&mut values);
        let mut sum = 0.0;
        let ranks = (1..=count).map(|rank| {
            sum += (rank as f64).powf(-exponent);
            sum
        });
        let mut shares: Vec<f64> = ranks.collect();
        for share in &mut shares {
            *share /= sum;
        }
        Skewed { values, shares }
    }

    /// One value.
    pub fn one(&self, draw: &mut Draw) -> u32 {
        let at = draw.unit();
        let rank = self.shares.partition_point(|share| *share < at);
        let value = self.values.get(rank).or(self.values.last());
        value.copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_within_their_bounds() {
        let mut draw = Draw::new(1);
        assert!((0..1000).all(|_| draw.below(7) < 7 && draw.unit() < 1.0));
        assert_eq!((draw.below(0), draw.one_of::<u8>(&[])), (0, None));
        let mut some = draw.several(3, 5);
        some.sort_unstable();
        some.dedup();
        assert!(some.len() == 3 && some.iter().all(|k| *k < 5));
    }

    #[test]
    fn averages_and_frequencies_are_as_asked_for() {
        let mut draw = Draw::new(2);
        let sum: usize = (0..10_000).map(|_| draw.times(2.6)).sum();
        assert!((25_000..27_000).contains(&sum), "{sum}");
        let skewed = Skewed::new(10, 1.0, &mut draw);
        let mut counts = [0; 10];
        for _ in 0..10_000 {
            counts[skewed.one(&mut draw) as usize] += 1;
        }
        counts.sort_unstable();
        let [.., second, first] = counts;
        assert!(
            (1.8..2.2).contains(&(f64::from(first) / f64::from(second))),
            "{counts:?}"
        );
    }
}
