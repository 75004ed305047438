//! The defects of taxonomies: kept, hashed, dumped and built again; and cycles whose
//! members become one value, whatever the order of the declarations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_range_loop
)]

use latweave::Lattice;
use latweave::lattice::{
    BuildError, Builder, Cycles, DimKey, DimensionSpec, Fault, KindSpec, SourceKey, ValueId, Who,
};
use latweave::load::{self, Options, Request, Silent};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

fn taxonomy(builder: &mut Builder) -> DimKey {
    let spec = DimensionSpec::new("d", KindSpec::Taxonomy);
    builder.declare_dimension(spec).unwrap()
}

fn line(builder: &mut Builder, document: &str, n: u64) -> SourceKey {
    let text = format!("line {n}");
    builder.source(&text, document, None, Some(n)).unwrap()
}

/// A lattice of these edges, each stated by a line of `x.obo`.
fn merged(edges: &[(usize, usize)]) -> Builder {
    let mut builder = Builder::new();
    builder.set_cycles(Cycles::Merge);
    let d = taxonomy(&mut builder);
    for name in NAMES {
        builder.add_value(d, name).unwrap();
    }
    for &(upper, lower) in edges {
        let source = line(&mut builder, "x.obo", (10 * upper + lower) as u64);
        builder
            .add_edge_of(d, NAMES[upper], NAMES[lower], Some(source))
            .unwrap();
    }
    builder
}

