import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const attributeSchema = z.object({
  key: z.string(),
  value: z.object({
    stringValue: z.string().optional(),
    intValue: z.union([z.number(), z.string()]).optional(),
    doubleValue: z.number().optional(),
    boolValue: z.boolean().optional(),
  }),
});
const idSchema = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const nanosSchema = z.string().regex(/^\d{19}$/);
const spanSchema = z.object({
  traceId: idSchema(32),
  spanId: idSchema(16),
  parentSpanId: z.union([idSchema(16), z.literal("")]).optional(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: nanosSchema,
  endTimeUnixNano: nanosSchema,
  attributes: z.array(attributeSchema),
  links: z.array(z.object({ traceId: idSchema(32), spanId: idSchema(16) })).optional(),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }),
});
/** The ExportTraceServiceRequest of opentelemetry-proto, in its JSON form. */
const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attributeSchema) }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(spanSchema) })),
    }),
  ),
});

export interface CollectedSpan extends Omit<z.infer<typeof spanSchema>, "attributes"> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly process: Readonly<Record<string, unknown>>;
}

/** A collector of OpenTelemetry over HTTP that keeps what it receives. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  readonly problems: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        try {
          if (request.url !== "/v1/traces") throw new Error(`asked for ${request.url}`);
          collector.#take(JSON.parse(Buffer.concat(pieces).toString("utf8")));
        } catch (reason) {
          collector.problems.push(String(reason));
        }
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    const collector = new TraceCollector(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  named(name: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  children({ traceId, spanId }: CollectedSpan): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId && span.parentSpanId === spanId);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(json: unknown): void {
    for (const { resource, scopeSpans } of requestSchema.parse(json).resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({
            ...span,
            attributes: valuesOf(span.attributes),
            process: valuesOf(resource.attributes),
          });
  }
}

function valuesOf(attributes: readonly z.infer<typeof attributeSchema>[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.doubleValue ?? value.boolValue ?? Number(value.intValue),
    ]),
  );
}
