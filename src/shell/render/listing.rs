//! SHOW and DESCRIBE for people.

use super::super::args::Format;
use super::super::terminal::{count_of, grouped, plain};
use super::{Heading, Manner, Row, Sheet, print_sheet};
use crate::lattice::{DimensionId, InstanceId, Lattice, ValueId};
use crate::script::listing::{Description, DimensionLine, Listing, Portrait, Said, dimension_line};
use crate::script::words;
use std::io::{self, Write};

/// Prints what SHOW lists.
pub fn print(
    out: &mut dyn Write,
    manner: &Manner,
    lattice: &Lattice,
    listing: Listing,
) -> io::Result<()> {
    let (sheet, one, many) = match listing {
        Listing::Dimensions => (dimensions(lattice), "dimension", "dimensions"),
        Listing::Instances => (instances(lattice), "instance", "instances"),
        Listing::Documents => (documents(lattice), "document", "documents"),
        Listing::Values(d) => (value_sheet(lattice, d), "value", "values"),
    };
    let total = sheet.total;
    print_sheet(out, manner, sheet)?;
    if matches!(manner.format, Format::Csv | Format::Tsv) {
        return Ok(());
    }
    writeln!(out)?;
    let mut line = count_of(total, one, many);
    if let Listing::Values(d) = listing {
        let dimension = dimension_line(lattice, d);
        line = format!("{}: {line}", in_words(&dimension));
    }
    writeln!(out, "{}", manner.paint.faint(&plain(&line)))
}

/// `species TAXONOMY ONE`.
pub fn in_words(line: &DimensionLine) -> String {
    let complete = if line.complete { " COMPLETE" } else { "" };
    let strict = if line.strict { " STRICT" } else { "" };
    let inverse = match &line.inverse {
        Some(inverse) => format!(" INVERSE {inverse}"),
        None => String::new(),
    };
    format!(
        "{} {} {}{complete}{strict}{inverse}",
        line.name, line.kind, line.multiplicity
    )
}

fn dimensions(lattice: &Lattice) -> Sheet<'_> {
    let aka = lattice.dimensions().iter().any(|d| !d.aka.is_empty());
    let row = move |d: DimensionId| -> Row {
        let line = dimension_line(lattice, d);
        let mut flags = vec![line.multiplicity.to_string()];
        if line.complete {
            flags.push("COMPLETE".to_string());
        }
        if line.strict {
            flags.push("STRICT".to_string());
        }
        if let Some(inverse) = &line.inverse {
            flags.push(format!("INVERSE {inverse}"));
        }
        let mut row = vec![
            Some(line.name),
            Some(line.kind),
            Some(flags.join(" ")),
            Some(grouped(line.values)),
            Some(grouped(line.instances)),
        ];
        row.extend(aka.then(|| Some(line.aka.join(", "))));
        row
    };
    let mut headings = vec![
        Heading::new("dimension"),
        Heading::new("kind"),
        Heading::new("flags"),
        Heading::number("values"),
        Heading::number("instances"),
    ];
    headings.extend(aka.then(|| Heading::text("also known as")));
    Sheet {
        headings,
        total: lattice.dimensions().len() as u64,
        rows: Box::new(words::dimension_ids(lattice).map(row)),
    }
}

fn instances(lattice: &Lattice) -> Sheet<'_> {
    let row = |i: u32| -> Row {
        let i = InstanceId(i);
        vec![
            Some(lattice.name(i).to_string()),
            Some(lattice.id(i).to_string()),
            Some(lattice.aliases(i).join(", ")),
        ]
    };
    Sheet {
        headings: vec![
            Heading::new("instance"),
            Heading::new("id"),
            Heading::text("also known as"),
        ],
        total: u64::from(lattice.instance_count()),
        rows: Box::new((0..lattice.instance_count()).map(row)),
    }
}

fn documents(lattice: &Lattice) -> Sheet<'_> {
    let rows = lattice
        .documents()
        .into_iter()
        .map(|d| vec![Some(d.name), Some(grouped(u64::from(d.evidence_count)))])
        .collect();
    Sheet::of(
        vec![Heading::new("document"), Heading::number("sources")],
        rows,
    )
}

/// The values of a dimension: all of a taxonomy, the recorded ones of others.
pub fn values(lattice: &Lattice, d: DimensionId) -> Box<dyn Iterator<Item = u32> + '_> {
    match lattice.taxonomy(d) {
        Some(taxonomy) => Box::new(0..taxonomy.len() as u32),
        None => Box::new(lattice.recorded_values(d).iter().copied()),
    }
}

