//! A lattice against a naive model: maps of strings, filled by the same statements.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Name and id of the instances that statements speak of.
const PEOPLE: [(&str, &str); 8] = [
    ("Ada", "Ada"),
    ("ada", "q2"),
    ("Bob", "b1"),
    ("Bob", "b2"),
    ("ÉRIC", "ÉRIC"),
    ("Zoë Quinn", "Zoë Quinn"),
    ("b1 x", "a0"),
    ("ada l", "ada l"),
];
const WORDS: [&str; 6] = ["Bob", "BOB", "Countess", "countess", "éric", "ada l"];
const TERMS: [&str; 6] = ["Animal", "animal", "bird", "fish", "mammal", "whale"];
const SYNONYMS: [&str; 4] = ["Bird", "fowl", "FOWL", "orca"];
const NUMBERS: [&str; 5] = ["-3", "0.5", "0.5..2", "2", "10..11"];
const DATES: [&str; 4] = ["-0012-11-29", "1914", "1914-12", "1914-12-14"];
const TEXTS: [&str; 4] = ["", "b", "a\nb", "日本"];
const DIMENSIONS: [&str; 8] = [
    "species", "parent", "child", "borders", "size", "born", "note", "tag",
];

#[derive(Clone, Debug)]
enum Statement {
    Fact {
        subject: usize,
        dimension: usize,
        value: usize,
        denied: bool,
        confidence: f64,
        source: (usize, usize),
    },
    Alias(usize, usize),
    /// Upper is the one of the smaller place, so that there is no cycle.
    Edge(usize, usize),
    Synonym(usize, usize),
    Instance(usize),
}

fn statement() -> impl Strategy<Value = Statement> {
    let fact = (
        0..PEOPLE.len(),
        0..DIMENSIONS.len(),
        0usize..8,
        prop::bool::weighted(0.2),
        prop::sample::select(vec![1.0, 1.0, 0.5, 0.25, 0.0]),
        (0usize..3, 0usize..4),
    )
        .prop_map(
            |(subject, dimension, value, denied, confidence, source)| Statement::Fact {
                subject,
                dimension,
                value,
                denied,
                confidence,
                source,
            },
        );
    prop_oneof![
        8 => fact,
        1 => (0..PEOPLE.len(), 0..WORDS.len()).prop_map(|(i, w)| Statement::Alias(i, w)),
        1 => (0..TERMS.len(), 0..TERMS.len()).prop_map(|(a, b)| Statement::Edge(a, b)),
        1 => (0..TERMS.len(), 0..SYNONYMS.len()).prop_map(|(t, w)| Statement::Synonym(t, w)),
        1 => (0..PEOPLE.len()).prop_map(Statement::Instance),
    ]
}

fn statements() -> impl Strategy<Value = Vec<Statement>> {
    prop::collection::vec(statement(), 0..60)
}

fn specs() -> Vec<DimensionSpec> {
    let entity = || KindSpec::Entity { within: None };
    vec![
        DimensionSpec {
            multiplicity: Some(Multiplicity::One),
            aka: vec!["kind of animal".into(), "Kind".into()],
            ..DimensionSpec::new("species", KindSpec::Taxonomy)
        },
        DimensionSpec {
            inverse: Some("child".into()),
            ..DimensionSpec::new("parent", entity())
        },
        DimensionSpec {
            inverse: Some("borders".into()),
            complete: true,
            ..DimensionSpec::new(
                "borders",
                KindSpec::Entity {
                    within: Some("parent".into()),
                },
            )
        },
        DimensionSpec::new(
            "size",
            KindSpec::Number {
                unit: Some("km".into()),
            },
        ),
        DimensionSpec::new("born", KindSpec::Date),
        DimensionSpec::new("note", KindSpec::Text),
        DimensionSpec::new("tag", KindSpec::Taxonomy),
    ]
}

fn declare(builder: &mut Builder) {
    for spec in specs() {
        let key = builder.declare_dimension(spec.clone()).unwrap();
        if spec.kind == KindSpec::Taxonomy {
            TERMS
                .iter()
                .for_each(|term| builder.add_value(key, term).unwrap());
        }
    }
    builder
        .add_unit("km", Decimal::parse("1000").unwrap(), "m")
        .unwrap();
}

