//! The tree of an LQ text: what was written, with the bytes it was written in.
//!
//! Nothing here knows a lattice: names are text, numbers and dates are tokens
//! that passed the grammar but keep their spelling. Two trees are equal when
//! they say the same, wherever they say it: spans do not take part in equality.

use serde::{Deserialize, Serialize};

/// A half-open byte range `start..end` of the source text.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// Spans say where, never what: all of them are equal.
impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Span {}
impl std::hash::Hash for Span {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}
impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Span {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Span {
    /// The span `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }
    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Self {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A comment, from `--` to the end of its line, without the line break.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The text after `--`, trimmed at its end.
    pub text: String,
    /// Whether nothing but white space stands before it on its line.
    pub own_line: bool,
    /// Where it stands.
    pub span: Span,
}

/// A whole text: statements in order, and every comment in order of position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The statements, in order.
    pub statements: Vec<Statement>,
    /// The comments, in order; the formatter weaves them back by position.
    pub comments: Vec<Comment>,
}

/// One statement and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// Its bytes, without the `;` that may end it.
    pub span: Span,
}

/// A word that names something: a dimension, a value, a variable, a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name {
    /// The text, unescaped.
    pub text: String,
    /// Whether it was quoted. A bare word names a LET first, where one is in
    /// scope; otherwise the two are the same.
    pub quoted: bool,
    /// Where it stands.
    pub span: Span,
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Term {
    /// A bare or quoted name.
    Name(Name),
    /// `@id` or `@"an id"`: exactly one instance.
    Id {
        /// The id, without `@`.
        id: String,
        /// Where it stands.
        span: Span,
    },
    /// `"springfield" @"city/springfield"`: a name together with its id, which
    /// FACT and INSTANCE use to create an instance under a chosen id.
    Named {
        /// The name.
        name: Name,
        /// The id, without `@`.
        id: String,
        /// Where both stand.
        span: Span,
    },
    /// A decimal as typed, `-12.50`, with the unit word behind it if any
    /// (`12.5 km`). Four digits may also be a year: the dimension decides.
    Number {
        /// The token.
        text: String,
        /// The unit as written.
        unit: Option<Name>,
        /// Where number and unit stand.
        span: Span,
    },
    /// A date token with at least a month, `1914-12` or `-0012-11-29`, or a
    /// signed or five-digit year. It has passed the calendar check.
    Date {
        /// The token.
        text: String,
        /// Where it stands.
        span: Span,
    },
    /// `a..b`, `..b`, `a..`: a closed interval. At least one end is there; both
    /// ends are numbers or both are dates.
    Range {
        /// The lower end.
        low: Option<Box<Term>>,
        /// The upper end.
        high: Option<Box<Term>>,
        /// Where it stands.
        span: Span,
    },
    /// `$x`: bound by the caller, as a value.
    Parameter {
        /// The name without `$`.
        name: String,
        /// Where it stands.
        span: Span,
    },
    /// `{x}` inside a PATTERN, with the kind after a colon if any.
    Hole {
        /// The name of the hole.
        name: String,
        /// `DATE` in `{d:DATE}`.
        kind: Option<String>,
        /// Where it stands.
        span: Span,
    },
}

/// Dimension names joined by dots: `directed_by.born`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path {
    /// One or more steps. A single step `name` is the built-in dimension.
    pub steps: Vec<Name>,
    /// Where it stands.
    pub span: Span,
}

/// The operator between a path and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operator {
    /// `=`: the value is this or more specific.
    Is,
    /// `!=`: NOT of `=`.
    IsNot,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

/// A set as written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SetExpression {
    /// `{a, b}`; may be empty only in EXPECT.
    Elements {
        /// The elements, as written.
        elements: Vec<Term>,
        /// Where the braces stand.
        span: Span,
    },
    /// A bare word that should name a LET.
    Variable(Name),
    /// `(MEET …)` or `(COMPARE MAX …)`.
    Query {
        /// The query inside the parentheses.
        query: Box<Query>,
        /// Where the parentheses stand.
        span: Span,
    },
    /// `a..b` after IN.
    Range(Term),
    /// `$x` after IN: bound by the caller, to one value or to several.
    Parameter {
        /// The name without `$`.
        name: String,
        /// Where it stands.
        span: Span,
    },
}

/// What stands right of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operand {
    /// A value. A bare name that is a LET in scope is a set.
    Term(Term),
    /// `(MEET …)` or `(COMPARE MAX …)`: its only member is taken as the bound.
    Query {
        /// The query inside the parentheses.
        query: Box<Query>,
        /// Where the parentheses stand.
        span: Span,
    },
}

