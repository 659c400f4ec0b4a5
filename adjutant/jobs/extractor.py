"""JOBS. The program that takes text out of a file, in a child behind walls: `python -I -S extractor.py KIND FOLDER…`.

The file comes on standard input, what was found goes to standard output as JSON: {title, text, hidden} or {failed}. It
imports nothing of ours. FOLDERs hold the packages that read each kind. Its limits are set before a byte is read.
"""

import io
import json
import re
import resource
import sys
import zipfile
from typing import Any

MEMORY, SECONDS = 1536 << 20, 60
UNPACKED, ENTRIES, PAGES = 256 << 20, 10_000, 5000
MOST = 8_000_000  # characters
BLANK = re.compile(r"\n{3,}")
UNSEEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])|opacity\s*:\s*0(?![.\d]*[1-9])", re.I
)


class Unreadable(Exception):
    """Why no text comes out of it."""


def pdf(data: bytes) -> dict[str, str]:
    """The text of each page; what the file would run or attach is never looked at."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("it is locked with a password")
    if len(reader.pages) > PAGES:
        raise Unreadable(f"it has more than {PAGES} pages")
    text, size = [], 0
    for page in reader.pages:
        text.append(page.extract_text() or "")
        size += len(text[-1])
        if size > MOST:
            raise Unreadable(f"it holds more than {MOST:,} characters")
    told: Any = reader.metadata or {}
    return {"title": str(told.get("/Title") or ""), "text": "\n\n".join(text)}


def docx(data: bytes) -> dict[str, str]:
    """Headings, paragraphs, lists and tables in their order, as Markdown."""
    _unpacks(data)
    from docx import Document
    from docx.table import Table

    document = Document(io.BytesIO(data))
    lines = []
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            rows = ["| " + " | ".join(" ".join(cell.text.split()) for cell in row.cells) + " |" for row in block.rows]
            lines.append("\n".join([*rows[:1], "|---" * len(block.columns) + "|", *rows[1:]]))
        elif block.text.strip():
            style = (block.style.name or "") if block.style is not None else ""
            level = style.removeprefix("Heading ")
            mark = "#" * int(level) + " " if level.isdigit() else "- " if style.startswith("List") else ""
            lines.append(mark + block.text)
    return {"title": document.core_properties.title or "", "text": "\n\n".join(lines)}


def epub(data: bytes) -> dict[str, str]:
    """Its chapters, in the order of the archive."""
    archive = _unpacks(data)
    names = [name for name in archive.namelist() if name.lower().endswith((".xhtml", ".html", ".htm"))]
    chapters = [html(archive.read(name), whole=True) for name in names if not name.lower().endswith("nav.xhtml")]
    text = "\n\n".join(each["text"] for each in chapters if each["text"])
    about = next((archive.read(name) for name in archive.namelist() if name.lower().endswith(".opf")), b"")
    found = re.search(rb"<dc:title[^>]*>([^<]{1,300})<", about)
    title = found[1].decode("utf-8", "replace") if found else ""
    return {"title": title, "text": text, "hidden": "\n".join(each["hidden"] for each in chapters)}


def html(data: bytes, whole: bool = False) -> dict[str, str]:
    """The article of a page as Markdown; `whole`: all of its text. What its style hides is apart."""
    import trafilatura
    from lxml import etree
    from lxml import html as markup

    charset = "utf-8" if data.decode("utf-8", "ignore").encode() == data else None  # else as the page declares
    parser = markup.HTMLParser(encoding=charset, huge_tree=False, remove_comments=True)
    tree = markup.document_fromstring(data, parser=parser)
    if sum(1 for _ in tree.iter()) > 500_000:
        raise Unreadable("it has more than 500,000 elements")
    title = " ".join((tree.findtext(".//title") or "").split())
    hidden = []
    for each in [each for each in tree.iter(etree.Element) if each.getparent() is not None and _is_hidden(each)]:
        hidden.append(" ".join(each.text_content().split()))
        each.drop_tree()
    options = {"include_comments": False, "include_links": False, "favor_recall": whole}
    text = trafilatura.extract(tree, output_format="markdown", **options)
    if not text:
        for each in tree.xpath("//script|//style|//noscript|//template"):
            each.drop_tree()
        text = "\n".join(filter(None, (" ".join(line.split()) for line in tree.text_content().split("\n"))))
    return {"title": title, "text": text, "hidden": "\n".join(filter(None, hidden))}


def _is_hidden(each: Any) -> bool:
    marked = each.get("hidden") is not None or each.get("aria-hidden") == "true"
    return marked or UNSEEN.search(each.get("style") or "") is not None


def text(data: bytes) -> dict[str, str]:
    """Plain text and Markdown: UTF-8, UTF-16 with its mark, else Western."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return {"text": data.decode("utf-16", "replace")}
    try:
        return {"text": data.decode("utf-8-sig")}
    except UnicodeDecodeError:
        return {"text": data.decode("cp1252", "replace")}


def _unpacks(data: bytes) -> zipfile.ZipFile:
    """The archive, if it is of an honest size. Raises Unreadable."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    entries = archive.infolist()
    size = sum(each.file_size for each in entries)
    if len(entries) > ENTRIES or size > UNPACKED or (size > 1 << 20 and size > 200 * len(data)):
        raise Unreadable(f"it unpacks to {size >> 20} MB in {len(entries)} files")
    return archive


def main(kind: str, folders: list[str]) -> None:
    """Reads, and tells what came of it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    sys.setrecursionlimit(3000)
    sys.path += folders
    try:
        found = {"pdf": pdf, "docx": docx, "epub": epub, "html": html, "text": text}[kind](sys.stdin.buffer.read())
        if len(found["text"]) > MOST:
            raise Unreadable(f"it holds more than {MOST:,} characters")
        told: dict[str, Any] = {"title": "", "hidden": "", **found, "text": BLANK.sub("\n\n", found["text"]).strip()}
    except Unreadable as why:
        told = {"failed": str(why)}
    except ImportError as error:
        told = {"failed": f"what reads {kind} files is not installed whole: {error}", "lacking": True}
    except MemoryError:
        told = {"failed": f"it takes more than {MEMORY >> 20} MB of memory to read"}
    except Exception as error:  # noqa: BLE001 - whatever a library meets in a hostile file is the file's fault
        told = {"failed": f"it is damaged ({type(error).__name__}: {str(error)[:120]})"}
    sys.stdout.buffer.write(json.dumps(told).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
