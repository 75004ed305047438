//! What rows say by cells that are known: read apart from the builder, so that it takes
//! in no more than numbers.

use super::batch::Looking;
use super::plan::{Plan, Role};
use super::rows::{Cell, Row};
use crate::lattice::{Builder, DimKey, KindSpec, ValueKey};
use crate::load::names;
use hashbrown::HashMap;

/// So many cells of a column are remembered with what they say.
const MOST_REMEMBERED: usize = 1 << 17;
/// The longest cell that is remembered, in bytes.
const LONGEST_REMEMBERED: usize = 64;

/// What a cell says: a value, and why it may mean another one.
type Said = (ValueKey, Option<Box<str>>);

/// What the cells of each column have said, so that none is read and looked up again.
pub(super) struct Known {
    columns: Vec<HashMap<Box<str>, Said>>,
}

impl Known {
    /// Nothing yet of a table's columns.
    pub(super) fn of(plan: &Plan) -> Known {
        Known {
            columns: plan.roles.iter().map(|_| HashMap::new()).collect(),
        }
    }

    /// Remembers the values of taxonomies, where there are more rows than values: most are
    /// cells then.
    pub(super) fn keep_taxonomies(&mut self, builder: &Builder, plan: &Plan, rows: usize) {
        for (role, column) in plan.roles.iter().zip(&mut self.columns) {
            let &Role::Values(d) = role else { continue };
            if builder.spec(d).kind != KindSpec::Taxonomy {
                continue;
            }
            let values = builder.values_of(d).take(MOST_REMEMBERED + 1);
            let values: Vec<(&str, ValueKey)> = values.collect();
            if values.len() <= rows.min(MOST_REMEMBERED) {
                let short = values
                    .iter()
                    .filter(|(name, _)| name.len() <= LONGEST_REMEMBERED);
                column.extend(short.map(|(name, value)| (Box::from(*name), (*value, None))));
            }
        }
    }

    /// What a cell says, if that is known.
    pub(super) fn get(&self, cell: &Cell<'_>) -> Option<&Said> {
        self.columns.get(cell.column)?.get(cell.text)
    }

    /// Remembers what a cell says.
    pub(super) fn keep(&mut self, cell: Cell<'_>, value: ValueKey, unclear: Option<String>) {
        if let Some(column) = self.columns.get_mut(cell.column)
            && column.len() < MOST_REMEMBERED
            && cell.text.len() <= LONGEST_REMEMBERED
        {
            let unclear = unclear.map(String::into_boxed_str);
            column.insert(cell.text.into(), (value, unclear));
        }
    }

    /// Takes over what another remembers, as far as there is room.
    pub(super) fn absorb(&mut self, other: &mut Known) {
        for (column, more) in self.columns.iter_mut().zip(&mut other.columns) {
            let room = MOST_REMEMBERED.saturating_sub(column.len());
            column.extend(more.drain().take(room));
        }
    }
}

/// A row, by the cells that are known.
pub(super) struct KnownRow<'d> {
    pub id: &'d str,
    pub name: &'d str,
    pub values: &'d [(DimKey, ValueKey)],
}

/// A row of a digest.
pub(super) struct Digested<'d> {
    /// Which record it is.
    pub at: usize,
    /// What it says; none if that shows only when it is read with the builder.
    pub known: Option<KnownRow<'d>>,
}

/// Where a row ends.
struct End {
    at: usize,
    known: bool,
    id: usize,
    name: usize,
    values: usize,
}

/// The rows of a batch.
#[derive(Default)]
pub(super) struct Digest {
    /// The id and the name of each row that is known.
    texts: String,
    values: Vec<(DimKey, ValueKey)>,
    ends: Vec<End>,
}

impl Digest {
    pub(super) fn of(plan: &Plan, known: &Known, rows: &mut Looking<'_>) -> Digest {
        let mut digest = Digest::default();
        let (mut row, mut id) = (Row::default(), String::new());
        while let Some(at) = rows.row(&mut row) {
            let (texts, values) = (digest.texts.len(), digest.values.len());
            let end = digest.row(plan, known, &row, &mut id);
            if end.is_none() {
                digest.texts.truncate(texts);
                digest.values.truncate(values);
            }
            digest.ends.push(End {
                at,
                known: end.is_some(),
                id: end.unwrap_or(texts),
                name: digest.texts.len(),
                values: digest.values.len(),
            });
        }
        digest
    }

    /// Puts down a row; where its id ends. None if not everything is known of it.
    fn row(&mut self, plan: &Plan, known: &Known, row: &Row, id: &mut String) -> Option<usize> {
        if !plan.key.id(row, &plan.table, id) {
            return None;
        }
        let first = plan.key.first();
        let key = first.and_then(|column| row.of_column(column).next());
        let name = key.and_then(|cell| names::clean(cell.text));
        self.texts.push_str(id);
        let end = self.texts.len();
        self.texts.push_str(name.as_deref().unwrap_or(id));
        for cell in row.cells() {
            match plan.roles.get(cell.column).unwrap_or(&Role::Skip) {
                Role::Skip => {}
                Role::Name | Role::Entity { .. } => return None,
                Role::Values(d) => match known.get(&cell)? {
                    (value, None) => self.values.push((*d, *value)),
                    (_, Some(_)) => return None,
                },
            }
        }
        Some(end)
    }

    /// The rows in their order.
    pub(super) fn rows(&self) -> impl Iterator<Item = Digested<'_>> {
        let (mut text, mut value) = (0, 0);
        self.ends.iter().map(move |end| {
            let row = || {
                Some(KnownRow {
                    id: self.texts.get(text..end.id)?,
                    name: self.texts.get(end.id..end.name)?,
                    values: self.values.get(value..end.values)?,
                })
            };
            let known = end.known.then(row).flatten();
            (text, value) = (end.name, end.values);
            Digested { at: end.at, known }
        })
    }
}
