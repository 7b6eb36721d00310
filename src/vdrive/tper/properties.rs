//! Communication properties of TPer and host (\[Core\] 5.2.2, \[Opal\] 4.1.1.1).

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use crate::spec::property::{self, opal_minimum};
use crate::spec::{MethodStatus, method, uid};
use crate::vdrive::profile::{HostEcho, Profile};
use crate::wire::{MethodCall, Value};

/// What the host said that it can receive, or what the SSC lets a TPer assume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostProperties {
    max_com_packet: u64,
    max_packet: u64,
    max_ind_token: u64,
    max_packets: u64,
    max_subpackets: u64,
    max_methods: u64,
}

impl Default for HostProperties {
    /// The initial assumptions (\[Opal\] 4.1.1.1).
    fn default() -> Self {
        let bytes = |size| u64::try_from(size).unwrap_or(u64::MAX);
        Self {
            max_com_packet: bytes(opal_minimum::COM_PACKET),
            max_packet: bytes(opal_minimum::PACKET),
            max_ind_token: bytes(opal_minimum::IND_TOKEN),
            max_packets: 1,
            max_subpackets: 1,
            max_methods: 1,
        }
    }
}

/// Bytes of the headers of Packet and Subpacket.
const PACKET_AND_SUBPACKET: u64 = 36;
/// Bytes of the header of ComPacket.
const COM_PACKET: u64 = 20;

impl HostProperties {
    /// The properties of a Properties call. Each value below the minimum counts as the minimum, and
    /// so does each that is missing; unknown ones are ignored, whatever their value.
    fn from_list(list: &[Value]) -> Option<Self> {
        let mut host = Self::default();
        for value in list {
            let (name, value) = value.as_named()?;
            let name = name.as_bytes()?;
            let known = host
                .by_name()
                .into_iter()
                .find(|(known, _)| known.as_bytes() == name);
            if let Some((_, place)) = known {
                *place = value.as_uint()?.max(*place);
            }
        }
        Some(host)
    }

    fn by_name(&mut self) -> [(&'static str, &mut u64); 6] {
        [
            (property::MAX_COM_PACKET_SIZE, &mut self.max_com_packet),
            (property::MAX_PACKET_SIZE, &mut self.max_packet),
            (property::MAX_IND_TOKEN_SIZE, &mut self.max_ind_token),
            (property::MAX_PACKETS, &mut self.max_packets),
            (property::MAX_SUBPACKETS, &mut self.max_subpackets),
            (property::MAX_METHODS, &mut self.max_methods),
        ]
    }

    /// The properties as a list, with a size of responses if there is one to tell.
    fn to_list(&self, response_size: Option<usize>) -> Value {
        let mut host = self.clone();
        let named = host
            .by_name()
            .map(|(name, value)| Value::named(name, *value));
        let response = response_size.map(|size| {
            let size = u64::try_from(size).unwrap_or(u64::MAX);
            Value::named(property::MAX_RESPONSE_COM_PACKET_SIZE, size)
        });
        Value::list(named.into_iter().chain(response))
    }

    /// Bytes of tokens that one response may hold.
    pub(crate) fn token_budget(&self, profile: &Profile) -> u64 {
        let sizes = &profile.communication;
        let com_packet = self.max_com_packet.min(sizes.max_response_com_packet);
        let packet = self.max_packet.min(sizes.max_packet);
        let tokens = com_packet
            .saturating_sub(COM_PACKET)
            .min(packet)
            .saturating_sub(PACKET_AND_SUBPACKET);
        tokens & !3
    }

    /// Bytes of the largest token that one response may hold.
    pub(crate) fn max_token(&self, profile: &Profile) -> u64 {
        self.max_ind_token.min(profile.communication.max_ind_token)
    }
}

/// Answers Properties, and takes what the host says of itself.
pub(crate) fn properties(
    profile: &Profile,
    host: &mut HostProperties,
    call: &MethodCall,
) -> MethodCall {
    let answer = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES);
    match host_properties(call) {
        Ok(None) => answer.argument(tper_properties(profile)),
        Ok(Some((taken, said))) => {
            *host = taken;
            let answer = answer.argument(tper_properties(profile));
            match echo(host, said, profile.defects.host_echo) {
                Some(echo) => answer.optional(HOST_PROPERTIES, echo),
                None => answer,
            }
        }
        Err(status) => answer.with_status(status),
    }
}

