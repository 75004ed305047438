//! The stable JSON shape of a verdict (the book's page "JSON").

use super::{
    Abstention, Answer, CalledSo, Caveat, Completed, Derivation, Members, Outcome, Reason, Verdict,
    Who,
};
use crate::lattice::{DimensionId, InstanceId, Lattice, Value, ValueId};
use crate::syntax::print_query;
use crate::syntax::tree::{Operation, OrderWord};
use roaring::RoaringBitmap;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use std::io::{self, Write};

/// A value as it is printed: names bare, numbers and dates in canonical form.
pub fn print_value(lattice: &Lattice, value: &Value) -> String {
    match value {
        Value::Term(name) | Value::Text(name) => name.clone(),
        Value::Instance(i) => lattice.name(*i).to_owned(),
        Value::Number(interval) => interval.to_string(),
        Value::Date(interval) => interval.to_string(),
    }
}

/// A value as JSON: `{"id":…,"name":…}` for an instance, the printed value for
/// any other.
pub struct Cell<'a>(pub &'a Lattice, pub &'a Value);

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Value::Instance(i) => InstanceCell(self.0, *i).serialize(serializer),
            value => serializer.serialize_str(&print_value(self.0, value)),
        }
    }
}

/// An instance as JSON.
pub struct InstanceCell<'a>(pub &'a Lattice, pub InstanceId);

impl Serialize for InstanceCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("id", self.0.id(self.1))?;
        map.serialize_entry("name", self.0.name(self.1))?;
        map.end()
    }
}

/// Several things, one after the other.
struct Each<F>(F);

impl<F, I, T> Serialize for Each<F>
where
    F: Fn() -> I,
    I: Iterator<Item = T>,
    T: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for item in (self.0)() {
            list.serialize_element(&item)?;
        }
        list.end()
    }
}

/// A verdict together with the lattice that its numbers mean something in.
pub struct InLattice<'a> {
    verdict: &'a Verdict,
    lattice: &'a Lattice,
}

impl Verdict {
    /// The answer, if it is one.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answer(answer) => Some(answer),
            Outcome::Abstention(_) => None,
        }
    }

    /// The abstention, if it is one.
    pub fn abstention(&self) -> Option<&Abstention> {
        match &self.outcome {
            Outcome::Answer(_) => None,
            Outcome::Abstention(abstention) => Some(abstention),
        }
    }

    /// The verdict as something serde can serialize.
    pub fn in_lattice<'a>(&'a self, lattice: &'a Lattice) -> InLattice<'a> {
        InLattice {
            verdict: self,
            lattice,
        }
    }

    /// The verdict as JSON.
    pub fn to_json(&self, lattice: &Lattice) -> serde_json::Value {
        let mut value = serde_json::to_value(self.in_lattice(lattice)).unwrap_or_default();
        // Any dependency may switch serde_json to the order of insertion; so the objects
        // below are written in the order of their names, and this one is sorted.
        value.sort_all_objects();
        value
    }

    /// Writes the verdict as one line of canonical JSON, without a line break.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json(&self, lattice: &Lattice, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(out, &self.in_lattice(lattice)).map_err(io::Error::from)
    }
}

impl Serialize for InLattice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let query = print_query(&self.verdict.query);
        match &self.verdict.outcome {
            Outcome::Answer(answer) => {
                map.serialize_entry("verdict", "answer")?;
                map.serialize_entry("query", &query)?;
                self.answer(answer, &mut map)?;
            }
            Outcome::Abstention(abstention) => {
                map.serialize_entry("verdict", "abstain")?;
                map.serialize_entry("query", &query)?;
                map.serialize_entry("reason", abstention.reason.code())?;
                self.reason(&abstention.reason, &mut map)?;
            }
        }
        if !self.verdict.called.is_empty() {
            let each = Each(|| {
                self.verdict
                    .called
                    .iter()
                    .map(|called| CalledCell(self.lattice, called))
            });
            map.serialize_entry("called", &each)?;
        }
        if !self.verdict.completed.is_empty() {
            let all = self.verdict.completed.iter();
            let each = Each(|| all.clone().map(|c| CompletedCell(self.lattice, c)));
            map.serialize_entry("completed", &each)?;
        }
        map.end()
    }
}

struct CalledCell<'a>(&'a Lattice, &'a CalledSo);

