//! The codes of all diagnostics, each with its story. This is the one table: a
//! room that needs a code of its own adds a line here, in its range.
//!
//! | range | room |
//! | --- | --- |
//! | E001–E099 | syntax |
//! | E100–E199 | resolving |
//! | E200–E299 | loading |
//! | E300–E399 | the store |
//! | E400–E499 | running |
//! | W001–W099 | warnings |

use serde::{Deserialize, Serialize};

macro_rules! codes {
    ($($code:ident $title:literal $story:literal wrong $wrong:literal right $right:literal;)*) => {
        /// The stable code of a diagnostic.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// The code as printed, `E012`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// What it is about, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$code => $title,)* }
            }

            /// The whole story: what happened, why it is refused, a wrong and a
            /// right example.
            pub fn story(self) -> &'static str {
                match self {
                    $(Code::$code => concat!(
                        stringify!($code), ": ", $title, "\n\n", $story,
                        "\n\nWrong:\n\n", $wrong, "\n\nRight:\n\n", $right, "\n"
                    ),)*
                }
            }

            /// A text that yields this code; empty where no text alone does.
            pub fn wrong(self) -> &'static str {
                match self { $(Code::$code => $wrong,)* }
            }

            /// The same meant rightly.
            pub fn right(self) -> &'static str {
                match self { $(Code::$code => $right,)* }
            }
        }
    };
}

impl std::fmt::Display for Code {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(self.name())
    }
}

impl std::str::FromStr for Code {
    type Err = ();

    /// Reads `E012`, in any case of letters.
    fn from_str(text: &str) -> Result<Self, ()> {
        let found = Code::ALL
            .iter()
            .find(|code| code.name().eq_ignore_ascii_case(text.trim()));
        found.copied().ok_or(())
    }
}

/// The story of a code, `E012`, in any case of letters; `None` if there is none.
pub fn explain(code: &str) -> Option<&'static str> {
    code.parse::<Code>().ok().map(Code::story)
}

