//! Why a member belongs to an answer: the words of the sources that say so.

use crate::engine::{self, Budget, By, Hit, Predicate, Proof, Prover};
use crate::lattice::{Evidence, InstanceId, Lattice, Value, ValueId};
use crate::plan::Plan;
use crate::script::words;
use crate::syntax::tree::Query;
use crate::verdict::{Answer, Members, Outcome, Verdict};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Proofs beyond this size are not read for the sake of showing them.
const MOST_BYTES: usize = 8 << 20;

/// What one source says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saying {
    /// The words.
    pub text: String,
    /// The document.
    pub document: String,
    /// Where in it: `moby.txt:1`.
    pub place: String,
}

/// What the sources say of an answer: looked up hit by hit where the answer is a
/// set of hits, else read out of its certificate.
pub enum Reasons<'l> {
    /// Hits of a MEET.
    Hits(Box<Prover<'l>>),
    /// Anything else.
    Read(Recorded),
}

/// Sayings that were read out of a certificate.
#[derive(Debug, Default)]
pub struct Recorded {
    /// By the printed form or the id of a member.
    members: BTreeMap<String, Vec<Saying>>,
    /// By the number of a row.
    rows: Vec<Vec<Saying>>,
    /// Of the whole answer.
    whole: Vec<Saying>,
}

/// The plan of a verdict's query, if it has members to prove.
pub fn plan(lattice: &Lattice, verdict: &Verdict) -> Option<Plan> {
    match &verdict.outcome {
        Outcome::Answer(_) => engine::prepare(lattice, &verdict.query).ok()?.ok(),
        Outcome::Abstention(_) => None,
    }
}

impl<'l> Reasons<'l> {
    /// The reasons of a verdict with this plan.
    pub fn of(
        lattice: &'l Lattice,
        verdict: &'l Verdict,
        plan: Option<&'l Plan>,
        budget: &Budget,
    ) -> Reasons<'l> {
        match (&verdict.outcome, plan) {
            (Outcome::Answer(answer), Some(plan)) if are_hits(&verdict.query, answer) => {
                Reasons::Hits(Box::new(Prover::of_verdict(lattice, plan, verdict, budget)))
            }
            (Outcome::Answer(Answer::Set(_)), Some(plan)) if is_meet(&verdict.query) => {
                Reasons::Read(returned(lattice, plan, budget))
            }
            (Outcome::Answer(_), _) => Reasons::Read(read(lattice, verdict, budget)),
            (Outcome::Abstention(_), _) => Reasons::Read(Recorded::default()),
        }
    }

    /// What says that an instance is a member.
    pub fn of_instance(&self, lattice: &Lattice, i: InstanceId) -> Vec<Saying> {
        match self {
            Reasons::Hits(prover) => match prover.because(i) {
                Ok(Some(hit)) => sayings_of(lattice, &hit),
                _ => Vec::new(),
            },
            Reasons::Read(read) => read.members.get(lattice.id(i)).cloned().unwrap_or_default(),
        }
    }

    /// What says that a value is a member, by its printed form.
    pub fn of_value(&self, value: &str) -> &[Saying] {
        match self {
            Reasons::Hits(_) => &[],
            Reasons::Read(read) => read.members.get(value).map_or(&[], Vec::as_slice),
        }
    }

    /// What says that a row is one, by its number.
    pub fn of_row(&self, row: usize) -> &[Saying] {
        match self {
            Reasons::Hits(_) => &[],
            Reasons::Read(read) => read.rows.get(row).map_or(&[], Vec::as_slice),
        }
    }

    /// Whether there is nothing to show for any member.
    pub fn are_silent(&self) -> bool {
        match self {
            Reasons::Hits(_) => false,
            Reasons::Read(read) => read.members.is_empty() && read.rows.is_empty(),
        }
    }

    /// What says that an answer without members is so.
    pub fn of_whole(&self) -> &[Saying] {
        match self {
            Reasons::Hits(_) => &[],
            Reasons::Read(read) => &read.whole,
        }
    }
}

