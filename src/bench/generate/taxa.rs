//! The workload `taxa`, made here.

use super::draw::{Draw, Skewed};
use crate::bench::peers::intervals::Intervals;
use crate::bench::reference::TaxaTruth;
use crate::bench::taxa::{COLUMNS, Constraint, Edges, Query, Taxa, YEAR};
use crate::bench::workload::Signature;
use crate::bench::{BenchError, Watcher, tick};

/// The share of cells that are empty.
const EMPTY: f64 = 0.1;
/// The last year, and how many there are before it.
const YEARS: (u32, u32) = (2025, 125);
/// A value is broad if one in so many instances has it or one below it.
const BROAD: usize = 20;

/// Makes the workload: instances, queries, and what is true of their answers. The
/// numbers of values grow with the instances up to those of 1,200,000.
///
/// # Errors
/// If the work is stopped.
pub fn taxa(
    instances: usize,
    queries: usize,
    seed: u64,
    watcher: &mut dyn Watcher,
) -> Result<Taxa, BenchError> {
    let mut draw = Draw::new(seed);
    let values = [
        (instances / 15).clamp(60, 80_000),
        (instances / 60).clamp(40, 20_000),
        (instances / 2400).clamp(20, 500),
        50,
        (instances / 240).clamp(50, 5_000),
    ];
    let [t1, t2, t3, c1, c2] = values;
    let taxonomies = [
        edges(t1, 12, 0.05, &mut draw),
        edges(t2, 12, 0.05, &mut draw),
        edges(t3, 5, 0.0, &mut draw),
    ];
    let columns = [(t1, 0.8), (t2, 0.8), (t3, 0.8), (c1, 1.0), (c2, 1.0)]
        .map(|(count, exponent)| Skewed::new(count, exponent, &mut draw));
    let rows = (0..instances).map(|_| row(&columns, &mut draw));
    let mut taxa = Taxa {
        rows: rows.collect(),
        taxonomies,
        ..Taxa::default()
    };
    let maker = Maker::new(&taxa, values)?;
    let made = (0..queries).map(|number| maker.query(number, &mut draw));
    taxa.queries = made.collect();
    let truth = TaxaTruth::new(&taxa);
    let mut answers = Vec::with_capacity(queries);
    for query in 0..queries {
        tick(
            watcher,
            &format!("finding what is true: query {query} of {queries}"),
        )?;
        answers.push(Signature::of(&mut truth.scan(query)));
    }
    taxa.truth = answers;
    Ok(taxa)
}

fn row(columns: &[Skewed; 5], draw: &mut Draw) -> [Option<u32>; 6] {
    let mut row = [None; 6];
    let (cells, year) = row.split_at_mut(columns.len());
    for (cell, column) in cells.iter_mut().zip(columns) {
        *cell = Some(column.one(draw)).filter(|_| !draw.happens(EMPTY));
    }
    for cell in year {
        // Each year back is a little rarer than the one after it.
        let back = (-25.0 * (1.0 - draw.unit()).ln()) as u32;
        *cell = Some(YEARS.0 - back.min(YEARS.1)).filter(|_| !draw.happens(EMPTY));
    }
    row
}

/// A taxonomy of levels that grow and then stay as wide: a value lies below one on the
/// level above, and a share of them below a second one on any level above.
fn edges(values: usize, levels: usize, second: f64, draw: &mut Draw) -> Edges {
    let weights = (0..levels).map(|level| match level {
        0 => 0.0,
        level => 1.9f64.powi(level.min(6) as i32),
    });
    let weights: Vec<f64> = weights.collect();
    let sum: f64 = weights.iter().sum();
    let mut numbers: Vec<u32> = (0..values as u32).collect();
    draw.shuffle(&mut numbers);
    let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
    let mut edges = Vec::new();
    let (mut above, mut next) = (0..1, 1);
    for (level, weight) in weights.iter().enumerate().skip(1) {
        let share = (weight / sum * (values - 1) as f64) as usize;
        let end = match level + 1 == levels {
            true => values,
            false => (next + share.max(1)).min(values),
        };
        for at in next..end {
            // The first values of a level have the most below them.
            let parent = above.start + (draw.unit().powf(1.7) * above.len() as f64) as usize;
            edges.push((number(at), number(parent)));
            if level > 1 && draw.happens(second) {
                edges.push((number(at), number(1 + draw.below(next - 1))));
            }
        }
        if end > next {
            above = next..end;
        }
        next = end;
    }
    edges.sort_unstable();
    edges.dedup();
    Edges { values, edges }
}

