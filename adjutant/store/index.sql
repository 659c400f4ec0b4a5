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

-- What is asked and told, by name; each is one statement.

-- counted
SELECT count(*) FROM (SELECT 1 FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)

-- places
SELECT json_group_array(rowid) FROM (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?)

-- newest
SELECT json_group_array(rowid) FROM
    (SELECT rowid FROM found WHERE found MATCH ? AND rowid >= ? AND rowid < ? ORDER BY rowid DESC LIMIT ?)

-- rows
SELECT place, file, words, kind, names, level, trust, created FROM documents
    WHERE place IN (SELECT value FROM json_each(?)) AND created >= ? AND level <= ? AND NOT superseded

-- whole
SELECT place, path, created, words, documents.id, title, text, anchor, concepts, tags, trust, created_at, updated_at,
    source_sha, context, names, assembly, level, superseded, near FROM documents JOIN files ON files.id = file

-- in_file
SELECT place FROM documents WHERE file IN
    (SELECT seen.id FROM seen JOIN folders ON folders.id = folder WHERE path = ? AND name = ?)

-- named
SELECT place FROM documents WHERE place >= ? AND place < ? AND id IN (SELECT value FROM json_each(?))

-- tags
SELECT tags FROM documents WHERE place IN (SELECT rowid FROM found WHERE found MATCH 'extra : (' || ? || ')')

-- vectors
SELECT collection, id, vector FROM vectors WHERE collection IN (SELECT value FROM json_each(?))

-- vectorless
FROM documents LEFT JOIN vectors ON vectors.collection = place >> ? AND vectors.id = documents.id
    WHERE vectors.sha IS NOT source_sha AND NOT superseded

-- forgotten
DELETE FROM vectors WHERE NOT EXISTS
    (SELECT 1 FROM documents WHERE documents.id = vectors.id AND place >> ? = collection)

-- vectored
CREATE TABLE IF NOT EXISTS vectors(collection INTEGER, id TEXT, sha BLOB, vector BLOB, PRIMARY KEY(collection, id))
    WITHOUT ROWID

-- add_file
INSERT INTO seen(folder, name, size, mtime_ns, sha) VALUES(?, ?, ?, ?, ?)

-- find_file
SELECT seen.id FROM folders JOIN seen ON folder = folders.id WHERE collection = ? AND path = ? AND name = ?

-- tally
INSERT INTO totals VALUES(?, ?, ?) ON CONFLICT(collection) DO UPDATE SET
    documents = documents + excluded.documents, words = words + excluded.words

-- fingerprints
SELECT id, source_sha FROM collections JOIN documents ON place >= number << 36 AND place < (number + 1) << 36
    WHERE collections.name = ?

-- folders
SELECT folders.id, path FROM folders JOIN collections ON number = collection WHERE collections.name = ?

-- stamps
SELECT name, size, mtime_ns, sha FROM seen WHERE folder = ?

-- owners
SELECT documents.id, path FROM documents JOIN files ON files.id = file
    WHERE documents.id IN (SELECT value FROM json_each(?))
    AND +collection = (SELECT number FROM collections WHERE name = ?)

-- files
SELECT id FROM files WHERE collection = (SELECT number FROM collections WHERE name = ?)

-- sizes
SELECT name, documents FROM totals JOIN collections ON number = collection WHERE documents

-- keep
INSERT OR REPLACE INTO kept(key, value) VALUES(?, ?)

-- recall
SELECT value FROM kept WHERE key = ?
