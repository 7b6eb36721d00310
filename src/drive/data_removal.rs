//! How a revert or an erase removes data: the mechanism that is chosen (\[Opal\] 4.2.9, feature 0404h
//! in Level 0 Discovery). An Opal drive replaces its keys whatever else it does.

use super::error::At;
use super::{Cause, Credential, Drive, Error, Step};
use crate::session::DataRemoval;
use crate::spec::column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM;
use crate::spec::{DataRemovalMechanism, FeatureCode, uid};
use crate::wire::Value;

impl Drive {
    /// The mechanism that is chosen, which a drive tells to anybody; `None` if it does not.
    ///
    /// # Errors
    /// [`super::ErrorCode::NotSupported`] if Level 0 Discovery does not show the feature; otherwise
    /// any [`Error`].
    pub fn data_removal_mechanism(&mut self) -> Result<Option<DataRemovalMechanism>, Error> {
        self.require_core_2()?;
        self.require_data_removal()?;
        let mut session = self.open_as_anybody(uid::ADMIN_SP)?;
        let columns = ACTIVE_DATA_REMOVAL_MECHANISM..=ACTIVE_DATA_REMOVAL_MECHANISM;
        let row = session.get(uid::DATA_REMOVAL_MECHANISM, columns);
        let row = row.at(Step::ReadDataRemoval)?;
        let number = row.uint(ACTIVE_DATA_REMOVAL_MECHANISM);
        let number = number.at(Step::ReadDataRemoval)?;
        session.end().at(Step::EndSession)?;
        let mechanism = number.and_then(|number| u8::try_from(number).ok());
        Ok(mechanism.map(DataRemovalMechanism))
    }

    /// Chooses a mechanism, and reads it back. SID and Admins of the Admin SP may do it.
    ///
    /// # Errors
    /// [`super::ErrorCode::NotSupported`] if the drive does not support it; otherwise any [`Error`].
    pub fn set_data_removal_mechanism(
        &mut self,
        mechanism: DataRemovalMechanism,
        credential: &Credential,
    ) -> Result<(), Error> {
        self.require_mechanism(mechanism)?;
        let value = Value::Uint(mechanism.0.into());
        let columns = [(ACTIVE_DATA_REMOVAL_MECHANISM, value)];
        let step = Step::SetDataRemoval;
        self.set_and_read_back(uid::DATA_REMOVAL_MECHANISM, &columns, credential, step)
    }

    /// Refuses mechanisms that the drive does not support. Nothing is sent.
    ///
    /// # Errors
    /// [`super::ErrorCode::NotSupported`].
    pub fn require_mechanism(&self, mechanism: DataRemovalMechanism) -> Result<(), Error> {
        self.require_core_2()?;
        match self.require_data_removal()?.supports(mechanism) {
            true => Ok(()),
            false => Err(Error::before(Cause::NoMechanism(mechanism))),
        }
    }

    fn require_data_removal(&self) -> Result<&DataRemoval, Error> {
        let feature = self.discovery.data_removal();
        feature.ok_or(Error::before(Cause::NoFeature(FeatureCode::DATA_REMOVAL)))
    }
}