/// Number of the optional parameter HostProperties.
const HOST_PROPERTIES: u64 = 0;

/// What the answer says of the host.
fn echo(host: &HostProperties, said: &Value, kind: HostEcho) -> Option<Value> {
    match kind {
        HostEcho::Understood => Some(host.to_list(None)),
        HostEcho::WithResponseSize => Some(host.to_list(Some(opal_minimum::COM_PACKET))),
        HostEcho::Verbatim => Some(said.clone()),
        HostEcho::Nothing => None,
    }
}

/// What the host can receive, and how it said so.
fn host_properties(call: &MethodCall) -> Result<Option<(HostProperties, &Value)>, MethodStatus> {
    let arguments = Arguments::parse(&call.arguments, 0, &[HOST_PROPERTIES])?;
    let Some(value) = arguments.optional(HOST_PROPERTIES) else {
        return Ok(None);
    };
    let list = value.as_list().and_then(HostProperties::from_list);
    list.map(|host| Some((host, value)))
        .ok_or(MethodStatus::INVALID_PARAMETER)
}

fn tper_properties(profile: &Profile) -> Value {
    let told = profile.properties.iter();
    let told = told.filter_map(|property| {
        let value = property.value(profile)?;
        Some(Value::named(property.name(), value))
    });
    Value::list(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(list: Vec<Value>) -> MethodCall {
        MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).optional(0, list)
    }

    fn exchange(list: Vec<Value>) -> (HostProperties, MethodCall) {
        let mut host = HostProperties::default();
        let answer = properties(&Profile::opal2(), &mut host, &call(list));
        (host, answer)
    }

    #[test]
    fn values_below_the_minimum_become_the_minimum() {
        // Reference 3.2, from the rules on Properties.
        let (host, answer) = exchange(vec![
            Value::named("MaxComPacketSize", 512_u64),
            Value::named("MaxPacketSize", 1_000_000_u64),
            Value::named("Unknown", 7_u64),
            Value::named("Vendor", "text"),
        ]);
        assert_eq!(host.max_com_packet, 2048);
        assert_eq!(host.max_packet, 1_000_000);
        assert_eq!(answer.status, MethodStatus::SUCCESS);
        let echo = answer.arguments.get(1).unwrap().as_named().unwrap().1;
        assert_eq!(echo.as_list().unwrap().len(), 6);
    }

    #[test]
    fn a_later_call_supersedes_an_earlier_one() {
        let mut host = HostProperties::default();
        let profile = Profile::opal2();
        let large = call(vec![Value::named("MaxComPacketSize", 4096_u64)]);
        properties(&profile, &mut host, &large);
        assert_eq!(host.max_com_packet, 4096);
        properties(&profile, &mut host, &call(Vec::new()));
        assert_eq!(host, HostProperties::default());
    }

    #[test]
    fn the_echo_stands_only_where_the_host_spoke() {
        let mut host = HostProperties::default();
        let silent = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES);
        let answer = properties(&Profile::opal2(), &mut host, &silent);
        assert_eq!(answer.arguments.len(), 1);
        assert_eq!(answer.status, MethodStatus::SUCCESS);
    }

    #[test]
    fn wrong_types_are_refused() {
        for list in [
            vec![Value::Uint(3)],
            vec![Value::named("MaxPackets", "many")],
            vec![Value::named(1_u64, 1_u64)],
        ] {
            let (host, answer) = exchange(list);
            assert_eq!(answer.status, MethodStatus::INVALID_PARAMETER);
            assert!(answer.arguments.is_empty());
            assert_eq!(host, HostProperties::default());
        }
    }

    #[test]
    fn a_host_of_2048_bytes_gets_1992_bytes_of_tokens() {
        // Reference 1.11: Linux reads 1982 bytes at a time, and the reply fills 2048 bytes.
        let host = HostProperties::default();
        assert_eq!(host.token_budget(&Profile::opal2()), 1992);
        assert_eq!(host.max_token(&Profile::opal2()), 1992);
    }
}
