//! What happens to a lattice file on a bad day: cut off, flipped, replaced by
//! something else, a full disk, a killed writer. Every reading either fails with a
//! sentence or says what was saved.
#![allow(clippy::unwrap_used, clippy::panic)]

use latweave::lattice::*;
use proptest::prelude::*;
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
            for (i, row) in relation.rows() {
                said += &format!("{i:?} {row:?}\n");
                for p in (0..row.len()).map(|k| row.predicate(k)) {
                    let of = (relation.subject(p), relation.value(p));
                    said += &format!("{of:?} {:?}\n", relation.sources(p));
                }
            }
            for &v in relation.distinct_values() {
                said += &format!("{v} {:?}\n", relation.holders(ValueId(v)).to_vec());
            }
        }
    }
    for e in (0..lattice.counts().evidence as u32).map(EvidenceId) {
        said += &format!("{:?}\n", lattice.evidence(e)?);
    }
    lattice.intact()?;
    Ok(said)
}

struct Bed {
    _folder: tempfile::TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
    said: String,
}

fn tiny() -> Lattice {
    let mut b = Builder::new();
    let note = b
        .declare_dimension(DimensionSpec::new("note", KindSpec::Text))
        .unwrap();
    let ada = b.instance(Who::Name("Ada")).unwrap();
    let source = b.source("Ada: n", "a.txt", None, Some(1)).unwrap();
    b.add_fact(ada, note, FactValue::Text("n"), false, 1.0, source)
        .unwrap();
    b.freeze().unwrap()
}

fn bed() -> Bed {
    bed_of(&sample())
}

fn bed_of(lattice: &Lattice) -> Bed {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lattice");
    lattice.save(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let said = all_of(lattice).unwrap();
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

/// Random numbers that are the same at every run; printed where a test fails.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let seed = 0x1a77_1ce5;
        println!("seed {seed:#x}");
        Random(seed)
    }
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
    /// So many of the places, and those of the header and the table of contents.
    fn places(&mut self, length: usize, count: usize) -> Vec<usize> {
        let ends = (0..240.min(length)).chain(length.saturating_sub(100)..length);
        let some: Vec<usize> = (0..count).map(|_| self.below(length)).collect();
        ends.chain(some).collect()
    }
}

