/** Behaviors of real servers, each right, or an error that names cause and fix after no more requests than can help. */
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { EndpointSampler, type EndpointSamplerConfig } from "./endpoint-sampler.js";
import { EngineError } from "./error.js";
import type { RetryClock } from "./http-client.js";
import { type Answer, cut, events, json, ModelServer, raw } from "./testing/model-server.js";
import { quirks } from "./testing/provider-quirks.js";
import { at, type Behavior, choice, delta, whole, without, yes } from "./testing/provider-replies.js";

const behaviors: readonly Behavior[] = [
  // Addresses
  { name: "a bare host", answer: at("/v1/chat/completions"), is: "yes" },
  { name: "LM Studio, vLLM, SGLang: /v1/", path: "/v1/", answer: at("/v1/chat/completions"), is: "yes" },
  {
    name: "Gemini: /v1beta/openai/",
    path: "/v1beta/openai/",
    answer: at("/v1beta/openai/chat/completions"),
    is: "yes",
  },
  {
    name: "Z.ai: /api/paas/v4",
    path: "/api/paas/v4",
    answer: at("/api/paas/v4/chat/completions"),
    is: "yes",
  },
  { name: "OpenRouter: /api/v1", path: "/api/v1", answer: at("/api/v1/chat/completions"), is: "yes" },
  { name: "Groq: /openai/v1", path: "/openai/v1", answer: at("/openai/v1/chat/completions"), is: "yes" },
  {
    name: "Azure: a deployment and its api-version",
    path: "/openai/deployments/gpt/?api-version=2024-10-21",
    answer: at("/openai/deployments/gpt/chat/completions?api-version=2024-10-21"),
    is: "yes",
  },
  {
    name: "Azure: /openai/v1?api-version=preview",
    path: "/openai/v1?api-version=preview",
    answer: at("/openai/v1/chat/completions?api-version=preview"),
    is: "yes",
  },
  {
    name: "a pasted /chat/completions",
    path: "/v1/chat/completions",
    answer: at("/v1/chat/completions"),
    is: "yes",
  },
  {
    name: "a pasted address with a query and a key in it",
    path: "/v1/chat/completions?key=s3cret&v=1",
    answer: json({ error: { message: "bad key s3cret" } }, 403),
    is: /REFUSED.*\/v1\/chat\/completions\?key=\*\*\*&v=1: 403 .*OPENAI_API_KEY/,
  },
  {
    name: "another path",
    path: "/v2",
    answer: at("/v1/x"),
    is: /http:.*\/v2\/chat\/completions: 404 no such path; check the URL/,
  },
  // Contents
  {
    name: "Mistral: content in parts",
    answer: json(
      whole([
        { type: "text", text: "y" },
        { type: "text", text: "es" },
      ]),
    ),
    is: "yes",
  },
  {
    name: "Mistral: thinking in parts",
    answer: json(
      whole([
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "yes" },
      ]),
    ),
    is: "yes",
  },
  {
    name: "Anthropic's compatibility: a part without a type",
    answer: json(whole([{ text: "yes" }])),
    is: "yes",
  },
  {
    name: "DeepSeek: reasoning_content beside content",
    answer: json({ choices: [choice("yes", "stop", { reasoning_content: "hm" })] }),
    is: "yes",
  },
  { name: "llama.cpp: <think> in the text", answer: json(whole("<think>hm</think>yes")), is: "yes" },
  {
    name: "Ollama: reasoning until the limit",
    answer: json({ choices: [choice("", "length", { reasoning: "hm" })] }),
    is: /NO_ANSWER.*by thinking/,
  },
  {
    name: "Gemini: nothing but a limit",
    answer: json({ choices: [choice(undefined, "length")] }),
    is: /NO_ANSWER.*by thinking/,
  },
  { name: "choices: null", answer: json({ choices: null }), is: /BAD_REPLY.*has no choice/, requests: 4 },
  {
    name: "Gemini: a prompt that is blocked",
    answer: json({ choices: [choice(null, "PROHIBITED_CONTENT")] }),
    is: /NO_ANSWER.*PROHIBITED_CONTENT/,
  },
  {
    name: "Azure: content_filter",
    answer: json(whole("", "content_filter")),
    is: /NO_ANSWER.*withheld.*content_filter/,
  },
  { name: "Azure: a filtered half", answer: json(whole("ye", "content_filter")), is: /NO_ANSWER.*withheld/ },
  {
    name: "OpenAI: a refusal",
    answer: json({ choices: [choice(null, "stop", { refusal: "I can't." })] }),
    is: /NO_ANSWER.*refused to answer: I can't\./,
  },
  {
    name: "Groq: a tool that nobody offered",
    answer: json({ choices: [choice(null, "tool_calls", { tool_calls: [{ id: "1" }] })] }),
    is: /NO_ANSWER.*called a tool/,
  },
  {
    name: "OpenRouter: an error in the choice",
    answer: json({ choices: [{ ...choice("", "error"), error: { code: 502, message: "upstream died" } }] }),
    is: /SERVER_FAILED.*upstream died/,
    requests: 6,
  },
  {
    name: "DeepSeek: insufficient_system_resource",
    answer: json(whole("ye", "insufficient_system_resource")),
    is: /SERVER_FAILED.*insufficient_system_resource/,
    requests: 6,
  },
  // Fields around the content
  {
    name: "Z.ai, Together: usage in odd numbers",
    answer: json(whole("yes", "stop", { usage: { prompt_tokens: 5.5, completion_tokens: "7" } })),
    is: "yes",
  },
  { name: "usage: a text", answer: json(whole("yes", "stop", { usage: "free" })), is: "yes" },
  { name: "usage: null", answer: json(whole("yes", "stop", { usage: null })), is: "yes" },
  { name: "no finish_reason", answer: json(whole("yes", undefined)), is: "yes" },
  { name: "Together: finish_reason eos", answer: json(whole("yes", "eos")), is: "yes" },
  {
    name: "SGLang: finish_reason as an object",
    answer: json(whole("yes", { type: "stop", matched: 2 })),
    is: "yes",
  },
  { name: "finish_reason: a number", answer: json(whole("yes", 0)), is: "yes" },
  {
    name: "text/plain around JSON",
    answer: raw(JSON.stringify(whole("yes")), "text/plain; charset=utf-8"),
    is: "yes",
  },
  {
    name: "no content type, and a byte order mark",
    answer: raw(`\ufeff${JSON.stringify(whole("yes"))}`, ""),
    is: "yes",
  },
  {
    name: "a portal's page",
    answer: raw("<!doctype html><p>Log in", "text/html"),
    is: /BAD_REPLY.*answered with text\/html instead of JSON; check/,
    requests: 4,
  },
  // Streams
  { name: "vLLM: a stream", answer: events([delta("y"), delta("es"), delta("", "stop")]), is: "yes" },
  {
    name: "a stream with empty and usage events",
    answer: events([
      delta(null),
      { choices: [], usage: {} },
      delta("yes", "stop"),
      { choices: null, usage: null },
    ]),
    is: "yes",
  },
  { name: "a stream that only [DONE] ends", answer: events([delta("yes")]), is: "yes" },
  {
    name: "a stream under another content type",
    answer: raw(`data: ${JSON.stringify(delta("yes", "stop"))}\n\ndata: [DONE]\n\n`, "text/plain"),
    is: "yes",
  },
  {
    name: "a stream that is cut",
    answer: events([delta("y")], { done: false }),
    is: /UNREACHABLE.*ended before the completion/,
    requests: 6,
  },
  {
    name: "OpenRouter: an error in the stream",
    answer: events([delta("y"), { error: { code: 429, message: "slow down" } }]),
    is: /OVERLOADED.*slow down/,
    requests: 6,
  },
  // Fields that are refused
  {
    name: "Mistral: seed (422)",
    answer: without(
      "seed",
      json(
        {
          detail: [{ type: "extra_forbidden", loc: ["body", "seed"], msg: "Extra inputs are not permitted" }],
        },
        422,
      ),
    ),
    is: "yes",
    requests: 2,
  },
  {
    name: "Groq: chat_template_kwargs",
    answer: without(
      "chat_template_kwargs",
      json({ error: { message: "property 'chat_template_kwargs' is unsupported" } }, 400),
    ),
    is: "yes",
    requests: 2,
  },
  {
    name: "Gemini: two fields, one after the other, in a list of errors",
    answer: without(
      "seed",
      json(
        [
          {
            error: {
              code: 400,
              message: 'Invalid JSON payload. Unknown name "seed": Cannot find field.',
              status: "INVALID_ARGUMENT",
            },
          },
        ],
        400,
      ),
      without(
        "stream_options",
        json([{ error: { code: 400, message: 'Unknown name "stream_options"' } }], 400),
      ),
    ),
    is: "yes",
    requests: 3,
  },
  {
    name: "OpenAI: max_tokens",
    answer: without("max_tokens", json({ error: { message: "Use 'max_completion_tokens' instead." } }, 400)),
    is: "yes",
    requests: 2,
  },
  {
    name: "a server that cannot stream",
    answer: without("stream", json({ error: { message: "stream is not supported" } }, 400)),
    is: "yes",
    requests: 2,
  },
  {
    name: "a field that matters",
    answer: json({ error: { message: "temperature must be 1" } }, 400),
    is: /REFUSED.*temperature must be 1/,
  },
  // Errors
  {
    name: "OpenRouter: the provider's reason",
    answer: json({
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: '{"error":{"message":"at most 8k tokens"}}' },
      },
    }),
    is: /REFUSED.*Provider returned error: at most 8k tokens/,
  },
  {
    name: "a wrong key",
    answer: json({ error: { message: "Incorrect API key: sk-test" } }, 401),
    config: { apiKey: "sk-test" },
    is: /401 Incorrect API key: \*\*\*; give the server's key as OPENAI_API_KEY/,
  },
  {
    name: "a text for a code, in a 200",
    answer: json({ error: { message: "no", code: "invalid_api_key" } }),
    is: /REFUSED.*: no; give the server's key as/,
  },
  {
    name: "Z.ai: code and msg in a 200",
    answer: json({ code: 1113, msg: "Insufficient balance", success: false }),
    is: /REFUSED.*Insufficient balance/,
  },
  {
    name: "OpenAI: no quota left (429)",
    answer: json({ error: { message: "quota", code: "insufficient_quota" } }, 429),
    is: /429 quota; pay/,
  },
  {
    name: "Anthropic: overloaded (529)",
    answer: json({ error: { type: "overloaded_error", message: "Overloaded" } }, 529),
    is: /SERVER_FAILED.*529 Overloaded/,
    requests: 6,
  },
  {
    name: "a message without an error",
    answer: json({ object: "error", message: "model not loaded", code: 503 }),
    is: /OVERLOADED.*model not loaded/,
    requests: 6,
  },
  {
    name: "a connection that is cut",
    answer: cut,
    is: /UNREACHABLE.*http:\/\/127.0.0.1.*; check that the server runs/,
    requests: 6,
  },
];

