import { basename, join } from "node:path";
import type { AgentKind, AgentSettings, EpisodeResult } from "@palimpsest/agents";
import {
  createSystem,
  type EvalItem,
  type EvalSettings,
  type ItemOutcome,
  PredictionCache,
  pairsBetween,
  pairsOf,
  pairsWithRuns,
  type ReportSection,
  readEarlierRuns,
  runSuite,
  type Scorer,
  type SuiteProgress,
  type SuiteReport,
  type SuiteRun,
  type SuiteSummary,
  type System,
  type SystemRun,
  type SystemSettings,
  suiteJson,
  suiteMarkdown,
  summarizeSuite,
  systemAgent,
  systemSettings,
  TraceFile,
  traceOutcome,
  writeSuiteReport,
} from "@palimpsest/evals";
import type { TrajectoryReward } from "@palimpsest/rewards";
import { agentEmbedder, type OpenedEmbedder, openEmbedder } from "@palimpsest/trainer";
import { stopSignal } from "../input/signals.js";
import { type AgentModel, deadlineOf, identityOf, openAgentModel } from "../models/agent-model.js";
import { type EvalFlags, splitName, suiteOutput } from "./eval-flags.js";
import { evalProgress } from "./eval-progress.js";
import { trainedAgent, trainedModule } from "./trained-agent.js";

/** Runs, resumes, reports and compares an evaluation. */
export async function runEvaluation(plan: EvalPlan, flags: EvalFlags, settings: EvalSettings): Promise<void> {
  const names = flags.systems ?? settings.run ?? plan.usual;
  const earlier = await readEarlierRuns(flags.compare ?? []);
  const { run, models } = await askSystems(plan, names, flags, settings);
  const summary = summarizeSuite(run);
  const report: SuiteReport = {
    title: plan.title,
    facts: {
      ...(models.length > 0 ? { model: models.join("; ") } : {}),
      ...plan.facts,
      ...settingFacts(flags, settings),
    },
    summary,
    pairs: pairsOf(summary),
    ...(plan.sections ? { sections: plan.sections(run) } : {}),
    ...comparisonWith(earlier, summary, nameOfRun(flags)),
  };
  const paths = flags.out === undefined ? [] : await writeSuiteReport(flags.out, report);
  if (flags.json) suiteOutput.printText(suiteJson(report));
  else process.stdout.write(suiteMarkdown(report));
  for (const path of paths) process.stderr.write(`wrote ${path}\n`);
}

/**
 * Asks systems the questions of a plan, models one after another, and keeps the answers.
 * @param names the systems, each with its model behind an @ if it is not that of the flags
 */
export async function askSystems(
  plan: AskedPlan,
  names: readonly string[],
  flags: EvalFlags,
  settings: Omit<EvalSettings, "run">,
): Promise<{ readonly run: SuiteRun; readonly models: readonly string[] }> {
  const signal = stopSignal();
  // Recipes are validated before a model is loaded.
  for (const name of names) {
    const { system, model = flags.model } = splitName(name);
    const asked = systemSettings(system, settings);
    if (asked.kind === "trained") trainedAgent(asked.recipe, model, flags.model);
  }
  const cache =
    flags.out === undefined ? undefined : await PredictionCache.open(join(flags.out, "predictions.jsonl"));
  const runs = new Map<string, SystemRun>();
  const models: string[] = [];
  const embedders: OpenedEmbedder[] = [];
  const tracing = await openEvalTraces(flags.trace, plan);
  const { scripts = [] } = plan;
  const progress = evalProgress(process.stderr, names.length + Math.min(1, scripts.length));
  const asking = {
    suite: plan.suite,
    items: plan.items,
    scorer: plan.scorer,
    concurrency: settings.concurrency,
    seed: flags.seed,
    signal,
    onProgress: progress.show,
  };
  try {
    for (const [modelName, own] of byModel(names, flags)) {
      const model = await openModel(modelName, flags, settings, signal);
      models.push(model.name);
      try {
        const systems: System[] = [];
        for (const label of own) {
          const system = systemSettings(splitName(label).system, settings);
          const trained = (recipe: string | undefined) => trainedAgent(recipe, modelName, flags.model);
          const module =
            system.kind === "trained"
              ? await trainedModule(system.recipe, modelName, flags.model)
              : undefined;
          const embedder = await openAgentEmbedder(label, system, trained, module);
          embedders.push(embedder);
          systems.push(
            createSystem({
              label,
              system,
              settings,
              model: { ...model, identity: identityOf(model, flags.endpoint), ...(module ? { module } : {}) },
              trainedAgent: trained,
              ...(plan.reward ? { reward: plan.reward } : {}),
              ...(embedder.embedder ? { agentEmbedder: embedder.embedder } : {}),
              ...(tracing ? { onEpisode: tracing.episodeOf(label) } : {}),
            }),
          );
        }
        const run = await runSuite({
          ...asking,
          systems,
          ...(tracing ? { onOutcome: tracing.outcomeWith(model) } : {}),
          ...(cache === undefined ? {} : { cache }),
        });
        for (const one of run.systems) runs.set(one.system, one);
      } finally {
        for (const embedder of embedders.splice(0)) await embedder.close();
        await model.close();
      }
    }
    if (scripts.length > 0) {
      // After the models, which may be missing. The first script computes what the others look up.
      const onProgress = (one: SuiteProgress) => {
        if (one.systemsDone === 0) progress.show({ ...one, system: "without a model" });
      };
      const { systems } = await runSuite({ ...asking, onProgress, systems: scripts });
      for (const one of systems) runs.set(one.system, one);
    }
  } finally {
    progress.close();
  }
  const run = {
    suite: plan.suite,
    seed: flags.seed,
    scorer: plan.scorer,
    items: plan.items,
    systems: [...names, ...scripts.map(({ name }) => name)].flatMap((name) => runs.get(name) ?? []),
  };
  return { run, models };
}

