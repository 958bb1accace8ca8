import { Environment, Interpreter, parse, tokenize } from "@huggingface/jinja";
import { formatTime } from "./current-time.js";

/** A Jinja template with the globals that `transformers` provides to chat templates. */
export class JinjaTemplate {
  readonly #program: ReturnType<typeof parse>;

  /** @throws the parser's error if the text is not a template */
  constructor(text: string) {
    this.#program = parse(tokenize(text, { lstrip_blocks: true, trim_blocks: true }));
  }

  /**
   * Renders the template with our own `strftime_now`, because the library's has a clock that cannot be set and writes
   * the month in the machine's language.
   * @throws what the template raises, or what fails in it
   */
  render(variables: Readonly<Record<string, unknown>>, now: () => Date): string {
    const globals = new Environment();
    const constants = { true: true, false: false, none: null, True: true, False: false, None: null };
    for (const [name, value] of Object.entries({ ...constants, ...functions(now) })) globals.set(name, value);
    const own = new Environment(globals);
    for (const [name, value] of Object.entries(variables)) own.set(name, value);
    const { value } = new Interpreter(own).run(this.#program);
    return String(value);
  }
}

const functions = (now: () => Date) => ({
  raise_exception: (message: unknown) => {
    throw new Error(String(message));
  },
  strftime_now: (format: string) => formatTime(now(), format),
  range: (first: number, end?: number, step = 1) => {
    const [from, to] = end === undefined ? [0, first] : [first, end];
    return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, i) => from + i * step);
  },
});
