/** What is pasted from documentation: the address of one endpoint instead of the base of all. */
const pasted = /\/(chat\/completions|chat|completions|embeddings|messages|responses|models)$/;
/** Azure serves models of several makers below this path. */
const isAzureModels = ({ hostname, pathname }: URL) =>
  /\.azure\.com$/.test(hostname) && /^\/models\/?$/.test(pathname);
/** Parameters of a URL whose values are secrets, such as ?key= of Gemini. */
const secretName = /key|token|secret|sig|pass|auth|code/i;

/**
 * The base of a server's endpoints. `api`: of OpenAI's protocol; a URL with a path is the base as it stands
 * (https://host/v1beta/openai), and a bare host has it at /v1. `root`: of a model's server whose own endpoints are used, without a
 * /v1. `origin`: of any server, without the URL's path. A query (?api-version=…) is part of every address.
 */
export class ServerAddress {
  readonly origin: string;
  readonly hostname: string;
  readonly #path: string;
  readonly #query: URLSearchParams;

  constructor(url: string, base: "api" | "root" | "origin") {
    const given = new URL(url);
    const { origin, hostname, pathname, searchParams } = given;
    const whole = pathname.replace(/\/+$/, "");
    const path = isAzureModels(given) ? whole : whole.replace(pasted, "").replace(/\/+$/, "");
    this.origin = origin;
    this.hostname = hostname;
    this.#path = { api: path || "/v1", root: path.replace(/\/v1$/, ""), origin: "" }[base];
    this.#query = searchParams;
  }

  /** The values of the query that may be keys. */
  get secrets(): string[] {
    return [...this.#query].filter(([name]) => secretName.test(name)).map(([, value]) => value);
  }

  /** Returns the address of an endpoint, such as /chat/completions. */
  at(path: string): string {
    return this.#written(path, (_name, value) => value);
  }

  /** The same for messages: without values that may be keys. */
  shown(path: string): string {
    return this.#written(path, (name, value) => (secretName.test(name) ? "***" : value));
  }

  #written(path: string, shownAs: (name: string, value: string) => string): string {
    const query = [...this.#query].map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(shownAs(name, value)).replaceAll("%3A", ":")}`,
    );
    return `${this.origin}${this.#path}${path}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  }
}
