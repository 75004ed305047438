//! The workload `taxa`: instances with values in three taxonomies, two flat
//! categories and a year, and queries of one to four constraints.

use super::BenchError;
use super::workload::{self, Signature};
use crate::syntax::print::quote;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

const HINT: &str =
    "inst.csv, t1_edges.csv, t2_edges.csv, t3_edges.csv, meta.json, queries.jsonl and truth.json";

/// The columns of `inst.csv`, behind `id`.
pub const COLUMNS: [&str; 6] = ["t1", "t2", "t3", "c1", "c2", "y"];
/// So many of them are taxonomies; these come first.
pub const TAXONOMIES: usize = 3;
/// The place of the year.
pub const YEAR: usize = 5;

/// The workload, read into memory.
#[derive(Clone, Debug, Default)]
pub struct Taxa {
    /// By instance: the value in each column, if it has one.
    pub rows: Vec<[Option<u32>; 6]>,
    /// By taxonomy.
    pub taxonomies: [Edges; TAXONOMIES],
    /// The queries.
    pub queries: Vec<Query>,
    /// What is true of their answers.
    pub truth: Vec<Signature>,
}

/// A taxonomy as its edges.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// So many values there are, numbered from 0.
    pub values: usize,
    /// Child and parent.
    pub edges: Vec<(u32, u32)>,
}

/// A line of `queries.jsonl`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Query {
    /// What kind of query it is.
    pub kind: String,
    /// Its constraints, which hold all.
    #[serde(rename = "cs")]
    pub constraints: Vec<Constraint>,
}

/// A constraint of a query.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Constraint {
    /// The column has this value, or one below it.
    Value {
        /// The column.
        #[serde(rename = "dim")]
        column: String,
        /// The value.
        #[serde(rename = "v")]
        value: u32,
    },
    /// The year is one of these.
    Years {
        /// The column.
        #[serde(rename = "dim")]
        column: String,
        /// The first.
        #[serde(rename = "lo")]
        low: u32,
        /// The last.
        #[serde(rename = "hi")]
        high: u32,
    },
}

impl Constraint {
    /// The place of its column.
    pub fn column(&self) -> usize {
        let (Constraint::Value { column, .. } | Constraint::Years { column, .. }) = self;
        let place = COLUMNS.iter().position(|known| known == column);
        place.unwrap_or(YEAR)
    }

    /// Whether it can be asked: its column exists, and is the year for a range only.
    fn is_sound(&self) -> bool {
        let (Constraint::Value { column, .. } | Constraint::Years { column, .. }) = self;
        let range = matches!(self, Constraint::Years { .. });
        COLUMNS.contains(&column.as_str()) && range == (self.column() == YEAR)
    }
}

#[derive(Default, Deserialize, Serialize)]
struct Meta {
    #[serde(rename = "n")]
    values: BTreeMap<String, usize>,
}

impl Taxa {
    /// Reads the workload of a folder.
    ///
    /// # Errors
    /// If a file is missing or not what it is to be.
    pub fn read(folder: &Path) -> Result<Taxa, BenchError> {
        let mut taxa = Taxa::read_taxonomies(folder)?;
        let header = ["id", "t1", "t2", "t3", "c1", "c2", "y"];
        workload::numbers(&folder.join("inst.csv"), HINT, header, |cells| {
            let [id, t1, t2, t3, c1, c2, y] = cells;
            if id.map(|id| id as usize) != Some(taxa.rows.len()) {
                return Err("the ids are to be 0, 1, 2 …".to_owned());
            }
            taxa.rows.push([t1, t2, t3, c1, c2, y]);
            Ok(())
        })?;
        taxa.queries = workload::json_lines(&folder.join("queries.jsonl"), HINT)?;
        taxa.truth = workload::json(&folder.join("truth.json"), HINT)?;
        taxa.check(folder)?;
        Ok(taxa)
    }

    /// Reads the taxonomies alone.
    ///
    /// # Errors
    /// As [`Taxa::read`].
    pub fn read_taxonomies(folder: &Path) -> Result<Taxa, BenchError> {
        let mut taxa = Taxa::default();
        let meta: Meta = workload::json(&folder.join("meta.json"), HINT)?;
        for (name, taxonomy) in COLUMNS.iter().zip(&mut taxa.taxonomies) {
            taxonomy.values = meta.values.get(*name).copied().unwrap_or(0);
            let values = taxonomy.values;
            let path = folder.join(format!("{name}_edges.csv"));
            workload::numbers(&path, HINT, ["child", "parent"], |edge| match edge {
                [Some(child), Some(parent)]
                    if (child as usize) < values && (parent as usize) < values =>
                {
                    taxonomy.edges.push((child, parent));
                    Ok(())
                }
                _ => Err(format!("an edge is to be of two values below {values}")),
            })?;
        }
        Ok(taxa)
    }

