//! RETURN: values, rows and counts.

use super::audit::Audit;
use super::coordinate::Coordinate;
use super::facts::Fact;
use super::meet::{MeetRun, bitmap, instance_ids};
use super::names::names;
use super::query::{Operand, Steps};
use super::reading::reading_of;
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::verdict::{
    Answer, Caveat, Derivation, Members, Reason, RowColumn, RowsAnswer, SetAnswer, Who,
};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};

/// A step of a walk: the dimension and the predicate.
pub(super) type Leg = (DimensionId, Fact);

/// A value at the end of a path, with the first walk to it.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    pub(super) value: Value,
    pub(super) hit: u32,
    pub(super) walk: Vec<Leg>,
}

/// A row with the first walks to its cells.
#[derive(Clone, Debug)]
pub(super) struct FoundRow {
    pub(super) hit: u32,
    pub(super) walks: Vec<Option<Vec<Leg>>>,
}

/// One way through the tree of paths: a cell and a walk for each column.
type Way = BTreeMap<usize, (Value, Vec<Leg>)>;

impl Audit<'_> {
    /// The answer of RETURN.
    pub(super) fn returned(
        &self,
        paths: &[Steps],
        hits: &[u32],
        t: f64,
        possibly: RoaringBitmap,
        caveat: Caveat,
    ) -> Result<Answer, Reason> {
        let contested: Vec<u32> = hits
            .iter()
            .copied()
            .filter(|&x| paths.iter().any(|path| self.contested_on(x, path, t)))
            .collect();
        let without_value = hits
            .iter()
            .filter(|&&x| !paths.iter().any(|path| self.has_value(x, path, t)))
            .count();
        if without_value == hits.len() {
            return Err(self.no_value(paths, hits, &contested));
        }
        let without_value = without_value as u64;
        let contested = bitmap(&contested);
        match paths {
            [path] => Ok(Answer::Set(SetAnswer {
                members: self.members(path, hits, t),
                possibly,
                without_value,
                contested,
                caveat,
            })),
            several => Ok(Answer::Rows(RowsAnswer {
                columns: several.iter().map(column_of).collect(),
                rows: self.rows(several, hits, t).into_keys().collect(),
                possibly,
                without_value,
                contested,
                caveat,
            })),
        }
    }

    fn no_value(&self, paths: &[Steps], hits: &[u32], contested: &[u32]) -> Reason {
        let texts: Vec<&str> = paths.iter().map(|path| path.text.as_str()).collect();
        let path = texts.join(", ");
        if contested.is_empty() {
            return Reason::Missing {
                path,
                instances: instance_ids(hits),
            };
        }
        let sides = contested.iter().map(|&x| {
            let mut values: Vec<String> = paths
                .iter()
                .flat_map(|path| self.printed_ends(x, path))
                .collect();
            values.sort();
            values.dedup();
            (Who::Instance(InstanceId(x)), values)
        });
        Reason::Incomparable {
            path,
            contested: true,
            sides: sides.collect(),
        }
    }

    /// Everything at the end of a path, printed, sorted: along every positive
    /// predicate.
    pub(super) fn printed_ends(&self, x: u32, path: &Steps) -> Vec<String> {
        let ends = self.all_ends(&path.dimensions, &BTreeSet::from([x]));
        let mut values: Vec<String> = match (path.name, path.dimensions.last()) {
            (false, Some(&d)) => ends.iter().map(|&v| self.printed(d, v)).collect(),
            _ => ends.iter().flat_map(|&y| names(self.lattice, y)).collect(),
        };
        values.sort();
        values.dedup();
        values
    }

    /// Whether a contested positive lies on the way.
    fn contested_on(&self, x: u32, path: &Steps, t: f64) -> bool {
        let mut at = BTreeSet::from([x]);
        for column in path.dimensions.iter().filter_map(|&d| self.facts.column(d)) {
            let mut next = BTreeSet::new();
            for &y in &at {
                let coordinate = Coordinate::new(column, y);
                if coordinate.any_contested() {
                    return true;
                }
                next.extend(coordinate.step(t).iter().map(|fact| fact.value));
            }
            at = next;
        }
        false
    }

    fn has_value(&self, x: u32, path: &Steps, t: f64) -> bool {
        !self.first_walks(path, &[x], t).is_empty()
    }

    fn members(&self, path: &Steps, hits: &[u32], t: f64) -> Members {
        let ends = self.first_walks(path, hits, t);
        match (path.name, path.dimensions.last()) {
            (false, Some(&d)) if self.is_entity(d) => {
                Members::Instances(ends.iter().map(|(value, ..)| *value).collect())
            }
            (false, Some(&d)) => {
                Members::Values(d, ends.iter().map(|(value, ..)| *value).collect())
            }
            _ => {
                let all = ends.iter().flat_map(|(y, ..)| names(self.lattice, *y));
                Members::Texts(all.collect())
            }
        }
    }

    fn is_entity(&self, d: DimensionId) -> bool {
        self.facts
            .column(d)
            .is_some_and(|column| column.is_entity())
    }

    /// The values at the end of the steps, each with its hit and its first
    /// walk, in the order of their walks. Breadth first: what is found first
    /// is found along the least walk of the least hit.
    fn first_walks(&self, path: &Steps, hits: &[u32], t: f64) -> Vec<(u32, u32, Vec<Leg>)> {
        // Each layer: value, place of its parent in the layer before, leg.
        let mut layers: Vec<Vec<(u32, usize, Option<Leg>)>> =
            vec![hits.iter().map(|&x| (x, 0, None)).collect()];
        for &d in &path.dimensions {
            let Some(column) = self.facts.column(d) else {
                continue;
            };
            let mut seen = BTreeSet::new();
            let mut next = Vec::new();
            for (place, (y, ..)) in layers.last().into_iter().flatten().enumerate() {
                for fact in Coordinate::new(column, *y).step(t) {
                    if seen.insert(fact.value) {
                        next.push((fact.value, place, Some((d, *fact))));
                    }
                }
            }
            layers.push(next);
        }
        let last = layers.last().map_or(0, Vec::len);
        let ends = (0..last).filter_map(|at| {
            let (value, ..) = layers.last()?.get(at)?;
            let mut walk = Vec::new();
            let mut place = at;
            for layer in layers.iter().skip(1).rev() {
                let (_, parent, leg) = layer.get(place)?;
                walk.extend(*leg);
                place = *parent;
            }
            let (hit, ..) = layers.first()?.get(place)?;
            walk.reverse();
            Some((*value, *hit, walk))
        });
        ends.collect()
    }

    /// The values of one path with their first walks, ascending.
    pub(super) fn returned_walks(&self, path: &Steps, hits: &[u32], t: f64) -> Vec<Returned> {
        let ends = self.first_walks(path, hits, t);
        let mut found: BTreeMap<Value, Returned> = BTreeMap::new();
        for (end, hit, walk) in ends {
            let values: Vec<Value> = match (path.name, path.dimensions.last()) {
                (false, Some(&d)) => vec![self.lattice.value(d, ValueId(end))],
                _ => names(self.lattice, end)
                    .into_iter()
                    .map(Value::Text)
                    .collect(),
            };
            for value in values {
                found.entry(value.clone()).or_insert_with(|| Returned {
                    value,
                    hit,
                    walk: walk.clone(),
                });
            }
        }
        found.into_values().collect()
    }

    /// Distinct rows, each with the first walks to it.
    pub(super) fn rows(
        &self,
        paths: &[Steps],
        hits: &[u32],
        t: f64,
    ) -> BTreeMap<Vec<Option<Value>>, FoundRow> {
        let columns: Vec<usize> = (0..paths.len()).collect();
        let mut rows: BTreeMap<Vec<Option<Value>>, FoundRow> = BTreeMap::new();
        for &hit in hits {
            for mut way in self.ways(paths, &columns, 0, None, hit, &[], t) {
                if way.is_empty() {
                    continue;
                }
                let (cells, walks) = columns
                    .iter()
                    .map(|column| match way.remove(column) {
                        Some((value, walk)) => (Some(value), Some(walk)),
                        None => (None, None),
                    })
                    .unzip();
                rows.entry(cells).or_insert(FoundRow { hit, walks });
            }
        }
        rows
    }

    /// The ways through the part of the tree of paths that begins alike: those
    /// `columns` whose paths share their first `depth` steps, the last of which
    /// has led to `value`.
    #[allow(clippy::too_many_arguments)]
    fn ways(
        &self,
        paths: &[Steps],
        columns: &[usize],
        depth: usize,
        through: Option<DimensionId>,
        value: u32,
        walk: &[Leg],
        t: f64,
    ) -> Vec<Way> {
        let mut ways: Vec<Way> = vec![Way::new()];
        let mut branches: Vec<(DimensionId, Vec<usize>)> = Vec::new();
        let (mut ends, mut called) = (Vec::new(), Vec::new());
        for &column in columns {
            let Some(path) = paths.get(column) else {
                continue;
            };
            match (path.dimensions.get(depth), path.name) {
                (Some(&d), _) => match branches.iter_mut().find(|(known, _)| *known == d) {
                    Some((_, of)) => of.push(column),
                    None => branches.push((d, vec![column])),
                },
                (None, true) => called.push(column),
                (None, false) => ends.push(column),
            }
        }
        // The same path twice is one walk, with the same cell twice.
        let alike = |of: &[usize], cells: Vec<Value>| -> Vec<Way> {
            let way = |cell: Value| {
                let columns = of.iter();
                columns
                    .map(|&column| (column, (cell.clone(), walk.to_vec())))
                    .collect()
            };
            cells.into_iter().map(way).collect()
        };
        if !called.is_empty() {
            let names = names(self.lattice, value).into_iter().map(Value::Text);
            ways = product(ways, alike(&called, names.collect()));
        }
        if !ends.is_empty() {
            let end = through.map(|d| self.lattice.value(d, ValueId(value)));
            ways = product(ways, alike(&ends, end.into_iter().collect()));
        }
        for (d, of) in branches {
            let Some(column) = self.facts.column(d) else {
                continue;
            };
            let mut branch = Vec::new();
            for fact in Coordinate::new(column, value).step(t) {
                let mut longer = walk.to_vec();
                longer.push((d, *fact));
                branch.extend(self.ways(paths, &of, depth + 1, Some(d), fact.value, &longer, t));
            }
            ways = product(ways, branch);
        }
        ways
    }

    /// RETURN COUNT.
    pub(super) fn counted(
        &self,
        path: Option<&Steps>,
        run: &MeetRun,
        t: f64,
        possibly: RoaringBitmap,
    ) -> Result<Answer, Reason> {
        let what = path.map_or("instances", |path| &path.text).to_owned();
        let mut from = Vec::new();
        if !run.possible.is_empty() {
            from.push(Derivation::Possible(run.possible.len() as u64));
        }
        if let Some(path) = path {
            from.extend(self.open_for_counting(path));
            if run.hits.iter().any(|&x| self.contested_on(x, path, t)) {
                from.push(Derivation::Contested);
            }
        }
        if !from.is_empty() {
            from.sort();
            from.dedup();
            return Err(Reason::Derived { what, from });
        }
        let count = match path {
            None => run.hits.len() as u64,
            Some(path) => self.members(path, &run.hits, t).len(),
        };
        Ok(Answer::Count {
            count,
            of: what,
            possibly,
        })
    }

    /// The steps that are not COMPLETE.
    pub(super) fn open_for_counting(&self, path: &Steps) -> Vec<Derivation> {
        path.dimensions
            .iter()
            .filter_map(|&d| self.facts.column(d))
            .filter(|column| !column.complete)
            .map(|column| Derivation::Open(column.name.clone()))
            .collect()
    }

    /// For `BY COUNT`: how many distinct values, and whether one on the way is
    /// contested.
    pub(super) fn count_at(&self, x: u32, path: &Steps) -> (u64, bool) {
        (
            reading_of(self.facts, &Operand::Instance(x), path)
                .values
                .len() as u64,
            self.contested_on(x, path, 0.0),
        )
    }
}

fn column_of(path: &Steps) -> RowColumn {
    RowColumn {
        path: path.text.clone(),
        dimension: match path.name {
            true => None,
            false => path.dimensions.last().copied(),
        },
    }
}

/// Every way of the one with every way of the other; a branch without any
/// leaves its cells empty.
fn product(ways: Vec<Way>, branch: Vec<Way>) -> Vec<Way> {
    if branch.is_empty() {
        return ways;
    }
    let mut all = Vec::with_capacity(ways.len() * branch.len());
    for way in &ways {
        for other in &branch {
            let mut both = way.clone();
            both.extend(other.iter().map(|(k, v)| (*k, v.clone())));
            all.push(both);
        }
    }
    all
}
