#!/usr/bin/env node
// Writes the documents that follow from the code: docs/configuration.md, docs/metrics.md, docs/protocol.md,
// docs/trace-format.md, docs/invariants.md and the JSON schema of recipes. Needs a build. With --check: fails when a
// committed one differs, or when an invariant has no number of its own or no test.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { invariantsByPackage } from "./invariants.mjs";
import { root } from "./setup/paths.mjs";

const check = process.argv.includes("--check");
const load = (name) => import(pathToFileURL(join(root, "packages", name, "dist/index.js")).href);
const { z } = await import(
  pathToFileURL(createRequire(join(root, "packages/trainer/package.json")).resolve("zod")).href
);
const [trainer, head, node, telemetry, evals, agents, rewards, autoscaler] = await Promise.all(
  ["trainer", "head", "node", "telemetry", "evals", "agents", "rewards", "autoscaler"].map(load),
);
const { recipeSchema } = trainer;
const { headConfigSchema } = head;
const { nodeConfigSchema } = node;
const { catalogMarkdown } = telemetry;

const { evalSettingsSchema, readerConfigSchema, traceSchema } = evals;

const schemaOf = (schema) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
const code = (value) => `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");

function typeOf(node) {
  if (node.const !== undefined) return code(node.const);
  if (node.enum) return node.enum.map(code).join(" or ");
  const variants = node.anyOf ?? node.oneOf;
  if (variants) return variants.map(typeOf).join(" or ");
  if (node.type === "array") return `list of ${typeOf(node.items ?? {})}`;
  if (node.type === "object") return node.additionalProperties && !node.properties ? "mapping" : "section";
  const bounds = [
    node.minimum !== undefined && node.minimum > -9e15 ? `≥ ${node.minimum}` : "",
    node.exclusiveMinimum !== undefined ? `> ${node.exclusiveMinimum}` : "",
    node.maximum !== undefined && node.maximum < 9e15 ? `≤ ${node.maximum}` : "",
  ].filter(Boolean);
  return [node.type ?? "any", bounds.join(", ")].filter(Boolean).join(" ");
}

/** One row a field, sections and variants followed downwards. */
function rows(node, path, found) {
  for (const variant of node.oneOf ?? node.anyOf ?? []) {
    const tag = Object.entries(variant.properties ?? {}).find(([, field]) => field.const !== undefined);
    if (variant.properties) rows(variant, tag ? `${path} (${tag[0]}: ${tag[1].const})` : path, found);
  }
  for (const [name, field] of Object.entries(node.properties ?? {})) {
    const here = path === "" ? name : `${path}.${name}`;
    const required = (node.required ?? []).includes(name) && field.default === undefined;
    const preset =
      field.default === undefined ? (required ? "required" : "") : cell(code(field.default).slice(0, 60));
    found.push(
      `| \`${here}\` | ${cell(typeOf(field))} | ${field.type === "object" && !required ? "" : preset} | ${cell(field.description ?? "")} |`,
    );
    rows(field, here, found);
    if (field.items) rows(field.items, `${here}[]`, found);
  }
  return found;
}

const header = ["| field | type | default | meaning |", "|---|---|---|---|"];

function table(title, intro, schema) {
  return [`## ${title}`, "", intro, "", ...header, ...rows(schemaOf(schema), "", []), ""];
}

