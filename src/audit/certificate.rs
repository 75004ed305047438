//! The certificate of a query: its steps, its verdict, and a digest of both.

use super::AuditError;
use super::audit::Audit;
use super::facts::{Fact, Facts};
use super::json::Json;
use super::proof::Seen;
use super::query::{Asked, Compare, Form, Meet, Members, Operand, Returns, Steps};
use super::reading::{reading_of, reading_walks};
use super::resolve::{Resolved, resolve};
use super::returns::Leg;
use super::truth::Truth;
use crate::lattice::{DimensionId, InstanceId, Lattice, Relation, Value};
use crate::syntax::print::print_query;
use crate::syntax::tree::Query;
use crate::verdict::{Abstention, CalledSo, Completed, Outcome, Reason, Verdict};
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

type Written = Result<(), AuditError>;

/// Writes the certificate of a closed canonical query, as this room derives
/// it, and gives back the verdict in it.
///
/// # Errors
/// The query cannot be evaluated, the lattice not be read, or the certificate
/// not be written.
pub fn certificate(
    facts: &Facts,
    lattice: &Lattice,
    query: &Query,
    out: &mut dyn Write,
) -> Result<Verdict, AuditError> {
    let resolved = resolve(lattice, facts, query)?;
    let mut hashed = Hashed {
        out,
        hasher: blake3::Hasher::new(),
    };
    let audit = Audit::new(facts, lattice);
    let (asked, verdict) = match resolved {
        Resolved::Refused(reason) => {
            let outcome = Outcome::Abstention(Abstention { reason });
            (None, verdict(query, outcome, Vec::new(), Vec::new()))
        }
        Resolved::Asked(asked, called) => {
            let outcome = audit.outcome(&asked);
            let completed = audit.completed(&asked);
            (Some(asked), verdict(query, outcome, called, completed))
        }
    };
    let mut json = Json::new(&mut hashed);
    json.begin('{')?;
    json.key("certificate")?;
    json.plain(1)?;
    json.pair("lattice", &lattice.content_hash().to_string())?;
    json.pair("plan", &print_query(query))?;
    json.key("steps")?;
    json.begin('[')?;
    if let Some(asked) = &asked {
        audit.steps(&mut json, asked, &verdict)?;
    }
    json.end(']')?;
    json.key("verdict")?;
    json.written(|out| verdict.write_json(lattice, out))?;
    let digest = hashed.hasher.finalize();
    writeln!(hashed.out, ",\"digest\":\"b3:{digest}\"}}")?;
    Ok(verdict)
}

fn verdict(
    query: &Query,
    outcome: Outcome,
    called: Vec<CalledSo>,
    completed: Vec<Completed>,
) -> Verdict {
    Verdict {
        query: Arc::new(query.clone()),
        outcome,
        called,
        completed,
    }
}

