import { createServer, type Server, type ServerResponse } from "node:http";

/** Sends the answer of a chat in the format of OpenAI's protocol. */
export function answerChat(response: ServerResponse, content: string): void {
  response.end(
    JSON.stringify({
      id: "1",
      object: "chat.completion",
      model: "test-model",
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    }),
  );
}

/** Starts a server on a free port that lists one model and passes the body of every other request to `answer`. */
export async function startChatServer(
  answer: (body: string, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      if (request.method === "GET")
        response.end(JSON.stringify({ object: "list", data: [{ id: "test-model", object: "model" }] }));
      else answer(Buffer.concat(chunks).toString(), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

export async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
