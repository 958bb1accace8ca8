// Functions that read replies and words, without stores and search, so that agents and rewards read alike and load
// nothing more.
export { fileKind } from "./file-kind.js";
export { fittingSentences, sentences } from "./sentences.js";
export { StopText } from "./stop-text.js";
export {
  defaultReplyTags,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  type Segment,
  type TaggedReply,
} from "./tagged-reply.js";
export { splitWords, stripWhiteSpace } from "./white-space.js";
export { foldText, orderedWords, withoutCutWord, words } from "./words.js";
