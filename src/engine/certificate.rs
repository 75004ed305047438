//! The certificate of a verdict, written one piece after the other.

use super::RunError;
use super::bound::Asked;
use super::proof::{
    Hit, InLattice, Listed, PredicateRef, ReadingProof, Returned, RowProof, read_predicate,
};
use super::prove::condition_text;
use super::returns::PathTree;
use super::run::Run;
use super::sets::Evaluated;
use super::truth::Ask;
use crate::lattice::{DimensionId, InstanceId, PredicateId, Value, ValueId};
use crate::plan::{
    Compare, Condition, Meet, Plan, QueryId, ReturnPath, Returns, SetOperand, Step, StepKind,
};
use crate::syntax::print_query;
use crate::verdict::{Outcome, Verdict};
use roaring::RoaringBitmap;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

/// The version of the form.
pub const CERTIFICATE_VERSION: u32 = 1;

/// Passes bytes on and hashes them.
struct Hashing<'w> {
    out: &'w mut dyn Write,
    hasher: blake3::Hasher,
}

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        if let Some(done) = bytes.get(..written) {
            self.hasher.update(done);
        }
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Hashing<'_> {
    fn raw(&mut self, text: &str) -> Result<(), RunError> {
        Ok(self.write_all(text.as_bytes())?)
    }
    fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), RunError> {
        serde_json::to_writer(&mut *self, value).map_err(io::Error::from)?;
        Ok(())
    }
    fn entry<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), RunError> {
        self.raw(",\"")?;
        self.raw(key)?;
        self.raw("\":")?;
        self.json(value)
    }
}

