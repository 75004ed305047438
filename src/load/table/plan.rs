//! What each column of a table becomes.

use super::rows::Row;
use super::survey::{ColumnSurvey, Survey};
use crate::lattice::{DimKey, DimensionSpec, KindSpec, Multiplicity};
use crate::load::job::Job;
use crate::load::{ColumnRequest, InferredColumn, LoadError, names};

/// The columns that name the instance of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub columns: Vec<usize>,
    /// Whether nobody asked for it.
    pub defaulted: bool,
}

impl Key {
    /// A key of no columns, for a table without rows.
    pub fn none() -> Key {
        Key {
            columns: Vec::new(),
            defaulted: true,
        }
    }

    /// The key of a table with this header: as requested, else the first column.
    pub fn of_header(job: &Job<'_>, header: &[String]) -> Result<Key, LoadError> {
        let requested = requested(job, header)?;
        Ok(Key {
            defaulted: requested.is_none(),
            columns: requested.unwrap_or_else(|| vec![0]),
        })
    }

    /// The key of objects with these fields: as requested, else `id`, `name` or
    /// `title` where every object has it, else the first field.
    pub fn of_fields(
        job: &Job<'_>,
        fields: &[String],
        survey: &Survey,
    ) -> Result<Option<Key>, LoadError> {
        if fields.is_empty() {
            return Ok(None);
        }
        if let Some(columns) = requested(job, fields)? {
            return Ok(Some(Key {
                columns,
                defaulted: false,
            }));
        }
        let in_every_row = |name: &str| {
            let column = fields.iter().position(|field| field == name)?;
            let seen = survey.columns.get(column)?;
            (seen.rows == survey.rows).then_some(column)
        };
        let found = ["id", "name", "title"].into_iter().find_map(in_every_row);
        Ok(Some(Key {
            columns: vec![found.unwrap_or(0)],
            defaulted: true,
        }))
    }

    /// The first column, which names the instance.
    pub fn first(&self) -> Option<usize> {
        self.columns.first().copied()
    }

    /// Writes the id of a row's instance in this table; false if a key cell is empty,
    /// or says several things.
    pub fn id(&self, row: &Row, table: &str, id: &mut String) -> bool {
        id.clear();
        id.push_str(table);
        for column in &self.columns {
            let mut cells = row.of_column(*column);
            let (Some(cell), None) = (cells.next(), cells.next()) else {
                return false;
            };
            let Some(part) = names::clean(cell.text) else {
                return false;
            };
            id.push('/');
            if self.columns.len() == 1 {
                id.push_str(&part);
            } else {
                id.push_str(&part.replace('%', "%25").replace('/', "%2F"));
            }
        }
        !self.columns.is_empty()
    }

    /// The headers, for messages.
    pub fn shown(&self, columns: &[String]) -> String {
        let names = self.columns.iter().filter_map(|at| columns.get(*at));
        let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    }
}

/// The key that was asked for; a general wish counts only where it fits.
fn requested(job: &Job<'_>, header: &[String]) -> Result<Option<Vec<usize>>, LoadError> {
    if !job.request.key.is_empty() {
        let columns = job.request.key.iter();
        let found: Result<Vec<usize>, LoadError> =
            columns.map(|name| column(job, header, name)).collect();
        return found.map(Some);
    }
    let at = |name: &String| header.iter().position(|column| column == name);
    let general: Option<Vec<usize>> = job.options.key.iter().map(at).collect();
    Ok(general.filter(|columns| !columns.is_empty()))
}

/// The column of this name.
fn column(job: &Job<'_>, header: &[String], name: &str) -> Result<usize, LoadError> {
    let found = header.iter().position(|column| column == name);
    found.ok_or_else(|| {
        let near = names::nearest(name, header.iter().map(String::as_str));
        let all: Vec<&str> = header.iter().map(String::as_str).take(20).collect();
        let hint = match near.first() {
            Some(near) => format!("the nearest is \"{near}\""),
            None => format!("its columns are {}", all.join(", ")),
        };
        job.table_error(format!("there is no column \"{name}\"; {hint}"))
    })
}

