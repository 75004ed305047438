//! One request to a server and its reply: bounded in time and size, repeated where the
//! fault passes.

use super::error::{ModelError, shown};
use super::settings::Key;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use std::error::Error as _;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// A request is sent so often, at most.
const ATTEMPTS: u32 = 4;
/// The pause before the first repetition; each further one doubles it.
const PAUSE: Duration = Duration::from_millis(500);
/// What a server says about a fault is read up to so many bytes.
const LONGEST_FAULT: usize = 64 << 10;
/// A reply may have so many bytes, and more for each token it was allowed.
const REPLY_BYTES: usize = 1 << 20;
const TOKEN_BYTES: usize = 512;

/// Takes a reply piece by piece.
pub(super) trait Intake {
    /// What becomes of it.
    type Output;

    /// Takes a piece, and says whether the reply is complete with it.
    fn take(&mut self, piece: &[u8]) -> Result<bool, String>;

    /// The reply, once the server ended it or it was complete.
    fn finish(self) -> Result<Self::Output, String>;
}

/// A server that speaks HTTP.
///
/// Its address is the only one that is spoken to: proxies of the environment are not
/// used, redirections are not followed.
#[derive(Debug)]
pub struct Server {
    client: Client,
    /// Always there; taken out when the server is dropped.
    runtime: Option<Runtime>,
    address: Url,
    key: Option<Key>,
    pause: Duration,
}

/// What an attempt ended in.
enum Fault {
    /// The next attempt may go better, after so long at least.
    Passing(ModelError, Option<Duration>),
    Lasting(ModelError),
}

impl Server {
    /// A server at an address such as `http://127.0.0.1:8080`. Nothing is sent yet.
    ///
    /// # Errors
    ///
    /// [`ModelError::Settings`] if the address is none, or is `https` and the program
    /// was built without it.
    pub fn new(address: &str, key: Option<Key>) -> Result<Server, ModelError> {
        let address = address_of(address)?;
        let machine = |error: &dyn std::fmt::Display| ModelError::Machine(error.to_string());
        let client = Client::builder()
            .user_agent(concat!("latweave/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| machine(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| machine(&error))?;
        Ok(Server {
            client,
            runtime: Some(runtime),
            address,
            key,
            pause: PAUSE,
        })
    }

    /// The same, with another pause before the first repetition.
    #[must_use]
    pub fn with_pause(mut self, pause: Duration) -> Server {
        self.pause = pause;
        self
    }

    /// The address, without what is secret in it.
    pub fn address(&self) -> String {
        let mut address = self.address.clone();
        let _ = address.set_password(None);
        let _ = address.set_username("");
        address.as_str().trim_end_matches('/').to_owned()
    }

    /// Sends a body of JSON and reads the reply.
    pub(super) fn post<I>(
        &self,
        path: &str,
        body: &[u8],
        limits: Limits<'_>,
        intake: impl Fn() -> I + Sync,
    ) -> Result<I::Output, ModelError>
    where
        I: Intake + Send,
        I::Output: Send,
    {
        let Some(runtime) = &self.runtime else {
            return Err(ModelError::Machine("the client has ended".to_owned()));
        };
        let work = || {
            let work = self.attempts(path, body, &limits, &intake);
            runtime.block_on(work)
        };
        // On a thread of its own: the caller's may belong to another runtime.
        let thread = std::thread::Builder::new().name("model".to_owned());
        std::thread::scope(|scope| {
            let handle = thread.spawn_scoped(scope, work);
            let handle = handle.map_err(|error| ModelError::Machine(error.to_string()))?;
            handle
                .join()
                .unwrap_or_else(|_| Err(ModelError::Machine("the client broke off".to_owned())))
        })
    }

    async fn attempts<I: Intake>(
        &self,
        path: &str,
        body: &[u8],
        limits: &Limits<'_>,
        intake: &impl Fn() -> I,
    ) -> Result<I::Output, ModelError> {
        let deadline = Instant::now() + limits.timeout;
        let mut pause = self.pause;
        let mut attempt = 1;
        loop {
            let work = self.attempt(path, body, limits, intake());
            let fault = match tokio::time::timeout_at(deadline.into(), work).await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(fault)) => fault,
                Err(_) => {
                    return Err(ModelError::Silent {
                        server: self.address(),
                        after: limits.timeout,
                    });
                }
            };
            let (error, wanted) = match fault {
                Fault::Lasting(error) => return Err(error),
                Fault::Passing(error, wanted) => (error, wanted),
            };
            let wait = wanted.unwrap_or_default().max(pause);
            if attempt >= ATTEMPTS || Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
            pause *= 2;
        }
    }

