import { taskModule } from "@palimpsest/client";

/** Never ends by itself: it runs as far ahead as its reader lets it. */
export function* primes(): Generator<number> {
  for (let n = 2; ; n++) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor !== 0) divisor += 1;
    if (divisor * divisor > n) yield n;
  }
}

export const allPrimes = taskModule(primes, import.meta.url);
