//! The script room.
