import { type ActorContext, actorModule } from "@palimpsest/client";

/** What it keeps in `state` survives its process, and each of its calls runs once. */
export class Account {
  #context: ActorContext<number> | undefined;

  start(context: ActorContext<number>): void {
    this.#context = context;
  }

  async deposit(amount: number): Promise<number> {
    return (await this.#context?.state.transaction((total) => (total ?? 0) + amount)) ?? 0;
  }

  where(): { readonly pid: number; readonly incarnation: number } {
    return { pid: process.pid, incarnation: this.#context?.incarnation ?? 0 };
  }
}

export const accounts = actorModule(Account, import.meta.url);
