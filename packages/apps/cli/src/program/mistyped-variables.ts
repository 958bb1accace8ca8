import { closestWord } from "@palimpsest/std/input";

const prefix = "PALIMPSEST_";

/** What the programs of this project read from their environment. A test holds the list to their sources. */
export const variables = [
  "ADDRESS",
  "ASSUME_GPU",
  "CACHE",
  "CPU_BFLOAT16",
  "CUDA",
  "DATA_DIR",
  "DEBUG",
  "EXTRA_CA_CERTS",
  "EXTRA_CA_CERTS_PID",
  "FAULTS",
  "JOB_ID",
  "NOTICES",
  "QUEUE_REDIS_URL",
  "QUEUE_REDIS_URL_FILE",
  "REDIS_URL",
  "REDIS_URL_FILE",
  "SERVE_TOKEN",
  "SETUP",
  "TENSORFLOW",
  "TEST_PROTOCOLS",
  "TLS",
  "TOKEN",
  "TOKEN_FILE",
].map((name) => `${prefix}${name}`);

/**
 * Says which variables were probably mistyped, one line for each. Others may be of users' own programs, whose jobs run in
 * this environment.
 */
export function mistypedVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = variables.map((name) => name.slice(prefix.length));
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(prefix) || variables.includes(name)) return [];
    const meant = closestWord(name.slice(prefix.length), known);
    return meant === undefined ? [] : [`${name} is not read by palimpsest; did you mean ${prefix}${meant}?`];
  });
}
