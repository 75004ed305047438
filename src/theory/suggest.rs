//! SUGGEST: other words for what a query asks, by cross reference.
//!
//! A value of another dimension that occurs only together with a constraint's value
//! (paper, section 3.1: cross-reference expansion) may stand for it where that one is
//! not recorded. Nothing is applied: a suggestion is a query to look at, and to run.

use super::table::Valued;
use super::{Named, TheoryError};
use crate::engine::{self, Budget, Extents, RunError};
use crate::lattice::{DimensionId, Kind, Lattice};
use crate::plan::{Condition, Plan, StepKind, Test};
use crate::syntax::tree::{Constraint, Meet, Name, Operand, Operator, Path, Query, Span, Term};
use crate::syntax::words::is_bare;
use crate::syntax::{print_constraint, print_query};
use crate::verdict::{Answer, Members, Outcome};
use roaring::RoaringBitmap;
use serde::Serialize;
use std::cmp::Reverse;
use std::sync::Arc;

/// In how many instances two values must be found together to be suggested.
const LEAST_TOGETHER: u64 = 2;
/// How many suggestions are made for one constraint.
const MOST_FOR_ONE: usize = 10;

/// What could be asked besides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestions {
    /// The query.
    pub query: String,
    /// How many instances it finds.
    pub hits: u64,
    /// Why nothing can be suggested: `no-meet` if the query is none, else the code of
    /// the abstention that its words lead to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<&'static str>,
    /// The suggestions: those that find more stand first.
    pub suggestions: Vec<Suggestion>,
}

/// A value that occurs only together with one that the query asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The constraint of the query.
    pub constraint: String,
    /// The value that occurs only where it holds.
    pub with: Valued,
    /// In how many instances both are found. In none is the value found where the
    /// constraint is excluded.
    pub together: u64,
    /// Whether the constraint holds nowhere else either.
    pub only: bool,
    /// How many more instances the wider query finds.
    pub more: u64,
    /// The wider query.
    pub query: String,
}

/// What could be asked besides a MEET; nothing for another query, or one whose words
/// are not known.
///
/// # Errors
/// If the budget is spent.
pub fn suggest(
    lattice: &Lattice,
    query: &Query,
    budget: &Budget,
) -> Result<Suggestions, TheoryError> {
    let mut report = Suggestions {
        query: print_query(query),
        hits: 0,
        refused: None,
        suggestions: Vec::new(),
    };
    let Query::Meet(meet) = query else {
        report.refused = Some("no-meet");
        return Ok(report);
    };
    let plan = match engine::prepare(lattice, query)? {
        Ok(plan) => plan,
        Err(verdict) => {
            let abstention = verdict.abstention();
            report.refused = abstention.map(|abstention| abstention.reason.code());
            return Ok(report);
        }
    };
    let asking = Asking {
        lattice,
        budget,
        extents: Extents::new(lattice, budget),
    };
    let hits = asking.hits(&meet.constraint)?;
    report.hits = hits.len();
    for (d, constraint) in replaceable(&plan) {
        report
            .suggestions
            .extend(asking.for_one(meet, d, constraint, &hits)?);
    }
    report.suggestions.sort_by_key(|s| {
        (
            Reverse(s.more > 0),
            Reverse(s.together),
            s.constraint.clone(),
        )
    });
    Ok(report)
}

/// The constraints of the outermost AND-list that ask for one value of a dimension.
fn replaceable(plan: &Plan) -> Vec<(DimensionId, &Constraint)> {
    let Some(StepKind::Meet(meet)) = plan.steps.last().map(|step| &step.kind) else {
        return Vec::new();
    };
    let one_value = |condition| match condition {
        &Condition::Walk {
            ref path,
            test: Test::Nodes { ref elements, .. },
            ref sources,
        } => match (path.as_slice(), elements.as_slice(), sources.as_slice()) {
            ([d], [_], [source]) => Some((*d, source)),
            _ => None,
        },
        _ => None,
    };
    meet.conditions.iter().filter_map(one_value).collect()
}

struct Asking<'l> {
    lattice: &'l Lattice,
    budget: &'l Budget,
    extents: Extents<'l>,
}

