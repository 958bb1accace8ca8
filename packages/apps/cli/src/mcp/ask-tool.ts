import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { readArguments } from "@palimpsest/memory";
import { parseInput } from "@palimpsest/std/input";
import { PalimpsestError } from "@palimpsest/wire";
import { z } from "zod";
import { ask, emptyAnswer } from "../ask/ask-run.js";
import { chooseSettings, moduleSettings } from "../ask/ask-settings.js";
import { type AskedModel, askedModel } from "../ask/asked-model.js";
import { readDocuments } from "../documents/read-documents.js";
import { type AgentModel, deadlineOf, openAgentModel } from "../models/agent-model.js";
import type { BackendChoice } from "../models/backend-option.js";

/** Maximum characters of a question, which is a part of the prompt of every section. */
const mostQuestionCharacters = 10_000;

export const askSchema = z.strictObject({
  question: z
    .string()
    .trim()
    .min(1)
    .regex(/[\p{L}\p{N}\p{S}\p{P}]/u, "must not be blank")
    .max(mostQuestionCharacters)
    .describe("the question to answer"),
  source: z
    .string()
    .min(1)
    .optional()
    .describe("file or folder of text, Markdown, HTML, PDF, DOCX or EPUB inside the server's folder"),
  text: z.string().min(1).optional().describe("the text itself, instead of a source"),
});

export interface AskToolOptions {
  readonly model?: string;
  readonly endpoint?: string;
  readonly backend: BackendChoice;
  /** For an endpoint: the deadline of one attempt. */
  readonly timeoutSeconds?: number | undefined;
  /** The folder from which documents are read, including its subfolders. Nothing outside of it is read. */
  readonly root: string;
  /** The maximum bytes of one question's documents, and of all queued texts together. */
  readonly mostBytes: number;
  /** The encoding of documents that are not marked as Unicode; default: what they declare, or a guess. */
  readonly encoding?: string | undefined;
}

type OpenedModel = AgentModel & Omit<AskedModel, "model" | "note">;

/** The progress of an answer, in tokens of the document. */
export type AskProgress = (read: number, total: number, memory: string) => void;

/** Answers questions with a memory agent. The model is loaded for the first question and kept. */
export class AskTool {
  readonly #options: AskToolOptions;
  #model: Promise<OpenedModel> | undefined;
  /** The last queued question. Questions run one after another, because a local model reads one document at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** The bytes of documents that are being read or are queued. */
  #keptBytes = 0;

  constructor(options: AskToolOptions) {
    this.#options = options;
  }

  /**
   * @returns the answer
   * @throws {PalimpsestError} INVALID_ARGUMENT, NOT_FOUND, LIMIT_EXCEEDED; {ModelError | EngineError | AgentError}; the
   *   signal's reason
   */
  async answer(args: unknown, signal: AbortSignal, onProgress: AskProgress): Promise<string> {
    const { question, source, text } = parseInput(
      askSchema,
      readArguments(askSchema, args),
      (problem) => new PalimpsestError("INVALID_ARGUMENT", problem),
    );
    if ((source === undefined) === (text === undefined))
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `source, text: ${source === undefined ? "both are missing" : "both are given"}; give exactly one of them`,
      );
    const { mostBytes } = this.#options;
    const textBytes = text === undefined ? 0 : Buffer.byteLength(text);
    if (textBytes > mostBytes)
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `text: has ${textBytes} bytes, and at most ${mostBytes} are accepted; give a part of it, or start the server with a larger --max-size`,
      );
    const document = text ?? (await this.#document(source as string));
    const documentBytes = Buffer.byteLength(document);
    if (this.#keptBytes > 0 && this.#keptBytes + documentBytes > mostBytes)
      throw new PalimpsestError(
        "LIMIT_EXCEEDED",
        `${source === undefined ? "text" : "source"}: has ${documentBytes} bytes, and the questions that wait already have ${this.#keptBytes} of at most ${mostBytes} in total; ask again when one of them is answered`,
        { retryable: true },
      );
    this.#keptBytes += documentBytes;
    try {
      return await this.#inTurn({ question, document, source: source ?? "text" }, signal, onProgress);
    } finally {
      this.#keptBytes -= documentBytes;
    }
  }

  async #inTurn(
    { question, document, source }: Record<"question" | "document" | "source", string>,
    signal: AbortSignal,
    onProgress: AskProgress,
  ): Promise<string> {
    const before = this.#last;
    const run = (async () => {
      await before.catch(() => undefined);
      signal.throwIfAborted();
      const { trained, module, ...model } = await this.#open();
      const wishes = { set: { temperature: 0 }, question, preset: undefined, agent: undefined, trained };
      const { settings } = moduleSettings(wishes) ?? chooseSettings(wishes, model);
      let total = 0;
      const { result } = await ask({
        question,
        text: document,
        document: source,
        model,
        settings,
        module,
        temperature: 0,
        seed: 0,
        signal,
        onStart: ({ documentTokens }) => {
          total = documentTokens;
        },
        onStep: ({ documentTokensRead, memoryStep }) =>
          onProgress(documentTokensRead, total, memoryStep?.memory ?? ""),
      });
      const { boxedText } = await import("@palimpsest/rewards");
      const answer = (boxedText(result.answer) ?? result.answer).trim();
      if (answer !== "") return answer;
      throw emptyAnswer();
    })();
    this.#last = run.catch(() => undefined);
    return await run;
  }

  async close(): Promise<void> {
    await this.#last;
    await (await this.#model?.catch(() => undefined))?.close();
  }

  /** Opens the model for the first question. If that fails, the next question tries again. */
  async #open(): Promise<OpenedModel> {
    const { endpoint, backend, timeoutSeconds } = this.#options;
    this.#model ??= (async () => {
      const { model, note, ...asked } = await askedModel(this.#options);
      if (note !== undefined) process.stderr.write(`${note}\n`);
      const opened = await openAgentModel({
        ...(endpoint === undefined ? {} : { endpoint }),
        ...(model === undefined ? {} : { model }),
        backend,
        prefersInt8: note !== undefined,
        parallel: 1,
        engine: { temperature: "preferred", ...deadlineOf(timeoutSeconds) },
      });
      return { ...opened, ...asked };
    })();
    try {
      return await this.#model;
    } catch (reason) {
      this.#model = undefined;
      throw reason;
    }
  }

  /** Reads a document in the folder. Others are refused, because a web page may have manipulated the calling model. */
  async #document(source: string): Promise<string> {
    const root = await realpath(this.#options.root);
    const path = await realpath(resolve(root, source)).catch((cause: unknown) => {
      throw new PalimpsestError(
        "NOT_FOUND",
        `source: ${JSON.stringify(source)} does not exist; give a path inside ${root}`,
        {
          cause,
        },
      );
    });
    const inside = relative(root, path);
    if (inside === ".." || inside.startsWith("../") || isAbsolute(inside))
      throw new PalimpsestError(
        "INVALID_ARGUMENT",
        `source: ${JSON.stringify(source)} is outside ${root}; start the server with a --root FOLDER that contains it`,
      );
    const { mostBytes, encoding } = this.#options;
    const { text, skipped, remarks } = await readDocuments(path, { mostBytes, encoding });
    // Standard output carries only the protocol.
    for (const note of [...skipped.map((reason) => `skipped ${reason}`), ...remarks])
      process.stderr.write(`${note}\n`);
    return text;
  }
}
