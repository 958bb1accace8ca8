import { AgentError } from "./error.js";

/**
 * Decides which conversations of an episode may run concurrently. Seeds are assigned in the order in which
 * conversations begin, so that order must not depend on which reply arrives first: the conversations of a
 * `Promise.all` begin together, and the next ones begin when all of them have ended.
 */
export class ConversationTurns {
  #running = 0;
  /** True if, of the conversations that began together, some have ended and others have not. */
  #someEnded = false;
  #alone = false;

  /**
   * Runs a conversation during which others may begin.
   * @param begin is called synchronously, if the conversation may begin
   * @throws {AgentError} BAD_STATE
   */
  async beside<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#alone) throw refused("ask: was called while a conversation with tools is running");
    if (this.#running > 0 && this.#someEnded)
      throw refused(
        "ask: was called while some of the conversations that began together have ended and others still run, so that its seed would depend on timing",
      );
    return await this.#run(work, begin);
  }

  /**
   * Runs a conversation during which no other may run: it takes a seed for each of its turns, so seeds would depend
   * on which conversation is faster.
   * @throws {AgentError} BAD_STATE
   */
  async alone<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#running > 0) throw refused("useTools: was called while another conversation is running");
    this.#alone = true;
    try {
      return await this.#run(work, begin);
    } finally {
      this.#alone = false;
    }
  }

  async #run<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    begin();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#someEnded = this.#running > 0;
    }
  }
}

const refused = (problem: string) =>
  new AgentError(
    "BAD_STATE",
    `${problem}; await all running conversations first, for example with \`await Promise.all(…)\``,
  );
