//! What users of such tools have asked for or stumbled over, each test named by its row.

mod passwords;