impl Asking<'_> {
    /// The instances for which a constraint is certain.
    fn hits(&self, constraint: &Constraint) -> Result<RoaringBitmap, RunError> {
        let query = Query::Meet(Meet {
            constraint: constraint.clone(),
            confidence: None,
            returns: None,
            span: Span::default(),
        });
        let verdict = engine::answer(self.lattice, &query, self.budget)?;
        Ok(match verdict.outcome {
            Outcome::Answer(Answer::Set(set)) => match set.members {
                Members::Instances(hits) => hits,
                _ => RoaringBitmap::new(),
            },
            _ => RoaringBitmap::new(),
        })
    }

    fn for_one(
        &self,
        meet: &Meet,
        d: DimensionId,
        constraint: &Constraint,
        hits: &RoaringBitmap,
    ) -> Result<Vec<Suggestion>, RunError> {
        let certain = self.hits(constraint)?;
        let not = Constraint::Not(Box::new(constraint.clone()), Span::default());
        let excluded = self.hits(&not)?;
        let mut found = Vec::new();
        for e in (0u16..)
            .map(DimensionId)
            .take(self.lattice.dimensions().len())
        {
            if e == d || !is_discrete(self.lattice, e) {
                continue;
            }
            for (u, extent) in self.companions(e, &certain, &excluded)? {
                let together = extent.intersection_len(&certain);
                found.push((e, u, together, extent));
            }
        }
        found.sort_by_key(|(e, u, together, extent)| {
            (
                Reverse(extent.len() > *together),
                Reverse(*together),
                *e,
                *u,
            )
        });
        found.truncate(MOST_FOR_ONE);
        let suggestion = |(e, u, together, extent): (DimensionId, u32, u64, RoaringBitmap)| {
            let wider = widened(meet, constraint, &self.asks(e, u));
            let all = self.hits(&wider)?;
            Ok(Suggestion {
                constraint: print_constraint(constraint),
                with: Valued {
                    dimension: self.lattice.dimension(e).name.as_str().into(),
                    value: Arc::new(Named::of(self.lattice, e, u)),
                },
                together,
                only: certain.is_subset(&extent),
                more: (&all - hits).len(),
                query: print_query(&Query::Meet(Meet {
                    constraint: wider,
                    ..meet.clone()
                })),
            })
        };
        found.into_iter().map(suggestion).collect()
    }

    /// The values of a dimension that occur with the certain instances and with none
    /// of the excluded ones; of those that occur in the same instances only the most
    /// specific, of others those that have no such value above them.
    fn companions(
        &self,
        e: DimensionId,
        certain: &RoaringBitmap,
        excluded: &RoaringBitmap,
    ) -> Result<Vec<(u32, RoaringBitmap)>, RunError> {
        let mut near = RoaringBitmap::new();
        for x in certain {
            self.extents.meter().tick()?;
            near.extend(self.extents.values(e, crate::lattice::InstanceId(x)));
        }
        let taxonomy = self.lattice.taxonomy(e);
        if let Some(taxonomy) = taxonomy {
            let above: Vec<u32> = near.iter().collect();
            for v in above {
                near |= taxonomy.dag().up(v);
            }
        }
        let mut found: Vec<(u32, RoaringBitmap)> = Vec::new();
        for u in &near {
            let extent = self.extents.certain(e, u)?;
            let enough = extent.intersection_len(certain) >= LEAST_TOGETHER;
            if enough && extent.is_disjoint(excluded) {
                found.push((u, extent));
            }
        }
        let Some(taxonomy) = taxonomy else {
            return Ok(found);
        };
        let covered = |u: u32, extent: &RoaringBitmap| {
            found.iter().any(|(v, wider)| {
                let below = *v != u && taxonomy.dag().le(u, *v);
                let above = *v != u && taxonomy.dag().le(*v, u);
                (below && wider.len() > extent.len()) || (above && wider == extent)
            })
        };
        let kept: Vec<u32> = found
            .iter()
            .filter(|(u, extent)| !covered(*u, extent))
            .map(|(u, _)| *u)
            .collect();
        found.retain(|(u, _)| kept.contains(u));
        Ok(found)
    }

    /// `e = u`.
    fn asks(&self, e: DimensionId, u: u32) -> Constraint {
        let span = Span::default();
        let name = |text: &str| Name {
            text: text.to_owned(),
            quoted: !is_bare(text),
            span,
        };
        let term = match self.lattice.dimension(e).is_entity() {
            true => Term::Id {
                id: self.lattice.id(crate::lattice::InstanceId(u)).to_owned(),
                span,
            },
            false => Term::Name(name(&Named::of(self.lattice, e, u).value)),
        };
        Constraint::Test {
            path: Path {
                steps: vec![name(&self.lattice.dimension(e).name)],
                span,
            },
            operator: Operator::Is,
            operand: Operand::Term(term),
            span,
        }
    }
}

/// Whether the values of a dimension are words or instances.
fn is_discrete(lattice: &Lattice, d: DimensionId) -> bool {
    matches!(
        lattice.dimension(d).kind,
        Kind::Taxonomy | Kind::Entity { .. } | Kind::Text
    )
}

/// The condition of a MEET with `constraint OR other` in place of the constraint.
fn widened(meet: &Meet, constraint: &Constraint, other: &Constraint) -> Constraint {
    let either = || {
        let mut both = vec![constraint.clone(), other.clone()];
        both.sort();
        Constraint::Or(both, Span::default())
    };
    match &meet.constraint {
        Constraint::And(list, span) => Constraint::And(
            list.iter()
                .map(|c| if c == constraint { either() } else { c.clone() })
                .collect(),
            *span,
        ),
        _ => either(),
    }
}
