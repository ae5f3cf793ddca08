//! The nearest of some names to one that was not found. Cost: the product of the lengths, for each candidate.

/// The candidate nearest to `name`, letter case aside, if it is near enough to be meant: at most a third of its letters off,
/// or else one that has it as a part.
///
/// ```
/// assert_eq!(grundy_lang::suggest::nearest("wythof", ["nim", "wythoff"]), Some("wythoff"));
/// assert_eq!(grundy_lang::suggest::nearest("georgia", ["nim", "georgia_bob"]), Some("georgia_bob"));
/// assert_eq!(grundy_lang::suggest::nearest("chess", ["nim", "wythoff"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let name: Vec<char> = lower.chars().take(64).collect();
    let candidates: Vec<&'a str> = candidates.into_iter().collect();
    let part = |c: &&&str| name.len() >= 3 && c.to_lowercase().contains(&lower);
    candidates
        .iter()
        .copied()
        .map(|c| {
            (
                distance(
                    &name,
                    &c.chars()
                        .flat_map(char::to_lowercase)
                        .take(64)
                        .collect::<Vec<_>>(),
                ),
                c,
            )
        })
        .filter(|(d, c)| *d * 3 <= name.len().max(c.chars().count()))
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
        .or_else(|| candidates.iter().find(part).copied())
}

/// Insertions, deletions, replacements and exchanges of neighbours needed to make one of the other.
pub(crate) fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            rows[i][j] = (rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1)
                .min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]))
                .min(if swap {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                });
        }
    }
    rows[a.len()][b.len()]
}
