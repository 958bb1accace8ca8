import type { ToolCallBlock } from "./tool-calls.js";

/** A form of calls as lines of plain words, for models with a short context: a verb, then its arguments. */
export interface LineForm {
  /** The tool that is called. */
  readonly tool: string;
  /** The verb and what follows it, as a prompt lists them, such as "search WORDS". */
  readonly form: string;
  /**
   * Parses the rest of a line.
   * @param rest the line after its verb, trimmed
   * @returns the tool's arguments, which the tool validates
   * @throws an error whose message the model is told, with the form
   */
  read(rest: string): unknown;
}

/**
 * Parses the lines of a text. A line that begins with the verb of a form is a call, malformed if the form cannot read
 * it; all other lines are content.
 */
export function parseCallLines(
  text: string,
  forms: readonly LineForm[],
): { blocks: ToolCallBlock[]; content: string } {
  const byVerb = new Map(forms.map((form) => [verbOf(form), form]));
  const blocks: ToolCallBlock[] = [];
  const talk: string[] = [];
  for (const line of text.split("\n")) {
    const [, verb = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
    const form = byVerb.get(verb);
    if (form === undefined) talk.push(line);
    else blocks.push(blockOf(form, rest, line));
  }
  return { blocks, content: talk.join("\n") };
}

/** A form's `read` may be a user's code, such as JSON.parse, so what it throws is treated as the model's mistake. */
function blockOf({ tool, form, read }: LineForm, rest: string, written: string): ToolCallBlock {
  try {
    return { call: { name: tool, arguments: read(rest) } };
  } catch (reason) {
    const why = reason instanceof Error ? reason.message : String(reason);
    return { error: `write it as "${form}" (${why})`, written };
  }
}

export const verbOf = ({ form }: Pick<LineForm, "form">): string => form.split(" ", 1)[0] ?? "";
