//! The REPL, typed at through a pseudo-terminal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg(unix)]

mod cli_support;

use cli_support::Place;
use expectrl::session::OsSession;
use expectrl::{ControlCode, Expect, Session};
use std::time::Duration;

const PROMPT: &str = "lq> ";
const UP: &str = "\u{1b}[A";
/// Sent when a line begins to be read, and when it has been read: what is printed
/// lies between. (The prompt itself is drawn anew at every key.)
const READS: &str = "\u{1b}[?2004h";
const HAS_READ: &str = "\u{1b}[?2004l";

/// A session at a prompt.
struct Typist {
    session: OsSession,
}

impl Typist {
    fn start(place: &Place, arguments: &[&str]) -> Typist {
        let mut command = place.command(arguments);
        command
            .env("NO_COLOR", "1")
            .env("LATWEAVE_HISTORY", place.path("state/history"))
            .env("COLUMNS", "100");
        let mut session = Session::spawn(command).unwrap();
        session.set_expect_timeout(Some(Duration::from_secs(20)));
        let mut typist = Typist { session };
        typist.sees(READS);
        typist.sees(PROMPT);
        typist
    }

    fn sees(&mut self, text: &str) -> String {
        match self.session.expect(text) {
            Ok(found) => String::from_utf8_lossy(found.before()).into_owned(),
            Err(error) => panic!("`{text}` was not seen: {error}"),
        }
    }

    fn types(&mut self, text: &str) {
        self.session.send(text).unwrap();
    }

    fn enters(&mut self, line: &str) {
        self.types(&format!("{line}\r"));
    }

    /// Types a line and gives what is printed up to the next prompt.
    fn asks(&mut self, line: &str) -> String {
        self.enters(line);
        self.answer()
    }

    fn answer(&mut self) -> String {
        self.sees(HAS_READ);
        self.sees(READS)
    }

    /// Types a line that is not complete.
    fn begins(&mut self, line: &str) {
        let said = self.asks(line);
        assert_eq!(said.trim(), "", "nothing is printed yet");
        self.sees("..> ");
    }

    /// Presses Ctrl-C at the prompt.
    fn clears(&mut self) {
        self.session.send(ControlCode::EndOfText).unwrap();
        self.answer();
    }

    fn ends(mut self) {
        self.session.send(ControlCode::EndOfTransmission).unwrap();
        self.sees_end();
    }

    fn sees_end(&mut self) {
        self.session.expect(expectrl::Eof).unwrap();
    }
}

#[test]
fn a_query_is_answered_at_the_prompt() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    let said = typist.asks("MEET species = orca");
    assert!(said.contains("Keiko was an orca"), "{said}");
    assert!(said.contains(" in "), "the time is told: {said}");
    let said = typist.asks("MEET species = wale");
    assert!(said.contains("abstain: unknown-value"), "{said}");
    typist.ends();
}

#[test]
fn what_is_typed_is_coloured() {
    let place = Place::with_animals();
    let mut command = place.command(&["-l", "animals.lattice"]);
    command.env("COLUMNS", "100");
    let mut session = Session::spawn(command).unwrap();
    session.set_expect_timeout(Some(Duration::from_secs(20)));
    let mut typist = Typist { session };
    typist.sees(PROMPT);
    typist.types("MEET name = \"Keiko\"");
    typist.sees("\u{1b}[1;34mMEET\u{1b}[0m name = \u{1b}[32m\"Keiko\"\u{1b}[0m");
    typist.enters("");
    typist.sees(READS);
    typist.ends();
}

#[test]
fn a_statement_may_run_over_several_lines() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    typist.begins("MEET species <= mammal AND");
    let said = typist.asks("  habitat = terrestrial");
    assert!(said.contains("Laika"), "{said}");
    // An empty line ends what is not complete.
    typist.begins("MEET species =");
    let said = typist.asks("");
    assert!(said.contains("E002"), "{said}");
    typist.ends();
}

