#!/usr/bin/env node
// Writes the documents that follow from the code: docs/configuration.md, docs/commands.md, docs/metrics.md,
// docs/errors.md and docs/trace-format.md, which are committed; docs/invariants.md, the API reference in docs/api and the JSON schema of recipes, which are not. Needs a build. With --check: fails when a
// committed one differs, or when an invariant has no number of its own or no test. With --pages: writes only the latter.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { basesOf, entryPoints, exportsOf } from "./exports.mjs";
import { invariantsByPackage } from "./invariants.mjs";
import { packageDir, packageFolders, root } from "./setup/paths.mjs";

const check = process.argv.includes("--check");
const pagesOnly = process.argv.includes("--pages");
const load = (name) => import(pathToFileURL(join(packageDir(name), "dist/index.js")).href);
const { z } = await import(
  pathToFileURL(createRequire(join(root, "packages/learning/trainer/package.json")).resolve("zod")).href
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
      ({ id, file, text }) =>
        `| ${id} | \`${file.replace(`${packageFolders.get(name)}/src/`, "")}\` | ${cell(text)} |`,
    ),
    "",
  ]),
].join("\n");

const source = (path) => readFileSync(join(root, path), "utf8");

const built = entryPoints(
  root,
  [...packageFolders.values()].map((folder) => join(folder, "package.json")),
  "types",
);

/** A declaration, cut where it is the type of a whole schema, whose fields the configuration reference has. */
function shown(declaration) {
  const lines = declaration.split("\n");
  return /ZodObject|ZodDiscriminated/.test(lines[0]) && lines.length > 5 ? `${lines[0]} … }>;` : declaration;
}

/** A doc comment as Markdown: its tags become the items of a list. */
function described(comment) {
  const text = comment
    .replace(/^@(?:param|typeParam) ([\w$.]+) *(?:- )?/gm, "- `$1`: ")
    .replace(/^@(\w+) */gm, "- *$1* ")
    .replace(/^(?!- | {2})(.+)\n(?=- )/gm, "$1\n\n");
  return text.replace(/(^- .*)\n(?![-\s])/gm, "$1\n  ").trim();
}

