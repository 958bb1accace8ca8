"""Values of Palimpsest in Python: MessagePack with the extensions of docs/protocol.md, "Values".

A dict is written as a record, so that it arrives as a plain object, and records are read as dicts.
"""
import struct
from datetime import datetime, timezone

RECORD, ID, POINTER, SET, TYPED, ERROR, BIG = 0x72, 0x69, 0x70, 0x73, 0x74, 0x65, 0x42
OBJECT_REFERENCE, ACTOR_REFERENCE, LONG_ARRAY = 1, 2, 3
UNDEFINED, TIMESTAMP = 0, -1

# Typed arrays by their code: a format of struct.
ARRAYS = "b B B h H i I f d q Q".split()


class Reference:
    """An object (1) or an actor (2): its bytes are an ObjectReference or ActorReference message."""

    def __init__(self, kind, data):
        self.kind, self.data = kind, data


def typed(code, data):
    if code >= len(ARRAYS):
        return bytes(data)
    return list(struct.unpack(f"<{len(data) // struct.calcsize(ARRAYS[code])}{ARRAYS[code]}", data))


class Reader:
    def __init__(self, data, arrays=b""):
        self.data, self.at, self.arrays = bytes(data), 0, arrays
        self.records, self.shared = {}, {}

    def take(self, count):
        if self.at + count > len(self.data):
            raise ValueError("the value ends too early")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form):
        return struct.unpack(f">{form}", self.take(struct.calcsize(form)))[0]

    def many(self, count):
        return [self.read() for _ in range(count)]

    def pairs(self, count):
        return {self.read(): self.read() for _ in range(count)}

    def read(self):
        token = self.number("B")
        if token < 0x40 or token >= 0xE0:
            return token if token < 0x40 else token - 0x100
        if token < 0x80:
            return self.record(token) if token in self.records else token
        if token < 0x90:
            return self.pairs(token & 0x0F)
        if token < 0xA0:
            return self.many(token & 0x0F)
        if token < 0xC0:
            return self.take(token & 0x1F).decode()
        constants = {0xC0: None, 0xC2: False, 0xC3: True}
        if token in constants:
            return constants[token]
        numbers = dict(zip(range(0xCA, 0xD4), "f d B H I Q b h i q".split()))
        if token in numbers:
            return self.number(numbers[token])
        sized = {0xC4: "B", 0xC5: "H", 0xC6: "I", 0xD9: "B", 0xDA: "H", 0xDB: "I"}
        if token in sized:
            data = self.take(self.number(sized[token]))
            return data if token < 0xC7 else data.decode()
        counted = {0xDC: "H", 0xDD: "I", 0xDE: "H", 0xDF: "I"}
        if token in counted:
            count = self.number(counted[token])
            return self.many(count) if token < 0xDE else self.pairs(count)
        size = {0xC7: "B", 0xC8: "H", 0xC9: "I"}.get(token)
        count = self.number(size) if size else 1 << (token - 0xD4)
        return self.extension(self.number("b"), count)

    def record(self, token):
        return {key: self.read() for key in self.records[token]}

    def extension(self, kind, count):
        data = self.take(count)
        if kind == RECORD:
            self.records[data[0]] = self.read()
            return self.record(data[0])
        if kind == ID:
            value = self.read()
            self.shared[data] = value
            return value
        if kind == POINTER:
            return self.shared[data]
        if kind == SET:
            return set(self.read())
        if kind == ERROR:
            return self.read()
        if kind == TYPED:
            return typed(data[0], data[1:])
        if kind == LONG_ARRAY:
            offset, length = int.from_bytes(data[1:7], "little"), int.from_bytes(data[7:13], "little")
            return typed(data[0], self.arrays[offset : offset + length])
        if kind == BIG:
            return int.from_bytes(data, "big", signed=True)
        if kind == TIMESTAMP:
            return moment(data)
        if kind in (OBJECT_REFERENCE, ACTOR_REFERENCE):
            return Reference(kind, data)
        if kind == UNDEFINED:
            return None
        raise ValueError(f"extension {kind} is not known")


def moment(data):
    if len(data) == 4:
        seconds, nanoseconds = int.from_bytes(data, "big"), 0
    elif len(data) == 8:
        both = int.from_bytes(data, "big")
        nanoseconds, seconds = both >> 34, both & ((1 << 34) - 1)
    else:
        nanoseconds, seconds = struct.unpack(">Iq", data)
    return datetime.fromtimestamp(seconds + nanoseconds / 1e9, timezone.utc)


def decode(data):
    """The value of a call's or a reply's bytes."""
    return Reader(data).read()


def decode_object(data):
    """The value of an object's bytes: header, encoded value, long arrays (docs/protocol.md, "Values that are objects")."""
    form, length = struct.unpack("<II", data[:8])
    if form != 1:
        raise ValueError(f"the object has format {form}")
    end = 8 + length
    return Reader(data[8:end], data[-(-end // 64) * 64 :]).read()


def encode(value):
    """Bytes of None, booleans, numbers, text, bytes, lists and dicts with text as keys."""
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        # 0x40 to 0x7f name records, so 64 to 127 take two bytes.
        if -32 <= value < 64:
            return struct.pack(">b", value)
        if 0 <= value < 1 << 32:
            return struct.pack(">BI", 0xCE, value) if value > 255 else struct.pack(">BB", 0xCC, value)
        if -(1 << 31) <= value < 0:
            return struct.pack(">Bi", 0xD2, value)
        # A number of JavaScript is a double; integers of 64 bits arrive as BigInt.
        exact = abs(value) <= 1 << 53
        return struct.pack(">Bd", 0xCB, value) if exact else struct.pack(">Bq", 0xD3, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode()
        return struct.pack(">BI", 0xDB, len(data)) + data
    if isinstance(value, (bytes, bytearray)):
        return struct.pack(">BI", 0xC6, len(value)) + bytes(value)
    if isinstance(value, (list, tuple)):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(encode, value))
    if isinstance(value, dict):
        # A record: its definition, under the number 0x40 each time, and its values.
        return b"\xd4\x72\x40" + encode(list(value)) + b"".join(map(encode, value.values()))
    raise TypeError(f"a {type(value).__name__} does not travel: send None, numbers, text, bytes, lists or dicts")
