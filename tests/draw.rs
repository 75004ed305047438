//! Pictures: laws of the layout on random orders, well-formed SVG, trees that say all of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use latweave::draw::{DrawError, Frame, Layout, Mark, Node, Picture, TreeStyle, columns};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A picture of an order on `labels`, with edges from smaller to larger numbers.
fn picture(labels: &[&str], edges: &[(u32, u32)]) -> Picture {
    let mut picture = Picture::new("a test");
    picture.nodes = labels.iter().map(|label| Node::new(*label)).collect();
    picture.edges = edges.to_vec();
    picture
}

/// The covers by brute force: no third node lies between.
fn covers(nodes: usize, edges: &[(u32, u32)]) -> BTreeSet<(u32, u32)> {
    let mut below = vec![vec![false; nodes]; nodes];
    for &(a, b) in edges {
        below[a as usize][b as usize] = true;
    }
    for k in 0..nodes {
        for i in 0..nodes {
            for j in 0..nodes {
                below[i][j] |= below[i][k] && below[k][j];
            }
        }
    }
    let mut covers = BTreeSet::new();
    for i in 0..nodes {
        for j in 0..nodes {
            let between = (0..nodes).any(|k| below[i][k] && below[k][j]);
            if below[i][j] && !between {
                covers.insert((i as u32, j as u32));
            }
        }
    }
    covers
}

fn apart(a: &Frame, b: &Frame) -> bool {
    a.x + a.width < b.x || b.x + b.width < a.x || a.y + a.height < b.y || b.y + b.height < a.y
}

/// Whether a line touches a box (Liang and Barsky, 1984).
fn touches(from: (f64, f64), to: (f64, f64), frame: &Frame) -> bool {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave): (f64, f64) = (0.0, 1.0);
    for (d, low) in [
        (-dx, from.0 - frame.x),
        (dx, frame.x + frame.width - from.0),
        (-dy, from.1 - frame.y),
        (dy, frame.y + frame.height - from.1),
    ] {
        if d == 0.0 {
            if low < 0.0 {
                return false;
            }
        } else if d < 0.0 {
            enter = enter.max(low / d);
        } else {
            leave = leave.min(low / d);
        }
    }
    enter <= leave
}

/// Whether a point lies on the border of a box.
fn on_border(point: (f64, f64), frame: &Frame) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let (right, bottom) = (frame.x + frame.width, frame.y + frame.height);
    let within = |at: f64, low: f64, high: f64| at > low - 1e-6 && at < high + 1e-6;
    (near(point.0, frame.x) || near(point.0, right)) && within(point.1, frame.y, bottom)
        || (near(point.1, frame.y) || near(point.1, bottom)) && within(point.0, frame.x, right)
}

/// The laws that every layout keeps.
fn assert_lawful(picture: &Picture, layout: &Layout, covers: Option<&BTreeSet<(u32, u32)>>) {
    assert_eq!(layout.frames.len(), picture.nodes.len());
    for (at, frame) in layout.frames.iter().enumerate() {
        assert!(frame.x >= 0.0 && frame.x + frame.width <= layout.width);
        assert!(frame.y >= 0.0 && frame.y + frame.height <= layout.height);
        for (other, later) in layout.frames.iter().enumerate().skip(at + 1) {
            assert!(
                apart(frame, later),
                "boxes {at} and {other}: {frame:?} {later:?}"
            );
        }
    }
    if let Some(covers) = covers {
        let drawn: Vec<(u32, u32)> = layout.routes.iter().map(|r| (r.upper, r.lower)).collect();
        assert_eq!(drawn, covers.iter().copied().collect::<Vec<_>>());
    }
    for route in &layout.routes {
        let (upper, lower) = (
            &layout.frames[route.upper as usize],
            &layout.frames[route.lower as usize],
        );
        assert!(on_border(route.points[0], upper), "{route:?} {upper:?}");
        assert!(
            on_border(*route.points.last().unwrap(), lower),
            "{route:?} {lower:?}"
        );
        assert!(upper.y + upper.height < lower.y, "edges lead down");
        for pair in route.points.windows(2) {
            assert!(pair[0].1 <= pair[1].1, "an edge turns back up: {route:?}");
            for (at, frame) in layout.frames.iter().enumerate() {
                let own = at as u32 == route.upper || at as u32 == route.lower;
                assert!(
                    own || !touches(pair[0], pair[1], frame),
                    "{route:?} runs through the box of {at}"
                );
            }
        }
    }
}

