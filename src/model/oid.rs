use std::fmt;
use std::hash::{Hash, Hasher};

/// An object id: 20 bytes (SHA-1) or 32 bytes (SHA-256).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Oid {
    length: u8,
    bytes: [u8; 32],
}

impl Hash for Oid {
    /// An id is a hash already: its first bytes do.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [a, b, c, d, e, f, g, h, ..] = self.bytes;
        state.write_u64(u64::from_ne_bytes([a, b, c, d, e, f, g, h]));
    }
}

impl Oid {
    /// Reads a raw id of 20 or 32 bytes; any other length is `None`.
    pub fn from_bytes(raw: &[u8]) -> Option<Oid> {
        let mut bytes = [0; 32];
        // The two lengths apart: each is then copied without a call.
        match raw.len() {
            20 => bytes[..20].copy_from_slice(raw),
            32 => bytes.copy_from_slice(raw),
            _ => return None,
        }
        Some(Oid {
            length: raw.len() as u8,
            bytes,
        })
    }

    /// Reads a full hexadecimal id (40 or 64 digits, either case). Abbreviations are `None`.
    pub fn from_hex(hex: &[u8]) -> Option<Oid> {
        if hex.len() != 40 && hex.len() != 64 {
            return None;
        }
        let digit = |byte: u8| (byte as char).to_digit(16);
        let mut bytes = [0; 32];
        for (index, pair) in hex.chunks_exact(2).enumerate() {
            bytes[index] = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(Oid {
            length: (hex.len() / 2) as u8,
            bytes,
        })
    }

    /// The raw id.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length as usize]
    }

    /// The id of nothing, as reflogs write it for a ref that did not exist.
    pub fn is_zero(&self) -> bool {
        self.bytes.iter().all(|&byte| byte == 0)
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut hex = [0; 64];
        for (digits, byte) in hex.chunks_exact_mut(2).zip(self.as_bytes()) {
            digits[0] = DIGITS[usize::from(byte >> 4)];
            digits[1] = DIGITS[usize::from(byte & 15)];
        }
        let hex = &hex[..2 * self.as_bytes().len()];
        formatter.write_str(std::str::from_utf8(hex).expect("digits are ASCII"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
