#!/usr/bin/env python3
"""What the proofs prove, for the build and for the report.

    results.py holes        fail if a proof is open or anything is assumed
    results.py assumptions  what each theorem rests on, as Coq prints it
    results.py json         theorems, assumptions, lines, versions, what is trusted;
                            the assumptions as `.assumptions` has them
    results.py current      fail if results.json says otherwise, versions aside

The theorems are those that the sources declare as such (Theorem, Corollary, and
the instances of specifications); README.md says in its table what each means.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Sources in order, and what each is.
ROLES = {
    "code": "code",
    "spec": "specification",
    "proof": "proof",
    "monoid": "instances",
    "moments": "instances",
    "history": "consequences",
    "conservation": "consequences",
    "closed": "consequences",
    "interp": "execution",
    "merged": "counterexample",
    "steps": "step bound",
}

CLOSED = "Closed under the global context"

# Ways to leave a hole, or to assume.
HOLES = re.compile(
    r"\b(Admitted|admit|Abort|Axioms?|Parameters?|Conjecture|Hypothes[ie]s|Variables?"
    r"|Admit Obligations|bypass_check|Unset (Guard|Positivity|Universe) Checking"
    r"|type_in_type)\b"
)

THEOREM = re.compile(
    r"^\s*(?:Theorem|Corollary|Global (?:Program )?Instance) (\w+)", re.MULTILINE
)
# Instances that are specifications, not bookkeeping.
SPECIFICATIONS = {"striped_correct", "monoid_is_accumulator", "moments_accumulator"}

TRUSTED = [
    "Coq's kernel",
    "HeapLang's semantics, as defined by Iris, as the meaning of the code",
    "the map from the Rust source to code.v (README.md)",
    "orderings.md for the memory model that HeapLang does not have",
]


def without_comments(text):
    out, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith("(*", i):
            depth, i = depth + 1, i + 2
        elif depth and text.startswith("*)", i):
            depth, i = depth - 1, i + 2
        else:
            if not depth or text[i] == "\n":
                out.append(text[i])
            i += 1
    return "".join(out)


def source(name):
    return without_comments((HERE / f"{name}.v").read_text(encoding="utf-8"))


def theorems():
    for name in ROLES:
        for found in THEOREM.findall(source(name)):
            instance = f"Instance {found}" in source(name)
            if not instance or found in SPECIFICATIONS:
                yield name, found


def holes():
    unlisted = {path.stem for path in HERE.glob("*.v")} - set(ROLES)
    complaints = [f"{name}.v: not listed in results.py" for name in sorted(unlisted)]
    for name in ROLES:
        for number, line in enumerate(source(name).splitlines(), 1):
            if HOLES.search(line):
                complaints.append(f"{name}.v:{number}: {line.strip()}")
    return complaints


def assumptions():
    """Coq's answer for each theorem."""
    script = [f"From striped Require {' '.join(ROLES)}."]
    for name, theorem in theorems():
        script.append(f'Goal True. idtac "@{name}.{theorem}". Abort.')
        script.append(f"Print Assumptions {name}.{theorem}.")
    path = HERE / ".assumptions.v"
    path.write_text("\n".join(script) + "\n", encoding="utf-8")
    try:
        done = subprocess.run(
            ["coqtop", "-q", "-quiet", "-batch", "-Q", str(HERE), "striped", "-l", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.unlink()
    if done.returncode:
        sys.exit(f"coqtop: {done.stderr or done.stdout}")
    answers = {}
    for block in done.stdout.split("@")[1:]:
        name, _, answer = block.partition("\n")
        answers[name.strip()] = " ".join(answer.split())
    open_ones = [name for name, answer in answers.items() if answer != CLOSED]
    if open_ones:
        sys.exit("proofs: not closed: " + ", ".join(f"{n}: {answers[n]}" for n in open_ones))
    return answers


def meanings():
    """The table of README.md: theorem to plain English."""
    rows = {}
    for line in (HERE / "README.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"`\w+`", cells[0]) and cells[1].endswith(".v`"):
            rows[f"{cells[1].strip('`')[:-2]}.{cells[0].strip('`')}"] = (cells[2], cells[3])
    return rows


def version(command, pattern):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(pattern, done.stdout)
    return found.group(1) if found else "unknown"


def lines(name):
    text = source(name)
    inside, proof, total = False, 0, 0
    for line in text.splitlines():
        if not line.strip():
            continue
        total += 1
        starts = re.search(r"\b(Proof|Next Obligation)\b", line)
        inside = inside or bool(starts)
        proof += inside
        if re.search(r"\b(Qed|Defined)\.", line):
            inside = False
    return {"statements": total - proof, "proof_scripts": proof}


def results():
    said = meanings()
    printed = (HERE / ".assumptions").read_text(encoding="utf-8").splitlines()
    answers = dict(line.split(": ", 1) for line in printed)
    listed = [f"{name}.{theorem}" for name, theorem in theorems()]
    missing = [name for name in listed if name not in said]
    stale = [name for name in said if name not in listed]
    if missing or stale:
        sys.exit(f"README.md's table lacks {missing}, and has {stale} too many")
    return {
        "theorems": [
            {
                "name": name.split(".")[1],
                "file": f"proofs/{name.split('.')[0]}.v",
                "guarantee": said[name][0],
                "says": said[name][1],
                "assumptions": answers[name],
            }
            for name in listed
        ],
        "files": [
            {"file": f"proofs/{name}.v", "role": role, **lines(name)}
            for name, role in ROLES.items()
        ],
        "versions": {
            "coq": version(["coqc", "--version"], r"version (\S+)"),
            "iris": version(
                ["dpkg-query", "-W", "-f=${Version}", "libcoq-iris"], r"^([\d.]+)"
            ),
        },
        "trusted": TRUSTED,
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    match sys.argv[1]:
        case "holes":
            complaints = holes()
            if complaints:
                sys.exit("proofs: open proofs or assumptions\n" + "\n".join(complaints))
        case "assumptions":
            for name, answer in assumptions().items():
                print(f"{name}: {answer}")
        case "json":
            print(json.dumps(results(), indent=2, ensure_ascii=False))
        case "current":
            committed = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
            if {**committed, "versions": None} != {**results(), "versions": None}:
                sys.exit("proofs: results.json is out of date; make -C proofs accept")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
