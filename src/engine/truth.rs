//! For which instances a condition is certain, and for which it is excluded.
//!
//! Both are computed for all instances at once from postings; the few
//! instances whose coordinate is contested, denied or spread over several values
//! are looked at one by one. The two functions swap under NOT, so neither
//! needs the other's complement.

use super::RunError;
use super::coordinate::Coordinate;
use super::order::{Edges, Order};
use super::run::Run;
use super::step::StepTest;
use crate::lattice::{DimensionId, Gathering, InstanceId, ValueId};
use crate::plan::{Condition, NameTest, Test};
use crate::verdict::Members;
use roaring::RoaringBitmap;

/// The confidence asked, and the condition of whom.
#[derive(Clone, Copy)]
pub(super) struct Ask {
    /// The least confidence of a witness.
    pub confidence: f64,
}

/// What is left of a walk: the steps from `at` on, and the test at its end.
#[derive(Clone, Copy)]
pub(super) struct Rest<'p> {
    pub path: &'p [DimensionId],
    pub test: &'p Test,
}

/// A look at one instance is cheaper than a posting list from this ratio on.
const FEW: u64 = 64;

impl<'l> Run<'l> {
    /// All instances, or those that are asked about.
    pub(super) fn universe(&self, within: Option<&RoaringBitmap>) -> RoaringBitmap {
        match within {
            Some(set) => set.clone(),
            None => {
                let mut all = RoaringBitmap::new();
                all.insert_range(0..self.lattice.instance_count());
                all
            }
        }
    }

    /// The instances for which all of some conditions are certain.
    pub(super) fn certain_all(
        &self,
        conditions: &[Condition],
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let mut order: Vec<&Condition> = conditions.iter().collect();
        order.sort_by_cached_key(|condition| self.estimate(condition));
        let mut rest = order.into_iter().peekable();
        let mut hits: Option<RoaringBitmap> = None;
        // Conditions whose answer is plain from the postings: no set is made before the
        // last of them.
        let mut found: Option<Gathering<'l>> = None;
        while within.is_none()
            && let Some(&condition) = rest.peek()
            && let Some((test, d)) = self.plain_step(condition, ask)?
        {
            self.meter.check()?;
            let narrowed = self.narrowed(&test, d, found)?;
            self.meter.spend(narrowed.size())?;
            rest.next();
            if narrowed.most() == 0 {
                return Ok(RoaringBitmap::new());
            }
            found = Some(narrowed);
        }
        if let Some(found) = found {
            let set = found.into_set();
            self.meter.spend(set.serialized_size() as u64)?;
            if set.is_empty() {
                return Ok(set);
            }
            hits = Some(set);
        }
        for condition in rest {
            self.meter.tick()?;
            let narrowed = hits.as_ref().or(within);
            let set = self.certain(condition, ask, narrowed)?;
            if set.is_empty() {
                return Ok(set);
            }
            hits = Some(set);
        }
        Ok(hits.unwrap_or_else(|| self.universe(within)))
    }

    /// The test of a condition that asks for values of one dimension, if nothing on that
    /// is contested or denied.
    fn plain_step(
        &self,
        condition: &Condition,
        ask: Ask,
    ) -> Result<Option<(StepTest<'l>, DimensionId)>, RunError> {
        let Condition::Walk { path, test, .. } = condition else {
            return Ok(None);
        };
        match (path.as_slice(), test) {
            (_, Test::Has | Test::Name(_) | Test::In(_)) => Ok(None),
            (&[d], test) if self.irregular(d).is_empty() => {
                Ok(Some((self.step_test(d, test, ask, false)?, d)))
            }
            _ => Ok(None),
        }
    }

