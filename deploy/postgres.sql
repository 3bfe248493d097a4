-- Evidence in PostgreSQL: what `citestream` reads as `{kind: postgres, table: evidence}`, and a role that can do no more.
-- psql takes the role's password from the environment: CITESTREAM_READER_PASSWORD.
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
    embedding vector  -- as long as your embedder's; say which in the retriever's `embedder`
);

CREATE INDEX evidence_by_words ON evidence USING gin (words);
-- Once the length of the vectors is known:
--   ALTER TABLE evidence ALTER COLUMN embedding TYPE vector(768);
--   CREATE INDEX ON evidence USING hnsw (embedding vector_cosine_ops);

CREATE ROLE citestream_reader LOGIN PASSWORD :'password' NOSUPERUSER NOCREATEDB NOCREATEROLE;
GRANT SELECT ON evidence TO citestream_reader;
