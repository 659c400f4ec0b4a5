"""Files that people drop in, good and bad, made on the spot: PDF, DOCX, EPUB, WAV."""

from __future__ import annotations

import io
import math
import struct
import wave
import zipfile

from docx import Document


def pdf(*lines: str, mapped: str = "") -> bytes:
    """A page of these lines; `mapped`: the UTF-16, in hexadecimal, that its font gives for the letter A."""
    drawn = " ".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td 14 TL {drawn} ET"
    mapping = f"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <41> <{mapped}> endbfchar"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {'/ToUnicode 6 0 R' if mapped else ''} >>",
        f"<< /Length {len(mapping)} >>\nstream\n{mapping}\nendstream",
    )
    data, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, start=1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 7\n0000000000 65535 f \n{table}trailer << /Size 7 /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode()


def docx(heading: str, *paragraphs: str) -> bytes:
    """A heading and these paragraphs."""
    document = Document()
    document.add_heading(heading, 1)
    for text in paragraphs:
        document.add_paragraph(text)
    held = io.BytesIO()
    document.save(held)
    return held.getvalue()


def zipped(files: dict[str, bytes | str]) -> bytes:
    """An archive of these files, packed as well as zip can."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, data, kind)
    return held.getvalue()


def epub(title: str, text: str) -> bytes:
    """A book of one chapter."""
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "OEBPS/book.opf": f"<package><metadata><dc:title>{title}</dc:title></metadata></package>",
            "OEBPS/one.xhtml": f"<html><body><h1>One</h1><p>{text}</p></body></html>",
        }
    )


def entities(whole: bytes) -> bytes:
    """A DOCX whose text is an XML entity that grows a thousand million times."""
    grown = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    text = (
        f'<?xml version="1.0"?><!DOCTYPE w [<!ENTITY e0 "{"a" * 100}">{grown}]>'
        f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>&e9;</w:t></w:r></w:p></w:body></w:document>'
    )
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return zipped({**files, "word/document.xml": text})


def wav(seconds: int, rate: int = 8000) -> bytes:
    """A tone."""
    one = b"".join(struct.pack("<h", int(8000 * math.sin(at / 9))) for at in range(rate))
    held = io.BytesIO()
    with wave.Wave_write(held) as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(rate)
        made.writeframes(one * seconds)
    return held.getvalue()
