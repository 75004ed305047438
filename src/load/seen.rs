//! What shows only when all files are loaded: wishes that no file fits, and
//! references that no row answers.

use super::{Options, Report, names};
use crate::lattice::Builder;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The tables of the files, and what their cells refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The columns of each table or file of objects.
    pub columns: Vec<Vec<String>>,
    /// By table name: the columns of a key of several columns, and its rows.
    keyed: BTreeMap<String, Keyed>,
    /// By document, column and table: cells by the instance that they name.
    references: BTreeMap<(String, String, String), BTreeMap<u128, u64>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Keyed {
    key: Vec<String>,
    rows: HashSet<u128>,
}

impl Seen {
    /// A table whose key has several columns.
    pub fn keyed(&mut self, table: &str, key: Vec<String>) {
        self.keyed.entry(table.to_owned()).or_default().key = key;
    }

    /// A row of such a table, by its instance's id.
    pub fn row(&mut self, table: &str, id: &str) {
        if let Some(keyed) = self.keyed.get_mut(table) {
            keyed.rows.insert(digest(id));
        }
    }

    /// A cell that names an instance of a table.
    pub fn reference(&mut self, document: &str, column: &str, table: &str, id: &str) {
        let place = (document.to_owned(), column.to_owned(), table.to_owned());
        let cells = self.references.entry(place).or_default();
        *cells.entry(digest(id)).or_default() += 1;
    }

    pub fn absorb(&mut self, other: Seen) {
        self.columns.extend(other.columns);
        for (table, keyed) in other.keyed {
            let mine = self.keyed.entry(table).or_default();
            mine.key = keyed.key;
            mine.rows.extend(keyed.rows);
        }
        for (place, cells) in other.references {
            let mine = self.references.entry(place).or_default();
            for (id, count) in cells {
                *mine.entry(id).or_default() += count;
            }
        }
    }
}

/// Enough of a hash to tell ids apart.
fn digest(id: &str) -> u128 {
    let hash = blake3::hash(id.as_bytes());
    let bytes = hash.as_bytes().first_chunk::<16>();
    bytes.map_or(0, |bytes| u128::from_le_bytes(*bytes))
}

impl Report {
    /// Warns of cells that name rows of a table by a part of its key. Called once
    /// all files are loaded, since a table may come after those that refer to it.
    pub fn warn_of_references(&mut self) {
        let mut told = Vec::new();
        for ((document, column, table), cells) in &self.seen.references {
            let Some(keyed) = self.seen.keyed.get(table) else {
                continue;
            };
            let unanswered = cells.iter().filter(|(id, _)| !keyed.rows.contains(id));
            let count: u64 = unanswered.map(|(_, count)| count).sum();
            if count > 0 {
                let (cells, name) = match count {
                    1 => ("cell", "names"),
                    _ => ("cells", "name"),
                };
                told.push(format!(
                    "{document}: {count} {cells} of \"{column}\" {name} no row of \"{table}\" (its key has {} columns: {}); each makes an instance that no row describes",
                    keyed.key.len(),
                    keyed.key.join(", ")
                ));
            }
        }
        for warning in told {
            self.warn(warning);
        }
    }

    /// Why a wish of the options fits none of the files that were loaded, if so.
    /// Nothing is said where a file was set aside: it may have been the one.
    pub fn wish_without_file(&self, options: &Options, builder: &Builder) -> Option<String> {
        if !self.quarantined.is_empty() {
            return None;
        }
        let columns: BTreeSet<&str> = self
            .seen
            .columns
            .iter()
            .flatten()
            .map(String::as_str)
            .collect();
        if let Some(key) = options.key.iter().find(|key| !columns.contains(&***key)) {
            let hint = hint(key, &columns, "no file is a table");
            return Some(format!("--key: no table has a column \"{key}\"; {hint}"));
        }
        let has_all = |table: &Vec<String>| options.key.iter().all(|key| table.contains(key));
        if !self.seen.columns.iter().any(has_all) {
            let key = options.key.join(", ");
            if !key.is_empty() {
                return Some(format!(
                    "--key: no table has all of the columns {key}; name those of one table, or give each its KEY in a script with LOAD"
                ));
            }
        }
        let one = options.one.iter();
        let mut one =
            one.filter(|one| !columns.contains(&***one) && builder.dimension(one).is_none());
        let one = one.next()?;
        let relations = self.relations.iter().map(|(name, _)| name.as_str());
        let all: BTreeSet<&str> = columns.into_iter().chain(relations).collect();
        let hint = hint(one, &all, "no file has columns or relations");
        Some(format!(
            "--one: no file has a column or relation \"{one}\"; {hint}"
        ))
    }
}

fn hint(word: &str, words: &BTreeSet<&str>, none: &str) -> String {
    if let Some(near) = names::nearest(word, words.iter().copied()).first() {
        return format!("the nearest is \"{near}\"");
    }
    if words.is_empty() {
        return none.to_owned();
    }
    let shown: Vec<&str> = words.iter().copied().take(20).collect();
    let more = match words.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("there are {}{more}", shown.join(", "))
}
