//! Places in a text as JavaScript counts them.

use std::collections::HashMap;

/// The place of each of the bytes, in UTF-16 units of the text as it is decoded: what is not UTF-8 becomes U+FFFD, as
/// everywhere.
pub fn utf16_places(text: &[u8], bytes: impl IntoIterator<Item = usize>) -> HashMap<usize, usize> {
    let mut bytes: Vec<usize> = bytes.into_iter().collect();
    bytes.sort_unstable();
    let (mut at, mut units) = (0, 0);
    let mut places = HashMap::new();
    for byte in bytes {
        units += utf16_length(&text[at..byte]);
        at = byte;
        places.insert(byte, units);
    }
    places
}

fn utf16_length(text: &[u8]) -> usize {
    let length = |text: &str| {
        // A unit for each character, and one more for those that UTF-8 needs four bytes for.
        let starts = text.bytes().filter(|&byte| byte & 0xc0 != 0x80).count();
        starts + text.bytes().filter(|&byte| byte >= 0xf0).count()
    };
    text.utf8_chunks()
        .map(|chunk| length(chunk.valid()) + usize::from(!chunk.invalid().is_empty()))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_as_the_decoded_text_does() {
        let text = b"a\xc3\xa4\n\xf0\x9f\x98\x80\n\xff\xfe\n\xe2\x82\nz";
        for end in (0..=text.len()).filter(|&end| end == 0 || text[end - 1] == b'\n') {
            let decoded = String::from_utf8_lossy(&text[..end]);
            let place = utf16_places(text, [text.len(), end])[&end];
            assert_eq!(place, decoded.encode_utf16().count(), "{end}");
        }
    }
}