    fn check(&self, folder: &Path) -> Result<(), BenchError> {
        let queries = folder.join("queries.jsonl");
        for (at, query) in self.queries.iter().enumerate() {
            if query.constraints.is_empty() || !query.constraints.iter().all(Constraint::is_sound) {
                return Err(BenchError::BadLine {
                    path: queries,
                    line: at + 1,
                    reason: "a constraint names a column and its value, or `y` and its range"
                        .to_owned(),
                });
            }
        }
        workload::same_length(folder, self.queries.len(), self.truth.len())
    }

    /// Writes the workload's files into a folder.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), BenchError> {
        workload::write(&folder.join("inst.csv"), |out| {
            writeln!(out, "id,{}", COLUMNS.join(","))?;
            (0..self.rows.len() as u32)
                .filter_map(|id| self.line(id))
                .try_for_each(|line| writeln!(out, "{line}"))
        })?;
        let mut meta = Meta::default();
        for (name, taxonomy) in COLUMNS.iter().zip(&self.taxonomies) {
            meta.values.insert((*name).to_owned(), taxonomy.values);
            workload::write(&folder.join(format!("{name}_edges.csv")), |out| {
                writeln!(out, "child,parent")?;
                let mut edges = taxonomy.edges.iter();
                edges.try_for_each(|(child, parent)| writeln!(out, "{child},{parent}"))
            })?;
        }
        workload::write_json(&folder.join("meta.json"), &[meta])?;
        workload::write_json(&folder.join("queries.jsonl"), &self.queries)?;
        workload::write_json(&folder.join("truth.json"), &[&self.truth])
    }

    /// The kinds of the queries, in their order.
    pub fn kinds(&self) -> Vec<String> {
        let queries = self.queries.iter();
        queries.map(|query| query.kind.clone()).collect()
    }

    /// The line of an instance in `inst.csv`.
    pub fn line(&self, id: u32) -> Option<String> {
        let row = self.rows.get(id as usize)?;
        let mut line = id.to_string();
        for cell in row {
            line.push(',');
            line.extend(cell.map(|value| value.to_string()));
        }
        Some(line)
    }

    /// Writes the declarations that `inst.csv` is loaded with, as LQ: the taxonomies
    /// with their orders, the categories as texts, the year as a number.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_schema(&self, path: &Path) -> Result<(), BenchError> {
        workload::write(path, |out| {
            for (name, taxonomy) in COLUMNS.iter().zip(&self.taxonomies) {
                writeln!(out, "DIMENSION {name} TAXONOMY ONE")?;
                taxonomy.write(out)?;
            }
            writeln!(out, "DIMENSION c1 TEXT ONE")?;
            writeln!(out, "DIMENSION c2 TEXT ONE")?;
            writeln!(out, "DIMENSION y NUMBER ONE")
        })
    }
}

impl Edges {
    /// By value: the values directly above it.
    pub fn above(&self) -> Vec<Vec<u32>> {
        self.neighbours(self.edges.iter().copied())
    }

    /// By value: the values directly below it.
    pub fn below(&self) -> Vec<Vec<u32>> {
        self.neighbours(self.edges.iter().map(|&(child, parent)| (parent, child)))
    }

    fn neighbours(&self, pairs: impl Iterator<Item = (u32, u32)>) -> Vec<Vec<u32>> {
        let mut all = vec![Vec::new(); self.values];
        for (from, to) in pairs {
            if let Some(neighbours) = all.get_mut(from as usize) {
                neighbours.push(to);
            }
        }
        all
    }

    /// The lines of its declaration: each value with those directly below it, and
    /// those that have no edge alone.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let above = self.above();
        for (value, (below, above)) in self.below().iter().zip(above).enumerate() {
            if let Some((first, rest)) = below.split_first() {
                write!(out, "  \"{value}\" > \"{first}\"")?;
                for value in rest {
                    write!(out, ", \"{value}\"")?;
                }
                writeln!(out)?;
            } else if above.is_empty() {
                writeln!(out, "  \"{value}\"")?;
            }
        }
        Ok(())
    }
}

impl Query {
    /// The query as LQ.
    pub fn text(&self) -> String {
        let constraints = self.constraints.iter().map(|constraint| match constraint {
            Constraint::Value { column, value } => {
                format!("{column} = {}", quote(&value.to_string()))
            }
            Constraint::Years { column, low, high } => format!("{column} IN {low}..{high}"),
        });
        format!("MEET {}", constraints.collect::<Vec<_>>().join(" AND "))
    }
}
