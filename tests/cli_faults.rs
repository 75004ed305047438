//! Lattice files that are missing, are none, or are damaged: each its sentence.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cli_support;

use cli_support::Place;

#[test]
fn every_fault_of_a_file_has_its_own_sentence() {
    let place = Place::with_animals();
    let whole = std::fs::read(place.path("animals.lattice")).unwrap();
    place.write("empty.lattice", "");
    place.write("text.lattice", "this is no lattice at all, but some text");
    place.write("cut.lattice", &whole[..whole.len() / 2]);
    place.write("zeros.lattice", vec![0_u8; whole.len()]);
    place.write("folder.lattice/x", "");
    let mut text = String::new();
    for name in ["nothing", "folder", "empty", "text", "cut", "zeros"] {
        let file = format!("{name}.lattice");
        for arguments in [
            &["run", "-l", &file, "-c", "SHOW INSTANCES"][..],
            &["show", &file],
            &["check", &file],
        ] {
            let done = place.run(arguments);
            assert_eq!(done.status, 1, "{arguments:?}: {}", done.text());
            assert_eq!(done.stdout, "", "{arguments:?}");
            assert!(!done.stderr.contains("panicked"), "{}", done.text());
        }
        text.push_str(&place.run(&["show", &file]).text());
    }
    snapshot!("cli_faults", text);
}

#[test]
fn a_flipped_byte_is_found_by_check() {
    let place = Place::with_animals();
    let whole = std::fs::read(place.path("animals.lattice")).unwrap();
    let mut noticed = 0;
    let places: Vec<usize> = (0..whole.len()).step_by(whole.len() / 40 + 1).collect();
    for at in &places {
        let mut flipped = whole.clone();
        flipped[*at] ^= 0x10;
        place.write("flipped.lattice", flipped);
        let done = place.run(&["check", "flipped.lattice"]);
        assert!(
            !done.stderr.contains("panicked"),
            "byte {at}: {}",
            done.text()
        );
        noticed += usize::from(done.status == 1);
        let done = place.run(&["show", "flipped.lattice", "Keiko"]);
        assert!(
            !done.stderr.contains("panicked"),
            "byte {at}: {}",
            done.text()
        );
    }
    // Padding between sections and the older header carry nothing.
    assert!(
        noticed * 10 >= places.len() * 8,
        "{noticed} of {}",
        places.len()
    );
}
