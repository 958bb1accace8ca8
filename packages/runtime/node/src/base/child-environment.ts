/** Matches names that look like secrets, such as keys of clouds and services in the worker's environment. */
const secretNames =
  /(TOKENS?|SECRETS?|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?)$|(^|_)(PAT|AUTH|(API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION)_?KEY(_ID)?|KEY)$|^AWS_|^AZURE_|^GOOGLE_APPLICATION_|^(MYSQL_PWD|SSHPASS|PGPASSFILE|SSH_AUTH_SOCK)$/;

/** Matches URLs of databases and queues that contain a password. */
const urlWithPassword = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** What a machine's user sets for the processes that compute, not for the node. */
const ofComputation = ["PALIMPSEST_CPU_BFLOAT16"];

/**
 * Returns the variable that gives a process more threads for files than the four of Node.js, where there are processors for them. Weights of
 * gigabytes are written and read by several at once, and whatever else touches a file waits behind them.
 * @param set what the node's own environment says, which is kept
 */
export function fileThreads(processors: number, set: string | undefined): Readonly<Record<string, string>> {
  const threads = Math.min(16, Math.floor(processors / 2));
  if (set !== undefined || threads <= 4) return {};
  return { UV_THREADPOOL_SIZE: String(threads) };
}

/**
 * Returns the environment of actors and drivers: the node's own, without its settings (PALIMPSEST_*) and without
 * variables that look like secrets. An actor that needs one of those variables names it in its `environment` option.
 * @param pass names that are passed nevertheless; "*" passes all but PALIMPSEST_*
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  pass: readonly string[],
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    if (name.startsWith("PALIMPSEST_") && !ofComputation.includes(name)) continue;
    const named = pass.includes("*") || pass.includes(name);
    const secret = secretNames.test(name.toUpperCase()) || urlWithPassword.test(value);
    if (named || !secret) kept[name] = value;
  }
  return kept;
}
