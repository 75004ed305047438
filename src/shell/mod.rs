//! The shell room.
