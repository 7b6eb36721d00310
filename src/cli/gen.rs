//! `sedkit gen`: manual pages and shell completions, written into a folder.
//!
//! A manual page is a template in `man/`, written by hand. A line `@SYNOPSIS command@` or
//! `@OPTIONS command@` in it is replaced by what clap knows of that command, and `@VERSION@` by the
//! version, so that no page can forget an option.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Arguments;
use super::args::r#gen::{Gen, GenCommand};
use super::error::CliError;
use super::exit::Code;
use super::report::Report;

/// Every template: the name of its page, and its text.
const TEMPLATES: &[(&str, &str)] = &[
    ("sedkit.8", include_str!("../../man/sedkit.8.in")),
    (
        "sedkit-block-sid.8",
        include_str!("../../man/sedkit-block-sid.8.in"),
    ),
    (
        "sedkit-data-removal.8",
        include_str!("../../man/sedkit-data-removal.8.in"),
    ),
    (
        "sedkit-decode.8",
        include_str!("../../man/sedkit-decode.8.in"),
    ),
    (
        "sedkit-datastore.8",
        include_str!("../../man/sedkit-datastore.8.in"),
    ),
    ("sedkit-demo.8", include_str!("../../man/sedkit-demo.8.in")),
    (
        "sedkit-erase.8",
        include_str!("../../man/sedkit-erase.8.in"),
    ),
    ("sedkit-hash.8", include_str!("../../man/sedkit-hash.8.in")),
    (
        "sedkit-identify-pin.8",
        include_str!("../../man/sedkit-identify-pin.8.in"),
    ),
    ("sedkit-info.8", include_str!("../../man/sedkit-info.8.in")),
    ("sedkit-lock.8", include_str!("../../man/sedkit-lock.8.in")),
    ("sedkit-mbr.8", include_str!("../../man/sedkit-mbr.8.in")),
    (
        "sedkit-passwd.8",
        include_str!("../../man/sedkit-passwd.8.in"),
    ),
    (
        "sedkit-range.8",
        include_str!("../../man/sedkit-range.8.in"),
    ),
    ("sedkit-raw.8", include_str!("../../man/sedkit-raw.8.in")),
    (
        "sedkit-revert.8",
        include_str!("../../man/sedkit-revert.8.in"),
    ),
    (
        "sedkit-reactivate.8",
        include_str!("../../man/sedkit-reactivate.8.in"),
    ),
    ("sedkit-scan.8", include_str!("../../man/sedkit-scan.8.in")),
    (
        "sedkit-setup.8",
        include_str!("../../man/sedkit-setup.8.in"),
    ),
    (
        "sedkit-stack-reset.8",
        include_str!("../../man/sedkit-stack-reset.8.in"),
    ),
    (
        "sedkit-tper-reset.8",
        include_str!("../../man/sedkit-tper-reset.8.in"),
    ),
    (
        "sedkit-unlock.8",
        include_str!("../../man/sedkit-unlock.8.in"),
    ),
    ("sedkit-user.8", include_str!("../../man/sedkit-user.8.in")),
    (
        "sedkit-vdrive.8",
        include_str!("../../man/sedkit-vdrive.8.in"),
    ),
];

/// Writes what was asked for.
pub(crate) fn run(arguments: &Gen) -> Result<Report, CliError> {
    match &arguments.command {
        GenCommand::Man { folder } => write_pages(folder),
        GenCommand::Completions { folder } => write_completions(folder),
    }
    .map(|()| Report::default())
    .map_err(|error| CliError::from_chain(Code::Failed, &error))
}

fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, template) in TEMPLATES {
        fs::write(folder.join(name), page(template)?)?;
    }
    Ok(())
}

fn write_completions(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut Arguments::command(), "sedkit", folder)?;
    }
    Ok(())
}

/// Defines the apostrophe as the options that clap writes use it.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// A page from its template.
fn page(template: &str) -> io::Result<Vec<u8>> {
    let mut page = PREAMBLE.as_bytes().to_vec();
    for line in template.lines() {
        match Directive::parse(line) {
            Some(directive) => directive.write(&mut page)?,
            None => page.extend(line.replace("@VERSION@", env!("CARGO_PKG_VERSION")).bytes()),
        }
        page.push(b'\n');
    }
    Ok(page)
}