/** Compares a run with an earlier one, or with several training runs at once. */
function comparisonWith(
  earlier: Parameters<typeof pairsWithRuns>[0],
  summary: SuiteSummary,
  after: string,
): Pick<SuiteReport, "comparison"> {
  const [first, ...others] = earlier;
  if (first === undefined) return {};
  return {
    comparison:
      others.length === 0
        ? pairsBetween(first.summary, summary, { before: basename(first.name), after })
        : pairsWithRuns(earlier, summary, after),
  };
}

const nameOfRun = (flags: EvalFlags) => (flags.out === undefined ? "this run" : basename(flags.out));

function settingFacts(flags: EvalFlags, settings: EvalSettings): Record<string, string | number> {
  return {
    temperature: settings.temperature,
    seed: flags.seed,
    concurrency: settings.concurrency,
    ...(flags.settings === undefined ? {} : { settings: basename(flags.settings) }),
    ...(flags.set.length === 0 ? {} : { set: flags.set.join(" ") }),
  };
}

/** Opens the embedder of an agent's store if it is a server or a model, which the agent cannot open itself. */
async function openAgentEmbedder(
  label: string,
  system: SystemSettings,
  trained: (recipe: string | undefined) => AgentSettings,
  module: AgentKind | undefined,
): Promise<OpenedEmbedder> {
  const isAgent = system.kind === "agent" || system.kind === "trained";
  const agent = isAgent ? systemAgent(label, system, trained) : undefined;
  return await openEmbedder(agent && agentEmbedder(agent, module), { environment: process.env });
}

/** Groups systems by their model, so that the models are in memory one after another. */
function byModel(names: readonly string[], flags: EvalFlags): Map<string | undefined, string[]> {
  const groups = new Map<string | undefined, string[]>();
  for (const name of names) {
    const { model = flags.model } = splitName(name);
    groups.set(model, [...(groups.get(model) ?? []), name]);
  }
  return groups;
}

async function openModel(
  name: string | undefined,
  { endpoint, tokenizer, backend, ignoreConfig, timeout }: EvalFlags,
  { concurrency, maxLength }: EvalSettings,
  signal: AbortSignal,
): Promise<AgentModel> {
  return await openAgentModel({
    ...(name === undefined ? {} : { model: name }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(tokenizer === undefined ? {} : { tokenizer }),
    ...(backend === undefined ? {} : { backend }),
    ignoreConfig,
    engine: deadlineOf(timeout),
    parallel: concurrency,
    ...(maxLength === undefined ? {} : { maxLength }),
    signal,
  });
}

/** Appends evaluated items to a trace file; undefined if no file is named. */
async function openEvalTraces(path: string | undefined, { suite, scorer }: AskedPlan) {
  if (path === undefined) return undefined;
  const file = await TraceFile.open(path);
  /** Finished episodes that are not scored yet. */
  const episodes = new Map<string, EpisodeResult>();
  const keyOf = (system: string, item: EvalItem) => `${system}\n${item.id}`;
  return {
    episodeOf: (system: string) => (item: EvalItem, episode: EpisodeResult) => {
      episodes.set(keyOf(system, item), episode);
    },
    outcomeWith: (model: AgentModel) => async (system: string, item: EvalItem, outcome: ItemOutcome) => {
      const key = keyOf(system, item);
      const trace = traceOutcome({
        system,
        item,
        outcome,
        episode: episodes.get(key),
        tokenizer: model.tokenizer,
        model: model.name,
        run: suite,
        metric: scorer.metrics[0]?.name ?? "",
      });
      episodes.delete(key);
      await file.append(trace);
    },
  };
}

/** The questions that systems are asked. */
interface AskedPlan {
  readonly suite: string;
  readonly items: readonly EvalItem[];
  readonly scorer: Scorer;
  /** Systems without a model, which are asked last. */
  readonly scripts?: readonly System[];
  /** Scores the episodes of agents, where the questions are hidden from them. */
  readonly reward?: TrajectoryReward;
}

/** The evaluation that a command defines. The systems come from flags and settings. */
interface EvalPlan extends AskedPlan {
  readonly title: string;
  /** The systems that are evaluated if neither flags nor settings name any. */
  readonly usual: readonly string[];
  /** Further lines under the title: the data and its settings. */
  readonly facts: Readonly<Record<string, string | number>>;
  /** Sections of the report that only this suite has. */
  readonly sections?: (run: SuiteRun) => readonly ReportSection[];
}
