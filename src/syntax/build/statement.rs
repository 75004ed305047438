//! Statements, and the declarations among them.

use super::Builder;
use crate::syntax::amount::{Amount, classify};
use crate::syntax::diagnostic::{Code, Diagnostic};
use crate::syntax::foreign;
use crate::syntax::grammar::{Pair, Rule};
use crate::syntax::tree::{
    Across, Chain, Column, Defect, DefectKind, DimensionDeclaration, Expectation, KindDeclaration,
    Load, LoadForm, Name, OrderWord, Showing, Span, StatementKind, Term,
};

/// The first part with this rule.
fn part<'p>(pair: &Pair<'p>, rule: Rule) -> Option<Pair<'p>> {
    pair.clone()
        .into_inner()
        .find(|part| part.as_rule() == rule)
}

impl Builder<'_> {
    pub(super) fn statement(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        Some(match pair.as_rule() {
            Rule::fact => StatementKind::Fact(self.fact(pair)?),
            Rule::query => StatementKind::Query(self.query(pair)?),
            Rule::let_statement => self.let_statement(&pair)?,
            Rule::expect => {
                StatementKind::Expect(self.expectation(part(&pair, Rule::expectation)?)?)
            }
            Rule::wording => self.wording(pair)?,
            Rule::dimension => StatementKind::Dimension(self.dimension(pair)?),
            Rule::synonym => self.synonym(pair)?,
            Rule::alias => StatementKind::Alias {
                words: self.names(part(&pair, Rule::name_list)?)?,
                instance: self.subject(part(&pair, Rule::subject)?)?,
            },
            Rule::instance => StatementKind::Instance {
                instance: self.subject(part(&pair, Rule::subject)?)?,
                aka: match part(&pair, Rule::name_list) {
                    Some(list) => self.names(list)?,
                    None => Vec::new(),
                },
            },
            Rule::unit_statement => self.unit(pair)?,
            Rule::defect => StatementKind::Defect(self.defect(pair)?),
            Rule::retract => StatementKind::Retract {
                from: self.literal(part(&pair, Rule::literal)?)?,
            },
            Rule::explain => StatementKind::Explain(self.query(part(&pair, Rule::query)?)?),
            Rule::check => StatementKind::Check(self.name(part(&pair, Rule::name)?)?),
            Rule::width => StatementKind::Width(self.name(part(&pair, Rule::name)?)?),
            Rule::independence => {
                let mut both = pair
                    .into_inner()
                    .filter(|part| part.as_rule() == Rule::name);
                StatementKind::Independence(self.name(both.next()?)?, self.name(both.next()?)?)
            }
            Rule::concepts => StatementKind::Concepts(self.across(&pair)?),
            Rule::implications => StatementKind::Implications(self.across(&pair)?),
            Rule::suggest => StatementKind::Suggest(self.query(part(&pair, Rule::query)?)?),
            Rule::show => StatementKind::Show(self.showing(pair)?),
            Rule::describe => StatementKind::Describe(self.subject(part(&pair, Rule::subject)?)?),
            Rule::open => self.open(pair)?,
            Rule::use_statement => StatementKind::Use(self.path(part(&pair, Rule::path)?)?),
            Rule::load => StatementKind::Load(self.load(pair)?),
            Rule::pattern => self.pattern(pair)?,
            Rule::foreign_statement => {
                let inner = pair.into_inner().next()?;
                let span = self.span(&inner);
                let rule = format!("{:?}", inner.as_rule());
                self.report(foreign::statement(&rule, inner.as_str(), span));
                return None;
            }
            _ => return None,
        })
    }

    fn across(&mut self, pair: &Pair<'_>) -> Option<Across> {
        Some(Across {
            dimensions: self.names(part(pair, Rule::name_list)?)?,
            support: part(pair, Rule::support)
                .and_then(|support| part(&support, Rule::digits))
                .map(|digits| digits.as_str().to_owned()),
        })
    }

    fn let_statement(&mut self, pair: &Pair<'_>) -> Option<StatementKind> {
        let name = self.name(part(pair, Rule::name)?)?;
        let query = match part(pair, Rule::query) {
            Some(query) => self.query(query)?,
            None => self.parenthesised(part(pair, Rule::parenthesised)?)?,
        };
        Some(StatementKind::Let { name, query })
    }

    fn wording(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        Some(StatementKind::Wording {
            dimension: self.name(part(&pair, Rule::name)?)?,
            aka: self.names(part(&pair, Rule::name_list)?)?,
        })
    }

    fn synonym(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        let words = self.names(part(&pair, Rule::name_list)?)?;
        let mut names = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::name);
        let (value, dimension) = (names.next()?, names.next()?);
        Some(StatementKind::Synonym {
            words,
            value: self.name(value)?,
            dimension: self.name(dimension)?,
        })
    }

    fn unit(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        let number = part(&pair, Rule::numeric)?;
        let span = self.span(&number);
        let factor = match classify(number.as_str(), span) {
            Ok(Amount::Number(text)) => text,
            Ok(Amount::Date(text)) => {
                self.report(
                    Diagnostic::error(Code::E014, format!("`{text}` is a date, not a factor"))
                        .label(span, "a number is needed"),
                );
                return None;
            }
            Err(diagnostic) => {
                self.report(*diagnostic);
                return None;
            }
        };
        let mut names = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::name);
        let (name, base) = (names.next()?, names.next()?);
        Some(StatementKind::Unit {
            name: self.name(name)?,
            factor,
            base: self.name(base)?,
        })
    }

    fn defect(&mut self, pair: Pair<'_>) -> Option<Defect> {
        let dimension = self.name(part(&pair, Rule::name)?)?;
        let (mut kind, mut source) = (None, None);
        for part in pair.into_inner() {
            let rule = part.as_rule();
            if rule == Rule::source {
                source = Some(self.source(part)?);
                continue;
            }
            if !matches!(
                rule,
                Rule::defect_cycle | Rule::defect_undefined | Rule::defect_duplicate
            ) {
                continue;
            }
            let mut names = part
                .into_inner()
                .filter(|part| part.as_rule() == Rule::name);
            let first = self.name(names.next()?)?;
            kind = Some(match rule {
                Rule::defect_cycle => DefectKind::Cycle {
                    upper: first,
                    lower: self.name(names.next()?)?,
                },
                Rule::defect_undefined => DefectKind::Undefined {
                    term: first,
                    user: self.name(names.next()?)?,
                },
                _ => DefectKind::Duplicate { term: first },
            });
        }
        Some(Defect {
            dimension,
            kind: kind?,
            source,
        })
    }

    fn showing(&mut self, pair: Pair<'_>) -> Option<Showing> {
        let inner = pair
            .into_inner()
            .find(|part| part.as_rule() != Rule::k_show)?;
        Some(match inner.as_rule() {
            Rule::k_dimensions => Showing::Dimensions,
            Rule::k_instances => Showing::Instances,
            Rule::k_documents => Showing::Documents,
            _ => Showing::Dimension(self.name(inner)?),
        })
    }

    fn open(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        let mut texts = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::literal);
        let file = texts.next()?;
        let file_span = self.span(&file);
        Some(StatementKind::Open {
            file: self.literal(file)?,
            at: match texts.next() {
                Some(at) => Some(self.literal(at)?),
                None => None,
            },
            file_span,
        })
    }

    fn pattern(&mut self, pair: Pair<'_>) -> Option<StatementKind> {
        let inner = pair
            .into_inner()
            .find(|part| part.as_rule() != Rule::k_pattern)?;
        let wording = self.literal(part(&inner, Rule::literal)?)?;
        self.in_pattern = true;
        if let Some(query) = part(&inner, Rule::query) {
            return Some(StatementKind::PatternQuestion {
                wording,
                query: self.query(query)?,
            });
        }
        let facts = inner
            .into_inner()
            .filter(|part| part.as_rule() == Rule::fact);
        let facts: Option<Vec<_>> = facts.map(|fact| self.fact(fact)).collect();
        Some(StatementKind::PatternText {
            wording,
            facts: facts?,
        })
    }

    fn expectation(&mut self, pair: Pair<'_>) -> Option<Expectation> {
        let inner = pair.into_inner().next()?;
        Some(match inner.as_rule() {
            Rule::braces => Expectation::Set(self.elements(inner)?),
            Rule::k_true => Expectation::Truth(true),
            Rule::k_false => Expectation::Truth(false),
            Rule::k_less => Expectation::Order(OrderWord::Less),
            Rule::k_greater => Expectation::Order(OrderWord::Greater),
            Rule::k_equal => Expectation::Order(OrderWord::Equal),
            Rule::k_incomparable => Expectation::Order(OrderWord::Incomparable),
            Rule::expect_count => {
                Expectation::Count(part(&inner, Rule::digits)?.as_str().to_owned())
            }
            Rule::expect_rows => Expectation::Rows(self.rows(inner)?),
            Rule::expect_abstain => Expectation::Abstain(match part(&inner, Rule::name) {
                Some(code) => Some(self.name(code)?),
                None => None,
            }),
            _ => return None,
        })
    }

    fn rows(&mut self, pair: Pair<'_>) -> Option<Vec<Vec<Option<Term>>>> {
        let mut rows = Vec::new();
        for row in pair.into_inner() {
            match row.as_rule() {
                Rule::trailing_comma => self.trailing_comma(&row),
                Rule::row => rows.push(self.row(row)?),
                _ => {}
            }
        }
        Some(rows)
    }

    fn row(&mut self, pair: Pair<'_>) -> Option<Vec<Option<Term>>> {
        let mut cells = Vec::new();
        for cell in pair.into_inner() {
            if cell.as_rule() == Rule::trailing_comma {
                self.trailing_comma(&cell);
                continue;
            }
            cells.push(match cell.into_inner().next()? {
                null if null.as_rule() == Rule::k_null => None,
                term => Some(self.term(term)?),
            });
        }
        Some(cells)
    }

    fn dimension(&mut self, pair: Pair<'_>) -> Option<DimensionDeclaration> {
        let mut declared = DimensionDeclaration {
            name: self.name(part(&pair, Rule::name)?)?,
            kind: KindDeclaration::Text,
            one: None,
            complete: false,
            strict: false,
            inverse: None,
            aka: Vec::new(),
            chains: Vec::new(),
        };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::kind => declared.kind = kind_of(part.into_inner().next()?.as_rule())?,
                Rule::flag => self.flag(part, &mut declared)?,
                Rule::chains => self.chains(part, &mut declared)?,
                _ => {}
            }
        }
        Some(declared)
    }

    fn flag(&mut self, pair: Pair<'_>, declared: &mut DimensionDeclaration) -> Option<()> {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let word = parts.next()?;
        let twice = match word.as_rule() {
            Rule::k_one => declared.one.replace(true).is_some(),
            Rule::k_many => declared.one.replace(false).is_some(),
            Rule::k_complete => std::mem::replace(&mut declared.complete, true),
            Rule::k_strict => {
                if !matches!(declared.kind, KindDeclaration::Taxonomy) {
                    self.unfit(&word, "TAXONOMY", "is checked");
                }
                std::mem::replace(&mut declared.strict, true)
            }
            Rule::k_inverse => {
                if !matches!(declared.kind, KindDeclaration::Entity { .. }) {
                    self.unfit(&word, "ENTITY", "has two directions");
                }
                declared
                    .inverse
                    .replace(self.name(parts.next()?)?)
                    .is_some()
            }
            Rule::k_within => {
                let name = self.name(parts.next()?)?;
                match &mut declared.kind {
                    KindDeclaration::Entity { within } => within.replace(name).is_some(),
                    _ => self.unfit(&word, "ENTITY", "is ordered by a relation"),
                }
            }
            Rule::k_unit => {
                let name = self.name(parts.next()?)?;
                match &mut declared.kind {
                    KindDeclaration::Number { unit } => unit.replace(name).is_some(),
                    _ => self.unfit(&word, "NUMBER", "has a unit"),
                }
            }
            Rule::k_aka => {
                let names = self.names(parts.next()?)?;
                declared.aka.extend(names);
                false
            }
            _ => return None,
        };
        if twice {
            self.report(
                Diagnostic::error(Code::E024, "a DIMENSION says this once")
                    .label(span, "a second time")
                    .help("ONE and MANY exclude each other; every other flag stands once"),
            );
        }
        Some(())
    }

    fn unfit(&mut self, word: &Pair<'_>, kind: &str, why: &str) -> bool {
        let span = self.span(word);
        let flag = word.as_str().to_uppercase();
        self.report(
            Diagnostic::error(
                Code::E024,
                format!("{flag} does not fit this kind of dimension"),
            )
            .label(span, "does not fit")
            .help(format!("only a dimension of kind {kind} {why}")),
        );
        false
    }

    fn chains(&mut self, pair: Pair<'_>, declared: &mut DimensionDeclaration) -> Option<()> {
        let span = self.span(&pair);
        let first = part(&pair, Rule::chain)?;
        if !matches!(declared.kind, KindDeclaration::Taxonomy) {
            let word = first
                .as_str()
                .split_whitespace()
                .next()
                .unwrap_or("")
                .to_owned();
            self.no_taxonomy(&word, Span::new(span.start, span.start + word.len()));
            return Some(());
        }
        for chain in pair.into_inner() {
            let first = declared.chains.is_empty();
            let chain = self.chain(chain)?;
            if chain.upper.is_empty() {
                self.flat_chain(&chain, first);
            }
            declared.chains.push(chain);
        }
        Some(())
    }

    fn no_taxonomy(&mut self, word: &str, span: Span) {
        if let Some(meant) = crate::syntax::failure::nearest(word, &crate::syntax::failure::flags())
        {
            self.report(
                Diagnostic::error(Code::E011, format!("`{word}` is no flag of DIMENSION"))
                    .label(span, format!("`{meant}` is meant?"))
                    .help(format!("did you mean `{meant}`?"))
                    .fix(span, meant),
            );
            return;
        }
        self.report(
            Diagnostic::error(
                Code::E024,
                format!("`{word}` reads as a value, and only a TAXONOMY lists values"),
            )
            .label(span, "a value")
            .help("the flags are ONE, MANY, COMPLETE, STRICT, INVERSE, WITHIN, UNIT and AKA"),
        );
    }

    /// A line without `>` comes first or not at all.
    fn flat_chain(&mut self, chain: &Chain, first: bool) {
        if !first {
            self.report(
                Diagnostic::error(Code::E019, "this line of the taxonomy has no `>`")
                    .label(chain.span, "below which value?")
                    .help(
                        "write `above > below`; values at the top are one list and come first, \
                         and a list goes on over a line's end only behind a comma",
                    ),
            );
            return;
        }
        if let [only] = chain.last.as_slice()
            && !only.quoted
            && let Some(meant) =
                crate::syntax::failure::nearest(&only.text, &crate::syntax::failure::flags())
        {
            self.report(
                Diagnostic::warning(
                    Code::W001,
                    format!("`{}` is read as a value of the taxonomy", only.text),
                )
                .label(only.span, format!("`{meant}` is meant?"))
                .help("if the value is meant, quote it"),
            );
        }
    }

    fn chain(&mut self, pair: Pair<'_>) -> Option<Chain> {
        let span = self.span(&pair);
        let (mut upper, mut last): (Vec<Name>, Vec<Name>) = (Vec::new(), Vec::new());
        let mut fault = None;
        for part in pair.into_inner() {
            let place = self.span(&part);
            match part.as_rule() {
                Rule::link => {
                    if part.into_inner().next()?.as_rule() != Rule::above {
                        continue;
                    }
                    if last.len() > 1 {
                        fault.get_or_insert(place);
                    }
                    upper.append(&mut last);
                }
                Rule::trailing_comma => self.trailing_comma(&part),
                _ => last.push(self.name(part)?),
            }
        }
        if let Some(place) = fault {
            self.report(
                Diagnostic::error(Code::E018, "a list stands only at the end of a chain")
                    .label(place, "goes on below a list")
                    .help("give every chain a line of its own: `a > b` and, on the next line, `c > d`"),
            );
        }
        Some(Chain { upper, last, span })
    }

    fn load(&mut self, pair: Pair<'_>) -> Option<Load> {
        let file = part(&pair, Rule::literal)?;
        let file_span = self.span(&file);
        let mut load = Load {
            form: part(&pair, Rule::form).and_then(|form| form_of(&form)),
            file: self.literal(file)?,
            table: None,
            key: Vec::new(),
            columns: Vec::new(),
            omit: Vec::new(),
            one: Vec::new(),
            edges: Vec::new(),
            language: None,
            file_span,
        };
        for clause in pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::load_clause)
        {
            let inner = clause.into_inner().next()?;
            match inner.as_rule() {
                Rule::load_as => load.table = Some(self.name(part(&inner, Rule::name)?)?),
                Rule::load_key => load.key.extend(self.names(part(&inner, Rule::name_list)?)?),
                Rule::load_omit => load
                    .omit
                    .extend(self.names(part(&inner, Rule::name_list)?)?),
                Rule::load_one => load.one.extend(self.names(part(&inner, Rule::name_list)?)?),
                Rule::load_edges => load
                    .edges
                    .extend(self.names(part(&inner, Rule::name_list)?)?),
                Rule::load_language => {
                    load.language = Some(self.name(part(&inner, Rule::name)?)?);
                }
                Rule::load_columns => {
                    for column in inner.into_inner() {
                        match column.as_rule() {
                            Rule::column => load.columns.push(self.column(column)?),
                            Rule::trailing_comma => self.trailing_comma(&column),
                            _ => {}
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(load)
    }

    fn column(&mut self, pair: Pair<'_>) -> Option<Column> {
        let entity = match part(&pair, Rule::column_entity) {
            Some(entity) => Some(self.name(part(&entity, Rule::name)?)?),
            None => None,
        };
        let mut names = pair
            .into_inner()
            .filter(|part| part.as_rule() == Rule::name);
        let name = self.name(names.next()?)?;
        let dimension = match names.next() {
            Some(dimension) => Some(self.name(dimension)?),
            None => None,
        };
        Some(Column {
            name,
            dimension,
            entity,
        })
    }
}

fn kind_of(rule: Rule) -> Option<KindDeclaration> {
    Some(match rule {
        Rule::k_taxonomy => KindDeclaration::Taxonomy,
        Rule::k_entity => KindDeclaration::Entity { within: None },
        Rule::k_number => KindDeclaration::Number { unit: None },
        Rule::k_date => KindDeclaration::Date,
        Rule::k_text => KindDeclaration::Text,
        _ => return None,
    })
}

fn form_of(pair: &Pair<'_>) -> Option<LoadForm> {
    Some(match pair.clone().into_inner().next()?.as_rule() {
        Rule::k_triples => LoadForm::Triples,
        Rule::k_ntriples => LoadForm::NTriples,
        Rule::k_table => LoadForm::Table,
        Rule::k_jsonl => LoadForm::JsonLines,
        Rule::k_context => LoadForm::Context,
        Rule::k_lq => LoadForm::Lq,
        Rule::k_obo => LoadForm::Obo,
        Rule::k_rdf => LoadForm::Rdf,
        Rule::k_wordnet => LoadForm::WordNet,
        Rule::k_edges => LoadForm::Edges,
        _ => return None,
    })
}
