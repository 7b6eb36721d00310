//! A host that has attached a drive, as a kernel does it.

use std::net::SocketAddr;

use super::host::{Answer, Command, Connection, Terms};

/// Admin queue and one I/O queue.
pub(crate) struct Attached {
    pub(crate) admin: Connection,
    pub(crate) io: Connection,
    pub(crate) controller: u16,
}

/// Who connects, and to what.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) subsystem: String,
    pub(crate) host: String,
    pub(crate) host_id: [u8; 16],
    /// Milliseconds.
    pub(crate) keep_alive: u32,
}

impl Identity {
    /// Host number `number` of a subsystem.
    pub(crate) fn new(subsystem: &str, number: u8) -> Self {
        Self {
            subsystem: subsystem.to_owned(),
            host: format!("nqn.2014-08.org.nvmexpress:uuid:{number}"),
            host_id: [number; 16],
            keep_alive: 0,
        }
    }

    /// Connects a queue; the answer to Connect.
    pub(crate) fn connect(&self, on: &mut Connection, queue: u16, controller: u16) -> Answer {
        let mut data = vec![0; 1024];
        data[..16].copy_from_slice(&self.host_id);
        data[16..18].copy_from_slice(&controller.to_le_bytes());
        data[256..256 + self.subsystem.len()].copy_from_slice(self.subsystem.as_bytes());
        data[512..512 + self.host.len()].copy_from_slice(self.host.as_bytes());
        let attributes = if on.terms.disables_flow_control { 4 } else { 0 };
        let command = Command::fabrics(1)
            .with(42, &queue.to_le_bytes())
            .with(44, &31_u16.to_le_bytes())
            .with(46, &[attributes])
            .dword(12, if queue == 0 { self.keep_alive } else { 0 });
        on.call_with(command, &data)
    }
}

impl Attached {
    /// Attaches: admin queue, properties, Identify, Set Features, I/O queue.
    pub(crate) fn new(address: SocketAddr, identity: &Identity, terms: Terms) -> Self {
        let mut admin = Connection::open(address, terms);
        let controller = start(&mut admin, identity);
        let granted = admin.call(Command::new(0x09, 0).dword(10, 7));
        assert_eq!(granted.status(), 0);
        let mut io = Connection::open(address, terms);
        assert_eq!(identity.connect(&mut io, 1, controller).status(), 0);
        Self {
            admin,
            io,
            controller,
        }
    }

    /// Reads blocks of 512 bytes.
    pub(crate) fn read(&mut self, lba: u64, blocks: u16) -> Answer {
        let length = usize::from(blocks) * 512;
        self.io.call(media(0x02, lba, blocks).transfer(length))
    }

    /// Writes blocks of 512 bytes.
    pub(crate) fn write(&mut self, lba: u64, data: &[u8]) -> Answer {
        let blocks = u16::try_from(data.len() / 512).unwrap();
        self.io.call_with(media(0x01, lba, blocks), data)
    }

    /// Security Send to a ComID, protocol 01h.
    pub(crate) fn security_send(&mut self, com_id: u16, data: &[u8]) -> Answer {
        let length = u32::try_from(data.len()).unwrap();
        let command = security(0x81, com_id).dword(11, length);
        self.admin.call_with(command, data)
    }

    /// Security Receive from a ComID, protocol 01h.
    pub(crate) fn security_receive(&mut self, com_id: u16, length: usize) -> Answer {
        let command = security(0x82, com_id).dword(11, u32::try_from(length).unwrap());
        self.admin.call(command.transfer(length))
    }
}

/// Makes an admin queue's controller ready; its CNTLID.
pub(crate) fn start(admin: &mut Connection, identity: &Identity) -> u16 {
    let connected = identity.connect(admin, 0, 0xffff);
    assert_eq!(connected.status(), 0, "status {:04x}", connected.status());
    let controller = u16::try_from(connected.completion.result).unwrap();
    let capabilities = property(admin, 0x00, 8);
    assert!(capabilities & 0xffff >= 31, "MQES");
    configure(admin, 0x0046_0000);
    configure(admin, 0x0046_0001);
    assert_eq!(property(admin, 0x1c, 4) & 1, 1, "CSTS.RDY");
    assert!(property(admin, 0x08, 4) >= 0x0001_0300, "VS");
    let identified = identify(admin, 1, 0).unwrap();
    assert_eq!(identified.len(), 4096);
    assert_eq!(super::host::u16_at(&identified, 78), controller, "CNTLID");
    controller
}

/// Identify.
pub(crate) fn identify(admin: &mut Connection, cns: u32, nsid: u32) -> Answer {
    admin.call(Command::new(0x06, nsid).dword(10, cns).transfer(4096))
}

/// Property Get.
pub(crate) fn property(admin: &mut Connection, offset: u32, size: u8) -> u64 {
    let command = Command::fabrics(4)
        .with(40, &[u8::from(size == 8)])
        .dword(11, offset);
    let answer = admin.call(command);
    assert_eq!(answer.status(), 0);
    answer.completion.result
}

/// Property Set of Controller Configuration.
pub(crate) fn configure(admin: &mut Connection, configuration: u32) {
    let command = Command::fabrics(0).dword(11, 0x14).dword(12, configuration);
    assert_eq!(admin.call(command).status(), 0);
}

/// A command of the NVM command set, on namespace 1.
pub(crate) fn media(opcode: u8, lba: u64, blocks: u16) -> Command {
    Command::new(opcode, 1)
        .with(40, &lba.to_le_bytes())
        .dword(12, u32::from(blocks) - 1)
}

/// A security command of protocol 01h.
fn security(opcode: u8, com_id: u16) -> Command {
    Command::new(opcode, 0).dword(10, 0x0100_0000 | u32::from(com_id) << 8)
}
