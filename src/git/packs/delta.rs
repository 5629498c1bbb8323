//! Deltas: how an object is made of pieces of another.

/// A delta whose sizes have been read.
pub struct Delta<'a> {
    /// Bytes of the object that it is applied to.
    pub base_size: u64,
    /// Bytes of the result.
    pub size: u64,
    steps: &'a [u8],
}

impl Delta<'_> {
    /// Reads the sizes.
    pub fn read(mut bytes: &[u8]) -> Option<Delta<'_>> {
        let base_size = number(&mut bytes)?;
        let size = number(&mut bytes)?;
        Some(Delta {
            base_size,
            size,
            steps: bytes,
        })
    }

    /// Writes the whole of `result`, which has to be of the size that the delta says. What it is of otherwise was
    /// protected by the checksum of its data.
    pub fn apply(&self, base: &[u8], mut result: &mut [u8]) -> Option<()> {
        if base.len() as u64 != self.base_size || result.len() as u64 != self.size {
            return None;
        }
        let mut steps = self.steps;
        while let Some((&step, rest)) = steps.split_first() {
            steps = rest;
            let piece = if step & 128 != 0 {
                let start = operand(&mut steps, step, 4)?;
                let length = match operand(&mut steps, step >> 4, 3)? {
                    0 => 1 << 16,
                    length => length,
                };
                base.get(start..start.checked_add(length)?)?
            } else {
                // None of it: reserved.
                if step == 0 {
                    return None;
                }
                let piece = steps.get(..usize::from(step))?;
                steps = &steps[piece.len()..];
                piece
            };
            let (place, after) = result.split_at_mut_checked(piece.len())?;
            place.copy_from_slice(piece);
            result = after;
        }
        result.is_empty().then_some(())
    }
}

/// A number of seven bits a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if shift > 56 {
            return None;
        }
        number |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte & 128 == 0 {
            return Some(number);
        }
    }
}

/// A number of up to `most` bytes, of which only those are there whose bit is set.
fn operand(steps: &mut &[u8], bits: u8, most: u32) -> Option<usize> {
    let mut number = 0;
    for position in (0..most).filter(|position| bits >> position & 1 == 1) {
        let (&byte, rest) = steps.split_first()?;
        *steps = rest;
        number |= usize::from(byte) << (8 * position);
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(base: &[u8], delta: &[u8], size: usize) -> Option<Vec<u8>> {
        let mut result = vec![0; size];
        Delta::read(delta)?.apply(base, &mut result)?;
        Some(result)
    }

    #[test]
    fn copies_and_inserts() {
        let delta = [4, 5, 0b1001_0001, 1, 2, 3, b'x', b'y', b'z'];
        assert_eq!(applied(b"abcd", &delta, 5).unwrap(), b"bcxyz");
        let base = vec![7; 1 << 16];
        let whole = [0x80, 0x80, 4, 0x80, 0x80, 4, 0b1000_0000];
        assert_eq!(applied(&base, &whole, 1 << 16).unwrap(), base);
        assert_eq!(applied(b"", &[0, 0], 0).unwrap(), b"");
    }

    #[test]
    fn what_does_not_fit() {
        for (what, delta, size) in [
            ("another base", &[3, 1, 1, b'x'][..], 1),
            ("another size", &[4, 2, 1, b'x'], 1),
            ("too little", &[4, 2, 1, b'x'], 2),
            ("too much", &[4, 1, 2, b'x', b'y'], 1),
            ("behind the base", &[4, 2, 0b1001_0001, 3, 2], 2),
            ("an insertion that is cut", &[4, 2, 2, b'x'], 2),
            ("a copy that is cut", &[4, 2, 0b1001_0001, 1], 2),
            ("nothing", &[4, 1, 0, 1, b'x'], 1),
            ("no size", &[4], 0),
            ("a number without end", &[0xff; 20], 0),
        ] {
            assert!(applied(b"abcd", delta, size).is_none(), "{what}");
        }
    }
}
