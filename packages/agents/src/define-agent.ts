import type { z } from "zod";
import type { AgentKind, AgentModel } from "./agent-kind.js";
import type { Agent, AgentTask, EpisodeResult, RunOptions } from "./episode.js";
import { EpisodeLog } from "./episode-log.js";
import { AgentError } from "./error.js";
import { type OwnEpisode, Replies, replyPrompts } from "./own-episode.js";

/** What a module exports as `default` so that a recipe can say `agent: { module: ./my-agent.ts }`. */
export interface AgentModule extends AgentKind {
  readonly provides: "agent";
}

/** What an agent of your own has made of one episode. */
export interface OwnResult {
  readonly answer: string;
  /** The last memory, for people; default: what was noted last. */
  readonly memory?: string;
}

/** What every agent of your own says of itself. */
interface AgentBasics<Config extends object> {
  /** Lower-case letters, digits and dashes; traces and results show it. */
  readonly kind: string;
  /** What it does, in one line for people. */
  readonly description?: string;
  /** Schema of what a recipe may set, such as `z.strictObject({})` for nothing. */
  readonly settings: z.ZodType<Config>;
  /** What stands before and after the filling of a reply as long as it may be, for `--dry-run`. Default: nothing. */
  longestReply?(settings: Config): readonly [before: string, after: string];
}

/** An agent that asks the model and says what the answer is: everything else is kept for it. */
export interface AgentDefinition<Config extends object> extends AgentBasics<Config> {
  /** Special tokens that end a reply of a model without a chat template, such as `["<|end|>"]`. */
  readonly stopTokens?: readonly string[];
  /** One episode. Anything random comes from `episode.random`, so that a run can be repeated. */
  run(task: AgentTask, episode: OwnEpisode, settings: Config): Promise<OwnResult>;
}

/** An agent that does its own sampling and its own books. */
export interface WholeAgentDefinition<Config extends object> extends AgentBasics<Config> {
  /** @throws {AgentError} BAD_CONFIG where settings and model do not fit together */
  create(settings: Config, model: AgentModel): Agent;
}

/**
 * An agent of your own: give `run`, and conversations, log-probs, counts and traces are kept for you; or `create` for an
 * agent that does it itself.
 */
export function defineAgent<Config extends object>(
  definition: AgentDefinition<Config> | WholeAgentDefinition<Config>,
): AgentModule {
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
      options.signal?.throwIfAborted();
      if (options.resumeFrom !== undefined)
        throw new AgentError(
          "BAD_STATE",
          `resumeFrom: an episode of ${name} cannot go on later, run it again`,
        );
      const startedAtMs = Date.now();
      const log = new EpisodeLog(model.sampler, { temperature: 1, topP: 1 }, prompts.stopTokenIds, options);
      const replies = new Replies(model, prompts, log, options);
      const { answer, memory = replies.lastNote } = await definition.run(task, replies, settings);
      replies.finish();
      const told = log.result();
      return {
        ...told,
        // Those that were asked at once are kept as they were asked, not as they were answered.
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
