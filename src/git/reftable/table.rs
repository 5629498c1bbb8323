//! Reading a table of the reftable ref storage: refs and log entries, sorted by name.
//!
//! After the [format's description](https://git-scm.com/docs/reftable); what git 2.47 writes was compared. A table is a
//! header, blocks of refs, of object ids, of log entries (deflated), their indexes, and a footer. Only refs and log
//! entries are read here, from the first block on; indexes are not needed for that.

use std::cmp::Ordering;

use flate2::{Decompress, FlushDecompress, Status};

use crate::model::Oid;

/// Longest block (bytes, inflated): its length is stored in 24 bits.
const LONGEST_BLOCK: usize = 1 << 24;

/// What a table says of one ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefValue {
    /// It was removed: an older table does not count.
    Removed,
    /// It names an object.
    Oid(Oid),
    /// It stands for another ref.
    Symbolic(Vec<u8>),
}

/// One entry of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Position: later entries have a larger one.
    pub update_index: u64,
    /// `None` where the entry was removed: an older table does not count.
    pub entry: Option<LogValue>,
}

/// What a log entry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogValue {
    /// What the ref named before.
    pub old: Oid,
    /// What it names after.
    pub new: Oid,
    /// Name of who did it.
    pub name: Vec<u8>,
    /// E-mail of who did it.
    pub email: Vec<u8>,
    /// Seconds since the epoch.
    pub seconds: u64,
    /// Time zone, `-130` for half past one west.
    pub zone: i16,
    /// The reason.
    pub message: Vec<u8>,
}

impl LogValue {
    /// The line that a log kept in a file would hold for it, its line feed included.
    pub fn line(&self) -> Vec<u8> {
        let mut line = format!("{} {} ", self.old, self.new).into_bytes();
        line.extend_from_slice(&self.name);
        line.extend_from_slice(b" <");
        line.extend_from_slice(&self.email);
        line.extend_from_slice(format!("> {} {:+05}", self.seconds, self.zone).as_bytes());
        let message = self.message.trim_ascii_end();
        line.extend(if message.is_empty() { &b""[..] } else { b"\t" });
        line.extend(message.iter().map(|&byte| if byte == b'\n' { b' ' } else { byte }));
        line.push(b'\n');
        line
    }
}

/// A table that cannot be read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// One table file.
pub struct Table<'a> {
    content: &'a [u8],
    header_length: usize,
    footer: usize,
    block_size: usize,
    oid_length: usize,
    /// Where the blocks of refs end.
    refs_end: usize,
    log_start: usize,
    /// Where the blocks of log entries end.
    log_end: usize,
}

