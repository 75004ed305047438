//! Chains of hops: from MetaQA's questions, or drawn from the triples.

use latweave::lattice::{DimensionId, InstanceId, Lattice};
use latweave::syntax::print::{print_name, quote};
use latweave::syntax::tree::{Name, Span};
use std::error::Error;
use std::path::Path;

/// A topic, and the dimensions that are walked from it.
pub struct Chain {
    pub topic: InstanceId,
    pub path: Vec<DimensionId>,
}

impl Chain {
    pub fn hops(&self) -> usize {
        self.path.len()
    }

    /// Whether the topic is taken out after each hop, as MetaQA does.
    pub fn drops_topic(&self) -> bool {
        self.hops() > 1
    }

    /// The chain as LQ: each hop a condition on the inverse.
    pub fn text(&self, lattice: &Lattice) -> String {
        let topic = quote(lattice.name(self.topic));
        let without = if self.drops_topic() {
            format!(" AND name != {topic}")
        } else {
            String::new()
        };
        let mut from = format!("= {topic}");
        let mut query = String::new();
        for hop in &self.path {
            let inverse = lattice.dimension(*hop).inverse.unwrap_or(*hop);
            let name = print_name(&Name {
                text: lattice.dimension(inverse).name.clone(),
                quoted: false,
                span: Span::default(),
            });
            query = format!("MEET {name} {from}{without}");
            from = format!("IN ({query})");
        }
        query
    }
}

const WORDS: [(&str, &str); 10] = [
    ("actor", "starred_actors"),
    ("director", "directed_by"),
    ("genre", "has_genre"),
    ("imdbrating", "has_imdb_rating"),
    ("imdbvotes", "has_imdb_votes"),
    ("language", "in_language"),
    ("tag", "has_tags"),
    ("tags", "has_tags"),
    ("writer", "written_by"),
    ("year", "release_year"),
];

/// The topics and gold hop types of MetaQA's dev questions, evenly spaced.
pub fn of_questions(
    data: &Path,
    most: usize,
    lattice: &Lattice,
) -> Result<Vec<Chain>, Box<dyn Error>> {
    let mut chains = Vec::new();
    for hops in 1..=3 {
        let folder = data.join(format!("{hops}-hop"));
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (questions, types) = (read("qa_dev.txt")?, read("qa_dev_qtype.txt")?);
        let every = (questions.lines().count() / most.max(1)).max(1);
        let lines = questions
            .lines()
            .zip(types.lines())
            .step_by(every)
            .take(most);
        for (question, kind) in lines {
            let question = question.split('\t').next().unwrap_or_default();
            let topic = question
                .split_once('[')
                .and_then(|(_, rest)| rest.rsplit_once(']'));
            let topic = topic.map_or("", |(topic, _)| topic);
            let [topic] = lattice.called(topic).instances[..] else {
                return Err(format!("{question}: not one instance is called so").into());
            };
            let words: Vec<&str> = kind.trim().split("_to_").collect();
            let path = words.windows(2).map(|step| hop(step, lattice));
            let path = path
                .collect::<Option<Vec<_>>>()
                .ok_or_else(|| format!("{kind}: no path"))?;
            chains.push(Chain { topic, path });
        }
    }
    Ok(chains)
}

fn hop(step: &[&str], lattice: &Lattice) -> Option<DimensionId> {
    let (word, backward) = match step {
        ["movie", word] => (word, false),
        [word, "movie"] => (word, true),
        _ => return None,
    };
    let (_, relation) = WORDS.iter().find(|(known, _)| known == word)?;
    let d = lattice.find_dimension(relation)?;
    if backward {
        lattice.dimension(d).inverse
    } else {
        Some(d)
    }
}

/// Chains that reach something: a topic with equal chances, then at each hop one
/// of the dimensions that the thing at hand has, and one of its values.
pub fn drawn(most: usize, lattice: &Lattice) -> Vec<Chain> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let dimensions: Vec<DimensionId> = (0..lattice.dimensions().len())
        .map(|d| DimensionId(d as u16))
        .filter(|d| lattice.dimension(*d).is_entity() && lattice.dimension(*d).inverse.is_some())
        .collect();
    let mut chains = Vec::new();
    if lattice.instance_count() == 0 {
        return chains;
    }
    for hops in 1..=3 {
        let mut found = 0;
        while found < most {
            let topic = InstanceId(draw(lattice.instance_count() as usize) as u32);
            let (mut at, mut path) = (topic, Vec::new());
            while path.len() < hops {
                let has = |d: &&DimensionId| !lattice.positive(**d).of(at).is_empty();
                let open: Vec<&DimensionId> = dimensions.iter().filter(has).collect();
                let Some(&&d) = open.get(draw(open.len())) else {
                    break;
                };
                let values = lattice.positive(d).of(at).values();
                at = InstanceId(values[draw(values.len())]);
                path.push(d);
            }
            if path.len() == hops {
                chains.push(Chain { topic, path });
                found += 1;
            }
        }
    }
    chains
}
