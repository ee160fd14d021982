//! Disables huge pages.

/// Makes the kernel use pages of 4 KiB. With the huge pages that the allocator requests, every thread holds at least
/// 2 MiB: with one thread per open database connection, ten times the memory in use.
pub(crate) fn disable_huge() {
    #[cfg(target_os = "linux")]
    {
        // A kernel without this call has no transparent huge pages.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}
