import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { plainSampling } from "@palimpsest/trajectories";
import { afterEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../../../test/support/temporary-folder.js";
import { rewardConfigSchema, trajectoryReward } from "../index.js";
import { anEpisode, aTask } from "../scored-episode.fixture.js";
import { type RemoteRewardConfig, remoteReward, remoteRewardSchema } from "./remote-reward.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

interface Seen {
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}
type Answer = (response: ServerResponse, request: number) => void;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(answer: Answer): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      seen.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
      answer(response, seen.length);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/score`, seen };
}

const config = (url: string, changes: Partial<RemoteRewardConfig> = {}) =>
  remoteRewardSchema.parse({ name: "remote", url, backoffMs: 1, ...changes });
const json = (response: ServerResponse, value: unknown) => response.end(JSON.stringify(value));
const conversation = {
  kind: "memory",
  step: 0,
  promptTokenIds: [1, 2],
  sampledTokenIds: [3],
  rolloutLogprobs: [0],
  sampling: plainSampling,
  stopReason: "stop",
  policyVersion: 4,
} as const;

describe("remoteReward", () => {
  it("posts task and episode, and gives back what the service says", async () => {
    const { url, seen } = await serve((response) =>
      json(response, { reward: 0.5, components: { truth: 1 }, stepRewards: [2], extra: "ignored" }),
    );
    const reward = trajectoryReward(rewardConfigSchema.parse({ name: "remote", url }));
    const episode = anEpisode({ deleted: ["m1"] }, { answer: "x", conversations: [conversation] });
    expect(await reward(aTask(), episode)).toEqual({
      reward: 0.5,
      components: { truth: 1 },
      stepRewards: [2],
    });
    expect(seen[0]?.body).toMatchObject({
      protocol: "palimpsest.reward.v1",
      task: { id: "t", question: "Where does Ann live?" },
      episode: { answer: "x", storeDiff: { deleted: ["m1"] } },
    });
    expect(seen[0]?.body).toHaveProperty("episode.conversations", [
      { kind: "memory", step: 0, stopReason: "stop", policyVersion: 4, promptTokens: 2, sampledTokens: 1 },
    ]);
  });

  it("sends token ids where they are asked for", async () => {
    const { url, seen } = await serve((response) => json(response, { reward: 1 }));
    await remoteReward(config(url, { sendTokens: true }), {})(
      aTask(),
      anEpisode(undefined, { conversations: [conversation] }),
    );
    expect(seen[0]?.body["episode"]).toMatchObject({ conversations: [{ sampledTokenIds: [3] }] });
  });

  it("REMOTE-3: tries again after 500, a cut connection and malformed answers", async () => {
    const { url, seen } = await serve((response, request) => {
      if (request === 1) response.writeHead(500).end("down");
      else if (request === 2) response.destroy();
      else if (request === 3) response.writeHead(200, { "content-length": "40" }).write('{"reward": ');
      if (request === 3) response.destroy();
      else if (request === 4) response.end("{not json");
      else if (request === 5) json(response, { reward: "high" });
      else if (request === 6) json(response, { reward: 1, stepRewards: [1] });
      else if (request > 6) json(response, { reward: 1 });
    });
    const reward = remoteReward(config(url, { maxAttempts: 7 }), {});
    expect(await reward(aTask(), anEpisode())).toEqual({ reward: 1, components: {} });
    expect(seen).toHaveLength(7);
  });

  it("REMOTE-1: gives up with the last failure, never with a number", async () => {
    const broken = await serve((response) => json(response, { reward: null }));
    await expect(
      remoteReward(config(broken.url, { maxAttempts: 2 }), {})(aTask(), anEpisode()),
    ).rejects.toThrow(/BAD_REPLY.*reward: .*2 attempts/);
    const down = await serve((response) => response.writeHead(503).end());
    await expect(
      remoteReward(config(down.url, { maxAttempts: 3 }), {})(aTask(), anEpisode()),
    ).rejects.toThrow(/UNREACHABLE.*: 503 .*3 attempts/);
    expect(down.seen).toHaveLength(3);
    const long = await serve((response) => response.end("x".repeat(2 << 20)));
    await expect(
      remoteReward(config(long.url, { maxAttempts: 1 }), {})(aTask(), anEpisode()),
    ).rejects.toThrow("more than 1048576 bytes");
  });

  it("REMOTE-3: takes other statuses for a refusal, redirects too", async () => {
    const { url, seen } = await serve((response, request) =>
      response.writeHead(request === 1 ? 400 : 302, { location: "http://127.0.0.1:1/" }).end(),
    );
    for (const status of ["400", "302"])
      await expect(remoteReward(config(url), {})(aTask(), anEpisode())).rejects.toThrow(
        `[REFUSED] ${url}: ${status} `,
      );
    expect(seen).toHaveLength(2);
  });

  it("REMOTE-2: keeps its deadlines over collections of garbage", async () => {
    const { url } = await serve(() => undefined);
    const collecting = setInterval(collectGarbage, 50);
    try {
      const settings = { attemptTimeoutMs: 200, timeoutMs: 60_000, maxAttempts: 2 };
      const asked = remoteReward(config(url, settings), {})(aTask(), anEpisode());
      await expect(asked).rejects.toThrow(/attemptTimeoutMs 200.*2 attempts/);
      const brief = remoteReward(config(url, { timeoutMs: 200 }), {})(aTask(), anEpisode());
      await expect(brief).rejects.toThrow("no score within timeoutMs 200");
    } finally {
      clearInterval(collecting);
    }
  });

  it("REMOTE-2, SEMAPHORE-3: leaves a slow service at its deadlines, and at once when its caller aborts", async () => {
    let answers = true;
    const { url, seen } = await serve((response, request) => {
      if (request > 1 && answers) json(response, { reward: 1 });
    });
    // So many, because a busy machine answers late, too.
    const patient = remoteReward(config(url, { attemptTimeoutMs: 50, maxAttempts: 20 }), {});
    expect((await patient(aTask(), anEpisode())).reward).toBe(1);
    expect(seen.length).toBeGreaterThan(1);
    answers = false;
    const hasty = remoteReward(config(url, { timeoutMs: 60 }), {});
    await expect(hasty(aTask(), anEpisode())).rejects.toThrow("no score within timeoutMs 60");
    const abort = new AbortController();
    const reason = new Error("no longer wanted");
    const one = remoteReward(config(url, { maxConcurrency: 1 }), {});
    const running = one(aTask(), anEpisode(), { signal: abort.signal });
    const waiting = one(aTask(), anEpisode(), { signal: abort.signal });
    abort.abort(reason);
    for (const score of [running, waiting]) await expect(score).rejects.toBe(reason);
  });

  it("REMOTE-4, SEMAPHORE-2: lets so many run, so many wait, and refuses more", async () => {
    let open = 0;
    let most = 0;
    const held: ServerResponse[] = [];
    const { url } = await serve((response) => {
      open += 1;
      most = Math.max(most, open);
      held.push(response);
      if (held.length === 2) answerAll();
      else if (held.length > 2) answerAll();
    });
    function answerAll() {
      for (const response of held.filter((each) => !each.writableEnded)) {
        open -= 1;
        json(response, { reward: held.indexOf(response) });
      }
    }
    const reward = remoteReward(config(url, { maxConcurrency: 2, maxQueue: 2 }), {});
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map(() => reward(aTask(), anEpisode())));
    expect(all.map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
    ]);
    expect(most).toBe(2);
  });

  it("REMOTE-5: sends the token of a variable or of a file that is read anew, and names neither in an error", async () => {
    const folder = testFolder();
    const { url, seen } = await serve((response, request) =>
      request === 3 ? response.writeHead(401).end() : json(response, { reward: 1 }),
    );
    const fromEnv = remoteReward(config(url, { tokenEnv: "KEY" }), { environment: { KEY: "s3cret" } });
    await fromEnv(aTask(), anEpisode());
    const tokenFile = join(folder, "token");
    writeFileSync(tokenFile, "first\n");
    const fromFile = remoteReward(config(url, { tokenFile }), {});
    await fromFile(aTask(), anEpisode());
    writeFileSync(tokenFile, "second\n");
    const refused = await Promise.resolve(fromFile(aTask(), anEpisode())).then(String, String);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer s3cret",
      "Bearer first",
      "Bearer second",
    ]);
    expect(refused).toContain(": 401 ");
    expect(refused).not.toContain("second");
    const missing = remoteReward(config(url, { tokenEnv: "NONE" }), { environment: {} });
    await expect(missing(aTask(), anEpisode())).rejects.toThrow(/BAD_CONFIG.*NONE/);
    expect(() => config("http://user:pw@127.0.0.1/")).toThrow("tokenEnv");
  });
});
