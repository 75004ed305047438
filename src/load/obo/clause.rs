//! Clauses as fastobo reads them, reduced to what is loaded.

use fastobo::ast::{
    Ident, InstanceClause, Line, PropertyValue, SynonymScope, TermClause, TypedefClause,
};
use fastobo::parser::{Cache, FromPair};
use fastobo::syntax::pest::error::LineColLocation;
use fastobo::syntax::{Lexer, Rule};

/// What a clause of a term or an instance says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Name(String),
    AltId(String),
    /// A word for it, and how far it is one.
    Synonym(String, Scope),
    /// A parent.
    IsA(String),
    /// The term that an instance is of.
    InstanceOf(String),
    Obsolete,
    /// A text of a dimension.
    Text(&'static str, String),
    /// A relation to another term.
    Relation(String, String),
    /// A property with a literal.
    Literal(String, String),
    /// Nothing that is loaded; the tag.
    Other(&'static str),
    /// Nothing at all, as `is_obsolete: false`.
    Nothing,
}

/// How far a synonym means the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Exact,
    Broad,
    Narrow,
    Related,
}

impl Scope {
    /// The dimension of its synonyms.
    pub fn dimension(self) -> &'static str {
        match self {
            Scope::Exact => "exact_synonym",
            Scope::Broad => "broad_synonym",
            Scope::Narrow => "narrow_synonym",
            Scope::Related => "related_synonym",
        }
    }
}

/// What a typedef says of its relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Name(String),
    InverseOf(String),
    Symmetric,
    Nothing,
}

/// The tags of OBO 1.4 in stanzas of terms and instances; `id` is read apart.
const TAGS: [&str; 23] = [
    "is_anonymous",
    "name",
    "namespace",
    "alt_id",
    "def",
    "comment",
    "subset",
    "synonym",
    "xref",
    "builtin",
    "property_value",
    "is_a",
    "intersection_of",
    "union_of",
    "equivalent_to",
    "disjoint_from",
    "relationship",
    "created_by",
    "creation_date",
    "is_obsolete",
    "replaced_by",
    "consider",
    "instance_of",
];

/// The tag of a line, in front of its first colon.
pub(super) fn tag(text: &str) -> &str {
    text.split_once(':').map_or("", |(tag, _)| tag.trim())
}

/// Whether the tag is one of OBO's.
pub(super) fn is_known(tag: &str) -> bool {
    TAGS.contains(&tag)
}

/// Reads one line by one rule of the format.
fn line<T>(rule: Rule, text: &str, cache: &Cache) -> Result<T, String>
where
    Line<T>: for<'i> FromPair<'i>,
{
    let text = format!("{text}\n");
    let pair = Lexer::tokenize(rule, &text).map_err(|error| {
        let column = match error.line_col {
            LineColLocation::Pos((_, column)) | LineColLocation::Span((_, column), _) => column,
        };
        format!("from column {column} on this is no clause of OBO 1.4")
    })?;
    let Some(pair) = pair.into_iter().next() else {
        return Err("this is no clause of OBO 1.4".to_owned());
    };
    if pair.as_span().end() != text.len() {
        let column = text
            .get(..pair.as_span().end())
            .map_or(0, |read| read.chars().count())
            + 1;
        return Err(format!(
            "what begins in column {column} belongs to no clause of OBO 1.4"
        ));
    }
    let clause = Line::<T>::from_pair(pair, cache);
    clause
        .map(Line::into_inner)
        .map_err(|error| format!("this is no clause of OBO 1.4: {error}"))
}

/// The id of an `id:` line.
pub(super) fn id(text: &str, cache: &Cache) -> Result<String, String> {
    let (_, id) = text.split_once(':').unwrap_or_default();
    // The rule of ids stands in no line of its own.
    match line::<TermClause>(Rule::TermClauseLine, &format!("is_a:{id}"), cache) {
        Ok(TermClause::IsA(id)) => Ok(ident(id.as_ref().as_ref())),
        _ => Err("this is no id of OBO 1.4; write one such as X:0000001".to_owned()),
    }
}

pub(super) fn ident(ident: &Ident) -> String {
    match ident {
        Ident::Prefixed(id) => format!("{}:{}", id.prefix(), id.local()),
        Ident::Unprefixed(id) => id.as_str().to_owned(),
        Ident::Url(url) => url.as_str().to_owned(),
    }
}

fn scope(scope: &SynonymScope) -> Scope {
    match scope {
        SynonymScope::Exact => Scope::Exact,
        SynonymScope::Broad => Scope::Broad,
        SynonymScope::Narrow => Scope::Narrow,
        SynonymScope::Related => Scope::Related,
    }
}

fn property(value: &PropertyValue) -> Said {
    match value {
        PropertyValue::Resource(value) => {
            Said::Relation(ident(value.property().as_ref()), ident(value.target()))
        }
        PropertyValue::Literal(value) => Said::Literal(
            ident(value.property().as_ref()),
            value.literal().as_str().to_owned(),
        ),
    }
}

