import { stripWhiteSpace } from "./white-space.js";

/** Names of the tags in a reply. */
export interface ReplyTags {
  readonly update: string;
  readonly recall: string;
}

export const defaultReplyTags: ReplyTags = { update: "update", recall: "recall" };

/** A segment of a reply without its tags, as half-open offsets in UTF-16 units. */
export interface Segment {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The parsed reply of a memory agent. The agent, its evaluation and its rewards share this one parser. */
export interface TaggedReply {
  /** Content of the first `<update>` that is not blank; null when there is none. */
  readonly update: Segment | null;
  /** Number of `<update>` blocks that are not blank. */
  readonly updates: number;
  /** Content of the first `<recall>` that is not blank, untrimmed; null when there is none. */
  readonly recall: Segment | null;
}

/**
 * Parses a reply. Blocks may span lines; a block ends at the first closing tag; an unclosed or lone tag is not a block.
 */
export function readTaggedReply(text: string, tags: ReplyTags = defaultReplyTags): TaggedReply {
  const updates = blocksOf(text, tags.update).filter(isFull);
  const recalls = blocksOf(text, tags.recall).filter(isFull);
  return { update: updates[0] ?? null, updates: updates.length, recall: recalls[0] ?? null };
}

/**
 * Parses a reply as the code of ReMemR1 does: the query is on one line and extends to the line's last closing tag; the
 * memory is everything outside of recalls. Source: syr-cn/ReMemR1@43e69f3, recurrent/impls/memory_revisit.py.
 */
export function readReplyAsReleased(
  text: string,
  tags: ReplyTags = defaultReplyTags,
): { readonly memory: string; readonly query: string | null } {
  const [open, close] = marksOf(tags.recall);
  const query = new RegExp(`${open}(.+)${close}`, "u").exec(text)?.[1] ?? null;
  return { memory: stripWhiteSpace(text.replace(new RegExp(`${open}.*?${close}`, "gsu"), "")), query };
}

function blocksOf(text: string, tag: string): Segment[] {
  const [open, close] = marksOf(tag);
  return [...text.matchAll(new RegExp(`${open}(.*?)${close}`, "gsu"))].map((match) => {
    const content = match[1] as string;
    const start = match.index + tag.length + 2;
    return { text: content, start, end: start + content.length };
  });
}

const isFull = ({ text }: Segment) => stripWhiteSpace(text) !== "";

function marksOf(tag: string): [string, string] {
  const name = tag.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return [`<${name}>`, `</${name}>`];
}
