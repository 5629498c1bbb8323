//! A pack behind its index, and before both the length of ids and that of the index: what its header says of an object is
//! what is read, and what is read does not depend on what was read before.

use turn_attribution::git::packs::{Data, Index, Scratch};

pub fn check(data: &[u8]) {
    let Some((&[kind, high, low], rest)) = data.split_first_chunk() else {
        return;
    };
    let oid_length = if kind & 1 == 0 { 20 } else { 32 };
    let Some((index, pack)) = rest.split_at_checked(usize::from(u16::from_be_bytes([high, low]))) else {
        return;
    };
    let Some(index) = Index::new(index, oid_length) else {
        return;
    };
    // Damaged deltas are of interest, and a checksum would keep them away.
    let pack = [pack, index.pack_checksum().unwrap_or_default()].concat();
    let Some(data) = Data::new(&pack[..], 0, &index) else {
        return;
    };
    let mut kept = Scratch::default();
    for position in 0..index.objects() {
        let oid = index.oid(position).expect("it has so many");
        let Some(offset) = index.find(oid) else { continue };
        let header = data.header(&index, offset, &mut kept);
        let mut fresh = Scratch::default();
        let read = data.read(&index, offset, &mut fresh);
        if let Some((kind, content)) = read {
            assert_eq!(header, Some((kind, content.len() as u64)));
        }
        assert_eq!(data.read(&index, offset, &mut kept), read);
    }
}
