//! A builder with little memory: the same bytes, and nothing left behind.

#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::{Builder, SaveError};
use latweave::load::{Form, OnError, Options, Request, Silent, load};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Files of several forms, with bad rows in between: more facts and sources than are
/// kept together.
fn write_files(folder: &Path) -> Vec<PathBuf> {
    let mut schema = String::from(
        "DIMENSION kind TAXONOMY ONE thing > city, river\n\
         DIMENSION size NUMBER\n\
         DIMENSION born DATE\n\
         DIMENSION near ENTITY INVERSE beside\n\
         DIMENSION touches ENTITY INVERSE touches\n",
    );
    for n in (0..500).rev() {
        let confidence = if n % 3 == 0 { " CONFIDENCE 0.5" } else { "" };
        let near = if n % 7 == 0 { "!=" } else { "=" };
        schema.push_str(&format!(
            "FACT \"place {n}\" size = {}, near {near} \"place {}\", touches = \"place {}\"{confidence} \
             SOURCE \"words {n}\" FROM \"book {}\" LINE {}\n",
            n % 50,
            n / 2,
            n / 3,
            n % 4,
            n / 5,
        ));
    }
    let mut table = String::from("id,name,size,born,note\n");
    for n in 0..6000 {
        match n % 100 {
            99 => table.push_str("short\n"),
            98 => table.push_str(&format!("{n},bad {n},no number,1990,\n")),
            _ => table.push_str(&format!(
                "{},\"Café {n}\",{}.5,{}-03-0{},note {}\n",
                n % 5500,
                n % 40,
                1900 + n % 90,
                1 + n % 9,
                n % 11,
            )),
        }
    }
    let mut triples = String::new();
    for n in 0..5000 {
        triples.push_str(&format!("place {}|near|place {}\n", n % 900, n % 777));
    }
    let files = [
        ("schema.lq", schema),
        ("t.csv", table),
        ("more.txt", triples),
    ];
    files
        .into_iter()
        .map(|(name, text)| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            path
        })
        .collect()
}

fn told(mut builder: Builder, files: &[PathBuf]) -> Builder {
    let options = Options {
        on_error: OnError::Skip,
        ..Options::default()
    };
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let request = Request {
            document: name.to_owned(),
            form: Form::of_ending(file),
            ..Request::new(file)
        };
        load(&mut builder, &request, &options, &mut Silent).unwrap();
    }
    builder
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn little_memory_and_any_number_of_threads_give_the_same_bytes() {
    let place = TempDir::new().unwrap();
    let files = write_files(place.path());
    let lattice = told(Builder::new(), &files).freeze().unwrap();
    let counts = lattice.counts();
    assert!(counts.predicates > 10_000 && counts.evidence > 10_000);
    let out = TempDir::new().unwrap();
    for (memory, threads) in [(1, 1), (1, 2), (1 << 18, 3), (1 << 30, 1), (1 << 30, 2)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let path = out.path().join("x.lattice");
        let builder = told(Builder::within(memory, out.path()), &files);
        // A temporary file has no name.
        assert_eq!(names_in(out.path()), Vec::<String>::new());
        let built = pool.build().unwrap();
        let built = built.install(|| builder.save(&path, &|| false)).unwrap();
        let same = fs::read(&path).unwrap() == lattice.as_bytes();
        assert!(same, "{memory} bytes, {threads} threads");
        assert_eq!(built.counts, counts);
        assert_eq!(built.content_hash, lattice.content_hash());
        assert_eq!(names_in(out.path()), ["x.lattice"]);
        fs::remove_file(&path).unwrap();
    }
    // What was computed on the way is what the lattice says, computed from it anew.
    lattice.verify_all().unwrap();
}

#[test]
fn what_is_spilled_can_be_taken_back() {
    let place = TempDir::new().unwrap();
    let files = write_files(place.path());
    let (first, rest) = files.split_first().unwrap();
    let first = std::slice::from_ref(first);
    let before = told(Builder::new(), first).freeze().unwrap();
    let mut builder = told(Builder::within(1, place.path()), first);
    let outer = builder.checkpoint();
    let mut builder = told(builder, rest);
    let inner = builder.checkpoint();
    assert!(builder.retract_document("t.csv") > 6000);
    builder.rollback(inner);
    let all = told(Builder::new(), &files).freeze().unwrap();
    assert!(builder.freeze().unwrap().as_bytes() == all.as_bytes());
    builder.rollback(outer);
    assert_eq!(
        builder.freeze().unwrap().content_hash(),
        before.content_hash()
    );
}

#[test]
fn what_is_not_finished_leaves_nothing() {
    let place = TempDir::new().unwrap();
    let files = write_files(place.path());
    let out = TempDir::new().unwrap();
    let path = out.path().join("x.lattice");
    fs::write(&path, "as it was").unwrap();
    // Asked again and again, and stopped at every stage in turn.
    let mut stages = 0;
    loop {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let stopped = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == stages;
        let builder = told(Builder::within(1, out.path()), &files);
        match builder.save(&path, &stopped) {
            Err(SaveError::Stopped) => {
                assert_eq!(names_in(out.path()), ["x.lattice"]);
                assert_eq!(fs::read(&path).unwrap(), b"as it was");
            }
            done => {
                done.unwrap();
                break;
            }
        }
        stages += 1;
    }
    assert!(stages > 2);
    assert_eq!(names_in(out.path()), ["x.lattice"]);
}

#[test]
fn a_folder_that_takes_no_file_is_told() {
    let place = TempDir::new().unwrap();
    let files = write_files(place.path());
    let gone = place.path().join("gone");
    let builder = told(Builder::within(1, &gone), files.get(..1).unwrap());
    let error = builder.save(&place.path().join("x.lattice"), &|| false);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("a temporary file"), "{error}");
    // A load ends as soon as it shows.
    let mut builder = Builder::within(1, &gone);
    let table = Request::new(files.get(1).unwrap());
    let skip = Options {
        on_error: OnError::Skip,
        ..Options::default()
    };
    let error = load(&mut builder, &table, &skip, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("a temporary file"), "{error}");
}
