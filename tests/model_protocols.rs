//! Models behind HTTP, against a server that misbehaves as servers do. What passes here
//! is our reading of the protocols; the servers themselves are not here.
#![cfg(feature = "models")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "common/server.rs"]
mod server;

use latweave::model::{
    Api, Finish, GrammarStyle, Message, Metered, Model, ModelError, Ollama, OpenAi, Reply, Request,
    Settings,
};
use serde_json::json;
use server::{Act, Server, closed_port};
use std::time::{Duration, Instant};

/// The end of a reply of Ollama.
const DONE: &str = r#"{"model":"m","created_at":"","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":20,"eval_count":7}"#;

fn part(text: &str) -> String {
    format!(
        "{}\n",
        json!({ "message": { "role": "assistant", "content": text }, "done": false })
    )
}

fn ollama(server: &Server) -> Ollama {
    let inner = latweave::model::Server::new(&server.address(), None).unwrap();
    Ollama::new(inner.with_pause(Duration::from_millis(10)), "m")
}

fn openai(server: &Server) -> OpenAi {
    let inner = latweave::model::Server::new(&server.address(), None).unwrap();
    let inner = inner.with_pause(Duration::from_millis(10));
    OpenAi::new(inner, "m", GrammarStyle::Auto)
}

fn request() -> Request {
    let mut request = Request::new(vec![Message::user("who performs Green?")]);
    request.timeout = Duration::from_secs(20);
    request
}

fn completion(text: &str) -> Act {
    let body = json!({
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 20, "completion_tokens": 7 },
    });
    Act::Say(200, Vec::new(), body.to_string())
}

fn refused(status: u16, body: &str) -> Act {
    Act::Say(status, Vec::new(), body.to_owned())
}

fn ask_ollama(act: Act) -> Result<Reply, ModelError> {
    ollama(&Server::new(vec![act])).ask(&request())
}

fn said(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        prompt_tokens: Some(20),
        output_tokens: Some(7),
        finish: Finish::Stop,
        recorded: false,
    }
}

#[test]
fn a_stream_may_be_cut_between_any_two_bytes() {
    let body = format!("{}{}\n{DONE}\n", part("caf\u{e9} "), part("鯨").trim_end());
    let bytes = body.as_bytes();
    let at = body.find('\u{e9}').unwrap() + 1;
    assert_eq!((bytes[at - 1], bytes[at]), (0xC3, 0xA9));
    let halves = vec![bytes[..at].to_vec(), bytes[at..].to_vec()];
    assert_eq!(ask_ollama(Act::Pieces(halves)), Ok(said("café 鯨")));
    let small = bytes.chunks(37).map(<[u8]>::to_vec).collect();
    assert_eq!(ask_ollama(Act::Pieces(small)), Ok(said("café 鯨")));
}

#[test]
fn two_objects_in_one_piece_are_two() {
    let both = format!("{}{}{DONE}", part("MEET "), part("HAS born"));
    let pieces = vec![both.into_bytes()];
    assert_eq!(ask_ollama(Act::Pieces(pieces)), Ok(said("MEET HAS born")));
}

