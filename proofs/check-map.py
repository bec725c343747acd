#!/usr/bin/env python3
"""Checks the map of README.md: every quotation stands where its row says, the
statements of a function come in the same order on both sides, and every shared
access of src/striped.rs is covered."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

# What must not be in the Rust without a row: atomic accesses, fences, locks,
# accesses to cells.
SHARED = re.compile(
    r"\.(?:load|store|swap|compare_exchange\w*|fetch_\w+|with|with_mut)\(|_fence\(\)|\bfence\("
)
COVERED = ["src/striped.rs"]


def blank_comments(text):
    """Rust without comments, every other character where it was."""
    return re.sub(r"//[^\n]*", lambda found: " " * len(found.group()), text)


def block(text, start):
    """The span of the braces that open after `start`."""
    begin = text.index("{", start)
    depth = 0
    for end in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return begin, end + 1
    raise ValueError("unbalanced braces")


def function(text, kind, name):
    """The spans of the functions `name` in impl blocks of the type `kind`."""
    for head in re.finditer(r"^impl\b[^{]*", text, re.MULTILINE):
        subject = head.group().rsplit(" for ", 1)[-1]
        subject = re.sub(r"^impl(<.*?>)?\s(?=\w)", "", subject)
        if not re.match(rf"\s*{kind}\b", subject):
            continue
        begin, end = block(text, head.start())
        found = re.search(rf"\bfn {name}\b", text[begin:end])
        if found:
            yield block(text, begin + found.start())


def fragment(text, span, quotation):
    """Where the quotation stands in the span, white space aside."""
    words = [re.escape(word) for word in quotation.split()]
    found = re.search(r"\s*".join(words), text[span[0] : span[1]])
    return found and (span[0] + found.start(), span[0] + found.end())


def rows(text, cells):
    for line in text.splitlines():
        if not line.startswith("| `src/"):
            continue
        row = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(row) == cells:
            yield [re.sub(r"^(`+) ?(.*?) ?\1$", r"\2", cell) for cell in row]


def main():
    complaints = []
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    code = (HERE / "code.v").read_text(encoding="utf-8")
    rust = {}
    covered = {}
    last = {}

    def place(where, quotation):
        path, _, name = where.partition("::")
        if path not in rust:
            if not (ROOT / path).exists():
                complaints.append(f"{path} does not exist")
                return None
            rust[path] = blank_comments((ROOT / path).read_text(encoding="utf-8"))
        spans = list(function(rust[path], *name.split("::")))
        if not spans:
            complaints.append(f"{where} does not exist")
        for span in spans:
            found = fragment(rust[path], span, quotation)
            if found:
                covered.setdefault(path, []).append(found)
                return found
        complaints.append(f"{where} has no `{quotation}`")
        return None

    def in_order(key, found, quotation):
        if found and found[0] < last.get(key, -1):
            complaints.append(f"{key}: `{quotation}` comes too late in the map")
        if found:
            last[key] = found[0]

    mapped = list(rows(readme, 4))
    for where, quotation, name, heap in mapped:
        in_order(where, place(where, quotation), quotation)
        found = re.search(rf"^\s*Definition {name} : val :=.*?\.\s*$", code, re.M | re.S)
        if not found:
            complaints.append(f"code.v has no {name}")
            continue
        spot = fragment(code, found.span(), heap)
        if not spot:
            complaints.append(f"code.v: {name} has no `{heap}`")
        in_order((where, name), spot, heap)
    for where, quotation, _ in rows(readme, 3):
        place(where, quotation)

    for path in COVERED:
        for found in SHARED.finditer(rust.get(path, "")):
            spans = covered.get(path, [])
            if not any(begin <= found.start() < end for begin, end in spans):
                line = rust[path].count("\n", 0, found.start()) + 1
                complaints.append(f"{path}:{line}: `{found.group()}` is not in the map")

    if len(mapped) < 40:
        complaints.append(f"only {len(mapped)} rows found in the map")
    if complaints:
        sys.exit("proofs: the map does not hold\n" + "\n".join(complaints))
    print(f"proofs: map of {len(mapped)} statements holds")


if __name__ == "__main__":
    main()