/// What the cells of a column become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    Skip,
    /// A name of the row's instance.
    Name,
    /// Values of a dimension.
    Values(DimKey),
    /// Instances of another table.
    Entity {
        /// The dimension.
        dimension: DimKey,
        /// The other table.
        table: String,
    },
}

/// What a table becomes.
#[derive(Clone)]
pub(super) struct Plan {
    /// The table's name.
    pub table: String,
    /// The columns that name the instance.
    pub key: Key,
    /// What each column becomes.
    pub roles: Vec<Role>,
    /// The columns whose points are decimal points beyond doubt.
    pub decimals: Vec<bool>,
    /// The dimension that says which table an instance is of.
    pub kind: Option<DimKey>,
}

impl Plan {
    /// Decides, and declares what is not declared.
    pub fn new(
        job: &mut Job<'_>,
        columns: &[String],
        survey: &Survey,
        key: Key,
    ) -> Result<Plan, LoadError> {
        let table = table_name(job);
        check_columns(job, columns)?;
        let mut roles = Vec::with_capacity(columns.len());
        let mut fills_kind = false;
        for (at, name) in columns.iter().enumerate() {
            let seen = survey.columns.get(at).filter(|seen| seen.cells > 0);
            let wish = job
                .request
                .columns
                .iter()
                .find(|w| w.column == *name)
                .cloned();
            let role = match (seen, wish) {
                _ if job.request.omit.contains(name) => Role::Skip,
                (_, None) if key.first() == Some(at) => Role::Skip,
                (_, None) if name == "name" => Role::Name,
                (None, _) => {
                    job.warn(format_args!("column \"{name}\" is empty and says nothing"));
                    Role::Skip
                }
                (Some(seen), wish) => {
                    let wish = wish.unwrap_or_default();
                    let dimension = wish.dimension.clone().unwrap_or_else(|| name.clone());
                    fills_kind |= dimension == "kind";
                    declare_column(job, &table, name, &dimension, &wish, seen)?
                }
            };
            roles.push(role);
        }
        let kind = if fills_kind {
            job.warn("a column fills dimension \"kind\", which therefore does not tell the table");
            None
        } else {
            Some(declare_kind(job, &table)?)
        };
        if key.columns.len() > 1 {
            let names = key.columns.iter().filter_map(|at| columns.get(*at));
            let names = names.cloned().collect();
            job.report.seen.keyed(&table, names);
        }
        let decimals = survey.columns.iter().map(|seen| seen.decimals).collect();
        Ok(Plan {
            table,
            key,
            roles,
            decimals,
            kind,
        })
    }
}

fn table_name(job: &Job<'_>) -> String {
    if let Some(table) = &job.request.table {
        return names::fold_spaces(table).into_owned();
    }
    let stem = job.request.path.file_stem();
    let stem = stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let stem = names::fold_spaces(&stem).into_owned();
    if stem.is_empty() {
        "table".to_owned()
    } else {
        stem
    }
}

/// Whether all columns that the request speaks of are there.
fn check_columns(job: &Job<'_>, columns: &[String]) -> Result<(), LoadError> {
    let wished = job.request.columns.iter().map(|wish| &wish.column);
    let spoken = wished.chain(&job.request.omit).chain(&job.request.one);
    for name in spoken {
        column(job, columns, name)?;
    }
    Ok(())
}

/// Declares the dimension that says which table an instance is of, and its value.
pub(super) fn declare_kind(job: &mut Job<'_>, table: &str) -> Result<DimKey, LoadError> {
    let d = match job.builder.dimension("kind") {
        Some(d) => d,
        None => {
            let spec = DimensionSpec::new("kind", KindSpec::Taxonomy);
            job.infer(spec, Some(Multiplicity::One))?
        }
    };
    match &job.builder.spec(d).kind {
        KindSpec::Taxonomy => {
            let added = job.builder.add_value(d, table);
            added.map_err(|error| job.refused(error))?;
            Ok(d)
        }
        KindSpec::Text => Ok(d),
        _ => Err(job.table_error(
            "dimension \"kind\" is to hold the names of tables; declare it as TAXONOMY ONE"
                .to_owned(),
        )),
    }
}

