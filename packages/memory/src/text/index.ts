// Reading of replies and words, apart from stores and search: agents and rewards read alike and load nothing more.
export { closestWord } from "./closest-word.js";
export {
  defaultReplyTags,
  type ReplyTags,
  readReplyAsReleased,
  readTaggedReply,
  type Segment,
  type TaggedReply,
} from "./tagged-reply.js";
export { splitWords, stripWhiteSpace } from "./white-space.js";