/// A condition on an instance. AND and OR are n-ary lists of two or more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Constraint {
    /// All hold.
    And(Vec<Constraint>, Span),
    /// At least one holds.
    Or(Vec<Constraint>, Span),
    /// It is excluded.
    Not(Box<Constraint>, Span),
    /// It is certain or possible; hits that need this are marked.
    Possibly(Box<Constraint>, Span),
    /// `path operator operand`.
    Test {
        /// Left side.
        path: Path,
        /// The operator.
        operator: Operator,
        /// Right side.
        operand: Operand,
        /// All of it.
        span: Span,
    },
    /// `path IN set`.
    In {
        /// Left side.
        path: Path,
        /// Right side.
        set: SetExpression,
        /// All of it.
        span: Span,
    },
    /// `HAS path`.
    Has {
        /// The path.
        path: Path,
        /// All of it.
        span: Span,
    },
}

/// What a MEET gives back besides its instances.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Return {
    /// `RETURN p, q`: one path a set, several paths rows.
    Paths(Vec<Path>),
    /// `RETURN COUNT` (instances) or `RETURN COUNT p` (distinct values of `p`).
    Count(Option<Path>),
}

/// `MEET … [CONFIDENCE >= t] [RETURN …]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Meet {
    /// The condition.
    pub constraint: Constraint,
    /// The least confidence of a witness, a decimal token from 0 to 1.
    pub confidence: Option<String>,
    /// What is given back; the instances if absent.
    pub returns: Option<Return>,
    /// All of it.
    pub span: Span,
}

/// What COMPARE compares along.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct By {
    /// Whether the values of the path are counted (`BY COUNT p`).
    pub count: bool,
    /// The path.
    pub path: Path,
    /// All of it, from `BY`.
    pub span: Span,
}

/// The operator of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Relation {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
    /// `OVERLAPS`: a shared value or member.
    Overlaps,
}

/// One side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// An instance or a value of the BY dimension. A bare name that is a LET in
    /// scope is a set.
    Term(Term),
    /// A set in braces or parentheses.
    Set(SetExpression),
}

/// Which end of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Extreme {
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// Which bound of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Operation {
    /// The greatest lower bound.
    Meet,
    /// The least upper bound.
    Join,
}

/// The five forms of COMPARE.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Compare {
    /// `COMPARE "A" = "B" BY p` (two instances) or, without BY,
    /// `COMPARE films <= others` (two sets).
    Relate {
        /// Left side.
        left: Side,
        /// The relation asked.
        relation: Relation,
        /// Right side.
        right: Side,
        /// What to compare along; absent between sets.
        by: Option<By>,
        /// All of it.
        span: Span,
    },
    /// `COMPARE "Moby Dick" BY species = mammal`: the truth of one constraint.
    Holds {
        /// The instance.
        subject: Term,
        /// A `Test`, `In` or `Has` on it.
        constraint: Constraint,
        /// All of it.
        span: Span,
    },
    /// `COMPARE MAX OF … BY p [RETURN q, …]`.
    Extremum {
        /// Which end.
        extreme: Extreme,
        /// The candidates.
        of: Candidates,
        /// What to compare along.
        by: By,
        /// Paths of the winners to give back.
        returns: Option<Vec<Path>>,
        /// All of it.
        span: Span,
    },
    /// `COMPARE MEET OF a, b, … BY p` and `COMPARE JOIN OF …`: the element of the
    /// completion, as the set of values that names it.
    Bound {
        /// Which bound.
        operation: Operation,
        /// The operands: values, or instances that have one.
        of: Vec<Term>,
        /// What to compare along; never a count.
        by: By,
        /// All of it.
        span: Span,
    },
    /// `COMPARE "A", "B" BY p`: less, greater, equal or incomparable.
    Order {
        /// First operand.
        left: Term,
        /// Second operand.
        right: Term,
        /// What to compare along.
        by: By,
        /// All of it.
        span: Span,
    },
}

/// Whom an extremum is sought among.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Candidates {
    /// Listed one by one; a single bare name may be a LET.
    Terms(Vec<Term>),
    /// A set in parentheses.
    Set(SetExpression),
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Query {
    /// Intersect constraints.
    Meet(Meet),
    /// Compare along the order.
    Compare(Compare),
    /// `ABSTAIN "…"`: the plan itself declines.
    Abstain {
        /// The words.
        words: String,
        /// All of it.
        span: Span,
    },
    /// `READ "…" TOP n [-> "answer" FROM "passage" QUOTE "…"]`.
    Read(Read),
}

/// A question to a reader of passages, with its record if it has run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Read {
    /// The question; `{x}` in it inserts LET `x`.
    pub question: String,
    /// How many passages, as typed.
    pub top: Option<String>,
    /// The recorded answer.
    pub record: Option<ReadRecord>,
    /// All of it.
    pub span: Span,
}

