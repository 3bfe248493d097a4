-- The evidence table for a retriever `{kind: postgres, table: evidence}`, and a role that can only read it.
-- psql reads the password of the role from the environment variable CITESTREAM_READER_PASSWORD.
\getenv password CITESTREAM_READER_PASSWORD

CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE evidence (
    id text PRIMARY KEY,
    document_id text,
    file_name text,
    title text,
    url text,
    chunk_index integer,
    page_number integer,
    text text NOT NULL,
    is_generated_artifact boolean NOT NULL DEFAULT false,
    artifact_kind text,
    metadata jsonb,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(title, '') || ' ' || text)) STORED,
    embedding vector  -- vectors of the model that the retriever's `embedder` names
);

CREATE INDEX evidence_by_words ON evidence USING gin (words);
-- ANALYZE counts 10,000 words of the column instead of 1,000. Searches leave out words that are too common.
ALTER TABLE evidence ALTER COLUMN words SET STATISTICS 1000;
-- Run these once you know the length of the vectors:
--   ALTER TABLE evidence ALTER COLUMN embedding TYPE vector(768);
--   CREATE INDEX ON evidence USING hnsw (embedding vector_cosine_ops);

CREATE ROLE citestream_reader LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE;
GRANT SELECT ON evidence TO citestream_reader;
