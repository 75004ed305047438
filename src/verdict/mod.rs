//! The verdict room.
