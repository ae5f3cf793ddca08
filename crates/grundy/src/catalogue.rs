//! The catalogue: the texts of `games/*.game`, built into the program, found by name without parsing any other.
//!
//! Cost: a look-up compares the name with those of every entry, some microseconds; only the game asked for is parsed.

use grundy_lang::suggest;

/// One game of the catalogue, as its file gives it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name after `game`.
    pub name: &'static str,
    /// The quoted title, or the name.
    pub title: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// One line on what it is.
    pub about: &'static str,
    /// The file, `games/wythoff.game`.
    pub file: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Every game, by file name.
pub const ALL: &[Entry] = include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// A name as it is compared: letter case, `-`, `_` and blanks do not count.
fn plain(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_') && !c.is_whitespace())
        .flat_map(char::to_lowercase)
}

impl Entry {
    /// The name and the other names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// `name`, `title`, `aliases`, `about`, `file`, and the `rules` as their text.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name,
            "title": self.title,
            "aliases": self.aliases,
            "about": self.about,
            "file": self.file,
            "rules": self.text,
        })
    }
}

/// The game that answers to a name.
pub fn find(name: &str) -> Option<&'static Entry> {
    // Most say it as the catalogue does, and that is compared at once.
    let exact = ALL.iter().find(|e| e.names().any(|n| n == name));
    exact.or_else(|| {
        ALL.iter()
            .find(|e| e.names().any(|n| plain(n).eq(plain(name))))
    })
}

/// The name nearest to one that no game answers to, if one is near enough to be meant.
pub fn nearest(name: &str) -> Option<&'static str> {
    suggest::nearest(name, ALL.iter().flat_map(Entry::names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_blind_to_case_and_separators() {
        for name in [
            "team_nim", "Team-Nim", "TEAM NIM", "teamnim", "poj2068", "POJ 2068",
        ] {
            assert_eq!(find(name).map(|e| e.name), Some("team_nim"), "{name}");
        }
        assert!(find("team").is_none());
        assert!(find("").is_none());
    }

    #[test]
    fn near_misses_are_suggested() {
        assert_eq!(nearest("wythof"), Some("wythoff"));
        assert_eq!(nearest("poj2086"), Some("poj2068"));
        assert_eq!(nearest("qqqqqqqq"), None);
    }

    #[test]
    fn no_two_games_answer_to_one_name() {
        let mut names: Vec<(String, &str)> = ALL
            .iter()
            .flat_map(|e| e.names().map(|n| (plain(n).collect(), e.file)))
            .collect();
        names.sort();
        for pair in names.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{} and {}", pair[0].1, pair[1].1);
        }
    }

    #[test]
    fn every_game_has_a_line_about_it() {
        for entry in ALL {
            assert!(!entry.about.is_empty(), "{}", entry.file);
            assert!(
                entry.about.chars().count() <= 100,
                "{}: one short line",
                entry.file
            );
        }
    }
}
