/** The routes under /api, by method and path. */
import type { Exchange } from "./exchange.js";

export interface Route {
  readonly method: "GET" | "POST";
  /** `*` stands for one part of the path, which is passed to the exchange. */
  readonly path: string;
  readonly answer: (exchange: Exchange) => Promise<void>;
}

export interface FoundRoute {
  readonly route: Route;
  readonly parts: readonly string[];
}

/** Finds the route of a path. Returns "method" when the path has routes for other methods only. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): FoundRoute | "method" | undefined {
  let other = false;
  const wanted = path.split("/");
  for (const route of routes) {
    const pattern = route.path.split("/");
    if (pattern.length !== wanted.length) continue;
    if (!pattern.every((part, index) => part === "*" || part === wanted[index])) continue;
    if (route.method !== method) {
      other = true;
      continue;
    }
    const parts = wanted.filter((_, index) => pattern[index] === "*");
    try {
      return { route, parts: parts.map(decodeURIComponent) };
    } catch {
      return undefined;
    }
  }
  return other ? "method" : undefined;
}