/// Random orders: node numbers rise downwards before they are mixed.
fn orders(most: usize) -> impl Strategy<Value = Picture> {
    let label = prop_oneof![
        4 => "[a-z]{1,12}",
        2 => "[a-z]{2,9} [a-z]{2,9} [a-z]{2,20}",
        1 => "[鯨類海牛哺乳]{1,30}",
        1 => "\\PC{0,40}",
        1 => Just(String::new()),
    ];
    (1..=most).prop_flat_map(move |nodes| {
        let labels =
            prop::collection::vec((label.clone(), prop::option::of("[a-z ]{0,30}")), nodes);
        let places: Vec<u32> = (0..nodes as u32).collect();
        let edges = prop::collection::vec((0..nodes as u32, 0..nodes as u32), 0..=2 * nodes);
        let tree = prop::collection::vec(any::<prop::sample::Index>(), nodes);
        (
            labels,
            Just(places).prop_shuffle(),
            edges,
            tree,
            any::<bool>(),
        )
            .prop_map(|(labels, places, extra, tree, rooted)| {
                let mut picture = Picture::new("random");
                for (label, detail) in labels {
                    picture.nodes.push(Node {
                        label,
                        detail,
                        mark: Mark::Plain,
                    });
                }
                let mut edges: Vec<(u32, u32)> = extra
                    .into_iter()
                    .filter(|(a, b)| a != b)
                    .map(|(a, b)| (a.min(b), a.max(b)))
                    .collect();
                if rooted {
                    edges.truncate(tree.len() / 4);
                    let parents = tree.iter().enumerate().skip(1);
                    edges.extend(parents.map(|(at, i)| (i.index(at) as u32, at as u32)));
                }
                let place = |n: u32| places[n as usize];
                picture.edges = edges
                    .into_iter()
                    .map(|(a, b)| (place(a), place(b)))
                    .collect();
                picture
            })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn layouts_are_lawful(picture in orders(60)) {
        let covers = covers(picture.nodes.len(), &picture.edges);
        assert_lawful(&picture, &picture.layout().unwrap(), Some(&covers));
    }

    #[test]
    fn the_same_picture_gives_the_same_bytes(picture in orders(40), seed in any::<u64>()) {
        let mut other = picture.clone();
        // Another order of the edges, and one of them twice.
        other.edges.reverse();
        let by = seed as usize % (other.edges.len() + 1);
        other.edges.rotate_left(by);
        other.edges.extend(picture.edges.first());
        prop_assert_eq!(picture.svg().unwrap(), other.svg().unwrap());
        prop_assert_eq!(picture.dot().unwrap(), other.dot().unwrap());
        let style = TreeStyle::default();
        prop_assert_eq!(picture.tree(&style).unwrap(), other.tree(&style).unwrap());
    }

    /// Whatever the labels hold, the SVG is XML with each node and edge once.
    #[test]
    fn svg_is_well_formed(
        mut picture in orders(12),
        odd in prop::collection::vec(any::<char>(), 0..40),
    ) {
        picture.nodes[0].label = odd.iter().collect();
        picture.title = odd.iter().rev().collect();
        let svg = picture.svg().unwrap();
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let root = parsed.root_element();
        prop_assert_eq!(root.attribute("role"), Some("img"));
        let has = |name: &str| root.children().any(|n| n.has_tag_name(("http://www.w3.org/2000/svg", name)));
        prop_assert!(has("title") && has("desc"));
        let of = |name: &str| -> Vec<String> {
            root.descendants().filter_map(|n| n.attribute(name)).map(String::from).collect()
        };
        let nodes: Vec<String> = (0..picture.nodes.len()).map(|n| n.to_string()).collect();
        prop_assert_eq!(of("data-node"), nodes);
        let covers = covers(picture.nodes.len(), &picture.edges);
        let edges: Vec<String> = covers.iter().map(|(a, b)| format!("{a} {b}")).collect();
        prop_assert_eq!(of("data-edge"), edges);
    }

    /// A tree shows each node in full once, and every cover by a line.
    #[test]
    fn trees_are_complete(mut picture in orders(40), width in prop::option::of(20usize..90)) {
        for (at, node) in picture.nodes.iter_mut().enumerate() {
            (node.label, node.detail) = (format!("n{at}"), None);
        }
        let covers = covers(picture.nodes.len(), &picture.edges);
        let text = picture.tree(&TreeStyle { width, ascii: false }).unwrap();
        let mut full = BTreeMap::new();
        let mut edges = BTreeSet::new();
        let mut above: Vec<u32> = Vec::new();
        for line in text.lines() {
            prop_assert!(columns(line) <= width.unwrap_or(usize::MAX), "{}", line);
            let start = line.find(['n', '↑', '↓']).unwrap();
            let depth = columns(&line[..start]) / 3;
            let shown = line[start..].trim_start_matches(['↑', '↓', ' ']);
            let number: u32 = shown[1..].split(' ').next().unwrap().parse().unwrap();
            if line[start..].starts_with('n') {
                *full.entry(number).or_insert(0) += 1;
            }
            above.truncate(depth);
            if let Some(&parent) = above.last() {
                edges.insert((parent, number));
            }
            above.push(number);
        }
        prop_assert!(full.values().all(|&times| times == 1), "{}", text);
        prop_assert_eq!(full.len(), picture.nodes.len(), "{}", text);
        prop_assert_eq!(edges, covers, "{}", text);
    }
}

/// A taxonomy as they are: bushy, every twelfth node with a second parent.
fn taxonomy(nodes: u32, seed: u64) -> Picture {
    let mut state = seed;
    let mut random = move |below: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(below.max(1))) as u32
    };
    let words = [
        "cell",
        "membrane transport",
        "regulation of growth",
        "腎臓",
        "abnormal",
    ];
    let mut picture = Picture::new("a taxonomy");
    for at in 0..nodes {
        let word = words[random(words.len() as u32) as usize];
        let node = Node::new(format!("{word} {at}")).with_detail(format!("T:{at:07}"));
        picture.nodes.push(node);
        if at > 0 {
            picture.edges.push((random(at.min(40)), at));
        }
        if at % 12 == 11 {
            picture.edges.push((random(at), at));
        }
    }
    picture
}

