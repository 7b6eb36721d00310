//! The media encryption of the virtual drive: AES-256-XTS (IEEE 1619-2018) over logical blocks.
//!
//! A data unit is one logical block, and its number is the block's LBA on the device. The tweaks of
//! a batch of data units are laid out first, several units abreast, and then AES runs over the
//! whole batch as wide as the processor can; this is what makes it as fast as hand-written
//! assembly. Logical blocks that are no multiple of 16 bytes, such as those of 520, end in
//! ciphertext stealing.

use std::fmt;

use aes::cipher::consts::U16;
use aes::cipher::{
    Array, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, KeyInit, ParBlocks,
};
use aes::{Aes256, Aes256Enc, Block};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// The media key of one range: the data key, then the tweak key (`K_AES_256`, mode XTS).
///
/// It is wiped when it goes, and `Debug` does not show it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct MediaKey([u8; Self::LENGTH]);

impl MediaKey {
    /// Bytes of a key: two AES-256 keys.
    pub const LENGTH: usize = 64;

    /// Makes a key of random bytes.
    ///
    /// # Errors
    ///
    /// The operating system has no random bytes to give.
    pub fn generate() -> Result<Self, getrandom::Error> {
        let mut key = Self([0; Self::LENGTH]);
        getrandom::fill(&mut key.0)?;
        Ok(key)
    }

    /// Takes a key as its bytes: data key, then tweak key.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; Self::LENGTH]) -> Self {
        Self(bytes)
    }

    /// The bytes of the key.
    #[must_use]
    pub const fn expose(&self) -> &[u8; Self::LENGTH] {
        &self.0
    }
}

impl fmt::Debug for MediaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MediaKey(..)")
    }
}

impl PartialEq for MediaKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for MediaKey {}

/// Written as hexadecimal digits.
impl Serialize for MediaKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = Zeroizing::new(String::with_capacity(2 * Self::LENGTH));
        for byte in self.0 {
            text.push(char::from(DIGITS[usize::from(byte >> 4)]));
            text.push(char::from(DIGITS[usize::from(byte & 0x0f)]));
        }
        serializer.serialize_str(&text)
    }
}

/// Read from hexadecimal digits.
impl<'de> Deserialize<'de> for MediaKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Zeroizing::new(String::deserialize(deserializer)?);
        let mut key = Self([0; Self::LENGTH]);
        if text.len() != 2 * Self::LENGTH {
            return Err(D::Error::custom("a media key has 128 hexadecimal digits"));
        }
        for (byte, pair) in key.0.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = (hex_digit(pair[0]), hex_digit(pair[1]));
            let (Some(high), Some(low)) = digits else {
                return Err(D::Error::custom(
                    "a media key is written in hexadecimal digits",
                ));
            };
            *byte = high << 4 | low;
        }
        Ok(key)
    }
}

const fn hex_digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        b'A'..=b'F' => Some(character - b'A' + 10),
        _ => None,
    }
}

/// The data are no whole number of logical blocks, or the logical block is under 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes cannot be encrypted in blocks of {block_size}")]
pub struct LengthError {
    /// Bytes of data.
    pub length: usize,
    /// Bytes of a logical block.
    pub block_size: usize,
}

/// Bytes whose tweaks are laid out at a time: data and tweaks together stay in the first cache.
const BATCH_BYTES: usize = 16384;

/// The expanded form of a [`MediaKey`].
pub struct Xts {
    data: Aes256,
    tweak: Aes256Enc,
}

impl fmt::Debug for Xts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Xts(..)")
    }
}

impl Xts {
    /// Expands a key.
    #[must_use]
    pub fn new(key: &MediaKey) -> Self {
        let (data, tweak) = key.0.split_at(MediaKey::LENGTH / 2);
        let [data, tweak] = [data, tweak].map(|half| {
            Array::slice_as_array(half).expect("half of a media key has the length of an AES key")
        });
        Self {
            data: Aes256::new(data),
            tweak: Aes256Enc::new(tweak),
        }
    }

    /// Encrypts whole logical blocks in place; the first is `lba`.
    ///
    /// # Errors
    ///
    /// The data are not whole blocks.
    pub fn encrypt(&self, lba: u64, block_size: usize, data: &mut [u8]) -> Result<(), LengthError> {
        self.each_batch(lba, block_size, data, |batch| {
            self.data.encrypt_with_backend(batch.main());
            batch.swap_tail();
            self.data.encrypt_with_backend(batch.stolen());
        })
    }

