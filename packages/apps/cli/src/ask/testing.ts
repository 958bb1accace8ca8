import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How the server answers a request; "good" is a normal answer. */
export type Fault = "good" | "cut" | "half" | "malformed" | "busy" | "empty" | "silent" | "hang";

interface ChatBody extends Readonly<Record<string, unknown>> {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/**
 * An OpenAI-compatible server whose model reads perfectly: its new memory consists of every sentence of the old memory
 * and the section that contains the word `keeps`, and its answer is the last of these sentences in a box.
 */
export class ReadingServer {
  readonly #server: Server;
  readonly #faults: (request: number) => Fault;
  /** The chat requests received so far, including those that were answered with a fault. */
  requests = 0;
  answered = 0;
  prompts: string[] = [];
  bodies: Readonly<Record<string, unknown>>[] = [];

  private constructor(keeps: string, faults: (request: number) => Fault) {
    this.#faults = faults;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (request.url === "/v1/models") {
          json(response, { data: [{ id: "reader" }] });
          return;
        }
        const body = JSON.parse(Buffer.concat(chunks).toString()) as ChatBody;
        const prompt = body.messages.map(({ content }) => content).join("\n");
        this.prompts.push(prompt);
        this.bodies.push(body);
        this.#answer(response, prompt, keeps);
      });
    });
  }

  static async start(
    keeps: string,
    faults: (request: number) => Fault = () => "good",
  ): Promise<ReadingServer> {
    const server = new ReadingServer(keeps, faults);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #answer(response: ServerResponse, prompt: string, keeps: string): void {
    const fault = this.#faults(this.requests++);
    const reply = {
      choices: [{ message: { role: "assistant", content: read(prompt, keeps) }, finish_reason: "stop" }],
    };
    switch (fault) {
      case "cut":
        response.destroy();
        return;
      case "half":
        response.writeHead(200, { "content-type": "application/json", "content-length": "9999" });
        response.write(JSON.stringify(reply).slice(0, 20), () => response.destroy());
        return;
      case "malformed":
        response.writeHead(200, { "content-type": "application/json" }).end("{choices: oops");
        return;
      case "busy":
        json(response, { error: { message: "too many requests" } }, 429);
        return;
      case "empty":
        json(response, { choices: [] });
        return;
      case "silent":
        json(response, {
          choices: [{ message: { role: "assistant", content: " \n" }, finish_reason: "stop" }],
        });
        return;
      case "hang":
        return;
      case "good":
        this.answered += 1;
        json(response, reply);
    }
  }
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const inside = (prompt: string, tag: string) =>
  new RegExp(`<${tag}>\n([\\s\\S]*?)\n</${tag}>`).exec(prompt)?.[1] ?? "";

function read(prompt: string, keeps: string): string {
  const text = `${inside(prompt, "memory")}\n${inside(prompt, "section")}`;
  const kept = [...new Set(text.split(/(?<=\.)\s+|\n/).filter((sentence) => sentence.includes(keeps)))];
  if (prompt.includes("<section>")) {
    const memory = kept.join("\n");
    return prompt.includes("<update>") ? `<update>${memory}</update><recall>${keeps}</recall>` : memory;
  }
  return `The answer is \\boxed{${kept.at(-1)?.split(" ").at(-1)?.replace(".", "") ?? "unknown"}}.`;
}

/** Returns prose of about this many characters, with these sentences spread evenly over it. */
export function proseWith(sentences: readonly string[], characters: number): string {
  const filler = "The harbour was quiet in the morning and the boats lay still on the grey water. ";
  const share = Math.floor(characters / (sentences.length + 1) / filler.length);
  const quiet = filler.repeat(share);
  return quiet + sentences.map((sentence) => `${sentence} ${quiet}`).join("");
}
