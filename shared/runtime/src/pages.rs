//! Memory in small pages.

/// Has the kernel give memory in pages of 4 KiB. The allocator asks for huge ones, of which every thread then fills and
/// holds 2 MiB at least: with the thread that each open database connection has, tenfold of what is used.
pub(crate) fn keep_small() {
    #[cfg(target_os = "linux")]
    {
        // A kernel that does not know the call has no huge pages to give.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}