/// At 200 nodes: letters of at least 9 pixels, boxes apart, edges beside the boxes, and the
/// whole no larger than a few screens.
#[test]
fn two_hundred_nodes_are_legible() {
    for seed in 0..6 {
        let picture = taxonomy(200, seed);
        let layout = picture.layout().unwrap();
        assert_lawful(&picture, &layout, None);
        println!(
            "200 nodes, seed {seed}: {} × {}",
            layout.width.ceil(),
            layout.height.ceil()
        );
        assert!(layout.width < 6_000.0 && layout.height < 4_000.0);
        let svg = picture.svg().unwrap();
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let sizes = parsed
            .descendants()
            .filter_map(|n| n.attribute("font-size"));
        let sizes: Vec<f64> = sizes.map(|size| size.parse().unwrap()).collect();
        assert!(sizes.len() >= 400 && sizes.iter().all(|&size| size >= 9.0));
        // Natural size: the units of the view are pixels.
        let root = parsed.root_element();
        let view = format!(
            "0 0 {} {}",
            root.attribute("width").unwrap(),
            root.attribute("height").unwrap()
        );
        assert_eq!(root.attribute("viewBox"), Some(view.as_str()));
        // Lines of a box lie within it.
        for frame in &layout.frames {
            let lines = frame.label.len() as f64 * 16.0 + frame.detail.len() as f64 * 14.0;
            assert!(lines <= frame.height);
        }
    }
}

