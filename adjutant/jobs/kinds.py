"""JOBS. What a file is, by its first bytes; its name and what a server declares are only asked where these are text."""

from __future__ import annotations

HEAD = 4096
PDF, DOCX, EPUB, HTML, TEXT, MEDIA = "pdf", "docx", "epub", "html", "text", "media"
_MARKUP = (b"<!doctype html", b"<html", b"<head", b"<body")
_SOUND = (b"ID3", b"fLaC", b"OggS", b"\x1a\x45\xdf\xa3", *(bytes((0xFF, each)) for each in b"\xf1\xf2\xf3\xf9\xfb"))


def is_media(head: bytes) -> bool:
    """Whether it is sound or film."""
    boxed = head[:4] in (b"RIFF", b"FORM") and head[8:12] in (b"WAVE", b"AVI ", b"AIFF")
    return boxed or head[4:8] == b"ftyp" or head.startswith(_SOUND)


def kind_of(data: bytes, name: str, media: str) -> str:
    """One of the kinds above, "" for none of them. `name`: of the file; `media`: the declared media type."""
    head = data[:HEAD]
    if is_media(head):
        return MEDIA
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return EPUB if b"mimetypeapplication/epub+zip" in head else DOCX
    if "html" in media or name.lower().endswith((".html", ".htm", ".xhtml")):
        return HTML
    if any(mark in head.lower() for mark in _MARKUP):
        return HTML
    return "" if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")) else TEXT
