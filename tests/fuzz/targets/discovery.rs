//! Level 0 Discovery: any bytes are a response or an error, however they were cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sedkit::wire::discovery::Discovery;
use sedkit::wire::pretty;

fuzz_target!(|data: &[u8]| {
    let _ = pretty::discovery(data);
    let Ok(discovery) = Discovery::decode(data) else {
        return;
    };
    for feature in &discovery.features {
        let found = discovery.feature(feature.code).map(|found| found.code);
        assert_eq!(found, Some(feature.code));
        assert!(feature.missing <= usize::from(feature.length));
    }
    let _ = (
        discovery.ssc(),
        discovery.base_com_id(),
        discovery.number_of_com_ids(),
    );
});