fn is_meet(query: &Query) -> bool {
    matches!(query, Query::Meet(_))
}

/// The first walk to each value that RETURN gave.
fn returned(lattice: &Lattice, plan: &Plan, budget: &Budget) -> Recorded {
    let mut read = Recorded::default();
    let all = Prover::new(lattice, plan, budget).returned();
    for returned in all.unwrap_or_default() {
        let key = match &returned.value {
            Value::Instance(i) => lattice.id(*i).to_string(),
            other => words::cell(lattice, other),
        };
        let mut said = said_by(returned.walk.iter());
        if said.is_empty() {
            said.extend(introduced(lattice, returned.hit));
        }
        read.members.insert(key, said);
    }
    read
}

/// Reads the sources out of the certificate; none where it is long.
fn read(lattice: &Lattice, verdict: &Verdict, budget: &Budget) -> Recorded {
    let mut bytes = Bounded(Vec::new());
    let mut read = Recorded::default();
    if engine::certify(lattice, &verdict.query, budget, &mut bytes).is_err() {
        return read;
    }
    let Ok(certificate) = serde_json::from_slice::<Json>(&bytes.0) else {
        return read;
    };
    let steps = certificate.get("steps").and_then(Json::as_array);
    let Some(last) = steps.and_then(|s| s.last()) else {
        return read;
    };
    for row in entries(last, "rows") {
        let mut said = sayings(row.get("walks").unwrap_or(&Json::Null));
        if said.is_empty() {
            said.extend(hit_of(lattice, row).and_then(|i| introduced(lattice, i)));
        }
        read.rows.push(said);
    }
    for returned in entries(last, "returns") {
        let key = returned.get("value").map(printed).unwrap_or_default();
        let mut said = sayings(returned.get("walk").unwrap_or(&Json::Null));
        if said.is_empty() {
            said.extend(hit_of(lattice, returned).and_then(|i| introduced(lattice, i)));
        }
        read.members.entry(key).or_insert(said);
    }
    // What a RETURN gives back is shown by its walks.
    let walked = !read.members.is_empty();
    // The members of a bound are no operands.
    let bound = last.get("members").is_some();
    for reading in entries(last, "readings").filter(|_| !walked && !bound) {
        let key = reading.get("of").map(printed).unwrap_or_default();
        let walks = reading.get("walks").unwrap_or(&Json::Null);
        read.members.entry(key).or_insert_with(|| sayings(walks));
    }
    read.whole = sayings(last);
    read
}

/// Whether the members of an answer are the hits of its MEET.
fn are_hits(query: &Query, answer: &Answer) -> bool {
    let Query::Meet(meet) = query else {
        return false;
    };
    let instances =
        matches!(answer, Answer::Set(set) if matches!(set.members, Members::Instances(_)));
    meet.returns.is_none() && instances
}

/// Every source of a hit's proofs, each once: first those of the condition that
/// says most, that is, whose recorded values the fewest instances have.
fn sayings_of(lattice: &Lattice, hit: &Hit) -> Vec<Saying> {
    let mut conditions: Vec<Vec<&Predicate>> =
        hit.because.iter().map(|proof| proof.predicates()).collect();
    if conditions.len() > 1 {
        conditions.sort_by_cached_key(|predicates| {
            let sharers = predicates.iter().map(|p| sharers(lattice, p));
            sharers.min().unwrap_or(u64::MAX)
        });
    }
    let mut said = said_by(conditions.into_iter().flatten());
    if said.is_empty() && hit.because.iter().any(by_name) {
        said.extend(introduced(lattice, hit.instance));
    }
    said
}

/// How many instances have the value of a predicate.
fn sharers(lattice: &Lattice, predicate: &Predicate) -> u64 {
    let d = predicate.dimension;
    let relation = if predicate.denied {
        lattice.negative(d)
    } else {
        lattice.positive(d)
    };
    let holders = |v: u32| relation.holder_count(ValueId(v));
    if let Value::Instance(i) = predicate.value {
        return holders(i.0);
    }
    let row = relation.of(predicate.instance);
    let found = match row.values() {
        [only] => Some(only),
        several => several
            .iter()
            .find(|v| lattice.value(d, ValueId(**v)) == predicate.value),
    };
    found.map_or(u64::MAX, |v| holders(*v))
}

