/**
 * Writes the tables and curves of docs/results/, a page for each of the three agents, from bench/results/seeds-AGENT.json; with --runs
 * first these files, from what a machine with GPUs wrote: memagent-0-asked.json and rememr1-0-asked.json of by-length.ts for the
 * untrained model, memagent-1-asked.json … and memagent-control-1-asked.json … for each run, and the same of store-edits.ts.
 * Usage: tsx --conditions=@palimpsest/source bench/gpu/seed-pages.ts [--runs FOLDER --machine TEXT --cost TEXT]
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linePlot } from "../../packages/learning/evals/src/index.js";
import { holm, meanInterval, signFlipP } from "../../packages/learning/evals/src/resampling.js";
import { benchFlags } from "../flags.js";
import { writeResult } from "../result-file.js";
import { type AskedCell, intervalOf, pairedFigures, readCells } from "./by-length-pairs.js";

const root = new URL("../../", import.meta.url);
export const agents = ["memagent", "rememr1", "memupdate"] as const;
type AgentName = (typeof agents)[number];
const recipes: Readonly<Record<AgentName, string>> = {
  memagent: "recipes/memagent/qwen2.5-0.5b-hotpotqa-gpu.yaml",
  rememr1: "recipes/rememr1/qwen2.5-0.5b-hotpotqa-gpu.yaml",
  memupdate: "recipes/memupdate/qwen2.5-0.5b-locomo-gpu.yaml",
};
const [begin, end] = ["<!-- bench/gpu/seed-pages.ts writes this -->", "<!-- end -->"];
export const pageOf = (agent: AgentName) => new URL(`docs/results/${agent}.md`, root);
const plotOf = (agent: AgentName) => new URL(`docs/images/results-${agent}.svg`, root);
const resultOf = (agent: AgentName) => new URL(`bench/results/seeds-${agent}.json`, root);

/** What a policy, or a difference of two, scored in contexts of one length. */
interface Row {
  /** A policy's name, or that of a difference. */
  readonly policy: string;
  readonly documentTokens?: number;
  readonly questions: number;
  readonly value: number;
  readonly interval?: readonly number[];
  /** Of a difference: p of sign flips, by Holm over all. */
  readonly holm?: number;
  /** Further figures by their names, of policies. */
  readonly more?: Readonly<Record<string, number>>;
}

interface Figures {
  readonly machine: string;
  readonly model: string;
  readonly recipe: { readonly file: string; readonly version: string };
  readonly cost: string;
  readonly commands: string;
  readonly metric: string;
  readonly rows: readonly Row[];
  readonly differences: readonly Row[];
  readonly retention?: {
    readonly questions: number;
    readonly ratio: number;
    readonly interval: readonly number[];
  };
  /** Mean rewards of training by eight steps, by runs. */
  readonly rewards: Readonly<Record<string, readonly number[]>>;
  readonly notes?: readonly string[];
}

const shown = (value: number, digits = 3) => value.toFixed(digits).replace("-", "−");
const inBrackets = (interval?: readonly number[]) =>
  interval === undefined ? "" : ` [${interval.map((value) => shown(value)).join(", ")}]`;
const table = (lines: readonly (readonly string[])[]) =>
  lines
    .flatMap((cells, at) => [cells, ...(at === 0 ? [cells.map((_, i) => (i === 0 ? "---" : "---:"))] : [])])
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
const unique = <Item>(items: readonly Item[]) => [...new Set(items)];
const lengthsOf = (rows: readonly Row[]) =>
  unique(rows.map(({ documentTokens = 0 }) => documentTokens)).sort((a, b) => a - b);

function valuesTable({ rows, metric }: Figures): string {
  const lengths = lengthsOf(rows);
  const extra = unique(rows.flatMap(({ more = {} }) => Object.keys(more)));
  const isByLength = lengths.length > 1;
  const head = isByLength
    ? lengths.map((length) => `${length.toLocaleString("en-US")} tokens`)
    : [metric, "questions", ...extra];
  const lines = unique(rows.map(({ policy }) => policy)).map((policy) => {
    const own = rows.filter((row) => row.policy === policy);
    const [only] = own;
    if (!isByLength && only !== undefined) {
      const cells = extra.map((name) => only.more?.[name]);
      return [
        policy,
        `${shown(only.value)}${inBrackets(only.interval)}`,
        String(only.questions),
        ...cells.map((value) => (value === undefined ? "" : shown(value, 2))),
      ];
    }
    return [
      policy,
      ...lengths.map((length) => {
        const row = own.find(({ documentTokens }) => documentTokens === length);
        return row === undefined ? "" : `${shown(row.value)}${inBrackets(row.interval)}, ${row.questions}`;
      }),
    ];
  });
  return table([[isByLength ? `${metric}, 95 % interval, questions` : "", ...head], ...lines]);
}