impl<'a> Table<'a> {
    /// Looks at header and footer.
    pub fn new(content: &'a [u8]) -> Result<Table<'a>, Malformed> {
        let mut header = Reader(content);
        if header.take(4)? != b"REFT" {
            return Err(Malformed);
        }
        let (header_length, footer_length, oid_length) = match header.byte()? {
            1 => (24, 68, 20),
            2 if content.get(24..28) == Some(b"sha1") => (28, 72, 20),
            2 if content.get(24..28) == Some(b"s256") => (28, 72, 32),
            _ => return Err(Malformed),
        };
        let block_size = header.number(3)? as usize;
        let footer = content.len().checked_sub(footer_length).ok_or(Malformed)?;
        // The footer repeats the header. It is written last: a table that is not whole has none.
        if footer < header_length || content[footer..footer + header_length] != content[..header_length] {
            return Err(Malformed);
        }
        let mut positions = Reader(&content[footer + header_length..]);
        let mut position = |inside: u32| -> Result<usize, Malformed> {
            let position = usize::try_from(positions.number(8)? >> inside).map_err(|_| Malformed)?;
            if position > footer {
                Err(Malformed)
            } else {
                Ok(position)
            }
        };
        let (ref_index, objects, object_index) = (position(0)?, position(5)?, position(0)?);
        let (log_start, log_index) = (position(0)?, position(0)?);
        // Sections follow one another in this order; one that is not there stands at 0.
        let first = |sections: &[usize]| sections.iter().copied().find(|&start| start > 0).unwrap_or(footer);
        let refs_end = match content[..footer].get(header_length) {
            Some(b'r') => first(&[ref_index, objects, object_index, log_start, log_index]),
            _ => 0,
        };
        Ok(Table {
            content,
            header_length,
            footer,
            block_size,
            oid_length,
            refs_end,
            log_start,
            log_end: first(&[log_index]),
        })
    }

    /// Hands every ref on, in the order of names, until `each` is content.
    pub fn refs(&self, mut each: impl FnMut(&[u8], RefValue) -> Next) -> Result<(), Malformed> {
        let section = &self.content[..self.refs_end];
        let mut order = Order::default();
        let mut start = 0;
        while start < section.len() {
            let head = start + if start == 0 { self.header_length } else { 0 };
            if Self::is_index(section, head, b'r')? {
                break;
            }
            let length = Reader(&section[head + 1..]).number(3)? as usize;
            if self.block_size > 0 && length > self.block_size {
                return Err(Malformed);
            }
            // The length of the first block counts the header of the file.
            let block = section.get(start..start + length).ok_or(Malformed)?;
            let mut name = Vec::new();
            let records = records(block, head + 4 - start)?;
            let mut reader = Reader(records);
            while !reader.0.is_empty() {
                let kind = reader.key(&mut name)?;
                order.next(&name)?;
                reader.varint()?;
                let value = match kind {
                    0 => RefValue::Removed,
                    1 => RefValue::Oid(reader.oid(self.oid_length)?),
                    2 => {
                        let oid = reader.oid(self.oid_length)?;
                        reader.take(self.oid_length)?;
                        RefValue::Oid(oid)
                    }
                    3 => RefValue::Symbolic(reader.text()?.to_vec()),
                    _ => return Err(Malformed),
                };
                if each(&name, value) == Next::Stop {
                    return Ok(());
                }
            }
            start = self.after(start, length);
        }
        Ok(())
    }

    /// Hands every log entry on: by name of the ref, the newest of a ref first, until `each` is content.
    pub fn logs(&self, mut each: impl FnMut(&[u8], LogRecord) -> Next) -> Result<(), Malformed> {
        // A table without refs begins with its logs, and its footer does not say so.
        let first = self.content[..self.footer].get(self.header_length);
        let mut start = match first {
            Some(b'g') => 0,
            _ if self.log_start == 0 => return Ok(()),
            _ => self.log_start,
        };
        let section = &self.content[..self.log_end];
        let mut order = Order::default();
        while start < section.len() {
            let head = start + if start == 0 { self.header_length } else { 0 };
            if Self::is_index(section, head, b'g')? {
                break;
            }
            let length = Reader(&section[head + 1..]).number(3)? as usize;
            let before = head + 4 - start;
            let (inflated, used) = inflate(&section[head + 4..], length.checked_sub(before).ok_or(Malformed)?)?;
            let mut key = Vec::new();
            let mut reader = Reader(records(&inflated, 0)?);
            while !reader.0.is_empty() {
                let kind = reader.key(&mut key)?;
                order.next(&key)?;
                let (name, position) = key
                    .len()
                    .checked_sub(9)
                    .map(|length| key.split_at(length))
                    .filter(|(_, position)| position[0] == 0)
                    .ok_or(Malformed)?;
                let update_index = u64::MAX - Reader(&position[1..]).number(8)?;
                let entry = match kind {
                    0 => None,
                    1 => Some(LogValue {
                        old: reader.oid(self.oid_length)?,
                        new: reader.oid(self.oid_length)?,
                        name: reader.text()?.to_vec(),
                        email: reader.text()?.to_vec(),
                        seconds: reader.varint()?,
                        zone: reader.number(2)? as u16 as i16,
                        message: reader.text()?.to_vec(),
                    }),
                    _ => return Err(Malformed),
                };
                if each(name, LogRecord { update_index, entry }) == Next::Stop {
                    return Ok(());
                }
            }
            start = head + 4 + used;
        }
        Ok(())
    }

    /// Whether the blocks of `kind` are over, and those of the index that leads to them begin. Any other block would
    /// end the section too early, and records would not be seen.
    fn is_index(section: &[u8], head: usize, kind: u8) -> Result<bool, Malformed> {
        match section.get(head) {
            Some(&found) if found == kind => Ok(false),
            Some(b'i') => Ok(true),
            _ => Err(Malformed),
        }
    }

    /// Where the block after a block of refs begins: blocks are filled up with zeros to the block size, but for the
    /// last ones.
    fn after(&self, start: usize, length: usize) -> usize {
        let filled = start + self.block_size;
        let padded =
            self.block_size > length && filled <= self.refs_end && self.content.get(start + length) == Some(&0);
        if padded { filled } else { start + length.max(1) }
    }
}

/// Whether more is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Yes.
    Go,
    /// No.
    Stop,
}