/** The API of a package: each export with its comment and its declaration, whose members have theirs. */
function apiPage(name) {
  const exportedBy = (entry) => [...exportsOf(built.get(entry), (specifier) => built.get(specifier))];
  const exported = exportedBy(name);
  const byName = (some) => some.sort(([one], [other]) => one.localeCompare(other));
  const isType = ([, { declaration }]) => /^(export )?(declare )?(interface|type) /.test(declaration);
  const names = new Set(exported.map(([name]) => name));
  const visible = ({ declaration }) => shown(declaration.replace(/^ +(private|protected|#).*\n/gm, ""));
  // What a class inherits from classes that have no section of their own is a part of it.
  const section = ([outer, one]) => [
    `### ${outer}`,
    "",
    described(one.comment),
    "",
    "```ts",
    [one, ...basesOf(one).filter((base) => !names.has(base.name))].map(visible).join("\n"),
    "```",
    "",
  ];
  const part = (title, some) =>
    some.length > 0 ? [`## ${title}`, "", ...byName(some).flatMap(section)] : [];
  // Other entry points have what the main one does not export.
  const others = [...built.keys()]
    .filter((entry) => entry.startsWith(`${name}/`))
    .flatMap((entry) =>
      part(
        `From ${code(entry)}`,
        exportedBy(entry).filter(([one]) => !names.has(one)),
      ),
    );
  return [
    ...[`# API of ${name}`, "", written, ""],
    ...[
      JSON.parse(source(`${packageFolders.get(name.replace("@palimpsest/", ""))}/package.json`)).description,
      "",
    ],
    ...part(
      "Classes, functions and constants",
      exported.filter((one) => !isType(one)),
    ),
    ...part("Types", exported.filter(isType)),
    ...others,
  ].join("\n");
}

const oneLine = (comment) => comment.replace(/\n\s*\* ?/g, " ").trim();

/** A row for each code, from its comment: what it means, and after "Fix:" what to do. */
const errorRows = [
  ...source("packages/runtime/wire/src/base/error.ts").matchAll(
    /^ {2}([A-Z_]+): \{ retryable: (true|false)/gm,
  ),
].map(({ index, 1: name, 2: retryable, input }) => {
  const [, comment = ""] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(input.slice(0, index)) ?? [];
  const [, means, fix] = /^(.+?)\.? Fix: (.+?)\.?$/.exec(oneLine(comment)) ?? [];
  if (fix === undefined) throw new Error(`the comment of ${name} in error.ts does not say "… Fix: …"`);
  return `| ${code(name)} | ${retryable === "true" ? "yes" : "no"} | ${cell(means)} | ${cell(fix)} |`;
});

const errors = [
  "# Errors",
  "",
  written,
  "",
  "Every error of the runtime is a `PalimpsestError` with one of the codes below; it keeps code, message, details, cause and",
  'retryability across processes. "Retryable" says that the same call may succeed when it is made again.',
  "",
  "| code | retryable | means | what to do |",
  "|---|---|---|---|",
  ...errorRows,
  "",
  "The learning packages have error roots of their own (`JitError`, `ModelError`, `AgentError`, `RewardError`, `DatasetError`,",
  "`LearnerError`, `EvaluationError`), each with closed codes; inside an actor they reach the caller as the cause of `ACTOR_ERROR`.",
].join("\n");

const cli = (path) => import(pathToFileURL(join(packageDir("cli"), "dist", path)).href);
const [{ makeProgram }, { jsonSchemaOf, verbsOf }, { exitCodeName, exitCodes }, { findSettings }] =
  await Promise.all(
    ["program/whole-program.js", "display/verbs.js", "input/exit-codes.js", "installation/settings.js"].map(
      cli,
    ),
  );
const program = await makeProgram(undefined);

/** The comment before each field of a constant. */
function commentsOf(path, names) {
  const text = source(path);
  return names.map((name) => {
    const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n\\s*${name}: `).exec(text) ?? [];
    if (comment === undefined) throw new Error(`${path}: ${name} has no comment`);
    return oneLine(comment);
  });
}

const exitRows = commentsOf("packages/apps/cli/src/input/exit-codes.ts", Object.keys(exitCodes)).map(
  (means, index) => {
    const [name, number] = Object.entries(exitCodes)[index];
    return `| ${number} | ${exitCodeName(name)} | ${cell(means)} |`;
  },
);

/** Fields of the output, without those of its parts. */
function outputOf(json) {
  const schema = jsonSchemaOf(json);
  const kinds = (schema.anyOf ?? schema.oneOf ?? [schema]).map((one) => {
    const list = one.type === "array" ? "list: " : "";
    const fields = Object.keys((list ? one.items : one).properties ?? {});
    return `${one.description ? `${one.description}: ` : ""}${list}${fields.map(code).join(", ")}`;
  });
  return `${json.isLines ? "one object per line" : "--json"}: ${kinds.join("; or ")}`;
}

function verbSection({ name, command, json, whyNoJson }) {
  const words = command.registeredArguments.map((one) => {
    const word = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${word}>` : `[${word}]`;
  });
  const options = command.options.filter(({ hidden }) => !hidden);
  return [
    `### palimpsest ${name}`,
    "",
    code(["palimpsest", name, ...(options.length > 0 ? ["[options]"] : []), ...words].join(" ")),
    "",
    `${sentence(command.description())}.`,
    "",
    ...(options.length === 0
      ? []
      : [
          "| option | meaning |",
          "|---|---|",
          ...options.map((option) => {
            const choices = option.argChoices ? ` (${option.argChoices.join(", ")})` : "";
            return `| ${code(option.flags)} | ${cell(portable(option.description))}${cell(choices)} |`;
          }),
          "",
        ]),
    json === undefined ? `Without --json: ${whyNoJson}.` : sentence(outputOf(json)),
    "",
  ];
}

/** Some descriptions name folders of this machine or checkout. */
const portable = (text) => text.replaceAll(`${root}/`, "").replaceAll(homedir(), "~");

const topOf = (command) => (command.parent?.parent ? topOf(command.parent) : command);
const headings = new Map();
for (const verb of verbsOf(program)) {
  const heading = topOf(verb.command).helpGroup() || "Help:";
  headings.set(heading, [...(headings.get(heading) ?? []), verb]);
}

const commandsPage = [
  "# Commands",
  "",
  written,
  "",
  "Data goes to standard output, all else to standard error. `palimpsest schema` prints the JSON Schema of what a command prints with `--json`; a",
  "value is checked against it when it is printed. Every command takes `--no-input`: it never asks and never waits for a person. `NO_COLOR` turns",
  "colors off, `FORCE_COLOR` on. A mistyped command, option, value, name or file is answered with the one that was probably meant.",
  "`palimpsest completion install` writes completions for bash, zsh or fish and says where; `completion uninstall` undoes it. Nothing is sent",
  "anywhere unasked; `palimpsest version --check` asks npm for the newest version.",
  "",
  "## Exit codes",
  "",
  "| code | name | means |",
  "|---|---|---|",
  ...exitRows,
  "",
  "`job submit --follow`, `job logs --follow` and `dev -- PROGRAM` end with the exit code of the program.",
  "",
  "## Where settings come from",
  "",
  "The first source that says something wins; `palimpsest config show` says which it was, and what it overrides.",
  "",
  "| setting | meaning | sources, in order |",
  "|---|---|---|",
  ...findSettings({}, {}).map(({ name, what, order }) => {
    const from = order.map((from) => (from === "default" ? from : code(portable(from))));
    return `| ${code(name)} | ${cell(what)} | ${from.join(", ")} |`;
  }),
  "",
  "Two files may say where the cluster is, for commands and `connect()`: `palimpsest.config.json` in the working folder or the nearest",
  "above it, and `~/.config/palimpsest/config.json`. Paths in them begin in their folder. They hold no token, only the file of one, which in a project's file lies in the project:",
  "",
  "```json",
  '{ "address": "head.example:7420", "tokenFile": "token", "tls": "certs/driver" }',
  "```",
  "",
  "A project's file names the address, and counts only where neither options nor variables name one. **To that address goes no token of",
  "yours**: only that of a file in the project, or that of an option. A file that names an address counts as a whole or not at all, and a",
  "project's file of another user, who is not the administrator, is ignored with a warning.",
  "",
  ...[...headings].flatMap(([heading, verbs]) => [
    `## ${heading.replace(/:$/, "")}`,
    "",
    ...verbs.flatMap(verbSection),
  ]),
].join("\n");

/** What each step of a run reports, from the comments of the interfaces that declare it. */
const stepMetrics = [
  "step/update-metrics.ts",
  "step/batch-metrics.ts",
  "loss/metrics.ts",
  "loss/importance-statistics.ts",
].flatMap((file) => {
  const text = source(`packages/learning/learner/src/${file}`);
  const [, body] = /^export interface (?:\w+Metrics|\w+Statistics)\b[^{]*\{\n([\s\S]*?)^\}/m.exec(text) ?? [];
  return [...body.matchAll(/(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}readonly (\w+):/gm)].map(
    ([, comment = "", name]) => `| ${code(name)} | ${cell(oneLine(comment))} |`,
  );
});

const metrics = [
  catalogMarkdown().trimEnd(),
  "",
  "## What every training step reports",
  "",
  "`update` of a line of `metrics.jsonl`; with `train.tensorboard: true` also as event files (not on the wasm backend). Log-probabilities,",
  "entropy and KL are in nats at each row's own temperature, lengths in tokens, means over trained tokens unless stated otherwise.",
  "",
  "| name | meaning |",
  "|---|---|",
  ...stepMetrics,
].join("\n");

/** The packages that programs and modules beside recipes import; `@palimpsest/runtime` exports what the client does. */
const packagesOfPages = [
  ...["client", "agents", "engines", "memory", "evals", "rewards"],
  ...["datasets", "trajectories", "trainer", "learner", "model", "jit"],
];
const pages = {
  ...Object.fromEntries(
    packagesOfPages.map((name) => [`docs/api/${name}.md`, apiPage(`@palimpsest/${name}`)]),
  ),
  "docs/invariants.md": `${invariants.trimEnd()}\n`,
  "docs/recipe.schema.json": `${JSON.stringify(schemaOf(recipeSchema), null, 2)}\n`,
};
const committedFiles = {
  "docs/configuration.md": `${configuration.trimEnd()}\n`,
  "docs/commands.md": `${commandsPage.trimEnd()}\n`,
  "docs/metrics.md": `${metrics}\n`,
  "docs/errors.md": `${errors}\n`,
  "docs/trace-format.md": `${traceFormat.trimEnd()}\n`,
};

for (const [name, content] of Object.entries(pagesOnly ? pages : { ...pages, ...committedFiles })) {
  const path = join(root, name);
  if (!check || name in pages) {
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

if (problems.length > 0 && !pagesOnly) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exit(1);
}
