//! The file that says which model is meant where nothing nearer says so.

use super::settings::{Api, GrammarStyle, Settings};
use super::{Budget, ModelError};
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The whole file. Other tables are of other parts of the program.
#[derive(Debug, Default, Deserialize)]
struct File {
    #[serde(default)]
    models: Models,
}

/// The table `[models]`. It takes no key of a server: files are copied and shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Models {
    model: Option<String>,
    server: Option<String>,
    api: Option<Api>,
    context: Option<u32>,
    max_tokens: Option<u32>,
    /// Seconds.
    timeout: Option<f64>,
    grammar: GrammarStyle,
    total_calls: Option<u64>,
    total_tokens: Option<u64>,
    /// Seconds.
    total_time: Option<f64>,
}

/// Where the file lies: `$LATWEAVE_CONFIG`, else `latweave/config.toml` in
/// `$XDG_CONFIG_HOME`, else in `~/.config`; and whether it was named.
pub fn place(environment: &dyn Fn(&str) -> Option<String>) -> Option<(PathBuf, bool)> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty());
    if let Some(file) = set("LATWEAVE_CONFIG") {
        return Some((PathBuf::from(file), true));
    }
    let folder = match set("XDG_CONFIG_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(&set("HOME")?).join(".config"),
    };
    Some((folder.join("latweave").join("config.toml"), false))
}

/// Reads the file; where it was not named and is not there, nothing is set.
///
/// # Errors
///
/// [`ModelError::Settings`] if it was named and is not there, or cannot be read.
pub fn read(environment: &dyn Fn(&str) -> Option<String>) -> Result<Settings, ModelError> {
    let Some((file, named)) = place(environment) else {
        return Ok(Settings::default());
    };
    let wrong =
        |why: String| ModelError::Settings(format!("the settings {} {why}", file.display()));
    match std::fs::read_to_string(&file) {
        Ok(text) => parse(&text).map_err(wrong),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !named => Ok(Settings::default()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(wrong("do not exist; check LATWEAVE_CONFIG".to_owned()))
        }
        Err(error) => Err(wrong(format!("cannot be read: {error}"))),
    }
}

fn parse(text: &str) -> Result<Settings, String> {
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| {
            let before = text.as_bytes().get(..span.start).unwrap_or_default();
            1 + before.iter().filter(|byte| **byte == b'\n').count()
        });
        format!("are wrong in line {line}: {}", error.message())
    })?;
    let models = file.models;
    let time = |name: &str, seconds: Option<f64>| match seconds {
        None => Ok(None),
        Some(seconds) => Duration::try_from_secs_f64(seconds)
            .map(Some)
            .map_err(|_| format!("are wrong: {name} is a number of seconds, as in `{name} = 60`")),
    };
    Ok(Settings {
        model: models.model,
        server: models.server,
        api: models.api,
        context: models.context,
        max_tokens: models.max_tokens,
        timeout: time("timeout", models.timeout)?,
        grammar: models.grammar,
        budget: Budget {
            calls: models.total_calls,
            tokens: models.total_tokens,
            time: time("total-time", models.total_time)?,
        },
        ..Settings::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_sets_what_it_names() {
        let text = "[models]\nmodel = \"m\"\napi = \"ollama\"\ngrammar = \"ebnf\"\n\
                    max-tokens = 9\ntimeout = 1.5\ntotal-calls = 3\n[other]\nx = 1\n";
        let settings = parse(text).unwrap();
        assert_eq!(settings.model.as_deref(), Some("m"));
        assert_eq!(settings.api, Some(Api::Ollama));
        assert_eq!(settings.grammar, GrammarStyle::Ebnf);
        assert_eq!(settings.max_tokens, Some(9));
        assert_eq!(settings.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(settings.budget.calls, Some(3));
        assert_eq!(parse(""), Ok(Settings::default()));
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        for (text, line) in [
            ("[models]\nmodell = \"m\"\n", "line 2"),
            ("[models]\n\napi = \"grpc\"\n", "line 3"),
            ("[models]\nkey = \"secret\"\n", "line 2"),
            ("[models\n", "line 1"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(line), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
        assert!(
            parse("[models]\ntimeout = -1\n")
                .unwrap_err()
                .contains("timeout")
        );
    }

    #[test]
    fn the_nearest_place_counts() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            }
        };
        let named = place(&with(&[("LATWEAVE_CONFIG", "/c"), ("HOME", "/h")]));
        assert_eq!(named, Some((PathBuf::from("/c"), true)));
        let home = place(&with(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "")]));
        assert_eq!(
            home,
            Some((PathBuf::from("/h/.config/latweave/config.toml"), false))
        );
        assert_eq!(place(&with(&[])), None);
    }
}
