//! What goes wrong around the program: it is killed, the disk is full, the file is
//! protected, cut or altered, memory ends, others read and write. The file holds what was
//! committed last, each fault has its sentence, and no answer is wrong.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod cli_support;

use cli_support::Place;
use latweave::Lattice;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Random numbers that are the same at every run; the seed is printed where a test fails.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let seed = 0x5eed_0024;
        println!("seed {seed:#x}");
        Random(seed)
    }
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit.max(1)
    }
}

/// Triples in which every value tells the version.
fn triples(version: &str, count: usize) -> String {
    let mut text = String::new();
    for k in 0..count {
        writeln!(text, "thing {k}|is|{version}").unwrap();
        writeln!(
            text,
            "thing {k}|beside|thing {} of {version}",
            k * 7 % count
        )
        .unwrap();
    }
    text
}

/// A place with `a.txt` and `b.txt`, and a lattice of each.
fn with_versions(count: usize) -> Place {
    let place = Place::new();
    for version in ["a", "b"] {
        place.write(&format!("{version}.txt"), triples(version, count));
        let (lattice, text) = (format!("{version}.lattice"), format!("{version}.txt"));
        let done = place.run(&["build", "-o", &lattice, &text]);
        assert_eq!(done.status, 0, "{}", done.text());
    }
    place
}

fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_latweave"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// What a shell makes of a line in which `$LW` is the program.
fn shell(folder: &Path, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("LW", env!("CARGO_BIN_EXE_latweave"))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The end was a status and a sentence, no signal and no panic.
fn ended(output: &Output) -> i32 {
    let text = errors(output);
    assert_eq!(output.status.signal(), None, "{text}");
    assert!(!text.contains("panicked"), "{text}");
    let status = output.status.code().unwrap();
    // A shell tells a signal as 128 and its number.
    assert!(status < 128, "{status}: {text}");
    status
}

fn hash(path: &Path) -> String {
    let lattice = Lattice::open(path).unwrap();
    lattice.verify_all().unwrap();
    lattice.content_hash().to_string()
}

/// Case 24: hundreds of kills at random moments of a build.
#[test]
fn a_killed_build_leaves_the_last_committed_state() {
    const KILLS: u64 = 200;
    const ROUNDS: u64 = 4_000;
    let place = with_versions(60);
    let path = place.path("x.lattice");
    let versions = ["a", "b"].map(|v| hash(&place.path(&format!("{v}.lattice"))));
    let mut random = Random::new();
    let begun = Instant::now();
    let first = place.run(&["build", "-o", "x.lattice", "a.txt"]);
    assert_eq!(first.status, 0, "{}", first.text());
    // About as long as a build takes, in microseconds, so that kills fall into all of it.
    let mut whole = begun.elapsed().as_micros() as u64;
    let (mut killed, mut rounds, mut committed) = (0, 0, versions[0].clone());
    while killed < KILLS {
        rounds += 1;
        assert!(rounds < ROUNDS, "only {killed} were killed");
        let round = rounds;
        let next = usize::from(random.below(2) == 1);
        let text = ["a.txt", "b.txt"][next];
        let mut child = program(&place.path("."), &["build", "-o", "x.lattice", text])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(whole)));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        // The machine may be faster or slower than before.
        match ended.signal() {
            Some(9) => (killed, whole) = (killed + 1, whole + whole / 40),
            _ => whole -= whole / 20,
        }
        let found = hash(&path);
        if ended.success() {
            assert_eq!(found, versions[next], "round {round}");
        } else {
            let either = [&committed, &versions[next]];
            assert!(either.contains(&&found), "round {round}: {found}");
        }
        committed = found;
        let files = place.files();
        let strange = files
            .iter()
            .find(|name| name.starts_with('.') && *name != ".x.lattice.lattice-new");
        assert_eq!(strange, None, "round {round}");
    }
    println!("{killed} of {rounds} were killed");
    // What the last kill left behind goes with the next build.
    assert_eq!(place.run(&["build", "-o", "x.lattice", "b.txt"]).status, 0);
    assert_eq!(hash(&path), versions[1]);
    assert!(!place.files().iter().any(|name| name.starts_with('.')));
}