    /// Decrypts whole logical blocks in place; the first is `lba`.
    ///
    /// # Errors
    ///
    /// The data are not whole blocks.
    pub fn decrypt(&self, lba: u64, block_size: usize, data: &mut [u8]) -> Result<(), LengthError> {
        self.each_batch(lba, block_size, data, |batch| {
            self.data.decrypt_with_backend(batch.stolen());
            batch.swap_tail();
            self.data.decrypt_with_backend(batch.main());
        })
    }

    /// Runs over the data in batches: of as many data units as fit if these are whole AES blocks,
    /// otherwise of one.
    fn each_batch(
        &self,
        lba: u64,
        unit: usize,
        data: &mut [u8],
        run: impl Fn(&mut Batch<'_>),
    ) -> Result<(), LengthError> {
        if unit < size_of::<Block>() || !data.len().is_multiple_of(unit) {
            return Err(LengthError {
                length: data.len(),
                block_size: unit,
            });
        }
        let whole = unit.is_multiple_of(size_of::<Block>());
        let units = if whole {
            (BATCH_BYTES / unit).max(1)
        } else {
            1
        };
        let mut numbers = u128::from(lba)..;
        let mut tweaks = Tweaks::default();
        for chunk in data.chunks_mut(units * unit) {
            let numbers = numbers.by_ref().take(chunk.len() / unit);
            tweaks.lay(&self.tweak, numbers, unit.div_ceil(size_of::<Block>()));
            let (blocks, tail) = Array::slice_as_chunks_mut(chunk);
            run(&mut Batch {
                blocks,
                tail,
                tweaks: &tweaks.laid,
            });
        }
        Ok(())
    }
}

/// The tweaks of a batch, and the room in which they are made.
#[derive(Default)]
struct Tweaks {
    seeds: Vec<Block>,
    laid: Vec<Block>,
}

impl Tweaks {
    /// Data units whose tweaks are made abreast, since each tweak of a unit waits for the one
    /// before it.
    const LANES: usize = 4;

    /// Lays out so many tweaks for each data unit: its encrypted number, then that one's doubles.
    ///
    /// The last lanes may have no unit; what they make is not used.
    fn lay(&mut self, cipher: &Aes256Enc, numbers: impl Iterator<Item = u128>, blocks: usize) {
        self.seeds.clear();
        self.seeds
            .extend(numbers.map(|number| Block::from(number.to_le_bytes())));
        self.seeds.resize(
            self.seeds.len().next_multiple_of(Self::LANES),
            Block::default(),
        );
        cipher.encrypt_blocks(&mut self.seeds);
        self.laid
            .resize(self.seeds.len() * blocks, Block::default());
        let (seeds, _) = self.seeds.as_chunks::<{ Self::LANES }>();
        for (seeds, units) in seeds.iter().zip(self.laid.chunks_mut(Self::LANES * blocks)) {
            lay_abreast(seeds, units, blocks);
        }
    }
}

/// Makes the tweaks of as many data units as there are lanes.
fn lay_abreast(seeds: &[Block; Tweaks::LANES], tweaks: &mut [Block], blocks: usize) {
    let (first, second) = tweaks.split_at_mut(2 * blocks);
    let (first, second) = (first.split_at_mut(blocks), second.split_at_mut(blocks));
    let first = first.0.iter_mut().zip(first.1);
    let second = second.0.iter_mut().zip(second.1);
    let mut lanes = seeds.map(|seed| u128::from_le_bytes(seed.0));
    for ((a, b), (c, d)) in first.zip(second) {
        [*a, *b, *c, *d] = lanes.map(|lane| Array(lane.to_le_bytes()));
        lanes = lanes.map(double);
    }
}

/// Multiplies a tweak by the primitive element α of GF(2¹²⁸) (IEEE 1619 5.2).
const fn double(tweak: u128) -> u128 {
    let carry = (tweak.cast_signed() >> 127).cast_unsigned();
    tweak << 1 ^ carry & 0x87
}

/// AES blocks and the tweaks for each; if there is a tail, also the tweak for it.
struct Batch<'a> {
    blocks: &'a mut [Block],
    tail: &'a mut [u8],
    tweaks: &'a [Block],
}

impl Batch<'_> {
    /// Every AES block under its own tweak.
    fn main(&mut self) -> Whitened<'_> {
        let end = self.blocks.len();
        Whitened {
            blocks: self.blocks,
            tweaks: &self.tweaks[..end],
        }
    }

    /// Before a tail, the last AES block under the tweak of the tail (IEEE 1619 5.3.2, 5.4.2).
    fn stolen(&mut self) -> Whitened<'_> {
        let end = self.blocks.len();
        let count = usize::from(!self.tail.is_empty());
        Whitened {
            blocks: &mut self.blocks[end - count..],
            tweaks: &self.tweaks[end..end + count],
        }
    }

    /// Swaps the tail and the start of the last AES block, which lends its end.
    fn swap_tail(&mut self) {
        if let Some(last) = self.blocks.last_mut() {
            last[..self.tail.len()].swap_with_slice(self.tail);
        }
    }
}