    /// About how many instances a condition leaves, to look at the narrowest
    /// first. It decides the order of work, never the result.
    pub(super) fn estimate(&self, condition: &Condition) -> u64 {
        let all = u64::from(self.lattice.instance_count());
        match condition {
            Condition::Name {
                test: NameTest::Called(list),
                ..
            } => list.len() as u64,
            Condition::Name {
                test: NameTest::In(set),
                ..
            } => self.known_size(*set).unwrap_or(all),
            Condition::Walk { path, test, .. } => match (path.as_slice(), test) {
                ([d], Test::Nodes { elements, .. }) => elements
                    .iter()
                    .flat_map(|element| &element.nodes)
                    .map(|&node| self.estimate_below(*d, node))
                    .sum::<u64>()
                    .max(1),
                ([d], _) => self.lattice.positive(*d).subject_count() as u64,
                _ => all,
            },
            Condition::All(list, _) => list.iter().map(|c| self.estimate(c)).min().unwrap_or(all),
            Condition::Any(list, _) => list
                .iter()
                .map(|c| self.estimate(c))
                .fold(0, u64::saturating_add),
            Condition::Not(..) | Condition::Possibly(..) | Condition::Name { .. } => {
                all.saturating_add(1)
            }
        }
    }

    /// About how many instances have a value at or below a node: those of the
    /// first values below it, for all of them.
    fn estimate_below(&self, d: DimensionId, node: u32) -> u64 {
        const SAMPLE: usize = 256;
        let relation = self.lattice.positive(d);
        let order = self.order(d, 0.0);
        let below = match order.as_ref() {
            Order::Flat => return relation.holder_count(ValueId(node)),
            Order::Dag(dag) => return relation.estimate_below(dag, node),
            Order::Within(_) => order.down(node, Edges::Certain),
        };
        let sampled: u64 = below
            .iter()
            .take(SAMPLE)
            .map(|v| relation.holder_count(ValueId(v)))
            .sum();
        sampled * below.len().max(1) / below.len().clamp(1, SAMPLE as u64)
    }

    /// The instances, among those asked about, for which a condition is certain.
    pub(super) fn certain(
        &self,
        condition: &Condition,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let set = self.find_certain(condition, ask, within)?;
        self.meter.spend(set.serialized_size() as u64)?;
        Ok(set)
    }

    fn find_certain(
        &self,
        condition: &Condition,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        self.meter.tick()?;
        match condition {
            Condition::All(list, _) => self.certain_all(list, ask, within),
            Condition::Any(list, _) => {
                let mut union = RoaringBitmap::new();
                for member in list {
                    union |= self.certain(member, ask, within)?;
                }
                Ok(union)
            }
            Condition::Not(inner, _) => self.excluded(inner, ask, within),
            Condition::Possibly(inner, _) if self.lax => {
                // CONFIDENCE removes no counter-evidence: what excludes the
                // constraint counts whatever its confidence.
                let any = Ask { confidence: 0.0 };
                Ok(self.universe(within) - self.excluded(inner, any, within)?)
            }
            Condition::Possibly(inner, _) => self.certain(inner, ask, within),
            Condition::Name { test, .. } => self.named(test, within),
            Condition::Walk { path, test, .. } => {
                self.certain_walk(Rest { path, test }, ask, within)
            }
        }
    }

    /// The instances, among those asked about, for which a condition is excluded.
    pub(super) fn excluded(
        &self,
        condition: &Condition,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let set = self.find_excluded(condition, ask, within)?;
        self.meter.spend(set.serialized_size() as u64)?;
        Ok(set)
    }

    fn find_excluded(
        &self,
        condition: &Condition,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        self.meter.tick()?;
        match condition {
            Condition::All(list, _) => {
                let mut union = RoaringBitmap::new();
                for member in list {
                    union |= self.excluded(member, ask, within)?;
                }
                Ok(union)
            }
            Condition::Any(list, _) => {
                let mut rest: Option<RoaringBitmap> = None;
                for member in list {
                    let narrowed = rest.as_ref().or(within);
                    let set = self.excluded(member, ask, narrowed)?;
                    if set.is_empty() {
                        return Ok(set);
                    }
                    rest = Some(set);
                }
                Ok(rest.unwrap_or_else(|| self.universe(within)))
            }
            Condition::Not(inner, _) => self.certain(inner, ask, within),
            Condition::Possibly(inner, _) => self.excluded(inner, ask, within),
            Condition::Name { test, .. } => self.not_named(test, within),
            Condition::Walk { path, test, .. } => {
                self.excluded_walk(Rest { path, test }, ask, within)
            }
        }
    }

