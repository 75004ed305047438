//! How a query would be answered: its steps, the meets taken before any
//! instance is looked at, and the order of work. As data and as text.

use super::RunError;
use super::budget::Budget;
use super::completed::in_list;
use super::conflict::{Denoted, denoted};
use super::prove::condition_text;
use super::run::Run;
use crate::lattice::{Lattice, ValueId};
use crate::plan::{Compare, Condition, Meet, Plan, Returns, StepKind, Test};
use crate::syntax::{print_constraint, print_query};
use crate::verdict::{Reason, Verdict};
use serde::Serialize;
use std::fmt;

/// How a query would be answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The canonical query.
    pub query: String,
    /// Its steps, inner queries first; empty if a word was not found.
    pub steps: Vec<StepExplanation>,
    /// The code of the abstention that looking up the words ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstains: Option<&'static str>,
}

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepExplanation {
    /// Its text.
    pub query: String,
    /// `meet`, `compare` or `decline`.
    pub operator: &'static str,
    /// Meets of the constraints of one ONE dimension.
    pub meets: Vec<MeetExplanation>,
    /// The constraints in the order in which they would be looked at.
    pub order: Vec<ConditionExplanation>,
    /// What is given back.
    pub returns: String,
}

/// The meet of the constraints of one ONE dimension.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeetExplanation {
    /// The dimension.
    pub dimension: String,
    /// Its constraints.
    pub constraints: Vec<String>,
    /// The greatest values below all of them; none is a conflict. Absent on
    /// NUMBER and DATE.
    pub greatest: Option<Vec<String>>,
    /// Whether these name a Dedekind–MacNeille cut, since no single value is the meet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
}

/// One constraint of an explanation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionExplanation {
    /// The constraint.
    pub constraint: String,
    /// How it is looked up.
    pub by: &'static str,
    /// About how many instances it leaves.
    pub about: u64,
}

/// Explains a plan, or the abstention that came in its place.
pub(super) fn explain(
    lattice: &Lattice,
    plan: Result<&Plan, &Verdict>,
) -> Result<Explanation, RunError> {
    let plan = match plan {
        Ok(plan) => plan,
        Err(verdict) => {
            return Ok(Explanation {
                query: print_query(&verdict.query),
                steps: Vec::new(),
                abstains: verdict
                    .abstention()
                    .map(|abstention| Reason::code(&abstention.reason)),
            });
        }
    };
    let run = Run::new(lattice, plan, &Budget::unlimited(), true);
    let mut steps = Vec::new();
    for step in &plan.steps {
        let mut explained = StepExplanation {
            query: step.text(),
            operator: "decline",
            meets: Vec::new(),
            order: Vec::new(),
            returns: "nothing".to_owned(),
        };
        match &step.kind {
            StepKind::Meet(meet) => {
                explained.operator = "meet";
                explained.meets = meets(&run, meet)?;
                explained.order = order(&run, &meet.conditions);
                explained.returns = returns(&meet.returns);
            }
            StepKind::Compare(compare) => {
                explained.operator = "compare";
                explained.returns = match compare.as_ref() {
                    Compare::Extremum { returns: back, .. } => returns(back),
                    Compare::Order { .. } => "an order".to_owned(),
                    Compare::Bound { by, .. } => format!("values of {}", by.text),
                    _ => "a truth".to_owned(),
                };
                if let Compare::Holds { condition, .. } = compare.as_ref() {
                    explained.order = order(&run, std::slice::from_ref(condition));
                }
            }
            StepKind::Decline(_) => {}
        }
        steps.push(explained);
    }
    Ok(Explanation {
        query: print_query(&plan.query),
        steps,
        abstains: None,
    })
}

