//! What a generator gives: a text and the values of its parameters.

use std::sync::Arc;

use grundy_lang::check;
use grundy_lang::diag::Source;
use grundy_lang::interp::Rules;
use grundy_lang::value::Value;

/// A random game as a user would write it.
#[derive(Clone, Debug)]
pub struct RandomGame {
    /// The rules.
    pub text: String,
    /// Values of numeric parameters; other names of the game are counters of its start.
    pub params: Vec<(&'static str, i64)>,
}

impl RandomGame {
    /// Rules without parameters.
    pub fn plain(text: impl Into<String>) -> Self {
        RandomGame {
            text: text.into(),
            params: Vec::new(),
        }
    }

    /// The checked rules with the parameters bound; the errors as one text if the checker refuses them.
    pub fn rules(&self) -> Result<Rules, String> {
        let source = Source::new("<random>", self.text.as_str());
        let (game, _) = check::load(&source).map_err(|errors| {
            let texts: Vec<String> = errors.iter().map(|e| e.render(false)).collect();
            texts.join("\n")
        })?;
        let params = game
            .vars
            .iter()
            .map(|var| {
                let given = self.params.iter().find(|(name, _)| *name == var.name);
                Value::from(given.map_or(0, |(_, v)| *v))
            })
            .collect();
        Ok(Rules::new(Arc::new(game), params))
    }
}