/// Case 24: hundreds of kills at random moments of adding and removing.
#[test]
fn a_killed_change_leaves_the_last_committed_state() {
    const KILLS: u64 = 200;
    const ROUNDS: u64 = 4_000;
    let place = Place::new();
    place.write("base.txt", triples("base", 40));
    // By the documents beside the base, as bits.
    let mut states = Vec::new();
    for documents in [&[][..], &["a.txt"], &["b.txt"], &["a.txt", "b.txt"]] {
        place.write("a.txt", triples("a", 30));
        place.write("b.txt", triples("b", 30));
        let arguments = [&["build", "-o", "x.lattice", "base.txt"], documents].concat();
        assert_eq!(place.run(&arguments).status, 0);
        states.push(hash(&place.path("x.lattice")));
    }
    let mut random = Random::new();
    let (mut whole, mut killed, mut rounds, mut state) = (40_000, 0, 0, 3);
    while killed < KILLS {
        rounds += 1;
        assert!(rounds < ROUNDS, "only {killed} were killed");
        let bit = 1 << random.below(2);
        let next: usize = state ^ bit;
        let verb = if next & bit == 0 { "remove" } else { "add" };
        let text = if bit == 1 { "a.txt" } else { "b.txt" };
        let mut child = program(&place.path("."), &[verb, "x.lattice", text])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(whole)));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        match ended.signal() {
            Some(9) => (killed, whole) = (killed + 1, whole + whole / 40),
            _ => whole -= whole / 20,
        }
        let found = hash(&place.path("x.lattice"));
        let is_done = found == states[next];
        assert!(
            is_done || (found == states[state] && !ended.success()),
            "round {rounds}: {verb} {text} left {found}"
        );
        state = if is_done { next } else { state };
        let mut files = place.files().into_iter();
        let strange = files.find(|name| name.starts_with('.') && name != ".x.lattice.lattice-new");
        assert_eq!(strange, None, "round {rounds}");
    }
    println!("{killed} of {rounds} were killed");
}

/// A first build that is killed leaves no file that is not whole.
#[test]
fn a_killed_first_build_leaves_no_file_or_a_whole_one() {
    let place = with_versions(60);
    let path = place.path("x.lattice");
    let expected = hash(&place.path("a.lattice"));
    let mut random = Random::new();
    let mut whole = 60_000;
    for round in 0..60 {
        let _ = std::fs::remove_file(&path);
        let mut child = program(&place.path("."), &["build", "-o", "x.lattice", "a.txt"])
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(random.below(whole)));
        child.kill().unwrap();
        let ended = child.wait().unwrap();
        match path.exists() {
            true => assert_eq!(hash(&path), expected, "round {round}"),
            false => assert!(!ended.success(), "round {round}"),
        }
        match ended.success() {
            true => whole -= whole / 8,
            false => whole += whole / 16,
        }
    }
}

