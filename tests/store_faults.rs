//! What happens to a lattice file on a bad day: cut off, flipped, replaced by
//! something else, a full disk, a killed writer. Every reading either fails with a
//! sentence or says what was saved.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::*;
use std::path::{Path, PathBuf};

/// Something of every kind of section.
fn sample() -> Lattice {
    let mut b = Builder::new();
    let entity = |within: Option<&str>| KindSpec::Entity {
        within: within.map(str::to_owned),
    };
    let species = b
        .declare_dimension(DimensionSpec::new("species", KindSpec::Taxonomy))
        .unwrap();
    let born_in = b
        .declare_dimension(DimensionSpec {
            inverse: Some("birthplace of".into()),
            aka: vec!["birthplace".into()],
            ..DimensionSpec::new("born in", entity(Some("located in")))
        })
        .unwrap();
    let located = b
        .declare_dimension(DimensionSpec::new("located in", entity(None)))
        .unwrap();
    let unit = Some("km".to_owned());
    let size = b
        .declare_dimension(DimensionSpec::new("size", KindSpec::Number { unit }))
        .unwrap();
    let born = b
        .declare_dimension(DimensionSpec::new("born", KindSpec::Date))
        .unwrap();
    let note = b
        .declare_dimension(DimensionSpec::new("note", KindSpec::Text))
        .unwrap();
    b.add_unit("km", Decimal::parse("1000").unwrap(), "m")
        .unwrap();
    b.add_edge(species, "animal", "whale").unwrap();
    b.add_synonym(species, "whale", "Cetacea").unwrap();
    let ada = b
        .instance(Who::Both {
            name: "Ada",
            id: "q1",
        })
        .unwrap();
    let rome = b.instance(Who::Name("Rome")).unwrap();
    let italy = b.instance(Who::Name("Italy")).unwrap();
    b.add_alias(rome, "Roma").unwrap();
    for line in 0..40u64 {
        let confidence = if line % 3 == 0 { 0.5 } else { 1.0 };
        let text = format!("{line}: Ada was born in Rome, and so on and so forth");
        let source = b
            .source(&text, "a.txt", Some((line, line + 9)), Some(line))
            .unwrap();
        let facts = [
            (ada, species, FactValue::Term("whale")),
            (ada, born_in, FactValue::Instance(rome)),
            (rome, located, FactValue::Instance(italy)),
            (
                ada,
                size,
                FactValue::Number(NumberInterval::parse("1.5..2").unwrap()),
            ),
            (
                ada,
                born,
                FactValue::Date(DateInterval::parse("1914").unwrap()),
            ),
            (ada, note, FactValue::Text("n")),
        ];
        for (who, d, value) in facts.into_iter().skip(line as usize % 6) {
            b.add_fact(who, d, value, line == 7, confidence, source)
                .unwrap();
        }
    }
    b.freeze().unwrap()
}

/// All that can be read, or the first error.
fn all_of(lattice: &Lattice) -> Result<String, StoreError> {
    lattice.ensure()?;
    let mut said = format!(
        "{} {:?} {:?}\n",
        lattice.content_hash(),
        lattice.counts(),
        lattice.dimensions()
    );
    said += &format!("{:?} {:?}\n", lattice.units(), lattice.documents());
    for i in (0..lattice.instance_count()).map(InstanceId) {
        let called = lattice.called(&lattice.name(i).to_uppercase());
        said += &format!(
            "{} {} {:?} {called:?}\n",
            lattice.name(i),
            lattice.id(i),
            lattice.aliases(i)
        );
    }
    for d in (0..lattice.dimensions().len() as u16).map(DimensionId) {
        let values: Vec<Value> = (0..lattice.value_count(d) as u32)
            .map(|v| lattice.value(d, ValueId(v)))
            .collect();
        said += &format!("{values:?} {:?}\n", lattice.taxonomy(d));
        for relation in [lattice.positive(d), lattice.negative(d)] {
            for p in (0..relation.len() as u32).map(PredicateId) {
                said += &format!("{:?} {:?}\n", relation.subject(p), relation.sources(p));
            }
            said += &format!("{relation:?}\n");
        }
    }
    for e in (0..lattice.counts().evidence as u32).map(EvidenceId) {
        said += &format!("{:?}\n", lattice.evidence(e)?);
    }
    Ok(said)
}