#[test]
fn what_follows_the_last_object_is_not_waited_for() {
    let pieces = vec![format!("{}{DONE}\n", part("a")).into_bytes()];
    let start = Instant::now();
    assert_eq!(ask_ollama(Act::Endless(pieces)), Ok(said("a")));
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn newlines_without_end_are_an_error() {
    let pieces = vec![b"{}".to_vec(), vec![b'\n'; 1 << 20]];
    let error = ask_ollama(Act::Endless(pieces)).unwrap_err();
    assert!(matches!(error, ModelError::BadReply { .. }));
    assert!(error.to_string().contains("white space"), "{error}");
}

#[test]
fn a_reply_without_end_is_cut_off() {
    let many = vec![part("blah ").repeat(1000).into_bytes(); 40];
    let error = ask_ollama(Act::Endless(many)).unwrap_err().to_string();
    assert!(error.contains("more than"), "{error}");
}

#[test]
fn a_connection_that_is_closed_is_tried_again() {
    let torn = Act::Torn(vec![b"{\"message\":{\"con".to_vec()]);
    let whole = Act::Pieces(vec![format!("{}{DONE}\n", part("a")).into_bytes()]);
    let server = Server::new(vec![torn.clone(), Act::Close, whole]);
    assert_eq!(ollama(&server).ask(&request()), Ok(said("a")));
    assert_eq!(server.heard().len(), 3);

    let server = Server::new(vec![torn]);
    let error = ollama(&server).ask(&request()).unwrap_err();
    assert!(matches!(error, ModelError::Closed { .. }), "{error}");
    assert_eq!(server.heard().len(), 4);
}

#[test]
fn half_a_reply_is_no_reply() {
    for act in [
        Act::Pieces(vec![part("MEET HAS").into_bytes()]),
        Act::Pieces(vec![b"{\"message\":".to_vec()]),
        Act::Pieces(vec![b"<html>hello</html>".to_vec()]),
        Act::Pieces(vec![b"{\"error\":\"out of memory\"}\n".to_vec()]),
        Act::Pieces(vec![b"[1]\n".to_vec()]),
        Act::Pieces(Vec::new()),
    ] {
        let error = ask_ollama(act.clone()).unwrap_err();
        assert!(
            matches!(error, ModelError::BadReply { .. }),
            "{act:?}: {error}"
        );
        let error = openai(&Server::new(vec![act.clone()]))
            .ask(&request())
            .unwrap_err();
        assert!(
            matches!(error, ModelError::BadReply { .. }),
            "{act:?}: {error}"
        );
    }
}

#[test]
fn each_way_of_not_answering_has_its_own_sentence() {
    let missing = r#"{"error":"model 'm' not found"}"#;
    let mut sentences = Vec::new();

    let port = closed_port();
    let server = latweave::model::Server::new(&format!("http://127.0.0.1:{port}"), None).unwrap();
    sentences.push(Ollama::new(server, "m").ask(&request()).unwrap_err());
    sentences.push(ask_ollama(refused(404, missing)).unwrap_err());
    sentences.push(ask_ollama(refused(404, "404 page not found")).unwrap_err());
    sentences.push(ask_ollama(refused(401, "{\"error\":{\"message\":\"no key\"}}")).unwrap_err());
    sentences.push(ask_ollama(refused(400, "{\"error\":\"bad option\"}")).unwrap_err());
    let mut hasty = request();
    hasty.timeout = Duration::from_secs(2);
    let silent = Server::new(vec![Act::Silence]);
    let start = Instant::now();
    sentences.push(ollama(&silent).ask(&hasty).unwrap_err());
    let waited = start.elapsed();
    assert!(
        waited >= Duration::from_secs(2) && waited < Duration::from_secs(4),
        "{waited:?}"
    );

    let told: Vec<String> = sentences
        .iter()
        .map(|error| without_ports(&error.to_string()))
        .collect();
    assert_eq!(
        told,
        [
            "no server answers at http://127.0.0.1:PORT (Connection refused); start it, \
             or name another with --server",
            "the server at http://127.0.0.1:PORT has no model \"m\" (model 'm' not found); load it \
             there (Ollama: `ollama pull m`), or name another with --model",
            "http://127.0.0.1:PORT/api/chat does not exist on the server; check --server and --api \
             (ollama or openai)",
            "the server at http://127.0.0.1:PORT refuses the request (status 401: no key); if it \
             wants a key, put it into the environment variable LATWEAVE_MODEL_KEY",
            "the server at http://127.0.0.1:PORT does not take the request (status 400: bad \
             option); a setting that it does not know may be left out with --grammar none",
            "the model at http://127.0.0.1:PORT did not finish its reply within 2 s; allow more \
             with --timeout, or take a smaller model",
        ]
    );
}

fn without_ports(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("127.0.0.1:") {
        out.push_str(before);
        out.push_str("127.0.0.1:PORT");
        rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    }
    // The number of an error is the system's.
    (out + rest)
        .replace(" (os error 111)", "")
        .replace(" (os error 61)", "")
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let later = Act::Say(429, vec![("Retry-After", "1".to_owned())], String::new());
    let server = Server::new(vec![later, completion("MEET HAS born")]);
    let start = Instant::now();
    assert_eq!(openai(&server).ask(&request()), Ok(said("MEET HAS born")));
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(server.heard().len(), 2);
}

#[test]
fn a_wait_that_is_longer_than_the_time_allowed_is_not_begun() {
    let later = Act::Say(503, vec![("Retry-After", "3600".to_owned())], String::new());
    let server = Server::new(vec![later]);
    let start = Instant::now();
    let error = openai(&server).ask(&request()).unwrap_err();
    assert!(
        matches!(error, ModelError::Throttled { status: 503, .. }),
        "{error}"
    );
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(server.heard().len(), 1);
}

#[test]
fn a_prompt_that_the_server_cut_is_an_error() {
    let counted = |count: u64| {
        let done = DONE.replace(
            "\"prompt_eval_count\":20",
            &format!("\"prompt_eval_count\":{count}"),
        );
        Act::Pieces(vec![
            format!("{}{done}\n", part("Ada was born in 1815.")).into_bytes(),
        ])
    };
    let mut long = request();
    long.messages.push(Message::user("word ".repeat(8000)));
    let ask = |act: Act, request: &Request| ollama(&Server::new(vec![act])).ask(request);
    let cut =
        |outcome: Result<Reply, ModelError>| matches!(outcome, Err(ModelError::Truncated { .. }));
    assert!(cut(ask(counted(2050), &long)));
    assert!(ask(counted(8200), &long).is_ok());
    // The context is full of the prompt.
    let mut bounded = request();
    bounded.context = Some(64);
    assert!(cut(ask(counted(64), &bounded)));
    assert!(ask(counted(60), &bounded).is_ok());
    // It cannot fit, and is not sent.
    long.context = Some(4096);
    let server = Server::new(vec![counted(4096)]);
    assert!(cut(ollama(&server).ask(&long)));
    assert!(server.heard().is_empty());
    // llama.cpp says so.
    let full = r#"{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#;
    let server = Server::new(vec![refused(400, full)]);
    assert!(cut(openai(&server).ask(&request())));
}

#[test]
fn a_reply_that_is_cut_says_so() {
    let done = DONE.replace("stop", "length");
    let act = Act::Pieces(vec![format!("{}{done}\n", part("MEET")).into_bytes()]);
    assert!(ask_ollama(act).unwrap().is_cut());
}

#[test]
fn a_redirection_is_not_followed() {
    let other = Server::new(vec![completion("a")]);
    let there = format!("{}/v1/chat/completions", other.address());
    let server = Server::new(vec![Act::Say(
        307,
        vec![("Location", there)],
        String::new(),
    )]);
    assert!(matches!(
        openai(&server).ask(&request()),
        Err(ModelError::Refused { .. })
    ));
    assert!(other.heard().is_empty());
}

fn settings(server: &Server) -> Settings {
    Settings {
        model: Some("m".to_owned()),
        server: Some(server.address()),
        timeout: Some(Duration::from_secs(20)),
        ..Settings::default()
    }
}

fn connect(settings: Settings) -> Metered {
    settings.connect().unwrap().unwrap()
}

#[test]
fn each_protocol_is_asked_in_its_place() {
    let whole = Act::Pieces(vec![format!("{}{DONE}\n", part("a")).into_bytes()]);
    let server = Server::new(vec![completion("a"), completion("b"), whole]);
    let plain = connect(settings(&server));
    let ask = |model: &Metered| {
        model
            .ask(&model.request(vec![Message::user("hello")]))
            .unwrap()
    };
    ask(&plain);
    ask(&connect(Settings {
        server: Some(format!("{}/v1/", server.address())),
        key: Some(latweave::model::Key::new("sesame")),
        ..settings(&server)
    }));
    ask(&connect(Settings {
        api: Some(Api::Ollama),
        ..settings(&server)
    }));
    let heard = server.heard();
    let paths: Vec<&str> = heard.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        paths,
        ["/v1/chat/completions", "/v1/chat/completions", "/api/chat"]
    );
    for one in &heard {
        assert!(one.head.contains("user-agent: latweave/"), "{}", one.head);
    }
    assert!(!heard[0].head.contains("authorization"));
    assert!(heard[1].head.contains("authorization: bearer sesame"));
    let (chat, own) = (heard[0].json(), heard[2].json());
    assert_eq!(
        (&chat["temperature"], &chat["seed"]),
        (&json!(0.0), &json!(88))
    );
    assert_eq!(chat["cache_prompt"], false);
    assert_eq!(own["options"]["seed"], 88);
    assert_eq!(own["options"]["num_ctx"], 8192);
    assert_eq!(own["stream"], true);
}

