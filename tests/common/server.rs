//! A server of HTTP on this machine that says what a script tells it to say.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub enum Act {
    /// A status line, headers, and a body of known length.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Status 200 and pieces of a body, each sent on its own; then the body ends.
    Pieces(Vec<Vec<u8>>),
    /// The same, but the connection stays open and the body does not end.
    Endless(Vec<Vec<u8>>),
    /// The same, but the connection is closed within the body.
    Torn(Vec<Vec<u8>>),
    /// The connection is closed before anything is said.
    Close,
    /// Nothing is said.
    Silence,
}

/// What the server was sent.
#[derive(Clone, Debug)]
pub struct Heard {
    pub path: String,
    pub head: String,
    pub body: String,
}

impl Heard {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// The server. It ends when it is dropped.
pub struct Server {
    port: u16,
    heard: Arc<Mutex<Vec<Heard>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// A server that does these things, one for each request; the last one again and
    /// again.
    pub fn new(acts: Vec<Act>) -> Server {
        Server::answering(move |number, _| acts[number.min(acts.len() - 1)].clone())
    }

    /// A server that decides from the number of the request and the request.
    pub fn answering(act: impl Fn(usize, &Heard) -> Act + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let ended = Arc::new(AtomicBool::new(false));
        let (log, end, act) = (heard.clone(), ended.clone(), Arc::new(act));
        let thread = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let (log, end, act) = (log.clone(), end.clone(), act.clone());
                // A client that gives up makes an error here, which is its own affair.
                thread::spawn(move || drop(serve(stream, &log, &end, &*act)));
            }
        });
        Server {
            port,
            heard,
            ended,
            thread: Some(thread),
        }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.thread.take().map(JoinHandle::join);
    }
}

/// A port that nobody listens on.
pub fn closed_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<Heard>>,
    end: &AtomicBool,
    act: &dyn Fn(usize, &Heard) -> Act,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let heard = hear(&mut stream)?;
    let number = {
        let mut log = log.lock().unwrap();
        log.push(heard.clone());
        log.len() - 1
    };
    match act(number, &heard) {
        Act::Say(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Said\r\nConnection: close\r\n");
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
            stream.write_all(head.as_bytes())?;
            stream.write_all(body.as_bytes())
        }
        Act::Pieces(pieces) => {
            send(&mut stream, &pieces)?;
            stream.write_all(b"0\r\n\r\n")
        }
        Act::Endless(pieces) => {
            send(&mut stream, &pieces)?;
            wait(end);
            Ok(())
        }
        Act::Torn(pieces) => {
            send(&mut stream, &pieces)?;
            stream.shutdown(Shutdown::Both)
        }
        Act::Close => stream.shutdown(Shutdown::Both),
        Act::Silence => {
            wait(end);
            Ok(())
        }
    }
}

fn wait(end: &AtomicBool) {
    while !end.load(Ordering::SeqCst) {
        thread::sleep(Duration::from_millis(20));
    }
}

/// Each piece as a chunk of HTTP, and with a pause, so that it arrives alone.
fn send(stream: &mut TcpStream, pieces: &[Vec<u8>]) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    for piece in pieces {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
        stream.write_all(piece)?;
        stream.write_all(b"\r\n")?;
        stream.flush()?;
        thread::sleep(Duration::from_millis(15));
    }
    Ok(())
}

/// Reads a request: its head, and as much body as that announces.
fn hear(stream: &mut TcpStream) -> std::io::Result<Heard> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let wanted = name.eq_ignore_ascii_case("content-length");
                wanted.then(|| value.trim().parse::<usize>().ok()).flatten()
            });
            if body.len() >= length.unwrap_or(0) {
                return Ok(Heard {
                    path: head.split(' ').nth(1).unwrap_or("").to_owned(),
                    head: head.to_lowercase(),
                    body: body.to_owned(),
                });
            }
        }
        match stream.read(&mut piece)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            length => bytes.extend_from_slice(&piece[..length]),
        }
    }
}