async function reply(answer: Answer, path = "", config: Partial<EndpointSamplerConfig> = {}) {
  const server = await ModelServer.start(answer);
  onTestFinished(() => server.stop());
  return { ...(await ask(`${server.url}${path}`, config)), received: server.received };
}

async function ask(url: string, config: Partial<EndpointSamplerConfig> = {}) {
  const remarks: (string | undefined)[] = [];
  const waits: number[] = [];
  const clock: RetryClock = { wait: async (ms) => void waits.push(ms), random: () => 0 };
  const names = { apiKey: "OPENAI_API_KEY", url: "--endpoint", attemptTimeoutMs: "--timeout" };
  try {
    const sampler = new EndpointSampler(
      { url, model: "m", names, ...config },
      { clock, onRetry: ({ leftOut }) => remarks.push(leftOut) },
    );
    onTestFinished(() => sampler.close());
    const { tokenizer } = sampler;
    const prompt = tokenizer.chat.render([{ role: "user", content: "is it?" }]);
    const request = {
      promptTokenIds: tokenizer.encode(prompt),
      maxTokens: 64,
      temperature: 0,
      seed: 7,
      stopTokenIds: [],
    };
    const { tokenIds } = await sampler.generate(request);
    return { said: tokenizer.decode(tokenIds), remarks, waits };
  } catch (reason) {
    if (reason instanceof EngineError) return { said: reason, remarks, waits };
    throw reason;
  }
}