function differencesTable({ differences }: Figures): string {
  const lengths = lengthsOf(differences);
  const lines = unique(differences.map(({ policy }) => policy)).map((policy) => [
    policy.replaceAll(" - ", " minus "),
    ...lengths.map((length) => {
      const row = differences.find((one) => one.policy === policy && (one.documentTokens ?? 0) === length);
      if (row === undefined) return "";
      return `${shown(row.value)}${inBrackets(row.interval)}${row.holm === undefined ? "" : `, p ${shown(row.holm)}`}`;
    }),
  ]);
  const head = lengths.map((length) => (length === 0 ? "" : `${length.toLocaleString("en-US")} tokens`));
  return table([["paired difference, p by Holm", ...head], ...lines]);
}

/** What stands between the marks of an agent's page. */
export function sectionOf(agent: AgentName, figures: Figures): string {
  const { retention, rewards, recipe, machine, model, cost, commands, notes = [] } = figures;
  const percent = (value: number) => `${Math.round(100 * value)} %`;
  return [
    valuesTable(figures),
    ...(figures.differences.length > 0 ? [differencesTable(figures)] : []),
    ...(retention === undefined
      ? []
      : [
          `Of the score in the shortest context ${percent(retention.ratio)} [${retention.interval.map(percent).join(", ")}] remain in the longest, on ${retention.questions} questions that were asked in both.`,
        ]),
    `![By length, and rewards of training](../images/results-${agent}.svg)`,
    table([
      ["mean reward by eight steps", ""],
      ...Object.entries(rewards).map(([name, values]) => [
        name,
        values.map((value) => shown(value, 2)).join(" "),
      ]),
    ]),
    [
      `- Model: ${model}`,
      `- Recipe: \`${recipe.file}\`, ${recipe.version}`,
      `- Machine: ${machine}; ${cost}`,
      `- Commands: ${commands}`,
      ...notes.map((note) => `- ${note}`),
    ].join("\n"),
  ].join("\n\n");
}

/** Returns a page with this section between its marks. */
export function pageWith(text: string, section: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`a page of docs/results/ needs the marks ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${section}\n\n${text.slice(to)}`;
}

export const figuresOf = (agent: AgentName): Figures => JSON.parse(readFileSync(resultOf(agent), "utf8"));

/** Policies by length where there are several lengths, else the rewards of training. */
export function plot(agent: AgentName, { rows, metric, rewards }: Figures): string {
  const title = { memagent: "MemAgent", rememr1: "ReMemR1", memupdate: "MemUpdate" }[agent];
  if (lengthsOf(rows).length < 2) {
    return linePlot({
      title: `${title}, 0.5B: mean reward of training`,
      xLabel: "steps",
      yLabel: "reward",
      series: Object.entries(rewards).map(([name, values]) => ({
        name,
        points: values.map((y, at) => ({ x: 8 * at + 4, y })),
      })),
      yMin: 0,
    });
  }
  const names = unique(rows.map(({ policy }) => policy)).filter(
    (name) => !/^bm25, read by seed|truncated/.test(name),
  );
  return linePlot({
    title: `${title}, 0.5B: ${metric} by length of context`,
    xLabel: "tokens of context",
    yLabel: metric,
    xScale: "log",
    series: names.map((name) => ({
      name,
      points: rows
        .filter(({ policy }) => policy === name)
        .map(({ documentTokens = 0, value }) => ({ x: documentTokens, y: value })),
    })),
    yMin: 0,
  });
}

const rounded = (value: number) => Number(value.toFixed(3));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean rewards by eight steps, of the runs that are there. */
function rewardsOf(runs: string, agent: AgentName): Record<string, readonly number[]> {
  const rewards: Record<string, readonly number[]> = {};
  for (const name of ["1", "2", "3", "control-1", "control-2", "control-3"]) {
    const file = join(runs, `${agent}-${name}`, "metrics.jsonl");
    if (!existsSync(file)) continue;
    const steps: number[] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).rewardMean);
    rewards[name.startsWith("control") ? name.replace("-", " ") : `seed ${name}`] = Array.from(
      { length: Math.ceil(steps.length / 8) },
      (_, at) => rounded(mean(steps.slice(8 * at, 8 * at + 8))),
    );
  }
  return rewards;
}

