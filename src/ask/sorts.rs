//! What a reading denotes, as far as it decides what the reading may be part of.

use super::chart::{Chart, Filler};
use super::extents::Extent;
use super::lexicon::MAX_HOLES;
use super::vocabulary::Pattern;
use super::wording::HoleKind;
use crate::lattice::{DimensionId, Kind};
use crate::syntax::tree::{
    Candidates, Compare, Constraint, Meet, Operand, Operator, Path, Query, Return, SetExpression,
    Side, Term,
};

/// What a reading denotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// What a name names: an index into the chart's links.
    Named(usize),
    /// Instances, all of which stand in each of these.
    Instances(Vec<Extent>),
    /// Values of a dimension that are no instances.
    Values(DimensionId),
    /// A number of the question.
    Number,
    /// A count, a truth, an order, rows: nothing that could be part of more.
    Final,
}

/// The pattern does not fit what is put into its holes.
pub(super) struct Misfit;

/// A pattern with its holes filled.
pub(super) struct Filled<'a> {
    pub pattern: &'a Pattern,
    /// By number of the hole.
    pub fillers: [Option<Filler>; MAX_HOLES],
}

impl Filled<'_> {
    pub(super) fn filler(&self, name: &str) -> Option<Filler> {
        let holes = &self.pattern.wording.holes;
        let at = holes.iter().position(|hole| hole.name == name)?;
        self.fillers.get(at).copied().flatten()
    }

    /// The dimension that a step of a path stands for.
    pub(super) fn dimension(&self, step: &str, chart: &Chart<'_>) -> Option<DimensionId> {
        let holes = &self.pattern.wording.holes;
        let hole = holes
            .iter()
            .position(|hole| hole.kind == HoleKind::Dimension && hole.name == step);
        match hole {
            None => chart.lattice().find_dimension(step),
            Some(at) => match self.fillers.get(at).copied().flatten() {
                Some(Filler::Dimension(d)) => Some(d),
                _ => None,
            },
        }
    }

    /// What the pattern denotes with its holes filled.
    pub(super) fn sort(&self, chart: &mut Chart<'_>) -> Result<Sort, Misfit> {
        self.of_query(&self.pattern.query, chart)
    }

    fn of_query(&self, query: &Query, chart: &mut Chart<'_>) -> Result<Sort, Misfit> {
        match query {
            Query::Meet(meet) => self.of_meet(meet, chart),
            Query::Compare(compare) => self.of_compare(compare, chart),
            Query::Abstain { .. } => Ok(Sort::Final),
            Query::Read(_) => Err(Misfit),
        }
    }

    fn of_meet(&self, meet: &Meet, chart: &mut Chart<'_>) -> Result<Sort, Misfit> {
        let mut subject = Subject::default();
        self.constrain(&meet.constraint, &mut subject, chart)?;
        match &meet.returns {
            None => Ok(subject.sort()),
            Some(Return::Count(path)) => {
                if let Some(path) = path {
                    self.walk(path, &mut subject, chart)?;
                }
                Ok(Sort::Final)
            }
            Some(Return::Paths(paths)) => match paths.as_slice() {
                [path] => self.returned(path, &mut subject, chart),
                paths => {
                    for path in paths {
                        self.walk(path, &mut subject, chart)?;
                    }
                    Ok(Sort::Final)
                }
            },
        }
    }

    fn returned(
        &self,
        path: &Path,
        subject: &mut Subject,
        chart: &mut Chart<'_>,
    ) -> Result<Sort, Misfit> {
        let Some(d) = self.walk(path, subject, chart)? else {
            return Ok(subject.clone().sort());
        };
        Ok(match chart.lattice().dimension(d).is_entity() {
            true => Sort::Instances(vec![Extent::Objects(d)]),
            false => Sort::Values(d),
        })
    }

    /// The last dimension of a path that begins at the subject; none if it is `name`.
    fn walk(
        &self,
        path: &Path,
        subject: &mut Subject,
        chart: &mut Chart<'_>,
    ) -> Result<Option<DimensionId>, Misfit> {
        let mut last: Option<DimensionId> = None;
        for step in &path.steps {
            if step.text == "name" {
                continue;
            }
            let d = self.dimension(&step.text, chart).ok_or(Misfit)?;
            let here = Extent::Subjects(d);
            match last {
                None => subject.stand_in(here, chart)?,
                Some(before) => chart.fit(Extent::Objects(before), here)?,
            }
            last = Some(d);
        }
        Ok(last)
    }

    fn constrain(
        &self,
        constraint: &Constraint,
        subject: &mut Subject,
        chart: &mut Chart<'_>,
    ) -> Result<(), Misfit> {
        match constraint {
            Constraint::And(all, _) => all
                .iter()
                .try_for_each(|one| self.constrain(one, subject, chart)),
            Constraint::Or(all, _) => all
                .iter()
                .try_for_each(|one| self.constrain(one, &mut subject.clone(), chart)),
            Constraint::Not(inner, _) | Constraint::Possibly(inner, _) => {
                self.constrain(inner, &mut subject.clone(), chart)
            }
            Constraint::Has { path, .. } => self.walk(path, subject, chart).map(drop),
            Constraint::Test {
                path,
                operator,
                operand,
                ..
            } => {
                let sort = match operand {
                    Operand::Query { query, .. } => Some(self.of_query(query, chart)?),
                    Operand::Term(term) => self.of_term(term, chart)?,
                };
                self.test(path, *operator, sort, subject, chart)
            }
            Constraint::In { path, set, .. } => {
                let sort = match set {
                    SetExpression::Query { query, .. } => Some(self.of_query(query, chart)?),
                    _ => None,
                };
                self.test(path, Operator::Is, sort, subject, chart)
            }
        }
    }

    /// The sort of a hole; of anything else none, and all is well.
    fn of_term(&self, term: &Term, chart: &Chart<'_>) -> Result<Option<Sort>, Misfit> {
        let Term::Hole { name, .. } = term else {
            return Ok(None);
        };
        match self.filler(name) {
            Some(Filler::Item(item)) => Ok(Some(chart.sort(item))),
            Some(Filler::Number(_)) => Ok(Some(Sort::Number)),
            _ => Err(Misfit),
        }
    }

    fn test(
        &self,
        path: &Path,
        operator: Operator,
        sort: Option<Sort>,
        subject: &mut Subject,
        chart: &mut Chart<'_>,
    ) -> Result<(), Misfit> {
        let last = self.walk(path, subject, chart)?;
        match (last, sort) {
            (_, None) => Ok(()),
            (None, Some(sort)) => match operator {
                Operator::Is => subject.be(&sort, chart),
                _ => Ok(()),
            },
            (Some(d), Some(sort)) => takes(d, &sort, chart),
        }
    }

    fn of_compare(&self, compare: &Compare, chart: &mut Chart<'_>) -> Result<Sort, Misfit> {
        match compare {
            Compare::Extremum {
                of, by, returns, ..
            } => {
                let mut subject = Subject::default();
                match of {
                    Candidates::Terms(terms) => {
                        let mut any = Subject::default();
                        for term in terms {
                            if let Some(sort) = self.of_term(term, chart)? {
                                any = Subject::default();
                                any.be(&sort, chart)?;
                                let mut alone = any.clone();
                                self.along(&by.path, by.count, &mut alone, chart)?;
                            }
                        }
                        // Of several, each is looked at; of one set, it is the subject.
                        if terms.len() == 1 {
                            subject = any;
                        }
                    }
                    Candidates::Set(SetExpression::Query { query, .. }) => {
                        let sort = self.of_query(query, chart)?;
                        subject.be(&sort, chart)?;
                    }
                    Candidates::Set(_) => {}
                }
                self.along(&by.path, by.count, &mut subject, chart)?;
                match returns.as_deref() {
                    None => Ok(subject.sort()),
                    Some([path]) => self.returned(path, &mut subject, chart),
                    Some(_) => Ok(Sort::Final),
                }
            }
            Compare::Relate {
                left, right, by, ..
            } => {
                for side in [left, right] {
                    let mut subject = Subject::default();
                    match side {
                        Side::Term(term) => {
                            if let Some(sort) = self.of_term(term, chart)? {
                                subject.be(&sort, chart)?;
                            }
                        }
                        Side::Set(SetExpression::Query { query, .. }) => {
                            self.of_query(query, chart)?;
                        }
                        Side::Set(_) => {}
                    }
                    if let Some(by) = by {
                        self.walk(&by.path, &mut subject, chart)?;
                    }
                }
                Ok(Sort::Final)
            }
            Compare::Holds {
                subject,
                constraint,
                ..
            } => {
                let mut who = Subject::default();
                if let Some(sort) = self.of_term(subject, chart)? {
                    only_named(&sort)?;
                    who.be(&sort, chart)?;
                }
                self.constrain(constraint, &mut who, chart)?;
                Ok(Sort::Final)
            }
            Compare::Order {
                left, right, by, ..
            } => {
                for term in [left, right] {
                    let mut subject = Subject::default();
                    if let Some(sort) = self.of_term(term, chart)? {
                        only_named(&sort)?;
                        subject.be(&sort, chart)?;
                    }
                    self.walk(&by.path, &mut subject, chart)?;
                }
                Ok(Sort::Final)
            }
            Compare::Bound { .. } => Ok(Sort::Final),
        }
    }

    /// A path along which there is a largest: numbers or dates, or anything counted.
    fn along(
        &self,
        path: &Path,
        count: bool,
        subject: &mut Subject,
        chart: &mut Chart<'_>,
    ) -> Result<(), Misfit> {
        let last = self.walk(path, subject, chart)?;
        let ordered = last.is_some_and(|d| {
            let kind = &chart.lattice().dimension(d).kind;
            matches!(kind, Kind::Number { .. } | Kind::Date)
        });
        // Values that are numbers themselves are compared, others are counted.
        match last.is_some() && ordered != count {
            true => Ok(()),
            false => Err(Misfit),
        }
    }
}