fn value_sheet(lattice: &Lattice, d: DimensionId) -> Sheet<'_> {
    let total = match lattice.taxonomy(d) {
        Some(taxonomy) => taxonomy.len(),
        None => lattice.recorded_values(d).len(),
    };
    let name = &lattice.dimension(d).name;
    let title = words::with_unit(lattice, name, Some(d));
    let holders = move |v: u32| {
        let holders = lattice.positive(d).holders(ValueId(v)).len();
        Some(grouped(holders as u64))
    };
    let mut headings = vec![Heading::new(title)];
    let rows: Box<dyn Iterator<Item = Row>> = match lattice.taxonomy(d) {
        Some(taxonomy) => {
            headings.push(Heading::text("below"));
            let any = (0..taxonomy.len() as u32).any(|v| !taxonomy.synonyms(ValueId(v)).is_empty());
            headings.extend(any.then(|| Heading::text("synonyms")));
            let named = |all: &[u32]| {
                let all: Vec<&str> = all.iter().map(|v| taxonomy.name(ValueId(*v))).collect();
                Some(all.join(", "))
            };
            Box::new(values(lattice, d).map(move |v| {
                let mut row = vec![
                    Some(taxonomy.name(ValueId(v)).to_string()),
                    named(taxonomy.dag().parents(v)),
                ];
                row.extend(any.then(|| Some(taxonomy.synonyms(ValueId(v)).join(", "))));
                row.push(holders(v));
                row
            }))
        }
        None => Box::new(
            values(lattice, d)
                .map(move |v| vec![Some(words::value_cell(lattice, d, ValueId(v))), holders(v)]),
        ),
    };
    headings.push(Heading::number("instances"));
    Sheet {
        headings,
        total: total as u64,
        rows,
    }
}

/// Prints what DESCRIBE tells.
pub fn describe(out: &mut dyn Write, manner: &Manner, description: &Description) -> io::Result<()> {
    match description {
        Description::Dimension(line) => {
            writeln!(out, "{}", manner.paint.strong(&plain(&in_words(line))))?;
            if !line.aka.is_empty() {
                writeln!(out, "  also known as {}", plain(&line.aka.join(", ")))?;
            }
            let values = count_of(line.values, "value", "values");
            let of = count_of(line.instances, "instance", "instances");
            let facts = count_of(line.predicates, "fact", "facts");
            writeln!(out, "  {values}, {facts} about {of}")?;
            if line.denials > 0 {
                writeln!(out, "  {}", count_of(line.denials, "denial", "denials"))?;
            }
            Ok(())
        }
        Description::Instances(portraits) => {
            for (k, one) in portraits.iter().enumerate() {
                if k > 0 {
                    writeln!(out)?;
                }
                portrait(out, manner, one)?;
            }
            Ok(())
        }
    }
}

fn portrait(out: &mut dyn Write, manner: &Manner, portrait: &Portrait) -> io::Result<()> {
    if matches!(manner.format, Format::Csv | Format::Tsv | Format::Md) {
        return print_sheet(out, manner, said_sheet(portrait));
    }
    let paint = manner.paint;
    let id = if portrait.id == portrait.name {
        String::new()
    } else {
        format!("  @{}", words::quoted_id(&portrait.id))
    };
    writeln!(
        out,
        "{}{}",
        paint.strong(&plain(&portrait.name)),
        paint.faint(&plain(&id))
    )?;
    if !portrait.aka.is_empty() {
        writeln!(out, "  also called {}", plain(&portrait.aka.join(", ")))?;
    }
    if portrait.predicates.is_empty() {
        writeln!(out, "  nothing is recorded of it")?;
    }
    for said in &portrait.predicates {
        let sign = if said.denied { "!=" } else { "=" };
        let contested = if said.contested { "  contested" } else { "" };
        let confidence = if said.confidence < 1.0 {
            format!("  confidence {}", said.confidence)
        } else {
            String::new()
        };
        writeln!(
            out,
            "  {} {sign} {}{}{}",
            paint.number(&plain(&said.dimension)),
            plain(&said.value),
            paint.faint(&confidence),
            paint.notice(contested),
        )?;
        for source in &said.sources {
            writeln!(
                out,
                "      “{}”  {}",
                plain(&source.text),
                paint.faint(&plain(&source.place()))
            )?;
        }
    }
    Ok(())
}

fn said_sheet(portrait: &Portrait) -> Sheet<'_> {
    let row = |said: &Said| -> Vec<Row> {
        let cells = |text: &str, place: &str| {
            vec![
                Some(portrait.name.clone()),
                Some(said.dimension.clone()),
                Some(if said.denied { "!=" } else { "=" }.to_string()),
                Some(said.value.clone()),
                Some(said.confidence.to_string()),
                Some(if said.contested { "contested" } else { "" }.to_string()),
                Some(text.to_string()),
                Some(place.to_string()),
            ]
        };
        said.sources
            .iter()
            .map(|s| cells(&s.text, &s.place()))
            .collect()
    };
    let titles = [
        "instance",
        "dimension",
        "sign",
        "value",
        "confidence",
        "contested",
        "source",
        "place",
    ];
    Sheet::of(
        titles.iter().map(|t| Heading::new(*t)).collect(),
        portrait.predicates.iter().flat_map(row).collect(),
    )
}
