/** Fakes for tests of everything that runs an agent: a tokenizer of words, and a sampler that follows a script. */
import type { GenerateRequest, Sampler, Tokenizer } from "./sampler.js";

/**
 * Returns a tokenizer for which each word with the space before it is a token, and so is every other character. Ids are
 * assigned in the order in which tokens are first seen. The parts of a text that is cut between tokens encode to the
 * same ids as the whole. Special tokens in a text become their ids unless the caller asks otherwise, as in real
 * tokenizers.
 */
export function wordTokenizer(specialTokens: readonly string[] = ["<|end|>"]): Tokenizer {
  const texts = [...specialTokens];
  const ids = new Map<string, number>();
  const words = (text: string) =>
    (text.match(/ ?[\p{L}\p{N}]+|[^\p{L}\p{N}]/gu) ?? []).map((word) => {
      const known = ids.get(word);
      if (known !== undefined) return known;
      ids.set(word, texts.length);
      return texts.push(word) - 1;
    });
  const escaped = specialTokens.map((special) => special.replace(/[\^$.*+?()[\]{}|]/g, "\\$&"));
  const anySpecial = new RegExp(`(${escaped.join("|")})`);
  return {
    encode: (text, { specialTokens: as = "ids" } = {}) => {
      if (as === "text" || specialTokens.length === 0) return words(text);
      return text.split(anySpecial).flatMap((piece) => {
        const at = specialTokens.indexOf(piece);
        return at < 0 ? words(piece) : [at];
      });
    },
    decode: (tokenIds) => tokenIds.map((id) => texts[id] ?? `<unknown ${id}>`).join(""),
    specialTokenId: (text) => {
      const at = specialTokens.indexOf(text);
      return at < 0 ? undefined : at;
    },
  };
}

/**
 * Returns a sampler that samples what `reply` returns for the prompt's text, and then the stop token. Like a model's,
 * its replies are cut at the request's limit.
 * @param options.onRequest is called with every request before it is answered
 */
export function scriptedSampler(options: {
  readonly tokenizer: Tokenizer;
  readonly reply: (prompt: string, request: GenerateRequest) => string;
  readonly onRequest?: (request: GenerateRequest) => void;
}): Sampler {
  const { tokenizer, reply, onRequest } = options;
  return {
    async generate(request, signal) {
      signal?.throwIfAborted();
      onRequest?.(request);
      const whole = [
        ...tokenizer.encode(reply(tokenizer.decode(request.promptTokenIds), request)),
        ...request.stopTokenIds.slice(0, 1),
      ];
      const tokenIds = whole.slice(0, request.maxTokens);
      return {
        tokenIds,
        rolloutLogprobs: tokenIds.map((_, i) => -0.5 - i / 16),
        stopReason: tokenIds.length < whole.length ? "length" : "stop",
        policyVersion: 0,
        weightsHash: "script",
      };
    },
  };
}

/** Returns a perfect agent's reply to a prompt of the preset `tiny` about sentences of the ruler generator. */
export function oracleReply(prompt: string): string {
  const name = /^question: (?:what does|where is what) (\w+) like/.exec(prompt)?.[1] ?? "";
  const twoHop = prompt.startsWith("question: where");
  const memory = /\nmemory:(.*)\n/.exec(prompt)?.[1] ?? "";
  if (prompt.endsWith("answer:")) return ` \\boxed{${/(\w+)\.?$/.exec(memory)?.[1] ?? ""}}`;
  const section = /\nsection:(.*)\n/.exec(prompt)?.[1] ?? "";
  const liked = new RegExp(` ${name} likes (\\w+)\\.`).exec(section);
  const noted = liked?.[0] ?? memory;
  if (!twoHop) return noted;
  const value = new RegExp(` ${name} likes (\\w+)\\.`).exec(noted)?.[1];
  const origin = value === undefined ? null : new RegExp(` ${value} from \\w+\\.`).exec(section);
  return origin?.[0] ?? noted;
}