/// What a READ answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReadRecord {
    /// The answer.
    pub answer: String,
    /// The passage.
    pub from: String,
    /// The words of the passage that say it.
    pub quote: String,
}

/// The kind of a dimension as declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KindDeclaration {
    /// `TAXONOMY`
    Taxonomy,
    /// `ENTITY [WITHIN r]`
    Entity {
        /// The relation whose closure orders the values.
        within: Option<Name>,
    },
    /// `NUMBER [UNIT u]`
    Number {
        /// The unit.
        unit: Option<Name>,
    },
    /// `DATE`
    Date,
    /// `TEXT`
    Text,
}

/// `DIMENSION …`. Its flags may come in any order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DimensionDeclaration {
    /// Its name.
    pub name: Name,
    /// Its kind.
    pub kind: KindDeclaration,
    /// `true` for `ONE`, `false` for `MANY`; `MANY` if absent.
    pub one: Option<bool>,
    /// Whether `COMPLETE` stands there.
    pub complete: bool,
    /// Whether `STRICT` stands there: a taxonomy that must pass CHECK.
    pub strict: bool,
    /// The inverse dimension.
    pub inverse: Option<Name>,
    /// Other wordings.
    pub aka: Vec<Name>,
    /// The chains of a taxonomy, in order: `animal > mammal > whale, orca` is
    /// `[animal, mammal, [whale, orca]]`.
    pub chains: Vec<Chain>,
}

/// One line of a taxonomy: single values from general to specific, a list at
/// the end. `a, b` alone has no upper part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The values before the last `>`.
    pub upper: Vec<Name>,
    /// The values at the end, one or more.
    pub last: Vec<Name>,
    /// All of it.
    pub span: Span,
}

/// Where a source text comes from: `FROM "moby.txt" AT 0..49 LINE 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The words that say it.
    pub text: String,
    /// The document.
    pub from: Option<String>,
    /// Half-open byte range in the document.
    pub at: Option<(u64, u64)>,
    /// Line number in the document, from 1.
    pub line: Option<u64>,
}

/// `dimension = value`, `dimension != value`, `dimension = {a, b}` in a FACT.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The dimension.
    pub dimension: Name,
    /// Whether the values are denied (`!=`).
    pub denied: bool,
    /// One or more values; more than one were in braces.
    pub values: Vec<Term>,
}

/// The dimensions that CONCEPTS and IMPLICATIONS look across:
/// `d1, d2 … [SUPPORT n]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Across {
    /// The dimensions, at least one.
    pub dimensions: Vec<Name>,
    /// In how many instances it must be found at least; digits as written.
    pub support: Option<String>,
}

/// `FACT subject d = v, … [CONFIDENCE t] SOURCE "…" [FROM … AT … LINE …]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The instance.
    pub subject: Term,
    /// What is said of it.
    pub assignments: Vec<Assignment>,
    /// A decimal token from 0 to 1.
    pub confidence: Option<String>,
    /// The evidence. `None` parses (inside PATTERN it is right), and is refused
    /// where a fact is admitted.
    pub source: Option<Source>,
}

/// What DEFECT says is wrong with a taxonomy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DefectKind {
    /// `CYCLE a > b`: the edge lies on a cycle, whose members are one value.
    Cycle {
        /// The upper end.
        upper: Name,
        /// The lower end.
        lower: Name,
    },
    /// `UNDEFINED a BY b`: nothing defines `a`, which `b` names as its parent.
    Undefined {
        /// The parent.
        term: Name,
        /// A term that names it.
        user: Name,
    },
    /// `DUPLICATE a`: a document defines it twice.
    Duplicate {
        /// The term.
        term: Name,
    },
}

/// `DEFECT d CYCLE a > b [SOURCE "…" [FROM … AT … LINE …]]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// The taxonomy.
    pub dimension: Name,
    /// What is wrong.
    pub kind: DefectKind,
    /// The words that show it.
    pub source: Option<Source>,
}

/// The form of a file to load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoadForm {
    /// `TRIPLES`
    Triples,
    /// `NTRIPLES`
    NTriples,
    /// `TABLE`
    Table,
    /// `JSONL`
    JsonLines,
    /// `CONTEXT`
    Context,
    /// `LQ`
    Lq,
    /// `OBO`
    Obo,
    /// `RDF`
    Rdf,
    /// `WORDNET`
    WordNet,
    /// `EDGES`
    Edges,
}

/// One column of `LOAD TABLE … COLUMN c [AS d] [ENTITY t]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The column's header.
    pub name: Name,
    /// The dimension it fills; the header if absent.
    pub dimension: Option<Name>,
    /// The table whose instances its cells name.
    pub entity: Option<Name>,
}

