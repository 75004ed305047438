//! Every input that the fuzz targets keep holds what they ask.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "../fuzz/src/lib.rs"]
mod bodies;

use std::path::Path;

const MOST_FILES: usize = 60;
const MOST_BYTES: usize = 8192;

#[test]
fn every_kept_input_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut ran = Vec::new();
    for (target, body) in bodies::TARGETS {
        let folder = std::fs::read_dir(corpus.join(target)).unwrap();
        let mut files: Vec<_> = folder.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(!files.is_empty() && files.len() <= MOST_FILES, "{target}");
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            assert!(bytes.len() <= MOST_BYTES, "{}", file.display());
            // Names the input where it does not hold.
            println!("{target}: {}", file.display());
            body(&bytes);
        }
        ran.push(format!("{target} {}", files.len()));
    }
    println!("inputs that ran: {}", ran.join(", "));
    let targets = std::fs::read_dir(corpus).unwrap().count();
    assert_eq!(targets, bodies::TARGETS.len(), "a folder has no target");
}
