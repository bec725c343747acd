//! Where a report is put: whole, or not at all.

use crate::data::Data;
use crate::page;
use crate::tables;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The file that says that a folder is a finished report, and of which files;
/// written last.
const MARKER: &str = ".interval-stat-report";

/// What it begins with; the names follow, a line each.
const MARKER_TEXT: &str =
    "A finished report: `cargo reports` replaces this folder if it holds nothing but:\n";

/// The files of a report, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    files: Vec<(&'static str, String)>,
}

impl Report {
    /// Draws the page and the tables.
    ///
    /// # Errors
    ///
    /// If the data cannot be drawn.
    pub fn of(data: &Data) -> Result<Self> {
        let mut files = vec![
            ("index.html", page::render(data)?),
            ("data.json", serde_json::to_string_pretty(data)? + "\n"),
        ];
        files.extend(tables::all(data)?);
        Ok(Self::finished(files))
    }

    /// With the marker behind its files.
    fn finished(mut files: Vec<(&'static str, String)>) -> Self {
        let names = files.iter().map(|(name, _)| format!("{name}\n"));
        let marker = MARKER_TEXT.to_owned() + &names.collect::<String>();
        files.push((MARKER, marker));
        Self { files }
    }

    /// The data of the finished report in a folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it is of another version.
    pub fn open(folder: &Path) -> Result<Data> {
        let path = folder.join("data.json");
        let text = fs::read(&path)
            .with_context(|| format!("{}: no report is here that can be read", path.display()))?;
        serde_json::from_slice(&text)
            .with_context(|| format!("{}: not the data of such a report", path.display()))
    }

    /// The content of a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.0 == name);
        file.map(|(_, content)| content.as_str())
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.files.iter().map(|file| file.0)
    }

    fn write_to(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir(folder)?;
        let mut files = self.files.iter();
        files.try_for_each(|(name, content)| fs::write(folder.join(name), content))
    }
}

/// A folder that a report can be put at: absent, empty, or a finished report.
#[derive(Debug)]
pub struct Destination {
    folder: PathBuf,
    /// Where it is renamed to and from: on the same file system.
    parent: PathBuf,
}

impl Destination {
    /// Checks the folder, before the run that would be in vain otherwise.
    ///
    /// # Errors
    ///
    /// If a report cannot be put there, or something else would be lost.
    pub fn new(folder: &Path) -> Result<Self> {
        let name = folder.display();
        refuse_what_is_not_ours(folder)?;
        let folder = &resolved(folder)?;
        let parent = match folder.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            Some(_) => PathBuf::from("."),
            None => bail!("{name}: no folder for a report; name one inside another"),
        };
        let destination = Self {
            folder: folder.to_owned(),
            parent,
        };
        fs::create_dir_all(&destination.parent)
            .and_then(|()| destination.beside().map(drop))
            .with_context(|| format!("{name}: cannot be written; name a folder that can"))?;
        Ok(destination)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Puts the report there. A report that was there goes once this one is
    /// complete; until then, and if anything fails, it stays.
    ///
    /// # Errors
    ///
    /// If a file cannot be written, or the folder was taken meanwhile.
    pub fn publish(&self, report: &Report) -> Result<()> {
        refuse_what_is_not_ours(&self.folder)?;
        let beside = self.beside().with_context(|| self.not_written())?;
        let new = beside.path().join("new");
        report.write_to(&new).with_context(|| self.not_written())?;
        self.swap(&new, beside).with_context(|| self.not_written())
    }

    fn swap(&self, new: &Path, beside: TempDir) -> io::Result<()> {
        if !self.folder.exists() {
            return fs::rename(new, &self.folder);
        }
        let old = beside.path().join("old");
        fs::rename(&self.folder, &old)?;
        fs::rename(new, &self.folder).inspect_err(|_| {
            if fs::rename(&old, &self.folder).is_err() {
                // Better litter than the loss of the old report.
                let _ = beside.keep();
            }
        })
    }

    fn beside(&self) -> io::Result<TempDir> {
        tempfile::Builder::new()
            .prefix(".report-")
            .tempdir_in(&self.parent)
    }

    fn not_written(&self) -> String {
        format!("{}: the report was not written", self.folder.display())
    }
}

fn refuse_what_is_not_ours(folder: &Path) -> Result<()> {
    let name = folder.display();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).context(format!("{name}: no folder; name one")),
    };
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        return Ok(());
    }
    let Ok(marker) = fs::read_to_string(folder.join(MARKER)) else {
        bail!(
            "{name}: holds something other than a finished report; name another folder, or an empty one"
        );
    };
    for entry in entries {
        let entry = entry.with_context(|| name.to_string())?;
        let is_file = entry
            .file_type()
            .with_context(|| name.to_string())?
            .is_file();
        let file = entry.file_name();
        if !(is_file && file.to_str().is_some_and(|file| is_listed(&marker, file))) {
            bail!(
                "{name}: holds {file:?} beside a finished report; move it away, or name another folder"
            );
        }
    }
    Ok(())
}

