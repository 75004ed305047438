//! The eval room.
