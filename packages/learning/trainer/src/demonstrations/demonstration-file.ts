import { readFile } from "node:fs/promises";
import { sha256Of } from "@palimpsest/std";
import { reasonText } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";

const messageSchema = z
  .object({
    role: z.enum(["system", "user", "assistant", "tool"]),
    content: z.string(),
    tool_calls: z
      .undefined({
        error: "tool_calls: is set, but only text can be learned; leave out demonstrations with tool calls",
      })
      .optional(),
  })
  .transform(({ role, content }) => ({ role, content }));
const promptSchema = z.union([z.string().min(1), z.array(messageSchema).min(1)]);

const lineSchema = z.union([
  // An answer that a teacher did not finish is kept, so that it is not requested again, but it is not learned.
  z.object({ skipped: z.string() }).transform(() => undefined),
  z.object({ prompt: promptSchema, completion: z.string().min(1) }),
  z
    .object({ messages: z.array(messageSchema).min(2) })
    .refine(({ messages }) => messages.some(({ role }, at) => at > 0 && role === "assistant"), {
      error: "messages: has no message of the assistant after another message, so there is nothing to learn",
    }),
]);

type DemonstrationMessage = z.output<typeof messageSchema>;

/** One answer to learn, and its prompt. */
export interface Demonstration {
  /** Line number in the file, from 1. */
  readonly line: number;
  readonly prompt: string | readonly DemonstrationMessage[];
  readonly completion: string;
}

export interface DemonstrationFile {
  readonly demonstrations: readonly Demonstration[];
  /** Hash of the file's bytes, in hex. */
  readonly sha256: string;
}

/**
 * Reads every answer of a JSONL file of at most 512 MB: for `messages`, each turn of the assistant with all turns before it.
 * @throws {PalimpsestError} CONFIG_INVALID naming the file, the line and the field
 */
export async function readDemonstrations(path: string, signal: AbortSignal): Promise<DemonstrationFile> {
  const refuse = (what: string, cause?: unknown) =>
    new PalimpsestError("CONFIG_INVALID", `demonstrations: ${path}${what}`, { cause });
  const bytes = await readFile(path, { signal }).catch((reason: unknown) => {
    signal.throwIfAborted();
    throw refuse(
      ` cannot be read (${reasonText(reason)}); give a file with one JSON object per line`,
      reason,
    );
  });
  const demonstrations = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((text, at) => {
      if (text.trim() === "") return [];
      const parsed = lineSchema.safeParse(json(text));
      if (!parsed.success) throw refuse(`:${at + 1}: ${reasonOf(parsed.error)}`);
      return parsed.data === undefined ? [] : answersOf(parsed.data, at + 1);
    });
  if (demonstrations.length === 0) throw refuse(" contains no demonstration; give one JSON object per line");
  return { demonstrations, sha256: sha256Of(bytes) };
}

function answersOf(given: NonNullable<z.output<typeof lineSchema>>, line: number): Demonstration[] {
  if ("completion" in given) return [{ line, prompt: given.prompt, completion: given.completion }];
  return given.messages.flatMap(({ role, content }, at) =>
    role === "assistant" && at > 0
      ? [{ line, prompt: given.messages.slice(0, at), completion: content }]
      : [],
  );
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: z.ZodError): string {
  const own = error.issues.flatMap((issue) =>
    issue.code === "invalid_union" ? issue.errors.flat() : [issue],
  );
  const told =
    own.find(({ code }) => code === "custom") ?? own.find(({ message }) => message.includes("tool_calls"));
  return told?.message ?? "is neither { messages: [{ role, content }, …] } nor { prompt, completion }";
}
