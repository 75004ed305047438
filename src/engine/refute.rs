//! Why a condition is excluded for one instance: the counterpart of `prove`.

use super::RunError;
use super::coordinate::{Coordinate, Recorded, Shape, Side};
use super::proof::{By, Proof, Shown, SideProof};
use super::prove::{condition_text, is_braces, plain_sides, shorten, texts};
use super::run::Run;
use super::step::{Alternative, Excluding, StepTest};
use super::truth::{Ask, Rest};
use crate::lattice::{DimensionId, InstanceId};
use crate::plan::{Condition, Test};
use crate::syntax::print_constraint;
use crate::syntax::tree::{Constraint, Operator, Path, Span, Term};
use roaring::RoaringBitmap;

impl<'l> Run<'l> {
    /// The proof that a condition is excluded for an instance; it is.
    pub(super) fn refute(&self, c: &Condition, x: InstanceId, ask: Ask) -> Result<Proof, RunError> {
        let text = condition_text(c);
        let excluded = |by| Proof {
            shown: Shown::Excluded,
            text,
            bounds: Vec::new(),
            by,
        };
        Ok(match c {
            Condition::All(list, _) => {
                for member in list {
                    if self.is_excluded(member, x, ask)? {
                        let one = self.refute(member, x, ask)?;
                        return Ok(excluded(By::One(Box::new(one))));
                    }
                }
                excluded(By::Nothing)
            }
            Condition::Any(list, _) => {
                let all: Result<Vec<Proof>, RunError> =
                    list.iter().map(|c| self.refute(c, x, ask)).collect();
                excluded(By::All(all?))
            }
            Condition::Not(inner, _) => excluded(By::Not(Box::new(self.prove(inner, x, ask)?))),
            Condition::Possibly(inner, _) => {
                excluded(By::So(Box::new(self.refute(inner, x, ask)?)))
            }
            Condition::Name { test, .. } => excluded(self.by_name(test, x)),
            Condition::Walk {
                path,
                test,
                sources,
            } => self.refute_walk(Rest { path, test }, sources, x, ask)?,
        })
    }

    fn refute_walk(
        &self,
        rest: Rest<'_>,
        sources: &[Constraint],
        x: InstanceId,
        ask: Ask,
    ) -> Result<Proof, RunError> {
        let text = texts(sources);
        let excluded = |by| Proof {
            shown: Shown::Excluded,
            text,
            bounds: Vec::new(),
            by,
        };
        let Some((&d, further)) = rest.path.split_first() else {
            return Ok(match rest.test {
                Test::Name(test) => excluded(self.by_name(test, x)),
                _ => excluded(By::Nothing),
            });
        };
        let c = self.coordinate(d, x);
        if further.is_empty() && !matches!(rest.test, Test::Name(_)) {
            let mut proof = excluded(self.excluded_by(d, rest.test, sources, &c, ask)?);
            proof.bounds = self.bound_values(rest.test)?;
            return Ok(proof);
        }
        let after = Rest {
            path: further,
            test: rest.test,
        };
        let shorter = shorten(sources);
        let step = self.entity_test(d, ask);
        let targets: RoaringBitmap = c.positives.iter().map(|r| r.value).collect();
        let out = self.excluded_walk(after, ask, Some(&targets))?;
        let fixed_out = |r: &Recorded| step.scale.is_fixed(r.value) && out.contains(r.value);
        let with_rest = |r: &Recorded| -> Result<SideProof, RunError> {
            let mut side = SideProof::of(self.read_all_of(d, false, &[r])?);
            side.then = Some(Box::new(self.refute_walk(
                after,
                &shorter,
                InstanceId(r.value),
                ask,
            )?));
            Ok(side)
        };
        if step.complete && c.positives.iter().all(fixed_out) {
            let all: Result<Vec<SideProof>, RunError> = c.positives.iter().map(with_rest).collect();
            return Ok(excluded(By::Complete {
                dimension: d,
                recorded: all?,
                each: true,
            }));
        }
        let mut sides = Vec::new();
        if let Shape::Sides(list) = &c.shape {
            for side in list {
                if let Some(r) = c.counting(side, ask.confidence).find(|r| fixed_out(r)) {
                    sides.push(with_rest(r)?);
                }
            }
        }
        Ok(excluded(plain_sides(sides)))
    }

    fn excluded_by(
        &self,
        d: DimensionId,
        test: &Test,
        sources: &[Constraint],
        c: &Coordinate,
        ask: Ask,
    ) -> Result<By, RunError> {
        let step = self.cached_test(d, test, ask, true)?;
        if let Test::In(set) = test {
            return Ok(By::Among(self.set_text(*set)));
        }
        if matches!(test, Test::Has) {
            return Ok(By::Nowhere(d));
        }
        let parts = parts_of(d, test, sources, self);
        if let Some(parts) = parts {
            let mut all = Vec::new();
            for (part, text) in parts {
                let mut alternatives = Vec::new();
                alternatives.extend(step.wanted.certain.get(part.clone()).unwrap_or(&[]));
                if let [only] = alternatives.as_slice() {
                    all.push(Proof {
                        shown: Shown::Excluded,
                        text,
                        bounds: Vec::new(),
                        by: self.excluded_alternative_by(d, &step, c, only)?,
                    });
                } else {
                    all.push(self.refute_each(d, &step, c, &text, sources, part)?);
                }
            }
            return Ok(By::All(all));
        }
        // Of a bound that is not known exactly, what it denotes at most.
        let widest = step.wanted.possible.first();
        match widest.or(step.wanted.certain.first()) {
            Some(alternative) => self.excluded_alternative_by(d, &step, c, alternative),
            None => Ok(By::Nothing),
        }
    }