/// Whether a proof rests on the name of the instance.
fn by_name(proof: &Proof) -> bool {
    match &proof.by {
        By::Called(_) => true,
        By::All(list) => list.iter().any(by_name),
        By::One(inner) | By::So(inner) => by_name(inner),
        _ => false,
    }
}

/// The words that first told of an instance.
fn introduced(lattice: &Lattice, i: InstanceId) -> Option<Saying> {
    words::first_evidence(lattice, i).map(Saying::of)
}

/// The instance that a walk starts from.
fn hit_of(lattice: &Lattice, entry: &Json) -> Option<InstanceId> {
    lattice.by_id(entry.get("hit").and_then(Json::as_str)?)
}

fn said_by<'p>(predicates: impl Iterator<Item = &'p Predicate>) -> Vec<Saying> {
    let mut found: Vec<Saying> = Vec::new();
    for predicate in predicates {
        for source in &predicate.sources {
            let evidence = Evidence {
                text: source.text.clone(),
                document: source.document.clone(),
                range: source.range,
                line: source.line,
            };
            let saying = Saying::of(evidence);
            if !found.contains(&saying) {
                found.push(saying);
            }
        }
    }
    found
}

impl Saying {
    fn of(evidence: Evidence) -> Saying {
        Saying {
            place: words::place(&evidence),
            text: evidence.text,
            document: evidence.document,
        }
    }
}

fn entries<'j>(step: &'j Json, key: &str) -> impl Iterator<Item = &'j Json> {
    step.get(key).and_then(Json::as_array).into_iter().flatten()
}

/// A cell as a key: the id of an instance, or a printed value.
fn printed(cell: &Json) -> String {
    let id = cell.get("id").and_then(Json::as_str);
    id.or(cell.as_str()).unwrap_or_default().to_string()
}

/// Every source within a proof, in order, each once.
pub fn sayings(proof: &Json) -> Vec<Saying> {
    let mut found = Vec::new();
    let mut rest = vec![proof];
    // An explicit stack: a proof is as deep as its query.
    while let Some(json) = rest.pop() {
        match json {
            Json::Array(all) => rest.extend(all.iter().rev()),
            Json::Object(fields) => {
                if let Some(Json::Array(sources)) = fields.get("sources") {
                    for saying in sources.iter().filter_map(saying) {
                        if !found.contains(&saying) {
                            found.push(saying);
                        }
                    }
                } else {
                    let inner: Vec<&Json> = fields.values().collect();
                    rest.extend(inner.into_iter().rev());
                }
            }
            _ => {}
        }
    }
    found
}

fn saying(source: &Json) -> Option<Saying> {
    let text = |key| source.get(key).and_then(Json::as_str).map(String::from);
    let at = source.get("at").and_then(Json::as_array);
    let end = |k: usize| at.and_then(|a| a.get(k)).and_then(Json::as_u64);
    Some(Saying::of(Evidence {
        text: text("text")?,
        document: text("document")?,
        range: end(0).zip(end(1)),
        line: source.get("line").and_then(Json::as_u64),
    }))
}

/// Takes so many bytes and no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sources_are_found_wherever_they_stand() {
        let source = json!({"text": "a", "document": "d", "line": 3});
        let other = json!({"text": "b", "document": "d", "at": [1, 2]});
        let proof = json!([
            {"certain": "x", "sides": [{"by": [{"id": "i", "sources": [source, other]}]}]},
            {"certain": "y", "sides": [{"by": [{"id": "i", "sources": [source]}]}]},
        ]);
        let found = sayings(&proof);
        let places: Vec<&str> = found.iter().map(|s| s.place.as_str()).collect();
        assert_eq!(places, ["d:3", "d 1..2"]);
    }
}
