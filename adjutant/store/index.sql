-- state/index.sqlite. A statement ends with a line's end. What stands under `rebuilt` is made anew by a rebuild, once
-- it was `emptied`; what stands under `findable` is made last, so that the tables fill faster; under `kept`: what outlives it.

-- emptied
DROP VIEW IF EXISTS files;
DROP TABLE IF EXISTS folders;
DROP TABLE IF EXISTS seen;
DROP TABLE IF EXISTS documents;
DROP TABLE IF EXISTS totals;
DROP TABLE IF EXISTS found;

-- rebuilt
CREATE TABLE folders(id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, path TEXT NOT NULL);
CREATE TABLE seen(id INTEGER PRIMARY KEY, folder INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER, mtime_ns INTEGER,
    sha BLOB);
-- near: the context is that of so many neighbours on each side; 0: as `context` says.
CREATE TABLE documents(place INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, title TEXT, text TEXT,
    anchor TEXT, concepts TEXT, tags TEXT, trust, created_at, updated_at TEXT, source_sha BLOB, context TEXT, names TEXT,
    assembly TEXT, level INTEGER, superseded INTEGER, near INTEGER, created INTEGER, words INTEGER, kind INTEGER);
CREATE TABLE totals(collection INTEGER PRIMARY KEY, documents INTEGER, words INTEGER);
CREATE VIRTUAL TABLE found USING fts5(title, text, names, extra, context, content='', columnsize=0, detail=column,
    tokenize='porter unicode61');
-- A segment of the postings grows to so many bytes before it is written: fewer are merged, and less is left free by it.
INSERT INTO found(found, rank) VALUES('hashsize', 8388608);

-- findable
CREATE INDEX documents_id ON documents(id);
CREATE INDEX documents_file ON documents(file);
CREATE UNIQUE INDEX folders_path ON folders(collection, path);
CREATE INDEX seen_name ON seen(folder, name);
CREATE VIEW files AS SELECT seen.id, collection, folders.path || name AS path FROM seen JOIN folders
    ON folders.id = folder;

-- kept
CREATE TABLE collections(number INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
CREATE TABLE kept(key TEXT PRIMARY KEY, value TEXT);
PRAGMA application_id = 1094994520;
PRAGMA user_version = 3;
