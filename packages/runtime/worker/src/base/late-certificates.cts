/**
 * Loaded before everything else in processes of the worker's program, and in their threads: trusts the certificates of
 * NODE_EXTRA_CA_CERTS when the first TLS context needs them. Node.js 20 reads that file as it starts, which takes 40 ms of
 * processor time where the file is a machine's whole list, and most actors make no such connection.
 *
 * Not responsible for: hiding the variable from Node.js, which the node that starts the process does.
 */
type SecureContext = import("node:tls").SecureContext;
type SecureContextOptions = import("node:tls").SecureContextOptions;

const fs = process.getBuiltinModule("node:fs");
const nodeModule = process.getBuiltinModule("node:module");
const tls = process.getBuiltinModule("node:tls");

/** The name under which the node passes the path, which Node.js does not read. */
const givenName = "PALIMPSEST_EXTRA_CA_CERTS";
/** The process to which this applies: a process that it forks reads the file itself, and its threads have no other mark. */
const pidName = "PALIMPSEST_EXTRA_CA_CERTS_PID";
/** How many contexts are kept. Programs have a few kinds of connections. */
const maxContexts = 16;
const comparable = [
  "ciphers",
  "ecdhCurve",
  "honorCipherOrder",
  "maxVersion",
  "minVersion",
  "secureOptions",
  "secureProtocol",
  "sessionIdContext",
  "sessionTimeout",
  "sigalgs",
] as const;
const incomparable = [
  "cert",
  "clientCertEngine",
  "crl",
  "dhparam",
  "key",
  "passphrase",
  "pfx",
  "ticketKeys",
] as const;

function trustLater(path: string): void {
  const create = tls.createSecureContext;
  /** Contexts without a key of their own: making one with all of these certificates takes 20 ms. */
  const contexts = new Map<string, SecureContext>();
  let extra: string | undefined;

  function certificates(): string {
    try {
      extra ??= fs.readFileSync(path, "latin1");
    } catch (reason) {
      extra = "";
      process.emitWarning(`Ignoring extra certs from ${path}, load failed: ${String(reason)}`);
    }
    return extra;
  }

  function createSecureContext(options: SecureContextOptions = {}): SecureContext {
    if (options.ca !== undefined && options.ca !== null) return create(options);
    const own = certificates();
    if (own === "") return create(options);
    const withExtra = () => create({ ...options, ca: [...tls.rootCertificates, own] });
    if (incomparable.some((name) => options[name] !== undefined)) return withExtra();
    const key = JSON.stringify(comparable.map((name) => options[name] ?? null));
    const context = contexts.get(key) ?? withExtra();
    if (contexts.size < maxContexts) contexts.set(key, context);
    return context;
  }
  Object.assign(tls, { createSecureContext });
  nodeModule.syncBuiltinESMExports();
}

const given = process.env[givenName];
if (given !== undefined) {
  delete process.env[givenName];
  process.env["NODE_EXTRA_CA_CERTS"] = given;
  process.env[pidName] = String(process.pid);
}
const path = process.env["NODE_EXTRA_CA_CERTS"];
if (path && process.env[pidName] === String(process.pid)) trustLater(path);
