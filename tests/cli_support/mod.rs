//! Runs the program in a folder of its own and tells what it did.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A small lattice about animals, as LQ.
pub const ANIMALS: &str = r#"DIMENSION species TAXONOMY ONE
  animal > mammal, bird, fish
  mammal > whale, dog
  whale > orca, "sperm whale"
DIMENSION habitat TAXONOMY MANY aquatic, terrestrial
DIMENSION born DATE ONE AKA "date of birth"
DIMENSION length NUMBER ONE UNIT m
FACT "Moby Dick" species = "sperm whale", habitat = aquatic, length = 20
  SOURCE "Moby Dick is a white sperm whale of 20 m." FROM "moby.txt" LINE 1
FACT "Keiko" species = orca, habitat = aquatic, born = 1976
  SOURCE "Keiko was an orca, born in 1976." FROM "keiko.txt" LINE 1
FACT "Laika" species = dog, habitat = terrestrial, born = 1954
  SOURCE "Laika was a dog, born about 1954." FROM "laika.txt" LINE 3
FACT "Laika" born = 1955 SOURCE "Laika (born 1955)" FROM "other.txt" LINE 9
FACT "Keiko" habitat != terrestrial SOURCE "Keiko never lived on land." FROM "keiko.txt" LINE 2
INSTANCE "Springfield" @"il/springfield"
INSTANCE "Springfield" @"ma/springfield"
"#;

/// What the program did.
pub struct Done {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// All of it as one text, for a snapshot.
    pub fn text(&self) -> String {
        let mut text = format!("status: {}\n", self.status);
        for (name, part) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !part.is_empty() {
                text.push_str(&format!("--- {name}\n{part}"));
                if !part.ends_with('\n') {
                    text.push_str("⏎\n");
                }
            }
        }
        text
    }
}

/// A folder in which the program runs.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A folder with `animals.lattice` in it.
    pub fn with_animals() -> Place {
        let place = Place::new();
        place.write("animals.lq", ANIMALS);
        let done = place.run(&["build", "-o", "animals.lattice", "animals.lq"]);
        assert_eq!(done.status, 0, "{}", done.text());
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut all: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_latweave"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("NO_COLOR")
            .env_remove("XDG_STATE_HOME")
            .env("LATWEAVE_HISTORY", "")
            .env("HOME", self.folder.path())
            .env("TERM", "xterm");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Done {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        let output = child.wait_with_output().unwrap();
        Done {
            status: output.status.code().unwrap_or(-1),
            stdout: self.normal(&output.stdout),
            stderr: self.normal(&output.stderr),
        }
    }

    /// Paths of this machine and hashes are left out.
    fn normal(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let folder = self.folder.path().display().to_string();
        hashes(&text.replace(&folder, "[FOLDER]"))
    }
}

/// Content hashes change with the format, not with what is tested here.
fn hashes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("b3:") {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let digits = from[3..]
            .chars()
            .take_while(char::is_ascii_hexdigit)
            .count();
        if digits == 64 {
            out.push_str("b3:[HASH]");
        } else {
            out.push_str(&from[..3 + digits]);
        }
        rest = &from[3 + digits..];
    }
    out.push_str(rest);
    out
}

/// Where snapshots lie.
pub fn snapshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

/// Compares with the snapshot `cli_…` of this name.
#[macro_export]
macro_rules! snapshot {
    ($name:expr, $text:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path($crate::cli_support::snapshots());
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!($name, $text));
    };
}