    /// A name that several instances bear, refuted for each.
    fn refute_each(
        &self,
        d: DimensionId,
        step: &StepTest<'l>,
        c: &Coordinate,
        text: &str,
        sources: &[Constraint],
        part: std::ops::Range<usize>,
    ) -> Result<Proof, RunError> {
        let mut all = Vec::new();
        for alternative in step.wanted.certain.get(part).unwrap_or(&[]) {
            let Alternative::Node { node, .. } = alternative else {
                continue;
            };
            let term = self.node_term(d, *node);
            all.push(Proof {
                shown: Shown::Excluded,
                text: test_text(sources, &term),
                bounds: Vec::new(),
                by: self.excluded_alternative_by(d, step, c, alternative)?,
            });
        }
        Ok(Proof {
            shown: Shown::Excluded,
            text: text.to_owned(),
            bounds: Vec::new(),
            by: By::All(all),
        })
    }

    fn excluded_alternative_by(
        &self,
        d: DimensionId,
        step: &StepTest<'l>,
        c: &Coordinate,
        alternative: &Alternative,
    ) -> Result<By, RunError> {
        let all: Vec<&Recorded> = c.positives.iter().collect();
        match &c.shape {
            // Nothing is recorded: a denial says more than completeness.
            Shape::Sides(list)
                if step.complete
                    && c.positives.is_empty()
                    && !list
                        .iter()
                        .all(|side| step.side_excludes(c, side, alternative).is_some()) =>
            {
                Ok(By::Complete {
                    dimension: d,
                    recorded: Vec::new(),
                    each: false,
                })
            }
            Shape::Sides(list) => {
                let mut sides = Vec::new();
                for side in list {
                    sides.push(self.side_excluded_by(d, step, c, side, alternative)?);
                }
                Ok(plain_sides(sides))
            }
            Shape::Loose { .. } => match step.denying(c, alternative) {
                Some(negative) => Ok(plain_sides(vec![SideProof::of(self.read_all_of(
                    d,
                    true,
                    &[negative],
                )?)])),
                None => Ok(By::Complete {
                    dimension: d,
                    recorded: vec![SideProof::of(self.read_all_of(d, false, &all)?)],
                    each: false,
                }),
            },
        }
    }

    fn side_excluded_by(
        &self,
        d: DimensionId,
        step: &StepTest<'l>,
        c: &Coordinate,
        side: &Side,
        alternative: &Alternative,
    ) -> Result<SideProof, RunError> {
        Ok(match step.side_excludes(c, side, alternative) {
            Some(Excluding::Negative(negative)) => {
                SideProof::of(self.read_all_of(d, true, &[negative])?)
            }
            Some(Excluding::Positives(list)) => SideProof::of(self.read_all_of(d, false, &list)?),
            None => SideProof::of(Vec::new()),
        })
    }
}

/// `path = term` for the path of a constraint.
fn test_text(sources: &[Constraint], term: &Term) -> String {
    let path = match sources.first() {
        Some(
            Constraint::Test { path, .. }
            | Constraint::In { path, .. }
            | Constraint::Has { path, .. },
        ) => path.clone(),
        _ => Path {
            steps: Vec::new(),
            span: Span::default(),
        },
    };
    let operator = match sources.first() {
        Some(Constraint::Test { operator, .. }) => *operator,
        _ => Operator::Is,
    };
    print_constraint(&Constraint::Test {
        path,
        operator,
        operand: crate::syntax::tree::Operand::Term(term.clone()),
        span: Span::default(),
    })
}

/// The elements of a test that are refuted one by one: the range of their
/// alternatives, and the text of the constraint for each. `None` for a test of
/// one thing.
fn parts_of(
    d: DimensionId,
    test: &Test,
    sources: &[Constraint],
    run: &Run<'_>,
) -> Option<Vec<(std::ops::Range<usize>, String)>> {
    match test {
        Test::Nodes { elements, .. } => {
            if let ([only], false) = (elements.as_slice(), is_braces(sources)) {
                // A name by itself that several instances bear.
                return (only.nodes.len() > 1).then(|| {
                    only.nodes
                        .iter()
                        .enumerate()
                        .map(|(k, &node)| {
                            let term = run.node_term(d, node);
                            (k..k + 1, test_text(sources, &term))
                        })
                        .collect()
                });
            }
            let mut at = 0;
            Some(
                elements
                    .iter()
                    .map(|element| {
                        let part = at..at + element.nodes.len();
                        at = part.end;
                        (part, test_text(sources, &element.term))
                    })
                    .collect(),
            )
        }
        Test::Regions(list) if is_braces(sources) => Some(
            list.iter()
                .enumerate()
                .map(|(k, (term, _))| (k..k + 1, test_text(sources, term)))
                .collect(),
        ),
        _ => None,
    }
}