#[test]
fn the_largest_pictures_are_drawn_and_larger_ones_refused() {
    let picture = taxonomy(2_000, 1);
    let layout = picture.layout().unwrap();
    assert_lawful(&picture, &layout, None);
    let error = taxonomy(2_001, 1).svg().unwrap_err();
    assert_eq!(error, DrawError::TooManyNodes { nodes: 2_001 });
    assert!(error.to_string().contains("2000 are the most"), "{error}");
    // Long edges over a long chain: few nodes, but each edge passes nearly all levels.
    let mut picture = Picture::new("long edges");
    picture.nodes = vec![Node::new("x"); 2_000];
    picture.edges = (1..1_000).map(|at| (at - 1, at)).collect();
    picture
        .edges
        .extend((1_000..2_000).flat_map(|at| [(0, at), (at, 999)]));
    let nodes = picture.layout();
    assert_eq!(nodes.unwrap_err(), DrawError::TooManyBends);
}

#[test]
fn odd_pictures_are_drawn() {
    let empty = Picture::new("");
    assert_lawful(&empty, &empty.layout().unwrap(), Some(&BTreeSet::new()));
    assert_eq!(empty.tree(&TreeStyle::default()).unwrap(), "");
    let alone: Vec<&str> = vec!["alone"; 150];
    let row = picture(&alone, &[]);
    let layout = row.layout().unwrap();
    assert_lawful(&row, &layout, Some(&BTreeSet::new()));
    assert!(
        layout.width < 3.0 * layout.height,
        "what stands alone fills a page"
    );
    let mut complete = picture(&["k"; 60], &[]);
    complete.edges = (0..30)
        .flat_map(|a| (30..60).map(move |b| (a, b)))
        .collect();
    assert_lawful(&complete, &complete.layout().unwrap(), None);
    // All subsets of seven things.
    let mut cube = picture(&["set"; 128], &[]);
    cube.edges = (0..128u32)
        .flat_map(|set| (0..7).map(move |bit| (set, set | 1 << bit)))
        .filter(|(a, b)| a != b)
        .collect();
    let layout = cube.layout().unwrap();
    assert_eq!(layout.routes.len(), 64 * 7);
    assert_lawful(&cube, &layout, None);
}

#[test]
fn what_is_no_order_is_refused() {
    let circle = picture(&["a", "b", "c"], &[(0, 1), (1, 2), (2, 0)]);
    let error = circle.dot().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the edges are no order, they lead in a circle: a > b > c > a"
    );
    assert!(picture(&["a"], &[(0, 0)]).svg().is_err());
    let error = picture(&["a"], &[(0, 7)])
        .tree(&TreeStyle::default())
        .unwrap_err();
    assert_eq!(error, DrawError::NoSuchNode { node: 7, nodes: 1 });
}

/// The text of a deep order grows with its nodes, not with their square, on a small stack.
#[test]
fn deep_orders_are_written() {
    let nodes = 100_000;
    let mut chain = Picture::new("deep");
    chain.nodes = (0..nodes).map(|at| Node::new(at.to_string())).collect();
    chain.edges = (1..nodes).map(|at| (at - 1, at)).collect();
    let written = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            let tree = chain.tree(&TreeStyle::default()).unwrap();
            (tree.lines().count(), tree.len(), chain.dot().unwrap().len())
        })
        .unwrap();
    let (lines, bytes, dot) = written.join().unwrap();
    assert!(
        lines >= nodes as usize && bytes < 200 * nodes as usize,
        "{lines} {bytes}"
    );
    assert!(dot < 200 * nodes as usize);
}

#[test]
fn a_tree_keeps_to_its_width() {
    let mut picture = picture(
        &[
            "regulation of mitochondrial transport",
            "鯨類と海牛類と人間と魚類と鳥類",
            "c",
            "d",
        ],
        &[(0, 1), (0, 2), (1, 3), (2, 3)],
    );
    picture.nodes[3].mark = Mark::Answer;
    picture.nodes[2].detail = Some("which is told at some length".to_string());
    let style = TreeStyle {
        width: Some(24),
        ascii: true,
    };
    assert_eq!(
        picture.tree(&style).unwrap(),
        "regulation of mitocho...\n\
         |- 鯨類と海牛類と人間...\n\
         |  `- d  (answer)\n\
         `- c  which is told a...\n   \
            `- ^ d (above)\n"
    );
}