/// A line of a template that clap fills in; the words name the command.
enum Directive<'a> {
    Synopsis(Vec<&'a str>),
    Options(Vec<&'a str>),
}

impl<'a> Directive<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let inner = line.strip_prefix('@')?.strip_suffix('@')?;
        let mut words = inner.split(' ');
        match words.next()? {
            "SYNOPSIS" => Some(Self::Synopsis(words.collect())),
            "OPTIONS" => Some(Self::Options(words.collect())),
            _ => None,
        }
    }

    fn write(&self, page: &mut Vec<u8>) -> io::Result<()> {
        let mut section = Vec::new();
        let text = match self {
            Self::Synopsis(words) => {
                let command = command(words)?;
                Man::new(command.clone()).render_synopsis_section(&mut section)?;
                with_values(&command, body(&section))
            }
            Self::Options(words) => {
                Man::new(command(words)?).render_options_section(&mut section)?;
                body(&section)
            }
        };
        page.extend(text.bytes());
        Ok(())
    }
}

/// A synopsis in which the options show what they take.
fn with_values(command: &Command, synopsis: String) -> String {
    let options = command.get_arguments();
    let options = options.filter(|option| option.get_action().takes_values());
    let named = options.filter_map(|option| option.get_long().zip(option.get_value_names()));
    named.fold(synopsis, |text, (long, values)| {
        let option = format!("\\fB\\-\\-{}\\fR", long.replace('-', "\\-"));
        let values: String = values
            .iter()
            .map(|value| format!(" \\fI{}\\fR", value.replace('-', "\\-")))
            .collect();
        text.replace(&option, &format!("{option}{values}"))
    })
}

/// What clap knows of a command.
fn command(words: &[&str]) -> io::Result<Command> {
    let mut command = Arguments::command();
    for word in words {
        let found = command.find_subcommand(word).cloned();
        command = found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, *word))?;
    }
    let name = std::iter::once("sedkit")
        .chain(words.iter().copied())
        .collect::<Vec<_>>()
        .join(" ");
    Ok(command.bin_name(name).disable_help_flag(true))
}

/// A rendered section without its heading and the preamble before it.
fn body(section: &[u8]) -> String {
    let text = String::from_utf8_lossy(section);
    let lines = text.lines().filter(|line| !line.starts_with(".SH"));
    let lines = lines.filter(|line| !line.starts_with(".ie") && !line.starts_with(".el"));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered() -> Vec<(&'static str, String)> {
        let text = |template| String::from_utf8(page(template).unwrap()).unwrap();
        TEMPLATES
            .iter()
            .map(|(name, template)| (*name, text(*template)))
            .collect()
    }

    /// The long options of a command and of everything below it, as roff writes them.
    fn long_options(command: &Command) -> Vec<String> {
        let own = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set());
        let own = own.filter_map(|argument| argument.get_long());
        let mut options: Vec<_> = own
            .map(|long| format!("\\-\\-{}", long.replace('-', "\\-")))
            .collect();
        options.extend(command.get_subcommands().flat_map(long_options));
        options
    }

    #[test]
    fn every_command_has_a_page_with_all_its_options() {
        let pages = rendered();
        for command in Arguments::command()
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
        {
            let name = format!("sedkit-{}.8", command.get_name());
            let (_, page) = pages.iter().find(|(page, _)| *page == name).expect(&name);
            for option in long_options(command) {
                assert!(page.contains(&option), "{name} does not show {option}");
            }
        }
    }

    #[test]
    fn every_page_has_the_sections_of_a_manual() {
        for (name, page) in rendered() {
            for section in [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "EXAMPLES",
                "EXIT STATUS",
                "SEE ALSO",
            ] {
                let heading = page.contains(&format!("\n.SH {section}"));
                let quoted = page.contains(&format!("\n.SH \"{section}\""));
                assert!(heading || quoted, "{name} has no section {section}");
            }
            assert!(
                !page.contains("@SYNOPSIS") && !page.contains("@OPTIONS"),
                "{name}"
            );
        }
    }

    #[test]
    fn a_synopsis_shows_what_options_take() {
        let page = String::from_utf8(page("@SYNOPSIS erase@").unwrap()).unwrap();
        for part in [
            r"[\fB\-\-key\fR \fISOURCE\fR]",
            r"[\fB\-\-force\fR]",
            r"<\fB\-\-range\fR \fIN\fR|\fB\-\-all\fR>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn a_page_names_the_version() {
        let page = String::from_utf8(page("sedkit @VERSION@").unwrap()).unwrap();
        assert!(
            page.ends_with(&format!("\nsedkit {}\n", env!("CARGO_PKG_VERSION"))),
            "{page}"
        );
    }

    #[test]
    fn a_directive_for_an_unknown_command_is_an_error() {
        assert!(page("@OPTIONS frobnicate@").is_err());
    }
}
