import { AgentError } from "./error.js";

/**
 * Which conversations of an episode may be under way together. Seeds go by the order in which they begin, which must not depend
 * on who is answered first: those of a `Promise.all` begin together, and the next ones when all of them have ended.
 */
export class ConversationTurns {
  #running = 0;
  /** Of those that began together, some have ended and others have not. */
  #someEnded = false;
  #alone = false;

  /**
   * A conversation that others may begin beside.
   * @param begin called at once, where it may begin
   * @throws {AgentError} BAD_STATE
   */
  async beside<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#alone) throw refused("ask: begins while a conversation with tools is under way");
    if (this.#running > 0 && this.#someEnded)
      throw refused(
        "ask: begins while others are under way, of which some are answered: what it samples would depend on who was faster",
      );
    return await this.#run(work, begin);
  }

  /** A conversation that none may be beside: its turns come when they come. @throws {AgentError} BAD_STATE */
  async alone<T>(work: () => Promise<T>, begin: () => void): Promise<T> {
    if (this.#running > 0) throw refused("useTools: begins while another conversation is under way");
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
  new AgentError("BAD_STATE", `${problem}; wait for all of them first, as \`await Promise.all(…)\` does`);
