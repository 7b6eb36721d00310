//! The figures of the code, as ARCHITECTURE.md publishes them.

use syn::visit::{self, Visit};

use super::sizes::{functions, production_lines};
use super::source::{Source, is_test_only};

/// The table's head and its row.
pub(crate) fn table(sources: &[Source]) -> String {
    let figures = Figures::of(sources);
    let cells = [
        ("lines without tests", figures.lines.to_string()),
        (
            "functions: median / p90 / p99 / max",
            spread(&figures.function_lines, &[50, 90, 99, 100]),
        ),
        (
            "functions over 50 lines",
            share(
                count_over(&figures.function_lines, 50),
                figures.function_lines.len(),
            ),
        ),
        (
            "files: median / p90 / max",
            spread(&figures.file_lines, &[50, 90, 100]),
        ),
        (
            "files over 400 lines",
            count_over(&figures.file_lines, 400).to_string(),
        ),
        (
            "public items documented",
            share(figures.items.documented, figures.items.public),
        ),
        (
            "unsafe blocks with safety note",
            format!("{} of {}", figures.noted_blocks, figures.unsafe_blocks),
        ),
        (
            "unwrap and expect per 1,000 lines",
            format!("{:.1}", per_thousand(figures.items.unwraps, figures.lines)),
        ),
    ];
    let mut text = String::from("| figure | value |\n|---|---|\n");
    for (name, value) in cells {
        text.push_str(&format!("| {name} | {value} |\n"));
    }
    text
}

#[derive(Default)]
struct Figures {
    lines: usize,
    file_lines: Vec<usize>,
    function_lines: Vec<usize>,
    items: Items,
    unsafe_blocks: usize,
    noted_blocks: usize,
}

impl Figures {
    fn of(sources: &[Source]) -> Self {
        let mut figures = Self::default();
        for source in sources.iter().filter(|source| !source.is_test) {
            figures.add(source);
        }
        figures.file_lines.sort_unstable();
        figures.function_lines.sort_unstable();
        figures
    }

    fn add(&mut self, source: &Source) {
        let lines = production_lines(source);
        self.lines += lines;
        self.file_lines.push(lines);
        let functions = functions(source);
        let production = functions.iter().filter(|function| !function.in_test);
        self.function_lines
            .extend(production.map(|function| function.lines));
        self.items.visit_file(&source.syntax());
        for line in std::mem::take(&mut self.items.unsafe_lines) {
            self.unsafe_blocks += 1;
            self.noted_blocks += usize::from(has_safety_note(&source.text, line));
        }
    }
}

/// What is counted in a file's syntax tree, tests left out.
#[derive(Default)]
struct Items {
    public: usize,
    documented: usize,
    unwraps: usize,
    unsafe_lines: Vec<usize>,
}

impl Items {
    fn count(&mut self, visibility: &syn::Visibility, attributes: &[syn::Attribute]) {
        if matches!(visibility, syn::Visibility::Public(_)) {
            self.public += 1;
            let is_documented = attributes
                .iter()
                .any(|attribute| attribute.path().is_ident("doc"));
            self.documented += usize::from(is_documented);
        }
    }
}

