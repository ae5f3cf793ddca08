//! Reading: every key must be there, none may be that is not known, and every number must be exact.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use serde_core::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use crate::{Certificate, Code, GameText, Proof, Ray, Row, Rows, VERSION, Values, Window};

/// Why a text is no certificate that can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] io::Error),
    /// It is not UTF-8.
    #[error("the file is not a text in UTF-8")]
    NotText,
    /// The text ends too early.
    #[error("the certificate is cut off at line {line}: {what}")]
    CutOff {
        /// The line where it ends.
        line: usize,
        /// What the reader of JSON says.
        what: String,
    },
    /// It is not JSON.
    #[error("not a certificate: {0}")]
    NotJson(String),
    /// It is empty, or JSON that does not say that it is a certificate.
    #[error("not a certificate: there is no key `format` with `grundy-certificate`")]
    NotCertificate,
    /// It is of a version to come.
    #[error("the certificate has format version {version}, and this program reads up to {VERSION}")]
    Newer {
        /// Its version.
        version: u64,
    },
    /// It has a proof that is not known here.
    #[error(
        "no kind of proof `{0}` is known: `long`, `window`, `cofinite`, `arithmetic` and `rows` are"
    )]
    Kind(String),
    /// A key is missing, unknown, or has what it may not have.
    #[error("`{key}` {what}")]
    Key {
        /// Which, with those above it: `code.digits`.
        key: String,
        /// What is wrong.
        what: String,
    },
}

impl Problem {
    /// Whether there is nothing to check: not a certificate, or none that this version reads. Other certificates are wrong.
    pub fn unreadable(&self) -> bool {
        match self {
            Problem::File(_)
            | Problem::NotText
            | Problem::NotJson(_)
            | Problem::NotCertificate
            | Problem::Newer { .. } => true,
            Problem::CutOff { .. } | Problem::Kind(_) | Problem::Key { .. } => false,
        }
    }
}

/// Reads a certificate from a file.
pub fn read(path: &Path) -> Result<Certificate, Problem> {
    let text = String::from_utf8(fs::read(path)?).map_err(|_| Problem::NotText)?;
    parse(&text)
}

