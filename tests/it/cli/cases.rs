//! What the program says, word for word: one situation per file in `tests/cmd`.

#[test]
fn every_case_says_what_its_file_says() {
    trycmd::TestCases::new()
        .default_bin_path(env!("CARGO_BIN_EXE_sedkit"))
        .case("tests/cmd/*.toml");
}
