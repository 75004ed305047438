//! `BY COUNT`: numbers of values instead of the values.

use super::audit::Audit;
use super::query::Steps;
use crate::lattice::{Decimal, NumberInterval, Value};
use crate::syntax::tree::{OrderWord, Relation};
use crate::verdict::{Answer, Caveat, Derivation, Reason};
use std::cmp::Ordering;
use std::collections::BTreeMap;

impl Audit<'_> {
    /// How many values each instance reads along a path.
    ///
    /// # Errors
    /// `derived`, where more candidates are possible, a step is not COMPLETE or
    /// a value on the way is contested.
    pub(super) fn counts(
        &self,
        instances: impl IntoIterator<Item = u32>,
        possible: usize,
        by: &Steps,
    ) -> Result<BTreeMap<u32, u64>, Reason> {
        let mut from = self.open_for_counting(by);
        if possible > 0 {
            from.push(Derivation::Possible(possible as u64));
        }
        let mut counts = BTreeMap::new();
        for x in instances {
            let (count, contested) = self.count_at(x, by);
            counts.insert(x, count);
            if contested {
                from.push(Derivation::Contested);
            }
        }
        if from.is_empty() {
            return Ok(counts);
        }
        from.sort();
        from.dedup();
        Err(Reason::Derived {
            what: by.text.clone(),
            from,
        })
    }

    fn two_counts(&self, left: u32, right: u32, by: &Steps) -> Result<(u64, u64), Reason> {
        let counts = self.counts([left, right], 0, by)?;
        let count = |x: u32| counts.get(&x).copied().unwrap_or_default();
        Ok((count(left), count(right)))
    }

    pub(super) fn relate_counts(
        &self,
        left: u32,
        relation: Relation,
        right: u32,
        by: &Steps,
    ) -> Result<Answer, Reason> {
        let (a, b) = self.two_counts(left, right, by)?;
        let value = match relation {
            Relation::Equal | Relation::Overlaps => a == b,
            Relation::Unequal => a != b,
            Relation::Less => a < b,
            Relation::AtMost => a <= b,
            Relation::Greater => a > b,
            Relation::AtLeast => a >= b,
        };
        Ok(Answer::Truth {
            value,
            caveat: Caveat::default(),
        })
    }

    pub(super) fn order_counts(&self, left: u32, right: u32, by: &Steps) -> Result<Answer, Reason> {
        let (a, b) = self.two_counts(left, right, by)?;
        let decimal = |count: u64| Decimal::from_i64(i64::try_from(count).unwrap_or(i64::MAX));
        let hull = NumberInterval {
            low: decimal(a.min(b)),
            high: decimal(a.max(b)),
        };
        let (word, meet) = match a.cmp(&b) {
            Ordering::Less => (OrderWord::Less, Vec::new()),
            Ordering::Greater => (OrderWord::Greater, Vec::new()),
            Ordering::Equal => (OrderWord::Equal, vec![Value::Number(hull.clone())]),
        };
        Ok(Answer::Order {
            word,
            join: vec![Value::Number(hull)],
            meet,
            dimension: None,
            caveat: Caveat::default(),
        })
    }
}