const asked = (runs: string, agent: AgentName, kind: "" | "control-") =>
  ["1", "2", "3"]
    .map((seed) => join(runs, `${agent}-${kind}${seed}-asked.json`))
    .filter((file) => existsSync(file));

/** The share of questions whose answer stands in the last notes. */
function captureOf({ questions }: AskedCell): number {
  const plain = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  return mean(
    questions.map(({ answers, memory = "" }) =>
      Number(answers.some((one) => plain(memory).includes(plain(one)))),
    ),
  );
}

const recallsAt = (questions: AskedCell["questions"]) =>
  mean(questions.map(({ recalls = 0 }) => Number(recalls > 0)));
const isReverse = ({ evidenceOrder }: AskedCell["questions"][number]) => evidenceOrder === "reverse";

function readingFigures(
  runs: string,
  agent: "memagent" | "rememr1",
): Pick<Figures, "rows" | "differences" | "retention"> {
  const untrained = readCells(join(runs, `${agent}-0-asked.json`));
  const seeds = asked(runs, agent, "").map(readCells);
  const controls = asked(runs, agent, "control-").map(readCells);
  const { cells, differences, retention } = pairedFigures({ untrained, seeds, controls });
  const cellOf = (policy: string, documents: number) => {
    const [kind, at] = /^(seed|control) (\d)$/.exec(policy)?.slice(1) ?? [];
    const all =
      kind === "seed" ? seeds[Number(at) - 1] : kind === "control" ? controls[Number(at) - 1] : untrained;
    const system = policy === "untrained" ? "base" : "trained";
    return all?.find((one) => one.documents === documents && one.system === system);
  };
  const rows = cells.map(({ policy, documents, documentTokens, questions, f1, interval }) => {
    const cell = /^(untrained|seed \d|control \d)$/.test(policy) ? cellOf(policy, documents) : undefined;
    const recalls =
      cell === undefined || agent !== "rememr1"
        ? {}
        : {
            "recalls in": rounded(recallsAt(cell.questions)),
            "in reverse order": rounded(recallsAt(cell.questions.filter(isReverse))),
          };
    const more = cell === undefined ? {} : { "answer in last notes": rounded(captureOf(cell)), ...recalls };
    return { policy, documentTokens, questions, value: f1, interval, more };
  });
  const compared = differences.map(({ difference, documentTokens, questions, f1, interval, holm: p }) => ({
    policy: difference,
    documentTokens,
    questions,
    value: f1,
    interval,
    holm: p,
  }));
  return {
    rows,
    differences: agent === "rememr1" ? [...compared, ...besideMemagent(runs, seeds)] : compared,
    ...(Number.isFinite(retention.ratio) && retention.documents[0] !== retention.documents[1]
      ? { retention }
      : {}),
  };
}

/** ReMemR1 beside MemAgent on the same questions whose evidence comes in reverse order, seed by seed. */
function besideMemagent(runs: string, seeds: readonly (readonly AskedCell[])[]): Row[] {
  const others = asked(runs, "memagent", "").map(readCells);
  const f1s = (policies: readonly (readonly AskedCell[])[]) => {
    const found = new Map<string, number[]>();
    for (const cell of policies.flat())
      if (cell.system === "trained" && cell.documents === 50)
        for (const one of cell.questions.filter(isReverse))
          found.set(one.question, [...(found.get(one.question) ?? []), one.f1]);
    return found;
  };
  const [own, beside] = [f1s(seeds), f1s(others)];
  const values = [...own].flatMap(([question, each]) => {
    const other = beside.get(question);
    return other === undefined ? [] : [mean(each) - mean(other)];
  });
  if (values.length === 0) return [];
  const { f1, interval } = intervalOf(values);
  const p = signFlipP(values.map((value, i) => ({ value, cluster: String(i) })));
  return [
    {
      policy: "seeds - MemAgent's, evidence in reverse order",
      documentTokens: seeds[0]?.[0]?.documentTokens ?? 0,
      questions: values.length,
      value: f1,
      interval,
      holm: rounded(p),
    },
  ];
}

interface Edits {
  readonly each: readonly {
    readonly id: string;
    readonly conversation: string;
    readonly reward: number;
    readonly shownGain: number;
    readonly heldOutGain: number;
    readonly validCalls: number;
    readonly malformed: number;
    readonly failed: number;
    readonly wrote: string;
  }[];
}

