import { describe, expect, it } from "vitest";
import { z } from "zod";
import { chatMl } from "./chat-format.js";
import { defineAgent } from "./define-agent.js";
import { defineTool, type ToolContext } from "./define-tool.js";
import type { ToolOptions } from "./own-tools.js";
import { scriptedSampler, wordTokenizer } from "./testing.js";

const ask = (query: string) =>
  `<tool_call>${JSON.stringify({ name: "look", arguments: { query } })}</tool_call>`;

/** Runs one episode whose model says `turn` and then "done", and gives what the model was told before the second turn. */
async function toldAfter(turn: string, options: Pick<ToolOptions, "tools"> & Partial<ToolOptions>) {
  const tokenizer = wordTokenizer(["<|im_start|>", "<|im_end|>"]);
  const prompts: string[] = [];
  const sampler = scriptedSampler({
    tokenizer,
    reply: (prompt) => (prompts.push(prompt) === 1 ? turn : "done"),
  });
  const agent = defineAgent({
    kind: "looker",
    settings: z.strictObject({}),
    async run(task, episode) {
      const reply = await episode.useTools(task.question, { maxTokens: 4000, ...options });
      return { answer: reply.text };
    },
  }).create({}, { sampler, tokenizer, chat: chatMl });
  const { counters = {} } = await agent.run({ question: "Where?", document: "" });
  return { told: prompts[1] ?? "", counters };
}

describe("tools that fail", () => {
  it("TOOLS-2: tells the model of a line that the tool's `read` cannot take", async () => {
    const tool = defineTool({
      name: "put",
      description: "Puts.",
      parameters: z.strictObject({ value: z.unknown() }),
      line: { form: "put JSON", read: (rest) => ({ value: JSON.parse(rest) as unknown }) },
      run: () => "put",
    });
    const { told, counters } = await toldAfter("put {a", { tools: [tool], callForm: "lines" });
    expect(told).toMatch(/Error: the call cannot be read: write it as "put JSON" \(.*JSON.*\)\./);
    expect(counters).toMatchObject({ malformed_calls: 1, done_calls: 0 });
  });

  it("does not take a ZodError of the tool's own for arguments that the model got wrong", async () => {
    const spec = {
      name: "look",
      description: "Asks a server.",
      parameters: z.strictObject({ query: z.string() }),
      // What a server answers is checked, too.
      run: () =>
        z
          .object({ hits: z.array(z.string()) })
          .parse({ hits: 3 })
          .hits.join(),
    };
    const failing = toldAfter(ask("a"), {
      tools: [defineTool({ ...spec, explainError: () => undefined })],
    });
    await expect(failing).rejects.toThrow(/hits/);
    const { counters } = await toldAfter(ask("a"), {
      tools: [defineTool({ ...spec, explainError: () => "the server answers nonsense" })],
    });
    expect(counters).toMatchObject({ malformed_calls: 0, failed_calls: 1 });
  });

  it("ends a call that hangs, when the tool says how long one may take", async () => {
    let heard: unknown;
    const spec = {
      name: "look",
      description: "Asks a server.",
      parameters: z.strictObject({ query: z.string() }),
      timeoutMs: 5,
      run: (_: object, { signal }: ToolContext) =>
        new Promise<string>(() => {
          signal?.addEventListener("abort", () => {
            heard = signal.reason;
          });
        }),
    };
    const { told, counters } = await toldAfter(ask("a"), { tools: [defineTool(spec)] });
    expect(told).toContain("Error: the call took longer than 5 ms.");
    expect(String(heard)).toBe("Error: the call took longer than 5 ms");
    expect(counters).toMatchObject({ failed_calls: 1 });
    const away = defineTool({ ...spec, explainError: () => undefined });
    await expect(toldAfter(ask("a"), { tools: [away] })).rejects.toThrow("took longer than 5 ms");
    const quick = defineTool({ ...spec, timeoutMs: 600_000, run: () => "here" });
    expect((await toldAfter(ask("a"), { tools: [quick] })).told).toContain("here");
    expect(() => defineTool({ ...spec, timeoutMs: 0 })).toThrow(
      "defineTool(): timeoutMs: must be at least 1; it is 0",
    );
  });

  it("TOOLS-3: cuts a result between characters, whatever their width in UTF-16", async () => {
    const tool = (text: string) =>
      defineTool({
        name: "look",
        description: "Looks.",
        parameters: z.strictObject({ query: z.string() }),
        run: () => text,
      });
    const text = `${"ab😀".repeat(20)}é`;
    const all = [...text];
    for (const most of [16, 17, 18, 60]) {
      const cut = await toldAfter(ask("a"), { tools: [tool(text)], resultCharacters: most });
      expect(cut.told).toContain(`\n${all.slice(0, most).join("")} … ${61 - most} characters left out …\n`);
      const middle = { tools: [tool(text)], resultCharacters: most, resultCut: "middle" } as const;
      const head = Math.ceil(most / 2);
      expect((await toldAfter(ask("a"), middle)).told).toContain(
        `\n${all.slice(0, head).join("")} … ${61 - most} characters left out … ${all.slice(head - most).join("")}\n`,
      );
    }
    const fits = await toldAfter(ask("a"), { tools: [tool(text)], resultCharacters: 61 });
    expect([fits.told.includes(text), fits.counters["cut_results"]]).toEqual([true, 0]);
  });

  it("TOOLS-3: does not take a result apart that is far longer than the model reads", async () => {
    // As a list of its characters it would take eight times as much memory.
    const megabytes = "a".repeat(2 ** 26);
    const tool = defineTool({
      name: "look",
      description: "Reads a file.",
      parameters: z.strictObject({ query: z.string() }),
      run: () => megabytes,
    });
    const before = process.memoryUsage().heapTotal;
    const { told } = await toldAfter(ask("a"), { tools: [tool], resultCharacters: 16 });
    expect(told).toContain(`${"a".repeat(16)} … ${2 ** 26 - 16} characters left out …`);
    expect(process.memoryUsage().heapTotal - before).toBeLessThan(2 ** 28);
  });
});
