//! A report as a table for a terminal, and as Markdown.

use super::miss::Miss;
use super::report::{Figures, Refusals, Report};
use std::fmt::{self, Write};

/// The buckets of answer-set sizes in their order.
const SIZES: [&str; 5] = ["1", "2", "3-5", "6-10", "11+"];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title())?;
        writeln!(f, "configuration {}", self.configuration.hash)?;
        let heads = ["n", "resolved", "any hit", "precision", "recall", "f1"];
        write!(f, "\n{:<9}", "hops")?;
        for head in heads {
            write!(f, "  {head:>9}")?;
        }
        writeln!(f, "  {:>20}", "set equal")?;
        for (name, figures) in self.rows() {
            row(f, &name, figures)?;
        }
        for (name, refusals) in self.refused() {
            writeln!(
                f,
                "\n{name}: {} questions, abstention accuracy {:.4}, leak {:.4}",
                refusals.n, refusals.abstention_accuracy, refusals.leak
            )?;
        }
        if let Some(removed) = &self.support_removed {
            writeln!(
                f,
                "the same intact: resolved {:.4}, any hit {:.4}, set equal {:.4}; of {} questions nothing could be hidden",
                removed.intact.resolved,
                removed.intact.any_hit,
                removed.intact.set_equal,
                removed.not_removable
            )?;
        }
        let misses = Miss::ALL.iter().filter_map(|miss| {
            let count = self.misses.get(miss).filter(|count| **count > 0)?;
            Some(format!("{} {count}", miss.words()))
        });
        let misses: Vec<String> = misses.collect();
        match misses.is_empty() {
            true => Ok(()),
            false => writeln!(f, "\nmisses: {}", misses.join(", ")),
        }
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, figures: &Figures) -> fmt::Result {
    write!(f, "{name:<9}  {:>9}", figures.n)?;
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

impl Report {
    fn title(&self) -> String {
        let part = match self.part {
            "all" => String::new(),
            part => format!(" ({part} part)"),
        };
        format!(
            "{}, split {}{part}, {} plans, lattice {}",
            self.benchmark, self.split, self.plans, self.lattice
        )
    }

    /// The figures by what they are over.
    fn rows(&self) -> Vec<(String, &Figures)> {
        let mut rows: Vec<(String, &Figures)> = Vec::new();
        let hops = self.hops.iter();
        rows.extend(hops.map(|(hops, figures)| (hops.to_string(), figures)));
        rows.push(("all".to_owned(), &self.all));
        for (name, figures) in [("ceiling", &self.ceiling), ("keywords", &self.keywords)] {
            rows.extend(figures.iter().map(|figures| (name.to_owned(), figures)));
        }
        rows
    }

    /// What is not to be answered; what has its support hidden comes last.
    fn refused(&self) -> Vec<(&'static str, &Refusals)> {
        let removed = self.support_removed.as_ref().map(|s| &s.removed);
        let all = [
            ("unanswerable", self.unanswerable.as_ref()),
            ("support removed", removed),
        ];
        all.into_iter()
            .filter_map(|(name, refusals)| Some((name, refusals?)))
            .collect()
    }

    /// The report as Markdown.
    pub fn to_markdown(&self) -> String {
        let mut text = String::new();
        // Writing into a string does not fail.
        let _ = self.markdown(&mut text);
        text
    }

    fn markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}\n", self.title())?;
        writeln!(out, "Configuration `{}`.\n", self.configuration.hash)?;
        figures(out, "questions", self.rows().into_iter())?;
        writeln!(out, "\n## By the number of gold names\n")?;
        let sizes = SIZES.iter().filter_map(|size| {
            let figures = self.sizes.get(size)?;
            Some(((*size).to_owned(), figures))
        });
        figures(out, "names", sizes)?;
        if let Some(parts) = &self.parts {
            writeln!(out, "\n## The two parts of the split\n")?;
            let rows = [("training", &parts.training), ("held", &parts.held)];
            figures(
                out,
                "part",
                rows.map(|(n, f)| (n.to_owned(), f)).into_iter(),
            )?;
            writeln!(out, "\nDrift, held less training:\n")?;
            for (name, drift) in &parts.drift {
                writeln!(out, "- {}: {drift:+.4}", name.replace('_', " "))?;
            }
        }
        self.refusals(out)?;
        writeln!(out, "\n## Misses\n\n| class | questions |\n| --- | ---: |")?;
        for miss in Miss::ALL {
            let count = self.misses.get(&miss).copied().unwrap_or(0);
            writeln!(out, "| {} | {count} |", miss.words())?;
        }
        Ok(())
    }

    fn refusals(&self, out: &mut String) -> fmt::Result {
        if self.refused().is_empty() {
            return Ok(());
        }
        writeln!(out, "\n## Questions that are not to be answered\n")?;
        writeln!(out, "| questions | n | abstention accuracy | leak |")?;
        writeln!(out, "| --- | ---: | ---: | ---: |")?;
        let mut line = |name: &str, refusals: &Refusals| {
            writeln!(
                out,
                "| {name} | {} | {:.4} | {:.4} |",
                refusals.n, refusals.abstention_accuracy, refusals.leak
            )
        };
        for (name, refusals) in self.refused() {
            line(name, refusals)?;
        }
        let Some(removed) = &self.support_removed else {
            return Ok(());
        };
        for (hops, refusals) in &removed.hops {
            line(&format!("support removed, hops {hops}"), refusals)?;
        }
        writeln!(out, "\nThe same questions intact:\n")?;
        figures(
            out,
            "questions",
            [("intact".to_owned(), &removed.intact)].into_iter(),
        )?;
        writeln!(
            out,
            "\n{} questions have no support that could be hidden.",
            removed.not_removable
        )
    }
}

/// A table of figures in Markdown.
fn figures<'a>(
    out: &mut String,
    head: &str,
    rows: impl Iterator<Item = (String, &'a Figures)>,
) -> fmt::Result {
    let heads = "n | resolved | any hit | precision | recall | complete recall | F1 | set equal | EM | F1* |";
    writeln!(out, "| {head} | {heads}")?;
    writeln!(out, "| ---{} |", " | ---:".repeat(10))?;
    for (name, figures) in rows {
        write!(out, "| {name} | {}", figures.n)?;
        for rate in [
            figures.resolved,
            figures.any_hit,
            figures.precision,
            figures.recall,
            figures.complete_recall,
            figures.f1,
            figures.set_equal,
            figures.em,
            figures.f1_star,
        ] {
            write!(out, " | {rate:.4}")?;
        }
        writeln!(out, " |")?;
    }
    Ok(())
}
