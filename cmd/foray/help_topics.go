// This file holds the topics of help, which several commands share.

package main

// topic is a page of help that isn't about one command.
type topic struct{ name, text string }

// topicsLine names the topics. A test compares it with them.
const topicsLine = "Topics: foray help input|where|devices|output|stores|tables|json|exit-codes\n"

var topics = []topic{
	{"input", inputHelp}, {"where", whereHelp}, {"devices", devicesHelp}, {"output", outputHelp}, {"stores", storesHelp},
	{"tables", tablesHelp}, {"json", jsonHelp}, {"exit-codes", exitHelp},
}

// inputHelp documents PATH.
const inputHelp = `PATH is one of:

  Parquet or Arrow  a file, a directory or a pattern, such as
                    'lake/**/*.parquet' (** is any depth of directories).
                    Directories with names such as year=2025 become columns.
                    Names that begin with a dot or an underscore are skipped.
  table             of Apache Iceberg or Delta Lake: its directory or prefix, an
                    Iceberg *.metadata.json, or, from a REST catalog,
                    iceberg://HOST/NAMESPACE/TABLE (token: ICEBERG_TOKEN). The
                    current snapshot is read; see foray help tables.
  text              .el, .wel, .txt, .csv, .tsv, .edges, .edgelist (an edge a
                    line), .jsonl, .ndjson (an object per edge), .mtx (Matrix
                    Market), .gr (DIMACS), .metis, .graph (METIS), .sg, .wsg
                    (GAP), .bin, .adj (GBBS, PASGAL), each also with .gz, .zst
                    or .bz2.
  .foray            a prepared graph, written by foray convert, which is mapped
                    instead of built.
  .yml, .yaml       Apache GraphAr: a graph or its edges, with chunks in Parquet
                    or CSV. Edge properties are columns for --where and
                    --weight, vertex properties for --vertex-id and
                    --properties.
  gen:SPEC          a generated graph, such as gen:kron20; see
                    foray gen --help-all.
  -                 standard input, in any format. Other pipes must be text,
                    with --input-format text.

Files other than GraphAr's may be in an S3-compatible store (foray help stores).
file:// addresses are paths.

Several PATHs make one graph. foray bench measures a graph for each PATH.

Columns are found by their names: src, source or from, and dst, target or to;
--src and --dst take others. Edges are undirected unless --directed is set.
--where drops rows (foray help where). --vertices adds vertices that may have no
edge, and their properties (foray help tables). foray bfs --help-all has all
flags about inputs.`

// whereHelp documents the grammar of --where (io/arrow/internal/where).
const whereHelp = `The CONDITION of --where compares columns with values by =, !=, <>, <, <=, >,
>=, [not] in (...), [not] between X and Y, and is [not] null. Comparisons are
combined with and, or, not and parentheses. A boolean column is a condition too.
Put text and dates in single quotes, and double a quote inside: '2025-01-31',
'it''s'. Put column names that aren't plain words in double quotes. There is no
like, and no column is compared with another.

Conditions are for Parquet, Arrow, tables and GraphAr. They drop directories,
files and row groups unopened where names and statistics allow that. foray info
with --where prints how many.

  --where "amount >= 100"
  --where "type in ('follow', 'like') and year = 2025"
  --where "day between '2025-01-01' and '2025-01-31' and not spam"`

// devicesHelp documents --device.
const devicesHelp = `--device NAME says where an algorithm runs. foray devices lists the names, in the
order in which auto tries them.

  auto           the first device that opens. If a GPU has too little memory,
                 the host takes over, and a note says so.
  host           the processors of this machine; --workers is the number of
                 threads (default 0: one per CPU)
  cuda           the first NVIDIA GPU; cuda:1 is the second
  cuda:0,cuda:1  several GPUs of this machine, each of which holds a part of the
                 graph; all means all of them. For bfs, bench, report, run, and
                 the algorithms whose help has --devices.

--devices is another name of --device. A device that is named never gives way to
another: the command fails if it can't be used. foray devices prints why a kind
of device isn't available.

--memory-limit SIZE bounds the memory of the whole command on the host. foray
info prints the memory that a graph and a search of it take, on the host and on a
GPU. --two-pass reads everything twice to take less.

Several processes, started by mpirun or torchrun, search one graph over several
machines. See foray bfs --help-all and docs/cluster.md.`

