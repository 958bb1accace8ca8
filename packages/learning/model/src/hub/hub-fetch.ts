/** How a hub is asked. A caller may pass a fetch of its own, such as one through proxies. */
interface HubRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** What is read of an answer. */
export interface HubResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null; entries(): Iterable<[string, string]> };
  readonly body: (AsyncIterable<Uint8Array> & { cancel(): Promise<void> }) | null;
  text(): Promise<string>;
}

export type HubFetch = (url: string, request: HubRequest) => Promise<HubResponse>;