describe("servers as they are", () => {
  it("are at least fifty behaviors, and as many that were met in use", () => {
    expect(behaviors.length).toBeGreaterThanOrEqual(50);
    expect(quirks.length).toBeGreaterThanOrEqual(50);
  });

  for (const { name, answer, path, config, is, requests = 1, waitsMs } of [...behaviors, ...quirks]) {
    it(name, async () => {
      const { said, received, waits } = await reply(answer, path, config);
      if (typeof is === "string") expect(said).toBe(is);
      else {
        expect(said).toBeInstanceOf(EngineError);
        expect(String(said)).toMatch(is);
        expect(String(said)).not.toContain("s3cret");
        expect(String(said)).not.toContain("sk-test");
      }
      expect(received.length).toBe(requests);
      if (waitsMs !== undefined) expect(waits[0]).toBe(waitsMs);
    });
  }

  it("say which field was left out, once, and are not sent it again", async () => {
    const refusal = json({ detail: [{ loc: ["body", "seed"], msg: "Extra inputs are not permitted" }] }, 422);
    expect((await reply(without("seed", refusal))).remarks).toEqual(["seed"]);
  });

  it("are asked nothing with a key that cannot be one, and a line end after it is none of it", async () => {
    for (const apiKey of ["“sk-test”", "sk test", "sk\u200b", "sk\ntest", "ключ"]) {
      const { said, received } = await reply(yes, "", { apiKey });
      expect(String(said)).toMatch(
        /CONFIG_INVALID\] OPENAI_API_KEY: has the character U\+[0-9A-F]{4} at position \d/,
      );
      expect(String(said)).not.toContain(apiKey);
      expect(received).toEqual([]);
    }
    const { received } = await reply(yes, "", { apiKey: "sk-test\r\n" });
    expect(received[0]?.headers.authorization).toBe("Bearer sk-test");
  });

  it("are tried once where no try can help: names that do not exist, and TLS where there is none", async () => {
    const noName = await ask("http://no-such-host.invalid/v1");
    expect(String(noName.said)).toMatch(
      /UNREACHABLE.*no-such-host\.invalid\/v1\/chat\/completions: .*(ENOTFOUND|EAI_AGAIN)/,
    );
    const server = await ModelServer.start(yes);
    onTestFinished(() => server.stop());
    const plain = await ask(server.url.replace("http:", "https:"));
    expect(String(plain.said)).toMatch(/does not speak TLS as asked.*use http:\/\//);
    expect(plain.remarks).toEqual([]);
  });

  it("are tried once on a port that no web client asks", async () => {
    for (const port of [1, 25, 6000]) {
      const { said, remarks } = await ask(`http://127.0.0.1:${port}`);
      expect(String(said)).toMatch(/UNREACHABLE.*never ask this port.*another port, such as 8000/);
      expect(remarks).toEqual([]);
    }
  });

  it("are given the time that the user gives, and say so by the flag's name", async () => {
    const { said } = await reply(() => undefined, "", { attemptTimeoutMs: 50, maxAttempts: 1 });
    expect(String(said)).toMatch(/TIMEOUT.*no complete response within --timeout 0.05; raise --timeout/);
    expect((await reply(yes, "", { attemptTimeoutMs: 3_600_000, timeoutMs: 3_600_000 })).said).toBe("yes");
  });
});

