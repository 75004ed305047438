//! Workloads made here, from a seed: the same files on every machine. What is true
//! of the answers is found by the plain scans of [`super::reference`].

mod draw;
mod hops;
mod taxa;

pub use draw::Draw;
pub use hops::{FILMS, hops};
pub use taxa::taxa;