/// How far above the value of an instance a query asks.
#[derive(Clone, Copy)]
enum Breadth {
    Narrow,
    Mid,
    Wide,
}

/// Makes queries over instances.
struct Maker<'t> {
    taxa: &'t Taxa,
    /// So many values there are in each column but the year.
    values: [usize; 5],
    /// By taxonomy and value: those directly above it.
    above: Vec<Vec<Vec<u32>>>,
    /// By column but the year: the broad values.
    broad: Vec<Vec<u32>>,
}

impl<'t> Maker<'t> {
    fn new(taxa: &'t Taxa, values: [usize; 5]) -> Result<Maker<'t>, BenchError> {
        let mut broad = Vec::new();
        for (column, count) in values.into_iter().enumerate() {
            let cells = taxa.rows.iter().filter_map(|row| *row.get(column)?);
            let totals = match taxa.taxonomies.get(column) {
                Some(edges) => {
                    let name = COLUMNS.get(column).copied().unwrap_or_default();
                    Intervals::new(edges, name)?.totals(cells)
                }
                None => {
                    let mut totals = vec![0u64; count];
                    for cell in cells {
                        totals
                            .get_mut(cell as usize)
                            .into_iter()
                            .for_each(|n| *n += 1);
                    }
                    totals
                }
            };
            let least = (taxa.rows.len() / BROAD) as u64;
            let values = (0u32..).zip(totals).filter(|(_, n)| *n >= least);
            broad.push(values.map(|(value, _)| value).collect());
        }
        Ok(Maker {
            taxa,
            values,
            above: taxa.taxonomies.iter().map(Edges::above).collect(),
            broad,
        })
    }

    /// The query of a number, which tells its kind: of twenty 4 huge, 8 mid, 3 narrow,
    /// 3 of a range of years, 2 most likely empty.
    fn query(&self, number: usize, draw: &mut Draw) -> Query {
        let row = draw.below(self.taxa.rows.len());
        let (kind, constraints) = match number % 20 {
            0..4 => ("huge", self.huge(draw)),
            4..12 => {
                let breadth = match draw.happens(0.5) {
                    true => Breadth::Mid,
                    false => Breadth::Wide,
                };
                let count = 1 + draw.below(4);
                let columns = draw.several(count, COLUMNS.len());
                ("mid", self.of_row(columns, row, breadth, draw))
            }
            12..15 => {
                let count = 1 + draw.below(4);
                let columns = draw.several(count, COLUMNS.len());
                ("narrow", self.of_row(columns, row, Breadth::Narrow, draw))
            }
            15..18 => {
                let count = 1 + draw.below(3);
                let mut columns = vec![YEAR];
                columns.extend(draw.several(count, YEAR));
                ("range", self.of_row(columns, row, Breadth::Wide, draw))
            }
            _ => {
                let count = 2 + draw.below(3);
                let mut constraints = Vec::new();
                for column in draw.several(count, COLUMNS.len()) {
                    let row = draw.below(self.taxa.rows.len());
                    constraints.extend(self.of_row(vec![column], row, Breadth::Narrow, draw));
                }
                ("empty", constraints)
            }
        };
        Query {
            kind: kind.to_owned(),
            constraints,
        }
    }

    /// One or two broad constraints.
    fn huge(&self, draw: &mut Draw) -> Vec<Constraint> {
        let count = if draw.happens(0.6) { 1 } else { 2 };
        let columns = draw.several(count, COLUMNS.len()).into_iter();
        let constraints = columns.map(|column| {
            let broad = self.broad.get(column).map_or(&[][..], Vec::as_slice);
            match draw.one_of(broad) {
                Some(value) => value_of(column, value),
                None => years(YEARS.0 - draw.below(YEARS.1 as usize) as u32, YEARS.0),
            }
        });
        constraints.collect()
    }

    /// A constraint for each column, which an instance meets unless its cell is empty.
    fn of_row(
        &self,
        columns: Vec<usize>,
        row: usize,
        breadth: Breadth,
        draw: &mut Draw,
    ) -> Vec<Constraint> {
        let row = self.taxa.rows.get(row).copied().unwrap_or_default();
        let constraints = columns.into_iter().map(|column| {
            let cell = row.get(column).copied().flatten();
            let Some(count) = self.values.get(column) else {
                let width = match breadth {
                    Breadth::Narrow => draw.below(4),
                    Breadth::Mid | Breadth::Wide => 5 + draw.below(55),
                } as u32;
                let low = cell.unwrap_or(2000) - draw.below(width as usize + 1) as u32;
                return years(low, low + width);
            };
            let value = cell.unwrap_or_else(|| draw.below(*count) as u32);
            let steps = match breadth {
                Breadth::Narrow => draw.below(3),
                Breadth::Mid => 1 + draw.below(5),
                Breadth::Wide => 3 + draw.below(9),
            };
            value_of(column, self.climbed(column, value, steps, draw))
        });
        constraints.collect()
    }

    /// The value so many steps above one, or the last before there is none.
    fn climbed(&self, column: usize, value: u32, steps: usize, draw: &mut Draw) -> u32 {
        let mut at = value;
        for _ in 0..steps {
            let above = self.above.get(column);
            let above = above.and_then(|above| above.get(at as usize));
            match draw.one_of(above.map_or(&[][..], Vec::as_slice)) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }
}

fn value_of(column: usize, value: u32) -> Constraint {
    Constraint::Value {
        column: COLUMNS.get(column).copied().unwrap_or_default().to_owned(),
        value,
    }
}

fn years(low: u32, high: u32) -> Constraint {
    Constraint::Years {
        column: "y".to_owned(),
        low,
        high,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;

    struct Nobody;

    impl Watcher for Nobody {
        fn tick(&mut self, _: &str) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn made(instances: usize, queries: usize, seed: u64) -> Taxa {
        taxa(instances, queries, seed, &mut Nobody).unwrap()
    }

    #[test]
    fn a_seed_gives_the_same_workload_and_every_kind_of_query() {
        let again = made(500, 40, 3).truth;
        assert_ne!(again, made(500, 40, 4).truth);
        let made = made(500, 40, 3);
        assert_eq!(made.truth, again);
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for query in &made.queries {
            *kinds.entry(&query.kind).or_default() += 1;
        }
        let expected = [
            ("empty", 4),
            ("huge", 8),
            ("mid", 16),
            ("narrow", 6),
            ("range", 6),
        ];
        assert_eq!(kinds, BTreeMap::from(expected));
        let hits = |kind: &str| -> u64 {
            let all = made.queries.iter().zip(&made.truth);
            all.filter(|(q, _)| q.kind == kind).map(|(_, s)| s.0).sum()
        };
        assert!(hits("huge") > hits("narrow") && hits("narrow") > 0);
    }

    #[test]
    fn every_value_but_the_first_hangs_below_another() {
        let made = edges(300, 12, 0.05, &mut Draw::new(8));
        let roots = made.above().iter().filter(|above| above.is_empty()).count();
        assert_eq!(roots, 1);
        assert!(made.above().iter().any(|above| above.len() == 2));
        assert!(Intervals::new(&made, "t").is_ok());
    }
}
