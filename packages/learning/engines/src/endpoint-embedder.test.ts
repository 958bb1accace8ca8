import { describe, expect, it, onTestFinished } from "vitest";
import { EndpointEmbedder } from "./endpoint-embedder.js";
import type { RetryClock } from "./http-client.js";
import { cut, json, ModelServer } from "./testing/model-server.js";

const clock: RetryClock = { wait: async () => undefined, random: () => 0 };

const vectors = (...given: readonly (readonly [number, readonly number[]])[]) =>
  json({ data: given.map(([index, embedding]) => ({ index, embedding })) });

async function anEmbedder(usual: ReturnType<typeof json>, batch = 64) {
  const server = await ModelServer.start(usual);
  const embedder = new EndpointEmbedder(
    { url: server.url, model: "embed", apiKey: "secret", malformedAttempts: 2 },
    { dimensions: 2, batch, clock },
  );
  onTestFinished(() => server.stop());
  onTestFinished(() => embedder.close());
  return { server, embedder };
}

describe("an endpoint embedder", () => {
  it("asks for the vectors of texts and gives them in order, whatever order they come in", async () => {
    const { server, embedder } = await anEmbedder(vectors([1, [3, 4]], [0, [1, 2]]));
    expect(await embedder.embed(["one", " "])).toEqual([
      [1, 2],
      [3, 4],
    ]);
    expect(server.received[0]).toMatchObject({
      path: "/v1/embeddings",
      body: { model: "embed", input: ["one", " "], encoding_format: "float" },
    });
    expect(embedder.name).toBe(`embed at ${server.url}`);
    expect(await embedder.embed([])).toEqual([]);
  });

  it("splits many texts into requests", async () => {
    const { server, embedder } = await anEmbedder(vectors([0, [1, 2]]), 1);
    expect(await embedder.embed(["a", "b", "c"])).toHaveLength(3);
    expect(server.received.map(({ body }) => body["input"])).toEqual([["a"], ["b"], ["c"]]);
  });

  it("asks again after a cut connection, an overload and an answer that makes no sense", async () => {
    const { server, embedder } = await anEmbedder(vectors([0, [1, 2]]));
    server.next(cut, json({ error: { message: "busy" } }, 503), json({ data: "none" }));
    expect(await embedder.embed(["a"])).toEqual([[1, 2]]);
    expect(server.received).toHaveLength(4);
  });

  it("refuses vectors of another length, and fewer than texts", async () => {
    const { server, embedder } = await anEmbedder(vectors([0, [1, 2, 3]]));
    await expect(embedder.embed(["a"])).rejects.toThrow(
      "a vector has 3 numbers, but the setting dimensions is 2",
    );
    server.next(vectors([0, [1, 2]]), vectors([1, [1, 2]]));
    await expect(embedder.embed(["a", "b"])).rejects.toThrow("1 vectors arrived for 2 texts");
  });

  it("ends when it is aborted", async () => {
    const { embedder } = await anEmbedder(vectors([0, [1, 2]]));
    await expect(embedder.embed(["a"], AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });
});