fn person(builder: &mut Builder, at: usize) -> InstKey {
    let (name, id) = PEOPLE[at];
    builder.instance(Who::Both { name, id }).unwrap()
}

fn source_text(line: usize) -> String {
    format!("line {line} says so")
}

fn tell(builder: &mut Builder, statement: &Statement) {
    match *statement {
        Statement::Fact {
            subject,
            dimension,
            value,
            denied,
            confidence,
            source: (doc, line),
        } => {
            let subject = person(builder, subject);
            let d = builder.dimension(DIMENSIONS[dimension]).unwrap();
            let source = builder
                .source(
                    &source_text(line),
                    &format!("d{doc}"),
                    Some((1, 2)),
                    Some(line as u64),
                )
                .unwrap();
            let value = match builder.spec(d).kind {
                KindSpec::Taxonomy => FactValue::Term(TERMS[value % TERMS.len()]),
                KindSpec::Entity { .. } => FactValue::Instance(person(builder, value)),
                KindSpec::Number { .. } => FactValue::Number(number(value)),
                KindSpec::Date => FactValue::Date(date(value)),
                KindSpec::Text => FactValue::Text(TEXTS[value % TEXTS.len()]),
            };
            builder
                .add_fact(subject, d, value, denied, confidence, source)
                .unwrap();
        }
        Statement::Alias(i, word) => {
            let i = person(builder, i);
            builder.add_alias(i, WORDS[word]).unwrap();
        }
        Statement::Edge(a, b) if a != b => {
            let d = builder.dimension("species").unwrap();
            builder
                .add_edge(d, TERMS[a.min(b)], TERMS[a.max(b)])
                .unwrap();
        }
        Statement::Edge(..) => {}
        Statement::Synonym(term, word) => {
            let d = builder.dimension("species").unwrap();
            builder.add_synonym(d, TERMS[term], SYNONYMS[word]).unwrap();
        }
        Statement::Instance(i) => {
            person(builder, i);
        }
    }
}

fn number(value: usize) -> NumberInterval {
    NumberInterval::parse(NUMBERS[value % NUMBERS.len()]).unwrap()
}

fn date(value: usize) -> DateInterval {
    DateInterval::parse(DATES[value % DATES.len()]).unwrap()
}

fn frozen(statements: &[Statement]) -> Lattice {
    let mut builder = Builder::new();
    declare(&mut builder);
    statements
        .iter()
        .for_each(|statement| tell(&mut builder, statement));
    builder.freeze().unwrap()
}

/// A value with instances by their (name, id), so that its order is the canonical one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Term(String),
    Instance(String, String),
    Number(NumberInterval),
    Date(DateInterval),
    Text(String),
}

type Sources = BTreeMap<(String, u64), f64>;
type Facts = BTreeMap<(String, String), BTreeMap<Plain, Sources>>;

#[derive(Default)]
struct Model {
    people: BTreeSet<(String, String)>,
    aliases: BTreeSet<(String, String)>,
    facts: BTreeMap<(String, bool), Facts>,
    edges: BTreeSet<(String, String)>,
    synonyms: BTreeMap<String, BTreeSet<String>>,
}

impl Model {
    fn of(statements: &[Statement]) -> Model {
        let mut model = Model::default();
        statements
            .iter()
            .for_each(|statement| model.tell(statement));
        model
    }

    fn person(&mut self, at: usize) -> (String, String) {
        let person = (PEOPLE[at].0.to_owned(), PEOPLE[at].1.to_owned());
        self.people.insert(person.clone());
        person
    }

