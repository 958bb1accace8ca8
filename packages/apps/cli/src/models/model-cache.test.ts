import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it, onTestFinished, vi } from "vitest";
import { modelCache } from "./model-cache.js";

async function served(answer: (url: string) => string): Promise<string> {
  const server = createServer((request, response) => void response.end(answer(request.url ?? "")));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
}

it("asks a hub through the environment's proxy, but not where no_proxy excepts it", async () => {
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const proxy = await served((url) => `by proxy: ${url}`);
  const hub = await served((url) => `directly: ${url}`);
  expect(modelCache({ PALIMPSEST_CACHE: "/c" }).fetch).toBeUndefined();
  vi.stubEnv("http_proxy", proxy);
  vi.stubEnv("no_proxy", "example.org");
  const { signal } = new AbortController();
  const ask = async () => {
    const answer = await modelCache().fetch?.(`${hub}/api/models/a/b`, {
      method: "GET",
      headers: {},
      signal,
    });
    return await answer?.text();
  };
  expect(await ask()).toBe(`by proxy: ${hub}/api/models/a/b`);
  vi.stubEnv("no_proxy", "127.0.0.1");
  expect(await ask()).toBe("directly: /api/models/a/b");
});

it("names the variable that is no URL", async () => {
  expect(() => modelCache({ HF_ENDPOINT: "hub" })).toThrow(/HF_ENDPOINT is "hub": give the URL of a hub/);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  vi.stubEnv("https_proxy", "ftp://proxy");
  const { signal } = new AbortController();
  const asked = async () =>
    await modelCache().fetch?.("http://127.0.0.1:9/", { method: "GET", headers: {}, signal });
  await expect(asked()).rejects.toThrow(/https_proxy: must be the URL of a proxy.*it is "ftp:\/\/proxy"/);
});
