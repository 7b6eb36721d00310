//! Finds every path in a file's tokens: in `use`, in code, in macros and in attributes.
//!
//! Tokens and not the syntax tree, because the arguments of a macro have none.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::source::{Source, names_test};

/// A path as the code names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    /// From the crate's root if `is_own`, else as it stands.
    pub(crate) segments: Vec<String>,
    /// True for a path into the file's own crate.
    pub(crate) is_own: bool,
    pub(crate) line: usize,
    pub(crate) in_test: bool,
}

impl Reference {
    /// True where the path leads to `path` (`wire::pretty`) or below it.
    pub(crate) fn leads_to(&self, path: &str) -> bool {
        let mut wanted = path.split("::");
        let mut segments = self.segments.iter();
        wanted.all(|name| segments.next().is_some_and(|segment| segment == name))
    }

    /// True where two neighbouring names of the path are these.
    pub(crate) fn has_pair(&self, first: &str, second: &str) -> bool {
        self.segments
            .windows(2)
            .any(|pair| pair[0] == first && pair[1] == second)
    }
}

/// Every path of the file that has more than one segment, or stands behind `use`.
pub(crate) fn references(source: &Source) -> Vec<Reference> {
    let mut walker = Walker {
        references: Vec::new(),
        own_name: (source.file == "src/main.rs").then_some("sedkit"),
    };
    walker.walk(source.tokens(), &source.module, source.is_test);
    walker.references
}

struct Walker {
    references: Vec<Reference>,
    /// The name by which the file reaches the library of its own package.
    own_name: Option<&'static str>,
}

impl Walker {
    fn walk(&mut self, stream: TokenStream, module: &[String], in_test: bool) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut item_is_test = false;
        let mut at = 0;
        while at < tokens.len() {
            if is_cfg_test(&tokens, at) {
                item_is_test = true;
            }
            let scope = Scope {
                module,
                in_test: in_test || item_is_test,
            };
            let next = self.step(&tokens, at, &scope);
            if ends_item(&tokens[next - 1]) {
                item_is_test = false;
            }
            at = next;
        }
    }

    /// Takes in what stands at `at`, and returns where to go on.
    fn step(&mut self, tokens: &[TokenTree], at: usize, scope: &Scope<'_>) -> usize {
        if let Some((name, body)) = inline_module(tokens, at) {
            let module = [scope.module, &[name]].concat();
            self.walk(body, &module, scope.in_test);
            return at + 3;
        }
        if starts_path(tokens, at) {
            return self.path(tokens, at, Vec::new(), scope);
        }
        if let TokenTree::Group(group) = &tokens[at] {
            self.walk(group.stream(), scope.module, scope.in_test);
        }
        at + 1
    }

    /// Takes in the path at `at`, below the names before it, and returns where it ends.
    fn path(
        &mut self,
        tokens: &[TokenTree],
        mut at: usize,
        mut names: Vec<String>,
        scope: &Scope<'_>,
    ) -> usize {
        let line = tokens[at].span().start().line;
        loop {
            match &tokens[at] {
                TokenTree::Ident(name) => names.push(name.to_string()),
                TokenTree::Punct(star) if star.as_char() == '*' => names.push("*".to_owned()),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    self.branches(group.stream(), &names, scope);
                    return at + 1;
                }
                _ => break,
            }
            at += 1;
            if !is_separator(tokens, at) || at + 2 >= tokens.len() {
                break;
            }
            at += 2;
        }
        self.add(&names, line, scope);
        at
    }

    /// The branches `{a, b::c}` of a `use`.
    fn branches(&mut self, stream: TokenStream, names: &[String], scope: &Scope<'_>) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.path(&tokens, at, names.to_vec(), scope);
            while at < tokens.len() && !is_punct(&tokens[at], ',') {
                at += 1;
            }
            at += 1;
        }
    }

    fn add(&mut self, names: &[String], line: usize, scope: &Scope<'_>) {
        let mut names = names;
        if let [start @ .., last] = names
            && last == "self"
            && !start.is_empty()
        {
            names = start;
        }
        let (segments, is_own) = resolve(names, scope.module, self.own_name);
        self.references.push(Reference {
            segments,
            is_own,
            line,
            in_test: scope.in_test,
        });
    }
}

/// Where the walker is.
struct Scope<'a> {
    module: &'a [String],
    in_test: bool,
}

/// Makes a path absolute: `super::token` in `wire::atom` is `wire::token`.
fn resolve(names: &[String], module: &[String], own_name: Option<&str>) -> (Vec<String>, bool) {
    let up = names.iter().take_while(|name| *name == "super").count();
    let base = &module[..module.len().saturating_sub(up)];
    match names.first().map(String::as_str) {
        Some("crate") => (names[1..].to_vec(), true),
        Some("self") => resolve_below(&names[1..], module),
        Some("super") => ([base, &names[up..]].concat(), true),
        Some(name) if own_name == Some(name) => (names[1..].to_vec(), true),
        Some("core" | "alloc") => {
            let rest = names[1..].iter().cloned();
            (
                std::iter::once("std".to_owned()).chain(rest).collect(),
                false,
            )
        }
        _ => (names.to_vec(), false),
    }
}

/// `self::…`, and what stands behind it, which may go up.
fn resolve_below(names: &[String], module: &[String]) -> (Vec<String>, bool) {
    match names.first().map(String::as_str) {
        Some("super") => resolve(names, module, None),
        _ => ([module, names].concat(), true),
    }
}

fn starts_path(tokens: &[TokenTree], at: usize) -> bool {
    let TokenTree::Ident(name) = &tokens[at] else {
        return false;
    };
    if is_keyword(&name.to_string()) || continues_path(tokens, at) || is_method(tokens, at) {
        return false;
    }
    is_separator(tokens, at + 1) || follows_use(tokens, at)
}

