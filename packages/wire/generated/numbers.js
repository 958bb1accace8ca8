// Written by hand: int64 fields are plain numbers in this project, every count, size and
// millisecond stays under 2^53. Runs before the generated code reads its defaults.
import protobuf from "protobufjs/minimal.js";

protobuf.util.Long = undefined;
protobuf.configure();