    fn named(
        &self,
        test: &NameTest,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let set: RoaringBitmap = match test {
            NameTest::Has => return Ok(self.universe(within)),
            NameTest::Called(list) => list.iter().map(|i| i.0).collect(),
            NameTest::In(id) => self.called_as(&self.firm_members(*id)?)?,
        };
        Ok(match within {
            Some(within) => set & within,
            None => set,
        })
    }

    fn not_named(
        &self,
        test: &NameTest,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let set: RoaringBitmap = match test {
            NameTest::Has => return Ok(RoaringBitmap::new()),
            NameTest::Called(list) => list.iter().map(|i| i.0).collect(),
            NameTest::In(id) => {
                if !self.is_closed(*id)? {
                    return Ok(RoaringBitmap::new());
                }
                self.called_as(&self.firm_members(*id)?)?
                    | self.called_as(&self.other_members(*id)?)?
            }
        };
        Ok(self.universe(within) - set)
    }

    pub(super) fn certain_walk(
        &self,
        rest: Rest<'_>,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let Some((&d, further)) = rest.path.split_first() else {
            return match rest.test {
                Test::Name(test) => self.named(test, within),
                _ => Ok(RoaringBitmap::new()),
            };
        };
        if let (Test::In(id), [], true) = (rest.test, further, self.is_plain(d))
            && let Members::Instances(targets) = self.firm_members(*id)?
        {
            return self.certain_preimage(d, &targets, ask, within);
        }
        if further.is_empty() && !matches!(rest.test, Test::Name(_)) {
            return match rest.test {
                Test::Has => self.has_value(d, ask, within),
                test => self.certain_step(&self.step_test(d, test, ask, false)?, d, within),
            };
        }
        let after = Rest {
            path: further,
            test: rest.test,
        };
        // From few instances it is cheaper to look ahead than to look back.
        let few = within.filter(|set| set.len() * FEW < u64::from(self.lattice.instance_count()));
        let ahead = match few {
            Some(set) => Some(self.image(d, set)?),
            None => None,
        };
        let targets = self.certain_walk(after, ask, ahead.as_ref())?;
        self.certain_preimage(d, &targets, ask, within)
    }

    /// Whether a dimension leads to instances of which none is below another, and nothing
    /// on it is contested or denied: what is recorded is then all there is to a value.
    fn is_plain(&self, d: DimensionId) -> bool {
        let dimension = self.lattice.dimension(d);
        let flat = dimension.is_entity() && dimension.within().is_none();
        flat && self.irregular(d).is_empty()
    }

    /// All values that some of the instances record on an ENTITY dimension.
    fn image(&self, d: DimensionId, set: &RoaringBitmap) -> Result<RoaringBitmap, RunError> {
        let relation = self.lattice.positive(d);
        let mut image = RoaringBitmap::new();
        for x in set {
            self.meter.tick()?;
            image.extend(relation.of(InstanceId(x)).values());
        }
        Ok(image)
    }

    /// The instances with one of these values recorded.
    fn holders_of(
        &self,
        d: DimensionId,
        values: &RoaringBitmap,
    ) -> Result<Gathering<'l>, RunError> {
        let mut ended = Ok(());
        let ticking = values.iter().map_while(|value| {
            ended = self.meter.tick();
            ended.is_ok().then_some(value)
        });
        let mut holders = Gathering::among(self.lattice.instance_count());
        self.lattice
            .positive(d)
            .gather_holders(ticking, &mut holders);
        ended.map(|()| holders)
    }

    /// The instances that certainly have a value among `targets`.
    fn certain_preimage(
        &self,
        d: DimensionId,
        targets: &RoaringBitmap,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let relation = self.lattice.positive(d);
        let counts = ask.confidence <= relation.least_confidence();
        let irregular = self.irregular(d);
        let hit = |x: u32| {
            let row = relation.of(InstanceId(x));
            row.values().iter().enumerate().any(|(k, v)| {
                targets.contains(*v)
                    && (counts || relation.confidence(row.predicate(k)) >= ask.confidence)
            })
        };
        let mut found = RoaringBitmap::new();
        match within {
            Some(set) if set.len() < targets.len() || set.len() < FEW => {
                for x in set {
                    self.meter.tick()?;
                    if !irregular.contains(x) && hit(x) {
                        found.insert(x);
                    }
                }
            }
            _ => {
                let holders = self.holders_of(d, targets)?;
                found = match within {
                    Some(within) => holders.into_set_of(within),
                    None => holders.into_set(),
                };
                found -= irregular.as_ref();
                if !counts {
                    found = found.iter().filter(|&x| hit(x)).collect();
                }
            }
        }
        if irregular.is_empty() {
            return Ok(found);
        }
        let test = self.entity_test(d, ask);
        for x in irregular.as_ref() {
            self.meter.tick()?;
            if within.is_some_and(|set| !set.contains(x)) {
                continue;
            }
            let c = self.coordinate(d, InstanceId(x));
            if self.walks_certainly(&test, &c, |y| targets.contains(y)) {
                found.insert(x);
            }
        }
        Ok(found)
    }

    /// Whether every side (or some uncontested positive) has a value, counting
    /// at the confidence, for which the rest holds.
    pub(super) fn walks_certainly(
        &self,
        test: &StepTest<'_>,
        c: &Coordinate,
        holds: impl Fn(u32) -> bool,
    ) -> bool {
        match &c.shape {
            super::coordinate::Shape::Sides(sides) => sides
                .iter()
                .all(|side| c.counting(side, test.confidence).any(|r| holds(r.value))),
            super::coordinate::Shape::Loose { .. } => {
                c.loose_positives(test.confidence).any(|r| holds(r.value))
            }
        }
    }

    pub(super) fn excluded_walk(
        &self,
        rest: Rest<'_>,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let Some((&d, further)) = rest.path.split_first() else {
            return match rest.test {
                Test::Name(test) => self.not_named(test, within),
                _ => Ok(RoaringBitmap::new()),
            };
        };
        if further.is_empty() && !matches!(rest.test, Test::Name(_)) {
            return match rest.test {
                Test::Has => Ok(self.has_none(d, within)),
                test => self.excluded_step(&self.step_test(d, test, ask, true)?, d, within),
            };
        }
        let test = self.entity_test(d, ask);
        if !test.complete && !test.has_sides() {
            return Ok(RoaringBitmap::new());
        }
        let after = Rest {
            path: further,
            test: rest.test,
        };
        let relation = self.lattice.positive(d);
        let ahead: RoaringBitmap = match within {
            Some(set) => self.image(d, set)?,
            None => relation.distinct_values().iter().copied().collect(),
        };
        let out = self.excluded_walk(after, ask, Some(&ahead))?;
        let irregular = self.irregular(d);
        let mut found = RoaringBitmap::new();
        for x in &self.universe(within) {
            self.meter.tick()?;
            let is_out = if irregular.contains(x) {
                let c = self.coordinate(d, InstanceId(x));
                self.walk_excluded_at(&test, &c, |y| out.contains(y))
            } else {
                let row = relation.of(InstanceId(x));
                let counts = |k: usize| relation.confidence(row.predicate(k)) >= test.confidence;
                let fixed_out = |v: u32| out.contains(v) && test.scale.is_fixed(v);
                (test.complete && row.values().iter().all(|&v| fixed_out(v)))
                    || (test.has_sides()
                        && matches!(row.values(), [v] if fixed_out(*v) && counts(0)))
            };
            if is_out {
                found.insert(x);
            }
        }
        Ok(found)
    }

    /// Whether a path's first step is known completely and every continuation
    /// excluded.
    pub(super) fn walk_excluded_at(
        &self,
        test: &StepTest<'_>,
        c: &Coordinate,
        out: impl Fn(u32) -> bool,
    ) -> bool {
        let fixed_out = |value: u32| test.scale.is_fixed(value) && out(value);
        if test.complete && c.positives.iter().all(|r| fixed_out(r.value)) {
            return true;
        }
        match &c.shape {
            super::coordinate::Shape::Sides(sides) => sides.iter().all(|side| {
                c.counting(side, 0.0).all(|r| out(r.value))
                    && c.counting(side, test.confidence)
                        .any(|r| fixed_out(r.value))
            }),
            super::coordinate::Shape::Loose { .. } => false,
        }
    }

    fn has_value(
        &self,
        d: DimensionId,
        ask: Ask,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        // Any recorded value will do, of whatever kind.
        let every: RoaringBitmap = self
            .lattice
            .positive(d)
            .distinct_values()
            .iter()
            .copied()
            .collect();
        self.certain_preimage(d, &every, ask, within)
    }

    fn has_none(&self, d: DimensionId, within: Option<&RoaringBitmap>) -> RoaringBitmap {
        if !self.lattice.dimension(d).complete {
            return RoaringBitmap::new();
        }
        self.universe(within) - self.lattice.positive(d).subjects()
    }

    pub(super) fn certain_step(
        &self,
        test: &StepTest<'l>,
        d: DimensionId,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        let irregular = self.irregular(d);
        let mut found = self.having(test, d, within)?;
        if irregular.is_empty() {
            return Ok(found);
        }
        found -= irregular.as_ref();
        for x in irregular.as_ref() {
            self.meter.tick()?;
            if within.is_none_or(|set| set.contains(x))
                && test.certain_at(&self.coordinate(d, InstanceId(x)))
            {
                found.insert(x);
            }
        }
        Ok(found)
    }

    pub(super) fn excluded_step(
        &self,
        test: &StepTest<'_>,
        d: DimensionId,
        within: Option<&RoaringBitmap>,
    ) -> Result<RoaringBitmap, RunError> {
        if !test.wanted.closed {
            return Ok(RoaringBitmap::new());
        }
        if test.wanted.certain.is_empty() && test.wanted.possible.is_empty() {
            return Ok(self.universe(within));
        }
        let relation = self.lattice.positive(d);
        let irregular = self.irregular(d);
        let subjects = relation.subjects();
        let closed = test.scale.is_closed();
        let mut found = RoaringBitmap::new();
        if closed && (test.one || test.complete) {
            let compatible = test.compatible_values(relation.distinct_values());
            found = &subjects - self.holders_of(d, &compatible)?.into_set();
            // A ONE value that does not count at the confidence is no witness;
            // over a COMPLETE MANY dimension none is needed.
            if test.one && test.confidence > relation.least_confidence() {
                found = found
                    .iter()
                    .filter(|&x| {
                        let row = relation.of(InstanceId(x));
                        (0..row.len())
                            .any(|k| relation.confidence(row.predicate(k)) >= test.confidence)
                    })
                    .collect();
            }
        }
        if test.complete {
            found |= self.universe(None) - subjects;
        }
        if let Some(within) = within {
            found &= within;
        }
        found -= irregular.as_ref();
        for x in irregular.as_ref() {
            self.meter.tick()?;
            if within.is_none_or(|set| set.contains(x))
                && test.excluded_at(&self.coordinate(d, InstanceId(x)))
            {
                found.insert(x);
            }
        }
        Ok(found)
    }
}