function editFigures(runs: string): Pick<Figures, "rows" | "differences"> {
  const files = [
    ["untrained", "memupdate-0-asked.json"],
    ["after the demonstrations", "memupdate-started-asked.json"],
    ...["1", "2", "3"].map((seed) => [`seed ${seed}`, `memupdate-${seed}-asked.json`] as const),
  ] as const;
  const read = files
    .map(([policy, file]) => ({ policy, file: join(runs, file) }))
    .filter(({ file }) => existsSync(file))
    .map(({ policy, file }) => ({ policy, each: (JSON.parse(readFileSync(file, "utf8")) as Edits).each }));
  const rows = read.map(({ policy, each }) => {
    const values = each.map(({ reward, conversation }) => ({ value: reward, cluster: conversation }));
    const { low, high } = meanInterval(values);
    const calls = each.reduce(
      (sum, { validCalls, malformed, failed }) => sum + validCalls + malformed + failed,
      0,
    );
    const valid = each.reduce((sum, { validCalls }) => sum + validCalls, 0);
    return {
      policy,
      questions: each.length,
      value: rounded(mean(each.map(({ reward }) => reward))),
      interval: [rounded(low), rounded(high)],
      more: {
        "calls per episode": rounded(calls / each.length),
        "valid calls": rounded(valid / Math.max(1, calls)),
        "stores changed": rounded(mean(each.map(({ wrote }) => Number(wrote !== "")))),
        "gain of the shown question": rounded(mean(each.map(({ shownGain }) => shownGain))),
        "of others": rounded(mean(each.map(({ heldOutGain }) => heldOutGain))),
      },
    };
  });
  const couples = read.flatMap((after) =>
    read
      .filter(
        (before) =>
          before.policy !== after.policy && after.policy !== "untrained" && !before.policy.startsWith("seed"),
      )
      .map((before) => {
        const values = after.each.flatMap(({ id, reward, conversation }) => {
          const other = before.each.find((one) => one.id === id);
          return other === undefined ? [] : [{ value: reward - other.reward, cluster: conversation }];
        });
        const { low, high } = meanInterval(values);
        return {
          policy: `${after.policy} - ${before.policy}`,
          questions: values.length,
          value: rounded(mean(values.map(({ value }) => value))),
          interval: [rounded(low), rounded(high)],
          p: signFlipP(values.map(({ value }, i) => ({ value, cluster: String(i) }))),
        };
      }),
  );
  const adjusted = holm(couples.map(({ p }) => p));
  return {
    rows,
    differences: couples.map(({ p: _, ...row }, i) => ({ ...row, holm: rounded(adjusted[i] ?? 1) })),
  };
}

function writeFigures(agent: AgentName, runs: string, machine: string, cost: string): void {
  const recipe = readFileSync(new URL(recipes[agent], root));
  const version = `sha256 ${createHash("sha256").update(recipe).digest("hex").slice(0, 16)}`;
  const commands =
    agent === "memupdate"
      ? "`bench/learning/locomo-demonstrations.ts`, `palimpsest train sft`, `bench/gpu/cluster.sh RECIPE 1 STEPS FOLDER --seed N`, `bench/gpu/store-edits.ts`; every third question of LoCoMo's held-out conversations, greedily"
      : "`bench/gpu/cluster.sh RECIPE 1 STEPS FOLDER --seed N`, its evaluation taken out; `bench/gpu/by-length.ts`; `bench/gpu/by-length-pairs.ts`; HotpotQA's development questions, greedily";
  // What was written by hand stays.
  const earlier = existsSync(resultOf(agent)) ? figuresOf(agent) : undefined;
  const figures: Figures = {
    machine,
    model:
      "Qwen2.5-Coder-0.5B-Instruct (from Q4_K_M, embeddings tied to the Q8_0 output matrix), adapters of rank 16",
    recipe: { file: recipes[agent], version },
    cost,
    commands: earlier?.commands ?? commands,
    metric: agent === "memupdate" ? "reward" : "F1",
    ...(agent === "memupdate" ? editFigures(runs) : readingFigures(runs, agent)),
    rewards: rewardsOf(runs, agent),
    ...(earlier?.notes ? { notes: earlier.notes } : {}),
  };
  writeResult(resultOf(agent).pathname, figures);
}

if (process.argv[1] === import.meta.filename) {
  const flags = benchFlags({ runs: undefined, machine: "", cost: "" });
  for (const agent of agents) {
    const isThere = flags.runs !== undefined && existsSync(join(flags.runs, `${agent}-0-asked.json`));
    if (flags.runs !== undefined && isThere) writeFigures(agent, flags.runs, flags.machine, flags.cost);
    const figures = figuresOf(agent);
    writeFileSync(plotOf(agent), plot(agent, figures));
    writeFileSync(pageOf(agent), pageWith(readFileSync(pageOf(agent), "utf8"), sectionOf(agent, figures)));
  }
}
