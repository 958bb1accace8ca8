import {
  type AgentKind,
  type AgentSettings,
  agentConfigOf,
  agentKindOf,
  createAgent,
  type Sampler,
  type Tokenizer,
} from "@palimpsest/agents";
import { hashedEmbedder } from "@palimpsest/memory";
import { ModelError } from "@palimpsest/model";
import type { ConversationKind, Task } from "@palimpsest/trajectories";
import { PalimpsestError } from "@palimpsest/wire";
import type { PlannedModel } from "./plan-source.js";

/** The maximum extent of one conversation. */
interface ConversationExtent {
  readonly kind: ConversationKind;
  readonly promptTokens: number;
  /** Tokens of everything that follows the prompt; in conversations with tools this includes the tools' results. */
  readonly replyTokens: number;
  /** The part of these tokens that is sampled and trained. */
  readonly trainedTokens: number;
}

export interface EpisodeExtent {
  readonly documentTokens: number;
  readonly conversations: readonly ConversationExtent[];
}

export interface EpisodeMeter {
  /** Tokens that end a reply. */
  readonly stopTokenIds: ReadonlySet<number>;
  measure(task: Task, signal?: AbortSignal): Promise<EpisodeExtent>;
}

/**
 * Runs the recipe's own agent with replies as long as its settings allow, so that the result is an upper bound for any
 * agent.
 * @throws {AgentError} BAD_CONFIG
 */
export function episodeMeter(settings: AgentSettings, model: PlannedModel, module?: AgentKind): EpisodeMeter {
  const { tokenizer, chat } = model;
  const form = agentKindOf(settings, module).longestReply?.(agentConfigOf(settings, module)) ?? ["", ""];
  const stopTokenIds = new Set<number>();
  const replies = new Map<number, readonly number[]>();
  const sampler: Sampler = {
    generate: async (request) => {
      for (const id of request.stopTokenIds) stopTokenIds.add(id);
      const { maxTokens } = request;
      const tokenIds = replies.get(maxTokens) ?? longestReply(form, tokenizer, maxTokens);
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
  const agent = createAgent(settings, {
    sampler,
    tokenizer,
    embedder,
    ...(chat ? { chat } : {}),
    ...(module ? { module } : {}),
  });
  return {
    stopTokenIds,
    async measure({ id, question, document, records }, signal) {
      const { documentTokens, conversations } = await agent
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
      return {
        documentTokens,
        conversations: conversations.map(({ kind, promptTokenIds, sampledTokenIds, lossMask }) => ({
          kind,
          promptTokens: promptTokenIds.length,
          replyTokens: sampledTokenIds.length,
          trainedTokens:
            lossMask === undefined
              ? sampledTokenIds.length
              : Array.from(lossMask).filter((value) => value === 1).length,
        })),
      };
    },
  };
}

const filler = " the";

/** Creates a reply of exactly this many tokens that the agent can parse. */
function longestReply(
  form: readonly [before: string, after: string],
  tokenizer: Tokenizer,
  maxTokens: number,
): readonly number[] {
  const [before, after] = form.map((text) => tokenizer.encode(text)) as [number[], number[]];
  const fill = tokenizer.encode(filler)[0] as number;
  const room = maxTokens - before.length - after.length;
  if (room <= 0) return Array.from({ length: maxTokens }, () => fill);
  return [...before, ...Array.from({ length: room }, () => fill), ...after];
}
