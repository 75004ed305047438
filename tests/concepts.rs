//! Formal concepts, their covers and implications, against their definitions: the closure of
//! every set of attributes of small random contexts, published figures, and contexts
//! that are larger than one block of bits.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::load::cxt::{FormalContext, read_cxt};
use latweave::order::concepts::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const ALL: Limits = Limits { most: None };

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A context from the attributes of each object.
fn context(attributes: u32, rows: &[Vec<u32>]) -> Context {
    let crosses = rows.iter().zip(0..);
    let crosses = crosses.flat_map(|(row, object)| row.iter().map(move |a| (object, *a)));
    Context::new(rows.len() as u32, attributes, crosses, 1 << 30).unwrap()
}

/// Support and intent of every concept, as they come.
fn streamed(context: &Context, support: u64) -> Vec<(u64, Vec<u32>)> {
    let mut found = Vec::new();
    let outcome = enumerate(context, support, ALL, |concept| {
        let (extent, intent) = (concept.extent(), concept.intent());
        assert_eq!(extent, context.extent(&intent));
        assert_eq!(intent, context.intent(&extent));
        assert_eq!(concept.support(), extent.len() as u64);
        found.push((concept.support(), intent));
        go_on()
    });
    assert_eq!(outcome.found, found.len() as u64);
    assert!(outcome.is_whole());
    found
}

// ------------------------------------------------- small contexts, by definition

/// A context of at most 8 attributes whose sets are bits of a number.
#[derive(Clone, Debug)]
struct Small {
    attributes: u32,
    rows: Vec<u32>,
}

impl Small {
    fn all(&self) -> u32 {
        (1 << self.attributes) - 1
    }

    fn context(&self) -> Context {
        let rows: Vec<Vec<u32>> = self.rows.iter().map(|row| list(*row)).collect();
        context(self.attributes, &rows)
    }

    fn support(&self, set: u32) -> u64 {
        self.rows.iter().filter(|row| *row & set == set).count() as u64
    }

    fn closure(&self, set: u32) -> u32 {
        let rows = self.rows.iter().filter(|row| *row & set == set);
        rows.fold(self.all(), |closure, row| closure & row)
    }

    fn intents(&self, support: u64) -> BTreeSet<u32> {
        let closures = (0..=self.all()).map(|set| self.closure(set));
        closures
            .filter(|intent| self.support(*intent) >= support)
            .collect()
    }

    /// Pseudo-intents as Guigues and Duquenne define them.
    fn pseudo_intents(&self) -> Vec<u32> {
        let mut sets: Vec<u32> = (0..=self.all()).collect();
        sets.sort_by_key(|set| set.count_ones());
        let mut found: Vec<u32> = Vec::new();
        for set in sets {
            let mut smaller = found.iter().filter(|p| *p & set == **p);
            if self.closure(set) != set && smaller.all(|p| self.closure(*p) & !set == 0) {
                found.push(set);
            }
        }
        found
    }

    /// The pairs of intents, upper and lower, with none between.
    fn covers(&self, support: u64) -> BTreeSet<(u32, u32)> {
        let intents = self.intents(support);
        let below = |upper: u32, lower: u32| upper != lower && upper & lower == upper;
        let mut covers = BTreeSet::new();
        for &upper in &intents {
            for &lower in intents.iter().filter(|lower| below(upper, **lower)) {
                if !intents.iter().any(|m| below(upper, *m) && below(*m, lower)) {
                    covers.insert((upper, lower));
                }
            }
        }
        covers
    }
}

fn list(set: u32) -> Vec<u32> {
    (0..32).filter(|bit| set >> bit & 1 != 0).collect()
}

fn set(list: &[u32]) -> u32 {
    list.iter().fold(0, |set, bit| set | 1 << bit)
}