/// Writes the certificate of a verdict. `run` is the execution that gave it, or
/// none if words were not found.
pub(super) fn write(
    lattice: &crate::lattice::Lattice,
    verdict: &Verdict,
    run: Option<(&Run<'_>, &Plan)>,
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let mut out = Hashing {
        out,
        hasher: blake3::Hasher::new(),
    };
    out.raw(&format!("{{\"certificate\":{CERTIFICATE_VERSION}"))?;
    out.entry("lattice", &lattice.content_hash().to_string())?;
    out.entry("plan", &print_query(&verdict.query))?;
    out.raw(",\"steps\":[")?;
    if let Some((run, plan)) = run {
        steps(run, plan, &mut out)?;
    }
    out.raw("],\"verdict\":")?;
    out.json(&verdict.in_lattice(lattice))?;
    let digest = out.hasher.finalize().to_hex();
    out.raw(&format!(",\"digest\":\"b3:{digest}\"}}\n"))?;
    out.flush()?;
    Ok(())
}

/// Writes hits of the outermost query with their proofs.
pub(super) fn write_hits(
    run: &Run<'_>,
    hits: &[InstanceId],
    out: &mut dyn Write,
) -> Result<(), RunError> {
    let mut out = Hashing {
        out,
        hasher: blake3::Hasher::new(),
    };
    out.raw("[")?;
    if let Some(StepKind::Meet(meet)) = run.plan.steps.last().map(|step| &step.kind) {
        run.write_hits(meet, hits.iter().copied(), &mut out)?;
    }
    out.raw("]")
}

fn steps(run: &Run<'_>, plan: &Plan, out: &mut Hashing<'_>) -> Result<(), RunError> {
    let whole = QueryId(plan.steps.len().saturating_sub(1));
    // An operand with two meanings belongs to the looking up of words.
    if run.ambiguous_operands()?.is_some() {
        return Ok(());
    }
    let last = match run.evaluated(whole)?.reason() {
        Some(reason) => culprit(run, plan, whole, reason.code())?,
        None => whole,
    };
    let mut first = true;
    for (k, step) in plan.steps.iter().enumerate() {
        if matches!(step.kind, StepKind::Decline(_)) {
            continue;
        }
        if !first {
            out.raw(",")?;
        }
        first = false;
        let evaluated = run.evaluated(QueryId(k))?;
        run.write_step(step, &evaluated, out)?;
        if k == last.0 {
            break;
        }
    }
    Ok(())
}

/// The query whose abstention became the whole one's: the first inner one, in
/// the order of the text, that passed a reason of this code on; else the query
/// itself.
fn culprit(run: &Run<'_>, plan: &Plan, id: QueryId, code: &str) -> Result<QueryId, RunError> {
    let (inner, operands) = match plan.step(id).map(|step| &step.kind) {
        Some(StepKind::Meet(meet)) => (meet.inner.clone(), false),
        Some(StepKind::Compare(compare)) => match compare.as_ref() {
            Compare::Holds { inner, .. } => (inner.clone(), false),
            Compare::Sets { left, right, .. } => (queries_of(&[left, right]), true),
            Compare::Extremum { of, .. } => (queries_of(&[of]), true),
            Compare::Relate { .. } | Compare::Order { .. } | Compare::Bound { .. } => {
                (Vec::new(), false)
            }
        },
        _ => (Vec::new(), false),
    };
    for id in inner {
        let evaluated = run.evaluated(id)?;
        // An operand passes every reason on; a set inside a MEET does not.
        let reason = if operands {
            evaluated.reason()
        } else {
            evaluated.passed_on()
        };
        if reason.is_some_and(|reason| reason.code() == code) {
            return culprit(run, plan, id, code);
        }
    }
    Ok(id)
}

fn queries_of(operands: &[&SetOperand]) -> Vec<QueryId> {
    operands
        .iter()
        .filter_map(|operand| match operand {
            SetOperand::Query(id) => Some(*id),
            SetOperand::Instances(_) => None,
        })
        .collect()
}

impl<'l> Run<'l> {
    fn write_step(
        &self,
        step: &Step,
        evaluated: &Evaluated,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        match &step.kind {
            StepKind::Meet(meet) => {
                out.raw("{\"meet\":")?;
                out.json(&step.text())?;
                self.write_meet(meet, evaluated, out)?;
            }
            StepKind::Compare(compare) => {
                out.raw("{\"compare\":")?;
                out.json(&step.text())?;
                self.write_compare(compare, evaluated, out)?;
            }
            StepKind::Decline(_) => out.raw("{")?,
        }
        if let Outcome::Abstention(abstention) = &evaluated.outcome {
            out.entry("abstains", abstention.reason.code())?;
        }
        out.raw("}")
    }

    fn write_meet(
        &self,
        meet: &Meet,
        evaluated: &Evaluated,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        out.raw(",\"hits\":[")?;
        self.write_hits(meet, evaluated.hits().iter().map(InstanceId), out)?;
        out.raw("]")?;
        if matches!(evaluated.outcome, Outcome::Answer(_)) {
            self.write_returns(&meet.returns, evaluated.hits(), meet.confidence, out)?;
        }
        Ok(())
    }

    fn write_hits(
        &self,
        meet: &Meet,
        hits: impl Iterator<Item = InstanceId>,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        let ask = Ask {
            confidence: meet.confidence,
        };
        for (k, x) in hits.enumerate() {
            self.meter.check()?;
            if k > 0 {
                out.raw(",")?;
            }
            let hit = self.hit(&meet.conditions, x, ask)?;
            out.json(&InLattice(self.lattice, &hit))?;
        }
        Ok(())
    }

    /// One hit with its proofs.
    pub(super) fn hit(
        &self,
        conditions: &[Condition],
        x: InstanceId,
        ask: Ask,
    ) -> Result<Hit, RunError> {
        let because: Result<Vec<_>, RunError> = conditions
            .iter()
            .map(|condition| self.prove(condition, x, ask))
            .collect();
        Ok(Hit {
            instance: x,
            because: because?,
        })
    }

    fn write_returns(
        &self,
        returns: &Returns,
        hits: &RoaringBitmap,
        confidence: f64,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        match returns {
            Returns::Instances | Returns::Count(None) => Ok(()),
            Returns::Path(path) | Returns::Count(Some(path)) => {
                out.raw(",\"returns\":[")?;
                for (k, returned) in self.returned(path, hits, confidence)?.iter().enumerate() {
                    if k > 0 {
                        out.raw(",")?;
                    }
                    out.json(&InLattice(self.lattice, returned))?;
                }
                out.raw("]")
            }
            Returns::Rows(paths) => {
                out.raw(",\"rows\":[")?;
                for (k, row) in self.row_proofs(paths, hits, confidence)?.iter().enumerate() {
                    if k > 0 {
                        out.raw(",")?;
                    }
                    out.json(&InLattice(self.lattice, row))?;
                }
                out.raw("]")
            }
        }
    }

    /// The values of a path with the first walk to each: least hit, then least
    /// predicates.
    pub(super) fn returned(
        &self,
        path: &ReturnPath,
        hits: &RoaringBitmap,
        confidence: f64,
    ) -> Result<Vec<Returned>, RunError> {
        let mut found: BTreeMap<Value, (InstanceId, Vec<PredicateRef>)> = BTreeMap::new();
        // A node that was passed at a depth has given all its ends to an
        // earlier walk.
        let mut passed: HashSet<(usize, u32)> = HashSet::new();
        for x in hits {
            let mut walk = Vec::new();
            let from = (InstanceId(x), 0);
            self.first_walks(
                path,
                from,
                InstanceId(x),
                confidence,
                &mut walk,
                &mut passed,
                &mut found,
            )?;
        }
        found
            .into_iter()
            .map(|(value, (hit, walk))| {
                Ok(Returned {
                    value,
                    hit,
                    walk: self.read_walk(&walk)?,
                })
            })
            .collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn first_walks(
        &self,
        path: &ReturnPath,
        (hit, depth): (InstanceId, usize),
        at: InstanceId,
        confidence: f64,
        walk: &mut Vec<PredicateRef>,
        passed: &mut HashSet<(usize, u32)>,
        found: &mut BTreeMap<Value, (InstanceId, Vec<PredicateRef>)>,
    ) -> Result<(), RunError> {
        self.meter.tick()?;
        if !passed.insert((depth, at.0)) {
            return Ok(());
        }
        let Some(&d) = path.steps.get(depth) else {
            if path.name {
                for name in self.names_of(&RoaringBitmap::from_iter([at.0]))? {
                    found
                        .entry(Value::Text(name))
                        .or_insert_with(|| (hit, walk.clone()));
                }
            }
            return Ok(());
        };
        let last = depth + 1 == path.steps.len() && !path.name;
        for v in self.step_values(d, at, confidence).values {
            let Some(predicate) = self.lattice.positive(d).of(at).find(ValueId(v)) else {
                continue;
            };
            walk.push(positive(d, predicate));
            if last {
                found
                    .entry(self.lattice.value(d, ValueId(v)))
                    .or_insert_with(|| (hit, walk.clone()));
            } else {
                self.first_walks(
                    path,
                    (hit, depth + 1),
                    InstanceId(v),
                    confidence,
                    walk,
                    passed,
                    found,
                )?;
            }
            walk.pop();
        }
        Ok(())
    }

    pub(super) fn read_walk(
        &self,
        walk: &[PredicateRef],
    ) -> Result<Vec<super::proof::Predicate>, RunError> {
        walk.iter()
            .map(|&of| read_predicate(self.lattice, of))
            .collect()
    }

    fn row_proofs(
        &self,
        paths: &[ReturnPath],
        hits: &RoaringBitmap,
        confidence: f64,
    ) -> Result<Vec<RowProof>, RunError> {
        let tree = PathTree::of(paths);
        let mut found: BTreeMap<Vec<Option<Value>>, (InstanceId, Walks)> = BTreeMap::new();
        for x in hits {
            let x = InstanceId(x);
            let mut walk = Vec::new();
            let mut here: BTreeMap<Vec<Option<Value>>, Walks> = BTreeMap::new();
            for row in self.walked_rows(&tree, paths.len(), x, confidence, &mut walk)? {
                let (cells, walks): (Vec<Option<Value>>, Walks) = row
                    .into_iter()
                    .map(|cell| cell.map_or((None, None), |(v, w)| (Some(v), Some(w))))
                    .unzip();
                if cells.iter().all(Option::is_none) {
                    continue;
                }
                here.entry(cells)
                    .and_modify(|least| {
                        if walks < *least {
                            least.clone_from(&walks);
                        }
                    })
                    .or_insert(walks);
            }
            for (cells, walks) in here {
                found.entry(cells).or_insert((x, walks));
            }
        }
        found
            .into_iter()
            .map(|(cells, (hit, walks))| {
                let walks: Result<Vec<_>, RunError> = walks
                    .iter()
                    .map(|walk| walk.as_ref().map(|walk| self.read_walk(walk)).transpose())
                    .collect();
                Ok(RowProof {
                    cells,
                    hit,
                    walks: walks?,
                })
            })
            .collect()
    }

    /// As the rows of RETURN, with the walk behind each cell.
    fn walked_rows(
        &self,
        tree: &PathTree,
        width: usize,
        x: InstanceId,
        confidence: f64,
        walk: &mut Vec<PredicateRef>,
    ) -> Result<Vec<WalkedRow>, RunError> {
        self.meter.tick()?;
        let mut rows: Vec<WalkedRow> = vec![vec![None; width]];
        if !tree.names.is_empty() {
            let names = self.names_of(&RoaringBitmap::from_iter([x.0]))?;
            let options: Vec<WalkedRow> = names
                .into_iter()
                .map(|name| filled(width, &tree.names, &Value::Text(name), walk))
                .collect();
            rows = joined(&rows, &options);
        }
        for (d, branch) in &tree.branches {
            let mut options: Vec<WalkedRow> = Vec::new();
            for v in self.step_values(*d, x, confidence).values {
                let Some(predicate) = self.lattice.positive(*d).of(x).find(ValueId(v)) else {
                    continue;
                };
                walk.push(positive(*d, predicate));
                let value = self.lattice.value(*d, ValueId(v));
                let here = filled(width, &branch.ends, &value, walk);
                let further = if branch.names.is_empty() && branch.branches.is_empty() {
                    vec![vec![None; width]]
                } else {
                    self.walked_rows(branch, width, InstanceId(v), confidence, walk)?
                };
                walk.pop();
                options.extend(joined(&[here], &further));
            }
            if options.is_empty() {
                options.push(vec![None; width]);
            }
            rows = joined(&rows, &options);
        }
        Ok(rows)
    }

    fn write_compare(
        &self,
        compare: &Compare,
        evaluated: &Evaluated,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        match compare {
            Compare::Relate {
                left, right, by, ..
            }
            | Compare::Order { left, right, by } => {
                let readings = [
                    self.operand_proof(left, by)?,
                    self.operand_proof(right, by)?,
                ];
                self.write_readings(&readings, out)
            }
            Compare::Extremum {
                of, by, returns, ..
            } => {
                let candidates = match of {
                    SetOperand::Instances(list) => list.iter().map(|i| i.0).collect(),
                    SetOperand::Query(id) => match self.evaluated(*id)?.certain() {
                        crate::verdict::Members::Instances(set) => set.clone(),
                        _ => RoaringBitmap::new(),
                    },
                };
                let mut readings = Vec::new();
                for x in &candidates {
                    readings.push(self.instance_proof(InstanceId(x), by)?);
                }
                self.write_readings(&readings, out)?;
                if matches!(evaluated.outcome, Outcome::Answer(_)) {
                    self.write_returns(returns, evaluated.hits(), 0.0, out)?;
                }
                Ok(())
            }
            Compare::Holds {
                subject, condition, ..
            } => {
                out.entry("subject", self.lattice.id(*subject))?;
                let ask = Ask { confidence: 0.0 };
                let proof = match &evaluated.outcome {
                    Outcome::Answer(crate::verdict::Answer::Truth { value: true, .. }) => {
                        self.prove(condition, *subject, ask)?
                    }
                    Outcome::Answer(_) => self.refute(condition, *subject, ask)?,
                    Outcome::Abstention(_) => return Ok(()),
                };
                debug_assert_eq!(proof.text, condition_text(condition));
                out.raw(",\"because\":[")?;
                out.json(&InLattice(self.lattice, &proof))?;
                out.raw("]")
            }
            Compare::Bound { of, by, .. } => {
                let readings: Result<Vec<_>, RunError> = of
                    .iter()
                    .map(|operand| self.operand_proof(operand, by))
                    .collect();
                self.write_readings(&readings?, out)?;
                match (&evaluated.outcome, Asked::of(compare)) {
                    (Outcome::Answer(_), Some(asked)) => self.write_bound(asked, evaluated, out),
                    _ => Ok(()),
                }
            }
            Compare::Sets { .. } => Ok(()),
        }
    }

    fn write_bound(
        &self,
        asked: Asked<'_>,
        evaluated: &Evaluated,
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        let proof = self.bound_proof(asked, evaluated.certain())?;
        if !proof.upper.is_empty() {
            out.raw(",\"upper\":")?;
            out.json(&Listed(self.lattice, &proof.upper))?;
        }
        out.raw(",\"members\":")?;
        out.json(&Listed(self.lattice, &proof.members))
    }

    fn write_readings(
        &self,
        readings: &[ReadingProof],
        out: &mut Hashing<'_>,
    ) -> Result<(), RunError> {
        out.raw(",\"readings\":[")?;
        for (k, reading) in readings.iter().enumerate() {
            if k > 0 {
                out.raw(",")?;
            }
            out.json(&InLattice(self.lattice, reading))?;
        }
        out.raw("]")
    }
}

/// Per column the walk behind its cell.
type Walks = Vec<Option<Vec<PredicateRef>>>;

/// A row with the walk behind each cell.
type WalkedRow = Vec<Option<(Value, Vec<PredicateRef>)>>;

fn filled(width: usize, columns: &[usize], value: &Value, walk: &[PredicateRef]) -> WalkedRow {
    (0..width)
        .map(|k| columns.contains(&k).then(|| (value.clone(), walk.to_vec())))
        .collect()
}

fn joined(a: &[WalkedRow], b: &[WalkedRow]) -> Vec<WalkedRow> {
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

pub(super) fn positive(dimension: DimensionId, predicate: PredicateId) -> PredicateRef {
    PredicateRef {
        dimension,
        denied: false,
        predicate,
    }
}