#[test]
fn the_animals_as_a_tree_and_as_dot() {
    let picture = animals();
    insta::with_settings!({snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"), prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!("draw_animals_tree", picture.tree(&TreeStyle::default()).unwrap());
        insta::assert_snapshot!("draw_animals_dot", picture.dot().unwrap());
    });
}

/// The lattice of the animals example.
fn example() -> latweave::Lattice {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("examples/animals/animals.lq")).unwrap();
    lattice_of(&text)
}

/// Its species.
fn animals() -> Picture {
    let lattice = example();
    let species = lattice.find_dimension("species").unwrap();
    latweave::script::picture::dimension(&lattice, species, None).unwrap()
}

/// The pictures in the book are those that the program draws today.
/// `LATWEAVE_BOOK=write` writes them, to be looked at and committed.
#[test]
fn the_pictures_of_the_book_are_fresh() {
    use latweave::engine::Budget;
    let lattice = example();
    let query = "MEET species = mammal AND habitat = aquatic";
    let verdict = latweave::Script::parse(query)
        .unwrap()
        .run(&lattice)
        .unwrap();
    let answer = latweave::script::chain::chain(&lattice, &verdict, &Budget::unlimited());
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/pictures");
    let write = std::env::var("LATWEAVE_BOOK").is_ok_and(|word| word == "write");
    for (name, picture) in [
        ("species.svg", animals()),
        ("answer.svg", answer.unwrap().unwrap()),
    ] {
        let (path, svg) = (folder.join(name), picture.svg().unwrap());
        if write {
            std::fs::write(&path, &svg).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == svg,
            "{name} is old: LATWEAVE_BOOK=write cargo test --test draw writes it anew"
        );
    }
}

/// The context “live in water” (Ganter and Wille, 1999): 19 concepts.
#[test]
fn a_concept_lattice_is_drawn() {
    use latweave::draw::concept_picture;
    use latweave::order::concepts::{ConceptLattice, Context, Limits};
    let attributes = [
        "needs water",
        "lives in water",
        "lives on land",
        "needs chlorophyll",
        "two seed leaves",
        "one seed leaf",
        "can move",
        "has limbs",
        "suckles",
    ];
    let objects = [
        ("leech", "abg"),
        ("bream", "abgh"),
        ("frog", "abcgh"),
        ("dog", "acghi"),
        ("spike-weed", "abdf"),
        ("reed", "abcdf"),
        ("bean", "acde"),
        ("maize", "acdf"),
    ];
    let crosses = (0u32..)
        .zip(&objects)
        .flat_map(|(object, (_, has))| has.bytes().map(move |b| (object, u32::from(b - b'a'))));
    let context = Context::new(8, 9, crosses, 1 << 20).unwrap();
    let go = || std::ops::ControlFlow::Continue(());
    let lattice = ConceptLattice::new(&context, 0, Limits::default(), go).unwrap();
    let names = attributes.map(String::from);
    let called = objects.map(|(name, _)| name.to_string());
    let drawn = concept_picture(&lattice, &context, &called, &names);
    assert_eq!(drawn.nodes.len(), 19);
    assert_eq!(drawn.edges.len(), lattice.covers());
    assert_eq!(drawn.title, "19 concepts of 8 objects and 9 attributes");
    // Every name stands once.
    let all = |of: &dyn Fn(&Node) -> String| -> Vec<String> {
        let texts: Vec<String> = drawn.nodes.iter().map(of).collect();
        let mut all: Vec<String> = texts
            .iter()
            .flat_map(|t| t.split(", "))
            .filter(|t| !t.is_empty())
            .map(String::from)
            .collect();
        all.sort();
        all
    };
    let mut sorted = names.to_vec();
    sorted.sort();
    assert_eq!(all(&|node| node.label.clone()), sorted);
    let mut sorted = called.to_vec();
    sorted.sort();
    assert_eq!(all(&|node| node.detail.clone().unwrap_or_default()), sorted);
    // The highest has what all have; a dog suckles, and nothing else does.
    let top = &drawn.nodes[0];
    assert_eq!((top.label.as_str(), top.mark), ("needs water", Mark::Root));
    let dog = drawn.nodes.iter().find(|n| n.label == "suckles").unwrap();
    assert_eq!(dog.detail.as_deref(), Some("dog"));
    assert_lawful(
        &drawn,
        &drawn.layout().unwrap(),
        Some(&drawn.edges.iter().copied().collect()),
    );
    // Names beyond the fourth are counted, missing ones numbered.
    let few = concept_picture(&lattice, &context, &[], &[]);
    assert_eq!(few.nodes[0].label, "0");
}