    fn tell(&mut self, statement: &Statement) {
        match *statement {
            Statement::Fact {
                subject,
                dimension,
                value,
                denied,
                confidence,
                source,
            } => {
                let subject = self.person(subject);
                let d = DIMENSIONS[dimension];
                let inverse = match d {
                    "parent" => Some("child"),
                    "child" => Some("parent"),
                    "borders" => Some("borders"),
                    _ => None,
                };
                let value = match d {
                    "species" | "tag" => Plain::Term(TERMS[value % TERMS.len()].into()),
                    "size" => Plain::Number(number(value)),
                    "born" => Plain::Date(date(value)),
                    "note" => Plain::Text(TEXTS[value % TEXTS.len()].into()),
                    _ => {
                        let (name, id) = self.person(value);
                        Plain::Instance(name, id)
                    }
                };
                let source = (format!("d{}", source.0), source.1 as u64);
                if let (Some(e), Plain::Instance(name, id)) = (inverse, &value) {
                    let back = Plain::Instance(subject.0.clone(), subject.1.clone());
                    let of = (name.clone(), id.clone());
                    self.put(e, denied, of, back, source.clone(), confidence);
                }
                self.put(d, denied, subject, value, source, confidence);
            }
            Statement::Alias(i, word) => {
                let (name, id) = self.person(i);
                if name != WORDS[word] {
                    self.aliases.insert((id, WORDS[word].to_owned()));
                }
            }
            Statement::Edge(a, b) if a != b => {
                self.edges
                    .insert((TERMS[a.min(b)].into(), TERMS[a.max(b)].into()));
            }
            Statement::Edge(..) => {}
            Statement::Synonym(term, word) => {
                let words = self.synonyms.entry(TERMS[term].into()).or_default();
                words.insert(SYNONYMS[word].to_owned());
            }
            Statement::Instance(i) => {
                self.person(i);
            }
        }
    }

    fn put(
        &mut self,
        d: &str,
        denied: bool,
        subject: (String, String),
        value: Plain,
        source: (String, u64),
        confidence: f64,
    ) {
        let facts = self.facts.entry((d.to_owned(), denied)).or_default();
        let sources = facts.entry(subject).or_default().entry(value).or_default();
        let most = sources.entry(source).or_insert(confidence);
        *most = most.max(confidence);
    }

    /// Ids of those called so, and the level.
    fn called(&self, word: &str) -> (Level, Vec<String>) {
        let by_name = |test: &dyn Fn(&str) -> bool| -> Vec<String> {
            self.people
                .iter()
                .filter(|(name, _)| test(name))
                .map(|(_, id)| id.clone())
                .collect()
        };
        let by_alias = |test: &dyn Fn(&str) -> bool| -> Vec<String> {
            let has = |id: &str| self.aliases.iter().any(|(i, alias)| i == id && test(alias));
            self.people
                .iter()
                .filter(|(_, id)| has(id))
                .map(|(_, id)| id.clone())
                .collect()
        };
        let folded = |text: &str| fold(text) == fold(word);
        let levels = [
            (Level::Exact, by_name(&|name| name == word)),
            (Level::Folded, by_name(&folded)),
            (Level::Alias, by_alias(&|alias| alias == word)),
            (Level::Alias, by_alias(&folded)),
        ];
        let found = levels.into_iter().find(|(_, ids)| !ids.is_empty());
        found.unwrap_or((Level::None, Vec::new()))
    }

