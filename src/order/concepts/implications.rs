//! Implications between attributes: what follows from a set of them, and whether
//! they are all that a context has.

use super::Context;
use std::collections::VecDeque;

/// Every object with all attributes of the premise has those of the conclusion too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implication {
    /// The premise, ascending.
    pub premise: Vec<u32>,
    /// What follows and is not in the premise, ascending.
    pub conclusion: Vec<u32>,
    /// How many objects have all attributes of the premise.
    pub support: u64,
}

/// A set of implications, made ready to draw conclusions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Implications {
    attributes: u32,
    list: Vec<Implication>,
    /// The implications whose premise holds an attribute.
    uses: Vec<Vec<u32>>,
    /// The implications without a premise.
    always: Vec<u32>,
}

impl Implications {
    /// These implications over the attributes `0..attributes`. What names others is left
    /// out of the conclusions, and an implication with such a premise altogether.
    pub fn new(attributes: u32, list: Vec<Implication>) -> Implications {
        let mut all = Implications {
            attributes,
            list: Vec::new(),
            uses: vec![Vec::new(); attributes as usize],
            always: Vec::new(),
        };
        for mut implication in list {
            let premise = &mut implication.premise;
            premise.sort_unstable();
            premise.dedup();
            if premise.last().is_some_and(|last| *last >= attributes) {
                continue;
            }
            let number = all.list.len() as u32;
            for attribute in premise.iter() {
                all.uses[*attribute as usize].push(number);
            }
            if premise.is_empty() {
                all.always.push(number);
            }
            let conclusion = &mut implication.conclusion;
            conclusion.retain(|a| *a < attributes && premise.binary_search(a).is_err());
            conclusion.sort_unstable();
            conclusion.dedup();
            all.list.push(implication);
        }
        all
    }

    /// The implications, as they were given.
    pub fn list(&self) -> &[Implication] {
        &self.list
    }

    /// All attributes that follow from these, themselves included, ascending: LinClosure
    /// (Beeri and Bernstein, 1979), in time linear in the size of the implications.
    pub fn close(&self, attributes: &[u32]) -> Vec<u32> {
        let mut known = vec![false; self.attributes as usize];
        let mut missing: Vec<usize> = self.list.iter().map(|i| i.premise.len()).collect();
        let mut queue = VecDeque::new();
        let learn = |attribute: u32, known: &mut Vec<bool>, queue: &mut VecDeque<u32>| {
            if let Some(known) = known.get_mut(attribute as usize)
                && !std::mem::replace(known, true)
            {
                queue.push_back(attribute);
            }
        };
        let stated = attributes.iter().chain(
            self.always
                .iter()
                .flat_map(|number| &self.list[*number as usize].conclusion),
        );
        for &attribute in stated {
            learn(attribute, &mut known, &mut queue);
        }
        while let Some(attribute) = queue.pop_front() {
            for &number in &self.uses[attribute as usize] {
                let number = number as usize;
                missing[number] -= 1;
                if missing[number] == 0 {
                    for &attribute in &self.list[number].conclusion {
                        learn(attribute, &mut known, &mut queue);
                    }
                }
            }
        }
        let numbers = 0..self.attributes;
        numbers.filter(|a| known[*a as usize]).collect()
    }

    /// The first implication that does not hold in a context; none: they are sound.
    pub fn first_false(&self, context: &Context) -> Option<&Implication> {
        self.list.iter().find(|implication| {
            let closure = context.closure(&implication.premise);
            let mut conclusion = implication.conclusion.iter();
            conclusion.any(|attribute| closure.binary_search(attribute).is_err())
        })
    }

    /// A set that is closed under the implications though it is no intent of the context
    /// (the lectically first one): an implication of the context does not follow from them.
    /// None: they are complete.
    ///
    /// Looks at one set more than the context has concepts at most, if the implications
    /// are sound; for contexts with few concepts.
    pub fn first_gap(&self, context: &Context) -> Option<Vec<u32>> {
        let mut set = self.close(&[]);
        loop {
            if context.closure(&set) != set {
                return Some(set);
            }
            set = self.next_closed(&set)?;
        }
    }

    /// The lectically next closed set (Ganter, 1984).
    fn next_closed(&self, set: &[u32]) -> Option<Vec<u32>> {
        let mut prefix = set.to_vec();
        for attribute in (0..self.attributes).rev() {
            if prefix.last() == Some(&attribute) {
                prefix.pop();
                continue;
            }
            prefix.push(attribute);
            let closed = self.close(&prefix);
            prefix.pop();
            let before = closed.partition_point(|other| *other < attribute);
            if before == prefix.len() {
                return Some(closed);
            }
        }
        None
    }
}
