import type { ChatMessage } from "@palimpsest/model";
import { AnswerTiming, timesText } from "./answer-timing.js";
import type { TextSource } from "./text-source.js";

export interface ChatSettings {
  readonly system?: string | undefined;
  readonly seed?: number | undefined;
  readonly stats: boolean;
}

const help = `/reset          clears the conversation
/system [TEXT]  sets the system prompt, or removes it if there is no TEXT, and clears the conversation
/stats          shows or hides the times after each answer
/exit           ends the chat, as does the end of the input
`;

/** One conversation with a model: its messages, and the commands that begin with a slash. */
export class ChatSession {
  readonly #source: TextSource;
  readonly #write: (text: string) => void;
  #settings: ChatSettings;
  #turns: ChatMessage[] = [];

  constructor(source: TextSource, settings: ChatSettings, write: (text: string) => void) {
    this.#source = source;
    this.#settings = settings;
    this.#write = write;
  }

  /** Handles one line of input; returns false if it was the last. */
  async line(text: string, signal?: AbortSignal): Promise<boolean> {
    const said = text.trim();
    if (said === "") return true;
    if (!said.startsWith("/")) {
      await this.say(said, signal);
      return true;
    }
    const [command = "", ...rest] = said.split(/\s+/);
    switch (command) {
      case "/exit":
      case "/quit":
        return false;
      case "/reset":
        this.#turns = [];
        this.#write("(conversation cleared)\n");
        return true;
      case "/system":
        this.#settings = {
          ...this.#settings,
          system: rest.length === 0 ? undefined : said.slice(command.length).trim(),
        };
        this.#turns = [];
        this.#write("(system prompt changed, conversation cleared)\n");
        return true;
      case "/stats":
        this.#settings = { ...this.#settings, stats: !this.#settings.stats };
        return true;
      default:
        this.#write(command === "/help" ? help : `${command}: unknown command\n${help}`);
        return true;
    }
  }

  /**
   * Writes the answer piece by piece. An answer that fails or is stopped leaves the conversation as it was before.
   * @throws the model's error; the signal's reason
   */
  async say(content: string, signal?: AbortSignal): Promise<void> {
    const { system, seed, stats } = this.#settings;
    const question: ChatMessage = { role: "user", content };
    const answer = this.#source.ask({
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...this.#turns,
        question,
      ],
      ...(seed === undefined ? {} : { seed }),
      ...(signal === undefined ? {} : { signal }),
    });
    const timing = new AnswerTiming();
    let open = false;
    try {
      for await (const piece of answer) {
        timing.piece();
        // The answers of many models begin with a space, which is left out.
        this.#write(open ? piece : piece.trimStart());
        open ||= piece.trim() !== "";
      }
    } finally {
      this.#write("\n");
    }
    const { text, usage, stopReason } = await answer.result;
    this.#turns.push(question, { role: "assistant", content: text.trim() });
    if (stopReason === "length") this.#write("(truncated at --max-tokens)\n");
    if (stats) this.#write(`(${timesText(timing.end(usage.sampledTokens))})\n`);
  }
}
