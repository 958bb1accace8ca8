// Runs before the generated code reads its defaults.
import protobuf from "protobufjs/minimal.js";

// Fields of 64 bits are plain numbers in this project: every count, size and millisecond stays under 2^53.
protobuf.util.Long = undefined;
protobuf.configure();

// The library writes texts of fewer than 40 units with a loop of its own, which lets half a surrogate pair through. Its
// readers, and those of every other language, refuse the whole message then. Longer texts get U+FFFD, and so do short ones.
const { write } = protobuf.util.utf8;
protobuf.util.utf8.write = (text, buffer, offset) =>
  write(text.isWellFormed() ? text : text.toWellFormed(), buffer, offset);