/// Small contexts, thin, dense, and with rows and columns that repeat others.
fn small() -> impl Strategy<Value = Small> {
    (0u32..=6, 0usize..=8, 0u32..=4).prop_flat_map(|(attributes, objects, kind)| {
        let cell = match kind {
            0 => prop::bool::weighted(0.2),
            1 => prop::bool::weighted(0.85),
            _ => prop::bool::weighted(0.5),
        };
        let row = prop::collection::vec(cell, attributes as usize);
        let rows = prop::collection::vec(row, objects);
        let twin = (0..attributes.max(1), 0..attributes.max(1));
        (rows, twin).prop_map(move |(rows, (from, to))| Small {
            attributes,
            rows: rows
                .iter()
                .map(|row| {
                    let cell = |a: u32| match kind == 3 && a == to {
                        true => row[from as usize],
                        false => row[a as usize],
                    };
                    (0..attributes)
                        .filter(|a| cell(*a))
                        .fold(0, |set, a| set | 1 << a)
                })
                .collect(),
        })
    })
}

/// Attributes from the rarest to the most frequent, ties by number.
fn ranks(context: &Context) -> Vec<u32> {
    let mut order: Vec<u32> = (0..context.attributes()).collect();
    order.sort_by_key(|a| (context.extent(&[*a]).len(), *a));
    order
}