/// True behind a dot, but not behind the two dots of a range.
fn is_method(tokens: &[TokenTree], at: usize) -> bool {
    let is_dot = |back: usize| at >= back && is_punct(&tokens[at - back], '.');
    is_dot(1) && !is_dot(2)
}

/// True behind the `::` of a path that began earlier.
fn continues_path(tokens: &[TokenTree], at: usize) -> bool {
    if at < 3 || !is_separator(tokens, at - 2) {
        return false;
    }
    match &tokens[at - 3] {
        TokenTree::Ident(name) => !is_keyword(&name.to_string()),
        TokenTree::Punct(punct) => punct.as_char() == '>',
        _ => false,
    }
}

fn follows_use(tokens: &[TokenTree], at: usize) -> bool {
    at > 0 && (is_ident(&tokens[at - 1], "use") || is_extern_crate(tokens, at))
}

fn is_extern_crate(tokens: &[TokenTree], at: usize) -> bool {
    at > 1 && is_ident(&tokens[at - 1], "crate") && is_ident(&tokens[at - 2], "extern")
}

/// Keywords that stand before a path and are no part of it.
fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "use"
            | "pub"
            | "in"
            | "as"
            | "return"
            | "match"
            | "if"
            | "else"
            | "for"
            | "impl"
            | "dyn"
            | "mut"
            | "ref"
            | "let"
            | "const"
            | "static"
            | "where"
            | "while"
            | "move"
            | "unsafe"
    )
}

fn inline_module(tokens: &[TokenTree], at: usize) -> Option<(String, TokenStream)> {
    match tokens.get(at..at + 3)? {
        [keyword, TokenTree::Ident(name), TokenTree::Group(body)]
            if is_ident(keyword, "mod") && body.delimiter() == Delimiter::Brace =>
        {
            Some((name.to_string(), body.stream()))
        }
        _ => None,
    }
}

/// True at the bracket of `#[cfg(test)]`.
fn is_cfg_test(tokens: &[TokenTree], at: usize) -> bool {
    let (Some(before), TokenTree::Group(group)) = (at.checked_sub(1), &tokens[at]) else {
        return false;
    };
    if group.delimiter() != Delimiter::Bracket || !is_punct(&tokens[before], '#') {
        return false;
    }
    let content: Vec<TokenTree> = group.stream().into_iter().collect();
    match content.as_slice() {
        [name, TokenTree::Group(condition)] if is_ident(name, "cfg") => {
            names_test(&condition.stream())
        }
        _ => false,
    }
}

/// True for the token that closes an item: its semicolon or its body.
fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at..at + 2), Some([a, b]) if is_punct(a, ':') && is_punct(b, ':'))
}

pub(crate) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

pub(crate) fn is_ident(token: &TokenTree, name: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        references(&Source::new(file, text))
            .iter()
            .map(|reference| {
                let own = if reference.is_own { "own " } else { "" };
                let test = if reference.in_test { " test" } else { "" };
                format!("{own}{}{test}", reference.segments.join("::"))
            })
            .collect()
    }

    #[test]
    fn a_use_is_taken_apart() {
        let text = "use crate::{spec::Uid, wire::{self, Value as V, token::*}};";
        assert_eq!(
            found("src/drive/mod.rs", text),
            [
                "own spec::Uid",
                "own wire",
                "own wire::Value",
                "own wire::token::*"
            ]
        );
        assert_eq!(found("src/drive/mod.rs", "use nix;"), ["nix"]);
        assert_eq!(
            found("src/drive/mod.rs", "use ::nix::fcntl;"),
            ["nix::fcntl"]
        );
    }

    #[test]
    fn relative_paths_are_made_absolute() {
        let text = "use super::token::Token; use self::inner::A; mod m { use super::super::x::Y; }";
        assert_eq!(
            found("src/wire/atom.rs", text),
            [
                "own wire::token::Token",
                "own wire::atom::inner::A",
                "own wire::x::Y"
            ]
        );
        assert_eq!(
            found("src/wire/mod.rs", "use super::session::S;"),
            ["own session::S"]
        );
        assert_eq!(
            found("src/wire/atom.rs", "use super::super::session::S;"),
            ["own session::S"]
        );
    }

    #[test]
    fn code_macros_and_attributes_are_read_too() {
        let text = "#[derive(thiserror::Error)] fn f() -> crate::a::B { \
                    println!(\"{}\", crate::c::d()); x.y::<crate::e::F>() }";
        assert_eq!(
            found("src/cli/mod.rs", text),
            ["thiserror::Error", "own a::B", "own c::d", "own e::F"]
        );
        let text = "macro_rules! m { () => { $crate::spec::x() } }";
        assert_eq!(found("src/cli/mod.rs", text), ["own spec::x"]);
    }

    #[test]
    fn a_qualified_tail_is_no_path_of_its_own() {
        assert_eq!(
            found("src/a.rs", "fn f() { <T as a::B>::c::d(); }"),
            ["a::B"]
        );
    }

    #[test]
    fn tests_are_told_apart() {
        let text = "#[cfg(test)] use a::b; use c::d; #[cfg(test)] mod tests { use super::*; } \
                    #[cfg(test)] fn f() -> [u8; 2] { e::f() } fn g() { h::i() } \
                    #[cfg(not(test))] use j::k;";
        assert_eq!(
            found("src/wire/mod.rs", text),
            [
                "a::b test",
                "c::d",
                "own wire::* test",
                "e::f test",
                "h::i",
                "j::k"
            ]
        );
    }

    #[test]
    fn main_reaches_the_library_by_name() {
        assert_eq!(
            found("src/main.rs", "fn main() { sedkit::cli::run() }"),
            ["own cli::run"]
        );
    }
}
