//! Communication properties: what host and TPer may send each other (\[Core\] 5.2.2, \[Opal\]
//! 4.1.1).
//!
//! Every TPer of an SSC takes and sends at least the SSC's minimum without having been asked, so an
//! exchange is needed only for larger transfers. What a TPer is asked to send is bounded by what
//! the path to it can carry, never by what it echoes: there are drives that echo anything.

use super::{Error, Malformed, MalformedKind, sanitise};
use crate::spec::property::{self, enterprise_minimum, opal_minimum};
use crate::spec::{Ssc, method, uid};
use crate::transport::MAX_BUFFER;
use crate::wire::packet::{COM_PACKET_HEADER, OVERHEAD};
use crate::wire::{MethodCall, Value};

/// Optional parameter of Properties: the host's properties.
const HOST_PROPERTIES: u64 = 0;

/// How much may be sent, and how much may come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest ComPacket in bytes, header included.
    pub com_packet: usize,
    /// Largest Packet in bytes, header included.
    pub packet: usize,
    /// Largest token in bytes, header included.
    pub ind_token: usize,
    /// Largest ComPacket of an answer in bytes, header included.
    pub response: usize,
}

/// What the TPer told in an exchange of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The TPer's properties in its own order; names are sanitised.
    pub tper: Vec<(String, u64)>,
    /// The host's properties as the TPer understood them; empty if it does not tell.
    pub host: Vec<(String, u64)>,
}

impl Limits {
    /// What an SSC guarantees without an exchange, in both directions.
    #[must_use]
    pub const fn guaranteed(ssc: Ssc) -> Self {
        match ssc {
            Ssc::Enterprise => Self {
                com_packet: enterprise_minimum::COM_PACKET,
                packet: enterprise_minimum::PACKET,
                ind_token: enterprise_minimum::IND_TOKEN,
                response: enterprise_minimum::COM_PACKET,
            },
            _ => Self {
                com_packet: opal_minimum::COM_PACKET,
                packet: opal_minimum::PACKET,
                ind_token: opal_minimum::IND_TOKEN,
                response: opal_minimum::COM_PACKET,
            },
        }
    }

    /// What fits a buffer of so many bytes.
    #[must_use]
    pub const fn of_buffer(size: usize) -> Self {
        Self {
            com_packet: size,
            packet: size.saturating_sub(COM_PACKET_HEADER),
            ind_token: size.saturating_sub(OVERHEAD),
            response: size,
        }
    }

    /// The smaller of both in everything.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        Self {
            com_packet: self.com_packet.min(other.com_packet),
            packet: self.packet.min(other.packet),
            ind_token: self.ind_token.min(other.ind_token),
            response: self.response.min(other.response),
        }
    }

    /// Checks that a message may be sent.
    ///
    /// # Errors
    /// [`Error::Limit`] otherwise.
    pub(crate) fn check(&self, tokens: usize, largest_token: usize) -> Result<(), Error> {
        let packet = tokens.next_multiple_of(4) + OVERHEAD - COM_PACKET_HEADER;
        for (what, length, limit) in [
            ("a token", largest_token, self.ind_token),
            ("a Packet", packet, self.packet),
            ("a ComPacket", packet + COM_PACKET_HEADER, self.com_packet),
        ] {
            if length > limit {
                return Err(Error::Limit {
                    what,
                    length,
                    limit,
                });
            }
        }
        Ok(())
    }
}

impl Properties {
    /// A property of the TPer, by its standard name.
    #[must_use]
    pub fn tper(&self, name: &str) -> Option<u64> {
        find(&self.tper, name)
    }

    /// What may be sent to the TPer: its own limits, or the guaranteed ones where it does not tell.
    #[must_use]
    pub fn send_limits(&self, guaranteed: Limits) -> Limits {
        let told = |name, guaranteed: usize| match self.tper(name) {
            None => guaranteed,
            // 0 is "no limit".
            Some(0) => MAX_BUFFER,
            Some(limit) => usize::try_from(limit).unwrap_or(usize::MAX).max(guaranteed),
        };
        let com_packet = told(property::MAX_COM_PACKET_SIZE, guaranteed.com_packet);
        Limits {
            com_packet,
            packet: told(property::MAX_PACKET_SIZE, guaranteed.packet),
            ind_token: told(property::MAX_IND_TOKEN_SIZE, guaranteed.ind_token),
            // An answer is never expected to be larger than what may be sent, so that one buffer
            // serves for both.
            response: com_packet.min(told(property::MAX_RESPONSE_COM_PACKET_SIZE, com_packet)),
        }
    }

    /// How many bytes an answer of the TPer may have: what it tells of its responses, or else of what
    /// it takes, but no less than what is guaranteed.
    #[must_use]
    pub fn response_size(&self, guaranteed: Limits) -> usize {
        let takes = self.send_limits(guaranteed).com_packet;
        match self.tper(property::MAX_RESPONSE_COM_PACKET_SIZE) {
            None => takes,
            Some(0) => MAX_BUFFER,
            Some(size) => usize::try_from(size)
                .unwrap_or(usize::MAX)
                .max(guaranteed.com_packet),
        }
    }
}

fn find(properties: &[(String, u64)], name: &str) -> Option<u64> {
    let found = properties.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| *value)
}

/// Properties, with the host's own.
pub(crate) fn request(limits: Limits) -> MethodCall {
    let size = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
    let host = [
        (property::MAX_COM_PACKET_SIZE, size(limits.com_packet)),
        (
            property::MAX_RESPONSE_COM_PACKET_SIZE,
            size(limits.com_packet),
        ),
        (property::MAX_PACKET_SIZE, size(limits.packet)),
        (property::MAX_IND_TOKEN_SIZE, size(limits.ind_token)),
        (property::MAX_PACKETS, 1),
        (property::MAX_SUBPACKETS, 1),
        (property::MAX_METHODS, 1),
    ];
    let host = host.map(|(name, value)| Value::named(name, value));
    MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES)
        .optional(HOST_PROPERTIES, Value::list(host))
}

