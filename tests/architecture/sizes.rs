//! How long functions and files are.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::source::{Finding, Source, is_test_only};

/// The longest function that passes.
const FUNCTION_LINES: usize = 60;
/// The longest file that passes, without its tests.
const FILE_LINES: usize = 400;

/// Files that may be longer, and why.
const LONG_FILES: &[(&str, &str)] = &[(
    "src/spec",
    "tables of definitions: one line for each thing that a standard names",
)];

/// Files and folders that have a limit of their own, without tests.
const OWN_LIMITS: &[(&str, usize)] = &[
    ("src/main.rs", 40),
    ("bindgen/build.rs", 60),
    ("src/sys", 500),
    ("src/sys/ioctl.rs", 250),
    ("src/sys/memory.rs", 250),
];

/// A function and its length from `fn` to the closing brace.
#[derive(Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
    pub(crate) in_test: bool,
}

/// Every function of the file that has a body.
pub(crate) fn functions(source: &Source) -> Vec<Function> {
    let mut survey = Survey::new(source);
    survey.visit_file(&source.syntax());
    survey.functions
}

/// For each line, counted from 1, whether it belongs to a test.
pub(crate) fn test_lines(source: &Source) -> Vec<bool> {
    let mut survey = Survey::new(source);
    survey.visit_file(&source.syntax());
    survey.test_lines
}

/// The number of lines that belong to no test.
pub(crate) fn production_lines(source: &Source) -> usize {
    let lines = test_lines(source);
    lines.iter().skip(1).filter(|is_test| !**is_test).count()
}

/// Functions over the limit.
pub(crate) fn long_functions(source: &Source) -> Vec<Finding> {
    functions(source)
        .iter()
        .filter(|function| function.lines > FUNCTION_LINES)
        .map(|function| {
            let Function {
                name, line, lines, ..
            } = function;
            let rule = format!("{name} has {lines} lines, the limit is {FUNCTION_LINES}");
            Finding::new(&source.file, *line, rule)
        })
        .collect()
}

/// The file, where it is over the limit.
pub(crate) fn long_file(source: &Source) -> Option<Finding> {
    let lines = production_lines(source);
    let is_excused = LONG_FILES.iter().any(|(place, _)| source.is_in(&[place]));
    (lines > FILE_LINES && !is_excused).then(|| {
        let rule = format!("{lines} lines without tests, the limit is {FILE_LINES}");
        Finding::new(&source.file, lines, rule)
    })
}

/// Files and folders over the limit that is theirs alone.
pub(crate) fn over_own_limit(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, limit) in OWN_LIMITS {
        let lines: usize = sources
            .iter()
            .filter(|source| source.is_in(&[place]))
            .map(production_lines)
            .sum();
        if lines > *limit {
            let rule = format!("{lines} lines without tests, its own limit is {limit}");
            findings.push(Finding::new(place, lines, rule));
        }
    }
    findings
}

/// Walks a file's items, knowing which of them are tests.
struct Survey {
    functions: Vec<Function>,
    test_lines: Vec<bool>,
    in_test: bool,
}

impl Survey {
    fn new(source: &Source) -> Self {
        Self {
            functions: Vec::new(),
            test_lines: vec![source.is_test; source.text.lines().count() + 1],
            in_test: source.is_test,
        }
    }

    /// Visits what lies below, as a test if the attributes say so.
    fn scoped(
        &mut self,
        attributes: &[syn::Attribute],
        span: proc_macro2::Span,
        below: impl FnOnce(&mut Self),
    ) {
        let outer = self.in_test;
        if !outer && is_test_only(attributes) {
            self.in_test = true;
            let first = attributes.first().map_or(span, Spanned::span).start().line;
            self.test_lines[first..=span.end().line].fill(true);
        }
        below(self);
        self.in_test = outer;
    }

    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let line = signature.fn_token.span().start().line;
        let end = block.brace_token.span.close().end().line;
        self.functions.push(Function {
            name: signature.ident.to_string(),
            line,
            lines: end - line + 1,
            in_test: self.in_test,
        });
    }
}

impl<'ast> Visit<'ast> for Survey {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = item_attributes(item);
        self.scoped(attributes, item.span(), |survey| {
            visit::visit_item(survey, item);
        });
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.scoped(&function.attrs, function.span(), |survey| {
            survey.add(&function.sig, &function.block);
            visit::visit_impl_item_fn(survey, function);
        });
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// The attributes of the items that can stand under `#[cfg(test)]`.
fn item_attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of so many lines.
    fn function(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "g();\n".repeat(lines - 2))
    }

    #[test]
    fn a_function_is_measured_from_fn_to_brace() {
        let text =
            "/// Docs.\n#[inline]\npub fn a(\n) {\n}\nimpl X { fn b() {} }\ntrait T { fn c(); }";
        let found = functions(&Source::new("src/a.rs", text));
        let sizes: Vec<_> = found
            .iter()
            .map(|f| (f.name.as_str(), f.line, f.lines))
            .collect();
        assert_eq!(sizes, [("a", 3, 3), ("b", 6, 1)]);
    }

    #[test]
    fn a_long_function_is_found() {
        let found = |lines| long_functions(&Source::new("src/a.rs", &function(lines)));
        assert!(found(60).is_empty());
        assert_eq!(
            found(61),
            [Finding::new(
                "src/a.rs",
                1,
                "f has 61 lines, the limit is 60"
            )]
        );
    }

    #[test]
    fn tests_do_not_count_for_a_file() {
        let tests = format!(
            "#[cfg(test)]\nmod tests {{\n{}}}\n",
            "fn f() {}\n".repeat(500)
        );
        let code = "fn g() {}\n".repeat(399);
        assert_eq!(
            production_lines(&Source::new("src/a.rs", &(code.clone() + &tests))),
            399
        );
        assert!(long_file(&Source::new("src/a.rs", &(code.clone() + &tests))).is_none());
        let long = code + "fn h() {}\nfn i() {}\n" + &tests;
        assert_eq!(
            long_file(&Source::new("src/a.rs", &long)),
            Some(Finding::new(
                "src/a.rs",
                401,
                "401 lines without tests, the limit is 400"
            ))
        );
        assert!(long_file(&Source::new("src/spec/uid.rs", &long)).is_none());
    }

    #[test]
    fn some_places_have_a_limit_of_their_own() {
        let lines = |file: &str, count: usize| Source::new(file, &"fn f() {}\n".repeat(count));
        let sources = [lines("src/sys/a.rs", 300), lines("src/sys/b.rs", 200)];
        assert!(over_own_limit(&sources).is_empty());
        let sources = [lines("src/sys/a.rs", 300), lines("src/sys/b.rs", 201)];
        assert_eq!(over_own_limit(&sources).len(), 1);
        assert_eq!(over_own_limit(&[lines("src/main.rs", 41)]).len(), 1);
    }
}
