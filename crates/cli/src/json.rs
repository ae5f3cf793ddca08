//! JSON laid out for reading: what fits on a line stands on one.

use std::fmt::Write as _;

use serde_json::Value;

/// The width that a line should keep to.
const WIDTH: usize = 100;

/// The text of a value, its line ended.
pub fn layout(value: &Value) -> String {
    let mut out = String::new();
    put(value, 0, &mut out);
    out.push('\n');
    out
}

fn put(value: &Value, depth: usize, out: &mut String) {
    let flat = flat(value);
    let used = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
    if used + flat.len() < WIDTH || !matches!(value, Value::Array(_) | Value::Object(_)) {
        out.push_str(&flat);
        return;
    }
    let (open, close) = if value.is_array() {
        ('[', ']')
    } else {
        ('{', '}')
    };
    out.push(open);
    let items: Vec<(Option<&String>, &Value)> = match value {
        Value::Array(list) => list.iter().map(|v| (None, v)).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (Some(k), v)).collect(),
        _ => Vec::new(),
    };
    for (i, (key, item)) in items.iter().enumerate() {
        let _ = write!(
            out,
            "{}\n{:2$}",
            if i > 0 { "," } else { "" },
            "",
            2 * (depth + 1)
        );
        if let Some(key) = key {
            let _ = write!(out, "{}: ", Value::from(key.as_str()));
        }
        put(item, depth + 1, out);
    }
    let _ = write!(out, "\n{:1$}{close}", "", 2 * depth);
}

fn flat(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(flat).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Object(map) => {
            let list = map
                .iter()
                .map(|(k, v)| format!("{}: {}", Value::from(k.as_str()), flat(v)));
            format!("{{{}}}", list.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_laid_out_reads_back_the_same() {
        let long: Vec<String> = (0..60).map(|i| format!("item \"{i}\"")).collect();
        let value = serde_json::json!({"a": [1, [2, 3], {}], "long": long, "text": "x".repeat(200), "none": null});
        let text = layout(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(text.contains("\"a\": [1, [2, 3], {}]"));
    }
}
