//! The stable JSON shape of a verdict (the book's page "JSON").
