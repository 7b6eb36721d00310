//! An image loaded into the shadow MBR.

use std::io;

use super::super::byte_table::{
    self, Access, Atomicity, ByteTable, Contents, OnProgress, Overwriting, TableName, Verification,
    WriteReport, WriteRequest, is_blank,
};
use super::super::error::At;
use super::super::{Cause, Credential, Drive, EraseConsent, Error, Step};

/// Blocks of which a survey looks at least at one, beside the first and the last.
const SAMPLES: usize = 8;

/// How an image is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadRequest {
    /// What takes effect together.
    pub atomicity: Atomicity,
    /// How it is shown that the image is there.
    pub verification: Verification,
    /// Consent to overwrite what is in the table; without it, only blank blocks are overwritten,
    /// and blocks that are as asked stay. A table that begins with a blank block counts as blank,
    /// until a block is read that is not: its blocks are not all looked at before.
    pub consent: Option<EraseConsent>,
}

/// What a look at the shadow MBR before a load found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbrSurvey {
    /// The table.
    pub table: ByteTable,
    /// Offset of a block that holds something else than the image and is not blank. Only some blocks
    /// were looked at.
    pub occupied: Option<u64>,
}

impl Drive {
    /// Looks, as anybody, whether an image fits the shadow MBR, and whether something else is in it:
    /// at the first block, the last, and a few between them.
    ///
    /// # Errors
    /// [`TableError::Beyond`](crate::drive::TableError::Beyond) if the image does not fit; otherwise any [`Error`].
    pub fn survey_mbr(
        &mut self,
        image: &mut dyn Contents<Error = io::Error>,
    ) -> Result<MbrSurvey, Error> {
        self.require_mbr()?;
        let mut session = self.open_for_table(None, image.length())?;
        let table = byte_table::require(&mut session, TableName::Mbr)?;
        let mut access = Access::new(&mut session, table, None);
        let occupied = access.occupied(image)?;
        session.end().at(Step::EndSession)?;
        Ok(MbrSurvey { table, occupied })
    }

    /// Loads an image into the shadow MBR, from its first byte on, as an Admin. Bytes after the image
    /// stay as they are; see [`super::super::ZeroPadded`]. An interrupted load is gone on with by the
    /// same call.
    ///
    /// # Warning
    /// What is in the table is lost. A drive that shows its shadow MBR while it is loaded shows half
    /// an image until the end, unless [`Atomicity::Whole`] is asked for.
    ///
    /// # Errors
    /// [`TableError::Beyond`](crate::drive::TableError::Beyond) before anything is written, [`Cause::ConsentRequired`] where a block that
    /// is to be overwritten is seen not to be blank; otherwise any [`Error`].
    pub fn load_mbr(
        &mut self,
        request: &LoadRequest,
        image: &mut dyn Contents<Error = io::Error>,
        credential: &Credential,
        on_progress: OnProgress<'_>,
    ) -> Result<WriteReport, Error> {
        let overwriting = self.overwriting(request.consent.as_ref())?;
        let request = WriteRequest {
            table: TableName::Mbr,
            offset: 0,
            atomicity: request.atomicity,
            verification: request.verification,
        };
        self.write_table(&request, overwriting, image, credential, on_progress)
    }

    /// What may be overwritten with a consent, which must be for this drive.
    pub(in super::super) fn overwriting(
        &self,
        consent: Option<&EraseConsent>,
    ) -> Result<Overwriting, Error> {
        match consent {
            None => Ok(Overwriting::Blank),
            Some(consent) if consent.is_for(self.identity()) => Ok(Overwriting::Anything),
            Some(_) => Err(Error::before(Cause::ConsentRequired)),
        }
    }
}

impl Access<'_, '_> {
    /// Offset of a block, of some, that holds something else than the image and is not blank.
    fn occupied(
        &mut self,
        image: &mut dyn Contents<Error = io::Error>,
    ) -> Result<Option<u64>, Error> {
        let span = self.span(0, image.length())?;
        for bytes in span.samples(SAMPLES) {
            let wanted = byte_table::wanted(image, &span, &bytes)?;
            let found = self.read(bytes.clone())?;
            if found != wanted && !is_blank(&found) {
                return Ok(Some(bytes.start));
            }
        }
        Ok(None)
    }
}