/// Only a name can be an operand there.
fn only_named(sort: &Sort) -> Result<(), Misfit> {
    match sort {
        Sort::Named(_) => Ok(()),
        _ => Err(Misfit),
    }
}

/// Whether a dimension takes what is denoted as a value.
fn takes(d: DimensionId, sort: &Sort, chart: &mut Chart<'_>) -> Result<(), Misfit> {
    let kind = chart.lattice().dimension(d).kind.clone();
    match (kind, sort) {
        (Kind::Entity { .. }, Sort::Named(_) | Sort::Instances(_)) => Subject::default()
            .with(sort)
            .stand_in(Extent::Objects(d), chart),
        (Kind::Taxonomy, Sort::Named(link)) => match chart.name(*link) {
            Some(link) if link.is_unknown() => Ok(()),
            Some(link) if link.values.iter().any(|(of, _)| *of == d) => Ok(()),
            _ => Err(Misfit),
        },
        (_, Sort::Values(other)) if *other == d => Ok(()),
        (Kind::Number { .. } | Kind::Date, Sort::Values(other)) => {
            let same = |a: &Kind, b: &Kind| std::mem::discriminant(a) == std::mem::discriminant(b);
            let dimensions = chart.lattice();
            match same(
                &dimensions.dimension(d).kind,
                &dimensions.dimension(*other).kind,
            ) {
                true => Ok(()),
                false => Err(Misfit),
            }
        }
        (Kind::Number { .. } | Kind::Date, Sort::Number) => Ok(()),
        (Kind::Text, Sort::Named(link)) => {
            let text = chart.name(*link).map(|link| link.text.clone());
            let found = text.is_some_and(|text| chart.lattice().find_text(d, &text).is_some());
            if found { Ok(()) } else { Err(Misfit) }
        }
        _ => Err(Misfit),
    }
}

