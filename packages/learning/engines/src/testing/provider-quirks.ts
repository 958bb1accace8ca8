import { gzipSync } from "node:zlib";
import { type Answer, events, json, raw } from "./model-server.js";
import { type Behavior, choice, delta, whole, without, yes } from "./provider-replies.js";

const page = (title: string) =>
  `<!DOCTYPE html>\n<html lang="en"><head><title>${title}</title><style>body{color:red}</style></head><body><center><h1>${title}</h1></center><hr></body></html>`;
/** Sends a text as a stream of events, byte for byte. */
const stream = (text: string) => raw(text, "text/event-stream");
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
/** Gives the first request another answer. */
function first(answer: Answer, later: Answer = yes): Answer {
  let asked = false;
  return (received, response) => {
    const now = asked ? later : answer;
    asked = true;
    return now(received, response);
  };
}
/** Sends a stream and breaks the connection, as proxies do that forget the last chunk. */
const broken =
  (text: string): Answer =>
  async (_received, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    await new Promise<void>((sent) => {
      response.write(text, () => sent());
    });
    await new Promise<void>((turn) => {
      setImmediate(turn);
    });
    response.destroy();
  };
const packed =
  (answer: string, contentType: string, status = 200): Answer =>
  (_received, response) => {
    response.writeHead(status, { "content-type": contentType, "content-encoding": "gzip" });
    response.end(gzipSync(answer));
  };
/** Sends one text again and again until the client leaves. */
const endless =
  (piece: string, contentType: string, status = 200): Answer =>
  (_received, response) => {
    response.writeHead(status, { "content-type": contentType });
    const write = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once("drain", write);
    };
    write();
  };
const unpacked =
  (coding: string): Answer =>
  (_received, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding });
    response.end(JSON.stringify(whole("yes")));
  };
const other = (index: number) => ({ choices: [{ index, delta: { content: "no" }, finish_reason: null }] });
const moved =
  (location: string, status: number): Answer =>
  (_received, response) => {
    response.writeHead(status, { location }).end();
  };