impl<'ast> Visit<'ast> for Items {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item::{Const, Enum, Fn, Mod, Static, Struct, Trait, Type};
        let (visibility, attributes) = match item {
            Const(item) => (&item.vis, &item.attrs),
            Enum(item) => (&item.vis, &item.attrs),
            Fn(item) => (&item.vis, &item.attrs),
            // A module in a file of its own is documented there, with `//!`.
            Mod(item) if item.content.is_some() => (&item.vis, &item.attrs),
            Static(item) => (&item.vis, &item.attrs),
            Struct(item) => (&item.vis, &item.attrs),
            Trait(item) => (&item.vis, &item.attrs),
            Type(item) => (&item.vis, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        if is_test_only(attributes) {
            return;
        }
        self.count(visibility, attributes);
        if !is_documented_as_a_whole(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        if !is_test_only(&function.attrs) {
            self.count(&function.vis, &function.attrs);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_impl_item_const(&mut self, constant: &'ast syn::ImplItemConst) {
        self.count(&constant.vis, &constant.attrs);
        visit::visit_impl_item_const(self, constant);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if field.ident.is_some() {
            self.count(&field.vis, &field.attrs);
        }
        visit::visit_field(self, field);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.unwraps += usize::from(call.method == "unwrap" || call.method == "expect");
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.unsafe_lines.push(block.unsafe_token.span.start().line);
        visit::visit_expr_unsafe(self, block);
    }
}

/// True for a module that excuses its items, such as the column names of one table.
fn is_documented_as_a_whole(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("allow") => {
            list.tokens.to_string().starts_with("missing_docs")
        }
        _ => false,
    })
}

/// True where the comment above the statement of this line is a safety note.
fn has_safety_note(text: &str, line: usize) -> bool {
    let lines: Vec<&str> = text.lines().take(line).collect();
    let mut above = lines.iter().rev().map(|line| line.trim());
    let is_note = |line: &str| line.starts_with("//") && line.contains("SAFETY:");
    let ends_statement = |line: &str| line.ends_with([';', '}']) || line.is_empty();
    above
        .by_ref()
        .enumerate()
        .take_while(|(at, line)| *at == 0 || !ends_statement(line))
        .any(|(_, line)| is_note(line))
}

/// Percentiles of a sorted list, parted by slashes.
fn spread(sorted: &[usize], percentiles: &[usize]) -> String {
    let values = percentiles.iter().map(|percent| {
        let last = sorted.len().saturating_sub(1);
        sorted.get(last * percent / 100).copied().unwrap_or(0)
    });
    values
        .map(|value| value.to_string())
        .collect::<Vec<_>>()
        .join(" / ")
}

fn count_over(values: &[usize], limit: usize) -> usize {
    values.iter().filter(|value| **value > limit).count()
}

fn share(part: usize, whole: usize) -> String {
    format!(
        "{part} of {whole} ({:.1} %)",
        per_thousand(part, whole) / 10.0
    )
}

fn per_thousand(part: usize, whole: usize) -> f64 {
    let ratio = |value: usize| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
    1000.0 * ratio(part) / ratio(whole.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_without_tests() {
        let text = "/// Docs.\npub struct A { pub x: u8 }\n\
                    impl A {\n/// Docs.\npub fn f(&self) { g().unwrap().expect(\"x\"); }\n}\n\
                    fn g() {}\npub mod m {\n#![allow(missing_docs)]\npub const X: u8 = 1;\n}\n\
                    #[cfg(test)]\nmod tests { pub fn h() { k().unwrap(); } }\n";
        let figures = Figures::of(&[Source::new("src/a.rs", text)]);
        assert_eq!((figures.items.documented, figures.items.public), (2, 4));
        assert_eq!(figures.items.unwraps, 2);
        assert_eq!(figures.function_lines, [1, 1]);
        assert_eq!(figures.lines, 11);
    }

    #[test]
    fn a_safety_note_stands_above_its_block() {
        let count = |text: &str| {
            let figures = Figures::of(&[Source::new("src/sys/a.rs", text)]);
            (figures.noted_blocks, figures.unsafe_blocks)
        };
        let noted = "fn f() {\n    // SAFETY: why,\n    // and more.\n    let x =\n        unsafe { g() };\n}";
        assert_eq!(count(noted), (1, 1));
        let bare = "fn f() {\n    // SAFETY: of another.\n    h();\n    unsafe { g() };\n}";
        assert_eq!(count(bare), (0, 1));
    }

    #[test]
    fn percentiles_are_taken_from_the_sorted_list() {
        let values: Vec<usize> = (1..=101).collect();
        assert_eq!(spread(&values, &[50, 90, 100]), "51 / 91 / 101");
        assert_eq!(spread(&[], &[50]), "0");
        assert_eq!(share(1, 8), "1 of 8 (12.5 %)");
    }
}
