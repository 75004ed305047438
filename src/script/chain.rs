//! The picture of an answer: from the constraints through their meets and the recorded
//! predicates down to the hits.

use super::words;
use crate::draw::{Mark, Node, Picture};
use crate::engine::{
    self, Budget, By, MeetExplanation, Predicate, Proof, Prover, RunError, StepExplanation,
};
use crate::lattice::{Evidence, InstanceId, Lattice, Value};
use crate::plan::Plan;
use crate::syntax::print_query;
use crate::syntax::tree::{Meet, Query};
use crate::verdict::{Abstention, Answer, Members, Outcome, Reason, Verdict};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;

/// Hits that are drawn, and values of RETURN; the others are counted.
pub const MOST_HITS: usize = 12;
/// Characters of a source text that are written below what it says.
const MOST_SAID: usize = 160;

/// What the verdict of a MEET follows from. Above stand the constraints; where several
/// speak of one dimension, their meet below them; then what is recorded, each with its source;
/// then the hits; then what RETURN gives. Each stands below what it is more specific than.
///
/// None if the query is no MEET, or a word in it was not found: then nothing was met.
///
/// # Errors
/// [`RunError`]: the query is evaluated again for its proofs.
pub fn chain(
    lattice: &Lattice,
    verdict: &Verdict,
    budget: &Budget,
) -> Result<Option<Picture>, RunError> {
    let Query::Meet(meet) = verdict.query.as_ref() else {
        return Ok(None);
    };
    let explanation = engine::explain(lattice, &verdict.query)?;
    let Some(step) = explanation.steps.last() else {
        return Ok(None);
    };
    let mut chain = Chain {
        lattice,
        picture: Picture::new(print_query(&verdict.query)),
        lowest: BTreeMap::new(),
        predicates: BTreeMap::new(),
    };
    chain.constraints(step);
    match &verdict.outcome {
        Outcome::Abstention(Abstention { reason }) => chain.nothing(reason),
        Outcome::Answer(answer) => {
            let hits = chain.hits(meet, answer, budget)?;
            chain.returned(verdict, &hits, budget)?;
        }
    }
    Ok(Some(chain.picture))
}

struct Chain<'l> {
    lattice: &'l Lattice,
    picture: Picture,
    /// The node that stands for a constraint, by its text: itself, or the meet that it is part of.
    lowest: BTreeMap<String, u32>,
    /// A recorded predicate above a node: what says it, and what follows.
    predicates: BTreeMap<(u32, String), u32>,
}