/// Case 25: many readers beside a writer, each in a process of its own. Each sees one
/// whole version: the hash of one, and the answers of the same one.
#[test]
fn readers_in_other_processes_see_one_whole_version() {
    let place = with_versions(400);
    let folder = place.path(".");
    let asked = "SHOW DIMENSIONS MEET \"is\" = a MEET \"is\" = b MEET name = \"thing 7\" RETURN beside \
        DESCRIBE \"thing 9\"";
    let said = |file: &str| {
        let show = program(&folder, &["show", file]).output().unwrap();
        let run = ["run", "-l", file, "--format", "jsonl", "-c", asked];
        let run = program(&folder, &run).output().unwrap();
        for output in [&show, &run] {
            assert_eq!(ended(output), 0, "{}", errors(output));
        }
        let text = |output: Output| String::from_utf8(output.stdout).unwrap();
        // `show` names the file.
        (text(show).replace(file, "FILE"), text(run))
    };
    let versions = ["a.lattice", "b.lattice"].map(said);
    assert_ne!(versions[0], versions[1]);
    assert!(versions[0].0.contains("b3:"), "{}", versions[0].0);
    std::fs::copy(place.path("a.lattice"), place.path("x.lattice")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let (mut seen, mut rounds) = ([0_u32; 2], 0);
                    while rounds < 5 || !done.load(Ordering::Relaxed) {
                        let (show, run) = said("x.lattice");
                        let of = |found: &dyn Fn(&(String, String)) -> bool| {
                            let version = versions.iter().position(found);
                            version.unwrap_or_else(|| panic!("no version says\n{show}\n{run}"))
                        };
                        seen[of(&|version| version.0 == show)] += 1;
                        seen[of(&|version| version.1 == run)] += 1;
                        rounds += 1;
                    }
                    seen
                })
            })
            .collect();
        for round in 0..30 {
            let text = ["b.txt", "a.txt"][round % 2];
            let build = ["build", "-o", "x.lattice", text];
            let output = program(&folder, &build).output().unwrap();
            assert_eq!(ended(&output), 0, "{}", errors(&output));
        }
        done.store(true, Ordering::Relaxed);
        let seen: Vec<[u32; 2]> = readers.into_iter().map(|r| r.join().unwrap()).collect();
        println!("versions seen: {seen:?}");
    });
}

/// Case 25: of several writers each waits for the others or is told, and the file is
/// that of one who was not.
#[test]
fn several_writers_take_turns_or_are_told() {
    let place = with_versions(200);
    let folder = place.path(".");
    let versions = ["a", "b"].map(|v| hash(&place.path(&format!("{v}.lattice"))));
    for round in 0..8 {
        let children: Vec<_> = (0..4)
            .map(|k| {
                let text = ["a.txt", "b.txt"][k % 2];
                let build = ["build", "-o", "x.lattice", text];
                program(&folder, &build).spawn().unwrap()
            })
            .collect();
        let mut written = Vec::new();
        for (k, child) in children.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            match ended(&output) {
                0 => written.push(&versions[k % 2]),
                _ => assert!(
                    errors(&output).contains("being written by another program"),
                    "{}",
                    errors(&output)
                ),
            }
        }
        assert!(!written.is_empty(), "round {round}");
        assert!(written.contains(&&hash(&place.path("x.lattice"))));
        assert!(!place.files().iter().any(|name| name.starts_with('.')));
    }
}

/// A file that is protected is not replaced, though its folder may be written to.
#[test]
fn a_read_only_file_stays_as_it_is() {
    let place = with_versions(20);
    let before = std::fs::read(place.path("a.lattice")).unwrap();
    place.write("out.lq", "kept");
    for name in ["a.lattice", "out.lq"] {
        let protected = std::fs::Permissions::from_mode(0o444);
        std::fs::set_permissions(place.path(name), protected).unwrap();
    }
    let files = place.files();
    let done = place.run(&["build", "-o", "a.lattice", "b.txt"]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(
        done.stderr.contains("a.lattice is read-only; "),
        "{}",
        done.text()
    );
    let done = place.run(&["dump", "b.lattice", "-o", "out.lq"]);
    assert_eq!(done.status, 1, "{}", done.text());
    assert!(
        done.stderr.contains("out.lq may not be written"),
        "{}",
        done.text()
    );
    assert_eq!(std::fs::read(place.path("a.lattice")).unwrap(), before);
    assert_eq!(place.read("out.lq"), "kept");
    assert_eq!(place.files(), files);
    // It is read as before.
    let done = place.run(&["run", "-l", "a.lattice", "-c", "MEET \"is\" = a"]);
    assert_eq!(done.status, 0, "{}", done.text());
    assert!(done.stdout.contains("20 instances"), "{}", done.text());
}

/// What a shell makes of a line where it may mount what it likes; `None` where the
/// system does not let it.
fn with_mounts(folder: &Path, line: &str) -> Option<Output> {
    let try_it = "mount -t tmpfs -o size=1m tmpfs disk";
    let run = |line: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["-rm", "sh", "-c", line])
            .current_dir(folder)
            .env("LW", env!("CARGO_BIN_EXE_latweave"))
            .stdin(Stdio::null());
        command.output()
    };
    std::fs::create_dir_all(folder.join("disk")).unwrap();
    if !run(try_it).is_ok_and(|tried| tried.status.success()) {
        println!("not run: this system lets no test mount a disk");
        return None;
    }
    run(line).ok()
}