/** A table for each variant of the rewards' schema, without the name that tells it from the others. */
function rewardTables(title, intro, schema) {
  const sections = schemaOf(schema).oneOf.flatMap(({ properties: { name, ...properties }, ...variant }) => {
    const names = name.enum ?? [name.const];
    const settings = rows({ ...variant, properties }, "", []);
    const what = cell(name.description ?? "");
    const told = settings.length > 0 ? ["", ...header, ...settings] : ["", "It has no settings."];
    return [`### ${names.map(code).join(", ")}`, ...(what ? ["", `${sentence(what)}.`] : []), ...told, ""];
  });
  return [`## ${title}`, "", intro, "", ...sections];
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const written = "<!-- Written by scripts/generate-docs.mjs from the code: change the code, then run it. -->";

const configuration = [
  "# Configuration reference",
  "",
  written,
  "",
  "An unknown field is an error that names the field. A flag replaces the environment's value, which replaces the file's, which replaces the default.",
  "",
  ...table(
    "Recipe",
    "A training run, as YAML. `docs/recipe.schema.json` gives editors completion.",
    recipeSchema,
  ),
  ...table(
    "MemAgent",
    "`agent.settings` of kind memagent. A preset sets some of these; `settings` replaces its values.",
    agents.memAgentConfigSchema,
  ),
  ...table(
    "ReMemR1",
    "`agent.settings` of kind rememr1; presets work in the same way.",
    agents.rememr1ConfigSchema,
  ),
  ...table(
    "MemUpdate",
    "`agent.settings` of kind memupdate; presets work in the same way.",
    agents.memUpdateConfigSchema,
  ),
  ...rewardTables(
    "Rewards",
    "`reward.settings` of a recipe, by `reward.name`. What they score: [guides/rewards.md](guides/rewards.md).",
    rewards.rewardConfigSchema,
  ),
  ...table(
    "Head",
    "What a program gives to `Head.start`; `palimpsest head start --help` lists those that have flags.",
    headConfigSchema,
  ),
  ...table(
    "Autoscaling",
    "The file of `palimpsest head start --autoscale`: [guides/autoscaling.md](guides/autoscaling.md).",
    autoscaler.autoscaleConfigSchema,
  ),
  ...table("Node types", "Each of `nodeTypes` in that file.", autoscaler.nodeTypeSchema),
  ...table(
    "Node",
    "What a program gives to `NodeManager.start`; `palimpsest worker join --help` lists those that have flags.",
    nodeConfigSchema,
  ),
  ...table(
    "Evaluation",
    "The settings file of `palimpsest eval`; `--set` replaces single values.",
    evalSettingsSchema,
  ),
  ...table(
    "Reader",
    "How the baselines of an evaluation prompt a model: `reader` of its settings.",
    readerConfigSchema,
  ),
].join("\n");

/** A proto file as a document: its comments are the text. */
function protocolOf(file) {
  const source = readFileSync(join(root, "protos/palimpsest/v1", file), "utf8");
  const body = source.split("\n").filter((line) => !/^(syntax|package|import)/.test(line));
  return [`## ${file}`, "", "```proto", body.join("\n").trim(), "```", ""];
}

const protocol = [
  "# Protocol",
  "",
  written,
  "",
  "Everything that crosses a process boundary is a message of `protos/palimpsest/v1`, over gRPC. Every RPC of every service",
  "needs the metadata `authorization: Bearer TOKEN`. The standard gRPC health and reflection services are enabled, so that `grpcurl` works.",
  "A failed call carries a gRPC status for any client and, in the trailer `palimpsest-error-bin`, an `Error` message.",
  "",
  "## From any language",
  "",
  "`examples/any-language` is a program in Python that does all of this with stubs that `grpcio-tools` generated; `test/any-language.test.ts` runs it.",
  "",
  "- **A job**: `Jobs.PutBundle` with an ES module, `Jobs.Submit` with `bundle`, `Jobs.Logs` with `follow`, `Jobs.Get`.",
  "- **A call**: `Head.ResolveActor` by `name` with `wait_ms`; a stream `ActorHost.Calls` at its `address` with the metadata `palimpsest-actor-id` and",
  "  `palimpsest-incarnation`; a `Call` with a `call_id` from 1, the `method`, `args` as an array of values. Its `Reply` carries `value` or `error`.",
  "- **An object**: a value may hold references (below). The actor holds what its reply refers to until `taken_call_id` says that the caller has read it.",
  "  `Objects.Fetch` at any node's `objects_address` brings it there, `Objects.Pull` reads it.",
  "",
  "With grpcurl, which gets the message types from the head by reflection:",
  "",
  "```",
  '$ grpcurl -plaintext -H "authorization: Bearer $PALIMPSEST_TOKEN" $PALIMPSEST_ADDRESS list',
  '$ grpcurl -plaintext -H "authorization: Bearer $PALIMPSEST_TOKEN" -d \'{"name":"tally"}\' $PALIMPSEST_ADDRESS palimpsest.v1.Head/ResolveActor',
  '$ grpcurl -plaintext -H "authorization: Bearer $PALIMPSEST_TOKEN" -d \'{"states":["TASK_STATE_FAILED"]}\' $PALIMPSEST_ADDRESS palimpsest.v1.Head/ListTasks',
  "```",
  "",
  "## Values",
  "",
  "Arguments, results and items are MessagePack. nil, booleans, numbers, text, bytes and arrays are plain; everything else is an extension:",
  "",
  "| extension | what |",
  "|---|---|",
  "| 0x72 | an object as a record: `d4 72 ID`, an array of its keys, then its values in order. The byte ID alone (0x40 to 0x7f) starts further records with the same keys, so that the integers 64 to 127 take two bytes (`cc`) |",
  "| a plain map | a `Map`: write records for objects |",
  "| integers of 64 bits (`cf`, `d3`) | arrive as `BigInt`: write a double (`cb`) for numbers up to 2^53 |",
  "| 0x74 | a typed array: a byte for its type (0 `Int8`, 1 `Uint8`, 2 `Uint8Clamped`, 3 `Int16`, 4 `Uint16`, 5 `Int32`, 6 `Uint32`, 7 `Float32`, 8 `Float64`, 9 `BigInt64`, 10 `BigUint64`), its bytes, little-endian |",
  "| 0x73, 0x65, 0x42 | a set, an error, an integer beyond 64 bits: an array of members, of name and message, big-endian bytes |",
  "| 0x69, 0x70 | the value that follows gets this number; a repetition of the value with that number (shared and cyclic values) |",
  "| -1, 0 | a date (MessagePack's timestamp); undefined |",
  "| 1, 2 | an `ObjectReference`, an `ActorReference` (object.proto) |",
  "| 5 | a `Map` of a class that extends it: an array of its entries |",
  "| 6 | a typed array of a class that extends one: as 0x74, with 0x11 for a `DataView` |",
  "| 8 | an `AggregateError`: an array of its errors, its message and its cause |",
  "| 3 | in objects: an array that is stored after the value: its type as in 0x74, its offset and its length, 6 bytes each, little-endian |",
  "",
  "**Values that are objects**: bytes 0-3 the format (1), 4-7 the length of the encoded value, both little-endian; the encoded value; then, each at a multiple of 64",
  "bytes, the long arrays. Their offsets count from the first multiple of 64 after the encoded value. Arguments and results above 100 KiB may be objects",
  "(`args_object`, `value_object`).",
  "",
  "## Bulk connections",
  "",
  "They carry bytes of objects between nodes, at the same port as the gRPC service `Objects`, if `Stat` reports `bulk`: under TLS the client names `palimpsest-bulk/2` (ALPN), else",
  "the first byte distinguishes the two kinds of connections. All numbers are little-endian.",
  "",
  "- **hello**, once: the bytes `00 50 42 02`, the length of the authorization (2 bytes), the authorization (`Bearer TOKEN`).",
  "- **request**: the length of the object's id (1), the id (32, unused ones are 0), offset (8), length (4, at most 8 MiB), and for how many milliseconds the node may",
  "  wait until it has these bytes itself (4). Several requests may be sent in advance.",
  "- **answer**, one per request in their order: `00`, the length (4), the checksum (32), the bytes; or `01`, the length (4), 32 bytes of `00`, an `Error`.",
  "  The checksum of an object that is named by its hash is 0. For a value, its bytes, padded with 0 to a multiple of 16, are read as 32-bit numbers; for each of",
  "  the four positions in 16 bytes there are the sum of the numbers at that position and the sum of all partial sums, each modulo 2^32.",
  "",
  "## A task, from any language",
  "",
  "1. `Jobs.PutBundle`: the ES module that exports the function, once; its SHA-256 names it.",
  "2. `Head.Session`: a stream that is kept open and renewed; what is leased ends with it.",
  "3. `Head.CreateActor` with `task_worker`, an `actor_id` of your own (such as `worker-` and random hex digits), `owner_id` (the session), `code.bundle` and `resources`: the lease of a shape.",
  "   Idempotent by the id. `Head.ResolveActor` with `wait_ms` until it is ALIVE returns the `address`.",
  "4. `ActorHost.Calls` at that address, with the metadata `palimpsest-actor-id` and `palimpsest-incarnation`: each `Call` names an exported",
  "   function as `method`; one runs at a time, in order, and many may be sent in advance. `cancel_call_id` aborts one; its reply comes when it has ended.",
  "5. When the stream breaks, `Head.ResolveActor` with `known_incarnation` and `wait_ms`: once DEAD, `certificate.started_calls` says which calls had begun. The others have not run.",
  "6. `Head.AwaitDemand` while workers are leased: `waits` in its answer asks to return one. `Head.KillActor` with `no_restart` returns a worker; without it, the process is",
  "   ended as by a crash, and its death certificate lists the calls that had begun.",
  "",
  ...readdirSync(join(root, "protos/palimpsest/v1")).sort().flatMap(protocolOf),
].join("\n");

const traceFormat = [
  "# Trace format",
  "",
  written,
  "",
  "What an agent did, step by step, for people and programs. `palimpsest ask --trace FILE.jsonl` and training runs write it:",
  "a run's folder has `traces/step-NNNNNNNN.jsonl` for its last `train.keepTraces` steps. `palimpsest trace view FILE.jsonl`",
  "renders it as one HTML page that needs no server and loads nothing.",
  "",
  "A trace file is UTF-8 JSON Lines: every line one trajectory, complete in itself. Files can be joined, cut between lines,",
  "searched with `grep` and `jq`. The last line of a file may be incomplete if the process was killed: readers skip it.",
  "A reader refuses a `version` that it does not know, and fields that are not listed here.",
  "",
  "Fields that a writer does not know are left out: `ask` knows no right answer and no reward, a training run does not",
  "keep documents. Every conversation has what the model wrote; prompts and token ids are there only if a program asks",
  "for them (`traceEpisode` of `@palimpsest/evals`, `detail`).",
  "",
  "```ts",
  'import { readTraces, traceHtml } from "@palimpsest/evals";',
  "",
  'for await (const trace of readTraces("traces.jsonl")) console.log(trace.task.question, trace.reward?.total);',
  "```",
  "",
  ...table("Fields", "The fields of one line.", traceSchema),
].join("\n");

const { stated, problems } = invariantsByPackage();

const invariants = [
  "# Invariants of the runtime",
  "",
  written,
  "",
  "The invariants that files state in their comments. The names of tests and the comments of the code cite",
  "their numbers: `git grep -w NODE-2` finds the invariant, the code that relies on it, and the tests that verify it.",
  "",
  ...[...stated].flatMap(([name, rules]) => [
    `## ${name}`,
    "",
    "| invariant | file | what holds |",
    "|---|---|---|",
    ...rules.map(
      ({ id, file, text }) => `| ${id} | \`${file.replace(`packages/${name}/src/`, "")}\` | ${cell(text)} |`,
    ),
    "",
  ]),
].join("\n");

const files = {
  "docs/invariants.md": `${invariants.trimEnd()}\n`,
  "docs/configuration.md": `${configuration.trimEnd()}\n`,
  "docs/recipe.schema.json": `${JSON.stringify(schemaOf(recipeSchema), null, 2)}\n`,
  "docs/metrics.md": `${catalogMarkdown().trimEnd()}\n`,
  "docs/trace-format.md": `${traceFormat.trimEnd()}\n`,
  "docs/protocol.md": `${protocol.trimEnd()}\n`,
};

for (const [name, content] of Object.entries(files)) {
  const path = join(root, name);
  if (!check) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    continue;
  }
  let committed = "";
  try {
    committed = readFileSync(path, "utf8");
  } catch {
    // A missing file counts as different.
  }
  if (committed !== content) {
    process.stderr.write(
      `${name} is not what the code says: run \`node scripts/generate-docs.mjs\` and commit\n`,
    );
    process.exit(1);
  }
}

if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}
