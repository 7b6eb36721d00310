//! The rows of the Admin SP (\[Opal\] 4.2.1.7; \[PSID\] 4.1).

use super::*;

/// Every row.
pub(in crate::vdrive::tper::tables) fn admin_sp() -> Vec<Ace> {
    let (anybody, admins, sid) = (uid::ANYBODY, uid::ADMINS, uid::SID);
    let pin = &[column::c_pin::PIN];
    let active = &[column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM];
    let reset = &[column::tper_info::PROGRAMMATIC_RESET_ENABLE];
    let enabled = &[column::authority::ENABLED];
    let get_pin = &[column::UID, column::c_pin::PIN];
    vec![
        fixed(ANYBODY, "ACE_Anybody", &[anybody], &[]),
        fixed(ADMIN, "ACE_Admin", &[admins], &[]),
        fixed(SET_ENABLED, "ACE_Set_Enabled", &[sid], enabled),
        fixed(
            C_PIN_SID_GET_NOPIN,
            "ACE_C_PIN_SID_Get_NOPIN",
            &[admins, sid],
            NO_PIN,
        ),
        fixed(C_PIN_SID_SET_PIN, "ACE_C_PIN_SID_Set_PIN", &[sid], pin),
        fixed(
            C_PIN_MSID_GET_PIN,
            "ACE_C_PIN_MSID_Get_PIN",
            &[anybody],
            get_pin,
        ),
        fixed(
            C_PIN_ADMINS_SET_PIN,
            "ACE_C_PIN_Admins_Set_PIN",
            &[admins, sid],
            pin,
        ),
        fixed(
            TPER_INFO_SET_RESET,
            "ACE_TPerInfo_Set_ProgrammaticResetEnable",
            &[sid],
            reset,
        ),
        fixed(SP_SID, "ACE_SP_SID", &[sid], &[]),
        fixed(
            DATA_REMOVAL_SET,
            "ACE_DataRemovalMechanism_Set_ActiveDataRemovalMechanism",
            &[admins, sid],
            active,
        ),
        fixed(SP_PSID, "ACE_SP_PSID", &[uid::PSID], &[]),
        fixed(
            C_PIN_GET_PSID_NOPIN,
            "ACE_C_PIN_Get_PSID_NoPIN",
            &[anybody],
            NO_PIN,
        ),
    ]
}
