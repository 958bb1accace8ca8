import {
  type Agent,
  type AgentKind,
  type AgentSettings,
  agentConfigOf,
  agentKindOf,
  createAgent,
  type Sampler,
  type Tokenizer,
} from "@palimpsest/agents";
import type { Bucket } from "@palimpsest/learner";
import { hashedEmbedder } from "@palimpsest/memory";
import { ModelError } from "@palimpsest/model";
import type { Conversation, ConversationKind, Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { PlannedModel } from "./plan-source.js";

/** The extent of one conversation. */
export interface ConversationExtent {
  readonly kind: ConversationKind;
  readonly promptTokens: number;
  /** Tokens of everything that follows the prompt; in conversations with tools this includes the tools' results. */
  readonly replyTokens: number;
  /** The part of these tokens that is sampled and trained. */
  readonly trainedTokens: number;
  /** The tokens with which the prompt begins in every episode of its question; 0 if no bucket shares them. */
  readonly commonTokens: number;
}

export interface EpisodeExtent {
  readonly documentTokens: number;
  /** With replies as long as the agent's settings allow. */
  readonly conversations: readonly ConversationExtent[];
  /** With replies of the share of that which is expected. */
  readonly expected: readonly ConversationExtent[];
}

export interface EpisodeMeter {
  /** Tokens that end a reply. */
  readonly stopTokenIds: ReadonlySet<number>;
  measure(task: Task, signal?: AbortSignal): Promise<EpisodeExtent>;
}

/**
 * Runs the recipe's own agent with replies as long as its settings allow, so that the result is an upper bound for any
 * agent, and with shorter ones that are to be expected; where a bucket shares prompts once more with other replies, so that what both
 * prompts begin with is known.
 * @param options.replyShare expected length of a reply, as a share of its limit
 * @throws {AgentError} BAD_CONFIG
 */
export function episodeMeter(
  settings: AgentSettings,
  model: PlannedModel,
  options: {
    readonly module: AgentKind | undefined;
    readonly buckets: readonly Bucket[];
    readonly replyShare: number;
  },
): EpisodeMeter {
  const { tokenizer } = model;
  const isShared = options.buckets.some(({ sharedPrompts }) => sharedPrompts !== undefined);
  const stopTokenIds = new Set<number>();
  const [fill = 0, ...others] = tokenizer.encode(fillers);
  const longest = { fill, stopTokenIds, share: 1 };
  const first = plannedAgent(settings, model, options.module, longest);
  const short = plannedAgent(settings, model, options.module, { ...longest, share: options.replyShare });
  const other = others.find((id) => id !== fill) ?? fill;
  const second = isShared
    ? plannedAgent(settings, model, options.module, { ...longest, fill: other })
    : undefined;
  return {
    stopTokenIds,
    async measure(task, signal) {
      const { documentTokens, conversations } = await episodeOf(first, task, signal);
      const again = second === undefined ? undefined : await episodeOf(second, task, signal);
      const common = conversations.map(({ promptTokenIds }, i) =>
        commonTokens(promptTokenIds, again?.conversations[i]?.promptTokenIds ?? []),
      );
      const longest = conversations.map((conversation, i) => extentOf(conversation, common[i]));
      // An agent with tools goes on until its tokens are used up, and how it does with other replies says nothing about its length.
      const expected = longest.some(({ kind }) => kind === "tool")
        ? longest.map((extent) => shortened(extent, options.replyShare))
        : (await episodeOf(short, task, signal)).conversations.map((conversation, i) =>
            extentOf(conversation, common[i]),
          );
      return { documentTokens, conversations: longest, expected };
    },
  };
}

function extentOf(
  { kind, promptTokenIds, sampledTokenIds, lossMask }: Conversation,
  common = 0,
): ConversationExtent {
  return {
    kind,
    promptTokens: promptTokenIds.length,
    replyTokens: sampledTokenIds.length,
    trainedTokens:
      lossMask === undefined
        ? sampledTokenIds.length
        : Array.from(lossMask).filter((value) => value === 1).length,
    commonTokens: Math.min(common, promptTokenIds.length),
  };
}

/** Returns the extent with a share of its reply. */
export function shortened(extent: ConversationExtent, share: number): ConversationExtent {
  const [replyTokens, trainedTokens] = [extent.replyTokens, extent.trainedTokens].map((tokens) =>
    Math.max(1, Math.round(share * tokens)),
  ) as [number, number];
  return { ...extent, replyTokens, trainedTokens };
}

function commonTokens(one: Conversation["promptTokenIds"], other: Conversation["promptTokenIds"]): number {
  let t = 0;
  while (t < one.length && one[t] === other[t]) t += 1;
  return t;
}

/** Plays one episode. */
async function episodeOf(agent: Agent, task: Task, signal: AbortSignal | undefined) {
  const { id, question, document, records } = task;
  return await agent
    .run({ question, document, ...(records ? { records } : {}) }, signal ? { signal } : {})
    .catch((reason: unknown) => {
      if (signal?.aborted || !(reason instanceof ModelError)) throw reason;
      const said = reason.message.replace(/^\[\w+\] /, "");
      throw new PalimpsestError(
        "CONFIG_INVALID",
        `agent: the model's tokenizer cannot encode what ${agent.name} asks about question "${id}": ${said}; or leave such characters out of prompts and data, or use another model`,
        { cause: reason },
      );
    });
}

/** Returns the recipe's agent with a sampler whose replies are as long as they may be, of the token `fill`. */
function plannedAgent(
  settings: AgentSettings,
  { tokenizer, chat }: PlannedModel,
  module: AgentKind | undefined,
  {
    fill,
    stopTokenIds,
    share,
  }: { readonly fill: number; readonly stopTokenIds: Set<number>; readonly share: number },
): Agent {
  const form = agentKindOf(settings, module).longestReply?.(agentConfigOf(settings, module)) ?? ["", ""];
  const replies = new Map<number, readonly number[]>();
  const sampler: Sampler = {
    generate: async (request) => {
      for (const id of request.stopTokenIds) stopTokenIds.add(id);
      const maxTokens = Math.max(1, Math.round(share * request.maxTokens));
      const tokenIds = replies.get(maxTokens) ?? longestReply(form, tokenizer, maxTokens, fill);
      replies.set(maxTokens, tokenIds);
      return {
        tokenIds,
        rolloutLogprobs: tokenIds.map(() => 0),
        stopReason: "length",
        policyVersion: 0,
        weightsHash: "",
      };
    },
  };
  // The extent of an episode does not depend on what a store's search finds.
  const embedder = hashedEmbedder();
  return createAgent(settings, {
    sampler,
    tokenizer,
    embedder,
    ...(chat ? { chat } : {}),
    ...(module ? { module } : {}),
  });
}

/** The first token fills replies; the first other one those of a second episode. */
const fillers = " the of and";

/** Creates a reply of exactly this many tokens that the agent can parse. */
function longestReply(
  form: readonly [before: string, after: string],
  tokenizer: Tokenizer,
  maxTokens: number,
  fill: number,
): readonly number[] {
  const [before, after] = form.map((text) => tokenizer.encode(text)) as [number[], number[]];
  const room = maxTokens - before.length - after.length;
  if (room <= 0) return Array.from({ length: maxTokens }, () => fill);
  return [...before, ...Array.from({ length: room }, () => fill), ...after];
}
