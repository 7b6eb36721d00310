//! Generates the bindings from the installed headers, so that they match the libnvme that is linked.
use std::{env, error::Error, panic, path::PathBuf, process::ExitCode};

/// Functions, types and constants that sedkit uses, as regular expressions.
const FUNCTIONS: &str = "nvme_(scan|free_tree|identify|security_(send|receive)\
    |(first|next)_(host|subsystem)|subsystem_((first|next)_(ctrl|ns)|get_nqn)\
    |ctrl_((first|next)_ns|get_name)|ns_get_name)";
const TYPES: &str = "nvme_(identify|security_send|security_receive)_args|sg_io_hdr\
    |opal_(lock_unlock|session_info|key|user|lock_state)";
const CONSTANTS: &str = "SG_(IO|INFO_.*|DXFER_.*)|(IOC_)?OPAL_.*";
/// What a message of pkg-config, bindgen or clang contains, and the Debian package to install then.
const REMEDIES: [(&str, &str); 8] = [
    ("Could not run", "pkg-config"),
    ("json-c", "libjson-c-dev"),
    ("openssl", "libssl-dev"),
    ("libnvme", "libnvme-dev (1.3 or later, but not 2)"),
    ("sed-opal.h", "linux-libc-dev"),
    ("scsi/sg.h", "libc6-dev"),
    (
        "file not found",
        "libclang-dev (it brings clang's own headers)",
    ),
    ("libclang", "libclang-dev"),
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=wrapper.h");
    let message = match generate() {
        Ok(()) => return ExitCode::SUCCESS,
        Err(error) => error.to_string(),
    };
    let remedy = REMEDIES.iter().find(|(sign, _)| message.contains(sign));
    let package = remedy.map_or("named in bindgen/README.md", |(_, package)| package);
    println!("cargo::error=install the Debian package {package}");
    eprintln!("{message}");
    ExitCode::FAILURE
}

fn generate() -> Result<(), Box<dyn Error>> {
    let mut config = pkg_config::Config::new();
    let library = config.range_version("1.3".."2").probe("libnvme")?;
    let includes = library.include_paths.iter();
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
    let builder = bindgen::builder()
        .header("wrapper.h")
        .clang_args(includes.map(|path| format!("-I{}", path.display())))
        .allowlist_function(FUNCTIONS)
        .allowlist_type(TYPES)
        .allowlist_var(CONSTANTS)
        .clang_macro_fallback()
        .clang_macro_fallback_build_dir(&out)
        .derive_default(true)
        .prepend_enum_name(false)
        .formatter(bindgen::Formatter::None)
        .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()));
    // bindgen panics where libclang is missing, and answers an error for everything else.
    let bindings = panic::catch_unwind(panic::AssertUnwindSafe(|| builder.generate()))
        .map_err(|_| "libclang could not be loaded")?;
    Ok(bindings?.write_to_file(out.join("bindings.rs"))?)
}
