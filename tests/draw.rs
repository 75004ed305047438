//! Pictures: laws of the layout on random orders, well-formed SVG, trees that say all of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/pictures.rs"]
mod pictures;

use latweave::draw::{DrawError, Mark, Node, Picture, TreeStyle, columns};
use pictures::assert_lawful;
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
