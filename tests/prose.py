#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Finds words that docs/develop/style.md rules out, and names that lead nowhere.

Usage: prose.py [--count]

Searches the documents and manual pages of the repository, without code blocks and
literals, because they quote programs. Searches the comments of code for fewer words.
Checks that the paths, targets of make and commands of xensched in documents exist, and
that each document, and each answer to a newcomer's questions, is within two links from
README.md. Exceptions are in tests/prose-exceptions.
Prints each hit and exits with 1 if there is one; --count prints the hits per file,
exceptions included, and exits with 0.
"""

import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
EXCEPTIONS = TOP / "tests/prose-exceptions"
XEN_FILES = TOP / "xen-patches/files"
QUESTIONS = "docs/develop/questions.md"
NR_QUESTIONS = 12

WORDS = [
    re.compile(r"\b(who|whom|whoever|whomever)\b", re.I),
    re.compile(r"\b(nobody|somebody)\b", re.I),
    re.compile(r"\b(of late|anew|to and fro)\b", re.I),
    re.compile(r"\bLinux'(?!s)"),
    re.compile(r"^Of "),
    re.compile(r"\beach [0-9]+\b(?!-)"),
]

# In comments of code; names of variables make a search for "who" useless there.
CODE_WORDS = re.compile(
    r"\b([Nn]obody|[Ss]omebody|[Ww]hoever|[Ww]homever|[Oo]f late|[Aa]new|to and fro)\b")
# More words, in comments and names of checks of folders that have been freed from them.
CLEAN = re.compile(
    r"^tests/(bench|build|drivers|host|machine(?!/qemu)|packages|series|unit)/"
    r"|^tools/(xensched|packaging)/|^guest-drivers/")
CLEAN_WORDS = re.compile(
    r"\b([Ww]ho|[Ww]hom|[Ee]verybody|[Aa]nybody|[Ss]o (?:many|long)|[Mm]ade[- ]up|[Bb]y itself"
    r"|[Bb]elieve[sd]?|(?:is|are) said|[Ee]ach \d+)\b")
NAME = re.compile(r"^\s*(?:check|is|note|skip) (\"[^\"]*\")")
COMMENT = re.compile(r"^\s*(?:#|//|/?\*+|--) |/\*|\s#\s|^\s*\"\"\"")
CODE = re.compile(r"\.(c|h|sh|py|t|js|css|plan|guest|service|timer|patch|cover|pandoc|yml)$"
                  r"|(^|/)(Makefile|Kbuild)$|^tests/host/dom0/")

# Paths of documents in code, comments and manual pages.
PATH = re.compile(r"(?<![\w.-])(?:(?<=\")/|(?<!/))(docs/[\w/-]+\.(?:md|png)\b(?:#[\w-]+)?)")
INSTALLED = re.compile(r"/usr/share/doc/xensched/([\w/-]+\.(?:md|png)\b(?:#[\w-]+)?)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# What documents name in code: files of this tree, but for names such as X.Y and NAME.
FILE = re.compile(r"`((?:tests|tools|xen-patches|guest-drivers)/[\w./*-]+)`")
PLACEHOLDER = re.compile(r"NAME|NNNN|X\.Y|-mine\b")
TARGET = re.compile(r"(?:`|^    )make ([a-z][\w-]*)")
COMMAND = re.compile(r"(?:`|^    (?:\S*# )?)xensched ([a-z][a-z-]+)")


def files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in set(listed.split("\0"))
                  if name and (TOP / name).is_file())


def text_of(name):
    try:
        return (TOP / name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def markdown(text):
    """Yields number and prose of each line of a document."""
    fenced, blank = False, True
    in_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        in_block = line.startswith("    ") and (blank or in_block)
        blank = not line.strip()
        if not fenced and not in_block:
            yield number, re.sub(r"`[^`]*`", "`", line)


def manual(text):
    """The same of a manual page."""
    literal = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith((".nf", ".EX")):
            literal = True
        elif line.startswith((".fi", ".EE")):
            literal = False
        elif not literal and not line.startswith('.\\"'):
            yield number, line


def prose(name):
    if name.endswith(".md"):
        return markdown(text_of(name))
    if re.search(r"\.[1-8]$", name):
        return manual(text_of(name))
    return ()


def comments(name):
    """Lines of code that have a comment, and lines of patches."""
    for number, line in enumerate(text_of(name).split("\n"), 1):
        if name.endswith((".patch", ".cover", ".pandoc")) or COMMENT.search(line):
            yield number, line


def names_of_checks(name):
    """Names of checks in shell scripts, which are sentences."""
    for number, line in enumerate(text_of(name).split("\n"), 1):
        found = NAME.match(line)
        if found:
            yield number, found[1]


def hits(name):
    """Line number and found text."""
    if CODE.search(name) and name != "tests/prose.py":
        for number, line in comments(name):
            words = [*CODE_WORDS.finditer(line)]
            if CLEAN.match(name):
                words += CLEAN_WORDS.finditer(line)
            for found in words:
                yield number, found.group(0), line.strip()
    if CLEAN.match(name):
        for number, line in names_of_checks(name):
            for found in CLEAN_WORDS.finditer(line):
                yield number, found.group(0), line
    for number, line in prose(name):
        for word in WORDS:
            for found in word.finditer(line):
                yield number, found.group(0), line.strip()


def exceptions():
    """Each is "FILE: TEXT: REASON"; TEXT is part of a line, or "*" for all."""
    found = []
    for line in EXCEPTIONS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, text, reason = line.split(": ", 2)
            found.append((name, text, reason))
    return found


def anchor_of(title):
    title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title.strip())
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def anchors(name):
    """The anchors of a document's headings, as GitHub makes them."""
    found = set()
    for line in text_of(name).split("\n"):
        if re.match(r"#+ ", line):
            anchor = anchor_of(line.lstrip("#"))
            again = 0
            while f"{anchor}-{again}" if again else anchor in found:
                again += 1
            found.add(f"{anchor}-{again}" if again else anchor)
    return found