impl Serialize for CalledCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("word", &self.1.word)?;
        let each = Each(|| self.1.instances.iter().map(|&i| InstanceCell(self.0, i)));
        map.serialize_entry("instances", &each)?;
        map.end()
    }
}

struct CompletedCell<'a>(&'a Lattice, &'a Completed);

impl Serialize for CompletedCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("dimension", &self.1.dimension)?;
        let key = match self.1.operation {
            Operation::Meet => "meet",
            Operation::Join => "join",
        };
        map.serialize_entry(key, &self.1.of)?;
        let each = Each(|| self.1.members.iter().map(|value| Cell(self.0, value)));
        map.serialize_entry("members", &each)?;
        map.end()
    }
}

struct CaveatCell<'a>(&'a Lattice, &'a Caveat);

impl Serialize for CaveatCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.1.open.is_empty() {
            let each = Each(|| self.1.open.iter().map(|&d| &self.0.dimension(d).name));
            map.serialize_entry("open", &each)?;
        }
        if !self.1.could_change.is_empty() {
            let each = Each(|| instances(self.0, &self.1.could_change));
            map.serialize_entry("could_change", &each)?;
        }
        if self.1.equal_as_recorded {
            map.serialize_entry("equal", &true)?;
        }
        if self.1.unclosed {
            map.serialize_entry("unclosed", &true)?;
        }
        map.end()
    }
}

fn instances<'a>(
    lattice: &'a Lattice,
    set: &'a RoaringBitmap,
) -> impl Iterator<Item = InstanceCell<'a>> {
    set.iter().map(|i| InstanceCell(lattice, InstanceId(i)))
}

/// A value given by its number.
struct ValueCell<'a>(&'a Lattice, DimensionId, ValueId);

impl Serialize for ValueCell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Cell(self.0, &self.0.value(self.1, self.2)).serialize(serializer)
    }
}

