//! Conditions, judged for every instance of the lattice.

use super::audit::Audit;
use super::coordinate::Coordinate;
use super::facts::Column;
use super::order::Edges;
use super::query::{Bound, Condition, Element, Literal, NOWHERE, SetKind, Test, What, joined};
use super::sets::SetValue;
use super::spans::{Region, Span};
use super::truth::{Aim, Truth, judge_has, judge_step};
use crate::lattice::{DimensionId, Kind, Value, ValueId};
use crate::syntax::tree::{Constraint, Operator};
use crate::verdict::Reason;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A condition with its truth for each instance.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) truths: Vec<Truth>,
    pub(super) form: JudgedForm,
}

#[derive(Debug)]
pub(super) enum JudgedForm {
    All(Vec<Judged>, Constraint),
    Any(Vec<Judged>, Constraint),
    Not(Box<Judged>, Constraint),
    Possibly(Box<Judged>, Constraint),
    Test(JudgedTest),
}

/// A test, and its truth after each step of its path: `levels[0]` for the
/// instance itself, `levels[k]` of the rest of the path for what `k` steps
/// lead to.
#[derive(Debug)]
pub(super) struct JudgedTest {
    pub(super) test: Test,
    pub(super) aims: Aims,
    pub(super) levels: Vec<Vec<Truth>>,
}

/// What a test holds against the values at the end of its path.
#[derive(Debug)]
pub(super) enum Aims {
    Has,
    Elements(Vec<(Element, Rc<Aim>)>),
    Bounds {
        /// Where all bounds hold, whatever the exact values of sets are.
        aim: Rc<Aim>,
        /// Where they hold for some exact values.
        widest: Rc<Aim>,
        /// Whether a bound is missing, so that nothing is certain.
        loose: bool,
        /// Bounds that are the only member of a set.
        only: Vec<Value>,
    },
    Set(Targets),
    /// Names: who is called so, for certain and possibly.
    Called {
        certain: BTreeSet<u32>,
        possible: BTreeSet<u32>,
        closed: bool,
    },
}

/// The members of a set as values of another dimension.
#[derive(Debug)]
pub(super) struct Targets {
    pub(super) text: String,
    pub(super) certain: Members,
    pub(super) possible: Members,
    pub(super) closed: bool,
}

#[derive(Debug)]
pub(super) enum Members {
    Nodes(BTreeSet<u32>),
    /// Intervals, with the value of the set's own dimension, [`NOWHERE`] if it is none.
    Spans(DimensionId, Vec<(u32, Span)>),
}

