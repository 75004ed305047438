//! The history of what was typed, across sessions.

use super::helper::LineHelper;
use rustyline::Editor;
use rustyline::history::FileHistory;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The file that keeps it: LATWEAVE_HISTORY, else in the state folder. `None` if
/// there is no such folder, or the variable is set to nothing.
pub fn path() -> Option<PathBuf> {
    chosen(|name| std::env::var_os(name))
}

fn chosen(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(path) = variable("LATWEAVE_HISTORY") {
        return (!path.is_empty()).then(|| PathBuf::from(path));
    }
    let absolute = |path: OsString| {
        let path = PathBuf::from(path);
        path.is_absolute().then_some(path)
    };
    let state = variable("XDG_STATE_HOME").and_then(absolute).or_else(|| {
        let home = variable("HOME").and_then(absolute)?;
        Some(home.join(".local").join("state"))
    })?;
    Some(state.join("latweave").join("history"))
}

/// Adds what was typed to the file. Where it cannot be written the session goes
/// on without.
pub fn append(editor: &mut Editor<LineHelper, FileHistory>, path: &Path) {
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    let _ = editor.append_history(path);
}

/// The last entries, at the end of a session.
pub fn save(editor: &mut Editor<LineHelper, FileHistory>, path: &Path) {
    append(editor, path);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Option<PathBuf> {
        chosen(|name| {
            let found = pairs.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_variable_comes_before_the_state_folder() {
        let home = ("HOME", "/home/a");
        assert_eq!(
            with(&[home]),
            Some("/home/a/.local/state/latweave/history".into())
        );
        assert_eq!(
            with(&[home, ("XDG_STATE_HOME", "/s")]),
            Some("/s/latweave/history".into())
        );
        assert_eq!(with(&[home, ("LATWEAVE_HISTORY", "/h")]), Some("/h".into()));
        assert_eq!(with(&[home, ("LATWEAVE_HISTORY", "")]), None);
        assert_eq!(with(&[]), None);
    }
}
