//! Which statistic gives which guarantee.

use super::{Section, View};
use crate::data::Data;
use crate::model_runs::{ModelRun, Verdict};
use anyhow::Result;
use models::arithmetic::Exactness;
use models::guarantees::Guarantee;
use serde::Serialize;
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "guarantees",
    title: "Guarantees",
    command: "cargo reports",
    template: include_str!("guarantees.html"),
    view,
};

/// A column of the matrix: a statistic, and a cell a guarantee, G8 last.
struct Column<'a> {
    statistic: &'a str,
    cells: Vec<Cell>,
}

/// What is known of a statistic and a guarantee.
#[derive(Debug, Serialize)]
struct Cell {
    verdict: Option<Verdict>,
    /// By how much work.
    note: String,
}

/// Name and meaning of each, in the order of the cells.
const GUARANTEES: [(&str, &str); 8] = [
    ("G1 conserved", "the intervals add up to all that was added"),
    (
        "G2 extremes",
        "min and max over all intervals are those of the samples",
    ),
    (
        "G3 whole",
        "every interval sums up some set of samples exactly",
    ),
    (
        "G4 timely",
        "what was added before a drain is in it or an earlier one",
    ),
    (
        "G5 one cut",
        "adds and drains have one order, true to real time",
    ),
    (
        "G6 wait-free add",
        "an add takes a fixed number of steps, whatever others do",
    ),
    (
        "G7 drain progress",
        "a drain waits only for adds that had begun",
    ),
    (
        "G8 exact numbers",
        "mean and standard deviation are the nearest to the exact ones",
    ),
];

fn view(data: &Data) -> Result<View> {
    let columns: Vec<Column> = data
        .exactness
        .iter()
        .map(|row| column(row, &data.models))
        .collect();
    let headlines = columns.iter().map(headline).collect();
    let statistics: Vec<&str> = columns.iter().map(|column| column.statistic).collect();
    let row = |(place, (name, meaning)): (usize, (&str, &str))| {
        let cells: Vec<&Cell> = columns.iter().map(|column| &column.cells[place]).collect();
        json!({ "name": name, "meaning": meaning, "cells": cells })
    };
    let rows: Vec<Value> = GUARANTEES.into_iter().enumerate().map(row).collect();
    let context = json!({ "statistics": statistics, "rows": rows });
    Ok(View { headlines, context })
}

fn column<'a>(exactness: &'a Exactness, models: &[ModelRun]) -> Column<'a> {
    let statistic = exactness.statistic.as_str();
    let of_it = || {
        models
            .iter()
            .filter(|run| run.outcome.statistic == statistic)
    };
    let modelled = Guarantee::OF_HISTORIES.map(|guarantee| modelled(guarantee, of_it()));
    let mut cells: Vec<Cell> = modelled.into();
    cells.push(exact(exactness));
    Column { statistic, cells }
}

/// One violation outweighs any number of models in which there is none.
fn modelled<'a>(guarantee: Guarantee, models: impl Iterator<Item = &'a ModelRun>) -> Cell {
    let said = models.filter_map(|run| Some((run, run.verdict(guarantee)?)));
    let said: Vec<(&ModelRun, Verdict)> = said.collect();
    let verdict = said.iter().map(|&(_, verdict)| verdict).max();
    let agree = || said.iter().filter(|&&(_, said)| Some(said) == verdict);
    let models = counted(agree().count(), "model");
    let exhaustive = agree().filter(|(run, _)| run.outcome.exhaustive).count();
    let note = match verdict {
        None => "no model".to_owned(),
        Some(Verdict::Violated) => format!("in {models}"),
        Some(Verdict::Holds) => format!("{models}, {exhaustive} exhaustive"),
    };
    Cell { verdict, note }
}

fn exact(exactness: &Exactness) -> Cell {
    let Exactness {
        sequences, inexact, ..
    } = exactness;
    let sequences = counted(*sequences, "sequence");
    let (verdict, note) = match inexact {
        0 => (Verdict::Holds, format!("in {sequences}")),
        _ => (Verdict::Violated, format!("in {inexact} of {sequences}")),
    };
    Cell {
        verdict: Some(verdict),
        note,
    }
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn headline(column: &Column<'_>) -> String {
    let says = [
        (Some(Verdict::Holds), "holds in all that was run"),
        (Some(Verdict::Violated), "violated"),
        (None, "not checked"),
    ];
    let part = |(verdict, says)| {
        let cells = column.cells.iter().zip(GUARANTEES);
        let with = cells.filter(|(cell, _)| cell.verdict == verdict);
        let names: Vec<&str> = with.map(|(_, (name, _))| &name[..2]).collect();
        (!names.is_empty()).then(|| format!("{}: {says}", names.join(" ")))
    };
    let parts: Vec<String> = says.into_iter().filter_map(part).collect();
    format!("{} – {}.", column.statistic, parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_runs::tests::told;

    #[test]
    fn one_violation_outweighs_the_models_without() {
        let runs = [
            told("A", true, Verdict::Holds),
            told("A", false, Verdict::Violated),
            told("A", true, Verdict::Holds),
        ];
        let cell = modelled(Guarantee::G1, runs.iter());
        assert_eq!(cell.verdict, Some(Verdict::Violated));
        assert_eq!(cell.note, "in 1 model");
    }

    #[test]
    fn a_column_is_of_one_statistic_and_says_what_was_not_checked() {
        let exactness = Exactness {
            statistic: "A".to_owned(),
            sequences: 9,
            inexact: 2,
        };
        let runs = [
            told("A", true, Verdict::Holds),
            told("B", true, Verdict::Violated),
        ];
        let column = column(&exactness, &runs);
        assert_eq!(
            headline(&column),
            "A – G1: holds in all that was run; G8: violated; G2 G3 G4 G5 G6 G7: not checked."
        );
    }
}