impl Next {
    /// In a table sorted by name: go on until `wanted` has been passed.
    pub fn until(name: &[u8], wanted: &[u8]) -> Next {
        match name.cmp(wanted) {
            Ordering::Greater => Next::Stop,
            _ => Next::Go,
        }
    }
}

/// The records of a block: between its head and the table of restarts at its end.
fn records(block: &[u8], head: usize) -> Result<&[u8], Malformed> {
    let end = block.len().checked_sub(2).ok_or(Malformed)?;
    let restarts = Reader(&block[end..]).number(2)? as usize;
    let end = end.checked_sub(3 * restarts).ok_or(Malformed)?;
    block.get(head..end).ok_or(Malformed)
}

/// Inflates exactly `length` bytes; with how many bytes it took.
fn inflate(deflated: &[u8], length: usize) -> Result<(Vec<u8>, usize), Malformed> {
    if length > LONGEST_BLOCK {
        return Err(Malformed);
    }
    let mut inflated = vec![0; length];
    let mut stream = Decompress::new(true);
    let status = stream.decompress(deflated, &mut inflated, FlushDecompress::Finish);
    match status {
        Ok(Status::StreamEnd) if stream.total_out() == length as u64 => Ok((inflated, stream.total_in() as usize)),
        _ => Err(Malformed),
    }
}

/// The keys of a section rise; where they do not, one of them is damaged, and could hide another.
#[derive(Default)]
struct Order {
    last: Vec<u8>,
}

impl Order {
    fn next(&mut self, key: &[u8]) -> Result<(), Malformed> {
        if *key <= self.last[..] {
            return Err(Malformed);
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        Ok(())
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    /// A number of so many bytes, the most significant first.
    fn number(&mut self, bytes: usize) -> Result<u64, Malformed> {
        let taken = self.take(bytes)?;
        Ok(taken.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// Seven bits a byte, the most significant first; each continuation counts one more, so that no number has two
    /// spellings.
    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut byte = self.byte()?;
        let mut number = u64::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            let shifted = number.checked_add(1).ok_or(Malformed)?;
            if shifted.leading_zeros() < 7 {
                return Err(Malformed);
            }
            number = shifted << 7 | u64::from(byte & 0x7f);
        }
        Ok(number)
    }

    fn text(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        self.take(length)
    }

    fn oid(&mut self, length: usize) -> Result<Oid, Malformed> {
        Oid::from_bytes(self.take(length)?).ok_or(Malformed)
    }

    /// The key of a record, given the one before it, of which it repeats only the end; with the record's type.
    fn key(&mut self, key: &mut Vec<u8>) -> Result<u8, Malformed> {
        let prefix = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        let suffix = self.varint()?;
        if prefix > key.len() {
            return Err(Malformed);
        }
        key.truncate(prefix);
        key.extend_from_slice(self.take(usize::try_from(suffix >> 3).map_err(|_| Malformed)?)?);
        Ok((suffix & 7) as u8)
    }
}
