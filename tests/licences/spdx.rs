//! SPDX licence expressions, as far as manifests use them: names, OR, AND, WITH, brackets.

/// True where the expression can be met with these licences alone.
pub(crate) fn is_satisfied(expression: &str, licences: &[&str]) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser {
        words: &words,
        licences,
    };
    let verdict = parser.any_of();
    verdict && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    licences: &'a [&'a str],
}

impl Parser<'_> {
    /// `a OR b`
    fn any_of(&mut self) -> bool {
        let mut verdict = self.all_of();
        while self.take("OR") {
            verdict |= self.all_of();
        }
        verdict
    }

    /// `a AND b`
    fn all_of(&mut self) -> bool {
        let mut verdict = self.one();
        while self.take("AND") {
            verdict &= self.one();
        }
        verdict
    }

    /// `a`, `a WITH b` or `( … )`
    fn one(&mut self) -> bool {
        if self.take("(") {
            let verdict = self.any_of();
            return self.take(")") && verdict;
        }
        let Some((name, rest)) = self.words.split_first() else {
            return false;
        };
        self.words = rest;
        if !self.take("WITH") {
            return self.licences.contains(name);
        }
        let Some((exception, rest)) = self.words.split_first() else {
            return false;
        };
        self.words = rest;
        self.licences
            .contains(&format!("{name} WITH {exception}").as_str())
    }

    fn take(&mut self, word: &str) -> bool {
        match self.words.split_first() {
            Some((first, rest)) if *first == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LICENCES: &[&str] = &["MIT", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

    #[test]
    fn one_of_several_is_enough() {
        assert!(is_satisfied("MIT", LICENCES));
        assert!(is_satisfied("GPL-3.0 OR MIT", LICENCES));
        assert!(is_satisfied("Unlicense/MIT", LICENCES));
        assert!(is_satisfied(
            "Apache-2.0 WITH LLVM-exception OR X",
            LICENCES
        ));
    }

    #[test]
    fn all_of_several_are_needed() {
        assert!(is_satisfied("(GPL-3.0 OR MIT) AND Unicode-3.0", LICENCES));
        assert!(!is_satisfied("(GPL-3.0 OR MIT) AND NCSA", LICENCES));
        assert!(is_satisfied("NCSA AND X OR MIT", LICENCES));
    }

    #[test]
    fn what_is_not_listed_is_refused() {
        assert!(!is_satisfied("GPL-3.0", LICENCES));
        assert!(!is_satisfied("Apache-2.0", LICENCES));
        assert!(!is_satisfied("none", LICENCES));
        assert!(!is_satisfied("", LICENCES));
        assert!(!is_satisfied("MIT MIT", LICENCES));
        assert!(!is_satisfied("(MIT", LICENCES));
    }
}