struct Bed {
    _folder: tempfile::TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
    said: String,
}

fn bed() -> Bed {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lattice");
    let lattice = sample();
    lattice.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let said = all_of(&lattice).unwrap();
    Bed {
        _folder: folder,
        path,
        bytes,
        said,
    }
}

/// What a file says; an error if anything in it is not as it was written.
fn read(path: &Path) -> Result<String, StoreError> {
    let lattice = Lattice::open(path)?;
    let said = all_of(&lattice)?;
    lattice.verify_all()?;
    Ok(said)
}

#[test]
fn a_saved_lattice_reads_as_it_was() {
    let bed = bed();
    assert_eq!(read(&bed.path).unwrap(), bed.said);
    Lattice::open(&bed.path).unwrap().verify_all().unwrap();
}

#[test]
fn every_flipped_bit_is_found_or_harmless() {
    let bed = bed();
    for at in 0..bed.bytes.len() {
        for flip in [1u8, 0x80] {
            let mut bytes = bed.bytes.clone();
            bytes[at] ^= flip;
            std::fs::write(&bed.path, &bytes).unwrap();
            match read(&bed.path) {
                Ok(said) => {
                    assert_eq!(said, bed.said);
                    // Only a header slot has a twin.
                    assert!((16..208).contains(&at), "byte {at} is not checked");
                }
                Err(error) => check_sentence(&error),
            }
        }
    }
}

#[test]
fn every_cut_is_found() {
    let bed = bed();
    for length in 1..bed.bytes.len() {
        std::fs::write(&bed.path, &bed.bytes[..length]).unwrap();
        match read(&bed.path) {
            Err(StoreError::Truncated {
                expected, found, ..
            }) => {
                assert!(found == length as u64 && found < expected);
            }
            other => panic!("{length}: {other:?}"),
        }
    }
    let mut longer = bed.bytes.clone();
    longer.push(0);
    std::fs::write(&bed.path, &longer).unwrap();
    assert!(matches!(read(&bed.path), Err(StoreError::Damaged { .. })));
}

#[test]
fn what_is_no_lattice_has_its_own_sentence() {
    let bed = bed();
    let folder = bed.path.parent().unwrap();
    let is = |expected: fn(&StoreError) -> bool, bytes: &[u8]| {
        std::fs::write(&bed.path, bytes).unwrap();
        let error = read(&bed.path).unwrap_err();
        check_sentence(&error);
        assert!(expected(&error), "{error}");
    };
    is(|e| matches!(e, StoreError::Empty { .. }), b"");
    is(
        |e| matches!(e, StoreError::NotALattice { .. }),
        &vec![0; bed.bytes.len()],
    );
    is(
        |e| matches!(e, StoreError::NotALattice { .. }),
        b"SQLite format 3\0",
    );
    is(|e| matches!(e, StoreError::Truncated { .. }), b"LATW");
    let mut version = bed.bytes.clone();
    version[8] = 9;
    is(
        |e| {
            matches!(
                e,
                StoreError::OtherVersion {
                    found: 9,
                    expected: 1,
                    ..
                }
            )
        },
        &version,
    );
    let error = Lattice::open(folder).unwrap_err();
    assert!(matches!(error, StoreError::IsDirectory { .. }));
    assert!(matches!(
        sample().save(folder),
        Err(StoreError::IsDirectory { .. })
    ));
    let missing = folder.join("none").join("x.lattice");
    assert!(matches!(
        Lattice::open(&missing),
        Err(StoreError::NotFound { .. })
    ));
    assert!(matches!(
        sample().save(&missing),
        Err(StoreError::NotFound { .. })
    ));
}

