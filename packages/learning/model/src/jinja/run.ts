import { TemplateFailure } from "./failure.js";

/** No prompt is longer: 64 Mi characters are more than ten million tokens. */
const mostCharacters = 1 << 26;
/** A conversation of ten thousand turns takes about a million steps; five million take about a second. */
const mostSteps = 5_000_000;
const charactersPerStep = 16;
/** Macros and nested values deeper than this end with an error instead of an exhausted stack. */
const mostLevels = 200;

/** What one rendering has used, and where it is. Every loop and every text that a template makes counts here. */
export class Run {
  readonly now: () => Date;
  /** The line of the template that is being rendered, for messages. */
  line = 0;
  #steps = 0;
  #level = 0;

  constructor(now: () => Date) {
    this.now = now;
  }

  /** @throws {TemplateFailure} when the template has done too much */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > mostSteps) throw new TemplateFailure("takes too many steps; it may loop without end");
  }

  /** Bounds a text that is put together from others, which costs nothing. @throws {TemplateFailure} when it is too long */
  joined(length: number): void {
    if (length > mostCharacters) {
      throw new TemplateFailure(`makes a text of more than ${mostCharacters} characters`);
    }
  }

  /** Counts the reading or making of a text. @throws {TemplateFailure} when it is too long */
  text(length: number): void {
    this.joined(length);
    this.step(1 + Math.floor(length / charactersPerStep));
  }

  /** Does something one level deeper. @throws {TemplateFailure} when it is too deep */
  deeper<T>(work: () => T): T {
    if (this.#level >= mostLevels) {
      throw new TemplateFailure(`nests calls or values more than ${mostLevels} levels deep`);
    }
    this.#level += 1;
    try {
      return work();
    } finally {
      this.#level -= 1;
    }
  }
}

/** The text of a rendering, bounded. */
export class Output {
  readonly #run: Run;
  text = "";

  constructor(run: Run) {
    this.#run = run;
  }

  write(text: string): void {
    this.text += text;
    this.#run.joined(this.text.length);
  }
}