/// Three questions, one of them twice.
fn run(model: &Metered) -> Vec<String> {
    let questions = ["who?", "when?", "who?", "where?"];
    let ask = |question: &&str| model.ask(&model.request(vec![Message::user(*question)]));
    questions
        .iter()
        .map(|question| ask(question).unwrap().text)
        .collect()
}

#[test]
fn a_recorded_run_is_played_back_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exchanges.jsonl");
    let server = Server::answering(|number, _| completion(&format!("reply {number}")));
    let record = |server: &Server| Settings {
        record: Some(file.clone()),
        ..settings(server)
    };
    let model = connect(record(&server));
    let first = run(&model);
    assert_eq!(first, ["reply 0", "reply 1", "reply 0", "reply 2"]);
    assert_eq!((model.cost().calls, model.cost().recorded), (3, 1));
    drop(model);
    let bytes = std::fs::read(&file).unwrap();

    // Another run asks nothing that is recorded, and changes nothing.
    assert_eq!(run(&connect(record(&server))), first);
    assert_eq!(server.heard().len(), 3);
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    drop(server);

    let playback = |name: &str| Settings {
        playback: Some(folder.path().join(name)),
        ..Settings::default()
    };
    let model = connect(playback("exchanges.jsonl"));
    assert_eq!(model.name(), "m");
    assert_eq!(run(&model), first);
    assert_eq!(
        model.cost().to_string(),
        "0 calls to a model, 4 from the record"
    );
    let missing = model.ask(&model.request(vec![Message::user("why is it so?")]));
    let missing = missing.unwrap_err().to_string();
    assert!(
        missing.contains("why is it so?") && missing.contains("b3:"),
        "{missing}"
    );

    // The order of the exchanges does not reach the file.
    let other = Server::answering(|_, heard| {
        let words = heard.json()["messages"][0]["content"].to_string();
        completion(match words.as_str() {
            "\"who?\"" => "reply 0",
            "\"when?\"" => "reply 1",
            _ => "reply 2",
        })
    });
    let again = folder.path().join("again.jsonl");
    let model = connect(Settings {
        record: Some(again.clone()),
        ..settings(&other)
    });
    for question in ["where?", "who?", "when?"] {
        model
            .ask(&model.request(vec![Message::user(question)]))
            .unwrap();
    }
    drop(model);
    assert_eq!(std::fs::read(&again).unwrap(), bytes);
}

