/** Tests clients that misbehave, and heads behind forwarded ports, over real connections. */
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { systemClock } from "@palimpsest/std";
import { createLogger } from "@palimpsest/telemetry";
import { PalimpsestError } from "@palimpsest/wire";
import { afterEach, expect, test } from "vitest";
import { guessLimits } from "./guesses.js";
import { LogStreams } from "./log-streams.js";
import { PageFiles } from "./page-files.js";
import type { Route } from "./routes.js";
import { type RunningServer, serve } from "./serve.js";
import { SignIns } from "./sign-ins.js";
import { WholeLetters } from "./whole-letters.js";

let server: RunningServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(answer: Route["answer"], idleMs?: number): Promise<number> {
  server = await serve({
    host: "127.0.0.1",
    port: 0,
    files: new PageFiles("nowhere"),
    signIns: new SignIns(systemClock, () => "token of the tests"),
    logger: createLogger({ component: "test", level: "silent" }),
    routes: [{ method: "GET", path: "/it", answer }],
    admit: () => undefined,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
  return Number(server.address.split(":")[1]);
}

const ask = "GET /api/it HTTP/1.1\r\nhost: x\r\n\r\n";

test("an answer that nobody reads does not stay in memory: its connection ends", async () => {
  let ended: Promise<unknown> | undefined;
  const port = await start(async (exchange) => {
    ended = once(exchange.response, "close");
    await exchange.json("x".repeat(64 * 2 ** 20));
  }, 200);
  const reader = connect(port, "127.0.0.1", () => reader.pause().write(ask));
  await expect.poll(() => ended).toBeDefined();
  await ended;
  reader.destroy();
});

test("whoever has left before a stream begins is known to have left", async () => {
  let tell: (left: boolean) => void = () => undefined;
  const left = new Promise<boolean>((resolve) => {
    tell = resolve;
  });
  const port = await start(async (exchange) => {
    reader.destroy();
    await once(exchange.response, "close");
    tell(exchange.gone.aborted);
  });
  const reader = connect(port, "127.0.0.1", () => reader.write(ask));
  expect(await left).toBe(true);
});

test("sign-ins at two heads behind forwarded ports of one machine do not end one another", async () => {
  const port = await start((exchange) => exchange.json({}));
  const cookieAt = async (host: string) => {
    const headers = { host, "content-type": "application/json" };
    const asked = httpRequest({ port, host: "127.0.0.1", path: "/api/sign-in", method: "POST", headers });
    asked.end(JSON.stringify({ token: "any" }));
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.resume();
    return answer.headers["set-cookie"]?.[0]?.split("=")[0];
  };
  expect(await cookieAt("localhost:8001")).toBe("palimpsest-8001");
  expect(await cookieAt("localhost:8002")).toBe("palimpsest-8002");
  // A head that is reached at the protocol's default port gets another name than one that is reached where it listens.
  expect(await cookieAt("head.example")).toBe("palimpsest-80");
  expect(await cookieAt(`head.example:${port}`)).toBe(`palimpsest-${port}`);
});

test("a browser that has signed in at many ports keeps the newest twenty sign-ins beside the new one", async () => {
  const port = await start((exchange) => exchange.json({}));
  const cookies = Array.from({ length: 25 }, (_, index) => `palimpsest-${9_000 + index}=x`);
  const headers = { "content-type": "application/json", cookie: ["theme=dark", ...cookies].join("; ") };
  const body = JSON.stringify({ token: "any" });
  const answer = await fetch(`http://127.0.0.1:${port}/api/sign-in`, { method: "POST", headers, body });
  const [set = "", ...ended] = answer.headers.getSetCookie();
  expect(set).toMatch(new RegExp(`^palimpsest-${port}=.{40,}; Path=/`));
  expect(ended.map((one) => /^(palimpsest-\d+)=; Path=\/; Max-Age=0/.exec(one)?.[1])).toEqual(
    cookies.slice(0, 5).map((cookie) => cookie.slice(0, -2)),
  );
});

test("a log that is no longer kept ends its stream with the reason, and one that cannot be read now breaks it off", async () => {
  const streams = new LogStreams();
  let code: "NOT_FOUND" | "UNAVAILABLE" = "NOT_FOUND";
  const port = await start((exchange) =>
    streams.send(exchange, async function* () {
      yield { offsetBytes: 0, data: Buffer.from("first") };
      throw new PalimpsestError(code, "the log of job-1 is no longer kept");
    }),
  );
  const read = async () => (await fetch(`http://127.0.0.1:${port}/api/it`)).text();
  expect(await read()).toMatch(
    /data: \{[^\n]*first[\s\S]*event: end\ndata: \{"message":"the log of job-1 is no longer kept"\}\n\n$/,
  );
  code = "UNAVAILABLE";
  expect(await read().catch(String)).not.toContain("event: end");
});

test("GUESSES-1: an address that tries wrong tokens is refused, while another one signs in", async () => {
  server = await serve({
    host: "0.0.0.0",
    port: 0,
    files: new PageFiles("nowhere"),
    signIns: new SignIns(systemClock, () => "token of the tests"),
    logger: createLogger({ component: "test", level: "silent" }),
    routes: [],
    admit: ({ authorization }) => {
      if (authorization !== "Bearer right") throw new PalimpsestError("UNAUTHENTICATED", "wrong token");
    },
  });
  const port = Number(server.address.split(":")[1]);
  const signIn = async (localAddress: string, token: string) => {
    const headers = { "content-type": "application/json" };
    const to = { port, host: "127.0.0.1", path: "/api/sign-in", method: "POST", headers, localAddress };
    const asked = httpRequest(to).end(JSON.stringify({ token }));
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  const guesses = Array.from({ length: 4 * guessLimits.ofAddress }, () => signIn("127.0.0.1", "wrong"));
  expect(await signIn("127.0.0.2", "right")).toBe(200);
  const answers = await Promise.all(guesses);
  expect(answers.filter((code) => code === 503).length).toBeGreaterThan(0);
  expect(await signIn("127.0.0.2", "right")).toBe(200);
});

test("nobody without a token has the server keep more than a token's length of a body", async () => {
  const port = await start((exchange) => exchange.json({}));
  const body = JSON.stringify({ token: "x".repeat(100_000) });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}/api/sign-in`, { method: "POST", headers, body });
  expect(answer.status).toBe(413);
  expect(await answer.text()).toContain("16384 bytes");
});

test("names of what every object has are no files", async () => {
  const port = await start((exchange) => exchange.json({}));
  for (const name of ["constructor", "__proto__", "toString"])
    expect((await fetch(`http://127.0.0.1:${port}/${name}`)).status).toBe(404);
});

test("a stream of text is cut between letters, wherever its bytes are cut", () => {
  const text = "aé€😀z".repeat(3);
  const bytes = Buffer.from(text);
  for (let size = 1; size <= 7; size++) {
    const letters = new WholeLetters();
    const pieces = [];
    for (let at = 0; at < bytes.length; at += size)
      pieces.push(letters.push(100 + at, bytes.subarray(at, at + size)));
    pieces.push(letters.end());
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    for (const piece of pieces)
      expect(bytes.subarray(piece.offsetBytes - 100, piece.nextBytes - 100).toString()).toBe(piece.text);
  }
  const broken = new WholeLetters();
  expect(broken.push(0, Uint8Array.of(0x61, 0xff, 0x80, 0x80, 0x80, 0x80)).nextBytes).toBe(6);
  expect(broken.push(6, Uint8Array.of(0xe2))).toEqual({ offsetBytes: 6, nextBytes: 6, text: "" });
  expect(broken.end().nextBytes).toBe(7);
});
