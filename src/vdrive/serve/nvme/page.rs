//! A block of fields at fixed offsets, zero where nothing is put.

/// A data structure on its way to the host.
pub(super) struct Page(Vec<u8>);

impl Page {
    /// Nothing but zeros.
    pub(super) fn new(length: usize) -> Self {
        Self(vec![0; length])
    }

    /// Puts a field; what would lie beyond the end is left out.
    #[must_use]
    pub(super) fn put(mut self, offset: usize, field: &[u8]) -> Self {
        let places = self.0.iter_mut().skip(offset);
        places.zip(field).for_each(|(place, byte)| *place = *byte);
        self
    }

    /// Puts text, padded with blanks to its length.
    #[must_use]
    pub(super) fn put_text(self, offset: usize, text: &str, length: usize) -> Self {
        self.put(offset, format!("{text:<length$}").as_bytes())
    }

    /// The bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}