#[test]
fn an_interrupted_record_goes_on_and_a_damaged_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("exchanges.jsonl");
    let server = Server::answering(|number, _| completion(&format!("reply {number}")));
    let record = || Settings {
        record: Some(file.clone()),
        ..settings(&server)
    };
    let first = run(&connect(record()));
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 30]).unwrap();
    let model = connect(record());
    let again = run(&model);
    assert_eq!(model.cost().calls, 1);
    assert_ne!(again, first);
    drop(model);
    let whole = std::fs::read_to_string(&file).unwrap();
    assert_eq!(whole.lines().count(), 3);

    let wrong = |text: String| {
        std::fs::write(&file, text).unwrap();
        let settings = Settings {
            playback: Some(file.clone()),
            ..Settings::default()
        };
        settings.connect().map(|_| ()).unwrap_err().to_string()
    };
    assert!(wrong(whole.replacen("who?", "why?", 1)).contains("key does not fit"));
    assert!(wrong(format!("{whole}nonsense\n")).contains("line 4"));
    let absent = Settings {
        playback: Some(folder.path().join("nothing")),
        ..Settings::default()
    };
    assert!(absent.connect().is_err());
}

#[test]
fn a_record_is_written_by_one_program_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(vec![completion("a")]);
    let record = Settings {
        record: Some(folder.path().join("r.jsonl")),
        ..settings(&server)
    };
    let first = connect(record.clone());
    let error = record
        .clone()
        .connect()
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(error.contains("another program"), "{error}");
    drop(first);
    assert!(record.connect().is_ok());
}

#[test]
fn a_dry_run_sends_nothing() {
    let server = Server::new(vec![completion("a")]);
    let model = connect(Settings {
        dry_run: true,
        ..settings(&server)
    });
    for _ in 0..3 {
        let outcome = model.ask(&model.request(vec![Message::user("three small words")]));
        assert_eq!(outcome, Err(ModelError::NotSent));
    }
    assert!(server.heard().is_empty());
    assert_eq!((model.cost().calls, model.cost().prompt_tokens), (3, 9));
}

#[test]
fn many_threads_may_ask_one_model() {
    let server = Server::answering(|_, heard| {
        completion(heard.json()["messages"][0]["content"].as_str().unwrap())
    });
    let model = connect(settings(&server));
    std::thread::scope(|scope| {
        for number in 0..16 {
            let model = &model;
            scope.spawn(move || {
                let question = format!("question {number}");
                let reply = model.ask(&model.request(vec![Message::user(&question)]));
                assert_eq!(reply.unwrap().text, question);
            });
        }
    });
    assert_eq!(model.cost().calls, 16);
}
