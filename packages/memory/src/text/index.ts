// Functions that read replies and words, without stores and search, so that agents and rewards read alike and load
// nothing more.
export { closestWord } from "./closest-word.js";
export { StopText } from "./stop-text.js";
export {
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  type Segment,
} from "./tagged-reply.js";
export { splitWords, stripWhiteSpace } from "./white-space.js";
