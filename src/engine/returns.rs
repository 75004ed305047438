//! RETURN: values at the end of paths, rows of walks, counts.

use super::RunError;
use super::run::Run;
use super::sets::Evaluated;
use crate::lattice::{DimensionId, InstanceId, Value, ValueId};
use crate::plan::{Meet, ReturnPath, Returns};
use crate::verdict::{
    Answer, Caveat, Derivation, Members, Reason, RowColumn, RowsAnswer, SetAnswer, Who,
};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The values of one step at one instance.
pub(super) struct StepValues {
    /// Those that RETURN gives, ascending.
    pub values: Vec<u32>,
    /// Those left out because they are contested, ascending.
    pub contested: Vec<u32>,
}

/// What walking a path from some hits gives.
struct Walked {
    /// The values at the end.
    values: RoaringBitmap,
    /// Hits that reach one.
    reaching: RoaringBitmap,
    /// Hits with a contested positive on the way.
    contested: RoaringBitmap,
}

impl<'l> Run<'l> {
    /// The values that RETURN gives for one step at one instance.
    pub(super) fn step_values(&self, d: DimensionId, x: InstanceId, confidence: f64) -> StepValues {
        let relation = self.lattice.positive(d);
        let row = relation.of(x);
        let scale_needed = row.len() > 1 && !self.is_flat(d);
        if !self.irregular(d).contains(x.0) && !scale_needed {
            let values = if confidence <= relation.least_confidence() {
                row.values().to_vec()
            } else {
                row.values()
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| relation.confidence(row.predicate(*k)) >= confidence)
                    .map(|(_, &v)| v)
                    .collect()
            };
            return StepValues {
                values,
                contested: Vec::new(),
            };
        }
        let c = self.coordinate(d, x);
        let agreed: Vec<_> = c.agreed().copied().collect();
        let values: Vec<u32> = agreed.iter().map(|r| r.value).collect();
        let specific = self.scale(d, 0.0).most_specific(&values);
        let all = c.positives.iter().map(|r| r.value);
        StepValues {
            contested: all.filter(|value| !values.contains(value)).collect(),
            values: agreed
                .iter()
                .filter(|r| r.confidence >= confidence && specific.contains(&r.value))
                .map(|r| r.value)
                .collect(),
        }
    }

    /// Whether no two different values of the dimension are comparable.
    pub(super) fn is_flat(&self, d: DimensionId) -> bool {
        match self.lattice.dimension(d).kind {
            crate::lattice::Kind::Number { .. } | crate::lattice::Kind::Date => false,
            _ => self.order(d, 0.0).is_flat(),
        }
    }

    /// Walks a path from all hits at once: forward for the values, then back
    /// for the hits that reach one.
    fn walk(
        &self,
        steps: &[DimensionId],
        hits: &RoaringBitmap,
        confidence: f64,
    ) -> Result<Walked, RunError> {
        let mut frontiers = vec![hits.clone()];
        for &d in steps {
            let relation = self.lattice.positive(d);
            let plain = self.irregular(d).is_empty()
                && (self.is_flat(d) || !relation.has_multiple())
                && confidence <= relation.least_confidence();
            let mut next = RoaringBitmap::new();
            if let Some(frontier) = frontiers.last() {
                for x in frontier {
                    self.meter.tick()?;
                    if plain {
                        next.extend(relation.of(InstanceId(x)).values());
                    } else {
                        next.extend(self.step_values(d, InstanceId(x), confidence).values);
                    }
                }
            }
            self.meter.spend(next.serialized_size() as u64)?;
            frontiers.push(next);
        }
        let values = frontiers.last().cloned().unwrap_or_default();
        let mut reaching = values.clone();
        let mut contested = RoaringBitmap::new();
        for (&d, frontier) in steps.iter().zip(&frontiers).rev() {
            let (mut reach, mut contest) = (RoaringBitmap::new(), RoaringBitmap::new());
            for x in frontier {
                self.meter.tick()?;
                let step = self.step_values(d, InstanceId(x), confidence);
                if step.values.iter().any(|v| reaching.contains(*v)) {
                    reach.insert(x);
                }
                if !step.contested.is_empty() || step.values.iter().any(|v| contested.contains(*v))
                {
                    contest.insert(x);
                }
            }
            (reaching, contested) = (reach, contest);
        }
        Ok(Walked {
            values,
            reaching,
            contested,
        })
    }

    /// Whether a positive is left out on the way of a path because it is contested.
    pub(super) fn returns_contested(
        &self,
        steps: &[DimensionId],
        x: InstanceId,
    ) -> Result<bool, RunError> {
        let walked = self.walk(steps, &RoaringBitmap::from_iter([x.0]), 0.0)?;
        Ok(!walked.contested.is_empty())
    }

    /// The answer of a MEET with these hits.
    pub(super) fn give_back(
        &self,
        meet: &Meet,
        hits: RoaringBitmap,
    ) -> Result<Evaluated, RunError> {
        match &meet.returns {
            Returns::Instances => Ok(Evaluated::found(hits)),
            Returns::Path(path) => self.return_path(path, hits, meet.confidence),
            Returns::Rows(paths) => self.return_rows(paths, hits, meet.confidence),
            Returns::Count(path) => self.count(meet, path.as_ref(), hits),
        }
    }

    /// `RETURN p` from certain hits.
    pub(super) fn return_path(
        &self,
        path: &ReturnPath,
        hits: RoaringBitmap,
        confidence: f64,
    ) -> Result<Evaluated, RunError> {
        let walked = self.walk(&path.steps, &hits, confidence)?;
        let members = self.members_at(path, walked.values.clone())?;
        if members.is_empty() {
            let reason = self.nothing_returned(&path.text, &[path], &hits, &walked.contested)?;
            return Ok(Evaluated::abstained(reason, hits, true));
        }
        let answer = Answer::Set(SetAnswer {
            members: members.clone(),
            possibly: RoaringBitmap::new(),
            without_value: (&hits - &walked.reaching).len(),
            contested: walked.contested,
            caveat: Caveat::default(),
        });
        Ok(Evaluated::answered(answer, hits, members))
    }

    /// Why a RETURN gave nothing: contested values, or none at all.
    fn nothing_returned(
        &self,
        text: &str,
        paths: &[&ReturnPath],
        hits: &RoaringBitmap,
        contested: &RoaringBitmap,
    ) -> Result<Reason, RunError> {
        if contested.is_empty() {
            return Ok(Reason::Missing {
                path: text.to_owned(),
                instances: hits.iter().map(InstanceId).collect(),
            });
        }
        let mut sides = Vec::new();
        for x in contested {
            let mut values = Vec::new();
            for path in paths {
                values.extend(self.printed_ends(&path.steps, path.name, InstanceId(x))?);
            }
            values.sort();
            values.dedup();
            sides.push((Who::Instance(InstanceId(x)), values));
        }
        Ok(Reason::Incomparable {
            path: text.to_owned(),
            contested: true,
            sides,
        })
    }

    pub(super) fn return_rows(
        &self,
        paths: &[ReturnPath],
        hits: RoaringBitmap,
        confidence: f64,
    ) -> Result<Evaluated, RunError> {
        let tree = PathTree::of(paths);
        let mut rows = BTreeSet::new();
        let mut without_value = 0;
        let mut contested = RoaringBitmap::new();
        for x in &hits {
            let mut is_contested = false;
            let found = self.rows_from(
                &tree,
                paths.len(),
                InstanceId(x),
                confidence,
                &mut is_contested,
            )?;
            if is_contested {
                contested.insert(x);
            }
            let before = rows.len();
            let mut any = false;
            for row in found {
                if row.iter().any(Option::is_some) {
                    any = true;
                    rows.insert(row);
                }
            }
            self.meter
                .spend(((rows.len() - before) * paths.len() * 48) as u64)?;
            if !any {
                without_value += 1;
            }
        }
        let texts: Vec<&str> = paths.iter().map(|path| path.text.as_str()).collect();
        if rows.is_empty() {
            let all: Vec<&ReturnPath> = paths.iter().collect();
            let reason = self.nothing_returned(&texts.join(", "), &all, &hits, &contested)?;
            return Ok(Evaluated::abstained(reason, hits, true));
        }
        let columns = paths
            .iter()
            .map(|path| RowColumn {
                path: path.text.clone(),
                dimension: path.steps.last().copied().filter(|_| !path.name),
            })
            .collect();
        let answer = Answer::Rows(RowsAnswer {
            columns,
            rows: rows.into_iter().collect(),
            possibly: RoaringBitmap::new(),
            without_value,
            contested,
            caveat: Caveat::default(),
        });
        Ok(Evaluated::answered(
            answer,
            hits,
            Members::Instances(RoaringBitmap::new()),
        ))
    }

    /// The rows that start at one instance: every combination of the walks of
    /// the branches, shared beginnings walked once.
    fn rows_from(
        &self,
        tree: &PathTree,
        width: usize,
        x: InstanceId,
        confidence: f64,
        contested: &mut bool,
    ) -> Result<Vec<Vec<Option<Value>>>, RunError> {
        let mut rows = vec![vec![None; width]];
        if !tree.names.is_empty() {
            let names = self.names_of(&RoaringBitmap::from_iter([x.0]))?;
            let options: Vec<Vec<Option<Value>>> = names
                .into_iter()
                .map(|name| fill(width, &tree.names, &Value::Text(name)))
                .collect();
            rows = product(&rows, &options);
        }
        for (d, branch) in &tree.branches {
            let step = self.step_values(*d, x, confidence);
            *contested |= !step.contested.is_empty();
            let mut options = Vec::new();
            for v in step.values {
                self.meter.tick()?;
                let value = self.lattice.value(*d, ValueId(v));
                let here = fill(width, &branch.ends, &value);
                let further = if branch.is_leaf() {
                    vec![vec![None; width]]
                } else {
                    self.rows_from(branch, width, InstanceId(v), confidence, contested)?
                };
                options.extend(product(&[here], &further));
            }
            if options.is_empty() {
                options.push(vec![None; width]);
            }
            self.meter
                .spend((rows.len() * options.len() * width * 48) as u64)?;
            rows = product(&rows, &options);
        }
        Ok(rows)
    }

    fn count(
        &self,
        meet: &Meet,
        path: Option<&ReturnPath>,
        hits: RoaringBitmap,
    ) -> Result<Evaluated, RunError> {
        let mut from = Vec::new();
        let possible = self.possible_hits(meet, &hits)?;
        if !possible.is_empty() {
            from.push(Derivation::Possible(possible.len()));
        }
        let (count, of) = match path {
            None => (hits.len(), "instances".to_owned()),
            Some(path) => {
                from.extend(
                    self.open_steps(&path.steps)
                        .into_iter()
                        .map(|d| Derivation::Open(self.lattice.dimension(d).name.clone())),
                );
                let walked = self.walk(&path.steps, &hits, meet.confidence)?;
                if !walked.contested.is_empty() {
                    from.push(Derivation::Contested);
                }
                let count = if path.name {
                    self.names_of(&walked.values)?.len() as u64
                } else {
                    walked.values.len()
                };
                (count, path.text.clone())
            }
        };
        from.sort();
        from.dedup();
        if !from.is_empty() {
            let reason = Reason::Derived { what: of, from };
            return Ok(Evaluated::abstained(reason, hits, true));
        }
        let answer = Answer::Count {
            count,
            of,
            possibly: RoaringBitmap::new(),
        };
        Ok(Evaluated::answered(
            answer,
            hits,
            Members::Instances(RoaringBitmap::new()),
        ))
    }

    /// The steps that are not COMPLETE, ascending, once each.
    pub(super) fn open_steps(&self, steps: &[DimensionId]) -> Vec<DimensionId> {
        let mut open: Vec<DimensionId> = steps
            .iter()
            .copied()
            .filter(|&d| !self.lattice.dimension(d).complete)
            .collect();
        open.sort();
        open.dedup();
        open
    }
}