describe("proxies of the environment", () => {
  function thrown(call: () => unknown): string {
    try {
      return String(call());
    } catch (reason) {
      return String(reason);
    }
  }

  /** A proxy that knows where a name is that no resolver knows. */
  async function aProxy(target: string) {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.url ?? "");
      const { pathname } = new URL(request.url ?? "");
      void fetch(`${target}${pathname}`, { method: "POST", body: "{}" }).then(async (answer) => {
        response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
      });
    });
    proxy.on("connect", (request, socket) => {
      seen.push(`CONNECT ${request.url}`);
      const { port } = new URL(target);
      const upstream = connect(Number(port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      proxy.closeAllConnections();
      proxy.close();
    });
    const address = proxy.address();
    return { seen, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` };
  }

  function setEnvironment(values: Readonly<Record<string, string>>): void {
    const names = ["http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"];
    const before = names.map((name) => [name, process.env[name]] as const);
    onTestFinished(() => {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    for (const name of names) delete process.env[name];
    Object.assign(process.env, values);
  }

  for (const name of ["HTTP_PROXY", "http_proxy"]) {
    it(`${name} is used, and NO_PROXY leaves hosts out (HTTPCLIENT-5)`, async () => {
      const server = await ModelServer.start(yes);
      onTestFinished(() => server.stop());
      const proxy = await aProxy(server.url);
      setEnvironment({ [name]: proxy.url });
      expect((await ask("http://model.invalid/v1")).said).toBe("yes");
      expect(proxy.seen).toEqual(["http://model.invalid/v1/chat/completions"]);
      setEnvironment({ [name]: proxy.url, NO_PROXY: "127.0.0.1,localhost" });
      expect((await ask(server.url)).said).toBe("yes");
      expect(proxy.seen).toHaveLength(1);
      setEnvironment({ [name]: proxy.url, no_proxy: "10.0.0.0/33, 127.0.0.0/8" });
      expect((await ask(server.url)).said).toBe("yes");
      expect(proxy.seen).toHaveLength(1);
      setEnvironment({ [name]: proxy.url.slice("http://".length) });
      expect((await ask("http://model.invalid/v1")).said).toBe("yes");
      expect(proxy.seen).toHaveLength(2);
    });
  }

  for (const url of ["http//me:pass@proxy", "ftp://me:pass@proxy", "me:pass@proxy:port", "http://"]) {
    it(`${url} is refused by the name of its variable`, () => {
      setEnvironment({ HTTPS_PROXY: url });
      const problem = thrown(() => new EndpointSampler({ url: "http://127.0.0.1:9", model: "m" }));
      expect(problem).toMatch(/CONFIG_INVALID\] HTTPS_PROXY: must be the URL of a proxy, such as http:\/\//);
      expect(problem).not.toContain("pass");
    });
  }

  it("a proxy that is not there is named, without its password", async () => {
    setEnvironment({ HTTPS_PROXY: "http://me:pass@127.0.0.1:9" });
    const { said } = await ask("https://model.invalid/v1", { maxAttempts: 1 });
    expect(String(said)).toMatch(
      /through the proxy http:\/\/127\.0\.0\.1:9; check HTTP_PROXY and HTTPS_PROXY/,
    );
    expect(String(said)).not.toContain("pass@");
  });
});
