import { type ReplyTags, readReplyAsReleased, readTaggedReply } from "@palimpsest/memory/text";
import type { GatedReply } from "../gates.js";
import { plainIds } from "../prompts/template.js";
import type { Tokenizer } from "../sampler.js";
import { segmentIds } from "../segment-ids.js";
import type { ReMemR1Config } from "./config.js";

/** What one reply says. */
export interface ReadReply {
  /** The text of the reply, without thinking and stop token. */
  readonly text: string;
  /** The new memory; null if there is none, so that the old one stays. */
  readonly memory: { readonly text: string; readonly tokenIds: readonly number[] } | null;
  /** The query for an earlier memory; null if there is none. */
  readonly query: string | null;
}

/**
 * Reads a reply as the settings say. A tagged memory whose ends are token boundaries keeps its sampled ids.
 * @param served whether the model is on a server, whose blank memories are none
 */
export function readReply(
  tokenizer: Tokenizer,
  config: ReMemR1Config,
  { tokenIds: content, keeps }: Pick<GatedReply, "tokenIds" | "keeps">,
  served: boolean,
): ReadReply {
  const text = tokenizer.decode(content);
  const tags: ReplyTags = { update: config.updateTag, recall: config.recallTag };
  if (config.memoryOf === "reply") {
    const { memory, query } = readReplyAsReleased(text, tags);
    if (keeps || (served && memory.trim() === "")) return { text, memory: null, query };
    return { text, memory: { text: memory, tokenIds: plainIds(tokenizer, memory) }, query };
  }
  const { update, recall } = readTaggedReply(text, tags);
  return {
    text,
    memory: keeps
      ? null
      : update && { text: update.text, tokenIds: segmentIds(tokenizer, content, text, update) },
    query: recall?.text ?? null,
  };
}