fn lattice_of(text: &str) -> latweave::Lattice {
    latweave::Script::parse(text).unwrap().build().unwrap()
}

#[test]
fn a_part_of_a_dimension_says_what_it_leaves_out() {
    use latweave::script::picture::{Around, PictureError, dimension};
    let lattice = lattice_of(
        "DIMENSION go TAXONOMY ONE
           \"GO:1\" > \"GO:2\", \"GO:3\"
           \"GO:2\" > \"GO:4\", \"GO:5\"
         SYNONYM \"powerhouse\" = \"GO:3\" IN go
         INSTANCE \"cell part\" @\"GO:2\"
         DIMENSION born DATE ONE",
    );
    let go = lattice.find_dimension("go").unwrap();
    let around = |value, levels| dimension(&lattice, go, Some(Around { value, levels }));
    let style = TreeStyle::default();
    let drawn = around("GO:2", Some(0)).unwrap();
    assert_eq!(drawn.title, "go around cell part");
    assert_eq!(
        drawn.tree(&style).unwrap(),
        "GO:1\n└─ cell part  GO:2 + 2 below  (asked)\n"
    );
    let whole = around("GO:1", None).unwrap().tree(&style).unwrap();
    assert_eq!(
        whole,
        "GO:1  (asked)\n├─ cell part  GO:2\n│  ├─ GO:4\n│  └─ GO:5\n└─ GO:3  powerhouse\n"
    );
    assert_eq!(around("Powerhouse", None).unwrap().nodes.len(), 2);
    let error = around("powerhose", None).unwrap_err();
    assert_eq!(error.help().as_deref(), Some("did you mean “powerhouse”?"));
    let born = lattice.find_dimension("born").unwrap();
    let error = dimension(&lattice, born, None).unwrap_err();
    assert!(matches!(
        error,
        PictureError::NotOrdered { kind: "DATE", .. }
    ));
}

#[test]
fn an_entity_dimension_is_drawn_by_its_relation() {
    use latweave::script::picture::{Around, dimension};
    let lattice = lattice_of(
        "DIMENSION located_in ENTITY MANY
         DIMENSION born_in ENTITY ONE WITHIN located_in
         FACT Ulm located_in = Bavaria SOURCE \"s\" FROM \"d\" LINE 1
         FACT Bavaria located_in = Germany SOURCE \"s\" FROM \"d\" LINE 2
         FACT Ulm located_in = Germany SOURCE \"s\" FROM \"d\" LINE 3
         FACT Here located_in = There SOURCE \"s\" FROM \"d\" LINE 4
         FACT There located_in = Here SOURCE \"s\" FROM \"d\" LINE 5
         FACT Einstein born_in = Ulm SOURCE \"s\" FROM \"d\" LINE 6
         FACT Alice born_in = Wonderland SOURCE \"s\" FROM \"d\" LINE 7",
    );
    let born_in = lattice.find_dimension("born_in").unwrap();
    let whole = dimension(&lattice, born_in, None).unwrap();
    let circle = whole
        .nodes
        .iter()
        .find(|n| n.label == "Here = There")
        .unwrap();
    assert_eq!(circle.mark, Mark::Contested);
    let around = Some(Around {
        value: "Bavaria",
        levels: None,
    });
    let part = dimension(&lattice, born_in, around).unwrap();
    assert_eq!(
        part.tree(&TreeStyle::default()).unwrap(),
        "Germany\n└─ Bavaria  (asked)\n   └─ Ulm\n"
    );
    assert_eq!(whole.nodes.len(), 5, "{whole:?}");
}

