//! What a run found, as figures.

use super::Benchmark;
use super::score::Score;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Figures over a number of questions. All but `n` are rates between 0 and 1;
/// `precision`, `recall` and `f1` are means over all questions, in which an
/// abstention counts 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// How many questions there are.
    pub n: u64,
    /// How many were answered rather than refused.
    pub resolved: f64,
    /// How many answers have a name that is gold.
    pub any_hit: f64,
    /// The share of an answer that is gold.
    pub precision: f64,
    /// The share of the gold that is in the answer.
    pub recall: f64,
    /// The harmonic mean of precision and recall of each question.
    pub f1: f64,
    /// How many answers are exactly the gold set.
    pub set_equal: f64,
    /// How many answers are exactly the gold set, as a count.
    #[serde(skip)]
    pub equal: u64,
}

impl Figures {
    pub(super) fn of<'a>(scores: impl Iterator<Item = &'a Score>) -> Figures {
        let mut sum = Figures::default();
        for score in scores {
            sum.n += 1;
            sum.resolved += f64::from(u8::from(score.resolved));
            sum.any_hit += f64::from(u8::from(score.any_hit));
            sum.precision += score.precision;
            sum.recall += score.recall;
            sum.f1 += score.f1;
            sum.equal += u64::from(score.set_equal);
        }
        if sum.n > 0 {
            let n = sum.n as f64;
            for rate in [
                &mut sum.resolved,
                &mut sum.any_hit,
                &mut sum.precision,
                &mut sum.recall,
                &mut sum.f1,
            ] {
                *rate /= n;
            }
            sum.set_equal = sum.equal as f64 / n;
        }
        sum
    }
}

/// A question whose answer is not the gold set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// How many hops the question takes.
    pub hops: u8,
    /// The question.
    pub question: String,
    /// The plan, as LQ.
    pub plan: String,
    /// The code of the abstention, if it was none.
    pub refused: Option<&'static str>,
    /// Names in the answer that are not gold.
    pub extra: Vec<String>,
    /// Gold names that the answer lacks.
    pub lacking: Vec<String>,
}

/// What a run found. As JSON it is the same byte for byte whenever lattice and
/// questions are the same; printed, it is a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The split; `all` where the benchmark has none.
    pub split: String,
    /// The content hash of the lattice.
    pub lattice: String,
    /// Where the plans come from.
    pub plans: &'static str,
    /// The figures over all questions.
    pub all: Figures,
    /// The figures by number of hops.
    pub hops: BTreeMap<u8, Figures>,
    /// The questions whose answers are not the gold sets, in order.
    #[serde(skip)]
    pub differences: Vec<Difference>,
}

impl Report {
    /// The report as JSON, with a line break at its end.
    pub fn to_json(&self) -> String {
        // Nothing in a report can fail to be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}, split {}, {} plans, lattice {}",
            self.benchmark, self.split, self.plans, self.lattice
        )?;
        let heads = ["n", "resolved", "any hit", "precision", "recall", "f1"];
        write!(f, "\n{:<5}", "hops")?;
        for head in heads {
            write!(f, "  {head:>9}")?;
        }
        writeln!(f, "  {:>20}", "set equal")?;
        for (hops, figures) in &self.hops {
            row(f, &hops.to_string(), figures)?;
        }
        row(f, "all", &self.all)
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, figures: &Figures) -> fmt::Result {
    write!(f, "{name:<5}  {:>9}", figures.n)?;
    for rate in [
        figures.resolved,
        figures.any_hit,
        figures.precision,
        figures.recall,
        figures.f1,
    ] {
        write!(f, "  {rate:>9.4}")?;
    }
    let count = format!("{} of {}", figures.equal, figures.n);
    writeln!(f, "  {:>20}", format!("{count}  {:.4}", figures.set_equal))
}
