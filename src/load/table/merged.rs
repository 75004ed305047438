//! Rows that become one instance though nobody said which columns identify a row.

use super::plan::{Plan, Role};
use super::rows::{Row, Rows};
use super::survey::Survey;
use crate::lattice::Multiplicity;
use crate::load::LoadError;
use crate::load::job::Job;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// How many columns a warning names.
const MOST_NAMED: usize = 5;

/// Rows of one key: what the first says in each column, 0 for nothing.
struct Group {
    first: Vec<u64>,
    rows: u64,
    differs: bool,
}

/// Warns of rows that have a defaulted key in common and say different things.
/// Reads the file once more where there are some, and leaves it at its beginning.
pub(super) fn warn(
    job: &mut Job<'_>,
    rows: &mut dyn Rows,
    plan: &Plan,
    survey: &Survey,
) -> Result<(), LoadError> {
    let doubtful: Vec<usize> = survey
        .columns
        .iter()
        .enumerate()
        .filter(|(at, seen)| seen.rows_differ && !may_differ(job, plan, *at))
        .map(|(at, _)| at)
        .collect();
    if !plan.key.defaulted || doubtful.is_empty() {
        return Ok(());
    }
    let hasher = RandomState::new();
    let mut groups: HashMap<u64, Group> = HashMap::new();
    // Of each column that may belong to the key: its values with those of the key.
    let mut unique: Vec<Option<HashSet<u64>>> = doubtful
        .iter()
        .map(|at| {
            let text = survey.columns.get(*at).and_then(|seen| seen.kind()) == Some("TEXT");
            text.then(HashSet::new)
        })
        .collect();
    let mut said = HashSet::new();
    let (mut row, mut id) = (Row::default(), String::new());
    while rows.next(job, &mut row)? {
        if !plan.key.id(&row, "", &mut id) {
            continue;
        }
        let mut values = vec![0u64; doubtful.len()];
        for (value, at) in values.iter_mut().zip(&doubtful) {
            let texts: Vec<&str> = row.of_column(*at).map(|cell| cell.text).collect();
            if !texts.is_empty() {
                *value = hasher.hash_one(&texts) | 1;
            }
        }
        let group = groups.entry(hasher.hash_one(&id)).or_insert_with(|| Group {
            first: values.clone(),
            rows: 0,
            differs: false,
        });
        group.rows += 1;
        for (first, value) in group.first.iter_mut().zip(&values) {
            match (*first, *value) {
                (_, 0) => {}
                (0, value) => *first = value,
                (first, value) => group.differs |= first != value,
            }
        }
        if !said.insert(hasher.hash_one((&id, &row.text))) {
            continue;
        }
        for (set, value) in unique.iter_mut().zip(&values) {
            let pair = hasher.hash_one((&id, *value));
            if *value == 0 || set.as_mut().is_some_and(|set| !set.insert(pair)) {
                *set = None;
            }
        }
    }
    rows.rewind(job)?;
    let differing = groups.values().filter(|group| group.differs);
    let count: u64 = differing.map(|group| group.rows).sum();
    if count == 0 {
        return Ok(());
    }
    let columns = rows.columns();
    let name = |at: usize| columns.get(at).map_or("", String::as_str);
    let key = plan.key.first().map_or("", name);
    let named: Vec<&str> = doubtful
        .iter()
        .take(MOST_NAMED)
        .map(|at| name(*at))
        .collect();
    let more = match doubtful.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let telling = unique.iter().position(Option::is_some);
    let question = match telling.and_then(|place| doubtful.get(place)) {
        Some(at) => format!("is --key {} {} meant?", argument(key), argument(name(*at))),
        None => "which columns identify a row?".to_owned(),
    };
    job.warn(format_args!(
        "{count} rows share their {key} with another row but differ in {}{more}; {question} (--key {} if they are one)",
        named.join(", "),
        argument(key)
    ));
    Ok(())
}

/// Whether rows of one key may well say different things in a column.
fn may_differ(job: &Job<'_>, plan: &Plan, at: usize) -> bool {
    match plan.roles.get(at) {
        Some(Role::Values(d) | Role::Entity { dimension: d, .. }) => {
            !job.builder.is_inferred(*d)
                && job.builder.spec(*d).multiplicity == Some(Multiplicity::Many)
        }
        Some(Role::Skip | Role::Name) | None => true,
    }
}

/// A name as it is written behind an option.
fn argument(name: &str) -> String {
    if name.contains(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
        format!("\"{name}\"")
    } else {
        name.to_owned()
    }
}