/// Whether a file is of the report whose marker this is: its own list counts, whatever
/// a report consists of today.
fn is_listed(marker: &str, file: &str) -> bool {
    let listed = match marker.strip_prefix(MARKER_TEXT) {
        Some(names) => names.lines().any(|name| name == file),
        // Of a version that listed nothing: what such a report can consist of.
        None => ["html", "json", "csv"]
            .map(OsStr::new)
            .map(Some)
            .contains(&Path::new(file).extension()),
    };
    listed || file == MARKER
}

/// Where a link leads, so that the link stays one.
fn resolved(folder: &Path) -> Result<PathBuf> {
    if folder.exists() || folder.is_symlink() {
        let name = folder.display();
        return fs::canonicalize(folder)
            .with_context(|| format!("{name}: leads nowhere; name a folder"));
    }
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(page: &str) -> Report {
        Report::finished(vec![("index.html", page.to_owned())])
    }

    fn page(folder: &Path) -> String {
        fs::read_to_string(folder.join("index.html")).unwrap()
    }

    fn entries(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_report_replaces_a_report_and_leaves_nothing_beside() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("deep/report");
        for text in ["first", "second"] {
            let destination = Destination::new(&folder).unwrap();
            destination.publish(&report(text)).unwrap();
            assert_eq!(page(&folder), text);
        }
        assert_eq!(entries(folder.parent().unwrap()), [folder]);
    }

    #[test]
    fn an_empty_folder_will_do() {
        let room = tempfile::tempdir().unwrap();
        let destination = Destination::new(room.path()).unwrap();
        destination.publish(&report("new")).unwrap();
        assert_eq!(page(room.path()), "new");
    }

    #[test]
    fn other_folders_and_files_are_refused_and_stay() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("index.html");
        fs::write(&file, "half a report").unwrap();
        for taken in [room.path(), &file] {
            let error = Destination::new(taken).unwrap_err();
            assert!(format!("{error:#}").starts_with(&taken.display().to_string()));
        }
        assert_eq!(entries(room.path()), [file]);
        assert_eq!(page(room.path()), "half a report");
    }

    #[test]
    fn what_was_put_there_during_the_run_stays() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("report");
        let destination = Destination::new(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("index.html"), "not ours").unwrap();
        assert!(destination.publish(&report("new")).is_err());
        assert_eq!(page(&folder), "not ours");
    }

    #[test]
    fn a_report_that_cannot_be_written_leaves_the_old_one() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("report");
        let destination = Destination::new(&folder).unwrap();
        destination.publish(&report("old")).unwrap();
        let files = vec![("no such folder/index.html", String::new())];
        assert!(destination.publish(&Report { files }).is_err());
        assert_eq!(page(&folder), "old");
        assert_eq!(entries(room.path()), [folder]);
    }

    #[test]
    fn a_foreign_file_in_a_report_is_named_and_stays() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("report");
        let destination = Destination::new(&folder).unwrap();
        destination.publish(&report("old")).unwrap();
        for (foreign, make) in [
            (
                "my-notes.txt",
                (|path| fs::write(path, "mine")) as fn(&Path) -> io::Result<()>,
            ),
            ("mine.csv", |path| fs::write(path, "mine")),
            ("mine", |path| fs::create_dir(path)),
        ] {
            make(&folder.join(foreign)).unwrap();
            let errors = [
                Destination::new(&folder).map(drop).unwrap_err(),
                destination.publish(&report("new")).unwrap_err(),
            ];
            for error in errors {
                assert!(error.to_string().contains(foreign), "{error}");
            }
            assert!(folder.join(foreign).exists());
            fs::rename(folder.join(foreign), room.path().join(foreign)).unwrap();
        }
        assert_eq!(page(&folder), "old");
    }

    #[test]
    fn a_report_of_another_version_is_replaced_and_a_foreign_file_in_it_is_not() {
        let room = tempfile::tempdir().unwrap();
        let folder = room.path().join("report");
        let destination = Destination::new(&folder).unwrap();
        // Files that are not written today, listed or from before there was a list.
        let listed = Report::finished(vec![("gone.csv", String::new())]);
        let before = Report {
            files: vec![
                ("gone.csv", String::new()),
                (MARKER, "A finished report.\n".to_owned()),
            ],
        };
        for earlier in [&listed, &before] {
            destination.publish(earlier).unwrap();
            fs::write(folder.join("my-notes.txt"), "mine").unwrap();
            assert!(destination.publish(&report("new")).is_err());
            fs::remove_file(folder.join("my-notes.txt")).unwrap();
            destination.publish(&report("new")).unwrap();
            assert_eq!(page(&folder), "new");
            assert!(!folder.join("gone.csv").exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_one_and_must_lead_somewhere() {
        let room = tempfile::tempdir().unwrap();
        let (folder, link) = (room.path().join("report"), room.path().join("link"));
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let error = Destination::new(&link).unwrap_err();
        assert!(format!("{error:#}").contains("leads nowhere"), "{error:#}");
        fs::create_dir(&folder).unwrap();
        for text in ["first", "second"] {
            let destination = Destination::new(&link).unwrap();
            destination.publish(&report(text)).unwrap();
            assert_eq!(page(&folder), text);
            assert!(link.is_symlink());
        }
        assert_eq!(entries(room.path()).len(), 2);
    }
}
