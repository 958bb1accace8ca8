/**
 * The content of a channel. It determines the flow control and how a silent peer is detected.
 * - `control`: small messages to the head.
 * - `calls`: method calls to an actor, whose thread may be busy for minutes.
 * - `bulk`: objects and bundles, with a large receive window.
 */
export type ChannelKind = "control" | "calls" | "bulk";
