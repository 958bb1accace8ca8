import "./numbers.js";
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

// Common aliases
const $Reader = $protobuf.Reader, $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

// Exported root namespace
const $root = $protobuf.roots["default"] || ($protobuf.roots["default"] = {});

export const palimpsest = $root.palimpsest = (() => {

    /**
     * Namespace palimpsest.
     * @exports palimpsest
     * @namespace
     */
    const palimpsest = {};

    palimpsest.v1 = (function() {

        /**
         * Namespace v1.
         * @memberof palimpsest
         * @namespace
         */
        const v1 = {};

        v1.CallBatch = (function() {

            /**
             * Properties of a CallBatch.
             * @typedef {Object} palimpsest.v1.CallBatch.$Properties
             * @property {Array.<palimpsest.v1.CallFrame.$Properties>|null} [frames] CallBatch frames
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CallBatch.
             * @memberof palimpsest.v1
             * @interface ICallBatch
             * @augments palimpsest.v1.CallBatch.$Properties
             * @deprecated Use palimpsest.v1.CallBatch.$Properties instead.
             */

            /**
             * Shape of a CallBatch.
             * @typedef {{
             *   frames?: Array.<palimpsest.v1.CallFrame.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.CallBatch.$Shape
             */

            /**
             * Constructs a new CallBatch.
             * @memberof palimpsest.v1
             * @classdesc Represents a CallBatch.
             * @constructor
             * @param {palimpsest.v1.CallBatch.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CallBatch = function (properties) {
                this.frames = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CallBatch frames.
             * @member {Array.<palimpsest.v1.CallFrame.$Properties>} frames
             * @memberof palimpsest.v1.CallBatch
             * @instance
             */
            CallBatch.prototype.frames = $util.emptyArray;

            /**
             * Creates a new CallBatch instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.CallBatch
             * @static
             * @param {palimpsest.v1.CallBatch.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.CallBatch} CallBatch instance
             * @type {{
             *   (properties: palimpsest.v1.CallBatch.$Shape): palimpsest.v1.CallBatch & palimpsest.v1.CallBatch.$Shape;
             *   (properties?: palimpsest.v1.CallBatch.$Properties): palimpsest.v1.CallBatch;
             * }}
             */
            CallBatch.create = function(properties) {
                return new CallBatch(properties);
            };

            /**
             * Encodes the specified CallBatch message. Does not implicitly {@link palimpsest.v1.CallBatch.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.CallBatch
             * @static
             * @param {palimpsest.v1.CallBatch.$Properties} message CallBatch message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CallBatch.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.frames != null && message.frames.length)
                    for (let i = 0; i < message.frames.length; ++i)
                        $root.palimpsest.v1.CallFrame.encode(message.frames[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CallBatch message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.CallBatch
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.CallBatch & palimpsest.v1.CallBatch.$Shape} CallBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CallBatch.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.CallBatch();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.frames && message.frames.length))
                                message.frames = [];
                            message.frames.push($root.palimpsest.v1.CallFrame.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CallBatch;
        })();

        v1.CallFrame = (function() {

            /**
             * Properties of a CallFrame.
             * @typedef {Object} palimpsest.v1.CallFrame.$Properties
             * @property {palimpsest.v1.Call.$Properties|null} [call] CallFrame call
             * @property {number|null} [cancelCallId] CallFrame cancelCallId
             * @property {palimpsest.v1.StreamCredit.$Properties|null} [credit] CallFrame credit
             * @property {"call"|"cancelCallId"|"credit"} [frame] CallFrame frame
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CallFrame.
             * @memberof palimpsest.v1
             * @interface ICallFrame
             * @augments palimpsest.v1.CallFrame.$Properties
             * @deprecated Use palimpsest.v1.CallFrame.$Properties instead.
             */

            /**
             * Narrowed shape of a CallFrame.
             * @typedef {{
             *   call?: palimpsest.v1.Call.$Shape|null;
             *   cancelCallId?: number|null;
             *   credit?: palimpsest.v1.StreamCredit.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ frame?: undefined; call?: null; cancelCallId?: null; credit?: null }|{ frame?: "call"; call: palimpsest.v1.Call.$Shape; cancelCallId?: null; credit?: null }|{ frame?: "cancelCallId"; call?: null; cancelCallId: number; credit?: null }|{ frame?: "credit"; call?: null; cancelCallId?: null; credit: palimpsest.v1.StreamCredit.$Shape })
             * )} palimpsest.v1.CallFrame.$Shape
             */

            /**
             * Constructs a new CallFrame.
             * @memberof palimpsest.v1
             * @classdesc Represents a CallFrame.
             * @constructor
             * @param {palimpsest.v1.CallFrame.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CallFrame = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CallFrame call.
             * @member {palimpsest.v1.Call.$Properties|null|undefined} call
             * @memberof palimpsest.v1.CallFrame
             * @instance
             */
            CallFrame.prototype.call = null;

            /**
             * CallFrame cancelCallId.
             * @member {number|null|undefined} cancelCallId
             * @memberof palimpsest.v1.CallFrame
             * @instance
             */
            CallFrame.prototype.cancelCallId = null;

            /**
             * CallFrame credit.
             * @member {palimpsest.v1.StreamCredit.$Properties|null|undefined} credit
             * @memberof palimpsest.v1.CallFrame
             * @instance
             */
            CallFrame.prototype.credit = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * CallFrame frame.
             * @member {"call"|"cancelCallId"|"credit"|undefined} frame
             * @memberof palimpsest.v1.CallFrame
             * @instance
             */
            $Object.defineProperty(CallFrame.prototype, "frame", {
                get: $util.oneOfGetter($oneOfFields = ["call", "cancelCallId", "credit"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new CallFrame instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.CallFrame
             * @static
             * @param {palimpsest.v1.CallFrame.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.CallFrame} CallFrame instance
             * @type {{
             *   (properties: palimpsest.v1.CallFrame.$Shape): palimpsest.v1.CallFrame & palimpsest.v1.CallFrame.$Shape;
             *   (properties?: palimpsest.v1.CallFrame.$Properties): palimpsest.v1.CallFrame;
             * }}
             */
            CallFrame.create = function(properties) {
                return new CallFrame(properties);
            };

            /**
             * Encodes the specified CallFrame message. Does not implicitly {@link palimpsest.v1.CallFrame.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.CallFrame
             * @static
             * @param {palimpsest.v1.CallFrame.$Properties} message CallFrame message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CallFrame.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.call != null && $Object.hasOwnProperty.call(message, "call"))
                    $root.palimpsest.v1.Call.encode(message.call, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.cancelCallId != null && $Object.hasOwnProperty.call(message, "cancelCallId"))
                    writer.uint32(/* id 2, wireType 0 =*/16).uint64(message.cancelCallId);
                if (message.credit != null && $Object.hasOwnProperty.call(message, "credit"))
                    $root.palimpsest.v1.StreamCredit.encode(message.credit, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CallFrame message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.CallFrame
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.CallFrame & palimpsest.v1.CallFrame.$Shape} CallFrame
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CallFrame.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.CallFrame();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.call = $root.palimpsest.v1.Call.decode(reader, reader.size(), $undefined, _depth + 1, message.call);
                            message.frame = "call";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.cancelCallId = reader.uint64();
                            message.frame = "cancelCallId";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.credit = $root.palimpsest.v1.StreamCredit.decode(reader, reader.size(), $undefined, _depth + 1, message.credit);
                            message.frame = "credit";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CallFrame;
        })();

        v1.StreamCredit = (function() {

            /**
             * Properties of a StreamCredit.
             * @typedef {Object} palimpsest.v1.StreamCredit.$Properties
             * @property {number|null} [callId] StreamCredit callId
             * @property {number|null} [items] StreamCredit items
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StreamCredit.
             * @memberof palimpsest.v1
             * @interface IStreamCredit
             * @augments palimpsest.v1.StreamCredit.$Properties
             * @deprecated Use palimpsest.v1.StreamCredit.$Properties instead.
             */

            /**
             * Shape of a StreamCredit.
             * @typedef {palimpsest.v1.StreamCredit.$Properties} palimpsest.v1.StreamCredit.$Shape
             */

            /**
             * Constructs a new StreamCredit.
             * @memberof palimpsest.v1
             * @classdesc Represents a StreamCredit.
             * @constructor
             * @param {palimpsest.v1.StreamCredit.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StreamCredit = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StreamCredit callId.
             * @member {number} callId
             * @memberof palimpsest.v1.StreamCredit
             * @instance
             */
            StreamCredit.prototype.callId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * StreamCredit items.
             * @member {number} items
             * @memberof palimpsest.v1.StreamCredit
             * @instance
             */
            StreamCredit.prototype.items = 0;

            /**
             * Creates a new StreamCredit instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StreamCredit
             * @static
             * @param {palimpsest.v1.StreamCredit.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StreamCredit} StreamCredit instance
             * @type {{
             *   (properties: palimpsest.v1.StreamCredit.$Shape): palimpsest.v1.StreamCredit & palimpsest.v1.StreamCredit.$Shape;
             *   (properties?: palimpsest.v1.StreamCredit.$Properties): palimpsest.v1.StreamCredit;
             * }}
             */
            StreamCredit.create = function(properties) {
                return new StreamCredit(properties);
            };

            /**
             * Encodes the specified StreamCredit message. Does not implicitly {@link palimpsest.v1.StreamCredit.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StreamCredit
             * @static
             * @param {palimpsest.v1.StreamCredit.$Properties} message StreamCredit message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StreamCredit.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.callId != null && $Object.hasOwnProperty.call(message, "callId") && (typeof message.callId === "object" ? message.callId.low || message.callId.high : message.callId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.callId);
                if (message.items != null && $Object.hasOwnProperty.call(message, "items") && message.items !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).uint32(message.items);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StreamCredit message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StreamCredit
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StreamCredit & palimpsest.v1.StreamCredit.$Shape} StreamCredit
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StreamCredit.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StreamCredit();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.callId = value;
                            else
                                delete message.callId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.items = value;
                            else
                                delete message.items;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StreamCredit;
        })();

        v1.Call = (function() {

            /**
             * Properties of a Call.
             * @typedef {Object} palimpsest.v1.Call.$Properties
             * @property {number|null} [callId] Call callId
             * @property {string|null} [method] Call method
             * @property {Uint8Array|null} [args] Call args
             * @property {number|null} [timeoutMs] Call timeoutMs
             * @property {number|null} [incarnation] Call incarnation
             * @property {string|null} [traceparent] Call traceparent
             * @property {number|null} [streamCredit] Call streamCredit
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Call.
             * @memberof palimpsest.v1
             * @interface ICall
             * @augments palimpsest.v1.Call.$Properties
             * @deprecated Use palimpsest.v1.Call.$Properties instead.
             */

            /**
             * Shape of a Call.
             * @typedef {palimpsest.v1.Call.$Properties} palimpsest.v1.Call.$Shape
             */

            /**
             * Constructs a new Call.
             * @memberof palimpsest.v1
             * @classdesc Represents a Call.
             * @constructor
             * @param {palimpsest.v1.Call.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Call = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Call callId.
             * @member {number} callId
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.callId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Call method.
             * @member {string} method
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.method = "";

            /**
             * Call args.
             * @member {Uint8Array} args
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.args = $util.newBuffer([]);

            /**
             * Call timeoutMs.
             * @member {number} timeoutMs
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.timeoutMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Call incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.incarnation = 0;

            /**
             * Call traceparent.
             * @member {string} traceparent
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.traceparent = "";

            /**
             * Call streamCredit.
             * @member {number} streamCredit
             * @memberof palimpsest.v1.Call
             * @instance
             */
            Call.prototype.streamCredit = 0;

            /**
             * Creates a new Call instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Call
             * @static
             * @param {palimpsest.v1.Call.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Call} Call instance
             * @type {{
             *   (properties: palimpsest.v1.Call.$Shape): palimpsest.v1.Call & palimpsest.v1.Call.$Shape;
             *   (properties?: palimpsest.v1.Call.$Properties): palimpsest.v1.Call;
             * }}
             */
            Call.create = function(properties) {
                return new Call(properties);
            };

            /**
             * Encodes the specified Call message. Does not implicitly {@link palimpsest.v1.Call.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Call
             * @static
             * @param {palimpsest.v1.Call.$Properties} message Call message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Call.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.callId != null && $Object.hasOwnProperty.call(message, "callId") && (typeof message.callId === "object" ? message.callId.low || message.callId.high : message.callId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.callId);
                if (message.method != null && $Object.hasOwnProperty.call(message, "method") && message.method !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.method);
                if (message.args != null && $Object.hasOwnProperty.call(message, "args") && message.args.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).bytes(message.args);
                if (message.timeoutMs != null && $Object.hasOwnProperty.call(message, "timeoutMs") && (typeof message.timeoutMs === "object" ? message.timeoutMs.low || message.timeoutMs.high : message.timeoutMs !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.timeoutMs);
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).int32(message.incarnation);
                if (message.traceparent != null && $Object.hasOwnProperty.call(message, "traceparent") && message.traceparent !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.traceparent);
                if (message.streamCredit != null && $Object.hasOwnProperty.call(message, "streamCredit") && message.streamCredit !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).uint32(message.streamCredit);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Call message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Call
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Call & palimpsest.v1.Call.$Shape} Call
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Call.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Call();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.callId = value;
                            else
                                delete message.callId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.method = value;
                            else
                                delete message.method;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.args = value;
                            else
                                delete message.args;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.timeoutMs = value;
                            else
                                delete message.timeoutMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.traceparent = value;
                            else
                                delete message.traceparent;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.uint32())
                                message.streamCredit = value;
                            else
                                delete message.streamCredit;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Call;
        })();

        v1.ReplyBatch = (function() {

            /**
             * Properties of a ReplyBatch.
             * @typedef {Object} palimpsest.v1.ReplyBatch.$Properties
             * @property {Array.<palimpsest.v1.Reply.$Properties>|null} [replies] ReplyBatch replies
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReplyBatch.
             * @memberof palimpsest.v1
             * @interface IReplyBatch
             * @augments palimpsest.v1.ReplyBatch.$Properties
             * @deprecated Use palimpsest.v1.ReplyBatch.$Properties instead.
             */

            /**
             * Shape of a ReplyBatch.
             * @typedef {{
             *   replies?: Array.<palimpsest.v1.Reply.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ReplyBatch.$Shape
             */

            /**
             * Constructs a new ReplyBatch.
             * @memberof palimpsest.v1
             * @classdesc Represents a ReplyBatch.
             * @constructor
             * @param {palimpsest.v1.ReplyBatch.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReplyBatch = function (properties) {
                this.replies = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReplyBatch replies.
             * @member {Array.<palimpsest.v1.Reply.$Properties>} replies
             * @memberof palimpsest.v1.ReplyBatch
             * @instance
             */
            ReplyBatch.prototype.replies = $util.emptyArray;

            /**
             * Creates a new ReplyBatch instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ReplyBatch
             * @static
             * @param {palimpsest.v1.ReplyBatch.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ReplyBatch} ReplyBatch instance
             * @type {{
             *   (properties: palimpsest.v1.ReplyBatch.$Shape): palimpsest.v1.ReplyBatch & palimpsest.v1.ReplyBatch.$Shape;
             *   (properties?: palimpsest.v1.ReplyBatch.$Properties): palimpsest.v1.ReplyBatch;
             * }}
             */
            ReplyBatch.create = function(properties) {
                return new ReplyBatch(properties);
            };

            /**
             * Encodes the specified ReplyBatch message. Does not implicitly {@link palimpsest.v1.ReplyBatch.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ReplyBatch
             * @static
             * @param {palimpsest.v1.ReplyBatch.$Properties} message ReplyBatch message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReplyBatch.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.replies != null && message.replies.length)
                    for (let i = 0; i < message.replies.length; ++i)
                        $root.palimpsest.v1.Reply.encode(message.replies[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ReplyBatch message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ReplyBatch
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReplyBatch & palimpsest.v1.ReplyBatch.$Shape} ReplyBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReplyBatch.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ReplyBatch();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.replies && message.replies.length))
                                message.replies = [];
                            message.replies.push($root.palimpsest.v1.Reply.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ReplyBatch;
        })();

        v1.Reply = (function() {

            /**
             * Properties of a Reply.
             * @typedef {Object} palimpsest.v1.Reply.$Properties
             * @property {number|null} [callId] Reply callId
             * @property {Uint8Array|null} [value] Reply value
             * @property {palimpsest.v1.Error.$Properties|null} [error] Reply error
             * @property {Uint8Array|null} [item] Reply item
             * @property {boolean|null} [end] Reply end
             * @property {"value"|"error"|"item"|"end"} [outcome] Reply outcome
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Reply.
             * @memberof palimpsest.v1
             * @interface IReply
             * @augments palimpsest.v1.Reply.$Properties
             * @deprecated Use palimpsest.v1.Reply.$Properties instead.
             */

            /**
             * Narrowed shape of a Reply.
             * @typedef {{
             *   callId?: number|null;
             *   value?: Uint8Array|null;
             *   error?: palimpsest.v1.Error.$Shape|null;
             *   item?: Uint8Array|null;
             *   end?: boolean|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ outcome?: undefined; value?: null; error?: null; item?: null; end?: null }|{ outcome?: "value"; value: Uint8Array; error?: null; item?: null; end?: null }|{ outcome?: "error"; value?: null; error: palimpsest.v1.Error.$Shape; item?: null; end?: null }|{ outcome?: "item"; value?: null; error?: null; item: Uint8Array; end?: null }|{ outcome?: "end"; value?: null; error?: null; item?: null; end: boolean })
             * )} palimpsest.v1.Reply.$Shape
             */

            /**
             * Constructs a new Reply.
             * @memberof palimpsest.v1
             * @classdesc Represents a Reply.
             * @constructor
             * @param {palimpsest.v1.Reply.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Reply = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Reply callId.
             * @member {number} callId
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            Reply.prototype.callId = $util.Long ? $util.Long.fromBits(0,0,true) : 0;

            /**
             * Reply value.
             * @member {Uint8Array|null|undefined} value
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            Reply.prototype.value = null;

            /**
             * Reply error.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} error
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            Reply.prototype.error = null;

            /**
             * Reply item.
             * @member {Uint8Array|null|undefined} item
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            Reply.prototype.item = null;

            /**
             * Reply end.
             * @member {boolean|null|undefined} end
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            Reply.prototype.end = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * Reply outcome.
             * @member {"value"|"error"|"item"|"end"|undefined} outcome
             * @memberof palimpsest.v1.Reply
             * @instance
             */
            $Object.defineProperty(Reply.prototype, "outcome", {
                get: $util.oneOfGetter($oneOfFields = ["value", "error", "item", "end"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new Reply instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Reply
             * @static
             * @param {palimpsest.v1.Reply.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Reply} Reply instance
             * @type {{
             *   (properties: palimpsest.v1.Reply.$Shape): palimpsest.v1.Reply & palimpsest.v1.Reply.$Shape;
             *   (properties?: palimpsest.v1.Reply.$Properties): palimpsest.v1.Reply;
             * }}
             */
            Reply.create = function(properties) {
                return new Reply(properties);
            };

            /**
             * Encodes the specified Reply message. Does not implicitly {@link palimpsest.v1.Reply.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Reply
             * @static
             * @param {palimpsest.v1.Reply.$Properties} message Reply message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Reply.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.callId != null && $Object.hasOwnProperty.call(message, "callId") && (typeof message.callId === "object" ? message.callId.low || message.callId.high : message.callId !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).uint64(message.callId);
                if (message.value != null && $Object.hasOwnProperty.call(message, "value"))
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.value);
                if (message.error != null && $Object.hasOwnProperty.call(message, "error"))
                    $root.palimpsest.v1.Error.encode(message.error, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.item != null && $Object.hasOwnProperty.call(message, "item"))
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.item);
                if (message.end != null && $Object.hasOwnProperty.call(message, "end"))
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.end);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Reply message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Reply
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Reply & palimpsest.v1.Reply.$Shape} Reply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Reply.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Reply();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.uint64()) === "object" ? value.low || value.high : value !== 0)
                                message.callId = value;
                            else
                                delete message.callId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.value = reader.bytes();
                            message.outcome = "value";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.error = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.error);
                            message.outcome = "error";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.item = reader.bytes();
                            message.outcome = "item";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            message.end = reader.bool();
                            message.outcome = "end";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Reply;
        })();

        v1.Error = (function() {

            /**
             * Properties of an Error.
             * @typedef {Object} palimpsest.v1.Error.$Properties
             * @property {string|null} [code] Error code
             * @property {string|null} [message] Error message
             * @property {boolean|null} [retryable] Error retryable
             * @property {Object.<string,string>|null} [details] Error details
             * @property {string|null} [stack] Error stack
             * @property {palimpsest.v1.Error.$Properties|null} [cause] Error cause
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an Error.
             * @memberof palimpsest.v1
             * @interface IError
             * @augments palimpsest.v1.Error.$Properties
             * @deprecated Use palimpsest.v1.Error.$Properties instead.
             */

            /**
             * Shape of an Error.
             * @typedef {palimpsest.v1.Error.$Properties} palimpsest.v1.Error.$Shape
             */

            /**
             * Constructs a new Error.
             * @memberof palimpsest.v1
             * @classdesc Represents an Error.
             * @constructor
             * @param {palimpsest.v1.Error.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Error = function (properties) {
                this.details = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Error code.
             * @member {string} code
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.code = "";

            /**
             * Error message.
             * @member {string} message
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.message = "";

            /**
             * Error retryable.
             * @member {boolean} retryable
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.retryable = false;

            /**
             * Error details.
             * @member {Object.<string,string>} details
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.details = $util.emptyObject;

            /**
             * Error stack.
             * @member {string} stack
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.stack = "";

            /**
             * Error cause.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} cause
             * @memberof palimpsest.v1.Error
             * @instance
             */
            Error.prototype.cause = null;

            /**
             * Creates a new Error instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Error
             * @static
             * @param {palimpsest.v1.Error.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Error} Error instance
             * @type {{
             *   (properties: palimpsest.v1.Error.$Shape): palimpsest.v1.Error & palimpsest.v1.Error.$Shape;
             *   (properties?: palimpsest.v1.Error.$Properties): palimpsest.v1.Error;
             * }}
             */
            Error.create = function(properties) {
                return new Error(properties);
            };

            /**
             * Encodes the specified Error message. Does not implicitly {@link palimpsest.v1.Error.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Error
             * @static
             * @param {palimpsest.v1.Error.$Properties} message Error message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Error.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.code != null && $Object.hasOwnProperty.call(message, "code") && message.code !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.code);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.message);
                if (message.retryable != null && $Object.hasOwnProperty.call(message, "retryable") && message.retryable !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.retryable);
                if (message.details != null && $Object.hasOwnProperty.call(message, "details"))
                    for (let keys = $Object.keys(message.details), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.details[keys[i]]).ldelim();
                if (message.stack != null && $Object.hasOwnProperty.call(message, "stack") && message.stack !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.stack);
                if (message.cause != null && $Object.hasOwnProperty.call(message, "cause"))
                    $root.palimpsest.v1.Error.encode(message.cause, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an Error message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Error
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Error & palimpsest.v1.Error.$Shape} Error
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Error.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Error();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.code = value;
                            else
                                delete message.code;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.retryable = value;
                            else
                                delete message.retryable;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.details === $util.emptyObject)
                                message.details = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.details, key);
                            message.details[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stack = value;
                            else
                                delete message.stack;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.cause = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.cause);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Error;
        })();

        v1.Resources = (function() {

            /**
             * Properties of a Resources.
             * @typedef {Object} palimpsest.v1.Resources.$Properties
             * @property {Object.<string,number>|null} [quantities] Resources quantities
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Resources.
             * @memberof palimpsest.v1
             * @interface IResources
             * @augments palimpsest.v1.Resources.$Properties
             * @deprecated Use palimpsest.v1.Resources.$Properties instead.
             */

            /**
             * Shape of a Resources.
             * @typedef {palimpsest.v1.Resources.$Properties} palimpsest.v1.Resources.$Shape
             */

            /**
             * Constructs a new Resources.
             * @memberof palimpsest.v1
             * @classdesc Represents a Resources.
             * @constructor
             * @param {palimpsest.v1.Resources.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Resources = function (properties) {
                this.quantities = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Resources quantities.
             * @member {Object.<string,number>} quantities
             * @memberof palimpsest.v1.Resources
             * @instance
             */
            Resources.prototype.quantities = $util.emptyObject;

            /**
             * Creates a new Resources instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Resources
             * @static
             * @param {palimpsest.v1.Resources.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Resources} Resources instance
             * @type {{
             *   (properties: palimpsest.v1.Resources.$Shape): palimpsest.v1.Resources & palimpsest.v1.Resources.$Shape;
             *   (properties?: palimpsest.v1.Resources.$Properties): palimpsest.v1.Resources;
             * }}
             */
            Resources.create = function(properties) {
                return new Resources(properties);
            };

            /**
             * Encodes the specified Resources message. Does not implicitly {@link palimpsest.v1.Resources.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Resources
             * @static
             * @param {palimpsest.v1.Resources.$Properties} message Resources message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Resources.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.quantities != null && $Object.hasOwnProperty.call(message, "quantities"))
                    for (let keys = $Object.keys(message.quantities), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 1, wireType 2 =*/10).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 1 =*/17).double(message.quantities[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Resources message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Resources
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Resources & palimpsest.v1.Resources.$Shape} Resources
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Resources.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Resources();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (message.quantities === $util.emptyObject)
                                message.quantities = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = 0;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 1)
                                        break;
                                    value = reader.double();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.quantities, key);
                            message.quantities[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Resources;
        })();

        v1.DeathCertificate = (function() {

            /**
             * Properties of a DeathCertificate.
             * @typedef {Object} palimpsest.v1.DeathCertificate.$Properties
             * @property {string|null} [reason] DeathCertificate reason
             * @property {number|null} [exitCode] DeathCertificate exitCode
             * @property {string|null} [signal] DeathCertificate signal
             * @property {Array.<string>|null} [lastStderrLines] DeathCertificate lastStderrLines
             * @property {number|null} [lastHeartbeatMs] DeathCertificate lastHeartbeatMs
             * @property {number|null} [diedAtMs] DeathCertificate diedAtMs
             * @property {string|null} [ownerId] DeathCertificate ownerId
             * @property {string|null} [nodeId] DeathCertificate nodeId
             * @property {number|null} [pid] DeathCertificate pid
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DeathCertificate.
             * @memberof palimpsest.v1
             * @interface IDeathCertificate
             * @augments palimpsest.v1.DeathCertificate.$Properties
             * @deprecated Use palimpsest.v1.DeathCertificate.$Properties instead.
             */

            /**
             * Shape of a DeathCertificate.
             * @typedef {palimpsest.v1.DeathCertificate.$Properties} palimpsest.v1.DeathCertificate.$Shape
             */

            /**
             * Constructs a new DeathCertificate.
             * @memberof palimpsest.v1
             * @classdesc Represents a DeathCertificate.
             * @constructor
             * @param {palimpsest.v1.DeathCertificate.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DeathCertificate = function (properties) {
                this.lastStderrLines = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DeathCertificate reason.
             * @member {string} reason
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.reason = "";

            /**
             * DeathCertificate exitCode.
             * @member {number|null|undefined} exitCode
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.exitCode = null;

            /**
             * DeathCertificate signal.
             * @member {string} signal
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.signal = "";

            /**
             * DeathCertificate lastStderrLines.
             * @member {Array.<string>} lastStderrLines
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.lastStderrLines = $util.emptyArray;

            /**
             * DeathCertificate lastHeartbeatMs.
             * @member {number} lastHeartbeatMs
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.lastHeartbeatMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * DeathCertificate diedAtMs.
             * @member {number} diedAtMs
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.diedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * DeathCertificate ownerId.
             * @member {string} ownerId
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.ownerId = "";

            /**
             * DeathCertificate nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.nodeId = "";

            /**
             * DeathCertificate pid.
             * @member {number} pid
             * @memberof palimpsest.v1.DeathCertificate
             * @instance
             */
            DeathCertificate.prototype.pid = 0;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(DeathCertificate.prototype, "_exitCode", {
                get: $util.oneOfGetter($oneOfFields = ["exitCode"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new DeathCertificate instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DeathCertificate
             * @static
             * @param {palimpsest.v1.DeathCertificate.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DeathCertificate} DeathCertificate instance
             * @type {{
             *   (properties: palimpsest.v1.DeathCertificate.$Shape): palimpsest.v1.DeathCertificate & palimpsest.v1.DeathCertificate.$Shape;
             *   (properties?: palimpsest.v1.DeathCertificate.$Properties): palimpsest.v1.DeathCertificate;
             * }}
             */
            DeathCertificate.create = function(properties) {
                return new DeathCertificate(properties);
            };

            /**
             * Encodes the specified DeathCertificate message. Does not implicitly {@link palimpsest.v1.DeathCertificate.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DeathCertificate
             * @static
             * @param {palimpsest.v1.DeathCertificate.$Properties} message DeathCertificate message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DeathCertificate.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.reason);
                if (message.exitCode != null && $Object.hasOwnProperty.call(message, "exitCode"))
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.exitCode);
                if (message.signal != null && $Object.hasOwnProperty.call(message, "signal") && message.signal !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.signal);
                if (message.lastStderrLines != null && message.lastStderrLines.length)
                    for (let i = 0; i < message.lastStderrLines.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.lastStderrLines[i]);
                if (message.lastHeartbeatMs != null && $Object.hasOwnProperty.call(message, "lastHeartbeatMs") && (typeof message.lastHeartbeatMs === "object" ? message.lastHeartbeatMs.low || message.lastHeartbeatMs.high : message.lastHeartbeatMs !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.lastHeartbeatMs);
                if (message.diedAtMs != null && $Object.hasOwnProperty.call(message, "diedAtMs") && (typeof message.diedAtMs === "object" ? message.diedAtMs.low || message.diedAtMs.high : message.diedAtMs !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).int64(message.diedAtMs);
                if (message.ownerId != null && $Object.hasOwnProperty.call(message, "ownerId") && message.ownerId !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.ownerId);
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.nodeId);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).int32(message.pid);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DeathCertificate message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DeathCertificate
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeathCertificate & palimpsest.v1.DeathCertificate.$Shape} DeathCertificate
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DeathCertificate.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DeathCertificate();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.exitCode = reader.int32();
                            message._exitCode = "exitCode";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.signal = value;
                            else
                                delete message.signal;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.lastStderrLines && message.lastStderrLines.length))
                                message.lastStderrLines = [];
                            message.lastStderrLines.push(reader.stringVerify());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.lastHeartbeatMs = value;
                            else
                                delete message.lastHeartbeatMs;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.diedAtMs = value;
                            else
                                delete message.diedAtMs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.ownerId = value;
                            else
                                delete message.ownerId;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DeathCertificate;
        })();

        v1.CodeRef = (function() {

            /**
             * Properties of a CodeRef.
             * @typedef {Object} palimpsest.v1.CodeRef.$Properties
             * @property {string|null} [module] CodeRef module
             * @property {string|null} [bundle] CodeRef bundle
             * @property {string|null} [exportName] CodeRef exportName
             * @property {"module"|"bundle"} [source] CodeRef source
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CodeRef.
             * @memberof palimpsest.v1
             * @interface ICodeRef
             * @augments palimpsest.v1.CodeRef.$Properties
             * @deprecated Use palimpsest.v1.CodeRef.$Properties instead.
             */

            /**
             * Narrowed shape of a CodeRef.
             * @typedef {{
             *   module?: string|null;
             *   bundle?: string|null;
             *   exportName?: string|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ source?: undefined; module?: null; bundle?: null }|{ source?: "module"; module: string; bundle?: null }|{ source?: "bundle"; module?: null; bundle: string })
             * )} palimpsest.v1.CodeRef.$Shape
             */

            /**
             * Constructs a new CodeRef.
             * @memberof palimpsest.v1
             * @classdesc Represents a CodeRef.
             * @constructor
             * @param {palimpsest.v1.CodeRef.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CodeRef = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CodeRef module.
             * @member {string|null|undefined} module
             * @memberof palimpsest.v1.CodeRef
             * @instance
             */
            CodeRef.prototype.module = null;

            /**
             * CodeRef bundle.
             * @member {string|null|undefined} bundle
             * @memberof palimpsest.v1.CodeRef
             * @instance
             */
            CodeRef.prototype.bundle = null;

            /**
             * CodeRef exportName.
             * @member {string} exportName
             * @memberof palimpsest.v1.CodeRef
             * @instance
             */
            CodeRef.prototype.exportName = "";

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * CodeRef source.
             * @member {"module"|"bundle"|undefined} source
             * @memberof palimpsest.v1.CodeRef
             * @instance
             */
            $Object.defineProperty(CodeRef.prototype, "source", {
                get: $util.oneOfGetter($oneOfFields = ["module", "bundle"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new CodeRef instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.CodeRef
             * @static
             * @param {palimpsest.v1.CodeRef.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.CodeRef} CodeRef instance
             * @type {{
             *   (properties: palimpsest.v1.CodeRef.$Shape): palimpsest.v1.CodeRef & palimpsest.v1.CodeRef.$Shape;
             *   (properties?: palimpsest.v1.CodeRef.$Properties): palimpsest.v1.CodeRef;
             * }}
             */
            CodeRef.create = function(properties) {
                return new CodeRef(properties);
            };

            /**
             * Encodes the specified CodeRef message. Does not implicitly {@link palimpsest.v1.CodeRef.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.CodeRef
             * @static
             * @param {palimpsest.v1.CodeRef.$Properties} message CodeRef message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CodeRef.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.module != null && $Object.hasOwnProperty.call(message, "module"))
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.module);
                if (message.bundle != null && $Object.hasOwnProperty.call(message, "bundle"))
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.bundle);
                if (message.exportName != null && $Object.hasOwnProperty.call(message, "exportName") && message.exportName !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.exportName);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CodeRef message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.CodeRef
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.CodeRef & palimpsest.v1.CodeRef.$Shape} CodeRef
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CodeRef.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.CodeRef();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.module = reader.stringVerify();
                            message.source = "module";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.bundle = reader.stringVerify();
                            message.source = "bundle";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.exportName = value;
                            else
                                delete message.exportName;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CodeRef;
        })();

        v1.ActorProcessStart = (function() {

            /**
             * Properties of an ActorProcessStart.
             * @typedef {Object} palimpsest.v1.ActorProcessStart.$Properties
             * @property {palimpsest.v1.ActorSpec.$Properties|null} [spec] ActorProcessStart spec
             * @property {number|null} [incarnation] ActorProcessStart incarnation
             * @property {string|null} [nodeId] ActorProcessStart nodeId
             * @property {string|null} [clusterId] ActorProcessStart clusterId
             * @property {string|null} [headAddress] ActorProcessStart headAddress
             * @property {string|null} [token] ActorProcessStart token
             * @property {string|null} [objectsAddress] ActorProcessStart objectsAddress
             * @property {string|null} [moduleUrl] ActorProcessStart moduleUrl
             * @property {string|null} [listenHost] ActorProcessStart listenHost
             * @property {string|null} [objectsPath] ActorProcessStart objectsPath
             * @property {string|null} [logLevel] ActorProcessStart logLevel
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorProcessStart.
             * @memberof palimpsest.v1
             * @interface IActorProcessStart
             * @augments palimpsest.v1.ActorProcessStart.$Properties
             * @deprecated Use palimpsest.v1.ActorProcessStart.$Properties instead.
             */

            /**
             * Shape of an ActorProcessStart.
             * @typedef {{
             *   spec?: palimpsest.v1.ActorSpec.$Shape|null;
             *   incarnation?: number|null;
             *   nodeId?: string|null;
             *   clusterId?: string|null;
             *   headAddress?: string|null;
             *   token?: string|null;
             *   objectsAddress?: string|null;
             *   moduleUrl?: string|null;
             *   listenHost?: string|null;
             *   objectsPath?: string|null;
             *   logLevel?: string|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ActorProcessStart.$Shape
             */

            /**
             * Constructs a new ActorProcessStart.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorProcessStart.
             * @constructor
             * @param {palimpsest.v1.ActorProcessStart.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorProcessStart = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorProcessStart spec.
             * @member {palimpsest.v1.ActorSpec.$Properties|null|undefined} spec
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.spec = null;

            /**
             * ActorProcessStart incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.incarnation = 0;

            /**
             * ActorProcessStart nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.nodeId = "";

            /**
             * ActorProcessStart clusterId.
             * @member {string} clusterId
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.clusterId = "";

            /**
             * ActorProcessStart headAddress.
             * @member {string} headAddress
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.headAddress = "";

            /**
             * ActorProcessStart token.
             * @member {string} token
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.token = "";

            /**
             * ActorProcessStart objectsAddress.
             * @member {string} objectsAddress
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.objectsAddress = "";

            /**
             * ActorProcessStart moduleUrl.
             * @member {string} moduleUrl
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.moduleUrl = "";

            /**
             * ActorProcessStart listenHost.
             * @member {string} listenHost
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.listenHost = "";

            /**
             * ActorProcessStart objectsPath.
             * @member {string} objectsPath
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.objectsPath = "";

            /**
             * ActorProcessStart logLevel.
             * @member {string} logLevel
             * @memberof palimpsest.v1.ActorProcessStart
             * @instance
             */
            ActorProcessStart.prototype.logLevel = "";

            /**
             * Creates a new ActorProcessStart instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorProcessStart
             * @static
             * @param {palimpsest.v1.ActorProcessStart.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorProcessStart} ActorProcessStart instance
             * @type {{
             *   (properties: palimpsest.v1.ActorProcessStart.$Shape): palimpsest.v1.ActorProcessStart & palimpsest.v1.ActorProcessStart.$Shape;
             *   (properties?: palimpsest.v1.ActorProcessStart.$Properties): palimpsest.v1.ActorProcessStart;
             * }}
             */
            ActorProcessStart.create = function(properties) {
                return new ActorProcessStart(properties);
            };

            /**
             * Encodes the specified ActorProcessStart message. Does not implicitly {@link palimpsest.v1.ActorProcessStart.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorProcessStart
             * @static
             * @param {palimpsest.v1.ActorProcessStart.$Properties} message ActorProcessStart message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorProcessStart.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.spec != null && $Object.hasOwnProperty.call(message, "spec"))
                    $root.palimpsest.v1.ActorSpec.encode(message.spec, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.incarnation);
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.nodeId);
                if (message.clusterId != null && $Object.hasOwnProperty.call(message, "clusterId") && message.clusterId !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.clusterId);
                if (message.headAddress != null && $Object.hasOwnProperty.call(message, "headAddress") && message.headAddress !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.headAddress);
                if (message.token != null && $Object.hasOwnProperty.call(message, "token") && message.token !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.token);
                if (message.objectsAddress != null && $Object.hasOwnProperty.call(message, "objectsAddress") && message.objectsAddress !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.objectsAddress);
                if (message.moduleUrl != null && $Object.hasOwnProperty.call(message, "moduleUrl") && message.moduleUrl !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.moduleUrl);
                if (message.listenHost != null && $Object.hasOwnProperty.call(message, "listenHost") && message.listenHost !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.listenHost);
                if (message.objectsPath != null && $Object.hasOwnProperty.call(message, "objectsPath") && message.objectsPath !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.objectsPath);
                if (message.logLevel != null && $Object.hasOwnProperty.call(message, "logLevel") && message.logLevel !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.logLevel);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorProcessStart message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorProcessStart
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessStart & palimpsest.v1.ActorProcessStart.$Shape} ActorProcessStart
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorProcessStart.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorProcessStart();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.spec = $root.palimpsest.v1.ActorSpec.decode(reader, reader.size(), $undefined, _depth + 1, message.spec);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.clusterId = value;
                            else
                                delete message.clusterId;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.headAddress = value;
                            else
                                delete message.headAddress;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.token = value;
                            else
                                delete message.token;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectsAddress = value;
                            else
                                delete message.objectsAddress;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.moduleUrl = value;
                            else
                                delete message.moduleUrl;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.listenHost = value;
                            else
                                delete message.listenHost;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectsPath = value;
                            else
                                delete message.objectsPath;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.logLevel = value;
                            else
                                delete message.logLevel;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorProcessStart;
        })();

        v1.ActorProcessEvent = (function() {

            /**
             * Properties of an ActorProcessEvent.
             * @typedef {Object} palimpsest.v1.ActorProcessEvent.$Properties
             * @property {palimpsest.v1.ActorProcessReady.$Properties|null} [ready] ActorProcessEvent ready
             * @property {palimpsest.v1.Error.$Properties|null} [failed] ActorProcessEvent failed
             * @property {"ready"|"failed"} [event] ActorProcessEvent event
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorProcessEvent.
             * @memberof palimpsest.v1
             * @interface IActorProcessEvent
             * @augments palimpsest.v1.ActorProcessEvent.$Properties
             * @deprecated Use palimpsest.v1.ActorProcessEvent.$Properties instead.
             */

            /**
             * Narrowed shape of an ActorProcessEvent.
             * @typedef {{
             *   ready?: palimpsest.v1.ActorProcessReady.$Shape|null;
             *   failed?: palimpsest.v1.Error.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ event?: undefined; ready?: null; failed?: null }|{ event?: "ready"; ready: palimpsest.v1.ActorProcessReady.$Shape; failed?: null }|{ event?: "failed"; ready?: null; failed: palimpsest.v1.Error.$Shape })
             * )} palimpsest.v1.ActorProcessEvent.$Shape
             */

            /**
             * Constructs a new ActorProcessEvent.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorProcessEvent.
             * @constructor
             * @param {palimpsest.v1.ActorProcessEvent.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorProcessEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorProcessEvent ready.
             * @member {palimpsest.v1.ActorProcessReady.$Properties|null|undefined} ready
             * @memberof palimpsest.v1.ActorProcessEvent
             * @instance
             */
            ActorProcessEvent.prototype.ready = null;

            /**
             * ActorProcessEvent failed.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} failed
             * @memberof palimpsest.v1.ActorProcessEvent
             * @instance
             */
            ActorProcessEvent.prototype.failed = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * ActorProcessEvent event.
             * @member {"ready"|"failed"|undefined} event
             * @memberof palimpsest.v1.ActorProcessEvent
             * @instance
             */
            $Object.defineProperty(ActorProcessEvent.prototype, "event", {
                get: $util.oneOfGetter($oneOfFields = ["ready", "failed"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new ActorProcessEvent instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorProcessEvent
             * @static
             * @param {palimpsest.v1.ActorProcessEvent.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorProcessEvent} ActorProcessEvent instance
             * @type {{
             *   (properties: palimpsest.v1.ActorProcessEvent.$Shape): palimpsest.v1.ActorProcessEvent & palimpsest.v1.ActorProcessEvent.$Shape;
             *   (properties?: palimpsest.v1.ActorProcessEvent.$Properties): palimpsest.v1.ActorProcessEvent;
             * }}
             */
            ActorProcessEvent.create = function(properties) {
                return new ActorProcessEvent(properties);
            };

            /**
             * Encodes the specified ActorProcessEvent message. Does not implicitly {@link palimpsest.v1.ActorProcessEvent.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorProcessEvent
             * @static
             * @param {palimpsest.v1.ActorProcessEvent.$Properties} message ActorProcessEvent message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorProcessEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.ready != null && $Object.hasOwnProperty.call(message, "ready"))
                    $root.palimpsest.v1.ActorProcessReady.encode(message.ready, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.failed != null && $Object.hasOwnProperty.call(message, "failed"))
                    $root.palimpsest.v1.Error.encode(message.failed, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorProcessEvent message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorProcessEvent
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessEvent & palimpsest.v1.ActorProcessEvent.$Shape} ActorProcessEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorProcessEvent.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorProcessEvent();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.ready = $root.palimpsest.v1.ActorProcessReady.decode(reader, reader.size(), $undefined, _depth + 1, message.ready);
                            message.event = "ready";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.failed = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.failed);
                            message.event = "failed";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorProcessEvent;
        })();

        v1.ActorProcessReady = (function() {

            /**
             * Properties of an ActorProcessReady.
             * @typedef {Object} palimpsest.v1.ActorProcessReady.$Properties
             * @property {string|null} [address] ActorProcessReady address
             * @property {string|null} [metricsAddress] ActorProcessReady metricsAddress
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorProcessReady.
             * @memberof palimpsest.v1
             * @interface IActorProcessReady
             * @augments palimpsest.v1.ActorProcessReady.$Properties
             * @deprecated Use palimpsest.v1.ActorProcessReady.$Properties instead.
             */

            /**
             * Shape of an ActorProcessReady.
             * @typedef {palimpsest.v1.ActorProcessReady.$Properties} palimpsest.v1.ActorProcessReady.$Shape
             */

            /**
             * Constructs a new ActorProcessReady.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorProcessReady.
             * @constructor
             * @param {palimpsest.v1.ActorProcessReady.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorProcessReady = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorProcessReady address.
             * @member {string} address
             * @memberof palimpsest.v1.ActorProcessReady
             * @instance
             */
            ActorProcessReady.prototype.address = "";

            /**
             * ActorProcessReady metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.ActorProcessReady
             * @instance
             */
            ActorProcessReady.prototype.metricsAddress = "";

            /**
             * Creates a new ActorProcessReady instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorProcessReady
             * @static
             * @param {palimpsest.v1.ActorProcessReady.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorProcessReady} ActorProcessReady instance
             * @type {{
             *   (properties: palimpsest.v1.ActorProcessReady.$Shape): palimpsest.v1.ActorProcessReady & palimpsest.v1.ActorProcessReady.$Shape;
             *   (properties?: palimpsest.v1.ActorProcessReady.$Properties): palimpsest.v1.ActorProcessReady;
             * }}
             */
            ActorProcessReady.create = function(properties) {
                return new ActorProcessReady(properties);
            };

            /**
             * Encodes the specified ActorProcessReady message. Does not implicitly {@link palimpsest.v1.ActorProcessReady.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorProcessReady
             * @static
             * @param {palimpsest.v1.ActorProcessReady.$Properties} message ActorProcessReady message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorProcessReady.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.address != null && $Object.hasOwnProperty.call(message, "address") && message.address !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.address);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.metricsAddress);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorProcessReady message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorProcessReady
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessReady & palimpsest.v1.ActorProcessReady.$Shape} ActorProcessReady
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorProcessReady.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorProcessReady();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.address = value;
                            else
                                delete message.address;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorProcessReady;
        })();

        v1.GetClusterRequest = (function() {

            /**
             * Properties of a GetClusterRequest.
             * @typedef {Object} palimpsest.v1.GetClusterRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GetClusterRequest.
             * @memberof palimpsest.v1
             * @interface IGetClusterRequest
             * @augments palimpsest.v1.GetClusterRequest.$Properties
             * @deprecated Use palimpsest.v1.GetClusterRequest.$Properties instead.
             */

            /**
             * Shape of a GetClusterRequest.
             * @typedef {palimpsest.v1.GetClusterRequest.$Properties} palimpsest.v1.GetClusterRequest.$Shape
             */

            /**
             * Constructs a new GetClusterRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a GetClusterRequest.
             * @constructor
             * @param {palimpsest.v1.GetClusterRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GetClusterRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new GetClusterRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.GetClusterRequest
             * @static
             * @param {palimpsest.v1.GetClusterRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.GetClusterRequest} GetClusterRequest instance
             * @type {{
             *   (properties: palimpsest.v1.GetClusterRequest.$Shape): palimpsest.v1.GetClusterRequest & palimpsest.v1.GetClusterRequest.$Shape;
             *   (properties?: palimpsest.v1.GetClusterRequest.$Properties): palimpsest.v1.GetClusterRequest;
             * }}
             */
            GetClusterRequest.create = function(properties) {
                return new GetClusterRequest(properties);
            };

            /**
             * Encodes the specified GetClusterRequest message. Does not implicitly {@link palimpsest.v1.GetClusterRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.GetClusterRequest
             * @static
             * @param {palimpsest.v1.GetClusterRequest.$Properties} message GetClusterRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GetClusterRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GetClusterRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.GetClusterRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetClusterRequest & palimpsest.v1.GetClusterRequest.$Shape} GetClusterRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GetClusterRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.GetClusterRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return GetClusterRequest;
        })();

        v1.ClusterInfo = (function() {

            /**
             * Properties of a ClusterInfo.
             * @typedef {Object} palimpsest.v1.ClusterInfo.$Properties
             * @property {string|null} [clusterId] ClusterInfo clusterId
             * @property {string|null} [redisUrl] ClusterInfo redisUrl
             * @property {string|null} [version] ClusterInfo version
             * @property {number|null} [startedAtMs] ClusterInfo startedAtMs
             * @property {string|null} [metricsAddress] ClusterInfo metricsAddress
             * @property {number|null} [pid] ClusterInfo pid
             * @property {number|null} [redisPid] ClusterInfo redisPid
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ClusterInfo.
             * @memberof palimpsest.v1
             * @interface IClusterInfo
             * @augments palimpsest.v1.ClusterInfo.$Properties
             * @deprecated Use palimpsest.v1.ClusterInfo.$Properties instead.
             */

            /**
             * Shape of a ClusterInfo.
             * @typedef {palimpsest.v1.ClusterInfo.$Properties} palimpsest.v1.ClusterInfo.$Shape
             */

            /**
             * Constructs a new ClusterInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents a ClusterInfo.
             * @constructor
             * @param {palimpsest.v1.ClusterInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ClusterInfo = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ClusterInfo clusterId.
             * @member {string} clusterId
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.clusterId = "";

            /**
             * ClusterInfo redisUrl.
             * @member {string} redisUrl
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.redisUrl = "";

            /**
             * ClusterInfo version.
             * @member {string} version
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.version = "";

            /**
             * ClusterInfo startedAtMs.
             * @member {number} startedAtMs
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.startedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ClusterInfo metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.metricsAddress = "";

            /**
             * ClusterInfo pid.
             * @member {number} pid
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.pid = 0;

            /**
             * ClusterInfo redisPid.
             * @member {number} redisPid
             * @memberof palimpsest.v1.ClusterInfo
             * @instance
             */
            ClusterInfo.prototype.redisPid = 0;

            /**
             * Creates a new ClusterInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ClusterInfo
             * @static
             * @param {palimpsest.v1.ClusterInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ClusterInfo} ClusterInfo instance
             * @type {{
             *   (properties: palimpsest.v1.ClusterInfo.$Shape): palimpsest.v1.ClusterInfo & palimpsest.v1.ClusterInfo.$Shape;
             *   (properties?: palimpsest.v1.ClusterInfo.$Properties): palimpsest.v1.ClusterInfo;
             * }}
             */
            ClusterInfo.create = function(properties) {
                return new ClusterInfo(properties);
            };

            /**
             * Encodes the specified ClusterInfo message. Does not implicitly {@link palimpsest.v1.ClusterInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ClusterInfo
             * @static
             * @param {palimpsest.v1.ClusterInfo.$Properties} message ClusterInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ClusterInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.clusterId != null && $Object.hasOwnProperty.call(message, "clusterId") && message.clusterId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.clusterId);
                if (message.redisUrl != null && $Object.hasOwnProperty.call(message, "redisUrl") && message.redisUrl !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.redisUrl);
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.version);
                if (message.startedAtMs != null && $Object.hasOwnProperty.call(message, "startedAtMs") && (typeof message.startedAtMs === "object" ? message.startedAtMs.low || message.startedAtMs.high : message.startedAtMs !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.startedAtMs);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.metricsAddress);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.pid);
                if (message.redisPid != null && $Object.hasOwnProperty.call(message, "redisPid") && message.redisPid !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).int32(message.redisPid);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ClusterInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ClusterInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ClusterInfo & palimpsest.v1.ClusterInfo.$Shape} ClusterInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ClusterInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ClusterInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.clusterId = value;
                            else
                                delete message.clusterId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.redisUrl = value;
                            else
                                delete message.redisUrl;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.startedAtMs = value;
                            else
                                delete message.startedAtMs;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.redisPid = value;
                            else
                                delete message.redisPid;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ClusterInfo;
        })();

        v1.SessionMessage = (function() {

            /**
             * Properties of a SessionMessage.
             * @typedef {Object} palimpsest.v1.SessionMessage.$Properties
             * @property {string|null} [sessionId] SessionMessage sessionId
             * @property {string|null} [name] SessionMessage name
             * @property {number|null} [pid] SessionMessage pid
             * @property {boolean|null} [goodbye] SessionMessage goodbye
             * @property {string|null} [jobId] SessionMessage jobId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SessionMessage.
             * @memberof palimpsest.v1
             * @interface ISessionMessage
             * @augments palimpsest.v1.SessionMessage.$Properties
             * @deprecated Use palimpsest.v1.SessionMessage.$Properties instead.
             */

            /**
             * Shape of a SessionMessage.
             * @typedef {palimpsest.v1.SessionMessage.$Properties} palimpsest.v1.SessionMessage.$Shape
             */

            /**
             * Constructs a new SessionMessage.
             * @memberof palimpsest.v1
             * @classdesc Represents a SessionMessage.
             * @constructor
             * @param {palimpsest.v1.SessionMessage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SessionMessage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SessionMessage sessionId.
             * @member {string} sessionId
             * @memberof palimpsest.v1.SessionMessage
             * @instance
             */
            SessionMessage.prototype.sessionId = "";

            /**
             * SessionMessage name.
             * @member {string} name
             * @memberof palimpsest.v1.SessionMessage
             * @instance
             */
            SessionMessage.prototype.name = "";

            /**
             * SessionMessage pid.
             * @member {number} pid
             * @memberof palimpsest.v1.SessionMessage
             * @instance
             */
            SessionMessage.prototype.pid = 0;

            /**
             * SessionMessage goodbye.
             * @member {boolean} goodbye
             * @memberof palimpsest.v1.SessionMessage
             * @instance
             */
            SessionMessage.prototype.goodbye = false;

            /**
             * SessionMessage jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.SessionMessage
             * @instance
             */
            SessionMessage.prototype.jobId = "";

            /**
             * Creates a new SessionMessage instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.SessionMessage
             * @static
             * @param {palimpsest.v1.SessionMessage.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.SessionMessage} SessionMessage instance
             * @type {{
             *   (properties: palimpsest.v1.SessionMessage.$Shape): palimpsest.v1.SessionMessage & palimpsest.v1.SessionMessage.$Shape;
             *   (properties?: palimpsest.v1.SessionMessage.$Properties): palimpsest.v1.SessionMessage;
             * }}
             */
            SessionMessage.create = function(properties) {
                return new SessionMessage(properties);
            };

            /**
             * Encodes the specified SessionMessage message. Does not implicitly {@link palimpsest.v1.SessionMessage.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.SessionMessage
             * @static
             * @param {palimpsest.v1.SessionMessage.$Properties} message SessionMessage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SessionMessage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sessionId != null && $Object.hasOwnProperty.call(message, "sessionId") && message.sessionId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.sessionId);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.pid);
                if (message.goodbye != null && $Object.hasOwnProperty.call(message, "goodbye") && message.goodbye !== false)
                    writer.uint32(/* id 4, wireType 0 =*/32).bool(message.goodbye);
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.jobId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SessionMessage message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.SessionMessage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionMessage & palimpsest.v1.SessionMessage.$Shape} SessionMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SessionMessage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.SessionMessage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sessionId = value;
                            else
                                delete message.sessionId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.goodbye = value;
                            else
                                delete message.goodbye;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SessionMessage;
        })();

        v1.SessionEvent = (function() {

            /**
             * Properties of a SessionEvent.
             * @typedef {Object} palimpsest.v1.SessionEvent.$Properties
             * @property {palimpsest.v1.SessionOpened.$Properties|null} [opened] SessionEvent opened
             * @property {palimpsest.v1.ActorInfo.$Properties|null} [actorDied] SessionEvent actorDied
             * @property {"opened"|"actorDied"} [event] SessionEvent event
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SessionEvent.
             * @memberof palimpsest.v1
             * @interface ISessionEvent
             * @augments palimpsest.v1.SessionEvent.$Properties
             * @deprecated Use palimpsest.v1.SessionEvent.$Properties instead.
             */

            /**
             * Narrowed shape of a SessionEvent.
             * @typedef {{
             *   opened?: palimpsest.v1.SessionOpened.$Shape|null;
             *   actorDied?: palimpsest.v1.ActorInfo.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ event?: undefined; opened?: null; actorDied?: null }|{ event?: "opened"; opened: palimpsest.v1.SessionOpened.$Shape; actorDied?: null }|{ event?: "actorDied"; opened?: null; actorDied: palimpsest.v1.ActorInfo.$Shape })
             * )} palimpsest.v1.SessionEvent.$Shape
             */

            /**
             * Constructs a new SessionEvent.
             * @memberof palimpsest.v1
             * @classdesc Represents a SessionEvent.
             * @constructor
             * @param {palimpsest.v1.SessionEvent.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SessionEvent = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SessionEvent opened.
             * @member {palimpsest.v1.SessionOpened.$Properties|null|undefined} opened
             * @memberof palimpsest.v1.SessionEvent
             * @instance
             */
            SessionEvent.prototype.opened = null;

            /**
             * SessionEvent actorDied.
             * @member {palimpsest.v1.ActorInfo.$Properties|null|undefined} actorDied
             * @memberof palimpsest.v1.SessionEvent
             * @instance
             */
            SessionEvent.prototype.actorDied = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * SessionEvent event.
             * @member {"opened"|"actorDied"|undefined} event
             * @memberof palimpsest.v1.SessionEvent
             * @instance
             */
            $Object.defineProperty(SessionEvent.prototype, "event", {
                get: $util.oneOfGetter($oneOfFields = ["opened", "actorDied"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SessionEvent instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.SessionEvent
             * @static
             * @param {palimpsest.v1.SessionEvent.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.SessionEvent} SessionEvent instance
             * @type {{
             *   (properties: palimpsest.v1.SessionEvent.$Shape): palimpsest.v1.SessionEvent & palimpsest.v1.SessionEvent.$Shape;
             *   (properties?: palimpsest.v1.SessionEvent.$Properties): palimpsest.v1.SessionEvent;
             * }}
             */
            SessionEvent.create = function(properties) {
                return new SessionEvent(properties);
            };

            /**
             * Encodes the specified SessionEvent message. Does not implicitly {@link palimpsest.v1.SessionEvent.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.SessionEvent
             * @static
             * @param {palimpsest.v1.SessionEvent.$Properties} message SessionEvent message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SessionEvent.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.opened != null && $Object.hasOwnProperty.call(message, "opened"))
                    $root.palimpsest.v1.SessionOpened.encode(message.opened, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.actorDied != null && $Object.hasOwnProperty.call(message, "actorDied"))
                    $root.palimpsest.v1.ActorInfo.encode(message.actorDied, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SessionEvent message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.SessionEvent
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionEvent & palimpsest.v1.SessionEvent.$Shape} SessionEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SessionEvent.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.SessionEvent();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.opened = $root.palimpsest.v1.SessionOpened.decode(reader, reader.size(), $undefined, _depth + 1, message.opened);
                            message.event = "opened";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.actorDied = $root.palimpsest.v1.ActorInfo.decode(reader, reader.size(), $undefined, _depth + 1, message.actorDied);
                            message.event = "actorDied";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SessionEvent;
        })();

        v1.SessionOpened = (function() {

            /**
             * Properties of a SessionOpened.
             * @typedef {Object} palimpsest.v1.SessionOpened.$Properties
             * @property {string|null} [clusterId] SessionOpened clusterId
             * @property {number|null} [ownerGraceMs] SessionOpened ownerGraceMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SessionOpened.
             * @memberof palimpsest.v1
             * @interface ISessionOpened
             * @augments palimpsest.v1.SessionOpened.$Properties
             * @deprecated Use palimpsest.v1.SessionOpened.$Properties instead.
             */

            /**
             * Shape of a SessionOpened.
             * @typedef {palimpsest.v1.SessionOpened.$Properties} palimpsest.v1.SessionOpened.$Shape
             */

            /**
             * Constructs a new SessionOpened.
             * @memberof palimpsest.v1
             * @classdesc Represents a SessionOpened.
             * @constructor
             * @param {palimpsest.v1.SessionOpened.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SessionOpened = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SessionOpened clusterId.
             * @member {string} clusterId
             * @memberof palimpsest.v1.SessionOpened
             * @instance
             */
            SessionOpened.prototype.clusterId = "";

            /**
             * SessionOpened ownerGraceMs.
             * @member {number} ownerGraceMs
             * @memberof palimpsest.v1.SessionOpened
             * @instance
             */
            SessionOpened.prototype.ownerGraceMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new SessionOpened instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.SessionOpened
             * @static
             * @param {palimpsest.v1.SessionOpened.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.SessionOpened} SessionOpened instance
             * @type {{
             *   (properties: palimpsest.v1.SessionOpened.$Shape): palimpsest.v1.SessionOpened & palimpsest.v1.SessionOpened.$Shape;
             *   (properties?: palimpsest.v1.SessionOpened.$Properties): palimpsest.v1.SessionOpened;
             * }}
             */
            SessionOpened.create = function(properties) {
                return new SessionOpened(properties);
            };

            /**
             * Encodes the specified SessionOpened message. Does not implicitly {@link palimpsest.v1.SessionOpened.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.SessionOpened
             * @static
             * @param {palimpsest.v1.SessionOpened.$Properties} message SessionOpened message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SessionOpened.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.clusterId != null && $Object.hasOwnProperty.call(message, "clusterId") && message.clusterId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.clusterId);
                if (message.ownerGraceMs != null && $Object.hasOwnProperty.call(message, "ownerGraceMs") && (typeof message.ownerGraceMs === "object" ? message.ownerGraceMs.low || message.ownerGraceMs.high : message.ownerGraceMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.ownerGraceMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SessionOpened message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.SessionOpened
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionOpened & palimpsest.v1.SessionOpened.$Shape} SessionOpened
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SessionOpened.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.SessionOpened();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.clusterId = value;
                            else
                                delete message.clusterId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.ownerGraceMs = value;
                            else
                                delete message.ownerGraceMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SessionOpened;
        })();

        /**
         * ActorState enum.
         * @name palimpsest.v1.ActorState
         * @enum {number}
         * @property {number} ACTOR_STATE_UNSPECIFIED=0 ACTOR_STATE_UNSPECIFIED value
         * @property {number} ACTOR_STATE_PENDING=1 ACTOR_STATE_PENDING value
         * @property {number} ACTOR_STATE_STARTING=2 ACTOR_STATE_STARTING value
         * @property {number} ACTOR_STATE_ALIVE=3 ACTOR_STATE_ALIVE value
         * @property {number} ACTOR_STATE_RESTARTING=4 ACTOR_STATE_RESTARTING value
         * @property {number} ACTOR_STATE_DEAD=5 ACTOR_STATE_DEAD value
         */
        v1.ActorState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "ACTOR_STATE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "ACTOR_STATE_PENDING"] = 1;
            values[valuesById[2] = "ACTOR_STATE_STARTING"] = 2;
            values[valuesById[3] = "ACTOR_STATE_ALIVE"] = 3;
            values[valuesById[4] = "ACTOR_STATE_RESTARTING"] = 4;
            values[valuesById[5] = "ACTOR_STATE_DEAD"] = 5;
            return values;
        })();

        v1.ActorSpec = (function() {

            /**
             * Properties of an ActorSpec.
             * @typedef {Object} palimpsest.v1.ActorSpec.$Properties
             * @property {string|null} [actorId] ActorSpec actorId
             * @property {string|null} [name] ActorSpec name
             * @property {palimpsest.v1.CodeRef.$Properties|null} [code] ActorSpec code
             * @property {Uint8Array|null} [args] ActorSpec args
             * @property {palimpsest.v1.Resources.$Properties|null} [resources] ActorSpec resources
             * @property {Object.<string,string>|null} [labels] ActorSpec labels
             * @property {number|null} [maxRestarts] ActorSpec maxRestarts
             * @property {number|null} [maxConcurrency] ActorSpec maxConcurrency
             * @property {number|null} [maxPendingCalls] ActorSpec maxPendingCalls
             * @property {boolean|null} [detached] ActorSpec detached
             * @property {string|null} [ownerId] ActorSpec ownerId
             * @property {string|null} [jobId] ActorSpec jobId
             * @property {Object.<string,string>|null} [environment] ActorSpec environment
             * @property {string|null} [role] ActorSpec role
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorSpec.
             * @memberof palimpsest.v1
             * @interface IActorSpec
             * @augments palimpsest.v1.ActorSpec.$Properties
             * @deprecated Use palimpsest.v1.ActorSpec.$Properties instead.
             */

            /**
             * Shape of an ActorSpec.
             * @typedef {{
             *   actorId?: string|null;
             *   name?: string|null;
             *   code?: palimpsest.v1.CodeRef.$Shape|null;
             *   args?: Uint8Array|null;
             *   resources?: palimpsest.v1.Resources.$Shape|null;
             *   labels?: Object.<string,string>|null;
             *   maxRestarts?: number|null;
             *   maxConcurrency?: number|null;
             *   maxPendingCalls?: number|null;
             *   detached?: boolean|null;
             *   ownerId?: string|null;
             *   jobId?: string|null;
             *   environment?: Object.<string,string>|null;
             *   role?: string|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ActorSpec.$Shape
             */

            /**
             * Constructs a new ActorSpec.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorSpec.
             * @constructor
             * @param {palimpsest.v1.ActorSpec.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorSpec = function (properties) {
                this.labels = {};
                this.environment = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorSpec actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.actorId = "";

            /**
             * ActorSpec name.
             * @member {string} name
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.name = "";

            /**
             * ActorSpec code.
             * @member {palimpsest.v1.CodeRef.$Properties|null|undefined} code
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.code = null;

            /**
             * ActorSpec args.
             * @member {Uint8Array} args
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.args = $util.newBuffer([]);

            /**
             * ActorSpec resources.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} resources
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.resources = null;

            /**
             * ActorSpec labels.
             * @member {Object.<string,string>} labels
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.labels = $util.emptyObject;

            /**
             * ActorSpec maxRestarts.
             * @member {number} maxRestarts
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.maxRestarts = 0;

            /**
             * ActorSpec maxConcurrency.
             * @member {number} maxConcurrency
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.maxConcurrency = 0;

            /**
             * ActorSpec maxPendingCalls.
             * @member {number} maxPendingCalls
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.maxPendingCalls = 0;

            /**
             * ActorSpec detached.
             * @member {boolean} detached
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.detached = false;

            /**
             * ActorSpec ownerId.
             * @member {string} ownerId
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.ownerId = "";

            /**
             * ActorSpec jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.jobId = "";

            /**
             * ActorSpec environment.
             * @member {Object.<string,string>} environment
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.environment = $util.emptyObject;

            /**
             * ActorSpec role.
             * @member {string} role
             * @memberof palimpsest.v1.ActorSpec
             * @instance
             */
            ActorSpec.prototype.role = "";

            /**
             * Creates a new ActorSpec instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorSpec
             * @static
             * @param {palimpsest.v1.ActorSpec.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorSpec} ActorSpec instance
             * @type {{
             *   (properties: palimpsest.v1.ActorSpec.$Shape): palimpsest.v1.ActorSpec & palimpsest.v1.ActorSpec.$Shape;
             *   (properties?: palimpsest.v1.ActorSpec.$Properties): palimpsest.v1.ActorSpec;
             * }}
             */
            ActorSpec.create = function(properties) {
                return new ActorSpec(properties);
            };

            /**
             * Encodes the specified ActorSpec message. Does not implicitly {@link palimpsest.v1.ActorSpec.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorSpec
             * @static
             * @param {palimpsest.v1.ActorSpec.$Properties} message ActorSpec message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorSpec.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.code != null && $Object.hasOwnProperty.call(message, "code"))
                    $root.palimpsest.v1.CodeRef.encode(message.code, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.args != null && $Object.hasOwnProperty.call(message, "args") && message.args.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).bytes(message.args);
                if (message.resources != null && $Object.hasOwnProperty.call(message, "resources"))
                    $root.palimpsest.v1.Resources.encode(message.resources, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.labels != null && $Object.hasOwnProperty.call(message, "labels"))
                    for (let keys = $Object.keys(message.labels), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 6, wireType 2 =*/50).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.labels[keys[i]]).ldelim();
                if (message.maxRestarts != null && $Object.hasOwnProperty.call(message, "maxRestarts") && message.maxRestarts !== 0)
                    writer.uint32(/* id 7, wireType 0 =*/56).int32(message.maxRestarts);
                if (message.maxConcurrency != null && $Object.hasOwnProperty.call(message, "maxConcurrency") && message.maxConcurrency !== 0)
                    writer.uint32(/* id 8, wireType 0 =*/64).int32(message.maxConcurrency);
                if (message.maxPendingCalls != null && $Object.hasOwnProperty.call(message, "maxPendingCalls") && message.maxPendingCalls !== 0)
                    writer.uint32(/* id 9, wireType 0 =*/72).int32(message.maxPendingCalls);
                if (message.detached != null && $Object.hasOwnProperty.call(message, "detached") && message.detached !== false)
                    writer.uint32(/* id 10, wireType 0 =*/80).bool(message.detached);
                if (message.ownerId != null && $Object.hasOwnProperty.call(message, "ownerId") && message.ownerId !== "")
                    writer.uint32(/* id 11, wireType 2 =*/90).string(message.ownerId);
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 12, wireType 2 =*/98).string(message.jobId);
                if (message.environment != null && $Object.hasOwnProperty.call(message, "environment"))
                    for (let keys = $Object.keys(message.environment), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 13, wireType 2 =*/106).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.environment[keys[i]]).ldelim();
                if (message.role != null && $Object.hasOwnProperty.call(message, "role") && message.role !== "")
                    writer.uint32(/* id 14, wireType 2 =*/114).string(message.role);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorSpec message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorSpec
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorSpec & palimpsest.v1.ActorSpec.$Shape} ActorSpec
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorSpec.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorSpec();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.code = $root.palimpsest.v1.CodeRef.decode(reader, reader.size(), $undefined, _depth + 1, message.code);
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.args = value;
                            else
                                delete message.args;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.resources = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.resources);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if (message.labels === $util.emptyObject)
                                message.labels = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.labels, key);
                            message.labels[key] = value;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.maxRestarts = value;
                            else
                                delete message.maxRestarts;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.maxConcurrency = value;
                            else
                                delete message.maxConcurrency;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.maxPendingCalls = value;
                            else
                                delete message.maxPendingCalls;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.detached = value;
                            else
                                delete message.detached;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.ownerId = value;
                            else
                                delete message.ownerId;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 2)
                                break;
                            if (message.environment === $util.emptyObject)
                                message.environment = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.environment, key);
                            message.environment[key] = value;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.role = value;
                            else
                                delete message.role;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorSpec;
        })();

        v1.CreateActorRequest = (function() {

            /**
             * Properties of a CreateActorRequest.
             * @typedef {Object} palimpsest.v1.CreateActorRequest.$Properties
             * @property {palimpsest.v1.ActorSpec.$Properties|null} [spec] CreateActorRequest spec
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a CreateActorRequest.
             * @memberof palimpsest.v1
             * @interface ICreateActorRequest
             * @augments palimpsest.v1.CreateActorRequest.$Properties
             * @deprecated Use palimpsest.v1.CreateActorRequest.$Properties instead.
             */

            /**
             * Shape of a CreateActorRequest.
             * @typedef {{
             *   spec?: palimpsest.v1.ActorSpec.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.CreateActorRequest.$Shape
             */

            /**
             * Constructs a new CreateActorRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a CreateActorRequest.
             * @constructor
             * @param {palimpsest.v1.CreateActorRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const CreateActorRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * CreateActorRequest spec.
             * @member {palimpsest.v1.ActorSpec.$Properties|null|undefined} spec
             * @memberof palimpsest.v1.CreateActorRequest
             * @instance
             */
            CreateActorRequest.prototype.spec = null;

            /**
             * Creates a new CreateActorRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.CreateActorRequest
             * @static
             * @param {palimpsest.v1.CreateActorRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.CreateActorRequest} CreateActorRequest instance
             * @type {{
             *   (properties: palimpsest.v1.CreateActorRequest.$Shape): palimpsest.v1.CreateActorRequest & palimpsest.v1.CreateActorRequest.$Shape;
             *   (properties?: palimpsest.v1.CreateActorRequest.$Properties): palimpsest.v1.CreateActorRequest;
             * }}
             */
            CreateActorRequest.create = function(properties) {
                return new CreateActorRequest(properties);
            };

            /**
             * Encodes the specified CreateActorRequest message. Does not implicitly {@link palimpsest.v1.CreateActorRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.CreateActorRequest
             * @static
             * @param {palimpsest.v1.CreateActorRequest.$Properties} message CreateActorRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            CreateActorRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.spec != null && $Object.hasOwnProperty.call(message, "spec"))
                    $root.palimpsest.v1.ActorSpec.encode(message.spec, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a CreateActorRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.CreateActorRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.CreateActorRequest & palimpsest.v1.CreateActorRequest.$Shape} CreateActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            CreateActorRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.CreateActorRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.spec = $root.palimpsest.v1.ActorSpec.decode(reader, reader.size(), $undefined, _depth + 1, message.spec);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return CreateActorRequest;
        })();

        v1.ActorInfo = (function() {

            /**
             * Properties of an ActorInfo.
             * @typedef {Object} palimpsest.v1.ActorInfo.$Properties
             * @property {palimpsest.v1.ActorSpec.$Properties|null} [spec] ActorInfo spec
             * @property {palimpsest.v1.ActorState|null} [state] ActorInfo state
             * @property {string|null} [nodeId] ActorInfo nodeId
             * @property {string|null} [address] ActorInfo address
             * @property {number|null} [pid] ActorInfo pid
             * @property {number|null} [incarnation] ActorInfo incarnation
             * @property {palimpsest.v1.DeathCertificate.$Properties|null} [certificate] ActorInfo certificate
             * @property {string|null} [pendingReason] ActorInfo pendingReason
             * @property {number|null} [createdAtMs] ActorInfo createdAtMs
             * @property {string|null} [metricsAddress] ActorInfo metricsAddress
             * @property {number|null} [restarts] ActorInfo restarts
             * @property {palimpsest.v1.Error.$Properties|null} [constructorError] ActorInfo constructorError
             * @property {number|null} [startFailures] ActorInfo startFailures
             * @property {number|null} [startFailingSinceMs] ActorInfo startFailingSinceMs
             * @property {Array.<string>|null} [lostStartNodeIds] ActorInfo lostStartNodeIds
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorInfo.
             * @memberof palimpsest.v1
             * @interface IActorInfo
             * @augments palimpsest.v1.ActorInfo.$Properties
             * @deprecated Use palimpsest.v1.ActorInfo.$Properties instead.
             */

            /**
             * Shape of an ActorInfo.
             * @typedef {{
             *   spec?: palimpsest.v1.ActorSpec.$Shape|null;
             *   state?: palimpsest.v1.ActorState|null;
             *   nodeId?: string|null;
             *   address?: string|null;
             *   pid?: number|null;
             *   incarnation?: number|null;
             *   certificate?: palimpsest.v1.DeathCertificate.$Shape|null;
             *   pendingReason?: string|null;
             *   createdAtMs?: number|null;
             *   metricsAddress?: string|null;
             *   restarts?: number|null;
             *   constructorError?: palimpsest.v1.Error.$Shape|null;
             *   startFailures?: number|null;
             *   startFailingSinceMs?: number|null;
             *   lostStartNodeIds?: Array.<string>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ActorInfo.$Shape
             */

            /**
             * Constructs a new ActorInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorInfo.
             * @constructor
             * @param {palimpsest.v1.ActorInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorInfo = function (properties) {
                this.lostStartNodeIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorInfo spec.
             * @member {palimpsest.v1.ActorSpec.$Properties|null|undefined} spec
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.spec = null;

            /**
             * ActorInfo state.
             * @member {palimpsest.v1.ActorState} state
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.state = 0;

            /**
             * ActorInfo nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.nodeId = "";

            /**
             * ActorInfo address.
             * @member {string} address
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.address = "";

            /**
             * ActorInfo pid.
             * @member {number} pid
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.pid = 0;

            /**
             * ActorInfo incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.incarnation = 0;

            /**
             * ActorInfo certificate.
             * @member {palimpsest.v1.DeathCertificate.$Properties|null|undefined} certificate
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.certificate = null;

            /**
             * ActorInfo pendingReason.
             * @member {string} pendingReason
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.pendingReason = "";

            /**
             * ActorInfo createdAtMs.
             * @member {number} createdAtMs
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.createdAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ActorInfo metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.metricsAddress = "";

            /**
             * ActorInfo restarts.
             * @member {number} restarts
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.restarts = 0;

            /**
             * ActorInfo constructorError.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} constructorError
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.constructorError = null;

            /**
             * ActorInfo startFailures.
             * @member {number} startFailures
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.startFailures = 0;

            /**
             * ActorInfo startFailingSinceMs.
             * @member {number} startFailingSinceMs
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.startFailingSinceMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ActorInfo lostStartNodeIds.
             * @member {Array.<string>} lostStartNodeIds
             * @memberof palimpsest.v1.ActorInfo
             * @instance
             */
            ActorInfo.prototype.lostStartNodeIds = $util.emptyArray;

            /**
             * Creates a new ActorInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorInfo
             * @static
             * @param {palimpsest.v1.ActorInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorInfo} ActorInfo instance
             * @type {{
             *   (properties: palimpsest.v1.ActorInfo.$Shape): palimpsest.v1.ActorInfo & palimpsest.v1.ActorInfo.$Shape;
             *   (properties?: palimpsest.v1.ActorInfo.$Properties): palimpsest.v1.ActorInfo;
             * }}
             */
            ActorInfo.create = function(properties) {
                return new ActorInfo(properties);
            };

            /**
             * Encodes the specified ActorInfo message. Does not implicitly {@link palimpsest.v1.ActorInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorInfo
             * @static
             * @param {palimpsest.v1.ActorInfo.$Properties} message ActorInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.spec != null && $Object.hasOwnProperty.call(message, "spec"))
                    $root.palimpsest.v1.ActorSpec.encode(message.spec, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.state);
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.nodeId);
                if (message.address != null && $Object.hasOwnProperty.call(message, "address") && message.address !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.address);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 5, wireType 0 =*/40).int32(message.pid);
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.incarnation);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate"))
                    $root.palimpsest.v1.DeathCertificate.encode(message.certificate, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.pendingReason != null && $Object.hasOwnProperty.call(message, "pendingReason") && message.pendingReason !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.pendingReason);
                if (message.createdAtMs != null && $Object.hasOwnProperty.call(message, "createdAtMs") && (typeof message.createdAtMs === "object" ? message.createdAtMs.low || message.createdAtMs.high : message.createdAtMs !== 0))
                    writer.uint32(/* id 9, wireType 0 =*/72).int64(message.createdAtMs);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.metricsAddress);
                if (message.restarts != null && $Object.hasOwnProperty.call(message, "restarts") && message.restarts !== 0)
                    writer.uint32(/* id 11, wireType 0 =*/88).int32(message.restarts);
                if (message.constructorError != null && $Object.hasOwnProperty.call(message, "constructorError"))
                    $root.palimpsest.v1.Error.encode(message.constructorError, writer.uint32(/* id 12, wireType 2 =*/98).fork(), _depth + 1).ldelim();
                if (message.startFailures != null && $Object.hasOwnProperty.call(message, "startFailures") && message.startFailures !== 0)
                    writer.uint32(/* id 13, wireType 0 =*/104).int32(message.startFailures);
                if (message.startFailingSinceMs != null && $Object.hasOwnProperty.call(message, "startFailingSinceMs") && (typeof message.startFailingSinceMs === "object" ? message.startFailingSinceMs.low || message.startFailingSinceMs.high : message.startFailingSinceMs !== 0))
                    writer.uint32(/* id 14, wireType 0 =*/112).int64(message.startFailingSinceMs);
                if (message.lostStartNodeIds != null && message.lostStartNodeIds.length)
                    for (let i = 0; i < message.lostStartNodeIds.length; ++i)
                        writer.uint32(/* id 15, wireType 2 =*/122).string(message.lostStartNodeIds[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorInfo & palimpsest.v1.ActorInfo.$Shape} ActorInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.spec = $root.palimpsest.v1.ActorSpec.decode(reader, reader.size(), $undefined, _depth + 1, message.spec);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.address = value;
                            else
                                delete message.address;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.certificate = $root.palimpsest.v1.DeathCertificate.decode(reader, reader.size(), $undefined, _depth + 1, message.certificate);
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.pendingReason = value;
                            else
                                delete message.pendingReason;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.createdAtMs = value;
                            else
                                delete message.createdAtMs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.restarts = value;
                            else
                                delete message.restarts;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 2)
                                break;
                            message.constructorError = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.constructorError);
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.startFailures = value;
                            else
                                delete message.startFailures;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.startFailingSinceMs = value;
                            else
                                delete message.startFailingSinceMs;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            if (!(message.lostStartNodeIds && message.lostStartNodeIds.length))
                                message.lostStartNodeIds = [];
                            message.lostStartNodeIds.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorInfo;
        })();

        v1.ResolveActorRequest = (function() {

            /**
             * Properties of a ResolveActorRequest.
             * @typedef {Object} palimpsest.v1.ResolveActorRequest.$Properties
             * @property {string|null} [actorId] ResolveActorRequest actorId
             * @property {string|null} [name] ResolveActorRequest name
             * @property {number|null} [knownIncarnation] ResolveActorRequest knownIncarnation
             * @property {number|null} [waitMs] ResolveActorRequest waitMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ResolveActorRequest.
             * @memberof palimpsest.v1
             * @interface IResolveActorRequest
             * @augments palimpsest.v1.ResolveActorRequest.$Properties
             * @deprecated Use palimpsest.v1.ResolveActorRequest.$Properties instead.
             */

            /**
             * Shape of a ResolveActorRequest.
             * @typedef {palimpsest.v1.ResolveActorRequest.$Properties} palimpsest.v1.ResolveActorRequest.$Shape
             */

            /**
             * Constructs a new ResolveActorRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ResolveActorRequest.
             * @constructor
             * @param {palimpsest.v1.ResolveActorRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ResolveActorRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ResolveActorRequest actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.ResolveActorRequest
             * @instance
             */
            ResolveActorRequest.prototype.actorId = "";

            /**
             * ResolveActorRequest name.
             * @member {string} name
             * @memberof palimpsest.v1.ResolveActorRequest
             * @instance
             */
            ResolveActorRequest.prototype.name = "";

            /**
             * ResolveActorRequest knownIncarnation.
             * @member {number} knownIncarnation
             * @memberof palimpsest.v1.ResolveActorRequest
             * @instance
             */
            ResolveActorRequest.prototype.knownIncarnation = 0;

            /**
             * ResolveActorRequest waitMs.
             * @member {number} waitMs
             * @memberof palimpsest.v1.ResolveActorRequest
             * @instance
             */
            ResolveActorRequest.prototype.waitMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new ResolveActorRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ResolveActorRequest
             * @static
             * @param {palimpsest.v1.ResolveActorRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ResolveActorRequest} ResolveActorRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ResolveActorRequest.$Shape): palimpsest.v1.ResolveActorRequest & palimpsest.v1.ResolveActorRequest.$Shape;
             *   (properties?: palimpsest.v1.ResolveActorRequest.$Properties): palimpsest.v1.ResolveActorRequest;
             * }}
             */
            ResolveActorRequest.create = function(properties) {
                return new ResolveActorRequest(properties);
            };

            /**
             * Encodes the specified ResolveActorRequest message. Does not implicitly {@link palimpsest.v1.ResolveActorRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ResolveActorRequest
             * @static
             * @param {palimpsest.v1.ResolveActorRequest.$Properties} message ResolveActorRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ResolveActorRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.knownIncarnation != null && $Object.hasOwnProperty.call(message, "knownIncarnation") && message.knownIncarnation !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.knownIncarnation);
                if (message.waitMs != null && $Object.hasOwnProperty.call(message, "waitMs") && (typeof message.waitMs === "object" ? message.waitMs.low || message.waitMs.high : message.waitMs !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.waitMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ResolveActorRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ResolveActorRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ResolveActorRequest & palimpsest.v1.ResolveActorRequest.$Shape} ResolveActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ResolveActorRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ResolveActorRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.knownIncarnation = value;
                            else
                                delete message.knownIncarnation;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.waitMs = value;
                            else
                                delete message.waitMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ResolveActorRequest;
        })();

        v1.KillActorRequest = (function() {

            /**
             * Properties of a KillActorRequest.
             * @typedef {Object} palimpsest.v1.KillActorRequest.$Properties
             * @property {string|null} [actorId] KillActorRequest actorId
             * @property {boolean|null} [noRestart] KillActorRequest noRestart
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a KillActorRequest.
             * @memberof palimpsest.v1
             * @interface IKillActorRequest
             * @augments palimpsest.v1.KillActorRequest.$Properties
             * @deprecated Use palimpsest.v1.KillActorRequest.$Properties instead.
             */

            /**
             * Shape of a KillActorRequest.
             * @typedef {palimpsest.v1.KillActorRequest.$Properties} palimpsest.v1.KillActorRequest.$Shape
             */

            /**
             * Constructs a new KillActorRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a KillActorRequest.
             * @constructor
             * @param {palimpsest.v1.KillActorRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const KillActorRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * KillActorRequest actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.KillActorRequest
             * @instance
             */
            KillActorRequest.prototype.actorId = "";

            /**
             * KillActorRequest noRestart.
             * @member {boolean} noRestart
             * @memberof palimpsest.v1.KillActorRequest
             * @instance
             */
            KillActorRequest.prototype.noRestart = false;

            /**
             * Creates a new KillActorRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.KillActorRequest
             * @static
             * @param {palimpsest.v1.KillActorRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.KillActorRequest} KillActorRequest instance
             * @type {{
             *   (properties: palimpsest.v1.KillActorRequest.$Shape): palimpsest.v1.KillActorRequest & palimpsest.v1.KillActorRequest.$Shape;
             *   (properties?: palimpsest.v1.KillActorRequest.$Properties): palimpsest.v1.KillActorRequest;
             * }}
             */
            KillActorRequest.create = function(properties) {
                return new KillActorRequest(properties);
            };

            /**
             * Encodes the specified KillActorRequest message. Does not implicitly {@link palimpsest.v1.KillActorRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.KillActorRequest
             * @static
             * @param {palimpsest.v1.KillActorRequest.$Properties} message KillActorRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            KillActorRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.noRestart != null && $Object.hasOwnProperty.call(message, "noRestart") && message.noRestart !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.noRestart);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a KillActorRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.KillActorRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.KillActorRequest & palimpsest.v1.KillActorRequest.$Shape} KillActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            KillActorRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.KillActorRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.noRestart = value;
                            else
                                delete message.noRestart;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return KillActorRequest;
        })();

        v1.ListActorsRequest = (function() {

            /**
             * Properties of a ListActorsRequest.
             * @typedef {Object} palimpsest.v1.ListActorsRequest.$Properties
             * @property {boolean|null} [includeDead] ListActorsRequest includeDead
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListActorsRequest.
             * @memberof palimpsest.v1
             * @interface IListActorsRequest
             * @augments palimpsest.v1.ListActorsRequest.$Properties
             * @deprecated Use palimpsest.v1.ListActorsRequest.$Properties instead.
             */

            /**
             * Shape of a ListActorsRequest.
             * @typedef {palimpsest.v1.ListActorsRequest.$Properties} palimpsest.v1.ListActorsRequest.$Shape
             */

            /**
             * Constructs a new ListActorsRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListActorsRequest.
             * @constructor
             * @param {palimpsest.v1.ListActorsRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListActorsRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListActorsRequest includeDead.
             * @member {boolean} includeDead
             * @memberof palimpsest.v1.ListActorsRequest
             * @instance
             */
            ListActorsRequest.prototype.includeDead = false;

            /**
             * Creates a new ListActorsRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListActorsRequest
             * @static
             * @param {palimpsest.v1.ListActorsRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListActorsRequest} ListActorsRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ListActorsRequest.$Shape): palimpsest.v1.ListActorsRequest & palimpsest.v1.ListActorsRequest.$Shape;
             *   (properties?: palimpsest.v1.ListActorsRequest.$Properties): palimpsest.v1.ListActorsRequest;
             * }}
             */
            ListActorsRequest.create = function(properties) {
                return new ListActorsRequest(properties);
            };

            /**
             * Encodes the specified ListActorsRequest message. Does not implicitly {@link palimpsest.v1.ListActorsRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListActorsRequest
             * @static
             * @param {palimpsest.v1.ListActorsRequest.$Properties} message ListActorsRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListActorsRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.includeDead != null && $Object.hasOwnProperty.call(message, "includeDead") && message.includeDead !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.includeDead);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListActorsRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListActorsRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListActorsRequest & palimpsest.v1.ListActorsRequest.$Shape} ListActorsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListActorsRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListActorsRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.includeDead = value;
                            else
                                delete message.includeDead;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListActorsRequest;
        })();

        v1.ListActorsResponse = (function() {

            /**
             * Properties of a ListActorsResponse.
             * @typedef {Object} palimpsest.v1.ListActorsResponse.$Properties
             * @property {Array.<palimpsest.v1.ActorInfo.$Properties>|null} [actors] ListActorsResponse actors
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListActorsResponse.
             * @memberof palimpsest.v1
             * @interface IListActorsResponse
             * @augments palimpsest.v1.ListActorsResponse.$Properties
             * @deprecated Use palimpsest.v1.ListActorsResponse.$Properties instead.
             */

            /**
             * Shape of a ListActorsResponse.
             * @typedef {{
             *   actors?: Array.<palimpsest.v1.ActorInfo.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ListActorsResponse.$Shape
             */

            /**
             * Constructs a new ListActorsResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListActorsResponse.
             * @constructor
             * @param {palimpsest.v1.ListActorsResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListActorsResponse = function (properties) {
                this.actors = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListActorsResponse actors.
             * @member {Array.<palimpsest.v1.ActorInfo.$Properties>} actors
             * @memberof palimpsest.v1.ListActorsResponse
             * @instance
             */
            ListActorsResponse.prototype.actors = $util.emptyArray;

            /**
             * Creates a new ListActorsResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListActorsResponse
             * @static
             * @param {palimpsest.v1.ListActorsResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListActorsResponse} ListActorsResponse instance
             * @type {{
             *   (properties: palimpsest.v1.ListActorsResponse.$Shape): palimpsest.v1.ListActorsResponse & palimpsest.v1.ListActorsResponse.$Shape;
             *   (properties?: palimpsest.v1.ListActorsResponse.$Properties): palimpsest.v1.ListActorsResponse;
             * }}
             */
            ListActorsResponse.create = function(properties) {
                return new ListActorsResponse(properties);
            };

            /**
             * Encodes the specified ListActorsResponse message. Does not implicitly {@link palimpsest.v1.ListActorsResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListActorsResponse
             * @static
             * @param {palimpsest.v1.ListActorsResponse.$Properties} message ListActorsResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListActorsResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actors != null && message.actors.length)
                    for (let i = 0; i < message.actors.length; ++i)
                        $root.palimpsest.v1.ActorInfo.encode(message.actors[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListActorsResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListActorsResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListActorsResponse & palimpsest.v1.ListActorsResponse.$Shape} ListActorsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListActorsResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListActorsResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.actors && message.actors.length))
                                message.actors = [];
                            message.actors.push($root.palimpsest.v1.ActorInfo.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListActorsResponse;
        })();

        /**
         * NodeState enum.
         * @name palimpsest.v1.NodeState
         * @enum {number}
         * @property {number} NODE_STATE_UNSPECIFIED=0 NODE_STATE_UNSPECIFIED value
         * @property {number} NODE_STATE_ALIVE=1 NODE_STATE_ALIVE value
         * @property {number} NODE_STATE_SUSPECT=2 NODE_STATE_SUSPECT value
         * @property {number} NODE_STATE_DEAD=3 NODE_STATE_DEAD value
         */
        v1.NodeState = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "NODE_STATE_UNSPECIFIED"] = 0;
            values[valuesById[1] = "NODE_STATE_ALIVE"] = 1;
            values[valuesById[2] = "NODE_STATE_SUSPECT"] = 2;
            values[valuesById[3] = "NODE_STATE_DEAD"] = 3;
            return values;
        })();

        v1.NodeInfo = (function() {

            /**
             * Properties of a NodeInfo.
             * @typedef {Object} palimpsest.v1.NodeInfo.$Properties
             * @property {string|null} [nodeId] NodeInfo nodeId
             * @property {string|null} [hostname] NodeInfo hostname
             * @property {number|null} [pid] NodeInfo pid
             * @property {palimpsest.v1.NodeState|null} [state] NodeInfo state
             * @property {palimpsest.v1.Resources.$Properties|null} [total] NodeInfo total
             * @property {palimpsest.v1.Resources.$Properties|null} [available] NodeInfo available
             * @property {Object.<string,string>|null} [labels] NodeInfo labels
             * @property {string|null} [objectsAddress] NodeInfo objectsAddress
             * @property {string|null} [metricsAddress] NodeInfo metricsAddress
             * @property {number|null} [joinedAtMs] NodeInfo joinedAtMs
             * @property {number|null} [lastHeartbeatMs] NodeInfo lastHeartbeatMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a NodeInfo.
             * @memberof palimpsest.v1
             * @interface INodeInfo
             * @augments palimpsest.v1.NodeInfo.$Properties
             * @deprecated Use palimpsest.v1.NodeInfo.$Properties instead.
             */

            /**
             * Shape of a NodeInfo.
             * @typedef {palimpsest.v1.NodeInfo.$Properties} palimpsest.v1.NodeInfo.$Shape
             */

            /**
             * Constructs a new NodeInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents a NodeInfo.
             * @constructor
             * @param {palimpsest.v1.NodeInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const NodeInfo = function (properties) {
                this.labels = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * NodeInfo nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.nodeId = "";

            /**
             * NodeInfo hostname.
             * @member {string} hostname
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.hostname = "";

            /**
             * NodeInfo pid.
             * @member {number} pid
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.pid = 0;

            /**
             * NodeInfo state.
             * @member {palimpsest.v1.NodeState} state
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.state = 0;

            /**
             * NodeInfo total.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} total
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.total = null;

            /**
             * NodeInfo available.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} available
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.available = null;

            /**
             * NodeInfo labels.
             * @member {Object.<string,string>} labels
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.labels = $util.emptyObject;

            /**
             * NodeInfo objectsAddress.
             * @member {string} objectsAddress
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.objectsAddress = "";

            /**
             * NodeInfo metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.metricsAddress = "";

            /**
             * NodeInfo joinedAtMs.
             * @member {number} joinedAtMs
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.joinedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * NodeInfo lastHeartbeatMs.
             * @member {number} lastHeartbeatMs
             * @memberof palimpsest.v1.NodeInfo
             * @instance
             */
            NodeInfo.prototype.lastHeartbeatMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new NodeInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.NodeInfo
             * @static
             * @param {palimpsest.v1.NodeInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.NodeInfo} NodeInfo instance
             * @type {{
             *   (properties: palimpsest.v1.NodeInfo.$Shape): palimpsest.v1.NodeInfo & palimpsest.v1.NodeInfo.$Shape;
             *   (properties?: palimpsest.v1.NodeInfo.$Properties): palimpsest.v1.NodeInfo;
             * }}
             */
            NodeInfo.create = function(properties) {
                return new NodeInfo(properties);
            };

            /**
             * Encodes the specified NodeInfo message. Does not implicitly {@link palimpsest.v1.NodeInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.NodeInfo
             * @static
             * @param {palimpsest.v1.NodeInfo.$Properties} message NodeInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            NodeInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.nodeId);
                if (message.hostname != null && $Object.hasOwnProperty.call(message, "hostname") && message.hostname !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.hostname);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.pid);
                if (message.state != null && $Object.hasOwnProperty.call(message, "state") && message.state !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).int32(message.state);
                if (message.total != null && $Object.hasOwnProperty.call(message, "total"))
                    $root.palimpsest.v1.Resources.encode(message.total, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.available != null && $Object.hasOwnProperty.call(message, "available"))
                    $root.palimpsest.v1.Resources.encode(message.available, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.labels != null && $Object.hasOwnProperty.call(message, "labels"))
                    for (let keys = $Object.keys(message.labels), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 7, wireType 2 =*/58).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.labels[keys[i]]).ldelim();
                if (message.objectsAddress != null && $Object.hasOwnProperty.call(message, "objectsAddress") && message.objectsAddress !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.objectsAddress);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.metricsAddress);
                if (message.joinedAtMs != null && $Object.hasOwnProperty.call(message, "joinedAtMs") && (typeof message.joinedAtMs === "object" ? message.joinedAtMs.low || message.joinedAtMs.high : message.joinedAtMs !== 0))
                    writer.uint32(/* id 10, wireType 0 =*/80).int64(message.joinedAtMs);
                if (message.lastHeartbeatMs != null && $Object.hasOwnProperty.call(message, "lastHeartbeatMs") && (typeof message.lastHeartbeatMs === "object" ? message.lastHeartbeatMs.low || message.lastHeartbeatMs.high : message.lastHeartbeatMs !== 0))
                    writer.uint32(/* id 11, wireType 0 =*/88).int64(message.lastHeartbeatMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a NodeInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.NodeInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeInfo & palimpsest.v1.NodeInfo.$Shape} NodeInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            NodeInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.NodeInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.hostname = value;
                            else
                                delete message.hostname;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.state = value;
                            else
                                delete message.state;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.total = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.total);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.available = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.available);
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (message.labels === $util.emptyObject)
                                message.labels = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.labels, key);
                            message.labels[key] = value;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectsAddress = value;
                            else
                                delete message.objectsAddress;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.joinedAtMs = value;
                            else
                                delete message.joinedAtMs;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.lastHeartbeatMs = value;
                            else
                                delete message.lastHeartbeatMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return NodeInfo;
        })();

        v1.ListNodesRequest = (function() {

            /**
             * Properties of a ListNodesRequest.
             * @typedef {Object} palimpsest.v1.ListNodesRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListNodesRequest.
             * @memberof palimpsest.v1
             * @interface IListNodesRequest
             * @augments palimpsest.v1.ListNodesRequest.$Properties
             * @deprecated Use palimpsest.v1.ListNodesRequest.$Properties instead.
             */

            /**
             * Shape of a ListNodesRequest.
             * @typedef {palimpsest.v1.ListNodesRequest.$Properties} palimpsest.v1.ListNodesRequest.$Shape
             */

            /**
             * Constructs a new ListNodesRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListNodesRequest.
             * @constructor
             * @param {palimpsest.v1.ListNodesRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListNodesRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new ListNodesRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListNodesRequest
             * @static
             * @param {palimpsest.v1.ListNodesRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListNodesRequest} ListNodesRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ListNodesRequest.$Shape): palimpsest.v1.ListNodesRequest & palimpsest.v1.ListNodesRequest.$Shape;
             *   (properties?: palimpsest.v1.ListNodesRequest.$Properties): palimpsest.v1.ListNodesRequest;
             * }}
             */
            ListNodesRequest.create = function(properties) {
                return new ListNodesRequest(properties);
            };

            /**
             * Encodes the specified ListNodesRequest message. Does not implicitly {@link palimpsest.v1.ListNodesRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListNodesRequest
             * @static
             * @param {palimpsest.v1.ListNodesRequest.$Properties} message ListNodesRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListNodesRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListNodesRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListNodesRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListNodesRequest & palimpsest.v1.ListNodesRequest.$Shape} ListNodesRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListNodesRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListNodesRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListNodesRequest;
        })();

        v1.ListNodesResponse = (function() {

            /**
             * Properties of a ListNodesResponse.
             * @typedef {Object} palimpsest.v1.ListNodesResponse.$Properties
             * @property {Array.<palimpsest.v1.NodeInfo.$Properties>|null} [nodes] ListNodesResponse nodes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListNodesResponse.
             * @memberof palimpsest.v1
             * @interface IListNodesResponse
             * @augments palimpsest.v1.ListNodesResponse.$Properties
             * @deprecated Use palimpsest.v1.ListNodesResponse.$Properties instead.
             */

            /**
             * Shape of a ListNodesResponse.
             * @typedef {palimpsest.v1.ListNodesResponse.$Properties} palimpsest.v1.ListNodesResponse.$Shape
             */

            /**
             * Constructs a new ListNodesResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListNodesResponse.
             * @constructor
             * @param {palimpsest.v1.ListNodesResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListNodesResponse = function (properties) {
                this.nodes = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListNodesResponse nodes.
             * @member {Array.<palimpsest.v1.NodeInfo.$Properties>} nodes
             * @memberof palimpsest.v1.ListNodesResponse
             * @instance
             */
            ListNodesResponse.prototype.nodes = $util.emptyArray;

            /**
             * Creates a new ListNodesResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListNodesResponse
             * @static
             * @param {palimpsest.v1.ListNodesResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListNodesResponse} ListNodesResponse instance
             * @type {{
             *   (properties: palimpsest.v1.ListNodesResponse.$Shape): palimpsest.v1.ListNodesResponse & palimpsest.v1.ListNodesResponse.$Shape;
             *   (properties?: palimpsest.v1.ListNodesResponse.$Properties): palimpsest.v1.ListNodesResponse;
             * }}
             */
            ListNodesResponse.create = function(properties) {
                return new ListNodesResponse(properties);
            };

            /**
             * Encodes the specified ListNodesResponse message. Does not implicitly {@link palimpsest.v1.ListNodesResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListNodesResponse
             * @static
             * @param {palimpsest.v1.ListNodesResponse.$Properties} message ListNodesResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListNodesResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.nodes != null && message.nodes.length)
                    for (let i = 0; i < message.nodes.length; ++i)
                        $root.palimpsest.v1.NodeInfo.encode(message.nodes[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListNodesResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListNodesResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListNodesResponse & palimpsest.v1.ListNodesResponse.$Shape} ListNodesResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListNodesResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListNodesResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.nodes && message.nodes.length))
                                message.nodes = [];
                            message.nodes.push($root.palimpsest.v1.NodeInfo.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListNodesResponse;
        })();

        v1.ListQueuesRequest = (function() {

            /**
             * Properties of a ListQueuesRequest.
             * @typedef {Object} palimpsest.v1.ListQueuesRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListQueuesRequest.
             * @memberof palimpsest.v1
             * @interface IListQueuesRequest
             * @augments palimpsest.v1.ListQueuesRequest.$Properties
             * @deprecated Use palimpsest.v1.ListQueuesRequest.$Properties instead.
             */

            /**
             * Shape of a ListQueuesRequest.
             * @typedef {palimpsest.v1.ListQueuesRequest.$Properties} palimpsest.v1.ListQueuesRequest.$Shape
             */

            /**
             * Constructs a new ListQueuesRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListQueuesRequest.
             * @constructor
             * @param {palimpsest.v1.ListQueuesRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListQueuesRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new ListQueuesRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListQueuesRequest
             * @static
             * @param {palimpsest.v1.ListQueuesRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListQueuesRequest} ListQueuesRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ListQueuesRequest.$Shape): palimpsest.v1.ListQueuesRequest & palimpsest.v1.ListQueuesRequest.$Shape;
             *   (properties?: palimpsest.v1.ListQueuesRequest.$Properties): palimpsest.v1.ListQueuesRequest;
             * }}
             */
            ListQueuesRequest.create = function(properties) {
                return new ListQueuesRequest(properties);
            };

            /**
             * Encodes the specified ListQueuesRequest message. Does not implicitly {@link palimpsest.v1.ListQueuesRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListQueuesRequest
             * @static
             * @param {palimpsest.v1.ListQueuesRequest.$Properties} message ListQueuesRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListQueuesRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListQueuesRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListQueuesRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListQueuesRequest & palimpsest.v1.ListQueuesRequest.$Shape} ListQueuesRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListQueuesRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListQueuesRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListQueuesRequest;
        })();

        v1.QueueInfo = (function() {

            /**
             * Properties of a QueueInfo.
             * @typedef {Object} palimpsest.v1.QueueInfo.$Properties
             * @property {string|null} [name] QueueInfo name
             * @property {number|null} [waiting] QueueInfo waiting
             * @property {number|null} [active] QueueInfo active
             * @property {number|null} [waitingChildren] QueueInfo waitingChildren
             * @property {number|null} [delayed] QueueInfo delayed
             * @property {number|null} [failed] QueueInfo failed
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a QueueInfo.
             * @memberof palimpsest.v1
             * @interface IQueueInfo
             * @augments palimpsest.v1.QueueInfo.$Properties
             * @deprecated Use palimpsest.v1.QueueInfo.$Properties instead.
             */

            /**
             * Shape of a QueueInfo.
             * @typedef {palimpsest.v1.QueueInfo.$Properties} palimpsest.v1.QueueInfo.$Shape
             */

            /**
             * Constructs a new QueueInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents a QueueInfo.
             * @constructor
             * @param {palimpsest.v1.QueueInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const QueueInfo = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * QueueInfo name.
             * @member {string} name
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.name = "";

            /**
             * QueueInfo waiting.
             * @member {number} waiting
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.waiting = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * QueueInfo active.
             * @member {number} active
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.active = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * QueueInfo waitingChildren.
             * @member {number} waitingChildren
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.waitingChildren = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * QueueInfo delayed.
             * @member {number} delayed
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.delayed = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * QueueInfo failed.
             * @member {number} failed
             * @memberof palimpsest.v1.QueueInfo
             * @instance
             */
            QueueInfo.prototype.failed = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new QueueInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.QueueInfo
             * @static
             * @param {palimpsest.v1.QueueInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.QueueInfo} QueueInfo instance
             * @type {{
             *   (properties: palimpsest.v1.QueueInfo.$Shape): palimpsest.v1.QueueInfo & palimpsest.v1.QueueInfo.$Shape;
             *   (properties?: palimpsest.v1.QueueInfo.$Properties): palimpsest.v1.QueueInfo;
             * }}
             */
            QueueInfo.create = function(properties) {
                return new QueueInfo(properties);
            };

            /**
             * Encodes the specified QueueInfo message. Does not implicitly {@link palimpsest.v1.QueueInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.QueueInfo
             * @static
             * @param {palimpsest.v1.QueueInfo.$Properties} message QueueInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            QueueInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.waiting != null && $Object.hasOwnProperty.call(message, "waiting") && (typeof message.waiting === "object" ? message.waiting.low || message.waiting.high : message.waiting !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.waiting);
                if (message.active != null && $Object.hasOwnProperty.call(message, "active") && (typeof message.active === "object" ? message.active.low || message.active.high : message.active !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.active);
                if (message.waitingChildren != null && $Object.hasOwnProperty.call(message, "waitingChildren") && (typeof message.waitingChildren === "object" ? message.waitingChildren.low || message.waitingChildren.high : message.waitingChildren !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.waitingChildren);
                if (message.delayed != null && $Object.hasOwnProperty.call(message, "delayed") && (typeof message.delayed === "object" ? message.delayed.low || message.delayed.high : message.delayed !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.delayed);
                if (message.failed != null && $Object.hasOwnProperty.call(message, "failed") && (typeof message.failed === "object" ? message.failed.low || message.failed.high : message.failed !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).int64(message.failed);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a QueueInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.QueueInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.QueueInfo & palimpsest.v1.QueueInfo.$Shape} QueueInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            QueueInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.QueueInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.waiting = value;
                            else
                                delete message.waiting;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.active = value;
                            else
                                delete message.active;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.waitingChildren = value;
                            else
                                delete message.waitingChildren;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.delayed = value;
                            else
                                delete message.delayed;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.failed = value;
                            else
                                delete message.failed;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return QueueInfo;
        })();

        v1.ListQueuesResponse = (function() {

            /**
             * Properties of a ListQueuesResponse.
             * @typedef {Object} palimpsest.v1.ListQueuesResponse.$Properties
             * @property {Array.<palimpsest.v1.QueueInfo.$Properties>|null} [queues] ListQueuesResponse queues
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListQueuesResponse.
             * @memberof palimpsest.v1
             * @interface IListQueuesResponse
             * @augments palimpsest.v1.ListQueuesResponse.$Properties
             * @deprecated Use palimpsest.v1.ListQueuesResponse.$Properties instead.
             */

            /**
             * Shape of a ListQueuesResponse.
             * @typedef {palimpsest.v1.ListQueuesResponse.$Properties} palimpsest.v1.ListQueuesResponse.$Shape
             */

            /**
             * Constructs a new ListQueuesResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListQueuesResponse.
             * @constructor
             * @param {palimpsest.v1.ListQueuesResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListQueuesResponse = function (properties) {
                this.queues = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListQueuesResponse queues.
             * @member {Array.<palimpsest.v1.QueueInfo.$Properties>} queues
             * @memberof palimpsest.v1.ListQueuesResponse
             * @instance
             */
            ListQueuesResponse.prototype.queues = $util.emptyArray;

            /**
             * Creates a new ListQueuesResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListQueuesResponse
             * @static
             * @param {palimpsest.v1.ListQueuesResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListQueuesResponse} ListQueuesResponse instance
             * @type {{
             *   (properties: palimpsest.v1.ListQueuesResponse.$Shape): palimpsest.v1.ListQueuesResponse & palimpsest.v1.ListQueuesResponse.$Shape;
             *   (properties?: palimpsest.v1.ListQueuesResponse.$Properties): palimpsest.v1.ListQueuesResponse;
             * }}
             */
            ListQueuesResponse.create = function(properties) {
                return new ListQueuesResponse(properties);
            };

            /**
             * Encodes the specified ListQueuesResponse message. Does not implicitly {@link palimpsest.v1.ListQueuesResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListQueuesResponse
             * @static
             * @param {palimpsest.v1.ListQueuesResponse.$Properties} message ListQueuesResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListQueuesResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.queues != null && message.queues.length)
                    for (let i = 0; i < message.queues.length; ++i)
                        $root.palimpsest.v1.QueueInfo.encode(message.queues[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListQueuesResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListQueuesResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListQueuesResponse & palimpsest.v1.ListQueuesResponse.$Shape} ListQueuesResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListQueuesResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListQueuesResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.queues && message.queues.length))
                                message.queues = [];
                            message.queues.push($root.palimpsest.v1.QueueInfo.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListQueuesResponse;
        })();

        v1.ShutdownRequest = (function() {

            /**
             * Properties of a ShutdownRequest.
             * @typedef {Object} palimpsest.v1.ShutdownRequest.$Properties
             * @property {boolean|null} [all] ShutdownRequest all
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ShutdownRequest.
             * @memberof palimpsest.v1
             * @interface IShutdownRequest
             * @augments palimpsest.v1.ShutdownRequest.$Properties
             * @deprecated Use palimpsest.v1.ShutdownRequest.$Properties instead.
             */

            /**
             * Shape of a ShutdownRequest.
             * @typedef {palimpsest.v1.ShutdownRequest.$Properties} palimpsest.v1.ShutdownRequest.$Shape
             */

            /**
             * Constructs a new ShutdownRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ShutdownRequest.
             * @constructor
             * @param {palimpsest.v1.ShutdownRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ShutdownRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ShutdownRequest all.
             * @member {boolean} all
             * @memberof palimpsest.v1.ShutdownRequest
             * @instance
             */
            ShutdownRequest.prototype.all = false;

            /**
             * Creates a new ShutdownRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ShutdownRequest
             * @static
             * @param {palimpsest.v1.ShutdownRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ShutdownRequest} ShutdownRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ShutdownRequest.$Shape): palimpsest.v1.ShutdownRequest & palimpsest.v1.ShutdownRequest.$Shape;
             *   (properties?: palimpsest.v1.ShutdownRequest.$Properties): palimpsest.v1.ShutdownRequest;
             * }}
             */
            ShutdownRequest.create = function(properties) {
                return new ShutdownRequest(properties);
            };

            /**
             * Encodes the specified ShutdownRequest message. Does not implicitly {@link palimpsest.v1.ShutdownRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ShutdownRequest
             * @static
             * @param {palimpsest.v1.ShutdownRequest.$Properties} message ShutdownRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ShutdownRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.all != null && $Object.hasOwnProperty.call(message, "all") && message.all !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.all);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ShutdownRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ShutdownRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ShutdownRequest & palimpsest.v1.ShutdownRequest.$Shape} ShutdownRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ShutdownRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ShutdownRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.all = value;
                            else
                                delete message.all;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ShutdownRequest;
        })();

        v1.ShutdownResponse = (function() {

            /**
             * Properties of a ShutdownResponse.
             * @typedef {Object} palimpsest.v1.ShutdownResponse.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ShutdownResponse.
             * @memberof palimpsest.v1
             * @interface IShutdownResponse
             * @augments palimpsest.v1.ShutdownResponse.$Properties
             * @deprecated Use palimpsest.v1.ShutdownResponse.$Properties instead.
             */

            /**
             * Shape of a ShutdownResponse.
             * @typedef {palimpsest.v1.ShutdownResponse.$Properties} palimpsest.v1.ShutdownResponse.$Shape
             */

            /**
             * Constructs a new ShutdownResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a ShutdownResponse.
             * @constructor
             * @param {palimpsest.v1.ShutdownResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ShutdownResponse = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new ShutdownResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ShutdownResponse
             * @static
             * @param {palimpsest.v1.ShutdownResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ShutdownResponse} ShutdownResponse instance
             * @type {{
             *   (properties: palimpsest.v1.ShutdownResponse.$Shape): palimpsest.v1.ShutdownResponse & palimpsest.v1.ShutdownResponse.$Shape;
             *   (properties?: palimpsest.v1.ShutdownResponse.$Properties): palimpsest.v1.ShutdownResponse;
             * }}
             */
            ShutdownResponse.create = function(properties) {
                return new ShutdownResponse(properties);
            };

            /**
             * Encodes the specified ShutdownResponse message. Does not implicitly {@link palimpsest.v1.ShutdownResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ShutdownResponse
             * @static
             * @param {palimpsest.v1.ShutdownResponse.$Properties} message ShutdownResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ShutdownResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ShutdownResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ShutdownResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ShutdownResponse & palimpsest.v1.ShutdownResponse.$Shape} ShutdownResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ShutdownResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ShutdownResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ShutdownResponse;
        })();

        v1.BundleChunk = (function() {

            /**
             * Properties of a BundleChunk.
             * @typedef {Object} palimpsest.v1.BundleChunk.$Properties
             * @property {Uint8Array|null} [data] BundleChunk data
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a BundleChunk.
             * @memberof palimpsest.v1
             * @interface IBundleChunk
             * @augments palimpsest.v1.BundleChunk.$Properties
             * @deprecated Use palimpsest.v1.BundleChunk.$Properties instead.
             */

            /**
             * Shape of a BundleChunk.
             * @typedef {palimpsest.v1.BundleChunk.$Properties} palimpsest.v1.BundleChunk.$Shape
             */

            /**
             * Constructs a new BundleChunk.
             * @memberof palimpsest.v1
             * @classdesc Represents a BundleChunk.
             * @constructor
             * @param {palimpsest.v1.BundleChunk.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const BundleChunk = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * BundleChunk data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.BundleChunk
             * @instance
             */
            BundleChunk.prototype.data = $util.newBuffer([]);

            /**
             * Creates a new BundleChunk instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.BundleChunk
             * @static
             * @param {palimpsest.v1.BundleChunk.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.BundleChunk} BundleChunk instance
             * @type {{
             *   (properties: palimpsest.v1.BundleChunk.$Shape): palimpsest.v1.BundleChunk & palimpsest.v1.BundleChunk.$Shape;
             *   (properties?: palimpsest.v1.BundleChunk.$Properties): palimpsest.v1.BundleChunk;
             * }}
             */
            BundleChunk.create = function(properties) {
                return new BundleChunk(properties);
            };

            /**
             * Encodes the specified BundleChunk message. Does not implicitly {@link palimpsest.v1.BundleChunk.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.BundleChunk
             * @static
             * @param {palimpsest.v1.BundleChunk.$Properties} message BundleChunk message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            BundleChunk.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.data);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a BundleChunk message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.BundleChunk
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.BundleChunk & palimpsest.v1.BundleChunk.$Shape} BundleChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            BundleChunk.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.BundleChunk();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return BundleChunk;
        })();

        v1.BundleInfo = (function() {

            /**
             * Properties of a BundleInfo.
             * @typedef {Object} palimpsest.v1.BundleInfo.$Properties
             * @property {string|null} [sha256] BundleInfo sha256
             * @property {number|null} [sizeBytes] BundleInfo sizeBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a BundleInfo.
             * @memberof palimpsest.v1
             * @interface IBundleInfo
             * @augments palimpsest.v1.BundleInfo.$Properties
             * @deprecated Use palimpsest.v1.BundleInfo.$Properties instead.
             */

            /**
             * Shape of a BundleInfo.
             * @typedef {palimpsest.v1.BundleInfo.$Properties} palimpsest.v1.BundleInfo.$Shape
             */

            /**
             * Constructs a new BundleInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents a BundleInfo.
             * @constructor
             * @param {palimpsest.v1.BundleInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const BundleInfo = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * BundleInfo sha256.
             * @member {string} sha256
             * @memberof palimpsest.v1.BundleInfo
             * @instance
             */
            BundleInfo.prototype.sha256 = "";

            /**
             * BundleInfo sizeBytes.
             * @member {number} sizeBytes
             * @memberof palimpsest.v1.BundleInfo
             * @instance
             */
            BundleInfo.prototype.sizeBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new BundleInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.BundleInfo
             * @static
             * @param {palimpsest.v1.BundleInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.BundleInfo} BundleInfo instance
             * @type {{
             *   (properties: palimpsest.v1.BundleInfo.$Shape): palimpsest.v1.BundleInfo & palimpsest.v1.BundleInfo.$Shape;
             *   (properties?: palimpsest.v1.BundleInfo.$Properties): palimpsest.v1.BundleInfo;
             * }}
             */
            BundleInfo.create = function(properties) {
                return new BundleInfo(properties);
            };

            /**
             * Encodes the specified BundleInfo message. Does not implicitly {@link palimpsest.v1.BundleInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.BundleInfo
             * @static
             * @param {palimpsest.v1.BundleInfo.$Properties} message BundleInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            BundleInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sha256 != null && $Object.hasOwnProperty.call(message, "sha256") && message.sha256 !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.sha256);
                if (message.sizeBytes != null && $Object.hasOwnProperty.call(message, "sizeBytes") && (typeof message.sizeBytes === "object" ? message.sizeBytes.low || message.sizeBytes.high : message.sizeBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.sizeBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a BundleInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.BundleInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.BundleInfo & palimpsest.v1.BundleInfo.$Shape} BundleInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            BundleInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.BundleInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sha256 = value;
                            else
                                delete message.sha256;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sizeBytes = value;
                            else
                                delete message.sizeBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return BundleInfo;
        })();

        v1.GetBundleRequest = (function() {

            /**
             * Properties of a GetBundleRequest.
             * @typedef {Object} palimpsest.v1.GetBundleRequest.$Properties
             * @property {string|null} [sha256] GetBundleRequest sha256
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GetBundleRequest.
             * @memberof palimpsest.v1
             * @interface IGetBundleRequest
             * @augments palimpsest.v1.GetBundleRequest.$Properties
             * @deprecated Use palimpsest.v1.GetBundleRequest.$Properties instead.
             */

            /**
             * Shape of a GetBundleRequest.
             * @typedef {palimpsest.v1.GetBundleRequest.$Properties} palimpsest.v1.GetBundleRequest.$Shape
             */

            /**
             * Constructs a new GetBundleRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a GetBundleRequest.
             * @constructor
             * @param {palimpsest.v1.GetBundleRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GetBundleRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * GetBundleRequest sha256.
             * @member {string} sha256
             * @memberof palimpsest.v1.GetBundleRequest
             * @instance
             */
            GetBundleRequest.prototype.sha256 = "";

            /**
             * Creates a new GetBundleRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.GetBundleRequest
             * @static
             * @param {palimpsest.v1.GetBundleRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.GetBundleRequest} GetBundleRequest instance
             * @type {{
             *   (properties: palimpsest.v1.GetBundleRequest.$Shape): palimpsest.v1.GetBundleRequest & palimpsest.v1.GetBundleRequest.$Shape;
             *   (properties?: palimpsest.v1.GetBundleRequest.$Properties): palimpsest.v1.GetBundleRequest;
             * }}
             */
            GetBundleRequest.create = function(properties) {
                return new GetBundleRequest(properties);
            };

            /**
             * Encodes the specified GetBundleRequest message. Does not implicitly {@link palimpsest.v1.GetBundleRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.GetBundleRequest
             * @static
             * @param {palimpsest.v1.GetBundleRequest.$Properties} message GetBundleRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GetBundleRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sha256 != null && $Object.hasOwnProperty.call(message, "sha256") && message.sha256 !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.sha256);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GetBundleRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.GetBundleRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetBundleRequest & palimpsest.v1.GetBundleRequest.$Shape} GetBundleRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GetBundleRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.GetBundleRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.sha256 = value;
                            else
                                delete message.sha256;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return GetBundleRequest;
        })();

        /**
         * JobStatus enum.
         * @name palimpsest.v1.JobStatus
         * @enum {number}
         * @property {number} JOB_STATUS_UNSPECIFIED=0 JOB_STATUS_UNSPECIFIED value
         * @property {number} JOB_STATUS_PENDING=1 JOB_STATUS_PENDING value
         * @property {number} JOB_STATUS_RUNNING=2 JOB_STATUS_RUNNING value
         * @property {number} JOB_STATUS_STOPPED=3 JOB_STATUS_STOPPED value
         * @property {number} JOB_STATUS_SUCCEEDED=4 JOB_STATUS_SUCCEEDED value
         * @property {number} JOB_STATUS_FAILED=5 JOB_STATUS_FAILED value
         */
        v1.JobStatus = (function() {
            const valuesById = $Object.create(null), values = $Object.create(valuesById);
            values[valuesById[0] = "JOB_STATUS_UNSPECIFIED"] = 0;
            values[valuesById[1] = "JOB_STATUS_PENDING"] = 1;
            values[valuesById[2] = "JOB_STATUS_RUNNING"] = 2;
            values[valuesById[3] = "JOB_STATUS_STOPPED"] = 3;
            values[valuesById[4] = "JOB_STATUS_SUCCEEDED"] = 4;
            values[valuesById[5] = "JOB_STATUS_FAILED"] = 5;
            return values;
        })();

        v1.SubmitRequest = (function() {

            /**
             * Properties of a SubmitRequest.
             * @typedef {Object} palimpsest.v1.SubmitRequest.$Properties
             * @property {string|null} [submissionId] SubmitRequest submissionId
             * @property {string|null} [recipe] SubmitRequest recipe
             * @property {string|null} [bundle] SubmitRequest bundle
             * @property {Array.<string>|null} [argv] SubmitRequest argv
             * @property {Object.<string,string>|null} [environment] SubmitRequest environment
             * @property {Object.<string,string>|null} [metadata] SubmitRequest metadata
             * @property {string|null} [name] SubmitRequest name
             * @property {palimpsest.v1.Resources.$Properties|null} [resources] SubmitRequest resources
             * @property {string|null} [workingDir] SubmitRequest workingDir
             * @property {"recipe"|"bundle"} [entrypoint] SubmitRequest entrypoint
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a SubmitRequest.
             * @memberof palimpsest.v1
             * @interface ISubmitRequest
             * @augments palimpsest.v1.SubmitRequest.$Properties
             * @deprecated Use palimpsest.v1.SubmitRequest.$Properties instead.
             */

            /**
             * Narrowed shape of a SubmitRequest.
             * @typedef {{
             *   submissionId?: string|null;
             *   recipe?: string|null;
             *   bundle?: string|null;
             *   argv?: Array.<string>|null;
             *   environment?: Object.<string,string>|null;
             *   metadata?: Object.<string,string>|null;
             *   name?: string|null;
             *   resources?: palimpsest.v1.Resources.$Shape|null;
             *   workingDir?: string|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ entrypoint?: undefined; recipe?: null; bundle?: null }|{ entrypoint?: "recipe"; recipe: string; bundle?: null }|{ entrypoint?: "bundle"; recipe?: null; bundle: string })
             * )} palimpsest.v1.SubmitRequest.$Shape
             */

            /**
             * Constructs a new SubmitRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a SubmitRequest.
             * @constructor
             * @param {palimpsest.v1.SubmitRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const SubmitRequest = function (properties) {
                this.argv = [];
                this.environment = {};
                this.metadata = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * SubmitRequest submissionId.
             * @member {string} submissionId
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.submissionId = "";

            /**
             * SubmitRequest recipe.
             * @member {string|null|undefined} recipe
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.recipe = null;

            /**
             * SubmitRequest bundle.
             * @member {string|null|undefined} bundle
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.bundle = null;

            /**
             * SubmitRequest argv.
             * @member {Array.<string>} argv
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.argv = $util.emptyArray;

            /**
             * SubmitRequest environment.
             * @member {Object.<string,string>} environment
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.environment = $util.emptyObject;

            /**
             * SubmitRequest metadata.
             * @member {Object.<string,string>} metadata
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.metadata = $util.emptyObject;

            /**
             * SubmitRequest name.
             * @member {string} name
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.name = "";

            /**
             * SubmitRequest resources.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} resources
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.resources = null;

            /**
             * SubmitRequest workingDir.
             * @member {string} workingDir
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            SubmitRequest.prototype.workingDir = "";

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * SubmitRequest entrypoint.
             * @member {"recipe"|"bundle"|undefined} entrypoint
             * @memberof palimpsest.v1.SubmitRequest
             * @instance
             */
            $Object.defineProperty(SubmitRequest.prototype, "entrypoint", {
                get: $util.oneOfGetter($oneOfFields = ["recipe", "bundle"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new SubmitRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.SubmitRequest
             * @static
             * @param {palimpsest.v1.SubmitRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.SubmitRequest} SubmitRequest instance
             * @type {{
             *   (properties: palimpsest.v1.SubmitRequest.$Shape): palimpsest.v1.SubmitRequest & palimpsest.v1.SubmitRequest.$Shape;
             *   (properties?: palimpsest.v1.SubmitRequest.$Properties): palimpsest.v1.SubmitRequest;
             * }}
             */
            SubmitRequest.create = function(properties) {
                return new SubmitRequest(properties);
            };

            /**
             * Encodes the specified SubmitRequest message. Does not implicitly {@link palimpsest.v1.SubmitRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.SubmitRequest
             * @static
             * @param {palimpsest.v1.SubmitRequest.$Properties} message SubmitRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            SubmitRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.submissionId != null && $Object.hasOwnProperty.call(message, "submissionId") && message.submissionId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.submissionId);
                if (message.recipe != null && $Object.hasOwnProperty.call(message, "recipe"))
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.recipe);
                if (message.bundle != null && $Object.hasOwnProperty.call(message, "bundle"))
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.bundle);
                if (message.argv != null && message.argv.length)
                    for (let i = 0; i < message.argv.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.argv[i]);
                if (message.environment != null && $Object.hasOwnProperty.call(message, "environment"))
                    for (let keys = $Object.keys(message.environment), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 5, wireType 2 =*/42).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.environment[keys[i]]).ldelim();
                if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                    for (let keys = $Object.keys(message.metadata), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 6, wireType 2 =*/50).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.metadata[keys[i]]).ldelim();
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.name);
                if (message.resources != null && $Object.hasOwnProperty.call(message, "resources"))
                    $root.palimpsest.v1.Resources.encode(message.resources, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.workingDir != null && $Object.hasOwnProperty.call(message, "workingDir") && message.workingDir !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.workingDir);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a SubmitRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.SubmitRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.SubmitRequest & palimpsest.v1.SubmitRequest.$Shape} SubmitRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            SubmitRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.SubmitRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.submissionId = value;
                            else
                                delete message.submissionId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.recipe = reader.stringVerify();
                            message.entrypoint = "recipe";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.bundle = reader.stringVerify();
                            message.entrypoint = "bundle";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.argv && message.argv.length))
                                message.argv = [];
                            message.argv.push(reader.stringVerify());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (message.environment === $util.emptyObject)
                                message.environment = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.environment, key);
                            message.environment[key] = value;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if (message.metadata === $util.emptyObject)
                                message.metadata = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.metadata, key);
                            message.metadata[key] = value;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.resources = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.resources);
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workingDir = value;
                            else
                                delete message.workingDir;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return SubmitRequest;
        })();

        v1.WorkingDirectory = (function() {

            /**
             * Properties of a WorkingDirectory.
             * @typedef {Object} palimpsest.v1.WorkingDirectory.$Properties
             * @property {Array.<palimpsest.v1.WorkingFile.$Properties>|null} [files] WorkingDirectory files
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WorkingDirectory.
             * @memberof palimpsest.v1
             * @interface IWorkingDirectory
             * @augments palimpsest.v1.WorkingDirectory.$Properties
             * @deprecated Use palimpsest.v1.WorkingDirectory.$Properties instead.
             */

            /**
             * Shape of a WorkingDirectory.
             * @typedef {palimpsest.v1.WorkingDirectory.$Properties} palimpsest.v1.WorkingDirectory.$Shape
             */

            /**
             * Constructs a new WorkingDirectory.
             * @memberof palimpsest.v1
             * @classdesc Represents a WorkingDirectory.
             * @constructor
             * @param {palimpsest.v1.WorkingDirectory.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WorkingDirectory = function (properties) {
                this.files = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WorkingDirectory files.
             * @member {Array.<palimpsest.v1.WorkingFile.$Properties>} files
             * @memberof palimpsest.v1.WorkingDirectory
             * @instance
             */
            WorkingDirectory.prototype.files = $util.emptyArray;

            /**
             * Creates a new WorkingDirectory instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WorkingDirectory
             * @static
             * @param {palimpsest.v1.WorkingDirectory.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WorkingDirectory} WorkingDirectory instance
             * @type {{
             *   (properties: palimpsest.v1.WorkingDirectory.$Shape): palimpsest.v1.WorkingDirectory & palimpsest.v1.WorkingDirectory.$Shape;
             *   (properties?: palimpsest.v1.WorkingDirectory.$Properties): palimpsest.v1.WorkingDirectory;
             * }}
             */
            WorkingDirectory.create = function(properties) {
                return new WorkingDirectory(properties);
            };

            /**
             * Encodes the specified WorkingDirectory message. Does not implicitly {@link palimpsest.v1.WorkingDirectory.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WorkingDirectory
             * @static
             * @param {palimpsest.v1.WorkingDirectory.$Properties} message WorkingDirectory message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WorkingDirectory.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.files != null && message.files.length)
                    for (let i = 0; i < message.files.length; ++i)
                        $root.palimpsest.v1.WorkingFile.encode(message.files[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WorkingDirectory message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WorkingDirectory
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WorkingDirectory & palimpsest.v1.WorkingDirectory.$Shape} WorkingDirectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WorkingDirectory.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WorkingDirectory();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.files && message.files.length))
                                message.files = [];
                            message.files.push($root.palimpsest.v1.WorkingFile.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WorkingDirectory;
        })();

        v1.WorkingFile = (function() {

            /**
             * Properties of a WorkingFile.
             * @typedef {Object} palimpsest.v1.WorkingFile.$Properties
             * @property {string|null} [path] WorkingFile path
             * @property {Uint8Array|null} [data] WorkingFile data
             * @property {boolean|null} [executable] WorkingFile executable
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WorkingFile.
             * @memberof palimpsest.v1
             * @interface IWorkingFile
             * @augments palimpsest.v1.WorkingFile.$Properties
             * @deprecated Use palimpsest.v1.WorkingFile.$Properties instead.
             */

            /**
             * Shape of a WorkingFile.
             * @typedef {palimpsest.v1.WorkingFile.$Properties} palimpsest.v1.WorkingFile.$Shape
             */

            /**
             * Constructs a new WorkingFile.
             * @memberof palimpsest.v1
             * @classdesc Represents a WorkingFile.
             * @constructor
             * @param {palimpsest.v1.WorkingFile.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WorkingFile = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WorkingFile path.
             * @member {string} path
             * @memberof palimpsest.v1.WorkingFile
             * @instance
             */
            WorkingFile.prototype.path = "";

            /**
             * WorkingFile data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.WorkingFile
             * @instance
             */
            WorkingFile.prototype.data = $util.newBuffer([]);

            /**
             * WorkingFile executable.
             * @member {boolean} executable
             * @memberof palimpsest.v1.WorkingFile
             * @instance
             */
            WorkingFile.prototype.executable = false;

            /**
             * Creates a new WorkingFile instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WorkingFile
             * @static
             * @param {palimpsest.v1.WorkingFile.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WorkingFile} WorkingFile instance
             * @type {{
             *   (properties: palimpsest.v1.WorkingFile.$Shape): palimpsest.v1.WorkingFile & palimpsest.v1.WorkingFile.$Shape;
             *   (properties?: palimpsest.v1.WorkingFile.$Properties): palimpsest.v1.WorkingFile;
             * }}
             */
            WorkingFile.create = function(properties) {
                return new WorkingFile(properties);
            };

            /**
             * Encodes the specified WorkingFile message. Does not implicitly {@link palimpsest.v1.WorkingFile.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WorkingFile
             * @static
             * @param {palimpsest.v1.WorkingFile.$Properties} message WorkingFile message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WorkingFile.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.path);
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.data);
                if (message.executable != null && $Object.hasOwnProperty.call(message, "executable") && message.executable !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.executable);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WorkingFile message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WorkingFile
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WorkingFile & palimpsest.v1.WorkingFile.$Shape} WorkingFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WorkingFile.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WorkingFile();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.executable = value;
                            else
                                delete message.executable;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WorkingFile;
        })();

        v1.JobInfo = (function() {

            /**
             * Properties of a JobInfo.
             * @typedef {Object} palimpsest.v1.JobInfo.$Properties
             * @property {string|null} [jobId] JobInfo jobId
             * @property {string|null} [name] JobInfo name
             * @property {palimpsest.v1.JobStatus|null} [status] JobInfo status
             * @property {string|null} [message] JobInfo message
             * @property {string|null} [nodeId] JobInfo nodeId
             * @property {number|null} [driverPid] JobInfo driverPid
             * @property {number|null} [driverExitCode] JobInfo driverExitCode
             * @property {number|null} [submittedAtMs] JobInfo submittedAtMs
             * @property {number|null} [startedAtMs] JobInfo startedAtMs
             * @property {number|null} [endedAtMs] JobInfo endedAtMs
             * @property {Object.<string,string>|null} [metadata] JobInfo metadata
             * @property {boolean|null} [stopRequested] JobInfo stopRequested
             * @property {number|null} [outputBytes] JobInfo outputBytes
             * @property {palimpsest.v1.Resources.$Properties|null} [resources] JobInfo resources
             * @property {string|null} [workingDir] JobInfo workingDir
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a JobInfo.
             * @memberof palimpsest.v1
             * @interface IJobInfo
             * @augments palimpsest.v1.JobInfo.$Properties
             * @deprecated Use palimpsest.v1.JobInfo.$Properties instead.
             */

            /**
             * Shape of a JobInfo.
             * @typedef {palimpsest.v1.JobInfo.$Properties} palimpsest.v1.JobInfo.$Shape
             */

            /**
             * Constructs a new JobInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents a JobInfo.
             * @constructor
             * @param {palimpsest.v1.JobInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const JobInfo = function (properties) {
                this.metadata = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * JobInfo jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.jobId = "";

            /**
             * JobInfo name.
             * @member {string} name
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.name = "";

            /**
             * JobInfo status.
             * @member {palimpsest.v1.JobStatus} status
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.status = 0;

            /**
             * JobInfo message.
             * @member {string} message
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.message = "";

            /**
             * JobInfo nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.nodeId = "";

            /**
             * JobInfo driverPid.
             * @member {number} driverPid
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.driverPid = 0;

            /**
             * JobInfo driverExitCode.
             * @member {number|null|undefined} driverExitCode
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.driverExitCode = null;

            /**
             * JobInfo submittedAtMs.
             * @member {number} submittedAtMs
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.submittedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobInfo startedAtMs.
             * @member {number} startedAtMs
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.startedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobInfo endedAtMs.
             * @member {number} endedAtMs
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.endedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobInfo metadata.
             * @member {Object.<string,string>} metadata
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.metadata = $util.emptyObject;

            /**
             * JobInfo stopRequested.
             * @member {boolean} stopRequested
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.stopRequested = false;

            /**
             * JobInfo outputBytes.
             * @member {number} outputBytes
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.outputBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * JobInfo resources.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} resources
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.resources = null;

            /**
             * JobInfo workingDir.
             * @member {string} workingDir
             * @memberof palimpsest.v1.JobInfo
             * @instance
             */
            JobInfo.prototype.workingDir = "";

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            // Virtual OneOf for proto3 optional field
            $Object.defineProperty(JobInfo.prototype, "_driverExitCode", {
                get: $util.oneOfGetter($oneOfFields = ["driverExitCode"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new JobInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.JobInfo
             * @static
             * @param {palimpsest.v1.JobInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.JobInfo} JobInfo instance
             * @type {{
             *   (properties: palimpsest.v1.JobInfo.$Shape): palimpsest.v1.JobInfo & palimpsest.v1.JobInfo.$Shape;
             *   (properties?: palimpsest.v1.JobInfo.$Properties): palimpsest.v1.JobInfo;
             * }}
             */
            JobInfo.create = function(properties) {
                return new JobInfo(properties);
            };

            /**
             * Encodes the specified JobInfo message. Does not implicitly {@link palimpsest.v1.JobInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.JobInfo
             * @static
             * @param {palimpsest.v1.JobInfo.$Properties} message JobInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            JobInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.name);
                if (message.status != null && $Object.hasOwnProperty.call(message, "status") && message.status !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.status);
                if (message.message != null && $Object.hasOwnProperty.call(message, "message") && message.message !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.message);
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.nodeId);
                if (message.driverPid != null && $Object.hasOwnProperty.call(message, "driverPid") && message.driverPid !== 0)
                    writer.uint32(/* id 6, wireType 0 =*/48).int32(message.driverPid);
                if (message.driverExitCode != null && $Object.hasOwnProperty.call(message, "driverExitCode"))
                    writer.uint32(/* id 7, wireType 0 =*/56).int32(message.driverExitCode);
                if (message.submittedAtMs != null && $Object.hasOwnProperty.call(message, "submittedAtMs") && (typeof message.submittedAtMs === "object" ? message.submittedAtMs.low || message.submittedAtMs.high : message.submittedAtMs !== 0))
                    writer.uint32(/* id 8, wireType 0 =*/64).int64(message.submittedAtMs);
                if (message.startedAtMs != null && $Object.hasOwnProperty.call(message, "startedAtMs") && (typeof message.startedAtMs === "object" ? message.startedAtMs.low || message.startedAtMs.high : message.startedAtMs !== 0))
                    writer.uint32(/* id 9, wireType 0 =*/72).int64(message.startedAtMs);
                if (message.endedAtMs != null && $Object.hasOwnProperty.call(message, "endedAtMs") && (typeof message.endedAtMs === "object" ? message.endedAtMs.low || message.endedAtMs.high : message.endedAtMs !== 0))
                    writer.uint32(/* id 10, wireType 0 =*/80).int64(message.endedAtMs);
                if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                    for (let keys = $Object.keys(message.metadata), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 11, wireType 2 =*/90).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.metadata[keys[i]]).ldelim();
                if (message.stopRequested != null && $Object.hasOwnProperty.call(message, "stopRequested") && message.stopRequested !== false)
                    writer.uint32(/* id 12, wireType 0 =*/96).bool(message.stopRequested);
                if (message.outputBytes != null && $Object.hasOwnProperty.call(message, "outputBytes") && (typeof message.outputBytes === "object" ? message.outputBytes.low || message.outputBytes.high : message.outputBytes !== 0))
                    writer.uint32(/* id 13, wireType 0 =*/104).int64(message.outputBytes);
                if (message.resources != null && $Object.hasOwnProperty.call(message, "resources"))
                    $root.palimpsest.v1.Resources.encode(message.resources, writer.uint32(/* id 14, wireType 2 =*/114).fork(), _depth + 1).ldelim();
                if (message.workingDir != null && $Object.hasOwnProperty.call(message, "workingDir") && message.workingDir !== "")
                    writer.uint32(/* id 15, wireType 2 =*/122).string(message.workingDir);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a JobInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.JobInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.JobInfo & palimpsest.v1.JobInfo.$Shape} JobInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            JobInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.JobInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.status = value;
                            else
                                delete message.status;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.message = value;
                            else
                                delete message.message;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.driverPid = value;
                            else
                                delete message.driverPid;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            message.driverExitCode = reader.int32();
                            message._driverExitCode = "driverExitCode";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.submittedAtMs = value;
                            else
                                delete message.submittedAtMs;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.startedAtMs = value;
                            else
                                delete message.startedAtMs;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.endedAtMs = value;
                            else
                                delete message.endedAtMs;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if (message.metadata === $util.emptyObject)
                                message.metadata = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.metadata, key);
                            message.metadata[key] = value;
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.stopRequested = value;
                            else
                                delete message.stopRequested;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.outputBytes = value;
                            else
                                delete message.outputBytes;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            message.resources = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.resources);
                            continue;
                        }
                    case 15: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workingDir = value;
                            else
                                delete message.workingDir;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return JobInfo;
        })();

        v1.GetJobRequest = (function() {

            /**
             * Properties of a GetJobRequest.
             * @typedef {Object} palimpsest.v1.GetJobRequest.$Properties
             * @property {string|null} [jobId] GetJobRequest jobId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a GetJobRequest.
             * @memberof palimpsest.v1
             * @interface IGetJobRequest
             * @augments palimpsest.v1.GetJobRequest.$Properties
             * @deprecated Use palimpsest.v1.GetJobRequest.$Properties instead.
             */

            /**
             * Shape of a GetJobRequest.
             * @typedef {palimpsest.v1.GetJobRequest.$Properties} palimpsest.v1.GetJobRequest.$Shape
             */

            /**
             * Constructs a new GetJobRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a GetJobRequest.
             * @constructor
             * @param {palimpsest.v1.GetJobRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const GetJobRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * GetJobRequest jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.GetJobRequest
             * @instance
             */
            GetJobRequest.prototype.jobId = "";

            /**
             * Creates a new GetJobRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.GetJobRequest
             * @static
             * @param {palimpsest.v1.GetJobRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.GetJobRequest} GetJobRequest instance
             * @type {{
             *   (properties: palimpsest.v1.GetJobRequest.$Shape): palimpsest.v1.GetJobRequest & palimpsest.v1.GetJobRequest.$Shape;
             *   (properties?: palimpsest.v1.GetJobRequest.$Properties): palimpsest.v1.GetJobRequest;
             * }}
             */
            GetJobRequest.create = function(properties) {
                return new GetJobRequest(properties);
            };

            /**
             * Encodes the specified GetJobRequest message. Does not implicitly {@link palimpsest.v1.GetJobRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.GetJobRequest
             * @static
             * @param {palimpsest.v1.GetJobRequest.$Properties} message GetJobRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            GetJobRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a GetJobRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.GetJobRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetJobRequest & palimpsest.v1.GetJobRequest.$Shape} GetJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            GetJobRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.GetJobRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return GetJobRequest;
        })();

        v1.ListJobsRequest = (function() {

            /**
             * Properties of a ListJobsRequest.
             * @typedef {Object} palimpsest.v1.ListJobsRequest.$Properties
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListJobsRequest.
             * @memberof palimpsest.v1
             * @interface IListJobsRequest
             * @augments palimpsest.v1.ListJobsRequest.$Properties
             * @deprecated Use palimpsest.v1.ListJobsRequest.$Properties instead.
             */

            /**
             * Shape of a ListJobsRequest.
             * @typedef {palimpsest.v1.ListJobsRequest.$Properties} palimpsest.v1.ListJobsRequest.$Shape
             */

            /**
             * Constructs a new ListJobsRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListJobsRequest.
             * @constructor
             * @param {palimpsest.v1.ListJobsRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListJobsRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Creates a new ListJobsRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListJobsRequest
             * @static
             * @param {palimpsest.v1.ListJobsRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListJobsRequest} ListJobsRequest instance
             * @type {{
             *   (properties: palimpsest.v1.ListJobsRequest.$Shape): palimpsest.v1.ListJobsRequest & palimpsest.v1.ListJobsRequest.$Shape;
             *   (properties?: palimpsest.v1.ListJobsRequest.$Properties): palimpsest.v1.ListJobsRequest;
             * }}
             */
            ListJobsRequest.create = function(properties) {
                return new ListJobsRequest(properties);
            };

            /**
             * Encodes the specified ListJobsRequest message. Does not implicitly {@link palimpsest.v1.ListJobsRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListJobsRequest
             * @static
             * @param {palimpsest.v1.ListJobsRequest.$Properties} message ListJobsRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListJobsRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListJobsRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListJobsRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListJobsRequest & palimpsest.v1.ListJobsRequest.$Shape} ListJobsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListJobsRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListJobsRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    reader.skipType(tag & 7, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListJobsRequest;
        })();

        v1.ListJobsResponse = (function() {

            /**
             * Properties of a ListJobsResponse.
             * @typedef {Object} palimpsest.v1.ListJobsResponse.$Properties
             * @property {Array.<palimpsest.v1.JobInfo.$Properties>|null} [jobs] ListJobsResponse jobs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ListJobsResponse.
             * @memberof palimpsest.v1
             * @interface IListJobsResponse
             * @augments palimpsest.v1.ListJobsResponse.$Properties
             * @deprecated Use palimpsest.v1.ListJobsResponse.$Properties instead.
             */

            /**
             * Shape of a ListJobsResponse.
             * @typedef {palimpsest.v1.ListJobsResponse.$Properties} palimpsest.v1.ListJobsResponse.$Shape
             */

            /**
             * Constructs a new ListJobsResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a ListJobsResponse.
             * @constructor
             * @param {palimpsest.v1.ListJobsResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ListJobsResponse = function (properties) {
                this.jobs = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ListJobsResponse jobs.
             * @member {Array.<palimpsest.v1.JobInfo.$Properties>} jobs
             * @memberof palimpsest.v1.ListJobsResponse
             * @instance
             */
            ListJobsResponse.prototype.jobs = $util.emptyArray;

            /**
             * Creates a new ListJobsResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ListJobsResponse
             * @static
             * @param {palimpsest.v1.ListJobsResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ListJobsResponse} ListJobsResponse instance
             * @type {{
             *   (properties: palimpsest.v1.ListJobsResponse.$Shape): palimpsest.v1.ListJobsResponse & palimpsest.v1.ListJobsResponse.$Shape;
             *   (properties?: palimpsest.v1.ListJobsResponse.$Properties): palimpsest.v1.ListJobsResponse;
             * }}
             */
            ListJobsResponse.create = function(properties) {
                return new ListJobsResponse(properties);
            };

            /**
             * Encodes the specified ListJobsResponse message. Does not implicitly {@link palimpsest.v1.ListJobsResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ListJobsResponse
             * @static
             * @param {palimpsest.v1.ListJobsResponse.$Properties} message ListJobsResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ListJobsResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobs != null && message.jobs.length)
                    for (let i = 0; i < message.jobs.length; ++i)
                        $root.palimpsest.v1.JobInfo.encode(message.jobs[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ListJobsResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ListJobsResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListJobsResponse & palimpsest.v1.ListJobsResponse.$Shape} ListJobsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ListJobsResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ListJobsResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.jobs && message.jobs.length))
                                message.jobs = [];
                            message.jobs.push($root.palimpsest.v1.JobInfo.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ListJobsResponse;
        })();

        v1.StopJobRequest = (function() {

            /**
             * Properties of a StopJobRequest.
             * @typedef {Object} palimpsest.v1.StopJobRequest.$Properties
             * @property {string|null} [jobId] StopJobRequest jobId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StopJobRequest.
             * @memberof palimpsest.v1
             * @interface IStopJobRequest
             * @augments palimpsest.v1.StopJobRequest.$Properties
             * @deprecated Use palimpsest.v1.StopJobRequest.$Properties instead.
             */

            /**
             * Shape of a StopJobRequest.
             * @typedef {palimpsest.v1.StopJobRequest.$Properties} palimpsest.v1.StopJobRequest.$Shape
             */

            /**
             * Constructs a new StopJobRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a StopJobRequest.
             * @constructor
             * @param {palimpsest.v1.StopJobRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StopJobRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StopJobRequest jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.StopJobRequest
             * @instance
             */
            StopJobRequest.prototype.jobId = "";

            /**
             * Creates a new StopJobRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StopJobRequest
             * @static
             * @param {palimpsest.v1.StopJobRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StopJobRequest} StopJobRequest instance
             * @type {{
             *   (properties: palimpsest.v1.StopJobRequest.$Shape): palimpsest.v1.StopJobRequest & palimpsest.v1.StopJobRequest.$Shape;
             *   (properties?: palimpsest.v1.StopJobRequest.$Properties): palimpsest.v1.StopJobRequest;
             * }}
             */
            StopJobRequest.create = function(properties) {
                return new StopJobRequest(properties);
            };

            /**
             * Encodes the specified StopJobRequest message. Does not implicitly {@link palimpsest.v1.StopJobRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StopJobRequest
             * @static
             * @param {palimpsest.v1.StopJobRequest.$Properties} message StopJobRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StopJobRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StopJobRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StopJobRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopJobRequest & palimpsest.v1.StopJobRequest.$Shape} StopJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StopJobRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StopJobRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StopJobRequest;
        })();

        v1.DeleteJobRequest = (function() {

            /**
             * Properties of a DeleteJobRequest.
             * @typedef {Object} palimpsest.v1.DeleteJobRequest.$Properties
             * @property {string|null} [jobId] DeleteJobRequest jobId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DeleteJobRequest.
             * @memberof palimpsest.v1
             * @interface IDeleteJobRequest
             * @augments palimpsest.v1.DeleteJobRequest.$Properties
             * @deprecated Use palimpsest.v1.DeleteJobRequest.$Properties instead.
             */

            /**
             * Shape of a DeleteJobRequest.
             * @typedef {palimpsest.v1.DeleteJobRequest.$Properties} palimpsest.v1.DeleteJobRequest.$Shape
             */

            /**
             * Constructs a new DeleteJobRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a DeleteJobRequest.
             * @constructor
             * @param {palimpsest.v1.DeleteJobRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DeleteJobRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DeleteJobRequest jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.DeleteJobRequest
             * @instance
             */
            DeleteJobRequest.prototype.jobId = "";

            /**
             * Creates a new DeleteJobRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DeleteJobRequest
             * @static
             * @param {palimpsest.v1.DeleteJobRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DeleteJobRequest} DeleteJobRequest instance
             * @type {{
             *   (properties: palimpsest.v1.DeleteJobRequest.$Shape): palimpsest.v1.DeleteJobRequest & palimpsest.v1.DeleteJobRequest.$Shape;
             *   (properties?: palimpsest.v1.DeleteJobRequest.$Properties): palimpsest.v1.DeleteJobRequest;
             * }}
             */
            DeleteJobRequest.create = function(properties) {
                return new DeleteJobRequest(properties);
            };

            /**
             * Encodes the specified DeleteJobRequest message. Does not implicitly {@link palimpsest.v1.DeleteJobRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DeleteJobRequest
             * @static
             * @param {palimpsest.v1.DeleteJobRequest.$Properties} message DeleteJobRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DeleteJobRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DeleteJobRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DeleteJobRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeleteJobRequest & palimpsest.v1.DeleteJobRequest.$Shape} DeleteJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DeleteJobRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DeleteJobRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DeleteJobRequest;
        })();

        v1.LogsRequest = (function() {

            /**
             * Properties of a LogsRequest.
             * @typedef {Object} palimpsest.v1.LogsRequest.$Properties
             * @property {string|null} [jobId] LogsRequest jobId
             * @property {number|null} [offsetBytes] LogsRequest offsetBytes
             * @property {boolean|null} [follow] LogsRequest follow
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LogsRequest.
             * @memberof palimpsest.v1
             * @interface ILogsRequest
             * @augments palimpsest.v1.LogsRequest.$Properties
             * @deprecated Use palimpsest.v1.LogsRequest.$Properties instead.
             */

            /**
             * Shape of a LogsRequest.
             * @typedef {palimpsest.v1.LogsRequest.$Properties} palimpsest.v1.LogsRequest.$Shape
             */

            /**
             * Constructs a new LogsRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a LogsRequest.
             * @constructor
             * @param {palimpsest.v1.LogsRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LogsRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LogsRequest jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.LogsRequest
             * @instance
             */
            LogsRequest.prototype.jobId = "";

            /**
             * LogsRequest offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.LogsRequest
             * @instance
             */
            LogsRequest.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * LogsRequest follow.
             * @member {boolean} follow
             * @memberof palimpsest.v1.LogsRequest
             * @instance
             */
            LogsRequest.prototype.follow = false;

            /**
             * Creates a new LogsRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.LogsRequest
             * @static
             * @param {palimpsest.v1.LogsRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.LogsRequest} LogsRequest instance
             * @type {{
             *   (properties: palimpsest.v1.LogsRequest.$Shape): palimpsest.v1.LogsRequest & palimpsest.v1.LogsRequest.$Shape;
             *   (properties?: palimpsest.v1.LogsRequest.$Properties): palimpsest.v1.LogsRequest;
             * }}
             */
            LogsRequest.create = function(properties) {
                return new LogsRequest(properties);
            };

            /**
             * Encodes the specified LogsRequest message. Does not implicitly {@link palimpsest.v1.LogsRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.LogsRequest
             * @static
             * @param {palimpsest.v1.LogsRequest.$Properties} message LogsRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LogsRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.offsetBytes);
                if (message.follow != null && $Object.hasOwnProperty.call(message, "follow") && message.follow !== false)
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.follow);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LogsRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.LogsRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.LogsRequest & palimpsest.v1.LogsRequest.$Shape} LogsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LogsRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.LogsRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.follow = value;
                            else
                                delete message.follow;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LogsRequest;
        })();

        v1.LogChunk = (function() {

            /**
             * Properties of a LogChunk.
             * @typedef {Object} palimpsest.v1.LogChunk.$Properties
             * @property {Uint8Array|null} [data] LogChunk data
             * @property {number|null} [offsetBytes] LogChunk offsetBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a LogChunk.
             * @memberof palimpsest.v1
             * @interface ILogChunk
             * @augments palimpsest.v1.LogChunk.$Properties
             * @deprecated Use palimpsest.v1.LogChunk.$Properties instead.
             */

            /**
             * Shape of a LogChunk.
             * @typedef {palimpsest.v1.LogChunk.$Properties} palimpsest.v1.LogChunk.$Shape
             */

            /**
             * Constructs a new LogChunk.
             * @memberof palimpsest.v1
             * @classdesc Represents a LogChunk.
             * @constructor
             * @param {palimpsest.v1.LogChunk.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const LogChunk = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * LogChunk data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.LogChunk
             * @instance
             */
            LogChunk.prototype.data = $util.newBuffer([]);

            /**
             * LogChunk offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.LogChunk
             * @instance
             */
            LogChunk.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new LogChunk instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.LogChunk
             * @static
             * @param {palimpsest.v1.LogChunk.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.LogChunk} LogChunk instance
             * @type {{
             *   (properties: palimpsest.v1.LogChunk.$Shape): palimpsest.v1.LogChunk & palimpsest.v1.LogChunk.$Shape;
             *   (properties?: palimpsest.v1.LogChunk.$Properties): palimpsest.v1.LogChunk;
             * }}
             */
            LogChunk.create = function(properties) {
                return new LogChunk(properties);
            };

            /**
             * Encodes the specified LogChunk message. Does not implicitly {@link palimpsest.v1.LogChunk.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.LogChunk
             * @static
             * @param {palimpsest.v1.LogChunk.$Properties} message LogChunk message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            LogChunk.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.data);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.offsetBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a LogChunk message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.LogChunk
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.LogChunk & palimpsest.v1.LogChunk.$Shape} LogChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            LogChunk.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.LogChunk();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return LogChunk;
        })();

        v1.NodeMessage = (function() {

            /**
             * Properties of a NodeMessage.
             * @typedef {Object} palimpsest.v1.NodeMessage.$Properties
             * @property {palimpsest.v1.RegisterNode.$Properties|null} [register] NodeMessage register
             * @property {palimpsest.v1.NodeHeartbeat.$Properties|null} [heartbeat] NodeMessage heartbeat
             * @property {palimpsest.v1.ActorStarted.$Properties|null} [actorStarted] NodeMessage actorStarted
             * @property {palimpsest.v1.ActorDied.$Properties|null} [actorDied] NodeMessage actorDied
             * @property {palimpsest.v1.DriverExited.$Properties|null} [driverExited] NodeMessage driverExited
             * @property {palimpsest.v1.DriverStarted.$Properties|null} [driverStarted] NodeMessage driverStarted
             * @property {"register"|"heartbeat"|"actorStarted"|"actorDied"|"driverExited"|"driverStarted"} [message] NodeMessage message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a NodeMessage.
             * @memberof palimpsest.v1
             * @interface INodeMessage
             * @augments palimpsest.v1.NodeMessage.$Properties
             * @deprecated Use palimpsest.v1.NodeMessage.$Properties instead.
             */

            /**
             * Narrowed shape of a NodeMessage.
             * @typedef {{
             *   register?: palimpsest.v1.RegisterNode.$Shape|null;
             *   heartbeat?: palimpsest.v1.NodeHeartbeat.$Shape|null;
             *   actorStarted?: palimpsest.v1.ActorStarted.$Shape|null;
             *   actorDied?: palimpsest.v1.ActorDied.$Shape|null;
             *   driverExited?: palimpsest.v1.DriverExited.$Shape|null;
             *   driverStarted?: palimpsest.v1.DriverStarted.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null }|{ message?: "register"; register: palimpsest.v1.RegisterNode.$Shape; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null }|{ message?: "heartbeat"; register?: null; heartbeat: palimpsest.v1.NodeHeartbeat.$Shape; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null }|{ message?: "actorStarted"; register?: null; heartbeat?: null; actorStarted: palimpsest.v1.ActorStarted.$Shape; actorDied?: null; driverExited?: null; driverStarted?: null }|{ message?: "actorDied"; register?: null; heartbeat?: null; actorStarted?: null; actorDied: palimpsest.v1.ActorDied.$Shape; driverExited?: null; driverStarted?: null }|{ message?: "driverExited"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited: palimpsest.v1.DriverExited.$Shape; driverStarted?: null }|{ message?: "driverStarted"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted: palimpsest.v1.DriverStarted.$Shape })
             * )} palimpsest.v1.NodeMessage.$Shape
             */

            /**
             * Constructs a new NodeMessage.
             * @memberof palimpsest.v1
             * @classdesc Represents a NodeMessage.
             * @constructor
             * @param {palimpsest.v1.NodeMessage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const NodeMessage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * NodeMessage register.
             * @member {palimpsest.v1.RegisterNode.$Properties|null|undefined} register
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.register = null;

            /**
             * NodeMessage heartbeat.
             * @member {palimpsest.v1.NodeHeartbeat.$Properties|null|undefined} heartbeat
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.heartbeat = null;

            /**
             * NodeMessage actorStarted.
             * @member {palimpsest.v1.ActorStarted.$Properties|null|undefined} actorStarted
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.actorStarted = null;

            /**
             * NodeMessage actorDied.
             * @member {palimpsest.v1.ActorDied.$Properties|null|undefined} actorDied
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.actorDied = null;

            /**
             * NodeMessage driverExited.
             * @member {palimpsest.v1.DriverExited.$Properties|null|undefined} driverExited
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.driverExited = null;

            /**
             * NodeMessage driverStarted.
             * @member {palimpsest.v1.DriverStarted.$Properties|null|undefined} driverStarted
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            NodeMessage.prototype.driverStarted = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * NodeMessage message.
             * @member {"register"|"heartbeat"|"actorStarted"|"actorDied"|"driverExited"|"driverStarted"|undefined} message
             * @memberof palimpsest.v1.NodeMessage
             * @instance
             */
            $Object.defineProperty(NodeMessage.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["register", "heartbeat", "actorStarted", "actorDied", "driverExited", "driverStarted"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new NodeMessage instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.NodeMessage
             * @static
             * @param {palimpsest.v1.NodeMessage.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.NodeMessage} NodeMessage instance
             * @type {{
             *   (properties: palimpsest.v1.NodeMessage.$Shape): palimpsest.v1.NodeMessage & palimpsest.v1.NodeMessage.$Shape;
             *   (properties?: palimpsest.v1.NodeMessage.$Properties): palimpsest.v1.NodeMessage;
             * }}
             */
            NodeMessage.create = function(properties) {
                return new NodeMessage(properties);
            };

            /**
             * Encodes the specified NodeMessage message. Does not implicitly {@link palimpsest.v1.NodeMessage.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.NodeMessage
             * @static
             * @param {palimpsest.v1.NodeMessage.$Properties} message NodeMessage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            NodeMessage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.register != null && $Object.hasOwnProperty.call(message, "register"))
                    $root.palimpsest.v1.RegisterNode.encode(message.register, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.heartbeat != null && $Object.hasOwnProperty.call(message, "heartbeat"))
                    $root.palimpsest.v1.NodeHeartbeat.encode(message.heartbeat, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.actorStarted != null && $Object.hasOwnProperty.call(message, "actorStarted"))
                    $root.palimpsest.v1.ActorStarted.encode(message.actorStarted, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.actorDied != null && $Object.hasOwnProperty.call(message, "actorDied"))
                    $root.palimpsest.v1.ActorDied.encode(message.actorDied, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.driverExited != null && $Object.hasOwnProperty.call(message, "driverExited"))
                    $root.palimpsest.v1.DriverExited.encode(message.driverExited, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.driverStarted != null && $Object.hasOwnProperty.call(message, "driverStarted"))
                    $root.palimpsest.v1.DriverStarted.encode(message.driverStarted, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a NodeMessage message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.NodeMessage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeMessage & palimpsest.v1.NodeMessage.$Shape} NodeMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            NodeMessage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.NodeMessage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.register = $root.palimpsest.v1.RegisterNode.decode(reader, reader.size(), $undefined, _depth + 1, message.register);
                            message.message = "register";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.heartbeat = $root.palimpsest.v1.NodeHeartbeat.decode(reader, reader.size(), $undefined, _depth + 1, message.heartbeat);
                            message.message = "heartbeat";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.actorStarted = $root.palimpsest.v1.ActorStarted.decode(reader, reader.size(), $undefined, _depth + 1, message.actorStarted);
                            message.message = "actorStarted";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.actorDied = $root.palimpsest.v1.ActorDied.decode(reader, reader.size(), $undefined, _depth + 1, message.actorDied);
                            message.message = "actorDied";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.driverExited = $root.palimpsest.v1.DriverExited.decode(reader, reader.size(), $undefined, _depth + 1, message.driverExited);
                            message.message = "driverExited";
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.driverStarted = $root.palimpsest.v1.DriverStarted.decode(reader, reader.size(), $undefined, _depth + 1, message.driverStarted);
                            message.message = "driverStarted";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return NodeMessage;
        })();

        v1.RegisterNode = (function() {

            /**
             * Properties of a RegisterNode.
             * @typedef {Object} palimpsest.v1.RegisterNode.$Properties
             * @property {string|null} [nodeId] RegisterNode nodeId
             * @property {string|null} [hostname] RegisterNode hostname
             * @property {number|null} [pid] RegisterNode pid
             * @property {palimpsest.v1.Resources.$Properties|null} [total] RegisterNode total
             * @property {Object.<string,string>|null} [labels] RegisterNode labels
             * @property {string|null} [objectsAddress] RegisterNode objectsAddress
             * @property {string|null} [metricsAddress] RegisterNode metricsAddress
             * @property {string|null} [version] RegisterNode version
             * @property {Array.<palimpsest.v1.RunningActor.$Properties>|null} [actors] RegisterNode actors
             * @property {Array.<string>|null} [jobIds] RegisterNode jobIds
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RegisterNode.
             * @memberof palimpsest.v1
             * @interface IRegisterNode
             * @augments palimpsest.v1.RegisterNode.$Properties
             * @deprecated Use palimpsest.v1.RegisterNode.$Properties instead.
             */

            /**
             * Shape of a RegisterNode.
             * @typedef {palimpsest.v1.RegisterNode.$Properties} palimpsest.v1.RegisterNode.$Shape
             */

            /**
             * Constructs a new RegisterNode.
             * @memberof palimpsest.v1
             * @classdesc Represents a RegisterNode.
             * @constructor
             * @param {palimpsest.v1.RegisterNode.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RegisterNode = function (properties) {
                this.labels = {};
                this.actors = [];
                this.jobIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RegisterNode nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.nodeId = "";

            /**
             * RegisterNode hostname.
             * @member {string} hostname
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.hostname = "";

            /**
             * RegisterNode pid.
             * @member {number} pid
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.pid = 0;

            /**
             * RegisterNode total.
             * @member {palimpsest.v1.Resources.$Properties|null|undefined} total
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.total = null;

            /**
             * RegisterNode labels.
             * @member {Object.<string,string>} labels
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.labels = $util.emptyObject;

            /**
             * RegisterNode objectsAddress.
             * @member {string} objectsAddress
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.objectsAddress = "";

            /**
             * RegisterNode metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.metricsAddress = "";

            /**
             * RegisterNode version.
             * @member {string} version
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.version = "";

            /**
             * RegisterNode actors.
             * @member {Array.<palimpsest.v1.RunningActor.$Properties>} actors
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.actors = $util.emptyArray;

            /**
             * RegisterNode jobIds.
             * @member {Array.<string>} jobIds
             * @memberof palimpsest.v1.RegisterNode
             * @instance
             */
            RegisterNode.prototype.jobIds = $util.emptyArray;

            /**
             * Creates a new RegisterNode instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.RegisterNode
             * @static
             * @param {palimpsest.v1.RegisterNode.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.RegisterNode} RegisterNode instance
             * @type {{
             *   (properties: palimpsest.v1.RegisterNode.$Shape): palimpsest.v1.RegisterNode & palimpsest.v1.RegisterNode.$Shape;
             *   (properties?: palimpsest.v1.RegisterNode.$Properties): palimpsest.v1.RegisterNode;
             * }}
             */
            RegisterNode.create = function(properties) {
                return new RegisterNode(properties);
            };

            /**
             * Encodes the specified RegisterNode message. Does not implicitly {@link palimpsest.v1.RegisterNode.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.RegisterNode
             * @static
             * @param {palimpsest.v1.RegisterNode.$Properties} message RegisterNode message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RegisterNode.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.nodeId);
                if (message.hostname != null && $Object.hasOwnProperty.call(message, "hostname") && message.hostname !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.hostname);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.pid);
                if (message.total != null && $Object.hasOwnProperty.call(message, "total"))
                    $root.palimpsest.v1.Resources.encode(message.total, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.labels != null && $Object.hasOwnProperty.call(message, "labels"))
                    for (let keys = $Object.keys(message.labels), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 5, wireType 2 =*/42).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.labels[keys[i]]).ldelim();
                if (message.objectsAddress != null && $Object.hasOwnProperty.call(message, "objectsAddress") && message.objectsAddress !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.objectsAddress);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.metricsAddress);
                if (message.version != null && $Object.hasOwnProperty.call(message, "version") && message.version !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.version);
                if (message.actors != null && message.actors.length)
                    for (let i = 0; i < message.actors.length; ++i)
                        $root.palimpsest.v1.RunningActor.encode(message.actors[i], writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                if (message.jobIds != null && message.jobIds.length)
                    for (let i = 0; i < message.jobIds.length; ++i)
                        writer.uint32(/* id 10, wireType 2 =*/82).string(message.jobIds[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RegisterNode message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.RegisterNode
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.RegisterNode & palimpsest.v1.RegisterNode.$Shape} RegisterNode
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RegisterNode.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.RegisterNode();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.hostname = value;
                            else
                                delete message.hostname;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.total = $root.palimpsest.v1.Resources.decode(reader, reader.size(), $undefined, _depth + 1, message.total);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (message.labels === $util.emptyObject)
                                message.labels = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.labels, key);
                            message.labels[key] = value;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectsAddress = value;
                            else
                                delete message.objectsAddress;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.version = value;
                            else
                                delete message.version;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if (!(message.actors && message.actors.length))
                                message.actors = [];
                            message.actors.push($root.palimpsest.v1.RunningActor.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if (!(message.jobIds && message.jobIds.length))
                                message.jobIds = [];
                            message.jobIds.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RegisterNode;
        })();

        v1.RunningActor = (function() {

            /**
             * Properties of a RunningActor.
             * @typedef {Object} palimpsest.v1.RunningActor.$Properties
             * @property {string|null} [actorId] RunningActor actorId
             * @property {number|null} [incarnation] RunningActor incarnation
             * @property {number|null} [pid] RunningActor pid
             * @property {string|null} [address] RunningActor address
             * @property {string|null} [metricsAddress] RunningActor metricsAddress
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a RunningActor.
             * @memberof palimpsest.v1
             * @interface IRunningActor
             * @augments palimpsest.v1.RunningActor.$Properties
             * @deprecated Use palimpsest.v1.RunningActor.$Properties instead.
             */

            /**
             * Shape of a RunningActor.
             * @typedef {palimpsest.v1.RunningActor.$Properties} palimpsest.v1.RunningActor.$Shape
             */

            /**
             * Constructs a new RunningActor.
             * @memberof palimpsest.v1
             * @classdesc Represents a RunningActor.
             * @constructor
             * @param {palimpsest.v1.RunningActor.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const RunningActor = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * RunningActor actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.RunningActor
             * @instance
             */
            RunningActor.prototype.actorId = "";

            /**
             * RunningActor incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.RunningActor
             * @instance
             */
            RunningActor.prototype.incarnation = 0;

            /**
             * RunningActor pid.
             * @member {number} pid
             * @memberof palimpsest.v1.RunningActor
             * @instance
             */
            RunningActor.prototype.pid = 0;

            /**
             * RunningActor address.
             * @member {string} address
             * @memberof palimpsest.v1.RunningActor
             * @instance
             */
            RunningActor.prototype.address = "";

            /**
             * RunningActor metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.RunningActor
             * @instance
             */
            RunningActor.prototype.metricsAddress = "";

            /**
             * Creates a new RunningActor instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.RunningActor
             * @static
             * @param {palimpsest.v1.RunningActor.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.RunningActor} RunningActor instance
             * @type {{
             *   (properties: palimpsest.v1.RunningActor.$Shape): palimpsest.v1.RunningActor & palimpsest.v1.RunningActor.$Shape;
             *   (properties?: palimpsest.v1.RunningActor.$Properties): palimpsest.v1.RunningActor;
             * }}
             */
            RunningActor.create = function(properties) {
                return new RunningActor(properties);
            };

            /**
             * Encodes the specified RunningActor message. Does not implicitly {@link palimpsest.v1.RunningActor.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.RunningActor
             * @static
             * @param {palimpsest.v1.RunningActor.$Properties} message RunningActor message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            RunningActor.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.incarnation);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.pid);
                if (message.address != null && $Object.hasOwnProperty.call(message, "address") && message.address !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.address);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.metricsAddress);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a RunningActor message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.RunningActor
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.RunningActor & palimpsest.v1.RunningActor.$Shape} RunningActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            RunningActor.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.RunningActor();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.address = value;
                            else
                                delete message.address;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return RunningActor;
        })();

        v1.NodeHeartbeat = (function() {

            /**
             * Properties of a NodeHeartbeat.
             * @typedef {Object} palimpsest.v1.NodeHeartbeat.$Properties
             * @property {number|null} [sentAtMs] NodeHeartbeat sentAtMs
             * @property {number|null} [cpuPercent] NodeHeartbeat cpuPercent
             * @property {number|null} [memoryUsedBytes] NodeHeartbeat memoryUsedBytes
             * @property {number|null} [objectStoreBytes] NodeHeartbeat objectStoreBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a NodeHeartbeat.
             * @memberof palimpsest.v1
             * @interface INodeHeartbeat
             * @augments palimpsest.v1.NodeHeartbeat.$Properties
             * @deprecated Use palimpsest.v1.NodeHeartbeat.$Properties instead.
             */

            /**
             * Shape of a NodeHeartbeat.
             * @typedef {palimpsest.v1.NodeHeartbeat.$Properties} palimpsest.v1.NodeHeartbeat.$Shape
             */

            /**
             * Constructs a new NodeHeartbeat.
             * @memberof palimpsest.v1
             * @classdesc Represents a NodeHeartbeat.
             * @constructor
             * @param {palimpsest.v1.NodeHeartbeat.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const NodeHeartbeat = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * NodeHeartbeat sentAtMs.
             * @member {number} sentAtMs
             * @memberof palimpsest.v1.NodeHeartbeat
             * @instance
             */
            NodeHeartbeat.prototype.sentAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * NodeHeartbeat cpuPercent.
             * @member {number} cpuPercent
             * @memberof palimpsest.v1.NodeHeartbeat
             * @instance
             */
            NodeHeartbeat.prototype.cpuPercent = 0;

            /**
             * NodeHeartbeat memoryUsedBytes.
             * @member {number} memoryUsedBytes
             * @memberof palimpsest.v1.NodeHeartbeat
             * @instance
             */
            NodeHeartbeat.prototype.memoryUsedBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * NodeHeartbeat objectStoreBytes.
             * @member {number} objectStoreBytes
             * @memberof palimpsest.v1.NodeHeartbeat
             * @instance
             */
            NodeHeartbeat.prototype.objectStoreBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new NodeHeartbeat instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.NodeHeartbeat
             * @static
             * @param {palimpsest.v1.NodeHeartbeat.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.NodeHeartbeat} NodeHeartbeat instance
             * @type {{
             *   (properties: palimpsest.v1.NodeHeartbeat.$Shape): palimpsest.v1.NodeHeartbeat & palimpsest.v1.NodeHeartbeat.$Shape;
             *   (properties?: palimpsest.v1.NodeHeartbeat.$Properties): palimpsest.v1.NodeHeartbeat;
             * }}
             */
            NodeHeartbeat.create = function(properties) {
                return new NodeHeartbeat(properties);
            };

            /**
             * Encodes the specified NodeHeartbeat message. Does not implicitly {@link palimpsest.v1.NodeHeartbeat.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.NodeHeartbeat
             * @static
             * @param {palimpsest.v1.NodeHeartbeat.$Properties} message NodeHeartbeat message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            NodeHeartbeat.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.sentAtMs != null && $Object.hasOwnProperty.call(message, "sentAtMs") && (typeof message.sentAtMs === "object" ? message.sentAtMs.low || message.sentAtMs.high : message.sentAtMs !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).int64(message.sentAtMs);
                if (message.cpuPercent != null && $Object.hasOwnProperty.call(message, "cpuPercent") && !$Object.is(message.cpuPercent, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.cpuPercent);
                if (message.memoryUsedBytes != null && $Object.hasOwnProperty.call(message, "memoryUsedBytes") && (typeof message.memoryUsedBytes === "object" ? message.memoryUsedBytes.low || message.memoryUsedBytes.high : message.memoryUsedBytes !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.memoryUsedBytes);
                if (message.objectStoreBytes != null && $Object.hasOwnProperty.call(message, "objectStoreBytes") && (typeof message.objectStoreBytes === "object" ? message.objectStoreBytes.low || message.objectStoreBytes.high : message.objectStoreBytes !== 0))
                    writer.uint32(/* id 4, wireType 0 =*/32).int64(message.objectStoreBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a NodeHeartbeat message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.NodeHeartbeat
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeHeartbeat & palimpsest.v1.NodeHeartbeat.$Shape} NodeHeartbeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            NodeHeartbeat.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.NodeHeartbeat();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sentAtMs = value;
                            else
                                delete message.sentAtMs;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.cpuPercent = value;
                            else
                                delete message.cpuPercent;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.memoryUsedBytes = value;
                            else
                                delete message.memoryUsedBytes;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.objectStoreBytes = value;
                            else
                                delete message.objectStoreBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return NodeHeartbeat;
        })();

        v1.ActorStarted = (function() {

            /**
             * Properties of an ActorStarted.
             * @typedef {Object} palimpsest.v1.ActorStarted.$Properties
             * @property {string|null} [actorId] ActorStarted actorId
             * @property {number|null} [incarnation] ActorStarted incarnation
             * @property {number|null} [pid] ActorStarted pid
             * @property {string|null} [address] ActorStarted address
             * @property {string|null} [metricsAddress] ActorStarted metricsAddress
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorStarted.
             * @memberof palimpsest.v1
             * @interface IActorStarted
             * @augments palimpsest.v1.ActorStarted.$Properties
             * @deprecated Use palimpsest.v1.ActorStarted.$Properties instead.
             */

            /**
             * Shape of an ActorStarted.
             * @typedef {palimpsest.v1.ActorStarted.$Properties} palimpsest.v1.ActorStarted.$Shape
             */

            /**
             * Constructs a new ActorStarted.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorStarted.
             * @constructor
             * @param {palimpsest.v1.ActorStarted.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorStarted = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorStarted actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.ActorStarted
             * @instance
             */
            ActorStarted.prototype.actorId = "";

            /**
             * ActorStarted incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.ActorStarted
             * @instance
             */
            ActorStarted.prototype.incarnation = 0;

            /**
             * ActorStarted pid.
             * @member {number} pid
             * @memberof palimpsest.v1.ActorStarted
             * @instance
             */
            ActorStarted.prototype.pid = 0;

            /**
             * ActorStarted address.
             * @member {string} address
             * @memberof palimpsest.v1.ActorStarted
             * @instance
             */
            ActorStarted.prototype.address = "";

            /**
             * ActorStarted metricsAddress.
             * @member {string} metricsAddress
             * @memberof palimpsest.v1.ActorStarted
             * @instance
             */
            ActorStarted.prototype.metricsAddress = "";

            /**
             * Creates a new ActorStarted instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorStarted
             * @static
             * @param {palimpsest.v1.ActorStarted.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorStarted} ActorStarted instance
             * @type {{
             *   (properties: palimpsest.v1.ActorStarted.$Shape): palimpsest.v1.ActorStarted & palimpsest.v1.ActorStarted.$Shape;
             *   (properties?: palimpsest.v1.ActorStarted.$Properties): palimpsest.v1.ActorStarted;
             * }}
             */
            ActorStarted.create = function(properties) {
                return new ActorStarted(properties);
            };

            /**
             * Encodes the specified ActorStarted message. Does not implicitly {@link palimpsest.v1.ActorStarted.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorStarted
             * @static
             * @param {palimpsest.v1.ActorStarted.$Properties} message ActorStarted message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorStarted.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.incarnation);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.pid);
                if (message.address != null && $Object.hasOwnProperty.call(message, "address") && message.address !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.address);
                if (message.metricsAddress != null && $Object.hasOwnProperty.call(message, "metricsAddress") && message.metricsAddress !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.metricsAddress);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorStarted message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorStarted
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorStarted & palimpsest.v1.ActorStarted.$Shape} ActorStarted
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorStarted.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorStarted();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.address = value;
                            else
                                delete message.address;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.metricsAddress = value;
                            else
                                delete message.metricsAddress;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorStarted;
        })();

        v1.ActorDied = (function() {

            /**
             * Properties of an ActorDied.
             * @typedef {Object} palimpsest.v1.ActorDied.$Properties
             * @property {string|null} [actorId] ActorDied actorId
             * @property {number|null} [incarnation] ActorDied incarnation
             * @property {palimpsest.v1.DeathCertificate.$Properties|null} [certificate] ActorDied certificate
             * @property {palimpsest.v1.Error.$Properties|null} [constructorError] ActorDied constructorError
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ActorDied.
             * @memberof palimpsest.v1
             * @interface IActorDied
             * @augments palimpsest.v1.ActorDied.$Properties
             * @deprecated Use palimpsest.v1.ActorDied.$Properties instead.
             */

            /**
             * Shape of an ActorDied.
             * @typedef {palimpsest.v1.ActorDied.$Properties} palimpsest.v1.ActorDied.$Shape
             */

            /**
             * Constructs a new ActorDied.
             * @memberof palimpsest.v1
             * @classdesc Represents an ActorDied.
             * @constructor
             * @param {palimpsest.v1.ActorDied.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ActorDied = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ActorDied actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.ActorDied
             * @instance
             */
            ActorDied.prototype.actorId = "";

            /**
             * ActorDied incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.ActorDied
             * @instance
             */
            ActorDied.prototype.incarnation = 0;

            /**
             * ActorDied certificate.
             * @member {palimpsest.v1.DeathCertificate.$Properties|null|undefined} certificate
             * @memberof palimpsest.v1.ActorDied
             * @instance
             */
            ActorDied.prototype.certificate = null;

            /**
             * ActorDied constructorError.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} constructorError
             * @memberof palimpsest.v1.ActorDied
             * @instance
             */
            ActorDied.prototype.constructorError = null;

            /**
             * Creates a new ActorDied instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ActorDied
             * @static
             * @param {palimpsest.v1.ActorDied.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ActorDied} ActorDied instance
             * @type {{
             *   (properties: palimpsest.v1.ActorDied.$Shape): palimpsest.v1.ActorDied & palimpsest.v1.ActorDied.$Shape;
             *   (properties?: palimpsest.v1.ActorDied.$Properties): palimpsest.v1.ActorDied;
             * }}
             */
            ActorDied.create = function(properties) {
                return new ActorDied(properties);
            };

            /**
             * Encodes the specified ActorDied message. Does not implicitly {@link palimpsest.v1.ActorDied.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ActorDied
             * @static
             * @param {palimpsest.v1.ActorDied.$Properties} message ActorDied message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ActorDied.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.incarnation);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate"))
                    $root.palimpsest.v1.DeathCertificate.encode(message.certificate, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.constructorError != null && $Object.hasOwnProperty.call(message, "constructorError"))
                    $root.palimpsest.v1.Error.encode(message.constructorError, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ActorDied message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ActorDied
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorDied & palimpsest.v1.ActorDied.$Shape} ActorDied
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ActorDied.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ActorDied();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.certificate = $root.palimpsest.v1.DeathCertificate.decode(reader, reader.size(), $undefined, _depth + 1, message.certificate);
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.constructorError = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.constructorError);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ActorDied;
        })();

        v1.DriverOutput = (function() {

            /**
             * Properties of a DriverOutput.
             * @typedef {Object} palimpsest.v1.DriverOutput.$Properties
             * @property {string|null} [jobId] DriverOutput jobId
             * @property {Uint8Array|null} [data] DriverOutput data
             * @property {number|null} [offsetBytes] DriverOutput offsetBytes
             * @property {string|null} [nodeId] DriverOutput nodeId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DriverOutput.
             * @memberof palimpsest.v1
             * @interface IDriverOutput
             * @augments palimpsest.v1.DriverOutput.$Properties
             * @deprecated Use palimpsest.v1.DriverOutput.$Properties instead.
             */

            /**
             * Shape of a DriverOutput.
             * @typedef {palimpsest.v1.DriverOutput.$Properties} palimpsest.v1.DriverOutput.$Shape
             */

            /**
             * Constructs a new DriverOutput.
             * @memberof palimpsest.v1
             * @classdesc Represents a DriverOutput.
             * @constructor
             * @param {palimpsest.v1.DriverOutput.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DriverOutput = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DriverOutput jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.DriverOutput
             * @instance
             */
            DriverOutput.prototype.jobId = "";

            /**
             * DriverOutput data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.DriverOutput
             * @instance
             */
            DriverOutput.prototype.data = $util.newBuffer([]);

            /**
             * DriverOutput offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.DriverOutput
             * @instance
             */
            DriverOutput.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * DriverOutput nodeId.
             * @member {string} nodeId
             * @memberof palimpsest.v1.DriverOutput
             * @instance
             */
            DriverOutput.prototype.nodeId = "";

            /**
             * Creates a new DriverOutput instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DriverOutput
             * @static
             * @param {palimpsest.v1.DriverOutput.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DriverOutput} DriverOutput instance
             * @type {{
             *   (properties: palimpsest.v1.DriverOutput.$Shape): palimpsest.v1.DriverOutput & palimpsest.v1.DriverOutput.$Shape;
             *   (properties?: palimpsest.v1.DriverOutput.$Properties): palimpsest.v1.DriverOutput;
             * }}
             */
            DriverOutput.create = function(properties) {
                return new DriverOutput(properties);
            };

            /**
             * Encodes the specified DriverOutput message. Does not implicitly {@link palimpsest.v1.DriverOutput.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DriverOutput
             * @static
             * @param {palimpsest.v1.DriverOutput.$Properties} message DriverOutput message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DriverOutput.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 2, wireType 2 =*/18).bytes(message.data);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.offsetBytes);
                if (message.nodeId != null && $Object.hasOwnProperty.call(message, "nodeId") && message.nodeId !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.nodeId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DriverOutput message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DriverOutput
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverOutput & palimpsest.v1.DriverOutput.$Shape} DriverOutput
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DriverOutput.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DriverOutput();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.nodeId = value;
                            else
                                delete message.nodeId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DriverOutput;
        })();

        v1.DriverStarted = (function() {

            /**
             * Properties of a DriverStarted.
             * @typedef {Object} palimpsest.v1.DriverStarted.$Properties
             * @property {string|null} [jobId] DriverStarted jobId
             * @property {number|null} [pid] DriverStarted pid
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DriverStarted.
             * @memberof palimpsest.v1
             * @interface IDriverStarted
             * @augments palimpsest.v1.DriverStarted.$Properties
             * @deprecated Use palimpsest.v1.DriverStarted.$Properties instead.
             */

            /**
             * Shape of a DriverStarted.
             * @typedef {palimpsest.v1.DriverStarted.$Properties} palimpsest.v1.DriverStarted.$Shape
             */

            /**
             * Constructs a new DriverStarted.
             * @memberof palimpsest.v1
             * @classdesc Represents a DriverStarted.
             * @constructor
             * @param {palimpsest.v1.DriverStarted.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DriverStarted = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DriverStarted jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.DriverStarted
             * @instance
             */
            DriverStarted.prototype.jobId = "";

            /**
             * DriverStarted pid.
             * @member {number} pid
             * @memberof palimpsest.v1.DriverStarted
             * @instance
             */
            DriverStarted.prototype.pid = 0;

            /**
             * Creates a new DriverStarted instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DriverStarted
             * @static
             * @param {palimpsest.v1.DriverStarted.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DriverStarted} DriverStarted instance
             * @type {{
             *   (properties: palimpsest.v1.DriverStarted.$Shape): palimpsest.v1.DriverStarted & palimpsest.v1.DriverStarted.$Shape;
             *   (properties?: palimpsest.v1.DriverStarted.$Properties): palimpsest.v1.DriverStarted;
             * }}
             */
            DriverStarted.create = function(properties) {
                return new DriverStarted(properties);
            };

            /**
             * Encodes the specified DriverStarted message. Does not implicitly {@link palimpsest.v1.DriverStarted.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DriverStarted
             * @static
             * @param {palimpsest.v1.DriverStarted.$Properties} message DriverStarted message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DriverStarted.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.pid != null && $Object.hasOwnProperty.call(message, "pid") && message.pid !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.pid);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DriverStarted message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DriverStarted
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverStarted & palimpsest.v1.DriverStarted.$Shape} DriverStarted
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DriverStarted.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DriverStarted();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.pid = value;
                            else
                                delete message.pid;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DriverStarted;
        })();

        v1.DriverExited = (function() {

            /**
             * Properties of a DriverExited.
             * @typedef {Object} palimpsest.v1.DriverExited.$Properties
             * @property {string|null} [jobId] DriverExited jobId
             * @property {palimpsest.v1.DeathCertificate.$Properties|null} [certificate] DriverExited certificate
             * @property {number|null} [outputBytes] DriverExited outputBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DriverExited.
             * @memberof palimpsest.v1
             * @interface IDriverExited
             * @augments palimpsest.v1.DriverExited.$Properties
             * @deprecated Use palimpsest.v1.DriverExited.$Properties instead.
             */

            /**
             * Shape of a DriverExited.
             * @typedef {palimpsest.v1.DriverExited.$Properties} palimpsest.v1.DriverExited.$Shape
             */

            /**
             * Constructs a new DriverExited.
             * @memberof palimpsest.v1
             * @classdesc Represents a DriverExited.
             * @constructor
             * @param {palimpsest.v1.DriverExited.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DriverExited = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DriverExited jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.DriverExited
             * @instance
             */
            DriverExited.prototype.jobId = "";

            /**
             * DriverExited certificate.
             * @member {palimpsest.v1.DeathCertificate.$Properties|null|undefined} certificate
             * @memberof palimpsest.v1.DriverExited
             * @instance
             */
            DriverExited.prototype.certificate = null;

            /**
             * DriverExited outputBytes.
             * @member {number} outputBytes
             * @memberof palimpsest.v1.DriverExited
             * @instance
             */
            DriverExited.prototype.outputBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new DriverExited instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DriverExited
             * @static
             * @param {palimpsest.v1.DriverExited.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DriverExited} DriverExited instance
             * @type {{
             *   (properties: palimpsest.v1.DriverExited.$Shape): palimpsest.v1.DriverExited & palimpsest.v1.DriverExited.$Shape;
             *   (properties?: palimpsest.v1.DriverExited.$Properties): palimpsest.v1.DriverExited;
             * }}
             */
            DriverExited.create = function(properties) {
                return new DriverExited(properties);
            };

            /**
             * Encodes the specified DriverExited message. Does not implicitly {@link palimpsest.v1.DriverExited.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DriverExited
             * @static
             * @param {palimpsest.v1.DriverExited.$Properties} message DriverExited message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DriverExited.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.certificate != null && $Object.hasOwnProperty.call(message, "certificate"))
                    $root.palimpsest.v1.DeathCertificate.encode(message.certificate, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.outputBytes != null && $Object.hasOwnProperty.call(message, "outputBytes") && (typeof message.outputBytes === "object" ? message.outputBytes.low || message.outputBytes.high : message.outputBytes !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.outputBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DriverExited message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DriverExited
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverExited & palimpsest.v1.DriverExited.$Shape} DriverExited
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DriverExited.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DriverExited();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.certificate = $root.palimpsest.v1.DeathCertificate.decode(reader, reader.size(), $undefined, _depth + 1, message.certificate);
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.outputBytes = value;
                            else
                                delete message.outputBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DriverExited;
        })();

        v1.HeadMessage = (function() {

            /**
             * Properties of a HeadMessage.
             * @typedef {Object} palimpsest.v1.HeadMessage.$Properties
             * @property {palimpsest.v1.Registered.$Properties|null} [registered] HeadMessage registered
             * @property {palimpsest.v1.StartActor.$Properties|null} [startActor] HeadMessage startActor
             * @property {palimpsest.v1.StopActor.$Properties|null} [stopActor] HeadMessage stopActor
             * @property {palimpsest.v1.StartDriver.$Properties|null} [startDriver] HeadMessage startDriver
             * @property {palimpsest.v1.StopDriver.$Properties|null} [stopDriver] HeadMessage stopDriver
             * @property {palimpsest.v1.StopNode.$Properties|null} [stopNode] HeadMessage stopNode
             * @property {palimpsest.v1.ReleaseHolder.$Properties|null} [releaseHolder] HeadMessage releaseHolder
             * @property {"registered"|"startActor"|"stopActor"|"startDriver"|"stopDriver"|"stopNode"|"releaseHolder"} [message] HeadMessage message
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a HeadMessage.
             * @memberof palimpsest.v1
             * @interface IHeadMessage
             * @augments palimpsest.v1.HeadMessage.$Properties
             * @deprecated Use palimpsest.v1.HeadMessage.$Properties instead.
             */

            /**
             * Narrowed shape of a HeadMessage.
             * @typedef {{
             *   registered?: palimpsest.v1.Registered.$Shape|null;
             *   startActor?: palimpsest.v1.StartActor.$Shape|null;
             *   stopActor?: palimpsest.v1.StopActor.$Shape|null;
             *   startDriver?: palimpsest.v1.StartDriver.$Shape|null;
             *   stopDriver?: palimpsest.v1.StopDriver.$Shape|null;
             *   stopNode?: palimpsest.v1.StopNode.$Shape|null;
             *   releaseHolder?: palimpsest.v1.ReleaseHolder.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ message?: undefined; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; releaseHolder?: null }|{ message?: "registered"; registered: palimpsest.v1.Registered.$Shape; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; releaseHolder?: null }|{ message?: "startActor"; registered?: null; startActor: palimpsest.v1.StartActor.$Shape; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; releaseHolder?: null }|{ message?: "stopActor"; registered?: null; startActor?: null; stopActor: palimpsest.v1.StopActor.$Shape; startDriver?: null; stopDriver?: null; stopNode?: null; releaseHolder?: null }|{ message?: "startDriver"; registered?: null; startActor?: null; stopActor?: null; startDriver: palimpsest.v1.StartDriver.$Shape; stopDriver?: null; stopNode?: null; releaseHolder?: null }|{ message?: "stopDriver"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver: palimpsest.v1.StopDriver.$Shape; stopNode?: null; releaseHolder?: null }|{ message?: "stopNode"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode: palimpsest.v1.StopNode.$Shape; releaseHolder?: null }|{ message?: "releaseHolder"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; releaseHolder: palimpsest.v1.ReleaseHolder.$Shape })
             * )} palimpsest.v1.HeadMessage.$Shape
             */

            /**
             * Constructs a new HeadMessage.
             * @memberof palimpsest.v1
             * @classdesc Represents a HeadMessage.
             * @constructor
             * @param {palimpsest.v1.HeadMessage.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const HeadMessage = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * HeadMessage registered.
             * @member {palimpsest.v1.Registered.$Properties|null|undefined} registered
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.registered = null;

            /**
             * HeadMessage startActor.
             * @member {palimpsest.v1.StartActor.$Properties|null|undefined} startActor
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.startActor = null;

            /**
             * HeadMessage stopActor.
             * @member {palimpsest.v1.StopActor.$Properties|null|undefined} stopActor
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.stopActor = null;

            /**
             * HeadMessage startDriver.
             * @member {palimpsest.v1.StartDriver.$Properties|null|undefined} startDriver
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.startDriver = null;

            /**
             * HeadMessage stopDriver.
             * @member {palimpsest.v1.StopDriver.$Properties|null|undefined} stopDriver
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.stopDriver = null;

            /**
             * HeadMessage stopNode.
             * @member {palimpsest.v1.StopNode.$Properties|null|undefined} stopNode
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.stopNode = null;

            /**
             * HeadMessage releaseHolder.
             * @member {palimpsest.v1.ReleaseHolder.$Properties|null|undefined} releaseHolder
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            HeadMessage.prototype.releaseHolder = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * HeadMessage message.
             * @member {"registered"|"startActor"|"stopActor"|"startDriver"|"stopDriver"|"stopNode"|"releaseHolder"|undefined} message
             * @memberof palimpsest.v1.HeadMessage
             * @instance
             */
            $Object.defineProperty(HeadMessage.prototype, "message", {
                get: $util.oneOfGetter($oneOfFields = ["registered", "startActor", "stopActor", "startDriver", "stopDriver", "stopNode", "releaseHolder"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new HeadMessage instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.HeadMessage
             * @static
             * @param {palimpsest.v1.HeadMessage.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.HeadMessage} HeadMessage instance
             * @type {{
             *   (properties: palimpsest.v1.HeadMessage.$Shape): palimpsest.v1.HeadMessage & palimpsest.v1.HeadMessage.$Shape;
             *   (properties?: palimpsest.v1.HeadMessage.$Properties): palimpsest.v1.HeadMessage;
             * }}
             */
            HeadMessage.create = function(properties) {
                return new HeadMessage(properties);
            };

            /**
             * Encodes the specified HeadMessage message. Does not implicitly {@link palimpsest.v1.HeadMessage.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.HeadMessage
             * @static
             * @param {palimpsest.v1.HeadMessage.$Properties} message HeadMessage message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            HeadMessage.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.registered != null && $Object.hasOwnProperty.call(message, "registered"))
                    $root.palimpsest.v1.Registered.encode(message.registered, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.startActor != null && $Object.hasOwnProperty.call(message, "startActor"))
                    $root.palimpsest.v1.StartActor.encode(message.startActor, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.stopActor != null && $Object.hasOwnProperty.call(message, "stopActor"))
                    $root.palimpsest.v1.StopActor.encode(message.stopActor, writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.startDriver != null && $Object.hasOwnProperty.call(message, "startDriver"))
                    $root.palimpsest.v1.StartDriver.encode(message.startDriver, writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.stopDriver != null && $Object.hasOwnProperty.call(message, "stopDriver"))
                    $root.palimpsest.v1.StopDriver.encode(message.stopDriver, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.stopNode != null && $Object.hasOwnProperty.call(message, "stopNode"))
                    $root.palimpsest.v1.StopNode.encode(message.stopNode, writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.releaseHolder != null && $Object.hasOwnProperty.call(message, "releaseHolder"))
                    $root.palimpsest.v1.ReleaseHolder.encode(message.releaseHolder, writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a HeadMessage message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.HeadMessage
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.HeadMessage & palimpsest.v1.HeadMessage.$Shape} HeadMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            HeadMessage.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.HeadMessage();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.registered = $root.palimpsest.v1.Registered.decode(reader, reader.size(), $undefined, _depth + 1, message.registered);
                            message.message = "registered";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.startActor = $root.palimpsest.v1.StartActor.decode(reader, reader.size(), $undefined, _depth + 1, message.startActor);
                            message.message = "startActor";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            message.stopActor = $root.palimpsest.v1.StopActor.decode(reader, reader.size(), $undefined, _depth + 1, message.stopActor);
                            message.message = "stopActor";
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.startDriver = $root.palimpsest.v1.StartDriver.decode(reader, reader.size(), $undefined, _depth + 1, message.startDriver);
                            message.message = "startDriver";
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.stopDriver = $root.palimpsest.v1.StopDriver.decode(reader, reader.size(), $undefined, _depth + 1, message.stopDriver);
                            message.message = "stopDriver";
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            message.stopNode = $root.palimpsest.v1.StopNode.decode(reader, reader.size(), $undefined, _depth + 1, message.stopNode);
                            message.message = "stopNode";
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            message.releaseHolder = $root.palimpsest.v1.ReleaseHolder.decode(reader, reader.size(), $undefined, _depth + 1, message.releaseHolder);
                            message.message = "releaseHolder";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return HeadMessage;
        })();

        v1.Registered = (function() {

            /**
             * Properties of a Registered.
             * @typedef {Object} palimpsest.v1.Registered.$Properties
             * @property {string|null} [clusterId] Registered clusterId
             * @property {number|null} [heartbeatIntervalMs] Registered heartbeatIntervalMs
             * @property {string|null} [redisUrl] Registered redisUrl
             * @property {Array.<string>|null} [stopActorIds] Registered stopActorIds
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Registered.
             * @memberof palimpsest.v1
             * @interface IRegistered
             * @augments palimpsest.v1.Registered.$Properties
             * @deprecated Use palimpsest.v1.Registered.$Properties instead.
             */

            /**
             * Shape of a Registered.
             * @typedef {palimpsest.v1.Registered.$Properties} palimpsest.v1.Registered.$Shape
             */

            /**
             * Constructs a new Registered.
             * @memberof palimpsest.v1
             * @classdesc Represents a Registered.
             * @constructor
             * @param {palimpsest.v1.Registered.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Registered = function (properties) {
                this.stopActorIds = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Registered clusterId.
             * @member {string} clusterId
             * @memberof palimpsest.v1.Registered
             * @instance
             */
            Registered.prototype.clusterId = "";

            /**
             * Registered heartbeatIntervalMs.
             * @member {number} heartbeatIntervalMs
             * @memberof palimpsest.v1.Registered
             * @instance
             */
            Registered.prototype.heartbeatIntervalMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Registered redisUrl.
             * @member {string} redisUrl
             * @memberof palimpsest.v1.Registered
             * @instance
             */
            Registered.prototype.redisUrl = "";

            /**
             * Registered stopActorIds.
             * @member {Array.<string>} stopActorIds
             * @memberof palimpsest.v1.Registered
             * @instance
             */
            Registered.prototype.stopActorIds = $util.emptyArray;

            /**
             * Creates a new Registered instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Registered
             * @static
             * @param {palimpsest.v1.Registered.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Registered} Registered instance
             * @type {{
             *   (properties: palimpsest.v1.Registered.$Shape): palimpsest.v1.Registered & palimpsest.v1.Registered.$Shape;
             *   (properties?: palimpsest.v1.Registered.$Properties): palimpsest.v1.Registered;
             * }}
             */
            Registered.create = function(properties) {
                return new Registered(properties);
            };

            /**
             * Encodes the specified Registered message. Does not implicitly {@link palimpsest.v1.Registered.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Registered
             * @static
             * @param {palimpsest.v1.Registered.$Properties} message Registered message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Registered.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.clusterId != null && $Object.hasOwnProperty.call(message, "clusterId") && message.clusterId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.clusterId);
                if (message.heartbeatIntervalMs != null && $Object.hasOwnProperty.call(message, "heartbeatIntervalMs") && (typeof message.heartbeatIntervalMs === "object" ? message.heartbeatIntervalMs.low || message.heartbeatIntervalMs.high : message.heartbeatIntervalMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.heartbeatIntervalMs);
                if (message.redisUrl != null && $Object.hasOwnProperty.call(message, "redisUrl") && message.redisUrl !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.redisUrl);
                if (message.stopActorIds != null && message.stopActorIds.length)
                    for (let i = 0; i < message.stopActorIds.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.stopActorIds[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Registered message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Registered
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Registered & palimpsest.v1.Registered.$Shape} Registered
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Registered.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Registered();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.clusterId = value;
                            else
                                delete message.clusterId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.heartbeatIntervalMs = value;
                            else
                                delete message.heartbeatIntervalMs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.redisUrl = value;
                            else
                                delete message.redisUrl;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.stopActorIds && message.stopActorIds.length))
                                message.stopActorIds = [];
                            message.stopActorIds.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Registered;
        })();

        v1.StartActor = (function() {

            /**
             * Properties of a StartActor.
             * @typedef {Object} palimpsest.v1.StartActor.$Properties
             * @property {palimpsest.v1.ActorSpec.$Properties|null} [spec] StartActor spec
             * @property {number|null} [incarnation] StartActor incarnation
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StartActor.
             * @memberof palimpsest.v1
             * @interface IStartActor
             * @augments palimpsest.v1.StartActor.$Properties
             * @deprecated Use palimpsest.v1.StartActor.$Properties instead.
             */

            /**
             * Shape of a StartActor.
             * @typedef {{
             *   spec?: palimpsest.v1.ActorSpec.$Shape|null;
             *   incarnation?: number|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.StartActor.$Shape
             */

            /**
             * Constructs a new StartActor.
             * @memberof palimpsest.v1
             * @classdesc Represents a StartActor.
             * @constructor
             * @param {palimpsest.v1.StartActor.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StartActor = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StartActor spec.
             * @member {palimpsest.v1.ActorSpec.$Properties|null|undefined} spec
             * @memberof palimpsest.v1.StartActor
             * @instance
             */
            StartActor.prototype.spec = null;

            /**
             * StartActor incarnation.
             * @member {number} incarnation
             * @memberof palimpsest.v1.StartActor
             * @instance
             */
            StartActor.prototype.incarnation = 0;

            /**
             * Creates a new StartActor instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StartActor
             * @static
             * @param {palimpsest.v1.StartActor.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StartActor} StartActor instance
             * @type {{
             *   (properties: palimpsest.v1.StartActor.$Shape): palimpsest.v1.StartActor & palimpsest.v1.StartActor.$Shape;
             *   (properties?: palimpsest.v1.StartActor.$Properties): palimpsest.v1.StartActor;
             * }}
             */
            StartActor.create = function(properties) {
                return new StartActor(properties);
            };

            /**
             * Encodes the specified StartActor message. Does not implicitly {@link palimpsest.v1.StartActor.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StartActor
             * @static
             * @param {palimpsest.v1.StartActor.$Properties} message StartActor message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StartActor.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.spec != null && $Object.hasOwnProperty.call(message, "spec"))
                    $root.palimpsest.v1.ActorSpec.encode(message.spec, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.incarnation != null && $Object.hasOwnProperty.call(message, "incarnation") && message.incarnation !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.incarnation);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StartActor message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StartActor
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StartActor & palimpsest.v1.StartActor.$Shape} StartActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StartActor.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StartActor();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.spec = $root.palimpsest.v1.ActorSpec.decode(reader, reader.size(), $undefined, _depth + 1, message.spec);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.incarnation = value;
                            else
                                delete message.incarnation;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StartActor;
        })();

        v1.StopActor = (function() {

            /**
             * Properties of a StopActor.
             * @typedef {Object} palimpsest.v1.StopActor.$Properties
             * @property {string|null} [actorId] StopActor actorId
             * @property {number|null} [graceMs] StopActor graceMs
             * @property {string|null} [reason] StopActor reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StopActor.
             * @memberof palimpsest.v1
             * @interface IStopActor
             * @augments palimpsest.v1.StopActor.$Properties
             * @deprecated Use palimpsest.v1.StopActor.$Properties instead.
             */

            /**
             * Shape of a StopActor.
             * @typedef {palimpsest.v1.StopActor.$Properties} palimpsest.v1.StopActor.$Shape
             */

            /**
             * Constructs a new StopActor.
             * @memberof palimpsest.v1
             * @classdesc Represents a StopActor.
             * @constructor
             * @param {palimpsest.v1.StopActor.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StopActor = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StopActor actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.StopActor
             * @instance
             */
            StopActor.prototype.actorId = "";

            /**
             * StopActor graceMs.
             * @member {number} graceMs
             * @memberof palimpsest.v1.StopActor
             * @instance
             */
            StopActor.prototype.graceMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * StopActor reason.
             * @member {string} reason
             * @memberof palimpsest.v1.StopActor
             * @instance
             */
            StopActor.prototype.reason = "";

            /**
             * Creates a new StopActor instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StopActor
             * @static
             * @param {palimpsest.v1.StopActor.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StopActor} StopActor instance
             * @type {{
             *   (properties: palimpsest.v1.StopActor.$Shape): palimpsest.v1.StopActor & palimpsest.v1.StopActor.$Shape;
             *   (properties?: palimpsest.v1.StopActor.$Properties): palimpsest.v1.StopActor;
             * }}
             */
            StopActor.create = function(properties) {
                return new StopActor(properties);
            };

            /**
             * Encodes the specified StopActor message. Does not implicitly {@link palimpsest.v1.StopActor.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StopActor
             * @static
             * @param {palimpsest.v1.StopActor.$Properties} message StopActor message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StopActor.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.actorId);
                if (message.graceMs != null && $Object.hasOwnProperty.call(message, "graceMs") && (typeof message.graceMs === "object" ? message.graceMs.low || message.graceMs.high : message.graceMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.graceMs);
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StopActor message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StopActor
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopActor & palimpsest.v1.StopActor.$Shape} StopActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StopActor.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StopActor();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.graceMs = value;
                            else
                                delete message.graceMs;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StopActor;
        })();

        v1.StartDriver = (function() {

            /**
             * Properties of a StartDriver.
             * @typedef {Object} palimpsest.v1.StartDriver.$Properties
             * @property {string|null} [jobId] StartDriver jobId
             * @property {Array.<string>|null} [argv] StartDriver argv
             * @property {string|null} [bundle] StartDriver bundle
             * @property {Object.<string,string>|null} [environment] StartDriver environment
             * @property {string|null} [workingDir] StartDriver workingDir
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StartDriver.
             * @memberof palimpsest.v1
             * @interface IStartDriver
             * @augments palimpsest.v1.StartDriver.$Properties
             * @deprecated Use palimpsest.v1.StartDriver.$Properties instead.
             */

            /**
             * Shape of a StartDriver.
             * @typedef {palimpsest.v1.StartDriver.$Properties} palimpsest.v1.StartDriver.$Shape
             */

            /**
             * Constructs a new StartDriver.
             * @memberof palimpsest.v1
             * @classdesc Represents a StartDriver.
             * @constructor
             * @param {palimpsest.v1.StartDriver.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StartDriver = function (properties) {
                this.argv = [];
                this.environment = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StartDriver jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.StartDriver
             * @instance
             */
            StartDriver.prototype.jobId = "";

            /**
             * StartDriver argv.
             * @member {Array.<string>} argv
             * @memberof palimpsest.v1.StartDriver
             * @instance
             */
            StartDriver.prototype.argv = $util.emptyArray;

            /**
             * StartDriver bundle.
             * @member {string} bundle
             * @memberof palimpsest.v1.StartDriver
             * @instance
             */
            StartDriver.prototype.bundle = "";

            /**
             * StartDriver environment.
             * @member {Object.<string,string>} environment
             * @memberof palimpsest.v1.StartDriver
             * @instance
             */
            StartDriver.prototype.environment = $util.emptyObject;

            /**
             * StartDriver workingDir.
             * @member {string} workingDir
             * @memberof palimpsest.v1.StartDriver
             * @instance
             */
            StartDriver.prototype.workingDir = "";

            /**
             * Creates a new StartDriver instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StartDriver
             * @static
             * @param {palimpsest.v1.StartDriver.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StartDriver} StartDriver instance
             * @type {{
             *   (properties: palimpsest.v1.StartDriver.$Shape): palimpsest.v1.StartDriver & palimpsest.v1.StartDriver.$Shape;
             *   (properties?: palimpsest.v1.StartDriver.$Properties): palimpsest.v1.StartDriver;
             * }}
             */
            StartDriver.create = function(properties) {
                return new StartDriver(properties);
            };

            /**
             * Encodes the specified StartDriver message. Does not implicitly {@link palimpsest.v1.StartDriver.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StartDriver
             * @static
             * @param {palimpsest.v1.StartDriver.$Properties} message StartDriver message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StartDriver.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.argv != null && message.argv.length)
                    for (let i = 0; i < message.argv.length; ++i)
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.argv[i]);
                if (message.bundle != null && $Object.hasOwnProperty.call(message, "bundle") && message.bundle !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.bundle);
                if (message.environment != null && $Object.hasOwnProperty.call(message, "environment"))
                    for (let keys = $Object.keys(message.environment), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 2 =*/18).string(message.environment[keys[i]]).ldelim();
                if (message.workingDir != null && $Object.hasOwnProperty.call(message, "workingDir") && message.workingDir !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.workingDir);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StartDriver message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StartDriver
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StartDriver & palimpsest.v1.StartDriver.$Shape} StartDriver
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StartDriver.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StartDriver();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.argv && message.argv.length))
                                message.argv = [];
                            message.argv.push(reader.stringVerify());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.bundle = value;
                            else
                                delete message.bundle;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (message.environment === $util.emptyObject)
                                message.environment = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = "";
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = reader.stringVerify();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.environment, key);
                            message.environment[key] = value;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.workingDir = value;
                            else
                                delete message.workingDir;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StartDriver;
        })();

        v1.StopDriver = (function() {

            /**
             * Properties of a StopDriver.
             * @typedef {Object} palimpsest.v1.StopDriver.$Properties
             * @property {string|null} [jobId] StopDriver jobId
             * @property {number|null} [graceMs] StopDriver graceMs
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StopDriver.
             * @memberof palimpsest.v1
             * @interface IStopDriver
             * @augments palimpsest.v1.StopDriver.$Properties
             * @deprecated Use palimpsest.v1.StopDriver.$Properties instead.
             */

            /**
             * Shape of a StopDriver.
             * @typedef {palimpsest.v1.StopDriver.$Properties} palimpsest.v1.StopDriver.$Shape
             */

            /**
             * Constructs a new StopDriver.
             * @memberof palimpsest.v1
             * @classdesc Represents a StopDriver.
             * @constructor
             * @param {palimpsest.v1.StopDriver.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StopDriver = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StopDriver jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.StopDriver
             * @instance
             */
            StopDriver.prototype.jobId = "";

            /**
             * StopDriver graceMs.
             * @member {number} graceMs
             * @memberof palimpsest.v1.StopDriver
             * @instance
             */
            StopDriver.prototype.graceMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new StopDriver instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StopDriver
             * @static
             * @param {palimpsest.v1.StopDriver.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StopDriver} StopDriver instance
             * @type {{
             *   (properties: palimpsest.v1.StopDriver.$Shape): palimpsest.v1.StopDriver & palimpsest.v1.StopDriver.$Shape;
             *   (properties?: palimpsest.v1.StopDriver.$Properties): palimpsest.v1.StopDriver;
             * }}
             */
            StopDriver.create = function(properties) {
                return new StopDriver(properties);
            };

            /**
             * Encodes the specified StopDriver message. Does not implicitly {@link palimpsest.v1.StopDriver.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StopDriver
             * @static
             * @param {palimpsest.v1.StopDriver.$Properties} message StopDriver message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StopDriver.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.graceMs != null && $Object.hasOwnProperty.call(message, "graceMs") && (typeof message.graceMs === "object" ? message.graceMs.low || message.graceMs.high : message.graceMs !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.graceMs);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StopDriver message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StopDriver
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopDriver & palimpsest.v1.StopDriver.$Shape} StopDriver
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StopDriver.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StopDriver();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.graceMs = value;
                            else
                                delete message.graceMs;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StopDriver;
        })();

        v1.StopNode = (function() {

            /**
             * Properties of a StopNode.
             * @typedef {Object} palimpsest.v1.StopNode.$Properties
             * @property {string|null} [reason] StopNode reason
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StopNode.
             * @memberof palimpsest.v1
             * @interface IStopNode
             * @augments palimpsest.v1.StopNode.$Properties
             * @deprecated Use palimpsest.v1.StopNode.$Properties instead.
             */

            /**
             * Shape of a StopNode.
             * @typedef {palimpsest.v1.StopNode.$Properties} palimpsest.v1.StopNode.$Shape
             */

            /**
             * Constructs a new StopNode.
             * @memberof palimpsest.v1
             * @classdesc Represents a StopNode.
             * @constructor
             * @param {palimpsest.v1.StopNode.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StopNode = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StopNode reason.
             * @member {string} reason
             * @memberof palimpsest.v1.StopNode
             * @instance
             */
            StopNode.prototype.reason = "";

            /**
             * Creates a new StopNode instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StopNode
             * @static
             * @param {palimpsest.v1.StopNode.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StopNode} StopNode instance
             * @type {{
             *   (properties: palimpsest.v1.StopNode.$Shape): palimpsest.v1.StopNode & palimpsest.v1.StopNode.$Shape;
             *   (properties?: palimpsest.v1.StopNode.$Properties): palimpsest.v1.StopNode;
             * }}
             */
            StopNode.create = function(properties) {
                return new StopNode(properties);
            };

            /**
             * Encodes the specified StopNode message. Does not implicitly {@link palimpsest.v1.StopNode.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StopNode
             * @static
             * @param {palimpsest.v1.StopNode.$Properties} message StopNode message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StopNode.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.reason != null && $Object.hasOwnProperty.call(message, "reason") && message.reason !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.reason);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StopNode message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StopNode
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopNode & palimpsest.v1.StopNode.$Shape} StopNode
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StopNode.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StopNode();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reason = value;
                            else
                                delete message.reason;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StopNode;
        })();

        v1.DriverOutputAck = (function() {

            /**
             * Properties of a DriverOutputAck.
             * @typedef {Object} palimpsest.v1.DriverOutputAck.$Properties
             * @property {string|null} [jobId] DriverOutputAck jobId
             * @property {number|null} [offsetBytes] DriverOutputAck offsetBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DriverOutputAck.
             * @memberof palimpsest.v1
             * @interface IDriverOutputAck
             * @augments palimpsest.v1.DriverOutputAck.$Properties
             * @deprecated Use palimpsest.v1.DriverOutputAck.$Properties instead.
             */

            /**
             * Shape of a DriverOutputAck.
             * @typedef {palimpsest.v1.DriverOutputAck.$Properties} palimpsest.v1.DriverOutputAck.$Shape
             */

            /**
             * Constructs a new DriverOutputAck.
             * @memberof palimpsest.v1
             * @classdesc Represents a DriverOutputAck.
             * @constructor
             * @param {palimpsest.v1.DriverOutputAck.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DriverOutputAck = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DriverOutputAck jobId.
             * @member {string} jobId
             * @memberof palimpsest.v1.DriverOutputAck
             * @instance
             */
            DriverOutputAck.prototype.jobId = "";

            /**
             * DriverOutputAck offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.DriverOutputAck
             * @instance
             */
            DriverOutputAck.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new DriverOutputAck instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DriverOutputAck
             * @static
             * @param {palimpsest.v1.DriverOutputAck.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DriverOutputAck} DriverOutputAck instance
             * @type {{
             *   (properties: palimpsest.v1.DriverOutputAck.$Shape): palimpsest.v1.DriverOutputAck & palimpsest.v1.DriverOutputAck.$Shape;
             *   (properties?: palimpsest.v1.DriverOutputAck.$Properties): palimpsest.v1.DriverOutputAck;
             * }}
             */
            DriverOutputAck.create = function(properties) {
                return new DriverOutputAck(properties);
            };

            /**
             * Encodes the specified DriverOutputAck message. Does not implicitly {@link palimpsest.v1.DriverOutputAck.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DriverOutputAck
             * @static
             * @param {palimpsest.v1.DriverOutputAck.$Properties} message DriverOutputAck message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DriverOutputAck.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.jobId != null && $Object.hasOwnProperty.call(message, "jobId") && message.jobId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.jobId);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.offsetBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DriverOutputAck message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DriverOutputAck
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverOutputAck & palimpsest.v1.DriverOutputAck.$Shape} DriverOutputAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DriverOutputAck.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DriverOutputAck();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.jobId = value;
                            else
                                delete message.jobId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DriverOutputAck;
        })();

        v1.ReleaseHolder = (function() {

            /**
             * Properties of a ReleaseHolder.
             * @typedef {Object} palimpsest.v1.ReleaseHolder.$Properties
             * @property {string|null} [holder] ReleaseHolder holder
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ReleaseHolder.
             * @memberof palimpsest.v1
             * @interface IReleaseHolder
             * @augments palimpsest.v1.ReleaseHolder.$Properties
             * @deprecated Use palimpsest.v1.ReleaseHolder.$Properties instead.
             */

            /**
             * Shape of a ReleaseHolder.
             * @typedef {palimpsest.v1.ReleaseHolder.$Properties} palimpsest.v1.ReleaseHolder.$Shape
             */

            /**
             * Constructs a new ReleaseHolder.
             * @memberof palimpsest.v1
             * @classdesc Represents a ReleaseHolder.
             * @constructor
             * @param {palimpsest.v1.ReleaseHolder.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ReleaseHolder = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ReleaseHolder holder.
             * @member {string} holder
             * @memberof palimpsest.v1.ReleaseHolder
             * @instance
             */
            ReleaseHolder.prototype.holder = "";

            /**
             * Creates a new ReleaseHolder instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ReleaseHolder
             * @static
             * @param {palimpsest.v1.ReleaseHolder.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ReleaseHolder} ReleaseHolder instance
             * @type {{
             *   (properties: palimpsest.v1.ReleaseHolder.$Shape): palimpsest.v1.ReleaseHolder & palimpsest.v1.ReleaseHolder.$Shape;
             *   (properties?: palimpsest.v1.ReleaseHolder.$Properties): palimpsest.v1.ReleaseHolder;
             * }}
             */
            ReleaseHolder.create = function(properties) {
                return new ReleaseHolder(properties);
            };

            /**
             * Encodes the specified ReleaseHolder message. Does not implicitly {@link palimpsest.v1.ReleaseHolder.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ReleaseHolder
             * @static
             * @param {palimpsest.v1.ReleaseHolder.$Properties} message ReleaseHolder message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ReleaseHolder.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder") && message.holder !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.holder);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ReleaseHolder message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ReleaseHolder
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReleaseHolder & palimpsest.v1.ReleaseHolder.$Shape} ReleaseHolder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ReleaseHolder.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ReleaseHolder();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.holder = value;
                            else
                                delete message.holder;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ReleaseHolder;
        })();

        v1.PutChunk = (function() {

            /**
             * Properties of a PutChunk.
             * @typedef {Object} palimpsest.v1.PutChunk.$Properties
             * @property {Uint8Array|null} [data] PutChunk data
             * @property {number|null} [sizeBytes] PutChunk sizeBytes
             * @property {string|null} [holder] PutChunk holder
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PutChunk.
             * @memberof palimpsest.v1
             * @interface IPutChunk
             * @augments palimpsest.v1.PutChunk.$Properties
             * @deprecated Use palimpsest.v1.PutChunk.$Properties instead.
             */

            /**
             * Shape of a PutChunk.
             * @typedef {palimpsest.v1.PutChunk.$Properties} palimpsest.v1.PutChunk.$Shape
             */

            /**
             * Constructs a new PutChunk.
             * @memberof palimpsest.v1
             * @classdesc Represents a PutChunk.
             * @constructor
             * @param {palimpsest.v1.PutChunk.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PutChunk = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PutChunk data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.PutChunk
             * @instance
             */
            PutChunk.prototype.data = $util.newBuffer([]);

            /**
             * PutChunk sizeBytes.
             * @member {number} sizeBytes
             * @memberof palimpsest.v1.PutChunk
             * @instance
             */
            PutChunk.prototype.sizeBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * PutChunk holder.
             * @member {string} holder
             * @memberof palimpsest.v1.PutChunk
             * @instance
             */
            PutChunk.prototype.holder = "";

            /**
             * Creates a new PutChunk instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.PutChunk
             * @static
             * @param {palimpsest.v1.PutChunk.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.PutChunk} PutChunk instance
             * @type {{
             *   (properties: palimpsest.v1.PutChunk.$Shape): palimpsest.v1.PutChunk & palimpsest.v1.PutChunk.$Shape;
             *   (properties?: palimpsest.v1.PutChunk.$Properties): palimpsest.v1.PutChunk;
             * }}
             */
            PutChunk.create = function(properties) {
                return new PutChunk(properties);
            };

            /**
             * Encodes the specified PutChunk message. Does not implicitly {@link palimpsest.v1.PutChunk.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.PutChunk
             * @static
             * @param {palimpsest.v1.PutChunk.$Properties} message PutChunk message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PutChunk.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.data);
                if (message.sizeBytes != null && $Object.hasOwnProperty.call(message, "sizeBytes") && (typeof message.sizeBytes === "object" ? message.sizeBytes.low || message.sizeBytes.high : message.sizeBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.sizeBytes);
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder") && message.holder !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.holder);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PutChunk message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.PutChunk
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.PutChunk & palimpsest.v1.PutChunk.$Shape} PutChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PutChunk.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.PutChunk();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sizeBytes = value;
                            else
                                delete message.sizeBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.holder = value;
                            else
                                delete message.holder;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PutChunk;
        })();

        v1.ObjectInfo = (function() {

            /**
             * Properties of an ObjectInfo.
             * @typedef {Object} palimpsest.v1.ObjectInfo.$Properties
             * @property {string|null} [objectId] ObjectInfo objectId
             * @property {number|null} [sizeBytes] ObjectInfo sizeBytes
             * @property {string|null} [path] ObjectInfo path
             * @property {Array.<string>|null} [locations] ObjectInfo locations
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of an ObjectInfo.
             * @memberof palimpsest.v1
             * @interface IObjectInfo
             * @augments palimpsest.v1.ObjectInfo.$Properties
             * @deprecated Use palimpsest.v1.ObjectInfo.$Properties instead.
             */

            /**
             * Shape of an ObjectInfo.
             * @typedef {palimpsest.v1.ObjectInfo.$Properties} palimpsest.v1.ObjectInfo.$Shape
             */

            /**
             * Constructs a new ObjectInfo.
             * @memberof palimpsest.v1
             * @classdesc Represents an ObjectInfo.
             * @constructor
             * @param {palimpsest.v1.ObjectInfo.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ObjectInfo = function (properties) {
                this.locations = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ObjectInfo objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.ObjectInfo
             * @instance
             */
            ObjectInfo.prototype.objectId = "";

            /**
             * ObjectInfo sizeBytes.
             * @member {number} sizeBytes
             * @memberof palimpsest.v1.ObjectInfo
             * @instance
             */
            ObjectInfo.prototype.sizeBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * ObjectInfo path.
             * @member {string} path
             * @memberof palimpsest.v1.ObjectInfo
             * @instance
             */
            ObjectInfo.prototype.path = "";

            /**
             * ObjectInfo locations.
             * @member {Array.<string>} locations
             * @memberof palimpsest.v1.ObjectInfo
             * @instance
             */
            ObjectInfo.prototype.locations = $util.emptyArray;

            /**
             * Creates a new ObjectInfo instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ObjectInfo
             * @static
             * @param {palimpsest.v1.ObjectInfo.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ObjectInfo} ObjectInfo instance
             * @type {{
             *   (properties: palimpsest.v1.ObjectInfo.$Shape): palimpsest.v1.ObjectInfo & palimpsest.v1.ObjectInfo.$Shape;
             *   (properties?: palimpsest.v1.ObjectInfo.$Properties): palimpsest.v1.ObjectInfo;
             * }}
             */
            ObjectInfo.create = function(properties) {
                return new ObjectInfo(properties);
            };

            /**
             * Encodes the specified ObjectInfo message. Does not implicitly {@link palimpsest.v1.ObjectInfo.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ObjectInfo
             * @static
             * @param {palimpsest.v1.ObjectInfo.$Properties} message ObjectInfo message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ObjectInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.sizeBytes != null && $Object.hasOwnProperty.call(message, "sizeBytes") && (typeof message.sizeBytes === "object" ? message.sizeBytes.low || message.sizeBytes.high : message.sizeBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.sizeBytes);
                if (message.path != null && $Object.hasOwnProperty.call(message, "path") && message.path !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.path);
                if (message.locations != null && message.locations.length)
                    for (let i = 0; i < message.locations.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.locations[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes an ObjectInfo message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ObjectInfo
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectInfo & palimpsest.v1.ObjectInfo.$Shape} ObjectInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ObjectInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ObjectInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sizeBytes = value;
                            else
                                delete message.sizeBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.path = value;
                            else
                                delete message.path;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.locations && message.locations.length))
                                message.locations = [];
                            message.locations.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ObjectInfo;
        })();

        v1.PullRequest = (function() {

            /**
             * Properties of a PullRequest.
             * @typedef {Object} palimpsest.v1.PullRequest.$Properties
             * @property {string|null} [objectId] PullRequest objectId
             * @property {number|null} [offsetBytes] PullRequest offsetBytes
             * @property {number|null} [lengthBytes] PullRequest lengthBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PullRequest.
             * @memberof palimpsest.v1
             * @interface IPullRequest
             * @augments palimpsest.v1.PullRequest.$Properties
             * @deprecated Use palimpsest.v1.PullRequest.$Properties instead.
             */

            /**
             * Shape of a PullRequest.
             * @typedef {palimpsest.v1.PullRequest.$Properties} palimpsest.v1.PullRequest.$Shape
             */

            /**
             * Constructs a new PullRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a PullRequest.
             * @constructor
             * @param {palimpsest.v1.PullRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PullRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PullRequest objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.objectId = "";

            /**
             * PullRequest offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * PullRequest lengthBytes.
             * @member {number} lengthBytes
             * @memberof palimpsest.v1.PullRequest
             * @instance
             */
            PullRequest.prototype.lengthBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new PullRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.PullRequest
             * @static
             * @param {palimpsest.v1.PullRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.PullRequest} PullRequest instance
             * @type {{
             *   (properties: palimpsest.v1.PullRequest.$Shape): palimpsest.v1.PullRequest & palimpsest.v1.PullRequest.$Shape;
             *   (properties?: palimpsest.v1.PullRequest.$Properties): palimpsest.v1.PullRequest;
             * }}
             */
            PullRequest.create = function(properties) {
                return new PullRequest(properties);
            };

            /**
             * Encodes the specified PullRequest message. Does not implicitly {@link palimpsest.v1.PullRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.PullRequest
             * @static
             * @param {palimpsest.v1.PullRequest.$Properties} message PullRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PullRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.offsetBytes);
                if (message.lengthBytes != null && $Object.hasOwnProperty.call(message, "lengthBytes") && (typeof message.lengthBytes === "object" ? message.lengthBytes.low || message.lengthBytes.high : message.lengthBytes !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.lengthBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PullRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.PullRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.PullRequest & palimpsest.v1.PullRequest.$Shape} PullRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PullRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.PullRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.lengthBytes = value;
                            else
                                delete message.lengthBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PullRequest;
        })();

        v1.PullChunk = (function() {

            /**
             * Properties of a PullChunk.
             * @typedef {Object} palimpsest.v1.PullChunk.$Properties
             * @property {Uint8Array|null} [data] PullChunk data
             * @property {number|null} [offsetBytes] PullChunk offsetBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a PullChunk.
             * @memberof palimpsest.v1
             * @interface IPullChunk
             * @augments palimpsest.v1.PullChunk.$Properties
             * @deprecated Use palimpsest.v1.PullChunk.$Properties instead.
             */

            /**
             * Shape of a PullChunk.
             * @typedef {palimpsest.v1.PullChunk.$Properties} palimpsest.v1.PullChunk.$Shape
             */

            /**
             * Constructs a new PullChunk.
             * @memberof palimpsest.v1
             * @classdesc Represents a PullChunk.
             * @constructor
             * @param {palimpsest.v1.PullChunk.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const PullChunk = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * PullChunk data.
             * @member {Uint8Array} data
             * @memberof palimpsest.v1.PullChunk
             * @instance
             */
            PullChunk.prototype.data = $util.newBuffer([]);

            /**
             * PullChunk offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.PullChunk
             * @instance
             */
            PullChunk.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new PullChunk instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.PullChunk
             * @static
             * @param {palimpsest.v1.PullChunk.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.PullChunk} PullChunk instance
             * @type {{
             *   (properties: palimpsest.v1.PullChunk.$Shape): palimpsest.v1.PullChunk & palimpsest.v1.PullChunk.$Shape;
             *   (properties?: palimpsest.v1.PullChunk.$Properties): palimpsest.v1.PullChunk;
             * }}
             */
            PullChunk.create = function(properties) {
                return new PullChunk(properties);
            };

            /**
             * Encodes the specified PullChunk message. Does not implicitly {@link palimpsest.v1.PullChunk.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.PullChunk
             * @static
             * @param {palimpsest.v1.PullChunk.$Properties} message PullChunk message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            PullChunk.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.data != null && $Object.hasOwnProperty.call(message, "data") && message.data.length)
                    writer.uint32(/* id 1, wireType 2 =*/10).bytes(message.data);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.offsetBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a PullChunk message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.PullChunk
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.PullChunk & palimpsest.v1.PullChunk.$Shape} PullChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            PullChunk.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.PullChunk();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.data = value;
                            else
                                delete message.data;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return PullChunk;
        })();

        v1.FetchRequest = (function() {

            /**
             * Properties of a FetchRequest.
             * @typedef {Object} palimpsest.v1.FetchRequest.$Properties
             * @property {string|null} [objectId] FetchRequest objectId
             * @property {Array.<string>|null} [locations] FetchRequest locations
             * @property {string|null} [holder] FetchRequest holder
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a FetchRequest.
             * @memberof palimpsest.v1
             * @interface IFetchRequest
             * @augments palimpsest.v1.FetchRequest.$Properties
             * @deprecated Use palimpsest.v1.FetchRequest.$Properties instead.
             */

            /**
             * Shape of a FetchRequest.
             * @typedef {palimpsest.v1.FetchRequest.$Properties} palimpsest.v1.FetchRequest.$Shape
             */

            /**
             * Constructs a new FetchRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a FetchRequest.
             * @constructor
             * @param {palimpsest.v1.FetchRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const FetchRequest = function (properties) {
                this.locations = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * FetchRequest objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.FetchRequest
             * @instance
             */
            FetchRequest.prototype.objectId = "";

            /**
             * FetchRequest locations.
             * @member {Array.<string>} locations
             * @memberof palimpsest.v1.FetchRequest
             * @instance
             */
            FetchRequest.prototype.locations = $util.emptyArray;

            /**
             * FetchRequest holder.
             * @member {string} holder
             * @memberof palimpsest.v1.FetchRequest
             * @instance
             */
            FetchRequest.prototype.holder = "";

            /**
             * Creates a new FetchRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.FetchRequest
             * @static
             * @param {palimpsest.v1.FetchRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.FetchRequest} FetchRequest instance
             * @type {{
             *   (properties: palimpsest.v1.FetchRequest.$Shape): palimpsest.v1.FetchRequest & palimpsest.v1.FetchRequest.$Shape;
             *   (properties?: palimpsest.v1.FetchRequest.$Properties): palimpsest.v1.FetchRequest;
             * }}
             */
            FetchRequest.create = function(properties) {
                return new FetchRequest(properties);
            };

            /**
             * Encodes the specified FetchRequest message. Does not implicitly {@link palimpsest.v1.FetchRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.FetchRequest
             * @static
             * @param {palimpsest.v1.FetchRequest.$Properties} message FetchRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            FetchRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.locations != null && message.locations.length)
                    for (let i = 0; i < message.locations.length; ++i)
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.locations[i]);
                if (message.holder != null && $Object.hasOwnProperty.call(message, "holder") && message.holder !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.holder);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a FetchRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.FetchRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.FetchRequest & palimpsest.v1.FetchRequest.$Shape} FetchRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            FetchRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.FetchRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.locations && message.locations.length))
                                message.locations = [];
                            message.locations.push(reader.stringVerify());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.holder = value;
                            else
                                delete message.holder;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return FetchRequest;
        })();

        v1.StatRequest = (function() {

            /**
             * Properties of a StatRequest.
             * @typedef {Object} palimpsest.v1.StatRequest.$Properties
             * @property {string|null} [objectId] StatRequest objectId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StatRequest.
             * @memberof palimpsest.v1
             * @interface IStatRequest
             * @augments palimpsest.v1.StatRequest.$Properties
             * @deprecated Use palimpsest.v1.StatRequest.$Properties instead.
             */

            /**
             * Shape of a StatRequest.
             * @typedef {palimpsest.v1.StatRequest.$Properties} palimpsest.v1.StatRequest.$Shape
             */

            /**
             * Constructs a new StatRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a StatRequest.
             * @constructor
             * @param {palimpsest.v1.StatRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StatRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StatRequest objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.StatRequest
             * @instance
             */
            StatRequest.prototype.objectId = "";

            /**
             * Creates a new StatRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StatRequest
             * @static
             * @param {palimpsest.v1.StatRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StatRequest} StatRequest instance
             * @type {{
             *   (properties: palimpsest.v1.StatRequest.$Shape): palimpsest.v1.StatRequest & palimpsest.v1.StatRequest.$Shape;
             *   (properties?: palimpsest.v1.StatRequest.$Properties): palimpsest.v1.StatRequest;
             * }}
             */
            StatRequest.create = function(properties) {
                return new StatRequest(properties);
            };

            /**
             * Encodes the specified StatRequest message. Does not implicitly {@link palimpsest.v1.StatRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StatRequest
             * @static
             * @param {palimpsest.v1.StatRequest.$Properties} message StatRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StatRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StatRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StatRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StatRequest & palimpsest.v1.StatRequest.$Shape} StatRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StatRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StatRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StatRequest;
        })();

        v1.DeleteRequest = (function() {

            /**
             * Properties of a DeleteRequest.
             * @typedef {Object} palimpsest.v1.DeleteRequest.$Properties
             * @property {string|null} [objectId] DeleteRequest objectId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DeleteRequest.
             * @memberof palimpsest.v1
             * @interface IDeleteRequest
             * @augments palimpsest.v1.DeleteRequest.$Properties
             * @deprecated Use palimpsest.v1.DeleteRequest.$Properties instead.
             */

            /**
             * Shape of a DeleteRequest.
             * @typedef {palimpsest.v1.DeleteRequest.$Properties} palimpsest.v1.DeleteRequest.$Shape
             */

            /**
             * Constructs a new DeleteRequest.
             * @memberof palimpsest.v1
             * @classdesc Represents a DeleteRequest.
             * @constructor
             * @param {palimpsest.v1.DeleteRequest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DeleteRequest = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DeleteRequest objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.DeleteRequest
             * @instance
             */
            DeleteRequest.prototype.objectId = "";

            /**
             * Creates a new DeleteRequest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DeleteRequest
             * @static
             * @param {palimpsest.v1.DeleteRequest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DeleteRequest} DeleteRequest instance
             * @type {{
             *   (properties: palimpsest.v1.DeleteRequest.$Shape): palimpsest.v1.DeleteRequest & palimpsest.v1.DeleteRequest.$Shape;
             *   (properties?: palimpsest.v1.DeleteRequest.$Properties): palimpsest.v1.DeleteRequest;
             * }}
             */
            DeleteRequest.create = function(properties) {
                return new DeleteRequest(properties);
            };

            /**
             * Encodes the specified DeleteRequest message. Does not implicitly {@link palimpsest.v1.DeleteRequest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DeleteRequest
             * @static
             * @param {palimpsest.v1.DeleteRequest.$Properties} message DeleteRequest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DeleteRequest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DeleteRequest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DeleteRequest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeleteRequest & palimpsest.v1.DeleteRequest.$Shape} DeleteRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DeleteRequest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DeleteRequest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DeleteRequest;
        })();

        v1.DeleteResponse = (function() {

            /**
             * Properties of a DeleteResponse.
             * @typedef {Object} palimpsest.v1.DeleteResponse.$Properties
             * @property {boolean|null} [existed] DeleteResponse existed
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a DeleteResponse.
             * @memberof palimpsest.v1
             * @interface IDeleteResponse
             * @augments palimpsest.v1.DeleteResponse.$Properties
             * @deprecated Use palimpsest.v1.DeleteResponse.$Properties instead.
             */

            /**
             * Shape of a DeleteResponse.
             * @typedef {palimpsest.v1.DeleteResponse.$Properties} palimpsest.v1.DeleteResponse.$Shape
             */

            /**
             * Constructs a new DeleteResponse.
             * @memberof palimpsest.v1
             * @classdesc Represents a DeleteResponse.
             * @constructor
             * @param {palimpsest.v1.DeleteResponse.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const DeleteResponse = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * DeleteResponse existed.
             * @member {boolean} existed
             * @memberof palimpsest.v1.DeleteResponse
             * @instance
             */
            DeleteResponse.prototype.existed = false;

            /**
             * Creates a new DeleteResponse instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.DeleteResponse
             * @static
             * @param {palimpsest.v1.DeleteResponse.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.DeleteResponse} DeleteResponse instance
             * @type {{
             *   (properties: palimpsest.v1.DeleteResponse.$Shape): palimpsest.v1.DeleteResponse & palimpsest.v1.DeleteResponse.$Shape;
             *   (properties?: palimpsest.v1.DeleteResponse.$Properties): palimpsest.v1.DeleteResponse;
             * }}
             */
            DeleteResponse.create = function(properties) {
                return new DeleteResponse(properties);
            };

            /**
             * Encodes the specified DeleteResponse message. Does not implicitly {@link palimpsest.v1.DeleteResponse.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.DeleteResponse
             * @static
             * @param {palimpsest.v1.DeleteResponse.$Properties} message DeleteResponse message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            DeleteResponse.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.existed != null && $Object.hasOwnProperty.call(message, "existed") && message.existed !== false)
                    writer.uint32(/* id 1, wireType 0 =*/8).bool(message.existed);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a DeleteResponse message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.DeleteResponse
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeleteResponse & palimpsest.v1.DeleteResponse.$Shape} DeleteResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            DeleteResponse.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.DeleteResponse();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.existed = value;
                            else
                                delete message.existed;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return DeleteResponse;
        })();

        v1.Trajectory = (function() {

            /**
             * Properties of a Trajectory.
             * @typedef {Object} palimpsest.v1.Trajectory.$Properties
             * @property {string|null} [trajectoryId] Trajectory trajectoryId
             * @property {string|null} [groupId] Trajectory groupId
             * @property {string|null} [taskId] Trajectory taskId
             * @property {number|null} [episodeIndex] Trajectory episodeIndex
             * @property {string|null} [agent] Trajectory agent
             * @property {number|null} [policyVersionMin] Trajectory policyVersionMin
             * @property {number|null} [policyVersionMax] Trajectory policyVersionMax
             * @property {string|null} [weightsHash] Trajectory weightsHash
             * @property {Array.<palimpsest.v1.Conversation.$Properties>|null} [conversations] Trajectory conversations
             * @property {string|null} [answer] Trajectory answer
             * @property {Array.<palimpsest.v1.MemoryStep.$Properties>|null} [memorySteps] Trajectory memorySteps
             * @property {number|null} [startedAtMs] Trajectory startedAtMs
             * @property {number|null} [endedAtMs] Trajectory endedAtMs
             * @property {string|null} [actorId] Trajectory actorId
             * @property {number|null} [droppedDocumentTokens] Trajectory droppedDocumentTokens
             * @property {palimpsest.v1.StoreDiff.$Properties|null} [storeDiff] Trajectory storeDiff
             * @property {Object.<string,number>|null} [counters] Trajectory counters
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Trajectory.
             * @memberof palimpsest.v1
             * @interface ITrajectory
             * @augments palimpsest.v1.Trajectory.$Properties
             * @deprecated Use palimpsest.v1.Trajectory.$Properties instead.
             */

            /**
             * Shape of a Trajectory.
             * @typedef {{
             *   trajectoryId?: string|null;
             *   groupId?: string|null;
             *   taskId?: string|null;
             *   episodeIndex?: number|null;
             *   agent?: string|null;
             *   policyVersionMin?: number|null;
             *   policyVersionMax?: number|null;
             *   weightsHash?: string|null;
             *   conversations?: Array.<palimpsest.v1.Conversation.$Shape>|null;
             *   answer?: string|null;
             *   memorySteps?: Array.<palimpsest.v1.MemoryStep.$Shape>|null;
             *   startedAtMs?: number|null;
             *   endedAtMs?: number|null;
             *   actorId?: string|null;
             *   droppedDocumentTokens?: number|null;
             *   storeDiff?: palimpsest.v1.StoreDiff.$Shape|null;
             *   counters?: Object.<string,number>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.Trajectory.$Shape
             */

            /**
             * Constructs a new Trajectory.
             * @memberof palimpsest.v1
             * @classdesc Represents a Trajectory.
             * @constructor
             * @param {palimpsest.v1.Trajectory.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Trajectory = function (properties) {
                this.conversations = [];
                this.memorySteps = [];
                this.counters = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Trajectory trajectoryId.
             * @member {string} trajectoryId
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.trajectoryId = "";

            /**
             * Trajectory groupId.
             * @member {string} groupId
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.groupId = "";

            /**
             * Trajectory taskId.
             * @member {string} taskId
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.taskId = "";

            /**
             * Trajectory episodeIndex.
             * @member {number} episodeIndex
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.episodeIndex = 0;

            /**
             * Trajectory agent.
             * @member {string} agent
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.agent = "";

            /**
             * Trajectory policyVersionMin.
             * @member {number} policyVersionMin
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.policyVersionMin = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Trajectory policyVersionMax.
             * @member {number} policyVersionMax
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.policyVersionMax = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Trajectory weightsHash.
             * @member {string} weightsHash
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.weightsHash = "";

            /**
             * Trajectory conversations.
             * @member {Array.<palimpsest.v1.Conversation.$Properties>} conversations
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.conversations = $util.emptyArray;

            /**
             * Trajectory answer.
             * @member {string} answer
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.answer = "";

            /**
             * Trajectory memorySteps.
             * @member {Array.<palimpsest.v1.MemoryStep.$Properties>} memorySteps
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.memorySteps = $util.emptyArray;

            /**
             * Trajectory startedAtMs.
             * @member {number} startedAtMs
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.startedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Trajectory endedAtMs.
             * @member {number} endedAtMs
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.endedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Trajectory actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.actorId = "";

            /**
             * Trajectory droppedDocumentTokens.
             * @member {number} droppedDocumentTokens
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.droppedDocumentTokens = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Trajectory storeDiff.
             * @member {palimpsest.v1.StoreDiff.$Properties|null|undefined} storeDiff
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.storeDiff = null;

            /**
             * Trajectory counters.
             * @member {Object.<string,number>} counters
             * @memberof palimpsest.v1.Trajectory
             * @instance
             */
            Trajectory.prototype.counters = $util.emptyObject;

            /**
             * Creates a new Trajectory instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Trajectory
             * @static
             * @param {palimpsest.v1.Trajectory.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Trajectory} Trajectory instance
             * @type {{
             *   (properties: palimpsest.v1.Trajectory.$Shape): palimpsest.v1.Trajectory & palimpsest.v1.Trajectory.$Shape;
             *   (properties?: palimpsest.v1.Trajectory.$Properties): palimpsest.v1.Trajectory;
             * }}
             */
            Trajectory.create = function(properties) {
                return new Trajectory(properties);
            };

            /**
             * Encodes the specified Trajectory message. Does not implicitly {@link palimpsest.v1.Trajectory.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Trajectory
             * @static
             * @param {palimpsest.v1.Trajectory.$Properties} message Trajectory message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Trajectory.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.trajectoryId != null && $Object.hasOwnProperty.call(message, "trajectoryId") && message.trajectoryId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.trajectoryId);
                if (message.groupId != null && $Object.hasOwnProperty.call(message, "groupId") && message.groupId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.groupId);
                if (message.taskId != null && $Object.hasOwnProperty.call(message, "taskId") && message.taskId !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.taskId);
                if (message.episodeIndex != null && $Object.hasOwnProperty.call(message, "episodeIndex") && message.episodeIndex !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).int32(message.episodeIndex);
                if (message.agent != null && $Object.hasOwnProperty.call(message, "agent") && message.agent !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.agent);
                if (message.policyVersionMin != null && $Object.hasOwnProperty.call(message, "policyVersionMin") && (typeof message.policyVersionMin === "object" ? message.policyVersionMin.low || message.policyVersionMin.high : message.policyVersionMin !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).int64(message.policyVersionMin);
                if (message.policyVersionMax != null && $Object.hasOwnProperty.call(message, "policyVersionMax") && (typeof message.policyVersionMax === "object" ? message.policyVersionMax.low || message.policyVersionMax.high : message.policyVersionMax !== 0))
                    writer.uint32(/* id 7, wireType 0 =*/56).int64(message.policyVersionMax);
                if (message.weightsHash != null && $Object.hasOwnProperty.call(message, "weightsHash") && message.weightsHash !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.weightsHash);
                if (message.conversations != null && message.conversations.length)
                    for (let i = 0; i < message.conversations.length; ++i)
                        $root.palimpsest.v1.Conversation.encode(message.conversations[i], writer.uint32(/* id 9, wireType 2 =*/74).fork(), _depth + 1).ldelim();
                if (message.answer != null && $Object.hasOwnProperty.call(message, "answer") && message.answer !== "")
                    writer.uint32(/* id 10, wireType 2 =*/82).string(message.answer);
                if (message.memorySteps != null && message.memorySteps.length)
                    for (let i = 0; i < message.memorySteps.length; ++i)
                        $root.palimpsest.v1.MemoryStep.encode(message.memorySteps[i], writer.uint32(/* id 11, wireType 2 =*/90).fork(), _depth + 1).ldelim();
                if (message.startedAtMs != null && $Object.hasOwnProperty.call(message, "startedAtMs") && (typeof message.startedAtMs === "object" ? message.startedAtMs.low || message.startedAtMs.high : message.startedAtMs !== 0))
                    writer.uint32(/* id 12, wireType 0 =*/96).int64(message.startedAtMs);
                if (message.endedAtMs != null && $Object.hasOwnProperty.call(message, "endedAtMs") && (typeof message.endedAtMs === "object" ? message.endedAtMs.low || message.endedAtMs.high : message.endedAtMs !== 0))
                    writer.uint32(/* id 13, wireType 0 =*/104).int64(message.endedAtMs);
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 14, wireType 2 =*/114).string(message.actorId);
                if (message.droppedDocumentTokens != null && $Object.hasOwnProperty.call(message, "droppedDocumentTokens") && (typeof message.droppedDocumentTokens === "object" ? message.droppedDocumentTokens.low || message.droppedDocumentTokens.high : message.droppedDocumentTokens !== 0))
                    writer.uint32(/* id 15, wireType 0 =*/120).int64(message.droppedDocumentTokens);
                if (message.storeDiff != null && $Object.hasOwnProperty.call(message, "storeDiff"))
                    $root.palimpsest.v1.StoreDiff.encode(message.storeDiff, writer.uint32(/* id 16, wireType 2 =*/130).fork(), _depth + 1).ldelim();
                if (message.counters != null && $Object.hasOwnProperty.call(message, "counters"))
                    for (let keys = $Object.keys(message.counters), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 17, wireType 2 =*/138).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 1 =*/17).double(message.counters[keys[i]]).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Trajectory message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Trajectory
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Trajectory & palimpsest.v1.Trajectory.$Shape} Trajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Trajectory.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Trajectory();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.trajectoryId = value;
                            else
                                delete message.trajectoryId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.groupId = value;
                            else
                                delete message.groupId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.taskId = value;
                            else
                                delete message.taskId;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.episodeIndex = value;
                            else
                                delete message.episodeIndex;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.agent = value;
                            else
                                delete message.agent;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.policyVersionMin = value;
                            else
                                delete message.policyVersionMin;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.policyVersionMax = value;
                            else
                                delete message.policyVersionMax;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.weightsHash = value;
                            else
                                delete message.weightsHash;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if (!(message.conversations && message.conversations.length))
                                message.conversations = [];
                            message.conversations.push($root.palimpsest.v1.Conversation.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.answer = value;
                            else
                                delete message.answer;
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if (!(message.memorySteps && message.memorySteps.length))
                                message.memorySteps = [];
                            message.memorySteps.push($root.palimpsest.v1.MemoryStep.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.startedAtMs = value;
                            else
                                delete message.startedAtMs;
                            continue;
                        }
                    case 13: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.endedAtMs = value;
                            else
                                delete message.endedAtMs;
                            continue;
                        }
                    case 14: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    case 15: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.droppedDocumentTokens = value;
                            else
                                delete message.droppedDocumentTokens;
                            continue;
                        }
                    case 16: {
                            if (wireType !== 2)
                                break;
                            message.storeDiff = $root.palimpsest.v1.StoreDiff.decode(reader, reader.size(), $undefined, _depth + 1, message.storeDiff);
                            continue;
                        }
                    case 17: {
                            if (wireType !== 2)
                                break;
                            if (message.counters === $util.emptyObject)
                                message.counters = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = 0;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 1)
                                        break;
                                    value = reader.double();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.counters, key);
                            message.counters[key] = value;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Trajectory;
        })();

        v1.Conversation = (function() {

            /**
             * Properties of a Conversation.
             * @typedef {Object} palimpsest.v1.Conversation.$Properties
             * @property {string|null} [kind] Conversation kind
             * @property {number|null} [step] Conversation step
             * @property {Array.<number>|null} [promptTokenIds] Conversation promptTokenIds
             * @property {Array.<number>|null} [sampledTokenIds] Conversation sampledTokenIds
             * @property {Array.<number>|null} [rolloutLogprobs] Conversation rolloutLogprobs
             * @property {Uint8Array|null} [lossMask] Conversation lossMask
             * @property {string|null} [stopReason] Conversation stopReason
             * @property {number|null} [policyVersion] Conversation policyVersion
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Conversation.
             * @memberof palimpsest.v1
             * @interface IConversation
             * @augments palimpsest.v1.Conversation.$Properties
             * @deprecated Use palimpsest.v1.Conversation.$Properties instead.
             */

            /**
             * Shape of a Conversation.
             * @typedef {palimpsest.v1.Conversation.$Properties} palimpsest.v1.Conversation.$Shape
             */

            /**
             * Constructs a new Conversation.
             * @memberof palimpsest.v1
             * @classdesc Represents a Conversation.
             * @constructor
             * @param {palimpsest.v1.Conversation.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Conversation = function (properties) {
                this.promptTokenIds = [];
                this.sampledTokenIds = [];
                this.rolloutLogprobs = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Conversation kind.
             * @member {string} kind
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.kind = "";

            /**
             * Conversation step.
             * @member {number} step
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.step = 0;

            /**
             * Conversation promptTokenIds.
             * @member {Array.<number>} promptTokenIds
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.promptTokenIds = $util.emptyArray;

            /**
             * Conversation sampledTokenIds.
             * @member {Array.<number>} sampledTokenIds
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.sampledTokenIds = $util.emptyArray;

            /**
             * Conversation rolloutLogprobs.
             * @member {Array.<number>} rolloutLogprobs
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.rolloutLogprobs = $util.emptyArray;

            /**
             * Conversation lossMask.
             * @member {Uint8Array} lossMask
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.lossMask = $util.newBuffer([]);

            /**
             * Conversation stopReason.
             * @member {string} stopReason
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.stopReason = "";

            /**
             * Conversation policyVersion.
             * @member {number} policyVersion
             * @memberof palimpsest.v1.Conversation
             * @instance
             */
            Conversation.prototype.policyVersion = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new Conversation instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Conversation
             * @static
             * @param {palimpsest.v1.Conversation.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Conversation} Conversation instance
             * @type {{
             *   (properties: palimpsest.v1.Conversation.$Shape): palimpsest.v1.Conversation & palimpsest.v1.Conversation.$Shape;
             *   (properties?: palimpsest.v1.Conversation.$Properties): palimpsest.v1.Conversation;
             * }}
             */
            Conversation.create = function(properties) {
                return new Conversation(properties);
            };

            /**
             * Encodes the specified Conversation message. Does not implicitly {@link palimpsest.v1.Conversation.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Conversation
             * @static
             * @param {palimpsest.v1.Conversation.$Properties} message Conversation message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Conversation.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.kind != null && $Object.hasOwnProperty.call(message, "kind") && message.kind !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.kind);
                if (message.step != null && $Object.hasOwnProperty.call(message, "step") && message.step !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.step);
                if (message.promptTokenIds != null && message.promptTokenIds.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).int32s(message.promptTokenIds);
                if (message.sampledTokenIds != null && message.sampledTokenIds.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).int32s(message.sampledTokenIds);
                if (message.rolloutLogprobs != null && message.rolloutLogprobs.length)
                    writer.uint32(/* id 5, wireType 2 =*/42).floats(message.rolloutLogprobs);
                if (message.lossMask != null && $Object.hasOwnProperty.call(message, "lossMask") && message.lossMask.length)
                    writer.uint32(/* id 6, wireType 2 =*/50).bytes(message.lossMask);
                if (message.stopReason != null && $Object.hasOwnProperty.call(message, "stopReason") && message.stopReason !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.stopReason);
                if (message.policyVersion != null && $Object.hasOwnProperty.call(message, "policyVersion") && (typeof message.policyVersion === "object" ? message.policyVersion.low || message.policyVersion.high : message.policyVersion !== 0))
                    writer.uint32(/* id 8, wireType 0 =*/64).int64(message.policyVersion);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Conversation message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Conversation
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Conversation & palimpsest.v1.Conversation.$Shape} Conversation
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Conversation.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Conversation();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.kind = value;
                            else
                                delete message.kind;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.step = value;
                            else
                                delete message.step;
                            continue;
                        }
                    case 3: {
                            if (wireType === 2) {
                                if (!(message.promptTokenIds && message.promptTokenIds.length))
                                    message.promptTokenIds = [];
                                reader.int32s(message.promptTokenIds);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.promptTokenIds && message.promptTokenIds.length))
                                message.promptTokenIds = [];
                            message.promptTokenIds.push(reader.int32());
                            continue;
                        }
                    case 4: {
                            if (wireType === 2) {
                                if (!(message.sampledTokenIds && message.sampledTokenIds.length))
                                    message.sampledTokenIds = [];
                                reader.int32s(message.sampledTokenIds);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.sampledTokenIds && message.sampledTokenIds.length))
                                message.sampledTokenIds = [];
                            message.sampledTokenIds.push(reader.int32());
                            continue;
                        }
                    case 5: {
                            if (wireType === 2) {
                                if (!(message.rolloutLogprobs && message.rolloutLogprobs.length))
                                    message.rolloutLogprobs = [];
                                reader.floats(message.rolloutLogprobs);
                                continue;
                            }
                            if (wireType !== 5)
                                break;
                            if (!(message.rolloutLogprobs && message.rolloutLogprobs.length))
                                message.rolloutLogprobs = [];
                            message.rolloutLogprobs.push(reader.float());
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.bytes()).length)
                                message.lossMask = value;
                            else
                                delete message.lossMask;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.stopReason = value;
                            else
                                delete message.stopReason;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.policyVersion = value;
                            else
                                delete message.policyVersion;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Conversation;
        })();

        v1.MemoryStep = (function() {

            /**
             * Properties of a MemoryStep.
             * @typedef {Object} palimpsest.v1.MemoryStep.$Properties
             * @property {number|null} [step] MemoryStep step
             * @property {number|null} [documentTokenStart] MemoryStep documentTokenStart
             * @property {number|null} [documentTokenEnd] MemoryStep documentTokenEnd
             * @property {string|null} [memory] MemoryStep memory
             * @property {string|null} [recalled] MemoryStep recalled
             * @property {string|null} [section] MemoryStep section
             * @property {string|null} [recallQuery] MemoryStep recallQuery
             * @property {string|null} [found] MemoryStep found
             * @property {string|null} [reply] MemoryStep reply
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a MemoryStep.
             * @memberof palimpsest.v1
             * @interface IMemoryStep
             * @augments palimpsest.v1.MemoryStep.$Properties
             * @deprecated Use palimpsest.v1.MemoryStep.$Properties instead.
             */

            /**
             * Shape of a MemoryStep.
             * @typedef {palimpsest.v1.MemoryStep.$Properties} palimpsest.v1.MemoryStep.$Shape
             */

            /**
             * Constructs a new MemoryStep.
             * @memberof palimpsest.v1
             * @classdesc Represents a MemoryStep.
             * @constructor
             * @param {palimpsest.v1.MemoryStep.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const MemoryStep = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * MemoryStep step.
             * @member {number} step
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.step = 0;

            /**
             * MemoryStep documentTokenStart.
             * @member {number} documentTokenStart
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.documentTokenStart = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * MemoryStep documentTokenEnd.
             * @member {number} documentTokenEnd
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.documentTokenEnd = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * MemoryStep memory.
             * @member {string} memory
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.memory = "";

            /**
             * MemoryStep recalled.
             * @member {string} recalled
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.recalled = "";

            /**
             * MemoryStep section.
             * @member {string} section
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.section = "";

            /**
             * MemoryStep recallQuery.
             * @member {string} recallQuery
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.recallQuery = "";

            /**
             * MemoryStep found.
             * @member {string} found
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.found = "";

            /**
             * MemoryStep reply.
             * @member {string} reply
             * @memberof palimpsest.v1.MemoryStep
             * @instance
             */
            MemoryStep.prototype.reply = "";

            /**
             * Creates a new MemoryStep instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.MemoryStep
             * @static
             * @param {palimpsest.v1.MemoryStep.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.MemoryStep} MemoryStep instance
             * @type {{
             *   (properties: palimpsest.v1.MemoryStep.$Shape): palimpsest.v1.MemoryStep & palimpsest.v1.MemoryStep.$Shape;
             *   (properties?: palimpsest.v1.MemoryStep.$Properties): palimpsest.v1.MemoryStep;
             * }}
             */
            MemoryStep.create = function(properties) {
                return new MemoryStep(properties);
            };

            /**
             * Encodes the specified MemoryStep message. Does not implicitly {@link palimpsest.v1.MemoryStep.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.MemoryStep
             * @static
             * @param {palimpsest.v1.MemoryStep.$Properties} message MemoryStep message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            MemoryStep.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.step != null && $Object.hasOwnProperty.call(message, "step") && message.step !== 0)
                    writer.uint32(/* id 1, wireType 0 =*/8).int32(message.step);
                if (message.documentTokenStart != null && $Object.hasOwnProperty.call(message, "documentTokenStart") && (typeof message.documentTokenStart === "object" ? message.documentTokenStart.low || message.documentTokenStart.high : message.documentTokenStart !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.documentTokenStart);
                if (message.documentTokenEnd != null && $Object.hasOwnProperty.call(message, "documentTokenEnd") && (typeof message.documentTokenEnd === "object" ? message.documentTokenEnd.low || message.documentTokenEnd.high : message.documentTokenEnd !== 0))
                    writer.uint32(/* id 3, wireType 0 =*/24).int64(message.documentTokenEnd);
                if (message.memory != null && $Object.hasOwnProperty.call(message, "memory") && message.memory !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.memory);
                if (message.recalled != null && $Object.hasOwnProperty.call(message, "recalled") && message.recalled !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.recalled);
                if (message.section != null && $Object.hasOwnProperty.call(message, "section") && message.section !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.section);
                if (message.recallQuery != null && $Object.hasOwnProperty.call(message, "recallQuery") && message.recallQuery !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.recallQuery);
                if (message.found != null && $Object.hasOwnProperty.call(message, "found") && message.found !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.found);
                if (message.reply != null && $Object.hasOwnProperty.call(message, "reply") && message.reply !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.reply);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a MemoryStep message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.MemoryStep
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.MemoryStep & palimpsest.v1.MemoryStep.$Shape} MemoryStep
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            MemoryStep.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.MemoryStep();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.step = value;
                            else
                                delete message.step;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.documentTokenStart = value;
                            else
                                delete message.documentTokenStart;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.documentTokenEnd = value;
                            else
                                delete message.documentTokenEnd;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.memory = value;
                            else
                                delete message.memory;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.recalled = value;
                            else
                                delete message.recalled;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.section = value;
                            else
                                delete message.section;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.recallQuery = value;
                            else
                                delete message.recallQuery;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.found = value;
                            else
                                delete message.found;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.reply = value;
                            else
                                delete message.reply;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return MemoryStep;
        })();

        v1.MemoryRecord = (function() {

            /**
             * Properties of a MemoryRecord.
             * @typedef {Object} palimpsest.v1.MemoryRecord.$Properties
             * @property {string|null} [id] MemoryRecord id
             * @property {string|null} [content] MemoryRecord content
             * @property {string|null} [memoryType] MemoryRecord memoryType
             * @property {string|null} [speaker] MemoryRecord speaker
             * @property {string|null} [session] MemoryRecord session
             * @property {string|null} [dialogueTime] MemoryRecord dialogueTime
             * @property {string|null} [createdAt] MemoryRecord createdAt
             * @property {string|null} [updatedAt] MemoryRecord updatedAt
             * @property {string|null} [source] MemoryRecord source
             * @property {Array.<string>|null} [provenance] MemoryRecord provenance
             * @property {Object.<string,palimpsest.v1.TaskFact.$Properties>|null} [metadata] MemoryRecord metadata
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a MemoryRecord.
             * @memberof palimpsest.v1
             * @interface IMemoryRecord
             * @augments palimpsest.v1.MemoryRecord.$Properties
             * @deprecated Use palimpsest.v1.MemoryRecord.$Properties instead.
             */

            /**
             * Shape of a MemoryRecord.
             * @typedef {{
             *   id?: string|null;
             *   content?: string|null;
             *   memoryType?: string|null;
             *   speaker?: string|null;
             *   session?: string|null;
             *   dialogueTime?: string|null;
             *   createdAt?: string|null;
             *   updatedAt?: string|null;
             *   source?: string|null;
             *   provenance?: Array.<string>|null;
             *   metadata?: Object.<string,palimpsest.v1.TaskFact.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.MemoryRecord.$Shape
             */

            /**
             * Constructs a new MemoryRecord.
             * @memberof palimpsest.v1
             * @classdesc Represents a MemoryRecord.
             * @constructor
             * @param {palimpsest.v1.MemoryRecord.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const MemoryRecord = function (properties) {
                this.provenance = [];
                this.metadata = {};
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * MemoryRecord id.
             * @member {string} id
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.id = "";

            /**
             * MemoryRecord content.
             * @member {string} content
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.content = "";

            /**
             * MemoryRecord memoryType.
             * @member {string} memoryType
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.memoryType = "";

            /**
             * MemoryRecord speaker.
             * @member {string} speaker
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.speaker = "";

            /**
             * MemoryRecord session.
             * @member {string} session
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.session = "";

            /**
             * MemoryRecord dialogueTime.
             * @member {string} dialogueTime
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.dialogueTime = "";

            /**
             * MemoryRecord createdAt.
             * @member {string} createdAt
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.createdAt = "";

            /**
             * MemoryRecord updatedAt.
             * @member {string} updatedAt
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.updatedAt = "";

            /**
             * MemoryRecord source.
             * @member {string} source
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.source = "";

            /**
             * MemoryRecord provenance.
             * @member {Array.<string>} provenance
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.provenance = $util.emptyArray;

            /**
             * MemoryRecord metadata.
             * @member {Object.<string,palimpsest.v1.TaskFact.$Properties>} metadata
             * @memberof palimpsest.v1.MemoryRecord
             * @instance
             */
            MemoryRecord.prototype.metadata = $util.emptyObject;

            /**
             * Creates a new MemoryRecord instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.MemoryRecord
             * @static
             * @param {palimpsest.v1.MemoryRecord.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.MemoryRecord} MemoryRecord instance
             * @type {{
             *   (properties: palimpsest.v1.MemoryRecord.$Shape): palimpsest.v1.MemoryRecord & palimpsest.v1.MemoryRecord.$Shape;
             *   (properties?: palimpsest.v1.MemoryRecord.$Properties): palimpsest.v1.MemoryRecord;
             * }}
             */
            MemoryRecord.create = function(properties) {
                return new MemoryRecord(properties);
            };

            /**
             * Encodes the specified MemoryRecord message. Does not implicitly {@link palimpsest.v1.MemoryRecord.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.MemoryRecord
             * @static
             * @param {palimpsest.v1.MemoryRecord.$Properties} message MemoryRecord message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            MemoryRecord.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.id);
                if (message.content != null && $Object.hasOwnProperty.call(message, "content") && message.content !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.content);
                if (message.memoryType != null && $Object.hasOwnProperty.call(message, "memoryType") && message.memoryType !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.memoryType);
                if (message.speaker != null && $Object.hasOwnProperty.call(message, "speaker") && message.speaker !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.speaker);
                if (message.session != null && $Object.hasOwnProperty.call(message, "session") && message.session !== "")
                    writer.uint32(/* id 5, wireType 2 =*/42).string(message.session);
                if (message.dialogueTime != null && $Object.hasOwnProperty.call(message, "dialogueTime") && message.dialogueTime !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.dialogueTime);
                if (message.createdAt != null && $Object.hasOwnProperty.call(message, "createdAt") && message.createdAt !== "")
                    writer.uint32(/* id 7, wireType 2 =*/58).string(message.createdAt);
                if (message.updatedAt != null && $Object.hasOwnProperty.call(message, "updatedAt") && message.updatedAt !== "")
                    writer.uint32(/* id 8, wireType 2 =*/66).string(message.updatedAt);
                if (message.source != null && $Object.hasOwnProperty.call(message, "source") && message.source !== "")
                    writer.uint32(/* id 9, wireType 2 =*/74).string(message.source);
                if (message.provenance != null && message.provenance.length)
                    for (let i = 0; i < message.provenance.length; ++i)
                        writer.uint32(/* id 10, wireType 2 =*/82).string(message.provenance[i]);
                if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                    for (let keys = $Object.keys(message.metadata), i = 0; i < keys.length; ++i) {
                        writer.uint32(/* id 11, wireType 2 =*/90).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]);
                        $root.palimpsest.v1.TaskFact.encode(message.metadata[keys[i]], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim().ldelim();
                    }
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a MemoryRecord message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.MemoryRecord
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.MemoryRecord & palimpsest.v1.MemoryRecord.$Shape} MemoryRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            MemoryRecord.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.MemoryRecord();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.content = value;
                            else
                                delete message.content;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.memoryType = value;
                            else
                                delete message.memoryType;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.speaker = value;
                            else
                                delete message.speaker;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.session = value;
                            else
                                delete message.session;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.dialogueTime = value;
                            else
                                delete message.dialogueTime;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.createdAt = value;
                            else
                                delete message.createdAt;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.updatedAt = value;
                            else
                                delete message.updatedAt;
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.source = value;
                            else
                                delete message.source;
                            continue;
                        }
                    case 10: {
                            if (wireType !== 2)
                                break;
                            if (!(message.provenance && message.provenance.length))
                                message.provenance = [];
                            message.provenance.push(reader.stringVerify());
                            continue;
                        }
                    case 11: {
                            if (wireType !== 2)
                                break;
                            if (message.metadata === $util.emptyObject)
                                message.metadata = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = null;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = $root.palimpsest.v1.TaskFact.decode(reader, reader.size(), $undefined, _depth + 1, value);
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.metadata, key);
                            message.metadata[key] = value || new $root.palimpsest.v1.TaskFact();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return MemoryRecord;
        })();

        v1.StoreDiff = (function() {

            /**
             * Properties of a StoreDiff.
             * @typedef {Object} palimpsest.v1.StoreDiff.$Properties
             * @property {Array.<palimpsest.v1.MemoryRecord.$Properties>|null} [created] StoreDiff created
             * @property {Array.<palimpsest.v1.MemoryRecord.$Properties>|null} [updated] StoreDiff updated
             * @property {Array.<string>|null} [deleted] StoreDiff deleted
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StoreDiff.
             * @memberof palimpsest.v1
             * @interface IStoreDiff
             * @augments palimpsest.v1.StoreDiff.$Properties
             * @deprecated Use palimpsest.v1.StoreDiff.$Properties instead.
             */

            /**
             * Shape of a StoreDiff.
             * @typedef {{
             *   created?: Array.<palimpsest.v1.MemoryRecord.$Shape>|null;
             *   updated?: Array.<palimpsest.v1.MemoryRecord.$Shape>|null;
             *   deleted?: Array.<string>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.StoreDiff.$Shape
             */

            /**
             * Constructs a new StoreDiff.
             * @memberof palimpsest.v1
             * @classdesc Represents a StoreDiff.
             * @constructor
             * @param {palimpsest.v1.StoreDiff.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StoreDiff = function (properties) {
                this.created = [];
                this.updated = [];
                this.deleted = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StoreDiff created.
             * @member {Array.<palimpsest.v1.MemoryRecord.$Properties>} created
             * @memberof palimpsest.v1.StoreDiff
             * @instance
             */
            StoreDiff.prototype.created = $util.emptyArray;

            /**
             * StoreDiff updated.
             * @member {Array.<palimpsest.v1.MemoryRecord.$Properties>} updated
             * @memberof palimpsest.v1.StoreDiff
             * @instance
             */
            StoreDiff.prototype.updated = $util.emptyArray;

            /**
             * StoreDiff deleted.
             * @member {Array.<string>} deleted
             * @memberof palimpsest.v1.StoreDiff
             * @instance
             */
            StoreDiff.prototype.deleted = $util.emptyArray;

            /**
             * Creates a new StoreDiff instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StoreDiff
             * @static
             * @param {palimpsest.v1.StoreDiff.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StoreDiff} StoreDiff instance
             * @type {{
             *   (properties: palimpsest.v1.StoreDiff.$Shape): palimpsest.v1.StoreDiff & palimpsest.v1.StoreDiff.$Shape;
             *   (properties?: palimpsest.v1.StoreDiff.$Properties): palimpsest.v1.StoreDiff;
             * }}
             */
            StoreDiff.create = function(properties) {
                return new StoreDiff(properties);
            };

            /**
             * Encodes the specified StoreDiff message. Does not implicitly {@link palimpsest.v1.StoreDiff.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StoreDiff
             * @static
             * @param {palimpsest.v1.StoreDiff.$Properties} message StoreDiff message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StoreDiff.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.created != null && message.created.length)
                    for (let i = 0; i < message.created.length; ++i)
                        $root.palimpsest.v1.MemoryRecord.encode(message.created[i], writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.updated != null && message.updated.length)
                    for (let i = 0; i < message.updated.length; ++i)
                        $root.palimpsest.v1.MemoryRecord.encode(message.updated[i], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.deleted != null && message.deleted.length)
                    for (let i = 0; i < message.deleted.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.deleted[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StoreDiff message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StoreDiff
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StoreDiff & palimpsest.v1.StoreDiff.$Shape} StoreDiff
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StoreDiff.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StoreDiff();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if (!(message.created && message.created.length))
                                message.created = [];
                            message.created.push($root.palimpsest.v1.MemoryRecord.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.updated && message.updated.length))
                                message.updated = [];
                            message.updated.push($root.palimpsest.v1.MemoryRecord.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.deleted && message.deleted.length))
                                message.deleted = [];
                            message.deleted.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StoreDiff;
        })();

        v1.Probe = (function() {

            /**
             * Properties of a Probe.
             * @typedef {Object} palimpsest.v1.Probe.$Properties
             * @property {string|null} [question] Probe question
             * @property {Array.<string>|null} [answers] Probe answers
             * @property {string|null} [category] Probe category
             * @property {Array.<string>|null} [evidence] Probe evidence
             * @property {boolean|null} [heldOut] Probe heldOut
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Probe.
             * @memberof palimpsest.v1
             * @interface IProbe
             * @augments palimpsest.v1.Probe.$Properties
             * @deprecated Use palimpsest.v1.Probe.$Properties instead.
             */

            /**
             * Shape of a Probe.
             * @typedef {palimpsest.v1.Probe.$Properties} palimpsest.v1.Probe.$Shape
             */

            /**
             * Constructs a new Probe.
             * @memberof palimpsest.v1
             * @classdesc Represents a Probe.
             * @constructor
             * @param {palimpsest.v1.Probe.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Probe = function (properties) {
                this.answers = [];
                this.evidence = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Probe question.
             * @member {string} question
             * @memberof palimpsest.v1.Probe
             * @instance
             */
            Probe.prototype.question = "";

            /**
             * Probe answers.
             * @member {Array.<string>} answers
             * @memberof palimpsest.v1.Probe
             * @instance
             */
            Probe.prototype.answers = $util.emptyArray;

            /**
             * Probe category.
             * @member {string} category
             * @memberof palimpsest.v1.Probe
             * @instance
             */
            Probe.prototype.category = "";

            /**
             * Probe evidence.
             * @member {Array.<string>} evidence
             * @memberof palimpsest.v1.Probe
             * @instance
             */
            Probe.prototype.evidence = $util.emptyArray;

            /**
             * Probe heldOut.
             * @member {boolean} heldOut
             * @memberof palimpsest.v1.Probe
             * @instance
             */
            Probe.prototype.heldOut = false;

            /**
             * Creates a new Probe instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Probe
             * @static
             * @param {palimpsest.v1.Probe.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Probe} Probe instance
             * @type {{
             *   (properties: palimpsest.v1.Probe.$Shape): palimpsest.v1.Probe & palimpsest.v1.Probe.$Shape;
             *   (properties?: palimpsest.v1.Probe.$Properties): palimpsest.v1.Probe;
             * }}
             */
            Probe.create = function(properties) {
                return new Probe(properties);
            };

            /**
             * Encodes the specified Probe message. Does not implicitly {@link palimpsest.v1.Probe.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Probe
             * @static
             * @param {palimpsest.v1.Probe.$Properties} message Probe message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Probe.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.question != null && $Object.hasOwnProperty.call(message, "question") && message.question !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.question);
                if (message.answers != null && message.answers.length)
                    for (let i = 0; i < message.answers.length; ++i)
                        writer.uint32(/* id 2, wireType 2 =*/18).string(message.answers[i]);
                if (message.category != null && $Object.hasOwnProperty.call(message, "category") && message.category !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.category);
                if (message.evidence != null && message.evidence.length)
                    for (let i = 0; i < message.evidence.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.evidence[i]);
                if (message.heldOut != null && $Object.hasOwnProperty.call(message, "heldOut") && message.heldOut !== false)
                    writer.uint32(/* id 5, wireType 0 =*/40).bool(message.heldOut);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Probe message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Probe
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Probe & palimpsest.v1.Probe.$Shape} Probe
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Probe.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Probe();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.question = value;
                            else
                                delete message.question;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if (!(message.answers && message.answers.length))
                                message.answers = [];
                            message.answers.push(reader.stringVerify());
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.category = value;
                            else
                                delete message.category;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.evidence && message.evidence.length))
                                message.evidence = [];
                            message.evidence.push(reader.stringVerify());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.heldOut = value;
                            else
                                delete message.heldOut;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Probe;
        })();

        v1.TrajectoryScore = (function() {

            /**
             * Properties of a TrajectoryScore.
             * @typedef {Object} palimpsest.v1.TrajectoryScore.$Properties
             * @property {string|null} [trajectoryId] TrajectoryScore trajectoryId
             * @property {number|null} [reward] TrajectoryScore reward
             * @property {Object.<string,number>|null} [components] TrajectoryScore components
             * @property {Array.<number>|null} [stepRewards] TrajectoryScore stepRewards
             * @property {palimpsest.v1.Error.$Properties|null} [failure] TrajectoryScore failure
             * @property {string|null} [actorId] TrajectoryScore actorId
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TrajectoryScore.
             * @memberof palimpsest.v1
             * @interface ITrajectoryScore
             * @augments palimpsest.v1.TrajectoryScore.$Properties
             * @deprecated Use palimpsest.v1.TrajectoryScore.$Properties instead.
             */

            /**
             * Shape of a TrajectoryScore.
             * @typedef {palimpsest.v1.TrajectoryScore.$Properties} palimpsest.v1.TrajectoryScore.$Shape
             */

            /**
             * Constructs a new TrajectoryScore.
             * @memberof palimpsest.v1
             * @classdesc Represents a TrajectoryScore.
             * @constructor
             * @param {palimpsest.v1.TrajectoryScore.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TrajectoryScore = function (properties) {
                this.components = {};
                this.stepRewards = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TrajectoryScore trajectoryId.
             * @member {string} trajectoryId
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.trajectoryId = "";

            /**
             * TrajectoryScore reward.
             * @member {number} reward
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.reward = 0;

            /**
             * TrajectoryScore components.
             * @member {Object.<string,number>} components
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.components = $util.emptyObject;

            /**
             * TrajectoryScore stepRewards.
             * @member {Array.<number>} stepRewards
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.stepRewards = $util.emptyArray;

            /**
             * TrajectoryScore failure.
             * @member {palimpsest.v1.Error.$Properties|null|undefined} failure
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.failure = null;

            /**
             * TrajectoryScore actorId.
             * @member {string} actorId
             * @memberof palimpsest.v1.TrajectoryScore
             * @instance
             */
            TrajectoryScore.prototype.actorId = "";

            /**
             * Creates a new TrajectoryScore instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.TrajectoryScore
             * @static
             * @param {palimpsest.v1.TrajectoryScore.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.TrajectoryScore} TrajectoryScore instance
             * @type {{
             *   (properties: palimpsest.v1.TrajectoryScore.$Shape): palimpsest.v1.TrajectoryScore & palimpsest.v1.TrajectoryScore.$Shape;
             *   (properties?: palimpsest.v1.TrajectoryScore.$Properties): palimpsest.v1.TrajectoryScore;
             * }}
             */
            TrajectoryScore.create = function(properties) {
                return new TrajectoryScore(properties);
            };

            /**
             * Encodes the specified TrajectoryScore message. Does not implicitly {@link palimpsest.v1.TrajectoryScore.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.TrajectoryScore
             * @static
             * @param {palimpsest.v1.TrajectoryScore.$Properties} message TrajectoryScore message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TrajectoryScore.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.trajectoryId != null && $Object.hasOwnProperty.call(message, "trajectoryId") && message.trajectoryId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.trajectoryId);
                if (message.reward != null && $Object.hasOwnProperty.call(message, "reward") && !$Object.is(message.reward, 0))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.reward);
                if (message.components != null && $Object.hasOwnProperty.call(message, "components"))
                    for (let keys = $Object.keys(message.components), i = 0; i < keys.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]).uint32(/* id 2, wireType 1 =*/17).double(message.components[keys[i]]).ldelim();
                if (message.stepRewards != null && message.stepRewards.length)
                    writer.uint32(/* id 4, wireType 2 =*/34).doubles(message.stepRewards);
                if (message.failure != null && $Object.hasOwnProperty.call(message, "failure"))
                    $root.palimpsest.v1.Error.encode(message.failure, writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.actorId != null && $Object.hasOwnProperty.call(message, "actorId") && message.actorId !== "")
                    writer.uint32(/* id 6, wireType 2 =*/50).string(message.actorId);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TrajectoryScore message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.TrajectoryScore
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.TrajectoryScore & palimpsest.v1.TrajectoryScore.$Shape} TrajectoryScore
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TrajectoryScore.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.TrajectoryScore();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.trajectoryId = value;
                            else
                                delete message.trajectoryId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.reward = value;
                            else
                                delete message.reward;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (message.components === $util.emptyObject)
                                message.components = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = 0;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 1)
                                        break;
                                    value = reader.double();
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.components, key);
                            message.components[key] = value;
                            continue;
                        }
                    case 4: {
                            if (wireType === 2) {
                                if (!(message.stepRewards && message.stepRewards.length))
                                    message.stepRewards = [];
                                reader.doubles(message.stepRewards);
                                continue;
                            }
                            if (wireType !== 1)
                                break;
                            if (!(message.stepRewards && message.stepRewards.length))
                                message.stepRewards = [];
                            message.stepRewards.push(reader.double());
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.failure = $root.palimpsest.v1.Error.decode(reader, reader.size(), $undefined, _depth + 1, message.failure);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.actorId = value;
                            else
                                delete message.actorId;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TrajectoryScore;
        })();

        v1.StepDump = (function() {

            /**
             * Properties of a StepDump.
             * @typedef {Object} palimpsest.v1.StepDump.$Properties
             * @property {number|null} [policyVersion] StepDump policyVersion
             * @property {boolean|null} [shuffleRewards] StepDump shuffleRewards
             * @property {Array.<palimpsest.v1.ScoredGroup.$Properties>|null} [groups] StepDump groups
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a StepDump.
             * @memberof palimpsest.v1
             * @interface IStepDump
             * @augments palimpsest.v1.StepDump.$Properties
             * @deprecated Use palimpsest.v1.StepDump.$Properties instead.
             */

            /**
             * Shape of a StepDump.
             * @typedef {{
             *   policyVersion?: number|null;
             *   shuffleRewards?: boolean|null;
             *   groups?: Array.<palimpsest.v1.ScoredGroup.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.StepDump.$Shape
             */

            /**
             * Constructs a new StepDump.
             * @memberof palimpsest.v1
             * @classdesc Represents a StepDump.
             * @constructor
             * @param {palimpsest.v1.StepDump.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const StepDump = function (properties) {
                this.groups = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * StepDump policyVersion.
             * @member {number} policyVersion
             * @memberof palimpsest.v1.StepDump
             * @instance
             */
            StepDump.prototype.policyVersion = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * StepDump shuffleRewards.
             * @member {boolean} shuffleRewards
             * @memberof palimpsest.v1.StepDump
             * @instance
             */
            StepDump.prototype.shuffleRewards = false;

            /**
             * StepDump groups.
             * @member {Array.<palimpsest.v1.ScoredGroup.$Properties>} groups
             * @memberof palimpsest.v1.StepDump
             * @instance
             */
            StepDump.prototype.groups = $util.emptyArray;

            /**
             * Creates a new StepDump instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.StepDump
             * @static
             * @param {palimpsest.v1.StepDump.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.StepDump} StepDump instance
             * @type {{
             *   (properties: palimpsest.v1.StepDump.$Shape): palimpsest.v1.StepDump & palimpsest.v1.StepDump.$Shape;
             *   (properties?: palimpsest.v1.StepDump.$Properties): palimpsest.v1.StepDump;
             * }}
             */
            StepDump.create = function(properties) {
                return new StepDump(properties);
            };

            /**
             * Encodes the specified StepDump message. Does not implicitly {@link palimpsest.v1.StepDump.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.StepDump
             * @static
             * @param {palimpsest.v1.StepDump.$Properties} message StepDump message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            StepDump.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.policyVersion != null && $Object.hasOwnProperty.call(message, "policyVersion") && (typeof message.policyVersion === "object" ? message.policyVersion.low || message.policyVersion.high : message.policyVersion !== 0))
                    writer.uint32(/* id 1, wireType 0 =*/8).int64(message.policyVersion);
                if (message.shuffleRewards != null && $Object.hasOwnProperty.call(message, "shuffleRewards") && message.shuffleRewards !== false)
                    writer.uint32(/* id 2, wireType 0 =*/16).bool(message.shuffleRewards);
                if (message.groups != null && message.groups.length)
                    for (let i = 0; i < message.groups.length; ++i)
                        $root.palimpsest.v1.ScoredGroup.encode(message.groups[i], writer.uint32(/* id 3, wireType 2 =*/26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a StepDump message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.StepDump
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.StepDump & palimpsest.v1.StepDump.$Shape} StepDump
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            StepDump.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.StepDump();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.policyVersion = value;
                            else
                                delete message.policyVersion;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.shuffleRewards = value;
                            else
                                delete message.shuffleRewards;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.groups && message.groups.length))
                                message.groups = [];
                            message.groups.push($root.palimpsest.v1.ScoredGroup.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return StepDump;
        })();

        v1.ScoredGroup = (function() {

            /**
             * Properties of a ScoredGroup.
             * @typedef {Object} palimpsest.v1.ScoredGroup.$Properties
             * @property {string|null} [groupId] ScoredGroup groupId
             * @property {string|null} [taskId] ScoredGroup taskId
             * @property {number|null} [groupSize] ScoredGroup groupSize
             * @property {Array.<palimpsest.v1.ScoredTrajectory.$Properties>|null} [members] ScoredGroup members
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ScoredGroup.
             * @memberof palimpsest.v1
             * @interface IScoredGroup
             * @augments palimpsest.v1.ScoredGroup.$Properties
             * @deprecated Use palimpsest.v1.ScoredGroup.$Properties instead.
             */

            /**
             * Shape of a ScoredGroup.
             * @typedef {{
             *   groupId?: string|null;
             *   taskId?: string|null;
             *   groupSize?: number|null;
             *   members?: Array.<palimpsest.v1.ScoredTrajectory.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ScoredGroup.$Shape
             */

            /**
             * Constructs a new ScoredGroup.
             * @memberof palimpsest.v1
             * @classdesc Represents a ScoredGroup.
             * @constructor
             * @param {palimpsest.v1.ScoredGroup.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ScoredGroup = function (properties) {
                this.members = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ScoredGroup groupId.
             * @member {string} groupId
             * @memberof palimpsest.v1.ScoredGroup
             * @instance
             */
            ScoredGroup.prototype.groupId = "";

            /**
             * ScoredGroup taskId.
             * @member {string} taskId
             * @memberof palimpsest.v1.ScoredGroup
             * @instance
             */
            ScoredGroup.prototype.taskId = "";

            /**
             * ScoredGroup groupSize.
             * @member {number} groupSize
             * @memberof palimpsest.v1.ScoredGroup
             * @instance
             */
            ScoredGroup.prototype.groupSize = 0;

            /**
             * ScoredGroup members.
             * @member {Array.<palimpsest.v1.ScoredTrajectory.$Properties>} members
             * @memberof palimpsest.v1.ScoredGroup
             * @instance
             */
            ScoredGroup.prototype.members = $util.emptyArray;

            /**
             * Creates a new ScoredGroup instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ScoredGroup
             * @static
             * @param {palimpsest.v1.ScoredGroup.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ScoredGroup} ScoredGroup instance
             * @type {{
             *   (properties: palimpsest.v1.ScoredGroup.$Shape): palimpsest.v1.ScoredGroup & palimpsest.v1.ScoredGroup.$Shape;
             *   (properties?: palimpsest.v1.ScoredGroup.$Properties): palimpsest.v1.ScoredGroup;
             * }}
             */
            ScoredGroup.create = function(properties) {
                return new ScoredGroup(properties);
            };

            /**
             * Encodes the specified ScoredGroup message. Does not implicitly {@link palimpsest.v1.ScoredGroup.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ScoredGroup
             * @static
             * @param {palimpsest.v1.ScoredGroup.$Properties} message ScoredGroup message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ScoredGroup.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.groupId != null && $Object.hasOwnProperty.call(message, "groupId") && message.groupId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.groupId);
                if (message.taskId != null && $Object.hasOwnProperty.call(message, "taskId") && message.taskId !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.taskId);
                if (message.groupSize != null && $Object.hasOwnProperty.call(message, "groupSize") && message.groupSize !== 0)
                    writer.uint32(/* id 3, wireType 0 =*/24).int32(message.groupSize);
                if (message.members != null && message.members.length)
                    for (let i = 0; i < message.members.length; ++i)
                        $root.palimpsest.v1.ScoredTrajectory.encode(message.members[i], writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ScoredGroup message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ScoredGroup
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ScoredGroup & palimpsest.v1.ScoredGroup.$Shape} ScoredGroup
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ScoredGroup.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ScoredGroup();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.groupId = value;
                            else
                                delete message.groupId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.taskId = value;
                            else
                                delete message.taskId;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.groupSize = value;
                            else
                                delete message.groupSize;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.members && message.members.length))
                                message.members = [];
                            message.members.push($root.palimpsest.v1.ScoredTrajectory.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ScoredGroup;
        })();

        v1.ScoredTrajectory = (function() {

            /**
             * Properties of a ScoredTrajectory.
             * @typedef {Object} palimpsest.v1.ScoredTrajectory.$Properties
             * @property {palimpsest.v1.Trajectory.$Properties|null} [trajectory] ScoredTrajectory trajectory
             * @property {palimpsest.v1.TrajectoryScore.$Properties|null} [score] ScoredTrajectory score
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a ScoredTrajectory.
             * @memberof palimpsest.v1
             * @interface IScoredTrajectory
             * @augments palimpsest.v1.ScoredTrajectory.$Properties
             * @deprecated Use palimpsest.v1.ScoredTrajectory.$Properties instead.
             */

            /**
             * Shape of a ScoredTrajectory.
             * @typedef {{
             *   trajectory?: palimpsest.v1.Trajectory.$Shape|null;
             *   score?: palimpsest.v1.TrajectoryScore.$Shape|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.ScoredTrajectory.$Shape
             */

            /**
             * Constructs a new ScoredTrajectory.
             * @memberof palimpsest.v1
             * @classdesc Represents a ScoredTrajectory.
             * @constructor
             * @param {palimpsest.v1.ScoredTrajectory.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const ScoredTrajectory = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * ScoredTrajectory trajectory.
             * @member {palimpsest.v1.Trajectory.$Properties|null|undefined} trajectory
             * @memberof palimpsest.v1.ScoredTrajectory
             * @instance
             */
            ScoredTrajectory.prototype.trajectory = null;

            /**
             * ScoredTrajectory score.
             * @member {palimpsest.v1.TrajectoryScore.$Properties|null|undefined} score
             * @memberof palimpsest.v1.ScoredTrajectory
             * @instance
             */
            ScoredTrajectory.prototype.score = null;

            /**
             * Creates a new ScoredTrajectory instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.ScoredTrajectory
             * @static
             * @param {palimpsest.v1.ScoredTrajectory.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.ScoredTrajectory} ScoredTrajectory instance
             * @type {{
             *   (properties: palimpsest.v1.ScoredTrajectory.$Shape): palimpsest.v1.ScoredTrajectory & palimpsest.v1.ScoredTrajectory.$Shape;
             *   (properties?: palimpsest.v1.ScoredTrajectory.$Properties): palimpsest.v1.ScoredTrajectory;
             * }}
             */
            ScoredTrajectory.create = function(properties) {
                return new ScoredTrajectory(properties);
            };

            /**
             * Encodes the specified ScoredTrajectory message. Does not implicitly {@link palimpsest.v1.ScoredTrajectory.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.ScoredTrajectory
             * @static
             * @param {palimpsest.v1.ScoredTrajectory.$Properties} message ScoredTrajectory message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            ScoredTrajectory.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.trajectory != null && $Object.hasOwnProperty.call(message, "trajectory"))
                    $root.palimpsest.v1.Trajectory.encode(message.trajectory, writer.uint32(/* id 1, wireType 2 =*/10).fork(), _depth + 1).ldelim();
                if (message.score != null && $Object.hasOwnProperty.call(message, "score"))
                    $root.palimpsest.v1.TrajectoryScore.encode(message.score, writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a ScoredTrajectory message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.ScoredTrajectory
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.ScoredTrajectory & palimpsest.v1.ScoredTrajectory.$Shape} ScoredTrajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            ScoredTrajectory.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.ScoredTrajectory();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.trajectory = $root.palimpsest.v1.Trajectory.decode(reader, reader.size(), $undefined, _depth + 1, message.trajectory);
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.score = $root.palimpsest.v1.TrajectoryScore.decode(reader, reader.size(), $undefined, _depth + 1, message.score);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return ScoredTrajectory;
        })();

        v1.Task = (function() {

            /**
             * Properties of a Task.
             * @typedef {Object} palimpsest.v1.Task.$Properties
             * @property {string|null} [id] Task id
             * @property {string|null} [question] Task question
             * @property {Array.<string>|null} [answers] Task answers
             * @property {string|null} [document] Task document
             * @property {Object.<string,palimpsest.v1.TaskFact.$Properties>|null} [metadata] Task metadata
             * @property {Array.<palimpsest.v1.MemoryRecord.$Properties>|null} [records] Task records
             * @property {boolean|null} [hasRecords] Task hasRecords
             * @property {Array.<palimpsest.v1.Probe.$Properties>|null} [probes] Task probes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a Task.
             * @memberof palimpsest.v1
             * @interface ITask
             * @augments palimpsest.v1.Task.$Properties
             * @deprecated Use palimpsest.v1.Task.$Properties instead.
             */

            /**
             * Shape of a Task.
             * @typedef {{
             *   id?: string|null;
             *   question?: string|null;
             *   answers?: Array.<string>|null;
             *   document?: string|null;
             *   metadata?: Object.<string,palimpsest.v1.TaskFact.$Shape>|null;
             *   records?: Array.<palimpsest.v1.MemoryRecord.$Shape>|null;
             *   hasRecords?: boolean|null;
             *   probes?: Array.<palimpsest.v1.Probe.$Shape>|null;
             *   $unknowns?: Array.<Uint8Array>;
             * }} palimpsest.v1.Task.$Shape
             */

            /**
             * Constructs a new Task.
             * @memberof palimpsest.v1
             * @classdesc Represents a Task.
             * @constructor
             * @param {palimpsest.v1.Task.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const Task = function (properties) {
                this.answers = [];
                this.metadata = {};
                this.records = [];
                this.probes = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * Task id.
             * @member {string} id
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.id = "";

            /**
             * Task question.
             * @member {string} question
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.question = "";

            /**
             * Task answers.
             * @member {Array.<string>} answers
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.answers = $util.emptyArray;

            /**
             * Task document.
             * @member {string} document
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.document = "";

            /**
             * Task metadata.
             * @member {Object.<string,palimpsest.v1.TaskFact.$Properties>} metadata
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.metadata = $util.emptyObject;

            /**
             * Task records.
             * @member {Array.<palimpsest.v1.MemoryRecord.$Properties>} records
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.records = $util.emptyArray;

            /**
             * Task hasRecords.
             * @member {boolean} hasRecords
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.hasRecords = false;

            /**
             * Task probes.
             * @member {Array.<palimpsest.v1.Probe.$Properties>} probes
             * @memberof palimpsest.v1.Task
             * @instance
             */
            Task.prototype.probes = $util.emptyArray;

            /**
             * Creates a new Task instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.Task
             * @static
             * @param {palimpsest.v1.Task.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.Task} Task instance
             * @type {{
             *   (properties: palimpsest.v1.Task.$Shape): palimpsest.v1.Task & palimpsest.v1.Task.$Shape;
             *   (properties?: palimpsest.v1.Task.$Properties): palimpsest.v1.Task;
             * }}
             */
            Task.create = function(properties) {
                return new Task(properties);
            };

            /**
             * Encodes the specified Task message. Does not implicitly {@link palimpsest.v1.Task.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.Task
             * @static
             * @param {palimpsest.v1.Task.$Properties} message Task message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            Task.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.id != null && $Object.hasOwnProperty.call(message, "id") && message.id !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.id);
                if (message.question != null && $Object.hasOwnProperty.call(message, "question") && message.question !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.question);
                if (message.answers != null && message.answers.length)
                    for (let i = 0; i < message.answers.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.answers[i]);
                if (message.document != null && $Object.hasOwnProperty.call(message, "document") && message.document !== "")
                    writer.uint32(/* id 4, wireType 2 =*/34).string(message.document);
                if (message.metadata != null && $Object.hasOwnProperty.call(message, "metadata"))
                    for (let keys = $Object.keys(message.metadata), i = 0; i < keys.length; ++i) {
                        writer.uint32(/* id 5, wireType 2 =*/42).fork().uint32(/* id 1, wireType 2 =*/10).string(keys[i]);
                        $root.palimpsest.v1.TaskFact.encode(message.metadata[keys[i]], writer.uint32(/* id 2, wireType 2 =*/18).fork(), _depth + 1).ldelim().ldelim();
                    }
                if (message.records != null && message.records.length)
                    for (let i = 0; i < message.records.length; ++i)
                        $root.palimpsest.v1.MemoryRecord.encode(message.records[i], writer.uint32(/* id 6, wireType 2 =*/50).fork(), _depth + 1).ldelim();
                if (message.hasRecords != null && $Object.hasOwnProperty.call(message, "hasRecords") && message.hasRecords !== false)
                    writer.uint32(/* id 7, wireType 0 =*/56).bool(message.hasRecords);
                if (message.probes != null && message.probes.length)
                    for (let i = 0; i < message.probes.length; ++i)
                        $root.palimpsest.v1.Probe.encode(message.probes[i], writer.uint32(/* id 8, wireType 2 =*/66).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a Task message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.Task
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.Task & palimpsest.v1.Task.$Shape} Task
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            Task.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, key, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.Task();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.id = value;
                            else
                                delete message.id;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.question = value;
                            else
                                delete message.question;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.answers && message.answers.length))
                                message.answers = [];
                            message.answers.push(reader.stringVerify());
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.document = value;
                            else
                                delete message.document;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (message.metadata === $util.emptyObject)
                                message.metadata = {};
                            let end2 = reader.size() + reader.pos;
                            if (end2 > reader.len)
                                throw $RangeError("index out of range");
                            reader.len = end2;
                            key = "";
                            value = null;
                            while (reader.pos < end2) {
                                let tag2 = reader.tag();
                                wireType = tag2 & 7;
                                switch (tag2 >>>= 3) {
                                case 1:
                                    if (wireType !== 2)
                                        break;
                                    key = reader.stringVerify();
                                    continue;
                                case 2:
                                    if (wireType !== 2)
                                        break;
                                    value = $root.palimpsest.v1.TaskFact.decode(reader, reader.size(), $undefined, _depth + 1, value);
                                    continue;
                                }
                                reader.skipType(wireType, _depth, tag2);
                            }
                            if (reader.pos !== end2)
                                throw $RangeError("index out of range");
                            reader.len = end;
                            if (key === "__proto__")
                                $util.makeProp(message.metadata, key);
                            message.metadata[key] = value || new $root.palimpsest.v1.TaskFact();
                            continue;
                        }
                    case 6: {
                            if (wireType !== 2)
                                break;
                            if (!(message.records && message.records.length))
                                message.records = [];
                            message.records.push($root.palimpsest.v1.MemoryRecord.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 7: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.bool())
                                message.hasRecords = value;
                            else
                                delete message.hasRecords;
                            continue;
                        }
                    case 8: {
                            if (wireType !== 2)
                                break;
                            if (!(message.probes && message.probes.length))
                                message.probes = [];
                            message.probes.push($root.palimpsest.v1.Probe.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return Task;
        })();

        v1.TaskFact = (function() {

            /**
             * Properties of a TaskFact.
             * @typedef {Object} palimpsest.v1.TaskFact.$Properties
             * @property {string|null} [text] TaskFact text
             * @property {number|null} [number] TaskFact number
             * @property {boolean|null} [flag] TaskFact flag
             * @property {"text"|"number"|"flag"} [value] TaskFact value
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a TaskFact.
             * @memberof palimpsest.v1
             * @interface ITaskFact
             * @augments palimpsest.v1.TaskFact.$Properties
             * @deprecated Use palimpsest.v1.TaskFact.$Properties instead.
             */

            /**
             * Narrowed shape of a TaskFact.
             * @typedef {{
             *   text?: string|null;
             *   number?: number|null;
             *   flag?: boolean|null;
             *   $unknowns?: Array.<Uint8Array>;
             * } & (
             *   ({ value?: undefined; text?: null; number?: null; flag?: null }|{ value?: "text"; text: string; number?: null; flag?: null }|{ value?: "number"; text?: null; number: number; flag?: null }|{ value?: "flag"; text?: null; number?: null; flag: boolean })
             * )} palimpsest.v1.TaskFact.$Shape
             */

            /**
             * Constructs a new TaskFact.
             * @memberof palimpsest.v1
             * @classdesc Represents a TaskFact.
             * @constructor
             * @param {palimpsest.v1.TaskFact.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const TaskFact = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * TaskFact text.
             * @member {string|null|undefined} text
             * @memberof palimpsest.v1.TaskFact
             * @instance
             */
            TaskFact.prototype.text = null;

            /**
             * TaskFact number.
             * @member {number|null|undefined} number
             * @memberof palimpsest.v1.TaskFact
             * @instance
             */
            TaskFact.prototype.number = null;

            /**
             * TaskFact flag.
             * @member {boolean|null|undefined} flag
             * @memberof palimpsest.v1.TaskFact
             * @instance
             */
            TaskFact.prototype.flag = null;

            // OneOf field names bound to virtual getters and setters
            let $oneOfFields;

            /**
             * TaskFact value.
             * @member {"text"|"number"|"flag"|undefined} value
             * @memberof palimpsest.v1.TaskFact
             * @instance
             */
            $Object.defineProperty(TaskFact.prototype, "value", {
                get: $util.oneOfGetter($oneOfFields = ["text", "number", "flag"]),
                set: $util.oneOfSetter($oneOfFields)
            });

            /**
             * Creates a new TaskFact instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.TaskFact
             * @static
             * @param {palimpsest.v1.TaskFact.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.TaskFact} TaskFact instance
             * @type {{
             *   (properties: palimpsest.v1.TaskFact.$Shape): palimpsest.v1.TaskFact & palimpsest.v1.TaskFact.$Shape;
             *   (properties?: palimpsest.v1.TaskFact.$Properties): palimpsest.v1.TaskFact;
             * }}
             */
            TaskFact.create = function(properties) {
                return new TaskFact(properties);
            };

            /**
             * Encodes the specified TaskFact message. Does not implicitly {@link palimpsest.v1.TaskFact.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.TaskFact
             * @static
             * @param {palimpsest.v1.TaskFact.$Properties} message TaskFact message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            TaskFact.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.text != null && $Object.hasOwnProperty.call(message, "text"))
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.text);
                if (message.number != null && $Object.hasOwnProperty.call(message, "number"))
                    writer.uint32(/* id 2, wireType 1 =*/17).double(message.number);
                if (message.flag != null && $Object.hasOwnProperty.call(message, "flag"))
                    writer.uint32(/* id 3, wireType 0 =*/24).bool(message.flag);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a TaskFact message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.TaskFact
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.TaskFact & palimpsest.v1.TaskFact.$Shape} TaskFact
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            TaskFact.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.TaskFact();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.text = reader.stringVerify();
                            message.value = "text";
                            continue;
                        }
                    case 2: {
                            if (wireType !== 1)
                                break;
                            message.number = reader.double();
                            message.value = "number";
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.flag = reader.bool();
                            message.value = "flag";
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return TaskFact;
        })();

        v1.WeightManifest = (function() {

            /**
             * Properties of a WeightManifest.
             * @typedef {Object} palimpsest.v1.WeightManifest.$Properties
             * @property {string|null} [runId] WeightManifest runId
             * @property {number|null} [policyVersion] WeightManifest policyVersion
             * @property {string|null} [weightsHash] WeightManifest weightsHash
             * @property {Array.<palimpsest.v1.WeightTensor.$Properties>|null} [tensors] WeightManifest tensors
             * @property {Array.<palimpsest.v1.WeightShard.$Properties>|null} [shards] WeightManifest shards
             * @property {number|null} [publishedAtMs] WeightManifest publishedAtMs
             * @property {palimpsest.v1.WeightAdapters.$Properties|null} [adapters] WeightManifest adapters
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WeightManifest.
             * @memberof palimpsest.v1
             * @interface IWeightManifest
             * @augments palimpsest.v1.WeightManifest.$Properties
             * @deprecated Use palimpsest.v1.WeightManifest.$Properties instead.
             */

            /**
             * Shape of a WeightManifest.
             * @typedef {palimpsest.v1.WeightManifest.$Properties} palimpsest.v1.WeightManifest.$Shape
             */

            /**
             * Constructs a new WeightManifest.
             * @memberof palimpsest.v1
             * @classdesc Represents a WeightManifest.
             * @constructor
             * @param {palimpsest.v1.WeightManifest.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WeightManifest = function (properties) {
                this.tensors = [];
                this.shards = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WeightManifest runId.
             * @member {string} runId
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.runId = "";

            /**
             * WeightManifest policyVersion.
             * @member {number} policyVersion
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.policyVersion = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * WeightManifest weightsHash.
             * @member {string} weightsHash
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.weightsHash = "";

            /**
             * WeightManifest tensors.
             * @member {Array.<palimpsest.v1.WeightTensor.$Properties>} tensors
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.tensors = $util.emptyArray;

            /**
             * WeightManifest shards.
             * @member {Array.<palimpsest.v1.WeightShard.$Properties>} shards
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.shards = $util.emptyArray;

            /**
             * WeightManifest publishedAtMs.
             * @member {number} publishedAtMs
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.publishedAtMs = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * WeightManifest adapters.
             * @member {palimpsest.v1.WeightAdapters.$Properties|null|undefined} adapters
             * @memberof palimpsest.v1.WeightManifest
             * @instance
             */
            WeightManifest.prototype.adapters = null;

            /**
             * Creates a new WeightManifest instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WeightManifest
             * @static
             * @param {palimpsest.v1.WeightManifest.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WeightManifest} WeightManifest instance
             * @type {{
             *   (properties: palimpsest.v1.WeightManifest.$Shape): palimpsest.v1.WeightManifest & palimpsest.v1.WeightManifest.$Shape;
             *   (properties?: palimpsest.v1.WeightManifest.$Properties): palimpsest.v1.WeightManifest;
             * }}
             */
            WeightManifest.create = function(properties) {
                return new WeightManifest(properties);
            };

            /**
             * Encodes the specified WeightManifest message. Does not implicitly {@link palimpsest.v1.WeightManifest.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WeightManifest
             * @static
             * @param {palimpsest.v1.WeightManifest.$Properties} message WeightManifest message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WeightManifest.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.runId != null && $Object.hasOwnProperty.call(message, "runId") && message.runId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.runId);
                if (message.policyVersion != null && $Object.hasOwnProperty.call(message, "policyVersion") && (typeof message.policyVersion === "object" ? message.policyVersion.low || message.policyVersion.high : message.policyVersion !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.policyVersion);
                if (message.weightsHash != null && $Object.hasOwnProperty.call(message, "weightsHash") && message.weightsHash !== "")
                    writer.uint32(/* id 3, wireType 2 =*/26).string(message.weightsHash);
                if (message.tensors != null && message.tensors.length)
                    for (let i = 0; i < message.tensors.length; ++i)
                        $root.palimpsest.v1.WeightTensor.encode(message.tensors[i], writer.uint32(/* id 4, wireType 2 =*/34).fork(), _depth + 1).ldelim();
                if (message.shards != null && message.shards.length)
                    for (let i = 0; i < message.shards.length; ++i)
                        $root.palimpsest.v1.WeightShard.encode(message.shards[i], writer.uint32(/* id 5, wireType 2 =*/42).fork(), _depth + 1).ldelim();
                if (message.publishedAtMs != null && $Object.hasOwnProperty.call(message, "publishedAtMs") && (typeof message.publishedAtMs === "object" ? message.publishedAtMs.low || message.publishedAtMs.high : message.publishedAtMs !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).int64(message.publishedAtMs);
                if (message.adapters != null && $Object.hasOwnProperty.call(message, "adapters"))
                    $root.palimpsest.v1.WeightAdapters.encode(message.adapters, writer.uint32(/* id 7, wireType 2 =*/58).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WeightManifest message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WeightManifest
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightManifest & palimpsest.v1.WeightManifest.$Shape} WeightManifest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WeightManifest.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WeightManifest();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.runId = value;
                            else
                                delete message.runId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.policyVersion = value;
                            else
                                delete message.policyVersion;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.weightsHash = value;
                            else
                                delete message.weightsHash;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.tensors && message.tensors.length))
                                message.tensors = [];
                            message.tensors.push($root.palimpsest.v1.WeightTensor.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            if (!(message.shards && message.shards.length))
                                message.shards = [];
                            message.shards.push($root.palimpsest.v1.WeightShard.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.publishedAtMs = value;
                            else
                                delete message.publishedAtMs;
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            message.adapters = $root.palimpsest.v1.WeightAdapters.decode(reader, reader.size(), $undefined, _depth + 1, message.adapters);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WeightManifest;
        })();

        v1.WeightAdapters = (function() {

            /**
             * Properties of a WeightAdapters.
             * @typedef {Object} palimpsest.v1.WeightAdapters.$Properties
             * @property {string|null} [baseWeightsHash] WeightAdapters baseWeightsHash
             * @property {number|null} [rank] WeightAdapters rank
             * @property {number|null} [alpha] WeightAdapters alpha
             * @property {Array.<string>|null} [targets] WeightAdapters targets
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WeightAdapters.
             * @memberof palimpsest.v1
             * @interface IWeightAdapters
             * @augments palimpsest.v1.WeightAdapters.$Properties
             * @deprecated Use palimpsest.v1.WeightAdapters.$Properties instead.
             */

            /**
             * Shape of a WeightAdapters.
             * @typedef {palimpsest.v1.WeightAdapters.$Properties} palimpsest.v1.WeightAdapters.$Shape
             */

            /**
             * Constructs a new WeightAdapters.
             * @memberof palimpsest.v1
             * @classdesc Represents a WeightAdapters.
             * @constructor
             * @param {palimpsest.v1.WeightAdapters.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WeightAdapters = function (properties) {
                this.targets = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WeightAdapters baseWeightsHash.
             * @member {string} baseWeightsHash
             * @memberof palimpsest.v1.WeightAdapters
             * @instance
             */
            WeightAdapters.prototype.baseWeightsHash = "";

            /**
             * WeightAdapters rank.
             * @member {number} rank
             * @memberof palimpsest.v1.WeightAdapters
             * @instance
             */
            WeightAdapters.prototype.rank = 0;

            /**
             * WeightAdapters alpha.
             * @member {number} alpha
             * @memberof palimpsest.v1.WeightAdapters
             * @instance
             */
            WeightAdapters.prototype.alpha = 0;

            /**
             * WeightAdapters targets.
             * @member {Array.<string>} targets
             * @memberof palimpsest.v1.WeightAdapters
             * @instance
             */
            WeightAdapters.prototype.targets = $util.emptyArray;

            /**
             * Creates a new WeightAdapters instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WeightAdapters
             * @static
             * @param {palimpsest.v1.WeightAdapters.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WeightAdapters} WeightAdapters instance
             * @type {{
             *   (properties: palimpsest.v1.WeightAdapters.$Shape): palimpsest.v1.WeightAdapters & palimpsest.v1.WeightAdapters.$Shape;
             *   (properties?: palimpsest.v1.WeightAdapters.$Properties): palimpsest.v1.WeightAdapters;
             * }}
             */
            WeightAdapters.create = function(properties) {
                return new WeightAdapters(properties);
            };

            /**
             * Encodes the specified WeightAdapters message. Does not implicitly {@link palimpsest.v1.WeightAdapters.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WeightAdapters
             * @static
             * @param {palimpsest.v1.WeightAdapters.$Properties} message WeightAdapters message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WeightAdapters.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.baseWeightsHash != null && $Object.hasOwnProperty.call(message, "baseWeightsHash") && message.baseWeightsHash !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.baseWeightsHash);
                if (message.rank != null && $Object.hasOwnProperty.call(message, "rank") && message.rank !== 0)
                    writer.uint32(/* id 2, wireType 0 =*/16).int32(message.rank);
                if (message.alpha != null && $Object.hasOwnProperty.call(message, "alpha") && !$Object.is(message.alpha, 0))
                    writer.uint32(/* id 3, wireType 1 =*/25).double(message.alpha);
                if (message.targets != null && message.targets.length)
                    for (let i = 0; i < message.targets.length; ++i)
                        writer.uint32(/* id 4, wireType 2 =*/34).string(message.targets[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WeightAdapters message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WeightAdapters
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightAdapters & palimpsest.v1.WeightAdapters.$Shape} WeightAdapters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WeightAdapters.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WeightAdapters();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.baseWeightsHash = value;
                            else
                                delete message.baseWeightsHash;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.rank = value;
                            else
                                delete message.rank;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 1)
                                break;
                            if (!$Object.is(value = reader.double(), 0))
                                message.alpha = value;
                            else
                                delete message.alpha;
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            if (!(message.targets && message.targets.length))
                                message.targets = [];
                            message.targets.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WeightAdapters;
        })();

        v1.WeightTensor = (function() {

            /**
             * Properties of a WeightTensor.
             * @typedef {Object} palimpsest.v1.WeightTensor.$Properties
             * @property {string|null} [name] WeightTensor name
             * @property {string|null} [dtype] WeightTensor dtype
             * @property {Array.<number>|null} [shape] WeightTensor shape
             * @property {number|null} [shardIndex] WeightTensor shardIndex
             * @property {number|null} [offsetBytes] WeightTensor offsetBytes
             * @property {number|null} [lengthBytes] WeightTensor lengthBytes
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WeightTensor.
             * @memberof palimpsest.v1
             * @interface IWeightTensor
             * @augments palimpsest.v1.WeightTensor.$Properties
             * @deprecated Use palimpsest.v1.WeightTensor.$Properties instead.
             */

            /**
             * Shape of a WeightTensor.
             * @typedef {palimpsest.v1.WeightTensor.$Properties} palimpsest.v1.WeightTensor.$Shape
             */

            /**
             * Constructs a new WeightTensor.
             * @memberof palimpsest.v1
             * @classdesc Represents a WeightTensor.
             * @constructor
             * @param {palimpsest.v1.WeightTensor.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WeightTensor = function (properties) {
                this.shape = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WeightTensor name.
             * @member {string} name
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.name = "";

            /**
             * WeightTensor dtype.
             * @member {string} dtype
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.dtype = "";

            /**
             * WeightTensor shape.
             * @member {Array.<number>} shape
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.shape = $util.emptyArray;

            /**
             * WeightTensor shardIndex.
             * @member {number} shardIndex
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.shardIndex = 0;

            /**
             * WeightTensor offsetBytes.
             * @member {number} offsetBytes
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.offsetBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * WeightTensor lengthBytes.
             * @member {number} lengthBytes
             * @memberof palimpsest.v1.WeightTensor
             * @instance
             */
            WeightTensor.prototype.lengthBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * Creates a new WeightTensor instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WeightTensor
             * @static
             * @param {palimpsest.v1.WeightTensor.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WeightTensor} WeightTensor instance
             * @type {{
             *   (properties: palimpsest.v1.WeightTensor.$Shape): palimpsest.v1.WeightTensor & palimpsest.v1.WeightTensor.$Shape;
             *   (properties?: palimpsest.v1.WeightTensor.$Properties): palimpsest.v1.WeightTensor;
             * }}
             */
            WeightTensor.create = function(properties) {
                return new WeightTensor(properties);
            };

            /**
             * Encodes the specified WeightTensor message. Does not implicitly {@link palimpsest.v1.WeightTensor.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WeightTensor
             * @static
             * @param {palimpsest.v1.WeightTensor.$Properties} message WeightTensor message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WeightTensor.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.name != null && $Object.hasOwnProperty.call(message, "name") && message.name !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.name);
                if (message.dtype != null && $Object.hasOwnProperty.call(message, "dtype") && message.dtype !== "")
                    writer.uint32(/* id 2, wireType 2 =*/18).string(message.dtype);
                if (message.shape != null && message.shape.length)
                    writer.uint32(/* id 3, wireType 2 =*/26).int64s(message.shape);
                if (message.shardIndex != null && $Object.hasOwnProperty.call(message, "shardIndex") && message.shardIndex !== 0)
                    writer.uint32(/* id 4, wireType 0 =*/32).int32(message.shardIndex);
                if (message.offsetBytes != null && $Object.hasOwnProperty.call(message, "offsetBytes") && (typeof message.offsetBytes === "object" ? message.offsetBytes.low || message.offsetBytes.high : message.offsetBytes !== 0))
                    writer.uint32(/* id 5, wireType 0 =*/40).int64(message.offsetBytes);
                if (message.lengthBytes != null && $Object.hasOwnProperty.call(message, "lengthBytes") && (typeof message.lengthBytes === "object" ? message.lengthBytes.low || message.lengthBytes.high : message.lengthBytes !== 0))
                    writer.uint32(/* id 6, wireType 0 =*/48).int64(message.lengthBytes);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WeightTensor message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WeightTensor
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightTensor & palimpsest.v1.WeightTensor.$Shape} WeightTensor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WeightTensor.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WeightTensor();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.name = value;
                            else
                                delete message.name;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.dtype = value;
                            else
                                delete message.dtype;
                            continue;
                        }
                    case 3: {
                            if (wireType === 2) {
                                if (!(message.shape && message.shape.length))
                                    message.shape = [];
                                reader.int64s(message.shape);
                                continue;
                            }
                            if (wireType !== 0)
                                break;
                            if (!(message.shape && message.shape.length))
                                message.shape = [];
                            message.shape.push(reader.int64());
                            continue;
                        }
                    case 4: {
                            if (wireType !== 0)
                                break;
                            if (value = reader.int32())
                                message.shardIndex = value;
                            else
                                delete message.shardIndex;
                            continue;
                        }
                    case 5: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.offsetBytes = value;
                            else
                                delete message.offsetBytes;
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.lengthBytes = value;
                            else
                                delete message.lengthBytes;
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WeightTensor;
        })();

        v1.WeightShard = (function() {

            /**
             * Properties of a WeightShard.
             * @typedef {Object} palimpsest.v1.WeightShard.$Properties
             * @property {string|null} [objectId] WeightShard objectId
             * @property {number|null} [sizeBytes] WeightShard sizeBytes
             * @property {Array.<string>|null} [locations] WeightShard locations
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */

            /**
             * Properties of a WeightShard.
             * @memberof palimpsest.v1
             * @interface IWeightShard
             * @augments palimpsest.v1.WeightShard.$Properties
             * @deprecated Use palimpsest.v1.WeightShard.$Properties instead.
             */

            /**
             * Shape of a WeightShard.
             * @typedef {palimpsest.v1.WeightShard.$Properties} palimpsest.v1.WeightShard.$Shape
             */

            /**
             * Constructs a new WeightShard.
             * @memberof palimpsest.v1
             * @classdesc Represents a WeightShard.
             * @constructor
             * @param {palimpsest.v1.WeightShard.$Properties=} [properties] Properties to set
             * @property {Array.<Uint8Array>} [$unknowns] Unknown fields preserved while decoding when enabled
             */
            const WeightShard = function (properties) {
                this.locations = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            /**
             * WeightShard objectId.
             * @member {string} objectId
             * @memberof palimpsest.v1.WeightShard
             * @instance
             */
            WeightShard.prototype.objectId = "";

            /**
             * WeightShard sizeBytes.
             * @member {number} sizeBytes
             * @memberof palimpsest.v1.WeightShard
             * @instance
             */
            WeightShard.prototype.sizeBytes = $util.Long ? $util.Long.fromBits(0,0,false) : 0;

            /**
             * WeightShard locations.
             * @member {Array.<string>} locations
             * @memberof palimpsest.v1.WeightShard
             * @instance
             */
            WeightShard.prototype.locations = $util.emptyArray;

            /**
             * Creates a new WeightShard instance using the specified properties.
             * @function create
             * @memberof palimpsest.v1.WeightShard
             * @static
             * @param {palimpsest.v1.WeightShard.$Properties=} [properties] Properties to set
             * @returns {palimpsest.v1.WeightShard} WeightShard instance
             * @type {{
             *   (properties: palimpsest.v1.WeightShard.$Shape): palimpsest.v1.WeightShard & palimpsest.v1.WeightShard.$Shape;
             *   (properties?: palimpsest.v1.WeightShard.$Properties): palimpsest.v1.WeightShard;
             * }}
             */
            WeightShard.create = function(properties) {
                return new WeightShard(properties);
            };

            /**
             * Encodes the specified WeightShard message. Does not implicitly {@link palimpsest.v1.WeightShard.verify|verify} messages.
             * @function encode
             * @memberof palimpsest.v1.WeightShard
             * @static
             * @param {palimpsest.v1.WeightShard.$Properties} message WeightShard message or plain object to encode
             * @param {$protobuf.Writer} [writer] Writer to encode to
             * @returns {$protobuf.Writer} Writer
             */
            WeightShard.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.objectId != null && $Object.hasOwnProperty.call(message, "objectId") && message.objectId !== "")
                    writer.uint32(/* id 1, wireType 2 =*/10).string(message.objectId);
                if (message.sizeBytes != null && $Object.hasOwnProperty.call(message, "sizeBytes") && (typeof message.sizeBytes === "object" ? message.sizeBytes.low || message.sizeBytes.high : message.sizeBytes !== 0))
                    writer.uint32(/* id 2, wireType 0 =*/16).int64(message.sizeBytes);
                if (message.locations != null && message.locations.length)
                    for (let i = 0; i < message.locations.length; ++i)
                        writer.uint32(/* id 3, wireType 2 =*/26).string(message.locations[i]);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            /**
             * Decodes a WeightShard message from the specified reader or buffer.
             * @function decode
             * @memberof palimpsest.v1.WeightShard
             * @static
             * @param {$protobuf.Reader|Uint8Array} reader Reader or buffer to decode from
             * @param {number} [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightShard & palimpsest.v1.WeightShard.$Shape} WeightShard
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            WeightShard.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message, value;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.palimpsest.v1.WeightShard();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            if ((value = reader.stringVerify()).length)
                                message.objectId = value;
                            else
                                delete message.objectId;
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            if (typeof (value = reader.int64()) === "object" ? value.low || value.high : value !== 0)
                                message.sizeBytes = value;
                            else
                                delete message.sizeBytes;
                            continue;
                        }
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.locations && message.locations.length))
                                message.locations = [];
                            message.locations.push(reader.stringVerify());
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
            };

            return WeightShard;
        })();

        return v1;
    })();

    return palimpsest;
})();

export {
  $root as default
};

const exportedActorDied = palimpsest.v1.ActorDied;
const exportedActorInfo = palimpsest.v1.ActorInfo;
const exportedActorProcessEvent = palimpsest.v1.ActorProcessEvent;
const exportedActorProcessReady = palimpsest.v1.ActorProcessReady;
const exportedActorProcessStart = palimpsest.v1.ActorProcessStart;
const exportedActorSpec = palimpsest.v1.ActorSpec;
const exportedActorStarted = palimpsest.v1.ActorStarted;
const exportedActorState = palimpsest.v1.ActorState;
const exportedBundleChunk = palimpsest.v1.BundleChunk;
const exportedBundleInfo = palimpsest.v1.BundleInfo;
const exportedCall = palimpsest.v1.Call;
const exportedCallBatch = palimpsest.v1.CallBatch;
const exportedCallFrame = palimpsest.v1.CallFrame;
const exportedClusterInfo = palimpsest.v1.ClusterInfo;
const exportedCodeRef = palimpsest.v1.CodeRef;
const exportedConversation = palimpsest.v1.Conversation;
const exportedCreateActorRequest = palimpsest.v1.CreateActorRequest;
const exportedDeathCertificate = palimpsest.v1.DeathCertificate;
const exportedDeleteJobRequest = palimpsest.v1.DeleteJobRequest;
const exportedDeleteRequest = palimpsest.v1.DeleteRequest;
const exportedDeleteResponse = palimpsest.v1.DeleteResponse;
const exportedDriverExited = palimpsest.v1.DriverExited;
const exportedDriverOutput = palimpsest.v1.DriverOutput;
const exportedDriverOutputAck = palimpsest.v1.DriverOutputAck;
const exportedDriverStarted = palimpsest.v1.DriverStarted;
const exportedError = palimpsest.v1.Error;
const exportedFetchRequest = palimpsest.v1.FetchRequest;
const exportedGetBundleRequest = palimpsest.v1.GetBundleRequest;
const exportedGetClusterRequest = palimpsest.v1.GetClusterRequest;
const exportedGetJobRequest = palimpsest.v1.GetJobRequest;
const exportedHeadMessage = palimpsest.v1.HeadMessage;
const exportedJobInfo = palimpsest.v1.JobInfo;
const exportedJobStatus = palimpsest.v1.JobStatus;
const exportedKillActorRequest = palimpsest.v1.KillActorRequest;
const exportedListActorsRequest = palimpsest.v1.ListActorsRequest;
const exportedListActorsResponse = palimpsest.v1.ListActorsResponse;
const exportedListJobsRequest = palimpsest.v1.ListJobsRequest;
const exportedListJobsResponse = palimpsest.v1.ListJobsResponse;
const exportedListNodesRequest = palimpsest.v1.ListNodesRequest;
const exportedListNodesResponse = palimpsest.v1.ListNodesResponse;
const exportedListQueuesRequest = palimpsest.v1.ListQueuesRequest;
const exportedListQueuesResponse = palimpsest.v1.ListQueuesResponse;
const exportedLogChunk = palimpsest.v1.LogChunk;
const exportedLogsRequest = palimpsest.v1.LogsRequest;
const exportedMemoryRecord = palimpsest.v1.MemoryRecord;
const exportedMemoryStep = palimpsest.v1.MemoryStep;
const exportedNodeHeartbeat = palimpsest.v1.NodeHeartbeat;
const exportedNodeInfo = palimpsest.v1.NodeInfo;
const exportedNodeMessage = palimpsest.v1.NodeMessage;
const exportedNodeState = palimpsest.v1.NodeState;
const exportedObjectInfo = palimpsest.v1.ObjectInfo;
const exportedProbe = palimpsest.v1.Probe;
const exportedPullChunk = palimpsest.v1.PullChunk;
const exportedPullRequest = palimpsest.v1.PullRequest;
const exportedPutChunk = palimpsest.v1.PutChunk;
const exportedQueueInfo = palimpsest.v1.QueueInfo;
const exportedRegisterNode = palimpsest.v1.RegisterNode;
const exportedRegistered = palimpsest.v1.Registered;
const exportedReleaseHolder = palimpsest.v1.ReleaseHolder;
const exportedReply = palimpsest.v1.Reply;
const exportedReplyBatch = palimpsest.v1.ReplyBatch;
const exportedResolveActorRequest = palimpsest.v1.ResolveActorRequest;
const exportedResources = palimpsest.v1.Resources;
const exportedRunningActor = palimpsest.v1.RunningActor;
const exportedScoredGroup = palimpsest.v1.ScoredGroup;
const exportedScoredTrajectory = palimpsest.v1.ScoredTrajectory;
const exportedSessionEvent = palimpsest.v1.SessionEvent;
const exportedSessionMessage = palimpsest.v1.SessionMessage;
const exportedSessionOpened = palimpsest.v1.SessionOpened;
const exportedShutdownRequest = palimpsest.v1.ShutdownRequest;
const exportedShutdownResponse = palimpsest.v1.ShutdownResponse;
const exportedStartActor = palimpsest.v1.StartActor;
const exportedStartDriver = palimpsest.v1.StartDriver;
const exportedStatRequest = palimpsest.v1.StatRequest;
const exportedStepDump = palimpsest.v1.StepDump;
const exportedStopActor = palimpsest.v1.StopActor;
const exportedStopDriver = palimpsest.v1.StopDriver;
const exportedStopJobRequest = palimpsest.v1.StopJobRequest;
const exportedStopNode = palimpsest.v1.StopNode;
const exportedStoreDiff = palimpsest.v1.StoreDiff;
const exportedStreamCredit = palimpsest.v1.StreamCredit;
const exportedSubmitRequest = palimpsest.v1.SubmitRequest;
const exportedTask = palimpsest.v1.Task;
const exportedTaskFact = palimpsest.v1.TaskFact;
const exportedTrajectory = palimpsest.v1.Trajectory;
const exportedTrajectoryScore = palimpsest.v1.TrajectoryScore;
const exportedWeightAdapters = palimpsest.v1.WeightAdapters;
const exportedWeightManifest = palimpsest.v1.WeightManifest;
const exportedWeightShard = palimpsest.v1.WeightShard;
const exportedWeightTensor = palimpsest.v1.WeightTensor;
const exportedWorkingDirectory = palimpsest.v1.WorkingDirectory;
const exportedWorkingFile = palimpsest.v1.WorkingFile;
export { exportedActorDied as ActorDied, exportedActorInfo as ActorInfo, exportedActorProcessEvent as ActorProcessEvent, exportedActorProcessReady as ActorProcessReady, exportedActorProcessStart as ActorProcessStart, exportedActorSpec as ActorSpec, exportedActorStarted as ActorStarted, exportedActorState as ActorState, exportedBundleChunk as BundleChunk, exportedBundleInfo as BundleInfo, exportedCall as Call, exportedCallBatch as CallBatch, exportedCallFrame as CallFrame, exportedClusterInfo as ClusterInfo, exportedCodeRef as CodeRef, exportedConversation as Conversation, exportedCreateActorRequest as CreateActorRequest, exportedDeathCertificate as DeathCertificate, exportedDeleteJobRequest as DeleteJobRequest, exportedDeleteRequest as DeleteRequest, exportedDeleteResponse as DeleteResponse, exportedDriverExited as DriverExited, exportedDriverOutput as DriverOutput, exportedDriverOutputAck as DriverOutputAck, exportedDriverStarted as DriverStarted, exportedError as Error, exportedFetchRequest as FetchRequest, exportedGetBundleRequest as GetBundleRequest, exportedGetClusterRequest as GetClusterRequest, exportedGetJobRequest as GetJobRequest, exportedHeadMessage as HeadMessage, exportedJobInfo as JobInfo, exportedJobStatus as JobStatus, exportedKillActorRequest as KillActorRequest, exportedListActorsRequest as ListActorsRequest, exportedListActorsResponse as ListActorsResponse, exportedListJobsRequest as ListJobsRequest, exportedListJobsResponse as ListJobsResponse, exportedListNodesRequest as ListNodesRequest, exportedListNodesResponse as ListNodesResponse, exportedListQueuesRequest as ListQueuesRequest, exportedListQueuesResponse as ListQueuesResponse, exportedLogChunk as LogChunk, exportedLogsRequest as LogsRequest, exportedMemoryRecord as MemoryRecord, exportedMemoryStep as MemoryStep, exportedNodeHeartbeat as NodeHeartbeat, exportedNodeInfo as NodeInfo, exportedNodeMessage as NodeMessage, exportedNodeState as NodeState, exportedObjectInfo as ObjectInfo, exportedProbe as Probe, exportedPullChunk as PullChunk, exportedPullRequest as PullRequest, exportedPutChunk as PutChunk, exportedQueueInfo as QueueInfo, exportedRegisterNode as RegisterNode, exportedRegistered as Registered, exportedReleaseHolder as ReleaseHolder, exportedReply as Reply, exportedReplyBatch as ReplyBatch, exportedResolveActorRequest as ResolveActorRequest, exportedResources as Resources, exportedRunningActor as RunningActor, exportedScoredGroup as ScoredGroup, exportedScoredTrajectory as ScoredTrajectory, exportedSessionEvent as SessionEvent, exportedSessionMessage as SessionMessage, exportedSessionOpened as SessionOpened, exportedShutdownRequest as ShutdownRequest, exportedShutdownResponse as ShutdownResponse, exportedStartActor as StartActor, exportedStartDriver as StartDriver, exportedStatRequest as StatRequest, exportedStepDump as StepDump, exportedStopActor as StopActor, exportedStopDriver as StopDriver, exportedStopJobRequest as StopJobRequest, exportedStopNode as StopNode, exportedStoreDiff as StoreDiff, exportedStreamCredit as StreamCredit, exportedSubmitRequest as SubmitRequest, exportedTask as Task, exportedTaskFact as TaskFact, exportedTrajectory as Trajectory, exportedTrajectoryScore as TrajectoryScore, exportedWeightAdapters as WeightAdapters, exportedWeightManifest as WeightManifest, exportedWeightShard as WeightShard, exportedWeightTensor as WeightTensor, exportedWorkingDirectory as WorkingDirectory, exportedWorkingFile as WorkingFile };
