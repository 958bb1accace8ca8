import type { IncomingMessage, ServerResponse } from "node:http";

const allowed = {
  "access-control-allow-methods": "GET, HEAD, POST",
  "access-control-allow-headers": "authorization, content-type",
  "access-control-max-age": "600",
};

/**
 * Lets pages of the given origins read answers in a browser (CORS). Without origins no page may, since everybody on this machine
 * could otherwise be made to send requests by a page that he visits.
 * @param origins such as `https://app.example`, or `*` for every page
 * @returns whether the request was a browser's question about this, which has been answered; it carries no credentials
 */
export function answerCrossOrigin(
  origins: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = request.headers;
  if (origins.length === 0 || origin === undefined) return false;
  // Caches must not give one page the answer that names another.
  response.setHeader("vary", "origin");
  const isAllowed = origins.includes("*") || origins.includes(origin);
  if (isAllowed) {
    response.setHeader("access-control-allow-origin", origin);
    response.setHeader("access-control-expose-headers", "retry-after, x-should-retry");
  }
  if (request.method !== "OPTIONS" || !isAllowed) return false;
  response.writeHead(204, allowed);
  response.end();
  return true;
}