/// Case 24: a disk of 1 MiB.
#[test]
fn a_full_disk_is_told_and_the_file_stays() {
    let place = with_versions(100);
    place.write("large.txt", triples("large", 20_000));
    let done = place.run(&["build", "-o", "large.lattice", "large.txt"]);
    assert_eq!(done.status, 0, "{}", done.text());
    for (write, sentence) in [
        (
            "\"$LW\" build -o disk/a.lattice large.txt",
            "disk/a.lattice could not be saved: the disk is full",
        ),
        (
            "\"$LW\" dump large.lattice -o disk/a.lattice",
            "disk/a.lattice",
        ),
    ] {
        let line = format!(
            "mount -t tmpfs -o size=1m tmpfs disk && cp a.lattice disk && {write} >&2; status=$?; \
             cmp a.lattice disk/a.lattice || exit 98; ls -A disk; exit $status"
        );
        let Some(output) = with_mounts(&place.path("."), &line) else {
            return;
        };
        assert_eq!(ended(&output), 1, "{}", errors(&output));
        let told = errors(&output);
        assert!(told.contains(sentence) && told.contains("full"), "{told}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a.lattice\n");
    }
}

#[test]
fn a_read_only_folder_is_told_and_the_file_stays() {
    let place = with_versions(20);
    let line = "mount -t tmpfs tmpfs disk && cp a.lattice disk && mount -o remount,ro disk && \
                \"$LW\" run -l disk/a.lattice -c 'MEET \"is\" = a' && \
                \"$LW\" build -o disk/a.lattice b.txt; status=$?; \
                cmp a.lattice disk/a.lattice || exit 98; exit $status";
    let Some(output) = with_mounts(&place.path("."), line) else {
        return;
    };
    assert_eq!(ended(&output), 1, "{}", errors(&output));
    let told = errors(&output);
    assert!(
        told.contains("disk/a.lattice may not be accessed"),
        "{told}"
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("20 instances"));
}

/// Output that cannot be written is an error, whatever it is.
#[test]
fn an_output_that_is_full_is_told() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let place = with_versions(400);
    for arguments in [
        "run -l a.lattice -c 'MEET \"is\" = a'",
        "run -l a.lattice -c 'MEET \"is\" = a MEET \"is\" = a' --threads 2",
        "run -l a.lattice --format json -c 'MEET \"is\" = a'",
        "show a.lattice",
        "dump a.lattice",
    ] {
        let output = shell(
            &place.path("."),
            &format!("\"$LW\" {arguments} > /dev/full"),
        );
        assert_eq!(ended(&output), 1, "{arguments}: {}", errors(&output));
        assert!(
            errors(&output).contains("cannot be written"),
            "{}",
            errors(&output)
        );
    }
}

const ASKED: &str = "SHOW DIMENSIONS MEET species = whale RETURN name, born, length MEET habitat = aquatic \
    COMPARE Keiko, Laika BY born DESCRIBE Keiko EXPLAIN MEET species = dog";

