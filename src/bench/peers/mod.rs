//! Those beside whom a lattice is measured, as an expert of each would set them up.

pub mod duckdb;
pub mod intervals;
pub mod sqlite;
