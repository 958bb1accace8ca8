import { type Answer, events, json, type Received } from "./model-server.js";

/** The same small model behind each kind of server: after token n comes n + 1, with log-prob -n / 100. */
function sample(prompt: readonly number[], maxTokens: number, stops: readonly number[]) {
  const tokenIds: number[] = [];
  let last = prompt.at(-1) ?? 0;
  while (tokenIds.length < maxTokens) {
    last += 1;
    tokenIds.push(last);
    if (stops.includes(last)) return { tokenIds, end: "stop" };
  }
  return { tokenIds, end: "length" };
}

export const logprobOf = (id: number) => -id / 100;

const numbers = (value: unknown) => (Array.isArray(value) ? (value as number[]) : []);

const answer = (stream: unknown, whole: unknown, parts: readonly unknown[], done: boolean): Answer =>
  stream === true ? events(parts, { done }) : json(whole);

export const likeVllm: Answer = (received, response) => {
  const { prompt, max_tokens: max, stop_token_ids: stops, stream } = received.body;
  const { tokenIds, end } = sample(numbers(prompt), Number(max), numbers(stops));
  const choice = (ids: readonly number[], finish: string | null) => ({
    id: "cmpl-1",
    choices: [
      {
        index: 0,
        text: ids.map((id) => ` t${id}`).join(""),
        token_ids: ids,
        logprobs: {
          tokens: ids.map((id) => `token_id:${id}`),
          token_logprobs: ids.map(logprobOf),
          top_logprobs: ids.map((id) => ({ [`token_id:${id}`]: logprobOf(id) })),
        },
        finish_reason: finish,
        stop_reason: finish === "stop" ? ids.at(-1) : null,
      },
    ],
  });
  const parts = tokenIds.map((id, i) => choice([id], i === tokenIds.length - 1 ? end : null));
  return answer(
    stream,
    choice(tokenIds, end),
    [...parts, { choices: [], usage: {} }],
    true,
  )(received, response);
};

export const likeSglang: Answer = (received, response) => {
  const { input_ids: prompt, sampling_params, stream } = received.body;
  const { max_new_tokens: max, stop_token_ids: stops } = sampling_params as Record<string, unknown>;
  const { tokenIds, end } = sample(numbers(prompt), Number(max), numbers(stops));
  const said = (ids: readonly number[], finish: object | null) => ({
    text: "…",
    output_ids: ids,
    meta_info: {
      id: "x",
      finish_reason: finish,
      prompt_tokens: 3,
      completion_tokens: ids.length,
      weight_version: "default",
      output_token_logprobs: ids.map((id) => [logprobOf(id), id, null]),
    },
  });
  const finish = { type: end, ...(end === "stop" ? { matched: tokenIds.at(-1) } : { length: max }) };
  // Each event repeats all earlier tokens.
  const parts = tokenIds.map((_, i) =>
    said(tokenIds.slice(0, i + 1), i === tokenIds.length - 1 ? finish : null),
  );
  return answer(stream, said(tokenIds, finish), parts, true)(received, response);
};

/** Tokens that end within a character, about which llama.cpp reports little. */
const isWithinCharacter = (id: number) => id % 100 === 77;
/** Only one of these is so unlikely that it is in no short list. */
const isUnlikely = (id: number) => id % 1000 === 177;
const letter = 97;

/**
 * Its only stop tokens are the model's own, which are here none of those that a request names. A token within a
 * character is in no stream, and has no log-prob in a whole answer; neither have, there, the last tokens before a stop
 * text. With a bias it reports the log-probs before the bias.
 */
export const likeLlamaCpp: Answer = (received, response) => {
  if (received.path === "/tokenize") return json({ tokens: [letter] })(received, response);
  const { prompt, n_predict: max, n_probs: likeliest, stop, stream, logit_bias: bias } = received.body;
  const reported = (id: number, likely: readonly number[] = [id]) => ({
    id,
    token: "x",
    bytes: [120],
    logprob: logprobOf(id),
    top_logprobs: likely.map((each) => ({ id: each, token: "x", bytes: [120], logprob: logprobOf(each) })),
  });
  const last = { stop: true, stop_type: "limit", stopping_word: "", tokens_evaluated: 3, timings: {} };
  if (bias !== undefined) {
    const { tokenIds } = sample(numbers(prompt), 1, []);
    const listed = tokenIds.filter((id) => !isUnlikely(id) || Number(likeliest) > 1000);
    const forced = numbers((bias as unknown[])[0])[0] ?? 0;
    return json({
      ...last,
      content: "a",
      tokens: [forced],
      tokens_predicted: 1,
      completion_probabilities: [reported(forced, [letter, ...listed])],
    })(received, response);
  }
  const whole = sample(numbers(prompt), Number(max), []).tokenIds;
  const stopAt = whole.findIndex((id) => Array.isArray(stop) && stop.includes(` t${id}`));
  const tokenIds = stopAt < 0 ? whole : whole.slice(0, stopAt + 1);
  const end = stopAt < 0 ? {} : { stop_type: "word", stopping_word: ` t${tokenIds.at(-1)}` };
  const said = tokenIds.filter((id) => !isWithinCharacter(id));
  const parts = said.map((id) => ({
    content: "x",
    tokens: [id],
    stop: false,
    tokens_predicted: tokenIds.indexOf(id) + 1,
    completion_probabilities: [reported(id)],
  }));
  const ended = { ...last, ...end, tokens_predicted: tokenIds.length };
  const kept = stopAt < 0 ? said : said.slice(0, -2);
  const probabilities = kept.length === 0 ? {} : { completion_probabilities: kept.map((id) => reported(id)) };
  return answer(
    stream,
    { ...ended, content: "x", tokens: tokenIds, ...probabilities },
    [...parts, { ...ended, content: "", tokens: [] }],
    false,
  )(received, response);
};

/** An OpenAI-like server that returns a text, in pieces when it streams. */
export const saying =
  (pieces: readonly string[], finish = "stop"): Answer =>
  (received: Received, response) => {
    const chat = received.path === "/v1/chat/completions";
    const piece = (content: string) => (chat ? { delta: { content } } : { text: content });
    const whole = chat
      ? { message: { role: "assistant", content: pieces.join("") } }
      : { text: pieces.join("") };
    const usage = { prompt_tokens: 5, completion_tokens: pieces.length };
    const parts = [
      ...pieces.map((content) => ({ choices: [{ index: 0, ...piece(content), finish_reason: null }] })),
      { choices: [{ index: 0, ...piece(""), finish_reason: finish }] },
      { choices: [], usage },
    ];
    const value = { choices: [{ index: 0, ...whole, finish_reason: finish }], usage };
    return answer(received.body["stream"], value, parts, true)(received, response);
  };
