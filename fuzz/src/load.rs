//! Any file of the forms that are loaded: it is refused, or what it says is a lattice
//! that can be told and built again.

use super::script;
use latweave::lattice::Builder;
use latweave::load::{Form, OnError, Options, Request, Silent, load};
use std::io::Write;

/// The first byte chooses the form of the file and what happens at a bad line.
pub fn load_file(bytes: &[u8]) {
    let Some((choice, content)) = bytes.split_first() else {
        return;
    };
    let (form, ending) = match choice % 5 {
        0 => (Form::Triples, ".txt"),
        1 => (Form::NTriples, ".nt"),
        2 => (Form::Table, ".csv"),
        3 => (Form::Table, ".tsv"),
        _ => (Form::JsonLines, ".jsonl"),
    };
    let on_error = match choice / 5 % 3 {
        0 => OnError::Skip,
        1 => OnError::Stop,
        _ => OnError::Quarantine,
    };
    let named = tempfile::Builder::new().suffix(ending).tempfile();
    let mut file = named.unwrap();
    file.write_all(content).unwrap();
    let request = Request {
        path: file.path().to_owned(),
        document: format!("fuzz{ending}"),
        form: Some(form),
        table: Some("fuzz".to_owned()),
        ..Request::default()
    };
    let options = Options {
        on_error,
        ..Options::default()
    };
    let mut builder = Builder::new();
    let _ = load(&mut builder, &request, &options, &mut Silent);
    if let Ok(lattice) = builder.freeze() {
        script::tell_again(&lattice);
    }
}