/// Whether sets come in strict lectic order: of two, the later has the first attribute
/// in which they differ.
fn is_lectic(sets: &[Vec<u32>], order: &[u32]) -> bool {
    sets.windows(2).all(|pair| {
        let differs = |a: &&u32| pair[0].contains(a) != pair[1].contains(a);
        order
            .iter()
            .find(differs)
            .is_some_and(|a| pair[1].contains(a))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn concepts_are_all_closures_with_their_supports(small in small(), support in 0u64..4) {
        let context = small.context();
        let found = streamed(&context, support);
        let sets: Vec<u32> = found.iter().map(|(_, intent)| set(intent)).collect();
        let expected = small.intents(support);
        prop_assert_eq!(sets.len(), expected.len());
        prop_assert_eq!(sets.into_iter().collect::<BTreeSet<_>>(), expected.clone());
        for (support, intent) in &found {
            prop_assert_eq!(*support, small.support(set(intent)));
        }
        let intents: Vec<Vec<u32>> = found.into_iter().map(|(_, intent)| intent).collect();
        prop_assert!(is_lectic(&intents, &ranks(&context)), "{:?}", intents);
        let counted = count(&context, support, ALL, go_on);
        prop_assert_eq!((counted.found, counted.ended), (expected.len() as u64, Ended::Whole));
        let turned = count(&context.transposed(), 0, ALL, go_on);
        prop_assert_eq!(turned.found, count(&context, 0, ALL, go_on).found);
    }

    #[test]
    fn a_limit_is_told(small in small(), support in 0u64..3, most in 0u64..20) {
        let context = small.context();
        let all = small.intents(support).len() as u64;
        let expected = Outcome {
            found: all.min(most),
            ended: if all > most { Ended::AtLimit } else { Ended::Whole },
        };
        prop_assert_eq!(count(&context, support, Limits::most(most), go_on), expected);
        let mut seen = 0;
        let outcome = enumerate(&context, support, Limits::most(most), |_| { seen += 1; go_on() });
        prop_assert_eq!(outcome, expected);
        prop_assert_eq!(seen, expected.found);
        let lattice = ConceptLattice::new(&context, support, Limits::most(most), go_on);
        prop_assert_eq!(lattice.err(), (all > most).then_some(expected));
        let whole = stem_basis(&context, support, ALL, go_on).1;
        let outcome = stem_basis(&context, support, Limits::most(most), go_on).1;
        prop_assert_eq!(outcome.found, whole.found.min(most));
        prop_assert_eq!(outcome.is_whole(), whole.found <= most);
    }

    #[test]
    fn covers_have_nothing_between(small in small(), support in 0u64..3) {
        let context = small.context();
        let lattice = ConceptLattice::new(&context, support, ALL, go_on).unwrap();
        prop_assert_eq!(lattice.len(), small.intents(support).len());
        let mut covers = BTreeSet::new();
        let mut lower = BTreeSet::new();
        for concept in 0..lattice.len() as u32 {
            let intent = lattice.intent(concept);
            prop_assert_eq!(lattice.support(concept), small.support(set(intent)));
            prop_assert_eq!(lattice.find(lattice.support(concept), intent), Some(concept));
            if concept > 0 {
                let before = (lattice.support(concept - 1), lattice.intent(concept - 1));
                prop_assert!(before.0 > lattice.support(concept)
                    || before.0 == lattice.support(concept) && before.1 < intent);
            }
            prop_assert!(lattice.upper(concept).is_sorted() && lattice.lower(concept).is_sorted());
            for &upper in lattice.upper(concept) {
                prop_assert!(upper < concept);
                covers.insert((set(lattice.intent(upper)), set(intent)));
            }
            for &below in lattice.lower(concept) {
                lower.insert((set(intent), set(lattice.intent(below))));
            }
            let above = lattice.upper(concept).iter().fold(0, |s, u| s | set(lattice.intent(*u)));
            prop_assert_eq!(set(&lattice.introduced(concept)), set(intent) & !above);
        }
        prop_assert_eq!(covers.len(), lattice.covers());
        prop_assert_eq!(&covers, &small.covers(support));
        prop_assert_eq!(covers, lower);
        for (object, home) in lattice.homes(&context).enumerate() {
            let row = small.rows[object];
            prop_assert_eq!(home.is_some(), small.support(row) >= support);
            if let Some(home) = home {
                prop_assert_eq!(set(lattice.intent(home)), row);
            }
        }
    }

    #[test]
    fn implications_are_the_pseudo_intents(small in small(), support in 0u64..4) {
        let context = small.context();
        let mut premises = Vec::new();
        let mut streamed = BTreeMap::new();
        let outcome = implications(&context, support, ALL, go_on, |implication| {
            premises.push(implication.premise.clone());
            let closure = set(&implication.premise) | set(&implication.conclusion);
            streamed.insert(set(&implication.premise), (closure, implication.support));
            go_on()
        });
        prop_assert!(outcome.is_whole());
        prop_assert_eq!(outcome.found, premises.len() as u64);
        prop_assert!(is_lectic(&premises, &ranks(&context)));
        let pseudo = small.pseudo_intents().into_iter();
        let expected: BTreeMap<u32, (u32, u64)> = pseudo
            .map(|p| (p, (small.closure(p), small.support(p))))
            .filter(|(_, (_, s))| *s >= support)
            .collect();
        prop_assert_eq!(&streamed, &expected);
        let (basis, _) = stem_basis(&context, support, ALL, go_on);
        prop_assert_eq!(basis.list().len(), expected.len());
        let sorted = basis.list().is_sorted_by(|a, b| {
            a.support > b.support || a.support == b.support && a.premise < b.premise
        });
        prop_assert!(sorted);
        for implication in basis.list() {
            prop_assert_eq!(set(&implication.premise) & set(&implication.conclusion), 0);
        }
    }

    #[test]
    fn the_stem_basis_is_sound_complete_and_has_nothing_to_spare(small in small()) {
        let context = small.context();
        let (basis, _) = stem_basis(&context, 0, ALL, go_on);
        prop_assert_eq!(basis.first_false(&context), None);
        prop_assert_eq!(basis.first_gap(&context), None);
        for bits in 0..=small.all() {
            prop_assert_eq!(set(&basis.close(&list(bits))), small.closure(bits));
        }
        for spared in 0..basis.list().len() {
            let mut rest = basis.list().to_vec();
            let implication = rest.remove(spared);
            let rest = Implications::new(small.attributes, rest);
            let gap = rest.first_gap(&context);
            prop_assert!(gap.is_some_and(|gap| context.closure(&gap) != gap), "{:?}", implication);
        }
    }

    #[test]
    fn close_draws_every_conclusion(
        pairs in prop::collection::vec((0u32..64, 0u32..64), 0..8), start in 0u32..64
    ) {
        let list_of = |&(premise, conclusion): &(u32, u32)| Implication {
            premise: list(premise),
            conclusion: list(conclusion),
            support: 0,
        };
        let all = Implications::new(6, pairs.iter().map(list_of).collect());
        let mut closed = start;
        for _ in 0..pairs.len() {
            for (premise, conclusion) in &pairs {
                if premise & closed == *premise {
                    closed |= conclusion;
                }
            }
        }
        prop_assert_eq!(set(&all.close(&list(start))), closed);
    }

    #[test]
    fn implications_that_do_not_hold_are_found(small in small(), premise in 0u32..64, more in 0u32..64) {
        let (premise, more) = (premise & small.all(), more & small.all());
        let said = Implication { premise: list(premise), conclusion: list(more), support: 0 };
        let all = Implications::new(small.attributes, vec![said]);
        let holds = (premise | more) & !small.closure(premise) == 0;
        prop_assert_eq!(all.first_false(&small.context()).is_none(), holds);
    }
}

// ------------------------------------------- larger than a block, by other means

/// Every intent is an intersection of rows.
fn intersections(attributes: u32, rows: &[Vec<u32>]) -> BTreeSet<Vec<u32>> {
    let mut intents = BTreeSet::from([(0..attributes).collect::<Vec<u32>>()]);
    for row in rows {
        let with_row = intents.iter().map(|intent| {
            let both = intent.iter().filter(|a| row.contains(a));
            both.copied().collect::<Vec<u32>>()
        });
        let with_row: Vec<Vec<u32>> = with_row.collect();
        intents.extend(with_row);
    }
    intents
}

/// Rows by a linear congruential generator: attribute `a` with `per_mille(a)` in 1000.
fn random_rows(
    objects: u32,
    attributes: u32,
    seed: u64,
    per_mille: impl Fn(u32) -> u64,
) -> Vec<Vec<u32>> {
    let mut state = seed;
    let mut chance = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % 1000
    };
    let mut row = |_| {
        (0..attributes)
            .filter(|a| chance() < per_mille(*a))
            .collect()
    };
    (0..objects).map(&mut row).collect()
}

#[test]
fn many_blocks_of_objects_and_attributes() {
    let shapes = [
        (700, 90, 30),
        (300, 140, 25),
        (1000, 12, 300),
        (40, 300, 60),
        (520, 70, 45),
    ];
    for (seed, (objects, attributes, base)) in (1..).zip(shapes) {
        let rows = random_rows(objects, attributes, seed, |a| {
            base + u64::from(a % 7 == 0) * 250
        });
        let context = context(attributes, &rows);
        let intents = intersections(attributes, &rows);
        let found = streamed(&context, 0);
        assert_eq!(found.len(), intents.len(), "{objects} × {attributes}");
        for (_, intent) in &found {
            assert!(intents.contains(intent));
        }
        assert_eq!(count(&context, 0, ALL, go_on).found, intents.len() as u64);
        let frequent = found.iter().filter(|(support, _)| *support >= 7).count();
        assert_eq!(count(&context, 7, ALL, go_on).found, frequent as u64);
        check_covers(
            &context,
            &ConceptLattice::new(&context, 0, ALL, go_on).unwrap(),
        );
    }
}

/// Covers from their definition over the extents: the upper neighbours of a concept are the
/// smallest closures of its extent with one object more (Lindig, 2000). Every 37th concept is looked at.
fn check_covers(context: &Context, lattice: &ConceptLattice) {
    for concept in (0..lattice.len() as u32).step_by(37) {
        let extent = context.extent(lattice.intent(concept));
        let others = (0..context.objects()).filter(|g| extent.binary_search(g).is_err());
        let above = others.map(|object| {
            let row = context.intent(&[object]);
            let intent = lattice.intent(concept).iter().filter(|a| row.contains(a));
            intent.copied().collect::<Vec<u32>>()
        });
        let above: BTreeSet<Vec<u32>> = above.collect();
        let within = |a: &Vec<u32>, b: &Vec<u32>| a != b && a.iter().all(|x| b.contains(x));
        let largest = above.iter().filter(|a| !above.iter().any(|b| within(a, b)));
        let expected: BTreeSet<&[u32]> = largest.map(Vec::as_slice).collect();
        let upper = lattice.upper(concept).iter();
        assert_eq!(
            upper.map(|u| lattice.intent(*u)).collect::<BTreeSet<_>>(),
            expected
        );
    }
}

#[test]
fn implications_of_many_attributes() {
    let rows = random_rows(60, 80, 5, |a| 30 + u64::from(a % 9 == 0) * 300);
    let context = context(80, &rows);
    let (basis, outcome) = stem_basis(&context, 0, ALL, go_on);
    assert!(outcome.is_whole() && basis.list().len() > 100);
    assert_eq!(basis.first_false(&context), None);
    assert_eq!(basis.first_gap(&context), None);
    let (frequent, _) = stem_basis(&context, 3, ALL, go_on);
    let kept = basis.list().iter().filter(|i| i.support >= 3);
    assert!(kept.eq(frequent.list()));
}

// ---------------------------------------------------------------- limits, stopping

fn contranominal(size: u32) -> Context {
    let all = (0..size).flat_map(|i| (0..size).map(move |j| (i, j)));
    Context::new(size, size, all.filter(|(i, j)| i != j), 1 << 20).unwrap()
}

#[test]
fn a_contranominal_context_streams_and_stops() {
    let context = contranominal(21);
    let most = Limits::most(100_000);
    let stopped = Outcome {
        found: 100_000,
        ended: Ended::AtLimit,
    };
    assert_eq!(count(&context, 0, most, go_on), stopped);
    assert_eq!(enumerate(&context, 0, most, |_| go_on()), stopped);
    assert_eq!(ConceptLattice::new(&context, 0, most, go_on), Err(stopped));
    assert_eq!(count(&context, 0, ALL, go_on).found, 1 << 21);
    // Nothing implies anything.
    let small = contranominal(12);
    assert_eq!(stem_basis(&small, 0, ALL, go_on).1.found, 0);
    assert_eq!(
        ConceptLattice::new(&small, 0, ALL, go_on).unwrap().covers(),
        12 << 11
    );
    // Far too many to count: a support, a visitor or a tick ends it.
    let huge = contranominal(300);
    assert_eq!(count(&huge, 299, ALL, go_on).found, 301);
    let mut left = 1000;
    let mut tick = || {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            go_on()
        }
    };
    assert_eq!(count(&huge, 0, ALL, &mut tick).ended, Ended::Stopped);
    left = 1000;
    let mut tick = || {
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            go_on()
        }
    };
    let stopped = implications(&huge, 0, ALL, &mut tick, |_| go_on());
    assert_eq!(
        stopped,
        Outcome {
            found: 0,
            ended: Ended::Stopped
        }
    );
    let outcome = enumerate(&huge, 0, ALL, |concept| match concept.support() {
        0..296 => ControlFlow::Break(()),
        _ => go_on(),
    });
    assert_eq!(outcome.ended, Ended::Stopped);
}

