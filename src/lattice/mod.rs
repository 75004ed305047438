//! The lattice room.