/// AES with a tweak XORed before and after, as wide as the processor's AES goes. There are as many
/// tweaks as blocks.
struct Whitened<'a> {
    blocks: &'a mut [Block],
    tweaks: &'a [Block],
}

impl BlockSizeUser for Whitened<'_> {
    type BlockSize = U16;
}

impl BlockCipherEncClosure for Whitened<'_> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = U16>>(self, backend: &B) {
        let (wide, tail) = ParBlocks::<B>::slice_as_chunks_mut(self.blocks);
        let (wide_tweaks, tail_tweaks) = ParBlocks::<B>::slice_as_chunks(self.tweaks);
        for (blocks, tweaks) in wide.iter_mut().zip(wide_tweaks) {
            xor(blocks, tweaks);
            backend.encrypt_par_blocks_inplace(blocks);
            xor(blocks, tweaks);
        }
        xor(tail, tail_tweaks);
        backend.encrypt_tail_blocks_inplace(tail);
        xor(tail, tail_tweaks);
    }
}

impl BlockCipherDecClosure for Whitened<'_> {
    #[inline(always)]
    fn call<B: BlockCipherDecBackend<BlockSize = U16>>(self, backend: &B) {
        let (wide, tail) = ParBlocks::<B>::slice_as_chunks_mut(self.blocks);
        let (wide_tweaks, tail_tweaks) = ParBlocks::<B>::slice_as_chunks(self.tweaks);
        for (blocks, tweaks) in wide.iter_mut().zip(wide_tweaks) {
            xor(blocks, tweaks);
            backend.decrypt_par_blocks_inplace(blocks);
            xor(blocks, tweaks);
        }
        xor(tail, tail_tweaks);
        backend.decrypt_tail_blocks_inplace(tail);
        xor(tail, tail_tweaks);
    }
}