    async fn attempt<I: Intake>(
        &self,
        path: &str,
        body: &[u8],
        limits: &Limits<'_>,
        mut intake: I,
    ) -> Result<I::Output, Fault> {
        let url = format!("{}/{path}", self.address.as_str().trim_end_matches('/'));
        let mut request = self
            .client
            .post(&url)
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, format!("Bearer {}", key.reveal()));
        }
        let sent = request.body(body.to_vec()).send().await;
        let mut response = sent.map_err(|error| self.unsent(&error))?;
        if !response.status().is_success() {
            return Err(self.refusal(response, url, limits.model).await);
        }
        let most = REPLY_BYTES + limits.max_tokens as usize * TOKEN_BYTES;
        let mut length = 0;
        let bad = |why| {
            let server = self.address();
            Fault::Lasting(ModelError::BadReply { server, why })
        };
        while let Some(piece) = response.chunk().await.map_err(|_| self.closed())? {
            length += piece.len();
            if length > most {
                return Err(bad(format!("it has more than {most} bytes")));
            }
            if intake.take(&piece).map_err(bad)? {
                break;
            }
        }
        intake.finish().map_err(bad)
    }

    fn closed(&self) -> Fault {
        let server = self.address();
        Fault::Passing(ModelError::Closed { server }, None)
    }

    /// The request did not get there, or nothing came back.
    fn unsent(&self, error: &reqwest::Error) -> Fault {
        if !error.is_connect() {
            return self.closed();
        }
        let mut cause = error.source();
        while let Some(deeper) = cause.and_then(|inner| inner.source()) {
            cause = Some(deeper);
        }
        Fault::Lasting(ModelError::Down {
            server: self.address(),
            reason: cause.map_or_else(|| "no connection".to_owned(), |cause| cause.to_string()),
        })
    }

    /// What a status other than success means.
    async fn refusal(&self, mut response: Response, url: String, model: &str) -> Fault {
        let status = response.status();
        let wanted = retry_after(&response);
        let mut bytes = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            bytes.extend_from_slice(&piece);
            if bytes.len() > LONGEST_FAULT {
                break;
            }
        }
        let said = said(&bytes);
        let server = self.address();
        let number = status.as_u16();
        match status {
            StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => {
                let status = number;
                Fault::Passing(ModelError::Throttled { server, status }, wanted)
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let status = number;
                let said = shown(&said);
                Fault::Lasting(ModelError::Forbidden {
                    server,
                    status,
                    said,
                })
            }
            _ if lacks_model(&said, model) => Fault::Lasting(ModelError::ModelMissing {
                server,
                model: model.to_owned(),
                said: shown(&said),
            }),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => {
                Fault::Lasting(ModelError::NoSuchInterface { url })
            }
            _ => Fault::Lasting(ModelError::Refused {
                server,
                status: number,
                said: shown(&said),
            }),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A look-up of a name that hangs must not hold up the end of the program.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What bounds a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits<'r> {
    /// The model that is asked.
    pub(super) model: &'r str,
    pub(super) timeout: Duration,
    pub(super) max_tokens: u32,
}

fn address_of(text: &str) -> Result<Url, ModelError> {
    let wrong = |why: String| {
        let like = "name one such as http://127.0.0.1:11434";
        ModelError::Settings(format!(
            "\"{text}\" is no address of a server ({why}); {like}"
        ))
    };
    let address = Url::parse(text).map_err(|error| wrong(error.to_string()))?;
    if address.host_str().is_none_or(str::is_empty) {
        return Err(wrong("it names no host".to_owned()));
    }
    match address.scheme() {
        "http" => Ok(address),
        "https" if cfg!(feature = "tls") => Ok(address),
        "https" => Err(ModelError::Settings(format!(
            "{text} wants https, and this program was built without it; build it with \
             `--features tls`, or name a server behind http"
        ))),
        other => Err(wrong(format!("it begins with {other}"))),
    }
}

/// The header as seconds; a date in it is not honoured, the pause doubles anyway.
fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    Some(Duration::from_secs(value.trim().parse().ok()?))
}

/// The message in an error of JSON (`{"error": "…"}` or `{"error": {"message": "…"}}`),
/// else the text itself.
fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return text;
    };
    let error = value.get("error").unwrap_or(&value);
    let message = error.get("message").unwrap_or(error);
    message.as_str().map_or(text, str::to_owned)
}

/// Servers word it in many ways; all of them name the model.
fn lacks_model(said: &str, model: &str) -> bool {
    let lower = said.to_lowercase();
    let absent = [
        "not found",
        "does not exist",
        "not exist",
        "no such",
        "not loaded",
    ];
    lower.contains("model")
        && lower.contains(&model.to_lowercase())
        && absent.iter().any(|words| lower.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_host() {
        for good in [
            "http://127.0.0.1:8080",
            "http://localhost/v1/",
            "http://[::1]:1",
        ] {
            assert!(address_of(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "localhost",
            "localhost:11434",
            "ftp://x",
            "http://",
            "unix:/x",
        ] {
            assert!(address_of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_secret_in_an_address_is_not_shown() {
        let server = Server::new("http://me:secret@127.0.0.1:9/", None).unwrap();
        assert_eq!(server.address(), "http://127.0.0.1:9");
    }

    #[test]
    fn messages_of_servers_are_found() {
        assert_eq!(
            said(br#"{"error":"model 'x' not found"}"#),
            "model 'x' not found"
        );
        assert_eq!(said(br#"{"error":{"message":"no"}}"#), "no");
        assert_eq!(said(b"<html>"), "<html>");
        assert!(lacks_model(
            "model 'x:1b' not found, try pulling it",
            "x:1b"
        ));
        assert!(lacks_model("The model `x:1b` does not exist.", "x:1b"));
        assert!(!lacks_model("404 page not found", "x:1b"));
    }
}