/// What a line of a term's stanza says.
pub(super) fn term(text: &str, cache: &Cache) -> Result<Said, String> {
    use TermClause as C;
    let relation = |name: &str, id: &Ident| Said::Relation(name.to_owned(), ident(id));
    Ok(match line::<C>(Rule::TermClauseLine, text, cache)? {
        C::Name(name) => Said::Name(name.as_str().to_owned()),
        C::Namespace(id) => Said::Text("namespace", ident((*id).as_ref())),
        C::AltId(id) => Said::AltId(ident(&id)),
        C::Def(def) => Said::Text("definition", def.text().as_str().to_owned()),
        C::Comment(text) => Said::Text("comment", text.as_str().to_owned()),
        C::Subset(id) => Said::Text("subset", ident((*id).as_ref())),
        C::Synonym(s) => Said::Synonym(s.description().as_str().to_owned(), scope(s.scope())),
        C::Xref(xref) => Said::Text("xref", ident(xref.id())),
        C::PropertyValue(value) => property(&value),
        C::IsA(id) => Said::IsA(ident((*id).as_ref())),
        C::EquivalentTo(id) => relation("equivalent_to", (*id).as_ref()),
        C::DisjointFrom(id) => relation("disjoint_from", (*id).as_ref()),
        C::Relationship(name, id) => Said::Relation(ident((*name).as_ref()), ident((*id).as_ref())),
        C::CreatedBy(text) => Said::Text("created_by", text.as_str().to_owned()),
        C::CreationDate(date) => Said::Text("creation_date", day(&date.to_string())),
        C::IsObsolete(true) => Said::Obsolete,
        C::ReplacedBy(id) => relation("replaced_by", (*id).as_ref()),
        C::Consider(id) => relation("consider", (*id).as_ref()),
        C::IntersectionOf(..) => Said::Other("intersection_of"),
        C::UnionOf(_) => Said::Other("union_of"),
        C::IsAnonymous(true) => Said::Other("is_anonymous"),
        C::Builtin(true) => Said::Other("builtin"),
        C::IsObsolete(false) | C::IsAnonymous(false) | C::Builtin(false) => Said::Nothing,
    })
}

/// What a line of an instance's stanza says. What it shares with a term's is read as
/// there: fastobo 0.15 panics at the relationships of instances.
pub(super) fn instance(text: &str, cache: &Cache) -> Result<Said, String> {
    match tag(text) {
        "instance_of" => {
            let clause = line::<InstanceClause>(Rule::InstanceClauseLine, text, cache)?;
            Ok(match clause {
                InstanceClause::InstanceOf(id) => Said::InstanceOf(ident((*id).as_ref())),
                _ => Said::Nothing,
            })
        }
        tag @ ("is_a" | "intersection_of" | "union_of" | "equivalent_to" | "disjoint_from") => {
            Err(format!("{tag} is said of terms, and this is an instance"))
        }
        _ => term(text, cache),
    }
}

/// What a line of a relation's stanza says; nothing where it is not understood,
/// since no fact is read from it.
pub(super) fn typedef(text: &str, cache: &Cache) -> Typed {
    use TypedefClause as C;
    match line::<C>(Rule::TypedefClauseLine, text, cache) {
        Ok(C::Name(name)) => Typed::Name(name.as_str().to_owned()),
        Ok(C::InverseOf(id)) => Typed::InverseOf(ident((*id).as_ref())),
        Ok(C::IsSymmetric(true)) => Typed::Symmetric,
        _ => Typed::Nothing,
    }
}

/// The day of a date with a time.
fn day(date: &str) -> String {
    date.split('T').next().unwrap_or(date).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clauses_are_read_with_qualifiers_and_comments() {
        let cache = Cache::new();
        let read = |text: &str| term(text, &cache);
        assert_eq!(
            read("is_a: X:1 {a=\"b\", c=\"d\"} ! one"),
            Ok(Said::IsA("X:1".to_owned()))
        );
        assert_eq!(
            read("synonym: \"a \\\"b\\\"\" NARROW layperson [X:1, X:2 \"t\"]"),
            Ok(Said::Synonym("a \"b\"".to_owned(), Scope::Narrow))
        );
        assert_eq!(id("id: a\\:b ! x", &cache), Ok("a:b".to_owned()));
        assert_eq!(read("is_obsolete: false"), Ok(Said::Nothing));
        assert_eq!(
            instance("relationship: near X:1", &cache),
            Ok(Said::Relation("near".to_owned(), "X:1".to_owned()))
        );
        for bad in [
            "def: x",
            "is_a:",
            "synonym: \"x\"",
            "is_obsolete: maybe",
            "is_a: a b",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        /// Whatever stands there, reading ends in a clause or a reason.
        #[test]
        fn no_line_panics(
            tag in prop::sample::select(TAGS.to_vec()),
            rest in "[ -~é\\\\\"\\[\\]{}!:,]{0,24}",
            form in 0usize..5,
        ) {
            let rest = match form {
                0 => format!("\"{rest}\" []"),
                1 => format!("\"{rest}\" EXACT [{rest}]"),
                2 => format!("{rest} {rest}"),
                3 => format!("X:1 {rest}"),
                _ => rest,
            };
            let cache = Cache::new();
            let text = format!("{tag}: {rest}");
            let _ = (term(&text, &cache), instance(&text, &cache));
            let _ = (typedef(&text, &cache), id(&text, &cache));
        }
    }
}
