//! Tests of blobs: round trips, refusals, bytes on disk.

mod beside_database;
mod fake_s3;
mod objects;
mod room;
mod sensitive;

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_core::Timestamp;
use kimberly_core::error::{Error, StorageFailure};
use kimberly_core::ids::{BlobId, UserId};
use kimberly_core::ports::Blobs;
use kimberly_crypto::{FRAME_OVERHEAD, KeySources, Keys, Loads};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::{BlobStore, FRAME};

/// Held by tests that need much memory, so that the test that measures memory measures only itself.
static LARGE: Mutex<()> = Mutex::const_new(());

/// A data folder with keys outside it, and two users with vaults.
struct Bed {
    folder: TempDir,
    keys: Keys,
    store: BlobStore,
}

fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

fn blob(n: u128) -> BlobId {
    BlobId(Uuid::from_u128(n))
}

impl Bed {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let sources = KeySources { folder: Some(folder.path().join("rings")), ..KeySources::default() };
        let keys = Keys::open(&data, &sources, Loads::Both).unwrap();
        for name in ["ada", "bob"] {
            keys.make_user(&user(name).folder_name()).unwrap();
        }
        Self::with(folder, keys)
    }

    fn with(folder: TempDir, keys: Keys) -> Self {
        let store = BlobStore::local(&folder.path().join("data"), keys.clone());
        let bed = Self { folder, keys, store };
        for name in ["ada", "bob"] {
            fs::create_dir_all(bed.vault(name)).unwrap();
        }
        bed
    }

    fn vault(&self, name: &str) -> PathBuf {
        let hash = user(name).folder_name();
        self.folder.path().join("data/vaults").join(&hash[..2]).join(&hash)
    }

    fn files(&self, name: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.vault(name).join("attachments")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// Writes a blob in pieces of uneven size.
    async fn put(&self, name: &str, n: u128, bytes: &[u8]) -> PathBuf {
        let before = self.files(name);
        let mut writer = self.store.begin(&user(name), blob(n), false).await.unwrap();
        for piece in bytes.chunks(50_001) {
            writer.write(piece).await.unwrap();
        }
        let facts = writer.finish().await.unwrap();
        drop(writer);
        assert_eq!(facts.size_bytes, bytes.len() as u64);
        assert_eq!(facts.sha256, <[u8; 32]>::from(Sha256::digest(bytes)));
        let file = self.files(name).into_iter().find(|file| !before.contains(file)).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().len(), facts.stored_bytes);
        file
    }

    async fn get(&self, name: &str, n: u128, offset: u64) -> Result<Vec<u8>, Error> {
        let mut reader = self.store.open(&user(name), blob(n), offset).await?.unwrap();
        let mut bytes = Vec::new();
        while let Some(piece) = reader.next().await? {
            assert!(!piece.is_empty() && piece.len() <= FRAME);
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    async fn is_damaged(&self, name: &str, n: u128) -> bool {
        match self.get(name, n, 0).await {
            Err(Error::Storage { failure: StorageFailure::Corrupt, .. }) => true,
            Err(other) => panic!("{other}"),
            Ok(_) => false,
        }
    }
}

/// Returns incompressible bytes, the same every time.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}

#[tokio::test]
async fn bytes_of_any_length_come_back_from_any_offset() {
    let bed = Bed::new();
    for (n, length) in [0, 1, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 5 * FRAME + 7].into_iter().enumerate() {
        let (n, bytes) = (n as u128, noise(length));
        bed.put("ada", n, &bytes).await;
        for offset in [0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME, length.saturating_sub(1), length] {
            let offset = offset.min(length);
            assert_eq!(bed.get("ada", n, offset as u64).await.unwrap(), bytes[offset..], "{length} from {offset}");
        }
    }
    assert!(bed.store.open(&user("ada"), blob(99), 0).await.unwrap().is_none());
    assert!(bed.store.open(&user("bob"), blob(1), 0).await.unwrap().is_none());
}

#[tokio::test]
async fn what_repeats_itself_is_packed_and_what_does_not_grows_by_a_little_alone() {
    let bed = Bed::new();
    let text = b"a line that comes again and again\n".repeat(30_000);
    let packed = fs::metadata(bed.put("ada", 1, &text).await).unwrap().len();
    assert!(packed < text.len() as u64 / 20, "{packed}");
    let noisy = noise(10 * FRAME);
    let whole = fs::metadata(bed.put("ada", 2, &noisy).await).unwrap().len();
    assert!(whole <= (noisy.len() + 10 * (FRAME_OVERHEAD + 5) + 8) as u64, "{whole}");
}

#[tokio::test]
async fn neither_content_nor_its_hash_is_in_files_or_names() {
    let bed = Bed::new();
    let bytes = [b"unmistakable".as_slice(), &noise(1_000), b"unmistakable"].concat();
    let one = bed.put("ada", 1, &bytes).await;
    let two = bed.put("ada", 2, &bytes).await;
    assert_ne!(fs::read(&one).unwrap(), fs::read(&two).unwrap(), "equal content gives equal bytes");
    let hash = format!("{:x}", Sha256::digest(&bytes));
    for file in [one, two] {
        assert!(!file.to_string_lossy().contains(&hash));
        let stored = fs::read(file).unwrap();
        assert!(!stored.windows(12).any(|window| window == b"unmistakable"));
    }
}

#[tokio::test]
async fn every_cut_and_every_changed_byte_is_noticed() {
    let bed = Bed::new();
    let bytes = noise(2 * FRAME + 100);
    let file = bed.put("ada", 1, &bytes).await;
    let stored = fs::read(&file).unwrap();
    let step = 997;
    for at in (0..stored.len()).step_by(step).chain(0..60).chain(stored.len() - 200..stored.len()) {
        let mut changed = stored.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&file, &changed).unwrap();
        assert!(bed.is_damaged("ada", 1).await, "a change of byte {at} went unnoticed");
        fs::write(&file, &stored[..at]).unwrap();
        assert!(bed.is_damaged("ada", 1).await, "{at} bytes are enough");
    }
    fs::write(&file, [stored.as_slice(), b"x"].concat()).unwrap();
    assert!(bed.is_damaged("ada", 1).await, "trailing bytes went unnoticed");
    fs::write(&file, &stored).unwrap();
    assert_eq!(bed.get("ada", 1, 0).await.unwrap(), bytes);
}

