//! `nimber`: expressions of nimbers, from the arguments or from lines of standard input.

use std::io::{self, BufRead};

use grundy::nimber::work_out;
use grundy::{Budget, Source};

use crate::{Done, Failure, broken, one, print};

/// Works out all expressions, and then prints them; `-` stands for those of standard input, which are printed one after the other.
pub fn nimber(expressions: &[String], json: bool, budget: &Budget) -> Done {
    let worked = expressions.iter().map(|text| match text.as_str() {
        "-" => Ok(None),
        _ => answer("<expression>", text, 1, json, budget).map(Some),
    });
    for text in worked.collect::<Result<Vec<_>, Failure>>()? {
        if let Some(text) = text {
            print(&text)?;
            continue;
        }
        for (line, number) in io::stdin().lock().lines().zip(1..) {
            let line = line.map_err(|error| {
                let message = format!("line {number} of standard input cannot be read: {error}");
                vec![broken(&message, "give an expression a line, as text")]
            })?;
            if !line.trim().is_empty() {
                print(&answer("<stdin>", &line, number, json, budget)?)?;
            }
        }
    }
    Ok(true)
}

/// What is printed for an expression.
fn answer(
    label: &str,
    text: &str,
    line: u64,
    json: bool,
    budget: &Budget,
) -> Result<String, Failure> {
    let worked = work_out(&Source::excerpt(label, text, line), budget).map_err(one)?;
    Ok(if json {
        format!("{}\n", worked.to_json())
    } else {
        format!("{}\n", worked.value)
    })
}