impl Audit<'_> {
    /// Judges the members of an AND-list, bounds on one path joined.
    pub(super) fn judge_list(&self, list: &[Condition], t: f64) -> Result<Vec<Judged>, Reason> {
        self.judge_all(&joined(list), t)
    }

    /// Judges all, so that of several reasons the first class is told.
    fn judge_all(&self, list: &[Condition], t: f64) -> Result<Vec<Judged>, Reason> {
        let mut judged = Vec::new();
        let mut reasons = Vec::new();
        for condition in list {
            match self.judge(condition, t) {
                Ok(one) => judged.push(one),
                Err(reason) => reasons.push(reason),
            }
        }
        match Reason::first_class(reasons) {
            Some(reason) => Err(reason),
            None => Ok(judged),
        }
    }

    pub(super) fn judge(&self, condition: &Condition, t: f64) -> Result<Judged, Reason> {
        Ok(match condition {
            Condition::All(list, source) => {
                let list = self.judge_list(list, t)?;
                Judged {
                    truths: self.together(&list, |of| Truth::all(of.iter().copied())),
                    form: JudgedForm::All(list, source.clone()),
                }
            }
            Condition::Any(list, source) => {
                let list = self.judge_all(list, t)?;
                Judged {
                    truths: self.together(&list, |of| Truth::any(of.iter().copied())),
                    form: JudgedForm::Any(list, source.clone()),
                }
            }
            Condition::Not(inner, source) => {
                let inner = self.judge(inner, t)?;
                Judged {
                    truths: inner.truths.iter().map(|truth| truth.not()).collect(),
                    form: JudgedForm::Not(Box::new(inner), source.clone()),
                }
            }
            Condition::Possibly(inner, source) => {
                // Counter-evidence counts whatever its confidence.
                let weak = self.judge(inner, 0.0)?;
                let inner = self.judge(inner, t)?;
                let both = inner.truths.iter().zip(&weak.truths);
                Judged {
                    truths: both
                        .map(|(truth, weak)| match (truth, weak) {
                            (Truth::Excluded, _) => Truth::Excluded,
                            (_, Truth::Excluded) => Truth::Possible,
                            _ => Truth::Certain,
                        })
                        .collect(),
                    form: JudgedForm::Possibly(Box::new(inner), source.clone()),
                }
            }
            Condition::Test(test) => {
                let mut test = self.judge_test(test, t)?;
                let truths = match test.levels.first_mut() {
                    Some(first) => first.clone(),
                    None => Vec::new(),
                };
                Judged {
                    truths,
                    form: JudgedForm::Test(test),
                }
            }
        })
    }

    /// One truth per instance, of those of the members.
    pub(super) fn together(&self, list: &[Judged], of: impl Fn(&[Truth]) -> Truth) -> Vec<Truth> {
        let mut row = Vec::with_capacity(list.len());
        (0..self.facts.instances as usize)
            .map(|x| {
                row.clear();
                row.extend(list.iter().filter_map(|judged| judged.truths.get(x)));
                of(&row)
            })
            .collect()
    }

    fn judge_test(&self, test: &Test, t: f64) -> Result<JudgedTest, Reason> {
        let aims = self.aims(test, t)?;
        let mut levels: Vec<Vec<Truth>> = Vec::new();
        let mut steps = test.path.dimensions.iter().rev();
        if test.path.name {
            levels.push(self.name_level(&aims));
        } else if let Some(column) = steps.next().and_then(|&d| self.facts.column(d)) {
            let level = self.level(column, |coordinate| self.at_end(&aims, coordinate, t));
            levels.push(level);
        }
        for column in steps.filter_map(|&d| self.facts.column(d)) {
            let level = {
                let after = levels.last().map_or(&[][..], Vec::as_slice);
                let rest = |y: u32| after.get(y as usize).copied().unwrap_or(Truth::Possible);
                self.level(column, |coordinate| judge_step(coordinate, t, rest))
            };
            levels.push(level);
        }
        levels.reverse();
        Ok(JudgedTest {
            test: test.clone(),
            aims,
            levels,
        })
    }

    /// One truth per instance; those that record nothing share theirs.
    fn level(&self, column: &Column, of: impl Fn(&Coordinate<'_>) -> Truth) -> Vec<Truth> {
        let silent = of(&Coordinate::new(column, u32::MAX));
        let mut truths = vec![silent; self.facts.instances as usize];
        for x in column.mentioned() {
            if let Some(truth) = truths.get_mut(x as usize) {
                *truth = of(&Coordinate::new(column, x));
            }
        }
        truths
    }

    fn name_level(&self, aims: &Aims) -> Vec<Truth> {
        (0..self.facts.instances)
            .map(|x| match aims {
                Aims::Called {
                    certain,
                    possible,
                    closed,
                } => Truth::of(certain.contains(&x), *closed && !possible.contains(&x)),
                _ => Truth::Certain,
            })
            .collect()
    }

    /// The truth of a test for a coordinate at the end of its path.
    fn at_end(&self, aims: &Aims, coordinate: &Coordinate<'_>, t: f64) -> Truth {
        match aims {
            Aims::Has => judge_has(coordinate, t),
            Aims::Elements(elements) => {
                Truth::any(elements.iter().map(|(_, aim)| aim.judge(coordinate, t)))
            }
            Aims::Bounds {
                aim, widest, loose, ..
            } => {
                let unbounded =
                    matches!(widest.as_ref(), Aim::Points(all) if *all == Region::everything());
                let excluded = widest.judge(coordinate, t) == Truth::Excluded;
                Truth::of(
                    !loose && aim.judge(coordinate, t) == Truth::Certain,
                    !(*loose && unbounded) && excluded,
                )
            }
            Aims::Set(targets) => {
                let certain = self.first_member(targets, coordinate, t).is_some();
                Truth::of(
                    certain,
                    !certain && self.shuts_out_all(targets, coordinate, t),
                )
            }
            Aims::Called { .. } => Truth::Possible,
        }
    }

    /// The first certain member of a set for which `d = member` is certain.
    pub(super) fn first_member(
        &self,
        targets: &Targets,
        coordinate: &Coordinate<'_>,
        t: f64,
    ) -> Option<(u32, Rc<Aim>)> {
        let column = coordinate.column;
        let certain = |aim: &Aim| aim.judge(coordinate, t) == Truth::Certain;
        match &targets.certain {
            Members::Nodes(members) => {
                let values = coordinate.positives.iter().map(|fact| fact.value);
                let above = column.graph.up(values, Edges::Certain(t));
                let near: BTreeSet<u32> =
                    above.into_iter().filter(|v| members.contains(v)).collect();
                near.into_iter().find_map(|member| {
                    let aim = self.aim(column, member, t);
                    certain(&aim).then_some((member, aim))
                })
            }
            Members::Spans(_, spans) => spans.iter().find_map(|(member, span)| {
                let aim = Rc::new(Aim::Points(Region::of_span(span)));
                certain(&aim).then_some((*member, aim))
            }),
        }
    }

    /// Whether the set is closed and `d = member` is excluded for every member.
    fn shuts_out_all(&self, targets: &Targets, coordinate: &Coordinate<'_>, t: f64) -> bool {
        targets.closed
            && [&targets.certain, &targets.possible]
                .into_iter()
                .all(|members| self.shuts_out(members, coordinate, t))
    }

    fn shuts_out(&self, members: &Members, coordinate: &Coordinate<'_>, t: f64) -> bool {
        let column = coordinate.column;
        let excluded = |aim: &Aim| aim.judge(coordinate, t) == Truth::Excluded;
        match members {
            Members::Spans(_, spans) => spans
                .iter()
                .all(|(_, span)| excluded(&Aim::Points(Region::of_span(span)))),
            Members::Nodes(nodes) if column.graph.is_flat() => {
                // All values of a flat order that the instance does not
                // mention fare alike: one of them speaks for all.
                let facts = || coordinate.positives.iter().chain(coordinate.negatives);
                let mentioned: BTreeSet<u32> = facts().map(|fact| fact.value).collect();
                let other = nodes.iter().find(|node| !mentioned.contains(node)).copied();
                let mut asked = mentioned.iter().copied().filter(|v| nodes.contains(v));
                let mut all = other.into_iter().chain(&mut asked);
                all.all(|node| excluded(&self.aim(column, node, t)))
            }
            Members::Nodes(nodes) => nodes
                .iter()
                .all(|&node| excluded(&self.aim(column, node, t))),
        }
    }

    fn aims(&self, test: &Test, t: f64) -> Result<Aims, Reason> {
        if test.path.name {
            return self.name_aims(test);
        }
        let Some((d, column)) = self.end_of(test) else {
            return Ok(Aims::Has);
        };
        let prepare = |elements: &[Element], strict: bool| {
            let aims = elements.iter().map(|element| {
                let aim = Aim::new(column, &element.literal, strict, t);
                (element.clone(), Rc::new(aim))
            });
            Aims::Elements(aims.collect())
        };
        Ok(match &test.what {
            What::Has => Aims::Has,
            What::Among { elements, .. } => prepare(elements, false),
            What::Below(elements) => prepare(elements, true),
            What::Bounds(bounds) => self.bounds(column, bounds)?,
            What::In(asked) => {
                let set = self.constraint_set(asked)?;
                Aims::Set(self.targets(d, column, &asked.text, &set))
            }
        })
    }

    /// The dimension at the end of a test's path.
    pub(super) fn end_of(&self, test: &Test) -> Option<(DimensionId, &Column)> {
        let d = test.path.dimensions.last().copied()?;
        self.facts.column(d).map(|column| (d, column))
    }

    fn bounds(&self, column: &Column, bounds: &[Bound]) -> Result<Aims, Reason> {
        let (mut inner, mut outer) = (Region::everything(), Region::everything());
        let mut loose = false;
        let mut only = Vec::new();
        let mut reasons = Vec::new();
        for bound in bounds {
            match bound {
                Bound::Literal(other) => {
                    inner = inner.meet(other);
                    outer = outer.meet(other);
                }
                Bound::Only(operator, asked) => match self.only_member(asked) {
                    Err(reason) => reasons.push(reason),
                    Ok(None) => loose = true,
                    Ok(Some((value, span))) => {
                        let days = column.kind == Kind::Date;
                        let denotes = |span: &Span| Region::of(*operator, span, days);
                        let (low, high) = span.ends();
                        let (near, far) = match operator {
                            Operator::Less | Operator::AtMost => (&low, &high),
                            Operator::Greater | Operator::AtLeast => (&high, &low),
                            Operator::Is | Operator::IsNot => (&span, &span),
                        };
                        // No point equals a value that is not known exactly.
                        let equal = matches!(operator, Operator::Is | Operator::IsNot);
                        loose |= equal && !span.is_point();
                        inner = inner.meet(&denotes(near));
                        outer = outer.meet(&denotes(far));
                        only.push(value);
                    }
                },
            }
        }
        match Reason::first_class(reasons) {
            Some(reason) => Err(reason),
            None => Ok(Aims::Bounds {
                aim: Rc::new(Aim::Points(inner)),
                widest: Rc::new(Aim::Points(outer)),
                loose,
                only,
            }),
        }
    }

    fn name_aims(&self, test: &Test) -> Result<Aims, Reason> {
        let called = |certain: BTreeSet<u32>, possible, closed| Aims::Called {
            certain,
            possible,
            closed,
        };
        Ok(match &test.what {
            What::Among { elements, .. } => {
                let nodes = elements.iter().filter_map(|element| match element.literal {
                    Literal::Node(node) => Some(node),
                    Literal::Points(_) => None,
                });
                called(nodes.collect(), BTreeSet::new(), true)
            }
            What::In(asked) => {
                let set = self.constraint_set(asked)?;
                let of_texts = |texts: &[String]| {
                    let found = texts
                        .iter()
                        .flat_map(|text| self.lattice.called(text).instances);
                    found.map(|i| i.0).collect::<BTreeSet<u32>>()
                };
                match set.kind {
                    SetKind::Instances => {
                        called(set.certain.clone(), set.possible.clone(), set.closed)
                    }
                    _ => called(
                        of_texts(&self.texts_of(&set, true)),
                        of_texts(&self.texts_of(&set, false)),
                        set.closed,
                    ),
                }
            }
            _ => Aims::Has,
        })
    }

    /// The members of a set of texts.
    fn texts_of(&self, set: &SetValue, certain: bool) -> Vec<String> {
        let (nodes, texts) = match certain {
            true => (&set.certain, &set.texts),
            false => (&set.possible, &set.possible_texts),
        };
        let SetKind::Values(d) = set.kind else {
            return texts.iter().cloned().collect();
        };
        let values = nodes.iter().map(|&v| self.lattice.value(d, ValueId(v)));
        let texts = values.filter_map(|value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        });
        texts.collect()
    }

    fn targets(&self, d: DimensionId, column: &Column, text: &str, set: &SetValue) -> Targets {
        let members = |certain: bool| {
            let nodes = match certain {
                true => &set.certain,
                false => &set.possible,
            };
            match (set.kind, &column.kind) {
                (SetKind::Values(e), _) if column.is_measured() => {
                    let spans = nodes.iter().filter_map(|&v| {
                        let span = self.facts.column(e)?.span(v)?;
                        Some((v, span.clone()))
                    });
                    let interval = match certain {
                        true => &set.interval,
                        false => &set.possible_interval,
                    };
                    let interval = interval.iter().map(|span| (NOWHERE, span.clone()));
                    Members::Spans(e, spans.chain(interval).collect())
                }
                (kind, Kind::Text) if kind != SetKind::Values(d) => {
                    let texts = self.texts_of(set, certain).into_iter();
                    let found = texts.map(|text| {
                        let found = self.lattice.find_text(d, &text);
                        found.map_or(NOWHERE, |v| v.0)
                    });
                    Members::Nodes(found.collect())
                }
                _ => Members::Nodes(nodes.clone()),
            }
        };
        Targets {
            text: text.to_owned(),
            certain: members(true),
            possible: members(false),
            closed: set.closed,
        }
    }
}
