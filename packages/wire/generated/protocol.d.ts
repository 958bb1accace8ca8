import * as $protobuf from "protobufjs/minimal.js";

/** Namespace palimpsest. */
export namespace palimpsest {

    /** Namespace v1. */
    namespace v1 {

        /**
         * Properties of a CallBatch.
         * @deprecated Use palimpsest.v1.CallBatch.$Properties instead.
         */
        interface ICallBatch extends palimpsest.v1.CallBatch.$Properties {
        }

        /** Represents a CallBatch. */
        class CallBatch {

            /**
             * Constructs a new CallBatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CallBatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CallBatch frames. */
            frames: palimpsest.v1.CallFrame.$Properties[];

            /**
             * Creates a new CallBatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CallBatch instance
             */
            static create(properties: palimpsest.v1.CallBatch.$Shape): palimpsest.v1.CallBatch & palimpsest.v1.CallBatch.$Shape;
            static create(properties?: palimpsest.v1.CallBatch.$Properties): palimpsest.v1.CallBatch;

            /**
             * Encodes the specified CallBatch message. Does not implicitly {@link palimpsest.v1.CallBatch.verify|verify} messages.
             * @param message CallBatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CallBatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CallBatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CallBatch & palimpsest.v1.CallBatch.$Shape} CallBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CallBatch & palimpsest.v1.CallBatch.$Shape;
        }

        namespace CallBatch {

            /** Properties of a CallBatch. */
            interface $Properties {

                /** CallBatch frames */
                frames?: (palimpsest.v1.CallFrame.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CallBatch. */
            type $Shape = {
              frames?: palimpsest.v1.CallFrame.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a CallFrame.
         * @deprecated Use palimpsest.v1.CallFrame.$Properties instead.
         */
        interface ICallFrame extends palimpsest.v1.CallFrame.$Properties {
        }

        /** Represents a CallFrame. */
        class CallFrame {

            /**
             * Constructs a new CallFrame.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CallFrame.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CallFrame call. */
            call?: (palimpsest.v1.Call.$Properties|null);

            /** CallFrame cancelCallId. */
            cancelCallId?: (number|null);

            /** CallFrame credit. */
            credit?: (palimpsest.v1.StreamCredit.$Properties|null);

            /** CallFrame takenCallId. */
            takenCallId?: (number|null);

            /** CallFrame meshCall. */
            meshCall?: (palimpsest.v1.MeshCall.$Properties|null);

            /** CallFrame frame. */
            frame?: ("call"|"cancelCallId"|"credit"|"takenCallId"|"meshCall");

            /**
             * Creates a new CallFrame instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CallFrame instance
             */
            static create(properties: palimpsest.v1.CallFrame.$Shape): palimpsest.v1.CallFrame & palimpsest.v1.CallFrame.$Shape;
            static create(properties?: palimpsest.v1.CallFrame.$Properties): palimpsest.v1.CallFrame;

            /**
             * Encodes the specified CallFrame message. Does not implicitly {@link palimpsest.v1.CallFrame.verify|verify} messages.
             * @param message CallFrame message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CallFrame.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CallFrame message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CallFrame & palimpsest.v1.CallFrame.$Shape} CallFrame
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CallFrame & palimpsest.v1.CallFrame.$Shape;
        }

        namespace CallFrame {

            /** Properties of a CallFrame. */
            interface $Properties {

                /** CallFrame call */
                call?: (palimpsest.v1.Call.$Properties|null);

                /** CallFrame cancelCallId */
                cancelCallId?: (number|null);

                /** CallFrame credit */
                credit?: (palimpsest.v1.StreamCredit.$Properties|null);

                /** CallFrame takenCallId */
                takenCallId?: (number|null);

                /** CallFrame meshCall */
                meshCall?: (palimpsest.v1.MeshCall.$Properties|null);

                /** CallFrame frame */
                frame?: ("call"|"cancelCallId"|"credit"|"takenCallId"|"meshCall");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a CallFrame. */
            type $Shape = {
              call?: palimpsest.v1.Call.$Shape|null;
              cancelCallId?: number|null;
              credit?: palimpsest.v1.StreamCredit.$Shape|null;
              takenCallId?: number|null;
              meshCall?: palimpsest.v1.MeshCall.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ frame?: undefined; call?: null; cancelCallId?: null; credit?: null; takenCallId?: null; meshCall?: null }|{ frame?: "call"; call: palimpsest.v1.Call.$Shape; cancelCallId?: null; credit?: null; takenCallId?: null; meshCall?: null }|{ frame?: "cancelCallId"; call?: null; cancelCallId: number; credit?: null; takenCallId?: null; meshCall?: null }|{ frame?: "credit"; call?: null; cancelCallId?: null; credit: palimpsest.v1.StreamCredit.$Shape; takenCallId?: null; meshCall?: null }|{ frame?: "takenCallId"; call?: null; cancelCallId?: null; credit?: null; takenCallId: number; meshCall?: null }|{ frame?: "meshCall"; call?: null; cancelCallId?: null; credit?: null; takenCallId?: null; meshCall: palimpsest.v1.MeshCall.$Shape })
            );
        }

        /**
         * Properties of a MeshCall.
         * @deprecated Use palimpsest.v1.MeshCall.$Properties instead.
         */
        interface IMeshCall extends palimpsest.v1.MeshCall.$Properties {
        }

        /** Represents a MeshCall. */
        class MeshCall {

            /**
             * Constructs a new MeshCall.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MeshCall.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MeshCall call. */
            call?: (palimpsest.v1.Call.$Properties|null);

            /** MeshCall members. */
            members: palimpsest.v1.MeshMember.$Properties[];

            /**
             * Creates a new MeshCall instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MeshCall instance
             */
            static create(properties: palimpsest.v1.MeshCall.$Shape): palimpsest.v1.MeshCall & palimpsest.v1.MeshCall.$Shape;
            static create(properties?: palimpsest.v1.MeshCall.$Properties): palimpsest.v1.MeshCall;

            /**
             * Encodes the specified MeshCall message. Does not implicitly {@link palimpsest.v1.MeshCall.verify|verify} messages.
             * @param message MeshCall message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MeshCall.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MeshCall message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MeshCall & palimpsest.v1.MeshCall.$Shape} MeshCall
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MeshCall & palimpsest.v1.MeshCall.$Shape;
        }

        namespace MeshCall {

            /** Properties of a MeshCall. */
            interface $Properties {

                /** MeshCall call */
                call?: (palimpsest.v1.Call.$Properties|null);

                /** MeshCall members */
                members?: (palimpsest.v1.MeshMember.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MeshCall. */
            type $Shape = palimpsest.v1.MeshCall.$Properties;
        }

        /**
         * Properties of a MeshMember.
         * @deprecated Use palimpsest.v1.MeshMember.$Properties instead.
         */
        interface IMeshMember extends palimpsest.v1.MeshMember.$Properties {
        }

        /** Represents a MeshMember. */
        class MeshMember {

            /**
             * Constructs a new MeshMember.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MeshMember.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MeshMember actorId. */
            actorId: string;

            /** MeshMember incarnation. */
            incarnation: number;

            /** MeshMember traceparent. */
            traceparent: string;

            /**
             * Creates a new MeshMember instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MeshMember instance
             */
            static create(properties: palimpsest.v1.MeshMember.$Shape): palimpsest.v1.MeshMember & palimpsest.v1.MeshMember.$Shape;
            static create(properties?: palimpsest.v1.MeshMember.$Properties): palimpsest.v1.MeshMember;

            /**
             * Encodes the specified MeshMember message. Does not implicitly {@link palimpsest.v1.MeshMember.verify|verify} messages.
             * @param message MeshMember message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MeshMember.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MeshMember message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MeshMember & palimpsest.v1.MeshMember.$Shape} MeshMember
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MeshMember & palimpsest.v1.MeshMember.$Shape;
        }

        namespace MeshMember {

            /** Properties of a MeshMember. */
            interface $Properties {

                /** MeshMember actorId */
                actorId?: (string|null);

                /** MeshMember incarnation */
                incarnation?: (number|null);

                /** MeshMember traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MeshMember. */
            type $Shape = palimpsest.v1.MeshMember.$Properties;
        }

        /**
         * Properties of a StreamCredit.
         * @deprecated Use palimpsest.v1.StreamCredit.$Properties instead.
         */
        interface IStreamCredit extends palimpsest.v1.StreamCredit.$Properties {
        }

        /** Represents a StreamCredit. */
        class StreamCredit {

            /**
             * Constructs a new StreamCredit.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StreamCredit.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StreamCredit callId. */
            callId: number;

            /** StreamCredit items. */
            items: number;

            /** StreamCredit bytes. */
            bytes: number;

            /**
             * Creates a new StreamCredit instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StreamCredit instance
             */
            static create(properties: palimpsest.v1.StreamCredit.$Shape): palimpsest.v1.StreamCredit & palimpsest.v1.StreamCredit.$Shape;
            static create(properties?: palimpsest.v1.StreamCredit.$Properties): palimpsest.v1.StreamCredit;

            /**
             * Encodes the specified StreamCredit message. Does not implicitly {@link palimpsest.v1.StreamCredit.verify|verify} messages.
             * @param message StreamCredit message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StreamCredit.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StreamCredit message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StreamCredit & palimpsest.v1.StreamCredit.$Shape} StreamCredit
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StreamCredit & palimpsest.v1.StreamCredit.$Shape;
        }

        namespace StreamCredit {

            /** Properties of a StreamCredit. */
            interface $Properties {

                /** StreamCredit callId */
                callId?: (number|null);

                /** StreamCredit items */
                items?: (number|null);

                /** StreamCredit bytes */
                bytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StreamCredit. */
            type $Shape = palimpsest.v1.StreamCredit.$Properties;
        }

        /**
         * Properties of a Call.
         * @deprecated Use palimpsest.v1.Call.$Properties instead.
         */
        interface ICall extends palimpsest.v1.Call.$Properties {
        }

        /** Represents a Call. */
        class Call {

            /**
             * Constructs a new Call.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Call.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Call callId. */
            callId: number;

            /** Call method. */
            method: string;

            /** Call args. */
            args: Uint8Array;

            /** Call timeoutMs. */
            timeoutMs: number;

            /** Call streamCredit. */
            streamCredit: number;

            /** Call streamCreditBytes. */
            streamCreditBytes: number;

            /** Call argsObject. */
            argsObject?: (palimpsest.v1.ObjectReference.$Properties|null);

            /** Call concurrencyGroup. */
            concurrencyGroup: string;

            /** Call resultObjectId. */
            resultObjectId: Uint8Array;

            /** Call identity. */
            identity?: (palimpsest.v1.CallIdentity.$Properties|null);

            /** Call to. */
            to?: (palimpsest.v1.MeshMember.$Properties|null);

            /** Call traceparent. */
            traceparent: string;

            /**
             * Creates a new Call instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Call instance
             */
            static create(properties: palimpsest.v1.Call.$Shape): palimpsest.v1.Call & palimpsest.v1.Call.$Shape;
            static create(properties?: palimpsest.v1.Call.$Properties): palimpsest.v1.Call;

            /**
             * Encodes the specified Call message. Does not implicitly {@link palimpsest.v1.Call.verify|verify} messages.
             * @param message Call message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Call.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Call message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Call & palimpsest.v1.Call.$Shape} Call
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Call & palimpsest.v1.Call.$Shape;
        }

        namespace Call {

            /** Properties of a Call. */
            interface $Properties {

                /** Call callId */
                callId?: (number|null);

                /** Call method */
                method?: (string|null);

                /** Call args */
                args?: (Uint8Array|null);

                /** Call timeoutMs */
                timeoutMs?: (number|null);

                /** Call streamCredit */
                streamCredit?: (number|null);

                /** Call streamCreditBytes */
                streamCreditBytes?: (number|null);

                /** Call argsObject */
                argsObject?: (palimpsest.v1.ObjectReference.$Properties|null);

                /** Call concurrencyGroup */
                concurrencyGroup?: (string|null);

                /** Call resultObjectId */
                resultObjectId?: (Uint8Array|null);

                /** Call identity */
                identity?: (palimpsest.v1.CallIdentity.$Properties|null);

                /** Call to */
                to?: (palimpsest.v1.MeshMember.$Properties|null);

                /** Call traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Call. */
            type $Shape = palimpsest.v1.Call.$Properties;
        }

        /**
         * Properties of a CallIdentity.
         * @deprecated Use palimpsest.v1.CallIdentity.$Properties instead.
         */
        interface ICallIdentity extends palimpsest.v1.CallIdentity.$Properties {
        }

        /** Represents a CallIdentity. */
        class CallIdentity {

            /**
             * Constructs a new CallIdentity.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CallIdentity.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CallIdentity caller. */
            caller: string;

            /** CallIdentity sequence. */
            sequence: number;

            /** CallIdentity acknowledged. */
            acknowledged: number;

            /** CallIdentity ageMs. */
            ageMs: number;

            /**
             * Creates a new CallIdentity instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CallIdentity instance
             */
            static create(properties: palimpsest.v1.CallIdentity.$Shape): palimpsest.v1.CallIdentity & palimpsest.v1.CallIdentity.$Shape;
            static create(properties?: palimpsest.v1.CallIdentity.$Properties): palimpsest.v1.CallIdentity;

            /**
             * Encodes the specified CallIdentity message. Does not implicitly {@link palimpsest.v1.CallIdentity.verify|verify} messages.
             * @param message CallIdentity message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CallIdentity.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CallIdentity message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CallIdentity & palimpsest.v1.CallIdentity.$Shape} CallIdentity
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CallIdentity & palimpsest.v1.CallIdentity.$Shape;
        }

        namespace CallIdentity {

            /** Properties of a CallIdentity. */
            interface $Properties {

                /** CallIdentity caller */
                caller?: (string|null);

                /** CallIdentity sequence */
                sequence?: (number|null);

                /** CallIdentity acknowledged */
                acknowledged?: (number|null);

                /** CallIdentity ageMs */
                ageMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CallIdentity. */
            type $Shape = palimpsest.v1.CallIdentity.$Properties;
        }

        /**
         * Properties of a ReplyBatch.
         * @deprecated Use palimpsest.v1.ReplyBatch.$Properties instead.
         */
        interface IReplyBatch extends palimpsest.v1.ReplyBatch.$Properties {
        }

        /** Represents a ReplyBatch. */
        class ReplyBatch {

            /**
             * Constructs a new ReplyBatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReplyBatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReplyBatch replies. */
            replies: palimpsest.v1.Reply.$Properties[];

            /** ReplyBatch left. */
            left: palimpsest.v1.MeshMember.$Properties[];

            /**
             * Creates a new ReplyBatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReplyBatch instance
             */
            static create(properties: palimpsest.v1.ReplyBatch.$Shape): palimpsest.v1.ReplyBatch & palimpsest.v1.ReplyBatch.$Shape;
            static create(properties?: palimpsest.v1.ReplyBatch.$Properties): palimpsest.v1.ReplyBatch;

            /**
             * Encodes the specified ReplyBatch message. Does not implicitly {@link palimpsest.v1.ReplyBatch.verify|verify} messages.
             * @param message ReplyBatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReplyBatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReplyBatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReplyBatch & palimpsest.v1.ReplyBatch.$Shape} ReplyBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReplyBatch & palimpsest.v1.ReplyBatch.$Shape;
        }

        namespace ReplyBatch {

            /** Properties of a ReplyBatch. */
            interface $Properties {

                /** ReplyBatch replies */
                replies?: (palimpsest.v1.Reply.$Properties[]|null);

                /** ReplyBatch left */
                left?: (palimpsest.v1.MeshMember.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReplyBatch. */
            type $Shape = {
              replies?: palimpsest.v1.Reply.$Shape[]|null;
              left?: palimpsest.v1.MeshMember.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a Reply.
         * @deprecated Use palimpsest.v1.Reply.$Properties instead.
         */
        interface IReply extends palimpsest.v1.Reply.$Properties {
        }

        /** Represents a Reply. */
        class Reply {

            /**
             * Constructs a new Reply.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Reply.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Reply callId. */
            callId: number;

            /** Reply value. */
            value?: (Uint8Array|null);

            /** Reply error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /** Reply item. */
            item?: (Uint8Array|null);

            /** Reply end. */
            end?: (boolean|null);

            /** Reply valueObject. */
            valueObject?: (palimpsest.v1.ObjectReference.$Properties|null);

            /** Reply itemObject. */
            itemObject?: (palimpsest.v1.ObjectReference.$Properties|null);

            /** Reply taking. */
            taking: boolean;

            /** Reply ranUs. */
            ranUs: number;

            /** Reply outcome. */
            outcome?: ("value"|"error"|"item"|"end"|"valueObject"|"itemObject");

            /**
             * Creates a new Reply instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Reply instance
             */
            static create(properties: palimpsest.v1.Reply.$Shape): palimpsest.v1.Reply & palimpsest.v1.Reply.$Shape;
            static create(properties?: palimpsest.v1.Reply.$Properties): palimpsest.v1.Reply;

            /**
             * Encodes the specified Reply message. Does not implicitly {@link palimpsest.v1.Reply.verify|verify} messages.
             * @param message Reply message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Reply.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Reply message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Reply & palimpsest.v1.Reply.$Shape} Reply
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Reply & palimpsest.v1.Reply.$Shape;
        }

        namespace Reply {

            /** Properties of a Reply. */
            interface $Properties {

                /** Reply callId */
                callId?: (number|null);

                /** Reply value */
                value?: (Uint8Array|null);

                /** Reply error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** Reply item */
                item?: (Uint8Array|null);

                /** Reply end */
                end?: (boolean|null);

                /** Reply valueObject */
                valueObject?: (palimpsest.v1.ObjectReference.$Properties|null);

                /** Reply itemObject */
                itemObject?: (palimpsest.v1.ObjectReference.$Properties|null);

                /** Reply taking */
                taking?: (boolean|null);

                /** Reply ranUs */
                ranUs?: (number|null);

                /** Reply outcome */
                outcome?: ("value"|"error"|"item"|"end"|"valueObject"|"itemObject");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a Reply. */
            type $Shape = {
              callId?: number|null;
              value?: Uint8Array|null;
              error?: palimpsest.v1.Error.$Shape|null;
              item?: Uint8Array|null;
              end?: boolean|null;
              valueObject?: palimpsest.v1.ObjectReference.$Shape|null;
              itemObject?: palimpsest.v1.ObjectReference.$Shape|null;
              taking?: boolean|null;
              ranUs?: number|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ outcome?: undefined; value?: null; error?: null; item?: null; end?: null; valueObject?: null; itemObject?: null }|{ outcome?: "value"; value: Uint8Array; error?: null; item?: null; end?: null; valueObject?: null; itemObject?: null }|{ outcome?: "error"; value?: null; error: palimpsest.v1.Error.$Shape; item?: null; end?: null; valueObject?: null; itemObject?: null }|{ outcome?: "item"; value?: null; error?: null; item: Uint8Array; end?: null; valueObject?: null; itemObject?: null }|{ outcome?: "end"; value?: null; error?: null; item?: null; end: boolean; valueObject?: null; itemObject?: null }|{ outcome?: "valueObject"; value?: null; error?: null; item?: null; end?: null; valueObject: palimpsest.v1.ObjectReference.$Shape; itemObject?: null }|{ outcome?: "itemObject"; value?: null; error?: null; item?: null; end?: null; valueObject?: null; itemObject: palimpsest.v1.ObjectReference.$Shape })
            );
        }

        /**
         * Properties of a NewToken.
         * @deprecated Use palimpsest.v1.NewToken.$Properties instead.
         */
        interface INewToken extends palimpsest.v1.NewToken.$Properties {
        }

        /** Represents a NewToken. */
        class NewToken {

            /**
             * Constructs a new NewToken.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NewToken.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NewToken token. */
            token: string;

            /** NewToken use. */
            use: boolean;

            /** NewToken graceMs. */
            graceMs: number;

            /**
             * Creates a new NewToken instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NewToken instance
             */
            static create(properties: palimpsest.v1.NewToken.$Shape): palimpsest.v1.NewToken & palimpsest.v1.NewToken.$Shape;
            static create(properties?: palimpsest.v1.NewToken.$Properties): palimpsest.v1.NewToken;

            /**
             * Encodes the specified NewToken message. Does not implicitly {@link palimpsest.v1.NewToken.verify|verify} messages.
             * @param message NewToken message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NewToken.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NewToken message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NewToken & palimpsest.v1.NewToken.$Shape} NewToken
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NewToken & palimpsest.v1.NewToken.$Shape;
        }

        namespace NewToken {

            /** Properties of a NewToken. */
            interface $Properties {

                /** NewToken token */
                token?: (string|null);

                /** NewToken use */
                use?: (boolean|null);

                /** NewToken graceMs */
                graceMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NewToken. */
            type $Shape = palimpsest.v1.NewToken.$Properties;
        }

        /**
         * Properties of an Error.
         * @deprecated Use palimpsest.v1.Error.$Properties instead.
         */
        interface IError extends palimpsest.v1.Error.$Properties {
        }

        /** Represents an Error. */
        class Error {

            /**
             * Constructs a new Error.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Error.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Error code. */
            code: string;

            /** Error message. */
            message: string;

            /** Error retryable. */
            retryable: boolean;

            /** Error details. */
            details: { [k: string]: string };

            /** Error stack. */
            stack: string;

            /** Error cause. */
            cause?: (palimpsest.v1.Error.$Properties|null);

            /** Error name. */
            name: string;

            /** Error fields. */
            fields: Uint8Array;

            /** Error errors. */
            errors: palimpsest.v1.Error.$Properties[];

            /** Error numbers. */
            numbers: { [k: string]: number };

            /**
             * Creates a new Error instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Error instance
             */
            static create(properties: palimpsest.v1.Error.$Shape): palimpsest.v1.Error & palimpsest.v1.Error.$Shape;
            static create(properties?: palimpsest.v1.Error.$Properties): palimpsest.v1.Error;

            /**
             * Encodes the specified Error message. Does not implicitly {@link palimpsest.v1.Error.verify|verify} messages.
             * @param message Error message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Error.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Error message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Error & palimpsest.v1.Error.$Shape} Error
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Error & palimpsest.v1.Error.$Shape;
        }

        namespace Error {

            /** Properties of an Error. */
            interface $Properties {

                /** Error code */
                code?: (string|null);

                /** Error message */
                message?: (string|null);

                /** Error retryable */
                retryable?: (boolean|null);

                /** Error details */
                details?: ({ [k: string]: string }|null);

                /** Error stack */
                stack?: (string|null);

                /** Error cause */
                cause?: (palimpsest.v1.Error.$Properties|null);

                /** Error name */
                name?: (string|null);

                /** Error fields */
                fields?: (Uint8Array|null);

                /** Error errors */
                errors?: (palimpsest.v1.Error.$Properties[]|null);

                /** Error numbers */
                numbers?: ({ [k: string]: number }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an Error. */
            type $Shape = palimpsest.v1.Error.$Properties;
        }

        /**
         * Properties of a Resources.
         * @deprecated Use palimpsest.v1.Resources.$Properties instead.
         */
        interface IResources extends palimpsest.v1.Resources.$Properties {
        }

        /** Represents a Resources. */
        class Resources {

            /**
             * Constructs a new Resources.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Resources.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Resources quantities. */
            quantities: { [k: string]: number };

            /**
             * Creates a new Resources instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Resources instance
             */
            static create(properties: palimpsest.v1.Resources.$Shape): palimpsest.v1.Resources & palimpsest.v1.Resources.$Shape;
            static create(properties?: palimpsest.v1.Resources.$Properties): palimpsest.v1.Resources;

            /**
             * Encodes the specified Resources message. Does not implicitly {@link palimpsest.v1.Resources.verify|verify} messages.
             * @param message Resources message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Resources.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Resources message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Resources & palimpsest.v1.Resources.$Shape} Resources
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Resources & palimpsest.v1.Resources.$Shape;
        }

        namespace Resources {

            /** Properties of a Resources. */
            interface $Properties {

                /** Resources quantities */
                quantities?: ({ [k: string]: number }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Resources. */
            type $Shape = palimpsest.v1.Resources.$Properties;
        }

        /**
         * Properties of a DeathCertificate.
         * @deprecated Use palimpsest.v1.DeathCertificate.$Properties instead.
         */
        interface IDeathCertificate extends palimpsest.v1.DeathCertificate.$Properties {
        }

        /** Represents a DeathCertificate. */
        class DeathCertificate {

            /**
             * Constructs a new DeathCertificate.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DeathCertificate.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DeathCertificate reason. */
            reason: string;

            /** DeathCertificate exitCode. */
            exitCode?: (number|null);

            /** DeathCertificate signal. */
            signal: string;

            /** DeathCertificate lastStderrLines. */
            lastStderrLines: string[];

            /** DeathCertificate lastHeartbeatMs. */
            lastHeartbeatMs: number;

            /** DeathCertificate diedAtMs. */
            diedAtMs: number;

            /** DeathCertificate ownerId. */
            ownerId: string;

            /** DeathCertificate nodeId. */
            nodeId: string;

            /** DeathCertificate pid. */
            pid: number;

            /** DeathCertificate processEnded. */
            processEnded: boolean;

            /** DeathCertificate startedCalls. */
            startedCalls?: (number|null);

            /** DeathCertificate exited. */
            exited: boolean;

            /** DeathCertificate bystander. */
            bystander: boolean;

            /** DeathCertificate requested. */
            requested: boolean;

            /**
             * Creates a new DeathCertificate instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DeathCertificate instance
             */
            static create(properties: palimpsest.v1.DeathCertificate.$Shape): palimpsest.v1.DeathCertificate & palimpsest.v1.DeathCertificate.$Shape;
            static create(properties?: palimpsest.v1.DeathCertificate.$Properties): palimpsest.v1.DeathCertificate;

            /**
             * Encodes the specified DeathCertificate message. Does not implicitly {@link palimpsest.v1.DeathCertificate.verify|verify} messages.
             * @param message DeathCertificate message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DeathCertificate.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DeathCertificate message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeathCertificate & palimpsest.v1.DeathCertificate.$Shape} DeathCertificate
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DeathCertificate & palimpsest.v1.DeathCertificate.$Shape;
        }

        namespace DeathCertificate {

            /** Properties of a DeathCertificate. */
            interface $Properties {

                /** DeathCertificate reason */
                reason?: (string|null);

                /** DeathCertificate exitCode */
                exitCode?: (number|null);

                /** DeathCertificate signal */
                signal?: (string|null);

                /** DeathCertificate lastStderrLines */
                lastStderrLines?: (string[]|null);

                /** DeathCertificate lastHeartbeatMs */
                lastHeartbeatMs?: (number|null);

                /** DeathCertificate diedAtMs */
                diedAtMs?: (number|null);

                /** DeathCertificate ownerId */
                ownerId?: (string|null);

                /** DeathCertificate nodeId */
                nodeId?: (string|null);

                /** DeathCertificate pid */
                pid?: (number|null);

                /** DeathCertificate processEnded */
                processEnded?: (boolean|null);

                /** DeathCertificate startedCalls */
                startedCalls?: (number|null);

                /** DeathCertificate exited */
                exited?: (boolean|null);

                /** DeathCertificate bystander */
                bystander?: (boolean|null);

                /** DeathCertificate requested */
                requested?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DeathCertificate. */
            type $Shape = palimpsest.v1.DeathCertificate.$Properties;
        }

        /**
         * Properties of a CodeRef.
         * @deprecated Use palimpsest.v1.CodeRef.$Properties instead.
         */
        interface ICodeRef extends palimpsest.v1.CodeRef.$Properties {
        }

        /** Represents a CodeRef. */
        class CodeRef {

            /**
             * Constructs a new CodeRef.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CodeRef.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CodeRef module. */
            module?: (string|null);

            /** CodeRef bundle. */
            bundle?: (string|null);

            /** CodeRef exportName. */
            exportName: string;

            /** CodeRef source. */
            source?: ("module"|"bundle");

            /**
             * Creates a new CodeRef instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CodeRef instance
             */
            static create(properties: palimpsest.v1.CodeRef.$Shape): palimpsest.v1.CodeRef & palimpsest.v1.CodeRef.$Shape;
            static create(properties?: palimpsest.v1.CodeRef.$Properties): palimpsest.v1.CodeRef;

            /**
             * Encodes the specified CodeRef message. Does not implicitly {@link palimpsest.v1.CodeRef.verify|verify} messages.
             * @param message CodeRef message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CodeRef.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CodeRef message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CodeRef & palimpsest.v1.CodeRef.$Shape} CodeRef
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CodeRef & palimpsest.v1.CodeRef.$Shape;
        }

        namespace CodeRef {

            /** Properties of a CodeRef. */
            interface $Properties {

                /** CodeRef module */
                module?: (string|null);

                /** CodeRef bundle */
                bundle?: (string|null);

                /** CodeRef exportName */
                exportName?: (string|null);

                /** CodeRef source */
                source?: ("module"|"bundle");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a CodeRef. */
            type $Shape = {
              module?: string|null;
              bundle?: string|null;
              exportName?: string|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ source?: undefined; module?: null; bundle?: null }|{ source?: "module"; module: string; bundle?: null }|{ source?: "bundle"; module?: null; bundle: string })
            );
        }

        /**
         * Properties of a Packages.
         * @deprecated Use palimpsest.v1.Packages.$Properties instead.
         */
        interface IPackages extends palimpsest.v1.Packages.$Properties {
        }

        /** Represents a Packages. */
        class Packages {

            /**
             * Constructs a new Packages.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Packages.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Packages bundle. */
            bundle: string;

            /** Packages installScripts. */
            installScripts: boolean;

            /**
             * Creates a new Packages instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Packages instance
             */
            static create(properties: palimpsest.v1.Packages.$Shape): palimpsest.v1.Packages & palimpsest.v1.Packages.$Shape;
            static create(properties?: palimpsest.v1.Packages.$Properties): palimpsest.v1.Packages;

            /**
             * Encodes the specified Packages message. Does not implicitly {@link palimpsest.v1.Packages.verify|verify} messages.
             * @param message Packages message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Packages.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Packages message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Packages & palimpsest.v1.Packages.$Shape} Packages
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Packages & palimpsest.v1.Packages.$Shape;
        }

        namespace Packages {

            /** Properties of a Packages. */
            interface $Properties {

                /** Packages bundle */
                bundle?: (string|null);

                /** Packages installScripts */
                installScripts?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Packages. */
            type $Shape = palimpsest.v1.Packages.$Properties;
        }

        /**
         * Properties of a PutChunk.
         * @deprecated Use palimpsest.v1.PutChunk.$Properties instead.
         */
        interface IPutChunk extends palimpsest.v1.PutChunk.$Properties {
        }

        /** Represents a PutChunk. */
        class PutChunk {

            /**
             * Constructs a new PutChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.PutChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PutChunk data. */
            data: Uint8Array;

            /** PutChunk sizeBytes. */
            sizeBytes: number;

            /** PutChunk holder. */
            holder: string;

            /** PutChunk valueId. */
            valueId: Uint8Array;

            /** PutChunk contains. */
            contains: Uint8Array[];

            /**
             * Creates a new PutChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PutChunk instance
             */
            static create(properties: palimpsest.v1.PutChunk.$Shape): palimpsest.v1.PutChunk & palimpsest.v1.PutChunk.$Shape;
            static create(properties?: palimpsest.v1.PutChunk.$Properties): palimpsest.v1.PutChunk;

            /**
             * Encodes the specified PutChunk message. Does not implicitly {@link palimpsest.v1.PutChunk.verify|verify} messages.
             * @param message PutChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.PutChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PutChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.PutChunk & palimpsest.v1.PutChunk.$Shape} PutChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.PutChunk & palimpsest.v1.PutChunk.$Shape;
        }

        namespace PutChunk {

            /** Properties of a PutChunk. */
            interface $Properties {

                /** PutChunk data */
                data?: (Uint8Array|null);

                /** PutChunk sizeBytes */
                sizeBytes?: (number|null);

                /** PutChunk holder */
                holder?: (string|null);

                /** PutChunk valueId */
                valueId?: (Uint8Array|null);

                /** PutChunk contains */
                contains?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PutChunk. */
            type $Shape = palimpsest.v1.PutChunk.$Properties;
        }

        /**
         * Properties of a WriteOrder.
         * @deprecated Use palimpsest.v1.WriteOrder.$Properties instead.
         */
        interface IWriteOrder extends palimpsest.v1.WriteOrder.$Properties {
        }

        /** Represents a WriteOrder. */
        class WriteOrder {

            /**
             * Constructs a new WriteOrder.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WriteOrder.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WriteOrder sizeBytes. */
            sizeBytes: number;

            /** WriteOrder holder. */
            holder: string;

            /** WriteOrder seal. */
            seal: boolean;

            /**
             * Creates a new WriteOrder instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WriteOrder instance
             */
            static create(properties: palimpsest.v1.WriteOrder.$Shape): palimpsest.v1.WriteOrder & palimpsest.v1.WriteOrder.$Shape;
            static create(properties?: palimpsest.v1.WriteOrder.$Properties): palimpsest.v1.WriteOrder;

            /**
             * Encodes the specified WriteOrder message. Does not implicitly {@link palimpsest.v1.WriteOrder.verify|verify} messages.
             * @param message WriteOrder message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WriteOrder.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WriteOrder message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WriteOrder & palimpsest.v1.WriteOrder.$Shape} WriteOrder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WriteOrder & palimpsest.v1.WriteOrder.$Shape;
        }

        namespace WriteOrder {

            /** Properties of a WriteOrder. */
            interface $Properties {

                /** WriteOrder sizeBytes */
                sizeBytes?: (number|null);

                /** WriteOrder holder */
                holder?: (string|null);

                /** WriteOrder seal */
                seal?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WriteOrder. */
            type $Shape = palimpsest.v1.WriteOrder.$Properties;
        }

        /**
         * Properties of a WriteAnswer.
         * @deprecated Use palimpsest.v1.WriteAnswer.$Properties instead.
         */
        interface IWriteAnswer extends palimpsest.v1.WriteAnswer.$Properties {
        }

        /** Represents a WriteAnswer. */
        class WriteAnswer {

            /**
             * Constructs a new WriteAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WriteAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WriteAnswer info. */
            info?: (palimpsest.v1.ObjectInfo.$Properties|null);

            /** WriteAnswer proofPath. */
            proofPath: string;

            /** WriteAnswer proof. */
            proof: string;

            /**
             * Creates a new WriteAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WriteAnswer instance
             */
            static create(properties: palimpsest.v1.WriteAnswer.$Shape): palimpsest.v1.WriteAnswer & palimpsest.v1.WriteAnswer.$Shape;
            static create(properties?: palimpsest.v1.WriteAnswer.$Properties): palimpsest.v1.WriteAnswer;

            /**
             * Encodes the specified WriteAnswer message. Does not implicitly {@link palimpsest.v1.WriteAnswer.verify|verify} messages.
             * @param message WriteAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WriteAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WriteAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WriteAnswer & palimpsest.v1.WriteAnswer.$Shape} WriteAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WriteAnswer & palimpsest.v1.WriteAnswer.$Shape;
        }

        namespace WriteAnswer {

            /** Properties of a WriteAnswer. */
            interface $Properties {

                /** WriteAnswer info */
                info?: (palimpsest.v1.ObjectInfo.$Properties|null);

                /** WriteAnswer proofPath */
                proofPath?: (string|null);

                /** WriteAnswer proof */
                proof?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WriteAnswer. */
            type $Shape = palimpsest.v1.WriteAnswer.$Properties;
        }

        /**
         * Properties of an ObjectInfo.
         * @deprecated Use palimpsest.v1.ObjectInfo.$Properties instead.
         */
        interface IObjectInfo extends palimpsest.v1.ObjectInfo.$Properties {
        }

        /** Represents an ObjectInfo. */
        class ObjectInfo {

            /**
             * Constructs a new ObjectInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectInfo objectId. */
            objectId: string;

            /** ObjectInfo sizeBytes. */
            sizeBytes: number;

            /** ObjectInfo path. */
            path: string;

            /** ObjectInfo bulk. */
            bulk: boolean;

            /**
             * Creates a new ObjectInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectInfo instance
             */
            static create(properties: palimpsest.v1.ObjectInfo.$Shape): palimpsest.v1.ObjectInfo & palimpsest.v1.ObjectInfo.$Shape;
            static create(properties?: palimpsest.v1.ObjectInfo.$Properties): palimpsest.v1.ObjectInfo;

            /**
             * Encodes the specified ObjectInfo message. Does not implicitly {@link palimpsest.v1.ObjectInfo.verify|verify} messages.
             * @param message ObjectInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectInfo & palimpsest.v1.ObjectInfo.$Shape} ObjectInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectInfo & palimpsest.v1.ObjectInfo.$Shape;
        }

        namespace ObjectInfo {

            /** Properties of an ObjectInfo. */
            interface $Properties {

                /** ObjectInfo objectId */
                objectId?: (string|null);

                /** ObjectInfo sizeBytes */
                sizeBytes?: (number|null);

                /** ObjectInfo path */
                path?: (string|null);

                /** ObjectInfo bulk */
                bulk?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectInfo. */
            type $Shape = palimpsest.v1.ObjectInfo.$Properties;
        }

        /**
         * Properties of a PullRequest.
         * @deprecated Use palimpsest.v1.PullRequest.$Properties instead.
         */
        interface IPullRequest extends palimpsest.v1.PullRequest.$Properties {
        }

        /** Represents a PullRequest. */
        class PullRequest {

            /**
             * Constructs a new PullRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.PullRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PullRequest objectId. */
            objectId: string;

            /** PullRequest offsetBytes. */
            offsetBytes: number;

            /** PullRequest lengthBytes. */
            lengthBytes: number;

            /**
             * Creates a new PullRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PullRequest instance
             */
            static create(properties: palimpsest.v1.PullRequest.$Shape): palimpsest.v1.PullRequest & palimpsest.v1.PullRequest.$Shape;
            static create(properties?: palimpsest.v1.PullRequest.$Properties): palimpsest.v1.PullRequest;

            /**
             * Encodes the specified PullRequest message. Does not implicitly {@link palimpsest.v1.PullRequest.verify|verify} messages.
             * @param message PullRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.PullRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PullRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.PullRequest & palimpsest.v1.PullRequest.$Shape} PullRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.PullRequest & palimpsest.v1.PullRequest.$Shape;
        }

        namespace PullRequest {

            /** Properties of a PullRequest. */
            interface $Properties {

                /** PullRequest objectId */
                objectId?: (string|null);

                /** PullRequest offsetBytes */
                offsetBytes?: (number|null);

                /** PullRequest lengthBytes */
                lengthBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PullRequest. */
            type $Shape = palimpsest.v1.PullRequest.$Properties;
        }

        /**
         * Properties of a PullChunk.
         * @deprecated Use palimpsest.v1.PullChunk.$Properties instead.
         */
        interface IPullChunk extends palimpsest.v1.PullChunk.$Properties {
        }

        /** Represents a PullChunk. */
        class PullChunk {

            /**
             * Constructs a new PullChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.PullChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PullChunk data. */
            data: Uint8Array;

            /** PullChunk offsetBytes. */
            offsetBytes: number;

            /**
             * Creates a new PullChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PullChunk instance
             */
            static create(properties: palimpsest.v1.PullChunk.$Shape): palimpsest.v1.PullChunk & palimpsest.v1.PullChunk.$Shape;
            static create(properties?: palimpsest.v1.PullChunk.$Properties): palimpsest.v1.PullChunk;

            /**
             * Encodes the specified PullChunk message. Does not implicitly {@link palimpsest.v1.PullChunk.verify|verify} messages.
             * @param message PullChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.PullChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PullChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.PullChunk & palimpsest.v1.PullChunk.$Shape} PullChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.PullChunk & palimpsest.v1.PullChunk.$Shape;
        }

        namespace PullChunk {

            /** Properties of a PullChunk. */
            interface $Properties {

                /** PullChunk data */
                data?: (Uint8Array|null);

                /** PullChunk offsetBytes */
                offsetBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PullChunk. */
            type $Shape = palimpsest.v1.PullChunk.$Properties;
        }

        /**
         * Properties of a FetchRequest.
         * @deprecated Use palimpsest.v1.FetchRequest.$Properties instead.
         */
        interface IFetchRequest extends palimpsest.v1.FetchRequest.$Properties {
        }

        /** Represents a FetchRequest. */
        class FetchRequest {

            /**
             * Constructs a new FetchRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FetchRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FetchRequest objectId. */
            objectId: string;

            /** FetchRequest holder. */
            holder: string;

            /**
             * Creates a new FetchRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FetchRequest instance
             */
            static create(properties: palimpsest.v1.FetchRequest.$Shape): palimpsest.v1.FetchRequest & palimpsest.v1.FetchRequest.$Shape;
            static create(properties?: palimpsest.v1.FetchRequest.$Properties): palimpsest.v1.FetchRequest;

            /**
             * Encodes the specified FetchRequest message. Does not implicitly {@link palimpsest.v1.FetchRequest.verify|verify} messages.
             * @param message FetchRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FetchRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FetchRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FetchRequest & palimpsest.v1.FetchRequest.$Shape} FetchRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FetchRequest & palimpsest.v1.FetchRequest.$Shape;
        }

        namespace FetchRequest {

            /** Properties of a FetchRequest. */
            interface $Properties {

                /** FetchRequest objectId */
                objectId?: (string|null);

                /** FetchRequest holder */
                holder?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FetchRequest. */
            type $Shape = palimpsest.v1.FetchRequest.$Properties;
        }

        /**
         * Properties of a StatRequest.
         * @deprecated Use palimpsest.v1.StatRequest.$Properties instead.
         */
        interface IStatRequest extends palimpsest.v1.StatRequest.$Properties {
        }

        /** Represents a StatRequest. */
        class StatRequest {

            /**
             * Constructs a new StatRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StatRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StatRequest objectId. */
            objectId: string;

            /**
             * Creates a new StatRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StatRequest instance
             */
            static create(properties: palimpsest.v1.StatRequest.$Shape): palimpsest.v1.StatRequest & palimpsest.v1.StatRequest.$Shape;
            static create(properties?: palimpsest.v1.StatRequest.$Properties): palimpsest.v1.StatRequest;

            /**
             * Encodes the specified StatRequest message. Does not implicitly {@link palimpsest.v1.StatRequest.verify|verify} messages.
             * @param message StatRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StatRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StatRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StatRequest & palimpsest.v1.StatRequest.$Shape} StatRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StatRequest & palimpsest.v1.StatRequest.$Shape;
        }

        namespace StatRequest {

            /** Properties of a StatRequest. */
            interface $Properties {

                /** StatRequest objectId */
                objectId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StatRequest. */
            type $Shape = palimpsest.v1.StatRequest.$Properties;
        }

        /**
         * Properties of a FreeRequest.
         * @deprecated Use palimpsest.v1.FreeRequest.$Properties instead.
         */
        interface IFreeRequest extends palimpsest.v1.FreeRequest.$Properties {
        }

        /** Represents a FreeRequest. */
        class FreeRequest {

            /**
             * Constructs a new FreeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FreeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FreeRequest objectIds. */
            objectIds: string[];

            /** FreeRequest holder. */
            holder: string;

            /**
             * Creates a new FreeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FreeRequest instance
             */
            static create(properties: palimpsest.v1.FreeRequest.$Shape): palimpsest.v1.FreeRequest & palimpsest.v1.FreeRequest.$Shape;
            static create(properties?: palimpsest.v1.FreeRequest.$Properties): palimpsest.v1.FreeRequest;

            /**
             * Encodes the specified FreeRequest message. Does not implicitly {@link palimpsest.v1.FreeRequest.verify|verify} messages.
             * @param message FreeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FreeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FreeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FreeRequest & palimpsest.v1.FreeRequest.$Shape} FreeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FreeRequest & palimpsest.v1.FreeRequest.$Shape;
        }

        namespace FreeRequest {

            /** Properties of a FreeRequest. */
            interface $Properties {

                /** FreeRequest objectIds */
                objectIds?: (string[]|null);

                /** FreeRequest holder */
                holder?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FreeRequest. */
            type $Shape = palimpsest.v1.FreeRequest.$Properties;
        }

        /**
         * Properties of a FreeResponse.
         * @deprecated Use palimpsest.v1.FreeResponse.$Properties instead.
         */
        interface IFreeResponse extends palimpsest.v1.FreeResponse.$Properties {
        }

        /** Represents a FreeResponse. */
        class FreeResponse {

            /**
             * Constructs a new FreeResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FreeResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new FreeResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FreeResponse instance
             */
            static create(properties: palimpsest.v1.FreeResponse.$Shape): palimpsest.v1.FreeResponse & palimpsest.v1.FreeResponse.$Shape;
            static create(properties?: palimpsest.v1.FreeResponse.$Properties): palimpsest.v1.FreeResponse;

            /**
             * Encodes the specified FreeResponse message. Does not implicitly {@link palimpsest.v1.FreeResponse.verify|verify} messages.
             * @param message FreeResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FreeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FreeResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FreeResponse & palimpsest.v1.FreeResponse.$Shape} FreeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FreeResponse & palimpsest.v1.FreeResponse.$Shape;
        }

        namespace FreeResponse {

            /** Properties of a FreeResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FreeResponse. */
            type $Shape = palimpsest.v1.FreeResponse.$Properties;
        }

        /**
         * Properties of an ObjectOrders.
         * @deprecated Use palimpsest.v1.ObjectOrders.$Properties instead.
         */
        interface IObjectOrders extends palimpsest.v1.ObjectOrders.$Properties {
        }

        /** Represents an ObjectOrders. */
        class ObjectOrders {

            /**
             * Constructs a new ObjectOrders.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectOrders.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectOrders orders. */
            orders: palimpsest.v1.ObjectOrder.$Properties[];

            /**
             * Creates a new ObjectOrders instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectOrders instance
             */
            static create(properties: palimpsest.v1.ObjectOrders.$Shape): palimpsest.v1.ObjectOrders & palimpsest.v1.ObjectOrders.$Shape;
            static create(properties?: palimpsest.v1.ObjectOrders.$Properties): palimpsest.v1.ObjectOrders;

            /**
             * Encodes the specified ObjectOrders message. Does not implicitly {@link palimpsest.v1.ObjectOrders.verify|verify} messages.
             * @param message ObjectOrders message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectOrders.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectOrders message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectOrders & palimpsest.v1.ObjectOrders.$Shape} ObjectOrders
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectOrders & palimpsest.v1.ObjectOrders.$Shape;
        }

        namespace ObjectOrders {

            /** Properties of an ObjectOrders. */
            interface $Properties {

                /** ObjectOrders orders */
                orders?: (palimpsest.v1.ObjectOrder.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectOrders. */
            type $Shape = {
              orders?: palimpsest.v1.ObjectOrder.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of an ObjectOrder.
         * @deprecated Use palimpsest.v1.ObjectOrder.$Properties instead.
         */
        interface IObjectOrder extends palimpsest.v1.ObjectOrder.$Properties {
        }

        /** Represents an ObjectOrder. */
        class ObjectOrder {

            /**
             * Constructs a new ObjectOrder.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectOrder.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectOrder orderId. */
            orderId: number;

            /** ObjectOrder hello. */
            hello?: (palimpsest.v1.LinkHello.$Properties|null);

            /** ObjectOrder store. */
            store?: (palimpsest.v1.StoreValue.$Properties|null);

            /** ObjectOrder reserve. */
            reserve?: (palimpsest.v1.ReserveValue.$Properties|null);

            /** ObjectOrder seal. */
            seal?: (palimpsest.v1.SealValue.$Properties|null);

            /** ObjectOrder abandon. */
            abandon?: (Uint8Array|null);

            /** ObjectOrder hold. */
            hold?: (palimpsest.v1.ObjectIds.$Properties|null);

            /** ObjectOrder release. */
            release?: (palimpsest.v1.ObjectIds.$Properties|null);

            /** ObjectOrder find. */
            find?: (palimpsest.v1.FindValue.$Properties|null);

            /** ObjectOrder exist. */
            exist?: (palimpsest.v1.ObjectIds.$Properties|null);

            /** ObjectOrder recover. */
            recover?: (palimpsest.v1.RecoverValue.$Properties|null);

            /** ObjectOrder recovered. */
            recovered?: (palimpsest.v1.ValueRecovered.$Properties|null);

            /** ObjectOrder pinned. */
            pinned?: (palimpsest.v1.ObjectIds.$Properties|null);

            /** ObjectOrder withdraw. */
            withdraw?: (palimpsest.v1.ObjectIds.$Properties|null);

            /** ObjectOrder order. */
            order?: ("hello"|"store"|"reserve"|"seal"|"abandon"|"hold"|"release"|"find"|"exist"|"recover"|"recovered"|"pinned"|"withdraw");

            /**
             * Creates a new ObjectOrder instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectOrder instance
             */
            static create(properties: palimpsest.v1.ObjectOrder.$Shape): palimpsest.v1.ObjectOrder & palimpsest.v1.ObjectOrder.$Shape;
            static create(properties?: palimpsest.v1.ObjectOrder.$Properties): palimpsest.v1.ObjectOrder;

            /**
             * Encodes the specified ObjectOrder message. Does not implicitly {@link palimpsest.v1.ObjectOrder.verify|verify} messages.
             * @param message ObjectOrder message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectOrder.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectOrder message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectOrder & palimpsest.v1.ObjectOrder.$Shape} ObjectOrder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectOrder & palimpsest.v1.ObjectOrder.$Shape;
        }

        namespace ObjectOrder {

            /** Properties of an ObjectOrder. */
            interface $Properties {

                /** ObjectOrder orderId */
                orderId?: (number|null);

                /** ObjectOrder hello */
                hello?: (palimpsest.v1.LinkHello.$Properties|null);

                /** ObjectOrder store */
                store?: (palimpsest.v1.StoreValue.$Properties|null);

                /** ObjectOrder reserve */
                reserve?: (palimpsest.v1.ReserveValue.$Properties|null);

                /** ObjectOrder seal */
                seal?: (palimpsest.v1.SealValue.$Properties|null);

                /** ObjectOrder abandon */
                abandon?: (Uint8Array|null);

                /** ObjectOrder hold */
                hold?: (palimpsest.v1.ObjectIds.$Properties|null);

                /** ObjectOrder release */
                release?: (palimpsest.v1.ObjectIds.$Properties|null);

                /** ObjectOrder find */
                find?: (palimpsest.v1.FindValue.$Properties|null);

                /** ObjectOrder exist */
                exist?: (palimpsest.v1.ObjectIds.$Properties|null);

                /** ObjectOrder recover */
                recover?: (palimpsest.v1.RecoverValue.$Properties|null);

                /** ObjectOrder recovered */
                recovered?: (palimpsest.v1.ValueRecovered.$Properties|null);

                /** ObjectOrder pinned */
                pinned?: (palimpsest.v1.ObjectIds.$Properties|null);

                /** ObjectOrder withdraw */
                withdraw?: (palimpsest.v1.ObjectIds.$Properties|null);

                /** ObjectOrder order */
                order?: ("hello"|"store"|"reserve"|"seal"|"abandon"|"hold"|"release"|"find"|"exist"|"recover"|"recovered"|"pinned"|"withdraw");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an ObjectOrder. */
            type $Shape = {
              orderId?: number|null;
              hello?: palimpsest.v1.LinkHello.$Shape|null;
              store?: palimpsest.v1.StoreValue.$Shape|null;
              reserve?: palimpsest.v1.ReserveValue.$Shape|null;
              seal?: palimpsest.v1.SealValue.$Shape|null;
              abandon?: Uint8Array|null;
              hold?: palimpsest.v1.ObjectIds.$Shape|null;
              release?: palimpsest.v1.ObjectIds.$Shape|null;
              find?: palimpsest.v1.FindValue.$Shape|null;
              exist?: palimpsest.v1.ObjectIds.$Shape|null;
              recover?: palimpsest.v1.RecoverValue.$Shape|null;
              recovered?: palimpsest.v1.ValueRecovered.$Shape|null;
              pinned?: palimpsest.v1.ObjectIds.$Shape|null;
              withdraw?: palimpsest.v1.ObjectIds.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ order?: undefined; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "hello"; hello: palimpsest.v1.LinkHello.$Shape; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "store"; hello?: null; store: palimpsest.v1.StoreValue.$Shape; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "reserve"; hello?: null; store?: null; reserve: palimpsest.v1.ReserveValue.$Shape; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "seal"; hello?: null; store?: null; reserve?: null; seal: palimpsest.v1.SealValue.$Shape; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "abandon"; hello?: null; store?: null; reserve?: null; seal?: null; abandon: Uint8Array; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "hold"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold: palimpsest.v1.ObjectIds.$Shape; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "release"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release: palimpsest.v1.ObjectIds.$Shape; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "find"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find: palimpsest.v1.FindValue.$Shape; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "exist"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist: palimpsest.v1.ObjectIds.$Shape; recover?: null; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "recover"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover: palimpsest.v1.RecoverValue.$Shape; recovered?: null; pinned?: null; withdraw?: null }|{ order?: "recovered"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered: palimpsest.v1.ValueRecovered.$Shape; pinned?: null; withdraw?: null }|{ order?: "pinned"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned: palimpsest.v1.ObjectIds.$Shape; withdraw?: null }|{ order?: "withdraw"; hello?: null; store?: null; reserve?: null; seal?: null; abandon?: null; hold?: null; release?: null; find?: null; exist?: null; recover?: null; recovered?: null; pinned?: null; withdraw: palimpsest.v1.ObjectIds.$Shape })
            );
        }

        /**
         * Properties of an ObjectIds.
         * @deprecated Use palimpsest.v1.ObjectIds.$Properties instead.
         */
        interface IObjectIds extends palimpsest.v1.ObjectIds.$Properties {
        }

        /** Represents an ObjectIds. */
        class ObjectIds {

            /**
             * Constructs a new ObjectIds.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectIds.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectIds objectIds. */
            objectIds: Uint8Array[];

            /**
             * Creates a new ObjectIds instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectIds instance
             */
            static create(properties: palimpsest.v1.ObjectIds.$Shape): palimpsest.v1.ObjectIds & palimpsest.v1.ObjectIds.$Shape;
            static create(properties?: palimpsest.v1.ObjectIds.$Properties): palimpsest.v1.ObjectIds;

            /**
             * Encodes the specified ObjectIds message. Does not implicitly {@link palimpsest.v1.ObjectIds.verify|verify} messages.
             * @param message ObjectIds message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectIds.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectIds message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectIds & palimpsest.v1.ObjectIds.$Shape} ObjectIds
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectIds & palimpsest.v1.ObjectIds.$Shape;
        }

        namespace ObjectIds {

            /** Properties of an ObjectIds. */
            interface $Properties {

                /** ObjectIds objectIds */
                objectIds?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectIds. */
            type $Shape = palimpsest.v1.ObjectIds.$Properties;
        }

        /**
         * Properties of a LinkHello.
         * @deprecated Use palimpsest.v1.LinkHello.$Properties instead.
         */
        interface ILinkHello extends palimpsest.v1.LinkHello.$Properties {
        }

        /** Represents a LinkHello. */
        class LinkHello {

            /**
             * Constructs a new LinkHello.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LinkHello.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LinkHello holder. */
            holder: string;

            /** LinkHello objectIds. */
            objectIds: Uint8Array[];

            /**
             * Creates a new LinkHello instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LinkHello instance
             */
            static create(properties: palimpsest.v1.LinkHello.$Shape): palimpsest.v1.LinkHello & palimpsest.v1.LinkHello.$Shape;
            static create(properties?: palimpsest.v1.LinkHello.$Properties): palimpsest.v1.LinkHello;

            /**
             * Encodes the specified LinkHello message. Does not implicitly {@link palimpsest.v1.LinkHello.verify|verify} messages.
             * @param message LinkHello message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LinkHello.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LinkHello message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LinkHello & palimpsest.v1.LinkHello.$Shape} LinkHello
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LinkHello & palimpsest.v1.LinkHello.$Shape;
        }

        namespace LinkHello {

            /** Properties of a LinkHello. */
            interface $Properties {

                /** LinkHello holder */
                holder?: (string|null);

                /** LinkHello objectIds */
                objectIds?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LinkHello. */
            type $Shape = palimpsest.v1.LinkHello.$Properties;
        }

        /**
         * Properties of a StoreValue.
         * @deprecated Use palimpsest.v1.StoreValue.$Properties instead.
         */
        interface IStoreValue extends palimpsest.v1.StoreValue.$Properties {
        }

        /** Represents a StoreValue. */
        class StoreValue {

            /**
             * Constructs a new StoreValue.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StoreValue.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StoreValue objectId. */
            objectId: Uint8Array;

            /** StoreValue data. */
            data: Uint8Array;

            /** StoreValue contains. */
            contains: Uint8Array[];

            /**
             * Creates a new StoreValue instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StoreValue instance
             */
            static create(properties: palimpsest.v1.StoreValue.$Shape): palimpsest.v1.StoreValue & palimpsest.v1.StoreValue.$Shape;
            static create(properties?: palimpsest.v1.StoreValue.$Properties): palimpsest.v1.StoreValue;

            /**
             * Encodes the specified StoreValue message. Does not implicitly {@link palimpsest.v1.StoreValue.verify|verify} messages.
             * @param message StoreValue message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StoreValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StoreValue message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StoreValue & palimpsest.v1.StoreValue.$Shape} StoreValue
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StoreValue & palimpsest.v1.StoreValue.$Shape;
        }

        namespace StoreValue {

            /** Properties of a StoreValue. */
            interface $Properties {

                /** StoreValue objectId */
                objectId?: (Uint8Array|null);

                /** StoreValue data */
                data?: (Uint8Array|null);

                /** StoreValue contains */
                contains?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StoreValue. */
            type $Shape = palimpsest.v1.StoreValue.$Properties;
        }

        /**
         * Properties of a ReserveValue.
         * @deprecated Use palimpsest.v1.ReserveValue.$Properties instead.
         */
        interface IReserveValue extends palimpsest.v1.ReserveValue.$Properties {
        }

        /** Represents a ReserveValue. */
        class ReserveValue {

            /**
             * Constructs a new ReserveValue.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReserveValue.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReserveValue objectId. */
            objectId: Uint8Array;

            /** ReserveValue sizeBytes. */
            sizeBytes: number;

            /**
             * Creates a new ReserveValue instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReserveValue instance
             */
            static create(properties: palimpsest.v1.ReserveValue.$Shape): palimpsest.v1.ReserveValue & palimpsest.v1.ReserveValue.$Shape;
            static create(properties?: palimpsest.v1.ReserveValue.$Properties): palimpsest.v1.ReserveValue;

            /**
             * Encodes the specified ReserveValue message. Does not implicitly {@link palimpsest.v1.ReserveValue.verify|verify} messages.
             * @param message ReserveValue message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReserveValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReserveValue message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReserveValue & palimpsest.v1.ReserveValue.$Shape} ReserveValue
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReserveValue & palimpsest.v1.ReserveValue.$Shape;
        }

        namespace ReserveValue {

            /** Properties of a ReserveValue. */
            interface $Properties {

                /** ReserveValue objectId */
                objectId?: (Uint8Array|null);

                /** ReserveValue sizeBytes */
                sizeBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReserveValue. */
            type $Shape = palimpsest.v1.ReserveValue.$Properties;
        }

        /**
         * Properties of a SealValue.
         * @deprecated Use palimpsest.v1.SealValue.$Properties instead.
         */
        interface ISealValue extends palimpsest.v1.SealValue.$Properties {
        }

        /** Represents a SealValue. */
        class SealValue {

            /**
             * Constructs a new SealValue.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SealValue.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SealValue objectId. */
            objectId: Uint8Array;

            /** SealValue contains. */
            contains: Uint8Array[];

            /**
             * Creates a new SealValue instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SealValue instance
             */
            static create(properties: palimpsest.v1.SealValue.$Shape): palimpsest.v1.SealValue & palimpsest.v1.SealValue.$Shape;
            static create(properties?: palimpsest.v1.SealValue.$Properties): palimpsest.v1.SealValue;

            /**
             * Encodes the specified SealValue message. Does not implicitly {@link palimpsest.v1.SealValue.verify|verify} messages.
             * @param message SealValue message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SealValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SealValue message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SealValue & palimpsest.v1.SealValue.$Shape} SealValue
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SealValue & palimpsest.v1.SealValue.$Shape;
        }

        namespace SealValue {

            /** Properties of a SealValue. */
            interface $Properties {

                /** SealValue objectId */
                objectId?: (Uint8Array|null);

                /** SealValue contains */
                contains?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SealValue. */
            type $Shape = palimpsest.v1.SealValue.$Properties;
        }

        /**
         * Properties of a RecoverValue.
         * @deprecated Use palimpsest.v1.RecoverValue.$Properties instead.
         */
        interface IRecoverValue extends palimpsest.v1.RecoverValue.$Properties {
        }

        /** Represents a RecoverValue. */
        class RecoverValue {

            /**
             * Constructs a new RecoverValue.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RecoverValue.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecoverValue objectId. */
            objectId: Uint8Array;

            /** RecoverValue ownerId. */
            ownerId: string;

            /** RecoverValue waitMs. */
            waitMs: number;

            /**
             * Creates a new RecoverValue instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecoverValue instance
             */
            static create(properties: palimpsest.v1.RecoverValue.$Shape): palimpsest.v1.RecoverValue & palimpsest.v1.RecoverValue.$Shape;
            static create(properties?: palimpsest.v1.RecoverValue.$Properties): palimpsest.v1.RecoverValue;

            /**
             * Encodes the specified RecoverValue message. Does not implicitly {@link palimpsest.v1.RecoverValue.verify|verify} messages.
             * @param message RecoverValue message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RecoverValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecoverValue message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RecoverValue & palimpsest.v1.RecoverValue.$Shape} RecoverValue
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RecoverValue & palimpsest.v1.RecoverValue.$Shape;
        }

        namespace RecoverValue {

            /** Properties of a RecoverValue. */
            interface $Properties {

                /** RecoverValue objectId */
                objectId?: (Uint8Array|null);

                /** RecoverValue ownerId */
                ownerId?: (string|null);

                /** RecoverValue waitMs */
                waitMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecoverValue. */
            type $Shape = palimpsest.v1.RecoverValue.$Properties;
        }

        /**
         * Properties of a ValueRecovered.
         * @deprecated Use palimpsest.v1.ValueRecovered.$Properties instead.
         */
        interface IValueRecovered extends palimpsest.v1.ValueRecovered.$Properties {
        }

        /** Represents a ValueRecovered. */
        class ValueRecovered {

            /**
             * Constructs a new ValueRecovered.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ValueRecovered.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ValueRecovered requestId. */
            requestId: string;

            /** ValueRecovered error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /**
             * Creates a new ValueRecovered instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ValueRecovered instance
             */
            static create(properties: palimpsest.v1.ValueRecovered.$Shape): palimpsest.v1.ValueRecovered & palimpsest.v1.ValueRecovered.$Shape;
            static create(properties?: palimpsest.v1.ValueRecovered.$Properties): palimpsest.v1.ValueRecovered;

            /**
             * Encodes the specified ValueRecovered message. Does not implicitly {@link palimpsest.v1.ValueRecovered.verify|verify} messages.
             * @param message ValueRecovered message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ValueRecovered.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ValueRecovered message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ValueRecovered & palimpsest.v1.ValueRecovered.$Shape} ValueRecovered
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ValueRecovered & palimpsest.v1.ValueRecovered.$Shape;
        }

        namespace ValueRecovered {

            /** Properties of a ValueRecovered. */
            interface $Properties {

                /** ValueRecovered requestId */
                requestId?: (string|null);

                /** ValueRecovered error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ValueRecovered. */
            type $Shape = palimpsest.v1.ValueRecovered.$Properties;
        }

        /**
         * Properties of a Recovery.
         * @deprecated Use palimpsest.v1.Recovery.$Properties instead.
         */
        interface IRecovery extends palimpsest.v1.Recovery.$Properties {
        }

        /** Represents a Recovery. */
        class Recovery {

            /**
             * Constructs a new Recovery.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Recovery.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Recovery answered. */
            answered: boolean;

            /** Recovery ownerLives. */
            ownerLives: boolean;

            /**
             * Creates a new Recovery instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Recovery instance
             */
            static create(properties: palimpsest.v1.Recovery.$Shape): palimpsest.v1.Recovery & palimpsest.v1.Recovery.$Shape;
            static create(properties?: palimpsest.v1.Recovery.$Properties): palimpsest.v1.Recovery;

            /**
             * Encodes the specified Recovery message. Does not implicitly {@link palimpsest.v1.Recovery.verify|verify} messages.
             * @param message Recovery message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Recovery.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Recovery message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Recovery & palimpsest.v1.Recovery.$Shape} Recovery
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Recovery & palimpsest.v1.Recovery.$Shape;
        }

        namespace Recovery {

            /** Properties of a Recovery. */
            interface $Properties {

                /** Recovery answered */
                answered?: (boolean|null);

                /** Recovery ownerLives */
                ownerLives?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Recovery. */
            type $Shape = palimpsest.v1.Recovery.$Properties;
        }

        /**
         * Properties of a RecoveryRequest.
         * @deprecated Use palimpsest.v1.RecoveryRequest.$Properties instead.
         */
        interface IRecoveryRequest extends palimpsest.v1.RecoveryRequest.$Properties {
        }

        /** Represents a RecoveryRequest. */
        class RecoveryRequest {

            /**
             * Constructs a new RecoveryRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RecoveryRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecoveryRequest requestId. */
            requestId: string;

            /** RecoveryRequest objectId. */
            objectId: Uint8Array;

            /**
             * Creates a new RecoveryRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecoveryRequest instance
             */
            static create(properties: palimpsest.v1.RecoveryRequest.$Shape): palimpsest.v1.RecoveryRequest & palimpsest.v1.RecoveryRequest.$Shape;
            static create(properties?: palimpsest.v1.RecoveryRequest.$Properties): palimpsest.v1.RecoveryRequest;

            /**
             * Encodes the specified RecoveryRequest message. Does not implicitly {@link palimpsest.v1.RecoveryRequest.verify|verify} messages.
             * @param message RecoveryRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RecoveryRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecoveryRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RecoveryRequest & palimpsest.v1.RecoveryRequest.$Shape} RecoveryRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RecoveryRequest & palimpsest.v1.RecoveryRequest.$Shape;
        }

        namespace RecoveryRequest {

            /** Properties of a RecoveryRequest. */
            interface $Properties {

                /** RecoveryRequest requestId */
                requestId?: (string|null);

                /** RecoveryRequest objectId */
                objectId?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecoveryRequest. */
            type $Shape = palimpsest.v1.RecoveryRequest.$Properties;
        }

        /**
         * Properties of a FindValue.
         * @deprecated Use palimpsest.v1.FindValue.$Properties instead.
         */
        interface IFindValue extends palimpsest.v1.FindValue.$Properties {
        }

        /** Represents a FindValue. */
        class FindValue {

            /**
             * Constructs a new FindValue.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FindValue.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FindValue objectId. */
            objectId: Uint8Array;

            /** FindValue remote. */
            remote: boolean;

            /**
             * Creates a new FindValue instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FindValue instance
             */
            static create(properties: palimpsest.v1.FindValue.$Shape): palimpsest.v1.FindValue & palimpsest.v1.FindValue.$Shape;
            static create(properties?: palimpsest.v1.FindValue.$Properties): palimpsest.v1.FindValue;

            /**
             * Encodes the specified FindValue message. Does not implicitly {@link palimpsest.v1.FindValue.verify|verify} messages.
             * @param message FindValue message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FindValue.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FindValue message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FindValue & palimpsest.v1.FindValue.$Shape} FindValue
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FindValue & palimpsest.v1.FindValue.$Shape;
        }

        namespace FindValue {

            /** Properties of a FindValue. */
            interface $Properties {

                /** FindValue objectId */
                objectId?: (Uint8Array|null);

                /** FindValue remote */
                remote?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FindValue. */
            type $Shape = palimpsest.v1.FindValue.$Properties;
        }

        /**
         * Properties of an ObjectAnswers.
         * @deprecated Use palimpsest.v1.ObjectAnswers.$Properties instead.
         */
        interface IObjectAnswers extends palimpsest.v1.ObjectAnswers.$Properties {
        }

        /** Represents an ObjectAnswers. */
        class ObjectAnswers {

            /**
             * Constructs a new ObjectAnswers.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectAnswers.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectAnswers answers. */
            answers: palimpsest.v1.ObjectAnswer.$Properties[];

            /**
             * Creates a new ObjectAnswers instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectAnswers instance
             */
            static create(properties: palimpsest.v1.ObjectAnswers.$Shape): palimpsest.v1.ObjectAnswers & palimpsest.v1.ObjectAnswers.$Shape;
            static create(properties?: palimpsest.v1.ObjectAnswers.$Properties): palimpsest.v1.ObjectAnswers;

            /**
             * Encodes the specified ObjectAnswers message. Does not implicitly {@link palimpsest.v1.ObjectAnswers.verify|verify} messages.
             * @param message ObjectAnswers message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectAnswers.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectAnswers message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectAnswers & palimpsest.v1.ObjectAnswers.$Shape} ObjectAnswers
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectAnswers & palimpsest.v1.ObjectAnswers.$Shape;
        }

        namespace ObjectAnswers {

            /** Properties of an ObjectAnswers. */
            interface $Properties {

                /** ObjectAnswers answers */
                answers?: (palimpsest.v1.ObjectAnswer.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectAnswers. */
            type $Shape = palimpsest.v1.ObjectAnswers.$Properties;
        }

        /**
         * Properties of an ObjectAnswer.
         * @deprecated Use palimpsest.v1.ObjectAnswer.$Properties instead.
         */
        interface IObjectAnswer extends palimpsest.v1.ObjectAnswer.$Properties {
        }

        /** Represents an ObjectAnswer. */
        class ObjectAnswer {

            /**
             * Constructs a new ObjectAnswer.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectAnswer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectAnswer orderId. */
            orderId: number;

            /** ObjectAnswer error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /** ObjectAnswer info. */
            info?: (palimpsest.v1.ObjectInfo.$Properties|null);

            /** ObjectAnswer data. */
            data: Uint8Array;

            /** ObjectAnswer objectIds. */
            objectIds: Uint8Array[];

            /** ObjectAnswer proofPath. */
            proofPath: string;

            /** ObjectAnswer proof. */
            proof: string;

            /** ObjectAnswer tellPins. */
            tellPins: boolean;

            /** ObjectAnswer recovery. */
            recovery?: (palimpsest.v1.Recovery.$Properties|null);

            /** ObjectAnswer recover. */
            recover?: (palimpsest.v1.RecoveryRequest.$Properties|null);

            /**
             * Creates a new ObjectAnswer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectAnswer instance
             */
            static create(properties: palimpsest.v1.ObjectAnswer.$Shape): palimpsest.v1.ObjectAnswer & palimpsest.v1.ObjectAnswer.$Shape;
            static create(properties?: palimpsest.v1.ObjectAnswer.$Properties): palimpsest.v1.ObjectAnswer;

            /**
             * Encodes the specified ObjectAnswer message. Does not implicitly {@link palimpsest.v1.ObjectAnswer.verify|verify} messages.
             * @param message ObjectAnswer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectAnswer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectAnswer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectAnswer & palimpsest.v1.ObjectAnswer.$Shape} ObjectAnswer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectAnswer & palimpsest.v1.ObjectAnswer.$Shape;
        }

        namespace ObjectAnswer {

            /** Properties of an ObjectAnswer. */
            interface $Properties {

                /** ObjectAnswer orderId */
                orderId?: (number|null);

                /** ObjectAnswer error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** ObjectAnswer info */
                info?: (palimpsest.v1.ObjectInfo.$Properties|null);

                /** ObjectAnswer data */
                data?: (Uint8Array|null);

                /** ObjectAnswer objectIds */
                objectIds?: (Uint8Array[]|null);

                /** ObjectAnswer proofPath */
                proofPath?: (string|null);

                /** ObjectAnswer proof */
                proof?: (string|null);

                /** ObjectAnswer tellPins */
                tellPins?: (boolean|null);

                /** ObjectAnswer recovery */
                recovery?: (palimpsest.v1.Recovery.$Properties|null);

                /** ObjectAnswer recover */
                recover?: (palimpsest.v1.RecoveryRequest.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectAnswer. */
            type $Shape = palimpsest.v1.ObjectAnswer.$Properties;
        }

        /**
         * Properties of a DescribeObjectsRequest.
         * @deprecated Use palimpsest.v1.DescribeObjectsRequest.$Properties instead.
         */
        interface IDescribeObjectsRequest extends palimpsest.v1.DescribeObjectsRequest.$Properties {
        }

        /** Represents a DescribeObjectsRequest. */
        class DescribeObjectsRequest {

            /**
             * Constructs a new DescribeObjectsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DescribeObjectsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DescribeObjectsRequest limit. */
            limit: number;

            /**
             * Creates a new DescribeObjectsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DescribeObjectsRequest instance
             */
            static create(properties: palimpsest.v1.DescribeObjectsRequest.$Shape): palimpsest.v1.DescribeObjectsRequest & palimpsest.v1.DescribeObjectsRequest.$Shape;
            static create(properties?: palimpsest.v1.DescribeObjectsRequest.$Properties): palimpsest.v1.DescribeObjectsRequest;

            /**
             * Encodes the specified DescribeObjectsRequest message. Does not implicitly {@link palimpsest.v1.DescribeObjectsRequest.verify|verify} messages.
             * @param message DescribeObjectsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DescribeObjectsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DescribeObjectsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DescribeObjectsRequest & palimpsest.v1.DescribeObjectsRequest.$Shape} DescribeObjectsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DescribeObjectsRequest & palimpsest.v1.DescribeObjectsRequest.$Shape;
        }

        namespace DescribeObjectsRequest {

            /** Properties of a DescribeObjectsRequest. */
            interface $Properties {

                /** DescribeObjectsRequest limit */
                limit?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DescribeObjectsRequest. */
            type $Shape = palimpsest.v1.DescribeObjectsRequest.$Properties;
        }

        /**
         * Properties of a DescribeObjectsResponse.
         * @deprecated Use palimpsest.v1.DescribeObjectsResponse.$Properties instead.
         */
        interface IDescribeObjectsResponse extends palimpsest.v1.DescribeObjectsResponse.$Properties {
        }

        /** Represents a DescribeObjectsResponse. */
        class DescribeObjectsResponse {

            /**
             * Constructs a new DescribeObjectsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DescribeObjectsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DescribeObjectsResponse objects. */
            objects: palimpsest.v1.ObjectDetail.$Properties[];

            /** DescribeObjectsResponse totalObjects. */
            totalObjects: number;

            /** DescribeObjectsResponse totalBytes. */
            totalBytes: number;

            /**
             * Creates a new DescribeObjectsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DescribeObjectsResponse instance
             */
            static create(properties: palimpsest.v1.DescribeObjectsResponse.$Shape): palimpsest.v1.DescribeObjectsResponse & palimpsest.v1.DescribeObjectsResponse.$Shape;
            static create(properties?: palimpsest.v1.DescribeObjectsResponse.$Properties): palimpsest.v1.DescribeObjectsResponse;

            /**
             * Encodes the specified DescribeObjectsResponse message. Does not implicitly {@link palimpsest.v1.DescribeObjectsResponse.verify|verify} messages.
             * @param message DescribeObjectsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DescribeObjectsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DescribeObjectsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DescribeObjectsResponse & palimpsest.v1.DescribeObjectsResponse.$Shape} DescribeObjectsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DescribeObjectsResponse & palimpsest.v1.DescribeObjectsResponse.$Shape;
        }

        namespace DescribeObjectsResponse {

            /** Properties of a DescribeObjectsResponse. */
            interface $Properties {

                /** DescribeObjectsResponse objects */
                objects?: (palimpsest.v1.ObjectDetail.$Properties[]|null);

                /** DescribeObjectsResponse totalObjects */
                totalObjects?: (number|null);

                /** DescribeObjectsResponse totalBytes */
                totalBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DescribeObjectsResponse. */
            type $Shape = palimpsest.v1.DescribeObjectsResponse.$Properties;
        }

        /**
         * Properties of an ObjectDetail.
         * @deprecated Use palimpsest.v1.ObjectDetail.$Properties instead.
         */
        interface IObjectDetail extends palimpsest.v1.ObjectDetail.$Properties {
        }

        /** Represents an ObjectDetail. */
        class ObjectDetail {

            /**
             * Constructs a new ObjectDetail.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectDetail.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectDetail objectId. */
            objectId: string;

            /** ObjectDetail sizeBytes. */
            sizeBytes: number;

            /** ObjectDetail ownerId. */
            ownerId: string;

            /** ObjectDetail holders. */
            holders: string[];

            /** ObjectDetail pinnedBy. */
            pinnedBy: string[];

            /** ObjectDetail storedAtMs. */
            storedAtMs: number;

            /** ObjectDetail readers. */
            readers: number;

            /** ObjectDetail spilled. */
            spilled: boolean;

            /**
             * Creates a new ObjectDetail instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectDetail instance
             */
            static create(properties: palimpsest.v1.ObjectDetail.$Shape): palimpsest.v1.ObjectDetail & palimpsest.v1.ObjectDetail.$Shape;
            static create(properties?: palimpsest.v1.ObjectDetail.$Properties): palimpsest.v1.ObjectDetail;

            /**
             * Encodes the specified ObjectDetail message. Does not implicitly {@link palimpsest.v1.ObjectDetail.verify|verify} messages.
             * @param message ObjectDetail message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectDetail.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectDetail message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectDetail & palimpsest.v1.ObjectDetail.$Shape} ObjectDetail
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectDetail & palimpsest.v1.ObjectDetail.$Shape;
        }

        namespace ObjectDetail {

            /** Properties of an ObjectDetail. */
            interface $Properties {

                /** ObjectDetail objectId */
                objectId?: (string|null);

                /** ObjectDetail sizeBytes */
                sizeBytes?: (number|null);

                /** ObjectDetail ownerId */
                ownerId?: (string|null);

                /** ObjectDetail holders */
                holders?: (string[]|null);

                /** ObjectDetail pinnedBy */
                pinnedBy?: (string[]|null);

                /** ObjectDetail storedAtMs */
                storedAtMs?: (number|null);

                /** ObjectDetail readers */
                readers?: (number|null);

                /** ObjectDetail spilled */
                spilled?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectDetail. */
            type $Shape = palimpsest.v1.ObjectDetail.$Properties;
        }

        /**
         * Properties of a HoldRequest.
         * @deprecated Use palimpsest.v1.HoldRequest.$Properties instead.
         */
        interface IHoldRequest extends palimpsest.v1.HoldRequest.$Properties {
        }

        /** Represents a HoldRequest. */
        class HoldRequest {

            /**
             * Constructs a new HoldRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.HoldRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** HoldRequest objectIds. */
            objectIds: Uint8Array[];

            /** HoldRequest holder. */
            holder: string;

            /**
             * Creates a new HoldRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns HoldRequest instance
             */
            static create(properties: palimpsest.v1.HoldRequest.$Shape): palimpsest.v1.HoldRequest & palimpsest.v1.HoldRequest.$Shape;
            static create(properties?: palimpsest.v1.HoldRequest.$Properties): palimpsest.v1.HoldRequest;

            /**
             * Encodes the specified HoldRequest message. Does not implicitly {@link palimpsest.v1.HoldRequest.verify|verify} messages.
             * @param message HoldRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.HoldRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a HoldRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.HoldRequest & palimpsest.v1.HoldRequest.$Shape} HoldRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.HoldRequest & palimpsest.v1.HoldRequest.$Shape;
        }

        namespace HoldRequest {

            /** Properties of a HoldRequest. */
            interface $Properties {

                /** HoldRequest objectIds */
                objectIds?: (Uint8Array[]|null);

                /** HoldRequest holder */
                holder?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a HoldRequest. */
            type $Shape = palimpsest.v1.HoldRequest.$Properties;
        }

        /**
         * Properties of a HoldResponse.
         * @deprecated Use palimpsest.v1.HoldResponse.$Properties instead.
         */
        interface IHoldResponse extends palimpsest.v1.HoldResponse.$Properties {
        }

        /** Represents a HoldResponse. */
        class HoldResponse {

            /**
             * Constructs a new HoldResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.HoldResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** HoldResponse missing. */
            missing: Uint8Array[];

            /**
             * Creates a new HoldResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns HoldResponse instance
             */
            static create(properties: palimpsest.v1.HoldResponse.$Shape): palimpsest.v1.HoldResponse & palimpsest.v1.HoldResponse.$Shape;
            static create(properties?: palimpsest.v1.HoldResponse.$Properties): palimpsest.v1.HoldResponse;

            /**
             * Encodes the specified HoldResponse message. Does not implicitly {@link palimpsest.v1.HoldResponse.verify|verify} messages.
             * @param message HoldResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.HoldResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a HoldResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.HoldResponse & palimpsest.v1.HoldResponse.$Shape} HoldResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.HoldResponse & palimpsest.v1.HoldResponse.$Shape;
        }

        namespace HoldResponse {

            /** Properties of a HoldResponse. */
            interface $Properties {

                /** HoldResponse missing */
                missing?: (Uint8Array[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a HoldResponse. */
            type $Shape = palimpsest.v1.HoldResponse.$Properties;
        }

        /**
         * Properties of an ObjectReference.
         * @deprecated Use palimpsest.v1.ObjectReference.$Properties instead.
         */
        interface IObjectReference extends palimpsest.v1.ObjectReference.$Properties {
        }

        /** Represents an ObjectReference. */
        class ObjectReference {

            /**
             * Constructs a new ObjectReference.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectReference.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectReference objectId. */
            objectId: Uint8Array;

            /** ObjectReference sizeBytes. */
            sizeBytes: number;

            /** ObjectReference ownerId. */
            ownerId: string;

            /**
             * Creates a new ObjectReference instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectReference instance
             */
            static create(properties: palimpsest.v1.ObjectReference.$Shape): palimpsest.v1.ObjectReference & palimpsest.v1.ObjectReference.$Shape;
            static create(properties?: palimpsest.v1.ObjectReference.$Properties): palimpsest.v1.ObjectReference;

            /**
             * Encodes the specified ObjectReference message. Does not implicitly {@link palimpsest.v1.ObjectReference.verify|verify} messages.
             * @param message ObjectReference message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectReference.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectReference message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectReference & palimpsest.v1.ObjectReference.$Shape} ObjectReference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectReference & palimpsest.v1.ObjectReference.$Shape;
        }

        namespace ObjectReference {

            /** Properties of an ObjectReference. */
            interface $Properties {

                /** ObjectReference objectId */
                objectId?: (Uint8Array|null);

                /** ObjectReference sizeBytes */
                sizeBytes?: (number|null);

                /** ObjectReference ownerId */
                ownerId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectReference. */
            type $Shape = palimpsest.v1.ObjectReference.$Properties;
        }

        /**
         * Properties of an ActorReference.
         * @deprecated Use palimpsest.v1.ActorReference.$Properties instead.
         */
        interface IActorReference extends palimpsest.v1.ActorReference.$Properties {
        }

        /** Represents an ActorReference. */
        class ActorReference {

            /**
             * Constructs a new ActorReference.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorReference.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorReference actorId. */
            actorId: string;

            /** ActorReference maxTaskRetries. */
            maxTaskRetries: number;

            /**
             * Creates a new ActorReference instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorReference instance
             */
            static create(properties: palimpsest.v1.ActorReference.$Shape): palimpsest.v1.ActorReference & palimpsest.v1.ActorReference.$Shape;
            static create(properties?: palimpsest.v1.ActorReference.$Properties): palimpsest.v1.ActorReference;

            /**
             * Encodes the specified ActorReference message. Does not implicitly {@link palimpsest.v1.ActorReference.verify|verify} messages.
             * @param message ActorReference message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorReference.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorReference message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorReference & palimpsest.v1.ActorReference.$Shape} ActorReference
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorReference & palimpsest.v1.ActorReference.$Shape;
        }

        namespace ActorReference {

            /** Properties of an ActorReference. */
            interface $Properties {

                /** ActorReference actorId */
                actorId?: (string|null);

                /** ActorReference maxTaskRetries */
                maxTaskRetries?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorReference. */
            type $Shape = palimpsest.v1.ActorReference.$Properties;
        }

        /**
         * Properties of an ActorProcessOrder.
         * @deprecated Use palimpsest.v1.ActorProcessOrder.$Properties instead.
         */
        interface IActorProcessOrder extends palimpsest.v1.ActorProcessOrder.$Properties {
        }

        /** Represents an ActorProcessOrder. */
        class ActorProcessOrder {

            /**
             * Constructs a new ActorProcessOrder.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessOrder.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorProcessOrder start. */
            start?: (palimpsest.v1.ActorProcessStart.$Properties|null);

            /** ActorProcessOrder credentials. */
            credentials?: (palimpsest.v1.ProcessCredentials.$Properties|null);

            /** ActorProcessOrder startShared. */
            startShared?: (palimpsest.v1.ActorProcessStart.$Properties|null);

            /** ActorProcessOrder shared. */
            shared?: (palimpsest.v1.SharedOrders.$Properties|null);

            /** ActorProcessOrder ping. */
            ping?: (palimpsest.v1.ActorProcessPing.$Properties|null);

            /** ActorProcessOrder order. */
            order?: ("start"|"credentials"|"startShared"|"shared"|"ping");

            /**
             * Creates a new ActorProcessOrder instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessOrder instance
             */
            static create(properties: palimpsest.v1.ActorProcessOrder.$Shape): palimpsest.v1.ActorProcessOrder & palimpsest.v1.ActorProcessOrder.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessOrder.$Properties): palimpsest.v1.ActorProcessOrder;

            /**
             * Encodes the specified ActorProcessOrder message. Does not implicitly {@link palimpsest.v1.ActorProcessOrder.verify|verify} messages.
             * @param message ActorProcessOrder message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessOrder.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessOrder message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessOrder & palimpsest.v1.ActorProcessOrder.$Shape} ActorProcessOrder
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessOrder & palimpsest.v1.ActorProcessOrder.$Shape;
        }

        namespace ActorProcessOrder {

            /** Properties of an ActorProcessOrder. */
            interface $Properties {

                /** ActorProcessOrder start */
                start?: (palimpsest.v1.ActorProcessStart.$Properties|null);

                /** ActorProcessOrder credentials */
                credentials?: (palimpsest.v1.ProcessCredentials.$Properties|null);

                /** ActorProcessOrder startShared */
                startShared?: (palimpsest.v1.ActorProcessStart.$Properties|null);

                /** ActorProcessOrder shared */
                shared?: (palimpsest.v1.SharedOrders.$Properties|null);

                /** ActorProcessOrder ping */
                ping?: (palimpsest.v1.ActorProcessPing.$Properties|null);

                /** ActorProcessOrder order */
                order?: ("start"|"credentials"|"startShared"|"shared"|"ping");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an ActorProcessOrder. */
            type $Shape = {
              start?: palimpsest.v1.ActorProcessStart.$Shape|null;
              credentials?: palimpsest.v1.ProcessCredentials.$Shape|null;
              startShared?: palimpsest.v1.ActorProcessStart.$Shape|null;
              shared?: palimpsest.v1.SharedOrders.$Shape|null;
              ping?: palimpsest.v1.ActorProcessPing.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ order?: undefined; start?: null; credentials?: null; startShared?: null; shared?: null; ping?: null }|{ order?: "start"; start: palimpsest.v1.ActorProcessStart.$Shape; credentials?: null; startShared?: null; shared?: null; ping?: null }|{ order?: "credentials"; start?: null; credentials: palimpsest.v1.ProcessCredentials.$Shape; startShared?: null; shared?: null; ping?: null }|{ order?: "startShared"; start?: null; credentials?: null; startShared: palimpsest.v1.ActorProcessStart.$Shape; shared?: null; ping?: null }|{ order?: "shared"; start?: null; credentials?: null; startShared?: null; shared: palimpsest.v1.SharedOrders.$Shape; ping?: null }|{ order?: "ping"; start?: null; credentials?: null; startShared?: null; shared?: null; ping: palimpsest.v1.ActorProcessPing.$Shape })
            );
        }

        /**
         * Properties of an ActorProcessPing.
         * @deprecated Use palimpsest.v1.ActorProcessPing.$Properties instead.
         */
        interface IActorProcessPing extends palimpsest.v1.ActorProcessPing.$Properties {
        }

        /** Represents an ActorProcessPing. */
        class ActorProcessPing {

            /**
             * Constructs a new ActorProcessPing.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessPing.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ActorProcessPing instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessPing instance
             */
            static create(properties: palimpsest.v1.ActorProcessPing.$Shape): palimpsest.v1.ActorProcessPing & palimpsest.v1.ActorProcessPing.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessPing.$Properties): palimpsest.v1.ActorProcessPing;

            /**
             * Encodes the specified ActorProcessPing message. Does not implicitly {@link palimpsest.v1.ActorProcessPing.verify|verify} messages.
             * @param message ActorProcessPing message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessPing.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessPing message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessPing & palimpsest.v1.ActorProcessPing.$Shape} ActorProcessPing
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessPing & palimpsest.v1.ActorProcessPing.$Shape;
        }

        namespace ActorProcessPing {

            /** Properties of an ActorProcessPing. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessPing. */
            type $Shape = palimpsest.v1.ActorProcessPing.$Properties;
        }

        /**
         * Properties of a SharedOrders.
         * @deprecated Use palimpsest.v1.SharedOrders.$Properties instead.
         */
        interface ISharedOrders extends palimpsest.v1.SharedOrders.$Properties {
        }

        /** Represents a SharedOrders. */
        class SharedOrders {

            /**
             * Constructs a new SharedOrders.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SharedOrders.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SharedOrders start. */
            start: palimpsest.v1.SharedActor.$Properties[];

            /** SharedOrders stop. */
            stop: palimpsest.v1.StopSharedActor.$Properties[];

            /**
             * Creates a new SharedOrders instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SharedOrders instance
             */
            static create(properties: palimpsest.v1.SharedOrders.$Shape): palimpsest.v1.SharedOrders & palimpsest.v1.SharedOrders.$Shape;
            static create(properties?: palimpsest.v1.SharedOrders.$Properties): palimpsest.v1.SharedOrders;

            /**
             * Encodes the specified SharedOrders message. Does not implicitly {@link palimpsest.v1.SharedOrders.verify|verify} messages.
             * @param message SharedOrders message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SharedOrders.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SharedOrders message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SharedOrders & palimpsest.v1.SharedOrders.$Shape} SharedOrders
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SharedOrders & palimpsest.v1.SharedOrders.$Shape;
        }

        namespace SharedOrders {

            /** Properties of a SharedOrders. */
            interface $Properties {

                /** SharedOrders start */
                start?: (palimpsest.v1.SharedActor.$Properties[]|null);

                /** SharedOrders stop */
                stop?: (palimpsest.v1.StopSharedActor.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SharedOrders. */
            type $Shape = {
              start?: palimpsest.v1.SharedActor.$Shape[]|null;
              stop?: palimpsest.v1.StopSharedActor.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a SharedActor.
         * @deprecated Use palimpsest.v1.SharedActor.$Properties instead.
         */
        interface ISharedActor extends palimpsest.v1.SharedActor.$Properties {
        }

        /** Represents a SharedActor. */
        class SharedActor {

            /**
             * Constructs a new SharedActor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SharedActor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SharedActor slot. */
            slot: number;

            /** SharedActor spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** SharedActor incarnation. */
            incarnation: number;

            /**
             * Creates a new SharedActor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SharedActor instance
             */
            static create(properties: palimpsest.v1.SharedActor.$Shape): palimpsest.v1.SharedActor & palimpsest.v1.SharedActor.$Shape;
            static create(properties?: palimpsest.v1.SharedActor.$Properties): palimpsest.v1.SharedActor;

            /**
             * Encodes the specified SharedActor message. Does not implicitly {@link palimpsest.v1.SharedActor.verify|verify} messages.
             * @param message SharedActor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SharedActor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SharedActor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SharedActor & palimpsest.v1.SharedActor.$Shape} SharedActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SharedActor & palimpsest.v1.SharedActor.$Shape;
        }

        namespace SharedActor {

            /** Properties of a SharedActor. */
            interface $Properties {

                /** SharedActor slot */
                slot?: (number|null);

                /** SharedActor spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** SharedActor incarnation */
                incarnation?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SharedActor. */
            type $Shape = {
              slot?: number|null;
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              incarnation?: number|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a StopSharedActor.
         * @deprecated Use palimpsest.v1.StopSharedActor.$Properties instead.
         */
        interface IStopSharedActor extends palimpsest.v1.StopSharedActor.$Properties {
        }

        /** Represents a StopSharedActor. */
        class StopSharedActor {

            /**
             * Constructs a new StopSharedActor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StopSharedActor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StopSharedActor slot. */
            slot: number;

            /** StopSharedActor graceMs. */
            graceMs: number;

            /**
             * Creates a new StopSharedActor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StopSharedActor instance
             */
            static create(properties: palimpsest.v1.StopSharedActor.$Shape): palimpsest.v1.StopSharedActor & palimpsest.v1.StopSharedActor.$Shape;
            static create(properties?: palimpsest.v1.StopSharedActor.$Properties): palimpsest.v1.StopSharedActor;

            /**
             * Encodes the specified StopSharedActor message. Does not implicitly {@link palimpsest.v1.StopSharedActor.verify|verify} messages.
             * @param message StopSharedActor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StopSharedActor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StopSharedActor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopSharedActor & palimpsest.v1.StopSharedActor.$Shape} StopSharedActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StopSharedActor & palimpsest.v1.StopSharedActor.$Shape;
        }

        namespace StopSharedActor {

            /** Properties of a StopSharedActor. */
            interface $Properties {

                /** StopSharedActor slot */
                slot?: (number|null);

                /** StopSharedActor graceMs */
                graceMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StopSharedActor. */
            type $Shape = palimpsest.v1.StopSharedActor.$Properties;
        }

        /**
         * Properties of an ActorProcessStart.
         * @deprecated Use palimpsest.v1.ActorProcessStart.$Properties instead.
         */
        interface IActorProcessStart extends palimpsest.v1.ActorProcessStart.$Properties {
        }

        /** Represents an ActorProcessStart. */
        class ActorProcessStart {

            /**
             * Constructs a new ActorProcessStart.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessStart.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorProcessStart spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** ActorProcessStart incarnation. */
            incarnation: number;

            /** ActorProcessStart nodeId. */
            nodeId: string;

            /** ActorProcessStart clusterId. */
            clusterId: string;

            /** ActorProcessStart headAddress. */
            headAddress: string;

            /** ActorProcessStart credentials. */
            credentials?: (palimpsest.v1.ProcessCredentials.$Properties|null);

            /** ActorProcessStart objectsAddress. */
            objectsAddress: string;

            /** ActorProcessStart moduleUrl. */
            moduleUrl: string;

            /** ActorProcessStart listenHost. */
            listenHost: string;

            /** ActorProcessStart firstPort. */
            firstPort: number;

            /** ActorProcessStart lastPort. */
            lastPort: number;

            /** ActorProcessStart objectsPath. */
            objectsPath: string;

            /** ActorProcessStart logLevel. */
            logLevel: string;

            /** ActorProcessStart refusalsPath. */
            refusalsPath: string;

            /** ActorProcessStart startedPath. */
            startedPath: string;

            /** ActorProcessStart logsPath. */
            logsPath: string;

            /** ActorProcessStart taskEvents. */
            taskEvents: boolean;

            /**
             * Creates a new ActorProcessStart instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessStart instance
             */
            static create(properties: palimpsest.v1.ActorProcessStart.$Shape): palimpsest.v1.ActorProcessStart & palimpsest.v1.ActorProcessStart.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessStart.$Properties): palimpsest.v1.ActorProcessStart;

            /**
             * Encodes the specified ActorProcessStart message. Does not implicitly {@link palimpsest.v1.ActorProcessStart.verify|verify} messages.
             * @param message ActorProcessStart message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessStart.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessStart message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessStart & palimpsest.v1.ActorProcessStart.$Shape} ActorProcessStart
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessStart & palimpsest.v1.ActorProcessStart.$Shape;
        }

        namespace ActorProcessStart {

            /** Properties of an ActorProcessStart. */
            interface $Properties {

                /** ActorProcessStart spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** ActorProcessStart incarnation */
                incarnation?: (number|null);

                /** ActorProcessStart nodeId */
                nodeId?: (string|null);

                /** ActorProcessStart clusterId */
                clusterId?: (string|null);

                /** ActorProcessStart headAddress */
                headAddress?: (string|null);

                /** ActorProcessStart credentials */
                credentials?: (palimpsest.v1.ProcessCredentials.$Properties|null);

                /** ActorProcessStart objectsAddress */
                objectsAddress?: (string|null);

                /** ActorProcessStart moduleUrl */
                moduleUrl?: (string|null);

                /** ActorProcessStart listenHost */
                listenHost?: (string|null);

                /** ActorProcessStart firstPort */
                firstPort?: (number|null);

                /** ActorProcessStart lastPort */
                lastPort?: (number|null);

                /** ActorProcessStart objectsPath */
                objectsPath?: (string|null);

                /** ActorProcessStart logLevel */
                logLevel?: (string|null);

                /** ActorProcessStart refusalsPath */
                refusalsPath?: (string|null);

                /** ActorProcessStart startedPath */
                startedPath?: (string|null);

                /** ActorProcessStart logsPath */
                logsPath?: (string|null);

                /** ActorProcessStart taskEvents */
                taskEvents?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessStart. */
            type $Shape = {
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              incarnation?: number|null;
              nodeId?: string|null;
              clusterId?: string|null;
              headAddress?: string|null;
              credentials?: palimpsest.v1.ProcessCredentials.$Shape|null;
              objectsAddress?: string|null;
              moduleUrl?: string|null;
              listenHost?: string|null;
              firstPort?: number|null;
              lastPort?: number|null;
              objectsPath?: string|null;
              logLevel?: string|null;
              refusalsPath?: string|null;
              startedPath?: string|null;
              logsPath?: string|null;
              taskEvents?: boolean|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a ProcessCredentials.
         * @deprecated Use palimpsest.v1.ProcessCredentials.$Properties instead.
         */
        interface IProcessCredentials extends palimpsest.v1.ProcessCredentials.$Properties {
        }

        /** Represents a ProcessCredentials. */
        class ProcessCredentials {

            /**
             * Constructs a new ProcessCredentials.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ProcessCredentials.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProcessCredentials token. */
            token: string;

            /** ProcessCredentials accepted. */
            accepted: palimpsest.v1.AcceptedToken.$Properties[];

            /** ProcessCredentials ca. */
            ca: Uint8Array;

            /** ProcessCredentials certificate. */
            certificate: Uint8Array;

            /** ProcessCredentials key. */
            key: Uint8Array;

            /** ProcessCredentials revokedSerials. */
            revokedSerials: string[];

            /**
             * Creates a new ProcessCredentials instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProcessCredentials instance
             */
            static create(properties: palimpsest.v1.ProcessCredentials.$Shape): palimpsest.v1.ProcessCredentials & palimpsest.v1.ProcessCredentials.$Shape;
            static create(properties?: palimpsest.v1.ProcessCredentials.$Properties): palimpsest.v1.ProcessCredentials;

            /**
             * Encodes the specified ProcessCredentials message. Does not implicitly {@link palimpsest.v1.ProcessCredentials.verify|verify} messages.
             * @param message ProcessCredentials message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ProcessCredentials.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProcessCredentials message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ProcessCredentials & palimpsest.v1.ProcessCredentials.$Shape} ProcessCredentials
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ProcessCredentials & palimpsest.v1.ProcessCredentials.$Shape;
        }

        namespace ProcessCredentials {

            /** Properties of a ProcessCredentials. */
            interface $Properties {

                /** ProcessCredentials token */
                token?: (string|null);

                /** ProcessCredentials accepted */
                accepted?: (palimpsest.v1.AcceptedToken.$Properties[]|null);

                /** ProcessCredentials ca */
                ca?: (Uint8Array|null);

                /** ProcessCredentials certificate */
                certificate?: (Uint8Array|null);

                /** ProcessCredentials key */
                key?: (Uint8Array|null);

                /** ProcessCredentials revokedSerials */
                revokedSerials?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProcessCredentials. */
            type $Shape = palimpsest.v1.ProcessCredentials.$Properties;
        }

        /**
         * Properties of an AcceptedToken.
         * @deprecated Use palimpsest.v1.AcceptedToken.$Properties instead.
         */
        interface IAcceptedToken extends palimpsest.v1.AcceptedToken.$Properties {
        }

        /** Represents an AcceptedToken. */
        class AcceptedToken {

            /**
             * Constructs a new AcceptedToken.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.AcceptedToken.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AcceptedToken role. */
            role: string;

            /** AcceptedToken digest. */
            digest: Uint8Array;

            /** AcceptedToken remainingMs. */
            remainingMs: number;

            /**
             * Creates a new AcceptedToken instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AcceptedToken instance
             */
            static create(properties: palimpsest.v1.AcceptedToken.$Shape): palimpsest.v1.AcceptedToken & palimpsest.v1.AcceptedToken.$Shape;
            static create(properties?: palimpsest.v1.AcceptedToken.$Properties): palimpsest.v1.AcceptedToken;

            /**
             * Encodes the specified AcceptedToken message. Does not implicitly {@link palimpsest.v1.AcceptedToken.verify|verify} messages.
             * @param message AcceptedToken message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.AcceptedToken.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AcceptedToken message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.AcceptedToken & palimpsest.v1.AcceptedToken.$Shape} AcceptedToken
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.AcceptedToken & palimpsest.v1.AcceptedToken.$Shape;
        }

        namespace AcceptedToken {

            /** Properties of an AcceptedToken. */
            interface $Properties {

                /** AcceptedToken role */
                role?: (string|null);

                /** AcceptedToken digest */
                digest?: (Uint8Array|null);

                /** AcceptedToken remainingMs */
                remainingMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AcceptedToken. */
            type $Shape = palimpsest.v1.AcceptedToken.$Properties;
        }

        /**
         * Properties of an ActorProcessEvent.
         * @deprecated Use palimpsest.v1.ActorProcessEvent.$Properties instead.
         */
        interface IActorProcessEvent extends palimpsest.v1.ActorProcessEvent.$Properties {
        }

        /** Represents an ActorProcessEvent. */
        class ActorProcessEvent {

            /**
             * Constructs a new ActorProcessEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorProcessEvent ready. */
            ready?: (palimpsest.v1.ActorProcessReady.$Properties|null);

            /** ActorProcessEvent failed. */
            failed?: (palimpsest.v1.Error.$Properties|null);

            /** ActorProcessEvent loaded. */
            loaded?: (palimpsest.v1.ActorProcessLoaded.$Properties|null);

            /** ActorProcessEvent received. */
            received?: (palimpsest.v1.ActorProcessReceived.$Properties|null);

            /** ActorProcessEvent exiting. */
            exiting?: (palimpsest.v1.ActorProcessExiting.$Properties|null);

            /** ActorProcessEvent taskReport. */
            taskReport?: (palimpsest.v1.TaskReport.$Properties|null);

            /** ActorProcessEvent shared. */
            shared?: (palimpsest.v1.SharedNews.$Properties|null);

            /** ActorProcessEvent answering. */
            answering?: (palimpsest.v1.ActorProcessPing.$Properties|null);

            /** ActorProcessEvent event. */
            event?: ("ready"|"failed"|"loaded"|"received"|"exiting"|"taskReport"|"shared"|"answering");

            /**
             * Creates a new ActorProcessEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessEvent instance
             */
            static create(properties: palimpsest.v1.ActorProcessEvent.$Shape): palimpsest.v1.ActorProcessEvent & palimpsest.v1.ActorProcessEvent.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessEvent.$Properties): palimpsest.v1.ActorProcessEvent;

            /**
             * Encodes the specified ActorProcessEvent message. Does not implicitly {@link palimpsest.v1.ActorProcessEvent.verify|verify} messages.
             * @param message ActorProcessEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessEvent & palimpsest.v1.ActorProcessEvent.$Shape} ActorProcessEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessEvent & palimpsest.v1.ActorProcessEvent.$Shape;
        }

        namespace ActorProcessEvent {

            /** Properties of an ActorProcessEvent. */
            interface $Properties {

                /** ActorProcessEvent ready */
                ready?: (palimpsest.v1.ActorProcessReady.$Properties|null);

                /** ActorProcessEvent failed */
                failed?: (palimpsest.v1.Error.$Properties|null);

                /** ActorProcessEvent loaded */
                loaded?: (palimpsest.v1.ActorProcessLoaded.$Properties|null);

                /** ActorProcessEvent received */
                received?: (palimpsest.v1.ActorProcessReceived.$Properties|null);

                /** ActorProcessEvent exiting */
                exiting?: (palimpsest.v1.ActorProcessExiting.$Properties|null);

                /** ActorProcessEvent taskReport */
                taskReport?: (palimpsest.v1.TaskReport.$Properties|null);

                /** ActorProcessEvent shared */
                shared?: (palimpsest.v1.SharedNews.$Properties|null);

                /** ActorProcessEvent answering */
                answering?: (palimpsest.v1.ActorProcessPing.$Properties|null);

                /** ActorProcessEvent event */
                event?: ("ready"|"failed"|"loaded"|"received"|"exiting"|"taskReport"|"shared"|"answering");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an ActorProcessEvent. */
            type $Shape = {
              ready?: palimpsest.v1.ActorProcessReady.$Shape|null;
              failed?: palimpsest.v1.Error.$Shape|null;
              loaded?: palimpsest.v1.ActorProcessLoaded.$Shape|null;
              received?: palimpsest.v1.ActorProcessReceived.$Shape|null;
              exiting?: palimpsest.v1.ActorProcessExiting.$Shape|null;
              taskReport?: palimpsest.v1.TaskReport.$Shape|null;
              shared?: palimpsest.v1.SharedNews.$Shape|null;
              answering?: palimpsest.v1.ActorProcessPing.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ event?: undefined; ready?: null; failed?: null; loaded?: null; received?: null; exiting?: null; taskReport?: null; shared?: null; answering?: null }|{ event?: "ready"; ready: palimpsest.v1.ActorProcessReady.$Shape; failed?: null; loaded?: null; received?: null; exiting?: null; taskReport?: null; shared?: null; answering?: null }|{ event?: "failed"; ready?: null; failed: palimpsest.v1.Error.$Shape; loaded?: null; received?: null; exiting?: null; taskReport?: null; shared?: null; answering?: null }|{ event?: "loaded"; ready?: null; failed?: null; loaded: palimpsest.v1.ActorProcessLoaded.$Shape; received?: null; exiting?: null; taskReport?: null; shared?: null; answering?: null }|{ event?: "received"; ready?: null; failed?: null; loaded?: null; received: palimpsest.v1.ActorProcessReceived.$Shape; exiting?: null; taskReport?: null; shared?: null; answering?: null }|{ event?: "exiting"; ready?: null; failed?: null; loaded?: null; received?: null; exiting: palimpsest.v1.ActorProcessExiting.$Shape; taskReport?: null; shared?: null; answering?: null }|{ event?: "taskReport"; ready?: null; failed?: null; loaded?: null; received?: null; exiting?: null; taskReport: palimpsest.v1.TaskReport.$Shape; shared?: null; answering?: null }|{ event?: "shared"; ready?: null; failed?: null; loaded?: null; received?: null; exiting?: null; taskReport?: null; shared: palimpsest.v1.SharedNews.$Shape; answering?: null }|{ event?: "answering"; ready?: null; failed?: null; loaded?: null; received?: null; exiting?: null; taskReport?: null; shared?: null; answering: palimpsest.v1.ActorProcessPing.$Shape })
            );
        }

        /**
         * Properties of a SharedNews.
         * @deprecated Use palimpsest.v1.SharedNews.$Properties instead.
         */
        interface ISharedNews extends palimpsest.v1.SharedNews.$Properties {
        }

        /** Represents a SharedNews. */
        class SharedNews {

            /**
             * Constructs a new SharedNews.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SharedNews.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SharedNews ready. */
            ready: number[];

            /** SharedNews ended. */
            ended: palimpsest.v1.SharedActorEnded.$Properties[];

            /**
             * Creates a new SharedNews instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SharedNews instance
             */
            static create(properties: palimpsest.v1.SharedNews.$Shape): palimpsest.v1.SharedNews & palimpsest.v1.SharedNews.$Shape;
            static create(properties?: palimpsest.v1.SharedNews.$Properties): palimpsest.v1.SharedNews;

            /**
             * Encodes the specified SharedNews message. Does not implicitly {@link palimpsest.v1.SharedNews.verify|verify} messages.
             * @param message SharedNews message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SharedNews.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SharedNews message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SharedNews & palimpsest.v1.SharedNews.$Shape} SharedNews
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SharedNews & palimpsest.v1.SharedNews.$Shape;
        }

        namespace SharedNews {

            /** Properties of a SharedNews. */
            interface $Properties {

                /** SharedNews ready */
                ready?: (number[]|null);

                /** SharedNews ended */
                ended?: (palimpsest.v1.SharedActorEnded.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SharedNews. */
            type $Shape = palimpsest.v1.SharedNews.$Properties;
        }

        /**
         * Properties of a SharedActorEnded.
         * @deprecated Use palimpsest.v1.SharedActorEnded.$Properties instead.
         */
        interface ISharedActorEnded extends palimpsest.v1.SharedActorEnded.$Properties {
        }

        /** Represents a SharedActorEnded. */
        class SharedActorEnded {

            /**
             * Constructs a new SharedActorEnded.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SharedActorEnded.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SharedActorEnded slot. */
            slot: number;

            /** SharedActorEnded failed. */
            failed?: (palimpsest.v1.Error.$Properties|null);

            /** SharedActorEnded exiting. */
            exiting?: (palimpsest.v1.ActorProcessExiting.$Properties|null);

            /**
             * Creates a new SharedActorEnded instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SharedActorEnded instance
             */
            static create(properties: palimpsest.v1.SharedActorEnded.$Shape): palimpsest.v1.SharedActorEnded & palimpsest.v1.SharedActorEnded.$Shape;
            static create(properties?: palimpsest.v1.SharedActorEnded.$Properties): palimpsest.v1.SharedActorEnded;

            /**
             * Encodes the specified SharedActorEnded message. Does not implicitly {@link palimpsest.v1.SharedActorEnded.verify|verify} messages.
             * @param message SharedActorEnded message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SharedActorEnded.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SharedActorEnded message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SharedActorEnded & palimpsest.v1.SharedActorEnded.$Shape} SharedActorEnded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SharedActorEnded & palimpsest.v1.SharedActorEnded.$Shape;
        }

        namespace SharedActorEnded {

            /** Properties of a SharedActorEnded. */
            interface $Properties {

                /** SharedActorEnded slot */
                slot?: (number|null);

                /** SharedActorEnded failed */
                failed?: (palimpsest.v1.Error.$Properties|null);

                /** SharedActorEnded exiting */
                exiting?: (palimpsest.v1.ActorProcessExiting.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SharedActorEnded. */
            type $Shape = palimpsest.v1.SharedActorEnded.$Properties;
        }

        /**
         * Properties of an ActorProcessExiting.
         * @deprecated Use palimpsest.v1.ActorProcessExiting.$Properties instead.
         */
        interface IActorProcessExiting extends palimpsest.v1.ActorProcessExiting.$Properties {
        }

        /** Represents an ActorProcessExiting. */
        class ActorProcessExiting {

            /**
             * Constructs a new ActorProcessExiting.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessExiting.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorProcessExiting reason. */
            reason: string;

            /**
             * Creates a new ActorProcessExiting instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessExiting instance
             */
            static create(properties: palimpsest.v1.ActorProcessExiting.$Shape): palimpsest.v1.ActorProcessExiting & palimpsest.v1.ActorProcessExiting.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessExiting.$Properties): palimpsest.v1.ActorProcessExiting;

            /**
             * Encodes the specified ActorProcessExiting message. Does not implicitly {@link palimpsest.v1.ActorProcessExiting.verify|verify} messages.
             * @param message ActorProcessExiting message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessExiting.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessExiting message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessExiting & palimpsest.v1.ActorProcessExiting.$Shape} ActorProcessExiting
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessExiting & palimpsest.v1.ActorProcessExiting.$Shape;
        }

        namespace ActorProcessExiting {

            /** Properties of an ActorProcessExiting. */
            interface $Properties {

                /** ActorProcessExiting reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessExiting. */
            type $Shape = palimpsest.v1.ActorProcessExiting.$Properties;
        }

        /**
         * Properties of an ActorProcessLoaded.
         * @deprecated Use palimpsest.v1.ActorProcessLoaded.$Properties instead.
         */
        interface IActorProcessLoaded extends palimpsest.v1.ActorProcessLoaded.$Properties {
        }

        /** Represents an ActorProcessLoaded. */
        class ActorProcessLoaded {

            /**
             * Constructs a new ActorProcessLoaded.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessLoaded.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ActorProcessLoaded instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessLoaded instance
             */
            static create(properties: palimpsest.v1.ActorProcessLoaded.$Shape): palimpsest.v1.ActorProcessLoaded & palimpsest.v1.ActorProcessLoaded.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessLoaded.$Properties): palimpsest.v1.ActorProcessLoaded;

            /**
             * Encodes the specified ActorProcessLoaded message. Does not implicitly {@link palimpsest.v1.ActorProcessLoaded.verify|verify} messages.
             * @param message ActorProcessLoaded message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessLoaded.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessLoaded message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessLoaded & palimpsest.v1.ActorProcessLoaded.$Shape} ActorProcessLoaded
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessLoaded & palimpsest.v1.ActorProcessLoaded.$Shape;
        }

        namespace ActorProcessLoaded {

            /** Properties of an ActorProcessLoaded. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessLoaded. */
            type $Shape = palimpsest.v1.ActorProcessLoaded.$Properties;
        }

        /**
         * Properties of an ActorProcessReceived.
         * @deprecated Use palimpsest.v1.ActorProcessReceived.$Properties instead.
         */
        interface IActorProcessReceived extends palimpsest.v1.ActorProcessReceived.$Properties {
        }

        /** Represents an ActorProcessReceived. */
        class ActorProcessReceived {

            /**
             * Constructs a new ActorProcessReceived.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessReceived.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ActorProcessReceived instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessReceived instance
             */
            static create(properties: palimpsest.v1.ActorProcessReceived.$Shape): palimpsest.v1.ActorProcessReceived & palimpsest.v1.ActorProcessReceived.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessReceived.$Properties): palimpsest.v1.ActorProcessReceived;

            /**
             * Encodes the specified ActorProcessReceived message. Does not implicitly {@link palimpsest.v1.ActorProcessReceived.verify|verify} messages.
             * @param message ActorProcessReceived message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessReceived.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessReceived message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessReceived & palimpsest.v1.ActorProcessReceived.$Shape} ActorProcessReceived
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessReceived & palimpsest.v1.ActorProcessReceived.$Shape;
        }

        namespace ActorProcessReceived {

            /** Properties of an ActorProcessReceived. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessReceived. */
            type $Shape = palimpsest.v1.ActorProcessReceived.$Properties;
        }

        /**
         * Properties of an ActorProcessReady.
         * @deprecated Use palimpsest.v1.ActorProcessReady.$Properties instead.
         */
        interface IActorProcessReady extends palimpsest.v1.ActorProcessReady.$Properties {
        }

        /** Represents an ActorProcessReady. */
        class ActorProcessReady {

            /**
             * Constructs a new ActorProcessReady.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorProcessReady.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorProcessReady address. */
            address: string;

            /** ActorProcessReady metricsAddress. */
            metricsAddress: string;

            /**
             * Creates a new ActorProcessReady instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorProcessReady instance
             */
            static create(properties: palimpsest.v1.ActorProcessReady.$Shape): palimpsest.v1.ActorProcessReady & palimpsest.v1.ActorProcessReady.$Shape;
            static create(properties?: palimpsest.v1.ActorProcessReady.$Properties): palimpsest.v1.ActorProcessReady;

            /**
             * Encodes the specified ActorProcessReady message. Does not implicitly {@link palimpsest.v1.ActorProcessReady.verify|verify} messages.
             * @param message ActorProcessReady message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorProcessReady.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorProcessReady message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorProcessReady & palimpsest.v1.ActorProcessReady.$Shape} ActorProcessReady
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorProcessReady & palimpsest.v1.ActorProcessReady.$Shape;
        }

        namespace ActorProcessReady {

            /** Properties of an ActorProcessReady. */
            interface $Properties {

                /** ActorProcessReady address */
                address?: (string|null);

                /** ActorProcessReady metricsAddress */
                metricsAddress?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorProcessReady. */
            type $Shape = palimpsest.v1.ActorProcessReady.$Properties;
        }

        /**
         * Properties of a GetClusterRequest.
         * @deprecated Use palimpsest.v1.GetClusterRequest.$Properties instead.
         */
        interface IGetClusterRequest extends palimpsest.v1.GetClusterRequest.$Properties {
        }

        /** Represents a GetClusterRequest. */
        class GetClusterRequest {

            /**
             * Constructs a new GetClusterRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GetClusterRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new GetClusterRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GetClusterRequest instance
             */
            static create(properties: palimpsest.v1.GetClusterRequest.$Shape): palimpsest.v1.GetClusterRequest & palimpsest.v1.GetClusterRequest.$Shape;
            static create(properties?: palimpsest.v1.GetClusterRequest.$Properties): palimpsest.v1.GetClusterRequest;

            /**
             * Encodes the specified GetClusterRequest message. Does not implicitly {@link palimpsest.v1.GetClusterRequest.verify|verify} messages.
             * @param message GetClusterRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GetClusterRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GetClusterRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetClusterRequest & palimpsest.v1.GetClusterRequest.$Shape} GetClusterRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GetClusterRequest & palimpsest.v1.GetClusterRequest.$Shape;
        }

        namespace GetClusterRequest {

            /** Properties of a GetClusterRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GetClusterRequest. */
            type $Shape = palimpsest.v1.GetClusterRequest.$Properties;
        }

        /**
         * Properties of a ClusterInfo.
         * @deprecated Use palimpsest.v1.ClusterInfo.$Properties instead.
         */
        interface IClusterInfo extends palimpsest.v1.ClusterInfo.$Properties {
        }

        /** Represents a ClusterInfo. */
        class ClusterInfo {

            /**
             * Constructs a new ClusterInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ClusterInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ClusterInfo clusterId. */
            clusterId: string;

            /** ClusterInfo redisUrl. */
            redisUrl: string;

            /** ClusterInfo version. */
            version: string;

            /** ClusterInfo startedAtMs. */
            startedAtMs: number;

            /** ClusterInfo metricsAddress. */
            metricsAddress: string;

            /** ClusterInfo pid. */
            pid: number;

            /** ClusterInfo redisPid. */
            redisPid: number;

            /** ClusterInfo clusterName. */
            clusterName: string;

            /** ClusterInfo epoch. */
            epoch: number;

            /** ClusterInfo headAddresses. */
            headAddresses: string[];

            /**
             * Creates a new ClusterInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ClusterInfo instance
             */
            static create(properties: palimpsest.v1.ClusterInfo.$Shape): palimpsest.v1.ClusterInfo & palimpsest.v1.ClusterInfo.$Shape;
            static create(properties?: palimpsest.v1.ClusterInfo.$Properties): palimpsest.v1.ClusterInfo;

            /**
             * Encodes the specified ClusterInfo message. Does not implicitly {@link palimpsest.v1.ClusterInfo.verify|verify} messages.
             * @param message ClusterInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ClusterInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ClusterInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ClusterInfo & palimpsest.v1.ClusterInfo.$Shape} ClusterInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ClusterInfo & palimpsest.v1.ClusterInfo.$Shape;
        }

        namespace ClusterInfo {

            /** Properties of a ClusterInfo. */
            interface $Properties {

                /** ClusterInfo clusterId */
                clusterId?: (string|null);

                /** ClusterInfo redisUrl */
                redisUrl?: (string|null);

                /** ClusterInfo version */
                version?: (string|null);

                /** ClusterInfo startedAtMs */
                startedAtMs?: (number|null);

                /** ClusterInfo metricsAddress */
                metricsAddress?: (string|null);

                /** ClusterInfo pid */
                pid?: (number|null);

                /** ClusterInfo redisPid */
                redisPid?: (number|null);

                /** ClusterInfo clusterName */
                clusterName?: (string|null);

                /** ClusterInfo epoch */
                epoch?: (number|null);

                /** ClusterInfo headAddresses */
                headAddresses?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ClusterInfo. */
            type $Shape = palimpsest.v1.ClusterInfo.$Properties;
        }

        /**
         * Properties of a SessionMessage.
         * @deprecated Use palimpsest.v1.SessionMessage.$Properties instead.
         */
        interface ISessionMessage extends palimpsest.v1.SessionMessage.$Properties {
        }

        /** Represents a SessionMessage. */
        class SessionMessage {

            /**
             * Constructs a new SessionMessage.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SessionMessage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionMessage sessionId. */
            sessionId: string;

            /** SessionMessage name. */
            name: string;

            /** SessionMessage pid. */
            pid: number;

            /** SessionMessage goodbye. */
            goodbye: boolean;

            /** SessionMessage jobId. */
            jobId: string;

            /** SessionMessage stack. */
            stack?: (palimpsest.v1.StackReport.$Properties|null);

            /**
             * Creates a new SessionMessage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionMessage instance
             */
            static create(properties: palimpsest.v1.SessionMessage.$Shape): palimpsest.v1.SessionMessage & palimpsest.v1.SessionMessage.$Shape;
            static create(properties?: palimpsest.v1.SessionMessage.$Properties): palimpsest.v1.SessionMessage;

            /**
             * Encodes the specified SessionMessage message. Does not implicitly {@link palimpsest.v1.SessionMessage.verify|verify} messages.
             * @param message SessionMessage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SessionMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionMessage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionMessage & palimpsest.v1.SessionMessage.$Shape} SessionMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SessionMessage & palimpsest.v1.SessionMessage.$Shape;
        }

        namespace SessionMessage {

            /** Properties of a SessionMessage. */
            interface $Properties {

                /** SessionMessage sessionId */
                sessionId?: (string|null);

                /** SessionMessage name */
                name?: (string|null);

                /** SessionMessage pid */
                pid?: (number|null);

                /** SessionMessage goodbye */
                goodbye?: (boolean|null);

                /** SessionMessage jobId */
                jobId?: (string|null);

                /** SessionMessage stack */
                stack?: (palimpsest.v1.StackReport.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SessionMessage. */
            type $Shape = palimpsest.v1.SessionMessage.$Properties;
        }

        /**
         * Properties of a SessionEvent.
         * @deprecated Use palimpsest.v1.SessionEvent.$Properties instead.
         */
        interface ISessionEvent extends palimpsest.v1.SessionEvent.$Properties {
        }

        /** Represents a SessionEvent. */
        class SessionEvent {

            /**
             * Constructs a new SessionEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SessionEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionEvent opened. */
            opened?: (palimpsest.v1.SessionOpened.$Properties|null);

            /** SessionEvent actorDied. */
            actorDied?: (palimpsest.v1.ActorInfo.$Properties|null);

            /** SessionEvent stackRequest. */
            stackRequest?: (palimpsest.v1.StackRequest.$Properties|null);

            /** SessionEvent newToken. */
            newToken?: (palimpsest.v1.NewToken.$Properties|null);

            /** SessionEvent event. */
            event?: ("opened"|"actorDied"|"stackRequest"|"newToken");

            /**
             * Creates a new SessionEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionEvent instance
             */
            static create(properties: palimpsest.v1.SessionEvent.$Shape): palimpsest.v1.SessionEvent & palimpsest.v1.SessionEvent.$Shape;
            static create(properties?: palimpsest.v1.SessionEvent.$Properties): palimpsest.v1.SessionEvent;

            /**
             * Encodes the specified SessionEvent message. Does not implicitly {@link palimpsest.v1.SessionEvent.verify|verify} messages.
             * @param message SessionEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SessionEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionEvent & palimpsest.v1.SessionEvent.$Shape} SessionEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SessionEvent & palimpsest.v1.SessionEvent.$Shape;
        }

        namespace SessionEvent {

            /** Properties of a SessionEvent. */
            interface $Properties {

                /** SessionEvent opened */
                opened?: (palimpsest.v1.SessionOpened.$Properties|null);

                /** SessionEvent actorDied */
                actorDied?: (palimpsest.v1.ActorInfo.$Properties|null);

                /** SessionEvent stackRequest */
                stackRequest?: (palimpsest.v1.StackRequest.$Properties|null);

                /** SessionEvent newToken */
                newToken?: (palimpsest.v1.NewToken.$Properties|null);

                /** SessionEvent event */
                event?: ("opened"|"actorDied"|"stackRequest"|"newToken");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a SessionEvent. */
            type $Shape = {
              opened?: palimpsest.v1.SessionOpened.$Shape|null;
              actorDied?: palimpsest.v1.ActorInfo.$Shape|null;
              stackRequest?: palimpsest.v1.StackRequest.$Shape|null;
              newToken?: palimpsest.v1.NewToken.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ event?: undefined; opened?: null; actorDied?: null; stackRequest?: null; newToken?: null }|{ event?: "opened"; opened: palimpsest.v1.SessionOpened.$Shape; actorDied?: null; stackRequest?: null; newToken?: null }|{ event?: "actorDied"; opened?: null; actorDied: palimpsest.v1.ActorInfo.$Shape; stackRequest?: null; newToken?: null }|{ event?: "stackRequest"; opened?: null; actorDied?: null; stackRequest: palimpsest.v1.StackRequest.$Shape; newToken?: null }|{ event?: "newToken"; opened?: null; actorDied?: null; stackRequest?: null; newToken: palimpsest.v1.NewToken.$Shape })
            );
        }

        /**
         * Properties of a RotateTokenRequest.
         * @deprecated Use palimpsest.v1.RotateTokenRequest.$Properties instead.
         */
        interface IRotateTokenRequest extends palimpsest.v1.RotateTokenRequest.$Properties {
        }

        /** Represents a RotateTokenRequest. */
        class RotateTokenRequest {

            /**
             * Constructs a new RotateTokenRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RotateTokenRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RotateTokenRequest graceMs. */
            graceMs: number;

            /** RotateTokenRequest stolen. */
            stolen: boolean;

            /**
             * Creates a new RotateTokenRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RotateTokenRequest instance
             */
            static create(properties: palimpsest.v1.RotateTokenRequest.$Shape): palimpsest.v1.RotateTokenRequest & palimpsest.v1.RotateTokenRequest.$Shape;
            static create(properties?: palimpsest.v1.RotateTokenRequest.$Properties): palimpsest.v1.RotateTokenRequest;

            /**
             * Encodes the specified RotateTokenRequest message. Does not implicitly {@link palimpsest.v1.RotateTokenRequest.verify|verify} messages.
             * @param message RotateTokenRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RotateTokenRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RotateTokenRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RotateTokenRequest & palimpsest.v1.RotateTokenRequest.$Shape} RotateTokenRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RotateTokenRequest & palimpsest.v1.RotateTokenRequest.$Shape;
        }

        namespace RotateTokenRequest {

            /** Properties of a RotateTokenRequest. */
            interface $Properties {

                /** RotateTokenRequest graceMs */
                graceMs?: (number|null);

                /** RotateTokenRequest stolen */
                stolen?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RotateTokenRequest. */
            type $Shape = palimpsest.v1.RotateTokenRequest.$Properties;
        }

        /**
         * Properties of a RotateTokenResponse.
         * @deprecated Use palimpsest.v1.RotateTokenResponse.$Properties instead.
         */
        interface IRotateTokenResponse extends palimpsest.v1.RotateTokenResponse.$Properties {
        }

        /** Represents a RotateTokenResponse. */
        class RotateTokenResponse {

            /**
             * Constructs a new RotateTokenResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RotateTokenResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RotateTokenResponse token. */
            token: string;

            /** RotateTokenResponse acceptedUntilMs. */
            acceptedUntilMs: number;

            /** RotateTokenResponse redisRotated. */
            redisRotated: boolean;

            /**
             * Creates a new RotateTokenResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RotateTokenResponse instance
             */
            static create(properties: palimpsest.v1.RotateTokenResponse.$Shape): palimpsest.v1.RotateTokenResponse & palimpsest.v1.RotateTokenResponse.$Shape;
            static create(properties?: palimpsest.v1.RotateTokenResponse.$Properties): palimpsest.v1.RotateTokenResponse;

            /**
             * Encodes the specified RotateTokenResponse message. Does not implicitly {@link palimpsest.v1.RotateTokenResponse.verify|verify} messages.
             * @param message RotateTokenResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RotateTokenResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RotateTokenResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RotateTokenResponse & palimpsest.v1.RotateTokenResponse.$Shape} RotateTokenResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RotateTokenResponse & palimpsest.v1.RotateTokenResponse.$Shape;
        }

        namespace RotateTokenResponse {

            /** Properties of a RotateTokenResponse. */
            interface $Properties {

                /** RotateTokenResponse token */
                token?: (string|null);

                /** RotateTokenResponse acceptedUntilMs */
                acceptedUntilMs?: (number|null);

                /** RotateTokenResponse redisRotated */
                redisRotated?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RotateTokenResponse. */
            type $Shape = palimpsest.v1.RotateTokenResponse.$Properties;
        }

        /**
         * Properties of a FollowTokenRequest.
         * @deprecated Use palimpsest.v1.FollowTokenRequest.$Properties instead.
         */
        interface IFollowTokenRequest extends palimpsest.v1.FollowTokenRequest.$Properties {
        }

        /** Represents a FollowTokenRequest. */
        class FollowTokenRequest {

            /**
             * Constructs a new FollowTokenRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FollowTokenRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new FollowTokenRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FollowTokenRequest instance
             */
            static create(properties: palimpsest.v1.FollowTokenRequest.$Shape): palimpsest.v1.FollowTokenRequest & palimpsest.v1.FollowTokenRequest.$Shape;
            static create(properties?: palimpsest.v1.FollowTokenRequest.$Properties): palimpsest.v1.FollowTokenRequest;

            /**
             * Encodes the specified FollowTokenRequest message. Does not implicitly {@link palimpsest.v1.FollowTokenRequest.verify|verify} messages.
             * @param message FollowTokenRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FollowTokenRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FollowTokenRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FollowTokenRequest & palimpsest.v1.FollowTokenRequest.$Shape} FollowTokenRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FollowTokenRequest & palimpsest.v1.FollowTokenRequest.$Shape;
        }

        namespace FollowTokenRequest {

            /** Properties of a FollowTokenRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FollowTokenRequest. */
            type $Shape = palimpsest.v1.FollowTokenRequest.$Properties;
        }

        /**
         * Properties of a TokenState.
         * @deprecated Use palimpsest.v1.TokenState.$Properties instead.
         */
        interface ITokenState extends palimpsest.v1.TokenState.$Properties {
        }

        /** Represents a TokenState. */
        class TokenState {

            /**
             * Constructs a new TokenState.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TokenState.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TokenState token. */
            token: string;

            /** TokenState before. */
            before: palimpsest.v1.ReplacedToken.$Properties[];

            /**
             * Creates a new TokenState instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TokenState instance
             */
            static create(properties: palimpsest.v1.TokenState.$Shape): palimpsest.v1.TokenState & palimpsest.v1.TokenState.$Shape;
            static create(properties?: palimpsest.v1.TokenState.$Properties): palimpsest.v1.TokenState;

            /**
             * Encodes the specified TokenState message. Does not implicitly {@link palimpsest.v1.TokenState.verify|verify} messages.
             * @param message TokenState message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TokenState.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TokenState message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TokenState & palimpsest.v1.TokenState.$Shape} TokenState
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TokenState & palimpsest.v1.TokenState.$Shape;
        }

        namespace TokenState {

            /** Properties of a TokenState. */
            interface $Properties {

                /** TokenState token */
                token?: (string|null);

                /** TokenState before */
                before?: (palimpsest.v1.ReplacedToken.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TokenState. */
            type $Shape = palimpsest.v1.TokenState.$Properties;
        }

        /**
         * Properties of a ReplacedToken.
         * @deprecated Use palimpsest.v1.ReplacedToken.$Properties instead.
         */
        interface IReplacedToken extends palimpsest.v1.ReplacedToken.$Properties {
        }

        /** Represents a ReplacedToken. */
        class ReplacedToken {

            /**
             * Constructs a new ReplacedToken.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReplacedToken.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReplacedToken token. */
            token: string;

            /** ReplacedToken graceMs. */
            graceMs: number;

            /**
             * Creates a new ReplacedToken instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReplacedToken instance
             */
            static create(properties: palimpsest.v1.ReplacedToken.$Shape): palimpsest.v1.ReplacedToken & palimpsest.v1.ReplacedToken.$Shape;
            static create(properties?: palimpsest.v1.ReplacedToken.$Properties): palimpsest.v1.ReplacedToken;

            /**
             * Encodes the specified ReplacedToken message. Does not implicitly {@link palimpsest.v1.ReplacedToken.verify|verify} messages.
             * @param message ReplacedToken message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReplacedToken.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReplacedToken message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReplacedToken & palimpsest.v1.ReplacedToken.$Shape} ReplacedToken
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReplacedToken & palimpsest.v1.ReplacedToken.$Shape;
        }

        namespace ReplacedToken {

            /** Properties of a ReplacedToken. */
            interface $Properties {

                /** ReplacedToken token */
                token?: (string|null);

                /** ReplacedToken graceMs */
                graceMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReplacedToken. */
            type $Shape = palimpsest.v1.ReplacedToken.$Properties;
        }

        /**
         * Properties of a SessionOpened.
         * @deprecated Use palimpsest.v1.SessionOpened.$Properties instead.
         */
        interface ISessionOpened extends palimpsest.v1.SessionOpened.$Properties {
        }

        /** Represents a SessionOpened. */
        class SessionOpened {

            /**
             * Constructs a new SessionOpened.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SessionOpened.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SessionOpened clusterId. */
            clusterId: string;

            /** SessionOpened ownerGraceMs. */
            ownerGraceMs: number;

            /** SessionOpened sessionLeaseMs. */
            sessionLeaseMs: number;

            /** SessionOpened headAddresses. */
            headAddresses: string[];

            /**
             * Creates a new SessionOpened instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SessionOpened instance
             */
            static create(properties: palimpsest.v1.SessionOpened.$Shape): palimpsest.v1.SessionOpened & palimpsest.v1.SessionOpened.$Shape;
            static create(properties?: palimpsest.v1.SessionOpened.$Properties): palimpsest.v1.SessionOpened;

            /**
             * Encodes the specified SessionOpened message. Does not implicitly {@link palimpsest.v1.SessionOpened.verify|verify} messages.
             * @param message SessionOpened message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SessionOpened.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SessionOpened message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SessionOpened & palimpsest.v1.SessionOpened.$Shape} SessionOpened
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SessionOpened & palimpsest.v1.SessionOpened.$Shape;
        }

        namespace SessionOpened {

            /** Properties of a SessionOpened. */
            interface $Properties {

                /** SessionOpened clusterId */
                clusterId?: (string|null);

                /** SessionOpened ownerGraceMs */
                ownerGraceMs?: (number|null);

                /** SessionOpened sessionLeaseMs */
                sessionLeaseMs?: (number|null);

                /** SessionOpened headAddresses */
                headAddresses?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SessionOpened. */
            type $Shape = palimpsest.v1.SessionOpened.$Properties;
        }

        /** ActorState enum. */
        enum ActorState {

            /** ACTOR_STATE_UNSPECIFIED value */
            ACTOR_STATE_UNSPECIFIED = 0,

            /** ACTOR_STATE_PENDING value */
            ACTOR_STATE_PENDING = 1,

            /** ACTOR_STATE_STARTING value */
            ACTOR_STATE_STARTING = 2,

            /** ACTOR_STATE_ALIVE value */
            ACTOR_STATE_ALIVE = 3,

            /** ACTOR_STATE_RESTARTING value */
            ACTOR_STATE_RESTARTING = 4,

            /** ACTOR_STATE_DEAD value */
            ACTOR_STATE_DEAD = 5
        }

        /**
         * Properties of an ActorSpec.
         * @deprecated Use palimpsest.v1.ActorSpec.$Properties instead.
         */
        interface IActorSpec extends palimpsest.v1.ActorSpec.$Properties {
        }

        /** Represents an ActorSpec. */
        class ActorSpec {

            /**
             * Constructs a new ActorSpec.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorSpec.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorSpec actorId. */
            actorId: string;

            /** ActorSpec name. */
            name: string;

            /** ActorSpec code. */
            code?: (palimpsest.v1.CodeRef.$Properties|null);

            /** ActorSpec args. */
            args: Uint8Array;

            /** ActorSpec resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** ActorSpec labels. */
            labels: { [k: string]: string };

            /** ActorSpec maxRestarts. */
            maxRestarts: number;

            /** ActorSpec maxConcurrency. */
            maxConcurrency: number;

            /** ActorSpec maxPendingCalls. */
            maxPendingCalls: number;

            /** ActorSpec detached. */
            detached: boolean;

            /** ActorSpec ownerId. */
            ownerId: string;

            /** ActorSpec jobId. */
            jobId: string;

            /** ActorSpec environment. */
            environment: { [k: string]: string };

            /** ActorSpec role. */
            role: string;

            /** ActorSpec maxTaskRetries. */
            maxTaskRetries: number;

            /** ActorSpec maxPendingBytes. */
            maxPendingBytes: number;

            /** ActorSpec ownerIncarnation. */
            ownerIncarnation: number;

            /** ActorSpec argsObject. */
            argsObject?: (palimpsest.v1.ArgsObject.$Properties|null);

            /** ActorSpec fence. */
            fence: palimpsest.v1.Fence;

            /** ActorSpec labelConditions. */
            labelConditions: palimpsest.v1.LabelCondition.$Properties[];

            /** ActorSpec strategy. */
            strategy?: (palimpsest.v1.Strategy.$Properties|null);

            /** ActorSpec concurrencyGroups. */
            concurrencyGroups: { [k: string]: number };

            /** ActorSpec methodGroups. */
            methodGroups: { [k: string]: string };

            /** ActorSpec placement. */
            placement?: (palimpsest.v1.GroupPlacement.$Properties|null);

            /** ActorSpec taskWorker. */
            taskWorker: boolean;

            /** ActorSpec namespace. */
            namespace: string;

            /** ActorSpec sharedProcess. */
            sharedProcess: boolean;

            /** ActorSpec durable. */
            durable: boolean;

            /** ActorSpec workingDir. */
            workingDir: string;

            /** ActorSpec packages. */
            packages?: (palimpsest.v1.Packages.$Properties|null);

            /**
             * Creates a new ActorSpec instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorSpec instance
             */
            static create(properties: palimpsest.v1.ActorSpec.$Shape): palimpsest.v1.ActorSpec & palimpsest.v1.ActorSpec.$Shape;
            static create(properties?: palimpsest.v1.ActorSpec.$Properties): palimpsest.v1.ActorSpec;

            /**
             * Encodes the specified ActorSpec message. Does not implicitly {@link palimpsest.v1.ActorSpec.verify|verify} messages.
             * @param message ActorSpec message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorSpec.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorSpec message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorSpec & palimpsest.v1.ActorSpec.$Shape} ActorSpec
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorSpec & palimpsest.v1.ActorSpec.$Shape;
        }

        namespace ActorSpec {

            /** Properties of an ActorSpec. */
            interface $Properties {

                /** ActorSpec actorId */
                actorId?: (string|null);

                /** ActorSpec name */
                name?: (string|null);

                /** ActorSpec code */
                code?: (palimpsest.v1.CodeRef.$Properties|null);

                /** ActorSpec args */
                args?: (Uint8Array|null);

                /** ActorSpec resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** ActorSpec labels */
                labels?: ({ [k: string]: string }|null);

                /** ActorSpec maxRestarts */
                maxRestarts?: (number|null);

                /** ActorSpec maxConcurrency */
                maxConcurrency?: (number|null);

                /** ActorSpec maxPendingCalls */
                maxPendingCalls?: (number|null);

                /** ActorSpec detached */
                detached?: (boolean|null);

                /** ActorSpec ownerId */
                ownerId?: (string|null);

                /** ActorSpec jobId */
                jobId?: (string|null);

                /** ActorSpec environment */
                environment?: ({ [k: string]: string }|null);

                /** ActorSpec role */
                role?: (string|null);

                /** ActorSpec maxTaskRetries */
                maxTaskRetries?: (number|null);

                /** ActorSpec maxPendingBytes */
                maxPendingBytes?: (number|null);

                /** ActorSpec ownerIncarnation */
                ownerIncarnation?: (number|null);

                /** ActorSpec argsObject */
                argsObject?: (palimpsest.v1.ArgsObject.$Properties|null);

                /** ActorSpec fence */
                fence?: (palimpsest.v1.Fence|null);

                /** ActorSpec labelConditions */
                labelConditions?: (palimpsest.v1.LabelCondition.$Properties[]|null);

                /** ActorSpec strategy */
                strategy?: (palimpsest.v1.Strategy.$Properties|null);

                /** ActorSpec concurrencyGroups */
                concurrencyGroups?: ({ [k: string]: number }|null);

                /** ActorSpec methodGroups */
                methodGroups?: ({ [k: string]: string }|null);

                /** ActorSpec placement */
                placement?: (palimpsest.v1.GroupPlacement.$Properties|null);

                /** ActorSpec taskWorker */
                taskWorker?: (boolean|null);

                /** ActorSpec namespace */
                namespace?: (string|null);

                /** ActorSpec sharedProcess */
                sharedProcess?: (boolean|null);

                /** ActorSpec durable */
                durable?: (boolean|null);

                /** ActorSpec workingDir */
                workingDir?: (string|null);

                /** ActorSpec packages */
                packages?: (palimpsest.v1.Packages.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorSpec. */
            type $Shape = {
              actorId?: string|null;
              name?: string|null;
              code?: palimpsest.v1.CodeRef.$Shape|null;
              args?: Uint8Array|null;
              resources?: palimpsest.v1.Resources.$Shape|null;
              labels?: { [k: string]: string }|null;
              maxRestarts?: number|null;
              maxConcurrency?: number|null;
              maxPendingCalls?: number|null;
              detached?: boolean|null;
              ownerId?: string|null;
              jobId?: string|null;
              environment?: { [k: string]: string }|null;
              role?: string|null;
              maxTaskRetries?: number|null;
              maxPendingBytes?: number|null;
              ownerIncarnation?: number|null;
              argsObject?: palimpsest.v1.ArgsObject.$Shape|null;
              fence?: palimpsest.v1.Fence|null;
              labelConditions?: palimpsest.v1.LabelCondition.$Shape[]|null;
              strategy?: palimpsest.v1.Strategy.$Shape|null;
              concurrencyGroups?: { [k: string]: number }|null;
              methodGroups?: { [k: string]: string }|null;
              placement?: palimpsest.v1.GroupPlacement.$Shape|null;
              taskWorker?: boolean|null;
              namespace?: string|null;
              sharedProcess?: boolean|null;
              durable?: boolean|null;
              workingDir?: string|null;
              packages?: palimpsest.v1.Packages.$Shape|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of an OpenDurableRequest.
         * @deprecated Use palimpsest.v1.OpenDurableRequest.$Properties instead.
         */
        interface IOpenDurableRequest extends palimpsest.v1.OpenDurableRequest.$Properties {
        }

        /** Represents an OpenDurableRequest. */
        class OpenDurableRequest {

            /**
             * Constructs a new OpenDurableRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.OpenDurableRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** OpenDurableRequest actorId. */
            actorId: string;

            /** OpenDurableRequest incarnation. */
            incarnation: number;

            /**
             * Creates a new OpenDurableRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns OpenDurableRequest instance
             */
            static create(properties: palimpsest.v1.OpenDurableRequest.$Shape): palimpsest.v1.OpenDurableRequest & palimpsest.v1.OpenDurableRequest.$Shape;
            static create(properties?: palimpsest.v1.OpenDurableRequest.$Properties): palimpsest.v1.OpenDurableRequest;

            /**
             * Encodes the specified OpenDurableRequest message. Does not implicitly {@link palimpsest.v1.OpenDurableRequest.verify|verify} messages.
             * @param message OpenDurableRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.OpenDurableRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an OpenDurableRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.OpenDurableRequest & palimpsest.v1.OpenDurableRequest.$Shape} OpenDurableRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.OpenDurableRequest & palimpsest.v1.OpenDurableRequest.$Shape;
        }

        namespace OpenDurableRequest {

            /** Properties of an OpenDurableRequest. */
            interface $Properties {

                /** OpenDurableRequest actorId */
                actorId?: (string|null);

                /** OpenDurableRequest incarnation */
                incarnation?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an OpenDurableRequest. */
            type $Shape = palimpsest.v1.OpenDurableRequest.$Properties;
        }

        /**
         * Properties of an OpenDurableResponse.
         * @deprecated Use palimpsest.v1.OpenDurableResponse.$Properties instead.
         */
        interface IOpenDurableResponse extends palimpsest.v1.OpenDurableResponse.$Properties {
        }

        /** Represents an OpenDurableResponse. */
        class OpenDurableResponse {

            /**
             * Constructs a new OpenDurableResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.OpenDurableResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** OpenDurableResponse epoch. */
            epoch: number;

            /** OpenDurableResponse version. */
            version: number;

            /** OpenDurableResponse fields. */
            fields: palimpsest.v1.DurableField.$Properties[];

            /**
             * Creates a new OpenDurableResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns OpenDurableResponse instance
             */
            static create(properties: palimpsest.v1.OpenDurableResponse.$Shape): palimpsest.v1.OpenDurableResponse & palimpsest.v1.OpenDurableResponse.$Shape;
            static create(properties?: palimpsest.v1.OpenDurableResponse.$Properties): palimpsest.v1.OpenDurableResponse;

            /**
             * Encodes the specified OpenDurableResponse message. Does not implicitly {@link palimpsest.v1.OpenDurableResponse.verify|verify} messages.
             * @param message OpenDurableResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.OpenDurableResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an OpenDurableResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.OpenDurableResponse & palimpsest.v1.OpenDurableResponse.$Shape} OpenDurableResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.OpenDurableResponse & palimpsest.v1.OpenDurableResponse.$Shape;
        }

        namespace OpenDurableResponse {

            /** Properties of an OpenDurableResponse. */
            interface $Properties {

                /** OpenDurableResponse epoch */
                epoch?: (number|null);

                /** OpenDurableResponse version */
                version?: (number|null);

                /** OpenDurableResponse fields */
                fields?: (palimpsest.v1.DurableField.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an OpenDurableResponse. */
            type $Shape = palimpsest.v1.OpenDurableResponse.$Properties;
        }

        /**
         * Properties of a DurableField.
         * @deprecated Use palimpsest.v1.DurableField.$Properties instead.
         */
        interface IDurableField extends palimpsest.v1.DurableField.$Properties {
        }

        /** Represents a DurableField. */
        class DurableField {

            /**
             * Constructs a new DurableField.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DurableField.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DurableField name. */
            name: string;

            /** DurableField value. */
            value: Uint8Array;

            /**
             * Creates a new DurableField instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DurableField instance
             */
            static create(properties: palimpsest.v1.DurableField.$Shape): palimpsest.v1.DurableField & palimpsest.v1.DurableField.$Shape;
            static create(properties?: palimpsest.v1.DurableField.$Properties): palimpsest.v1.DurableField;

            /**
             * Encodes the specified DurableField message. Does not implicitly {@link palimpsest.v1.DurableField.verify|verify} messages.
             * @param message DurableField message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DurableField.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DurableField message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DurableField & palimpsest.v1.DurableField.$Shape} DurableField
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DurableField & palimpsest.v1.DurableField.$Shape;
        }

        namespace DurableField {

            /** Properties of a DurableField. */
            interface $Properties {

                /** DurableField name */
                name?: (string|null);

                /** DurableField value */
                value?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DurableField. */
            type $Shape = palimpsest.v1.DurableField.$Properties;
        }

        /**
         * Properties of a CommitDurableRequest.
         * @deprecated Use palimpsest.v1.CommitDurableRequest.$Properties instead.
         */
        interface ICommitDurableRequest extends palimpsest.v1.CommitDurableRequest.$Properties {
        }

        /** Represents a CommitDurableRequest. */
        class CommitDurableRequest {

            /**
             * Constructs a new CommitDurableRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CommitDurableRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CommitDurableRequest actorId. */
            actorId: string;

            /** CommitDurableRequest epoch. */
            epoch: number;

            /** CommitDurableRequest version. */
            version: number;

            /** CommitDurableRequest set. */
            set: palimpsest.v1.DurableField.$Properties[];

            /** CommitDurableRequest remove. */
            remove: string[];

            /**
             * Creates a new CommitDurableRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CommitDurableRequest instance
             */
            static create(properties: palimpsest.v1.CommitDurableRequest.$Shape): palimpsest.v1.CommitDurableRequest & palimpsest.v1.CommitDurableRequest.$Shape;
            static create(properties?: palimpsest.v1.CommitDurableRequest.$Properties): palimpsest.v1.CommitDurableRequest;

            /**
             * Encodes the specified CommitDurableRequest message. Does not implicitly {@link palimpsest.v1.CommitDurableRequest.verify|verify} messages.
             * @param message CommitDurableRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CommitDurableRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CommitDurableRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CommitDurableRequest & palimpsest.v1.CommitDurableRequest.$Shape} CommitDurableRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CommitDurableRequest & palimpsest.v1.CommitDurableRequest.$Shape;
        }

        namespace CommitDurableRequest {

            /** Properties of a CommitDurableRequest. */
            interface $Properties {

                /** CommitDurableRequest actorId */
                actorId?: (string|null);

                /** CommitDurableRequest epoch */
                epoch?: (number|null);

                /** CommitDurableRequest version */
                version?: (number|null);

                /** CommitDurableRequest set */
                set?: (palimpsest.v1.DurableField.$Properties[]|null);

                /** CommitDurableRequest remove */
                remove?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CommitDurableRequest. */
            type $Shape = palimpsest.v1.CommitDurableRequest.$Properties;
        }

        /**
         * Properties of a CommitDurableResponse.
         * @deprecated Use palimpsest.v1.CommitDurableResponse.$Properties instead.
         */
        interface ICommitDurableResponse extends palimpsest.v1.CommitDurableResponse.$Properties {
        }

        /** Represents a CommitDurableResponse. */
        class CommitDurableResponse {

            /**
             * Constructs a new CommitDurableResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CommitDurableResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new CommitDurableResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CommitDurableResponse instance
             */
            static create(properties: palimpsest.v1.CommitDurableResponse.$Shape): palimpsest.v1.CommitDurableResponse & palimpsest.v1.CommitDurableResponse.$Shape;
            static create(properties?: palimpsest.v1.CommitDurableResponse.$Properties): palimpsest.v1.CommitDurableResponse;

            /**
             * Encodes the specified CommitDurableResponse message. Does not implicitly {@link palimpsest.v1.CommitDurableResponse.verify|verify} messages.
             * @param message CommitDurableResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CommitDurableResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CommitDurableResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CommitDurableResponse & palimpsest.v1.CommitDurableResponse.$Shape} CommitDurableResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CommitDurableResponse & palimpsest.v1.CommitDurableResponse.$Shape;
        }

        namespace CommitDurableResponse {

            /** Properties of a CommitDurableResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CommitDurableResponse. */
            type $Shape = palimpsest.v1.CommitDurableResponse.$Properties;
        }

        /**
         * Properties of a RemoveDurableRequest.
         * @deprecated Use palimpsest.v1.RemoveDurableRequest.$Properties instead.
         */
        interface IRemoveDurableRequest extends palimpsest.v1.RemoveDurableRequest.$Properties {
        }

        /** Represents a RemoveDurableRequest. */
        class RemoveDurableRequest {

            /**
             * Constructs a new RemoveDurableRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RemoveDurableRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RemoveDurableRequest name. */
            name: string;

            /** RemoveDurableRequest namespace. */
            namespace: string;

            /**
             * Creates a new RemoveDurableRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RemoveDurableRequest instance
             */
            static create(properties: palimpsest.v1.RemoveDurableRequest.$Shape): palimpsest.v1.RemoveDurableRequest & palimpsest.v1.RemoveDurableRequest.$Shape;
            static create(properties?: palimpsest.v1.RemoveDurableRequest.$Properties): palimpsest.v1.RemoveDurableRequest;

            /**
             * Encodes the specified RemoveDurableRequest message. Does not implicitly {@link palimpsest.v1.RemoveDurableRequest.verify|verify} messages.
             * @param message RemoveDurableRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RemoveDurableRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RemoveDurableRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RemoveDurableRequest & palimpsest.v1.RemoveDurableRequest.$Shape} RemoveDurableRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RemoveDurableRequest & palimpsest.v1.RemoveDurableRequest.$Shape;
        }

        namespace RemoveDurableRequest {

            /** Properties of a RemoveDurableRequest. */
            interface $Properties {

                /** RemoveDurableRequest name */
                name?: (string|null);

                /** RemoveDurableRequest namespace */
                namespace?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RemoveDurableRequest. */
            type $Shape = palimpsest.v1.RemoveDurableRequest.$Properties;
        }

        /**
         * Properties of a RemoveDurableResponse.
         * @deprecated Use palimpsest.v1.RemoveDurableResponse.$Properties instead.
         */
        interface IRemoveDurableResponse extends palimpsest.v1.RemoveDurableResponse.$Properties {
        }

        /** Represents a RemoveDurableResponse. */
        class RemoveDurableResponse {

            /**
             * Constructs a new RemoveDurableResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RemoveDurableResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RemoveDurableResponse removed. */
            removed: boolean;

            /**
             * Creates a new RemoveDurableResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RemoveDurableResponse instance
             */
            static create(properties: palimpsest.v1.RemoveDurableResponse.$Shape): palimpsest.v1.RemoveDurableResponse & palimpsest.v1.RemoveDurableResponse.$Shape;
            static create(properties?: palimpsest.v1.RemoveDurableResponse.$Properties): palimpsest.v1.RemoveDurableResponse;

            /**
             * Encodes the specified RemoveDurableResponse message. Does not implicitly {@link palimpsest.v1.RemoveDurableResponse.verify|verify} messages.
             * @param message RemoveDurableResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RemoveDurableResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RemoveDurableResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RemoveDurableResponse & palimpsest.v1.RemoveDurableResponse.$Shape} RemoveDurableResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RemoveDurableResponse & palimpsest.v1.RemoveDurableResponse.$Shape;
        }

        namespace RemoveDurableResponse {

            /** Properties of a RemoveDurableResponse. */
            interface $Properties {

                /** RemoveDurableResponse removed */
                removed?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RemoveDurableResponse. */
            type $Shape = palimpsest.v1.RemoveDurableResponse.$Properties;
        }

        /**
         * Properties of a GroupPlacement.
         * @deprecated Use palimpsest.v1.GroupPlacement.$Properties instead.
         */
        interface IGroupPlacement extends palimpsest.v1.GroupPlacement.$Properties {
        }

        /** Represents a GroupPlacement. */
        class GroupPlacement {

            /**
             * Constructs a new GroupPlacement.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GroupPlacement.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GroupPlacement groupId. */
            groupId: string;

            /** GroupPlacement bundle. */
            bundle?: (number|null);

            /** GroupPlacement captureChildren. */
            captureChildren: boolean;

            /**
             * Creates a new GroupPlacement instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GroupPlacement instance
             */
            static create(properties: palimpsest.v1.GroupPlacement.$Shape): palimpsest.v1.GroupPlacement & palimpsest.v1.GroupPlacement.$Shape;
            static create(properties?: palimpsest.v1.GroupPlacement.$Properties): palimpsest.v1.GroupPlacement;

            /**
             * Encodes the specified GroupPlacement message. Does not implicitly {@link palimpsest.v1.GroupPlacement.verify|verify} messages.
             * @param message GroupPlacement message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GroupPlacement.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GroupPlacement message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GroupPlacement & palimpsest.v1.GroupPlacement.$Shape} GroupPlacement
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GroupPlacement & palimpsest.v1.GroupPlacement.$Shape;
        }

        namespace GroupPlacement {

            /** Properties of a GroupPlacement. */
            interface $Properties {

                /** GroupPlacement groupId */
                groupId?: (string|null);

                /** GroupPlacement bundle */
                bundle?: (number|null);

                /** GroupPlacement captureChildren */
                captureChildren?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GroupPlacement. */
            type $Shape = palimpsest.v1.GroupPlacement.$Properties;
        }

        /** LabelOperator enum. */
        enum LabelOperator {

            /** LABEL_OPERATOR_UNSPECIFIED value */
            LABEL_OPERATOR_UNSPECIFIED = 0,

            /** LABEL_OPERATOR_IN value */
            LABEL_OPERATOR_IN = 1,

            /** LABEL_OPERATOR_NOT_IN value */
            LABEL_OPERATOR_NOT_IN = 2,

            /** LABEL_OPERATOR_EXISTS value */
            LABEL_OPERATOR_EXISTS = 3,

            /** LABEL_OPERATOR_NOT_EXISTS value */
            LABEL_OPERATOR_NOT_EXISTS = 4
        }

        /**
         * Properties of a LabelCondition.
         * @deprecated Use palimpsest.v1.LabelCondition.$Properties instead.
         */
        interface ILabelCondition extends palimpsest.v1.LabelCondition.$Properties {
        }

        /** Represents a LabelCondition. */
        class LabelCondition {

            /**
             * Constructs a new LabelCondition.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LabelCondition.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LabelCondition name. */
            name: string;

            /** LabelCondition operator. */
            operator: palimpsest.v1.LabelOperator;

            /** LabelCondition values. */
            values: string[];

            /**
             * Creates a new LabelCondition instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LabelCondition instance
             */
            static create(properties: palimpsest.v1.LabelCondition.$Shape): palimpsest.v1.LabelCondition & palimpsest.v1.LabelCondition.$Shape;
            static create(properties?: palimpsest.v1.LabelCondition.$Properties): palimpsest.v1.LabelCondition;

            /**
             * Encodes the specified LabelCondition message. Does not implicitly {@link palimpsest.v1.LabelCondition.verify|verify} messages.
             * @param message LabelCondition message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LabelCondition.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LabelCondition message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LabelCondition & palimpsest.v1.LabelCondition.$Shape} LabelCondition
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LabelCondition & palimpsest.v1.LabelCondition.$Shape;
        }

        namespace LabelCondition {

            /** Properties of a LabelCondition. */
            interface $Properties {

                /** LabelCondition name */
                name?: (string|null);

                /** LabelCondition operator */
                operator?: (palimpsest.v1.LabelOperator|null);

                /** LabelCondition values */
                values?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LabelCondition. */
            type $Shape = palimpsest.v1.LabelCondition.$Properties;
        }

        /** StrategyKind enum. */
        enum StrategyKind {

            /** STRATEGY_KIND_UNSPECIFIED value */
            STRATEGY_KIND_UNSPECIFIED = 0,

            /** STRATEGY_KIND_PACK value */
            STRATEGY_KIND_PACK = 1,

            /** STRATEGY_KIND_SPREAD value */
            STRATEGY_KIND_SPREAD = 2,

            /** STRATEGY_KIND_NODE value */
            STRATEGY_KIND_NODE = 3
        }

        /**
         * Properties of a Strategy.
         * @deprecated Use palimpsest.v1.Strategy.$Properties instead.
         */
        interface IStrategy extends palimpsest.v1.Strategy.$Properties {
        }

        /** Represents a Strategy. */
        class Strategy {

            /**
             * Constructs a new Strategy.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Strategy.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Strategy kind. */
            kind: palimpsest.v1.StrategyKind;

            /** Strategy nodeId. */
            nodeId: string;

            /** Strategy soft. */
            soft: boolean;

            /**
             * Creates a new Strategy instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Strategy instance
             */
            static create(properties: palimpsest.v1.Strategy.$Shape): palimpsest.v1.Strategy & palimpsest.v1.Strategy.$Shape;
            static create(properties?: palimpsest.v1.Strategy.$Properties): palimpsest.v1.Strategy;

            /**
             * Encodes the specified Strategy message. Does not implicitly {@link palimpsest.v1.Strategy.verify|verify} messages.
             * @param message Strategy message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Strategy.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Strategy message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Strategy & palimpsest.v1.Strategy.$Shape} Strategy
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Strategy & palimpsest.v1.Strategy.$Shape;
        }

        namespace Strategy {

            /** Properties of a Strategy. */
            interface $Properties {

                /** Strategy kind */
                kind?: (palimpsest.v1.StrategyKind|null);

                /** Strategy nodeId */
                nodeId?: (string|null);

                /** Strategy soft */
                soft?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Strategy. */
            type $Shape = palimpsest.v1.Strategy.$Properties;
        }

        /** Fence enum. */
        enum Fence {

            /** FENCE_UNSPECIFIED value */
            FENCE_UNSPECIFIED = 0,

            /** FENCE_LEASE value */
            FENCE_LEASE = 1,

            /** FENCE_NONE value */
            FENCE_NONE = 2
        }

        /**
         * Properties of an ArgsObject.
         * @deprecated Use palimpsest.v1.ArgsObject.$Properties instead.
         */
        interface IArgsObject extends palimpsest.v1.ArgsObject.$Properties {
        }

        /** Represents an ArgsObject. */
        class ArgsObject {

            /**
             * Constructs a new ArgsObject.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ArgsObject.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ArgsObject objectId. */
            objectId: string;

            /** ArgsObject sizeBytes. */
            sizeBytes: number;

            /**
             * Creates a new ArgsObject instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ArgsObject instance
             */
            static create(properties: palimpsest.v1.ArgsObject.$Shape): palimpsest.v1.ArgsObject & palimpsest.v1.ArgsObject.$Shape;
            static create(properties?: palimpsest.v1.ArgsObject.$Properties): palimpsest.v1.ArgsObject;

            /**
             * Encodes the specified ArgsObject message. Does not implicitly {@link palimpsest.v1.ArgsObject.verify|verify} messages.
             * @param message ArgsObject message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ArgsObject.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ArgsObject message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ArgsObject & palimpsest.v1.ArgsObject.$Shape} ArgsObject
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ArgsObject & palimpsest.v1.ArgsObject.$Shape;
        }

        namespace ArgsObject {

            /** Properties of an ArgsObject. */
            interface $Properties {

                /** ArgsObject objectId */
                objectId?: (string|null);

                /** ArgsObject sizeBytes */
                sizeBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ArgsObject. */
            type $Shape = palimpsest.v1.ArgsObject.$Properties;
        }

        /**
         * Properties of a CreateActorRequest.
         * @deprecated Use palimpsest.v1.CreateActorRequest.$Properties instead.
         */
        interface ICreateActorRequest extends palimpsest.v1.CreateActorRequest.$Properties {
        }

        /** Represents a CreateActorRequest. */
        class CreateActorRequest {

            /**
             * Constructs a new CreateActorRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CreateActorRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CreateActorRequest spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** CreateActorRequest getIfExists. */
            getIfExists: boolean;

            /**
             * Creates a new CreateActorRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CreateActorRequest instance
             */
            static create(properties: palimpsest.v1.CreateActorRequest.$Shape): palimpsest.v1.CreateActorRequest & palimpsest.v1.CreateActorRequest.$Shape;
            static create(properties?: palimpsest.v1.CreateActorRequest.$Properties): palimpsest.v1.CreateActorRequest;

            /**
             * Encodes the specified CreateActorRequest message. Does not implicitly {@link palimpsest.v1.CreateActorRequest.verify|verify} messages.
             * @param message CreateActorRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CreateActorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CreateActorRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CreateActorRequest & palimpsest.v1.CreateActorRequest.$Shape} CreateActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CreateActorRequest & palimpsest.v1.CreateActorRequest.$Shape;
        }

        namespace CreateActorRequest {

            /** Properties of a CreateActorRequest. */
            interface $Properties {

                /** CreateActorRequest spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** CreateActorRequest getIfExists */
                getIfExists?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CreateActorRequest. */
            type $Shape = {
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              getIfExists?: boolean|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of an ActorInfo.
         * @deprecated Use palimpsest.v1.ActorInfo.$Properties instead.
         */
        interface IActorInfo extends palimpsest.v1.ActorInfo.$Properties {
        }

        /** Represents an ActorInfo. */
        class ActorInfo {

            /**
             * Constructs a new ActorInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorInfo spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** ActorInfo state. */
            state: palimpsest.v1.ActorState;

            /** ActorInfo nodeId. */
            nodeId: string;

            /** ActorInfo address. */
            address: string;

            /** ActorInfo pid. */
            pid: number;

            /** ActorInfo incarnation. */
            incarnation: number;

            /** ActorInfo certificate. */
            certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

            /** ActorInfo pendingReason. */
            pendingReason: string;

            /** ActorInfo createdAtMs. */
            createdAtMs: number;

            /** ActorInfo metricsAddress. */
            metricsAddress: string;

            /** ActorInfo restarts. */
            restarts: number;

            /** ActorInfo constructorError. */
            constructorError?: (palimpsest.v1.Error.$Properties|null);

            /** ActorInfo startFailures. */
            startFailures: number;

            /** ActorInfo startFailingMs. */
            startFailingMs: number;

            /** ActorInfo lostStartNodeIds. */
            lostStartNodeIds: string[];

            /** ActorInfo gpuIds. */
            gpuIds: number[];

            /** ActorInfo bundle. */
            bundle?: (number|null);

            /**
             * Creates a new ActorInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorInfo instance
             */
            static create(properties: palimpsest.v1.ActorInfo.$Shape): palimpsest.v1.ActorInfo & palimpsest.v1.ActorInfo.$Shape;
            static create(properties?: palimpsest.v1.ActorInfo.$Properties): palimpsest.v1.ActorInfo;

            /**
             * Encodes the specified ActorInfo message. Does not implicitly {@link palimpsest.v1.ActorInfo.verify|verify} messages.
             * @param message ActorInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorInfo & palimpsest.v1.ActorInfo.$Shape} ActorInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorInfo & palimpsest.v1.ActorInfo.$Shape;
        }

        namespace ActorInfo {

            /** Properties of an ActorInfo. */
            interface $Properties {

                /** ActorInfo spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** ActorInfo state */
                state?: (palimpsest.v1.ActorState|null);

                /** ActorInfo nodeId */
                nodeId?: (string|null);

                /** ActorInfo address */
                address?: (string|null);

                /** ActorInfo pid */
                pid?: (number|null);

                /** ActorInfo incarnation */
                incarnation?: (number|null);

                /** ActorInfo certificate */
                certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

                /** ActorInfo pendingReason */
                pendingReason?: (string|null);

                /** ActorInfo createdAtMs */
                createdAtMs?: (number|null);

                /** ActorInfo metricsAddress */
                metricsAddress?: (string|null);

                /** ActorInfo restarts */
                restarts?: (number|null);

                /** ActorInfo constructorError */
                constructorError?: (palimpsest.v1.Error.$Properties|null);

                /** ActorInfo startFailures */
                startFailures?: (number|null);

                /** ActorInfo startFailingMs */
                startFailingMs?: (number|null);

                /** ActorInfo lostStartNodeIds */
                lostStartNodeIds?: (string[]|null);

                /** ActorInfo gpuIds */
                gpuIds?: (number[]|null);

                /** ActorInfo bundle */
                bundle?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorInfo. */
            type $Shape = {
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              state?: palimpsest.v1.ActorState|null;
              nodeId?: string|null;
              address?: string|null;
              pid?: number|null;
              incarnation?: number|null;
              certificate?: palimpsest.v1.DeathCertificate.$Shape|null;
              pendingReason?: string|null;
              createdAtMs?: number|null;
              metricsAddress?: string|null;
              restarts?: number|null;
              constructorError?: palimpsest.v1.Error.$Shape|null;
              startFailures?: number|null;
              startFailingMs?: number|null;
              lostStartNodeIds?: string[]|null;
              gpuIds?: number[]|null;
              bundle?: number|null;
              $unknowns?: Uint8Array[];
            };
        }

        /** GroupStrategy enum. */
        enum GroupStrategy {

            /** GROUP_STRATEGY_UNSPECIFIED value */
            GROUP_STRATEGY_UNSPECIFIED = 0,

            /** GROUP_STRATEGY_PACK value */
            GROUP_STRATEGY_PACK = 1,

            /** GROUP_STRATEGY_SPREAD value */
            GROUP_STRATEGY_SPREAD = 2,

            /** GROUP_STRATEGY_STRICT_PACK value */
            GROUP_STRATEGY_STRICT_PACK = 3,

            /** GROUP_STRATEGY_STRICT_SPREAD value */
            GROUP_STRATEGY_STRICT_SPREAD = 4
        }

        /** PlacementGroupState enum. */
        enum PlacementGroupState {

            /** PLACEMENT_GROUP_STATE_UNSPECIFIED value */
            PLACEMENT_GROUP_STATE_UNSPECIFIED = 0,

            /** PLACEMENT_GROUP_STATE_PENDING value */
            PLACEMENT_GROUP_STATE_PENDING = 1,

            /** PLACEMENT_GROUP_STATE_CREATED value */
            PLACEMENT_GROUP_STATE_CREATED = 2,

            /** PLACEMENT_GROUP_STATE_RESCHEDULING value */
            PLACEMENT_GROUP_STATE_RESCHEDULING = 3,

            /** PLACEMENT_GROUP_STATE_REMOVED value */
            PLACEMENT_GROUP_STATE_REMOVED = 4
        }

        /**
         * Properties of a PlacementGroupSpec.
         * @deprecated Use palimpsest.v1.PlacementGroupSpec.$Properties instead.
         */
        interface IPlacementGroupSpec extends palimpsest.v1.PlacementGroupSpec.$Properties {
        }

        /** Represents a PlacementGroupSpec. */
        class PlacementGroupSpec {

            /**
             * Constructs a new PlacementGroupSpec.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.PlacementGroupSpec.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlacementGroupSpec groupId. */
            groupId: string;

            /** PlacementGroupSpec name. */
            name: string;

            /** PlacementGroupSpec bundles. */
            bundles: palimpsest.v1.Resources.$Properties[];

            /** PlacementGroupSpec strategy. */
            strategy: palimpsest.v1.GroupStrategy;

            /** PlacementGroupSpec detached. */
            detached: boolean;

            /** PlacementGroupSpec ownerId. */
            ownerId: string;

            /** PlacementGroupSpec ownerIncarnation. */
            ownerIncarnation: number;

            /** PlacementGroupSpec jobId. */
            jobId: string;

            /** PlacementGroupSpec labels. */
            labels: { [k: string]: string };

            /** PlacementGroupSpec labelConditions. */
            labelConditions: palimpsest.v1.LabelCondition.$Properties[];

            /**
             * Creates a new PlacementGroupSpec instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlacementGroupSpec instance
             */
            static create(properties: palimpsest.v1.PlacementGroupSpec.$Shape): palimpsest.v1.PlacementGroupSpec & palimpsest.v1.PlacementGroupSpec.$Shape;
            static create(properties?: palimpsest.v1.PlacementGroupSpec.$Properties): palimpsest.v1.PlacementGroupSpec;

            /**
             * Encodes the specified PlacementGroupSpec message. Does not implicitly {@link palimpsest.v1.PlacementGroupSpec.verify|verify} messages.
             * @param message PlacementGroupSpec message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.PlacementGroupSpec.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlacementGroupSpec message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.PlacementGroupSpec & palimpsest.v1.PlacementGroupSpec.$Shape} PlacementGroupSpec
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.PlacementGroupSpec & palimpsest.v1.PlacementGroupSpec.$Shape;
        }

        namespace PlacementGroupSpec {

            /** Properties of a PlacementGroupSpec. */
            interface $Properties {

                /** PlacementGroupSpec groupId */
                groupId?: (string|null);

                /** PlacementGroupSpec name */
                name?: (string|null);

                /** PlacementGroupSpec bundles */
                bundles?: (palimpsest.v1.Resources.$Properties[]|null);

                /** PlacementGroupSpec strategy */
                strategy?: (palimpsest.v1.GroupStrategy|null);

                /** PlacementGroupSpec detached */
                detached?: (boolean|null);

                /** PlacementGroupSpec ownerId */
                ownerId?: (string|null);

                /** PlacementGroupSpec ownerIncarnation */
                ownerIncarnation?: (number|null);

                /** PlacementGroupSpec jobId */
                jobId?: (string|null);

                /** PlacementGroupSpec labels */
                labels?: ({ [k: string]: string }|null);

                /** PlacementGroupSpec labelConditions */
                labelConditions?: (palimpsest.v1.LabelCondition.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlacementGroupSpec. */
            type $Shape = palimpsest.v1.PlacementGroupSpec.$Properties;
        }

        /**
         * Properties of a BundlePlace.
         * @deprecated Use palimpsest.v1.BundlePlace.$Properties instead.
         */
        interface IBundlePlace extends palimpsest.v1.BundlePlace.$Properties {
        }

        /** Represents a BundlePlace. */
        class BundlePlace {

            /**
             * Constructs a new BundlePlace.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.BundlePlace.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BundlePlace nodeId. */
            nodeId: string;

            /** BundlePlace gpuIds. */
            gpuIds: number[];

            /**
             * Creates a new BundlePlace instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BundlePlace instance
             */
            static create(properties: palimpsest.v1.BundlePlace.$Shape): palimpsest.v1.BundlePlace & palimpsest.v1.BundlePlace.$Shape;
            static create(properties?: palimpsest.v1.BundlePlace.$Properties): palimpsest.v1.BundlePlace;

            /**
             * Encodes the specified BundlePlace message. Does not implicitly {@link palimpsest.v1.BundlePlace.verify|verify} messages.
             * @param message BundlePlace message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.BundlePlace.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BundlePlace message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.BundlePlace & palimpsest.v1.BundlePlace.$Shape} BundlePlace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.BundlePlace & palimpsest.v1.BundlePlace.$Shape;
        }

        namespace BundlePlace {

            /** Properties of a BundlePlace. */
            interface $Properties {

                /** BundlePlace nodeId */
                nodeId?: (string|null);

                /** BundlePlace gpuIds */
                gpuIds?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BundlePlace. */
            type $Shape = palimpsest.v1.BundlePlace.$Properties;
        }

        /**
         * Properties of a PlacementGroupInfo.
         * @deprecated Use palimpsest.v1.PlacementGroupInfo.$Properties instead.
         */
        interface IPlacementGroupInfo extends palimpsest.v1.PlacementGroupInfo.$Properties {
        }

        /** Represents a PlacementGroupInfo. */
        class PlacementGroupInfo {

            /**
             * Constructs a new PlacementGroupInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.PlacementGroupInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** PlacementGroupInfo spec. */
            spec?: (palimpsest.v1.PlacementGroupSpec.$Properties|null);

            /** PlacementGroupInfo state. */
            state: palimpsest.v1.PlacementGroupState;

            /** PlacementGroupInfo places. */
            places: palimpsest.v1.BundlePlace.$Properties[];

            /** PlacementGroupInfo reason. */
            reason: string;

            /** PlacementGroupInfo createdAtMs. */
            createdAtMs: number;

            /**
             * Creates a new PlacementGroupInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns PlacementGroupInfo instance
             */
            static create(properties: palimpsest.v1.PlacementGroupInfo.$Shape): palimpsest.v1.PlacementGroupInfo & palimpsest.v1.PlacementGroupInfo.$Shape;
            static create(properties?: palimpsest.v1.PlacementGroupInfo.$Properties): palimpsest.v1.PlacementGroupInfo;

            /**
             * Encodes the specified PlacementGroupInfo message. Does not implicitly {@link palimpsest.v1.PlacementGroupInfo.verify|verify} messages.
             * @param message PlacementGroupInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.PlacementGroupInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a PlacementGroupInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.PlacementGroupInfo & palimpsest.v1.PlacementGroupInfo.$Shape} PlacementGroupInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.PlacementGroupInfo & palimpsest.v1.PlacementGroupInfo.$Shape;
        }

        namespace PlacementGroupInfo {

            /** Properties of a PlacementGroupInfo. */
            interface $Properties {

                /** PlacementGroupInfo spec */
                spec?: (palimpsest.v1.PlacementGroupSpec.$Properties|null);

                /** PlacementGroupInfo state */
                state?: (palimpsest.v1.PlacementGroupState|null);

                /** PlacementGroupInfo places */
                places?: (palimpsest.v1.BundlePlace.$Properties[]|null);

                /** PlacementGroupInfo reason */
                reason?: (string|null);

                /** PlacementGroupInfo createdAtMs */
                createdAtMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a PlacementGroupInfo. */
            type $Shape = palimpsest.v1.PlacementGroupInfo.$Properties;
        }

        /**
         * Properties of a CreatePlacementGroupRequest.
         * @deprecated Use palimpsest.v1.CreatePlacementGroupRequest.$Properties instead.
         */
        interface ICreatePlacementGroupRequest extends palimpsest.v1.CreatePlacementGroupRequest.$Properties {
        }

        /** Represents a CreatePlacementGroupRequest. */
        class CreatePlacementGroupRequest {

            /**
             * Constructs a new CreatePlacementGroupRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.CreatePlacementGroupRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** CreatePlacementGroupRequest spec. */
            spec?: (palimpsest.v1.PlacementGroupSpec.$Properties|null);

            /**
             * Creates a new CreatePlacementGroupRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns CreatePlacementGroupRequest instance
             */
            static create(properties: palimpsest.v1.CreatePlacementGroupRequest.$Shape): palimpsest.v1.CreatePlacementGroupRequest & palimpsest.v1.CreatePlacementGroupRequest.$Shape;
            static create(properties?: palimpsest.v1.CreatePlacementGroupRequest.$Properties): palimpsest.v1.CreatePlacementGroupRequest;

            /**
             * Encodes the specified CreatePlacementGroupRequest message. Does not implicitly {@link palimpsest.v1.CreatePlacementGroupRequest.verify|verify} messages.
             * @param message CreatePlacementGroupRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.CreatePlacementGroupRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a CreatePlacementGroupRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.CreatePlacementGroupRequest & palimpsest.v1.CreatePlacementGroupRequest.$Shape} CreatePlacementGroupRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.CreatePlacementGroupRequest & palimpsest.v1.CreatePlacementGroupRequest.$Shape;
        }

        namespace CreatePlacementGroupRequest {

            /** Properties of a CreatePlacementGroupRequest. */
            interface $Properties {

                /** CreatePlacementGroupRequest spec */
                spec?: (palimpsest.v1.PlacementGroupSpec.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a CreatePlacementGroupRequest. */
            type $Shape = palimpsest.v1.CreatePlacementGroupRequest.$Properties;
        }

        /**
         * Properties of a ResolvePlacementGroupRequest.
         * @deprecated Use palimpsest.v1.ResolvePlacementGroupRequest.$Properties instead.
         */
        interface IResolvePlacementGroupRequest extends palimpsest.v1.ResolvePlacementGroupRequest.$Properties {
        }

        /** Represents a ResolvePlacementGroupRequest. */
        class ResolvePlacementGroupRequest {

            /**
             * Constructs a new ResolvePlacementGroupRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ResolvePlacementGroupRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ResolvePlacementGroupRequest groupId. */
            groupId: string;

            /** ResolvePlacementGroupRequest name. */
            name: string;

            /** ResolvePlacementGroupRequest waitMs. */
            waitMs: number;

            /**
             * Creates a new ResolvePlacementGroupRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ResolvePlacementGroupRequest instance
             */
            static create(properties: palimpsest.v1.ResolvePlacementGroupRequest.$Shape): palimpsest.v1.ResolvePlacementGroupRequest & palimpsest.v1.ResolvePlacementGroupRequest.$Shape;
            static create(properties?: palimpsest.v1.ResolvePlacementGroupRequest.$Properties): palimpsest.v1.ResolvePlacementGroupRequest;

            /**
             * Encodes the specified ResolvePlacementGroupRequest message. Does not implicitly {@link palimpsest.v1.ResolvePlacementGroupRequest.verify|verify} messages.
             * @param message ResolvePlacementGroupRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ResolvePlacementGroupRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ResolvePlacementGroupRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ResolvePlacementGroupRequest & palimpsest.v1.ResolvePlacementGroupRequest.$Shape} ResolvePlacementGroupRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ResolvePlacementGroupRequest & palimpsest.v1.ResolvePlacementGroupRequest.$Shape;
        }

        namespace ResolvePlacementGroupRequest {

            /** Properties of a ResolvePlacementGroupRequest. */
            interface $Properties {

                /** ResolvePlacementGroupRequest groupId */
                groupId?: (string|null);

                /** ResolvePlacementGroupRequest name */
                name?: (string|null);

                /** ResolvePlacementGroupRequest waitMs */
                waitMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ResolvePlacementGroupRequest. */
            type $Shape = palimpsest.v1.ResolvePlacementGroupRequest.$Properties;
        }

        /**
         * Properties of a RemovePlacementGroupRequest.
         * @deprecated Use palimpsest.v1.RemovePlacementGroupRequest.$Properties instead.
         */
        interface IRemovePlacementGroupRequest extends palimpsest.v1.RemovePlacementGroupRequest.$Properties {
        }

        /** Represents a RemovePlacementGroupRequest. */
        class RemovePlacementGroupRequest {

            /**
             * Constructs a new RemovePlacementGroupRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RemovePlacementGroupRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RemovePlacementGroupRequest groupId. */
            groupId: string;

            /**
             * Creates a new RemovePlacementGroupRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RemovePlacementGroupRequest instance
             */
            static create(properties: palimpsest.v1.RemovePlacementGroupRequest.$Shape): palimpsest.v1.RemovePlacementGroupRequest & palimpsest.v1.RemovePlacementGroupRequest.$Shape;
            static create(properties?: palimpsest.v1.RemovePlacementGroupRequest.$Properties): palimpsest.v1.RemovePlacementGroupRequest;

            /**
             * Encodes the specified RemovePlacementGroupRequest message. Does not implicitly {@link palimpsest.v1.RemovePlacementGroupRequest.verify|verify} messages.
             * @param message RemovePlacementGroupRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RemovePlacementGroupRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RemovePlacementGroupRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RemovePlacementGroupRequest & palimpsest.v1.RemovePlacementGroupRequest.$Shape} RemovePlacementGroupRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RemovePlacementGroupRequest & palimpsest.v1.RemovePlacementGroupRequest.$Shape;
        }

        namespace RemovePlacementGroupRequest {

            /** Properties of a RemovePlacementGroupRequest. */
            interface $Properties {

                /** RemovePlacementGroupRequest groupId */
                groupId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RemovePlacementGroupRequest. */
            type $Shape = palimpsest.v1.RemovePlacementGroupRequest.$Properties;
        }

        /**
         * Properties of a ListPlacementGroupsRequest.
         * @deprecated Use palimpsest.v1.ListPlacementGroupsRequest.$Properties instead.
         */
        interface IListPlacementGroupsRequest extends palimpsest.v1.ListPlacementGroupsRequest.$Properties {
        }

        /** Represents a ListPlacementGroupsRequest. */
        class ListPlacementGroupsRequest {

            /**
             * Constructs a new ListPlacementGroupsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListPlacementGroupsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListPlacementGroupsRequest states. */
            states: palimpsest.v1.PlacementGroupState[];

            /** ListPlacementGroupsRequest ownerId. */
            ownerId: string;

            /** ListPlacementGroupsRequest jobId. */
            jobId: string;

            /** ListPlacementGroupsRequest limit. */
            limit: number;

            /** ListPlacementGroupsRequest pageToken. */
            pageToken: string;

            /**
             * Creates a new ListPlacementGroupsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListPlacementGroupsRequest instance
             */
            static create(properties: palimpsest.v1.ListPlacementGroupsRequest.$Shape): palimpsest.v1.ListPlacementGroupsRequest & palimpsest.v1.ListPlacementGroupsRequest.$Shape;
            static create(properties?: palimpsest.v1.ListPlacementGroupsRequest.$Properties): palimpsest.v1.ListPlacementGroupsRequest;

            /**
             * Encodes the specified ListPlacementGroupsRequest message. Does not implicitly {@link palimpsest.v1.ListPlacementGroupsRequest.verify|verify} messages.
             * @param message ListPlacementGroupsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListPlacementGroupsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListPlacementGroupsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListPlacementGroupsRequest & palimpsest.v1.ListPlacementGroupsRequest.$Shape} ListPlacementGroupsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListPlacementGroupsRequest & palimpsest.v1.ListPlacementGroupsRequest.$Shape;
        }

        namespace ListPlacementGroupsRequest {

            /** Properties of a ListPlacementGroupsRequest. */
            interface $Properties {

                /** ListPlacementGroupsRequest states */
                states?: (palimpsest.v1.PlacementGroupState[]|null);

                /** ListPlacementGroupsRequest ownerId */
                ownerId?: (string|null);

                /** ListPlacementGroupsRequest jobId */
                jobId?: (string|null);

                /** ListPlacementGroupsRequest limit */
                limit?: (number|null);

                /** ListPlacementGroupsRequest pageToken */
                pageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListPlacementGroupsRequest. */
            type $Shape = palimpsest.v1.ListPlacementGroupsRequest.$Properties;
        }

        /**
         * Properties of a ListPlacementGroupsResponse.
         * @deprecated Use palimpsest.v1.ListPlacementGroupsResponse.$Properties instead.
         */
        interface IListPlacementGroupsResponse extends palimpsest.v1.ListPlacementGroupsResponse.$Properties {
        }

        /** Represents a ListPlacementGroupsResponse. */
        class ListPlacementGroupsResponse {

            /**
             * Constructs a new ListPlacementGroupsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListPlacementGroupsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListPlacementGroupsResponse groups. */
            groups: palimpsest.v1.PlacementGroupInfo.$Properties[];

            /** ListPlacementGroupsResponse nextPageToken. */
            nextPageToken: string;

            /**
             * Creates a new ListPlacementGroupsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListPlacementGroupsResponse instance
             */
            static create(properties: palimpsest.v1.ListPlacementGroupsResponse.$Shape): palimpsest.v1.ListPlacementGroupsResponse & palimpsest.v1.ListPlacementGroupsResponse.$Shape;
            static create(properties?: palimpsest.v1.ListPlacementGroupsResponse.$Properties): palimpsest.v1.ListPlacementGroupsResponse;

            /**
             * Encodes the specified ListPlacementGroupsResponse message. Does not implicitly {@link palimpsest.v1.ListPlacementGroupsResponse.verify|verify} messages.
             * @param message ListPlacementGroupsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListPlacementGroupsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListPlacementGroupsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListPlacementGroupsResponse & palimpsest.v1.ListPlacementGroupsResponse.$Shape} ListPlacementGroupsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListPlacementGroupsResponse & palimpsest.v1.ListPlacementGroupsResponse.$Shape;
        }

        namespace ListPlacementGroupsResponse {

            /** Properties of a ListPlacementGroupsResponse. */
            interface $Properties {

                /** ListPlacementGroupsResponse groups */
                groups?: (palimpsest.v1.PlacementGroupInfo.$Properties[]|null);

                /** ListPlacementGroupsResponse nextPageToken */
                nextPageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListPlacementGroupsResponse. */
            type $Shape = palimpsest.v1.ListPlacementGroupsResponse.$Properties;
        }

        /**
         * Properties of a ResolveActorRequest.
         * @deprecated Use palimpsest.v1.ResolveActorRequest.$Properties instead.
         */
        interface IResolveActorRequest extends palimpsest.v1.ResolveActorRequest.$Properties {
        }

        /** Represents a ResolveActorRequest. */
        class ResolveActorRequest {

            /**
             * Constructs a new ResolveActorRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ResolveActorRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ResolveActorRequest actorId. */
            actorId: string;

            /** ResolveActorRequest name. */
            name: string;

            /** ResolveActorRequest namespace. */
            namespace: string;

            /** ResolveActorRequest knownIncarnation. */
            knownIncarnation: number;

            /** ResolveActorRequest waitMs. */
            waitMs: number;

            /**
             * Creates a new ResolveActorRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ResolveActorRequest instance
             */
            static create(properties: palimpsest.v1.ResolveActorRequest.$Shape): palimpsest.v1.ResolveActorRequest & palimpsest.v1.ResolveActorRequest.$Shape;
            static create(properties?: palimpsest.v1.ResolveActorRequest.$Properties): palimpsest.v1.ResolveActorRequest;

            /**
             * Encodes the specified ResolveActorRequest message. Does not implicitly {@link palimpsest.v1.ResolveActorRequest.verify|verify} messages.
             * @param message ResolveActorRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ResolveActorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ResolveActorRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ResolveActorRequest & palimpsest.v1.ResolveActorRequest.$Shape} ResolveActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ResolveActorRequest & palimpsest.v1.ResolveActorRequest.$Shape;
        }

        namespace ResolveActorRequest {

            /** Properties of a ResolveActorRequest. */
            interface $Properties {

                /** ResolveActorRequest actorId */
                actorId?: (string|null);

                /** ResolveActorRequest name */
                name?: (string|null);

                /** ResolveActorRequest namespace */
                namespace?: (string|null);

                /** ResolveActorRequest knownIncarnation */
                knownIncarnation?: (number|null);

                /** ResolveActorRequest waitMs */
                waitMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ResolveActorRequest. */
            type $Shape = palimpsest.v1.ResolveActorRequest.$Properties;
        }

        /**
         * Properties of a KillActorRequest.
         * @deprecated Use palimpsest.v1.KillActorRequest.$Properties instead.
         */
        interface IKillActorRequest extends palimpsest.v1.KillActorRequest.$Properties {
        }

        /** Represents a KillActorRequest. */
        class KillActorRequest {

            /**
             * Constructs a new KillActorRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.KillActorRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** KillActorRequest actorId. */
            actorId: string;

            /** KillActorRequest noRestart. */
            noRestart: boolean;

            /** KillActorRequest incarnation. */
            incarnation: number;

            /**
             * Creates a new KillActorRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns KillActorRequest instance
             */
            static create(properties: palimpsest.v1.KillActorRequest.$Shape): palimpsest.v1.KillActorRequest & palimpsest.v1.KillActorRequest.$Shape;
            static create(properties?: palimpsest.v1.KillActorRequest.$Properties): palimpsest.v1.KillActorRequest;

            /**
             * Encodes the specified KillActorRequest message. Does not implicitly {@link palimpsest.v1.KillActorRequest.verify|verify} messages.
             * @param message KillActorRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.KillActorRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a KillActorRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.KillActorRequest & palimpsest.v1.KillActorRequest.$Shape} KillActorRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.KillActorRequest & palimpsest.v1.KillActorRequest.$Shape;
        }

        namespace KillActorRequest {

            /** Properties of a KillActorRequest. */
            interface $Properties {

                /** KillActorRequest actorId */
                actorId?: (string|null);

                /** KillActorRequest noRestart */
                noRestart?: (boolean|null);

                /** KillActorRequest incarnation */
                incarnation?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a KillActorRequest. */
            type $Shape = palimpsest.v1.KillActorRequest.$Properties;
        }

        /**
         * Properties of a ListActorsRequest.
         * @deprecated Use palimpsest.v1.ListActorsRequest.$Properties instead.
         */
        interface IListActorsRequest extends palimpsest.v1.ListActorsRequest.$Properties {
        }

        /** Represents a ListActorsRequest. */
        class ListActorsRequest {

            /**
             * Constructs a new ListActorsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListActorsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListActorsRequest includeDead. */
            includeDead: boolean;

            /** ListActorsRequest states. */
            states: palimpsest.v1.ActorState[];

            /** ListActorsRequest nodeId. */
            nodeId: string;

            /** ListActorsRequest jobId. */
            jobId: string;

            /** ListActorsRequest ownerId. */
            ownerId: string;

            /** ListActorsRequest role. */
            role: string;

            /** ListActorsRequest limit. */
            limit: number;

            /** ListActorsRequest pageToken. */
            pageToken: string;

            /** ListActorsRequest className. */
            className: string;

            /** ListActorsRequest namespace. */
            namespace: string;

            /**
             * Creates a new ListActorsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListActorsRequest instance
             */
            static create(properties: palimpsest.v1.ListActorsRequest.$Shape): palimpsest.v1.ListActorsRequest & palimpsest.v1.ListActorsRequest.$Shape;
            static create(properties?: palimpsest.v1.ListActorsRequest.$Properties): palimpsest.v1.ListActorsRequest;

            /**
             * Encodes the specified ListActorsRequest message. Does not implicitly {@link palimpsest.v1.ListActorsRequest.verify|verify} messages.
             * @param message ListActorsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListActorsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListActorsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListActorsRequest & palimpsest.v1.ListActorsRequest.$Shape} ListActorsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListActorsRequest & palimpsest.v1.ListActorsRequest.$Shape;
        }

        namespace ListActorsRequest {

            /** Properties of a ListActorsRequest. */
            interface $Properties {

                /** ListActorsRequest includeDead */
                includeDead?: (boolean|null);

                /** ListActorsRequest states */
                states?: (palimpsest.v1.ActorState[]|null);

                /** ListActorsRequest nodeId */
                nodeId?: (string|null);

                /** ListActorsRequest jobId */
                jobId?: (string|null);

                /** ListActorsRequest ownerId */
                ownerId?: (string|null);

                /** ListActorsRequest role */
                role?: (string|null);

                /** ListActorsRequest limit */
                limit?: (number|null);

                /** ListActorsRequest pageToken */
                pageToken?: (string|null);

                /** ListActorsRequest className */
                className?: (string|null);

                /** ListActorsRequest namespace */
                namespace?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListActorsRequest. */
            type $Shape = palimpsest.v1.ListActorsRequest.$Properties;
        }

        /**
         * Properties of a ListActorsResponse.
         * @deprecated Use palimpsest.v1.ListActorsResponse.$Properties instead.
         */
        interface IListActorsResponse extends palimpsest.v1.ListActorsResponse.$Properties {
        }

        /** Represents a ListActorsResponse. */
        class ListActorsResponse {

            /**
             * Constructs a new ListActorsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListActorsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListActorsResponse actors. */
            actors: palimpsest.v1.ActorInfo.$Properties[];

            /** ListActorsResponse nextPageToken. */
            nextPageToken: string;

            /**
             * Creates a new ListActorsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListActorsResponse instance
             */
            static create(properties: palimpsest.v1.ListActorsResponse.$Shape): palimpsest.v1.ListActorsResponse & palimpsest.v1.ListActorsResponse.$Shape;
            static create(properties?: palimpsest.v1.ListActorsResponse.$Properties): palimpsest.v1.ListActorsResponse;

            /**
             * Encodes the specified ListActorsResponse message. Does not implicitly {@link palimpsest.v1.ListActorsResponse.verify|verify} messages.
             * @param message ListActorsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListActorsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListActorsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListActorsResponse & palimpsest.v1.ListActorsResponse.$Shape} ListActorsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListActorsResponse & palimpsest.v1.ListActorsResponse.$Shape;
        }

        namespace ListActorsResponse {

            /** Properties of a ListActorsResponse. */
            interface $Properties {

                /** ListActorsResponse actors */
                actors?: (palimpsest.v1.ActorInfo.$Properties[]|null);

                /** ListActorsResponse nextPageToken */
                nextPageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListActorsResponse. */
            type $Shape = {
              actors?: palimpsest.v1.ActorInfo.$Shape[]|null;
              nextPageToken?: string|null;
              $unknowns?: Uint8Array[];
            };
        }

        /** NodeState enum. */
        enum NodeState {

            /** NODE_STATE_UNSPECIFIED value */
            NODE_STATE_UNSPECIFIED = 0,

            /** NODE_STATE_ALIVE value */
            NODE_STATE_ALIVE = 1,

            /** NODE_STATE_SUSPECT value */
            NODE_STATE_SUSPECT = 2,

            /** NODE_STATE_DEAD value */
            NODE_STATE_DEAD = 3
        }

        /**
         * Properties of a NodeInfo.
         * @deprecated Use palimpsest.v1.NodeInfo.$Properties instead.
         */
        interface INodeInfo extends palimpsest.v1.NodeInfo.$Properties {
        }

        /** Represents a NodeInfo. */
        class NodeInfo {

            /**
             * Constructs a new NodeInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NodeInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeInfo nodeId. */
            nodeId: string;

            /** NodeInfo hostname. */
            hostname: string;

            /** NodeInfo pid. */
            pid: number;

            /** NodeInfo state. */
            state: palimpsest.v1.NodeState;

            /** NodeInfo total. */
            total?: (palimpsest.v1.Resources.$Properties|null);

            /** NodeInfo available. */
            available?: (palimpsest.v1.Resources.$Properties|null);

            /** NodeInfo labels. */
            labels: { [k: string]: string };

            /** NodeInfo objectsAddress. */
            objectsAddress: string;

            /** NodeInfo metricsAddress. */
            metricsAddress: string;

            /** NodeInfo joinedAtMs. */
            joinedAtMs: number;

            /** NodeInfo lastHeartbeatMs. */
            lastHeartbeatMs: number;

            /** NodeInfo version. */
            version: string;

            /**
             * Creates a new NodeInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeInfo instance
             */
            static create(properties: palimpsest.v1.NodeInfo.$Shape): palimpsest.v1.NodeInfo & palimpsest.v1.NodeInfo.$Shape;
            static create(properties?: palimpsest.v1.NodeInfo.$Properties): palimpsest.v1.NodeInfo;

            /**
             * Encodes the specified NodeInfo message. Does not implicitly {@link palimpsest.v1.NodeInfo.verify|verify} messages.
             * @param message NodeInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NodeInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeInfo & palimpsest.v1.NodeInfo.$Shape} NodeInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NodeInfo & palimpsest.v1.NodeInfo.$Shape;
        }

        namespace NodeInfo {

            /** Properties of a NodeInfo. */
            interface $Properties {

                /** NodeInfo nodeId */
                nodeId?: (string|null);

                /** NodeInfo hostname */
                hostname?: (string|null);

                /** NodeInfo pid */
                pid?: (number|null);

                /** NodeInfo state */
                state?: (palimpsest.v1.NodeState|null);

                /** NodeInfo total */
                total?: (palimpsest.v1.Resources.$Properties|null);

                /** NodeInfo available */
                available?: (palimpsest.v1.Resources.$Properties|null);

                /** NodeInfo labels */
                labels?: ({ [k: string]: string }|null);

                /** NodeInfo objectsAddress */
                objectsAddress?: (string|null);

                /** NodeInfo metricsAddress */
                metricsAddress?: (string|null);

                /** NodeInfo joinedAtMs */
                joinedAtMs?: (number|null);

                /** NodeInfo lastHeartbeatMs */
                lastHeartbeatMs?: (number|null);

                /** NodeInfo version */
                version?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NodeInfo. */
            type $Shape = palimpsest.v1.NodeInfo.$Properties;
        }

        /**
         * Properties of a ListNodesRequest.
         * @deprecated Use palimpsest.v1.ListNodesRequest.$Properties instead.
         */
        interface IListNodesRequest extends palimpsest.v1.ListNodesRequest.$Properties {
        }

        /** Represents a ListNodesRequest. */
        class ListNodesRequest {

            /**
             * Constructs a new ListNodesRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListNodesRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListNodesRequest states. */
            states: palimpsest.v1.NodeState[];

            /** ListNodesRequest hostname. */
            hostname: string;

            /** ListNodesRequest limit. */
            limit: number;

            /** ListNodesRequest pageToken. */
            pageToken: string;

            /**
             * Creates a new ListNodesRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListNodesRequest instance
             */
            static create(properties: palimpsest.v1.ListNodesRequest.$Shape): palimpsest.v1.ListNodesRequest & palimpsest.v1.ListNodesRequest.$Shape;
            static create(properties?: palimpsest.v1.ListNodesRequest.$Properties): palimpsest.v1.ListNodesRequest;

            /**
             * Encodes the specified ListNodesRequest message. Does not implicitly {@link palimpsest.v1.ListNodesRequest.verify|verify} messages.
             * @param message ListNodesRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListNodesRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListNodesRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListNodesRequest & palimpsest.v1.ListNodesRequest.$Shape} ListNodesRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListNodesRequest & palimpsest.v1.ListNodesRequest.$Shape;
        }

        namespace ListNodesRequest {

            /** Properties of a ListNodesRequest. */
            interface $Properties {

                /** ListNodesRequest states */
                states?: (palimpsest.v1.NodeState[]|null);

                /** ListNodesRequest hostname */
                hostname?: (string|null);

                /** ListNodesRequest limit */
                limit?: (number|null);

                /** ListNodesRequest pageToken */
                pageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListNodesRequest. */
            type $Shape = palimpsest.v1.ListNodesRequest.$Properties;
        }

        /**
         * Properties of a ListNodesResponse.
         * @deprecated Use palimpsest.v1.ListNodesResponse.$Properties instead.
         */
        interface IListNodesResponse extends palimpsest.v1.ListNodesResponse.$Properties {
        }

        /** Represents a ListNodesResponse. */
        class ListNodesResponse {

            /**
             * Constructs a new ListNodesResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListNodesResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListNodesResponse nodes. */
            nodes: palimpsest.v1.NodeInfo.$Properties[];

            /** ListNodesResponse nextPageToken. */
            nextPageToken: string;

            /**
             * Creates a new ListNodesResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListNodesResponse instance
             */
            static create(properties: palimpsest.v1.ListNodesResponse.$Shape): palimpsest.v1.ListNodesResponse & palimpsest.v1.ListNodesResponse.$Shape;
            static create(properties?: palimpsest.v1.ListNodesResponse.$Properties): palimpsest.v1.ListNodesResponse;

            /**
             * Encodes the specified ListNodesResponse message. Does not implicitly {@link palimpsest.v1.ListNodesResponse.verify|verify} messages.
             * @param message ListNodesResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListNodesResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListNodesResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListNodesResponse & palimpsest.v1.ListNodesResponse.$Shape} ListNodesResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListNodesResponse & palimpsest.v1.ListNodesResponse.$Shape;
        }

        namespace ListNodesResponse {

            /** Properties of a ListNodesResponse. */
            interface $Properties {

                /** ListNodesResponse nodes */
                nodes?: (palimpsest.v1.NodeInfo.$Properties[]|null);

                /** ListNodesResponse nextPageToken */
                nextPageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListNodesResponse. */
            type $Shape = palimpsest.v1.ListNodesResponse.$Properties;
        }

        /**
         * Properties of a MachineUse.
         * @deprecated Use palimpsest.v1.MachineUse.$Properties instead.
         */
        interface IMachineUse extends palimpsest.v1.MachineUse.$Properties {
        }

        /** Represents a MachineUse. */
        class MachineUse {

            /**
             * Constructs a new MachineUse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MachineUse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MachineUse cpuPercent. */
            cpuPercent: number;

            /** MachineUse memoryUsedBytes. */
            memoryUsedBytes: number;

            /** MachineUse memoryTotalBytes. */
            memoryTotalBytes: number;

            /** MachineUse diskUsedBytes. */
            diskUsedBytes: number;

            /** MachineUse diskTotalBytes. */
            diskTotalBytes: number;

            /** MachineUse gpus. */
            gpus: palimpsest.v1.GpuUse.$Properties[];

            /** MachineUse processes. */
            processes: palimpsest.v1.ProcessUse.$Properties[];

            /**
             * Creates a new MachineUse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MachineUse instance
             */
            static create(properties: palimpsest.v1.MachineUse.$Shape): palimpsest.v1.MachineUse & palimpsest.v1.MachineUse.$Shape;
            static create(properties?: palimpsest.v1.MachineUse.$Properties): palimpsest.v1.MachineUse;

            /**
             * Encodes the specified MachineUse message. Does not implicitly {@link palimpsest.v1.MachineUse.verify|verify} messages.
             * @param message MachineUse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MachineUse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MachineUse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MachineUse & palimpsest.v1.MachineUse.$Shape} MachineUse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MachineUse & palimpsest.v1.MachineUse.$Shape;
        }

        namespace MachineUse {

            /** Properties of a MachineUse. */
            interface $Properties {

                /** MachineUse cpuPercent */
                cpuPercent?: (number|null);

                /** MachineUse memoryUsedBytes */
                memoryUsedBytes?: (number|null);

                /** MachineUse memoryTotalBytes */
                memoryTotalBytes?: (number|null);

                /** MachineUse diskUsedBytes */
                diskUsedBytes?: (number|null);

                /** MachineUse diskTotalBytes */
                diskTotalBytes?: (number|null);

                /** MachineUse gpus */
                gpus?: (palimpsest.v1.GpuUse.$Properties[]|null);

                /** MachineUse processes */
                processes?: (palimpsest.v1.ProcessUse.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MachineUse. */
            type $Shape = palimpsest.v1.MachineUse.$Properties;
        }

        /**
         * Properties of a GpuUse.
         * @deprecated Use palimpsest.v1.GpuUse.$Properties instead.
         */
        interface IGpuUse extends palimpsest.v1.GpuUse.$Properties {
        }

        /** Represents a GpuUse. */
        class GpuUse {

            /**
             * Constructs a new GpuUse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GpuUse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GpuUse percent. */
            percent: number;

            /** GpuUse memoryUsedBytes. */
            memoryUsedBytes: number;

            /** GpuUse memoryTotalBytes. */
            memoryTotalBytes: number;

            /**
             * Creates a new GpuUse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GpuUse instance
             */
            static create(properties: palimpsest.v1.GpuUse.$Shape): palimpsest.v1.GpuUse & palimpsest.v1.GpuUse.$Shape;
            static create(properties?: palimpsest.v1.GpuUse.$Properties): palimpsest.v1.GpuUse;

            /**
             * Encodes the specified GpuUse message. Does not implicitly {@link palimpsest.v1.GpuUse.verify|verify} messages.
             * @param message GpuUse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GpuUse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GpuUse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GpuUse & palimpsest.v1.GpuUse.$Shape} GpuUse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GpuUse & palimpsest.v1.GpuUse.$Shape;
        }

        namespace GpuUse {

            /** Properties of a GpuUse. */
            interface $Properties {

                /** GpuUse percent */
                percent?: (number|null);

                /** GpuUse memoryUsedBytes */
                memoryUsedBytes?: (number|null);

                /** GpuUse memoryTotalBytes */
                memoryTotalBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GpuUse. */
            type $Shape = palimpsest.v1.GpuUse.$Properties;
        }

        /**
         * Properties of a ProcessUse.
         * @deprecated Use palimpsest.v1.ProcessUse.$Properties instead.
         */
        interface IProcessUse extends palimpsest.v1.ProcessUse.$Properties {
        }

        /** Represents a ProcessUse. */
        class ProcessUse {

            /**
             * Constructs a new ProcessUse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ProcessUse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ProcessUse id. */
            id: string;

            /** ProcessUse cpuPercent. */
            cpuPercent: number;

            /** ProcessUse memoryBytes. */
            memoryBytes: number;

            /**
             * Creates a new ProcessUse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ProcessUse instance
             */
            static create(properties: palimpsest.v1.ProcessUse.$Shape): palimpsest.v1.ProcessUse & palimpsest.v1.ProcessUse.$Shape;
            static create(properties?: palimpsest.v1.ProcessUse.$Properties): palimpsest.v1.ProcessUse;

            /**
             * Encodes the specified ProcessUse message. Does not implicitly {@link palimpsest.v1.ProcessUse.verify|verify} messages.
             * @param message ProcessUse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ProcessUse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ProcessUse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ProcessUse & palimpsest.v1.ProcessUse.$Shape} ProcessUse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ProcessUse & palimpsest.v1.ProcessUse.$Shape;
        }

        namespace ProcessUse {

            /** Properties of a ProcessUse. */
            interface $Properties {

                /** ProcessUse id */
                id?: (string|null);

                /** ProcessUse cpuPercent */
                cpuPercent?: (number|null);

                /** ProcessUse memoryBytes */
                memoryBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ProcessUse. */
            type $Shape = palimpsest.v1.ProcessUse.$Properties;
        }

        /**
         * Properties of a ListUseRequest.
         * @deprecated Use palimpsest.v1.ListUseRequest.$Properties instead.
         */
        interface IListUseRequest extends palimpsest.v1.ListUseRequest.$Properties {
        }

        /** Represents a ListUseRequest. */
        class ListUseRequest {

            /**
             * Constructs a new ListUseRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListUseRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListUseRequest ids. */
            ids: string[];

            /**
             * Creates a new ListUseRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListUseRequest instance
             */
            static create(properties: palimpsest.v1.ListUseRequest.$Shape): palimpsest.v1.ListUseRequest & palimpsest.v1.ListUseRequest.$Shape;
            static create(properties?: palimpsest.v1.ListUseRequest.$Properties): palimpsest.v1.ListUseRequest;

            /**
             * Encodes the specified ListUseRequest message. Does not implicitly {@link palimpsest.v1.ListUseRequest.verify|verify} messages.
             * @param message ListUseRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListUseRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListUseRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListUseRequest & palimpsest.v1.ListUseRequest.$Shape} ListUseRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListUseRequest & palimpsest.v1.ListUseRequest.$Shape;
        }

        namespace ListUseRequest {

            /** Properties of a ListUseRequest. */
            interface $Properties {

                /** ListUseRequest ids */
                ids?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListUseRequest. */
            type $Shape = palimpsest.v1.ListUseRequest.$Properties;
        }

        /**
         * Properties of a ListUseResponse.
         * @deprecated Use palimpsest.v1.ListUseResponse.$Properties instead.
         */
        interface IListUseResponse extends palimpsest.v1.ListUseResponse.$Properties {
        }

        /** Represents a ListUseResponse. */
        class ListUseResponse {

            /**
             * Constructs a new ListUseResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListUseResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListUseResponse intervalMs. */
            intervalMs: number;

            /** ListUseResponse series. */
            series: palimpsest.v1.UseSeries.$Properties[];

            /** ListUseResponse processes. */
            processes: palimpsest.v1.ProcessUse.$Properties[];

            /**
             * Creates a new ListUseResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListUseResponse instance
             */
            static create(properties: palimpsest.v1.ListUseResponse.$Shape): palimpsest.v1.ListUseResponse & palimpsest.v1.ListUseResponse.$Shape;
            static create(properties?: palimpsest.v1.ListUseResponse.$Properties): palimpsest.v1.ListUseResponse;

            /**
             * Encodes the specified ListUseResponse message. Does not implicitly {@link palimpsest.v1.ListUseResponse.verify|verify} messages.
             * @param message ListUseResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListUseResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListUseResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListUseResponse & palimpsest.v1.ListUseResponse.$Shape} ListUseResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListUseResponse & palimpsest.v1.ListUseResponse.$Shape;
        }

        namespace ListUseResponse {

            /** Properties of a ListUseResponse. */
            interface $Properties {

                /** ListUseResponse intervalMs */
                intervalMs?: (number|null);

                /** ListUseResponse series */
                series?: (palimpsest.v1.UseSeries.$Properties[]|null);

                /** ListUseResponse processes */
                processes?: (palimpsest.v1.ProcessUse.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListUseResponse. */
            type $Shape = palimpsest.v1.ListUseResponse.$Properties;
        }

        /**
         * Properties of a UseSeries.
         * @deprecated Use palimpsest.v1.UseSeries.$Properties instead.
         */
        interface IUseSeries extends palimpsest.v1.UseSeries.$Properties {
        }

        /** Represents a UseSeries. */
        class UseSeries {

            /**
             * Constructs a new UseSeries.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.UseSeries.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UseSeries id. */
            id: string;

            /** UseSeries cpuPercent. */
            cpuPercent: number[];

            /** UseSeries memoryBytes. */
            memoryBytes: number[];

            /** UseSeries diskBytes. */
            diskBytes: number[];

            /** UseSeries gpuPercent. */
            gpuPercent: number[];

            /** UseSeries gpuMemoryBytes. */
            gpuMemoryBytes: number[];

            /** UseSeries memoryTotalBytes. */
            memoryTotalBytes: number;

            /** UseSeries diskTotalBytes. */
            diskTotalBytes: number;

            /** UseSeries gpuMemoryTotalBytes. */
            gpuMemoryTotalBytes: number;

            /**
             * Creates a new UseSeries instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UseSeries instance
             */
            static create(properties: palimpsest.v1.UseSeries.$Shape): palimpsest.v1.UseSeries & palimpsest.v1.UseSeries.$Shape;
            static create(properties?: palimpsest.v1.UseSeries.$Properties): palimpsest.v1.UseSeries;

            /**
             * Encodes the specified UseSeries message. Does not implicitly {@link palimpsest.v1.UseSeries.verify|verify} messages.
             * @param message UseSeries message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.UseSeries.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a UseSeries message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.UseSeries & palimpsest.v1.UseSeries.$Shape} UseSeries
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.UseSeries & palimpsest.v1.UseSeries.$Shape;
        }

        namespace UseSeries {

            /** Properties of a UseSeries. */
            interface $Properties {

                /** UseSeries id */
                id?: (string|null);

                /** UseSeries cpuPercent */
                cpuPercent?: (number[]|null);

                /** UseSeries memoryBytes */
                memoryBytes?: (number[]|null);

                /** UseSeries diskBytes */
                diskBytes?: (number[]|null);

                /** UseSeries gpuPercent */
                gpuPercent?: (number[]|null);

                /** UseSeries gpuMemoryBytes */
                gpuMemoryBytes?: (number[]|null);

                /** UseSeries memoryTotalBytes */
                memoryTotalBytes?: (number|null);

                /** UseSeries diskTotalBytes */
                diskTotalBytes?: (number|null);

                /** UseSeries gpuMemoryTotalBytes */
                gpuMemoryTotalBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a UseSeries. */
            type $Shape = palimpsest.v1.UseSeries.$Properties;
        }

        /**
         * Properties of a SummarizeRequest.
         * @deprecated Use palimpsest.v1.SummarizeRequest.$Properties instead.
         */
        interface ISummarizeRequest extends palimpsest.v1.SummarizeRequest.$Properties {
        }

        /** Represents a SummarizeRequest. */
        class SummarizeRequest {

            /**
             * Constructs a new SummarizeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SummarizeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new SummarizeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SummarizeRequest instance
             */
            static create(properties: palimpsest.v1.SummarizeRequest.$Shape): palimpsest.v1.SummarizeRequest & palimpsest.v1.SummarizeRequest.$Shape;
            static create(properties?: palimpsest.v1.SummarizeRequest.$Properties): palimpsest.v1.SummarizeRequest;

            /**
             * Encodes the specified SummarizeRequest message. Does not implicitly {@link palimpsest.v1.SummarizeRequest.verify|verify} messages.
             * @param message SummarizeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SummarizeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SummarizeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SummarizeRequest & palimpsest.v1.SummarizeRequest.$Shape} SummarizeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SummarizeRequest & palimpsest.v1.SummarizeRequest.$Shape;
        }

        namespace SummarizeRequest {

            /** Properties of a SummarizeRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SummarizeRequest. */
            type $Shape = palimpsest.v1.SummarizeRequest.$Properties;
        }

        /**
         * Properties of a Summary.
         * @deprecated Use palimpsest.v1.Summary.$Properties instead.
         */
        interface ISummary extends palimpsest.v1.Summary.$Properties {
        }

        /** Represents a Summary. */
        class Summary {

            /**
             * Constructs a new Summary.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Summary.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Summary actors. */
            actors: palimpsest.v1.ActorCount.$Properties[];

            /** Summary nodes. */
            nodes: palimpsest.v1.NodeCount.$Properties[];

            /** Summary total. */
            total?: (palimpsest.v1.Resources.$Properties|null);

            /** Summary used. */
            used?: (palimpsest.v1.Resources.$Properties|null);

            /** Summary waiting. */
            waiting: palimpsest.v1.WaitingShape.$Properties[];

            /** Summary waitingCount. */
            waitingCount: number;

            /** Summary waitingShapeCount. */
            waitingShapeCount: number;

            /** Summary reservedNodeCount. */
            reservedNodeCount: number;

            /** Summary autoscaler. */
            autoscaler?: (palimpsest.v1.AutoscalerStatus.$Properties|null);

            /**
             * Creates a new Summary instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Summary instance
             */
            static create(properties: palimpsest.v1.Summary.$Shape): palimpsest.v1.Summary & palimpsest.v1.Summary.$Shape;
            static create(properties?: palimpsest.v1.Summary.$Properties): palimpsest.v1.Summary;

            /**
             * Encodes the specified Summary message. Does not implicitly {@link palimpsest.v1.Summary.verify|verify} messages.
             * @param message Summary message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Summary.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Summary message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Summary & palimpsest.v1.Summary.$Shape} Summary
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Summary & palimpsest.v1.Summary.$Shape;
        }

        namespace Summary {

            /** Properties of a Summary. */
            interface $Properties {

                /** Summary actors */
                actors?: (palimpsest.v1.ActorCount.$Properties[]|null);

                /** Summary nodes */
                nodes?: (palimpsest.v1.NodeCount.$Properties[]|null);

                /** Summary total */
                total?: (palimpsest.v1.Resources.$Properties|null);

                /** Summary used */
                used?: (palimpsest.v1.Resources.$Properties|null);

                /** Summary waiting */
                waiting?: (palimpsest.v1.WaitingShape.$Properties[]|null);

                /** Summary waitingCount */
                waitingCount?: (number|null);

                /** Summary waitingShapeCount */
                waitingShapeCount?: (number|null);

                /** Summary reservedNodeCount */
                reservedNodeCount?: (number|null);

                /** Summary autoscaler */
                autoscaler?: (palimpsest.v1.AutoscalerStatus.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Summary. */
            type $Shape = palimpsest.v1.Summary.$Properties;
        }

        /**
         * Properties of an AutoscalerStatus.
         * @deprecated Use palimpsest.v1.AutoscalerStatus.$Properties instead.
         */
        interface IAutoscalerStatus extends palimpsest.v1.AutoscalerStatus.$Properties {
        }

        /** Represents an AutoscalerStatus. */
        class AutoscalerStatus {

            /**
             * Constructs a new AutoscalerStatus.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.AutoscalerStatus.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AutoscalerStatus provider. */
            provider: string;

            /** AutoscalerStatus types. */
            types: palimpsest.v1.NodeTypeStatus.$Properties[];

            /** AutoscalerStatus unmet. */
            unmet: palimpsest.v1.UnmetDemand.$Properties[];

            /** AutoscalerStatus error. */
            error: string;

            /** AutoscalerStatus retryAtMs. */
            retryAtMs: number;

            /**
             * Creates a new AutoscalerStatus instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AutoscalerStatus instance
             */
            static create(properties: palimpsest.v1.AutoscalerStatus.$Shape): palimpsest.v1.AutoscalerStatus & palimpsest.v1.AutoscalerStatus.$Shape;
            static create(properties?: palimpsest.v1.AutoscalerStatus.$Properties): palimpsest.v1.AutoscalerStatus;

            /**
             * Encodes the specified AutoscalerStatus message. Does not implicitly {@link palimpsest.v1.AutoscalerStatus.verify|verify} messages.
             * @param message AutoscalerStatus message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.AutoscalerStatus.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AutoscalerStatus message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.AutoscalerStatus & palimpsest.v1.AutoscalerStatus.$Shape} AutoscalerStatus
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.AutoscalerStatus & palimpsest.v1.AutoscalerStatus.$Shape;
        }

        namespace AutoscalerStatus {

            /** Properties of an AutoscalerStatus. */
            interface $Properties {

                /** AutoscalerStatus provider */
                provider?: (string|null);

                /** AutoscalerStatus types */
                types?: (palimpsest.v1.NodeTypeStatus.$Properties[]|null);

                /** AutoscalerStatus unmet */
                unmet?: (palimpsest.v1.UnmetDemand.$Properties[]|null);

                /** AutoscalerStatus error */
                error?: (string|null);

                /** AutoscalerStatus retryAtMs */
                retryAtMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AutoscalerStatus. */
            type $Shape = palimpsest.v1.AutoscalerStatus.$Properties;
        }

        /**
         * Properties of a NodeTypeStatus.
         * @deprecated Use palimpsest.v1.NodeTypeStatus.$Properties instead.
         */
        interface INodeTypeStatus extends palimpsest.v1.NodeTypeStatus.$Properties {
        }

        /** Represents a NodeTypeStatus. */
        class NodeTypeStatus {

            /**
             * Constructs a new NodeTypeStatus.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NodeTypeStatus.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeTypeStatus name. */
            name: string;

            /** NodeTypeStatus minNodes. */
            minNodes: number;

            /** NodeTypeStatus maxNodes. */
            maxNodes: number;

            /** NodeTypeStatus running. */
            running: number;

            /** NodeTypeStatus starting. */
            starting: number;

            /** NodeTypeStatus stopping. */
            stopping: number;

            /**
             * Creates a new NodeTypeStatus instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeTypeStatus instance
             */
            static create(properties: palimpsest.v1.NodeTypeStatus.$Shape): palimpsest.v1.NodeTypeStatus & palimpsest.v1.NodeTypeStatus.$Shape;
            static create(properties?: palimpsest.v1.NodeTypeStatus.$Properties): palimpsest.v1.NodeTypeStatus;

            /**
             * Encodes the specified NodeTypeStatus message. Does not implicitly {@link palimpsest.v1.NodeTypeStatus.verify|verify} messages.
             * @param message NodeTypeStatus message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NodeTypeStatus.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeTypeStatus message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeTypeStatus & palimpsest.v1.NodeTypeStatus.$Shape} NodeTypeStatus
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NodeTypeStatus & palimpsest.v1.NodeTypeStatus.$Shape;
        }

        namespace NodeTypeStatus {

            /** Properties of a NodeTypeStatus. */
            interface $Properties {

                /** NodeTypeStatus name */
                name?: (string|null);

                /** NodeTypeStatus minNodes */
                minNodes?: (number|null);

                /** NodeTypeStatus maxNodes */
                maxNodes?: (number|null);

                /** NodeTypeStatus running */
                running?: (number|null);

                /** NodeTypeStatus starting */
                starting?: (number|null);

                /** NodeTypeStatus stopping */
                stopping?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NodeTypeStatus. */
            type $Shape = palimpsest.v1.NodeTypeStatus.$Properties;
        }

        /**
         * Properties of an UnmetDemand.
         * @deprecated Use palimpsest.v1.UnmetDemand.$Properties instead.
         */
        interface IUnmetDemand extends palimpsest.v1.UnmetDemand.$Properties {
        }

        /** Represents an UnmetDemand. */
        class UnmetDemand {

            /**
             * Constructs a new UnmetDemand.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.UnmetDemand.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** UnmetDemand resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** UnmetDemand count. */
            count: number;

            /** UnmetDemand reason. */
            reason: string;

            /**
             * Creates a new UnmetDemand instance using the specified properties.
             * @param [properties] Properties to set
             * @returns UnmetDemand instance
             */
            static create(properties: palimpsest.v1.UnmetDemand.$Shape): palimpsest.v1.UnmetDemand & palimpsest.v1.UnmetDemand.$Shape;
            static create(properties?: palimpsest.v1.UnmetDemand.$Properties): palimpsest.v1.UnmetDemand;

            /**
             * Encodes the specified UnmetDemand message. Does not implicitly {@link palimpsest.v1.UnmetDemand.verify|verify} messages.
             * @param message UnmetDemand message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.UnmetDemand.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an UnmetDemand message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.UnmetDemand & palimpsest.v1.UnmetDemand.$Shape} UnmetDemand
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.UnmetDemand & palimpsest.v1.UnmetDemand.$Shape;
        }

        namespace UnmetDemand {

            /** Properties of an UnmetDemand. */
            interface $Properties {

                /** UnmetDemand resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** UnmetDemand count */
                count?: (number|null);

                /** UnmetDemand reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an UnmetDemand. */
            type $Shape = palimpsest.v1.UnmetDemand.$Properties;
        }

        /**
         * Properties of an ActorCount.
         * @deprecated Use palimpsest.v1.ActorCount.$Properties instead.
         */
        interface IActorCount extends palimpsest.v1.ActorCount.$Properties {
        }

        /** Represents an ActorCount. */
        class ActorCount {

            /**
             * Constructs a new ActorCount.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorCount.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorCount state. */
            state: palimpsest.v1.ActorState;

            /** ActorCount count. */
            count: number;

            /**
             * Creates a new ActorCount instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorCount instance
             */
            static create(properties: palimpsest.v1.ActorCount.$Shape): palimpsest.v1.ActorCount & palimpsest.v1.ActorCount.$Shape;
            static create(properties?: palimpsest.v1.ActorCount.$Properties): palimpsest.v1.ActorCount;

            /**
             * Encodes the specified ActorCount message. Does not implicitly {@link palimpsest.v1.ActorCount.verify|verify} messages.
             * @param message ActorCount message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorCount.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorCount message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorCount & palimpsest.v1.ActorCount.$Shape} ActorCount
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorCount & palimpsest.v1.ActorCount.$Shape;
        }

        namespace ActorCount {

            /** Properties of an ActorCount. */
            interface $Properties {

                /** ActorCount state */
                state?: (palimpsest.v1.ActorState|null);

                /** ActorCount count */
                count?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorCount. */
            type $Shape = palimpsest.v1.ActorCount.$Properties;
        }

        /**
         * Properties of a NodeCount.
         * @deprecated Use palimpsest.v1.NodeCount.$Properties instead.
         */
        interface INodeCount extends palimpsest.v1.NodeCount.$Properties {
        }

        /** Represents a NodeCount. */
        class NodeCount {

            /**
             * Constructs a new NodeCount.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NodeCount.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeCount state. */
            state: palimpsest.v1.NodeState;

            /** NodeCount count. */
            count: number;

            /**
             * Creates a new NodeCount instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeCount instance
             */
            static create(properties: palimpsest.v1.NodeCount.$Shape): palimpsest.v1.NodeCount & palimpsest.v1.NodeCount.$Shape;
            static create(properties?: palimpsest.v1.NodeCount.$Properties): palimpsest.v1.NodeCount;

            /**
             * Encodes the specified NodeCount message. Does not implicitly {@link palimpsest.v1.NodeCount.verify|verify} messages.
             * @param message NodeCount message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NodeCount.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeCount message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeCount & palimpsest.v1.NodeCount.$Shape} NodeCount
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NodeCount & palimpsest.v1.NodeCount.$Shape;
        }

        namespace NodeCount {

            /** Properties of a NodeCount. */
            interface $Properties {

                /** NodeCount state */
                state?: (palimpsest.v1.NodeState|null);

                /** NodeCount count */
                count?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NodeCount. */
            type $Shape = palimpsest.v1.NodeCount.$Properties;
        }

        /**
         * Properties of a WaitingShape.
         * @deprecated Use palimpsest.v1.WaitingShape.$Properties instead.
         */
        interface IWaitingShape extends palimpsest.v1.WaitingShape.$Properties {
        }

        /** Represents a WaitingShape. */
        class WaitingShape {

            /**
             * Constructs a new WaitingShape.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WaitingShape.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WaitingShape resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** WaitingShape labels. */
            labels: { [k: string]: string };

            /** WaitingShape count. */
            count: number;

            /** WaitingShape oldestSinceMs. */
            oldestSinceMs: number;

            /** WaitingShape feasible. */
            feasible: boolean;

            /** WaitingShape reason. */
            reason: string;

            /** WaitingShape labelConditions. */
            labelConditions: palimpsest.v1.LabelCondition.$Properties[];

            /** WaitingShape strategy. */
            strategy?: (palimpsest.v1.Strategy.$Properties|null);

            /**
             * Creates a new WaitingShape instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WaitingShape instance
             */
            static create(properties: palimpsest.v1.WaitingShape.$Shape): palimpsest.v1.WaitingShape & palimpsest.v1.WaitingShape.$Shape;
            static create(properties?: palimpsest.v1.WaitingShape.$Properties): palimpsest.v1.WaitingShape;

            /**
             * Encodes the specified WaitingShape message. Does not implicitly {@link palimpsest.v1.WaitingShape.verify|verify} messages.
             * @param message WaitingShape message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WaitingShape.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WaitingShape message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WaitingShape & palimpsest.v1.WaitingShape.$Shape} WaitingShape
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WaitingShape & palimpsest.v1.WaitingShape.$Shape;
        }

        namespace WaitingShape {

            /** Properties of a WaitingShape. */
            interface $Properties {

                /** WaitingShape resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** WaitingShape labels */
                labels?: ({ [k: string]: string }|null);

                /** WaitingShape count */
                count?: (number|null);

                /** WaitingShape oldestSinceMs */
                oldestSinceMs?: (number|null);

                /** WaitingShape feasible */
                feasible?: (boolean|null);

                /** WaitingShape reason */
                reason?: (string|null);

                /** WaitingShape labelConditions */
                labelConditions?: (palimpsest.v1.LabelCondition.$Properties[]|null);

                /** WaitingShape strategy */
                strategy?: (palimpsest.v1.Strategy.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WaitingShape. */
            type $Shape = palimpsest.v1.WaitingShape.$Properties;
        }

        /**
         * Properties of a GetStackRequest.
         * @deprecated Use palimpsest.v1.GetStackRequest.$Properties instead.
         */
        interface IGetStackRequest extends palimpsest.v1.GetStackRequest.$Properties {
        }

        /** Represents a GetStackRequest. */
        class GetStackRequest {

            /**
             * Constructs a new GetStackRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GetStackRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GetStackRequest target. */
            target: string;

            /** GetStackRequest timeoutMs. */
            timeoutMs: number;

            /**
             * Creates a new GetStackRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GetStackRequest instance
             */
            static create(properties: palimpsest.v1.GetStackRequest.$Shape): palimpsest.v1.GetStackRequest & palimpsest.v1.GetStackRequest.$Shape;
            static create(properties?: palimpsest.v1.GetStackRequest.$Properties): palimpsest.v1.GetStackRequest;

            /**
             * Encodes the specified GetStackRequest message. Does not implicitly {@link palimpsest.v1.GetStackRequest.verify|verify} messages.
             * @param message GetStackRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GetStackRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GetStackRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetStackRequest & palimpsest.v1.GetStackRequest.$Shape} GetStackRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GetStackRequest & palimpsest.v1.GetStackRequest.$Shape;
        }

        namespace GetStackRequest {

            /** Properties of a GetStackRequest. */
            interface $Properties {

                /** GetStackRequest target */
                target?: (string|null);

                /** GetStackRequest timeoutMs */
                timeoutMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GetStackRequest. */
            type $Shape = palimpsest.v1.GetStackRequest.$Properties;
        }

        /**
         * Properties of a StackRequest.
         * @deprecated Use palimpsest.v1.StackRequest.$Properties instead.
         */
        interface IStackRequest extends palimpsest.v1.StackRequest.$Properties {
        }

        /** Represents a StackRequest. */
        class StackRequest {

            /**
             * Constructs a new StackRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StackRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StackRequest requestId. */
            requestId: string;

            /** StackRequest actorId. */
            actorId: string;

            /**
             * Creates a new StackRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StackRequest instance
             */
            static create(properties: palimpsest.v1.StackRequest.$Shape): palimpsest.v1.StackRequest & palimpsest.v1.StackRequest.$Shape;
            static create(properties?: palimpsest.v1.StackRequest.$Properties): palimpsest.v1.StackRequest;

            /**
             * Encodes the specified StackRequest message. Does not implicitly {@link palimpsest.v1.StackRequest.verify|verify} messages.
             * @param message StackRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StackRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StackRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StackRequest & palimpsest.v1.StackRequest.$Shape} StackRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StackRequest & palimpsest.v1.StackRequest.$Shape;
        }

        namespace StackRequest {

            /** Properties of a StackRequest. */
            interface $Properties {

                /** StackRequest requestId */
                requestId?: (string|null);

                /** StackRequest actorId */
                actorId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StackRequest. */
            type $Shape = palimpsest.v1.StackRequest.$Properties;
        }

        /**
         * Properties of a StackReport.
         * @deprecated Use palimpsest.v1.StackReport.$Properties instead.
         */
        interface IStackReport extends palimpsest.v1.StackReport.$Properties {
        }

        /** Represents a StackReport. */
        class StackReport {

            /**
             * Constructs a new StackReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StackReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StackReport requestId. */
            requestId: string;

            /** StackReport title. */
            title: string;

            /** StackReport pid. */
            pid: number;

            /** StackReport busy. */
            busy: boolean;

            /** StackReport method. */
            method: string;

            /** StackReport frames. */
            frames: string[];

            /** StackReport problem. */
            problem: string;

            /**
             * Creates a new StackReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StackReport instance
             */
            static create(properties: palimpsest.v1.StackReport.$Shape): palimpsest.v1.StackReport & palimpsest.v1.StackReport.$Shape;
            static create(properties?: palimpsest.v1.StackReport.$Properties): palimpsest.v1.StackReport;

            /**
             * Encodes the specified StackReport message. Does not implicitly {@link palimpsest.v1.StackReport.verify|verify} messages.
             * @param message StackReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StackReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StackReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StackReport & palimpsest.v1.StackReport.$Shape} StackReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StackReport & palimpsest.v1.StackReport.$Shape;
        }

        namespace StackReport {

            /** Properties of a StackReport. */
            interface $Properties {

                /** StackReport requestId */
                requestId?: (string|null);

                /** StackReport title */
                title?: (string|null);

                /** StackReport pid */
                pid?: (number|null);

                /** StackReport busy */
                busy?: (boolean|null);

                /** StackReport method */
                method?: (string|null);

                /** StackReport frames */
                frames?: (string[]|null);

                /** StackReport problem */
                problem?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StackReport. */
            type $Shape = palimpsest.v1.StackReport.$Properties;
        }

        /**
         * Properties of an AwaitDemandRequest.
         * @deprecated Use palimpsest.v1.AwaitDemandRequest.$Properties instead.
         */
        interface IAwaitDemandRequest extends palimpsest.v1.AwaitDemandRequest.$Properties {
        }

        /** Represents an AwaitDemandRequest. */
        class AwaitDemandRequest {

            /**
             * Constructs a new AwaitDemandRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.AwaitDemandRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AwaitDemandRequest ownerId. */
            ownerId: string;

            /** AwaitDemandRequest resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** AwaitDemandRequest labels. */
            labels: { [k: string]: string };

            /** AwaitDemandRequest waitMs. */
            waitMs: number;

            /** AwaitDemandRequest groupId. */
            groupId: string;

            /** AwaitDemandRequest spare. */
            spare: boolean;

            /**
             * Creates a new AwaitDemandRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AwaitDemandRequest instance
             */
            static create(properties: palimpsest.v1.AwaitDemandRequest.$Shape): palimpsest.v1.AwaitDemandRequest & palimpsest.v1.AwaitDemandRequest.$Shape;
            static create(properties?: palimpsest.v1.AwaitDemandRequest.$Properties): palimpsest.v1.AwaitDemandRequest;

            /**
             * Encodes the specified AwaitDemandRequest message. Does not implicitly {@link palimpsest.v1.AwaitDemandRequest.verify|verify} messages.
             * @param message AwaitDemandRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.AwaitDemandRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AwaitDemandRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.AwaitDemandRequest & palimpsest.v1.AwaitDemandRequest.$Shape} AwaitDemandRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.AwaitDemandRequest & palimpsest.v1.AwaitDemandRequest.$Shape;
        }

        namespace AwaitDemandRequest {

            /** Properties of an AwaitDemandRequest. */
            interface $Properties {

                /** AwaitDemandRequest ownerId */
                ownerId?: (string|null);

                /** AwaitDemandRequest resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** AwaitDemandRequest labels */
                labels?: ({ [k: string]: string }|null);

                /** AwaitDemandRequest waitMs */
                waitMs?: (number|null);

                /** AwaitDemandRequest groupId */
                groupId?: (string|null);

                /** AwaitDemandRequest spare */
                spare?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AwaitDemandRequest. */
            type $Shape = palimpsest.v1.AwaitDemandRequest.$Properties;
        }

        /**
         * Properties of an AwaitDemandResponse.
         * @deprecated Use palimpsest.v1.AwaitDemandResponse.$Properties instead.
         */
        interface IAwaitDemandResponse extends palimpsest.v1.AwaitDemandResponse.$Properties {
        }

        /** Represents an AwaitDemandResponse. */
        class AwaitDemandResponse {

            /**
             * Constructs a new AwaitDemandResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.AwaitDemandResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AwaitDemandResponse waits. */
            waits: boolean;

            /** AwaitDemandResponse retireActorIds. */
            retireActorIds: string[];

            /**
             * Creates a new AwaitDemandResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AwaitDemandResponse instance
             */
            static create(properties: palimpsest.v1.AwaitDemandResponse.$Shape): palimpsest.v1.AwaitDemandResponse & palimpsest.v1.AwaitDemandResponse.$Shape;
            static create(properties?: palimpsest.v1.AwaitDemandResponse.$Properties): palimpsest.v1.AwaitDemandResponse;

            /**
             * Encodes the specified AwaitDemandResponse message. Does not implicitly {@link palimpsest.v1.AwaitDemandResponse.verify|verify} messages.
             * @param message AwaitDemandResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.AwaitDemandResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AwaitDemandResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.AwaitDemandResponse & palimpsest.v1.AwaitDemandResponse.$Shape} AwaitDemandResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.AwaitDemandResponse & palimpsest.v1.AwaitDemandResponse.$Shape;
        }

        namespace AwaitDemandResponse {

            /** Properties of an AwaitDemandResponse. */
            interface $Properties {

                /** AwaitDemandResponse waits */
                waits?: (boolean|null);

                /** AwaitDemandResponse retireActorIds */
                retireActorIds?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AwaitDemandResponse. */
            type $Shape = palimpsest.v1.AwaitDemandResponse.$Properties;
        }

        /**
         * Properties of a DrainNodeRequest.
         * @deprecated Use palimpsest.v1.DrainNodeRequest.$Properties instead.
         */
        interface IDrainNodeRequest extends palimpsest.v1.DrainNodeRequest.$Properties {
        }

        /** Represents a DrainNodeRequest. */
        class DrainNodeRequest {

            /**
             * Constructs a new DrainNodeRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DrainNodeRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DrainNodeRequest nodeId. */
            nodeId: string;

            /** DrainNodeRequest deadlineMs. */
            deadlineMs: number;

            /**
             * Creates a new DrainNodeRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DrainNodeRequest instance
             */
            static create(properties: palimpsest.v1.DrainNodeRequest.$Shape): palimpsest.v1.DrainNodeRequest & palimpsest.v1.DrainNodeRequest.$Shape;
            static create(properties?: palimpsest.v1.DrainNodeRequest.$Properties): palimpsest.v1.DrainNodeRequest;

            /**
             * Encodes the specified DrainNodeRequest message. Does not implicitly {@link palimpsest.v1.DrainNodeRequest.verify|verify} messages.
             * @param message DrainNodeRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DrainNodeRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DrainNodeRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DrainNodeRequest & palimpsest.v1.DrainNodeRequest.$Shape} DrainNodeRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DrainNodeRequest & palimpsest.v1.DrainNodeRequest.$Shape;
        }

        namespace DrainNodeRequest {

            /** Properties of a DrainNodeRequest. */
            interface $Properties {

                /** DrainNodeRequest nodeId */
                nodeId?: (string|null);

                /** DrainNodeRequest deadlineMs */
                deadlineMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DrainNodeRequest. */
            type $Shape = palimpsest.v1.DrainNodeRequest.$Properties;
        }

        /**
         * Properties of a DrainNodeResponse.
         * @deprecated Use palimpsest.v1.DrainNodeResponse.$Properties instead.
         */
        interface IDrainNodeResponse extends palimpsest.v1.DrainNodeResponse.$Properties {
        }

        /** Represents a DrainNodeResponse. */
        class DrainNodeResponse {

            /**
             * Constructs a new DrainNodeResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DrainNodeResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DrainNodeResponse done. */
            done: boolean;

            /** DrainNodeResponse overdue. */
            overdue: boolean;

            /** DrainNodeResponse movingActors. */
            movingActors: number;

            /** DrainNodeResponse waitingActors. */
            waitingActors: number;

            /** DrainNodeResponse taskWorkers. */
            taskWorkers: number;

            /** DrainNodeResponse drivers. */
            drivers: number;

            /** DrainNodeResponse objects. */
            objects: number;

            /** DrainNodeResponse objectBytes. */
            objectBytes: number;

            /** DrainNodeResponse leftMs. */
            leftMs: number;

            /**
             * Creates a new DrainNodeResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DrainNodeResponse instance
             */
            static create(properties: palimpsest.v1.DrainNodeResponse.$Shape): palimpsest.v1.DrainNodeResponse & palimpsest.v1.DrainNodeResponse.$Shape;
            static create(properties?: palimpsest.v1.DrainNodeResponse.$Properties): palimpsest.v1.DrainNodeResponse;

            /**
             * Encodes the specified DrainNodeResponse message. Does not implicitly {@link palimpsest.v1.DrainNodeResponse.verify|verify} messages.
             * @param message DrainNodeResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DrainNodeResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DrainNodeResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DrainNodeResponse & palimpsest.v1.DrainNodeResponse.$Shape} DrainNodeResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DrainNodeResponse & palimpsest.v1.DrainNodeResponse.$Shape;
        }

        namespace DrainNodeResponse {

            /** Properties of a DrainNodeResponse. */
            interface $Properties {

                /** DrainNodeResponse done */
                done?: (boolean|null);

                /** DrainNodeResponse overdue */
                overdue?: (boolean|null);

                /** DrainNodeResponse movingActors */
                movingActors?: (number|null);

                /** DrainNodeResponse waitingActors */
                waitingActors?: (number|null);

                /** DrainNodeResponse taskWorkers */
                taskWorkers?: (number|null);

                /** DrainNodeResponse drivers */
                drivers?: (number|null);

                /** DrainNodeResponse objects */
                objects?: (number|null);

                /** DrainNodeResponse objectBytes */
                objectBytes?: (number|null);

                /** DrainNodeResponse leftMs */
                leftMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DrainNodeResponse. */
            type $Shape = palimpsest.v1.DrainNodeResponse.$Properties;
        }

        /**
         * Properties of a SetWaitingRequest.
         * @deprecated Use palimpsest.v1.SetWaitingRequest.$Properties instead.
         */
        interface ISetWaitingRequest extends palimpsest.v1.SetWaitingRequest.$Properties {
        }

        /** Represents a SetWaitingRequest. */
        class SetWaitingRequest {

            /**
             * Constructs a new SetWaitingRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SetWaitingRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SetWaitingRequest actorId. */
            actorId: string;

            /** SetWaitingRequest incarnation. */
            incarnation: number;

            /** SetWaitingRequest waiting. */
            waiting: boolean;

            /** SetWaitingRequest revision. */
            revision: number;

            /**
             * Creates a new SetWaitingRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SetWaitingRequest instance
             */
            static create(properties: palimpsest.v1.SetWaitingRequest.$Shape): palimpsest.v1.SetWaitingRequest & palimpsest.v1.SetWaitingRequest.$Shape;
            static create(properties?: palimpsest.v1.SetWaitingRequest.$Properties): palimpsest.v1.SetWaitingRequest;

            /**
             * Encodes the specified SetWaitingRequest message. Does not implicitly {@link palimpsest.v1.SetWaitingRequest.verify|verify} messages.
             * @param message SetWaitingRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SetWaitingRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SetWaitingRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SetWaitingRequest & palimpsest.v1.SetWaitingRequest.$Shape} SetWaitingRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SetWaitingRequest & palimpsest.v1.SetWaitingRequest.$Shape;
        }

        namespace SetWaitingRequest {

            /** Properties of a SetWaitingRequest. */
            interface $Properties {

                /** SetWaitingRequest actorId */
                actorId?: (string|null);

                /** SetWaitingRequest incarnation */
                incarnation?: (number|null);

                /** SetWaitingRequest waiting */
                waiting?: (boolean|null);

                /** SetWaitingRequest revision */
                revision?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SetWaitingRequest. */
            type $Shape = palimpsest.v1.SetWaitingRequest.$Properties;
        }

        /**
         * Properties of a SetWaitingResponse.
         * @deprecated Use palimpsest.v1.SetWaitingResponse.$Properties instead.
         */
        interface ISetWaitingResponse extends palimpsest.v1.SetWaitingResponse.$Properties {
        }

        /** Represents a SetWaitingResponse. */
        class SetWaitingResponse {

            /**
             * Constructs a new SetWaitingResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SetWaitingResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new SetWaitingResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SetWaitingResponse instance
             */
            static create(properties: palimpsest.v1.SetWaitingResponse.$Shape): palimpsest.v1.SetWaitingResponse & palimpsest.v1.SetWaitingResponse.$Shape;
            static create(properties?: palimpsest.v1.SetWaitingResponse.$Properties): palimpsest.v1.SetWaitingResponse;

            /**
             * Encodes the specified SetWaitingResponse message. Does not implicitly {@link palimpsest.v1.SetWaitingResponse.verify|verify} messages.
             * @param message SetWaitingResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SetWaitingResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SetWaitingResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SetWaitingResponse & palimpsest.v1.SetWaitingResponse.$Shape} SetWaitingResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SetWaitingResponse & palimpsest.v1.SetWaitingResponse.$Shape;
        }

        namespace SetWaitingResponse {

            /** Properties of a SetWaitingResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SetWaitingResponse. */
            type $Shape = palimpsest.v1.SetWaitingResponse.$Properties;
        }

        /**
         * Properties of a ListQueuesRequest.
         * @deprecated Use palimpsest.v1.ListQueuesRequest.$Properties instead.
         */
        interface IListQueuesRequest extends palimpsest.v1.ListQueuesRequest.$Properties {
        }

        /** Represents a ListQueuesRequest. */
        class ListQueuesRequest {

            /**
             * Constructs a new ListQueuesRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListQueuesRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ListQueuesRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListQueuesRequest instance
             */
            static create(properties: palimpsest.v1.ListQueuesRequest.$Shape): palimpsest.v1.ListQueuesRequest & palimpsest.v1.ListQueuesRequest.$Shape;
            static create(properties?: palimpsest.v1.ListQueuesRequest.$Properties): palimpsest.v1.ListQueuesRequest;

            /**
             * Encodes the specified ListQueuesRequest message. Does not implicitly {@link palimpsest.v1.ListQueuesRequest.verify|verify} messages.
             * @param message ListQueuesRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListQueuesRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListQueuesRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListQueuesRequest & palimpsest.v1.ListQueuesRequest.$Shape} ListQueuesRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListQueuesRequest & palimpsest.v1.ListQueuesRequest.$Shape;
        }

        namespace ListQueuesRequest {

            /** Properties of a ListQueuesRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListQueuesRequest. */
            type $Shape = palimpsest.v1.ListQueuesRequest.$Properties;
        }

        /**
         * Properties of a QueueInfo.
         * @deprecated Use palimpsest.v1.QueueInfo.$Properties instead.
         */
        interface IQueueInfo extends palimpsest.v1.QueueInfo.$Properties {
        }

        /** Represents a QueueInfo. */
        class QueueInfo {

            /**
             * Constructs a new QueueInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.QueueInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** QueueInfo name. */
            name: string;

            /** QueueInfo waiting. */
            waiting: number;

            /** QueueInfo active. */
            active: number;

            /** QueueInfo waitingChildren. */
            waitingChildren: number;

            /** QueueInfo delayed. */
            delayed: number;

            /** QueueInfo failed. */
            failed: number;

            /**
             * Creates a new QueueInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns QueueInfo instance
             */
            static create(properties: palimpsest.v1.QueueInfo.$Shape): palimpsest.v1.QueueInfo & palimpsest.v1.QueueInfo.$Shape;
            static create(properties?: palimpsest.v1.QueueInfo.$Properties): palimpsest.v1.QueueInfo;

            /**
             * Encodes the specified QueueInfo message. Does not implicitly {@link palimpsest.v1.QueueInfo.verify|verify} messages.
             * @param message QueueInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.QueueInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a QueueInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.QueueInfo & palimpsest.v1.QueueInfo.$Shape} QueueInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.QueueInfo & palimpsest.v1.QueueInfo.$Shape;
        }

        namespace QueueInfo {

            /** Properties of a QueueInfo. */
            interface $Properties {

                /** QueueInfo name */
                name?: (string|null);

                /** QueueInfo waiting */
                waiting?: (number|null);

                /** QueueInfo active */
                active?: (number|null);

                /** QueueInfo waitingChildren */
                waitingChildren?: (number|null);

                /** QueueInfo delayed */
                delayed?: (number|null);

                /** QueueInfo failed */
                failed?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a QueueInfo. */
            type $Shape = palimpsest.v1.QueueInfo.$Properties;
        }

        /**
         * Properties of a ListQueuesResponse.
         * @deprecated Use palimpsest.v1.ListQueuesResponse.$Properties instead.
         */
        interface IListQueuesResponse extends palimpsest.v1.ListQueuesResponse.$Properties {
        }

        /** Represents a ListQueuesResponse. */
        class ListQueuesResponse {

            /**
             * Constructs a new ListQueuesResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListQueuesResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListQueuesResponse queues. */
            queues: palimpsest.v1.QueueInfo.$Properties[];

            /**
             * Creates a new ListQueuesResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListQueuesResponse instance
             */
            static create(properties: palimpsest.v1.ListQueuesResponse.$Shape): palimpsest.v1.ListQueuesResponse & palimpsest.v1.ListQueuesResponse.$Shape;
            static create(properties?: palimpsest.v1.ListQueuesResponse.$Properties): palimpsest.v1.ListQueuesResponse;

            /**
             * Encodes the specified ListQueuesResponse message. Does not implicitly {@link palimpsest.v1.ListQueuesResponse.verify|verify} messages.
             * @param message ListQueuesResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListQueuesResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListQueuesResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListQueuesResponse & palimpsest.v1.ListQueuesResponse.$Shape} ListQueuesResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListQueuesResponse & palimpsest.v1.ListQueuesResponse.$Shape;
        }

        namespace ListQueuesResponse {

            /** Properties of a ListQueuesResponse. */
            interface $Properties {

                /** ListQueuesResponse queues */
                queues?: (palimpsest.v1.QueueInfo.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListQueuesResponse. */
            type $Shape = palimpsest.v1.ListQueuesResponse.$Properties;
        }

        /**
         * Properties of a ShutdownRequest.
         * @deprecated Use palimpsest.v1.ShutdownRequest.$Properties instead.
         */
        interface IShutdownRequest extends palimpsest.v1.ShutdownRequest.$Properties {
        }

        /** Represents a ShutdownRequest. */
        class ShutdownRequest {

            /**
             * Constructs a new ShutdownRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ShutdownRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ShutdownRequest all. */
            all: boolean;

            /**
             * Creates a new ShutdownRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ShutdownRequest instance
             */
            static create(properties: palimpsest.v1.ShutdownRequest.$Shape): palimpsest.v1.ShutdownRequest & palimpsest.v1.ShutdownRequest.$Shape;
            static create(properties?: palimpsest.v1.ShutdownRequest.$Properties): palimpsest.v1.ShutdownRequest;

            /**
             * Encodes the specified ShutdownRequest message. Does not implicitly {@link palimpsest.v1.ShutdownRequest.verify|verify} messages.
             * @param message ShutdownRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ShutdownRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ShutdownRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ShutdownRequest & palimpsest.v1.ShutdownRequest.$Shape} ShutdownRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ShutdownRequest & palimpsest.v1.ShutdownRequest.$Shape;
        }

        namespace ShutdownRequest {

            /** Properties of a ShutdownRequest. */
            interface $Properties {

                /** ShutdownRequest all */
                all?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ShutdownRequest. */
            type $Shape = palimpsest.v1.ShutdownRequest.$Properties;
        }

        /**
         * Properties of a ShutdownResponse.
         * @deprecated Use palimpsest.v1.ShutdownResponse.$Properties instead.
         */
        interface IShutdownResponse extends palimpsest.v1.ShutdownResponse.$Properties {
        }

        /** Represents a ShutdownResponse. */
        class ShutdownResponse {

            /**
             * Constructs a new ShutdownResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ShutdownResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ShutdownResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ShutdownResponse instance
             */
            static create(properties: palimpsest.v1.ShutdownResponse.$Shape): palimpsest.v1.ShutdownResponse & palimpsest.v1.ShutdownResponse.$Shape;
            static create(properties?: palimpsest.v1.ShutdownResponse.$Properties): palimpsest.v1.ShutdownResponse;

            /**
             * Encodes the specified ShutdownResponse message. Does not implicitly {@link palimpsest.v1.ShutdownResponse.verify|verify} messages.
             * @param message ShutdownResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ShutdownResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ShutdownResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ShutdownResponse & palimpsest.v1.ShutdownResponse.$Shape} ShutdownResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ShutdownResponse & palimpsest.v1.ShutdownResponse.$Shape;
        }

        namespace ShutdownResponse {

            /** Properties of a ShutdownResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ShutdownResponse. */
            type $Shape = palimpsest.v1.ShutdownResponse.$Properties;
        }

        /**
         * Properties of a LocateObjectRequest.
         * @deprecated Use palimpsest.v1.LocateObjectRequest.$Properties instead.
         */
        interface ILocateObjectRequest extends palimpsest.v1.LocateObjectRequest.$Properties {
        }

        /** Represents a LocateObjectRequest. */
        class LocateObjectRequest {

            /**
             * Constructs a new LocateObjectRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LocateObjectRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LocateObjectRequest objectId. */
            objectId: string;

            /** LocateObjectRequest waitMs. */
            waitMs: number;

            /** LocateObjectRequest askingMs. */
            askingMs: number;

            /** LocateObjectRequest nodeId. */
            nodeId: string;

            /**
             * Creates a new LocateObjectRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LocateObjectRequest instance
             */
            static create(properties: palimpsest.v1.LocateObjectRequest.$Shape): palimpsest.v1.LocateObjectRequest & palimpsest.v1.LocateObjectRequest.$Shape;
            static create(properties?: palimpsest.v1.LocateObjectRequest.$Properties): palimpsest.v1.LocateObjectRequest;

            /**
             * Encodes the specified LocateObjectRequest message. Does not implicitly {@link palimpsest.v1.LocateObjectRequest.verify|verify} messages.
             * @param message LocateObjectRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LocateObjectRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LocateObjectRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LocateObjectRequest & palimpsest.v1.LocateObjectRequest.$Shape} LocateObjectRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LocateObjectRequest & palimpsest.v1.LocateObjectRequest.$Shape;
        }

        namespace LocateObjectRequest {

            /** Properties of a LocateObjectRequest. */
            interface $Properties {

                /** LocateObjectRequest objectId */
                objectId?: (string|null);

                /** LocateObjectRequest waitMs */
                waitMs?: (number|null);

                /** LocateObjectRequest askingMs */
                askingMs?: (number|null);

                /** LocateObjectRequest nodeId */
                nodeId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LocateObjectRequest. */
            type $Shape = palimpsest.v1.LocateObjectRequest.$Properties;
        }

        /**
         * Properties of a LocateObjectResponse.
         * @deprecated Use palimpsest.v1.LocateObjectResponse.$Properties instead.
         */
        interface ILocateObjectResponse extends palimpsest.v1.LocateObjectResponse.$Properties {
        }

        /** Represents a LocateObjectResponse. */
        class LocateObjectResponse {

            /**
             * Constructs a new LocateObjectResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LocateObjectResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LocateObjectResponse addresses. */
            addresses: string[];

            /** LocateObjectResponse complete. */
            complete: boolean;

            /** LocateObjectResponse sizeBytes. */
            sizeBytes: number;

            /** LocateObjectResponse fetchingAddresses. */
            fetchingAddresses: string[];

            /**
             * Creates a new LocateObjectResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LocateObjectResponse instance
             */
            static create(properties: palimpsest.v1.LocateObjectResponse.$Shape): palimpsest.v1.LocateObjectResponse & palimpsest.v1.LocateObjectResponse.$Shape;
            static create(properties?: palimpsest.v1.LocateObjectResponse.$Properties): palimpsest.v1.LocateObjectResponse;

            /**
             * Encodes the specified LocateObjectResponse message. Does not implicitly {@link palimpsest.v1.LocateObjectResponse.verify|verify} messages.
             * @param message LocateObjectResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LocateObjectResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LocateObjectResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LocateObjectResponse & palimpsest.v1.LocateObjectResponse.$Shape} LocateObjectResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LocateObjectResponse & palimpsest.v1.LocateObjectResponse.$Shape;
        }

        namespace LocateObjectResponse {

            /** Properties of a LocateObjectResponse. */
            interface $Properties {

                /** LocateObjectResponse addresses */
                addresses?: (string[]|null);

                /** LocateObjectResponse complete */
                complete?: (boolean|null);

                /** LocateObjectResponse sizeBytes */
                sizeBytes?: (number|null);

                /** LocateObjectResponse fetchingAddresses */
                fetchingAddresses?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LocateObjectResponse. */
            type $Shape = palimpsest.v1.LocateObjectResponse.$Properties;
        }

        /**
         * Properties of a RecoverObjectRequest.
         * @deprecated Use palimpsest.v1.RecoverObjectRequest.$Properties instead.
         */
        interface IRecoverObjectRequest extends palimpsest.v1.RecoverObjectRequest.$Properties {
        }

        /** Represents a RecoverObjectRequest. */
        class RecoverObjectRequest {

            /**
             * Constructs a new RecoverObjectRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RecoverObjectRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecoverObjectRequest objectId. */
            objectId: string;

            /** RecoverObjectRequest ownerId. */
            ownerId: string;

            /** RecoverObjectRequest waitMs. */
            waitMs: number;

            /**
             * Creates a new RecoverObjectRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecoverObjectRequest instance
             */
            static create(properties: palimpsest.v1.RecoverObjectRequest.$Shape): palimpsest.v1.RecoverObjectRequest & palimpsest.v1.RecoverObjectRequest.$Shape;
            static create(properties?: palimpsest.v1.RecoverObjectRequest.$Properties): palimpsest.v1.RecoverObjectRequest;

            /**
             * Encodes the specified RecoverObjectRequest message. Does not implicitly {@link palimpsest.v1.RecoverObjectRequest.verify|verify} messages.
             * @param message RecoverObjectRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RecoverObjectRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecoverObjectRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RecoverObjectRequest & palimpsest.v1.RecoverObjectRequest.$Shape} RecoverObjectRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RecoverObjectRequest & palimpsest.v1.RecoverObjectRequest.$Shape;
        }

        namespace RecoverObjectRequest {

            /** Properties of a RecoverObjectRequest. */
            interface $Properties {

                /** RecoverObjectRequest objectId */
                objectId?: (string|null);

                /** RecoverObjectRequest ownerId */
                ownerId?: (string|null);

                /** RecoverObjectRequest waitMs */
                waitMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecoverObjectRequest. */
            type $Shape = palimpsest.v1.RecoverObjectRequest.$Properties;
        }

        /**
         * Properties of a RecoverObjectResponse.
         * @deprecated Use palimpsest.v1.RecoverObjectResponse.$Properties instead.
         */
        interface IRecoverObjectResponse extends palimpsest.v1.RecoverObjectResponse.$Properties {
        }

        /** Represents a RecoverObjectResponse. */
        class RecoverObjectResponse {

            /**
             * Constructs a new RecoverObjectResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RecoverObjectResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecoverObjectResponse answered. */
            answered: boolean;

            /** RecoverObjectResponse error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /** RecoverObjectResponse ownerLives. */
            ownerLives: boolean;

            /**
             * Creates a new RecoverObjectResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecoverObjectResponse instance
             */
            static create(properties: palimpsest.v1.RecoverObjectResponse.$Shape): palimpsest.v1.RecoverObjectResponse & palimpsest.v1.RecoverObjectResponse.$Shape;
            static create(properties?: palimpsest.v1.RecoverObjectResponse.$Properties): palimpsest.v1.RecoverObjectResponse;

            /**
             * Encodes the specified RecoverObjectResponse message. Does not implicitly {@link palimpsest.v1.RecoverObjectResponse.verify|verify} messages.
             * @param message RecoverObjectResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RecoverObjectResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecoverObjectResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RecoverObjectResponse & palimpsest.v1.RecoverObjectResponse.$Shape} RecoverObjectResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RecoverObjectResponse & palimpsest.v1.RecoverObjectResponse.$Shape;
        }

        namespace RecoverObjectResponse {

            /** Properties of a RecoverObjectResponse. */
            interface $Properties {

                /** RecoverObjectResponse answered */
                answered?: (boolean|null);

                /** RecoverObjectResponse error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** RecoverObjectResponse ownerLives */
                ownerLives?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecoverObjectResponse. */
            type $Shape = palimpsest.v1.RecoverObjectResponse.$Properties;
        }

        /**
         * Properties of a FreeObjectsRequest.
         * @deprecated Use palimpsest.v1.FreeObjectsRequest.$Properties instead.
         */
        interface IFreeObjectsRequest extends palimpsest.v1.FreeObjectsRequest.$Properties {
        }

        /** Represents a FreeObjectsRequest. */
        class FreeObjectsRequest {

            /**
             * Constructs a new FreeObjectsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FreeObjectsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** FreeObjectsRequest objectIds. */
            objectIds: string[];

            /** FreeObjectsRequest holder. */
            holder: string;

            /**
             * Creates a new FreeObjectsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FreeObjectsRequest instance
             */
            static create(properties: palimpsest.v1.FreeObjectsRequest.$Shape): palimpsest.v1.FreeObjectsRequest & palimpsest.v1.FreeObjectsRequest.$Shape;
            static create(properties?: palimpsest.v1.FreeObjectsRequest.$Properties): palimpsest.v1.FreeObjectsRequest;

            /**
             * Encodes the specified FreeObjectsRequest message. Does not implicitly {@link palimpsest.v1.FreeObjectsRequest.verify|verify} messages.
             * @param message FreeObjectsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FreeObjectsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FreeObjectsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FreeObjectsRequest & palimpsest.v1.FreeObjectsRequest.$Shape} FreeObjectsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FreeObjectsRequest & palimpsest.v1.FreeObjectsRequest.$Shape;
        }

        namespace FreeObjectsRequest {

            /** Properties of a FreeObjectsRequest. */
            interface $Properties {

                /** FreeObjectsRequest objectIds */
                objectIds?: (string[]|null);

                /** FreeObjectsRequest holder */
                holder?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FreeObjectsRequest. */
            type $Shape = palimpsest.v1.FreeObjectsRequest.$Properties;
        }

        /**
         * Properties of a FreeObjectsResponse.
         * @deprecated Use palimpsest.v1.FreeObjectsResponse.$Properties instead.
         */
        interface IFreeObjectsResponse extends palimpsest.v1.FreeObjectsResponse.$Properties {
        }

        /** Represents a FreeObjectsResponse. */
        class FreeObjectsResponse {

            /**
             * Constructs a new FreeObjectsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.FreeObjectsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new FreeObjectsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns FreeObjectsResponse instance
             */
            static create(properties: palimpsest.v1.FreeObjectsResponse.$Shape): palimpsest.v1.FreeObjectsResponse & palimpsest.v1.FreeObjectsResponse.$Shape;
            static create(properties?: palimpsest.v1.FreeObjectsResponse.$Properties): palimpsest.v1.FreeObjectsResponse;

            /**
             * Encodes the specified FreeObjectsResponse message. Does not implicitly {@link palimpsest.v1.FreeObjectsResponse.verify|verify} messages.
             * @param message FreeObjectsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.FreeObjectsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a FreeObjectsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.FreeObjectsResponse & palimpsest.v1.FreeObjectsResponse.$Shape} FreeObjectsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.FreeObjectsResponse & palimpsest.v1.FreeObjectsResponse.$Shape;
        }

        namespace FreeObjectsResponse {

            /** Properties of a FreeObjectsResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a FreeObjectsResponse. */
            type $Shape = palimpsest.v1.FreeObjectsResponse.$Properties;
        }

        /**
         * Properties of a MissingObjectsRequest.
         * @deprecated Use palimpsest.v1.MissingObjectsRequest.$Properties instead.
         */
        interface IMissingObjectsRequest extends palimpsest.v1.MissingObjectsRequest.$Properties {
        }

        /** Represents a MissingObjectsRequest. */
        class MissingObjectsRequest {

            /**
             * Constructs a new MissingObjectsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MissingObjectsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MissingObjectsRequest objectIds. */
            objectIds: string[];

            /**
             * Creates a new MissingObjectsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MissingObjectsRequest instance
             */
            static create(properties: palimpsest.v1.MissingObjectsRequest.$Shape): palimpsest.v1.MissingObjectsRequest & palimpsest.v1.MissingObjectsRequest.$Shape;
            static create(properties?: palimpsest.v1.MissingObjectsRequest.$Properties): palimpsest.v1.MissingObjectsRequest;

            /**
             * Encodes the specified MissingObjectsRequest message. Does not implicitly {@link palimpsest.v1.MissingObjectsRequest.verify|verify} messages.
             * @param message MissingObjectsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MissingObjectsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MissingObjectsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MissingObjectsRequest & palimpsest.v1.MissingObjectsRequest.$Shape} MissingObjectsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MissingObjectsRequest & palimpsest.v1.MissingObjectsRequest.$Shape;
        }

        namespace MissingObjectsRequest {

            /** Properties of a MissingObjectsRequest. */
            interface $Properties {

                /** MissingObjectsRequest objectIds */
                objectIds?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MissingObjectsRequest. */
            type $Shape = palimpsest.v1.MissingObjectsRequest.$Properties;
        }

        /**
         * Properties of a MissingObjectsResponse.
         * @deprecated Use palimpsest.v1.MissingObjectsResponse.$Properties instead.
         */
        interface IMissingObjectsResponse extends palimpsest.v1.MissingObjectsResponse.$Properties {
        }

        /** Represents a MissingObjectsResponse. */
        class MissingObjectsResponse {

            /**
             * Constructs a new MissingObjectsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MissingObjectsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MissingObjectsResponse objectIds. */
            objectIds: string[];

            /** MissingObjectsResponse complete. */
            complete: boolean;

            /**
             * Creates a new MissingObjectsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MissingObjectsResponse instance
             */
            static create(properties: palimpsest.v1.MissingObjectsResponse.$Shape): palimpsest.v1.MissingObjectsResponse & palimpsest.v1.MissingObjectsResponse.$Shape;
            static create(properties?: palimpsest.v1.MissingObjectsResponse.$Properties): palimpsest.v1.MissingObjectsResponse;

            /**
             * Encodes the specified MissingObjectsResponse message. Does not implicitly {@link palimpsest.v1.MissingObjectsResponse.verify|verify} messages.
             * @param message MissingObjectsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MissingObjectsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MissingObjectsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MissingObjectsResponse & palimpsest.v1.MissingObjectsResponse.$Shape} MissingObjectsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MissingObjectsResponse & palimpsest.v1.MissingObjectsResponse.$Shape;
        }

        namespace MissingObjectsResponse {

            /** Properties of a MissingObjectsResponse. */
            interface $Properties {

                /** MissingObjectsResponse objectIds */
                objectIds?: (string[]|null);

                /** MissingObjectsResponse complete */
                complete?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MissingObjectsResponse. */
            type $Shape = palimpsest.v1.MissingObjectsResponse.$Properties;
        }

        /**
         * Properties of a ListObjectsRequest.
         * @deprecated Use palimpsest.v1.ListObjectsRequest.$Properties instead.
         */
        interface IListObjectsRequest extends palimpsest.v1.ListObjectsRequest.$Properties {
        }

        /** Represents a ListObjectsRequest. */
        class ListObjectsRequest {

            /**
             * Constructs a new ListObjectsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListObjectsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListObjectsRequest limit. */
            limit: number;

            /**
             * Creates a new ListObjectsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListObjectsRequest instance
             */
            static create(properties: palimpsest.v1.ListObjectsRequest.$Shape): palimpsest.v1.ListObjectsRequest & palimpsest.v1.ListObjectsRequest.$Shape;
            static create(properties?: palimpsest.v1.ListObjectsRequest.$Properties): palimpsest.v1.ListObjectsRequest;

            /**
             * Encodes the specified ListObjectsRequest message. Does not implicitly {@link palimpsest.v1.ListObjectsRequest.verify|verify} messages.
             * @param message ListObjectsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListObjectsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListObjectsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListObjectsRequest & palimpsest.v1.ListObjectsRequest.$Shape} ListObjectsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListObjectsRequest & palimpsest.v1.ListObjectsRequest.$Shape;
        }

        namespace ListObjectsRequest {

            /** Properties of a ListObjectsRequest. */
            interface $Properties {

                /** ListObjectsRequest limit */
                limit?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListObjectsRequest. */
            type $Shape = palimpsest.v1.ListObjectsRequest.$Properties;
        }

        /**
         * Properties of an ObjectRow.
         * @deprecated Use palimpsest.v1.ObjectRow.$Properties instead.
         */
        interface IObjectRow extends palimpsest.v1.ObjectRow.$Properties {
        }

        /** Represents an ObjectRow. */
        class ObjectRow {

            /**
             * Constructs a new ObjectRow.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectRow.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectRow objectId. */
            objectId: string;

            /** ObjectRow sizeBytes. */
            sizeBytes: number;

            /** ObjectRow holdingNodeIds. */
            holdingNodeIds: string[];

            /** ObjectRow copyNodeIds. */
            copyNodeIds: string[];

            /** ObjectRow spilledNodeIds. */
            spilledNodeIds: string[];

            /**
             * Creates a new ObjectRow instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectRow instance
             */
            static create(properties: palimpsest.v1.ObjectRow.$Shape): palimpsest.v1.ObjectRow & palimpsest.v1.ObjectRow.$Shape;
            static create(properties?: palimpsest.v1.ObjectRow.$Properties): palimpsest.v1.ObjectRow;

            /**
             * Encodes the specified ObjectRow message. Does not implicitly {@link palimpsest.v1.ObjectRow.verify|verify} messages.
             * @param message ObjectRow message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectRow.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectRow message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectRow & palimpsest.v1.ObjectRow.$Shape} ObjectRow
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectRow & palimpsest.v1.ObjectRow.$Shape;
        }

        namespace ObjectRow {

            /** Properties of an ObjectRow. */
            interface $Properties {

                /** ObjectRow objectId */
                objectId?: (string|null);

                /** ObjectRow sizeBytes */
                sizeBytes?: (number|null);

                /** ObjectRow holdingNodeIds */
                holdingNodeIds?: (string[]|null);

                /** ObjectRow copyNodeIds */
                copyNodeIds?: (string[]|null);

                /** ObjectRow spilledNodeIds */
                spilledNodeIds?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectRow. */
            type $Shape = palimpsest.v1.ObjectRow.$Properties;
        }

        /**
         * Properties of a ListObjectsResponse.
         * @deprecated Use palimpsest.v1.ListObjectsResponse.$Properties instead.
         */
        interface IListObjectsResponse extends palimpsest.v1.ListObjectsResponse.$Properties {
        }

        /** Represents a ListObjectsResponse. */
        class ListObjectsResponse {

            /**
             * Constructs a new ListObjectsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListObjectsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListObjectsResponse objects. */
            objects: palimpsest.v1.ObjectRow.$Properties[];

            /** ListObjectsResponse totalObjects. */
            totalObjects: number;

            /**
             * Creates a new ListObjectsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListObjectsResponse instance
             */
            static create(properties: palimpsest.v1.ListObjectsResponse.$Shape): palimpsest.v1.ListObjectsResponse & palimpsest.v1.ListObjectsResponse.$Shape;
            static create(properties?: palimpsest.v1.ListObjectsResponse.$Properties): palimpsest.v1.ListObjectsResponse;

            /**
             * Encodes the specified ListObjectsResponse message. Does not implicitly {@link palimpsest.v1.ListObjectsResponse.verify|verify} messages.
             * @param message ListObjectsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListObjectsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListObjectsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListObjectsResponse & palimpsest.v1.ListObjectsResponse.$Shape} ListObjectsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListObjectsResponse & palimpsest.v1.ListObjectsResponse.$Shape;
        }

        namespace ListObjectsResponse {

            /** Properties of a ListObjectsResponse. */
            interface $Properties {

                /** ListObjectsResponse objects */
                objects?: (palimpsest.v1.ObjectRow.$Properties[]|null);

                /** ListObjectsResponse totalObjects */
                totalObjects?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListObjectsResponse. */
            type $Shape = palimpsest.v1.ListObjectsResponse.$Properties;
        }

        /** TaskKind enum. */
        enum TaskKind {

            /** TASK_KIND_UNSPECIFIED value */
            TASK_KIND_UNSPECIFIED = 0,

            /** TASK_KIND_TASK value */
            TASK_KIND_TASK = 1,

            /** TASK_KIND_CALL value */
            TASK_KIND_CALL = 2,

            /** TASK_KIND_TRANSFER value */
            TASK_KIND_TRANSFER = 3
        }

        /** TaskState enum. */
        enum TaskState {

            /** TASK_STATE_UNSPECIFIED value */
            TASK_STATE_UNSPECIFIED = 0,

            /** TASK_STATE_PENDING value */
            TASK_STATE_PENDING = 1,

            /** TASK_STATE_RUNNING value */
            TASK_STATE_RUNNING = 2,

            /** TASK_STATE_FINISHED value */
            TASK_STATE_FINISHED = 3,

            /** TASK_STATE_FAILED value */
            TASK_STATE_FAILED = 4,

            /** TASK_STATE_CANCELLED value */
            TASK_STATE_CANCELLED = 5
        }

        /**
         * Properties of a TaskEvent.
         * @deprecated Use palimpsest.v1.TaskEvent.$Properties instead.
         */
        interface ITaskEvent extends palimpsest.v1.TaskEvent.$Properties {
        }

        /** Represents a TaskEvent. */
        class TaskEvent {

            /**
             * Constructs a new TaskEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TaskEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TaskEvent taskId. */
            taskId: string;

            /** TaskEvent kind. */
            kind: palimpsest.v1.TaskKind;

            /** TaskEvent name. */
            name: string;

            /** TaskEvent state. */
            state: palimpsest.v1.TaskState;

            /** TaskEvent actorId. */
            actorId: string;

            /** TaskEvent incarnation. */
            incarnation: number;

            /** TaskEvent nodeId. */
            nodeId: string;

            /** TaskEvent pid. */
            pid: number;

            /** TaskEvent jobId. */
            jobId: string;

            /** TaskEvent callerId. */
            callerId: string;

            /** TaskEvent queuedAtUs. */
            queuedAtUs: number;

            /** TaskEvent startedAtUs. */
            startedAtUs: number;

            /** TaskEvent endedAtUs. */
            endedAtUs: number;

            /** TaskEvent errorCode. */
            errorCode: string;

            /** TaskEvent errorMessage. */
            errorMessage: string;

            /** TaskEvent objectId. */
            objectId: string;

            /** TaskEvent sizeBytes. */
            sizeBytes: number;

            /** TaskEvent peerAddress. */
            peerAddress: string;

            /** TaskEvent sequence. */
            sequence: number;

            /** TaskEvent role. */
            role: string;

            /**
             * Creates a new TaskEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TaskEvent instance
             */
            static create(properties: palimpsest.v1.TaskEvent.$Shape): palimpsest.v1.TaskEvent & palimpsest.v1.TaskEvent.$Shape;
            static create(properties?: palimpsest.v1.TaskEvent.$Properties): palimpsest.v1.TaskEvent;

            /**
             * Encodes the specified TaskEvent message. Does not implicitly {@link palimpsest.v1.TaskEvent.verify|verify} messages.
             * @param message TaskEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TaskEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TaskEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TaskEvent & palimpsest.v1.TaskEvent.$Shape} TaskEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TaskEvent & palimpsest.v1.TaskEvent.$Shape;
        }

        namespace TaskEvent {

            /** Properties of a TaskEvent. */
            interface $Properties {

                /** TaskEvent taskId */
                taskId?: (string|null);

                /** TaskEvent kind */
                kind?: (palimpsest.v1.TaskKind|null);

                /** TaskEvent name */
                name?: (string|null);

                /** TaskEvent state */
                state?: (palimpsest.v1.TaskState|null);

                /** TaskEvent actorId */
                actorId?: (string|null);

                /** TaskEvent incarnation */
                incarnation?: (number|null);

                /** TaskEvent nodeId */
                nodeId?: (string|null);

                /** TaskEvent pid */
                pid?: (number|null);

                /** TaskEvent jobId */
                jobId?: (string|null);

                /** TaskEvent callerId */
                callerId?: (string|null);

                /** TaskEvent queuedAtUs */
                queuedAtUs?: (number|null);

                /** TaskEvent startedAtUs */
                startedAtUs?: (number|null);

                /** TaskEvent endedAtUs */
                endedAtUs?: (number|null);

                /** TaskEvent errorCode */
                errorCode?: (string|null);

                /** TaskEvent errorMessage */
                errorMessage?: (string|null);

                /** TaskEvent objectId */
                objectId?: (string|null);

                /** TaskEvent sizeBytes */
                sizeBytes?: (number|null);

                /** TaskEvent peerAddress */
                peerAddress?: (string|null);

                /** TaskEvent sequence */
                sequence?: (number|null);

                /** TaskEvent role */
                role?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TaskEvent. */
            type $Shape = palimpsest.v1.TaskEvent.$Properties;
        }

        /**
         * Properties of a TaskCounts.
         * @deprecated Use palimpsest.v1.TaskCounts.$Properties instead.
         */
        interface ITaskCounts extends palimpsest.v1.TaskCounts.$Properties {
        }

        /** Represents a TaskCounts. */
        class TaskCounts {

            /**
             * Constructs a new TaskCounts.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TaskCounts.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TaskCounts kind. */
            kind: palimpsest.v1.TaskKind;

            /** TaskCounts name. */
            name: string;

            /** TaskCounts jobId. */
            jobId: string;

            /** TaskCounts finished. */
            finished: number;

            /** TaskCounts failed. */
            failed: number;

            /** TaskCounts cancelled. */
            cancelled: number;

            /** TaskCounts ranUs. */
            ranUs: number;

            /** TaskCounts pending. */
            pending: number;

            /** TaskCounts running. */
            running: number;

            /** TaskCounts leftOut. */
            leftOut: number;

            /**
             * Creates a new TaskCounts instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TaskCounts instance
             */
            static create(properties: palimpsest.v1.TaskCounts.$Shape): palimpsest.v1.TaskCounts & palimpsest.v1.TaskCounts.$Shape;
            static create(properties?: palimpsest.v1.TaskCounts.$Properties): palimpsest.v1.TaskCounts;

            /**
             * Encodes the specified TaskCounts message. Does not implicitly {@link palimpsest.v1.TaskCounts.verify|verify} messages.
             * @param message TaskCounts message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TaskCounts.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TaskCounts message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TaskCounts & palimpsest.v1.TaskCounts.$Shape} TaskCounts
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TaskCounts & palimpsest.v1.TaskCounts.$Shape;
        }

        namespace TaskCounts {

            /** Properties of a TaskCounts. */
            interface $Properties {

                /** TaskCounts kind */
                kind?: (palimpsest.v1.TaskKind|null);

                /** TaskCounts name */
                name?: (string|null);

                /** TaskCounts jobId */
                jobId?: (string|null);

                /** TaskCounts finished */
                finished?: (number|null);

                /** TaskCounts failed */
                failed?: (number|null);

                /** TaskCounts cancelled */
                cancelled?: (number|null);

                /** TaskCounts ranUs */
                ranUs?: (number|null);

                /** TaskCounts pending */
                pending?: (number|null);

                /** TaskCounts running */
                running?: (number|null);

                /** TaskCounts leftOut */
                leftOut?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TaskCounts. */
            type $Shape = palimpsest.v1.TaskCounts.$Properties;
        }

        /**
         * Properties of a TaskReport.
         * @deprecated Use palimpsest.v1.TaskReport.$Properties instead.
         */
        interface ITaskReport extends palimpsest.v1.TaskReport.$Properties {
        }

        /** Represents a TaskReport. */
        class TaskReport {

            /**
             * Constructs a new TaskReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TaskReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TaskReport reporterId. */
            reporterId: string;

            /** TaskReport actorId. */
            actorId: string;

            /** TaskReport incarnation. */
            incarnation: number;

            /** TaskReport nodeId. */
            nodeId: string;

            /** TaskReport pid. */
            pid: number;

            /** TaskReport jobId. */
            jobId: string;

            /** TaskReport role. */
            role: string;

            /** TaskReport ended. */
            ended: palimpsest.v1.TaskEvent.$Properties[];

            /** TaskReport live. */
            live: palimpsest.v1.TaskEvent.$Properties[];

            /** TaskReport counts. */
            counts: palimpsest.v1.TaskCounts.$Properties[];

            /**
             * Creates a new TaskReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TaskReport instance
             */
            static create(properties: palimpsest.v1.TaskReport.$Shape): palimpsest.v1.TaskReport & palimpsest.v1.TaskReport.$Shape;
            static create(properties?: palimpsest.v1.TaskReport.$Properties): palimpsest.v1.TaskReport;

            /**
             * Encodes the specified TaskReport message. Does not implicitly {@link palimpsest.v1.TaskReport.verify|verify} messages.
             * @param message TaskReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TaskReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TaskReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TaskReport & palimpsest.v1.TaskReport.$Shape} TaskReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TaskReport & palimpsest.v1.TaskReport.$Shape;
        }

        namespace TaskReport {

            /** Properties of a TaskReport. */
            interface $Properties {

                /** TaskReport reporterId */
                reporterId?: (string|null);

                /** TaskReport actorId */
                actorId?: (string|null);

                /** TaskReport incarnation */
                incarnation?: (number|null);

                /** TaskReport nodeId */
                nodeId?: (string|null);

                /** TaskReport pid */
                pid?: (number|null);

                /** TaskReport jobId */
                jobId?: (string|null);

                /** TaskReport role */
                role?: (string|null);

                /** TaskReport ended */
                ended?: (palimpsest.v1.TaskEvent.$Properties[]|null);

                /** TaskReport live */
                live?: (palimpsest.v1.TaskEvent.$Properties[]|null);

                /** TaskReport counts */
                counts?: (palimpsest.v1.TaskCounts.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TaskReport. */
            type $Shape = palimpsest.v1.TaskReport.$Properties;
        }

        /**
         * Properties of a ReportTasksRequest.
         * @deprecated Use palimpsest.v1.ReportTasksRequest.$Properties instead.
         */
        interface IReportTasksRequest extends palimpsest.v1.ReportTasksRequest.$Properties {
        }

        /** Represents a ReportTasksRequest. */
        class ReportTasksRequest {

            /**
             * Constructs a new ReportTasksRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReportTasksRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReportTasksRequest report. */
            report?: (palimpsest.v1.TaskReport.$Properties|null);

            /**
             * Creates a new ReportTasksRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReportTasksRequest instance
             */
            static create(properties: palimpsest.v1.ReportTasksRequest.$Shape): palimpsest.v1.ReportTasksRequest & palimpsest.v1.ReportTasksRequest.$Shape;
            static create(properties?: palimpsest.v1.ReportTasksRequest.$Properties): palimpsest.v1.ReportTasksRequest;

            /**
             * Encodes the specified ReportTasksRequest message. Does not implicitly {@link palimpsest.v1.ReportTasksRequest.verify|verify} messages.
             * @param message ReportTasksRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReportTasksRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReportTasksRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReportTasksRequest & palimpsest.v1.ReportTasksRequest.$Shape} ReportTasksRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReportTasksRequest & palimpsest.v1.ReportTasksRequest.$Shape;
        }

        namespace ReportTasksRequest {

            /** Properties of a ReportTasksRequest. */
            interface $Properties {

                /** ReportTasksRequest report */
                report?: (palimpsest.v1.TaskReport.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReportTasksRequest. */
            type $Shape = palimpsest.v1.ReportTasksRequest.$Properties;
        }

        /**
         * Properties of a ReportTasksResponse.
         * @deprecated Use palimpsest.v1.ReportTasksResponse.$Properties instead.
         */
        interface IReportTasksResponse extends palimpsest.v1.ReportTasksResponse.$Properties {
        }

        /** Represents a ReportTasksResponse. */
        class ReportTasksResponse {

            /**
             * Constructs a new ReportTasksResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReportTasksResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ReportTasksResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReportTasksResponse instance
             */
            static create(properties: palimpsest.v1.ReportTasksResponse.$Shape): palimpsest.v1.ReportTasksResponse & palimpsest.v1.ReportTasksResponse.$Shape;
            static create(properties?: palimpsest.v1.ReportTasksResponse.$Properties): palimpsest.v1.ReportTasksResponse;

            /**
             * Encodes the specified ReportTasksResponse message. Does not implicitly {@link palimpsest.v1.ReportTasksResponse.verify|verify} messages.
             * @param message ReportTasksResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReportTasksResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReportTasksResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReportTasksResponse & palimpsest.v1.ReportTasksResponse.$Shape} ReportTasksResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReportTasksResponse & palimpsest.v1.ReportTasksResponse.$Shape;
        }

        namespace ReportTasksResponse {

            /** Properties of a ReportTasksResponse. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReportTasksResponse. */
            type $Shape = palimpsest.v1.ReportTasksResponse.$Properties;
        }

        /**
         * Properties of a ListTasksRequest.
         * @deprecated Use palimpsest.v1.ListTasksRequest.$Properties instead.
         */
        interface IListTasksRequest extends palimpsest.v1.ListTasksRequest.$Properties {
        }

        /** Represents a ListTasksRequest. */
        class ListTasksRequest {

            /**
             * Constructs a new ListTasksRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListTasksRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListTasksRequest states. */
            states: palimpsest.v1.TaskState[];

            /** ListTasksRequest kinds. */
            kinds: palimpsest.v1.TaskKind[];

            /** ListTasksRequest name. */
            name: string;

            /** ListTasksRequest jobId. */
            jobId: string;

            /** ListTasksRequest nodeId. */
            nodeId: string;

            /** ListTasksRequest actorId. */
            actorId: string;

            /** ListTasksRequest callerId. */
            callerId: string;

            /** ListTasksRequest errorCode. */
            errorCode: string;

            /** ListTasksRequest limit. */
            limit: number;

            /** ListTasksRequest pageToken. */
            pageToken: string;

            /**
             * Creates a new ListTasksRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListTasksRequest instance
             */
            static create(properties: palimpsest.v1.ListTasksRequest.$Shape): palimpsest.v1.ListTasksRequest & palimpsest.v1.ListTasksRequest.$Shape;
            static create(properties?: palimpsest.v1.ListTasksRequest.$Properties): palimpsest.v1.ListTasksRequest;

            /**
             * Encodes the specified ListTasksRequest message. Does not implicitly {@link palimpsest.v1.ListTasksRequest.verify|verify} messages.
             * @param message ListTasksRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListTasksRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListTasksRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListTasksRequest & palimpsest.v1.ListTasksRequest.$Shape} ListTasksRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListTasksRequest & palimpsest.v1.ListTasksRequest.$Shape;
        }

        namespace ListTasksRequest {

            /** Properties of a ListTasksRequest. */
            interface $Properties {

                /** ListTasksRequest states */
                states?: (palimpsest.v1.TaskState[]|null);

                /** ListTasksRequest kinds */
                kinds?: (palimpsest.v1.TaskKind[]|null);

                /** ListTasksRequest name */
                name?: (string|null);

                /** ListTasksRequest jobId */
                jobId?: (string|null);

                /** ListTasksRequest nodeId */
                nodeId?: (string|null);

                /** ListTasksRequest actorId */
                actorId?: (string|null);

                /** ListTasksRequest callerId */
                callerId?: (string|null);

                /** ListTasksRequest errorCode */
                errorCode?: (string|null);

                /** ListTasksRequest limit */
                limit?: (number|null);

                /** ListTasksRequest pageToken */
                pageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListTasksRequest. */
            type $Shape = palimpsest.v1.ListTasksRequest.$Properties;
        }

        /**
         * Properties of a ListTasksResponse.
         * @deprecated Use palimpsest.v1.ListTasksResponse.$Properties instead.
         */
        interface IListTasksResponse extends palimpsest.v1.ListTasksResponse.$Properties {
        }

        /** Represents a ListTasksResponse. */
        class ListTasksResponse {

            /**
             * Constructs a new ListTasksResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListTasksResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListTasksResponse tasks. */
            tasks: palimpsest.v1.TaskEvent.$Properties[];

            /** ListTasksResponse nextPageToken. */
            nextPageToken: string;

            /**
             * Creates a new ListTasksResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListTasksResponse instance
             */
            static create(properties: palimpsest.v1.ListTasksResponse.$Shape): palimpsest.v1.ListTasksResponse & palimpsest.v1.ListTasksResponse.$Shape;
            static create(properties?: palimpsest.v1.ListTasksResponse.$Properties): palimpsest.v1.ListTasksResponse;

            /**
             * Encodes the specified ListTasksResponse message. Does not implicitly {@link palimpsest.v1.ListTasksResponse.verify|verify} messages.
             * @param message ListTasksResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListTasksResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListTasksResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListTasksResponse & palimpsest.v1.ListTasksResponse.$Shape} ListTasksResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListTasksResponse & palimpsest.v1.ListTasksResponse.$Shape;
        }

        namespace ListTasksResponse {

            /** Properties of a ListTasksResponse. */
            interface $Properties {

                /** ListTasksResponse tasks */
                tasks?: (palimpsest.v1.TaskEvent.$Properties[]|null);

                /** ListTasksResponse nextPageToken */
                nextPageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListTasksResponse. */
            type $Shape = palimpsest.v1.ListTasksResponse.$Properties;
        }

        /**
         * Properties of a SummarizeTasksRequest.
         * @deprecated Use palimpsest.v1.SummarizeTasksRequest.$Properties instead.
         */
        interface ISummarizeTasksRequest extends palimpsest.v1.SummarizeTasksRequest.$Properties {
        }

        /** Represents a SummarizeTasksRequest. */
        class SummarizeTasksRequest {

            /**
             * Constructs a new SummarizeTasksRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SummarizeTasksRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SummarizeTasksRequest jobId. */
            jobId: string;

            /**
             * Creates a new SummarizeTasksRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SummarizeTasksRequest instance
             */
            static create(properties: palimpsest.v1.SummarizeTasksRequest.$Shape): palimpsest.v1.SummarizeTasksRequest & palimpsest.v1.SummarizeTasksRequest.$Shape;
            static create(properties?: palimpsest.v1.SummarizeTasksRequest.$Properties): palimpsest.v1.SummarizeTasksRequest;

            /**
             * Encodes the specified SummarizeTasksRequest message. Does not implicitly {@link palimpsest.v1.SummarizeTasksRequest.verify|verify} messages.
             * @param message SummarizeTasksRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SummarizeTasksRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SummarizeTasksRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SummarizeTasksRequest & palimpsest.v1.SummarizeTasksRequest.$Shape} SummarizeTasksRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SummarizeTasksRequest & palimpsest.v1.SummarizeTasksRequest.$Shape;
        }

        namespace SummarizeTasksRequest {

            /** Properties of a SummarizeTasksRequest. */
            interface $Properties {

                /** SummarizeTasksRequest jobId */
                jobId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SummarizeTasksRequest. */
            type $Shape = palimpsest.v1.SummarizeTasksRequest.$Properties;
        }

        /**
         * Properties of a SummarizeTasksResponse.
         * @deprecated Use palimpsest.v1.SummarizeTasksResponse.$Properties instead.
         */
        interface ISummarizeTasksResponse extends palimpsest.v1.SummarizeTasksResponse.$Properties {
        }

        /** Represents a SummarizeTasksResponse. */
        class SummarizeTasksResponse {

            /**
             * Constructs a new SummarizeTasksResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SummarizeTasksResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SummarizeTasksResponse counts. */
            counts: palimpsest.v1.TaskCounts.$Properties[];

            /**
             * Creates a new SummarizeTasksResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SummarizeTasksResponse instance
             */
            static create(properties: palimpsest.v1.SummarizeTasksResponse.$Shape): palimpsest.v1.SummarizeTasksResponse & palimpsest.v1.SummarizeTasksResponse.$Shape;
            static create(properties?: palimpsest.v1.SummarizeTasksResponse.$Properties): palimpsest.v1.SummarizeTasksResponse;

            /**
             * Encodes the specified SummarizeTasksResponse message. Does not implicitly {@link palimpsest.v1.SummarizeTasksResponse.verify|verify} messages.
             * @param message SummarizeTasksResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SummarizeTasksResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SummarizeTasksResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SummarizeTasksResponse & palimpsest.v1.SummarizeTasksResponse.$Shape} SummarizeTasksResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SummarizeTasksResponse & palimpsest.v1.SummarizeTasksResponse.$Shape;
        }

        namespace SummarizeTasksResponse {

            /** Properties of a SummarizeTasksResponse. */
            interface $Properties {

                /** SummarizeTasksResponse counts */
                counts?: (palimpsest.v1.TaskCounts.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a SummarizeTasksResponse. */
            type $Shape = palimpsest.v1.SummarizeTasksResponse.$Properties;
        }

        /**
         * Properties of a ClusterEvent.
         * @deprecated Use palimpsest.v1.ClusterEvent.$Properties instead.
         */
        interface IClusterEvent extends palimpsest.v1.ClusterEvent.$Properties {
        }

        /** Represents a ClusterEvent. */
        class ClusterEvent {

            /**
             * Constructs a new ClusterEvent.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ClusterEvent.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ClusterEvent sequence. */
            sequence: number;

            /** ClusterEvent atMs. */
            atMs: number;

            /** ClusterEvent kind. */
            kind: string;

            /** ClusterEvent subjectId. */
            subjectId: string;

            /** ClusterEvent nodeId. */
            nodeId: string;

            /** ClusterEvent jobId. */
            jobId: string;

            /** ClusterEvent message. */
            message: string;

            /**
             * Creates a new ClusterEvent instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ClusterEvent instance
             */
            static create(properties: palimpsest.v1.ClusterEvent.$Shape): palimpsest.v1.ClusterEvent & palimpsest.v1.ClusterEvent.$Shape;
            static create(properties?: palimpsest.v1.ClusterEvent.$Properties): palimpsest.v1.ClusterEvent;

            /**
             * Encodes the specified ClusterEvent message. Does not implicitly {@link palimpsest.v1.ClusterEvent.verify|verify} messages.
             * @param message ClusterEvent message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ClusterEvent.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ClusterEvent message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ClusterEvent & palimpsest.v1.ClusterEvent.$Shape} ClusterEvent
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ClusterEvent & palimpsest.v1.ClusterEvent.$Shape;
        }

        namespace ClusterEvent {

            /** Properties of a ClusterEvent. */
            interface $Properties {

                /** ClusterEvent sequence */
                sequence?: (number|null);

                /** ClusterEvent atMs */
                atMs?: (number|null);

                /** ClusterEvent kind */
                kind?: (string|null);

                /** ClusterEvent subjectId */
                subjectId?: (string|null);

                /** ClusterEvent nodeId */
                nodeId?: (string|null);

                /** ClusterEvent jobId */
                jobId?: (string|null);

                /** ClusterEvent message */
                message?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ClusterEvent. */
            type $Shape = palimpsest.v1.ClusterEvent.$Properties;
        }

        /**
         * Properties of a ListEventsRequest.
         * @deprecated Use palimpsest.v1.ListEventsRequest.$Properties instead.
         */
        interface IListEventsRequest extends palimpsest.v1.ListEventsRequest.$Properties {
        }

        /** Represents a ListEventsRequest. */
        class ListEventsRequest {

            /**
             * Constructs a new ListEventsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListEventsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListEventsRequest kind. */
            kind: string;

            /** ListEventsRequest subjectId. */
            subjectId: string;

            /** ListEventsRequest nodeId. */
            nodeId: string;

            /** ListEventsRequest jobId. */
            jobId: string;

            /** ListEventsRequest limit. */
            limit: number;

            /** ListEventsRequest pageToken. */
            pageToken: string;

            /**
             * Creates a new ListEventsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListEventsRequest instance
             */
            static create(properties: palimpsest.v1.ListEventsRequest.$Shape): palimpsest.v1.ListEventsRequest & palimpsest.v1.ListEventsRequest.$Shape;
            static create(properties?: palimpsest.v1.ListEventsRequest.$Properties): palimpsest.v1.ListEventsRequest;

            /**
             * Encodes the specified ListEventsRequest message. Does not implicitly {@link palimpsest.v1.ListEventsRequest.verify|verify} messages.
             * @param message ListEventsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListEventsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListEventsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListEventsRequest & palimpsest.v1.ListEventsRequest.$Shape} ListEventsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListEventsRequest & palimpsest.v1.ListEventsRequest.$Shape;
        }

        namespace ListEventsRequest {

            /** Properties of a ListEventsRequest. */
            interface $Properties {

                /** ListEventsRequest kind */
                kind?: (string|null);

                /** ListEventsRequest subjectId */
                subjectId?: (string|null);

                /** ListEventsRequest nodeId */
                nodeId?: (string|null);

                /** ListEventsRequest jobId */
                jobId?: (string|null);

                /** ListEventsRequest limit */
                limit?: (number|null);

                /** ListEventsRequest pageToken */
                pageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListEventsRequest. */
            type $Shape = palimpsest.v1.ListEventsRequest.$Properties;
        }

        /**
         * Properties of a ListEventsResponse.
         * @deprecated Use palimpsest.v1.ListEventsResponse.$Properties instead.
         */
        interface IListEventsResponse extends palimpsest.v1.ListEventsResponse.$Properties {
        }

        /** Represents a ListEventsResponse. */
        class ListEventsResponse {

            /**
             * Constructs a new ListEventsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListEventsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListEventsResponse events. */
            events: palimpsest.v1.ClusterEvent.$Properties[];

            /** ListEventsResponse nextPageToken. */
            nextPageToken: string;

            /**
             * Creates a new ListEventsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListEventsResponse instance
             */
            static create(properties: palimpsest.v1.ListEventsResponse.$Shape): palimpsest.v1.ListEventsResponse & palimpsest.v1.ListEventsResponse.$Shape;
            static create(properties?: palimpsest.v1.ListEventsResponse.$Properties): palimpsest.v1.ListEventsResponse;

            /**
             * Encodes the specified ListEventsResponse message. Does not implicitly {@link palimpsest.v1.ListEventsResponse.verify|verify} messages.
             * @param message ListEventsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListEventsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListEventsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListEventsResponse & palimpsest.v1.ListEventsResponse.$Shape} ListEventsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListEventsResponse & palimpsest.v1.ListEventsResponse.$Shape;
        }

        namespace ListEventsResponse {

            /** Properties of a ListEventsResponse. */
            interface $Properties {

                /** ListEventsResponse events */
                events?: (palimpsest.v1.ClusterEvent.$Properties[]|null);

                /** ListEventsResponse nextPageToken */
                nextPageToken?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListEventsResponse. */
            type $Shape = palimpsest.v1.ListEventsResponse.$Properties;
        }

        /**
         * Properties of a BundleChunk.
         * @deprecated Use palimpsest.v1.BundleChunk.$Properties instead.
         */
        interface IBundleChunk extends palimpsest.v1.BundleChunk.$Properties {
        }

        /** Represents a BundleChunk. */
        class BundleChunk {

            /**
             * Constructs a new BundleChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.BundleChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BundleChunk data. */
            data: Uint8Array;

            /**
             * Creates a new BundleChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BundleChunk instance
             */
            static create(properties: palimpsest.v1.BundleChunk.$Shape): palimpsest.v1.BundleChunk & palimpsest.v1.BundleChunk.$Shape;
            static create(properties?: palimpsest.v1.BundleChunk.$Properties): palimpsest.v1.BundleChunk;

            /**
             * Encodes the specified BundleChunk message. Does not implicitly {@link palimpsest.v1.BundleChunk.verify|verify} messages.
             * @param message BundleChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.BundleChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BundleChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.BundleChunk & palimpsest.v1.BundleChunk.$Shape} BundleChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.BundleChunk & palimpsest.v1.BundleChunk.$Shape;
        }

        namespace BundleChunk {

            /** Properties of a BundleChunk. */
            interface $Properties {

                /** BundleChunk data */
                data?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BundleChunk. */
            type $Shape = palimpsest.v1.BundleChunk.$Properties;
        }

        /**
         * Properties of a BundleInfo.
         * @deprecated Use palimpsest.v1.BundleInfo.$Properties instead.
         */
        interface IBundleInfo extends palimpsest.v1.BundleInfo.$Properties {
        }

        /** Represents a BundleInfo. */
        class BundleInfo {

            /**
             * Constructs a new BundleInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.BundleInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BundleInfo sha256. */
            sha256: string;

            /** BundleInfo sizeBytes. */
            sizeBytes: number;

            /**
             * Creates a new BundleInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns BundleInfo instance
             */
            static create(properties: palimpsest.v1.BundleInfo.$Shape): palimpsest.v1.BundleInfo & palimpsest.v1.BundleInfo.$Shape;
            static create(properties?: palimpsest.v1.BundleInfo.$Properties): palimpsest.v1.BundleInfo;

            /**
             * Encodes the specified BundleInfo message. Does not implicitly {@link palimpsest.v1.BundleInfo.verify|verify} messages.
             * @param message BundleInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.BundleInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a BundleInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.BundleInfo & palimpsest.v1.BundleInfo.$Shape} BundleInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.BundleInfo & palimpsest.v1.BundleInfo.$Shape;
        }

        namespace BundleInfo {

            /** Properties of a BundleInfo. */
            interface $Properties {

                /** BundleInfo sha256 */
                sha256?: (string|null);

                /** BundleInfo sizeBytes */
                sizeBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BundleInfo. */
            type $Shape = palimpsest.v1.BundleInfo.$Properties;
        }

        /**
         * Properties of a GetBundleRequest.
         * @deprecated Use palimpsest.v1.GetBundleRequest.$Properties instead.
         */
        interface IGetBundleRequest extends palimpsest.v1.GetBundleRequest.$Properties {
        }

        /** Represents a GetBundleRequest. */
        class GetBundleRequest {

            /**
             * Constructs a new GetBundleRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GetBundleRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GetBundleRequest sha256. */
            sha256: string;

            /**
             * Creates a new GetBundleRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GetBundleRequest instance
             */
            static create(properties: palimpsest.v1.GetBundleRequest.$Shape): palimpsest.v1.GetBundleRequest & palimpsest.v1.GetBundleRequest.$Shape;
            static create(properties?: palimpsest.v1.GetBundleRequest.$Properties): palimpsest.v1.GetBundleRequest;

            /**
             * Encodes the specified GetBundleRequest message. Does not implicitly {@link palimpsest.v1.GetBundleRequest.verify|verify} messages.
             * @param message GetBundleRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GetBundleRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GetBundleRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetBundleRequest & palimpsest.v1.GetBundleRequest.$Shape} GetBundleRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GetBundleRequest & palimpsest.v1.GetBundleRequest.$Shape;
        }

        namespace GetBundleRequest {

            /** Properties of a GetBundleRequest. */
            interface $Properties {

                /** GetBundleRequest sha256 */
                sha256?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GetBundleRequest. */
            type $Shape = palimpsest.v1.GetBundleRequest.$Properties;
        }

        /** JobStatus enum. */
        enum JobStatus {

            /** JOB_STATUS_UNSPECIFIED value */
            JOB_STATUS_UNSPECIFIED = 0,

            /** JOB_STATUS_PENDING value */
            JOB_STATUS_PENDING = 1,

            /** JOB_STATUS_RUNNING value */
            JOB_STATUS_RUNNING = 2,

            /** JOB_STATUS_STOPPED value */
            JOB_STATUS_STOPPED = 3,

            /** JOB_STATUS_SUCCEEDED value */
            JOB_STATUS_SUCCEEDED = 4,

            /** JOB_STATUS_FAILED value */
            JOB_STATUS_FAILED = 5
        }

        /**
         * Properties of a SubmitRequest.
         * @deprecated Use palimpsest.v1.SubmitRequest.$Properties instead.
         */
        interface ISubmitRequest extends palimpsest.v1.SubmitRequest.$Properties {
        }

        /** Represents a SubmitRequest. */
        class SubmitRequest {

            /**
             * Constructs a new SubmitRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.SubmitRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** SubmitRequest submissionId. */
            submissionId: string;

            /** SubmitRequest recipe. */
            recipe?: (string|null);

            /** SubmitRequest bundle. */
            bundle?: (string|null);

            /** SubmitRequest argv. */
            argv: string[];

            /** SubmitRequest environment. */
            environment: { [k: string]: string };

            /** SubmitRequest metadata. */
            metadata: { [k: string]: string };

            /** SubmitRequest name. */
            name: string;

            /** SubmitRequest resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** SubmitRequest workingDir. */
            workingDir: string;

            /** SubmitRequest packages. */
            packages?: (palimpsest.v1.Packages.$Properties|null);

            /** SubmitRequest traceparent. */
            traceparent: string;

            /** SubmitRequest maxRetries. */
            maxRetries: number;

            /** SubmitRequest retryFailures. */
            retryFailures: boolean;

            /** SubmitRequest firstAttempt. */
            firstAttempt: string;

            /** SubmitRequest attempt. */
            attempt: number;

            /** SubmitRequest entrypoint. */
            entrypoint?: ("recipe"|"bundle");

            /**
             * Creates a new SubmitRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns SubmitRequest instance
             */
            static create(properties: palimpsest.v1.SubmitRequest.$Shape): palimpsest.v1.SubmitRequest & palimpsest.v1.SubmitRequest.$Shape;
            static create(properties?: palimpsest.v1.SubmitRequest.$Properties): palimpsest.v1.SubmitRequest;

            /**
             * Encodes the specified SubmitRequest message. Does not implicitly {@link palimpsest.v1.SubmitRequest.verify|verify} messages.
             * @param message SubmitRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.SubmitRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a SubmitRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.SubmitRequest & palimpsest.v1.SubmitRequest.$Shape} SubmitRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.SubmitRequest & palimpsest.v1.SubmitRequest.$Shape;
        }

        namespace SubmitRequest {

            /** Properties of a SubmitRequest. */
            interface $Properties {

                /** SubmitRequest submissionId */
                submissionId?: (string|null);

                /** SubmitRequest recipe */
                recipe?: (string|null);

                /** SubmitRequest bundle */
                bundle?: (string|null);

                /** SubmitRequest argv */
                argv?: (string[]|null);

                /** SubmitRequest environment */
                environment?: ({ [k: string]: string }|null);

                /** SubmitRequest metadata */
                metadata?: ({ [k: string]: string }|null);

                /** SubmitRequest name */
                name?: (string|null);

                /** SubmitRequest resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** SubmitRequest workingDir */
                workingDir?: (string|null);

                /** SubmitRequest packages */
                packages?: (palimpsest.v1.Packages.$Properties|null);

                /** SubmitRequest traceparent */
                traceparent?: (string|null);

                /** SubmitRequest maxRetries */
                maxRetries?: (number|null);

                /** SubmitRequest retryFailures */
                retryFailures?: (boolean|null);

                /** SubmitRequest firstAttempt */
                firstAttempt?: (string|null);

                /** SubmitRequest attempt */
                attempt?: (number|null);

                /** SubmitRequest entrypoint */
                entrypoint?: ("recipe"|"bundle");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a SubmitRequest. */
            type $Shape = {
              submissionId?: string|null;
              recipe?: string|null;
              bundle?: string|null;
              argv?: string[]|null;
              environment?: { [k: string]: string }|null;
              metadata?: { [k: string]: string }|null;
              name?: string|null;
              resources?: palimpsest.v1.Resources.$Shape|null;
              workingDir?: string|null;
              packages?: palimpsest.v1.Packages.$Shape|null;
              traceparent?: string|null;
              maxRetries?: number|null;
              retryFailures?: boolean|null;
              firstAttempt?: string|null;
              attempt?: number|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ entrypoint?: undefined; recipe?: null; bundle?: null }|{ entrypoint?: "recipe"; recipe: string; bundle?: null }|{ entrypoint?: "bundle"; recipe?: null; bundle: string })
            );
        }

        /**
         * Properties of a WorkingDirectory.
         * @deprecated Use palimpsest.v1.WorkingDirectory.$Properties instead.
         */
        interface IWorkingDirectory extends palimpsest.v1.WorkingDirectory.$Properties {
        }

        /** Represents a WorkingDirectory. */
        class WorkingDirectory {

            /**
             * Constructs a new WorkingDirectory.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WorkingDirectory.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WorkingDirectory files. */
            files: palimpsest.v1.WorkingFile.$Properties[];

            /**
             * Creates a new WorkingDirectory instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WorkingDirectory instance
             */
            static create(properties: palimpsest.v1.WorkingDirectory.$Shape): palimpsest.v1.WorkingDirectory & palimpsest.v1.WorkingDirectory.$Shape;
            static create(properties?: palimpsest.v1.WorkingDirectory.$Properties): palimpsest.v1.WorkingDirectory;

            /**
             * Encodes the specified WorkingDirectory message. Does not implicitly {@link palimpsest.v1.WorkingDirectory.verify|verify} messages.
             * @param message WorkingDirectory message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WorkingDirectory.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WorkingDirectory message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WorkingDirectory & palimpsest.v1.WorkingDirectory.$Shape} WorkingDirectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WorkingDirectory & palimpsest.v1.WorkingDirectory.$Shape;
        }

        namespace WorkingDirectory {

            /** Properties of a WorkingDirectory. */
            interface $Properties {

                /** WorkingDirectory files */
                files?: (palimpsest.v1.WorkingFile.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WorkingDirectory. */
            type $Shape = palimpsest.v1.WorkingDirectory.$Properties;
        }

        /**
         * Properties of a WorkingFile.
         * @deprecated Use palimpsest.v1.WorkingFile.$Properties instead.
         */
        interface IWorkingFile extends palimpsest.v1.WorkingFile.$Properties {
        }

        /** Represents a WorkingFile. */
        class WorkingFile {

            /**
             * Constructs a new WorkingFile.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WorkingFile.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WorkingFile path. */
            path: string;

            /** WorkingFile data. */
            data: Uint8Array;

            /** WorkingFile executable. */
            executable: boolean;

            /**
             * Creates a new WorkingFile instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WorkingFile instance
             */
            static create(properties: palimpsest.v1.WorkingFile.$Shape): palimpsest.v1.WorkingFile & palimpsest.v1.WorkingFile.$Shape;
            static create(properties?: palimpsest.v1.WorkingFile.$Properties): palimpsest.v1.WorkingFile;

            /**
             * Encodes the specified WorkingFile message. Does not implicitly {@link palimpsest.v1.WorkingFile.verify|verify} messages.
             * @param message WorkingFile message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WorkingFile.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WorkingFile message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WorkingFile & palimpsest.v1.WorkingFile.$Shape} WorkingFile
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WorkingFile & palimpsest.v1.WorkingFile.$Shape;
        }

        namespace WorkingFile {

            /** Properties of a WorkingFile. */
            interface $Properties {

                /** WorkingFile path */
                path?: (string|null);

                /** WorkingFile data */
                data?: (Uint8Array|null);

                /** WorkingFile executable */
                executable?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WorkingFile. */
            type $Shape = palimpsest.v1.WorkingFile.$Properties;
        }

        /**
         * Properties of a JobInfo.
         * @deprecated Use palimpsest.v1.JobInfo.$Properties instead.
         */
        interface IJobInfo extends palimpsest.v1.JobInfo.$Properties {
        }

        /** Represents a JobInfo. */
        class JobInfo {

            /**
             * Constructs a new JobInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.JobInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** JobInfo jobId. */
            jobId: string;

            /** JobInfo name. */
            name: string;

            /** JobInfo status. */
            status: palimpsest.v1.JobStatus;

            /** JobInfo message. */
            message: string;

            /** JobInfo nodeId. */
            nodeId: string;

            /** JobInfo driverPid. */
            driverPid: number;

            /** JobInfo driverExitCode. */
            driverExitCode?: (number|null);

            /** JobInfo submittedAtMs. */
            submittedAtMs: number;

            /** JobInfo startedAtMs. */
            startedAtMs: number;

            /** JobInfo endedAtMs. */
            endedAtMs: number;

            /** JobInfo metadata. */
            metadata: { [k: string]: string };

            /** JobInfo stopRequested. */
            stopRequested: boolean;

            /** JobInfo outputBytes. */
            outputBytes: number;

            /** JobInfo resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** JobInfo workingDir. */
            workingDir: string;

            /** JobInfo gpuIds. */
            gpuIds: number[];

            /** JobInfo attempt. */
            attempt: number;

            /** JobInfo maxAttempts. */
            maxAttempts: number;

            /** JobInfo retriedAs. */
            retriedAs: string;

            /**
             * Creates a new JobInfo instance using the specified properties.
             * @param [properties] Properties to set
             * @returns JobInfo instance
             */
            static create(properties: palimpsest.v1.JobInfo.$Shape): palimpsest.v1.JobInfo & palimpsest.v1.JobInfo.$Shape;
            static create(properties?: palimpsest.v1.JobInfo.$Properties): palimpsest.v1.JobInfo;

            /**
             * Encodes the specified JobInfo message. Does not implicitly {@link palimpsest.v1.JobInfo.verify|verify} messages.
             * @param message JobInfo message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.JobInfo.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a JobInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.JobInfo & palimpsest.v1.JobInfo.$Shape} JobInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.JobInfo & palimpsest.v1.JobInfo.$Shape;
        }

        namespace JobInfo {

            /** Properties of a JobInfo. */
            interface $Properties {

                /** JobInfo jobId */
                jobId?: (string|null);

                /** JobInfo name */
                name?: (string|null);

                /** JobInfo status */
                status?: (palimpsest.v1.JobStatus|null);

                /** JobInfo message */
                message?: (string|null);

                /** JobInfo nodeId */
                nodeId?: (string|null);

                /** JobInfo driverPid */
                driverPid?: (number|null);

                /** JobInfo driverExitCode */
                driverExitCode?: (number|null);

                /** JobInfo submittedAtMs */
                submittedAtMs?: (number|null);

                /** JobInfo startedAtMs */
                startedAtMs?: (number|null);

                /** JobInfo endedAtMs */
                endedAtMs?: (number|null);

                /** JobInfo metadata */
                metadata?: ({ [k: string]: string }|null);

                /** JobInfo stopRequested */
                stopRequested?: (boolean|null);

                /** JobInfo outputBytes */
                outputBytes?: (number|null);

                /** JobInfo resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** JobInfo workingDir */
                workingDir?: (string|null);

                /** JobInfo gpuIds */
                gpuIds?: (number[]|null);

                /** JobInfo attempt */
                attempt?: (number|null);

                /** JobInfo maxAttempts */
                maxAttempts?: (number|null);

                /** JobInfo retriedAs */
                retriedAs?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a JobInfo. */
            type $Shape = palimpsest.v1.JobInfo.$Properties;
        }

        /**
         * Properties of a GetJobRequest.
         * @deprecated Use palimpsest.v1.GetJobRequest.$Properties instead.
         */
        interface IGetJobRequest extends palimpsest.v1.GetJobRequest.$Properties {
        }

        /** Represents a GetJobRequest. */
        class GetJobRequest {

            /**
             * Constructs a new GetJobRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.GetJobRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** GetJobRequest jobId. */
            jobId: string;

            /**
             * Creates a new GetJobRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns GetJobRequest instance
             */
            static create(properties: palimpsest.v1.GetJobRequest.$Shape): palimpsest.v1.GetJobRequest & palimpsest.v1.GetJobRequest.$Shape;
            static create(properties?: palimpsest.v1.GetJobRequest.$Properties): palimpsest.v1.GetJobRequest;

            /**
             * Encodes the specified GetJobRequest message. Does not implicitly {@link palimpsest.v1.GetJobRequest.verify|verify} messages.
             * @param message GetJobRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.GetJobRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a GetJobRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.GetJobRequest & palimpsest.v1.GetJobRequest.$Shape} GetJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.GetJobRequest & palimpsest.v1.GetJobRequest.$Shape;
        }

        namespace GetJobRequest {

            /** Properties of a GetJobRequest. */
            interface $Properties {

                /** GetJobRequest jobId */
                jobId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a GetJobRequest. */
            type $Shape = palimpsest.v1.GetJobRequest.$Properties;
        }

        /**
         * Properties of a ListJobsRequest.
         * @deprecated Use palimpsest.v1.ListJobsRequest.$Properties instead.
         */
        interface IListJobsRequest extends palimpsest.v1.ListJobsRequest.$Properties {
        }

        /** Represents a ListJobsRequest. */
        class ListJobsRequest {

            /**
             * Constructs a new ListJobsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListJobsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new ListJobsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListJobsRequest instance
             */
            static create(properties: palimpsest.v1.ListJobsRequest.$Shape): palimpsest.v1.ListJobsRequest & palimpsest.v1.ListJobsRequest.$Shape;
            static create(properties?: palimpsest.v1.ListJobsRequest.$Properties): palimpsest.v1.ListJobsRequest;

            /**
             * Encodes the specified ListJobsRequest message. Does not implicitly {@link palimpsest.v1.ListJobsRequest.verify|verify} messages.
             * @param message ListJobsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListJobsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListJobsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListJobsRequest & palimpsest.v1.ListJobsRequest.$Shape} ListJobsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListJobsRequest & palimpsest.v1.ListJobsRequest.$Shape;
        }

        namespace ListJobsRequest {

            /** Properties of a ListJobsRequest. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListJobsRequest. */
            type $Shape = palimpsest.v1.ListJobsRequest.$Properties;
        }

        /**
         * Properties of a ListJobsResponse.
         * @deprecated Use palimpsest.v1.ListJobsResponse.$Properties instead.
         */
        interface IListJobsResponse extends palimpsest.v1.ListJobsResponse.$Properties {
        }

        /** Represents a ListJobsResponse. */
        class ListJobsResponse {

            /**
             * Constructs a new ListJobsResponse.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ListJobsResponse.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ListJobsResponse jobs. */
            jobs: palimpsest.v1.JobInfo.$Properties[];

            /**
             * Creates a new ListJobsResponse instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ListJobsResponse instance
             */
            static create(properties: palimpsest.v1.ListJobsResponse.$Shape): palimpsest.v1.ListJobsResponse & palimpsest.v1.ListJobsResponse.$Shape;
            static create(properties?: palimpsest.v1.ListJobsResponse.$Properties): palimpsest.v1.ListJobsResponse;

            /**
             * Encodes the specified ListJobsResponse message. Does not implicitly {@link palimpsest.v1.ListJobsResponse.verify|verify} messages.
             * @param message ListJobsResponse message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ListJobsResponse.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ListJobsResponse message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ListJobsResponse & palimpsest.v1.ListJobsResponse.$Shape} ListJobsResponse
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ListJobsResponse & palimpsest.v1.ListJobsResponse.$Shape;
        }

        namespace ListJobsResponse {

            /** Properties of a ListJobsResponse. */
            interface $Properties {

                /** ListJobsResponse jobs */
                jobs?: (palimpsest.v1.JobInfo.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ListJobsResponse. */
            type $Shape = palimpsest.v1.ListJobsResponse.$Properties;
        }

        /**
         * Properties of a StopJobRequest.
         * @deprecated Use palimpsest.v1.StopJobRequest.$Properties instead.
         */
        interface IStopJobRequest extends palimpsest.v1.StopJobRequest.$Properties {
        }

        /** Represents a StopJobRequest. */
        class StopJobRequest {

            /**
             * Constructs a new StopJobRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StopJobRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StopJobRequest jobId. */
            jobId: string;

            /**
             * Creates a new StopJobRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StopJobRequest instance
             */
            static create(properties: palimpsest.v1.StopJobRequest.$Shape): palimpsest.v1.StopJobRequest & palimpsest.v1.StopJobRequest.$Shape;
            static create(properties?: palimpsest.v1.StopJobRequest.$Properties): palimpsest.v1.StopJobRequest;

            /**
             * Encodes the specified StopJobRequest message. Does not implicitly {@link palimpsest.v1.StopJobRequest.verify|verify} messages.
             * @param message StopJobRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StopJobRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StopJobRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopJobRequest & palimpsest.v1.StopJobRequest.$Shape} StopJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StopJobRequest & palimpsest.v1.StopJobRequest.$Shape;
        }

        namespace StopJobRequest {

            /** Properties of a StopJobRequest. */
            interface $Properties {

                /** StopJobRequest jobId */
                jobId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StopJobRequest. */
            type $Shape = palimpsest.v1.StopJobRequest.$Properties;
        }

        /**
         * Properties of a DeleteJobRequest.
         * @deprecated Use palimpsest.v1.DeleteJobRequest.$Properties instead.
         */
        interface IDeleteJobRequest extends palimpsest.v1.DeleteJobRequest.$Properties {
        }

        /** Represents a DeleteJobRequest. */
        class DeleteJobRequest {

            /**
             * Constructs a new DeleteJobRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DeleteJobRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DeleteJobRequest jobId. */
            jobId: string;

            /**
             * Creates a new DeleteJobRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DeleteJobRequest instance
             */
            static create(properties: palimpsest.v1.DeleteJobRequest.$Shape): palimpsest.v1.DeleteJobRequest & palimpsest.v1.DeleteJobRequest.$Shape;
            static create(properties?: palimpsest.v1.DeleteJobRequest.$Properties): palimpsest.v1.DeleteJobRequest;

            /**
             * Encodes the specified DeleteJobRequest message. Does not implicitly {@link palimpsest.v1.DeleteJobRequest.verify|verify} messages.
             * @param message DeleteJobRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DeleteJobRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DeleteJobRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DeleteJobRequest & palimpsest.v1.DeleteJobRequest.$Shape} DeleteJobRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DeleteJobRequest & palimpsest.v1.DeleteJobRequest.$Shape;
        }

        namespace DeleteJobRequest {

            /** Properties of a DeleteJobRequest. */
            interface $Properties {

                /** DeleteJobRequest jobId */
                jobId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DeleteJobRequest. */
            type $Shape = palimpsest.v1.DeleteJobRequest.$Properties;
        }

        /**
         * Properties of a LogsRequest.
         * @deprecated Use palimpsest.v1.LogsRequest.$Properties instead.
         */
        interface ILogsRequest extends palimpsest.v1.LogsRequest.$Properties {
        }

        /** Represents a LogsRequest. */
        class LogsRequest {

            /**
             * Constructs a new LogsRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LogsRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LogsRequest jobId. */
            jobId: string;

            /** LogsRequest offsetBytes. */
            offsetBytes: number;

            /** LogsRequest follow. */
            follow: boolean;

            /**
             * Creates a new LogsRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LogsRequest instance
             */
            static create(properties: palimpsest.v1.LogsRequest.$Shape): palimpsest.v1.LogsRequest & palimpsest.v1.LogsRequest.$Shape;
            static create(properties?: palimpsest.v1.LogsRequest.$Properties): palimpsest.v1.LogsRequest;

            /**
             * Encodes the specified LogsRequest message. Does not implicitly {@link palimpsest.v1.LogsRequest.verify|verify} messages.
             * @param message LogsRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LogsRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LogsRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LogsRequest & palimpsest.v1.LogsRequest.$Shape} LogsRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LogsRequest & palimpsest.v1.LogsRequest.$Shape;
        }

        namespace LogsRequest {

            /** Properties of a LogsRequest. */
            interface $Properties {

                /** LogsRequest jobId */
                jobId?: (string|null);

                /** LogsRequest offsetBytes */
                offsetBytes?: (number|null);

                /** LogsRequest follow */
                follow?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LogsRequest. */
            type $Shape = palimpsest.v1.LogsRequest.$Properties;
        }

        /**
         * Properties of a LogChunk.
         * @deprecated Use palimpsest.v1.LogChunk.$Properties instead.
         */
        interface ILogChunk extends palimpsest.v1.LogChunk.$Properties {
        }

        /** Represents a LogChunk. */
        class LogChunk {

            /**
             * Constructs a new LogChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LogChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LogChunk data. */
            data: Uint8Array;

            /** LogChunk offsetBytes. */
            offsetBytes: number;

            /**
             * Creates a new LogChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LogChunk instance
             */
            static create(properties: palimpsest.v1.LogChunk.$Shape): palimpsest.v1.LogChunk & palimpsest.v1.LogChunk.$Shape;
            static create(properties?: palimpsest.v1.LogChunk.$Properties): palimpsest.v1.LogChunk;

            /**
             * Encodes the specified LogChunk message. Does not implicitly {@link palimpsest.v1.LogChunk.verify|verify} messages.
             * @param message LogChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LogChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LogChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LogChunk & palimpsest.v1.LogChunk.$Shape} LogChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LogChunk & palimpsest.v1.LogChunk.$Shape;
        }

        namespace LogChunk {

            /** Properties of a LogChunk. */
            interface $Properties {

                /** LogChunk data */
                data?: (Uint8Array|null);

                /** LogChunk offsetBytes */
                offsetBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LogChunk. */
            type $Shape = palimpsest.v1.LogChunk.$Properties;
        }

        /**
         * Properties of a NodeMessage.
         * @deprecated Use palimpsest.v1.NodeMessage.$Properties instead.
         */
        interface INodeMessage extends palimpsest.v1.NodeMessage.$Properties {
        }

        /** Represents a NodeMessage. */
        class NodeMessage {

            /**
             * Constructs a new NodeMessage.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NodeMessage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeMessage register. */
            register?: (palimpsest.v1.RegisterNode.$Properties|null);

            /** NodeMessage heartbeat. */
            heartbeat?: (palimpsest.v1.NodeHeartbeat.$Properties|null);

            /** NodeMessage actorStarted. */
            actorStarted?: (palimpsest.v1.ActorStarted.$Properties|null);

            /** NodeMessage actorDied. */
            actorDied?: (palimpsest.v1.ActorDied.$Properties|null);

            /** NodeMessage driverExited. */
            driverExited?: (palimpsest.v1.DriverExited.$Properties|null);

            /** NodeMessage driverStarted. */
            driverStarted?: (palimpsest.v1.DriverStarted.$Properties|null);

            /** NodeMessage objectReport. */
            objectReport?: (palimpsest.v1.ObjectReport.$Properties|null);

            /** NodeMessage stack. */
            stack?: (palimpsest.v1.StackReport.$Properties|null);

            /** NodeMessage taskReport. */
            taskReport?: (palimpsest.v1.TaskReport.$Properties|null);

            /** NodeMessage objectRecovered. */
            objectRecovered?: (palimpsest.v1.ObjectRecovered.$Properties|null);

            /** NodeMessage goodbye. */
            goodbye?: (palimpsest.v1.Goodbye.$Properties|null);

            /** NodeMessage actorDescribed. */
            actorDescribed?: (palimpsest.v1.ActorDescribed.$Properties|null);

            /** NodeMessage message. */
            message?: ("register"|"heartbeat"|"actorStarted"|"actorDied"|"driverExited"|"driverStarted"|"objectReport"|"stack"|"taskReport"|"objectRecovered"|"goodbye"|"actorDescribed");

            /**
             * Creates a new NodeMessage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeMessage instance
             */
            static create(properties: palimpsest.v1.NodeMessage.$Shape): palimpsest.v1.NodeMessage & palimpsest.v1.NodeMessage.$Shape;
            static create(properties?: palimpsest.v1.NodeMessage.$Properties): palimpsest.v1.NodeMessage;

            /**
             * Encodes the specified NodeMessage message. Does not implicitly {@link palimpsest.v1.NodeMessage.verify|verify} messages.
             * @param message NodeMessage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NodeMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeMessage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeMessage & palimpsest.v1.NodeMessage.$Shape} NodeMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NodeMessage & palimpsest.v1.NodeMessage.$Shape;
        }

        namespace NodeMessage {

            /** Properties of a NodeMessage. */
            interface $Properties {

                /** NodeMessage register */
                register?: (palimpsest.v1.RegisterNode.$Properties|null);

                /** NodeMessage heartbeat */
                heartbeat?: (palimpsest.v1.NodeHeartbeat.$Properties|null);

                /** NodeMessage actorStarted */
                actorStarted?: (palimpsest.v1.ActorStarted.$Properties|null);

                /** NodeMessage actorDied */
                actorDied?: (palimpsest.v1.ActorDied.$Properties|null);

                /** NodeMessage driverExited */
                driverExited?: (palimpsest.v1.DriverExited.$Properties|null);

                /** NodeMessage driverStarted */
                driverStarted?: (palimpsest.v1.DriverStarted.$Properties|null);

                /** NodeMessage objectReport */
                objectReport?: (palimpsest.v1.ObjectReport.$Properties|null);

                /** NodeMessage stack */
                stack?: (palimpsest.v1.StackReport.$Properties|null);

                /** NodeMessage taskReport */
                taskReport?: (palimpsest.v1.TaskReport.$Properties|null);

                /** NodeMessage objectRecovered */
                objectRecovered?: (palimpsest.v1.ObjectRecovered.$Properties|null);

                /** NodeMessage goodbye */
                goodbye?: (palimpsest.v1.Goodbye.$Properties|null);

                /** NodeMessage actorDescribed */
                actorDescribed?: (palimpsest.v1.ActorDescribed.$Properties|null);

                /** NodeMessage message */
                message?: ("register"|"heartbeat"|"actorStarted"|"actorDied"|"driverExited"|"driverStarted"|"objectReport"|"stack"|"taskReport"|"objectRecovered"|"goodbye"|"actorDescribed");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a NodeMessage. */
            type $Shape = {
              register?: palimpsest.v1.RegisterNode.$Shape|null;
              heartbeat?: palimpsest.v1.NodeHeartbeat.$Shape|null;
              actorStarted?: palimpsest.v1.ActorStarted.$Shape|null;
              actorDied?: palimpsest.v1.ActorDied.$Shape|null;
              driverExited?: palimpsest.v1.DriverExited.$Shape|null;
              driverStarted?: palimpsest.v1.DriverStarted.$Shape|null;
              objectReport?: palimpsest.v1.ObjectReport.$Shape|null;
              stack?: palimpsest.v1.StackReport.$Shape|null;
              taskReport?: palimpsest.v1.TaskReport.$Shape|null;
              objectRecovered?: palimpsest.v1.ObjectRecovered.$Shape|null;
              goodbye?: palimpsest.v1.Goodbye.$Shape|null;
              actorDescribed?: palimpsest.v1.ActorDescribed.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "register"; register: palimpsest.v1.RegisterNode.$Shape; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "heartbeat"; register?: null; heartbeat: palimpsest.v1.NodeHeartbeat.$Shape; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "actorStarted"; register?: null; heartbeat?: null; actorStarted: palimpsest.v1.ActorStarted.$Shape; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "actorDied"; register?: null; heartbeat?: null; actorStarted?: null; actorDied: palimpsest.v1.ActorDied.$Shape; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "driverExited"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited: palimpsest.v1.DriverExited.$Shape; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "driverStarted"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted: palimpsest.v1.DriverStarted.$Shape; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "objectReport"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport: palimpsest.v1.ObjectReport.$Shape; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "stack"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack: palimpsest.v1.StackReport.$Shape; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "taskReport"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport: palimpsest.v1.TaskReport.$Shape; objectRecovered?: null; goodbye?: null; actorDescribed?: null }|{ message?: "objectRecovered"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered: palimpsest.v1.ObjectRecovered.$Shape; goodbye?: null; actorDescribed?: null }|{ message?: "goodbye"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye: palimpsest.v1.Goodbye.$Shape; actorDescribed?: null }|{ message?: "actorDescribed"; register?: null; heartbeat?: null; actorStarted?: null; actorDied?: null; driverExited?: null; driverStarted?: null; objectReport?: null; stack?: null; taskReport?: null; objectRecovered?: null; goodbye?: null; actorDescribed: palimpsest.v1.ActorDescribed.$Shape })
            );
        }

        /**
         * Properties of a RegisterNode.
         * @deprecated Use palimpsest.v1.RegisterNode.$Properties instead.
         */
        interface IRegisterNode extends palimpsest.v1.RegisterNode.$Properties {
        }

        /** Represents a RegisterNode. */
        class RegisterNode {

            /**
             * Constructs a new RegisterNode.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RegisterNode.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RegisterNode nodeId. */
            nodeId: string;

            /** RegisterNode hostname. */
            hostname: string;

            /** RegisterNode pid. */
            pid: number;

            /** RegisterNode total. */
            total?: (palimpsest.v1.Resources.$Properties|null);

            /** RegisterNode labels. */
            labels: { [k: string]: string };

            /** RegisterNode objectsAddress. */
            objectsAddress: string;

            /** RegisterNode metricsAddress. */
            metricsAddress: string;

            /** RegisterNode version. */
            version: string;

            /** RegisterNode actors. */
            actors: palimpsest.v1.RunningActor.$Properties[];

            /** RegisterNode clusterId. */
            clusterId: string;

            /** RegisterNode epoch. */
            epoch: number;

            /** RegisterNode instanceId. */
            instanceId: string;

            /** RegisterNode drivers. */
            drivers: palimpsest.v1.RunningDriver.$Properties[];

            /**
             * Creates a new RegisterNode instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RegisterNode instance
             */
            static create(properties: palimpsest.v1.RegisterNode.$Shape): palimpsest.v1.RegisterNode & palimpsest.v1.RegisterNode.$Shape;
            static create(properties?: palimpsest.v1.RegisterNode.$Properties): palimpsest.v1.RegisterNode;

            /**
             * Encodes the specified RegisterNode message. Does not implicitly {@link palimpsest.v1.RegisterNode.verify|verify} messages.
             * @param message RegisterNode message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RegisterNode.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RegisterNode message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RegisterNode & palimpsest.v1.RegisterNode.$Shape} RegisterNode
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RegisterNode & palimpsest.v1.RegisterNode.$Shape;
        }

        namespace RegisterNode {

            /** Properties of a RegisterNode. */
            interface $Properties {

                /** RegisterNode nodeId */
                nodeId?: (string|null);

                /** RegisterNode hostname */
                hostname?: (string|null);

                /** RegisterNode pid */
                pid?: (number|null);

                /** RegisterNode total */
                total?: (palimpsest.v1.Resources.$Properties|null);

                /** RegisterNode labels */
                labels?: ({ [k: string]: string }|null);

                /** RegisterNode objectsAddress */
                objectsAddress?: (string|null);

                /** RegisterNode metricsAddress */
                metricsAddress?: (string|null);

                /** RegisterNode version */
                version?: (string|null);

                /** RegisterNode actors */
                actors?: (palimpsest.v1.RunningActor.$Properties[]|null);

                /** RegisterNode clusterId */
                clusterId?: (string|null);

                /** RegisterNode epoch */
                epoch?: (number|null);

                /** RegisterNode instanceId */
                instanceId?: (string|null);

                /** RegisterNode drivers */
                drivers?: (palimpsest.v1.RunningDriver.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RegisterNode. */
            type $Shape = palimpsest.v1.RegisterNode.$Properties;
        }

        /**
         * Properties of a Goodbye.
         * @deprecated Use palimpsest.v1.Goodbye.$Properties instead.
         */
        interface IGoodbye extends palimpsest.v1.Goodbye.$Properties {
        }

        /** Represents a Goodbye. */
        class Goodbye {

            /**
             * Constructs a new Goodbye.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Goodbye.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /**
             * Creates a new Goodbye instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Goodbye instance
             */
            static create(properties: palimpsest.v1.Goodbye.$Shape): palimpsest.v1.Goodbye & palimpsest.v1.Goodbye.$Shape;
            static create(properties?: palimpsest.v1.Goodbye.$Properties): palimpsest.v1.Goodbye;

            /**
             * Encodes the specified Goodbye message. Does not implicitly {@link palimpsest.v1.Goodbye.verify|verify} messages.
             * @param message Goodbye message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Goodbye.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Goodbye message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Goodbye & palimpsest.v1.Goodbye.$Shape} Goodbye
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Goodbye & palimpsest.v1.Goodbye.$Shape;
        }

        namespace Goodbye {

            /** Properties of a Goodbye. */
            interface $Properties {

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Goodbye. */
            type $Shape = palimpsest.v1.Goodbye.$Properties;
        }

        /**
         * Properties of an ActorDescribed.
         * @deprecated Use palimpsest.v1.ActorDescribed.$Properties instead.
         */
        interface IActorDescribed extends palimpsest.v1.ActorDescribed.$Properties {
        }

        /** Represents an ActorDescribed. */
        class ActorDescribed {

            /**
             * Constructs a new ActorDescribed.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorDescribed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorDescribed actor. */
            actor?: (palimpsest.v1.RunningActor.$Properties|null);

            /** ActorDescribed spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** ActorDescribed restarts. */
            restarts: number;

            /**
             * Creates a new ActorDescribed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorDescribed instance
             */
            static create(properties: palimpsest.v1.ActorDescribed.$Shape): palimpsest.v1.ActorDescribed & palimpsest.v1.ActorDescribed.$Shape;
            static create(properties?: palimpsest.v1.ActorDescribed.$Properties): palimpsest.v1.ActorDescribed;

            /**
             * Encodes the specified ActorDescribed message. Does not implicitly {@link palimpsest.v1.ActorDescribed.verify|verify} messages.
             * @param message ActorDescribed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorDescribed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorDescribed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorDescribed & palimpsest.v1.ActorDescribed.$Shape} ActorDescribed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorDescribed & palimpsest.v1.ActorDescribed.$Shape;
        }

        namespace ActorDescribed {

            /** Properties of an ActorDescribed. */
            interface $Properties {

                /** ActorDescribed actor */
                actor?: (palimpsest.v1.RunningActor.$Properties|null);

                /** ActorDescribed spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** ActorDescribed restarts */
                restarts?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorDescribed. */
            type $Shape = {
              actor?: palimpsest.v1.RunningActor.$Shape|null;
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              restarts?: number|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a RunningActor.
         * @deprecated Use palimpsest.v1.RunningActor.$Properties instead.
         */
        interface IRunningActor extends palimpsest.v1.RunningActor.$Properties {
        }

        /** Represents a RunningActor. */
        class RunningActor {

            /**
             * Constructs a new RunningActor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RunningActor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RunningActor actorId. */
            actorId: string;

            /** RunningActor incarnation. */
            incarnation: number;

            /** RunningActor pid. */
            pid: number;

            /** RunningActor address. */
            address: string;

            /** RunningActor metricsAddress. */
            metricsAddress: string;

            /** RunningActor gpuIds. */
            gpuIds: number[];

            /** RunningActor resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /**
             * Creates a new RunningActor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RunningActor instance
             */
            static create(properties: palimpsest.v1.RunningActor.$Shape): palimpsest.v1.RunningActor & palimpsest.v1.RunningActor.$Shape;
            static create(properties?: palimpsest.v1.RunningActor.$Properties): palimpsest.v1.RunningActor;

            /**
             * Encodes the specified RunningActor message. Does not implicitly {@link palimpsest.v1.RunningActor.verify|verify} messages.
             * @param message RunningActor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RunningActor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RunningActor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RunningActor & palimpsest.v1.RunningActor.$Shape} RunningActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RunningActor & palimpsest.v1.RunningActor.$Shape;
        }

        namespace RunningActor {

            /** Properties of a RunningActor. */
            interface $Properties {

                /** RunningActor actorId */
                actorId?: (string|null);

                /** RunningActor incarnation */
                incarnation?: (number|null);

                /** RunningActor pid */
                pid?: (number|null);

                /** RunningActor address */
                address?: (string|null);

                /** RunningActor metricsAddress */
                metricsAddress?: (string|null);

                /** RunningActor gpuIds */
                gpuIds?: (number[]|null);

                /** RunningActor resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RunningActor. */
            type $Shape = palimpsest.v1.RunningActor.$Properties;
        }

        /**
         * Properties of a RunningDriver.
         * @deprecated Use palimpsest.v1.RunningDriver.$Properties instead.
         */
        interface IRunningDriver extends palimpsest.v1.RunningDriver.$Properties {
        }

        /** Represents a RunningDriver. */
        class RunningDriver {

            /**
             * Constructs a new RunningDriver.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RunningDriver.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RunningDriver jobId. */
            jobId: string;

            /** RunningDriver resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** RunningDriver gpuIds. */
            gpuIds: number[];

            /**
             * Creates a new RunningDriver instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RunningDriver instance
             */
            static create(properties: palimpsest.v1.RunningDriver.$Shape): palimpsest.v1.RunningDriver & palimpsest.v1.RunningDriver.$Shape;
            static create(properties?: palimpsest.v1.RunningDriver.$Properties): palimpsest.v1.RunningDriver;

            /**
             * Encodes the specified RunningDriver message. Does not implicitly {@link palimpsest.v1.RunningDriver.verify|verify} messages.
             * @param message RunningDriver message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RunningDriver.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RunningDriver message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RunningDriver & palimpsest.v1.RunningDriver.$Shape} RunningDriver
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RunningDriver & palimpsest.v1.RunningDriver.$Shape;
        }

        namespace RunningDriver {

            /** Properties of a RunningDriver. */
            interface $Properties {

                /** RunningDriver jobId */
                jobId?: (string|null);

                /** RunningDriver resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** RunningDriver gpuIds */
                gpuIds?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RunningDriver. */
            type $Shape = palimpsest.v1.RunningDriver.$Properties;
        }

        /**
         * Properties of a NodeHeartbeat.
         * @deprecated Use palimpsest.v1.NodeHeartbeat.$Properties instead.
         */
        interface INodeHeartbeat extends palimpsest.v1.NodeHeartbeat.$Properties {
        }

        /** Represents a NodeHeartbeat. */
        class NodeHeartbeat {

            /**
             * Constructs a new NodeHeartbeat.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.NodeHeartbeat.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** NodeHeartbeat sentAtMs. */
            sentAtMs: number;

            /** NodeHeartbeat objectStoreBytes. */
            objectStoreBytes: number;

            /** NodeHeartbeat use. */
            use?: (palimpsest.v1.MachineUse.$Properties|null);

            /**
             * Creates a new NodeHeartbeat instance using the specified properties.
             * @param [properties] Properties to set
             * @returns NodeHeartbeat instance
             */
            static create(properties: palimpsest.v1.NodeHeartbeat.$Shape): palimpsest.v1.NodeHeartbeat & palimpsest.v1.NodeHeartbeat.$Shape;
            static create(properties?: palimpsest.v1.NodeHeartbeat.$Properties): palimpsest.v1.NodeHeartbeat;

            /**
             * Encodes the specified NodeHeartbeat message. Does not implicitly {@link palimpsest.v1.NodeHeartbeat.verify|verify} messages.
             * @param message NodeHeartbeat message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.NodeHeartbeat.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a NodeHeartbeat message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.NodeHeartbeat & palimpsest.v1.NodeHeartbeat.$Shape} NodeHeartbeat
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.NodeHeartbeat & palimpsest.v1.NodeHeartbeat.$Shape;
        }

        namespace NodeHeartbeat {

            /** Properties of a NodeHeartbeat. */
            interface $Properties {

                /** NodeHeartbeat sentAtMs */
                sentAtMs?: (number|null);

                /** NodeHeartbeat objectStoreBytes */
                objectStoreBytes?: (number|null);

                /** NodeHeartbeat use */
                use?: (palimpsest.v1.MachineUse.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a NodeHeartbeat. */
            type $Shape = palimpsest.v1.NodeHeartbeat.$Properties;
        }

        /**
         * Properties of an ActorStarted.
         * @deprecated Use palimpsest.v1.ActorStarted.$Properties instead.
         */
        interface IActorStarted extends palimpsest.v1.ActorStarted.$Properties {
        }

        /** Represents an ActorStarted. */
        class ActorStarted {

            /**
             * Constructs a new ActorStarted.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorStarted.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorStarted actorId. */
            actorId: string;

            /** ActorStarted incarnation. */
            incarnation: number;

            /** ActorStarted pid. */
            pid: number;

            /** ActorStarted address. */
            address: string;

            /** ActorStarted metricsAddress. */
            metricsAddress: string;

            /**
             * Creates a new ActorStarted instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorStarted instance
             */
            static create(properties: palimpsest.v1.ActorStarted.$Shape): palimpsest.v1.ActorStarted & palimpsest.v1.ActorStarted.$Shape;
            static create(properties?: palimpsest.v1.ActorStarted.$Properties): palimpsest.v1.ActorStarted;

            /**
             * Encodes the specified ActorStarted message. Does not implicitly {@link palimpsest.v1.ActorStarted.verify|verify} messages.
             * @param message ActorStarted message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorStarted.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorStarted message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorStarted & palimpsest.v1.ActorStarted.$Shape} ActorStarted
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorStarted & palimpsest.v1.ActorStarted.$Shape;
        }

        namespace ActorStarted {

            /** Properties of an ActorStarted. */
            interface $Properties {

                /** ActorStarted actorId */
                actorId?: (string|null);

                /** ActorStarted incarnation */
                incarnation?: (number|null);

                /** ActorStarted pid */
                pid?: (number|null);

                /** ActorStarted address */
                address?: (string|null);

                /** ActorStarted metricsAddress */
                metricsAddress?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorStarted. */
            type $Shape = palimpsest.v1.ActorStarted.$Properties;
        }

        /**
         * Properties of an ActorDied.
         * @deprecated Use palimpsest.v1.ActorDied.$Properties instead.
         */
        interface IActorDied extends palimpsest.v1.ActorDied.$Properties {
        }

        /** Represents an ActorDied. */
        class ActorDied {

            /**
             * Constructs a new ActorDied.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorDied.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorDied actorId. */
            actorId: string;

            /** ActorDied incarnation. */
            incarnation: number;

            /** ActorDied certificate. */
            certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

            /** ActorDied constructorError. */
            constructorError?: (palimpsest.v1.Error.$Properties|null);

            /**
             * Creates a new ActorDied instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorDied instance
             */
            static create(properties: palimpsest.v1.ActorDied.$Shape): palimpsest.v1.ActorDied & palimpsest.v1.ActorDied.$Shape;
            static create(properties?: palimpsest.v1.ActorDied.$Properties): palimpsest.v1.ActorDied;

            /**
             * Encodes the specified ActorDied message. Does not implicitly {@link palimpsest.v1.ActorDied.verify|verify} messages.
             * @param message ActorDied message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorDied.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorDied message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorDied & palimpsest.v1.ActorDied.$Shape} ActorDied
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorDied & palimpsest.v1.ActorDied.$Shape;
        }

        namespace ActorDied {

            /** Properties of an ActorDied. */
            interface $Properties {

                /** ActorDied actorId */
                actorId?: (string|null);

                /** ActorDied incarnation */
                incarnation?: (number|null);

                /** ActorDied certificate */
                certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

                /** ActorDied constructorError */
                constructorError?: (palimpsest.v1.Error.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorDied. */
            type $Shape = palimpsest.v1.ActorDied.$Properties;
        }

        /**
         * Properties of a DriverOutput.
         * @deprecated Use palimpsest.v1.DriverOutput.$Properties instead.
         */
        interface IDriverOutput extends palimpsest.v1.DriverOutput.$Properties {
        }

        /** Represents a DriverOutput. */
        class DriverOutput {

            /**
             * Constructs a new DriverOutput.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DriverOutput.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DriverOutput jobId. */
            jobId: string;

            /** DriverOutput data. */
            data: Uint8Array;

            /** DriverOutput offsetBytes. */
            offsetBytes: number;

            /** DriverOutput nodeId. */
            nodeId: string;

            /**
             * Creates a new DriverOutput instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DriverOutput instance
             */
            static create(properties: palimpsest.v1.DriverOutput.$Shape): palimpsest.v1.DriverOutput & palimpsest.v1.DriverOutput.$Shape;
            static create(properties?: palimpsest.v1.DriverOutput.$Properties): palimpsest.v1.DriverOutput;

            /**
             * Encodes the specified DriverOutput message. Does not implicitly {@link palimpsest.v1.DriverOutput.verify|verify} messages.
             * @param message DriverOutput message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DriverOutput.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DriverOutput message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverOutput & palimpsest.v1.DriverOutput.$Shape} DriverOutput
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DriverOutput & palimpsest.v1.DriverOutput.$Shape;
        }

        namespace DriverOutput {

            /** Properties of a DriverOutput. */
            interface $Properties {

                /** DriverOutput jobId */
                jobId?: (string|null);

                /** DriverOutput data */
                data?: (Uint8Array|null);

                /** DriverOutput offsetBytes */
                offsetBytes?: (number|null);

                /** DriverOutput nodeId */
                nodeId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DriverOutput. */
            type $Shape = palimpsest.v1.DriverOutput.$Properties;
        }

        /**
         * Properties of a DriverStarted.
         * @deprecated Use palimpsest.v1.DriverStarted.$Properties instead.
         */
        interface IDriverStarted extends palimpsest.v1.DriverStarted.$Properties {
        }

        /** Represents a DriverStarted. */
        class DriverStarted {

            /**
             * Constructs a new DriverStarted.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DriverStarted.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DriverStarted jobId. */
            jobId: string;

            /** DriverStarted pid. */
            pid: number;

            /**
             * Creates a new DriverStarted instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DriverStarted instance
             */
            static create(properties: palimpsest.v1.DriverStarted.$Shape): palimpsest.v1.DriverStarted & palimpsest.v1.DriverStarted.$Shape;
            static create(properties?: palimpsest.v1.DriverStarted.$Properties): palimpsest.v1.DriverStarted;

            /**
             * Encodes the specified DriverStarted message. Does not implicitly {@link palimpsest.v1.DriverStarted.verify|verify} messages.
             * @param message DriverStarted message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DriverStarted.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DriverStarted message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverStarted & palimpsest.v1.DriverStarted.$Shape} DriverStarted
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DriverStarted & palimpsest.v1.DriverStarted.$Shape;
        }

        namespace DriverStarted {

            /** Properties of a DriverStarted. */
            interface $Properties {

                /** DriverStarted jobId */
                jobId?: (string|null);

                /** DriverStarted pid */
                pid?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DriverStarted. */
            type $Shape = palimpsest.v1.DriverStarted.$Properties;
        }

        /**
         * Properties of a DriverExited.
         * @deprecated Use palimpsest.v1.DriverExited.$Properties instead.
         */
        interface IDriverExited extends palimpsest.v1.DriverExited.$Properties {
        }

        /** Represents a DriverExited. */
        class DriverExited {

            /**
             * Constructs a new DriverExited.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DriverExited.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DriverExited jobId. */
            jobId: string;

            /** DriverExited certificate. */
            certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

            /** DriverExited outputBytes. */
            outputBytes: number;

            /**
             * Creates a new DriverExited instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DriverExited instance
             */
            static create(properties: palimpsest.v1.DriverExited.$Shape): palimpsest.v1.DriverExited & palimpsest.v1.DriverExited.$Shape;
            static create(properties?: palimpsest.v1.DriverExited.$Properties): palimpsest.v1.DriverExited;

            /**
             * Encodes the specified DriverExited message. Does not implicitly {@link palimpsest.v1.DriverExited.verify|verify} messages.
             * @param message DriverExited message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DriverExited.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DriverExited message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverExited & palimpsest.v1.DriverExited.$Shape} DriverExited
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DriverExited & palimpsest.v1.DriverExited.$Shape;
        }

        namespace DriverExited {

            /** Properties of a DriverExited. */
            interface $Properties {

                /** DriverExited jobId */
                jobId?: (string|null);

                /** DriverExited certificate */
                certificate?: (palimpsest.v1.DeathCertificate.$Properties|null);

                /** DriverExited outputBytes */
                outputBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DriverExited. */
            type $Shape = palimpsest.v1.DriverExited.$Properties;
        }

        /**
         * Properties of a HeadMessage.
         * @deprecated Use palimpsest.v1.HeadMessage.$Properties instead.
         */
        interface IHeadMessage extends palimpsest.v1.HeadMessage.$Properties {
        }

        /** Represents a HeadMessage. */
        class HeadMessage {

            /**
             * Constructs a new HeadMessage.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.HeadMessage.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** HeadMessage registered. */
            registered?: (palimpsest.v1.Registered.$Properties|null);

            /** HeadMessage startActor. */
            startActor?: (palimpsest.v1.StartActor.$Properties|null);

            /** HeadMessage stopActor. */
            stopActor?: (palimpsest.v1.StopActor.$Properties|null);

            /** HeadMessage startDriver. */
            startDriver?: (palimpsest.v1.StartDriver.$Properties|null);

            /** HeadMessage stopDriver. */
            stopDriver?: (palimpsest.v1.StopDriver.$Properties|null);

            /** HeadMessage stopNode. */
            stopNode?: (palimpsest.v1.StopNode.$Properties|null);

            /** HeadMessage leaseRenewed. */
            leaseRenewed?: (palimpsest.v1.LeaseRenewed.$Properties|null);

            /** HeadMessage endedHolders. */
            endedHolders?: (palimpsest.v1.EndedHolders.$Properties|null);

            /** HeadMessage dropObjects. */
            dropObjects?: (palimpsest.v1.DropObjects.$Properties|null);

            /** HeadMessage recoverObject. */
            recoverObject?: (palimpsest.v1.RecoverObject.$Properties|null);

            /** HeadMessage stackRequest. */
            stackRequest?: (palimpsest.v1.StackRequest.$Properties|null);

            /** HeadMessage newToken. */
            newToken?: (palimpsest.v1.NewToken.$Properties|null);

            /** HeadMessage drainObjects. */
            drainObjects?: (palimpsest.v1.DrainObjects.$Properties|null);

            /** HeadMessage message. */
            message?: ("registered"|"startActor"|"stopActor"|"startDriver"|"stopDriver"|"stopNode"|"leaseRenewed"|"endedHolders"|"dropObjects"|"recoverObject"|"stackRequest"|"newToken"|"drainObjects");

            /**
             * Creates a new HeadMessage instance using the specified properties.
             * @param [properties] Properties to set
             * @returns HeadMessage instance
             */
            static create(properties: palimpsest.v1.HeadMessage.$Shape): palimpsest.v1.HeadMessage & palimpsest.v1.HeadMessage.$Shape;
            static create(properties?: palimpsest.v1.HeadMessage.$Properties): palimpsest.v1.HeadMessage;

            /**
             * Encodes the specified HeadMessage message. Does not implicitly {@link palimpsest.v1.HeadMessage.verify|verify} messages.
             * @param message HeadMessage message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.HeadMessage.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a HeadMessage message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.HeadMessage & palimpsest.v1.HeadMessage.$Shape} HeadMessage
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.HeadMessage & palimpsest.v1.HeadMessage.$Shape;
        }

        namespace HeadMessage {

            /** Properties of a HeadMessage. */
            interface $Properties {

                /** HeadMessage registered */
                registered?: (palimpsest.v1.Registered.$Properties|null);

                /** HeadMessage startActor */
                startActor?: (palimpsest.v1.StartActor.$Properties|null);

                /** HeadMessage stopActor */
                stopActor?: (palimpsest.v1.StopActor.$Properties|null);

                /** HeadMessage startDriver */
                startDriver?: (palimpsest.v1.StartDriver.$Properties|null);

                /** HeadMessage stopDriver */
                stopDriver?: (palimpsest.v1.StopDriver.$Properties|null);

                /** HeadMessage stopNode */
                stopNode?: (palimpsest.v1.StopNode.$Properties|null);

                /** HeadMessage leaseRenewed */
                leaseRenewed?: (palimpsest.v1.LeaseRenewed.$Properties|null);

                /** HeadMessage endedHolders */
                endedHolders?: (palimpsest.v1.EndedHolders.$Properties|null);

                /** HeadMessage dropObjects */
                dropObjects?: (palimpsest.v1.DropObjects.$Properties|null);

                /** HeadMessage recoverObject */
                recoverObject?: (palimpsest.v1.RecoverObject.$Properties|null);

                /** HeadMessage stackRequest */
                stackRequest?: (palimpsest.v1.StackRequest.$Properties|null);

                /** HeadMessage newToken */
                newToken?: (palimpsest.v1.NewToken.$Properties|null);

                /** HeadMessage drainObjects */
                drainObjects?: (palimpsest.v1.DrainObjects.$Properties|null);

                /** HeadMessage message */
                message?: ("registered"|"startActor"|"stopActor"|"startDriver"|"stopDriver"|"stopNode"|"leaseRenewed"|"endedHolders"|"dropObjects"|"recoverObject"|"stackRequest"|"newToken"|"drainObjects");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a HeadMessage. */
            type $Shape = {
              registered?: palimpsest.v1.Registered.$Shape|null;
              startActor?: palimpsest.v1.StartActor.$Shape|null;
              stopActor?: palimpsest.v1.StopActor.$Shape|null;
              startDriver?: palimpsest.v1.StartDriver.$Shape|null;
              stopDriver?: palimpsest.v1.StopDriver.$Shape|null;
              stopNode?: palimpsest.v1.StopNode.$Shape|null;
              leaseRenewed?: palimpsest.v1.LeaseRenewed.$Shape|null;
              endedHolders?: palimpsest.v1.EndedHolders.$Shape|null;
              dropObjects?: palimpsest.v1.DropObjects.$Shape|null;
              recoverObject?: palimpsest.v1.RecoverObject.$Shape|null;
              stackRequest?: palimpsest.v1.StackRequest.$Shape|null;
              newToken?: palimpsest.v1.NewToken.$Shape|null;
              drainObjects?: palimpsest.v1.DrainObjects.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ message?: undefined; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "registered"; registered: palimpsest.v1.Registered.$Shape; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "startActor"; registered?: null; startActor: palimpsest.v1.StartActor.$Shape; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "stopActor"; registered?: null; startActor?: null; stopActor: palimpsest.v1.StopActor.$Shape; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "startDriver"; registered?: null; startActor?: null; stopActor?: null; startDriver: palimpsest.v1.StartDriver.$Shape; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "stopDriver"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver: palimpsest.v1.StopDriver.$Shape; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "stopNode"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode: palimpsest.v1.StopNode.$Shape; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "leaseRenewed"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed: palimpsest.v1.LeaseRenewed.$Shape; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "endedHolders"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders: palimpsest.v1.EndedHolders.$Shape; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "dropObjects"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects: palimpsest.v1.DropObjects.$Shape; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "recoverObject"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject: palimpsest.v1.RecoverObject.$Shape; stackRequest?: null; newToken?: null; drainObjects?: null }|{ message?: "stackRequest"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest: palimpsest.v1.StackRequest.$Shape; newToken?: null; drainObjects?: null }|{ message?: "newToken"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken: palimpsest.v1.NewToken.$Shape; drainObjects?: null }|{ message?: "drainObjects"; registered?: null; startActor?: null; stopActor?: null; startDriver?: null; stopDriver?: null; stopNode?: null; leaseRenewed?: null; endedHolders?: null; dropObjects?: null; recoverObject?: null; stackRequest?: null; newToken?: null; drainObjects: palimpsest.v1.DrainObjects.$Shape })
            );
        }

        /**
         * Properties of a RecoverObject.
         * @deprecated Use palimpsest.v1.RecoverObject.$Properties instead.
         */
        interface IRecoverObject extends palimpsest.v1.RecoverObject.$Properties {
        }

        /** Represents a RecoverObject. */
        class RecoverObject {

            /**
             * Constructs a new RecoverObject.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RecoverObject.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RecoverObject requestId. */
            requestId: string;

            /** RecoverObject objectId. */
            objectId: Uint8Array;

            /** RecoverObject ownerId. */
            ownerId: string;

            /**
             * Creates a new RecoverObject instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RecoverObject instance
             */
            static create(properties: palimpsest.v1.RecoverObject.$Shape): palimpsest.v1.RecoverObject & palimpsest.v1.RecoverObject.$Shape;
            static create(properties?: palimpsest.v1.RecoverObject.$Properties): palimpsest.v1.RecoverObject;

            /**
             * Encodes the specified RecoverObject message. Does not implicitly {@link palimpsest.v1.RecoverObject.verify|verify} messages.
             * @param message RecoverObject message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RecoverObject.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RecoverObject message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RecoverObject & palimpsest.v1.RecoverObject.$Shape} RecoverObject
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RecoverObject & palimpsest.v1.RecoverObject.$Shape;
        }

        namespace RecoverObject {

            /** Properties of a RecoverObject. */
            interface $Properties {

                /** RecoverObject requestId */
                requestId?: (string|null);

                /** RecoverObject objectId */
                objectId?: (Uint8Array|null);

                /** RecoverObject ownerId */
                ownerId?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RecoverObject. */
            type $Shape = palimpsest.v1.RecoverObject.$Properties;
        }

        /**
         * Properties of an ObjectRecovered.
         * @deprecated Use palimpsest.v1.ObjectRecovered.$Properties instead.
         */
        interface IObjectRecovered extends palimpsest.v1.ObjectRecovered.$Properties {
        }

        /** Represents an ObjectRecovered. */
        class ObjectRecovered {

            /**
             * Constructs a new ObjectRecovered.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectRecovered.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectRecovered requestId. */
            requestId: string;

            /** ObjectRecovered error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /**
             * Creates a new ObjectRecovered instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectRecovered instance
             */
            static create(properties: palimpsest.v1.ObjectRecovered.$Shape): palimpsest.v1.ObjectRecovered & palimpsest.v1.ObjectRecovered.$Shape;
            static create(properties?: palimpsest.v1.ObjectRecovered.$Properties): palimpsest.v1.ObjectRecovered;

            /**
             * Encodes the specified ObjectRecovered message. Does not implicitly {@link palimpsest.v1.ObjectRecovered.verify|verify} messages.
             * @param message ObjectRecovered message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectRecovered.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectRecovered message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectRecovered & palimpsest.v1.ObjectRecovered.$Shape} ObjectRecovered
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectRecovered & palimpsest.v1.ObjectRecovered.$Shape;
        }

        namespace ObjectRecovered {

            /** Properties of an ObjectRecovered. */
            interface $Properties {

                /** ObjectRecovered requestId */
                requestId?: (string|null);

                /** ObjectRecovered error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectRecovered. */
            type $Shape = palimpsest.v1.ObjectRecovered.$Properties;
        }

        /**
         * Properties of a DrainObjects.
         * @deprecated Use palimpsest.v1.DrainObjects.$Properties instead.
         */
        interface IDrainObjects extends palimpsest.v1.DrainObjects.$Properties {
        }

        /** Represents a DrainObjects. */
        class DrainObjects {

            /**
             * Constructs a new DrainObjects.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DrainObjects.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DrainObjects addresses. */
            addresses: string[];

            /**
             * Creates a new DrainObjects instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DrainObjects instance
             */
            static create(properties: palimpsest.v1.DrainObjects.$Shape): palimpsest.v1.DrainObjects & palimpsest.v1.DrainObjects.$Shape;
            static create(properties?: palimpsest.v1.DrainObjects.$Properties): palimpsest.v1.DrainObjects;

            /**
             * Encodes the specified DrainObjects message. Does not implicitly {@link palimpsest.v1.DrainObjects.verify|verify} messages.
             * @param message DrainObjects message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DrainObjects.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DrainObjects message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DrainObjects & palimpsest.v1.DrainObjects.$Shape} DrainObjects
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DrainObjects & palimpsest.v1.DrainObjects.$Shape;
        }

        namespace DrainObjects {

            /** Properties of a DrainObjects. */
            interface $Properties {

                /** DrainObjects addresses */
                addresses?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DrainObjects. */
            type $Shape = palimpsest.v1.DrainObjects.$Properties;
        }

        /**
         * Properties of a Registered.
         * @deprecated Use palimpsest.v1.Registered.$Properties instead.
         */
        interface IRegistered extends palimpsest.v1.Registered.$Properties {
        }

        /** Represents a Registered. */
        class Registered {

            /**
             * Constructs a new Registered.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Registered.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Registered clusterId. */
            clusterId: string;

            /** Registered heartbeatIntervalMs. */
            heartbeatIntervalMs: number;

            /** Registered redisUrl. */
            redisUrl: string;

            /** Registered stopActorIds. */
            stopActorIds: string[];

            /** Registered epoch. */
            epoch: number;

            /** Registered fenceAfterMs. */
            fenceAfterMs: number;

            /** Registered headTimeoutMs. */
            headTimeoutMs: number;

            /** Registered headAddresses. */
            headAddresses: string[];

            /** Registered unknownActorIds. */
            unknownActorIds: string[];

            /** Registered version. */
            version: string;

            /**
             * Creates a new Registered instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Registered instance
             */
            static create(properties: palimpsest.v1.Registered.$Shape): palimpsest.v1.Registered & palimpsest.v1.Registered.$Shape;
            static create(properties?: palimpsest.v1.Registered.$Properties): palimpsest.v1.Registered;

            /**
             * Encodes the specified Registered message. Does not implicitly {@link palimpsest.v1.Registered.verify|verify} messages.
             * @param message Registered message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Registered.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Registered message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Registered & palimpsest.v1.Registered.$Shape} Registered
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Registered & palimpsest.v1.Registered.$Shape;
        }

        namespace Registered {

            /** Properties of a Registered. */
            interface $Properties {

                /** Registered clusterId */
                clusterId?: (string|null);

                /** Registered heartbeatIntervalMs */
                heartbeatIntervalMs?: (number|null);

                /** Registered redisUrl */
                redisUrl?: (string|null);

                /** Registered stopActorIds */
                stopActorIds?: (string[]|null);

                /** Registered epoch */
                epoch?: (number|null);

                /** Registered fenceAfterMs */
                fenceAfterMs?: (number|null);

                /** Registered headTimeoutMs */
                headTimeoutMs?: (number|null);

                /** Registered headAddresses */
                headAddresses?: (string[]|null);

                /** Registered unknownActorIds */
                unknownActorIds?: (string[]|null);

                /** Registered version */
                version?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Registered. */
            type $Shape = palimpsest.v1.Registered.$Properties;
        }

        /**
         * Properties of a LeaseRenewed.
         * @deprecated Use palimpsest.v1.LeaseRenewed.$Properties instead.
         */
        interface ILeaseRenewed extends palimpsest.v1.LeaseRenewed.$Properties {
        }

        /** Represents a LeaseRenewed. */
        class LeaseRenewed {

            /**
             * Constructs a new LeaseRenewed.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.LeaseRenewed.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** LeaseRenewed epoch. */
            epoch: number;

            /** LeaseRenewed headAddresses. */
            headAddresses: string[];

            /** LeaseRenewed taskEventsPerSecond. */
            taskEventsPerSecond: number;

            /** LeaseRenewed sentAtMs. */
            sentAtMs: number;

            /**
             * Creates a new LeaseRenewed instance using the specified properties.
             * @param [properties] Properties to set
             * @returns LeaseRenewed instance
             */
            static create(properties: palimpsest.v1.LeaseRenewed.$Shape): palimpsest.v1.LeaseRenewed & palimpsest.v1.LeaseRenewed.$Shape;
            static create(properties?: palimpsest.v1.LeaseRenewed.$Properties): palimpsest.v1.LeaseRenewed;

            /**
             * Encodes the specified LeaseRenewed message. Does not implicitly {@link palimpsest.v1.LeaseRenewed.verify|verify} messages.
             * @param message LeaseRenewed message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.LeaseRenewed.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a LeaseRenewed message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.LeaseRenewed & palimpsest.v1.LeaseRenewed.$Shape} LeaseRenewed
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.LeaseRenewed & palimpsest.v1.LeaseRenewed.$Shape;
        }

        namespace LeaseRenewed {

            /** Properties of a LeaseRenewed. */
            interface $Properties {

                /** LeaseRenewed epoch */
                epoch?: (number|null);

                /** LeaseRenewed headAddresses */
                headAddresses?: (string[]|null);

                /** LeaseRenewed taskEventsPerSecond */
                taskEventsPerSecond?: (number|null);

                /** LeaseRenewed sentAtMs */
                sentAtMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a LeaseRenewed. */
            type $Shape = palimpsest.v1.LeaseRenewed.$Properties;
        }

        /**
         * Properties of a StartActor.
         * @deprecated Use palimpsest.v1.StartActor.$Properties instead.
         */
        interface IStartActor extends palimpsest.v1.StartActor.$Properties {
        }

        /** Represents a StartActor. */
        class StartActor {

            /**
             * Constructs a new StartActor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StartActor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StartActor spec. */
            spec?: (palimpsest.v1.ActorSpec.$Properties|null);

            /** StartActor incarnation. */
            incarnation: number;

            /** StartActor restarts. */
            restarts: number;

            /** StartActor gpuIds. */
            gpuIds: number[];

            /**
             * Creates a new StartActor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StartActor instance
             */
            static create(properties: palimpsest.v1.StartActor.$Shape): palimpsest.v1.StartActor & palimpsest.v1.StartActor.$Shape;
            static create(properties?: palimpsest.v1.StartActor.$Properties): palimpsest.v1.StartActor;

            /**
             * Encodes the specified StartActor message. Does not implicitly {@link palimpsest.v1.StartActor.verify|verify} messages.
             * @param message StartActor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StartActor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StartActor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StartActor & palimpsest.v1.StartActor.$Shape} StartActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StartActor & palimpsest.v1.StartActor.$Shape;
        }

        namespace StartActor {

            /** Properties of a StartActor. */
            interface $Properties {

                /** StartActor spec */
                spec?: (palimpsest.v1.ActorSpec.$Properties|null);

                /** StartActor incarnation */
                incarnation?: (number|null);

                /** StartActor restarts */
                restarts?: (number|null);

                /** StartActor gpuIds */
                gpuIds?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StartActor. */
            type $Shape = {
              spec?: palimpsest.v1.ActorSpec.$Shape|null;
              incarnation?: number|null;
              restarts?: number|null;
              gpuIds?: number[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a StopActor.
         * @deprecated Use palimpsest.v1.StopActor.$Properties instead.
         */
        interface IStopActor extends palimpsest.v1.StopActor.$Properties {
        }

        /** Represents a StopActor. */
        class StopActor {

            /**
             * Constructs a new StopActor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StopActor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StopActor actorId. */
            actorId: string;

            /** StopActor graceMs. */
            graceMs: number;

            /** StopActor reason. */
            reason: string;

            /**
             * Creates a new StopActor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StopActor instance
             */
            static create(properties: palimpsest.v1.StopActor.$Shape): palimpsest.v1.StopActor & palimpsest.v1.StopActor.$Shape;
            static create(properties?: palimpsest.v1.StopActor.$Properties): palimpsest.v1.StopActor;

            /**
             * Encodes the specified StopActor message. Does not implicitly {@link palimpsest.v1.StopActor.verify|verify} messages.
             * @param message StopActor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StopActor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StopActor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopActor & palimpsest.v1.StopActor.$Shape} StopActor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StopActor & palimpsest.v1.StopActor.$Shape;
        }

        namespace StopActor {

            /** Properties of a StopActor. */
            interface $Properties {

                /** StopActor actorId */
                actorId?: (string|null);

                /** StopActor graceMs */
                graceMs?: (number|null);

                /** StopActor reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StopActor. */
            type $Shape = palimpsest.v1.StopActor.$Properties;
        }

        /**
         * Properties of a StartDriver.
         * @deprecated Use palimpsest.v1.StartDriver.$Properties instead.
         */
        interface IStartDriver extends palimpsest.v1.StartDriver.$Properties {
        }

        /** Represents a StartDriver. */
        class StartDriver {

            /**
             * Constructs a new StartDriver.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StartDriver.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StartDriver jobId. */
            jobId: string;

            /** StartDriver argv. */
            argv: string[];

            /** StartDriver bundle. */
            bundle: string;

            /** StartDriver environment. */
            environment: { [k: string]: string };

            /** StartDriver workingDir. */
            workingDir: string;

            /** StartDriver packages. */
            packages?: (palimpsest.v1.Packages.$Properties|null);

            /** StartDriver gpuIds. */
            gpuIds: number[];

            /** StartDriver resources. */
            resources?: (palimpsest.v1.Resources.$Properties|null);

            /** StartDriver traceparent. */
            traceparent: string;

            /**
             * Creates a new StartDriver instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StartDriver instance
             */
            static create(properties: palimpsest.v1.StartDriver.$Shape): palimpsest.v1.StartDriver & palimpsest.v1.StartDriver.$Shape;
            static create(properties?: palimpsest.v1.StartDriver.$Properties): palimpsest.v1.StartDriver;

            /**
             * Encodes the specified StartDriver message. Does not implicitly {@link palimpsest.v1.StartDriver.verify|verify} messages.
             * @param message StartDriver message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StartDriver.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StartDriver message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StartDriver & palimpsest.v1.StartDriver.$Shape} StartDriver
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StartDriver & palimpsest.v1.StartDriver.$Shape;
        }

        namespace StartDriver {

            /** Properties of a StartDriver. */
            interface $Properties {

                /** StartDriver jobId */
                jobId?: (string|null);

                /** StartDriver argv */
                argv?: (string[]|null);

                /** StartDriver bundle */
                bundle?: (string|null);

                /** StartDriver environment */
                environment?: ({ [k: string]: string }|null);

                /** StartDriver workingDir */
                workingDir?: (string|null);

                /** StartDriver packages */
                packages?: (palimpsest.v1.Packages.$Properties|null);

                /** StartDriver gpuIds */
                gpuIds?: (number[]|null);

                /** StartDriver resources */
                resources?: (palimpsest.v1.Resources.$Properties|null);

                /** StartDriver traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StartDriver. */
            type $Shape = palimpsest.v1.StartDriver.$Properties;
        }

        /**
         * Properties of a StopDriver.
         * @deprecated Use palimpsest.v1.StopDriver.$Properties instead.
         */
        interface IStopDriver extends palimpsest.v1.StopDriver.$Properties {
        }

        /** Represents a StopDriver. */
        class StopDriver {

            /**
             * Constructs a new StopDriver.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StopDriver.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StopDriver jobId. */
            jobId: string;

            /** StopDriver graceMs. */
            graceMs: number;

            /**
             * Creates a new StopDriver instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StopDriver instance
             */
            static create(properties: palimpsest.v1.StopDriver.$Shape): palimpsest.v1.StopDriver & palimpsest.v1.StopDriver.$Shape;
            static create(properties?: palimpsest.v1.StopDriver.$Properties): palimpsest.v1.StopDriver;

            /**
             * Encodes the specified StopDriver message. Does not implicitly {@link palimpsest.v1.StopDriver.verify|verify} messages.
             * @param message StopDriver message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StopDriver.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StopDriver message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopDriver & palimpsest.v1.StopDriver.$Shape} StopDriver
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StopDriver & palimpsest.v1.StopDriver.$Shape;
        }

        namespace StopDriver {

            /** Properties of a StopDriver. */
            interface $Properties {

                /** StopDriver jobId */
                jobId?: (string|null);

                /** StopDriver graceMs */
                graceMs?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StopDriver. */
            type $Shape = palimpsest.v1.StopDriver.$Properties;
        }

        /**
         * Properties of a StopNode.
         * @deprecated Use palimpsest.v1.StopNode.$Properties instead.
         */
        interface IStopNode extends palimpsest.v1.StopNode.$Properties {
        }

        /** Represents a StopNode. */
        class StopNode {

            /**
             * Constructs a new StopNode.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StopNode.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StopNode reason. */
            reason: string;

            /**
             * Creates a new StopNode instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StopNode instance
             */
            static create(properties: palimpsest.v1.StopNode.$Shape): palimpsest.v1.StopNode & palimpsest.v1.StopNode.$Shape;
            static create(properties?: palimpsest.v1.StopNode.$Properties): palimpsest.v1.StopNode;

            /**
             * Encodes the specified StopNode message. Does not implicitly {@link palimpsest.v1.StopNode.verify|verify} messages.
             * @param message StopNode message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StopNode.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StopNode message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StopNode & palimpsest.v1.StopNode.$Shape} StopNode
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StopNode & palimpsest.v1.StopNode.$Shape;
        }

        namespace StopNode {

            /** Properties of a StopNode. */
            interface $Properties {

                /** StopNode reason */
                reason?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StopNode. */
            type $Shape = palimpsest.v1.StopNode.$Properties;
        }

        /**
         * Properties of a DriverOutputAck.
         * @deprecated Use palimpsest.v1.DriverOutputAck.$Properties instead.
         */
        interface IDriverOutputAck extends palimpsest.v1.DriverOutputAck.$Properties {
        }

        /** Represents a DriverOutputAck. */
        class DriverOutputAck {

            /**
             * Constructs a new DriverOutputAck.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DriverOutputAck.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DriverOutputAck jobId. */
            jobId: string;

            /** DriverOutputAck offsetBytes. */
            offsetBytes: number;

            /**
             * Creates a new DriverOutputAck instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DriverOutputAck instance
             */
            static create(properties: palimpsest.v1.DriverOutputAck.$Shape): palimpsest.v1.DriverOutputAck & palimpsest.v1.DriverOutputAck.$Shape;
            static create(properties?: palimpsest.v1.DriverOutputAck.$Properties): palimpsest.v1.DriverOutputAck;

            /**
             * Encodes the specified DriverOutputAck message. Does not implicitly {@link palimpsest.v1.DriverOutputAck.verify|verify} messages.
             * @param message DriverOutputAck message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DriverOutputAck.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DriverOutputAck message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DriverOutputAck & palimpsest.v1.DriverOutputAck.$Shape} DriverOutputAck
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DriverOutputAck & palimpsest.v1.DriverOutputAck.$Shape;
        }

        namespace DriverOutputAck {

            /** Properties of a DriverOutputAck. */
            interface $Properties {

                /** DriverOutputAck jobId */
                jobId?: (string|null);

                /** DriverOutputAck offsetBytes */
                offsetBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DriverOutputAck. */
            type $Shape = palimpsest.v1.DriverOutputAck.$Properties;
        }

        /**
         * Properties of an ObjectReport.
         * @deprecated Use palimpsest.v1.ObjectReport.$Properties instead.
         */
        interface IObjectReport extends palimpsest.v1.ObjectReport.$Properties {
        }

        /** Represents an ObjectReport. */
        class ObjectReport {

            /**
             * Constructs a new ObjectReport.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectReport.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectReport reset. */
            reset: boolean;

            /** ObjectReport present. */
            present: palimpsest.v1.ObjectPlace.$Properties[];

            /** ObjectReport gone. */
            gone: Uint8Array[];

            /** ObjectReport holders. */
            holders: string[];

            /**
             * Creates a new ObjectReport instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectReport instance
             */
            static create(properties: palimpsest.v1.ObjectReport.$Shape): palimpsest.v1.ObjectReport & palimpsest.v1.ObjectReport.$Shape;
            static create(properties?: palimpsest.v1.ObjectReport.$Properties): palimpsest.v1.ObjectReport;

            /**
             * Encodes the specified ObjectReport message. Does not implicitly {@link palimpsest.v1.ObjectReport.verify|verify} messages.
             * @param message ObjectReport message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectReport.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectReport message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectReport & palimpsest.v1.ObjectReport.$Shape} ObjectReport
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectReport & palimpsest.v1.ObjectReport.$Shape;
        }

        namespace ObjectReport {

            /** Properties of an ObjectReport. */
            interface $Properties {

                /** ObjectReport reset */
                reset?: (boolean|null);

                /** ObjectReport present */
                present?: (palimpsest.v1.ObjectPlace.$Properties[]|null);

                /** ObjectReport gone */
                gone?: (Uint8Array[]|null);

                /** ObjectReport holders */
                holders?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectReport. */
            type $Shape = palimpsest.v1.ObjectReport.$Properties;
        }

        /**
         * Properties of an ObjectPlace.
         * @deprecated Use palimpsest.v1.ObjectPlace.$Properties instead.
         */
        interface IObjectPlace extends palimpsest.v1.ObjectPlace.$Properties {
        }

        /** Represents an ObjectPlace. */
        class ObjectPlace {

            /**
             * Constructs a new ObjectPlace.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ObjectPlace.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ObjectPlace sha256. */
            sha256: Uint8Array;

            /** ObjectPlace sizeBytes. */
            sizeBytes: number;

            /** ObjectPlace held. */
            held: boolean;

            /** ObjectPlace revision. */
            revision: number;

            /** ObjectPlace spilled. */
            spilled: boolean;

            /**
             * Creates a new ObjectPlace instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ObjectPlace instance
             */
            static create(properties: palimpsest.v1.ObjectPlace.$Shape): palimpsest.v1.ObjectPlace & palimpsest.v1.ObjectPlace.$Shape;
            static create(properties?: palimpsest.v1.ObjectPlace.$Properties): palimpsest.v1.ObjectPlace;

            /**
             * Encodes the specified ObjectPlace message. Does not implicitly {@link palimpsest.v1.ObjectPlace.verify|verify} messages.
             * @param message ObjectPlace message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ObjectPlace.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ObjectPlace message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ObjectPlace & palimpsest.v1.ObjectPlace.$Shape} ObjectPlace
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ObjectPlace & palimpsest.v1.ObjectPlace.$Shape;
        }

        namespace ObjectPlace {

            /** Properties of an ObjectPlace. */
            interface $Properties {

                /** ObjectPlace sha256 */
                sha256?: (Uint8Array|null);

                /** ObjectPlace sizeBytes */
                sizeBytes?: (number|null);

                /** ObjectPlace held */
                held?: (boolean|null);

                /** ObjectPlace revision */
                revision?: (number|null);

                /** ObjectPlace spilled */
                spilled?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ObjectPlace. */
            type $Shape = palimpsest.v1.ObjectPlace.$Properties;
        }

        /**
         * Properties of an EndedHolders.
         * @deprecated Use palimpsest.v1.EndedHolders.$Properties instead.
         */
        interface IEndedHolders extends palimpsest.v1.EndedHolders.$Properties {
        }

        /** Represents an EndedHolders. */
        class EndedHolders {

            /**
             * Constructs a new EndedHolders.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.EndedHolders.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** EndedHolders holders. */
            holders: string[];

            /**
             * Creates a new EndedHolders instance using the specified properties.
             * @param [properties] Properties to set
             * @returns EndedHolders instance
             */
            static create(properties: palimpsest.v1.EndedHolders.$Shape): palimpsest.v1.EndedHolders & palimpsest.v1.EndedHolders.$Shape;
            static create(properties?: palimpsest.v1.EndedHolders.$Properties): palimpsest.v1.EndedHolders;

            /**
             * Encodes the specified EndedHolders message. Does not implicitly {@link palimpsest.v1.EndedHolders.verify|verify} messages.
             * @param message EndedHolders message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.EndedHolders.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an EndedHolders message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.EndedHolders & palimpsest.v1.EndedHolders.$Shape} EndedHolders
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.EndedHolders & palimpsest.v1.EndedHolders.$Shape;
        }

        namespace EndedHolders {

            /** Properties of an EndedHolders. */
            interface $Properties {

                /** EndedHolders holders */
                holders?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an EndedHolders. */
            type $Shape = palimpsest.v1.EndedHolders.$Properties;
        }

        /**
         * Properties of a DropObjects.
         * @deprecated Use palimpsest.v1.DropObjects.$Properties instead.
         */
        interface IDropObjects extends palimpsest.v1.DropObjects.$Properties {
        }

        /** Represents a DropObjects. */
        class DropObjects {

            /**
             * Constructs a new DropObjects.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.DropObjects.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** DropObjects objects. */
            objects: palimpsest.v1.ObjectPlace.$Properties[];

            /** DropObjects holder. */
            holder: string;

            /** DropObjects copiesOnly. */
            copiesOnly: boolean;

            /**
             * Creates a new DropObjects instance using the specified properties.
             * @param [properties] Properties to set
             * @returns DropObjects instance
             */
            static create(properties: palimpsest.v1.DropObjects.$Shape): palimpsest.v1.DropObjects & palimpsest.v1.DropObjects.$Shape;
            static create(properties?: palimpsest.v1.DropObjects.$Properties): palimpsest.v1.DropObjects;

            /**
             * Encodes the specified DropObjects message. Does not implicitly {@link palimpsest.v1.DropObjects.verify|verify} messages.
             * @param message DropObjects message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.DropObjects.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a DropObjects message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.DropObjects & palimpsest.v1.DropObjects.$Shape} DropObjects
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.DropObjects & palimpsest.v1.DropObjects.$Shape;
        }

        namespace DropObjects {

            /** Properties of a DropObjects. */
            interface $Properties {

                /** DropObjects objects */
                objects?: (palimpsest.v1.ObjectPlace.$Properties[]|null);

                /** DropObjects holder */
                holder?: (string|null);

                /** DropObjects copiesOnly */
                copiesOnly?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a DropObjects. */
            type $Shape = palimpsest.v1.DropObjects.$Properties;
        }

        /**
         * Properties of a ReadLogRequest.
         * @deprecated Use palimpsest.v1.ReadLogRequest.$Properties instead.
         */
        interface IReadLogRequest extends palimpsest.v1.ReadLogRequest.$Properties {
        }

        /** Represents a ReadLogRequest. */
        class ReadLogRequest {

            /**
             * Constructs a new ReadLogRequest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ReadLogRequest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ReadLogRequest actorId. */
            actorId: string;

            /** ReadLogRequest incarnation. */
            incarnation: number;

            /** ReadLogRequest offsetBytes. */
            offsetBytes: number;

            /** ReadLogRequest tailLines. */
            tailLines: number;

            /** ReadLogRequest follow. */
            follow: boolean;

            /**
             * Creates a new ReadLogRequest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ReadLogRequest instance
             */
            static create(properties: palimpsest.v1.ReadLogRequest.$Shape): palimpsest.v1.ReadLogRequest & palimpsest.v1.ReadLogRequest.$Shape;
            static create(properties?: palimpsest.v1.ReadLogRequest.$Properties): palimpsest.v1.ReadLogRequest;

            /**
             * Encodes the specified ReadLogRequest message. Does not implicitly {@link palimpsest.v1.ReadLogRequest.verify|verify} messages.
             * @param message ReadLogRequest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ReadLogRequest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ReadLogRequest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ReadLogRequest & palimpsest.v1.ReadLogRequest.$Shape} ReadLogRequest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ReadLogRequest & palimpsest.v1.ReadLogRequest.$Shape;
        }

        namespace ReadLogRequest {

            /** Properties of a ReadLogRequest. */
            interface $Properties {

                /** ReadLogRequest actorId */
                actorId?: (string|null);

                /** ReadLogRequest incarnation */
                incarnation?: (number|null);

                /** ReadLogRequest offsetBytes */
                offsetBytes?: (number|null);

                /** ReadLogRequest tailLines */
                tailLines?: (number|null);

                /** ReadLogRequest follow */
                follow?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ReadLogRequest. */
            type $Shape = palimpsest.v1.ReadLogRequest.$Properties;
        }

        /**
         * Properties of an ActorLogChunk.
         * @deprecated Use palimpsest.v1.ActorLogChunk.$Properties instead.
         */
        interface IActorLogChunk extends palimpsest.v1.ActorLogChunk.$Properties {
        }

        /** Represents an ActorLogChunk. */
        class ActorLogChunk {

            /**
             * Constructs a new ActorLogChunk.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ActorLogChunk.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ActorLogChunk data. */
            data: Uint8Array;

            /** ActorLogChunk offsetBytes. */
            offsetBytes: number;

            /** ActorLogChunk incarnation. */
            incarnation: number;

            /**
             * Creates a new ActorLogChunk instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ActorLogChunk instance
             */
            static create(properties: palimpsest.v1.ActorLogChunk.$Shape): palimpsest.v1.ActorLogChunk & palimpsest.v1.ActorLogChunk.$Shape;
            static create(properties?: palimpsest.v1.ActorLogChunk.$Properties): palimpsest.v1.ActorLogChunk;

            /**
             * Encodes the specified ActorLogChunk message. Does not implicitly {@link palimpsest.v1.ActorLogChunk.verify|verify} messages.
             * @param message ActorLogChunk message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ActorLogChunk.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an ActorLogChunk message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ActorLogChunk & palimpsest.v1.ActorLogChunk.$Shape} ActorLogChunk
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ActorLogChunk & palimpsest.v1.ActorLogChunk.$Shape;
        }

        namespace ActorLogChunk {

            /** Properties of an ActorLogChunk. */
            interface $Properties {

                /** ActorLogChunk data */
                data?: (Uint8Array|null);

                /** ActorLogChunk offsetBytes */
                offsetBytes?: (number|null);

                /** ActorLogChunk incarnation */
                incarnation?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an ActorLogChunk. */
            type $Shape = palimpsest.v1.ActorLogChunk.$Properties;
        }

        /**
         * Properties of a RequestBatch.
         * @deprecated Use palimpsest.v1.RequestBatch.$Properties instead.
         */
        interface IRequestBatch extends palimpsest.v1.RequestBatch.$Properties {
        }

        /** Represents a RequestBatch. */
        class RequestBatch {

            /**
             * Constructs a new RequestBatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.RequestBatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** RequestBatch requests. */
            requests: palimpsest.v1.Request.$Properties[];

            /** RequestBatch cancelRequestIds. */
            cancelRequestIds: number[];

            /**
             * Creates a new RequestBatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns RequestBatch instance
             */
            static create(properties: palimpsest.v1.RequestBatch.$Shape): palimpsest.v1.RequestBatch & palimpsest.v1.RequestBatch.$Shape;
            static create(properties?: palimpsest.v1.RequestBatch.$Properties): palimpsest.v1.RequestBatch;

            /**
             * Encodes the specified RequestBatch message. Does not implicitly {@link palimpsest.v1.RequestBatch.verify|verify} messages.
             * @param message RequestBatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.RequestBatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a RequestBatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.RequestBatch & palimpsest.v1.RequestBatch.$Shape} RequestBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.RequestBatch & palimpsest.v1.RequestBatch.$Shape;
        }

        namespace RequestBatch {

            /** Properties of a RequestBatch. */
            interface $Properties {

                /** RequestBatch requests */
                requests?: (palimpsest.v1.Request.$Properties[]|null);

                /** RequestBatch cancelRequestIds */
                cancelRequestIds?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a RequestBatch. */
            type $Shape = palimpsest.v1.RequestBatch.$Properties;
        }

        /**
         * Properties of a Request.
         * @deprecated Use palimpsest.v1.Request.$Properties instead.
         */
        interface IRequest extends palimpsest.v1.Request.$Properties {
        }

        /** Represents a Request. */
        class Request {

            /**
             * Constructs a new Request.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Request.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Request requestId. */
            requestId: number;

            /** Request path. */
            path: string;

            /** Request message. */
            message: Uint8Array;

            /**
             * Creates a new Request instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Request instance
             */
            static create(properties: palimpsest.v1.Request.$Shape): palimpsest.v1.Request & palimpsest.v1.Request.$Shape;
            static create(properties?: palimpsest.v1.Request.$Properties): palimpsest.v1.Request;

            /**
             * Encodes the specified Request message. Does not implicitly {@link palimpsest.v1.Request.verify|verify} messages.
             * @param message Request message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Request.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Request message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Request & palimpsest.v1.Request.$Shape} Request
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Request & palimpsest.v1.Request.$Shape;
        }

        namespace Request {

            /** Properties of a Request. */
            interface $Properties {

                /** Request requestId */
                requestId?: (number|null);

                /** Request path */
                path?: (string|null);

                /** Request message */
                message?: (Uint8Array|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Request. */
            type $Shape = palimpsest.v1.Request.$Properties;
        }

        /**
         * Properties of an AnswerBatch.
         * @deprecated Use palimpsest.v1.AnswerBatch.$Properties instead.
         */
        interface IAnswerBatch extends palimpsest.v1.AnswerBatch.$Properties {
        }

        /** Represents an AnswerBatch. */
        class AnswerBatch {

            /**
             * Constructs a new AnswerBatch.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.AnswerBatch.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** AnswerBatch answers. */
            answers: palimpsest.v1.Answer.$Properties[];

            /**
             * Creates a new AnswerBatch instance using the specified properties.
             * @param [properties] Properties to set
             * @returns AnswerBatch instance
             */
            static create(properties: palimpsest.v1.AnswerBatch.$Shape): palimpsest.v1.AnswerBatch & palimpsest.v1.AnswerBatch.$Shape;
            static create(properties?: palimpsest.v1.AnswerBatch.$Properties): palimpsest.v1.AnswerBatch;

            /**
             * Encodes the specified AnswerBatch message. Does not implicitly {@link palimpsest.v1.AnswerBatch.verify|verify} messages.
             * @param message AnswerBatch message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.AnswerBatch.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an AnswerBatch message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.AnswerBatch & palimpsest.v1.AnswerBatch.$Shape} AnswerBatch
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.AnswerBatch & palimpsest.v1.AnswerBatch.$Shape;
        }

        namespace AnswerBatch {

            /** Properties of an AnswerBatch. */
            interface $Properties {

                /** AnswerBatch answers */
                answers?: (palimpsest.v1.Answer.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an AnswerBatch. */
            type $Shape = {
              answers?: palimpsest.v1.Answer.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of an Answer.
         * @deprecated Use palimpsest.v1.Answer.$Properties instead.
         */
        interface IAnswer extends palimpsest.v1.Answer.$Properties {
        }

        /** Represents an Answer. */
        class Answer {

            /**
             * Constructs a new Answer.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Answer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Answer requestId. */
            requestId: number;

            /** Answer message. */
            message?: (Uint8Array|null);

            /** Answer error. */
            error?: (palimpsest.v1.Error.$Properties|null);

            /** Answer outcome. */
            outcome?: ("message"|"error");

            /**
             * Creates a new Answer instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Answer instance
             */
            static create(properties: palimpsest.v1.Answer.$Shape): palimpsest.v1.Answer & palimpsest.v1.Answer.$Shape;
            static create(properties?: palimpsest.v1.Answer.$Properties): palimpsest.v1.Answer;

            /**
             * Encodes the specified Answer message. Does not implicitly {@link palimpsest.v1.Answer.verify|verify} messages.
             * @param message Answer message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Answer.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes an Answer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Answer & palimpsest.v1.Answer.$Shape} Answer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Answer & palimpsest.v1.Answer.$Shape;
        }

        namespace Answer {

            /** Properties of an Answer. */
            interface $Properties {

                /** Answer requestId */
                requestId?: (number|null);

                /** Answer message */
                message?: (Uint8Array|null);

                /** Answer error */
                error?: (palimpsest.v1.Error.$Properties|null);

                /** Answer outcome */
                outcome?: ("message"|"error");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of an Answer. */
            type $Shape = {
              requestId?: number|null;
              message?: Uint8Array|null;
              error?: palimpsest.v1.Error.$Shape|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ outcome?: undefined; message?: null; error?: null }|{ outcome?: "message"; message: Uint8Array; error?: null }|{ outcome?: "error"; message?: null; error: palimpsest.v1.Error.$Shape })
            );
        }

        /**
         * Properties of a Trajectory.
         * @deprecated Use palimpsest.v1.Trajectory.$Properties instead.
         */
        interface ITrajectory extends palimpsest.v1.Trajectory.$Properties {
        }

        /** Represents a Trajectory. */
        class Trajectory {

            /**
             * Constructs a new Trajectory.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Trajectory.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Trajectory trajectoryId. */
            trajectoryId: string;

            /** Trajectory groupId. */
            groupId: string;

            /** Trajectory taskId. */
            taskId: string;

            /** Trajectory episodeIndex. */
            episodeIndex: number;

            /** Trajectory agent. */
            agent: string;

            /** Trajectory policyVersionMin. */
            policyVersionMin: number;

            /** Trajectory policyVersionMax. */
            policyVersionMax: number;

            /** Trajectory weightsHash. */
            weightsHash: string;

            /** Trajectory conversations. */
            conversations: palimpsest.v1.Conversation.$Properties[];

            /** Trajectory answer. */
            answer: string;

            /** Trajectory memorySteps. */
            memorySteps: palimpsest.v1.MemoryStep.$Properties[];

            /** Trajectory startedAtMs. */
            startedAtMs: number;

            /** Trajectory endedAtMs. */
            endedAtMs: number;

            /** Trajectory actorId. */
            actorId: string;

            /** Trajectory droppedDocumentTokens. */
            droppedDocumentTokens: number;

            /** Trajectory storeDiff. */
            storeDiff?: (palimpsest.v1.StoreDiff.$Properties|null);

            /** Trajectory counters. */
            counters: { [k: string]: number };

            /** Trajectory versionRuns. */
            versionRuns: palimpsest.v1.VersionRun.$Properties[];

            /** Trajectory traceparent. */
            traceparent: string;

            /**
             * Creates a new Trajectory instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Trajectory instance
             */
            static create(properties: palimpsest.v1.Trajectory.$Shape): palimpsest.v1.Trajectory & palimpsest.v1.Trajectory.$Shape;
            static create(properties?: palimpsest.v1.Trajectory.$Properties): palimpsest.v1.Trajectory;

            /**
             * Encodes the specified Trajectory message. Does not implicitly {@link palimpsest.v1.Trajectory.verify|verify} messages.
             * @param message Trajectory message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Trajectory.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Trajectory message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Trajectory & palimpsest.v1.Trajectory.$Shape} Trajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Trajectory & palimpsest.v1.Trajectory.$Shape;
        }

        namespace Trajectory {

            /** Properties of a Trajectory. */
            interface $Properties {

                /** Trajectory trajectoryId */
                trajectoryId?: (string|null);

                /** Trajectory groupId */
                groupId?: (string|null);

                /** Trajectory taskId */
                taskId?: (string|null);

                /** Trajectory episodeIndex */
                episodeIndex?: (number|null);

                /** Trajectory agent */
                agent?: (string|null);

                /** Trajectory policyVersionMin */
                policyVersionMin?: (number|null);

                /** Trajectory policyVersionMax */
                policyVersionMax?: (number|null);

                /** Trajectory weightsHash */
                weightsHash?: (string|null);

                /** Trajectory conversations */
                conversations?: (palimpsest.v1.Conversation.$Properties[]|null);

                /** Trajectory answer */
                answer?: (string|null);

                /** Trajectory memorySteps */
                memorySteps?: (palimpsest.v1.MemoryStep.$Properties[]|null);

                /** Trajectory startedAtMs */
                startedAtMs?: (number|null);

                /** Trajectory endedAtMs */
                endedAtMs?: (number|null);

                /** Trajectory actorId */
                actorId?: (string|null);

                /** Trajectory droppedDocumentTokens */
                droppedDocumentTokens?: (number|null);

                /** Trajectory storeDiff */
                storeDiff?: (palimpsest.v1.StoreDiff.$Properties|null);

                /** Trajectory counters */
                counters?: ({ [k: string]: number }|null);

                /** Trajectory versionRuns */
                versionRuns?: (palimpsest.v1.VersionRun.$Properties[]|null);

                /** Trajectory traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Trajectory. */
            type $Shape = {
              trajectoryId?: string|null;
              groupId?: string|null;
              taskId?: string|null;
              episodeIndex?: number|null;
              agent?: string|null;
              policyVersionMin?: number|null;
              policyVersionMax?: number|null;
              weightsHash?: string|null;
              conversations?: palimpsest.v1.Conversation.$Shape[]|null;
              answer?: string|null;
              memorySteps?: palimpsest.v1.MemoryStep.$Shape[]|null;
              startedAtMs?: number|null;
              endedAtMs?: number|null;
              actorId?: string|null;
              droppedDocumentTokens?: number|null;
              storeDiff?: palimpsest.v1.StoreDiff.$Shape|null;
              counters?: { [k: string]: number }|null;
              versionRuns?: palimpsest.v1.VersionRun.$Shape[]|null;
              traceparent?: string|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a VersionRun.
         * @deprecated Use palimpsest.v1.VersionRun.$Properties instead.
         */
        interface IVersionRun extends palimpsest.v1.VersionRun.$Properties {
        }

        /** Represents a VersionRun. */
        class VersionRun {

            /**
             * Constructs a new VersionRun.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.VersionRun.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** VersionRun conversation. */
            conversation: number;

            /** VersionRun policyVersion. */
            policyVersion: number;

            /** VersionRun tokens. */
            tokens: number;

            /**
             * Creates a new VersionRun instance using the specified properties.
             * @param [properties] Properties to set
             * @returns VersionRun instance
             */
            static create(properties: palimpsest.v1.VersionRun.$Shape): palimpsest.v1.VersionRun & palimpsest.v1.VersionRun.$Shape;
            static create(properties?: palimpsest.v1.VersionRun.$Properties): palimpsest.v1.VersionRun;

            /**
             * Encodes the specified VersionRun message. Does not implicitly {@link palimpsest.v1.VersionRun.verify|verify} messages.
             * @param message VersionRun message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.VersionRun.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a VersionRun message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.VersionRun & palimpsest.v1.VersionRun.$Shape} VersionRun
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.VersionRun & palimpsest.v1.VersionRun.$Shape;
        }

        namespace VersionRun {

            /** Properties of a VersionRun. */
            interface $Properties {

                /** VersionRun conversation */
                conversation?: (number|null);

                /** VersionRun policyVersion */
                policyVersion?: (number|null);

                /** VersionRun tokens */
                tokens?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a VersionRun. */
            type $Shape = palimpsest.v1.VersionRun.$Properties;
        }

        /**
         * Properties of a Conversation.
         * @deprecated Use palimpsest.v1.Conversation.$Properties instead.
         */
        interface IConversation extends palimpsest.v1.Conversation.$Properties {
        }

        /** Represents a Conversation. */
        class Conversation {

            /**
             * Constructs a new Conversation.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Conversation.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Conversation kind. */
            kind: string;

            /** Conversation step. */
            step: number;

            /** Conversation promptTokenIds. */
            promptTokenIds: number[];

            /** Conversation sampledTokenIds. */
            sampledTokenIds: number[];

            /** Conversation rolloutLogprobs. */
            rolloutLogprobs: number[];

            /** Conversation lossMask. */
            lossMask: Uint8Array;

            /** Conversation stopReason. */
            stopReason: string;

            /** Conversation policyVersion. */
            policyVersion: number;

            /** Conversation sampling. */
            sampling?: (palimpsest.v1.Sampling.$Properties|null);

            /** Conversation sampledLogprobs. */
            sampledLogprobs: number[];

            /**
             * Creates a new Conversation instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Conversation instance
             */
            static create(properties: palimpsest.v1.Conversation.$Shape): palimpsest.v1.Conversation & palimpsest.v1.Conversation.$Shape;
            static create(properties?: palimpsest.v1.Conversation.$Properties): palimpsest.v1.Conversation;

            /**
             * Encodes the specified Conversation message. Does not implicitly {@link palimpsest.v1.Conversation.verify|verify} messages.
             * @param message Conversation message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Conversation.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Conversation message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Conversation & palimpsest.v1.Conversation.$Shape} Conversation
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Conversation & palimpsest.v1.Conversation.$Shape;
        }

        namespace Conversation {

            /** Properties of a Conversation. */
            interface $Properties {

                /** Conversation kind */
                kind?: (string|null);

                /** Conversation step */
                step?: (number|null);

                /** Conversation promptTokenIds */
                promptTokenIds?: (number[]|null);

                /** Conversation sampledTokenIds */
                sampledTokenIds?: (number[]|null);

                /** Conversation rolloutLogprobs */
                rolloutLogprobs?: (number[]|null);

                /** Conversation lossMask */
                lossMask?: (Uint8Array|null);

                /** Conversation stopReason */
                stopReason?: (string|null);

                /** Conversation policyVersion */
                policyVersion?: (number|null);

                /** Conversation sampling */
                sampling?: (palimpsest.v1.Sampling.$Properties|null);

                /** Conversation sampledLogprobs */
                sampledLogprobs?: (number[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Conversation. */
            type $Shape = palimpsest.v1.Conversation.$Properties;
        }

        /**
         * Properties of a Sampling.
         * @deprecated Use palimpsest.v1.Sampling.$Properties instead.
         */
        interface ISampling extends palimpsest.v1.Sampling.$Properties {
        }

        /** Represents a Sampling. */
        class Sampling {

            /**
             * Constructs a new Sampling.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Sampling.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Sampling temperature. */
            temperature: number;

            /** Sampling topP. */
            topP: number;

            /** Sampling topK. */
            topK: number;

            /** Sampling minP. */
            minP: number;

            /**
             * Creates a new Sampling instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Sampling instance
             */
            static create(properties: palimpsest.v1.Sampling.$Shape): palimpsest.v1.Sampling & palimpsest.v1.Sampling.$Shape;
            static create(properties?: palimpsest.v1.Sampling.$Properties): palimpsest.v1.Sampling;

            /**
             * Encodes the specified Sampling message. Does not implicitly {@link palimpsest.v1.Sampling.verify|verify} messages.
             * @param message Sampling message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Sampling.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Sampling message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Sampling & palimpsest.v1.Sampling.$Shape} Sampling
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Sampling & palimpsest.v1.Sampling.$Shape;
        }

        namespace Sampling {

            /** Properties of a Sampling. */
            interface $Properties {

                /** Sampling temperature */
                temperature?: (number|null);

                /** Sampling topP */
                topP?: (number|null);

                /** Sampling topK */
                topK?: (number|null);

                /** Sampling minP */
                minP?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Sampling. */
            type $Shape = palimpsest.v1.Sampling.$Properties;
        }

        /**
         * Properties of a MemoryStep.
         * @deprecated Use palimpsest.v1.MemoryStep.$Properties instead.
         */
        interface IMemoryStep extends palimpsest.v1.MemoryStep.$Properties {
        }

        /** Represents a MemoryStep. */
        class MemoryStep {

            /**
             * Constructs a new MemoryStep.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MemoryStep.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MemoryStep step. */
            step: number;

            /** MemoryStep documentTokenStart. */
            documentTokenStart: number;

            /** MemoryStep documentTokenEnd. */
            documentTokenEnd: number;

            /** MemoryStep memory. */
            memory: string;

            /** MemoryStep recalled. */
            recalled: string;

            /** MemoryStep section. */
            section: string;

            /** MemoryStep recallQuery. */
            recallQuery: string;

            /** MemoryStep found. */
            found: string;

            /** MemoryStep reply. */
            reply: string;

            /**
             * Creates a new MemoryStep instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MemoryStep instance
             */
            static create(properties: palimpsest.v1.MemoryStep.$Shape): palimpsest.v1.MemoryStep & palimpsest.v1.MemoryStep.$Shape;
            static create(properties?: palimpsest.v1.MemoryStep.$Properties): palimpsest.v1.MemoryStep;

            /**
             * Encodes the specified MemoryStep message. Does not implicitly {@link palimpsest.v1.MemoryStep.verify|verify} messages.
             * @param message MemoryStep message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MemoryStep.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MemoryStep message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MemoryStep & palimpsest.v1.MemoryStep.$Shape} MemoryStep
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MemoryStep & palimpsest.v1.MemoryStep.$Shape;
        }

        namespace MemoryStep {

            /** Properties of a MemoryStep. */
            interface $Properties {

                /** MemoryStep step */
                step?: (number|null);

                /** MemoryStep documentTokenStart */
                documentTokenStart?: (number|null);

                /** MemoryStep documentTokenEnd */
                documentTokenEnd?: (number|null);

                /** MemoryStep memory */
                memory?: (string|null);

                /** MemoryStep recalled */
                recalled?: (string|null);

                /** MemoryStep section */
                section?: (string|null);

                /** MemoryStep recallQuery */
                recallQuery?: (string|null);

                /** MemoryStep found */
                found?: (string|null);

                /** MemoryStep reply */
                reply?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MemoryStep. */
            type $Shape = palimpsest.v1.MemoryStep.$Properties;
        }

        /**
         * Properties of a MemoryRecord.
         * @deprecated Use palimpsest.v1.MemoryRecord.$Properties instead.
         */
        interface IMemoryRecord extends palimpsest.v1.MemoryRecord.$Properties {
        }

        /** Represents a MemoryRecord. */
        class MemoryRecord {

            /**
             * Constructs a new MemoryRecord.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.MemoryRecord.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MemoryRecord id. */
            id: string;

            /** MemoryRecord content. */
            content: string;

            /** MemoryRecord memoryType. */
            memoryType: string;

            /** MemoryRecord speaker. */
            speaker: string;

            /** MemoryRecord session. */
            session: string;

            /** MemoryRecord dialogueTime. */
            dialogueTime: string;

            /** MemoryRecord createdAt. */
            createdAt: string;

            /** MemoryRecord updatedAt. */
            updatedAt: string;

            /** MemoryRecord source. */
            source: string;

            /** MemoryRecord provenance. */
            provenance: string[];

            /** MemoryRecord metadata. */
            metadata: { [k: string]: palimpsest.v1.TaskFact.$Properties };

            /**
             * Creates a new MemoryRecord instance using the specified properties.
             * @param [properties] Properties to set
             * @returns MemoryRecord instance
             */
            static create(properties: palimpsest.v1.MemoryRecord.$Shape): palimpsest.v1.MemoryRecord & palimpsest.v1.MemoryRecord.$Shape;
            static create(properties?: palimpsest.v1.MemoryRecord.$Properties): palimpsest.v1.MemoryRecord;

            /**
             * Encodes the specified MemoryRecord message. Does not implicitly {@link palimpsest.v1.MemoryRecord.verify|verify} messages.
             * @param message MemoryRecord message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.MemoryRecord.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a MemoryRecord message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.MemoryRecord & palimpsest.v1.MemoryRecord.$Shape} MemoryRecord
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.MemoryRecord & palimpsest.v1.MemoryRecord.$Shape;
        }

        namespace MemoryRecord {

            /** Properties of a MemoryRecord. */
            interface $Properties {

                /** MemoryRecord id */
                id?: (string|null);

                /** MemoryRecord content */
                content?: (string|null);

                /** MemoryRecord memoryType */
                memoryType?: (string|null);

                /** MemoryRecord speaker */
                speaker?: (string|null);

                /** MemoryRecord session */
                session?: (string|null);

                /** MemoryRecord dialogueTime */
                dialogueTime?: (string|null);

                /** MemoryRecord createdAt */
                createdAt?: (string|null);

                /** MemoryRecord updatedAt */
                updatedAt?: (string|null);

                /** MemoryRecord source */
                source?: (string|null);

                /** MemoryRecord provenance */
                provenance?: (string[]|null);

                /** MemoryRecord metadata */
                metadata?: ({ [k: string]: palimpsest.v1.TaskFact.$Properties }|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MemoryRecord. */
            type $Shape = {
              id?: string|null;
              content?: string|null;
              memoryType?: string|null;
              speaker?: string|null;
              session?: string|null;
              dialogueTime?: string|null;
              createdAt?: string|null;
              updatedAt?: string|null;
              source?: string|null;
              provenance?: string[]|null;
              metadata?: { [k: string]: palimpsest.v1.TaskFact.$Shape }|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a StoreDiff.
         * @deprecated Use palimpsest.v1.StoreDiff.$Properties instead.
         */
        interface IStoreDiff extends palimpsest.v1.StoreDiff.$Properties {
        }

        /** Represents a StoreDiff. */
        class StoreDiff {

            /**
             * Constructs a new StoreDiff.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StoreDiff.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StoreDiff created. */
            created: palimpsest.v1.MemoryRecord.$Properties[];

            /** StoreDiff updated. */
            updated: palimpsest.v1.MemoryRecord.$Properties[];

            /** StoreDiff deleted. */
            deleted: string[];

            /**
             * Creates a new StoreDiff instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StoreDiff instance
             */
            static create(properties: palimpsest.v1.StoreDiff.$Shape): palimpsest.v1.StoreDiff & palimpsest.v1.StoreDiff.$Shape;
            static create(properties?: palimpsest.v1.StoreDiff.$Properties): palimpsest.v1.StoreDiff;

            /**
             * Encodes the specified StoreDiff message. Does not implicitly {@link palimpsest.v1.StoreDiff.verify|verify} messages.
             * @param message StoreDiff message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StoreDiff.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StoreDiff message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StoreDiff & palimpsest.v1.StoreDiff.$Shape} StoreDiff
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StoreDiff & palimpsest.v1.StoreDiff.$Shape;
        }

        namespace StoreDiff {

            /** Properties of a StoreDiff. */
            interface $Properties {

                /** StoreDiff created */
                created?: (palimpsest.v1.MemoryRecord.$Properties[]|null);

                /** StoreDiff updated */
                updated?: (palimpsest.v1.MemoryRecord.$Properties[]|null);

                /** StoreDiff deleted */
                deleted?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StoreDiff. */
            type $Shape = {
              created?: palimpsest.v1.MemoryRecord.$Shape[]|null;
              updated?: palimpsest.v1.MemoryRecord.$Shape[]|null;
              deleted?: string[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a Probe.
         * @deprecated Use palimpsest.v1.Probe.$Properties instead.
         */
        interface IProbe extends palimpsest.v1.Probe.$Properties {
        }

        /** Represents a Probe. */
        class Probe {

            /**
             * Constructs a new Probe.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Probe.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Probe question. */
            question: string;

            /** Probe answers. */
            answers: string[];

            /** Probe category. */
            category: string;

            /** Probe evidence. */
            evidence: string[];

            /** Probe heldOut. */
            heldOut: boolean;

            /**
             * Creates a new Probe instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Probe instance
             */
            static create(properties: palimpsest.v1.Probe.$Shape): palimpsest.v1.Probe & palimpsest.v1.Probe.$Shape;
            static create(properties?: palimpsest.v1.Probe.$Properties): palimpsest.v1.Probe;

            /**
             * Encodes the specified Probe message. Does not implicitly {@link palimpsest.v1.Probe.verify|verify} messages.
             * @param message Probe message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Probe.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Probe message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Probe & palimpsest.v1.Probe.$Shape} Probe
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Probe & palimpsest.v1.Probe.$Shape;
        }

        namespace Probe {

            /** Properties of a Probe. */
            interface $Properties {

                /** Probe question */
                question?: (string|null);

                /** Probe answers */
                answers?: (string[]|null);

                /** Probe category */
                category?: (string|null);

                /** Probe evidence */
                evidence?: (string[]|null);

                /** Probe heldOut */
                heldOut?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Probe. */
            type $Shape = palimpsest.v1.Probe.$Properties;
        }

        /**
         * Properties of a TrajectoryScore.
         * @deprecated Use palimpsest.v1.TrajectoryScore.$Properties instead.
         */
        interface ITrajectoryScore extends palimpsest.v1.TrajectoryScore.$Properties {
        }

        /** Represents a TrajectoryScore. */
        class TrajectoryScore {

            /**
             * Constructs a new TrajectoryScore.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TrajectoryScore.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TrajectoryScore trajectoryId. */
            trajectoryId: string;

            /** TrajectoryScore reward. */
            reward: number;

            /** TrajectoryScore components. */
            components: { [k: string]: number };

            /** TrajectoryScore stepRewards. */
            stepRewards: number[];

            /** TrajectoryScore failure. */
            failure?: (palimpsest.v1.Error.$Properties|null);

            /** TrajectoryScore actorId. */
            actorId: string;

            /** TrajectoryScore traceparent. */
            traceparent: string;

            /**
             * Creates a new TrajectoryScore instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TrajectoryScore instance
             */
            static create(properties: palimpsest.v1.TrajectoryScore.$Shape): palimpsest.v1.TrajectoryScore & palimpsest.v1.TrajectoryScore.$Shape;
            static create(properties?: palimpsest.v1.TrajectoryScore.$Properties): palimpsest.v1.TrajectoryScore;

            /**
             * Encodes the specified TrajectoryScore message. Does not implicitly {@link palimpsest.v1.TrajectoryScore.verify|verify} messages.
             * @param message TrajectoryScore message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TrajectoryScore.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TrajectoryScore message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TrajectoryScore & palimpsest.v1.TrajectoryScore.$Shape} TrajectoryScore
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TrajectoryScore & palimpsest.v1.TrajectoryScore.$Shape;
        }

        namespace TrajectoryScore {

            /** Properties of a TrajectoryScore. */
            interface $Properties {

                /** TrajectoryScore trajectoryId */
                trajectoryId?: (string|null);

                /** TrajectoryScore reward */
                reward?: (number|null);

                /** TrajectoryScore components */
                components?: ({ [k: string]: number }|null);

                /** TrajectoryScore stepRewards */
                stepRewards?: (number[]|null);

                /** TrajectoryScore failure */
                failure?: (palimpsest.v1.Error.$Properties|null);

                /** TrajectoryScore actorId */
                actorId?: (string|null);

                /** TrajectoryScore traceparent */
                traceparent?: (string|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a TrajectoryScore. */
            type $Shape = palimpsest.v1.TrajectoryScore.$Properties;
        }

        /**
         * Properties of a StepDump.
         * @deprecated Use palimpsest.v1.StepDump.$Properties instead.
         */
        interface IStepDump extends palimpsest.v1.StepDump.$Properties {
        }

        /** Represents a StepDump. */
        class StepDump {

            /**
             * Constructs a new StepDump.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.StepDump.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** StepDump policyVersion. */
            policyVersion: number;

            /** StepDump shuffleRewards. */
            shuffleRewards: boolean;

            /** StepDump groups. */
            groups: palimpsest.v1.ScoredGroup.$Properties[];

            /**
             * Creates a new StepDump instance using the specified properties.
             * @param [properties] Properties to set
             * @returns StepDump instance
             */
            static create(properties: palimpsest.v1.StepDump.$Shape): palimpsest.v1.StepDump & palimpsest.v1.StepDump.$Shape;
            static create(properties?: palimpsest.v1.StepDump.$Properties): palimpsest.v1.StepDump;

            /**
             * Encodes the specified StepDump message. Does not implicitly {@link palimpsest.v1.StepDump.verify|verify} messages.
             * @param message StepDump message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.StepDump.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a StepDump message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.StepDump & palimpsest.v1.StepDump.$Shape} StepDump
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.StepDump & palimpsest.v1.StepDump.$Shape;
        }

        namespace StepDump {

            /** Properties of a StepDump. */
            interface $Properties {

                /** StepDump policyVersion */
                policyVersion?: (number|null);

                /** StepDump shuffleRewards */
                shuffleRewards?: (boolean|null);

                /** StepDump groups */
                groups?: (palimpsest.v1.ScoredGroup.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a StepDump. */
            type $Shape = {
              policyVersion?: number|null;
              shuffleRewards?: boolean|null;
              groups?: palimpsest.v1.ScoredGroup.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a ScoredGroup.
         * @deprecated Use palimpsest.v1.ScoredGroup.$Properties instead.
         */
        interface IScoredGroup extends palimpsest.v1.ScoredGroup.$Properties {
        }

        /** Represents a ScoredGroup. */
        class ScoredGroup {

            /**
             * Constructs a new ScoredGroup.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ScoredGroup.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ScoredGroup groupId. */
            groupId: string;

            /** ScoredGroup taskId. */
            taskId: string;

            /** ScoredGroup groupSize. */
            groupSize: number;

            /** ScoredGroup members. */
            members: palimpsest.v1.ScoredTrajectory.$Properties[];

            /**
             * Creates a new ScoredGroup instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ScoredGroup instance
             */
            static create(properties: palimpsest.v1.ScoredGroup.$Shape): palimpsest.v1.ScoredGroup & palimpsest.v1.ScoredGroup.$Shape;
            static create(properties?: palimpsest.v1.ScoredGroup.$Properties): palimpsest.v1.ScoredGroup;

            /**
             * Encodes the specified ScoredGroup message. Does not implicitly {@link palimpsest.v1.ScoredGroup.verify|verify} messages.
             * @param message ScoredGroup message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ScoredGroup.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ScoredGroup message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ScoredGroup & palimpsest.v1.ScoredGroup.$Shape} ScoredGroup
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ScoredGroup & palimpsest.v1.ScoredGroup.$Shape;
        }

        namespace ScoredGroup {

            /** Properties of a ScoredGroup. */
            interface $Properties {

                /** ScoredGroup groupId */
                groupId?: (string|null);

                /** ScoredGroup taskId */
                taskId?: (string|null);

                /** ScoredGroup groupSize */
                groupSize?: (number|null);

                /** ScoredGroup members */
                members?: (palimpsest.v1.ScoredTrajectory.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ScoredGroup. */
            type $Shape = {
              groupId?: string|null;
              taskId?: string|null;
              groupSize?: number|null;
              members?: palimpsest.v1.ScoredTrajectory.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a ScoredTrajectory.
         * @deprecated Use palimpsest.v1.ScoredTrajectory.$Properties instead.
         */
        interface IScoredTrajectory extends palimpsest.v1.ScoredTrajectory.$Properties {
        }

        /** Represents a ScoredTrajectory. */
        class ScoredTrajectory {

            /**
             * Constructs a new ScoredTrajectory.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.ScoredTrajectory.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** ScoredTrajectory trajectory. */
            trajectory?: (palimpsest.v1.Trajectory.$Properties|null);

            /** ScoredTrajectory score. */
            score?: (palimpsest.v1.TrajectoryScore.$Properties|null);

            /**
             * Creates a new ScoredTrajectory instance using the specified properties.
             * @param [properties] Properties to set
             * @returns ScoredTrajectory instance
             */
            static create(properties: palimpsest.v1.ScoredTrajectory.$Shape): palimpsest.v1.ScoredTrajectory & palimpsest.v1.ScoredTrajectory.$Shape;
            static create(properties?: palimpsest.v1.ScoredTrajectory.$Properties): palimpsest.v1.ScoredTrajectory;

            /**
             * Encodes the specified ScoredTrajectory message. Does not implicitly {@link palimpsest.v1.ScoredTrajectory.verify|verify} messages.
             * @param message ScoredTrajectory message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.ScoredTrajectory.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a ScoredTrajectory message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.ScoredTrajectory & palimpsest.v1.ScoredTrajectory.$Shape} ScoredTrajectory
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.ScoredTrajectory & palimpsest.v1.ScoredTrajectory.$Shape;
        }

        namespace ScoredTrajectory {

            /** Properties of a ScoredTrajectory. */
            interface $Properties {

                /** ScoredTrajectory trajectory */
                trajectory?: (palimpsest.v1.Trajectory.$Properties|null);

                /** ScoredTrajectory score */
                score?: (palimpsest.v1.TrajectoryScore.$Properties|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a ScoredTrajectory. */
            type $Shape = {
              trajectory?: palimpsest.v1.Trajectory.$Shape|null;
              score?: palimpsest.v1.TrajectoryScore.$Shape|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a Task.
         * @deprecated Use palimpsest.v1.Task.$Properties instead.
         */
        interface ITask extends palimpsest.v1.Task.$Properties {
        }

        /** Represents a Task. */
        class Task {

            /**
             * Constructs a new Task.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.Task.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Task id. */
            id: string;

            /** Task question. */
            question: string;

            /** Task answers. */
            answers: string[];

            /** Task document. */
            document: string;

            /** Task metadata. */
            metadata: { [k: string]: palimpsest.v1.TaskFact.$Properties };

            /** Task records. */
            records: palimpsest.v1.MemoryRecord.$Properties[];

            /** Task hasRecords. */
            hasRecords: boolean;

            /** Task probes. */
            probes: palimpsest.v1.Probe.$Properties[];

            /**
             * Creates a new Task instance using the specified properties.
             * @param [properties] Properties to set
             * @returns Task instance
             */
            static create(properties: palimpsest.v1.Task.$Shape): palimpsest.v1.Task & palimpsest.v1.Task.$Shape;
            static create(properties?: palimpsest.v1.Task.$Properties): palimpsest.v1.Task;

            /**
             * Encodes the specified Task message. Does not implicitly {@link palimpsest.v1.Task.verify|verify} messages.
             * @param message Task message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.Task.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a Task message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.Task & palimpsest.v1.Task.$Shape} Task
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.Task & palimpsest.v1.Task.$Shape;
        }

        namespace Task {

            /** Properties of a Task. */
            interface $Properties {

                /** Task id */
                id?: (string|null);

                /** Task question */
                question?: (string|null);

                /** Task answers */
                answers?: (string[]|null);

                /** Task document */
                document?: (string|null);

                /** Task metadata */
                metadata?: ({ [k: string]: palimpsest.v1.TaskFact.$Properties }|null);

                /** Task records */
                records?: (palimpsest.v1.MemoryRecord.$Properties[]|null);

                /** Task hasRecords */
                hasRecords?: (boolean|null);

                /** Task probes */
                probes?: (palimpsest.v1.Probe.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Task. */
            type $Shape = {
              id?: string|null;
              question?: string|null;
              answers?: string[]|null;
              document?: string|null;
              metadata?: { [k: string]: palimpsest.v1.TaskFact.$Shape }|null;
              records?: palimpsest.v1.MemoryRecord.$Shape[]|null;
              hasRecords?: boolean|null;
              probes?: palimpsest.v1.Probe.$Shape[]|null;
              $unknowns?: Uint8Array[];
            };
        }

        /**
         * Properties of a TaskFact.
         * @deprecated Use palimpsest.v1.TaskFact.$Properties instead.
         */
        interface ITaskFact extends palimpsest.v1.TaskFact.$Properties {
        }

        /** Represents a TaskFact. */
        class TaskFact {

            /**
             * Constructs a new TaskFact.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.TaskFact.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** TaskFact text. */
            text?: (string|null);

            /** TaskFact number. */
            number?: (number|null);

            /** TaskFact flag. */
            flag?: (boolean|null);

            /** TaskFact value. */
            value?: ("text"|"number"|"flag");

            /**
             * Creates a new TaskFact instance using the specified properties.
             * @param [properties] Properties to set
             * @returns TaskFact instance
             */
            static create(properties: palimpsest.v1.TaskFact.$Shape): palimpsest.v1.TaskFact & palimpsest.v1.TaskFact.$Shape;
            static create(properties?: palimpsest.v1.TaskFact.$Properties): palimpsest.v1.TaskFact;

            /**
             * Encodes the specified TaskFact message. Does not implicitly {@link palimpsest.v1.TaskFact.verify|verify} messages.
             * @param message TaskFact message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.TaskFact.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a TaskFact message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.TaskFact & palimpsest.v1.TaskFact.$Shape} TaskFact
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.TaskFact & palimpsest.v1.TaskFact.$Shape;
        }

        namespace TaskFact {

            /** Properties of a TaskFact. */
            interface $Properties {

                /** TaskFact text */
                text?: (string|null);

                /** TaskFact number */
                number?: (number|null);

                /** TaskFact flag */
                flag?: (boolean|null);

                /** TaskFact value */
                value?: ("text"|"number"|"flag");

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Narrowed shape of a TaskFact. */
            type $Shape = {
              text?: string|null;
              number?: number|null;
              flag?: boolean|null;
              $unknowns?: Uint8Array[];
            } & (
              ({ value?: undefined; text?: null; number?: null; flag?: null }|{ value?: "text"; text: string; number?: null; flag?: null }|{ value?: "number"; text?: null; number: number; flag?: null }|{ value?: "flag"; text?: null; number?: null; flag: boolean })
            );
        }

        /**
         * Properties of a WeightManifest.
         * @deprecated Use palimpsest.v1.WeightManifest.$Properties instead.
         */
        interface IWeightManifest extends palimpsest.v1.WeightManifest.$Properties {
        }

        /** Represents a WeightManifest. */
        class WeightManifest {

            /**
             * Constructs a new WeightManifest.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WeightManifest.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WeightManifest runId. */
            runId: string;

            /** WeightManifest policyVersion. */
            policyVersion: number;

            /** WeightManifest weightsHash. */
            weightsHash: string;

            /** WeightManifest tensors. */
            tensors: palimpsest.v1.WeightTensor.$Properties[];

            /** WeightManifest shards. */
            shards: palimpsest.v1.WeightShard.$Properties[];

            /** WeightManifest publishedAtMs. */
            publishedAtMs: number;

            /** WeightManifest adapters. */
            adapters?: (palimpsest.v1.WeightAdapters.$Properties|null);

            /** WeightManifest leafBytes. */
            leafBytes: number;

            /**
             * Creates a new WeightManifest instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WeightManifest instance
             */
            static create(properties: palimpsest.v1.WeightManifest.$Shape): palimpsest.v1.WeightManifest & palimpsest.v1.WeightManifest.$Shape;
            static create(properties?: palimpsest.v1.WeightManifest.$Properties): palimpsest.v1.WeightManifest;

            /**
             * Encodes the specified WeightManifest message. Does not implicitly {@link palimpsest.v1.WeightManifest.verify|verify} messages.
             * @param message WeightManifest message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WeightManifest.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WeightManifest message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightManifest & palimpsest.v1.WeightManifest.$Shape} WeightManifest
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WeightManifest & palimpsest.v1.WeightManifest.$Shape;
        }

        namespace WeightManifest {

            /** Properties of a WeightManifest. */
            interface $Properties {

                /** WeightManifest runId */
                runId?: (string|null);

                /** WeightManifest policyVersion */
                policyVersion?: (number|null);

                /** WeightManifest weightsHash */
                weightsHash?: (string|null);

                /** WeightManifest tensors */
                tensors?: (palimpsest.v1.WeightTensor.$Properties[]|null);

                /** WeightManifest shards */
                shards?: (palimpsest.v1.WeightShard.$Properties[]|null);

                /** WeightManifest publishedAtMs */
                publishedAtMs?: (number|null);

                /** WeightManifest adapters */
                adapters?: (palimpsest.v1.WeightAdapters.$Properties|null);

                /** WeightManifest leafBytes */
                leafBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WeightManifest. */
            type $Shape = palimpsest.v1.WeightManifest.$Properties;
        }

        /**
         * Properties of a WeightAdapters.
         * @deprecated Use palimpsest.v1.WeightAdapters.$Properties instead.
         */
        interface IWeightAdapters extends palimpsest.v1.WeightAdapters.$Properties {
        }

        /** Represents a WeightAdapters. */
        class WeightAdapters {

            /**
             * Constructs a new WeightAdapters.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WeightAdapters.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WeightAdapters baseWeightsHash. */
            baseWeightsHash: string;

            /** WeightAdapters rank. */
            rank: number;

            /** WeightAdapters alpha. */
            alpha: number;

            /** WeightAdapters targets. */
            targets: string[];

            /**
             * Creates a new WeightAdapters instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WeightAdapters instance
             */
            static create(properties: palimpsest.v1.WeightAdapters.$Shape): palimpsest.v1.WeightAdapters & palimpsest.v1.WeightAdapters.$Shape;
            static create(properties?: palimpsest.v1.WeightAdapters.$Properties): palimpsest.v1.WeightAdapters;

            /**
             * Encodes the specified WeightAdapters message. Does not implicitly {@link palimpsest.v1.WeightAdapters.verify|verify} messages.
             * @param message WeightAdapters message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WeightAdapters.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WeightAdapters message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightAdapters & palimpsest.v1.WeightAdapters.$Shape} WeightAdapters
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WeightAdapters & palimpsest.v1.WeightAdapters.$Shape;
        }

        namespace WeightAdapters {

            /** Properties of a WeightAdapters. */
            interface $Properties {

                /** WeightAdapters baseWeightsHash */
                baseWeightsHash?: (string|null);

                /** WeightAdapters rank */
                rank?: (number|null);

                /** WeightAdapters alpha */
                alpha?: (number|null);

                /** WeightAdapters targets */
                targets?: (string[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WeightAdapters. */
            type $Shape = palimpsest.v1.WeightAdapters.$Properties;
        }

        /**
         * Properties of a WeightTensor.
         * @deprecated Use palimpsest.v1.WeightTensor.$Properties instead.
         */
        interface IWeightTensor extends palimpsest.v1.WeightTensor.$Properties {
        }

        /** Represents a WeightTensor. */
        class WeightTensor {

            /**
             * Constructs a new WeightTensor.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WeightTensor.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WeightTensor name. */
            name: string;

            /** WeightTensor dtype. */
            dtype: string;

            /** WeightTensor shape. */
            shape: number[];

            /** WeightTensor shardIndex. */
            shardIndex: number;

            /** WeightTensor offsetBytes. */
            offsetBytes: number;

            /** WeightTensor lengthBytes. */
            lengthBytes: number;

            /**
             * Creates a new WeightTensor instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WeightTensor instance
             */
            static create(properties: palimpsest.v1.WeightTensor.$Shape): palimpsest.v1.WeightTensor & palimpsest.v1.WeightTensor.$Shape;
            static create(properties?: palimpsest.v1.WeightTensor.$Properties): palimpsest.v1.WeightTensor;

            /**
             * Encodes the specified WeightTensor message. Does not implicitly {@link palimpsest.v1.WeightTensor.verify|verify} messages.
             * @param message WeightTensor message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WeightTensor.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WeightTensor message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightTensor & palimpsest.v1.WeightTensor.$Shape} WeightTensor
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WeightTensor & palimpsest.v1.WeightTensor.$Shape;
        }

        namespace WeightTensor {

            /** Properties of a WeightTensor. */
            interface $Properties {

                /** WeightTensor name */
                name?: (string|null);

                /** WeightTensor dtype */
                dtype?: (string|null);

                /** WeightTensor shape */
                shape?: (number[]|null);

                /** WeightTensor shardIndex */
                shardIndex?: (number|null);

                /** WeightTensor offsetBytes */
                offsetBytes?: (number|null);

                /** WeightTensor lengthBytes */
                lengthBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WeightTensor. */
            type $Shape = palimpsest.v1.WeightTensor.$Properties;
        }

        /**
         * Properties of a WeightShard.
         * @deprecated Use palimpsest.v1.WeightShard.$Properties instead.
         */
        interface IWeightShard extends palimpsest.v1.WeightShard.$Properties {
        }

        /** Represents a WeightShard. */
        class WeightShard {

            /**
             * Constructs a new WeightShard.
             * @param [properties] Properties to set
             */
            constructor(properties?: palimpsest.v1.WeightShard.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** WeightShard objectId. */
            objectId: string;

            /** WeightShard sizeBytes. */
            sizeBytes: number;

            /**
             * Creates a new WeightShard instance using the specified properties.
             * @param [properties] Properties to set
             * @returns WeightShard instance
             */
            static create(properties: palimpsest.v1.WeightShard.$Shape): palimpsest.v1.WeightShard & palimpsest.v1.WeightShard.$Shape;
            static create(properties?: palimpsest.v1.WeightShard.$Properties): palimpsest.v1.WeightShard;

            /**
             * Encodes the specified WeightShard message. Does not implicitly {@link palimpsest.v1.WeightShard.verify|verify} messages.
             * @param message WeightShard message or plain object to encode
             * @param [writer] Writer to encode to
             * @returns Writer
             */
            static encode(message: palimpsest.v1.WeightShard.$Properties, writer?: $protobuf.Writer): $protobuf.Writer;

            /**
             * Decodes a WeightShard message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {palimpsest.v1.WeightShard & palimpsest.v1.WeightShard.$Shape} WeightShard
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): palimpsest.v1.WeightShard & palimpsest.v1.WeightShard.$Shape;
        }

        namespace WeightShard {

            /** Properties of a WeightShard. */
            interface $Properties {

                /** WeightShard objectId */
                objectId?: (string|null);

                /** WeightShard sizeBytes */
                sizeBytes?: (number|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a WeightShard. */
            type $Shape = palimpsest.v1.WeightShard.$Properties;
        }
    }
}

export import AcceptedToken = palimpsest.v1.AcceptedToken;
export import ActorCount = palimpsest.v1.ActorCount;
export import ActorDescribed = palimpsest.v1.ActorDescribed;
export import ActorDied = palimpsest.v1.ActorDied;
export import ActorInfo = palimpsest.v1.ActorInfo;
export import ActorLogChunk = palimpsest.v1.ActorLogChunk;
export import ActorProcessEvent = palimpsest.v1.ActorProcessEvent;
export import ActorProcessExiting = palimpsest.v1.ActorProcessExiting;
export import ActorProcessLoaded = palimpsest.v1.ActorProcessLoaded;
export import ActorProcessOrder = palimpsest.v1.ActorProcessOrder;
export import ActorProcessPing = palimpsest.v1.ActorProcessPing;
export import ActorProcessReady = palimpsest.v1.ActorProcessReady;
export import ActorProcessReceived = palimpsest.v1.ActorProcessReceived;
export import ActorProcessStart = palimpsest.v1.ActorProcessStart;
export import ActorReference = palimpsest.v1.ActorReference;
export import ActorSpec = palimpsest.v1.ActorSpec;
export import ActorStarted = palimpsest.v1.ActorStarted;
export import ActorState = palimpsest.v1.ActorState;
export import Answer = palimpsest.v1.Answer;
export import AnswerBatch = palimpsest.v1.AnswerBatch;
export import ArgsObject = palimpsest.v1.ArgsObject;
export import AutoscalerStatus = palimpsest.v1.AutoscalerStatus;
export import AwaitDemandRequest = palimpsest.v1.AwaitDemandRequest;
export import AwaitDemandResponse = palimpsest.v1.AwaitDemandResponse;
export import BundleChunk = palimpsest.v1.BundleChunk;
export import BundleInfo = palimpsest.v1.BundleInfo;
export import BundlePlace = palimpsest.v1.BundlePlace;
export import Call = palimpsest.v1.Call;
export import CallBatch = palimpsest.v1.CallBatch;
export import CallFrame = palimpsest.v1.CallFrame;
export import CallIdentity = palimpsest.v1.CallIdentity;
export import ClusterEvent = palimpsest.v1.ClusterEvent;
export import ClusterInfo = palimpsest.v1.ClusterInfo;
export import CodeRef = palimpsest.v1.CodeRef;
export import CommitDurableRequest = palimpsest.v1.CommitDurableRequest;
export import CommitDurableResponse = palimpsest.v1.CommitDurableResponse;
export import Conversation = palimpsest.v1.Conversation;
export import CreateActorRequest = palimpsest.v1.CreateActorRequest;
export import CreatePlacementGroupRequest = palimpsest.v1.CreatePlacementGroupRequest;
export import DeathCertificate = palimpsest.v1.DeathCertificate;
export import DeleteJobRequest = palimpsest.v1.DeleteJobRequest;
export import DescribeObjectsRequest = palimpsest.v1.DescribeObjectsRequest;
export import DescribeObjectsResponse = palimpsest.v1.DescribeObjectsResponse;
export import DrainNodeRequest = palimpsest.v1.DrainNodeRequest;
export import DrainNodeResponse = palimpsest.v1.DrainNodeResponse;
export import DrainObjects = palimpsest.v1.DrainObjects;
export import DriverExited = palimpsest.v1.DriverExited;
export import DriverOutput = palimpsest.v1.DriverOutput;
export import DriverOutputAck = palimpsest.v1.DriverOutputAck;
export import DriverStarted = palimpsest.v1.DriverStarted;
export import DropObjects = palimpsest.v1.DropObjects;
export import DurableField = palimpsest.v1.DurableField;
export import EndedHolders = palimpsest.v1.EndedHolders;
export import Error = palimpsest.v1.Error;
export import Fence = palimpsest.v1.Fence;
export import FetchRequest = palimpsest.v1.FetchRequest;
export import FindValue = palimpsest.v1.FindValue;
export import FollowTokenRequest = palimpsest.v1.FollowTokenRequest;
export import FreeObjectsRequest = palimpsest.v1.FreeObjectsRequest;
export import FreeObjectsResponse = palimpsest.v1.FreeObjectsResponse;
export import FreeRequest = palimpsest.v1.FreeRequest;
export import FreeResponse = palimpsest.v1.FreeResponse;
export import GetBundleRequest = palimpsest.v1.GetBundleRequest;
export import GetClusterRequest = palimpsest.v1.GetClusterRequest;
export import GetJobRequest = palimpsest.v1.GetJobRequest;
export import GetStackRequest = palimpsest.v1.GetStackRequest;
export import Goodbye = palimpsest.v1.Goodbye;
export import GpuUse = palimpsest.v1.GpuUse;
export import GroupPlacement = palimpsest.v1.GroupPlacement;
export import GroupStrategy = palimpsest.v1.GroupStrategy;
export import HeadMessage = palimpsest.v1.HeadMessage;
export import HoldRequest = palimpsest.v1.HoldRequest;
export import HoldResponse = palimpsest.v1.HoldResponse;
export import JobInfo = palimpsest.v1.JobInfo;
export import JobStatus = palimpsest.v1.JobStatus;
export import KillActorRequest = palimpsest.v1.KillActorRequest;
export import LabelCondition = palimpsest.v1.LabelCondition;
export import LabelOperator = palimpsest.v1.LabelOperator;
export import LeaseRenewed = palimpsest.v1.LeaseRenewed;
export import LinkHello = palimpsest.v1.LinkHello;
export import ListActorsRequest = palimpsest.v1.ListActorsRequest;
export import ListActorsResponse = palimpsest.v1.ListActorsResponse;
export import ListEventsRequest = palimpsest.v1.ListEventsRequest;
export import ListEventsResponse = palimpsest.v1.ListEventsResponse;
export import ListJobsRequest = palimpsest.v1.ListJobsRequest;
export import ListJobsResponse = palimpsest.v1.ListJobsResponse;
export import ListNodesRequest = palimpsest.v1.ListNodesRequest;
export import ListNodesResponse = palimpsest.v1.ListNodesResponse;
export import ListObjectsRequest = palimpsest.v1.ListObjectsRequest;
export import ListObjectsResponse = palimpsest.v1.ListObjectsResponse;
export import ListPlacementGroupsRequest = palimpsest.v1.ListPlacementGroupsRequest;
export import ListPlacementGroupsResponse = palimpsest.v1.ListPlacementGroupsResponse;
export import ListQueuesRequest = palimpsest.v1.ListQueuesRequest;
export import ListQueuesResponse = palimpsest.v1.ListQueuesResponse;
export import ListTasksRequest = palimpsest.v1.ListTasksRequest;
export import ListTasksResponse = palimpsest.v1.ListTasksResponse;
export import ListUseRequest = palimpsest.v1.ListUseRequest;
export import ListUseResponse = palimpsest.v1.ListUseResponse;
export import LocateObjectRequest = palimpsest.v1.LocateObjectRequest;
export import LocateObjectResponse = palimpsest.v1.LocateObjectResponse;
export import LogChunk = palimpsest.v1.LogChunk;
export import LogsRequest = palimpsest.v1.LogsRequest;
export import MachineUse = palimpsest.v1.MachineUse;
export import MemoryRecord = palimpsest.v1.MemoryRecord;
export import MemoryStep = palimpsest.v1.MemoryStep;
export import MeshCall = palimpsest.v1.MeshCall;
export import MeshMember = palimpsest.v1.MeshMember;
export import MissingObjectsRequest = palimpsest.v1.MissingObjectsRequest;
export import MissingObjectsResponse = palimpsest.v1.MissingObjectsResponse;
export import NewToken = palimpsest.v1.NewToken;
export import NodeCount = palimpsest.v1.NodeCount;
export import NodeHeartbeat = palimpsest.v1.NodeHeartbeat;
export import NodeInfo = palimpsest.v1.NodeInfo;
export import NodeMessage = palimpsest.v1.NodeMessage;
export import NodeState = palimpsest.v1.NodeState;
export import NodeTypeStatus = palimpsest.v1.NodeTypeStatus;
export import ObjectAnswer = palimpsest.v1.ObjectAnswer;
export import ObjectAnswers = palimpsest.v1.ObjectAnswers;
export import ObjectDetail = palimpsest.v1.ObjectDetail;
export import ObjectIds = palimpsest.v1.ObjectIds;
export import ObjectInfo = palimpsest.v1.ObjectInfo;
export import ObjectOrder = palimpsest.v1.ObjectOrder;
export import ObjectOrders = palimpsest.v1.ObjectOrders;
export import ObjectPlace = palimpsest.v1.ObjectPlace;
export import ObjectRecovered = palimpsest.v1.ObjectRecovered;
export import ObjectReference = palimpsest.v1.ObjectReference;
export import ObjectReport = palimpsest.v1.ObjectReport;
export import ObjectRow = palimpsest.v1.ObjectRow;
export import OpenDurableRequest = palimpsest.v1.OpenDurableRequest;
export import OpenDurableResponse = palimpsest.v1.OpenDurableResponse;
export import Packages = palimpsest.v1.Packages;
export import PlacementGroupInfo = palimpsest.v1.PlacementGroupInfo;
export import PlacementGroupSpec = palimpsest.v1.PlacementGroupSpec;
export import PlacementGroupState = palimpsest.v1.PlacementGroupState;
export import Probe = palimpsest.v1.Probe;
export import ProcessCredentials = palimpsest.v1.ProcessCredentials;
export import ProcessUse = palimpsest.v1.ProcessUse;
export import PullChunk = palimpsest.v1.PullChunk;
export import PullRequest = palimpsest.v1.PullRequest;
export import PutChunk = palimpsest.v1.PutChunk;
export import QueueInfo = palimpsest.v1.QueueInfo;
export import ReadLogRequest = palimpsest.v1.ReadLogRequest;
export import RecoverObject = palimpsest.v1.RecoverObject;
export import RecoverObjectRequest = palimpsest.v1.RecoverObjectRequest;
export import RecoverObjectResponse = palimpsest.v1.RecoverObjectResponse;
export import RecoverValue = palimpsest.v1.RecoverValue;
export import Recovery = palimpsest.v1.Recovery;
export import RecoveryRequest = palimpsest.v1.RecoveryRequest;
export import RegisterNode = palimpsest.v1.RegisterNode;
export import Registered = palimpsest.v1.Registered;
export import RemoveDurableRequest = palimpsest.v1.RemoveDurableRequest;
export import RemoveDurableResponse = palimpsest.v1.RemoveDurableResponse;
export import RemovePlacementGroupRequest = palimpsest.v1.RemovePlacementGroupRequest;
export import ReplacedToken = palimpsest.v1.ReplacedToken;
export import Reply = palimpsest.v1.Reply;
export import ReplyBatch = palimpsest.v1.ReplyBatch;
export import ReportTasksRequest = palimpsest.v1.ReportTasksRequest;
export import ReportTasksResponse = palimpsest.v1.ReportTasksResponse;
export import Request = palimpsest.v1.Request;
export import RequestBatch = palimpsest.v1.RequestBatch;
export import ReserveValue = palimpsest.v1.ReserveValue;
export import ResolveActorRequest = palimpsest.v1.ResolveActorRequest;
export import ResolvePlacementGroupRequest = palimpsest.v1.ResolvePlacementGroupRequest;
export import Resources = palimpsest.v1.Resources;
export import RotateTokenRequest = palimpsest.v1.RotateTokenRequest;
export import RotateTokenResponse = palimpsest.v1.RotateTokenResponse;
export import RunningActor = palimpsest.v1.RunningActor;
export import RunningDriver = palimpsest.v1.RunningDriver;
export import Sampling = palimpsest.v1.Sampling;
export import ScoredGroup = palimpsest.v1.ScoredGroup;
export import ScoredTrajectory = palimpsest.v1.ScoredTrajectory;
export import SealValue = palimpsest.v1.SealValue;
export import SessionEvent = palimpsest.v1.SessionEvent;
export import SessionMessage = palimpsest.v1.SessionMessage;
export import SessionOpened = palimpsest.v1.SessionOpened;
export import SetWaitingRequest = palimpsest.v1.SetWaitingRequest;
export import SetWaitingResponse = palimpsest.v1.SetWaitingResponse;
export import SharedActor = palimpsest.v1.SharedActor;
export import SharedActorEnded = palimpsest.v1.SharedActorEnded;
export import SharedNews = palimpsest.v1.SharedNews;
export import SharedOrders = palimpsest.v1.SharedOrders;
export import ShutdownRequest = palimpsest.v1.ShutdownRequest;
export import ShutdownResponse = palimpsest.v1.ShutdownResponse;
export import StackReport = palimpsest.v1.StackReport;
export import StackRequest = palimpsest.v1.StackRequest;
export import StartActor = palimpsest.v1.StartActor;
export import StartDriver = palimpsest.v1.StartDriver;
export import StatRequest = palimpsest.v1.StatRequest;
export import StepDump = palimpsest.v1.StepDump;
export import StopActor = palimpsest.v1.StopActor;
export import StopDriver = palimpsest.v1.StopDriver;
export import StopJobRequest = palimpsest.v1.StopJobRequest;
export import StopNode = palimpsest.v1.StopNode;
export import StopSharedActor = palimpsest.v1.StopSharedActor;
export import StoreDiff = palimpsest.v1.StoreDiff;
export import StoreValue = palimpsest.v1.StoreValue;
export import Strategy = palimpsest.v1.Strategy;
export import StrategyKind = palimpsest.v1.StrategyKind;
export import StreamCredit = palimpsest.v1.StreamCredit;
export import SubmitRequest = palimpsest.v1.SubmitRequest;
export import SummarizeRequest = palimpsest.v1.SummarizeRequest;
export import SummarizeTasksRequest = palimpsest.v1.SummarizeTasksRequest;
export import SummarizeTasksResponse = palimpsest.v1.SummarizeTasksResponse;
export import Summary = palimpsest.v1.Summary;
export import Task = palimpsest.v1.Task;
export import TaskCounts = palimpsest.v1.TaskCounts;
export import TaskEvent = palimpsest.v1.TaskEvent;
export import TaskFact = palimpsest.v1.TaskFact;
export import TaskKind = palimpsest.v1.TaskKind;
export import TaskReport = palimpsest.v1.TaskReport;
export import TaskState = palimpsest.v1.TaskState;
export import TokenState = palimpsest.v1.TokenState;
export import Trajectory = palimpsest.v1.Trajectory;
export import TrajectoryScore = palimpsest.v1.TrajectoryScore;
export import UnmetDemand = palimpsest.v1.UnmetDemand;
export import UseSeries = palimpsest.v1.UseSeries;
export import ValueRecovered = palimpsest.v1.ValueRecovered;
export import VersionRun = palimpsest.v1.VersionRun;
export import WaitingShape = palimpsest.v1.WaitingShape;
export import WeightAdapters = palimpsest.v1.WeightAdapters;
export import WeightManifest = palimpsest.v1.WeightManifest;
export import WeightShard = palimpsest.v1.WeightShard;
export import WeightTensor = palimpsest.v1.WeightTensor;
export import WorkingDirectory = palimpsest.v1.WorkingDirectory;
export import WorkingFile = palimpsest.v1.WorkingFile;
export import WriteAnswer = palimpsest.v1.WriteAnswer;
export import WriteOrder = palimpsest.v1.WriteOrder;
