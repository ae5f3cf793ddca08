//! Writing: JSON that a person can read, put in place at once so that no reader meets half a file.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use crate::{Certificate, Proof, Ray, Row, VERSION};

/// Values on a line.
const LINE: usize = 32;

impl Certificate {
    /// The text of the file.
    pub fn text(&self) -> String {
        let mut values = json!({ "count": self.values.count, "sha256": self.values.sha256 });
        if let Some(list) = &self.values.list {
            let lines = list.chunks(LINE).map(|line| {
                let words: Vec<String> = line.iter().map(u64::to_string).collect();
                Json::from(words.join(" "))
            });
            values["list"] = lines.collect();
        }
        let mut proof = json!({ "kind": self.proof.kind() });
        match &self.proof {
            Proof::Long { checked_to } => proof["checked_to"] = json!(checked_to),
            Proof::Cofinite { state_at } => proof["state_at"] = json!(state_at),
            Proof::Arithmetic {
                multiple,
                settled_from,
            } => {
                proof["multiple"] = json!(multiple);
                proof["settled_from"] = json!(settled_from);
            }
            Proof::Window(window) => {
                proof["mask"] = json!(window.mask);
                proof["position_bit"] = json!(window.position_bit);
                proof["rares_to"] = json!(window.rares_to);
                proof["witnesses_to"] = json!(window.witnesses_to);
                proof["settled_from"] = json!(window.settled_from);
            }
            Proof::Rows(rows) => {
                proof["fixed"] = json!(rows.fixed);
                let rays = rows.rays.iter();
                let ray = |r: &Ray| json!({ "from": r.from, "step": r.step, "count": r.count });
                proof["rays"] = rays.map(ray).collect();
                let row = |r: &Row| {
                    json!({
                        "period": r.period,
                        "preperiod": r.preperiod,
                        "saltus": r.saltus,
                        "state_at": r.state_at,
                        "state_period": r.state_period,
                    })
                };
                proof["rows"] = rows.rows.iter().map(row).collect();
            }
        }
        let mut all = json!({
            "format": "grundy-certificate",
            "version": VERSION,
            "game": { "text": self.game.text, "arguments": self.game.arguments },
            "period": self.period,
            "preperiod": self.preperiod,
            "saltus": self.saltus,
            "max": self.max,
            "proof": proof,
            "values": values,
        });
        if !matches!(self.proof, Proof::Rows(_)) {
            all["code"] = json!({
                "digits": self.code.digits,
                "tail": self.code.tail,
                "unequal": self.code.unequal,
            });
        }
        format!("{all:#}\n")
    }
}

/// Writes a certificate. The file appears whole or not at all, and one that is there stays until then.
pub fn write(certificate: &Certificate, path: &Path) -> io::Result<()> {
    // Beside it, since a file cannot be renamed into another file system.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part: PathBuf = path.with_file_name(name);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(certificate.text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&part, path)
    });
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&part);
    }
    written
}
