/**
 * Measures what a large file of training questions costs the driver. It makes a prepared file of documents of one
 * length, opens it as `palimpsest train` does (every row is read and checked once) and opens the groups of a step, each
 * in its own process whose resident set is read from outside. Prints one table; with --json FILE it also writes it.
 * Usage: npx tsx --conditions=@palimpsest/source bench/learning/big-file.ts [--gib 4] [--characters 125000] [--groups
 *   128] [--form jsonl|corpus] [--keep FOLDER] [--json FILE]
 */
import { spawn } from "node:child_process";
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createRandom } from "../../packages/learning/datasets/src/index.js";
import { openTasks } from "../../packages/learning/trainer/src/recipe/task-source.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";

const flags = benchFlags({
  gib: "4",
  characters: "125000",
  groups: "128",
  form: "jsonl",
  keep: undefined,
  json: undefined,
  open: undefined,
});

/** Makes paragraphs of made-up words, as many as HotpotQA has for a training set of the published size. */
const vocabulary =
  "river town painter barn judge film book street summer letter garden window harbor stone music".split(" ");
const paragraphCharacters = 600;

function paragraph(seed: string): string {
  const random = createRandom(seed);
  let text = `Title ${seed}\n`;
  while (text.length < paragraphCharacters) text += `${random.pick(vocabulary)} `;
  return text;
}

const row = (index: number, document: unknown) =>
  JSON.stringify({
    id: `q${index}`,
    question: `Who was it, ${index}?`,
    answers: ["nobody"],
    document,
    metadata: {},
  });

/**
 * Writes the file, and its corpus where documents refer to one. A few thousand paragraphs are mixed anew for each
 * document.
 */
async function makeFile(folder: string): Promise<string> {
  const path = join(folder, "tasks.jsonl");
  if (existsSync(path)) return path;
  const paragraphs = Array.from({ length: 4096 }, (_, place) => paragraph(String(place)));
  const wanted = Number(flags.gib) * 2 ** 30;
  const perDocument = Math.max(1, Math.round(Number(flags.characters) / paragraphCharacters));
  const out = createWriteStream(path);
  const random = createRandom("mix");
  if (flags.form === "corpus") await makeCorpus(join(folder, "corpus.json"), paragraphs, wanted);
  for (let index = 0, bytes = 0; bytes < wanted; index++) {
    const places = Array.from({ length: perDocument }, () => random.below(paragraphs.length));
    const line =
      flags.form === "corpus"
        ? row(index, { corpus: "corpus.json", indices: places })
        : row(index, places.map((place) => paragraphs[place]).join("\n\n"));
    bytes += flags.form === "corpus" ? Number(flags.characters) : line.length + 1;
    if (!out.write(`${line}\n`)) await new Promise<void>((resolve) => out.once("drain", resolve));
  }
  out.end();
  await finished(out);
  return path;
}

async function makeCorpus(path: string, paragraphs: readonly string[], wanted: number): Promise<void> {
  const out = createWriteStream(path);
  out.write("[\n");
  for (let written = 0, place = 0; written < wanted; place++) {
    const text = JSON.stringify(paragraphs[place % paragraphs.length]);
    written += text.length;
    if (!out.write(`${place === 0 ? "" : ",\n"}${text}`))
      await new Promise<void>((resolve) => out.once("drain", resolve));
  }
  out.end("\n]\n");
  await finished(out);
}

interface Opened {
  readonly tasks: number;
  readonly openSeconds: number;
  /** Processor seconds of all threads, which show on a busy machine what an idle one would take. */
  readonly openProcessorSeconds: number;
  readonly firstGroupsSeconds: number;
  readonly stepSeconds: number;
  readonly peakRssBytes: number;
}

/** Does what the driver does until the first groups are dispatched, and then for some more steps. */
async function open(path: string): Promise<Opened> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const seconds = () => (performance.now() - startedAt) / 1000;
  const tasks = await openTasks({ source: "jsonl", path, seed: 1 });
  const openSeconds = seconds();
  const { user, system } = process.cpuUsage(before);
  const openProcessorSeconds = (user + system) / 1e6;
  const steps = 5;
  const groups = Number(flags.groups);
  let firstGroupsSeconds = 0;
  for (let step = 0; step < steps; step++) {
    const documents: string[] = [];
    for (let place = 0; place < groups; place++)
      documents.push((await tasks.open((step * groups + place) % tasks.count)).document);
    if (step === 0) firstGroupsSeconds = seconds();
  }
  const stepSeconds = (seconds() - firstGroupsSeconds) / (steps - 1);
  await tasks.close();
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  return {
    tasks: tasks.count,
    openSeconds,
    openProcessorSeconds,
    firstGroupsSeconds,
    stepSeconds,
    peakRssBytes,
  };
}

async function measure(path: string): Promise<Opened> {
  const tsx = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
  const own = ["--open", path, "--groups", flags.groups];
  const child = spawn(
    process.execPath,
    [tsx, "--conditions=@palimpsest/source", fileURLToPath(import.meta.url), ...own],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return JSON.parse(text) as Opened;
}

if (flags.open !== undefined) {
  process.stdout.write(JSON.stringify(await open(flags.open)));
} else {
  const folder = flags.keep ?? mkdtempSync(join(tmpdir(), "palimpsest-big-file-"));
  mkdirSync(folder, { recursive: true });
  try {
    const path = await makeFile(folder);
    const files = [path, join(folder, "corpus.json")].filter(existsSync);
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    const { tasks, openSeconds, openProcessorSeconds, firstGroupsSeconds, stepSeconds, peakRssBytes } =
      await measure(path);
    const table = {
      form: flags.form,
      gib: Number((bytes / 2 ** 30).toFixed(2)),
      tasks,
      "opened after s": Number(openSeconds.toFixed(1)),
      "processor s": Number(openProcessorSeconds.toFixed(1)),
      "first groups after s": Number(firstGroupsSeconds.toFixed(1)),
      "groups of a step s": Number(stepSeconds.toFixed(2)),
      "peak MiB": Math.round(peakRssBytes / 2 ** 20),
    };
    console.table([table]);
    if (flags.json !== undefined) {
      const earlier = existsSync(flags.json)
        ? (JSON.parse(readFileSync(flags.json, "utf8")) as { rows: { form: string }[] }).rows
        : [];
      const rows = [...earlier.filter(({ form }) => form !== flags.form), table];
      const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, load: loadavg()[0] };
      writeResult(flags.json, { machine, node: process.version, rows });
    }
  } finally {
    if (flags.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
