//! What the program must never do: write over what it reads, replace a device,
//! leave a certificate out in silence, or run out of stack.
#![allow(clippy::unwrap_used, clippy::panic)]

mod cli_support;

use cli_support::Place;

#[test]
fn what_is_read_is_not_written_over() {
    let place = Place::with_animals();
    let before = std::fs::read(place.path("animals.lattice")).unwrap();
    let text = place.read("animals.lq");
    for arguments in [
        vec!["dump", "animals.lattice", "-o", "animals.lattice"],
        vec!["build", "-o", "animals.lq", "animals.lq"],
        vec![
            "run",
            "-l",
            "animals.lattice",
            "-c",
            "MEET species = whale",
            "--certificate",
            "animals.lattice",
        ],
    ] {
        let done = place.run(&arguments);
        assert_eq!(done.status, 1, "{}", done.text());
        assert!(done.stderr.contains("written over"), "{}", done.text());
    }
    assert_eq!(
        std::fs::read(place.path("animals.lattice")).unwrap(),
        before
    );
    assert_eq!(place.read("animals.lq"), text);
}

#[cfg(unix)]
#[test]
fn pipes_and_links_stay_what_they_are() {
    use std::os::unix::fs::FileTypeExt;
    let place = Place::with_animals();
    let made = std::process::Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    let done = place.run(&["build", "-o", "pipe", "animals.lq"]);
    assert_eq!(done.status, 1, "{}", done.text());
    let kind = std::fs::metadata(place.path("pipe")).unwrap().file_type();
    assert!(kind.is_fifo());
    place.write("loose.lq", "meet  species=whale");
    std::os::unix::fs::symlink("loose.lq", place.path("link.lq")).unwrap();
    assert_eq!(place.run(&["fmt", "link.lq"]).status, 0);
    assert!(
        std::fs::symlink_metadata(place.path("link.lq"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(place.read("loose.lq"), "MEET species = whale\n");
}

/// A small stack takes what the limits allow, and what they do not is refused.
#[cfg(unix)]
#[test]
fn no_text_runs_out_of_stack() {
    let place = Place::with_animals();
    let nested = "MEET name IN (".repeat(200) + "MEET species = whale" + &")".repeat(200);
    place.write("nested.lq", nested);
    place.write(
        "long.lq",
        format!("MEET {} = W", vec!["knows"; 20_000].join(".")),
    );
    let with_small_stack = |script: &str| {
        let command = place.command(&["run", "-l", "animals.lattice", script]);
        let program = command.get_program().to_str().unwrap().to_owned();
        let line = format!("ulimit -s 1024; exec {program} run -l animals.lattice {script}");
        let output = std::process::Command::new("sh")
            .args(["-c", &line])
            .current_dir(place.path("."))
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (status, errors) = with_small_stack("nested.lq");
    assert_eq!(status, Some(0), "{errors}");
    let (status, errors) = with_small_stack("long.lq");
    assert_eq!(status, Some(1), "{errors}");
    assert!(errors.contains("E007"), "{errors}");
}

#[test]
fn a_parameter_that_only_looks_like_a_quantity_is_a_name() {
    let place = Place::new();
    place.write("kb.txt", "12 Monkeys|directed_by|Terry Gilliam\n");
    place.run(&["build", "-o", "kb.lattice", "kb.txt"]);
    let done = place.run(&[
        "run",
        "-l",
        "kb.lattice",
        "-p",
        "film=12 Monkeys",
        "-c",
        "MEET name = $film RETURN directed_by EXPECT {\"Terry Gilliam\"}",
    ]);
    assert_eq!(done.status, 0, "{}", done.text());
}

/// Sends Ctrl-C to a program, and gives its exit status.
#[cfg(unix)]
fn interrupted(mut child: std::process::Child) -> Option<i32> {
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    for _ in 0..6_000 {
        if let Some(ended) = child.try_wait().unwrap() {
            return ended.code();
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("Ctrl-C was not heeded");
}

/// A place with `many.lattice`: so many things that what is printed of them fills any pipe.
#[cfg(unix)]
fn with_many() -> Place {
    let place = Place::new();
    let rows: Vec<String> = (0..20_000)
        .map(|k| format!("thing {k}|kind|sort {}\n", k % 9))
        .collect();
    place.write("many.txt", rows.concat());
    let done = place.run(&["build", "-o", "many.lattice", "many.txt"]);
    assert_eq!(done.status, 0, "{}", done.text());
    place
}

/// Once the first byte has come, printing has begun; as nobody reads on, it is never done.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_what_is_being_printed() {
    use std::io::Read;
    let place = with_many();
    for arguments in [
        &["show", "many.lattice", "--query", "MEET HAS kind"][..],
        &[
            "show",
            "many.lattice",
            "--concepts",
            "kind",
            "--format",
            "json",
        ],
        &["run", "-l", "many.lattice", "-c", "SHOW INSTANCES"],
        &[
            "run",
            "-l",
            "many.lattice",
            "-c",
            "MEET HAS kind",
            "--format",
            "json",
        ],
        &["dump", "many.lattice"],
    ] {
        let mut command = place.command(arguments);
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        assert_eq!(interrupted(child), Some(130), "{arguments:?}");
    }
}

/// A file that is being written when Ctrl-C comes stays as it was, and nothing lies beside it.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_part_of_a_file() {
    let place = with_many();
    place.write("out.lq", "old");
    let before = place.files();
    let mut command = place.command(&["dump", "many.lattice", "-o", "out.lq"]);
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while place.files() == before && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let status = interrupted(child);
    assert_eq!(place.files(), before);
    // The machine may have been so slow to send it that the file was whole.
    match status {
        Some(130) => assert_eq!(place.read("out.lq"), "old"),
        status => assert_eq!((status, place.read("out.lq") == "old"), (Some(0), false)),
    }
}
