//! Why a member belongs to an answer: the words of the sources that say so.

use crate::engine::{self, Budget};
use crate::lattice::{Evidence, InstanceId, Lattice};
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

/// The sources of a whole answer, for showing them beside its members.
#[derive(Debug, Default)]
pub struct Reasons {
    /// Sayings by the printed form or the id of a member.
    members: BTreeMap<String, Vec<Saying>>,
    /// Sayings of an answer that has no members.
    whole: Vec<Saying>,
}

impl Reasons {
    /// The sources of a verdict that are not looked up member by member: those of
    /// returned values, extremes, truths and orders. None where the proof is long.
    pub fn of(lattice: &Lattice, verdict: &Verdict, budget: &Budget) -> Reasons {
        let by_hit = matches!(&verdict.outcome, Outcome::Answer(Answer::Set(set))
            if matches!(set.members, Members::Instances(_)) && returned(&verdict.query).is_none());
        if by_hit || matches!(verdict.outcome, Outcome::Abstention(_)) {
            return Reasons::default();
        }
        let mut bytes = Bounded(Vec::new());
        if engine::certify(lattice, &verdict.query, budget, &mut bytes).is_err() {
            return Reasons::default();
        }
        let Ok(certificate) = serde_json::from_slice::<Json>(&bytes.0) else {
            return Reasons::default();
        };
        let steps = certificate.get("steps").and_then(Json::as_array);
        let mut reasons = Reasons::default();
        if let Some(last) = steps.and_then(|s| s.last()) {
            for returned in entries(last, "returned").chain(entries(last, "returns")) {
                let key = returned.get("value").map(printed).unwrap_or_default();
                let walk = returned.get("walk").unwrap_or(&Json::Null);
                reasons.members.insert(key, sayings(walk));
            }
            reasons.whole = sayings(last);
        }
        reasons
    }

    /// What says that an instance is a member.
    pub fn of_instance(&self, lattice: &Lattice, query: &Query, i: InstanceId) -> Vec<Saying> {
        if let Some(sayings) = self.members.get(lattice.id(i)) {
            return sayings.clone();
        }
        let proof = engine::because(lattice, query, &i);
        let proof = proof.ok().and_then(|p| serde_json::to_value(p).ok());
        proof.map(|p| sayings(&p)).unwrap_or_default()
    }

    /// What says that a value is a member, by its printed form.
    pub fn of_value(&self, value: &str) -> &[Saying] {
        self.members.get(value).map_or(&[], Vec::as_slice)
    }

    /// What says that an answer without members is so.
    pub fn of_whole(&self) -> &[Saying] {
        &self.whole
    }
}

fn returned(query: &Query) -> Option<()> {
    match query {
        Query::Meet(meet) => meet.returns.as_ref().map(|_| ()),
        Query::Compare(_) => Some(()),
        _ => None,
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
    let evidence = Evidence {
        text: text("text")?,
        document: text("document")?,
        range: end(0).zip(end(1)),
        line: source.get("line").and_then(Json::as_u64),
    };
    Some(Saying {
        place: words::place(&evidence),
        text: evidence.text,
        document: evidence.document,
    })
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
