//! What a statement can be: declarations, facts, files, questions and what is expected of them.

use super::{Name, Path, Query, Span, Term};
use serde::{Deserialize, Serialize};

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
    /// `DIMENSION directed_by AKA "director", "made by"`: more words for a dimension
    /// that is declared elsewhere.
    Wording {
        /// The dimension.
        dimension: Name,
        /// The words.
        aka: Vec<Name>,
    },
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
