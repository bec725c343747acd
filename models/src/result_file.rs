//! Files that programs write their results to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, io::Error};

use clap::builder::{PathBufValueParser, TypedValueParser};
use tempfile::{Builder, NamedTempFile};

/// A file for results, that can be written as far as one can tell before the work
/// that would be in vain otherwise. It is written as a whole: what was there stays
/// until then, and if the work fails or is broken off.
///
/// # Examples
///
/// ```
/// use models::result_file::ResultFile;
///
/// let room = tempfile::tempdir()?;
/// let path = room.path().join("results.json");
/// std::fs::write(&path, "earlier")?;
///
/// let file = ResultFile::new(&path)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "earlier");
/// file.write(b"new")?;
/// assert_eq!(std::fs::read_to_string(&path)?, "new");
///
/// let error = ResultFile::new(&room.path().join("none/results.json")).unwrap_err();
/// assert!(error.contains("none/results.json"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    /// As it was named.
    path: PathBuf,
}

impl ResultFile {
    /// Checks that the file can be written, and leaves what is there.
    ///
    /// # Errors
    ///
    /// If it is a folder, or is in none that can be written.
    pub fn new(path: &Path) -> Result<Self, String> {
        let file = Self {
            path: path.to_owned(),
        };
        file.probe().map_err(|error| file.named(&error))?;
        Ok(file)
    }

    /// Takes an argument of a command line for such a file.
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        PathBufValueParser::new().try_map(|path| Self::new(&path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes it.
    ///
    /// # Errors
    ///
    /// If it cannot be written; what was there is there still.
    pub fn write(&self, content: &[u8]) -> Result<(), String> {
        self.replace(content).map_err(|error| self.named(&error))
    }

    fn named(&self, error: &Error) -> String {
        format!("{}: {error}", self.path.display())
    }

    fn probe(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        match self.is_stream() {
            true => Ok(()),
            false => self.beside().map(drop),
        }
    }

    /// A terminal, a pipe, `/dev/null`: there is nothing to keep, and no file that
    /// could take its place.
    fn is_stream(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|metadata| !metadata.is_file())
    }

    fn replace(&self, content: &[u8]) -> io::Result<()> {
        if self.is_stream() {
            return fs::write(&self.path, content);
        }
        let mut beside = self.beside()?;
        beside.write_all(content)?;
        if let Ok(before) = fs::metadata(&self.path) {
            beside.as_file().set_permissions(before.permissions())?;
        }
        beside.persist(self.target()?)?;
        Ok(())
    }

    /// What is to be replaced: where the path is a link, what it leads to.
    fn target(&self) -> io::Result<PathBuf> {
        match self.path.is_symlink() {
            true => fs::canonicalize(&self.path),
            false => Ok(self.path.clone()),
        }
    }

    /// On the same file system.
    fn beside(&self) -> io::Result<NamedTempFile> {
        let target = self.target()?;
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".results-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As of any new file: what the umask leaves of them.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        builder.tempfile_in(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_file_is_there_when_it_is_written_and_nothing_beside_it() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("new.json");
        let file = ResultFile::new(&path).unwrap();
        assert_eq!(entries(room.path()), 0);
        file.write(b"all").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"all");
        assert_eq!(entries(room.path()), 1);
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let room = tempfile::tempdir().unwrap();
        for path in [room.path().join("none/new.json"), room.path().to_owned()] {
            let error = ResultFile::new(&path).unwrap_err();
            assert!(error.starts_with(&*path.to_string_lossy()), "{error}");
        }
        assert_eq!(entries(room.path()), 0);
    }

    #[test]
    fn a_stream_stays_one() {
        let stream = Path::new("/dev/null");
        if stream.exists() {
            ResultFile::new(stream).unwrap().write(b"all").unwrap();
            assert!(!stream.is_file());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let room = tempfile::tempdir().unwrap();
        let (path, link) = (room.path().join("there"), room.path().join("link"));
        fs::write(&path, "earlier").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&path, &link).unwrap();
        ResultFile::new(&link).unwrap().write(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}