/// A set with nothing to note.
pub(super) fn plain_set(members: Members) -> SetAnswer {
    SetAnswer {
        members,
        possibly: RoaringBitmap::new(),
        without_value: 0,
        contested: RoaringBitmap::new(),
        caveat: Caveat::default(),
    }
}

/// Paths that share their beginnings.
#[derive(Default)]
pub(super) struct PathTree {
    /// Columns that end here.
    pub ends: Vec<usize>,
    /// Columns that take the name of what is here.
    pub names: Vec<usize>,
    /// The steps that go on, in the order in which paths first take them.
    pub branches: Vec<(DimensionId, Rc<PathTree>)>,
}

impl PathTree {
    pub(super) fn of(paths: &[ReturnPath]) -> PathTree {
        let columns: Vec<(usize, &ReturnPath)> = paths.iter().enumerate().collect();
        PathTree::at(&columns, 0)
    }

    fn at(columns: &[(usize, &ReturnPath)], depth: usize) -> PathTree {
        let mut tree = PathTree::default();
        let mut groups: Vec<(DimensionId, Vec<(usize, &ReturnPath)>)> = Vec::new();
        for &(column, path) in columns {
            match path.steps.get(depth) {
                None if path.name => tree.names.push(column),
                None => tree.ends.push(column),
                Some(&d) => match groups.iter_mut().find(|(known, _)| *known == d) {
                    Some((_, group)) => group.push((column, path)),
                    None => groups.push((d, vec![(column, path)])),
                },
            }
        }
        tree.branches = groups
            .into_iter()
            .map(|(d, group)| (d, Rc::new(PathTree::at(&group, depth + 1))))
            .collect();
        tree
    }

    fn is_leaf(&self) -> bool {
        self.names.is_empty() && self.branches.is_empty()
    }
}

fn fill(width: usize, columns: &[usize], value: &Value) -> Vec<Option<Value>> {
    (0..width)
        .map(|k| columns.contains(&k).then(|| value.clone()))
        .collect()
}

/// Every row of one list completed by every row of the other; their filled
/// columns are disjoint.
fn product(a: &[Vec<Option<Value>>], b: &[Vec<Option<Value>>]) -> Vec<Vec<Option<Value>>> {
    a.iter()
        .flat_map(|x| {
            b.iter().map(move |y| {
                x.iter()
                    .zip(y)
                    .map(|(p, q)| p.clone().or_else(|| q.clone()))
                    .collect()
            })
        })
        .collect()
}