/// The dimension that a column fills: as it is declared, else as its cells show.
fn declare_column(
    job: &mut Job<'_>,
    table: &str,
    column: &str,
    dimension: &str,
    wish: &ColumnRequest,
    seen: &ColumnSurvey,
) -> Result<Role, LoadError> {
    let said_one = job.is_one(column) || job.is_one(dimension);
    let multiplicity = if (seen.differs || seen.arrays) && !said_one {
        Multiplicity::Many
    } else {
        Multiplicity::One
    };
    let known = job.builder.dimension(dimension);
    let (d, kind, declared) = match known {
        Some(d) if !job.builder.is_inferred(d) => {
            check_known(job, d, column, wish, seen)?;
            if said_one {
                let mut spec = job.builder.spec(d).clone();
                spec.multiplicity = Some(Multiplicity::One);
                job.infer(spec, None)?;
            }
            (d, word(&job.builder.spec(d).kind), true)
        }
        _ => {
            let (kind, word) = match (&wish.entity, seen.kind()) {
                (Some(_), _) => (KindSpec::Entity { within: None }, "ENTITY"),
                (None, Some("NUMBER")) => (KindSpec::Number { unit: None }, "NUMBER"),
                (None, Some("DATE")) => (KindSpec::Date, "DATE"),
                (None, _) => (KindSpec::Text, "TEXT"),
            };
            if word == "TEXT"
                && let Some(cell) = seen.unread_date()
            {
                job.warn(format_args!(
                    "column \"{column}\" looks like dates, but \"{cell}\" is not read as one, so that it is TEXT: write them as 2020-12-31, or as 31 December 2020"
                ));
            }
            let mut spec = DimensionSpec::new(dimension, kind);
            spec.multiplicity = said_one.then_some(Multiplicity::One);
            let before = known.and_then(|d| job.builder.multiplicity(d));
            let d = job.infer(spec, Some(multiplicity))?;
            let now = job.builder.multiplicity(d);
            if seen.differs && before == Some(Multiplicity::One) && now != before {
                job.warn(format_args!(
                    "column \"{column}\" has several values for one key, and dimension \"{dimension}\", which was taken for ONE, is MANY; declare it if that is wrong"
                ));
            }
            (d, word, false)
        }
    };
    let multiplicity = match job.builder.multiplicity(d) {
        Some(known) if declared => known,
        // As it is where a declaration says neither.
        None if declared => Multiplicity::Many,
        _ => multiplicity,
    };
    job.report.inferred.push(InferredColumn {
        table: table.to_owned(),
        column: column.to_owned(),
        dimension: dimension.to_owned(),
        kind,
        multiplicity,
        declared,
    });
    Ok(match &wish.entity {
        Some(other) => {
            declare_kind(job, other)?;
            Role::Entity {
                dimension: d,
                table: names::fold_spaces(other).into_owned(),
            }
        }
        None => Role::Values(d),
    })
}

fn word(kind: &KindSpec) -> &'static str {
    match kind {
        KindSpec::Taxonomy => "TAXONOMY",
        KindSpec::Entity { .. } => "ENTITY",
        KindSpec::Number { .. } => "NUMBER",
        KindSpec::Date => "DATE",
        KindSpec::Text => "TEXT",
    }
}

/// Whether a column fits the dimension that is declared.
fn check_known(
    job: &mut Job<'_>,
    d: DimKey,
    column: &str,
    wish: &ColumnRequest,
    seen: &ColumnSurvey,
) -> Result<(), LoadError> {
    let spec = job.builder.spec(d);
    let name = spec.name.clone();
    let entity = matches!(spec.kind, KindSpec::Entity { .. });
    let one = spec.multiplicity == Some(Multiplicity::One);
    if wish.entity.is_some() && !entity {
        return Err(job.table_error(format!(
            "the cells of column \"{column}\" are to name instances, but dimension \"{name}\" is not ENTITY; give the column another dimension with AS"
        )));
    }
    if one && seen.differs {
        job.warn(format_args!(
            "column \"{column}\" has several values for one key, and dimension \"{name}\" is ONE: these are contested; if they are all true, declare it MANY"
        ));
    }
    Ok(())
}
