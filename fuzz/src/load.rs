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
    // Numbers below 15 meant these forms before there were others, and keep the corpus.
    let (form, ending) = match (*choice < 15, choice % 5, (choice / 3) % 7) {
        (true, 0, _) => (Form::Triples, ".txt"),
        (true, 1, _) => (Form::NTriples, ".nt"),
        (true, 2, _) => (Form::Table, ".csv"),
        (true, 3, _) => (Form::Table, ".tsv"),
        (true, _, _) => (Form::JsonLines, ".jsonl"),
        (false, _, 0) => (Form::Obo, ".obo"),
        (false, _, 1) => (Form::Rdf, ".ttl"),
        (false, _, 2) => (Form::Rdf, ".rdf"),
        (false, _, 3) => (Form::Rdf, ".jsonld"),
        (false, _, 4) => (Form::WordNet, ".noun"),
        (false, _, 5) => (Form::Edges, ".csv"),
        (false, _, _) => (Form::Context, ".cxt"),
    };
    let skip = match *choice < 15 {
        true => choice / 5 % 3,
        false => choice % 3,
    };
    let on_error = match skip {
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
