//! Measures the resident memory of mapped indices.

/// Resident bytes of mapped index files; 0 if the kernel does not report them.
pub(super) fn bytes() -> u64 {
    std::fs::read_to_string("/proc/self/smaps").map_or(0, |text| of(&text))
}

fn of(smaps: &str) -> u64 {
    let (mut index, mut kib) = (false, 0);
    for line in smaps.lines() {
        if let Some(resident) = line.strip_prefix("Rss:") {
            let number = resident.trim().trim_end_matches("kB").trim().parse::<u64>();
            kib += number.unwrap_or(0) * u64::from(index);
        } else if line.split_once(' ').is_some_and(|(range, _)| range.contains('-') && !range.ends_with(':')) {
            index = line.ends_with("/data.mdb");
        }
    }
    kib * 1_024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_mapped_of_indices_counts() {
        let smaps = "7f00-7f10 r--s 00000000 fe:00 1 /data/vectors/m/data.mdb\nSize: 1024 kB\nRss:          96 kB\n\
                     VmFlags: rd sh\n7f10-7f20 r--p 00000000 fe:00 2 /usr/lib/libc.so.6\nRss:  500 kB\n\
                     7f20-7f30 rw-p 00000000 00:00 0\nRss:  500 kB\n";
        assert_eq!(of(smaps), 96 * 1_024);
        assert_eq!(of(""), 0);
    }
}
