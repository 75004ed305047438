//! The audit room.
