//! What is asked of a lattice beside an abstention, so that its words say what
//! stands in the way and what may help.

use super::super::terminal::{count_of, grouped};
use crate::engine::{self, Budget};
use crate::lattice::{Decimal, DimensionId, InstanceId, Kind, Lattice};
use crate::script::words;
use crate::syntax::tree::{
    By, Candidates, Compare, Constraint, Meet, Name, Operand, Operation, Operator, Path, Query,
    SetExpression, Span, Term,
};
use crate::syntax::{parse_query, print_constraint, print_name, print_term};
use crate::verdict::{Answer, Contrast, Derivation, Members, Needed, Outcome};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;

/// Instances that are followed to find where a path breaks off.
const FOLLOWED: usize = 1_000;

/// Names listed within a sentence.
const NAMED: usize = 3;

/// The query that was refused, and what it was asked of.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The lattice.
    pub lattice: &'a Lattice,
    /// The query, canonical.
    pub query: &'a Query,
    /// What looking around may take.
    pub budget: &'a Budget,
}

impl Asked<'_> {
    /// The dimensions of a path; none if one is unknown.
    fn steps(&self, path: &Path) -> Option<Vec<DimensionId>> {
        let steps = path.steps.iter();
        steps
            .map(|s| self.lattice.find_dimension(&s.text))
            .collect()
    }

    fn name_of(&self, d: DimensionId) -> &str {
        &self.lattice.dimension(d).name
    }

    /// Why one MANY dimension does not decide a COMPARE though it has values:
    /// `2 values of city are recorded for Rhine; Dresden is neither …`.
    pub fn undecided(&self, instances: &[InstanceId]) -> Option<String> {
        let Query::Compare(Compare::Holds { constraint, .. }) = self.query else {
            return None;
        };
        let path = match constraint {
            Constraint::Test { path, .. } | Constraint::In { path, .. } => path,
            _ => return None,
        };
        let (steps, [x]) = (self.steps(path)?, instances) else {
            return None;
        };
        let [d] = steps.as_slice() else { return None };
        let recorded = self.lattice.positive(*d).of(*x).len();
        if recorded == 0 {
            return None;
        }
        let name = self.name_of(*d);
        let values = count_of(recorded as u64, "value", "values");
        let verb = if recorded == 1 { "is" } else { "are" };
        let known = format!(
            "{values} of {name} {verb} recorded for {}",
            words::instance(self.lattice, *x)
        );
        let asked = match constraint {
            Constraint::Test {
                operator: Operator::Is | Operator::IsNot,
                operand: Operand::Term(term),
                ..
            } => format!("{} is neither among them nor denied", print_term(term)),
            other => format!(
                "none of them shows “{}”, and none denies it",
                print_constraint(other)
            ),
        };
        Some(format!("{known}; {asked}, and {name} is not COMPLETE."))
    }

    /// Which bound is asked for, if one is.
    pub fn operation(&self) -> Option<Operation> {
        match self.query {
            Query::Compare(Compare::Bound { operation, .. }) => Some(*operation),
            _ => None,
        }
    }

    /// Of how many candidates of an extremum, and how to narrow them.
    pub fn candidates(&self, path: &str, lacking: usize) -> Option<(String, Option<String>)> {
        let Query::Compare(Compare::Extremum { of, .. }) = self.query else {
            return None;
        };
        let (all, is_query) = match of {
            Candidates::Terms(terms) => (terms.len() as u64, false),
            Candidates::Set(SetExpression::Query { query, .. }) => {
                (self.instances(query)?.len(), true)
            }
            Candidates::Set(SetExpression::Elements { elements, .. }) => {
                (elements.len() as u64, false)
            }
            Candidates::Set(_) => return None,
        };
        let lacking = lacking as u64;
        if all < lacking {
            return None;
        }
        let verb = if lacking == 1 { "has" } else { "have" };
        let sentence = if all == lacking && all > 1 {
            format!(
                "None of the {} has {path}:",
                count_of(all, "candidate", "candidates")
            )
        } else if all == 1 {
            format!("The only candidate has no {path}:")
        } else {
            format!(
                "{} of {} {verb} no {path}:",
                grouped(lacking),
                count_of(all, "candidate", "candidates")
            )
        };
        let hint = match (all > lacking, is_query) {
            (false, _) => None,
            (true, true) => Some(format!("narrow the candidates with AND HAS {path}")),
            (true, false) => Some("leave these out, or state what is missing".to_string()),
        };
        Some((sentence, hint))
    }

    /// The instances that answer a query.
    fn instances(&self, query: &Query) -> Option<RoaringBitmap> {
        let verdict = engine::answer(self.lattice, query, self.budget).ok()?;
        match verdict.outcome {
            Outcome::Answer(Answer::Set(set)) => match set.members {
                Members::Instances(all) => Some(all),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a path of several steps breaks off: `owner leads to Bob, of whom
    /// no length is recorded`.
    pub fn broken_at(&self, path: &str, from: InstanceId) -> Option<String> {
        let Ok(Query::Meet(Meet {
            constraint: Constraint::Has { path, .. },
            ..
        })) = parse_query(&format!("MEET HAS {path}"))
        else {
            return None;
        };
        if path.steps.len() < 2 {
            return None;
        }
        let mut here = BTreeSet::from([from.0]);
        for (k, d) in self.steps(&path)?.into_iter().enumerate() {
            let relation = self.lattice.positive(d);
            let next: BTreeSet<u32> = here
                .iter()
                .flat_map(|x| relation.of(InstanceId(*x)).values().to_vec())
                .take(FOLLOWED)
                .collect();
            if next.is_empty() {
                let missing = self.name_of(d);
                if k == 0 {
                    return Some(format!("has no {missing}"));
                }
                let walked: Vec<String> = path.steps.iter().take(k).map(print_name).collect();
                let verb = if here.len() == 1 { "has" } else { "have" };
                return Some(format!(
                    "{} leads to {}, which {verb} no {missing}",
                    walked.join("."),
                    self.named(&here.into_iter().collect())
                ));
            }
            here = next;
        }
        None
    }

    fn named(&self, set: &RoaringBitmap) -> String {
        let mut named: Vec<String> = set
            .iter()
            .take(NAMED)
            .map(|i| words::instance(self.lattice, InstanceId(i)))
            .collect();
        let rest = set.len().saturating_sub(named.len() as u64);
        if rest > 0 {
            named.push(format!("{} more", grouped(rest)));
        }
        words::both(&named)
    }

    /// What keeps a negation from excluding anything.
    pub fn nothing_excluded(&self, needed: &[Needed]) -> Option<String> {
        let mut open = BTreeSet::new();
        for one in needed {
            if let Ok(Query::Meet(meet)) = parse_query(&format!("MEET {}", one.constraint)) {
                self.open_negations(&meet.constraint, false, &mut open);
            }
        }
        let names: Vec<String> = open.iter().map(|d| self.name_of(*d).to_string()).collect();
        let it = match names.as_slice() {
            [] => return None,
            [_] => "is MANY and not COMPLETE, so what is not recorded is not excluded: declare it",
            _ => "are MANY and not COMPLETE, so what is not recorded is not excluded: declare them",
        };
        Some(format!(
            "{} {it} COMPLETE where that is true, or ask POSSIBLY",
            words::both(&names)
        ))
    }

    fn open_negations(
        &self,
        constraint: &Constraint,
        negated: bool,
        open: &mut BTreeSet<DimensionId>,
    ) {
        match constraint {
            Constraint::And(list, _) | Constraint::Or(list, _) => {
                for inner in list {
                    self.open_negations(inner, negated, open);
                }
            }
            Constraint::Not(inner, _) => self.open_negations(inner, !negated, open),
            Constraint::Possibly(..) => {}
            Constraint::Test { path, operator, .. } => {
                if negated != (*operator == Operator::IsNot) {
                    self.open_steps(path, open);
                }
            }
            Constraint::In { path, .. } | Constraint::Has { path, .. } => {
                if negated {
                    self.open_steps(path, open);
                }
            }
        }
    }

    fn open_steps(&self, path: &Path, open: &mut BTreeSet<DimensionId>) {
        let steps = self.steps(path).unwrap_or_default();
        open.extend(steps.into_iter().filter(|d| {
            let dimension = self.lattice.dimension(*d);
            !dimension.is_one() && !dimension.complete
        }));
    }

    /// The instances that may belong to what is counted.
    pub fn possible(&self, count: u64) -> Option<String> {
        let Query::Meet(meet) = self.query else {
            return None;
        };
        let wide = Meet {
            constraint: Constraint::Possibly(Box::new(meet.constraint.clone()), Span::default()),
            confidence: None,
            returns: None,
            span: meet.span,
        };
        let verdict = engine::answer(self.lattice, &Query::Meet(wide), self.budget).ok()?;
        let Outcome::Answer(Answer::Set(set)) = verdict.outcome else {
            return None;
        };
        (set.possibly.len() == count).then(|| self.named(&set.possibly))
    }

    /// What would make a count certain.
    pub fn countable(&self, from: &[Derivation]) -> Option<String> {
        let mut names = BTreeSet::new();
        for one in from {
            match one {
                Derivation::Open(dimension) => {
                    names.insert(dimension.clone());
                }
                Derivation::Possible(_) => {
                    if let Query::Meet(meet) = self.query {
                        self.incomplete(&meet.constraint, &mut names);
                    }
                }
                Derivation::Contested => {}
            }
        }
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| {
            format!(
                "declare {} COMPLETE where all of it is recorded; without COUNT what is certain \
                 is listed",
                words::both(&names)
            )
        })
    }

    fn incomplete(&self, constraint: &Constraint, names: &mut BTreeSet<String>) {
        match constraint {
            Constraint::And(list, _) | Constraint::Or(list, _) => {
                list.iter().for_each(|inner| self.incomplete(inner, names));
            }
            Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => {
                self.incomplete(inner, names);
            }
            Constraint::Test { path, .. }
            | Constraint::In { path, .. }
            | Constraint::Has { path, .. } => {
                let steps = self.steps(path).unwrap_or_default().into_iter();
                let open = steps.filter(|d| !self.lattice.dimension(*d).complete);
                names.extend(open.map(|d| self.name_of(d).to_string()));
            }
        }
    }

    /// What may help where two things do not go together.
    pub fn fitting(&self, pair: &Contrast) -> Option<String> {
        match pair.what.as_str() {
            "unit" => self.fitting_unit(pair),
            "operator" => {
                let name = pair.right.strip_suffix(" is entity")?;
                let d = self.lattice.find_dimension(name)?;
                (self.lattice.dimension(d).is_entity()).then(|| {
                    format!(
                        "where {name} is a number or a date, declare it NUMBER or DATE in a \
                         schema before its values are loaded"
                    )
                })
            }
            "value" => {
                let Ok(Query::Meet(meet)) = parse_query(&format!("MEET {}", pair.left)) else {
                    return None;
                };
                let Constraint::Test {
                    path,
                    operator,
                    operand: Operand::Term(Term::Name(name)),
                    ..
                } = &meet.constraint
                else {
                    return None;
                };
                let d = self.steps(path)?.pop()?;
                let measured = matches!(
                    self.lattice.dimension(d).kind,
                    Kind::Number { .. } | Kind::Date
                );
                if !measured || self.lattice.called(&name.text).instances.is_empty() {
                    return None;
                }
                let path: Vec<String> = path.steps.iter().map(print_name).collect();
                let path = path.join(".");
                let (sign, name) = (sign(*operator), print_name(name));
                Some(format!(
                    "{name} is an instance; to compare with its own {path} write {path} {sign} \
                     (MEET name = {name} RETURN {path})"
                ))
            }
            _ => None,
        }
    }

    fn fitting_unit(&self, pair: &Contrast) -> Option<String> {
        let Ok(Query::Meet(meet)) = parse_query(&format!("MEET x = {}", pair.left)) else {
            return None;
        };
        let Constraint::Test {
            operand:
                Operand::Term(Term::Number {
                    unit: Some(Name { text: unit, .. }),
                    ..
                }),
            ..
        } = &meet.constraint
        else {
            return None;
        };
        if let Some(name) = pair.right.strip_suffix(" has no unit") {
            let d = self.lattice.find_dimension(name)?;
            let number = matches!(self.lattice.dimension(d).kind, Kind::Number { .. });
            return number
                .then(|| format!("write the number alone, or declare {name} NUMBER UNIT {unit}"));
        }
        let units = self.lattice.units();
        if units.to_base(&Decimal::one(), unit).is_some() {
            return None;
        }
        let near = units.nearest(unit);
        let near: Vec<String> = near.iter().take(NAMED).map(|n| format!("“{n}”")).collect();
        Some(if near.is_empty() {
            format!(
                "no unit is called “{unit}” here: USE std.units knows the usual ones, UNIT declares others"
            )
        } else {
            format!(
                "no unit is called “{unit}” here; did you mean {}? USE std.units knows the usual \
                 ones, UNIT declares others",
                words::either(&near)
            )
        })
    }

    /// For a word that names no instance: the taxonomies it is a value of.
    pub fn value_instead(&self, word: &str) -> Option<String> {
        let d = words::dimension_ids(self.lattice).find(|d| {
            let taxonomy = self.lattice.taxonomy(*d);
            taxonomy.is_some_and(|t| !t.find(word).is_empty())
        })?;
        let bare = |text: &str| {
            print_name(&Name {
                text: text.to_string(),
                quoted: false,
                span: Span::default(),
            })
        };
        let name = bare(self.name_of(d));
        Some(format!(
            "“{word}” is a value of {name}: MEET {name} = {}",
            bare(word)
        ))
    }
}

/// The path that an extremum is sought along.
pub fn extremum_by(query: &Query) -> Option<&By> {
    match query {
        Query::Compare(Compare::Extremum { by, .. }) => Some(by),
        _ => None,
    }
}

/// Whether none of these instances has a value at the first step of a path.
pub fn all_without(lattice: &Lattice, by: &By, set: &RoaringBitmap) -> bool {
    let first = by.path.steps.first();
    let Some(d) = first.and_then(|s| lattice.find_dimension(&s.text)) else {
        return false;
    };
    let relation = lattice.positive(d);
    set.iter().all(|x| relation.of(InstanceId(x)).is_empty())
}

fn sign(operator: Operator) -> &'static str {
    match operator {
        Operator::Is => "=",
        Operator::IsNot => "!=",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
    }
}
