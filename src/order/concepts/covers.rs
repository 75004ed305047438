//! The concept lattice: all concepts and which of them cover which.

use super::bits;
use super::enumerate::{Ended, Limits, Outcome};
use super::ranked::Ranked;
use super::walk::{self, Node};
use super::{ConceptRef, Context};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Lists of numbers in one array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lists {
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    fn of(&self, list: u32) -> &[u32] {
        let list = list as usize;
        if list + 1 >= self.offsets.len() {
            return &[];
        }
        &self.items[self.offsets[list]..self.offsets[list + 1]]
    }

    /// The second numbers of the pairs by their first, ascending.
    fn group(count: usize, pairs: &[(u32, u32)]) -> Lists {
        let mut offsets = vec![0; count + 1];
        for &(from, _) in pairs {
            offsets[from as usize + 1] += 1;
        }
        for k in 0..count {
            offsets[k + 1] += offsets[k];
        }
        let mut next = offsets.clone();
        let mut items = vec![0; pairs.len()];
        for &(from, to) in pairs {
            items[next[from as usize]] = to;
            next[from as usize] += 1;
        }
        for k in 0..count {
            items[offsets[k]..offsets[k + 1]].sort_unstable();
        }
        Lists { offsets, items }
    }
}

/// All formal concepts of a context, or those with a least support, and their covers
/// (the Hasse diagram of the concept lattice).
///
/// Concepts are the numbers `0..len`, by falling support, then by intent as an
/// ascending list: what lies above a concept has a smaller number. The first one has
/// all objects. Extents are not kept; [`Context::extent`] of an intent gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConceptLattice {
    supports: Vec<u64>,
    intents: Lists,
    upper: Lists,
    lower: Lists,
}

impl ConceptLattice {
    /// The concepts whose extent has at least `support` objects, and their covers.
    /// `tick` is asked after each concept whether to go on.
    ///
    /// The lower neighbours of a concept are the largest extents that one more attribute
    /// leaves (Bordat, 1986; compare Lindig, 2000); they are looked up by intent.
    ///
    /// # Errors
    /// The [`Outcome`] if there are more concepts than `limits` allow, or `tick` ended the
    /// work: covers of a part would be wrong, so there are none.
    pub fn new(
        context: &Context,
        support: u64,
        limits: Limits,
        mut tick: impl FnMut() -> ControlFlow<()>,
    ) -> Result<ConceptLattice, Outcome> {
        let ranked = Ranked::new(context);
        let limits = Limits {
            most: Some(
                limits
                    .most
                    .map_or(u64::from(u32::MAX), |most| most.min(u64::from(u32::MAX))),
            ),
        };
        let found = Found::new(&ranked, support, limits, &mut tick)?;
        let edges = edges(&ranked, support, &found, &mut tick)?;
        Ok(found.into_lattice(edges))
    }

    /// How many concepts there are.
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there is none: no extent is large enough.
    pub fn is_empty(&self) -> bool {
        self.supports.is_empty()
    }

    /// How many objects a concept's extent has; 0 outside the lattice.
    pub fn support(&self, concept: u32) -> u64 {
        self.supports.get(concept as usize).copied().unwrap_or(0)
    }

    /// The attributes of a concept, ascending.
    pub fn intent(&self, concept: u32) -> &[u32] {
        self.intents.of(concept)
    }

    /// The upper neighbours of a concept, ascending: the next more general concepts.
    pub fn upper(&self, concept: u32) -> &[u32] {
        self.upper.of(concept)
    }

    /// The lower neighbours of a concept, ascending: the next more specific concepts.
    pub fn lower(&self, concept: u32) -> &[u32] {
        self.lower.of(concept)
    }

    /// How many covers there are.
    pub fn covers(&self) -> usize {
        self.upper.items.len()
    }

    /// The concept with this intent (ascending) and so many objects.
    pub fn find(&self, support: u64, intent: &[u32]) -> Option<u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            let by_support = support.cmp(&self.support(middle));
            match by_support.then(self.intent(middle).cmp(intent)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The attributes of a concept that no concept above it has: where a diagram writes
    /// their names.
    pub fn introduced(&self, concept: u32) -> Vec<u32> {
        let known = |attribute: &u32| {
            let mut above = self.upper(concept).iter();
            above.any(|upper| self.intent(*upper).binary_search(attribute).is_ok())
        };
        let intent = self.intent(concept).iter().copied();
        intent.filter(|attribute| !known(attribute)).collect()
    }

    /// The smallest concept of each object, in their order: where a diagram writes its name.
    /// None if its support is too small. Objects with the same attributes are looked up once.
    pub fn homes<'a>(&'a self, context: &'a Context) -> impl Iterator<Item = Option<u32>> + 'a {
        let mut known: HashMap<&[u64], Option<u32>> = HashMap::new();
        (0..context.objects()).map(move |object| {
            *known
                .entry(context.row(object as usize))
                .or_insert_with(|| {
                    let intent = context.intent(&[object]);
                    self.find(context.extent(&intent).len() as u64, &intent)
                })
        })
    }
}

/// The concepts in the order of the walk.
struct Found {
    /// Blocks of the classes of one intent.
    blocks: usize,
    classes: Vec<u64>,
    supports: Vec<u64>,
    /// Intents as lists.
    intents: Lists,
}

impl Found {
    fn new(
        ranked: &Ranked,
        support: u64,
        limits: Limits,
        tick: &mut impl FnMut() -> ControlFlow<()>,
    ) -> Result<Found, Outcome> {
        let mut found = Found {
            blocks: bits::blocks(ranked.attributes.len()),
            classes: Vec::new(),
            supports: Vec::new(),
            intents: Lists {
                offsets: vec![0],
                items: Vec::new(),
            },
        };
        let mut intent = Vec::new();
        let mut ended = Ended::Whole;
        let flow = walk::walk(ranked, support, |node| {
            if !limits.allow(found.supports.len() as u64) {
                ended = Ended::AtLimit;
                return ControlFlow::Break(());
            }
            found.classes.extend_from_slice(node.intent);
            found.supports.push(node.support());
            ConceptRef::new(node).write_intent(&mut intent);
            found.intents.items.extend_from_slice(&intent);
            found.intents.offsets.push(found.intents.items.len());
            tick().map_break(|()| ended = Ended::Stopped)
        });
        match flow {
            ControlFlow::Continue(()) => Ok(found),
            ControlFlow::Break(()) => Err(Outcome {
                found: found.supports.len() as u64,
                ended,
            }),
        }
    }