fn dumped(lattice: &Lattice) -> String {
    let mut text = Vec::new();
    load::dump(lattice, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Builds a text as `latweave build` does.
fn built(text: &str) -> Lattice {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.lq");
    std::fs::write(&path, text).unwrap();
    let mut builder = Builder::new();
    load::load(
        &mut builder,
        &Request::new(path),
        &Options::default(),
        &mut Silent,
    )
    .unwrap_or_else(|error| panic!("{error}\n{text}"));
    builder.freeze().unwrap()
}

fn reopened(lattice: &Lattice) -> Lattice {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lattice");
    lattice.save(&path).unwrap();
    let lattice = Lattice::open(&path).unwrap();
    lattice.verify_all().unwrap();
    lattice
}

/// `below[a][b]`: a is b or declared below it, by plain closure.
fn closure(edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let n = NAMES.len();
    let mut below = vec![vec![false; n]; n];
    (0..n).for_each(|k| below[k][k] = true);
    edges
        .iter()
        .for_each(|&(upper, lower)| below[lower][upper] = true);
    for k in 0..n {
        for a in 0..n {
            for b in 0..n {
                below[a][b] |= below[a][k] && below[k][b];
            }
        }
    }
    below
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn members_of_a_cycle_are_one_value(
        edges in prop::collection::vec((0usize..8, 0usize..8), 0..16),
        other in any::<prop::sample::Index>(),
    ) {
        let lattice = merged(&edges).freeze().unwrap();
        let d = lattice.find_dimension("d").unwrap();
        let taxonomy = lattice.taxonomy(d).unwrap();
        let below = closure(&edges);
        let least = |a: usize| (0..8).find(|&b| below[a][b] && below[b][a]).unwrap();
        // Values, their synonyms, and their order.
        let mut expected: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for a in 0..8 {
            let words = expected.entry(NAMES[least(a)]).or_default();
            if least(a) != a {
                words.insert(NAMES[a]);
            }
        }
        let found: BTreeMap<&str, BTreeSet<&str>> = (0..taxonomy.len() as u32)
            .map(ValueId)
            .map(|v| (taxonomy.name(v), taxonomy.synonyms(v).iter().map(String::as_str).collect()))
            .collect();
        prop_assert_eq!(found, expected);
        for a in 0..8 {
            for b in 0..8 {
                let value = |k: usize| taxonomy.find(NAMES[k])[0];
                prop_assert_eq!(taxonomy.dag().le(value(a).0, value(b).0), below[a][b]);
            }
        }
        // The defects are the edges between members, self-loops too.
        let faults: BTreeSet<(String, String)> = lattice.defects(d).iter().map(|defect| {
            assert!(defect.evidence.is_some());
            match &defect.fault {
                Fault::CycleEdge { upper, lower } => (upper.clone(), lower.clone()),
                other => panic!("{other:?}"),
            }
        }).collect();
        let inner: BTreeSet<(String, String)> = edges
            .iter()
            .filter(|(upper, lower)| below[*upper][*lower])
            .map(|(upper, lower)| (NAMES[*upper].to_owned(), NAMES[*lower].to_owned()))
            .collect();
        prop_assert_eq!(&faults, &inner);
        // Whatever the order of the declarations.
        let mut turned = edges.clone();
        if !turned.is_empty() {
            let at = other.index(turned.len());
            turned.rotate_left(at);
            turned.reverse();
        }
        let again = merged(&turned).freeze().unwrap();
        prop_assert_eq!(again.content_hash(), lattice.content_hash());
        // Saved, opened, told to a builder and frozen; dumped and built.
        let opened = reopened(&lattice);
        prop_assert_eq!(opened.defects(d), lattice.defects(d));
        let thawed = Builder::from_lattice(&opened).unwrap();
        prop_assert_eq!(thawed.cycle_paths(), vec![]);
        prop_assert_eq!(thawed.freeze().unwrap().content_hash(), lattice.content_hash());
        prop_assert_eq!(built(&dumped(&lattice)).content_hash(), lattice.content_hash());
        // Each component is told with a closed chain of declared edges.
        let paths = merged(&edges).cycle_paths();
        let cyclic: BTreeSet<usize> = inner
            .iter()
            .map(|(upper, _)| least(NAMES.iter().position(|n| n == upper).unwrap()))
            .collect();
        prop_assert_eq!(paths.len(), cyclic.len());
        for path in paths {
            prop_assert_eq!(path.path.first(), path.path.last());
            prop_assert_eq!(path.places.len(), path.path.len() - 1);
            for pair in path.path.windows(2) {
                prop_assert!(inner.contains(&(pair[0].clone(), pair[1].clone())));
            }
        }
        // Without the wish to merge, what has a cycle is refused.
        let mut strict = merged(&edges);
        strict.set_cycles(Cycles::Stop);
        prop_assert_eq!(strict.freeze().is_err(), !inner.is_empty());
    }

    /// Adding to a lattice that was saved in between gives what adding at once gives.
    #[test]
    fn saving_in_between_changes_nothing(
        first in prop::collection::vec((0usize..8, 0usize..8), 0..12),
        second in prop::collection::vec((0usize..8, 0usize..8), 0..6),
    ) {
        // Edges without source, since a source is kept only where a cycle is known.
        let add = |builder: &mut Builder, edges: &[(usize, usize)]| {
            builder.set_cycles(Cycles::Merge);
            let d = taxonomy(builder);
            for &(upper, lower) in edges {
                builder.add_edge(d, NAMES[upper], NAMES[lower]).unwrap();
            }
        };
        let mut at_once = Builder::new();
        add(&mut at_once, &first);
        let mut later = Builder::from_lattice(&reopened(&at_once.freeze().unwrap())).unwrap();
        add(&mut at_once, &second);
        add(&mut later, &second);
        let (at_once, later) = (at_once.freeze().unwrap(), later.freeze().unwrap());
        // An edge of a cycle that closes later was declared between values.
        let order = |lattice: &Lattice| -> Vec<(String, Vec<String>, Vec<String>)> {
            let d = lattice.find_dimension("d").unwrap();
            let taxonomy = lattice.taxonomy(d).unwrap();
            (0..taxonomy.len() as u32).map(|v| {
                let parents = taxonomy.dag().parents(v).iter();
                let parents = parents.map(|&p| taxonomy.name(ValueId(p)).to_owned()).collect();
                (taxonomy.name(ValueId(v)).to_owned(), taxonomy.synonyms(ValueId(v)).to_vec(), parents)
            }).collect()
        };
        prop_assert_eq!(order(&at_once), order(&later));
    }
}

#[test]
fn a_cycle_stops_the_build_and_is_told_whole_with_its_places() {
    let mut builder = Builder::new();
    let d = taxonomy(&mut builder);
    for (upper, lower, n) in [("a", "b", 3), ("b", "c", 5), ("c", "a", 9), ("x", "a", 1)] {
        let source = line(&mut builder, "x.obo", n);
        builder.add_edge_of(d, upper, lower, Some(source)).unwrap();
    }
    let error = builder.freeze().unwrap_err();
    assert_eq!(
        error.to_string(),
        "taxonomy \"d\" has a cycle: \"a\" > \"b\" > \"c\" > \"a\" (x.obo:3, x.obo:5, x.obo:9); \
         remove one of these edges"
    );
    let error = builder.add_edge(d, "s", "s").unwrap_err();
    assert!(matches!(error, BuildError::SelfEdge { .. }));
    // Where a source tells the place, an edge to itself is a cycle like others.
    let mut builder = Builder::new();
    let d = taxonomy(&mut builder);
    let source = line(&mut builder, "x.obo", 7);
    builder.add_edge_of(d, "s", " s", Some(source)).unwrap();
    assert_eq!(
        builder.freeze().unwrap_err().to_string(),
        "taxonomy \"d\" has a cycle: \"s\" > \"s\" (x.obo:7); remove that edge"
    );
}

#[test]
fn undefined_and_duplicate_terms_are_kept_until_they_are_none() {
    let mut builder = Builder::new();
    let d = taxonomy(&mut builder);
    builder.add_edge(d, "X:1", "X:2").unwrap();
    let source = line(&mut builder, "x.obo", 4);
    builder.note_parent(d, "X:1", "X:2", Some(source)).unwrap();
    builder.note_duplicate(d, "X:2", None).unwrap();
    let lattice = builder.freeze().unwrap();
    let text = dumped(&lattice);
    assert!(
        text.contains(
            "DEFECT d UNDEFINED \"X:1\" BY \"X:2\"\n  SOURCE \"line 4\" FROM \"x.obo\" LINE 4\nDEFECT d DUPLICATE \"X:2\"\n"
        ),
        "{text}"
    );
    assert_eq!(built(&text).content_hash(), lattice.content_hash());
    // Defined by a later file, also after saving.
    let mut builder = Builder::from_lattice(&reopened(&lattice)).unwrap();
    let d = builder.dimension("d").unwrap();
    let who = Who::Listed {
        name: "one",
        id: "X:1",
        given: true,
    };
    let instance = builder.instance(who).unwrap();
    let source = line(&mut builder, "y.obo", 1);
    let value = latweave::lattice::FactValue::Term("X:1");
    builder
        .add_fact(instance, d, value, false, 1.0, source)
        .unwrap();
    let lattice = builder.freeze().unwrap();
    let d = lattice.find_dimension("d").unwrap();
    let faults: Vec<&Fault> = lattice
        .defects(d)
        .iter()
        .map(|defect| &defect.fault)
        .collect();
    assert_eq!(
        faults,
        [&Fault::Duplicate {
            term: "X:2".to_owned()
        }]
    );
}

#[test]
fn retracting_a_document_takes_its_defects_and_keeps_what_is_one_value() {
    let build = |saved: bool| {
        let mut builder = merged(&[(0, 1), (1, 0), (2, 2)]);
        let d = builder.dimension("d").unwrap();
        let source = line(&mut builder, "x.obo", 70);
        builder.note_parent(d, "h", "a", Some(source)).unwrap();
        let source = line(&mut builder, "y.obo", 1);
        builder.add_edge_of(d, "a", "b", Some(source)).unwrap();
        if saved {
            builder = Builder::from_lattice(&reopened(&builder.freeze().unwrap())).unwrap();
        }
        let before = builder.freeze().unwrap().content_hash();
        let checkpoint = builder.checkpoint();
        assert_eq!(builder.retract_document("x.obo"), 4);
        builder.rollback(checkpoint);
        assert_eq!(builder.freeze().unwrap().content_hash(), before);
        assert_eq!(builder.retract_document("x.obo"), 4);
        builder.freeze().unwrap()
    };
    let (kept, saved) = (build(false), build(true));
    assert_eq!(kept.content_hash(), saved.content_hash());
    let d = kept.find_dimension("d").unwrap();
    assert_eq!(kept.documents().len(), 1);
    assert_eq!(kept.taxonomy(d).unwrap().find("b").len(), 1);
    assert_eq!(kept.taxonomy(d).unwrap().len(), 7);
    assert!(
        kept.defects(d)
            .iter()
            .all(|defect| matches!(defect.fault, Fault::CycleEdge { .. }))
    );
}

#[test]
fn strict_is_kept_with_the_dimension() {
    let text = "DIMENSION species TAXONOMY ONE STRICT\n  animal > whale\n";
    let lattice = built(text);
    assert_ne!(
        lattice.content_hash(),
        built("DIMENSION species TAXONOMY ONE\n  animal > whale\n").content_hash()
    );
    let d = lattice.find_dimension("species").unwrap();
    assert!(lattice.dimension(d).strict);
    assert!(dumped(&lattice).contains("TAXONOMY ONE STRICT"));
    assert_eq!(
        built(&dumped(&lattice)).content_hash(),
        lattice.content_hash()
    );
    let thawed = Builder::from_lattice(&reopened(&lattice)).unwrap();
    assert_eq!(
        thawed.freeze().unwrap().content_hash(),
        lattice.content_hash()
    );
    let error = latweave::Script::parse("DIMENSION born DATE ONE STRICT").unwrap_err();
    assert!(error.to_string().contains("STRICT"), "{error}");
}

/// A script with DEFECT, as a person may write one.
#[test]
fn defects_are_stated_in_lq() {
    let lattice = built(
        "DIMENSION d TAXONOMY\n  r > a\n  b > x\n\
         DEFECT d CYCLE a > b SOURCE \"is_a: a\" FROM \"x.obo\" LINE 3\n\
         DEFECT d CYCLE b > a\nDEFECT d CYCLE s > s\n",
    );
    let d = lattice.find_dimension("d").unwrap();
    let taxonomy = lattice.taxonomy(d).unwrap();
    let of = |word: &str| taxonomy.find(word)[0];
    assert_eq!(of("a"), of("b"));
    assert!(taxonomy.dag().le(of("x").0, of("r").0));
    assert_eq!(lattice.defects(d).len(), 3);
    let evidence = lattice.defects(d)[0].evidence.unwrap();
    assert_eq!(lattice.evidence(evidence).unwrap().line, Some(3));
    assert_eq!(
        built(&dumped(&lattice)).content_hash(),
        lattice.content_hash()
    );
}