/// Hashes what it passes on.
struct Hashed<'w> {
    out: &'w mut dyn Write,
    hasher: blake3::Hasher,
}

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(bytes.get(..written).unwrap_or(bytes));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Audit<'_> {
    /// Every query of the plan, inner before outer, up to the one whose
    /// abstention became the verdict's.
    fn steps(&self, out: &mut Json<'_>, asked: &Arc<Asked>, verdict: &Verdict) -> Written {
        let last = match &verdict.outcome {
            Outcome::Abstention(abstention) => self.culprit(asked, abstention.reason.code()),
            Outcome::Answer(_) => Arc::clone(asked),
        };
        let mut order = Vec::new();
        in_order(asked, &mut HashSet::new(), &mut order);
        for step in order {
            let outcome = self.outcome(&step);
            self.step(out, &step, &outcome)?;
            if step.text == last.text {
                break;
            }
        }
        Ok(())
    }

    /// The first query whose abstention is the verdict's.
    fn culprit(&self, asked: &Arc<Asked>, code: &str) -> Arc<Asked> {
        let operand = matches!(
            &asked.form,
            Form::Compare(Compare::Sets { .. } | Compare::Extremum { .. })
        );
        let passed_on = asked.inner.iter().find(|inner| {
            let reason = match operand {
                true => match self.outcome(inner) {
                    Outcome::Abstention(abstention) => Some(abstention.reason),
                    Outcome::Answer(_) => None,
                },
                false => self.set(inner).err(),
            };
            reason.is_some_and(|reason| reason.code() == code)
        });
        match passed_on {
            Some(inner) => self.culprit(inner, code),
            None => Arc::clone(asked),
        }
    }

    fn step(&self, out: &mut Json<'_>, asked: &Arc<Asked>, outcome: &Outcome) -> Written {
        out.begin('{')?;
        match &asked.form {
            Form::Meet(meet) => {
                out.pair("meet", &asked.text)?;
                self.meet_step(out, asked, meet, outcome)?;
            }
            Form::Compare(compare) => {
                out.pair("compare", &asked.text)?;
                self.compare_step(out, asked, compare, outcome)?;
            }
            Form::Decline(_) => {}
        }
        if let Outcome::Abstention(abstention) = outcome {
            out.pair("abstains", abstention.reason.code())?;
        }
        out.end('}')?;
        Ok(())
    }

    fn meet_step(
        &self,
        out: &mut Json<'_>,
        asked: &Arc<Asked>,
        meet: &Meet,
        outcome: &Outcome,
    ) -> Written {
        let run = self.run(asked, meet);
        let in_conflict = matches!(
            outcome,
            Outcome::Abstention(Abstention {
                reason: Reason::Conflict(_)
            })
        );
        out.key("hits")?;
        out.begin('[')?;
        if let (Ok(run), false) = (&run, in_conflict) {
            for &x in &run.hits {
                let seen = Seen {
                    x,
                    t: meet.confidence,
                };
                out.begin('{')?;
                self.told(out, x)?;
                out.key("because")?;
                out.begin('[')?;
                for member in &run.members {
                    self.proof(out, member, seen)?;
                }
                out.end(']')?;
                out.end('}')?;
            }
        }
        out.end(']')?;
        let (Ok(run), Outcome::Answer(_)) = (&run, outcome) else {
            return Ok(());
        };
        let t = meet.confidence;
        match &meet.returns {
            Returns::Instances | Returns::Count(None) => Ok(()),
            Returns::Count(Some(path)) => self.returned_told(out, path, &run.hits, t),
            Returns::Paths(paths) => match paths.as_slice() {
                [path] => self.returned_told(out, path, &run.hits, t),
                several => self.rows_told(out, several, &run.hits, t),
            },
        }
    }

    fn told(&self, out: &mut Json<'_>, x: u32) -> Written {
        out.pair("id", self.id(x))?;
        out.pair("name", self.lattice.name(InstanceId(x)))?;
        Ok(())
    }

    fn returned_told(&self, out: &mut Json<'_>, path: &Steps, hits: &[u32], t: f64) -> Written {
        out.key("returns")?;
        out.begin('[')?;
        for returned in self.returned_walks(path, hits, t) {
            out.begin('{')?;
            out.key("value")?;
            self.cell(out, &returned.value)?;
            out.pair("hit", self.id(returned.hit))?;
            out.key("walk")?;
            self.walk(out, returned.hit, &returned.walk)?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    fn rows_told(&self, out: &mut Json<'_>, paths: &[Steps], hits: &[u32], t: f64) -> Written {
        out.key("rows")?;
        out.begin('[')?;
        for (cells, row) in self.rows(paths, hits, t) {
            out.begin('{')?;
            out.key("cells")?;
            out.begin('[')?;
            for cell in &cells {
                match cell {
                    Some(value) => self.cell(out, value)?,
                    None => out.plain("null")?,
                }
            }
            out.end(']')?;
            out.pair("hit", self.id(row.hit))?;
            out.key("walks")?;
            out.begin('[')?;
            for walk in &row.walks {
                match walk {
                    Some(walk) => self.walk(out, row.hit, walk)?,
                    None => out.plain("null")?,
                }
            }
            out.end(']')?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    fn compare_step(
        &self,
        out: &mut Json<'_>,
        asked: &Arc<Asked>,
        compare: &Compare,
        outcome: &Outcome,
    ) -> Written {
        match compare {
            Compare::Relate {
                left, right, by, ..
            }
            | Compare::Order { left, right, by } => {
                self.readings_told(out, &[left.clone(), right.clone()], by)
            }
            Compare::RelateCounts {
                left, right, by, ..
            }
            | Compare::OrderCounts { left, right, by } => {
                let operands = [Operand::Instance(*left), Operand::Instance(*right)];
                self.readings_told(out, &operands, by)
            }
            Compare::Extremum {
                of, by, returns, ..
            } => {
                let candidates: Vec<Operand> = match of {
                    Members::Listed(listed) => {
                        listed.iter().map(|&x| Operand::Instance(x)).collect()
                    }
                    Members::Asked(_) => match self.operand_set(of) {
                        Ok(set) => set.certain.iter().map(|&x| Operand::Instance(x)).collect(),
                        Err(_) => Vec::new(),
                    },
                };
                self.readings_told(out, &candidates, by)?;
                let (Ok(decided), Outcome::Answer(_), Returns::Paths(paths)) =
                    (self.extremum(asked), outcome, returns)
                else {
                    return Ok(());
                };
                let winners: Vec<u32> = decided.winners.iter().copied().collect();
                match paths.as_slice() {
                    [path] => self.returned_told(out, path, &winners, 0.0),
                    several => self.rows_told(out, several, &winners, 0.0),
                }
            }
            Compare::Holds { subject, condition } => {
                out.pair("subject", self.id(*subject))?;
                let Ok(judged) = self.judge(condition, 0.0) else {
                    return Ok(());
                };
                let seen = Seen {
                    x: *subject,
                    t: 0.0,
                };
                let truth = judged.truths.get(*subject as usize);
                if truth.is_some_and(|truth| *truth != Truth::Possible) {
                    out.key("because")?;
                    out.begin('[')?;
                    self.proof(out, &judged, seen)?;
                    out.end(']')?;
                }
                Ok(())
            }
            Compare::Bound(bound) => {
                self.readings_told(out, &bound.of, &bound.by)?;
                match outcome {
                    Outcome::Answer(_) => self.bound_told(out, bound),
                    Outcome::Abstention(_) => Ok(()),
                }
            }
            Compare::Sets { .. } => Ok(()),
        }
    }

    fn readings_told(&self, out: &mut Json<'_>, operands: &[Operand], by: &Steps) -> Written {
        let Some((d, _)) = self.last_of(by) else {
            return Ok(());
        };
        out.key("readings")?;
        out.begin('[')?;
        for operand in operands {
            let reading = reading_of(self.facts, operand, by);
            out.begin('{')?;
            match operand {
                Operand::Instance(x) => out.pair("of", self.id(*x))?,
                _ => out.pair("of", &self.printed_reading(by, &reading).concat())?,
            }
            out.key("values")?;
            out.begin('[')?;
            for value in &reading.values {
                match self.read_value(d, value) {
                    Some(value) => self.cell(out, &value)?,
                    None => out.text(&self.printed_read(d, value))?,
                }
            }
            out.end(']')?;
            out.key("walks")?;
            out.begin('[')?;
            if let Operand::Instance(x) = operand {
                for walk in reading_walks(self.facts, *x, by) {
                    self.walk(out, *x, &walk)?;
                }
            }
            out.end(']')?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    /// The predicates of a walk that starts at `x`.
    fn walk(&self, out: &mut Json<'_>, x: u32, walk: &[Leg]) -> Written {
        out.begin('[')?;
        let mut from = x;
        for (d, fact) in walk {
            self.predicate(out, *d, from, fact, false)?;
            from = fact.value;
        }
        out.end(']')?;
        Ok(())
    }

    /// A value: an instance with its id, any other as it is printed.
    pub(super) fn cell(&self, out: &mut Json<'_>, value: &Value) -> Written {
        match value {
            Value::Instance(instance) => {
                out.begin('{')?;
                self.told(out, instance.0)?;
                out.end('}')?;
            }
            value => out.text(&self.printed_value(value))?,
        }
        Ok(())
    }

    pub(super) fn predicates(
        &self,
        out: &mut Json<'_>,
        key: &str,
        d: DimensionId,
        x: u32,
        facts: &[&Fact],
        denied: bool,
    ) -> Written {
        out.key(key)?;
        out.begin('[')?;
        for fact in facts {
            self.predicate(out, d, x, fact, denied)?;
        }
        out.end(']')?;
        Ok(())
    }

    /// A predicate with all its sources.
    pub(super) fn predicate(
        &self,
        out: &mut Json<'_>,
        d: DimensionId,
        x: u32,
        fact: &Fact,
        denied: bool,
    ) -> Written {
        out.begin('{')?;
        out.pair("id", self.id(x))?;
        out.pair("dimension", &self.dimension_name(d))?;
        out.key("value")?;
        self.cell(
            out,
            &self.lattice.value(d, crate::lattice::ValueId(fact.value)),
        )?;
        if denied {
            out.key("denied")?;
            out.plain(true)?;
        }
        out.key("confidence")?;
        out.plain(fact.confidence)?;
        out.key("sources")?;
        out.begin('[')?;
        let relation = match denied {
            true => self.lattice.negative(d),
            false => self.lattice.positive(d),
        };
        self.sources(out, &relation, fact)?;
        out.end(']')?;
        out.end('}')?;
        Ok(())
    }

    fn sources(&self, out: &mut Json<'_>, relation: &Relation<'_>, fact: &Fact) -> Written {
        for (evidence, confidence) in relation.sources(fact.predicate) {
            let source = self.lattice.evidence(evidence)?;
            out.begin('{')?;
            out.pair("text", &source.text)?;
            out.pair("document", &source.document)?;
            if let Some((start, end)) = source.range {
                out.key("at")?;
                out.begin('[')?;
                out.plain(start)?;
                out.plain(end)?;
                out.end(']')?;
            }
            if let Some(line) = source.line {
                out.key("line")?;
                out.plain(line)?;
            }
            if confidence != 1.0 {
                out.key("confidence")?;
                out.plain(confidence)?;
            }
            out.end('}')?;
        }
        Ok(())
    }
}

pub(super) fn in_order(
    asked: &Arc<Asked>,
    seen: &mut HashSet<String>,
    order: &mut Vec<Arc<Asked>>,
) {
    if seen.contains(&asked.text) {
        return;
    }
    for inner in &asked.inner {
        in_order(inner, seen, order);
    }
    if seen.insert(asked.text.clone()) {
        order.push(Arc::clone(asked));
    }
}