    fn classes(&self, place: usize) -> &[u64] {
        &self.classes[place * self.blocks..(place + 1) * self.blocks]
    }

    /// Numbers the concepts anew, and their covers with them.
    fn into_lattice(self, mut edges: Vec<(u32, u32)>) -> ConceptLattice {
        let count = self.supports.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_support = self.supports[b as usize].cmp(&self.supports[a as usize]);
            by_support.then_with(|| self.intents.of(a).cmp(self.intents.of(b)))
        });
        let mut number = vec![0; count];
        let mut intents = Lists {
            offsets: vec![0],
            items: Vec::with_capacity(self.intents.items.len()),
        };
        for (new, &old) in order.iter().enumerate() {
            number[old as usize] = new as u32;
            intents.items.extend_from_slice(self.intents.of(old));
            intents.offsets.push(intents.items.len());
        }
        for (upper, lower) in &mut edges {
            (*upper, *lower) = (number[*upper as usize], number[*lower as usize]);
        }
        let lower = Lists::group(count, &edges);
        for (upper, lower) in &mut edges {
            std::mem::swap(upper, lower);
        }
        ConceptLattice {
            supports: order
                .iter()
                .map(|old| self.supports[*old as usize])
                .collect(),
            intents,
            upper: Lists::group(count, &edges),
            lower,
        }
    }
}

/// The covers `(upper, lower)` as places in the order of the walk.
fn edges(
    ranked: &Ranked,
    support: u64,
    found: &Found,
    tick: &mut impl FnMut() -> ControlFlow<()>,
) -> Result<Vec<(u32, u32)>, Outcome> {
    let count = found.supports.len();
    let places: HashMap<&[u64], u32> = (0..count)
        .map(|place| (found.classes(place), place as u32))
        .collect();
    let bottom = (support == 0 && walk::has_empty_extent(ranked)).then(|| count as u32 - 1);
    let mut edges = Vec::new();
    let mut neighbours = Neighbours::default();
    let mut place = 0;
    let flow = walk::walk(ranked, support, |node| {
        let before = edges.len();
        neighbours.visit(node, support.max(1), |intent| {
            if let Some(&lower) = places.get(intent) {
                edges.push((place, lower));
            }
        });
        if let Some(bottom) = bottom
            && edges.len() == before
            && place != bottom
        {
            edges.push((place, bottom));
        }
        place += 1;
        tick()
    });
    match flow {
        ControlFlow::Continue(()) => Ok(edges),
        ControlFlow::Break(()) => Err(Outcome {
            found: count as u64,
            ended: Ended::Stopped,
        }),
    }
}

/// Finds lower neighbours.
#[derive(Default)]
struct Neighbours {
    /// Attributes outside the intent with their support in the extent.
    tried: Vec<(u64, u32)>,
    /// One attribute of each neighbour.
    chosen: Vec<u32>,
    part: Vec<u64>,
    intent: Vec<u64>,
    scratch: Vec<u64>,
}

impl Neighbours {
    /// Visits the intents of the lower neighbours of a concept that have at least so many
    /// objects, and one.
    ///
    /// Extents `E ∩ a'` are taken by falling size, so one is a largest if it lies in none
    /// that was taken before.
    fn visit(&mut self, node: &Node<'_>, minimum: u64, mut visit: impl FnMut(&[u64])) {
        self.tried.clear();
        self.chosen.clear();
        let extent = node.extent();
        if extent.is_empty() {
            return;
        }
        self.part.resize(extent.len(), 0);
        for attribute in 0..node.ranked.attributes.len() {
            if bits::contains(node.intent, attribute) {
                continue;
            }
            let mut any = 0;
            for ((new, old), column) in self.part.iter_mut().zip(extent).zip(node.column(attribute))
            {
                *new = old & column;
                any |= *new;
            }
            if any == 0 {
                continue;
            }
            let size = node.weight(&self.part);
            if size >= minimum {
                self.tried.push((size, attribute as u32));
            }
        }
        self.tried
            .sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(_, attribute) in &self.tried {
            let column = node.column(attribute as usize);
            let lies_in = |other: &u32| {
                let other = node.column(*other as usize);
                let mut blocks = extent.iter().zip(column).zip(other);
                blocks.all(|((extent, column), other)| extent & column & !other == 0)
            };
            if self.chosen.iter().any(lies_in) {
                continue;
            }
            self.chosen.push(attribute);
            self.part.copy_from_slice(extent);
            bits::intersect(&mut self.part, column);
            self.intent.clear();
            self.intent.extend_from_slice(node.intent);
            node.close(&self.part, &mut self.intent, &mut self.scratch);
            visit(&self.intent);
        }
    }
}