/// What an answer follows from, from the constraints to the hits.
#[test]
fn the_chain_of_an_answer() {
    use latweave::engine::Budget;
    use latweave::script::chain::{MOST_HITS, chain};
    let mut text = String::from(
        "DIMENSION species TAXONOMY ONE animal > mammal > whale, dog
         DIMENSION habitat TAXONOMY MANY aquatic, terrestrial
         DIMENSION kept_at ENTITY MANY
         DIMENSION in_country ENTITY MANY
         FACT Zoo in_country = France SOURCE \"in France\" FROM \"z\" LINE 9\n",
    );
    for k in 0..15 {
        text.push_str(&format!(
            "FACT \"w{k:02}\" species = whale, habitat = aquatic, kept_at = Zoo SOURCE \"whale {k}\" FROM \"d\" LINE {}\n",
            k + 1
        ));
    }
    let lattice = lattice_of(&text);
    let drawn = |query: &str| {
        let verdict = latweave::Script::parse(query)
            .unwrap()
            .run(&lattice)
            .unwrap();
        chain(&lattice, &verdict, &Budget::unlimited()).unwrap()
    };
    let labels = |picture: &Picture, mark: Mark| -> Vec<String> {
        let marked = picture.nodes.iter().filter(|n| n.mark == mark);
        marked.map(|n| n.label.clone()).collect()
    };
    let picture = drawn("MEET species = mammal AND species = whale AND habitat = aquatic").unwrap();
    let mut asked = labels(&picture, Mark::Focus);
    asked.sort();
    assert_eq!(
        asked,
        ["habitat = aquatic", "species = mammal", "species = whale"]
    );
    let hits = labels(&picture, Mark::Answer);
    assert_eq!(hits.len(), MOST_HITS + 1);
    assert_eq!(
        (hits[0].as_str(), hits[MOST_HITS].as_str()),
        ("w00", "and 3 more")
    );
    let place = |label: &str, detail: Option<&str>| {
        let same = |n: &Node| n.label == label && n.detail.as_deref() == detail;
        picture
            .nodes
            .iter()
            .position(same)
            .unwrap_or_else(|| panic!("{label}")) as u32
    };
    // constraint > meet > recorded value with its source > hit
    let way = [
        place("species = mammal", None),
        place("species = whale", Some("their meet")),
        place("species = whale", Some("d:1: “whale 0”")),
        place("w00", None),
    ];
    for pair in way.windows(2) {
        assert!(picture.edges.contains(&(pair[0], pair[1])), "{pair:?}");
    }
    assert_lawful(&picture, &picture.layout().unwrap(), None);

    let path = drawn("MEET kept_at.in_country = France AND name = \"w01\"").unwrap();
    assert_eq!(
        path.tree(&TreeStyle::default()).unwrap(),
        "name = w01  (asked)\n\
         └─ w01  (answer)\n\
         kept_at.in_country = France  (asked)\n\
         └─ Zoo: in_country = France  z:9: “in France”\n   \
            └─ kept_at = Zoo  d:2: “whale 1”\n      \
               └─ ↑ w01 (above)\n"
    );
    let returned = drawn("MEET name IN {\"w01\", \"w02\"} RETURN kept_at").unwrap();
    assert_eq!(labels(&returned, Mark::Answer), ["Zoo"]);

    let conflict = drawn("MEET species = whale AND species = dog").unwrap();
    assert_eq!(labels(&conflict, Mark::Contested), ["species", "nothing"]);
    let empty = drawn("MEET species = whale AND habitat = terrestrial").unwrap();
    let tree = empty.tree(&TreeStyle::default()).unwrap();
    assert!(tree.contains("nothing  empty"), "{tree}");
    // Nothing is met where a word is unknown, and a COMPARE meets nothing.
    assert_eq!(drawn("MEET species = unicorn"), None);
    assert_eq!(drawn("COMPARE whale, dog BY species"), None);
}
