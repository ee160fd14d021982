//! Splits batches into a few fixed sizes.

/// Rows per statement. Few sizes mean few prepared statements.
const CHUNKS: [usize; 3] = [64, 8, 1];

/// Splits a batch into pieces of the sizes in [`CHUNKS`].
pub(crate) fn chunks<T>(mut items: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = CHUNKS.into_iter().find(|size| *size <= items.len())?;
        let (chunk, rest) = items.split_at(size);
        items = rest;
        Some(chunk)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_splits_into_few_sizes() {
        let items: Vec<usize> = (0..150).collect();
        let sizes: Vec<_> = chunks(&items).map(<[usize]>::len).collect();
        assert_eq!(sizes, [64, 64, 8, 8, 1, 1, 1, 1, 1, 1]);
        assert_eq!(chunks(&items).flatten().copied().collect::<Vec<_>>(), items);
        assert_eq!(chunks::<usize>(&[]).count(), 0);
    }
}