/// Case 24: whatever byte is altered, an answer is the right one or none.
#[test]
fn no_altered_byte_makes_a_wrong_answer() {
    let place = Place::with_animals();
    let whole = std::fs::read(place.path("animals.lattice")).unwrap();
    place.write("other.lq", cli_support::ANIMALS.replace("1976", "1977"));
    let other = place.run(&["build", "-o", "other.lattice", "other.lq"]);
    assert_eq!(other.status, 0, "{}", other.text());
    let asked = |file: &str| {
        [
            &["run", "-l", file, "--format", "jsonl", "-c", ASKED][..],
            &["show", file],
            &["show", file, "Keiko"],
            &["show", file, "species", "--draw"],
            &["diff", "other.lattice", file],
        ]
        .map(|arguments| {
            let output = program(&place.path("."), arguments).output().unwrap();
            let said = String::from_utf8(output.stdout.clone()).unwrap();
            (ended(&output), said.replace(file, "FILE"), errors(&output))
        })
    };
    let right = asked("animals.lattice");
    right.iter().for_each(|(status, ..)| assert_eq!(*status, 0));
    let mut random = Random::new();
    let mut places: Vec<u64> = (0..240).step_by(15).collect();
    places.extend((0..70).map(|_| random.below(whole.len() as u64)));
    let (mut harmless, mut told) = (0, 0);
    for at in places {
        let mut altered = whole.clone();
        altered[at as usize] ^= 1 << random.below(8);
        place.write("altered.lattice", altered);
        for ((status, said, errors), (_, right, _)) in asked("altered.lattice").iter().zip(&right) {
            if *status == 0 {
                assert_eq!(said, right, "byte {at}");
                harmless += 1;
                continue;
            }
            assert_eq!(*status, 1, "byte {at}: {errors}");
            assert!(errors.contains("altered.lattice"), "byte {at}: {errors}");
            // What was said before is right; as a last line a program is told the error.
            for line in said.lines().filter(|line| !line.starts_with("{\"error\"")) {
                let is_right = right.lines().any(|known| known == line);
                assert!(is_right, "byte {at}: {line}");
            }
            told += 1;
        }
    }
    println!("{told} told, {harmless} harmless");
    assert!(told > 60, "{told} told, {harmless} harmless");
    for _ in 0..20 {
        let length = random.below(whole.len() as u64) as usize;
        place.write("altered.lattice", &whole[..length]);
        for (status, said, errors) in asked("altered.lattice") {
            assert_eq!((status, said.as_str()), (1, ""), "cut at {length}");
            assert!(errors.contains("altered.lattice"), "cut at {length}");
        }
    }
}

/// Case 26: the memory of a build of 50 files with 100,000 triples, and what happens
/// where there is less.
#[test]
fn memory_is_bounded_and_its_end_is_told() {
    let place = with_versions(20);
    for file in 0..50 {
        let mut text = String::new();
        for k in file * 2_000..(file + 1) * 2_000 {
            writeln!(
                text,
                "thing {k}|relation {}|thing {}",
                k % 7,
                k * 37 % 100_000
            )
            .unwrap();
        }
        place.write(&format!("many/{file}.txt"), text);
    }
    let folder = place.path(".");
    let build = |kilobytes: u32| {
        let line = format!(
            "ulimit -v {kilobytes} && exec \"$LW\" build -o x.lattice many/*.txt > /dev/null"
        );
        shell(&folder, &line)
    };
    let output = build(500_000);
    assert_eq!(ended(&output), 0, "{}", errors(&output));
    let whole = hash(&place.path("x.lattice"));
    assert_eq!(
        Lattice::open(&place.path("x.lattice"))
            .unwrap()
            .counts()
            .predicates,
        100_000
    );
    let mut told = 0;
    for kilobytes in [160_000, 110_000, 80_000, 70_000] {
        std::fs::copy(place.path("a.lattice"), place.path("x.lattice")).unwrap();
        let output = build(kilobytes);
        let expected = match ended(&output) {
            0 => whole.clone(),
            status => {
                let text = errors(&output);
                let is_told = text.contains("no more memory") || text.contains("allocate");
                assert!(is_told && [1, 5].contains(&status), "{status}: {text}");
                told += 1;
                hash(&place.path("a.lattice"))
            }
        };
        assert_eq!(hash(&place.path("x.lattice")), expected, "{kilobytes}");
    }
    assert!(told > 0, "the least is still enough");
}