/** Behaviors that users of real servers have reported, beside those of the documentation. */
export const quirks: readonly Behavior[] = [
  // Events
  {
    name: "SGLang, Ollama: finish_reason is empty until the end",
    answer: events([delta("y", ""), delta("es", ""), delta("", "stop")]),
    is: "yes",
  },
  {
    name: "Ollama: a stream that is cut while finish_reason is empty",
    answer: events([delta("y", "")], { done: false }),
    is: /UNREACHABLE.*ended before the completion/,
    requests: 6,
  },
  { name: 'KoboldCpp: finish_reason is the text "null"', answer: events([delta("yes", "null")]), is: "yes" },
  {
    name: "OpenRouter: comments keep the connection",
    answer: stream(
      `: OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n${event(delta("yes", "stop"))}data: [DONE]\n\n`,
    ),
    is: "yes",
  },
  {
    name: "DeepSeek: empty lines before the JSON",
    answer: raw(`\n\n\n\n${JSON.stringify(whole("yes"))}`, "application/json"),
    is: "yes",
  },
  {
    name: "Perplexity: every event repeats the whole text as a message",
    answer: events([
      { choices: [{ delta: { content: "y" }, message: { content: "y" }, finish_reason: null }] },
      { choices: [{ delta: { content: "es" }, message: { content: "yes" }, finish_reason: null }] },
      { choices: [{ delta: { content: "" }, message: { content: "yes" }, finish_reason: "stop" }] },
    ]),
    is: "yes",
  },
  {
    name: "a gateway: one line end between events",
    answer: stream(
      `data: ${JSON.stringify(delta("y"))}\ndata: ${JSON.stringify(delta("es", "stop"))}\ndata: [DONE]\n`,
    ),
    is: "yes",
  },
  {
    name: "uvicorn behind a proxy: the connection breaks after the last event",
    answer: broken(event(delta("yes", "stop"))),
    is: "yes",
  },
  {
    name: "llama.cpp: an event that is an error by its field",
    answer: stream(
      `${event(delta("y"))}error: ${JSON.stringify({ code: 400, message: "the request exceeds the available context size", type: "exceed_context_size_error" })}\n\n`,
    ),
    is: /REFUSED.*available context size.*chunkTokens/,
  },
  {
    name: "Ollama: a line of JSON between events",
    answer: stream(
      `${event(delta("y"))}{"error":"an error was encountered while running the model: unexpected EOF"}\n`,
    ),
    is: /SERVER_FAILED.*while running the model/,
    requests: 6,
  },
  {
    name: "LM Studio: an error event with the message twice",
    answer: stream(
      `event: error\ndata: {"error":{"message":"Compute error."},"message":"Compute error."}\n\n`,
    ),
    is: /SERVER_FAILED.*Compute error/,
    requests: 6,
  },
  {
    name: "a gateway: an error event in plain words",
    answer: stream(`${event(delta("y"))}event: error\ndata: upstream connect error\n\n`),
    is: /BAD_REPLY.*does not parse.*upstream connect error/,
    requests: 4,
  },
  {
    name: "TGI: an error that only error_type explains",
    answer: stream(
      event({
        error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000",
        error_type: "validation",
      }),
    ),
    is: /REFUSED.*must be <= 4096.*chunkTokens/,
  },
  {
    name: "vLLM: an error as an object of its own",
    answer: stream(event({ object: "error", message: "bad grammar", type: "BadRequestError", code: 400 })),
    is: /REFUSED.*bad grammar/,
  },
  {
    name: "OpenRouter: an error beside an empty choice",
    answer: events([
      { ...delta("", "error"), error: { code: "server_error", message: "Provider disconnected" } },
    ]),
    is: /SERVER_FAILED.*Provider disconnected/,
    requests: 6,
  },
  {
    name: "OpenAI: a refusal in pieces",
    answer: events([delta(null, null, { refusal: "I ca" }), delta(null, "stop", { refusal: "n't." })]),
    is: /NO_ANSWER.*refused to answer: I can't\./,
  },
  {
    name: "vLLM: a tool's call in pieces",
    answer: events([
      delta(null, null, { tool_calls: [{ index: 0, id: "1", function: { name: "save", arguments: "" } }] }),
      delta(null, null, { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
      delta(null, "tool_calls", { tool_calls: [{ index: 0, function: { arguments: "1}" } }] }),
    ]),
    is: /NO_ANSWER.*called a tool/,
  },
  {
    name: "Azure: verdicts before and after the text",
    answer: events([
      { choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
      delta("yes"),
      { choices: [{ index: 0, finish_reason: null, content_filter_results: { hate: { filtered: false } } }] },
      delta(null, "stop"),
    ]),
    is: "yes",
  },
  {
    name: "Mistral: parts in a stream, thought first",
    answer: events([
      delta([{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }]),
      delta([{ type: "text", text: "yes" }], "stop"),
    ]),
    is: "yes",
  },
  {
    name: "choices out of order, in one event and in several",
    answer: events([
      other(1),
      { choices: [...other(1).choices, ...delta("y").choices] },
      other(2),
      delta("es", "stop"),
    ]),
    is: "yes",
  },
  {
    name: "choices without an index",
    answer: json({ choices: [{ message: { content: "yes" } }, { message: { content: "no" } }] }),
    is: "yes",
  },
  {
    name: "no choice of index 0",
    answer: events([other(1)]),
    is: /BAD_REPLY.*has no choice of index 0/,
    requests: 4,
  },
  {
    name: "a surrogate pair in two events, and halves of others",
    answer: stream(
      `${["\\ude00y\\ud83d", "\\ude00es\\ud83d"]
        .map((text) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`)
        .join("")}data: [DONE]\n\n`,
    ),
    is: "\ufffdy😀es\ufffd",
  },
  {
    name: "lines of JSON without events",
    answer: raw(
      `${JSON.stringify(delta("y"))}\n${JSON.stringify(delta("es", "stop"))}\n`,
      "application/x-ndjson",
    ),
    is: "yes",
  },
  {
    name: "a stream that never ends",
    answer: endless(event(delta("x".repeat(2 ** 20))), "text/event-stream"),
    is: /BAD_REPLY.*more than 67108864 bytes.*max_tokens/,
  },
  {
    name: "a reply that never ends",
    answer: endless(" ".repeat(2 ** 20), "application/json"),
    is: /BAD_REPLY.*more than 67108864 bytes.*max_tokens/,
  },
  {
    name: "an error that never ends",
    answer: endless("x".repeat(2 ** 20), "text/plain", 500),
    is: /BAD_REPLY.*more than 67108864 bytes/,
  },
  {
    name: "an event that never ends",
    answer: endless("x".repeat(2 ** 20), "text/event-stream"),
    is: /BAD_REPLY.*an event of more than 16777216 bytes/,
  },
  // What is no event under the type of events
  {
    name: "a reply of several lines under the type of events",
    answer: stream(JSON.stringify(whole("yes"), null, 2)),
    is: "yes",
  },
  {
    name: "an error of several lines under the type of events",
    answer: stream(JSON.stringify({ error: { message: "no such deployment", code: 404 } }, null, 2)),
    is: /REFUSED.*no such deployment.*check the URL/,
  },
  {
    name: "plain words under the type of events",
    answer: stream("upstream connect error"),
    is: /BAD_REPLY.*upstream connect error/,
    requests: 4,
  },
  {
    name: "no body at all",
    answer: (_received, response) => void response.writeHead(204).end(),
    is: /BAD_REPLY.*answered with status 204 and no body; repeat/,
    requests: 4,
  },
  // Replies around replies, and other protocols
  {
    name: "AWS Lambda: a failure in words of its own",
    answer: json({ errorMessage: "Task timed out after 3.00 seconds", errorType: "Sandbox.Timedout" }),
    is: /BAD_REPLY.*no choice but says .*Task timed out after 3\.00 seconds.*; repeat/,
    requests: 4,
  },
  {
    name: "an error that says that there is none",
    answer: json({ ...whole("yes"), error: { code: 0, message: "" } }),
    is: "yes",
  },
  {
    name: "an error whose code is 0 and whose message is success",
    answer: json({ ...whole("yes"), error: { code: "0", message: "success" } }),
    is: "yes",
  },
  {
    name: "a gateway: the reply is wrapped",
    answer: json({ code: 0, message: "success", data: whole("yes") }),
    is: "yes",
  },
  {
    name: "Cloudflare: the reply is wrapped",
    answer: json({ result: whole("yes"), success: true, errors: [], messages: [] }),
    is: "yes",
  },
  {
    name: "a gateway: a wrap without a reply",
    answer: json({ code: 0, message: "success", data: null }),
    is: /BAD_REPLY.*has no choice/,
    requests: 4,
  },
  {
    name: "Anthropic: its own protocol",
    answer: json({ type: "message", role: "assistant", content: [{ type: "text", text: "yes" }] }),
    is: /BAD_REPLY.*Anthropic's Messages API.*https:\/\/api\.anthropic\.com\/v1/,
  },
  {
    name: "a gateway: fields of another protocol beside the choice",
    answer: json({ ...whole("yes"), response: "yes", done: true, object: "response" }),
    is: "yes",
  },
  {
    name: "Anthropic: its own protocol in a stream",
    answer: stream(`event: message_start\n${event({ type: "message_start", message: {} })}`),
    is: /BAD_REPLY.*Anthropic's Messages API/,
  },
  {
    name: "Ollama: its own protocol, chat",
    answer: json({ model: "m", message: { role: "assistant", content: "yes" }, done: true }),
    is: /BAD_REPLY.*Ollama's own API.*http:\/\/127\.0\.0\.1:11434\/v1/,
  },
  {
    name: "Ollama: its own protocol in lines",
    answer: raw(
      `${JSON.stringify({ model: "m", response: "y", done: false })}\n${JSON.stringify({ model: "m", response: "es", done: true })}\n`,
      "application/x-ndjson",
    ),
    is: /BAD_REPLY.*Ollama's own API/,
  },
  {
    name: "OpenAI: its Responses API",
    answer: json({ object: "response", output: [{ type: "message", content: [] }] }),
    is: /BAD_REPLY.*OpenAI's Responses API.*https:\/\/api\.openai\.com\/v1/,
  },
  {
    name: "OpenAI: its Responses API in a stream",
    answer: stream(event({ type: "response.created", response: {} })),
    is: /BAD_REPLY.*OpenAI's Responses API/,
  },
  {
    name: "Gemini: its own protocol",
    answer: json({ candidates: [{ content: { parts: [{ text: "yes" }] } }] }),
    is: /BAD_REPLY.*Gemini's own API.*\/v1beta\/openai/,
  },
  // Contents
  {
    name: "Z.ai: a filter that only its Chinese message names",
    answer: json(
      { error: { code: "1301", message: "系统检测到输入或生成内容可能包含不安全或敏感内容" } },
      400,
    ),
    is: /NO_ANSWER.*敏感内容; change the text/,
  },
  {
    name: "gpt-oss: the marks of channels left in the text",
    answer: json(
      whole(
        "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>",
      ),
    ),
    is: "yes",
  },
  {
    name: "gpt-oss: an answer without a thought",
    answer: json(whole("<|channel|>final<|message|>yes")),
    is: "yes",
  },
  {
    name: "vLLM: a thought and no content",
    answer: json({ choices: [choice(null, "stop", { reasoning_content: "hm" })] }),
    is: /NO_ANSWER.*by thinking/,
  },
  {
    name: "vLLM: empty lists and nulls beside the content",
    answer: json({
      choices: [choice("yes", "stop", { tool_calls: [], function_call: null, refusal: null, audio: null })],
      error: null,
    }),
    is: "yes",
  },
  {
    name: "Anthropic: finish_reason refusal",
    answer: json(whole("I ca", "refusal")),
    is: /NO_ANSWER.*withheld.*refusal/,
  },
  {
    name: "Gemini: content_filter: RECITATION",
    answer: json(whole(null, "content_filter: RECITATION")),
    is: /NO_ANSWER.*withheld/,
  },
  {
    name: "a gateway: content as an object of its own",
    answer: json(whole({ answer: "yes" })),
    is: /BAD_REPLY.*content.*text/,
    requests: 4,
  },
  {
    name: "Copilot: a thought under another name",
    answer: json({ choices: [choice(null, "stop", { reasoning_text: "hm" })] }),
    is: /NO_ANSWER.*by thinking/,
  },
  // Errors in other shapes
  {
    name: "MiniMax: base_resp in a 200",
    answer: json({ choices: null, base_resp: { status_code: 1004, status_msg: "login fail: no key" } }),
    is: /REFUSED.*login fail/,
  },
  {
    name: "Baidu: error_code and error_msg in a 200",
    answer: json({ error_code: 110, error_msg: "Access token invalid" }),
    is: /REFUSED.*Access token invalid/,
  },
  {
    name: "a gateway: error is true, in a 200",
    answer: json({ error: true, message: "no such deployment" }),
    is: /SERVER_FAILED.*no such deployment/,
    requests: 6,
  },
  {
    name: "Cloudflare: a list of errors",
    answer: json({ success: false, result: null, errors: [{ code: 7003, message: "no such model" }] }, 400),
    is: /REFUSED.*400 no such model/,
  },
  {
    name: "Cloudflare: its page",
    answer: raw(page("Attention Required! | Cloudflare"), "text/html", 403),
    is: /REFUSED.*403 Attention Required! \| Cloudflare;[^<>]*$/,
  },
  {
    name: "nginx: a bad gateway's page",
    answer: raw(page("502 Bad Gateway"), "text/html", 502),
    is: /SERVER_FAILED.*502 Bad Gateway[^<>]*$/,
    requests: 6,
  },
  {
    name: "nginx: a body that is too large",
    answer: raw(page("413 Request Entity Too Large"), "text/html", 413),
    is: /REFUSED.*413 .*Too Large.*chunkTokens/,
  },
  {
    name: "nginx: plain HTTP sent to a port of TLS",
    answer: raw(page("400 The plain HTTP request was sent to HTTPS port"), "text/html", 400),
    is: /REFUSED.*use https:\/\//,
  },
  {
    name: "a method that is not allowed there",
    answer: json({ detail: "Method Not Allowed" }, 405),
    is: /REFUSED.*405 Method Not Allowed; check the URL/,
  },
  {
    name: "a redirect to TLS",
    answer: moved("https://model.example/v1/chat/completions", 301),
    is: /REFUSED.*301 .*https:\/\/model\.example\/v1\/chat\/completions/,
  },
  {
    name: "Ollama: a model that was not pulled",
    answer: json({ error: "model 'm' not found, try pulling it first" }, 404),
    is: /REFUSED.*404 model 'm' not found, try pulling it first; .*a model of this name/,
  },
  { name: "an empty 401", answer: raw("", "", 401), is: /REFUSED.*401 Unauthorized; give the server's key/ },
  {
    name: "Gemini: a key that is not valid (400)",
    answer: json([{ error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT" } }], 400),
    is: /REFUSED.*API key not valid\.; give the server's key as OPENAI_API_KEY/,
  },
  // Filters that look at the prompt
  {
    name: "Azure: the prompt is filtered (400)",
    answer: json(
      { error: { message: "The response was filtered.", code: "content_filter", status: 400 } },
      400,
    ),
    is: /NO_ANSWER.*filtered.*change the text/,
  },
  {
    name: "OpenRouter: the prompt is flagged (403)",
    answer: json(
      { error: { code: 403, message: "Your input was flagged", metadata: { reasons: ["violence"] } } },
      403,
    ),
    is: /NO_ANSWER.*flagged.*change the text/,
  },
  {
    name: "DashScope: data_inspection_failed in a stream",
    answer: stream(
      event({
        error: { code: "data_inspection_failed", message: "Input may contain inappropriate content" },
      }),
    ),
    is: /NO_ANSWER.*inappropriate content.*change the text/,
  },
  ...[
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
    "Range of input length should be [1, 30720]",
    "Invalid request: Your request exceeded model token limit: 8192",
    "The sum of prompt length (9000.0) and max_tokens (100) should not exceed max_num_tokens (8192)",
    "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model",
    "Token indices sequence length is longer than the specified maximum sequence length",
    "Total tokens exceed the maximum limit",
    "Prompt exceeds max length",
    "Tokens limit in messages exceeded: 40000 > 32768",
    "Number of input tokens must be no more than 7400, got 9000",
    "the max input characters is 20000",
    "prompt tokens too long",
    "Prompt 超长",
    "上下文长度超过限制",
  ].map((message) => ({
    name: `a prompt that is too long: ${message}`,
    answer: json({ error: { message } }, 400),
    is: /REFUSED.*smaller chunkTokens, or let the server take more/,
  })),
  ...[
    "max_tokens is too large: 5000. This model supports at most 4096 completion tokens.",
    "Input validation error: `top_p` exceeds 1",
  ].map((message) => ({
    name: `a limit that is not the prompt's: ${message}`,
    answer: json({ error: { message } }, 400),
    is: /REFUSED.*set (max_tokens|top_p) to what this model takes/,
  })),
  // Limits and waits
  {
    name: "Bedrock: too many tokens for the moment (429)",
    answer: first(json({ message: "Too many tokens, please wait before trying again." }, 429)),
    is: "yes",
    requests: 2,
  },
  {
    name: "OpenAI: a request above the tokens of a minute (429)",
    answer: json(
      {
        error: { message: "Request too large for m on tokens per min (TPM): Limit 10000, Requested 15000." },
      },
      429,
    ),
    is: /REFUSED.*Requested 15000.*chunkTokens/,
  },
  {
    name: "Moonshot: no balance (429)",
    answer: json({ error: { message: "suspended", type: "exceeded_current_quota_error" } }, 429),
    is: /REFUSED.*suspended; pay/,
  },
  {
    name: "Gemini: RetryInfo in the body",
    answer: first(
      json(
        [
          {
            error: {
              code: 429,
              message: "Quota exceeded",
              details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "39.5s" }],
            },
          },
        ],
        429,
      ),
    ),
    is: "yes",
    requests: 2,
    waitsMs: 39_500,
  },
  {
    name: "OpenAI: retry-after-ms",
    answer: first(
      json({ error: { message: "slow" } }, 429, { "retry-after-ms": "1234", "retry-after": "2" }),
    ),
    is: "yes",
    requests: 2,
    waitsMs: 1234,
  },
  {
    name: "Groq: the wait is in the words",
    answer: first(json({ error: { message: "Limit 6000. Please try again in 1m7.66s." } }, 429)),
    is: "yes",
    requests: 2,
    waitsMs: 67_660,
  },
  {
    name: "a wait beyond the time",
    answer: json({ error: { message: "daily limit" } }, 429, { "retry-after": "86400" }),
    is: /OVERLOADED.*daily limit.*wait.* 86400 s/,
  },
  {
    name: "Groq: no capacity (498)",
    answer: first(json({ error: { message: "capacity exceeded" } }, 498)),
    is: "yes",
    requests: 2,
  },
  {
    name: "Gemini: cancelled (499)",
    answer: first(json([{ error: { code: 499, message: "The operation was cancelled." } }], 499)),
    is: "yes",
    requests: 2,
  },
  {
    name: "a conflict (409)",
    answer: first(json({ error: { message: "lock timeout" } }, 409)),
    is: "yes",
    requests: 2,
  },
  {
    name: "llama.cpp: loading its model",
    answer: first(json({ error: { code: 503, message: "Loading model", type: "unavailable_error" } }, 503)),
    is: "yes",
    requests: 2,
  },
  {
    name: "llama.cpp: a context that is too small (500)",
    answer: json(
      { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
      500,
    ),
    is: /REFUSED.*Context size has been exceeded.*chunkTokens/,
  },
  // Fields
  {
    name: "OpenAI: an organization that may not stream",
    answer: without(
      "stream",
      json(
        {
          error: {
            message: "Your organization must be verified to stream this model.",
            param: "stream",
            code: "unsupported_value",
          },
        },
        400,
      ),
      without("stream_options", json({ error: { message: "'stream_options' needs 'stream'" } }, 400)),
    ),
    is: "yes",
    requests: 3,
  },
  {
    name: "a field that only param names",
    answer: without("seed", json({ error: { message: "Unknown parameter.", param: "seed" } }, 400)),
    is: "yes",
    requests: 2,
  },
  {
    name: "Cerebras: the field within the body, without an error around it",
    answer: without(
      "stream_options",
      json({ message: "property 'body.stream_options' is unsupported", type: "invalid_request_error" }, 400),
    ),
    is: "yes",
    requests: 2,
  },
  {
    name: "Bedrock: a temperature that is refused, and what to do",
    answer: json({ error: { message: "temperature is deprecated for this model" } }, 400),
    is: /REFUSED.*temperature is deprecated for this model; .*temperature/,
  },
  {
    name: "Groq: a limit of tokens beyond the model's",
    answer: json({ error: { message: "`max_tokens` must be less than or equal to `32`" } }, 400),
    is: /REFUSED.*less than or equal to `32`; .*max_tokens/,
  },
  {
    name: "a server that forbids a field that matters",
    answer: without(
      "temperature",
      json(
        {
          detail: [
            {
              type: "extra_forbidden",
              loc: ["body", "temperature"],
              msg: "Extra inputs are not permitted",
              input: "the prompt",
            },
          ],
        },
        422,
      ),
    ),
    is: /REFUSED.*422 temperature: Extra inputs are not permitted; leave out temperature \(setting temperature: "preferred"\)$/,
  },
  // Transport
  {
    name: "a server that does not speak HTTP",
    answer: (_received, response) => void response.socket?.end("SSH-2.0-OpenSSH_9.6\r\n"),
    is: /UNREACHABLE.*does not answer in HTTP.*use https:\/\//,
  },
  {
    name: "headers without end",
    answer: (_received, response) => void response.writeHead(200, { "x-long": "a".repeat(40_000) }).end(),
    is: /BAD_REPLY.*UND_ERR_HEADERS_OVERFLOW.*fewer or shorter headers/,
  },
  {
    name: "gzip that no header names",
    answer: raw(gzipSync(JSON.stringify(whole("yes"))), "application/json"),
    is: /BAD_REPLY.*not UTF-8.*compressed.*content-encoding/,
    requests: 4,
  },
  ...["gzip", "deflate", "br"].map((coding) => ({
    name: `${coding} that is none`,
    answer: unpacked(coding),
    is: /BAD_REPLY.*content-encoding.*send it without/,
  })),
  { name: "gzip", answer: packed(JSON.stringify(whole("yes")), "application/json"), is: "yes" },
  {
    name: "gzip around events",
    answer: packed(`${event(delta("yes", "stop"))}data: [DONE]\n\n`, "text/event-stream"),
    is: "yes",
  },
  {
    name: "gzip around an error",
    answer: packed(JSON.stringify({ detail: "no access" }), "application/json", 403),
    is: /REFUSED.*403 no access/,
  },
];
