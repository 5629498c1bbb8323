//! What counts as binary when no attribute says so.

/// How far git looks.
const LOOKED_AT: usize = 8000;

/// Whether git takes a content for binary: it holds a NUL within its first 8000 bytes.
pub fn is_binary(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(LOOKED_AT)]).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_binary;

    #[test]
    fn only_an_early_nul_counts() {
        let with_nul_at = |at: usize| {
            let mut content = vec![b'a'; 10_000];
            content[at] = 0;
            is_binary(&content)
        };
        assert!(with_nul_at(0) && with_nul_at(7999));
        assert!(!with_nul_at(8000) && !is_binary(b"") && !is_binary("\u{1}\u{fffd}ä\r\n".as_bytes()));
        assert!(is_binary(b"\0"));
    }
}