    /// Names and aliases near a word by scanning all of them.
    fn nearest(&self, word: &str) -> Vec<String> {
        let word = fold(word);
        let reach = match word.chars().count() {
            0 | 1 => 0,
            2..=4 => 1,
            _ => 2,
        };
        let names = self.people.iter().map(|(name, _)| name);
        let all: BTreeSet<&String> = names.chain(self.aliases.iter().map(|(_, a)| a)).collect();
        let mut near: Vec<(usize, &String)> = all
            .iter()
            .map(|name| (strsim::osa_distance(&fold(name), &word), *name))
            .filter(|(distance, _)| *distance <= reach && !word.is_empty())
            .collect();
        near.sort();
        let mut begin: Vec<(String, &String)> = all
            .iter()
            .map(|name| (fold(name), *name))
            .filter(|(f, _)| f.starts_with(&word))
            .collect();
        begin.sort();
        let mut names: Vec<String> = near.into_iter().map(|(_, name)| name.clone()).collect();
        for (_, name) in begin {
            if !word.is_empty() && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names.truncate(5);
        names
    }
}

fn plain(lattice: &Lattice, d: DimensionId, v: u32) -> Plain {
    match lattice.value(d, ValueId(v)) {
        Value::Term(name) => Plain::Term(name),
        Value::Instance(i) => Plain::Instance(lattice.name(i).to_owned(), lattice.id(i).to_owned()),
        Value::Number(n) => Plain::Number(n),
        Value::Date(d) => Plain::Date(d),
        Value::Text(text) => Plain::Text(text),
    }
}

fn agree_on_relation(lattice: &Lattice, d: DimensionId, relation: Relation<'_>, facts: &Facts) {
    let mut read: Facts = BTreeMap::new();
    let mut multiple = BTreeSet::new();
    let mut least = 1.0f64;
    let mut holders: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let subjects: Vec<u32> = relation.rows().map(|(i, _)| i.0).collect();
    assert!(relation.subjects().into_iter().eq(subjects.iter().copied()));
    assert_eq!(relation.subject_count(), subjects.len());
    for (InstanceId(i), row) in relation.rows() {
        assert_eq!(row, relation.of(InstanceId(i)));
        assert!(row.values().is_sorted_by(|a, b| a < b));
        let subject = (
            lattice.name(InstanceId(i)).to_owned(),
            lattice.id(InstanceId(i)).to_owned(),
        );
        if row.len() > 1 {
            multiple.insert(i);
        }
        for (k, &v) in row.values().iter().enumerate() {
            let p = row.predicate(k);
            assert_eq!(row.find(ValueId(v)), Some(p));
            assert_eq!(relation.subject(p), Some(InstanceId(i)));
            assert_eq!(relation.value(p), Some(ValueId(v)));
            holders.entry(v).or_default().push(i);
            let mut sources = Sources::new();
            let mut before = None;
            let mut most = 0.0f64;
            for (e, confidence) in relation.sources(p) {
                assert!(before < Some(e));
                before = Some(e);
                most = most.max(confidence);
                let evidence = lattice.evidence(e).unwrap();
                let line = evidence.line.unwrap();
                assert_eq!(evidence.text, source_text(line as usize));
                assert_eq!(evidence.range, Some((1, 2)));
                sources.insert((evidence.document, line), confidence);
            }
            assert_eq!(relation.confidence(p), most);
            least = least.min(most);
            let of = read.entry(subject.clone()).or_default();
            assert!(of.keys().next_back() < Some(&plain(lattice, d, v)));
            of.insert(plain(lattice, d, v), sources);
        }
    }
    assert_eq!(&read, facts);
    assert!(subjects.is_sorted_by(|a, b| a < b));
    assert_eq!(relation.least_confidence(), least);
    assert_eq!(
        relation.multiple().iter().collect::<BTreeSet<_>>(),
        multiple
    );
    assert_eq!(
        relation.len(),
        facts.values().map(BTreeMap::len).sum::<usize>()
    );
    assert_eq!(relation.is_empty(), facts.is_empty());
    assert_eq!(
        relation.distinct_values(),
        holders.keys().copied().collect::<Vec<_>>()
    );
    for v in 0..lattice.value_count(d) as u32 + 2 {
        let expected = holders.get(&v).cloned().unwrap_or_default();
        assert_eq!(relation.holders(ValueId(v)).to_vec(), expected);
        assert_eq!(relation.holder_count(ValueId(v)), expected.len() as u64);
    }
    for i in 0..lattice.instance_count() + 2 {
        let recorded = relation.subjects().contains(i);
        assert_eq!(relation.of(InstanceId(i)).is_empty(), !recorded);
    }
}

fn agree(lattice: &Lattice, model: &Model) {
    lattice.verify_all().unwrap();
    let people: Vec<(String, String)> = (0..lattice.instance_count())
        .map(|i| {
            (
                lattice.name(InstanceId(i)).into(),
                lattice.id(InstanceId(i)).into(),
            )
        })
        .collect();
    assert_eq!(people, model.people.iter().cloned().collect::<Vec<_>>());
    for (i, (_, id)) in (0u32..).zip(&people) {
        assert_eq!(lattice.by_id(id), Some(InstanceId(i)));
        let of = |(of, alias): &(String, String)| (of == id).then(|| alias.clone());
        let aliases: Vec<String> = model.aliases.iter().filter_map(of).collect();
        assert_eq!(lattice.aliases(InstanceId(i)), aliases);
    }
    let asked = PEOPLE
        .iter()
        .flat_map(|(a, b)| [*a, *b])
        .chain(WORDS)
        .chain(["bo", "Adda", "", "x"]);
    for word in asked {
        let called = lattice.called(word);
        let (level, ids) = model.called(word);
        let found: Vec<&str> = called.instances.iter().map(|&i| lattice.id(i)).collect();
        assert_eq!(
            (called.level, found),
            (level, ids.iter().map(String::as_str).collect()),
            "{word}"
        );
        let id = people.iter().position(|(_, id)| id == word);
        assert_eq!(lattice.by_id(word).map(InstanceId::index), id);
        assert_eq!(lattice.nearest_names(word), model.nearest(word), "{word}");
    }
    let none = Facts::new();
    for (d, dimension) in (0u16..).map(DimensionId).zip(lattice.dimensions()) {
        for denied in [false, true] {
            let facts = model
                .facts
                .get(&(dimension.name.clone(), denied))
                .unwrap_or(&none);
            let relation = if denied {
                lattice.negative(d)
            } else {
                lattice.positive(d)
            };
            agree_on_relation(lattice, d, relation, facts);
        }
        assert_eq!(
            lattice.recorded_values(d),
            lattice.positive(d).distinct_values()
        );
        assert!(lattice.numbers(d).is_sorted_by(|a, b| a < b));
        assert!(lattice.dates(d).is_sorted_by(|a, b| a < b));
        assert_eq!(
            lattice.taxonomy(d).is_some(),
            dimension.kind == Kind::Taxonomy
        );
    }
    agree_on_taxonomy(lattice, model);
}

fn agree_on_taxonomy(lattice: &Lattice, model: &Model) {
    let d = lattice.find_dimension("species").unwrap();
    let taxonomy = lattice.taxonomy(d).unwrap();
    let names: Vec<&str> = (0..taxonomy.len() as u32)
        .map(|v| taxonomy.name(ValueId(v)))
        .collect();
    assert_eq!(names, TERMS);
    let mut edges = BTreeSet::new();
    for (v, name) in (0u32..).zip(&names) {
        let of = model.synonyms.get(*name).cloned().unwrap_or_default();
        assert_eq!(
            taxonomy.synonyms(ValueId(v)),
            of.into_iter().collect::<Vec<_>>()
        );
        for &parent in taxonomy.dag().parents(v) {
            edges.insert((taxonomy.name(ValueId(parent)).to_owned(), name.to_string()));
        }
    }
    assert_eq!(edges, model.edges);
    for word in TERMS
        .into_iter()
        .chain(SYNONYMS)
        .chain(["ANIMAL", "Fowl", "x", "ORCA"])
    {
        let names: Vec<u32> = (0..6u32).filter(|&v| TERMS[v as usize] == word).collect();
        let folded: Vec<u32> = (0..6u32)
            .filter(|&v| fold(TERMS[v as usize]) == fold(word))
            .collect();
        let by = |test: &dyn Fn(&String) -> bool| -> Vec<u32> {
            let of = |v: &u32| {
                model
                    .synonyms
                    .get(TERMS[*v as usize])
                    .is_some_and(|s| s.iter().any(test))
            };
            (0..6u32).filter(of).collect()
        };
        let levels = [
            names,
            folded,
            by(&|s| s == word),
            by(&|s| fold(s) == fold(word)),
        ];
        let expected = levels
            .into_iter()
            .find(|level| !level.is_empty())
            .unwrap_or_default();
        let found: Vec<u32> = taxonomy.find(word).into_iter().map(|v| v.0).collect();
        assert_eq!(found, expected, "{word}");
    }
}

/// A hash of the bytes, which fits into a message where they do not.
fn bytes_of(lattice: &Lattice) -> blake3::Hash {
    blake3::hash(lattice.as_bytes())
}

proptest! {
    #[test]
    fn a_lattice_says_what_it_was_told(statements in statements()) {
        let model = Model::of(&statements);
        let lattice = frozen(&statements);
        agree(&lattice, &model);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lattice");
        lattice.save(&path).unwrap();
        let opened = Lattice::open(&path).unwrap();
        agree(&opened, &model);
        prop_assert_eq!(opened.as_bytes(), lattice.as_bytes());
        prop_assert_eq!(opened.content_hash(), lattice.content_hash());
        prop_assert_eq!(opened.counts(), lattice.counts());
        prop_assert_eq!(opened.dimensions(), lattice.dimensions());
        prop_assert_eq!(opened.documents(), lattice.documents());
        prop_assert_eq!(opened.units(), lattice.units());
        let again = Builder::from_lattice(&opened).unwrap().freeze().unwrap();
        prop_assert_eq!(bytes_of(&again), bytes_of(&lattice));
    }

    #[test]
    fn order_changes_neither_hash_nor_bytes(
        (statements, shuffled) in statements().prop_flat_map(|s| (Just(s.clone()), Just(s).prop_shuffle())),
        repeated in 0usize..5,
    ) {
        let lattice = frozen(&statements);
        let again: Vec<Statement> = shuffled.iter().chain(shuffled.iter().take(repeated)).cloned().collect();
        let other = frozen(&again);
        prop_assert_eq!(lattice.content_hash(), other.content_hash());
        prop_assert_eq!(bytes_of(&lattice), bytes_of(&other));
    }

    #[test]
    fn another_content_has_another_hash(a in statements(), b in statements(), one in statement()) {
        let more: Vec<Statement> = a.iter().cloned().chain([one]).collect();
        for b in [b, more] {
            let (a, b) = (frozen(&a), frozen(&b));
            prop_assert_eq!(a.content_hash() == b.content_hash(), bytes_of(&a) == bytes_of(&b));
        }
    }

    #[test]
    fn a_retracted_document_leaves_no_trace(statements in statements()) {
        let about = |statement: &Statement| matches!(statement, Statement::Fact { source: (1, _), .. });
        // A statement that leaves nothing but an instance is not remembered as such.
        let declared = |statement: &Statement| match *statement {
            Statement::Instance(_) => false,
            Statement::Alias(i, word) => PEOPLE[i].0 != WORDS[word],
            _ => true,
        };
        let statements: Vec<Statement> = statements.into_iter().filter(declared).collect();
        let mut builder = Builder::new();
        declare(&mut builder);
        statements.iter().for_each(|statement| tell(&mut builder, statement));
        let count = statements.iter().filter(|s| about(s)).count();
        prop_assert_eq!(builder.retract_document("d1"), count);
        let rest: Vec<Statement> = statements.into_iter().filter(|s| !about(s)).collect();
        prop_assert_eq!(bytes_of(&builder.freeze().unwrap()), bytes_of(&frozen(&rest)));
    }

    #[test]
    fn a_rollback_leaves_no_trace(
        kept in statements(),
        dropped in statements(),
        more in statements(),
        retracts in any::<bool>(),
    ) {
        let mut builder = Builder::new();
        declare(&mut builder);
        kept.iter().for_each(|statement| tell(&mut builder, statement));
        let outer = builder.checkpoint();
        let entity = |inverse: &str| DimensionSpec {
            inverse: Some(inverse.into()),
            ..DimensionSpec::new("friend", KindSpec::Entity { within: None })
        };
        builder.declare_dimension(entity("friend")).unwrap();
        builder.declare_dimension(DimensionSpec {
            aka: vec!["notes".into()],
            ..DimensionSpec::new("note", KindSpec::Text)
        }).unwrap();
        builder.add_unit("mi", Decimal::parse("1609.344").unwrap(), "m").unwrap();
        let inner = builder.checkpoint();
        dropped.iter().for_each(|statement| tell(&mut builder, statement));
        if retracts {
            builder.retract_document("d1");
            more.iter().for_each(|statement| tell(&mut builder, statement));
            builder.retract_document("d0");
        }
        builder.rollback(inner);
        dropped.iter().for_each(|statement| tell(&mut builder, statement));
        builder.rollback(outer);
        prop_assert!(builder.dimension("friend").is_none());
        prop_assert_eq!(bytes_of(&builder.freeze().unwrap()), bytes_of(&frozen(&kept)));
        more.iter().for_each(|statement| tell(&mut builder, statement));
        let all: Vec<Statement> = kept.into_iter().chain(more).collect();
        prop_assert_eq!(bytes_of(&builder.freeze().unwrap()), bytes_of(&frozen(&all)));
    }
}
