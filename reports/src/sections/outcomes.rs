//! Every result that small programs can have.

use super::{Section, View};
use crate::data::Data;
use crate::format::count;
use anyhow::Result;
use models::outcome_table::{Grade, OutcomeTable, Row};
use serde_json::{Value, json};

pub(crate) const SECTION: Section = Section {
    id: "outcomes",
    title: "Outcomes",
    command: "cargo outcomes",
    template: include_str!("outcomes.html"),
    view,
};

fn view(data: &Data) -> Result<View> {
    let same = |a: &OutcomeTable, b: &OutcomeTable| a.scenario == b.scenario;
    let groups = data.outcomes.chunk_by(same).map(|tables| {
        json!({
            "scenario": tables[0].scenario,
            "bound": tables[0].bound(),
            "tables": tables.iter().map(table).collect::<Vec<_>>(),
        })
    });
    let context = json!({ "groups": groups.collect::<Vec<_>>() });
    Ok(View {
        headlines: headline(&data.outcomes).into_iter().collect(),
        context,
    })
}

fn table(table: &OutcomeTable) -> Value {
    let executions = |grade| count(table.executions(grade));
    json!({
        "statistic": table.statistic,
        "acceptable": executions(Grade::Acceptable),
        "interesting": executions(Grade::Interesting),
        "forbidden": executions(Grade::Forbidden),
        "rows": table.rows.iter().map(row).collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    json!({
        "intervals": row.in_words(),
        "executions": count(row.executions),
        "grade": row.grade,
        "why": row.why,
    })
}

/// In how many of the programs each statistic has forbidden results.
fn headline(tables: &[OutcomeTable]) -> Option<String> {
    let mut statistics: Vec<&str> = Vec::new();
    for table in tables {
        if !statistics.contains(&table.statistic.as_str()) {
            statistics.push(&table.statistic);
        }
    }
    let part = |statistic: &str| {
        let own = || tables.iter().filter(|table| table.statistic == statistic);
        let forbidden = own().filter(|table| table.executions(Grade::Forbidden) > 0);
        format!("{statistic} in {} of {}", forbidden.count(), own().count())
    };
    let parts: Vec<String> = statistics.into_iter().map(part).collect();
    (!parts.is_empty()).then(|| {
        format!(
            "Small programs with a forbidden result, of all their executions within the bound: {}.",
            parts.join("; ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_counts_programs_with_forbidden_results() {
        let table = |statistic: &str, grade| OutcomeTable {
            statistic: statistic.to_owned(),
            scenario: "a program".to_owned(),
            preemptions: None,
            rows: vec![Row {
                intervals: vec![None],
                executions: 7,
                grade,
                why: "so".to_owned(),
            }],
        };
        let tables = [
            table("A", Grade::Acceptable),
            table("B", Grade::Forbidden),
            table("A", Grade::Interesting),
            table("B", Grade::Acceptable),
        ];
        let said = headline(&tables).expect("there are tables");
        assert!(said.ends_with(": A in 0 of 2; B in 1 of 2."), "{said}");
        assert_eq!(headline(&[]), None);
    }
}