/// What a MEET is about, as far as it is known.
#[derive(Clone, Debug, Default)]
struct Subject {
    named: Option<usize>,
    extents: Vec<Extent>,
}

impl Subject {
    fn with(mut self, sort: &Sort) -> Subject {
        match sort {
            Sort::Named(link) => self.named = Some(*link),
            Sort::Instances(extents) => self.extents.clone_from(extents),
            _ => {}
        }
        self
    }

    fn stand_in(&mut self, extent: Extent, chart: &mut Chart<'_>) -> Result<(), Misfit> {
        if let Some(link) = self.named {
            chart.fit_named(link, extent)?;
        }
        for other in self.extents.clone() {
            chart.fit(other, extent)?;
        }
        if !self.extents.contains(&extent) {
            self.extents.push(extent);
        }
        Ok(())
    }

    /// The subject is what is denoted.
    fn be(&mut self, sort: &Sort, chart: &mut Chart<'_>) -> Result<(), Misfit> {
        match sort {
            Sort::Named(link) => {
                if self.named.is_some_and(|other| other != *link) {
                    return Err(Misfit);
                }
                for extent in self.extents.clone() {
                    chart.fit_named(*link, extent)?;
                }
                self.named = Some(*link);
                Ok(())
            }
            Sort::Instances(extents) => extents
                .iter()
                .try_for_each(|extent| self.stand_in(*extent, chart)),
            _ => Err(Misfit),
        }
    }

    fn sort(self) -> Sort {
        match self.named {
            Some(link) if self.extents.is_empty() => Sort::Named(link),
            _ => Sort::Instances(self.extents),
        }
    }
}
