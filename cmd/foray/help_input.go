// This file holds what the help of several commands says of inputs.

package main

// inputHelp says what a PATH is.
const inputHelp = `PATH is a Parquet or Arrow file, a directory or a pattern of such files (** is
any depth of directories, as in 'lake/**/*.parquet'; directories named like
year=2025 that are found there are columns; names that begin with a dot or an
underscore, such as Spark's _SUCCESS, are left out), here or in an
S3-compatible store: s3://bucket/prefix, with the environment's
AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and so on; or a table of Apache Iceberg or
Delta Lake: its directory or prefix, a *.metadata.json of Iceberg's, or, of a
REST catalogue, iceberg://HOST/NAMESPACE/TABLE (token: ICEBERG_TOKEN); its
current snapshot is read unless --snapshot or --as-of names another; or a text
file by the end of its name: .el, .wel, .txt, .csv, .tsv, .edges, .edgelist (one
edge a line), .jsonl, .ndjson (an object per edge), .mtx (Matrix Market), .gr
(DIMACS), .metis, .graph (METIS), .sg, .wsg (GAP), each also with .gz, .zst or
.bz2, here or in a store. A - is standard input, of any format; other pipes have
text, with --input-format text. file:// addresses are paths. A .foray file is a
prepared graph, which foray convert writes; it is searched as it is, without
being built, and fetched into memory if it is s3://bucket/key.foray. A .yml or
.yaml file is Apache GraphAr's, of a graph or of its edges, with chunks in
Parquet or CSV; the properties of edges are columns for --where and --weight,
those of vertices for --vertex-id and --properties. gen:SPEC is a generated
graph, such as gen:kron20; see foray gen --help.`

// whereHelp says what --where takes: the grammar of io/arrow/internal/where.
const whereHelp = `

The CONDITION of --where compares columns with values by =, !=, <>, <, <=, >,
>=, [not] in (...), [not] between X and Y, and is [not] null; and, or, not and
parentheses join that. Columns of booleans stand alone. Text and dates are in
single quotes, and such a quote inside is doubled: '2025-01-31', 'it''s'; names
of columns that aren't plain words are in double ones. There is no like, and no
column is compared with another.`