// outputHelp documents -o.
const outputHelp = `Without -o commands print a summary. With -o FILE they write a table; - is
standard output, and the summary then goes to standard error. -q leaves the
summary out, and --json prints it as JSON (foray help json).

Formats of tables, by FILE's extension or --format:

  .parquet                compressed by zstd; --compression takes snappy, gzip,
                          brotli and none
  .arrow, .feather, .ipc  an Arrow file; --compression takes zstd, lz4 and none
  .arrows                 an Arrow stream
  .csv, .jsonl, .ndjson   text; - is csv unless --format says otherwise

foray gen and foray convert also write edges as .el, .wel, .tsv, .txt, .edges,
.edgelist (text, also with .gz or .zst), .sg, .wsg (GAP), .bin, .adj (GBBS,
PASGAL), .mtx (Matrix Market) and .foray (a prepared graph). foray report writes
.html, and --plot .svg or .png.

Rows are in the order of internal vertex numbers, or by id with --sort id.
--reached-only leaves out vertices without a value: they are nulls in Parquet,
Arrow and JSON lines, and -1 or empty in CSV. --vertex-column renames the column
of vertices. --properties adds columns of --vertices.

--partition-by COLUMN writes a Hive-style directory with a file for each value:
depth=0/part-0.parquet and so on, without the column itself. --overwrite replaces
one that it wrote before.

The metadata of Parquet and Arrow files records the run: foray.version,
foray.algorithm, foray.options, foray.graph.checksum and others.

A file or a directory appears complete or not at all. -o s3://bucket/key writes
to a store; the objects of a partitioned result appear once all are uploaded, one
after another within seconds.`

// storesHelp documents S3-compatible stores.
const storesHelp = `Paths such as s3://bucket/prefix are read from an S3-compatible store, and -o
writes there. A setting comes from the first of these places that has it:

            flag            environment             file        ~/.aws/config
  endpoint  --s3-endpoint   AWS_ENDPOINT_URL_S3,    endpoint    endpoint_url
                            AWS_ENDPOINT_URL
  region    --s3-region     AWS_REGION,             region      region
                            AWS_DEFAULT_REGION
  profile   --s3-profile    AWS_PROFILE             profile

The file is foray/config.toml in $XDG_CONFIG_HOME, or in the system's folder for
configurations (~/.config on Linux):

  [s3]
  endpoint = "https://store.example.com"
  region = "eu-central-1"
  profile = "lake"

The file is TOML. Other names, names that are there twice, values of another type
and secrets are errors. Secrets come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
and AWS_SESSION_TOKEN, or from the profile in ~/.aws/credentials or ~/.aws/config.
With --s3-profile the profile's come first.

Without an endpoint the store is AWS. Without secrets the role of the container or
instance is used. AWS_NO_SIGN_REQUEST=true reads public buckets without any.
AWS_CA_BUNDLE names the certificates of a private authority.

--limits rate=N is the minimum number of bytes a second of an object, and
--limits objects=N the maximum number of objects in a listing.`

// tablesHelp documents tables and their snapshots.
const tablesHelp = `Tables of Apache Iceberg and Delta Lake are a PATH: their directory or prefix in a
store, an Iceberg *.metadata.json, or iceberg://HOST/NAMESPACE/TABLE from a REST
catalog, whose token is in ICEBERG_TOKEN.

  --snapshot SNAPSHOT  a version of Delta Lake, or an id, branch or tag of
                       Iceberg; --vertex-snapshot is that of --vertices
  --as-of TIME         the snapshot that was current at this time, such as
                       2025-03-01 or 2025-03-01T15:04:05Z; --vertex-as-of is
                       that of --vertices
  --allow-outside      read files that the metadata names outside of the table
  --follow-links       follow symbolic links that lead out of it

Tables of edges and vertices, in Parquet and Arrow too:

  --edges TABLE        another table of edges with its own columns: a PATH, then
                       any of ;src=COLUMN ;dst=COLUMN ;weight=COLUMN
                       ;edge-id=COLUMN ;snapshot=SNAPSHOT ;as-of=TIME and, at
                       the end, ;where=CONDITION
  --vertices PATH      a table of vertices, with or without edges; --vertex-id
                       is its column of ids, --properties are columns for -o
  --src user:u         vertices of kind u, which are named u:ID. Tables may have
                       several kinds of vertices.
  --separate-ids       the same id on both sides of an edge is two vertices
  --union-by-name      a column that some files lack is null there

foray append --since SNAPSHOT adds the rows that came after a snapshot to a
prepared graph, and --since last continues from the one that the graph records.
foray info prints the snapshot, and foray info --column a column's types.`

// jsonHelp documents --json.
const jsonHelp = `--json prints a command's result as one JSON document on standard output, and
nothing else there. Notes and errors stay on standard error. docs/json.md lists
the fields of every command, with their types. foray bench has every trial, and
foray report all data of its page.

  foray bfs gen:kron10 --json
  foray bfs edges.parquet --source 42 -o depths.parquet --json
  foray info edges.parquet --json`

// exitHelp documents the exit statuses.
const exitHelp = `Exit codes:

    0  success
    1  failure, also an input without an edge
    2  wrong command line: a flag, an argument, or what doesn't go together
    3  the data was refused, since it is damaged or incomplete: truncated or
       contradictory files, lines that aren't edges, nulls without --nulls
       skip, missing files of a table, more than a limit of --limits
  130  interrupted (128 and the signal's number: 143 after SIGTERM)

After an error nothing is left at the output's path but what was there before.`
