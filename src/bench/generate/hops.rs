//! The workload `hops`, made here.

use super::draw::{Draw, Skewed};
use crate::bench::hops::{Hops, Query};
use crate::bench::reference::HopsTruth;
use crate::bench::workload::Signature;
use std::collections::BTreeSet;

/// So many films there are in a workload of full size.
pub const FILMS: usize = 16_500;
/// So many triples are kept of it.
const TRIPLES: usize = 135_000;
/// The chance that the last hop goes anywhere.
const ANYWHERE: f64 = 0.05;

/// A relation of films: its name, how many things there are at its other end, and how
/// many of them a film has on the average.
type Shape = (&'static str, usize, f64);

const RELATIONS: [Shape; 9] = [
    ("directed_by", 6_000, 1.1),
    ("written_by", 8_500, 1.4),
    ("starred_actors", 14_000, 2.6),
    ("release_year", 110, 0.95),
    ("in_language", 150, 0.35),
    ("has_tags", 3_000, 1.4),
    ("has_genre", 24, 1.1),
    ("has_imdb_rating", 5, 0.25),
    ("has_imdb_votes", 5, 0.2),
];

/// Makes the workload: so many films with their relations, so many chains of each
/// length, and what is true of their answers.
pub fn hops(films: usize, queries: usize, seed: u64) -> Hops {
    let mut draw = Draw::new(seed);
    let mut hops = Hops {
        relations: RELATIONS.map(|(name, ..)| name.to_owned()).to_vec(),
        things: films,
        ..Hops::default()
    };
    let mut directors = None;
    for (relation, shape) in (0u32..).zip(RELATIONS) {
        let ends = Ends::new(hops.things, shape.1, &mut draw);
        for film in 0..films as u32 {
            for _ in 0..draw.times(shape.2) {
                // Of those who write one in four directs.
                let among = match &directors {
                    Some(directors) if relation == 1 && draw.happens(0.25) => directors,
                    _ => &ends,
                };
                hops.triples.push((film, relation, among.one(&mut draw)));
            }
        }
        hops.things += shape.1;
        if relation == 0 {
            directors = Some(ends);
        }
    }
    hops.triples.sort_unstable();
    hops.triples.dedup();
    draw.shuffle(&mut hops.triples);
    hops.triples.truncate(TRIPLES * films / FILMS);
    hops.triples.sort_unstable();
    ask(&mut hops, queries, &mut draw);
    hops
}

/// The other ends of a relation.
struct Ends {
    first: u32,
    frequency: Skewed,
}

impl Ends {
    fn new(first: usize, count: usize, draw: &mut Draw) -> Ends {
        let exponent = if count > 1000 { 0.6 } else { 0.9 };
        Ends {
            first: first as u32,
            frequency: Skewed::new(count, exponent, draw),
        }
    }

    fn one(&self, draw: &mut Draw) -> u32 {
        self.first + self.frequency.one(draw)
    }
}

/// Draws chains: from anything that has a relation, at each hop along one that the
/// thing at hand has to one of its other ends.
fn ask(hops: &mut Hops, queries: usize, draw: &mut Draw) {
    let truth = HopsTruth::new(hops);
    let next = truth.next();
    let known = (0u32..).zip(next).filter(|(_, next)| !next.is_empty());
    let starts: Vec<u32> = known.map(|(thing, _)| thing).collect();
    let mut made = Vec::new();
    for length in 1..=3 {
        for _ in 0..queries {
            let start = draw.one_of(&starts).unwrap_or(0);
            let (mut at, mut path) = (start, Vec::new());
            for _ in 0..length {
                let next = next.get(at as usize).map_or(&[][..], Vec::as_slice);
                let relations: BTreeSet<u32> = next.iter().map(|(relation, _)| *relation).collect();
                let relations: Vec<u32> = relations.into_iter().collect();
                let relation = draw.one_of(&relations).unwrap_or(0);
                let ends = next.iter().filter(|(r, _)| *r == relation);
                let ends: Vec<u32> = ends.map(|(_, end)| *end).collect();
                at = draw.one_of(&ends).unwrap_or(at);
                path.push(relation);
            }
            if draw.happens(ANYWHERE)
                && let Some(last) = path.last_mut()
            {
                *last = draw.below(2 * RELATIONS.len()) as u32;
            }
            made.push(Query {
                kind: format!("{length}hop"),
                start,
                path,
            });
        }
    }
    hops.queries = made;
    let truth = HopsTruth::new(hops);
    let answers = (0..hops.queries.len()).map(|query| {
        let mut ids: Vec<u32> = truth.walk(query).into_iter().collect();
        Signature::of(&mut ids)
    });
    let answers = answers.collect();
    hops.truth = answers;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_workload_and_most_chains_reach_something() {
        let made = hops(200, 50, 3);
        assert_eq!(made.truth, hops(200, 50, 3).truth);
        assert_ne!(made.truth, hops(200, 50, 4).truth);
        assert_eq!(made.queries.len(), 150);
        assert_eq!(made.triples.len(), TRIPLES * 200 / FILMS);
        let reached = made.truth.iter().filter(|signature| signature.0 > 0);
        assert!(reached.count() > 135);
    }
}