codes! {
E001 "something else was expected here"
"The text up to this point reads well, and what stands here cannot follow it. The
message names what was found and what could stand there instead."
wrong "MEET species = whale = orca" right "MEET species = whale";

E002 "the text ends too early"
"A statement began and the text ended before it was complete. In the shell this is
no error: the next line continues the statement."
wrong "MEET species =" right "MEET species = whale";

E003 "a text in quotes is not closed"
"A `\"` opens a text, and no `\"` ends it. A quote inside a text is written `\\\"`."
wrong "MEET name = \"Moby Dick" right "MEET name = \"Moby Dick\"";

E004 "a bracket is not closed, or closes nothing"
"Parentheses and braces come in pairs, and a pair opens and closes within one
statement."
wrong "MEET (species = whale OR species = orca" right "MEET (species = whale OR species = orca)";

E005 "an unknown escape in a text"
"Inside quotes a backslash begins one of four escapes: `\\\"`, `\\\\`, `\\n` and
`\\u{…}` with the hexadecimal number of a character. A backslash itself is `\\\\`."
wrong "MEET name = \"a\\qb\"" right "MEET name = \"a\\\\qb\"";

E006 "a character that LQ does not use"
"Outside quotes LQ uses letters, digits, white space and the signs of its grammar.
Names with other characters are quoted."
wrong "MEET name = 🐋" right "MEET name = \"🐋\"";

E007 "nested too deeply"
"Parentheses, braces, NOT and POSSIBLY nest up to a fixed depth, so that no text can
exhaust the stack. AND and OR are lists: thousands of conditions need no nesting."
wrong "" right "MEET a = 1 AND b = 2 AND c = 3";

E008 "longer than the limit"
"Texts, quoted texts and the number of statements have a limit, far above what people
write. Split the file, or load data with LOAD."
wrong "" right "LOAD TABLE \"films.csv\"";

E009 "a keyword where a name should be"
"Words that start a statement (CHECK, SHOW, USE …) and words that join conditions
(AND, IN, BY …) are reserved. Any name may be quoted, and means the same."
wrong "MEET action = Check AND width = 5" right "MEET action = \"Check\" AND \"width\" = 5";

E010 "a name of several words is not quoted"
"A bare name is one word: letters, digits, `_`, and hyphens inside. Everything else
is quoted."
wrong "MEET species = killer whale" right "MEET species = \"killer whale\"";

E011 "a keyword is misspelled"
"What stands here is one or two letters away from a keyword that could stand here."
wrong "DIMENSION born DATE ONE AKKA \"birth\"" right "DIMENSION born DATE ONE AKA \"birth\"";

E012 "AND and OR are mixed"
"Which of AND and OR binds first differs from language to language, so LQ does not
guess: parentheses say it."
wrong "MEET a = 1 AND b = 2 OR c = 3" right "MEET (a = 1 AND b = 2) OR c = 3";

E013 "not a date"
"A date is `YYYY`, `YYYY-MM` or `YYYY-MM-DD`, with two digits for month and day, and
must exist in the calendar (year 0 is 1 BC). Codes and telephone numbers that look
like dates are quoted."
wrong "MEET born = 1914-13" right "MEET born = 1914-12";

E014 "not a number"
"A number is an optional sign, digits, and a fraction behind a point: `-12.50`. There
are no thousands signs and no exponents. A unit stands behind a space, `12 km`; a
name that begins with a digit is quoted."
wrong "MEET population > 1,200" right "MEET population > 1200";

E015 "a range that runs backwards"
"A range goes from its lower to its upper end, and both belong to it."
wrong "MEET born IN 1920..1914" right "MEET born IN 1914..1920";

E016 "a range that cannot be read"
"A range is written without white space, and its ends are both numbers or both
dates: `5..10`, `..1914`, `1914-12..`."
wrong "MEET born IN 1914 .. 1920" right "MEET born IN 1914..1920";

E017 "a confidence outside 0 to 1"
"A confidence is a decimal from 0 to 1. In MEET it is a lower bound, written
`CONFIDENCE >= 0.8`; at a FACT it is the number alone."
wrong "MEET a = b CONFIDENCE >= 80" right "MEET a = b CONFIDENCE >= 0.8";

E018 "a list inside a chain"
"A line of a taxonomy goes from general to specific. Only its last place may hold
several values: `animal > mammal > whale, orca`. Other parts take lines of their own."
wrong "DIMENSION species TAXONOMY\n  animal > mammal, animal > bird"
right "DIMENSION species TAXONOMY\n  animal > mammal\n  animal > bird";

E019 "a line of a taxonomy without `>`"
"Values without anything above them are one list, and it comes first; it may run over
several lines if each but the last ends with a comma. All other lines contain `>`.
A line of its own would be read as new top values, which is rarely meant."
wrong "DIMENSION habitat TAXONOMY\n  aquatic, terrestrial\n  amphibious"
right "DIMENSION habitat TAXONOMY\n  aquatic, terrestrial, amphibious";

E020 "a set where one value is needed"
"Behind `=` stands one value. A set stands behind IN: the condition holds for any of
its elements."
wrong "MEET species = {whale, orca}" right "MEET species IN {whale, orca}";

E021 "a hole outside PATTERN"
"`{x}` stands for a part of a wording, and only PATTERN has a wording. Elsewhere a
name is written without braces, and a value from outside as `$x`."
wrong "MEET name = {film}" right "MEET name = $film";

E022 "several values without braces"
"After a comma in FACT comes the next `dimension = value`. Several values of one
dimension stand in braces."
wrong "FACT \"Frog\" habitat = aquatic, terrestrial SOURCE \"It lives in both.\""
right "FACT \"Frog\" habitat = {aquatic, terrestrial} SOURCE \"It lives in both.\"";

E023 "something a FACT cannot say"
"A FACT says `dimension = value`, or denies it with `!=`. It gives values to the
instance itself: paths, comparisons and conditions belong to MEET. A value known
only roughly is a range."
wrong "FACT \"Ada\" born > 1800 SOURCE \"She was born after 1800.\""
right "FACT \"Ada\" born = 1800.. SOURCE \"She was born after 1800.\"";

E024 "a declaration that does not fit its kind"
"UNIT belongs to NUMBER, WITHIN and INVERSE to ENTITY, and only a TAXONOMY lists
values. Each is said once."
wrong "DIMENSION born DATE UNIT km" right "DIMENSION height NUMBER UNIT km";

E025 "a comparison that lacks a part"
"COMPARE relates two operands (`COMPARE \"A\" < \"B\" BY born`), orders them
(`COMPARE \"A\", \"B\" BY species`), seeks an extremum (`COMPARE MAX OF … BY p`) or a
bound (`COMPARE MEET OF \"A\", \"B\" BY species`, JOIN alike), or tests one condition (`COMPARE \"A\" BY species = mammal`)."
wrong "COMPARE \"Moby Dick\" BY species" right "COMPARE \"Moby Dick\" BY species = mammal";

E026 "IN needs a set"
"Behind IN stands a set: `{a, b}`, a range `a..b`, a query in parentheses, a LET or a
parameter. One value is tested with `=`."
wrong "MEET species IN \"whale\"" right "MEET species = \"whale\"";

E027 "a set without elements"
"No instance is in an empty set, so the condition could never hold. Only EXPECT
compares with the empty set."
wrong "MEET species IN {}" right "MEET species IN {whale}";

E028 "not one query"
"Here exactly one query is wanted: MEET, COMPARE, READ or ABSTAIN."
wrong "" right "MEET species = whale";

E029 "a dash that is no minus sign"
"Typesetting has several dashes; the sign of a number is the hyphen of the keyboard.
Between two numbers `..` makes a range."
wrong "MEET temperature = −5" right "MEET temperature = -5";

E030 "an operator of another language"
"LQ writes `=`, `!=`, `<`, `<=`, `>`, `>=` and IN. One `=` tests; nothing is assigned."
wrong "MEET species == whale" right "MEET species = whale";

E031 "a connective of another language"
"LQ writes AND, OR and NOT as words."
wrong "MEET a = 1 && b = 2" right "MEET a = 1 AND b = 2";

E032 "quotes of another kind"
"Texts and names stand in straight double quotes."
wrong "MEET name = 'Moby Dick'" right "MEET name = \"Moby Dick\"";

E033 "a statement of SQL"
"LQ has no SELECT: MEET states the conditions, and RETURN behind it says what to give
back. There are no tables to name; a dimension leads from instance to instance."
wrong "SELECT director FROM films WHERE title = 'Alien'"
right "MEET name = \"Alien\" RETURN director";

E034 "WHERE or FIND in place of MEET"
"MEET begins a question, and its conditions follow at once."
wrong "MEET WHERE species = whale" right "MEET species = whale";

E035 "a graph pattern"
"LQ draws no arrows. A dimension leads from an instance to another one; a path of
dimensions is joined by dots, and a nested MEET names the instances at its end."
wrong "MATCH (f)-[:directed_by]->(p) RETURN p" right "MEET HAS directed_by RETURN directed_by";

E036 "a search for parts of a text"
"LQ compares whole names and texts (folding case and width of names). It has no
LIKE, no patterns and no full-text search; READ asks a reader of passages."
wrong "MEET name LIKE \"Moby%\"" right "MEET name = \"Moby Dick\"";

E037 "only some of the answers"
"A MEET returns all instances for which everything is certain, never the first n, and
their order says nothing. The largest and the smallest are asked with COMPARE MAX OF
and COMPARE MIN OF, which keep all that tie."
wrong "MEET species = whale LIMIT 10" right "COMPARE MAX OF (MEET species = whale) BY length";

E038 "NOT stands before the condition"
"NOT negates a whole condition and stands before it."
wrong "MEET species NOT IN {whale, orca}" right "MEET NOT species IN {whale, orca}";

E039 "NULL is not a value"
"A lattice has no null. `HAS d` holds where something is recorded in `d`, and
`NOT HAS d` where it is certain that there is nothing."
wrong "MEET born IS NULL" right "MEET NOT HAS born";

E040 "a rule or goal of Datalog"
"LQ has no rules. A relation that is followed any number of times is declared with
WITHIN; everything else is a MEET, and LET names it."
wrong "?- parent(X, Y)." right "MEET HAS parent RETURN parent";

E041 "a variable of another language"
"LQ has no variables to bind. RETURN gives back what a path leads to, LET names the
answer of a query, and `$x` is a value that the caller supplies."
wrong "MEET directed_by = ?x" right "MEET HAS directed_by RETURN directed_by";

E042 "a prefix declaration"
"Names in LQ have no prefixes. An id is written whole behind `@`, in quotes if it has
signs in it."
wrong "PREFIX ex: <http://example.org/>" right "DESCRIBE @\"http://example.org/moby\"";

E043 "a comment of another language"
"A comment begins with `--` and runs to the end of its line. White space or the
line's start stands before it."
wrong "MEET species = whale // all of them" right "MEET species = whale -- all of them";

E044 "a moment in time asked with AS OF"
"LQ keeps no versions. What held when is recorded as dates, and a MEET narrows them."
wrong "MEET drinks = tea AS OF 2023-09-21" right "MEET drinks = tea AND since IN ..2023-09-21";

E045 "a comma with nothing behind it"
"A comma stands between two things, not after the last."
wrong "MEET species IN {whale, orca,}" right "MEET species IN {whale, orca}";

E046 "a list in parentheses"
"A set stands in braces. Parentheses hold conditions and queries."
wrong "MEET species IN (whale, orca)" right "MEET species IN {whale, orca}";

E047 "BETWEEN"
"A range is written with two dots, and both ends belong to it."
wrong "MEET born BETWEEN 1914 AND 1920" right "MEET born IN 1914..1920";

E048 "a condition without MEET"
"A condition alone is no statement; MEET asks for the instances that satisfy it."
wrong "species = whale" right "MEET species = whale";

E050 "a parameter without a value"
"`$x` is bound by the caller: from the command line, or by the program that embeds
the library. Nothing was bound to it."
wrong "" right "MEET name = $x";

E051 "a query that grows too large"
"Each LET is written out where it is used. LETs that use one another several times
double at every step; past a limit the query is refused."
wrong "" right "LET a = MEET x = y\nMEET name IN a";

E052 "a parameter that does not fit"
"Where one value is needed a parameter must hold one, and it must be a value itself,
not a parameter or a hole. A list of values fits behind IN and inside braces."
wrong "" right "MEET species IN $several";

E053 "no LET of this name"
"A bare word behind IN names a LET, and none of this name stands before it."
wrong "" right "LET films = MEET genre = drama\nMEET name IN films";

E054 "a comparison without BY"
"Two instances or values are compared along a dimension, which BY names. Without
BY only sets are compared: a LET, a query in parentheses, or braces."
wrong "" right "COMPARE \"Texas\" > \"Ohio\" BY population";

E099 "a fault in latweave itself"
"The grammar accepted a text that the tree cannot hold. Please report it with the
text."
wrong "" right "MEET species = whale";

E200 "a fact without its source"
"Every fact carries the words that state it, so that every answer can show them. A
FACT without SOURCE is therefore not admitted, by any door."
wrong "FACT \"Moby Dick\" species = whale"
right "FACT \"Moby Dick\" species = whale SOURCE \"Moby Dick is a whale.\"";

E201 "no dimension of this name"
"A fact gives values in dimensions that are declared. Which kind of values a
dimension has cannot be guessed from the first of them."
wrong "FACT \"Ada\" borm = 1815 SOURCE \"Ada was born in 1815.\""
right "DIMENSION born DATE ONE\nFACT \"Ada\" born = 1815 SOURCE \"Ada was born in 1815.\"";

E202 "no value of this name in the taxonomy"
"The values of a TAXONOMY are declared with their place in its order. A new one has to
be placed before a fact can use it; another word for a value is a SYNONYM."
wrong "DIMENSION species TAXONOMY whale\nFACT \"Moby Dick\" species = whales SOURCE \"Moby Dick is a whale.\""
right "DIMENSION species TAXONOMY whale\nFACT \"Moby Dick\" species = whale SOURCE \"Moby Dick is a whale.\"";

E203 "a value of another kind"
"A dimension takes one kind of values: words of its taxonomy, instances, numbers,
dates or texts. A number or date that is meant as a text is quoted."
wrong "DIMENSION born DATE\nFACT \"Ada\" born = London SOURCE \"Ada was born in London.\""
right "DIMENSION born_in ENTITY\nFACT \"Ada\" born_in = London SOURCE \"Ada was born in London.\"";

E204 "a unit that does not fit"
"A number is kept in the unit of its dimension. Its own unit must be declared and
measure the same thing, and the conversion must be exact: 1 km is not a finite number
of miles."
wrong "DIMENSION length NUMBER UNIT m\nFACT \"Rhine\" length = 1233 km SOURCE \"It is 1,233 km long.\""
right "UNIT km = 1000 m\nDIMENSION length NUMBER UNIT m\nFACT \"Rhine\" length = 1233 km SOURCE \"It is 1,233 km long.\"";

E205 "several instances of this name"
"A name that several instances share does not say which of them is meant; an id does."
wrong "INSTANCE \"Springfield\" @a\nINSTANCE \"Springfield\" @b\nALIAS \"Spfd\" = \"Springfield\""
right "INSTANCE \"Springfield\" @a\nINSTANCE \"Springfield\" @b\nALIAS \"Spfd\" = @a";

E206 "a declaration that contradicts another"
"A dimension is declared once, or several times alike: later declarations may add
wordings and values. A taxonomy has no cycles, and WITHIN names a relation."
wrong "DIMENSION born DATE ONE\nDIMENSION born NUMBER" right "DIMENSION born DATE ONE";

E207 "a statement that asks, where only knowledge is taken"
"`latweave build` takes declarations, facts and LOAD. Queries and their expectations
are run by `latweave run` and `latweave test`."
wrong "MEET species = whale" right "DIMENSION species TAXONOMY whale";

E208 "no module of this name"
"USE names a module that is compiled into the program."
wrong "USE std.tim" right "USE std.time";

E210 "a number or date that cannot be read"
"Quoted numbers and dates are read as people write them (`1.2 million`, `20th century`),
where there is one reading. What is approximate or can be read in two ways is refused:
the range that is meant says it exactly."
wrong "DIMENSION born DATE\nFACT \"Ada\" born = \"c. 1815\" SOURCE \"Ada was born about 1815.\""
right "DIMENSION born DATE\nFACT \"Ada\" born = 1813..1817 SOURCE \"Ada was born about 1815.\"";

E211 "a name that cannot be given"
"A name has at least one visible character, `name` is built in, and an id stands for
one name; further names are aliases."
wrong "DIMENSION name TEXT" right "DIMENSION label TEXT";

E212 "a source or confidence that does not hold"
"The words of a source are not blank, its byte range does not run backwards, and a
confidence lies between 0 and 1."
wrong "DIMENSION d TEXT\nFACT \"Ada\" d = x SOURCE \" \""
right "DIMENSION d TEXT\nFACT \"Ada\" d = x SOURCE \"Ada is x.\"";

E213 "a limit of the lattice"
"One lattice holds at most about four thousand million names, facts and sources, and
65,535 dimensions."
wrong "" right "DIMENSION species TAXONOMY whale";

E301 "a lattice file that cannot be opened"
"The file is missing, is a folder, is no lattice, is of another format, is cut off or
is damaged; the message says which. A damaged file is never read as if it were whole."
wrong "" right "OPEN \"films.lattice\"";

E302 "another lattice than the pinned one"
"`OPEN … AT` pins the content of a lattice by its hash, or a prefix of it. The file now
holds something else, so the script is not run: its answers could differ unnoticed."
wrong "" right "OPEN \"films.lattice\" AT \"b3:9f2c41d0\"";

E303 "an OPEN that would lose what was stated"
"OPEN puts a lattice in place of the present one. What was declared, stated or loaded
before it would be lost without a word."
wrong "" right "OPEN \"films.lattice\"\nMEET HAS directed_by";

E400 "a query that could not be run"
"The machine, not the query, is at fault; the message says how."
wrong "" right "MEET species = whale";

E401 "not in this version"
"The statement can be read and formatted, and this version cannot run it yet."
wrong "" right "SHOW DIMENSIONS";

E402 "EXPECT without a verdict before it"
"EXPECT checks the verdict of the query just before it. There is none: no query stands
before it, or that query could not be run."
wrong "" right "MEET species = whale\nEXPECT { \"Moby Dick\" }";

E403 "a script without a query"
"The answer of a script is the verdict of its last query, and this one has none."
wrong "" right "MEET species = whale";

E404 "nothing of this name to show"
"SHOW and DESCRIBE tell what is in the lattice, and nothing in it is called so. In a
query the same word would be an abstention."
wrong "" right "SHOW DIMENSIONS";

E405 "out of time"
"The query took longer than its limit and was stopped. That is no abstention: nothing
is known about its answer."
wrong "" right "MEET species = whale";

E406 "out of memory"
"The sets of the query grew past its limit and it was stopped. That is no abstention:
nothing is known about its answer."
wrong "" right "MEET species = whale";

E408 "a script that changes the lattice it is run over"
"An embedding program runs a script over a lattice that stays as it is. Declarations,
facts, LOAD, USE and OPEN need a session, or build a lattice of their own."
wrong "" right "MEET species = whale";

E409 "an expectation that does not hold"
"The verdict before EXPECT says something else. Told is what was expected and not
found, and what was found and not expected."
wrong "" right "MEET species = whale\nEXPECT ABSTAIN empty";

E410 "a file that cannot be loaded"
"The file is missing, cannot be read, or something in it cannot be used; the message
says what and where. Nothing of it was kept."
wrong "" right "LOAD TABLE \"films.csv\"";

E411 "a wording that cannot be read"
"The left side of PATTERN QUESTION is words with holes {x} and {r:DIMENSION}, alternatives
(a|b) and options [the]. Brackets come in pairs, a hole has a name and one kind, and a
wording has a word or a hole in every way to write it."
wrong "" right "PATTERN QUESTION \"who directed {f}\" => MEET name = {f} RETURN directed_by";

E412 "a dimension without an order to look at"
"CHECK, WIDTH and INDEPENDENCE look at the order of named values. The values of a NUMBER
or DATE dimension are intervals, ordered by inclusion: two of them meet in their
intersection, any number can lie side by side, and there is nothing to find out."
wrong "" right "CHECK species";

E413 "too large to look at"
"The statement would need more memory than it may take: instances × values for CONCEPTS
and IMPLICATIONS, values × values for INDEPENDENCE."
wrong "" right "CONCEPTS species, habitat SUPPORT 10";

W001 "a value that looks like a keyword"
"A taxonomy lists this word as a value, and it is one letter away from a flag of
DIMENSION. If the value is meant, quotes say so."
wrong "DIMENSION species TAXONOMY COMPLET\n  animal > whale"
right "DIMENSION species TAXONOMY COMPLETE\n  animal > whale";

W101 "a word that the lattice lacks"
"The script is well-formed, and in this lattice a word of it names nothing: the query
would abstain. On another lattice it may be right."
wrong "" right "MEET species = whale";

W102 "a query that this lattice cannot answer as it stands"
"A dimension of this lattice cannot take the value, operator, step or unit, or an
operand names several things: the query would abstain."
wrong "" right "MEET species = whale";

W103 "a LET that nothing uses"
"Nothing after it names this LET. Perhaps a word is misspelled, or quoted where the LET
was meant."
wrong "" right "LET whales = MEET species = whale\nMEET eats IN whales";
}
