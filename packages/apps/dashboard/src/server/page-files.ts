/** Serves the files of the front end that `build.mjs` has built. They are the same for everybody and reveal nothing. */

import { existsSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { sha256Of } from "@palimpsest/std";
import { securityHeaders } from "./exchange.js";

const types: Readonly<Record<string, string>> = {
  "index.html": "text/html; charset=utf-8",
  "app.js": "text/javascript; charset=utf-8",
  "app.css": "text/css; charset=utf-8",
};

interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
}

export class PageFiles {
  readonly #folder: string;
  readonly #files = new Map<string, PageFile>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Sends the front end's file of the path. Returns false, without an answer, when the front end has no such file. */
  answer(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const name = path === "/" ? "index.html" : path.slice(1);
    if (!Object.hasOwn(types, name)) return false;
    const file = this.#file(name);
    if (file === undefined) {
      const text =
        "the pages are not built: run `npm run setup`, or node packages/apps/dashboard/build.mjs\n";
      response.writeHead(503, { ...securityHeaders, "content-type": "text/plain; charset=utf-8" }).end(text);
      return true;
    }
    const headers = {
      ...securityHeaders,
      "content-type": file.type,
      // The browser requests the file each time, and gets an answer without a body when the file has not changed.
      "cache-control": "no-cache",
      etag: file.tag,
      vary: "accept-encoding",
    };
    if (request.headers["if-none-match"] === file.tag) {
      response.writeHead(304, headers).end();
      return true;
    }
    const packed = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
    const body = packed ? file.packed : file.plain;
    response.writeHead(200, {
      ...headers,
      ...(packed ? { "content-encoding": "gzip" } : {}),
      "content-length": body.byteLength,
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return true;
  }

  #file(name: string): PageFile | undefined {
    const known = this.#files.get(name);
    if (known) return known;
    const path = join(this.#folder, name);
    if (!existsSync(path)) return undefined;
    const plain = readFileSync(path);
    const tag = `"${sha256Of(plain).slice(0, 20)}"`;
    const file = { type: types[name] ?? "", plain, packed: gzipSync(plain), tag };
    this.#files.set(name, file);
    return file;
  }
}