impl Chain<'_> {
    fn node(&mut self, node: Node) -> u32 {
        self.picture.nodes.push(node);
        (self.picture.nodes.len() - 1) as u32
    }

    fn edge(&mut self, upper: u32, lower: u32) {
        if !self.picture.edges.contains(&(upper, lower)) {
            self.picture.edges.push((upper, lower));
        }
    }

    /// The constraints and their meets.
    fn constraints(&mut self, step: &StepExplanation) {
        for met in step.meets.iter().filter(|met| met.constraints.len() > 1) {
            let node = meeting(met);
            let meet = self.node(node);
            for constraint in &met.constraints {
                let upper = self.node(Node::new(constraint.clone()).marked(Mark::Focus));
                self.edge(upper, meet);
                self.lowest.insert(constraint.clone(), meet);
            }
            self.lowest.insert(met.constraints.join(" AND "), meet);
        }
        for condition in &step.order {
            self.constraint(&condition.constraint);
        }
    }

    /// The lowest node of a constraint.
    fn constraint(&mut self, text: &str) -> u32 {
        if let Some(&node) = self.lowest.get(text) {
            return node;
        }
        let node = self.node(Node::new(text).marked(Mark::Focus));
        self.lowest.insert(text.to_string(), node);
        node
    }

    /// What no constraint is above is below all of them.
    fn below_all(&mut self, lower: u32) {
        let mut uppers: Vec<u32> = self.lowest.values().copied().collect();
        uppers.sort_unstable();
        uppers.dedup();
        for upper in uppers {
            self.edge(upper, lower);
        }
    }

    /// Why nothing was met.
    fn nothing(&mut self, reason: &Reason) {
        let needed: Vec<String> = match reason {
            Reason::Empty { constraints } => {
                constraints.iter().map(|c| c.constraint.clone()).collect()
            }
            Reason::Conflict(conflicts) => conflicts
                .iter()
                .flat_map(|c| c.constraints.clone())
                .collect(),
            _ => Vec::new(),
        };
        let node = Node::new("nothing")
            .with_detail(reason.code())
            .marked(Mark::Contested);
        let bottom = self.node(node);
        // Only those that are to blame, where the reason says which.
        for constraint in &needed {
            let upper = self.constraint(constraint);
            self.edge(upper, bottom);
        }
        if needed.is_empty() {
            self.below_all(bottom);
        }
    }

    /// The first hits with what makes them hits, and the number of the others.
    fn hits(
        &mut self,
        meet: &Meet,
        answer: &Answer,
        budget: &Budget,
    ) -> Result<BTreeMap<InstanceId, u32>, RunError> {
        let mut drawn = BTreeMap::new();
        let instances = Query::Meet(Meet {
            returns: None,
            ..meet.clone()
        });
        let (all, possibly) = match (answer, &meet.returns) {
            (Answer::Set(set), None) => members(set),
            _ => match engine::answer(self.lattice, &instances, budget)?.outcome {
                Outcome::Answer(Answer::Set(set)) => members(&set),
                _ => return Ok(drawn),
            },
        };
        let Ok(plan) = engine::prepare(self.lattice, &instances)? else {
            return Ok(drawn);
        };
        let mark = match meet.returns {
            None => Mark::Answer,
            Some(_) => Mark::Plain,
        };
        let prover = Prover::new(self.lattice, &plan, budget);
        for i in all.iter().take(MOST_HITS).map(InstanceId) {
            let mut node = Node::new(words::instance(self.lattice, i)).marked(mark);
            if possibly.contains(i.0) {
                node.detail = Some("possibly".to_string());
            }
            let hit = self.node(node);
            drawn.insert(i, hit);
            let because = prover.because(i)?.map_or(Vec::new(), |hit| hit.because);
            for proof in &because {
                let upper = self.constraint(&proof.text);
                self.prove(proof, upper, hit, i);
            }
            if because.is_empty() {
                self.below_all(hit);
            }
        }
        if all.len() > MOST_HITS as u64 {
            let others = all.len() - MOST_HITS as u64;
            let node = Node::new(format!("and {others} more")).marked(mark);
            let node = self.node(node);
            self.below_all(node);
        }
        Ok(drawn)
    }

    /// What a proof rests on, between its constraint and what it proves.
    fn prove(&mut self, proof: &Proof, upper: u32, lower: u32, hit: InstanceId) {
        let mut rest = vec![(proof, lower)];
        while let Some((proof, lower)) = rest.pop() {
            match &proof.by {
                By::All(list) => rest.extend(list.iter().rev().map(|proof| (proof, lower))),
                By::One(inner) | By::Not(inner) | By::So(inner) => rest.push((inner, lower)),
                By::Sides { sides, .. }
                | By::Complete {
                    recorded: sides, ..
                } => {
                    for side in sides {
                        let mut by: Vec<u32> = Vec::new();
                        for predicate in &side.by {
                            by.push(self.predicate(predicate, lower, hit));
                        }
                        for predicate in &side.edges {
                            let below = by.first().copied().unwrap_or(lower);
                            by = vec![self.predicate(predicate, below, hit)];
                        }
                        for node in by {
                            match &side.then {
                                Some(then) => rest.push((then, node)),
                                None => self.edge(upper, node),
                            }
                        }
                    }
                    if sides.is_empty() {
                        self.edge(upper, lower);
                    }
                }
                By::Nothing | By::Called(_) | By::Among(_) | By::Nowhere(_) => {
                    self.edge(upper, lower);
                }
            }
        }
    }

    /// A recorded predicate above what follows from it.
    fn predicate(&mut self, predicate: &Predicate, lower: u32, hit: InstanceId) -> u32 {
        let dimension = &self.lattice.dimension(predicate.dimension).name;
        let sign = if predicate.denied { "!=" } else { "=" };
        let value = words::cell(self.lattice, &predicate.value);
        let mut label = format!("{dimension} {sign} {value}");
        if predicate.instance != hit {
            label = format!("{}: {label}", self.lattice.name(predicate.instance));
        }
        let key = (lower, label);
        if let Some(&node) = self.predicates.get(&key) {
            return node;
        }
        let node = self.node(Node {
            label: key.1.clone(),
            detail: said(predicate),
            mark: Mark::Plain,
        });
        self.predicates.insert(key, node);
        self.edge(node, lower);
        node
    }

    /// What RETURN gives, below the hits that it comes from.
    fn returned(
        &mut self,
        verdict: &Verdict,
        hits: &BTreeMap<InstanceId, u32>,
        budget: &Budget,
    ) -> Result<(), RunError> {
        let Ok(plan) = engine::prepare(self.lattice, &verdict.query)? else {
            return Ok(());
        };
        let plan: Plan = plan;
        let returned = Prover::new(self.lattice, &plan, budget).returned()?;
        let mut left_out = 0;
        for (at, value) in returned.iter().enumerate() {
            match hits.get(&value.hit) {
                Some(&hit) if at < MOST_HITS => {
                    let label = match value.value {
                        Value::Instance(i) => words::instance(self.lattice, i),
                        ref other => words::cell(self.lattice, other),
                    };
                    let node = self.node(Node {
                        label,
                        detail: value.walk.last().and_then(said),
                        mark: Mark::Answer,
                    });
                    self.edge(hit, node);
                }
                _ => left_out += 1,
            }
        }
        if left_out > 0 {
            let node = Node::new(format!("and {left_out} more")).marked(Mark::Answer);
            let node = self.node(node);
            for &hit in hits.values() {
                self.edge(hit, node);
            }
        }
        Ok(())
    }
}

/// The meet of the constraints of one dimension.
fn meeting(met: &MeetExplanation) -> Node {
    let dimension = &met.dimension;
    let told = |text: &str| Node::new(text).with_detail("their meet");
    match met.greatest.as_deref() {
        None => Node::new(dimension.clone()).with_detail("the interval within all of them"),
        Some([]) => Node::new(dimension.clone())
            .with_detail("no value lies below all of them")
            .marked(Mark::Contested),
        Some([one]) => told(&format!("{dimension} = {one}")),
        Some(several) => Node::new(format!("{dimension}: {}", several.join(", ")))
            .with_detail("their meet is the cut below which these are greatest"),
    }
}

fn members(set: &crate::verdict::SetAnswer) -> (RoaringBitmap, RoaringBitmap) {
    match &set.members {
        Members::Instances(all) => (all.clone(), set.possibly.clone()),
        _ => Default::default(),
    }
}

/// The first source of a predicate.
fn said(predicate: &Predicate) -> Option<String> {
    let source = predicate.sources.first()?;
    let text = words::shortened(&source.text, MOST_SAID);
    let place = words::place(&Evidence {
        text: String::new(),
        document: source.document.clone(),
        range: source.range,
        line: source.line,
    });
    Some(match place.is_empty() {
        true => format!("“{text}”"),
        false => format!("{place}: “{text}”"),
    })
}