#[test]
fn a_deep_walk_needs_no_stack() {
    // Attribute a has the objects from a up to size + 2a: what several attributes share is an
    // interval, each intent is a run of attributes, and {0..=a} lies a + 1 levels deep.
    let size = 150;
    let crosses = (0..size).flat_map(|a| (a..size + 2 * a).map(move |object| (object, a)));
    let context = Context::new(3 * size, size, crosses, 1 << 20).unwrap();
    let concepts = u64::from(size * (size + 1) / 2 + 1);
    let work = std::thread::Builder::new().stack_size(32 << 10);
    let work = work.spawn(move || {
        assert_eq!(count(&context, 0, ALL, go_on).found, concepts);
        let mut longest = 0;
        let outcome = enumerate(&context, 0, ALL, |concept| {
            longest = longest.max(concept.intent().len());
            go_on()
        });
        assert_eq!((outcome.found, longest), (concepts, size as usize));
    });
    work.unwrap().join().unwrap();
}

#[test]
fn a_context_beyond_its_budget_is_refused_before_it_is_made() {
    let most = u32::MAX;
    let refused = Context::new(most, most, [], 1 << 30).unwrap_err();
    assert_eq!(refused.needed, Context::bytes(most, most));
    assert!(refused.to_string().contains("1024 MiB are allowed"));
    assert_eq!(Context::bytes(8124, 119), (8124 * 2 + 119 * 127) * 8);
}

