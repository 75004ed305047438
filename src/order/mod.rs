//! The order room.
