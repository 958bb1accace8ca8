/**
 * Responsibility: the head's end of the stream that sends the cluster's tokens to standby heads.
 * Not responsible for: what is sent and when (token-rotation.ts), or who may ask (access.ts).
 */
import type { ServerWritableStream } from "@grpc/grpc-js";
import { callerOf, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import type { TokenRotation } from "../rules/token-rotation.js";
import { rowVersion } from "../store/row-versions.js";
import { failStream } from "./rpc.js";

/**
 * The maximum number of states that are queued for a standby that does not read. One more ends its stream, and the
 * standby opens a new one.
 */
const maxUnreadStates = 16;

export type TokenStream = ServerWritableStream<
  proto.FollowTokenRequest.$Properties,
  proto.TokenState.$Properties
>;

export function serveTokens(
  tokens: Pick<TokenRotation, "followAsHead"> | undefined,
  stream: TokenStream,
): void {
  if (tokens === undefined) {
    failStream(stream, new PalimpsestError("UNAVAILABLE", "this head has no token"));
    return;
  }
  const reads = stream.request.rowVersion || 1;
  if (reads < rowVersion) {
    failStream(
      stream,
      new PalimpsestError(
        "PROTOCOL_MISMATCH",
        `this head writes rows of version ${rowVersion}, and the standby reads up to ${reads}, so that it could not take over: upgrade the standby`,
        { details: { rowVersion, maxRowVersion: reads } },
      ),
    );
    return;
  }
  let unfollow: () => void = () => undefined;
  const left = () => unfollow();
  stream.on("cancelled", left);
  stream.on("error", left);
  stream.on("close", left);
  try {
    unfollow = tokens.followAsHead(callerOf(stream), (state) => {
      if (stream.writableLength < maxUnreadStates) stream.write(state);
      else {
        failStream(
          stream,
          new PalimpsestError(
            "LIMIT_EXCEEDED",
            `a standby left ${maxUnreadStates} states of the token unread`,
          ),
        );
      }
    });
  } catch (reason) {
    failStream(stream, reason);
  }
}