fn meets(run: &Run<'_>, meet: &Meet) -> Result<Vec<MeetExplanation>, RunError> {
    let mut meets = Vec::new();
    let mut completed = Vec::new();
    in_list(run, &meet.conditions, &mut completed)?;
    for (d, (denoted, sources)) in denoted(run, &meet.conditions.iter().collect::<Vec<_>>())? {
        let greatest = match denoted {
            Denoted::Nodes(set) => {
                let order = run.order(d, 0.0);
                let mut names: Vec<String> = order
                    .maximal(&set)
                    .into_iter()
                    .map(|v| {
                        let value = run.lattice.value(d, ValueId(v));
                        crate::verdict::print_value(run.lattice, &value)
                    })
                    .collect();
                names.sort();
                Some(names)
            }
            Denoted::Regions(_) => None,
        };
        let dimension = run.lattice.dimension(d).name.clone();
        let constraints: Vec<String> = sources.iter().map(|c| print_constraint(c)).collect();
        let mut sorted = constraints.clone();
        sorted.sort();
        meets.push(MeetExplanation {
            cut: completed
                .iter()
                .any(|told| told.dimension == dimension && told.of == sorted),
            dimension,
            constraints,
            greatest,
        });
    }
    Ok(meets)
}

fn order(run: &Run<'_>, conditions: &[Condition]) -> Vec<ConditionExplanation> {
    let mut list: Vec<(u64, &Condition)> = conditions
        .iter()
        .map(|condition| (run.estimate(condition), condition))
        .collect();
    list.sort_by_key(|(about, _)| *about);
    list.into_iter()
        .map(|(about, condition)| ConditionExplanation {
            constraint: condition_text(condition),
            by: looked_up(condition),
            about,
        })
        .collect()
}

fn looked_up(condition: &Condition) -> &'static str {
    match condition {
        Condition::All(..) => "all of several",
        Condition::Any(..) => "any of several",
        Condition::Not(..) => "what is excluded",
        Condition::Possibly(..) => "what is not excluded",
        Condition::Name { .. } => "names",
        Condition::Walk { path, test, .. } => match (path.len(), test) {
            (0 | 1, Test::Nodes { .. }) => "postings of the values below",
            (0 | 1, Test::Regions(_) | Test::Bounds(_)) => "postings of the values inside",
            (0 | 1, Test::In(_)) => "postings of the set's members",
            (0 | 1, _) => "postings",
            _ => "a walk back along the path",
        },
    }
}

fn returns(returns: &Returns) -> String {
    match returns {
        Returns::Instances => "instances".to_owned(),
        Returns::Path(path) => format!("the values of {}", path.text),
        Returns::Rows(paths) => {
            let texts: Vec<&str> = paths.iter().map(|path| path.text.as_str()).collect();
            format!("rows of {}", texts.join(", "))
        }
        Returns::Count(None) => "a count of instances".to_owned(),
        Returns::Count(Some(path)) => format!("a count of the values of {}", path.text),
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan    {}", self.query)?;
        if let Some(code) = self.abstains {
            writeln!(f, "abstains while its words are looked up: {code}")?;
        }
        for (k, step) in self.steps.iter().enumerate() {
            writeln!(f, "step {:<2} {}", k + 1, step.query)?;
            for meet in &step.meets {
                let what = match meet.greatest.as_deref() {
                    Some([]) => "nothing: a conflict".to_owned(),
                    Some([one]) => one.clone(),
                    Some(several) if meet.cut => format!("the cut {{{}}}", several.join(", ")),
                    Some(several) => format!("what lies at or below {{{}}}", several.join(", ")),
                    None => "an interval".to_owned(),
                };
                writeln!(
                    f,
                    "        meet on {}: {} is {what}",
                    meet.dimension,
                    meet.constraints.join(" ∧ ")
                )?;
            }
            for condition in &step.order {
                writeln!(
                    f,
                    "        {} by {}, about {}",
                    condition.constraint, condition.by, condition.about
                )?;
            }
            writeln!(f, "        gives {}", step.returns)?;
        }
        Ok(())
    }
}
