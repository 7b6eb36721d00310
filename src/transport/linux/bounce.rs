//! The buffer between callers and the kernel: whole blocks, on pages of its own, wiped after use.

use zeroize::Zeroize;

use crate::sys::memory::PageBuffer;
use crate::transport::Error;

/// The unit in which ATA moves data; the other interfaces get whole blocks too, as drives are known
/// to accept them.
const BLOCK: usize = 512;

/// A buffer for one transfer at a time. What is sent may hold a PIN, so nothing stays in it.
pub(super) struct Bounce {
    pages: PageBuffer,
}

impl Bounce {
    /// A buffer for transfers of up to `limit` bytes, rounded down to whole blocks.
    pub(super) fn new(limit: usize) -> Self {
        let pages = PageBuffer::new((limit / BLOCK).max(1) * BLOCK);
        Self { pages }
    }

    /// The longest transfer in bytes.
    pub(super) fn limit(&self) -> usize {
        self.pages.len()
    }

    /// Hands `data`, padded with zeros to whole blocks, to `send`.
    pub(super) fn send(
        &mut self,
        data: &[u8],
        send: impl FnOnce(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let limit = self.limit();
        let blocks = self.blocks(data.len());
        let Some((start, padding)) = blocks.split_at_mut_checked(data.len()) else {
            return Err(Error::TooLong {
                length: data.len(),
                limit,
            });
        };
        start.copy_from_slice(data);
        padding.fill(0);
        let result = send(blocks);
        blocks.zeroize();
        result
    }

    /// Lets `receive` fill whole blocks, and copies what arrived and fits into `buffer`.
    pub(super) fn receive(
        &mut self,
        buffer: &mut [u8],
        receive: impl FnOnce(&mut [u8]) -> Result<usize, Error>,
    ) -> Result<usize, Error> {
        let blocks = self.blocks(buffer.len());
        let result = receive(blocks).map(|arrived| {
            let length = arrived.min(blocks.len()).min(buffer.len());
            let (target, source) = (buffer.get_mut(..length), blocks.get(..length));
            if let (Some(target), Some(source)) = (target, source) {
                target.copy_from_slice(source);
            }
            length
        });
        blocks.zeroize();
        result
    }

    /// The blocks for `length` bytes: at least one, at most all.
    fn blocks(&mut self, length: usize) -> &mut [u8] {
        let length = length.max(1).next_multiple_of(BLOCK).min(self.pages.len());
        self.pages.get_mut(..length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal() -> Error {
        Error::NotSupported {
            path: String::new(),
        }
    }

    #[test]
    fn data_is_padded_to_whole_blocks() {
        let mut bounce = Bounce::new(2048);
        for (length, padded) in [(0, 512), (1, 512), (512, 512), (513, 1024), (2048, 2048)] {
            let data = vec![0xa5; length];
            let send = |blocks: &[u8]| {
                assert_eq!(blocks.len(), padded);
                assert_eq!(&blocks[..length], data);
                assert!(blocks[length..].iter().all(|&byte| byte == 0));
                Ok(())
            };
            bounce.send(&data, send).unwrap();
            assert!(
                bounce.pages.iter().all(|&byte| byte == 0),
                "wiped after use"
            );
        }
    }

    #[test]
    fn data_beyond_the_limit_is_refused_before_it_is_sent() {
        let mut bounce = Bounce::new(1024);
        let error = bounce.send(&[0; 1025], |_| panic!("sent")).unwrap_err();
        assert!(matches!(
            error,
            Error::TooLong {
                length: 1025,
                limit: 1024
            }
        ));
    }

    #[test]
    fn what_arrives_is_copied_and_the_rest_left_alone() {
        let mut bounce = Bounce::new(2048);
        let mut buffer = [0xa5; 700];
        let receive = |blocks: &mut [u8]| {
            assert_eq!(blocks.len(), 1024);
            blocks[..600].fill(1);
            Ok(600)
        };
        assert_eq!(bounce.receive(&mut buffer, receive).unwrap(), 600);
        assert!(buffer[..600].iter().all(|&byte| byte == 1));
        assert!(buffer[600..].iter().all(|&byte| byte == 0xa5));
        assert!(
            bounce.pages.iter().all(|&byte| byte == 0),
            "wiped after use"
        );
    }

    #[test]
    fn more_than_was_asked_for_is_cut() {
        let mut bounce = Bounce::new(1024);
        let mut buffer = [0; 5000];
        assert_eq!(
            bounce
                .receive(&mut buffer, |blocks| Ok(blocks.len()))
                .unwrap(),
            1024
        );
        assert_eq!(
            bounce.receive(&mut buffer[..10], |_| Ok(99_999)).unwrap(),
            10
        );
        assert_eq!(bounce.receive(&mut [], |_| Ok(512)).unwrap(), 0);
    }

    #[test]
    fn buffer_is_wiped_after_a_refusal() {
        let mut bounce = Bounce::new(512);
        bounce.send(&[1; 512], |_| Err(refusal())).unwrap_err();
        assert!(bounce.pages.iter().all(|&byte| byte == 0));
        let receive = |blocks: &mut [u8]| {
            blocks.fill(1);
            Err(refusal())
        };
        bounce.receive(&mut [0; 512], receive).unwrap_err();
        assert!(bounce.pages.iter().all(|&byte| byte == 0));
    }

    #[test]
    fn limit_is_whole_blocks_and_never_none() {
        assert_eq!(Bounce::new(1000).limit(), 512);
        assert_eq!(Bounce::new(0).limit(), 512);
    }
}