#[inline(always)]
fn xor(blocks: &mut [Block], tweaks: &[Block]) {
    for (block, tweak) in blocks.iter_mut().zip(tweaks) {
        let both = u128::from_ne_bytes(block.0) ^ u128::from_ne_bytes(tweak.0);
        block.0 = both.to_ne_bytes();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xts_mode::{Xts128, get_tweak_default};

    use super::*;

    /// The keys of IEEE 1619 vectors 10 to 14: the digits of e and of π.
    const KEY: &str = "2718281828459045235360287471352662497757247093699959574966967627\
                       3141592653589793238462643383279502884197169399375105820974944592";

    const BLOCK_SIZES: [usize; 10] = [16, 17, 31, 47, 48, 512, 520, 528, 4096, 4104];

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter_map(hex_digit).collect();
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect()
    }

    fn standard_key() -> MediaKey {
        MediaKey::from_bytes(bytes(KEY).try_into().unwrap())
    }

    fn counting(length: usize) -> Vec<u8> {
        (0..=u8::MAX).cycle().take(length).collect()
    }

    fn by_xts_mode(key: &MediaKey) -> Xts128<Aes256> {
        let (data, tweak) = key.expose().split_at(32);
        let [data, tweak] = [data, tweak].map(|half| Aes256::new_from_slice(half).unwrap());
        Xts128::new(data, tweak)
    }

    fn assert_vector(lba: u64, block_size: usize, hex: &str) {
        let xts = Xts::new(&standard_key());
        let mut data = counting(block_size);
        xts.encrypt(lba, block_size, &mut data).unwrap();
        assert_eq!(data, bytes(hex), "encryption of block {lba:#x}");
        xts.decrypt(lba, block_size, &mut data).unwrap();
        assert_eq!(data, counting(block_size), "decryption of block {lba:#x}");
    }

    // IEEE 1619 annex B, the vectors for XTS-AES-256.
    #[test]
    fn standard_vectors_come_out() {
        assert_vector(
            0xff,
            512,
            include_str!("../../tests/vectors/xts/ieee1619-10.hex"),
        );
        assert_vector(
            0xffff,
            512,
            include_str!("../../tests/vectors/xts/ieee1619-11.hex"),
        );
        assert_vector(
            0xff_ffff,
            512,
            include_str!("../../tests/vectors/xts/ieee1619-12.hex"),
        );
        assert_vector(
            0xffff_ffff,
            512,
            include_str!("../../tests/vectors/xts/ieee1619-13.hex"),
        );
        assert_vector(
            0xff_ffff_ffff,
            512,
            include_str!("../../tests/vectors/xts/ieee1619-14.hex"),
        );
    }

    #[test]
    fn stealing_agrees_with_openssl() {
        assert_vector(
            5,
            520,
            include_str!("../../tests/vectors/xts/stealing-520.hex"),
        );
    }

    #[test]
    fn blocks_in_one_call_equal_blocks_one_by_one() {
        let xts = Xts::new(&standard_key());
        for block_size in BLOCK_SIZES {
            let mut together = counting(70 * block_size);
            let mut single = together.clone();
            xts.encrypt(9, block_size, &mut together).unwrap();
            for (lba, block) in (9..).zip(single.chunks_mut(block_size)) {
                xts.encrypt(lba, block_size, block).unwrap();
            }
            assert_eq!(together, single, "blocks of {block_size}");
        }
    }

    #[test]
    fn lba_past_64_bits_does_not_wrap() {
        let key = standard_key();
        let mut data = counting(2 * 512);
        let mut expected = data.clone();
        Xts::new(&key).encrypt(u64::MAX, 512, &mut data).unwrap();
        by_xts_mode(&key).encrypt_area(&mut expected, 512, u64::MAX.into(), get_tweak_default);
        assert_eq!(data, expected);
    }

    #[test]
    fn partial_blocks_and_tiny_blocks_are_refused() {
        let xts = Xts::new(&standard_key());
        for (block_size, length) in [(512, 511), (512, 513), (520, 512), (15, 15), (0, 0)] {
            let mut data = counting(length);
            let error = LengthError { length, block_size };
            assert_eq!(xts.encrypt(0, block_size, &mut data), Err(error));
            assert_eq!(xts.decrypt(0, block_size, &mut data), Err(error));
            assert_eq!(data, counting(length), "refused data stay as they are");
        }
        assert_eq!(xts.encrypt(0, 512, &mut []), Ok(()));
    }

    #[test]
    fn key_does_not_show_in_debug() {
        assert_eq!(format!("{:?}", standard_key()), "MediaKey(..)");
        assert_eq!(format!("{:?}", Xts::new(&standard_key())), "Xts(..)");
    }

    #[test]
    fn key_is_hexadecimal_in_a_file() {
        let text = serde_json::to_string(&standard_key()).unwrap();
        assert_eq!(text, format!("\"{KEY}\""));
        assert_eq!(
            serde_json::from_str::<MediaKey>(&text).unwrap(),
            standard_key()
        );
        let capitals = text.to_uppercase();
        assert_eq!(
            serde_json::from_str::<MediaKey>(&capitals).unwrap(),
            standard_key()
        );
    }

    #[test]
    fn malformed_key_is_refused() {
        for text in [
            "",
            "00",
            &KEY[1..],
            &format!("{KEY}00"),
            &KEY.replace('2', "g"),
        ] {
            let text = serde_json::to_string(text).unwrap();
            serde_json::from_str::<MediaKey>(&text).unwrap_err();
        }
        let split_character = format!("\"é{}\"", &KEY[2..]);
        serde_json::from_str::<MediaKey>(&split_character).unwrap_err();
    }

    #[test]
    fn generated_keys_differ() {
        let key = MediaKey::generate().unwrap();
        assert_ne!(key, MediaKey::generate().unwrap());
        assert_ne!(
            key.expose()[..32],
            key.expose()[32..],
            "XTS wants two different keys"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..Default::default() })]

        #[test]
        fn equals_an_independent_implementation(
            key in proptest::array::uniform32(any::<u8>()),
            tweak_key in proptest::array::uniform32(any::<u8>()),
            lba in any::<u64>(),
            block_size in proptest::sample::select(&BLOCK_SIZES),
            blocks in 0_usize..9,
            fill in any::<u8>(),
        ) {
            let key = [key, tweak_key].concat().try_into().unwrap();
            let key = MediaKey::from_bytes(key);
            let plain: Vec<u8> =
                counting(blocks * block_size).into_iter().map(|byte| byte ^ fill).collect();
            let (mut data, mut expected) = (plain.clone(), plain.clone());
            Xts::new(&key).encrypt(lba, block_size, &mut data).unwrap();
            by_xts_mode(&key).encrypt_area(&mut expected, block_size, lba.into(), get_tweak_default);
            prop_assert_eq!(&data, &expected);
            Xts::new(&key).decrypt(lba, block_size, &mut data).unwrap();
            prop_assert_eq!(&data, &plain);
        }
    }
}