#[test]
fn facts_are_stated_and_saved() {
    let place = Place::new();
    let mut typist = Typist::start(&place, &[]);
    typist.begins("DIMENSION species TAXONOMY ONE");
    typist.begins("  animal > whale");
    typist.asks("");
    typist.begins("FACT Moby species = whale");
    typist.asks("SOURCE \"Moby is a whale.\"");
    let said = typist.asks("MEET species = animal");
    assert!(said.contains("Moby is a whale."), "{said}");
    let said = typist.asks(".save a.lattice");
    assert!(said.contains("b3:"), "{said}");
    typist.ends();
    let done = place.run(&["run", "-l", "a.lattice", "-c", "MEET species = animal"]);
    assert!(done.stdout.contains("Moby"), "{}", done.text());
}

#[test]
fn a_mistake_changes_nothing_and_stays_in_reach() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    let said = typist.asks("MEET species == orca");
    assert!(said.contains("E030"), "{said}");
    // Up brings it back; it is repaired and runs.
    typist.types(UP);
    typist.sees("MEET species == orca");
    typist.types(&"\u{8}".repeat(6));
    let said = typist.asks(" orca");
    assert!(said.contains("Keiko"), "{said}");
    // A declaration that makes a circle is taken back at once.
    let said = typist.asks("DIMENSION species TAXONOMY ONE whale > animal;");
    assert!(said.contains("cycle"), "{said}");
    let said = typist.asks("MEET species = orca");
    assert!(said.contains("Keiko"), "{said}");
    typist.ends();
}

#[test]
fn two_lines_survive_a_restart() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    typist.begins("MEET species <= mammal AND");
    typist.asks("habitat = terrestrial");
    typist.ends();
    let history = place.read("state/history");
    assert!(history.contains("species <= mammal AND"), "{history}");
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    typist.types(UP);
    typist.sees("habitat = terrestrial");
    let said = typist.asks("");
    assert!(said.contains("Laika"), "{said}");
    typist.ends();
}

#[test]
fn ctrl_c_clears_the_line_and_ctrl_d_ends() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    typist.types("MEET nonsense");
    typist.clears();
    typist.begins("MEET species =");
    typist.clears();
    let said = typist.asks("MEET species = orca");
    assert!(said.contains("Keiko"), "{said}");
    typist.ends();
}

#[test]
fn ctrl_c_stops_a_query_and_keeps_the_session() {
    let place = Place::new();
    let mut script = String::from("DIMENSION knows ENTITY MANY\n");
    for k in 0..400 {
        let all: Vec<String> = (1..20).map(|d| format!("p{}", (k + d * 7) % 400)).collect();
        script.push_str(&format!(
            "FACT p{k} knows = {{{}}} SOURCE \"s\"\n",
            all.join(", ")
        ));
    }
    place.write("a.lq", script);
    assert_eq!(place.run(&["build", "-o", "a.lattice", "a.lq"]).status, 0);
    let mut typist = Typist::start(&place, &["-l", "a.lattice"]);
    let path = ["knows"; 12].join(".");
    typist.enters(&format!("MEET HAS knows RETURN {path}, {path}.knows"));
    typist.sees(HAS_READ);
    std::thread::sleep(Duration::from_millis(300));
    typist.session.send(ControlCode::EndOfText).unwrap();
    typist.sees("interrupted");
    typist.sees(READS);
    let said = typist.asks("MEET knows = p8 AND name = p1");
    assert!(said.contains("p1"), "{said}");
    typist.ends();
}

#[test]
fn words_are_completed() {
    let place = Place::with_animals();
    let mut typist = Typist::start(&place, &["-l", "animals.lattice"]);
    typist.types("MEET spe\t");
    typist.sees("species");
    typist.types(" = sper\t");
    typist.sees("\"sperm whale\"");
    let said = typist.asks("");
    assert!(said.contains("Moby Dick"), "{said}");
    typist.types("DESCRIBE \"Mob\t");
    typist.sees("\"Moby Dick\"");
    let said = typist.asks("");
    assert!(said.contains("length = 20 m"), "{said}");
    typist.types("OPEN \"anim\t");
    typist.sees("animals.");
    typist.clears();
    typist.types(".expl\t");
    typist.sees(".explain");
    typist.clears();
    typist.ends();
}

