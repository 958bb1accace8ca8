import { type CallToolResult, McpServer, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { version } from "../installation/version.js";
import { type AskTool, askSchema } from "./ask-tool.js";
import { MemoryFile } from "./memory-file.js";

const askDescription =
  "Answers a question about a document of any length: a memory agent reads it section by section and keeps a memory of what matters. Slow for long documents: it reports its progress.";

/** Describes arguments to clients. The tools check them: they read more forms, and name what is wrong. */
function described(parameters: Readonly<Record<string, unknown>>): StandardSchemaWithJSON {
  const schema = () => ({ ...parameters });
  return {
    "~standard": {
      version: 1,
      vendor: "palimpsest",
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}

/** Nothing that a client sent, such as an id of a megabyte, comes back whole. Searches have a bound of their own. */
const mostCharacters = 100_000;

/** Formats the result of a call for the client. */
const said = (text: string, isError = false): CallToolResult => ({
  content: [
    { type: "text", text: text.length > mostCharacters ? `${text.slice(0, mostCharacters)} …` : text },
  ],
  ...(isError ? { isError } : {}),
});

/** Reports the error of a call to the client's model, which may try something else. The server continues. */
async function orSaid(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (reason) {
    return said(reason instanceof Error ? reason.message : String(reason), true);
  }
}

/**
 * Creates one connection's server over the objects that all connections share.
 * @param askTool if undefined, the server has no `ask`
 */
export function memoryServer(memory: MemoryFile, askTool: AskTool | undefined): McpServer {
  const server = new McpServer(
    { name: "palimpsest", version },
    {
      instructions:
        "A memory that lasts from conversation to conversation. Search it before you answer from it; store one fact per memory, and update facts that have changed.",
    },
  );
  for (const { function: tool } of memory.definitions) {
    const changes = MemoryFile.changes(tool.name);
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: described(tool.parameters),
        annotations: {
          readOnlyHint: !changes,
          destructiveHint: changes && tool.name !== "split_memory",
          openWorldHint: false,
        },
      },
      async (args, { mcpReq }) =>
        await orSaid(async () => {
          const { outcome, text } = await memory.run(tool.name, args, mcpReq.signal);
          return said(text, outcome !== "done");
        }),
    );
  }
  if (askTool === undefined) return server;
  server.registerTool(
    "ask",
    {
      description: askDescription,
      inputSchema: described(z.toJSONSchema(askSchema, { io: "input" })),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async (args, { mcpReq }) =>
      await orSaid(async () => {
        const { progressToken } = mcpReq._meta ?? {};
        let told = -1;
        const answer = await askTool.answer(args, mcpReq.signal, (progress, total, message) => {
          // The protocol wants progress that grows; the answer's own step reads nothing.
          if (progressToken === undefined || progress <= told) return;
          told = progress;
          const params = { progressToken, progress, total, message };
          // A client that has disconnected needs no progress; the call itself is ended by its signal.
          mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
        });
        return said(answer);
      }),
  );
  return server;
}
