//! The mathematics of one dimension: a DAG, ⊑, common bounds, extremal elements; and of
//! several: how far they are independent. Nodes are numbers; this room knows no names, no
//! files and no text.
//!
//! # A tour
//!
//! | question | answer | from |
//! | --- | --- | --- |
//! | is it an order at all? | [`components`], and [`cycles`] that show why not | any edges |
//! | is *a* below *b*? what lies below, above, between? | [`Dag`] | edges without a cycle |
//! | what is the greatest lower, the least upper bound? | [`meet`], [`join`]: a [`Bound`] | nodes |
//! | and where there is none? | a [`Cut`]: an element of the Dedekind–MacNeille completion | nodes, cuts |
//! | may it serve as a dimension? | [`check`]: [`Legitimacy`] | an order |
//! | how wide is it? | [`width`]: an antichain and as many chains | an order |
//! | how independent are two? | [`independence`] | two orders and observed pairs |
//! | what goes together across several? | [`concepts`] | objects × attributes |
//!
//! ```
//! use latweave::order::{Bound, Cut, Dag, check, meet, width};
//!
//! // 0 and 1 are both above 2 and 3: their meet is not one node.
//! let order = Dag::new(4, &[(0, 2), (0, 3), (1, 2), (1, 3)]).unwrap();
//! assert_eq!(meet(&order, 0, 1), Bound::Cut(vec![2, 3]));
//! assert_eq!(meet(&order, 2, 3), Bound::None);
//! // In the completion there is an element between, below both and above both.
//! let between = Cut::meet_of(&order, &[0, 1]);
//! assert_eq!(between, Cut::join_of(&order, &[2, 3]));
//! assert_eq!((between.maximal(), between.upper(&order)), (&[2, 3][..], vec![0, 1]));
//! // `check` says so, with the pair; nothing here needed to be stopped.
//! let found = check(&order, &mut || false).unwrap();
//! assert_eq!(found.meets_unique(), Some(false));
//! assert_eq!(width(&order, &mut || false).unwrap().antichain.len(), 2);
//! ```
//!
//! # What it costs
//!
//! No answer enumerates subsets, cuts, or the pairs of the closure; none recurses. With *n* nodes and *m* edges,
//! * `Dag` takes space linear in *n* + *m*, whatever the shape, and a binary search for ⊑; in wide orders where
//!   nearly everything has several unrelated parents a walk up may be needed as well;
//! * components take time linear in *n* + *m*, and cycles a breadth-first search for each one listed, up to [`CycleLimits`];
//! * the check is quadratic and more in the part of the order that several parents reach, up to
//!   [`CheckLimits`], and linear in a forest;
//! * a width takes some rounds over the edges and space linear in *n*; an independence does so over the
//!   product of the observed values, up to [`PRODUCT_LIMIT`].
//!
//! What may take long asks a `stop` now and then, and ends without an answer when it says so.

mod adjacency;
mod bounds;
mod components;
pub mod concepts;
mod confluent;
mod dag;
mod distributive;
mod independence;
mod local;
mod matching;
mod ranges;
mod restricted;
mod spanning;
mod width;

pub use bounds::{Bound, Cut, join, join_of, meet, meet_of};
pub use components::{Components, CycleLimits, Cycles, components, cycle_of_each, cycles};
pub use dag::{Cycle, Dag, DownTest};
pub use distributive::{
    Ambiguous, CheckLimits, Count, FULL_CHECK, Law, Legitimacy, Meets, Shape, Sublattice, Triples,
    Violation, check, check_full, check_restricted, sublattice,
};
pub use independence::{Case, Independence, IndependenceError, Joint, PRODUCT_LIMIT, independence};
pub use width::{Width, width};
