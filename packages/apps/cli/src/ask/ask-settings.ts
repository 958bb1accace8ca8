import {
  type AgentSettings,
  agentKinds,
  type ReadingAgentSettings,
  readingAgentSettingsSchema,
} from "@palimpsest/agents";
import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import type { AgentModel } from "../models/agent-model.js";

/** The kinds of agents that read a document. */
const askAgents = agentKinds.filter(({ reads }) => reads !== null).map(({ kind }) => kind);

export interface AskWishes {
  /** The kind of the agent. Default: that of the trained agent, or memagent. */
  readonly agent?: string | undefined;
  readonly preset?: string | undefined;
  /** Settings of the agent that a run trained, if the model comes from a run. */
  readonly trained?: AgentSettings | undefined;
  /** Settings that replace the preset's, by name. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly question: string;
}

export interface ChosenSettings {
  readonly settings: ReadingAgentSettings;
  /** The choices and their reasons, for the user. */
  readonly notes: readonly string[];
}

/**
 * Number of parameters below which a model counts as small: such models follow examples but no instructions, lose the
 * thread in long prompts, and read them slowly on a CPU.
 */
const smallModelParameters = 1e9;
const smallModelContext = 2048;
/** Tokens are estimated from the text (encodePieces of @palimpsest/engines), not with the server's tokenizer. */
const guessedShare = 0.7;
const leastChunkTokens = 16;
/** Below this, sections are as long as what could be read at once. */
const leastWholeTokens = 256;

/**
 * Returns the settings of a module's agent if the model was trained as one and no other agent is requested; else
 * undefined.
 * @param wishes.set may contain a temperature, which belongs to the command and not to the module
 */
export function moduleSettings({
  agent,
  preset,
  trained,
  set,
}: Pick<AskWishes, "agent" | "preset" | "trained" | "set">):
  | { readonly settings: AgentSettings; readonly notes: readonly string[] }
  | undefined {
  if (trained?.kind !== "module" || agent !== undefined || preset !== undefined) return undefined;
  const { temperature: _, ...own } = set;
  return {
    settings: { ...trained, config: { ...trained.config, ...own } },
    notes: ["asks with the agent that the run trained (--agent memagent reads section by section instead)"],
  };
}

/**
 * Refuses settings that no model can take, before one is fetched and loaded.
 * @throws {PalimpsestError} CONFIG_INVALID naming the setting and the fix
 */
export function checkWishes(wishes: AskWishes): void {
  if (moduleSettings(wishes) !== undefined) return;
  const { agent, trained } = agentOf(wishes);
  parse({
    kind: agent,
    preset: trained?.preset ?? wishes.preset ?? agent,
    settings: { ...trained?.config, ...wishes.set },
  });
}

/** Returns the kind of the agent, and how a run trained it if its settings are wished. */
function agentOf({ agent, preset, trained }: AskWishes) {
  const kind = agent ?? askAgents.find((one) => one === trained?.kind) ?? "memagent";
  const asTrained = preset === undefined && trained?.kind === kind;
  return { agent: kind, ...(asTrained ? { trained } : {}) };
}

/**
 * Returns settings that suit the model: the preset for its size, reduced to its context.
 * @throws {PalimpsestError} CONFIG_INVALID naming the setting and the fix
 */
export function chooseSettings(
  wishes: AskWishes,
  model: Pick<AgentModel, "tokenizer" | "chat" | "contextTokens" | "parameterCount" | "trainable">,
): ChosenSettings {
  const { set } = wishes;
  const { agent, trained } = agentOf(wishes);
  if (trained !== undefined) {
    const settings = parse({ kind: agent, preset: trained.preset, settings: { ...trained.config, ...set } });
    return {
      settings,
      notes: [
        `reads with the settings with which the run was trained (--preset ${agent} uses the usual settings instead)`,
      ],
    };
  }
  const chats = model.chat !== undefined || model.tokenizer.specialTokenId("<|im_start|>") !== undefined;
  const preset = wishes.preset ?? (!chats ? "tiny" : isSmall(model) ? "small" : agent);
  const wanted = parse({ kind: agent, preset, settings: set });
  if (preset === "tiny") return { settings: wanted, notes: [] };
  const wholeTokens = wholeTokensOf(wanted, { ...wishes, agent }, model);
  const whole = wholeTokens === undefined ? {} : { wholeTokens };
  const notes = wishes.preset === undefined && preset === "small" ? [smallNote(wanted, whole, model)] : [];
  if (model.contextTokens === undefined) {
    const { chunkTokens } = wanted.config;
    const note = `the server does not report the context length of its model; sections have ${chunkTokens} tokens (if that is too many, use a smaller --set chunkTokens=…)`;
    return { settings: wanted, notes: [...notes, note] };
  }
  const fitted = fit(wanted.config, contextOf(model), { ...wishes, agent }, model);
  const { chunkTokens, memoryTokens, finalTokens } = wanted.config;
  const usual: Readonly<Record<string, number>> = { chunkTokens, memoryTokens, finalTokens };
  const changed = Object.entries(fitted).filter(([name, value]) => value !== usual[name]);
  const settings = parse({ kind: agent, preset, settings: { ...set, ...whole, ...fitted } });
  if (changed.length === 0) return { settings, notes };
  const list = changed.map(([name, value]) => `${name}=${value}`).join(" ");
  return {
    settings,
    notes: [
      ...notes,
      `reduced for a context of ${model.contextTokens} tokens: ${list} (--set replaces them)`,
    ],
  };
}

