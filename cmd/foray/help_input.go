// This file holds the help on inputs that several commands share.

package main

// inputHelp documents PATH.
const inputHelp = `PATH is one of:

  Parquet or Arrow  a file, a directory or a pattern, such as
                    'lake/**/*.parquet' (** is any depth of directories).
                    Directories with names such as year=2025 become columns.
                    Names that begin with a dot or an underscore are skipped.
  table             of Apache Iceberg or Delta Lake: its directory or prefix, an
                    Iceberg *.metadata.json, or, from a REST catalog,
                    iceberg://HOST/NAMESPACE/TABLE (token: ICEBERG_TOKEN). The
                    current snapshot is read; see --snapshot and --as-of.
  text              .el, .wel, .txt, .csv, .tsv, .edges, .edgelist (an edge a
                    line), .jsonl, .ndjson (an object per edge), .mtx (Matrix
                    Market), .gr (DIMACS), .metis, .graph (METIS), .sg, .wsg
                    (GAP), each also with .gz, .zst or .bz2.
  .foray            a prepared graph, written by foray convert, which is mapped
                    instead of built.
  .yml, .yaml       Apache GraphAr: a graph or its edges, with chunks in Parquet
                    or CSV. Edge properties are columns for --where and
                    --weight, vertex properties for --vertex-id and
                    --properties.
  gen:SPEC          a generated graph, such as gen:kron20; see foray gen --help.
  -                 standard input, in any format. Other pipes must be text,
                    with --input-format text.

Files other than GraphAr's may be in an S3-compatible store: s3://bucket/prefix,
with AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and so on from the environment.
file:// addresses are paths.`

// whereHelp documents the grammar of --where (io/arrow/internal/where).
const whereHelp = `

The CONDITION of --where compares columns with values by =, !=, <>, <, <=, >,
>=, [not] in (...), [not] between X and Y, and is [not] null. Comparisons are
combined with and, or, not and parentheses. A boolean column is a condition too.
Put text and dates in single quotes, and double a quote inside: '2025-01-31',
'it''s'. Put column names that aren't plain words in double quotes. There is no
like, and no column is compared with another.`
