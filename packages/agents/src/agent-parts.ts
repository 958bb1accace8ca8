import { AgentError } from "./error.js";
import type { Sampler, Tokenizer } from "./sampler.js";

/**
 * Refuses options of an agent that lack a sampler or a tokenizer, before the first use of one fails.
 * @throws {AgentError} BAD_CONFIG
 */
export function checkParts(
  options: { readonly sampler: Sampler; readonly tokenizer: Tokenizer },
  agent: string,
): void {
  const given: unknown = options;
  const refuse = (problem: string) => {
    throw new AgentError("BAD_CONFIG", `options of ${agent}: ${problem}`);
  };
  if (typeof given !== "object" || given === null) refuse(`is ${String(given)}: give { sampler, tokenizer }`);
  check(options.sampler, ["generate"], "sampler", "such as that of an endpoint or of a model", refuse);
  check(
    options.tokenizer,
    ["encode", "decode", "specialTokenId"],
    "tokenizer",
    "such as that of the model",
    refuse,
  );
}

function check(
  part: unknown,
  methods: readonly string[],
  name: string,
  example: string,
  refuse: (problem: string) => void,
): void {
  if (typeof part !== "object" || part === null) {
    refuse(`${name} is ${part === undefined ? "absent" : String(part)}: give one, ${example}`);
    return;
  }
  const lacking = methods.find((method) => typeof Reflect.get(part, method) !== "function");
  if (lacking !== undefined) refuse(`${name} has no method ${lacking}: give a ${name}, ${example}`);
}
