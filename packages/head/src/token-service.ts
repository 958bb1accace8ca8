/**
 * Responsibility: the head's end of the stream that tells standby heads of the cluster's tokens.
 * Not responsible for: what is told and when (token-rotation.ts), who may ask (access.ts).
 */
import type { ServerWritableStream } from "@grpc/grpc-js";
import { callerOf, PalimpsestError } from "@palimpsest/wire";
import type * as proto from "@palimpsest/wire/protocol";
import { failStream } from "./rpc.js";
import type { TokenRotation } from "./token-rotation.js";

/** States that wait for a standby that does not read; with one more its stream ends, and it asks again. */
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