/// `LOAD [FORM] "file" [AS t] [KEY c, …] [COLUMN …, …] [OMIT c, …] [ONE r, …]
/// [EDGES r, …] [LANGUAGE l]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// The form; from the file's ending if absent.
    pub form: Option<LoadForm>,
    /// The file, relative to the script.
    pub file: String,
    /// The name of the table or taxonomy; from the file's name if absent.
    pub table: Option<Name>,
    /// The key columns.
    pub key: Vec<Name>,
    /// Columns with another dimension or an entity table.
    pub columns: Vec<Column>,
    /// Columns to leave out.
    pub omit: Vec<Name>,
    /// Relations or columns that have one value.
    pub one: Vec<Name>,
    /// Relations that order the taxonomy.
    pub edges: Vec<Name>,
    /// The language of the names.
    pub language: Option<Name>,
    /// Where the file's name stands.
    pub file_span: Span,
}

/// What EXPECT expects of the verdict before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expectation {
    /// `{ … }`: exactly these instances or values.
    Set(Vec<Term>),
    /// `ROWS { (a, b), (c, NULL) }`.
    Rows(Vec<Vec<Option<Term>>>),
    /// `COUNT n`.
    Count(String),
    /// `TRUE` or `FALSE`.
    Truth(bool),
    /// `LESS`, `GREATER`, `EQUAL`, `INCOMPARABLE`.
    Order(OrderWord),
    /// `ABSTAIN [code]`.
    Abstain(Option<Name>),
}

/// The four outcomes of an order comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OrderWord {
    /// The first lies below the second.
    Less,
    /// The first lies above the second.
    Greater,
    /// Both are the same.
    Equal,
    /// Neither lies below the other.
    Incomparable,
}

/// What SHOW lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Showing {
    /// `SHOW DIMENSIONS`
    Dimensions,
    /// `SHOW INSTANCES`
    Instances,
    /// `SHOW DOCUMENTS`
    Documents,
    /// `SHOW species`: the values of one dimension.
    Dimension(Name),
}

/// What a statement says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatementKind {
    /// `DIMENSION …`
    Dimension(DimensionDeclaration),
    /// `SYNONYM "a", b = value IN dimension`
    Synonym {
        /// The other words.
        words: Vec<Name>,
        /// The value.
        value: Name,
        /// The taxonomy.
        dimension: Name,
    },
    /// `ALIAS "a", b = instance`
    Alias {
        /// The other names.
        words: Vec<Name>,
        /// The instance.
        instance: Term,
    },
    /// `INSTANCE "name" @id [AKA …]`: an instance of which nothing else need be
    /// said.
    Instance {
        /// Name, id or both.
        instance: Term,
        /// Its aliases.
        aka: Vec<Name>,
    },
    /// `UNIT km = 1000 m`
    Unit {
        /// The new unit.
        name: Name,
        /// A decimal token.
        factor: String,
        /// The unit it is measured in; the same word for a base unit.
        base: Name,
    },
    /// `FACT …`
    Fact(Fact),
    /// `DEFECT …`
    Defect(Defect),
    /// `RETRACT FROM "document"`
    Retract {
        /// The document.
        from: String,
    },
    /// `LET x = query`
    Let {
        /// The variable.
        name: Name,
        /// What it stands for.
        query: Query,
    },
    /// A query by itself.
    Query(Query),
    /// `EXPLAIN query`
    Explain(Query),
    /// `EXPECT …`
    Expect(Expectation),
    /// `CHECK d`
    Check(Name),
    /// `WIDTH d`
    Width(Name),
    /// `INDEPENDENCE d1, d2`
    Independence(Name, Name),
    /// `CONCEPTS d1, d2 … [SUPPORT n]`
    Concepts(Across),
    /// `IMPLICATIONS d1, d2 … [SUPPORT n]`
    Implications(Across),
    /// `SUGGEST query`
    Suggest(Query),
    /// `SHOW …`
    Show(Showing),
    /// `DESCRIBE instance-or-dimension`
    Describe(Term),
    /// `OPEN "file" [AT "b3:…"]`
    Open {
        /// The lattice file, relative to the script.
        file: String,
        /// The content hash that it must have, or a prefix of it.
        at: Option<String>,
        /// Where the file's name stands.
        file_span: Span,
    },
    /// `USE std.time`
    Use(Path),
    /// `LOAD …`
    Load(Load),
    /// `PATTERN QUESTION "…" => query`
    PatternQuestion {
        /// The wording, with holes.
        wording: String,
        /// What it means.
        query: Query,
    },
    /// `PATTERN TEXT "…" => FACT …`
    PatternText {
        /// The wording, with holes.
        wording: String,
        /// The facts it states.
        facts: Vec<Fact>,
    },
}
