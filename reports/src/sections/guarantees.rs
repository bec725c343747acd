//! Which statistic gives which guarantee.

use super::{Section, View};
use crate::data::Data;
use crate::model_runs::{Guarantee, ModelRun, Verdict};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(crate) const SECTION: Section = Section {
    id: "guarantees",
    title: "Guarantees",
    command: "cargo reports",
    template: include_str!("guarantees.html"),
    view,
};

/// A column of the matrix.
struct Column<'a> {
    statistic: &'a str,
    cells: Vec<Cell>,
}

/// What all models together say about a statistic and a guarantee.
#[derive(Serialize)]
struct Cell {
    verdict: Option<Verdict>,
    /// In how many models.
    models: usize,
    /// Of those, how many explored all executions within their bound.
    exhaustive: usize,
}

fn view(data: &Data) -> Result<View> {
    let statistics: BTreeSet<&str> = data
        .models
        .iter()
        .map(|run| run.statistic.as_str())
        .collect();
    let column = |statistic| column(statistic, &data.models);
    let columns: Vec<Column> = statistics.into_iter().map(column).collect();
    let headlines = columns.iter().map(headline).collect();
    let statistics: Vec<&str> = columns.iter().map(|column| column.statistic).collect();
    let row = |(place, guarantee)| matrix_row(guarantee, place, &columns);
    let rows: Vec<Value> = Guarantee::ALL.into_iter().enumerate().map(row).collect();
    let context = json!({ "statistics": statistics, "rows": rows });
    Ok(View { headlines, context })
}

fn matrix_row(guarantee: Guarantee, place: usize, columns: &[Column<'_>]) -> Value {
    let (name, meaning) = guarantee.wording();
    let cells: Vec<&Cell> = columns.iter().map(|column| &column.cells[place]).collect();
    json!({ "guarantee": guarantee, "name": name, "meaning": meaning, "cells": cells })
}

fn column<'a>(statistic: &'a str, models: &[ModelRun]) -> Column<'a> {
    let cell = |guarantee| {
        cell(
            guarantee,
            models.iter().filter(|run| run.statistic == statistic),
        )
    };
    Column {
        statistic,
        cells: Guarantee::ALL.map(cell).into(),
    }
}

/// One violation outweighs any number of models in which there is none.
fn cell<'a>(guarantee: Guarantee, models: impl Iterator<Item = &'a ModelRun>) -> Cell {
    let said = models.filter_map(|run| Some((run, *run.verdicts.get(&guarantee)?)));
    let said: Vec<(&ModelRun, Verdict)> = said.collect();
    let verdict = said.iter().map(|&(_, verdict)| verdict).max();
    let agree = || said.iter().filter(|&&(_, said)| Some(said) == verdict);
    Cell {
        verdict,
        models: agree().count(),
        exhaustive: agree().filter(|(run, _)| run.exhaustive).count(),
    }
}

fn headline(column: &Column<'_>) -> String {
    let named = |wanted| {
        let cells = column.cells.iter().zip(Guarantee::ALL);
        let names = cells
            .filter(|(cell, _)| cell.verdict == wanted)
            .map(|(_, g)| format!("{g:?}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut parts = Vec::new();
    for (wanted, says) in [
        (Some(Verdict::Holds), "no execution explored breaks"),
        (Some(Verdict::Violated), "some execution breaks"),
    ] {
        let names = named(wanted);
        if !names.is_empty() {
            parts.push(format!("{says} {names}"));
        }
    }
    format!("{}: {}.", column.statistic, parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model_runs::tests::run;

    #[test]
    fn one_violation_outweighs_the_models_without() {
        let runs = [
            run("A", true, Verdict::Holds),
            run("A", false, Verdict::Violated),
            run("A", true, Verdict::Holds),
        ];
        let cell = cell(Guarantee::G1, runs.iter());
        assert_eq!(cell.verdict, Some(Verdict::Violated));
        assert_eq!((cell.models, cell.exhaustive), (1, 0));
    }

    #[test]
    fn what_no_model_checks_has_no_verdict() {
        let runs = [run("A", true, Verdict::Holds)];
        assert_eq!(cell(Guarantee::G8, runs.iter()).verdict, None);
        assert_eq!(
            headline(&column("A", &runs)),
            "A: no execution explored breaks G1."
        );
    }
}