#[test]
fn the_corners() {
    // No objects: all attributes are one intent. No attributes: one concept of all objects.
    for (objects, attributes) in [(0, 0), (0, 3), (3, 0)] {
        let context = Context::new(objects, attributes, [], 1 << 20).unwrap();
        assert_eq!(streamed(&context, 0).len(), 1);
        assert_eq!(count(&context, 0, ALL, go_on).found, 1);
        let lattice = ConceptLattice::new(&context, 0, ALL, go_on).unwrap();
        assert_eq!((lattice.len(), lattice.covers()), (1, 0));
        assert_eq!(lattice.intent(0).len(), attributes as usize);
        let support = u64::from(objects) + 1;
        assert!(
            ConceptLattice::new(&context, support, ALL, go_on)
                .unwrap()
                .is_empty()
        );
        assert_eq!(
            stem_basis(&context, 0, ALL, go_on).1.found,
            u64::from(attributes > 0)
        );
    }
    let context = Context::new(2, 2, [(0, 0), (5, 0), (0, 5), (0, 0)], 1 << 20).unwrap();
    assert_eq!(context.crosses(), 1);
    assert!(context.has(0, 0) && !context.has(1, 0) && !context.has(5, 0));
    assert!(context.extent(&[5]).is_empty() && context.intent(&[5]).is_empty());
    assert_eq!(context.closure(&[1]), [0, 1]);
}

