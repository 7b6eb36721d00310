//! What callers ask a response: descriptors by name, the SSC, the ComIDs.

use super::{
    BlockSid, DataRemoval, DataStore, Discovery, EnterpriseSsc, Feature, FeatureBody, Geometry,
    KeyPerIoSsc, Locking, NamespaceKeyPerIo, NamespaceLocking, NamespaceShadowMbr, OpalSsc,
    PyriteSsc, Siis, SingleUserMode, Tper,
};
use crate::spec::{ComId, FeatureCode, Ssc};

impl Discovery {
    /// The first descriptor with a code.
    #[must_use]
    pub fn feature(&self, code: FeatureCode) -> Option<&Feature> {
        self.features.iter().find(|feature| feature.code == code)
    }

    /// The SSC that the drive has; the first of [`Ssc::PREFERENCE`] where it has several.
    ///
    /// An SSC counts only if its descriptor tells a ComID by which it can be talked to.
    #[must_use]
    pub fn ssc(&self) -> Option<Ssc> {
        Ssc::PREFERENCE
            .into_iter()
            .find(|&ssc| self.com_ids_of(ssc).is_some())
    }

    /// Every SSC that the drive has, in the order of [`Ssc::PREFERENCE`].
    pub fn sscs(&self) -> impl Iterator<Item = Ssc> + '_ {
        Ssc::PREFERENCE
            .into_iter()
            .filter(|&ssc| self.com_ids_of(ssc).is_some())
    }

    /// The first static ComID of [`Discovery::ssc`].
    #[must_use]
    pub fn base_com_id(&self) -> Option<ComId> {
        self.com_ids_of(self.ssc()?).map(|(base, _)| base)
    }

    /// How many static ComIDs follow each other from [`Discovery::base_com_id`] on; 0 without one.
    #[must_use]
    pub fn number_of_com_ids(&self) -> u16 {
        self.ssc()
            .and_then(|ssc| self.com_ids_of(ssc))
            .map_or(0, |(_, number)| number)
    }

    fn com_ids_of(&self, ssc: Ssc) -> Option<(ComId, u16)> {
        self.feature(ssc.feature())?.body.com_ids()
    }

    fn find<'a, T: 'a>(
        &'a self,
        select: impl Fn(&'a FeatureBody) -> Option<&'a T>,
    ) -> Option<&'a T> {
        self.features
            .iter()
            .find_map(|feature| select(&feature.body))
    }

    /// What the TPer's communication stack can do, if the drive has it.
    #[must_use]
    pub fn tper(&self) -> Option<&Tper> {
        self.find(|body| match body {
            FeatureBody::Tper(body) => Some(body),
            _ => None,
        })
    }

    /// The state of locking and of the shadow MBR, if the drive has it.
    #[must_use]
    pub fn locking(&self) -> Option<&Locking> {
        self.find(|body| match body {
            FeatureBody::Locking(body) => Some(body),
            _ => None,
        })
    }

    /// Block size and alignment of ranges, if the drive has it.
    #[must_use]
    pub fn geometry(&self) -> Option<&Geometry> {
        self.find(|body| match body {
            FeatureBody::Geometry(body) => Some(body),
            _ => None,
        })
    }

    /// What the TPer has of SIIS, if the drive has it.
    #[must_use]
    pub fn siis(&self) -> Option<&Siis> {
        self.find(|body| match body {
            FeatureBody::Siis(body) => Some(body),
            _ => None,
        })
    }

    /// Enterprise SSC, if the drive has it.
    #[must_use]
    pub fn enterprise(&self) -> Option<&EnterpriseSsc> {
        self.find(|body| match body {
            FeatureBody::Enterprise(body) => Some(body),
            _ => None,
        })
    }

    /// Opal SSC 1.00, if the drive has it.
    #[must_use]
    pub fn opal1(&self) -> Option<&EnterpriseSsc> {
        self.find(|body| match body {
            FeatureBody::Opal1(body) => Some(body),
            _ => None,
        })
    }

    /// Single User Mode, if the drive has it.
    #[must_use]
    pub fn single_user_mode(&self) -> Option<&SingleUserMode> {
        self.find(|body| match body {
            FeatureBody::SingleUserMode(body) => Some(body),
            _ => None,
        })
    }

    /// Additional DataStore Tables, if the drive has it.
    #[must_use]
    pub fn data_store(&self) -> Option<&DataStore> {
        self.find(|body| match body {
            FeatureBody::DataStore(body) => Some(body),
            _ => None,
        })
    }

    /// Opal SSC 2.x, if the drive has it.
    #[must_use]
    pub fn opal2(&self) -> Option<&OpalSsc> {
        self.find(|body| match body {
            FeatureBody::Opal2(body) => Some(body),
            _ => None,
        })
    }

    /// Opalite SSC, if the drive has it.
    #[must_use]
    pub fn opalite(&self) -> Option<&PyriteSsc> {
        self.find(|body| match body {
            FeatureBody::Opalite(body) => Some(body),
            _ => None,
        })
    }

    /// Pyrite SSC 1.00, if the drive has it.
    #[must_use]
    pub fn pyrite1(&self) -> Option<&PyriteSsc> {
        self.find(|body| match body {
            FeatureBody::Pyrite1(body) => Some(body),
            _ => None,
        })
    }

    /// Pyrite SSC 2.x, if the drive has it.
    #[must_use]
    pub fn pyrite2(&self) -> Option<&PyriteSsc> {
        self.find(|body| match body {
            FeatureBody::Pyrite2(body) => Some(body),
            _ => None,
        })
    }

    /// Ruby SSC, if the drive has it.
    #[must_use]
    pub fn ruby(&self) -> Option<&OpalSsc> {
        self.find(|body| match body {
            FeatureBody::Ruby(body) => Some(body),
            _ => None,
        })
    }

    /// Key Per I/O SSC, if the drive has it.
    #[must_use]
    pub fn key_per_io(&self) -> Option<&KeyPerIoSsc> {
        self.find(|body| match body {
            FeatureBody::KeyPerIo(body) => Some(body),
            _ => None,
        })
    }

    /// Block SID Authentication, if the drive has it.
    #[must_use]
    pub fn block_sid(&self) -> Option<&BlockSid> {
        self.find(|body| match body {
            FeatureBody::BlockSid(body) => Some(body),
            _ => None,
        })
    }

    /// Configurable Namespace Locking, if the drive has it.
    #[must_use]
    pub fn namespace_locking(&self) -> Option<&NamespaceLocking> {
        self.find(|body| match body {
            FeatureBody::NamespaceLocking(body) => Some(body),
            _ => None,
        })
    }

    /// Supported Data Removal Mechanism, if the drive has it.
    #[must_use]
    pub fn data_removal(&self) -> Option<&DataRemoval> {
        self.find(|body| match body {
            FeatureBody::DataRemoval(body) => Some(body),
            _ => None,
        })
    }

    /// Namespace Geometry Reporting, if the drive has it.
    #[must_use]
    pub fn namespace_geometry(&self) -> Option<&Geometry> {
        self.find(|body| match body {
            FeatureBody::NamespaceGeometry(body) => Some(body),
            _ => None,
        })
    }

    /// Shadow MBR for Multiple Namespaces, if the drive has it.
    #[must_use]
    pub fn namespace_shadow_mbr(&self) -> Option<&NamespaceShadowMbr> {
        self.find(|body| match body {
            FeatureBody::NamespaceShadowMbr(body) => Some(body),
            _ => None,
        })
    }

    /// Namespace Key Per I/O Capabilities, if the drive has it.
    #[must_use]
    pub fn namespace_key_per_io(&self) -> Option<&NamespaceKeyPerIo> {
        self.find(|body| match body {
            FeatureBody::NamespaceKeyPerIo(body) => Some(body),
            _ => None,
        })
    }
}
