/*
 * The subset of TensorFlow's graph messages that this package writes: tensorflow/core/framework/*.proto. Their field numbers
 * are in saved-model.ts.
 */

export interface ShapeProto {
  readonly dim: readonly { readonly size: number }[];
}

export interface TensorProto {
  readonly dtype: number;
  readonly tensorShape: ShapeProto;
  readonly tensorContent: Uint8Array;
}

/** One of TensorFlow's attribute values; exactly one field is set. */
export interface AttributeProto {
  readonly s?: Uint8Array;
  readonly i?: number;
  readonly f?: number;
  readonly b?: boolean;
  readonly type?: number;
  readonly shape?: ShapeProto;
  readonly tensor?: TensorProto;
  readonly func?: { readonly name: string };
  readonly list?: {
    readonly s?: readonly Uint8Array[];
    readonly i?: readonly number[];
    readonly f?: readonly number[];
    readonly b?: readonly boolean[];
    readonly type?: readonly number[];
    readonly shape?: readonly ShapeProto[];
    readonly func?: readonly { readonly name: string }[];
  };
}

export interface NodeProto {
  readonly name: string;
  readonly op: string;
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, AttributeProto>>;
  /** Absent: TensorFlow chooses. */
  readonly device?: string;
}

export interface ArgumentProto {
  readonly name: string;
  readonly type: number;
}

export interface FunctionProto {
  readonly signature: {
    readonly name: string;
    readonly inputArg: readonly ArgumentProto[];
    readonly outputArg: readonly ArgumentProto[];
    /** The function reads or writes variables. */
    readonly isStateful?: boolean;
    readonly controlOutput?: readonly string[];
  };
  readonly nodeDef: readonly NodeProto[];
  readonly attr?: Readonly<Record<string, AttributeProto>>;
  readonly ret: Readonly<Record<string, string>>;
  /** Control outputs by name: the nodes that must run. */
  readonly controlRet?: Readonly<Record<string, string>>;
}
