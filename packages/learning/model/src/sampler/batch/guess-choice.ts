/*
 * Responsibility: whether the next call for several requests guesses, by what calls with and without guesses have given lately. A step
 *   that checks guesses costs more than one that does not, by how much depends on model, machine and rows, and pays where replies copy.
 * Not responsible for: the guesses themselves (look-up.ts).
 */

type Way = "guessing" | "plain";

/** How much each call moves the speed of the way that is in use. */
const speedStep = 0.3;
/** A way has to be that much faster to be changed to. */
const margin = 1.03;
/** Calls until the other way is tried again; doubles each time that it is slower. */
const leastPause = 4;
const longestPause = 32;

export class GuessChoice {
  /** Tokens per request and second. */
  readonly #speeds: Record<Way, number> = { guessing: 0, plain: 0 };
  readonly #calls: Record<Way, number> = { guessing: 0, plain: 0 };
  #used: Way = "plain";
  #since = 0;
  #pause = leastPause;

  next(): Way {
    const { guessing, plain } = this.#calls;
    if (!this.#isKnown) return guessing > plain ? "plain" : "guessing";
    return this.#since < this.#pause ? this.#used : other(this.#used);
  }

  /** The first call of each way may compile, so it is not the one to compare. */
  get #isKnown(): boolean {
    return Math.min(this.#calls.guessing, this.#calls.plain) > 1;
  }

  /** Records a call. @param speed tokens that each request got per second */
  note(way: Way, speed: number): void {
    const isSteady = this.#isKnown && way === this.#used;
    this.#speeds[way] = isSteady ? this.#speeds[way] + speedStep * (speed - this.#speeds[way]) : speed;
    this.#calls[way] += 1;
    if (!this.#isKnown) return;
    const alternative = other(this.#used);
    if (this.#speeds[alternative] > margin * this.#speeds[this.#used]) {
      this.#used = alternative;
      this.#pause = leastPause;
      this.#since = 0;
      return;
    }
    const wasTried = way === alternative && this.#since >= this.#pause;
    if (wasTried) this.#pause = Math.min(longestPause, 2 * this.#pause);
    this.#since = wasTried ? 0 : this.#since + 1;
  }
}

function other(way: Way): Way {
  return way === "plain" ? "guessing" : "plain";
}
