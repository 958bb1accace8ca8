export interface CodedErrorOptions<Details> {
  readonly cause?: unknown;
  /** Facts for programs: ids, indices, values. */
  readonly details?: Details | undefined;
}

/**
 * The base of the one error class of each package: a code of a closed set for programs, and a message for people that
 * names the field, the value and the fix, with the code in front.
 */
export class CodedError<
  Code extends string,
  Details extends object = Readonly<Record<string, unknown>>,
> extends Error {
  readonly code: Code;
  readonly details: Details | Readonly<Record<string, never>>;
  readonly #rawMessage: string;

  /** @param name of the class, given because a bundler may rename classes */
  constructor(name: string, code: Code, message: string, options: CodedErrorOptions<Details> = {}) {
    super(`[${code}] ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = name;
    this.code = code;
    this.#rawMessage = message;
    this.details = options.details ?? {};
    // Empty braces in a printed error say nothing.
    if (Object.keys(this.details).length === 0) Object.defineProperty(this, "details", { enumerable: false });
  }

  /** The message without the code in front. It is no field of its own, so that a printed error has its message once. */
  get rawMessage(): string {
    return this.#rawMessage;
  }
}
