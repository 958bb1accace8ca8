import * as proto from "@palimpsest/wire/protocol";
export function callOf(bytes: Uint8Array): proto.Call.$Properties { return proto.Call.decode(bytes); }