fn flip(bed: &Bed, at: usize, flip: u8) {
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

#[test]
fn every_flipped_bit_of_a_tiny_file_is_found_or_harmless() {
    let bed = bed_of(&tiny());
    for at in 0..bed.bytes.len() {
        flip(&bed, at, 1 << (at % 8));
    }
}

#[test]
fn flipped_bits_of_all_kinds_of_sections_are_found_or_harmless() {
    let bed = bed();
    let mut random = Random::new();
    for at in random.places(bed.bytes.len(), 400) {
        flip(&bed, at, 1 << random.below(8));
    }
}

#[test]
fn a_cut_is_found() {
    let bed = bed();
    let mut random = Random::new();
    for length in random.places(bed.bytes.len(), 1000) {
        if length == 0 {
            continue;
        }
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
    // Behind the end may lie what a change had written when it was broken off.
    let mut longer = bed.bytes.clone();
    longer.extend_from_slice(b"something else");
    std::fs::write(&bed.path, &longer).unwrap();
    read(&bed.path).unwrap();
    let lattice = Lattice::open(&bed.path).unwrap();
    assert!(lattice.as_bytes() == bed.bytes);
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
                    expected: 3,
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
    for round in 0..10u64 {
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

/// The bytes with right hashes, if there is a table of contents to see them by.
fn rehash(bytes: &[u8]) -> Option<Vec<u8>> {
    let table = bytes.get(24..32)?.try_into().ok().map(u64::from_le_bytes)?;
    let rest = bytes.len().checked_sub(usize::try_from(table).ok()?)?;
    if table < 208 || rest % 56 != 0 {
        return None;
    }
    for entry in (table as usize..bytes.len()).step_by(56) {
        let at = |k: usize| Some(u64::from_le_bytes(bytes.get(k..k + 8)?.try_into().ok()?));
        let (offset, length) = (at(entry + 8)?, at(entry + 16)?);
        let end = offset.checked_add(length)?.checked_next_multiple_of(8)?;
        let sums = length.div_ceil(PAGE as u64).checked_mul(SUM as u64)?;
        let end = end.checked_add(sums)?;
        bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?)?;
    }
    Some(rehashed(bytes.to_vec()))
}

const PAGE: usize = 1 << 14;
const SUM: usize = 16;

/// The checksums of the pages of a section.
fn sums_of(section: &[u8]) -> Vec<u8> {
    let sum = |page: &[u8]| blake3::hash(page).as_bytes()[..SUM].to_vec();
    section.chunks(PAGE).flat_map(sum).collect()
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
        let sums = sums_of(&bytes[offset..offset + length]);
        let start = (offset + length).next_multiple_of(8);
        bytes[start..start + sums.len()].copy_from_slice(&sums);
        let hash = *blake3::hash(&sums).as_bytes();
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
    // Of what is decoded; the content hash, a state of 2 KiB, is not.
    let mut random = Random::new();
    for _ in 0..900 {
        let mut bytes = bed.bytes.clone();
        for _ in 0..1 + random.below(3) {
            let at = 208 + random.below(table - 2048 - 208);
            bytes[at] ^= [0x01, 0x80, 0xff][random.below(3)];
        }
        asked(&bytes);
    }
}

/// Takes a file from memory and asks it everything.
fn asked(bytes: &[u8]) {
    let bytes = match rehash(bytes) {
        Some(bytes) => bytes,
        None => bytes.to_vec(),
    };
    if let Ok(lattice) = Lattice::from_bytes(&bytes) {
        exercise(&lattice);
    }
}

/// A section with ranges changed, put in or taken out.
#[derive(Clone, Debug)]
enum Edit {
    Change(Vec<u8>),
    Insert(Vec<u8>),
    Delete(usize),
}

fn edits() -> impl Strategy<Value = Vec<(usize, prop::sample::Index, Edit)>> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..12);
    let edit = prop_oneof![
        bytes().prop_map(Edit::Change),
        bytes().prop_map(Edit::Insert),
        // Whole elements and odd ranges.
        prop::sample::select(vec![1usize, 3, 4, 8, 16, 56]).prop_map(Edit::Delete),
        prop::sample::select(vec![4usize, 8, 16]).prop_map(|n| Edit::Insert(vec![0; n])),
    ];
    prop::collection::vec((0usize..64, any::<prop::sample::Index>(), edit), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 700, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edited_sections_under_right_hashes_do_not_panic(edits in edits(), small in any::<bool>()) {
        static FILES: std::sync::LazyLock<[Vec<u8>; 2]> =
            std::sync::LazyLock::new(|| [tiny(), sample()].map(|l| l.as_bytes().to_vec()));
        let mut sections = sections_of(&FILES[usize::from(!small)]);
        let count = sections.len();
        for (which, at, edit) in edits {
            let section = &mut sections[which % count].2;
            let at = at.index(section.len() + 1);
            match edit {
                Edit::Change(bytes) => {
                    for (slot, byte) in section[at..].iter_mut().zip(bytes) {
                        *slot = byte;
                    }
                }
                Edit::Insert(bytes) => { section.splice(at..at, bytes); }
                Edit::Delete(n) => { section.drain(at..(at + n).min(section.len())); }
            }
        }
        if let Ok(lattice) = Lattice::from_bytes(&assembled(&sections)) {
            exercise(&lattice);
        }
    }

    #[test]
    fn any_bytes_are_refused_or_read(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        head in any::<bool>(),
    ) {
        let mut bytes = bytes;
        if head {
            bytes.splice(0..0, *b"LATWEAVE\x01\0\0\0\0\0\0\0");
        }
        asked(&bytes);
    }
}

/// The sections of a file: kind, dimension and bytes.
fn sections_of(bytes: &[u8]) -> Vec<(u32, u32, Vec<u8>)> {
    let at = |k: usize| u64::from_le_bytes(bytes[k..k + 8].try_into().unwrap()) as usize;
    let table = at(24);
    let short = |k: usize| u32::from_le_bytes(bytes[k..k + 4].try_into().unwrap());
    (table..bytes.len())
        .step_by(56)
        .map(|entry| {
            let (offset, length) = (at(entry + 8), at(entry + 16));
            let section = bytes[offset..offset + length].to_vec();
            (short(entry), short(entry + 4), section)
        })
        .collect()
}

/// A file of these sections, with right hashes.
fn assembled(sections: &[(u32, u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = sample().as_bytes()[..208].to_vec();
    let mut table = Vec::new();
    for (part, dimension, section) in sections {
        table.extend(part.to_le_bytes());
        table.extend(dimension.to_le_bytes());
        table.extend((bytes.len() as u64).to_le_bytes());
        table.extend((section.len() as u64).to_le_bytes());
        table.extend([0; 32]);
        bytes.extend(section);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend(sums_of(section));
    }
    for slot in [16, 16 + 96] {
        let ends = [bytes.len(), table.len(), bytes.len() + table.len()];
        for (k, end) in ends.into_iter().enumerate() {
            let at = slot + 8 + k * 8;
            bytes[at..at + 8].copy_from_slice(&(end as u64).to_le_bytes());
        }
    }
    bytes.extend(table);
    rehashed(bytes)
}

#[test]
fn a_file_taken_apart_and_put_together_is_the_same() {
    for lattice in [tiny(), sample()] {
        let bytes = lattice.as_bytes();
        assert_eq!(assembled(&sections_of(bytes)), bytes);
        let again = Lattice::from_bytes(bytes).unwrap();
        assert_eq!(all_of(&again).unwrap(), all_of(&lattice).unwrap());
    }
}

#[test]
fn what_a_killed_writer_left_behind_is_used_or_removed() {
    let bed = bed();
    let folder = bed.path.parent().unwrap();
    let count = || std::fs::read_dir(folder).unwrap().count();
    for name in [".x.lattice.lattice-new", ".other.lattice-new"] {
        std::fs::write(folder.join(name), "half a latt").unwrap();
    }
    std::fs::write(folder.join(".mine"), "kept").unwrap();
    // One that a living writer holds stays.
    let held = WriteLock::take(&folder.join("held")).unwrap();
    sample().save(&bed.path).unwrap();
    assert_eq!(count(), 3);
    assert_eq!(read(&bed.path).unwrap(), bed.said);
    held.save(&tiny()).unwrap();
    assert_eq!(count(), 3);
    Lattice::open(&folder.join("held"))
        .unwrap()
        .verify_all()
        .unwrap();
}

#[test]
fn two_writers_of_one_file_take_turns_and_readers_read() {
    // Case 25.
    let bed = bed();
    let lock = WriteLock::take(&bed.path).unwrap();
    let error = WriteLock::take(&bed.path).unwrap_err();
    check_sentence(&error);
    assert!(matches!(error, StoreError::Busy { .. }));
    assert_eq!(read(&bed.path).unwrap(), bed.said);
    drop(lock);
    assert_eq!(read(&bed.path).unwrap(), bed.said);
    assert_eq!(
        std::fs::read_dir(bed.path.parent().unwrap())
            .unwrap()
            .count(),
        1
    );
    // Each of four adds what is there already; none is lost.
    Lattice::empty().save(&bed.path).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|w| {
                let path = &bed.path;
                scope.spawn(move || {
                    for n in 0..5 {
                        let lock = loop {
                            match WriteLock::take(path) {
                                Ok(lock) => break lock,
                                Err(StoreError::Busy { .. }) => std::thread::yield_now(),
                                Err(error) => panic!("{error}"),
                            }
                        };
                        let mut b = Builder::from_lattice(&Lattice::open(path).unwrap()).unwrap();
                        b.declare_instance(Who::Name(&format!("{w} {n}"))).unwrap();
                        lock.save(&b.freeze().unwrap()).unwrap();
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            let mut most = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let lattice = Lattice::open(&bed.path).unwrap();
                lattice.verify_all().unwrap();
                assert!(lattice.instance_count() >= most);
                most = lattice.instance_count();
            }
        });
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(Lattice::open(&bed.path).unwrap().instance_count(), 20);
    // Without the lock the last one wins, and the file is whole all the same.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| sample().save(&bed.path).unwrap()));
        }
    });
    assert_eq!(read(&bed.path).unwrap(), bed.said);
    assert_eq!(
        std::fs::read_dir(bed.path.parent().unwrap())
            .unwrap()
            .count(),
        1
    );
}

#[cfg(unix)]
#[test]
fn a_link_in_the_way_is_not_followed() {
    let bed = bed();
    let folder = bed.path.parent().unwrap();
    let other = folder.join("other");
    std::fs::write(&other, "precious").unwrap();
    let way = folder.join(".x.lattice.lattice-new");
    for plant in [
        std::os::unix::fs::symlink::<&Path, &Path>,
        std::fs::hard_link,
    ] {
        plant(&other, &way).unwrap();
        let error = tiny().save(&bed.path).unwrap_err();
        assert!(error.to_string().contains("in the way"), "{error}");
        std::fs::remove_file(&way).unwrap();
    }
    assert_eq!(std::fs::read(&other).unwrap(), b"precious");
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
    }
    assert!(Lattice::empty().is_empty() && !sample().is_empty());
    assert_eq!(Lattice::empty().counts(), Counts::default());
}
