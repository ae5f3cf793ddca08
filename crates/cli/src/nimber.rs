//! `nimber`: expressions of nimbers, from the arguments or from lines of standard input.

use std::io::{self, BufRead};

use grundy::nimber::work_out;
use grundy::{Budget, Source};

use crate::{Done, broken, one, print};

/// Works out one expression after the other; `-` stands for those of standard input.
pub fn nimber(expressions: &[String], json: bool, budget: &Budget) -> Done {
    for text in expressions {
        if text != "-" {
            answer("<expression>", text, 1, json, budget)?;
            continue;
        }
        for (line, number) in io::stdin().lock().lines().zip(1..) {
            let line = line.map_err(|error| {
                let message = format!("line {number} of standard input cannot be read: {error}");
                vec![broken(&message, "give an expression a line, as text")]
            })?;
            if !line.trim().is_empty() {
                answer("<stdin>", &line, number, json, budget)?;
            }
        }
    }
    Ok(true)
}

fn answer(label: &str, text: &str, line: u64, json: bool, budget: &Budget) -> Done {
    let worked = work_out(&Source::excerpt(label, text, line), budget).map_err(one)?;
    print(&if json {
        format!("{}\n", worked.to_json())
    } else {
        format!("{}\n", worked.value)
    })
}
