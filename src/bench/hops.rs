//! The workload `hops`: triples over some relations, and chains of one to three
//! hops from a thing. The set that a chain reaches is its answer; the start belongs
//! to it where it is reached.

use super::BenchError;
use super::workload::{self, Signature};
use crate::syntax::print::quote;
use serde::{Deserialize, Serialize};
use std::path::Path;

const HINT: &str = "triples.csv, meta.json, queries.jsonl and truth.json";

/// The workload, read into memory.
#[derive(Clone, Debug, Default)]
pub struct Hops {
    /// Subject, relation and object.
    pub triples: Vec<(u32, u32, u32)>,
    /// The names of the relations. The inverse of relation `k` is `k` and so many more.
    pub relations: Vec<String>,
    /// Things are numbered from 0 to below this.
    pub things: usize,
    /// The queries.
    pub queries: Vec<Query>,
    /// What is true of their answers.
    pub truth: Vec<Signature>,
}

/// A line of `queries.jsonl`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Query {
    /// What kind of query it is.
    pub kind: String,
    /// Where the chain starts.
    #[serde(rename = "s")]
    pub start: u32,
    /// The relations that are followed.
    pub path: Vec<u32>,
}

#[derive(Deserialize, Serialize)]
struct Meta {
    relations: Vec<String>,
}

impl Hops {
    /// Reads the workload of a folder.
    ///
    /// # Errors
    /// If a file is missing or not what it is to be.
    pub fn read(folder: &Path) -> Result<Hops, BenchError> {
        let meta: Meta = workload::json(&folder.join("meta.json"), HINT)?;
        let mut hops = Hops {
            relations: meta.relations,
            ..Hops::default()
        };
        // Inverses are listed behind the relations.
        hops.relations.truncate(hops.relations.len() / 2);
        let relations = hops.relations.len() as u32;
        let path = folder.join("triples.csv");
        workload::numbers(&path, HINT, ["s", "r", "o"], |cells| match cells {
            [Some(s), Some(r), Some(o)] if r < relations => {
                hops.things = hops.things.max(s.max(o) as usize + 1);
                hops.triples.push((s, r, o));
                Ok(())
            }
            _ => Err(format!(
                "a triple is to have a relation below {relations} and two ends"
            )),
        })?;
        hops.queries = workload::json_lines(&folder.join("queries.jsonl"), HINT)?;
        hops.truth = workload::json(&folder.join("truth.json"), HINT)?;
        let wrong = |q: &Query| q.path.is_empty() || q.path.iter().any(|r| *r >= 2 * relations);
        if let Some(at) = hops.queries.iter().position(wrong) {
            return Err(BenchError::BadLine {
                path: folder.join("queries.jsonl"),
                line: at + 1,
                reason: format!("a path is to have hops below {}", 2 * relations),
            });
        }
        workload::same_length(folder, hops.queries.len(), hops.truth.len())?;
        Ok(hops)
    }

    /// The kinds of the queries, in their order.
    pub fn kinds(&self) -> Vec<String> {
        let queries = self.queries.iter();
        queries.map(|query| query.kind.clone()).collect()
    }

    /// The relation that leads back.
    pub fn inverse(&self, relation: u32) -> u32 {
        let relations = self.relations.len() as u32;
        match relation < relations {
            true => relation + relations,
            false => relation - relations,
        }
    }

    /// What a relation is called in the lattice.
    fn name(&self, relation: u32) -> Option<String> {
        let relation = relation as usize;
        match self.relations.get(relation) {
            Some(name) => Some(name.clone()),
            None => {
                let forward = self
                    .relations
                    .get(relation.checked_sub(self.relations.len())?)?;
                Some(format!("{forward}_inverse"))
            }
        }
    }

    /// A triple as the line that is loaded.
    pub fn line(&self, (s, r, o): (u32, u32, u32)) -> Option<String> {
        Some(format!("{s}|{}|{o}", self.name(r)?))
    }

    /// Writes the triples as they are loaded, with the names of their relations.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_triples(&self, path: &Path) -> Result<(), BenchError> {
        workload::write(path, |out| {
            let mut lines = self.triples.iter().filter_map(|triple| self.line(*triple));
            lines.try_for_each(|line| writeln!(out, "{line}"))
        })
    }

    /// Writes the workload's files into a folder.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), BenchError> {
        workload::write(&folder.join("triples.csv"), |out| {
            writeln!(out, "s,r,o")?;
            let mut triples = self.triples.iter();
            triples.try_for_each(|(s, r, o)| writeln!(out, "{s},{r},{o}"))
        })?;
        let inverses = self.relations.iter().map(|name| format!("{name}_inv"));
        let meta = Meta {
            relations: self.relations.iter().cloned().chain(inverses).collect(),
        };
        workload::write_json(&folder.join("meta.json"), &[meta])?;
        workload::write_json(&folder.join("queries.jsonl"), &self.queries)?;
        workload::write_json(&folder.join("truth.json"), &[&self.truth])
    }

    /// A query as LQ: each hop a condition on the relation that leads back.
    pub fn text(&self, query: &Query) -> Option<String> {
        let mut from = format!("= {}", quote(&query.start.to_string()));
        let mut text = String::new();
        for relation in &query.path {
            let back = self.name(self.inverse(*relation))?;
            text = format!("MEET {back} {from}");
            from = format!("IN ({text})");
        }
        Some(text)
    }
}
