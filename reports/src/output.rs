//! Where a report is put: whole, or not at all.

use crate::data::Data;
use crate::page;
use crate::tables;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The file that says that a folder is a finished report; written last.
const MARKER: &str = ".interval-stat-report";

const MARKER_TEXT: &str = "A finished report: `cargo reports` replaces this folder as a whole.\n";

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
        files.push((MARKER, MARKER_TEXT.to_owned()));
        Ok(Self { files })
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
    if entries.count() > 0 && !folder.join(MARKER).is_file() {
        bail!(
            "{name}: holds something other than a finished report; name another folder, or an empty one"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(page: &str) -> Report {
        let files = vec![
            ("index.html", page.to_owned()),
            (MARKER, MARKER_TEXT.to_owned()),
        ];
        Report { files }
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
}
