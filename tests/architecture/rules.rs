//! Words that belong to certain places, or to none.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::paths::{is_ident, is_punct, references};
use super::source::{Finding, Source};

const UNSAFE_PLACES: &[&str] = &["src/sys", "bindgen"];
const OUTPUT_PLACES: &[&str] = &["src/cli", "src/main.rs", "bindgen/build.rs"];
const EXIT_PLACES: &[&str] = &["src/main.rs"];
const THREAD_PLACES: &[&str] = &["src/fleet", "src/vdrive/serve"];
const ENVIRONMENT_PLACES: &[&str] = &["src/cli", "src/main.rs", "bindgen/build.rs"];

/// Words of the language and macros: where they may stand, and the rule.
const WORDS: &[(&str, Kind, &[&str], &str)] = &[
    (
        "unsafe",
        Kind::Keyword,
        UNSAFE_PLACES,
        "unsafe code belongs to src/sys and bindgen",
    ),
    (
        "async",
        Kind::Keyword,
        &[],
        "no async: calls block, with a time limit",
    ),
    (
        "await",
        Kind::Keyword,
        &[],
        "no async: calls block, with a time limit",
    ),
    (
        "todo",
        Kind::Macro,
        &[],
        "no todo!: write it, or leave it out",
    ),
    (
        "unimplemented",
        Kind::Macro,
        &[],
        "no unimplemented!: write it, or leave it out",
    ),
    ("dbg", Kind::Macro, &[], "no dbg!: it was left behind"),
    ("print", Kind::Output, OUTPUT_PLACES, "only cli prints"),
    ("println", Kind::Output, OUTPUT_PLACES, "only cli prints"),
    ("eprint", Kind::Output, OUTPUT_PLACES, "only cli prints"),
    ("eprintln", Kind::Output, OUTPUT_PLACES, "only cli prints"),
];

/// Neighbouring names in a path: where they may stand, and the rule.
const PATHS: &[(&str, &str, &[&str], &str)] = &[
    (
        "std",
        "env",
        ENVIRONMENT_PLACES,
        "only cli reads arguments and environment",
    ),
    (
        "process",
        "exit",
        EXIT_PLACES,
        "only main ends the process, so that sessions are closed first",
    ),
    (
        "process",
        "abort",
        &[],
        "nobody aborts: an error is returned",
    ),
    (
        "thread",
        "spawn",
        THREAD_PLACES,
        "threads belong to fleet and vdrive::serve",
    ),
    (
        "thread",
        "scope",
        THREAD_PLACES,
        "threads belong to fleet and vdrive::serve",
    ),
    (
        "thread",
        "Builder",
        THREAD_PLACES,
        "threads belong to fleet and vdrive::serve",
    ),
];

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Keyword,
    Macro,
    /// A macro that unit tests may use.
    Output,
}

/// Every word of the file that stands where it must not.
pub(crate) fn misplaced(source: &Source) -> Vec<Finding> {
    let mut findings = misplaced_paths(source);
    let test_lines = super::sizes::test_lines(source);
    misplaced_words(source.tokens(), source, &test_lines, &mut findings);
    findings
}

fn misplaced_paths(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for reference in references(source).iter().filter(|found| !found.in_test) {
        for (first, second, places, rule) in PATHS {
            if reference.has_pair(first, second) && !source.is_in(places) {
                findings.push(Finding::new(&source.file, reference.line, *rule));
            }
        }
    }
    findings
}

fn misplaced_words(
    stream: TokenStream,
    source: &Source,
    test_lines: &[bool],
    findings: &mut Vec<Finding>,
) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            misplaced_words(group.stream(), source, test_lines, findings);
        }
        let line = token.span().start().line;
        let is_macro = tokens.get(at + 1).is_some_and(|next| is_punct(next, '!'));
        let is_test = test_lines.get(line).copied().unwrap_or(false);
        for (word, kind, places, rule) in WORDS {
            let applies = match kind {
                Kind::Keyword => true,
                Kind::Macro => is_macro,
                Kind::Output => is_macro && !is_test,
            };
            if applies && is_ident(token, word) && !source.is_in(places) {
                findings.push(Finding::new(&source.file, line, *rule));
            }
        }
    }
}

/// Every `allow` and `expect` attribute that does not say why.
pub(crate) fn unreasoned_allows(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    collect_unreasoned(source.tokens(), source, &mut findings);
    findings
}

fn collect_unreasoned(stream: TokenStream, source: &Source, findings: &mut Vec<Finding>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut attribute_opens = false;
    for token in &tokens {
        match token {
            TokenTree::Group(group) => {
                if attribute_opens && group.delimiter() == Delimiter::Bracket {
                    findings.extend(unreasoned(&group.stream(), source));
                }
                collect_unreasoned(group.stream(), source, findings);
                attribute_opens = false;
            }
            _ => {
                attribute_opens = is_punct(token, '#') || (attribute_opens && is_punct(token, '!'));
            }
        }
    }
}

/// The finding of one attribute, also where `allow` stands in a `cfg_attr`.
fn unreasoned(attribute: &TokenStream, source: &Source) -> Option<Finding> {
    let tokens: Vec<TokenTree> = attribute.clone().into_iter().collect();
    tokens.windows(2).find_map(|pair| match pair {
        [name, TokenTree::Group(group)] if is_ident(name, "cfg_attr") => {
            unreasoned(&group.stream(), source)
        }
        [name, TokenTree::Group(group)] if is_ident(name, "allow") || is_ident(name, "expect") => {
            let says_why = group
                .stream()
                .into_iter()
                .any(|token| is_ident(&token, "reason"));
            let line = name.span().start().line;
            (!says_why).then(|| Finding::new(&source.file, line, "an allow needs a reason"))
        }
        _ => None,
    })
}

