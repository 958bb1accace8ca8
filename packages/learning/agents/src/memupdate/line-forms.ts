import type { MemoryToolName } from "@palimpsest/memory";
import type { LineForm } from "../tools/line-calls.js";

/**
 * Returns the forms in which lines call the six memory tools:
 *
 *     search WORDS            create TEXT           update ID TEXT        delete ID
 *     sample K [STRATEGY]     merge ID ID … [: TEXT]                      split ID [CRITERIA]
 *
 * Ids may be in brackets, as full results show them. A verb without its arguments is a call, which its tool refuses.
 * @param topK how many memories a search returns
 */
export function memoryLineForms(topK: number): readonly (LineForm & { readonly tool: MemoryToolName })[] {
  return [
    { tool: "search_memory", form: "search WORDS", read: (query) => ({ query, top_k: topK }) },
    { tool: "manage_memory", form: "create TEXT", read: (content) => ({ operation: "create", content }) },
    {
      tool: "manage_memory",
      form: "update ID TEXT",
      read(rest) {
        const [id, content] = firstWord(rest);
        return { operation: "update", memory_id: bareId(id), content };
      },
    },
    { tool: "delete_memory", form: "delete ID", read: (id) => ({ memory_id: bareId(id) }) },
    {
      tool: "sample_memory",
      form: "sample COUNT random|diverse|recent",
      read(rest) {
        const [count, strategy] = firstWord(rest);
        return { k: Number(count), ...(strategy === "" ? {} : { strategy }) };
      },
    },
    { tool: "merge_memory", form: "merge ID ID: TEXT", read: merged },
    {
      tool: "split_memory",
      form: "split ID temporal|thematic|speaker",
      read(rest) {
        const [id, criteria] = firstWord(rest);
        return { memory_id: bareId(id), criteria: criteria === "" ? "thematic" : criteria };
      },
    },
  ];
}

function merged(rest: string) {
  const [ids = "", ...texts] = rest.split(":");
  const content = texts.join(":").trim();
  const memory_ids = ids
    .split(/\s+/)
    .filter((id) => id !== "")
    .map(bareId);
  return { memory_ids, strategy: "summarize", ...(content === "" ? {} : { content }) };
}

function firstWord(text: string): [string, string] {
  const [, first = "", rest = ""] = /^(\S*)\s*(.*)$/.exec(text) ?? [];
  return [first, rest];
}

/** Removes the brackets around an id: "[m12]" becomes "m12". */
const bareId = (id: string): string => /^\[(.+)\]$/.exec(id)?.[1] ?? id;