/// Splits an object into its frames, each with its length prefix.
fn frames(stored: &[u8]) -> Vec<&[u8]> {
    let (mut rest, mut frames) = (&stored[8..], Vec::new());
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) & !(1 << 31);
        let (frame, after) = rest.split_at(4 + length as usize);
        frames.push(frame);
        rest = after;
    }
    frames
}

#[tokio::test]
async fn frames_open_in_their_order_and_object_and_for_their_user_alone() {
    let bed = Bed::new();
    let file = bed.put("ada", 1, &noise(4 * FRAME)).await;
    let stored = fs::read(&file).unwrap();
    let of = frames(&stored);
    assert_eq!(of.len(), 4);
    let other_file = bed.put("ada", 2, &noise(4 * FRAME)).await;
    let other = fs::read(&other_file).unwrap();
    let others = frames(&other);
    let end_moved = {
        let mut frame = of[1].to_vec();
        frame[0] |= 0x80;
        frame
    };
    let wrong: [Vec<&[u8]>; 5] = [
        vec![of[1], of[0], of[2], of[3]],
        vec![of[0], of[2], of[3]],
        vec![of[0], of[1], of[1], of[3]],
        vec![of[0], &end_moved],
        vec![of[0], others[1], of[2], of[3]],
    ];
    for frames in wrong {
        fs::write(&file, [&stored[..8], &frames.concat()].concat()).unwrap();
        assert!(bed.is_damaged("ada", 1).await);
    }
    fs::write(&file, &other).unwrap();
    assert!(bed.is_damaged("ada", 1).await, "a swapped object went unnoticed");
    let bobs = bed.put("bob", 1, b"x").await;
    fs::write(&bobs, &stored).unwrap();
    assert!(bed.is_damaged("bob", 1).await, "another user's object was read");
}

#[tokio::test]
async fn what_is_not_finished_is_not_there_and_leaves_nothing() {
    let bed = Bed::new();
    let mut writer = bed.store.begin(&user("ada"), blob(1), false).await.unwrap();
    writer.write(&noise(5 * FRAME)).await.unwrap();
    assert!(bed.store.open(&user("ada"), blob(1), 0).await.unwrap().is_none());
    assert_eq!(bed.files("ada").len(), 1);
    drop(writer);
    assert!(bed.files("ada").is_empty());
}

#[tokio::test]
async fn what_is_discarded_is_gone_finished_or_not_and_whether_or_not_there_are_keys() {
    let bed = Bed::new();
    for (n, finished, keys) in [(1, false, true), (2, true, true), (3, true, false)] {
        let mut writer = bed.store.begin(&user("ada"), blob(n), false).await.unwrap();
        writer.write(&noise(5 * FRAME)).await.unwrap();
        if finished {
            writer.finish().await.unwrap();
            assert!(writer.write(b"more").await.is_err() && writer.finish().await.is_err(), "it has ended");
        }
        if !keys {
            bed.keys.destroy_user(&user("ada").folder_name()).unwrap();
        }
        assert_eq!(bed.files("ada").len(), 1);
        writer.discard().await.unwrap();
        assert!(bed.files("ada").is_empty());
    }
    let mut writer = bed.store.begin(&user("bob"), blob(1), false).await.unwrap();
    writer.finish().await.unwrap();
    fs::remove_dir_all(bed.vault("bob")).unwrap();
    writer.discard().await.unwrap();
}

#[tokio::test]
async fn removing_is_for_good_and_may_be_done_again() {
    let bed = Bed::new();
    bed.put("ada", 1, b"one").await;
    bed.put("ada", 2, b"two").await;
    for _ in 0..2 {
        bed.store.remove(&user("ada"), &[blob(1)]).await.unwrap();
        assert!(bed.store.open(&user("ada"), blob(1), 0).await.unwrap().is_none());
    }
    bed.store.remove(&user("bob"), &[blob(1)]).await.unwrap();
    assert_eq!(bed.get("ada", 2, 0).await.unwrap(), b"two");
}