/// Reads the TPer's answer. The echo of the host's properties may be missing, and so may any
/// property: there is a drive that sends a single one.
pub(crate) fn parse(tokens: &[u8]) -> Result<Properties, Error> {
    let call = MethodCall::decode(tokens).map_err(|error| Malformed::decode(error, tokens))?;
    let malformed = |kind| Error::from(Malformed::new(kind, tokens));
    if call.invoking_id != uid::SESSION_MANAGER || call.method_id != method::PROPERTIES {
        return Err(malformed(MalformedKind::Method));
    }
    if !call.status.is_success() {
        return Err(Error::Status(call.status));
    }
    let tper = call.arguments.first().and_then(Value::as_list);
    let tper = tper.ok_or_else(|| malformed(MalformedKind::Result("list of properties")))?;
    let echo = call.arguments.iter().filter_map(Value::as_named);
    let host = echo.map(|(_, value)| value).find_map(Value::as_list);
    Ok(Properties {
        tper: named(tper),
        host: host.map(named).unwrap_or_default(),
    })
}

/// The properties of a list; what is none is skipped.
fn named(values: &[Value]) -> Vec<(String, u64)> {
    let pairs = values.iter().filter_map(Value::as_named);
    pairs
        .filter_map(|(name, value)| Some((sanitise(name.as_bytes()?), value.as_uint()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPAL: Limits = Limits::guaranteed(Ssc::Opal2);

    /// Properties as a Samsung-like TPer answers (tcg.md frame 7.2), from parts.
    fn answer(tper: &[(&str, u64)], host: Option<&[(&str, u64)]>) -> Vec<u8> {
        let list = |pairs: &[(&str, u64)]| {
            Value::list(
                pairs
                    .iter()
                    .map(|(name, value)| Value::named(*name, *value)),
            )
        };
        let mut call =
            MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).argument(list(tper));
        if let Some(host) = host {
            call = call.optional(0, list(host));
        }
        call.encode().to_vec()
    }

    #[test]
    fn limits_are_those_of_the_tper() {
        let samsung = [
            ("MaxComPacketSize", 66_048),
            ("MaxPacketSize", 66_028),
            ("MaxIndTokenSize", 65_540),
            ("MaxAuthentications", 5),
        ];
        let echo = [("MaxComPacketSize", 2048)];
        let properties = parse(&answer(&samsung, Some(&echo))).unwrap();
        assert_eq!(properties.tper("MaxAuthentications"), Some(5));
        assert_eq!(properties.host, [("MaxComPacketSize".to_owned(), 2048)]);
        let expected = Limits {
            com_packet: 66_048,
            packet: 66_028,
            ind_token: 65_540,
            response: 66_048,
        };
        assert_eq!(properties.send_limits(OPAL), expected);
    }

    #[test]
    fn a_single_property_is_enough() {
        // HGST HUH721212.
        let properties = parse(&answer(&[("MaxMethods", 1)], None)).unwrap();
        assert_eq!(properties.send_limits(OPAL), OPAL);
        assert!(properties.host.is_empty());
    }

    #[test]
    fn answers_are_as_large_as_the_tper_says_of_them() {
        let size = |pairs: &[(&str, u64)]| {
            let properties = parse(&answer(pairs, None)).unwrap();
            properties.response_size(OPAL)
        };
        let takes = ("MaxComPacketSize", 66_048);
        let sends = |size| ("MaxResponseComPacketSize", size);
        assert_eq!(size(&[takes, sends(4096)]), 4096);
        assert_eq!(size(&[takes, sends(100_000)]), 100_000);
        assert_eq!(size(&[takes, sends(512)]), 2048);
        assert_eq!(size(&[takes, sends(0)]), MAX_BUFFER);
        assert_eq!(size(&[takes]), 66_048);
        assert_eq!(size(&[]), 2048);
    }

    #[test]
    fn limits_below_the_guaranteed_minimum_do_not_count() {
        let properties = parse(&answer(&[("MaxComPacketSize", 512)], None)).unwrap();
        assert_eq!(properties.send_limits(OPAL), OPAL);
    }

    #[test]
    fn refusals_and_other_methods_are_no_properties() {
        let refused = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES)
            .with_status(crate::spec::MethodStatus::FAIL);
        assert!(matches!(parse(&refused.encode()), Err(Error::Status(_))));
        let other = MethodCall::new(uid::SESSION_MANAGER, method::SYNC_SESSION);
        assert!(matches!(parse(&other.encode()), Err(Error::Malformed(_))));
        let empty = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES);
        assert!(matches!(parse(&empty.encode()), Err(Error::Malformed(_))));
    }

    #[test]
    fn messages_beyond_a_limit_are_not_sent() {
        // 2048 = 20 + 24 + 12 + 1992.
        assert!(OPAL.check(1992, 1992).is_ok());
        assert!(matches!(OPAL.check(1993, 100), Err(Error::Limit { .. })));
        assert!(matches!(OPAL.check(1992, 1993), Err(Error::Limit { .. })));
    }

    #[test]
    fn the_request_offers_what_the_buffer_holds() {
        let limits = Limits::of_buffer(65_536);
        assert_eq!((limits.packet, limits.ind_token), (65_516, 65_480));
        let call = request(limits);
        let host = call.arguments[0].as_named().unwrap().1.as_list().unwrap();
        assert_eq!(host.len(), 7);
    }
}