def broken_links(name):
    for number, line in enumerate(text_of(name).split("\n"), 1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            base = (TOP / name).parent / path if path else TOP / name
            if not base.exists():
                yield f"{name}:{number}: {target}: no such file"
            elif anchor and base.suffix == ".md" and anchor not in anchors(
                    base.resolve().relative_to(TOP)):
                yield f"{name}:{number}: {target}: no such heading"


def linked(name):
    """Documents that a document links."""
    return {str((TOP / name).parent.joinpath(target.partition("#")[0]).resolve()
                .relative_to(TOP))
            for target in LINK.findall(text_of(name))
            if target.partition("#")[0].endswith(".md") and not re.match(r"[a-z]+:", target)}


def near_documents():
    """Documents within two links from README.md."""
    near = {"README.md"}
    for _ in range(2):
        near |= {document for name in near for document in linked(name)}
    return near


def too_far(names):
    near = near_documents()
    return [f"{name}: not within two links from README.md" for name in names
            if name.startswith("docs/") and name.endswith(".md") and name not in near]


def section(name, anchor):
    """The text below a heading, up to the next one of its level or a higher one."""
    lines, level = [], 0
    for line in text_of(name).split("\n"):
        heading = re.match(r"(#+) (.*)", line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and anchor_of(heading[2]) == anchor:
            level = len(heading[1])
        if level:
            lines.append(line)
    return "\n".join(lines)


def unanswered():
    """Rows of the newcomer's questions whose answer is far away, or is not there.

    The answer is in the section that the row's last link names; the commands of the
    row are in this section."""
    near = near_documents()
    rows = [line for line in text_of(QUESTIONS).split("\n") if line.startswith("| ")][1:]
    if len(rows) != NR_QUESTIONS:
        yield f"{QUESTIONS}: {len(rows)} questions instead of {NR_QUESTIONS}"
    for row in rows:
        question, way, answer = [cell.strip() for cell in row.strip("|").split("|")]
        path, _, anchor = LINK.findall(way)[0].partition("#")
        name = str((TOP / QUESTIONS).parent.joinpath(path).resolve().relative_to(TOP))
        found = section(name, anchor) if anchor else text_of(name)
        if name not in near:
            yield f"{QUESTIONS}: {question}: {name} is not within two links from README.md"
        for words in re.findall(r"`([^`]+)`|\"([^\"]+)\"", answer):
            if "".join(words) not in found:
                yield f"{QUESTIONS}: {question}: {name} does not have '{''.join(words)}' there"


def broken_paths(name):
    for number, line in enumerate(text_of(name).split("\n"), 1):
        plain = line.replace("\\-", "-")
        paths = PATH.findall(plain) if not name.endswith(".md") else []
        paths += ["docs/" + path for path in INSTALLED.findall(plain)]
        for path, _, anchor in (found.partition("#") for found in paths):
            # Patches also name documents of Xen: those that this tree adds to Xen.
            if not (TOP / path).exists() and not (XEN_FILES / path).exists():
                yield f"{name}:{number}: {path}: no such document"
            elif anchor and anchor not in anchors(path):
                yield f"{name}:{number}: {path}#{anchor}: no such heading"


def names_in(pattern, paths):
    """All that the groups of @pattern have in files, word by word."""
    return {word for path in paths for found in pattern.findall(path.read_text("utf-8"))
            for word in found.split()}


def targets():
    """Targets of the Makefiles that documents use without -C."""
    return names_in(re.compile(r"^([\w -]+):(?!=)", re.M),
                    [TOP / "Makefile", TOP / "guest-drivers/Makefile"])


def commands():
    return names_in(re.compile(r'\.name = "([a-z-]+)"'),
                    (TOP / "tools/xensched/command").rglob("*.c"))


def broken_code(name, made, known):
    for number, line in enumerate(text_of(name).split("\n"), 1):
        for path in FILE.findall(line):
            if not PLACEHOLDER.search(path) and not list(TOP.glob(path.rstrip("/"))):
                yield f"{name}:{number}: {path}: no such file"
        for target in set(TARGET.findall(line)) - made:
            yield f"{name}:{number}: make {target}: no such target"
        for command in set(COMMAND.findall(line)) - known:
            yield f"{name}:{number}: xensched {command}: no such command"


def main():
    names = files()
    excused = exceptions()
    if sys.argv[1:] == ["--count"]:
        counts = {name: sum(1 for _ in hits(name)) for name in names}
        for name, count in counts.items():
            if count:
                print(f"{count:5} {name}")
        print(f"{sum(counts.values()):5} all")
        return 0

    used = set()
    complaints = []
    made, known = targets(), commands()
    for name in names:
        for number, found, line in hits(name):
            for one in excused:
                if one[0] == name and one[1] in ("*", line) or \
                        one[0] == name and one[1] in line:
                    used.add(one)
                    break
            else:
                complaints.append(f"{name}:{number}: \"{found}\": {line}")
        if name.endswith(".md"):
            complaints += broken_links(name)
            complaints += broken_code(name, made, known)
        complaints += broken_paths(name)
    complaints += too_far(names)
    complaints += unanswered()
    complaints += [f"tests/prose-exceptions: {name}: {text}: not needed any more"
                   for name, text, reason in excused
                   if (name, text, reason) not in used]
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