// ----------------------------------------------------------------- contexts of others

fn read(path: &Path) -> (FormalContext, Context) {
    let formal = read_cxt(&std::fs::read(path).unwrap()).unwrap();
    let context = context(formal.attributes.len() as u32, &formal.rows);
    (formal, context)
}

/// Counts, covers and implications of one file agree with each other and with the figure.
fn figure(path: &Path, concepts: u64) {
    let (formal, context) = read(path);
    assert_eq!(context.objects() as usize, formal.objects.len());
    let shown = path.display();
    assert_eq!(count(&context, 0, ALL, go_on).found, concepts, "{shown}");
    assert_eq!(streamed(&context, 0).len() as u64, concepts, "{shown}");
    let lattice = ConceptLattice::new(&context, 0, ALL, go_on).unwrap();
    assert_eq!(lattice.len() as u64, concepts, "{shown}");
    check_covers(&context, &lattice);
    let (basis, _) = stem_basis(&context, 0, ALL, go_on);
    assert_eq!(basis.first_false(&context), None, "{shown}");
    if concepts < 1000 {
        assert_eq!(basis.first_gap(&context), None, "{shown}");
    }
}

#[test]
fn published_figures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/contexts");
    let figures = [
        ("digits", 48),
        ("livingbeings_en", 19),
        ("animals_en", 35),
        ("famous_animals_en", 13),
        ("music_en", 163),
        ("tealady", 65),
        ("seasoningplanner_de", 532),
    ];
    for (name, concepts) in figures {
        figure(&folder.join(name).with_extension("cxt"), concepts);
    }
}

/// The `.cxt` files below a folder.
fn contexts_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => contexts_below(&path),
        false => vec![path],
    });
    files
        .filter(|path| path.extension().is_some_and(|e| e == "cxt"))
        .collect()
}

#[test]
fn figures_of_the_shared_contexts() {
    let data = std::env::var_os("LATWEAVE_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
        PathBuf::from,
    );
    let folder = data.join("contexts");
    let Ok(table) = std::fs::read_to_string(folder.join("concept_counts.tsv")) else {
        eprintln!(
            "skipped: {} is not there; set LATWEAVE_DATA",
            folder.display()
        );
        return;
    };
    let files = contexts_below(&folder);
    let mut compared = BTreeSet::new();
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split('\t').collect();
        let name = Path::new(fields[0]).file_name().unwrap();
        for file in files.iter().filter(|file| file.file_name() == Some(name)) {
            compared.insert(file);
            match fields[4].parse() {
                Ok(concepts) => figure(file, concepts),
                // The table's own search was stopped; this is the published figure.
                Err(_) => {
                    let (_, context) = read(file);
                    assert_eq!(count(&context, 0, ALL, go_on).found, 238_710);
                    assert_eq!(stem_basis(&context, 0, ALL, go_on).1.found, 2323);
                }
            }
        }
    }
    assert_eq!(compared.len(), files.len(), "every context has a figure");
}