fn check_sentence(error: &StoreError) {
    let text = error.to_string();
    assert!(text.contains("x.lattice") && text.contains("; "), "{text}");
    assert!(!text.contains(" you"), "{text}");
}

#[test]
fn a_failed_save_leaves_the_file_as_it_was() {
    let bed = bed();
    let damaged = {
        let mut bytes = bed.bytes.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let path = bed.path.with_extension("damaged");
        std::fs::write(&path, &bytes).unwrap();
        Lattice::open(&path).unwrap()
    };
    assert!(matches!(
        damaged.save(&bed.path),
        Err(StoreError::Damaged { .. })
    ));
    assert_eq!(std::fs::read(&bed.path).unwrap(), bed.bytes);
    let folder = bed.path.parent().unwrap();
    let left = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(left, 2, "a temporary file was left behind");
}

#[test]
fn a_reader_keeps_what_it_opened() {
    let bed = bed();
    let before = Lattice::open(&bed.path).unwrap();
    Lattice::empty().save(&bed.path).unwrap();
    assert_eq!(all_of(&before).unwrap(), bed.said);
    assert!(Lattice::open(&bed.path).unwrap().is_empty());
}

#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_the_old_and_a_link_stays() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let bed = bed();
    let mode = || std::fs::metadata(&bed.path).unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(&bed.path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let link = bed.path.with_extension("link");
    symlink(&bed.path, &link).unwrap();
    Lattice::empty().save(&link).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(Lattice::open(&bed.path).unwrap().is_empty());
    assert_eq!(mode(), 0o640);
}

/// Wants a folder on a file system of 1 MiB, as `mount -t tmpfs -o size=1m` gives.
#[test]
#[ignore = "needs a small file system named by SMALL_DISK"]
fn a_full_disk_has_its_own_sentence() {
    let folder = PathBuf::from(std::env::var("SMALL_DISK").unwrap());
    let path = folder.join("x.lattice");
    sample().save(&path).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut b = Builder::from_lattice(&sample()).unwrap();
    for n in 0..100_000 {
        b.instance(Who::Name(&format!("instance number {n}")))
            .unwrap();
    }
    let error = b.freeze().unwrap().save(&path).unwrap_err();
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    check_sentence(&error);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    read(&path).unwrap();
}

/// A lattice of `n` instances, so that versions can be told apart.
fn version(n: u64) -> Lattice {
    let mut b = Builder::from_lattice(&sample()).unwrap();
    for k in 0..n {
        b.instance(Who::Name(&format!("instance number {k}")))
            .unwrap();
    }
    b.freeze().unwrap()
}

/// Not a test: what the next one starts and kills.
#[test]
#[ignore = "writes until it is killed"]
fn child_that_saves_for_ever() {
    let Some(path) = std::env::var_os("SAVE_TO").map(PathBuf::from) else {
        return;
    };
    let versions = [version(500), version(1000)];
    loop {
        versions
            .iter()
            .for_each(|lattice| lattice.save(&path).unwrap());
    }
}

#[test]
fn a_killed_writer_leaves_a_whole_file() {
    let bed = bed();
    let sizes = [sample(), version(500), version(1000)].map(|v| v.counts());
    for round in 0..12u64 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_that_saves_for_ever", "--ignored"])
            .env("SAVE_TO", &bed.path)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(80 + round * 23));
        child.kill().unwrap();
        child.wait().unwrap();
        let lattice = Lattice::open(&bed.path).unwrap();
        lattice.verify_all().unwrap();
        assert!(sizes.contains(&lattice.counts()));
    }
}

