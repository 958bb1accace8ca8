import { z } from "zod";
import type { AgentKind, AgentModel } from "./agent-kind.js";
import { callback, checkArgument, checkRun } from "./agent-parts.js";
import type { Agent, AgentTask, EpisodeResult, RunOptions } from "./episode.js";
import { EpisodeLog } from "./episode-log.js";
import { AgentError } from "./error.js";
import { type OwnEpisode, Replies, replyPrompts } from "./own-episode.js";

/** The default export of a module, so that a recipe can name it as `agent: { module: ./my-agent.ts }`. */
export interface AgentModule extends AgentKind {
  readonly provides: "agent";
}

/** The result of one episode of your own agent. */
export interface OwnResult {
  readonly answer: string;
  /** The last memory, for display; default: the last note. */
  readonly memory?: string;
}

/** Properties that every agent of your own declares. */
interface AgentBasics<Config extends object> {
  /** The agent's name in traces and results: lower-case letters, digits and dashes. */
  readonly kind: string;
  /** One-line description for people. */
  readonly description?: string;
  /** Schema of the agent's settings in a recipe, such as `z.strictObject({})` for none. */
  readonly settings: z.ZodType<Config>;
  /** Returns the text before and after the filler of a reply of maximum length, for `--dry-run`. Default: no text. */
  longestReply?(settings: Config): readonly [before: string, after: string];
}

/** An agent that asks the model and returns the answer: conversations, counts and traces are recorded for it. */
export interface AgentDefinition<Config extends object> extends AgentBasics<Config> {
  /** Special tokens that end a reply of a model without a chat template, such as `["<|end|>"]`. */
  readonly stopTokens?: readonly string[];
  /** Runs one episode. Random numbers must come from `episode.random`, so that a run can be repeated. */
  run(task: AgentTask, episode: OwnEpisode, settings: Config): Promise<OwnResult>;
}

/** An agent that samples and records its conversations itself. */
export interface WholeAgentDefinition<Config extends object> extends AgentBasics<Config> {
  /** Creates the agent. @throws {AgentError} BAD_CONFIG if settings and model do not fit together */
  create(settings: Config, model: AgentModel): Agent;
}

const basics = {
  kind: z.string().min(1),
  description: z.string().optional(),
  settings: z.custom<object>((value) => value instanceof z.ZodType, {
    error: "must be a schema, such as z.strictObject({})",
  }),
  longestReply: callback.optional(),
};
const definitionSchema = z.union([
  z.strictObject({ ...basics, create: callback }),
  z.strictObject({ ...basics, run: callback, stopTokens: z.array(z.string()).optional() }),
]);

/**
 * Defines an agent of your own. If you give `run`, conversations, log-probs, counts and traces are recorded for you;
 * give `create` for an agent that records them itself.
 */
export function defineAgent<Config extends object>(
  definition: AgentDefinition<Config> | WholeAgentDefinition<Config>,
): AgentModule {
  checkArgument(definitionSchema, definition, "defineAgent()");
  const { kind, description = "an agent of your own", settings: schema, longestReply } = definition;
  const made: AgentKind<Config> = {
    kind,
    description,
    presets: {},
    schema,
    reads: null,
    create: (settings, model) =>
      "create" in definition ? definition.create(settings, model) : ownAgent(definition, settings, model),
    ...(longestReply ? { longestReply } : {}),
  };
  return { provides: "agent", ...made };
}

function ownAgent<Config extends object>(
  definition: AgentDefinition<Config>,
  settings: Config,
  model: AgentModel,
): Agent {
  const { kind: name, stopTokens = [] } = definition;
  const prompts = replyPrompts(model, stopTokens);
  return {
    name,
    async run(task: AgentTask, options: RunOptions = {}): Promise<EpisodeResult> {
      checkRun(name, task, options);
      options.signal?.throwIfAborted();
      if (options.resumeFrom !== undefined)
        throw new AgentError(
          "BAD_STATE",
          `resumeFrom: agent "${name}" has no states to resume from; run the episode from the beginning`,
        );
      const startedAtMs = Date.now();
      const log = new EpisodeLog(model.sampler, { temperature: 1, topP: 1 }, prompts.stopTokenIds, options);
      const replies = new Replies(model, prompts, log, options);
      const { answer, memory = replies.lastNote } = await definition.run(task, replies, settings);
      replies.finish();
      const told = log.result();
      return {
        ...told,
        // Concurrent conversations are recorded in the order of their requests, not of their replies.
        conversations: [...told.conversations].sort((a, b) => a.step - b.step),
        answer,
        memory,
        documentTokens: 0,
        droppedDocumentTokens: 0,
        startedAtMs,
        endedAtMs: Date.now(),
        counters: replies.counters,
      };
    },
  };
}