/** Returns whether a model is small. A server's model counts as large: its size is unknown, but usually large. */
const isSmall = ({ parameterCount = Number.POSITIVE_INFINITY }: Pick<AgentModel, "parameterCount">) =>
  parameterCount < smallModelParameters;

function smallNote(
  { kind, config }: ReadingAgentSettings,
  { wholeTokens }: { readonly wholeTokens?: number },
  { parameterCount = 0 }: Pick<AgentModel, "parameterCount">,
): string {
  const { chunkTokens, memoryTokens } = config;
  const whole =
    wholeTokens === undefined ? "" : `texts of up to ${wholeTokens} tokens at once, longer ones in `;
  return `for a model of ${Math.round(parameterCount / 1e6)} million parameters: prompts with examples, ${whole}sections of ${chunkTokens} tokens, a memory of ${memoryTokens} (preset small; --preset ${kind} uses the usual settings)`;
}

/**
 * Returns the length up to which a local model reads a text whole, in its comfortable context (bench/ask.ts). Undefined
 * if the user sets sections, or for agents without it.
 */
function wholeTokensOf(
  { kind, config }: ReadingAgentSettings,
  { set, question }: AskWishes,
  model: Pick<AgentModel, "tokenizer" | "contextTokens" | "parameterCount" | "trainable">,
): number | undefined {
  if (kind !== "memagent" || model.parameterCount === undefined) return undefined;
  if (set["chunkTokens"] !== undefined || set["wholeTokens"] !== undefined) return undefined;
  const examples = config.finalExamples.map(({ user, assistant }) => `${user}\n${assistant}\n`).join("");
  const asked = config.finalPrompt.replaceAll("{question}", question);
  const prompt = model.tokenizer.encode(`${examples}${asked}`).length + 64;
  const room = contextOf(model) - prompt - config.finalTokens;
  return room >= leastWholeTokens ? room - (room % 64) : undefined;
}

interface ReadingConfig {
  readonly chunkTokens: number;
  readonly memoryTokens: number;
  readonly finalTokens: number;
  readonly memoryPrompt: string;
  readonly memoryExamples: readonly { readonly user: string; readonly assistant: string }[];
}

function contextOf(model: Pick<AgentModel, "contextTokens" | "parameterCount" | "trainable">): number {
  const { contextTokens = 0, trainable } = model;
  const context = trainable ? contextTokens : Math.floor(contextTokens * guessedShare);
  return isSmall(model) ? Math.min(context, smallModelContext) : context;
}

function fit(
  config: ReadingConfig,
  context: number,
  { agent, set, question }: AskWishes,
  { tokenizer, contextTokens }: Pick<AgentModel, "tokenizer" | "contextTokens">,
) {
  const given = (name: keyof ReadingConfig) => set[name] !== undefined;
  const reading = agentKinds.find(({ kind }) => kind === agent)?.reads ?? { memories: 2, memoryShare: 16 };
  const least = (share: number) => Math.max(64, Math.floor(context / share));
  const memoryTokens = given("memoryTokens")
    ? config.memoryTokens
    : Math.min(config.memoryTokens, least(reading.memoryShare));
  const finalTokens = given("finalTokens") ? config.finalTokens : Math.min(config.finalTokens, least(8));
  const memories = reading.memories * memoryTokens;
  const examples = config.memoryExamples.map(({ user, assistant }) => `${user}\n${assistant}\n`).join("");
  const asked = config.memoryPrompt.replaceAll("{question}", question);
  const prompt = tokenizer.encode(`${examples}${asked}`).length + 64;
  const room = (given("chunkTokens") ? (contextTokens ?? context) : context) - prompt - memories;
  if (given("chunkTokens") && config.chunkTokens > room) {
    throw new PalimpsestError(
      "CONFIG_INVALID",
      `chunkTokens: a section of ${config.chunkTokens} tokens, a prompt of ${prompt} and ${memories} for memories exceed the model's context of ${contextTokens} tokens; set chunkTokens to at most ${Math.max(0, room)}, or give a local model a larger --context`,
    );
  }
  const even = room > 256 ? room - (room % 64) : room;
  const chunkTokens = given("chunkTokens") ? config.chunkTokens : Math.min(config.chunkTokens, even);
  if (chunkTokens >= leastChunkTokens) return { chunkTokens, memoryTokens, finalTokens };
  throw new PalimpsestError(
    "CONFIG_INVALID",
    `model: a context of ${contextTokens} tokens leaves ${Math.max(0, room)} for a section after a prompt of ${prompt} and ${memories} for memories; ask a shorter question, use a smaller --set memoryTokens=…, or use a model with a longer context`,
  );
}

function parse(input: Readonly<Record<string, unknown>>): ReadingAgentSettings {
  return parseInput(
    readingAgentSettingsSchema,
    input,
    (problem) => new PalimpsestError("CONFIG_INVALID", `agent settings: ${problem}`),
  );
}
