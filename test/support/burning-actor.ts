// An actor whose process computes in one known function, in turns of the event loop, until it is told to stop.
import { actorModule } from "@palimpsest/client";

export function burnHere(rounds: number): number {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += Math.sqrt(i + sum);
  return sum;
}

export class BurningActor {
  #isOn = false;
  #sum = 0;

  burn(): void {
    this.#isOn = true;
    const turn = () => {
      this.#sum += burnHere(1_000_000);
      // It leaves most of the machine to others.
      if (this.#isOn) setTimeout(turn, 20);
    };
    turn();
  }

  rest(): number {
    this.#isOn = false;
    return this.#sum;
  }
}

export const burningActors = actorModule(BurningActor, import.meta.url);