#[test]
fn dot_commands_do_what_help_says() {
    let place = Place::with_animals();
    place.write("q.lq", "MEET species = dog\n");
    let mut typist = Typist::start(&place, &[]);
    let said = typist.asks(".help mode");
    assert!(said.contains(".mode") && !said.contains(".save"), "{said}");
    let said = typist.asks(".open animals.lattice");
    assert!(said.contains("5 instances"), "{said}");
    let said = typist.asks(".schema");
    assert!(said.contains("habitat"), "{said}");
    let said = typist.asks(".schema habitat");
    assert!(said.contains("aquatic"), "{said}");
    let said = typist.asks(".ask what is the habitat of Laika?");
    assert!(
        said.contains("RETURN habitat") && said.contains("terrestrial"),
        "{said}"
    );
    let said = typist.asks(".ask what is the xylem of Laika");
    assert!(
        said.contains("not-understood") && said.contains("xylem"),
        "{said}"
    );
    let said = typist.asks(".ask");
    assert!(said.contains("the question is empty"), "{said}");
    let said = typist.asks(".read q.lq");
    assert!(said.contains("Laika"), "{said}");
    let said = typist.asks(".explain");
    assert!(said.contains("plan"), "{said}");
    let said = typist.asks(".explain conflict");
    assert!(said.contains("no common lower bound"), "{said}");
    let said = typist.asks(".help has");
    assert!(said.contains("MEET HAS born"), "{said}");
    for (word, command) in [("help", ".help"), ("exit", ".quit"), ("?", ".help")] {
        let said = typist.asks(word);
        assert!(
            said.contains(&format!("did you mean `{command}`?")),
            "{said}"
        );
    }
    typist.asks(".once out.csv");
    typist.asks("MEET species = orca");
    assert_eq!(place.read("out.csv"), "name,id\nKeiko,Keiko\n");
    typist.asks(".once out.txt");
    let said = typist.asks("MEET species = orca");
    assert!(said.contains("written to out.txt"), "{said}");
    assert!(place.read("out.txt").contains("Keiko"));
    let said = typist.asks(".certificate c.json");
    assert!(said.contains("written to c.json"), "{said}");
    typist.asks(".mode jsonl");
    let said = typist.asks("MEET species = orca");
    assert!(said.contains("{\"verdict\":\"answer\""), "{said}");
    typist.asks(".mode table");
    typist.asks(".timer off");
    let said = typist.asks("MEET species = orca");
    assert!(!said.contains(" ms"), "{said}");
    let said = typist.asks(".hepl");
    assert!(said.contains("did you mean"), "{said}");
    let said = typist.asks(".open nothing.lattice");
    assert!(said.contains("does not exist"), "{said}");
    typist.enters(".quit");
    typist.sees_end();
}

#[test]
fn long_answers_show_their_beginning() {
    let place = Place::new();
    let mut script = String::from("DIMENSION d TAXONOMY ONE v\n");
    for k in 0..100 {
        script.push_str(&format!("FACT i{k:03} d = v SOURCE \"i{k} is v\"\n"));
    }
    place.write("a.lq", script);
    assert_eq!(place.run(&["build", "-o", "a.lattice", "a.lq"]).status, 0);
    let mut typist = Typist::start(&place, &["-l", "a.lattice"]);
    let said = typist.asks("MEET d = v");
    assert!(
        said.contains("60 more rows; `.all` or a pipe shows them"),
        "{said}"
    );
    assert!(said.contains("100 instances"), "{said}");
    assert!(!said.contains("i099"), "{said}");
    let said = typist.asks(".all");
    assert!(said.contains("i099"), "{said}");
    typist.ends();
}
