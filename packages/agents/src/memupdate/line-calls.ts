import type { ToolCall } from "./tool-calls.js";

/**
 * Calls as lines of plain words, for models with little room: a verb, then what it needs.
 *
 *     search WORDS            create TEXT           update ID TEXT        delete ID
 *     sample K [STRATEGY]     merge ID ID … [: TEXT]                      split ID [CRITERIA]
 *
 * Ids may stand in brackets, as full results show them. Lines that begin with another word are talk. A verb without what
 * it needs is a call that its tool refuses.
 * @param topK memories that a search returns
 */
export function parseCallLines(text: string, topK: number): { calls: ToolCall[]; content: string } {
  const calls: ToolCall[] = [];
  const talk: string[] = [];
  for (const line of text.split("\n")) {
    const [, verb = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
    const form = Object.hasOwn(forms, verb) ? forms[verb as keyof typeof forms] : undefined;
    if (form === undefined) talk.push(line);
    else calls.push(form(rest, topK));
  }
  return { calls, content: talk.join("\n") };
}

const forms = {
  search: (query: string, topK: number) => call("search_memory", { query, top_k: topK }),
  create: (content: string) => call("manage_memory", { operation: "create", content }),
  update(rest: string) {
    const [id, content] = firstWord(rest);
    return call("manage_memory", { operation: "update", memory_id: bareId(id), content });
  },
  delete: (id: string) => call("delete_memory", { memory_id: bareId(id) }),
  sample(rest: string) {
    const [count, strategy] = firstWord(rest);
    return call("sample_memory", { k: Number(count), ...(strategy === "" ? {} : { strategy }) });
  },
  merge(rest: string) {
    const [ids = "", ...texts] = rest.split(":");
    const content = texts.join(":").trim();
    const memory_ids = ids
      .split(/\s+/)
      .filter((id) => id !== "")
      .map(bareId);
    return call("merge_memory", {
      memory_ids,
      strategy: "summarize",
      ...(content === "" ? {} : { content }),
    });
  },
  split(rest: string) {
    const [id, criteria] = firstWord(rest);
    return call("split_memory", { memory_id: bareId(id), criteria: criteria === "" ? "thematic" : criteria });
  },
} as const;

const call = (name: string, given: Readonly<Record<string, unknown>>): ToolCall => ({
  name,
  arguments: given,
});

function firstWord(text: string): [string, string] {
  const [, first = "", rest = ""] = /^(\S*)\s*(.*)$/.exec(text) ?? [];
  return [first, rest];
}

/** "[m12]" → "m12" */
const bareId = (id: string): string => /^\[(.+)\]$/.exec(id)?.[1] ?? id;
