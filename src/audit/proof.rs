//! Proofs: why a constraint is certain, or excluded, for an instance.

use super::AuditError;
use super::audit::Audit;
use super::coordinate::Coordinate;
use super::facts::{Column, Fact};
use super::json::Json;
use super::judged::{Aims, Judged, JudgedForm, JudgedTest, Members, Targets};
use super::names::names;
use super::order::Edges;
use super::proof_text::{one_of_text, rest_text};
use super::query::{Element, Literal, NOWHERE, What};
use super::reading::Read;
use super::truth::{Aim, Truth};
use super::words::id_term;
use crate::lattice::{DimensionId, Value, ValueId};
use crate::syntax::print::{print_constraint, print_term};

/// What a proof is about: an instance, looked at with a confidence.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) x: u32,
    pub(super) t: f64,
}

/// One dimension of what a proof is about.
#[derive(Clone, Copy)]
struct Spot<'f> {
    d: DimensionId,
    column: &'f Column,
    seen: Seen,
}

type Written = Result<(), AuditError>;

impl Audit<'_> {
    /// Writes the proof of a constraint.
    pub(super) fn proof(&self, out: &mut Json<'_>, judged: &Judged, seen: Seen) -> Written {
        let truth = truth_at(&judged.truths, seen.x);
        let (source, inner) = match &judged.form {
            JudgedForm::Test(test) => return self.test_proof(out, test, 0, seen),
            JudgedForm::All(list, source) => (source, list.as_slice()),
            JudgedForm::Any(list, source) => (source, list.as_slice()),
            JudgedForm::Not(inner, source) => (source, std::slice::from_ref(inner.as_ref())),
            JudgedForm::Possibly(inner, source) => (source, std::slice::from_ref(inner.as_ref())),
        };
        out.begin('{')?;
        out.pair(truth_word(truth), &print_constraint(source))?;
        let certain = truth == Truth::Certain;
        match &judged.form {
            _ if truth == Truth::Possible => {}
            JudgedForm::All(..) if certain => self.proofs(out, "all", inner, seen)?,
            JudgedForm::Any(..) if !certain => self.proofs(out, "all", inner, seen)?,
            JudgedForm::All(..) | JudgedForm::Any(..) => {
                let first = inner
                    .iter()
                    .find(|of| truth_at(&of.truths, seen.x) == truth);
                self.keyed(out, "one", first, seen)?;
            }
            JudgedForm::Not(..) => self.keyed(out, "not", inner.first(), seen)?,
            JudgedForm::Possibly(..) => self.keyed(out, "so", inner.first(), seen)?,
            JudgedForm::Test(_) => {}
        }
        out.end('}')?;
        Ok(())
    }

    fn proofs(&self, out: &mut Json<'_>, key: &str, list: &[Judged], seen: Seen) -> Written {
        out.key(key)?;
        out.begin('[')?;
        for judged in list {
            self.proof(out, judged, seen)?;
        }
        out.end(']')?;
        Ok(())
    }

    fn keyed(&self, out: &mut Json<'_>, key: &str, judged: Option<&Judged>, seen: Seen) -> Written {
        let Some(judged) = judged else { return Ok(()) };
        out.key(key)?;
        self.proof(out, judged, seen)
    }

    /// The proof of a test after `step` steps of its path.
    fn test_proof(
        &self,
        out: &mut Json<'_>,
        test: &JudgedTest,
        step: usize,
        seen: Seen,
    ) -> Written {
        let level = test.levels.get(step).map_or(&[][..], Vec::as_slice);
        let truth = truth_at(level, seen.x);
        out.begin('{')?;
        out.pair(truth_word(truth), &rest_text(&test.test.source, step))?;
        if truth != Truth::Possible {
            let certain = truth == Truth::Certain;
            if step + 1 < test.levels.len() {
                self.step_proof(out, test, step, seen, certain)?;
            } else if test.test.path.name {
                self.name_proof(out, test, seen)?;
            } else if let Some((d, column)) = self.end_of(&test.test) {
                let spot = Spot { d, column, seen };
                self.end_proof(out, test, step, spot, certain)?;
            }
        }
        out.end('}')?;
        Ok(())
    }

    fn step_proof(
        &self,
        out: &mut Json<'_>,
        test: &JudgedTest,
        step: usize,
        seen: Seen,
        certain: bool,
    ) -> Written {
        let d = test.test.path.dimensions.get(step).copied();
        let Some((d, column)) = d.and_then(|d| Some((d, self.facts.column(d)?))) else {
            return Ok(());
        };
        let after = test.levels.get(step + 1).map_or(&[][..], Vec::as_slice);
        let coordinate = Coordinate::new(column, seen.x);
        let by = |fact: &Fact| {
            let rest = truth_at(after, fact.value);
            match certain {
                true => rest == Truth::Certain,
                false => rest == Truth::Excluded && column.is_fixed(fact.value),
            }
        };
        let spot = Spot { d, column, seen };
        if !certain && column.complete && coordinate.positives.iter().all(by) {
            out.pair("complete", &column.name)?;
            let all = coordinate.positives.iter().collect();
            return self.then(out, "each", test, step, spot, all);
        }
        let chosen: Vec<&Fact> = match column.has_sides() {
            true => {
                let sides = coordinate.sides.iter();
                sides
                    .filter_map(|side| {
                        let facts = coordinate.of_side(side, seen.t);
                        facts.into_iter().find(|fact| by(fact))
                    })
                    .collect()
            }
            false => coordinate
                .firm(seen.t)
                .find(|fact| by(fact))
                .into_iter()
                .collect(),
        };
        self.then(out, "sides", test, step, spot, chosen)
    }

    /// Each predicate with the proof of the rest of the path.
    fn then(
        &self,
        out: &mut Json<'_>,
        key: &str,
        test: &JudgedTest,
        step: usize,
        spot: Spot<'_>,
        facts: Vec<&Fact>,
    ) -> Written {
        out.key(key)?;
        out.begin('[')?;
        for fact in facts {
            out.begin('{')?;
            self.by(out, spot, &[fact], false)?;
            out.key("then")?;
            let next = Seen {
                x: fact.value,
                t: spot.seen.t,
            };
            self.test_proof(out, test, step + 1, next)?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    fn name_proof(&self, out: &mut Json<'_>, test: &JudgedTest, seen: Seen) -> Written {
        if let What::In(asked) = &test.test.what {
            out.pair("among", &asked.text)?;
            return Ok(());
        }
        out.key("called")?;
        out.begin('[')?;
        for name in names(self.lattice, seen.x) {
            out.text(&name)?;
        }
        out.end(']')?;
        Ok(())
    }

    /// The proof of a test of the values on one dimension.
    fn end_proof(
        &self,
        out: &mut Json<'_>,
        test: &JudgedTest,
        step: usize,
        spot: Spot<'_>,
        certain: bool,
    ) -> Written {
        match &test.aims {
            Aims::Has => self.has_proof(out, spot, certain),
            Aims::Elements(elements) => {
                let listed = matches!(test.test.what, What::Among { listed: true, .. });
                match elements.as_slice() {
                    [(element, aim)] if !listed => {
                        self.sides_proof(out, spot, aim, literal_node(element), certain)
                    }
                    _ => self.elements_proof(out, test, step, spot, certain),
                }
            }
            Aims::Bounds {
                aim, widest, only, ..
            } => {
                self.bounds_told(out, only)?;
                let aim = if certain { aim } else { widest };
                self.sides_proof(out, spot, aim, None, certain)
            }
            Aims::Set(targets) => self.set_proof(out, spot, targets, certain),
            Aims::Called { .. } => Ok(()),
        }
    }

    fn bounds_told(&self, out: &mut Json<'_>, only: &[Value]) -> Written {
        if only.is_empty() {
            return Ok(());
        }
        out.key("bounds")?;
        out.begin('[')?;
        for value in only {
            self.cell(out, value)?;
        }
        out.end(']')?;
        Ok(())
    }

    fn has_proof(&self, out: &mut Json<'_>, spot: Spot<'_>, certain: bool) -> Written {
        if !certain {
            out.pair("complete", &spot.column.name)?;
            return Ok(());
        }
        let t = spot.seen.t;
        let coordinate = Coordinate::new(spot.column, spot.seen.x);
        let firsts: Vec<&Fact> = match spot.column.has_sides() {
            true => {
                let sides = coordinate.sides.iter();
                sides
                    .filter_map(|side| coordinate.of_side(side, t).into_iter().next())
                    .collect()
            }
            false => coordinate.firm(t).next().into_iter().collect(),
        };
        out.key("sides")?;
        out.begin('[')?;
        for fact in firsts {
            out.begin('{')?;
            self.by(out, spot, &[fact], false)?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    fn elements_proof(
        &self,
        out: &mut Json<'_>,
        test: &JudgedTest,
        step: usize,
        spot: Spot<'_>,
        certain: bool,
    ) -> Written {
        let Aims::Elements(elements) = &test.aims else {
            return Ok(());
        };
        if certain {
            let coordinate = Coordinate::new(spot.column, spot.seen.x);
            let mut found = elements.iter();
            let found =
                found.find(|(_, aim)| aim.judge(&coordinate, spot.seen.t) == Truth::Certain);
            let Some((element, aim)) = found else {
                return Ok(());
            };
            out.pair("element", &print_term(&element.term))?;
            return self.sides_proof(out, spot, aim, literal_node(element), true);
        }
        out.key("all")?;
        out.begin('[')?;
        let mut rest = elements.as_slice();
        let alone = matches!(test.test.what, What::Among { listed: true, .. });
        while let Some((first, _)) = rest.first() {
            // Those called alike stand together, and nested in a list of more.
            let shared = first.shared.as_ref().filter(|_| alone);
            let together = match shared {
                Some(word) => rest
                    .iter()
                    .take_while(|(element, _)| element.shared.as_ref() == Some(word))
                    .count(),
                None => 1,
            };
            let (group, after) = rest.split_at(together);
            rest = after;
            if let Some(word) = shared {
                out.begin('{')?;
                let text = one_of_text(&test.test.source, step, word);
                out.pair("excluded", &text)?;
                out.key("all")?;
                out.begin('[')?;
            }
            for (element, aim) in group {
                out.begin('{')?;
                let text = one_of_text(&test.test.source, step, &element.term);
                out.pair("excluded", &text)?;
                self.sides_proof(out, spot, aim, literal_node(element), false)?;
                out.end('}')?;
            }
            if shared.is_some() {
                out.end(']')?;
                out.end('}')?;
            }
        }
        out.end(']')?;
        Ok(())
    }

    fn set_proof(
        &self,
        out: &mut Json<'_>,
        spot: Spot<'_>,
        targets: &Targets,
        certain: bool,
    ) -> Written {
        out.pair("among", &targets.text)?;
        if !certain {
            return Ok(());
        }
        let coordinate = Coordinate::new(spot.column, spot.seen.x);
        let Some((member, aim)) = self.first_member(targets, &coordinate, spot.seen.t) else {
            return Ok(());
        };
        let (printed, node) = match &targets.certain {
            Members::Spans(e, spans) => {
                let nowhere = spans.iter().find(|(v, _)| *v == NOWHERE && *v == member);
                let printed = match nowhere {
                    Some((_, span)) => self.printed_read(*e, &Read::Span(span.clone())),
                    None => self.printed(*e, member),
                };
                (printed, None)
            }
            Members::Nodes(_) if spot.column.is_entity() => {
                (print_term(&id_term(self.lattice, member)), Some(member))
            }
            Members::Nodes(_) => (self.printed(spot.d, member), Some(member)),
        };
        out.pair("element", &printed)?;
        self.sides_proof(out, spot, &aim, node, true)
    }

    /// Why a literal is met or excluded, side by side.
    fn sides_proof(
        &self,
        out: &mut Json<'_>,
        spot: Spot<'_>,
        aim: &Aim,
        node: Option<u32>,
        certain: bool,
    ) -> Written {
        let coordinate = Coordinate::new(spot.column, spot.seen.x);
        match certain {
            true => self.met_proof(out, spot, &coordinate, aim, node),
            false => self.excluded_proof(out, spot, &coordinate, aim),
        }
    }

    fn met_proof(
        &self,
        out: &mut Json<'_>,
        spot: Spot<'_>,
        coordinate: &Coordinate<'_>,
        aim: &Aim,
        node: Option<u32>,
    ) -> Written {
        let (column, t) = (spot.column, spot.seen.t);
        let first = |facts: Vec<&Fact>| -> Vec<Fact> {
            let mut met = facts.into_iter().filter(|fact| aim.met_by(column, &[fact]));
            met.next().copied().into_iter().collect()
        };
        let sides: Vec<Vec<Fact>> = match column.has_sides() {
            true => coordinate
                .sides
                .iter()
                .map(|side| {
                    let facts = coordinate.of_side(side, t);
                    match column.is_measured() {
                        true => facts.into_iter().copied().collect(),
                        false => first(facts),
                    }
                })
                .collect(),
            false => vec![first(coordinate.firm(t).collect())],
        };
        out.key("sides")?;
        out.begin('[')?;
        for facts in sides {
            out.begin('{')?;
            let by: Vec<&Fact> = facts.iter().collect();
            self.by(out, spot, &by, false)?;
            if let (Some(from), Some(to)) = (facts.first(), node) {
                self.path_told(out, spot, from.value, to)?;
            }
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    fn excluded_proof(
        &self,
        out: &mut Json<'_>,
        spot: Spot<'_>,
        coordinate: &Coordinate<'_>,
        aim: &Aim,
    ) -> Written {
        let (column, t) = (spot.column, spot.seen.t);
        let denial = |facts: Vec<&Fact>| -> Option<Fact> {
            let mut denying = facts.into_iter().filter(|fact| aim.denied_by(column, fact));
            denying.next().copied()
        };
        let mut sides: Option<Vec<(Vec<Fact>, bool)>> = Some(Vec::new());
        if column.has_sides() {
            for side in &coordinate.sides {
                let positives = coordinate.of_side(side, t);
                let told = match denial(coordinate.denials_of_side(side, t)) {
                    Some(fact) => Some((vec![fact], true)),
                    None if aim.shut_out_by(column, &positives) => {
                        Some((positives.into_iter().copied().collect(), false))
                    }
                    None => None,
                };
                match (sides.as_mut(), told) {
                    (Some(sides), Some(told)) => sides.push(told),
                    _ => sides = None,
                }
            }
        } else {
            sides =
                denial(coordinate.firm_denials(t).collect()).map(|fact| vec![(vec![fact], true)]);
        }
        let Some(sides) = sides else {
            let recorded: Vec<&Fact> = coordinate.positives.iter().collect();
            return self.complete_told(out, spot, &recorded);
        };
        out.key("sides")?;
        out.begin('[')?;
        for (facts, denied) in sides {
            out.begin('{')?;
            let by: Vec<&Fact> = facts.iter().collect();
            self.by(out, spot, &by, denied)?;
            out.end('}')?;
        }
        out.end(']')?;
        Ok(())
    }

    /// What is recorded of a COMPLETE dimension is all there is.
    fn complete_told(&self, out: &mut Json<'_>, spot: Spot<'_>, recorded: &[&Fact]) -> Written {
        out.pair("complete", &spot.column.name)?;
        self.predicates(out, "recorded", spot.d, spot.seen.x, recorded, false)
    }

    fn by(&self, out: &mut Json<'_>, spot: Spot<'_>, facts: &[&Fact], denied: bool) -> Written {
        self.predicates(out, "by", spot.d, spot.seen.x, facts, denied)
    }

    /// The chain from a value up to the literal's, with the predicates that
    /// record it.
    fn path_told(&self, out: &mut Json<'_>, spot: Spot<'_>, from: u32, to: u32) -> Written {
        let edges = Edges::Certain(spot.seen.t);
        match from == to {
            true => Ok(()),
            false => self.chain_told(out, spot.d, from, to, edges),
        }
    }

    /// The shortest chain from a value up to another, with the predicates that are its
    /// edges.
    pub(super) fn chain_told(
        &self,
        out: &mut Json<'_>,
        d: DimensionId,
        from: u32,
        to: u32,
        edges: Edges,
    ) -> Written {
        let Some(column) = self.facts.column(d) else {
            return Ok(());
        };
        let chain = column.graph.chain(from, to, edges);
        out.key("path")?;
        out.begin('[')?;
        for (value, _) in &chain {
            self.cell(out, &self.lattice.value(d, ValueId(*value)))?;
        }
        out.end(']')?;
        let Some(r) = column.within().filter(|_| chain.len() > 1) else {
            return Ok(());
        };
        out.key("edges")?;
        out.begin('[')?;
        let froms = chain.iter().map(|(value, _)| *value);
        for (from, (to, edge)) in froms.zip(chain.iter().skip(1)) {
            if let Some(edge) = edge
                && let Some(predicate) = edge.predicate
            {
                let fact = Fact {
                    value: *to,
                    confidence: edge.confidence,
                    predicate,
                };
                self.predicate(out, r, from, &fact, false)?;
            }
        }
        out.end(']')?;
        Ok(())
    }
}

fn truth_at(truths: &[Truth], x: u32) -> Truth {
    truths.get(x as usize).copied().unwrap_or(Truth::Possible)
}

fn truth_word(truth: Truth) -> &'static str {
    match truth {
        Truth::Certain => "certain",
        Truth::Excluded => "excluded",
        Truth::Possible => "possible",
    }
}

fn literal_node(element: &Element) -> Option<u32> {
    match element.literal {
        Literal::Node(node) => Some(node),
        Literal::Points(_) => None,
    }
}