impl InLattice<'_> {
    fn answer<M: SerializeMap>(&self, answer: &Answer, map: &mut M) -> Result<(), M::Error> {
        match answer {
            Answer::Set(set) => {
                map.serialize_entry("kind", "set")?;
                self.members(&set.members, map)?;
                self.marks(&set.possibly, set.without_value, &set.contested, map)?;
                self.caveat(&set.caveat, map)
            }
            Answer::Rows(rows) => {
                map.serialize_entry("kind", "rows")?;
                let columns: Vec<&str> = rows.columns.iter().map(|c| c.path.as_str()).collect();
                map.serialize_entry("columns", &columns)?;
                let each = Each(|| {
                    rows.rows.iter().map(|row| {
                        row.iter()
                            .map(|cell| cell.as_ref().map(|value| Cell(self.lattice, value)))
                            .collect::<Vec<_>>()
                    })
                });
                map.serialize_entry("rows", &each)?;
                self.marks(&rows.possibly, rows.without_value, &rows.contested, map)?;
                self.caveat(&rows.caveat, map)
            }
            Answer::Count {
                count,
                of,
                possibly,
            } => {
                map.serialize_entry("kind", "count")?;
                map.serialize_entry("count", count)?;
                map.serialize_entry("of", of)?;
                map.serialize_entry("derived", &true)?;
                self.marks(possibly, 0, &RoaringBitmap::new(), map)
            }
            Answer::Truth { value, caveat } => {
                map.serialize_entry("kind", "truth")?;
                map.serialize_entry("value", value)?;
                self.caveat(caveat, map)
            }
            Answer::Order {
                word,
                join,
                meet,
                caveat,
                ..
            } => {
                map.serialize_entry("kind", "order")?;
                map.serialize_entry("order", order_word(*word))?;
                for (key, values) in [("join", join), ("meet", meet)] {
                    let each = Each(|| values.iter().map(|value| Cell(self.lattice, value)));
                    map.serialize_entry(key, &each)?;
                }
                self.caveat(caveat, map)
            }
        }
    }

    fn members<M: SerializeMap>(&self, members: &Members, map: &mut M) -> Result<(), M::Error> {
        match members {
            Members::Instances(set) => {
                map.serialize_entry("members", &Each(|| instances(self.lattice, set)))
            }
            Members::Values(d, set) => {
                let each = Each(|| set.iter().map(|v| ValueCell(self.lattice, *d, ValueId(v))));
                map.serialize_entry("members", &each)
            }
            Members::Texts(set) => map.serialize_entry("members", set),
            Members::Interval(_, value) => {
                map.serialize_entry("members", &[Cell(self.lattice, value)])
            }
        }
    }

    fn marks<M: SerializeMap>(
        &self,
        possibly: &RoaringBitmap,
        without_value: u64,
        contested: &RoaringBitmap,
        map: &mut M,
    ) -> Result<(), M::Error> {
        if !possibly.is_empty() {
            map.serialize_entry("possibly", &Each(|| instances(self.lattice, possibly)))?;
        }
        if without_value > 0 {
            map.serialize_entry("without_value", &without_value)?;
        }
        if !contested.is_empty() {
            map.serialize_entry("contested", &Each(|| instances(self.lattice, contested)))?;
        }
        Ok(())
    }

    fn caveat<M: SerializeMap>(&self, caveat: &Caveat, map: &mut M) -> Result<(), M::Error> {
        if caveat.as_recorded() {
            map.serialize_entry("as_recorded", &CaveatCell(self.lattice, caveat))?;
        }
        Ok(())
    }

    fn reason<M: SerializeMap>(&self, reason: &Reason, map: &mut M) -> Result<(), M::Error> {
        let lattice = self.lattice;
        match reason {
            Reason::EmptyLattice => Ok(()),
            Reason::NotUnderstood { text } => map.serialize_entry("text", text),
            Reason::UnknownDimension(list)
            | Reason::UnknownValue(list)
            | Reason::UnknownName(list) => map.serialize_entry("unknown", list),
            Reason::Mismatch(list) => map.serialize_entry("mismatches", list),
            Reason::Ambiguous(list) => {
                let each = Each(|| {
                    list.iter().map(|ambiguity| {
                        serde_json::json!({
                            "readings": ambiguity.readings.iter()
                                .map(|who| who_json(lattice, who)).collect::<Vec<_>>(),
                            "word": ambiguity.word,
                        })
                    })
                });
                map.serialize_entry("ambiguous", &each)
            }
            Reason::Missing { path, instances } => {
                map.serialize_entry("path", path)?;
                let each = Each(|| instances.iter().map(|&i| InstanceCell(lattice, i)));
                map.serialize_entry("instances", &each)
            }
            Reason::Incomparable {
                path,
                contested,
                sides,
            } => {
                map.serialize_entry("path", path)?;
                map.serialize_entry("contested", contested)?;
                let each = Each(|| {
                    sides.iter().map(|(who, values)| {
                        serde_json::json!({ "values": values, "who": who_json(lattice, who) })
                    })
                });
                map.serialize_entry("sides", &each)
            }
            Reason::Conflict(list) => map.serialize_entry("conflicts", list),
            Reason::Empty { constraints } => map.serialize_entry("constraints", constraints),
            Reason::Derived { what, from } => {
                map.serialize_entry("what", what)?;
                let each = Each(|| from.iter().map(derivation_json));
                map.serialize_entry("from", &each)
            }
            Reason::Unsupported { passages } => map.serialize_entry("passages", passages),
            Reason::Declined { words } => map.serialize_entry("words", words),
        }
    }
}

fn derivation_json(derivation: &Derivation) -> serde_json::Value {
    match derivation {
        Derivation::Possible(n) => serde_json::json!({ "possible": n }),
        Derivation::Open(dimension) => serde_json::json!({ "open": dimension }),
        Derivation::Contested => serde_json::json!({ "contested": true }),
    }
}

fn who_json(lattice: &Lattice, who: &Who) -> serde_json::Value {
    match who {
        Who::Instance(i) => serde_json::json!({ "id": lattice.id(*i), "name": lattice.name(*i) }),
        Who::Value(value, dimension) => {
            serde_json::json!({ "dimension": dimension, "value": value })
        }
        Who::Plan { plan, answer } => serde_json::json!({ "plan": plan, "answer": answer }),
    }
}

/// The word of JSON and of people for an order.
pub fn order_word(word: OrderWord) -> &'static str {
    match word {
        OrderWord::Less => "less",
        OrderWord::Greater => "greater",
        OrderWord::Equal => "equal",
        OrderWord::Incomparable => "incomparable",
    }
}