#[tokio::test]
async fn tidying_removes_old_strays_and_names_what_is_missing() {
    let bed = Bed::new();
    bed.put("ada", 1, b"known").await;
    bed.put("ada", 2, b"stray").await;
    let attachments = bed.vault("ada").join("attachments");
    fs::write(attachments.join(".left.new"), b"of a killed process").unwrap();
    let known = [blob(1), blob(3)];
    let early = bed.store.tidy(&user("ada"), &known, Timestamp(0)).await.unwrap();
    assert_eq!((early.removed, early.missing), (0, vec![blob(3)]), "young objects may still be uploading");
    let late = bed.store.tidy(&user("ada"), &known, Timestamp::MAX).await.unwrap();
    assert_eq!((late.removed, late.missing), (2, vec![blob(3)]));
    assert_eq!(bed.files("ada").len(), 1);
    assert_eq!(bed.get("ada", 1, 0).await.unwrap(), b"known");
    assert_eq!(bed.store.tidy(&user("bob"), &[], Timestamp::MAX).await.unwrap().removed, 0, "the user has no folder");
}

#[tokio::test]
async fn user_without_keys_or_vault_gets_no_file() {
    let bed = Bed::new();
    bed.put("ada", 1, b"one").await;
    bed.keys.destroy_user(&user("ada").folder_name()).unwrap();
    assert!(bed.store.begin(&user("ada"), blob(2), false).await.is_err());
    assert!(bed.store.open(&user("ada"), blob(1), 0).await.unwrap().is_none());
    bed.keys.make_user(&user("eve").folder_name()).unwrap();
    assert!(bed.store.begin(&user("eve"), blob(1), false).await.is_err());
    assert!(!bed.vault("eve").exists(), "the folder of a vault was created");
}

#[tokio::test]
async fn without_encryption_damage_is_noticed_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let bed = Bed::with(folder, Keys::off());
    let file = bed.put("ada", 1, b"some text").await;
    assert_eq!(bed.get("ada", 1, 0).await.unwrap(), b"some text");
    let mut stored = fs::read(&file).unwrap();
    stored[20] ^= 1;
    fs::write(&file, stored).unwrap();
    assert!(bed.is_damaged("ada", 1).await);
}

#[tokio::test]
async fn without_encryption_bytes_are_overwritten_before_they_go() {
    for way in ["remove", "tidy", "purge", "discard"] {
        let bed = Bed::with(tempfile::tempdir().unwrap(), Keys::off());
        let ada = user("ada");
        let mut writer = bed.store.begin(&ada, blob(1), false).await.unwrap();
        writer.write(&noise(5 * FRAME)).await.unwrap();
        writer.finish().await.unwrap();
        let seen = bed.folder.path().join("what the disk still holds");
        fs::hard_link(&bed.files("ada")[0], &seen).unwrap();
        assert!(fs::read(&seen).unwrap().iter().any(|byte| *byte != 0));
        match way {
            "remove" => bed.store.remove(&ada, &[blob(1)]).await.unwrap(),
            "tidy" => assert_eq!(bed.store.tidy(&ada, &[], Timestamp::MAX).await.unwrap().removed, 1),
            "purge" => bed.store.remove_all(&ada).await.unwrap(),
            _ => writer.discard().await.unwrap(),
        }
        assert!(bed.files("ada").is_empty(), "{way}");
        let left = fs::read(&seen).unwrap();
        assert!(left.len() > 5 * FRAME && left.iter().all(|byte| *byte == 0), "{way} leaves bytes on the disk");
    }
}

/// A blob of many frames takes the memory of a few, both ways.
#[tokio::test]
async fn memory_is_flat_however_large_a_blob_is() {
    const FRAMES: usize = 400;
    let _alone = LARGE.lock().await;
    let bed = Bed::new();
    let piece = noise(FRAME);
    let mut writer = bed.store.begin(&user("ada"), blob(1), false).await.unwrap();
    let before = resident(Path::new("/proc/self/statm"));
    for _ in 0..FRAMES {
        writer.write(&piece).await.unwrap();
    }
    let facts = writer.finish().await.unwrap();
    assert_eq!(facts.size_bytes, (FRAMES * FRAME) as u64);
    let mut reader = bed.store.open(&user("ada"), blob(1), 0).await.unwrap().unwrap();
    let (mut count, mut same) = (0, true);
    while let Some(bytes) = reader.next().await.unwrap() {
        count += bytes.len();
        same &= bytes == piece;
    }
    assert!(same && count == FRAMES * FRAME);
    let grown = resident(Path::new("/proc/self/statm")).saturating_sub(before);
    assert!(grown < 12 << 20, "a blob of 25 MiB took {grown} bytes of memory");
}

/// Returns the bytes of resident memory of this process.
fn resident(statm: &Path) -> usize {
    let pages = fs::read_to_string(statm).unwrap();
    pages.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}
