//! Tables for people: columns with blanks between them, and nothing else.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};

/// A table of `rows` under a header, without trailing blanks.
pub(crate) fn text<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    for row in rows {
        table.add_row(row);
    }
    let lines: Vec<String> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [["/dev/nvme0", "nvme"], ["/dev/sda", "sata"]];
        let text = text(["DEVICE", "BUS"], rows.map(|row| row.map(str::to_owned)));
        assert_eq!(
            text,
            " DEVICE      BUS\n /dev/nvme0  nvme\n /dev/sda    sata"
        );
    }
}