/// Rebuilds a file whose hashes are right after its sections were changed.
fn rehashed(mut bytes: Vec<u8>) -> Vec<u8> {
    let at =
        |bytes: &[u8], k: usize| -> u64 { u64::from_le_bytes(bytes[k..k + 8].try_into().unwrap()) };
    let table = at(&bytes, 24) as usize;
    for entry in (table..bytes.len()).step_by(56) {
        let (offset, length) = (
            at(&bytes, entry + 8) as usize,
            at(&bytes, entry + 16) as usize,
        );
        let padded = offset..(offset + length).next_multiple_of(8);
        let hash = *blake3::hash(&bytes[padded]).as_bytes();
        bytes[entry + 24..entry + 56].copy_from_slice(&hash);
    }
    let hash = *blake3::hash(&bytes[table..]).as_bytes();
    for slot in [16, 16 + 96] {
        bytes[slot + 32..slot + 64].copy_from_slice(&hash);
        bytes[slot + 64..slot + 96].fill(0);
        let mut hasher = blake3::Hasher::new();
        hasher.update(&bytes[..16]);
        hasher.update(&bytes[slot..slot + 96]);
        let hash = *hasher.finalize().as_bytes();
        bytes[slot + 64..slot + 96].copy_from_slice(&hash);
    }
    bytes
}

/// Asks everything that takes an index from the file.
fn exercise(lattice: &Lattice) {
    let _ = all_of(lattice);
    let _ = lattice.verify_all();
    for word in ["Ada", "ada", "roma", "rom", "q1", ""] {
        let _ = (
            lattice.called(word),
            lattice.by_id(word),
            lattice.nearest_names(word),
        );
        let _ = (
            lattice.names_with_prefix(word, 9),
            lattice.find_dimension(word),
        );
        for d in (0..8).map(DimensionId) {
            let _ = (
                lattice.find_text(d, word),
                lattice.taxonomy(d).map(|t| t.find(word)),
            );
        }
    }
    for d in (0..8).map(DimensionId) {
        for v in (0..9).chain([u32::MAX]) {
            let _ = lattice.value(d, ValueId(v));
            let _ = (
                lattice.positive(d).holders(ValueId(v)),
                lattice.negative(d).of(InstanceId(v)),
            );
        }
    }
    let _ = Builder::from_lattice(lattice);
}

#[test]
fn malformed_content_under_right_hashes_does_not_panic() {
    let bed = bed();
    assert_eq!(rehashed(bed.bytes.clone()), bed.bytes);
    let table = u64::from_le_bytes(bed.bytes[24..32].try_into().unwrap()) as usize;
    // Every byte of what is decoded; of the content hash, a state of 2 KiB, a few.
    let decoded = (208..table - 2048).chain((table - 2048..table).step_by(512));
    for at in decoded {
        for flip in [0x01u8, 0xff].into_iter().skip(at % 2) {
            let mut bytes = bed.bytes.clone();
            bytes[at] ^= flip;
            std::fs::write(&bed.path, rehashed(bytes)).unwrap();
            if let Ok(lattice) = Lattice::open(&bed.path) {
                exercise(&lattice);
            }
        }
    }
}

#[test]
fn what_is_not_there_reads_as_nothing() {
    for lattice in [Lattice::empty(), sample()] {
        exercise(&lattice);
        let (none, i) = (DimensionId(u16::MAX), InstanceId(u32::MAX));
        assert_eq!(
            (lattice.name(i), lattice.id(i), lattice.aliases(i)),
            ("", "", vec![])
        );
        assert_eq!(lattice.dimension(none).name, "");
        assert!(lattice.positive(none).is_empty() && lattice.recorded_values(none).is_empty());
        assert!(lattice.evidence(EvidenceId(u32::MAX)).is_err());
        assert_eq!(
            lattice
                .positive(DimensionId(0))
                .sources(PredicateId(u32::MAX)),
            []
        );
        assert_eq!(
            lattice.positive(DimensionId(0)).row(usize::MAX - 1).len(),
            0
        );
    }
    assert!(Lattice::empty().is_empty() && !sample().is_empty());
    assert_eq!(Lattice::empty().counts(), Counts::default());
}