/// Every `"allow"` of a manifest's lint table without a comment that says why.
pub(crate) fn unreasoned_manifest_allows(file: &str, text: &str) -> Vec<Finding> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| line.contains("\"allow\"") && !line.contains('#'))
        .map(|(at, _)| Finding::new(file, at + 1, "an allow needs a reason"))
        .collect()
}

/// Every note of something to be done that no issue stands behind.
pub(crate) fn loose_ends(source: &Source) -> Vec<Finding> {
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| {
            let comment = line.split_once("//").map_or("", |(_, comment)| comment);
            let is_marked = comment
                .split(|character: char| !character.is_alphanumeric())
                .any(|word| marks.contains(&word));
            is_marked && !comment.contains('#')
        })
        .map(|(at, _)| Finding::new(&source.file, at + 1, "work left open needs an issue number"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(file: &str, text: &str) -> Vec<String> {
        let findings = misplaced(&Source::new(file, text));
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn unsafe_stands_in_sys_only() {
        let text = "fn f() { unsafe { g() } }";
        assert_eq!(
            rules("src/wire/mod.rs", text),
            ["src/wire/mod.rs:1: unsafe code belongs to src/sys and bindgen"]
        );
        assert!(rules("src/sys/ioctl.rs", text).is_empty());
        assert!(rules("src/wire/mod.rs", "#![deny(unsafe_code)] // unsafe").is_empty());
    }

    #[test]
    fn unfinished_code_is_found() {
        for text in [
            "fn f() { todo!() }",
            "fn f() { x(dbg!(1)) }",
            "fn f() { unimplemented!() }",
        ] {
            assert_eq!(rules("src/cli/mod.rs", text).len(), 1, "{text}");
        }
        assert!(rules("src/cli/mod.rs", "fn todo() {}").is_empty());
    }

    #[test]
    fn only_cli_prints() {
        let text =
            "fn f() { println!(\"x\") }\n#[cfg(test)]\nmod tests {\nfn g() { println!() }\n}";
        assert_eq!(
            rules("src/drive/mod.rs", text),
            ["src/drive/mod.rs:1: only cli prints"]
        );
        assert!(rules("src/cli/output.rs", text).is_empty());
        assert!(rules("src/main.rs", "fn main() { eprintln!() }").is_empty());
    }

    #[test]
    fn environment_exit_and_threads_have_their_places() {
        assert_eq!(rules("src/secret/mod.rs", "use std::env;").len(), 1);
        assert_eq!(
            rules("src/secret/mod.rs", "fn f() { core::env::var(\"X\") }").len(),
            1
        );
        assert!(rules("src/cli/mod.rs", "use std::env;").is_empty());
        assert!(
            rules(
                "src/secret/mod.rs",
                "const N: &str = env!(\"CARGO_PKG_NAME\");"
            )
            .is_empty()
        );
        assert_eq!(
            rules("src/cli/mod.rs", "fn f() { std::process::exit(1) }").len(),
            1
        );
        assert!(rules("src/main.rs", "fn main() { std::process::exit(1) }").is_empty());
        assert_eq!(
            rules("src/session/mod.rs", "fn f() { thread::spawn(g) }").len(),
            1
        );
        assert_eq!(
            rules("src/session/mod.rs", "use std::thread::{self, scope};").len(),
            1
        );
        assert!(rules("src/fleet/mod.rs", "fn f() { thread::scope(g) }").is_empty());
    }

    #[test]
    fn async_is_found() {
        assert_eq!(
            rules("src/cli/mod.rs", "async fn f() { g().await }").len(),
            2
        );
    }

    #[test]
    fn an_allow_says_why() {
        let count = |text: &str| unreasoned_allows(&Source::new("src/a.rs", text)).len();
        assert_eq!(count("#[allow(dead_code)] fn f() {}"), 1);
        assert_eq!(count("#![expect(unsafe_code)]"), 1);
        assert_eq!(count("mod m { #[cfg_attr(test, allow(x))] fn f() {} }"), 1);
        assert_eq!(count("#[allow(dead_code, reason = \"why\")] fn f() {}"), 0);
        assert_eq!(count("fn f() { x.expect(\"an invariant\") }"), 0);
    }

    #[test]
    fn a_manifest_says_why_too() {
        let text = "a = \"allow\"\nb = \"allow\" # why\nc = \"warn\"\n";
        let findings = unreasoned_manifest_allows("Cargo.toml", text);
        assert_eq!(
            findings,
            [Finding::new("Cargo.toml", 1, "an allow needs a reason")]
        );
    }

    #[test]
    fn open_work_names_its_issue() {
        let count = |text: &str| loose_ends(&Source::new("src/a.rs", text)).len();
        let mark = concat!("TO", "DO");
        assert_eq!(count(&format!("// {mark}: later\n")), 1);
        assert_eq!(count(&format!("// {mark} #12: later\n")), 0);
        assert_eq!(count(&format!("fn f() {{}} // {mark}S\n")), 0);
    }
}