/// JSON in whose objects each key stands once: which of two counts, readers do not agree on.
struct Once(Json);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Any).map(Once)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(Once(value)) = list.next_element()? {
            all.push(value);
        }
        Ok(all.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut all = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if all.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` stands twice")));
            }
            let Once(value) = map.next_value()?;
            all.insert(key, value);
        }
        Ok(all.into())
    }
}

/// Reads a certificate from its text.
pub fn parse(text: &str) -> Result<Certificate, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::NotCertificate);
    }
    let Once(json) = serde_json::from_str(text).map_err(|e| {
        if e.is_eof() {
            Problem::CutOff {
                line: e.line(),
                what: e.to_string(),
            }
        } else {
            Problem::NotJson(e.to_string())
        }
    })?;
    let Json::Object(map) = json else {
        return Err(Problem::NotCertificate);
    };
    if map.get("format").and_then(Json::as_str) != Some("grundy-certificate") {
        return Err(Problem::NotCertificate);
    }
    let mut all = Object::new("", map);
    let _ = all.take("format")?;
    match all.number("version")? {
        0 => return Err(all.wrong("version", "is 0, and the first is 1")),
        version if version > VERSION => return Err(Problem::Newer { version }),
        _ => {}
    }
    let mut game = all.object("game")?;
    let text = GameText {
        text: game.text("text")?,
        arguments: game.list("arguments", "texts", |v| v.as_str().map(str::to_owned))?,
    };
    game.end()?;
    let mut proof = all.object("proof")?;
    let kind = match proof.text("kind")?.as_str() {
        "long" => Proof::Long {
            checked_to: proof.number("checked_to")?,
        },
        "cofinite" => Proof::Cofinite {
            state_at: proof.number("state_at")?,
        },
        "arithmetic" => Proof::Arithmetic {
            multiple: proof.number("multiple")?,
            settled_from: proof.number("settled_from")?,
        },
        "window" => Proof::Window(Window {
            mask: proof.number("mask")?,
            position_bit: proof.truth("position_bit")?,
            rares_to: proof.number("rares_to")?,
            witnesses_to: proof.number("witnesses_to")?,
            settled_from: proof.number("settled_from")?,
        }),
        "rows" => Proof::Rows(Rows {
            fixed: proof.number("fixed")?,
            rays: proof.objects("rays", |ray| {
                Ok(Ray {
                    from: ray.pair("from")?,
                    step: ray.pair("step")?,
                    count: ray.number_or_null("count")?,
                })
            })?,
            rows: proof.objects("rows", |row| {
                Ok(Row {
                    period: row.number("period")?,
                    preperiod: row.number("preperiod")?,
                    saltus: row.number("saltus")?,
                    state_at: row.number("state_at")?,
                    state_period: row.number("state_period")?,
                })
            })?,
        }),
        other => return Err(Problem::Kind(other.to_owned())),
    };
    proof.end()?;
    // The moves of a row are in its proof.
    let code = match kind {
        Proof::Rows(_) => Code::default(),
        _ => code(&mut all)?,
    };
    let mut values = all.object("values")?;
    let table = Values {
        count: values.number("count")?,
        sha256: values.text("sha256")?,
        list: match values.map.contains_key("list") {
            true => Some(listed(&mut values)?),
            false => None,
        },
    };
    values.end()?;
    let certificate = Certificate {
        game: text,
        code,
        period: all.number("period")?,
        preperiod: all.number("preperiod")?,
        saltus: all.number("saltus")?,
        max: all.number_or_null("max")?,
        values: table,
        proof: kind,
    };
    all.end()?;
    Ok(certificate)
}

fn code(all: &mut Object) -> Result<Code, Problem> {
    let mut code = all.object("code")?;
    let digits = Code {
        digits: code.list("digits", "natural numbers", Json::as_u64)?,
        tail: code.number("tail")?,
        unequal: code.truth("unequal")?,
    };
    code.end()?;
    Ok(digits)
}

/// The values of a list, which are in texts.
fn listed(values: &mut Object) -> Result<Vec<u64>, Problem> {
    let lines = values.list("list", "texts", |v| v.as_str().map(str::to_owned))?;
    let words = lines.iter().flat_map(|line| line.split(' '));
    let numbers = words.map(|word| {
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let number = word.parse().ok().filter(|_| digits);
        number.ok_or_else(|| values.wrong("list", format!("has `{word}`, which is no value")))
    });
    numbers.collect()
}

/// An object, whose keys are taken out one by one.
struct Object {
    name: String,
    map: Map<String, Json>,
}

impl Object {
    fn new(name: &str, map: Map<String, Json>) -> Self {
        Object {
            name: name.to_owned(),
            map,
        }
    }

    fn wrong(&self, key: &str, what: impl Into<String>) -> Problem {
        let key = match self.name.as_str() {
            "" => key.to_owned(),
            name => format!("{name}.{key}"),
        };
        Problem::Key {
            key,
            what: what.into(),
        }
    }

    fn take(&mut self, key: &str) -> Result<Json, Problem> {
        let value = self.map.remove(key);
        value.ok_or_else(|| self.wrong(key, "is missing"))
    }

    fn number(&mut self, key: &str) -> Result<u64, Problem> {
        let value = self.take(key)?;
        let number = value.as_u64();
        number.ok_or_else(|| self.wrong(key, "is not a natural number below 2^64"))
    }

    fn number_or_null(&mut self, key: &str) -> Result<Option<u64>, Problem> {
        match self.map.get(key) {
            Some(Json::Null) => self.take(key).map(|_| None),
            _ => self.number(key).map(Some),
        }
    }

    fn pair(&mut self, key: &str) -> Result<[u64; 2], Problem> {
        let list = self.list(key, "two natural numbers", Json::as_u64)?;
        let pair = list.try_into();
        pair.map_err(|_| self.wrong(key, "is not a list of two natural numbers"))
    }

    /// A list of objects, each read whole.
    fn objects<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Object) -> Result<T, Problem>,
    ) -> Result<Vec<T>, Problem> {
        let maps = self.list(key, "objects", |v| v.as_object().cloned())?;
        let mut out = Vec::with_capacity(maps.len());
        for (i, map) in maps.into_iter().enumerate() {
            let name = match self.name.as_str() {
                "" => format!("{key}[{i}]"),
                name => format!("{name}.{key}[{i}]"),
            };
            let mut object = Object::new(&name, map);
            out.push(read(&mut object)?);
            object.end()?;
        }
        Ok(out)
    }

    fn truth(&mut self, key: &str) -> Result<bool, Problem> {
        let value = self.take(key)?;
        let truth = value.as_bool();
        truth.ok_or_else(|| self.wrong(key, "is neither true nor false"))
    }

    fn text(&mut self, key: &str) -> Result<String, Problem> {
        match self.take(key)? {
            Json::String(text) => Ok(text),
            _ => Err(self.wrong(key, "is not a text")),
        }
    }

    fn object(&mut self, key: &str) -> Result<Object, Problem> {
        match self.take(key)? {
            Json::Object(map) => Ok(Object::new(key, map)),
            _ => Err(self.wrong(key, "is not an object")),
        }
    }

    fn list<T>(
        &mut self,
        key: &str,
        what: &str,
        read: impl Fn(&Json) -> Option<T>,
    ) -> Result<Vec<T>, Problem> {
        let value = self.take(key)?;
        let all = value.as_array().and_then(|a| a.iter().map(read).collect());
        all.ok_or_else(|| self.wrong(key, format!("is not a list of {what}")))
    }

    /// Nothing may be left: what a reader does not know it cannot check.
    fn end(self) -> Result<(), Problem> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(key) => Err(self.wrong(key, "is not a key of this version")),
        }
    }
}
